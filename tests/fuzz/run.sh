#!/usr/bin/env bash
# Fuzzes the importer and all that follows it for a while: tests/fuzz/run.sh BUILD_DIR SECONDS
# A crash input is left in the build folder; give it a name in tests/fuzz/crashes, and the replay test keeps it.
set -euo pipefail
build=$1
seconds=$2
corpus=$build/corpus
mkdir -p "$corpus"
"$build/tests/fuzz/write_fuzz_seeds" "$corpus"
"$build/tests/fuzz/fuzz_onnx_import" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=1024 -max_len=65536 \
  -artifact_prefix="$build/" -print_final_stats=0 -verbosity=0 "$corpus"

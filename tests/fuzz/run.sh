#!/bin/sh
# run.sh BUILD_DIR SECONDS: fuzzes the importer, starting from the seeds and from what earlier runs in this build found.
# An input that crashes, hangs or takes too much memory is left in BUILD_DIR/fuzz_findings; once its cause is mended, it
# belongs into tests/fuzz/crashes as NAME.onnx.
set -eu
build=$1
seconds=$2
mkdir -p "$build/fuzz_corpus" "$build/fuzz_findings"
program=$(find "$build" -name fuzz_onnx_import -type f)
seeds=$(find "$build" -name write_fuzz_seeds -type f)
"$seeds" "$build/fuzz_corpus"
exec "$program" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -max_len=16384 -print_final_stats=1 \
  -artifact_prefix="$build/fuzz_findings/" "$build/fuzz_corpus"

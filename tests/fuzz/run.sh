#!/bin/sh
# run.sh BUILD_DIR: fuzzes the sweep files of the sampler and its journal, then the importer and all that follows up to the
# layers, starting from the seeds.
#
# As it stands the run is the same every time: one seed for the random choices, a fixed number of inputs, a fresh corpus. So
# it fails only when the code has changed, and then again when it is repeated. A machine too slow for all inputs stops
# after two minutes without an error.
# With LAYERSIM_FUZZ_SECONDS=N it fuzzes for so long with another seed each time, and goes on from what earlier runs in this
# build have found.
#
# An input that crashes, hangs or takes too much memory is left in BUILD_DIR/fuzz_findings; once its cause is mended, it
# belongs into tests/fuzz/crashes under a name that says what it is, where a unit test replays it.
set -eu
build=$1
find_program() { find "$build" -name "$1" -type f; }
mkdir -p "$build/fuzz_findings"
if [ -n "${LAYERSIM_FUZZ_SECONDS:-}" ]; then
  corpus=$build/fuzz_corpus
  set -- -max_total_time="$LAYERSIM_FUZZ_SECONDS"
else
  corpus=$build/fuzz_corpus_fixed
  rm -rf "$corpus" "$corpus.sweep"
  set -- -seed=20180528 -runs=30000 -max_total_time=120
fi
set -- "$@" -timeout=30 -rss_limit_mb=2048 -max_len=16384 -print_final_stats=1 -artifact_prefix="$build/fuzz_findings/"
mkdir -p "$corpus" "$corpus.sweep"
cp "$(dirname "$0")"/seeds/sweep/* "$corpus.sweep"
"$(find_program fuzz_sweep)" "$@" "$corpus.sweep"
"$(find_program write_fuzz_seeds)" "$corpus"
exec "$(find_program fuzz_onnx_import)" "$@" "$corpus"

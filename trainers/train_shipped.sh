#!/usr/bin/env bash
# Trains the predictor that comes along: trainers/train_shipped.sh BUILD_DIR FOLDER OUTPUT
# FOLDER holds data/layers and data/networks, the measured layers and runs, and networks, their graphs. The same
# build, measurements and seed give the same file but for its date.
set -euo pipefail
build=$1
measured=$2
output=$3
rows=$measured/data/layers
[[ -d $rows ]] || { echo "train_shipped.sh: there is no folder $rows with measured layers" >&2; exit 2; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$build/layersim" data import "$rows"/justus_{conv,dense}.csv.gz \
  "$rows"/neusight_{conv,gemm,rowwise,elementwise}.csv.gz "$rows"/deepbench_{conv,gemm,rnn}.csv.gz -o "$work/layers.h5"
"$build/layersim" train "$work/layers.h5" --seed 1 -o "$work/layers_predictor.h5"
"$(dirname "$0")/train_shipped_runs.sh" "$build" "$measured" "$work/layers_predictor.h5" "$output"

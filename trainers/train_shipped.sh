#!/usr/bin/env bash
# Trains the predictor that comes along: trainers/train_shipped.sh BUILD_DIR FOLDER_WITH_MEASURED_LAYERS OUTPUT
# The same build, rows and seed give the same file but for its date.
set -euo pipefail
build=$1
rows=$2
output=$3
[[ -d $rows ]] || { echo "train_shipped.sh: there is no folder $rows with measured layers" >&2; exit 2; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$build/layersim" data import "$rows"/justus_{conv,dense}.csv.gz \
  "$rows"/neusight_{conv,gemm,rowwise,elementwise}.csv.gz "$rows"/deepbench_{conv,gemm,rnn}.csv.gz -o "$work/layers.h5"
"$build/layersim" train "$work/layers.h5" --seed 1 -o "$output"

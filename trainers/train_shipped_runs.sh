#!/usr/bin/env bash
# Trains the run model of the predictor that comes along, beside the networks for single layers of another file:
#   trainers/train_shipped_runs.sh BUILD_DIR FOLDER LAYERS_PREDICTOR OUTPUT
# FOLDER as in train_shipped.sh. LAYERS_PREDICTOR and OUTPUT may be the same file.
set -euo pipefail
build=$1
measured=$2
layers=$3
output=$4
rows=$measured/data/layers
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

python3 "$(dirname "$0")/published_runs.py" "$measured/data" "$measured/networks" "$work/runs.csv" "$work/operators.csv"
"$build/layersim" train "$rows"/justus_{conv,dense}.csv.gz "$rows"/neusight_{conv,gemm,rowwise,elementwise}.csv.gz \
  "$rows"/deepbench_{conv,gemm}.csv.gz "$work/operators.csv" \
  --runs "$work/runs.csv" --folds 13 --layers-from "$layers" --seed 1 -o "$work/predictor.h5"
mv "$work/predictor.h5" "$output"

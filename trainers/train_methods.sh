#!/usr/bin/env bash
# Trains the predictors of the other methods that come along: trainers/train_methods.sh BUILD_DIR FOLDER OUTPUT_FOLDER
# FOLDER holds data/profiles, the measured profiles, data/networks, the measured runs, their graphs in networks, and
# data/layers with measured convolutions. The same build, measurements and seed give the same files but for
# their date.
set -euo pipefail
build=$1
profiles=$2/data/profiles
output=$3
[[ -d $profiles ]] || { echo "train_methods.sh: there is no folder $profiles with measured profiles" >&2; exit 2; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$build/layersim" transfer train "$profiles/profet_ops.csv.gz" --seed 1 -o "$work/transfer.h5"
"$build/layersim" telemetry train "$profiles/hardware_metrics.csv.gz" --seed 1 -o "$work/telemetry.h5"

# The runs that all methods are compared on: TensorFlow 2.5.
python3 "$(dirname "$0")/published_runs.py" "$2/data" "$2/networks" "$work/runs.csv"
(head -n 1 "$work/runs.csv"; grep ',tf2.5,' "$work/runs.csv") >"$work/tf25_runs.csv"
"$build/layersim" regression train "$work/tf25_runs.csv" --leave-out configuration --seed 1 -o "$work/regression.h5"
"$build/layersim" hybrid train "$work/tf25_runs.csv" --store "$2/data/layers/deepbench_conv.csv.gz" --seed 1 \
  -o "$work/hybrid.h5"
# The program itself writes over no file that comes along.
mv "$work"/*.h5 "$output/"

#!/usr/bin/env bash
# Trains the predictors of the other methods that come along: trainers/train_methods.sh BUILD_DIR FOLDER OUTPUT_FOLDER
# FOLDER holds data/profiles, the measured profiles. The same build, measurements and seed give the same files but for
# their date.
set -euo pipefail
build=$1
profiles=$2/data/profiles
output=$3
[[ -d $profiles ]] || { echo "train_methods.sh: there is no folder $profiles with measured profiles" >&2; exit 2; }

"$build/layersim" transfer train "$profiles/profet_ops.csv.gz" --seed 1 -o "$output/transfer.h5"
"$build/layersim" telemetry train "$profiles/hardware_metrics.csv.gz" --seed 1 -o "$output/telemetry.h5"

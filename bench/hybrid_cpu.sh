#!/usr/bin/env bash
# `hybrid` on this machine's processor: bench/hybrid_cpu.sh BUILD_DIR WORK_FOLDER GPU_KEY [NETWORK...]
# Measures networks of the zoo at batches 1, 2 and 4 on one thread, then the convolutions that their steps consist of,
# and says how well networks and batch sizes are predicted that the regression has not seen. GPU_KEY: what `layersim
# gpus` calls this processor. Nothing else should run meanwhile.
set -euo pipefail
build=$1
work=$2
key=$3
shift 3
networks=("$@")
((${#networks[@]})) || networks=(squeezenet1_1 resnet18 mobilenet_v2 alexnet vgg11)
mkdir -p "$work"
layersim="$build/layersim"
for network in "${networks[@]}"; do
  for batch in 1 2 4; do
    "$layersim" measure "$network" --device cpu --threads 1 --batch "$batch" --gpu "$key" --force -o "$work/runs.csv"
  done
done
"$layersim" hybrid missing "$work/runs.csv" --store "$work/bench.h5" -o "$work/problems.csv"
"$layersim" sample --device cpu --threads 1 --gpu "$key" --problems "$work/problems.csv" --force -o "$work/bench.h5"
for left_out in --leave-one-network-out --leave-batches-out; do
  "$layersim" hybrid evaluate "$work/runs.csv" --store "$work/bench.h5" "$left_out"
done

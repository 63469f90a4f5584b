#!/usr/bin/env bash
# `hybrid` on this machine's processor: bench/hybrid_cpu.sh BUILD_DIR WORK_FOLDER GPU_KEY [NETWORK...]
# Measures training steps of networks of the zoo at batches 1, 2, 4 and 8 on one thread of one core, all of them in
# turn, ROUNDS times (default: 2), and keeps the lowest time of each; then the convolutions that the steps consist of;
# and says how well networks and batch sizes are predicted that the regression has not seen. GPU_KEY: what `layersim
# gpus` calls this processor. CORE: which core (default: the last). Nothing else should run on it meanwhile; what a
# measurement scattered by stands in the rows.
set -euo pipefail
build=$1
work=$2
key=$3
shift 3
networks=("$@")
((${#networks[@]})) || networks=(squeezenet1_1 resnet18 mobilenet_v2 alexnet vgg11 mnasnet1_0 shufflenet_v2_x1_0
  regnet_x_400mf googlenet mobilenet_v3_large)
mkdir -p "$work"
pinned=(taskset -c "${CORE:-$(($(nproc) - 1))}" "$build/layersim")
on_cpu=(--device cpu --threads 1 --gpu "$key" --force)

for ((round = 0; round < ${ROUNDS:-2}; ++round)); do
  for network in "${networks[@]}"; do
    for batch in 1 2 4 8; do
      "${pinned[@]}" measure "$network" "${on_cpu[@]}" --batch "$batch" -o "$work/rounds.csv" | tail -n 1
    done
  done
done
# Of each network and batch the row with the lowest time: columns 1, 8 and 11, which stand before any quoted one.
{
  head -n 1 "$work/rounds.csv"
  tail -n +2 "$work/rounds.csv" | sort -t, -k1,1 -k8,8n -k11,11g | awk -F, '!seen[$1, $8]++'
} >"$work/runs.csv"

"$build/layersim" hybrid missing "$work/runs.csv" --store "$work/bench.h5" -o "$work/problems.csv"
"${pinned[@]}" sample "${on_cpu[@]}" --problems "$work/problems.csv" -o "$work/bench.h5"
for left_out in --leave-one-network-out --leave-batches-out; do
  "$build/layersim" hybrid evaluate "$work/runs.csv" --store "$work/bench.h5" "$left_out"
done

#!/usr/bin/env bash
# The whole method on the CPU of this machine, with one thread: random layers are measured, a predictor is trained on
# them, and networks that had no part in it are predicted and measured.
#   bench/cpu_proof.sh BUILD FOLDER MINUTES    FOLDER keeps all files; started again, it goes on where it stopped
#   bench/cpu_proof.sh BUILD FOLDER small      120 samples and one small network: does the chain work?
# CPU_PROOF_RUN stands before each measurement: on a machine that has other work, "chrt -f 10 taskset -c 1" gives it a core
# of its own (as root), and what scatters there is what is refused.
set -euo pipefail

layersim=$(realpath "$1")/layersim
folder=$2
size=$3
modes=(forward training)
read -ra on_core <<<"${CPU_PROOF_RUN:-}"
if [[ $size == small ]]; then
  sweep=$(realpath "$(dirname "$0")")/cpu_proof_small.json
  sample_layers() { sample --n 120 --force; }
  training=(--epochs 100)
  networks=(mlp)
  batches=(1 2)
  measuring=(--force)
else
  sweep=networks
  # Parts of the time as the kinds have sizes and shares of networks.
  sample_layers() {
    sample_for $((size * 27)) conv
    sample_for $((size * 12)) dense,matmul
    sample_for $((size * 7)) recurrent
    sample_for $((size * 14)) pool,norm,activation,elementwise,softmax,embedding,concat,data_movement,reduce
  }
  training=(--epochs 300 --test-share 0.1)
  # The last three were chosen when all else was settled.
  networks=(vgg11 resnet18 mobilenet_v2 squeezenet1_1 lstm_lm deit_tiny googlenet mnasnet1_0 regnet_x_400mf)
  batches=(1 4 16)
  measuring=()
fi

sample() {
  "${on_core[@]}" "$layersim" sample --device cpu --threads 1 --sweep "$sweep" -o samples.h5 "$@"
}

# Some seconds of these kinds. A machine that is too noisy is asked again after a minute, while the time lasts.
sample_for() {
  local end=$((SECONDS + $1)) code
  while ((SECONDS < end)); do
    code=0
    sample --n 1000000 --kinds "$2" --time-budget "$((end - SECONDS))s" || code=$?
    ((code == 0)) && return
    ((code == 1)) || return "$code"
    sleep 60
  done
}

# A machine that is busy for a moment is asked again.
measure() {
  local try
  for try in 1 2 3 4 5; do
    "${on_core[@]}" "$layersim" measure "$@" "${measuring[@]}" >/dev/null && return
    sleep 10
  done
  echo "cpu_proof.sh: $1 cannot be measured on this machine, see above" >&2
  return 1
}

is_measured() { [[ -e layers/$1.csv ]]; }

mkdir -p "$folder/layers"
cd "$folder"
sample_layers
"$layersim" train samples.h5 --gpu-file samples.device.json -o predictor.h5 --json training.json "${training[@]}"
for network in "${networks[@]}"; do
  for batch in "${batches[@]}"; do
    for mode in "${modes[@]}"; do
      run=$network-$batch-$mode
      is_measured "$run" ||
        measure "$network" --batch "$batch" --mode "$mode" --threads 1 --layers "layers/$run.csv" \
          --gpu-file samples.device.json -o runs.csv
    done
  done
done
"$layersim" validate runs.csv --gpu-file samples.device.json --predictor predictor.h5 --blame --all-runs \
  --json validation.json

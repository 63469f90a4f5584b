#!/usr/bin/env bash
# The whole method on the CPU of this machine, with one thread: random layers are measured, a predictor is trained on
# them, and networks that had no part in it are predicted and measured.
#   bench/cpu_proof.sh BUILD FOLDER MINUTES    FOLDER keeps all files; started again, it goes on where it stopped
#   bench/cpu_proof.sh BUILD FOLDER small      90 samples and one small network: does the chain work?
set -euo pipefail

layersim=$(realpath "$1")/layersim
folder=$2
size=$3
modes=(forward training)
if [[ $size == small ]]; then
  sample_layers() { sample --n 90 --kinds dense --force; }
  training=(--epochs 2)
  networks=(mlp)
  batches=(1 2)
  measuring=(--force)
else
  # Convolutions have the most sizes and take the most time in networks: they get nine parts of twenty.
  sample_layers() {
    sample --n 1000000 --kinds conv --time-budget "$((size * 60 * 9 / 20))s"
    sample --n 1000000 --time-budget "$((size * 60 * 11 / 20))s" \
      --kinds dense,matmul,pool,norm,activation,elementwise,softmax,embedding,concat,data_movement,reduce,recurrent
  }
  training=()
  networks=(vgg11 resnet18 mobilenet_v2 squeezenet1_1 lstm_lm deit_tiny)
  batches=(1 4 16)
  measuring=()
fi

sample() { "$layersim" sample --device cpu --threads 1 -o samples.h5 "$@"; }

# A machine that is busy for a moment is asked again.
measure() {
  local try
  for try in 1 2 3; do
    "$layersim" measure "$@" "${measuring[@]}" >/dev/null && return
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

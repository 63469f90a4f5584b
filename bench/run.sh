#!/usr/bin/env bash
# Speed and memory of the built program against peers, in one run on this machine: bench/run.sh BUILD_DIR
set -euo pipefail
build=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
compare() { "$build/bench/compare_processes" "$@"; }

"$build/bench/make_networks" zoo vgg16 "$work/vgg16.onnx"
"$build/bench/make_networks" zoo resnet50 "$work/resnet50.onnx"
"$build/bench/make_networks" chain 10000 "$work/chain10k.onnx"
"$build/bench/make_networks" chain 100000 "$work/chain100k.onnx"

for network in vgg16 resnet50; do
  file=$work/$network.onnx
  echo "== $network, $(($(stat -c %s "$file") / 1000000)) MB: whole process (budget: 30 ms, 50 MB, 100 times onnx.load)"
  compare 11 "$build/layersim $file --gpu k80 --batch 64" "/usr/bin/python3 -c 'import onnx; onnx.load(\"$file\")'"
done

echo "== 100,000 nodes against 10,000 (budget: under 1 s, about 10 times)"
compare 5 "$build/layersim $work/chain10k.onnx --gpu k80 --batch 64" "$build/layersim $work/chain100k.onnx --gpu k80 --batch 64"

runs=$work/runs.csv
echo "network,gpu,precision,mode,optimizer,batch,measured_ms" >"$runs"
for network in vgg16 resnet50 resnet152 densenet121 mobilenet_v2 inception_v3 efficientnet_b0 vit_b_16 bert_base gpt2; do
  for gpu in k80 m60 p100-pcie t4 v100-sxm2 a100-sxm4-40gb h100-sxm l4 rtx2080ti mi250; do
    for batch in 1 2 4 8 12 16 24 32 48 64; do
      echo "$network,$gpu,fp32,training,sgd,$batch,100" >>"$runs"
    done
  done
done
echo "== validate 1,000 runs: 10 networks, 10 devices, 10 batches (budget: 2 s)"
compare 5 "$build/layersim validate $runs"

gpus=$(ls configs/gpus | sed 's/\.json$//' | grep -v ^cpu | head -60 | paste -sd,)
zoo=$("$build/layersim" zoo | tail -n +3 | cut -d' ' -f1)
echo "== compare one network over 60 GPUs x 16 batches, whole process (budget: 1 s)"
for network in vgg16 resnet50 densenet201; do
  echo "exec $build/layersim compare $network --gpus $gpus --batches 8:128:8" >"$work/compare_$network"
  compare 5 "sh $work/compare_$network"
done
echo "== compare 1,000 networks over 60 GPUs x 16 batches (budget: 2 minutes on 2 cores, memory of 100 networks)"
for count in 100 1000; do
  networks=$(for _ in $(seq 12); do echo "$zoo"; done | head -n $count | paste -sd' ')
  # shellcheck disable=SC2086
  /usr/bin/time -f "$count networks: %e s, %U s of processor time, %M KB" "$build/layersim" compare $networks \
    --gpus "$gpus" --batches 8:128:8 --csv "$work/study.csv" >"$work/log"
done

echo "== layer predictions with their features, batched, on one core (budget: a million layers/s)"
"$build/bench/predictor_speed" configs/predictors/layerwise.h5

rows=../shared/data/layers
if [[ -d $rows ]]; then
  echo "== training the networks of one kind of rows as a process of its own (budget: a minute)"
  TIMEFORMAT=%R
  for kind in justus_conv justus_dense neusight_conv neusight_gemm neusight_rowwise neusight_elementwise deepbench_rnn; do
    seconds=$({ time "$build/layersim" train "$rows/$kind.csv.gz" -o "$work/$kind.h5" >"$work/log" 2>&1; } 2>&1)
    echo "$kind: $seconds s"
  done
fi

echo "== the store, a million rows of 20 columns (budget: a million rows/s, memory that does not grow with the file)"
"$build/bench/store_speed" 1000000 "$work"

#!/usr/bin/env python3
"""Writes the published measured runs as one table in the vocabulary of `layersim validate`, and, where OPERATORS.csv is
given, the operators that were timed within their networks as `layersim train --runs` takes them.

usage: published_runs.py DATA NETWORKS OUTPUT.csv [OPERATORS.csv]
example: trainers/published_runs.py ../shared/data ../shared/networks runs.csv

DATA holds networks/*.csv, profiles/profet_ops.csv.gz and layers/neusight_network_ops.csv.gz; NETWORKS the graphs, as profet/MODEL_PIXEL.onnx, torchvision/MODEL.onnx and
transformers/MODEL_LENGTH.onnx. A network without a file there is taken from the zoo, and left out when the zoo has
none. Of runs on several GPUs, of compiled and of distributed ones, and of those in fp64, none is taken; two runs whose
card was short of memory are left out, too (SHORT_OF_MEMORY).
"""
import csv
import gzip
import os
import statistics
import sys

COLUMNS = ["network", "gpu", "stack", "precision", "mode", "optimizer", "n_gpus", "batch", "measured_ms", "group",
           "family", "series", "campaign"]

# Times of operations in a profile (as operation_profile.h has them) by the names that TensorFlow gives them.
OPERATIONS = {
    "conv_forward_ms": ["conv2d", "fused_conv2d", "bias_add", "relu", "relu6"],
    "conv_input_gradient_ms": ["conv2d_backprop_input"],
    "conv_weight_gradient_ms": ["conv2d_backprop_filter", "bias_add_grad"],
    "depthwise_forward_ms": ["depthwise_conv2d_native"],
    "depthwise_input_gradient_ms": ["depthwise_conv2d_native_backprop_input"],
    "depthwise_weight_gradient_ms": ["depthwise_conv2d_native_backprop_filter"],
    "batch_norm_forward_ms": ["fused_batch_norm_v3"],
    "batch_norm_gradient_ms": ["fused_batch_norm_grad_v3"],
    "activation_gradient_ms": ["relu_grad", "relu6_grad"],
    "pool_ms": ["max_pool", "max_pool_grad", "avg_pool", "avg_pool_grad"],
    "product_ms": ["mat_mul"]}
# A trace with less of the step than this was cut off; all of one network seem to be (DATA's README).
LEAST_OF_STEP = 0.85
CUT_OFF = {"InceptionResNetV2"}

# Training runs that took 1.7 times as long as the sum of their operators (neusight_network_ops), which is within 20 %
# for all others: they need nine tenths of the card's memory, and PyTorch then gives memory back and asks anew.
SHORT_OF_MEMORY = {("gpt2_large", "mi210", "4"), ("gpt2_large", "mi250", "4")}
# The operators that were timed on this card contradict its own runs: their sum is 17 to 52 % longer.
DISTURBED_OPERATORS = {"a100-pcie-40gb"}

# Names of other frameworks for networks of the zoo.
ZOO_NAMES = {"googlenet-v1": "googlenet", "alexnet": "alexnet", "vgg16": "vgg16", "vgg19": "vgg19",
             "resnet-18": "resnet18", "resnet-34": "resnet34", "resnet-50": "resnet50", "resnet-101": "resnet101",
             "resnet-152": "resnet152", "vgg11_bn": "vgg11_bn", "vgg13_bn": "vgg13_bn",
             "resnext101_32x8d": "resnext101_32x8d", "wide_resnet101_2": "wide_resnet101_2",
             "bert_large_classifier": "bert_large_classifier"}


def group_of(model):
    """The architecture, however its name is spelled: runs of one are left out together."""
    return model.lower().replace("-", "").replace("_", "").removesuffix("classifier")


def family_of(group):
    for family in ("inception", "wideresnet", "resnext", "densenet", "mobilenet", "mnasnet", "shufflenet", "squeezenet",
                   "vgg", "alexnet", "googlenet", "lenet", "mnist", "bert", "gpt", "switch", "resnet"):
        if family in group:
            return {"wideresnet": "resnet", "resnext": "resnet", "lenet": "small", "mnist": "small"}.get(family, family)
    return group


def series_of(group):
    """Networks of one design that differ in depth; the small networks of two authors are none."""
    family = family_of(group)
    return group if family == "small" else family


def rows(path):
    with open(path, newline="") as file:
        yield from csv.DictReader(file)


def read_profiles(path):
    """Times of the operations of a step in ms, by workload: the median of the repeated profiles."""
    profiles = {}
    with gzip.open(path, "rt", newline="") as file:
        for row in csv.DictReader(file):
            key = row["model"], row["pixel"], row["batch"], row["gpu"]
            if row["model"] not in CUT_OFF:
                profiles.setdefault(key, []).append(row)
    times = {}
    for key, repeats in profiles.items():
        operation_ms = {column: statistics.median(float(row[column] or 0) / int(row["profiled_steps"]) for row in repeats)
                        for column in repeats[0] if column.startswith("device_")}
        step_ms = statistics.median(float(row["batch_ms"]) for row in repeats)
        if sum(operation_ms.values()) >= LEAST_OF_STEP * step_ms:
            times[key] = {column: sum(operation_ms.get(f"device_{name}_ms", 0) for name in names)
                          for column, names in OPERATIONS.items()}
    return times


class Writer:
    def __init__(self, networks, output):
        self.networks = networks
        self.folder = os.path.dirname(os.path.abspath(output))
        self.file = open(output, "w", newline="")
        self.csv = csv.writer(self.file, lineterminator="\n")
        self.csv.writerow([*COLUMNS, *OPERATIONS])
        self.left_out = {}

    def add(self, model, file, row, mode, optimizer, measured_ms, campaign="", operations={}):
        path = os.path.join(self.networks, file)
        if os.path.exists(path):
            network = os.path.relpath(path, self.folder)
        elif model in ZOO_NAMES:
            network = ZOO_NAMES[model]
        else:
            self.left_out[model] = self.left_out.get(model, 0) + 1
            return
        group = group_of(model)
        self.csv.writerow([network, row["gpu"], row["framework"], row["precision"], mode, optimizer, 1, row["batch"],
                           measured_ms, group, family_of(group), series_of(group), campaign,
                           *(f"{operations[column]:.6g}" if operations else "" for column in OPERATIONS)])


def write_operators(data, output):
    with gzip.open(os.path.join(data, "layers/neusight_network_ops.csv.gz"), "rt", newline="") as file:
        reader = csv.DictReader(file)
        with open(output, "w", newline="") as kept:
            writer = csv.DictWriter(kept, reader.fieldnames, lineterminator="\n")
            writer.writeheader()
            writer.writerows(row for row in reader if row["gpu"] not in DISTURBED_OPERATORS)


def main():
    if len(sys.argv) not in (4, 5):
        sys.exit(__doc__)
    data, networks, output = sys.argv[1:4]
    if len(sys.argv) == 5:
        write_operators(data, sys.argv[4])
    writer = Writer(networks, output)
    profiles = read_profiles(os.path.join(data, "profiles/profet_ops.csv.gz"))
    for row in rows(os.path.join(data, "networks/profet_tf25.csv")):
        writer.add(row["model"], f"profet/{row['model']}_{row['pixel']}.onnx", row, "training", row["optimizer"],
                   row["batch_ms"], operations=profiles.get((row["model"], row["pixel"], row["batch"], row["gpu"]), {}))
    for row in rows(os.path.join(data, "networks/torchvision_pytorch14.csv")):
        if row["n_gpus"] == "1" and row["precision"] != "fp64":
            writer.add(row["model"], f"torchvision/{row['model']}.onnx", row, row["mode"], "", row["time_ms"], row["run"])
    for row in rows(os.path.join(data, "networks/torch7_cnn.csv")):
        # Of several versions of cuDNN, which the stack does not tell, the newest.
        if row["n_gpus"] == "1" and row["cudnn"].startswith("5.1"):
            file = f"torchvision/{ZOO_NAMES.get(row['model'], row['model'])}.onnx"
            writer.add(row["model"], file, row, "forward", "", row["forward_ms"], row["cudnn"])
            writer.add(row["model"], file, row, "training", "", row["total_ms"], row["cudnn"])
    for row in rows(os.path.join(data, "networks/neusight_transformers.csv")):
        if (row["model"], row["gpu"], row["batch"]) in SHORT_OF_MEMORY and row["mode"] == "training":
            continue
        if row["n_gpus"] == "1" and row["parallel"] == "none" and row["fusion"] == "0":
            # Forward, BERT was measured as a classifier of texts.
            classifier = row["model"] == "bert_large" and row["mode"] == "forward"
            model = "bert_large_classifier" if classifier else row["model"]
            writer.add(model, f"transformers/{model}_{row['seq']}.onnx", row, row["mode"], "", row["total_ms"])
    for model, count in sorted(writer.left_out.items()):
        print(f"left out: {count} runs of {model}, no such network", file=sys.stderr)


if __name__ == "__main__":
    main()

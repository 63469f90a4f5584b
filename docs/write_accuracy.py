#!/usr/bin/env python3
"""Fills the tables of docs/accuracy.md: write_accuracy.py PROGRAM FOLDER [layers|left-out-gpus|runs|methods]...

FOLDER holds data/layers, data/networks and networks (the graphs of the runs).

The part `methods` fills the comparison in docs/methods.md, and is only written when it is asked for.

Each table stands between the lines `<!-- table: NAME -->` and `<!-- end of table -->`, and is replaced.
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

DOCUMENT = pathlib.Path(__file__).with_name("accuracy.md")
METHODS = pathlib.Path(__file__).with_name("methods.md")

# RMSE in ms of Justus et al., "Predicting the Computational Cost of Deep Learning Models", 2018, convolutions.
PAPER_RMSE_MS = {
    "v100-sxm2": 1.73,
    "p100-pcie": 3.32,
    "m60": 6.07,
    "k80": 7.84,
    "k40": 11.90,
    "gtx1080ti": 2.55,
}

FILES = [
    "justus_conv",
    "justus_dense",
    "neusight_conv",
    "neusight_gemm",
    "neusight_rowwise",
    "neusight_elementwise",
    "deepbench_gemm",
    "deepbench_conv",
    "deepbench_rnn",
]


def percent(share):
    return "" if share is None else f"{100 * share:.1f}"


def milliseconds(value):
    return f"{value:.3g}"


def table(header, rows):
    widths = [max(len(str(line[i])) for line in [header, *rows]) for i in range(len(header))]

    def line(cells):
        texts = [str(c).ljust(w) if i == 0 else str(c).rjust(w) for i, (c, w) in enumerate(zip(cells, widths))]
        return "| " + " | ".join(texts) + " |"

    rule = "|" + "|".join(("-" * (w + 2)) if i == 0 else ("-" * (w + 1) + ":") for i, w in enumerate(widths)) + "|"
    return "\n".join([line(header), rule, *map(line, rows)])


class Layers:
    """Runs the program on files of measured layers."""

    def __init__(self, program, folder):
        self.program = program
        self.folder = pathlib.Path(folder)

    def evaluate(self, name, *options):
        command = [self.program, "evaluate", str(self.folder / f"{name}.csv.gz"), *options, "--json", "-"]
        return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)

    def held_out_tables(self):
        results = {name: self.evaluate(name, "--held-out") for name in FILES}
        rows = []
        for name, result in results.items():
            errors = result["overall"]
            rows.append([
                name, f"{errors['n']:,}", percent(errors["mape"]), percent(errors["median_ape"]),
                percent(errors["coverage90"]), percent(errors["linear"]["mape"]), percent(errors["roofline"]["mape"])
            ])
        yield "files", table(["file", "rows", "error %", "median %", "inside 90 %", "linear %", "roofline %"], rows)

        rows = []
        for group in results["justus_conv"]["gpus"]:
            paper = PAPER_RMSE_MS[group["gpu"]]
            rows.append([
                group["gpu"], f"{group['n']:,}", percent(group["mape"]), milliseconds(group["rmse_ms"]), paper,
                f"{group['rmse_ms'] / paper:.2f}", percent(group["coverage90"])
            ])
        yield "convolutions", table(["GPU", "rows", "error %", "RMSE ms", "paper's RMSE ms", "ratio", "inside 90 %"], rows)

        rows = [[
            group["gpu"], f"{group['n']:,}", percent(group["mape"]), percent(group["median_ape"]),
            milliseconds(group["rmse_ms"]), percent(group["coverage90"])
        ] for group in results["justus_dense"]["gpus"]]
        yield "dense", table(["GPU", "rows", "error %", "median %", "RMSE ms", "inside 90 %"], rows)

    def operator_table(self):
        rows = []
        for group in self.evaluate("neusight_network_ops")["kinds"]:
            rows.append([
                group["kind"], f"{group['n']:,}", percent(group["mape"]), percent(group["median_ape"]),
                percent(group["estimated"]), percent(group["coverage90"])
            ])
        yield "operators", table(["kind", "rows", "error %", "median %", "estimated %", "inside 90 %"], rows)

    def left_out_table(self):
        result = self.evaluate("justus_conv", "--leave-one-gpu-out", "--calibration-rows", "20")
        rows = [[
            group["gpu"], f"{group['n']:,}", percent(group["mape"]), percent(group["coverage90"]),
            percent(group["calibrated"]["mape"]), percent(group["calibrated"]["coverage90"])
        ] for group in result["groups"]]
        median = result["median_over_gpus"]["conv"]
        rows.append(["median", "", percent(median["mape"]), "", percent(median["calibrated_mape"]), ""])
        yield "left-out-gpus", table(
            ["GPU left out", "rows", "error %", "inside 90 %", "after 20 rows %", "inside 90 %"], rows)


class Runs:
    """Trains run models without a part of the measured runs, in turn, and asks them about it."""

    # Layers that stand beside the runs, as in trainers/train_shipped_runs.sh.
    LAYERS = ["justus_conv", "justus_dense", "neusight_conv", "neusight_gemm", "neusight_rowwise",
              "neusight_elementwise", "deepbench_conv", "deepbench_gemm"]

    def __init__(self, program, folder):
        self.program = program
        self.folder = pathlib.Path(folder)

    def left_out(self, what, runs, operators):
        layers = [str(self.folder / "data/layers" / f"{name}.csv.gz") for name in self.LAYERS]
        folds = [] if what == "gpu" else ["--folds", "13"]
        command = [self.program, "train", *layers, operators, "--runs", runs, *folds, "--leave-out", what, "--json", "-"]
        return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)

    def tables(self):
        with tempfile.TemporaryDirectory() as work:
            runs, operators = (str(pathlib.Path(work) / name) for name in ["runs.csv", "operators.csv"])
            script = DOCUMENT.parent.parent / "trainers/published_runs.py"
            subprocess.run([script, self.folder / "data", self.folder / "networks", runs, operators], check=True)
            results = {what: self.left_out(what, runs, operators) for what in ["network", "family", "gpu"]}
        yield "left-out-runs", run_table(results, "stack ")
        yield "left-out-families", run_table(results, "family ")
        yield "left-out-devices", run_table(results, "gpu ")


class Methods:
    """All methods on the same runs, TensorFlow 2.5, each with what it is asked about left out."""

    def __init__(self, program, folder):
        self.program = program
        self.folder = pathlib.Path(folder)

    def json_of(self, *arguments):
        return json.loads(subprocess.run([self.program, *arguments, "--json", "-"], check=True,
                                         stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout)

    def write_runs(self, work):
        every, chosen = work / "runs.csv", work / "tf25_runs.csv"
        script = DOCUMENT.parent.parent / "trainers/published_runs.py"
        subprocess.run([sys.executable, script, self.folder / "data", self.folder / "networks", every], check=True)
        header, *lines = every.read_text().splitlines()
        chosen.write_text("\n".join([header, *(line for line in lines if ",tf2.5," in line)]) + "\n")
        return str(chosen)

    def regressions(self, runs):
        for what, options in [("a fifth of the configurations", ["--held-out"]),
                              ("each network", ["--leave-one-network-out"]),
                              ("the largest batches", ["--extrapolate", "batch"]),
                              ("the deepest networks", ["--extrapolate", "depth"]),
                              ("each GPU", ["--extrapolate", "gpu"])]:
            yield what, self.json_of("regression", "evaluate", runs, *options)["overall"]

    def hybrids(self, runs):
        store = str(self.folder / "data/layers/deepbench_conv.csv.gz")
        for what, option in [("each network", "--leave-one-network-out"), ("each batch size", "--leave-batches-out")]:
            yield what, self.json_of("hybrid", "evaluate", runs, "--store", store, option)["overall"]

    def tables(self):
        shipped = {method["method"]: method for method in self.json_of("methods")["methods"]}
        profiles = str(self.folder / "data/profiles/profet_ops.csv.gz")
        transfer = self.json_of("transfer", "evaluate", profiles, "--leave-one-network-out")["overall"]
        rows = [["layerwise", "each network", percent(shipped["layerwise"]["stacks"]["tf2.5"]), ""],
                ["transfer", "each network", percent(transfer["mape"]), percent(transfer["median_ape"])],
                ["anchor's time scaled", "each network", percent(transfer["scaled_anchor"]["mape"]),
                 percent(transfer["scaled_anchor"]["median_ape"])]]
        with tempfile.TemporaryDirectory() as folder:
            runs = self.write_runs(pathlib.Path(folder))
            for what, errors in self.regressions(runs):
                rows.append(["regression", what, percent(errors["mape"]), percent(errors["median_ape"])])
                if what == "each network":
                    plain = errors
            for what, errors in self.hybrids(runs):
                rows.append(["hybrid", what, percent(errors["mape"]), percent(errors["median_ape"])])
        for name in ["paleo", "roofline"]:
            rows.append([name, "each network", percent(plain[name]["mape"]), percent(plain[name]["median_ape"])])
        yield "methods", table(["method", "left out", "error %", "median %"], rows)


def run_table(results, kind):
    """Errors of groups of this kind; `results`: by what was left out, the JSON of `layersim train --leave-out`."""
    errors = {what: {group["group"]: group for group in result["groups"]} for what, result in results.items()}
    groups = [name for name in next(iter(errors.values())) if name == "all" or name.startswith(kind)]
    rows = [[name.removeprefix(kind), next(iter(errors.values()))[name]["n"]] +
            [percent(of_what[name][key]) for of_what in errors.values() for key in ("mape", "median_ape")]
            for name in groups]
    header = ["runs of", "runs"] + [text for what in errors for text in (f"{what} out: error %", "median %")]
    return table(header, rows)


def replace(document, name, new):
    text = document.read_text()
    begin = f"<!-- table: {name} -->\n"
    pattern = re.compile(re.escape(begin) + r".*?<!-- end of table -->", re.DOTALL)
    if len(pattern.findall(text)) != 1:
        sys.exit(f"{document}: has no table '{name}', or two")
    return pattern.sub(lambda _: begin + new + "\n<!-- end of table -->", text)


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    layers = Layers(sys.argv[1], pathlib.Path(sys.argv[2]) / "data/layers")
    parts = {
        "layers": [layers.held_out_tables, layers.operator_table],
        "left-out-gpus": [layers.left_out_table],
        "runs": [Runs(sys.argv[1], sys.argv[2]).tables],
    }
    every = {**parts, "methods": [Methods(sys.argv[1], sys.argv[2]).tables]}
    for part in sys.argv[3:] or parts:
        if part not in every:
            sys.exit(f"write_accuracy.py: there is no part '{part}', but {', '.join(every)}")
        document = METHODS if part == "methods" else DOCUMENT
        for make in every[part]:
            for name, new in make():
                document.write_text(replace(document, name, new))


if __name__ == "__main__":
    main()

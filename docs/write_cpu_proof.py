#!/usr/bin/env python3
"""Writes the table of the proof on a CPU into docs/accuracy.md: write_cpu_proof.py FOLDER, that of bench/cpu_proof.sh."""

import csv
import json
import pathlib
import sys

from write_accuracy import DOCUMENT, percent, replace, table


def mean(numbers):
    return sum(numbers) / len(numbers)


# Networks that were chosen when all else was settled, see bench/cpu_proof.sh.
LAST = {"googlenet", "mnasnet1_0", "regnet_x_400mf"}


def run_rows(runs):
    rows = [[run["network"], run["batch"], run["mode"], f"{run['measured_ms']:.4g}", f"{run['predicted_ms']:.4g}",
             percent(run["ape"])] for run in runs if run["predicted_ms"] is not None]
    for mode in ("forward", "training"):
        errors = [run["ape"] for run in runs if run["mode"] == mode and run["ape"] is not None]
        of_last = [run["ape"] for run in runs
                   if run["mode"] == mode and run["ape"] is not None and run["network"] in LAST]
        rows.append(["all", "", mode, "", "", percent(mean(errors))])
        if of_last:
            rows.append(["the last three", "", mode, "", "", percent(mean(of_last))])
    return rows


def held_out_row(training):
    groups = [network["overall"] for network in training["networks"] if network["overall"]["n"] > 0]
    count = sum(group["n"] for group in groups)
    error = sum(group["n"] * group["mape"] for group in groups) / count
    return ["sampled layers kept out", "", f"{count:,} rows", "", "", percent(error)]


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[1])
    validation = json.loads((folder / "validation.json").read_text())
    training = json.loads((folder / "training.json").read_text())
    device = json.loads((folder / "samples.device.json").read_text())
    with (folder / "runs.csv").open(newline="") as file:
        first = next(csv.DictReader(file))
    about = f"{device['display_name']}, libtorch {first['library']}, {first['date'][:10]}.\n\n"
    rows = run_rows(validation["runs"]) + [held_out_row(training)]
    text = about + table(["network", "batch", "mode", "measured ms", "predicted ms", "error %"], rows)
    DOCUMENT.write_text(replace(DOCUMENT, "cpu-proof", text))


if __name__ == "__main__":
    main()

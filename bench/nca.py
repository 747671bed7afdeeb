#!/usr/bin/env python3
"""Accuracies and times of gersh beside scikit-learn's neighbourhood components analysis (NCA), on the same splits.

For each data set `gersh evaluate --save-splits` writes its splits and evaluates its own rows; the same splits then go
through the Python package's learner (--learner) and through NCA with its default parameters: missing values become means
and features become z-scores, both fitted to the training part, and then the nearest neighbours vote. Where several classes have the most votes, gersh takes that of the nearest row and scikit-learn the first
by name, so that both are shown with either rule. Data sets are CSV files with the label in the last column. Prints a table
in Markdown, with means over the data sets in the last line. Times are of one fit; those of the learner and of NCA are
taken in turn: seconds of the processor on one thread, or with --clock seconds of the clock, both with all cores, as they
are by default. *ratio* is NCA's divided by the learner's. --plot draws, for each data set, the learner's accuracy less
NCA's, and the ratio.

    bench/nca.py --gersh build/gersh --plot nca.svg data/wdbc.csv -- --tuned

What follows -- goes to gersh evaluate. Needs the Python package, numpy and scikit-learn, and matplotlib for --plot.
"""

import argparse
import csv
import json
import os
import subprocess
import sys
import tempfile
import time
import warnings

CLOCK = "--clock" in sys.argv
# To be set before numpy is loaded.
for name in () if CLOCK else ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.impute import SimpleImputer
from sklearn.neighbors import KNeighborsClassifier, NeighborhoodComponentsAnalysis
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import gersh
from tables import read_data

NEIGHBORS = 10  # that vote, as gersh has it unless told otherwise; settings that are given are not tuned


def read_splits(path, rows):
    """Row numbers from 0 of the training and the test part of each split."""
    splits = {}
    with open(path, newline="") as file:
        for line in csv.DictReader(file):
            parts = splits.setdefault(int(line["split"]), {"train": [], "test": []})
            parts[line["part"]].append(int(line["row"]) - 1)
    for number, parts in splits.items():
        if sorted(parts["train"] + parts["test"]) != list(range(rows)):
            sys.exit(f"nca.py: {path}: split {number} does not have each of the {rows} rows once")
    return [(parts["train"], parts["test"]) for _, parts in sorted(splits.items())]


def run_gersh(program, path, splits, options):
    """The document of gersh evaluate, which writes its splits to the file `splits`."""
    command = [program, "evaluate", path, "--json", "--threads", "1", "--missing", "mean",
               "--save-splits", splits, *options]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"nca.py: {' '.join(command)}: {done.stderr.strip()}")
    result = json.loads(done.stdout)
    if result["task"] != "classify":
        sys.exit(f"nca.py: {path}: the labels are numbers; classes are needed")
    return result


def gersh_rows(result):
    return [(" ".join(filter(None, (row["objective"], row["solver"]))), row["accuracy_mean"], row["seconds_mean"])
            for row in result["rows"]]


def vote(near):
    """The most frequent label; of several, that of the nearest row, as gersh has it."""
    count = {label: list(near).count(label) for label in near}
    return next(label for label in near if count[label] == max(count.values()))


def accuracies(known, asked, train_labels, test_labels):
    """Shares of right labels: with the votes of scikit-learn, and with those of gersh."""
    votes = KNeighborsClassifier(n_neighbors=min(NEIGHBORS, len(known))).fit(known, train_labels)
    near = train_labels[votes.kneighbors(asked, return_distance=False)]
    return votes.score(asked, test_labels), np.mean([vote(row) == label for row, label in zip(near, test_labels)])


def timed_fit(learner, rows, labels):
    now = time.perf_counter if CLOCK else time.process_time
    begin = now()
    learner.fit(rows, labels)
    return now() - begin


def run_python(name, features, labels, splits):
    """Rows of the table: the learner of that name, and NCA with either rule for ties."""
    found = {title: [] for title in (f"gersh.{name}", "the same, votes as sklearn", "sklearn NCA", "NCA, votes as gersh")}
    seconds = {"gersh": [], "NCA": []}
    for train, test in splits:
        scaler = make_pipeline(SimpleImputer(keep_empty_features=True), StandardScaler()).fit(features[train])
        known, asked = scaler.transform(features[train]), scaler.transform(features[test])
        learner, nca = getattr(gersh, name)(n_jobs=None if CLOCK else 1), NeighborhoodComponentsAnalysis(random_state=0)
        seconds["gersh"].append(timed_fit(learner, known, labels[train]))
        seconds["NCA"].append(timed_fit(nca, known, labels[train]))
        votes = [accuracies(space(known), space(asked), labels[train], labels[test])
                 for space in (learner.transform, nca.transform)]
        for values, value in zip(found.values(), (votes[0][1], votes[0][0], *votes[1])):
            values.append(value)
    taken = [np.mean(seconds[who]) for who in ("gersh", "gersh", "NCA", "NCA")]
    return [(title, float(np.mean(values)), float(s)) for (title, values), s in zip(found.items(), taken)]


def time_ratio(rows):
    """The time of NCA divided by that of the learner of the Python package."""
    seconds = {name: s for name, _, s in rows}
    return seconds["sklearn NCA"] / next(s for name, s in seconds.items() if name.startswith("gersh."))


def draw_plot(path, table):
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    matplotlib.rcParams["svg.hashsalt"] = "gersh"
    accuracy = {name: {row: a for row, a, _ in rows} for name, rows in table}
    first = next(name for name, _, _ in table[0][1] if name.startswith("gersh."))
    names = [name for name, _ in table][::-1]
    gain = [100 * (accuracy[name][first] - accuracy[name]["NCA, votes as gersh"]) for name in names]
    ratios = [time_ratio(dict(table)[name]) for name in names]
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 0.32 * len(names) + 1.4), sharey=True)
    left.barh(names, gain, color=["tab:blue" if value >= 0 else "tab:red" for value in gain])
    left.axvline(0, color="black", linewidth=0.8)
    left.set_xlabel(f"accuracy of {first} less NCA's, percentage points")
    right.barh(names, np.subtract(ratios, 1), left=1, color=["tab:blue" if ratio >= 1 else "tab:red" for ratio in ratios])
    right.axvline(1, color="black", linewidth=0.8)
    right.set_xscale("log")
    right.set_xlabel(f"time of NCA / time of {first}, one fit, {'all cores' if CLOCK else 'one thread'}")
    for axis in (left, right):
        axis.spines[["top", "right"]].set_visible(False)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})


def cell(value, form):
    return form.format(value) if value is not None else "-"


def print_table(names, table):
    """A line for each data set, with accuracy in percent and seconds for each method, and their means."""
    print("| data | " + " | ".join(f"{name} % | s" for name in names) + " | ratio |")
    print("|---|" + "---:|" * (2 * len(names) + 1))
    for data, rows in table:
        print(f"| {data} | " + " | ".join(
            cell(None if a is None else 100 * a, "{:.2f}") + " | " + cell(s, "{:.3g}") for _, a, s in rows)
            + f" | {time_ratio(rows):.1f} |")
    means = []
    for column in range(len(names)):
        values = [rows[column][1:] for _, rows in table]
        missing = any(a is None for a, _ in values)
        means.append("- | -" if missing else f"{100 * np.mean([a for a, _ in values]):.2f} | "
                                             f"{np.mean([s for _, s in values]):.3g}")
    ratios = [time_ratio(rows) for _, rows in table]
    print(f"| mean of {len(table)} (of the ratios the median) | " + " | ".join(means) + f" | {np.median(ratios):.1f} |")


def main():
    arguments, options = sys.argv[1:], []
    if "--" in arguments:
        at = arguments.index("--")
        arguments, options = arguments[:at], arguments[at + 1:]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", nargs="+", help="CSV files, the label in the last column")
    parser.add_argument("--gersh", default="gersh", help="the program (default: gersh)")
    parser.add_argument("--learner", default="MetricLearner", help="class of the Python package (default: MetricLearner)")
    parser.add_argument("--clock", action="store_true", help="seconds of the clock, with all cores")
    parser.add_argument("--plot", metavar="FILE", help="an SVG file to draw the comparison into")
    given = parser.parse_args(arguments)
    warnings.simplefilter("ignore", ConvergenceWarning)
    table = []
    for path in given.data:
        features, labels = read_data(path)
        with tempfile.TemporaryDirectory() as folder:
            saved = os.path.join(folder, "splits.csv")
            result = run_gersh(given.gersh, path, saved, options)
            splits = read_splits(saved, len(labels))
        if (result["n"], result["features"]) != features.shape:
            sys.exit(f"nca.py: {path}: gersh has {result['n']} rows and {result['features']} features, scikit-learn "
                     f"{features.shape[0]} and {features.shape[1]}; leave out options that change them")
        rows = gersh_rows(result) + run_python(given.learner, features, labels, splits)
        table.append((os.path.splitext(os.path.basename(path))[0], rows))
        print(f"{path}: done", file=sys.stderr)
    print_table([name for name, _, _ in table[0][1]], table)
    if given.plot:
        draw_plot(given.plot, table)


if __name__ == "__main__":
    main()

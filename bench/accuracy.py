#!/usr/bin/env python3
"""Accuracy and time of the default learner beside the Euclidean metric and scikit-learn's NCA, on the same splits.

    GERSH_DATA=DIR bench/accuracy.py                                 all data sets
    GERSH_DATA=DIR bench/accuracy.py iris wine --no-nca --set objective=lmnn --set objective=mcml,solver=psd
    bench/accuracy.py --tables some.txt others.txt

For each stratified 90/10 split (the shares of gersh evaluate), missing values become means and features become z-scores,
both fitted to the training part. The same classifier, scikit-learn's KNeighborsClassifier with 10 neighbours, then predicts
the test part from these features as they are (Euclid), transformed by gersh.MetricLearner() as installed, and transformed
by NeighborhoodComponentsAnalysis(random_state=0). Each --set adds a learner with other settings.

Prints a table in Markdown: accuracies in percent, means over the splits, and the seconds of one fit, which are processor
time on one thread, or with --clock seconds of the clock with all cores. *ratio* is NCA's seconds divided by gersh's. The
last line has means over the data sets, and the median of the ratios. Below it are the data sets where gersh is below NCA,
and the mean of paired differences with its standard error over the data sets. With --tables, the data sets are those of
tables that were printed before, with the same learners. Needs the Python package, numpy and
scikit-learn, and matplotlib for --plot.
"""

import argparse
import os
import sys
import time
import warnings

CLOCK = "--clock" in sys.argv
# To be set before numpy is loaded.
for name in () if CLOCK else ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.neighbors import NeighborhoodComponentsAnalysis

import gersh
from tables import accuracy, add_data_options, fail, over_splits, read_data_sets, read_settings, split, standard_error

EUCLID, GERSH, NCA = "Euclid", "gersh", "NCA"


def new_learner(settings):
    if settings == NCA:
        return NeighborhoodComponentsAnalysis(random_state=0)
    return gersh.MetricLearner(**{"n_jobs": None if CLOCK else 1, **settings})


def measure(X, y, seed, learners):
    """Accuracy and seconds of a fit, of the Euclidean metric and of each learner, on one split."""
    warnings.simplefilter("ignore", ConvergenceWarning)
    now = time.perf_counter if CLOCK else time.process_time
    train, train_labels, test, test_labels = split(X, y, seed)
    found = [(accuracy(train, train_labels, test, test_labels), 0)]
    for settings in learners:
        learner = new_learner(settings)
        begin = now()
        learner.fit(train, train_labels)
        seconds = now() - begin
        found.append((accuracy(learner.transform(train), train_labels, learner.transform(test), test_labels), seconds))
    return found


def draw_plot(path, names, gain, ratios):
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    matplotlib.rcParams["svg.hashsalt"] = "gersh"
    names, gain, ratios = names[::-1], gain[::-1], ratios[::-1]
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 0.32 * len(names) + 1.4), sharey=True)
    left.barh(names, gain, color=["tab:blue" if value >= 0 else "tab:red" for value in gain])
    left.axvline(0, color="black", linewidth=0.8)
    left.set_xlabel("accuracy of gersh less that of NCA, percentage points")
    right.barh(names, np.subtract(ratios, 1), left=1, color=["tab:blue" if ratio >= 1 else "tab:red" for ratio in ratios])
    right.axvline(1, color="black", linewidth=0.8)
    right.set_xscale("log")
    right.set_xlabel(f"time of NCA / time of gersh, one fit, {'all cores' if CLOCK else 'one thread'}")
    for axis in (left, right):
        axis.spines[["top", "right"]].set_visible(False)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})


def cells(right, seconds, with_nca):
    """The columns of a line from the accuracies and seconds of Euclid, gersh, others and NCA."""
    row = [f"{value:.2f}" for value in right]
    if with_nca:
        row.append(f"{right[1] - right[-1]:+.2f}")
    return row + [f"{value:.3g}" for value in seconds[1:]]


def measured(given, learners):
    """Of each data set the name and the sizes, as text, the accuracies and the seconds."""
    for name, X, y, splits in over_splits(measure, read_data_sets(given), given, learners):
        right, seconds = np.mean(splits, axis=0).T
        yield [name, *map(str, (*X.shape, len(np.unique(y))))], 100 * right, seconds


def read_tables(paths, head):
    """The same from the tables that earlier runs printed."""
    for path in paths:
        with open(path) as file:
            rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in file if line.startswith("|")]
        if not rows or rows[0] != head:
            fail(f"{path}: expected a table with the columns {', '.join(head)}")
        for row in rows[2:]:
            if not row[0].startswith("mean of "):
                percent, spent = ([float(cell) for cell, title in zip(row, head) if title.endswith(unit)] for unit in (" %", " s"))
                yield row[:4], np.array(percent), np.array([0, *spent])


def print_summary(names, titles, right):
    """Paired differences over the data sets, of gersh and the others to Euclid, gersh and NCA."""
    print()
    if NCA in titles:
        below = [name for name, row in zip(names, right) if row[1] < row[-1]]
        print(f"{GERSH} is below {NCA} on {len(below)} of {len(names)}: {', '.join(below) or 'none'}.\n")
    pairs = [(a, b) for b in (EUCLID, GERSH, NCA) for a in titles if a not in (EUCLID, NCA) and a != b and b in titles]
    for a, b in pairs:
        less = right[:, titles.index(a)] - right[:, titles.index(b)]
        print(f"- {a} less {b}: {less.mean():+.2f} points, standard error {standard_error(less):.2f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_data_options(parser, cap=4000, most_features=199, seed=0)
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE,...", dest="others",
                        help="one more learner: gersh.MetricLearner with these settings; may be repeated")
    parser.add_argument("--no-nca", action="store_true", help="leave out NCA, which takes most of the time")
    parser.add_argument("--clock", action="store_true", help="seconds of the clock, with all cores; with --jobs 1 only")
    parser.add_argument("--tables", nargs="+", metavar="FILE",
                        help="measure nothing: one table and summary of those that earlier runs printed to these files")
    parser.add_argument("--plot", metavar="FILE", help="an SVG file to draw the comparison with NCA into")
    given = parser.parse_args()
    if given.clock and given.jobs > 1:
        fail("--clock measures one fit at a time; use it without --jobs")
    if given.plot and given.no_nca:
        fail("--plot compares with NCA; use it without --no-nca")
    try:
        learners = [{}, *map(read_settings, given.others)]
        for settings in learners:
            new_learner(settings)
    except (ValueError, TypeError) as error:
        fail(f"--set: expected NAME=VALUE,... with parameters of gersh.MetricLearner: {error}")
    titles = [EUCLID, GERSH, *given.others]
    if not given.no_nca:
        learners.append(NCA)
        titles.append(NCA)

    nca = not given.no_nca
    head = ["data", "samples", "features", "classes", *(f"{title} %" for title in titles),
            *([f"{GERSH} − {NCA}"] if nca else []), *(f"{title} s" for title in titles[1:]), *(["ratio"] if nca else [])]
    if given.tables:
        found = read_tables(given.tables, head)
    else:
        found = measured(given, learners)
        print(f"Splits of the seeds {given.seed} to {given.seed + given.splits - 1}; at most {given.cap} samples; seconds are "
              f"{'of the clock, all cores' if CLOCK else 'processor time, one thread'}.\n")
    print("| " + " | ".join(head) + " |")
    print("|---|" + "---:|" * (len(head) - 1), flush=True)
    names, right, seconds = [], [], []
    for about, *numbers in found:
        names.append(about[0])
        right.append(numbers[0])
        seconds.append(numbers[1])
        row = [*about, *cells(*numbers, nca), *([f"{seconds[-1][-1] / seconds[-1][1]:.1f}"] if nca else [])]
        print("| " + " | ".join(row) + " |", flush=True)
    right, seconds = np.array(right), np.array(seconds)
    ratios = seconds[:, -1] / seconds[:, 1]
    row = [f"mean of {len(names)}" + (", median of the ratios" if nca else ""), "", "", "",
           *cells(right.mean(axis=0), seconds.mean(axis=0), nca), *([f"{np.median(ratios):.1f}"] if nca else [])]
    print("| " + " | ".join(row) + " |")
    print_summary(names, titles, right)
    if given.plot:
        draw_plot(given.plot, names, right[:, 1] - right[:, -1], ratios)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Accuracy by the largest trace C of the metric: what a rule for --trace auto can be chosen from.

    GERSH_DATA=DIR bench/trace.py --objective mcml

The rule of a column is m: C is such that the mean squared distance of two training samples under C/K times the identity
is m (with z-scores, C is m/2). The column auto is --trace auto as installed. Accuracy is that of 10 nearest
neighbours (scikit-learn's KNeighborsClassifier) on the transformed test part of stratified 90/10 splits, with missing
values replaced by means and features as z-scores, both fitted to the training part. The splits have seeds of their own
(--seed), so that those of accuracy.py are not the ones that a rule is chosen on.

Prints a table in Markdown: a line for each data set, then for each column the mean, the mean difference to the best
column and its standard error over the data sets, the largest loss on one data set against the best column, how often the
trace is binding (tr M is at least 0.999 C), and the median seconds of a fit (processor time, one thread). Needs the
Python package, numpy and scikit-learn.
"""

import argparse
import os
import time
import warnings

# To be set before numpy is loaded.
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

import numpy as np
from sklearn.exceptions import ConvergenceWarning

import gersh
from tables import accuracy, add_data_options, over_splits, read_data_sets, split, standard_error

BINDING = 0.999  # of C


def trace_of(rule, X):
    """C, such that the mean squared distance under C/K times the identity is `rule`; constant features add nothing."""
    return rule if rule == "auto" else rule / 2 * X.shape[1] / np.count_nonzero(X.std(axis=0) > 1e-9)


def measure(X, y, seed, rules, settings):
    """Accuracy, whether the trace is binding, and seconds, for each rule on one split."""
    warnings.simplefilter("ignore", ConvergenceWarning)
    train, train_labels, test, test_labels = split(X, y, seed)
    found = []
    for rule in rules:
        learner = gersh.MetricLearner(trace=trace_of(rule, train), n_jobs=1, **settings)
        begin = time.process_time()
        learner.fit(train, train_labels)
        seconds = time.process_time() - begin
        right = accuracy(learner.transform(train), train_labels, learner.transform(test), test_labels)
        found.append((right, np.trace(learner.matrix_) >= BINDING * learner._model.info.budget, seconds))
    return found


def rule_of(text):
    return text if text == "auto" else float(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_data_options(parser, cap=1000, most_features=99, seed=100)
    parser.add_argument("--objective", default="mcml", help="objective of gersh fit (default: %(default)s)")
    parser.add_argument("--solver", default="balanced", help="solver of gersh fit (default: %(default)s)")
    parser.add_argument("--tol", type=float, default=1e-3, help="tolerance of gersh fit (default: %(default)s)")
    parser.add_argument("--rules", metavar="LIST", default="1,2,6,20,60,200,600,auto",
                        help="mean squared distances m, or auto, separated by commas (default: %(default)s)")
    given = parser.parse_args()
    rules = [rule_of(text) for text in given.rules.split(",")]
    settings = {"objective": given.objective, "solver": given.solver, "tol": given.tol}
    sets = read_data_sets(given)
    print(f"Objective {given.objective}, solver {given.solver}, tol {given.tol:g}; splits of the seeds {given.seed} to "
          f"{given.seed + given.splits - 1}; at most {given.cap} samples. Accuracy in percent.\n")
    print("| data | samples | features | classes | " + " | ".join(
        "auto" if rule == "auto" else f"m = {rule:g}" for rule in rules) + " |")
    print("|---|---:|---:|---:|" + "---:|" * len(rules), flush=True)
    found = []  # by data set, split and rule
    for name, X, y, splits in over_splits(measure, sets, given, rules, settings):
        found.append(splits)
        right = 100 * np.mean(splits, axis=0)[:, 0]
        print(f"| {name} | {X.shape[0]} | {X.shape[1]} | {len(np.unique(y))} | "
              + " | ".join(f"{value:.2f}" for value in right) + " |", flush=True)
    found = np.array(found, dtype=float)
    right = 100 * found[..., 0].mean(axis=1)  # by data set and rule
    best = right.mean(axis=0).argmax()
    less = right - right[:, [best]]

    def line(title, values, form):
        print(f"| {title} | | | | " + " | ".join(form.format(value) for value in values) + " |")

    line(f"mean of {len(found)}", right.mean(axis=0), "{:.2f}")
    line("less the best column", less.mean(axis=0), "{:+.2f}")
    line("its standard error", [standard_error(column) for column in less.T], "{:.2f}")
    line("largest loss", np.abs(less.min(axis=0)), "{:.2f}")
    line("trace binding, % of fits", 100 * found[..., 1].mean(axis=(0, 1)), "{:.0f}")
    line("median seconds of a fit", np.median(found[..., 2], axis=(0, 1)), "{:.3f}")


if __name__ == "__main__":
    main()

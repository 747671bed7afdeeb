"""Data sets as CSV files, their splits and preprocessing, for the benchmarks in Python."""

import ast
import csv
import glob
import os
import sys
from concurrent.futures import ProcessPoolExecutor

import numpy as np
from sklearn.impute import SimpleImputer
from sklearn.model_selection import StratifiedShuffleSplit, train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

NEIGHBORS, TEST_SHARE = 10, 0.1  # the defaults of gersh evaluate


def fail(message):
    sys.exit(f"{os.path.basename(sys.argv[0])}: {message}")


def number(text):
    return float("nan") if text.strip() in ("", "?", "NA") else float(text)


def read_data(path):
    """Features, with NaN for missing values, and labels; a first line that is not of numbers is a header."""
    with open(path, newline="") as file:
        rows = [row for row in csv.reader(file) if row]
    try:
        [number(value) for value in rows[0][:-1]]
    except ValueError:
        rows = rows[1:]
    try:
        features = np.array([[number(value) for value in row[:-1]] for row in rows])
    except ValueError as error:
        fail(f"{path}: {error}; only files with numbers in all features can be compared")
    return features, np.array([row[-1] for row in rows])


def read_settings(text):
    """The parameters of a learner, from NAME=VALUE,NAME=VALUE,..."""
    settings = {}
    for part in text.split(","):
        name, equals, value = part.partition("=")
        if not name or not equals:
            raise ValueError(text)
        try:
            settings[name] = ast.literal_eval(value)
        except (SyntaxError, ValueError):
            settings[name] = value
    return settings


def add_data_options(parser, cap, most_features, seed):
    """The arguments that choose data sets and splits."""
    parser.add_argument("names", nargs="*", metavar="NAME",
                        help="data sets by the names of their files, without .csv (default: all)")
    parser.add_argument("--data", metavar="DIR", default=os.environ.get("GERSH_DATA"),
                        help="folder of the data sets: CSV files with the label in the last column, also in DIR/more "
                             "(default: $GERSH_DATA)")
    parser.add_argument("--features", type=int, default=most_features, metavar="K",
                        help="leave out data sets of more than K features, unless named (default: %(default)s)")
    parser.add_argument("--cap", type=int, default=cap, metavar="N",
                        help="of a data set with more samples, take a stratified random subset of N (default: %(default)s)")
    parser.add_argument("--splits", type=int, default=10, metavar="N", help="number of splits (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=seed, help="seed of the first split; split s has --seed + s "
                                                               "(default: %(default)s)")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="number of processes (default: %(default)s)")


def read_data_sets(given):
    """The data sets that the arguments choose: a list of (name, features, labels)."""
    if not given.data:
        fail("no folder of data sets; set GERSH_DATA or use --data DIR")
    paths = [path for folder in (given.data, os.path.join(given.data, "more"))
             for path in sorted(glob.glob(os.path.join(folder, "*.csv")))]
    found = {os.path.splitext(os.path.basename(path))[0]: path for path in paths}
    unknown = [name for name in given.names if name not in found]
    if unknown or not found:
        fail(f"no {unknown[0] + '.csv' if unknown else 'CSV files'} in {given.data} or its folder more")
    sets = []
    for name in given.names or found:
        X, y = read_data(found[name])
        if not given.names and X.shape[1] > given.features:
            continue
        if len(y) > given.cap:
            X, _, y, _ = train_test_split(X, y, train_size=given.cap, stratify=y, random_state=0)
        sets.append((name, X, y))
    return sets


def split(X, y, seed):
    """The training and the test part of the stratified split of that seed: scaled features and labels of each.

    Missing values become means and features become z-scores, both fitted to the training part.
    """
    cut = StratifiedShuffleSplit(n_splits=1, test_size=TEST_SHARE, random_state=seed)
    train, test = next(cut.split(X, y))
    scaler = make_pipeline(SimpleImputer(keep_empty_features=True), StandardScaler()).fit(X[train])
    return scaler.transform(X[train]), y[train], scaler.transform(X[test]), y[test]


def accuracy(train, train_labels, test, test_labels):
    """The share of the test samples that their nearest training samples classify correctly."""
    neighbors = KNeighborsClassifier(n_neighbors=min(NEIGHBORS, len(train)))
    return neighbors.fit(train, train_labels).score(test, test_labels)


def over_splits(measure, sets, given, *more):
    """For each data set, its name, features and labels, and measure(X, y, seed, *more) of each split."""
    with ProcessPoolExecutor(given.jobs) as pool:
        done = [[pool.submit(measure, X, y, given.seed + s, *more) for s in range(given.splits)] for _, X, y in sets]
        for (name, X, y), splits in zip(sets, done):
            found = [one.result() for one in splits]
            print(f"{name}: done", file=sys.stderr)
            yield name, X, y, found


def standard_error(values):
    return np.std(values, ddof=1) / np.sqrt(len(values)) if len(values) > 1 else float("nan")

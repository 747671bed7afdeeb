#!/usr/bin/env python3
"""The time of a search by gersh.tune beside that of one fit of scikit-learn's NCA, on the same rows, in turn.

    bench/tune.py DATA.csv ...

Both are free to use all cores; seconds are of the clock, medians of three turns. The search chooses scaling, objective,
solver, trace, number of neighbours and their votes; NCA has its default parameters, and gets z-scores. Rows are the
training part of a stratified split, four in five. Data sets are CSV files with the label in the last column.
"""

import argparse
import os
import time
import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.impute import SimpleImputer
from sklearn.model_selection import train_test_split
from sklearn.neighbors import NeighborhoodComponentsAnalysis
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import gersh
from tables import read_data

TURNS = 3


def seconds_of(function, *arguments):
    begin = time.perf_counter()
    function(*arguments)
    return time.perf_counter() - begin


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", nargs="+", help="CSV files, the label in the last column")
    given = parser.parse_args()
    warnings.simplefilter("ignore", ConvergenceWarning)
    ratios = []
    print("| data | rows | features | tune, s | NCA, s | ratio |")
    print("|---|---:|---:|---:|---:|---:|")
    for path in given.data:
        X, y = read_data(path)
        X, _, y, _ = train_test_split(X, y, test_size=0.2, random_state=0, stratify=y)
        X = make_pipeline(SimpleImputer(keep_empty_features=True), StandardScaler()).fit_transform(X)
        turns = [(seconds_of(gersh.tune, X, y), seconds_of(NeighborhoodComponentsAnalysis(random_state=0).fit, X, y))
                 for _ in range(TURNS)]
        tuned, nca = np.median(turns, axis=0)
        ratios.append(tuned / nca)
        name = os.path.splitext(os.path.basename(path))[0]
        print(f"| {name} | {X.shape[0]} | {X.shape[1]} | {tuned:.3g} | {nca:.3g} | {tuned / nca:.1f} |", flush=True)
    print(f"| median | | | | | {np.median(ratios):.1f} |")


if __name__ == "__main__":
    main()

"""Data sets as CSV files, for the benchmarks in Python."""

import csv
import os
import sys

import numpy as np


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
        sys.exit(f"{os.path.basename(sys.argv[0])}: {path}: {error}; only files with numbers in all features can be compared")
    return features, np.array([row[-1] for row in rows])

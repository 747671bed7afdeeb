#!/usr/bin/env python3
"""What a fit costs more through Python than through C, on the same rows, in turn.

    bench/python_overhead.py --program build/bench/bench_python_overhead DATA.csv ...

Both sides begin with rows and labels in memory, on one thread: settings, data set, fit, and freeing all of that in C;
`learner.fit(X, y)` in Python, which checks X and y, and frees what the fit before had left. Times are of the clock: to
ask for the processor's takes tens of microseconds on some machines. Fits of one side and of the other take turns, so that
a busy machine slows both, and what is shown is the time that one fit in ten does not exceed. Data sets are CSV files with
the label in the last column. The last column says whether the extra is at most 3 % or 200 microseconds.
"""

import argparse
import os
import subprocess
import sys
import time

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

import numpy as np

import gersh
from tables import read_data

TURNS, FITS = 40, 5  # of each side
QUANTILE = 0.1
CASES = [("glr", "balanced"), ("mcml", "psd")]


def fits_in_c(child, count):
    child.stdin.write(f"{count}\n")
    child.stdin.flush()
    lines = [child.stdout.readline().split() for _ in range(count)]
    return [float(seconds) for seconds, _ in lines], float(lines[-1][1])


def fits_in_python(learner, X, y, count):
    seconds = []
    for _ in range(count):
        begin = time.perf_counter()
        learner.fit(X, y)
        seconds.append(time.perf_counter() - begin)
    return seconds, learner.objective_value_


def compare(program, path, objective, solver):
    X, labels = read_data(path)
    y = np.unique(labels, return_inverse=True)[1]
    learner = gersh.MetricLearner(objective, solver, n_jobs=1)
    command = [program, path, objective, solver]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        in_c, in_python = [], []
        for _ in range(TURNS):
            seconds, value = fits_in_c(child, FITS)
            in_c += seconds[1:]  # the first of a turn finds cold caches
            seconds, same = fits_in_python(learner, X, y, FITS)
            in_python += seconds[1:]
        child.stdin.close()
    if not np.isclose(value, same, rtol=1e-9):
        sys.exit(f"python_overhead.py: {path}: C has the value {value}, Python {same}")
    return X.shape, np.quantile(in_c, QUANTILE), np.quantile(in_python, QUANTILE)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", nargs="+", help="CSV files, the label in the last column")
    parser.add_argument("--program", required=True, help="bench_python_overhead")
    given = parser.parse_args()
    print("| data | rows | features | objective, solver | C, µs | Python, µs | extra, µs | extra, % | within |")
    print("|---|---:|---:|---|---:|---:|---:|---:|---|")
    for path in given.data:
        for objective, solver in CASES:
            (rows, features), in_c, in_python = compare(given.program, path, objective, solver)
            extra = in_python - in_c
            within = "yes" if extra <= max(200e-6, 0.03 * in_c) else "NO"
            name = os.path.splitext(os.path.basename(path))[0]
            print(f"| {name} | {rows} | {features} | {objective}, {solver} | {1e6 * in_c:.0f} | {1e6 * in_python:.0f} | "
                  f"{1e6 * extra:.0f} | {100 * extra / in_c:.1f} | {within} |", flush=True)


if __name__ == "__main__":
    main()

"""A thousand fits, and no byte more on the heap: run with a libgersh that has the address sanitizer.

    LD_PRELOAD=libclang_rt.asan-x86_64.so GERSH_LIBRARY=BUILD/libgersh.so python leaks.py

The sanitizer's own count of the bytes in use is exact. A thousand fits of ten kinds fill Python's caches, then come a
thousand more; over these the count may grow by less than the smallest block, 16 bytes, for each fit. Reads and writes
outside of blocks, or of freed ones, end the program.
"""

import ctypes
import gc
import pickle
import sys
import warnings

import numpy as np

import gersh

FITS, SMALLEST_BLOCK = 1000, 16
in_use = ctypes.CDLL(None).__sanitizer_get_current_allocated_bytes
in_use.restype = ctypes.c_size_t


def own_objective(distance, first, second, y):
    terms = (y[first] != y[second]) * np.exp(-distance)
    return terms.sum(), -terms


def fail(now):
    raise LookupError


def fit(i, X, y):
    """One of ten kinds of fits, in turn, and what follows from it."""
    rows = np.arange(len(X) - 3)[:, None] + np.arange(4)
    kind = i % 10
    if kind == 0:
        learner = gersh.MetricLearner().fit(X, y)
        learner.transform(X), learner.graph_, learner.discs_, learner.components_, learner.get_metric()
    elif kind == 1:
        pickle.loads(pickle.dumps(gersh.LMNN(solver="hull").fit(X, y))).transform(X)
    elif kind == 2:
        gersh.MetricLearner(warm_start=True, edges=[(0, 1, "forbidden")]).fit(X, y).fit(X, y)
    elif kind == 3:
        gersh.MetricLearner(max_iter=20).partial_fit(X[:12], y[:12]).partial_fit(X[12:], y[12:])
    elif kind == 4:
        gersh.MetricLearner(objective=own_objective, max_iter=3, callback=lambda now: None).fit(X, y)
    elif kind == 5:
        gersh.MetricLearnerPairs("glr").fit(X[rows[:, :2]], np.where(rows[:, 0] % 2, 1, -1)).predict(X[rows[:, :2]])
    elif kind == 6:
        gersh.MetricLearnerTriplets().fit(X[rows[:, :3]]).score(X[rows[:, :3]])
    elif kind == 7:
        gersh.MCML().fit(X, y.astype(str), sample_weight=1.0 + y).transform(X)
    elif kind == 8:
        gersh.SGML(max_iter=5).fit(X, y)
    else:
        for learner, labels in ((gersh.MetricLearner(callback=fail), y), (gersh.MetricLearner(trace=0.0), y),
                                (gersh.MetricLearner(objective="none"), y), (gersh.LMNN(), X[:, 0])):
            try:
                learner.fit(X, labels)
                sys.exit("leaks: a fit that should fail did not")
            except (LookupError, ValueError):
                pass


def main():
    warnings.simplefilter("ignore")
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(24, 4)), np.arange(24) % 3
    for i in range(FITS):
        fit(i, X, y)
    gc.collect()
    before = in_use()
    for i in range(FITS):
        fit(i, X, y)
    gc.collect()
    growth = in_use() - before
    print(f"leaks: {FITS} fits, {growth} bytes more in use")
    return 0 if growth < FITS * SMALLEST_BLOCK else 1


if __name__ == "__main__":
    sys.exit(main())

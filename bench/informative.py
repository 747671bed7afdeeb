#!/usr/bin/env python3
"""Whether the learner finds the informative features of generated data, where they are known.

    bench/informative.py
    bench/informative.py --set objective=glr --set objective=lmnn,tol=1e-3

36 data sets: for each of 1, 3 and 5 informative features among 6, 20 and 60 there are four, with 200, 500, 1,000 and 2,000
samples in turn. Features are normal with unit variance within classes, and the means of the classes are two standard
deviations apart in each informative feature. Twelve sets are plain: two classes of equal size, all features
independent. Of each of these variations there are six:

    correlated  the noise of features i and j has the correlation 0.5^|i - j|
    unequal     four in five samples are of the first class
    three       three classes of equal size, with the means 0, 2 and 4
    tails       noise of Student's t distribution with 3 degrees of freedom, scaled to unit variance

The order of the class means is random in each informative feature, and so are the places of the informative features. The
seed of a data set is its number in the table. A learner succeeds on a data set if each informative feature is above all
others: by importance (feature_importances_), or by the diagonal of M. Each --set adds a learner to the default one,
gersh.MetricLearner() as installed. *share* is what the informative features have of the sum of all importances; the last
columns are the seconds of a fit (processor time, one thread).

Prints a table in Markdown and a summary. Needs the Python package and numpy.
"""

import argparse
import os
import sys
import time

# To be set before numpy is loaded.
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

import numpy as np

import gersh
from tables import fail, read_settings

INFORMATIVE, FEATURES, SAMPLES = (1, 3, 5), (6, 20, 60), (200, 500, 1000, 2000)
APART, CORRELATION, FREEDOM = 2, 0.5, 3
VARIATIONS = ("correlated", "unequal", "three", "tails")


def cases():
    """All data sets: (kind, samples, informative features, features).

    The nine pairs of counts form a Latin square with the letters 0, 1 and 2. The variations leave out the letters 0, 1, 2
    and 0, and each pair of counts has plain sets for what is missing of four.
    """
    found = []
    for i, informative in enumerate(INFORMATIVE):
        for f, features in enumerate(FEATURES):
            letter = (i + f) % 3
            kinds = [kind for v, kind in enumerate(VARIATIONS) if v % 3 != letter]
            kinds = ["plain"] * (4 - len(kinds)) + kinds
            turn = len(found) // 4
            found += [(kind, SAMPLES[(k + turn) % 4], informative, features) for k, kind in enumerate(kinds)]
    return found


def generate(kind, samples, informative, features, seed):
    """Samples, labels, and the places of the informative features."""
    random = np.random.default_rng(seed)
    shares = {"unequal": (4, 1), "three": (1, 1, 1)}.get(kind, (1, 1))
    y = np.repeat(np.arange(len(shares)), shares)[np.arange(samples) % sum(shares)]
    if kind == "tails":
        X = random.standard_t(FREEDOM, (samples, features)) / np.sqrt(FREEDOM / (FREEDOM - 2))
    else:
        X = random.standard_normal((samples, features))
    if kind == "correlated":
        apart = np.abs(np.subtract.outer(np.arange(features), np.arange(features)))
        X = X @ np.linalg.cholesky(CORRELATION ** apart).T
    places = random.choice(features, informative, replace=False)
    for place in places:
        X[:, place] += APART * random.permutation(len(shares))[y]
    return X, y, places


def mean_scatter(X, pairs):
    """The mean of (x_i - x_j)(x_i - x_j)' over the pairs of samples that the weights say."""
    total = pairs.sum()
    weight = pairs.sum(axis=1)
    return 2 * ((X * weight[:, None]).T @ X - X.T @ (pairs @ X)) / total


def importances(learner, X, y):
    """How much each feature adds to the mean squared distance between classes less that within them."""
    if hasattr(learner, "feature_importances_"):
        return learner.feature_importances_
    X = (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)
    same = np.equal.outer(y, y).astype(float)
    between, within = 1 - same, same - np.eye(len(y))
    return (learner.matrix_ * (mean_scatter(X, between) - mean_scatter(X, within))).sum(axis=1)


def on_top(values, places):
    """Whether the values at these places are all above the others."""
    return bool(values[places].min() > np.delete(values, places).max())


def measure(settings, X, y, places):
    """Whether the learner succeeds by importance and by the diagonal, the share of importance, seconds, the objective."""
    learner = gersh.MetricLearner(**{"n_jobs": 1, **settings})
    begin = time.process_time()
    learner.fit(X, y)
    seconds = time.process_time() - begin
    values = importances(learner, X, y)
    share = values[places].sum() / values.sum()
    return on_top(values, places), on_top(learner.matrix_.diagonal(), places), share, seconds, learner.objective_


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE,...", dest="others",
                        help="one more learner: gersh.MetricLearner with these settings; may be repeated")
    parser.add_argument("--seed", type=int, default=0, help="added to the seeds of all data sets (default: %(default)s)")
    given = parser.parse_args()
    try:
        learners = [{}, *map(read_settings, given.others)]
        for settings in learners:
            gersh.MetricLearner(**settings)
    except (ValueError, TypeError) as error:
        fail(f"--set: expected NAME=VALUE,... with parameters of gersh.MetricLearner: {error}")
    titles = ["default", *given.others]

    columns = [f"{title}: {column}" for title in titles for column in ("importance", "M_ii", "share", "s")]
    print("| seed | kind | samples | informative | of | " + " | ".join(columns) + " |")
    print("|---:|---|---:|---:|---:|" + "---|---|---:|---:|" * len(titles), flush=True)
    found, kinds, objectives = [], [], []
    for seed, (kind, *counts) in enumerate(cases(), given.seed + 1):
        X, y, places = generate(kind, *counts, seed)
        measured = [measure(settings, X, y, places) for settings in learners]
        found.append([one[:-1] for one in measured])
        objectives.append([one[-1] for one in measured])
        kinds.append(kind)
        row = [str(seed), kind, *map(str, counts)]
        for important, diagonal, share, seconds in found[-1]:
            row += ["yes" if important else "no", "yes" if diagonal else "no", f"{share:.3f}", f"{seconds:.3g}"]
        print("| " + " | ".join(row) + " |", flush=True)
        print(f"{seed}: done", file=sys.stderr)
    found, kinds = np.array(found), np.array(kinds)
    print()
    for l, title in enumerate(titles):
        important, diagonal, share, _ = found[:, l].T
        parts = [f"{important[kinds == kind].sum():.0f} of {(kinds == kind).sum()} {kind}"
                 for kind in ("plain", *VARIATIONS)]
        chosen = [row[l] for row in objectives]
        print(f"- {title}: by importance {important.sum():.0f} of {len(found)} ({', '.join(parts)}); by M_ii "
              f"{diagonal.sum():.0f} of {len(found)} ({diagonal[kinds == 'plain'].sum():.0f} of the plain ones); mean share "
              f"{share.mean():.3f}; learned with {', '.join(f'{name} {chosen.count(name)}' for name in sorted(set(chosen)))}")


if __name__ == "__main__":
    main()

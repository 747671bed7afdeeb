#!/usr/bin/env python3
"""What the learner makes of generated classes that lie in several places each, where mcml alone is of no use.

    bench/several.py
    bench/several.py --set objective=mcml --set objective=glr --set objective=lmnn --seed 100

For each kind of data there are six data sets: 200 and 600 samples, with 2, 8 and 20 features of normal noise beside those
that the classes depend on. All classes are equally likely.

    xor        two features, four normal clusters at (±1, ±1), deviation 0.5; the class is the product of the signs
    parity     the same with three features and eight clusters, deviation 0.4
    equal      two features with the values 0, 1 and 2; the class is whether they are equal
    rings      two features, circles of the radii 1 and 2.5 around one centre, deviation 0.25
    shells     the same with spheres in three features
    moons      two features, two half circles that reach into each other, deviation 0.15
    stripes    one feature, uniform; four stripes of alternating classes
    clusters   four features, six normal clusters with random centres, two classes of three each
    one place  three features, two normal classes two deviations apart in each
    nothing    four features, classes at random

The seed of a data set is its number in the table. Accuracies are of 1,000 other samples, by scikit-learn's
KNeighborsClassifier with 10 neighbours, on z-scores (Euclid) and on these transformed. *top* says whether each feature
that the classes depend on is above all others by the diagonal of M. The first learner is gersh.MetricLearner() as
installed, with the objective that it chose; each --set adds one. Seconds are processor time of a fit, one thread.

Prints a table in Markdown, and a summary. Needs the Python package, numpy and scikit-learn.
"""

import argparse
import os
import sys
import time
import warnings

# To be set before numpy is loaded.
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

import numpy as np

import gersh
from tables import accuracy, fail, read_settings

SAMPLES, NOISE, TESTS = (200, 600), (2, 8, 20), 1000


def corners(random, n, features, deviation):
    signs = random.integers(0, 2, (n, features))
    return 2 * signs - 1 + deviation * random.standard_normal((n, features)), signs.sum(axis=1) % 2


def spheres(random, n, features):
    y = random.integers(0, 2, n)
    X = random.standard_normal((n, features))
    radius = 1 + 1.5 * y + 0.25 * random.standard_normal(n)
    return X / np.linalg.norm(X, axis=1, keepdims=True) * radius[:, None], y


def equal(random, n):
    X = random.integers(0, 3, (n, 2))
    same = random.integers(0, 2, n)
    X[:, 1] = np.where(same, X[:, 0], (X[:, 0] + random.integers(1, 3, n)) % 3)
    return X.astype(float), same


def moons(random, n):
    y, angle = random.integers(0, 2, n), random.uniform(0, np.pi, n)
    sign = 1 - 2 * y
    X = np.column_stack([np.cos(angle) * sign + y, np.sin(angle) * sign + 0.5 * y])
    return X + 0.15 * random.standard_normal((n, 2)), y


def stripes(random, n):
    X = random.uniform(0, 4, (n, 1))
    return X, X[:, 0].astype(int) % 2


def clusters(random, n):
    centers, which = 2.5 * random.standard_normal((6, 4)), random.integers(0, 6, n)
    return centers[which] + random.standard_normal((n, 4)), which % 2


def one_place(random, n):
    y = random.integers(0, 2, n)
    return 2 * y[:, None] + random.standard_normal((n, 3)), y


KINDS = {
    "xor": lambda random, n: corners(random, n, 2, 0.5),
    "parity": lambda random, n: corners(random, n, 3, 0.4),
    "equal": equal,
    "rings": lambda random, n: spheres(random, n, 2),
    "shells": lambda random, n: spheres(random, n, 3),
    "moons": moons,
    "stripes": stripes,
    "clusters": clusters,
    "one place": one_place,
    "nothing": lambda random, n: (random.standard_normal((n, 4)), random.integers(0, 2, n)),
}


def measure(settings, train, labels, test, test_labels, informative):
    """Accuracy, the objective, whether the informative features are on top, and seconds."""
    learner = gersh.MetricLearner(**{"n_jobs": 1, **settings})
    begin = time.process_time()
    learner.fit(train, labels)
    seconds = time.process_time() - begin
    weight = learner.matrix_.diagonal()
    right = accuracy(learner.transform(train), labels, learner.transform(test), test_labels)
    return 100 * right, learner.objective_, weight[:informative].min() > weight[informative:].max(), seconds


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
    warnings.simplefilter("ignore")

    columns = [f"{title} {column}" for title in titles for column in ("%", "objective", "top", "s")]
    print("| seed | kind | samples | noise | Euclid % | " + " | ".join(columns) + " |")
    print("|---:|---|---:|---:|---:|" + "---:|---|---|---:|" * len(titles), flush=True)
    kinds, right, chosen, tops = [], [], [], []
    cases = [(kind, n, noise) for kind in KINDS for n in SAMPLES for noise in NOISE]
    for seed, (kind, n, noise) in enumerate(cases, given.seed + 1):
        random = np.random.default_rng(seed)
        X, y = KINDS[kind](random, n + TESTS)
        informative = X.shape[1]
        X = np.column_stack([X, random.standard_normal((len(X), noise))])
        X = (X - X[:n].mean(axis=0)) / X[:n].std(axis=0, ddof=1)
        parts = X[:n], y[:n], X[n:], y[n:]
        found = [measure(settings, *parts, informative) for settings in learners]
        kinds.append(kind)
        right.append([100 * accuracy(*parts), *(one[0] for one in found)])
        chosen.append(found[0][1])
        tops.append([one[2] for one in found])
        row = [str(seed), kind, str(n), str(noise), f"{right[-1][0]:.1f}"]
        for one in found:
            row += [f"{one[0]:.1f}", one[1], "yes" if one[2] else "no", f"{one[3]:.3g}"]
        print("| " + " | ".join(row) + " |", flush=True)
        print(f"{seed}: done", file=sys.stderr)
    kinds, right, chosen, tops = map(np.array, (kinds, right, chosen, tops))
    print(f"\n| kind | Euclid % | {' | '.join(f'{title} % | top' for title in titles)} | chosen | worst to Euclid |")
    print("|---|---:|" + "---:|---:|" * len(titles) + "---|---:|")
    for kind in KINDS:
        which = kinds == kind
        names = [f"{(chosen[which] == name).sum()} {name}" for name in sorted(set(chosen[which]))]
        cells = [f"{mean:.1f} | {top}" for mean, top in zip(right[which].mean(axis=0)[1:], tops[which].sum(axis=0))]
        worst = (right[which, 1] - right[which, 0]).min()
        print(f"| {kind} | {right[which, 0].mean():.1f} | {' | '.join(cells)} | {', '.join(names)} | {worst:+.1f} |")


if __name__ == "__main__":
    main()

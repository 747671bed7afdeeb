#!/usr/bin/env python3
"""Draws the Gershgorin discs of a learned metric before and after alignment.

    examples/python/discs.py [FILE]      the picture; discs.png by default

Before, the left-ends of the discs lie on both sides of the smallest eigenvalue; after, all of a part of the graph are at
that of the part.
"""

import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from sklearn.datasets import load_wine

import gersh


def main(path="discs.png"):
    X, y = load_wine(return_X_y=True, as_frame=True)
    learner = gersh.MetricLearner(rho=0.005).fit(X, y)
    discs = learner.discs_
    print(f"smallest eigenvalue {discs.lambda_min:.6g}, certified to be at least {discs.lambda_lower:.6g}")
    figure, axes = plt.subplots(1, 2, figsize=(10, 4.8), sharex=True, sharey=True)
    for axis, radius, title in zip(axes, (discs.radius, discs.aligned_radius), ("before", "after alignment")):
        axis.hlines(range(len(radius)), discs.center - radius, discs.center + radius, linewidth=5,
                    color=["tab:blue" if color == 1 else "tab:red" for color in learner.colors_], alpha=0.6)
        axis.plot(discs.center, range(len(radius)), "k.", markersize=4)
        axis.axvline(discs.lambda_min, color="black", linewidth=0.8, linestyle="--")
        axis.set_title(title, fontsize=10)
        axis.set_xlabel("dots: centres, dashed: smallest eigenvalue", fontsize=9)
    axes[0].set_yticks(range(len(X.columns)), X.columns, fontsize=8)
    figure.tight_layout()
    figure.savefig(path, dpi=110)
    print(f"{path} drawn")


if __name__ == "__main__":
    main(*sys.argv[1:])

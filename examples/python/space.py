#!/usr/bin/env python3
"""Draws a table of samples before and after learning: two directions of each space, and what neighbours make of it.

    examples/python/space.py [FILE]      the picture; space.png by default

The data are scikit-learn's wine samples with thirty features of pure noise beside them.
"""

import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_wine
from sklearn.decomposition import PCA
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import gersh


def main(path="space.png"):
    X, y = load_wine(return_X_y=True)
    X = np.hstack([X, np.random.default_rng(0).normal(size=(len(X), 30))])
    train, test, y_train, y_test = train_test_split(X, y, test_size=0.4, stratify=y, random_state=0)
    spaces = {"before: principal components": make_pipeline(StandardScaler(), PCA(2)),
              # The small trace keeps squared distances near 2: with 43 features every metric of a large one separates
              # the training samples, and the search for the best of them is long.
              "after: gersh.MCML(n_components=2, trace=1)": gersh.MCML(n_components=2, trace=1.0)}
    figure, axes = plt.subplots(1, 2, figsize=(10, 4.6))
    for axis, (title, space) in zip(axes, spaces.items()):
        points = space.fit(train, y_train).transform(test)
        share = make_pipeline(space, KNeighborsClassifier()).fit(train, y_train).score(test, y_test)
        axis.scatter(*points.T, c=y_test, cmap="Dark2", s=22)
        axis.set_title(f"{title}\nneighbours classify {100 * share:.0f} % of these test rows", fontsize=10)
        axis.set_xticks([])
        axis.set_yticks([])
    figure.tight_layout()
    figure.savefig(path, dpi=110)
    print(f"{path} drawn")


if __name__ == "__main__":
    main(*sys.argv[1:])

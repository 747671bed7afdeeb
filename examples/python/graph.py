#!/usr/bin/env python3
"""Draws the signed graph of the features of a learned metric: colours of features, positive and negative edges.

    examples/python/graph.py [FILE]      the picture; graph.png by default
"""

import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer

import gersh


def main(path="graph.png"):
    table = load_breast_cancer(as_frame=True)
    learner = gersh.MetricLearner().fit(table.data, table.target)
    graph = learner.graph_
    print(graph)
    for one, other, weight in graph.edges[:5]:
        print(f"  {one:24s} {other:24s} {weight:+.4f}")
    used = np.unique(np.concatenate([graph.first, graph.second]))
    angle = dict(zip(used, np.linspace(0, 2 * np.pi, len(used), endpoint=False)))
    figure, axis = plt.subplots(figsize=(8.5, 7))
    strongest = np.abs(graph.weight).max()
    for i, j, weight in zip(graph.first, graph.second, graph.weight):
        ends = np.array([angle[i], angle[j]])
        axis.plot(np.cos(ends), np.sin(ends), color="tab:green" if weight > 0 else "tab:orange",
                  linewidth=0.5 + 5 * abs(weight) / strongest, zorder=1)
    for i in used:
        x, y = np.cos(angle[i]), np.sin(angle[i])
        axis.scatter(x, y, s=90, color="tab:blue" if graph.colors[i] == 1 else "tab:red", zorder=2)
        axis.text(1.08 * x, 1.08 * y, graph.names[i], ha="left" if x >= 0 else "right", va="center", fontsize=8)
    axis.set_title(f"features with edges: blue and red; edges: positive green, negative orange\n{len(graph)} edges, value "
                   f"{learner.objective_value_:.6g}, certified bound {learner.bound_:.6g}", fontsize=10)
    axis.set_xlim(-2.1, 2.1)
    axis.set_ylim(-1.25, 1.25)
    axis.axis("off")
    figure.tight_layout()
    figure.savefig(path, dpi=110)
    print(f"{path} drawn")


if __name__ == "__main__":
    main(*sys.argv[1:])

"""What a metric looks like: its signed graph, and its Gershgorin discs before and after alignment."""

from dataclasses import dataclass
from typing import Any, List, Optional, Tuple

import numpy as np


@dataclass(frozen=True)
class Graph:
    """The signed graph of a metric M: an edge between features i and j wherever M_ij is not 0, of weight -M_ij.

    Attributes
    ----------
    names : list of str
        The features.
    first, second : ndarray of int
        The two features of each edge, first < second.
    weight : ndarray of float
        The weight of each edge.
    diagonal : ndarray of float
        M_ii of each feature.
    colors : ndarray of int or None
        1 (blue) or -1 (red) of each feature; None when the graph is not balanced.
    """

    names: List[str]
    first: np.ndarray
    second: np.ndarray
    weight: np.ndarray
    diagonal: np.ndarray
    colors: Optional[np.ndarray]

    def __len__(self) -> int:
        return len(self.weight)

    def __repr__(self) -> str:
        kind = "not balanced" if self.colors is None else "balanced"
        return (f"<Graph of {len(self.names)} features, {len(self)} edges ({int(np.sum(self.weight < 0))} negative), "
                f"{kind}>")

    @property
    def edges(self) -> List[Tuple[str, str, float]]:
        """The edges as (feature, feature, weight), the strongest first."""
        order = np.argsort(-np.abs(self.weight), kind="stable")
        return [(self.names[self.first[e]], self.names[self.second[e]], float(self.weight[e])) for e in order]

    def to_scipy(self) -> Any:
        """The weights as a symmetric SciPy sparse matrix (CSR) with an empty diagonal."""
        from scipy.sparse import coo_matrix

        rows, columns = np.concatenate([self.first, self.second]), np.concatenate([self.second, self.first])
        count = len(self.names)
        return coo_matrix((np.tile(self.weight, 2), (rows, columns)), shape=(count, count)).tocsr()

    def to_networkx(self) -> Any:
        """A networkx.Graph: nodes are feature names with `color` and `diagonal`, edges have `weight`."""
        import networkx

        graph = networkx.Graph()
        for i, name in enumerate(self.names):
            color = {} if self.colors is None else {"color": "blue" if self.colors[i] == 1 else "red"}
            graph.add_node(name, diagonal=float(self.diagonal[i]), **color)
        graph.add_weighted_edges_from(self.edges)
        return graph


@dataclass(frozen=True)
class Discs:
    """Gershgorin discs of a metric M, and of S M S^-1, whose left-ends are all at the smallest eigenvalue.

    Attributes
    ----------
    center : ndarray of float
        M_ii: the centre of each feature's disc, before and after.
    radius, aligned_radius : ndarray of float
        The radius before and after alignment.
    scalar : ndarray of float
        The diagonal of S.
    component : ndarray of int
        The connected part of the graph that each feature is in.
    eigenvalue : ndarray of float
        The smallest eigenvalue of each part.
    lambda_min, lambda_lower : float
        The smallest eigenvalue of M as computed, and a certified bound below it.
    """

    center: np.ndarray
    radius: np.ndarray
    aligned_radius: np.ndarray
    scalar: np.ndarray
    component: np.ndarray
    eigenvalue: np.ndarray
    lambda_min: float
    lambda_lower: float

    @property
    def left(self) -> np.ndarray:
        """The left-ends before alignment."""
        return self.center - self.radius

    @property
    def aligned_left(self) -> np.ndarray:
        """The left-ends after alignment: the smallest eigenvalue of each feature's part."""
        return self.center - self.aligned_radius

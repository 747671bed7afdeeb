"""What a metric looks like: its signed graph, the importance of its features, and its Gershgorin discs."""

from dataclasses import dataclass
from typing import Any, List, Optional, Tuple

import numpy as np


@dataclass(frozen=True)
class Graph:
    """The signed graph of a metric M: an edge between features i and j wherever M_ij is not 0, of weight -M_ij.

    A positive edge: differences of two rows in the two features partly cancel when they have the same sign, and count
    more when their signs are opposite. A negative edge: the reverse.

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
    correlation : ndarray of float
        The correlation of the two features of each edge in the training rows; NaN where these are not known, or one of
        the features is constant.
    colors : ndarray of int or None
        1 (blue) or -1 (red) of each feature; None when the graph is not balanced.
    """

    names: List[str]
    first: np.ndarray
    second: np.ndarray
    weight: np.ndarray
    diagonal: np.ndarray
    correlation: np.ndarray
    colors: Optional[np.ndarray]

    def __len__(self) -> int:
        return len(self.weight)

    def __repr__(self) -> str:
        kind = "not balanced" if self.colors is None else "balanced"
        return (f"<Graph of {len(self.names)} features, {len(self)} edges ({int(np.sum(self.weight < 0))} negative), "
                f"{kind}>")

    @property
    def normalized(self) -> np.ndarray:
        """M_ij / sqrt(M_ii M_jj) of each edge."""
        return -self.weight / np.sqrt(self.diagonal[self.first] * self.diagonal[self.second])

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
        """A networkx.Graph: nodes are feature names with `color` and `diagonal`; edges have `weight`, `normalized` and
        `correlation`."""
        import networkx

        graph = networkx.Graph()
        for i, name in enumerate(self.names):
            color = {} if self.colors is None else {"color": "blue" if self.colors[i] == 1 else "red"}
            graph.add_node(name, diagonal=float(self.diagonal[i]), **color)
        numbers = zip(self.first, self.second, self.weight, self.normalized, self.correlation)
        for first, second, weight, normalized, correlation in numbers:
            graph.add_edge(self.names[first], self.names[second], weight=float(weight), normalized=float(normalized),
                           correlation=float(correlation))
        return graph


@dataclass(frozen=True)
class Importance:
    """How much each feature has to do with telling samples apart.

    Attributes
    ----------
    kind : str
        What `value` is: 'contribution', 'permutation', or 'weight' where neither is known.
    value : ndarray of float
        Contributions and weights M_ii as shares of their sum; of permutation, what the accuracy (of targets R²) loses.
    blind : bool
        Whether means and variances hardly tell samples apart, so that contributions do not rank the features.
    separation : float or None
        The sum of the contributions over the mean squared distance between classes.
    contribution : ndarray of float or None
        What each feature contributes to the difference of the mean squared distances between and within classes.
    permutation, deviation : ndarray of float or None
        What the score loses on held-out samples when the feature is permuted, mean and deviation over the splits.
    score : float or None
        The accuracy, or of targets R², on held-out samples.
    """

    kind: str
    value: np.ndarray
    blind: bool
    separation: Optional[float]
    contribution: Optional[np.ndarray]
    permutation: Optional[np.ndarray]
    deviation: Optional[np.ndarray]
    score: Optional[float]


@dataclass(frozen=True)
class TrainingAccuracy:
    """How the nearest neighbours classify the training samples, 10-fold, under the metric and without it.

    Attributes
    ----------
    samples : int
        Samples that were classified: all, or a random part of many.
    accuracy : float
        Share that is right under the metric, which was learned from these samples: more than new samples will have.
    euclidean : float
        Share that is right under the Euclidean metric of the scaled features.
    verdict : {'better', 'worse', 'alike'}
        Whether the metric is better or worse than the Euclidean one, beyond chance (McNemar's exact test at 1 %).
    automatic : bool
        Whether the objective was left to gersh.
    switched : bool
        Whether it then learned with another objective than mcml, which was better.
    other : str or None
        The objective that it learned with too, and did not keep.
    other_accuracy : float or None
        Its accuracy.
    """

    samples: int
    accuracy: float
    euclidean: float
    verdict: str
    automatic: bool
    switched: bool
    other: Optional[str]
    other_accuracy: Optional[float]


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

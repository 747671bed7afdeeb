"""Learning from pairs, triplets and quadruplets of points instead of labels, in metric-learn's conventions."""

from typing import Any, Callable, Optional, Sequence, Tuple, Union

import numpy as np
from sklearn.metrics import precision_recall_curve, roc_auc_score, roc_curve
from sklearn.utils.validation import check_array, check_is_fitted, column_or_1d

from ._base import BaseMetricLearner
from ._certificate import Verification
from ._facts import documented
from ._model import tuples_of
from ._run import Progress

SIGNS = (-1, 1)


def distinct_points(tuples, indices):
    """The different points of tuples, and the row of each point of each tuple among them.

    Points that come from indices are different where the indices are, others where the points are; but within a tuple
    all are, so that two equal points are a pair at distance 0.
    """
    flat = tuples.reshape(-1, tuples.shape[2])
    what, axis = (flat, 0) if indices is None else (indices.ravel(), None)
    _, first, rows = np.unique(what, axis=axis, return_index=True, return_inverse=True)
    rows = rows.reshape(tuples.shape[:2])
    points = [flat[first]]
    if indices is None:
        for place in range(1, rows.shape[1]):
            again = (rows[:, :place] == rows[:, place, None]).any(axis=1)
            rows[again, place] = sum(map(len, points)) + np.arange(again.sum())
            points.append(tuples[again, place])
    return np.concatenate(points), rows


class TupleLearner(BaseMetricLearner):
    """The base class of learners from tuples; see MetricLearner for what the parameters mean."""

    _size: int
    _usual = {"objective": "lsml", "solver": "psd"}

    def __init__(self, objective: Optional[str] = None, solver: Optional[str] = None, *,
                 n_components: Optional[int] = None, scale: str = "zscore", trace: Union[float, str] = "auto",
                 rho: Union[float, str] = "auto", tol: float = 1e-3, max_iter: int = 1000,
                 max_time: Optional[float] = None, init: str = "tree", rows_only: bool = False,
                 diagonals_only: bool = False, nuclear: float = 0.0,
                 edges: Optional[Sequence[Tuple[Any, Any, str]]] = None, preprocessor: Any = None,
                 warm_start: bool = False, random_state: Any = None, n_jobs: Optional[int] = None,
                 memory: Union[float, str] = "auto", callback: Optional[Callable[[Progress], Any]] = None,
                 verbose: int = 0):
        self._keep(locals())

    def _more_tags(self):
        return {"X_types": ["3darray"]}

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array, tags.input_tags.three_d_array = False, True
        return tags

    def _fit_tuples(self, tuples, similar=None):
        if callable(self.objective):
            raise ValueError(f"The 'objective' parameter of {type(self).__name__} must be a str or None; a callable is a "
                             "function of all pairs of rows and cannot learn from tuples.")
        points, indices = self._tuples(tuples, self._size, reset=True)
        x, rows = distinct_points(points, indices)
        with tuples_of(rows, similar, len(x)) as native:
            self._learn(x, start=getattr(self, "_model", None) if self.warm_start else None, tuples=native)
        return points

    def verify(self, tuples: Any = None, y: Any = None) -> Verification:
        """Checks the model from the definitions alone, with none of the code that fitted it; see MetricLearner.verify.

        Parameters
        ----------
        tuples : array-like, default=None
            What the model was fitted to. None takes the tuples and points that the model holds.
        y : array-like of shape (n_tuples,), default=None
            Of pairs: 1 for similar ones, -1 for dissimilar ones.

        Returns
        -------
        gersh.Verification
            True only if everything was checked and nothing failed.
        """
        check_is_fitted(self)
        if tuples is None:
            if y is not None:
                raise ValueError("y belongs to the tuples; give both, or neither.")
            return self._verify()
        points, indices = self._tuples(tuples, self._size)
        x, rows = distinct_points(points, indices)
        return self._verify(x, tuples=(rows, self._signs(y) == 1 if self._size == 2 else None))


@documented("pairs")
class MetricLearnerPairs(TupleLearner):
    """Learns a Mahalanobis metric from pairs of points that are similar (1) or dissimilar (-1).

    Parameters
    ----------
    objective : {<objectives>}, default='lsml'
        What the metric is to be good at. 'glr' and 'deml' learn from dissimilar pairs alone.
    solver : {<solvers>}, default='psd'
        Which metrics are searched.
    preprocessor : array-like or callable, default=None
        Points, or a function from indices to points. Pairs may then be given as indices.

    The other parameters and attributes are those of MetricLearner.

    Attributes
    ----------
    threshold_ : float
        Pairs with a distance of at most this are predicted to be similar. `fit` chooses it by the accuracy on the pairs
        that it learned from.
    classes_ : ndarray
        -1 and 1.

    Examples
    --------
    >>> import numpy as np
    >>> import gersh
    >>> rng = np.random.default_rng(0)
    >>> points = rng.normal(size=(60, 3))
    >>> pairs = rng.choice(60, size=(200, 2))
    >>> pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    >>> y = np.where(np.abs(np.diff(points[pairs, 0], axis=1).ravel()) < 0.7, 1, -1)
    >>> learner = gersh.MetricLearnerPairs(preprocessor=points).fit(pairs, y)
    >>> learner.score(pairs, y) > 0.95
    True
    """

    _size = 2
    threshold_: float
    classes_ = np.array(SIGNS)

    def _signs(self, y):
        if y is None:
            raise ValueError(f"This {type(self).__name__} estimator requires y to be passed, but the target y is None.")
        y = check_array(column_or_1d(y, warn=True), ensure_2d=False, dtype=None, input_name="y")
        if not np.isin(y, SIGNS).all():
            raise ValueError(f"The labels of pairs must be 1 (similar) or -1 (dissimilar). Got {np.unique(y)} instead.")
        return y.astype(int)

    def _check_count(self, pairs, y):
        if len(pairs) != len(y):
            raise ValueError(f"Found input variables with inconsistent numbers of samples: {[len(pairs), len(y)]}")

    def fit(self, pairs: Any, y: Any) -> "MetricLearnerPairs":
        """Learns the metric, and the threshold below which pairs are similar.

        Parameters
        ----------
        pairs : array-like of shape (n_pairs, 2, n_features), or of indices (n_pairs, 2) with a preprocessor
        y : array-like of shape (n_pairs,)
            1 for similar pairs, -1 for dissimilar ones.

        Returns
        -------
        MetricLearnerPairs
            The estimator itself.
        """
        y = self._signs(y)
        self._check_count(pairs, y)
        points = self._fit_tuples(pairs, y == 1)
        self._calibrate(self._distances(points, (0, 1))[0], y, "accuracy", None, 1.0)
        return self

    def _recalibrate(self):
        """The threshold of `fit` from the model's own rows and pairs."""
        kept = self._model.data()
        if kept is not None:
            rows, similar = self._model.tuples()
            self._calibrate(self._distances(kept[0][rows], (0, 1))[0], np.where(similar, 1, -1), "accuracy", None, 1.0)

    def decision_function(self, pairs: Any) -> np.ndarray:
        """How similar the points of each pair are: the learned distance, negative."""
        return self.pair_score(pairs)

    def predict(self, pairs: Any) -> np.ndarray:
        """1 for each pair that is similar, -1 for each that is not."""
        return np.where(self.pair_distance(pairs) <= self.threshold_, 1, -1)

    def score(self, pairs: Any, y: Any) -> float:
        """The area under the ROC curve of the learned distances."""
        return float(roc_auc_score(self._signs(y), self.decision_function(pairs)))

    def set_threshold(self, threshold: float) -> "MetricLearnerPairs":
        """Sets the distance up to which pairs are predicted to be similar."""
        check_is_fitted(self)
        try:
            self.threshold_ = float(threshold)
        except (TypeError, ValueError):
            raise ValueError(f"The threshold must be a number. Got {threshold!r} instead.") from None
        return self

    def calibrate_threshold(self, pairs_valid: Any, y_valid: Any, strategy: str = "accuracy",
                            min_rate: Optional[float] = None, beta: float = 1.0) -> "MetricLearnerPairs":
        """Chooses the threshold that is best on the given pairs.

        Parameters
        ----------
        pairs_valid : array-like of shape (n_pairs, 2, n_features), or of indices (n_pairs, 2) with a preprocessor
        y_valid : array-like of shape (n_pairs,)
            1 for similar pairs, -1 for dissimilar ones.
        strategy : {'accuracy', 'f_beta', 'max_tpr', 'max_tnr'}, default='accuracy'
            What is to be largest: accuracy, the F-beta score, the share of similar pairs that are found with at least
            `min_rate` of the dissimilar ones, or the other way round.
        min_rate : float, default=None
            The least share of the others for 'max_tpr' and 'max_tnr'.
        beta : float, default=1
            The weight of recall beside precision for 'f_beta'.

        Returns
        -------
        MetricLearnerPairs
            The estimator itself.
        """
        distances, y = self.pair_distance(pairs_valid), self._signs(y_valid)
        self._check_count(distances, y)
        self._calibrate(distances, y, strategy, min_rate, beta)
        return self

    def _calibrate(self, distances, y, strategy, min_rate, beta):
        if strategy not in ("accuracy", "f_beta", "max_tpr", "max_tnr"):
            raise ValueError("The 'strategy' parameter must be a str among {'accuracy', 'f_beta', 'max_tnr', 'max_tpr'}. "
                             f"Got {strategy!r} instead.")
        if strategy in ("max_tpr", "max_tnr") and not (isinstance(min_rate, (int, float)) and 0 <= min_rate <= 1):
            raise ValueError(f"The 'min_rate' parameter must be a float in the range [0, 1]. Got {min_rate!r} instead.")
        if len(np.unique(y)) < 2:  # all are similar, or none is
            self.threshold_ = float(distances.max() if y[0] == 1 else np.nextafter(distances.min(), -np.inf))
            return
        if strategy == "f_beta":
            precision, recall, scores = precision_recall_curve(y, -distances, pos_label=1)
            weight = beta**2 * precision + recall
            quality = np.divide((1 + beta**2) * precision * recall, weight, out=np.zeros_like(weight), where=weight > 0)
            self.threshold_ = -float(scores[np.argmax(quality[:-1])])
            return
        false, true, scores = roc_curve(y, -distances, pos_label=1, drop_intermediate=False)
        # The first point of the curve predicts no pair to be similar.
        scores[0] = np.nextafter(scores[1], np.inf)
        similar, other = np.sum(y == 1), np.sum(y == -1)
        if strategy == "accuracy":
            quality = similar * true + other * (1 - false)
        else:
            wanted, kept = (true, 1 - false) if strategy == "max_tpr" else (1 - false, true)
            quality = np.where(kept >= min_rate, wanted, -1)
        self.threshold_ = -float(scores[np.argmax(quality)])


class ComparisonLearner(TupleLearner):
    """Tuples that say of two pairs of points which one is nearer: what triplets and quadruplets share."""

    _near: Tuple[int, int]
    _far: Tuple[int, int]

    def fit(self, tuples: Any, y: Any = None) -> "ComparisonLearner":
        """Learns the metric.

        Parameters
        ----------
        tuples : array-like of shape (n_tuples, 3 or 4, n_features), or of indices (n_tuples, 3 or 4) with a preprocessor
        y : ignored
            For the sake of pipelines.

        Returns
        -------
        ComparisonLearner
            The estimator itself.
        """
        self._fit_tuples(tuples)
        return self

    def decision_function(self, tuples: Any) -> np.ndarray:
        """By how much the far pair of points of each tuple is farther apart than the near one."""
        check_is_fitted(self)
        near, far = self._distances(self._tuples(tuples, self._size)[0], self._near, self._far)
        return far - near

    def predict(self, tuples: Any) -> np.ndarray:
        """1 for each tuple that is as it should be, -1 for the others."""
        return np.where(self.decision_function(tuples) > 0, 1, -1)

    def score(self, tuples: Any, y: Any = None) -> float:
        """The share of tuples that are as they should be."""
        return float(np.mean(self.predict(tuples) == 1))


@documented("triplets")
class MetricLearnerTriplets(ComparisonLearner):
    """Learns a Mahalanobis metric from triplets a, p, n of points: a is nearer to p than to n.

    Parameters
    ----------
    objective : {<objectives>}, default='lsml'
        What the metric is to be good at.
    solver : {<solvers>}, default='psd'
        Which metrics are searched.
    preprocessor : array-like or callable, default=None
        Points, or a function from indices to points. Triplets may then be given as indices.

    The other parameters and attributes are those of MetricLearner.

    Examples
    --------
    >>> import numpy as np
    >>> import gersh
    >>> rng = np.random.default_rng(0)
    >>> points = rng.normal(size=(60, 3))
    >>> triplets = np.array([rng.permutation(60)[:3] for _ in range(200)])
    >>> near = np.abs(points[triplets[:, 0], 1] - points[triplets[:, 1], 1])
    >>> far = np.abs(points[triplets[:, 0], 1] - points[triplets[:, 2], 1])
    >>> learner = gersh.MetricLearnerTriplets(preprocessor=points).fit(triplets[near < far])
    >>> learner.score(triplets[near < far]) > 0.95
    True
    """

    _size, _near, _far = 3, (0, 1), (0, 2)


@documented("quadruplets")
class MetricLearnerQuadruplets(ComparisonLearner):
    """Learns a Mahalanobis metric from quadruplets a, b, c, d: a and b are nearer to each other than c and d.

    Parameters
    ----------
    objective : {<objectives>}, default='lsml'
        What the metric is to be good at.
    solver : {<solvers>}, default='psd'
        Which metrics are searched.
    preprocessor : array-like or callable, default=None
        Points, or a function from indices to points. Quadruplets may then be given as indices.

    The other parameters and attributes are those of MetricLearner.

    Examples
    --------
    >>> import numpy as np
    >>> import gersh
    >>> rng = np.random.default_rng(0)
    >>> points = rng.normal(size=(60, 3))
    >>> rows = np.array([rng.permutation(60)[:4] for _ in range(200)])
    >>> lengths = np.abs(np.diff(points[rows, 2], axis=1))
    >>> learner = gersh.MetricLearnerQuadruplets().fit(points[rows[lengths[:, 0] < lengths[:, 2]]])
    >>> learner.score(points[rows[lengths[:, 0] < lengths[:, 2]]]) > 0.95
    True
    """

    _size, _near, _far = 4, (0, 1), (2, 3)


class SGMLPairs(MetricLearnerPairs):
    """A MetricLearnerPairs with solver='sgml', and objective='lsml' unless another one is given."""

    _fixed = {"solver": "sgml"}


class PGMLPairs(MetricLearnerPairs):
    """A MetricLearnerPairs with solver='pgml', and objective='lsml' unless another one is given."""

    _fixed = {"solver": "pgml"}


class MCMLPairs(MetricLearnerPairs):
    """A MetricLearnerPairs with objective='mcml', and solver='psd' unless another one is given."""

    _fixed = {"objective": "mcml"}
    _usual = {"solver": "psd"}


class LSMLPairs(MetricLearnerPairs):
    """A MetricLearnerPairs with objective='lsml', and solver='psd' unless another one is given."""

    _fixed = {"objective": "lsml"}
    _usual = {"solver": "psd"}


class DEMLPairs(MetricLearnerPairs):
    """A MetricLearnerPairs with objective='deml', and solver='balanced' unless another one is given."""

    _fixed = {"objective": "deml"}
    _usual = {"solver": "balanced"}


class GLRPairs(MetricLearnerPairs):
    """A MetricLearnerPairs with objective='glr', and solver='balanced' unless another one is given."""

    _fixed = {"objective": "glr"}
    _usual = {"solver": "balanced"}


class SGMLTriplets(MetricLearnerTriplets):
    """A MetricLearnerTriplets with solver='sgml', and objective='lsml' unless another one is given."""

    _fixed = {"solver": "sgml"}


class PGMLTriplets(MetricLearnerTriplets):
    """A MetricLearnerTriplets with solver='pgml', and objective='lsml' unless another one is given."""

    _fixed = {"solver": "pgml"}


class LMNNTriplets(MetricLearnerTriplets):
    """A MetricLearnerTriplets with objective='lmnn', and solver='psd' unless another one is given."""

    _fixed = {"objective": "lmnn"}
    _usual = {"solver": "psd"}


class LSMLTriplets(MetricLearnerTriplets):
    """A MetricLearnerTriplets with objective='lsml', and solver='psd' unless another one is given."""

    _fixed = {"objective": "lsml"}
    _usual = {"solver": "psd"}


class SGMLQuadruplets(MetricLearnerQuadruplets):
    """A MetricLearnerQuadruplets with solver='sgml', and objective='lsml' unless another one is given."""

    _fixed = {"solver": "sgml"}


class PGMLQuadruplets(MetricLearnerQuadruplets):
    """A MetricLearnerQuadruplets with solver='pgml', and objective='lsml' unless another one is given."""

    _fixed = {"solver": "pgml"}


class LMNNQuadruplets(MetricLearnerQuadruplets):
    """A MetricLearnerQuadruplets with objective='lmnn', and solver='psd' unless another one is given."""

    _fixed = {"objective": "lmnn"}
    _usual = {"solver": "psd"}


class LSMLQuadruplets(MetricLearnerQuadruplets):
    """A MetricLearnerQuadruplets with objective='lsml', and solver='psd' unless another one is given."""

    _fixed = {"objective": "lsml"}
    _usual = {"solver": "psd"}

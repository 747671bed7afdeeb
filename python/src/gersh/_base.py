"""What all estimators share: parameters, the fit itself, and all that follows from the learned metric."""

import contextlib
import ctypes as c
import math
import numbers
import os
import warnings
from typing import Any, Callable, Optional, Sequence, Tuple, Union

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_array, check_is_fitted

from . import _structures as s
from ._certificate import Certificate, Verification
from ._compat import validate_data
from ._facts import SOLVERS
from ._graph import Discs, Graph, Importance, TrainingAccuracy
from ._library import library
from ._model import KINDS, Model, address, Dataset
from ._run import Progress, Run, custom_objective, run_in_thread
from ._settings import TABLE, check_seed, check_threads, Settings

EDGE_KINDS = ("allowed", "forbidden", "positive", "negative")  # gersh_edge_kind
FIT_SETTINGS = [(name, setting.parameter) for name, setting in TABLE.items()
                if setting.group in ("scale", "fit") and name not in ("objective", "solver")]
STOPS = [library.gersh_stop_name(reason).decode() for reason in range(5)]  # gersh_stop
STOPPED_EARLY = {
    "max_iter": "the number of iterations reached max_iter={}; increase it, or raise tol",
    "max_time": "the time reached max_time={} seconds; increase it, or raise tol",
    "interrupted": "it was interrupted",
}


class Mahalanobis:
    """The distance of a fitted estimator, detached from it: a function of two vectors.

    Parameters
    ----------
    u, v : array-like of shape (n_features,)
    squared : bool, default=False

    Returns
    -------
    float
    """

    def __init__(self, model, factor):
        self._model = model
        self._factor = factor  # of scaled rows

    def __call__(self, u: Any, v: Any, squared: bool = False) -> float:
        points = [check_array(x, ensure_2d=False, dtype=np.float64, input_name=name) for x, name in ((u, "u"), (v, "v"))]
        for point, name in zip(points, "uv"):
            if point.shape != (self._model.features(),):
                raise ValueError(f"{name} must be a vector of {self._model.features()} features. Got the shape "
                                 f"{point.shape} instead.")
        difference = np.subtract(*self._model.scaled(np.array(points))) @ self._factor.T
        square = float(difference @ difference)
        return square if squared else square**0.5


def is_plain(X):
    """Whether X is what scikit-learn's checks would return as it is. They take longer than a small fit.

    A sum that is not finite says nothing, as it may overflow; the checks then decide.
    """
    return type(X) is np.ndarray and X.dtype == np.float64 and X.ndim == 2 and X.shape[0] > 1 and X.shape[1] > 0 and \
        math.isfinite(np.add.reduce(X, axis=None))


class BaseMetricLearner(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """The base class of all estimators; see MetricLearner for the parameters."""

    objective: Union[str, Callable, None]
    solver: Optional[str]
    n_components: Optional[int]
    scale: str
    trace: Union[float, str]
    rho: Union[float, str]
    tol: float
    max_iter: int
    max_time: Optional[float]
    init: str
    rows_only: bool
    diagonals_only: bool
    nuclear: float
    edges: Optional[Sequence[Tuple[Any, Any, str]]]
    preprocessor: Any
    warm_start: bool
    random_state: Any
    n_jobs: Optional[int]
    memory: Union[float, str]
    callback: Optional[Callable[[Progress], Any]]
    verbose: int

    n_features_in_: int
    feature_names_in_: np.ndarray
    n_iter_: int
    objective_value_: float
    bound_: Optional[float]
    gap_: Optional[float]
    stop_: str
    objective_: str
    training_accuracy_: Optional[TrainingAccuracy]

    _fixed: dict = {}  # what the class is named after: parameters that cannot be chosen
    _usual = {"objective": "auto", "solver": "balanced"}  # in the place of None

    def _keep(self, parameters):
        for name, value in parameters.items():
            if name != "self":
                setattr(self, name, value)

    # Fitting

    def _chosen(self, name):
        """The objective or the solver in force."""
        value, fixed = getattr(self, name), self._fixed.get(name)
        if fixed is not None and value not in (None, fixed):
            raise ValueError(f"The {name!r} parameter of {type(self).__name__} must be {fixed!r} or None. Got {value!r} "
                             "instead. Use another class, or MetricLearner.")
        return fixed or (self._usual[name] if value is None else value)

    def _settings(self):
        """The settings of the library, by their names in its table."""
        values = {name: getattr(self, parameter) for name, parameter in FIT_SETTINGS}
        objective = self._chosen("objective")
        values.update(objective=None if callable(objective) else objective, solver=self._chosen("solver"),
                      seed=check_seed(self.random_state), threads=check_threads(self.n_jobs), memory=self.memory)
        return values

    def _rules(self):
        names = list(getattr(self, "feature_names_in_", []))
        found = []
        for edge in self.edges or []:
            try:
                first, second, kind = edge
                nodes = [names.index(node) if isinstance(node, str) else int(node) for node in (first, second)]
                found.append(s.EdgeRule(*nodes, EDGE_KINDS.index(kind)))
                if max(nodes) >= self.n_features_in_ or min(nodes) < 0:
                    raise ValueError
            except (TypeError, ValueError):
                raise ValueError(f"The 'edges' parameter of {type(self).__name__} must be a list of (feature, feature, "
                                 f"kind) with two features by name or number, and a kind among {set(EDGE_KINDS)}. "
                                 f"Got {edge!r} instead.") from None
        return (s.EdgeRule * len(found))(*found)

    def _check_components(self):
        count = self.n_components
        if count is None:
            return 0
        if not isinstance(count, numbers.Integral) or count < 1:
            raise ValueError(f"The 'n_components' parameter of {type(self).__name__} must be an int in the range "
                             f"[1, inf) or None. Got {count!r} instead.")
        if count > self.n_features_in_:
            raise ValueError(f"n_components={count} must be at most n_features={self.n_features_in_}.")
        return int(count)

    def _can_start(self, model):
        """Whether the next fit can begin at the metric of an earlier one."""
        if model is None or model.features() != self.n_features_in_:
            return False
        return bool(model.metric.contents.dense) == SOLVERS[self._chosen("solver")].dense

    def _learn(self, x, *, start=None, weights=None, tuples=None, y=None, **labels):
        """Fits the model to points x with the labels that Dataset takes."""
        settings, columns = self._settings(), self._check_components()
        objective = self._chosen("objective")
        names = getattr(self, "feature_names_in_", None)
        rules = self._rules()
        out = c.c_void_p()
        with Settings(type(self).__name__, settings) as pointer, \
                Dataset(x, feature_names=names, **labels) as data, Run(self.callback, self.verbose) as run:
            options = s.FitOptions(progress=run.report(), cancel=c.pointer(run.cancel))
            if weights is not None:
                options.weights = address(weights)
            if len(rules) > 0:
                options.rules, options.rule_count = rules, len(rules)
            if tuples is not None:
                options.tuples = tuples
            if self._can_start(start):
                options.start = start.metric
            if callable(objective):
                options.custom = c.pointer(custom_objective(run, objective, y))
            library.gersh_model_fit(c.byref(out), None, data, pointer, c.byref(options))
            model = Model(out)
        self._take(model, columns)
        if self.stop_ in STOPPED_EARLY and not run.stopped:
            self._warn()
        if self.training_accuracy_ is not None and self.training_accuracy_.verdict == "worse":
            self._warn_worse()

    def _take(self, model, columns):
        """The attributes of a fitted estimator."""
        info = model.info
        self._model, self._columns = model, columns
        self.n_iter_ = info.iterations
        self.objective_value_ = info.objective_value
        self.bound_ = info.bound if info.has_bound else None
        self.gap_ = info.gap if info.has_bound else None
        self.relative_gap_ = info.relative_gap if info.has_bound else None
        self.stop_ = STOPS[info.stop]
        self.objective_ = model.objective
        self.training_accuracy_ = model.training_accuracy()

    def _warn(self):
        reason = STOPPED_EARLY[self.stop_].format(getattr(self, self.stop_, None))
        share = self.relative_gap_
        gap = "" if share is None or share >= 1 else \
            f", which is within {100 * share:.3g} % of the best possible"
        warnings.warn(f"{type(self).__name__} stopped before it converged: {reason}. The best metric so far is kept{gap}.",
                      ConvergenceWarning, stacklevel=4)

    def _warn_worse(self):
        found = self.training_accuracy_
        warnings.warn(f"The metric of {type(self).__name__} classifies worse than the scaled features without it: nearest "
                      f"neighbours get {100 * found.accuracy:.4g} % of the training samples right, and "
                      f"{100 * found.euclidean:.4g} % without. Use another objective, or solver='identity'.",
                      UserWarning, stacklevel=4)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_model")

    # Points and tuples of points

    def _looked_up(self, indices):
        """The points that indices stand for."""
        if callable(self.preprocessor):
            return np.asarray(self.preprocessor(indices))
        points = self.preprocessor
        points = points.toarray() if sparse.issparse(points) else np.asarray(points)
        try:
            return points[indices]
        except IndexError as error:
            raise ValueError(f"An index is not in the preprocessor: {error}") from None

    def _points(self, X, *, reset, **options):
        """Rows as the library takes them; with a preprocessor X may be a vector of indices."""
        if reset and is_plain(X) and not hasattr(self, "feature_names_in_"):
            self.n_features_in_ = X.shape[1]
            return X
        if self.preprocessor is not None and np.ndim(X) == 1:
            X = self._looked_up(check_array(X, ensure_2d=False, dtype=None))
        X = validate_data(self, X, reset=reset, accept_sparse="csr", dtype=np.float64, **options)
        return X.toarray() if sparse.issparse(X) else X

    def _tuples(self, tuples, size, *, reset=False):
        """Tuples of points, (n, size, n_features), and where they came from: row numbers, or None."""
        what = {2: "pairs", 3: "triplets", 4: "quadruplets"}[size]
        tuples = check_array(tuples, allow_nd=True, ensure_2d=False, dtype=None, input_name=what)
        indices = None
        if self.preprocessor is not None and tuples.ndim == 2:
            indices, flat = tuples, self._looked_up(tuples.ravel())
        elif tuples.ndim == 3:
            flat = tuples.reshape(-1, tuples.shape[2])
        else:
            raise ValueError(f"Expected {what} as a 3D array of shape (n_{what}, {size}, n_features), or with a "
                             f"preprocessor as a 2D array of indices. Got an array of shape {tuples.shape} instead.")
        if tuples.shape[1] != size:
            raise ValueError(f"Each of the {what} must have {size} points. Got an array of shape {tuples.shape} instead.")
        flat = validate_data(self, flat, reset=reset, dtype=np.float64)
        return flat.reshape(-1, size, flat.shape[1]), indices

    # Using the metric

    def transform(self, X: Any) -> np.ndarray:
        """Rows in the learned space, where the metric is the Euclidean distance.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_components)
        """
        check_is_fitted(self)
        X = self._points(X, reset=False)
        return self._model.transform(self._model.scaled(X), self._columns)

    @property
    def _n_features_out(self):
        check_is_fitted(self)
        return self._model.columns(self._columns)

    def _factor(self):
        """The map of scaled rows, by rows."""
        check_is_fitted(self)
        return self._model.transform(np.eye(self._model.width()), self._columns).T

    @property
    def components_(self) -> np.ndarray:
        """The learned map, (n_components, n_features): transform(X) is (X - mean) @ components_.T.

        With scale='paper' rows are brought to unit length in between.
        """
        return self._factor() / self._model.scale()

    @property
    def matrix_(self) -> np.ndarray:
        """The learned metric M on scaled features: the matrix of the graph, the discs and the bound."""
        check_is_fitted(self)
        return self._model.matrix()

    def get_mahalanobis_matrix(self) -> np.ndarray:
        """The matrix components_.T @ components_ of the learned distance between unscaled rows."""
        components = self.components_
        return components.T @ components

    def pair_distance(self, pairs: Any) -> np.ndarray:
        """The learned distances of pairs of points.

        Parameters
        ----------
        pairs : array-like of shape (n_pairs, 2, n_features), or of indices (n_pairs, 2) with a preprocessor

        Returns
        -------
        ndarray of shape (n_pairs,)
        """
        check_is_fitted(self)
        return self._distances(self._tuples(pairs, 2)[0], (0, 1))[0]

    def _distances(self, tuples, *places):
        """Distances between points of each tuple, for each pair of places."""
        count, size, features = tuples.shape
        scaled = self._model.scaled(tuples.reshape(-1, features))
        mapped = self._model.transform(scaled, self._columns).reshape(count, size, -1)
        return [np.linalg.norm(mapped[:, i] - mapped[:, j], axis=1) for i, j in places]

    def pair_score(self, pairs: Any) -> np.ndarray:
        """How alike the points of each pair are: the learned distance, negative."""
        return -self.pair_distance(pairs)

    def get_metric(self) -> Mahalanobis:
        """The learned distance as a function metric(u, v, squared=False) that does not change with the estimator."""
        factor = self._factor()
        return Mahalanobis(self._model, factor)

    # What only graph metrics have

    @property
    def colors_(self) -> Optional[np.ndarray]:
        """1 (blue) or -1 (red) of each feature; None when the graph of the metric is not balanced."""
        check_is_fitted(self)
        return self._model.colors()

    @property
    def graph_(self) -> Graph:
        """The signed graph of the features."""
        check_is_fitted(self)
        names = getattr(self, "feature_names_in_", None)
        return self._model.graph([f"x{j}" for j in range(self.n_features_in_)] if names is None else list(names))

    @property
    def feature_importances_(self) -> np.ndarray:
        """What each feature contributes to telling samples apart, as a share of all: the numbers sum to 1.

        Where means and variances hardly tell samples apart, as in an XOR of two features: what the accuracy on held-out
        samples (of targets, R²) loses when the feature is permuted, measured when it is first asked for.
        """
        return self.importance().value

    def importance(self, kind: str = "auto") -> Importance:
        """How much each feature has to do with telling samples apart.

        Parameters
        ----------
        kind : {'auto', 'contribution', 'permutation', 'weight'}, default='auto'
            'contribution': the share of each feature in how much larger squared distances are between classes than within
            them. 'permutation': what the accuracy on held-out samples (of targets, R²) loses when the feature is
            permuted; metrics are learned anew on five random splits. 'weight': M_ii. 'auto': contributions, and where
            these see hardly any difference between classes, permutation.

        Returns
        -------
        gersh.Importance
        """
        check_is_fitted(self)
        if kind not in ("auto", *KINDS):
            raise ValueError(f"The 'kind' parameter must be a str among {{'auto', {', '.join(map(repr, KINDS))}}}. "
                             f"Got {kind!r} instead.")
        if kind == "permutation" or kind == "auto" and self._model.needs_permutation():
            try:
                with Run() as run:
                    run_in_thread(self._model.permute, s.ImportanceOptions(cancel=c.pointer(run.cancel)))
            except ValueError:
                if kind == "permutation":
                    raise  # else M_ii is left
        return self._model.importance(kind)

    @property
    def certificate_(self) -> Certificate:
        """How near the value is to the best possible, and how that is known: by this fit, a file, or a verification."""
        check_is_fitted(self)
        return Certificate(self._model.info, self._model.standing(), self._model.certainty(), self.verify)

    def verify(self, X: Any = None, y: Any = None) -> Verification:
        raise NotImplementedError  # by each kind of learner for its own data

    def _verify(self, x=None, weights=None, tuples=None, **labels):
        """Verifies the model on points x with the labels that Dataset takes, or on its own."""
        if x is None:
            return self._model.verify(None)
        with Dataset(x, feature_names=getattr(self, "feature_names_in_", None), **labels) as data:
            if weights is None:
                self._model.give_weights(data)
            else:
                library.gersh_dataset_set_weights(data, address(weights))
            return self._model.verify(data, tuples)

    @property
    def discs_(self) -> Optional[Discs]:
        """The Gershgorin discs before and after alignment; None when the graph is not balanced."""
        check_is_fitted(self)
        return self._model.discs()

    def save(self, path: Union[str, os.PathLike], *, data: bool = True) -> None:
        """Writes the model to a file that `gersh.load` and the command line read.

        Parameters
        ----------
        path : str or path-like
        data : bool, default=True
            Whether the training rows go into the file. `gersh predict` and `partial_fit` need them.
        """
        check_is_fitted(self)
        self._model.write(os.fspath(path), data)

    def report(self, path: Union[str, os.PathLike], X: Any = None, y: Any = None, *, splits: int = 10) -> None:
        """Writes what was learned as an interactive page: one HTML file that any browser opens.

        Parameters
        ----------
        path : str or path-like
        X : {array-like, sparse matrix} of shape (n_samples, n_features), default=None
            Rows to show and to predict; None shows those that the metric was learned from.
        y : array-like of shape (n_samples,), default=None
            Their labels.
        splits : int, default=10
            Of the rows that the metric was learned from: random splits on which metrics are learned anew, to measure how
            well they predict rows that are held out. 0 leaves that out.
        """
        check_is_fitted(self)
        if not isinstance(splits, numbers.Integral) or splits < 0:
            raise ValueError(f"The 'splits' parameter must be an int in the range [0, inf). Got {splits!r} instead.")
        with Run() as run, contextlib.ExitStack() as stack:
            options = s.ReportOptions(splits=splits, threads=check_threads(self.n_jobs) or 0, cancel=c.pointer(run.cancel))
            if X is not None:
                labels = {} if y is None else self._known_labels(y)
                options.data = stack.enter_context(Dataset(
                    self._points(X, reset=False), feature_names=getattr(self, "feature_names_in_", None), **labels))
            run_in_thread(self._model.report, os.fspath(path), options)
        if run.interrupted:
            warnings.warn("report was interrupted; the page shows the splits that were done.", ConvergenceWarning,
                          stacklevel=2)

    def _known_labels(self, y):
        """Labels of rows that the metric was not learned from, as Dataset takes them."""
        raise ValueError(f"{type(self).__name__} learns from tuples; its rows have no labels. Leave y out.")

"""Learning from labels: MetricLearner, and its short names."""

from typing import Any, Callable, List, Optional, Sequence, Tuple, Union

import numpy as np
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import _check_sample_weight, check_array, check_is_fitted, column_or_1d

from ._base import BaseMetricLearner
from ._certificate import Verification
from ._facts import documented
from ._run import Progress


def class_texts(classes: np.ndarray) -> List[str]:
    """The names of classes in the library and its files: whole numbers without a point."""
    return [str(int(label)) if isinstance(label, float) and label.is_integer() else str(label)
            for label in classes.tolist()]


def classes_of(names: Sequence[str]) -> np.ndarray:
    """Classes from their names in a model file: numbers where all of them are."""
    for kind in (int, float):
        try:
            return np.array([kind(name) for name in names])
        except ValueError:
            continue
    return np.array(names)


def classes_and_codes(y):
    """np.unique with return_inverse; where y has all whole numbers of a short range, in a tenth of its time."""
    if y.dtype.kind == "i":
        low, high = int(np.minimum.reduce(y)), int(np.maximum.reduce(y))
        if high - low < len(y):
            codes = y if low == 0 else np.subtract(y, low, dtype=np.intp)
            if 0 not in np.bincount(codes).tolist():
                return np.arange(low, high + 1, dtype=y.dtype), codes
    return np.unique(y, return_inverse=True)


@documented("classes", "targets")
class MetricLearner(BaseMetricLearner):
    """Learns a Mahalanobis metric from labelled rows, with a certificate of how good it is.

    The metric is a positive definite matrix M on the scaled features. With the solver 'balanced' it is a balanced signed
    graph of the features, and no metric of that kind has an objective value beyond `bound_`.

    Parameters
    ----------
    objective : {'auto', <objectives>} or callable, default='auto'
        Objective to optimise; 'auto' is 'mcml' for classes, or 'glr' where that classifies better, and 'glr' for
        real-valued targets. A callable `f(distance, first, second, y)` gets the squared distances of all pairs of rows,
        the two rows of each pair, and the labels, and returns its value, which is minimised, and its gradient by the
        distances. It must be convex and differentiable.
    solver : {<solvers>}, default='balanced'
        Which metrics are searched: diagonal ones, balanced signed graphs, their convex hull, or all positive definite
        ones; by a algorithm of the paper; or none, for the Euclidean metric.
    n_components : int, default=None
        Columns of `transform`: the directions of the largest eigenvalues of M. None keeps all of the metric.
    scale : {'zscore', 'paper', 'none'}, default='zscore'
        Scaling of features; 'paper' is z-score, then unit length of each row.
    trace : float or {'auto', 'K'}, default='auto'
        Largest trace of M: a number, 'K' for the number of features, or 'auto': the C at which the mean squared distance
        of two samples under C/K times the identity is the objective's `mean` in `gersh.objectives()`.
    rho : float or {'auto'}, default='auto'
        Smallest eigenvalue that M must have; 'auto' is 1e-5 of the trace divided by the number of features.
    tol : float, default=1e-3
        Stop when the value is certified to be within this share of the best possible. Solvers that
        have no bound stop when an iteration changes the objective by less than a hundredth of it.
    max_iter : int, default=1000
        Maximum number of iterations.
    max_time : float, default=None
        Time limit in seconds.
    init : {'tree', 'chain', 'hull', 'identity'}, default='tree'
        First graph of 'sgml' and 'pgml': the covariances' spanning tree, a chain, the colours of the hull's solution,
        or no edges.
    rows_only : bool, default=False
        For 'sgml' and 'pgml': stop after the rows, before the whole matrix.
    diagonals_only : bool, default=False
        For 'sgml' and 'pgml': keep the edges of the first graph, learn the diagonal.
    nuclear : float, default=0
        For 'pdcone': weight of the nuclear norm of M, added to the objective.
    task : {'auto', 'classify', 'regress'}, default='auto'
        Whether labels are classes or real-valued targets, for which the objective must be 'glr' or a callable. With
        'auto' numbers that are not all whole are targets.
    edges : list of (feature, feature, kind), default=None
        Rules for pairs of features, by name or number; the kind is 'allowed', 'forbidden', 'positive' or 'negative'.
    preprocessor : array-like or callable, default=None
        Points, or a function from indices to points. X may then be a vector of indices.
    warm_start : bool, default=False
        Whether `fit` begins at the metric of the fit before.
    random_state : int, RandomState instance or None, default=None
        Seed of the random numbers; None is always the same one.
    n_jobs : int, default=None
        Number of threads; None and -1 are one for each core.
    memory : float or {'auto'}, default='auto'
        Most memory of the fit, in GB. All pairs of rows are used where they fit into it, else a sample of them; 'auto'
        is half of the machine's.
    callback : callable, default=None
        Called with a `gersh.Progress` after each iteration; where two objectives are tried, of both fits. If it returns
        a true value, the fit ends with the best metric so far.
    verbose : int, default=0
        If not 0, a line with a progress bar on stderr.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The learned map: `transform(X)` is `(X - mean) @ components_.T`.
    matrix_ : ndarray of shape (n_features, n_features)
        M, on scaled features.
    objective_value_ : float
        The value of the objective at M.
    bound_ : float or None
        A bound: no metric that the solver searches has a better value. `fit` certifies it; of a model from a file or a
        pickle it is what that states. None where the solver has no bound.
    gap_ : float or None
        The distance from the value to the bound.
    relative_gap_ : float or None
        The same as a share of the value: what `tol` is compared with.
    certificate_ : Certificate
        Value, bound and gaps with how they are known: 'certified' by `fit`, 'stated' by a file or a pickle, or the verdict
        of the last `verify`.
    stop_ : {'converged', 'settled', 'max_iter', 'max_time', 'interrupted'}
        Why the fit ended. 'converged': the value was certified to be within `tol` of the best possible; 'settled': nothing
        better was found, but the certificate is wider, or there is none.
    objective_ : str
        The objective that was learned with; 'custom' for a callable.
    training_accuracy_ : TrainingAccuracy or None
        How nearest neighbours classify the training samples under the metric, and without it; None without classes.
        If they classify worse, there is a warning.
    n_iter_ : int
        Iterations of the fit that the metric is from.
    colors_ : ndarray of shape (n_features,) or None
        1 (blue) or -1 (red) of each feature; None when the graph is not balanced.
    graph_ : Graph
        The signed graph of the features.
    discs_ : Discs or None
        The Gershgorin discs before and after alignment; None when the graph is not balanced.
    classes_ : ndarray
        The classes; not there for real-valued targets.
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from sklearn.pipeline import make_pipeline
    >>> import gersh
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> learner = gersh.MetricLearner().fit(X, y)
    >>> bool(learner.bound_ <= learner.objective_value_), bool(learner.relative_gap_ < 0.05)
    (True, True)
    >>> learner.graph_
    <Graph of 13 features, ... edges (... negative), balanced>
    >>> make_pipeline(learner, KNeighborsClassifier()).fit(X, y).score(X, y) > 0.95
    True
    """

    task: str
    classes_: np.ndarray

    def __init__(self, objective: Union[str, Callable, None] = None, solver: Optional[str] = None, *,
                 n_components: Optional[int] = None, scale: str = "zscore", trace: Union[float, str] = "auto",
                 rho: Union[float, str] = "auto", tol: float = 1e-3, max_iter: int = 1000,
                 max_time: Optional[float] = None, init: str = "tree", rows_only: bool = False,
                 diagonals_only: bool = False, nuclear: float = 0.0, task: str = "auto",
                 edges: Optional[Sequence[Tuple[Any, Any, str]]] = None, preprocessor: Any = None,
                 warm_start: bool = False, random_state: Any = None, n_jobs: Optional[int] = None,
                 memory: Union[float, str] = "auto", callback: Optional[Callable[[Progress], Any]] = None,
                 verbose: int = 0):
        self._keep(locals())

    def _more_tags(self):
        return {"requires_y": True}

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = True
        return tags

    def _labels(self, y):
        """Classes with codes, or targets, as Dataset takes them; sets classes_."""
        if self.task not in ("auto", "classify", "regress"):
            raise ValueError(f"The 'task' parameter of {type(self).__name__} must be a str among {{'auto', 'classify', "
                             f"'regress'}}. Got {self.task!r} instead.")
        regress = self.task == "regress"
        if self.task == "auto" and y.dtype.kind == "f":
            regress = type_of_target(y) == "continuous"
        if regress:
            vars(self).pop("classes_", None)
            return {"targets": y.astype(np.float64)}
        self.classes_, codes = classes_and_codes(y)
        if len(self.classes_) < 2:
            raise ValueError(f"{type(self).__name__} needs samples of at least 2 classes; the data has 1 class: "
                             f"{self.classes_[0]!r}")
        return {"codes": codes, "classes": class_texts(self.classes_)}

    def _known_labels(self, y):
        y = column_or_1d(y, warn=True)
        if not hasattr(self, "classes_"):
            return {"targets": y}
        classes, codes = np.unique(y, return_inverse=True)
        return {"codes": codes, "classes": class_texts(classes)}

    def _weighed(self, X, y, sample_weight):
        """Rows, labels and weights, without rows of weight 0: these are as ones that are not there."""
        if sample_weight is None:
            return X, y, None
        weights = _check_sample_weight(sample_weight, X, dtype=np.float64, only_non_negative=True)
        used = weights > 0
        return X[used], y[used], weights[used]

    def _fit(self, X, y, sample_weight, start):
        X, y, weights = self._weighed(X, y, sample_weight)
        if len(y) < 2:
            raise ValueError(f"Found array with {len(y)} sample(s) of positive weight while a minimum of 2 is required.")
        self._learn(X, start=start, weights=weights, y=y, **self._labels(y))
        return self

    def _check_xy(self, X, y, reset):
        if y is None:
            raise ValueError(f"This {type(self).__name__} estimator requires y to be passed, but the target y is None.")
        X = self._points(X, reset=reset, ensure_min_samples=2 if reset else 1)
        y = np.asarray(y)
        if y.ndim != 1 or y.dtype.kind not in "biuUS":
            y = check_array(column_or_1d(y, warn=True), ensure_2d=False, dtype=None, input_name="y")
        if len(y) != len(X):
            raise ValueError(f"Found input variables with inconsistent numbers of samples: {[len(X), len(y)]}")
        return X, y

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "MetricLearner":
        """Learns the metric.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Sparse matrices are made dense.
        y : array-like of shape (n_samples,)
            Classes, or real-valued targets.
        sample_weight : array-like of shape (n_samples,), default=None
            A weight of at least 0 of each row.

        Returns
        -------
        MetricLearner
            The estimator itself.
        """
        X, y = self._check_xy(X, y, reset=True)
        return self._fit(X, y, sample_weight, getattr(self, "_model", None) if self.warm_start else None)

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> "MetricLearner":
        """Learns from more rows: the metric of all rows so far, beginning at the one that is there.

        The model keeps its training rows, so that the result is that of `fit` with all of them, sooner.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        classes : array-like, default=None
            Not needed; what other estimators of scikit-learn have in this place.
        sample_weight : array-like of shape (n_samples,), default=None

        Returns
        -------
        MetricLearner
            The estimator itself.
        """
        model = getattr(self, "_model", None)
        X, y = self._check_xy(X, y, reset=model is None)
        if model is not None:
            rows, labels, weights = self._rows_so_far(model)
            if weights is not None or sample_weight is not None:
                new = _check_sample_weight(sample_weight, X, dtype=np.float64, only_non_negative=True)
                sample_weight = np.concatenate([np.ones(len(rows)) if weights is None else weights, new])
            X, y = np.concatenate([rows, X]), np.concatenate([labels, y])
        return self._fit(X, y, sample_weight, model)

    def verify(self, X: Any = None, y: Any = None, sample_weight: Any = None) -> Verification:
        """Checks the model from the definitions alone, with none of the code that fitted it.

        Checked are the scaling, the trace and rho against the settings, the signs, edge rules, smallest eigenvalue and
        trace of M, the objective's value at M, the bound, the gap, and what features contribute. Afterwards
        `certificate_.standing` is the verdict.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), default=None
            What the model was fitted to; other samples have another digest, so that the check of them fails. None takes
            the samples that the model holds.
        y : array-like of shape (n_samples,), default=None
            Their labels, as `fit` had them.
        sample_weight : array-like of shape (n_samples,), default=None
            Their weights, as `fit` had them. None takes those that the model holds, where it holds its samples.

        Returns
        -------
        gersh.Verification
            True only if everything was checked and nothing failed.
        """
        check_is_fitted(self)
        if X is None:
            if y is not None or sample_weight is not None:
                raise ValueError("y and sample_weight belong to X; give X as well, or none of them.")
            return self._verify()
        X, y = self._check_xy(X, y, reset=False)
        X, y, weights = self._weighed(X, y, sample_weight)
        return self._verify(X, weights, **self._known_labels(y))

    def _rows_so_far(self, model):
        kept = model.data()
        if kept is None:
            raise ValueError("The model has no training rows, so that it cannot learn from more; save it with data=True.")
        rows, codes, targets, weights = kept
        if codes is None:
            return rows, targets, weights
        place = {name: i for i, name in enumerate(class_texts(self.classes_))}
        order = np.array([place[name] for name in model.class_names()])
        return rows, self.classes_[order[codes]], weights


class SGML(MetricLearner):
    """Signed graph metric learning: the paper's own algorithm, with colours that it learns.

    A MetricLearner with solver='sgml'.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> import gersh
    >>> X, y = load_iris(return_X_y=True)
    >>> gersh.SGML(objective="mcml").fit(X, y).colors_.shape
    (4,)
    """

    _fixed = {"solver": "sgml"}


class PGML(MetricLearner):
    """Positive graph metric learning: the paper's algorithm with positive edges alone.

    A MetricLearner with solver='pgml'.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> import gersh
    >>> X, y = load_iris(return_X_y=True)
    >>> bool((gersh.PGML().fit(X, y).graph_.weight > 0).all())
    True
    """

    _fixed = {"solver": "pgml"}


class LMNN(MetricLearner):
    """Large margin nearest neighbours: margins around neighbourhoods.

    A MetricLearner with objective='lmnn', and solver='psd' unless another one is given.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> import gersh
    >>> X, y = load_iris(return_X_y=True)
    >>> gersh.LMNN(n_components=2).fit_transform(X, y).shape
    (150, 2)
    """

    _fixed = {"objective": "lmnn"}
    _usual = {"solver": "psd"}


class MCML(MetricLearner):
    """Maximally collapsing metric learning: classes collapse.

    A MetricLearner with objective='mcml', and solver='psd' unless another one is given.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> import gersh
    >>> X, y = load_iris(return_X_y=True)
    >>> gersh.MCML().fit(X, y).stop_
    'converged'
    """

    _fixed = {"objective": "mcml"}
    _usual = {"solver": "psd"}


class LSML(MetricLearner):
    """Least squares metric learning: every pair of one class is to be closer than every other.

    A MetricLearner with objective='lsml', and solver='psd' unless another one is given.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> import gersh
    >>> X, y = load_iris(return_X_y=True)
    >>> gersh.LSML().fit(X, y).components_.shape[1]
    4
    """

    _fixed = {"objective": "lsml"}
    _usual = {"solver": "psd"}


class DEML(MetricLearner):
    """Distances of different classes, maximised: classes move apart.

    A MetricLearner with objective='deml', and solver='balanced' unless another one is given. The value is maximised,
    so that `bound_` is above it.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> import gersh
    >>> X, y = load_iris(return_X_y=True)
    >>> learner = gersh.DEML().fit(X, y)
    >>> bool(learner.bound_ >= learner.objective_value_)
    True
    """

    _fixed = {"objective": "deml"}
    _usual = {"solver": "balanced"}


class GLR(MetricLearner):
    """Graph Laplacian regulariser: labels are to be smooth on the graph of the rows; also for real-valued targets.

    A MetricLearner with objective='glr', and solver='balanced' unless another one is given.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> import gersh
    >>> X, y = load_diabetes(return_X_y=True)
    >>> gersh.GLR(task="regress").fit(X[:100], y[:100]).bound_ > 0
    True
    """

    _fixed = {"objective": "glr"}
    _usual = {"solver": "balanced"}

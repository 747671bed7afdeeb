"""tune, which chooses how to learn, and load, which reads model files."""

import ctypes as c
import os
import warnings
from typing import Any, Callable, Optional, Union

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from . import _structures as s
from ._base import BaseMetricLearner
from ._library import library
from ._model import Model, Dataset
from ._run import Run, TuneProgress, run_in_thread
from ._settings import TABLE, check_seed, check_threads, Settings
from ._supervised import MetricLearner, classes_of
from ._tuples import MetricLearnerPairs, MetricLearnerQuadruplets, MetricLearnerTriplets

WEIGHTS = {"equal": "uniform", "distance": "distance"}  # what scikit-learn calls the rules of votes
BY_SIZE = {0: MetricLearner, 2: MetricLearnerPairs, 3: MetricLearnerTriplets, 4: MetricLearnerQuadruplets}


def _learner_of(model: Model, **others) -> BaseMetricLearner:
    """A fitted estimator around a model, with the parameters that the model was fitted with."""
    kind, values = BY_SIZE[model.tuple_size()], model.settings()
    parameters = {TABLE[name].parameter: None if value == "none" and name == "max-time" else value
                  for name, value in values.items() if TABLE[name].group in ("scale", "fit")}
    if model.is_custom:
        parameters["objective"] = None
    if kind is MetricLearner and model.task != "none":
        parameters["task"] = model.task
    learner = kind(edges=model.rules(), random_state=values["seed"], n_jobs=values["threads"] or None,
                   memory=values["memory"], **parameters, **others)
    learner.n_features_in_ = model.features()
    names = model.feature_names()
    if names is not None:
        learner.feature_names_in_ = np.array(names, dtype=object)
    if kind is MetricLearner and model.task == "classify":
        learner.classes_ = classes_of(model.class_names())
    learner._take(model, 0)
    return learner


def load(path: Union[str, os.PathLike]) -> BaseMetricLearner:
    """Reads a model that `save` or the command line wrote.

    Parameters
    ----------
    path : str or path-like

    Returns
    -------
    MetricLearner, MetricLearnerPairs, MetricLearnerTriplets or MetricLearnerQuadruplets
        A fitted estimator, whose certificate is what the file states until `verify` has checked it. Of pairs, `threshold_`
        is the one that `fit` chooses, where the file has the training rows.

    Examples
    --------
    >>> import os, tempfile
    >>> from sklearn.datasets import load_iris
    >>> import gersh
    >>> X, y = load_iris(return_X_y=True)
    >>> learner = gersh.MetricLearner(objective="mcml").fit(X, y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     learner.save(os.path.join(folder, "iris.gersh"))
    ...     again = gersh.load(os.path.join(folder, "iris.gersh"))
    >>> again.certificate_.standing, bool(again.verify()), again.certificate_.standing
    ('stated', True, 'verified')
    >>> again.objective, bool((again.transform(X) == learner.transform(X)).all())
    ('mcml', True)
    """
    learner = _learner_of(Model.read(os.fspath(path)))
    if isinstance(learner, MetricLearnerPairs):
        learner._recalibrate()
    return learner


def tune(X: Any, y: Any, *, objective: Optional[str] = None, solver: Optional[str] = None, scale: Optional[str] = None,
         trace: Union[float, str, None] = None, max_time: Optional[float] = None, random_state: Any = None,
         n_jobs: Optional[int] = None, callback: Optional[Callable[[TuneProgress], Any]] = None,
         verbose: int = 0) -> MetricLearner:
    """Chooses scaling, objective, solver, trace and votes of neighbours by cross-validation, and fits with the choice.

    Parameters
    ----------
    X : {array-like, sparse matrix} of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
        Classes.
    objective, solver, scale, trace : default=None
        What is given is not chosen; see MetricLearner.
    max_time : float, default=None
        Seconds for the search, without the last fit.
    random_state : int, RandomState instance or None, default=None
        Seed of the folds; None is always the same one.
    n_jobs : int, default=None
        Number of threads; None and -1 are one for each core.
    callback : callable, default=None
        Called with a `gersh.TuneProgress` after each fit. If it returns a true value, the search ends.
    verbose : int, default=0
        If not 0, a line with a progress bar on stderr.

    Returns
    -------
    MetricLearner
        The best candidate, fitted to all rows. `n_neighbors_` and `weights_` are what a KNeighborsClassifier after it
        should have, and `tuning_` lists all candidates, the best first, as dicts.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> import gersh
    >>> X, y = load_iris(return_X_y=True)
    >>> learner = gersh.tune(X[::3], y[::3], objective="mcml")
    >>> learner.tuning_[0]["accuracy"] > 0.9
    True
    """
    given = {"objective": objective, "solver": solver, "scale": scale, "trace": trace}
    frame = MetricLearner()  # checks X and y, and remembers the features
    X, y = frame._check_xy(X, y, reset=True)
    labels = frame._labels(y)
    if "codes" not in labels:
        raise ValueError("Unknown label type: 'continuous'. tune needs classes.")
    if max_time is not None and not max_time > 0:
        raise ValueError(f"The 'max_time' parameter of tune must be a float in the range (0, inf) or None. Got {max_time!r} "
                         "instead.")
    out = c.POINTER(s.Tuning)()
    settings = {**given, "seed": check_seed(random_state), "threads": check_threads(n_jobs)}
    with Settings("tune", settings, explicit=True) as pointer, \
            Dataset(X, feature_names=getattr(frame, "feature_names_in_", None), **labels) as data, \
            Run(callback, verbose) as run:
        options = s.TuneOptions(budget=max_time or 0.0, progress=run.report_tuning(), cancel=c.pointer(run.cancel))
        run_in_thread(library.gersh_tune, c.byref(out), data, pointer, c.byref(options))
        model, rows = _take_tuning(out)
    learner = _learner_of(model)
    learner.classes_ = frame.classes_
    use = model.settings()
    learner.n_neighbors_, learner.weights_ = use["neighbors"], WEIGHTS[use["votes"]]
    learner.tuning_ = rows
    if run.interrupted:
        warnings.warn("tune was interrupted; the best candidate so far is fitted.", ConvergenceWarning, stacklevel=2)
    return learner


def _take_tuning(out):
    """The model and the rows of a tuning, which is freed."""
    try:
        tuning = out.contents
        model, tuning.model = Model(c.c_void_p(tuning.model)), None  # which the estimator owns from here on
        rows = [{name: getattr(tuning.row[r], name) for name, _ in s.TuneRow._fields_} for r in range(tuning.count)]
    finally:
        library.gersh_tuning_free(out)
    return model, [{name: value.decode() if isinstance(value, bytes) else value for name, value in row.items()}
                   for row in rows]

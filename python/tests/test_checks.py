"""scikit-learn's own checks, on every estimator."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.utils.estimator_checks import check_estimator

import gersh

SUPERVISED = [gersh.MetricLearner, gersh.SGML, gersh.PGML, gersh.LMNN, gersh.MCML, gersh.LSML, gersh.DEML, gersh.GLR]
PAIRS = [gersh.MetricLearnerPairs, gersh.SGMLPairs, gersh.PGMLPairs, gersh.MCMLPairs, gersh.LSMLPairs, gersh.DEMLPairs,
         gersh.GLRPairs]
TRIPLETS = [gersh.MetricLearnerTriplets, gersh.SGMLTriplets, gersh.PGMLTriplets, gersh.LMNNTriplets, gersh.LSMLTriplets]
QUADRUPLETS = [gersh.MetricLearnerQuadruplets, gersh.SGMLQuadruplets, gersh.PGMLQuadruplets, gersh.LMNNQuadruplets,
               gersh.LSMLQuadruplets]
TUPLES = PAIRS + TRIPLETS + QUADRUPLETS

# Checks that are left out, with the reason.
SKIPPED = {
    "check_sample_weight_equivalence_on_dense_data":
        "scale and trace are set by the rows, not by their weights: a row of weight 2 is not quite the same row twice",
    "check_sample_weight_equivalence_on_sparse_data": "as above",
}


def test_all_estimators_are_here():
    found = {value for value in vars(gersh).values() if isinstance(value, type) and issubclass(value, BaseEstimator)}
    assert found == set(SUPERVISED + TUPLES)


def checks(kinds):
    for kind in kinds:
        for estimator, check in check_estimator(kind(), generate_only=True):
            name = getattr(check, "func", check).__name__
            marks = [pytest.mark.skip(reason=SKIPPED[name])] if name in SKIPPED else []
            yield pytest.param(estimator, check, id=f"{kind.__name__}-{name}", marks=marks)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("estimator, check", checks(SUPERVISED))
def test_supervised(estimator, check):
    check(estimator)


class Absent:
    """An attribute that is not there."""

    def __get__(self, instance, owner):
        raise AttributeError


def table_learner(kind):
    """The kind as a learner from tables: each row makes a tuple with those that follow it.

    scikit-learn's checks know tables only, and would pass by estimators of 3D arrays without a check. What takes tuples
    besides fit has tests of its own.
    """

    def fit(self, X, y=None):
        X = self._points(X, reset=True, ensure_min_samples=kind._size)
        order = np.array([np.roll(np.arange(len(X)), -shift) for shift in range(kind._size)]).T
        length = np.abs(X - np.roll(X, -1, axis=0)).sum(axis=1)
        return kind.fit(self, X[order], None if y is None else np.where(length <= np.median(length), 1, -1))

    def _more_tags(self):
        return {"X_types": ["2darray"], "requires_y": kind in PAIRS}

    def __sklearn_tags__(self):
        tags = kind.__sklearn_tags__(self)
        tags.input_tags.two_d_array, tags.target_tags.required = True, kind in PAIRS
        return tags

    name = f"{kind.__name__}Table"
    members = {"fit": fit, "_more_tags": _more_tags, "__sklearn_tags__": __sklearn_tags__, "__module__": __name__}
    return type(name, (kind,), {**members, **{gone: Absent() for gone in ("predict", "decision_function", "score")}})


TABLE_LEARNERS = [table_learner(kind) for kind in TUPLES]
globals().update({kind.__name__: kind for kind in TABLE_LEARNERS})  # where pickle looks for them


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("estimator, check", checks(TABLE_LEARNERS))
def test_tuples(estimator, check):
    check(estimator)

"""Certificates, and their verification."""

import pickle
import re

import numpy as np
import pytest
from sklearn.base import clone

import gersh

OBJECTIVES = [objective.name for objective in gersh.objectives() if "classes" in objective.takes]
CERTIFIED = [solver.name for solver in gersh.solvers() if solver.bound]


@pytest.mark.parametrize("solver", CERTIFIED)
@pytest.mark.parametrize("objective", OBJECTIVES)
def test_an_honest_model_is_verified(wine, objective, solver):
    X, y = wine
    learner = gersh.MetricLearner(objective, solver, tol=0.01).fit(X, y)
    assert learner.certificate_.standing == "certified"
    for found in (learner.verify(), learner.verify(X, y), learner.certificate_.verify(X, y)):
        assert found and found.verdict == "verified" == learner.certificate_.standing
        assert {check.result for check in found.checks} == {"passed"}
        checks = {check.name: check for check in found.checks}
        value, bound = checks["objective value"], checks["bound"]
        assert value.stated == learner.objective_value_ and bound.stated == learner.bound_
        assert abs(value.recomputed - value.stated) <= value.tolerance < 1e-6 * abs(value.stated)
        assert abs(bound.recomputed - bound.stated) <= bound.tolerance
    assert str(found).endswith("\nverified") and "bound: passed (" in str(found)
    assert repr(found).startswith("<Verification: verified; ") and "failed" not in repr(found)


def test_the_certificate_has_the_numbers_of_the_fit(wine):
    learner = gersh.MetricLearner().fit(*wine)
    certificate = learner.certificate_
    assert (certificate.value, certificate.bound) == (learner.objective_value_, learner.bound_)
    assert (certificate.gap, certificate.relative_gap) == (learner.gap_, learner.relative_gap_)
    assert 0 <= certificate.search_gap <= certificate.gap
    assert str(certificate).startswith("optimal within ") and str(certificate).endswith("certified")
    without = gersh.SGML("glr").fit(*wine).certificate_
    assert without.bound is without.gap is without.relative_gap is without.search_gap is None
    assert "no certificate" in str(without)


def test_other_samples_fail(wine):
    X, y = wine
    learner = gersh.MetricLearner("glr").fit(X, y)
    moved, exchanged = X.copy(), y.copy()
    moved[3, 4] = np.nextafter(moved[3, 4], np.inf)
    exchanged[[0, -1]] = exchanged[[-1, 0]]
    for other in ((moved, y), (X, exchanged), (X[::-1], y[::-1])):
        found = learner.verify(*other)
        assert not found and found.verdict == "FAILED" == learner.certificate_.standing
        assert [check.result for check in found.checks if check.name == "samples"] == ["failed"]
        assert "failed a check" in str(learner.certificate_)
    assert learner.verify(X, y) and learner.certificate_.standing == "verified"
    with pytest.raises(ValueError, match="the data has 100 samples but the model was fitted to 178"):
        learner.verify(X[:100], y[:100])
    with pytest.raises(ValueError, match="give X as well"):
        learner.verify(y=y)
    with pytest.raises(ValueError, match="requires y"):
        learner.verify(X)


def test_what_was_read_is_stated_until_it_is_verified(wine, tmp_path):
    X, y = wine
    learner = gersh.MetricLearner().fit(X, y)
    learner.save(tmp_path / "model")
    learner.save(tmp_path / "small", data=False)
    assert learner.verify()
    for copy in (gersh.load(tmp_path / "model"), pickle.loads(pickle.dumps(learner))):
        assert copy.certificate_.standing == "stated"
        assert "the model states that it is optimal within" in str(copy.certificate_)
        assert "verify() checks that" in str(copy.certificate_)
        assert copy.verify() and copy.certificate_.standing == "verified"
        assert str(copy.certificate_).endswith(", verified")
    small = gersh.load(tmp_path / "small")
    found = small.verify()
    assert not found and found.verdict == "not fully checked" == small.certificate_.standing
    assert "objective value: not checked" in str(found)
    assert small.verify(X, y)
    assert not hasattr(clone(learner), "certificate_")


@pytest.mark.parametrize("labels", ["words", "weights", "targets", "frame"])
def test_labels_and_weights_are_those_of_the_fit(cancer, wine, tmp_path, labels):
    X, y = cancer if labels in ("words", "frame") else wine
    weights = np.arange(len(y)) % 3 if labels == "weights" else None
    X, y = (np.asarray(X), np.asarray(y)) if labels != "frame" else (X, y)
    if labels == "targets":
        X, y = X[:, 1:], X[:, 0]
    learner = gersh.MetricLearner(tol=0.01).fit(X, y, sample_weight=weights)
    learner.save(tmp_path / "small", data=False)
    small = gersh.load(tmp_path / "small")
    assert learner.verify(X, y, weights) and small.verify(X, y, weights)
    if weights is not None:
        used = weights > 0
        assert learner.verify(X[used], y[used])  # the weights are the model's
        assert small.verify(X[used], y[used]).verdict == "FAILED"  # which this one does not hold
        assert learner.verify(X, y, weights * 2).verdict == "FAILED"


def test_tuples(wine, tmp_path):
    X, y = wine
    rng = np.random.default_rng(0)
    rows = np.array([rng.permutation(len(X))[:4] for _ in range(60)])
    signs = np.where(y[rows[:, 0]] == y[rows[:, 1]], 1, -1)
    pairs = gersh.MetricLearnerPairs(tol=0.01).fit(X[rows[:, :2]], signs)
    pairs.save(tmp_path / "pairs", data=False)
    small = gersh.load(tmp_path / "pairs")
    assert pairs.verify() and small.verify().verdict == "not fully checked"
    for learner in (pairs, small):
        assert learner.verify(X[rows[:, :2]], signs)
        for other in ((X[rows[:, :2]], -signs), (X[rows[:, 1::-1]], signs)):
            found = learner.verify(*other)
            assert not found and found.verdict == "FAILED" == learner.certificate_.standing
            assert "tuples: failed (these are not the tuples" in str(found)
        assert learner.verify(X[rows[:, :2]] + 1, signs).verdict == "FAILED"
    with pytest.raises(ValueError, match="give both"):
        pairs.verify(y=signs)
    for kind, size in ((gersh.MetricLearnerTriplets, 3), (gersh.LMNNQuadruplets, 4)):
        learner = kind(preprocessor=X).fit(rows[:, :size])
        assert learner.verify() and learner.verify(rows[:, :size])
        assert not learner.verify(rows[::-1, :size])
        assert pickle.loads(pickle.dumps(learner)).certificate_.standing == "stated"


def test_an_objective_of_ones_own_cannot_be_checked(iris):
    def spread(distance, first, second, y):
        terms = 4 * (y[first] != y[second]) * np.exp(-distance)
        return terms.sum(), -terms

    learner = gersh.MetricLearner(spread).fit(*iris)
    found = learner.verify(*iris)
    assert not found and found.verdict == "not fully checked" == learner.certificate_.standing
    value = next(check for check in found.checks if check.name == "objective value")
    assert value.result == "not checked" and "custom" in value.sentence and np.isnan(value.recomputed)
    assert re.search(r"[1-9] not checked", repr(found))

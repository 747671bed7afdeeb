"""What features contribute to telling samples apart, by definition: with NumPy, and none of the library's code."""

import numpy as np
import pytest
from conftest import scaled

import gersh


def moments(Z, first, second, weight):
    difference = Z[first] - Z[second]
    return np.einsum("p,pi,pj->ij", weight, difference, difference) / weight.sum()


def contributions(learner, Z, pairs, far, near):
    """c of each feature from explicit pairs, and tr(M S_b)."""
    M = learner.matrix_
    S_b, S_w = moments(Z, *pairs, far), moments(Z, *pairs, near)
    return np.sum(M * (S_b - S_w), axis=1), np.sum(M * S_b)


@pytest.mark.parametrize("solver", ["balanced", "psd", "diagonal"])
def test_classes(wine, solver):
    X, y = wine
    learner = gersh.MetricLearner(solver=solver).fit(X, y)
    pairs = np.triu_indices(len(X), 1)
    same = y[pairs[0]] == y[pairs[1]]
    c, _ = contributions(learner, scaled(X), pairs, (~same).astype(float), same.astype(float))
    assert learner.feature_importances_ == pytest.approx(c / c.sum(), rel=1e-9, abs=1e-12)
    assert learner.feature_importances_.sum() == pytest.approx(1)


def test_weights_and_targets(iris):
    X, t = iris[0][:, :3], iris[0][:, 3]
    weight = np.random.default_rng(0).uniform(size=len(X))
    learner = gersh.MetricLearner().fit(X, t, sample_weight=weight)
    first, second = np.triu_indices(len(X), 1)
    both = weight[first] * weight[second]
    c, _ = contributions(learner, scaled(X), (first, second), both * (t[first] - t[second]) ** 2, both)
    assert learner.feature_importances_ == pytest.approx(c / c.sum(), rel=1e-9, abs=1e-12)


def test_pairs(iris):
    X, y = iris
    pairs = np.random.default_rng(1).integers(len(X), size=(400, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    similar = y[pairs[:, 0]] == y[pairs[:, 1]]
    learner = gersh.MetricLearnerPairs(preprocessor=X, scale="none").fit(pairs, np.where(similar, 1, -1))
    c, _ = contributions(learner, X, pairs.T, (~similar).astype(float), similar.astype(float))
    assert learner.feature_importances_ == pytest.approx(c / c.sum(), rel=1e-9, abs=1e-12)


def test_kept_in_files(iris, tmp_path):
    learner = gersh.MetricLearner().fit(*iris)
    learner.save(tmp_path / "model.gersh", data=False)
    assert np.array_equal(gersh.load(tmp_path / "model.gersh").feature_importances_, learner.feature_importances_)


def test_not_fitted():
    assert not hasattr(gersh.MetricLearner(), "feature_importances_")

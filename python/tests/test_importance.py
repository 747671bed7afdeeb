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


@pytest.mark.parametrize("solver", ["balanced", "psd"])
def test_edges_have_the_correlation_of_the_data(cancer, tmp_path, solver):
    X, y = cancer
    weight = np.random.default_rng(3).uniform(size=len(X))
    learner = gersh.MetricLearner(solver=solver).fit(X, y, sample_weight=weight)
    graph, M = learner.graph_, learner.matrix_
    Z = np.asarray(X) - np.average(X, axis=0, weights=weight)
    S = Z.T @ (weight[:, None] * Z)
    assert graph.correlation == pytest.approx((S / np.sqrt(np.outer(np.diag(S), np.diag(S))))[graph.first, graph.second])
    assert graph.normalized == pytest.approx((M / np.sqrt(np.outer(np.diag(M), np.diag(M))))[graph.first, graph.second])
    first, second, weight = graph.edges[0]
    assert graph.to_networkx().edges[first, second]["weight"] == weight
    learner.save(tmp_path / "model.gersh", data=False)
    assert np.isnan(gersh.load(tmp_path / "model.gersh").graph_.correlation).all()


def test_not_fitted():
    assert not hasattr(gersh.MetricLearner(), "feature_importances_")


def xor(n=200, seed=2):
    """Five features of which the second and the last tell the classes, and only together."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 5))
    X[:, 1], X[:, 4] = 0.2 * X[:, 1] + rng.choice([-1, 1], n), 0.2 * X[:, 4] + rng.choice([-1, 1], n)
    return X, X[:, 1] * X[:, 4] > 0


def test_an_xor_is_ranked_by_permutation(tmp_path):
    X, y = xor()
    learner = gersh.GLR().fit(X, y)
    learner.save(tmp_path / "plain.gersh", data=False)
    assert set(np.argsort(-learner.feature_importances_)[:2]) == {1, 4}
    found = learner.importance()
    assert found.kind == "permutation" and found.blind and found.separation < 0.05 and found.score > 0.8
    assert np.array_equal(found.value, learner.feature_importances_) and (found.deviation >= 0).all()
    assert learner.importance("contribution").kind == "contribution"
    weight = learner.importance("weight").value
    assert weight == pytest.approx(np.diag(learner.matrix_) / np.trace(learner.matrix_))
    learner.save(tmp_path / "model.gersh")
    assert np.array_equal(gersh.load(tmp_path / "model.gersh").feature_importances_, found.value)
    without = gersh.load(tmp_path / "plain.gersh")  # neither of the two is known
    assert without.importance().kind == "weight" and without.feature_importances_.sum() == pytest.approx(1)
    with pytest.raises(ValueError, match="without its training samples"):
        without.importance("permutation")


def test_asking_for_permutation_does_not_change_the_ranking(iris):
    learner = gersh.MetricLearner().fit(*iris)
    before = learner.feature_importances_
    found = learner.importance("permutation")
    assert found.kind == "permutation" and np.array_equal(found.value, found.permutation)
    assert np.argmax(found.value) in (2, 3) and found.score > 0.9
    assert np.array_equal(learner.feature_importances_, before) and learner.importance().kind == "contribution"


def test_targets_lose_their_score(iris):
    X = iris[0]
    found = gersh.MetricLearner().fit(X[:, :3], X[:, 3]).importance("permutation")
    assert 0.8 < found.score < 1 and np.argmax(found.value) == 2


def test_tuples_have_no_permutation(iris):
    X, y = iris
    pairs = np.array([[0, 1], [50, 51], [0, 50], [1, 51]])
    learner = gersh.MetricLearnerPairs(preprocessor=X).fit(pairs, [1, 1, -1, -1])
    with pytest.raises(ValueError, match="tuples"):
        learner.importance("permutation")


def test_kind_is_checked(iris):
    with pytest.raises(ValueError, match="'kind' parameter"):
        gersh.MetricLearner().fit(*iris).importance("gini")

"""Learning from pairs, triplets and quadruplets."""

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, fbeta_score, roc_auc_score
from sklearn.model_selection import GridSearchCV, cross_val_score

import gersh


@pytest.fixture(scope="module")
def points(wine):
    return wine[0]


@pytest.fixture(scope="module")
def pairs(wine):
    """Indices of pairs without repetition, and whether they are of one class."""
    rng = np.random.default_rng(5)
    X, y = wine
    first, second = np.triu_indices(len(X), 1)
    some = rng.choice(len(first), 400, replace=False)
    indices = np.stack([first[some], second[some]], axis=1)
    return indices, np.where(y[indices[:, 0]] == y[indices[:, 1]], 1, -1)


@pytest.fixture(scope="module")
def triplets(wine):
    rng = np.random.default_rng(6)
    y = wine[1]
    rows = np.array([rng.permutation(len(y))[:3] for _ in range(3000)])
    return rows[(y[rows[:, 0]] == y[rows[:, 1]]) & (y[rows[:, 0]] != y[rows[:, 2]])]


@pytest.fixture(scope="module")
def quadruplets(wine):
    rng = np.random.default_rng(7)
    y = wine[1]
    rows = np.array([rng.permutation(len(y))[:4] for _ in range(2000)])
    return rows[(y[rows[:, 0]] == y[rows[:, 1]]) & (y[rows[:, 2]] != y[rows[:, 3]])]


@pytest.mark.parametrize("kind", [gersh.MetricLearnerPairs, gersh.SGMLPairs, gersh.PGMLPairs, gersh.MCMLPairs,
                                  gersh.LSMLPairs, gersh.DEMLPairs, gersh.GLRPairs])
def test_pairs(points, pairs, kind):
    indices, y = pairs
    train, test = slice(0, 300), slice(300, 400)
    learner = kind(preprocessor=points).fit(indices[train], y[train])
    euclid = kind(preprocessor=points).set_params(solver=None)
    distance = learner.pair_distance(indices[test])
    assert np.array_equal(learner.decision_function(indices[test]), -distance)
    assert np.array_equal(learner.predict(indices[test]), np.where(distance <= learner.threshold_, 1, -1))
    assert learner.score(indices[test], y[test]) == pytest.approx(roc_auc_score(y[test], -distance))
    assert learner.score(indices[test], y[test]) > 0.7
    assert learner.threshold_ > 0 and learner.classes_.tolist() == [-1, 1]
    assert not hasattr(euclid, "threshold_")


def test_arrays_of_points_are_as_good_as_indices(points, pairs):
    indices, y = pairs
    by_index = gersh.MetricLearnerPairs(preprocessor=points, tol=1e-6).fit(indices, y)
    by_point = gersh.MetricLearnerPairs(tol=1e-6).fit(points[indices], y)
    by_call = gersh.MetricLearnerPairs(tol=1e-6, preprocessor=lambda rows: points[rows]).fit(indices, y)
    assert np.array_equal(by_index.matrix_, by_call.matrix_)
    assert np.allclose(by_index.matrix_, by_point.matrix_, atol=5e-3 * np.abs(by_point.matrix_).max())
    assert by_index.objective_value_ == pytest.approx(by_point.objective_value_, rel=1e-5)
    assert np.allclose(by_index.transform([4, 8]), by_index.transform(points[[4, 8]]))


def test_pairs_learn_what_labels_teach(wine):
    """With all pairs listed, the objective has the value that it has for the classes."""
    X, y = wine[0][::3], wine[1][::3]
    first, second = np.triu_indices(len(X), 1)
    signs = np.where(y[first] == y[second], 1, -1)
    learner = gersh.GLRPairs(preprocessor=X, tol=1e-5).fit(np.stack([first, second], axis=1), signs)
    assert learner.objective_value_ == pytest.approx(gersh.GLR(tol=1e-5).fit(X, y).objective_value_, rel=1e-4)


def brute_force_accuracy(distance, y):
    cuts = np.concatenate([[distance.min() - 1], distance])
    return max(accuracy_score(y, np.where(distance <= cut, 1, -1)) for cut in cuts)


def test_thresholds(points, pairs):
    indices, y = pairs
    learner = gersh.MetricLearnerPairs(preprocessor=points).fit(indices[:200], y[:200])
    distance = learner.pair_distance(indices[:200])
    assert accuracy_score(y[:200], learner.predict(indices[:200])) == brute_force_accuracy(distance, y[:200])
    valid, signs = indices[200:], y[200:]
    distance = learner.pair_distance(valid)

    def rates():
        found = learner.predict(valid)
        return np.mean(found[signs == 1] == 1), np.mean(found[signs == -1] == -1)

    assert learner.calibrate_threshold(valid, signs) is learner
    assert accuracy_score(signs, learner.predict(valid)) == brute_force_accuracy(distance, signs)
    learner.calibrate_threshold(valid, signs, strategy="f_beta", beta=2.0)
    best = max(fbeta_score(signs, np.where(distance <= cut, 1, -1), beta=2.0) for cut in distance)
    assert fbeta_score(signs, learner.predict(valid), beta=2.0) == pytest.approx(best)
    learner.calibrate_threshold(valid, signs, strategy="max_tpr", min_rate=0.9)
    assert rates()[1] >= 0.9
    found = rates()[0]
    for cut in distance:
        if np.mean(distance[signs == -1] > cut) >= 0.9:
            assert np.mean(distance[signs == 1] <= cut) <= found
    learner.calibrate_threshold(valid, signs, strategy="max_tnr", min_rate=0.9)
    assert rates()[0] >= 0.9
    learner.set_threshold(0.0)
    assert learner.predict(valid).tolist() == [-1] * len(valid)
    for wrong in ({"strategy": "best"}, {"strategy": "max_tpr"}, {"strategy": "max_tnr", "min_rate": 2}):
        with pytest.raises(ValueError, match="parameter must be"):
            learner.calibrate_threshold(valid, signs, **wrong)
    with pytest.raises(ValueError, match="threshold must be a number"):
        learner.set_threshold("low")


@pytest.mark.parametrize("kind", [gersh.MetricLearnerTriplets, gersh.SGMLTriplets, gersh.PGMLTriplets,
                                  gersh.LMNNTriplets, gersh.LSMLTriplets])
def test_triplets(points, triplets, kind):
    train, test = triplets[:200], triplets[200:]
    learner = kind(preprocessor=points).fit(train)
    T = learner.transform(points)
    a, p, n = (T[test[:, place]] for place in range(3))
    decision = np.linalg.norm(a - n, axis=1) - np.linalg.norm(a - p, axis=1)
    assert np.allclose(learner.decision_function(test), decision)
    assert np.array_equal(learner.predict(test), np.where(decision > 0, 1, -1))
    assert learner.score(test) == pytest.approx(np.mean(decision > 0)) and learner.score(test) > 0.8


@pytest.mark.parametrize("kind", [gersh.MetricLearnerQuadruplets, gersh.SGMLQuadruplets, gersh.PGMLQuadruplets,
                                  gersh.LMNNQuadruplets, gersh.LSMLQuadruplets])
def test_quadruplets(points, quadruplets, kind):
    train, test = quadruplets[:200], quadruplets[200:]
    learner = kind().fit(points[train])
    T = learner.transform(points)
    a, b, c, d = (T[test[:, place]] for place in range(4))
    decision = np.linalg.norm(c - d, axis=1) - np.linalg.norm(a - b, axis=1)
    assert np.allclose(learner.decision_function(points[test]), decision)
    assert learner.score(points[test]) == pytest.approx(np.mean(decision > 0)) and learner.score(points[test]) > 0.8


def test_in_model_selection(points, pairs, triplets):
    indices, y = pairs
    assert cross_val_score(gersh.MetricLearnerPairs(), points[indices], y, cv=3).min() > 0.8
    search = GridSearchCV(gersh.MetricLearnerTriplets(preprocessor=points), {"objective": ["lsml", "lmnn"]}, cv=3)
    assert search.fit(triplets).best_score_ > 0.8


def test_equal_points_are_pairs_at_distance_zero(points):
    tuples = points[[[0, 1], [2, 2], [3, 4], [5, 90], [6, 120]]]
    learner = gersh.MetricLearnerPairs().fit(tuples, [1, 1, 1, -1, -1])
    assert learner.pair_distance(tuples)[1] == 0


def test_what_is_refused(points, pairs, triplets):
    indices, y = pairs
    learner = gersh.MetricLearnerPairs
    for given, labels, message in [
            (points[indices], y[:-1], "inconsistent numbers of samples"),
            (points[indices], None, "requires y to be passed"),
            (points[indices], np.where(y == 1, 1, 0), r"must be 1 \(similar\) or -1 \(dissimilar\)"),
            (points, y, "inconsistent numbers"),
            (points[:len(y)], y[:len(points)], "Expected pairs as a 3D array"),
            (points[triplets[:40]], y[:40], "Each of the pairs must have 2 points"),
            (points[indices] * np.nan, y, "NaN"),
            (points[indices[[0, 0]]], [1, -1], "contradict|both similar and dissimilar|opposite")]:
        with pytest.raises(ValueError, match=message):
            learner().fit(given, labels)
    with pytest.raises(ValueError, match="not in the preprocessor"):
        learner(preprocessor=points).fit(indices + 10**6, y)
    with pytest.raises(ValueError, match="a callable is a function of all pairs"):
        learner(objective=lambda *_: 0, preprocessor=points).fit(indices, y)
    with pytest.raises(ValueError, match="mcml"):
        gersh.MetricLearnerTriplets("mcml", preprocessor=points).fit(triplets)


def test_one_kind_of_pairs_alone(points, pairs):
    indices, y = pairs
    apart = gersh.GLRPairs(preprocessor=points).fit(indices[y == -1], y[y == -1])
    assert apart.predict(indices[y == -1]).tolist() == [-1] * int(np.sum(y == -1))

"""The objective that is chosen where none is given, and what is said of the metric beside none."""

import warnings

import numpy as np
import pytest
from conftest import scaled
from scipy.stats import binomtest

import gersh


@pytest.fixture
def xor():
    random = np.random.default_rng(1)
    corner = random.integers(0, 2, (300, 2))
    X = np.column_stack([corner + 0.3 * random.standard_normal((300, 2)), 0.5 * random.standard_normal((300, 6))])
    return X, np.array(["even", "odd"])[corner.sum(axis=1) % 2]


def test_an_xor_is_learned_with_glr(xor):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        learner = gersh.MetricLearner().fit(*xor)
    found = learner.training_accuracy_
    assert learner.objective_ == "glr" and found.automatic and found.switched and found.other == "mcml"
    assert found.verdict == "better" and found.samples == 300 and found.accuracy > found.other_accuracy + 0.2
    assert np.array_equal(learner.matrix_, gersh.MetricLearner("glr").fit(*xor).matrix_)
    assert set(np.argsort(learner.feature_importances_)[-2:]) == {0, 1}


def test_an_objective_that_is_given_stays_and_is_warned_of(xor):
    with pytest.warns(UserWarning, match="classifies worse than the scaled features without it"):
        learner = gersh.MetricLearner("mcml").fit(*xor)
    found = learner.training_accuracy_
    assert learner.objective_ == "mcml" and found.verdict == "worse" and not found.automatic and found.other is None


def test_classes_in_one_place(wine):
    learner = gersh.MetricLearner().fit(*wine)
    assert learner.objective_ == "mcml" and not learner.training_accuracy_.switched


def test_the_verdict_is_that_of_a_binomial_test(cancer):
    """Each sample is classified by all others here, which is about the same as by other folds."""
    X, y = cancer[0].to_numpy(), cancer[1] == "benign"
    learner = gersh.MetricLearner("deml").fit(X, y)
    found = learner.training_accuracy_
    right = {}
    for name, points in (("learned", learner.transform(X)), ("euclidean", scaled(X))):
        order = np.argsort(np.linalg.norm(points[:, None] - points[None], axis=2), axis=1)[:, 1:11]
        right[name] = (y[order].mean(axis=1) >= 0.5) == y  # of equal votes the larger class
    assert found.accuracy == pytest.approx(right["learned"].mean(), abs=0.02)
    assert found.euclidean == pytest.approx(right["euclidean"].mean(), abs=0.02)
    gained, lost = (right["learned"] > right["euclidean"]).sum(), (right["learned"] < right["euclidean"]).sum()
    p = binomtest(int(max(gained, lost)), int(gained + lost), alternative="greater").pvalue
    if p < 1e-4:
        assert found.verdict == ("better" if gained > lost else "worse")
    elif p > 0.1:
        assert found.verdict == "alike"


def test_nothing_is_compared_without_classes(iris):
    X, y = iris
    assert gersh.MetricLearner().fit(X[:, 1:], X[:, 0]).training_accuracy_ is None
    pairs = np.array([[0, 1], [0, 60], [50, 60]])
    assert gersh.MetricLearnerPairs(preprocessor=X).fit(pairs, [1, -1, 1]).training_accuracy_ is None
    assert gersh.MetricLearnerPairs(preprocessor=X).fit(pairs, [1, -1, 1]).objective_ == "lsml"


def test_kept_in_files(xor, tmp_path):
    learner = gersh.MetricLearner().fit(*xor)
    learner.save(tmp_path / "model.gersh", data=False)
    back = gersh.load(tmp_path / "model.gersh")
    assert back.training_accuracy_ == learner.training_accuracy_ and back.objective_ == "glr"

"""Inside scikit-learn, pickle, joblib, processes and threads."""

import copy
import multiprocessing
import pickle
import threading
from concurrent.futures import ThreadPoolExecutor

import joblib
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import gersh

THREADS, PROCESSES = 20, 8


def fitted_matrix(X, y):
    return gersh.MetricLearner("mcml").fit(X, y).matrix_


def test_pipelines_and_cross_validation(wine):
    X, y = wine
    pipeline = make_pipeline(StandardScaler(), gersh.MetricLearner(), KNeighborsClassifier())
    scores = cross_val_score(pipeline, X, y, cv=5)
    assert scores.mean() > 0.9
    plain = cross_val_score(KNeighborsClassifier(), X, y, cv=5)
    assert scores.mean() > plain.mean()
    assert pipeline.fit(X, y)[:-1].get_feature_names_out().shape == (pipeline[1].components_.shape[0],)


def test_grid_search(wine):
    X, y = wine
    pipeline = make_pipeline(gersh.MetricLearner(), KNeighborsClassifier())
    grid = {"metriclearner__objective": ["glr", "mcml"], "metriclearner__n_components": [2, None],
            "metriclearner__trace": ["auto", 30.0]}
    search = GridSearchCV(pipeline, grid, cv=3, n_jobs=2, error_score="raise").fit(X, y)
    assert search.best_score_ > 0.9


def test_clone_has_the_parameters_and_no_more(wine):
    learner = gersh.LMNN(tol=0.01, n_components=2, edges=None, random_state=4).fit(*wine)
    other = clone(learner)
    assert other.get_params() == learner.get_params() and not hasattr(other, "n_iter_")
    assert "tol=0.01" in repr(learner)


@pytest.mark.parametrize("learner", [gersh.MetricLearner(n_components=2), gersh.LMNN(), gersh.GLR(task="regress")])
def test_pickles_and_copies_are_the_same(wine, cancer, learner):
    X, y = wine
    learner.fit(X, y)
    expected = learner.transform(X)
    for other in (pickle.loads(pickle.dumps(learner)), copy.deepcopy(learner)):
        assert np.array_equal(other.transform(X), expected)
        assert other.bound_ == learner.bound_ and np.array_equal(other.matrix_, learner.matrix_)
    other.partial_fit(X[:20], y[:20])  # the training rows came along
    assert np.array_equal(learner.transform(X), expected)


def test_names_come_back_from_pickles(cancer):
    learner = pickle.loads(pickle.dumps(gersh.MetricLearner().fit(*cancer)))
    assert list(learner.feature_names_in_) == list(cancer[0].columns)
    assert learner.graph_.names == list(cancer[0].columns)


def test_joblib_files(wine, tmp_path):
    learner = gersh.MetricLearner().fit(*wine)
    joblib.dump(learner, tmp_path / "learner.joblib")
    assert np.array_equal(joblib.load(tmp_path / "learner.joblib").matrix_, learner.matrix_)


def test_twenty_threads_at_once(wine):
    X, y = wine
    expected = fitted_matrix(X, y)
    together = threading.Barrier(THREADS)

    def fit(_):
        together.wait()
        return fitted_matrix(X, y)

    with ThreadPoolExecutor(THREADS) as pool:
        for matrix in pool.map(fit, range(THREADS)):
            assert np.array_equal(matrix, expected)


def test_one_estimator_in_many_threads(wine):
    X, y = wine
    learner = gersh.MetricLearner().fit(X, y)
    expected = gersh.MetricLearner().fit(X, y).transform(X)
    with ThreadPoolExecutor(THREADS) as pool:
        for found in pool.map(lambda _: learner.transform(X), range(5 * THREADS)):
            assert np.array_equal(found, expected)


@pytest.mark.parametrize("backend", ["loky", "multiprocessing", "threading"])
def test_eight_joblib_workers_at_once(wine, backend):
    X, y = wine
    expected = fitted_matrix(X, y)  # threads of this process have run before the fork
    found = joblib.Parallel(n_jobs=PROCESSES, backend=backend)(
        joblib.delayed(fitted_matrix)(X, y) for _ in range(2 * PROCESSES))
    assert len(found) == 2 * PROCESSES
    for matrix in found:
        assert np.array_equal(matrix, expected)


def test_a_fitted_estimator_in_forked_processes(wine):
    X, y = wine
    learner = gersh.MetricLearner().fit(X, y)
    expected = learner.transform(X)
    with multiprocessing.get_context("fork").Pool(PROCESSES) as pool:
        for found in pool.map(learner.transform, [X] * PROCESSES):
            assert np.array_equal(found, expected)

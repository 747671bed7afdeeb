"""What may be given as X and y, and what is refused."""

import numpy as np
import pandas
import pytest
from scipy import sparse
from sklearn.exceptions import NotFittedError

import gersh


@pytest.fixture(scope="module")
def reference(wine):
    return gersh.MetricLearner().fit(*wine)


LAYOUTS = {
    "list": lambda X: X.tolist(),
    "fortran": np.asfortranarray,
    "columns of a wider array": lambda X: np.hstack([X, X])[:, :X.shape[1]],
    "every other row": lambda X: np.repeat(X, 2, axis=0)[::2],
    "backwards": lambda X: np.ascontiguousarray(X[::-1, ::-1])[::-1, ::-1],
    "frame": pandas.DataFrame,
    "csr": sparse.csr_matrix,
    "csc": sparse.csc_matrix,
    "coo": sparse.coo_matrix,
    "big-endian": lambda X: X.astype(">f8"),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_layouts_give_the_same(wine, reference, layout):
    X, y = wine
    given = LAYOUTS[layout](X)
    learner = gersh.MetricLearner().fit(given, y)
    assert np.array_equal(learner.matrix_, reference.matrix_)
    assert np.array_equal(learner.transform(given), reference.transform(X))


def test_rows_that_are_doubles_go_to_the_library_without_a_copy():
    from gersh._model import as_rows

    X = np.random.default_rng(0).normal(size=(8, 6))
    for view in (X, X[::2], X[:, :3], X[2:, 1:4], X[:, :1]):
        assert as_rows(view) is view or np.shares_memory(as_rows(view), X)
    for other in (X.T, X[:, ::2], X[::-1], X.astype(np.float32), np.broadcast_to(X[0], (5, 6))):
        rows = as_rows(other)
        assert not np.shares_memory(rows, X) and np.array_equal(rows, other)


def test_read_only_arrays_stay_as_they_are(wine, reference):
    X, y = (array.copy() for array in wine)
    X.flags.writeable = y.flags.writeable = False
    learner = gersh.MetricLearner().fit(X, y)
    assert np.array_equal(learner.transform(X), reference.transform(wine[0]))
    assert np.array_equal(X, wine[0])


def test_float32_is_near(wine):
    X, y = wine
    reference = gersh.MetricLearner(solver="hull", tol=1e-6).fit(X, y)
    learner = gersh.MetricLearner(solver="hull", tol=1e-6).fit(X.astype(np.float32), y)
    assert learner.transform(X.astype(np.float32)).dtype == np.float64
    assert learner.objective_value_ == pytest.approx(reference.objective_value_, rel=1e-4)


@pytest.mark.parametrize("labels", [[2, 7, 11], [-1.0, 0.0, 3.0], ["a", "b", "c"], ["é", "ß", "日本"], [b"x", b"y", b"z"],
                                    [10, 9, 100]])
def test_labels_of_any_kind(wine, labels):
    X, y = wine
    plain = gersh.MetricLearner(solver="hull", tol=1e-8).fit(X, y)
    learner = gersh.MetricLearner(solver="hull", tol=1e-8).fit(X, np.array(labels)[y])
    # The order of the classes is another one, and with it the way to the best metric.
    assert learner.objective_value_ == pytest.approx(plain.objective_value_, rel=2e-8)
    assert np.allclose(learner.matrix_, plain.matrix_, atol=1e-3 * np.trace(plain.matrix_))
    assert set(learner.classes_) == set(np.array(labels))
    words = gersh.MetricLearner(solver="hull", tol=1e-8).fit(X, np.array(labels, dtype=object)[y])
    assert np.array_equal(words.matrix_, learner.matrix_)


@pytest.mark.parametrize("y", [[0, 1, 2, 1], [5, 4, 4, 5], [-3, -2, -3, -1], [0, 2, 0, 2], [0, 10**12, 0, 1], [7, 7, 7, 7],
                               np.arange(-120, 127)])
@pytest.mark.parametrize("kind", [np.int8, np.int64, np.uint8, float, str])
def test_classes_are_those_of_unique(y, kind):
    from gersh._supervised import classes_and_codes

    y = np.array(y).astype(kind)
    classes, codes = classes_and_codes(y)
    expected, inverse = np.unique(y, return_inverse=True)
    assert np.array_equal(classes, expected) and classes.dtype == expected.dtype and np.array_equal(codes, inverse)


def test_booleans_and_columns(wine):
    X, y = wine
    two = gersh.MetricLearner().fit(X, y == 0)
    assert two.classes_.tolist() == [False, True]
    with pytest.warns(Warning, match="column-vector y"):
        column = gersh.MetricLearner().fit(X, (y == 0).reshape(-1, 1))
    assert np.array_equal(two.matrix_, column.matrix_)


def test_real_valued_targets(wine):
    X, _ = wine
    target = X[:, 0] + 0.25
    learner = gersh.GLR().fit(X[:, 1:], target)
    assert not hasattr(learner, "classes_")
    assert np.allclose(gersh.GLR().fit(X[:, 1:], 3 * target - 8).matrix_, learner.matrix_, rtol=1e-6, atol=1e-9)
    whole = np.arange(len(X))
    assert not hasattr(gersh.GLR(task="regress").fit(X, whole), "classes_")
    with pytest.raises(ValueError, match="lmnn"):
        gersh.LMNN().fit(X, target)


def test_names_of_features(cancer):
    X, y = cancer
    learner = gersh.MetricLearner(n_components=3).fit(X, y)
    assert list(learner.feature_names_in_) == list(X.columns)
    assert learner.get_feature_names_out().tolist() == ["metriclearner0", "metriclearner1", "metriclearner2"]
    frame = learner.set_output(transform="pandas").transform(X)
    assert isinstance(frame, pandas.DataFrame) and list(frame.columns) == list(learner.get_feature_names_out())
    assert frame.index.equals(X.index)
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        learner.transform(X.to_numpy())
    with pytest.raises(ValueError, match="feature names"):
        learner.transform(X[X.columns[::-1]])
    learner.fit(X.to_numpy(), y)
    assert not hasattr(learner, "feature_names_in_") and learner.graph_.names[0] == "x0"


def test_sample_weights(wine):
    X, y = wine
    weight = np.ones(len(y))
    weight[::3] = 0
    part = weight > 0
    without = gersh.MetricLearner().fit(X[part], y[part])
    assert np.array_equal(gersh.MetricLearner().fit(X, y, sample_weight=weight).matrix_, without.matrix_)
    weight[1] = 5
    assert not np.array_equal(gersh.MetricLearner().fit(X, y, sample_weight=weight).matrix_, without.matrix_)
    with pytest.raises(ValueError, match="Negative values"):
        gersh.MetricLearner().fit(X, y, sample_weight=weight - 1)
    with pytest.raises(ValueError, match="minimum of 2"):
        gersh.MetricLearner().fit(X, y, sample_weight=np.arange(len(y)) == 3)


REFUSED = [
    ({}, lambda X, y: (X, None), "requires y to be passed, but the target y is None"),
    ({}, lambda X, y: (X, y[:-1]), "inconsistent numbers of samples"),
    ({}, lambda X, y: (X, 0 * y), "at least 2 classes; the data has 1 class"),
    ({}, lambda X, y: (X[:1], y[:1]), "1 sample"),
    ({}, lambda X, y: (X[0], y), "Expected 2D array, got 1D array"),
    ({}, lambda X, y: (X * np.nan, y), "contains NaN"),
    ({}, lambda X, y: (X, np.where(y == 0, np.nan, y)), "y contains NaN"),
    ({}, lambda X, y: (0 * X, y), "all rows are the same"),
    ({}, lambda X, y: (X, np.array(["1", "1.0", "2"])[y]), "labels that are the same number are one class"),
    ({}, lambda X, y: (X, np.array(["a\0b", "c", "d"])[y]), "NUL character"),
    ({"scale": "none"}, lambda X, y: (X * 1e-80, y), "use scale='zscore'"),
    ({"objective": "lmn"}, None, r"'objective' parameter of MetricLearner must be a str among .*'lmnn'.* Got 'lmn'"),
    ({"solver": 3}, None, "'solver' parameter of MetricLearner must be a str among"),
    ({"tol": -1.0}, None, r"'tol' parameter of MetricLearner must be a float in the range \[1e-12, 1\]\. "
                          r"Got -1\.0"),
    ({"tol": "small"}, None, "'tol' parameter"),
    ({"max_iter": 0}, None, r"'max_iter' parameter .* an int in the range \[1, 1e\+09\]"),
    ({"max_iter": 2.5}, None, "'max_iter' parameter"),
    ({"max_iter": True}, None, "'max_iter' parameter"),
    ({"trace": "k"}, None, r"a float in the range \[0, inf\) or a str among \{'K', 'auto'\}"),
    ({"trace": None, "rho": 1e9}, None, "trace: .* leaves nothing to learn"),
    ({"rows_only": "yes"}, None, "'rows_only' parameter of MetricLearner must be an instance of 'bool'"),
    ({"rows_only": True}, None, "the solver 'balanced' does not use it"),
    ({"n_components": 0}, None, "'n_components' parameter"),
    ({"n_components": 14}, None, "n_components=14 must be at most n_features=13"),
    ({"n_jobs": 0}, None, "n_jobs must be a positive int"),
    ({"task": "cluster"}, None, "'task' parameter"),
    ({"callback": 3}, None, "callback must be callable"),
    ({"random_state": "seed"}, None, "cannot be used to seed"),
    ({"random_state": -1}, None, "'random_state' parameter"),
]


@pytest.mark.parametrize("parameters, change, message", REFUSED)
def test_errors_are_value_errors_that_say_what_to_do(wine, parameters, change, message):
    X, y = wine if change is None else change(*wine)
    with pytest.raises(ValueError, match=message):
        gersh.MetricLearner(**parameters).fit(X, y)


def test_before_fit(wine):
    learner = gersh.MetricLearner()
    for use in (lambda: learner.transform(wine[0]), lambda: learner.components_, lambda: learner.graph_,
                lambda: learner.get_metric(), lambda: learner.save("nowhere"), lambda: learner.discs_,
                lambda: learner.pair_distance([[wine[0][0], wine[0][1]]]), lambda: learner.get_feature_names_out()):
        with pytest.raises(NotFittedError):
            use()
    with pytest.raises(ValueError):  # after which it is still not fitted
        learner.fit(wine[0], 0 * wine[1])
    with pytest.raises(NotFittedError):
        learner.transform(wine[0])


def test_preprocessor_of_rows(wine, reference):
    X, y = wine
    learner = gersh.MetricLearner(preprocessor=X).fit(np.arange(len(X)), y)
    assert np.array_equal(learner.matrix_, reference.matrix_)
    assert np.array_equal(learner.transform([3, 5]), reference.transform(X[[3, 5]]))
    assert learner.pair_distance([[0, 1]]) == pytest.approx(reference.pair_distance([[X[0], X[1]]]))
    with pytest.raises(ValueError, match="not in the preprocessor"):
        learner.transform([len(X)])

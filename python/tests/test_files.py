"""Model files shared with the command line, and tune."""

import csv
import json
import os
import re
import signal

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.neighbors import KNeighborsClassifier

import gersh


@pytest.fixture
def csv_file(cancer, tmp_path):
    X, y = cancer
    path = tmp_path / "cancer.csv"
    X.assign(diagnosis=y).to_csv(path, index=False, float_format="%.17g")
    return path


@pytest.fixture
def transform_there(run_gersh, tmp_path):
    """Rows in the learned space, as the command line has them."""

    def transform(model, table):
        out = tmp_path / "transformed.csv"
        run_gersh("transform", model, table, "-o", out)
        with open(out, newline="") as file:
            return np.array([[float(value) for name, value in row.items() if re.fullmatch(r"t\d+", name)]
                             for row in csv.DictReader(file)])

    return transform


@pytest.mark.parametrize("options", [[], ["--objective", "mcml", "--solver", "psd", "--scale", "paper"],
                                     ["--solver", "sgml", "--trace", "K"]])
def test_from_the_command_line_to_python(run_gersh, transform_there, cancer, csv_file, tmp_path, options):
    X, y = cancer
    model = tmp_path / "model.gersh"
    report = json.loads(run_gersh("fit", csv_file, "--label", "diagnosis", "-o", model, "--json", *options))
    learner = gersh.load(model)
    assert isinstance(learner, gersh.MetricLearner)
    assert learner.objective_value_ == report["objective_value"] and learner.bound_ == report["bound"]
    assert list(learner.feature_names_in_) == list(X.columns) and learner.classes_.tolist() == sorted(set(y))
    printed = transform_there(model, csv_file)
    assert np.allclose(learner.transform(X), printed, rtol=1e-9, atol=1e-12)
    again = gersh.MetricLearner(**learner.get_params()).fit(X, y)
    assert np.allclose(again.matrix_, learner.matrix_, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("learner", [gersh.MetricLearner(), gersh.LMNN(scale="paper"), gersh.SGML("mcml")])
def test_from_python_to_the_command_line(run_gersh, transform_there, cancer, csv_file, tmp_path, learner):
    X, y = cancer
    model = tmp_path / "model.gersh"
    learner.fit(X, y).save(model)
    assert "FAILED" not in run_gersh("inspect", model, "--verify")
    printed = transform_there(model, csv_file)
    assert np.allclose(learner.transform(X), printed, rtol=1e-9, atol=1e-12)
    report = json.loads(run_gersh("predict", model, csv_file, "--json"))
    T = learner.transform(X)
    votes = KNeighborsClassifier(n_neighbors=10).fit(T, y).predict(T)
    assert np.mean(np.array(report["predictions"]) == votes) > 0.97  # ties are settled in other ways
    assert json.loads(run_gersh("inspect", model, "--json"))["objective_value"] == learner.objective_value_


@pytest.mark.parametrize("scale", ["zscore", "none"])
def test_ties_do_not_depend_on_the_order_of_the_rows(run_gersh, tmp_path, scale):
    random = np.random.default_rng(0)
    X, y = random.integers(0, 3, (150, 3)) / 10 + 1000, random.integers(0, 3, 150)
    points = tmp_path / "points.csv"
    np.savetxt(points, np.unique(X, axis=0), delimiter=",", fmt="%.1f")
    found = []
    for order in [np.arange(150), np.argsort(y, kind="stable"), random.permutation(150)]:
        gersh.MetricLearner(solver="identity", scale=scale).fit(X[order], y[order]).save(tmp_path / "model.gersh")
        found.append([json.loads(run_gersh("predict", tmp_path / "model.gersh", points, "--proba", "--json", *options))
                      for options in [["--neighbors", 1], ["--neighbors", 4], ["--neighbors", 10],
                                      ["--neighbors", 5, "--votes", "distance"]]])
    for other in found[1:]:
        for first, second in zip(found[0], other):
            assert second["predictions"] == first["predictions"]
            assert np.allclose(second["probabilities"], first["probabilities"], rtol=0, atol=1e-12)
    shares = np.array([np.bincount(y[(X == point).all(axis=1)], minlength=3) for point in np.unique(X, axis=0)])
    assert np.allclose(found[0][0]["probabilities"], shares / shares.sum(axis=1, keepdims=True))


def test_columns_without_names(transform_there, wine, tmp_path):
    X, y = wine
    model, table = tmp_path / "model.gersh", tmp_path / "wine.csv"
    np.savetxt(table, np.column_stack([X, y]), delimiter=",", fmt="%.17g")
    gersh.MetricLearner().fit(X, y).save(model)
    assert np.allclose(transform_there(model, table), gersh.load(model).transform(X), rtol=1e-9)
    assert not hasattr(gersh.load(model), "feature_names_in_")
    assert gersh.load(model).classes_.tolist() == [0, 1, 2]


def test_files_come_back_to_the_bit(wine, tmp_path):
    X, y = wine
    learner = gersh.MetricLearner("mcml", "psd", trace=20.0, max_iter=50, tol=0.01, random_state=5,
                                  scale="none").fit(X, y)
    learner.save(tmp_path / "model")
    again = gersh.load(os.fspath(tmp_path / "model"))
    assert np.array_equal(again.matrix_, learner.matrix_)
    for name in ("objective", "solver", "trace", "max_iter", "tol", "random_state", "scale"):
        assert getattr(again, name) == getattr(learner, name)
    ruled = gersh.MetricLearner(edges=[(0, 1, "forbidden"), (2, 3, "positive")]).fit(X, y)
    ruled.save(tmp_path / "model")
    assert gersh.load(tmp_path / "model").edges == ruled.edges
    learner.save(tmp_path / "small", data=False)
    assert os.path.getsize(tmp_path / "small") < os.path.getsize(tmp_path / "model")
    with pytest.raises(ValueError, match="no training rows"):
        gersh.load(tmp_path / "small").partial_fit(X, y)


def test_tuples_come_back(wine, tmp_path):
    X, y = wine
    rng = np.random.default_rng(0)
    rows = np.array([rng.permutation(len(X))[:4] for _ in range(60)])
    signs = np.where(y[rows[:, 0]] == y[rows[:, 1]], 1, -1)
    pairs = gersh.MetricLearnerPairs().fit(X[rows[:, :2]], signs)
    pairs.save(tmp_path / "pairs")
    again = gersh.load(tmp_path / "pairs")
    assert isinstance(again, gersh.MetricLearnerPairs)
    assert np.array_equal(again.predict(X[rows[:, :2]]), pairs.predict(X[rows[:, :2]]))
    assert again.threshold_ == pytest.approx(pairs.threshold_)
    for kind, size in ((gersh.MetricLearnerTriplets, 3), (gersh.MetricLearnerQuadruplets, 4)):
        kind().fit(X[rows[:, :size]]).save(tmp_path / "model")
        assert isinstance(gersh.load(tmp_path / "model"), kind)


def test_files_that_cannot_be_used(wine, tmp_path):
    with pytest.raises(gersh.FileError, match="No such file"):
        gersh.load(tmp_path / "none")
    (tmp_path / "text").write_text("not a model")
    with pytest.raises(ValueError, match="text: "):
        gersh.load(tmp_path / "text")
    with pytest.raises(OSError, match="is a directory"):
        gersh.MetricLearner().fit(*wine).save(tmp_path)


def test_tune_chooses_as_the_command_line_does(run_gersh, cancer, csv_file, tmp_path):
    X, y = cancer
    learner = gersh.tune(X, y, objective="mcml", solver="balanced")
    run_gersh("tune", csv_file, "--label", "diagnosis", "--objective", "mcml", "--solver", "balanced", "-o",
              tmp_path / "tuned")
    there = gersh.load(tmp_path / "tuned")
    for name in ("objective", "solver", "scale", "trace"):
        assert getattr(learner, name) == pytest.approx(getattr(there, name)), name
    assert np.allclose(learner.matrix_, there.matrix_)
    best = learner.tuning_[0]
    assert best["accuracy"] > 0.9 and best["objective"] == learner.objective or best["solver"] == "identity"
    scores = [row["score"] for row in learner.tuning_ if row["round"] == best["round"]]
    assert scores == sorted(scores, reverse=True)
    assert learner.n_neighbors_ == best["neighbors"] >= 1
    assert learner.weights_ == {"equal": "uniform"}.get(best["votes"], best["votes"])
    KNeighborsClassifier(learner.n_neighbors_, weights=learner.weights_).fit(learner.transform(X), y)
    assert learner.classes_.tolist() == sorted(set(y)) and list(learner.feature_names_in_) == list(X.columns)


def test_tune_keeps_what_is_given(iris):
    learner = gersh.tune(*iris, objective="glr", solver="diagonal", scale="zscore", random_state=1)
    assert {(row["objective"], row["scale"]) for row in learner.tuning_ if row["solver"] != "identity"} == {("glr", "zscore")}
    with pytest.raises(ValueError, match="'solver' parameter of tune must be a str among"):
        gersh.tune(*iris, solver="best")
    with pytest.raises(ValueError, match="tune needs classes"):
        gersh.tune(iris[0], iris[0][:, 0] + 0.05)
    with pytest.raises(ValueError, match="'max_time' parameter of tune"):
        gersh.tune(*iris, max_time=-1)


def test_tune_reports_and_can_be_ended(iris, capsys):
    seen = []
    gersh.tune(*iris, objective="glr", callback=seen.append, verbose=1)
    assert all(isinstance(now, gersh.TuneProgress) for now in seen) and seen[-1].accuracy > 0.9
    assert "round" in capsys.readouterr().err

    def fail(now):
        raise LookupError("from the callback")

    with pytest.raises(LookupError, match="from the callback"):
        gersh.tune(*iris, callback=fail)
    presses = []

    def press_once(now):
        if now.round > 1 and not presses:
            presses.append(now)
            os.kill(os.getpid(), signal.SIGINT)  # to the process, as the library's own threads take no signals

    with pytest.warns(ConvergenceWarning, match="tune was interrupted"):
        learner = gersh.tune(*iris, callback=press_once)
    assert learner.transform(iris[0]).shape[0] == 150


def test_reports(cancer, tmp_path):
    X, y = cancer
    learner = gersh.MetricLearner("mcml").fit(X, y)
    path = tmp_path / "report.html"
    try:
        learner.report(path, splits=0)
    except ValueError as error:
        if "Node.js" in str(error):
            pytest.skip(f"this libgersh has no page: {error}")
        raise
    own = path.read_text()
    assert own.lower().startswith("<!doctype html>")
    assert "worst radius" in own and repr(learner.objective_value_)[:10] in own
    learner.report(path, X.iloc[:20], y[:20])
    assert len(path.read_text()) < len(own)  # fewer rows are in it
    learner.report(path, X.iloc[:20])
    for wrong in ({"splits": -1}, {"splits": 1.5}):
        with pytest.raises(ValueError, match="'splits' parameter"):
            learner.report(path, **wrong)
    with pytest.raises(gersh.FileError):
        learner.report(tmp_path)
    rows = np.arange(len(X) - 1)[:, None] + np.arange(2)
    pairs = gersh.MetricLearnerPairs("glr").fit(X.to_numpy()[rows], np.where(rows[:, 0] % 2, 1, -1))
    pairs.report(path)
    with pytest.raises(ValueError, match="learns from tuples"):
        pairs.report(path, X.to_numpy(), y)

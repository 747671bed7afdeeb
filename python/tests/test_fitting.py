"""How a fit runs: starts, callbacks, interrupts, early ends, and objectives of one's own."""

import signal
import socket
import subprocess
import sys
import textwrap
import threading
import warnings

import numpy as np
import pytest
from conftest import scaled
from sklearn.exceptions import ConvergenceWarning

import gersh

LONG = {"objective": "mcml", "solver": "hull", "tol": 1e-12, "max_iter": 10**9}  # that does not end by itself


def test_early_ends_warn_and_keep_the_best(wine):
    with pytest.warns(ConvergenceWarning, match=r"max_iter=1; increase it.* is kept\.$"):  # the bound is 0: it says nothing
        few = gersh.MetricLearner(max_iter=1, trace=1.0).fit(*wine)
    assert few.stop_ == "max_iter" and few.n_iter_ <= 2 and few.bound_ == 0
    with pytest.warns(ConvergenceWarning, match=r"max_iter=4; increase it.*within .* % of the best possible"):
        gersh.MetricLearner(max_iter=4, trace=1.0, tol=1e-3).fit(*wine)
    with pytest.warns(ConvergenceWarning, match="max_time=0.0 seconds"):
        short = gersh.MetricLearner(max_time=0.0).fit(*wine)
    assert short.stop_ == "max_time"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        full = gersh.MetricLearner().fit(*wine)
    assert full.objective_value_ <= few.objective_value_


def test_warm_start_begins_at_the_last_metric(wine):
    X, y = wine
    for objective, solver in (("glr", "balanced"), ("mcml", "hull"), ("mcml", "psd")):
        learner = gersh.MetricLearner(objective, solver, warm_start=True, tol=1e-5).fit(X, y)
        cold = learner.n_iter_
        assert learner.fit(X, y).n_iter_ < cold
        assert np.array_equal(gersh.MetricLearner(objective, solver, tol=1e-5).fit(X, y).matrix_,
                              learner.set_params(warm_start=False).fit(X, y).matrix_)
    learner.set_params(warm_start=True).fit(X[:, :5], y)  # other features: a start that cannot be used is not
    assert learner.matrix_.shape == (5, 5)
    learner.set_params(solver="balanced").fit(X[:, :5], y)
    for solver in gersh.solvers():  # from the metric of the solver before, where it is of a kind that this one can use
        learner.set_params(solver=solver.name, max_iter=30)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert learner.fit(X[:, :5], y).matrix_.shape == (5, 5), solver.name
    learner.set_params(solver="hull").fit(X[:, :5], y)
    learner.set_params(solver="hbnb").fit(X[:, :5], y)  # dense after sparse atoms


def test_partial_fit_is_the_fit_of_all_rows_so_far(wine):
    X, y = wine
    order = np.random.default_rng(1).permutation(len(y))
    X, y = X[order], np.array(["u", "v", "w"])[y[order]]
    learner = gersh.MetricLearner("mcml", "psd", tol=1e-6)
    for rows in np.array_split(np.arange(len(y)), 4):
        assert learner.partial_fit(X[rows], y[rows]) is learner
    whole = gersh.MetricLearner("mcml", "psd", tol=1e-6).fit(X, y)
    assert learner.objective_value_ == pytest.approx(whole.objective_value_, rel=1e-4)
    assert np.allclose(learner.matrix_, whole.matrix_, atol=2e-3 * np.abs(whole.matrix_).max())
    assert learner.classes_.tolist() == ["u", "v", "w"]


def test_partial_fit_with_new_classes_weights_and_targets(iris):
    X, y = iris
    learner = gersh.MetricLearner(tol=1e-3).partial_fit(X[:100], y[:100], classes=[0, 1, 2])
    learner.partial_fit(X[100:], y[100:], sample_weight=np.full(50, 2.0))  # one class alone, and a new one
    assert learner.classes_.tolist() == [0, 1, 2]
    weights = np.where(np.arange(150) < 100, 1.0, 2.0)
    assert learner.objective_value_ == pytest.approx(
        gersh.MetricLearner(tol=1e-3).fit(X, y, sample_weight=weights).objective_value_, rel=2e-3)
    target = X[:, 0] * 1.5 + 0.1
    real = gersh.GLR(tol=1e-3).partial_fit(X[:75, 1:], target[:75]).partial_fit(X[75:, 1:], target[75:])
    assert real.objective_value_ == pytest.approx(gersh.GLR(tol=1e-3).fit(X[:, 1:], target).objective_value_, rel=2e-3)
    with pytest.raises(ValueError, match="X has 2 features, but MetricLearner is expecting 4 features"):
        learner.partial_fit(X[:, :2], y)


def test_the_callback_sees_every_iteration_and_can_end_the_fit(wine):
    seen = []
    learner = gersh.MetricLearner("mcml", callback=seen.append).fit(*wine)
    assert all(isinstance(now, gersh.Progress) for now in seen)
    assert {now.stage for now in seen} >= {"hull"} and len(seen) == learner.n_iter_
    assert seen[-1].value >= learner.bound_ and seen[0].seconds <= seen[-1].seconds
    calls = []
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # as it was asked for, the end is no surprise
        ended = gersh.MetricLearner(**LONG, callback=lambda now: calls.append(now) or len(calls) == 3).fit(*wine)
    assert ended.stop_ == "interrupted" and len(calls) == 3


def test_what_the_callback_raises_comes_through(wine):
    def fail(now):
        raise LookupError("from the callback")

    learner = gersh.MetricLearner(callback=fail)
    with pytest.raises(LookupError, match="from the callback"):
        learner.fit(*wine)
    with pytest.raises(ValueError, match="not fitted"):
        learner.transform(wine[0])


def test_verbose_draws_a_bar_on_stderr(wine, capsys):
    gersh.MetricLearner(verbose=1).fit(*wine)
    out, err = capsys.readouterr()
    assert out == "" and "[" in err and "value" in err and err.endswith("\n")
    gersh.MetricLearner().fit(*wine)
    assert capsys.readouterr() == ("", "")


def test_an_interrupt_keeps_the_best_and_warns(wine):
    calls = []

    def press_at_last(now):
        calls.append(now)
        if len(calls) == 4:
            press(now)

    before = signal.getsignal(signal.SIGINT)
    learner = gersh.MetricLearner(**LONG, callback=press_at_last)
    with pytest.warns(ConvergenceWarning, match="interrupted. The best metric so far is kept"):
        learner.fit(*wine)
    assert learner.stop_ == "interrupted" and len(calls) <= 5
    assert learner.transform(wine[0]).shape[0] == len(wine[0])
    assert signal.getsignal(signal.SIGINT) is before


def press(now):
    signal.raise_signal(signal.SIGINT)


def press_twice(now):
    press(now)
    press(now)


def test_two_interrupts_leave(wine, monkeypatch):
    with pytest.raises(KeyboardInterrupt):
        gersh.MetricLearner(**LONG, callback=press_twice).fit(*wine)
    monkeypatch.setattr("gersh._run.AGAIN", float("inf"))
    with pytest.raises(KeyboardInterrupt):
        gersh.MetricLearner(**LONG, callback=press).fit(*wine)
    monkeypatch.setattr("gersh._run.AGAIN", 0.0)
    with pytest.warns(ConvergenceWarning):
        gersh.MetricLearner(**LONG, callback=press).fit(*wine)


def test_a_handler_of_the_users_own_is_called(wine):
    class Own(Exception):
        pass

    def handler(number, frame):
        raise Own

    before = signal.signal(signal.SIGINT, handler)
    try:
        with pytest.raises(Own):
            gersh.MetricLearner(**LONG, callback=press).fit(*wine)
        assert signal.getsignal(signal.SIGINT) is handler
    finally:
        signal.signal(signal.SIGINT, before)


def test_signals_are_passed_on_to_who_waited_for_them_before(wine):
    """asyncio and others have signals announced on a descriptor of theirs."""
    ours, theirs = socket.socketpair()
    theirs.setblocking(False)
    ours.settimeout(10)
    before = signal.set_wakeup_fd(theirs.fileno())
    try:
        with pytest.warns(ConvergenceWarning):
            gersh.MetricLearner(**LONG, callback=press).fit(*wine)
        assert signal.SIGINT in ours.recv(16)
    finally:
        assert signal.set_wakeup_fd(before) == theirs.fileno()


def test_an_ignored_interrupt_stays_ignored(wine):
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        assert gersh.MetricLearner(callback=press).fit(*wine).stop_ == "settled"
        assert signal.getsignal(signal.SIGINT) == signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)


def test_an_interrupt_is_not_meant_for_the_next_fit(wine):
    for _ in range(20):
        with pytest.warns(ConvergenceWarning), pytest.MonkeyPatch.context() as patch:
            patch.setattr("gersh._run.AGAIN", 0.0)
            gersh.MetricLearner(**LONG, callback=press).fit(*wine)
        assert gersh.MetricLearner().fit(*wine).stop_ == "settled"


def test_interrupts_from_outside_without_a_callback():
    """A fit that does not end by itself, in a process of its own that gets SIGINT."""
    script = textwrap.dedent("""
        import warnings, numpy as np, gersh
        warnings.simplefilter("always")
        rng = np.random.default_rng(0)
        X, y = rng.normal(size=(500, 40)), rng.integers(3, size=500)
        learner = gersh.LMNN(tol=1e-12, max_iter=10**9)
        print("started", flush=True)
        learner.fit(X, y)
        print(learner.stop_, len(learner.transform(X)))
        """)
    child = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert child.stdout.readline() == "started\n"
    timer = threading.Timer(1.0, child.send_signal, [signal.SIGINT])
    timer.start()
    out, err = child.communicate(timeout=60)
    assert child.returncode == 0, err
    assert out == "interrupted 500\n" and "ConvergenceWarning" in err


def test_the_same_seed_gives_the_same(wine):
    X, y = wine
    one = gersh.MetricLearner(random_state=3).fit(X, y).matrix_
    assert np.array_equal(one, gersh.MetricLearner(random_state=3).fit(X, y).matrix_)
    gersh.MetricLearner(random_state=np.random.RandomState(0)).fit(X, y)


@pytest.mark.parametrize("n_jobs", [1, 2, -1])
def test_the_number_of_threads_does_not_matter(wine, n_jobs):
    X, y = wine
    assert np.allclose(gersh.MetricLearner(n_jobs=n_jobs).fit(X, y).matrix_, gersh.MetricLearner().fit(X, y).matrix_,
                       rtol=1e-8, atol=1e-12)


def own_glr(distance, first, second, y):
    """The objective glr, in Python."""
    terms = 4 * (y[first] != y[second]) * np.exp(-distance)
    return terms.sum(), -terms


def test_a_python_function_as_objective(wine):
    X, y = wine
    own = gersh.MetricLearner(objective=own_glr, tol=1e-4, trace=1.0).fit(X, y)
    built_in = gersh.GLR(tol=1e-4, trace=1.0).fit(X, y)
    assert own.objective_value_ == pytest.approx(built_in.objective_value_, rel=2e-4)
    assert own.bound_ <= own.objective_value_
    Z = scaled(X)
    value, _ = own_glr(*_pairs(Z, own.matrix_), y)
    assert own.objective_value_ == pytest.approx(value, rel=1e-9)


def _pairs(Z, M):
    first, second = np.triu_indices(len(Z), 1)
    difference = Z[first] - Z[second]
    return np.einsum("pi,ij,pj->p", difference, M, difference), first, second


@pytest.mark.parametrize("wrong, kind, message", [
    (lambda d, i, j, y: 1.0, TypeError, "must return its value and its gradient"),
    (lambda d, i, j, y: (1.0, d[:-1]), ValueError, r"must have the shape \(15753,\)"),
    (lambda d, i, j, y: (np.nan, d), ValueError, "finite"),
    (lambda d, i, j, y: 1 / 0, ZeroDivisionError, "division"),
])
def test_objectives_that_are_wrong(wine, wrong, kind, message):
    with pytest.raises(kind, match=message):
        gersh.MetricLearner(objective=wrong).fit(*wine)


def test_fits_in_threads_have_no_part_in_signals(wine):
    learner = gersh.MetricLearner()
    thread = threading.Thread(target=learner.fit, args=wine)
    thread.start()
    thread.join()
    assert learner.stop_ == "settled"

"""Model files against tests/check_model.py, which knows docs/model-file.md and nothing of gersh."""

import importlib.util
import json
import os
import shutil
import struct
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import gersh

SOURCE = Path(__file__).resolve().parents[2] / "tests" / "check_model.py"
spec = importlib.util.spec_from_file_location("check_model", SOURCE)
check_model = importlib.util.module_from_spec(spec)
spec.loader.exec_module(check_model)

OBJECTIVES = ["mcml", "deml", "lsml", "lmnn", "glr"]  # those that check_model.py defines
SOLVERS = [solver.name for solver in gersh.solvers() if solver.learns]
RULES = [(0, 1, "forbidden"), (0, 2, "positive"), (1, 3, "negative")]
CASES = [(objective, solver, {}) for objective in OBJECTIVES for solver in SOLVERS] + [
    ("mcml", "balanced", {"weights": True}), ("lmnn", "psd", {"weights": True}), ("lsml", "hull", {"weights": True}),
    ("glr", "balanced", {"regress": True}), ("glr", "psd", {"regress": True, "weights": True}),
    ("mcml", "psd", {"scale": "paper"}), ("lmnn", "hull", {"scale": "none", "trace": 3.0, "rho": 0.01}),
    ("lsml", "diagonal", {"trace": "K"}), ("deml", "hull", {"edges": RULES}),
    ("glr", "balanced", {"edges": [(0, 1, "allowed"), (2, 3, "allowed")]})]


def samples(seed, regress=False):
    """Thirty samples of three classes, with a constant feature and two equal samples."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(30, 6)) * [1, 20, 0.3, 4, 1, 0] + [0, 5, 0, -300, 1, 7]
    score = X[:, 0] + X[:, 4] * random.normal(size=30)
    X[7] = X[3]
    return X, score if regress else (score > 0) + (X[:, 1] > 15).astype(int)


def fitted(path, seed, objective, solver, weights=False, regress=False, **settings):
    X, y = samples(seed, regress)
    w = np.random.default_rng(seed).uniform(0.1, 2, len(y)) if weights else None
    gersh.MetricLearner(objective, solver, **settings).fit(X, y, sample_weight=w).save(path)
    return path


@pytest.fixture
def inspect():
    """What the command line says of a model: exit status, and the checks by their names (none where it was refused)."""
    program = os.environ.get("GERSH") or shutil.which("gersh")
    if program is None:
        pytest.skip("there is no program gersh; name it in GERSH")

    def run(path):
        done = subprocess.run([program, "inspect", path, "--verify", "--json"], capture_output=True, text=True)
        report = json.loads(done.stdout).get("verification", {"checks": []})
        return done.returncode, {check["name"]: check for check in report["checks"]}

    return run


def test_the_checker_is_short_and_there_are_fifty_models():
    assert len(SOURCE.read_text().splitlines()) < 120 and len(CASES) == 50


@pytest.mark.parametrize("number", range(len(CASES)))
def test_it_agrees_with_gersh(inspect, tmp_path, number):
    objective, solver, options = CASES[number]
    path = fitted(tmp_path / "model", number, objective, solver, **options)
    verdict, passed, made = check_model.check(path)
    assert verdict == "verified", passed
    status, checks = inspect(path)
    assert status == 0
    for name, found in (("objective value", made["value"]), ("bound", made.get("bound"))):
        assert (found is not None) == (name in checks)
        if found is not None:
            there = checks[name]
            assert abs(found - there["recomputed"]) <= 1e-9 * abs(found) + there["tolerance"]


def test_what_it_cannot_check(inspect, tmp_path, capsys):
    X, y = samples(0)
    gersh.MetricLearner().fit(X, y).save(tmp_path / "small", data=False)
    assert check_model.check(tmp_path / "small")[0] == "not fully checked" and inspect(tmp_path / "small")[0] == 3
    triplets = X[np.random.default_rng(0).permuted(np.tile(np.arange(30), (20, 1)), axis=1)[:, :3]]
    gersh.MetricLearnerTriplets().fit(triplets).save(tmp_path / "triplets")
    assert check_model.check(tmp_path / "triplets")[0] == "not fully checked"


def test_it_is_a_program(tmp_path):
    def run(path):
        return subprocess.run([sys.executable, SOURCE, path], capture_output=True, text=True)

    good = run(fitted(tmp_path / "model", 0, "glr", "hull"))
    assert good.returncode == 0 and good.stdout.startswith("verified\n"), good.stderr
    about, tensors = check_model.read(tmp_path / "model")
    about["fit"]["objective_value"] *= 1.01
    write(tmp_path / "model", about, tensors)
    bad = run(tmp_path / "model")
    assert bad.returncode == 1 and bad.stdout.startswith("FAILED\n")


def write(path, about, tensors):
    """A model file with right digests."""
    names = b"".join(name.encode() + b"\0" for name in about["feature_names"] + about["class_names"])
    about["digest"] = {
        "samples": check_model.digest(tensors, "mean scale x labels targets weights", before=names),
        "metric": check_model.digest(tensors, "atom_weight atom_nodes atom_entries dense_atoms",
                                     after=struct.pack("<d", about["rho"]))}
    head, at = {"__metadata__": {"gersh": json.dumps(about)}}, 0
    for name, value in tensors.items():
        head[name] = {"dtype": "F64" if value.dtype == np.float64 else "I64", "shape": list(value.shape),
                      "data_offsets": [at, at + value.nbytes]}
        at += value.nbytes
    text = json.dumps(head).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + b"".join(value.tobytes() for value in tensors.values()))


def state(a, value, bound, flip=1):
    """States value and bound with gaps that agree with them."""
    gap = flip * (value - bound)
    a["fit"].update(objective_value=value, bound=bound, gap=gap, search_gap=min(gap, a["fit"]["search_gap"]),
                    relative_gap=gap / abs(value))


def better_bound(a, t, share=1.0):
    fit = a["fit"]
    state(a, fit["objective_value"], fit["bound"] + share * (fit["objective_value"] - fit["bound"]))


def another_metric(a, t):
    """One diagonal atom for M, with the value that this has, called optimal."""
    t.update(atom_weight=np.array([0.3]), atom_nodes=np.array([[1, 1]]), atom_entries=np.array([[1.0, 0.0]]))
    m, x = check_model.metric(a["rho"], t, "atom_", "dense_atoms"), (t["x"] - t["mean"]) / t["scale"]
    other = np.not_equal.outer(t["labels"], t["labels"])
    w = t.get("weights", np.ones(len(x)))
    value = check_model.solve("glr", 0 * other, 4 * np.outer(w, w) * other, x, w, m)[0]
    state(a, value, value)


def without_witness(a, t):
    for name in ("weight", "nodes", "entries"):
        t.pop("witness_" + name, None)
    a["witness"]["place"] = "metric"


def scaled(name, factor):
    return lambda a, t: t.update({name: t[name] * factor})


def put(*path, value):
    def change(a, t):
        for key in path[:-1]:
            a = a[key]
        a[path[-1]] = value
    return change


def larger_budget(a, t):
    a["fit"]["budget"] *= 2
    a["settings"]["trace"] = repr(a["fit"]["budget"] / 1.5)


def smaller_rho(a, t):
    a["rho"] = a["fit"]["rho"] = a["rho"] / 10


TAMPERINGS = {
    "another metric": another_metric,
    "weights of the metric": scaled("atom_weight", 0.999),
    "weights of the witness": scaled("witness_weight", 0.9),
    "no witness of its own": without_witness,
    "witness without an atom": lambda a, t: t.update({n: t[n][1:] for n in ("witness_weight", "witness_nodes",
                                                                           "witness_entries")}),
    "features of the witness": lambda a, t: t.update(witness_nodes=4 - t["witness_nodes"]),
    "bound is the value": better_bound,
    "a bound that is a little better": lambda a, t: better_bound(a, t, 0.01),
    "gap of 0": put("fit", "gap", value=0.0),
    "relative gap": lambda a, t: a["fit"].update(relative_gap=a["fit"]["relative_gap"] / 2),
    "search gap": lambda a, t: a["fit"].update(search_gap=a["fit"]["gap"] * 2),
    "a bound on the wrong side": lambda a, t: state(a, a["fit"]["bound"], a["fit"]["objective_value"]),
    "value": lambda a, t: state(a, a["fit"]["objective_value"] * (1 - 1e-6), a["fit"]["bound"]),
    "another objective": put("settings", "objective", value="mcml"),
    "another solver": put("settings", "solver", value="diagonal"),
    "a larger set of metrics": put("settings", "solver", value="psd"),
    "custom": put("custom", value=True),
    "sampled pairs": put("fit", "pairs", "choice", value="sampled"),
    "budget": larger_budget,
    "trace": put("settings", "trace", value="17"),
    "rho": smaller_rho,
    "tolerance": put("settings", "tol", value="1"),
    "colours": lambda a, t: t.update(color=t["color"] * np.where(np.arange(6) == t["atom_nodes"][
        t["atom_nodes"][:, 0] != t["atom_nodes"][:, 1]][0, 0], -1, 1)),
    "labels": lambda a, t: t.update(labels=np.roll(t["labels"], 1)),
    "sample weights": scaled("weights", np.linspace(0.9, 1.1, 30)),
    "a sample": lambda a, t: t.update(x=t["x"] + 0.01 * np.eye(30, 6)),
    "mean": lambda a, t: t.update(mean=t["mean"] + [0, 0.1, 0, 0, 0, 0]),
    "scale": scaled("scale", 1.001),
    "unit rows": put("unit_rows", value=True),
    "a rule": put("rules", value=[[i, j, "forbidden"] for i in range(6) for j in range(i)]),
}


@pytest.mark.parametrize("name", TAMPERINGS)
def test_a_changed_model_is_not_verified(inspect, tmp_path, name):
    path = fitted(tmp_path / "model", 1, "glr", "balanced", weights=True, tol=0.01)
    about, tensors = check_model.read(path)
    write(path, about, tensors)
    assert about["witness"]["place"] == "own" and check_model.check(path)[0] == "verified" and inspect(path)[0] == 0
    TAMPERINGS[name](about, tensors)
    write(path, about, tensors)
    verdict, passed, _ = check_model.check(path)
    assert verdict != "verified", passed
    assert inspect(path)[0] != 0


@pytest.mark.parametrize("change", [lambda a: a["witness"].update(smoothing=0.0),
                                    lambda a: a["witness"].update(smoothing=a["witness"]["smoothing"] * 2)])
def test_another_smoothing_is_not_verified(inspect, tmp_path, change):
    path = fitted(tmp_path / "model", 2, "lmnn", "hull", tol=0.01)
    about, tensors = check_model.read(path)
    assert about["witness"]["smoothing"] > 0
    change(about)
    write(path, about, tensors)
    assert check_model.check(path)[0] == "FAILED" and inspect(path)[0] == 1

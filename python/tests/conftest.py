"""Data and the command line, for all tests."""

import os
import shutil
import signal
import subprocess

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris, load_wine

collect_ignore = ["leaks.py"]  # a program of its own

# Processes that a shell starts in the background ignore interrupts, which some tests send to themselves.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def wine():
    return load_wine(return_X_y=True)


@pytest.fixture(scope="session")
def iris():
    return load_iris(return_X_y=True)


@pytest.fixture(scope="session")
def cancer():
    """A pandas frame with names, and labels that are words."""
    table = load_breast_cancer(as_frame=True)
    return table.data.iloc[::4], table.target_names[table.target.iloc[::4]]


@pytest.fixture(scope="session")
def run_gersh():
    """The command line: its standard output; `make python` names the program in GERSH."""
    program = os.environ.get("GERSH") or shutil.which("gersh")
    if program is None:
        pytest.skip("there is no program gersh; name it in GERSH")

    def run(*arguments):
        done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


@pytest.fixture(autouse=True)
def calm(monkeypatch):
    """Interrupts of one test are not the first of two in the next."""
    monkeypatch.setattr("gersh._run._last_interrupt", float("-inf"))


def scaled(X):
    """z-scores with sample deviations, as the library has them."""
    X = np.asarray(X, dtype=float)
    return (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)

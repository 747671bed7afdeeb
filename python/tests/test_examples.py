"""The examples run, and draw."""

import runpy
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).resolve().parents[2] / "examples/python").glob("*.py"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example(path, tmp_path, capsys):
    picture = tmp_path / "picture.png"
    runpy.run_path(str(path))["main"](str(picture))
    assert picture.read_bytes().startswith(b"\x89PNG") and "drawn" in capsys.readouterr().out


def test_there_are_examples():
    assert len(EXAMPLES) >= 3

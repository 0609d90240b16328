"""Each program of examples/python prints what its head comment says."""

import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = sorted((ROOT / "examples" / "python").glob("*.py"))


@pytest.mark.parametrize("program", EXAMPLES, ids=lambda path: path.stem)
def test_example(program):
    command = [sys.executable, ROOT / "tools" / "check_example", program, sys.executable, program]
    run = subprocess.run(command, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr


def test_each_has_its_sibling():
    """The same tasks in both languages; the demo is for C++ alone."""
    in_cpp = {path.stem for path in (ROOT / "examples" / "cpp").glob("*.cpp")} - {"demo"}
    assert {path.stem for path in EXAMPLES} == in_cpp

"""docs/api.md has the names that there are."""

import pathlib
import subprocess
import sys

import pytest

TOOL = pathlib.Path(__file__).resolve().parents[2] / "tools" / "api_page"


@pytest.mark.skipif(not TOOL.exists(), reason="the package is tested without its repository")
def test_the_page_is_current():
    run = subprocess.run([sys.executable, TOOL, "--check"], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr

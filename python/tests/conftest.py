"""Tests of the Python package: run against the build tree by `ctest`, or an installed package."""

"""What the extension module is made of."""

import shutil
import subprocess

import pytest

from alula import _native


def test_no_op_has_a_type_in_the_module():
    # The module's symbols are hidden: an op that an inline function of a header made here would have a type of
    # its own, without kernels. The binding calls functions of the library instead.
    if shutil.which("nm") is None:
        pytest.skip("nm is not there")
    listed = subprocess.run(["nm", "-C", "--defined-only", _native.__file__], capture_output=True, text=True)
    if "bind_" not in listed.stdout:
        pytest.skip("the module has no symbols")
    assert [line for line in listed.stdout.splitlines() if "alula::OpOf<" in line and "::type_" in line] == []

"""Where the package is, and how it was built."""

import os


def get_lib():
    """The folder of the package's libraries."""
    return os.path.dirname(os.path.abspath(__file__))


def get_include():
    """The folder of the package's headers."""
    return os.path.join(get_lib(), "include")


def get_build_info():
    """How the package was built."""
    from alula import test

    return {"is_cuda_build": test.is_built_with_cuda(), "is_rocm_build": False, "is_tensorrt_build": False}

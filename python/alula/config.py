"""Devices and how they are used."""

from alula import _native


def run_functions_eagerly(run_eagerly):
    """Whether functions under tf.function run as plain Python, op by op: for debugging."""
    _native._set_functions_eagerly(run_eagerly)


def functions_run_eagerly():
    """Whether functions under tf.function run as plain Python."""
    return _native._functions_eagerly()

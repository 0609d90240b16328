"""The compiler of functions."""

_options = {}


def get_jit():
    """'': functions are always compiled, by Alula's own compiler."""
    return ""


def set_jit(enabled):
    """Accepted, without effect: functions are always compiled, by Alula's own compiler."""


def get_experimental_options():
    """What was set."""
    return dict(_options)


def set_experimental_options(options):
    """Accepted, without effect: which passes run is not a matter of options."""
    _options.update(options)

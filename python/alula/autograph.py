"""Python's `if`, `while` and `for` in functions."""


def set_verbosity(level, alsologtostdout=False):
    """Accepted, without effect."""


def trace(*args):
    """Prints its arguments while a function is traced."""
    print(*args)

"""Python's `if`, `while`, `for`, `and`, `or` and `not` on tensors, in functions that are traced.

A function's source is rewritten so that each of these asks at tracing whether it is about a symbolic tensor.
If so, it becomes tf.cond or a loop of the graph over the local variables that are assigned inside; if not,
it runs as Python.
"""

from alula.autograph import experimental
from alula.autograph.convert import converted, to_code



def set_verbosity(level, alsologtostdout=False):
    """Accepted, without effect."""


def trace(*args):
    """Prints its arguments while a function is traced."""
    print(*args)


__all__ = ["converted", "experimental", "set_verbosity", "to_code", "trace"]

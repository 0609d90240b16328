"""Functions of arrays whose forms of arguments only Python has."""

from alula import _native


def where(condition, x=None, y=None, name=None):
    """x where the condition holds, else y, elementwise with broadcasting.

    >>> tf.where([True, False], [1, 2], [10, 20]).numpy()
    array([ 1, 20], dtype=int32)
    """
    if x is None or y is None:
        raise ValueError("where: x and y must both be given.")
    return _native._where(condition, x, y)

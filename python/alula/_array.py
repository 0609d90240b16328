"""Functions of arrays whose forms of arguments only Python has."""

from collections import namedtuple

from alula import _native

Unique = namedtuple("Unique", ["y", "idx"])
UniqueWithCounts = namedtuple("UniqueWithCounts", ["y", "idx", "count"])


def unique(x, out_idx=None, name=None):
    """The different values of a vector, and for each element where its value stands among them.

    >>> y, idx = tf.unique([4, 1, 4])
    >>> y.numpy(), idx.numpy()
    (array([4, 1], dtype=int32), array([0, 1, 0], dtype=int32))
    """
    y, idx, _ = _native._unique(x, out_idx or _native.int32)
    return Unique(y, idx)


def unique_with_counts(x, out_idx=None, name=None):
    """As unique, and how many times each value occurs."""
    return UniqueWithCounts(*_native._unique(x, out_idx or _native.int32))


def where(condition, x=None, y=None, name=None):
    """x where the condition holds, else y, elementwise with broadcasting.

    >>> tf.where([True, False], [1, 2], [10, 20]).numpy()
    array([ 1, 20], dtype=int32)

    With one argument: where the elements are that are true, or not 0.

    >>> tf.where([0, 7, 7]).numpy()
    array([[1],
           [2]])
    """
    if x is None and y is None:
        return _native._nonzero(condition)
    if x is None or y is None:
        raise ValueError("x and y must both be non-None or both be None.")
    return _native._where(condition, x, y)

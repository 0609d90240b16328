"""Mathematical functions."""

from alula._native.linalg import l2_normalize  # noqa: F401
from alula._native.math import *  # noqa: F403
from alula._native.math import _top_k


def top_k(input, k=1, sorted=True, index_type=None, name=None):
    """The k largest elements along the last axis, largest first, and where they stood.

    >>> values, indices = tf.math.top_k([1, 9, 5, 9], k=3)
    >>> values.numpy(), indices.numpy()
    (array([9, 9, 5], dtype=int32), array([1, 3, 2], dtype=int32))
    """
    from alula._native import cast

    values, indices = _top_k(input, k)
    return TopKV2(values, indices if index_type is None else cast(indices, index_type))


class TopKV2(tuple):
    """What top_k gives: values and indices."""

    __slots__ = ()

    def __new__(cls, values, indices):
        return tuple.__new__(cls, (values, indices))

    @property
    def values(self):
        """The largest elements."""
        return self[0]

    @property
    def indices(self):
        """Where they stood."""
        return self[1]

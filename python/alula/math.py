"""Mathematical functions."""

from collections import namedtuple as _namedtuple

from alula import _native
from alula._native.linalg import l2_normalize  # noqa: F401
from alula._native.math import *  # noqa: F403
from alula._native.math import _top_k, add_n

TopKV2 = _namedtuple("TopKV2", ["values", "indices"])


def top_k(input, k=1, sorted=True, index_type=None, name=None):
    """The k largest elements along the last axis, largest first, and where they stood.

    >>> values, indices = tf.math.top_k([1, 9, 5, 9], k=3)
    >>> values.numpy(), indices.numpy()
    (array([9, 9, 5], dtype=int32), array([1, 3, 2], dtype=int32))
    """
    values, indices = _top_k(input, k)
    return TopKV2(values, indices if index_type is None else _native.cast(indices, index_type))


def accumulate_n(inputs, shape=None, tensor_dtype=None, name=None):
    """The sum of tensors of one shape."""
    return add_n(inputs)

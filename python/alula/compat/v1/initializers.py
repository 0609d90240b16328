"""How variables get their first values."""

from alula._native._compat import (
    constant_initializer as constant,
    glorot_normal_initializer as glorot_normal,
    glorot_uniform_initializer as glorot_uniform,
    ones_initializer as ones,
    random_normal_initializer as random_normal,
    random_uniform_initializer as random_uniform,
    truncated_normal_initializer as truncated_normal,
    zeros_initializer as zeros,
)


def global_variables():
    """The same as tf.compat.v1.global_variables_initializer."""
    from alula._native import _compat

    return _compat.global_variables_initializer()

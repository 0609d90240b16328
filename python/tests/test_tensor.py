import numpy as np
import pytest

import alula as tf


def test_operators_take_numbers_lists_and_arrays():
    x = tf.constant([1.0, 2.0])
    for other in (x, 1.0, [1, 2], np.array([1.0, 2.0]), tf.Variable([1.0, 2.0])):
        assert (x + other).dtype == tf.float32
        assert (other + x).dtype == tf.float32
    np.testing.assert_array_equal((2 - x).numpy(), [1.0, 0.0])


def test_repr_is_tensorflows():
    assert repr(tf.constant([1, 2])) == (
        "<tf.Tensor: shape=(2,), dtype=int32, numpy=array([1, 2], dtype=int32)>"
    )


def test_a_dtype_that_does_not_fit_is_an_error():
    with pytest.raises(tf.errors.InvalidArgumentError, match="must be int32"):
        tf.constant([1, 2]) + 1.5
    with pytest.raises(TypeError, match="cannot convert 1.5 to dtype int32"):
        tf.constant(1.5, dtype=tf.int32)

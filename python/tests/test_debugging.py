"""tf.debugging."""

import numpy as np
import pytest

import alula as tf

d = tf.debugging


@pytest.mark.parametrize(
    "check, good, bad",
    [
        (d.assert_equal, (1, 1), (1, 2)),
        (d.assert_none_equal, (1, 2), (1, 1)),
        (d.assert_less, (1, 2), (2, 2)),
        (d.assert_less_equal, (2, 2), (3, 2)),
        (d.assert_greater, (2, 1), (2, 2)),
        (d.assert_greater_equal, (2, 2), (1, 2)),
        (d.assert_positive, ([1.0, 2.0],), ([1.0, 0.0],)),
        (d.assert_negative, ([-1.0],), ([0.0],)),
        (d.assert_non_negative, ([0.0],), ([-1.0],)),
        (d.assert_non_positive, ([0],), ([1],)),
        (d.assert_near, ([1.0], [1.0 + 1e-7]), ([1.0], [1.1])),
        (d.Assert, (True, ["no"]), (False, ["no"])),
    ],
)
def test_checks(check, good, bad):
    assert check(*good) is None
    with pytest.raises(tf.errors.InvalidArgumentError):
        check(*bad)


def test_messages():
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"my words assert_less: x < y did not hold .* y = int32"):
        d.assert_less([1, 2], [2, 2], message="my words")
    with pytest.raises(tf.errors.InvalidArgumentError, match="…"):
        d.assert_positive(np.zeros(100), summarize=2)


def test_checks_in_a_function_run_with_it():
    @tf.function
    def root(x):
        d.assert_non_negative(x)
        return tf.sqrt(x)

    assert root(tf.constant(4.0)).numpy() == 2.0
    with pytest.raises(tf.errors.InvalidArgumentError, match="x >= 0 did not hold"):
        root(tf.constant(-4.0))
    assert root(tf.constant(9.0)).numpy() == 3.0


def test_ranks_and_shapes():
    x = tf.zeros((2, 3))
    d.assert_rank(x, 2)
    d.assert_rank_at_least(x, 1)
    d.assert_rank_in(x, (1, 2))
    for check in (lambda: d.assert_rank(x, 1), lambda: d.assert_rank_at_least(x, 3), lambda: d.assert_rank_in(x, (0,))):
        with pytest.raises(ValueError, match="rank"):
            check()
    d.assert_shapes([(x, ("N", 3)), (tf.zeros((2,)), ("N",)), (x, (None, "D"))])
    with pytest.raises(ValueError, match="the dimension 'N' must be 2"):
        d.assert_shapes([(x, ("N", 3)), (tf.zeros((4,)), ("N",))])
    d.assert_scalar(1.0)
    with pytest.raises(ValueError, match="scalar"):
        d.assert_scalar(x)


def test_types():
    d.assert_type(1.0, tf.float32)
    with pytest.raises(TypeError):
        d.assert_type(1.0, tf.int32)
    d.assert_integer(1)
    with pytest.raises(TypeError):
        d.assert_integer(1.0)
    assert d.is_numeric_tensor(tf.constant(1)) and not d.is_numeric_tensor(tf.constant("a"))
    assert d.assert_same_float_dtype([tf.constant(1.0)]) == tf.float32


def test_check_numerics():
    x = tf.constant([1.0, 2.0])
    np.testing.assert_array_equal(d.check_numerics(x, "x"), x)
    with pytest.raises(tf.errors.InvalidArgumentError, match="here : Tensor had Inf and NaN"):
        d.check_numerics([np.inf, np.nan], "here")
    with pytest.raises(tf.errors.UnimplementedError, match="check_numerics"):
        d.enable_check_numerics()

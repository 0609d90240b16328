"""tf.TensorArray, eagerly and in the loops of compiled functions."""

import numpy as np
import pytest

import alula as tf


def test_eagerly():
    array = tf.TensorArray(tf.float32, size=2, dynamic_size=True)
    array = array.write(0, [1.0, 2.0]).write(1, [3.0, 4.0]).write(2, [5.0, 6.0])
    assert int(array.size()) == 3 and array.dtype == tf.float32 and array.element_shape == (2,)
    np.testing.assert_array_equal(array.read(1), [3, 4])
    np.testing.assert_array_equal(array.stack(), [[1, 2], [3, 4], [5, 6]])
    np.testing.assert_array_equal(array.concat(), [1, 2, 3, 4, 5, 6])
    np.testing.assert_array_equal(array.gather([2, 0]), [[5, 6], [1, 2]])
    other = tf.TensorArray(tf.int32, size=3).unstack([7, 8, 9])
    assert [int(other.read(i)) for i in range(3)] == [7, 8, 9]
    assert other.scatter([0, 2], [1, 3]).stack().numpy().tolist() == [1, 8, 3]


def test_errors():
    array = tf.TensorArray(tf.float32, size=1)
    with pytest.raises(tf.errors.OutOfRangeError, match="there is no element 1"):
        array.write(1, 2.0)
    with pytest.raises(tf.errors.InvalidArgumentError, match="has not been written yet"):
        array.read(0)
    with pytest.raises(ValueError, match="shape of its elements is not known"):
        array.stack()


def test_in_the_loop_of_a_function():
    @tf.function
    def powers(x, n):
        array = tf.TensorArray(tf.float32, size=4)
        y = x
        for i in tf.range(n):
            array = array.write(i, y)
            y = y * x
        return array.stack()

    x = tf.constant([1.0, 2.0])
    np.testing.assert_array_equal(powers(x, tf.constant(4)), [[1, 2], [1, 4], [1, 8], [1, 16]])
    np.testing.assert_array_equal(powers(x, tf.constant(2)), [[1, 2], [1, 4], [0, 0], [0, 0]])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(powers(x, tf.constant(3)))
    np.testing.assert_allclose(tape.gradient(y, x), [1 + 2 + 3, 1 + 4 + 12])


def test_reads_and_branches_in_a_loop():
    @tf.function
    def running(x):
        rows = tf.TensorArray(tf.float32, size=5).unstack(x)
        sums = tf.TensorArray(tf.float32, size=5, element_shape=())
        total = 0.0
        for i in tf.range(5):
            value = rows.read(i)
            if value > 0.0:
                total = total + value
            sums = sums.write(i, total)
        return sums.stack()

    np.testing.assert_array_equal(running(tf.constant([1.0, -1.0, 2.0, -5.0, 3.0])), [1, 1, 3, 3, 6])


def test_in_while_loop():
    def fill(n):
        return tf.while_loop(
            lambda i, array: i < n,
            lambda i, array: (i + 1, array.write(i, tf.cast(i, tf.float32) * 2.0)),
            (tf.constant(0), tf.TensorArray(tf.float32, size=3)),
        )[1].stack()

    np.testing.assert_array_equal(fill(tf.constant(3)), [0, 2, 4])
    np.testing.assert_array_equal(tf.function(fill)(tf.constant(3)), [0, 2, 4])

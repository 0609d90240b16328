"""A tape around compiled functions: forward and backward are compiled."""

import numpy as np
import pytest

import alula as tf


def gradients_of(f, x, variables):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return [y, *tape.gradient(y, [x, *variables])]


def test_gradients_are_those_of_the_plain_function():
    w, b = tf.Variable([[1.0, -2.0], [3.0, 0.5]]), tf.Variable([0.1, 0.2])

    def f(x):
        y = tf.nn.relu(tf.matmul(x, w) + b)
        return tf.reduce_sum(y * y, axis=1)

    compiled = tf.function(f)
    for x in (tf.constant([[1.0, 2.0], [-1.0, 4.0]]), tf.constant([[0.5, 0.5]])):
        for _ in range(2):
            for got, want in zip(gradients_of(compiled, x, [w, b]), gradients_of(f, x, [w, b])):
                np.testing.assert_allclose(got.numpy(), want.numpy(), rtol=1e-6)
        w.assign_add(tf.ones((2, 2)))  # the next values are used


def test_only_what_is_asked_for_and_what_is_not_connected():
    v, other = tf.Variable(3.0), tf.Variable(1.0)
    f = tf.function(lambda x: (x * v, other * 2.0, tf.argmax([x, v])))
    x = tf.constant(2.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        a, b, c = f(x)
    assert float(tape.gradient(a, v)) == 2.0 and float(tape.gradient(a, x)) == 3.0
    assert float(tape.gradient(b, other)) == 2.0
    assert float(tape.gradient([a, b], v)) == 2.0 and c.dtype == tf.int64


def test_second_order():
    f = tf.function(lambda x: x * x * x)
    x = tf.constant(2.0)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = f(x)
        slope = inner.gradient(y, x)
    assert float(slope) == 12.0 and float(outer.gradient(slope, x)) == 12.0
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        slope = tape.gradient(f(x), x)
    assert float(tape.gradient(slope, x)) == 12.0


def test_assignments_happen_once():
    count = tf.Variable(0.0, trainable=False)

    @tf.function
    def f(x):
        count.assign_add(1.0)
        return x * x

    x = tf.constant(3.0)
    for i in range(3):
        y, slope = gradients_of(f, x, [])
        assert (float(y), float(slope), float(count)) == (9.0, 6.0, i + 1.0)


def test_random_numbers_and_loops_still_have_gradients():
    x = tf.ones((1000,))
    y, slope = gradients_of(tf.function(lambda x: tf.nn.dropout(x, 0.5)), x, [])
    np.testing.assert_allclose(slope.numpy(), y.numpy())

    @tf.function
    def power(x):
        y = x
        for _ in tf.range(3):
            y = y * x
        return y

    assert float(gradients_of(power, tf.constant(2.0), [])[1]) == 32.0


def test_training_by_hand():
    rng = np.random.default_rng(0)
    x = tf.constant(rng.normal(size=(64, 3)).astype(np.float32))
    y = tf.matmul(x, tf.constant([[1.0], [-2.0], [0.5]]))
    model = tf.keras.Sequential([tf.keras.layers.Dense(8, activation="tanh"), tf.keras.layers.Dense(1)])
    call = tf.function(lambda x: model(x, training=True))
    model(x)
    optimizer = tf.keras.optimizers.Adam(0.05)
    losses = []
    for _ in range(100):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((call(x) - y) ** 2)
        optimizer.apply_gradients(zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables))
        losses.append(float(loss))
    assert losses[-1] < 0.05 * losses[0]


def test_what_has_no_gradient_says_so_when_it_is_asked_for():
    f = tf.function(lambda x: tf.sort(x))
    x = tf.constant([2.0, 1.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    assert y.numpy().tolist() == [1.0, 2.0]
    try:
        slope = tape.gradient(y, x)
    except (tf.errors.UnimplementedError, LookupError):
        return
    assert slope is None or slope.shape == (2,)


def test_errors_arrive():
    f = tf.function(lambda x: tf.debugging.check_numerics(x, "bad"))
    with tf.GradientTape() as tape, pytest.raises(tf.errors.InvalidArgumentError, match="bad"):
        x = tf.constant([np.inf])
        tape.watch(x)
        f(x)

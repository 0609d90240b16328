"""cond, while_loop, map_fn, scan and their kin, eagerly and in functions."""

import numpy as np
import pytest

import alula as tf


def everywhere(f, *args):
    """What a function gives, which must be the same eagerly and compiled."""
    eager = f(*args)
    compiled = tf.function(f)(*args)
    for a, b in zip(tf.nest.flatten(eager), tf.nest.flatten(compiled)):
        assert (a is None) == (b is None)
        if a is not None:
            np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=1e-6)
    return eager


def test_cond_with_nests():
    def f(x):
        return tf.cond(x > 0.0, lambda: {"a": x, "b": [x * 2.0, None]}, lambda: {"a": -x, "b": [x, None]})

    assert everywhere(f, tf.constant(2.0))["b"][0].numpy() == 4.0
    got = everywhere(f, tf.constant(-2.0))
    assert got["a"].numpy() == 2.0 and got["b"][1] is None


def test_cond_runs_one_branch():
    v = tf.Variable(0.0)

    @tf.function
    def f(x):
        tf.cond(x, lambda: v.assign_add(1.0).value(), lambda: v.assign_add(10.0).value())

    f(tf.constant(True))
    assert v.numpy() == 1.0
    f(tf.constant(False))
    assert v.numpy() == 11.0


def test_cond_errors():
    with pytest.raises(TypeError, match="true_fn must be callable"):
        tf.cond(tf.constant(True), 1, lambda: 2)
    with pytest.raises(TypeError, match="same nest"):
        tf.function(lambda x: tf.cond(x, lambda: (x, x), lambda: x))(tf.constant(True))
    with pytest.raises(ValueError, match="scalar bool"):
        tf.function(lambda x: tf.cond(x, lambda: x, lambda: x))(tf.constant(1))


def test_while_loop():
    def f(n):
        return tf.while_loop(
            lambda i, s: i < n,
            lambda i, s: (i + 1, {"x": s["x"] * 2.0}),
            (tf.constant(0), {"x": tf.constant(1.0)}),
        )

    i, s = everywhere(f, tf.constant(5))
    assert i.numpy() == 5 and s["x"].numpy() == 32.0
    powers = everywhere(lambda x: tf.while_loop(lambda v: v < 100, lambda v: [v * 3], [x]), tf.constant(1))
    assert powers[0].numpy() == 243
    limited = tf.while_loop(lambda v: True, lambda v: [v + 1], [tf.constant(0)], maximum_iterations=7)
    assert limited[0].numpy() == 7


def test_while_loop_that_grows():
    def f(x):
        return tf.while_loop(
            lambda i, v: i < 3,
            lambda i, v: (i + 1, tf.concat([v, v], 0)),
            (tf.constant(0), x),
            shape_invariants=(tf.TensorShape([]), tf.TensorShape([None])),
        )[1]

    assert everywhere(f, tf.constant([1.0, 2.0])).shape == (16,)


def test_gradient_of_a_loop():
    @tf.function
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            start = (tf.constant(0), tf.constant(1.0))
            _, y = tf.while_loop(lambda i, y: i < 4, lambda i, y: (i + 1, y * x), start)
        return tape.gradient(y, x)

    assert f(tf.constant(2.0)).numpy() == 32.0


def test_case_and_switch_case():
    def f(x):
        return tf.case([(x < 0, lambda: x * 10), (x > 5, lambda: x * 100)], default=lambda: x)

    assert [int(everywhere(f, tf.constant(v))) for v in (-1, 3, 6)] == [-10, 3, 600]

    def g(i):
        branches = {0: lambda: tf.constant(7), 2: lambda: tf.constant(9)}
        return tf.switch_case(i, branches, default=lambda: tf.constant(1))

    assert [int(everywhere(g, tf.constant(v))) for v in (0, 1, 2, 3, -1)] == [7, 1, 9, 1, 1]


def test_map_scan_and_folds():
    x = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    a = np.asarray(x)
    np.testing.assert_array_equal(everywhere(lambda v: tf.map_fn(tf.reduce_sum, v), x), a.sum(1))
    np.testing.assert_array_equal(everywhere(lambda v: tf.vectorized_map(tf.reduce_sum, v), x), a.sum(1))
    got = everywhere(lambda v: tf.map_fn(lambda e: {"s": e[0] + e[1], "p": e[0] * e[1]}, (v, v)), x)
    np.testing.assert_array_equal(got["p"], a * a)
    np.testing.assert_array_equal(everywhere(lambda v: tf.scan(lambda s, e: s + e, v), x), a.cumsum(0))
    start = tf.constant([10.0, 10.0])
    got = everywhere(lambda v: tf.scan(lambda s, e: s + e, v, start), x)
    np.testing.assert_array_equal(got, a.cumsum(0) + 10)
    back = everywhere(lambda v: tf.scan(lambda s, e: s + e, v, reverse=True), x)
    np.testing.assert_array_equal(back, a[::-1].cumsum(0)[::-1])
    digits = tf.constant([1, 2, 3])
    assert everywhere(lambda v: tf.foldl(lambda s, e: s * 10 + e, v), digits).numpy() == 123
    assert everywhere(lambda v: tf.foldr(lambda s, e: s * 10 + e, v), digits).numpy() == 321


def test_an_exception_in_a_body_arrives_whole():
    class Own(Exception):
        pass

    def body(i):
        raise Own("body")

    def loop():
        return tf.while_loop(lambda i: i < 3, body, [tf.constant(0)])

    for f in (loop, lambda: tf.map_fn(body, tf.constant([1]))):
        with pytest.raises(Own, match="body"):
            f()
        with pytest.raises(Own, match="body"):
            tf.function(f)()
    assert tf.executing_eagerly()

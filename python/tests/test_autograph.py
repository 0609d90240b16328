"""Python's control flow on tensors, in tf.function."""

import numpy as np

import alula as tf


def both(f, *cases):
    """Checks that a compiled function gives what the plain one gives."""
    compiled = tf.function(f)
    for args in cases:
        tensors = [tf.constant(a) for a in args]
        want = f(*tensors)
        got = compiled(*tensors)
        for w, g in zip(tf.nest.flatten(want), tf.nest.flatten(got)):
            np.testing.assert_allclose(np.asarray(g), np.asarray(w), rtol=1e-6)
    return compiled


def test_if_assigns():
    def f(x):
        y = 1.0
        if x > 0.0:
            y = x * 2.0
            z = y + 1.0
        else:
            z = x
        return y, z

    compiled = both(f, (3.0,), (-3.0,))
    assert compiled.experimental_get_tracing_count() == 1


def test_elif_and_nesting():
    def f(x, y):
        if x > 10.0:
            r = 1
        elif x > 5.0:
            if y > 0.0:
                r = 2
            else:
                r = 3
        else:
            r = 4
        return r

    both(f, (11.0, 0.0), (6.0, 1.0), (6.0, -1.0), (0.0, 0.0))


def test_returns_in_branches():
    def f(x):
        if x > 10.0:
            return x, x
        if x > 0.0:
            y = x * 2.0
            if y > 10.0:
                return y, x
        else:
            y = -x
        y = y + 1.0
        return y, y

    both(f, (11.0,), (6.0,), (1.0,), (-1.0,))


def test_python_conditions_stay_python():
    taken = []

    @tf.function
    def f(x, training=False):
        if training:
            taken.append("training")
            return x * 2.0
        if x.shape[0] == 2 and not training:
            taken.append("two")
        return x

    np.testing.assert_array_equal(f(tf.constant([1.0, 2.0]), training=True), [2.0, 4.0])
    np.testing.assert_array_equal(f(tf.constant([1.0, 2.0])), [1.0, 2.0])
    assert taken == ["training", "two"]


def test_while():
    def collatz(n):
        steps = 0
        while n != 1:
            if n % 2 == 0:
                n = n // 2
            else:
                n = 3 * n + 1
            steps += 1
        return steps

    both(collatz, (1,), (6,), (27,))


def test_a_loop_that_becomes_one_of_tensors():
    def f(x):
        total = 0.0
        while total < 10.0:
            total = total + x
        return total

    both(f, (3.0,))


def test_break_and_continue():
    def f(n):
        total, seen = 0, 0
        for i in tf.range(n):
            if i % 2 == 0:
                continue
            seen += 1
            if total > 10:
                break
            total += i
        return total, seen

    both(f, (0,), (4,), (20,))

    def g(n):
        i = 0
        while True:
            i += 1
            if i * i > n:
                break
        return i

    @tf.function
    def compiled(n):
        i = tf.constant(0)
        go_on = n > -1
        while go_on:
            i += 1
            if i * i > n:
                break
        return i

    assert compiled(tf.constant(50)).numpy() == g(50)


def test_for_over_rows_ranges_and_python():
    def f(xs):
        total = tf.constant([0.0, 0.0])
        for row in xs:
            total = total * 0.5 + row
        for k in range(3):
            total = total + float(k)
        for i in range(2, int(total[0]), 2):
            total = total + tf.cast(i, tf.float32)
        for name, value in {"a": 1.0, "b": 2.0}.items():
            total = total + value
        return total

    both(f, ([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]],))


def test_a_loop_over_a_tensor_is_not_unrolled():
    calls = []

    @tf.function
    def f(n):
        total = 0
        for i in tf.range(n):
            calls.append(1)
            total += i
        return total

    assert f(tf.constant(100)).numpy() == 4950
    assert len(calls) == 1
    assert tf.function(lambda: f(1000))().numpy() == 499500


def test_boolean_operators_and_ternaries():
    def f(a, b):
        return (
            a > 0 and b > 0,
            a > 0 or b > 0,
            not a > 0,
            0 < a < b,
            a if a > b else b,
            1.5 if a > 0 and not b > 0 else 2.5,
        )

    both(f, (1, 2), (1, -2), (-1, 2), (-1, -2))


def test_and_looks_no_further_than_it_must():
    @tf.function
    def f(xs, limit):
        i = 0
        while i < 3 and xs[i] < limit:
            i += 1
        return i

    assert f(tf.constant([1, 2, 3]), tf.constant(10)).numpy() == 3
    assert f(tf.constant([1, 2, 3]), tf.constant(2)).numpy() == 1

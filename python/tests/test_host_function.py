"""py_function, numpy_function and tf.print."""

import sys
import threading

import numpy as np
import pytest

import alula as tf


def test_eagerly_with_gradients():
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.py_function(lambda v: v * v, [x], tf.float32)
    np.testing.assert_array_equal(y, [1.0, 4.0])
    np.testing.assert_array_equal(tape.gradient(y, x), [2.0, 4.0])


def test_in_a_function_at_every_run():
    seen = []

    def python(x, n):
        seen.append((x.numpy().tolist(), n.dtype))
        return x.numpy() * 2, n + 1

    @tf.function
    def f(x, n):
        a, b = tf.py_function(python, [x, n], [tf.float32, tf.int32])
        return a + 1.0, b

    for k in (1.0, 2.0):
        a, b = f(tf.constant([k]), tf.constant(5))
        assert a.numpy().tolist() == [2 * k + 1] and b.numpy() == 6
    assert seen == [([1.0], tf.int32), ([2.0], tf.int32)]


def test_other_ranks_are_said_by_specs():
    @tf.function
    def f(x):
        return tf.numpy_function(lambda a: a.sum(), [x], tf.TensorSpec([], tf.float32)) * 2.0

    assert f(tf.constant([1.0, 2.0])).numpy() == 6.0

    @tf.function
    def wrong(x):
        return tf.numpy_function(lambda a: a.sum(), [x], tf.float32)

    with pytest.raises(tf.errors.InvalidArgumentError, match="output 0 should be"):
        wrong(tf.constant([1.0, 2.0]))


def test_without_results():
    seen = []

    @tf.function
    def f(x):
        tf.py_function(lambda v: seen.append(float(v)), [x], [])
        return x

    f(tf.constant(1.0))
    f(tf.constant(2.0))
    assert seen == [1.0, 2.0]


def test_exceptions_arrive_whole():
    class Own(Exception):
        pass

    def fail(x):
        raise Own("inside")

    v = tf.Variable(1.0)

    @tf.function
    def f(x):
        v.assign_add(1.0)
        return tf.py_function(fail, [x], tf.float32)

    for call in (lambda: tf.py_function(fail, [1.0], tf.float32), lambda: f(tf.constant(1.0))):
        with pytest.raises(Own, match="inside") as caught:
            call()
        assert any(entry.name == "fail" for entry in caught.traceback)
    assert v.numpy() == 1.0  # a run that failed changes nothing


def test_in_pipelines_threads():
    threads = set()

    def python(x):
        threads.add(threading.get_ident())
        return x.numpy() ** 2

    data = tf.data.Dataset.range(200).map(
        lambda x: tf.py_function(python, [x], tf.int64), num_parallel_calls=4
    )
    assert [int(x) for x in data] == [i * i for i in range(200)]
    assert threading.get_ident() not in threads or len(threads) > 1


def test_text_of_print(capsys):
    third, flags = tf.constant([1.0, 0.1, 1 / 3]), tf.constant([True, False])
    tf.print("a", third, {"k": flags}, 5, sep="|", output_stream=sys.stdout)
    assert capsys.readouterr().out == "a|[1 0.1 0.333333343]|{'k': [1 0]}|5\n"
    tf.print(tf.range(10), tf.constant("text"), tf.constant(["x"]))
    assert capsys.readouterr().err == '[0 1 2 ... 7 8 9] text ["x"]\n'
    tf.print(tf.constant([[1, 2], [3, 4]]), end="")
    assert capsys.readouterr().err == "[[1 2]\n [3 4]]"
    tf.print(tf.range(8), summarize=-1)
    assert capsys.readouterr().err == "[0 1 2 3 4 5 6 7]\n"


def test_print_happens_at_every_run_in_order(capsys):
    v = tf.Variable(1.0)

    @tf.function
    def f(x):
        tf.print("before", v)
        v.assign_add(x)
        tf.print("after", v)
        if x > 1.0:
            tf.print("large")

    f(tf.constant(1.0))
    f(tf.constant(2.0))
    assert capsys.readouterr().err == "before 1\nafter 2\nbefore 2\nafter 4\nlarge\n"


def test_ten_thousand_calls_leave_memory_flat():
    def resident():
        with open("/proc/self/statm") as f:
            return int(f.read().split()[1]) * 4

    @tf.function
    def f(x):
        return tf.numpy_function(lambda a: a + 1, [x], tf.float32)

    x = tf.constant(np.zeros(64, np.float32))
    for _ in range(500):
        f(x)
    before = resident()
    for _ in range(10000):
        f(x)
    assert resident() - before < 1024

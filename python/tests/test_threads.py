"""Several Python threads call Alula at the same time."""

import threading

import numpy as np

import alula as tf


def in_threads(work, count=4):
    """Runs work(i) in threads, and raises what one of them raised."""
    errors = []

    def run(i):
        try:
            work(i)
        except BaseException as error:  # whatever it is, the test must see it
            errors.append(error)

    threads = [threading.Thread(target=run, args=(i,)) for i in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


def test_ops_in_parallel_give_the_same_as_one_after_another():
    rng = np.random.default_rng(0)
    arrays = [rng.random((64, 64), dtype=np.float32) for _ in range(4)]
    expected = [a @ a + a for a in arrays]

    def work(i):
        for _ in range(200):
            x = tf.constant(arrays[i])
            np.testing.assert_allclose((tf.matmul(x, x) + x).numpy(), expected[i], rtol=1e-5)

    in_threads(work)


def test_python_goes_on_while_a_large_op_computes():
    x = tf.constant(np.ones((1500, 1500), np.float32))
    ticks, done = [], threading.Event()

    def tick():
        while not done.is_set():
            ticks.append(1)
            done.wait(0.0005)

    thread = threading.Thread(target=tick)
    thread.start()
    for _ in range(10):
        y = tf.matmul(x, x)
    assert y.shape == (1500, 1500)
    before = len(ticks)
    done.set()
    thread.join()
    assert before > 10  # without giving up the lock it would be one or two


def test_variables_take_updates_from_several_threads_without_a_crash():
    v = tf.Variable(np.zeros(100, np.float32))

    def work(_):
        for _ in range(500):
            v.assign_add(tf.constant(np.ones(100, np.float32)))
            v.numpy()

    in_threads(work)
    assert v.numpy().max() <= 2000

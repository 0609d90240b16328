"""GradientTape and custom_gradient."""

import gc
import threading

import numpy as np
import pytest

import alula as tf


def test_it_records_inside_its_with_alone():
    x = tf.constant(3.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
    z = y * x
    assert tape.gradient(y, x).numpy() == 6.0
    assert tape.gradient(z, x) is None
    assert tape.gradient(z, x, unconnected_gradients="zero").numpy() == 0.0
    with tape:
        z = y * x
    assert tape.gradient(z, x).numpy() == 27.0


def test_sources_of_any_form_and_targets_summed():
    x, v = tf.constant(3.0), tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch([x])
        y, z = x * x, v * x
    got = tape.gradient([y, x, z], {"a": x, "b": (v, [x])}, output_gradients=[2.0, 1.0, [1.0, 10.0]])
    assert got["a"].numpy() == got["b"][1][0].numpy() == 2 * 6.0 + 1.0 + 1.0 + 20.0
    np.testing.assert_array_equal(got["b"][0], [3.0, 30.0])


def test_which_variables_are_watched():
    v, frozen = tf.Variable(2.0), tf.Variable(3.0, trainable=False)
    with tf.GradientTape() as tape:
        y = v * v * frozen
    assert [w._key for w in tape.watched_variables()] == [v._key]
    grads = tape.gradient(y, [v, frozen])
    assert grads[0].numpy() == 12.0 and grads[1] is None
    assert [w._key for w in tape.watched_variables()] == [v._key]
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(frozen)
        y = v * v * frozen
    grads = tape.gradient(y, [v, frozen])
    assert grads[0] is None and grads[1].numpy() == 4.0


def test_nested_tapes():
    x = tf.constant(2.0)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = x * x * x
        dy = inner.gradient(y, x)
    assert outer.gradient(dy, x).numpy() == 12.0


def test_pause_and_reset():
    x = tf.constant(2.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        with tape.stop_recording():
            unseen = x * x
        y = x * unseen
        assert tape.gradient(unseen, x) is None
        assert tape.gradient(y, x).numpy() == 4.0
        tape.reset()
        tape.watch(x)
        y = x * x
    assert tape.gradient(y, x).numpy() == 4.0


def test_errors_are_tensorflows():
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
        with pytest.raises(ValueError, match="recording already"):
            with tape:
                pass
        with pytest.raises(ValueError, match="Passed in object 3.0"):
            tape.watch(3.0)
    with pytest.raises(TypeError, match="Got None"):
        tape.gradient(None, x)
    with pytest.raises(ValueError, match="unconnected_gradients: 'zer'"):
        tape.gradient(y, x, unconnected_gradients="zer")
    tape.gradient(y, x)
    with pytest.raises(RuntimeError, match="persistent"):
        tape.gradient(y, x)


def test_an_integer_target_has_no_gradient():
    x = tf.Variable(3)
    with tf.GradientTape() as tape:
        y = x * 2
    assert tape.gradient(y, x) is None


def test_a_tape_left_by_an_exception_hears_nothing():
    v = tf.Variable(1.0)
    with pytest.raises(KeyError):
        with tf.GradientTape() as tape:
            raise KeyError("x")
    y = v * v
    assert tape.watched_variables() == ()
    assert tape.gradient(y, v) is None


def test_jacobians_are_those_of_loops():
    x = tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    w = tf.constant([[1.0, 0.5], [2.0, 1.5], [-1.0, 3.0]])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([x, w])
        y = tf.matmul(x * x, w)
    full = tape.jacobian(y, [x, w])
    assert full[0].shape == (2, 2, 2, 3) and full[1].shape == (2, 2, 3, 2)
    for i in range(2):
        for j in range(2):
            seed = np.zeros((2, 2), np.float32)
            seed[i, j] = 1
            for k, source in enumerate((x, w)):
                np.testing.assert_allclose(full[k].numpy()[i, j], tape.gradient(y, source, seed), rtol=1e-6)
    rows = tape.batch_jacobian(y, x)
    assert rows.shape == (2, 2, 3)
    for i in range(2):
        np.testing.assert_allclose(rows.numpy()[i], full[0].numpy()[i, :, i, :], rtol=1e-6)
    assert tape.jacobian(y, tf.constant(1.0)) is None
    with pytest.raises(ValueError, match="same first dimension"):
        tape.batch_jacobian(y, w)


def test_custom_gradient():
    @tf.custom_gradient
    def both(x, y):
        return (x + y, x * y), lambda da, db: (da * 100.0, db * 10.0)

    x, y = tf.constant(2.0), tf.constant(3.0)

    def grads():
        with tf.GradientTape() as tape:
            tape.watch([x, y])
            a, b = both(x, y)
            z = a + 2.0 * b
        return [z, *tape.gradient(z, [x, y])]

    assert [float(g) for g in grads()] == [17.0, 100.0, 20.0]
    assert [float(g) for g in tf.function(grads)()] == [17.0, 100.0, 20.0]

    @tf.function
    def inside(x, y):
        with tf.GradientTape() as tape:
            tape.watch([x, y])
            a, b = both(x, y)
            z = a + 2.0 * b
        return [z, *tape.gradient(z, [x, y])]

    assert [float(g) for g in inside(x, y)] == [17.0, 100.0, 20.0]


def test_custom_gradient_errors():
    @tf.custom_gradient
    def wrong_count(x):
        return x * 1.0, lambda dy: (dy, dy)

    x, v = tf.constant(2.0), tf.Variable(1.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = wrong_count(x)
    with pytest.raises(ValueError, match="one for each of its 1"):
        tape.gradient(y, x)
    with pytest.raises(TypeError, match="reads trainable variables"):
        tf.custom_gradient(lambda x: (x * v, lambda dy: dy))(x)
    with pytest.raises(TypeError, match="must return its value and a function"):
        tf.custom_gradient(lambda x: x)(x)


def test_an_exception_in_a_gradient_arrives_whole():
    class Own(Exception):
        pass

    @tf.custom_gradient
    def fails(x):
        def gradient(dy):
            raise Own("here")

        return x * 1.0, gradient

    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = fails(x)
    with pytest.raises(Own, match="here"):
        tape.gradient(y, x)


def test_a_tape_may_be_collected_in_another_thread():
    def suspended():
        with tf.GradientTape():
            yield

    generator = [suspended()]
    next(generator[0])

    def collect():
        generator.clear()
        gc.collect()

    thread = threading.Thread(target=collect)
    thread.start()
    thread.join()
    assert (tf.constant(1.0) + 1.0).numpy() == 2.0


def test_threads_have_their_own_tapes():
    v = tf.Variable(1.0)
    results = []

    def work(k):
        for _ in range(200):
            with tf.GradientTape() as tape:
                y = v * float(k)
            results.append(tape.gradient(y, v).numpy() == k)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 800 and all(results)

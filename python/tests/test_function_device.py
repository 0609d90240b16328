"""Compiled functions and devices: they run where the scope says, or where their inputs are."""

import subprocess
import sys

import numpy as np
import pytest

import alula as tf

needs_gpu = pytest.mark.skipif(
    not tf.config.list_physical_devices("GPU"), reason="there is no GPU, nor an emulated one"
)


@tf.function
def scaled(x, y):
    return tf.matmul(x, y) * 2.0


def test_the_scope_of_the_cpu():
    with tf.device("/CPU:0"):
        assert "CPU:0" in scaled(tf.ones([2, 3]), tf.ones([3, 2])).device


@needs_gpu
def test_the_scope_of_the_gpu():
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    with tf.device("/GPU:0"):
        results = [scaled(x + i, x.T) for i in range(4)]  # arrays that are gone when it has run
    for i, result in enumerate(results):
        assert "GPU:0" in result.device
        np.testing.assert_allclose(result, (x + i) @ x.T * 2)
    with tf.device("/CPU:0"):
        again = scaled(x, x.T)
    assert "CPU:0" in again.device
    np.testing.assert_allclose(again, results[0])


@needs_gpu
def test_inputs_on_the_gpu():
    with tf.device("/GPU:0"):
        x = tf.identity(tf.ones([2, 2]))
    assert "GPU:0" in scaled(x, np.ones([2, 2], np.float32)).device


@needs_gpu
def test_it_is_traced_once_for_all_devices():
    @tf.function
    def doubled(x):
        return x * 2.0

    for device in ("/CPU:0", "/GPU:0", "/CPU:0"):
        with tf.device(device):
            assert device[1:] in doubled(tf.ones([3])).device
    assert doubled.experimental_get_tracing_count() == 1


@needs_gpu
def test_a_step_trains_the_same_on_both():
    def weights_after(device):
        tf.random.set_seed(3)
        dense = tf.keras.layers.Dense(3)
        optimizer = tf.keras.optimizers.Adam(0.1)
        x, y = np.ones([4, 2], np.float32), np.eye(4, 3, dtype=np.float32)

        @tf.function
        def step(x, y):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((dense(x) - y) ** 2)
            gradients = tape.gradient(loss, dense.trainable_variables)
            optimizer.apply_gradients(zip(gradients, dense.trainable_variables))
            return loss

        with tf.device(device):
            losses = [step(x, y) for _ in range(5)]
        assert all(device[1:] in loss.device for loss in losses)
        return [np.array(weight) for weight in dense.get_weights()]

    for one, other in zip(weights_after("/CPU:0"), weights_after("/GPU:0")):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-6)


@needs_gpu
def test_a_tape_around_it():
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    with tf.device("/GPU:0"), tf.GradientTape() as tape:
        tape.watch(x)
        y = scaled(x, x)
    assert "GPU:0" in y.device
    gradient = tape.gradient(y, x)
    assert "GPU:0" in gradient.device
    np.testing.assert_allclose(gradient, 2 * (np.ones([2, 2]) @ x.numpy().T + x.numpy().T @ np.ones([2, 2])))


HIDDEN_LATE = """
import time

import alula as tf

def long(x):
    return tf.matmul(x, x)

def call_often():
    f = tf.function(long)
    for _ in range(12):
        result = f(tf.ones([300, 300]))
        time.sleep(0.02)  # a thread gets the GPU ready meanwhile
    return result.device

call_often()
tf.config.set_visible_devices([], "GPU")
print(call_often())
"""


@needs_gpu
def test_a_gpu_that_was_hidden_is_not_tried():
    run = subprocess.run([sys.executable, "-c", HIDDEN_LATE], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert "CPU:0" in run.stdout

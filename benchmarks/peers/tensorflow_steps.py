"""The steps in TensorFlow: a tf.function, the same compiled by XLA, and Keras's fit."""

import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import statistics
import time

import numpy as np
import tensorflow as tf
from worker import THREADS, Training, options_of, serve, time_blocks, time_first

tf.config.threading.set_intra_op_parallelism_threads(THREADS)
tf.config.threading.set_inter_op_parallelism_threads(THREADS)


def make_model(step):
    layers = [getattr(tf.keras.layers, layer["class"])(**options_of(layer)) for layer in step.layers]
    return tf.keras.Sequential([tf.keras.Input(step.input_shape), *layers])


def make_images(step):
    return tf.random.uniform((step.batch, *step.input_shape))


def make_labels(step):
    return tf.random.uniform((step.batch,), maxval=10, dtype=tf.int32)


def train_function(model, xla):
    optimizer = tf.keras.optimizers.Adam()
    loss_of = tf.keras.losses.SparseCategoricalCrossentropy()

    @tf.function(jit_compile=xla)
    def train(x, y):
        with tf.GradientTape() as tape:
            loss = loss_of(y, model(x, training=True))
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables))
        return loss

    return lambda x, y: float(train(x, y).numpy())


class EpochTimes(tf.keras.callbacks.Callback):
    def __init__(self):
        super().__init__()
        self.ends = []

    def on_epoch_end(self, epoch, logs=None):
        self.ends.append(time.perf_counter())


def fitting(step):
    """Epochs of fit, with a metric. The set holds every image twice, with different labels."""
    model = make_model(step)
    model.compile(optimizer="adam", loss="sparse_categorical_crossentropy", metrics=["accuracy"])
    steps = 2 * step.batches()
    once = np.random.rand(steps // 2 * step.batch, *step.input_shape).astype(np.float32)
    x = np.concatenate([once, once])
    y = np.random.randint(0, 10, steps * step.batch).astype(np.int32)
    epochs = 2  # the first one warms up

    def measure(seconds):
        nonlocal epochs
        times = EpochTimes()
        history = model.fit(x, y, batch_size=step.batch, epochs=epochs, verbose=0, callbacks=[times])
        epoch = statistics.median(b - a for a, b in zip(times.ends, times.ends[1:]))
        epochs = 2 + int(seconds / epoch)
        return {
            "us": epoch * 1e6 / steps,
            "loss": history.history["loss"][-1],
            "parameters": model.count_params(),
        }

    return measure


def inference(step, xla):
    model = make_model(step)
    predict = tf.function(lambda x: model(x, training=False), jit_compile=xla)
    run = Training(step, lambda x, y: predict(x).numpy()[0, 0], lambda: make_images(step), lambda: None, 0)
    return lambda seconds: {"us": time_blocks(run.once, seconds), "parameters": model.count_params()}


def tracing(step, xla):
    x, y = make_images(step), make_labels(step)

    def prepare():
        train = train_function(make_model(step), xla)
        return lambda: train(x, y)

    return lambda seconds: {"us": time_first(prepare, seconds)}


def empty_call(step, xla):
    inputs = [tf.random.uniform((10,)) for _ in range(step.inputs)]
    call = tf.function(lambda *all: all[0], jit_compile=xla)
    return lambda seconds: {"us": time_blocks(lambda: call(*inputs), seconds)}


def prepare(step, way):
    if way == "fit":
        return fitting(step) if step.kind == "train" else None
    xla = way == "xla"
    if step.kind == "train":
        model = make_model(step)
        train = train_function(model, xla)
        return Training(step, train, lambda: make_images(step), lambda: make_labels(step), model.count_params())
    return {"inference": inference, "tracing": tracing, "empty_call": empty_call}[step.kind](step, xla)


serve("TensorFlow", tf.__version__, ["function", "xla", "fit"], prepare)

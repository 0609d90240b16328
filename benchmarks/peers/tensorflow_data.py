"""The input pipelines of data.json in tf.data."""

import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import functools
import gzip
import pathlib

import numpy as np
import tensorflow as tf
from worker import THREADS, serve_passes

tf.config.threading.set_intra_op_parallelism_threads(THREADS)
tf.config.threading.set_inter_op_parallelism_threads(THREADS)
AUTOTUNE = tf.data.AUTOTUNE
MNIST = pathlib.Path(__file__).resolve().parents[2] / "data" / "mnist"


@functools.cache
def image_arrays():
    return np.random.rand(10_000, 64, 64, 3).astype(np.float32), np.random.randint(0, 10, 10_000)


@functools.cache
def row_arrays():
    return np.random.rand(100_000, 100).astype(np.float32), np.random.randint(0, 10, 100_000)


@functools.cache
def mnist_arrays():
    def read(name, header):
        (path,) = MNIST.glob(name + "*")
        content = gzip.open(path).read() if path.suffix == ".gz" else path.read_bytes()
        return np.frombuffer(content, np.uint8, offset=header)

    images = read("train-images", 16).reshape(-1, 28, 28, 1)
    return images.astype(np.float32) / 255, read("train-labels", 8).astype(np.int64)


def slices(arrays):
    return tf.data.Dataset.from_tensor_slices(arrays())


def brighter(image, label):
    return tf.image.random_brightness(image, max_delta=0.1), label


def reading(dataset):
    def run():
        count = 0
        for _ in dataset:
            count += 1
        return count

    return run


def training_on_images(dataset):
    model = tf.keras.Sequential(
        [
            tf.keras.Input((64, 64, 3)),
            tf.keras.layers.Conv2D(32, 3, activation="relu"),
            tf.keras.layers.MaxPooling2D(2),
            tf.keras.layers.Flatten(),
            tf.keras.layers.Dense(10, activation="softmax"),
        ]
    )
    model.compile(optimizer="adam", loss="sparse_categorical_crossentropy", metrics=["accuracy"])

    def run():
        model.fit(dataset, epochs=2, verbose=0)
        return 1

    return run


def training_on_rows(dataset):
    model = tf.keras.Sequential(
        [
            tf.keras.Input((100,)),
            tf.keras.layers.Dense(128, activation="relu"),
            tf.keras.layers.Dense(10, activation="softmax"),
        ]
    )
    optimizer = tf.keras.optimizers.Adam(0.001)
    loss_of = tf.keras.losses.SparseCategoricalCrossentropy()

    @tf.function
    def step(x, y):
        with tf.GradientTape() as tape:
            loss = loss_of(y, model(x))
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables))
        return loss

    def run():
        for x, y in dataset:
            step(x, y).numpy()
        return 1

    return run


PASSES = {
    "slices_b32": lambda: reading(slices(row_arrays).batch(32)),
    "images_brightness_b32": lambda: reading(slices(image_arrays).map(brighter).batch(32)),
    "images_brightness_autotune_b32": lambda: reading(
        slices(image_arrays).map(brighter, num_parallel_calls=AUTOTUNE).batch(32)
    ),
    "mnist_shuffle_b128": lambda: reading(slices(mnist_arrays).shuffle(60_000).batch(128)),
    "rows_training": lambda: training_on_rows(slices(row_arrays).batch(32).prefetch(AUTOTUNE)),
    "images_training": lambda: training_on_images(
        slices(image_arrays).map(brighter).batch(32).prefetch(AUTOTUNE)
    ),
    "images_training_autotune": lambda: training_on_images(
        slices(image_arrays).map(brighter, num_parallel_calls=AUTOTUNE).batch(32).prefetch(AUTOTUNE)
    ),
}

serve_passes("TensorFlow", tf.__version__, "tf.data", PASSES)

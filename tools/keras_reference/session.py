"""A short fit, evaluate and predict, printed as Keras prints them. Run by texts.py.

  python session.py 1 | 2 | colours

With a fixed clock and weights that start at zero, so that every run prints the same.
"""

import os
import sys

os.environ.update(KERAS_BACKEND="tensorflow", CUDA_VISIBLE_DEVICES="", TF_CPP_MIN_LOG_LEVEL="3")
os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"

import keras
import models
import numpy as np
from clock import Clock
from keras import layers


class InOrder(keras.callbacks.Callback):
    """With batch hooks of one's own, Keras calls callbacks in this thread, one after the other."""

    def on_train_batch_end(self, batch, logs=None):
        pass

    def on_test_batch_end(self, batch, logs=None):
        pass

    def on_predict_batch_end(self, batch, logs=None):
        pass


def train(verbose):
    generator = np.random.default_rng(7)
    x = generator.standard_normal((120, 4)).astype(np.float32)
    y = generator.integers(0, 3, 120)
    model = keras.Sequential(
        [layers.Input((4,)), layers.Dense(3, activation="softmax", kernel_initializer="zeros")]
    )
    model.compile(
        "sgd",
        "sparse_categorical_crossentropy",
        metrics=["accuracy", "sparse_categorical_crossentropy"],
    )
    arguments = {"batch_size": 10, "verbose": verbose, "callbacks": [InOrder()]}
    print("-- fit, two epochs, validation", flush=True)
    Clock(0.02).install()
    model.fit(
        x[:80], y[:80], epochs=2, validation_data=(x[80:], y[80:]), shuffle=False, **arguments
    )
    print("-- fit, one epoch, slow steps", flush=True)
    Clock(1.3).install()
    model.fit(x, y, shuffle=False, **arguments)
    print("-- fit, fast steps", flush=True)
    Clock(0.0004).install()
    model.fit(x, y, shuffle=False, **arguments)
    print("-- evaluate", flush=True)
    Clock(0.02).install()
    model.evaluate(x, y, **arguments)
    print("-- predict", flush=True)
    Clock(0.02).install()
    model.predict(x, **arguments)
    print("-- a generator of unknown length", flush=True)
    Clock(0.06).install()

    def batches():
        yield from ((x[i : i + 40], y[i : i + 40]) for i in range(0, 120, 40))

    del arguments["batch_size"]
    model.fit(batches(), **arguments)


if __name__ == "__main__":
    if sys.argv[1] == "colours":
        models.mnist_cnn().summary()
        models.resnet().summary()
    else:
        train(int(sys.argv[1]))

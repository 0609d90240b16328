"""Callbacks: C++'s and Python's, what they are told, and how they end training."""

import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import alula as tf

keras = tf.keras
X = np.linspace(-1, 1, 32, dtype="float32").reshape(-1, 1)
Y = 2 * X


def model_of(rate=0.1):
    model = keras.Sequential([keras.layers.Dense(1, input_shape=(1,))])
    model.compile(keras.optimizers.SGD(rate), "mse")
    return model


class Notes(keras.callbacks.Callback):
    def __init__(self):
        self.seen = []  # without super().__init__(), as many write it

    def on_train_begin(self, logs=None):
        self.seen.append(("train_begin", self.params["epochs"], self.params["steps"]))

    def on_epoch_end(self, epoch, logs=None):
        self.seen.append(("epoch_end", epoch, sorted(logs)))
        logs["mine"] = epoch * 10.0

    def on_train_batch_end(self, batch, logs=None):
        self.seen.append(("batch_end", batch, sorted(logs)))


def test_hooks_are_told_in_order():
    notes, model = Notes(), model_of()
    history = model.fit(X, Y, epochs=2, batch_size=16, verbose=0, callbacks=[notes])
    assert notes.model is model
    batch = [("batch_end", 0, ["loss"]), ("batch_end", 1, ["loss"])]
    assert notes.seen == [
        ("train_begin", 2, 2),
        *batch,
        ("epoch_end", 0, ["loss"]),
        *batch,
        ("epoch_end", 1, ["loss"]),
    ]
    assert history.history["mine"] == [0, 10]


def test_built_in_ones(tmp_path):
    model = model_of(0.0)
    stop = keras.callbacks.EarlyStopping(monitor="loss", patience=1, min_delta=1e-3)
    csv = str(tmp_path / "log.csv")
    path = str(tmp_path / "best.safetensors")
    history = model.fit(
        X,
        Y,
        epochs=10,
        verbose=0,
        callbacks=[stop, keras.callbacks.CSVLogger(csv), keras.callbacks.ModelCheckpoint(path, monitor="loss")],
    )
    assert len(history.epoch) == 2 and stop.stopped_epoch == 1 and stop.best == pytest.approx(history.history["loss"][0])
    assert open(csv).readline().startswith("epoch,loss") and os.path.exists(path)
    model.load_weights(path)
    rates = []
    schedule = keras.callbacks.LearningRateScheduler(lambda epoch, rate: 0.1 / (epoch + 1))
    note = keras.callbacks.LambdaCallback(on_epoch_end=lambda epoch, logs: rates.append(logs["learning_rate"]))
    model.fit(X, Y, epochs=2, verbose=0, callbacks=[schedule, note])
    assert rates == pytest.approx([0.1, 0.05])
    model.fit(X, Y, epochs=2, verbose=0, callbacks=keras.callbacks.LearningRateScheduler(lambda epoch: 0.25))
    assert float(model.optimizer.learning_rate.numpy()) == 0.25


def test_a_built_in_one_subclassed():
    class Counting(keras.callbacks.EarlyStopping):
        def __init__(self):
            super().__init__(monitor="loss", min_delta=1e-3, patience=0, restore_best_weights=True)
            self.count = 0

        def on_epoch_end(self, epoch, logs=None):
            self.count += 1
            super().on_epoch_end(epoch, logs)

    counting = Counting()
    model_of(0.0).fit(X, Y, epochs=9, verbose=0, callbacks=[counting])
    assert counting.count == 2


def test_stopping_and_exceptions():
    class Stop(keras.callbacks.Callback):
        def on_train_batch_end(self, batch, logs=None):
            if batch == 1:
                self.model.stop_training = True

    model = model_of()
    model.fit(X, Y, batch_size=4, epochs=5, verbose=0, callbacks=[Stop()])
    assert int(model.optimizer.iterations.numpy()) == 2

    class Fails(keras.callbacks.Callback):
        def on_epoch_begin(self, epoch, logs=None):
            raise ArithmeticError("mine")

    with pytest.raises(ArithmeticError, match="mine") as caught:
        model.fit(X, Y, verbose=0, callbacks=[Fails()])
    assert caught.traceback[-1].name == "on_epoch_begin"
    with pytest.raises(ValueError, match="callbacks"):
        model.fit(X, Y, verbose=0, callbacks=[3])


def test_evaluate_and_predict_tell_callbacks():
    seen = []

    class Both(keras.callbacks.Callback):
        def on_test_end(self, logs=None):
            seen.append(("test", "loss" in logs))

        def on_predict_batch_begin(self, batch, logs=None):
            seen.append(("predict", batch))

    model = model_of()
    model.evaluate(X, Y, verbose=0, callbacks=[Both()])
    model.predict(X, batch_size=16, verbose=0, callbacks=[Both()])
    assert seen == [("test", True), ("predict", 0), ("predict", 1)]


def test_other_threads_run_while_it_trains():
    x = np.random.rand(2000, 64).astype("float32")
    model = keras.Sequential([keras.layers.Dense(256, activation="relu", input_shape=(64,)), keras.layers.Dense(64)])
    model.compile("adam", "mse")
    ticks, done = [0], threading.Event()

    def tick():
        while not done.is_set():
            ticks[0] += 1
            time.sleep(0.001)

    thread = threading.Thread(target=tick)
    thread.start()
    began = time.perf_counter()
    model.fit(x, x, epochs=3, verbose=0)
    took = time.perf_counter() - began
    done.set()
    thread.join()
    assert ticks[0] > took * 10  # about 900 on a quiet machine; without giving up the lock a few


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_ctrl_c_ends_training():
    program = """
import numpy as np, alula as tf
model = tf.keras.Sequential([tf.keras.layers.Dense(4, input_shape=(4,))])
model.compile("sgd", "mse")
x = np.zeros((640, 4), "float32")
print("ready", flush=True)
try:
    model.fit(x, x, epochs=10_000_000, verbose=0)
except KeyboardInterrupt:
    print("interrupted", int(model.optimizer.iterations.numpy()) > 0)
"""
    process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "ready\n"
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=30)[0] == "interrupted True\n"

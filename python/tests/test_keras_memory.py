"""Nothing is left behind: layers, models and callbacks that are dropped leave memory flat."""

import gc
import threading
import weakref

import numpy as np

import alula as tf

keras = tf.keras


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096


def grows(make, count, rounds=3):
    """By how many bytes a call makes memory grow, when it has settled."""
    for _ in range(count):
        make()
    gc.collect()
    sizes = []
    for _ in range(rounds):
        before = resident()
        for _ in range(count):
            make()
        gc.collect()
        sizes.append((resident() - before) / count)
    return min(sizes)


def test_layers():
    def make():
        keras.layers.Dense(4, activation=lambda x: x, name="d")

    assert grows(make, 3000) < 50


def test_models():
    x = np.zeros((8, 4), "float32")

    def make():
        model = keras.Sequential([keras.layers.Dense(64, input_shape=(4,)), keras.layers.Dense(4)])
        model.compile("adam", "mse", metrics=["mae"])
        model.fit(x, x, verbose=0, callbacks=[keras.callbacks.TerminateOnNaN()])

    assert grows(make, 100) < 4000


def test_functional_and_subclassed():
    class Own(keras.Model):
        def __init__(self):
            super().__init__()
            self.dense = keras.layers.Dense(4)

        def call(self, x):
            return self.dense(x)

    x = np.zeros((2, 4), "float32")

    def make():
        a = keras.Input((4,))
        keras.Model(a, keras.layers.Dense(3)(keras.layers.Dense(50)(a)))(x)
        own = Own()
        own(x)

    assert grows(make, 200) < 2000


def gone(thing):
    reference = weakref.ref(thing)
    del thing
    return reference


def test_cycles_are_collected():
    x = np.zeros((8, 4), "float32")

    class Notes(keras.callbacks.Callback):
        pass

    references = []
    for callback in (Notes(), keras.callbacks.EarlyStopping(monitor="loss")):
        model = keras.Sequential([keras.layers.Dense(4, input_shape=(4,))])
        model.compile("sgd", "mse")
        model.notes = callback
        history = model.fit(x, x, verbose=0, callbacks=[callback])
        references.append(weakref.ref(model))
        del model, callback, history
    gc.collect()
    assert [reference() for reference in references] == [None, None]


def test_a_model_whose_loss_knows_it_is_collected():
    class Own(keras.Model):
        def __init__(self):
            super().__init__()
            self.dense = keras.layers.Dense(4)
            self.compile("sgd", self.distance, metrics=[self.distance])

        def call(self, x):
            return self.dense(x)

        def distance(self, y_true, y_pred):
            return tf.reduce_mean(tf.abs(y_true - y_pred), axis=-1)

    x = np.zeros((8, 4), "float32")
    model = Own()
    model.fit(x, x, verbose=0)
    reference = weakref.ref(model)
    del model
    gc.collect()
    assert reference() is None


def test_threads():
    x = np.random.rand(64, 8).astype("float32")
    failures = []

    def work():
        try:
            model = keras.Sequential([keras.layers.Dense(16, activation=lambda v: tf.nn.relu(v)), keras.layers.Dense(8)])
            model.compile("adam", "mse")
            for _ in range(5):
                model.fit(x, x, verbose=0, callbacks=[keras.callbacks.LambdaCallback(on_epoch_end=lambda e, l: None)])
                model.predict(x, verbose=0)
        except BaseException as error:  # noqa: BLE001
            failures.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []

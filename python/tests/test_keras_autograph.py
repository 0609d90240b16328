"""Python's `if`, `while` and `for` on tensors in what Keras calls while it traces a step."""

import numpy as np
import pytest

import alula as tf

keras = tf.keras
X = np.linspace(-1, 1, 32, dtype=np.float32).reshape(16, 2)
Y = X.sum(axis=1, keepdims=True)


class Gate(keras.layers.Layer):
    """Doubles a batch whose mean is positive, and adds powers of it in a loop."""

    def call(self, inputs):
        if tf.reduce_mean(inputs) > 0:
            y = inputs * 2.0
        else:
            y = inputs
        for _ in tf.range(2):
            y = y + 1.0
        return y


class Net(keras.Model):
    def __init__(self):
        super().__init__()
        self.gate = Gate()
        self.dense = keras.layers.Dense(1, kernel_initializer="ones")

    def call(self, inputs, training=False):
        x = self.gate(inputs)
        if training:  # a bool of Python's
            x = x * 1.0
        count = tf.constant(0)
        while count < 2:
            x = x + 0.5
            count = count + 1
        return self.dense(x)


def expected(x):
    y = x * 2 if x.mean() > 0 else x
    return (y + 2 + 1).sum(axis=1, keepdims=True)


def test_a_model_branches_in_fit_and_predict():
    model = Net()
    np.testing.assert_allclose(model.predict(X[:8], batch_size=8, verbose=0), expected(X[:8]), rtol=1e-6)
    np.testing.assert_allclose(model.predict(X[8:], batch_size=8, verbose=0), expected(X[8:]), rtol=1e-6)
    np.testing.assert_allclose(model(X[8:]).numpy(), expected(X[8:]), rtol=1e-6)  # eagerly
    model.compile("sgd", "mse")
    before = model.dense.kernel.numpy().copy()
    model.fit(X, Y, batch_size=8, epochs=1, verbose=0)
    assert np.abs(model.dense.kernel.numpy() - before).max() > 1e-4


def test_a_layer_branches_in_a_functional_model():
    inputs = keras.Input((2,))
    model = keras.Model(inputs, keras.layers.Dense(1, kernel_initializer="ones")(Gate()(inputs)))
    for part in (X[:8], X[8:]):
        y = part * 2 if part.mean() > 0 else part
        want = (y + 2).sum(axis=1, keepdims=True)
        np.testing.assert_allclose(model.predict(part, batch_size=8, verbose=0), want, rtol=1e-6)


def test_losses_and_metrics_branch():
    def loss_function(y_true, y_pred):
        error = tf.reduce_mean(tf.square(y_true - y_pred))
        if error > 1.0:
            error = error * 10.0
        return error

    class OwnLoss(keras.losses.Loss):
        def call(self, y_true, y_pred):
            return loss_function(y_true, y_pred)

    class Large(keras.metrics.Metric):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            self.total = self.add_weight(name="total", initializer="zeros")

        def update_state(self, y_true, y_pred, sample_weight=None):
            if tf.reduce_mean(y_true) > 0:
                self.total.assign_add(1.0)

        def result(self):
            return self.total

    for loss in (loss_function, OwnLoss()):
        for target, want in ((3.0, 90.0), (0.5, 0.25)):
            model = keras.Sequential([keras.layers.Dense(1, kernel_initializer="zeros")])
            model.compile("sgd", loss=loss, metrics=[Large(name="large")])
            y = np.full((8, 1), target, np.float32)
            measured = model.evaluate(X[:8], y, batch_size=8, verbose=0, return_dict=True)
            assert measured["loss"] == pytest.approx(want) and measured["large"] == 1.0


def test_a_step_of_ones_own_branches():
    class Stepped(keras.Model):
        def __init__(self):
            super().__init__()
            self.dense = keras.layers.Dense(1)

        def call(self, inputs):
            return self.dense(inputs)

        def train_step(self, data):
            x, y = data
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(tf.square(self(x) - y))
            if loss > 1e6:
                scale = 0.0
            else:
                scale = 1.0
            gradients = tape.gradient(loss, self.trainable_variables)
            self.optimizer.apply_gradients(
                [(g * scale, v) for g, v in zip(gradients, self.trainable_variables)]
            )
            return {"loss": loss, "scale": scale}

    model = Stepped()
    model.compile("sgd")
    history = model.fit(X, Y, batch_size=8, epochs=1, verbose=0)
    assert history.history["scale"] == [1.0]

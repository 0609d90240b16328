"""Layers, models, losses, metrics and others whose classes are written in Python."""

import numpy as np
import pytest

import alula as tf

keras = tf.keras


class Linear(keras.layers.Layer):
    def __init__(self, units=4, **kwargs):
        super().__init__(**kwargs)
        self.units = units

    def build(self, input_shape):
        self.w = self.add_weight(shape=(input_shape[-1], self.units), initializer="ones", name="w")
        self.b = self.add_weight(shape=(self.units,), initializer="zeros", trainable=False, name="b")

    def call(self, inputs):
        return tf.matmul(inputs, self.w) + self.b

    def get_config(self):
        return {**super().get_config(), "units": self.units}


def test_a_layer():
    layer = Linear(2)
    assert not layer.built and layer.name.startswith("linear")
    assert layer(np.ones((1, 3), "float32")).numpy().tolist() == [[3, 3]]
    assert layer.built and len(layer.weights) == 2 and len(layer.trainable_weights) == 1
    assert layer.count_params() == 8
    model = keras.Sequential([keras.Input((3,)), layer, keras.layers.Dense(1)])
    assert model.layers[0] is layer and model.output_shape == (None, 1)
    model.compile("sgd", "mse")
    model.fit(np.ones((8, 3), "float32"), np.ones((8, 1), "float32"), verbose=0)
    assert not np.array_equal(layer.w.numpy(), np.ones((3, 2)))
    assert layer.b.numpy().tolist() == [0, 0]
    clone = keras.models.clone_model(model)
    assert type(clone.layers[0]) is Linear and clone.layers[0].units == 2


def test_layers_in_attributes_lists_and_dicts():
    class Block(keras.layers.Layer):
        def __init__(self):
            super().__init__()
            self.first = keras.layers.Dense(3)
            self.more = []
            for _ in range(2):
                self.more.append(keras.layers.Dense(3))
            self.named = {"a": keras.layers.Dense(3)}
            self.scale = tf.Variable(2.0)
            self.sizes = [1, 2]

        def call(self, x):
            x = self.first(x)
            for layer in self.more:
                x = layer(x)
            return self.named["a"](x) * self.scale

    block = Block()
    assert block(np.zeros((1, 2), "float32")).shape == (1, 3)
    assert len(block.weights) == 9 and block.sizes == [1, 2]
    block.first = keras.layers.Dense(5)
    assert len(block.weights) == 7
    del block.first
    assert not hasattr(block, "first")


def test_super_init_comes_first():
    class Wrong(keras.layers.Layer):
        def __init__(self):
            self.dense = keras.layers.Dense(1)
            super().__init__()

    with pytest.raises(RuntimeError, match="forgot to call"):
        Wrong()


class TwoLayers(keras.Model):
    def __init__(self, hidden=8):
        super().__init__()
        self.hidden = keras.layers.Dense(hidden, activation="relu")
        self.drop = keras.layers.Dropout(0.5)
        self.out = keras.layers.Dense(1)

    def call(self, inputs, training=None):
        x = self.hidden(inputs)
        if training:
            x = self.drop(x, training=training)
        return self.out(x)


def test_a_model():
    keras.utils.set_random_seed(0)
    x = np.random.rand(64, 4).astype("float32")
    y = x.sum(1, keepdims=True)
    model = TwoLayers()
    model.compile("adam", "mse", metrics=["mae"])
    history = model.fit(x, y, epochs=60, batch_size=16, verbose=0, validation_data=(x, y))
    assert history.history["val_loss"][-1] < history.history["val_loss"][0] / 4
    assert len(model.trainable_variables) == 4 and len(model.layers) == 3
    np.testing.assert_allclose(model.predict(x, verbose=0), model(x).numpy(), rtol=1e-4, atol=1e-5)
    other = TwoLayers()
    other.build((None, 4))
    assert other.count_params() == model.count_params()
    lines = []
    other.summary(print_fn=lines.append)
    assert "two_layers" in "".join(lines)


def test_several_inputs_outputs_and_arguments():
    class Pair(keras.Model):
        def __init__(self):
            super().__init__()
            self.dense = keras.layers.Dense(2)

        def call(self, inputs):
            a, b = inputs["a"], inputs["b"]
            return {"sum": self.dense(a) + b, "difference": a - b}

    model = Pair()
    a, b = np.ones((4, 2), "float32"), np.zeros((4, 2), "float32")
    result = model({"a": a, "b": b})
    assert set(result) == {"sum", "difference"} and result["difference"].numpy().tolist() == a.tolist()
    assert set(model.predict({"a": a, "b": b}, verbose=0)) == {"sum", "difference"}

    class Attend(keras.layers.Layer):
        def call(self, query, key, scale=1.0, training=False):
            return (query + key) * scale * (10.0 if training else 1.0)

    layer = Attend()
    assert layer(a, b, scale=3.0).numpy()[0, 0] == 3
    assert layer(a, b, training=True).numpy()[0, 0] == 10
    assert layer(a, key=b).numpy()[0, 0] == 1
    q, k = keras.Input((2,)), keras.Input((2,))
    functional = keras.Model([q, k], layer(q, k, scale=2.0))
    assert functional([a, b]).numpy()[0, 0] == 2


def test_a_train_step_of_its_own():
    class Own(keras.Model):
        def __init__(self):
            super().__init__()
            self.dense = keras.layers.Dense(1)
            self.tracker = keras.metrics.Mean(name="loss")

        def call(self, x):
            return self.dense(x)

        def train_step(self, data):
            x, y = data
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(tf.square(y - self(x, training=True)))
            gradients = tape.gradient(loss, self.trainable_variables)
            self.optimizer.apply_gradients(zip(gradients, self.trainable_variables))
            self.tracker.update_state(loss)
            return {"loss": self.tracker.result(), "twice": self.tracker.result() * 2}

        def test_step(self, data):
            x, y = data
            return {"error": tf.reduce_mean(tf.abs(y - self(x)))}

        @property
        def metrics(self):
            return [self.tracker]

    x = np.linspace(-1, 1, 32, dtype="float32").reshape(-1, 1)
    model = Own()
    model.compile(optimizer=keras.optimizers.SGD(0.2))
    history = model.fit(x, 2 * x, epochs=30, batch_size=8, verbose=0).history
    assert history["loss"][-1] < 1e-3 < history["loss"][0]
    assert history["twice"][-1] == pytest.approx(2 * history["loss"][-1], rel=1e-5)
    assert model.evaluate(x, 2 * x, verbose=0, return_dict=True)["error"] < 0.1


def test_a_train_step_on_keras_s():
    class More(keras.Sequential):
        pass

    class Counting(keras.Model):
        def __init__(self):
            super().__init__()
            self.dense = keras.layers.Dense(1)

        def call(self, x):
            return self.dense(x)

        def train_step(self, data):
            return {**super().train_step(data), "one": tf.constant(1.0)}

    x = np.ones((8, 2), "float32")
    model = Counting()
    model.compile("sgd", "mse", metrics=["mae"])
    history = model.fit(x, x[:, :1], verbose=0).history
    assert set(history) == {"loss", "mae", "one"} and history["one"] == [1]
    assert len(More([keras.layers.Dense(1)]).layers) == 1


def test_subclass_of_a_built_in_layer():
    class Doubled(keras.layers.Dense):
        def call(self, inputs):
            return super().call(inputs) * 2

    layer = Doubled(1, kernel_initializer="ones")
    model = keras.Sequential([layer])
    assert model(np.ones((1, 3), "float32")).numpy().tolist() == [[6]]
    assert layer.units == 1 and type(keras.models.clone_model(model).layers[0]) is Doubled


def test_losses_metrics_and_others():
    class Off(keras.losses.Loss):
        def call(self, y_true, y_pred):
            return tf.reduce_mean(tf.abs(y_true - y_pred), axis=-1)

    class Largest(keras.metrics.Metric):
        def __init__(self, name="largest", **kwargs):
            super().__init__(name=name, **kwargs)
            self.value = self.add_weight(name="value", initializer="zeros")

        def update_state(self, y_true, y_pred, sample_weight=None):
            self.value.assign(tf.maximum(self.value, tf.reduce_max(tf.abs(y_true - y_pred))))

        def result(self):
            return self.value

    class Half(keras.optimizers.schedules.LearningRateSchedule):
        def __call__(self, step):
            return 0.5 / (tf.cast(step, tf.float32) + 1.0)

    class Twos(keras.initializers.Initializer):
        def __call__(self, shape, dtype=None, **kwargs):
            return tf.ones(shape, dtype=dtype) * 2

    class Penalty(keras.regularizers.Regularizer):
        def __call__(self, w):
            return tf.reduce_sum(w)

    loss = Off()
    assert float(loss(np.array([[1.0], [3.0]], "float32"), np.zeros((2, 1), "float32"))) == 2
    model = keras.Sequential(
        [keras.layers.Dense(1, use_bias=False, kernel_initializer=Twos(), kernel_regularizer=Penalty(), input_shape=(1,))]
    )
    model.compile(keras.optimizers.SGD(Half()), Off(), metrics=[Largest()])
    x = np.array([[1.0], [2.0]], "float32")
    results = model.evaluate(x, np.zeros((2, 1), "float32"), verbose=0, return_dict=True)
    assert results == pytest.approx({"loss": 3 + 2, "largest": 4})
    # One step: the gradient of mean(2 w) and of the penalty, times 0.5.
    model.train_on_batch(x, np.zeros((2, 1), "float32"))
    assert model.get_weights()[0].item() == pytest.approx(2 - 0.5 * 2.5)
    model.train_on_batch(x, np.zeros((2, 1), "float32"))
    assert model.get_weights()[0].item() == pytest.approx(2 - 0.5 * 2.5 - 0.25 * 2.5)
    with pytest.raises(NotImplementedError, match="Optimizer"):
        type("Mine", (keras.optimizers.Optimizer,), {})()


def test_classes_without_a_configuration():
    class Plain(keras.layers.Layer):
        def __init__(self):
            super().__init__()

        def call(self, x):
            return x + 1.0

    class Needs(Plain):
        def __init__(self, amount):
            super().__init__()

    clone = keras.models.clone_model(keras.Sequential([keras.Input((2,)), Plain()]))
    assert clone(np.zeros((1, 2), "float32")).numpy().tolist() == [[1, 1]]
    with pytest.raises(ValueError, match="Needs: it cannot be made from its configuration"):
        keras.models.clone_model(keras.Sequential([keras.Input((2,)), Needs(3)]))
    model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(3)])
    assert keras.Sequential.from_config(model.get_config()).count_params() == 9


def test_looking_at_values_needs_run_eagerly():
    seen = []

    class Looking(keras.Model):
        def __init__(self):
            super().__init__()
            self.dense = keras.layers.Dense(1)

        def call(self, x):
            seen.append(float(x.numpy().sum()))
            return self.dense(x)

    x = np.ones((2, 2), "float32")
    model = Looking()
    model.compile("sgd", "mse", run_eagerly=True)
    model.fit(x, x[:, :1], epochs=2, verbose=0)
    assert seen == [4, 4]
    model.compile("sgd", "mse")
    with pytest.raises(TypeError, match="values to come"):
        model.fit(x, x[:, :1], verbose=0)


def test_add_loss_and_errors():
    class Penalised(keras.layers.Layer):
        def call(self, x):
            self.add_loss(tf.reduce_sum(x) * 0.5)
            return x

    model = keras.Sequential([keras.Input((2,)), Penalised()])
    model.compile("sgd", "mse")
    assert model.evaluate(np.ones((1, 2)), np.ones((1, 2)), verbose=0) == pytest.approx(1)
    layer = Penalised()
    layer(np.ones((1, 2), "float32"))
    assert [float(v) for v in layer.losses] == [1]

    class Fails(keras.layers.Layer):
        def call(self, x):
            raise LookupError("mine")

    with pytest.raises(LookupError, match="mine") as caught:
        Fails()(np.ones((1, 2), "float32"))
    assert caught.traceback[-1].name == "call"

    class Nothing(keras.layers.Layer):
        def call(self, x):
            pass

    with pytest.raises(ValueError, match="returned None"):
        Nothing()(np.ones((1, 2), "float32"))

"""Mixed precision: policies, the dtypes of layers, and the scaling of losses."""

import numpy as np
import pytest

import alula as tf

mixed_precision = tf.keras.mixed_precision


@pytest.fixture(autouse=True)
def _policy():
    yield
    mixed_precision.set_global_policy("float32")


def _known():
    """Data and weights of a model whose numbers Keras gave, too."""
    x = np.cos(np.arange(24)).reshape(6, 4).astype("float32")
    weights = [
        np.linspace(-1, 1, 20).reshape(4, 5).astype("float32") * 0.7,
        np.linspace(-0.3, 0.3, 5).astype("float32"),
        np.linspace(0.9, -0.8, 5).reshape(5, 1).astype("float32"),
        np.array([0.1], "float32"),
    ]
    return x, x.sum(1, keepdims=True) * 0.5, weights


def _model(weights):
    model = tf.keras.Sequential(
        [tf.keras.Input((4,)), tf.keras.layers.Dense(5, activation="tanh"), tf.keras.layers.Dense(1)]
    )
    model.set_weights(weights)
    return model


def test_policies():
    policy = mixed_precision.Policy("mixed_float16")
    assert policy.name == "mixed_float16"
    assert (policy.compute_dtype, policy.variable_dtype) == ("float16", "float32")
    assert repr(policy) == '<DTypePolicy "mixed_float16">'
    assert policy == mixed_precision.DTypePolicy.from_config(policy.get_config())
    assert policy != mixed_precision.Policy("float16")
    assert len({policy, mixed_precision.Policy("mixed_float16")}) == 1
    assert tf.keras.DTypePolicy is mixed_precision.Policy
    with pytest.raises(ValueError, match="mixed_float16"):
        mixed_precision.Policy("mixed")
    with pytest.raises(ValueError, match="floating"):
        mixed_precision.set_global_policy("int32")


def test_global_policy():
    assert mixed_precision.global_policy().name == "float32"
    mixed_precision.set_global_policy(mixed_precision.Policy("mixed_bfloat16"))
    assert mixed_precision.global_policy().name == "mixed_bfloat16"
    dense = tf.keras.layers.Dense(2)
    assert (dense.dtype, dense.compute_dtype, dense.variable_dtype) == ("float32", "bfloat16", "float32")
    assert dense.dtype_policy == mixed_precision.global_policy()
    assert dense(tf.ones((1, 3))).dtype == tf.bfloat16
    assert dense.kernel.dtype == tf.float32
    assert tf.keras.Input((2,)).dtype == tf.float32


@pytest.mark.parametrize("dtype", ["mixed_float16", mixed_precision.Policy("float16"), "float16", tf.float16])
def test_dtype_of_a_layer(dtype):
    layer = tf.keras.layers.Dense(2, dtype=dtype)
    assert layer.compute_dtype == "float16"
    again = tf.keras.layers.Dense.from_config(layer.get_config())
    assert again.dtype_policy == layer.dtype_policy
    assert layer.get_config()["dtype"] == layer.dtype_policy.name


def test_config_as_keras_writes_it():
    config = {"module": "keras", "class_name": "DTypePolicy", "config": {"name": "mixed_bfloat16"}}
    assert tf.keras.layers.Dense(2, dtype=config).compute_dtype == "bfloat16"


def test_own_layer_reads_its_weights_cast():
    class Scale(tf.keras.layers.Layer):
        def build(self, shape):
            self.scale = self.add_weight((), "ones", name="scale")
            self.count = self.add_weight((), "zeros", trainable=False, name="count")

        def call(self, x):
            self.count.assign_add(tf.reduce_sum(x))
            self.count.assign(self.count + 1)
            return x * self.scale

    layer = Scale(dtype="mixed_bfloat16")
    x = tf.ones((2, 2))
    with tf.GradientTape() as tape:
        y = layer(x)
        loss = tf.reduce_sum(tf.cast(y, tf.float32))
    assert y.dtype == tf.bfloat16
    assert layer.scale.dtype == tf.float32
    assert layer.count.numpy() == 5
    gradient = tape.gradient(loss, layer.scale)
    assert gradient.dtype == tf.float32
    assert gradient.numpy() == 4


def test_losses_agree_with_keras():
    x, y, weights = _known()
    mixed_precision.set_global_policy("mixed_bfloat16")
    model = _model(weights)
    model.compile(optimizer=tf.keras.optimizers.SGD(0.1), loss="mse")
    losses = [float(model.train_on_batch(x, y)) for _ in range(5)]
    np.testing.assert_allclose(losses, [0.6214783, 0.4715541, 0.3726068, 0.2995802, 0.2468212], atol=3e-3)


@pytest.mark.parametrize("eagerly", [False, True])
def test_loss_scaling_in_fit(eagerly):
    x, y, weights = _known()
    mixed_precision.set_global_policy("mixed_float16")
    model = _model(weights)
    model.compile(optimizer=tf.keras.optimizers.Adam(0.01), loss="mse", run_eagerly=eagerly)
    optimizer = model.optimizer
    assert isinstance(optimizer, mixed_precision.LossScaleOptimizer)
    assert isinstance(optimizer.inner_optimizer, tf.keras.optimizers.Adam)
    assert optimizer.name == "loss_scale_optimizer"
    np.testing.assert_allclose(optimizer.learning_rate.numpy(), 0.01, rtol=1e-6)
    losses = model.fit(x, y, batch_size=6, epochs=5, verbose=0).history["loss"]
    np.testing.assert_allclose(losses, [0.6206670, 0.5730966, 0.5287767, 0.4885712, 0.4515753], atol=1e-3)
    before = model.get_weights()
    model.train_on_batch(x, np.full((6, 1), 1e30, "float32"))
    assert optimizer.dynamic_scale.numpy() == 2.0**14
    assert optimizer.iterations.numpy() == 5
    for old, new in zip(before, model.get_weights()):
        np.testing.assert_array_equal(old, new)
    assert model.predict(x, verbose=0).dtype == np.float16


def test_loss_scale_optimizer_by_hand():
    w = tf.Variable([1.0, 2.0])
    inner = tf.keras.optimizers.SGD(0.5)
    optimizer = mixed_precision.LossScaleOptimizer(inner, initial_scale=8, dynamic_growth_steps=2)

    @tf.function
    def step(factor):
        with tf.GradientTape() as tape:
            loss = optimizer.scale_loss(tf.reduce_sum(w * factor))
        optimizer.apply(tape.gradient(loss, [w]), [w])

    step(tf.constant(1.0))
    np.testing.assert_allclose(w.numpy(), [0.5, 1.5])
    step(tf.constant(float("nan")))
    np.testing.assert_allclose(w.numpy(), [0.5, 1.5])
    assert optimizer.dynamic_scale.numpy() == 4
    step(tf.constant(1.0))
    step(tf.constant(1.0))
    assert optimizer.dynamic_scale.numpy() == 8
    assert optimizer.step_counter.numpy() == 0
    assert optimizer.iterations.numpy() == 3
    own, inside = optimizer.variables[:4], optimizer.variables[4:]
    assert [variable.name.split(":")[0] for variable in own] == ["iteration", "learning_rate", "step_counter", "dynamic_scale"]
    assert [variable.name.split(":")[0] for variable in inside] == ["iteration", "learning_rate"]


def test_loss_scale_optimizer_config():
    optimizer = mixed_precision.LossScaleOptimizer(tf.keras.optimizers.Adam(0.25), dynamic_growth_steps=7)
    again = tf.keras.optimizers.deserialize(tf.keras.optimizers.serialize(optimizer))
    assert again.dynamic_growth_steps == 7
    assert again.learning_rate.numpy() == 0.25
    again.learning_rate = 0.5
    assert again.inner_optimizer.learning_rate.numpy() == 0.5
    with pytest.raises(ValueError, match="already"):
        mixed_precision.LossScaleOptimizer(optimizer)
    with pytest.raises(ValueError, match="inner_optimizer"):
        mixed_precision.LossScaleOptimizer(3)


def test_own_train_step():
    class Model(tf.keras.Model):
        def __init__(self):
            super().__init__()
            self.dense = tf.keras.layers.Dense(1, kernel_initializer="zeros")

        def call(self, x):
            return self.dense(x)

        def train_step(self, data):
            x, y = data
            with tf.GradientTape() as tape:
                loss = self.compute_loss(x, y, self(x, training=True))
                scaled = self.optimizer.scale_loss(loss)
            variables = self.trainable_variables
            self.optimizer.apply_gradients(zip(tape.gradient(scaled, variables), variables))
            return {"loss": loss}

    x, y, _ = _known()
    mixed_precision.set_global_policy("mixed_float16")
    model = Model()
    model.compile(optimizer=tf.keras.optimizers.SGD(0.1), loss="mse")
    losses = model.fit(x, y, batch_size=6, epochs=20, verbose=0).history["loss"]
    assert losses[-1] < 0.5 * losses[0]
    assert model.optimizer.iterations.numpy() == 20


def test_clone_keeps_policies():
    inputs = tf.keras.Input((4,))
    hidden = tf.keras.layers.Dense(3, dtype="mixed_bfloat16")(inputs)
    model = tf.keras.Model(inputs, tf.keras.layers.Dense(2, dtype="float32")(hidden))
    mixed_precision.set_global_policy("mixed_float16")
    clone = tf.keras.models.clone_model(model)
    assert [layer.dtype_policy.name for layer in clone.layers[1:]] == ["mixed_bfloat16", "float32"]
    assert clone.dtype_policy.name == "float32"


def test_function_compiled_before_reads_variables_as_they_are():
    w = tf.Variable([1.0, 2.0])
    f = tf.function(lambda x: x * w)
    f(tf.ones(2))
    layer = tf.keras.layers.Lambda(lambda x: x + tf.cast(f(tf.ones(2)), x.dtype), dtype="mixed_bfloat16")
    with tf.GradientTape() as tape:
        y = layer(tf.zeros((1, 2)))
    assert y.dtype == tf.bfloat16
    np.testing.assert_array_equal(tape.gradient(y, w).numpy(), [1, 1])

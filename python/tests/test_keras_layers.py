"""Layers: their values against NumPy, their arguments, configurations and errors."""

import inspect

import numpy as np
import pytest

import alula as tf

layers = tf.keras.layers


def test_dense_computes_what_numpy_does():
    x = np.random.default_rng(0).normal(size=(5, 3)).astype("float32")
    layer = layers.Dense(4, activation="relu", bias_initializer="ones")
    y = layer(x)
    kernel, bias = layer.get_weights()
    assert kernel.shape == (3, 4) and bias.shape == (4,)
    np.testing.assert_allclose(y.numpy(), np.maximum(x @ kernel + bias, 0), rtol=1e-5, atol=1e-6)
    assert layer.built and layer.count_params() == 16
    assert layer.kernel.shape == (3, 4) and layer.bias.numpy().tolist() == [1, 1, 1, 1]


def test_arguments_by_position_and_by_name():
    layer = layers.Conv2D(8, (3, 3), 2, "same", activation="relu", input_shape=(8, 8, 1), name="first")
    assert layer.filters == 8 and layer.kernel_size == (3, 3) and layer.strides == (2, 2)
    assert layer.padding == "same" and layer.name == "first" and layer.use_bias is True
    assert layers.MaxPooling2D((2, 2)).strides is None
    assert layers.MaxPooling2D(strides=1).strides == (1, 1)
    with pytest.raises(TypeError, match="unexpected keyword argument 'unit'"):
        layers.Dense(unit=3)
    with pytest.raises(TypeError, match="required positional argument: 'units'"):
        layers.Dense()
    with pytest.raises(TypeError, match="multiple values for argument 'units'"):
        layers.Dense(3, units=4)
    with pytest.raises(TypeError, match="units must be int"):
        layers.Dense("many")
    with pytest.raises(ValueError):
        layers.Dense(-1)
    with pytest.raises(ValueError, match="activation"):
        layers.Dense(3, activation="no_such")
    with pytest.raises(ValueError, match="not supported"):
        layers.Dense(3, kernel_constraint="max_norm")
    assert layers.Dense(3, kernel_constraint=None).units == 3


def test_signatures_for_help():
    assert "units: int" in layers.Dense.__init__.__doc__
    assert "kernel_size" in layers.Conv2D.__init__.__doc__


def test_config_round_trip():
    layer = layers.Conv2D(4, 3, padding="same", activation="tanh", kernel_regularizer=tf.keras.regularizers.L2(0.5))
    config = layer.get_config()
    assert config["filters"] == 4 and config["padding"] == "same" and config["activation"] == "tanh"
    assert config["kernel_regularizer"].l2 == 0.5
    same = layers.Conv2D.from_config(config)
    assert same.get_config() == config
    again = layers.deserialize(layers.serialize(layers.Dense(3, name="d")))
    assert again.units == 3 and again.name == "d"


@pytest.mark.parametrize(
    "layer, shape, expected",
    [
        (lambda: layers.Flatten(), (2, 3, 4), (2, 12)),
        (lambda: layers.Reshape((4, 3)), (2, 12), (2, 4, 3)),
        (lambda: layers.Permute((2, 1)), (2, 3, 4), (2, 4, 3)),
        (lambda: layers.Conv2D(5, 3), (2, 8, 8, 3), (2, 6, 6, 5)),
        (lambda: layers.Conv2DTranspose(5, 3, strides=2, padding="same"), (2, 8, 8, 3), (2, 16, 16, 5)),
        (lambda: layers.DepthwiseConv2D(3, depth_multiplier=2), (2, 8, 8, 3), (2, 6, 6, 6)),
        (lambda: layers.MaxPooling2D(), (2, 8, 8, 3), (2, 4, 4, 3)),
        (lambda: layers.AveragePooling2D(2, strides=1), (2, 8, 8, 3), (2, 7, 7, 3)),
        (lambda: layers.GlobalAveragePooling2D(), (2, 8, 8, 3), (2, 3)),
        (lambda: layers.GlobalMaxPooling2D(keepdims=True), (2, 8, 8, 3), (2, 1, 1, 3)),
        (lambda: layers.ZeroPadding2D(((1, 2), (3, 4))), (2, 8, 8, 3), (2, 11, 15, 3)),
        (lambda: layers.BatchNormalization(), (2, 8), (2, 8)),
        (lambda: layers.LayerNormalization(axis=[1, 2]), (2, 8, 3), (2, 8, 3)),
        (lambda: layers.Dropout(0.5), (2, 8), (2, 8)),
        (lambda: layers.Identity(), (2, 8), (2, 8)),
        (lambda: layers.Activation("softmax"), (2, 8), (2, 8)),
        (lambda: layers.ReLU(6.0), (2, 8), (2, 8)),
        (lambda: layers.LeakyReLU(), (2, 8), (2, 8)),
        (lambda: layers.ELU(), (2, 8), (2, 8)),
        (lambda: layers.Softmax(), (2, 8), (2, 8)),
        (lambda: layers.Rescaling(1 / 255), (2, 8), (2, 8)),
    ],
)
def test_shapes(layer, shape, expected):
    assert layer()(tf.zeros(shape)).shape == expected
    assert layer().compute_output_shape((None,) + shape[1:]) == (None,) + expected[1:]
    made = layer()
    copy = type(made).from_config(made.get_config())
    assert copy(tf.zeros(shape)).shape == expected


def test_values_of_some():
    x = np.array([[-1.0, 0.5, 7.0]], "float32")
    np.testing.assert_allclose(layers.ReLU(max_value=6.0)(x).numpy(), [[0, 0.5, 6]])
    np.testing.assert_allclose(layers.LeakyReLU(0.5)(x).numpy(), [[-0.5, 0.5, 7]])
    np.testing.assert_allclose(layers.Rescaling(2.0, offset=1.0)(x).numpy(), [[-1, 2, 15]])
    np.testing.assert_allclose(layers.Dropout(0.5)(x).numpy(), x)
    dropped = layers.Dropout(0.5, seed=1)(np.ones((1, 1000), "float32"), training=True).numpy()
    assert set(np.unique(dropped)) == {0.0, 2.0} and 400 < (dropped == 0).sum() < 600
    normal = layers.BatchNormalization()(np.array([[1.0], [3.0]], "float32"), training=True).numpy()
    np.testing.assert_allclose(normal, [[-0.9995], [0.9995]], atol=1e-4)
    table = layers.Embedding(5, 2)
    np.testing.assert_array_equal(table([[1, 2]]).numpy()[0, 1], table.embeddings.numpy()[2])


def test_merging():
    a, b = np.array([[1.0, 5.0]], "float32"), np.array([[3.0, 2.0]], "float32")
    for layer, expected in [
        (layers.Add(), a + b),
        (layers.Subtract(), a - b),
        (layers.Multiply(), a * b),
        (layers.Average(), (a + b) / 2),
        (layers.Maximum(), np.maximum(a, b)),
        (layers.Minimum(), np.minimum(a, b)),
        (layers.Concatenate(), np.concatenate([a, b], -1)),
    ]:
        np.testing.assert_allclose(layer([a, b]).numpy(), expected)
    np.testing.assert_allclose(layers.concatenate([a, b], axis=0).numpy(), np.concatenate([a, b]))


def test_functions_of_python():
    assert layers.Lambda(lambda x: x * 3)(tf.constant([2.0])).numpy().tolist() == [6]
    dense = layers.Dense(1, activation=lambda x: x + 100, kernel_initializer=lambda shape, dtype=None: tf.ones(shape))
    assert dense(np.ones((1, 3), "float32")).numpy().tolist() == [[103]]
    dense = layers.Dense(2, kernel_regularizer=lambda w: tf.reduce_sum(w) * 2.0, kernel_initializer="ones")
    dense(np.ones((1, 3), "float32"))
    assert [float(loss) for loss in dense.losses] == [12]
    dense = layers.Dense(2, kernel_initializer=tf.keras.initializers.Constant(3.0))
    dense.build((None, 2))
    assert dense.get_weights()[0].tolist() == [[3, 3], [3, 3]]
    with pytest.raises(ZeroDivisionError):
        layers.Lambda(lambda x: 1 / 0)(tf.constant([2.0]))


def test_weights_and_freezing():
    layer = layers.BatchNormalization()
    layer.build((None, 3))
    assert len(layer.weights) == 4 and len(layer.trainable_weights) == 2 and len(layer.non_trainable_weights) == 2
    layer.trainable = False
    assert layer.trainable_variables == [] and len(layer.non_trainable_variables) == 4
    dense = layers.Dense(2)
    dense.build((None, 1))
    dense.set_weights([np.array([[1.0, 2.0]]), np.zeros(2)])
    assert dense.get_weights()[0].tolist() == [[1, 2]]
    with pytest.raises(ValueError, match="set_weights"):
        dense.set_weights([np.zeros((3, 3)), np.zeros(2)])
    with pytest.raises(ValueError, match="last dimension"):
        dense(np.zeros((2, 5), "float32"))
    assert dense.dtype == "float32" and layers.Dense(2, dtype="float64")(np.zeros((1, 1))).dtype == tf.float64


def test_names():
    tf.keras.backend.clear_session()
    assert [layers.Dense(1).name, layers.Dense(1).name, layers.MaxPooling2D().name] == ["dense", "dense_1", "max_pooling2d"]
    assert repr(layers.Dense(1, name="a")) == "<Dense name=a, built=False>"
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        layers.Dense(1).nonsense

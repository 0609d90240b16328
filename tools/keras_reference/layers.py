"""Writes layers.safetensors: what each layer gives, and the gradients of sum(output * r).

Of a case K: K/input (or K/input/0, K/input/1, ...), K/weight/<name>, K/output, K/r,
K/grad/input, K/grad/weight/<name>; where a call changes weights, K/after/<name>.
"""

from pathlib import Path

import keras
import numpy as np
import tensorflow as tf
from common import Tensors, generator, normal
from keras import layers

ACTIVATIONS = """
    linear relu relu6 leaky_relu elu selu celu gelu silu swish softmax log_softmax softplus
    softsign soft_shrink hard_shrink squareplus sparse_plus sparsemax sparse_sigmoid tanh
    tanh_shrink hard_tanh sigmoid log_sigmoid hard_sigmoid hard_silu hard_swish exponential
    mish glu
"""
# Where activations bend, and values between.
BENDS = np.array(
    [-7, -3, -1, -0.5, -0.0, 0.0, 0.5, 1, 3, 6, -2.5, -0.1, 0.1, 0.25, 2.5, 8], np.float32
)
EXTREMES = np.array([-100, -88, -30, -15, -1e-4, -1e-8, 1e-8, 1e-4, 15, 20, 30, 88], np.float32)


def _plain_config(layer):
    """The layer's own arguments as Keras reports them, initializers and such by class name."""
    config = {}
    for key, value in layer.get_config().items():
        if key in ("name", "trainable", "dtype", "quantization_config") or value is None:
            continue
        config[key] = value["class_name"] if isinstance(value, dict) else value
    return config


def _randomize(layer, key):
    """Gives every weight a random value; variances must be positive."""
    for weight in layer.weights:
        value = normal(f"{key}/{weight.name}", *weight.shape, scale=0.5)
        weight.assign(np.abs(value) + 0.5 if "variance" in weight.name else value)


def _gradients(function, tensors, weights, r):
    """The gradients of sum(output * r) by the floating inputs and the weights."""
    sources = [t for t in tensors if t.dtype.is_floating] + weights

    def run():
        with tf.GradientTape() as tape:
            for source in sources:
                tape.watch(source)
            loss = tf.reduce_sum(function(tensors) * r)
        return tape.gradient(loss, sources)

    try:
        return run()
    except tf.errors.OpError:  # Some gradients (dilated convolutions) exist under XLA only.
        return tf.function(run, jit_compile=True)()


def _write_case(out, key, layer, inputs, training=None, config=None, **notes):
    several = isinstance(inputs, list)
    arrays = inputs if several else [inputs]
    tensors = [tf.constant(a) for a in arrays]
    layer.build([a.shape for a in arrays] if several else arrays[0].shape)
    _randomize(layer, key)
    before = {w.name: w.numpy() for w in layer.weights}
    options = {} if training is None else {"training": training}

    def function(values):
        return layer(values if several else values[0], **options)

    output = function(tensors)
    after = {w.name: w.numpy() for w in layer.weights}
    r = normal(f"{key}/r", *output.shape)
    variables = [w.value for w in layer.trainable_weights]
    gradients = [
        None if g is None else tf.convert_to_tensor(g)
        for g in _gradients(function, tensors, variables, r)
    ]

    def name_of(index):
        return f"input/{index}" if several else "input"

    for index, array in enumerate(arrays):
        out.add(f"{key}/{name_of(index)}", array)
    for name, value in before.items():
        out.add(f"{key}/weight/{name}", value)
        if not np.array_equal(value, after[name]):
            out.add(f"{key}/after/{name}", after[name])
    out.add(f"{key}/output", output)
    out.add(f"{key}/r", r)
    names = [name_of(i) for i, t in enumerate(tensors) if t.dtype.is_floating]
    names += [f"weight/{w.name}" for w in layer.trainable_weights]
    for name, gradient in zip(names, gradients, strict=True):
        out.add(f"{key}/grad/{name}", gradient)
    if training is not None:
        notes["training"] = training
    config = _plain_config(layer) if config is None else config
    out.add_case(key, **{"class": type(layer).__name__}, config=config, **notes)


def _activations(out):
    for name in ACTIVATIONS.split():
        layer = layers.Activation(name)
        _write_case(out, f"activation/{name}/bends", layer, BENDS.reshape(2, 8))
        _write_case(out, f"activation/{name}/random", layer, normal(f"act/{name}", 3, 6, scale=3))
        _write_case(out, f"activation/{name}/extreme", layer, EXTREMES.reshape(2, 6))
    options = {
        "gelu": [{"approximate": True}],
        "elu": [{"alpha": 0.5}],
        "celu": [{"alpha": 0.5}],
        "leaky_relu": [{"negative_slope": 0.4}],
        "relu": [{"negative_slope": 0.1}, {"max_value": 2.0}, {"threshold": 1.0}],
        "softmax": [{"axis": 0}],
    }
    for name, cases in options.items():
        for arguments in cases:
            key = f"activation/{name}/{'_'.join(arguments)}"

            def function(x, name=name, arguments=arguments):
                return getattr(keras.activations, name)(x, **arguments)

            config = {"activation": name, **arguments}
            _write_case(out, key, layers.Activation(function), BENDS.reshape(2, 8), config=config)
    own = [
        layers.ReLU(),
        layers.ReLU(max_value=2.0, negative_slope=0.1, threshold=0.5),
        layers.LeakyReLU(),
        layers.ELU(alpha=0.7),
        layers.Softmax(axis=1),
    ]
    for index, layer in enumerate(own):
        _write_case(out, f"activation_layer/{index}", layer, BENDS.reshape(2, 4, 2))


def _dense(out):
    cases = [
        (layers.Dense(3), (4, 5)),
        (layers.Dense(3, activation="relu"), (4, 5)),
        (layers.Dense(4, activation="softmax", use_bias=False), (2, 3, 5)),
        (layers.Dense(1, activation="tanh"), (2, 2, 3, 4)),
    ]
    for index, (layer, shape) in enumerate(cases):
        _write_case(out, f"dense/{index}", layer, normal(f"dense/{index}/x", *shape))


def _conv2d(out):
    cases = [
        (layers.Conv2D(4, 3), (2, 6, 7, 3)),
        (layers.Conv2D(4, 3, padding="same"), (2, 6, 7, 3)),
        (layers.Conv2D(4, 3, strides=2), (2, 7, 8, 3)),
        (layers.Conv2D(4, 3, strides=2, padding="same"), (2, 7, 8, 3)),
        (layers.Conv2D(4, (2, 3), strides=(1, 2), padding="same", activation="relu"), (2, 5, 6, 2)),
        (layers.Conv2D(6, 3, groups=2), (2, 5, 5, 4)),
        (layers.Conv2D(6, 3, groups=3, padding="same", strides=2, use_bias=False), (1, 6, 6, 3)),
        (layers.Conv2D(3, 3, dilation_rate=2), (2, 8, 7, 2)),
        (layers.Conv2D(3, (3, 2), dilation_rate=(1, 3), padding="same"), (2, 6, 7, 2)),
        (layers.Conv2D(5, 1), (2, 3, 4, 3)),
        (layers.Conv2D(5, 1, strides=2, use_bias=False), (2, 5, 5, 3)),
        (layers.Conv2D(2, 5, padding="same"), (1, 3, 3, 1)),
        (layers.Conv2D(8, 3, activation="relu"), (2, 10, 10, 1)),
    ]
    for index, (layer, shape) in enumerate(cases):
        _write_case(out, f"conv2d/{index}", layer, normal(f"conv2d/{index}/x", *shape))


def _pooling(out):
    shapes = [
        ({"pool_size": 2}, (2, 6, 7, 3)),
        ({"pool_size": 2, "padding": "same"}, (2, 5, 7, 3)),
        ({"pool_size": 3, "strides": 2}, (2, 7, 8, 2)),
        ({"pool_size": 3, "strides": 2, "padding": "same"}, (2, 7, 8, 2)),
        ({"pool_size": (2, 3), "strides": (2, 1), "padding": "same"}, (1, 5, 6, 2)),
        ({"pool_size": 3, "strides": 1, "padding": "same"}, (1, 4, 4, 1)),
    ]
    for name, kind in (("max", layers.MaxPooling2D), ("average", layers.AveragePooling2D)):
        for index, (arguments, shape) in enumerate(shapes):
            key = f"{name}_pooling2d/{index}"
            _write_case(out, key, kind(**arguments), normal(f"pool/{index}", *shape))
    # Where values tie, the gradient must go where Keras sends it.
    ties = generator("ties").integers(0, 2, (1, 6, 6, 2)).astype(np.float32)
    _write_case(out, "max_pooling2d/ties", layers.MaxPooling2D(2), ties)
    overlapping = layers.MaxPooling2D(3, strides=2, padding="same")
    _write_case(out, "max_pooling2d/ties_overlapping", overlapping, ties)
    x = normal("global", 2, 4, 5, 3)
    for keepdims in (False, True):
        suffix = int(keepdims)
        average = layers.GlobalAveragePooling2D(keepdims=keepdims)
        _write_case(out, f"global_average_pooling2d/{suffix}", average, x)
        largest = layers.GlobalMaxPooling2D(keepdims=keepdims)
        _write_case(out, f"global_max_pooling2d/{suffix}", largest, x)


def _shapes(out):
    _write_case(out, "flatten/0", layers.Flatten(), normal("flatten", 2, 3, 4, 2))
    _write_case(out, "flatten/1", layers.Flatten(), normal("flatten1", 5))
    _write_case(out, "reshape/0", layers.Reshape((4, 6)), normal("reshape", 2, 3, 8))
    _write_case(out, "reshape/1", layers.Reshape((2, -1, 3)), normal("reshape1", 2, 24))
    _write_case(out, "permute/0", layers.Permute((3, 1, 2)), normal("permute", 2, 3, 4, 2))
    _write_case(out, "zero_padding2d/0", layers.ZeroPadding2D(1), normal("pad", 1, 2, 3, 2))
    _write_case(
        out, "zero_padding2d/1", layers.ZeroPadding2D(((1, 0), (2, 3))), normal("pad", 1, 2, 3, 2)
    )


def _normalization(out):
    cases = [
        (layers.BatchNormalization, {}, (8, 5)),
        (layers.BatchNormalization, {}, (3, 4, 4, 6)),
        (layers.BatchNormalization, {"momentum": 0.7, "epsilon": 1e-5}, (3, 4, 5, 2)),
        (layers.BatchNormalization, {"scale": False}, (6, 4)),
        (layers.BatchNormalization, {"center": False}, (6, 4)),
        (layers.BatchNormalization, {"center": False, "scale": False}, (2, 3, 3, 2)),
        (layers.BatchNormalization, {"axis": 1}, (2, 3, 4, 5)),
    ]
    for index, (kind, arguments, shape) in enumerate(cases):
        x = normal(f"bn/{index}", *shape, scale=2) + 1
        for training in (True, False):
            key = f"batch_normalization/{index}/{'training' if training else 'inference'}"
            _write_case(out, key, kind(**arguments), x, training=training)
    frozen = layers.BatchNormalization(trainable=False)
    x = normal("bn/frozen", 4, 3)
    _write_case(out, "batch_normalization/frozen", frozen, x, training=True, trainable=False)
    cases = [
        ({}, (4, 6)),
        ({}, (2, 3, 8)),
        ({"axis": [1, 2]}, (2, 3, 4)),
        ({"axis": [-1, -2, -3]}, (2, 3, 4, 2)),
        ({"axis": 1}, (2, 3, 4)),
        ({"scale": False}, (3, 5)),
        ({"center": False}, (3, 5)),
        ({"center": False, "scale": False, "epsilon": 1e-6}, (3, 5)),
    ]
    for index, (arguments, shape) in enumerate(cases):
        x = normal(f"ln/{index}", *shape, scale=2) + 1
        layer = layers.LayerNormalization(**arguments)
        _write_case(out, f"layer_normalization/{index}", layer, x)


def _others(out):
    numbers = generator("embedding")
    for index, dtype in enumerate((np.int32, np.int64, np.uint8)):
        ids = numbers.integers(0, 7, (3, 4)).astype(dtype)
        _write_case(out, f"embedding/{index}", layers.Embedding(7, 3), ids)
    a, b, c = (normal(f"merge/{i}", 2, 3, 4) for i in range(3))
    narrow = normal("merge/narrow", 2, 1, 4)
    _write_case(out, "add/0", layers.Add(), [a, b])
    _write_case(out, "add/1", layers.Add(), [a, b, c])
    _write_case(out, "add/2", layers.Add(), [a, narrow])
    _write_case(out, "concatenate/0", layers.Concatenate(), [a, b, c])
    _write_case(out, "concatenate/1", layers.Concatenate(axis=1), [a, narrow])
    for kind in (layers.Subtract, layers.Multiply, layers.Average, layers.Maximum, layers.Minimum):
        _write_case(out, f"{kind.__name__.lower()}/0", kind(), [a, b])
    _write_case(out, "rescaling/0", layers.Rescaling(1 / 255), np.abs(normal("scale", 2, 3)) * 90)
    _write_case(out, "rescaling/1", layers.Rescaling(2.0, offset=-1.0), normal("scale1", 2, 3))
    pixels = generator("pixels").integers(0, 256, (2, 4)).astype(np.uint8)
    _write_case(out, "rescaling/2", layers.Rescaling(1 / 127.5, offset=-1.0), pixels)
    _write_case(out, "dropout/0", layers.Dropout(0.5), normal("dropout", 2, 3), training=False)
    _write_case(out, "dropout/1", layers.Dropout(0.0), normal("dropout1", 2, 3), training=True)


def write(folder: Path):
    out = Tensors()
    _dense(out)
    _conv2d(out)
    _pooling(out)
    _shapes(out)
    _normalization(out)
    _others(out)
    _activations(out)
    out.save(folder / "layers.safetensors")

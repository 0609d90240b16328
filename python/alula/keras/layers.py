"""Layers: weights, and functions of tensors that use them."""

from alula._native.keras import (
    ELU,
    Activation,
    Add,
    Average,
    AveragePooling2D,
    BatchNormalization,
    Concatenate,
    Conv2D,
    Conv2DTranspose,
    Dense,
    DepthwiseConv2D,
    Dropout,
    Embedding,
    Flatten,
    GlobalAveragePooling2D,
    GlobalMaxPooling2D,
    Input,
    InputLayer,
    Lambda,
    Layer,
    LayerNormalization,
    LeakyReLU,
    Maximum,
    MaxPooling2D,
    Minimum,
    Multiply,
    Permute,
    ReLU,
    Rescaling,
    Reshape,
    Softmax,
    Subtract,
    ZeroPadding2D,
)
from alula._native.keras import IdentityLayer as Identity
from alula.keras import _words

AvgPool2D = AveragePooling2D
Convolution2D = Conv2D
Convolution2DTranspose = Conv2DTranspose
GlobalAvgPool2D = GlobalAveragePooling2D
GlobalMaxPool2D = GlobalMaxPooling2D
MaxPool2D = MaxPooling2D

_CLASSES = {name: value for name, value in list(globals().items()) if isinstance(value, type)}


def add(inputs, **kwargs):
    """The sum of tensors, as the layer `Add` gives it."""
    return Add(**kwargs)(inputs)


def subtract(inputs, **kwargs):
    """The first of two tensors minus the second."""
    return Subtract(**kwargs)(inputs)


def multiply(inputs, **kwargs):
    """The product of tensors."""
    return Multiply(**kwargs)(inputs)


def average(inputs, **kwargs):
    """The mean of tensors."""
    return Average(**kwargs)(inputs)


def maximum(inputs, **kwargs):
    """The largest of tensors, element by element."""
    return Maximum(**kwargs)(inputs)


def minimum(inputs, **kwargs):
    """The smallest of tensors, element by element."""
    return Minimum(**kwargs)(inputs)


def concatenate(inputs, axis=-1, **kwargs):
    """Tensors one after another along an axis.

    >>> tf.keras.layers.concatenate([tf.zeros((1, 2)), tf.ones((1, 1))]).numpy()
    array([[0., 0., 1.]], dtype=float32)
    """
    return Concatenate(axis=axis, **kwargs)(inputs)


def _from_config(cls, config):
    """A layer of a class from what `get_config()` of another gave."""
    try:
        return cls(**config)
    except TypeError as error:
        # A class without a get_config() of its own, whose __init__ takes nothing.
        if set(config) <= {"name", "trainable", "dtype"}:
            try:
                return cls()
            except TypeError:
                pass
        raise ValueError(
            f"{cls.__name__}: it cannot be made from its configuration {config}. Define get_config(), and let "
            "__init__ take **kwargs."
        ) from error


serialize = _words.serialize


def deserialize(config, custom_objects=None):
    """A layer from what `serialize` gave."""
    return _words.look_up("layer", config, {**_CLASSES, **(custom_objects or {})})


__getattr__ = _words.missing(__name__)

"""Activations: functions of each element of a tensor."""

from alula._native.keras import activations as _native
from alula._native.keras.activations import *  # noqa: F403
from alula.keras import _words

hard_swish = _native.hard_swish
swish = _native.swish


def get(identifier):
    """The function for a word, a function or None, which is `linear`.

    >>> tf.keras.activations.get("relu")(tf.constant([-1.0, 2.0])).numpy()
    array([0., 2.], dtype=float32)
    """
    if identifier is None:
        return _native.linear
    if isinstance(identifier, str):
        name = _native._check(identifier)
        return getattr(_native, identifier, None) or getattr(_native, name)
    return _words.look_up("activation", identifier, {})


def serialize(activation):
    """The name of an activation."""
    return getattr(activation, "__name__", activation)


def deserialize(config, custom_objects=None):
    """The activation of a name."""
    return get((custom_objects or {}).get(config, config))


__getattr__ = _words.missing(__name__)

"""Regularizers: penalties on weights."""

from alula._native import keras as _native
from alula._native.keras import L1, L1L2, L2, Regularizer
from alula.keras import _words

_words.add_from_config(Regularizer)
l1, l2 = L1, L2


def l1_l2(l1=0.01, l2=0.01):
    """l1 * sum(|w|) + l2 * sum(w * w)

    >>> tf.keras.regularizers.l1_l2(l1=1.0, l2=1.0)(tf.constant([2.0])).numpy()
    np.float32(6.0)
    """
    return L1L2(l1=l1, l2=l2)


def get(identifier):
    """The regularizer for a word, a class, a configuration or a function."""
    return _words.look_up(
        "regularizer", identifier, {"L1": L1, "L2": L2, "L1L2": L1L2}, _native._regularizer_of
    )


serialize = _words.serialize


def deserialize(config, custom_objects=None):
    """A regularizer from what `serialize` gave."""
    return get(config)


__getattr__ = _words.missing(__name__)

"""Losses: how far predictions are from the truth."""

from alula._native.keras import losses as _native
from alula._native.keras.losses import *  # noqa: F403
from alula._native.keras.losses import Loss
from alula.keras import _words

_words.add_from_config(Loss)

bce = BCE = _native.binary_crossentropy
kld = KLD = kullback_leibler_divergence = _native.kl_divergence
logcosh = _native.log_cosh
mae = MAE = _native.mean_absolute_error
mape = MAPE = _native.mean_absolute_percentage_error
mse = MSE = _native.mean_squared_error
msle = MSLE = _native.mean_squared_logarithmic_error

_NAMES = {name: value for name, value in vars(_native).items() if not name.startswith("_")}
_NAMES |= {"bce": bce, "kld": kld, "logcosh": logcosh, "mae": mae, "mape": mape, "mse": mse, "msle": msle}
_NAMES |= {"BCE": bce, "KLD": kld, "MAE": mae, "MAPE": mape, "MSE": mse, "MSLE": msle}


def get(identifier):
    """The loss for a word (a function for `"mse"`, an object for `"MeanSquaredError"`), a class or a function.

    >>> tf.keras.losses.get("mse")([[1.0, 2.0]], [[1.0, 4.0]]).numpy()
    array([2.], dtype=float32)
    """
    return _words.look_up("loss", identifier, _NAMES)


serialize = _words.serialize


def deserialize(name, custom_objects=None):
    """A loss from what `serialize` gave."""
    return _words.look_up("loss", name, {**_NAMES, **(custom_objects or {})})


__getattr__ = _words.missing(__name__)

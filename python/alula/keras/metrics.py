"""Metrics: what is measured over many batches."""

from alula._native.keras import metrics as _native
from alula._native.keras.metrics import *  # noqa: F403
from alula._native.keras.metrics import Metric
from alula.keras import _words, losses
from alula.keras.losses import (
    binary_crossentropy,
    categorical_crossentropy,
    categorical_hinge,
    hinge,
    kl_divergence,
    mean_absolute_error,
    mean_absolute_percentage_error,
    mean_squared_error,
    mean_squared_logarithmic_error,
    poisson,
    sparse_categorical_crossentropy,
    squared_hinge,
)

_words.add_from_config(Metric)

kld = KLD = kl_divergence
mae = MAE = mean_absolute_error
mape = MAPE = mean_absolute_percentage_error
mse = MSE = mean_squared_error
msle = MSLE = mean_squared_logarithmic_error

_NAMES = {name: value for name, value in vars(_native).items() if not name.startswith("_")}


def get(identifier):
    """The metric for a word, a class or a function.

    >>> type(tf.keras.metrics.get("AUC")).__name__
    'AUC'
    """
    return _words.look_up("metric", identifier, {**losses._NAMES, **_NAMES})


serialize = _words.serialize


def deserialize(config, custom_objects=None):
    """A metric from what `serialize` gave."""
    return _words.look_up("metric", config, {**losses._NAMES, **_NAMES, **(custom_objects or {})})


__getattr__ = _words.missing(__name__)

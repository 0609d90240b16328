"""Keras: layers, models, and how they are trained.

>>> model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(2,))])
>>> model.compile(optimizer="sgd", loss="mse")
>>> model.count_params()
3
"""

from alula._native.keras import Input, Model, Sequential
from alula.keras import (
    activations,
    backend,
    callbacks,
    datasets,
    initializers,
    layers,
    losses,
    metrics,
    mixed_precision,
    models,
    optimizers,
    regularizers,
    utils,
)
from alula.keras.initializers import Initializer
from alula.keras.layers import Layer
from alula.keras.losses import Loss
from alula.keras.metrics import Metric
from alula.keras.mixed_precision import DTypePolicy
from alula.keras.optimizers import Optimizer
from alula.keras.regularizers import Regularizer
from alula.keras._words import missing as _missing

Layer.from_config = classmethod(layers._from_config)
Sequential.from_config = classmethod(lambda cls, config: models._sequential_from_config(cls, config))
Sequential.get_config = models._sequential_config

__version__ = "3.0"
__getattr__ = _missing(__name__)

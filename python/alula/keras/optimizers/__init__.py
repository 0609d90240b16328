"""Optimizers: what makes variables better, step by step."""

from alula._native.keras import optimizers as _native
from alula._native.keras.optimizers import (
    SGD,
    Adadelta,
    Adagrad,
    Adam,
    Adamax,
    AdamW,
    Ftrl,
    Lion,
    Nadam,
    Optimizer,
    RMSprop,
)
from alula._native.keras.mixed_precision import LossScaleOptimizer
from alula.keras import _words
from alula.keras.optimizers import legacy, schedules

_words.add_from_config(Optimizer)
_CLASSES = {
    cls.__name__: cls
    for cls in (SGD, Adadelta, Adagrad, Adam, Adamax, AdamW, Ftrl, Lion, LossScaleOptimizer, Nadam, RMSprop)
}


def get(identifier):
    """The optimizer for a word, a class or a configuration.

    >>> type(tf.keras.optimizers.get("adam")).__name__
    'Adam'
    """
    if isinstance(identifier, str):
        by_word = {name.lower(): cls for name, cls in _CLASSES.items()}
        return by_word[identifier.lower()]() if identifier.lower() in by_word else _native._of(identifier)
    return _words.look_up("optimizer", identifier, _CLASSES)


serialize = _words.serialize


def _loss_scale_config(self):
    """What a LossScaleOptimizer was made with."""
    return {
        "name": self.name,
        "inner_optimizer": serialize(self.inner_optimizer),
        "initial_scale": self.initial_scale,
        "dynamic_growth_steps": self.dynamic_growth_steps,
    }


LossScaleOptimizer.get_config = _loss_scale_config


def deserialize(config, custom_objects=None):
    """An optimizer from what `serialize` gave."""
    return get(config)


__getattr__ = _words.missing(__name__)

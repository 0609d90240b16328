"""Learning rates that change from step to step."""

from alula._native.keras.optimizers import (
    CosineDecay,
    CosineDecayRestarts,
    ExponentialDecay,
    InverseTimeDecay,
    LearningRateSchedule,
    PiecewiseConstantDecay,
    PolynomialDecay,
)
from alula.keras import _words

_words.add_from_config(LearningRateSchedule)
serialize = _words.serialize


def deserialize(config, custom_objects=None):
    """A schedule from what `serialize` gave."""
    return _words.look_up("schedule", config, {**globals(), **(custom_objects or {})})

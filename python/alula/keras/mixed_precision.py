"""Mixed precision: layers compute in 16 bits, and keep their weights in float32."""

from alula._native.keras.mixed_precision import (
    DTypePolicy,
    LossScaleOptimizer,
    global_policy,
    set_global_policy,
)
from alula.keras import _words

Policy = DTypePolicy
dtype_policy = global_policy
set_dtype_policy = set_global_policy
_words.add_from_config(DTypePolicy)

__getattr__ = _words.missing(__name__)

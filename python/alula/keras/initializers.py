"""Initializers: what weights are before training."""

from alula._native import keras as _native
from alula._native.keras import (
    Constant,
    GlorotNormal,
    GlorotUniform,
    HeNormal,
    HeUniform,
    Identity,
    Initializer,
    LecunNormal,
    LecunUniform,
    Ones,
    Orthogonal,
    RandomNormal,
    RandomUniform,
    TruncatedNormal,
    VarianceScaling,
    Zeros,
)
from alula.keras import _words

IdentityInitializer = Identity
OrthogonalInitializer = Orthogonal

_CLASSES = {
    cls.__name__: cls
    for cls in (
        Constant,
        GlorotNormal,
        GlorotUniform,
        HeNormal,
        HeUniform,
        Identity,
        LecunNormal,
        LecunUniform,
        Ones,
        Orthogonal,
        RandomNormal,
        RandomUniform,
        TruncatedNormal,
        VarianceScaling,
        Zeros,
    )
}
_words.add_from_config(Initializer)

constant = Constant
glorot_normal = GlorotNormal
glorot_uniform = GlorotUniform
he_normal = HeNormal
he_uniform = HeUniform
identity = Identity
lecun_normal = LecunNormal
lecun_uniform = LecunUniform
normal = random_normal = RandomNormal
ones = one = Ones
orthogonal = Orthogonal
truncated_normal = TruncatedNormal
uniform = random_uniform = RandomUniform
variance_scaling = VarianceScaling
zeros = zero = Zeros


def get(identifier):
    """The initializer for a word, a class, a configuration or a function.

    >>> tf.keras.initializers.get("ones")(shape=(2,)).numpy()
    array([1., 1.], dtype=float32)
    """
    return _words.look_up("initializer", identifier, _CLASSES, _native._initializer_of)


serialize = _words.serialize


def deserialize(config, custom_objects=None):
    """An initializer from what `serialize` gave."""
    return get(config)


__getattr__ = _words.missing(__name__)

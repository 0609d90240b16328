"""Alula: tensors, gradients, input pipelines and Keras, shaped like TensorFlow and fast on any machine.

>>> import alula as tf
>>> tf.matmul([[1.0, 2.0]], [[3.0], [4.0]]).numpy()
array([[11.]], dtype=float32)
"""

from alula import errors
from alula._native import *  # noqa: F403
from alula._shape import TensorShape
from alula._spec import TensorSpec
from alula import (
    compat,
    config,
    data,
    debugging,
    image,
    io,
    keras,
    linalg,
    math,
    nest,
    nn,
    profiler,
    random,
    strings,
)

"""Alula: tensors, gradients, input pipelines and Keras, shaped like TensorFlow and fast on any machine.

>>> import alula as tf
>>> tf.matmul([[1.0, 2.0]], [[3.0], [4.0]]).numpy()
array([[11.]], dtype=float32)
"""

import os as _os

# NumPy's threads for products wait 0.1 s for the next one on a core of their own, which Alula's then lack.
# Half a millisecond serves a loop of products as well. It counts if NumPy has yet to be imported.
_os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "20")

from alula import errors
from alula._native import *  # noqa: F403
from alula._native._compat import Graph, Operation
from alula._shape import TensorShape
from alula._spec import TensorSpec
from alula._tensor_array import TensorArray
from alula._autograd import GradientTape, UnconnectedGradients, custom_gradient
from alula._control_flow import (
    case,
    cond,
    foldl,
    foldr,
    map_fn,
    scan,
    switch_case,
    vectorized_map,
    while_loop,
)
from alula.function import Module, executing_eagerly, function, init_scope
from alula._host_function import numpy_function, print, py_function
from alula import (
    autograph,
    bitwise,
    compat,
    config,
    data,
    debugging,
    dtypes,
    experimental,
    image,
    io,
    keras,
    linalg,
    math,
    nest,
    nn,
    profiler,
    random,
    raw_ops,
    strings,
    summary,
    sysconfig,
    test,
    train,
    version,
)
from alula.keras import initializers, losses, metrics, optimizers  # noqa: F401
from alula._native.linalg import einsum, matmul, norm, tensordot  # noqa: F401
from alula._native.math import (  # noqa: F401
    abs,
    acos,
    acosh,
    add,
    add_n,
    argmax,
    argmin,
    asin,
    asinh,
    atan,
    atan2,
    atanh,
    cos,
    cosh,
    cumsum,
    divide,
    equal,
    exp,
    floor,
    greater,
    greater_equal,
    less,
    less_equal,
    logical_and,
    logical_not,
    logical_or,
    maximum,
    minimum,
    multiply,
    negative,
    not_equal,
    pow,
    realdiv,
    reduce_all,
    reduce_any,
    reduce_logsumexp,
    reduce_max,
    reduce_mean,
    reduce_min,
    reduce_prod,
    reduce_sum,
    round,
    scalar_mul,
    sigmoid,
    sign,
    sin,
    sinh,
    sqrt,
    square,
    subtract,
    tan,
    tanh,
    truediv,
)
from alula._native.strings import as_string  # noqa: F401
from alula._array import unique, unique_with_counts, where  # noqa: F401
from alula._log import get_logger
from alula._names import explain_all_missing as _explain_all_missing
from alula.compat.v1 import control_dependencies, group, name_scope, no_op

__version__ = version.ALULA_VERSION
newaxis = None
assert_equal = debugging.assert_equal
assert_greater = debugging.assert_greater
assert_less = debugging.assert_less
assert_rank = debugging.assert_rank
Assert = debugging.Assert
_explain_all_missing()

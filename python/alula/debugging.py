"""Checks of tensors.

>>> tf.debugging.assert_less([1, 2], [3, 4])
>>> tf.debugging.assert_equal([1, 2], [1, 3])
Traceback (most recent call last):
    ...
alula.errors.InvalidArgumentError: assert_equal: x == y did not hold for every element. Got x = int32[2] [1 2], y = int32[2] [1 3]
"""

from alula import _native
from alula._native._debugging import (
    Assert,
    assert_equal,
    assert_greater,
    assert_greater_equal,
    assert_less,
    assert_less_equal,
    assert_near,
    assert_negative,
    assert_non_negative,
    assert_non_positive,
    assert_none_equal,
    assert_positive,
    assert_rank,
    assert_rank_at_least,
    check_numerics,
)


def assert_rank_in(x, ranks, message=None, name=None):
    """Raises a ValueError unless the rank of x is one of these."""
    rank = _native.convert_to_tensor(x).ndim
    if rank not in ranks:
        raise ValueError(f"{message or ''}assert_rank_in: the rank must be one of {list(ranks)}. Got {rank}.")


def assert_scalar(tensor, message=None, name=None):
    """The tensor; a ValueError unless it is one number."""
    tensor = _native.convert_to_tensor(tensor)
    if tensor.ndim != 0:
        raise ValueError(f"{message or ''}Expected scalar shape, saw shape: {tensor.shape}.")
    return tensor


def assert_type(tensor, tf_type, message=None, name=None):
    """Raises a TypeError unless the tensor has this dtype."""
    tensor = _native.convert_to_tensor(tensor)
    if tensor.dtype != tf_type:
        raise TypeError(f"{message or ''}assert_type: the tensor must be {tf_type!r}. Got {tensor.dtype!r}.")


def assert_same_float_dtype(tensors=None, dtype=None):
    """The floating dtype that all of them have; a ValueError if there is none."""
    found = dtype
    for tensor in tensors or []:
        if found is None:
            found = tensor.dtype
        if tensor.dtype != found:
            raise ValueError(f"Expected {found!r}, got {tensor.dtype!r} for {tensor!r}.")
    found = _native.float32 if found is None else found
    if not found.is_floating:
        raise ValueError(f"Expected floating point type, got {found!r}.")
    return found


def assert_integer(x, message=None, name=None):
    """Raises a TypeError unless x has an integer dtype."""
    dtype = _native.convert_to_tensor(x).dtype
    if not dtype.is_integer:
        raise TypeError(f"{message or ''}assert_integer: x must be of integer type. Got {dtype!r}.")


def assert_proper_iterable(values):
    """Raises a TypeError unless it is an iterable of values, rather than a tensor, an array or a text."""
    if isinstance(values, (str, bytes, _native.Tensor, _native.Variable)) or hasattr(values, "__array__"):
        raise TypeError(f"Expected argument \"values\" to be a list, tuple or the like. Got {type(values)}.")
    if not hasattr(values, "__iter__"):
        raise TypeError(f"Expected argument \"values\" to be iterable. Got {type(values)}.")


def assert_shapes(shapes, data=None, summarize=None, message=None, name=None):
    """Raises a ValueError unless tensors have these shapes: pairs (tensor, dimensions), or a dict.

    A dimension is a number, a name that stands for the same number everywhere, or None for any.

    >>> tf.debugging.assert_shapes([(tf.zeros((2, 3)), ("N", 3)), (tf.zeros((2,)), ("N",))])
    """
    sizes = {}
    pairs = shapes.items() if isinstance(shapes, dict) else shapes
    for tensor, dims in pairs:
        shape = _native.convert_to_tensor(tensor).shape
        dims = (dims,) if isinstance(dims, (int, str)) else tuple(dims)
        if len(dims) != len(shape):
            raise ValueError(f"{message or ''}assert_shapes: expected {dims}. Got a tensor of shape {shape}.")
        for dim, size in zip(dims, shape):
            if dim in (None, ".", "*") or size is None:
                continue
            wanted = int(dim) if isinstance(dim, int) or dim.isdigit() else sizes.setdefault(dim, size)
            if wanted != size:
                raise ValueError(
                    f"{message or ''}assert_shapes: the dimension {dim!r} must be {wanted}. Got {size} in {shape}."
                )


def is_numeric_tensor(tensor):
    """Whether it is a tensor of numbers: not bool, not string."""
    return isinstance(tensor, _native.Tensor) and (tensor.dtype.is_floating or tensor.dtype.is_integer)


def enable_check_numerics(stack_height_limit=30, path_length_limit=50):
    """Not supported: check single tensors by check_numerics."""
    from alula import errors

    raise errors.UnimplementedError(
        "enable_check_numerics: ops cannot be checked one and all. Use tf.debugging.check_numerics on the tensors "
        "that matter, or tf.keras.callbacks.TerminateOnNaN."
    )


def disable_check_numerics():
    """Nothing: they are not checked."""


def get_log_device_placement():
    """False: it is not logged where ops run."""
    return False


def set_log_device_placement(enabled):
    """Accepted, without effect: tf.profiler shows where ops ran."""


def disable_traceback_filtering():
    """Accepted, without effect: tracebacks are shown as they are."""


def enable_traceback_filtering():
    """Accepted, without effect: tracebacks are shown as they are."""


def is_traceback_filtering_enabled():
    """False: tracebacks are shown as they are."""
    return False

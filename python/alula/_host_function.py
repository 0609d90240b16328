"""Python code as an op: called with values, whenever the function around it runs."""

import sys

from alula import _native, nest
from alula._spec import TensorSpec

__all__ = ["numpy_function", "print", "py_function"]


def _specs(tout, inputs):
    """What comes out. A dtype alone says nothing about the rank: it is taken to be the input's."""
    specs = []
    leaves = nest.flatten(tout)
    for i, leaf in enumerate(leaves):
        if isinstance(leaf, TensorSpec):
            if leaf.shape.rank is None:
                raise ValueError(
                    "py_function: the rank must be known. Give Tout as a TensorSpec with a shape."
                )
            specs.append((leaf.dtype, leaf.shape))
            continue
        like = inputs[i] if len(leaves) == len(inputs) else inputs[0] if inputs else None
        rank = 0 if like is None else len(like.shape)
        specs.append((_native.as_dtype(leaf), [None] * rank))
    return specs


def _call_later(function, inputs, tout):
    results = _native._host_function(function, inputs, _specs(tout, inputs))
    if tout is None or (nest.is_nested(tout) and not nest.flatten(tout)):
        return None
    return nest.pack_sequence_as(tout, results) if nest.is_nested(tout) else results[0]


def _dtypes_of(tout):
    leaves = nest.flatten(tout)
    return [leaf.dtype if isinstance(leaf, TensorSpec) else _native.as_dtype(leaf) for leaf in leaves]


def _as_tout(result, tout):
    """What an eager call returned, as the tensors that were promised."""
    dtypes = [] if tout is None else _dtypes_of(tout)
    if not dtypes:
        return None
    if not nest.is_nested(tout):
        return _native.convert_to_tensor(result, dtypes[0])
    results = result if isinstance(result, (list, tuple)) else [result]
    if len(results) != len(dtypes):
        raise ValueError(f"py_function: it returned {len(results)} tensors. Tout has {len(dtypes)}.")
    return nest.pack_sequence_as(tout, [_native.convert_to_tensor(r, d) for r, d in zip(results, dtypes)])


def py_function(func, inp, Tout, name=None):
    """Calls a Python function with tensors that have values, also from a traced function: whenever that runs.

    >>> @tf.function
    ... def f(x):
    ...     return tf.py_function(lambda v: v.numpy() ** 2, [x], tf.float32)
    >>> f(tf.constant(3.0)).numpy()
    np.float32(9.0)

    Tout: the dtypes of what it returns, or TensorSpecs. With a dtype alone, a result in a traced function is
    taken to have the rank of the input at its place (or the first): give a TensorSpec, whose dimensions may
    be None, where that is not so. Gradients flow through an eager call, but not through one in a traced
    function.
    """
    inputs = [_native.convert_to_tensor(value) for value in nest.flatten(inp)]
    if not _native._is_tracing() and not any(tensor.is_symbolic for tensor in inputs):
        return _as_tout(func(*inputs), Tout)
    return _call_later(func, inputs, Tout)


def numpy_function(func=None, inp=None, Tout=None, stateful=True, name=None):
    """Calls a Python function with arrays of NumPy, as py_function does with tensors.

    >>> tf.numpy_function(lambda a: a + 1, [tf.constant([1, 2])], tf.int32).numpy()
    array([2, 3], dtype=int32)
    """

    def with_arrays(*tensors):
        return func(*(tensor.numpy() for tensor in tensors))

    inputs = [_native.convert_to_tensor(value) for value in nest.flatten(inp)]
    if not _native._is_tracing() and not any(tensor.is_symbolic for tensor in inputs):
        return _as_tout(with_arrays(*inputs), Tout)
    return _call_later(with_arrays, inputs, Tout)


# ---- tf.print

_print = print


def _number(value, digits):
    """With as few digits as give the value again: 6 or 9 for float32."""
    few, many = digits
    text = f"{value:.{few}g}"
    return text if type(value)(text) == value else f"{value:.{many}g}"


def _element(value, top):
    kind = getattr(getattr(value, "dtype", None), "kind", "")
    if isinstance(value, bytes):
        text = value.decode("utf-8", "backslashreplace")
        return text if top else f'"{text}"'
    if kind == "b":
        return "1" if value else "0"
    if kind == "f":
        return _number(value, {2: (3, 5), 4: (6, 9), 8: (15, 17)}[value.dtype.itemsize])
    return str(value)


def _elements(array, summarize, depth=1):
    if not getattr(array, "ndim", 0):
        return _element(array, False)
    size = len(array)
    rows = list(range(size))
    if 0 <= summarize and size > 2 * summarize:
        rows[summarize : size - summarize] = [None]
    texts = ["..." if i is None else _elements(array[i], summarize, depth + 1) for i in rows]
    return "[" + (" " if array.ndim == 1 else "\n" * (array.ndim - 1) + " " * depth).join(texts) + "]"


def _text(value, summarize):
    if not isinstance(value, _native.Tensor):
        return str(value)
    array = value.numpy()
    if not getattr(array, "ndim", 0):
        return _element(array, True)
    return _elements(array, summarize)


class _Shown(str):
    __repr__ = str.__str__


def _write(text, output_stream):
    if hasattr(output_stream, "write"):
        stream = output_stream
    elif output_stream in (None, "stderr") or output_stream is sys.stderr:
        stream = sys.stderr
    elif isinstance(output_stream, str) and output_stream.startswith("file://"):
        with open(output_stream[len("file://") :], "a") as file:
            file.write(text)
        return
    elif output_stream in ("stdout", "<stdout>"):
        stream = sys.stdout
    else:
        raise ValueError(
            f"print: output_stream must be sys.stderr, sys.stdout or 'file://…'. Got {output_stream!r}."
        )
    stream.write(text)
    stream.flush()


def print(*inputs, output_stream=None, summarize=3, sep=" ", end="\n", name=None):
    """Prints tensors and other values to the standard error, in a traced function whenever it runs.

    >>> import sys
    >>> tf.print("x is", tf.constant([1.0, 2.5]), output_stream=sys.stdout)
    x is [1 2.5]

    summarize: how many elements of each end of a dimension are shown; -1 for all of them.
    """
    values = [value.value() if isinstance(value, _native.Variable) else value for value in inputs]
    flat = [leaf.value() if isinstance(leaf, _native.Variable) else leaf for leaf in nest.flatten(values)]
    tensors = [leaf for leaf in flat if isinstance(leaf, _native.Tensor)]

    def show(*shown):
        given = iter(shown)
        leaves = [
            _Shown(_text(next(given), summarize)) if isinstance(leaf, _native.Tensor) else leaf
            for leaf in flat
        ]
        parts = nest.pack_sequence_as(values, leaves)
        _write(sep.join(str(part) for part in parts) + end, output_stream)

    if _native._is_tracing() or any(tensor.is_symbolic for tensor in tensors):
        _native._host_function(show, tensors, [])
    else:
        show(*tensors)

"""Branches and loops that depend on tensors: part of a traced function, or run at once."""

from alula import _native, nest
from alula._tensor_array import TensorArray

__all__ = [
    "case",
    "cond",
    "foldl",
    "foldr",
    "map_fn",
    "scan",
    "switch_case",
    "vectorized_map",
    "while_loop",
]


class _Branches:
    """Functions that return nests of the same form; the form is that of the first that was called."""

    def __init__(self, who):
        self._who = who
        self._form = None

    def flat(self, function):
        """The same function, returning a list of tensors."""

        def call():
            result = function()
            if self._form is None:
                self._form = (result,)
            else:
                self._check(result)
            return [leaf for leaf in nest.flatten(result) if leaf is not None]

        return call

    def _check(self, result):
        first = self._form[0]
        same = len(nest.flatten(first)) == len(nest.flatten(result)) and all(
            (a is None) == (b is None) for a, b in zip(nest.flatten(first), nest.flatten(result))
        )
        try:
            nest.assert_same_structure(first, result, check_types=False)
        except (TypeError, ValueError):
            same = False
        if not same:
            raise TypeError(
                f"{self._who}: all branches must return the same nest of tensors. Got {first!r} and "
                f"{result!r}."
            )

    def packed(self, tensors):
        """What a branch returned, in its form."""
        leaves = iter(tensors)
        form = self._form[0]
        flat = [None if leaf is None else next(leaves) for leaf in nest.flatten(form)]
        return nest.pack_sequence_as(form, flat)


def cond(pred, true_fn=None, false_fn=None, name=None):
    """Calls `true_fn` if a scalar bool is true, else `false_fn`, and returns what it returned.

    >>> x = tf.constant(3.0)
    >>> tf.cond(x > 2.0, lambda: x * 2.0, lambda: x - 1.0).numpy()
    np.float32(6.0)

    In a tf.function both are traced, and at a run only one of them runs; they return nests of the same form,
    dtypes and ranks.
    """
    for function, what in ((true_fn, "true_fn"), (false_fn, "false_fn")):
        if not callable(function):
            raise TypeError(f"cond: {what} must be callable. Got {function!r}.")
    if not isinstance(pred, _native.Tensor):
        pred = _native.convert_to_tensor(pred)
    if not pred.is_symbolic:
        return true_fn() if pred else false_fn()
    branches = _Branches("cond")
    return branches.packed(_native._cond(pred, branches.flat(true_fn), branches.flat(false_fn)))


def switch_case(branch_index, branch_fns, default=None, name=None):
    """Calls the function of that number and returns what it returned; of a number that none has, `default` or
    else the last one.

    >>> tf.switch_case(tf.constant(1), [lambda: tf.constant(10), lambda: tf.constant(20)]).numpy()
    np.int32(20)
    """
    if isinstance(branch_fns, dict):
        branch_fns = list(branch_fns.items())
    if not branch_fns:
        raise ValueError("switch_case: there is no function to call.")
    if isinstance(branch_fns[0], (tuple, list)):
        numbered = dict(branch_fns)
        if min(numbered) < 0:
            raise ValueError("switch_case: the numbers of branches cannot be negative.")
        last = default if default is not None else numbered[max(numbered)]
        functions = [numbered.get(i, last) for i in range(max(numbered) + 1)]
    else:
        functions = list(branch_fns)
        last = default if default is not None else functions[-1]
    branches = _Branches("switch_case")
    index = _native.convert_to_tensor(branch_index, _native.int32)
    return branches.packed(_native._switch_case(index, [branches.flat(f) for f in [*functions, last]]))


def case(pred_fn_pairs, default=None, exclusive=False, strict=False, name="case"):
    """Calls the function of the first pair whose scalar bool is true; if none is, `default`.

    >>> x = tf.constant(5)
    >>> tf.case([(x < 3, lambda: tf.constant("small"))], default=lambda: tf.constant("large")).numpy()
    b'large'
    """
    pairs = list(pred_fn_pairs.items()) if isinstance(pred_fn_pairs, dict) else list(pred_fn_pairs)
    if not pairs:
        raise ValueError("case: there is no pair of a predicate and a function.")
    if exclusive:
        raise NotImplementedError(
            "case: exclusive=True is not supported. Leave it out; the first true one is called."
        )
    if default is None:  # one of them must be true
        default = pairs[-1][1]
        pairs = pairs[:-1]

    def choose(rest):
        if not rest:
            return default()
        pred, function = rest[0]
        return cond(pred, function, lambda: choose(rest[1:]))

    return choose(pairs)


def while_loop(
    cond,
    body,
    loop_vars,
    shape_invariants=None,
    parallel_iterations=10,
    back_prop=True,
    swap_memory=False,
    maximum_iterations=None,
    name=None,
):
    """Calls `body` on the loop variables, and again on what it returned, as long as `cond` of them is true.

    >>> start = (tf.constant(0), tf.constant(1.0))
    >>> i, x = tf.while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, x * 2.0), start)
    >>> x.numpy()
    np.float32(8.0)

    In a tf.function it is one node of the graph: dtypes and shapes of the variables must stay, but for
    dimensions that shape_invariants leaves open.
    """
    if not callable(cond) or not callable(body):
        raise TypeError(f"while_loop: cond and body must be callable. Got {cond!r} and {body!r}.")
    if not nest.flatten(loop_vars):
        raise ValueError("while_loop: there is no loop variable. Give it at least one.")
    single = not isinstance(loop_vars, (list, tuple)) or hasattr(loop_vars, "_fields")
    form = (loop_vars,) if single else tuple(loop_vars)

    if any(isinstance(leaf, TensorArray) for leaf in nest.flatten(form)):
        return _while_loop_with_arrays(cond, body, loop_vars, form, single)

    def flat_cond(values):
        return cond(*nest.pack_sequence_as(form, values))

    def flat_body(values):
        result = body(*nest.pack_sequence_as(form, values))
        if len(form) == 1 and not (isinstance(result, (list, tuple)) and len(result) == 1 and not single):
            result = (result,)
        elif not single:
            result = tuple(result) if isinstance(result, (list, tuple)) else (result,)
        nest.assert_same_structure(form, tuple(result), check_types=False)
        return nest.flatten(tuple(result))

    shapes = None
    if shape_invariants is not None:
        shapes = [getattr(shape, "shape", shape) for shape in _flatten_shapes(form, shape_invariants, single)]
    limit = -1 if maximum_iterations is None else int(maximum_iterations)
    start = [_native.convert_to_tensor(value) for value in nest.flatten(form)]
    packed = nest.pack_sequence_as(form, _native._while_loop(flat_cond, flat_body, start, shapes, limit))
    return packed[0] if single else type(loop_vars)(packed)


def _while_loop_with_arrays(cond, body, loop_vars, form, single):
    """The same where variables are arrays, whose elements' shapes are seen when they are first written."""
    from alula.autograph import runtime

    now = list(form)

    def put(values):
        now[:] = values

    def step():
        result = body(*now)
        put([result] if single or not isinstance(result, (list, tuple)) else list(result))

    names = [f"loop_vars[{i}]" for i in range(len(form))]
    runtime.while_stmt(lambda: cond(*now), step, lambda: tuple(now), put, names, ("while_loop", "loop_vars"))
    return now[0] if single else type(loop_vars)(now)


def _flatten_shapes(form, shapes, single):
    """The shapes for the leaves of a nest; a list of sizes is a leaf there."""
    if single:
        shapes = (shapes,)

    def flatten(part, shape):
        if not nest.is_nested(part):
            return [shape]
        keys = sorted(part) if hasattr(part, "keys") else range(len(part))
        return [leaf for key in keys for leaf in flatten(part[key], shape[key])]

    return flatten(form, shapes)


def _on_elements(fn, elems, form):
    """A function of an element as one of a list of tensors that returns a list. Its form goes to `form`."""

    def flat(values):
        result = fn(nest.pack_sequence_as(elems, values))
        form[:] = [result]
        return nest.flatten(result)

    return flat


def map_fn(
    fn,
    elems,
    dtype=None,
    parallel_iterations=None,
    back_prop=True,
    swap_memory=False,
    infer_shape=True,
    name=None,
    fn_output_signature=None,
):
    """Calls a function for each element along the first dimension of a nest of tensors, one after another,
    and stacks what it returns.

    >>> tf.map_fn(lambda x: x * x, tf.constant([1, 2, 3])).numpy()
    array([1, 4, 9], dtype=int32)
    """
    form = []
    tensors = [_native.convert_to_tensor(leaf) for leaf in nest.flatten(elems)]
    results = _native._map_fn(_on_elements(fn, elems, form), tensors)
    return nest.pack_sequence_as(form[0], results)


def vectorized_map(fn, elems, fallback_to_while_loop=True, warn=True):
    """The same as map_fn, but each op runs once, for all elements: much faster.

    >>> tf.vectorized_map(lambda row: row / tf.reduce_sum(row), tf.constant([[1.0, 3.0], [4.0, 1.0]])).numpy()
    array([[0.25, 0.75],
           [0.8 , 0.2 ]], dtype=float32)
    """
    form = []
    tensors = [_native.convert_to_tensor(leaf) for leaf in nest.flatten(elems)]
    results = _native._vectorized_map(_on_elements(fn, elems, form), tensors)
    return nest.pack_sequence_as(form[0], results)


def scan(
    fn,
    elems,
    initializer=None,
    parallel_iterations=10,
    back_prop=True,
    swap_memory=False,
    infer_shape=True,
    reverse=False,
    name=None,
):
    """Goes through the elements along the first dimension of a nest of tensors, and returns what has been
    accumulated after each, stacked. `fn` takes what has been accumulated and the next element.

    >>> tf.scan(lambda total, x: total + x, tf.constant([1, 2, 3])).numpy()
    array([1, 3, 6], dtype=int32)
    """
    form = elems if initializer is None else initializer

    def flat(accumulated, elements):
        result = fn(nest.pack_sequence_as(form, accumulated), nest.pack_sequence_as(elems, elements))
        nest.assert_same_structure(form, result, check_types=False)
        return nest.flatten(result)

    tensors = [_native.convert_to_tensor(leaf) for leaf in nest.flatten(elems)]
    start = [] if initializer is None else nest.flatten(initializer)
    start = [_native.convert_to_tensor(leaf) for leaf in start]
    return nest.pack_sequence_as(form, _native._scan(flat, tensors, start, reverse))


def _fold(fn, elems, initializer, reverse):
    stacked = scan(fn, elems, initializer, reverse=reverse)
    return nest.map_structure(lambda tensor: tensor[0] if reverse else tensor[-1], stacked)


def foldl(fn, elems, initializer=None, parallel_iterations=10, back_prop=True, swap_memory=False, name=None):
    """What has been accumulated after the last element, from the first one on.

    >>> tf.foldl(lambda total, x: total * 10 + x, tf.constant([1, 2, 3])).numpy()
    np.int32(123)
    """
    return _fold(fn, elems, initializer, False)


def foldr(fn, elems, initializer=None, parallel_iterations=10, back_prop=True, swap_memory=False, name=None):
    """What has been accumulated after the first element, from the last one on.

    >>> tf.foldr(lambda total, x: total * 10 + x, tf.constant([1, 2, 3])).numpy()
    np.int32(321)
    """
    return _fold(fn, elems, initializer, True)

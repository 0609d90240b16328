"""Loops of a graph, for local variables."""

import builtins

from alula import _native
from alula._tensor_array import TensorArray
from alula.autograph.staging import (
    Undefined,
    as_tensor,
    is_state,
    is_symbolic,
    leaves_of,
    packed,
    place,
    same_form,
)


class Range:
    """Numbers that a loop goes through: only their bounds are there."""

    def __init__(self, start, limit, delta):
        self.start, self.limit, self.delta = start, limit, delta


def range_of(function, args, kwargs):
    """A range for a loop. If a bound is a tensor, or the function is tf.range, it is not unrolled."""
    bounds = [arg.value() if isinstance(arg, _native.Variable) else arg for arg in args]
    any_tensor = any(isinstance(bound, _native.Tensor) for bound in bounds)
    plain = not kwargs and 1 <= len(bounds) <= 3
    if not plain or not _native._is_tracing() or (function is builtins.range and not any_tensor):
        return function(*args, **kwargs)
    if any(isinstance(bound, float) for bound in bounds):
        return function(*args)
    dtype = next((b.dtype for b in bounds if isinstance(b, _native.Tensor)), _native.int32)
    if not dtype.is_integer:
        return function(*args)
    tensors = [as_tensor(bound, dtype) for bound in bounds]
    zero, one = _native.convert_to_tensor(0, dtype), _native.convert_to_tensor(1, dtype)
    if len(tensors) == 1:
        return Range(zero, tensors[0], one)
    return Range(tensors[0], tensors[1], tensors[2] if len(tensors) == 3 else one)


class _Again(Exception):
    """The body is to be traced again, with other dtypes for numbers."""


class _State:
    """The local variables of a loop: those that were defined before it are carried from step to step."""

    def __init__(self, get, put, names, where):
        self._get, self._put, self._names, self._where = get, put, names, where
        self._start = list(get())
        self._carried = [i for i, value in enumerate(self._start) if is_state(value)]
        self._dtypes = {}

    def start(self):
        return [
            as_tensor(leaf, self._dtypes.get((i, k)))
            for i in self._carried
            for k, leaf in enumerate(leaves_of(self._start[i]))
        ]

    def put(self, tensors):
        """Gives the variables these values, and those that the loop makes anew none."""
        given = iter(tensors)
        values = list(self._start)
        for i in self._carried:
            values[i] = packed(self._start[i], [next(given) for _ in leaves_of(self._start[i])])
        self._put(tuple(values))

    def finish(self, tensors):
        self.put(tensors)
        values = list(self._get())
        for i, name in enumerate(self._names):
            if isinstance(self._start[i], Undefined):
                reason = f"'{name}' must be defined before the loop: it may have no step."
                values[i] = Undefined(name, f"{place(self._where)}: {reason}")
        self._put(tuple(values))

    def after_step(self):
        """What the variables are after the body, to be carried on."""
        now, tensors, again = self._get(), [], False
        for i, name in enumerate(self._names):
            before, after = self._start[i], now[i]
            if i not in self._carried:
                if after is not before and not isinstance(before, Undefined):
                    raise TypeError(
                        f"{place(self._where)}: '{name}' is assigned to in a loop over tensors, and is "
                        f"{before!r} before it, "
                        "which cannot be a tensor."
                    )
                continue
            if isinstance(before, TensorArray) and isinstance(after, TensorArray):
                if not leaves_of(before) and leaves_of(after):  # now it is known what is written
                    self._start[i] = before._like(after)
                    again = True
                    continue
            if not is_state(after) or not same_form(before, after):
                raise TypeError(
                    f"{place(self._where)}: '{name}' must be of the same form before and after each step "
                    f"of the loop. "
                    f"Got {before!r} and {after!r}."
                )
            for k, (x, y) in enumerate(zip(leaves_of(before), leaves_of(after))):
                carried = as_tensor(x, self._dtypes.get((i, k)))
                tensor = as_tensor(y, carried.dtype)
                if tensor.dtype != carried.dtype:
                    if isinstance(x, (int, float)) and (i, k) not in self._dtypes:
                        self._dtypes[i, k] = tensor.dtype
                        if as_tensor(x, tensor.dtype).dtype == tensor.dtype:
                            again = True
                            continue
                    raise TypeError(
                        f"{place(self._where)}: '{name}' has dtype {carried.dtype.name} before the loop, "
                        f"and {tensor.dtype.name} "
                        "after a step. Use tf.cast."
                    )
                tensors.append(tensor)
        if again:
            raise _Again
        return tensors


def _traced(state, make):
    """Makes a loop, again if its body says of which dtype a number is."""
    while True:
        try:
            results = make(state.start())
        except _Again:
            continue
        except _native_errors() as error:
            names = ", ".join(state._names)
            error.add_note(f"In the loop at {place(state._where)}, whose variables are {names}.")
            raise
        return results


def _native_errors():
    from alula import errors

    return errors.OpError


def _counted(state, test, step, first):
    """A loop that also counts: `test` and `step` take the count."""

    def condition(values):
        state.put(values[1:])
        return test(values[0])

    def body(values):
        state.put(values[1:])
        following = step(values[0])
        return [following, *state.after_step()]

    results = _traced(state, lambda start: _native._while_loop(condition, body, [first, *start], None, -1))
    state.finish(results[1:])


def _bool(value):
    return value if isinstance(value, _native.Tensor) else _native.convert_to_tensor(bool(value))


def while_loop(test, body, get, put, names, where):
    """`while` with a condition that is a symbolic tensor."""
    state = _State(get, put, names, where)

    def step(count):
        body()
        return count

    _counted(state, lambda _: _bool(test()), step, _native.convert_to_tensor(0))


def for_range(numbers, goes_on, body, get, put, names, where):
    """`for` over a range with bounds that are tensors."""
    state = _State(get, put, names, where)

    def test(i):
        up, down = i < numbers.limit, i > numbers.limit
        inside = up
        if is_symbolic(numbers.delta):
            import alula

            inside = alula.where(numbers.delta > 0, up, down)
        elif numbers.delta < 0:
            inside = down
        return inside if goes_on is None else _and(inside, goes_on())

    def step(i):
        body(i)
        return i + numbers.delta

    _counted(state, test, step, numbers.start)


def _and(a, b):
    from alula import math

    return math.logical_and(a, _bool(b))


def for_rows(tensor, goes_on, body, get, put, names, where):
    """`for` over the rows of a tensor."""
    if tensor.shape.rank == 0:
        raise TypeError(f"{place(where)}: a loop cannot go through a scalar tensor. Use tf.range(n).")
    if goes_on is not None:
        import alula

        length = tensor.shape[0] if tensor.shape[0] is not None else alula.shape(tensor)[0]
        zero, one = _native.convert_to_tensor(0), _native.convert_to_tensor(1)
        numbers = Range(zero, as_tensor(length, _native.int32), one)
        return for_range(numbers, goes_on, lambda i: body(alula.gather(tensor, i)), get, put, names, where)
    state = _State(get, put, names, where)

    def step(values):
        state.put(values[2:])
        body(values[0])
        return [values[1], *state.after_step()]

    count = _native.convert_to_tensor(0)
    results = _traced(state, lambda start: _native._for_rows(tensor, [count, *start], step))
    return state.finish(results[1:])

"""What converted functions call: each decides at tracing whether it is about symbolic tensors."""

import builtins

from alula import _control_flow, _native
from alula.autograph import loops, staging
from alula.autograph.convert import converted
from alula.autograph.staging import Undefined, is_symbolic  # noqa: F401


def _value(test):
    return test.value() if isinstance(test, _native.Variable) else test


# ---- statements

def if_stmt(test, then, otherwise, get, put, names, where):
    """`if`, without a return in it."""
    test = _value(test)
    if not is_symbolic(test):
        then() if test else otherwise()
        return
    start = get()

    def branch(body):
        def run():
            put(start)
            body()
            return get()

        return run

    put(staging.branches(test, branch(then), branch(otherwise), names, where))


def if_return(test, then, otherwise, get, put, names, where):
    """`if`, with both branches ending in a return: what is returned."""
    test = _value(test)
    if not is_symbolic(test):
        return then() if test else otherwise()
    start = get()

    def branch(body):
        def run():
            put(start)
            return (body(),)

        return run

    return staging.branches(test, branch(then), branch(otherwise), None, where)[0]


def if_exp(test, then, otherwise, where):
    """`a if test else b`."""
    test = _value(test)
    if not is_symbolic(test):
        return then() if test else otherwise()
    return staging.branches(test, lambda: (then(),), lambda: (otherwise(),), None, where)[0]


def while_stmt(test, body, get, put, names, where):
    """`while`. It becomes a loop of the graph as soon as its condition is a symbolic tensor."""
    while True:
        now = _value(test())
        if is_symbolic(now):
            return loops.while_loop(test, body, get, put, names, where)
        if not now:
            return None
        body()


def for_stmt(iterated, goes_on, body, get, put, names, where):
    """`for`. Over a tensor it is a loop of the graph, whose iterations are not unrolled."""
    if _native._is_tracing():
        if isinstance(iterated, loops.Range):
            return loops.for_range(iterated, goes_on, body, get, put, names, where)
        if isinstance(iterated, _native.Tensor):
            return loops.for_rows(iterated, goes_on, body, get, put, names, where)
        _check_iterable(iterated, where)
    for item in iterated:
        body(item)
        if goes_on is None:
            continue
        now = goes_on()
        if is_symbolic(now):
            raise NotImplementedError(
                f"{staging.place(where)}: `break` depends on a tensor in a loop over Python's "
                f"{type(iterated).__name__}. "
                "Loop over a tensor instead, such as tf.range(n)."
            )
        if not now:
            return None
    return None


def _check_iterable(iterated, where):
    if type(iterated).__module__.startswith(("alula.data", "alula._native.data")):
        raise NotImplementedError(
            f"{staging.place(where)}: a loop over a data set cannot be part of a tf.function. Loop "
            f"outside, and call the "
            "function for each element."
        )


def plain(test, where, kind):
    """The condition of a statement that stays as it is, because something jumps out of it."""
    test = _value(test)
    if is_symbolic(test):
        raise NotImplementedError(
            f"{staging.place(where)}: this `{kind}` depends on a tensor, and a `return`, `break` or "
            f"`continue` in it, or "
            "around it, cannot be converted. Assign the result to a variable and return it at the end, and "
            "make "
            "`break` part of a loop's condition."
        )
    return test


def plain_iter(iterated, where):
    """What a loop that stays as it is goes through."""
    if _native._is_tracing():
        if isinstance(iterated, (_native.Tensor, loops.Range)):
            raise NotImplementedError(
                f"{staging.place(where)}: a loop over a tensor cannot have a `return` or an `else` in it. "
                f"Assign the result "
                "to a variable, and return it after the loop."
            )
        _check_iterable(iterated, where)
    return iterated


def assert_stmt(test, message, where):
    """`assert`. On a tensor it is checked whenever the function runs."""
    test = _value(test)
    if not is_symbolic(test):
        if not test:
            text = message()
            raise AssertionError() if text is None else AssertionError(text)
        return
    text = message()

    def check(value):
        if not value.numpy().all():
            from alula import errors

            said = "" if text is None else f": {text}"
            raise errors.InvalidArgumentError(f"{staging.place(where)}: the assertion failed{said}")

    _native._host_function(check, [test], [])


def part(read):
    """A part of an object, which need not be there."""
    try:
        return read()
    except (AttributeError, LookupError, TypeError, UnboundLocalError, ValueError):
        return Undefined("part")


def is_defined(value):
    """Whether a variable has a value."""
    return not isinstance(value, Undefined)


# ---- expressions

def and_(*thunks):
    """`and`: like Python's, it looks no further than it must."""
    value = _value(thunks[0]())
    for i in range(1, len(thunks)):
        if is_symbolic(value):
            rest = thunks[i:]
            first = value
            return _control_flow.cond(first, lambda: _as_bool(and_(*rest)), lambda: first)
        if not value:
            return value
        value = _value(thunks[i]())
    return value


def or_(*thunks):
    """`or`: like Python's, it looks no further than it must."""
    value = _value(thunks[0]())
    for i in range(1, len(thunks)):
        if is_symbolic(value):
            rest = thunks[i:]
            first = value
            return _control_flow.cond(first, lambda: first, lambda: _as_bool(or_(*rest)))
        if value:
            return value
        value = _value(thunks[i]())
    return value


def _as_bool(value):
    return value if isinstance(value, _native.Tensor) else _native.convert_to_tensor(bool(value))


def not_(value):
    """`not`."""
    value = _value(value)
    if not is_symbolic(value):
        return not value
    from alula import math

    return math.logical_not(value)


# ---- calls

def call(function):
    """What is called in the place of a function."""
    replaced = _BUILTINS.get(function) if isinstance(function, _BUILTIN_TYPES) else None
    return replaced if replaced is not None else converted(function)


def iterable_call(function):
    """The same where a loop goes through the result: a range need not be there as a tensor."""
    import alula

    if function is alula.range:
        return lambda *args, **kwargs: loops.range_of(function, args, kwargs)
    return call(function)


def _range(*args):
    return loops.range_of(builtins.range, args, {})


def _len(value):
    if not is_symbolic(value) or value.shape.rank == 0 or value.shape[0] is not None:
        return len(value)
    import alula

    return alula.shape(value)[0]


def _caster(python_type, dtype):
    def cast(*args, **kwargs):
        if len(args) == 1 and not kwargs and is_symbolic(_value(args[0])):
            import alula

            return alula.cast(_value(args[0]), dtype)
        return python_type(*args, **kwargs)

    return cast


def _extreme(python_function, name):
    def choose(*args, **kwargs):
        if len(args) < 2 or kwargs or not any(is_symbolic(arg) for arg in args):
            return python_function(*args, **kwargs)
        from alula import math

        result = args[0]
        for arg in args[1:]:
            result = getattr(math, name)(result, arg)
        return result

    return choose


_BUILTINS = {
    range: _range,
    len: _len,
    int: _caster(int, _native.int32),
    float: _caster(float, _native.float32),
    max: _extreme(max, "maximum"),
    min: _extreme(min, "minimum"),
}
_BUILTIN_TYPES = (type, type(len))

"""Functions with converted `if`, `while` and `for`: their source, rewritten and compiled again."""

import functools
import os
import types

_LIBRARY = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_STANDARD = os.path.dirname(os.path.abspath(os.__file__)) + os.sep
_codes = {}  # the code of functions that have been seen, with what they were converted to


def is_users(code):
    """Whether code is a user's own, rather than a library's."""
    path = code.co_filename
    if path.startswith((_LIBRARY, _STANDARD, "<frozen")):
        return False
    return f"{os.sep}site-packages{os.sep}" not in path and f"{os.sep}dist-packages{os.sep}" not in path


def converted(function):
    """The function to be called in place of one in a trace: converted if it is a user's Python code whose
    source is there, else as it is."""
    if isinstance(function, types.MethodType):
        inner = converted(function.__func__)
        return function if inner is function.__func__ else types.MethodType(inner, function.__self__)
    if isinstance(function, functools.partial):
        return functools.partial(converted(function.func), *function.args, **function.keywords)
    if not isinstance(function, types.FunctionType):
        return _converted_object(function)
    if getattr(function, "__alula_do_not_convert__", False) or not is_users(function.__code__):
        return function
    return _with_code(function, _code_of(function))


def _converted_object(thing):
    """An object that is called by a method of Python."""
    if isinstance(thing, type):
        return thing
    call = getattr(type(thing), "__call__", None)
    if not isinstance(call, types.FunctionType):
        return thing
    inner = converted(call)
    return thing if inner is call else types.MethodType(inner, thing)


def _code_of(function):
    code = function.__code__
    key = (code, code.co_filename)
    if key not in _codes:
        from alula.autograph import rewrite

        _codes[key] = rewrite.rewritten(function)
    return _codes[key]


def _with_code(function, code):
    """The same function with other code: its globals, closure and defaults stay."""
    if code is None:
        return function
    from alula.autograph import runtime

    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or ()))
    cells["ag__"] = types.CellType(runtime)
    closure = tuple(cells[name] for name in code.co_freevars)
    made = types.FunctionType(code, function.__globals__, function.__name__, function.__defaults__, closure)
    made.__kwdefaults__ = function.__kwdefaults__
    made.__qualname__ = function.__qualname__
    made.__doc__ = function.__doc__
    made.__module__ = function.__module__
    made.__dict__.update(function.__dict__)
    made.__alula_do_not_convert__ = True  # it is done
    return made


def to_code(entity, recursive=True, experimental_optional_features=None):
    """The source that a function is converted to, for reading."""
    import ast

    from alula.autograph import rewrite

    entity = getattr(entity, "python_function", entity)
    tree = rewrite.rewritten_tree(getattr(entity, "__func__", entity))
    if tree is None:
        raise ValueError(f"autograph: the source of {entity!r} is not there.")
    return ast.unparse(ast.fix_missing_locations(tree))

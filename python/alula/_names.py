"""What is said where a name is missing: whether TensorFlow has it, and the nearest that Alula has.

The list of TensorFlow's names beside this file is made by tools/tensorflow_names. It is read when a name is
missing, not before.
"""

import functools
import os
import sys
import types


@functools.cache
def tensorflow_names():
    """The names in each of TensorFlow's namespaces: {"math": ["abs", …], "": ["Variable", …]}."""
    names = {}
    path = os.path.join(os.path.dirname(__file__), "_tensorflow_names.txt")
    with open(path, encoding="utf-8") as file:
        for line in file:
            if line.strip() and not line.startswith("#"):
                namespace, _, listed = line.partition(":")
                names[namespace.strip(".")] = listed.split()
    return names


@functools.cache
def alula_names():
    """The names in each of Alula's namespaces, as TensorFlow's are listed."""
    found = {}
    _collect(sys.modules["alula"], "", found)
    return found


def public(module):
    """The public names of a module that a program may use, sorted."""
    return sorted(
        name
        for name, value in vars(module).items()
        if not name.startswith("_")
        and not (isinstance(value, types.ModuleType) and not value.__name__.startswith("alula"))
    )


def _collect(module, path, found):
    found[path] = public(module)
    for name in found[path]:
        value = vars(module)[name]
        inner = f"{path}.{name}" if path else name
        if isinstance(value, types.ModuleType) and value.__name__ == f"alula.{inner}":
            _collect(value, inner, found)


def missing(namespace, name):
    """The message of an AttributeError: tf.<namespace> has no <name>."""
    full = f"{namespace}.{name}" if namespace else name
    known = name in tensorflow_names().get(namespace, ())
    said = f"TensorFlow has tf.{full}; Alula has not." if known else _ordinary(namespace, name)
    nearest = _nearest(full)
    if not nearest:
        return said
    return f"{said} The nearest that it has: {', '.join(f'tf.{near}' for near in nearest)}."


def missing_module(fullname):
    """The message of a ModuleNotFoundError for tensorflow.x.y or keras.x.y."""
    root, _, rest = fullname.partition(".")
    path = f"keras.{rest}" if root == "keras" else rest
    namespace, _, name = path.rpartition(".")
    if path in tensorflow_names() or name in tensorflow_names().get(namespace, ()):
        return f"TensorFlow has the module {fullname}; Alula, which answers for it here, has not."
    return f"No module named {fullname!r} (Alula answers for {root} here)"


def _ordinary(namespace, name):
    module = f"alula.{namespace}" if namespace else "alula"
    return f"module {module!r} has no attribute {name!r}."


def _nearest(full):
    """Up to three names of Alula: those that end alike first, then those that are spelled alike."""
    import difflib

    every = [f"{space}.{name}" if space else name for space, names in alula_names().items() for name in names]
    last = full.rpartition(".")[2]
    same = [name for name in every if name.rpartition(".")[2].lower() == last.lower() and name != full]
    near = difflib.get_close_matches(full, every, n=3, cutoff=0.6)
    by_last = {}
    for name in every:
        by_last.setdefault(name.rpartition(".")[2], name)
    alike = [by_last[n] for n in difflib.get_close_matches(last, by_last, n=3, cutoff=0.75)]
    return list(dict.fromkeys(same + near + alike))[:3]


class MissingName(AttributeError):
    """An AttributeError that looks for the nearest names when it is shown: many are only asked about."""

    def __init__(self, namespace, name, module):
        super().__init__(namespace, name, name=name, obj=module)

    def __str__(self):
        return missing(*self.args)


def explain_missing(module):
    """Gives a module a __getattr__ that says more about names that it has not."""
    namespace = module.__name__.partition(".")[2]
    before = vars(module).get("__getattr__")

    def __getattr__(name):
        if before is not None:
            try:
                return before(name)
            except AttributeError:
                pass
        if name.startswith("__"):  # Python itself asks for these
            raise AttributeError(f"module {module.__name__!r} has no attribute {name!r}", name=name, obj=module)
        raise MissingName(namespace, name, module)

    module.__getattr__ = __getattr__


def explain_all_missing():
    """The same for the package and all its public modules that have been imported."""
    for name, module in list(sys.modules.items()):
        inner = name.partition(".")[2]
        if module is not None and name.partition(".")[0] == "alula":
            if not any(part.startswith("_") for part in inner.split(".") if part) and name != "alula.compat.v1":
                explain_missing(module)

"""Every example in a docstring, run."""

import doctest
import inspect
import types

import numpy as np
import pytest

import alula as tf


def public_objects():
    """What users can name: functions, classes and their methods, of alula and its modules."""
    seen, found, modules = set(), {}, [("tf", tf)]
    visited = set()
    while modules:
        path, module = modules.pop()
        if id(module) in visited:
            continue
        visited.add(id(module))
        found[path] = module
        for name, value in vars(module).items():
            if name.startswith("_"):
                continue
            full = f"{path}.{name}"
            if isinstance(value, types.ModuleType):
                if value.__name__.startswith("alula."):
                    modules.append((full, value))
            elif not (getattr(value, "__module__", None) or "alula").startswith("alula"):
                continue  # what a module imports from elsewhere
            elif getattr(value, "__doc__", None) and callable(value) and id(value) not in seen:
                seen.add(id(value))
                found[full] = value
                if inspect.isclass(value):
                    for method, member in vars(value).items():
                        if not method.startswith("_") and getattr(member, "__doc__", None):
                            found[f"{full}.{method}"] = member
    return found


EXAMPLES = {
    name: value.__doc__
    for name, value in public_objects().items()
    if isinstance(value.__doc__, str) and ">>>" in value.__doc__
}


def test_there_are_examples():
    assert len(EXAMPLES) > 60
    for name in ("tf.math.add", "tf.nn.relu", "tf.Variable", "tf.nest"):
        assert any(known.endswith(name.split(".")[-1]) for known in EXAMPLES), name


@pytest.mark.parametrize("name", sorted(EXAMPLES))
def test_example(name):
    parser = doctest.DocTestParser()
    test = parser.get_doctest(inspect.cleandoc(EXAMPLES[name]), {"tf": tf, "np": np}, name, None, 0)
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    out = []
    runner = doctest.DocTestRunner(optionflags=flags, verbose=False)
    runner.run(test, out=out.append)
    assert runner.failures == 0, "".join(out)

"""Answers `import tensorflow` and `import keras` with Alula."""

import importlib
import importlib.abc
import importlib.machinery
import sys
import types

# The other name's root, and what stands for it.
ROOTS = {"tensorflow": "alula", "keras": "alula.keras"}


class TensorFlow(types.ModuleType):
    """The module that `import tensorflow` gives: Alula's names, and the version of the interface."""

    def __init__(self, alula):
        super().__init__("tensorflow", alula.__doc__)
        # Copied, so that tf.matmul is looked up as fast as alula.matmul.
        self.__dict__.update({k: v for k, v in vars(alula).items() if not k.startswith("__")})
        self.__version__ = alula.version.VERSION
        self.__path__ = []

    def __getattr__(self, name):
        return getattr(sys.modules["alula"], name)

    def __dir__(self):
        return dir(sys.modules["alula"])


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds tensorflow.x.y as alula.x.y: the same module under another name."""

    def find_spec(self, fullname, path=None, target=None):
        root, _, rest = fullname.partition(".")
        if root not in ROOTS:
            return None
        if root == "tensorflow" and rest.partition(".")[0] == "python":
            raise ImportError(
                f"Alula answers for TensorFlow's public interface, and {fullname} is not part of it: "
                "tensorflow.python is TensorFlow's own source code. Import the public name "
                "(tensorflow.keras.layers, tensorflow.data, …) instead.",
                name=fullname,
            )
        if _module(fullname) is None:
            from alula import _names

            raise ModuleNotFoundError(_names.missing_module(fullname), name=fullname)
        return importlib.machinery.ModuleSpec(fullname, self, is_package=True)

    def create_module(self, spec):
        if spec.name == "tensorflow":
            return TensorFlow(_module(spec.name))
        module = _module(spec.name)
        spec.loader_state = module.__spec__
        return module

    def exec_module(self, module):
        # Importing gave the module the spec of its other name. It keeps its own.
        own = module.__spec__.loader_state
        if own is not None:
            module.__spec__ = own


def _module(fullname):
    """alula.x.y for tensorflow.x.y: a file of the package, or a namespace in one. None if there is none."""
    root, _, rest = fullname.partition(".")
    name = f"{ROOTS[root]}.{rest}" if rest else ROOTS[root]
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or not name.startswith(error.name):
            raise  # something else is missing
    found = importlib.import_module(ROOTS[root])
    for part in rest.split("."):
        found = vars(found).get(part) if isinstance(found, types.ModuleType) else None
    return found if isinstance(found, types.ModuleType) else None


_finder = Finder()


def install():
    """From here on, `import tensorflow` gives Alula. One that is installed is not touched."""
    if _finder not in sys.meta_path:
        sys.meta_path.insert(0, _finder)


def remove():
    """Takes that back, also for what was imported by those names."""
    if _finder in sys.meta_path:
        sys.meta_path.remove(_finder)
    for name in [name for name in sys.modules if name.partition(".")[0] in ROOTS]:
        del sys.modules[name]

"""Objects from what Keras's users write for them: words, classes, functions, configurations."""


def snake_case(name):
    """`MeanSquaredError` -> `mean_squared_error`; `L1L2` -> `l1_l2`, as Keras has it."""
    import re

    return re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", re.sub(r"(.)([A-Z][a-z]+)", r"\1_\2", name)).lower()


def look_up(what, identifier, names, make_word=None):
    """The object for an identifier: a word, a class, a configuration, or already an object or a function."""
    if identifier is None:
        return None
    if isinstance(identifier, dict):
        config = identifier.get("config", {})
        if isinstance(config, str):
            return look_up(what, config, names, make_word)
        cls = names.get(identifier["class_name"])
        if not isinstance(cls, type):
            raise ValueError(f"{what}: there is no class {identifier['class_name']!r}.")
        return cls.from_config(config) if hasattr(cls, "from_config") else cls(**config)
    if isinstance(identifier, str):
        found = names.get(identifier)
        if found is None:
            for name, value in names.items():
                if isinstance(value, type) and snake_case(name) == identifier:
                    found = value
        if found is None and make_word is not None:
            return make_word(identifier)
        if found is None:
            raise ValueError(f"{what}: there is no {identifier!r}. There are {', '.join(sorted(names))}.")
        return found() if isinstance(found, type) else found
    if isinstance(identifier, type):
        return identifier()
    if callable(identifier) or hasattr(identifier, "get_config"):
        return identifier
    raise ValueError(f"{what}: it is a word, an object or a function. Got {identifier!r}.")


def from_config(cls, config):
    """An object of a class from what `get_config()` of another gave."""
    return cls(**config)


def serialize(thing):
    """What an object is made from, as Keras writes it down."""
    if not hasattr(thing, "get_config"):
        return getattr(thing, "__name__", thing)
    return {
        "module": "keras",
        "class_name": type(thing).__name__,
        "config": thing.get_config(),
        "registered_name": None,
    }


def add_from_config(*classes):
    """Gives classes Keras's `from_config`."""
    for cls in classes:
        cls.from_config = classmethod(from_config)


def missing(module):
    """A module's `__getattr__`: says that a name is not there, and which ones come near."""

    def __getattr__(name):
        import difflib
        import sys

        if name.startswith("__"):
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        known = [other for other in vars(sys.modules[module]) if not other.startswith("_")]
        near = difflib.get_close_matches(name, known, 3, 0.5)
        what = module.replace("alula", "tf", 1)
        hint = f" The nearest are {', '.join(near)}." if near else ""
        raise AttributeError(f"{what}.{name}: Alula does not have it.{hint}")

    return __getattr__

"""Examples, as TFRecord files hold them."""

from alula._native.io import _parse_example, _serialize_example


class _List:
    """Values of one kind."""

    def __init__(self, value=()):
        self.value = list(value)

    def __eq__(self, other):
        return type(self) is type(other) and self.value == other.value

    def __repr__(self):
        return f"{type(self).__name__}({self.value})"


class BytesList(_List):
    """A list of byte strings."""


class FloatList(_List):
    """A list of floating point numbers."""


class Int64List(_List):
    """A list of integers."""


_KINDS = {"bytes_list": BytesList, "float_list": FloatList, "int64_list": Int64List}


class Feature:
    """One list of an Example: of bytes, of floats or of integers."""

    def __init__(self, bytes_list=None, float_list=None, int64_list=None):
        given = {"bytes_list": bytes_list, "float_list": float_list, "int64_list": int64_list}
        kinds = [kind for kind, values in given.items() if values is not None]
        if len(kinds) > 1:
            raise ValueError(f"Feature: has one list. Got {kinds}.")
        self._kind = kinds[0] if kinds else None
        for kind, cls in _KINDS.items():
            setattr(self, kind, given[kind] if given[kind] is not None else cls())

    def WhichOneof(self, group="kind"):
        """The name of the list that is set, or None."""
        return self._kind

    def __eq__(self, other):
        return isinstance(other, Feature) and self._pair() == other._pair()

    def _pair(self):
        return (self._kind, getattr(self, self._kind).value if self._kind else [])


class Features:
    """The features of an Example by name."""

    def __init__(self, feature=None):
        self.feature = dict(feature or {})

    def __eq__(self, other):
        return isinstance(other, Features) and self.feature == other.feature


class Example:
    """Features by name: the usual content of a TFRecord file.

    >>> label = tf.train.Feature(int64_list=tf.train.Int64List(value=[7]))
    >>> example = tf.train.Example(features=tf.train.Features(feature={"label": label}))
    >>> tf.train.Example.FromString(example.SerializeToString()).features.feature["label"].int64_list.value
    [7]
    """

    def __init__(self, features=None):
        self.features = features if features is not None else Features()

    def SerializeToString(self):
        """The bytes of this example."""
        pairs = {name: f._pair() for name, f in self.features.feature.items()}
        return _serialize_example({name: (kind or "", values) for name, (kind, values) in pairs.items()})

    def ParseFromString(self, serialized):
        """Takes the place of what the bytes describe."""
        feature = {
            name: Feature(**({kind: _KINDS[kind](values)} if kind else {}))
            for name, (kind, values) in _parse_example(bytes(serialized)).items()
        }
        self.features = Features(feature)
        return len(serialized)

    @classmethod
    def FromString(cls, serialized):
        """The example that bytes describe."""
        example = cls()
        example.ParseFromString(serialized)
        return example

    def __eq__(self, other):
        return isinstance(other, Example) and self.features == other.features

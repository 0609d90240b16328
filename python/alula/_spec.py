"""What tensors are, without their values."""

from alula import _native
from alula._shape import TensorShape


class TensorSpec:
    """A tensor's shape and dtype, and perhaps a name.

    >>> tf.TensorSpec([None, 3], tf.float32)
    TensorSpec(shape=(None, 3), dtype=tf.float32, name=None)
    """

    __slots__ = ("_shape", "_dtype", "_name")

    def __init__(self, shape, dtype=None, name=None):
        self._shape = TensorShape(shape)
        self._dtype = _native.float32 if dtype is None else _native.as_dtype(dtype)
        self._name = name

    @property
    def shape(self):
        """The shape; None where it is not known."""
        return self._shape

    @property
    def dtype(self):
        """The dtype."""
        return self._dtype

    @property
    def name(self):
        """The name, or None."""
        return self._name

    @classmethod
    def from_tensor(cls, tensor, name=None):
        """What a tensor is."""
        return cls(tensor.shape, tensor.dtype, name)

    @classmethod
    def from_spec(cls, spec, name=None):
        """The same with another name."""
        return cls(spec.shape, spec.dtype, name or spec.name)

    def is_compatible_with(self, spec_or_value):
        """Whether a tensor, or what another spec describes, can be what this one describes."""
        if not (hasattr(spec_or_value, "dtype") and hasattr(spec_or_value, "shape")):
            spec_or_value = _native.convert_to_tensor(spec_or_value)
        return self.dtype == spec_or_value.dtype and self.shape.is_compatible_with(spec_or_value.shape)

    def is_subtype_of(self, other):
        """Whether all that this one describes, the other does."""
        if not isinstance(other, TensorSpec) or self.dtype != other.dtype:
            return False
        if other.shape.rank is None:
            return True
        return self.shape.rank == other.shape.rank and all(
            b is None or a == b for a, b in zip(self.shape, other.shape)
        )

    def __eq__(self, other):
        return (
            isinstance(other, TensorSpec)
            and self.shape == other.shape
            and self.dtype == other.dtype
            and self.name == other.name
        )

    def __ne__(self, other):
        return not self == other

    def __hash__(self):
        return hash((self.shape, self.dtype))

    def __reduce__(self):
        return TensorSpec, (self.shape, self.dtype, self.name)

    def __repr__(self):
        shape = None if self.shape.rank is None else tuple(self.shape)
        return f"TensorSpec(shape={shape}, dtype={self.dtype!r}, name={self.name!r})"


class DatasetSpec:
    """A data set inside of an element: what its elements are."""

    __slots__ = ("element_spec",)

    def __init__(self, element_spec, dataset_shape=()):
        self.element_spec = element_spec

    def __eq__(self, other):
        return isinstance(other, DatasetSpec) and self.element_spec == other.element_spec

    def __hash__(self):
        return hash(repr(self))

    def __repr__(self):
        return f"DatasetSpec({self.element_spec!r}, TensorShape([]))"

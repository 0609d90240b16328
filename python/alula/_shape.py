"""Shapes as TensorFlow shows them."""

from alula import _native


class TensorShape(tuple):
    """The sizes of a tensor's dimensions; None is one that is not known yet.

    >>> tf.TensorShape([None, 3])
    TensorShape([None, 3])
    >>> tf.zeros((2, 3)).shape == (2, 3)
    True
    """

    __slots__ = ()

    def __new__(cls, dims):
        if isinstance(dims, TensorShape):
            return dims
        if dims is None:
            return UnknownShape()
        if isinstance(dims, int):
            dims = (dims,)
        return tuple.__new__(cls, (None if d is None or d == -1 else int(d) for d in dims))

    def __repr__(self):
        return f"TensorShape({list(self)})"

    def __str__(self):
        return tuple.__repr__(tuple(self))

    def __eq__(self, other):
        return isinstance(other, (tuple, list)) and tuple.__eq__(self, tuple(other))

    def __ne__(self, other):
        return not self == other

    __hash__ = tuple.__hash__

    def __getitem__(self, key):
        value = tuple.__getitem__(self, key)
        return TensorShape(value) if isinstance(key, slice) else value

    def __add__(self, other):
        return TensorShape(tuple(self) + tuple(TensorShape(other)))

    def __radd__(self, other):
        return TensorShape(tuple(TensorShape(other)) + tuple(self))

    concatenate = __add__

    def __reduce__(self):
        return TensorShape, (list(self),)

    @property
    def rank(self):
        """The number of dimensions."""
        return len(self)

    ndims = rank

    @property
    def dims(self):
        """The dimensions as a list."""
        return list(self)

    def as_list(self):
        """The dimensions as a list."""
        return list(self)

    def is_fully_defined(self):
        """Whether every dimension is known."""
        return None not in self

    def num_elements(self):
        """The number of elements, or None if a dimension is unknown."""
        if not self.is_fully_defined():
            return None
        count = 1
        for dim in self:
            count *= dim
        return count

    def is_compatible_with(self, other):
        """Whether both can be the shape of one tensor: equal where both are known."""
        other = TensorShape(other)
        if isinstance(other, UnknownShape):
            return True
        return len(self) == len(other) and all(
            a is None or b is None or a == b for a, b in zip(self, other)
        )

    def assert_is_compatible_with(self, other):
        """Raises a ValueError unless both can be the shape of one tensor."""
        if not self.is_compatible_with(other):
            raise ValueError(f"Shapes {self} and {TensorShape(other)} are incompatible")

    def merge_with(self, other):
        """What is known by either shape."""
        other = TensorShape(other)
        self.assert_is_compatible_with(other)
        if isinstance(other, UnknownShape):
            return self
        return TensorShape([b if a is None else a for a, b in zip(self, other)])

    def with_rank(self, rank):
        """This shape if it has that rank, else a ValueError."""
        if len(self) != rank:
            raise ValueError(f"Shape {self} must have rank {rank}")
        return self


class UnknownShape(TensorShape):
    """A shape of which not even the rank is known."""

    __slots__ = ()

    def __new__(cls):
        return tuple.__new__(cls)

    def __repr__(self):
        return "TensorShape(None)"

    def __eq__(self, other):
        return isinstance(other, UnknownShape)

    __hash__ = tuple.__hash__

    @property
    def rank(self):
        return None

    ndims = rank

    @property
    def dims(self):
        return None

    def as_list(self):
        raise ValueError("as_list() is not defined on an unknown TensorShape.")

    def is_fully_defined(self):
        return False

    def is_compatible_with(self, other):
        return True

    def merge_with(self, other):
        return TensorShape(other)


_native._set_shape_class(TensorShape)

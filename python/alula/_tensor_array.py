"""A list of tensors that functions with loops fill and read."""

from alula import _native
from alula._shape import TensorShape


class TensorArray:
    """Tensors of one dtype, by number. Writing gives a new array; the old one is not to be used any more.

    >>> squares = tf.TensorArray(tf.int32, size=3)
    >>> for i in range(3):
    ...     squares = squares.write(i, i * i)
    >>> squares.stack().numpy()
    array([0, 1, 4], dtype=int32)

    In the loops of a tf.function its size must be known, and all its elements have one shape.
    """

    def __init__(
        self,
        dtype,
        size=None,
        dynamic_size=None,
        clear_after_read=None,
        tensor_array_name=None,
        handle=None,
        flow=None,
        infer_shape=True,
        element_shape=None,
        colocate_with_first_write_call=True,
        name=None,
    ):
        self._dtype = _native.as_dtype(dtype)
        self._dynamic = bool(dynamic_size)
        self._shape = None if element_shape is None else TensorShape(element_shape)
        size = 0 if size is None else size
        if isinstance(size, _native.Tensor) and size.is_symbolic:
            raise ValueError(
                "TensorArray: its size must be known when a function is traced. Got a symbolic tensor; use a "
                "number, or the shape of a tensor (x.shape[0])."
            )
        self._items = [None] * int(size)  # those that are not written yet are None
        self._stacked = None  # in the place of the items: all of them as one tensor

    @property
    def dtype(self):
        """The dtype of the elements."""
        return self._dtype

    @property
    def dynamic_size(self):
        """Whether it grows when it is written beyond its end."""
        return self._dynamic

    @property
    def element_shape(self):
        """The shape of an element, as far as it is known."""
        if self._stacked is not None:
            return TensorShape(self._stacked.shape[1:])
        written = next((item for item in self._items if item is not None), None)
        if written is not None:
            return TensorShape(written.shape)
        return TensorShape(None) if self._shape is None else self._shape

    @property
    def flow(self):
        """The elements themselves: nothing else orders reads and writes."""
        return self._stacked

    handle = flow

    def size(self, name=None):
        """The number of elements."""
        return _native.convert_to_tensor(self._count())

    def _count(self):
        return len(self._items) if self._stacked is None else self._stacked.shape[0]

    def _changed(self, items=None, stacked=None):
        made = TensorArray(self._dtype, 0, self._dynamic, element_shape=self._shape)
        made._items = items or []
        made._stacked = stacked
        return made

    def _position(self, index):
        """A position as a number of Python's, or as a tensor if it is known only when the graph runs."""
        if isinstance(index, _native.Variable):
            index = index.value()
        if isinstance(index, _native.Tensor) and index.is_symbolic:
            return index
        index = int(index)
        if index < 0 or (index >= self._count() and not (self._dynamic and self._stacked is None)):
            from alula import errors

            raise errors.OutOfRangeError(
                f"TensorArray: there is no element {index}. It has {self._count()}; "
                "give dynamic_size=True to let it grow."
            )
        return index

    def write(self, index, value, name=None):
        """The array with an element changed."""
        value = _native.convert_to_tensor(value, self._dtype)
        at = self._position(index)
        if self._stacked is None and isinstance(at, int):
            items = self._items + [None] * (at + 1 - len(self._items))
            items[at] = value
            return self._changed(items)
        import alula

        whole = self._as_one(TensorShape(value.shape))
        place = alula.reshape(alula.cast(at, _native.int32), [1, 1])
        stacked = alula.tensor_scatter_nd_update(whole, place, alula.expand_dims(value, 0))
        return self._changed(stacked=stacked)

    def read(self, index, name=None):
        """An element."""
        at = self._position(index)
        if self._stacked is None and isinstance(at, int):
            if at >= len(self._items) or self._items[at] is None:
                if at < len(self._items) and self.element_shape.is_fully_defined():
                    return _native._zeros(self.element_shape, self._dtype)
                from alula import errors

                raise errors.InvalidArgumentError(f"TensorArray: element {at} has not been written yet.")
            return self._items[at]
        import alula

        return alula.gather(self._as_one(self.element_shape), at)

    def _as_one(self, element_shape):
        """All elements as one tensor; those that were not written are zeros."""
        if self._stacked is not None:
            return self._stacked
        if element_shape.rank is None or not element_shape.is_fully_defined():
            raise ValueError(
                "TensorArray: the shape of its elements is not known. Give element_shape, or write one first."
            )
        if all(item is None for item in self._items):
            return _native._zeros([len(self._items), *element_shape], self._dtype)
        import alula

        zeros = _native._zeros(element_shape, self._dtype)
        return alula.stack([zeros if item is None else item for item in self._items])

    def stack(self, name=None):
        """The elements as one tensor."""
        return self._as_one(self.element_shape)

    def gather(self, indices, name=None):
        """Some of the elements as one tensor."""
        import alula

        return alula.gather(self.stack(), indices)

    def concat(self, name=None):
        """The elements one after the other, along their first dimension."""
        import alula

        if self._stacked is None and self._items and all(item is not None for item in self._items):
            return alula.concat(self._items, 0)
        whole = self.stack()
        return alula.reshape(whole, [-1, *whole.shape[2:]])

    def unstack(self, value, name=None):
        """The array filled with the rows of a tensor."""
        value = _native.convert_to_tensor(value, self._dtype)
        return self._changed(stacked=value) if value.is_symbolic else self._changed(list(value))

    def scatter(self, indices, value, name=None):
        """The array with some elements changed: the rows of a tensor."""
        made = self
        for i, row in zip(_native.convert_to_tensor(indices), _native.convert_to_tensor(value, self._dtype)):
            made = made.write(i, row)
        return made

    def split(self, value, lengths, name=None):
        """The array filled with parts of a tensor, which are so many rows long."""
        import alula

        return self._changed(list(alula.split(value, [int(n) for n in lengths])))

    def identity(self):
        """The same array."""
        return self

    def grad(self, *args, **kwargs):
        """Gradients go through reads and writes by themselves."""
        raise NotImplementedError("TensorArray: grad() is not needed; gradients go through reads and writes.")

    def close(self, name=None):
        """Nothing: the elements go with the last reference to them."""

    def __len__(self):
        return self._count()

    # ---- as a variable of a loop in a graph: all its elements in one tensor, once their shape is known

    def _leaves(self):
        if self._stacked is None and not self.element_shape.is_fully_defined():
            return []
        return [self._as_one(self.element_shape)]

    def _with(self, leaves):
        return self._changed(stacked=leaves[0]) if leaves else self

    def _like(self, other):
        """The same array with elements of another one's shape."""
        made = self._changed(list(self._items))
        made._shape = other.element_shape
        return made

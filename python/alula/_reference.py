"""What stands for a tensor or a variable where a key is needed."""


class Reference:
    """Equal to another one of the same object.

    >>> v = tf.Variable(1.0)
    >>> v.ref() == v.ref(), v.ref().deref() is v
    (True, True)
    """

    __slots__ = ("_object",)

    def __init__(self, referred):
        self._object = referred

    def deref(self):
        """The tensor or variable."""
        return self._object

    @property
    def _identity(self):
        return self._object._key if hasattr(self._object, "_key") else self._object._id

    def __hash__(self):
        return hash(self._identity)

    def __eq__(self, other):
        return isinstance(other, Reference) and self._identity == other._identity

    def __repr__(self):
        return f"<Reference wrapping {self._object!r}>"

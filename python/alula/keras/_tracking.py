"""Lists and dicts of layers that are attributes of a layer: what is put into them is tracked, too."""


class TrackedList(list):
    """A list whose layers and variables belong to a layer."""

    def __init__(self, owner, items):
        super().__init__(_wrapped(owner, item) for item in items)
        self._owner = owner

    def _take(self, item):
        item = _wrapped(self._owner, item)
        self._owner._track(item)
        return item

    def append(self, item):
        super().append(self._take(item))

    def insert(self, index, item):
        super().insert(index, self._take(item))

    def extend(self, items):
        super().extend([self._take(item) for item in items])

    def __iadd__(self, items):
        self.extend(items)
        return self

    def __setitem__(self, index, item):
        super().__setitem__(index, [self._take(i) for i in item] if isinstance(index, slice) else self._take(item))

    def __reduce__(self):
        return list, (list(self),)

    def __deepcopy__(self, memo):
        import copy

        return copy.deepcopy(list(self), memo)


class TrackedDict(dict):
    """A dict whose layers and variables belong to a layer."""

    def __init__(self, owner, items):
        super().__init__((key, _wrapped(owner, item)) for key, item in items.items())
        self._owner = owner

    def __setitem__(self, key, item):
        item = _wrapped(self._owner, item)
        self._owner._track(item)
        super().__setitem__(key, item)

    def update(self, *args, **kwargs):
        for key, item in dict(*args, **kwargs).items():
            self[key] = item

    def setdefault(self, key, default=None):
        if key not in self:
            self[key] = default
        return self[key]

    def __reduce__(self):
        return dict, (dict(self),)

    def __deepcopy__(self, memo):
        import copy

        return copy.deepcopy(dict(self), memo)


def _wrapped(owner, item):
    if type(item) is list:
        return TrackedList(owner, item)
    if type(item) is dict:
        return TrackedDict(owner, item)
    return item


def tracked(owner, value):
    """A list or dict as an attribute of a layer."""
    return _wrapped(owner, value)

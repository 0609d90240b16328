"""Values in tuples, lists and dicts, at any depth: taken apart and put together again.

>>> tf.nest.flatten({"b": [1, 2], "a": 3})
[3, 1, 2]
>>> tf.nest.map_structure(lambda x: x * 10, (1, {"a": 2}))
(10, {'a': 20})
"""

from collections.abc import Mapping


def is_nested(structure):
    """Whether it is a tuple, a list or a dict, rather than a leaf. A shape is a leaf."""
    return isinstance(structure, (list, dict, Mapping)) or (
        isinstance(structure, tuple) and not hasattr(structure, "as_list")
    )


def flatten(structure, expand_composites=False):
    """The leaves in a list; those of a dict in the order of its sorted keys."""
    if not is_nested(structure):
        return [structure]
    leaves = []
    for item in _items(structure):
        leaves += flatten(item)
    return leaves


def pack_sequence_as(structure, flat_sequence, expand_composites=False):
    """The leaves in a list, put into the form of a structure."""
    flat_sequence = list(flat_sequence)
    count = len(flatten(structure))
    if count != len(flat_sequence):
        raise ValueError(f"nest: the structure has {count} leaves. Got {len(flat_sequence)}.")
    return _pack(structure, iter(flat_sequence))


def map_structure(func, *structures, **kwargs):
    """Calls a function with the leaves at the same place; the results in the same form."""
    if not structures:
        raise ValueError("nest: map_structure needs at least one structure.")
    for other in structures[1:]:
        assert_same_structure(structures[0], other)
    columns = zip(*(flatten(s) for s in structures))
    return pack_sequence_as(structures[0], [func(*leaves) for leaves in columns])


def assert_same_structure(nest1, nest2, check_types=True, expand_composites=False):
    """Raises an error unless both have the same form."""
    if is_nested(nest1) != is_nested(nest2):
        raise ValueError(f"nest: the structures differ. Got {nest1!r} and {nest2!r}.")
    if not is_nested(nest1):
        return
    if check_types and type(nest1) is not type(nest2):
        raise TypeError(f"nest: the types differ: {type(nest1).__name__}, {type(nest2).__name__}.")
    if isinstance(nest1, Mapping) and set(nest1) != set(nest2):
        raise ValueError(f"nest: the keys differ. Got {sorted(nest1)} and {sorted(nest2)}.")
    if len(nest1) != len(nest2):
        raise ValueError(f"nest: the lengths differ. Got {nest1!r} and {nest2!r}.")
    for a, b in zip(_items(nest1), _items(nest2)):
        assert_same_structure(a, b, check_types)


def _items(structure):
    if isinstance(structure, Mapping):
        return [structure[key] for key in sorted(structure)]
    return structure


def _pack(structure, leaves):
    if not is_nested(structure):
        return next(leaves)
    if isinstance(structure, Mapping):
        packed = {key: _pack(structure[key], leaves) for key in sorted(structure)}
        ordered = {key: packed[key] for key in structure}  # as the caller wrote them
        return ordered if type(structure) is dict else type(structure)(ordered)
    items = [_pack(item, leaves) for item in structure]
    if hasattr(structure, "_fields"):  # a named tuple
        return type(structure)(*items)
    return type(structure)(items)

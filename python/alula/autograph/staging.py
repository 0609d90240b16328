"""Branches of a graph, for local variables: what they are after an `if`."""

from alula import _native, nest
from alula._tensor_array import TensorArray
from alula.nest import flatten, pack_sequence_as

_NUMBERS = (bool, int, float)


def place(where):
    return f"{where[0]}:{where[1]}"


def is_symbolic(value):
    return isinstance(value, _native.Tensor) and value.is_symbolic


class Undefined:
    """A local variable that has no value. Whoever uses it learns why."""

    __slots__ = ("_name", "_reason")

    def __init__(self, name, reason=None):
        self._name = name
        self._reason = reason

    def _fail(self, *args, **kwargs):
        if self._reason is None:
            raise UnboundLocalError(f"local variable '{self._name}' referenced before assignment")
        raise ValueError(self._reason)

    def __getattr__(self, name):
        if name.startswith("__") and name != "__tf_tensor__":
            raise AttributeError(name)
        return self._fail()

    def __repr__(self):
        return f"<'{self._name}' is not defined>"

    __tf_tensor__ = __bool__ = __iter__ = __call__ = __len__ = __getitem__ = __setitem__ = _fail
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _fail
    __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __pow__ = __rpow__ = __matmul__ = __rmatmul__ = _fail
    __neg__ = __pos__ = __abs__ = __invert__ = __and__ = __rand__ = __or__ = __ror__ = __xor__ = _fail
    __lt__ = __le__ = __gt__ = __ge__ = __index__ = __int__ = __float__ = _fail


def is_leaf(value):
    """Whether a value can be a tensor of the graph."""
    return (
        isinstance(value, (_native.Tensor, str, *_NUMBERS)) and not isinstance(value, Undefined)
    ) or type(value).__module__ == "numpy"


def is_state(value):
    """Whether a variable's value is made of what can be tensors."""
    if isinstance(value, Undefined):
        return False
    if isinstance(value, TensorArray):
        return True
    leaves = flatten(value)
    return all(leaf is None or is_leaf(leaf) for leaf in leaves) and any(leaf is not None for leaf in leaves)


def same_form(a, b):
    if isinstance(a, TensorArray) or isinstance(b, TensorArray):
        return type(a) is type(b) and len(leaves_of(a)) == len(leaves_of(b))
    try:
        nest.assert_same_structure(a, b, check_types=False)
    except (TypeError, ValueError):
        return False
    return all((x is None) == (y is None) for x, y in zip(flatten(a), flatten(b)))


def leaves_of(value):
    if isinstance(value, TensorArray):
        return value._leaves()
    return [leaf for leaf in flatten(value) if leaf is not None]


def packed(form, leaves):
    if isinstance(form, TensorArray):
        return form._with(list(leaves))
    leaves = iter(leaves)
    return pack_sequence_as(form, [None if leaf is None else next(leaves) for leaf in flatten(form)])


def as_tensor(value, dtype):
    """A value as a tensor; a number takes the dtype that is wanted."""
    if dtype is None or isinstance(value, _native.Tensor):
        return _native.convert_to_tensor(value)
    return _native.convert_to_tensor(value, dtype_hint=dtype)


class _Again(Exception):
    """The branches are to be traced again, with more known about them."""


class _Branches:
    """An `if` on a symbolic tensor. What the first branch gives is not known to fit the second one's before
    that is traced: then both are traced again with what was learnt."""

    def __init__(self, names, where):
        self._names = names  # None: what an expression or a return gives
        self._where = where
        self.left_out = {}  # by position: why a variable is not defined afterwards
        self.dtypes = {}  # by position: of the leaves of a variable

    def _what(self, i):
        return "what is returned" if self._names is None else f"'{self._names[i]}'"

    def _tensors(self, values):
        tensors = []
        for i, value in enumerate(values):
            if i in self.left_out or not self._goes_out(value):
                continue
            leaves = leaves_of(value)
            dtypes = self.dtypes.get(i, [None] * len(leaves))
            tensors.extend(as_tensor(leaf, dtype) for leaf, dtype in zip(leaves, dtypes))
        return tensors

    def _goes_out(self, value):
        return is_state(value)

    def first(self, values):
        self.values = values
        return self._tensors(values)

    def second(self, values):
        again = False
        for i, (a, b) in enumerate(zip(self.values, values)):
            if i not in self.left_out and not (a is b and not is_state(a)):
                again = self._compare(i, a, b) or again
        if again:
            raise _Again
        return self._tensors(values)

    def _compare(self, i, a, b):
        """Whether what the branches give for a variable makes it necessary to trace them again."""
        if not is_state(a) and not is_state(b):
            if not (a is None and b is None):
                self._leave_out(i, a, b)
            return False  # neither went out
        if not is_state(a) or not is_state(b) or not same_form(a, b):
            self._leave_out(i, a, b)
            return True
        wanted = self.dtypes.get(i, [None] * len(leaves_of(a)))
        dtypes = [self._dtype(i, x, y) for x, y in zip(leaves_of(a), leaves_of(b))]
        self.dtypes[i] = dtypes
        return any(
            dtype != as_tensor(x, want).dtype for x, want, dtype in zip(leaves_of(a), wanted, dtypes)
        )

    def _dtype(self, i, a, b):
        """The dtype of a leaf in both branches: a number takes the other one's."""
        if isinstance(a, _NUMBERS) != isinstance(b, _NUMBERS):
            number, other = (a, b) if isinstance(a, _NUMBERS) else (b, a)
            dtype = _native.convert_to_tensor(other).dtype
            if _native.convert_to_tensor(number, dtype_hint=dtype).dtype == dtype:
                return dtype
        dtypes = [_native.convert_to_tensor(x).dtype for x in (a, b)]
        if dtypes[0] == dtypes[1]:
            return dtypes[0]
        if {type(a), type(b)} == {int, float}:
            return _native.float32
        raise TypeError(
            f"{place(self._where)}: {self._what(i)} has dtype {dtypes[0].name} in one branch and "
            f"{dtypes[1].name} in the "
            "other. Use tf.cast in one of them."
        )

    def _leave_out(self, i, a, b):
        if self._names is None:
            if a is None or b is None:
                raise ValueError(
                    f"{place(self._where)}: one branch returns a value and the other does not. Return one "
                    f"in both."
                )
            raise TypeError(
                f"{place(self._where)}: the branches must return tensors in the same form. Got {a!r} and "
                f"{b!r}."
            )
        name = self._names[i]
        if isinstance(a, Undefined) or isinstance(b, Undefined):
            branch = "else" if isinstance(b, Undefined) else "main"
            reason = f"'{name}' must also be initialized in the {branch} branch. Assign it before the `if`."
        else:
            reason = f"'{name}' is {a!r} in one branch and {b!r} in the other, which cannot be one tensor."
        self.left_out[i] = f"{place(self._where)}: {reason}"

    def results(self, tensors):
        given = iter(tensors)
        results = []
        for i, value in enumerate(self.values):
            if i in self.left_out:
                results.append(Undefined(self._names[i], self.left_out[i]))
            elif self._goes_out(value):
                results.append(packed(value, [next(given) for _ in leaves_of(value)]))
            else:
                results.append(value)
        return tuple(results)


def branches(test, then, otherwise, names, where):
    """What values are after one of two functions, which return as many, has run."""
    plan = _Branches(names, where)
    for _ in range(4):
        try:
            tensors = _native._cond(test, lambda: plan.first(then()), lambda: plan.second(otherwise()))
        except _Again:
            continue
        return plan.results(tensors)
    raise ValueError(f"{place(where)}: the branches give something else whenever they are traced.")

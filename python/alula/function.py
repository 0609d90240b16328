"""Functions that are traced once for each kind of arguments and then run compiled."""

import functools
import types
import weakref

from alula import _native, nest
from alula._shape import TensorShape
from alula._spec import TensorSpec

__all__ = [
    "Module",
    "executing_eagerly",
    "function",
    "init_scope",
]


def _parameters(python_function):
    """The parameters of a function, each as (name, kind, whether there is a default, the default)."""
    if type(python_function) is types.FunctionType and not hasattr(python_function, "__wrapped__"):
        return _parameters_of_code(python_function)
    import inspect

    try:
        signature = inspect.signature(python_function)
    except (TypeError, ValueError):  # a function of C
        return [("args", "VAR_POSITIONAL", False, None), ("kwargs", "VAR_KEYWORD", False, None)]
    empty = inspect.Parameter.empty
    return [
        (p.name, p.kind.name, p.default is not empty, None if p.default is empty else p.default)
        for p in signature.parameters.values()
    ]


def _parameters_of_code(python_function):
    """The same without the module inspect, which takes a while to import."""
    code = python_function.__code__
    names, count = code.co_varnames, code.co_argcount
    defaults = python_function.__defaults__ or ()
    parameters = []
    for i in range(count):
        kind = "POSITIONAL_ONLY" if i < code.co_posonlyargcount else "POSITIONAL_OR_KEYWORD"
        k = i - (count - len(defaults))
        parameters.append((names[i], kind, k >= 0, defaults[k] if k >= 0 else None))
    position = count + code.co_kwonlyargcount
    if code.co_flags & 0x04:
        parameters.append((names[position], "VAR_POSITIONAL", False, None))
        position += 1
    named = python_function.__kwdefaults__ or {}
    for name in names[count : count + code.co_kwonlyargcount]:
        parameters.append((name, "KEYWORD_ONLY", name in named, named.get(name)))
    if code.co_flags & 0x08:
        parameters.append((names[position], "VAR_KEYWORD", False, None))
    return parameters


class Function(_native._Function):
    """What tf.function makes of a Python function."""

    def __init__(self, python_function, options):
        name = getattr(python_function, "__name__", type(python_function).__name__)
        parameters = _parameters(python_function)
        super().__init__(name, parameters)
        self._names = [parameter[0] for parameter in parameters]
        self._python_function = python_function
        self._options = options
        self._instance = None  # of a method: a weak reference to what it is bound to
        self._bound = {}  # of a method: the functions of its instances
        self._converted = None
        self._input_signature = options["input_signature"]
        if self._input_signature is not None:
            self._take_input_signature(tuple(self._input_signature))
        functools.update_wrapper(self, python_function, updated=())

    def _take_input_signature(self, specs):
        self._input_signature = specs
        is_method = self._names[:1] == ["self"]
        if is_method:
            return
        if all(isinstance(spec, TensorSpec) and spec.shape.rank is not None for spec in specs):
            self._set_input_signature([(spec.dtype, spec.shape) for spec in specs])
        else:  # more than any call can have, so that every one comes to `_bind`
            self._set_input_signature([(_native.float32, [])] * (len(self._names) + len(specs) + 1))

    @property
    def python_function(self):
        """The function as it was written."""
        return self._python_function

    @property
    def input_signature(self):
        """The specs of its arguments, or None."""
        return self._input_signature

    @property
    def _signature(self):
        import inspect

        function = self._python_function
        return inspect.signature(function if self._instance is None else function.__get__(self._instance()))

    def _run_python(self, *args, **kwargs):
        """Calls the Python function, as it is converted for tracing."""
        if self._converted is None:
            self._converted = self._convert()
        if self._instance is not None:
            return self._converted(self._instance(), *args, **kwargs)
        return self._converted(*args, **kwargs)

    def _convert(self):
        if not self._options["autograph"]:
            return self._python_function
        from alula.autograph import converted

        return converted(self._python_function)

    def _bind(self, args, kwargs):
        """The arguments in order, as tensors where there is an input signature."""
        try:
            bound = self._signature.bind(*args, **kwargs)
        except TypeError as error:
            raise TypeError(
                f"Binding inputs to tf.function failed due to `{error}`. Received args: {args} and kwargs: "
                f"{kwargs} "
                f"for signature: {self._signature}."
            ) from None
        bound.apply_defaults()
        if self._input_signature is None or bound.kwargs:
            return bound.args
        values = list(bound.args)
        for i, spec in enumerate(self._input_signature):
            if i < len(values):
                values[i] = _as_specified(spec, values[i], self.__name__)
        return tuple(values)

    def __get__(self, instance, owner=None):
        if instance is None:
            return self
        key = id(instance)
        found = self._bound.get(key)
        if found is not None and found._instance() is instance:
            return found
        return self._bind_to(instance, key)

    def _bind_to(self, instance, key):
        bound = Function(self._python_function.__get__(instance), {**self._options, "input_signature": None})
        bound._python_function = bound.__wrapped__ = self._python_function
        functions = self._bound
        bound._instance = weakref.ref(instance, lambda _: functions.pop(key, None))
        if self._input_signature is not None:
            bound._take_input_signature(tuple(self._input_signature))
        self._bound[key] = bound
        return bound

    def get_concrete_function(self, *args, **kwargs):
        """What runs for arguments like these: tensors, or TensorSpecs in their place."""
        if not args and not kwargs and self._input_signature is not None:
            args = self._input_signature
        return ConcreteFunction(self, args, kwargs)

    def experimental_get_tracing_count(self):
        """How often the function was traced. With an input_signature that is once, though it is
        specialised for each shape that comes up."""
        count = super().experimental_get_tracing_count()
        return count if self._input_signature is None else min(count, 1)

    def pretty_printed_concrete_signatures(self, verbose=True):
        """The kinds of arguments that the function was traced for, a line each."""
        return "\n".join(self._signatures())

    def __reduce__(self):
        return function, (self._python_function,)


def _as_specified(spec, value, who):
    """An argument as a nest of specs asks for it."""
    if nest.is_nested(spec):
        alike = nest.is_nested(value) and hasattr(spec, "keys") == hasattr(value, "keys")
        if not alike or len(spec) != len(value):
            raise TypeError(
                f"{who}: an argument is not nested as input_signature says, {spec}. Got {value!r}."
            )
        if hasattr(spec, "keys"):
            return {key: _as_specified(spec[key], value[key], who) for key in spec}
        return type(value)([_as_specified(s, v, who) for s, v in zip(spec, value)])
    if not isinstance(spec, TensorSpec):
        return value
    try:
        tensor = _native.convert_to_tensor(value, spec.dtype)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{who}: an argument cannot be {spec}. {error}") from None
    if not spec.shape.is_compatible_with(tensor.shape):
        raise TypeError(
            f"Binding inputs to tf.function failed: {who} takes {spec}. Got a tensor of shape {tensor.shape}."
        )
    return tensor


class ConcreteFunction:
    """A function for arguments of one kind. It is called with its tensors alone; other arguments are those
    that it was asked for with."""

    def __init__(self, of, args, kwargs):
        self._function = of
        self._args = args
        self._kwargs = kwargs
        leaves = nest.flatten((args, kwargs))
        self._specs = [leaf for leaf in leaves if isinstance(leaf, TensorSpec) or _is_tensor(leaf)]
        known = all(TensorShape(leaf.shape).is_fully_defined() for leaf in self._specs)
        if known:
            examples = nest.map_structure(_example, (args, kwargs))
            self._text = of._graph_text(examples[0], examples[1])
        else:
            self._text = None

    @property
    def name(self):
        """The name of the function."""
        return self._function.__name__

    @property
    def structured_input_signature(self):
        """The arguments, with specs in the place of tensors."""
        return nest.map_structure(
            lambda leaf: TensorSpec.from_tensor(leaf) if _is_tensor(leaf) else leaf,
            (self._args, self._kwargs),
        )

    @property
    def graph(self):
        """The compiled graph as text; None if shapes are known only when it is called."""
        return self._text

    def __call__(self, *args, **kwargs):
        given = iter(nest.flatten(args))
        named = dict(kwargs)
        names = self._function._names

        def fill(leaf):
            if not (isinstance(leaf, TensorSpec) or _is_tensor(leaf)):
                return leaf
            try:
                value = next(given)
            except StopIteration:
                raise TypeError(f"{self.name}: it takes {len(self._specs)} tensors. Got fewer.") from None
            if isinstance(leaf, TensorSpec):
                return _as_specified(TensorSpec(leaf.shape, leaf.dtype), value, self.name)
            return value

        filled = [
            named.pop(name) if name in named else nest.map_structure(fill, value)
            for name, value in zip(names, self._args)
        ] + [nest.map_structure(fill, value) for value in self._args[len(names) :]]
        others = {
            key: named.pop(key) if key in named else nest.map_structure(fill, value)
            for key, value in self._kwargs.items()
        }
        return self._function(*filled, **others, **named)

    def __repr__(self):
        return f"<ConcreteFunction {self.name}{self.structured_input_signature[0]}>"


def _is_tensor(value):
    return isinstance(value, (_native.Tensor, _native.Variable)) or type(value).__module__ == "numpy"


def _example(leaf):
    """A tensor of a spec."""
    if not isinstance(leaf, TensorSpec):
        return leaf
    return _native._zeros(leaf.shape, leaf.dtype)


def function(
    func=None,
    input_signature=None,
    autograph=True,
    jit_compile=None,
    reduce_retracing=False,
    experimental_implements=None,
    experimental_autograph_options=None,
    experimental_attributes=None,
    experimental_relax_shapes=None,
    experimental_compile=None,
    experimental_follow_type_hints=None,
):
    """Compiles a Python function: it is called once with symbolic tensors for each kind of arguments, and
    what it did to them then runs, optimised, at every call.

    >>> @tf.function
    ... def square(x):
    ...     print("traced")
    ...     return x * x
    >>> square(tf.constant(3.0)).numpy()
    traced
    np.float32(9.0)
    >>> square(tf.constant(4.0)).numpy()
    np.float32(16.0)

    Tensors and arrays are of one kind if their dtypes and shapes are the same; numbers and texts of Python
    if they are equal; variables and other objects if they are the same. With an input_signature of
    TensorSpecs, arguments are checked and converted; there still is one trace for each shape that comes up.
    In the function, `if`, `while` and `for` on tensors are converted unless autograph is False.
    """
    options = {"input_signature": input_signature, "autograph": autograph}
    if func is not None:
        return Function(func, options)
    return lambda python_function: Function(python_function, options)


class init_scope:
    """A context manager: what happens inside is done at once, outside of the function that is being
    traced."""

    def __enter__(self):
        self._scope = _native._WithoutTracing()

    def __exit__(self, error_type, error, traceback):
        self._scope = None


def executing_eagerly():
    """Whether ops are run at once, rather than traced."""
    return not _native._is_tracing()


class Module:
    """Something that has variables and other modules, in its attributes or in nests there.

    >>> class Scale(tf.Module):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.factor = tf.Variable(2.0)
    >>> len(Scale().trainable_variables)
    1
    """

    def __init__(self, name=None):
        self._name = name or _snake_case(type(self).__name__)

    @property
    def name(self):
        """The module's name."""
        return self._name

    @property
    def name_scope(self):
        """A context manager for names; it does nothing."""
        return _NameScope(self._name)

    @classmethod
    def with_name_scope(cls, method):
        """The method as it is: names have no scopes."""
        return method

    def _walk(self, wanted, seen):
        for key in sorted(vars(self)):
            yield from _walk_nest(vars(self)[key], wanted, seen)

    @property
    def variables(self):
        """All variables of this module and those in it, each once."""
        return tuple(self._walk(_native.Variable, set()))

    @property
    def trainable_variables(self):
        """The variables that are trainable."""
        return tuple(variable for variable in self.variables if variable.trainable)

    @property
    def non_trainable_variables(self):
        """The variables that are not trainable."""
        return tuple(variable for variable in self.variables if not variable.trainable)

    @property
    def submodules(self):
        """All modules in this one, and in those."""
        return tuple(self._walk(Module, {id(self)}))


def _walk_nest(value, wanted, seen):
    if isinstance(value, _native.Variable):
        if wanted is _native.Variable and value._key not in seen:
            seen.add(value._key)
            yield value
    elif isinstance(value, Module):
        if id(value) in seen:
            return
        seen.add(id(value))
        if wanted is Module:
            yield value
        yield from value._walk(wanted, seen)
    elif nest.is_nested(value):
        items = value.values() if hasattr(value, "values") else value
        for item in items:
            yield from _walk_nest(item, wanted, seen)
    elif wanted is _native.Variable and hasattr(value, "trainable_variables") and hasattr(value, "variables"):
        for variable in value.variables:  # a layer of Keras
            yield from _walk_nest(variable, wanted, seen)


class _NameScope:
    def __init__(self, name):
        self.name = name

    def __enter__(self):
        return self.name + "/"

    def __exit__(self, error_type, error, traceback):
        pass


def _snake_case(name):
    return "".join("_" + c.lower() if c.isupper() and i else c.lower() for i, c in enumerate(name))

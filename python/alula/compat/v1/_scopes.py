"""Scopes of names and variables."""

import threading

from alula import _native

_Reuse = _native._compat._Reuse
_local = threading.local()  # the initializers of variable scopes, innermost last


class _AutoReuse:
    def __repr__(self):
        return "AUTO_REUSE"


AUTO_REUSE = _AutoReuse()


def _initializers():
    if not hasattr(_local, "stack"):
        _local.stack = []
    return _local.stack


class name_scope:
    """Puts a name before those of the ops made in its `with` statement.

    >>> with tf.Graph().as_default(), tf.name_scope("layer1") as scope:
    ...     scope
    'layer1/'
    """

    def __init__(self, name=None, default_name=None, values=None):
        self._name = name if name is not None else default_name
        self._scopes = []

    @property
    def name(self):
        """The name that it was given."""
        return self._name

    def __enter__(self):
        if self._name is None:
            self._scopes.append(None)
            return _native._compat.get_default_graph()._name_scope
        scope = _native._compat._NameScope(self._name)
        self._scopes.append(scope)
        return scope.__enter__()

    def __exit__(self, *_):
        scope = self._scopes.pop()
        if scope is not None:
            scope.__exit__()


class VariableScope:
    """A scope that has been entered: it can be entered again, by variable_scope(scope)."""

    def __init__(self, graph, name, initializer=None):
        self._graph = graph
        self.name = name
        self.original_name_scope = graph._name_scope
        self.initializer = initializer

    @property
    def reuse(self):
        """Whether variables are used again: True, False or AUTO_REUSE."""
        reuse = self._graph._reuse
        return AUTO_REUSE if reuse == _Reuse.AUTO else reuse == _Reuse.YES

    def reuse_variables(self):
        """From here on, get_variable finds the variables that there are."""
        self._graph._reuse = _Reuse.YES

    def get_variable(self, *args, **kwargs):
        """The same as tf.compat.v1.get_variable."""
        return get_variable(*args, **kwargs)


class variable_scope:
    """Puts a name before those of the variables and ops made in its `with` statement.

    >>> v1 = tf.compat.v1
    >>> with tf.Graph().as_default(), v1.variable_scope("layer1"):
    ...     v1.get_variable("kernel", shape=(2, 3)).name
    'layer1/kernel:0'
    """

    def __init__(self, name_or_scope=None, default_name=None, values=None, initializer=None, reuse=None, **_):
        again = isinstance(name_or_scope, VariableScope)
        name = name_or_scope.name if again else name_or_scope or default_name
        if name is None:
            raise ValueError("variable_scope: a name is needed. Got None for it and for default_name.")
        if initializer is None and again:
            initializer = name_or_scope.initializer
        self._initializer = initializer
        how = _Reuse.AUTO if reuse is AUTO_REUSE else _Reuse.YES if reuse else _Reuse.NO
        self._scope = _native._compat._VariableScope(name, again, how)

    def __enter__(self):
        self._scope.__enter__()
        _initializers().append(self._initializer)
        return get_variable_scope()

    def __exit__(self, *_):
        _initializers().pop()
        self._scope.__exit__()


def get_variable_scope():
    """The current scope of variables."""
    graph = _native._compat.get_default_graph()
    return VariableScope(graph, graph._variable_scope.rstrip("/"), _default_initializer())


def _default_initializer():
    return next((i for i in reversed(_initializers()) if i is not None), None)


def get_variable(
    name,
    shape=None,
    dtype=None,
    initializer=None,
    regularizer=None,
    trainable=None,
    collections=None,
    caching_device=None,
    partitioner=None,
    validate_shape=True,
    use_resource=None,
    custom_getter=None,
    constraint=None,
    synchronization=None,
    aggregation=None,
):
    """A new variable of the default graph, or the one of that name where the scope says so."""
    if initializer is None:
        initializer = _default_initializer()
    if type(initializer) is type(_native._compat.zeros_initializer):  # zeros_initializer without its ()
        initializer = initializer()
    return _native._compat._get_variable(name, shape, dtype, initializer, trainable is not False)


class control_dependencies:
    """Accepted where ops run in the order in which they are written. A graph has no such order."""

    def __init__(self, control_inputs):
        self._inputs = control_inputs

    def __enter__(self):
        if self._inputs and _native._compat._builds_graph():
            from alula import errors

            raise errors.UnimplementedError(
                "control_dependencies: sessions run what is asked for, in the order of the data. Run the "
                "operations themselves: session.run([first, second])."
            )

    def __exit__(self, *_):
        pass

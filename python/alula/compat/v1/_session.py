"""Sessions: a nest of fetches is taken apart, run at once, and put together again."""

import threading

from alula import _native, nest
from alula._native._compat import Operation

_Tensor = _native.Tensor
_Variable = _native.Variable
_defaults = threading.local()  # the sessions of `with` statements, innermost last


def _stack():
    if not hasattr(_defaults, "sessions"):
        _defaults.sessions = []
    return _defaults.sessions


def get_default_session():
    """The session of the innermost `with` statement, or None."""
    sessions = _stack()
    return sessions[-1] if sessions else None


class BaseSession:
    """Runs parts of a graph, and holds the values of its variables."""

    def __init__(self, target="", graph=None, config=None):
        threads = getattr(config, "intra_op_parallelism_threads", 0)
        if threads:
            _native._config.set_intra_op_parallelism_threads(threads)
        self._session = _native._compat._Session(graph)
        self._graph = self._session.graph

    @property
    def graph(self):
        """The graph that it runs."""
        return self._graph

    @property
    def sess_str(self):
        """The session's target: this process."""
        return ""

    def run(self, fetches, feed_dict=None, options=None, run_metadata=None):
        """The values of tensors and variables as arrays, in the form in which they were asked for.

        An Operation gives None. feed_dict has values for placeholders, or for any other tensor.
        """
        if feed_dict is not None and type(feed_dict) is not dict:
            feed_dict = dict(feed_dict)
        if type(fetches) is _Tensor:
            return self._session.run_one(fetches, feed_dict)
        leaves = nest.flatten(fetches)
        tensors, operations = [], []
        for leaf in leaves:
            if isinstance(leaf, (_Tensor, _Variable)):
                tensors.append(leaf)
            elif isinstance(leaf, Operation):
                operations.append(leaf)
            elif isinstance(leaf, str):
                raise ValueError(
                    f"Session: tensors are not found by their names. Got {leaf!r}. Pass the tensor itself."
                )
            else:
                raise TypeError(
                    f"Session: Fetch argument {leaf!r} has invalid type {type(leaf).__name__!r}. It must be a "
                    "tensor, a variable or an operation, or a list, tuple or dict of such."
                )
        values = iter(self._session.run_all(tensors, feed_dict, operations))
        results = [None if isinstance(leaf, Operation) else next(values) for leaf in leaves]
        return nest.pack_sequence_as(fetches, results)

    def make_callable(self, fetches, feed_list=None, accept_options=False):
        """A function of the values of `feed_list` that gives those of `fetches`."""
        keys = list(feed_list or [])

        def call(*values):
            if len(values) != len(keys):
                raise ValueError(f"Session: expected {len(keys)} values. Got {len(values)}.")
            return self.run(fetches, dict(zip(keys, values)))

        return call

    def list_devices(self):
        """The devices that it may use."""
        from alula import config

        return config.list_logical_devices()

    def as_default(self):
        """Makes it the session of Tensor.eval and Operation.run within a `with` statement."""
        return _AsDefault(self)

    def close(self):
        """Frees the variables and what was compiled."""
        self._session.close()


class _AsDefault:
    def __init__(self, session):
        self._session = session

    def __enter__(self):
        _stack().append(self._session)
        return self._session

    def __exit__(self, *_):
        _stack().pop()


class Session(BaseSession):
    """A session. In its `with` statement, ops build its graph, also where ops else run at once.

    >>> with tf.compat.v1.Session() as session:
    ...     c = tf.constant([1.0, 2.0]) * 3.0
    ...     session.run(c)
    array([3., 6.], dtype=float32)
    """

    def __init__(self, target="", graph=None, config=None):
        super().__init__(target, graph, config)
        self._scopes = []

    def __enter__(self):
        scope = self._graph.as_default()
        scope.__enter__()
        self._scopes.append(scope)
        _stack().append(self)
        return self

    def __exit__(self, *_):
        _stack().pop()
        self._scopes.pop().__exit__()
        if not self._scopes:
            self.close()

    @staticmethod
    def reset(target, containers=None, config=None):
        """Accepted, without effect: a session's variables end with it."""


class InteractiveSession(BaseSession):
    """A session that is the default from when it is made until it is closed."""

    def __init__(self, target="", graph=None, config=None):
        super().__init__(target, graph, config)
        self._scope = self._graph.as_default()
        self._scope.__enter__()
        _stack().append(self)

    def close(self):
        """Frees the variables and what was compiled; ops run again as before."""
        if self._scope is not None:
            self._scope.__exit__()
            self._scope = None
            _stack().remove(self)
        super().close()


def _session_for(session, what):
    session = session or get_default_session()
    if session is None:
        raise ValueError(
            f"Cannot {what}: no default session is registered. Use `with sess.as_default()` or pass an "
            "explicit session."
        )
    return session


def eval_tensor(self, feed_dict=None, session=None):
    """The value, as a session gives it; without a session, of a tensor that has its value."""
    if session is None and get_default_session() is None and not getattr(self, "is_symbolic", True):
        return self.numpy()
    return _session_for(session, "evaluate tensor using `eval()`").run(self, feed_dict)


def run_operation(self, feed_dict=None, session=None):
    """Runs it in a session."""
    _session_for(session, "execute operation using `run()`").run(self, feed_dict)


def group(*inputs, name=None):
    """An operation that runs all of these."""
    parts = []
    for item in nest.flatten(list(inputs)):
        parts.append(item if isinstance(item, Operation) else _native._compat._operation_of(item))
    return _native._compat._group(parts)


def no_op(name=None):
    """An operation that does nothing."""
    return _native._compat._group([])


def _tensor_name(self):
    """What it is called in its graph."""
    name = _native._compat._name_of(self)
    if name is None:
        raise AttributeError("Tensor.name is undefined when eager execution is enabled.")
    return name


def _tensor_graph(self):
    """The default graph, which it belongs to if it is symbolic."""
    if not self.is_symbolic:
        raise AttributeError("Tensor.graph is undefined when eager execution is enabled.")
    return _native._compat.get_default_graph()


# What v1's programs ask of tensors, variables and operations.
_Tensor.eval = eval_tensor
_Tensor.op = property(_native._compat._operation_of)
_Tensor.name = property(_tensor_name)
_Tensor.graph = property(_tensor_graph)
_Tensor.consumers = lambda self: []
_Variable.eval = lambda self, session=None: _session_for(session, "evaluate tensor using `eval()`").run(self)
_Variable.initializer = property(lambda self: _native._compat.variables_initializer([self]))
_Variable.initial_value = property(_native._compat._initial_value)
_Variable.initialized_value = lambda self: _native._compat._initial_value(self)
_Variable.op = property(_native._compat._operation_of)


def _load(self, value, session=None):
    """Gives a variable a value in a session."""
    _session_for(session, "load a value").run(_native._compat.assign(self, value))


_Variable.load = _load
Operation.run = run_operation

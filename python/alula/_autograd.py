"""Gradients: the tape, and functions with a gradient of their own."""

import functools

from alula import _native, nest

__all__ = ["GradientTape", "UnconnectedGradients", "custom_gradient"]


class UnconnectedGradients:
    """What the gradient with respect to something unused is: NONE (None) or ZERO (zeros)."""

    NONE = "none"
    ZERO = "zero"


def _is_zero(unconnected_gradients):
    value = getattr(unconnected_gradients, "value", unconnected_gradients)
    if value not in ("none", "zero"):
        raise ValueError(f"Unknown value for unconnected_gradients: {value!r}")
    return value == "zero"


def _flatten_like(target, output_gradients):
    """One for each target; each may be a list of numbers itself."""
    if not nest.is_nested(target):
        return [output_gradients]
    if not nest.is_nested(output_gradients) or len(target) != len(output_gradients):
        raise ValueError(
            f"gradient: output_gradients must be nested as the targets are. Got {output_gradients!r} for "
            f"{target!r}."
        )
    keys = sorted(target) if hasattr(target, "keys") else range(len(target))
    return [leaf for key in keys for leaf in _flatten_like(target[key], output_gradients[key])]


class GradientTape:
    """Records what happens inside its `with`, and then tells how a result depends on variables and
    watched tensors.

    >>> x = tf.constant(3.0)
    >>> with tf.GradientTape() as tape:
    ...     tape.watch(x)
    ...     y = x * x
    >>> tape.gradient(y, x).numpy()
    np.float32(6.0)

    Trainable variables are watched when they are read, unless watch_accessed_variables is False. A tape gives
    gradients once; a persistent one as often as it is asked. Gradients taken inside another tape's `with` can
    be differentiated by that one.
    """

    def __init__(self, persistent=False, watch_accessed_variables=True):
        self._persistent = persistent
        self._watch_accessed = watch_accessed_variables
        self._tape = _native._Tape(persistent, watch_accessed_variables)
        self._watched = None

    def __enter__(self):
        if self._tape is None:
            self._tape = _native._Tape(self._persistent, self._watch_accessed)
        if self._tape.is_recording():
            raise ValueError(
                "GradientTape: it is recording already. Leave its `with` before it is entered again."
            )
        self._tape.start()
        return self

    def __exit__(self, error_type, error, traceback):
        if self._tape is not None:
            self._tape.stop()

    def _recorded(self):
        if self._tape is None:
            raise RuntimeError(
                "A non-persistent GradientTape gives gradients once. Make it with persistent=True to ask "
                "again."
            )
        return self._tape

    def watch(self, tensor):
        """Makes results depend on tensors, or on variables that are not watched by themselves."""
        for leaf in nest.flatten(tensor):
            self._recorded().watch(leaf)

    def gradient(
        self,
        target,
        sources,
        output_gradients=None,
        unconnected_gradients=UnconnectedGradients.NONE,
    ):
        """The gradients of (the sum of) the targets with respect to each of the sources, in their form.

        None where no target depends on a source, or zeros if unconnected_gradients is "zero".
        output_gradients: what the targets' gradients start from; ones if not given.
        """
        zero = _is_zero(unconnected_gradients)
        tape = self._recorded()
        if target is None:
            raise TypeError("gradient: `target` must be a tensor, or a list or nest of tensors. Got None.")
        targets = nest.flatten(target)
        if output_gradients is not None:
            output_gradients = _flatten_like(target, output_gradients)
        gradients = tape.gradient(targets, nest.flatten(sources), output_gradients, zero)
        self._use_up()
        return nest.pack_sequence_as(sources, gradients)

    def _use_up(self):
        if not self._persistent:
            self._watched = self._tape.watched_variables()
            self._tape = None

    def jacobian(
        self,
        target,
        sources,
        unconnected_gradients=UnconnectedGradients.NONE,
        parallel_iterations=None,
        experimental_use_pfor=True,
    ):
        """How every element of the target depends on every element of the sources: target.shape +
        source.shape.

        >>> x = tf.constant([1.0, 2.0])
        >>> with tf.GradientTape() as tape:
        ...     tape.watch(x)
        ...     y = x * x
        >>> tape.jacobian(y, x).numpy()
        array([[2., 0.],
               [0., 4.]], dtype=float32)
        """
        zero = _is_zero(unconnected_gradients)
        jacobians = self._recorded().jacobian(target, nest.flatten(sources), zero)
        self._use_up()
        return nest.pack_sequence_as(sources, jacobians)

    def batch_jacobian(
        self,
        target,
        source,
        unconnected_gradients=UnconnectedGradients.NONE,
        parallel_iterations=None,
        experimental_use_pfor=True,
    ):
        """The Jacobian of each row of the target with respect to the same row of the source:
        [batch] + target.shape[1:] + source.shape[1:]. Rows must not depend on one another."""
        zero = _is_zero(unconnected_gradients)
        result = self._recorded().batch_jacobian(target, source, zero)
        self._use_up()
        return result

    def stop_recording(self):
        """A context manager: what happens inside is not recorded."""
        return _Pause(self._recorded())

    def reset(self):
        """Forgets all that was recorded and watched."""
        self._recorded().reset()

    def watched_variables(self):
        """The variables read so far that are watched, in the order in which they were first read."""
        if self._tape is not None:
            self._watched = self._tape.watched_variables() if self._tape.has_recorded() else []
        return tuple(self._watched)


class _Pause:
    def __init__(self, tape):
        self._tape = tape

    def __enter__(self):
        self._tape.pause(True)

    def __exit__(self, error_type, error, traceback):
        self._tape.pause(False)


def custom_gradient(f=None):
    """Makes a function of tensors differentiable by a rule of one's own.

    The function returns its value (a tensor or a nest of them) and a function that takes the gradients with
    respect to the value and returns those with respect to the arguments, None where there is none.

    >>> @tf.custom_gradient
    ... def clipped(x):
    ...     return x, lambda dy: tf.minimum(dy, 1.0)
    >>> x = tf.constant(2.0)
    >>> with tf.GradientTape() as tape:
    ...     tape.watch(x)
    ...     y = clipped(x) * 5.0
    >>> tape.gradient(y, x).numpy()
    np.float32(1.0)

    Variables that the function reads are to be its arguments: then the rule gives their gradients, too.
    """
    if f is None:
        return custom_gradient

    @functools.wraps(f)
    def decorated(*args, **kwargs):
        form = []
        values = _native._custom_gradient(nest.flatten(args), functools.partial(_call, f, args, kwargs, form))
        return nest.pack_sequence_as(form[-1], values)

    return decorated


def _call(f, args, kwargs, form, tensors):
    """Calls a function under custom_gradient; notes the form of its value."""
    with GradientTape() as tape:
        result = f(*nest.pack_sequence_as(args, tensors), **kwargs)
    if tape.watched_variables():
        names = ", ".join(variable.name for variable in tape.watched_variables())
        raise TypeError(
            f"custom_gradient: {f.__name__} reads trainable variables ({names}), which would get no "
            f"gradient. Pass "
            "their values to it as arguments."
        )
    if not isinstance(result, tuple) or len(result) != 2 or not callable(result[1]):
        raise TypeError(
            f"custom_gradient: {f.__name__} must return its value and a function for the gradient. Got "
            f"{result!r}."
        )
    value, gradient = result
    form.append(value)

    def flat_gradient(dys):
        gradients = gradient(*dys)
        flat = nest.flatten(gradients) if nest.is_nested(gradients) else [gradients]
        if len(flat) != len(tensors):
            raise ValueError(
                f"custom_gradient: the gradient of {f.__name__} must return one for each of its "
                f"{len(tensors)} "
                f"arguments. Got {len(flat)}."
            )
        return flat

    return nest.flatten(value), flat_gradient

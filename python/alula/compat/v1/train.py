"""What makes a graph's variables better, step by step, as operations to be run."""

from alula import _native
from alula.compat.v1 import _session


class Optimizer:
    """What the optimizers have in common."""

    def __init__(self, native):
        self._native = native

    def minimize(self, loss, global_step=None, var_list=None, gate_gradients=1, aggregation_method=None,
                 colocate_gradients_with_ops=False, name=None, grad_loss=None):
        """The operation that makes a step: gradients of the loss, and an update of each variable."""
        return _stepped(self._native._minimize(loss, var_list), global_step)

    def compute_gradients(self, loss, var_list=None, gate_gradients=1, aggregation_method=None,
                          colocate_gradients_with_ops=False, grad_loss=None):
        """Pairs of gradient and variable; None where the loss does not depend on it."""
        return self._native._compute_gradients(loss, var_list)

    def apply_gradients(self, grads_and_vars, global_step=None, name=None):
        """The operation that updates each variable by its gradient."""
        return _stepped(self._native._apply_gradients(list(grads_and_vars)), global_step)


def _stepped(operation, global_step):
    if global_step is None:
        return operation
    return _session.group(operation, _native._compat.assign_add(global_step, 1))


class GradientDescentOptimizer(Optimizer):
    """variable -= learning_rate * gradient"""

    def __init__(self, learning_rate, use_locking=False, name="GradientDescent"):
        super().__init__(_native._compat._GradientDescent(learning_rate))


class AdamOptimizer(Optimizer):
    """Adam (Kingma and Ba). Its averages are variables: make it before their initializer."""

    def __init__(self, learning_rate=0.001, beta1=0.9, beta2=0.999, epsilon=1e-8, use_locking=False,
                 name="Adam"):
        super().__init__(_native._compat._Adam(learning_rate, beta1, beta2, epsilon))


def create_global_step(graph=None):
    """A variable that counts steps."""
    from alula.compat import v1

    return v1.get_variable("global_step", shape=(), dtype="int64", initializer=v1.zeros_initializer(), trainable=False)


def get_global_step(graph=None):
    """The variable that counts steps, or None."""
    found = [v for v in _native._compat.global_variables() if v.name == "global_step:0"]
    return found[0] if found else None


def get_or_create_global_step(graph=None):
    """The variable that counts steps; made if need be."""
    found = get_global_step(graph)
    return create_global_step(graph) if found is None else found

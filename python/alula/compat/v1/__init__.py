"""TensorFlow 1: a program first builds a graph, then runs parts of it in sessions.

>>> v1 = tf.compat.v1
>>> with tf.Graph().as_default():
...     x = v1.placeholder(tf.float32, shape=(None, 2))
...     y = tf.reduce_sum(x * 2.0)
...     with v1.Session() as session:
...         float(session.run(y, feed_dict={x: [[1.0, 2.0]]}))
6.0

What TensorFlow 1 has by the same name as TensorFlow 2, and Alula has, is found here, too.
"""

import sys

from alula import _native
from alula._native._compat import (
    Graph,
    Operation,
    assign,
    assign_add,
    assign_sub,
    constant_initializer,
    disable_eager_execution,
    enable_eager_execution,
    executing_eagerly,
    get_default_graph,
    global_variables,
    global_variables_initializer,
    glorot_normal_initializer,
    glorot_uniform_initializer,
    gradients,
    ones_initializer,
    placeholder,
    placeholder_with_default,
    random_normal_initializer,
    random_uniform_initializer,
    reset_default_graph,
    trainable_variables,
    truncated_normal_initializer,
    variables_initializer,
    zeros_initializer,
)
from alula.compat.v1 import initializers, logging, train
from alula.compat.v1._config import ConfigProto, GPUOptions, GraphOptions, OptimizerOptions, RunMetadata, RunOptions
from alula.compat.v1._scopes import (
    AUTO_REUSE,
    VariableScope,
    control_dependencies,
    get_variable,
    get_variable_scope,
    name_scope,
    variable_scope,
)
from alula.compat.v1._session import InteractiveSession, Session, get_default_session, group, no_op

Variable = _native.Variable
Tensor = _native.Tensor
all_variables = global_variables
initialize_all_variables = global_variables_initializer


def local_variables_initializer():
    """Nothing to do: there are no local variables."""
    return no_op()


def tables_initializer(name=None):
    """Nothing to do: tables are there when they are made."""
    return no_op()


def local_variables(scope=None):
    """None: there are no local variables."""
    return []


def model_variables(scope=None):
    """The variables of the default graph that are trained."""
    return trainable_variables()


class GraphKeys:
    """The names of a graph's collections."""

    GLOBAL_VARIABLES = "variables"
    TRAINABLE_VARIABLES = "trainable_variables"
    LOCAL_VARIABLES = "local_variables"


def get_collection(key, scope=None):
    """The variables of the default graph, all or those that are trained. There are no other collections."""
    found = {GraphKeys.GLOBAL_VARIABLES: global_variables, GraphKeys.TRAINABLE_VARIABLES: trainable_variables}
    if key not in found:
        return []
    variables = found[key]()
    return [v for v in variables if scope is None or v.name.startswith(scope)]


def disable_v2_behavior():
    """From here on, ops of this thread build the default graph."""
    disable_eager_execution()


def enable_v2_behavior():
    """From here on, ops of this thread run when they are called."""
    enable_eager_execution()


def _switch(name):
    def switch():
        pass

    switch.__name__ = name
    switch.__doc__ = "Accepted, without effect."
    return switch


disable_control_flow_v2 = _switch("disable_control_flow_v2")
disable_resource_variables = _switch("disable_resource_variables")
disable_tensor_equality = _switch("disable_tensor_equality")
disable_v2_tensorshape = _switch("disable_v2_tensorshape")
enable_control_flow_v2 = _switch("enable_control_flow_v2")
enable_resource_variables = _switch("enable_resource_variables")
enable_tensor_equality = _switch("enable_tensor_equality")
enable_v2_tensorshape = _switch("enable_v2_tensorshape")


def set_random_seed(seed):
    """The same as tf.random.set_seed."""
    sys.modules["alula"].random.set_seed(seed)


def __getattr__(name):
    # What is the same in both versions. Names with an underscore are modules' own.
    if not name.startswith("_"):
        value = vars(sys.modules["alula"]).get(name)
        if value is not None:
            return value
        from alula import _names

        raise AttributeError(_names.missing("compat.v1", name), name=name, obj=sys.modules[__name__])
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

"""Python's control flow on tensors, in tf.function: functions, objects, errors and texts."""

import functools
import traceback

import pytest
from test_autograph import both

import alula as tf

FACTOR = 3.0


def helper(x):
    if x > 0.0:
        return x * FACTOR
    return x


class Thing:
    def __init__(self, limit):
        self.__limit = limit  # a private name

    def clip(self, x):
        if x > self.__limit:
            x = self.__limit * tf.ones_like(x)
        return x


class Child(Thing):
    def clip(self, x):
        if x > 100.0:
            x = super().clip(x) + 1.0
        else:
            x = super().clip(x)
        return x

    @tf.function
    def method(self, x):
        if x < 0.0:
            return -self.clip(x)
        return self.clip(x)


def test_called_functions_are_converted():
    offset = 10.0

    def local(x):
        y = 0.0
        if x > 1.0:
            y = offset
        return x + y

    def f(x):
        return helper(x) + local(x) + functools.partial(helper)(x) + Thing(4.0).clip(x)

    both(f, (3.0,), (-3.0,), (0.5,), (7.0,))
    child = Child(4.0)
    assert [float(child.method(tf.constant(v))) for v in (2.0, 7.0, -2.0, 200.0)] == [2.0, 4.0, 2.0, 5.0]


def test_lambdas():
    f = tf.function(lambda x: x if x > 0.0 else -x)
    assert f(tf.constant(-2.0)).numpy() == 2.0


def test_closures_and_globals_are_those_of_the_moment():
    global FACTOR
    scale = 2.0

    @tf.function
    def f(x, k):
        if x > 0.0:
            x = x * scale * FACTOR
        return x

    assert f(tf.constant(1.0), 0).numpy() == 6.0
    scale, old = 5.0, FACTOR
    FACTOR = 10.0
    try:
        assert f(tf.constant(1.0), 1).numpy() == 50.0
    finally:
        FACTOR = old


def test_variables_change_in_the_branch_that_runs():
    v = tf.Variable(0.0)

    @tf.function
    def f(x):
        if x > 0.0:
            v.assign_add(x)
        for i in tf.range(3):
            v.assign_add(1.0)

    f(tf.constant(2.0))
    assert v.numpy() == 5.0
    f(tf.constant(-2.0))
    assert v.numpy() == 8.0


def test_gradients_go_through():
    @tf.function
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x
            for i in tf.range(3):
                if y > 10.0:
                    y = y * 2.0
                else:
                    y = y * x
        return tape.gradient(y, x)

    assert f(tf.constant(2.0)).numpy() == 4 * 8.0  # x^4
    assert f(tf.constant(4.0)).numpy() == 4 * 2 * 4.0  # 4 x^2


def test_nests_are_variables_too():
    def f(n):
        state = {"a": tf.constant(1.0), "b": (tf.constant(2.0), [tf.constant(3.0)])}
        i = 0
        while i < n:
            state = {"a": state["a"] + 1.0, "b": (state["b"][1][0], [state["b"][0]])}
            i += 1
        return state

    both(f, (0,), (3,))


def test_parts_of_objects_are_variables_too():
    class Holder:
        pass

    @tf.function
    def f(x):
        holder, table = Holder(), {"k": 0.0}
        holder.value = 0.0
        holder.same = "text"
        if x > 0.0:
            holder.value = x
            table["k"] = x * 2.0
            holder.other = x
        for i in tf.range(3):
            holder.value += 1.0
        return holder.value, table["k"]

    assert [float(r) for r in f(tf.constant(2.0))] == [5.0, 4.0]
    assert [float(r) for r in f(tf.constant(-2.0))] == [3.0, 0.0]


def test_functions_that_call_themselves():
    @tf.function
    def factorial(n):
        if n <= 1:
            return 1
        return n * factorial(n - 1)

    assert factorial(5).numpy() == 120


def test_numbers_take_the_dtype_of_tensors():
    @tf.function
    def f(x):
        y = 0
        if x > 0.0:
            y = x
        last = 0
        for i in tf.range(2):
            last = x * 2.0
        return y, last

    assert [r.numpy() for r in f(tf.constant(2.5))] == [2.5, 5.0]


def test_a_variable_of_one_branch_is_an_error_when_it_is_used():
    def f(x):
        if x > 0:
            z = 1
        return z  # noqa: F821

    with pytest.raises(ValueError, match=r"test_autograph_functions.py:\d+: 'z' must also be initialized in the else"):
        tf.function(f)(tf.constant(1))

    @tf.function
    def unused(x):
        if x > 0:
            temporary = x + 1
            x = temporary * 2
        return x

    assert unused(tf.constant(1)).numpy() == 4

    @tf.function
    def plain(x, flag):
        if flag:
            y = x
        return y  # noqa: F821

    with pytest.raises(UnboundLocalError, match="'y'"):
        plain(tf.constant(1), False) + 1


def test_errors_name_the_line():
    def dtypes(x):
        if x > 0:
            y = tf.constant(1.0)
        else:
            y = tf.constant(1)
        return y

    with pytest.raises(TypeError, match=r"test_autograph_functions.py:\d+: 'y' has dtype float32 in one branch and"):
        tf.function(dtypes)(tf.constant(1))

    def one_returns(x):
        if x > 0:
            return x

    with pytest.raises(ValueError, match="one branch returns a value"):
        tf.function(one_returns)(tf.constant(1))

    def in_loop(n):
        for i in tf.range(n):
            if i > 2:
                return i
        return n

    with pytest.raises(NotImplementedError, match=r"test_autograph_functions.py:\d+: a loop over a tensor cannot have"):
        tf.function(in_loop)(tf.constant(1))

    def python_break(x):
        for i in range(10):
            if x > i:
                break
        return x

    with pytest.raises(NotImplementedError, match="`break` depends on a tensor in a loop over Python's"):
        tf.function(python_break)(tf.constant(1))

    def dtype_of_loop(x):
        y = tf.constant(1)
        while x > 0.0:
            x -= 1.0
            y = x
        return y

    with pytest.raises(TypeError, match="'y' has dtype int32 before the loop, and float32 after"):
        tf.function(dtype_of_loop)(tf.constant(1.0))


def test_tracebacks_show_the_users_lines():
    def f(x):
        if x > 0:
            x = x + 1
            raise KeyError("here")  # this line
        return x

    with pytest.raises(KeyError) as caught:
        tf.function(f)(tf.constant(1))
    lines = [frame.line for frame in traceback.extract_tb(caught.tb) if frame.filename == __file__]
    assert 'raise KeyError("here")  # this line' in lines


def test_asserts_are_checked_at_every_run():
    @tf.function
    def f(x):
        assert x > 0, "positive, please"
        return x + 1

    assert f(tf.constant(1)).numpy() == 2
    with pytest.raises(tf.errors.InvalidArgumentError, match="positive, please"):
        f(tf.constant(-1))


def test_do_not_convert_and_autograph_off():
    @tf.autograph.experimental.do_not_convert
    def plain(x):
        return 1 if x > 0 else 2

    with pytest.raises(TypeError, match="Python bool"):
        tf.function(lambda x: plain(x))(tf.constant(1))
    with pytest.raises(TypeError, match="Python bool"):
        tf.function(helper, autograph=False)(tf.constant(1.0))


def test_without_source_it_runs_as_it_is():
    space = {}
    exec("def f(x):\n    return x + 1\ndef g(x):\n    return 1 if x > 0 else 2", space)
    assert tf.function(space["f"])(tf.constant(1)).numpy() == 2
    with pytest.raises(TypeError, match="Python bool"):
        tf.function(space["g"])(tf.constant(1))


def test_print_of_a_tensor_happens_at_tracing(capsys):
    @tf.function
    def f(x):
        print("traced", x.is_symbolic)
        return x

    f(tf.constant(1.0))
    f(tf.constant(2.0))
    assert capsys.readouterr().out == "traced True\n"


def test_try_with_generators_and_comprehensions_still_work():
    def f(x):
        values = [v * 2.0 for v in (1.0, 2.0) if v > 1.0]
        total = sum(v for v in values)
        for v in values:
            try:
                if v > 100.0:
                    continue
                total += v
            finally:
                total += 1.0
        if (n := len(values)) > 0:
            total += n
        return x * total

    both(f, (1.0,))


def test_code_can_be_read():
    assert "ag__.if_return" in tf.autograph.to_code(helper)
    assert "ag__.if_return" in tf.autograph.to_code(Child.method)

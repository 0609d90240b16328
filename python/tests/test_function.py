"""tf.function: what is traced again, what runs, and what it costs."""

import collections
import gc
import threading
import weakref

import numpy as np
import pytest

import alula as tf


def test_python_runs_at_tracing_alone():
    seen = []

    @tf.function
    def f(x, y):
        seen.append(x.is_symbolic)
        return x * 2.0 + y

    for _ in range(3):
        assert f(tf.constant(1.0), tf.constant(2.0)).numpy() == 4.0
    assert seen == [True]
    assert f.experimental_get_tracing_count() == 1
    f(tf.constant([1.0]), tf.constant([2.0]))
    assert f.experimental_get_tracing_count() == 2


def test_what_is_traced_again():
    f = tf.function(lambda x: x)
    count = f.experimental_get_tracing_count

    def traced(value):
        before = count()
        f(value)
        return count() - before

    assert traced(1) == 1 and traced(1) == 0 and traced(2) == 1
    assert traced(1.0) == 1 and traced(True) == 1 and traced(None) == 1 and traced(False) == 1
    assert traced("a") == 1 and traced("a") == 0 and traced(b"a") == 1
    assert traced(np.float32(1)) == 1 and traced(np.float32(2)) == 0 and traced(np.float32([1])) == 1
    assert traced(tf.constant([7.0])) == 0  # like the array
    assert traced([1, 2]) == 1 and traced([1, 2]) == 0 and traced((1, 2)) == 1
    assert traced({"a": tf.constant(1)}) == 1 and traced({"a": tf.constant(2)}) == 0
    assert traced({"b": tf.constant(2)}) == 1
    assert traced(float("nan")) == 1


def test_objects_and_variables_by_identity():
    class Thing:
        pass

    f = tf.function(lambda thing, v: v + 1.0)
    a, b, v, w = Thing(), Thing(), tf.Variable(1.0), tf.Variable(5.0)
    assert f(a, v).numpy() == 2.0
    v.assign(2.0)
    assert f(a, v).numpy() == 3.0
    assert f.experimental_get_tracing_count() == 1
    assert f(b, v).numpy() == 3.0 and f(a, w).numpy() == 6.0
    assert f.experimental_get_tracing_count() == 3
    alive = weakref.ref(b)
    del b
    gc.collect()
    assert alive() is None
    for _ in range(20):  # new objects may have the old one's address
        f(Thing(), v)
    assert f.experimental_get_tracing_count() == 23


def test_arguments_by_name_and_default_are_the_same_call():
    @tf.function
    def f(a, b=2.0, *rest, c=3.0, **more):
        return a + b + c + sum(rest) + sum(more.values())

    for result in (f(1.0), f(1.0, 2.0), f(a=1.0, c=3.0), f(c=3.0, b=2.0, a=1.0)):
        assert result.numpy() == 6.0
    assert f.experimental_get_tracing_count() == 1
    assert f(1.0, 2.0, 10.0, c=0.0, z=1.0, y=2.0).numpy() == 16.0
    assert f(1.0, 2.0, 10.0, c=0.0, y=2.0, z=1.0).numpy() == 16.0
    assert f.experimental_get_tracing_count() == 2
    for args, kwargs in (((), {}), ((1.0,), {"a": 1.0})):
        with pytest.raises(TypeError, match="Binding inputs to tf.function failed"):
            f(*args, **kwargs)
    with pytest.raises(TypeError, match="unexpected keyword argument 'd'"):
        tf.function(lambda a: a)(1, d=2)


def test_results_of_any_form():
    Point = collections.namedtuple("Point", "x y")

    @tf.function
    def f(x):
        return {"b": None, "a": (x, [3, "text"]), "p": Point(x + 1.0, None)}

    got = f(tf.constant(1.0))
    assert list(got) == ["b", "a", "p"] and got["b"] is None
    assert got["a"][0].numpy() == 1.0 and got["a"][1][0].numpy() == 3 and got["a"][1][1].numpy() == b"text"
    assert type(got["p"]) is Point and got["p"].x.numpy() == 2.0 and got["p"].y is None
    assert tf.function(lambda: None)() is None
    with pytest.raises(TypeError, match="must return tensors"):
        tf.function(lambda: object())()


def test_variables_are_made_at_the_first_trace_only():
    class Layer:
        w = None

        @tf.function
        def __call__(self, x):
            if self.w is None:
                self.w = tf.Variable([2.0, 2.0])
            return x * self.w

    layer, other = Layer(), Layer()
    np.testing.assert_array_equal(layer(tf.constant([1.0, 3.0])), [2.0, 6.0])
    np.testing.assert_array_equal(other(tf.constant([1.0, 3.0])), [2.0, 6.0])
    layer.w.assign([1.0, 1.0])
    np.testing.assert_array_equal(layer(tf.constant([1.0, 3.0])), [1.0, 3.0])
    np.testing.assert_array_equal(other(tf.constant([1.0, 3.0])), [2.0, 6.0])
    with pytest.raises(ValueError, match="singleton tf.Variables"):
        tf.function(lambda: tf.Variable(1.0) + 1.0)()


def test_methods_hold_their_instance_weakly():
    class Model:
        def __init__(self, factor):
            self.factor = factor

        @tf.function
        def scale(self, x):
            return x * self.factor

    a, b = Model(2.0), Model(3.0)
    assert a.scale(tf.constant(1.0)).numpy() == 2.0 and b.scale(tf.constant(1.0)).numpy() == 3.0
    assert a.scale is a.scale and a.scale is not b.scale
    assert a.scale.experimental_get_tracing_count() == 1
    alive = weakref.ref(a)
    del a
    gc.collect()
    assert alive() is None
    assert len(Model.scale._bound) == 1


def test_assignments_and_gradients_inside():
    w = tf.Variable([1.0, 2.0])

    @tf.function
    def step(x, y):
        with tf.GradientTape() as tape:
            error = x * w - y
            loss = error * error
        w.assign_sub(tape.gradient(loss, w) * 0.25)
        return loss

    plain = np.array([1.0, 2.0])
    x, y = np.array([1.0, 0.5], np.float32), np.array([3.0, 4.0], np.float32)
    for _ in range(5):
        np.testing.assert_allclose(step(x, y), (x * plain - y) ** 2, rtol=1e-5)
        plain = plain - 0.25 * 2 * (x * plain - y) * x
        np.testing.assert_allclose(w.numpy(), plain, rtol=1e-5)
    assert step.experimental_get_tracing_count() == 1


def test_a_tape_outside_sees_through_it():
    v = tf.Variable(3.0)

    @tf.function
    def f(x):
        return x * x * v

    x = tf.constant(2.0)
    for _ in range(2):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x) + x
        assert [g.numpy() for g in tape.gradient(y, [x, v])] == [13.0, 4.0]
    assert f.experimental_get_tracing_count() == 1


def test_functions_inside_functions_are_part_of_them():
    traces = []

    @tf.function
    def inner(x):
        traces.append(x.is_symbolic)
        return x + 1.0

    outer = tf.function(lambda x: inner(x) * inner(np.float32(1.0)))
    assert outer(tf.constant(2.0)).numpy() == 6.0
    assert traces == [True, False]
    assert inner.experimental_get_tracing_count() == 0


def test_an_error_while_tracing_leaves_nothing_behind():
    fail = [True]

    @tf.function
    def f(x):
        if fail[0]:
            raise KeyError("now")
        return x + 1.0

    with pytest.raises(KeyError, match="now"):
        f(tf.constant(1.0))
    assert tf.executing_eagerly()
    fail[0] = False
    assert f(tf.constant(1.0)).numpy() == 2.0
    assert f.experimental_get_tracing_count() == 1


def test_input_signature():
    @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
    def f(x):
        assert x.dtype == tf.float32
        return x * 2.0

    np.testing.assert_array_equal(f([1, 2]), [2.0, 4.0])
    np.testing.assert_array_equal(f(tf.constant([1.0])), [2.0])
    np.testing.assert_array_equal(f(x=np.array([1.0, 2.0, 3.0])), [2.0, 4.0, 6.0])
    with pytest.raises(TypeError, match="Binding inputs to tf.function failed"):
        f(tf.constant([[1.0]]))
    with pytest.raises(TypeError, match="cannot be TensorSpec"):
        f(tf.constant([1]))
    with pytest.raises(TypeError, match="too many positional"):
        f([1.0], [2.0])


def test_a_nested_input_signature():
    @tf.function(input_signature=[{"a": tf.TensorSpec([None]), "b": [tf.TensorSpec([], tf.int32)]}])
    def f(x):
        return x["a"] * tf.cast(x["b"][0], tf.float32)

    np.testing.assert_array_equal(f({"a": [1, 2], "b": [3]}), [3.0, 6.0])
    with pytest.raises(TypeError, match="not nested as input_signature says"):
        f([1.0, 2.0])


def test_concrete_functions():
    f = tf.function(lambda x, k=2.0: x * k)
    concrete = f.get_concrete_function(tf.TensorSpec([2], tf.float32), k=3.0)
    np.testing.assert_array_equal(concrete(tf.constant([1.0, 2.0])), [3.0, 6.0])
    assert f.experimental_get_tracing_count() == 1
    assert "float32[2]" in concrete.graph
    with pytest.raises(TypeError):
        concrete(tf.constant([1.0, 2.0, 3.0]))
    anything = f.get_concrete_function(tf.TensorSpec([None], tf.float32))
    np.testing.assert_array_equal(anything(tf.constant([1.0, 2.0, 3.0])), [2.0, 4.0, 6.0])


def test_an_array_is_not_kept_beyond_the_call():
    v = tf.Variable(np.zeros(1024, np.float32))

    @tf.function
    def keep(x):
        v.assign(x)
        return x, x + 1.0

    array = np.ones(1024, np.float32)
    same, more = keep(array)
    array[:] = 5.0
    assert same.numpy()[0] == 1.0 and more.numpy()[0] == 2.0 and v.numpy()[0] == 1.0


def test_running_eagerly():
    seen = []

    @tf.function
    def f(x):
        seen.append(x.is_symbolic)
        return x + 1.0

    tf.config.run_functions_eagerly(True)
    try:
        assert tf.config.functions_run_eagerly()
        f(tf.constant(1.0))
        f(tf.constant(1.0))
    finally:
        tf.config.run_functions_eagerly(False)
    assert seen == [False, False]


def test_init_scope_and_executing_eagerly():
    seen = []

    @tf.function
    def f(x):
        seen.append(tf.executing_eagerly())
        with tf.init_scope():
            seen.append(tf.executing_eagerly())
        seen.append(tf.executing_eagerly())
        return x

    f(tf.constant(1.0))
    assert seen == [False, True, False] and tf.executing_eagerly()


def test_specs():
    spec = tf.TensorSpec([None, 3], "float32", name="x")
    assert repr(spec) == "TensorSpec(shape=(None, 3), dtype=tf.float32, name='x')"
    same = tf.TensorSpec((None, 3), tf.float32, "x")
    assert spec == same and hash(spec) == hash(same)
    assert spec.is_compatible_with(np.zeros((5, 3), np.float32))
    assert not spec.is_compatible_with(tf.constant([[1, 2, 3]]))
    assert not spec.is_compatible_with(tf.TensorSpec([5, 4]))
    assert tf.TensorSpec.from_tensor(tf.constant([1])) == tf.TensorSpec([1], tf.int32)


def test_modules():
    class Dense(tf.Module):
        def __init__(self):
            super().__init__()
            self.w, self.b = tf.Variable(1.0), tf.Variable(2.0, trainable=False)

    class Net(tf.Module):
        def __init__(self):
            super().__init__(name="net")
            self.layers = [Dense(), {"x": Dense()}]
            self.first = self.layers[0]

    net = Net()
    assert len(net.variables) == 4 and len(net.trainable_variables) == 2 and len(net.submodules) == 2
    assert net.name == "net" and Dense().name == "dense"
    with net.name_scope:
        pass


def test_threads_trace_once_and_agree():
    traces = []

    @tf.function
    def f(x, k):
        traces.append(k)
        return x * k

    wrong = []
    barrier = threading.Barrier(4)

    def work():
        barrier.wait()
        for i in range(300):
            if f(tf.constant([1.0, 2.0]), float(i % 3)).numpy()[1] != 2.0 * (i % 3):
                wrong.append(i)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong and sorted(traces) == [0.0, 1.0, 2.0]


def resident_kilobytes():
    with open("/proc/self/statm") as f:
        return int(f.read().split()[1]) * 4


def test_ten_thousand_calls_leave_memory_flat():
    v = tf.Variable(np.zeros(256, np.float32))
    thing = object()

    @tf.function
    def f(x, y, other, more):
        with tf.GradientTape() as tape:
            loss = (x * v - y) * more["k"]
        v.assign_sub(tape.gradient(loss, v))
        return {"loss": loss, "pair": (x, [y])}

    x, y, k = np.ones(256, np.float32), tf.constant(np.ones(256, np.float32)), np.float32(0.5)

    def run(times):
        for _ in range(times):
            f(x, y, thing, more={"k": k})

    run(1000)
    gc.collect()
    before = resident_kilobytes()
    run(10000)
    gc.collect()
    assert resident_kilobytes() - before < 1024


def test_a_function_in_a_cycle_is_collected():
    def make():
        def body(x):
            return x + len(holder)

        f = tf.function(body)
        holder = [f]
        f(tf.constant(1.0))
        return weakref.ref(f)

    alive = make()
    gc.collect()
    assert alive() is None

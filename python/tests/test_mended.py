"""What once crashed, or was silently wrong."""

import gc
import subprocess
import sys
import textwrap
import threading

import numpy as np
import pytest

import alula as tf

keras = tf.keras


def test_attributes_of_layers_may_be_none():
    class Own(keras.layers.Layer):
        def __init__(self):
            super().__init__()
            self.kernel = None

    layer = Own()
    assert layer.kernel is None
    model = keras.Sequential([keras.layers.Dense(1)])
    model.extra = None
    assert model.extra is None


def test_no_data_is_an_error():
    model = keras.Sequential([keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    for call in (model.fit, model.evaluate, lambda: model.fit(None), lambda: model.evaluate(None)):
        with pytest.raises(ValueError, match="x is arrays, tensors, a data set or a generator"):
            call()
    x = np.ones((4, 2), np.float32)
    with pytest.raises(ValueError):
        model.fit(x, x[:, :1], validation_data=(None, None), verbose=0)


@pytest.mark.parametrize("name", ["SGD", "Adam", "RMSprop"])
def test_an_optimizer_needs_a_rate(name):
    with pytest.raises(ValueError, match="learning_rate is a number or a schedule"):
        getattr(keras.optimizers, name)(None)


def test_a_layer_may_know_what_it_is_part_of():
    class Child(keras.layers.Layer):
        def __init__(self, parent):
            super().__init__()
            self.parent = parent
            self.dense = keras.layers.Dense(1)

        def call(self, inputs):
            return self.dense(inputs)

    class Parent(keras.Model):
        def __init__(self):
            super().__init__()
            self.me = self
            self.all = [self]
            self.child = Child(self)

        def call(self, inputs):
            return self.child(inputs)

    model = Parent()
    model(tf.ones((1, 2)))
    assert len(model.weights) == 2 and len(model.child.weights) == 2
    sequential = keras.Sequential([keras.layers.Dense(1)])
    with pytest.raises(ValueError, match="a layer of itself"):
        sequential.add(sequential)


def test_arguments_that_fail_leave_the_interpreter_as_it_was():
    f = tf.function(lambda x: 1)
    loop = []
    loop.append(loop)
    for argument in (loop, [np.array([object()])]):
        for _ in range(1100):
            with pytest.raises((RecursionError, TypeError, ValueError)):
                f(argument)
    assert f([1]) == 1


def test_a_program_ends_while_a_thread_computes():
    program = textwrap.dedent(
        """
        import threading, time
        import alula as tf
        def work():
            while True:
                tf.matmul(tf.ones((300, 300)), tf.ones((300, 300)))
        for _ in range(2):
            threading.Thread(target=work, daemon=True).start()
        time.sleep(0.2)
        print("done")
        """
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert (run.returncode, run.stdout, run.stderr) == (0, "done\n", "")


def test_losses_of_ones_own_get_labels_like_predictions():
    seen = []

    def loss(y_true, y_pred):
        seen.append((y_true.dtype, y_pred.dtype))
        return tf.reduce_mean((y_true - y_pred) ** 2)

    class OwnLoss(keras.losses.Loss):
        def call(self, y_true, y_pred):
            return loss(y_true, y_pred)

    x, y = np.ones((4, 3)), np.ones((4, 2))
    for labels in (y, y.astype(np.int64)):
        for data in ((x, labels), (tf.data.Dataset.from_tensors((x, labels)),)):
            for function in (loss, OwnLoss()):
                model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(2)])
                model.compile("sgd", loss=function)
                model.fit(*data, verbose=0)
    assert set(seen) == {(tf.float32, tf.float32)}


def test_a_step_of_ones_own_gets_float32():
    class Stepped(keras.Model):
        def __init__(self):
            super().__init__()
            self.dense = keras.layers.Dense(1)

        def call(self, inputs):
            return self.dense(inputs)

        def train_step(self, data):
            x, y = data
            assert x.dtype == tf.float32 and y.dtype == tf.float32
            return {"loss": tf.reduce_mean((self(x) - y) ** 2)}

    model = Stepped()
    model.compile("sgd")
    model.fit(np.ones((4, 3)), np.ones((4, 1)), verbose=0)


def test_variables_are_not_changed_by_operators():
    v = tf.Variable(1.0)
    for code in ("v += 1.0", "v -= 1.0", "v *= 2.0", "v /= 2.0", "v **= 2.0"):
        with pytest.raises(RuntimeError, match="assign_add"):
            exec(code, {}, {"v": v})
    assert v.numpy() == 1.0


def test_indices_and_numbers():
    x = tf.constant([1, 2])
    with pytest.raises(ValueError, match="a bool is no index"):
        x[True]
    with pytest.raises(TypeError, match="only a scalar"):
        int(tf.constant([1]))
    with pytest.raises(TypeError, match="only a scalar"):
        float(tf.constant([1.0]))
    assert int(x[1]) == 2


def test_layers_do_not_pass_over_none():
    with pytest.raises(ValueError, match="one of its inputs is None"):
        keras.layers.Add()([tf.ones((1, 2)), None])


def test_tensors_of_different_shapes_are_different():
    a, b = tf.constant([1, 2]), tf.constant([1, 2, 3])
    assert not bool(a == b) and bool(a != b)
    assert (a == tf.constant([1, 5])).numpy().tolist() == [True, False]


def test_texts():
    assert str(tf.constant([[1.0], [2.0]])) == "tf.Tensor(\n[[1.]\n [2.]], shape=(2, 1), dtype=float32)"
    assert str(tf.constant([1.0])) == "tf.Tensor([1.], shape=(1,), dtype=float32)"
    assert f"{tf.constant([1.5])}" == "[1.5]" and f"{tf.constant(1.5):.2f}" == "1.50"
    assert f"{tf.Variable(1.0, name='v')}".startswith("<tf.Variable 'v:0' shape=()")


def test_dlpack_capsules():
    array = tf.experimental.dlpack.from_dlpack(tf.experimental.dlpack.to_dlpack(tf.constant([1.0, 2.0] * 50)))
    gc.collect()
    np.testing.assert_array_equal(array.numpy(), [1.0, 2.0] * 50)


def test_what_has_only_an_array_is_a_tensor():
    class Picture:
        def __array__(self, dtype=None, copy=None):
            return np.arange(6, dtype=np.uint8).reshape(2, 3)

    assert tf.constant(Picture()).shape == (2, 3)


def test_references_are_keys():
    x, v = tf.constant(1.0), tf.Variable(2.0)
    names = {x.ref(): "x", v.ref(): "v"}
    assert names[x.ref()] == "x" and names[v.ref()] == "v" and v.ref().deref() is v
    assert tf.constant(1.0).ref() not in names


def test_a_layer_that_was_not_initialised_says_so():
    class Forgot(keras.layers.Layer):
        def __init__(self):
            pass

    with pytest.raises(RuntimeError, match="forgot to call"):
        Forgot()(tf.ones((1, 1)))


def test_threads_compute_at_the_same_time():
    results = []

    def work():
        results.append(float(tf.reduce_sum(tf.ones((200, 200))).numpy()))

    threads = [threading.Thread(target=work) for _ in range(4)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert results == [40000.0] * 4


def test_a_variable_is_one_object():
    layer = keras.layers.Dense(2)
    layer(tf.ones((1, 3)))
    assert layer.kernel is layer.kernel and layer.weights[0] is layer.kernel
    v = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        v * v
    assert tape.watched_variables()[0] is v
    keys = [id(tf.Variable(float(i))) for i in range(1000)]  # gone at once: nothing is kept
    assert len(keys) == 1000


def test_symbolic_tensors_have_no_truth():
    @tf.function(autograph=False)
    def f(x):
        return x if x > 0 else -x

    with pytest.raises(tf.errors.OperatorNotAllowedInGraphError):
        f(tf.constant(1.0))


def test_an_input_signature_counts_as_one_trace():
    @tf.function(input_signature=[tf.TensorSpec([None, 2], tf.float32)])
    def f(x):
        return tf.reduce_sum(x)

    assert [float(f(tf.ones((n, 2)))) for n in range(1, 8)] == [2.0 * n for n in range(1, 8)]
    assert f.experimental_get_tracing_count() == 1

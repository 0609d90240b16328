"""tf.compat.v1: graphs, placeholders, variables and sessions."""

import numpy as np
import pytest

import alula as tf

v1 = tf.compat.v1


@pytest.fixture(autouse=True)
def fresh_graph():
    v1.reset_default_graph()
    yield
    v1.enable_eager_execution()
    assert v1.get_default_session() is None


def test_ops_in_a_session_build_its_graph():
    assert tf.executing_eagerly()
    with v1.Session() as sess:
        assert not tf.executing_eagerly()
        c = tf.matmul(tf.constant([[1.0, 2.0]]), tf.constant([[3.0], [4.0]]))
        assert c.is_symbolic
        result = sess.run(c)
    assert tf.executing_eagerly()
    assert isinstance(result, np.ndarray)
    np.testing.assert_array_equal(result, [[11.0]])
    result[0, 0] = 5  # an array of the program's own


def test_tensors_made_eagerly_may_be_run():
    c = tf.constant([1.0, 2.0]) * 2.0
    with v1.Session() as sess:
        np.testing.assert_array_equal(sess.run(c), [2.0, 4.0])
        np.testing.assert_array_equal(sess.run(c + 1.0), [3.0, 5.0])


def test_nests_of_fetches():
    with tf.Graph().as_default(), v1.Session() as sess:
        a = tf.constant(2.0) * 3.0
        v = tf.Variable([1.0, 2.0], name="v")
        results = sess.run([v1.global_variables_initializer(), a, {"x": (a, a + 1.0)}])
        assert results[0] is None and results[1] == 6.0
        assert results[2] == {"x": (6.0, 7.0)}
        assert sess.run([]) == []
        np.testing.assert_array_equal(sess.run(v), [1.0, 2.0])


def test_what_cannot_be_fetched():
    with v1.Session() as sess:
        with pytest.raises(TypeError, match="invalid type 'int'"):
            sess.run(3)
        with pytest.raises(ValueError, match="by their names"):
            sess.run("x:0")


def test_feeds():
    with tf.Graph().as_default(), v1.Session() as sess:
        x = v1.placeholder(tf.float32, shape=(None, 2), name="x")
        assert x.name == "x:0" and x.shape == (None, 2)
        y = tf.reduce_sum(x)
        assert sess.run(y, {x: [[1, 2]]}) == 3.0
        assert sess.run(y, feed_dict={x: np.ones((3, 2))}) == 6.0  # float64 becomes float32
        double = x * 2.0
        assert sess.run(tf.reduce_sum(double), {double: np.ones((1, 2))}) == 2.0
        with pytest.raises(tf.errors.InvalidArgumentError, match="the placeholder 'x' needs a value"):
            sess.run(y)
        with pytest.raises(ValueError, match="reshape"):
            sess.run(y, {x: [1.0]})
        d = v1.placeholder_with_default(tf.constant([1.0]), shape=(None,))
        np.testing.assert_array_equal(sess.run(d * 2.0), [2.0])
        np.testing.assert_array_equal(sess.run(d * 2.0, {d: [3.0, 4.0]}), [6.0, 8.0])
        call = sess.make_callable(y, [x])
        assert call([[5, 6]]) == 11.0


@pytest.mark.parametrize("draw", [tf.random.normal, tf.random.uniform])
def test_random_ops_draw_at_every_run(draw):
    with v1.Session() as sess:
        x = draw((4,))
        assert not np.array_equal(sess.run(x), sess.run(x))


def test_variables_belong_to_sessions():
    graph = tf.Graph()
    with graph.as_default():
        count = tf.Variable(0.0, name="count")
        up = count.assign_add(1.0)
        again = tf.Variable(1, name="count")
        assert isinstance(count, tf.Variable)
        assert (count.name, again.name) == ("count:0", "count_1:0")
        assert repr(count) == "<tf.Variable 'count:0' shape=() dtype=float32>"
        init = v1.global_variables_initializer()
    a, b = v1.Session(graph=graph), v1.Session(graph=graph)
    with pytest.raises(tf.errors.FailedPreconditionError, match="'count' has no value in this session"):
        a.run(count)
    a.run(init)
    b.run(init)
    assert [a.run(up), a.run(up), b.run(up)] == [1.0, 2.0, 1.0]
    assert a.run(count + 1.0) == 3.0
    a.run(count.initializer)
    assert a.run(count) == 0.0
    with graph.as_default():
        assert [v.name for v in v1.global_variables()] == ["count:0", "count_1:0"]
        with a.as_default():
            count.load(7.0)
            assert count.eval() == 7.0
    a.close()
    with pytest.raises(tf.errors.FailedPreconditionError, match="closed"):
        a.run(count)


def test_eager_variables_have_one_value():
    v = tf.Variable([1.0, 2.0])
    with v1.Session() as sess:
        sess.run(v1.assign(v, [3.0, 4.0]))
        np.testing.assert_array_equal(sess.run(v), [3.0, 4.0])
    np.testing.assert_array_equal(v.numpy(), [3.0, 4.0])


def test_scopes():
    with tf.Graph().as_default() as graph:
        with v1.variable_scope("a") as scope:
            w = v1.get_variable("w", shape=(2, 3))
            with v1.variable_scope("b", initializer=v1.ones_initializer()):
                x = v1.get_variable("x", shape=(2,))
        assert (w.name, x.name, scope.name) == ("a/w:0", "a/b/x:0", "a")
        with v1.variable_scope(scope, reuse=True):
            assert v1.get_variable("w", shape=(2, 3)).name == "a/w:0"
            with pytest.raises(tf.errors.NotFoundError, match="a/new"):
                v1.get_variable("new", shape=())
        with v1.variable_scope("a", reuse=v1.AUTO_REUSE):
            v1.get_variable("w", shape=(2, 3))
        with pytest.raises(ValueError, match="there is a variable 'a/w' already"), v1.variable_scope("a"):
            v1.get_variable("w", shape=(2, 3))
        assert len(v1.global_variables()) == 2
        assert len(v1.get_collection(v1.GraphKeys.TRAINABLE_VARIABLES, scope="a/b")) == 1
        with tf.name_scope("n") as name, v1.Session() as sess:
            assert name == "n/"
            assert (tf.constant(1.0) + 2.0).name.startswith("n/")
            sess.run(v1.variables_initializer([x]))
            np.testing.assert_array_equal(sess.run(x), [1.0, 1.0])
        assert graph == v1.get_default_graph()
    assert graph != v1.get_default_graph()


@pytest.mark.parametrize(
    "initializer, expected",
    [
        (v1.zeros_initializer(), [0.0, 0.0]),
        (v1.ones_initializer, [1.0, 1.0]),
        (v1.constant_initializer(3), [3.0, 3.0]),
        (v1.constant_initializer([1.0, 2.0]), [1.0, 2.0]),
        (np.array([4.0, 5.0], np.float32), [4.0, 5.0]),
        (lambda shape, dtype: tf.constant([6.0, 7.0], dtype), [6.0, 7.0]),
    ],
)
def test_initializers(initializer, expected):
    shape = None if isinstance(initializer, np.ndarray) else (2,)
    with tf.Graph().as_default(), v1.Session() as sess:
        v = v1.get_variable("v", shape=shape, initializer=initializer)
        sess.run(v1.global_variables_initializer())
        np.testing.assert_array_equal(sess.run(v), expected)


@pytest.mark.parametrize("make", [lambda: v1.train.GradientDescentOptimizer(0.1), lambda: v1.train.AdamOptimizer(0.1)])
def test_optimizers_make_the_loss_smaller(make):
    with tf.Graph().as_default(), v1.Session() as sess:
        x = v1.placeholder(tf.float32, (None, 1))
        y = v1.placeholder(tf.float32, (None, 1))
        w = tf.Variable([[0.0]])
        loss = tf.reduce_mean((tf.matmul(x, w) - y) ** 2.0)
        step = v1.train.get_or_create_global_step()
        train = make().minimize(loss, global_step=step)
        sess.run(v1.global_variables_initializer())
        feed = {x: [[1.0], [2.0]], y: [[3.0], [6.0]]}
        first = sess.run(loss, feed)
        for _ in range(100):
            sess.run(train, feed)
        assert sess.run(loss, feed) < first / 100
        assert sess.run(step) == 100


def test_gradients():
    with tf.Graph().as_default(), v1.Session() as sess:
        x = v1.placeholder(tf.float32, ())
        unused = v1.placeholder(tf.float32, ())
        by_x, by_unused = v1.gradients(x * x, [x, unused])
        assert by_unused is None
        assert sess.run(by_x, {x: 3.0}) == 6.0


def test_eval_and_interactive_session():
    with pytest.raises(ValueError, match="no default session"):
        with tf.Graph().as_default():
            (tf.constant(1.0) + 1.0).eval()
    session = v1.InteractiveSession()
    try:
        c = tf.constant(1.0) + 1.0
        assert c.eval() == 2.0
        v = tf.Variable(3.0)
        v.initializer.run()
        v1.group(v.assign(4.0), v1.no_op()).run()
        assert v.eval() == 4.0
        assert c.op.name == "add"
    finally:
        session.close()
    assert tf.executing_eagerly()


def test_switching_eager_execution():
    v1.disable_eager_execution()
    x = tf.constant(1.0) + 1.0
    assert x.is_symbolic
    assert v1.Session().run(x) == 2.0
    v1.enable_v2_behavior()
    assert (tf.constant(1.0) + 1.0).numpy() == 2.0


def test_options_are_accepted():
    config = v1.ConfigProto(allow_soft_placement=True, device_count={"GPU": 0})
    config.gpu_options.allow_growth = True
    with v1.Session(config=config) as sess:
        sess.run(tf.constant(1.0), options=v1.RunOptions(trace_level=v1.RunOptions.FULL_TRACE), run_metadata=v1.RunMetadata())


def test_errors_leave_the_scopes():
    with pytest.raises(ZeroDivisionError), v1.Session():
        1 / 0
    assert tf.executing_eagerly()


def test_a_graph_of_another_session():
    with tf.Graph().as_default():
        c = tf.constant(1.0) + 1.0
    with v1.Session() as sess, pytest.raises(ValueError, match="belongs to another graph"):
        sess.run(c)


def test_what_is_the_same_in_both_versions():
    assert v1.matmul is tf.matmul
    assert v1.float32 is tf.float32
    assert tf.compat.v2 is tf
    with pytest.raises(AttributeError, match="TensorFlow has tf.compat.v1.batch_gather"):
        v1.batch_gather


def test_results_may_be_written_and_nobody_else_sees_it():
    for rows in (2, 600):  # small ones are copied by NumPy, large ones are not copied
        with v1.Session() as session:
            x = v1.placeholder(tf.float32, [rows, 256])
            variable = v1.Variable(np.ones((rows, 256), np.float32))
            known = tf.matmul(np.ones((rows, 2), np.float32), np.ones((2, 256), np.float32))
            y = x + 1.0
            session.run(v1.global_variables_initializer())
            fed = np.zeros((rows, 256), np.float32)
            for _ in range(2):
                results = session.run([y, y, x, variable, known], {x: fed})
                assert [float(r[0, 0]) for r in results] == [1, 1, 0, 1, 2]
                for result in results:
                    assert result.flags.writeable
                    result[:] = 7
                    assert sum(float(r[0, 0]) == 7 for r in results) == 1
                    result[:] = -1
            assert fed[0, 0] == 0


def test_large_arrays_are_copies():
    x = tf.ones((600, 256))
    array = x.numpy()
    array[:] = 7
    assert array.flags.writeable and array.dtype == np.float32
    assert float(x[0, 0]) == 1.0
    del x
    assert float(array[599, 255]) == 7.0
    assert tf.zeros((400_000,), tf.int64).numpy().dtype.str == np.zeros(1, np.int64).dtype.str

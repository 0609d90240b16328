import copy
import pickle
import struct

import numpy as np
import pytest

import alula as tf


# ---- making them


def test_dtypes_are_those_that_tensorflow_gives():
    for value, dtype in [
        (1, tf.int32),
        (2**40, tf.int64),
        (2**63, tf.uint64),
        (1.5, tf.float32),
        (True, tf.bool),
        ("a", tf.string),
        ([1, 2.5], tf.float32),
        ([[1], [2**40]], tf.int64),
        ([], tf.float32),
        (range(3), tf.int32),
        (np.float64(2), tf.float64),
        (np.arange(3), tf.int64),
        (np.zeros((2, 2), np.uint16), tf.uint16),
        (np.array(["a", "b"]), tf.string),
        ([np.float64(1), np.float64(2)], tf.float64),
    ]:
        assert tf.constant(value).dtype == dtype, value


def test_arrays_of_any_order_are_copied_element_by_element():
    base = np.arange(24.0, dtype=np.float32).reshape(2, 3, 4)
    for array in (base, base.T, base[:, ::-1], base[..., 1:3], np.asfortranarray(base), base[0, 0, 0]):
        np.testing.assert_array_equal(tf.constant(array).numpy(), array)
    swapped = base.astype(">f4")
    np.testing.assert_array_equal(tf.constant(swapped).numpy(), base)


def test_a_later_change_of_the_array_is_not_seen():
    array = np.zeros(10_000, np.float32)
    tensor = tf.constant(array)
    array[:] = 1
    assert tensor.numpy().max() == 0


def test_lists_may_hold_tensors():
    x = tf.constant([1.0, 2.0])
    np.testing.assert_array_equal(tf.convert_to_tensor([x, x]).numpy(), [[1, 2], [1, 2]])
    np.testing.assert_array_equal(tf.convert_to_tensor([x[0], 3]).numpy(), [1, 3])


@pytest.mark.parametrize(
    "value, dtype, error",
    [
        ([[1, 2], [3]], None, ValueError),
        ([1, [2]], None, ValueError),
        ([True, 1], None, ValueError),
        (["a", 1], None, ValueError),
        (2**70, None, ValueError),
        (1.5, tf.int32, TypeError),
        (300, tf.uint8, TypeError),
        (object(), None, TypeError),
        (1 + 2j, None, TypeError),
        (None, None, TypeError),
        (1, "no such dtype", TypeError),
    ],
)
def test_what_cannot_be_a_tensor_is_an_error(value, dtype, error):
    with pytest.raises(error):
        tf.constant(value, dtype=dtype)


# ---- looking at them


def test_repr_and_str_are_tensorflows():
    assert repr(tf.constant([1, 2])) == "<tf.Tensor: shape=(2,), dtype=int32, numpy=array([1, 2], dtype=int32)>"
    assert repr(tf.constant(1.5)) == "<tf.Tensor: shape=(), dtype=float32, numpy=1.5>"
    assert repr(tf.constant("a")) == "<tf.Tensor: shape=(), dtype=string, numpy=b'a'>"
    assert str(tf.constant([1.0, 2.0])) == "tf.Tensor([1. 2.], shape=(2,), dtype=float32)"
    assert repr(tf.constant([[1, 2]])) == (
        "<tf.Tensor: shape=(1, 2), dtype=int32, numpy=array([[1, 2]], dtype=int32)>"
    )
    assert repr(tf.constant([[1], [2]])).split("numpy=")[1].startswith("\narray([[1],\n")
    assert repr(tf.Variable([1.0], name="v")) == (
        "<tf.Variable 'v:0' shape=(1,) dtype=float32, numpy=array([1.], dtype=float32)>"
    )


def test_python_numbers_from_tensors():
    assert int(tf.constant(3.7)) == 3
    assert float(tf.constant(3)) == 3.0
    assert [10, 20, 30][tf.constant(1)] == 20
    assert bool(tf.constant([2.0])) and not tf.constant(0)
    assert f"{tf.constant(1.25):.1f}" == "1.2"
    with pytest.raises(ValueError, match="ambiguous"):
        bool(tf.constant([1, 2]))
    with pytest.raises(TypeError):
        float(tf.constant([1.0, 2.0]))


def test_length_and_iteration():
    x = tf.constant([[1, 2], [3, 4]])
    assert len(x) == 2
    assert [row.numpy().tolist() for row in x] == [[1, 2], [3, 4]]
    for scalar in (len, iter):
        with pytest.raises(TypeError):
            scalar(tf.constant(1))


def test_numpy_gives_an_array_that_is_ones_own():
    tensor = tf.constant([1.0, 2.0])
    array = tensor.numpy()
    array[0] = 9
    assert tensor.numpy()[0] == 1
    assert isinstance(tf.constant(1.0).numpy(), np.float32)


def test_views_share_the_elements_and_cannot_be_written():
    tensor = tf.constant(np.arange(1000, dtype=np.float32))
    view = np.asarray(tensor)
    assert view.base is not None and not view.flags.writeable
    assert np.shares_memory(view, np.asarray(tensor))
    with pytest.raises(ValueError):
        view[0] = 1
    del tensor
    assert view[999] == 999


def test_the_buffer_protocol():
    memory = memoryview(tf.constant([[1.5, 2.5]]))
    assert memory.format == "f" and memory.shape == (1, 2) and memory.readonly
    assert struct.unpack("2f", memory.tobytes()) == (1.5, 2.5)
    with pytest.raises(BufferError):
        memoryview(tf.constant("text"))


def test_dlpack_goes_both_ways_without_copies():
    array = np.arange(5000, dtype=np.float32)
    tensor = tf.experimental.dlpack.from_dlpack(array)
    assert np.shares_memory(np.asarray(tensor), array)
    back = np.from_dlpack(tensor)
    assert np.shares_memory(back, array)
    for dtype in (np.float16, np.float64, np.int8, np.uint16, np.int64, np.bool_):
        again = tf.experimental.dlpack.from_dlpack(np.ones(3, dtype))
        assert again.dtype == dtype and again.numpy().tolist() == np.ones(3, dtype).tolist()


def test_copies_and_pickles():
    x = tf.constant([[1, 2], [3, 4]], tf.int16)
    for other in (copy.copy(x), copy.deepcopy(x), pickle.loads(pickle.dumps(x))):
        assert other.dtype == tf.int16
        np.testing.assert_array_equal(other.numpy(), x.numpy())
    assert pickle.loads(pickle.dumps(tf.float32)) is not None


# ---- operators


def test_operators_take_numbers_lists_and_arrays():
    x = tf.constant([1.0, 2.0])
    for other in (x, 1.0, [1, 2], np.array([1.0, 2.0]), tf.Variable([1.0, 2.0])):
        assert (x + other).dtype == tf.float32
        assert (other + x).dtype == tf.float32
    np.testing.assert_array_equal((2 - x).numpy(), [1.0, 0.0])


def test_operators_are_numpys():
    rng = np.random.default_rng(1)
    a, b = rng.uniform(0.5, 3, (3, 3)).astype(np.float32), rng.uniform(0.5, 3, (3,)).astype(np.float32)
    x, y = tf.constant(a), tf.constant(b)
    for op in ("+", "-", "*", "/", "//", "%", "**", "@", "<", "<=", ">", ">=", "==", "!="):
        ours = eval(f"x {op} y" if op != "@" else "x @ x", {"x": x, "y": y}).numpy()
        theirs = eval(f"x {op} y" if op != "@" else "x @ x", {"x": a, "y": b})
        np.testing.assert_allclose(ours, theirs, rtol=1e-5, err_msg=op)
    np.testing.assert_array_equal((-x).numpy(), -a)
    np.testing.assert_array_equal(abs(-x).numpy(), a)
    i, j = np.array([7, -7, 5]), np.array([2, 2, -3])
    np.testing.assert_array_equal((tf.constant(i) // tf.constant(j)).numpy(), i // j)
    np.testing.assert_array_equal((tf.constant(i) % tf.constant(j)).numpy(), i % j)


def test_comparison_with_what_is_no_tensor():
    x = tf.constant([1.0])
    assert (x == None) is False and (x != None) is True  # noqa: E711
    assert (x == object()) is False
    with pytest.raises(TypeError):
        x + object()


def test_a_dtype_that_does_not_fit_is_an_error():
    with pytest.raises(tf.errors.InvalidArgumentError, match="must be int32"):
        tf.constant([1, 2]) + 1.5


def test_tensors_are_not_hashable():
    with pytest.raises(TypeError):
        hash(tf.constant(1))


# ---- indexing


@pytest.mark.parametrize(
    "index",
    [
        "0", "-1", "1, 2", "1, 2, 3", ":", "1:", ":-1", "::2", "::-1", "-2:, 1", "..., 0", "0, ...", "None", "..., None",
        ":, None, 1", "1:2, ..., ::-2", "0, None, ..., -1", "2:1",
    ],
)  # fmt: skip
def test_indexing_is_numpys(index):
    array = np.arange(2 * 3 * 4).reshape(2, 3, 4)
    ours = eval(f"x[{index}]", {"x": tf.constant(array)}).numpy()
    np.testing.assert_array_equal(ours, eval(f"x[{index}]", {"x": array}))


def test_indexing_by_tensors_and_masks():
    x = tf.constant([[1, 2], [3, 4], [5, 6]])
    assert x[tf.constant(1)].numpy().tolist() == [3, 4]
    assert x[tf.constant(1) :].numpy().tolist() == [[3, 4], [5, 6]]
    assert x[np.int64(0), tf.constant(1)].numpy() == 2
    assert x[tf.constant([True, False, True])].numpy().tolist() == [[1, 2], [5, 6]]
    assert x[x > 3].numpy().tolist() == [4, 5, 6]
    with pytest.raises(tf.errors.InvalidArgumentError, match="out of range"):
        x[3]
    with pytest.raises(tf.errors.InvalidArgumentError):
        x[tf.constant([True, False])]


# ---- shapes, dtypes, variables


def test_shapes():
    shape = tf.zeros((2, 3)).shape
    assert shape == (2, 3) and shape == [2, 3] and shape != (2,)
    assert repr(shape) == "TensorShape([2, 3])" and str(shape) == "(2, 3)"
    assert shape.rank == 2 and shape.as_list() == [2, 3] and shape.num_elements() == 6
    assert shape[1:] == (3,) and isinstance(shape[1:], tf.TensorShape)
    unknown = tf.TensorShape([None, 3])
    assert unknown.is_compatible_with((5, 3)) and not unknown.is_compatible_with((5, 4))
    assert unknown.merge_with((5, None)) == (5, 3) and not unknown.is_fully_defined()
    assert tf.TensorShape(None).rank is None
    with pytest.raises(ValueError):
        unknown.assert_is_compatible_with((1,))


def test_dtypes():
    assert tf.float32 == "float32" == tf.float32.name
    assert tf.float32 == np.float32 and tf.float32 != tf.float64 and tf.float32 != None  # noqa: E711
    assert tf.as_dtype(np.dtype("int8")) == tf.int8 and tf.as_dtype(float) == tf.float32
    assert {tf.int32: 1}[tf.int32] == 1
    assert repr(tf.bool) == "tf.bool" and tf.float16.size == 2
    assert tf.int8.max == 127 and tf.uint8.min == 0 and tf.float32.max > 3e38
    assert tf.float32.as_numpy_dtype is np.float32 and tf.string.as_numpy_dtype is np.object_


def test_variables():
    v = tf.Variable([1.0, 2.0])
    before = v.value()
    assert v.assign_add([1.0, 1.0]) is v
    v.assign_sub([0.5, 0.5])
    np.testing.assert_array_equal(v.numpy(), [1.5, 2.5])
    np.testing.assert_array_equal(before.numpy(), [1.0, 2.0])
    assert (v * 2).numpy().tolist() == [3.0, 5.0] and v[0] == 1.5 and len(v) == 2
    v.assign(np.array([7.0, 8.0]))
    assert v.numpy().tolist() == [7.0, 8.0] and v.name == "Variable:0" and v.trainable
    assert tf.Variable(lambda: tf.zeros(3)).shape == (3,)
    with pytest.raises(ValueError, match="float32"):
        v.assign([1.0, 2.0, 3.0])
    assert v.numpy().tolist() == [7.0, 8.0]

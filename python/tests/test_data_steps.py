"""Each source and step of a pipeline against plain Python."""

import collections

import numpy as np
import pytest

import alula as tf

Dataset = tf.data.Dataset


def values(dataset):
    """The elements as plain Python values."""
    return [plain(element) for element in dataset]


def plain(element):
    if isinstance(element, tuple):
        return tuple(plain(item) for item in element)
    if isinstance(element, dict):
        return {key: plain(item) for key, item in element.items()}
    if isinstance(element, Dataset):
        return values(element)
    assert isinstance(element, tf.Tensor)
    value = element.numpy()
    return value if isinstance(value, bytes) else value.tolist()


def test_slices_of_tuples_dicts_and_nests():
    x = np.arange(6).reshape(3, 2)
    assert values(Dataset.from_tensor_slices(x)) == x.tolist()
    assert values(Dataset.from_tensor_slices([1, 2])) == [1, 2]
    assert values(Dataset.from_tensor_slices((x, ["a", "b", "c"]))) == [
        ([0, 1], b"a"),
        ([2, 3], b"b"),
        ([4, 5], b"c"),
    ]
    nest = {"z": x, "a": (tf.constant([1, 2, 3]), {"b": [0.5, 1.5, 2.5]})}
    elements = values(Dataset.from_tensor_slices(nest))
    assert elements[1] == {"z": [2, 3], "a": (2, {"b": 1.5})}
    assert list(elements[1]) == ["z", "a"]  # in the order in which they were written


def test_arrays_are_copied():
    x = np.zeros(1000)
    dataset = Dataset.from_tensor_slices(x).batch(1000)
    x[:] = 1
    assert np.sum(next(iter(dataset)).numpy()) == 0


def test_from_tensors_and_range():
    assert values(Dataset.from_tensors(([1, 2], 3))) == [([1, 2], 3)]
    assert values(Dataset.range(3)) == [0, 1, 2]
    assert values(Dataset.range(5, 1, -2)) == [5, 3]
    assert Dataset.range(3, output_type=tf.float32).element_spec.dtype == tf.float32
    assert Dataset.range(np.int64(3)).element_spec.dtype == tf.int64
    with pytest.raises(TypeError, match="range: takes"):
        Dataset.range()


def test_a_map_function_gets_elements_as_tensorflow_passes_them():
    pairs = Dataset.from_tensor_slices(([1, 2], [10, 20]))
    assert values(pairs.map(lambda x, y: x + y)) == [11, 22]
    nested = Dataset.from_tensor_slices(([1, 2], ([10, 20], [3, 4])))
    assert values(nested.map(lambda x, yz: x + yz[0] * yz[1])) == [31, 82]
    named = Dataset.from_tensor_slices({"x": [1, 2]})
    assert values(named.map(lambda e: {"y": e["x"] * 2, "c": 7})) == [{"y": 2, "c": 7}, {"y": 4, "c": 7}]
    assert values(pairs.map(lambda *args: args)) == [(1, 10), (2, 20)]
    assert values(Dataset.range(2).map(lambda x: [x, x])) == [(0, 0), (1, 1)]  # a list is a tuple,
    assert values(Dataset.range(2).map(lambda x: (x, [x, x]))) == [(0, [0, 0]), (1, [1, 1])]  # or a tensor
    one = Dataset.from_tensor_slices(([1, 2],))
    assert values(one) == [(1,), (2,)]
    assert values(one.map(lambda x: x * 2)) == [2, 4]


def test_named_tuples_stay_what_they_are():
    Point = collections.namedtuple("Point", ["x", "y"])
    dataset = Dataset.from_tensor_slices(Point([1, 2], [3, 4]))
    assert isinstance(dataset.element_spec, Point) and isinstance(next(iter(dataset)), Point)
    assert values(dataset.map(lambda p: Point(p.y, p.x * 2)).batch(2))[0] == ([3, 4], [2, 4])
    inner = Dataset.from_tensor_slices((Point([1, 2], [3, 4]), [5, 6])).map(lambda p, z: p.x * p.y + z)
    assert values(inner) == [8, 14]
    generated = Dataset.from_generator(lambda: [Point(1, 2)], output_signature=dataset.element_spec)
    assert int(next(iter(generated)).y) == 2


def test_names_that_tensorflow_has():
    with pytest.raises(AttributeError, match="The nearest is reduce"):
        Dataset.range(3).scan
    with pytest.raises(AttributeError, match="has no attribute 'nonsense'"):
        Dataset.range(3).nonsense
    assert values(Dataset.range(4).batch(3).rebatch(2)) == [[0, 1], [2, 3]]


def test_a_map_function_is_traced_once():
    calls = []

    def function(x):
        calls.append(x)
        return x + 1

    dataset = Dataset.range(100).map(function)
    assert values(dataset) == values(dataset) == list(range(1, 101))
    assert len(calls) == 1 and calls[0].is_symbolic


@pytest.mark.parametrize("calls", [None, 1, 3, tf.data.AUTOTUNE])
@pytest.mark.parametrize("batch", [None, 4])
def test_whichever_way_it_runs_the_elements_are_the_same(calls, batch):
    dataset = Dataset.range(50).map(lambda x: (x * x, x % 3), num_parallel_calls=calls)
    dataset = dataset.filter(lambda x, y: y > 0)
    expected = [(x * x, x % 3) for x in range(50) if x % 3 > 0]
    if batch:
        dataset = dataset.batch(batch).prefetch(tf.data.AUTOTUNE).unbatch()
    assert values(dataset) == expected
    unordered = Dataset.range(50).map(lambda x: x * x, calls, deterministic=False)
    assert sorted(values(unordered)) == [x * x for x in range(50)]


def test_batches():
    dataset = Dataset.range(7)
    assert values(dataset.batch(3)) == [[0, 1, 2], [3, 4, 5], [6]]
    assert values(dataset.batch(3, drop_remainder=True, num_parallel_calls=2)) == [[0, 1, 2], [3, 4, 5]]
    assert values(dataset.batch(3).unbatch()) == list(range(7))
    with pytest.raises(tf.errors.InvalidArgumentError, match="batch"):
        dataset.batch(0)


def test_padded_batches():
    ones = lambda: (np.ones(n) for n in (1, 2, 3))  # noqa: E731
    dataset = Dataset.from_generator(ones, output_signature=tf.TensorSpec([None], tf.float32))
    assert values(dataset.padded_batch(3)) == [[[1, 0, 0], [1, 1, 0], [1, 1, 1]]]
    assert values(dataset.padded_batch(2, [4], -1.0)) == [[[1, -1, -1, -1], [1, 1, -1, -1]], [[1, 1, 1, -1]]]
    pairs = Dataset.zip(dataset, Dataset.range(3))
    assert values(pairs.padded_batch(2, ([None], []), (9.0, None), drop_remainder=True)) == [
        ([[1, 9], [1, 1]], [0, 1])
    ]
    named = Dataset.zip({"a": dataset})
    assert values(named.padded_batch(3, {"a": [3]}))[0]["a"][0] == [1, 0, 0]
    with pytest.raises(TypeError, match="arranged as the elements"):
        pairs.padded_batch(2, ([None],))


def test_shuffle_repeat_take_skip_shard():
    dataset = Dataset.range(20)
    assert sorted(values(dataset.shuffle(5))) == list(range(20))
    seeded = dataset.shuffle(20, seed=3, reshuffle_each_iteration=False)
    assert values(seeded) == values(seeded) != list(range(20))
    again = dataset.shuffle(20, seed=3)
    assert values(again) != values(again)
    assert values(dataset.take(2).repeat(2)) == [0, 1, 0, 1]
    assert values(dataset.repeat().skip(19).take(3)) == [19, 0, 1]
    assert values(dataset.take(-1)) == list(range(20))
    assert values(dataset.shard(5, 1)) == [1, 6, 11, 16]
    assert values(dataset.take(tf.constant(2, tf.int64))) == [0, 1]


def test_zip_concatenate_enumerate_window():
    a, b = Dataset.range(3), Dataset.range(10, 20)
    expected = [(0, 10), (1, 11), (2, 12)]
    assert values(Dataset.zip(a, b)) == values(Dataset.zip((a, b))) == values(a.zip(b)) == expected
    assert values(Dataset.zip(datasets=(a, b))) == expected
    assert values(Dataset.zip({"a": a, "bc": (b, a)}))[2] == {"a": 2, "bc": (12, 2)}
    assert values(Dataset.zip((a, (b, a))))[1] == (1, (11, 1))
    assert values(a.concatenate(b.take(1))) == [0, 1, 2, 10]
    assert values(b.take(2).enumerate(start=5)) == [(5, 10), (6, 11)]
    assert values(Dataset.range(7).window(3)) == [[0, 1, 2], [3, 4, 5], [6]]
    windows = Dataset.range(5).window(3, shift=1, stride=2, drop_remainder=True)
    assert values(windows.flat_map(lambda w: w.batch(3))) == [[0, 2, 4]]
    windows = Dataset.range(6).window(3, shift=1, drop_remainder=True).flat_map(lambda w: w.batch(3))
    assert values(windows) == [[0, 1, 2], [1, 2, 3], [2, 3, 4], [3, 4, 5]]
    with pytest.raises(TypeError, match="zip: takes data sets"):
        Dataset.zip([a, b])


def test_flat_map_and_interleave():
    def times(n):
        return Dataset.from_tensors(n).repeat(3)

    assert values(Dataset.range(2).flat_map(times)) == [0, 0, 0, 1, 1, 1]
    assert values(Dataset.range(3).interleave(times, cycle_length=2, block_length=2)) == [
        0, 0, 1, 1, 0, 1, 2, 2, 2,
    ]  # fmt: skip
    for calls in (2, tf.data.AUTOTUNE):
        parallel = Dataset.range(3).interleave(times, 2, 2, num_parallel_calls=calls)
        assert values(parallel) == [0, 0, 1, 1, 0, 1, 2, 2, 2]
    with pytest.raises(TypeError, match="must be a tf.data.Dataset"):
        Dataset.range(2).flat_map(lambda x: x)


def test_cache_in_memory_and_in_a_file(tmp_path):
    calls = []

    def numbers():
        calls.append(1)
        yield from range(4)

    for file in ("", str(tmp_path / "cache")):
        calls.clear()
        dataset = Dataset.from_generator(numbers, output_signature=tf.TensorSpec((), tf.int32)).cache(file)
        assert values(dataset) == values(dataset) == [0, 1, 2, 3]
        assert len(calls) <= 2 and values(dataset) == [0, 1, 2, 3]
        assert len(calls) <= 2


def test_reduce_apply_and_single_elements():
    assert plain(Dataset.range(5).reduce(np.int64(0), lambda s, x: s + x)) == 10
    pairs = Dataset.from_tensor_slices(([1, 2], [3, 4]))
    total = pairs.reduce((0, {"n": 0}), lambda s, e: (s[0] + e[0] * e[1], {"n": s[1]["n"] + 1}))
    assert plain(total) == (11, {"n": 2})
    with pytest.raises(TypeError, match="a state like the one before"):
        Dataset.range(2).reduce(0, lambda s, x: tf.constant(1.5))
    assert values(Dataset.range(4).apply(lambda d: d.skip(3))) == [3]
    with pytest.raises(TypeError, match="apply"):
        Dataset.range(4).apply(lambda d: 3)
    assert plain(Dataset.range(1).get_single_element()) == 0
    for count in (0, 2):
        with pytest.raises(tf.errors.InvalidArgumentError, match="get_single_element"):
            Dataset.range(count).get_single_element()


def test_what_a_dataset_says_of_itself():
    dataset = Dataset.from_tensor_slices({"x": np.zeros((3, 2)), "y": ([1, 2, 3], ["a", "b", "c"])})
    spec = dataset.element_spec
    assert spec == {
        "x": tf.TensorSpec((2,), tf.float64),
        "y": (tf.TensorSpec((), tf.int32), tf.TensorSpec((), tf.string)),
    }
    assert len(dataset) == 3 and int(dataset.cardinality()) == 3
    assert dataset.cardinality().dtype == tf.int64
    assert int(dataset.repeat().cardinality()) == tf.data.INFINITE_CARDINALITY == -1
    unknown = Dataset.range(3).filter(lambda x: x > 1)
    assert int(unknown.cardinality()) == tf.data.UNKNOWN_CARDINALITY == -2
    with pytest.raises(TypeError, match="infinite"):
        len(dataset.repeat())
    with pytest.raises(TypeError, match="unknown"):
        len(unknown)
    assert bool(Dataset.range(0))
    assert "batch(2)" in dataset.batch(2).explain()
    assert "TensorSpec(shape=(2,), dtype=tf.float64, name=None)" in repr(dataset)
    assert Dataset.range(4).window(2).element_spec == tf.data.DatasetSpec(tf.TensorSpec((), tf.int64))


def test_numpy_iterators():
    dataset = Dataset.from_tensor_slices({"a": [[1, 2]], "b": ["x"]})
    (element,) = dataset.as_numpy_iterator()
    assert isinstance(element["a"], np.ndarray) and element["b"] == b"x"


def test_datasets_can_be_walked_many_times_and_at_once():
    dataset = Dataset.range(3).map(lambda x: x * 2, num_parallel_calls=2).prefetch(1)
    assert [(plain(a), plain(b)) for a in dataset for b in dataset] == [
        (a, b) for a in (0, 2, 4) for b in (0, 2, 4)
    ]
    first, second = iter(dataset), iter(dataset)
    assert plain(next(first)) == plain(next(second)) == 0


def test_options():
    options = tf.data.Options()
    options.deterministic = False
    options.autotune.ram_budget = 1 << 20
    options.experimental_distribute.auto_shard_policy = None
    dataset = Dataset.range(3).with_options(options)
    assert values(dataset) == [0, 1, 2] and dataset.options().autotune.ram_budget == 1 << 20
    with pytest.raises(AttributeError, match="no 'determinist'"):
        options.determinist = True


def test_a_function_that_is_none():
    with pytest.raises(TypeError, match="must be a function"):
        Dataset.range(3).map(3)
    with pytest.raises(TypeError, match="incompatible"):
        Dataset.range(3).take(None)
    with pytest.raises(tf.errors.InvalidArgumentError, match="num_parallel_calls"):
        Dataset.range(3).map(lambda x: x, num_parallel_calls=-5)


def test_iterators():
    iterator = iter(Dataset.range(2))
    assert iter(iterator) is iterator and iterator.element_spec == tf.TensorSpec((), tf.int64)
    assert [plain(iterator.get_next()), plain(next(iterator))] == [0, 1]
    with pytest.raises(StopIteration):
        next(iterator)
    with pytest.raises(tf.errors.OutOfRangeError, match="no more elements"):
        iterator.get_next()


@pytest.mark.parametrize("calls", [None, 2])
def test_a_saved_iterator_goes_on_where_it_was(calls):
    dataset = Dataset.range(20).shuffle(10, seed=1).map(lambda x: x * 2, calls).batch(3).prefetch(2)
    iterator = iter(dataset)
    next(iterator), next(iterator)
    state = iterator.save()
    assert isinstance(state, bytes)
    other = iter(dataset)
    other.restore(state)
    assert values(other) == values(iterator)
    with pytest.raises(tf.errors.InvalidArgumentError, match="another pipeline"):
        iter(dataset.batch(2)).restore(state)
    with pytest.raises(tf.errors.DataLossError):
        other.restore(state[:-1] + b"x")

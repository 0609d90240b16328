"""Python's own functions in a pipeline: generators, exceptions, threads, and how all of it ends."""

import gc
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
import traceback

import numpy as np
import pytest

import alula as tf

Dataset = tf.data.Dataset
INT = tf.TensorSpec((), tf.int64)


def ints(dataset):
    return [int(x) for x in dataset]


def numbers(stop):
    yield from range(stop)


# ---- generators


def test_a_generator_by_signature_and_by_types():
    def pairs():
        for i in range(3):
            yield i, [i] * i

    signature = (tf.TensorSpec((), tf.int32), tf.TensorSpec([None], tf.float32))
    for dataset in (
        Dataset.from_generator(pairs, output_signature=signature),
        Dataset.from_generator(pairs, (tf.int32, tf.float32), ((), [None])),
        Dataset.from_generator(pairs, (tf.int32, tf.float32)),
    ):
        assert dataset.element_spec == signature
        assert [(int(i), x.numpy().tolist()) for i, x in dataset] == [(0, []), (1, [1]), (2, [2, 2])]
    cut = Dataset.from_generator(lambda: [1.7, np.float64(2.2), tf.constant(3.9)], output_signature=INT)
    assert ints(cut) == [1, 2, 3]  # values take the dtype as in NumPy
    one = Dataset.from_generator(lambda: range(3), tf.int64)
    assert one.element_spec == INT and ints(one) == [0, 1, 2]


def test_a_generator_of_dicts_and_with_arguments():
    def rows(start, stop):
        assert isinstance(start, np.int32)
        for i in range(start, stop):
            yield {"y": np.float64(i), "x": f"row {i}"}

    signature = {"x": tf.TensorSpec((), tf.string), "y": tf.TensorSpec((), tf.float32)}
    dataset = Dataset.from_generator(rows, args=(2, 4), output_signature=signature)
    assert list(dataset.as_numpy_iterator()) == [{"x": b"row 2", "y": 2.0}, {"x": b"row 3", "y": 3.0}]


def test_a_generator_begins_anew_with_every_walk():
    calls = []

    def generator():
        calls.append(1)
        yield from range(3)

    dataset = Dataset.from_generator(generator, output_signature=INT)
    assert calls == []
    assert ints(dataset) == ints(dataset) == [0, 1, 2]
    assert ints(dataset.repeat(2)) == [0, 1, 2, 0, 1, 2]
    assert len(calls) >= 4


def test_what_a_generator_must_give():
    with pytest.raises(TypeError, match="callable"):
        Dataset.from_generator(iter([1]), output_signature=INT)
    with pytest.raises(TypeError, match="must be specified"):
        Dataset.from_generator(lambda: [1])
    with pytest.raises(TypeError, match="together"):
        Dataset.from_generator(lambda: [1], tf.int32, output_signature=INT)
    pairs = Dataset.from_generator(lambda: [(1, 2, 3)], output_signature=(INT, INT))
    with pytest.raises(TypeError, match="arranged as was announced"):
        list(pairs)
    shape = Dataset.from_generator(lambda: [[1, 2, 3]], output_signature=tf.TensorSpec([2], tf.int64))
    with pytest.raises(tf.errors.InvalidArgumentError, match="not what was announced"):
        list(shape)
    text = Dataset.from_generator(lambda: ["a"], output_signature=INT)
    with pytest.raises((TypeError, ValueError)):
        list(text)


def test_a_generator_is_closed_when_its_walk_is_left():
    closed = threading.Event()

    def generator():
        try:
            yield from range(1000)
        finally:
            closed.set()

    for dataset in (
        Dataset.from_generator(generator, output_signature=INT),
        Dataset.from_generator(generator, output_signature=INT).prefetch(2),
    ):
        closed.clear()
        for _ in dataset:
            break
        assert closed.wait(5)


@pytest.mark.parametrize("calls", [None, 2, tf.data.AUTOTUNE])
def test_generators_in_interleave(calls):
    names = []

    def inner(n):
        def generator(n):
            names.append(threading.current_thread().name)
            for i in range(20):
                if i % 7 == 0:
                    time.sleep(0.0005)
                yield 100 * n + i

        return Dataset.from_generator(generator, args=(n,), output_signature=INT)

    dataset = Dataset.range(4).interleave(inner, cycle_length=2, block_length=3, num_parallel_calls=calls)
    expected = ints(Dataset.range(4).interleave(inner, cycle_length=2, block_length=3))
    assert sorted(expected) == [100 * n + i for n in range(4) for i in range(20)]
    for _ in range(3):
        assert ints(dataset) == expected
    assert ints(dataset.map(lambda x: x + 1, num_parallel_calls=2).prefetch(3)) == [x + 1 for x in expected]


def test_generators_side_by_side_in_threads():
    dataset = Dataset.from_generator(numbers, args=(200,), output_signature=INT).prefetch(4)
    results = {}

    def walk(i):
        results[i] = ints(dataset)

    threads = [threading.Thread(target=walk, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(results[i] == list(range(200)) for i in range(4))


def test_threads_share_an_iterator():
    iterator = iter(Dataset.range(2000).map(lambda x: x * 2).prefetch(2))
    parts = [[] for _ in range(3)]

    def read(part):
        part.extend(int(x) for x in iterator)

    threads = [threading.Thread(target=read, args=(part,)) for part in parts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(sum(parts, [])) == list(range(0, 4000, 2))


def test_waiting_lets_other_threads_run():
    ticks = []

    def slow():
        time.sleep(0.3)
        yield 1

    done = threading.Event()

    def tick():
        while not done.is_set():
            ticks.append(1)
            time.sleep(0.005)

    thread = threading.Thread(target=tick)
    thread.start()
    list(Dataset.from_generator(slow, output_signature=INT).prefetch(1))
    done.set()
    thread.join()
    assert len(ticks) > 5


# ---- exceptions


class MyError(Exception):
    def __init__(self, value):
        super().__init__(value)
        self.value = value


def fails_at(n):
    def generator():
        for i in range(10):
            if i == n:
                raise MyError(i)
            yield i

    return Dataset.from_generator(generator, output_signature=INT)


@pytest.mark.parametrize(
    "step",
    [
        lambda d: d,
        lambda d: d.prefetch(2),
        lambda d: d.map(lambda x: x + 1, num_parallel_calls=2),
        lambda d: d.batch(2).prefetch(tf.data.AUTOTUNE),
        lambda d: Dataset.range(1).flat_map(lambda _: d),
        lambda d: Dataset.range(1).interleave(lambda _: d, num_parallel_calls=2),
        lambda d: Dataset.zip(d, d),
        lambda d: d.shuffle(3),
        lambda d: d.cache(),
        lambda d: d.window(3),
    ],
)
def test_an_exception_of_a_generator_arrives_whole(step):
    with pytest.raises(MyError) as caught:
        list(step(fails_at(4)))
    assert caught.value.value == 4
    assert any("from_generator (step" in note and "element 4" in note for note in caught.value.__notes__)
    assert "in generator" in "".join(traceback.format_exception(caught.value))


def test_an_exception_while_tracing_arrives_whole():
    def function(x):
        raise MyError("no")

    for step, name in ((Dataset.map, "map"), (Dataset.filter, "filter"), (Dataset.flat_map, "flat_map")):
        with pytest.raises(MyError) as caught:
            step(Dataset.range(3), function)
        assert any(name in note for note in caught.value.__notes__)
        assert "in function" in "".join(traceback.format_exception(caught.value))


def test_an_exception_of_flat_map_says_which_element():
    def function(x):
        if int(x) == 2:
            raise MyError(int(x))
        return Dataset.from_tensors(x)

    with pytest.raises(MyError) as caught:
        list(Dataset.range(5).flat_map(function))
    assert any("flat_map (step 2): element 2" in note for note in caught.value.__notes__)


def test_a_value_that_is_no_tensor_is_a_type_error():
    with pytest.raises(TypeError, match="cannot make one of"):
        Dataset.range(3).map(lambda x: object())
    with pytest.raises(TypeError, match="keys of a dict must be texts"):
        Dataset.from_tensor_slices({1: [2]})
    with pytest.raises(tf.errors.InvalidArgumentError, match="filter: the function must give one truth"):
        Dataset.range(3).filter(lambda x: x)


def test_errors_of_python_can_be_ignored():
    class Uneven:
        def __init__(self):
            self.i = -1

        def __iter__(self):
            return self

        def __next__(self):
            self.i += 1
            if self.i == 6:
                raise StopIteration
            if self.i % 2 == 1:
                raise MyError(self.i)
            return self.i

    dataset = Dataset.from_generator(Uneven, output_signature=INT)
    assert ints(dataset.ignore_errors()) == [0, 2, 4]
    iterator = iter(dataset)  # reading goes on behind an error
    assert int(next(iterator)) == 0
    with pytest.raises(MyError):
        next(iterator)
    assert int(next(iterator)) == 2


def test_stop_iteration_in_a_function_is_no_end():
    def function(x):
        if int(x) == 1:
            raise StopIteration
        return Dataset.from_tensors(x)

    with pytest.raises((StopIteration, RuntimeError)):
        iterator = iter(Dataset.range(3).flat_map(function))
        for _ in range(3):
            next(iterator)


# ---- interrupts


@pytest.mark.parametrize("prefetch", [False, True])
def test_ctrl_c_ends_a_wait(prefetch):
    release = threading.Event()

    def blocked():
        yield 0
        release.wait(20)
        yield 1

    dataset = Dataset.from_generator(blocked, output_signature=INT).batch(1)
    iterator = iter(dataset.prefetch(1) if prefetch else dataset)
    next(iterator)
    timer = threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    begin = time.monotonic()
    try:
        with pytest.raises(KeyboardInterrupt):
            next(iterator)
        assert time.monotonic() - begin < 5
    finally:
        release.set()
        timer.join()


# ---- ends


def run(code):
    """Runs a program, and gives what it wrote; it must end well and soon."""
    done = subprocess.run(
        [sys.executable, "-c", "import alula as tf\n" + textwrap.dedent(code)],
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


@pytest.mark.parametrize("steps", ["", ".prefetch(3)", ".map(lambda x: x + 1, 2).prefetch(2)"])
def test_a_program_may_end_with_an_iterator_alive(steps):
    code = f"""
    import time
    def slow():
        for i in range(10**6):
            time.sleep(0.001)
            yield i
    dataset = tf.data.Dataset.from_generator(slow, output_signature=tf.TensorSpec((), tf.int64)){steps}
    inner = tf.data.Dataset.range(4).interleave(lambda _: dataset, num_parallel_calls=2)
    iterators = [iter(dataset), iter(inner), iter(dataset)]
    for iterator in iterators:
        next(iterator)
    print("end")
    """
    assert run(code) == "end\n"


def test_a_program_may_end_by_an_exception_with_an_iterator_alive():
    code = """
    def gen():
        yield from range(10**6)
    dataset = tf.data.Dataset.from_generator(gen, output_signature=tf.TensorSpec((), tf.int64)).prefetch(3)
    for x in dataset:
        raise SystemExit(0)
    """
    assert run(code) == ""


def threads():
    return len(os.listdir("/proc/self/task"))


def settled(limit):
    """Threads that have been joined take a moment to leave the list."""
    for _ in range(200):
        if threads() <= limit:
            return True
        time.sleep(0.01)
    return False


def memory():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def walk_and_leave():
    x = np.zeros((64, 100), np.float32)
    dataset = Dataset.from_tensor_slices((x, np.arange(64))).shuffle(8)
    dataset = dataset.map(lambda x, y: (x + 1, y), num_parallel_calls=2).batch(8).prefetch(2)
    for _ in dataset:
        pass
    for _ in dataset:
        break
    generated = Dataset.from_generator(numbers, args=(50,), output_signature=INT).prefetch(2)
    for _ in Dataset.range(2).interleave(lambda _: generated, num_parallel_calls=2):
        break


def test_leaving_a_loop_stops_all_threads():
    list(Dataset.range(10).map(lambda x: x + 1, 2).prefetch(1))
    before = threads()
    for _ in range(20):
        walk_and_leave()
        assert settled(before)


def test_a_thousand_datasets_leave_memory_and_threads_flat():
    for _ in range(100):
        walk_and_leave()
    gc.collect()
    memory_before, threads_before = memory(), threads()
    for _ in range(1000):
        walk_and_leave()
    gc.collect()
    assert settled(threads_before)
    assert memory() - memory_before < 4 << 20


def test_objects_that_a_pipeline_holds_are_let_go():
    import weakref

    class Source:
        def __call__(self):
            yield from range(3)

    source = Source()
    held = weakref.ref(source)
    dataset = Dataset.from_generator(source, output_signature=INT).prefetch(1)
    iterator = iter(dataset)
    next(iterator)
    del source, dataset
    assert held() is not None
    del iterator
    gc.collect()
    assert held() is None

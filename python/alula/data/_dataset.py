"""The parts of tf.data.Dataset whose arguments only Python has."""

from functools import partial

from alula import _native
from alula._native import _data
from alula._native._data import Dataset
from alula._shape import TensorShape
from alula._spec import TensorSpec
from alula.data._options import Options


def from_generator(
    generator, output_types=None, output_shapes=None, args=None, output_signature=None, name=None
):
    """What a Python generator function gives. It is called with `args` at the start of every walk.

    Where the rank of its elements is not told, its first element is read here to see it.

    >>> def count(stop):
    ...     for i in range(stop):
    ...         yield i
    >>> dataset = tf.data.Dataset.from_generator(
    ...     count, args=(3,), output_signature=tf.TensorSpec((), tf.int32))
    >>> [int(x) for x in dataset]
    [0, 1, 2]
    """
    if not callable(generator):
        raise TypeError("`generator` must be a Python callable.")
    if output_signature is None:
        if output_types is None:
            raise TypeError("Either `output_signature` or `output_types` must be specified")
        output_signature = _signature(output_types, output_shapes)
    elif output_types is not None or output_shapes is not None:
        raise TypeError(
            "The `output_types` and `output_shapes` arguments can not be used together with the "
            "`output_signature` argument."
        )
    # Arguments arrive as NumPy's values, as in TensorFlow.
    args = tuple(_native.convert_to_tensor(x).numpy() for x in args) if args else ()
    if any(spec.shape.rank is None for spec in _leaves(output_signature)):
        output_signature = _with_ranks(output_signature, generator(*args))
    return _data._from_generator(generator, output_signature, args)


def _signature(types, shapes):
    if isinstance(types, tuple):
        shapes = shapes if shapes is not None else (None,) * len(types)
        if len(shapes) != len(types):
            raise TypeError("from_generator: output_shapes must be arranged as output_types are.")
        return tuple(_signature(t, s) for t, s in zip(types, shapes))
    if isinstance(types, dict):
        return {key: _signature(types[key], shapes and shapes[key]) for key in types}
    return TensorSpec(shapes, types)


def _leaves(nested):
    if isinstance(nested, tuple) and not isinstance(nested, TensorShape):
        return [leaf for item in nested for leaf in _leaves(item)]
    if isinstance(nested, dict):
        return [leaf for item in nested.values() for leaf in _leaves(item)]
    return [nested]


def _with_ranks(signature, elements):
    """The signature with as many unknown dimensions as the first element's tensors have."""
    first = next(iter(elements), None)

    def known(spec, value):
        if isinstance(spec, tuple):
            return tuple(known(s, None if value is None else value[i]) for i, s in enumerate(spec))
        if isinstance(spec, dict):
            return {key: known(s, None if value is None else value[key]) for key, s in spec.items()}
        if spec.shape.rank is not None:
            return spec
        rank = 0 if value is None else len(_native.convert_to_tensor(value).shape)
        return TensorSpec([None] * rank, spec.dtype, spec.name)

    return known(signature, first)


def list_files(file_pattern, shuffle=None, seed=None, name=None):
    """The names of the files that match a pattern, or one of several."""
    patterns = _data._texts(file_pattern)
    shuffle = shuffle is None or bool(shuffle)
    if len(patterns) == 1:
        return _data._list_files(patterns[0], shuffle, seed)
    files = _data._list_files(patterns[0], False, None)
    for pattern in patterns[1:]:
        files = files.concatenate(_data._list_files(pattern, False, None))
    return files.shuffle(max(len(files), 1), seed=seed) if shuffle else files


def from_numpy_file(file):
    """The slices of the array in a .npy file, or of those in a .npz file, by name."""
    return _data._numpy(str(file))


def with_options(self, options, name=None):
    """The same elements, run with other options."""
    merged = self.options().merge(options)
    dataset = self._with_autotune_memory(int(merged.autotune.ram_budget or 0))
    dataset._options = merged
    return dataset


def rebatch(self, batch_size, drop_remainder=False, name=None):
    """Batches of another size."""
    return self.unbatch().batch(batch_size, drop_remainder)


def options(self):
    """The options that it runs with."""
    return getattr(self, "_options", None) or Options()


_ELSEWHERE = {
    "bucket_by_sequence_length": "padded_batch",
    "choose_from_datasets": "interleave",
    "counter": "range",
    "group_by_window": "window",
    "load": "cache(file)",
    "ragged_batch": "padded_batch",
    "random": "map with tf.random",
    "rejection_resample": "filter",
    "sample_from_datasets": "interleave",
    "save": "cache(file)",
    "scan": "reduce",
    "snapshot": "cache(file)",
    "sparse_batch": "padded_batch",
    "take_while": "filter",
    "unique": "filter",
}


def _missing(self, name):
    """Says of a name that TensorFlow has what there is in its place."""
    nearest = _ELSEWHERE.get(name)
    raise AttributeError(
        f"'Dataset' object has no attribute '{name}'"
        if nearest is None
        else f"tf.data.Dataset.{name} is not there in Alula. The nearest is {nearest}."
    )


class _Zip:
    """zip of the class takes all data sets; that of a data set goes on from itself."""

    def __init__(self, function):
        self._function = function
        self.__doc__ = function.__doc__

    def __get__(self, dataset, cls):
        return self._function if dataset is None else partial(self._function, dataset)


Dataset.zip = _Zip(Dataset.zip)
Dataset.from_generator = staticmethod(from_generator)
Dataset.list_files = staticmethod(list_files)
Dataset.from_numpy_file = staticmethod(from_numpy_file)
Dataset.rebatch = rebatch
Dataset.__getattr__ = _missing
Dataset.with_options = with_options
Dataset.options = options


def _of_files(read, filenames):
    """A data set of files: their names may themselves be a data set."""
    if isinstance(filenames, Dataset):
        return filenames.flat_map(lambda name: read(name))
    return read(filenames)


class TextLineDataset(Dataset):
    """The lines of text files, without their ends."""

    def __init__(
        self, filenames, compression_type=None, buffer_size=None, num_parallel_reads=None, name=None
    ):
        super().__init__(_of_files(lambda files: _data._text_lines(files, compression_type or ""), filenames))


class TFRecordDataset(Dataset):
    """The records of TFRecord files, as strings."""

    def __init__(
        self, filenames, compression_type=None, buffer_size=None, num_parallel_reads=None, name=None
    ):
        super().__init__(_of_files(lambda files: _data._tfrecords(files, compression_type or ""), filenames))

"""Parts of tf.data that TensorFlow keeps apart."""

from alula._native import _data
from alula._native._data import AUTOTUNE, INFINITE_CARDINALITY, UNKNOWN_CARDINALITY
from alula.data._csv import CsvDataset, make_csv_dataset
from alula.data._options import (
    AutotuneOptions,
    DistributeOptions,
    OptimizationOptions,
    ThreadingOptions,
)


class AutoShardPolicy:
    """How TensorFlow would split a pipeline between machines; taken and not used."""

    OFF, AUTO, FILE, DATA, HINT = -1, 0, 1, 2, 3


def cardinality(dataset):
    """The number of elements, INFINITE_CARDINALITY or UNKNOWN_CARDINALITY."""
    return dataset.cardinality()


def enumerate_dataset(start=0):
    """For Dataset.apply: tuples of the position and the element."""
    return lambda dataset: dataset.enumerate(start)


def get_single_element(dataset):
    """The only element of a data set."""
    return dataset.get_single_element()


def get_structure(dataset_or_iterator):
    """What the elements are: a nest of tf.TensorSpec."""
    return dataset_or_iterator.element_spec


def ignore_errors(log_warning=False):
    """For Dataset.apply: leaves out the elements that fail."""
    return lambda dataset: dataset.ignore_errors(log_warning)


def map_and_batch(
    map_func, batch_size, num_parallel_batches=None, drop_remainder=False, num_parallel_calls=None
):
    """For Dataset.apply: map, then batch."""
    return lambda dataset: dataset.map(map_func, num_parallel_calls).batch(batch_size, drop_remainder)


def copy_to_device(target_device, source_device="/cpu:0"):
    """For Dataset.apply: elements are on a device, each when it is asked for."""
    return lambda dataset: dataset._to_device(target_device, 0)


def prefetch_to_device(device, buffer_size=None):
    """For Dataset.apply: a thread puts elements into a device's memory, so many ahead of the reader."""
    return lambda dataset: dataset._to_device(device, AUTOTUNE if buffer_size is None else buffer_size)


def shuffle_and_repeat(buffer_size, count=None, seed=None):
    """For Dataset.apply: shuffle, then repeat."""
    return lambda dataset: dataset.shuffle(buffer_size, seed).repeat(count)


def unbatch():
    """For Dataset.apply: the slices of each element, as elements."""
    return lambda dataset: dataset.unbatch()


class TFRecordWriter:
    """Writes the elements of a data set, which must be strings, as a TFRecord file."""

    def __init__(self, filename, compression_type=None):
        self._filename = filename
        self._compression_type = compression_type or ""

    def write(self, dataset):
        """Writes the file; it appears when it is whole."""
        _data._write_tfrecords(dataset, str(self._filename), self._compression_type)

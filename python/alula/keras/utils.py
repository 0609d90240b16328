"""Small helpers around models and their data."""

from alula._native import keras as _native
from alula.data._image import image_dataset_from_directory  # noqa: F401
from alula.keras import _words


def to_categorical(x, num_classes=None):
    """One-hot rows for numbers of classes, as an array of NumPy.

    >>> tf.keras.utils.to_categorical([0, 2], num_classes=3)
    array([[1., 0., 0.],
           [0., 0., 1.]])
    """
    import numpy as np

    x = np.array(x, dtype="int64")
    shape = x.shape[:-1] if x.ndim > 1 and x.shape[-1] == 1 else x.shape
    x = x.reshape(-1)
    if not num_classes:
        num_classes = int(x.max()) + 1
    categorical = np.zeros((x.shape[0], num_classes))
    categorical[np.arange(x.shape[0]), x] = 1
    return categorical.reshape(shape + (num_classes,))


def normalize(x, axis=-1, order=2):
    """Vectors along an axis, divided by their norm; as an array of NumPy.

    >>> tf.keras.utils.normalize([[3.0, 4.0]])
    array([[0.6, 0.8]])
    """
    import numpy as np

    x = np.asarray(x)
    norm = np.atleast_1d(np.linalg.norm(x, order, axis))
    norm[norm == 0] = 1
    return x / np.expand_dims(norm, axis)


def set_random_seed(seed):
    """Sets the seeds of Python, NumPy and Alula."""
    import random

    import numpy as np

    random.seed(seed)
    np.random.seed(seed % 2**32)
    _native.set_random_seed(seed)


class Sequence:
    """Batches by number: override `__len__` and `__getitem__`. `fit` takes such an object for its data."""

    def __init__(self, workers=1, use_multiprocessing=False, max_queue_size=10):
        self.workers = workers
        self.use_multiprocessing = use_multiprocessing
        self.max_queue_size = max_queue_size

    def __len__(self):
        raise NotImplementedError

    def __getitem__(self, index):
        raise NotImplementedError

    def on_epoch_end(self):
        """Called after the last batch of an epoch."""


PyDataset = Sequence

serialize_keras_object = _words.serialize


def register_keras_serializable(package="Custom", name=None):
    """Marks a class for Keras's files; here it changes nothing."""
    return lambda cls: cls


__getattr__ = _words.missing(__name__)

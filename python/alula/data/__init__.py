"""Input pipelines.

>>> dataset = tf.data.Dataset.from_tensor_slices(np.arange(10)).shuffle(10, seed=1).batch(4)
>>> [len(batch) for batch in dataset]
[4, 4, 2]
"""

import atexit as _atexit

from alula._native._data import (
    AUTOTUNE,
    INFINITE_CARDINALITY,
    UNKNOWN_CARDINALITY,
    Dataset,
    Iterator,
    NumpyIterator,
    _close_all,
)
from alula.data import _dataset
from alula.data._options import Options, ThreadingOptions
from alula.data._dataset import TFRecordDataset, TextLineDataset
from alula._spec import DatasetSpec
from alula.data import experimental

_atexit.register(_close_all)  # threads that call Python end while there is a Python to call

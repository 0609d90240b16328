"""Files and their formats."""

from typing import Any, NamedTuple

from alula import _gfile as gfile
from alula._native.io import *  # noqa: F403


class FixedLenFeature(NamedTuple):
    """A feature that has as many values in each example."""

    shape: Any
    dtype: Any
    default_value: Any = None


class VarLenFeature(NamedTuple):
    """A feature that may have any number of values, or none."""

    dtype: Any


class TFRecordOptions:
    """How a TFRecord file is written: compression_type is "", "GZIP" or "ZLIB"."""

    def __init__(
        self,
        compression_type=None,
        flush_mode=None,
        input_buffer_size=None,
        output_buffer_size=None,
        window_bits=None,
        compression_level=None,
        compression_method=None,
        mem_level=None,
        compression_strategy=None,
    ):
        self.compression_type = compression_type
        self.compression_level = compression_level

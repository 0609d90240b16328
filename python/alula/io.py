"""Files and their formats."""

import typing as _typing

from alula import _gfile as gfile
from alula._native.io import *  # noqa: F403


class FixedLenFeature(_typing.NamedTuple):
    """A feature that has as many values in each example."""

    shape: _typing.Any
    dtype: _typing.Any
    default_value: _typing.Any = None


class VarLenFeature(_typing.NamedTuple):
    """A feature that may have any number of values, or none."""

    dtype: _typing.Any


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

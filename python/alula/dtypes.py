"""The types of elements."""

from alula._native import (  # noqa: F401
    DType,
    as_dtype,
    bfloat16,
    bool,
    cast,
    double,
    float16,
    float32,
    float64,
    half,
    int8,
    int16,
    int32,
    int64,
    saturate_cast,
    string,
    uint8,
    uint16,
    uint32,
    uint64,
)

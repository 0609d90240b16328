"""What the parts share: reproducible arrays, and safetensors files with a list of their cases."""

import json
import zlib

import numpy as np
from safetensors.numpy import save_file


def generator(name):
    """A NumPy generator whose seed is made from a name, so that cases don't depend on each other."""
    return np.random.default_rng(zlib.crc32(name.encode()))


def normal(name, *shape, scale=1.0):
    """float32 values of a normal distribution."""
    return (generator(name).standard_normal(shape) * scale).astype(np.float32)


def probabilities(name, *shape):
    """float32 rows that sum to one."""
    values = np.exp(generator(name).standard_normal(shape) * 1.5)
    return (values / values.sum(-1, keepdims=True)).astype(np.float32)


class Tensors:
    """Collects named arrays and case descriptions, and writes one safetensors file."""

    def __init__(self):
        self.arrays = {}
        self.cases = []

    def add(self, key, value):
        array = np.ascontiguousarray(np.asarray(value))
        if array.dtype == np.float64:
            array = array.astype(np.float32)
        if key in self.arrays:
            raise KeyError(f"{key} is there twice")
        self.arrays[key] = array.reshape(np.shape(value))

    def add_case(self, key, **description):
        self.cases.append({"key": key, **description})

    def save(self, path):
        save_file(self.arrays, path, metadata={"cases": json.dumps(self.cases)})
        print(f"  {path.name}: {len(self.cases)} cases, {path.stat().st_size / 1024:.0f} KB")

"""Tensors of other libraries without copies, by DLPack.

>>> import numpy as np
>>> tf.experimental.dlpack.from_dlpack(np.arange(3, dtype=np.float32))
<tf.Tensor: shape=(3,), dtype=float32, numpy=array([0., 1., 2.], dtype=float32)>
"""

from alula._native import _from_dlpack as from_dlpack


def to_dlpack(tf_tensor):
    """A capsule that other libraries make a tensor of, over the same elements."""
    return tf_tensor.__dlpack__()


__all__ = ["from_dlpack", "to_dlpack"]

"""Linear algebra."""

from collections import namedtuple as _namedtuple

from alula import _native
from alula._native import eye  # noqa: F401
from alula._native.linalg import *  # noqa: F403
from alula._native.linalg import _lu, _qr, _slogdet

# TensorFlow's names of these results.
Lu = _namedtuple("Lu", ["lu", "p"])
Qr = _namedtuple("Qr", ["q", "r"])
LogMatrixDeterminant = _namedtuple("LogMatrixDeterminant", ["sign", "log_abs_determinant"])


def lu(input, output_idx_type=_native.int32, name=None):
    """Square matrices as lower times upper triangular ones, and the order of the rows: lu holds both triangles
    (L's diagonal is 1), and row i of L @ U is row p[i] of the input. A singular matrix is an error.

    >>> lu, p = tf.linalg.lu([[0.0, 1.0], [2.0, 3.0]])
    >>> lu.numpy(), p.numpy()
    (array([[2., 3.],
           [0., 1.]], dtype=float32), array([1, 0], dtype=int32))
    """
    return Lu(*_lu(input, output_idx_type))


def qr(input, full_matrices=False, name=None):
    """Matrices as products of q, with orthogonal columns, and an upper triangular r.

    >>> q, r = tf.linalg.qr([[0.0, 1.0], [-2.0, 3.0]])
    >>> bool(tf.reduce_all(abs(q @ r - [[0.0, 1.0], [-2.0, 3.0]]) < 1e-6))
    True
    """
    return Qr(*_qr(input, full_matrices))


def slogdet(input, name=None):
    """The sign of the determinants of square matrices, and the logarithm of their size.

    >>> sign, log = tf.linalg.slogdet([[0.0, 1.0], [1.0, 0.0]])
    >>> float(sign), float(log)
    (-1.0, 0.0)
    """
    return LogMatrixDeterminant(*_slogdet(input))

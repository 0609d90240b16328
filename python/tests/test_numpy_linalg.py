"""Decompositions of matrices and special functions, compared with NumPy and with known values."""

import math

import numpy as np
import pytest

import alula as tf

random = np.random.default_rng(5)


def square(dtype, *shape):
    """Random square matrices that are far from singular."""
    return (random.normal(size=shape) + 4 * np.eye(shape[-1])).astype(dtype)


def definite(dtype, *shape):
    x = random.normal(size=shape)
    return (x @ np.swapaxes(x, -1, -2) + np.eye(shape[-1])).astype(dtype)


def close(actual, expected, dtype):
    tolerance = 2e-4 if dtype == np.float32 else 1e-9
    assert actual.dtype == tf.as_dtype(np.asarray(expected).dtype)
    np.testing.assert_allclose(actual, expected, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", [(1, 1), (4, 4), (3, 5, 5), (2, 1, 3, 3), (0, 2, 2), (70, 70)])
def test_square(dtype, shape):
    a, b = square(dtype, *shape), random.normal(size=shape[:-1] + (2,)).astype(dtype)
    t = np.swapaxes(a, -1, -2)
    close(tf.linalg.inv(a), np.linalg.inv(a), dtype)
    close(tf.linalg.inv(a, adjoint=True), np.linalg.inv(t), dtype)
    close(tf.linalg.solve(a, b), np.linalg.solve(a, b), dtype)
    close(tf.linalg.solve(a, b, adjoint=True), np.linalg.solve(t, b), dtype)
    sign, log = tf.linalg.slogdet(a)
    close(sign, np.linalg.slogdet(a)[0], dtype)
    close(log, np.linalg.slogdet(a)[1], dtype)
    if shape[-1] < 10:
        close(tf.linalg.det(a), np.linalg.det(a), dtype)
    close(tf.linalg.triangular_solve(a, b), np.linalg.solve(np.tril(a), b), dtype)
    close(tf.linalg.triangular_solve(a, b, lower=False, adjoint=True),
          np.linalg.solve(np.swapaxes(np.triu(a), -1, -2), b), dtype)
    lu, p = tf.linalg.lu(a)
    close(tf.linalg.lu_reconstruct(lu, p), a, dtype)
    close(tf.linalg.lu_solve(lu, p, b), np.linalg.solve(a, b), dtype)
    close(tf.linalg.lu_matrix_inverse(lu, p), np.linalg.inv(a), dtype)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", [(1, 1), (4, 4), (3, 5, 5), (40, 40)])
def test_symmetric(dtype, shape):
    a, b = definite(dtype, *shape), random.normal(size=shape[:-1] + (3,)).astype(dtype)
    chol = tf.linalg.cholesky(a)
    close(chol, np.linalg.cholesky(a), dtype)
    loose = 2e-2 if dtype == np.float32 else 1e-9
    np.testing.assert_allclose(tf.linalg.cholesky_solve(chol, b), np.linalg.solve(a, b), rtol=loose, atol=loose)
    close(tf.linalg.logdet(a), np.linalg.slogdet(a)[1], dtype)
    e, v = tf.linalg.eigh(a)
    np.testing.assert_allclose(e, np.linalg.eigvalsh(a), rtol=1e-4, atol=1e-3)
    np.testing.assert_allclose((v * e[..., None, :]) @ tf.linalg.matrix_transpose(v), a, rtol=1e-3, atol=1e-3)
    np.testing.assert_allclose(tf.linalg.eigvalsh(a), e, rtol=1e-4, atol=1e-3)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize("shape", [(4, 4), (6, 3), (3, 6), (2, 5, 2), (30, 60), (0, 3), (3, 0)])
def test_orthogonal(dtype, full, shape):
    a = random.normal(size=shape).astype(dtype)
    q, r = tf.linalg.qr(a, full_matrices=full)
    mode = "complete" if full else "reduced"
    expected = np.linalg.qr(a, mode=mode) if 0 not in shape else (q.numpy(), r.numpy())
    assert q.shape == expected[0].shape and r.shape == expected[1].shape
    close(q @ r, a, dtype)
    close(abs(r), abs(expected[1]), dtype)
    s, u, v = tf.linalg.svd(a, full_matrices=full)
    un, sn, vn = np.linalg.svd(a, full_matrices=full)
    assert u.shape == un.shape and v.shape == np.swapaxes(vn, -1, -2).shape
    close(s, sn, dtype)
    close(tf.linalg.svd(a, compute_uv=False), sn, dtype)
    k = min(shape[-2:])
    close((u[..., :k] * s[..., None, :]) @ tf.linalg.matrix_transpose(v[..., :k]), a, dtype)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_what_stands_on_them(dtype):
    a, b = random.normal(size=(2, 6, 3)).astype(dtype), random.normal(size=(2, 6, 2)).astype(dtype)
    expected = np.stack([np.linalg.lstsq(x, y, rcond=None)[0] for x, y in zip(a, b)])
    for fast in (True, False):
        close(tf.linalg.lstsq(a, b, fast=fast), expected, dtype)
    wide = np.swapaxes(a, -1, -2)
    close(tf.linalg.lstsq(wide, b[:, :3]), np.linalg.pinv(wide) @ b[:, :3], dtype)
    ridge = np.linalg.solve(wide @ a + 0.5 * np.eye(3, dtype=dtype), wide @ b).astype(dtype)
    close(tf.linalg.lstsq(a, b, l2_regularizer=0.5), ridge, dtype)
    close(tf.linalg.pinv(a), np.linalg.pinv(a), dtype)
    low = (a[0] @ random.normal(size=(3, 5))).astype(dtype)
    close(tf.linalg.pinv(low), np.linalg.pinv(low, rcond=1e-5).astype(dtype), np.float32)
    assert tf.linalg.matrix_rank(low).numpy() == 3 == np.linalg.matrix_rank(low)
    assert tf.linalg.matrix_rank(np.diag([3.0, 2.0, 1.0]), tol=1.5).numpy() == 2
    x = np.array([[0.0, -math.pi / 3], [math.pi / 3, 0.0]], dtype=dtype)
    close(tf.linalg.expm(x), np.array([[0.5, -(0.75**0.5)], [0.75**0.5, 0.5]], dtype=dtype), dtype)


def test_results_have_names():
    assert tf.linalg.qr(np.eye(2))._fields == ("q", "r")
    assert tf.linalg.lu(np.eye(2), output_idx_type=tf.int64).p.dtype == tf.int64
    assert tf.linalg.slogdet(np.eye(2)).log_abs_determinant.numpy() == 0


def test_errors():
    singular = [[1.0, 2.0], [2.0, 4.0]]
    for f in (tf.linalg.inv, tf.linalg.lu, lambda x: tf.linalg.solve(x, x)):
        with pytest.raises(tf.errors.InvalidArgumentError, match="is not invertible"):
            f(singular)
    with pytest.raises(tf.errors.InvalidArgumentError, match="not positive definite"):
        tf.linalg.cholesky([[1.0, 2.0], [2.0, 1.0]])
    with pytest.raises(tf.errors.InvalidArgumentError, match="must be square"):
        tf.linalg.det([[1.0, 2.0]])
    with pytest.raises(tf.errors.InvalidArgumentError, match="takes float32, float64"):
        tf.linalg.inv([[1]])


def test_gradients_and_functions():
    a = tf.constant(square(np.float64, 3, 3))
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(a)
        det, log = tf.linalg.det(a), tf.linalg.slogdet(a).log_abs_determinant
    inverse = np.linalg.inv(a).T
    np.testing.assert_allclose(tape.gradient(det, a), np.linalg.det(a) * inverse)
    np.testing.assert_allclose(tape.gradient(log, a), inverse)
    compiled = tf.function(lambda x, y: tf.linalg.solve(x, y) + tf.linalg.inv(x) @ y)
    np.testing.assert_allclose(compiled(a, a), 2 * np.eye(3), atol=1e-12)
    mapped = tf.vectorized_map(tf.linalg.cholesky, definite(np.float64, 4, 3, 3))
    assert mapped.shape == (4, 3, 3)


def test_special_functions():
    x = np.concatenate([np.linspace(0.01, 20, 400), [1e-6, 100.0, 1e6]])
    for dtype, tolerance in ((np.float32, 2e-6), (np.float64, 1e-12)):
        at = x.astype(dtype)
        np.testing.assert_allclose(tf.math.lgamma(at), [math.lgamma(v) for v in at], rtol=tolerance, atol=tolerance)
        np.testing.assert_allclose(tf.math.erfc(at), [math.erfc(v) for v in at], rtol=4 * tolerance, atol=1e-38)
        np.testing.assert_allclose(tf.math.digamma(at + 1) - tf.math.digamma(at), 1 / at, rtol=1e-3, atol=1e-5)
        np.testing.assert_allclose(
            tf.math.digamma(dtype([1, 0.5, 4])), [-0.5772156649015329, -1.9635100260214235, 1.2561176684318005],
            rtol=tolerance)
        np.testing.assert_allclose(
            tf.math.zeta(dtype([2, 4]), dtype(1)), [math.pi**2 / 6, math.pi**4 / 90], rtol=tolerance)
        np.testing.assert_allclose(
            tf.math.polygamma(dtype([1, 2]), dtype([0.5, 1])), [math.pi**2 / 2, -2.404113806319189], rtol=tolerance)
        np.testing.assert_allclose(
            tf.math.ndtri(dtype([0.975, 0.5, 1e-10])), [1.959963984540054, 0, -6.361340902404056], rtol=3 * tolerance)
        y = np.linspace(-2, 2, 101).astype(dtype)
        np.testing.assert_allclose(tf.math.erfcinv(tf.math.erfc(y)), y, rtol=1e-4, atol=4e-5)
        np.testing.assert_allclose(tf.math.lbeta(dtype([2, 3])), -math.log(12), rtol=tolerance)

"""Functions of arrays, tf.linalg and tf.nn beside NumPy."""

import numpy as np
import pytest

import alula as tf

DTYPES = [np.float16, np.float32, np.float64, np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint64, np.bool_]
RNG = np.random.default_rng(0)


def sample(dtype, shape):
    return RNG.integers(0, 2 if dtype is np.bool_ else 100, shape).astype(dtype)


def same(actual, expected):
    expected = np.asarray(expected)
    assert tuple(actual.shape) == expected.shape
    np.testing.assert_array_equal(actual.numpy(), expected)


def near(actual, expected, tolerance=1e-5):
    expected = np.asarray(expected)
    assert tuple(actual.shape) == expected.shape
    np.testing.assert_allclose(actual.numpy(), expected, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("dtype", DTYPES, ids=lambda d: d.__name__)
def test_moving_elements(dtype):
    x = sample(dtype, (2, 3, 4))
    assert tf.constant(x).dtype.as_numpy_dtype == dtype
    same(tf.reshape(x, [4, -1]), x.reshape(4, -1))
    same(tf.transpose(x), x.T)
    same(tf.transpose(x, [1, 0, 2]), x.transpose(1, 0, 2))
    same(tf.expand_dims(x, -1), x[..., None])
    same(tf.squeeze(x[:, :1], axis=1), x[:, 0])
    same(tf.reverse(x, [0, -1]), x[::-1, :, ::-1])
    same(tf.roll(x, [1, -2], [0, 2]), np.roll(x, (1, -2), (0, 2)))
    same(tf.tile(x, [2, 1, 3]), np.tile(x, (2, 1, 3)))
    same(tf.repeat(x, 2, axis=1), np.repeat(x, 2, 1))
    same(tf.repeat(x, [1, 0, 2], axis=1), np.repeat(x, [1, 0, 2], 1))
    same(tf.repeat(x, 2), np.repeat(x, 2))
    same(tf.concat([x, x], -1), np.concatenate([x, x], -1))
    same(tf.stack([x, x], 1), np.stack([x, x], 1))
    for ours, theirs in zip(tf.unstack(x, axis=1), np.moveaxis(x, 1, 0)):
        same(ours, theirs)
    for ours, theirs in zip(tf.split(x, [1, 3], axis=2), np.split(x, [1], 2)):
        same(ours, theirs)
    same(tf.slice(x, [0, 1, 1], [2, -1, 2]), x[:, 1:, 1:3])
    same(tf.strided_slice(x, [0, 2], [2, 0], [1, -1]), x[0:2, 2:0:-1])
    same(tf.gather(x, [2, 0], axis=1), x[:, [2, 0]])
    same(tf.gather_nd(x, [[1, 2], [0, 0]]), x[[1, 0], [2, 0]])
    same(tf.broadcast_to(x[:1], [2, 3, 4]), np.broadcast_to(x[:1], (2, 3, 4)))
    same(tf.pad(x, [[1, 0], [0, 2], [1, 1]]), np.pad(x, ((1, 0), (0, 2), (1, 1))))
    same(tf.pad(x, [[1, 1], [0, 2], [1, 1]], "REFLECT"), np.pad(x, ((1, 1), (0, 2), (1, 1)), "reflect"))
    same(tf.pad(x, [[1, 1], [0, 2], [1, 1]], "symmetric"), np.pad(x, ((1, 1), (0, 2), (1, 1)), "symmetric"))
    same(tf.zeros_like(x), np.zeros_like(x))
    same(tf.ones_like(x), np.ones_like(x))
    same(tf.zeros([2, 0], dtype), np.zeros((2, 0), dtype))
    same(tf.fill([2], x[0, 0, 0]), np.full(2, x[0, 0, 0]))
    mask = x[0] > x[0].mean() if dtype is not np.bool_ else x[0]
    same(tf.where(mask, x[0], x[1]), np.where(mask, x[0], x[1]))
    same(tf.where(x), np.argwhere(x))
    same(tf.boolean_mask(x[1], mask), x[1][mask])
    same(tf.boolean_mask(x, mask[0], axis=2), x[:, :, mask[0]])
    same(tf.constant(x[1])[mask], x[1][mask])
    y, idx, count = tf.unique_with_counts(x.ravel())
    values, first, counts = np.unique(x.ravel(), return_index=True, return_counts=True)
    order = np.argsort(first)
    same(y, values[order])
    same(count, counts[order])
    same(tf.gather(y, idx), x.ravel())
    same(tf.tensor_scatter_nd_update(x[0], [[1]], x[1][:1]), np.concatenate([x[0][:1], x[1][:1], x[0][2:]]))
    if dtype is not np.bool_:
        same(tf.sort(x, axis=1), np.sort(x, 1))
        same(tf.sort(x, direction="DESCENDING"), -np.sort(-x.astype(np.float64)))
        same(tf.argsort(x, axis=0), np.argsort(x, 0, kind="stable"))
        same(tf.clip_by_value(x, x.dtype.type(20), x.dtype.type(70)), np.clip(x, 20, 70))
        row = np.sort(x.ravel())
        for side in ("left", "right"):
            same(tf.searchsorted(row, x[0, 0], side=side), np.searchsorted(row, x[0, 0], side))
        added = x[0].copy()
        np.add.at(added, [1, 1], x[1][:2])
        same(tf.tensor_scatter_nd_add(x[0], [[1], [1]], x[1][:2]), added)


def test_empty_and_scalar():
    empty = np.zeros((0, 3), np.float32)
    same(tf.concat([empty, empty], 0), empty)
    same(tf.reshape(empty, [3, 0]), empty.reshape(3, 0))
    same(tf.transpose(empty), empty.T)
    same(tf.where(empty), np.argwhere(empty))
    same(tf.gather(empty, np.zeros(0, np.int32)), empty)
    same(tf.sort(empty), empty)
    same(tf.reshape(5, [1]), [5])
    same(tf.transpose(5), 5)
    same(tf.broadcast_to(5, [2, 2]), np.full((2, 2), 5))
    same(tf.where(True, 1, 2), 1)


def test_ranges_and_grids():
    same(tf.range(5), np.arange(5))
    same(tf.range(5, 1, -2), np.arange(5, 1, -2))
    near(tf.range(0.0, 1.0, 0.25), np.arange(0, 1, 0.25))
    assert tf.range(3.0).dtype == tf.float32 and tf.range(np.int64(3)).dtype == tf.int64
    near(tf.linspace(0.0, 3.0, 7), np.linspace(0, 3, 7))
    near(tf.linspace([0.0, 1.0], [2.0, 5.0], 3), np.linspace([0, 1], [2, 5], 3))
    near(tf.linspace([0.0, 1.0], [2.0, 5.0], 3, axis=-1), np.linspace([0, 1], [2, 5], 3, axis=-1))
    same(tf.eye(2, 3), np.eye(2, 3))
    for indexing in ("xy", "ij"):
        for ours, theirs in zip(tf.meshgrid([1, 2], [3, 4, 5], [6, 7], indexing=indexing),
                                np.meshgrid([1, 2], [3, 4, 5], [6, 7], indexing=indexing)):
            same(ours, theirs)
    same(tf.one_hot([0, 2, 5], 3), [[1, 0, 0], [0, 0, 1], [0, 0, 0]])
    same(tf.one_hot([0, 1], 2, on_value=True, off_value=False), np.eye(2, dtype=bool))
    same(tf.sequence_mask([1, 3], 4), [[1, 0, 0, 0], [1, 1, 1, 0]])
    same(tf.shape(np.zeros((2, 0, 3))), [2, 0, 3])
    assert int(tf.size(np.zeros((2, 3)))) == 6 and int(tf.rank(np.zeros((2, 3)))) == 2


def test_casts():
    x = np.array([-1.5, 0.0, 2.7, 300.0])
    same(tf.cast(x, tf.int32), x.astype(np.int32))
    same(tf.cast(x, tf.bool), x.astype(bool))
    same(tf.cast([True, False], tf.float32), [1.0, 0.0])
    same(tf.saturate_cast(np.array([-5, 300, 7]), tf.uint8), [0, 255, 7])
    same(tf.saturate_cast(np.array([2**40, -(2**40)]), tf.int16), [32767, -32768])
    same(tf.saturate_cast(np.array([200], np.uint8), tf.int8), [127])
    assert tf.dtypes.as_dtype("float32") is tf.float32 and tf.dtypes.cast is tf.cast


def test_linalg():
    a, b = RNG.uniform(-1, 1, (2, 3, 4)), RNG.uniform(-1, 1, (2, 4, 5))
    near(tf.matmul(a, b), a @ b)
    near(tf.matmul(a, b.transpose(0, 2, 1), transpose_b=True), a @ b)
    near(tf.linalg.matvec(a, b[:, :, 0]), np.einsum("bij,bj->bi", a, b[:, :, 0]))
    near(tf.einsum("bij,bjk->bk", a, b), np.einsum("bij,bjk->bk", a, b))
    near(tf.tensordot(a, b, [[0, 2], [0, 1]]), np.tensordot(a, b, [[0, 2], [0, 1]]))
    near(tf.tensordot(a[0], b[0], 1), np.tensordot(a[0], b[0], 1))
    near(tf.linalg.matrix_transpose(a), np.swapaxes(a, 1, 2))
    near(tf.norm(a), np.linalg.norm(a))
    near(tf.norm(a, axis=-1, keepdims=True), np.linalg.norm(a, axis=-1, keepdims=True))
    for order in (1, 3, np.inf):
        near(tf.norm(a, ord=order, axis=1), np.linalg.norm(a, order, axis=1))
    for order in ("fro", 1, np.inf):
        near(tf.norm(a, ord=order, axis=[-2, -1]), np.linalg.norm(a, order, axis=(-2, -1)))
    near(tf.linalg.trace(a), np.trace(a, axis1=1, axis2=2))
    for k in (-1, 0, 2):
        near(tf.linalg.diag_part(a[0], k=k), np.diag(a[0], k))
        near(tf.linalg.diag(a[0, 0], k=k), np.diag(a[0, 0], k))
    near(tf.linalg.band_part(a, -1, 0), np.tril(a))
    near(tf.linalg.band_part(a, 0, -1), np.triu(a))
    near(tf.linalg.cross(a[..., :3], a[..., 1:]), np.cross(a[..., :3], a[..., 1:]))
    near(tf.linalg.global_norm([a, b]), np.sqrt((a**2).sum() + (b**2).sum()))
    near(tf.clip_by_norm(a, 0.5), a * 0.5 / np.linalg.norm(a))
    clipped, length = tf.clip_by_global_norm([a, None, b], 0.5)
    assert clipped[1] is None
    near(clipped[0], a * 0.5 / length.numpy())
    near(tf.math.l2_normalize(a, -1), a / np.linalg.norm(a, axis=-1, keepdims=True))


def correlate(x, w, stride):
    n, h, wid, _ = x.shape
    kh, kw, _, o = w.shape
    oh, ow = (h - kh) // stride + 1, (wid - kw) // stride + 1
    y = np.zeros((n, oh, ow, o))
    for i in range(oh):
        for j in range(ow):
            patch = x[:, i * stride : i * stride + kh, j * stride : j * stride + kw]
            y[:, i, j] = np.tensordot(patch, w, 3)
    return y


def test_convolutions():
    x, w = RNG.uniform(-1, 1, (2, 6, 7, 3)), RNG.uniform(-1, 1, (3, 2, 3, 4))
    for strides in (2, [2, 2], [1, 2, 2, 1]):
        near(tf.nn.conv2d(x, w, strides, "VALID"), correlate(x, w, 2))
    first = tf.nn.conv2d(x.transpose(0, 3, 1, 2), w, [1, 1, 2, 2], "VALID", data_format="NCHW")
    near(first, correlate(x, w, 2).transpose(0, 3, 1, 2))
    padded = np.pad(x, ((0, 0), (1, 2), (0, 1), (0, 0)))
    near(tf.nn.conv2d(x, w, 1, [[0, 0], [1, 2], [0, 1], [0, 0]]), correlate(padded, w, 1))
    depth = RNG.uniform(-1, 1, (2, 2, 3, 2))
    expected = np.concatenate([correlate(x[..., c : c + 1], depth[:, :, c : c + 1], 1) for c in range(3)], -1)
    near(tf.nn.depthwise_conv2d(x, depth, [1, 1, 1, 1], "VALID"), expected)
    point = RNG.uniform(-1, 1, (1, 1, 6, 2))
    near(tf.nn.separable_conv2d(x, depth, point, [1, 1, 1, 1], "VALID"), expected @ point[0, 0])
    near(tf.nn.conv1d(x[:, 0], w[0], 1, "VALID"), correlate(x[:, :1], w[:1], 1)[:, 0])
    assert tf.nn.conv2d_transpose(x, RNG.uniform(size=(2, 2, 5, 3)), [2, 12, 14, 5], 2).shape == (2, 12, 14, 5)
    windows = x[:, :6, :6].reshape(2, 3, 2, 3, 2, 3)
    near(tf.nn.max_pool2d(x, 2, 2, "VALID"), windows.max((2, 4)))
    near(tf.nn.avg_pool2d(x, [1, 2, 2, 1], [1, 2, 2, 1], "VALID"), windows.mean((2, 4)))
    near(tf.nn.max_pool(x, 2, 2, "VALID"), windows.max((2, 4)))
    near(tf.nn.max_pool1d(x[:, 0, :6], 2, 2, "VALID"), x[:, 0, :6].reshape(2, 3, 2, 3).max(2))
    with pytest.raises(tf.errors.InvalidArgumentError, match="data_format"):
        tf.nn.conv2d(x, w, 1, "SAME", data_format="HWCN")
    with pytest.raises(tf.errors.InvalidArgumentError, match="batch and channels"):
        tf.nn.conv2d(x, w, [2, 1, 1, 1], "SAME")


def test_layers_and_losses():
    x = RNG.uniform(-2, 2, (4, 5))
    near(tf.nn.relu(x), np.maximum(x, 0))
    near(tf.nn.relu6(x * 5), np.clip(x * 5, 0, 6))
    near(tf.nn.leaky_relu(x), np.where(x > 0, x, 0.2 * x))
    near(tf.nn.elu(x), np.where(x > 0, x, np.expm1(x)))
    near(tf.nn.silu(x, 2.0), x / (1 + np.exp(-2 * x)))
    near(tf.nn.crelu(x), np.concatenate([np.maximum(x, 0), np.maximum(-x, 0)], -1))
    mean, variance = tf.nn.moments(x, [0])
    near(mean, x.mean(0))
    near(variance, x.var(0))
    near(tf.nn.batch_normalization(x, mean, variance, 1.0, 2.0, 1e-3),
         (x - x.mean(0)) / np.sqrt(x.var(0) + 1e-3) * 2 + 1)
    near(tf.nn.l2_loss(x), (x**2).sum() / 2)
    labels = RNG.uniform(size=(4, 5))
    p = 1 / (1 + np.exp(-x))
    near(tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=x),
         -labels * np.log(p) - (1 - labels) * np.log(1 - p))
    near(tf.nn.weighted_cross_entropy_with_logits(labels, x, 3.0),
         -labels * np.log(p) * 3 - (1 - labels) * np.log(1 - p))
    log_p = x - np.log(np.exp(x).sum(-1, keepdims=True))
    near(tf.nn.softmax_cross_entropy_with_logits(labels, x), -(labels * log_p).sum(-1))
    near(tf.nn.softmax_cross_entropy_with_logits(labels.T, x.T, axis=0), -(labels * log_p).sum(-1))
    near(tf.nn.sparse_softmax_cross_entropy_with_logits([0, 4, 2, 1], x), -log_p[range(4), [0, 4, 2, 1]])
    near(tf.nn.bias_add(x, np.arange(5.0)), x + np.arange(5))
    near(tf.nn.bias_add(x[:, :, None], np.arange(5.0), "NCW"), (x + np.arange(5))[:, :, None])
    near(tf.nn.embedding_lookup(x, [[3, 0]]), x[[[3, 0]]])
    images = RNG.uniform(size=(1, 4, 6, 2))
    near(tf.nn.depth_to_space(tf.nn.space_to_depth(images, 2), 2), images)
    assert tf.nn.space_to_depth(images, 2).shape == (1, 2, 3, 8)
    kept = tf.nn.dropout(tf.ones([1000]), 0.5, seed=1).numpy()
    assert set(np.unique(kept)) == {0.0, 2.0} and 400 < (kept > 0).sum() < 600
    with pytest.raises(ValueError, match="rate"):
        tf.nn.dropout(tf.ones([2]), 1.0)


def test_random_numbers_follow_their_seeds():
    for draw in (tf.random.normal, tf.random.uniform, tf.random.truncated_normal):
        tf.random.set_seed(3)
        first = draw([50]).numpy()
        tf.random.set_seed(3)
        same(draw([50]), first)
        assert not np.array_equal(draw([50]).numpy(), first)
    near(tf.random.normal([20000], 5.0, 2.0, seed=1).numpy().mean() * tf.ones([]), 5, 0.05)
    assert abs(tf.random.normal([20000, 2], [0.0, 9.0], seed=1).numpy().mean(0)[1] - 9) < 0.1
    assert np.sort(tf.random.shuffle(tf.range(9)).numpy()).tolist() == list(range(9))
    same(tf.random.stateless_uniform([4], [1, 2]), tf.random.stateless_uniform([4], [1, 2]).numpy())
    same(tf.random.categorical([[0.0, 100.0]], 3), [[1, 1, 1]])
    with pytest.raises(tf.errors.InvalidArgumentError, match="maxval"):
        tf.random.uniform([2], dtype=tf.int32)

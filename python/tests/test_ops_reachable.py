"""Every op of the table runs through some public function, or it is said here who makes it."""

import os

import numpy as np
import pytest

import alula as tf
from alula import _native

# Ops that no call of a function makes by itself.
MADE_BY_OTHERS = {
    "GradientTape": [
        "avg_pool2d_gradient",
        "batch_norm_gradient",
        "conv2d_backprop_filter",
        "max_pool2d_gradient",
        "max_pool2d_pick",
        "resize_gradient",
        "scatter_in_rows",
        "softmax_cross_entropy_gradient",
        "sparse_softmax_cross_entropy_gradient",
        "sum_to",
    ],
    "the compiler of tf.function": [
        "conv2d_filter_gradient_at",
        "conv2d_fused",
        "conv2d_input_gradient_at",
        "elementwise_reduce",
        "gather_elementwise",
        "matmul_elementwise",
        "max_pool2d_gather",
        "max_pool2d_scatter",
        "max_pool2d_with_positions",
    ],
    "Keras's optimizers": ["multi_elementwise"],
    "Keras's BatchNormalization": ["lerp"],
    "py_function and numpy_function": ["host_function"],
    "cond, while_loop, map_fn and scan in a tf.function": ["cond", "while", "while_loop", "map_fn", "scan"],
}


def every_function(folder):
    image = np.arange(48, dtype=np.float32).reshape(1, 4, 4, 3) / 48
    x, flags = tf.constant([0.5, 0.25]), tf.constant([True, False])
    for name in ("abs acos asin asinh atan atanh ceil cos cosh digamma erf erfc erfcinv erfinv exp expm1 floor is_finite is_inf is_nan "
                 "lgamma log log1p log_sigmoid ndtri negative reciprocal round rsqrt sigmoid sign sin sinh softplus softsign sqrt "
                 "square tan tanh").split():
        getattr(tf.math, name)(x)
    tf.math.acosh(x + 2.0)
    tf.logical_not(flags)
    for name in ("add atan2 divide_no_nan equal floordiv floormod greater greater_equal less less_equal maximum "
                 "minimum multiply multiply_no_nan not_equal pow squared_difference subtract truediv xdivy xlog1py "
                 "xlogy zeta polygamma").split():
        getattr(tf.math, name)(x, x)
    for name in ("logical_and", "logical_or", "logical_xor"):
        getattr(tf.math, name)(flags, flags)
    for name in "reduce_sum reduce_mean reduce_prod reduce_max reduce_min argmax argmin".split():
        getattr(tf.math, name)(x, axis=0)
    tf.reduce_any(flags), tf.reduce_all(flags), tf.cumsum(x), tf.math.cumprod(x), tf.nn.softmax(x), tf.nn.log_softmax(x)
    tf.math.top_k(x), tf.math.in_top_k([1], [[0.5, 1.0]], 1), tf.bitwise.bitwise_and(1, 3)
    for name in "relu relu6 elu selu gelu leaky_relu silu".split():
        getattr(tf.nn, name)(x)
    tf.nn.gelu(x, approximate=True), tf.raw_ops.hard_sigmoid(x), tf.raw_ops.mish(x)
    tf.raw_ops.mul_add(x, x, x), tf.raw_ops.batch_norm(image, tf.ones([3]), tf.zeros([3]))
    tf.zeros([2]), tf.zeros_like(x), tf.ones_like(x), tf.range(3), tf.linspace(0.0, 1.0, 3), tf.eye(2)
    tf.reshape(x, [1, 2]), tf.expand_dims(x, 0), tf.squeeze([[1]]), tf.identity(x), tf.stop_gradient(x)
    tf.concat([x, x], 0), tf.stack([x, x]), tf.unstack(x), tf.split(x, 2), tf.tile(x, [2]), tf.broadcast_to(x, [3, 2])
    tf.gather(x, [0]), tf.gather_nd(x, [[0]]), tf.one_hot([0], 2), tf.where(flags, x, x), tf.where(flags)
    tf.clip_by_value(x, 0.0, 1.0), tf.pad(x, [[1, 1]]), tf.reverse(x, [0]), tf.roll(x, 1, 0), tf.sort(x), tf.argsort(x)
    tf.searchsorted([1.0, 2.0], x), tf.scatter_nd([[0]], [1.0], [2]), tf.tensor_scatter_nd_update(x, [[0]], [1.0])
    tf.slice(x, [0], [1]), x[::2], tf.transpose([[1, 2]]), tf.unique([1, 1]), tf.cast(x, tf.int32), tf.fill([2], 1)
    tf.matmul([[1.0]], [[1.0]]), tf.nn.conv2d(image, tf.ones([2, 2, 3, 1]), 1, "SAME")
    for name in "cholesky det eigh expm inv lu qr slogdet svd".split():
        getattr(tf.linalg, name)([[2.0]])
    tf.linalg.solve([[2.0]], [[1.0]]), tf.linalg.triangular_solve([[2.0]], [[1.0]])
    tf.nn.conv2d_transpose(image, tf.ones([2, 2, 1, 3]), [1, 4, 4, 1], 1)
    tf.nn.max_pool2d(image, 2, 2, "SAME"), tf.nn.avg_pool2d(image, 2, 2, "SAME"), tf.nn.dropout(x, 0.5)
    tf.nn.bias_add(image, tf.ones([3]))
    tf.nn.softmax_cross_entropy_with_logits([[0.5, 0.5]], [[1.0, 2.0]])
    tf.nn.sparse_softmax_cross_entropy_with_logits([0], [[1.0, 2.0]])
    tf.random.normal([2]), tf.random.uniform([2]), tf.random.truncated_normal([2]), tf.random.shuffle(x)
    tf.image.resize(image, [2, 2]), tf.image.resize_with_crop_or_pad(image, 2, 6)
    texts = tf.constant(["a b", "C d"])
    tf.strings.lower(texts), tf.strings.upper(texts), tf.strings.strip(texts), tf.strings.length(texts)
    tf.strings.substr(texts, 0, 1), tf.strings.split(texts), tf.strings.join([texts, texts])
    tf.strings.regex_replace(texts, "a", "b"), tf.strings.regex_full_match(texts, "a b")
    tf.strings.to_number("1"), tf.strings.as_string(1), texts == "a b", tf.where(flags, texts, texts)
    tf.io.decode_csv("1,2", [0, 0]), tf.io.decode_raw("abcd", tf.uint8)
    path = os.path.join(folder, "file")
    tf.io.write_file(path, "text")
    tf.io.read_file(path)


def test_every_op_is_reachable(tmp_path):
    ran = set(_native._ops_run(lambda: every_function(str(tmp_path))))
    elsewhere = {name for names in MADE_BY_OTHERS.values() for name in names}
    missing = sorted(set(_native._op_names()) - ran - elsewhere - {"elementwise"})
    assert not missing, f"no public function runs {missing}"


@pytest.mark.parametrize("name", ["math", "linalg", "nn", "random", "strings", "image", "io", "bitwise"])
def test_every_function_has_a_docstring(name):
    module = getattr(tf, name)
    for function in vars(module):
        if not function.startswith("_") and callable(getattr(module, function)):
            assert getattr(module, function).__doc__, f"tf.{name}.{function}"

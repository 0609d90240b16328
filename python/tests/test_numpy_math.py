"""tf.math beside NumPy: dtypes, shapes, broadcasting, axes."""

import math

import numpy as np
import pytest

import alula as tf

FLOATS = [np.float16, np.float32, np.float64]
SIGNED = [np.int8, np.int16, np.int32, np.int64]
UNSIGNED = [np.uint8, np.uint16, np.uint32, np.uint64]
INTS = SIGNED + UNSIGNED
NUMBERS = FLOATS + INTS
SHAPES = [(), (0,), (1,), (7,), (3, 4), (2, 0, 3), (2, 3, 5)]
TOLERANCE = {np.float16: 4e-3, np.float32: 3e-6, np.float64: 1e-12}


def sample(dtype, shape, low=-4, high=4, seed=0):
    rng = np.random.default_rng(seed)
    if dtype is np.bool_:
        return rng.integers(0, 2, shape).astype(dtype)
    if np.issubdtype(dtype, np.integer):
        low = max(low, 0) if np.issubdtype(dtype, np.unsignedinteger) else low
        return rng.integers(math.ceil(low), math.floor(high) + 1, shape).astype(dtype)
    return rng.uniform(low, high, shape).astype(dtype)


def agree(actual, expected, dtype):
    expected = np.asarray(expected)
    assert tuple(actual.shape) == expected.shape
    tolerance = TOLERANCE.get(dtype, 0)
    np.testing.assert_allclose(
        np.asarray(actual), expected.astype(actual.dtype.as_numpy_dtype), rtol=tolerance, atol=tolerance
    )


_erf = np.vectorize(math.erf, otypes=[float])

UNARY = [
    ("abs", np.abs, FLOATS + SIGNED, -4, 4),
    ("acos", np.arccos, FLOATS, -1, 1),
    ("acosh", np.arccosh, FLOATS, 1, 9),
    ("asin", np.arcsin, FLOATS, -1, 1),
    ("asinh", np.arcsinh, FLOATS, -9, 9),
    ("atan", np.arctan, FLOATS, -9, 9),
    ("atanh", np.arctanh, FLOATS, -0.9, 0.9),
    ("ceil", np.ceil, FLOATS, -4, 4),
    ("cos", np.cos, FLOATS, -4, 4),
    ("cosh", np.cosh, FLOATS, -4, 4),
    ("erf", _erf, FLOATS, -3, 3),
    ("exp", np.exp, FLOATS, -4, 4),
    ("expm1", np.expm1, FLOATS, -2, 2),
    ("floor", np.floor, FLOATS, -4, 4),
    ("is_finite", np.isfinite, FLOATS, -4, 4),
    ("is_inf", np.isinf, FLOATS, -4, 4),
    ("is_nan", np.isnan, FLOATS, -4, 4),
    ("log", np.log, FLOATS, 0.1, 9),
    ("log1p", np.log1p, FLOATS, -0.5, 9),
    ("logical_not", np.logical_not, [np.bool_], 0, 1),
    ("negative", np.negative, FLOATS + SIGNED, -4, 4),
    ("reciprocal", lambda x: 1 / x, FLOATS, 0.5, 4),
    ("rint", np.rint, FLOATS, -4, 4),
    ("round", np.round, FLOATS, -4, 4),
    ("rsqrt", lambda x: 1 / np.sqrt(x), FLOATS, 0.5, 9),
    ("sigmoid", lambda x: 1 / (1 + np.exp(-x)), FLOATS, -4, 4),
    ("sign", np.sign, FLOATS + SIGNED, -4, 4),
    ("sin", np.sin, FLOATS, -4, 4),
    ("sinh", np.sinh, FLOATS, -4, 4),
    ("softplus", lambda x: np.logaddexp(x, 0), FLOATS, -4, 4),
    ("softsign", lambda x: x / (1 + np.abs(x)), FLOATS, -4, 4),
    ("sqrt", np.sqrt, FLOATS, 0, 9),
    ("square", np.square, NUMBERS, -4, 4),
    ("tan", np.tan, FLOATS, -1, 1),
    ("tanh", np.tanh, FLOATS, -4, 4),
]


@pytest.mark.parametrize("name,reference,dtypes,low,high", UNARY, ids=[row[0] for row in UNARY])
def test_unary(name, reference, dtypes, low, high):
    function = getattr(tf.math, name)
    for dtype in dtypes:
        for shape in SHAPES:
            x = sample(dtype, shape, low, high)
            wide = x.astype(np.float64) if dtype in FLOATS else x
            agree(function(x), reference(wide), dtype)


BINARY = [
    ("add", np.add, NUMBERS, -4, 4),
    ("atan2", np.arctan2, FLOATS, -4, 4),
    ("divide", np.divide, FLOATS, 0.5, 4),
    ("divide_no_nan", np.divide, FLOATS, 0.5, 4),
    ("equal", np.equal, NUMBERS + [np.bool_], -2, 2),
    ("floordiv", np.floor_divide, NUMBERS, 1, 5),
    ("floormod", np.mod, INTS, 1, 5),
    ("greater", np.greater, NUMBERS, -2, 2),
    ("greater_equal", np.greater_equal, NUMBERS, -2, 2),
    ("less", np.less, NUMBERS, -2, 2),
    ("less_equal", np.less_equal, NUMBERS, -2, 2),
    ("logical_and", np.logical_and, [np.bool_], 0, 1),
    ("logical_or", np.logical_or, [np.bool_], 0, 1),
    ("logical_xor", np.logical_xor, [np.bool_], 0, 1),
    ("maximum", np.maximum, NUMBERS, -4, 4),
    ("minimum", np.minimum, NUMBERS, -4, 4),
    ("multiply", np.multiply, NUMBERS, -4, 4),
    ("multiply_no_nan", np.multiply, FLOATS, 0.5, 4),
    ("not_equal", np.not_equal, NUMBERS + [np.bool_], -2, 2),
    ("pow", np.power, FLOATS, 0.5, 3),
    ("squared_difference", lambda x, y: np.square(x - y), FLOATS + SIGNED, -4, 4),
    ("subtract", np.subtract, FLOATS + SIGNED, -4, 4),
    ("truediv", np.divide, FLOATS, 0.5, 4),
    ("xdivy", np.divide, FLOATS, 0.5, 4),
    ("xlog1py", lambda x, y: x * np.log1p(y), FLOATS, 0.5, 4),
    ("xlogy", lambda x, y: x * np.log(y), FLOATS, 0.5, 4),
]
PAIRS = [((), ()), ((0,), (1,)), ((3,), ()), ((2, 3), (3,)), ((2, 1), (1, 3)), ((4, 1, 2), (3, 1))]


@pytest.mark.parametrize("name,reference,dtypes,low,high", BINARY, ids=[row[0] for row in BINARY])
def test_binary(name, reference, dtypes, low, high):
    function = getattr(tf.math, name)
    for dtype in dtypes:
        for first, second in PAIRS:
            x, y = sample(dtype, first, low, high), sample(dtype, second, low, high, seed=1)
            wide = [v.astype(np.float64) if dtype in FLOATS else v for v in (x, y)]
            agree(function(x, y), reference(*wide), dtype)


def test_pow_of_integers_and_negative_division():
    agree(tf.pow([2, 3, -2], [3, 2, 3]), [8, 9, -8], np.int32)
    agree(tf.math.floordiv([7, -7, 7], [2, 2, -2]), [3, -4, -4], np.int32)
    agree(tf.math.floormod([7, -7, 7], [3, 3, -3]), [1, 2, -2], np.int32)
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.math.floordiv([1], [0])


REDUCTIONS = [
    ("reduce_sum", np.sum, NUMBERS),
    ("reduce_mean", np.mean, FLOATS),
    ("reduce_prod", np.prod, NUMBERS),
    ("reduce_max", np.max, NUMBERS),
    ("reduce_min", np.min, NUMBERS),
    ("reduce_any", np.any, [np.bool_]),
    ("reduce_all", np.all, [np.bool_]),
    ("reduce_std", np.std, FLOATS),
    ("reduce_variance", np.var, FLOATS),
    ("reduce_euclidean_norm", lambda x, **o: np.sqrt(np.sum(np.square(x), **o)), FLOATS),
    ("reduce_logsumexp", lambda x, **o: np.log(np.sum(np.exp(x), **o)), FLOATS),
    ("count_nonzero", np.count_nonzero, NUMBERS + [np.bool_]),
]
AXES = [((), None), ((5,), None), ((5,), 0), ((2, 3), -1), ((2, 3, 4), (0, 2)), ((2, 3, 4), (-1, 1)), ((2, 3, 4), ())]


@pytest.mark.parametrize("name,reference,dtypes", REDUCTIONS, ids=[row[0] for row in REDUCTIONS])
def test_reductions(name, reference, dtypes):
    function = getattr(tf.math, name)
    for dtype in dtypes:
        for shape, axis in AXES:
            if name == "count_nonzero" and axis == ():
                continue  # NumPy counts all then
            x = sample(dtype, shape, 0 if dtype in UNSIGNED else -2, 2)
            wide = x.astype(np.float64) if dtype in FLOATS else x
            for keepdims in (False, True):
                expected = reference(wide, axis=axis, keepdims=keepdims)
                if dtype in INTS and name != "count_nonzero":
                    expected = np.asarray(expected).astype(dtype)
                agree(function(x, axis=axis, keepdims=keepdims), expected, dtype)


def test_reductions_of_nothing():
    empty = np.zeros((0, 3), np.float32)
    agree(tf.reduce_sum(empty, axis=0), [0, 0, 0], np.float32)
    agree(tf.reduce_prod(empty, axis=0), [1, 1, 1], np.float32)
    agree(tf.reduce_max(empty, axis=0), [-np.inf] * 3, np.float32)
    assert np.isnan(tf.reduce_mean(empty).numpy())
    assert not tf.reduce_any(tf.zeros([0], tf.bool)) and tf.reduce_all(tf.zeros([0], tf.bool))
    with pytest.raises(tf.errors.InvalidArgumentError, match="axis"):
        tf.reduce_sum([1, 2], axis=1)


def test_positions_and_cumulative_sums():
    for dtype in NUMBERS:
        x = sample(dtype, (3, 4, 5), 0, 9)
        for axis in (0, 1, -1):
            agree(tf.argmax(x, axis), np.argmax(x, axis), np.int64)
            agree(tf.argmin(x, axis, output_type=tf.int32), np.argmin(x, axis), np.int32)
            wide = x.astype(np.float64) if dtype in FLOATS else x
            agree(tf.cumsum(x, axis), np.cumsum(wide, axis).astype(dtype), dtype)
        small = sample(dtype, (3, 4), 1, 2)
        agree(tf.math.cumprod(small, 1), np.cumprod(small, 1).astype(dtype), dtype)
    agree(tf.cumsum([1, 2, 3], exclusive=True, reverse=True), [5, 3, 0], np.int32)


def test_softmax_family():
    for dtype in FLOATS:
        x = sample(dtype, (3, 5), -4, 4)
        wide = x.astype(np.float64)
        for axis in (0, -1):
            expected = np.exp(wide) / np.exp(wide).sum(axis, keepdims=True)
            agree(tf.nn.softmax(x, axis), expected, dtype)
            np.testing.assert_allclose(
                tf.nn.log_softmax(x, axis).numpy(), np.log(expected), rtol=1e-2 if dtype is np.float16 else 1e-5
            )


def test_groups_and_counts():
    data, ids = np.array([[1, 2], [3, 4], [5, 6]]), np.array([1, 0, 1])
    agree(tf.math.unsorted_segment_sum(data, ids, 3), [[3, 4], [6, 8], [0, 0]], np.int64)
    agree(tf.math.segment_sum([1.0, 2.0, 4.0], [0, 0, 1]), [3, 4], np.float32)
    agree(tf.math.segment_mean([1.0, 2.0, 4.0], [0, 0, 1]), [1.5, 4], np.float32)
    agree(tf.math.unsorted_segment_mean([1.0, 3.0], [0, 0], 2), [2, 0], np.float32)
    agree(tf.math.unsorted_segment_sqrt_n([1.0, 3.0, 1.0, 1.0], [0, 0, 0, 0], 1), [3], np.float32)
    values = np.random.default_rng(0).integers(0, 9, 50)
    agree(tf.math.bincount(values), np.bincount(values), np.int32)
    weights = np.random.default_rng(1).uniform(size=50)
    agree(tf.math.bincount(values, weights, minlength=12), np.bincount(values, weights, 12), np.float64)
    agree(tf.math.confusion_matrix([0, 1, 1, 2], [0, 1, 0, 2], weights=[1, 2, 3, 4]),
          [[1, 0, 0], [3, 2, 0], [0, 0, 4]], np.int32)
    agree(tf.math.zero_fraction([0, 1, 0, 0]), 0.75, np.float32)
    assert bool(tf.math.is_non_decreasing([1, 1, 2])) and not tf.math.is_strictly_increasing([1, 1, 2])
    agree(tf.math.invert_permutation([2, 0, 1]), np.argsort([2, 0, 1]), np.int32)
    agree(tf.math.reciprocal_no_nan([0.0, 4.0]), [0, 0.25], np.float32)
    values, indices = tf.math.top_k([[3, 1, 2]], 2)
    agree(values, [[3, 2]], np.int32)
    agree(indices, [[0, 2]], np.int32)


def test_bits():
    for dtype in INTS:
        x, y = sample(dtype, (3, 4), -100, 100), sample(dtype, (4,), 0, 100, seed=1)
        agree(tf.bitwise.bitwise_and(x, y), x & y, dtype)
        agree(tf.bitwise.bitwise_or(x, y), x | y, dtype)
        agree(tf.bitwise.bitwise_xor(x, y), x ^ y, dtype)
        agree(tf.bitwise.invert(x), ~x, dtype)
        few = (y % 7).astype(dtype)
        agree(tf.bitwise.left_shift(x, few), np.left_shift(x, few), dtype)
        agree(tf.bitwise.right_shift(x, few), np.right_shift(x, few), dtype)
        agree(tf.constant(x) & y, x & y, dtype)
        agree(tf.constant(x) | y, x | y, dtype)
        agree(tf.constant(x) ^ y, x ^ y, dtype)
        agree(~tf.constant(x), ~x, dtype)
    assert not bool(tf.constant(True) & False) and bool(~tf.constant(False))
    with pytest.raises(tf.errors.InvalidArgumentError, match="integer type"):
        tf.bitwise.bitwise_and(1.0, 2.0)


def test_unknown_arguments_are_refused():
    for call in (lambda: tf.add(1, 2, nmae="x"), lambda: tf.reduce_sum([1], axes=0), lambda: tf.exp()):
        with pytest.raises(TypeError):
            call()

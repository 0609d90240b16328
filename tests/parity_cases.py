"""Expressions that mean something both in Alula and in TensorFlow: what tools/tensorflow_parity compares.

A case is (expression, sources): the expression sees `tf`, `np` and the values below; where sources are named, the
gradients of its sum with respect to them are compared, too. Cases under ERRORS must raise.
"""

VALUES = {
    "x": "tf.constant([[0.5, -1.25, 2.0], [3.5, -0.75, 0.1]])",
    "p": "tf.constant([[0.5, 1.25, 2.0], [3.5, 0.75, 0.1]])",
    "u": "tf.constant([[0.5, -0.25, 0.9], [-0.5, 0.75, 0.1]])",
    "y": "tf.constant([[1.5, 0.25, -2.0], [0.5, -0.75, 4.0]])",
    "v": "tf.constant([1.0, -2.0, 3.0])",
    "m": "tf.constant([[2.0, 0.5, 0.0], [0.5, 3.0, -1.0], [0.0, -1.0, 1.5]])",
    "i": "tf.constant([[3, -7, 2], [5, 0, -4]])",
    "j": "tf.constant([[2, 3, -2], [-3, 4, 5]])",
    "b": "tf.constant([[True, False, True], [False, False, True]])",
    "img": "tf.reshape(tf.range(96, dtype=tf.float32) / 96.0, (2, 4, 4, 3))",
    "k": "tf.reshape(tf.range(54, dtype=tf.float32) / 54.0 - 0.5, (3, 3, 3, 2))",
    "s": "tf.constant(['Hello world', ' a b ', ''])",
    "d": "tf.constant([[0.5, -1.25, 2.0], [3.5, -0.75, 0.1]], dtype=tf.float64)",
    "h": "tf.constant([[0.5, -1.25, 2.0], [3.5, -0.75, 0.1]], dtype=tf.float16)",
}

_UNARY = "abs ceil cos exp expm1 floor negative round sign sin square tan tanh sigmoid erf softplus softsign".split()
_UNARY += "sinh cosh atan asinh".split()
_POSITIVE = "log log1p rsqrt sqrt reciprocal lgamma digamma erfc lbeta".split()
_WITHIN_ONE = "asin acos atanh erfinv".split()
_BINARY = "add subtract multiply divide maximum minimum squared_difference divide_no_nan floordiv floormod".split()
_BINARY += "atan2 multiply_no_nan xdivy".split()
_COMPARE = "equal not_equal less less_equal greater greater_equal".split()
_REDUCE = "sum mean prod max min logsumexp std variance euclidean_norm".split()
_NN = "relu relu6 elu selu gelu silu leaky_relu softmax log_softmax softplus softsign tanh sigmoid crelu".split()

CASES = []
CASES += [(f"tf.math.{f}(x)", "x") for f in _UNARY]
CASES += [(f"tf.math.{f}(p)", "p") for f in _POSITIVE]
CASES += [(f"tf.math.{f}(u)", "u") for f in _WITHIN_ONE]
CASES += [(f"tf.math.{f}(x, y)", "x y") for f in _BINARY]
CASES += [(f"tf.math.{f}(x, v)", "x v") for f in _BINARY]
CASES += [(f"tf.math.{f}(x, y)", "") for f in _COMPARE]
CASES += [(f"tf.math.reduce_{f}(p)", "p") for f in _REDUCE]
CASES += [(f"tf.math.reduce_{f}(p, axis=1)", "p") for f in _REDUCE]
CASES += [(f"tf.math.reduce_{f}(p, axis=[0, -1], keepdims=True)", "p") for f in _REDUCE]
CASES += [(f"tf.nn.{f}(x)", "x") for f in _NN]
CASES += [(f"tf.math.{f}(d)", "d") for f in "exp log1p tanh erf".split()]
CASES += [(f"tf.math.{f}(h)", "") for f in "abs floor negative square".split()]

CASES += [
    # operators, numbers, arrays
    ("x + 1", "x"), ("2 - x", "x"), ("x / 3", "x"), ("x ** 2", "x"), ("2.0 ** x", "x"), ("-x", "x"), ("abs(x)", "x"),
    ("i / j", ""), ("i // j", ""), ("i % j", ""), ("x // y", ""), ("x % y", ""), ("x + np.array([1.0, 2.0, 3.0])", "x"),
    ("np.array([1.0, 2.0, 3.0]) * x", "x"), ("x + [1, 2, 3]", "x"), ("x @ tf.transpose(y)", "x y"), ("x > 0.5", ""),
    ("x == y", ""), ("x != x", ""), ("b & ~b", ""), ("b | b", ""), ("b ^ b", ""), ("i & j", ""), ("i | j", ""),
    # dtypes of what Python gives
    ("tf.constant(1)", ""), ("tf.constant(1.5)", ""), ("tf.constant(2**40)", ""), ("tf.constant([1, 2.5])", ""),
    ("tf.constant(True)", ""), ("tf.constant('a')", ""), ("tf.constant(np.arange(3))", ""), ("tf.constant([])", ""),
    ("tf.constant(np.float64(2))", ""), ("tf.constant(5, shape=(2, 2))", ""), ("tf.constant([1, 2], tf.float64)", ""),
    ("tf.cast(x, tf.int32)", ""), ("tf.cast(i, 'float64')", ""), ("tf.cast(x, tf.bool)", ""), ("tf.cast([True], tf.int8)", ""),
    # indexing
    ("x[0]", "x"), ("x[:, 1]", "x"), ("x[..., None]", "x"), ("x[::-1, ::2]", "x"), ("x[-1, -2:]", "x"), ("x[0, 1]", "x"),
    ("x[tf.constant(1)]", "x"), ("tf.boolean_mask(x, b)", "x"), ("x[b]", "x"),
    # arrays
    ("tf.reshape(x, (3, 2))", "x"), ("tf.reshape(x, [-1])", "x"), ("tf.transpose(img, [0, 3, 1, 2])", "img"),
    ("tf.expand_dims(x, 1)", "x"), ("tf.squeeze(x[None])", "x"), ("tf.concat([x, y], 0)", "x y"), ("tf.concat([x, y], -1)", "x y"),
    ("tf.stack([x, y], axis=1)", "x y"), ("tf.unstack(x)", "x"), ("tf.split(x, 3, axis=1)", "x"), ("tf.split(x, [1, 2], axis=1)", "x"),
    ("tf.tile(x, [2, 1])", "x"), ("tf.pad(x, [[1, 0], [0, 2]])", "x"), ("tf.pad(x, [[1, 1], [1, 1]], 'REFLECT')", "x"),
    ("tf.reverse(x, [1])", "x"), ("tf.roll(x, 1, axis=1)", "x"), ("tf.gather(x, [1, 0, 1])", "x"), ("tf.gather(x, [2, 0], axis=1)", "x"),
    ("tf.gather_nd(x, [[0, 1], [1, 2]])", "x"), ("tf.one_hot([0, 2, 5], 3)", ""), ("tf.where(b, x, y)", "x y"), ("tf.where(b)", ""),
    ("tf.range(5)", ""), ("tf.range(1.0, 2.0, 0.25)", ""), ("tf.linspace(0.0, 1.0, 5)", ""), ("tf.eye(3)", ""), ("tf.zeros((2, 0))", ""),
    ("tf.ones_like(i)", ""), ("tf.fill([2, 2], 7)", ""), ("tf.shape(img)", ""), ("tf.size(x)", ""), ("tf.rank(img)", ""),
    ("tf.broadcast_to(v, [2, 3])", "v"), ("tf.sort(x)", "x"), ("tf.argsort(x, direction='DESCENDING')", ""), ("tf.argmax(x, axis=1)", ""),
    ("tf.argmin(x)", ""), ("tf.cumsum(x, axis=1)", "x"), ("tf.math.cumsum(x, exclusive=True, reverse=True)", "x"),
    ("tf.math.cumprod(p, axis=1)", "p"), ("tf.math.top_k(x, k=2)", ""), ("tf.unique([3, 1, 3, 2, 1])", ""), ("tf.searchsorted([1, 3, 5], [2, 5])", ""),
    ("tf.scatter_nd([[1], [3]], [9, 10], [5])", ""), ("tf.tensor_scatter_nd_update(v, [[1]], [9.0])", "v"),
    ("tf.clip_by_value(x, -1.0, 1.0)", "x"), ("tf.clip_by_norm(x, 1.0)", "x"), ("tf.clip_by_global_norm([x, y], 1.0)", "x y"),
    ("tf.meshgrid([1, 2], [3, 4, 5])", ""), ("tf.strided_slice(x, [0, 1], [2, 3])", "x"), ("tf.slice(x, [0, 1], [2, 2])", "x"),
    ("tf.repeat([1, 2], 2)", ""), ("tf.math.segment_sum(x, [0, 0])", "x"), ("tf.sequence_mask([1, 3], 4)", ""),
    # reductions and logic
    ("tf.reduce_any(b, axis=1)", ""), ("tf.reduce_all(b)", ""), ("tf.math.logical_xor(b, ~b)", ""), ("tf.reduce_sum(i, axis=0)", ""),
    ("tf.reduce_mean(i)", ""), ("tf.math.is_nan(x / 0.0)", ""), ("tf.math.is_finite(x)", ""), ("tf.math.count_nonzero(i)", ""),
    ("tf.math.confusion_matrix([0, 1, 1], [0, 0, 1])", ""), ("tf.math.in_top_k([1], x[:1], 2)", ""),
    # linear algebra
    ("tf.matmul(m, m, transpose_a=True)", "m"), ("tf.linalg.matvec(m, v)", "m v"), ("tf.einsum('ij,kj->ik', x, y)", "x y"),
    ("tf.tensordot(x, y, axes=[[1], [1]])", "x y"), ("tf.linalg.trace(m)", "m"), ("tf.linalg.diag(v)", "v"), ("tf.linalg.diag_part(m)", "m"),
    ("tf.norm(x)", "x"), ("tf.norm(x, ord=1, axis=1)", "x"), ("tf.linalg.det(m)", "m"), ("tf.linalg.inv(m)", "m"), 
    ("tf.linalg.solve(m, tf.transpose(x))", "m x"), ("tf.linalg.band_part(m, 1, 0)", "m"), ("tf.linalg.normalize(x, axis=1)", "x"),
    ("tf.linalg.inv(m, adjoint=True)", "m"), ("tf.linalg.solve(m, tf.transpose(x), adjoint=True)", "m x"), ("tf.linalg.cholesky(m)", "m"),
    ("tf.linalg.cholesky_solve(m, tf.transpose(x))", "m x"), ("tf.linalg.triangular_solve(m, tf.transpose(x))", "m x"),
    ("tf.linalg.triangular_solve(m, tf.transpose(x), lower=False, adjoint=True)", "m x"), ("tf.linalg.triangular_solve(m[None], tf.transpose(x))", "m x"),
    ("tf.linalg.logdet(m)", "m"), ("tf.linalg.slogdet(m)", ""), ("tf.linalg.slogdet(-m)[1]", "m"), ("tf.linalg.slogdet(m * 0.0)", ""),
    ("tf.linalg.lu(m)", ""), ("tf.linalg.lu(m, output_idx_type=tf.int64)", ""), ("tf.linalg.lu_reconstruct(*tf.linalg.lu(m))", ""),
    ("tf.linalg.lu_solve(*tf.linalg.lu(m), tf.transpose(x))", ""), ("tf.linalg.lu_matrix_inverse(*tf.linalg.lu(m))", ""),
    ("tf.linalg.qr(m)", "m"), ("tf.linalg.qr(x)", "x"), ("tf.linalg.qr(tf.transpose(x))", "x"), ("tf.linalg.qr(tf.transpose(x), full_matrices=True)", ""),
    ("tf.linalg.eigh(m)[0]", "m"), ("abs(tf.linalg.eigh(m)[1])", "m"), ("tf.linalg.eigvalsh(m)", "m"), ("tf.linalg.svd(x)[0]", "x"),
    ("[abs(t) for t in tf.linalg.svd(x)]", "x"), ("[abs(t) for t in tf.linalg.svd(x, full_matrices=True)]", ""), ("tf.linalg.svd(x, compute_uv=False)", "x"),
    ("tf.linalg.svd(m * 0.0)", ""), ("tf.linalg.lstsq(tf.transpose(x), m)", "m x"), ("tf.linalg.lstsq(x, m[:2])", "m x"),
    ("tf.linalg.lstsq(tf.transpose(x), m, l2_regularizer=0.5)", "m x"), ("tf.linalg.lstsq(tf.transpose(x), m, fast=False)", ""),
    ("tf.linalg.pinv(x)", "x"), ("tf.linalg.pinv(m * 0.0)", ""), ("tf.linalg.matrix_rank(tf.transpose(x))", ""), ("tf.linalg.expm(m)", "m"),
    ("tf.linalg.det(tf.zeros((2, 0, 0)))", ""), ("tf.linalg.inv(tf.stack([m, m + tf.eye(3)]))", "m"),
    # special functions
    ("tf.math.erfc(x)", "x"), ("tf.math.lgamma(x)", "x"), ("tf.math.digamma(x)", "x"), ("tf.math.lgamma([0.0, -1.0, np.inf, -np.inf, np.nan])", ""),
    ("tf.math.digamma([0.0, -1.0, np.inf, -np.inf, np.nan])", ""), ("tf.math.polygamma(2.0, p)", "p"), ("tf.math.polygamma([[0.0], [1.0]], p)", "p"),
    ("tf.math.zeta(p + 1.0, p)", ""), ("tf.math.zeta(3.0, p)", "p"), ("tf.math.zeta([1.0, 0.5, 2.0], [1.0, 1.0, -1.0])", ""),
    ("tf.math.erfcinv(p / 2.0)", "p"), ("tf.math.ndtri(p / 4.0)", "p"), ("tf.math.ndtri([0.0, 1.0, -1.0, 1e-30])", ""), ("tf.math.lgamma(d)", "d"),
    # neural networks
    ("tf.nn.conv2d(img, k, strides=1, padding='SAME')", "img k"), ("tf.nn.conv2d(img, k, strides=[1, 2, 2, 1], padding='VALID')", "img k"),
    ("tf.nn.conv2d(img, k, 1, 'SAME', dilations=2)", "img k"), ("tf.nn.depthwise_conv2d(img, k, [1, 1, 1, 1], 'SAME')", "img k"),
    ("tf.nn.conv2d_transpose(img, tf.reshape(k, (3, 3, 2, 3)), [2, 8, 8, 2], 2)", "img"),
    ("tf.nn.max_pool2d(img, 2, 2, 'VALID')", "img"), ("tf.nn.avg_pool2d(img, 3, 1, 'SAME')", "img"), ("tf.nn.max_pool2d(img, 3, 2, 'SAME')", "img"),
    ("tf.nn.bias_add(x, v)", "x v"), ("tf.nn.moments(x, axes=[0])", "x"), ("tf.nn.batch_normalization(x, v, v * v, v, v, 1e-3)", "x v"),
    ("tf.nn.softmax_cross_entropy_with_logits(tf.nn.softmax(y), x)", "x"), ("tf.nn.sparse_softmax_cross_entropy_with_logits([0, 2], x)", "x"),
    ("tf.nn.sigmoid_cross_entropy_with_logits(labels=tf.cast(b, tf.float32), logits=x)", "x"), ("tf.nn.l2_normalize(x, axis=1)", "x"),
    ("tf.nn.l2_loss(x)", "x"), ("tf.nn.embedding_lookup(m, [2, 0, 2])", "m"), ("tf.nn.softmax(x, axis=0)", "x"),
    # images
    ("tf.image.adjust_brightness(img, 0.1)", "img"), ("tf.image.adjust_contrast(img, 2.0)", ""), ("tf.image.flip_left_right(img)", "img"),
    ("tf.image.rot90(img)", "img"), ("tf.image.resize(img, (6, 5))", "img"), ("tf.image.resize(img, (2, 3), method='nearest')", ""),
    ("tf.image.rgb_to_grayscale(img)", "img"), ("tf.image.rgb_to_hsv(img)", ""), ("tf.image.per_image_standardization(img)", ""),
    ("tf.image.central_crop(img, 0.5)", "img"), ("tf.image.resize_with_crop_or_pad(img, 2, 6)", "img"), ("tf.image.convert_image_dtype(img, tf.uint8)", ""),
    ("tf.image.adjust_saturation(img, 0.5)", ""), ("tf.image.adjust_gamma(img, 2.0)", ""),
    # texts
    ("tf.strings.length(s)", ""), ("tf.strings.lower(s)", ""), ("tf.strings.upper(s)", ""), ("tf.strings.strip(s)", ""), ("tf.strings.substr(s[:1], 2, 3)", ""),
    ("tf.strings.join(['a', 'b'], '-')", ""), ("tf.strings.regex_replace(s, 'o', '0')", ""), ("tf.strings.to_number(['1.5', '-2'])", ""),
    ("tf.strings.as_string([1, 2])", ""), ("tf.io.decode_raw(tf.constant('abcd'), tf.uint8)", ""), ("tf.io.decode_csv(['1,2.5'], [[0], [0.0]])", ""),
    # Keras
    ("tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)(tf.constant([0, 2]), x)", "x"), ("tf.keras.losses.MeanSquaredError()(x, y)", "x y"),
    ("tf.keras.losses.Huber()(x, y)", "y"), ("tf.keras.losses.BinaryCrossentropy()(tf.cast(b, tf.float32), tf.sigmoid(x))", "x"),
    ("tf.keras.losses.CategoricalCrossentropy()(tf.nn.softmax(y), tf.nn.softmax(x))", "x"), ("tf.keras.activations.relu(x)", "x"),
    ("tf.keras.losses.MAE(x, y)", "y"), ("tf.keras.activations.softmax(x)", "x"), ("tf.keras.utils.to_categorical([0, 2], 3)", ""),
    ("tf.keras.layers.Flatten()(img)", "img"), ("tf.keras.layers.Rescaling(2.0, offset=1.0)(img)", "img"), ("tf.keras.layers.Softmax()(x)", "x"),
    ("tf.keras.layers.Dense(2, kernel_initializer='ones')(x)", "x"), ("tf.keras.layers.Conv2D(2, 3, kernel_initializer='ones')(img)", "img"),
    ("tf.keras.layers.LayerNormalization()(x)", "x"), ("tf.keras.layers.GlobalAveragePooling2D()(img)", "img"), ("tf.keras.layers.ReLU(max_value=1.0)(x)", "x"),
    # data
    ("[e.numpy() for e in tf.data.Dataset.range(5).batch(2)]", ""), ("list(tf.data.Dataset.range(6).skip(1).take(3).as_numpy_iterator())", ""),
    ("[e.numpy() for e in tf.data.Dataset.from_tensor_slices(x).map(lambda r: r * 2).window(2).flat_map(lambda w: w.batch(2))]", ""),
    ("[(a.numpy(), c.numpy()) for a, c in tf.data.Dataset.from_tensor_slices((x, [1, 2])).repeat(2)]", ""),
    # functions
    ("tf.function(lambda a: a * 2 + tf.reduce_sum(a))(x)", "x"), ("tf.cond(tf.constant(True), lambda: x, lambda: y)", "x"),
    ("tf.while_loop(lambda n, a: n < 3, lambda n, a: (n + 1, a * x), (tf.constant(0), x))[1]", "x"),
    ("tf.map_fn(lambda r: r * r, x)", "x"), ("tf.scan(lambda a, r: a + r, x)", "x"), ("tf.vectorized_map(lambda r: r * v, x)", "x v"),
]

ERRORS = [
    "x + tf.constant([1.0, 2.0])", "tf.matmul(x, y)", "tf.matmul(i, x)", "i + 1.5", "tf.reshape(x, (4, 2))", "x[5]", "tf.constant([[1, 2], [3]])",
    "tf.constant(1.5, dtype=tf.int32)", "tf.constant(2**70)", "tf.constant([True, 1])", "len(x[0, 0])", "bool(x)", "iter(x[0, 0])", "hash(x)",
    "tf.Variable(v).assign([1.0])", "tf.reduce_sum(x, axis=5)", "tf.concat([x, v], 0)", "tf.gather(x, [7])",
    "tf.keras.layers.Dense(0)", "tf.keras.layers.Dense(2)(v)", "tf.keras.layers.Conv2D(2, 3)(x)", "tf.keras.Sequential([tf.keras.layers.Dense(1)]).fit(x, y)",
    "tf.data.Dataset.from_tensor_slices((x, v))", "tf.io.read_file('/no/such/file')", "tf.strings.to_number(['abc'])", "tf.one_hot([0], -1)",
    "tf.image.resize(x, (2, 2))", "tf.keras.losses.get('no such loss')", "tf.keras.optimizers.get('no such optimizer')", "tf.as_dtype('no such dtype')",
    "tf.keras.activations.get('no such activation')", "tf.ensure_shape(x, (3, 3))", "tf.debugging.assert_equal(x, y)", "tf.stack([x, v])",
    "tf.linalg.inv(m * 0.0)", "tf.linalg.solve(m * 0.0, m)", "tf.linalg.lu(m * 0.0)", "tf.linalg.inv(x)", "tf.linalg.cholesky(x)", "tf.linalg.det(v)",
    "tf.linalg.inv(i)", "tf.linalg.solve(m, x)", "tf.einsum('ij,jk->ik', x, y)", "tf.split(x, 2, axis=1)", "tf.GradientTape().gradient(x, x)", "tf.no_such_name", "tf.zeros((-1,))",
]

"""Losses, metrics, optimizers, schedules, initializers, regularizers, activations, utilities, data sets."""

import numpy as np
import pytest

import alula as tf

keras = tf.keras
rng = np.random.default_rng(0)
TRUE = rng.uniform(0.1, 1, (4, 3)).astype("float32")
PRED = rng.uniform(0.1, 1, (4, 3)).astype("float32")


@pytest.mark.parametrize(
    "name, expected",
    [
        ("mean_squared_error", ((TRUE - PRED) ** 2).mean(-1)),
        ("mean_absolute_error", np.abs(TRUE - PRED).mean(-1)),
        ("mean_absolute_percentage_error", 100 * np.abs((TRUE - PRED) / TRUE).mean(-1)),
        ("mean_squared_logarithmic_error", ((np.log1p(TRUE) - np.log1p(PRED)) ** 2).mean(-1)),
        ("kl_divergence", (TRUE * np.log(TRUE / PRED)).sum(-1)),
        ("poisson", (PRED - TRUE * np.log(PRED + 1e-7)).mean(-1)),
        ("log_cosh", np.log(np.cosh(PRED - TRUE)).mean(-1)),
        ("squared_hinge", (np.maximum(1 - TRUE * PRED, 0) ** 2).mean(-1)),
        ("hinge", np.maximum(1 - TRUE * PRED, 0).mean(-1)),
        ("huber", (0.5 * (TRUE - PRED) ** 2).mean(-1)),
        ("binary_crossentropy", -(TRUE * np.log(PRED) + (1 - TRUE) * np.log(1 - PRED)).mean(-1)),
        (
            "cosine_similarity",
            -(TRUE * PRED).sum(-1) / np.linalg.norm(TRUE, axis=-1) / np.linalg.norm(PRED, axis=-1),
        ),
    ],
)
def test_losses(name, expected):
    function = getattr(keras.losses, name)
    np.testing.assert_allclose(function(TRUE, PRED).numpy(), expected, rtol=2e-4, atol=1e-6)
    cls = {"kl_divergence": "KLDivergence"}.get(name, "".join(part.capitalize() for part in name.split("_")))
    loss = getattr(keras.losses, cls)()
    assert float(loss(TRUE, PRED)) == pytest.approx(expected.mean(), rel=2e-4)
    none = getattr(keras.losses, cls)(reduction="none")
    np.testing.assert_allclose(none(TRUE, PRED).numpy(), expected, rtol=2e-4, atol=1e-6)
    total = getattr(keras.losses, cls)(reduction="sum")
    weights = np.array([1.0, 0.0, 2.0, 0.5], "float32")
    assert float(total(TRUE, PRED, sample_weight=weights)) == pytest.approx((expected * weights).sum(), rel=2e-4)
    assert keras.losses.get(cls).name == loss.name
    assert type(loss).from_config(loss.get_config()).get_config() == loss.get_config()


def test_crossentropies_of_classes():
    logits = np.array([[1.0, 2.0, 3.0], [1.0, 1.0, 1.0]], "float32")
    soft = np.exp(logits) / np.exp(logits).sum(-1, keepdims=True)
    labels = np.array([2, 0])
    expected = -np.log(soft[[0, 1], labels])
    sparse = keras.losses.SparseCategoricalCrossentropy(from_logits=True, reduction="none")
    np.testing.assert_allclose(sparse(labels, logits).numpy(), expected, rtol=1e-5)
    np.testing.assert_allclose(keras.losses.sparse_categorical_crossentropy(labels, soft).numpy(), expected, rtol=1e-5)
    one_hot = keras.utils.to_categorical(labels, 3)
    np.testing.assert_allclose(keras.losses.categorical_crossentropy(one_hot, soft).numpy(), expected, rtol=1e-5)
    with pytest.raises(TypeError, match="unexpected keyword argument"):
        keras.losses.SparseCategoricalCrossentropy(logits=True)
    with pytest.raises(ValueError):
        keras.losses.MeanSquaredError(reduction="nonsense")


def test_metrics():
    accuracy = keras.metrics.SparseCategoricalAccuracy()
    accuracy.update_state([1, 0], [[0.2, 0.8], [0.3, 0.7]])
    assert float(accuracy.result()) == 0.5
    assert float(accuracy([1], [[0.2, 0.8]])) == pytest.approx(2 / 3)
    accuracy.reset_state()
    assert float(accuracy.result()) == 0 and len(accuracy.variables) == 2
    mean = keras.metrics.Mean(name="m")
    mean.update_state([1.0, 3.0], sample_weight=[1.0, 0.0])
    assert float(mean.result()) == 1 and mean.name == "m"
    total = keras.metrics.Sum()
    total(4.0)
    assert float(total.result()) == 4
    assert float(keras.metrics.RootMeanSquaredError()([[0.0, 0.0]], [[3.0, 3.0]])) == 3
    assert float(keras.metrics.BinaryAccuracy(threshold=0.8)([[1.0], [0.0]], [[0.7], [0.6]])) == 0.5
    precision, recall = keras.metrics.Precision(), keras.metrics.Recall(thresholds=[0.5, 0.9])
    labels, scores = [0.0, 1.0, 1.0, 1.0], [0.6, 0.7, 0.2, 0.95]
    assert float(precision(labels, scores)) == pytest.approx(2 / 3)
    np.testing.assert_allclose(recall(labels, scores).numpy(), [2 / 3, 1 / 3], rtol=1e-6)
    assert float(keras.metrics.AUC()([0.0, 0.0, 1.0, 1.0], [0.0, 0.5, 0.3, 0.9])) == pytest.approx(0.75)
    assert float(keras.metrics.TruePositives()(labels, scores)) == 2
    wrapped = keras.metrics.MeanMetricWrapper(lambda t, p, power: tf.abs(t - p) ** power, name="w", power=2.0)
    assert float(wrapped(np.array([1.0], "float32"), np.array([3.0], "float32"))) == 4
    config = keras.metrics.AUC(num_thresholds=7, curve="PR").get_config()
    assert config["num_thresholds"] == 7 and keras.metrics.AUC.from_config(config).get_config() == config
    assert keras.metrics.get("mae") is keras.losses.mean_absolute_error


@pytest.mark.parametrize(
    "make", ["SGD", "RMSprop", "Adam", "AdamW", "Adadelta", "Adagrad", "Adamax", "Nadam", "Ftrl", "Lion"]
)
def test_optimizers_go_downhill(make):
    w = tf.Variable([5.0, -3.0])
    optimizer = getattr(keras.optimizers, make)(learning_rate=0.1)
    for _ in range(5):
        optimizer.apply_gradients([(2 * w.value(), w)])
    assert (np.abs(w.numpy()) < [5, 3]).all()
    assert int(optimizer.iterations.numpy()) == 5 and len(optimizer.variables) >= 2
    assert float(optimizer.learning_rate.numpy()) == pytest.approx(0.1)
    config = optimizer.get_config()
    assert config["learning_rate"] == pytest.approx(0.1)
    assert type(optimizer).from_config(config).get_config() == config
    assert type(keras.optimizers.get(make.lower())) is type(optimizer)


def test_optimizers_by_hand():
    w = tf.Variable(1.0)
    keras.optimizers.SGD(0.5, momentum=0.9).apply_gradients(zip([tf.constant(1.0)], [w]))
    assert w.numpy() == 0.5
    keras.optimizers.SGD(0.5, clipvalue=0.1).apply([tf.constant(9.0)], [w])
    assert w.numpy() == pytest.approx(0.45)
    sgd = keras.optimizers.SGD(0.1)
    sgd.minimize(lambda: w * w, [w])
    assert w.numpy() == pytest.approx(0.45 - 0.09)
    with tf.GradientTape() as tape:
        loss = w * 3.0
    sgd.minimize(loss, [w], tape=tape)
    assert w.numpy() == pytest.approx(0.06)
    keras.optimizers.SGD(0.1).apply_gradients([(None, w), (tf.constant(1.0), tf.Variable(1.0))])
    assert w.numpy() == pytest.approx(0.06)
    sgd.learning_rate.assign(0.7)
    assert sgd.get_config()["learning_rate"] == pytest.approx(0.7)
    adam = keras.optimizers.Adam(beta_1=0.5)
    assert adam.beta_1 == 0.5 and adam.epsilon == 1e-7 and adam.name.startswith("adam")
    with pytest.raises(ValueError, match="no gradients"):
        sgd.apply_gradients([])
    with pytest.raises(TypeError, match="variables"):
        sgd.apply_gradients([(tf.constant(1.0), 3)])


def test_schedules():
    schedules = keras.optimizers.schedules
    assert float(schedules.ExponentialDecay(1.0, 10, 0.5)(20)) == pytest.approx(0.25)
    assert float(schedules.PiecewiseConstantDecay([5], [1.0, 0.1])(6)) == pytest.approx(0.1)
    assert float(schedules.PolynomialDecay(1.0, 10, 0.0)(tf.constant(5))) == pytest.approx(0.5)
    assert float(schedules.InverseTimeDecay(1.0, 1, 1.0)(1)) == pytest.approx(0.5)
    assert float(schedules.CosineDecay(1.0, 10)(10)) == pytest.approx(0, abs=1e-6)
    assert float(schedules.CosineDecayRestarts(1.0, 10)(0)) == 1
    w = tf.Variable(0.0)
    optimizer = keras.optimizers.SGD(schedules.ExponentialDecay(1.0, 1, 0.5))
    for _ in range(2):
        optimizer.apply_gradients([(tf.constant(1.0), w)])
    assert w.numpy() == -1.5 and float(optimizer.learning_rate) == 0.25
    with pytest.raises(ValueError, match="follows a schedule"):
        optimizer.learning_rate = 0.1


def test_initializers():
    init = keras.initializers
    assert init.Constant(3.0)((2,)).numpy().tolist() == [3, 3]
    assert init.Identity()((2, 2)).numpy().tolist() == [[1, 0], [0, 1]]
    assert init.zeros()(shape=(1,), dtype="float64").dtype == tf.float64
    a = init.RandomNormal(mean=5.0, stddev=0.1, seed=3)((1000,)).numpy()
    assert abs(a.mean() - 5) < 0.02 and abs(a.std() - 0.1) < 0.01
    np.testing.assert_array_equal(a, init.RandomNormal(5.0, 0.1, 3)((1000,)).numpy())
    limit = np.sqrt(6 / 300)
    assert np.abs(init.GlorotUniform()((100, 200)).numpy()).max() <= limit
    q = init.Orthogonal()((4, 4)).numpy()
    np.testing.assert_allclose(q @ q.T, np.eye(4), atol=1e-5)
    for name in ("glorot_uniform", "he_normal", "lecun_uniform", "HeUniform", "truncated_normal", "random_uniform"):
        assert init.get(name)((3, 3)).shape == (3, 3)
    with pytest.raises(ValueError):
        init.get("nothing_like_it")
    config = init.VarianceScaling(2.0, "fan_out").get_config()
    assert config["mode"] == "fan_out" and init.VarianceScaling.from_config(config).get_config() == config


def test_regularizers_and_activations():
    reg = keras.regularizers
    w = tf.constant([1.0, -2.0])
    assert float(reg.L1(0.5)(w)) == 1.5 and float(reg.l2(0.5)(w)) == 2.5 and float(reg.L1L2(1.0, 1.0)(w)) == 8
    assert float(reg.get("l2")(w)) == pytest.approx(0.05)
    x = np.array([[-3.0, -0.5, 0.0, 2.0]], "float32")
    act = keras.activations
    for function, expected in [
        (act.relu, np.maximum(x, 0)),
        (act.tanh, np.tanh(x)),
        (act.sigmoid, 1 / (1 + np.exp(-x))),
        (act.softmax, np.exp(x) / np.exp(x).sum()),
        (act.softplus, np.log1p(np.exp(x))),
        (act.elu, np.where(x > 0, x, np.expm1(x))),
        (act.leaky_relu, np.where(x > 0, x, 0.2 * x)),
        (act.silu, x / (1 + np.exp(-x))),
        (act.exponential, np.exp(x)),
        (act.hard_tanh, np.clip(x, -1, 1)),
        (act.relu6, np.clip(x, 0, 6)),
    ]:
        np.testing.assert_allclose(function(x).numpy(), expected, rtol=1e-5, atol=1e-6)
    assert act.get(None) is act.linear and act.get("swish") is not None
    with pytest.raises(ValueError, match="activation"):
        act.get("relo")


def test_utilities_and_data():
    assert keras.utils.to_categorical([0, 2]).tolist() == [[1, 0, 0], [0, 0, 1]]
    keras.utils.set_random_seed(3)
    a = keras.layers.Dense(3, input_shape=(2,))
    a.build((None, 2))
    keras.utils.set_random_seed(3)
    b = keras.layers.Dense(3)
    b.build((None, 2))
    np.testing.assert_array_equal(a.get_weights()[0], b.get_weights()[0])
    assert keras.backend.floatx() == "float32" and keras.backend.epsilon() == 1e-7
    (x, y), (tx, ty) = keras.datasets.mnist.load_data()
    assert x.shape == (60000, 28, 28) and x.dtype == np.uint8 and y.shape == (60000,) and y[:3].tolist() == [5, 0, 4]
    assert tx.shape == (10000, 28, 28) and ty.dtype == np.uint8
    with pytest.raises(AttributeError, match="mnist"):
        keras.datasets.cifar10

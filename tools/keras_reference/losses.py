"""Writes losses.safetensors: values of losses and their gradients by y_pred.

Of a case K: K/y_true, K/y_pred, sometimes K/sample_weight; for each reduction R
K/R/value and K/R/grad, the gradient of the value (of its sum where R is "none").
"""

from pathlib import Path

import keras
import numpy as np
import tensorflow as tf
from common import Tensors, generator, normal, probabilities

REDUCTIONS = ["sum_over_batch_size", "sum", "none", "mean", "mean_with_sample_weight"]


def _write_case(out, key, kind, y_true, y_pred, sample_weight=None, **arguments):
    out.add(f"{key}/y_true", y_true)
    out.add(f"{key}/y_pred", y_pred)
    if sample_weight is not None:
        out.add(f"{key}/sample_weight", sample_weight)
    for reduction in REDUCTIONS:
        loss = getattr(keras.losses, kind)(reduction=reduction, **arguments)
        prediction = tf.constant(y_pred)
        with tf.GradientTape() as tape:
            tape.watch(prediction)
            value = loss(y_true, prediction, sample_weight)
        out.add(f"{key}/{reduction}/value", value)
        out.add(f"{key}/{reduction}/grad", tape.gradient(value, prediction))
    out.add_case(key, **{"class": kind}, config=arguments)


def _weighted(out, key, kind, y_true, y_pred, **arguments):
    """The case without weights, with one a sample, and with those as a column."""
    weights = (np.abs(normal(f"{key}/w", len(y_pred))) + 0.1).astype(np.float32)
    weights[1] = 0
    _write_case(out, f"{key}/plain", kind, y_true, y_pred, **arguments)
    _write_case(out, f"{key}/weighted", kind, y_true, y_pred, weights, **arguments)
    _write_case(out, f"{key}/column", kind, y_true, y_pred, weights[:, None], **arguments)


def _sparse(out):
    kind = "SparseCategoricalCrossentropy"
    key = "sparse_categorical_crossentropy"
    labels = generator(key).integers(0, 4, 6)
    logits = normal(f"{key}/logits", 6, 4, scale=3)
    probs = probabilities(f"{key}/p", 6, 4)
    _weighted(out, f"{key}/logits", kind, labels, logits, from_logits=True)
    _weighted(out, f"{key}/probabilities", kind, labels, probs)
    for dtype in ("int32", "uint8", "float32"):
        _write_case(out, f"{key}/{dtype}", kind, labels.astype(dtype), probs)
    _write_case(out, f"{key}/column_labels", kind, labels[:, None], probs)
    _write_case(
        out, f"{key}/column_logits", kind, labels[:, None].astype("uint8"), logits, from_logits=True
    )
    edges = np.array([[1, 0, 0], [1, 0, 0], [0, 0, 0], [0.5, 0.5, 0], [2, 1, 1]], np.float32)
    _write_case(out, f"{key}/edges", kind, np.array([0, 1, 2, 2, 0]), edges)
    large = np.array([[1000, 0, -1000], [1000, 0, -1000], [80, 80, 80]], np.float32)
    _write_case(out, f"{key}/large", kind, np.array([0, 2, 1]), large, from_logits=True)
    images = probabilities(f"{key}/images", 2, 3, 3, 4)
    targets = generator(f"{key}/images").integers(0, 4, (2, 3, 3))
    _write_case(out, f"{key}/images", kind, targets, images)
    pixels = np.abs(normal(f"{key}/pixels", 2, 3, 3))
    _write_case(out, f"{key}/images_weighted", kind, targets, images, pixels)
    ignored = np.array([0, 3, 1, 3, 2, 1])
    _weighted(out, f"{key}/ignore_class", kind, ignored, probs, ignore_class=3)


def _categorical(out):
    kind = "CategoricalCrossentropy"
    key = "categorical_crossentropy"
    one_hot = np.eye(4, dtype=np.float32)[generator(key).integers(0, 4, 6)]
    soft = probabilities(f"{key}/soft", 6, 4)
    logits = normal(f"{key}/logits", 6, 4, scale=3)
    probs = probabilities(f"{key}/p", 6, 4)
    for name, prediction, arguments in (
        ("logits", logits, {"from_logits": True}),
        ("probabilities", probs, {}),
        ("smooth_logits", logits, {"from_logits": True, "label_smoothing": 0.1}),
        ("smooth", probs, {"label_smoothing": 0.2}),
    ):
        _weighted(out, f"{key}/{name}", kind, one_hot, prediction, **arguments)
    _write_case(out, f"{key}/soft_logits", kind, soft, logits, from_logits=True)
    _write_case(out, f"{key}/soft", kind, soft, probs)
    _write_case(out, f"{key}/integer_labels", kind, one_hot.astype("int64"), probs)
    edges = np.array([[1, 0, 0], [1, 0, 0], [0.5, 0.5, 0], [2, 1, 1]], np.float32)
    _write_case(out, f"{key}/edges", kind, np.eye(3, dtype=np.float32)[[0, 1, 2, 0]], edges)


def _binary(out):
    kind = "BinaryCrossentropy"
    key = "binary_crossentropy"
    labels = generator(key).integers(0, 2, (6, 3)).astype(np.float32)
    logits = normal(f"{key}/logits", 6, 3, scale=3)
    probs = generator(f"{key}/p").uniform(0.01, 0.99, (6, 3)).astype(np.float32)
    for name, prediction, arguments in (
        ("logits", logits, {"from_logits": True}),
        ("probabilities", probs, {}),
        ("smooth_logits", logits, {"from_logits": True, "label_smoothing": 0.1}),
        ("smooth", probs, {"label_smoothing": 0.2}),
    ):
        _weighted(out, f"{key}/{name}", kind, labels, prediction, **arguments)
    _weighted(out, f"{key}/flat_labels", kind, labels[:, 0], probs[:, :1])
    _weighted(out, f"{key}/flat_both", kind, labels[:, 0].astype("int64"), probs[:, 0])
    edges = np.array([[0], [1], [0], [1], [1e-8], [1e-7]], np.float32)
    _write_case(
        out, f"{key}/edges", kind, np.array([[0], [1], [1], [0], [1], [1]], np.float32), edges
    )
    large = np.array([[500], [-500], [500], [-500], [0]], np.float32)
    labels = np.array([[0], [0], [1], [1], [1]], np.float32)
    _write_case(out, f"{key}/large", kind, labels, large, from_logits=True)


def _regression(out):
    y_true = normal("regression/true", 6, 3)
    y_pred = y_true + normal("regression/pred", 6, 3)
    y_pred[0] = y_true[0]
    for key, kind, arguments in (
        ("mean_squared_error", "MeanSquaredError", {}),
        ("mean_absolute_error", "MeanAbsoluteError", {}),
        ("mean_absolute_percentage_error", "MeanAbsolutePercentageError", {}),
        ("huber", "Huber", {}),
        ("huber_delta", "Huber", {"delta": 0.4}),
        ("log_cosh", "LogCosh", {}),
        ("cosine_similarity", "CosineSimilarity", {}),
    ):
        _weighted(out, key, kind, y_true, y_pred, **arguments)
        # (n,) beside (n, 1): the ranks are matched, nothing is broadcast to (n, n).
        _write_case(out, f"{key}/flat_labels", kind, y_true[:, 0], y_pred[:, :1], **arguments)
        _write_case(out, f"{key}/flat", kind, y_true[:, 0], y_pred[:, 0], **arguments)
    percent = np.array([[0, 1, -2], [1e-9, 0, 3]], np.float32)
    _write_case(
        out,
        "mean_absolute_percentage_error/zeros",
        "MeanAbsolutePercentageError",
        percent,
        percent + np.float32(0.5),
    )
    positive = np.abs(y_true)
    _weighted(
        out,
        "mean_squared_logarithmic_error",
        "MeanSquaredLogarithmicError",
        positive,
        np.abs(y_pred),
    )
    _write_case(
        out,
        "mean_squared_logarithmic_error/negative",
        "MeanSquaredLogarithmicError",
        positive,
        y_pred,
    )
    _weighted(out, "poisson", "Poisson", positive, np.abs(y_pred))
    large = np.array([[-200, 0, 200]], np.float32)
    _write_case(out, "log_cosh/large", "LogCosh", np.zeros((1, 3), np.float32), large)
    integers = np.array([[1, 2, 3], [4, 5, 6]], np.int64)
    _write_case(out, "mean_squared_error/integers", "MeanSquaredError", integers, y_pred[:2])


def _others(out):
    bits = generator("hinge").integers(0, 2, (6, 3)).astype(np.float32)
    y_pred = normal("hinge/pred", 6, 3, scale=1.5)
    for key, kind in (("hinge", "Hinge"), ("squared_hinge", "SquaredHinge")):
        _weighted(out, f"{key}/bits", kind, bits, y_pred)
        _weighted(out, f"{key}/signs", kind, 2 * bits - 1, y_pred)
    one_hot = np.eye(3, dtype=np.float32)[[0, 1, 2, 1, 0, 2]]
    _weighted(out, "categorical_hinge", "CategoricalHinge", one_hot, y_pred)
    y_true = probabilities("kl/true", 6, 3)
    y_true[0] = [1, 0, 0]
    y_pred = probabilities("kl/pred", 6, 3)
    y_pred[1] = [0, 1, 0]
    _weighted(out, "kl_divergence", "KLDivergence", y_true, y_pred)


def write(folder: Path):
    out = Tensors()
    _sparse(out)
    _categorical(out)
    _binary(out)
    _regression(out)
    _others(out)
    out.save(folder / "losses.safetensors")

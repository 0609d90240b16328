"""Writes metrics.safetensors: results of metrics after each of three batches.

Of a case K and batch b: K/b/y_true, K/b/y_pred (or K/b/values), sometimes
K/b/sample_weight, and K/b/result.
"""

from pathlib import Path

import keras
import numpy as np
from common import Tensors, generator, normal, probabilities

BATCHES = 3


def _write_case(out, key, metric, batches, names=("y_true", "y_pred"), config=None):
    """A batch is a tuple of the arguments of update_state; the last may be a sample weight."""
    names = [*names, "sample_weight"]
    for index, batch in enumerate(batches):
        for name, value in zip(names, batch, strict=False):
            out.add(f"{key}/{index}/{name}", value)
        metric.update_state(*batch)
        out.add(f"{key}/{index}/result", metric.result())
    out.add_case(key, **{"class": type(metric).__name__}, config=config or {})


def _weights(key, count):
    weights = (np.abs(normal(f"{key}/weights", count)) + 0.1).astype(np.float32)
    weights[0] = 0
    return weights


def _both(out, key, kind, make, **arguments):
    """The metric over make(batch) without weights, and with one weight a sample."""
    batches = [make(f"{key}/{b}") for b in range(BATCHES)]
    metric = getattr(keras.metrics, kind)
    _write_case(out, f"{key}/plain", metric(**arguments), batches, config=arguments)
    weighted = [(*batch, _weights(f"{key}/{b}", len(batch[-1]))) for b, batch in enumerate(batches)]
    _write_case(out, f"{key}/weighted", metric(**arguments), weighted, config=arguments)


def _labels(key, *shape, classes=4):
    return generator(f"{key}/labels").integers(0, classes, shape)


def _sparse(key):
    return _labels(key, 7), probabilities(key, 7, 4)


def _sparse_column(key):
    return _labels(key, 7, 1).astype(np.uint8), probabilities(key, 7, 4)


def _one_hot(key):
    return np.eye(4, dtype=np.float32)[_labels(key, 7)], probabilities(key, 7, 4)


def _ties(key):
    return _labels(key, 7), generator(key).integers(0, 3, (7, 4)).astype(np.float32)


def _bits(key):
    scores = generator(key).integers(0, 11, (7, 2)).astype(np.float32) / 10
    return _labels(key, 7, 2, classes=2).astype(np.float32), scores


def _flat_bits(key):
    y_true, scores = _bits(key)
    return y_true[:, 0], scores[:, :1]


def _values(key):
    return normal(f"{key}/true", 7, 3), normal(f"{key}/pred", 7, 3)


def _flat_values(key):
    return normal(f"{key}/true", 7), normal(f"{key}/pred", 7, 1)


def _positive(key):
    return tuple(np.abs(array) for array in _values(key))


def _distributions(key):
    return probabilities(f"{key}/true", 7, 3), probabilities(f"{key}/pred", 7, 3)


def _equal(key):
    return _labels(f"{key}/true", 7), _labels(f"{key}/pred", 7)


def _reductions(out):
    for kind in ("Mean", "Sum"):
        key = kind.lower()
        metric = getattr(keras.metrics, kind)
        flat = [normal(f"{key}/{b}", 5 + b) for b in range(BATCHES)]
        square = [normal(f"{key}/square/{b}", 4, 3) for b in range(BATCHES)]
        scalar = [np.float32(1.5 * b + 0.1) for b in range(BATCHES)]
        for name, values in (("flat", flat), ("square", square), ("scalar", scalar)):
            batches = [(v,) for v in values]
            _write_case(out, f"{key}/{name}", metric(), batches, ["values"])
        for name, values in (("flat", flat), ("square", square)):
            batches = [(v, _weights(f"{key}/{name}/{b}", len(v))) for b, v in enumerate(values)]
            _write_case(out, f"{key}/{name}_weighted", metric(), batches, ["values"])
        full = [(v, np.abs(normal(f"{key}/full/{b}", 4, 3))) for b, v in enumerate(square)]
        _write_case(out, f"{key}/square_full_weights", metric(), full, ["values"])


def write(folder: Path):
    out = Tensors()
    _reductions(out)
    for key, kind, make, arguments in (
        ("accuracy", "Accuracy", _equal, {}),
        ("binary_accuracy", "BinaryAccuracy", _bits, {}),
        ("binary_accuracy_flat", "BinaryAccuracy", _flat_bits, {}),
        ("binary_accuracy_threshold", "BinaryAccuracy", _bits, {"threshold": 0.3}),
        ("categorical_accuracy", "CategoricalAccuracy", _one_hot, {}),
        ("sparse_categorical_accuracy", "SparseCategoricalAccuracy", _sparse, {}),
        ("sparse_categorical_accuracy_column", "SparseCategoricalAccuracy", _sparse_column, {}),
        ("sparse_categorical_accuracy_ties", "SparseCategoricalAccuracy", _ties, {}),
        ("top_k_categorical_accuracy", "TopKCategoricalAccuracy", _one_hot, {"k": 2}),
        ("sparse_top_k_categorical_accuracy", "SparseTopKCategoricalAccuracy", _sparse, {"k": 2}),
        ("sparse_top_k_column", "SparseTopKCategoricalAccuracy", _sparse_column, {"k": 3}),
        ("sparse_top_k_ties", "SparseTopKCategoricalAccuracy", _ties, {"k": 2}),
        ("sparse_top_k_all", "SparseTopKCategoricalAccuracy", _sparse, {"k": 5}),
        ("mean_squared_error", "MeanSquaredError", _values, {}),
        ("mean_squared_error_flat", "MeanSquaredError", _flat_values, {}),
        ("mean_absolute_error", "MeanAbsoluteError", _values, {}),
        ("root_mean_squared_error", "RootMeanSquaredError", _values, {}),
        ("root_mean_squared_error_flat", "RootMeanSquaredError", _flat_values, {}),
        ("mean_absolute_percentage_error", "MeanAbsolutePercentageError", _values, {}),
        ("mean_squared_logarithmic_error", "MeanSquaredLogarithmicError", _positive, {}),
        ("log_cosh", "LogCoshError", _values, {}),
        ("cosine_similarity", "CosineSimilarity", _values, {}),
        ("hinge", "Hinge", _values, {}),
        ("squared_hinge", "SquaredHinge", _values, {}),
        ("categorical_hinge", "CategoricalHinge", _one_hot, {}),
        ("poisson", "Poisson", _positive, {}),
        ("kl_divergence", "KLDivergence", _distributions, {}),
        ("binary_crossentropy", "BinaryCrossentropy", _bits, {}),
        ("binary_crossentropy_logits", "BinaryCrossentropy", _bits, {"from_logits": True}),
        ("categorical_crossentropy", "CategoricalCrossentropy", _one_hot, {}),
        (
            "categorical_crossentropy_smooth",
            "CategoricalCrossentropy",
            _one_hot,
            {"from_logits": True, "label_smoothing": 0.1},
        ),
        ("sparse_categorical_crossentropy", "SparseCategoricalCrossentropy", _sparse, {}),
        ("precision", "Precision", _bits, {}),
        ("precision_threshold", "Precision", _bits, {"thresholds": 0.7}),
        ("precision_thresholds", "Precision", _bits, {"thresholds": [0.2, 0.5, 0.8]}),
        ("recall", "Recall", _bits, {}),
        ("recall_threshold", "Recall", _bits, {"thresholds": 0.7}),
        ("auc", "AUC", _flat_bits, {}),
        ("auc_few", "AUC", _flat_bits, {"num_thresholds": 5}),
        ("auc_pr", "AUC", _flat_bits, {"curve": "PR"}),
        ("true_positives", "TruePositives", _bits, {}),
        ("true_negatives", "TrueNegatives", _bits, {}),
        ("false_positives", "FalsePositives", _bits, {}),
        ("false_negatives", "FalseNegatives", _bits, {}),
    ):
        _both(out, key, kind, make, **arguments)
    out.save(folder / "metrics.safetensors")

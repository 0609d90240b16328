"""Writes optimizers.safetensors: five steps of each optimizer, and learning-rate schedules.

The start and the gradients are shared: start/<v> and gradient/<step>/<v> for the variables
v = kernel, bias. Of a case K: K/<step>/<v> and K/<step>/slot/<name> after each step, the
names being Keras's ("kernel_momentum"). Of a schedule S: schedule/S, its values at 0..20.
"""

from pathlib import Path

import keras
import numpy as np
from common import Tensors, normal

STEPS = 5
SHAPES = {"kernel": (3, 4), "bias": (4,)}
KINDS = {
    "SGD": [{}, {"momentum": 0.9}, {"momentum": 0.9, "nesterov": True}],
    "RMSprop": [
        {},
        {"momentum": 0.9},
        {"centered": True},
        {"momentum": 0.5, "centered": True, "rho": 0.8, "epsilon": 1e-3},
    ],
    "Adam": [{}, {"amsgrad": True}, {"beta_1": 0.8, "beta_2": 0.9, "epsilon": 1e-3}],
    "AdamW": [{}, {"weight_decay": 0.1}, {"amsgrad": True}],
    "Adagrad": [{}, {"initial_accumulator_value": 0.0}],
    "Adadelta": [{}],
    "Adamax": [{}],
    "Nadam": [{}],
    "Ftrl": [
        {},
        {"l1_regularization_strength": 0.05, "l2_regularization_strength": 0.1, "beta": 0.2},
        {"l2_shrinkage_regularization_strength": 0.1, "learning_rate_power": -0.3},
    ],
    "Lion": [{}],
}
# What every optimizer takes.
COMMON = [
    {"weight_decay": 0.05},
    {"clipnorm": 1.0},
    {"clipvalue": 0.3},
    {"global_clipnorm": 1.0},
    {"use_ema": True, "ema_momentum": 0.9},
    {"use_ema": True, "ema_momentum": 0.9, "ema_overwrite_frequency": 2},
    {"gradient_accumulation_steps": 2},
    {"loss_scale_factor": 4.0},
]


def _schedules():
    schedules = keras.optimizers.schedules
    return {
        "exponential_decay": schedules.ExponentialDecay(0.1, 5, 0.5),
        "exponential_decay_staircase": schedules.ExponentialDecay(0.1, 5, 0.5, staircase=True),
        "piecewise_constant_decay": schedules.PiecewiseConstantDecay([3, 10], [1.0, 0.5, 0.1]),
        "polynomial_decay": schedules.PolynomialDecay(0.1, 10),
        "polynomial_decay_power": schedules.PolynomialDecay(0.1, 8, 0.01, power=2.0),
        "polynomial_decay_cycle": schedules.PolynomialDecay(0.1, 6, 0.01, power=0.5, cycle=True),
        "inverse_time_decay": schedules.InverseTimeDecay(0.1, 4, 0.5),
        "inverse_time_decay_staircase": schedules.InverseTimeDecay(0.1, 4, 0.5, staircase=True),
        "cosine_decay": schedules.CosineDecay(0.1, 12),
        "cosine_decay_alpha": schedules.CosineDecay(0.1, 12, alpha=0.2),
        "cosine_decay_warmup": schedules.CosineDecay(
            0.01, 10, alpha=0.1, warmup_target=0.1, warmup_steps=5
        ),
        "cosine_decay_restarts": schedules.CosineDecayRestarts(0.1, 4),
        "cosine_decay_restarts_same": schedules.CosineDecayRestarts(
            0.1, 5, t_mul=1.0, m_mul=0.8, alpha=0.1
        ),
        "cosine_decay_restarts_growing": schedules.CosineDecayRestarts(
            0.1, 3, t_mul=1.5, m_mul=0.5
        ),
    }


def _gradient(step, name):
    # Steps differ in size, so that clipping acts on some of them only.
    return normal(f"gradient/{step}/{name}", *SHAPES[name], scale=[1, 0.1, 2, 0.5, 1][step])


def _write_case(out, key, kind, **arguments):
    described = dict(arguments)
    if isinstance(arguments.get("learning_rate"), str):
        arguments["learning_rate"] = _schedules()[arguments["learning_rate"]]
    optimizer = getattr(keras.optimizers, kind)(**arguments)
    variables = [
        keras.Variable(normal(f"start/{name}", *shape), name=name) for name, shape in SHAPES.items()
    ]
    for step in range(STEPS):
        gradients = [_gradient(step, name) for name in SHAPES]
        optimizer.apply_gradients(zip(map(keras.ops.array, gradients), variables, strict=True))
        for variable in variables:
            out.add(f"{key}/{step}/{variable.name}", variable.numpy())
        for slot in optimizer.variables:
            name = slot.name if slot.name != "variable" else "u_product"
            if name not in ("iteration", "learning_rate"):
                out.add(f"{key}/{step}/slot/{name}", slot.numpy())
    out.add_case(key, **{"class": kind}, config=described)


def write(folder: Path):
    out = Tensors()
    for name, shape in SHAPES.items():
        out.add(f"start/{name}", normal(f"start/{name}", *shape))
        for step in range(STEPS):
            out.add(f"gradient/{step}/{name}", _gradient(step, name))
    for kind, variants in KINDS.items():
        for index, arguments in enumerate(variants):
            _write_case(out, f"{kind.lower()}/{index}", kind, learning_rate=0.1, **arguments)
        for index, arguments in enumerate(COMMON):
            if kind == "AdamW" and "weight_decay" in arguments:
                continue
            _write_case(out, f"{kind.lower()}/common_{index}", kind, learning_rate=0.1, **arguments)
        _write_case(out, f"{kind.lower()}/defaults", kind)
    for kind in ("SGD", "Adam", "RMSprop"):
        name = "exponential_decay"
        _write_case(out, f"{kind.lower()}/schedule", kind, learning_rate=name, weight_decay=0.05)
    for name, schedule in _schedules().items():
        values = [np.float32(schedule(step)) for step in range(21)]
        out.add(f"schedule/{name}", np.array(values))
        config = schedule.get_config()
        out.add_case(f"schedule/{name}", **{"class": type(schedule).__name__}, config=config)
    out.save(folder / "optimizers.safetensors")

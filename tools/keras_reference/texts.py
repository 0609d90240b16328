"""Writes text/: what Keras prints, byte for byte, and what its callbacks do.

summary_*.txt, names.txt, fit_*.txt (escapes and carriage returns included), progbar.json
(drawings of the progress bar by a clock that the case gives), callbacks.json.
"""

import contextlib
import io
import json
import os
import pty
import subprocess
import sys
import tempfile
import termios
import warnings
from pathlib import Path

import keras
import models
import numpy as np
from clock import Clock
from keras import layers

HERE = Path(__file__).resolve().parent


def _json(value):
    """JSON, with the numbers that it has no words for as strings ("nan", "inf", "-inf")."""

    def plain(item):
        if isinstance(item, dict):
            return {key: plain(v) for key, v in item.items()}
        if isinstance(item, list):
            return [plain(v) for v in item]
        return str(item) if isinstance(item, float) and not np.isfinite(item) else item

    return json.dumps(plain(value), allow_nan=False)


def _captured(function, columns=80):
    os.environ["COLUMNS"] = str(columns)
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        function()
    return text.getvalue()


def _branching():
    """Two inputs, a shared layer, a nested Sequential, a frozen layer."""
    first = keras.Input((4,), name="first")
    second = keras.Input((4,), name="an_input_with_quite_a_long_name")
    shared = layers.Dense(3)
    joined = layers.Concatenate()([shared(first), shared(second), second])
    nested = keras.Sequential([layers.Dense(2, activation="relu"), layers.Dense(3)])
    frozen = layers.Dense(5, trainable=False)
    return keras.Model([first, second], frozen(nested(joined)))


def _two_outputs():
    inputs = keras.Input((8, 8, 3))
    x = layers.Conv2D(4, 3)(inputs)
    x = layers.Dropout(0.5)(x)
    x = layers.Flatten()(x)
    return keras.Model(inputs, [layers.Dense(2, name="a")(x), layers.Dense(1, name="b")(x)])


def _trained():
    model = keras.Sequential([layers.Input((4,)), layers.Dense(8), layers.BatchNormalization()])
    model.add(layers.Dense(1))
    model.compile("adam", "mse")
    model.fit(np.ones((4, 4)), np.ones((4, 1)), verbose=0)
    return model


def _called():
    """A Sequential without an Input, built by calling it."""
    model = keras.Sequential([layers.Dense(3), layers.Dense(2)])
    model(np.ones((5, 4), np.float32))
    return model


class _Subclassed(keras.Model):
    def __init__(self):
        super().__init__(name="subclassed")
        self.first = layers.Dense(3)
        self.second = layers.Dense(2)

    def call(self, x):
        return self.second(self.first(x))


def _subclassed():
    model = _Subclassed()
    model(np.ones((5, 4), np.float32))
    return model


def _summaries(folder):
    everything = {"expand_nested": True, "show_trainable": True}
    cases = {
        "mnist_cnn": (models.mnist_cnn, {}, 80),
        "mnist_cnn_wide": (models.mnist_cnn, {}, 120),
        "mlp": (models.mlp, {}, 80),
        "resnet": (models.resnet, {}, 80),
        "resnet_wide": (models.resnet, {}, 120),
        "branching": (_branching, {}, 80),
        "branching_nested_trainable": (_branching, everything, 120),
        "two_outputs": (_two_outputs, {}, 80),
        "unbuilt": (lambda: keras.Sequential([layers.Dense(2), layers.Flatten()]), {}, 80),
        "called": (_called, {}, 80),
        "subclassed": (_subclassed, {}, 80),
        "trained": (_trained, {}, 80),
        "trained_trainable": (_trained, {"show_trainable": True}, 80),
    }
    for name, (make, arguments, columns) in cases.items():
        keras.backend.clear_session()
        model = make()
        text = _captured(
            lambda model=model, arguments=arguments: model.summary(**arguments), columns
        )
        (folder / f"summary_{name}.txt").write_text(text)


def _names(folder):
    """Each line: what is made, and the name it gets, in one session from a clean start."""
    keras.backend.clear_session()
    scope = {"keras": keras, "layers": layers}
    expressions = """
        layers.Dense(1)
        layers.Dense(1)
        layers.Dense(1, name="mine")
        layers.Dense(1, name="dense")
        layers.Dense(1)
        layers.Conv2D(1, 1)
        layers.Conv2D(1, 1)
        layers.MaxPooling2D()
        layers.AveragePooling2D(2)
        layers.GlobalAveragePooling2D()
        layers.GlobalMaxPooling2D()
        layers.BatchNormalization()
        layers.LayerNormalization()
        layers.ReLU()
        layers.ReLU()
        layers.LeakyReLU()
        layers.ELU()
        layers.Softmax()
        layers.Activation("relu")
        layers.Flatten()
        layers.Reshape((1,))
        layers.Dropout(0.5)
        layers.Embedding(1, 1)
        layers.Rescaling(1.0)
        layers.Add()
        layers.Concatenate()
        layers.ZeroPadding2D()
        layers.Permute((1,))
        layers.InputLayer(shape=(1,))
        keras.Input((1,))._keras_history.operation
        keras.Sequential()
        keras.Sequential([layers.Dense(1)])
        keras.Sequential([layers.Input((2,)), layers.Dense(1)])
        (lambda i: keras.Model(i, layers.Dense(1)(i)))(keras.Input((2,)))
        (lambda i: keras.Model(i, layers.Dense(1)(i)))(keras.Input((2,)))
        (lambda i: keras.Model(i, layers.Dense(1)(i), name="named"))(keras.Input((2,)))
        (lambda i: keras.Model(i, layers.Dense(1)(i)))(keras.Input((2,)))
        type("MyOwnModel", (keras.Model,), {})()
        type("HTTPNet2", (keras.Model,), {})()
        keras.optimizers.SGD()
        keras.optimizers.SGD()
        keras.optimizers.RMSprop()
        keras.optimizers.Adam()
        keras.optimizers.AdamW()
        keras.losses.MeanSquaredError()
        keras.losses.Huber()
        keras.losses.SparseCategoricalCrossentropy()
        keras.metrics.Mean()
        keras.metrics.Mean()
        keras.metrics.AUC()
        keras.metrics.AUC()
        keras.metrics.Precision()
        keras.metrics.RootMeanSquaredError()
        keras.metrics.LogCoshError()
    """
    lines = []
    for expression in filter(None, map(str.strip, expressions.splitlines())):
        made = eval(expression, scope)
        lines.append(f"{expression} -> {made.name}")
    (folder / "names.txt").write_text("\n".join(lines) + "\n")


def _session(mode, terminal):
    """The bytes that session.py writes to a terminal (its line ends left alone), or to a pipe."""
    command = [sys.executable, str(HERE / "session.py"), mode]
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "100"}
    if not terminal:
        return subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True).stdout
    outer, inner = pty.openpty()
    attributes = termios.tcgetattr(inner)
    attributes[1] &= ~termios.OPOST
    termios.tcsetattr(inner, termios.TCSANOW, attributes)
    process = subprocess.Popen(command, env=environment, stdout=inner)
    os.close(inner)
    written = b""
    with contextlib.suppress(OSError):  # The end of a terminal reads as an error.
        while chunk := os.read(outer, 65536):
            written += chunk
    os.close(outer)
    if process.wait() != 0:
        raise RuntimeError("session.py failed")
    return written


def _sessions(folder):
    for name, mode, terminal in (
        ("fit_verbose1_terminal", "1", True),
        ("fit_verbose1_pipe", "1", False),
        ("fit_verbose2_pipe", "2", False),
        ("summary_colours_terminal", "colours", True),
    ):
        (folder / f"{name}.txt").write_bytes(_session(mode, terminal))


def _drawings(target, events, verbose=1, **arguments):
    """A case of progbar.json. An event: (time, current, [[name, value], ...], finalize)."""
    clock = Clock(start=events[0][0]).install()
    drawings = []
    bar = keras.utils.Progbar(target, verbose=verbose, stateless_metrics=set(), **arguments)
    for time, current, values, finalize in events[1:]:
        clock.now = time

        def update(current=current, values=values, finalize=finalize):
            bar.update(current, [tuple(v) for v in values], finalize=finalize)

        drawings.append(_captured(update))
    return {
        "target": target,
        "verbose": verbose,
        "start": events[0][0],
        "events": [
            {"time": t, "current": c, "values": v, "finalize": f, "drawing": drawing}
            for (t, c, v, f), drawing in zip(events[1:], drawings, strict=True)
        ],
    }


def _progbar(folder):
    loss = [["loss", 0.5]]
    two = [["accuracy", 0.125], ["loss", 2.25]]
    small = [
        ["a", 0.001],
        ["b", 0.0010001],
        ["c", -0.5],
        ["d", -1e-5],
        ["e", 0.0],
        ["f", 12345.678],
    ]
    odd = [["loss", float("nan")], ["up", float("inf")], ["down", float("-inf")]]
    steps = [(100.0 + 0.03 * i, i, two, False) for i in range(1, 14)]
    cases = {
        "every_20th_of_a_second": (13, [(100.0,), *steps, (100.5, 13, two, True)]),
        "padding": (
            200,
            [
                (0.0,),
                (1.0, 1, two, False),
                (2.0, 2, [["accuracy", 1e-9], ["loss", 123.0]], False),
                (3.0, 3, loss, False),
                (4.0, 200, loss, True),
            ],
        ),
        "rest_in_minutes": (1000, [(0.0,), (1.0, 1, loss, False), (3.0, 2, loss, False)]),
        "rest_in_hours": (10000, [(0.0,), (1.0, 1, loss, False), (3.0, 2, loss, False)]),
        "borders_of_units": (
            4,
            [
                (0.0,),
                (1.0, 1, [], False),
                (2.0, 2, [], False),
                (2.998, 3, [], False),
                (62, 4, [], True),
            ],
        ),
        "microseconds": (
            3,
            [(0.0,), (0.1, 1, [], False), (0.1005, 2, [], False), (0.101, 3, [], True)],
        ),
        "rounding": (2, [(0.0,), (0.5, 1, [], False), (0.5025, 2, [], True)]),
        "rounding_up": (2, [(0.0,), (1.5, 1, [], False), (2.5, 2, [], True)]),
        "one_step": (1, [(0.0,), (0.25, 1, two, True)]),
        "values": (1, [(0.0,), (0.25, 1, small, True)]),
        "not_finite": (1, [(0.0,), (0.25, 1, odd, True)]),
        "unknown_target": (None, [(0.0,), (1.0, 1, loss, False), (2.5, 12, loss, False)]),
        "unknown_target_end": (None, [(0.0,), (1.0, 1, loss, False), (2.5, 2, loss, True)]),
        "long_names": (5, [(0.0,), (1.0, 3, [["metric_with_a_long_name", 0.5]], False)]),
    }
    written = {}
    for name, (target, events) in cases.items():
        written[name] = _drawings(target, events)
        if target is not None:
            written[f"{name}_verbose2"] = _drawings(target, events, verbose=2)
    lines = [f"{json.dumps(name)}: {_json(case)}" for name, case in written.items()]
    (folder / "progbar.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")


class _Recorder(keras.callbacks.Callback):
    """Stands first: feeds the other callbacks with given values instead of the real ones."""

    def __init__(self, values):
        super().__init__()
        self.values = values

    def on_epoch_begin(self, epoch, logs=None):
        self.model.layers[-1].set_weights([np.full((1, 1), epoch + 1, np.float32)])

    def on_epoch_end(self, epoch, logs=None):
        logs.clear()
        logs.update(self.values[epoch])


class _Watch(keras.callbacks.Callback):
    """Stands last: notes what the others left behind."""

    def __init__(self, folder):
        super().__init__()
        self.folder = Path(folder)
        self.epochs = []

    def on_epoch_end(self, epoch, logs=None):
        self.epochs.append(
            {
                "logs": dict(logs),
                "learning_rate": float(self.model.optimizer.learning_rate),
                "stop": bool(self.model.stop_training),
                "files": sorted(p.name for p in self.folder.iterdir()),
            }
        )


def _run_callbacks(values, make):
    """Runs a model of one weight through len(values) epochs whose logs are `values`."""
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = keras.Sequential([layers.Input((1,)), layers.Dense(1, use_bias=False)])
        model.compile(keras.optimizers.SGD(0.1), "mse", run_eagerly=True)
        watch = _Watch(folder)
        chain = [_Recorder(values), make(folder), watch]
        data = np.zeros((1, 1), np.float32)

        def fit():
            model.fit(data, data, epochs=len(values), verbose=0, callbacks=chain)

        text = _captured(fit).replace(folder, "FOLDER")
        csv = Path(folder, "log.csv")
        result = {
            "epochs": watch.epochs,
            "printed": text,
            "final_weight": float(model.get_weights()[0][0, 0]),
            "warnings": [str(w.message) for w in caught if "available" in str(w.message)],
        }
        if csv.exists():
            result["file"] = csv.read_bytes().decode()
        return result


def _callbacks(folder):
    down = [1.0, 0.9, 0.95, 0.8, 0.85, 0.82, 0.81, 0.7, 0.75, 0.76]
    flat = [1.0, 0.99995, 0.9999, 0.99985, 0.9998, 0.99975, 0.9997, 0.5, 0.5, 0.5]
    nan = [1.0, float("nan"), 0.9, float("nan"), float("nan"), 0.8]
    several = {"down": down, "flat": flat, "nan": nan}
    options = {
        "EarlyStopping": [
            {},
            {"patience": 1, "verbose": 1},
            {"patience": 2, "verbose": 1, "restore_best_weights": True},
            {"patience": 3, "restore_best_weights": True, "verbose": 1},
            {"patience": 1, "min_delta": 0.15},
            {"patience": 2, "baseline": 0.85, "verbose": 1},
            {"patience": 1, "start_from_epoch": 3},
            {"patience": 2, "mode": "max"},
            {"patience": 2, "monitor": "missing"},
        ],
        "ReduceLROnPlateau": [
            {"patience": 1, "verbose": 1},
            {"patience": 2, "factor": 0.5},
            {"patience": 1, "factor": 0.5, "cooldown": 2},
            {"patience": 1, "factor": 0.1, "min_lr": 0.005, "verbose": 1},
            {"patience": 1, "min_delta": 0.15},
            {"patience": 1, "monitor": "missing"},
        ],
        "ModelCheckpoint": [
            {"filepath": "{epoch:02d}-{val_loss:.2f}.keras", "verbose": 1},
            {"filepath": "{epoch}.keras", "save_best_only": True, "verbose": 1},
            {
                "filepath": "{epoch}.keras",
                "save_best_only": True,
                "initial_value_threshold": 0.85,
                "verbose": 1,
            },
            {"filepath": "best.weights.h5", "save_weights_only": True, "save_best_only": True},
            {"filepath": "{epoch}.keras", "save_best_only": True, "mode": "max"},
            {"filepath": "{epoch}.keras", "save_best_only": True, "monitor": "missing"},
        ],
        "CSVLogger": [{"filename": "log.csv"}, {"filename": "log.csv", "separator": ";"}],
    }
    cases = []
    for kind, variants in options.items():
        for arguments in variants:
            for name, values in several.items():
                if kind == "CSVLogger" and name == "flat":
                    continue
                logs = [{"loss": v / 2, "val_loss": v} for v in values]

                def make(path, kind=kind, arguments=arguments):
                    own = dict(arguments)
                    for key in ("filepath", "filename"):
                        if key in own:
                            own[key] = f"{path}/{own[key]}"
                    if own.get("monitor") == "missing":
                        own["mode"] = "min"
                    return getattr(keras.callbacks, kind)(**own)

                result = _run_callbacks(logs, make)
                cases.append({"class": kind, "config": arguments, "values": logs, **result})
    logs = [{"loss": 0.1, "accuracy": 1 / 3}, {"loss": 1e-7}, {"accuracy": 1.0, "extra": 2.0}]
    result = _run_callbacks(logs, lambda path: keras.callbacks.CSVLogger(f"{path}/log.csv"))
    cases.append(
        {"class": "CSVLogger", "config": {"filename": "log.csv"}, "values": logs, **result}
    )
    lines = [_json(case) for case in cases]
    (folder / "callbacks.json").write_text("[\n" + ",\n".join(lines) + "\n]\n")


def write(folder: Path):
    folder = folder / "text"
    folder.mkdir(exist_ok=True)
    _names(folder)
    _summaries(folder)
    _progbar(folder)
    _callbacks(folder)
    _sessions(folder)
    print(f"  text: {len(list(folder.iterdir()))} files")

"""Writes mnist_cnn, mlp and resnet.safetensors: the three models in training.

Weights are numbered as in model.weights; the single case describes them and the settings. Of a
model:
  initial/<i>             the weights at the start (float32)
  x, y                    the data, where they are not MNIST
  state/<s>/rows          the first row of the batch, and how many
  state/<s>/weight/<i>    the weights: the state *is* what stands here. Up to SMALL elements as
                          float16; more as int8, to be multiplied by state/<s>/scale[i]
  state/<s>/loss          the loss in training mode, computed in float64, like all that follows
  state/<s>/grad/<i>      its gradient, packed (trainable weights only)
  state/<s>/moving/<i>    moving statistics after the step (weights that are not trained)
  state/<s>/sgd/<i>, adam, rmsprop    the weights after one step of a fresh optimizer, packed
  state/<s>/float32_error [trainable weights]: the distance of Keras's float32 gradient from
                          the one in float64, by the norm; and float32_loss, its loss
  free/<optimizer>/loss   the losses of FREE_STEPS steps from the initial weights; before each step;
                          in float32

Packed: up to WHOLE elements as they are; of a longer tensor t three entries, <key>/norm (its
Euclidean norm), <key>/dot ([DOTS]: sum of t[e] * sign(p, e) over the flat index e, for p = 0,
1, ...), <key>/sample ([SAMPLES]: t at the flat indices hash(SAMPLES_SEED, j) % size).
hash is the 32-bit integer hash below; sign(p, e) is -1 where hash(p, e) is odd, else 1.

Gradients jump where a ReLU's input passes zero or two values of a pooling window change places,
so some states have no gradient to speak of: rounding alone moves it by a percent. Such states
say nothing about an implementation and are passed over. A state is kept if its gradients in
float32 agree with those in float64, and if those hardly move when every weight is moved a little.
What is stored are the float64 values: of the ResNet's, float32 is 1e-5 off, as far as the tests
allow. The seed of the initial weights is likewise the first with which runs in float32 and
float64, and from slightly moved weights, have the same losses.
"""

import gzip
import os
from pathlib import Path

import keras
import models
import numpy as np
import tensorflow as tf
from common import Tensors, generator

SMALL = 2000
WHOLE = 600
DOTS = 8
SAMPLES = 64
SAMPLES_SEED = 1000
STATES = 20
STEPS_BETWEEN = 3
FREE_STEPS = 20
# Of the norm: how far float32 may be from float64, how far weights are moved, and what that may do.
ROUNDING = 2e-5
NUDGE = 1e-6
RESPONSE = 2e-5
TRIALS = 4
# How far apart the losses of two runs may be.
DRIFT = 2e-4
MNIST = Path(__file__).resolve().parents[2] / "data" / "mnist"

STEP_OPTIMIZERS = {
    "sgd": keras.optimizers.SGD,
    "adam": keras.optimizers.Adam,
    "rmsprop": keras.optimizers.RMSprop,
}


def _free_optimizers(model):
    """Fresh optimizers with Keras's learning rates; a tenth of those for the ResNet.

    In 20 steps its ten million ReLUs meet some inputs that rounding takes to the other side of
    zero. With small steps that does not show in the losses.
    """
    share = 0.1 if model == "resnet" else 1.0
    slow, fast = {"learning_rate": 0.01 * share}, {"learning_rate": 0.001 * share}
    return {
        "sgd": keras.optimizers.SGD(**slow),
        "momentum": keras.optimizers.SGD(momentum=0.9, **slow),
        "nesterov": keras.optimizers.SGD(momentum=0.9, nesterov=True, **slow),
        "rmsprop": keras.optimizers.RMSprop(**fast),
        "adam": keras.optimizers.Adam(**fast),
        "adamw": keras.optimizers.AdamW(**fast),
    }


def hashes(seed, count):
    """hash(seed, i) for i < count, in uint32 arithmetic."""
    x = np.arange(count, dtype=np.uint32) + np.uint32((0x9E3779B9 * (seed + 1)) & 0xFFFFFFFF)
    x = (x ^ (x >> np.uint32(16))) * np.uint32(0x7FEB352D)
    x = (x ^ (x >> np.uint32(15))) * np.uint32(0x846CA68B)
    return x ^ (x >> np.uint32(16))


def _add_packed(out, key, value):
    flat = np.asarray(value, np.float32).ravel()
    if flat.size <= WHOLE:
        out.add(key, value)
        return
    wide = flat.astype(np.float64)
    signs = [1.0 - 2.0 * (hashes(p, flat.size) & 1) for p in range(DOTS)]
    out.add(f"{key}/norm", np.float32(np.linalg.norm(wide)))
    out.add(f"{key}/dot", np.array([wide @ s for s in signs], np.float32))
    out.add(f"{key}/sample", flat[hashes(SAMPLES_SEED, SAMPLES) % flat.size])


def _rounded(weights):
    """What is stored of the weights, the scales, and the state that they stand for."""
    stored, scales, state = [], [], []
    for weight in weights:
        scale = 1.0
        if weight.size <= SMALL:
            kept = weight.astype(np.float16)
        else:  # The smallest power of two with which every value fits into a byte.
            scale = 2.0 ** np.ceil(np.log2(np.abs(weight).max() / 127))
            kept = np.round(weight / scale).astype(np.int8)
        stored.append(kept)
        scales.append(scale)
        state.append((kept.astype(np.float32) * np.float32(scale)).astype(np.float32))
    return stored, np.array(scales, np.float32), state


class _Data:
    """Batches of 32 MNIST images (scaled to [0, 1]) or of 10 of the MLP's rows, in order."""

    def __init__(self, model):
        if model == "mlp":
            self.batch = 10
            self.x = generator("mlp/x").uniform(0, 1, (200, 100)).astype(np.float32)
            self.y = generator("mlp/y").integers(0, 10, 200)
        else:
            self.batch = 32
            folder = Path(os.environ.get("MNIST", MNIST))
            images = gzip.decompress((folder / "train-images-idx3-ubyte.gz").read_bytes())[16:]
            labels = gzip.decompress((folder / "train-labels-idx1-ubyte.gz").read_bytes())[8:]
            pixels = np.frombuffer(images, np.uint8).reshape(-1, 28, 28, 1)[:10000]
            self.x = pixels.astype(np.float32) / np.float32(255)
            self.y = np.frombuffer(labels, np.uint8)[:10000].astype(np.int64)

    def rows(self, step):
        first = step * self.batch % len(self.x)
        return first, self.batch

    def __call__(self, step):
        first, count = self.rows(step)
        return self.x[first : first + count], self.y[first : first + count]


class _Trainer:
    """A model in one float type: losses, gradients and runs from given weights."""

    def __init__(self, make, dtype):
        keras.config.set_floatx(dtype)
        keras.config.set_dtype_policy(dtype)
        self.dtype = dtype
        self.model = make()
        self.loss = keras.losses.SparseCategoricalCrossentropy()
        keras.config.set_floatx("float32")
        keras.config.set_dtype_policy("float32")
        self.step = tf.function(self._step)

    def _step(self, x, y):
        with tf.GradientTape() as tape:
            loss = self.loss(y, self.model(x, training=True))
        return loss, tape.gradient(loss, [v.value for v in self.model.trainable_variables])

    def loss_and_gradients(self, batch, weights=None):
        if weights is not None:
            self.model.set_weights(weights)
        x, y = batch
        return self.step(tf.constant(x.astype(self.dtype)), tf.constant(y))

    def apply(self, optimizer, gradients):
        optimizer.apply_gradients(zip(gradients, self.model.trainable_variables, strict=True))

    def run(self, weights, data, optimizer, steps):
        """The loss before each of `steps` steps."""
        self.model.set_weights(weights)
        losses = []
        for index in range(steps):
            loss, gradients = self.loss_and_gradients(data(index))
            self.apply(optimizer, gradients)
            losses.append(loss.numpy())
        return np.array(losses, np.float32)


def _nudged(weights, trial):
    numbers = generator(f"nudge/{trial}")
    return [w * (1 + NUDGE * numbers.standard_normal(w.shape)) for w in map(np.float64, weights)]


def _distance(some, others):
    """The differences of two lists of tensors, each by its norm."""
    pairs = zip(some, others, strict=True)
    return np.array([np.linalg.norm(a - b) / (np.linalg.norm(b) + 1e-30) for a, b in pairs])


def _rounding_error(single, double, batch, state):
    """The float32 gradients' distances from float64, or None where the gradients jump."""

    def gradients(trainer, weights):
        return [g.numpy() for g in trainer.loss_and_gradients(batch, weights)[1]]

    exact = gradients(double, state)
    error = _distance(gradients(single, state), exact)
    if error.max() > ROUNDING:
        return None
    moved = (gradients(double, _nudged(state, trial)) for trial in range(TRIALS))
    return error if all(_distance(g, exact).max() < RESPONSE for g in moved) else None


def _free_runs(name, single, double, weights, data):
    """The losses of each optimizer's run, or None where they depend on rounding."""

    def runs(trainer, start):
        optimizers = _free_optimizers(name)
        return {o: trainer.run(start, data, optimizers[o], FREE_STEPS) for o in optimizers}

    losses = runs(single, weights)
    for start in (weights, _nudged(weights, 0)):
        others = runs(double, start)
        drift = max(np.abs(others[o] - losses[o]).max() for o in losses)
        print(f"  {name}: losses {drift:.1e} apart", flush=True)
        if drift > DRIFT:
            return None
    return losses


def _write_state(out, key, trainer, batch, state, trainable):
    loss, gradients = trainer.loss_and_gradients(batch, state)
    out.add(f"{key}/loss", loss.numpy())
    for index, weight in enumerate(trainer.model.get_weights()):
        if index not in trainable:
            out.add(f"{key}/moving/{index}", weight)
    for index, gradient in zip(trainable, gradients, strict=True):
        _add_packed(out, f"{key}/grad/{index}", gradient.numpy())
    for name, make in STEP_OPTIMIZERS.items():
        trainer.model.set_weights(state)
        trainer.apply(make(), gradients)
        updated = trainer.model.get_weights()
        for index in trainable:
            _add_packed(out, f"{key}/{name}/{index}", updated[index])


def _write_states(out, single, double, initial, data, trainable):
    """States of a run with Adam, STEPS_BETWEEN steps apart or more."""
    weights, optimizer = initial, keras.optimizers.Adam()
    count, last, step = 0, -STEPS_BETWEEN, 0
    while count < STATES:
        stored, scales, state = _rounded(weights)
        error = None
        if step - last >= STEPS_BETWEEN:
            error = _rounding_error(single, double, data(step), state)
        if error is not None:
            key = f"state/{count}"
            for number, weight in enumerate(stored):
                out.add(f"{key}/weight/{number}", weight)
            out.add(f"{key}/scale", scales)
            out.add(f"{key}/rows", np.array(data.rows(step), np.int64))
            out.add(f"{key}/float32_error", error)
            out.add(f"{key}/float32_loss", single.loss_and_gradients(data(step), state)[0].numpy())
            _write_state(out, key, double, data(step), state, trainable)
            count, last = count + 1, step
        _, gradients = single.loss_and_gradients(data(step), weights)
        single.apply(optimizer, gradients)
        weights = single.model.get_weights()
        step += 1
    print(f"  {STATES} states of {step} steps", flush=True)


def _write_model(folder, name, make):
    keras.backend.clear_session()
    out = Tensors()
    data = _Data(name)
    if name == "mlp":
        out.add("x", data.x)
        out.add("y", data.y)
    single, double = _Trainer(make, "float32"), _Trainer(make, "float64")
    model = single.model
    names = {id(w) for w in model.trainable_weights}
    trainable = [i for i, w in enumerate(model.weights) if id(w) in names]
    losses = None
    for seed in range(1, 100):
        keras.utils.set_random_seed(seed)
        initial = make().get_weights()
        losses = _free_runs(name, single, double, initial, data)
        if losses is not None:
            break
    print(f"  {name}: seed {seed}", flush=True)
    for index, weight in enumerate(initial):
        out.add(f"initial/{index}", weight)
    for optimizer, values in losses.items():
        out.add(f"free/{optimizer}/loss", values)
    _write_states(out, single, double, initial, data, trainable)
    out.add_case(
        name,
        batch=data.batch,
        states=STATES,
        weights=[
            {"path": w.path, "shape": list(w.shape), "trainable": i in trainable}
            for i, w in enumerate(model.weights)
        ],
        parameters=model.count_params(),
        optimizers={key: o.get_config() for key, o in _free_optimizers(name).items()},
    )
    out.save(folder / f"{name}.safetensors")


def write(folder: Path):
    _write_model(folder, "mnist_cnn", models.mnist_cnn)
    _write_model(folder, "mlp", models.mlp)
    _write_model(folder, "resnet", models.resnet)

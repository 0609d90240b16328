"""The steps in JAX: one jitted function a step, its state updated in place, Adam written out."""

import os

if __name__ == "__main__":
    os.environ.setdefault("JAX_PLATFORMS", "cpu")

import jax
import jax.numpy as jnp
import numpy as np
from worker import Training, serve, time_blocks, time_first

RATE, BETA1, BETA2, EPSILON = 1e-3, 0.9, 0.999, 1e-7
ACTIVATIONS = {"relu": jax.nn.relu, "gelu": lambda x: jax.nn.gelu(x, approximate=False)}


def glorot(shape, inputs, outputs):
    limit = (6 / (inputs + outputs)) ** 0.5
    return jnp.asarray(np.random.uniform(-limit, limit, shape), jnp.float32)


def convolve(x, kernel, layer):
    strides = (layer.get("strides", 1),) * 2
    padding = layer.get("padding", "valid").upper()
    return jax.lax.conv_general_dilated(x, kernel, strides, padding, dimension_numbers=("NHWC", "HWIO", "NHWC"))


def pool(x, layer):
    window = (1, layer.get("pool_size", 2), layer.get("pool_size", 2), 1)
    strides = (1, *(layer.get("strides", window[1]),) * 2, 1)
    if layer["class"] == "MaxPooling2D":
        return jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, window, strides, "VALID")
    return jax.lax.reduce_window(x, 0.0, jax.lax.add, window, strides, "VALID") / (window[1] * window[2])


def normalize(x, weights, averages, training):
    """By the batch's statistics, and the moving averages that follow from them."""
    if not training:
        mean, variance = averages
    else:
        axes = tuple(range(x.ndim - 1))
        mean, variance = x.mean(axes), x.var(axes)
        averages = [0.99 * old + 0.01 * new for old, new in zip(averages, (mean, variance))]
    return (x - mean) * jax.lax.rsqrt(variance + 1e-3) * weights[0] + weights[1], averages


def make_weights(step):
    """For each layer its weights and its averages."""
    weights, averages = [], []
    x = jax.ShapeDtypeStruct((1, *step.input_shape), jnp.float32)
    for layer in step.layers:
        own, moving, channels = [], [], x.shape[-1]
        if layer["class"] == "Dense":
            own = [glorot((channels, layer["units"]), channels, layer["units"]), jnp.zeros(layer["units"])]
        elif layer["class"] == "Conv2D":
            area, filters = layer["kernel_size"] ** 2, layer["filters"]
            shape = (layer["kernel_size"],) * 2 + (channels, filters)
            own = [glorot(shape, area * channels, area * filters), jnp.zeros(filters)]
        elif layer["class"] == "BatchNormalization":
            own = [jnp.ones(channels), jnp.zeros(channels)]
            moving = [jnp.zeros(channels), jnp.ones(channels)]
        weights.append(own)
        averages.append(moving)
        x = jax.eval_shape(lambda x, layer=layer, own=own, moving=moving: call(layer, x, own, moving, None)[0], x)
    return weights, averages


def call(layer, x, weights, averages, key):
    """A layer's output and new averages; `key` is given in training alone."""
    kind = layer["class"]
    if kind == "Dense":
        x = x @ weights[0] + weights[1]
    elif kind == "Conv2D":
        x = convolve(x, weights[0], layer) + weights[1]
    elif kind in ("MaxPooling2D", "AveragePooling2D"):
        x = pool(x, layer)
    elif kind == "Flatten":
        x = x.reshape(x.shape[0], -1)
    elif kind == "BatchNormalization":
        x, averages = normalize(x, weights, averages, key is not None)
    elif kind == "Dropout" and key is not None:
        kept = 1 - layer["rate"]
        x = jnp.where(jax.random.bernoulli(key, kept, x.shape), x / kept, 0)
    activation = layer.get("activation")
    return ACTIVATIONS[activation](x) if activation in ACTIVATIONS else x, averages


def forward(step, weights, averages, x, key):
    """Logits and new averages."""
    results = []
    for index, layer in enumerate(step.layers):
        own_key = None if key is None else jax.random.fold_in(key, index)
        x, moving = call(layer, x, weights[index], averages[index], own_key)
        results.append(moving)
    return x, results


def make_training(step):
    """The state of a training, and the function of a step: of state and batch, to be compiled."""
    weights, averages = make_weights(step)
    zeros = jax.tree.map(jnp.zeros_like, weights)
    state = (weights, averages, zeros, jax.tree.map(jnp.copy, zeros), jnp.int32(0), jax.random.key(1))

    def loss_of(weights, averages, x, y, key):
        logits, averages = forward(step, weights, averages, x, key)
        log_likelihood = jnp.take_along_axis(jax.nn.log_softmax(logits), y[:, None], 1)
        return -log_likelihood.mean(), averages

    def update(state, x, y):
        weights, averages, m, v, count, key = state
        own_key = jax.random.fold_in(key, count)
        gradient = jax.value_and_grad(loss_of, has_aux=True)
        (loss, averages), g = gradient(weights, averages, x, y, own_key)
        count += 1
        rate = RATE * jnp.sqrt(1 - BETA2**count) / (1 - BETA1**count)
        m = jax.tree.map(lambda m, g: m + (g - m) * (1 - BETA1), m, g)
        v = jax.tree.map(lambda v, g: v + (g * g - v) * (1 - BETA2), v, g)
        weights = jax.tree.map(lambda w, m, v: w - rate * m / (jnp.sqrt(v) + EPSILON), weights, m, v)
        return (weights, averages, m, v, count, key), loss

    return state, update


def train_function(step):
    state, update = make_training(step)
    parameters = sum(leaf.size for leaf in jax.tree.leaves(state[:2]))
    update = jax.jit(update, donate_argnums=0)

    def train(x, y):
        nonlocal state
        state, loss = update(state, x, y)
        return float(loss)

    return train, parameters


def make_images(step):
    return jnp.asarray(np.random.rand(step.batch, *step.input_shape), jnp.float32)


def make_labels(step):
    return jnp.asarray(np.random.randint(0, 10, step.batch), jnp.int32)


def inference(step):
    weights, averages = make_weights(step)
    predict = jax.jit(lambda weights, averages, x: jax.nn.softmax(forward(step, weights, averages, x, None)[0]))
    loop = Training(
        step,
        lambda x, y: np.asarray(predict(weights, averages, x))[0, 0],
        lambda: make_images(step),
        lambda: None,
        0,
    )
    return lambda seconds: {"us": time_blocks(loop.once, seconds)}


def tracing(step):
    x, y = make_images(step), make_labels(step)

    def prepare():
        train, _ = train_function(step)
        return lambda: train(x, y)

    return lambda seconds: {"us": time_first(prepare, seconds)}


def empty_call(step):
    inputs = [jnp.ones(10) for _ in range(step.inputs)]
    run = jax.jit(lambda *all: all[0])
    return lambda seconds: {"us": time_blocks(lambda: run(*inputs), seconds)}


def prepare(step, way):
    if step.kind == "train":
        train, parameters = train_function(step)
        return Training(step, train, lambda: make_images(step), lambda: make_labels(step), parameters)
    return {"inference": inference, "tracing": tracing, "empty_call": empty_call}[step.kind](step)


if __name__ == "__main__":
    serve("JAX", jax.__version__, ["jit"], prepare)

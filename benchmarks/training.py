#!/usr/bin/env python3
"""Eager training steps of PyTorch and TensorFlow on the models of benchmarks/training.cpp, on 2 threads.

  python -m venv /tmp/peers && /tmp/peers/bin/pip install torch tensorflow-cpu
  /tmp/peers/bin/python benchmarks/training.py build/release/bin/training

Given Alula's program, it is run in between, so that all see the same machine. Prints medians.
"""

import json
import os
import statistics
import subprocess
import sys
import time

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
THREADS = 2
ROUNDS = 5
SECONDS = 1.0  # of each measurement


def timed(step):
    """Microseconds a step: the median over a second's worth of steps."""
    for _ in range(5):
        step()
    times, end = [], time.perf_counter() + SECONDS
    while time.perf_counter() < end:
        start = time.perf_counter()
        step()
        times.append(time.perf_counter() - start)
    return statistics.median(times) * 1e6


def torch_steps():
    import torch
    from torch import nn

    torch.set_num_threads(THREADS)

    def step_of(model, x, y):
        optimizer = torch.optim.Adam(model.parameters())
        loss_fn = nn.CrossEntropyLoss()

        def step():
            optimizer.zero_grad()
            loss = loss_fn(model(x), y)
            loss.backward()
            optimizer.step()
            return loss.item()

        return step

    mlp = nn.Sequential(nn.Linear(100, 128), nn.ReLU(), nn.Linear(128, 10))
    cnn = nn.Sequential(nn.Conv2d(1, 32, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(5408, 10))
    return {
        "mlp/10": step_of(mlp, torch.rand(10, 100), torch.randint(0, 10, (10,))),
        "cnn28/32": step_of(cnn, torch.rand(32, 1, 28, 28), torch.randint(0, 10, (32,))),
    }


def tensorflow_steps():
    import tensorflow as tf

    tf.config.threading.set_intra_op_parallelism_threads(THREADS)

    def step_of(model, x, y):
        optimizer = tf.keras.optimizers.Adam()
        loss_fn = tf.keras.losses.SparseCategoricalCrossentropy()

        def step():
            with tf.GradientTape() as tape:
                loss = loss_fn(y, model(x, training=True))
            gradients = tape.gradient(loss, model.trainable_variables)
            optimizer.apply_gradients(zip(gradients, model.trainable_variables))
            return loss.numpy()

        return step

    layers = tf.keras.layers
    mlp = tf.keras.Sequential([tf.keras.Input((100,)), layers.Dense(128, "relu"), layers.Dense(10, "softmax")])
    cnn = tf.keras.Sequential(
        [
            tf.keras.Input((28, 28, 1)),
            layers.Conv2D(32, 3, activation="relu"),
            layers.MaxPooling2D(),
            layers.Flatten(),
            layers.Dense(10, "softmax"),
        ]
    )

    def ints(n):
        return tf.random.uniform((n,), maxval=10, dtype=tf.int32)

    return {
        "mlp/10": step_of(mlp, tf.random.uniform((10, 100)), ints(10)),
        "cnn28/32": step_of(cnn, tf.random.uniform((32, 28, 28, 1)), ints(32)),
    }


def alula_times(program):
    command = [program, "--benchmark_format=json", "--benchmark_filter=^(mlp/10|cnn28/32)/", "--benchmark_min_time=1"]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return {run["name"].removesuffix("/real_time"): run["real_time"] for run in json.loads(text)["benchmarks"]}


def main():
    peers = {}
    for name, make in (("PyTorch", torch_steps), ("TensorFlow", tensorflow_steps)):
        try:
            peers[name] = make()
        except ImportError as error:
            print(f"{name} is left out: {error}")
    rows = {}
    for _ in range(ROUNDS):
        for name, steps in peers.items():
            for model, step in steps.items():
                rows.setdefault(model, {}).setdefault(name, []).append(timed(step))
        if len(sys.argv) > 1:
            for model, microseconds in alula_times(sys.argv[1]).items():
                rows.setdefault(model, {}).setdefault("Alula", []).append(microseconds)
    print(f"Microseconds an eager training step, {THREADS} threads, median (lowest to highest) of {ROUNDS} rounds")
    for model, times in rows.items():
        parts = [
            f"{name} {statistics.median(values):.0f} ({min(values):.0f} to {max(values):.0f})"
            for name, values in times.items()
        ]
        print(f"  {model:10} " + ", ".join(parts))


if __name__ == "__main__":
    main()

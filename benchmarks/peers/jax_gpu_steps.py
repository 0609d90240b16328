"""Training steps in JAX on a GPU: one call a step, and many steps a call.

    python3 jax_gpu_steps.py STEPS.json [NAME...]

The data are on the GPU; a step picks its batch there, and its state is updated in place. Nothing is read back but
at the end of a block of steps. `jit` is one compiled function a step, called from Python without waiting; `loop` is
a block of steps as one compiled loop, which is the best that JAX has. Prints one line of JSON a step, in
microseconds.
"""

import json
import os
import sys

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")

import jax
import jax.numpy as jnp
from jax_steps import make_training
from worker import Step, time_blocks

STEPS_A_BLOCK = 50


class Training:
    """A model with its data, and a compiled function that trains it for some steps."""

    def __init__(self, step, steps):
        count = 2 * step.batches() * step.batch
        keys = jax.random.split(jax.random.key(2), 3)
        self.x = jax.random.uniform(keys[0], (count, *step.input_shape), jnp.float32)
        self.y = jax.random.randint(keys[1], (count,), 0, 10)
        self.order = jax.random.permutation(keys[2], count)
        training, update = make_training(step)
        self.state = (training, jnp.int32(0), jnp.float32(0))

        def one(state, x, y, order):
            training, position, _ = state
            picked = jax.lax.dynamic_slice(order, (position,), (step.batch,))
            training, loss = update(training, x[picked], y[picked])
            return training, (position + step.batch) % count, loss

        def several(state, x, y, order):
            return jax.lax.fori_loop(0, steps, lambda _, state: one(state, x, y, order), state)

        self.run = jax.jit(one if steps == 1 else several, donate_argnums=0)

    def call(self):
        self.state = self.run(self.state, self.x, self.y, self.order)

    def wait(self):
        jax.block_until_ready(self.state)


def measure(step, steps):
    """Microseconds a step, of so many a call."""
    training = Training(step, steps)

    def block():
        for _ in range(STEPS_A_BLOCK // steps):
            training.call()
        training.wait()

    return time_blocks(block, 0.3) / STEPS_A_BLOCK


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        table = json.load(file)
    print(json.dumps({"jax": jax.__version__, "device": str(jax.devices()[0].device_kind)}), flush=True)
    for row in table["steps"]:
        step = Step(row, table["models"])
        if step.kind != "train" or (len(sys.argv) > 2 and step.name not in sys.argv[2:]):
            continue
        result = {"step": step.name}
        for name, steps in (("jit", 1), ("loop", STEPS_A_BLOCK)):
            try:
                result[name] = measure(step, steps)
            except Exception as error:  # one that does not run is a row of the table
                result["error"] = str(error).splitlines()[0][:200]
        print(json.dumps(result), flush=True)


if __name__ == "__main__":
    main()

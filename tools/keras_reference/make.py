"""Makes the reference values in tests/keras_reference with Keras 3 on TensorFlow.

  pip install -r tools/keras_reference/requirements.txt
  python tools/keras_reference/make.py            # everything
  python tools/keras_reference/make.py losses     # some parts

The C++ tests read only the files that this writes; they need no TensorFlow.
"""

import argparse
import importlib
import os
from pathlib import Path

# Float32 on the CPU, one thread and no oneDNN: the plainest sums that TensorFlow can make.
os.environ["KERAS_BACKEND"] = "tensorflow"
os.environ["CUDA_VISIBLE_DEVICES"] = ""
os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

PARTS = ["signatures", "layers", "losses", "metrics", "optimizers", "texts", "training"]
ROOT = Path(__file__).resolve().parents[2]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], help="default: all")
    parser.add_argument("--out", type=Path, default=ROOT / "tests" / "keras_reference")
    arguments = parser.parse_args()

    import keras
    import tensorflow as tf

    tf.config.threading.set_intra_op_parallelism_threads(1)
    tf.config.threading.set_inter_op_parallelism_threads(1)
    tf.config.experimental.enable_op_determinism()

    arguments.out.mkdir(parents=True, exist_ok=True)
    for part in arguments.parts or PARTS:
        print(f"{part} ...", flush=True)
        keras.utils.set_random_seed(1)
        importlib.import_module(part).write(arguments.out)


if __name__ == "__main__":
    main()

"""Programs that were written for TensorFlow, run unchanged by `python -m alula`.

They lie beside the repository, in shared/programs. Where that folder is not there, nothing is tested.
"""

import os
import pathlib
import re
import subprocess
import sys

import numpy as np
import pytest


def programs_folder():
    """The folder of the programs, from the environment or beside one of the folders above this one."""
    if "ALULA_PROGRAMS" in os.environ:
        return pathlib.Path(os.environ["ALULA_PROGRAMS"])
    for folder in pathlib.Path(__file__).resolve().parents:
        if (folder / "shared" / "programs").is_dir():
            return folder / "shared" / "programs"
    return None


FOLDER = programs_folder()
pytestmark = pytest.mark.skipif(FOLDER is None, reason="shared/programs is not beside the repository")

GPU_WARNING = re.compile(
    r"Alula: /GPU:0 was asked for, but there is no usable one: .*\n"
    r"  Set soft placement off to make this an error\. \(This is said once\.\)\n"
)
NUMBER = r"([0-9.]+(?:e-?[0-9]+)?)"


def output_of(end_of_name):
    """What a program prints, if it ends well and has nothing to complain about."""
    (program,) = FOLDER.glob(f"[0-9]*_[0-9]_{end_of_name}.py")
    run = subprocess.run([sys.executable, "-m", "alula", str(program)], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert GPU_WARNING.sub("", run.stderr, count=1) == ""
    return run.stdout


def numbers(pattern, text):
    """The numbers in a text of which no part is left over."""
    match = re.fullmatch(pattern.replace("<number>", NUMBER), text)
    assert match, text
    return [float(number) for number in match.groups()]


@pytest.mark.parametrize("name", ["small_matmul", "larger_matmul"])
def test_matmul(name):
    out = output_of(name)
    match = re.fullmatch(
        r"CPU execution time: ([0-9.]+) seconds\nGPU execution time: ([0-9.]+) seconds\n"
        r"CPU result:\n(\[\[[^]]*\].*\])\nGPU result:\n(\[\[[^]]*\].*\])\n",
        out,
        re.DOTALL,
    )
    assert match, out
    cpu, gpu = match.group(3), match.group(4)
    if name == "small_matmul":
        assert cpu == gpu == "[[19. 22.]\n [43. 50.]]"
    else:
        first, second = (np.array(re.findall(r"\d+\.\d+", text), float) for text in (cpu, gpu))
        assert len(first) == 36  # six rows and columns of 1024
        np.testing.assert_allclose(first, second, rtol=1e-3)
        assert 230 < first.mean() < 280


def test_profiler():
    lines = output_of("profiler").splitlines()
    assert re.match(r"10 runs: .* in ops\. Compiled 1 time in ", lines[0])
    assert lines[1].split() == ["op", "device", "calls", "time", "share", "read", "written"]
    rows = {line.split()[0]: line.split() for line in lines[2:]}
    assert rows["matmul"][2] == "10"
    assert rows["random_normal"][2] == "20"


@pytest.mark.parametrize("name", ["cpu", "gpu"])
def test_preprocessing(name):
    out = output_of(f"{name}_preprocessing")
    numbers(f"Training Time with {name.upper()} Preprocessing: <number> seconds\n", out)


def test_fine_grained():
    numbers(
        "Time of fine grained operation: <number> seconds\nTime of matmul operation: <number> seconds\n",
        output_of("fine_grained"),
    )


def test_session_matmul():
    numbers("TensorFlow 1.x GPU Time: <number>\nNumPy CPU Time: <number>\n", output_of("session_matmul"))


def test_session_cnn_inference():
    numbers("TensorFlow 1.x GPU Inference Time: <number>\n", output_of("session_cnn_inference"))


def test_session_device():
    out = output_of("session_device")
    numbers(r"TensorFlow 1.x GPU Time \(with explicit device placement\): <number>\n", out)


@pytest.mark.parametrize("name, what", [("model_creation", "model creation"), ("small_training", "training"), ("larger_training", "training")])
def test_models(name, what):
    numbers(f"CPU {what} time: <number> seconds\nGPU {what} time: <number> seconds\n", output_of(name))


@pytest.mark.parametrize("name", ["cpu", "gpu"])
def test_matmul_before_the_session(name):
    numbers(f"{name.upper()} computation time: <number> seconds\n", output_of(f"{name}_matmul"))


def test_mnist():
    lines = output_of("mnist_cnn").splitlines()
    (accuracy,) = numbers("Test accuracy: <number>", lines[-1])
    # Seeds vary: 0.9817 to 0.9839 was seen. What must not happen is a network that learns worse.
    assert accuracy >= 0.978
    assert [line for line in lines if line.startswith("Epoch ")] == [f"Epoch {i}/10" for i in range(1, 11)]

"""python -m alula, and names that are missing."""

import os
import subprocess
import sys

import pytest

import alula as tf


def alula(*arguments, check=True, **kwargs):
    """Runs `python -m alula`, with this package wherever it is run."""
    env = {**os.environ, "PYTHONPATH": os.path.dirname(os.path.dirname(os.path.abspath(tf.__file__)))}
    command = [sys.executable, "-m", "alula", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=check, env=env, **kwargs)


def test_a_program_sees_what_python_would_show_it(tmp_path):
    program = tmp_path / "program.py"
    (tmp_path / "beside.py").write_text("import tensorflow\nvalue = tensorflow.__name__\n")
    program.write_text(
        "import os, sys, pickle, __main__\n"
        "import beside\n"
        "class Point: pass\n"
        "assert type(pickle.loads(pickle.dumps(Point()))) is Point\n"
        "print(__name__, os.path.basename(__file__), sys.argv[1:], os.path.samefile(sys.path[0], os.path.dirname(__file__)))\n"
        "print(beside.value, __main__.Point is Point, __doc__)\n"
    )
    run = alula(program, "--epochs", 3)
    assert run.stdout == "__main__ program.py ['--epochs', '3'] True\ntensorflow True None\n"
    assert run.stderr == ""
    run = alula("-m", "program", "x", cwd=tmp_path)
    assert run.stdout.startswith("__main__ program.py ['x'] True\n")
    assert alula("-c", "import sys; print(sys.argv, __name__)", "y").stdout == "['-c', 'y'] __main__\n"


def test_tensorflow_is_answered(tmp_path):
    code = (
        "import tensorflow as tf, tensorflow.compat.v1 as v1, alula\n"
        "from tensorflow import keras\n"
        "import keras as k, tensorflow.keras\n"
        "from tensorflow.compat.v1 import Session\n"
        "assert tf.matmul is alula.matmul and v1 is alula.compat.v1 and k is keras is alula.keras\n"
        "assert tf.__version__.startswith('2.') and alula.__spec__.name == 'alula', alula.__spec__\n"
        "assert alula.keras.__spec__.name == 'alula.keras' and Session is v1.Session\n"
        "try:\n    import tensorflow.python.ops\nexcept ImportError as error:\n    print(error)\n"
        "try:\n    import tensorflow.signal\nexcept ModuleNotFoundError as error:\n    print(error)\n"
        "try:\n    import tensorflow.nonsense\nexcept ModuleNotFoundError as error:\n    print(error)\n"
    )
    first, second, third = alula("-c", code).stdout.splitlines()
    assert "tensorflow.python is TensorFlow's own source code" in first
    assert second.startswith("TensorFlow has the module tensorflow.signal; Alula")
    assert third == "No module named 'tensorflow.nonsense' (Alula answers for tensorflow here)"


def test_without_it_tensorflow_is_not_answered():
    code = "import sys, alula\nassert not any(name.partition('.')[0] == 'tensorflow' for name in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_failures_reach_the_shell(tmp_path):
    program = tmp_path / "fails.py"
    program.write_text("import tensorflow as tf\ntf.matmul([[1.0]], [[1.0], [2.0]])\n")
    run = alula(program, check=False)
    assert run.returncode == 1
    assert "line 2, in <module>" in run.stderr and "InvalidArgumentError: matmul" in run.stderr
    assert alula("-c", "raise SystemExit(7)", check=False).returncode == 7
    for arguments in (["missing.py"], ["-m"], ["--nonsense"]):
        run = alula(*arguments, check=False)
        assert run.returncode == 2 and run.stderr.startswith("python -m alula: ")


def test_help():
    assert alula().stdout == alula("--help").stdout
    assert "python -m alula program.py" in alula("-h").stdout
    assert alula("--version").stdout.startswith(f"Alula {tf.__version__} ")


def test_an_import_prints_nothing_and_is_light():
    env = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"}
    code = "import sys, alula\nprint([n for n in ('numpy', 'logging', 'json', 'subprocess') if n in sys.modules])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=env)
    assert run.stdout == "[]\n" and run.stderr == ""


@pytest.mark.parametrize(
    "get, message",
    [
        (lambda: tf.signal, "TensorFlow has tf.signal; Alula has not."),
        (lambda: tf.matmull, "module 'alula' has no attribute 'matmull'. The nearest that it has: tf.matmul"),
        (lambda: tf.config.list_physical_device, "tf.config.list_physical_devices"),
    ],
)
def test_names_that_are_missing(get, message):
    with pytest.raises(AttributeError, match=message.replace(".", r"\.")):
        get()
    assert not hasattr(tf, "__nonsense__")

"""tf.device, tf.config, tf.profiler and the like."""

import gzip
import json
import subprocess
import sys

import numpy as np
import pytest

import alula as tf


def test_device_scopes():
    with tf.device("/CPU:0"):
        x = tf.constant([1.0]) + 1.0
        with tf.device(None):
            tf.constant([1.0]) + 1.0
    assert x.device.endswith("device:CPU:0")
    for name in ("cpu", "/device:CPU:0", "/job:localhost/replica:0/task:0/device:CPU:0", ""):
        with tf.device(name):
            assert (x + 1.0).numpy() == [3.0]
    with tf.device(tf.config.list_logical_devices("CPU")[0]):
        assert (x + 1.0).numpy() == [3.0]
    with pytest.raises(ValueError, match="is not a device's name"):
        tf.device("/toaster:0")
    with pytest.raises(TypeError, match="expected a name"):
        tf.device(3)


@pytest.mark.skipif(tf.test.is_gpu_available(), reason="there is a GPU")
def test_a_missing_gpu_is_said_once():
    code = (
        "import alula as tf\n"
        "for _ in range(3):\n"
        "    with tf.device('/GPU:0'):\n"
        "        print((tf.constant([1.0]) + 1.0).device)\n"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.count("device:CPU:0") == 3
    assert run.stderr.count("/GPU:0 was asked for") == 1
    tf.config.set_soft_device_placement(False)
    try:
        with pytest.raises(tf.errors.NotFoundError, match="/GPU:0"), tf.device("/GPU:0"):
            tf.constant([1.0]) + 1.0
    finally:
        tf.config.set_soft_device_placement(True)


def test_devices():
    cpu = tf.config.list_physical_devices("CPU")
    assert [(d.name, d.device_type) for d in cpu] == [("/physical_device:CPU:0", "CPU")]
    assert tf.config.list_logical_devices("CPU")[0].name == "/device:CPU:0"
    assert tf.config.get_visible_devices() == tf.config.list_physical_devices()
    tf.config.set_visible_devices(tf.config.list_physical_devices())
    with pytest.raises(RuntimeError, match="only GPUs can be hidden"):
        tf.config.set_visible_devices([], "CPU")
    for gpu in tf.config.list_physical_devices("GPU"):
        tf.config.experimental.set_memory_growth(gpu, True)


def test_threads():
    before = tf.config.threading.get_intra_op_parallelism_threads()
    tf.config.threading.set_intra_op_parallelism_threads(1)
    assert tf.config.threading.get_intra_op_parallelism_threads() == 1
    tf.config.threading.set_intra_op_parallelism_threads(before)
    tf.config.threading.set_inter_op_parallelism_threads(3)
    assert tf.config.threading.get_inter_op_parallelism_threads() == 3


def test_switches():
    tf.config.experimental.enable_tensor_float_32_execution(False)
    assert not tf.config.experimental.tensor_float_32_execution_enabled()
    tf.config.experimental.enable_tensor_float_32_execution(True)
    tf.autograph.set_verbosity(3)
    tf.get_logger().setLevel("ERROR")
    assert tf.compat.v1.logging.get_verbosity() == tf.compat.v1.logging.ERROR
    tf.compat.v1.logging.set_verbosity(tf.compat.v1.logging.WARN)


def test_versions():
    assert tf.__version__ == tf.version.ALULA_VERSION
    assert tf.version.VERSION.split(".")[0] == "2"


def test_profile_of_sessions(capsys):
    v1 = tf.compat.v1
    v1.reset_default_graph()
    with v1.Session() as sess:
        with tf.name_scope("product"):
            c = tf.matmul(tf.random.normal((64, 64)), tf.random.normal((64, 64)))
        for _ in range(3):
            sess.run(tf.reduce_sum(c))
    graph = v1.get_default_graph()
    profile = tf.profiler.profile(graph, options=tf.profiler.ProfileOptionBuilder.time_and_memory(min_micros=0))
    out = capsys.readouterr().out
    assert out.startswith("3 runs: ")
    assert "matmul" in out and str(profile) == out.rstrip("\n") or str(profile) == out
    assert profile.runs == 3
    assert {row.name.rstrip("/") for row in profile.rows} >= {"product"}
    quiet = tf.profiler.ProfileOptionBuilder().order_by("name").with_max_depth(0).with_empty_output().build()
    assert [row.depth for row in tf.profiler.profile(graph, options=quiet).rows] == [0] * len(profile.rows[1:])
    assert capsys.readouterr().out == ""


def test_recordings(tmp_path):
    with tf.profiler.experimental.Profile(str(tmp_path)):
        with tf.profiler.experimental.Trace("step", step_num=1):
            tf.matmul(np.ones((8, 8), np.float32), np.ones((8, 8), np.float32))
    (file,) = tmp_path.glob("plugins/profile/*/*.trace.json.gz")
    events = json.loads(gzip.open(file).read())["traceEvents"]
    assert [event["name"] for event in events] == ["matmul"]
    assert events[0]["args"]["bytes written"] == 256
    with pytest.raises(tf.errors.UnavailableError):
        tf.profiler.experimental.stop()


def test_memory():
    info = tf.config.experimental.get_memory_info("CPU:0")
    assert sorted(info) == ["current", "peak"]
    assert tf.config.experimental.get_memory_usage("CPU:0") >= 0
    tf.config.experimental.reset_memory_stats("/CPU:0")
    tf.config.experimental.empty_cache("CPU:0")
    cpu = tf.config.list_physical_devices("CPU")[0]
    assert tf.config.get_logical_device_configuration(cpu) is None
    limit = tf.config.LogicalDeviceConfiguration(memory_limit=-5)
    with pytest.raises(ValueError, match="number of MiB above 0"):
        tf.config.set_logical_device_configuration(cpu, [limit])
    with pytest.raises(RuntimeError, match="cannot be divided"):
        tf.config.set_logical_device_configuration(cpu, [limit, limit])
    tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()])
    with pytest.raises(tf.errors.NotFoundError, match="GPU:15"):
        tf.config.experimental.get_memory_info("GPU:15")


def test_synchronous_execution():
    before = tf.config.experimental.get_synchronous_execution()
    tf.config.experimental.set_synchronous_execution(not before)
    assert tf.config.experimental.get_synchronous_execution() is not before
    tf.config.experimental.set_synchronous_execution(before)

"""Options of sessions. Most say nothing here: they are accepted, and kept."""


class _Options:
    """Whatever is set can be read again."""

    _defaults = {}

    def __init__(self, **kwargs):
        for name, value in {**self._defaults, **kwargs}.items():
            setattr(self, name, value() if isinstance(value, type) else value)

    def __repr__(self):
        items = ", ".join(f"{name}={value!r}" for name, value in vars(self).items())
        return f"{type(self).__name__}({items})"


class GPUOptions(_Options):
    """Options of GPUs. Memory is always taken as it is needed."""

    _defaults = {"allow_growth": False, "per_process_gpu_memory_fraction": 0.0, "visible_device_list": ""}


class OptimizerOptions(_Options):
    """Options of the compiler, without effect."""

    OFF, ON_1, ON_2 = 0, 1, 2
    L0, L1 = -1, 0
    _defaults = {"global_jit_level": 0, "opt_level": 0}


class GraphOptions(_Options):
    """Options of graphs, without effect."""

    _defaults = {"optimizer_options": OptimizerOptions}


class ConfigProto(_Options):
    """Options of a session. Its number of threads within an op is obeyed; the rest is accepted."""

    _defaults = {
        "allow_soft_placement": True,
        "log_device_placement": False,
        "intra_op_parallelism_threads": 0,
        "inter_op_parallelism_threads": 0,
        "device_count": dict,
        "gpu_options": GPUOptions,
        "graph_options": GraphOptions,
    }


class RunOptions(_Options):
    """Options of a run, without effect: tf.profiler.profile shows what runs took."""

    NO_TRACE, SOFTWARE_TRACE, HARDWARE_TRACE, FULL_TRACE = 0, 1, 2, 3
    _defaults = {"trace_level": 0, "timeout_in_ms": 0}


class RunMetadata(_Options):
    """What TensorFlow fills in during a run; it stays empty. See tf.profiler.profile."""

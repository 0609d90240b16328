"""What a program spends its time on."""

from alula import _native
from alula._native._profiler import Profile
from alula.profiler import experimental


class ProfileOptionBuilder:
    """Options of a profile, by TensorFlow's names.

    >>> tf.profiler.ProfileOptionBuilder.time_and_memory(min_micros=5)["min_micros"]
    5
    """

    def __init__(self, options=None):
        self._options = dict(options or _DEFAULTS)

    @staticmethod
    def time_and_memory(min_micros=1, min_bytes=1, min_accelerator_micros=0, min_cpu_micros=0,
                        min_peak_bytes=0, min_residual_bytes=0, min_output_bytes=0):
        """What ops took, and the memory that they read and wrote, the slowest first."""
        return {**_DEFAULTS, "min_micros": min_micros}

    def build(self):
        """The options."""
        return dict(self._options)

    def with_max_depth(self, max_depth):
        """At most so many name scopes within name scopes."""
        self._options["max_depth"] = max_depth
        return self

    def with_min_execution_time(self, min_micros=0, min_accelerator_micros=0, min_cpu_micros=0):
        """Ops that took less are left out."""
        self._options["min_micros"] = min_micros
        return self

    def with_min_memory(self, min_bytes=0, min_peak_bytes=0, min_residual_bytes=0, min_output_bytes=0):
        """Ops that wrote fewer bytes are left out."""
        self._options["min_bytes"] = min_output_bytes or min_bytes
        return self

    def order_by(self, attribute):
        """The order: "micros", "bytes", "occurrence" or "name"."""
        self._options["order_by"] = attribute
        return self

    def with_empty_output(self):
        """Nothing is printed."""
        self._options["output"] = "none"
        return self

    def with_stdout_output(self):
        """The profile is printed."""
        self._options["output"] = "stdout"
        return self


_DEFAULTS = {"order_by": "micros", "min_micros": 0, "min_bytes": 0, "max_depth": 100, "output": "stdout"}


def profile(graph=None, run_meta=None, op_log=None, cmd="scope", options=None):
    """The time and memory of the ops that ran in a graph's sessions, printed as a table.

    Returns a Profile, whose `rows` have the same in numbers.
    """
    graph = _native._compat.get_default_graph() if graph is None else graph
    chosen = {**_DEFAULTS, **(options or {})}
    return _native._profiler.profile(
        graph, chosen["order_by"], chosen["min_micros"], chosen["min_bytes"], chosen["max_depth"],
        chosen["output"] != "none",
    )

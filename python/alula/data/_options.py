"""What concerns a pipeline as a whole."""


class _Fields:
    """Named values; None is the default. A name that is not there is an error."""

    _names = ()

    def __init__(self):
        for name in self._names:
            object.__setattr__(self, name, None)

    def __setattr__(self, name, value):
        if name not in self._names:
            raise AttributeError(
                f"tf.data.{type(self).__name__} has no '{name}'. It has {', '.join(self._names)}."
            )
        object.__setattr__(self, name, value)

    def __eq__(self, other):
        return type(self) is type(other) and all(
            getattr(self, name) == getattr(other, name) for name in self._names
        )

    def __ne__(self, other):
        return not self == other

    def __repr__(self):
        return f"<tf.data.{type(self).__name__} {vars(self)}>"


class AutotuneOptions(_Fields):
    """ram_budget is what buffers that AUTOTUNE chooses may take, in bytes."""

    _names = (
        "autotune_algorithm",
        "cpu_budget",
        "enabled",
        "initial_parallelism",
        "min_parallelism",
        "ram_budget",
    )


class DistributeOptions(_Fields):
    """Taken and not used: a pipeline runs on one machine."""

    _names = ("auto_shard_policy", "num_devices")


class OptimizationOptions(_Fields):
    """Taken and not used: what is worth doing is done (see Dataset.explain)."""

    _names = (
        "apply_default_optimizations",
        "filter_fusion",
        "filter_parallelization",
        "inject_prefetch",
        "map_and_batch_fusion",
        "map_and_filter_fusion",
        "map_fusion",
        "map_parallelization",
        "noop_elimination",
        "parallel_batch",
        "seq_interleave_prefetch",
        "shuffle_and_repeat_fusion",
        "warm_start",
    )


class ThreadingOptions(_Fields):
    """Taken and not used: threads are as many as the steps ask for."""

    _names = ("max_intra_op_parallelism", "private_threadpool_size")


class Options(_Fields):
    """For Dataset.with_options. `autotune.ram_budget` has a meaning; the others change no element, and
    are taken as they come.

    >>> options = tf.data.Options()
    >>> options.autotune.ram_budget = 1 << 28
    >>> dataset = tf.data.Dataset.range(3).with_options(options)
    """

    _names = (
        "autotune",
        "dataset_name",
        "deterministic",
        "distribute",
        "experimental_deterministic",
        "experimental_distribute",
        "experimental_external_state_policy",
        "experimental_optimization",
        "experimental_slack",
        "experimental_symbolic_checkpoint",
        "experimental_threading",
        "experimental_warm_start",
        "framework_type",
        "threading",
    )

    def __init__(self):
        super().__init__()
        self.autotune = AutotuneOptions()
        self.distribute = self.experimental_distribute = DistributeOptions()
        self.experimental_optimization = OptimizationOptions()
        self.threading = self.experimental_threading = ThreadingOptions()

    def merge(self, options):
        """These options, with those that are set in the others in their place."""
        merged = Options()
        for source in (self, options):
            for name in self._names:
                value = getattr(source, name)
                if isinstance(value, _Fields):
                    for inner in value._names:
                        if getattr(value, inner) is not None:
                            setattr(getattr(merged, name), inner, getattr(value, inner))
                elif value is not None:
                    setattr(merged, name, value)
        return merged

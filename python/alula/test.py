"""What tests of programs ask for."""


def is_built_with_cuda():
    """Whether the package has the plugin for NVIDIA's GPUs."""
    import glob
    import os

    here = os.path.dirname(os.path.abspath(__file__))
    folders = (here, os.path.join(here, "lib"), os.path.join(here, "..", "..", "lib"))
    return any(glob.glob(os.path.join(folder, "libalula_cuda.so*")) for folder in folders)


def is_built_with_gpu_support():
    """Whether the package can use GPUs."""
    return is_built_with_cuda()


def is_built_with_rocm():
    """False: there is no support of AMD's GPUs."""
    return False


def is_built_with_xla():
    """False: functions are compiled by Alula's own compiler."""
    return False


def is_gpu_available(cuda_only=False, min_cuda_compute_capability=None):
    """Whether there is a GPU that can be used."""
    from alula import config

    return bool(config.list_physical_devices("GPU"))


def gpu_device_name():
    """The first GPU's name, or "" if there is none."""
    from alula import config

    gpus = config.list_logical_devices("GPU")
    return gpus[0].name if gpus else ""

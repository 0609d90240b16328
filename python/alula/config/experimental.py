"""Devices: names that TensorFlow has kept from its trials."""

from alula import _native
from alula._native._config import (
    enable_tensor_float_32_execution,
    get_synchronous_execution,
    set_synchronous_execution,
    tensor_float_32_execution_enabled,
)


def get_memory_info(device):
    """Bytes of a device's memory that tensors have, and the most that they had.

    >>> sorted(tf.config.experimental.get_memory_info("CPU:0"))
    ['current', 'peak']
    """
    current, peak = _native._config.get_memory_info(device)
    return {"current": current, "peak": peak}


def get_memory_usage(device):
    """Bytes of a device's memory that tensors have."""
    return get_memory_info(device)["current"]


def reset_memory_stats(device):
    """Counts the peak of get_memory_info anew, from what is in use now."""
    _native._config.reset_memory_stats(device)


def empty_cache(device):
    """Gives memory that is kept for later tensors back to the system, for others to use.

    TensorFlow has no such function.
    """
    _native._config.empty_cache(device)


def set_memory_growth(device, enable):
    """Accepted, without effect: memory of a GPU is always taken as it is needed."""


def get_memory_growth(device):
    """True: memory of a GPU is always taken as it is needed."""
    return True


def list_physical_devices(device_type=None):
    """The same as tf.config.list_physical_devices."""
    from alula import config

    return config.list_physical_devices(device_type)


def list_logical_devices(device_type=None):
    """The same as tf.config.list_logical_devices."""
    from alula import config

    return config.list_logical_devices(device_type)


def get_visible_devices(device_type=None):
    """The same as tf.config.get_visible_devices."""
    from alula import config

    return config.get_visible_devices(device_type)


def set_visible_devices(devices, device_type=None):
    """The same as tf.config.set_visible_devices."""
    from alula import config

    config.set_visible_devices(devices, device_type)


def get_device_details(device):
    """What is known of a device: nothing more than its name."""
    return {}


def enable_op_determinism():
    """Accepted, without effect."""

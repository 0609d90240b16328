"""Devices: names that TensorFlow has kept from its trials."""

from alula._native._config import (
    enable_tensor_float_32_execution,
    tensor_float_32_execution_enabled,
)


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


def set_synchronous_execution(enable):
    """Accepted, without effect: a value that is read is waited for."""


def get_synchronous_execution():
    """True: a value that is read is waited for."""
    return True

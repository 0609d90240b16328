"""Devices and how they are used.

>>> tf.config.list_physical_devices("CPU")
[PhysicalDevice(name='/physical_device:CPU:0', device_type='CPU')]
"""

from collections import namedtuple

from alula import _native, errors
from alula._native._config import get_soft_device_placement, set_soft_device_placement
from alula.config import experimental, optimizer, threading

PhysicalDevice = namedtuple("PhysicalDevice", ["name", "device_type"])
PhysicalDevice.__doc__ = "A device of this machine."
LogicalDevice = namedtuple("LogicalDevice", ["name", "device_type"])
LogicalDevice.__doc__ = "A device that tf.device takes."


class LogicalDeviceConfiguration:
    """What may be used of a device: `memory_limit` MiB of its memory, or all of it."""

    def __init__(self, memory_limit=None, experimental_priority=None, experimental_device_ordinal=0):
        self.memory_limit = memory_limit


def _short_name(device):
    """'GPU:0' of a device, or of its name in any of the forms there are."""
    return getattr(device, "name", device).replace("/physical_device:", "")


def list_physical_devices(device_type=None):
    """The devices of this machine that can be used; of one type if it is named."""
    return [
        PhysicalDevice(f"/physical_device:{name}", kind)
        for name, kind in _native._config.devices()
        if device_type in (None, kind)
    ]


def list_logical_devices(device_type=None):
    """The devices that tf.device takes; of one type if it is named."""
    return [
        LogicalDevice(f"/device:{name}", kind)
        for name, kind in _native._config.devices()
        if device_type in (None, kind)
    ]


def get_visible_devices(device_type=None):
    """The devices that are used: all that there are."""
    return list_physical_devices(device_type)


def set_visible_devices(devices, device_type=None):
    """Hides the GPUs that are not named; those that are must be the first ones, or none.

    >>> tf.config.set_visible_devices([], "GPU")  # as if there were no GPU
    """
    if isinstance(devices, PhysicalDevice):
        devices = [devices]
    devices = list(devices or [])
    for kind in [device_type] if device_type else ["CPU", "GPU"]:
        names = [_short_name(device) for device in devices if device.device_type == kind]
        try:
            _native._config.set_visible_devices(names, kind)
        except (ValueError, errors.FailedPreconditionError, errors.InvalidArgumentError) as error:
            raise RuntimeError(str(error)) from None


def get_logical_device_configuration(device):
    """What was set by set_logical_device_configuration; None if nothing was."""
    limit = _native._config.get_memory_limit(_short_name(device))
    return [LogicalDeviceConfiguration(memory_limit=limit)] if limit else None


def set_logical_device_configuration(device, logical_devices):
    """Limits the memory of a GPU, before it is used. A device cannot be divided.

    `tf.config.set_logical_device_configuration(gpu, [tf.config.LogicalDeviceConfiguration(memory_limit=4096)])`
    """
    if len(logical_devices) > 1:
        raise RuntimeError("set_logical_device_configuration: a device cannot be divided.")
    limit = logical_devices[0].memory_limit if logical_devices else None
    if limit is None:
        return
    try:
        _native._config.set_memory_limit(_short_name(device), int(limit))
    except errors.FailedPreconditionError as error:
        raise RuntimeError(str(error)) from None
    except errors.InvalidArgumentError as error:
        raise ValueError(str(error)) from None


def run_functions_eagerly(run_eagerly):
    """Whether functions under tf.function run as plain Python, op by op: for debugging."""
    _native._set_functions_eagerly(run_eagerly)


def functions_run_eagerly():
    """Whether functions under tf.function run as plain Python."""
    return _native._functions_eagerly()


# The names that these had in TensorFlow's trials.
experimental.VirtualDeviceConfiguration = LogicalDeviceConfiguration
experimental.get_virtual_device_configuration = get_logical_device_configuration
experimental.set_virtual_device_configuration = set_logical_device_configuration

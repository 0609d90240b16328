"""Devices and how they are used.

>>> tf.config.list_physical_devices("CPU")
[PhysicalDevice(name='/physical_device:CPU:0', device_type='CPU')]
"""

from collections import namedtuple

from alula import _native
from alula._native._config import get_soft_device_placement, set_soft_device_placement
from alula.config import experimental, optimizer, threading

PhysicalDevice = namedtuple("PhysicalDevice", ["name", "device_type"])
PhysicalDevice.__doc__ = "A device of this machine."
LogicalDevice = namedtuple("LogicalDevice", ["name", "device_type"])
LogicalDevice.__doc__ = "A device that tf.device takes."


class LogicalDeviceConfiguration:
    """A part of a device. Devices are used whole here, so it says nothing."""

    def __init__(self, memory_limit=None, experimental_priority=None, experimental_device_ordinal=0):
        self.memory_limit = memory_limit


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
    """Nothing if it names all devices. Fewer cannot be chosen: place ops by tf.device instead."""
    if isinstance(devices, PhysicalDevice):
        devices = [devices]
    hidden = set(list_physical_devices(device_type)) - set(devices or [])
    if hidden:
        raise RuntimeError(
            "set_visible_devices: devices cannot be hidden. Got a list without "
            f"{', '.join(sorted(device.name for device in hidden))}. Use tf.device(\"/CPU:0\"), or set "
            "CUDA_VISIBLE_DEVICES before the program starts."
        )


def get_logical_device_configuration(device):
    """None: devices are used whole."""
    return None


def set_logical_device_configuration(device, logical_devices):
    """Accepts one part a device. More cannot be made."""
    if len(logical_devices) > 1:
        raise RuntimeError("set_logical_device_configuration: a device cannot be divided.")


def run_functions_eagerly(run_eagerly):
    """Whether functions under tf.function run as plain Python, op by op: for debugging."""
    _native._set_functions_eagerly(run_eagerly)


def functions_run_eagerly():
    """Whether functions under tf.function run as plain Python."""
    return _native._functions_eagerly()

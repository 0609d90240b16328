"""What is left of Keras's old backend."""

from alula._native.keras import clear_session

_settings = {"floatx": "float32", "epsilon": 1e-7, "image_data_format": "channels_last"}


def floatx():
    """The dtype of weights unless a layer is told otherwise."""
    return _settings["floatx"]


def set_floatx(dtype):
    """Only float32 can be the default; give layers a dtype for others."""
    if dtype != "float32":
        raise ValueError(f"set_floatx: only float32 is supported as the default. Got {dtype!r}. Give layers a dtype.")


def epsilon():
    """What keeps logarithms and quotients finite."""
    return _settings["epsilon"]


def image_data_format():
    """Where the channels of images are: always "channels_last"."""
    return _settings["image_data_format"]


def set_image_data_format(data_format):
    """Only "channels_last" is supported."""
    if data_format != "channels_last":
        raise ValueError(f"set_image_data_format: only channels_last is supported. Got {data_format!r}.")


def get_uid(prefix=""):
    """A number for a prefix, one higher at each call."""
    _settings["uid:" + prefix] = uid = _settings.get("uid:" + prefix, 0) + 1
    return uid


__all__ = [
    "clear_session",
    "epsilon",
    "floatx",
    "get_uid",
    "image_data_format",
    "set_floatx",
    "set_image_data_format",
]

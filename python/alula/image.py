"""Images."""

from alula._native.image import *  # noqa: F403
from alula._native.io import decode_image, decode_jpeg, decode_png, encode_jpeg, encode_png, is_jpeg  # noqa: F401


class ResizeMethod:
    """The methods of `resize`."""

    AREA = "area"
    BICUBIC = "bicubic"
    BILINEAR = "bilinear"
    GAUSSIAN = "gaussian"
    LANCZOS3 = "lanczos3"
    LANCZOS5 = "lanczos5"
    MITCHELLCUBIC = "mitchellcubic"
    NEAREST_NEIGHBOR = "nearest"

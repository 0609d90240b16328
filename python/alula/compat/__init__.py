"""TensorFlow 1: graphs, placeholders and sessions."""

import sys

from alula.compat import v1

v2 = sys.modules["alula"]


def as_bytes(bytes_or_text, encoding="utf-8"):
    """A text as bytes; bytes as they are."""
    return bytes_or_text if isinstance(bytes_or_text, (bytes, bytearray)) else bytes_or_text.encode(encoding)


def as_text(bytes_or_text, encoding="utf-8"):
    """Bytes as a text; a text as it is."""
    return bytes_or_text if isinstance(bytes_or_text, str) else bytes_or_text.decode(encoding)


def as_str(bytes_or_text, encoding="utf-8"):
    """The same as as_text."""
    return as_text(bytes_or_text, encoding)


def as_str_any(value, encoding="utf-8"):
    """Any value as a text."""
    return as_text(value, encoding) if isinstance(value, (bytes, str)) else str(value)

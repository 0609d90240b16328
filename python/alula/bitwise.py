"""The bits of integers."""

from alula._native.bitwise import *  # noqa: F403

"""Texts."""

from alula._native.strings import *  # noqa: F403

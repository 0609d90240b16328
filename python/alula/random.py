"""Random numbers."""

from alula._native.random import *  # noqa: F403

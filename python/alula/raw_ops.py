"""Ops of Alula that TensorFlow has no function for."""

from alula._native.raw_ops import *  # noqa: F403

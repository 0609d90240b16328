"""Linear algebra."""

from alula._native import eye  # noqa: F401
from alula._native.linalg import *  # noqa: F403

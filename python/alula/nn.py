"""What neural networks are made of."""

from alula._native.linalg import l2_normalize  # noqa: F401
from alula._native.math import in_top_k, log_softmax, sigmoid, softmax, softplus, softsign, tanh, zero_fraction  # noqa: F401
from alula._native.nn import *  # noqa: F403
from alula.math import top_k  # noqa: F401

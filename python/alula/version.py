"""Versions: Alula's own, and that of TensorFlow whose interface it follows."""

from alula import _native

ALULA_VERSION = _native._config.version
VERSION = "2.21.0"  # what programs that ask for TensorFlow's version are told
GIT_VERSION = f"alula-{ALULA_VERSION}"
COMPILER_VERSION = ""
GRAPH_DEF_VERSION = 0
GRAPH_DEF_VERSION_MIN_CONSUMER = 0
GRAPH_DEF_VERSION_MIN_PRODUCER = 0

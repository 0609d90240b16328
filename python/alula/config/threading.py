"""Threads."""

from alula._native._config import get_intra_op_parallelism_threads, set_intra_op_parallelism_threads

_inter_op_threads = 0


def get_inter_op_parallelism_threads():
    """What was set. It has no effect: one team of threads computes one op after the other."""
    return _inter_op_threads


def set_inter_op_parallelism_threads(num_threads):
    """Accepted, without effect: one team of threads computes one op after the other."""
    global _inter_op_threads
    _inter_op_threads = int(num_threads)

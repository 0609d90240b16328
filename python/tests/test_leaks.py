"""Every expression of tests/parity_cases.py, over and over: memory stays flat."""

import ctypes
import gc
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import alula as tf

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests"))
import parity_cases as cases  # noqa: E402

REPEATS, SECONDS = 10_000, 0.15


class MallInfo(ctypes.Structure):
    _fields_ = [
        (name, ctypes.c_size_t)
        for name in "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks keepcost".split()
    ]


libc = ctypes.CDLL(None)
if hasattr(libc, "mallinfo2"):
    libc.mallinfo2.restype = MallInfo


def in_use():
    """Bytes that malloc has handed out, and blocks that Python has."""
    gc.collect()
    info = libc.mallinfo2()
    return info.uordblks + info.hblkhd, sys.getallocatedblocks()


@pytest.fixture(scope="module")
def scope():
    values = {"tf": tf, "np": np}
    for name, text in cases.VALUES.items():
        values[name] = eval(text, values)
    return values


@pytest.mark.skipif(not hasattr(libc, "mallinfo2"), reason="this C library does not tell what malloc has in use")
@pytest.mark.parametrize("text", [text for text, _ in cases.CASES] + cases.ERRORS)
def test_memory_stays_flat(text, scope):
    code = compile(text, text, "eval")

    def call():
        try:
            eval(code, scope)
            return True
        except AttributeError:
            return False
        except Exception:
            return True

    if not call():
        pytest.skip(f"not in Alula: {text}")
    began = time.perf_counter()
    warm = 0
    while warm < 50 and time.perf_counter() - began < SECONDS / 3:
        call()
        warm += 1
    pause = (time.perf_counter() - began) / max(warm, 1)
    repeats = int(min(REPEATS, max(20, SECONDS / max(pause, 1e-7))))
    bytes_before, blocks_before = in_use()
    for _ in range(repeats):
        call()
    bytes_after, blocks_after = in_use()
    # A leak of a byte or of a block a call shows; caches that fill up by and by do not count.
    assert bytes_after - bytes_before < max(64_000, 8 * repeats), f"{bytes_after - bytes_before} bytes in {repeats} calls"
    assert blocks_after - blocks_before < max(200, repeats // 4), f"{blocks_after - blocks_before} blocks in {repeats} calls"

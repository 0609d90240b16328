"""Recordings of every op that runs, written as a trace for chrome://tracing or Perfetto."""

from alula import _native

_recording = None
_logdir = None


class ProfilerOptions:
    """Options of a recording, accepted without effect."""

    def __init__(self, host_tracer_level=2, python_tracer_level=0, device_tracer_level=1, delay_ms=None, **_):
        self.host_tracer_level = host_tracer_level
        self.python_tracer_level = python_tracer_level
        self.device_tracer_level = device_tracer_level
        self.delay_ms = delay_ms


def start(logdir, options=None):
    """Starts a recording, which `stop` writes into the folder."""
    from alula import errors

    global _recording, _logdir
    if _recording is not None:
        raise errors.AlreadyExistsError("profiler: another recording is running. Stop it first.")
    _recording, _logdir = _native._profiler.Recording(), logdir


def stop(save=True):
    """Ends the recording, and writes logdir/plugins/profile/<time>/<host>.trace.json.gz."""
    from alula import errors

    global _recording
    if _recording is None:
        raise errors.UnavailableError("profiler: no recording is running. Start one first.")
    spans, _recording = _recording.stop(), None
    if save and _logdir:
        _write(spans, _logdir)


def _write(spans, logdir):
    import gzip
    import json
    import os
    import socket
    import time

    events = [
        {
            "name": name,
            "cat": device,
            "ph": "X",
            "pid": 0,
            "tid": thread,
            "ts": begin / 1000,
            "dur": (end - begin) / 1000,
            "args": {"device": device, "bytes read": read, "bytes written": written},
        }
        for name, device, thread, begin, end, read, written in spans
    ]
    folder = os.path.join(logdir, "plugins", "profile", time.strftime("%Y_%m_%d_%H_%M_%S"))
    os.makedirs(folder, exist_ok=True)
    with gzip.open(os.path.join(folder, f"{socket.gethostname()}.trace.json.gz"), "wt") as file:
        json.dump({"traceEvents": events, "displayTimeUnit": "ns"}, file)


class Profile:
    """A recording of what runs in its `with` statement."""

    def __init__(self, logdir, options=None):
        self._logdir = logdir
        self._options = options

    def __enter__(self):
        start(self._logdir, self._options)

    def __exit__(self, *_):
        stop()


class Trace:
    """A name for what runs in its `with` statement, without effect: recordings have ops alone."""

    def __init__(self, name, **kwargs):
        self.name = name

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def set_metadata(self, **kwargs):
        """Accepted, without effect."""

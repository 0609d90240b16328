"""Event files, which TensorBoard shows.

    writer = tf.summary.create_file_writer("logs")
    with writer.as_default():
        for step in range(100):
            tf.summary.scalar("loss", loss, step=step)
"""

import contextlib

from alula import _native

_writers = []  # of `with` statements, innermost last
_step = None


class SummaryWriter:
    """Writes one event file. In the `with` statement of as_default, tf.summary.scalar writes into it."""

    def __init__(self, logdir):
        self._writer = _native._summary.EventWriter(str(logdir))

    @contextlib.contextmanager
    def as_default(self, step=None):
        """Makes it the writer of this `with` statement."""
        before = get_step()
        _writers.append(self)
        if step is not None:
            set_step(step)
        try:
            yield self
        finally:
            _writers.pop()
            set_step(before)
            self.flush()

    def set_as_default(self, step=None):
        """Makes it the writer from here on."""
        _writers[:] = [self]
        if step is not None:
            set_step(step)

    def init(self):
        """Nothing: it is ready when it is made."""

    def flush(self):
        """Lets TensorBoard see what was written."""
        if self._writer is not None:
            self._writer.flush()

    def close(self):
        """Flushes, and ends the file."""
        if self._writer is not None:
            self._writer.close()
            self._writer = None


def create_file_writer(logdir, max_queue=None, flush_millis=None, filename_suffix=None, name=None,
                       experimental_trackable=False, experimental_mesh=None):
    """A writer of a new event file in a folder."""
    return SummaryWriter(logdir)


def create_noop_writer():
    """A writer that writes nothing."""
    writer = SummaryWriter.__new__(SummaryWriter)
    writer._writer = None
    return writer


def get_step():
    """The step of what is written without one, or None."""
    return _step


def set_step(step):
    """Sets the step of what is written without one."""
    global _step
    _step = step


def should_record_summaries():
    """Whether there is a writer."""
    return bool(_writers)


def _write(kind, name, data, step, *more):
    step = get_step() if step is None else step
    if step is None:
        raise ValueError("summary: no step is set. Give one, or use tf.summary.experimental.set_step.")
    if not _writers or _writers[-1]._writer is None:
        return False
    getattr(_writers[-1]._writer, kind)(name, data, int(step), *more)
    return True


def scalar(name, data, step=None, description=None):
    """Writes a number. False if there is no writer."""
    return _write("scalar", name, data, step)


def text(name, data, step=None, description=None):
    """Writes a text, in Markdown. False if there is no writer."""
    return _write("text", name, data, step)


def histogram(name, data, step=None, buckets=None, description=None):
    """Writes how often values occur. False if there is no writer."""
    return _write("histogram", name, data, step, 30 if buckets is None else buckets)


def flush(writer=None, name=None):
    """Lets TensorBoard see what was written."""
    writer = writer or (_writers[-1] if _writers else None)
    if writer is not None:
        writer.flush()


class experimental:
    """Names that TensorFlow has kept from its trials."""

    get_step = staticmethod(get_step)
    set_step = staticmethod(set_step)

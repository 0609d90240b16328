"""tf.summary."""

import pytest

import alula as tf


def test_an_event_file(tmp_path):
    writer = tf.summary.create_file_writer(str(tmp_path / "logs"))
    with writer.as_default():
        assert tf.summary.scalar("loss", tf.constant(0.5), step=3)
        with pytest.raises(ValueError, match="no step"):
            tf.summary.scalar("loss", 0.5)
        tf.summary.experimental.set_step(4)
        assert tf.summary.text("words", "hello")
        assert tf.summary.histogram("weights", [1.0, 2.0, 3.0], buckets=2)
    assert not tf.summary.scalar("loss", 0.5, step=5)  # no writer any more
    writer.close()
    (file,) = (tmp_path / "logs").glob("events.out.tfevents.*")
    data = file.read_bytes()
    for text in (b"loss", b"words", b"hello", b"weights"):
        assert text in data

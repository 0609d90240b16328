"""What TensorFlow keeps under tf.experimental."""

from alula.experimental import dlpack

"""70,000 handwritten digits of 28x28 pixels."""

from alula._native import keras as _native


def load_data(path="mnist.npz"):
    """`(x_train, y_train), (x_test, y_test)`: uint8 arrays of 60,000 and 10,000 images and their labels.

    The data come with Alula, so nothing is downloaded. `path` may be a folder with the four files of MNIST.
    """
    import os

    return _native._mnist(path if os.path.isdir(path) else None)

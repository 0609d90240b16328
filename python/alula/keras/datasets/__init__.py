"""Data sets that come with Alula."""

from alula.keras.datasets import mnist


def __getattr__(name):
    if name in ("boston_housing", "california_housing", "cifar10", "cifar100", "fashion_mnist", "imdb", "reuters"):
        raise AttributeError(
            f"keras.datasets.{name}: it does not come with Alula, which downloads nothing. There is mnist."
        )
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

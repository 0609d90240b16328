"""Callbacks: told of what happens in `fit`, `evaluate` and `predict`."""

import weakref

from alula.keras import _words
from alula._native.keras.callbacks import (
    Callback,
    CSVLogger,
    EarlyStopping,
    LearningRateScheduler,
    ModelCheckpoint,
    ReduceLROnPlateau,
    TensorBoard,
    TerminateOnNaN,
)


class LambdaCallback(Callback):
    """A callback of functions.

    >>> callback = tf.keras.callbacks.LambdaCallback(on_epoch_end=lambda epoch, logs: print(epoch))
    """

    def __init__(
        self,
        on_epoch_begin=None,
        on_epoch_end=None,
        on_train_begin=None,
        on_train_end=None,
        on_train_batch_begin=None,
        on_train_batch_end=None,
        **kwargs,
    ):
        super().__init__()
        kwargs.update(
            on_epoch_begin=on_epoch_begin,
            on_epoch_end=on_epoch_end,
            on_train_begin=on_train_begin,
            on_train_end=on_train_end,
            on_train_batch_begin=on_train_batch_begin,
            on_train_batch_end=on_train_batch_end,
        )
        for name, function in kwargs.items():
            if function is not None:
                setattr(self, name, function)


class History(Callback):
    """What `fit` returns: the numbers of each epoch, by name in `history`."""

    def __init__(self):
        super().__init__()
        self.epoch = []
        self.history = {}

    def on_train_begin(self, logs=None):
        self.epoch = []
        self.history = {}

    def on_epoch_end(self, epoch, logs=None):
        self.epoch.append(epoch)
        for name, value in (logs or {}).items():
            self.history.setdefault(name, []).append(value)

    @classmethod
    def _of(cls, model, epoch, history, params):
        result = cls()
        result.epoch = epoch
        result.history = history
        result.params = params
        # Weak: else every model that was trained would be part of a cycle.
        result._model = weakref.ref(model)
        return result

    @property
    def model(self):
        """The model that was trained, as long as it is there."""
        return self._model() if getattr(self, "_model", None) is not None else None

    @model.setter
    def model(self, model):
        self._model = None if model is None else weakref.ref(model)


__getattr__ = _words.missing(__name__)

"""The errors that Alula raises, with TensorFlow's names."""

from alula import _native


class OpError(Exception):
    """The base of all errors of ops."""

    error_code = 2

    def __init__(self, node_def=None, op=None, message=None, error_code=None):
        # TensorFlow's order of arguments, or just a message.
        if message is None and op is None:
            node_def, message = None, node_def
        super().__init__(message)
        self.message = message
        self.op = op
        self.node_def = node_def
        if error_code is not None:
            self.error_code = error_code

    def __str__(self):
        return str(self.message)


def _error(name, code, doc, *also):
    """An error class. Where TensorFlow or Keras raises one of Python's own, it is that, too."""
    error = type(name, (OpError, *also), {"__doc__": doc, "error_code": code, "__module__": __name__})
    _native._set_error_class(name, error)
    return error


class OperatorNotAllowedInGraphError(TypeError):
    """A tensor that stands for values to come was used where Python needs the values."""


_native._set_error_class("OperatorNotAllowedInGraphError", OperatorNotAllowedInGraphError)
CancelledError = _error("CancelledError", 1, "A call that was stopped from outside.")
UnknownError = _error("UnknownError", 2, "A fault in a user's own code that Alula called.")
InvalidArgumentError = _error(
    "InvalidArgumentError", 3, "An argument that an op cannot take.", ValueError
)
DeadlineExceededError = _error("DeadlineExceededError", 4, "A call that took too long.")
NotFoundError = _error("NotFoundError", 5, "Something named that is not there.")
AlreadyExistsError = _error("AlreadyExistsError", 6, "Something that is there already.")
PermissionDeniedError = _error("PermissionDeniedError", 7, "Something that is not allowed.")
ResourceExhaustedError = _error("ResourceExhaustedError", 8, "Memory is used up.", MemoryError)
FailedPreconditionError = _error(
    "FailedPreconditionError", 9, "A state that does not allow the call.", RuntimeError, ValueError
)
AbortedError = _error("AbortedError", 10, "A call that was given up.")
OutOfRangeError = _error("OutOfRangeError", 11, "An index or a size beyond what there is.")
UnimplementedError = _error(
    "UnimplementedError", 12, "Something that this device or version cannot do.", NotImplementedError
)
InternalError = _error("InternalError", 13, "A fault inside Alula or a library under it.")
UnavailableError = _error("UnavailableError", 14, "Something that cannot be reached now.")
DataLossError = _error("DataLossError", 15, "Data that are damaged.")
UnauthenticatedError = _error("UnauthenticatedError", 16, "Who calls is not known.")

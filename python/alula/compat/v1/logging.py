"""Messages, as TensorFlow 1 wrote them: by Python's module logging, as the logger "tensorflow"."""

DEBUG, INFO, WARN, ERROR, FATAL = 10, 20, 30, 40, 50


def _logger():
    from alula._log import get_logger

    return get_logger()


def set_verbosity(verbosity):
    """The least level of messages that are written."""
    _logger().setLevel(verbosity)


def get_verbosity():
    """The least level of messages that are written."""
    return _logger().getEffectiveLevel()


def debug(msg, *args, **kwargs):
    """Writes a message of level DEBUG."""
    _logger().debug(msg, *args, **kwargs)


def info(msg, *args, **kwargs):
    """Writes a message of level INFO."""
    _logger().info(msg, *args, **kwargs)


def warning(msg, *args, **kwargs):
    """Writes a message of level WARN."""
    _logger().warning(msg, *args, **kwargs)


warn = warning


def error(msg, *args, **kwargs):
    """Writes a message of level ERROR."""
    _logger().error(msg, *args, **kwargs)


def fatal(msg, *args, **kwargs):
    """Writes a message of level FATAL."""
    _logger().critical(msg, *args, **kwargs)


def log(level, msg, *args, **kwargs):
    """Writes a message of a level."""
    _logger().log(level, msg, *args, **kwargs)

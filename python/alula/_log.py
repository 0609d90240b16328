"""The logger of programs, and the level of Alula's own messages."""


def get_logger():
    """The logger "tensorflow" of Python's module logging. Its level is also that of Alula's messages."""
    import logging

    logger = logging.getLogger("tensorflow")
    if not getattr(logger, "_alula", False):
        from alula import _native

        logger._alula = True
        set_level = logger.setLevel

        def both(level):
            set_level(level)
            number = logger.level
            _native._config._set_log_level(
                "info" if number and number <= logging.INFO else "warning" if number <= logging.WARNING else "silent"
            )

        logger.setLevel = both
    return logger

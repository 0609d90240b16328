"""What is done with a Python function before a pipeline traces it."""


def prepared(function):
    """The function that is traced in place of one that a user wrote."""
    from alula.autograph import converted

    return converted(function)

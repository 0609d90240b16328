"""Settings of the conversion."""


def do_not_convert(func=None):
    """A decorator: the function is called as it is."""
    if func is None:
        return do_not_convert
    target = getattr(func, "__func__", func)
    target.__alula_do_not_convert__ = True
    return func

"""Files and folders by TensorFlow's names."""

import os

from alula import errors

join = os.path.join


def _named(function, path, *arguments):
    """Calls a function of the system's; its errors become TensorFlow's."""
    try:
        return function(path, *arguments)
    except FileNotFoundError as error:
        raise errors.NotFoundError(f"{path}; No such file or directory") from error
    except FileExistsError as error:
        raise errors.AlreadyExistsError(f"{path}; File exists") from error
    except PermissionError as error:
        raise errors.PermissionDeniedError(f"{path}; Permission denied") from error
    except OSError as error:
        raise errors.FailedPreconditionError(f"{path}; {error.strerror}") from error


def GFile(name, mode="r"):
    """An open file."""
    return _named(open, name, mode)


def exists(path):
    """Whether there is such a file or folder."""
    return os.path.exists(path)


def isdir(path):
    """Whether it is a folder."""
    return os.path.isdir(path)


def listdir(path):
    """The names in a folder."""
    return _named(os.listdir, path)


def glob(pattern):
    """The paths that match a pattern, or any of a list of them."""
    import glob as matching

    patterns = [pattern] if isinstance(pattern, (str, bytes, os.PathLike)) else pattern
    return [path for one in patterns for path in matching.glob(os.fspath(one))]


def makedirs(path):
    """Makes a folder and those that it is in; it may be there already."""
    _named(lambda p: os.makedirs(p, exist_ok=True), path)


def mkdir(path):
    """Makes a folder."""
    _named(os.mkdir, path)


def remove(path):
    """Deletes a file."""
    _named(os.remove, path)


def rmtree(path):
    """Deletes a folder with all that is in it."""
    import shutil

    _named(shutil.rmtree, path)


def copy(src, dst, overwrite=False):
    """Copies a file."""
    import shutil

    if not overwrite and os.path.exists(dst):
        raise errors.AlreadyExistsError(f"{dst}; File exists")
    _named(shutil.copyfile, src, dst)


def rename(src, dst, overwrite=False):
    """Moves a file."""
    if not overwrite and os.path.exists(dst):
        raise errors.AlreadyExistsError(f"{dst}; File exists")
    _named(os.replace, src, dst)


def stat(path):
    """Length and times of a file."""
    return _named(os.stat, path)


def walk(top, topdown=True):
    """The folders below a folder: (folder, its folders, its files)."""
    return os.walk(top, topdown=topdown)

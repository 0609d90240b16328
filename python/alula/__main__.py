"""Runs a program that was written for TensorFlow: `python -m alula program.py`."""

import os
import sys

USAGE = """\
Usage: python -m alula program.py [arguments …]
       python -m alula -m module [arguments …]
       python -m alula -c code [arguments …]

Runs a Python program with `import tensorflow` and `import keras` answered by Alula. The program sees
the arguments, the path and the name (__main__) that it would see if Python ran it.

  -h, --help   this text
  --version    Alula's version, and the version of TensorFlow whose interface it follows
"""


def main(argv):
    """The command line. Returns the exit status where no program ran."""
    if not argv or argv[0] in ("-h", "--help"):
        import alula

        print(f"Alula {alula.__version__}, a deep-learning framework shaped like TensorFlow.\n")
        print(USAGE, end="")
        return 0
    if argv[0] == "--version":
        import alula

        print(f"Alula {alula.__version__} (the interface of TensorFlow {alula.version.VERSION})")
        return 0

    from alula import _answer

    option, program = argv[0], None
    if option in ("-m", "-c"):
        if len(argv) < 2:
            print(f"python -m alula: {option} needs an argument.\n\n{USAGE}", end="", file=sys.stderr)
            return 2
        program, rest = argv[1], argv[2:]
    elif option.startswith("-"):
        print(f"python -m alula: unknown option {option}.\n\n{USAGE}", end="", file=sys.stderr)
        return 2
    else:
        program, rest = option, argv[1:]
        if not os.path.exists(program):
            print(f"python -m alula: there is no file '{program}'.", file=sys.stderr)
            return 2

    _answer.install()
    import runpy

    if option == "-m":
        sys.path[0] = os.getcwd()
        sys.argv = ["-m", *rest]  # runpy puts the module's file in its place
        runpy.run_module(program, run_name="__main__", alter_sys=True)
    elif option == "-c":
        sys.path[0] = ""
        sys.argv = ["-c", *rest]
        run_code(program, "<string>", {})
    else:
        sys.argv = [program, *rest]
        if os.path.isdir(program):
            runpy.run_path(program, run_name="__main__")
        else:
            sys.path[0] = os.path.dirname(os.path.abspath(program))
            run_file(program)
    return 0


def run_file(path):
    """Runs a file as Python runs its main program: tracebacks and pickles see a module __main__."""
    import io

    with io.open_code(os.path.abspath(path)) as file:
        source = file.read()
    run_code(source, path, {"__file__": path})


def run_code(source, name, names):
    """Runs code in a new module __main__, which stays the program's to its end."""
    import types

    module = types.ModuleType("__main__")
    module.__dict__.update(names, __builtins__=__builtins__)
    sys.modules["__main__"] = module
    exec(compile(source, name, "exec"), module.__dict__)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

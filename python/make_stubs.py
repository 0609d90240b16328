"""make_stubs.py LIBRARY FOLDER: writes the type stubs of the extension module beside it.

They are made of the module alone, in a package that is empty otherwise: what the package adds to the module's
classes stands in stubs.txt.
"""

import os
import re
import shutil
import subprocess
import sys


def main(library, folder):
    here = os.path.dirname(os.path.abspath(__file__))
    bare = os.path.join(os.path.dirname(folder) + "-bare", "alula")  # as deep, for the library's run path
    shutil.rmtree(bare, ignore_errors=True)
    os.makedirs(bare)
    open(os.path.join(bare, "__init__.py"), "w").close()
    shutil.copy2(library, bare)
    stubs = os.path.join(folder, "_native")
    shutil.rmtree(stubs, ignore_errors=True)
    subprocess.run(
        [sys.executable, "-m", "nanobind.stubgen", "-q", "-P", "-r", "-m", "alula._native"]
        + ["-p", os.path.join(here, "stubs.txt"), "-i", os.path.dirname(bare), "-O", folder],
        check=True,
    )
    path = os.path.join(stubs, "__init__.pyi")
    with open(path) as file:
        text = file.read()
    # tf.bool is a dtype: in the module that has it, annotations mean Python's own.
    text = re.sub(r"(: |-> |\| )bool\b", r"\1builtins.bool", text)
    with open(path, "w") as file:
        file.write(text.replace("\n\n", "\n\nimport builtins\n", 1) if "import builtins" not in text else text)


if __name__ == "__main__":
    main(sys.argv[1], os.path.abspath(sys.argv[2]))

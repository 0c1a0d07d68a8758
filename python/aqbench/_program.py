"""The program `aqbench` that comes with the package, or the one on the PATH."""

import os
import pathlib
import shutil
import subprocess

from ._library import Error


def program():
    """Returns the path of the program `aqbench`.

    Raises
    ------
    Error
        Where neither the package brings it (as the wheel does) nor the PATH has it.
    """
    own = pathlib.Path(__file__).parent / "bin" / "aqbench"
    found = os.environ.get("AQBENCH_PROGRAM") or (str(own) if own.exists() else shutil.which("aqbench"))
    if not found:
        raise Error("the program aqbench is not on the PATH; install the wheel or the package aqbench")
    return found


def run(arguments, stdin_files=()):
    """Runs the program and returns what it printed; `stdin_files` stay open in it.

    Raises
    ------
    Error
        With the program's line and exit code.
    """
    done = subprocess.run([program(), *map(os.fspath, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          pass_fds=stdin_files, check=False)
    text = done.stderr.decode("utf-8", "replace").strip()
    if done.returncode != 0:
        line = text.splitlines()[-1] if text else f"aqbench ended with exit code {done.returncode}"
        error = Error(line.removeprefix("aqbench: ").removeprefix("error: "))
        error.exit_code = done.returncode if done.returncode > 0 else 3
        raise error
    return done.stdout.decode("utf-8"), text

"""`python -m aqbench` and the scripts of the wheel: run the program in place of Python."""

import os
import pathlib
import sys

from ._evaluate import program
from ._library import Error


def main():
    """Runs `aqbench` with the arguments of this process."""
    try:
        path = program()
        os.execv(path, ["aqbench", *sys.argv[1:]])
    except (Error, OSError) as error:
        sys.exit(f"aqbench: {error}")


def ci_gate():
    """Runs the script `aqbench-ci-gate`, which sweeps a suite and gates it (docs/ci.md)."""
    script = pathlib.Path(__file__).parent / "bin" / "aqbench-ci-gate"
    try:
        os.environ.setdefault("AQBENCH", program())
        os.execvp("bash", ["bash", str(script), *sys.argv[1:]])
    except (Error, OSError) as error:
        sys.exit(f"aqbench-ci-gate: {error}")


if __name__ == "__main__":
    main()

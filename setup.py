"""Packs build/release/wheel/aqbench, which `make wheel-files` makes; pyproject.toml says the rest."""

import pathlib
import re
import subprocess

from setuptools import Distribution, setup
from wheel.bdist_wheel import bdist_wheel

FOLDER = pathlib.Path("build/release/wheel/aqbench")


class WithPrograms(Distribution):
    """The package holds compiled files, although setuptools compiles none."""

    def has_ext_modules(self):
        return True


class AnyPython(bdist_wheel):
    """One wheel for every Python: the library is called by ctypes. packaging/bundle.py checks the glibc."""

    def get_tag(self):
        return "py3", "none", "manylinux_2_34_x86_64"


if not FOLDER.exists():
    subprocess.run(["make", "wheel-files"], check=True)
setup(
    version=re.search(r"project\(aqbench VERSION ([0-9.]+)", pathlib.Path("CMakeLists.txt").read_text())[1],
    packages=["aqbench"],
    package_dir={"aqbench": str(FOLDER)},
    package_data={"aqbench": [str(file.relative_to(FOLDER)) for file in FOLDER.rglob("*") if file.is_file()]},
    distclass=WithPrograms,
    cmdclass={"bdist_wheel": AnyPython},
)

"""Builds libgersh with CMake and puts it into the package.

The sources of the library are those of the repository that this folder is part of. GERSH_BUILD names a folder that
CMake has configured already; without it the library is built in a temporary folder below `build`.
"""

import os
import re
import shutil
import subprocess
from pathlib import Path

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py

ROOT = Path(__file__).resolve().parent.parent


def version():
    text = (ROOT / "include/gersh/base.h").read_text()
    return ".".join(re.findall(r"#define GERSH_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", text))


class BuildWithLibrary(build_py):
    def run(self):
        super().run()
        folder = os.environ.get("GERSH_BUILD")
        if folder is None:
            folder = os.path.abspath(os.path.join(self.get_finalized_command("build").build_temp, "cmake"))
            subprocess.run(["cmake", "-S", str(ROOT), "-B", folder, "-DGERSH_TESTS=OFF"], check=True)
        jobs = str(os.cpu_count() or 1)
        subprocess.run(["cmake", "--build", folder, "--target", "gersh_shared", "--parallel", jobs], check=True)
        target = Path(self.build_lib, "gersh", "libgersh.so")
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(Path(folder, "libgersh.so"), target)


class BinaryDistribution(Distribution):
    """The wheel is of one platform, as it carries the shared library."""

    def has_ext_modules(self):
        return True


setup(version=version(), cmdclass={"build_py": BuildWithLibrary}, distclass=BinaryDistribution)

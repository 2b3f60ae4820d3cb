"""Runs the calling script again with a Python that has numpy: Debian's, where the first one in the path has none; and
finds the package of a build."""
import os
import sys


def ensure():
    try:
        import numpy  # noqa: F401
    except ImportError:
        debian = "/usr/bin/python3"
        if os.path.realpath(sys.executable) == os.path.realpath(debian) or os.environ.get("SINEW_TRIED"):
            sys.exit("numpy is missing: make deps installs python3-numpy")
        os.environ["SINEW_TRIED"] = "1"
        os.execv(debian, [debian, *sys.argv])


def find_package(build):
    sys.path.insert(0, os.path.join(build, "python"))
    settings = os.path.join(build, "CMakeCache.txt")
    if not os.path.exists(settings):
        return
    with open(settings) as file:
        if "SINEW_SANITIZE:STRING=a" in file.read():
            print("a library with the address sanitizer cannot be loaded into Python: the release build tests it")
            sys.exit(0)

"""Runs the calling script again with a Python that has numpy: Debian's, where the first one in the path has none."""
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

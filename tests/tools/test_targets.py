"""The kernels compile for 64-bit ARM and for WebAssembly, wherever the headers of these are installed."""
import os
import shutil
import subprocess
import sys
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
HEADERS = ("/usr/aarch64-linux-gnu/include/stdlib.h", "/usr/include/wasm32-wasi/stdlib.h")


class Targets(unittest.TestCase):
    def test_other_machines(self):
        if not shutil.which("clang") or not all(os.path.exists(h) for h in HEADERS):
            self.skipTest("no clang or no headers of the other machines")
        result = subprocess.run([os.path.join(ROOT, "tools", "check_targets.sh")], capture_output=True, text=True)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertIn(" 0 failed", result.stdout)


if __name__ == "__main__":
    sys.exit(unittest.main(verbosity=2))

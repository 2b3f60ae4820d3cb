"""The tables of models/body are what models/kit/body_tables.py makes of the survey."""
import os
import subprocess
import sys
import unittest

ROOT = os.environ.get("SINEW_SOURCE", os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))


class BodyTables(unittest.TestCase):
    def test_tables_are_up_to_date(self):
        run = subprocess.run([sys.executable, os.path.join(ROOT, "models", "kit", "body_tables.py"), "--check"],
                             capture_output=True, text=True, check=False)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)


if __name__ == "__main__":
    unittest.main()

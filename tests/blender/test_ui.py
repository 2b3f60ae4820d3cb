# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender's window on a display in memory: every panel is drawn for every kind of element, and no drawing fails.

The pictures stay in build/blender-shots to be looked at."""
import json
import os
import subprocess
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import common

SHOTS = os.path.join(common.BUILD, "blender-shots")


class Panels(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        os.makedirs(SHOTS, exist_ok=True)
        command = ["xvfb-run", "-a", "-s", "-screen 0 1000x1500x24", "blender", "--factory-startup", "--enable-event-simulate",
                   "--window-geometry", "0", "0", "1000", "1500", "--python", os.path.join(HERE, "ui_panels.py")]
        result = subprocess.run(command, env=dict(os.environ, SINEW_SHOTS=SHOTS, LIBGL_ALWAYS_SOFTWARE="1"), timeout=1200,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        lines = [line for line in result.stdout.splitlines() if line.startswith("RESULT ")]
        assert lines, result.stdout[-4000:]
        cls.output, cls.result = result.stdout, json.loads(lines[-1][len("RESULT "):])

    def test_nothing_fails_while_drawing(self):
        self.assertEqual(self.result["troubles"], [])
        self.assertNotIn("Traceback", self.output)

    def test_every_panel_was_drawn(self):
        self.assertGreater(len(self.result["panels"]), 5)
        self.assertEqual(set(self.result["panels"]) - set(self.result["drawn"]), set())
        for kind in ("body", "joint", "strand", "group", "fixed", "sliding", "surface", "strut", "shape"):
            self.assertIn(kind, self.result["drawn"]["SINEW_PT_element"])

    def test_no_name_of_an_attribute_is_cut_off(self):
        self.assertEqual(self.result["cut"], {})

    def test_pictures_were_taken(self):
        self.assertEqual(len(self.result["shots"]), 11)
        for name in self.result["shots"]:
            self.assertGreater(os.path.getsize(os.path.join(SHOTS, name + ".png")), 10000)


if __name__ == "__main__":
    common.main()

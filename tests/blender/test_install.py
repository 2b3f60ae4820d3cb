# SPDX-License-Identifier: GPL-3.0-or-later
"""What a person does with the zip: Preferences > Add-ons > Install, find it in the list, tick it, restart, open its tab.

Two Blenders run one after the other with settings that nothing else has touched; neither is told a module's path."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import common

INSTALL = '''
import json, sys
import addon_utils, bpy

def listed():
    """The rows of the list in the preferences: what Blender shows of each add-on that it has found."""
    return [addon_utils.module_bl_info(module) | {"module": module.__name__}
            for module in addon_utils.modules(refresh=True)]

before = [row["module"] for row in listed()]
answer = list(bpy.ops.preferences.addon_install(filepath=sys.argv[-1]))
rows = [row for row in listed() if row["name"] == "sinew"]
if rows:
    bpy.ops.preferences.addon_enable(module=rows[0]["module"])
    bpy.ops.wm.save_userpref()
print("FOUND " + json.dumps({"before": before, "answer": answer, "rows": rows}, default=str))
'''

RESTART = '''
import json, os, sys
import bpy
found = {"enabled": "sinew" in bpy.context.preferences.addons, "drawn": False}
panel = getattr(bpy.types, "SINEW_PT_model", None)
found["panel"] = panel is not None

def look():
    """Opens the sidebar and clicks on its tabs from the top down until the panel is drawn."""
    bpy.context.preferences.view.show_splash = False
    window = bpy.context.window_manager.windows[0]
    area = next(area for area in window.screen.areas if area.type == "VIEW_3D")
    area.spaces[0].show_region_ui = True
    draw = panel.draw
    def noting(self, context):
        draw(self, context)
        found["drawn"] = True
    bpy.utils.unregister_class(panel)
    panel.draw = noting
    bpy.utils.register_class(panel)
    for _ in range(10):
        yield
    for number in range(8):
        region = next(region for region in area.regions if region.type == "UI")
        place = dict(x=int(region.x + region.width - 10), y=int(region.y + region.height - 55 - 34 * number))
        for kind, value in (("MOUSEMOVE", "NOTHING"), ("LEFTMOUSE", "PRESS"), ("LEFTMOUSE", "RELEASE")):
            window.event_simulate(type=kind, value=value, **place)
        for _ in range(5):
            yield
        if found["drawn"]:
            return

steps = look() if panel else iter(())

def step():
    try:
        next(steps)
        return 0.03
    except StopIteration:
        print("FOUND " + json.dumps(found), flush=True)
    except Exception as error:
        print("FOUND " + json.dumps(found | {"error": repr(error)}), flush=True)
    os._exit(0)

bpy.app.timers.register(step, first_interval=0.5)
'''


class Person(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.home = tempfile.mkdtemp(prefix="sinew-person-")
        cls.addClassCleanup(shutil.rmtree, cls.home)
        cls.environment = dict(os.environ, HOME=cls.home, LIBGL_ALWAYS_SOFTWARE="1",
                               BLENDER_USER_CONFIG=os.path.join(cls.home, "config"),
                               BLENDER_USER_SCRIPTS=os.path.join(cls.home, "scripts"))
        for name in ("config", "scripts"):
            os.makedirs(os.path.join(cls.home, name))
        addon = os.path.join(common.BUILD, "sinew-blender.zip")
        cls.first = cls.run_blender(["blender", "-b"], INSTALL, "--", addon)
        cls.second = cls.run_blender(["xvfb-run", "-a", "-s", "-screen 0 1000x900x24", "blender", "--window-geometry", "0", "0",
                                      "1000", "900", "--enable-event-simulate"], RESTART)

    @classmethod
    def run_blender(cls, command, script, *arguments):
        path = os.path.join(cls.home, "script.py")
        with open(path, "w") as file:
            file.write(script)
        result = subprocess.run([*command, "--python-exit-code", "3", "--python", path, *arguments], env=cls.environment,
                                cwd=cls.home, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=600)
        text = result.stdout.decode(errors="replace")
        lines = [line for line in text.splitlines() if line.startswith("FOUND ")]
        assert lines, text
        return dict(json.loads(lines[-1][len("FOUND "):]), text=text)

    def test_it_was_not_there_before(self):
        self.assertNotIn("sinew", self.first["before"])

    def test_it_is_in_the_list(self):
        self.assertEqual(self.first["answer"], ["FINISHED"])
        self.assertEqual([row["module"] for row in self.first["rows"]], ["sinew"], self.first["text"])
        row = self.first["rows"][0]
        self.assertEqual((row["category"], row["version"]), ("Animation", [0, 1, 0]))
        for field in ("description", "author", "location"):
            self.assertTrue(row[field], field)

    def test_it_is_enabled_after_a_restart(self):
        self.assertTrue(self.second["enabled"], self.second["text"])

    def test_its_panel_is_in_the_sidebar_after_a_restart(self):
        self.assertTrue(self.second["panel"], self.second["text"])
        self.assertTrue(self.second["drawn"], self.second["text"])
        self.assertNotIn("Traceback", self.second["text"])


if __name__ == "__main__":
    common.main()

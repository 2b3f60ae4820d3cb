# SPDX-License-Identifier: GPL-3.0-or-later
"""Run by test_ui.py inside a Blender that has a window: shows every panel for every kind of element and takes pictures.

Prints one line of JSON at the end: the panels that were drawn with their headings, and what went wrong while drawing."""
import json
import os
import sys
import traceback

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import blf
import bpy

import common
import scenes

bpy.context.preferences.view.show_splash = False
common.enable()

from sinew import model, panels, properties, scene_import

FOLDER = os.environ["SINEW_SHOTS"]
drawn, troubles, shots = {}, [], []
current = [""]


def watch(panel):
    """Notes that a panel was drawn, and what went wrong. A closed panel is not drawn, so all are open."""
    draw = panel.draw

    def noting(self, context):
        drawn.setdefault(panel.__name__, set()).add(current[0])
        try:
            draw(self, context)
        except Exception:
            troubles.append(f"{panel.__name__}, {current[0]}: {traceback.format_exc()}")
    bpy.utils.unregister_class(panel)
    panel.draw = noting
    panel.bl_options = set(getattr(panel, "bl_options", ())) - {"DEFAULT_CLOSED"}
    bpy.utils.register_class(panel)


def ours():
    found = [panel for panel in bpy.types.Panel.__subclasses__() if getattr(panel, "bl_category", "") == "sinew"]
    return sorted(found, key=lambda panel: hasattr(panel, "bl_parent_id"))


def view():
    window = bpy.context.window_manager.windows[0]
    area = next(area for area in window.screen.areas if area.type == "VIEW_3D")
    return window, area


def press(window, x, y):
    for kind, value in (("MOUSEMOVE", "NOTHING"), ("LEFTMOUSE", "PRESS"), ("LEFTMOUSE", "RELEASE")):
        window.event_simulate(type=kind, value=value, x=int(x), y=int(y))


def shoot(name):
    window, area = view()
    current[0] = name
    region = next(region for region in area.regions if region.type == "WINDOW")
    with bpy.context.temp_override(window=window, screen=window.screen, area=area, region=region):
        bpy.ops.wm.redraw_timer(type="DRAW_WIN_SWAP", iterations=1)
        bpy.ops.screen.screenshot(filepath=os.path.join(FOLDER, name + ".png"))
    shots.append(name)


# ---- the steps: each runs by itself, Blender handles its events in between ---------------------------------------------


def start():
    for thing in list(bpy.data.objects):
        bpy.data.objects.remove(thing)
    for panel in ours():
        watch(panel)
    view()[1].spaces[0].show_region_ui = True


def open_tab(number):
    """Clicks on the tabs from the top down until our panels are drawn."""
    def step():
        if drawn:
            return
        window, area = view()
        region = next(region for region in area.regions if region.type == "UI")
        press(window, region.x + region.width - 10, region.y + region.height - 55 - 34 * number)
    return step


def build():
    scenes.arm(True)
    bpy.ops.mesh.primitive_uv_sphere_add(radius=0.02, location=(0.0, 0, 0.0))
    ball = bpy.context.object
    tendon = bpy.data.objects["tendon"]
    second = scenes.curve("second", [(-0.1, 0.02, 0.03), (-0.02, 0.02, 0.03), (0.02, 0.02, 0.04), (0.1, 0.02, 0.03)])
    common.select(second)
    bpy.ops.sinew.make_strand()
    common.select(tendon, ball)
    bpy.ops.sinew.add_constraint(kind="SURFACE", position=0.6)
    common.select(tendon, second)
    bpy.ops.sinew.add_constraint(kind="STRUT", position=0.4)
    bpy.ops.sinew.make_group(name="muscle")
    rig = bpy.data.objects["rig"]
    rig.data.bones.active = rig.data.bones["lower"]
    common.select(rig)
    bpy.ops.sinew.add_shape()
    for collection in ("functions", "force_lengths"):
        bpy.ops.sinew.list_edit(collection=collection, action="ADD")
    tendon.sinew.strand.belly_start, tendon.sinew.strand.belly_end = 0.9, 0.1
    bpy.ops.sinew.validate()


def activate(kind):
    def step():
        scene = bpy.context.scene
        if kind == "BODY":
            thing = bpy.data.objects["rig"]
        elif kind == "SHAPE":
            thing = next(thing for thing in scene.objects if thing.sinew.node == "Shape")
        else:
            thing = model.of_kind(scene, kind)[0]
        common.select(thing)
    return step


def only_runs():
    """The panels below do not fit on the screen with the rest."""
    for name in ("model", "make", "element", "messages", "functions", "force_lengths", "settings"):
        found = getattr(bpy.types, "SINEW_PT_" + name, None)
        if found:
            bpy.utils.unregister_class(found)


def cut_off():
    """Names of attributes that are wider than the left column of the sidebar, which has 40 % of it within its margins."""
    scale = bpy.context.preferences.system.ui_scale
    region = next(region for region in view()[1].regions if region.type == "UI")
    room = 0.4 * (region.width - 46 * scale)
    blf.size(0, 11 * scale, 72)
    names = {panels.SHORT.get(found["name"], properties.label(found)) for tag in ("Muscle", "RigidBody", "Joint", "Strand",
             "MuscleGroup", "Constraint", "Shape") for found in properties.shown(tag) if found["type"] != "bool"}
    return {name: round(blf.dimensions(0, name)[0] / room, 2) for name in names if blf.dimensions(0, name)[0] > room}


def finish():
    print("RESULT " + json.dumps({"cut": cut_off(), "width": [r.width for r in view()[1].regions if r.type == "UI"],
                                  "drawn": {name: sorted(states) for name, states in drawn.items()},
                                  "panels": [panel.__name__ for panel in ours()], "troubles": troubles, "shots": shots}))
    sys.stdout.flush()
    os._exit(0)


KINDS = ("BODY", "JOINT", "STRAND", "GROUP", "FIXED", "SLIDING", "SURFACE", "STRUT", "SHAPE")
STEPS = [start] + [open_tab(number) for number in range(6)] + [lambda: shoot("no_model"), build]
for _kind in KINDS:
    STEPS += [activate(_kind), lambda name=_kind.lower(): shoot(name)]
STEPS += [only_runs, lambda: shoot("runs"), finish]


def advance():
    try:
        STEPS.pop(0)()
    except Exception:
        troubles.append(traceback.format_exc())
        finish()
    return 0.2


bpy.app.timers.register(advance, first_interval=1.0)

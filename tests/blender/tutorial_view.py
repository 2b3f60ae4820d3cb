# SPDX-License-Identifier: GPL-3.0-or-later
"""What the scripts of the tutorial share: a mouse in the window, the sidebar's panels, pictures of the view.

They run in a Blender with a window (window.py). Generators yield to let Blender draw and take its events."""
import os
import struct
import time
import zlib

import bpy
import numpy
from mathutils import Euler, Vector

HEADER, PITCH = 15, 28  # middle of the first closed panel below the top of the sidebar, and from one to the next


def area():
    window = bpy.context.window_manager.windows[0]
    return window, next(found for found in window.screen.areas if found.type == "VIEW_3D")


def region(kind):
    return next(found for found in area()[1].regions if found.type == kind)


def override():
    window, found = area()
    return bpy.context.temp_override(window=window, screen=window.screen, area=found, region=region("WINDOW"))


def invoke(operator, **values):
    """Calls an operator as a button does."""
    with override():
        return operator("INVOKE_DEFAULT", **values)


def do(operator, **values):
    """Calls an operator and waits for it; it must do its work."""
    with override():
        answer = operator(**values)
    assert answer == {"FINISHED"}, (operator, answer)


def wait(ticks=4):
    for _ in range(ticks):
        yield


def until(what, seconds=300):
    end = time.time() + seconds
    while not what():
        assert time.time() < end, "waited in vain"
        yield


def move(x, y):
    area()[0].event_simulate(type="MOUSEMOVE", value="NOTHING", x=int(x), y=int(y))


def press(x, y):
    move(x, y)
    for value in ("PRESS", "RELEASE"):
        area()[0].event_simulate(type="LEFTMOUSE", value=value, x=int(x), y=int(y))


def key(name):
    window, found = area()
    for value in ("PRESS", "RELEASE"):
        window.event_simulate(type=name, value=value, x=found.x + found.width // 2, y=found.y + found.height // 2)


class Sidebar:
    """The tab of the add-on. Panels begin closed, and one at a time is open."""

    def __init__(self):
        self.opened = None
        self.drawn = set()
        self.panels = [found for found in bpy.types.Panel.__subclasses__() if getattr(found, "bl_category", "") == "sinew"]
        for panel in sorted(self.panels, key=lambda found: hasattr(found, "bl_parent_id")):
            self._watch(panel)
        self.panels = sorted((found for found in self.panels if not hasattr(found, "bl_parent_id")),
                             key=lambda found: found.bl_order)

    def _watch(self, panel):
        draw = panel.draw

        def noting(this, context):
            self.drawn.add(panel.bl_label)
            draw(this, context)
        bpy.utils.unregister_class(panel)
        panel.draw = noting
        panel.bl_options = set(getattr(panel, "bl_options", ())) | {"DEFAULT_CLOSED"}
        bpy.utils.register_class(panel)

    def show(self):
        """Opens the sidebar and clicks on the tabs from the top down until ours is shown."""
        area()[1].spaces[0].show_region_ui = True
        yield from wait()
        self.drawn.clear()
        for number in range(6):
            found = region("UI")
            press(found.x + found.width - 10, found.y + found.height - 55 - 34 * number)
            yield from wait()
            yield from self._click("Model")
            if self.drawn:
                self.opened = "Model"
                return
        raise AssertionError("the tab of the add-on is not there")

    def _click(self, label):
        with override():
            labels = [panel.bl_label for panel in self.panels if not hasattr(panel, "poll") or panel.poll(bpy.context)]
        found = region("UI")
        x, y = found.x + found.width // 2, found.y + found.height - HEADER - PITCH * labels.index(label)
        press(x, y)
        yield from wait()
        move(x - 400, y)

    def close(self):
        yield from self._click(self.opened)
        self.opened = None

    def open(self, label):
        """Closes what is open and opens this panel."""
        if self.opened == label:
            return
        if self.opened:
            yield from self.close()
        self.drawn.discard(label)
        yield from self._click(label)
        yield from wait()
        assert label in self.drawn, f"the panel {label} did not open"
        self.opened = label


# ---- the view ---------------------------------------------------------------------------------------------------------


def look(centre, distance, angles):
    """Turns the view to a place, from a direction: Euler angles in degrees."""
    view = area()[1].spaces[0].region_3d
    view.view_perspective = "PERSP"
    view.view_location, view.view_distance = Vector(centre), distance
    view.view_rotation = Euler([numpy.radians(a) for a in angles]).to_quaternion()


def plain_view():
    """An empty file without splash, and a view without what the pictures have no use for."""
    bpy.context.preferences.view.show_splash = False
    for thing in list(bpy.data.objects):
        bpy.data.objects.remove(thing)
    space = area()[1].spaces[0]
    space.show_gizmo = False
    space.overlay.show_floor = space.overlay.show_cursor = False
    space.clip_start = 0.001
    space.shading.color_type = "OBJECT"


# ---- pictures ---------------------------------------------------------------------------------------------------------


def pixels(path):
    """Rows from the top, RGB."""
    image = bpy.data.images.load(path, check_existing=False)
    found = numpy.empty(len(image.pixels), dtype=numpy.float32)
    image.pixels.foreach_get(found)
    width, height = image.size
    bpy.data.images.remove(image)
    return found.reshape(height, width, 4)[::-1, :, :3]


def write_png(path, rows):
    """Small files: no transparency, and shades that no eye tells apart are one."""
    found = numpy.clip(numpy.rint(rows * 255 / 4) * 4, 0, 255).astype(numpy.uint8)
    height, width, _ = found.shape
    lines = b"".join(b"\0" + row.tobytes() for row in found)

    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)) +
                   chunk(b"IDAT", zlib.compress(lines, 9)) + chunk(b"IEND", b""))


def picture(folder, name):
    """The 3D view with its sidebar and what pops up in it."""
    yield from wait()
    raw = os.path.join(folder, "raw.png")
    with override():
        bpy.ops.wm.redraw_timer(type="DRAW_WIN_SWAP", iterations=1)
        bpy.ops.screen.screenshot(filepath=raw)
    window, found = area()
    whole = pixels(raw)
    top = len(whole) - found.y - found.height
    write_png(os.path.join(folder, name + ".png"), whole[max(top, 0):len(whole) - found.y, found.x:found.x + found.width])

# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs a script in a Blender with a window, on a display that exists in memory only, and gives back what it found.

The script is a generator: each `yield` lets Blender go on, so that timers fire and windows are drawn. It is given the
folder of the test; what it puts into `found` comes back."""
import json
import os
import subprocess
import sys

FRAME = '''
import json, os, sys, time, traceback
sys.path.insert(0, {here!r})
import bpy
import common
common.enable()
found = {{}}
folder = {folder!r}

def screenshot(name):
    bpy.ops.screen.screenshot(filepath=os.path.join(folder, name))

def override():
    """Where an operator of the 3D view runs."""
    win = bpy.context.window_manager.windows[0]
    area = next(a for a in win.screen.areas if a.type == "VIEW_3D")
    return dict(window=win, area=area, region=next(r for r in area.regions if r.type == "WINDOW"))

def invoke(operator):
    with bpy.context.temp_override(**override()):
        return list(operator("INVOKE_DEFAULT"))

def until(what, seconds=240):
    """Waits for something to become true."""
    end = time.time() + seconds
    while not what():
        if time.time() > end:
            raise AssertionError("waited in vain")
        yield

{script}

def drive():
    for _ in range(6):
        yield
    yield from script()

_steps = None
def step():
    global _steps
    try:
        _steps = _steps or drive()
        next(_steps)
        return 0.03
    except StopIteration:
        found["done"] = True
    except BaseException:
        found["error"] = traceback.format_exc()
    with open(os.path.join(folder, "found.json"), "w") as file:
        json.dump(found, file)
    os._exit(0)

bpy.app.timers.register(step, first_interval=0.3, persistent=True)
'''


def run(folder, script, size="1280x900", timeout=900, events=False):
    """What the script found. It ends with an AssertionError when the script does. events: the script moves the mouse."""
    path = os.path.join(folder, "script.py")
    with open(path, "w") as file:
        file.write(FRAME.format(here=os.path.dirname(os.path.abspath(__file__)), folder=folder, script=script))
    command = ["xvfb-run", "-a", "-s", f"-screen 0 {size}x24", "blender", "--factory-startup", "--no-window-focus",
               "--window-geometry", "0", "0", *size.split("x"), *(["--enable-event-simulate"] if events else []), "--python", path]
    environment = dict(os.environ, LIBGL_ALWAYS_SOFTWARE="1")
    result = subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=timeout)
    text = result.stdout.decode(errors="replace")
    try:
        with open(os.path.join(folder, "found.json")) as file:
            found = json.load(file)
    except FileNotFoundError:
        raise AssertionError(f"Blender ended without a word:\n{text}") from None
    if "error" in found:
        raise AssertionError(found["error"] + text)
    for word in ("Traceback", "Error:"):
        if word in text and not found.get("expects errors"):
            raise AssertionError(text)
    found["text"] = text
    return found


if __name__ == "__main__":
    sys.exit("this is no test")

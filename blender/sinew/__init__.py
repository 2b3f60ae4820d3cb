# SPDX-License-Identifier: GPL-3.0-or-later
"""sinew inside Blender: muscles and tendons for animated characters.

The add-on knows the four files of sinew and its command, nothing of the physics. One folder serves Blender 3.4 to 5.x: the
table below for 3.4 to 4.1, blender_manifest.toml for 4.2 and later; differences of the API stand in compat.py alone.
"""
import importlib

# To list add-ons, Blender does not run this file: it reads from the first line that begins with "bl_info" to the next empty
# one. So no line above may begin with that word.
bl_info = {
    "name": "sinew",
    "author": "The sinew authors",
    "version": (0, 1, 0),
    "blender": (3, 4, 0),
    "location": "3D View > Sidebar > sinew; Add > sinew",
    "description": "Muscles and tendons that move under the skin of an animated character",
    "category": "Animation",
}

# In the order of registering. A module has register() and unregister().
MODULES = ["properties", "prefs", "markers", "primitives", "scene_import", "scene_export", "validate", "simulate",
           "skin", "autostrands", "panels", "panels_run", "menus"]

_loaded = []


def register():
    """Registers every module; a failure takes back what was done."""
    try:
        for name in MODULES:
            module = importlib.import_module("." + name, __package__)
            module.register()
            _loaded.append(module)
    except Exception:
        unregister()
        raise


def unregister():
    while _loaded:
        _loaded.pop().unregister()

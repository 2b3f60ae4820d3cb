# SPDX-License-Identifier: GPL-3.0-or-later
"""Between Blender's world and the model's: units and the axis that points up.

Blender's world has z up and a unit that the scene chooses; a model has y or z up and one of four units. Everything that
crosses the border goes through one of the two matrices here, so that parents, scales and units are accounted for once.
"""
from mathutils import Matrix

METRES = {"m": 1.0, "cm": 0.01, "mm": 0.001, "in": 0.0254}


def unit(scene):
    """Metres in one unit of the model."""
    return METRES[scene.sinew.space.units]


def blender_unit(scene):
    """Metres in one unit of Blender's world."""
    settings = scene.unit_settings
    return settings.scale_length if settings.system != "NONE" else 1.0


def _axes(scene, scale):
    s = scale
    if scene.sinew.space.up == "y":
        return Matrix(((s, 0, 0, 0), (0, 0, -s, 0), (0, s, 0, 0), (0, 0, 0, 1)))
    return Matrix(((s, 0, 0, 0), (0, s, 0, 0), (0, 0, s, 0), (0, 0, 0, 1)))


def world_from_model(scene, metres=False):
    """Blender's world from coordinates of the model: in its units, or in metres as in control and replay files."""
    return _axes(scene, (1.0 if metres else unit(scene)) / blender_unit(scene))


def model_from_world(scene, metres=False):
    """Coordinates of the model from Blender's world."""
    s = blender_unit(scene) / (1.0 if metres else unit(scene))
    if scene.sinew.space.up == "y":
        return Matrix(((s, 0, 0, 0), (0, 0, s, 0), (0, -s, 0, 0), (0, 0, 0, 1)))
    return _axes(scene, s)

# SPDX-License-Identifier: GPL-3.0-or-later
"""Renders a skin that `sinew skin` wrote as OBJ, in Blender: subsurface scattering, raking light, no display needed.

    build/sinew track hand finger_extension -o extension
    build/sinew skin hand extension.replay.xml -o extension.obj --frames 128:128
    blender -b --factory-startup -P tools/render_hero.py -- extension.obj docs/images/hero-extension.png

Flags after the two files: --size WIDTHxHEIGHT (1600x1200), --samples N (32), --denoise 1 (where this Blender can), --from x,y,z in the model's axes (x radial, y
proximal, z dorsal; 0.25,-0.35,1), --light x,y,z of the raking light (1,0.25,0.22), --at x,y,z (0,-0.075,0), --far m (0.42)."""
import sys

import bpy
from mathutils import Vector


def words():
    given = sys.argv[sys.argv.index("--") + 1:]
    files = [w for i, w in enumerate(given) if not w.startswith("--") and (i == 0 or not given[i - 1].startswith("--"))]
    flags = {given[i][2:]: given[i + 1] for i in range(len(given) - 1) if given[i].startswith("--")}
    return files, flags


def vector(text):
    return Vector([float(x) for x in text.split(",")])


def read_obj(path):
    """Vertices and triangles; Blender's own importer turns the axes."""
    vertices, faces = [], []
    with open(path, encoding="ascii") as file:
        for line in file:
            part = line.split()
            if part[:1] == ["v"]:
                vertices.append([float(x) for x in part[1:4]])
            elif part[:1] == ["f"]:
                faces.append([int(x.split("/")[0]) - 1 for x in part[1:]])
    mesh = bpy.data.meshes.new("skin")
    mesh.from_pydata(vertices, [], faces)
    mesh.polygons.foreach_set("use_smooth", [True] * len(mesh.polygons))
    return mesh


def skin_material():
    """Light skin: red light travels some millimetres in it, fine lines and pores as bumps."""
    material = bpy.data.materials.new("skin")
    material.use_nodes = True
    nodes, links = material.node_tree.nodes, material.node_tree.links
    shader = nodes["Principled BSDF"]
    shader.inputs["Base Color"].default_value = (0.62, 0.36, 0.26, 1)
    shader.inputs["Subsurface"].default_value = 0.35
    shader.inputs["Subsurface Color"].default_value = (0.66, 0.30, 0.21, 1)
    shader.inputs["Subsurface Radius"].default_value = (0.0037, 0.0014, 0.0007)  # m
    shader.inputs["Roughness"].default_value = 0.46
    shader.inputs["Specular"].default_value = 0.35
    place = nodes.new("ShaderNodeTexCoord")
    bumps = []
    for scale, strength, distance in ((900, 0.25, 0.00012), (260, 0.22, 0.00035)):
        noise, bump = nodes.new("ShaderNodeTexNoise"), nodes.new("ShaderNodeBump")
        noise.inputs["Scale"].default_value, noise.inputs["Detail"].default_value = scale, 3
        bump.inputs["Strength"].default_value, bump.inputs["Distance"].default_value = strength, distance
        links.new(place.outputs["Object"], noise.inputs["Vector"])
        links.new(noise.outputs["Fac"], bump.inputs["Height"])
        if bumps:
            links.new(bumps[-1].outputs["Normal"], bump.inputs["Normal"])
        bumps.append(bump)
    links.new(bumps[-1].outputs["Normal"], shader.inputs["Normal"])
    return material


def add_light(scene, where, target, energy, size, color):
    data = bpy.data.lights.new("light", "AREA")
    data.energy, data.size, data.color = energy, size, color
    thing = bpy.data.objects.new("light", data)
    scene.collection.objects.link(thing)
    thing.location = where
    thing.rotation_euler = (target - where).to_track_quat("-Z", "Y").to_euler()


def main():
    files, flags = words()
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    scene = bpy.context.scene
    skin = bpy.data.objects.new("skin", read_obj(files[0]))
    skin.data.materials.append(skin_material())
    scene.collection.objects.link(skin)
    smooth = skin.modifiers.new("smooth", "SUBSURF")
    smooth.render_levels = 1
    target = vector(flags.get("at", "0,-0.075,0"))
    view, rake = vector(flags.get("from", "0.25,-0.35,1")).normalized(), vector(flags.get("light", "1,0.25,0.22")).normalized()
    camera = bpy.data.objects.new("camera", bpy.data.cameras.new("camera"))
    scene.collection.objects.link(camera)
    scene.camera, camera.data.lens, camera.data.clip_start = camera, 85, 0.01
    camera.location = target + float(flags.get("far", "0.42")) * view
    camera.rotation_euler = (target - camera.location).to_track_quat("-Z", "Y").to_euler()
    add_light(scene, target + 0.5 * rake, target, 3.2, 0.06, (1, 0.94, 0.86))
    add_light(scene, target + 0.6 * view - 0.35 * rake, target, 0.7, 0.4, (0.8, 0.88, 1))
    add_light(scene, target - 0.4 * view - 0.3 * rake, target, 1.2, 0.2, (1, 0.9, 0.8))
    world = bpy.data.worlds.new("world")
    scene.world, world.use_nodes = world, True
    world.node_tree.nodes["Background"].inputs["Color"].default_value = (0.035, 0.038, 0.045, 1)
    scene.render.engine, scene.cycles.samples = "CYCLES", int(flags.get("samples", "32"))
    scene.cycles.use_adaptive_sampling, scene.cycles.adaptive_threshold = True, 0.03
    scene.cycles.max_bounces, scene.cycles.use_denoising = 4, flags.get("denoise", "0") == "1"
    scene.view_settings.view_transform, scene.view_settings.look = "Filmic", "Medium High Contrast"
    wide, high = (int(x) for x in flags.get("size", "1600x1200").split("x"))
    scene.render.resolution_x, scene.render.resolution_y, scene.render.resolution_percentage = wide, high, 100
    scene.render.filepath = files[1]
    bpy.ops.render.render(write_still=True)


main()

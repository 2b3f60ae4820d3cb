# SPDX-License-Identifier: GPL-3.0-or-later
"""Renders a skin that `sinew skin` wrote as OBJ, or the bones of a scene file, in Blender: subsurface scattering, raking light, no
display needed.

    build/sinew track hand finger_extension -o extension
    build/sinew skin hand extension.replay.xml -o extension.obj --frames 128:128
    blender -b --factory-startup -P tools/render_hero.py -- extension.0001.obj hero-extension.png
    blender -b --factory-startup -P tools/render_hero.py -- build/models/body/body.scene.xml models/body/body.png \\
        --size 900x1100 --from 0.9,0.1,0.6 --up 0,1,0 --above 9 --light 0.5,0.7,1

Flags after the two files: --size WIDTHxHEIGHT (1600x1200), --samples N (32), --denoise 1 (where this Blender can; else noise is
blurred where normals are alike), --from x,y,z the
direction seen from, in the model's axes (x radial, y proximal, z dorsal; 0.25,-0.35,1), --up x,y,z (0,-1,0: fingers up), --light x,y,z
of the raking light (1,0.25,0.22), --above y: what lies further up the arm may leave the picture (0.05), --margin share of the
picture around the rest (0.06). The camera stands where all the rest is in the picture."""
import sys
import xml.etree.ElementTree as ET

import bpy
from mathutils import Matrix, Quaternion, Vector

BACKGROUND = (0.035, 0.038, 0.045, 1)


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


def numbers(text):
    return [float(x) for x in text.split()]


def add_meshes(vertices, faces, element, world):
    """All visible meshes below a node of a scene file, in the world."""
    for node in element:
        if node.tag not in ("Group", "Mesh") or node.get("visible") == "false":
            continue
        turn = Quaternion(numbers(node.get("rotate", "1 0 0 0"))).to_matrix().to_4x4()
        here = world @ Matrix.Translation(numbers(node.get("translate", "0 0 0"))) @ turn
        if node.tag == "Mesh" and node.find("Vertices") is not None:
            flat = numbers(node.find("Vertices").text)
            corner = [len(vertices) + int(x) for x in node.find("Triangles").text.split()]
            vertices += [here @ Vector(flat[i:i + 3]) for i in range(0, len(flat), 3)]
            faces += [corner[i:i + 3] for i in range(0, len(corner), 3)]
        add_meshes(vertices, faces, node, here)


def read_scene(path):
    vertices, faces = [], []
    add_meshes(vertices, faces, ET.parse(path).getroot(), Matrix.Identity(4))
    mesh = bpy.data.meshes.new("bones")
    mesh.from_pydata(vertices, [], faces)
    mesh.polygons.foreach_set("use_smooth", [True] * len(mesh.polygons))
    return mesh


def bone_material():
    material = bpy.data.materials.new("bone")
    material.use_nodes = True
    shader = material.node_tree.nodes["Principled BSDF"]
    shader.inputs["Base Color"].default_value = (0.78, 0.70, 0.55, 1)
    shader.inputs["Roughness"].default_value = 0.5
    return material


def skin_material():
    """Light skin: red light travels some millimetres in it, fine lines and pores as bumps."""
    material = bpy.data.materials.new("skin")
    material.use_nodes = True
    nodes, links = material.node_tree.nodes, material.node_tree.links
    shader = nodes["Principled BSDF"]
    shader.subsurface_method = "BURLEY"  # less noise than a random walk at few samples
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


def frame(camera, skin, view, up, above, margin, size):
    """Puts the camera where every vertex below `above` is in the picture; returns what it looks at."""
    side = up.cross(view).normalized()
    axes = Matrix((side, view.cross(side), view))
    points = [axes @ v.co for v in skin.data.vertices if v.co.y < above]
    low, high = ([f(p[i] for p in points) for i in range(3)] for f in (min, max))
    middle = Vector([(a + b) / 2 for a, b in zip(low, high)])
    reach = camera.data.sensor_width / (2 * camera.data.lens) * (1 - 2 * margin)  # of half the width, per metre away
    share = (reach * min(1, size[0] / size[1]), reach * min(1, size[1] / size[0]))
    far = max(p.z - middle.z + abs(p[i] - middle[i]) / share[i] for p in points for i in (0, 1))
    camera.matrix_world = Matrix.Translation(axes.transposed() @ (middle + Vector((0, 0, far)))) @ axes.transposed().to_4x4()
    return axes.transposed() @ middle


def smooth_noise(scene):
    """For a Blender without a denoiser: blurs the picture where normals are alike."""
    scene.view_layers[0].use_pass_normal = True
    scene.use_nodes = True
    nodes, links = scene.node_tree.nodes, scene.node_tree.links
    nodes.clear()
    layers, blur, over, out = (nodes.new("CompositorNode" + kind) for kind in ("RLayers", "Bilateralblur", "AlphaOver", "Composite"))
    blur.iterations, blur.sigma_color, blur.sigma_space = 2, 0.15, 4
    links.new(layers.outputs["Image"], blur.inputs["Image"])
    links.new(layers.outputs["Normal"], blur.inputs["Determinator"])
    over.inputs[1].default_value = BACKGROUND  # the blur makes the rim of the picture transparent
    links.new(blur.outputs["Image"], over.inputs[2])
    links.new(over.outputs["Image"], out.inputs["Image"])


def main():
    files, flags = words()
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    scene = bpy.context.scene
    bones = files[0].endswith(".xml")
    skin = bpy.data.objects.new("skin", read_scene(files[0]) if bones else read_obj(files[0]))
    skin.data.materials.append(bone_material() if bones else skin_material())
    scene.collection.objects.link(skin)
    smooth = skin.modifiers.new("smooth", "SUBSURF")
    smooth.render_levels = 0 if bones else 1
    wide, high = (int(x) for x in flags.get("size", "1600x1200").split("x"))
    view, rake = vector(flags.get("from", "0.25,-0.35,1")).normalized(), vector(flags.get("light", "1,0.25,0.22")).normalized()
    camera = bpy.data.objects.new("camera", bpy.data.cameras.new("camera"))
    scene.collection.objects.link(camera)
    scene.camera, camera.data.lens, camera.data.clip_start = camera, 85, 0.01
    target = frame(camera, skin, view, vector(flags.get("up", "0,-1,0")), float(flags.get("above", "0.05")),
                   float(flags.get("margin", "0.06")), (wide, high))
    size = (camera.location - target).length / 0.5  # lights as far away and as strong as the picture is large
    add_light(scene, target + 0.5 * size * rake, target, 3.2 * size**2, 0.06 * size, (1, 0.94, 0.86))
    add_light(scene, target + size * (0.6 * view - 0.35 * rake), target, 0.7 * size**2, 0.4 * size, (0.8, 0.88, 1))
    add_light(scene, target - size * (0.4 * view + 0.3 * rake), target, 1.2 * size**2, 0.2 * size, (1, 0.9, 0.8))
    world = bpy.data.worlds.new("world")
    scene.world, world.use_nodes = world, True
    world.node_tree.nodes["Background"].inputs["Color"].default_value = BACKGROUND
    scene.render.engine, scene.cycles.samples = "CYCLES", int(flags.get("samples", "32"))
    scene.cycles.use_adaptive_sampling, scene.cycles.adaptive_threshold = True, 0.03
    scene.cycles.max_bounces, scene.cycles.use_denoising = 4, flags.get("denoise", "0") == "1"
    if not scene.cycles.use_denoising:
        smooth_noise(scene)
    scene.view_settings.view_transform, scene.view_settings.look = "Filmic", "Medium High Contrast"
    scene.render.resolution_x, scene.render.resolution_y, scene.render.resolution_percentage = wide, high, 100
    scene.render.filepath = files[1]
    bpy.ops.render.render(write_still=True)


main()

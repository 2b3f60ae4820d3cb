# SPDX-License-Identifier: GPL-3.0-or-later
"""The first part of docs/blender-tutorial.md, step by step: the shipped hand, to rendered frames with tendons."""
import os
import time

import bpy
import numpy
from mathutils import Vector

import shot
import tutorial_view as view
from sinew import background, bake, capture, model, scene_import, spaces

EXTENSORS = ("ED2", "EI")  # the two tendons on the back of the hand that stretch the index finger
SHOTS = {"finger_extension": (42, 40), "fist": (54, 50)}  # last frame, and the frame that is rendered


def steps(folder, found):
    view.plain_view()
    found["seconds"] = {}
    began = time.time()
    sidebar = view.Sidebar()
    yield from sidebar.show()
    yield from add(folder)
    found["panel"] = sorted(sidebar.drawn)
    bpy.ops.wm.save_as_mainfile(filepath=os.path.join(folder, "hand.blend"))
    yield from sidebar.open("Model")
    view.look((0, 0, 0.05), 0.75, (75, 0, 20))
    yield from view.picture(folder, "blender-hand-3")
    found["seconds"]["import"] = time.time() - began
    for motion in SHOTS:
        if motion == "fist":
            import_motion(motion)
        yield from track(folder, found, sidebar, motion)
        found["seconds"]["track " + motion] = time.time() - began
        yield from skin(folder, found, sidebar, motion)
        found["seconds"]["skin " + motion] = time.time() - began
        if not bpy.context.scene.camera:
            light()
        render(folder, motion)
        found["seconds"]["render " + motion] = time.time() - began
    found["panels"] = sorted(sidebar.drawn)


def add(folder):
    """Add > sinew > Hand, and its dialog."""
    _, area = view.area()
    view.move(area.x + 250, area.y + area.height - 100)
    yield from view.wait()
    view.invoke(bpy.ops.wm.call_menu, name="SINEW_MT_add")
    yield from view.picture(folder, "blender-hand-1")
    view.key("ESC")
    yield from view.wait()
    view.invoke(bpy.ops.sinew.add_model, model="hand")
    yield from view.picture(folder, "blender-hand-2")
    view.key("ESC")
    yield from view.wait()
    view.do(bpy.ops.sinew.add_model, model="hand", motion="finger_extension")


def import_motion(name):
    folder = os.path.dirname(scene_import.shipped_model(bpy.context, "hand"))
    view.do(bpy.ops.sinew.clear_bake)
    view.do(bpy.ops.sinew.import_motion, filepath=os.path.join(folder, "motions", name + ".pose.csv"))


def track(folder, found, sidebar, motion):
    """Simulate: the strands follow the animation, beside Blender."""
    scene = bpy.context.scene
    scene.frame_end, frame = SHOTS[motion]
    scene.frame_set(frame)
    yield from sidebar.open("Simulate")
    view.invoke(bpy.ops.sinew.track)
    if motion == "finger_extension":
        view.look((0, 0, -0.05), 0.45, (75, 0, 20))
        yield from view.until(lambda: bpy.context.window_manager.sinew_progress > 0.2 or not background.current)
        yield from view.picture(folder, "blender-hand-4")
    yield from view.until(lambda: not background.current)
    found["tracked " + motion] = bpy.context.window_manager.sinew_message
    if motion == "finger_extension":
        yield from sidebar.open("Bake")
        scene.sinew.skin.hide_set(True)
        yield from view.picture(folder, "blender-hand-5")
        scene.sinew.skin.hide_set(False)


def skin(folder, found, sidebar, motion):
    """Skin Strands for the frames around the one that is rendered, and how far each tendon raises the skin."""
    scene, settings = bpy.context.scene, bpy.context.scene.sinew_skin
    frame = SHOTS[motion][1]
    settings.own_range, settings.frame_start, settings.frame_end = True, frame - 1, frame + 1
    yield from sidebar.open("Skin Strands")
    view.invoke(bpy.ops.sinew.skin_cache)
    yield from view.until(lambda: not background.current)
    found["skinned " + motion] = bpy.context.window_manager.sinew_message
    scene.frame_set(frame)
    if motion == "finger_extension":
        yield from view.picture(folder, "blender-hand-6")
    found["bulge " + motion] = bulge(scene, settings)


def shown(thing):
    return capture.vertices(thing.evaluated_get(bpy.context.evaluated_depsgraph_get()).data)


def bulge(scene, settings):
    """mm that each extensor of the index finger raises the skin in the middle of the back of the hand: mean along it."""
    raised = shown(settings.deformed)
    settings.prominence = 0
    view.do(bpy.ops.sinew.skin_preview)
    bpy.context.view_layer.update()
    flat = shown(settings.deformed)
    settings.prominence = 1
    settings.deformed.modifiers["sinew skin"].show_viewport = True
    height, found = 1e3 * numpy.linalg.norm(raised - flat, axis=1), {}
    for thing in model.strands(scene):
        if model.name_of(thing) in EXTENSORS:
            to_model = capture.array(spaces.model_from_world(scene, metres=True) @ thing.matrix_world)
            rest = bake.apply_matrix(to_model, bake.rest_points(thing)[0])
            here = shot.strand_world(thing)[(rest[:, 1] > -0.07) & (rest[:, 1] < -0.035)]
            found[model.name_of(thing)] = float(numpy.mean([
                height[numpy.linalg.norm(flat - p, axis=1) < 0.006].max(initial=0) for p in here]))
    return found


def light():
    """A camera on the back of the hand, and a sun from the side, whose light grazes the skin."""
    scene = bpy.context.scene
    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    sun = bpy.data.objects.new("Sun", bpy.data.lights.new("Sun", "SUN"))
    for thing in (camera, sun):
        scene.collection.objects.link(thing)
    camera.location = (0.11, -0.36, -0.02)
    camera.rotation_euler = (Vector((0.0, 0, -0.055)) - camera.location).to_track_quat("-Z", "Y").to_euler()
    camera.data.clip_start = 0.01
    sun.rotation_euler = numpy.radians((70, 0, 68))
    sun.data.energy = 2.4
    scene.camera = camera
    for thing in scene.objects:  # what lies under the skin is not rendered
        if thing.type in ("MESH", "CURVE") and thing != scene.sinew_skin.deformed:
            thing.hide_render = True
    scene.world.node_tree.nodes["Background"].inputs[0].default_value = (0.12, 0.13, 0.15, 1)
    render = scene.render
    render.engine, render.resolution_x, render.resolution_y = "BLENDER_EEVEE", 420, 420
    scene.eevee.taa_render_samples = 16
    scene.view_settings.view_transform = "Standard"


def render(folder, motion):
    scene = bpy.context.scene
    scene.frame_set(SHOTS[motion][1])
    scene.render.filepath = os.path.join(folder, "raw.png")
    view.do(bpy.ops.render.render, write_still=True)
    view.write_png(os.path.join(folder, f"blender-render-{motion.split('_')[-1]}.png"), view.pixels(scene.render.filepath))

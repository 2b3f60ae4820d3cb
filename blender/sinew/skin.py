# SPDX-License-Identifier: GPL-3.0-or-later
"""Skin strands: the skin as the rig deforms it (base mesh) and a second one that tendons raise (deformed mesh).

The bulge is the command's (`sinew skin`). For playback and rendering it writes a point cache that a Mesh Cache modifier of
the deformed mesh plays; while the preview is on, it computes the frame that is shown whenever something changes.

Invariants:
1. The base is only looked at, and hidden; `sinew.skin_clear` shows it again and removes the deformed mesh.
2. The deformed mesh has the vertices of the base in the same order. Its object is the model's space in metres, so that
   the numbers of the command are its coordinates, unchanged.
3. Modifiers of the base that make vertices (subdivision) come behind the cache on the deformed mesh.
"""

import os
import shutil
import tempfile

import bpy
import numpy
from bpy.app.handlers import persistent
from bpy.props import BoolProperty, EnumProperty, FloatProperty, IntProperty, PointerProperty, StringProperty

from . import background, bake, capture, command, model, prefs, properties, replay as replays, scene_export, spaces

MODIFIER = "sinew skin"
SHOWN = "sinew_shown"  # on the base: whether it was hidden in the viewport and in renders before
SHAPE = ("skin_a", "skin_b", "skin_c")


def _changed(_group, _context):
    preview.dirty = True


def _switched(group, context):
    if group.preview:
        preview.start(context.scene)
    else:
        preview.stop(context.scene)


class SinewPG_Skin(bpy.types.PropertyGroup):
    """How tendons show in the skin. Height and falloffs are attributes of the model."""
    deformed: PointerProperty(type=bpy.types.Object, name="Deformed mesh", description="Mesh that tendons raise",
                              poll=lambda _group, thing: thing.type == "MESH")
    source: EnumProperty(name="Influence", update=_changed, items=[
        ("NEAR", "By nearness", "Vertices near tendons take part"),
        ("COLOUR", "Colour attribute", "Red of a colour attribute of the base mesh, painted in Vertex Paint"),
        ("GROUP", "Vertex group", "Weights of a vertex group of the base mesh")])
    attribute: StringProperty(name="Colour attribute", update=_changed, description="Empty: the active one")
    group: StringProperty(name="Vertex group", update=_changed)
    prominence: FloatProperty(name="Prominence", default=1.0, min=0, max=10, soft_max=3, update=_changed,
                              description="How far tendons stand out: 0 not at all, 1 as they are")
    belly: FloatProperty(name="Bellies", default=1.0, min=0, max=10, soft_max=3, update=_changed,
                         description="How far bellies thicken: 0 not at all, 1 at constant volume")
    follow: EnumProperty(name="Base", update=_changed, items=[
        ("RIG", "As the rig deforms it", "The base mesh as its modifiers show it"),
        ("SINEW", "By sinew's weights", "The base mesh at rest, moved with the bodies by weights that the command computes")])
    own_range: BoolProperty(name="Own range", description="Use frames other than those of the shot")
    frame_start: IntProperty(name="First frame", default=1)
    frame_end: IntProperty(name="Last frame", default=250)
    preview: BoolProperty(name="Live preview", update=_switched,
                          description="Compute the frame that is shown whenever something changes")
    figures: StringProperty(description="Figures of the last cache")


# ---- meshes ---------------------------------------------------------------------------------------------------------


def base_of(scene):
    base = scene.sinew.skin
    if not base:
        raise bake.BakeError("Choose the mesh that is the skin of the model first")
    return base


def frame_range(scene):
    settings = scene.sinew_skin
    if settings.own_range:
        return settings.frame_start, settings.frame_end
    return model.frame_range(scene)


def deformed_of(scene):
    """The deformed mesh; made from the base where there is none that fits."""
    base, settings = base_of(scene), scene.sinew_skin
    thing = settings.deformed
    if thing and thing.name in scene.objects and len(thing.data.vertices) == len(base.data.vertices):
        return thing
    data = base.data.copy()
    data.name = base.name + " tendons"
    for key in [key for key in data.keys() if key.startswith("sinew")]:
        del data[key]
    thing = bpy.data.objects.new(data.name, data)
    for collection in base.users_collection:
        collection.objects.link(thing)
    matrix = spaces.world_from_model(scene, metres=True)
    back = matrix.inverted() @ base.matrix_world
    data.transform(back)
    if back.determinant() < 0:
        data.flip_normals()
    thing.matrix_world = matrix
    thing.color = base.color
    _copy_modifiers(base, thing)
    settings.deformed = thing
    if SHOWN not in base:
        base[SHOWN] = [base.hide_get(), base.hide_render]
    base.hide_render = True
    base.hide_set(True)
    return thing


def _copy_modifiers(base, thing):
    """Those that make vertices; their settings as far as they are plain values."""
    for found in base.modifiers:
        if found.type in capture.MOVING:
            continue
        made = thing.modifiers.new(found.name, found.type)
        for setting in found.bl_rna.properties:
            if not setting.is_readonly and setting.identifier != "name":
                try:
                    setattr(made, setting.identifier, getattr(found, setting.identifier))
                except (AttributeError, TypeError):
                    pass


def show(thing, points):
    """Vertices of the deformed mesh as they are given, its cache out of the way."""
    modifier = thing.modifiers.get(MODIFIER)
    if modifier:
        modifier.show_viewport = False
    thing.data.vertices.foreach_set("co", numpy.ascontiguousarray(points, dtype=numpy.float32).ravel())
    thing.data.update()


def play(thing, path, start):
    """The deformed mesh plays a cache. The order counts: the cache makes the shape, other modifiers refine it."""
    if not thing.modifiers.get(MODIFIER):
        thing.modifiers.new(MODIFIER, "MESH_CACHE").show_viewport = False
    if thing.modifiers.find(MODIFIER) > 0:
        with bpy.context.temp_override(object=thing, active_object=thing):
            bpy.ops.object.modifier_move_to_index(modifier=MODIFIER, index=0)
    bake.add_cache_modifier(thing, path, start, name=MODIFIER).show_viewport = True


# ---- the command ----------------------------------------------------------------------------------------------------


def words(scene, folder, muscle, out, count):
    """What to call for a captured range that was written into a folder."""
    settings = scene.sinew_skin
    found = ["skin", muscle, os.path.join(folder, "shown.replay.xml"), "-o", out, "--mesh", model.node_of(base_of(scene)),
             "--prominence", f"{settings.prominence:.9g}", "--belly", f"{settings.belly:.9g}"]
    a, b, c = (properties.get(scene.sinew.model, properties.schema.attribute("Muscle", name)) for name in SHAPE)
    found += ["--height", repr(a), "--lateral", repr(1e3 * b), "--depth", repr(1e3 * c), "--frames", f"0:{count - 1}"]
    if settings.follow == "RIG":
        found += ["--base", os.path.join(folder, "base.pc2")]
    if settings.source != "NEAR":
        found += ["--influence", os.path.join(folder, "influence.csv")]
    return found


def write(context, scene, folder, take):
    """Captures what take(capture) takes and writes it for the command. Returns the number of frames."""
    settings, base = scene.sinew_skin, base_of(scene)
    values = capture.influence(base, settings.source, settings.attribute if settings.source == "COLOUR" else settings.group)
    if settings.follow == "RIG":
        with capture.Base(base, context.view_layer) as shown:
            found = capture.Capture(scene, shown)
            take(found)
    else:
        found = capture.Capture(scene)
        take(found)
    if not found.strands.things:
        raise bake.BakeError("The scene has no strands")
    replays.write(os.path.join(folder, "shown.replay.xml"), found.replay())
    if found.shapes:
        replays.write_pc2(os.path.join(folder, "base.pc2"), numpy.array(found.shapes))
    if values is not None:
        capture.write_influence(os.path.join(folder, "influence.csv"), values)
    return len(found.frames)


def cache_path(scene):
    folder = os.path.join(model.folder(scene), "cache")
    os.makedirs(folder, exist_ok=True)
    return os.path.join(folder, bake.file_name(base_of(scene).name) + ".skin.pc2")


class SINEW_OT_skin_cache(background.Background, bpy.types.Operator):
    """Compute the skin with the tendons under it for all frames, for playback and rendering"""
    bl_idname = "sinew.skin_cache"
    bl_label = "Skin Strands"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        return background.current is None and bool(context.scene.sinew.skin)

    def begin(self, context):
        scene = context.scene
        program = prefs.command_path(context)
        start, end = frame_range(scene)
        if end < start:
            raise bake.BakeError(f"The frame range {start} to {end} has no frames")
        scene.sinew_skin.preview = False
        path = cache_path(scene)
        self._folder = tempfile.mkdtemp(prefix="sinew-skin-")
        try:
            muscle = scene_export.export_model(context, self._folder, "model")["muscle"]
            count = write(context, scene, self._folder, lambda found: found.take_range(context, start, end))
            run = command.Run(program, [*words(scene, self._folder, muscle, path + ".new.pc2", count), "--json", "--progress",
                                        "json"])
        except BaseException:
            shutil.rmtree(self._folder, ignore_errors=True)
            raise
        work = background.Work("Skin", run, scene)
        work.kept = {"path": path, "start": start, "folder": self._folder}
        return work

    def take(self, context, work, result):
        scene, path = work.find_scene(), work.kept["path"]
        thing = deformed_of(scene)
        if result["vertices"] != len(thing.data.vertices):
            raise bake.BakeError(f"The skin was changed while it was computed: {thing.name} has other vertices")
        os.replace(path + ".new.pc2", path)
        shutil.rmtree(work.kept["folder"], ignore_errors=True)
        play(thing, bpy.path.relpath(path) if bpy.data.is_saved else path, work.kept["start"])
        text = f"Skin of {result['frames']} frames; highest bulge {result['max_bulge_mm']:.1f} mm"
        scene.sinew_skin.figures = text
        return text

    def clean(self, work):
        shutil.rmtree(work.kept["folder"], ignore_errors=True)
        if os.path.exists(work.kept["path"] + ".new.pc2"):
            os.remove(work.kept["path"] + ".new.pc2")


class SINEW_OT_skin_clear(bpy.types.Operator):
    """Remove the deformed mesh and show the base mesh again"""
    bl_idname = "sinew.skin_clear"
    bl_label = "Clear Skin"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        return bool(context.scene.sinew_skin.deformed)

    def execute(self, context):
        settings, base = context.scene.sinew_skin, context.scene.sinew.skin
        settings.preview = False
        data = settings.deformed.data
        bpy.data.objects.remove(settings.deformed)
        if data and not data.users:
            bpy.data.meshes.remove(data)
        if base and SHOWN in base:
            hidden, base.hide_render = base[SHOWN]
            base.hide_set(bool(hidden))
            del base[SHOWN]
        return {"FINISHED"}


# ---- preview --------------------------------------------------------------------------------------------------------


class Preview:
    """Computes the frame that is shown, one run after the other, as long as it is on. The model is exported when it begins
    and whenever its strands or bodies may have changed otherwise (`stale`)."""

    interval = 0.08

    def __init__(self):
        self.folder = self.run = self.scene = None
        self.dirty = self.busy = False  # something has changed; we are changing something ourselves
        self.asked = 0  # how many frames were computed

    def start(self, scene):
        self.stop()
        self.scene, self.dirty = scene.name, True
        self.folder = tempfile.mkdtemp(prefix="sinew-preview-")
        self.muscle = None
        if not bpy.app.background and not bpy.app.timers.is_registered(self.tick):
            bpy.app.timers.register(self.tick, first_interval=self.interval)

    def stop(self, scene=None):
        if self.run:
            self.run.close()
        if self.folder:
            shutil.rmtree(self.folder, ignore_errors=True)
        self.folder = self.run = self.scene = None
        thing = scene.sinew_skin.deformed if scene else None
        modifier = thing.modifiers.get(MODIFIER) if thing else None
        if modifier:
            modifier.show_viewport = True

    def begin(self, context):
        """Starts a run for the frame that is shown."""
        scene = context.scene
        if not self.muscle:
            self.muscle = scene_export.export_model(context, self.folder, "model")["muscle"]
        self.dirty = False
        count = write(context, scene, self.folder, lambda found: found.take(
            context.evaluated_depsgraph_get(), scene.frame_current))
        self.run = command.Run(prefs.command_path(context), [
            *words(scene, self.folder, self.muscle, os.path.join(self.folder, "skin.pc2"), count), "--json"])

    def take(self, scene):
        """Shows what a run that has ended gives."""
        run, self.run = self.run, None
        try:
            run.outcome()
            show(deformed_of(scene), replays.read_pc2(os.path.join(self.folder, "skin.pc2"))[0])
            self.asked += 1
        finally:
            run.close()

    def once(self, context):
        """Blocking: the frame that is shown."""
        self.start(context.scene)
        try:
            self.begin(context)
            self.run.wait()
            self.take(context.scene)
        finally:
            self.stop()

    def tick(self):
        """A timer of Blender. Returns when it wants to be called again; None: never."""
        scene = bpy.data.scenes.get(self.scene) if self.scene else None
        if not scene or not scene.sinew_skin.preview:
            self.stop()
            return None
        self.busy = True
        try:
            if self.run:
                if not self.run.poll():
                    self.take(scene)
                    bpy.context.view_layer.update()
            elif self.dirty and bpy.context.scene == scene and bpy.context.mode not in ("EDIT_MESH", "EDIT_CURVE"):
                self.begin(bpy.context)
                bpy.context.view_layer.update()
        except background.TROUBLE as trouble:
            bpy.context.window_manager.sinew_message = background.text_of(trouble)
            self.run = None
            background.redraw(bpy.context)
        finally:
            self.busy = False
        return self.interval


preview = Preview()


class SINEW_OT_skin_preview(bpy.types.Operator):
    """Compute the skin of the frame that is shown, once"""
    bl_idname = "sinew.skin_preview"
    bl_label = "Skin This Frame"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        return bool(context.scene.sinew.skin)

    def execute(self, context):
        try:
            preview.once(context)
        except background.TROUBLE as trouble:
            self.report({"ERROR"}, background.text_of(trouble))
            return {"CANCELLED"}
        return {"FINISHED"}


@persistent
def _on_frame(scene, *_):
    if scene.name == preview.scene and not preview.busy:
        preview.dirty = True


@persistent
def _on_change(scene, depsgraph):
    """Anything but the deformed mesh itself may change what the preview shows."""
    if scene.name != preview.scene or preview.busy:
        return
    thing = scene.sinew_skin.deformed
    ours = {thing, thing.data} if thing else set()
    if any(change.id.original not in ours for change in depsgraph.updates if isinstance(
            change.id, (bpy.types.Object, bpy.types.Mesh, bpy.types.Curve, bpy.types.Armature))):
        preview.dirty = True


@persistent
def _on_load(*_):
    preview.stop()


CLASSES = (SinewPG_Skin, SINEW_OT_skin_cache, SINEW_OT_skin_clear, SINEW_OT_skin_preview)
HANDLERS = ((bpy.app.handlers.frame_change_post, _on_frame), (bpy.app.handlers.depsgraph_update_post, _on_change),
            (bpy.app.handlers.load_pre, _on_load))


def register():
    for found in CLASSES:
        bpy.utils.register_class(found)
    bpy.types.Scene.sinew_skin = PointerProperty(type=SinewPG_Skin)
    for name in SHAPE:
        properties.HOOKS[("Muscle", name)] = lambda _owner: _changed(None, None)
    for handlers, function in HANDLERS:
        handlers.append(function)


def unregister():
    preview.stop()
    if bpy.app.timers.is_registered(preview.tick):
        bpy.app.timers.unregister(preview.tick)
    for handlers, function in HANDLERS:
        if function in handlers:
            handlers.remove(function)
    del bpy.types.Scene.sinew_skin
    for found in reversed(CLASSES):
        bpy.utils.unregister_class(found)

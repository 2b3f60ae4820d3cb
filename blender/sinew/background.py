# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators that run the command while Blender stays usable.

Invariants:
1. One run at a time. `current` is it; panels show it, `sinew.cancel` asks it to stop.
2. What a run needs later is kept by name: between start and end the user may undo, delete or load another file, which
   makes references to objects stale.
3. Whatever goes wrong before `take` leaves the scene as it was: `take` is the only place that changes it, and it runs
   after the command has ended well.
4. Without a window (blender -b) nothing modal runs, so the same steps are taken one after the other.
"""

import bpy
from bpy.app.handlers import persistent
from bpy.props import FloatProperty, StringProperty

from . import bake, command, files, replay, scene_export

# What becomes a message instead of a traceback.
TROUBLE = (command.CommandError, files.FileError, scene_export.ExportFailed, replay.ReplayError, bake.BakeError, OSError)

current = None  # the operator's Work that runs now


class Work:
    """A run of the command and what is known about it."""

    def __init__(self, label, run, scene):
        self.label, self.run, self.scene = label, run, scene.name
        self.note = ""  # what the command says while it runs, if anything
        self.kept = {}  # whatever the operator wants to know when it ends

    def find_scene(self):
        found = bpy.data.scenes.get(self.scene)
        if not found:
            raise bake.BakeError(f"The scene {self.scene} is gone: nothing was baked")
        return found


def text_of(trouble):
    if isinstance(trouble, OSError):
        return f"{trouble.filename or 'A file'}: {trouble.strerror or trouble}"
    return str(trouble)


def _set_message(context, text, progress=0.0):
    manager = context.window_manager
    manager.sinew_message, manager.sinew_progress = text, progress


def redraw(context):
    for window in context.window_manager.windows:
        for area in window.screen.areas:
            if area.type == "VIEW_3D":
                area.tag_redraw()


class Background:
    """Mixin of an operator. It gives `begin(context)`, which returns Work, and `take(context, work, result)`, which puts
    the result into the scene and returns a sentence. `watch(context, work)` may look at the run while it goes on."""

    interval = 0.1  # s between looks

    _work = None

    def watch(self, context, work):
        pass

    def clean(self, work):
        """Removes what a run has written that did not end well."""

    def execute(self, context):
        """Blocking: for scripts and blender -b."""
        try:
            self._work = work = self.begin(context)
            self.wait(context, work)
            return self.end(context, work, work.run.outcome())
        except TROUBLE as trouble:
            return self.fail(context, trouble)

    def wait(self, context, work):
        try:
            work.run.wait(lambda run: self.watch(context, work))
        finally:
            work.run.close()

    def invoke(self, context, _event):
        global current
        if bpy.app.background or not context.window:
            return self.execute(context)
        if current:
            self.report({"WARNING"}, f"{current.label} still runs")
            return {"CANCELLED"}
        try:
            self._work = current = self.begin(context)
        except TROUBLE as trouble:
            return self.fail(context, trouble)
        _set_message(context, self._work.label)
        self._timer = context.window_manager.event_timer_add(self.interval, window=context.window)
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context, event):
        if event.type != "TIMER":
            return {"PASS_THROUGH"}
        work = self._work
        if current is not work:  # another file was loaded, or the add-on was turned off
            self._stop(context)
            self.clean(work)
            return {"CANCELLED"}
        try:
            running = work.run.poll()
            self.watch(context, work)
            if running:
                self._show(context, work)
                return {"PASS_THROUGH"}
            self._stop(context)
            return self.end(context, work, work.run.outcome())
        except TROUBLE as trouble:
            self._stop(context)
            return self.fail(context, trouble)

    def _show(self, context, work):
        run = work.run
        manager = context.window_manager
        manager.sinew_progress = run.fraction
        manager.sinew_message = work.note or f"{work.label}: {100 * run.fraction:.0f} %"
        redraw(context)

    def _stop(self, context):
        global current
        self._work.run.close()
        if current is self._work:
            current = None
        context.window_manager.event_timer_remove(self._timer)
        redraw(context)

    def cancel(self, context):
        """Blender itself ends the operator: its window closes."""
        self._stop(context)
        self.clean(self._work)

    def end(self, context, work, result):
        text = self.take(context, work, result)
        _set_message(context, text, 1.0)
        self.report({"INFO"}, text)
        return {"FINISHED"}

    def fail(self, context, trouble):
        text = text_of(trouble)
        if self._work:
            self.clean(self._work)
        _set_message(context, text)
        self.report({"WARNING"} if isinstance(trouble, command.Cancelled) else {"ERROR"}, text)
        return {"CANCELLED"}


class SINEW_OT_cancel(bpy.types.Operator):
    """Stop what the sinew command is doing; the scene stays as it is"""
    bl_idname = "sinew.cancel"
    bl_label = "Cancel"

    @classmethod
    def poll(cls, _context):
        return current is not None

    def execute(self, _context):
        current.run.cancel()
        return {"FINISHED"}


@persistent
def _on_load(*_):
    close()


def close():
    """Ends the run, if there is one; nobody takes its result."""
    global current
    if current:
        current.run.close()
        current = None


def register():
    bpy.utils.register_class(SINEW_OT_cancel)
    bpy.types.WindowManager.sinew_progress = FloatProperty(name="Progress", min=0, max=1, subtype="FACTOR")
    bpy.types.WindowManager.sinew_message = StringProperty(name="Message")
    bpy.app.handlers.load_pre.append(_on_load)


def unregister():
    close()
    if _on_load in bpy.app.handlers.load_pre:
        bpy.app.handlers.load_pre.remove(_on_load)
    del bpy.types.WindowManager.sinew_message, bpy.types.WindowManager.sinew_progress
    bpy.utils.unregister_class(SINEW_OT_cancel)

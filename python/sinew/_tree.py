"""Tracking and holding models on a tree: the clinical hand by torques, the upper body by all its muscles."""
import ctypes

import numpy

from . import _api as api
from ._arrays import doubles
from ._library import Error, Handle, check, encode, set_fields, sn
from ._replay import Replay

_METHODS = {"torque": api.SN_PURSUE_TORQUE, "step": api.SN_PURSUE_STEP, "paper": api.SN_PURSUE_PAPER, "body": None}


def facts_of(model, report):
    """What a report says, as numbers and names: its own figures, then those of every run (sinew/trust.h)."""
    plain, trust = (ctypes.c_int32, ctypes.c_double, ctypes.c_bool), report.trust
    facts = {field: getattr(part, field) for part in (report, trust) for field, kind in part._fields_ if kind in plain}
    coordinates, muscles = model.names("coordinate"), model.names("muscle")
    for field in ("worst_angle_coordinate", "unmet_coordinate"):
        facts[field] = coordinates[facts[field]] if facts[field] >= 0 else None
    facts["saturated"] = [name for i, name in enumerate(muscles) if trust.saturated and trust.saturated[i] > 0]
    facts["missed"] = {name: trust.off[i] for i, name in enumerate(coordinates)
                       if trust.off_from and trust.off_from[i] == trust.off_from[i]}
    return facts


def _definition(model):
    pointer = sn.sn_spec_def(model._spec.pointer, api.SN_KIND_MODEL, 0)
    return ctypes.cast(pointer, ctypes.POINTER(api.snModelDef)).contents


def is_tree(model):
    return _definition(model).type == api.SN_MODEL_TREE


def _poses(model, motion):
    if isinstance(motion, Replay):
        raise Error("a model on a tree follows key poses: give the name of a motion or the path of a file", "SN_USAGE")
    definition, error = sn.sn_default_motion_def(), api.snError()
    path = encode(model.path)
    definition.model = path
    poses = ctypes.POINTER(api.snPoses)()
    check(sn.sn_load_motion_poses(encode(motion), ctypes.byref(definition), ctypes.byref(poses), ctypes.byref(error)), error)
    return Handle(poses, sn.sn_poses_destroy)


def _patient(model):
    patient, error = ctypes.POINTER(api.snPatient)(), api.snError()
    check(sn.sn_patient_create(model._spec.pointer, model._pointer, None, ctypes.byref(patient), ctypes.byref(error)), error)
    return Handle(patient, sn.sn_patient_destroy, model._handle)


def track(model, motion, method, levels, callback, recorder, options):
    """(status, error, replay or None). recorder(): a recorder of frames for the method body."""
    if method is None:
        method = "body" if _definition(model).method == api.SN_METHOD_BODY else "torque"
    if method not in _METHODS:
        raise Error(f"{method!r} is none of {', '.join(_METHODS)}", "SN_USAGE")
    poses, run = _poses(model, motion), _steer if method == "body" else _pursue
    return run(model, poses, method, levels, callback, recorder, options)


def _release(model, report):
    facts = facts_of(model, report) if report.trust.memory else {}
    sn.sn_release(report.trust.memory)
    sn.sn_release(report.memory)
    return facts


def _steer(model, poses, _method, levels, callback, recorder, options):
    definition, report, error = sn.sn_default_steer_def(), api.snSteerReport(), api.snError()
    set_fields(options, definition)
    if levels is not None:
        definition.strength = levels.ctypes.data_as(ctypes.POINTER(ctypes.c_double))
    with recorder() as frames:
        def take(_user, _run, state, time):
            try:
                frames.read(state, time)
                return api.SN_OK
            except Error:
                return api.SN_FAILED
        kept = dict(api.snSteerDef._fields_)["frame"](take)
        definition.frame, definition.progress.call = kept, callback
        status = sn.sn_steer(model._pointer, poses.pointer, ctypes.byref(definition), ctypes.byref(report),
                             ctypes.byref(error))
        facts = _release(model, report)
        return status, error, frames.finish(facts) if frames.frames else None


def _pursue(model, poses, method, levels, callback, _recorder, options):
    if levels is not None:
        raise Error(f"strength does not work with method={method!r}; method='body' does it", "SN_USAGE")
    definition, report, error = sn.sn_default_pursue_def(), api.snPursueReport(), api.snError()
    set_fields(options, definition)
    name = encode(model.name)
    definition.method, definition.progress.call, definition.model_name = _METHODS[method], callback, name
    patient, replay = _patient(model), ctypes.POINTER(api.snTrack)()
    status = sn.sn_pursue(patient.pointer, poses.pointer, ctypes.byref(definition), ctypes.byref(replay), ctypes.byref(report),
                          ctypes.byref(error))
    facts = _release(model, report)
    return status, error, Replay(replay, facts) if replay else None


def hold(model, pose):
    """What it takes to hold a pose: see Model.hold."""
    if not is_tree(model):
        raise Error(f"the model {model.name} is made of strands; hold needs one on a tree, such as hand-clinical", "SN_USAGE")
    if isinstance(pose, dict):
        q = numpy.zeros(model.count("coordinate"))
        for name, value in pose.items():
            q[model.index("coordinate", name)] = value
        pose = q
    q, pointer = doubles(pose, model.count("coordinate"), "pose")
    held, patient = api.snHeld(), _patient(model)
    check(sn.sn_hold(patient.pointer, pointer, None, None, ctypes.byref(held)), None, "the pose was refused: it must be finite")
    muscles, coordinates = model.names("muscle"), model.names("coordinate")
    return {"unmet": held.unmet, "unmet_torque": held.unmet_torque, "effort": held.effort, "reserve": held.reserve,
            "activation": {name: held.activation[i] for i, name in enumerate(muscles)},
            "missing": {name: held.missing[i] for i, name in enumerate(coordinates)},
            "pose": numpy.array([held.pose[i] for i in range(len(coordinates))])}

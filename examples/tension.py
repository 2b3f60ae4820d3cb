#!/usr/bin/env python3
"""Plots the tension of a strand over time, through the C library alone (ctypes).

    examples/tension.py MODEL.muscle.xml STRAND OUT.svg [ACTIVATION]

Draws with matplotlib where that is installed (any format it knows) and writes a plain SVG itself where not.
The library is found in SINEW_LIBRARY, in build/ beside this folder, or where the system keeps its libraries.
"""
import ctypes as c
import os
import sys


class View(c.Structure):
    _fields_ = [("data", c.POINTER(c.c_double)), ("rows", c.c_int32), ("columns", c.c_int32), ("writable", c.c_bool)]


class Error(c.Structure):
    _fields_ = [("status", c.c_int), ("line", c.c_int), ("column", c.c_int), ("file", c.c_char * 256),
                ("element", c.c_char * 128), ("message", c.c_char * 512), ("remedy", c.c_char * 256)]


class SimDef(c.Structure):
    _fields_ = [("step", c.c_double), ("threads", c.c_int32), ("solver", c.c_int), ("gravity_scale", c.c_double),
                ("contact_rounds", c.c_int32), ("refine", c.c_int32), ("skip_settle", c.c_bool)]


def load_library():
    beside = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "build", "libsinew.so")
    name = os.environ.get("SINEW_LIBRARY") or (beside if os.path.exists(beside) else "libsinew.so.0")
    sn = c.CDLL(name)
    sn.sn_default_sim_def.restype = SimDef
    sn.sn_time.restype = c.c_double
    sn.sn_status_text.restype = c.c_char_p
    return sn


def check(sn, status, error=None):
    if status != 0:
        text = error.message if error is not None and error.message else sn.sn_status_text(status)
        sys.exit(text.decode())


def simulate(sn, path, strand, activation, seconds=1.0):
    """Times and tensions of the strand, with every muscle at one activation."""
    spec, model, state, error = c.c_void_p(), c.c_void_p(), c.c_void_p(), Error()
    check(sn, sn.sn_load_model(path.encode(), c.byref(spec), c.byref(error)), error)
    check(sn, sn.sn_compile(spec, c.byref(model), c.byref(error)), error)
    check(sn, sn.sn_state_create(model, c.byref(sn.sn_default_sim_def()), c.byref(state), c.byref(error)), error)
    index = sn.sn_find(model, 3, strand.encode())  # 3: SN_ITEM_STRAND
    if index < 0:
        sys.exit(f"the model has no strand {strand}")
    tension, level = View(), View()
    check(sn, sn.sn_field(model, state, b"strand.tension", c.byref(tension)))
    check(sn, sn.sn_field(model, state, b"muscle.activation", c.byref(level)))
    times, values = [], []
    while sn.sn_time(state) < seconds:
        for i in range(level.rows):
            level.data[i] = activation * min(1.0, sn.sn_time(state) / 0.3)
        check(sn, sn.sn_step(model, state))
        times.append(sn.sn_time(state))
        values.append(tension.data[index])
    for destroy, thing in ((sn.sn_state_destroy, state), (sn.sn_model_destroy, model), (sn.sn_spec_destroy, spec)):
        destroy(thing)
    return times, values


def write_svg(times, values, title, out):
    width, height, left, bottom = 640, 360, 70, 50
    top = 1.1 * max(max(values), 1e-9)
    x = [left + (width - left - 20) * t / times[-1] for t in times]
    y = [height - bottom - (height - bottom - 40) * v / top for v in values]
    text = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="13">',
            f'<rect width="{width}" height="{height}" fill="white"/><text x="{left}" y="24">{title}</text>']
    for k in range(6):
        gy = height - bottom - (height - bottom - 40) * k / 5
        gx = left + (width - left - 20) * k / 5
        text.append(f'<line x1="{left}" x2="{width - 20}" y1="{gy:.1f}" y2="{gy:.1f}" stroke="#ddd"/>')
        text.append(f'<text x="{left - 8}" y="{gy + 4:.1f}" text-anchor="end">{top * k / 5:.3g}</text>')
        text.append(f'<text x="{gx:.1f}" y="{height - bottom + 20}" text-anchor="middle">{times[-1] * k / 5:.3g}</text>')
    text.append(f'<text x="{width / 2}" y="{height - 10}" text-anchor="middle">time (s)</text>')
    text.append(f'<text x="16" y="{height / 2}" transform="rotate(-90 16 {height / 2})" text-anchor="middle">tension (N)</text>')
    points = " ".join(f"{a:.2f},{b:.2f}" for a, b in zip(x, y))
    text.append(f'<polyline points="{points}" fill="none" stroke="#0072b2" stroke-width="2"/></svg>')
    with open(out, "w") as file:
        file.write("\n".join(text) + "\n")


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    path, strand, out = sys.argv[1:4]
    activation = float(sys.argv[4]) if len(sys.argv) > 4 else 0.5
    times, values = simulate(load_library(), path, strand, activation)
    title = f"{strand}, activation {activation:g}"
    try:
        import matplotlib
        matplotlib.use("Agg")
        from matplotlib import pyplot
        pyplot.plot(times, values)
        pyplot.title(title)
        pyplot.xlabel("time (s)")
        pyplot.ylabel("tension (N)")
        pyplot.savefig(out)
    except ImportError:
        write_svg(times, values, title, out)
    print(f"{out}: {len(times)} steps, tension {values[-1]:.4g} N at the end")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Plots the tension of a strand over time.

    examples/tension.py MODEL STRAND OUT.svg [ACTIVATION]

Draws with matplotlib where that is installed (any format it knows) and writes a plain SVG itself where not.
"""
import os
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "build", "python"))
import sinew


def simulate(model, strand, activation, seconds=1.0):
    """Times and tensions of the strand, with every muscle brought to one activation within 0.3 s."""
    index, times, values = model.index("strand", strand), [], []
    state = model.state()
    tension = state["strand.tension"]
    while state.time < seconds:
        state["muscle.activation"] = activation * min(1.0, state.time / 0.3)
        state.step()
        times.append(state.time)
        values.append(tension[index])
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


def draw(times, values, title, out):
    try:
        import matplotlib
    except ImportError:
        write_svg(times, values, title, out)
        return
    matplotlib.use("Agg")
    from matplotlib import pyplot
    pyplot.plot(times, values)
    pyplot.title(title)
    pyplot.xlabel("time (s)")
    pyplot.ylabel("tension (N)")
    pyplot.savefig(out)


def main():
    if len(sys.argv) not in (4, 5):
        sys.exit(__doc__)
    path, strand, out = sys.argv[1:4]
    activation = float(sys.argv[4]) if len(sys.argv) == 5 else 0.5
    try:
        times, values = simulate(sinew.load(path), strand, activation)
    except sinew.Error as error:
        sys.exit(str(error))
    draw(times, values, f"{strand}, activation {activation:g}", out)
    print(f"{out}: {len(times)} steps, tension {values[-1]:.4g} N at the end")


if __name__ == "__main__":
    main()

"""Drives the needle of scenes/instrument/needle.scn in and out again and draws its force over the depth:

    python3 examples/python/needle_profile.py needle.svg
"""
import os
import sys

import divan

SCENE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../scenes/instrument/needle.scn")
W, H, LEFT, BOTTOM = 720, 400, 60, 50


def record():
    """(time, depth, force) of every step, up to where the needle is out again"""
    scene = divan.load(SCENE).init()
    needle = scene["/insertion"]
    rows = []
    for _ in range(2000):
        scene.step()
        rows.append((scene.time, needle.depth, needle.force))
    return rows


def draw(rows, path):
    deepest, least, most = max(r[1] for r in rows), min(r[2] for r in rows), max(r[2] for r in rows)
    x = lambda depth: LEFT + (W - LEFT - 20) * depth / deepest
    y = lambda force: H - BOTTOM - (H - BOTTOM - 20) * (force - least) / (most - least)
    phases = [("rise to the puncture, drop", "#c33", lambda t: t < 1.52), ("cutting and friction", "#27a", lambda t: 1.5 <= t <= 9),
              ("at rest", "#e90", lambda t: 9 <= t <= 11), ("drawn out", "#393", lambda t: t >= 11)]
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {W} {H}" font-family="sans-serif" font-size="12">',
           f'<rect width="{W}" height="{H}" fill="white"/>']
    for k in range(0, int(1000 * deepest) + 1, 10):
        out.append(f'<text x="{x(k / 1000):.1f}" y="{H - BOTTOM + 18}" text-anchor="middle">{k}</text>')
    for k in range(-5, 8):
        if least <= k / 10 <= most:
            out.append(f'<line x1="{LEFT}" x2="{W - 20}" y1="{y(k / 10):.1f}" y2="{y(k / 10):.1f}" stroke="#ddd"/>'
                       f'<text x="{LEFT - 6}" y="{y(k / 10) + 4:.1f}" text-anchor="end">{k / 10:.1f}</text>')
    out.append(f'<text x="{(W + LEFT) / 2}" y="{H - 10}" text-anchor="middle">depth of the tip [mm]</text>'
               f'<text transform="translate(16 {H / 2}) rotate(-90)" text-anchor="middle">force along the needle [N]</text>')
    for i, (name, colour, when) in enumerate(phases):
        points = " ".join(f"{x(d):.1f},{y(f):.1f}" for t, d, f in rows if when(t))
        out.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>'
                   f'<text x="{LEFT + 20}" y="{36 + 16 * i}" fill="{colour}">{name}</text>')
    out.append("</svg>")
    with open(path, "w") as f:
        f.write("\n".join(out) + "\n")


if __name__ == "__main__":
    draw(record(), sys.argv[1] if len(sys.argv) > 1 else "needle.svg")

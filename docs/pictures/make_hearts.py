#!/usr/bin/env python3
"""Draws heart-fibres.png (angles of fibres), heart-block.png, heart-reentry.png and heart-beat.png (potentials at some moments) from
scenes/heart, and heart-loop.svg, pressure over volume of some beats. Run it in this folder after `make build`; takes a minute or two."""
import math
import os
import struct
import sys
import zlib

sys.path.insert(0, os.path.join("..", "..", "build", "python"))
import divan

SCENES = os.path.join("..", "..", "scenes", "heart")
WIDTH, HEIGHT = 230, 260


def load(name):
    return divan.load(os.path.join(SCENES, name + ".scn")).init()


def outside(tetrahedra):
    """Faces that one tetrahedron has, turned outwards."""
    faces = {}
    for t in tetrahedra:
        a, b, c, d = (int(i) for i in t)
        for f in ((a, c, b), (a, b, d), (a, d, c), (b, c, d)):
            key = tuple(sorted(f))
            faces[key] = None if key in faces else f
    return [f for f in faces.values() if f]


def colour(u):
    """Blue over white to red for 0 to 1."""
    u = min(max(u, 0.0), 1.0)
    low, mid, high = (52, 84, 150), (240, 236, 226), (178, 40, 40)
    a, b, s = (low, mid, 2 * u) if u < 0.5 else (mid, high, 2 * u - 1)
    return [x + s * (y - x) for x, y in zip(a, b)]


def fill(picture, corners, rgb):
    """A triangle, nearer pixels win; corners are x, y and depth."""
    (x0, y0, z0), (x1, y1, z1), (x2, y2, z2) = corners
    area = (x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0)
    if area == 0:
        return
    for y in range(max(0, math.ceil(min(y0, y1, y2))), min(picture["h"] - 1, math.floor(max(y0, y1, y2))) + 1):
        for x in range(max(0, math.ceil(min(x0, x1, x2))), min(picture["w"] - 1, math.floor(max(x0, x1, x2))) + 1):
            a = ((x1 - x) * (y2 - y) - (x2 - x) * (y1 - y)) / area
            b = ((x2 - x) * (y0 - y) - (x0 - x) * (y2 - y)) / area
            if a < -1e-6 or b < -1e-6 or a + b > 1 + 1e-6:
                continue
            z, at = a * z0 + b * z1 + (1 - a - b) * z2, y * picture["w"] + x
            if z < picture["z"][at]:
                picture["z"][at] = z
                picture["rgb"][3 * at:3 * at + 3] = bytes(rgb)


def body(picture, x, faces, values, left, turn=-0.6, tilt=0.45):
    """Seen from the front and a little from above, the base on top."""
    ct, st, cp, sp = math.cos(turn), math.sin(turn), math.cos(tilt), math.sin(tilt)
    p, scale = [], 2100
    for q in x:
        a, b = q[0] * ct - q[1] * st, q[0] * st + q[1] * ct
        p.append((left + 0.55 * WIDTH + scale * a, 0.38 * HEIGHT - scale * (q[2] * cp + b * sp), scale * (b * cp - q[2] * sp)))
    for f in faces:
        u, v = [p[f[1]][k] - p[f[0]][k] for k in range(3)], [p[f[2]][k] - p[f[0]][k] for k in range(3)]
        n = (u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0])
        size = math.sqrt(sum(k * k for k in n)) or 1
        light = 0.5 + 0.5 * abs(0.3 * n[0] - 0.5 * n[1] - 0.81 * n[2]) / size
        fill(picture, [p[i] for i in f], [int(light * k) for k in colour(sum(values[i] for i in f) / 3)])


def blank(count):
    w = WIDTH * count
    return {"w": w, "h": HEIGHT, "rgb": bytearray(b"\xff" * (3 * w * HEIGHT)), "z": [1e300] * (w * HEIGHT)}


def write(name, picture):
    """A PNG file."""
    w, h = picture["w"], picture["h"]
    rows = b"".join(b"\0" + bytes(picture["rgb"][3 * w * y:3 * w * (y + 1)]) for y in range(h))
    chunk = lambda kind, data: struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    with open(name, "wb") as f:
        f.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", w, h, 8, 2, 0, 0, 0)) +
                chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b""))


def fibres():
    scene, picture = load("fibres"), blank(2)
    faces = outside(scene["/mesh"].tetrahedra)
    angle = [0.5 + a / 140 for a in scene["/fibres"].helixAngle]
    x = [list(p) for p in scene["/mesh"].position]
    body(picture, x, faces, angle, 0)
    body(picture, x, faces, angle, WIDTH, 1.2, 0.9)
    write("heart-fibres.png", picture)


def moments(name, times, mesh, potential, shape):
    scene, done, picture = load(name), 0, blank(len(times))
    faces = outside(scene[mesh].tetrahedra)
    for k, step in enumerate(times):
        scene.step(step - done)
        done = step
        x = [list(p) for p in (scene[shape] if shape else scene[mesh]).position]
        body(picture, x, faces, [float(u) for u in scene[potential].potential], WIDTH * k)
    write(f"heart-{name}.png", picture)


def loop(steps):
    scene = load("beat")
    left, points = scene["/Heart/left"], []
    for _ in range(steps):
        scene.step(1)
        points.append((1e6 * left.volume, 1e-3 * left.pressure))
    w, h, vmax, pmax = 520, 330, max(p[0] for p in points) * 1.05, max(p[1] for p in points) * 1.1
    at = lambda v, p: f"{50 + v / vmax * (w - 70):.1f} {h - 40 - max(p, -1) / pmax * (h - 60):.1f}"
    text = f'<path d="M{" L".join(at(*p) for p in points)}" fill="none" stroke="#b03030" stroke-width="1.4"/>'
    text += f'<path d="M{at(0, pmax)} L{at(0, 0)} L{at(vmax, 0)}" fill="none" stroke="#333"/>'
    for v in range(0, int(vmax), 25):
        x, y = at(v, 0).split()
        text += f'<text x="{x}" y="{float(y) + 16}" font-size="11" text-anchor="middle">{v}</text>'
    for p in range(0, int(pmax), 5):
        x, y = at(0, p).split()
        text += f'<text x="{float(x) - 8}" y="{float(y) + 4}" font-size="11" text-anchor="end">{p}</text>'
    text += f'<text x="{w / 2}" y="{h - 8}" font-size="12" text-anchor="middle">volume [ml]</text>'
    text += f'<text x="12" y="{h / 2}" font-size="12" transform="rotate(-90 12 {h / 2})" text-anchor="middle">pressure [kPa]</text>'
    with open("heart-loop.svg", "w") as f:
        f.write(f'<svg xmlns="http://www.w3.org/2000/svg" width="{w}" height="{h}" font-family="sans-serif">'
                f'<rect width="{w}" height="{h}" fill="#fff"/>{text}</svg>\n')


if __name__ == "__main__":
    what = sys.argv[1:] or ["fibres", "block", "reentry", "beat", "loop"]
    if "fibres" in what:
        fibres()
    if "block" in what:
        moments("block", [8, 20, 166, 174], "/mesh", "/fronts", None)
    if "reentry" in what:
        moments("reentry", [90, 110, 130, 150], "/mesh", "/fronts", None)
    if "beat" in what:
        moments("beat", [9, 18, 28, 40], "/Heart/mesh", "/Heart/ElecNode/fronts", "/Heart/shape")
    if "loop" in what:
        loop(240)

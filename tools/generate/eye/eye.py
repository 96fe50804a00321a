#!/usr/bin/env python3
"""eye.py DIRECTORY [--seed N]: an eye of Divan's own, ready for a capsulorhexis.

The front of the lens capsule (capsule.obj, triangles of about 0.27 mm whose outer ring, the last points, the zonules hold), the
lens under it, iris, sclera and cornea, and the circle that a tear is led along (circle.obj). Millimetres are those of an adult's eye: the lens 9.4 mm wide and 4.4 mm thick, the pupil
dilated to 7.4 mm, the front chamber 3 mm deep. The same seed gives the same bytes; another one another mesh and iris. All lengths
in the files are metres."""
import argparse
import math
import os
import random

CURVE = 10.0             # radius of the front of the lens
LENS = (4.7, 2.2)        # radii of the lens across and, behind, along the axis
CAPSULE = 4.4            # mm from the axis, where the zonules hold the capsule
CORNEA = (7.8, 3.1)      # radius, height of its top above the capsule
LIMBUS = 5.9             # mm from the axis
PUPIL = 3.7
RINGS = 16
CIRCLE = (2.55, 2.65)    # mm from the axis: the mark along which the capsule is opened


def dome(r):
    """height of the front of the lens at a distance from the axis; the top is at 0"""
    return math.sqrt(CURVE ** 2 - r ** 2) - CURVE


def cornea(r):
    return CORNEA[1] - CORNEA[0] + math.sqrt(max(0.0, CORNEA[0] ** 2 - r ** 2))


def disc(rings, radius, shift, rnd, first=0.0):
    """points in rings of growing number around the axis, moved by up to `shift` of their spacing, and triangles between rings"""
    points, starts, counts = [], [], []
    for i in range(rings + 1):
        r = first + (radius - first) * i / rings
        count = 1 if r == 0 else max(6, round(2 * math.pi * r / ((radius - first) / rings)))
        starts.append(len(points)), counts.append(count)
        turn = rnd.random() * 2 * math.pi
        for k in range(count):
            a, d = turn + 2 * math.pi * k / count, (radius - first) / rings
            inner = 0 < i < rings
            x = r * math.cos(a) + (rnd.uniform(-shift, shift) * d if inner else 0)
            y = r * math.sin(a) + (rnd.uniform(-shift, shift) * d if inner else 0)
            points.append((x, y))
    triangles = []
    for i in range(rings):
        triangles += between(points, starts[i], counts[i], starts[i + 1], counts[i + 1])
    return points, triangles, starts[rings]


def between(points, a, n, b, m):
    """triangles between two rings: the shorter diagonal each time"""
    angle = [math.atan2(p[1], p[0]) % (2 * math.pi) for p in points]
    if n == 1:
        return [(a, b + k, b + (k + 1) % m) for k in range(m)]
    order_a = sorted(range(n), key=lambda k: angle[a + k])
    order_b = sorted(range(m), key=lambda k: angle[b + k])
    i = j = 0
    out = []
    turned = lambda order, base, k: angle[base + order[k % len(order)]] + 2 * math.pi * (k // len(order))
    while i < n or j < m:
        p, q = a + order_a[i % n], b + order_b[j % m]
        if j == m or (i < n and turned(order_a, a, i + 1) < turned(order_b, b, j + 1)):
            out.append((p, q, a + order_a[(i + 1) % n]))
            i += 1
        else:
            out.append((p, q, b + order_b[(j + 1) % m]))
            j += 1
    return out


def write(path, points, triangles):
    with open(path, "w") as f:
        for p in points:
            f.write("v %.9g %.9g %.9g\n" % tuple(0.001 * c for c in p))
        for t in triangles:
            f.write("f %d %d %d\n" % tuple(i + 1 for i in t))


def lens(rnd):
    points, triangles, _ = disc(12, LENS[0] - 0.1, 0, rnd)
    front = [(x, y, dome(math.hypot(x, y)) - 0.06) for x, y in points]
    edge = dome(LENS[0] - 0.1) - 0.06
    back = [(x, y, edge - LENS[1] * 1.4 * math.sqrt(max(0, 1 - (math.hypot(x, y) / (LENS[0] - 0.1)) ** 2))) for x, y in points]
    n = len(points)
    return front + back, triangles + [(a + n, c + n, b + n) for a, b, c in triangles]


def ring(rnd, inner, outer, rings, height, shift=0.0):
    points, triangles, _ = disc(rings, outer, shift, rnd, inner)
    return [(x, y, height(math.hypot(x, y))) for x, y in points], triangles


def rod(sections):
    """a rod along z: (z, radius, x of its middle) of each section, closed at both ends"""
    points, faces, n = [], [], 8
    for z, r, x in sections:
        points += [(x + r * math.cos(2 * math.pi * k / n), r * math.sin(2 * math.pi * k / n), z) for k in range(n)]
    for s in range(len(sections) - 1):
        for k in range(n):
            a, b, c, d = s * n + k, s * n + (k + 1) % n, (s + 1) * n + k, (s + 1) * n + (k + 1) % n
            faces += [(a, b, d), (a, d, c)]
    for s, turn in ((0, 1), (len(sections) - 1, 0)):
        for k in range(1, n - 1):
            t = (s * n, s * n + k, s * n + k + 1)
            faces.append(t[::-1] if turn else t)
    return points, faces


def join(*meshes):
    points, faces = [], []
    for p, f in meshes:
        faces += [tuple(i + len(points) for i in t) for t in f]
        points += p
    return points, faces


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("directory")
    arguments.add_argument("--seed", type=int, default=1)
    given = arguments.parse_args()
    rnd = random.Random(given.seed)
    os.makedirs(given.directory, exist_ok=True)
    place = lambda name: os.path.join(given.directory, name + ".obj")

    points, triangles, rim = disc(RINGS, CAPSULE, 0.12, rnd)
    write(place("capsule"), [(x, y, dome(math.hypot(x, y))) for x, y in points], triangles)
    write(place("lens"), *lens(rnd))
    # folds of the iris run from the pupil outwards
    folds = [(rnd.randint(20, 60), rnd.uniform(0, 6.28), rnd.uniform(0.01, 0.04)) for _ in range(5)]
    iris, faces = ring(rnd, PUPIL, LIMBUS + 0.2, 6, lambda r: 0.25 + 0.1 * (r - PUPIL))
    wave = lambda p: sum(h * math.sin(k * math.atan2(p[1], p[0]) + s) for k, s, h in folds)
    write(place("iris"), [(x, y, z + wave((x, y))) for x, y, z in iris], faces)
    write(place("cornea"), *ring(rnd, 0, LIMBUS, 10, cornea))
    ball = 11.5
    low = cornea(LIMBUS) - math.sqrt(ball ** 2 - LIMBUS ** 2)
    write(place("sclera"), *ring(rnd, LIMBUS, 10.5, 6, lambda r: low + math.sqrt(ball ** 2 - r ** 2)))
    # a line over the capsule
    turns = [2 * math.pi * k / 96 for k in range(96)]
    write(place("circle"), [(r * math.cos(a), r * math.sin(a), dome(r) + 0.06) for a in turns for r in CIRCLE],
          [t for k in range(96) for t in ((2 * k, 2 * k + 1, (2 * k + 3) % 192), (2 * k, (2 * k + 3) % 192, (2 * k + 2) % 192))])
    # the origin of a tool is its tip, its shaft runs along z
    write(place("needle"), *join(rod([(0, 0.01, 0), (0.25, 0.09, 0), (0.6, 0.16, 0), (14, 0.16, 0), (14.5, 0.5, 0), (40, 0.5, 0)])))
    jaws = [rod([(-0.05, 0.04, 0.03 * k), (1, 0.07, 0.12 * k), (3, 0.12, 0.12 * k)]) for k in (-1, 1)]
    write(place("forceps"), *join(*jaws, rod([(2.8, 0.25, 0), (14, 0.25, 0), (14.5, 0.7, 0), (40, 0.7, 0)])))
    print(f"{len(points)} points and {len(triangles)} triangles of the capsule, held by points {rim} to {len(points) - 1}")


if __name__ == "__main__":
    main()

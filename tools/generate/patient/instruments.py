#!/usr/bin/env python3
"""instruments.py DIRECTORY: writes the looks of instruments for scenes/anatomy: grasper.obj, laparoscope.obj, trocar.obj, cautery.obj.

Each is round and lies along z, with its tip at the origin and its shaft towards +z; a trocar has the point about which instruments
turn at the origin. Lengths are in metres."""
import math
import os
import sys

AROUND = 20


class Mesh:
    def __init__(self):
        self.points, self.faces = [], []

    def turned(self, profile, centre=(0, 0), around=AROUND):
        """a profile of (radius, z), turned about an axis along z; ends with radius 0 are closed"""
        first = len(self.points)
        for r, z in profile:
            for k in range(around):
                a = 2 * math.pi * k / around
                self.points.append((centre[0] + r * math.cos(a), centre[1] + r * math.sin(a), z))
        for i in range(len(profile) - 1):
            for k in range(around):
                a, b = first + i * around + k, first + i * around + (k + 1) % around
                c, d = a + around, b + around
                if profile[i][0] > 0:
                    self.faces.append((a, b, d))
                if profile[i + 1][0] > 0:
                    self.faces.append((a, d, c))

    def box(self, low, high, shear=(0, 0)):
        """a box whose face at the larger z is shifted by `shear`"""
        first = len(self.points)
        for z, sx, sy in ((low[2], 0, 0), (high[2], *shear)):
            self.points += [(low[0] + sx, low[1] + sy, z), (high[0] + sx, low[1] + sy, z), (high[0] + sx, high[1] + sy, z),
                            (low[0] + sx, high[1] + sy, z)]
        for q in ((0, 3, 2, 1), (4, 5, 6, 7), (0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7)):
            a, b, c, d = (first + k for k in q)
            self.faces += [(a, b, c), (a, c, d)]

    def write(self, path, what):
        with open(path, "w") as f:
            f.write(f"# {what}: made by tools/generate/patient/instruments.py, m\n")
            f.writelines("v %.6g %.6g %.6g\n" % p for p in self.points)
            f.writelines("f %d %d %d\n" % tuple(k + 1 for k in face) for face in self.faces)


def main():
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    grasper = Mesh()
    grasper.turned([(0, 0.012), (0.0022, 0.012), (0.0025, 0.0125), (0.0025, 0.2), (0.007, 0.204), (0.007, 0.25), (0.004, 0.256), (0, 0.256)])
    for side in (-1, 1):   # jaws that stand open a little
        low, high = sorted((side * 0.0028, side * 0.0044))
        grasper.box((-0.0016, low, 0), (0.0016, high, 0.0125), (0, -side * 0.0022))
    grasper.write(os.path.join(folder, "grasper.obj"), "a grasper")
    scope = Mesh()
    scope.turned([(0, 0.0015), (0.0036, 0.0015), (0.0038, 0), (0.005, 0), (0.005, 0.17), (0.009, 0.175), (0.009, 0.22), (0.013, 0.224),
                  (0.013, 0.26), (0, 0.26)])
    scope.turned([(0.004, 0.185), (0.004, 0.192), (0, 0.192)], (0, 0.01))
    scope.write(os.path.join(folder, "laparoscope.obj"), "a laparoscope")
    trocar = Mesh()
    trocar.turned([(0.0056, -0.012), (0.0066, -0.010), (0.0066, 0.014), (0.014, 0.018), (0.014, 0.03), (0.0056, 0.03), (0.0056, -0.012)])
    trocar.write(os.path.join(folder, "trocar.obj"), "a trocar")
    cautery = Mesh()
    cautery.turned([(0, 0.036), (0.0026, 0.036), (0.0036, 0.039), (0.0036, 0.11), (0.0062, 0.114), (0.0062, 0.2), (0, 0.203)])
    cautery.write(os.path.join(folder, "cautery.obj"), "the shaft of a cautery")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Writes a closed surface like a thigh bone, 0.42 m long: rings around a bent line, two knobs at the lower end, a neck and a head at the
upper one.   tools/generate/bone/bone.py > scenes/mesh/bone.obj"""
import math

AROUND = 20
# height, centre x, centre y, radius along x, radius along y
RINGS = [(0.000, 0.000, 0.000, 0.020, 0.014), (0.008, 0.000, 0.000, 0.036, 0.026), (0.025, 0.000, -0.002, 0.041, 0.031),
         (0.045, 0.000, -0.002, 0.038, 0.028), (0.070, 0.001, 0.000, 0.027, 0.020), (0.100, 0.002, 0.003, 0.018, 0.015),
         (0.150, 0.003, 0.007, 0.014, 0.013), (0.200, 0.004, 0.009, 0.0135, 0.013), (0.250, 0.004, 0.008, 0.014, 0.0135),
         (0.300, 0.003, 0.005, 0.016, 0.015), (0.335, 0.002, 0.002, 0.022, 0.018), (0.358, 0.006, 0.000, 0.027, 0.019),
         (0.376, 0.014, 0.000, 0.023, 0.016), (0.388, 0.024, 0.000, 0.018, 0.014), (0.396, 0.034, 0.000, 0.020, 0.019),
         (0.406, 0.042, 0.000, 0.022, 0.022), (0.416, 0.047, 0.000, 0.018, 0.018), (0.421, 0.049, 0.000, 0.009, 0.009)]


def main():
    print("# a bone, made by tools/generate/bone/bone.py; metres")
    for z, x, y, a, b in RINGS:
        for k in range(AROUND):
            t = 2 * math.pi * k / AROUND
            print(f"v {x + a * math.cos(t):.5f} {y + b * math.sin(t):.5f} {z:.5f}")
    for z, x, y, _, _ in (RINGS[0], RINGS[-1]):
        print(f"v {x:.5f} {y:.5f} {z:.5f}")
    bottom, top = AROUND * len(RINGS) + 1, AROUND * len(RINGS) + 2
    for r in range(len(RINGS) - 1):
        for k in range(AROUND):
            a, b = AROUND * r + k + 1, AROUND * r + (k + 1) % AROUND + 1
            print(f"f {a} {b} {b + AROUND}\nf {a} {b + AROUND} {a + AROUND}")
    for k in range(AROUND):
        n = (k + 1) % AROUND
        print(f"f {bottom} {n + 1} {k + 1}")
        print(f"f {top} {AROUND * (len(RINGS) - 1) + k + 1} {AROUND * (len(RINGS) - 1) + n + 1}")


if __name__ == "__main__":
    main()

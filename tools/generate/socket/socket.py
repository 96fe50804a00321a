#!/usr/bin/env python3
"""A block with a round hole for a peg, in metres: radius 10.1 mm, 30 mm deep, with a chamfer of 1 mm; closed, normals out.
tools/generate/socket/socket.py > scenes/mesh/socket.obj"""
import math

SIDES = 96
PROFILE = [(10.1, -30), (10.1, -1), (11.1, 0), (14, 0), (14, -34)]   # radius and height, mm; closed at both ends


def main():
    print("# made by tools/generate/socket/socket.py")
    for r, y in PROFILE:
        for k in range(SIDES):
            a = 2 * math.pi * k / SIDES
            print(f"v {0.001 * r * math.cos(a):.9f} {0.001 * y:.9f} {0.001 * r * math.sin(a):.9f}")
    for y in (PROFILE[0][1], PROFILE[-1][1]):
        print(f"v 0 {0.001 * y:.9f} 0")
    rows = len(PROFILE)
    for i in range(rows - 1):
        for k in range(SIDES):
            a, b = i * SIDES + k + 1, i * SIDES + (k + 1) % SIDES + 1
            print(f"f {a} {b + SIDES} {a + SIDES}")
            print(f"f {a} {b} {b + SIDES}")
    floor, under = rows * SIDES + 1, rows * SIDES + 2
    for k in range(SIDES):
        a, b = k + 1, (k + 1) % SIDES + 1
        print(f"f {floor} {b} {a}")
        print(f"f {under} {(rows - 1) * SIDES + a} {(rows - 1) * SIDES + b}")


main()

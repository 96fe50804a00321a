#!/usr/bin/env python3
"""Where should the lead of a pacemaker go? Tries places around the left ventricle of scenes/heart/block.scn and tells how long
excitation takes with each: the sooner the last point is excited, the better.

    PYTHONPATH=build/python python3 examples/python/pacing.py
"""
import math
import os

import divan

SCENE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "scenes", "heart", "block.scn")


def last_excitation(place):
    """Seconds from the stimulus to the last point, with one lead at a place; None: without."""
    scene = divan.load(SCENE).init()
    if place:   # otherwise both leads wait for the second beat
        scene["/lead1"].start = 0.0
        scene["/lead1"].center = [place]
        scene["/lead1"].reinit()
    scene.step(40)
    return max(scene["/fronts"].activation)


if __name__ == "__main__":
    alone = last_excitation(None)
    print(f"without a lead: {1e3 * alone:.0f} ms")
    best = None
    for height in (0.01, -0.02):
        for degrees in range(-90, 91, 45):
            r, v = 0.033 * math.sqrt(1 - (height / 0.075) ** 2), math.radians(degrees)
            place = [r * math.cos(v), r * math.sin(v), height]
            time = last_excitation(place)
            print(f"lead at {degrees:4d} degrees, height {1e3 * height:4.0f} mm: {1e3 * time:.0f} ms")
            best = min(best or (time, place), (time, place))
    print(f"best: {1e3 * best[0]:.0f} ms at {' '.join(f'{x:.3f}' for x in best[1])}")

#!/usr/bin/env python3
"""surgeon.py SCENE DIRECTORY [--wrong]: performs the resection of a scene (scenes/anatomy/resection/scene.scn) and records both hands.

Writes cautery.motion and grasper.motion (wrong-cautery.motion, wrong-grasper.motion with --wrong), which GeomagicEmulator plays. The
surgeon grasps the tip of the segment, draws the cautery from the front to the back and to the front again, one layer below the other,
until the segment is free, and lifts it. Each place is followed as the tissue moves. With --wrong the cut goes through the middle of the
liver. Needs PYTHONPATH to hold Divan's module, and numpy."""
import argparse
import os
import re

import divan
import numpy

STEP = 0.02       # s
LAYER = 0.024     # m, from one stroke to the next below
HEAD = "# time (s), place of the hand (mm), quaternion, buttons: recorded by tools/generate/patient/surgeon.py\n"


class Surgeon:
    def __init__(self, path):
        folder = os.path.dirname(os.path.abspath(path))
        with open(path) as f:
            text = f.read()
        for name in re.findall(r'<include href="(.*?)"/>', text):
            with open(os.path.join(folder, name)) as f:
                text = text.replace(f'<include href="{name}"/>', re.sub(r"<\?xml.*?-->", "", f.read(), flags=re.S))
        # hands that follow this program instead of a recording
        text = re.sub(r"<GeomagicEmulator.*?/>|<Procedure.*?/>", "", text, flags=re.S)
        text = re.sub(r'driver="@/(left|right)"', "", text)
        text = re.sub(r'position="@/(left|right).positionDevice"', 'position="0 0.3 0 0 0 0 1"', text)
        self.scene = divan.parse(text, context=divan.Context(data=[folder]))
        self.tools = {"right": "/Tools/Cautery/tool", "left": "/Tools/Grasper/tool"}
        self.hands = {"right": numpy.array([-0.05, 0.16, 0.12]), "left": numpy.array([-0.22, 0.08, 0.0])}
        self.on = {"right": 0, "left": 0}
        self.lines = {"right": [], "left": []}
        self.scene.init()
        self.dofs, self.parts = self.scene["/Body/liver/dofs"], self.scene["/Body/liver/parts"]
        self.set_hands()
        self.rest = self.points("rest_position")
        self.record()

    def points(self, name):
        return numpy.array(getattr(self.dofs, name), dtype=float).reshape(-1, 3)

    def set_hands(self):
        for name, path in self.tools.items():
            self.scene[path].position = [[*self.hands[name], 0, 0, 0, 1]]
        self.scene["/Body/liver/cautery"].active = bool(self.on["right"])
        self.scene["/Body/jaws"].closed = bool(self.on["left"])

    def record(self):
        for name, at in self.hands.items():
            self.lines[name].append("%.2f %.3f %.3f %.3f 0 0 0 1 %d" % (self.scene.time, *(1000 * at), self.on[name]))

    def step(self):
        self.set_hands()
        self.scene.step()
        self.record()

    def wait(self, seconds):
        for _ in range(round(seconds / STEP)):
            self.step()

    def now(self, place):
        """where a place of the shape at rest is, by the points around it"""
        rest, x = self.points("rest_position"), self.points("position")
        away = ((rest - place) ** 2).sum(1)
        near = numpy.argsort(away, kind="stable")[:12]
        weight = 1 / (away[near] + 1e-5)
        return place + (weight[:, None] * (x[near] - rest[near])).sum(0) / weight.sum()

    def move(self, name, to, speed, follow=False):
        """a place at rest is followed, another one is not"""
        at = self.hands[name].copy()
        place = to if not follow else numpy.array(to)
        for _ in range(100000):
            goal = self.now(place) if follow else numpy.array(to)
            d = goal - self.hands[name]
            far = numpy.linalg.norm(d)
            if far < 1e-6 or (follow and far < 0.0005):
                break
            self.hands[name] = goal if far <= speed * STEP else self.hands[name] + d * speed * STEP / far
            self.step()
        return at

    def stroke(self, x, y, z0, z1, speed):
        """from z0 to z1 of the shape at rest"""
        length = abs(z1 - z0)
        for k in range(1, round(length / (speed * STEP)) + 1):
            z = z0 + (z1 - z0) * k * speed * STEP / length
            self.hands["right"] = self.now(numpy.array([x, y, z]))
            self.step()

    # --- what is done ---

    def grasp(self):
        tip = self.rest[numpy.argmin(self.rest[:, 0])] + numpy.array([0.012, 0, 0])
        self.move("left", self.now(tip) + numpy.array([-0.03, 0, 0]), 0.2)
        self.move("left", tip, 0.1, follow=True)
        self.on["left"] = 1
        self.wait(0.3)
        print("holds %d points at %.2f s" % (self.scene["/Body/jaws"].held, self.scene.time), flush=True)

    def cut(self, x):
        near = self.rest[abs(self.rest[:, 0] - x) < 0.015]
        low, high = near.min(0), near.max(0)
        ends = [high[2] + 0.015, low[2] - 0.015]
        y = high[1] - LAYER
        while self.parts.parts < 2 and y > low[1] - LAYER:
            self.move("right", self.now(numpy.array([x, y, ends[0]])), 0.15)
            self.on["right"] = 1
            self.stroke(x, y, ends[0], ends[1], 0.06)
            self.on["right"] = 0
            self.wait(0.1)
            print("layer at %.3f: %d parts, %d cuts, %.1f ml resected, %.2f s" % (
                y, self.parts.parts, self.scene["/Body/liver/cautery"].cuts, 1e6 * self.parts.resected, self.scene.time), flush=True)
            ends.reverse()
            y -= LAYER
        self.move("right", self.hands["right"] + numpy.array([0, 0, 0.03 if ends[0] > ends[1] else -0.03]), 0.2)
        self.move("right", [0.02, 0.2, 0.1], 0.25)

    def take_away(self):
        x, y, z = self.hands["left"]
        self.move("left", [x - 0.03, y, z], 0.06)
        self.move("left", [x - 0.04, 0.13, z], 0.08)
        self.wait(0.4)


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("scene")
    arguments.add_argument("directory")
    arguments.add_argument("--wrong", action="store_true")
    given = arguments.parse_args()
    surgeon = Surgeon(given.scene)
    surgeon.grasp()
    surgeon.cut(0.0 if given.wrong else -0.052)
    surgeon.take_away()
    p = surgeon.parts
    print("parts %d, remaining %.1f ml, resected %.1f ml, after %.1f s" % (p.parts, 1e6 * p.remaining, 1e6 * p.resected, surgeon.scene.time))
    for hand, tool in ("right", "cautery"), ("left", "grasper"):
        with open(os.path.join(given.directory, ("wrong-" if given.wrong else "") + tool + ".motion"), "w") as f:
            f.write(HEAD + "\n".join(surgeon.lines[hand]) + "\n")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""surgeon.py SCENE DIRECTORY [--wire] [--wrong]: performs a resection (scenes/anatomy/resection) and records both hands.

Writes cautery.motion and grasper.motion, which GeomagicEmulator plays. The surgeon grasps the tip of the segment, draws the cautery
from the front to the back and to the front again, one layer below the other, until the segment is free, and lifts it. Each place is
followed as the tissue moves. With --wire (grid.scn) one stroke goes all the way down: wire-cautery.motion, wire-grasper.motion. With
--wrong the cut goes through the middle of the liver: wrong-... Needs PYTHONPATH to hold Divan's module."""
import argparse
import heapq
import math
import os
import re

import divan

STEP = 0.02       # s
LAYER = 0.03      # m, from one stroke to the next below
HEAD = "# time (s), place of the hand (mm), quaternion, buttons: recorded by tools/generate/patient/surgeon.py\n"


def triples(values):
    flat = [float(c) for v in values for c in (v if hasattr(v, "__len__") else [v])]
    return [flat[i:i + 3] for i in range(0, len(flat), 3)]


def plus(a, b):
    return [p + q for p, q in zip(a, b)]


def shorten(lines):
    """without those between two at which the hand is the same"""
    what = [line.split(" ", 1)[1] for line in lines]
    return [l for i, l in enumerate(lines) if i in (0, len(lines) - 1) or not what[i - 1] == what[i] == what[i + 1]]


class Surgeon:
    def __init__(self, path, wire):
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
        self.hands = {"right": [-0.05, 0.16, 0.12], "left": [-0.22, 0.08, 0.0]}
        self.turns = {"right": [0, 0, 0, 1], "left": [0, 0, 0, 1]}
        self.on = {"right": 0, "left": 0}
        self.lines = {"right": [], "left": []}
        self.wire = wire
        self.scene.init()
        self.dofs, self.parts = self.scene["/Body/liver/dofs"], self.scene["/Body/liver/parts"]
        self.set_hands()
        self.rest = triples(self.dofs.rest_position)
        self.record()

    def set_hands(self):
        for name, path in self.tools.items():
            self.scene[path].position = [[*self.hands[name], *self.turns[name]]]
        self.scene["/Body/liver/cautery"].active = bool(self.on["right"])
        self.scene["/Body/jaws"].closed = bool(self.on["left"])

    def record(self):
        for name, at in self.hands.items():
            self.lines[name].append("%.2f %.3f %.3f %.3f %.5f %.5f %.5f %.5f %d" % (
                self.scene.time, *(1000 * c for c in at), *self.turns[name], self.on[name]))

    def step(self):
        self.set_hands()
        self.scene.step()
        self.record()

    def wait(self, seconds):
        for _ in range(round(seconds / STEP)):
            self.step()

    def now(self, place):
        """where a place of the shape at rest is, by the points around it"""
        rest, x = triples(self.dofs.rest_position), triples(self.dofs.position)
        near = heapq.nsmallest(12, ((math.dist(p, place) ** 2, i) for i, p in enumerate(rest)))
        total, moved = 0, [0, 0, 0]
        for away, i in near:
            weight = 1 / (away + 1e-5)
            total += weight
            moved = [m + weight * (b - a) for m, a, b in zip(moved, rest[i], x[i])]
        return [p + m / total for p, m in zip(place, moved)]

    def move(self, name, to, speed):
        while math.dist(self.hands[name], to) > 1e-6:
            far = math.dist(self.hands[name], to)
            self.hands[name] = [a + (b - a) * min(1, speed * STEP / far) for a, b in zip(self.hands[name], to)]
            self.step()

    def hold(self, place):
        """the cautery at a place of the shape at rest, along what is upright there"""
        tip, top = self.now(place), self.now(plus(place, [0, 0.15 if self.wire else 0.036, 0]))
        up = [(b - a) / math.dist(tip, top) for a, b in zip(tip, top)]
        turn = [up[2], 0, -up[0], 1 + up[1]]   # takes y there, the shortest way
        size = math.sqrt(sum(c * c for c in turn))
        self.hands["right"], self.turns["right"] = tip, [c / size for c in turn]

    def stroke(self, x, y, z0, z1, speed):
        """from z0 to z1 of the shape at rest"""
        length = abs(z1 - z0)
        for k in range(1, round(length / (speed * STEP)) + 1):
            self.hold([x, y, z0 + (z1 - z0) * k * speed * STEP / length])
            self.step()

    # --- what is done ---

    def grasp(self):
        tip = plus(min(self.rest), [0.012, 0, 0])
        self.move("left", plus(self.now(tip), [-0.03, 0, 0]), 0.15)
        self.move("left", self.now(tip), 0.06)
        self.on["left"] = 1
        self.wait(0.4)
        print("holds %d points at %.2f s" % (self.scene["/Body/jaws"].held, self.scene.time), flush=True)

    def cut(self, x):
        near = [p for p in self.rest if abs(p[0] - x) < 0.015]
        low, high = [min(p[k] for p in near) for k in range(3)], [max(p[k] for p in near) for k in range(3)]
        ends = [high[2] + 0.015, low[2] - 0.015]
        y = low[1] - 0.012 if self.wire else high[1] - LAYER
        while self.parts.resected < 1e-4 and y > low[1] - LAYER:
            self.move("right", self.now([x, y, ends[0]]), 0.15)
            self.on["right"] = 1
            self.stroke(x, y, ends[0], ends[1], 0.03 if self.wire else 0.04)
            self.on["right"] = 0
            self.wait(0.1)
            print("layer at %.3f: %d parts, %d cuts, %.1f ml resected, quality %.2g, %.2f s" % (
                y, self.parts.parts, self.scene["/Body/liver/cautery"].cuts, 1e6 * self.parts.resected,
                self.scene["/Body/liver/cautery"].quality, self.scene.time), flush=True)
            ends.reverse()
            y -= LAYER
        self.move("right", plus(self.hands["right"], [0, 0, 0.04 if ends[0] > ends[1] else -0.04]), 0.2)
        self.move("right", [0.05, 0.2, 0.12 if ends[0] > ends[1] else -0.12], 0.2)

    def take_away(self):
        x, y, z = self.hands["left"]
        self.move("left", [x - 0.03, y, z], 0.05)
        self.move("left", [x - 0.04, 0.13, z], 0.05)
        self.wait(0.4)


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("scene")
    arguments.add_argument("directory")
    arguments.add_argument("--wire", action="store_true")
    arguments.add_argument("--wrong", action="store_true")
    given = arguments.parse_args()
    surgeon = Surgeon(given.scene, given.wire)
    surgeon.grasp()
    surgeon.cut(0.01 if given.wrong else -0.052)
    surgeon.take_away()
    p = surgeon.parts
    print("parts %d, remaining %.1f ml, resected %.1f ml, after %.1f s" % (p.parts, 1e6 * p.remaining, 1e6 * p.resected, surgeon.scene.time))
    before = ("wire-" if given.wire else "") + ("wrong-" if given.wrong else "")
    for hand, tool in ("right", "cautery"), ("left", "grasper"):
        with open(os.path.join(given.directory, before + tool + ".motion"), "w") as f:
            f.write(HEAD + "\n".join(shorten(surgeon.lines[hand])) + "\n")


if __name__ == "__main__":
    main()

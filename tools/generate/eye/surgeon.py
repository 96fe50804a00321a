#!/usr/bin/env python3
"""surgeon.py SCENE DIRECTORY [--wrong | --forceps]: performs the capsulorhexis of a scene and records both hands.

Writes needle.motion and forceps.motion (wrong-needle.motion, wrong-forceps.motion with --wrong), which GeomagicEmulator plays. The
surgeon pierces the capsule, leads the tear along the circle with the needle until it closes, grasps the disc and takes it out. With
--wrong the needle stops after half of the circle, and the flap is pulled outwards with the forceps, as beginners do: the tear runs out.
With --forceps the needle begins the tear, and the forceps lead it all around: led-needle.motion, led-forceps.motion. Needs PYTHONPATH to hold Divan's module."""
import argparse
import math
import os
import re
import tempfile

import divan

RADIUS = 2.6      # mm, of the circle
FAR = 0.0042      # m, where a tear has run out beyond doubt
SLACK = 0.985     # lengths of the capsule at rest over those in the eye
STEP = 0.02       # s


def length(a):
    return math.sqrt(sum(c * c for c in a))


def towards(a, b, most):
    d = [q - p for p, q in zip(a, b)]
    far = length(d)
    return list(b) if far <= most else [p + most / far * c for p, c in zip(a, d)]


class Surgeon:
    """Works in the scene as it is played: each step is made by what is recorded so far, from the state that the last one has left."""

    def __init__(self, path, names):
        with open(path) as f:
            self.text = f.read()
        self.names, self.folder = names, tempfile.TemporaryDirectory()
        for name, file in names.items():
            self.text = re.sub(r'motion="[^"]*?%s.motion"' % ("needle" if name == "left" else "forceps"), 'motion="%s"' % file, self.text)
        self.context = divan.Context(data=[self.folder.name, os.path.dirname(os.path.abspath(path))])
        self.hands = {"left": [0.0, 4.1, 1.1], "right": [4.1, 0.0, 1.1]}
        self.lines = {"left": [], "right": []}
        self.closed, self.front, self.was, self.scene = 0, None, [0.0, 0.0, 0.0], None
        self.record(0)
        self.open()

    def record(self, time):
        for name, at in self.hands.items():
            held = self.closed if name == "right" else 0
            self.lines[name].append("%.2f %.4f %.4f %.4f 0 0 0 1 %d" % (time, *(10 * c for c in at), held))

    def open(self):
        for name, lines in self.lines.items():
            with open(os.path.join(self.folder.name, self.names[name]), "w") as f:
                f.write("\n".join(lines) + "\n")
        state = self.scene.save() if self.scene else None
        if state:
            self.scene.close()
        self.scene = divan.parse(self.text, context=self.context)
        self.scene.init()
        if state:
            self.scene.restore(state)
        self.tear, self.opening, self.dofs = (self.scene["/Eye/Capsule/" + n] for n in ("tear", "opening", "dofs"))
        self.jaws, self.needle = self.scene["/Eye/jaws"], self.scene["/Eye/cystotome"]

    def step(self):
        self.record(self.scene.time + STEP)
        self.open()
        self.scene.step()
        self.tip()

    def move(self, name, to, speed):
        while length([a - b for a, b in zip(self.hands[name], to)]) > 1e-9:
            self.hands[name] = towards(self.hands[name], to, speed * STEP)
            self.step()

    def wait(self, seconds):
        for _ in range(round(seconds / STEP)):
            self.step()

    def point(self, i, name="position"):
        x = getattr(self.dofs, name)
        return [1000 * float(c) for c in (x[i] if not isinstance(x[i], float) else x[3 * i:3 * i + 3])]

    def tip(self):
        """the tip that is led, as it lies now: the one nearest to where it was at rest"""
        tips = list(self.tear.tips)
        if not tips:
            return self.was
        if self.front is None:
            self.front = min((self.point(i, "rest_position") for i in tips), key=lambda p: p[1])
        found = min(tips, key=lambda i: math.dist(self.point(i, "rest_position"), self.front))
        if math.dist(self.point(found, "rest_position"), self.front) < 1:
            self.front, self.was = self.point(found, "rest_position"), self.point(found)
        return self.was

    # --- what is done ---

    def cut(self, degrees, begin=180):
        surface = lambda x, y: math.sqrt(100 - x * x - y * y) - 10
        on = lambda r, a, up: (r * math.cos(a), r * math.sin(a), surface(r * math.cos(a), r * math.sin(a)) + up)
        a, before = math.radians(begin), self.needle.punctures
        self.move("left", on(RADIUS - 0.1, a, 0.4), 8)
        while self.needle.punctures == before and self.hands["left"][2] > -1.5:
            self.hands["left"][2] -= 1.5 * STEP
            self.step()
        print("pierced at %.2f s, %.2f mm from the axis" % (self.scene.time, length(self.tip()[:2])), flush=True)
        below = self.hands["left"][2] - surface(*self.hands["left"][:2])
        below = min(below, -0.3)
        self.move("left", on(RADIUS - 0.1, a, below), 2)
        for k in range(1, degrees + 1):
            if self.opening.free > 1e-5:
                break
            self.move("left", on(RADIUS, a + math.radians(k), below), 2.5)
        print("cut to", [round(c, 2) for c in self.tip()], "tips", list(self.tear.tips), "cuts", self.needle.cuts, flush=True)
        x, y, z = self.hands["left"]
        self.move("left", (x, y, 0.8), 6)
        self.wait(0.2)
        self.move("left", (0, 4.1, 1.1), 10)

    def flap(self):
        """a point of the flap near the tip that tears"""
        x, y, _ = self.front
        angle, radius = math.atan2(y, x), math.hypot(x, y) / SLACK
        best, found = 1e9, None
        rest = [self.point(i, "rest_position") for i in range(self.count())]
        for i, (px, py, pz) in enumerate(rest):
            r, behind = math.hypot(px, py) / SLACK, (angle - math.atan2(py, px)) % (2 * math.pi)
            miss = abs(behind - math.radians(9)) * radius + abs(r - (radius - 0.25))
            if miss < best:
                best, found = miss, i
        return found

    def count(self):
        x = self.dofs.position
        return len(x) // 3 if isinstance(x[0], float) else len(x)

    def grasp(self):
        self.closed = 0
        self.wait(0.1)
        goal = self.point(self.flap())
        above = [goal[0], goal[1], max(goal[2], -0.5) + 0.5]
        self.move("right", towards(self.hands["right"], [*self.hands["right"][:2], above[2] + 0.2], 9), 10)
        self.move("right", above, 10)
        self.move("right", goal, 5)
        self.wait(0.1)
        self.closed = 1
        self.wait(0.1)
        self.last_grasp = self.tip()

    def pull_out(self):
        """the flap, as it should not be pulled: outwards"""
        self.grasp()
        while self.opening.farthest < FAR and self.scene.time < 20:
            x, y, z = self.front
            size, hand = math.hypot(x, y), self.hands["right"]
            goal = [hand[0] + (2 * x - y) / size, hand[1] + (2 * y + x) / size, min(hand[2] + 0.2, 0.7)]
            self.hands["right"] = towards(hand, goal, 2.0 * STEP)
            self.step()
            if self.jaws.held == 0 or math.dist(hand, self.tip()) > 4:
                self.grasp()
        self.retreat()

    def pull_around(self):
        """the flap, until the circle closes. A tear runs across the pull: to lead it along the circle the flap is pulled inwards and a
        little ahead, less ahead where the tear has run out. Taken again close to the tip every 20 degrees. Where the circle closes the
        tear comes from outside, past the other end of the slit: from inside both ends would pass each other, and that one run out."""
        trail, taken = [self.front], None
        while self.opening.free < 1e-5 and self.opening.tearOuts == 0 and self.scene.time < 60:
            x, y = (c / SLACK for c in self.front[:2])
            size, angle = math.hypot(x, y), math.degrees(math.atan2(y, x))
            if self.jaws.held == 0 or (angle - taken) % 360 > 20 or self.scene.time - since > 4:
                self.grasp()
                taken, since = angle, self.scene.time
                continue
            if math.dist(trail[-1], self.front) > 1e-6:
                trail = [*trail[-2:], self.front]
                print("%.1f s: tip at %.2f mm, %.0f degrees" % (self.scene.time, size, angle), flush=True)
            out, along = (x / size, y / size), (-y / size, x / size)
            went = [self.front[k] - trail[0][k] for k in range(2)]
            inwards = math.atan2(-sum(a * b for a, b in zip(went, out)), sum(a * b for a, b in zip(went, along)))
            wanted = max(-0.6, min(0.6, size - RADIUS - (0.15 if 90 < angle < 180 else 0.05)))
            turn = math.pi / 2 - 0.4 + max(-0.8, min(1.6, 0.8 * (wanted - inwards)))
            hand = self.hands["right"]
            goal = [hand[k] + math.cos(turn) * along[k] - math.sin(turn) * out[k] for k in range(2)]
            self.hands["right"] = towards(hand, [*goal, min(hand[2] + 0.2, 0.7)], 1.5 * STEP)
            self.step()

    def take_out(self):
        """the disc, once it is free: by its middle, or as it is held"""
        if self.jaws.held == 0:
            self.move("right", [0.3, 0.0, 0.6], 8)
            self.move("right", [0.0, 0.0, 0.02], 4)
            self.closed = 1
            self.wait(0.1)
        self.move("right", [0.5, 0.0, 0.9], 3)
        self.retreat()

    def retreat(self):
        self.move("right", [0.8 * self.hands["right"][0], 0.8 * self.hands["right"][1], 1.1], 6)
        self.move("right", [4.1, 0.0, 1.1], 6)
        self.wait(0.2)


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("scene")
    arguments.add_argument("directory")
    arguments.add_argument("--wrong", action="store_true")
    arguments.add_argument("--forceps", action="store_true")
    given = arguments.parse_args()
    kind = "wrong-" if given.wrong else "led-" if given.forceps else ""
    surgeon = Surgeon(given.scene, {"left": kind + "needle.motion", "right": kind + "forceps.motion"})
    surgeon.cut(190 if given.wrong else 45 if given.forceps else 380)
    if given.wrong:
        surgeon.pull_out()
    else:
        if given.forceps:
            surgeon.pull_around()
        surgeon.take_out()
    o = surgeon.opening
    print("parts %d, diameter %.2f mm, roundness %.2f, off the axis by %.2f mm, tear-outs %d, after %.1f s" % (
        o.parts, 1000 * o.diameter, o.roundness, 1000 * o.decentring, o.tearOuts, surgeon.scene.time))
    for hand, name in surgeon.names.items():
        with open(os.path.join(given.directory, name), "w") as f:
            f.write("# time (s), place of the hand (mm), quaternion, buttons: recorded by tools/generate/eye/surgeon.py\n")
            f.write("\n".join(surgeon.lines[hand]) + "\n")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""surgeon.py SCENE DIRECTORY [--wrong | --forceps]: performs the capsulorhexis of a scene and records both hands.

Writes needle.motion and forceps.motion (wrong-needle.motion, wrong-forceps.motion with --wrong), which GeomagicEmulator plays. The
surgeon pierces the capsule, leads the tear along the circle with the needle until it closes, grasps the disc and takes it out. With
--wrong the needle stops after half of the circle, and the flap is pulled outwards with the forceps, as beginners do: the tear runs out. With --forceps it is pulled on along the circle for a part of it, ahead and inwards or outwards as the tear needs it, and the
needle does the rest: led-needle.motion, led-forceps.motion. Needs PYTHONPATH to hold Divan's module."""
import argparse
import math
import os
import re

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
    def __init__(self, path):
        with open(path) as f:
            text = f.read()
        with open(os.path.join(os.path.dirname(path), "eye.xml")) as f:
            text = text.replace('<include href="eye.xml"/>', re.sub(r"<\?xml.*?-->", "", f.read(), flags=re.S))
        # hands that follow this program instead of a recording
        text = re.sub(r"<GeomagicEmulator.*?/>", "", text, flags=re.S)
        held = '<RestShapeSpringsForceField points="2" external_rest_shape="@/%s" stiffness="60" angularStiffness="0"/>'
        for name in "left", "right":
            text = re.sub(r'<VirtualCoupling[^>]*driver="@/%s".*?/>' % name, held % name, text, flags=re.S)
        text = text.replace('driver="@/right"', "").replace('<Node name="Eye">', """<MechanicalObject name="left" template="Rigid3" position="0 0 0 0 0 0 1"/>
  <Node name="Other"><MechanicalObject name="right" template="Rigid3" position="0 0 0 0 0 0 1"/></Node>
  <Node name="Eye">""").replace('"@/right"', '"@/Other/right"')
        text = re.sub(r"<Procedure.*?/>", "", text)
        self.scene = divan.parse(text, context=divan.Context(data=[os.path.dirname(os.path.abspath(path))]))
        self.hands = {"left": [0.0, 4.1, 1.1], "right": [4.1, 0.0, 1.1]}
        self.lines = {"left": [], "right": []}
        self.closed, self.front, self.was = 0, None, [0.0, 0.0, 0.0]
        self.scene.init()
        self.set_hands()
        self.tear, self.opening, self.dofs = (self.scene["/Eye/Capsule/" + n] for n in ("tear", "opening", "dofs"))
        self.jaws, self.needle = self.scene["/Eye/jaws"], self.scene["/Eye/cystotome"]
        self.record()

    def set_hands(self):
        for name, path in ("left", "/left"), ("right", "/Other/right"):
            self.scene[path].position = [[*(0.001 * c for c in self.hands[name]), 0, 0, 0, 1]]

    def record(self):
        for name, at in self.hands.items():
            held = self.closed if name == "right" else 0
            self.lines[name].append("%.2f %.4f %.4f %.4f 0 0 0 1 %d" % (self.scene.time, *(10 * c for c in at), held))

    def step(self):
        self.set_hands()
        self.jaws.closed = bool(self.closed)
        self.scene.step()
        self.tip()
        self.record()

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
        self.wait(0.06)
        goal = self.point(self.flap())
        above = [goal[0], goal[1], max(goal[2], -0.5) + 0.5]
        self.move("right", towards(self.hands["right"], [*self.hands["right"][:2], above[2] + 0.2], 9), 10)
        self.move("right", above, 10)
        self.move("right", goal, 5)
        self.wait(0.1)
        self.closed = 1
        self.wait(0.05)
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

    def pull_around(self, until=-80, inwards=0.35, firmness=1.2):
        """the flap, along the circle: more inwards where the tear has run out, less where it has run in"""
        self.grasp()
        told = -1
        while self.opening.tearOuts == 0 and self.scene.time < 20 and math.degrees(math.atan2(self.front[1], self.front[0])) < until:
            x, y, z = (c / SLACK for c in self.front)
            size = math.hypot(x, y)
            out, along, hand = (x / size, y / size), (-y / size, x / size), self.hands["right"]
            aside = max(-1.5, min(1.5, firmness * (RADIUS - size) - inwards))
            goal = [hand[0] + along[0] + aside * out[0], hand[1] + along[1] + aside * out[1], min(hand[2] + 0.2, 0.7)]
            self.hands["right"] = towards(hand, goal, 1.6 * STEP)
            self.step()
            if int(self.scene.time) != told:
                told = int(self.scene.time)
                print("%.1f s: tip at %.2f mm, %.0f degrees, tips %d" % (self.scene.time, size, math.degrees(math.atan2(y, x)),
                                                                        len(list(self.tear.tips))), flush=True)
            if self.jaws.held == 0 or math.dist(hand, self.tip()) > 1.6:
                self.grasp()
        self.closed = 0
        self.wait(0.1)
        self.move("right", [*self.hands["right"][:2], 1.0], 6)
        self.move("right", [4.1, 0.0, 1.1], 8)

    def take_out(self):
        """the disc, once it is free"""
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
    surgeon = Surgeon(given.scene)
    surgeon.cut(190 if given.wrong else 50 if given.forceps else 380)
    if given.wrong:
        surgeon.pull_out()
    else:
        if given.forceps:
            surgeon.pull_around()
            surgeon.cut(330, math.degrees(math.atan2(surgeon.front[1], surgeon.front[0])) - 4)
        surgeon.take_out()
    o = surgeon.opening
    print("parts %d, diameter %.2f mm, roundness %.2f, off the axis by %.2f mm, tear-outs %d, after %.1f s" % (
        o.parts, 1000 * o.diameter, o.roundness, 1000 * o.decentring, o.tearOuts, surgeon.scene.time))
    for hand, tool in ("left", "needle"), ("right", "forceps"):
        path = os.path.join(given.directory, ("wrong-" if given.wrong else "led-" if given.forceps else "") + tool + ".motion")
        with open(path, "w") as f:
            f.write("# time (s), place of the hand (mm), quaternion, buttons: recorded by tools/generate/eye/surgeon.py\n")
            f.write("\n".join(surgeon.lines[hand]) + "\n")


if __name__ == "__main__":
    main()

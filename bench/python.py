"""What the Python interface costs: python3 bench/python.py [--repeats N] [--no-batch] [--json FILE]

Each figure is the least of many repeats, in time of the thread (but for the batch), so that other programs count little. PYTHONPATH names the packages
(else build/python). Aims: docs/python.md.
"""

import argparse
import json
import os
import sys
import time

sys.path.append(os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "build", "python"))

import numpy

import divan
import Sofa
import Sofa.Simulation

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
POINTS = 1000


def least(function, repeats, count=1):
    """Seconds of one call, the least of so many repeats of `count` calls; of the thread's own time, not of others' turns."""
    best = float("inf")
    for _ in range(repeats):
        began = time.thread_time()
        for _ in range(count):
            function()
        best = min(best, (time.thread_time() - began) / count)
    return best


def points(controller=None):
    """A scene of points that nothing moves, with a controller where one is given."""
    scene = divan.Scene(divan.Context(threads=1))
    scene.root.add("MechanicalObject", name="dofs", position=numpy.random.rand(POINTS, 3))
    if controller:
        controller(scene.root, "controller")
    return scene.init()


class Nudge(divan.Component):
    """Reads all positions and writes them, at the beginning of each step."""

    def init(self):
        self._field = self.node.dofs.field("position")

    def on_event(self, kind, data):
        if kind == "AnimateBegin":
            with self._field.writable() as x:
                x += 1e-9


class SofaNudge(Sofa.Core.Controller):
    def __init__(self, *args, **kw):
        Sofa.Core.Controller.__init__(self, *args, **kw)
        self.dofs = kw["dofs"]

    def onAnimateBeginEvent(self, event):
        with self.dofs.position.writeableArray() as x:
            x += 1e-9


def sofa_points(controlled):
    root = Sofa.Core.Node("root")
    dofs = root.addObject("MechanicalObject", name="dofs", position=numpy.random.rand(POINTS, 3))
    if controlled:
        root.addObject(SofaNudge(name="controller", dofs=dofs))
    Sofa.Simulation.init(root)
    return root


def nodes(n=1000):
    scene = divan.Scene(divan.Context(threads=1))
    for i in range(n):
        scene.root.add_child(f"n{i}").add("MechanicalObject", name="dofs", position=[[i, 0, 0]])
    return scene


def sofa_nodes(n=1000):
    root = Sofa.Core.Node("root")
    for i in range(n):
        root.addChild(f"n{i}").addObject("MechanicalObject", name="dofs", position=[[i, 0, 0]])
    return root


def batch_times(repeats, copies=8, steps=10, scene=os.path.join(HERE, "scenes", "liver.scn")):
    """Least seconds of a call with one thread and with two, taken by turns; and the processor's time for it."""
    batches = {}
    for threads in (1, 2):
        batches[threads] = divan.Batch(scene, copies, threads=threads).init()
        batches[threads].step(3)
    best = {1: (float("inf"), float("inf")), 2: (float("inf"), float("inf"))}
    for _ in range(repeats):
        for threads, batch in batches.items():
            clock, used = time.perf_counter(), time.process_time()
            batch.step(steps)
            took = (time.perf_counter() - clock, time.process_time() - used)
            best[threads] = tuple(map(min, best[threads], took))
    return best


def figures(repeats=30, batch=True):
    """All figures as a dictionary; seconds, but for the ratio of batches."""
    out = {}
    plain, controlled = points(), points(Nudge)
    inside = least(lambda: plain.step(1000), repeats) / 1000   # the loop is in C
    out["step() over C"] = least(plain.step, repeats, 1000) - inside
    dofs = plain.root.dofs
    out["positions read"] = least(lambda: dofs.position, repeats, 1000)
    out["controller, 1,000 points a step"] = least(controlled.step, repeats, 200) - least(plain.step, repeats, 200)
    free, led = sofa_points(False), sofa_points(True)
    animate = Sofa.Simulation.animate
    out["Sofa controller, 1,000 points a step"] = (least(lambda: animate(led, 0.01), repeats, 200)
                                                   - least(lambda: animate(free, 0.01), repeats, 200))
    few = max(3, repeats // 5)
    out["1,000 nodes built"] = least(nodes, few)
    out["Sofa, 1,000 nodes built"] = least(sofa_nodes, few)
    if batch and (os.cpu_count() or 1) >= 2:
        best = batch_times(repeats)
        out["batch, 2 threads against 1"] = best[1][0] / best[2][0]
        out["batch, processor time of 2 threads over that of 1"] = best[2][1] / best[1][1]
    return out


AIMS = {"step() over C": 1e-6, "positions read": 2e-6, "controller, 1,000 points a step": 20e-6, "Sofa controller, 1,000 points a step": 20e-6,
        "1,000 nodes built": 0.2, "Sofa, 1,000 nodes built": 0.2}


def main():
    parser = argparse.ArgumentParser(description="what the Python interface costs")
    parser.add_argument("--repeats", type=int, default=30)
    parser.add_argument("--no-batch", action="store_true")
    parser.add_argument("--json", help="file for the figures")
    options = parser.parse_args()
    found = figures(options.repeats, not options.no_batch)
    for name, value in found.items():
        if name.startswith("batch"):
            print(f"{name:52} {value:8.2f} times" + ("   aim 1.8" if name.endswith("against 1") else ""))
        elif value >= 1e-3:
            print(f"{name:52} {1e3 * value:8.2f} ms" + (f"      aim {1e3 * AIMS[name]:g} ms" if name in AIMS else ""))
        else:
            print(f"{name:52} {1e6 * value:8.2f} us" + (f"      aim {1e6 * AIMS[name]:g} us" if name in AIMS else ""))
    if options.json:
        with open(options.json, "w") as out:
            json.dump(found, out, indent=1)


if __name__ == "__main__":
    main()

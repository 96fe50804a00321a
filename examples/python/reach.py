"""A task for reinforcement learning: pull on the end of a soft bar so that it reaches a target.

    python3 examples/python/reach.py            a plain controller, many tasks at once

ReachEnv has reset() and step(action), as gymnasium's environments, and is one where gymnasium is installed. ReachBatch runs
many of them over all cores with one call a step.
"""

import sys

import numpy

import divan
from bar import create_bar

try:
    import gymnasium
    Base = gymnasium.Env
except ImportError:
    gymnasium, Base = None, object

END = slice(72, 81)   # points of the free end
STRONGEST = 0.5       # N


class ReachEnv(Base):
    """Observation: end, its velocity, target (9 numbers). Action: force on the end, in -1 to 1. Reward: minus the distance."""

    def __init__(self, steps=60):
        self.scene = divan.Scene(divan.Context(threads=1))
        create_bar(self.scene.root)
        self.scene.init()
        self.dofs, self.pull = self.scene.root.dofs, self.scene.root.pull
        self.random, self.limit = numpy.random.default_rng(), steps
        if gymnasium:
            self.action_space = gymnasium.spaces.Box(-1, 1, (3,))
            self.observation_space = gymnasium.spaces.Box(-numpy.inf, numpy.inf, (9,))

    def observe(self):
        return numpy.concatenate([self.dofs.position[END].mean(0), self.dofs.velocity[END].mean(0), self.target])

    def reset(self, *, seed=None, options=None):
        if seed is not None:
            self.random = numpy.random.default_rng(seed)
        self.scene.reset()
        self.pull.totalForce = (0, 0, 0)
        self.target = numpy.array([0, 0, 1.0]) + self.random.uniform(-0.15, 0.15, 3) * (1, 1, 0.1)
        return self.observe(), {}

    def step(self, action):
        self.pull.totalForce = STRONGEST * numpy.clip(action, -1, 1)
        self.scene.step()
        seen = self.observe()
        distance = float(numpy.linalg.norm(seen[:3] - seen[6:]))
        return seen, -distance, distance < 0.01, self.scene.steps >= self.limit, {}


class ReachBatch:
    """n tasks at once: observations [n, 9], actions [n, 3], rewards [n]."""

    def __init__(self, n, threads=0, seed=0):
        self.batch = divan.Batch(create_bar, n, threads=threads).init()
        self.random = numpy.random.default_rng(seed)

    def observe(self):
        end = self.batch.positions[:, END].mean(1)
        velocity, self.last = (end - self.last) / 0.02, end
        return numpy.concatenate([end, velocity, self.target], axis=1)

    def reset(self):
        n = len(self.batch)
        self.batch.set("/pull.totalForce", numpy.zeros((n, 3)))
        self.last = self.batch.reset()[:, END].mean(1)
        self.target = numpy.array([0, 0, 1.0]) + self.random.uniform(-0.15, 0.15, (n, 3)) * (1, 1, 0.1)
        return self.observe()

    def step(self, actions):
        self.batch.set("/pull.totalForce", STRONGEST * numpy.clip(actions, -1, 1))
        self.batch.step()
        seen = self.observe()
        return seen, -numpy.linalg.norm(seen[:, :3] - seen[:, 6:], axis=1)


def controller():
    """Proportional, integral, derivative: what a learnt policy has to beat."""
    total = 0

    def act(seen):
        nonlocal total
        error = seen[..., 6:] - seen[..., :3]
        total = total + error
        return 6 * error + 0.8 * total - 1.0 * seen[..., 3:6]
    return act


def main(tasks=16, steps=60):
    env, act = ReachEnv(steps), controller()
    seen, _ = env.reset(seed=1)
    first = numpy.linalg.norm(seen[:3] - seen[6:])
    done = False
    while not done:
        seen, reward, reached, late, _ = env.step(act(seen))
        done = reached or late
    print(f"one task: from {1000 * first:.0f} mm to {-1000 * reward:.1f} mm after {env.scene.steps} steps")
    batch, act = ReachBatch(tasks), controller()
    seen = batch.reset()
    before = numpy.linalg.norm(seen[:, :3] - seen[:, 6:], axis=1)
    for _ in range(steps):
        seen, rewards = batch.step(act(seen))
    print(f"{tasks} tasks at once: mean distance from {1000 * before.mean():.0f} mm to {-1000 * rewards.mean():.1f} mm")
    return -reward, -rewards.mean()


if __name__ == "__main__":
    main(*(int(a) for a in sys.argv[1:]))

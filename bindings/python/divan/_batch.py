"""Many copies of a scene with different fields, stepped over all cores."""

import os

from . import _base, _divan
from ._scene import Scene

numpy = _base.numpy
MOST = 65536  # copies; each has a context and memory of its own


class Batch:
    """n copies of a scene. Each is stepped by one thread, so that the results do not depend on their number.

    scene    a scene file, a Scene (it is copied as it stands; it has no components in Python), or a function that gets the
             root of each empty scene, and fills it: fill(root, i) or fill(root)
    state    the field that `positions` holds, "/Liver/dofs.position"; that of the first mechanical state by default
    threads  as many as there are cores by default
    """

    def __init__(self, scene, n, state=None, threads=0, compat=None, data=()):
        if n < 1:
            raise ValueError("a batch has at least one scene")
        if n > MOST:
            raise ValueError(f"a batch has at most {MOST} scenes, not {n}")
        self._pool = _divan.Context(threads=threads)
        text, snapshot = None, None
        if isinstance(scene, _divan.SceneBase):
            if scene.has_scripts:
                raise ValueError("a scene with components in Python cannot be copied: give a function that builds it")
            text, snapshot = scene.text(), scene.save() if scene.initialised else None
            data = list(data) + scene.directories
        self.scenes = []
        for i in range(n):
            context = _divan.Context(threads=1, compat=compat, data=list(data))
            if text is not None:
                one = Scene.parse(text, context=context)
            elif callable(scene):
                one = Scene(context)
                self._fill(scene, one.root, i)
            else:
                one = Scene.load(os.fspath(scene), context=context)
            self.scenes.append(one)
        self._snapshot, self._name, self._ready = snapshot, state, False
        self.positions = None

    @staticmethod
    def _fill(function, root, i):
        code = getattr(function, "__code__", None)
        if code is not None and code.co_argcount - (1 if hasattr(function, "__self__") else 0) < 2:
            function(root)
        else:
            function(root, i)

    def __len__(self):
        return len(self.scenes)

    def __getitem__(self, i):
        return self.scenes[i]

    def set(self, field, values):
        """Gives the field of each copy its own value: batch.set("/Beam/force.youngModulus", [1e3, 2e3, ...])."""
        if len(values) != len(self.scenes):
            raise ValueError(f"{len(self.scenes)} values are wanted, not {len(values)}")
        for scene, value in zip(self.scenes, values):
            scene[field].value = value

    def get(self, field):
        """The values of a field in all copies: an array where they are numbers."""
        values = [scene[field].value for scene in self.scenes]
        return values if numpy is None else numpy.array(values)

    def init(self):
        """Initialises all copies; `positions` is there afterwards."""
        for scene in self.scenes:
            scene.init()
            if self._snapshot is not None:
                scene.restore(self._snapshot)
        name = self._name or self._first_state()
        self._fields = [scene[name] for scene in self.scenes]
        first = self._fields[0].array()
        shape = (len(self.scenes),) + tuple(first.shape)
        if any(tuple(f.array().shape) != shape[1:] for f in self._fields):
            raise ValueError(f"{name} has not the same size in all scenes")
        self.positions = numpy.zeros(shape) if numpy is not None else _zeros(shape)
        self._ready = True
        self._step(0, 0.0)
        return self

    def _first_state(self):
        unknowns = self.scenes[0].unknowns()
        if not unknowns:
            raise ValueError("the scene has no mechanical state: name a field of positions")
        return unknowns[0][0].path + ".position"

    def _step(self, n, dt):
        _divan._step_batch(self._pool, self.scenes, n, dt, self._fields, self.positions)

    def step(self, n=1, dt=None):
        """n steps of all copies; returns `positions`, [copies, points, 3]."""
        if not self._ready:
            self.init()
        if any(s.before_step or s.after_step for s in self.scenes):
            raise RuntimeError("scenes of a batch are stepped without the interpreter: use components for callbacks")
        self._step(n, dt or 0.0)
        return self.positions

    def reset(self, which=None):
        """All copies, or those with the given numbers, are back where they began."""
        for i in range(len(self.scenes)) if which is None else which:
            self.scenes[i].reset()
            if self._snapshot is not None:
                self.scenes[i].restore(self._snapshot)
        self._step(0, 0.0)
        return self.positions

    def hashes(self):
        return [scene.hash() for scene in self.scenes]

    def close(self):
        for scene in self.scenes:
            scene.close()

    def __enter__(self):
        return self

    def __exit__(self, *rest):
        self.close()


def _zeros(shape):
    count = 1
    for n in shape:
        count *= n
    return memoryview(bytearray(8 * count)).cast("d", shape) if count else memoryview(bytearray(0))

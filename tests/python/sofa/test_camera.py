"""Cameras: matrices against what they mean, turning, points of the picture. Links hand on what is set through them."""

import math
import unittest

import where  # noqa: F401
import Sofa
import Sofa.Simulation
from SofaTypes import Quat


def scene(**fields):
    root = Sofa.Core.Node("root")
    root.addObject("MechanicalObject", name="dofs", position=[[-1, -1, -1], [1, 1, 1]])
    return root.addObject("Camera", name="camera", **fields)


def times(m, v):
    return [sum(m[4 * i + j] * v[j] for j in range(4)) for i in range(4)]


class Cameras(unittest.TestCase):
    def near(self, a, b, digits=9):
        self.assertEqual(len(a), len(b))
        for x, y in zip(a, b):
            self.assertAlmostEqual(x, y, digits)

    def test_class(self):
        camera = scene()
        self.assertIsInstance(camera, Sofa.Core.Camera)
        self.assertIsInstance(camera, Sofa.Core.Object)
        self.near(camera.getModelViewMatrix(), [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1])

    def test_it_sees_what_it_looks_at(self):
        camera = scene(position=[3, 4, 12], lookAt=[0, 0, 0])
        seen = times(camera.getModelViewMatrix(), [0, 0, 0, 1])
        self.near(seen, [0, 0, -13, 1])
        self.near(camera.worldToViewportPoint([0, 0, 0])[:2], [0.5, 0.5])
        camera.lookAt = [1, 0, 0]   # from now on it looks there
        self.near(times(camera.getModelViewMatrix(), [1, 0, 0, 1])[:2], [0, 0])
        opengl = camera.getOpenGLModelViewMatrix()
        self.near([opengl[4 * j + i] for i in range(4) for j in range(4)], camera.getModelViewMatrix())

    def test_perspective(self):
        camera = scene(position=[0, 0, 5], orientation=[0, 0, 0, 1], fieldOfView=90, computeZClip=False, zNear=1, zFar=9)
        m = camera.getProjectionMatrix()
        for z, depth in ((-1, -1), (-9, 1)):   # of the camera: nearest and farthest
            v = times(m, [0, 0, z, 1])
            self.assertAlmostEqual(v[2] / v[3], depth)
        top = times(m, [0, 2, -2, 1])
        self.assertAlmostEqual(top[1] / top[3], 1)   # 45 degrees up
        side = times(m, [2 * 800 / 600, 0, -2, 1])
        self.assertAlmostEqual(side[0] / side[3], 1)
        self.near(camera.getOpenGLProjectionMatrix(), [m[4 * j + i] for i in range(4) for j in range(4)])

    def test_orthographic(self):
        camera = scene(position=[0, 0, 5], lookAt=[0, 0, 0], fieldOfView=90)
        camera.Orthographic()
        self.assertEqual(camera.projectionType.value, "Orthographic")
        for z in (-2, -7):   # as large wherever it stands
            self.near(times(camera.getProjectionMatrix(), [0, 5, z, 1])[:2], [0, 1])
        camera.Perspective()
        self.assertEqual(camera.projectionType.value, "Perspective")

    def test_points_there_and_back(self):
        camera = scene(position=[1, 2, 6], lookAt=[0, 0.5, 0])
        for point in ([0, 0, 0], [0.5, -0.3, 1], [-1, 1, -1]):
            self.near(camera.screenToWorldPoint(camera.worldToScreenPoint(point)), point)
            self.near(camera.viewportToWorldPoint(camera.worldToViewportPoint(point)), point)
        right = camera.worldToScreenPoint([0.5, 0.5, 0])
        self.assertGreater(right[0], 400)

    def test_turning(self):
        camera = scene(position=[0, 0, 5], lookAt=[0, 0, 0])
        half = math.sqrt(0.5)
        camera.rotateCameraAroundPoint([0, half, 0, half], [0, 0, 0])   # the scene turns by 90 degrees about y
        self.near(camera.position.value, [-5, 0, 0])
        self.near(times(camera.getModelViewMatrix(), [0, 0, 0, 1]), [0, 0, -5, 1])
        camera = scene(position=[0, 0, 5], lookAt=[0, 0, 0])
        camera.getModelViewMatrix()
        camera.rotate([0, half, 0, half])   # itself: to the left
        self.near(camera.position.value, [0, 0, 5])
        self.near(times(camera.getModelViewMatrix(), [-1, 0, 5, 1]), [0, 0, -1, 1])
        q = camera.getOrientationFromLookAt([0, 0, 0], [0, 0, -1])
        place = camera.getPositionFromOrientation([0, 0, 0], 5.0, list(q))
        self.near(Quat(*q).rotate([0, 0, -5.0]) + place, [0, 0, 0])

    def test_mistakes(self):
        camera = scene(computeZClip=False, zNear=3, zFar=1)
        with self.assertRaisesRegex(ValueError, "zFar"):
            camera.getProjectionMatrix()


class Links(unittest.TestCase):
    def test_what_is_set_through_a_link(self):
        root = Sofa.Core.Node("root")
        root.addObject("MechanicalObject", name="dofs", position=[[1, 2, 3], [4, 5, 6]])
        springs = root.addObject("RestShapeSpringsForceField", name="springs", mstate="@dofs")
        self.assertEqual(len(springs.mstate.position), 2)
        springs.mstate.position = [[7, 8, 9]]
        self.assertEqual([list(p) for p in root.dofs.position.value], [[7, 8, 9]])


class Loaders(unittest.TestCase):
    def test_what_they_read_before_the_scene_begins(self):
        import os
        root = Sofa.Core.Node("root")
        loader = root.addObject("MeshGmshLoader", name="loader", filename=os.path.join(where.ROOT, "scenes", "mesh", "organ.msh"))
        body = root.addChild("body")
        container = body.addObject("TetrahedronSetTopologyContainer", name="container", src="@../loader")
        dofs = body.addObject("MechanicalObject", name="dofs", position="@container.position")
        loader.init()
        self.assertGreater(len(loader.position.value), 10)
        self.assertEqual(len(container.position.value), len(loader.position.value))
        self.assertEqual(len(dofs.position.value), len(loader.position.value))
        self.assertEqual(len(container.tetrahedra.value), len(loader.tetrahedra.value))
        loader.translation = [1, 0, 0]   # it is read again
        Sofa.Simulation.init(root)
        self.assertAlmostEqual(dofs.position.value[0][0], loader.position.value[0][0])


if __name__ == "__main__":
    unittest.main()

"""Camera: where the picture is taken from, with the matrices of OpenGL.

A camera looks along its own -z, y is up. World to camera: x_c = q^-1 (x - p). Perspective: x_clip = f/aspect x_c, y_clip = f y_c
with f = 1/tan(fieldOfView/2), the depth between zNear and zFar.
"""
import math

from .._vectors import Quat, Vec3
from . import _base, _object


def _transposed(m):
    return [m[4 * j + i] for i in range(4) for j in range(4)]


def _product(m, v):
    return [sum(m[4 * i + j] * v[j] for j in range(4)) for i in range(4)]


def _inverse(m):
    """Of a 4 x 4 matrix, by elimination with the largest pivot."""
    a = [list(m[4 * i:4 * i + 4]) + [float(i == j) for j in range(4)] for i in range(4)]
    for i in range(4):
        best = max(range(i, 4), key=lambda k: abs(a[k][i]))
        a[i], a[best] = a[best], a[i]
        a[i] = [x / a[i][i] for x in a[i]]
        for k in range(4):
            if k != i:
                a[k] = [x - a[k][i] * y for x, y in zip(a[k], a[i])]
    return [x for row in a for x in row[4:]]


class Camera(_object.Object):
    """A camera of the scene. Matrices are lists of 16 numbers, row by row; those of OpenGL column by column."""

    __module__ = "Sofa.Core"

    def _stands(self):
        return Vec3(list(self.findData("position")._f.value))

    def _target(self):
        return Vec3(list(self.findData("lookAt")._f.value))

    def _turned(self):
        """The orientation: what was set, or towards lookAt where that was set last."""
        target = list(self._target())
        data = self.findData("orientation")
        looks = self.findData("lookAt")._f.is_set and target != self.__dict__.get("_looked", None if not data._f.is_set else target)
        if looks and (self._target() - self._stands()).norm() > 0:
            data._f.set(list(self.getOrientationFromLookAt(self._stands(), target)))
        self.__dict__["_looked"] = target
        return Quat(*data._f.value)

    def getOrientationFromLookAt(self, position, lookat):
        """The rotation of a camera that stands there and looks there, as upright as it is now."""
        now = Quat(*self.findData("orientation")._f.value)
        z = (Vec3(list(position)) - Vec3(list(lookat))).normalized()
        x = now.rotate((0, 1, 0)).cross(z)
        x = x.normalized() if x.norm() > 1e-5 else now.rotate((1, 0, 0))
        q = Quat.createFromFrame(x, z.cross(x), z)
        q.normalize()
        return q

    def getPositionFromOrientation(self, lookat, distance, orientation):
        """Where a camera stands that sees a point at a distance."""
        return Vec3(list(lookat)) + Quat(*orientation).rotate((0, 0, distance))

    def rotate(self, rotation):
        """Turns it about its own axes, where it stands."""
        q = self._turned() * Quat(*rotation)
        q.normalize()
        self.findData("orientation")._f.set(list(q))

    def rotateCameraAroundPoint(self, rotation, point):
        """Goes around a point so that the scene seems to turn by the rotation."""
        axis, angle = Quat(*rotation).quatToAxis()
        turn, point = Quat.axisToQuat(axis, -angle), Vec3(list(point))
        q = turn * self._turned()
        q.normalize()
        self.findData("position")._f.set(list(point + turn.rotate(self._stands() - point)))
        self.findData("orientation")._f.set(list(q))

    # --- projection ---

    def setCameraType(self, kind):
        """0: perspective, 1: orthographic."""
        self.findData("projectionType")._f.set("Orthographic" if int(kind) == 1 else "Perspective")

    def Orthographic(self):
        self.setCameraType(1)

    def Perspective(self):
        self.setCameraType(0)

    def _depths(self):
        """Nearest and farthest depth: around the scene's box, or as they were set."""
        near, far = self.zNear.value, self.zFar.value
        if self.computeZClip.value:
            from .. import Simulation
            box = Simulation._boxes(self.getContext().getRoot())
            low, high = Vec3(box.getMin()), Vec3(box.getMax())
            if all(a <= b for a, b in zip(low, high)):
                centre, radius = (low + high) * 0.5, (high - low).norm() / 2
                away = (self._stands() - centre).norm() - radius
                near, far = max(0.01 * away, 0.05 * radius), 1.1 * (away + 2 * radius)
        if not 0 < near < far:
            raise ValueError("%s: zNear (%g) and zFar (%g) are positive, and the second is larger" % (self.getPathName(), near, far))
        return near, far

    def getProjectionMatrix(self):
        width, height = float(self.widthViewport.value), float(self.heightViewport.value)
        near, far = self._depths()
        slope = math.tan(math.radians(self.fieldOfView.value) / 2)
        if str(self.projectionType.value) != "Orthographic":
            return [height / (width * slope), 0.0, 0.0, 0.0, 0.0, 1 / slope, 0.0, 0.0, 0.0, 0.0, -(far + near) / (far - near),
                    -2 * far * near / (far - near), 0.0, 0.0, -1.0, 0.0]
        half = slope * abs(self._turned().inverseRotate(self._target() - self._stands())[2])
        x, y = half * max(1.0, width / height), half * max(1.0, height / width)
        return [1 / x, 0.0, 0.0, 0.0, 0.0, 1 / y, 0.0, 0.0, 0.0, 0.0, -2 / (far - near), -(far + near) / (far - near), 0.0, 0.0, 0.0, 1.0]

    def getModelViewMatrix(self):
        q = self._turned()
        rows = q.inverse().toMatrix()
        shift = q.inverseRotate(-self._stands())
        return [float(v) for i in range(3) for v in list(rows[i]) + [shift[i]]] + [0.0, 0.0, 0.0, 1.0]

    def getOpenGLProjectionMatrix(self):
        return _transposed(self.getProjectionMatrix())

    def getOpenGLModelViewMatrix(self):
        return _transposed(self.getModelViewMatrix())

    # --- points of the picture: pixels from its upper left corner, or shares of it; the depth from 0 to 1 ---

    def screenToViewportPoint(self, p):
        return [p[0] / self.widthViewport.value, p[1] / self.heightViewport.value, p[2]]

    def viewportToScreenPoint(self, p):
        return [p[0] * self.widthViewport.value, p[1] * self.heightViewport.value, p[2]]

    def worldToViewportPoint(self, p):
        v = _product(self.getProjectionMatrix(), _product(self.getModelViewMatrix(), list(p) + [1.0]))
        if v[3] == 0:
            return [math.nan] * 3
        x, y, z = (c / v[3] for c in v[:3])
        return [0.5 * x + 0.5, 0.5 - 0.5 * y, 0.5 * z + 0.5]

    def worldToScreenPoint(self, p):
        return self.viewportToScreenPoint(self.worldToViewportPoint(p))

    def viewportToWorldPoint(self, p):
        v = _product(_inverse(self.getProjectionMatrix()), [2 * p[0] - 1, 1 - 2 * p[1], 2 * p[2] - 1, 1.0])
        if v[3] == 0:
            return [math.nan] * 3
        return [float(c) for c in self._turned().rotate([c / v[3] for c in v[:3]]) + self._stands()]

    def screenToWorldPoint(self, p):
        return self.viewportToWorldPoint(self.screenToViewportPoint(p))


_base._makers.insert(0, (lambda handle: handle.type in ("Camera", "InteractiveCamera", "RecordedCamera"), Camera))

"""Small vectors, quaternions and colours: values, not views on Data."""
import math


class Vec(list):
    """A vector of fixed length with the arithmetic of vectors."""

    size_ = None
    type_ = float
    __module__ = "SofaTypes"

    def __init__(self, *values):
        if len(values) == 1 and hasattr(values[0], "__iter__"):
            values = tuple(values[0])
        if not values:
            values = (0,) * self.size_
        if len(values) < self.size_:
            raise IndexError("%s has %d numbers" % (type(self).__name__, self.size_))
        super().__init__(self.type_(v) for v in values[:self.size_])

    def set(self, *values):
        self[:] = type(self)(*values)

    def _new(self, values):
        return type(self)(list(values))

    def __add__(self, other):
        return self._new(a + b for a, b in zip(self, other))

    def __iadd__(self, other):
        self[:] = self + other
        return self

    def __sub__(self, other):
        return self._new(a - b for a, b in zip(self, other))

    def __isub__(self, other):
        self[:] = self - other
        return self

    def __neg__(self):
        return self._new(-a for a in self)

    def __mul__(self, other):
        if isinstance(other, Vec):
            return self.dot(other)
        return self._new(a * other for a in self)

    def __rmul__(self, other):
        return self._new(a * other for a in self)

    def __imul__(self, factor):
        self[:] = self._new(a * factor for a in self)
        return self

    def __truediv__(self, divisor):
        return self._new(a / divisor for a in self)

    def __itruediv__(self, divisor):
        self[:] = self / divisor
        return self

    def dot(self, other):
        return sum(a * b for a, b in zip(self, other))

    def norm2(self):
        return sum(a * a for a in self)

    def norm(self):
        return math.sqrt(self.norm2())

    def lNorm(self, l):
        return sum(abs(a) ** l for a in self) ** (1.0 / l) if l else float(max(abs(a) for a in self))

    def normalized(self):
        length = self.norm()
        return self._new(a / length for a in self) if length > 0 else self._new(self)

    def normalize(self, threshold=2.3e-16):
        length = self.norm()
        if length <= threshold:
            return False
        self[:] = self / length
        return True

    def sum(self):
        return sum(self)

    def fill(self, value):
        self[:] = [self.type_(value)] * self.size_

    def clear(self):
        self.fill(0)

    def cross(self, other):
        if self.size_ == 2:
            return self[0] * other[1] - self[1] * other[0]
        a, b = self, other
        return self._new((a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]))

    def __repr__(self):
        return "%s(%s)" % (type(self).__name__, ", ".join("%g" % a for a in self))

    def __str__(self):
        return "(%s)" % ", ".join("%g" % a for a in self)


def _entry(index):
    def get(self):
        return self[index]

    def put(self, value):
        self[index] = self.type_(value)

    return property(get, put)


def _entries(count):
    def get(self):
        return tuple(self[:count])

    def put(self, values):
        self[:count] = [self.type_(v) for v in values]

    return property(get, put)


for _i, _name in enumerate("xyzw"):
    setattr(Vec, _name, _entry(_i))
for _count in (2, 3, 4):
    setattr(Vec, "xyzw"[:_count], _entries(_count))


def vector_class(size, letter):
    return type("Vec%d%s" % (size, letter), (Vec,),
                {"size_": size, "type_": float if letter == "d" else int, "__module__": "SofaTypes"})


class Vec3(Vec):
    """Three numbers."""

    size_ = 3
    __module__ = "Sofa.Types"


class Quat(list):
    """A rotation as a quaternion x, y, z, w."""

    __module__ = "SofaTypes"

    def __init__(self, *values, axis=None, angle=None):
        if axis is not None:
            values = Quat.axisToQuat(axis, angle)
        elif len(values) == 1 and hasattr(values[0], "__iter__"):
            values = tuple(values[0])
        elif len(values) == 2 and hasattr(values[1], "__iter__"):
            values = Quat._between(*values)
        elif len(values) == 2:
            values = Quat.axisToQuat(*values)
        super().__init__(float(v) for v in (values or (0, 0, 0, 1)))
        if len(self) != 4:
            raise IndexError("a quaternion has 4 numbers: x, y, z, w")

    @staticmethod
    def _between(a, b):
        a, b = Vec3(list(a)).normalized(), Vec3(list(b)).normalized()
        w = 1.0 + a.dot(b)
        axis = a.cross(b)
        if w < 1e-12:   # opposite: any axis across
            w, axis = 0.0, a.cross(Vec3(1, 0, 0) if abs(a[0]) < 0.9 else Vec3(0, 1, 0))
        q = list(axis) + [w]
        length = math.sqrt(sum(c * c for c in q))
        return [c / length for c in q]

    @staticmethod
    def axisToQuat(axis, phi):
        unit = Vec3(list(axis)).normalized()
        s = math.sin(phi / 2)
        return Quat(unit[0] * s, unit[1] * s, unit[2] * s, math.cos(phi / 2))

    @staticmethod
    def createFromRotationVector(*vector):
        vector = Vec3(*vector)
        return Quat.axisToQuat(vector, vector.norm()) if vector.norm() > 1e-15 else Quat()

    @staticmethod
    def createFromEuler(*angles):
        """Rotations about x, then y, then z, in radians."""
        rotation = Quat()
        for axis, angle in zip(((1, 0, 0), (0, 1, 0), (0, 0, 1)), Vec3(*angles)):
            rotation = Quat.axisToQuat(axis, angle) * rotation
        return rotation

    @staticmethod
    def createFromFrame(x, y, z):
        rotation = Quat()
        rotation.fromMatrix([[x[i], y[i], z[i]] for i in range(3)])
        return rotation

    fromFrame = createFromFrame

    def fromMatrix(self, m):
        trace = m[0][0] + m[1][1] + m[2][2]
        if trace > 0:
            s = 2 * math.sqrt(trace + 1)
            q = [(m[2][1] - m[1][2]) / s, (m[0][2] - m[2][0]) / s, (m[1][0] - m[0][1]) / s, s / 4]
        else:
            i = max(range(3), key=lambda k: m[k][k])
            j, k = (i + 1) % 3, (i + 2) % 3
            s = 2 * math.sqrt(1 + m[i][i] - m[j][j] - m[k][k])
            q = [0.0] * 4
            q[i], q[j], q[k] = s / 4, (m[j][i] + m[i][j]) / s, (m[k][i] + m[i][k]) / s
            q[3] = (m[k][j] - m[j][k]) / s
        self[:] = q

    def toMatrix(self):
        return [list(column) for column in zip(*(self.rotate(e) for e in ((1, 0, 0), (0, 1, 0), (0, 0, 1))))]

    def set(self, *values):
        self[:] = Quat(*values)

    def identity(self):
        self[:] = (0.0, 0.0, 0.0, 1.0)

    def clear(self):
        self.identity()

    def size(self):
        return 4

    def normalize(self):
        length = math.sqrt(sum(c * c for c in self))
        if length > 0:
            self[:] = [c / length for c in self]

    def inverse(self):
        square = sum(c * c for c in self)
        return Quat(-self[0] / square, -self[1] / square, -self[2] / square, self[3] / square)

    def rotate(self, v):
        u, w = Vec3(self[:3]), self[3]
        v = Vec3(list(v))
        return v + (u.cross(v) * w + u.cross(u.cross(v))) * 2.0

    def inverseRotate(self, v):
        return self.inverse().rotate(v)

    def quatToAxis(self):
        """Axis and angle."""
        s = math.sqrt(sum(c * c for c in self[:3]))
        if s < 1e-15:
            return Vec3(0, 1, 0), 0.0
        return Vec3(self[:3]) / s, 2 * math.atan2(s, self[3])

    def toRotationVector(self):
        axis, angle = self.quatToAxis()
        return axis * (angle if angle <= math.pi else angle - 2 * math.pi)

    def toEulerVector(self):
        x, y, z, w = self
        return Vec3(math.atan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y)),
                    math.asin(max(-1.0, min(1.0, 2 * (w * y - z * x)))),
                    math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z)))

    def slerp(self, other, t):
        """From this rotation (t = 0) to the other one (t = 1) at an even pace."""
        cosine = sum(a * b for a, b in zip(self, other))
        sign, cosine = (-1.0, -cosine) if cosine < 0 else (1.0, cosine)
        if cosine > 1 - 1e-12:
            result = Quat(*(a + t * (sign * b - a) for a, b in zip(self, other)))
            result.normalize()
            return result
        angle = math.acos(min(1.0, cosine))
        p, q = math.sin((1 - t) * angle) / math.sin(angle), sign * math.sin(t * angle) / math.sin(angle)
        return Quat(*(p * a + q * b for a, b in zip(self, other)))

    slerp2 = slerp

    def __mul__(self, other):
        if not isinstance(other, (Quat, list, tuple)):
            return Quat(*(c * other for c in self))
        x, y, z, w = self
        a, b, c, d = other
        return Quat(w * a + x * d + y * c - z * b, w * b - x * c + y * d + z * a, w * c + x * b - y * a + z * d,
                    w * d - x * a - y * b - z * c)

    def __imul__(self, other):
        self[:] = self * other
        return self

    def __truediv__(self, divisor):
        return Quat(*(c / divisor for c in self))

    def __add__(self, other):
        return Quat(*(a + b for a, b in zip(self, other)))

    def __iadd__(self, other):
        self[:] = self + other
        return self

    def __repr__(self):
        return "Quat(%g, %g, %g, %g)" % tuple(self)

    def __str__(self):
        return "(%g, %g, %g, %g)" % tuple(self)


class Colour:
    """Names of the four numbers of a colour."""

    def r(self):
        return self[0]

    def g(self):
        return self[1]

    def b(self):
        return self[2]

    def a(self):
        return self[3]


class RGBAColor(Colour, list):
    """Red, green, blue and opacity, 0 to 1."""

    __module__ = "Sofa.Types"

    def __init__(self, *values):
        if len(values) == 1:
            values = getattr(values[0], "value", values[0])
        super().__init__(float(v) for v in (tuple(values) if len(values) else (1, 1, 1, 1)))
        if len(self) != 4:
            raise ValueError("a colour has 4 numbers: red, green, blue, opacity")

    def lighten(self, factor):
        """Nearer to white: 0 leaves it as it is, 1 is white."""
        factor = min(1.0, max(0.0, factor))
        return RGBAColor(*(c + (1 - c) * factor for c in self[:3]), self[3])

    def __repr__(self):
        return "RGBAColor(%g,%g,%g,%g)" % tuple(self)

    __str__ = __repr__

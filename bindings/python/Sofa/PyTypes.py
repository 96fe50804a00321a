"""Views on Data of three numbers or of a colour, as arrays of numpy."""
try:
    import numpy as _numpy
except ImportError:
    _numpy = None

from ._vectors import Colour


class DataType:
    """Base of types that know what SOFA calls them."""

    sofaTypeName = None


if _numpy is None:
    def _needs_numpy(*args, **kwargs):
        raise ImportError("Sofa.PyTypes needs numpy; install python3-numpy")

    Vec3 = RGBAColor = _needs_numpy
else:
    def _view(cls, value, size, wrong):
        if value is None:
            return _numpy.zeros(size).view(cls)
        value = getattr(value, "value", value)
        array = value if isinstance(value, _numpy.ndarray) else _numpy.array(value)
        if array.dtype.kind in "US" or array.dtype == object:
            raise TypeError("numbers are wanted, not %r" % (value,))
        if array.shape != (size,):
            raise wrong("%s has %d numbers, not an array of the shape %s" % (cls.__name__, size, array.shape))
        return array.view(cls)

    class _Vector(_numpy.ndarray):
        def __eq__(self, other):
            return bool(_numpy.array_equal(_numpy.asarray(self), _numpy.asarray(other)))

        def __ne__(self, other):
            return not self == other

        __hash__ = None

    class Vec3(_Vector):
        """Three numbers."""

        sofaTypeName = "Vec3d"

        def __new__(cls, value=None):
            return _view(cls, value, 3, AttributeError)

    class RGBAColor(Colour, _Vector):
        """Red, green, blue and opacity."""

        sofaTypeName = "RGBAColor"

        def __new__(cls, value=None):
            return _view(cls, value, 4, ValueError)

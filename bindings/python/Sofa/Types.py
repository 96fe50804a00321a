"""Types of values: colours, boxes, small vectors and quaternions."""
from . import _absent
from .Core._data import BoundingBox
from ._sparse import Rows as CompressedRowSparseMatrix
from ._vectors import Quat, RGBAColor, Vec3

_absent_names = {"Mat3x3": "arrays of numpy do this"}

__all__ = ["BoundingBox", "CompressedRowSparseMatrix", "Quat", "RGBAColor", "Vec3"]
__getattr__ = _absent.module("Sofa.Types", _absent_names)

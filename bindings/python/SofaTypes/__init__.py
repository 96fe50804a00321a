"""Small vectors, matrices and quaternions as values."""
from Sofa import _absent
from Sofa._vectors import Quat, vector_class as _vector_class

for _letter in "di":
    for _size in range(1, 13):
        globals()["Vec%d%s" % (_size, _letter)] = _vector_class(_size, _letter)

_absent_names = {"Mat2x2": "arrays of numpy do this", "Mat3x3": "arrays of numpy do this",
                 "Mat3x4": "arrays of numpy do this", "Mat4x4": "arrays of numpy do this", "Transform": "", "Frame": "",
                 "Color": "Sofa.Types.RGBAColor"}
__getattr__ = _absent.module("SofaTypes", _absent_names)

"""Every component as a function, so that an editor knows its fields:

    from divan.components import MechanicalObject, UniformMass
    dofs = MechanicalObject(node, name="dofs", position=[[0, 0, 0]])

is node.add("MechanicalObject", name="dofs", position=[[0, 0, 0]]). The stub beside this file lists all of them, with types,
units and help; it is made from the library when that is built.
"""

from . import _divan

_known = None


def _names():
    global _known
    if _known is None:
        _known = frozenset(_divan.Context(threads=1).components())
    return _known


def __getattr__(name):
    if name.startswith("_") or name not in _names():
        raise AttributeError(f"there is no component {name}")

    def add(node, name=None, **fields):
        return node.add(add.__name__, name, **fields)
    add.__name__ = add.__qualname__ = name
    add.__doc__ = _divan.Context(threads=1).describe(name)["help"]
    globals()[name] = add
    return add


def __dir__():
    return sorted(_names())

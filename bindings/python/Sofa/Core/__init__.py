"""Nodes, components, their Data and links; classes to derive components from."""
from .. import _absent
from ._base import Base, BaseClass, Link, wrap as _wrap
from ._data import (BoundingBox, Data, DataContainer, DataContainerContextManager, DataDict, DataDictIterator, DataLink,
                    DataString, DataVectorString, LinkPath)
from ._factory import ClassEntry, ObjectFactory
from ._node import BaseContext, BaseNode, Context, Node, NodeIterator
from ._object import (BaseForceField, BaseMass, BaseMeshTopology, BaseState, ContactListener, Object,
                      PointSetTopologyModifier, Topology)
from ._python import (BaseController, BasePrefab, Controller, DataEngine, ForceField, Mapping, Mass, RawPrefab)
from ._camera import Camera
from . import _python

globals().update(_python.VARIANTS)

BaseObject = BaseComponent = Object
WriteAccessor = DataContainerContextManager

_absent_names = {
    "DrawTool": "the viewer draws what components show of themselves",
    "ExecParams": "", "MechanicalParams": "callbacks get a dictionary", "MultiVecId": "", "VecId": "",
    "ConstraintParams": "", "TaskScheduler": "divan.Context(threads=n) sets the number of threads",
}


class PythonScriptEvent:
    """The event that Node.sendEvent sends; a Controller gets it in onPythonScriptEvent as a dictionary."""

    def __init__(self, sender, name, data=None):
        self.sender, self.event_name, self.userData = sender, name, data


class ObjectDeclaration:
    """A component that is to be made later: ObjectDeclaration("UniformMass", totalMass=1)."""

    def __init__(self, type, *args, **fields):
        self.type, self.args, self.fields = type, args, fields

    def __call__(self, node, **more):
        return node.addObject(self.type, *self.args, **dict(self.fields, **more))


__getattr__ = _absent.module("Sofa.Core", _absent_names)

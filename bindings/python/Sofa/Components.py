"""Components as functions: Sofa.Components.MechanicalObject(node, name="dofs") adds one."""


class _Maker:
    def __init__(self, name):
        self.__name__ = name

    def __call__(self, node, **fields):
        return node.addObject(self.__name__, **fields)

    def __repr__(self):
        return "<component %s>" % self.__name__


def __getattr__(name):
    from .Core import ObjectFactory
    if name.startswith("_") or not ObjectFactory.hasComponent(name):
        raise AttributeError("there is no component '%s'" % name)
    return _Maker(name)

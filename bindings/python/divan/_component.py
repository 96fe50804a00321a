"""Components whose class is written in Python."""

from . import _divan

_ROLES = (("force", "add_force"), ("mass", "add_mdx"), ("mapping", "apply"), ("engine", "update"))


class Component:
    """A component written in Python. What it is follows from its methods:

    on_event(kind, data)      is told of AnimateBegin, AnimateEnd, KeyPressed, ... and of what scene.send sends
    add_force(x, v)           a force: returns f; also add_dforce(dx, kfactor, bfactor), add_stiffness(), add_damping(),
                              energy(x)
    add_mdx(dx, factor)       a mass: returns factor M dx; also accelerations(f), matrix()
    apply(x, ...)             a mapping: returns the output's positions; also apply_j(v, ...), apply_jt(f),
                              apply_djt(dx, f), jacobian()
    update()                  an engine: sets its outputs from its inputs when somebody reads them

    and, in each: init(), bwd_init(), reinit(), end_step(), restored(), cleanup(), save_state(), load_state(bytes).

    Fields are listed in the class, ``fields = {"stiffness": ("real", 100.0, "stiffness of the spring")}``, or added with
    add_field; they are attributes of the instance.
    """

    fields = {}
    role = None   # taken from the methods when it is not given

    def __init__(self, node, name=None, template=None, **values):
        role = self.role or next((r for r, method in _ROLES if hasattr(self, method)), "controller")
        if role == "mapping" and hasattr(self, "apply_jt") and not hasattr(self, "apply_j"):
            raise TypeError("a mapping with apply_jt needs apply_j too")
        kind = type(self)
        help = (kind.__doc__ or "a component written in Python").strip().split("\n")[0]
        self.__dict__["object"] = _divan._component(node, self, role, kind.__name__, name, help, template)
        declared = {}
        for base in reversed(kind.__mro__):
            declared.update(base.__dict__.get("fields") or {})
        for key, (type_, *rest) in declared.items():
            value, text, options = (list(rest) + [None, "", {}][len(rest):])[:3]
            self.object.add_field(key, type_, values.pop(key, value), text, **options)
        for key, value in values.items():
            self.object.field(key).value = value

    def add_field(self, name, type, value=None, help="", **options):
        return self.object.add_field(name, type, value, help, **options)

    @property
    def node(self):
        return self.object.node

    @property
    def scene(self):
        return self.object.scene

    def __getattr__(self, name):
        handle = self.__dict__.get("object")
        if handle is None or name.startswith("__"):
            raise AttributeError(name)
        return getattr(handle, name)

    def __setattr__(self, name, value):
        handle = self.__dict__.get("object")
        if handle is not None and not name.startswith("_") and handle.alive and handle.has_field(name):
            setattr(handle, name, value)
        else:
            object.__setattr__(self, name, value)

    def __repr__(self):
        return f"<Python {type(self).__name__} {self.object!r}>"


PyObject = Component

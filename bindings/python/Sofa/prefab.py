"""Prefab: a node that builds itself from parameters, and builds itself again when one of them changes."""
import inspect
import os

from .Core import Node, RawPrefab


class Prefab(RawPrefab):
    """Derive from it, list `prefabParameters` ({"name", "type", "help", "default"}) and `prefabData`, and build in
    init()."""

    def __init__(self, *args, **fields):
        RawPrefab.__init__(self, *args, **fields)
        frame = inspect.currentframe().f_back
        self._place_at(frame, self.setDefinitionSourceFileName, self.setDefinitionSourceFilePos)
        self.setSourceTracking(self.getDefinitionSourceFileName())
        if frame is not None and frame.f_back is not None:
            self._place_at(frame.f_back, self.setInstanciationSourceFileName, self.setInstanciationSourceFilePos)
        if "name" not in fields:
            self.setName(type(self).__name__)
        self.addData("prefabname", value=type(self).__name__, type="string", group="Infos", help="name of the prefab")
        self._join(fields)
        text = self._add_parameters(fields)
        self.addData("docstring", value=(type(self).__doc__ or "") + text, type="string", group="Infos",
                     help="documentation of the prefab")
        self._built = True
        self._build()

    @staticmethod
    def _place_at(frame, set_file, set_line):
        set_file(os.path.abspath(frame.f_code.co_filename))
        set_line(frame.f_lineno)

    def _join(self, fields):
        if "parent" in fields and "parents" in fields:
            raise TypeError("a prefab takes either 'parent' or 'parents'")
        parents = fields.get("parents", [fields["parent"]] if "parent" in fields else [])
        for parent in parents:
            if not isinstance(parent, Node):
                raise TypeError("'parent' and 'parents' of a prefab are nodes")
            parent.addChild(self)

    def _add_parameters(self, fields):
        text = ""
        old = getattr(type(self), "properties", None)
        parameters = list(getattr(type(self), "prefabParameters", [])) + list(old or [])
        if old:
            from . import Helper
            Helper.msg_info(self, "'properties' is the old name of 'prefabParameters'")
        for p in parameters:
            if p["name"] == "name":
                continue
            self.addPrefabParameter(p["name"], p.get("help", ""), p["type"], fields.get(p["name"], p.get("default")))
            text += "\n:param %s: %s" % (p["name"], p.get("help", ""))
        for p in getattr(type(self), "prefabData", []):
            self.addData(name=p["name"], type=p["type"], help=p.get("help", ""), group=p.get("group", "Property"),
                         value=fields.get(p["name"]), default=p.get("default"))
            text += "\n:param %s: %s" % (p["name"], p.get("help", ""))
        return text

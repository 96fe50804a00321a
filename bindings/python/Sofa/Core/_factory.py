"""ObjectFactory: which components there are."""
import json

from . import _node
from ._object import categories


def _one(name):
    try:
        return _node.context().describe(name)
    except (KeyError, ValueError):
        return None


def _all():
    return [_one(name) for name in _node.context().components()]


class ClassEntry:
    """What is known of a component."""

    __module__ = "Sofa.Core"

    def __init__(self, facts):
        self.className = facts["name"]
        self.aliases = (facts["aliases"] or "").split()
        self.description = facts["help"]
        self.templates = set(facts["templates"])
        self.defaultTemplate = facts["templates"][0] if facts["templates"] else ""
        self.targets = {facts["module"]} if facts["module"] else set()
        self.categories = categories(facts["roles"])
        self.authors = self.license = ""
        self.locations = set()
        self.dataAlias = {f["name"]: f["alias"].split() for f in facts["fields"] if f["alias"]}
        self.fields = facts["fields"]

    def __repr__(self):
        return "<%s>" % self.className

    def __str__(self):
        return "Component '%s'\n  Description: %s\n  Aliases: %s\n  Templates: %s\n  Targets: %s" % (
            self.className, self.description, ", ".join(self.aliases) or "None",
            ", ".join(sorted(self.templates)) or "None", ", ".join(sorted(self.targets)) or "None")


class _Lists(type):
    @property
    def components(cls):
        return [ClassEntry(f) for f in _all()]

    @property
    def targets(cls):
        return {f["module"] for f in _all() if f["module"]}


class ObjectFactory(metaclass=_Lists):
    """The components that there are."""

    __module__ = "Sofa.Core"

    @staticmethod
    def hasComponent(name):
        return _one(name) is not None

    @staticmethod
    def getComponent(name):
        facts = _one(name)
        if facts is None:
            raise ValueError("there is no component '%s'" % name)
        return ClassEntry(facts)

    @staticmethod
    def shortName(name):
        return name[:1].lower() + name[1:]

    @staticmethod
    def getComponentsFromTarget(target):
        return [ClassEntry(f) for f in _all() if f["module"] == target]

    @staticmethod
    def dump_json():
        return json.dumps([{"className": f["name"], "description": f["help"], "templates": f["templates"],
                            "target": f["module"], "categories": categories(f["roles"])}
                           for f in _all()])

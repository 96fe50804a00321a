"""Writes a scene file as a scene in Python: `python3 -m divan.rewrite scene.scn scene.py`.

The result builds the same scene with the module; it gives the same bits, and is a start for a scene of one's own.
"""

import keyword
import os
import sys
import warnings
import xml.etree.ElementTree

from . import _divan
from ._base import SceneWarning
from ._scene import Scene

REALS = {"numbers", "pairs", "points", "quadruples", "quintuples", "sextuples", "tuples", "coordinates", "derivatives"}
INTS = {"indices", "edges", "triangles", "quads or tetrahedra", "pyramids", "prisms", "hexahedra", "index tuples"}
FIXED = {"vec3", "mat3", "mat4", "vec", "ivec2", "ivec3", "ivec6", "colour"}


def _numbers(text, kind):
    out = [kind(word) for word in text.split()]
    if any(x != x or x in (float("inf"), float("-inf")) for x in out):
        raise ValueError("not finite")
    return out


def _value(field, text):
    """A text of a scene file as what it is in Python; as text where that is not sure."""
    kind = field["type"] if field else ""
    if text.strip().startswith("@"):
        return repr(text)
    try:
        if kind == "bool" and text.strip() in ("0", "1"):
            return repr(text.strip() == "1")
        if kind == "int":
            return repr(int(text))
        if kind == "real":
            return repr(_numbers(text, float)[0]) if len(text.split()) == 1 else repr(text)
        if kind in FIXED and len(text.split()) == field["width"]:
            return repr(tuple(_numbers(text, int if kind.startswith("ivec") else float)))
        if kind in REALS or kind in INTS:
            numbers, width = _numbers(text, float if kind in REALS else int), field["width"]
            if width > 1 and len(numbers) % width == 0:
                return repr([numbers[i:i + width] for i in range(0, len(numbers), width)])
            return repr(numbers) if width == 1 else repr(text)
    except ValueError:
        pass
    return repr(text)


class _Writer:
    def __init__(self):
        self.context = _divan.Context(threads=1)
        self.lines, self.count, self.classes = [], 0, {}

    def fields(self, name):
        if name not in self.classes:
            self.classes[name] = {f["name"]: f for f in self.context.describe(name)["fields"]}
        return self.classes[name]

    def arguments(self, element, skip=()):
        known = self.fields(element.tag)
        plain, odd = [], []
        for key, text in element.attrib.items():
            if key in skip:
                continue
            value = _value(known.get(key), text)
            good = key.isidentifier() and not keyword.iskeyword(key)
            (plain if good else odd).append(f"{key}={value}" if good else f"{key!r}: {value}")
        return plain + ([f"**{{{', '.join(odd)}}}"] if odd else [])

    def call(self, before, arguments):
        line = f"    {before}({', '.join(arguments)})"
        if len(line) <= 120:
            self.lines.append(line)
            return
        self.lines.append(f"    {before}({arguments[0]},")
        for argument in arguments[1:]:
            self.lines.append(f"        {argument},")
        self.lines[-1] = self.lines[-1][:-1] + ")"

    def node(self, element, variable):
        for child in element:
            if not isinstance(child.tag, str):
                continue
            if child.tag == "Node":
                self.count += 1
                below = f"node{self.count}"
                self.lines.append("")
                self.call(f"{below} = {variable}.add_child", [repr(child.get("name", "node"))] + self.arguments(child, ("name",)))
                self.node(child, below)
            else:
                self.call(f"{variable}.add", [repr(child.tag)] + self.arguments(child))


def rewrite(path):
    """The text of a scene in Python that builds what the scene file says."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SceneWarning)
        text = Scene.load(path, context=_divan.Context(threads=1)).text()
    root = xml.etree.ElementTree.fromstring(text)
    writer = _Writer()
    writer.lines.append(f'"""{os.path.basename(path)} in Python."""\n\n\ndef create_scene(root):')
    for key, value in root.attrib.items():
        known = writer.fields("Node").get(key) if key != "name" else None
        writer.lines.append(f"    root.{key} = {_value(known, value)}")
    writer.node(root, "root")
    if len(writer.lines) == 1:
        writer.lines.append("    pass")
    return "\n".join(writer.lines) + "\n"


def main(arguments):
    if len(arguments) != 2:
        print("usage: python3 -m divan.rewrite SCENE.scn SCENE.py", file=sys.stderr)
        return 2
    text = rewrite(arguments[0])
    with open(arguments[1], "w", encoding="utf-8") as out:
        out.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Writes a scene file as a scene in Python: `divan convert scene.scn scene.py`."""
import keyword
import os
import re
import sys
import xml.etree.ElementTree as tree

import divan

_NUMBER = re.compile(r"[+-]?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$")


def _value(text):
    """A text as Python has it: numbers as numbers, everything else as text."""
    words = text.split()
    if words and all(_NUMBER.match(w) for w in words):
        words = ["-0.0" if w == "-0" else w for w in words]   # whole numbers have no negative zero
        return words[0] if len(words) == 1 else "[%s]" % ", ".join(words)
    return repr(text)


def _arguments(attributes):
    """Keyword arguments; names that Python does not take go through a dictionary."""
    plain = [(n, v) for n, v in attributes.items() if n.isidentifier() and not keyword.iskeyword(n)]
    odd = [(n, v) for n, v in attributes.items() if not n.isidentifier() or keyword.iskeyword(n)]
    parts = ["%s=%s" % (n, _value(v) if n not in ("name", "template") else repr(v)) for n, v in plain]
    if odd:
        parts.append("**{%s}" % ", ".join("%r: %s" % (n, _value(v)) for n, v in odd))
    return parts


def _call(indent, head, parts):
    """A call, over several lines where it is long."""
    line = "%s%s(%s)" % (indent, head, ", ".join(parts))
    if len(line) <= 120:
        return [line]
    lines, pad = ["%s%s(" % (indent, head)], indent + "    "
    for i, part in enumerate(parts):
        end = ")" if i + 1 == len(parts) else ","
        if len(lines[-1]) + len(part) + 2 <= 118 and lines[-1].startswith(pad):
            lines[-1] += " " + part + end
        else:
            lines.append(pad + part + end)
    return lines


class _Writer:
    def __init__(self):
        self.lines, self.names = [], {"rootNode", "Sofa", "createScene"}

    def variable(self, name):
        base = re.sub(r"\W", "_", name or "node")
        if base[0].isdigit() or keyword.iskeyword(base):
            base = "_" + base
        found, count = base, 2
        while found in self.names:
            found, count = "%s_%d" % (base, count), count + 1
        self.names.add(found)
        return found

    def contents(self, element, variable):
        for child in element:
            if child.tag != "Node":
                self.lines += _call("    ", "%s.addObject" % variable, [repr(child.tag)] + _arguments(child.attrib))
                continue
            attributes = dict(child.attrib)
            name = attributes.pop("name", "node")
            below = self.variable(name)
            self.lines += ["", "    # %s" % name] if len(child) else [""]
            self.lines += _call("    ", "%s = %s.addChild" % (below, variable), [repr(name)] + _arguments(attributes))
            self.contents(child, below)

    def scene(self, root):
        for name, value in root.attrib.items():
            if name == "compat":
                self.lines.append("    # run it with --compat %s" % value)
            elif name == "name":
                self.lines.append("    rootNode.name = %r" % value)
            else:
                self.lines.append("    rootNode.%s = %s" % (name, _value(value)))
        self.contents(root, "rootNode")
        if not self.lines:
            self.lines.append("    pass")
        return "\n".join(self.lines)


def text_of(scene, origin):
    """The Python text of a scene that was read and not initialised."""
    return _text(scene.text(), origin)


def _text(xml, name):
    body = _Writer().scene(tree.fromstring(xml))
    return '"""%s: run it with `divan run` or `divan view`."""\n\n\ndef createScene(rootNode):\n%s\n' % (name, body)


def convert(target, write):
    """What `divan convert` makes of a scene, as a script; returns the exit status. write(path) is the command, for a scene file beside
    the script: names of files are seen from there."""
    part = os.path.join(os.path.dirname(target) or ".", ".%s.scn" % os.path.basename(target))
    try:
        status = write(part)
        if status:
            return status
        with open(part, encoding="utf-8", errors="surrogateescape") as f:
            text = _text(f.read(), os.path.basename(target))
        with open(target, "w", encoding="utf-8", errors="surrogateescape") as f:
            f.write(text)
    except OSError as error:
        print("divan: error: %s cannot be written: %s" % (target, error.strerror), file=sys.stderr)
        return 4
    finally:
        if os.path.exists(part):
            os.remove(part)
    return 0

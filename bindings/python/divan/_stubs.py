"""Writes components.pyi: every component with the types, units and help of its fields. `python3 -m divan._stubs FILE`."""

import keyword
import sys

from . import _divan

HEAD = '''# Made by divan._stubs from the components of the library.
from typing import Any, Sequence, Union

from ._divan import Field, Node, Object

_Real = Union[float, Field, str]
_Int = Union[int, Field, str]
_Bool = Union[bool, Field, str]
_Text = Union[str, Field]
_Reals = Union[Sequence[float], Sequence[Sequence[float]], Field, Object, str, Any]
_Ints = Union[Sequence[int], Sequence[Sequence[int]], Field, Object, str, Any]
_Texts = Union[Sequence[str], Field, str]
_Link = Union[Object, Node, str]
_Links = Union[Sequence[Union[Object, Node, str]], Object, Node, str]

'''
TYPES = {"bool": "_Bool", "int": "_Int", "real": "_Real", "string": "_Text", "file": "_Text", "choice": "_Text", "strings": "_Texts",
         "link": "_Link", "links": "_Links", "lists of indices": "_Ints", "ivec2": "_Ints", "ivec3": "_Ints", "ivec6": "_Ints",
         "indices": "_Ints", "edges": "_Ints", "triangles": "_Ints", "quads or tetrahedra": "_Ints", "pyramids": "_Ints",
         "prisms": "_Ints", "hexahedra": "_Ints", "index tuples": "_Ints"}
HIDDEN = 8


def _clean(text):
    return text.replace("\\", "\\\\").replace('"""', "'''")


def stub_of(component):
    fields = [f for f in component["fields"] if not f["flags"] & HIDDEN]
    usable = [f for f in fields if f["name"].isidentifier() and not keyword.iskeyword(f["name"]) and f["name"] not in ("name", "node")]
    seen, arguments = set(), []
    for f in usable:
        if f["name"] not in seen:
            seen.add(f["name"])
            arguments.append(f"{f['name']}: {TYPES.get(f['type'], '_Reals')} = ...")
    lines = [f"def {component['name']}(node: Node, name: str | None = ..., *, template: str = ..., src: _Link = ...,"]
    lines += [f"        {a}," for a in arguments]
    lines += ["        **others: Any) -> Object:", f'    """{_clean(component["help"])}', ""]
    for f in fields:
        unit = f" [{f['unit']}]" if f["unit"] else ""
        choice = f" ({f['options'].replace('|', ', ')})" if f["options"] else ""
        initial = f"; {f['initial']} by default" if f["initial"] and len(f["initial"]) < 40 else ""
        lines.append(f"    {f['name']}{unit}: {_clean(f['help'])}{choice}{initial}")
    return "\n".join(lines + ['    """', "    ...", ""])


def stubs():
    context = _divan.Context(threads=1)
    return HEAD + "\n".join(stub_of(context.describe(name)) for name in sorted(context.components()) if name.isidentifier())


if __name__ == "__main__":
    with open(sys.argv[1], "w", encoding="utf-8") as out:
        out.write(stubs())

"""Types of fields: what divan calls them and what SOFA does."""

_SCALARS = {"bool": "bool", "int": "int", "real": "double", "string": "string", "file": "string",
            "choice": "OptionsGroup", "colour": "RGBAColor", "lists of indices": "vector<vector<unsigned int>>",
            "strings": "vector<string>", "link": "Link", "links": "Link"}
_LISTS = {"numbers", "pairs", "points", "quadruples", "quintuples", "sextuples", "tuples", "coordinates", "derivatives"}
_INT_LISTS = {"indices": "unsigned int", "edges": "Edge", "triangles": "Triangle", "pyramids": "Pyramid",
              "prisms": "Penta", "hexahedra": "Hexa", "index tuples": "unsigned int"}
_FIXED = {"vec", "vec3", "mat3", "mat4", "coordinate", "derivative"}
_FIXED_INT = {"ivec2": 2, "ivec3": 3, "ivec6": 6}
_MATRICES = {9: "Mat3x3d", 12: "Mat3x4d", 16: "Mat4x4d", 4: "Mat2x2d"}

# types that addData takes: name -> type of a field of divan
CREATABLE = {"string": "string", "float": "real", "double": "real", "bool": "bool", "int": "int", "unsigned int": "int",
             "RGBAColor": "colour", "Link": "link", "PrefabLink": "link", "vector<string>": "strings",
             "vector<bool>": "bools", "vector<int>": "ints", "vector<unsigned int>": "ints", "vector<float>": "reals",
             "vector<double>": "reals"}
for _letter in "df":
    for _row_type in ("Vec2", "Vec3", "Vec4", "Vec6"):
        CREATABLE[_row_type + _letter] = _row_type.lower()
        CREATABLE["vector<%s%s>" % (_row_type, _letter)] = _row_type.lower() + "s"
    CREATABLE["Vec1" + _letter] = "real"
    CREATABLE["Mat3x3" + _letter], CREATABLE["Mat3x4" + _letter], CREATABLE["Mat4x4" + _letter] = "mat3", "mat34", "mat4"
    CREATABLE["Mat2x2" + _letter] = "vec4"
    CREATABLE["Rigid3%s::VecCoord" % _letter] = "frames"
CREATABLE["Rigid3::VecCoord"] = "frames"
for _element, _list in (("Edge", "edges"), ("Triangle", "triangles"), ("Quad", "quads"), ("Tetra", "tetrahedra"),
                        ("Tetrahedron", "tetrahedra"), ("Hexa", "hexahedra"), ("Hexahedron", "hexahedra"),
                        ("Penta", "prisms")):
    CREATABLE["vector<%s>" % _element] = _list

_LIKE = {"bool": "bool", "int": "int", "real": "real", "string": "string", "file": "string", "choice": "string",
         "colour": "colour", "vec3": "vec3", "mat3": "mat3", "mat4": "mat4", "ivec2": "ivec2", "ivec3": "ivec3",
         "ivec6": "ivec6", "edges": "edges", "triangles": "triangles", "quads or tetrahedra": "quads",
         "pyramids": "pyramids", "prisms": "prisms", "hexahedra": "hexahedra", "indices": "ints",
         "lists of indices": "lists", "strings": "strings", "link": "link", "links": "links"}
_ROWS = {1: "reals", 2: "vec2s", 3: "vec3s", 4: "vec4s", 5: "vec5s", 6: "vec6s", 7: "frames", 10: "vec10s"}
_FEW = {1: "real", 2: "vec2", 3: "vec3", 4: "vec4", 6: "vec6", 9: "mat3", 12: "mat34", 16: "mat4"}


def like(field):
    """The type of a new field that can follow this one; None when there is none."""
    k = kind(field)
    if k in _LIKE:
        return _LIKE[k]
    return (_ROWS if k in _LISTS else _FEW).get(width(field))


def declare(field, name):
    """Notes SOFA's name of the type of a field that was added."""
    from . import _data
    _data._set_mark(field, "type", name)


def kind(field):
    return getattr(field, "kind", None) or field.type


def width(field):
    return getattr(field, "width", 0) or 0


def has_flag(field, flag):
    return bool(field.flags.get(flag))


def is_fixed(field):
    return kind(field) in _FIXED or kind(field) in _FIXED_INT or kind(field) == "colour"


def is_state(field):
    """Coordinates or derivatives of a state, one row for each point."""
    return kind(field) in ("coordinates", "derivatives")


def is_text(field):
    return kind(field) in ("string", "file", "choice", "strings", "link", "links")


def container(field):
    """Which class of Data shows it: numbers, string, strings, link, box or the plain one."""
    k = kind(field)
    if k in ("string", "file"):
        return "string"
    if k == "strings":
        return "strings"
    if k in ("link", "links"):
        return "link"
    if field.name == "bbox" and width(field) == 6:
        return "box"
    if k == "colour" or k in _LISTS or k in _INT_LISTS or k in _FIXED or k in _FIXED_INT or k == "quads or tetrahedra":
        return "numbers"
    return ""


def _row(field, w):
    k = kind(field)
    if k in ("coordinate", "coordinates") and w in (7, 4) and _template(field).startswith("Rigid"):
        return "RigidCoord3d" if w == 7 else "RigidCoord2d"
    if k in ("derivative", "derivatives") and _template(field).startswith("Rigid"):
        return "RigidDeriv3d" if w == 6 else "RigidDeriv2d"
    if k == "tuples" and w == 7:
        return "RigidCoord3d"
    return "double" if w <= 1 and not is_state(field) else "Vec%dd" % w


def _template(field):
    return getattr(field.owner, "template", None) or ""


def name(field):
    """The name that SOFA has for the type."""
    from . import _data
    known = _data._mark(field, "type", None)
    if known:
        return known
    k, w = kind(field), width(field)
    if field.name == "bbox":
        return "BoundingBox"
    if k in _SCALARS:
        return _SCALARS[k]
    if k in _LISTS:
        return "vector<%s>" % _row(field, w)
    if k == "quads or tetrahedra":
        return "vector<%s>" % ("Tetra" if "etra" in field.name else "Quad")
    if k in _INT_LISTS:
        return "vector<%s>" % _INT_LISTS[k]
    if k in _FIXED_INT:
        return "Vec%di" % _FIXED_INT[k]
    if k in ("mat3", "mat4"):
        return _MATRICES[9 if k == "mat3" else 16]
    return _row(field, w) if k in _FIXED else k


def text(value):
    """A value as a scene file has it."""
    if isinstance(value, bool):
        return "1" if value else "0"
    if isinstance(value, str):
        return value
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return " ".join(text(v) for v in value)
    if isinstance(value, float) and value == int(value) and abs(value) < 1e15:
        return str(int(value))
    return repr(value)


def parse(kind_, text_):
    if kind_ in ("string", "file", "choice"):
        return text_
    if kind_ == "bool":
        if text_.strip().lower() not in ("0", "1", "true", "false"):
            raise ValueError("a bool is wanted: 0, 1, true or false")
        return text_.strip().lower() in ("1", "true")
    if kind_ == "int":
        return int(text_)
    if kind_ == "real":
        return float(text_)
    if kind_ == "strings":
        return text_.split()
    return [float(t) for t in text_.split()]


def guess(value):
    """The type that a value of Python gets when addData is not told one; None when there is no idea."""
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, int):
        return "int"
    if isinstance(value, float):
        return "double"
    if isinstance(value, str):
        return "string"
    return None

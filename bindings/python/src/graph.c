// The graph of a scene: walking it, building it, taking things out. See graph.h.
#include "graph.h"
#include "pins.h"

#include "io/scene/scene_build.h"
#include "scene/names.h"

#include <string.h>

// --- walking -------------------------------------------------------------------------------------

static PyObject *list_nodes(Scene *s, dvNode *const *nodes, size_t count)
{
  PyObject *list = PyList_New((Py_ssize_t)count);
  for (size_t i = 0; list && i < count; i++) {
    PyObject *h = handle_of(s, &nodes[i]->base);
    if (!h || PyList_SetItem(list, (Py_ssize_t)i, h) < 0) Py_CLEAR(list);
  }
  return list;
}

PyObject *node_parent(PyObject *self, void *closure)
{
  DV_UNUSED(closure);
  dvNode *n = node_use(self);
  if (!n) return NULL;
  if (!n->parents.count) return Py_NewRef(Py_None);
  return handle_of(((Handle *)self)->scene, &n->parents.data[0]->base);
}

PyObject *node_parents(PyObject *self, void *closure)
{
  DV_UNUSED(closure);
  dvNode *n = node_use(self);
  return n ? list_nodes(((Handle *)self)->scene, n->parents.data, n->parents.count) : NULL;
}

PyObject *node_children(PyObject *self, void *closure)
{
  DV_UNUSED(closure);
  dvNode *n = node_use(self);
  return n ? list_nodes(((Handle *)self)->scene, n->children.data, n->children.count) : NULL;
}

PyObject *node_objects(PyObject *self, void *closure)
{
  DV_UNUSED(closure);
  dvNode *n = node_use(self);
  PyObject *list = n ? PyList_New((Py_ssize_t)n->objects.count) : NULL;
  for (size_t i = 0; list && i < n->objects.count; i++) {
    PyObject *h = handle_of(((Handle *)self)->scene, n->objects.data[i]);
    if (!h || PyList_SetItem(list, (Py_ssize_t)i, h) < 0) Py_CLEAR(list);
  }
  return list;
}

static PyObject *by_name(PyObject *self, PyObject *name, bool child)
{
  dvNode *n = node_use(self);
  const char *text = n ? PyUnicode_AsUTF8AndSize(name, NULL) : NULL;
  if (!text) return NULL;
  dvObject *found = child ? (dvObject *)dv_node_child(n, text) : dv_node_object(n, text);
  return found ? handle_of(((Handle *)self)->scene, found) : Py_NewRef(Py_None);
}

PyObject *node_child(PyObject *self, PyObject *name) { return by_name(self, name, true); }
PyObject *node_object(PyObject *self, PyObject *name) { return by_name(self, name, false); }

PyObject *node_active(PyObject *self, void *closure)
{
  DV_UNUSED(closure);
  dvNode *n = node_use(self);
  return n ? PyBool_FromLong(n->activated) : NULL;
}

int node_set_active(PyObject *self, PyObject *value, void *closure)
{
  DV_UNUSED(closure);
  dvNode *n = node_use(self);
  if (!n || !value || !may_change(((Handle *)self)->scene)) return -1;
  return field_assign((Handle *)self, dv_field_of(&n->base, &n->activated), value) ? 0 : -1;
}

// --- building ------------------------------------------------------------------------------------

bool may_change(Scene *s)
{
  if (!s->context->computing) return true;
  PyErr_SetString(PyExc_RuntimeError, "nodes and components cannot come or go inside of a force, mass or mapping; "
                                      "do it in an event or between steps");
  return false;
}

static bool add_attribute(dvAttributes *a, PyObject *name, PyObject *value, dvPlace place)
{
  PyObject *text = value_as_text(value);
  const char *key = text ? PyUnicode_AsUTF8AndSize(name, NULL) : NULL;
  PyObject *utf8 = key ? PyUnicode_AsEncodedString(text, "utf-8", "surrogateescape") : NULL;
  if (utf8) dv_attribute_add(a, key, PyBytes_AsString(utf8), place);
  Py_XDECREF(utf8);
  Py_XDECREF(text);
  return utf8 != NULL;
}

// numbers in rows, links by the object itself, and lists are set as what they are, everything else as in a scene file
static bool is_deferred(PyObject *value)
{
  return value_is_typed(value) || is_handle(value) || PyObject_TypeCheck(value, (PyTypeObject *)type_field);
}

static bool take_texts(dvAttributes *a, PyObject *const *values, PyObject *names, dvPlace place)
{
  const Py_ssize_t n = names ? PyTuple_Size(names) : 0;
  for (Py_ssize_t i = 0; i < n; i++)
    if (values[i] != Py_None && !is_deferred(values[i]) &&
        !add_attribute(a, PyTuple_GetItem(names, i), values[i], place))
      return false;
  return true;
}

// values of fields that the class has wait; others become attributes, for the component to make sense of
static bool take_rest(dvObject *o, PyObject *const *values, PyObject *names)
{
  const Py_ssize_t n = names ? PyTuple_Size(names) : 0;
  for (Py_ssize_t i = 0; i < n; i++) {
    if (values[i] == Py_None || !is_deferred(values[i])) continue;
    const char *key = PyUnicode_AsUTF8AndSize(PyTuple_GetItem(names, i), NULL);
    if (!key) return false;
    if (!dv_object_field(o, key) && !add_attribute(&o->attributes, PyTuple_GetItem(names, i), values[i], o->place))
      return false;
  }
  return true;
}

static bool assign_rest(Scene *s, dvObject *o, PyObject *const *values, PyObject *names)
{
  const Py_ssize_t n = names ? PyTuple_Size(names) : 0;
  PyObject *handle = handle_of(s, o);
  bool good = handle != NULL;
  for (Py_ssize_t i = 0; i < n && good; i++) {
    if (values[i] == Py_None || !is_deferred(values[i])) continue;
    const char *key = PyUnicode_AsUTF8AndSize(PyTuple_GetItem(names, i), NULL);
    dvField *f = NULL;
    for (int nth = 0; key && good && (f = dv_object_field_nth(o, key, nth)); nth++) {
      f->place = o->place;
      good = field_assign((Handle *)handle, f, values[i]);
    }
  }
  Py_XDECREF(handle);
  return good;
}

bool build_with(Scene *s, dvObject *o, PyObject *const *values, PyObject *names)
{
  if (!take_rest(o, values, names)) return false;
  const dvStatus status = dv_build_read(o);
  return context_tell(s->context, s, status, "the component was not made") && assign_rest(s, o, values, names);
}

// name=None, or the second argument
static PyObject *name_among(PyObject *const *args, Py_ssize_t count, PyObject *names, Py_ssize_t at)
{
  if (count > at) return args[at];
  const Py_ssize_t n = names ? PyTuple_Size(names) : 0;
  for (Py_ssize_t i = 0; i < n; i++) {
    const char *key = PyUnicode_AsUTF8AndSize(PyTuple_GetItem(names, i), NULL);
    if (key && strcmp(key, "name") == 0) return args[count + i];
  }
  return NULL;
}

static void discard(dvScene *scene, dvObject *o)
{
  dv_node_remove(o->node, o);
  DV_UNUSED(scene);
  dv_object_destroy(&o);
}

static PyObject *made(Scene *s, dvObject *o)
{
  if (s->scene->initialised) s->pending = true;
  return handle_of(s, o);
}

// what components that are made now carry
static void choose_mode(dvScene *scene)
{
  scene->context->compat = scene->root->base.as_sofa ? DV_COMPAT_SOFA : DV_COMPAT_NONE;
}

PyObject *node_add(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
  dvNode *node = node_use(self);
  Scene *s = ((Handle *)self)->scene;
  if (!node || !may_change(s)) return NULL;
  if (count < 1 || count > 2 || !PyUnicode_Check(args[0]))
    return PyErr_Format(PyExc_TypeError, "add(type, name=None, **fields)");
  const char *type = PyUnicode_AsUTF8AndSize(args[0], NULL);
  dvContext *context = s->context->context;
  const dvPlace place = calling_place(context);
  dvAttributes attributes = {0};
  PyObject *name = name_among(args, count, names, 1), *key = PyUnicode_FromString("name");
  bool good = type && key && (!name || name == Py_None || count < 2 || add_attribute(&attributes, key, name, place));
  Py_XDECREF(key);
  good = good && take_texts(&attributes, args + count, names, place);
  if (!good) {
    dv_attributes_free(&attributes);
    return NULL;
  }
  context_fresh(s->context);
  choose_mode(s->scene);
  dvObject *o = dv_build_create(node, type, &attributes, place);
  if (!o)
    return context_tell(s->context, s, context->log.worst, "the component was not made") ? Py_NewRef(Py_None) : NULL;
  if (build_with(s, o, args + count, names)) return made(s, o);
  discard(s->scene, o);
  return NULL;
}

PyObject *node_add_child(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
  dvNode *parent = node_use(self);
  Scene *s = ((Handle *)self)->scene;
  if (!parent || !may_change(s)) return NULL;
  PyObject *name = name_among(args, count, names, 0);
  if (count > 1 || (name && !PyUnicode_Check(name))) return PyErr_Format(PyExc_TypeError, "add_child(name, **fields)");
  const char *text = name ? PyUnicode_AsUTF8AndSize(name, NULL) : "node";
  if (!text) return NULL;
  context_fresh(s->context);
  choose_mode(s->scene);
  dvNode *node = dv_build_node(parent, text, calling_place(s->context->context));
  if (!node) {
    context_tell(s->context, s, DV_ERROR_INPUT, "the node was not made");
    return NULL;
  }
  if (take_texts(&node->base.attributes, args + count, names, node->base.place) &&
      build_with(s, &node->base, args + count, names))
    return made(s, &node->base);
  dv_scene_bury(s->scene, &node->base);
  return NULL;
}

// --- taking out ----------------------------------------------------------------------------------

static dvWalk forget_node(dvVisitor *v, dvNode *node)
{
  DV_UNUSED(v);
  handle_forget(&node->base);
  for (size_t i = 0; i < node->objects.count; i++) handle_forget(node->objects.data[i]);
  return DV_WALK_ON;
}

static dvNode *other_node(PyObject *self, PyObject *what)
{
  if (!PyObject_TypeCheck(what, (PyTypeObject *)type_node)) {
    PyErr_SetString(PyExc_TypeError, "a node is wanted");
    return NULL;
  }
  dvNode *n = node_use(what);
  if (n && ((Handle *)what)->scene != ((Handle *)self)->scene) {
    PyErr_SetString(PyExc_ValueError, "the node belongs to another scene");
    return NULL;
  }
  return n;
}

static bool is_child(const dvNode *node, const dvNode *child)
{
  for (size_t i = 0; i < node->children.count; i++)
    if (node->children.data[i] == child) return true;
  return false;
}

// of a component that is written in Python; NULL, without an exception, of anything else
static PyObject *handle_inside(PyObject *what)
{
  PyObject *inside = is_handle(what) ? NULL : PyObject_GetAttrString(what, "object");
  PyErr_Clear();
  if (inside && is_handle(inside)) return inside;
  Py_XDECREF(inside);
  return NULL;
}

PyObject *node_remove(PyObject *self, PyObject *what)
{
  PyObject *inside = handle_inside(what);
  if (inside) {
    PyObject *done = node_remove(self, inside);
    Py_DECREF(inside);
    return done;
  }
  dvNode *node = node_use(self);
  Scene *s = ((Handle *)self)->scene;
  if (!node || !may_change(s)) return NULL;
  if (!is_handle(what)) return PyErr_Format(PyExc_TypeError, "a component or node is wanted, not %R", what);
  dvObject *o = handle_use(what);
  if (!o) return NULL;
  dvNode *child = dv_node_of(o);
  if (child ? !is_child(node, child) : o->node != node)
    return PyErr_Format(PyExc_ValueError, "%s does not stand in %s", o->name, node->base.name);
  if (s->scene->loop == o) return PyErr_Format(PyExc_ValueError, "the animation loop cannot be taken out");
  if (child && child->parents.count > 1) return node_detach(self, what);
  if (child) {
    dvVisitor v = {.top_down = forget_node, .everything = true};
    dv_visit(child, &v);
  }
  handle_forget(o);
  dv_scene_bury(s->scene, o);
  return Py_NewRef(Py_None);
}

static void leave_parent(dvNode *parent, dvNode *node)
{
  for (size_t i = 0; i < parent->children.count; i++)
    if (parent->children.data[i] == node) {
      dv_array_remove(&parent->children, i);
      break;
    }
  for (size_t i = 0; i < node->parents.count; i++)
    if (node->parents.data[i] == parent) {
      dv_array_remove(&node->parents, i);
      break;
    }
  dv_names_free(&parent->child_names);
  for (size_t i = 0; i < parent->children.count; i++)
    dv_names_add(&parent->child_names, &parent->children.data[i]->base);
  parent->scene->version++;
}

PyObject *node_attach(PyObject *self, PyObject *what)
{
  dvNode *node = node_use(self), *child = node ? other_node(self, what) : NULL;
  if (!child || !may_change(((Handle *)self)->scene)) return NULL;
  if (is_child(node, child)) return Py_NewRef(Py_None);
  if (!dv_node_add_child(node, child))
    return PyErr_Format(PyExc_ValueError, "%s stands above %s: the graph would have a circle", child->base.name,
                        node->base.name);
  return Py_NewRef(Py_None);
}

PyObject *node_detach(PyObject *self, PyObject *what)
{
  dvNode *node = node_use(self), *child = node ? other_node(self, what) : NULL;
  if (!child || !may_change(((Handle *)self)->scene)) return NULL;
  if (!is_child(node, child))
    return PyErr_Format(PyExc_ValueError, "%s does not stand in %s", child->base.name, node->base.name);
  if (child->parents.count == 1) return node_remove(self, what);
  Pins pins = {0};
  pins_take(&pins, node->scene->root);
  leave_parent(node, child);
  pins_keep(&pins);
  return Py_NewRef(Py_None);
}

PyObject *node_move(PyObject *self, PyObject *where)
{
  dvNode *node = node_use(self), *parent = node ? other_node(self, where) : NULL;
  if (!parent || !may_change(((Handle *)self)->scene)) return NULL;
  if (!node->parents.count) return PyErr_Format(PyExc_ValueError, "the root has no place to move to");
  if (is_child(parent, node)) return Py_NewRef(Py_None);
  Pins pins = {0};
  pins_take(&pins, node->scene->root);
  const bool good = dv_node_add_child(parent, node);
  while (good && node->parents.data[0] != parent) leave_parent(node->parents.data[0], node);
  pins_keep(&pins);
  if (!good)
    return PyErr_Format(PyExc_ValueError, "%s stands above %s: the graph would have a circle", node->base.name,
                        parent->base.name);
  return Py_NewRef(Py_None);
}

PyObject *node_init(PyObject *self, PyObject *none)
{
  DV_UNUSED(none);
  if (!node_use(self)) return NULL;
  Scene *s = ((Handle *)self)->scene;
  if (!s->scene->initialised) return PyObject_CallMethod((PyObject *)s, "init", NULL);
  return initialise_more(s) ? Py_NewRef(Py_None) : NULL;
}

// --- fields made by the program ------------------------------------------------------------------

static const dvFieldDesc kinds[] = {
    {.name = "bool", .type = DV_T_BOOL, .width = 1},       {.name = "int", .type = DV_T_INT, .width = 1},
    {.name = "real", .type = DV_T_REAL, .width = 1},       {.name = "string", .type = DV_T_STRING, .width = 1},
    {.name = "file", .type = DV_T_FILE, .width = 1},       {.name = "vec2", .type = DV_T_VEC, .width = 2},
    {.name = "vec3", .type = DV_T_VEC, .width = 3},        {.name = "vec4", .type = DV_T_VEC, .width = 4},
    {.name = "vec6", .type = DV_T_VEC, .width = 6},        {.name = "mat3", .type = DV_T_VEC, .width = 9},
    {.name = "mat4", .type = DV_T_VEC, .width = 16},       {.name = "colour", .type = DV_T_COLOUR, .width = 4},
    {.name = "ivec2", .type = DV_T_IVEC, .width = 2},      {.name = "ivec3", .type = DV_T_IVEC, .width = 3},
    {.name = "ivec6", .type = DV_T_IVEC, .width = 6},      {.name = "reals", .type = DV_T_REALS, .width = 1},
    {.name = "vec2s", .type = DV_T_REALS, .width = 2},     {.name = "vec3s", .type = DV_T_REALS, .width = 3},
    {.name = "vec4s", .type = DV_T_REALS, .width = 4},     {.name = "vec6s", .type = DV_T_REALS, .width = 6},
    {.name = "frames", .type = DV_T_REALS, .width = 7},    {.name = "ints", .type = DV_T_INTS, .width = 1},
    {.name = "edges", .type = DV_T_INTS, .width = 2},      {.name = "triangles", .type = DV_T_INTS, .width = 3},
    {.name = "quads", .type = DV_T_INTS, .width = 4},      {.name = "tetrahedra", .type = DV_T_INTS, .width = 4},
    {.name = "pyramids", .type = DV_T_INTS, .width = 5},   {.name = "prisms", .type = DV_T_INTS, .width = 6},
    {.name = "hexahedra", .type = DV_T_INTS, .width = 8},  {.name = "lists", .type = DV_T_LISTS, .width = 1},
    {.name = "strings", .type = DV_T_STRINGS, .width = 1}, {.name = "coords", .type = DV_T_COORDS, .width = 0},
    {.name = "derivs", .type = DV_T_DERIVS, .width = 0},   {.name = "link", .type = DV_T_LINK, .width = 1},
    {.name = "links", .type = DV_T_LINKS, .width = 1},     {.name = "mat34", .type = DV_T_VEC, .width = 12},
    {.name = "bools", .type = DV_T_INTS, .width = 1},      {.name = "vec5s", .type = DV_T_REALS, .width = 5},
};

static const dvFieldDesc *kind_named(const char *name)
{
  for (size_t i = 0; i < DV_COUNT(kinds); i++)
    if (strcmp(kinds[i].name, name) == 0) return &kinds[i];
  return NULL;
}

PyObject *handle_add_field(PyObject *self, PyObject *args, PyObject *names)
{
  static char *keys[] = {"name", "type", "value", "help", "group", "input", "output", "unit", NULL};
  const char *name, *type, *help = "", *group = "", *unit = "";
  int input = 0, output = 0;
  PyObject *value = NULL;
  if (!PyArg_ParseTupleAndKeywords(args, names, "ss|Ossppz:add_field", keys, &name, &type, &value, &help, &group,
                                   &input, &output, &unit))
    return NULL;
  dvObject *o = handle_use(self);
  if (!o) return NULL;
  const dvFieldDesc *like = kind_named(type);
  if (!like) return PyErr_Format(PyExc_ValueError, "there is no type of fields '%s'", type);
  if (dv_object_field(o, name)) return PyErr_Format(PyExc_ValueError, "%s has a field '%s' already", o->name, name);
  if (!dv_object_has_room(o)) return PyErr_Format(PyExc_ValueError, "%s has no room for more fields", o->name);
  dvFieldDesc desc = *like;
  desc.help = dv_context_intern(o->context, help);
  desc.unit = dv_context_intern(o->context, unit ? unit : "");
  desc.group = *group ? dv_context_intern(o->context, group) : NULL;
  desc.initial = "";
  desc.flags = DV_BY_PROGRAM | (input ? DV_INPUT : 0u) | (output ? DV_OUTPUT : 0u);
  dvField *f = dv_object_add_named(o, &desc, name);
  if (value && value != Py_None && !field_assign((Handle *)self, f, value)) return NULL;
  return field_handle((Handle *)self, f);
}

// Nodes and components: handles, attributes by the names of fields, building.
#include "bind.h"

#include "component.h"
#include "graph.h"
#include "io/scene/scene_build.h"
#include "scene/names.h"

#include <string.h>

PyObject *type_node, *type_object;

// Handles are dropped by threads that hold the interpreter's lock, objects are destroyed by threads that may not.
static pthread_mutex_t ties = PTHREAD_MUTEX_INITIALIZER;

// --- life ----------------------------------------------------------------------------------------

static void tie_release(dvBelonging *b)
{
  Tie *t = (Tie *)b;
  pthread_mutex_lock(&ties);
  if (t->handle) {
    t->handle->object = NULL;
    t->handle->tie = NULL;
  }
  pthread_mutex_unlock(&ties);
  dv_free(t);
}

static Tie *find_tie(const dvObject *o)
{
  for (dvBelonging *b = o->belongings; b; b = b->next)
    if (b->release == tie_release) return (Tie *)b;
  return NULL;
}

PyObject *handle_of(Scene *s, dvObject *o)
{
  Tie *t = find_tie(o);
  if (t && t->handle) return Py_NewRef((PyObject *)t->handle);
  PyTypeObject *type = (PyTypeObject *)(dv_node_of(o) ? type_node : type_object);
  Handle *h = (Handle *)((allocfunc)PyType_GetSlot(type, Py_tp_alloc))(type, 0);
  if (!h) return NULL;
  if (!t) {
    t = dv_alloc(sizeof *t);
    t->belonging = (dvBelonging){tie_release, o->belongings};
    o->belongings = &t->belonging;
  }
  h->scene = (Scene *)Py_NewRef((PyObject *)s);
  h->object = o;
  h->tie = t;
  t->handle = h;
  return (PyObject *)h;
}

void handle_forget(dvObject *o)
{
  Tie *t = find_tie(o);
  if (t && t->handle) t->handle->removed = true;
}

static int handle_traverse(PyObject *self, visitproc visit, void *arg)
{
  Py_VISIT(Py_TYPE(self));
  Py_VISIT((PyObject *)((Handle *)self)->scene);
  return 0;
}

static int handle_clear(PyObject *self)
{
  Handle *h = (Handle *)self;
  pthread_mutex_lock(&ties);
  if (h->tie) h->tie->handle = NULL;
  h->tie = NULL;
  h->object = NULL;
  pthread_mutex_unlock(&ties);
  PyObject *scene = (PyObject *)h->scene;
  h->scene = NULL;
  Py_XDECREF(scene);
  return 0;
}

static void handle_dealloc(PyObject *self)
{
  PyObject_GC_UnTrack(self);
  if (((Handle *)self)->weak) PyObject_ClearWeakRefs(self);
  handle_clear(self);
  PyTypeObject *type = Py_TYPE(self);
  ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
  Py_DECREF(type);
}

bool is_handle(PyObject *o)
{
  return Py_TYPE(o) == (PyTypeObject *)type_object || Py_TYPE(o) == (PyTypeObject *)type_node ||
         PyObject_TypeCheck(o, (PyTypeObject *)type_object) || PyObject_TypeCheck(o, (PyTypeObject *)type_node);
}

dvObject *handle_use(PyObject *self)
{
  Handle *h = (Handle *)self;
  if (!h->object || h->removed || !h->scene || !h->scene->scene) {
    PyErr_SetString(PyExc_ReferenceError, !h->scene || !h->scene->scene
                                              ? "the scene is closed"
                                              : "the node or component was taken out of the scene");
    return NULL;
  }
  Context *c = h->scene->context;
  if (!context_is_mine(c)) {
    PyErr_SetString(PyExc_RuntimeError, "another thread uses this scene now");
    return NULL;
  }
  return h->object;
}

dvNode *node_use(PyObject *self)
{
  dvObject *o = handle_use(self);
  return o ? (dvNode *)o : NULL;
}

PyObject *text_of(const char *s)
{
  if (!s) return Py_NewRef(Py_None);
  PyObject *t = PyUnicode_DecodeUTF8(s, (Py_ssize_t)strlen(s), "surrogateescape");
  return t;
}

void list_take(PyObject **list, PyObject *item)
{
  if (!item || PyList_Append(*list, item) < 0) Py_CLEAR(*list);
  Py_XDECREF(item);
}

// --- where the program that calls stands ---------------------------------------------------------

static DV_ARRAY(char *) packages;   // directories whose frames are passed over

bool add_package(PyObject *directory)
{
  PyObject *bytes = PyUnicode_EncodeFSDefault(directory);
  if (!bytes) return false;
  dv_push(&packages, dv_strdup(PyBytes_AsString(bytes)));
  Py_DECREF(bytes);
  return true;
}

static bool is_ours(const char *file)
{
  for (size_t i = 0; i < packages.count; i++)
    if (dv_starts_with(file, packages.data[i])) return true;
  return false;
}

dvPlace calling_place(dvContext *context)
{
  dvPlace place = {0};
  PyObject *frame = Py_XNewRef((PyObject *)PyEval_GetFrame());
  while (frame && frame != Py_None) {
    PyObject *code = (PyObject *)PyFrame_GetCode((PyFrameObject *)frame);
    PyObject *file = code ? PyObject_GetAttrString(code, "co_filename") : NULL;
    PyObject *bytes = file ? PyUnicode_EncodeFSDefault(file) : NULL;
    const bool found = bytes && !is_ours(PyBytes_AsString(bytes));
    if (found) {
      place.file = dv_context_intern(context, PyBytes_AsString(bytes));
      place.line = PyFrame_GetLineNumber((PyFrameObject *)frame);
    }
    Py_XDECREF(bytes);
    Py_XDECREF(file);
    Py_XDECREF(code);
    PyObject *next = found ? NULL : PyObject_GetAttrString(frame, "f_back");
    Py_DECREF(frame);
    frame = next;
  }
  Py_XDECREF(frame);
  PyErr_Clear();
  return place;
}

// --- what both have ------------------------------------------------------------------------------

static PyObject *handle_name(PyObject *self, void *closure)
{
  DV_UNUSED(closure);
  dvObject *o = handle_use(self);
  return o ? text_of(o->name) : NULL;
}

static void name_again(dvNames *names, dvObject *const *objects, size_t count)
{
  dv_names_free(names);
  for (size_t i = 0; i < count; i++) dv_names_add(names, objects[i]);
}

static int handle_set_name(PyObject *self, PyObject *value, void *closure)
{
  DV_UNUSED(closure);
  dvObject *o = handle_use(self);
  PyObject *bytes = o && value && PyUnicode_Check(value) ? PyUnicode_AsUTF8String(value) : NULL;
  if (!bytes) {
    if (!PyErr_Occurred()) PyErr_SetString(PyExc_TypeError, "a name is a text");
    return -1;
  }
  dv_free(o->name);
  o->name = dv_strdup(PyBytes_AsString(bytes));
  Py_DECREF(bytes);
  dvNode *node = dv_node_of(o);
  if (!node) {
    name_again(&o->node->object_names, o->node->objects.data, o->node->objects.count);
    return 0;
  }
  for (size_t p = 0; p < node->parents.count; p++) {
    dvNode *parent = node->parents.data[p];
    dv_names_free(&parent->child_names);
    for (size_t i = 0; i < parent->children.count; i++)
      dv_names_add(&parent->child_names, &parent->children.data[i]->base);
  }
  return 0;
}

static PyObject *handle_path(PyObject *self, void *closure)
{
  DV_UNUSED(closure);
  dvObject *o = handle_use(self);
  if (!o) return NULL;
  char *path = dv_object_path(o);
  PyObject *text = text_of(path);
  dv_free(path);
  return text;
}

static PyObject *handle_scene(PyObject *self, void *closure)
{
  DV_UNUSED(closure);
  return handle_use(self) ? Py_NewRef((PyObject *)((Handle *)self)->scene) : NULL;
}

static PyObject *handle_fields(PyObject *self, void *closure)
{
  DV_UNUSED(closure);
  dvObject *o = handle_use(self);
  PyObject *list = o ? PyList_New(o->field_count) : NULL;
  for (int i = 0; list && i < o->field_count; i++)
    if (PyList_SetItem(list, i, text_of(dv_field_name(o->fields[i].desc))) < 0) Py_CLEAR(list);
  return list;
}

static PyObject *no_such_field(dvObject *o, const char *name, PyObject *kind)
{
  const char *near = dv_object_nearest_field(o, name);
  return PyErr_Format(kind, "%s (%s) has no field '%s'%s%s%s", o->name, o->cls->name, name,
                      near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

static PyObject *handle_field(PyObject *self, PyObject *name)
{
  dvObject *o = handle_use(self);
  PyObject *bytes = o ? PyUnicode_AsUTF8String(name) : NULL;
  if (!bytes) return NULL;
  dvField *f = dv_object_field(o, PyBytes_AsString(bytes));
  PyObject *out = f ? field_handle((Handle *)self, f) : no_such_field(o, PyBytes_AsString(bytes), PyExc_KeyError);
  Py_DECREF(bytes);
  return out;
}

static PyObject *handle_has_field(PyObject *self, PyObject *name)
{
  dvObject *o = handle_use(self);
  PyObject *bytes = o ? PyUnicode_AsUTF8String(name) : NULL;
  if (!bytes) return NULL;
  PyObject *out = PyBool_FromLong(dv_object_field(o, PyBytes_AsString(bytes)) != NULL);
  Py_DECREF(bytes);
  return out;
}

static PyObject *handle_find(PyObject *self, PyObject *name)
{
  dvObject *o = handle_use(self);
  PyObject *bytes = o ? PyUnicode_AsUTF8String(name) : NULL;
  if (!bytes) return NULL;
  PyObject *found = scene_find(((Handle *)self)->scene, o, PyBytes_AsString(bytes));
  Py_DECREF(bytes);
  if (!found && !PyErr_Occurred()) return Py_NewRef(Py_None);
  return found;
}

static PyObject *handle_alive(PyObject *self, void *closure)
{
  DV_UNUSED(closure);
  const Handle *h = (const Handle *)self;
  return PyBool_FromLong(h->object && !h->removed && h->scene && h->scene->scene);
}

static PyObject *handle_repr(PyObject *self)
{
  const Handle *h = (const Handle *)self;
  if (!h->object || h->removed) return PyUnicode_FromString("<removed from its scene>");
  char *path = dv_object_path(h->object);
  PyObject *text = PyUnicode_FromFormat("<%s %s>", h->object->cls->name, path);
  dv_free(path);
  return text;
}

static PyObject *handle_type(PyObject *self, void *closure)
{
  DV_UNUSED(closure);
  dvObject *o = handle_use(self);
  return o ? text_of(o->cls->name) : NULL;
}

static PyObject *handle_help(PyObject *self, void *closure)
{
  DV_UNUSED(closure);
  dvObject *o = handle_use(self);
  return o ? text_of(o->cls->help) : NULL;
}

static PyObject *handle_init_done(PyObject *self, void *closure)
{
  DV_UNUSED(closure);
  dvObject *o = handle_use(self);
  if (!o) return NULL;
  return PyBool_FromLong(dv_node_of(o) ? dv_node_of(o)->scene->initialised : o->initialised && !o->failed);
}

static PyObject *handle_address(PyObject *self, void *closure)
{
  DV_UNUSED(closure);
  dvObject *o = handle_use(self);
  return o ? PyLong_FromVoidPtr(o) : NULL;
}

// --- attributes ----------------------------------------------------------------------------------

// Names that are Python's own here: they go before fields of the same name.
static bool is_own(PyObject *type, const char *name)
{
  static const char *const both[] = {"name", "path", "scene",     "fields",    "field",   "has_field", "find",  "alive",
                                     "type", "help", "init_done", "add_field", "address", "template",  "module"};
  static const char *const node[] = {"parent", "parents", "children", "objects", "add",  "add_child", "remove",
                                     "attach", "detach",  "active",   "move",    "init", "child",     "object"};
  static const char *const object[] = {"node", "links", "reinit", "roles", "attributes", "python"};
  if (name[0] == '_') return true;
  for (size_t i = 0; i < DV_COUNT(both); i++)
    if (strcmp(both[i], name) == 0) return true;
  const bool is_node = type == type_node;
  const char *const *list = is_node ? node : object;
  const size_t count = is_node ? DV_COUNT(node) : DV_COUNT(object);
  for (size_t i = 0; i < count; i++)
    if (strcmp(list[i], name) == 0) return true;
  return false;
}

static PyObject *handle_getattr(PyObject *self, PyObject *name)
{
  const char *text = PyUnicode_AsUTF8AndSize(name, NULL);
  if (!text) return NULL;
  PyObject *type = (PyObject *)Py_TYPE(self);
  if (is_own(type, text)) return PyObject_GenericGetAttr(self, name);
  dvObject *o = handle_use(self);
  if (!o) return NULL;
  Handle *h = (Handle *)self;
  dvField *f = dv_object_field(o, text);
  if (f) return field_value(h, f);
  dvNode *node = dv_node_of(o);
  if (node) {
    dvNode *child = dv_node_child(node, text);
    if (child) return handle_of(h->scene, &child->base);
    dvObject *object = dv_node_object(node, text);
    if (object) return handle_of(h->scene, object);
    return PyErr_Format(PyExc_AttributeError, "%s has no field, child or component '%s'", o->name, text);
  }
  return no_such_field(o, text, PyExc_AttributeError);
}

static int handle_setattr(PyObject *self, PyObject *name, PyObject *value)
{
  const char *text = PyUnicode_AsUTF8AndSize(name, NULL);
  if (!text) return -1;
  if (is_own((PyObject *)Py_TYPE(self), text)) return PyObject_GenericSetAttr(self, name, value);
  dvObject *o = handle_use(self);
  if (!o) return -1;
  dvField *f = dv_object_field(o, text);
  if (!f || !value) {
    no_such_field(o, text, PyExc_AttributeError);
    return -1;
  }
  return field_assign((Handle *)self, f, value) ? 0 : -1;
}

static PyObject *handle_dir(PyObject *self, PyObject *none)
{
  DV_UNUSED(none);
  PyObject *names = handle_fields(self, NULL);
  PyObject *own = names ? PyObject_Dir((PyObject *)Py_TYPE(self)) : NULL;
  if (!own) {
    Py_XDECREF(names);
    return NULL;
  }
  PyObject *all = PySequence_Concat(names, own);
  Py_DECREF(names);
  Py_DECREF(own);
  dvNode *node = dv_node_of(((Handle *)self)->object);
  for (size_t i = 0; all && node && i < node->children.count; i++) {
    list_take(&all, text_of(node->children.data[i]->base.name));
  }
  for (size_t i = 0; all && node && i < node->objects.count; i++) {
    list_take(&all, text_of(node->objects.data[i]->name));
  }
  return all;
}

// --- components ----------------------------------------------------------------------------------

static PyObject *object_template(PyObject *self, void *closure)
{
  DV_UNUSED(closure);
  dvObject *o = handle_use(self);
  if (!o) return NULL;
  if (o->template_text) return text_of(o->template_text);
  return text_of(o->dof ? o->dof->name : NULL);
}

static PyObject *object_node(PyObject *self, void *closure)
{
  DV_UNUSED(closure);
  dvObject *o = handle_use(self);
  return o ? handle_of(((Handle *)self)->scene, &o->node->base) : NULL;
}

static PyObject *object_python(PyObject *self, void *closure)
{
  DV_UNUSED(closure);
  dvObject *o = handle_use(self);
  return o ? script_instance(o) : NULL;
}

static PyObject *object_roles(PyObject *self, void *closure)
{
  DV_UNUSED(closure);
  dvObject *o = handle_use(self);
  PyObject *list = o ? PyList_New(0) : NULL;
  for (int k = 1; list && k < DV_ROLE_COUNT; k++) {
    if (!dv_plays(o, (dvRole)k)) continue;
    list_take(&list, text_of(dv_role_name((dvRole)k)));
  }
  return list;
}

// links to components, by the names of their fields
static PyObject *object_links(PyObject *self, void *closure)
{
  DV_UNUSED(closure);
  dvObject *o = handle_use(self);
  PyObject *all = o ? PyDict_New() : NULL;
  for (int i = 0; all && i < o->field_count; i++) {
    dvField *f = &o->fields[i];
    if (f->desc->type != DV_T_LINK && f->desc->type != DV_T_LINKS) continue;
    PyObject *value = field_value((Handle *)self, f);
    if (!value || PyDict_SetItemString(all, dv_field_name(f->desc), value) < 0) Py_CLEAR(all);
    Py_XDECREF(value);
  }
  return all;
}

static PyObject *object_reinit(PyObject *self, PyObject *none)
{
  DV_UNUSED(none);
  dvObject *o = handle_use(self);
  if (!o) return NULL;
  Scene *s = ((Handle *)self)->scene;
  dvStatus status = DV_OK;
  if (!context_enter(s->context)) return NULL;
  context_fresh(s->context);
  Py_BEGIN_ALLOW_THREADS for (int i = 0; i < o->field_count; i++) dv_field_touch(&o->fields[i]);
  if (o->initialised && !o->failed && o->cls->reinit) status = o->cls->reinit(o);
  Py_END_ALLOW_THREADS context_leave(s->context);
  return context_tell(s->context, s, status, "reinit") ? Py_NewRef(Py_None) : NULL;
}

// --- the types -----------------------------------------------------------------------------------

#define BOTH_PROPERTIES                                                                           \
  {"name", handle_name, handle_set_name, "its name in the node", NULL},                           \
      {"path", handle_path, NULL, "where it stands: /Liver/dofs", NULL},                          \
      {"scene", handle_scene, NULL, "the scene it belongs to", NULL},                             \
      {"fields", handle_fields, NULL, "names of its fields", NULL},                               \
      {"alive", handle_alive, NULL, "whether it is part of a scene", NULL},                       \
      {"type", handle_type, NULL, "name of its class, as in scene files", NULL},                  \
      {"help", handle_help, NULL, "what it is", NULL},                                            \
      {"init_done", handle_init_done, NULL, "whether it was initialised without an error", NULL}, \
  {                                                                                               \
    "address", handle_address, NULL, "a number that no other of the scene has", NULL              \
  }

#define BOTH_METHODS                                                                             \
  {"field", handle_field, METH_O, "the field of this name; KeyError when there is none"},        \
      {"has_field", handle_has_field, METH_O, "whether there is a field of this name"},          \
      {"find", handle_find, METH_O,                                                              \
       "the node, component or field that a path such as ../dofs.position means, or None"},      \
      {"add_field", (PyCFunction)(void (*)(void))handle_add_field, METH_VARARGS | METH_KEYWORDS, \
       "add_field(name, type, value=None, help='', group=''): a field made by the program"},     \
  {                                                                                              \
    "__dir__", handle_dir, METH_NOARGS, NULL                                                     \
  }

static PyGetSetDef object_properties[] = {
    BOTH_PROPERTIES,
    {"template", object_template, NULL, "its degrees of freedom: Vec3d, Rigid3d, ...; None without", NULL},
    {"node", object_node, NULL, "the node it stands in", NULL},
    {"python", object_python, NULL, "the instance of a component that is written in Python, else None", NULL},
    {"roles", object_roles, NULL, "what it does in the scene", NULL},
    {"links", object_links, NULL, "links to components, by the names of their fields", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};
static PyMethodDef object_methods[] = {
    BOTH_METHODS,
    {"reinit", object_reinit, METH_NOARGS, "tells it that fields have changed"},
    {NULL, NULL, 0, NULL},
};
static PyGetSetDef node_properties[] = {
    BOTH_PROPERTIES,
    {"parent", node_parent, NULL, "the node above, None for the root", NULL},
    {"parents", node_parents, NULL, "nodes above: a node may have several", NULL},
    {"children", node_children, NULL, "nodes below, in their order", NULL},
    {"objects", node_objects, NULL, "components, in their order", NULL},
    {"active", node_active, node_set_active, "whether it takes part in the simulation", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};
static PyMethodDef node_methods[] = {
    BOTH_METHODS,
    {"add", (PyCFunction)(void (*)(void))node_add, METH_FASTCALL | METH_KEYWORDS,
     "add(type, name=None, **fields): a new component. Fields take numbers, texts, arrays, and other components or "
     "fields as links."},
    {"add_child", (PyCFunction)(void (*)(void))node_add_child, METH_FASTCALL | METH_KEYWORDS,
     "add_child(name, **fields): a new node below this one"},
    {"remove", node_remove, METH_O, "takes a component or a node below out of the scene"},
    {"attach", node_attach, METH_O, "puts a node of the scene below this one too; it keeps its other parents"},
    {"detach", node_detach, METH_O, "takes a node away from this parent; it keeps its others"},
    {"move", node_move, METH_O, "puts this node below another one"},
    {"init", node_init, METH_NOARGS, "initialises what has come since the scene was initialised"},
    {"child", node_child, METH_O, "the node below of this name, or None"},
    {"object", node_object, METH_O, "the component of this name, or None"},
    {NULL, NULL, 0, NULL},
};
static PyMemberDef handle_members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(Handle, weak), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};
static PyType_Slot object_slots[] = {
    {Py_tp_doc, "A component. Fields are its attributes: spring.stiffness = 100; dofs.position."},
    {Py_tp_dealloc, handle_dealloc},
    {Py_tp_traverse, handle_traverse},
    {Py_tp_clear, handle_clear},
    {Py_tp_repr, handle_repr},
    {Py_tp_getattro, handle_getattr},
    {Py_tp_setattro, handle_setattr},
    {Py_tp_methods, object_methods},
    {Py_tp_getset, object_properties},
    {Py_tp_members, handle_members},
    {0, NULL},
};
static PyType_Slot node_slots[] = {
    {Py_tp_doc,
     "A node of the graph: holds components and nodes below it, which are its attributes, as are its fields."},
    {Py_tp_dealloc, handle_dealloc},
    {Py_tp_traverse, handle_traverse},
    {Py_tp_clear, handle_clear},
    {Py_tp_repr, handle_repr},
    {Py_tp_getattro, handle_getattr},
    {Py_tp_setattro, handle_setattr},
    {Py_tp_methods, node_methods},
    {Py_tp_getset, node_properties},
    {Py_tp_members, handle_members},
    {0, NULL},
};
enum { HANDLE_FLAGS = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION };
static PyType_Spec object_spec = {"divan.Object", sizeof(Handle), 0, HANDLE_FLAGS, object_slots};
static PyType_Spec node_spec = {"divan.Node", sizeof(Handle), 0, HANDLE_FLAGS, node_slots};

bool handle_add_types(PyObject *module)
{
  type_object = PyType_FromSpec(&object_spec);
  type_node = PyType_FromSpec(&node_spec);
  return type_object && type_node && PyModule_AddObjectRef(module, "Object", type_object) == 0 &&
         PyModule_AddObjectRef(module, "Node", type_node) == 0;
}

void handle_rehome(dvObject *o, Scene *to)
{
  Tie *t = find_tie(o);
  if (!t || !t->handle) return;
  PyObject *from = (PyObject *)t->handle->scene;
  t->handle->scene = (Scene *)Py_NewRef((PyObject *)to);
  Py_XDECREF(from);
}

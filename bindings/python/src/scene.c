// Scenes: loading, building, stepping.
#include "bind.h"

#include "component.h"
#include "graph.h"
#include "io/record/snapshot.h"
#include "io/scene/scene_build.h"
#include "io/scene/scene_file.h"
#include "object/compat.h"
#include "query.h"
#include "scene/late.h"
#include "viewer.h"

#include <math.h>
#include <string.h>

PyObject *type_scene;

// --- life ----------------------------------------------------------------------------------------

static Scene *scene_alloc(PyTypeObject *type)
{
  Scene *s = (Scene *)((allocfunc)PyType_GetSlot(type, Py_tp_alloc))(type, 0);
  if (!s) return NULL;
  s->before = PyList_New(0);
  s->after = PyList_New(0);
  s->messages = PyList_New(0);
  s->on_message = Py_NewRef(Py_None);
  if (!s->before || !s->after || !s->messages) Py_CLEAR(s);
  return s;
}

Scene *scene_wrap(dvScene *scene, Context *context, bool borrowed)
{
  Scene *s = scene_alloc((PyTypeObject *)type_scene);
  if (!s) return NULL;
  s->scene = scene;
  s->context = (Context *)Py_NewRef((PyObject *)context);
  s->borrowed = borrowed;
  return s;
}

static int scene_traverse(PyObject *self, visitproc visit, void *arg)
{
  Scene *s = (Scene *)self;
  Py_VISIT(Py_TYPE(self));
  Py_VISIT((PyObject *)s->context);
  for (size_t i = 0; i < s->components.count; i++) Py_VISIT(s->components.data[i]);
  Py_VISIT(s->before);
  Py_VISIT(s->after);
  Py_VISIT(s->messages);
  Py_VISIT(s->on_message);
  Py_VISIT(s->keep);
  return 0;
}

static void destroy(Scene *s)
{
  dvScene *scene = s->scene;
  s->scene = NULL;
  if (!scene || s->borrowed) return;
  Py_BEGIN_ALLOW_THREADS dv_scene_destroy(&scene);
  Py_END_ALLOW_THREADS
}

static void drop_components(Scene *s)
{
  PyObject **all = s->components.data;
  const size_t count = s->components.count;
  s->components.data = NULL;
  s->components.count = s->components.capacity = 0;
  for (size_t i = 0; i < count; i++) Py_DECREF(all[i]);
  dv_free(all);
}

static int scene_clear(PyObject *self)
{
  Scene *s = (Scene *)self;
  destroy(s);   // before the instances that its components call
  drop_components(s);
  Py_CLEAR(s->before);
  Py_CLEAR(s->after);
  Py_CLEAR(s->messages);
  Py_CLEAR(s->on_message);
  Py_CLEAR(s->keep);
  return 0;
}

static void scene_dealloc(PyObject *self)
{
  PyObject_GC_UnTrack(self);
  Scene *s = (Scene *)self;
  if (s->weak) PyObject_ClearWeakRefs(self);
  scene_clear(self);
  PyObject *context = (PyObject *)s->context;
  s->context = NULL;
  Py_XDECREF(context);
  PyTypeObject *type = Py_TYPE(self);
  ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
  Py_DECREF(type);
}

dvScene *scene_use(Scene *s)
{
  if (!s->scene) {
    PyErr_SetString(PyExc_ReferenceError, "the scene is closed");
    return NULL;
  }
  Context *c = s->context;
  if (!context_is_mine(c)) {
    PyErr_SetString(PyExc_RuntimeError, "another thread uses this scene now");
    return NULL;
  }
  return s->scene;
}

// --- making --------------------------------------------------------------------------------------

static Context *context_for_scene(PyObject *context)
{
  if (!context || context == Py_None) return (Context *)PyObject_CallNoArgs(type_context);
  if (!PyObject_TypeCheck(context, (PyTypeObject *)type_context)) {
    PyErr_SetString(PyExc_TypeError, "context is a divan.Context");
    return NULL;
  }
  return (Context *)Py_NewRef(context);
}

static PyObject *scene_make(PyTypeObject *type, PyObject *args, PyObject *kw)
{
  static char *names[] = {"context", NULL};
  PyObject *context = NULL;
  if (!PyArg_ParseTupleAndKeywords(args, kw, "|O:Scene", names, &context)) return NULL;
  Scene *s = scene_alloc(type);
  if (!s) return NULL;
  s->context = context_for_scene(context);
  if (!s->context || !context_enter(s->context)) {
    Py_DECREF(s);
    return NULL;
  }
  context_fresh(s->context);
  dv_compat_begin(s->context->context, NULL, (dvPlace){0});
  s->scene = dv_scene_create(s->context->context);
  s->scene->root->base.place = calling_place(s->context->context);
  context_leave(s->context);
  return (PyObject *)s;
}

// reads a file, or a text when `text` is not NULL
static PyObject *read_scene(PyObject *type, PyObject *context, const char *path, const char *text, Py_ssize_t length,
                            int skip)
{
  Scene *s = scene_alloc((PyTypeObject *)type);
  if (!s) return NULL;
  s->context = context_for_scene(context);
  if (!s->context || !context_enter(s->context)) {
    Py_DECREF(s);
    return NULL;
  }
  context_fresh(s->context);
  dvContext *c = s->context->context;
  const bool before = c->skip_missing;
  c->skip_missing = before || skip;
  dvScene *scene = NULL;
  dvStatus status;
  Py_BEGIN_ALLOW_THREADS status =
      text ? dv_scene_parse(c, path, text, (size_t)length, &scene) : dv_scene_read(c, path, &scene);
  Py_END_ALLOW_THREADS c->skip_missing = before;
  s->skip = before || skip;
  s->scene = scene;
  context_leave(s->context);
  if (!scene && status == DV_OK) status = DV_ERROR_INPUT;
  if (!context_tell(s->context, s, status, path)) Py_CLEAR(s);
  return (PyObject *)s;
}

static PyObject *scene_load(PyObject *type, PyObject *args, PyObject *kw)
{
  static char *names[] = {"path", "context", "skip_missing", NULL};
  PyObject *path = NULL, *context = NULL;
  int skip = 0;
  if (!PyArg_ParseTupleAndKeywords(args, kw, "O&|Op:load", names, PyUnicode_FSConverter, &path, &context, &skip))
    return NULL;
  PyObject *scene = read_scene(type, context, PyBytes_AsString(path), NULL, 0, skip);
  Py_DECREF(path);
  return scene;
}

static PyObject *scene_parse(PyObject *type, PyObject *args, PyObject *kw)
{
  static char *names[] = {"text", "context", "skip_missing", "name", NULL};
  const char *text, *name = "scene";
  Py_ssize_t length;
  PyObject *context = NULL;
  int skip = 0;
  if (!PyArg_ParseTupleAndKeywords(args, kw, "s#|Ops:parse", names, &text, &length, &context, &skip, &name))
    return NULL;
  return read_scene(type, context, name, text, length, skip);
}

// --- running -------------------------------------------------------------------------------------

bool initialise_more(Scene *s)
{
  if (!context_enter(s->context)) return false;
  s->pending = false;
  context_fresh(s->context);
  const bool between = !s->stepping;
  dvStatus status = dv_build_settle(s->scene);
  Py_BEGIN_ALLOW_THREADS if (status == DV_OK) status = dv_scene_init_late(s->scene, between);
  Py_END_ALLOW_THREADS context_leave(s->context);
  return context_tell(s->context, s, status, "what was added could not be initialised");
}

static PyObject *scene_init(PyObject *self, PyObject *none)
{
  DV_UNUSED(none);
  Scene *s = (Scene *)self;
  dvScene *scene = scene_use(s);
  if (!scene) return NULL;
  if (scene->initialised) return initialise_more(s) ? Py_NewRef(self) : NULL;
  if (s->started)
    return PyErr_Format(PyExc_RuntimeError, "the scene could not be initialised before: build or load it again");
  if (!context_enter(s->context)) return NULL;
  s->started = true;
  context_fresh(s->context);
  dvContext *c = s->context->context;
  const bool before = c->skip_missing;
  c->skip_missing = before || s->skip;
  dvStatus status = dv_build_settle(scene);
  s->stepping = true;
  Py_BEGIN_ALLOW_THREADS if (status == DV_OK) status = dv_scene_init(scene);
  Py_END_ALLOW_THREADS s->stepping = false;
  c->skip_missing = before;
  context_leave(s->context);
  if (!context_tell(s->context, s, status, "the scene could not be initialised")) return NULL;
  if (s->pending && !initialise_more(s)) return NULL;
  return Py_NewRef(self);
}

static bool call_all(Scene *s, PyObject *list)
{
  if (!PyList_Check(list)) return true;
  for (Py_ssize_t i = 0; i < PyList_Size(list); i++) {
    PyObject *callback = Py_NewRef(PyList_GetItem(list, i));
    PyObject *done = PyObject_CallFunctionObjArgs(callback, (PyObject *)s, NULL);
    Py_DECREF(callback);
    if (!done) return false;
    Py_DECREF(done);
    if (!s->scene) {
      PyErr_SetString(PyExc_ReferenceError, "the scene was closed while it stepped");
      return false;
    }
    if (s->pending && !initialise_more(s)) return false;
  }
  return true;
}

static bool has_callbacks(const Scene *s) { return PyList_Size(s->before) > 0 || PyList_Size(s->after) > 0; }

// steps without the interpreter's lock; stops at the first that fails
static dvStatus step_free(Scene *s, long n, double dt)
{
  dvStatus status = DV_OK;
  dvScene *scene = s->scene;
  s->stepping = true;
  Py_BEGIN_ALLOW_THREADS for (long i = 0; i < n && status == DV_OK; i++)
  {
    status = dv_scene_step(scene, dt);
    if (s->viewer) viewer_between_steps(s);
  }
  Py_END_ALLOW_THREADS s->stepping = false;
  return status;
}

static bool step_all(Scene *s, long n, double dt)
{
  if (s->pending && !initialise_more(s)) return false;
  s->context->context->log.recent = DV_OK;
  if (!has_callbacks(s)) return context_tell(s->context, s, step_free(s, n, dt), "the step failed");
  for (long i = 0; i < n; i++) {
    if (!call_all(s, s->before)) return false;
    if (!context_tell(s->context, s, step_free(s, 1, dt), "the step failed") || !call_all(s, s->after)) return false;
  }
  return true;
}

static PyObject *scene_step(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
  Scene *s = (Scene *)self;
  long n = 1;
  double dt = 0;
  const Py_ssize_t keywords = names ? PyTuple_Size(names) : 0;
  if (count > 2) return PyErr_Format(PyExc_TypeError, "step(n=1, dt=None)");
  for (Py_ssize_t i = 0; i < count + keywords; i++) {
    const char *name =
        i < count ? (i == 0 ? "n" : "dt") : PyUnicode_AsUTF8AndSize(PyTuple_GetItem(names, i - count), NULL);
    if (!name || (strcmp(name, "n") != 0 && strcmp(name, "dt") != 0))
      return PyErr_Format(PyExc_TypeError, "step(n=1, dt=None) has no argument '%s'", name ? name : "?");
    if (name[0] == 'n') n = PyLong_AsLong(args[i]);
    else if (args[i] != Py_None) dt = PyFloat_AsDouble(args[i]);
    if (PyErr_Occurred()) return NULL;
  }
  if (!isfinite(dt) || dt < 0) return PyErr_Format(PyExc_ValueError, "a time step of that length is not possible");
  if (n < 0)
    return PyErr_Format(PyExc_ValueError, "%ld steps are not possible; scene.reset() goes back to the start", n);
  dvScene *scene = scene_use(s);
  if (!scene) return NULL;
  if (!scene->initialised)
    return PyErr_Format(PyExc_RuntimeError, "the scene is not initialised: call scene.init() first");
  if (s->stepping) return PyErr_Format(PyExc_RuntimeError, "a step is running: a callback cannot begin another one");
  if (!context_enter(s->context)) return NULL;
  const bool good = step_all(s, n, dt);
  context_leave(s->context);
  return good ? Py_NewRef(Py_None) : NULL;
}

static bool between_steps(Scene *s, bool initialised)
{
  dvScene *scene = scene_use(s);
  if (!scene) return false;
  if (initialised && !scene->initialised) {
    PyErr_SetString(PyExc_RuntimeError, "the scene is not initialised: call scene.init() first");
    return false;
  }
  if (s->stepping) {
    PyErr_SetString(PyExc_RuntimeError, "a step is running: do this between steps");
    return false;
  }
  return true;
}

static PyObject *scene_reset(PyObject *self, PyObject *none)
{
  DV_UNUSED(none);
  Scene *s = (Scene *)self;
  if (!between_steps(s, true) || !context_enter(s->context)) return NULL;
  if (s->pending && !initialise_more(s)) {
    context_leave(s->context);
    return NULL;
  }
  context_fresh(s->context);
  Py_BEGIN_ALLOW_THREADS dv_scene_reset(s->scene);
  Py_END_ALLOW_THREADS context_leave(s->context);
  return context_tell(s->context, s, s->context->context->log.worst, "the scene was not reset") ? Py_NewRef(Py_None)
                                                                                                : NULL;
}

static PyObject *scene_save(PyObject *self, PyObject *none)
{
  DV_UNUSED(none);
  Scene *s = (Scene *)self;
  if (!between_steps(s, true) || !context_enter(s->context)) return NULL;
  context_fresh(s->context);
  size_t length = 0;
  void *bytes;
  Py_BEGIN_ALLOW_THREADS bytes = dv_snapshot_pack(s->scene, &length);
  Py_END_ALLOW_THREADS context_leave(s->context);
  PyObject *out = NULL;
  if (context_tell(s->context, s, bytes ? DV_OK : DV_ERROR_INPUT, "the scene was not saved"))
    out = PyBytes_FromStringAndSize(bytes, (Py_ssize_t)length);
  dv_free(bytes);
  return out;
}

static PyObject *scene_restore(PyObject *self, PyObject *data)
{
  Scene *s = (Scene *)self;
  Py_buffer b;
  if (!between_steps(s, true) || PyObject_GetBuffer(data, &b, PyBUF_SIMPLE) < 0) return NULL;
  dvStatus status = DV_OK;
  const bool entered = context_enter(s->context);
  if (entered) {
    context_fresh(s->context);
    Py_BEGIN_ALLOW_THREADS status = dv_snapshot_unpack(s->scene, b.buf, (size_t)b.len, "snapshot");
    Py_END_ALLOW_THREADS context_leave(s->context);
  }
  PyBuffer_Release(&b);
  if (!entered) return NULL;
  return context_tell(s->context, s, status, "the snapshot was not restored") ? Py_NewRef(Py_None) : NULL;
}

static PyObject *scene_close(PyObject *self, PyObject *none)
{
  DV_UNUSED(none);
  Scene *s = (Scene *)self;
  if (!s->scene) return Py_NewRef(Py_None);
  if (!between_steps(s, false)) return NULL;
  if (s->context->depth > 0) return PyErr_Format(PyExc_RuntimeError, "the scene is in use: close it afterwards");
  if (s->viewer) return PyErr_Format(PyExc_RuntimeError, "the scene has a viewer: close that first");
  destroy(s);
  drop_components(s);
  PyList_SetSlice(s->before, 0, PyList_Size(s->before), NULL);
  PyList_SetSlice(s->after, 0, PyList_Size(s->after), NULL);
  return Py_NewRef(Py_None);
}

static PyObject *scene_enter(PyObject *self, PyObject *none)
{
  DV_UNUSED(none);
  return Py_NewRef(self);
}

static PyObject *scene_exit(PyObject *self, PyObject *args)
{
  DV_UNUSED(args);
  return PyObject_CallMethod(self, "close", NULL);
}

// --- looking into it -----------------------------------------------------------------------------

PyObject *scene_find(Scene *s, dvObject *from, const char *path)
{
  dvObject *o = dv_link_find(from, path, DV_ROLE_ANY);
  if (o) return handle_of(s, o);
  char *name = NULL;
  o = dv_link_split(from, path, &name);
  dvField *f = o && name ? dv_object_field(o, name) : NULL;
  dv_free(name);
  if (!f) return NULL;
  PyObject *owner = handle_of(s, o);
  PyObject *field = owner ? field_handle((Handle *)owner, f) : NULL;
  Py_XDECREF(owner);
  return field;
}

static PyObject *scene_item(PyObject *self, PyObject *key)
{
  Scene *s = (Scene *)self;
  dvScene *scene = scene_use(s);
  const char *path = scene ? PyUnicode_AsUTF8AndSize(key, NULL) : NULL;
  if (!path) return NULL;
  if (dv_same(path, "/") || !*path) return handle_of(s, &scene->root->base);
  PyObject *found = scene_find(s, &scene->root->base, path);
  if (found || PyErr_Occurred()) return found;
  char *proposal = dv_link_propose(&scene->root->base, path, DV_ROLE_ANY);
  PyErr_Format(PyExc_KeyError, "there is no '%s'%s%s%s", path, proposal ? "; did you mean '" : "",
               proposal ? proposal + 1 : "", proposal ? "'?" : "");
  dv_free(proposal);
  return NULL;
}

static PyObject *scene_root(PyObject *self, void *closure)
{
  DV_UNUSED(closure);
  dvScene *scene = scene_use((Scene *)self);
  return scene ? handle_of((Scene *)self, &scene->root->base) : NULL;
}

static PyObject *scene_time(PyObject *self, void *closure)
{
  DV_UNUSED(closure);
  dvScene *scene = scene_use((Scene *)self);
  return scene ? PyFloat_FromDouble(scene->root->time) : NULL;
}

static PyObject *scene_dt(PyObject *self, void *closure)
{
  DV_UNUSED(closure);
  dvScene *scene = scene_use((Scene *)self);
  return scene ? PyFloat_FromDouble(scene->root->dt) : NULL;
}

static int scene_set_dt(PyObject *self, PyObject *value, void *closure)
{
  PyObject *root = scene_root(self, closure);
  const int status = root ? PyObject_SetAttrString(root, "dt", value) : -1;
  Py_XDECREF(root);
  return status;
}

static PyObject *scene_steps(PyObject *self, void *closure)
{
  DV_UNUSED(closure);
  dvScene *scene = scene_use((Scene *)self);
  return scene ? PyLong_FromLong(scene->step) : NULL;
}

static PyObject *scene_initialised(PyObject *self, void *closure)
{
  DV_UNUSED(closure);
  dvScene *scene = scene_use((Scene *)self);
  return scene ? PyBool_FromLong(scene->initialised) : NULL;
}

static PyObject *scene_stepping(PyObject *self, void *closure)
{
  DV_UNUSED(closure);
  return PyBool_FromLong(((Scene *)self)->stepping);
}

static PyObject *scene_closed(PyObject *self, void *closure)
{
  DV_UNUSED(closure);
  return PyBool_FromLong(!((Scene *)self)->scene);
}

static PyObject *scene_paused(PyObject *self, void *closure)
{
  DV_UNUSED(closure);
  dvScene *scene = scene_use((Scene *)self);
  return scene ? PyBool_FromLong(scene->pause) : NULL;
}

static PyObject *scene_context(PyObject *self, void *closure)
{
  DV_UNUSED(closure);
  return Py_NewRef((PyObject *)((Scene *)self)->context);
}

static PyObject *scene_hash(PyObject *self, PyObject *none)
{
  DV_UNUSED(none);
  if (!between_steps((Scene *)self, true)) return NULL;
  char text[32];
  dv_snprintf(text, sizeof text, "%016llx", (unsigned long long)divan_hash(((Scene *)self)->scene));
  return PyUnicode_FromString(text);
}

static PyObject *scene_text(PyObject *self, PyObject *none)
{
  DV_UNUSED(none);
  dvScene *scene = scene_use((Scene *)self);
  if (!scene) return NULL;
  dvText t = {0};
  dv_scene_print(scene, &t);
  PyObject *text = text_of(t.text);
  dv_text_free(&t);
  return text;
}

static PyMethodDef scene_methods[] = {
    {"load", (PyCFunction)(void (*)(void))scene_load, METH_CLASS | METH_VARARGS | METH_KEYWORDS,
     "load(path, context=None, skip_missing=False): reads a scene file"},
    {"parse", (PyCFunction)(void (*)(void))scene_parse, METH_CLASS | METH_VARARGS | METH_KEYWORDS,
     "parse(text, context=None, skip_missing=False): reads a text as if it were a scene file"},
    {"init", scene_init, METH_NOARGS, "initialises all components; returns the scene"},
    {"step", (PyCFunction)(void (*)(void))scene_step, METH_FASTCALL | METH_KEYWORDS,
     "step(n=1, dt=None): n steps of the simulation; dt in seconds, the scene's by default"},
    {"reset", scene_reset, METH_NOARGS, "back to the state after init"},
    {"save", scene_save, METH_NOARGS, "everything that the next step depends on, as bytes"},
    {"restore", scene_restore, METH_O, "puts back what save gave"},
    {"close", scene_close, METH_NOARGS, "frees the scene; its handles raise ReferenceError from then on"},
    {"hash", scene_hash, METH_NOARGS, "a number for positions, velocities and what else the next step depends on"},
    {"text", scene_text, METH_NOARGS, "the scene as a scene file, as far as fields were set"},
    {"send", scene_send_event, METH_VARARGS, "send(kind, value=None): an event to all components that listen"},
    {"__enter__", scene_enter, METH_NOARGS, NULL},
    {"__exit__", scene_exit, METH_VARARGS, NULL},
    QUERY_METHODS,
    {NULL, NULL, 0, NULL},
};
static PyGetSetDef scene_properties[] = {
    {"root", scene_root, NULL, "the outermost node", NULL},
    {"time", scene_time, NULL, "simulated time, s", NULL},
    {"dt", scene_dt, scene_set_dt, "time step, s", NULL},
    {"steps", scene_steps, NULL, "steps done", NULL},
    {"initialised", scene_initialised, NULL, "whether init has succeeded", NULL},
    {"stepping", scene_stepping, NULL, "whether a step runs now", NULL},
    {"closed", scene_closed, NULL, "whether it was closed", NULL},
    {"paused", scene_paused, NULL, "whether a component asks to stop the animation", NULL},
    {"has_scripts", query_has_scripts, NULL, "whether it has components written in Python", NULL},
    {"directories", query_directories, NULL, "where its files are looked for", NULL},
    {"context", scene_context, NULL, "its context", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};
static PyMemberDef scene_members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(Scene, weak), READONLY, NULL},
    {"__dictoffset__", T_PYSSIZET, offsetof(Scene, keep), READONLY, NULL},
    {"before_step", T_OBJECT, offsetof(Scene, before), READONLY, "list of functions that are called before each step"},
    {"after_step", T_OBJECT, offsetof(Scene, after), READONLY, "list of functions that are called after each step"},
    {"messages", T_OBJECT, offsetof(Scene, messages), READONLY, "all messages so far"},
    {"on_message", T_OBJECT, offsetof(Scene, on_message), 0, "function that gets each message, or None"},
    {NULL, 0, 0, 0, NULL},
};
static PyType_Slot scene_slots[] = {
    {Py_tp_doc, "A scene: a graph of nodes with components. Scene() is empty; load and parse read one."},
    {Py_tp_new, scene_make},
    {Py_tp_dealloc, scene_dealloc},
    {Py_tp_traverse, scene_traverse},
    {Py_tp_clear, scene_clear},
    {Py_tp_methods, scene_methods},
    {Py_tp_getset, scene_properties},
    {Py_tp_members, scene_members},
    {Py_mp_subscript, scene_item},
    {0, NULL},
};
static PyType_Spec scene_spec = {"divan.SceneBase", sizeof(Scene), 0,
                                 Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE, scene_slots};

bool scene_add_type(PyObject *module)
{
  type_scene = PyType_FromSpec(&scene_spec);
  return type_scene && PyModule_AddObjectRef(module, "SceneBase", type_scene) == 0;
}

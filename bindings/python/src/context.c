// The context: messages as exceptions and warnings, one thread at a time.
#include "bind.h"

#include "app/divan.h"
#include "object/compat.h"
#include "viewer.h"

#include <string.h>

PyObject *type_context, *error_scene, *warning_scene, *type_message;

enum { MOST_NOTES = 10000 };   // between two calls

// --- one thread at a time ------------------------------------------------------------------------

bool context_is_mine(Context *c)
{
  const unsigned long self = PyThread_get_thread_ident();
  while (c->depth > 0 && c->owner != self && c->viewing) {
    c->waiting++;
    Py_BEGIN_ALLOW_THREADS pthread_mutex_lock(&c->turn);
    pthread_mutex_unlock(&c->turn);
    Py_END_ALLOW_THREADS c->waiting--;
  }
  return c->depth == 0 || c->owner == self;
}

bool context_enter(Context *c)
{
  const unsigned long self = PyThread_get_thread_ident();
  if (!context_is_mine(c)) {
    PyErr_SetString(PyExc_RuntimeError, "another thread uses this scene, or one of the same context, now");
    return false;
  }
  if (c->depth == 0) Py_CLEAR(c->failure);   // left by something that nobody waited for
  c->owner = self;
  c->depth++;
  return true;
}

void context_leave(Context *c)
{
  if (--c->depth == 0) c->owner = 0;
}

// --- messages ------------------------------------------------------------------------------------

static void note_free(Note *n)
{
  dv_free(n->file);
  dv_free(n->path);
  dv_free(n->text);
  dv_free(n->advice);
}

static void on_log(void *user, const dvMessage *m)
{
  Context *c = user;
  for (size_t i = 0; i < c->sessions.count; i++) viewer_note(c->sessions.data[i], m);
  if (c->notes.count >= MOST_NOTES) return;
  dv_push(&c->notes, ((Note){(int)m->level, m->place.line, m->status, dv_strdup(m->place.file), dv_strdup(m->path),
                             dv_strdup(m->text), dv_strdup(m->advice)}));
}

void context_fresh(Context *c)
{
  c->context->log.worst = DV_OK;
  c->context->log.recent = DV_OK;
}

static PyObject *message_of(const Note *n)
{
  return PyObject_CallFunction(type_message, "iNiNNNi", n->level, text_of(n->file), n->line, text_of(n->path),
                               text_of(n->text), text_of(n->advice), (int)n->status);
}

static bool warn(const Note *n, PyObject *message)
{
  PyObject *text = PyObject_Str(message);
  if (!text) return false;
  PyObject *plain = PyObject_CallFunctionObjArgs(warning_scene, text, message, NULL);
  int status = -1;
  if (plain && n->file) {
    PyObject *module = PyImport_ImportModule("warnings");
    PyObject *done = module ? PyObject_CallMethod(module, "warn_explicit", "OOsi", plain, warning_scene, n->file,
                                                  n->line > 0 ? n->line : 1)
                            : NULL;
    status = done ? 0 : -1;
    Py_XDECREF(done);
    Py_XDECREF(module);
  } else if (plain) {
    PyObject *utf8 = PyUnicode_AsUTF8String(text);
    status = utf8 ? PyErr_WarnEx(warning_scene, PyBytes_AsString(utf8), 1) : -1;
    Py_XDECREF(utf8);
  }
  Py_XDECREF(plain);
  Py_DECREF(text);
  return status == 0;
}

// the messages since the last call as a list
static PyObject *take_messages(Context *c, bool *warned)
{
  dvLog *log = &c->context->log;
  pthread_mutex_lock(&log->lock);
  Note *notes = c->notes.data;
  const size_t count = c->notes.count;
  c->notes.data = NULL;
  c->notes.count = c->notes.capacity = 0;
  pthread_mutex_unlock(&log->lock);
  PyObject *list = PyList_New(0);
  for (size_t i = 0; i < count; i++) {
    PyObject *message = list ? message_of(&notes[i]) : NULL;
    if (!message || PyList_Append(list, message) < 0) Py_CLEAR(list);
    if (list && notes[i].level == DV_WARNING && *warned) *warned = warn(&notes[i], message);
    Py_XDECREF(message);
    note_free(&notes[i]);
  }
  dv_free(notes);
  return list;
}

static bool hand_on(Scene *scene, PyObject *list)
{
  const Py_ssize_t n = PyList_Size(list);
  if (!n || !scene) return true;
  const Py_ssize_t before = PyList_Size(scene->messages);
  if (before < 0 || PyList_SetSlice(scene->messages, before, before, list) < 0) return false;
  if (!scene->on_message || scene->on_message == Py_None) return true;
  for (Py_ssize_t i = 0; i < n; i++) {
    PyObject *done = PyObject_CallFunctionObjArgs(scene->on_message, PyList_GetItem(list, i), NULL);
    if (!done) return false;
    Py_DECREF(done);
  }
  return true;
}

void context_fail(Context *c, const dvObject *o)
{
  PyObject *type, *value, *trace;
  PyErr_Fetch(&type, &value, &trace);
  PyErr_NormalizeException(&type, &value, &trace);
  if (value && trace) PyException_SetTraceback(value, trace);
  char *path = o ? dv_object_path(o) : NULL;
  dvPlace place = {0};
  PyObject *tracer = PyImport_ImportModule("divan._trace");   // NULL at the end of the interpreter
  PyObject *at = tracer && value ? PyObject_CallMethod(tracer, "place", "OO", value, trace ? trace : Py_None) : NULL;
  PyObject *bytes = at ? PyUnicode_EncodeFSDefault(PyTuple_GetItem(at, 0)) : NULL;
  if (bytes && PyBytes_Size(bytes)) {
    place.file = dv_context_intern(c->context, PyBytes_AsString(bytes));
    place.line = (int)PyLong_AsLong(PyTuple_GetItem(at, 1));
  }
  Py_XDECREF(bytes);
  Py_XDECREF(at);
  PyErr_Clear();
  PyObject *shown = value ? PyObject_Str(value) : NULL;
  PyObject *name = type ? PyObject_GetAttrString(type, "__name__") : NULL;
  PyObject *text = name ? PyUnicode_FromFormat("%U: %S", name, shown ? shown : Py_None) : NULL;
  PyObject *utf8 = text ? PyUnicode_AsUTF8String(text) : NULL;
  PyErr_Clear();
  dv_log_send(&c->context->log, &(dvMessage){.level = DV_ERROR,
                                             .status = DV_ERROR_INPUT,
                                             .place = place,
                                             .path = path,
                                             .text = utf8 ? PyBytes_AsString(utf8) : "an exception"});
  Py_XDECREF(utf8);
  Py_XDECREF(text);
  Py_XDECREF(name);
  Py_XDECREF(shown);
  if (value && o) {   // the exception itself says where
    PyObject *done = PyObject_CallMethod(value, "add_note", "N",
                                         PyUnicode_FromFormat("in %s (%s) of the scene", path, o->cls->name));
    Py_XDECREF(done);
    PyErr_Clear();
  }
  dv_free(path);
  if (c->borrowed && value && trace) {   // the command goes on by itself: where it happened is printed
    PyObject *done = tracer ? PyObject_CallMethod(tracer, "show", "O", value) : NULL;
    Py_XDECREF(done);
    PyErr_Clear();
  } else if (!c->failure) {
    c->failure = Py_XNewRef(value);   // the first one counts
  }
  Py_XDECREF(tracer);
  Py_XDECREF(type);
  Py_XDECREF(value);
  Py_XDECREF(trace);
}

bool context_tell(Context *c, Scene *scene, dvStatus status, const char *what)
{
  if (status == DV_OK && !c->failure && !c->notes.count) return true;
  PyObject *failure = c->failure, *list;
  c->failure = NULL;
  bool warned = true;
  list = take_messages(c, &warned);
  bool good = list && warned && hand_on(scene, list);
  if (failure) {
    PyErr_SetObject((PyObject *)Py_TYPE(failure), failure);
    good = false;
  } else if (good && status != DV_OK) {
    PyObject *error = PyObject_CallFunction(error_scene, "siO", what, (int)status, list);
    if (error) PyErr_SetObject((PyObject *)Py_TYPE(error), error);
    Py_XDECREF(error);
    good = false;
  }
  Py_XDECREF(failure);
  Py_XDECREF(list);
  return good;
}

// --- the type ------------------------------------------------------------------------------------

static Context *context_alloc(PyTypeObject *type)
{
  Context *c = (Context *)((allocfunc)PyType_GetSlot(type, Py_tp_alloc))(type, 0);
  if (c) pthread_mutex_init(&c->turn, NULL);
  return c;
}

enum { SPARE_FIELDS = 32 };   // of every object: for add_field

static void listen(Context *c)
{
  c->context->spare_fields = SPARE_FIELDS;
  c->context->log.sink = on_log;
  c->context->log.user = c;
  c->context->log.threshold = DV_INFO;
}

Context *context_wrap(dvContext *context)
{
  Context *c = context_alloc((PyTypeObject *)type_context);
  if (!c) return NULL;
  c->context = context;
  c->borrowed = true;
  return c;
}

static bool each_path(PyObject *paths, dvContext *context, void (*add)(dvContext *, const char *))
{
  if (!paths || paths == Py_None) return true;
  PyObject *list =
      PyUnicode_Check(paths) || !PySequence_Check(paths) ? Py_BuildValue("[O]", paths) : PySequence_List(paths);
  bool good = list != NULL;
  for (Py_ssize_t i = 0; good && i < PyList_Size(list); i++) {
    PyObject *bytes = NULL;
    good = PyUnicode_FSConverter(PyList_GetItem(list, i), &bytes);
    if (good) add(context, PyBytes_AsString(bytes));
    Py_XDECREF(bytes);
  }
  Py_XDECREF(list);
  return good;
}

static void add_plugin(dvContext *context, const char *name) { dv_divan_load_plugin(context, name); }

static PyObject *context_make(PyTypeObject *type, PyObject *args, PyObject *kw)
{
  static char *names[] = {"threads", "compat", "data", "plugins", "plugin_paths", "skip_missing", "realtime", NULL};
  int threads = 0, skip = 0, realtime = 0;
  const char *compat = NULL;
  PyObject *data = NULL, *plugins = NULL, *plugin_paths = NULL;
  if (!PyArg_ParseTupleAndKeywords(args, kw, "|izOOOpp:Context", names, &threads, &compat, &data, &plugins,
                                   &plugin_paths, &skip, &realtime))
    return NULL;
  dvCompatMode mode = DV_COMPAT_NONE;
  if (compat && !dv_compat_parse(compat, &mode))
    return PyErr_Format(PyExc_ValueError, "compat is 'sofa' or 'none', not '%s'", compat);
  if (threads < 0 || threads > 4096) return PyErr_Format(PyExc_ValueError, "%d threads are not possible", threads);
  Context *c = context_alloc(type);
  if (!c) return NULL;
  c->context = dv_divan_create(threads);
  listen(c);
  c->context->skip_missing = skip;
  c->context->realtime = realtime;
  if (compat) dv_compat_choose(c->context, mode);
  bool good = each_path(data, c->context, dv_context_add_data_path) &&
              each_path(plugin_paths, c->context, dv_context_add_plugin_path) &&
              each_path(plugins, c->context, add_plugin) &&
              context_tell(c, NULL, c->context->log.worst, "the plugins were not loaded");
  if (!good) Py_CLEAR(c);
  return (PyObject *)c;
}

static void drop_types(Context *c)
{
  PyObject **all = c->types.data;
  const size_t count = c->types.count;
  c->types.data = NULL;
  c->types.count = c->types.capacity = c->classes.count = 0;
  for (size_t i = 0; i < count; i++) Py_DECREF(all[i]);
  dv_free(all);
}

static void context_dealloc(PyObject *self)
{
  Context *c = (Context *)self;
  PyObject_GC_UnTrack(self);
  if (c->weak) PyObject_ClearWeakRefs(self);
  if (!c->borrowed) dv_divan_destroy(&c->context);
  for (size_t i = 0; i < c->notes.count; i++) note_free(&c->notes.data[i]);
  dv_array_free(&c->notes);
  dv_array_free(&c->classes);
  dv_array_free(&c->sessions);
  pthread_mutex_destroy(&c->turn);
  drop_types(c);
  Py_CLEAR(c->failure);
  PyTypeObject *type = Py_TYPE(self);
  ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
  Py_DECREF(type);
}

static int context_traverse(PyObject *self, visitproc visit, void *arg)
{
  Py_VISIT(Py_TYPE(self));
  const Context *c = (const Context *)self;
  Py_VISIT(c->failure);
  for (size_t i = 0; i < c->types.count; i++) Py_VISIT(c->types.data[i]);
  return 0;
}

static int context_clear(PyObject *self)
{
  Py_CLEAR(((Context *)self)->failure);
  drop_types((Context *)self);
  return 0;
}

static PyObject *context_threads(PyObject *self, void *closure)
{
  DV_UNUSED(closure);
  return PyLong_FromLong(dv_pool_threads(((Context *)self)->context->pool));
}

static PyObject *context_components(PyObject *self, PyObject *none)
{
  DV_UNUSED(none);
  const dvRegistry *r = &((Context *)self)->context->registry;
  PyObject *list = PyList_New(0);
  for (size_t i = 0; list && i < r->classes.count; i++) {
    list_take(&list, text_of(r->classes.data[i]->name));
  }
  return list;
}

static PyObject *describe_fields(const dvClass *cls)
{
  PyObject *list = PyList_New(0);
  for (size_t b = 0; list && b < DV_COUNT(cls->blocks) && cls->blocks[b]; b++)
    for (int i = 0; list && i < cls->blocks[b]->count; i++) {
      const dvFieldDesc *d = &cls->blocks[b]->fields[i];
      list_take(&list, Py_BuildValue("{s:s,s:s,s:i,s:i,s:s,s:s,s:s,s:z,s:z,s:i}", "name", dv_field_name(d), "type",
                                     dv_field_type_name(d), "kind", (int)d->type, "width", d->width, "initial",
                                     d->initial ? d->initial : "", "unit", d->unit ? d->unit : "", "help",
                                     d->help ? d->help : "", "alias", d->alias, "options", d->options, "flags",
                                     (int)d->flags));
    }
  return list;
}

static PyObject *context_describe(PyObject *self, PyObject *name)
{
  PyObject *bytes = PyUnicode_AsUTF8String(name);
  if (!bytes) return NULL;
  const dvRegistry *r = &((Context *)self)->context->registry;
  const dvClass *cls = dv_registry_find(r, PyBytes_AsString(bytes));
  const dvRename *rename = cls ? NULL : dv_registry_find_rename(r, PyBytes_AsString(bytes));
  if (rename) cls = dv_registry_find(r, rename->name);
  Py_DECREF(bytes);
  if (!cls) return PyErr_Format(PyExc_KeyError, "there is no component %U", name);
  PyObject *roles = PyList_New(0);
  for (int k = 1; roles && k < DV_ROLE_COUNT; k++) {
    if (!cls->ops[k] && !(cls->roles & DV_PLAYS(k))) continue;
    list_take(&roles, text_of(dv_role_name((dvRole)k)));
  }
  PyObject *templates = PyList_New(0);
  for (int k = 0; templates && k < DV_DOF_COUNT; k++) {
    if (!(cls->dofs & (1u << k))) continue;
    list_take(&templates, text_of(dv_dof((dvDofKind)k)->name));
  }
  PyObject *fields = describe_fields(cls);
  if (!roles || !templates || !fields) {
    Py_XDECREF(roles);
    Py_XDECREF(templates);
    Py_XDECREF(fields);
    return NULL;
  }
  return Py_BuildValue("{s:s,s:z,s:s,s:z,s:N,s:N,s:N}", "name", cls->name, "aliases", cls->aliases, "help",
                       cls->help ? cls->help : "", "module", cls->module, "roles", roles, "templates", templates,
                       "fields", fields);
}

static PyMethodDef context_methods[] = {
    {"components", context_components, METH_NOARGS, "names of all components"},
    {"describe", context_describe, METH_O, "what a component is: help, roles, templates and fields, as a dict"},
    {NULL, NULL, 0, NULL},
};
static PyGetSetDef context_properties[] = {
    {"threads", context_threads, NULL, "threads that compute, the caller counted", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};
static PyMemberDef context_members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(Context, weak), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};
static PyType_Slot context_slots[] = {
    {Py_tp_doc, "Components, worker threads and directories of data. Scenes of one context are used by one thread at a "
                "time; every scene gets a context of its own unless one is named."},
    {Py_tp_new, context_make},
    {Py_tp_dealloc, context_dealloc},
    {Py_tp_traverse, context_traverse},
    {Py_tp_clear, context_clear},
    {Py_tp_methods, context_methods},
    {Py_tp_getset, context_properties},
    {Py_tp_members, context_members},
    {0, NULL},
};
static PyType_Spec context_spec = {"divan.Context", sizeof(Context), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
                                   context_slots};

bool context_add_type(PyObject *module)
{
  type_context = PyType_FromSpec(&context_spec);
  return type_context && PyModule_AddObjectRef(module, "Context", type_context) == 0;
}

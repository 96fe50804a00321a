// The viewer of a running scene. See viewer.h.
#include "viewer.h"

#include "base/clock.h"
#include "command.h"

#include <stdatomic.h>
#include <time.h>

#ifdef DV_HAVE_VIEWER

#include "view/server.h"

struct Viewer {
  PyObject_HEAD Scene *scene;   // held until the end
  dvServer *server;
  atomic_int stop;
  double turned;   // clock of the last round
  bool inside;     // a round runs
  PyObject *keep, *weak;
};

enum { ROUNDS = 120 };   // a second, at most, between steps of the program

void viewer_note(dvSession *session, const dvMessage *m) { dv_session_note(session, m); }

static double round_of(Viewer *v, bool hold)
{
  dvSession *session = dv_server_session(v->server);
  v->inside = true;
  dv_session_hold(session, hold);
  const double wait = dv_server_turn(v->server);
  v->inside = false;
  v->turned = dv_now();
  return wait;
}

void viewer_between_steps(Scene *s)
{
  Viewer *v = s->viewer;
  if (!v || v->inside || !v->server) return;
  if (dv_now() - v->turned > 1.0 / ROUNDS || dv_server_has_mail(v->server)) round_of(v, true);
}

// a step that the page has asked for; the thread of the viewer has entered the context
static bool step_for_page(void *user)
{
  Viewer *v = user;
  PyGILState_STATE lock = PyGILState_Ensure();
  PyObject *done = PyObject_CallMethod((PyObject *)v->scene, "step", NULL);
  if (!done) PyErr_WriteUnraisable((PyObject *)v->scene);
  const bool good = done != NULL;
  Py_XDECREF(done);
  PyGILState_Release(lock);
  return good;
}

// --- the thread ----------------------------------------------------------------------------------

static bool is_free(const Scene *s)
{
  const Context *c = s->context;
  return s->scene && s->scene->initialised && !s->stepping && !s->pending && !s->writing && !c->depth && !c->visits &&
         !c->waiting;
}

// one round, the interpreter's lock held at both ends; seconds until the next one
static double take_turn(Viewer *v)
{
  Scene *s = v->scene;
  Context *c = s->context;
  if (!is_free(s) || !context_enter(c)) return 0.002;
  double wait;
  c->viewing = true;
  Py_BEGIN_ALLOW_THREADS pthread_mutex_lock(&c->turn);
  wait = round_of(v, false);
  pthread_mutex_unlock(&c->turn);
  Py_END_ALLOW_THREADS c->viewing = false;
  context_leave(c);
  if (!context_tell(c, s, DV_OK, "")) PyErr_WriteUnraisable((PyObject *)s);
  return wait;
}

static void rest(const Viewer *v, double seconds)
{
  if (seconds > 0.002) dv_server_wait(v->server, dv_min(seconds, 0.5));
  else if (seconds > 0) nanosleep(&(struct timespec){0, (long)(1e9 * seconds)}, NULL);
}

static void forget(Context *c, const dvSession *session)
{
  for (size_t i = c->sessions.count; i-- > 0;)
    if (c->sessions.data[i] == session) dv_array_remove(&c->sessions, i);
}

static void end(Viewer *v)
{
  if (!v->server) return;
  Scene *s = v->scene;
  forget(s->context, dv_server_session(v->server));
  s->viewer = NULL;
  dvServer *server = v->server;
  v->server = NULL;
  Py_BEGIN_ALLOW_THREADS dv_server_destroy(&server);
  Py_END_ALLOW_THREADS
}

// serve(): what the viewer's thread does until stop()
static PyObject *viewer_serve(PyObject *self, PyObject *none)
{
  DV_UNUSED(none);
  Viewer *v = (Viewer *)self;
  while (!atomic_load(&v->stop)) {
    const double wait = take_turn(v);
    Py_BEGIN_ALLOW_THREADS rest(v, wait);
    Py_END_ALLOW_THREADS
  }
  Context *c = v->scene->context;
  while (c->depth > 0) {   // the session leaves the scene when nobody uses that
    Py_BEGIN_ALLOW_THREADS rest(v, 0.001);
    Py_END_ALLOW_THREADS
  }
  if (!context_enter(c)) return NULL;
  end(v);
  context_leave(c);
  return Py_NewRef(Py_None);
}

static PyObject *viewer_stop(PyObject *self, PyObject *none)
{
  DV_UNUSED(none);
  Viewer *v = (Viewer *)self;
  atomic_store(&v->stop, 1);
  if (v->server) dv_server_wake(v->server);
  const Context *c = v->scene->context;
  return PyBool_FromLong(c->depth == 0 || c->owner != PyThread_get_thread_ident());
}

// --- the type ------------------------------------------------------------------------------------

static dvServer *open_server(Viewer *v, const char *title, PyObject *directories, int port, dvText *why)
{
  Texts data = {0};
  DV_ARRAY(PyObject *) held = {0};
  for (Py_ssize_t i = 0; i < PyList_Size(directories); i++) {
    PyObject *bytes = NULL;
    if (!PyUnicode_FSConverter(PyList_GetItem(directories, i), &bytes)) PyErr_Clear();
    if (!bytes) continue;
    dv_push(&held, bytes);
    dv_push(&data, PyBytes_AsString(bytes));
  }
  size_t length;
  dvServerOptions o = {.port = port, .page = viewer_page_text(&length)};
  o.page_length = length;
  o.session = (dvSessionOptions){
      .scene = title, .data = data.data, .data_count = data.count, .host = {v->scene->scene, step_for_page, v}};
  dvServer *server = dv_server_create(&o, why);
  for (size_t i = 0; i < held.count; i++) Py_DECREF(held.data[i]);
  dv_array_free(&held);
  dv_array_free(&data);
  return server;
}

static PyObject *viewer_make(PyTypeObject *type, PyObject *args, PyObject *kw)
{
  static char *names[] = {"scene", "title", "directories", "port", NULL};
  PyObject *scene, *directories;
  const char *title;
  int port = 0;
  if (!PyArg_ParseTupleAndKeywords(args, kw, "O!sO!|i:Viewer", names, type_scene, &scene, &title, &PyList_Type,
                                   &directories, &port))
    return NULL;
  Scene *s = (Scene *)scene;
  if (!scene_use(s)) return NULL;
  if (s->borrowed) return PyErr_Format(PyExc_RuntimeError, "this scene belongs to the command: `divan view` shows it");
  if (s->viewer) return PyErr_Format(PyExc_RuntimeError, "the scene has a viewer already");
  if (!s->scene->initialised || s->stepping)
    return PyErr_Format(PyExc_RuntimeError, "a scene is shown between steps, when it is initialised");
  Viewer *v = (Viewer *)((allocfunc)PyType_GetSlot(type, Py_tp_alloc))(type, 0);
  if (!v || !context_enter(s->context)) {
    Py_XDECREF((PyObject *)v);
    return NULL;
  }
  v->scene = (Scene *)Py_NewRef(scene);
  dvText why = {0};
  v->server = open_server(v, title, directories, port, &why);
  if (v->server) {
    s->viewer = v;
    dv_push(&s->context->sessions, dv_server_session(v->server));
  } else {
    PyErr_SetString(PyExc_OSError, why.text ? why.text : "the viewer could not be opened");
    Py_CLEAR(v);
  }
  context_leave(s->context);
  dv_text_free(&why);
  return (PyObject *)v;
}

static void viewer_dealloc(PyObject *self)
{
  Viewer *v = (Viewer *)self;
  if (v->weak) PyObject_ClearWeakRefs(self);
  end(v);   // its thread never began
  Py_CLEAR(v->keep);
  Py_XDECREF((PyObject *)v->scene);
  PyTypeObject *type = Py_TYPE(self);
  ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
  Py_DECREF(type);
}

static PyObject *viewer_address(PyObject *self, void *closure)
{
  DV_UNUSED(closure);
  const Viewer *v = (const Viewer *)self;
  return v->server ? text_of(dv_server_address(v->server)) : Py_NewRef(Py_None);
}

static PyMethodDef viewer_methods[] = {
    {"serve", viewer_serve, METH_NOARGS, "answers the page until stop()"},
    {"stop", viewer_stop, METH_NOARGS, "ends serve(); false when that waits for what the caller does with the scene"},
    {NULL, NULL, 0, NULL},
};
static PyGetSetDef viewer_properties[] = {
    {"address", viewer_address, NULL, "where the browser finds it; None when it is closed", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};
static PyMemberDef viewer_members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(Viewer, weak), READONLY, NULL},
    {"__dictoffset__", T_PYSSIZET, offsetof(Viewer, keep), READONLY, NULL},
    {"scene", T_OBJECT, offsetof(Viewer, scene), READONLY, "what it shows"},
    {NULL, 0, 0, 0, NULL},
};
static PyType_Slot viewer_slots[] = {
    {Py_tp_doc, "A page of the browser that shows a running scene."},
    {Py_tp_new, viewer_make},
    {Py_tp_dealloc, viewer_dealloc},
    {Py_tp_methods, viewer_methods},
    {Py_tp_getset, viewer_properties},
    {Py_tp_members, viewer_members},
    {0, NULL},
};
static PyType_Spec viewer_spec = {"divan.ViewerBase", sizeof(Viewer), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
                                  viewer_slots};

bool viewer_add_type(PyObject *module)
{
  PyObject *type = PyType_FromSpec(&viewer_spec);
  const bool good = type && PyModule_AddObjectRef(module, "ViewerBase", type) == 0;
  Py_XDECREF(type);
  return good;
}

#else

void viewer_note(dvSession *session, const dvMessage *m) { DV_UNUSED(session), DV_UNUSED(m); }
void viewer_between_steps(Scene *s) { DV_UNUSED(s); }
bool viewer_add_type(PyObject *module) { return PyModule_AddObjectRef(module, "ViewerBase", Py_None) == 0; }

#endif

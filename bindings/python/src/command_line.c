// `python3 -m divan`: the command, with a reader of scenes in Python. See command_line.h.
#include "command_line.h"

#include "command.h"
#include "graph.h"
#include "object/compat.h"

#include <stdlib.h>
#include <string.h>

static char **allowed;   // real paths of the scripts that the command line names: only these run
static size_t allowed_count;
static PyObject *opener;   // opener(scene, path) of divan/_script.py

static bool is_allowed(const char *path)
{
  char *real = realpath(path, NULL);
  bool found = false;
  for (size_t i = 0; i < allowed_count && real && !found; i++) found = strcmp(allowed[i], real) == 0;
  free(real);
  return found;
}

// --- a scene that the command owns ---------------------------------------------------------------

static void post_nothing(void *user, dvScene *scene, long step)
{
  DV_UNUSED(user);
  DV_UNUSED(scene);
  DV_UNUSED(step);
}

static void scene_gone(void *user)
{
  PyGILState_STATE lock = PyGILState_Ensure();
  Scene *s = user;
  s->scene = NULL;
  Py_DECREF((PyObject *)s);
  PyGILState_Release(lock);
}

static void tell_exception(Context *c, const char *path)
{
  if (error_scene && PyErr_ExceptionMatches(PyExc_SystemExit)) PyErr_Clear();
  if (!PyErr_Occurred()) {
    dv_log_send(&c->context->log, &(dvMessage){.level = DV_ERROR,
                                               .status = DV_ERROR_INPUT,
                                               .place = {dv_context_intern(c->context, path), 0},
                                               .text = "the script ended before the scene was made"});
    return;
  }
  context_fail(c, NULL);
}

static dvStatus open_script(dvContext *context, const char *path, dvScene **out)
{
  PyGILState_STATE lock = PyGILState_Ensure();
  dv_compat_begin(context, NULL, (dvPlace){0});
  context->spare_fields = 32;
  dvScene *scene = dv_scene_create(context);
  scene->root->base.place.file = dv_context_intern(context, path);
  Context *c = context_wrap(context);
  Scene *s = c ? scene_wrap(scene, c, true) : NULL;
  PyObject *done = s ? PyObject_CallFunction(opener, "ON", (PyObject *)s, PyUnicode_DecodeFSDefault(path)) : NULL;
  if (!done) {
    if (c) tell_exception(c, path);
    dv_scene_destroy(&scene);
    if (s) s->scene = NULL;
    Py_XDECREF((PyObject *)s);
  } else {
    dv_scene_subscribe(scene, (dvSubscriber){post_nothing, scene_gone, s});
  }
  Py_XDECREF(done);
  Py_XDECREF((PyObject *)c);
  *out = scene;
  PyGILState_Release(lock);
  return context->log.worst;
}

static dvStatus read_script(dvContext *context, const char *path, dvScene **out)
{
  if (is_allowed(path)) return open_script(context, path, out);
  *out = NULL;
  dv_log_send(&context->log, &(dvMessage){.level = DV_ERROR,
                                          .status = DV_ERROR_INPUT,
                                          .place = {dv_context_intern(context, path), 0},
                                          .text = "a scene in Python runs only when the command line names it"});
  return DV_ERROR_INPUT;
}

// _main(arguments, opener): the status of the command
PyObject *command_main(PyObject *module, PyObject *args)
{
  DV_UNUSED(module);
  PyObject *list, *function;
  if (!PyArg_ParseTuple(args, "O!O", &PyList_Type, &list, &function)) return NULL;
  const Py_ssize_t count = PyList_Size(list);
  char **arguments = dv_alloc((size_t)(count + 1) * sizeof *arguments);
  allowed = dv_alloc((size_t)(count + 1) * sizeof *allowed);
  bool good = true;
  for (Py_ssize_t i = 0; i < count && good; i++) {
    PyObject *bytes = NULL;
    good = PyUnicode_FSConverter(PyList_GetItem(list, i), &bytes);
    if (!good) break;
    arguments[i] = dv_strdup(PyBytes_AsString(bytes));
    char *real = realpath(arguments[i], NULL);
    if (real) allowed[allowed_count++] = dv_strdup(real);
    free(real);
    Py_DECREF(bytes);
  }
  int status = 0;
  opener = Py_NewRef(function);
  if (good) {
    Py_BEGIN_ALLOW_THREADS status = divan_command((int)count, arguments, read_script);
    Py_END_ALLOW_THREADS
  }
  Py_CLEAR(opener);
  for (size_t i = 0; i < allowed_count; i++) dv_free(allowed[i]);
  dv_free(allowed);
  allowed_count = 0;
  for (Py_ssize_t i = 0; i < count; i++) dv_free(arguments[i]);
  dv_free(arguments);
  return good ? PyLong_FromLong(status) : NULL;
}

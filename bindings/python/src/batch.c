// Many scenes stepped side by side: each in one thread, so that the bits of a scene are those it has alone.
#include "batch.h"

#include <string.h>

typedef struct Member {
  Scene *scene;
  dvField *field;   // copied out after the steps; NULL for none
  double *out;
  size_t count;
  dvStatus status;
} Member;

typedef struct Work {
  Member *members;
  long steps;
  double dt;
} Work;

static void step_members(void *user, size_t begin, size_t end)
{
  const Work *w = user;
  for (size_t i = begin; i < end; i++) {
    Member *m = &w->members[i];
    for (long k = 0; k < w->steps && m->status == DV_OK; k++) m->status = dv_scene_step(m->scene->scene, w->dt);
    const dvReals *r = m->field ? m->field->value : NULL;
    if (r && r->count == m->count) memcpy(m->out, r->data, m->count * sizeof(double));
  }
}

static bool prepare(Member *m, PyObject *scene, PyObject *field, double *out, size_t count)
{
  if (!PyObject_TypeCheck(scene, (PyTypeObject *)type_scene)) {
    PyErr_SetString(PyExc_TypeError, "a scene is wanted");
    return false;
  }
  m->scene = (Scene *)scene;
  if (!scene_use(m->scene)) return false;
  if (!m->scene->scene->initialised || m->scene->stepping || m->scene->pending) {
    PyErr_SetString(PyExc_RuntimeError, "all scenes of a batch are initialised, and none of them steps already");
    return false;
  }
  if (field == Py_None) return true;
  m->field = PyObject_TypeCheck(field, (PyTypeObject *)type_field) ? field_use(field) : NULL;
  if (!m->field || !dv_holds_reals(m->field->desc->type) || ((FieldHandle *)field)->owner->scene != m->scene ||
      dv_field_size(m->field) != count) {
    if (!PyErr_Occurred()) PyErr_SetString(PyExc_ValueError, "the field does not fit the array of the batch");
    return false;
  }
  m->out = out;
  m->count = count;
  return true;
}

static bool enter_all(Member *members, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    if (context_enter(members[i].scene->context)) {
      members[i].scene->stepping = true;
      if (members[i].scene->context->depth == 1) continue;
      PyErr_SetString(PyExc_RuntimeError, "every scene of a batch needs a context of its own");
      i++;
    }
    while (i-- > 0) {
      members[i].scene->stepping = false;
      context_leave(members[i].scene->context);
    }
    return false;
  }
  return true;
}

static int step_together(Context *pool, Member *members, size_t count, long steps, double dt)
{
  if (!enter_all(members, count)) return -1;
  Work work = {members, steps, dt};
  for (size_t i = 0; i < count; i++) members[i].scene->context->context->log.recent = DV_OK;
  Py_BEGIN_ALLOW_THREADS dv_parallel_for(pool->context->pool, count, 1, step_members, &work);
  Py_END_ALLOW_THREADS for (size_t i = 0; i < count; i++)
  {
    members[i].scene->stepping = false;
    context_leave(members[i].scene->context);
  }
  int failed = 0;
  for (size_t i = 0; i < count && !PyErr_Occurred(); i++) {
    char *what = dv_format("scene %zu of the batch failed", i);
    if (!context_tell(members[i].scene->context, members[i].scene, members[i].status, what)) failed = -1;
    dv_free(what);
  }
  return failed;
}

// _step_batch(context, scenes, steps, dt, fields, out): out is a writable buffer of doubles, or None
PyObject *batch_step(PyObject *module, PyObject *args)
{
  DV_UNUSED(module);
  PyObject *pool, *scenes, *fields, *out;
  long steps;
  double dt;
  if (!PyArg_ParseTuple(args, "O!O!ldO!O", (PyTypeObject *)type_context, &pool, &PyList_Type, &scenes, &steps, &dt,
                        &PyList_Type, &fields, &out))
    return NULL;
  const size_t count = (size_t)PyList_Size(scenes);
  Py_buffer buffer = {0};
  if (out != Py_None && PyObject_GetBuffer(out, &buffer, PyBUF_C_CONTIGUOUS | PyBUF_WRITABLE) < 0) return NULL;
  const size_t each = count && out != Py_None ? (size_t)buffer.len / sizeof(double) / count : 0;
  Member *members = dv_alloc((count + 1) * sizeof *members);
  bool good = PyList_Size(fields) == (Py_ssize_t)count;
  if (!good) PyErr_SetString(PyExc_ValueError, "there is a field for each scene");
  for (size_t i = 0; i < count && good; i++)
    good = prepare(&members[i], PyList_GetItem(scenes, (Py_ssize_t)i), PyList_GetItem(fields, (Py_ssize_t)i),
                   (double *)buffer.buf + i * each, each);
  if (good) good = step_together((Context *)pool, members, count, steps, dt) == 0;
  dv_free(members);
  if (out != Py_None) PyBuffer_Release(&buffer);
  return good ? Py_NewRef(Py_None) : NULL;
}

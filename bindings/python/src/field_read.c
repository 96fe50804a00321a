// Values of fields as values of Python. See field_inside.h.
#include "field_inside.h"

#include <string.h>

// An engine that was not initialised may lack what it works on: before that, only loaders run when they are asked.
static bool can_pull(const dvField *f)
{
  for (; f; f = f->source) {
    const dvObject *o = f->owner;
    if ((f->desc->flags & DV_OUTPUT) && (o->cls->update || o->cls->fetch) && !o->initialised &&
        !dv_plays(o, DV_ROLE_LOADER))
      return false;
    if (o->failed) return false;
  }
  return true;
}

// Links are made when the scene is initialised; who reads before that, as scripts do of loaders, follows them already.
static void link_early(dvField *f)
{
  dvObject *o = f->owner;
  const dvAttribute *src = f->was_set ? NULL : dv_attribute_find(&o->attributes, "src");
  if (f->source || (!f->link && !src)) return;
  char *name = NULL;
  dvObject *target = dv_link_split(o, f->link ? f->link : src->value, &name);
  if (target && f->link) {
    dvField *source = dv_object_field(target, name ? name : dv_field_name(f->desc));
    dvText why = {0};
    if (source) dv_field_link(f, source, &why);   // what does not fit is told at the start of the scene
    dv_text_free(&why);
  } else if (target && target != o) {
    dv_object_link_src(o, target, src->place);
  }
  dv_free(name);
}

bool field_pull(Handle *owner, dvField *f)
{
  enum { LONGEST = 100 };   // links, one behind the other
  dvField *at = f;
  int length = 0;
  for (; length < LONGEST && at && !owner->scene->scene->initialised; length++, at = at->source) link_early(at);
  if (!f->source && !(f->desc->flags & DV_OUTPUT)) return true;
  if (!can_pull(f)) {   // what it follows can be had all the same
    if (!f->source || f->owner->initialised || f->owner->failed || length == LONGEST) return true;
    dvText why = {0};
    const bool good = field_pull(owner, f->source);
    if (good) dv_field_copy(f, f->source, &why);
    dv_text_free(&why);
    return good;
  }
  Scene *s = owner->scene;
  if (!context_enter(s->context)) return false;
  context_fresh(s->context);
  dvStatus status;
  Py_BEGIN_ALLOW_THREADS status = dv_field_pull(f);
  Py_END_ALLOW_THREADS context_leave(s->context);
  return context_tell(s->context, s, status, "the field could not be computed");
}

static PyObject *tuple_of_reals(const double *x, int n)
{
  PyObject *t = PyTuple_New(n);
  for (int i = 0; t && i < n; i++)
    if (PyTuple_SetItem(t, i, PyFloat_FromDouble(x[i])) < 0) Py_CLEAR(t);
  return t;
}

static PyObject *tuple_of_ints(const int32_t *x, int n)
{
  PyObject *t = PyTuple_New(n);
  for (int i = 0; t && i < n; i++)
    if (PyTuple_SetItem(t, i, PyLong_FromLong(x[i])) < 0) Py_CLEAR(t);
  return t;
}

static PyObject *lists_value(const dvLists *l)
{
  PyObject *all = PyList_New((Py_ssize_t)dv_lists_size(l));
  for (size_t i = 0; all && i < dv_lists_size(l); i++) {
    PyObject *one = PyList_New((Py_ssize_t)dv_lists_length(l, i));
    for (size_t k = 0; one && k < dv_lists_length(l, i); k++)
      if (PyList_SetItem(one, (Py_ssize_t)k, PyLong_FromLong(dv_lists_at(l, i)[k])) < 0) Py_CLEAR(one);
    if (!one || PyList_SetItem(all, (Py_ssize_t)i, one) < 0) Py_CLEAR(all);
  }
  return all;
}

static PyObject *link_value(Handle *owner, dvLink *link, const dvField *f)
{
  if (!link->target && link->path) link->target = dv_link_find(f->owner, link->path, (dvRole)f->desc->role);
  return link->target ? handle_of(owner->scene, link->target) : Py_NewRef(Py_None);
}

static PyObject *choice_value(const dvField *f)
{
  const char *option = f->desc->options;
  for (int32_t i = *(const int32_t *)f->value; option && i > 0; i--) {
    option = strchr(option, '|');
    if (option) option++;
  }
  if (!option) return PyLong_FromLong(*(const int32_t *)f->value);
  return PyUnicode_FromStringAndSize(option, (Py_ssize_t)strcspn(option, "|"));
}

PyObject *field_value(Handle *owner, dvField *f)
{
  if (!field_pull(owner, f)) return NULL;
  switch (f->desc->type) {
  case DV_T_BOOL:
    return PyBool_FromLong(*(const bool *)f->value);
  case DV_T_INT:
    return PyLong_FromLong(*(const int32_t *)f->value);
  case DV_T_REAL:
    return PyFloat_FromDouble(*(const double *)f->value);
  case DV_T_STRING:
  case DV_T_FILE:
    return text_of(*(char *const *)f->value ? *(char *const *)f->value : "");
  case DV_T_CHOICE:
    return choice_value(f);
  case DV_T_VEC:
  case DV_T_COLOUR:
  case DV_T_COORD:
  case DV_T_DERIV:
    return tuple_of_reals(f->value, f->width);
  case DV_T_IVEC:
    return tuple_of_ints(f->value, f->width);
  case DV_T_REALS:
  case DV_T_COORDS:
  case DV_T_DERIVS:
    return array_wrap(array_of_reals(f->value, NULL, false));
  case DV_T_INTS:
    return array_wrap(array_of_ints(f->value, NULL, false));
  case DV_T_LISTS:
    return lists_value(f->value);
  case DV_T_STRINGS: {
    const dvStrings *s = f->value;
    PyObject *all = PyList_New((Py_ssize_t)s->count);
    for (size_t i = 0; all && i < s->count; i++)
      if (PyList_SetItem(all, (Py_ssize_t)i, text_of(s->data[i])) < 0) Py_CLEAR(all);
    return all;
  }
  case DV_T_LINK:
    return link_value(owner, f->value, f);
  case DV_T_LINKS: {
    dvLinks *l = f->value;
    PyObject *all = PyList_New((Py_ssize_t)l->count);
    for (size_t i = 0; all && i < l->count; i++) {
      PyObject *one = link_value(owner, &l->data[i], f);
      if (!one || PyList_SetItem(all, (Py_ssize_t)i, one) < 0) Py_CLEAR(all);
    }
    return all;
  }
  }
  return Py_NewRef(Py_None);
}

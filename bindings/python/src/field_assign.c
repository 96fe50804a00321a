// Values of Python into fields, and links. See field_inside.h.
#include "field_inside.h"

#include "object/field_parse.h"

#include <math.h>
#include <string.h>

static bool is_link(const dvField *f) { return f->desc->type == DV_T_LINK || f->desc->type == DV_T_LINKS; }

void field_drop_link(dvField *f)
{
  if (f->source) dv_field_unlink(f);
  dv_free(f->link);
  f->link = NULL;
}

dvStatus field_tell_component(dvField *f)
{
  dvStatus status;
  Py_BEGIN_ALLOW_THREADS status = dv_field_changed(f);
  Py_END_ALLOW_THREADS return status;
}

bool field_finished(Scene *s, const dvField *f, dvStatus status)
{
  char *what = dv_format("%s of %s was not changed", dv_field_name(f->desc), f->owner->name);
  const bool good = context_tell(s->context, s, status, what);
  dv_free(what);
  return good;
}

bool field_assign_text(Handle *owner, dvField *f, const char *text)
{
  Scene *s = owner->scene;
  dvObject *o = f->owner;
  const bool failed = o->failed;
  dvText why = {0};
  dvStatus status;
  context_fresh(s->context);
  if (s->scene->initialised && o->initialised && !is_link(f)) {
    Py_BEGIN_ALLOW_THREADS status = dv_field_set_live(f, text, &why);
    Py_END_ALLOW_THREADS if (status != DV_OK) o->failed = failed;
  } else {
    status = dv_field_parse(f, text, &why);
    if (status == DV_OK) status = dv_field_changed(f);
  }
  if (status != DV_OK && why.length) {
    PyErr_Format(PyExc_ValueError, "%s of %s: %s", dv_field_name(f->desc), o->name, why.text);
    context_tell(s->context, s, DV_OK, "");
  }
  dv_text_free(&why);
  return !PyErr_Occurred() && field_finished(s, f, status);
}

// the lists are shared, so that keeping the one before costs nothing
static bool replace_reals(Handle *owner, dvField *f, dvReals *fresh)
{
  dvReals before = {.width = f->width}, *now = f->value;
  dvObject *o = f->owner;
  const bool live = owner->scene->scene->initialised && o->initialised, was_set = f->was_set, failed = o->failed;
  dv_reals_share(&before, now);
  fresh->width = f->width;
  dv_reals_share(now, fresh);
  context_fresh(owner->scene->context);
  dvStatus status = live ? dv_field_check_size(f, before.count) : DV_OK;
  if (status == DV_OK) status = field_tell_component(f);
  if (status != DV_OK) {
    dv_reals_share(now, &before);
    o->failed = failed;
    if (live) field_tell_component(f);
    f->was_set = was_set;
  }
  dv_reals_free(&before);
  return field_finished(owner->scene, f, status);
}

static bool replace_ints(Handle *owner, dvField *f, dvInts *fresh)
{
  dvInts before = {.width = f->width}, *now = f->value;
  dvObject *o = f->owner;
  const bool live = owner->scene->scene->initialised && o->initialised, was_set = f->was_set, failed = o->failed;
  dv_ints_share(&before, now);
  fresh->width = f->width;
  dv_ints_share(now, fresh);
  context_fresh(owner->scene->context);
  dvStatus status = live ? dv_field_check_size(f, before.count) : DV_OK;
  if (status == DV_OK) status = field_tell_component(f);
  if (status != DV_OK) {
    dv_ints_share(now, &before);
    o->failed = failed;
    if (live) field_tell_component(f);
    f->was_set = was_set;
  }
  dv_ints_free(&before);
  return field_finished(owner->scene, f, status);
}

static bool wrong_size(const dvField *f, size_t count, Py_ssize_t columns)
{
  if (columns)
    PyErr_Format(PyExc_ValueError, "%s of %s has rows of %d numbers, not %zd", dv_field_name(f->desc), f->owner->name,
                 f->width, columns);
  else
    PyErr_Format(PyExc_ValueError, "%s of %s takes %d number%s%s, not %zu", dv_field_name(f->desc), f->owner->name,
                 f->width, f->width == 1 ? "" : "s",
                 dv_holds_reals(f->desc->type) || f->desc->type == DV_T_INTS ? " a row" : "", count);
  return false;
}

static bool whole_numbers(const dvField *f, const dvReals *r, dvInts *out)
{
  if (!dv_ints_resize(out, r->count)) return PyErr_NoMemory() != NULL;
  for (size_t i = 0; i < r->count; i++) {
    if (!(fabs(r->data[i]) <= INT32_MAX) || r->data[i] != floor(r->data[i])) {
      PyErr_Format(PyExc_ValueError, "%s of %s takes whole numbers", dv_field_name(f->desc), f->owner->name);
      return false;
    }
    out->data[i] = (int32_t)r->data[i];
  }
  return true;
}

// Rows of another length tell the template of a component that came before the state it takes it from.
static void adapt_template(dvField *f, Py_ssize_t columns)
{
  dvObject *o = f->owner;
  const dvFieldType t = f->desc->type;
  const bool coord = t == DV_T_COORDS, deriv = t == DV_T_DERIVS;
  if (o->initialised || o->template_text || dv_plays(o, DV_ROLE_STATE) || !(coord || deriv) || columns == f->width)
    return;
  for (int k = 0; k < DV_DOF_COUNT; k++) {
    const dvDof *dof = dv_dof((dvDofKind)k);
    if (!(o->cls->dofs & (1u << k)) || (coord ? dof->coord : dof->deriv) != columns) continue;
    dv_object_set_dof(o, dof);
    return;
  }
}

static bool assign_numbers(Handle *owner, dvField *f, PyObject *value)
{
  dvReals r = {.width = 1};
  dvInts n = {.width = 1};
  Py_ssize_t columns;
  if (!numbers_from(value, &r, &columns)) return false;
  const dvFieldType t = f->desc->type;
  const bool list = dv_holds_reals(t) || t == DV_T_INTS;
  if (columns) adapt_template(f, columns);
  const bool whole = t == DV_T_INTS || t == DV_T_IVEC || t == DV_T_INT || t == DV_T_CHOICE;
  bool good = list ? r.count % (size_t)f->width == 0 && (!columns || columns == f->width || f->width == 1 || !r.count)
                   : r.count == (size_t)f->width;
  if (!good && t == DV_T_COLOUR && r.count == 3 && dv_reals_resize(&r, 4)) r.data[3] = 1, good = true;
  if (!good) wrong_size(f, r.count, list ? columns : 0);
  for (size_t i = 0; i < r.count && good; i++)
    if (isnan(r.data[i])) {
      PyErr_Format(PyExc_ValueError, "%s of %s: number %zu is not a number", dv_field_name(f->desc), f->owner->name, i);
      good = false;
    }
  if (good && whole) good = whole_numbers(f, &r, &n);
  if (good) field_drop_link(f);
  if (good && dv_holds_reals(t)) good = replace_reals(owner, f, &r);
  else if (good && t == DV_T_INTS) good = replace_ints(owner, f, &n);
  else if (good) {   // a few numbers, whose former ones are put back when they are refused
    double before[DV_MAX_COORD > 16 ? DV_MAX_COORD : 16];
    const size_t bytes = (size_t)f->width * (whole ? sizeof(int32_t) : sizeof(double));
    const bool was_set = f->was_set, failed = f->owner->failed;
    memcpy(before, f->value, bytes);
    if (bytes) memcpy(f->value, whole ? (void *)n.data : (void *)r.data, bytes);
    context_fresh(owner->scene->context);
    const dvStatus status = field_tell_component(f);
    if (status != DV_OK) {
      memcpy(f->value, before, bytes);
      f->owner->failed = failed;
      field_tell_component(f);
      f->was_set = was_set;
    }
    good = field_finished(owner->scene, f, status);
  }
  dv_reals_free(&r);
  dv_ints_free(&n);
  return good;
}

static bool assign_strings(Handle *owner, dvField *f, PyObject *value)
{
  dvStrings fresh = {0};
  const Py_ssize_t n = PySequence_Size(value);
  bool good = n >= 0;
  for (Py_ssize_t i = 0; i < n && good; i++) {
    PyObject *item = PySequence_GetItem(value, i), *text = item ? value_as_text(item) : NULL;
    PyObject *bytes = text ? PyUnicode_AsEncodedString(text, "utf-8", "surrogateescape") : NULL;
    good = bytes != NULL;
    if (good) dv_strings_push(&fresh, PyBytes_AsString(bytes), strlen(PyBytes_AsString(bytes)));
    Py_XDECREF(bytes);
    Py_XDECREF(text);
    Py_XDECREF(item);
  }
  if (good) {
    field_drop_link(f);
    dv_strings_copy(f->value, &fresh);
    context_fresh(owner->scene->context);
    good = field_finished(owner->scene, f, field_tell_component(f));
  }
  dv_strings_free(&fresh);
  return good;
}

static bool assign_lists(Handle *owner, dvField *f, PyObject *value)
{
  dvLists fresh = {.starts.width = 1, .items.width = 1};
  const Py_ssize_t n = PySequence_Size(value);
  bool good = n >= 0;
  for (Py_ssize_t i = 0; i < n && good; i++) {
    dvReals r = {.width = 1};
    dvInts whole = {.width = 1};
    Py_ssize_t columns;
    PyObject *item = PySequence_GetItem(value, i);
    good = item && numbers_from(item, &r, &columns) && whole_numbers(f, &r, &whole);
    if (good && !dv_lists_push(&fresh, whole.data, whole.count)) good = PyErr_NoMemory() != NULL;
    Py_XDECREF(item);
    dv_reals_free(&r);
    dv_ints_free(&whole);
  }
  if (good) {
    field_drop_link(f);
    dv_lists_share(f->value, &fresh);
    context_fresh(owner->scene->context);
    good = field_finished(owner->scene, f, field_tell_component(f));
  }
  dv_lists_free(&fresh);
  return good;
}

static bool lead_to(Handle *owner, dvField *f, dvLink *link, PyObject *value)
{
  if (is_handle(value)) {
    if (((Handle *)value)->scene != owner->scene) {
      PyErr_SetString(PyExc_ValueError, "it belongs to another scene");
      return false;
    }
    dvObject *target = handle_use(value);
    if (!target) return false;
    if (f->desc->role != DV_ROLE_ANY && !dv_plays(target, (dvRole)f->desc->role)) {
      dvNode *node = dv_node_of(target);   // of a node, its component of the role
      dvObject *inside = node ? dv_node_find_up(node, (dvRole)f->desc->role) : NULL;
      if (!inside) {
        PyErr_Format(PyExc_ValueError, "%s of %s leads to a %s; %s (%s) is none", dv_field_name(f->desc),
                     f->owner->name, dv_role_name((dvRole)f->desc->role), target->name, target->cls->name);
        return false;
      }
      target = inside;
    }
    char *path = dv_object_path(target), *text = dv_format("@%s", path);
    dv_link_parse(link, text);
    link->target = target;
    dv_free(text);
    dv_free(path);
    return true;
  }
  PyObject *text = value_as_text(value);
  const char *utf8 = text ? PyUnicode_AsUTF8AndSize(text, NULL) : NULL;
  if (utf8) {
    dv_link_parse(link, utf8);
    link->target = NULL;
  }
  Py_XDECREF(text);
  return utf8 != NULL;
}

static bool assign_link(Handle *owner, dvField *f, PyObject *value)
{
  if (owner->scene->scene->initialised && f->owner->initialised) {
    PyErr_Format(PyExc_RuntimeError, "%s of %s cannot lead elsewhere any more: set it before the scene is initialised",
                 dv_field_name(f->desc), f->owner->name);
    return false;
  }
  bool good = true;
  if (f->desc->type == DV_T_LINK) {
    good = lead_to(owner, f, f->value, value);
  } else if (PyUnicode_Check(value)) {
    return field_assign_text(owner, f, PyUnicode_AsUTF8AndSize(value, NULL));
  } else {
    dvLinks *links = f->value;
    PyObject *list = is_handle(value) ? Py_BuildValue("[O]", value) : PySequence_List(value);
    const Py_ssize_t n = list ? PyList_Size(list) : 0;
    for (size_t i = 0; i < links->count; i++) dv_free(links->data[i].path);
    dv_free(links->data);
    links->data = dv_alloc((size_t)(n + 1) * sizeof *links->data);
    links->count = (size_t)n;
    for (Py_ssize_t i = 0; i < n && good; i++) good = lead_to(owner, f, &links->data[i], PyList_GetItem(list, i));
    good = good && list;
    Py_XDECREF(list);
  }
  if (good) {
    f->was_set = true;
    dv_field_touch(f);
  }
  return good;
}

static bool link_text(Handle *owner, dvField *f, const char *text)
{
  Scene *s = owner->scene;
  char *name = NULL;
  dvObject *target = dv_link_split(f->owner, text, &name);
  dvField *source = target ? dv_object_field(target, name ? name : dv_field_name(f->desc)) : NULL;
  dv_free(name);
  const bool live = s->scene->initialised && f->owner->initialised;
  if (!source && live) {
    PyErr_Format(PyExc_ValueError, "%s=\"%s\" leads to no field", dv_field_name(f->desc), text);
    return false;
  }
  dvText why = {0};
  // what is not there yet is looked for when the scene is initialised
  if (source && !s->scene->context->skip_missing && dv_field_link(f, source, &why) != DV_OK) {
    PyErr_Format(PyExc_ValueError, "%s of %s: %s", dv_field_name(f->desc), f->owner->name, why.text ? why.text : text);
    dv_text_free(&why);
    return false;
  }
  dv_text_free(&why);
  dv_free(f->link);
  f->link = dv_strdup(text);
  f->was_set = true;
  if (!live) return true;
  s->scene->version++;   // it is pulled in every step from now on
  context_fresh(s->context);
  dvStatus status;
  const size_t before = dv_field_size(f);
  Py_BEGIN_ALLOW_THREADS status = dv_field_pull(f);
  if (status == DV_OK) status = dv_field_check_size(f, before);
  if (status == DV_OK) status = dv_field_changed(f);
  Py_END_ALLOW_THREADS if (status != DV_OK) field_drop_link(f);
  return field_finished(s, f, status);
}

bool field_link_to(Handle *owner, dvField *f, PyObject *target)
{
  PyObject *text = NULL;
  if (is_handle(target) || PyObject_TypeCheck(target, (PyTypeObject *)type_field)) {
    Handle *other = is_handle(target) ? (Handle *)target : ((FieldHandle *)target)->owner;
    if (other->scene != owner->scene) {
      PyErr_SetString(PyExc_ValueError, "a field cannot follow one of another scene");
      return false;
    }
  }
  text = value_as_text(target);
  const char *utf8 = text ? PyUnicode_AsUTF8AndSize(text, NULL) : NULL;
  bool good = false;
  if (utf8 && is_link(f)) good = assign_link(owner, f, target);
  else if (utf8) good = link_text(owner, f, utf8);
  Py_XDECREF(text);
  return good;
}

bool field_assign(Handle *owner, dvField *f, PyObject *value)
{
  Scene *s = owner->scene;
  if (!context_enter(s->context)) return false;
  bool good = false;
  const dvFieldType t = f->desc->type;
  const dvNode *node = dv_node_of(f->owner);
  const char *text = PyUnicode_Check(value) ? PyUnicode_AsUTF8AndSize(value, NULL) : NULL;
  if (PyUnicode_Check(value) && !text) {
    good = false;
  } else if (node && f->value == &node->activated && !PyUnicode_Check(value) && s->context->computing) {
    PyErr_SetString(PyExc_RuntimeError, "nodes cannot be switched inside of a force, mass or mapping");
  } else if (is_link(f)) {
    good = assign_link(owner, f, value);
  } else if (is_handle(value) || PyObject_TypeCheck(value, (PyTypeObject *)type_field) || (text && *text == '@')) {
    good = field_link_to(owner, f, value);
  } else if (text) {
    field_drop_link(f);
    good = field_assign_text(owner, f, text);
  } else if (t == DV_T_BOOL) {
    const int truth = PyObject_IsTrue(value);
    if (truth >= 0) {
      field_drop_link(f);
      good = field_assign_text(owner, f, truth ? "1" : "0");
    }
  } else if (t == DV_T_STRINGS) {
    good = assign_strings(owner, f, value);
  } else if (t == DV_T_LISTS) {
    good = assign_lists(owner, f, value);
  } else if (t == DV_T_STRING || t == DV_T_FILE || t == DV_T_CHOICE) {
    PyObject *as_text = value_as_text(value);
    const char *utf8 = as_text ? PyUnicode_AsUTF8AndSize(as_text, NULL) : NULL;
    if (utf8) {
      field_drop_link(f);
      good = field_assign_text(owner, f, utf8);
    }
    Py_XDECREF(as_text);
  } else {
    good = assign_numbers(owner, f, value);
  }
  context_leave(s->context);
  return good;
}

// Fields: the type. See field_inside.h for what reads and sets them.
#include "field_inside.h"

#include <string.h>

PyObject *type_field;

bool array_end(PyObject *self, const double **reals, const int32_t **ints, size_t *count);

// --- life ----------------------------------------------------------------------------------------

PyObject *field_handle(Handle *owner, const dvField *f)
{
  PyTypeObject *type = (PyTypeObject *)type_field;
  FieldHandle *h = (FieldHandle *)((allocfunc)PyType_GetSlot(type, Py_tp_alloc))(type, 0);
  if (!h) return NULL;
  h->owner = (Handle *)Py_NewRef((PyObject *)owner);
  h->index = (int)(f - owner->object->fields);
  return (PyObject *)h;
}

dvField *field_use(PyObject *self)
{
  const FieldHandle *h = (const FieldHandle *)self;
  if (!h->owner) {
    PyErr_SetString(PyExc_ReferenceError, "the field is gone");
    return NULL;
  }
  dvObject *o = handle_use((PyObject *)h->owner);
  return o ? &o->fields[h->index] : NULL;
}

static int field_traverse(PyObject *self, visitproc visit, void *arg)
{
  Py_VISIT(Py_TYPE(self));
  Py_VISIT((PyObject *)((FieldHandle *)self)->owner);
  return 0;
}

static int field_clear(PyObject *self)
{
  PyObject *owner = (PyObject *)((FieldHandle *)self)->owner;
  ((FieldHandle *)self)->owner = NULL;
  Py_XDECREF(owner);
  return 0;
}

static void field_dealloc(PyObject *self)
{
  PyObject_GC_UnTrack(self);
  if (((FieldHandle *)self)->weak) PyObject_ClearWeakRefs(self);
  field_clear(self);
  PyTypeObject *type = Py_TYPE(self);
  ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
  Py_DECREF(type);
}

// --- the type ------------------------------------------------------------------------------------

static PyObject *field_get(PyObject *self, void *closure)
{
  DV_UNUSED(closure);
  dvField *f = field_use(self);
  return f ? field_value(((FieldHandle *)self)->owner, f) : NULL;
}

static int field_put(PyObject *self, PyObject *value, void *closure)
{
  DV_UNUSED(closure);
  dvField *f = field_use(self);
  if (!f || !value) return -1;
  return field_assign(((FieldHandle *)self)->owner, f, value) ? 0 : -1;
}

static PyObject *field_set(PyObject *self, PyObject *value)
{
  return field_put(self, value, NULL) == 0 ? Py_NewRef(Py_None) : NULL;
}

static PyObject *field_set_text(PyObject *self, PyObject *value)
{
  dvField *f = field_use(self);
  const char *text = f ? PyUnicode_AsUTF8AndSize(value, NULL) : NULL;
  if (!text) return NULL;
  field_drop_link(f);
  return field_assign_text(((FieldHandle *)self)->owner, f, text) ? Py_NewRef(Py_None) : NULL;
}

static PyObject *field_text(PyObject *self, void *closure)
{
  DV_UNUSED(closure);
  dvField *f = field_use(self);
  if (!f || !field_pull(((FieldHandle *)self)->owner, f)) return NULL;
  dvText t = {0};
  dv_field_print(f, &t);
  PyObject *text = text_of(t.text ? t.text : "");
  dv_text_free(&t);
  return text;
}

static int field_put_text(PyObject *self, PyObject *value, void *closure)
{
  DV_UNUSED(closure);
  PyObject *done = value ? field_set_text(self, value) : NULL;
  Py_XDECREF(done);
  return done ? 0 : -1;
}

#define TEXT_PROPERTY(function, expression)                \
  static PyObject *function(PyObject *self, void *closure) \
  {                                                        \
    DV_UNUSED(closure);                                    \
    const dvField *f = field_use(self);                    \
    return f ? text_of(expression) : NULL;                 \
  }
TEXT_PROPERTY(field_name_, dv_field_name(f->desc))
TEXT_PROPERTY(field_type_, dv_field_type_name(f->desc))
TEXT_PROPERTY(field_unit, f->desc->unit ? f->desc->unit : "")
TEXT_PROPERTY(field_help, f->desc->help ? f->desc->help : "")
TEXT_PROPERTY(field_group, f->desc->group ? f->desc->group : "")
TEXT_PROPERTY(field_options, f->desc->options)
TEXT_PROPERTY(field_initial, f->desc->initial)
TEXT_PROPERTY(field_link_text, f->link)

static PyObject *field_owner(PyObject *self, void *closure)
{
  DV_UNUSED(closure);
  return field_use(self) ? Py_NewRef((PyObject *)((FieldHandle *)self)->owner) : NULL;
}

static PyObject *field_is_set(PyObject *self, void *closure)
{
  DV_UNUSED(closure);
  const dvField *f = field_use(self);
  return f ? PyBool_FromLong(f->was_set) : NULL;
}

static PyObject *field_counter(PyObject *self, void *closure)
{
  DV_UNUSED(closure);
  const dvField *f = field_use(self);
  return f ? PyLong_FromUnsignedLong(f->counter) : NULL;
}

static PyObject *field_width(PyObject *self, void *closure)
{
  DV_UNUSED(closure);
  const dvField *f = field_use(self);
  return f ? PyLong_FromLong(f->width) : NULL;
}

static PyObject *field_flags(PyObject *self, void *closure)
{
  DV_UNUSED(closure);
  const dvField *f = field_use(self);
  return f ? Py_BuildValue("{s:N,s:N,s:N,s:N}", "input", PyBool_FromLong(f->desc->flags & DV_INPUT), "output",
                           PyBool_FromLong(f->desc->flags & DV_OUTPUT), "hidden",
                           PyBool_FromLong(f->desc->flags & DV_HIDDEN), "read_only",
                           PyBool_FromLong(f->desc->flags & DV_READ_ONLY))
           : NULL;
}

static PyObject *field_link(PyObject *self, void *closure)
{
  DV_UNUSED(closure);
  dvField *f = field_use(self);
  if (!f) return NULL;
  dvField *source = f->source;
  if (!source && f->link) {
    char *name = NULL;
    dvObject *target = dv_link_split(f->owner, f->link, &name);
    if (target) source = dv_object_field(target, name ? name : dv_field_name(f->desc));
    dv_free(name);
  }
  if (!source) return Py_NewRef(Py_None);
  PyObject *owner = handle_of(((FieldHandle *)self)->owner->scene, source->owner);
  PyObject *found = owner ? field_handle((Handle *)owner, source) : NULL;
  Py_XDECREF(owner);
  return found;
}

static PyObject *field_set_link(PyObject *self, PyObject *target)
{
  dvField *f = field_use(self);
  if (!f) return NULL;
  Handle *owner = ((FieldHandle *)self)->owner;
  if (!context_enter(owner->scene->context)) return NULL;
  const bool good = field_link_to(owner, f, target);
  context_leave(owner->scene->context);
  return good ? Py_NewRef(Py_None) : NULL;
}

static PyObject *field_unlink(PyObject *self, PyObject *none)
{
  DV_UNUSED(none);
  dvField *f = field_use(self);
  if (!f) return NULL;
  field_drop_link(f);
  return Py_NewRef(Py_None);
}

static PyObject *field_link_path(PyObject *self, void *closure)
{
  DV_UNUSED(closure);
  const dvField *f = field_use(self);
  if (!f) return NULL;
  char *path = dv_object_path(f->owner);
  PyObject *text = PyUnicode_FromFormat("@%s.%s", path, dv_field_name(f->desc));
  dv_free(path);
  return text;
}

static PyObject *no_numbers(const dvField *f)
{
  return PyErr_Format(PyExc_TypeError, "%s of %s (%s) holds no rows of numbers", dv_field_name(f->desc), f->owner->name,
                      dv_field_type_name(f->desc));
}

static PyObject *field_array(PyObject *self, PyObject *none)
{
  DV_UNUSED(none);
  dvField *f = field_use(self);
  if (!f || !field_pull(((FieldHandle *)self)->owner, f)) return NULL;
  if (dv_holds_reals(f->desc->type)) return array_wrap(array_of_reals(f->value, NULL, false));
  if (f->desc->type == DV_T_INTS) return array_wrap(array_of_ints(f->value, NULL, false));
  return no_numbers(f);
}

static PyObject *field_begin_write(PyObject *self, PyObject *none)
{
  DV_UNUSED(none);
  dvField *f = field_use(self);
  Handle *owner = ((FieldHandle *)self)->owner;
  if (!f || !field_pull(owner, f)) return NULL;
  PyObject *array = NULL;
  if (dv_holds_reals(f->desc->type)) {
    dv_reals_edit(f->value);
    array = array_of_reals(f->value, self, true);
  } else if (f->desc->type == DV_T_INTS) {
    dv_ints_edit(f->value);
    array = array_of_ints(f->value, self, true);
  } else {
    return no_numbers(f);
  }
  return array;
}

// the block that was written is the field's; where the field has another one by now, the numbers are taken over
static PyObject *field_end_write(PyObject *self, PyObject *array)
{
  dvField *f = field_use(self);
  if (!f) return NULL;
  if (!PyObject_TypeCheck(array, (PyTypeObject *)type_array))
    return PyErr_Format(PyExc_TypeError, "an array of begin_write is wanted");
  const double *reals;
  const int32_t *ints;
  size_t count;
  if (!array_end(array, &reals, &ints, &count)) return Py_NewRef(Py_None);
  Handle *owner = ((FieldHandle *)self)->owner;
  Scene *s = owner->scene;
  bool good = count == dv_field_size(f);
  if (!good) return PyErr_Format(PyExc_RuntimeError, "%s has got another size meanwhile", dv_field_name(f->desc));
  if (dv_holds_reals(f->desc->type)) {
    dvReals *r = f->value;
    if (r->data != reals && count) memcpy(dv_reals_edit(r), reals, count * sizeof *reals);
  } else {
    dvInts *r = f->value;
    if (r->data != ints && count) memcpy(dv_ints_edit(r), ints, count * sizeof *ints);
  }
  field_drop_link(f);
  if (!context_enter(s->context)) return NULL;
  context_fresh(s->context);
  good = field_finished(s, f, field_tell_component(f));
  context_leave(s->context);
  return good ? Py_NewRef(Py_None) : NULL;
}

static PyObject *field_writable(PyObject *self, PyObject *none)
{
  DV_UNUSED(none);
  return PyObject_CallFunctionObjArgs(writing_class, self, NULL);
}

static PyObject *field_repr(PyObject *self)
{
  const FieldHandle *h = (const FieldHandle *)self;
  if (!h->owner || !h->owner->object || h->owner->removed) return PyUnicode_FromString("<field that is gone>");
  char *path = dv_object_path(h->owner->object);
  const dvField *f = &h->owner->object->fields[h->index];
  PyObject *text =
      PyUnicode_FromFormat("<field %s.%s (%s)>", path, dv_field_name(f->desc), dv_field_type_name(f->desc));
  dv_free(path);
  return text;
}

static Py_hash_t field_hash(PyObject *self)
{
  const FieldHandle *h = (const FieldHandle *)self;
  return (Py_hash_t)(((uintptr_t)h->owner >> 4) * 31 + (uintptr_t)h->index) & 0x7fffffffffffff;
}

static PyObject *field_compare(PyObject *self, PyObject *other, int op)
{
  if ((op != Py_EQ && op != Py_NE) || !PyObject_TypeCheck(other, (PyTypeObject *)type_field))
    return Py_NewRef(Py_NotImplemented);
  const FieldHandle *a = (const FieldHandle *)self, *b = (const FieldHandle *)other;
  return PyBool_FromLong((a->owner == b->owner && a->index == b->index) == (op == Py_EQ));
}

static PyMethodDef field_methods[] = {
    {"set", field_set, METH_O, "sets the value; a component, a field or a text with @ becomes a link"},
    {"set_text", field_set_text, METH_O, "sets the value from text as in a scene file"},
    {"array", field_array, METH_NOARGS, "its numbers without a copy, to be read; they stay as they are now"},
    {"writable", field_writable, METH_NOARGS,
     "with field.writable() as x: x is changed in place, the component is told"},
    {"begin_write", field_begin_write, METH_NOARGS, "its numbers without a copy, to be changed until end_write"},
    {"end_write", field_end_write, METH_O, "numbers of begin_write were changed: the component is told"},
    {"set_link", field_set_link, METH_O, "follows another field: a Field, a component, or a path"},
    {"unlink", field_unlink, METH_NOARGS, "follows nothing any more, and keeps its value"},
    {NULL, NULL, 0, NULL},
};
static PyGetSetDef field_properties[] = {
    {"name", field_name_, NULL, "as in scene files", NULL},
    {"owner", field_owner, NULL, "its component or node", NULL},
    {"type", field_type_, NULL, "as `divan info` shows it", NULL},
    {"unit", field_unit, NULL, "its unit", NULL},
    {"help", field_help, NULL, "what it means", NULL},
    {"group", field_group, NULL, "the word it was added under", NULL},
    {"options", field_options, NULL, "names of a choice, separated by |", NULL},
    {"initial", field_initial, NULL, "default, as text", NULL},
    {"width", field_width, NULL, "numbers in a row", NULL},
    {"flags", field_flags, NULL, "input, output, hidden, read_only", NULL},
    {"value", field_get, field_put, "the value as what it is: number, text, tuple, list, array, component", NULL},
    {"text", field_text, field_put_text, "the value as in a scene file", NULL},
    {"is_set", field_is_set, NULL, "whether the scene or the program has set it", NULL},
    {"counter", field_counter, NULL, "moves with every change", NULL},
    {"link", field_link, NULL, "the field it follows, or None", NULL},
    {"link_text", field_link_text, NULL, "the link as written, or None", NULL},
    {"link_path", field_link_path, NULL, "what others write to follow it: @/Liver/dofs.position", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};
static PyMemberDef field_members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(FieldHandle, weak), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};
static PyType_Slot field_slots[] = {
    {Py_tp_doc, "A field of a component or node."},
    {Py_tp_dealloc, field_dealloc},
    {Py_tp_traverse, field_traverse},
    {Py_tp_clear, field_clear},
    {Py_tp_repr, field_repr},
    {Py_tp_hash, field_hash},
    {Py_tp_richcompare, field_compare},
    {Py_tp_methods, field_methods},
    {Py_tp_getset, field_properties},
    {Py_tp_members, field_members},
    {0, NULL},
};
static PyType_Spec field_spec = {"divan.Field", sizeof(FieldHandle), 0,
                                 Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                                 field_slots};

bool field_add_type(PyObject *module)
{
  type_field = PyType_FromSpec(&field_spec);
  return type_field && PyModule_AddObjectRef(module, "Field", type_field) == 0;
}

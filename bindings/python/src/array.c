// Rows of numbers without a copy. An array holds its block of numbers by count: it stays readable as it was, whatever
// becomes of the field, and the library's next write goes elsewhere.
#include "bind.h"

#include <string.h>

typedef struct Array {
  PyObject_HEAD dvReals reals;
  dvInts ints;
  PyObject *field;   // of a writable one: it is told when writing ends
  bool whole;        // ints
  bool writable, ended;
  int dimensions;
  Py_ssize_t shape[2], strides[2];
  int exports;
  PyObject *weak;
} Array;

PyObject *type_array;

static void set_shape(Array *a, size_t count, size_t width, size_t item)
{
  a->dimensions = width > 1 ? 2 : 1;
  a->shape[0] = (Py_ssize_t)(width ? count / width : count);
  a->shape[1] = (Py_ssize_t)width;
  a->strides[0] = (Py_ssize_t)(width > 1 ? width * item : item);
  a->strides[1] = (Py_ssize_t)item;
}

static Array *array_new(void)
{
  allocfunc make = (allocfunc)PyType_GetSlot((PyTypeObject *)type_array, Py_tp_alloc);
  return (Array *)make((PyTypeObject *)type_array, 0);
}

PyObject *array_of_reals(const dvReals *r, PyObject *field, bool writable)
{
  Array *a = array_new();
  if (!a) return NULL;
  a->reals.width = r->width;
  dv_reals_share(&a->reals, r);
  a->writable = writable;
  a->field = Py_XNewRef(field);
  set_shape(a, r->count, (size_t)r->width, sizeof(double));
  return (PyObject *)a;
}

PyObject *array_of_ints(const dvInts *r, PyObject *field, bool writable)
{
  Array *a = array_new();
  if (!a) return NULL;
  a->ints.width = r->width;
  dv_ints_share(&a->ints, r);
  a->whole = true;
  a->writable = writable;
  a->field = Py_XNewRef(field);
  set_shape(a, r->count, (size_t)r->width, sizeof(int32_t));
  return (PyObject *)a;
}

PyObject *array_fresh(const double *data, size_t rows, size_t columns)
{
  dvReals r = {.width = columns ? (int)columns : 1};
  const size_t count = rows * (columns ? columns : 1);
  if (!dv_reals_resize(&r, count)) return PyErr_NoMemory();
  if (count) memcpy(r.data, data, count * sizeof *data);
  PyObject *a = array_of_reals(&r, NULL, false);
  dv_reals_free(&r);
  if (a && columns == 1) {   // a column stays one
    Array *array = (Array *)a;
    array->dimensions = 2;
  }
  return array_wrap(a);
}

PyObject *array_fresh_ints(const int32_t *data, size_t rows, size_t columns)
{
  dvInts r = {.width = columns ? (int)columns : 1};
  const size_t count = rows * (columns ? columns : 1);
  if (!dv_ints_resize(&r, count)) return PyErr_NoMemory();
  if (count) memcpy(r.data, data, count * sizeof *data);
  PyObject *a = array_of_ints(&r, NULL, false);
  dv_ints_free(&r);
  return array_wrap(a);
}

PyObject *array_wrap(PyObject *array)
{
  if (!array || !numpy_wrap) return array;
  PyObject *wrapped = PyObject_CallFunctionObjArgs(numpy_wrap, array, NULL);
  Py_DECREF(array);
  return wrapped;
}

static void *data_of(const Array *a)
{
  static double nothing;   // an empty buffer has an address too
  void *data = a->whole ? (void *)a->ints.data : (void *)a->reals.data;
  return data ? data : &nothing;
}

static int array_getbuffer(PyObject *self, Py_buffer *view, int flags)
{
  Array *a = (Array *)self;
  view->obj = NULL;
  if ((flags & PyBUF_WRITABLE) && (!a->writable || a->ended)) {
    PyErr_SetString(PyExc_BufferError, "the array is read-only: use field.writable() to change numbers in place");
    return -1;
  }
  const Py_ssize_t item = a->whole ? (Py_ssize_t)sizeof(int32_t) : (Py_ssize_t)sizeof(double);
  *view = (Py_buffer){.buf = data_of(a),
                      .obj = Py_NewRef(self),
                      .itemsize = item,
                      .len = item * (Py_ssize_t)(a->whole ? a->ints.count : a->reals.count),
                      .readonly = !a->writable || a->ended,
                      .ndim = a->dimensions,
                      .format = (flags & PyBUF_FORMAT) ? (a->whole ? "i" : "d") : NULL,
                      .shape = (flags & PyBUF_ND) == PyBUF_ND ? a->shape : NULL,
                      .strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES ? a->strides : NULL};
  a->exports++;
  return 0;
}

static void array_releasebuffer(PyObject *self, Py_buffer *view)
{
  DV_UNUSED(view);
  ((Array *)self)->exports--;
}

static int array_traverse(PyObject *self, visitproc visit, void *arg)
{
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(((Array *)self)->field);
  return 0;
}

static int array_clear(PyObject *self)
{
  Py_CLEAR(((Array *)self)->field);
  return 0;
}

static void array_dealloc(PyObject *self)
{
  PyObject_GC_UnTrack(self);
  Array *a = (Array *)self;
  if (a->weak) PyObject_ClearWeakRefs(self);
  array_clear(self);
  dv_reals_free(&a->reals);
  dv_ints_free(&a->ints);
  PyTypeObject *type = Py_TYPE(self);
  ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
  Py_DECREF(type);
}

static Py_ssize_t array_length(PyObject *self) { return ((Array *)self)->shape[0]; }

static PyObject *number_at(const Array *a, Py_ssize_t i)
{
  return a->whole ? PyLong_FromLong(a->ints.data[i]) : PyFloat_FromDouble(a->reals.data[i]);
}

static PyObject *array_item(PyObject *self, Py_ssize_t i)
{
  const Array *a = (const Array *)self;
  if (i < 0 || i >= a->shape[0]) {
    PyErr_SetString(PyExc_IndexError, "there are fewer rows");
    return NULL;
  }
  if (a->dimensions == 1) return number_at(a, i);
  PyObject *row = PyTuple_New(a->shape[1]);
  for (Py_ssize_t k = 0; row && k < a->shape[1]; k++) {
    PyObject *number = number_at(a, i * a->shape[1] + k);
    if (!number || PyTuple_SetItem(row, k, number) < 0) Py_CLEAR(row);
  }
  return row;
}

// a[i] = row, for those without numpy
static int array_set_item(PyObject *self, Py_ssize_t i, PyObject *value)
{
  Array *a = (Array *)self;
  if (!value || !a->writable || a->ended) {
    PyErr_SetString(PyExc_TypeError, "the array is read-only: use field.writable() to change numbers in place");
    return -1;
  }
  if (i < 0 || i >= a->shape[0]) {
    PyErr_SetString(PyExc_IndexError, "there are fewer rows");
    return -1;
  }
  dvReals row = {.width = 1};
  Py_ssize_t columns;
  if (!numbers_from(value, &row, &columns)) return -1;
  const size_t width = a->dimensions == 1 ? 1 : (size_t)a->shape[1];
  const bool fits = row.count == width;
  if (!fits) PyErr_Format(PyExc_ValueError, "a row has %zu numbers, not %zu", width, row.count);
  for (size_t k = 0; k < width && fits; k++) {
    if (a->whole) a->ints.data[(size_t)i * width + k] = (int32_t)row.data[k];
    else a->reals.data[(size_t)i * width + k] = row.data[k];
  }
  dv_reals_free(&row);
  return fits ? 0 : -1;
}

static PyObject *array_tolist(PyObject *self, PyObject *none)
{
  DV_UNUSED(none);
  const Array *a = (const Array *)self;
  PyObject *list = PyList_New(a->shape[0]);
  for (Py_ssize_t i = 0; list && i < a->shape[0]; i++) {
    PyObject *row = array_item(self, i);
    if (row && a->dimensions == 2) {
      PyObject *as_list = PySequence_List(row);
      Py_DECREF(row);
      row = as_list;
    }
    if (!row || PyList_SetItem(list, i, row) < 0) Py_CLEAR(list);
  }
  return list;
}

static PyObject *array_shape(PyObject *self, void *closure)
{
  DV_UNUSED(closure);
  const Array *a = (const Array *)self;
  return a->dimensions == 1 ? Py_BuildValue("(n)", a->shape[0]) : Py_BuildValue("(nn)", a->shape[0], a->shape[1]);
}

static PyObject *array_interface(PyObject *self, void *closure)
{
  Array *a = (Array *)self;
  PyObject *shape = array_shape(self, closure);
  if (!shape) return NULL;
  return Py_BuildValue("{s:N,s:s,s:(NO),s:i}", "shape", shape, "typestr", a->whole ? "<i4" : "<f8", "data",
                       PyLong_FromVoidPtr(data_of(a)), a->writable && !a->ended ? Py_False : Py_True, "version", 3);
}

static PyObject *array_is_writable(PyObject *self, void *closure)
{
  DV_UNUSED(closure);
  const Array *a = (const Array *)self;
  return PyBool_FromLong(a->writable && !a->ended);
}

// Writing has ended: the block is the field's, unless somebody else has written meanwhile.
bool array_end(PyObject *self, const double **reals, const int32_t **ints, size_t *count);
bool array_end(PyObject *self, const double **reals, const int32_t **ints, size_t *count)
{
  Array *a = (Array *)self;
  if (a->ended) return false;
  a->ended = true;
  *reals = a->reals.data;
  *ints = a->ints.data;
  *count = a->whole ? a->ints.count : a->reals.count;
  return true;
}

static PyMethodDef array_methods[] = {
    {"tolist", array_tolist, METH_NOARGS, "the numbers as a list (of lists)"},
    {NULL, NULL, 0, NULL},
};
static PyGetSetDef array_properties[] = {
    {"shape", array_shape, NULL, "rows, and columns where a row has several", NULL},
    {"writable", array_is_writable, NULL, "whether numbers can be changed", NULL},
    {"__array_interface__", array_interface, NULL, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};
static PyMemberDef array_members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(Array, weak), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};
static PyType_Slot array_slots[] = {
    {Py_tp_doc, "Rows of numbers of a field, without a copy. They stay as they were when it was taken."},
    {Py_tp_dealloc, array_dealloc},
    {Py_tp_traverse, array_traverse},
    {Py_tp_clear, array_clear},
    {Py_tp_methods, array_methods},
    {Py_tp_getset, array_properties},
    {Py_tp_members, array_members},
    {Py_bf_getbuffer, array_getbuffer},
    {Py_bf_releasebuffer, array_releasebuffer},
    {Py_sq_length, array_length},
    {Py_sq_item, array_item},
    {Py_sq_ass_item, array_set_item},
    {0, NULL},
};
static PyType_Spec array_spec = {"divan.Array", sizeof(Array), 0,
                                 Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                                 array_slots};

bool array_add_type(PyObject *module)
{
  type_array = PyType_FromSpec(&array_spec);
  return type_array && PyModule_AddObjectRef(module, "Array", type_array) == 0;
}

// From values of Python to numbers and texts.
#include "bind.h"

#include <math.h>
#include <string.h>

enum { DEEPEST = 8 };   // lists in lists

static bool push(dvReals *out, size_t *used, double number)
{
  if (*used == out->count && !dv_reals_resize(out, out->count < 16 ? 16 : 2 * out->count)) {
    PyErr_NoMemory();
    return false;
  }
  out->data[(*used)++] = number;
  return true;
}

// --- buffers -------------------------------------------------------------------------------------

#define READ(letter, type)              \
  case letter: {                        \
    type number;                        \
    memcpy(&number, at, sizeof number); \
    *out = (double)number;              \
    return true;                        \
  }

static bool read_number(char format, const char *at, double *out)
{
  switch (format) {
    READ('d', double)
    READ('f', float)
    READ('i', int)
    READ('I', unsigned)
    READ('l', long)
    READ('L', unsigned long)
    READ('q', long long)
    READ('Q', unsigned long long)
    READ('h', short)
    READ('H', unsigned short)
    READ('b', signed char)
    READ('B', unsigned char)
    READ('?', unsigned char)
  default:
    return false;
  }
}

static char format_of(const Py_buffer *b)
{
  const char *f = b->format ? b->format : "B";
  if (*f == '@' || *f == '=' || *f == '<') f++;   // little-endian as this machine
  return f[1] ? 0 : *f;
}

static bool from_buffer(PyObject *value, dvReals *out, Py_ssize_t *columns)
{
  Py_buffer b;
  if (PyObject_GetBuffer(value, &b, PyBUF_RECORDS_RO) < 0) return false;
  const char format = format_of(&b);
  Py_ssize_t count = 1;
  double probe;
  for (int d = 0; d < b.ndim; d++) count *= b.shape[d];
  bool good = b.ndim <= DEEPEST && (count == 0 || (format && read_number(format, b.buf, &probe)));
  if (!good) PyErr_Format(PyExc_TypeError, "numbers of the format '%s' cannot be read", b.format ? b.format : "B");
  if (good && !dv_reals_resize(out, (size_t)count)) good = PyErr_NoMemory() != NULL;
  if (good && count && format == 'd' && PyBuffer_IsContiguous(&b, 'C')) {
    memcpy(out->data, b.buf, (size_t)count * sizeof(double));
  } else if (good) {
    Py_ssize_t index[DEEPEST] = {0};
    for (Py_ssize_t i = 0; i < count; i++) {
      const char *at = b.buf;
      for (int d = 0; d < b.ndim; d++) at += index[d] * b.strides[d];
      read_number(format, at, &out->data[i]);
      for (int d = b.ndim - 1; d >= 0 && ++index[d] == b.shape[d]; d--) index[d] = 0;
    }
  }
  *columns = b.ndim > 1 ? b.shape[b.ndim - 1] : 0;
  PyBuffer_Release(&b);
  return good;
}

// --- sequences -----------------------------------------------------------------------------------

static bool is_text(PyObject *v) { return PyUnicode_Check(v) || PyBytes_Check(v); }

static bool add_numbers(PyObject *value, dvReals *out, size_t *used, Py_ssize_t *columns, int depth)
{
  if (PyFloat_Check(value) || PyLong_Check(value) || !PySequence_Check(value)) {   // numbers of numpy too
    const double number = PyFloat_AsDouble(value);
    return !(number == -1 && PyErr_Occurred()) && push(out, used, number);
  }
  if (is_text(value) || depth > DEEPEST) {
    PyErr_Format(PyExc_TypeError, "numbers are wanted, not %R", value);
    return false;
  }
  const Py_ssize_t n = PySequence_Size(value);
  if (n < 0) return false;
  const size_t before = *used;
  bool nested = false;
  for (Py_ssize_t i = 0; i < n; i++) {
    PyObject *item = PySequence_GetItem(value, i);
    if (!item) return false;
    nested = nested || PySequence_Check(item);
    const bool good = add_numbers(item, out, used, columns, depth + 1);
    Py_DECREF(item);
    if (!good) return false;
  }
  if (depth > 0 && !nested) {
    const Py_ssize_t here = (Py_ssize_t)(*used - before);
    if (*columns >= 0 && *columns != here) {
      PyErr_SetString(PyExc_ValueError, "the rows have different lengths");
      return false;
    }
    *columns = here;
  }
  return true;
}

bool numbers_from(PyObject *value, dvReals *out, Py_ssize_t *columns)
{
  *columns = 0;
  bool good;
  if (PyObject_CheckBuffer(value) && !is_text(value)) {
    good = from_buffer(value, out, columns);
  } else {
    size_t used = 0;
    *columns = -1;
    good = add_numbers(value, out, &used, columns, 0);
    if (good && !dv_reals_resize(out, used)) good = PyErr_NoMemory() != NULL;
    if (*columns < 0) *columns = 0;
  }
  if (!good) dv_reals_free(out);
  return good;
}

bool value_is_typed(PyObject *value)
{
  if (is_text(value) || is_handle(value) || PyObject_TypeCheck(value, (PyTypeObject *)type_field)) return false;
  if (PyObject_CheckBuffer(value)) return true;
  return PyList_Check(value) || PyTuple_Check(value);
}

// --- texts ---------------------------------------------------------------------------------------

static PyObject *path_text(PyObject *value)
{
  dvObject *o = handle_use(value);
  if (!o) return NULL;
  char *path = dv_object_path(o);
  PyObject *text = PyUnicode_FromFormat("@%s", path);
  dv_free(path);
  return text;
}

static PyObject *field_path_text(PyObject *value)
{
  dvField *f = field_use(value);
  if (!f) return NULL;
  char *path = dv_object_path(f->owner);
  PyObject *text = PyUnicode_FromFormat("@%s.%s", path, dv_field_name(f->desc));
  dv_free(path);
  return text;
}

static PyObject *join(PyObject *value)
{
  PyObject *parts = PyList_New(0), *space = PyUnicode_FromString(" "), *text = NULL;
  const Py_ssize_t n = PySequence_Size(value);
  bool good = parts && space && n >= 0;
  for (Py_ssize_t i = 0; good && i < n; i++) {
    PyObject *item = PySequence_GetItem(value, i), *part = item ? value_as_text(item) : NULL;
    good = part && PyList_Append(parts, part) == 0;
    Py_XDECREF(item);
    Py_XDECREF(part);
  }
  if (good) text = PyUnicode_Join(space, parts);
  Py_XDECREF(parts);
  Py_XDECREF(space);
  return text;
}

PyObject *value_as_text(PyObject *value)
{
  if (PyUnicode_Check(value)) return Py_NewRef(value);
  if (value == Py_True || value == Py_False) return PyUnicode_FromString(value == Py_True ? "1" : "0");
  if (value == Py_None) return PyUnicode_FromString("");
  if (is_handle(value)) return path_text(value);
  if (PyObject_TypeCheck(value, (PyTypeObject *)type_field)) return field_path_text(value);
  if (PyFloat_Check(value)) return PyObject_Repr(value);
  if (PyLong_Check(value)) return PyObject_Str(value);
  if (PyBytes_Check(value)) {
    PyErr_Format(PyExc_TypeError, "bytes are no value of a field; decode them first");
    return NULL;
  }
  if (PyList_Check(value) || PyTuple_Check(value)) return join(value);
  if (PyObject_CheckBuffer(value)) {
    dvReals r = {.width = 1};
    Py_ssize_t columns;
    if (!numbers_from(value, &r, &columns)) return NULL;
    dvText t = {0};
    dv_text_add(&t, "");
    for (size_t i = 0; i < r.count; i++) {
      if (i) dv_text_add(&t, " ");
      dv_text_add_real(&t, r.data[i]);
    }
    PyObject *text = PyUnicode_FromStringAndSize(t.text, (Py_ssize_t)t.length);
    dv_text_free(&t);
    dv_reals_free(&r);
    return text;
  }
  if (PyIndex_Check(value)) {
    PyObject *whole = PyNumber_Index(value), *text = whole ? PyObject_Str(whole) : NULL;
    Py_XDECREF(whole);
    return text;
  }
  if (PyNumber_Check(value)) {   // numpy's numbers
    PyObject *number = PyNumber_Float(value), *text = number ? PyObject_Repr(number) : NULL;
    Py_XDECREF(number);
    return text;
  }
  if (PyObject_HasAttrString(value, "__fspath__")) return PyOS_FSPath(value);
  if (PySequence_Check(value)) return join(value);
  return PyObject_Str(value);
}

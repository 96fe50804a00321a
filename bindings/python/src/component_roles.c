// Forces, masses and mappings written in Python. See component.h.
//
// Methods get vectors as arrays that hold the library's blocks by count, and return vectors of the right size; anything
// else is an exception that ends the step.
#include "component.h"

#include <math.h>
#include <string.h>

// --- vectors -------------------------------------------------------------------------------------

// a vector of a state to be read; zeros where it has no storage
static PyObject *vector_of(const dvState *s, int id)
{
  const dvReals *values = dv_state_values(s, id);
  dvReals zeros = {.width = dv_state_width(s, id)};
  if (values && values->width == zeros.width) return array_wrap(array_of_reals(values, NULL, false));
  if (!dv_reals_resize(&zeros, dv_state_scalars(s, id))) return PyErr_NoMemory();
  if (values) memcpy(zeros.data, dv_state_read(s, id), zeros.count * sizeof(double));
  PyObject *a = array_wrap(array_of_reals(&zeros, NULL, false));
  dv_reals_free(&zeros);
  return a;
}

static bool wrong(const dvObject *o, const char *method, size_t got, size_t wanted)
{
  PyErr_Format(PyExc_ValueError, "%s.%s returned %zu numbers where %zu are needed", o->cls->name, method, got, wanted);
  return false;
}

// out += factor result; the result is used up
static bool add_result(const dvObject *o, const char *method, PyObject *result, double factor, double *out,
                       size_t count)
{
  if (!result) return false;
  dvReals r = {.width = 1};
  Py_ssize_t columns;
  bool good = result == Py_None || numbers_from(result, &r, &columns);
  if (good && result != Py_None && r.count != count) good = wrong(o, method, r.count, count);
  for (size_t i = 0; good && i < r.count; i++) out[i] += factor * r.data[i];
  dv_reals_free(&r);
  Py_DECREF(result);
  return good;
}

static bool stopped(dvObject *o) { return script_of(o)->scene->context->failure != NULL; }

// --- entries of matrices -------------------------------------------------------------------------

typedef struct Entries {
  dvReals rows, cols, values;
} Entries;

static void entries_free(Entries *e)
{
  dv_reals_free(&e->rows);
  dv_reals_free(&e->cols);
  dv_reals_free(&e->values);
}

// (rows, cols, values), or a matrix of scipy, or a full one
static bool entries_from(const dvObject *o, const char *method, PyObject *result, size_t rows, size_t cols, Entries *e)
{
  Py_ssize_t columns;
  *e = (Entries){{.width = 1}, {.width = 1}, {.width = 1}};
  if (!result) return false;
  if (PyObject_HasAttrString(result, "tocoo")) {
    PyObject *coo = PyObject_CallMethod(result, "tocoo", NULL);
    PyObject *parts = coo ? Py_BuildValue("NNN", PyObject_GetAttrString(coo, "row"), PyObject_GetAttrString(coo, "col"),
                                          PyObject_GetAttrString(coo, "data"))
                          : NULL;
    Py_XDECREF(coo);
    Py_DECREF(result);
    result = parts;
    if (!result) return false;
  }
  bool good;
  if (PyTuple_Check(result) && PyTuple_Size(result) == 3) {
    good = numbers_from(PyTuple_GetItem(result, 0), &e->rows, &columns) &&
           numbers_from(PyTuple_GetItem(result, 1), &e->cols, &columns) &&
           numbers_from(PyTuple_GetItem(result, 2), &e->values, &columns);
    if (good && (e->rows.count != e->cols.count || e->rows.count != e->values.count))
      good = wrong(o, method, e->values.count, e->rows.count);
  } else {
    good = numbers_from(result, &e->values, &columns);
    if (good && e->values.count != rows * cols) good = wrong(o, method, e->values.count, rows * cols);
    good = good && dv_reals_resize(&e->rows, e->values.count) && dv_reals_resize(&e->cols, e->values.count);
    for (size_t i = 0; good && i < e->values.count; i++)
      e->rows.data[i] = (double)(i / cols), e->cols.data[i] = (double)(i % cols);
  }
  for (size_t i = 0; good && i < e->values.count; i++) {
    const double r = e->rows.data[i], c = e->cols.data[i];
    if (r >= 0 && r < (double)rows && c >= 0 && c < (double)cols && r == floor(r) && c == floor(c)) continue;
    PyErr_Format(PyExc_IndexError, "%s.%s: entry %zu lies outside of the %zu x %zu matrix", o->cls->name, method, i,
                 rows, cols);
    good = false;
  }
  Py_DECREF(result);
  if (!good) entries_free(e);
  return good;
}

// entries that follow one another in one block go together
static void hand_over(const Entries *e, double factor, const dvState *a, const dvState *b, dvMatrixSink *sink)
{
  const int rows = a->base.dof->deriv, cols = b->base.dof->deriv;
  double block[DV_MAX_COORD * DV_MAX_COORD] = {0};
  for (size_t i = 0; i < e->values.count; i++) {
    const size_t r = (size_t)e->rows.data[i], c = (size_t)e->cols.data[i];
    const size_t row = r / (size_t)rows, col = c / (size_t)cols;
    block[(r % (size_t)rows) * (size_t)cols + c % (size_t)cols] += factor * e->values.data[i];
    const bool last = i + 1 == e->values.count || (size_t)e->rows.data[i + 1] / (size_t)rows != row ||
                      (size_t)e->cols.data[i + 1] / (size_t)cols != col;
    if (!last) continue;
    sink->add(sink, a, row, b, col, rows, cols, block);
    memset(block, 0, sizeof block);
  }
}

// --- forces --------------------------------------------------------------------------------------

static void script_add_force(dvObject *o, const dvMech *m)
{
  dvState *s = ((ScriptForce *)o)->force.state;
  if (stopped(o)) return;
  Visit v = script_enter(o, true);
  PyObject *x = vector_of(s, m->x), *velocity = x ? vector_of(s, m->v) : NULL;
  PyObject *f = velocity ? script_call(&v, "add_force", "OO", x, velocity) : NULL;
  Py_XDECREF(x);
  Py_XDECREF(velocity);
  if (f) add_result(o, "add_force", f, 1, dv_state_write(s, m->f), dv_state_scalars(s, m->f));
  script_leave(&v);
}

static void script_add_dforce(dvObject *o, const dvMech *m)
{
  ScriptForce *self = (ScriptForce *)o;
  dvState *s = self->force.state;
  if (stopped(o)) return;
  Visit v = script_enter(o, true);
  PyObject *dx = vector_of(s, m->dx);
  PyObject *df =
      dx ? script_call(&v, "add_dforce", "Odd", dx, dv_mech_k(m, self->force.rayleighStiffness), m->b) : NULL;
  Py_XDECREF(dx);
  if (df) add_result(o, "add_dforce", df, 1, dv_state_write(s, m->df), dv_state_scalars(s, m->df));
  script_leave(&v);
}

static void add_entries(dvObject *o, const Visit *v, const char *method, double factor, const dvState *s,
                        dvMatrixSink *sink)
{
  if (factor == 0) return;
  const size_t n = s->count * (size_t)s->base.dof->deriv;
  Entries e;
  if (!entries_from(o, method, script_call(v, method, ""), n, n, &e)) return;
  hand_over(&e, factor, s, s, sink);
  entries_free(&e);
}

static void script_add_stiffness(dvObject *o, const dvMech *m, dvMatrixSink *sink)
{
  ScriptForce *self = (ScriptForce *)o;
  if (stopped(o)) return;
  Visit v = script_enter(o, true);
  add_entries(o, &v, "add_stiffness", dv_mech_k(m, self->force.rayleighStiffness), self->force.state, sink);
  if (!PyErr_Occurred() && script_has(v.script->self, "add_damping"))
    add_entries(o, &v, "add_damping", m->b, self->force.state, sink);
  script_leave(&v);
}

static double number_of(PyObject *result)
{
  const double number = result ? PyFloat_AsDouble(result) : 0;
  Py_XDECREF(result);
  return PyErr_Occurred() ? 0 : number;
}

static double script_energy(dvObject *o, const dvMech *m)
{
  if (stopped(o)) return 0;
  Visit v = script_enter(o, true);
  PyObject *x = vector_of(((ScriptForce *)o)->force.state, m->x);
  const double energy = x ? number_of(script_call(&v, "energy", "(O)", x)) : 0;
  Py_XDECREF(x);
  script_leave(&v);
  return energy;
}

void script_force_slots(dvForceOps *ops, PyObject *self)
{
  *ops = (dvForceOps){.add_force = script_add_force, DV_FORCE_SLOTS};
  if (script_has(self, "add_dforce")) ops->add_dforce = script_add_dforce;
  if (script_has(self, "add_stiffness")) ops->add_stiffness = script_add_stiffness;
  if (script_has(self, "energy")) ops->energy = script_energy;
}

// --- masses --------------------------------------------------------------------------------------

// out += factor M dx, by the method add_mdx(dx, factor)
static void mass_product(dvObject *o, PyObject *dx, double factor, double *out, size_t count)
{
  Visit v = script_enter(o, true);
  PyObject *result = dx ? script_call(&v, "add_mdx", "Od", dx, factor) : NULL;
  if (result) add_result(o, "add_mdx", result, 1, out, count);
  Py_XDECREF(dx);
  script_leave(&v);
}

static PyObject *locked_vector(dvState *s, int id)
{
  PyGILState_STATE lock = PyGILState_Ensure();
  PyObject *x = vector_of(s, id);
  PyGILState_Release(lock);
  return x;
}

static void script_add_mdx(dvObject *o, const dvMech *m, double factor)
{
  dvState *s = ((ScriptMass *)o)->mass.state;
  if (stopped(o)) return;
  mass_product(o, locked_vector(s, m->dx), factor, dv_state_write(s, m->df), dv_state_scalars(s, m->df));
}

// gravity as a derivative of every degree of freedom
static PyObject *gravity_vector(const dvState *s, const double g[3])
{
  PyGILState_STATE lock = PyGILState_Ensure();
  dvReals r = {.width = s->base.dof->deriv};
  PyObject *out = NULL;
  if (dv_reals_resize(&r, dv_state_scalars(s, DV_V))) {
    for (size_t i = 0; i < s->count; i++)
      for (int k = 0; k < dv_min_int(3, s->base.dof->space) && k < r.width; k++)
        r.data[i * (size_t)r.width + (size_t)k] = g[k];
    out = array_wrap(array_of_reals(&r, NULL, false));
  }
  dv_reals_free(&r);
  PyGILState_Release(lock);
  return out;
}

static void script_add_gravity(dvObject *o, const dvMech *m)
{
  dvState *s = ((ScriptMass *)o)->mass.state;
  if (stopped(o) || ((ScriptMass *)o)->mass.separateGravity) return;
  mass_product(o, gravity_vector(s, m->gravity), 1, dv_state_write(s, m->f), dv_state_scalars(s, m->f));
}

static void script_gravity_to_v(dvObject *o, const dvMech *m)
{
  dvState *s = ((ScriptMass *)o)->mass.state;
  if (!((ScriptMass *)o)->mass.separateGravity) return;
  double *v = dv_state_write(s, m->v);
  for (size_t i = 0; i < s->count; i++)
    for (int k = 0; k < dv_min_int(3, s->base.dof->space); k++)
      v[i * (size_t)s->base.dof->deriv + (size_t)k] += m->dt * m->gravity[k];
}

static void script_acc_from_f(dvObject *o, int a, int f)
{
  dvState *s = ((ScriptMass *)o)->mass.state;
  if (stopped(o)) return;
  Visit v = script_enter(o, true);
  PyObject *force = vector_of(s, f);
  PyObject *result = force ? script_call(&v, "accelerations", "(O)", force) : NULL;
  Py_XDECREF(force);
  const size_t count = dv_state_scalars(s, a);
  double *out = dv_state_write(s, a);
  memset(out, 0, count * sizeof *out);
  if (result) add_result(o, "accelerations", result, 1, out, count);
  script_leave(&v);
}

// x . M y for two vectors
static double mass_dot(dvObject *o, PyObject *y, const double *x, size_t count, int width, int stride)
{
  double sum = 0, *my = dv_alloc(count * sizeof *my);
  mass_product(o, y, 1, my, count);
  for (size_t i = 0; i < count / (size_t)width; i++)
    for (int k = 0; k < dv_min_int(width, stride); k++)
      sum += x[i * (size_t)stride + (size_t)k] * my[i * (size_t)width + (size_t)k];
  dv_free(my);
  return sum;
}

static double script_kinetic(dvObject *o, int id)
{
  dvState *s = ((ScriptMass *)o)->mass.state;
  const int width = s->base.dof->deriv;
  return 0.5 * mass_dot(o, locked_vector(s, id), dv_state_read(s, id), dv_state_scalars(s, id), width, width);
}

static double script_potential(dvObject *o, const dvMech *m)
{
  dvState *s = ((ScriptMass *)o)->mass.state;
  const int width = s->base.dof->deriv, stride = s->base.dof->coord;
  // of frames only their places count
  return -mass_dot(o, gravity_vector(s, m->gravity), dv_state_read(s, m->x), dv_state_scalars(s, DV_V), width, stride);
}

static double script_of_element(dvObject *o, size_t index)
{
  dvState *s = ((ScriptMass *)o)->mass.state;
  const size_t count = dv_state_scalars(s, DV_V), width = (size_t)s->base.dof->deriv;
  if (index >= s->count) return 0;
  PyGILState_STATE lock = PyGILState_Ensure();
  double *unit = dv_alloc(count * sizeof *unit);
  unit[index * width] = 1;
  PyObject *e = array_fresh(unit, s->count, width);
  PyGILState_Release(lock);
  const double mass = mass_dot(o, e, unit, count, (int)width, (int)width);
  dv_free(unit);
  return mass;
}

static void script_mass_matrix(dvObject *o, double factor, dvMatrixSink *sink)
{
  if (stopped(o)) return;
  const dvState *s = ((ScriptMass *)o)->mass.state;
  const size_t count = dv_state_scalars(s, DV_V), width = (size_t)s->base.dof->deriv;
  Visit v = script_enter(o, true);
  if (script_has(v.script->self, "matrix")) {
    add_entries(o, &v, "matrix", factor, s, sink);
  } else if (factor != 0) {   // columns by products: for masses of a few points
    double *unit = dv_alloc(count * sizeof *unit), *column = dv_alloc(count * sizeof *column);
    Entries e = {{.width = 1}, {.width = 1}, {.width = 1}};
    bool good = dv_reals_resize(&e.rows, count) && dv_reals_resize(&e.cols, count) && dv_reals_resize(&e.values, count);
    for (size_t i = 0; i < count && good; i++) {
      unit[i] = 1;
      memset(column, 0, count * sizeof *column);
      mass_product(o, array_fresh(unit, s->count, width), 1, column, count);
      unit[i] = 0;
      size_t used = 0;
      for (size_t k = 0; k < count; k++)
        if (column[k] != 0)
          e.rows.data[used] = (double)k, e.cols.data[used] = (double)i, e.values.data[used++] = column[k];
      e.values.count = used;
      hand_over(&e, factor, s, s, sink);
    }
    entries_free(&e);
    dv_free(unit);
    dv_free(column);
  }
  script_leave(&v);
}

static const double *script_rayleigh_mass(const dvObject *o) { return dv_mass_rayleigh(o); }

const dvMassOps script_mass_ops = {.add_mdx = script_add_mdx,
                                   .add_gravity = script_add_gravity,
                                   .add_gravity_to_v = script_gravity_to_v,
                                   .acc_from_f = script_acc_from_f,
                                   .add_matrix = script_mass_matrix,
                                   .kinetic = script_kinetic,
                                   .potential = script_potential,
                                   .of_element = script_of_element,
                                   .rayleigh_mass = script_rayleigh_mass};

// --- mappings ------------------------------------------------------------------------------------

static PyObject *all_inputs(const dvMapping *m, int id)
{
  PyObject *all = PyTuple_New(m->input_count);
  for (int i = 0; all && i < m->input_count; i++) {
    PyObject *x = vector_of(dv_mapping_in(m, (size_t)i), id);
    if (!x || PyTuple_SetItem(all, i, x) < 0) Py_CLEAR(all);
  }
  return all;
}

// out = method(*inputs)
static void map_down(dvObject *o, const char *method, int out_id, int in_id)
{
  ScriptMapping *self = (ScriptMapping *)o;
  if (stopped(o)) return;
  Visit v = script_enter(o, true);
  PyObject *inputs = all_inputs(&self->mapping, in_id);
  PyObject *result = inputs ? script_call(&v, method, "O", inputs) : NULL;   // a tuple is all arguments
  Py_XDECREF(inputs);
  dvState *out = self->mapping.out;
  dvReals r = {.width = 1};
  Py_ssize_t columns;
  const int width = dv_state_width(out, out_id);
  if (result && numbers_from(result, &r, &columns)) {
    const size_t wanted = dv_state_scalars(out, out_id);
    bool fits = r.count == wanted;
    if (!fits && out_id == DV_X && r.count % (size_t)width == 0 && !o->initialised)
      fits = dv_state_resize(out, r.count / (size_t)width);   // the output takes the size it is given at the start
    if (!fits) wrong(o, method, r.count, wanted);
    else memcpy(dv_state_overwrite(out, out_id), r.data, r.count * sizeof(double));
  }
  dv_reals_free(&r);
  Py_XDECREF(result);
  script_leave(&v);
}

static void script_apply(dvObject *o, int out_x, int in_x)
{
  script_of(o)->stale = true;
  map_down(o, "apply", out_x, in_x);
}

static void script_apply_j(dvObject *o, int out_v, int in_v) { map_down(o, "apply_j", out_v, in_v); }

// a vector for one input, a tuple of vectors for several
static void add_to_inputs(dvObject *o, const char *method, PyObject *result, double factor, int in_f)
{
  dvMapping *m = &((ScriptMapping *)o)->mapping;
  if (!result) return;
  if (m->input_count == 1 && !PyTuple_Check(result)) {
    dvState *in = dv_mapping_in(m, 0);
    add_result(o, method, result, factor, dv_state_write(in, in_f), dv_state_scalars(in, in_f));
    return;
  }
  bool good = PyTuple_Check(result) && PyTuple_Size(result) == m->input_count;
  if (!good)
    PyErr_Format(PyExc_ValueError, "%s.%s returns a tuple of %d vectors", o->cls->name, method, m->input_count);
  for (int i = 0; i < m->input_count && good; i++) {
    dvState *in = dv_mapping_in(m, (size_t)i);
    good = add_result(o, method, Py_NewRef(PyTuple_GetItem(result, i)), factor, dv_state_write(in, in_f),
                      dv_state_scalars(in, in_f));
  }
  Py_DECREF(result);
}

static void script_apply_jt(dvObject *o, int in_f, int out_f)
{
  if (stopped(o)) return;
  Visit v = script_enter(o, true);
  PyObject *f = vector_of(((ScriptMapping *)o)->mapping.out, out_f);
  PyObject *result = f ? script_call(&v, "apply_jt", "(O)", f) : NULL;
  Py_XDECREF(f);
  add_to_inputs(o, "apply_jt", result, 1, in_f);
  script_leave(&v);
}

static void script_apply_djt(dvObject *o, const dvMech *m, int in_df, int in_dx, int out_f)
{
  if (stopped(o)) return;
  dvMapping *mapping = &((ScriptMapping *)o)->mapping;
  Visit v = script_enter(o, true);
  PyObject *f = vector_of(mapping->out, out_f), *dx = f ? all_inputs(mapping, in_dx) : NULL;
  PyObject *result = NULL;
  if (dx && mapping->input_count == 1) result = script_call(&v, "apply_djt", "OO", PyTuple_GetItem(dx, 0), f);
  else if (dx) result = script_call(&v, "apply_djt", "OO", dx, f);
  Py_XDECREF(f);
  Py_XDECREF(dx);
  add_to_inputs(o, "apply_djt", result, m->k, in_df);
  script_leave(&v);
}

// J by what apply_jt makes of unit forces: a row for each scalar of the output
static bool fill_jacobian(dvObject *o, Visit *v)
{
  ScriptMapping *self = (ScriptMapping *)o;
  Script *s = v->script;
  const dvMapping *m = &self->mapping;
  const dvState *out = m->out;
  const size_t rows = dv_state_scalars(out, DV_V), width = (size_t)out->base.dof->deriv;
  size_t cols = 0;
  for (int i = 0; i < m->input_count; i++) cols += dv_state_scalars(dv_mapping_in(m, (size_t)i), DV_V);
  if (!s->stale && s->jacobian.count == rows * cols) return true;
  dv_array_resize(&s->jacobian, rows * cols);
  memset(s->jacobian.data, 0, rows * cols * sizeof(double));
  double *unit = dv_alloc(rows * sizeof *unit);
  bool good = true;
  for (size_t r = 0; r < rows && good; r++) {
    unit[r] = 1;
    PyObject *f = array_fresh(unit, out->count, width), *result = f ? script_call(v, "apply_jt", "(O)", f) : NULL;
    Py_XDECREF(f);
    unit[r] = 0;
    size_t first = r * cols;
    good = result != NULL;
    for (int i = 0; i < m->input_count && good; i++) {
      const size_t n = dv_state_scalars(dv_mapping_in(m, (size_t)i), DV_V);
      PyObject *part = PyTuple_Check(result) ? PyTuple_GetItem(result, i) : result;
      good = part && add_result(o, "apply_jt", Py_NewRef(part), 1, s->jacobian.data + first, n);
      first += n;
    }
    Py_XDECREF(result);
  }
  dv_free(unit);
  s->stale = !good;
  return good;
}

static void script_row(dvObject *o, size_t index, dvMatrixSink *sink)
{
  if (stopped(o)) return;
  Visit v = script_enter(o, true);
  const dvMapping *m = &((ScriptMapping *)o)->mapping;
  const dvState *out = m->out;
  const int rows = out->base.dof->deriv;
  if (fill_jacobian(o, &v)) {
    const size_t cols = v.script->jacobian.count / dv_max_size(1, dv_state_scalars(out, DV_V));
    const double *j = v.script->jacobian.data + index * (size_t)rows * cols;
    size_t first = 0;
    for (int i = 0; i < m->input_count; i++) {
      const dvState *in = dv_mapping_in(m, (size_t)i);
      const int width = in->base.dof->deriv;
      for (size_t dof = 0; dof < in->count; dof++) {
        double block[DV_MAX_COORD * DV_MAX_COORD];
        bool any = false;
        for (int r = 0; r < rows; r++)
          for (int c = 0; c < width; c++) {
            const double value = j[(size_t)r * cols + first + dof * (size_t)width + (size_t)c];
            block[r * width + c] = value;
            any = any || value != 0;
          }
        if (any) sink->add(sink, out, index, in, dof, rows, width, block);
      }
      first += dv_state_scalars(in, DV_V);
    }
  }
  script_leave(&v);
}

// method jacobian(): entries of J, or a tuple (list) of such for several inputs
static void script_build_j(dvObject *o, dvMatrixSink *sink)
{
  if (stopped(o)) return;
  Visit v = script_enter(o, true);
  const dvMapping *m = &((ScriptMapping *)o)->mapping;
  const size_t rows = dv_state_scalars(m->out, DV_V);
  PyObject *result = script_call(&v, "jacobian", "");
  for (int i = 0; i < m->input_count && result; i++) {
    const dvState *in = dv_mapping_in(m, (size_t)i);
    PyObject *part = PyList_Check(result) && m->input_count > 1 ? PyList_GetItem(result, i) : result;
    Entries e;
    if (!part || !entries_from(o, "jacobian", Py_NewRef(part), rows, dv_state_scalars(in, DV_V), &e)) break;
    hand_over(&e, 1, m->out, in, sink);
    entries_free(&e);
  }
  Py_XDECREF(result);
  script_leave(&v);
}

void script_mapping_slots(dvMappingOps *ops, PyObject *self)
{
  *ops = (dvMappingOps){.apply = script_apply, DV_MAPPING_SLOTS};
  if (script_has(self, "apply_j")) ops->apply_j = script_apply_j;
  if (script_has(self, "apply_djt")) ops->apply_djt = script_apply_djt;
  if (!script_has(self, "apply_jt")) return;
  ops->apply_jt = script_apply_jt;
  ops->row = script_row;
  ops->build_j = script_has(self, "jacobian") ? script_build_j : dv_mapping_build_rows;
}

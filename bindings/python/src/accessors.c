// What scripts for SOFA ask of single components: lists of topologies, the matrix of a force or a mass, the system of a
// linear solver, changes of meshes.
#include "accessors.h"

#include "control/plugin.h"
#include "linear/solver.h"
#include "math/block_matrix.h"
#include "topology/change/modify.h"
#include "topology/topology.h"

#include <stdlib.h>
#include <string.h>

// --- topologies --------------------------------------------------------------------------------------

static int kind_of(const char *name)
{
  for (int k = 0; k < DV_ELEMENT_KINDS; k++)
    if (strcmp(dv_element_name((dvElementKind)k), name) == 0) return k;
  PyErr_Format(PyExc_ValueError, "there are no elements '%s'", name);
  return -1;
}

static dvTopology *topology_of(PyObject *handle)
{
  dvObject *o = handle_use(handle);
  if (!o) return NULL;
  if (!dv_plays(o, DV_ROLE_TOPOLOGY)) {
    PyErr_Format(PyExc_TypeError, "%s (%s) is no topology", o->name, o->cls->name);
    return NULL;
  }
  return dv_topology(o);
}

// A topology that was not initialised yet knows its elements when its fields are up to date.
static bool settle(PyObject *handle, dvTopology *t)
{
  Scene *s = ((Handle *)handle)->scene;
  if (!context_enter(s->context)) return false;
  context_fresh(s->context);
  dvStatus status = DV_OK;
  Py_BEGIN_ALLOW_THREADS for (int i = 0; i < t->base.field_count && status == DV_OK; i++) if (t->base.fields[i].source)
      status = dv_field_pull(&t->base.fields[i]);
  if (status == DV_OK) status = dv_topology_settle(t);
  Py_END_ALLOW_THREADS context_leave(s->context);
  return context_tell(s->context, s, status, "the topology is not complete");
}

static PyObject *access_elements(PyObject *module, PyObject *args)
{
  DV_UNUSED(module);
  PyObject *handle;
  const char *name;
  if (!PyArg_ParseTuple(args, "O!s", (PyTypeObject *)type_object, &handle, &name)) return NULL;
  dvTopology *t = topology_of(handle);
  const int kind = t ? kind_of(name) : -1;
  if (kind < 0 || !settle(handle, t)) return NULL;
  if (kind == DV_POINT) return PyErr_Format(PyExc_ValueError, "points are read from the field position");
  const dvInts *list = dv_topology_elements(t, (dvElementKind)kind);
  const size_t width = (size_t)dv_element_points((dvElementKind)kind);
  return list ? array_fresh_ints(list->data, list->count / width, width) : PyErr_NoMemory();
}

static PyObject *access_count(PyObject *module, PyObject *args)
{
  DV_UNUSED(module);
  PyObject *handle;
  const char *name;
  if (!PyArg_ParseTuple(args, "O!s", (PyTypeObject *)type_object, &handle, &name)) return NULL;
  dvTopology *t = topology_of(handle);
  const int kind = t ? kind_of(name) : -1;
  if (kind < 0 || !settle(handle, t)) return NULL;
  return PyLong_FromSize_t(kind == DV_POINT ? dv_topology_point_count(t) : dv_topology_count(t, (dvElementKind)kind));
}

// the numbers of the edges, triangles or quads of every element
static PyObject *access_parts(PyObject *module, PyObject *args)
{
  DV_UNUSED(module);
  PyObject *handle;
  const char *part_name, *name;
  if (!PyArg_ParseTuple(args, "O!ss", (PyTypeObject *)type_object, &handle, &part_name, &name)) return NULL;
  dvTopology *t = topology_of(handle);
  const int part = t ? kind_of(part_name) : -1, kind = part >= 0 ? kind_of(name) : -1;
  if (kind < 0 || !settle(handle, t)) return NULL;
  const dvInts *parts = dv_topology_parts(t, (dvElementKind)part, (dvElementKind)kind);
  if (!parts) return PyErr_Format(PyExc_ValueError, "%s have no %s", name, part_name);
  const size_t rows = dv_topology_count(t, (dvElementKind)kind), width = rows ? parts->count / rows : 1;
  return array_fresh_ints(parts->data, rows, width ? width : 1);
}

static PyObject *access_around(PyObject *module, PyObject *args)
{
  DV_UNUSED(module);
  PyObject *handle;
  const char *part_name, *name;
  Py_ssize_t index;
  if (!PyArg_ParseTuple(args, "O!ssn", (PyTypeObject *)type_object, &handle, &name, &part_name, &index)) return NULL;
  dvTopology *t = topology_of(handle);
  const int part = t ? kind_of(part_name) : -1, kind = part >= 0 ? kind_of(name) : -1;
  if (kind < 0 || !settle(handle, t)) return NULL;
  const dvIncidence *around = part == DV_POINT ? dv_topology_around_point(t, (dvElementKind)kind)
                                               : dv_topology_around(t, (dvElementKind)part, (dvElementKind)kind);
  if (!around) return PyErr_Format(PyExc_ValueError, "%s do not lie around %s", name, part_name);
  if (index < 0 || (size_t)index >= around->count)
    return PyErr_Format(PyExc_IndexError, "there are %zu %s", around->count, part_name);
  const int32_t first = around->offsets[index];
  return array_fresh_ints(around->items + first, (size_t)(around->offsets[index + 1] - first), 0);
}

// --- changes of meshes -------------------------------------------------------------------------------

static dvTopology *mesh_of(dvObject *modifier)
{
  dvObject *found = dv_plays(modifier, DV_ROLE_TOPOLOGY) ? modifier : dv_node_find_up(modifier->node, DV_ROLE_TOPOLOGY);
  if (!found) PyErr_Format(PyExc_ValueError, "%s finds no topology to change", modifier->name);
  return found ? dv_topology(found) : NULL;
}

static bool indices_from(PyObject *list, dvInts *out)
{
  dvReals r = {.width = 1};
  Py_ssize_t columns;
  if (!numbers_from(list, &r, &columns)) return false;
  const bool good = dv_ints_resize(out, r.count);
  for (size_t i = 0; i < r.count && good; i++) out->data[i] = (int32_t)r.data[i];
  dv_reals_free(&r);
  if (!good) PyErr_NoMemory();
  return good;
}

// _change_mesh(modifier, kind, n): adds n points; (modifier, kind, indices): removes them
static PyObject *access_change_mesh(PyObject *module, PyObject *args)
{
  DV_UNUSED(module);
  PyObject *handle, *what;
  const char *name;
  if (!PyArg_ParseTuple(args, "O!sO", (PyTypeObject *)type_object, &handle, &name, &what)) return NULL;
  dvObject *o = handle_use(handle);
  Scene *s = ((Handle *)handle)->scene;
  const int kind = o ? kind_of(name) : -1;
  dvTopology *t = kind >= 0 ? mesh_of(o) : NULL;
  if (!t || !may_change(s)) return NULL;
  if (!s->scene->initialised)
    return PyErr_Format(PyExc_RuntimeError, "a mesh is changed when the scene is initialised; before, set its fields");
  dvInts indices = {.width = 1};
  const bool add = PyLong_Check(what);
  const long count = add ? PyLong_AsLong(what) : 0;
  if (add && (count < 0 || count > DV_POINT_LIMIT))
    return PyErr_Format(PyExc_ValueError, "%ld points cannot be added", count);
  if (!add && !indices_from(what, &indices)) return NULL;
  if (!context_enter(s->context)) {
    dv_ints_free(&indices);
    return NULL;
  }
  context_fresh(s->context);
  dvStatus status = DV_OK;
  Py_BEGIN_ALLOW_THREADS if (dv_mesh_may_change(t, o))
  {
    if (add) status = dv_topology_add_points(t, (size_t)count, NULL, (dvOrigin){0});
    else if (kind == DV_POINT) status = dv_topology_remove(t, DV_POINT, indices.data, indices.count);
    else status = dv_mesh_remove(t, (dvElementKind)kind, indices.data, indices.count, DV_REMOVE_POINTS);
    dv_topology_end_changes(t);
  }
  Py_END_ALLOW_THREADS context_leave(s->context);
  dv_ints_free(&indices);
  return context_tell(s->context, s, status, "the mesh was not changed") ? Py_NewRef(Py_None) : NULL;
}

// --- matrices ----------------------------------------------------------------------------------------

// Entries of one state, summed by rows when all are there.
typedef struct Entry {
  int32_t row, col;
  size_t age;   // entries of one place are summed in the order in which they came
  double value;
} Entry;

typedef struct Collector {
  dvMatrixSink sink;
  const dvState *state;
  bool sparse;   // blocks are mostly zeros: these are left out
  DV_ARRAY(Entry) entries;
} Collector;

static void collect(dvMatrixSink *sink, const dvState *row_state, size_t row, const dvState *col_state, size_t col,
                    int rows, int cols, const double *values)
{
  Collector *c = (Collector *)sink;
  if (row_state != c->state || col_state != c->state) return;   // of a force between two states, its first one
  const size_t width = (size_t)c->state->base.dof->deriv;
  for (int i = 0; i < rows; i++)
    for (int k = 0; k < cols; k++) {
      if (c->sparse && values[i * cols + k] == 0) continue;
      dv_push(&c->entries, ((Entry){(int32_t)(row * width + (size_t)i), (int32_t)(col * width + (size_t)k),
                                    c->entries.count, values[i * cols + k]}));
    }
}

static int by_place(const void *a, const void *b)
{
  const Entry *x = a, *y = b;
  return x->row != y->row ? (x->row > y->row) - (x->row < y->row) : (x->col > y->col) - (x->col < y->col);
}

static int by_place_and_age(const void *a, const void *b)
{
  const size_t x = ((const Entry *)a)->age, y = ((const Entry *)b)->age;
  const int place = by_place(a, b);
  return place ? place : (x > y) - (x < y);
}

static PyObject *rows_of(Collector *c, size_t size)
{
  dvInts starts = {.width = 1}, columns = {.width = 1};
  dvReals values = {.width = 1};
  size_t used = 0;
  if (c->entries.count) qsort(c->entries.data, c->entries.count, sizeof *c->entries.data, by_place_and_age);
  bool good = dv_ints_resize(&starts, size + 1) && dv_ints_resize(&columns, c->entries.count) &&
              dv_reals_resize(&values, c->entries.count);
  if (good) memset(starts.data, 0, (size + 1) * sizeof *starts.data);
  for (size_t i = 0; good && i < c->entries.count; i++) {
    const Entry *e = &c->entries.data[i];
    if (i && by_place(e, e - 1) == 0) {
      values.data[used - 1] += e->value;
      continue;
    }
    starts.data[e->row + 1]++;
    columns.data[used] = e->col;
    values.data[used++] = e->value;
  }
  for (size_t i = 0; good && i < size; i++) starts.data[i + 1] += starts.data[i];
  PyObject *out = good ? Py_BuildValue("NNN(nn)", array_fresh_ints(starts.data, size + 1, 0),
                                       array_fresh_ints(columns.data, used, 0), array_fresh(values.data, used, 0),
                                       (Py_ssize_t)size, (Py_ssize_t)size)
                       : PyErr_NoMemory();
  dv_ints_free(&starts);
  dv_ints_free(&columns);
  dv_reals_free(&values);
  return out;
}

static const dvState *state_of(dvObject *o)
{
  dvObject *states[DV_FORCE_STATES] = {0};
  if (dv_plays(o, DV_ROLE_MASS)) return ((dvMass *)o)->state;
  const dvForceOps *ops = dv_ops(o, DV_ROLE_FORCE);
  return ops && ops->states && ops->states(o, states) > 0 ? dv_state(states[0]) : NULL;
}

static PyObject *component_matrix(dvObject *o, bool mass)
{
  const dvMassOps *m_ops = dv_ops(o, DV_ROLE_MASS);
  const dvForceOps *f_ops = dv_ops(o, DV_ROLE_FORCE);
  const dvState *state = o->initialised ? state_of(o) : NULL;
  if (!state) return PyErr_Format(PyExc_RuntimeError, "%s has no matrix before the scene is initialised", o->name);
  if (mass ? !m_ops || !m_ops->add_matrix : f_ops && !f_ops->add_stiffness)
    return PyErr_Format(PyExc_TypeError, "%s (%s) gives no matrix", o->name, o->cls->name);
  Collector c = {{.add = collect}, state, mass, {0}};
  dvMech m = {.x = DV_X,
              .v = DV_V,
              .f = DV_F,
              .dx = DV_DX,
              .df = DV_DF,
              .k = 1,
              .dt = o->node->dt,
              .time = o->node->time,
              .implicit = true};
  if (mass) m_ops->add_matrix(o, 1, &c.sink);
  else if (f_ops) f_ops->add_stiffness(o, &m, &c.sink);
  PyObject *out = rows_of(&c, state->count * (size_t)state->base.dof->deriv);
  dv_array_free(&c.entries);
  return out;
}

static const dvBlockMatrix *system_matrix(dvObject *o)
{
  dvObject *system = dv_plays(o, DV_ROLE_LINEAR_SYSTEM) ? o : dv_linear_solver(o)->system;
  return system ? dv_linear_system_matrix(system) : NULL;
}

static PyObject *block_rows(const dvBlockMatrix *a)
{
  Collector c = {{.add = collect}, NULL, true, {0}};
  const int b = a->block;
  for (size_t r = 0; r < a->pattern.rows; r++)
    for (int32_t p = a->pattern.row_start[r]; p < a->pattern.row_start[r + 1]; p++)
      for (int i = 0; i < b; i++)
        for (int k = 0; k < b; k++) {
          const double value = dv_block_matrix_at(a, p)[i * b + k];
          if (value != 0)
            dv_push(&c.entries, ((Entry){(int32_t)r * b + i, a->pattern.col[p] * b + k, c.entries.count, value}));
        }
  PyObject *out = rows_of(&c, dv_block_matrix_rows(a));
  dv_array_free(&c.entries);
  return out;
}

static dvObject *object_and_word(PyObject *args, const char **word)
{
  PyObject *handle;
  return PyArg_ParseTuple(args, "O!s", (PyTypeObject *)type_object, &handle, word) ? handle_use(handle) : NULL;
}

// _matrix_of(object, "stiffness" | "mass" | "system") -> starts of rows, columns, values, shape
static PyObject *access_matrix(PyObject *module, PyObject *args)
{
  DV_UNUSED(module);
  const char *what;
  dvObject *o = object_and_word(args, &what);
  if (!o) return NULL;
  if (strcmp(what, "system") != 0) return component_matrix(o, strcmp(what, "mass") == 0);
  if (!dv_plays(o, DV_ROLE_LINEAR_SYSTEM) && !dv_plays(o, DV_ROLE_LINEAR_SOLVER))
    return PyErr_Format(PyExc_TypeError, "%s (%s) has no linear system", o->name, o->cls->name);
  const dvBlockMatrix *a = o->initialised ? system_matrix(o) : NULL;
  if (!a) return PyErr_Format(PyExc_RuntimeError, "%s has assembled no matrix yet", o->name);
  return block_rows(a);
}

// _vector_of(object, "x" | "b"): solution and right-hand side of the last solve of a direct solver
static PyObject *access_vector(PyObject *module, PyObject *args)
{
  DV_UNUSED(module);
  const char *what;
  dvObject *o = object_and_word(args, &what);
  if (!o) return NULL;
  if (!dv_plays(o, DV_ROLE_LINEAR_SOLVER))
    return PyErr_Format(PyExc_TypeError, "%s (%s) is no linear solver", o->name, o->cls->name);
  const dvLinearSolver *s = dv_linear_solver(o);
  return what[0] == 'x' ? array_fresh(s->x.data, s->x.count, 0) : array_fresh(s->rhs.data, s->rhs.count, 0);
}

// --- fields and components ---------------------------------------------------------------------------

// _mark(field, "input" | "output"): of a field that the program has added to an engine
static bool is_own_desc(const dvField *f)
{
  for (size_t i = 0; i < f->owner->extras.count; i++)
    if ((const void *)f->owner->extras.data[i] == (const void *)f->desc) return true;   // its first member
  return false;
}

static PyObject *access_mark(PyObject *module, PyObject *args)
{
  DV_UNUSED(module);
  PyObject *handle;
  const char *what;
  if (!PyArg_ParseTuple(args, "O!s", (PyTypeObject *)type_field, &handle, &what)) return NULL;
  dvField *f = field_use(handle);
  if (!f) return NULL;
  if (!is_own_desc(f))
    return PyErr_Format(PyExc_ValueError, "%s is a field of the class: it is what it is", dv_field_name(f->desc));
  dvFieldDesc *desc = (dvFieldDesc *)f->desc;   // of this field alone
  desc->flags |= what[0] == 'i' ? DV_INPUT : DV_OUTPUT;
  if (what[0] == 'o') f->was_set = false;
  f->owner->updated = false;
  dv_field_touch(f);
  return Py_NewRef(Py_None);
}

// _stale(field): whether what it follows has changed since it was last brought up to date
static PyObject *access_stale(PyObject *module, PyObject *handle)
{
  DV_UNUSED(module);
  if (!PyObject_TypeCheck(handle, (PyTypeObject *)type_field))
    return PyErr_Format(PyExc_TypeError, "a field is wanted");
  const dvField *f = field_use(handle);
  if (!f) return NULL;
  for (; f && f->source; f = f->source)
    if (f->source_seen != f->source->counter) return Py_NewRef(Py_True);
  return Py_NewRef(Py_False);
}

// _unused(object): attributes that neither a field nor the component has taken
static PyObject *access_unused(PyObject *module, PyObject *handle)
{
  DV_UNUSED(module);
  if (!is_handle(handle)) return PyErr_Format(PyExc_TypeError, "a component is wanted");
  const dvObject *o = handle_use(handle);
  PyObject *list = o ? PyList_New(0) : NULL;
  for (size_t i = 0; list && i < o->attributes.count; i++) {
    const dvAttribute *a = &o->attributes.data[i];
    if (a->used || dv_object_field(o, a->name)) continue;
    list_take(&list, text_of(a->name));
  }
  return list;
}

static PyObject *access_module(PyObject *module, PyObject *handle)
{
  DV_UNUSED(module);
  if (!is_handle(handle)) return PyErr_Format(PyExc_TypeError, "a component is wanted");
  const dvObject *o = handle_use(handle);
  return o ? text_of(o->cls->module) : NULL;
}

// _load_plugin(context, name): False when it is not found; a module of SOFA is there already
static PyObject *access_plugin(PyObject *module, PyObject *args)
{
  DV_UNUSED(module);
  PyObject *handle;
  const char *name;
  if (!PyArg_ParseTuple(args, "O!s", (PyTypeObject *)type_context, &handle, &name)) return NULL;
  Context *c = (Context *)handle;
  if (dv_registry_knows_module(&c->context->registry, name)) return Py_NewRef(Py_True);
  dvText why = {0}, advice = {0};
  char *file = dv_plugin_find(c->context, name);
  const dvStatus status = file ? dv_plugin_load(c->context, file, &why, &advice) : DV_ERROR_INPUT;
  PyObject *out = status == DV_OK ? Py_NewRef(Py_True) : NULL;
  if (!out && file) PyErr_Format(PyExc_ImportError, "%s: %s", name, why.text ? why.text : "it could not be loaded");
  else if (!out) out = Py_NewRef(Py_False);
  dv_free(file);
  dv_text_free(&why);
  dv_text_free(&advice);
  return out;
}

static PyObject *access_add_data(PyObject *module, PyObject *args)
{
  DV_UNUSED(module);
  PyObject *handle, *path;
  if (!PyArg_ParseTuple(args, "O!O&", (PyTypeObject *)type_context, &handle, PyUnicode_FSConverter, &path)) return NULL;
  dvContext *c = ((Context *)handle)->context;
  bool known = false;
  for (size_t i = 0; i < c->data_paths.count; i++)
    known = known || dv_same(c->data_paths.data[i], PyBytes_AsString(path));
  if (!known) dv_context_add_data_path(c, PyBytes_AsString(path));
  Py_DECREF(path);
  return Py_NewRef(Py_None);
}

static PyMethodDef methods[] = {
    {"_take", graft_take, METH_VARARGS, "_take(node, component): it stands in this node from here on"},
    {"_graft", graft_graft, METH_VARARGS, "_graft(parent, root): the graph of another scene comes below a node"},
    {"_release", graft_release, METH_VARARGS, "_release(node, scene): it becomes the root of an empty scene"},
    {"_elements", access_elements, METH_VARARGS, "_elements(topology, kind): points of all elements"},
    {"_element_count", access_count, METH_VARARGS, "_element_count(topology, kind)"},
    {"_parts", access_parts, METH_VARARGS, "_parts(topology, part, kind): numbers of the parts of all elements"},
    {"_around", access_around, METH_VARARGS, "_around(topology, kind, part, index): elements around one part"},
    {"_change_mesh", access_change_mesh, METH_VARARGS, "_change_mesh(modifier, kind, number or indices)"},
    {"_matrix_of", access_matrix, METH_VARARGS, "_matrix_of(component, what): rows, columns, values, shape"},
    {"_vector_of", access_vector, METH_VARARGS, "_vector_of(solver, 'x' or 'b')"},
    {"_mark", access_mark, METH_VARARGS, "_mark(field, 'input' or 'output')"},
    {"_stale", access_stale, METH_O, "_stale(field): what it follows has changed"},
    {"_unused", access_unused, METH_O, "_unused(component): attributes that nothing has taken"},
    {"_module_of", access_module, METH_O, "_module_of(component): the module of SOFA that has it"},
    {"_load_plugin", access_plugin, METH_VARARGS, "_load_plugin(context, name): whether its components are known"},
    {"_add_data", access_add_data, METH_VARARGS, "_add_data(context, directory): files are looked for there"},
    {NULL, NULL, 0, NULL},
};

bool accessors_add(PyObject *module) { return PyModule_AddFunctions(module, methods) == 0; }

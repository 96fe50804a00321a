// Matrices, constraints and energies of a scene. See query.h.
#include "query.h"

#include "constraint/lagrangian/problem.h"
#include "linear/solver.h"
#include "linear/system/assembly.h"
#include "linear/system/system.h"
#include "mechanics/mechanics.h"
#include "object/vectors.h"

#include <string.h>

static dvScene *ready(Scene *s)
{
  dvScene *scene = scene_use(s);
  if (scene && !scene->initialised) {
    PyErr_SetString(PyExc_RuntimeError, "the scene is not initialised: call scene.init() first");
    return NULL;
  }
  if (scene && s->stepping) {
    PyErr_SetString(PyExc_RuntimeError, "a step is running: do this between steps");
    return NULL;
  }
  return scene;
}

// --- compressed rows -----------------------------------------------------------------------------

static PyObject *triple(const int32_t *start, const int32_t *col, const double *value, size_t rows, size_t cols)
{
  const size_t count = rows || start ? (size_t)start[rows] : 0;
  return Py_BuildValue("NNN(nn)", array_fresh_ints(start, rows + 1, 0), array_fresh_ints(col, count, 0),
                       array_fresh(value, count, 0), (Py_ssize_t)rows, (Py_ssize_t)cols);
}

// blocks become scalars, zeros inside of blocks are left out
static PyObject *rows_of(const dvBlockMatrix *a)
{
  const size_t n = dv_block_matrix_rows(a), b = (size_t)a->block;
  size_t count = 0, most = a->values ? dv_pattern_count(&a->pattern) * b * b : 0;
  int32_t *start = dv_alloc((n + 1) * sizeof *start), *col = dv_alloc((most + 1) * sizeof *col);
  double *value = dv_alloc((most + 1) * sizeof *value);
  for (size_t r = 0; r < n; r++) {
    for (int32_t k = a->pattern.row_start[r / b]; k < a->pattern.row_start[r / b + 1]; k++)
      for (size_t c = 0; c < b; c++) {
        const double x = dv_block_matrix_at(a, k)[(r % b) * b + c];
        if (x == 0) continue;
        col[count] = a->pattern.col[k] * (int32_t)b + (int32_t)c;
        value[count++] = x;
      }
    start[r + 1] = (int32_t)count;
  }
  PyObject *out = triple(start, col, value, n, dv_block_matrix_cols(a));
  dv_free(start);
  dv_free(col);
  dv_free(value);
  return out;
}

// --- M, K, B -------------------------------------------------------------------------------------

static dvMech mech_of(const dvScene *scene)
{
  dvMech m = {
      .x = DV_X, .v = DV_V, .f = DV_F, .dx = DV_DX, .df = DV_DF, .dt = scene->root->dt, .time = scene->root->time};
  memcpy(m.gravity, scene->root->gravity, sizeof m.gravity);
  return m;
}

static dvStatus assemble(dvNode *node, const char *kind, bool projected, dvAssembly *a)
{
  dvPlan *plan = NULL;
  dvMech m = mech_of(node->scene);
  dvAssemblyParts parts = {.mapped = true, .projection = projected};
  if (strcmp(kind, "mass") == 0) m.m = 1, parts.mass = true;
  else if (strcmp(kind, "damping") == 0) m.b = 1, parts.damping = parts.mass = parts.stiffness = true;
  else m.k = 1, parts.stiffness = parts.geometric = true;
  dvObject *owner = &node->base;
  int f = 0;
  m.implicit = true;
  dv_plan_get(&plan, node);
  dv_vec_take(owner, DV_VEC_DERIV, &f);   // forces keep what their matrices need when they are asked
  m.f = f;
  dv_mech_compute_force(plan, &m);
  const dvStatus status = dv_assembly_build(a, owner, plan, &m, parts);
  dv_vec_give(owner, &f);
  dv_plan_destroy(&plan);
  return status;
}

typedef struct Finder {
  dvVisitor visitor;
  dvRole role;
  dvObject *found;
} Finder;

static dvWalk find_role(dvVisitor *v, dvNode *node)
{
  Finder *f = (Finder *)v;
  if (!f->found) f->found = dv_node_find(node, f->role);
  return f->found ? DV_WALK_PRUNE : DV_WALK_ON;
}

static dvObject *first_of(dvNode *node, dvRole role)
{
  Finder f = {.visitor = {.top_down = find_role}, .role = role};
  dv_visit(node, &f.visitor);
  return f.found;
}

static PyObject *system_rows(dvNode *node)
{
  dvObject *system = first_of(node, DV_ROLE_LINEAR_SYSTEM), *solver = first_of(node, DV_ROLE_LINEAR_SOLVER);
  const dvBlockMatrix *a = system ? dv_linear_system_matrix(system) : NULL;
  if (!a && solver && dv_linear_solver(solver)->system) a = dv_linear_system_matrix(dv_linear_solver(solver)->system);
  if (a) return rows_of(a);
  return PyErr_Format(PyExc_ValueError,
                      "no solver at or below %s has assembled a matrix: step once, with a direct solver "
                      "such as SparseLDLSolver",
                      node->base.name);
}

PyObject *query_matrix(PyObject *self, PyObject *args, PyObject *kw)
{
  static char *names[] = {"kind", "node", "projected", NULL};
  Scene *s = (Scene *)self;
  const char *kind;
  PyObject *where = NULL;
  int projected = 0;
  if (!PyArg_ParseTupleAndKeywords(args, kw, "s|Op:matrix", names, &kind, &where, &projected)) return NULL;
  dvScene *scene = ready(s);
  if (!scene) return NULL;
  dvNode *node = scene->root;
  if (where && where != Py_None) {
    if (!is_handle(where)) return PyErr_Format(PyExc_TypeError, "node is a node of the scene");
    dvObject *o = handle_use(where);
    if (!o) return NULL;
    if (((Handle *)where)->scene != s) return PyErr_Format(PyExc_ValueError, "the node belongs to another scene");
    node = o->node;
  }
  if (strcmp(kind, "system") == 0) return system_rows(node);
  if (strcmp(kind, "mass") != 0 && strcmp(kind, "stiffness") != 0 && strcmp(kind, "damping") != 0)
    return PyErr_Format(PyExc_ValueError, "kind is mass, stiffness, damping or system, not '%s'", kind);
  if (!context_enter(s->context)) return NULL;
  dvAssembly a = {0};
  dvStatus status;
  context_fresh(s->context);
  Py_BEGIN_ALLOW_THREADS status = assemble(node, kind, projected, &a);
  Py_END_ALLOW_THREADS context_leave(s->context);
  PyObject *out = NULL;
  if (context_tell(s->context, s, status, "the matrix was not assembled")) {
    const int32_t none = 0;
    out = a.matrix.values ? rows_of(&a.matrix) : triple(&none, NULL, NULL, 0, 0);
  }
  dv_assembly_free(&a);
  return out;
}

// --- constraints ---------------------------------------------------------------------------------

static const dvConstraintProblem *problem_of(dvScene *scene)
{
  dvObject *solver = first_of(scene->root, DV_ROLE_CONSTRAINT_SOLVER);
  const dvConstraintSolverOps *ops = solver ? dv_ops(solver, DV_ROLE_CONSTRAINT_SOLVER) : NULL;
  const dvConstraintProblem *p = ops && ops->problem ? ops->problem(solver) : NULL;
  if (!p) PyErr_SetString(PyExc_ValueError, "no constraint solver has solved anything yet");
  return p;
}

PyObject *query_multipliers(PyObject *self, PyObject *none)
{
  DV_UNUSED(none);
  dvScene *scene = ready((Scene *)self);
  const dvConstraintProblem *p = scene ? problem_of(scene) : NULL;
  return p ? array_fresh(p->lambda.data, p->lambda.count < p->rows ? 0 : p->rows, 0) : NULL;
}

PyObject *query_compliance(PyObject *self, PyObject *none)
{
  DV_UNUSED(none);
  dvScene *scene = ready((Scene *)self);
  const dvConstraintProblem *p = scene ? problem_of(scene) : NULL;
  if (!p) return NULL;
  const bool there = p->w.count >= p->rows * p->rows;
  return array_fresh(p->w.data, there ? p->rows : 0, p->rows ? p->rows : 1);
}

// H over the scalars of the main states, in the order of the plan
PyObject *query_constraint_rows(PyObject *self, PyObject *none)
{
  DV_UNUSED(none);
  dvScene *scene = ready((Scene *)self);
  const dvConstraintProblem *p = scene ? problem_of(scene) : NULL;
  if (!p) return NULL;
  const dvPlan *plan = scene->plan;
  size_t cols = 0, most = 0;
  for (size_t i = 0; i < plan->independent.count; i++) {
    const dvState *state = dv_state(plan->independent.data[i]);
    const dvStateRows *r = dv_rows_find(&p->set, state);
    if (r) most += r->rows.col.count;
    cols += dv_state_scalars(state, DV_V);
  }
  int32_t *start = dv_alloc((p->rows + 1) * sizeof *start), *col = dv_alloc((most + 1) * sizeof *col);
  double *value = dv_alloc((most + 1) * sizeof *value);
  size_t count = 0;
  for (size_t row = 0; row < p->rows; row++) {
    size_t first = 0;
    for (size_t i = 0; i < plan->independent.count; i++) {
      const dvState *state = dv_state(plan->independent.data[i]);
      const dvStateRows *r = dv_rows_find(&p->set, state);
      if (r && r->rows.settled && row < r->rows.count)
        for (size_t k = r->rows.start.data[row]; k < r->rows.start.data[row + 1]; k++) {
          col[count] = (int32_t)first + r->rows.col.data[k];
          value[count++] = r->rows.value.data[k];
        }
      first += dv_state_scalars(state, DV_V);
    }
    start[row + 1] = (int32_t)count;
  }
  PyObject *out = triple(start, col, value, p->rows, cols);
  dv_free(start);
  dv_free(col);
  dv_free(value);
  return out;
}

// --- energies ------------------------------------------------------------------------------------

PyObject *query_energies(PyObject *self, PyObject *none)
{
  DV_UNUSED(none);
  Scene *s = (Scene *)self;
  dvScene *scene = ready(s);
  if (!scene || !context_enter(s->context)) return NULL;
  const dvMech m = mech_of(scene);
  double kinetic, potential;
  s->context->context->log.recent = DV_OK;
  Py_BEGIN_ALLOW_THREADS dv_mech_energy(scene->plan, &m, &kinetic, &potential);
  Py_END_ALLOW_THREADS context_leave(s->context);
  if (!context_tell(s->context, s, s->context->context->log.recent, "energies")) return NULL;
  return Py_BuildValue("{s:d,s:d,s:d}", "kinetic", kinetic, "potential", potential, "total", kinetic + potential);
}

// the main states in the order of the matrices: paths and scalars of each
PyObject *query_unknowns(PyObject *self, PyObject *none)
{
  DV_UNUSED(none);
  Scene *s = (Scene *)self;
  dvScene *scene = ready(s);
  PyObject *list = scene ? PyList_New(0) : NULL;
  for (size_t i = 0; list && i < scene->plan->independent.count; i++) {
    const dvState *state = dv_state(scene->plan->independent.data[i]);
    list_take(&list, Py_BuildValue("Nn", handle_of(s, scene->plan->independent.data[i]),
                                   (Py_ssize_t)dv_state_scalars(state, DV_V)));
  }
  return list;
}

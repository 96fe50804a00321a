// PrecomputedConstraintCorrection: constraints move an object through a compliance that was computed once.
//
//   W += H R C R^T H^T,   x = x_free + R C R^T H^T lambda,   v = v_free + the same / h,   C = h A_0^-1
//
// A_0 is the matrix of the integrator's system at the positions in which the scene begins, C a dense matrix over the
// scalars of one state: no system is solved for constraints in a step, whatever solver the free motion has. R turns
// each point as it has turned since then (rotations.h; frames know it), with `rotations`. C is kept in a file
// (compliance_file.h).
//
// The matrix is got from the integrator itself: it takes one step into vectors that nobody reads, with a linear solver
// that builds what it is given, factorises it and leaves the solution at 0.
#include "base/file.h"
#include "constraint/lagrangian/classes.h"
#include "constraint/lagrangian/compliance_file.h"
#include "constraint/lagrangian/correction.h"
#include "linear/classes.h"
#include "linear/inverse.h"
#include "linear/iterative/rotations.h"
#include "math/kernels.h"
#include "math/vec.h"
#include "object/compat.h"

#include <math.h>
#include <string.h>

#define PRECOMPUTED_FIELDS(X)                                                                                     \
  X(bool, rotations, "0", "", "the compliance turns with each point or frame")                                    \
  X(bool, restDeformations, "0", "", "accepted: rotations are counted from where the compliance was computed",    \
    .flags = DV_HIDDEN)                                                                                           \
  X(bool, recompute, "0", "", "compute the compliance in every run, whatever file there is")                      \
  X(real, regularizationTerm, "0", "", "added to the diagonal of the compliance of rows that touch the object",   \
    .least = "0")                                                                                                 \
  X(real, debugViewFrameScale, "1", "", "accepted for compatibility", .flags = DV_HIDDEN)                         \
  X(string, fileCompliance, "", "",                                                                               \
    "file that holds the compliance; NODE-ROWS-STEP.comp beside the scene by default, for 600 rows and more. It " \
    "is computed again when the scene has changed; a file of SOFA's is taken as it is",                           \
    .alias = "filePrefix")                                                                                        \
  X(string, fileDir, "", "", "directory of that file; that of the scene by default")

enum { WORTH_KEEPING = 600, MOST_ROWS = 40000 };   // rows of a compliance: that is written without being asked, at all

typedef struct Precomputed {
  dvObject base;
  PRECOMPUTED_FIELDS(DV_MEMBER)
  dvState *state;
  dvObject *ode;
  dvObject *catcher, *ldl, *system;   // of the precomputation
  int x, v, nothing;                  // vectors of the step that is not taken
  size_t size;                        // scalars of the state
  double *c;                          // size x size, symmetric; m/(N s)
  double dt, position;                // of the precomputation: time step, and the integrator's factor
  bool turns, as_sofa, told_step;
  dvRotations points;
  DV_ARRAY(double) first, blocks;   // orientations at the beginning; R of frames
  // of a step: rows in the axes of the compliance, scalars that they touch, C H^T of these
  dvSparseRows turned;
  const dvSparseRows *rows;
  DV_ARRAY(int32_t) number, touched;
  DV_ARRAY(double) products, force, motion;
} Precomputed;

#define SELF Precomputed
static const dvFieldDesc precomputed_fields[] = {PRECOMPUTED_FIELDS(DV_DESCRIBE)};
#undef SELF

static bool is_frame(const Precomputed *p) { return p->state->base.dof->kind == DV_RIGID3; }

// --- set-up ------------------------------------------------------------------------------------------

static dvStatus precomputed_init(dvObject *o)
{
  Precomputed *p = (Precomputed *)o;
  dvObject *state = dv_node_state(o->node);
  if (!state) return dv_error(o, "put it beside the MechanicalObject", "%s finds no state in its node", o->cls->name);
  p->state = dv_state(state);
  p->ode = dv_node_find_up(o->node, DV_ROLE_ODE);
  if (!p->ode || !dv_object_field(p->ode, "linearSolver"))
    return dv_error(o, "add EulerImplicitSolver to the node", "%s needs an implicit integrator and finds none",
                    o->cls->name);
  dv_vec_take(o, DV_VEC_COORD, &p->x);
  dv_vecs_take(o, DV_VEC_DERIV, &p->v, &p->nothing);
  if (p->rotations && state->dof->kind != DV_VEC3 && !is_frame(p))
    dv_field_warning(o, &p->rotations, "leave it out", "%s has nothing that turns", state->dof->name);
  p->turns = p->rotations && (state->dof->kind == DV_VEC3 || is_frame(p));
  bool differs = p->turns || p->regularizationTerm > 0;
  p->as_sofa = differs && dv_compat(o, DV_COMPAT_PRECOMPUTED_COMPLIANCE);
  p->turns = p->turns && !p->as_sofa;
  return DV_OK;
}

// the solver that the integrator has for one step
typedef struct Catcher {
  dvLinearSolver solver;
  Precomputed *owner;
} Catcher;

static dvStatus catcher_solve(dvObject *o, dvPlan *plan, const dvMech *m, int x, int rhs)
{
  DV_UNUSED(x);
  Precomputed *p = ((Catcher *)o)->owner;
  return dv_linear_solver_solve(p->ldl, plan, m, p->nothing, rhs);
}

static const dvLinearSolverOps catcher_ops = {.solve = catcher_solve};
static const dvClass catcher_class = {.struct_size = sizeof(dvClass),
                                      .name = "MatrixCatcher",
                                      .help = "hands the matrix of an integrator on",
                                      .size = sizeof(Catcher),
                                      .blocks = {&dv_object_block, &dv_linear_solver_block},
                                      .ops = {[DV_ROLE_LINEAR_SOLVER] = &catcher_ops}};

static dvObject *make(Precomputed *p, const dvClass *cls)
{
  dvObject *o = dv_object_create(p->base.context, cls, cls->name, NULL);
  o->node = p->base.node;
  o->place = p->base.place;
  return o;
}

static const dvAssembly *assembly_of(const Precomputed *p) { return dv_linear_system(p->system)->assembly; }

// A_0 and its factor
static dvStatus catch_matrix(Precomputed *p)
{
  dvLink *link = dv_object_field(p->ode, "linearSolver")->value;
  dvObject *before = link->target;
  p->catcher = make(p, &catcher_class);
  ((Catcher *)p->catcher)->owner = p;
  p->system = make(p, &dv_matrix_system_class);
  p->ldl = make(p, &dv_sparse_ldl_class);
  dv_linear_solver(p->ldl)->linearSystem.target = p->system;
  DV_TRY(dv_object_ensure(p->ldl));
  link->target = p->catcher;
  dvStatus status = ((const dvOdeOps *)dv_ops(p->ode, DV_ROLE_ODE))->solve(p->ode, p->dt, p->x, p->v);
  link->target = before;
  DV_TRY(status);
  if (!assembly_of(p))
    return dv_error(&p->base, "use EulerImplicitSolver", "%s solves no linear system to take a compliance from",
                    p->ode->name);
  return DV_OK;
}

static const dvAssemblyState *place_of(const Precomputed *p)
{
  const dvAssembly *a = assembly_of(p);
  for (size_t i = 0; i < a->main_count; i++)
    if (a->states.data[i].state == p->state) return &a->states.data[i];
  return NULL;
}

// C from the factor; scalars that are held do not move
static dvStatus invert(Precomputed *p, const dvAssemblyState *place)
{
  const dvAssembly *a = assembly_of(p);
  dvSparseRows rows = {0};
  for (size_t i = 0; i < p->size; i++)
    if (!a->fixed.data[place->offset + i]) dv_sparse_rows_add(&rows, (int32_t)i, (int32_t)(place->offset + i), 1);
  dv_sparse_rows_settle(&rows, p->size);
  dvStatus status = dv_linear_solver_compliance(p->ldl, &rows, p->c);
  dv_sparse_rows_free(&rows);
  for (size_t i = 0; i < p->size * p->size; i++) p->c[i] *= p->position;
  return status;
}

// from the file, or from the factor and into the file
static dvStatus fill(Precomputed *p, const dvAssemblyState *place)
{
  dvObject *o = &p->base;
  bool named = *p->fileCompliance || *p->fileDir, small = p->size < WORTH_KEEPING && !named;
  uint64_t hash = dv_compliance_hash(assembly_of(p), p->state, p->position);
  char *path = dv_compliance_path(o, p->fileCompliance, p->fileDir, p->size);
  dvComplianceFound found = DV_COMPLIANCE_NONE;
  if (!small && !p->recompute) found = dv_compliance_read(path, hash, p->size, p->c);
  if (found == DV_COMPLIANCE_OTHER) dv_note(o, "%s is of another scene: the compliance is computed again", path);
  dvStatus status = found == DV_COMPLIANCE_READ ? DV_OK : invert(p, place);
  bool fits = p->size * p->size * sizeof(double) < dv_file_limit();
  if (status == DV_OK && found != DV_COMPLIANCE_READ && !small && fits &&
      !dv_compliance_write(path, hash, p->size, p->c) && named)
    dv_warning(o, "make its directory, or permit writing there", "the compliance cannot be kept in %s", path);
  dv_free(path);
  return status;
}

static void keep_orientations(Precomputed *p)
{
  if (!p->turns) return;
  if (!is_frame(p)) {
    dv_rotations_start(&p->points, assembly_of(p), p->base.context->pool);
    return;
  }
  const double *x = dv_state_read(p->state, DV_X);
  dv_array_resize(&p->first, 4 * p->state->count);
  for (size_t i = 0; i < p->state->count; i++) memcpy(p->first.data + 4 * i, x + 7 * i + 3, 4 * sizeof *x);
}

static dvStatus precompute(Precomputed *p)
{
  dvObject *o = &p->base;
  p->dt = o->node->dt;
  p->position = dv_motion_factors(p->ode, p->dt).position;
  p->size = p->state->count * (size_t)p->state->base.dof->deriv;
  if (p->size > MOST_ROWS)
    return dv_error(o, "use LinearSolverConstraintCorrection", "a compliance of %zu rows takes %.3g GB", p->size,
                    1e-9 * (double)(p->size * p->size * sizeof(double)));
  if (p->size == 0) return DV_OK;
  p->c = dv_try_alloc(p->size * p->size * sizeof *p->c);
  if (!p->c) return dv_error(o, NULL, "out of memory for a compliance of %zu rows", p->size);
  DV_TRY(catch_matrix(p));
  const dvAssemblyState *place = place_of(p);
  if (!place)
    return dv_error(o, "put it into the node of the state that the integrator moves",
                    "%s is not among the unknowns of %s", p->state->base.name, p->ode->name);
  DV_TRY(fill(p, place));
  keep_orientations(p);
  return DV_OK;
}

static void free_solvers(Precomputed *p)
{
  dv_object_destroy(&p->catcher);
  dv_object_destroy(&p->ldl);
  dv_object_destroy(&p->system);
}

// positions are those of the beginning and mapped states follow
static void precomputed_handle_event(dvObject *o, const dvEvent *event)
{
  Precomputed *p = (Precomputed *)o;
  if (event->kind != DV_EVENT_INIT_DONE || p->c) return;
  dvStatus status = precompute(p);
  if (status != DV_OK || !p->turns || is_frame(p)) free_solvers(p);   // points find their neighbours in the matrix
}

// --- rows --------------------------------------------------------------------------------------------

// R of each three scalars of the state; NULL: the identity
static const double *rotations_now(Precomputed *p)
{
  if (!p->turns) return NULL;
  if (!is_frame(p)) {
    const dvAssemblyState *place = place_of(p);
    dv_rotations_update(&p->points, assembly_of(p), p->base.context->pool);
    return p->points.between.data + 3 * place->offset;
  }
  const double *x = dv_state_read(p->state, DV_X);
  dv_array_resize(&p->blocks, 18 * p->state->count);
  for (size_t i = 0; i < p->state->count; i++) {
    dvQuat turn = dv_quat_mul(dv_quat_load(x + 7 * i + 3), dv_quat_inverse(dv_quat_load(p->first.data + 4 * i)));
    dvMat3 m = dv_quat_to_matrix(dv_quat_normalise(turn));
    for (size_t k = 0; k < 18; k++) p->blocks.data[18 * i + k] = m.m[k % 9 / 3][k % 3];
  }
  return p->blocks.data;
}

// h R for what each row says about three scalars
static void turn_rows(Precomputed *p, const dvSparseRows *rows, const double *r)
{
  dv_sparse_rows_clear(&p->turned);
  for (size_t e = 0; e < rows->col.count; e++) {
    size_t col = (size_t)rows->col.data[e], block = col / 3;
    const double *line = r + 9 * block + 3 * (col % 3);
    dv_sparse_rows_add_many(&p->turned, rows->row.data[e], (int32_t)(3 * block), line, 3, rows->value.data[e]);
  }
  dv_sparse_rows_settle(&p->turned, rows->count);
}

static void list_touched(Precomputed *p)
{
  const dvSparseRows *rows = p->rows;
  dv_array_resize(&p->number, p->size);
  memset(p->number.data, 0xff, p->size * sizeof *p->number.data);
  for (size_t e = 0; e < rows->col.count; e++) p->number.data[rows->col.data[e]] = 0;
  p->touched.count = 0;
  for (size_t i = 0; i < p->size; i++)
    if (p->number.data[i] == 0) {
      p->number.data[i] = (int32_t)p->touched.count;
      dv_push(&p->touched, (int32_t)i);
    }
}

// C h at the scalars that rows touch
static void multiply(const Precomputed *p, size_t row, double *out)
{
  const dvSparseRows *rows = p->rows;
  memset(out, 0, p->touched.count * sizeof *out);
  for (size_t e = rows->start.data[row]; e < rows->start.data[row + 1]; e++) {
    const double *line = p->c + (size_t)rows->col.data[e] * p->size;
    for (size_t k = 0; k < p->touched.count; k++) out[k] += rows->value.data[e] * line[p->touched.data[k]];
  }
}

static double regularisation(const Precomputed *p, size_t row)
{
  const dvSparseRows *rows = p->rows;
  size_t begin = rows->start.data[row], end = rows->start.data[row + 1], points = begin < end;
  int32_t width = p->state->base.dof->deriv;
  for (size_t e = begin + 1; p->as_sofa && e < end; e++)
    points += rows->col.data[e] / width != rows->col.data[e - 1] / width;   // SOFA adds it for each of them
  return (double)points * p->regularizationTerm;
}

static dvStatus check_step(Precomputed *p, double dt)
{
  size_t size = p->state->count * (size_t)p->state->base.dof->deriv;
  if (!p->c || size != p->size)
    return dv_error(&p->base, "use LinearSolverConstraintCorrection",
                    "the compliance was computed for %zu unknowns; there are %zu now", p->size, size);
  if (dt != p->dt && !p->told_step)
    dv_warning(&p->base, "begin anew with the time step that is wanted",
               "the compliance is that of a time step of %g s, not %g s (told once)", p->dt, dt);
  p->told_step = p->told_step || dt != p->dt;
  return DV_OK;
}

static dvStatus precomputed_add_compliance(dvObject *o, const dvConstraintStep *step, const dvRowSet *rows,
                                           size_t count, double *w)
{
  Precomputed *p = (Precomputed *)o;
  const dvStateRows *on = dv_rows_find(rows, p->state);
  p->rows = NULL;
  if (!on || on->rows.col.count == 0) return DV_OK;
  DV_TRY(check_step(p, step->dt));
  const double *r = rotations_now(p);
  if (r) turn_rows(p, &on->rows, r);
  p->rows = r ? &p->turned : &on->rows;
  list_touched(p);
  dv_array_resize(&p->products, p->touched.count);
  double factor = dv_motion_factor(dv_motion_factors(p->ode, p->dt), step) / p->position;
  for (size_t i = 0; i < p->rows->count; i++) {
    if (p->rows->start.data[i] == p->rows->start.data[i + 1]) continue;
    multiply(p, i, p->products.data);
    w[i * count + i] += regularisation(p, i);
    for (size_t k = i; k < p->rows->count; k++) {
      double sum = 0;
      for (size_t e = p->rows->start.data[k]; e < p->rows->start.data[k + 1]; e++)
        sum += p->rows->value.data[e] * p->products.data[p->number.data[p->rows->col.data[e]]];
      w[i * count + k] += factor * sum;
      if (k != i) w[k * count + i] += factor * sum;
    }
  }
  return DV_OK;
}

// --- motion ------------------------------------------------------------------------------------------

// the rows are those of the last add_compliance
static dvStatus precomputed_apply(dvObject *o, const dvConstraintStep *step, const dvRowSet *rows, const double *lambda,
                                  int x, int v)
{
  DV_UNUSED(rows);
  Precomputed *p = (Precomputed *)o;
  if (!p->rows) return DV_OK;
  const dvVectorKernels *kernels = dv_vector_kernels();
  dv_array_resize(&p->force, p->size);
  dv_array_resize(&p->motion, p->size);
  memset(p->force.data, 0, p->size * sizeof *p->force.data);
  memset(p->motion.data, 0, p->size * sizeof *p->motion.data);
  dv_sparse_rows_add_transposed(p->rows, lambda, p->force.data);
  for (size_t i = 0; i < p->touched.count; i++) {
    size_t t = (size_t)p->touched.data[i];
    if (p->force.data[t] != 0)
      kernels->axpy(p->force.data[t] / p->position, p->c + t * p->size, p->motion.data, p->size);
  }
  const double *r = !p->turns ? NULL : is_frame(p) ? p->blocks.data : p->points.between.data + 3 * place_of(p)->offset;
  for (size_t b = 0; r && b < p->size / 3; b++)
    dv_vec3_store(p->motion.data + 3 * b,
                  dv_mat3_mul_vec(dv_mat3_load(r + 9 * b), dv_vec3_load(p->motion.data + 3 * b)));
  dv_motion_apply(p->state, step, dv_motion_factors(p->ode, p->dt), p->motion.data, 0, p->state->count, x, v);
  return DV_OK;
}

static bool precomputed_covers(const dvObject *o, const dvObject *state)
{
  return state == &((const Precomputed *)o)->state->base;
}

static void precomputed_destroy(dvObject *o)
{
  Precomputed *p = (Precomputed *)o;
  free_solvers(p);
  dv_vecs_give(o, &p->x, &p->v, &p->nothing);
  dv_free(p->c);
  dv_rotations_free(&p->points);
  dv_array_free(&p->first);
  dv_array_free(&p->blocks);
  dv_sparse_rows_free(&p->turned);
  dv_array_free(&p->number);
  dv_array_free(&p->touched);
  dv_array_free(&p->products);
  dv_array_free(&p->force);
  dv_array_free(&p->motion);
}

static const dvCorrectionOps precomputed_ops = {
    .add_compliance = precomputed_add_compliance, .apply = precomputed_apply, .covers = precomputed_covers};

const dvClass dv_precomputed_correction_class = {
    .struct_size = sizeof(dvClass),
    .name = "PrecomputedConstraintCorrection",
    .help =
        "lets constraints move the object of its node through a compliance that is computed once and kept in a file",
    .module = "Sofa.Component.Constraint.Lagrangian.Correction",
    .size = sizeof(Precomputed),
    .blocks = {&dv_object_block, DV_BLOCK(precomputed_fields)},
    .ops = {[DV_ROLE_CORRECTION] = &precomputed_ops},
    .init = precomputed_init,
    .handle_event = precomputed_handle_event,
    .destroy = precomputed_destroy,
};

// See solver.h.
#include "linear/solver.h"

#include "linear/direct/ldl.h"
#include "linear/inverse.h"

#include "scene/timer.h"

#include <math.h>

#define SELF dvLinearSolver
static const dvFieldDesc linear_solver_fields[] = {DV_LINEAR_SOLVER_FIELDS(DV_DESCRIBE)};
#undef SELF
const dvFieldBlock dv_linear_solver_block = {linear_solver_fields, (int)DV_COUNT(linear_solver_fields)};

// --- the system ----------------------------------------------------------------------------------

bool dv_linear_solver_is_graph(const dvObject *o)
{
  return !o->template_text || !*o->template_text || dv_starts_with(o->template_text, "GraphScattered");
}

static bool is_taken(const dvNode *node, const dvObject *system)
{
  for (size_t i = 0; i < node->objects.count; i++) {
    dvObject *o = node->objects.data[i];
    if (dv_plays(o, DV_ROLE_LINEAR_SOLVER) && dv_object_linked(o, DV_ROLE_LINEAR_SYSTEM) == system) return true;
  }
  return false;
}

static dvObject *find_system(const dvNode *node, dvSystemKind kind)
{
  for (size_t i = 0; i < node->objects.count; i++) {
    dvObject *o = node->objects.data[i];
    if (dv_plays(o, DV_ROLE_LINEAR_SYSTEM) && dv_linear_system_kind(o) == kind && !o->failed && !is_taken(node, o))
      return o;
  }
  return NULL;
}

dvStatus dv_linear_solver_init(dvObject *o, dvSystemKind kind, const dvClass *otherwise)
{
  static const char *const wanted[] = {"a matrix, as MatrixLinearSystem has",
                                       "products without a matrix, as MatrixFreeSystem gives",
                                       "rotations, as RotationMatrixSystem has"};
  dvLinearSolver *s = dv_linear_solver(o);
  if (s->linearSystem.target && dv_linear_system_kind(s->linearSystem.target) != kind)
    return dv_field_error(o, &s->linearSystem, "link it to another system, or leave linearSystem out",
                          "%s needs %s; %s is a %s", o->cls->name, wanted[kind], s->linearSystem.target->name,
                          s->linearSystem.target->cls->name);
  if (!s->linearSystem.target) s->linearSystem.target = find_system(o->node, kind);
  s->system = s->linearSystem.target;
  if (!s->system && !s->made) {
    s->made = dv_object_create(o->context, otherwise, otherwise->name, NULL);
    s->made->node = o->node;
    s->made->place = o->place;
  }
  if (!s->system) s->system = s->made;
  DV_TRY(dv_object_ensure(s->system));
  if (s->system == s->made) o->compat_cases |= s->made->compat_cases;   // nobody else can tell
  return DV_OK;
}

void dv_linear_solver_destroy(dvObject *o)
{
  dvLinearSolver *s = dv_linear_solver(o);
  dv_object_destroy(&s->made);
  dv_array_free(&s->x);
  dv_array_free(&s->rhs);
  dv_live_solve_free(&s->live);
}

void dv_linear_solver_remember(dvObject *o, dvMemoryStream *stream)
{
  dvLinearSolver *s = dv_linear_solver(o);
  dv_remember_numbers(stream, "prepared", &s->prepared, sizeof s->prepared);
  dv_remember_numbers(stream, "started", &s->started, sizeof s->started);
  dv_remember_numbers(stream, "solves", &s->solves, sizeof s->solves);
  dv_remember_object(stream, s->made);
}

bool dv_linear_solver_restored(dvObject *o)
{
  dvObject *made = dv_linear_solver(o)->made;
  return !made || !made->cls->restored || made->cls->restored(made);
}

// --- solving -------------------------------------------------------------------------------------

dvStatus dv_linear_solver_back_substitute(dvObject *o, int x, int rhs)
{
  dvLinearSolver *s = dv_linear_solver(o);
  const dvAssembly *a = dv_linear_system(s->system)->assembly;
  dv_array_resize(&s->x, a->size);
  dv_array_resize(&s->rhs, a->size);
  dv_timer_begin(o->context->timers, "apply");
  dv_assembly_gather(a, rhs, s->rhs.data);
  dvStatus status = dv_linear_solver_inverse(o, s->x.data, s->rhs.data);
  dv_assembly_scatter(a, x, s->x.data);
  dv_timer_end(o->context->timers);
  return status;
}

dvStatus dv_linear_solver_solve(dvObject *o, dvPlan *plan, const dvMech *m, int x, int rhs)
{
  dvLinearSystem *system = dv_linear_system(dv_linear_solver(o)->system);
  DV_TRY(dv_linear_system_build(&system->base, plan, m));
  if (system->assembly->size == 0) return DV_OK;
  dv_timer_begin(o->context->timers, "prepare");
  dvStatus status = ((const dvLinearSolverOps *)dv_ops(o, DV_ROLE_LINEAR_SOLVER))->prepare(o);
  dv_timer_end(o->context->timers);
  DV_TRY(status);
  return dv_linear_solver_back_substitute(o, x, rhs);
}

dvStatus dv_linear_solver_matrix(dvObject *o, const dvBlockMatrix **matrix, bool *changed)
{
  dvLinearSolver *s = dv_linear_solver(o);
  dvLinearSystem *system = dv_linear_system(s->system);
  *matrix = dv_linear_system_matrix(s->system);
  if (!*matrix)
    return dv_error(o, "use it beside an implicit integrator", "%s has no matrix to work with yet", o->cls->name);
  *changed = s->prepared != system->stamp || s->put_back != system->put_back;
  s->put_back = system->put_back;
  s->prepared = s->started = s->solves = system->stamp;
  return DV_OK;
}

void dv_linear_solver_refine(dvObject *o, const dvLdl *factor, double *x, const double *rhs, double *work)
{
  const dvBlockMatrix *a = dv_linear_system_matrix(dv_linear_solver(o)->system);
  double before = INFINITY;
  for (int i = 0; a && i < 20; i++) {
    double now = dv_ldl_refine(factor, a, rhs, x, work);
    if (!(now > 1e-14) || now > 0.5 * before) return;   // good enough, or no longer better
    before = now;
  }
}

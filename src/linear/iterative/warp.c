// WarpPreconditioner and PrecomputedWarpPreconditioner with their systems.
//
// RotationMatrixSystem has the assembled system of another solver built every `assemblingRate` times; in between, the
// points' rotations since then stand for the change: x = R A_0^-1 R^T b. PrecomputedMatrixSystem builds its matrix
// once.
//
// Which rotations these are says `rotations`. `points`: those since the matrix whose factor is in use, from the
// positions of neighbouring points (rotations.h); any force will do. `SOFA`: what SOFA v26.12 has, namely the answer of
// a force, always counted from rest. The preconditioner is then a worse one; the solutions are SOFA's also where the
// iteration ends early (docs/differences.md).
#include "linear/iterative/warp.h"

#include "linear/direct/ldl.h"
#include "linear/iterative/rotations.h"
#include "linear/solver.h"
#include "object/compat.h"

#include <string.h>

// --- systems -------------------------------------------------------------------------------------

#define ROTATION_FIELDS(X)                                                                                           \
  X(int, assemblingRate, "1", "", "the main system is built anew every so many times")                               \
  X(link, mainSystem, "", "",                                                                                        \
    "assembled system whose solver is warped; that of the preconditioner's solver by default",                       \
    .role = DV_ROLE_LINEAR_SYSTEM)                                                                                   \
  X(link, rotationFinder, "", "",                                                                                    \
    "force that is asked for the rotations, with rotations=\"SOFA\"; the first one that knows them, in the node or " \
    "above, by default",                                                                                             \
    .role = DV_ROLE_FORCE)                                                                                           \
  X(choice, rotations, "points", "",                                                                                 \
    "points: since the matrix was built, from the positions of neighbours, for the fewest iterations; SOFA: since "  \
    "rest, by a force, for SOFA's results (points where no force knows them)",                                       \
    .options = "SOFA|points")

typedef struct RotationSystem {
  dvLinearSystem system;
  ROTATION_FIELDS(DV_MEMBER)
  int waited;
  dvRotations turns;
  DV_ARRAY(double)
  built,
      begun;   // rotations when the matrix was built, and those of the matrix that the solver last began to factorise
  DV_ARRAY(double) solves;   // and those of the matrix whose factor is in use
  unsigned built_stamp, begun_stamp;
  bool fresh;              // built in this step
  bool follows;            // rotations are those of points, since the matrix of the factor
  const dvForce *finder;   // whom SOFA would ask; NULL: rotations of points
} RotationSystem;

enum { AS_SOFA, OF_POINTS };   // rotations

#define SELF RotationSystem
static const dvFieldDesc rotation_fields[] = {ROTATION_FIELDS(DV_DESCRIBE)};
static const dvMemoryDesc rotation_memory[] = {DV_REMEMBER(numbers, waited) DV_REMEMBER(array, built) DV_REMEMBER(
    array, begun) DV_REMEMBER(array, solves) DV_REMEMBER(numbers, built_stamp) DV_REMEMBER(numbers, begun_stamp)};
#undef SELF

static void rotation_system_remember(dvObject *o, dvMemoryStream *stream)
{
  RotationSystem *s = (RotationSystem *)o;
  dv_linear_system_remember(o, stream);
  dv_rotations_remember(&s->turns, stream);
}

static bool knows_rotations(const dvObject *o)
{
  const dvForceOps *ops = dv_ops(o, DV_ROLE_FORCE);
  return ops && ops->rotations;
}

static dvObject *find_finder(const dvNode *node)
{
  for (; node; node = node->parents.count ? node->parents.data[0] : NULL)
    for (size_t i = 0; i < node->objects.count; i++)
      if (knows_rotations(node->objects.data[i])) return node->objects.data[i];
  return NULL;
}

static dvStatus rotation_system_init(dvObject *o)
{
  RotationSystem *s = (RotationSystem *)o;
  if (s->assemblingRate < 0)
    return dv_field_error(o, &s->assemblingRate, NULL, "assemblingRate %d is negative", s->assemblingRate);
  s->waited = s->assemblingRate;   // the first time it is built
  if (s->rotationFinder.target && !knows_rotations(s->rotationFinder.target))
    return dv_field_error(
        o, &s->rotationFinder,
        "link it to a TetrahedronFEMForceField or HexahedronFEMForceField, or give rotations=\"points\"",
        "%s does not know rotations", s->rotationFinder.target->name);
  dvObject *finder = s->rotationFinder.target ? s->rotationFinder.target : find_finder(o->node);
  if (finder && !dv_was_set(o, &s->rotations))
    s->rotations = dv_compat(o, DV_COMPAT_WARP_ROTATIONS) ? AS_SOFA : OF_POINTS;
  if (s->rotations == AS_SOFA) s->rotationFinder.target = finder;
  s->finder = s->rotations == AS_SOFA ? (const dvForce *)finder : NULL;
  return DV_OK;
}

#define COPY(to, from)                                                                  \
  do {                                                                                  \
    dv_array_resize(&(to), (from).count);                                               \
    if ((from).count) memcpy((to).data, (from).data, (from).count * sizeof *(to).data); \
  } while (0)

// What SOFA takes for the identity when the matrix has been built: ones on the diagonals, and zeros beside them in an
// eighth of the points only, because numbers are counted as bytes. The others keep what they had there in the step
// before.
static void sofa_identity(double *turns, size_t count)
{
  memset(turns, 0, count);
  for (size_t i = 0; i < count; i += 9) turns[i] = turns[i + 4] = turns[i + 8] = 1;
}

// where the rotations of a force go; NULL when its state is not one of the system's
static const dvAssemblyState *place_of(const dvAssembly *a, const dvForce *finder)
{
  for (size_t i = 0; finder && i < a->main_count; i++)
    if (a->states.data[i].state == finder->state && a->states.data[i].offset % 3 == 0) return &a->states.data[i];
  return NULL;
}

static void ask_finder(RotationSystem *s, const dvAssembly *a, const dvAssemblyState *place, bool built)
{
  size_t before = s->turns.between.count, count = a->size / 3 * 9;
  if (before != count) {
    dv_array_resize(&s->turns.between, count);
    memset(s->turns.between.data, 0, count * sizeof *s->turns.between.data);
  }
  double *turns = s->turns.between.data;
  if (built || before != count) sofa_identity(turns, count);
  else
    ((const dvForceOps *)dv_ops(&s->finder->base, DV_ROLE_FORCE))
        ->rotations(s->rotationFinder.target, turns + 3 * place->offset);
}

static dvStatus rotation_system_build(dvObject *o, dvPlan *plan, const dvMech *m)
{
  RotationSystem *s = (RotationSystem *)o;
  if (!s->mainSystem.target)
    return dv_error(o, "give mainSystem=\"@name\" of a MatrixLinearSystem, or a WarpPreconditioner with a linearSolver",
                    "%s has no system to warp", o->cls->name);
  dvLinearSystem *main = dv_linear_system(s->mainSystem.target);
  main->lasts = s->assemblingRate > 1;
  bool due = ++s->waited >= s->assemblingRate || dv_linear_system_is_outdated(main);
  s->fresh = false;
  if (!due && main->stale) DV_TRY(dv_linear_system_bring_back(&main->base, plan, m));
  if (due) {
    unsigned before = main->stamp;
    DV_TRY(dv_linear_system_build(&main->base, plan, m));
    s->fresh = main->stamp != before;
  }
  const dvAssemblyState *place = place_of(main->assembly, s->finder);
  s->follows = place == NULL;
  if (due)
    s->waited = s->fresh || !s->follows
                    ? 0
                    : s->assemblingRate;   // its solver is busy with another one: again in the next step
  if (place) ask_finder(s, main->assembly, place, due);
  else dv_rotations_measure(&s->turns, main->assembly, o->context->pool);
  if (s->follows && s->fresh) {
    COPY(s->built, s->turns.now);
    s->built_stamp = main->stamp;
  }
  s->system.assembly = main->assembly;
  for (int i = 0; i < 2; i++) s->system.matrixSize[i] = main->matrixSize[i];
  s->system.stamp++;
  return DV_OK;
}

// The rotations since the matrix whose factor the solver uses, which may be older than the last one that was built.
static void rotation_system_follow(RotationSystem *s, const dvLinearSolver *solver)
{
  if (!s->follows) return;
  if (solver->solves == s->built_stamp) COPY(s->solves, s->built);
  else if (solver->solves == s->begun_stamp) COPY(s->solves, s->begun);   // before the next one takes its place
  if (s->fresh && solver->started == s->built_stamp) {
    COPY(s->begun, s->built);
    s->begun_stamp = s->built_stamp;
  }
  bool now = s->fresh && solver->solves == s->built_stamp;
  dv_rotations_compare(&s->turns, now || s->solves.count != s->turns.now.count ? NULL : s->solves.data);
}

static void rotation_system_destroy(dvObject *o)
{
  RotationSystem *s = (RotationSystem *)o;
  dv_rotations_free(&s->turns);
  dv_array_free(&s->built);
  dv_array_free(&s->begun);
  dv_array_free(&s->solves);
  dv_linear_system_destroy(o);
}

static const dvLinearSystemOps rotation_system_ops = {
    .build = rotation_system_build, .product = dv_linear_system_multiply, .kind = DV_SYSTEM_ROTATION};

const dvClass dv_rotation_system_class = {
    .struct_size = sizeof(dvClass),
    .name = "RotationMatrixSystem",
    .help = "rotations of the points since a matrix was last assembled, for WarpPreconditioner",
    .module = "Sofa.Component.LinearSolver.Preconditioner",
    .size = sizeof(RotationSystem),
    .blocks = {&dv_object_block, &dv_linear_system_block, DV_BLOCK(rotation_fields)},
    .ops = {[DV_ROLE_LINEAR_SYSTEM] = &rotation_system_ops},
    .init = rotation_system_init,
    .destroy = rotation_system_destroy,
    DV_MEMORY(rotation_memory),
    .remember = rotation_system_remember,
    .restored = dv_linear_system_restored,
};

static dvStatus precomputed_system_build(dvObject *o, dvPlan *plan, const dvMech *m)
{
  dvLinearSystem *s = dv_linear_system(o);
  s->lasts = true;
  if (s->assembly && !s->stale && dv_assembly_holds(s->assembly, plan)) return DV_OK;
  s->bringing = true;
  dvStatus status = dv_linear_system_assemble(s, plan, m, DV_ASSEMBLE_ALL);
  s->bringing = false;
  return status;
}

static const dvLinearSystemOps precomputed_system_ops = {.build = precomputed_system_build,
                                                         .product = dv_linear_system_multiply};

const dvClass dv_precomputed_system_class = {
    .struct_size = sizeof(dvClass),
    .name = "PrecomputedMatrixSystem",
    .help = "assembles the matrix of the linear system once, at the first step",
    .module = "Sofa.Component.LinearSolver.Preconditioner",
    .size = sizeof(dvLinearSystem),
    .blocks = {&dv_object_block, &dv_linear_system_block},
    .ops = {[DV_ROLE_LINEAR_SYSTEM] = &precomputed_system_ops},
    .destroy = dv_linear_system_destroy,
    .remember = dv_linear_system_remember,
    .restored = dv_linear_system_restored,
};

// --- WarpPreconditioner --------------------------------------------------------------------------

#define WARP_FIELDS(X)                                                                              \
  X(link, linearSolver, "", "", "direct solver that is warped; another one of the node by default", \
    .role = DV_ROLE_LINEAR_SOLVER)

typedef struct Warp {
  dvLinearSolver solver;
  WARP_FIELDS(DV_MEMBER)
} Warp;

#define SELF Warp
static const dvFieldDesc warp_fields[] = {WARP_FIELDS(DV_DESCRIBE)};
#undef SELF

static bool can_be_warped(const dvObject *solver, const dvObject *self)
{
  const dvLinearSolverOps *ops = dv_ops(solver, DV_ROLE_LINEAR_SOLVER);
  return solver != self && ops && ops->prepare && ops->apply && solver->cls != &dv_warp_class;
}

static dvStatus warp_init(dvObject *o)
{
  Warp *w = (Warp *)o;
  for (size_t i = 0; !w->linearSolver.target && i < o->node->objects.count; i++) {
    dvObject *other = o->node->objects.data[i];
    if (dv_plays(other, DV_ROLE_LINEAR_SOLVER) && can_be_warped(other, o)) w->linearSolver.target = other;
  }
  dvObject *inner = w->linearSolver.target;
  if (!inner || !can_be_warped(inner, o))
    return dv_error(o, "add <SparseLDLSolver name=\"direct\"/> and give linearSolver=\"@direct\"",
                    "%s needs a direct solver to warp", o->cls->name);
  DV_TRY(dv_object_ensure(inner));
  DV_TRY(dv_linear_solver_init(o, DV_SYSTEM_ROTATION, &dv_rotation_system_class));
  RotationSystem *system = (RotationSystem *)w->solver.system;
  if (!system->mainSystem.target) system->mainSystem.target = dv_linear_solver(inner)->system;
  if (system->mainSystem.target != dv_linear_solver(inner)->system)
    return dv_error(o, "let both use the same system", "%s warps %s, but its system %s builds %s", o->name, inner->name,
                    system->system.base.name, system->mainSystem.target->name);
  return DV_OK;
}

static dvStatus warp_prepare(dvObject *o)
{
  Warp *w = (Warp *)o;
  dvObject *inner = w->linearSolver.target;
  DV_TRY(((const dvLinearSolverOps *)dv_ops(inner, DV_ROLE_LINEAR_SOLVER))->prepare(inner));
  rotation_system_follow((RotationSystem *)w->solver.system, dv_linear_solver(inner));
  return DV_OK;
}

static void warp_apply(dvObject *o, double *x, const double *rhs)
{
  Warp *w = (Warp *)o;
  dvObject *inner = w->linearSolver.target;
  const RotationSystem *system = (const RotationSystem *)w->solver.system;
  dv_array_resize(&w->solver.rhs, system->system.assembly->size);
  double *turned = w->solver.rhs.data;
  if (turned != rhs) memcpy(turned, rhs, w->solver.rhs.count * sizeof *turned);
  dv_rotations_turn(&system->turns, turned, turned, true);
  ((const dvLinearSolverOps *)dv_ops(inner, DV_ROLE_LINEAR_SOLVER))->apply(inner, x, turned);
  dv_rotations_turn(&system->turns, x, x, false);
}

static void warp_settle(dvObject *o)
{
  dvObject *inner = ((Warp *)o)->linearSolver.target;
  const dvLinearSolverOps *ops = dv_ops(inner, DV_ROLE_LINEAR_SOLVER);
  if (ops->settle) ops->settle(inner);
}

static const dvLinearSolverOps warp_ops = {
    .solve = dv_linear_solver_solve, .prepare = warp_prepare, .apply = warp_apply, .settle = warp_settle};

const dvClass dv_warp_class = {
    .struct_size = sizeof(dvClass),
    .name = "WarpPreconditioner",
    .help = "preconditioner: the factor of an older matrix, turned with the points",
    .module = "Sofa.Component.LinearSolver.Preconditioner",
    .size = sizeof(Warp),
    .blocks = {&dv_object_block, &dv_linear_solver_block, DV_BLOCK(warp_fields)},
    .ops = {[DV_ROLE_LINEAR_SOLVER] = &warp_ops},
    .init = warp_init,
    .destroy = dv_linear_solver_destroy,
    .remember = dv_linear_solver_remember,
    .restored = dv_linear_solver_restored,
};

// --- PrecomputedWarpPreconditioner ---------------------------------------------------------------

#define PRECOMPUTED_WARP_FIELDS(X)                                                                             \
  X(bool, jmjt_twostep, "1", "", "accepted for compatibility", .flags = DV_HIDDEN)                             \
  X(bool, use_file, "1", "", "accepted: the factor is computed at the start of every run", .flags = DV_HIDDEN) \
  X(bool, share_matrix, "1", "", "accepted for compatibility", .flags = DV_HIDDEN)                             \
  X(bool, use_rotations, "1", "", "turn the factor with the points")                                           \
  X(real, draw_rotations_scale, "0", "", "length of drawn rotations", .flags = DV_LOOKS)                       \
  X(link, linearSolver, "", "", "accepted: the factor is computed by the preconditioner itself",               \
    .role = DV_ROLE_LINEAR_SOLVER, .flags = DV_HIDDEN)

typedef struct PrecomputedWarp {
  dvLinearSolver solver;
  PRECOMPUTED_WARP_FIELDS(DV_MEMBER)
  dvLdl factor;
  dvRotations rotations;
  size_t size;    // unknowns
  bool resumed;   // rotations were put back
  DV_ARRAY(double) work;
} PrecomputedWarp;

#define SELF PrecomputedWarp
static const dvFieldDesc precomputed_warp_fields[] = {PRECOMPUTED_WARP_FIELDS(DV_DESCRIBE)};
#undef SELF

static dvStatus precomputed_warp_init(dvObject *o)
{
  return dv_linear_solver_init(o, DV_SYSTEM_MATRIX, &dv_precomputed_system_class);
}

static dvStatus precomputed_warp_prepare(dvObject *o)
{
  PrecomputedWarp *w = (PrecomputedWarp *)o;
  const dvBlockMatrix *a;
  const dvAssembly *assembly = dv_linear_system(w->solver.system)->assembly;
  bool changed;
  size_t pivot;
  DV_TRY(dv_linear_solver_matrix(o, &a, &changed));
  if (w->factor.valid && w->size == assembly->size && !changed) {
    if (w->use_rotations) dv_rotations_update(&w->rotations, assembly, o->context->pool);
    return DV_OK;
  }
  if (!dv_ldl_analyse(&w->factor, &a->pattern, a->block, DV_ORDER_BEST))
    return dv_error(o, NULL, "out of memory for the factor of %zu unknowns", assembly->size);
  dv_array_resize(&w->work, dv_ldl_work(&w->factor));
  w->size = assembly->size;
  if (w->resumed && w->rotations.then.count == assembly->size / 3 * 9)
    dv_rotations_update(&w->rotations, assembly, o->context->pool);
  else dv_rotations_start(&w->rotations, assembly, o->context->pool);
  w->resumed = false;
  return dv_ldl_factorise(&w->factor, a, o->context->pool, DV_LDL_SMALL, &pivot)
             ? DV_OK
             : dv_linear_solver_singular(o, pivot, NULL);
}

static void precomputed_warp_apply(dvObject *o, double *x, const double *rhs)
{
  PrecomputedWarp *w = (PrecomputedWarp *)o;
  memmove(x, rhs, w->size * sizeof *x);
  dv_rotations_turn(&w->rotations, x, x, true);
  dv_ldl_solve_with(&w->factor, o->context->pool, x, x, w->work.data);
  dv_rotations_turn(&w->rotations, x, x, false);
}

static void precomputed_warp_remember(dvObject *o, dvMemoryStream *s)
{
  PrecomputedWarp *w = (PrecomputedWarp *)o;
  dv_linear_solver_remember(o, s);
  dv_rotations_remember(&w->rotations, s);
  if (dv_memory_restores(s)) w->resumed = true;
}

static void precomputed_warp_destroy(dvObject *o)
{
  PrecomputedWarp *w = (PrecomputedWarp *)o;
  dv_ldl_free(&w->factor);
  dv_rotations_free(&w->rotations);
  dv_array_free(&w->work);
  dv_linear_solver_destroy(o);
}

static const dvLinearSolverOps precomputed_warp_ops = {
    .solve = dv_linear_solver_solve, .prepare = precomputed_warp_prepare, .apply = precomputed_warp_apply};

const dvClass dv_precomputed_warp_class = {
    .struct_size = sizeof(dvClass),
    .name = "PrecomputedWarpPreconditioner",
    .help = "preconditioner: the factor of the first matrix, turned with the points",
    .module = "Sofa.Component.LinearSolver.Preconditioner",
    .size = sizeof(PrecomputedWarp),
    .blocks = {&dv_object_block, &dv_linear_solver_block, DV_BLOCK(precomputed_warp_fields)},
    .ops = {[DV_ROLE_LINEAR_SOLVER] = &precomputed_warp_ops},
    .init = precomputed_warp_init,
    .destroy = precomputed_warp_destroy,
    .remember = precomputed_warp_remember,
    .restored = dv_linear_solver_restored,
};

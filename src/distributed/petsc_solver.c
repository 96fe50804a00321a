// PetscLinearSolver: A x = b by PETSc (Balay et al., PETSc/TAO Users Manual), with its options as text.
//
// Krylov methods (-ksp_type cg, gmres, minres, ...), preconditioners (-pc_type gamg, hypre, bjacobi, icc, fieldsplit,
// ...) and direct solvers of others (-pc_type lu -pc_factor_mat_solver_type mumps). Algebraic multigrid gets the rigid
// motions of the bodies as near-null space, from the positions at rest. Needs
// the module of engine.h. In a run over several processes the rows of the points that a process owns go over, and
// points of others get the solution of their owners.
#include "distributed/engine.h"
#include "linear/direct/ldl.h"
#include "linear/inverse.h"
#include "linear/solver.h"
#include "object/context.h"
#include "object/parts.h"
#include "scene/timer.h"

#include "distributed/register.h"

#include <string.h>

#define PETSC_FIELDS(X)                                                                                               \
  X(string, options, "-ksp_type cg -ksp_rtol 1e-8 -pc_type gamg", "",                                                 \
    "options of PETSc: those that begin with -ksp_, -pc_, -mg_, -sub_ or -fieldsplit_")                               \
  X(choice, matrix, "aij", "",                                                                                        \
    "how PETSc stores the matrix: single numbers, which every preconditioner takes, blocks, or the upper half of "    \
    "blocks",                                                                                                         \
    .options = "aij|baij|sbaij")                                                                                      \
  X(choice, otherwise, "error", "",                                                                                   \
    "what to do where the program was built without PETSc: end with an error, or solve directly with the own factor", \
    .options = "error|direct")                                                                                        \
  X(bool, repeatable, "1", "",                                                                                        \
    "over several processes: coarse matrices of -pc_type gamg are summed in one order, so that runs repeat to the "   \
    "last bit; with three processes and more that takes a part longer")                                               \
  X(bool, rigidModes, "1", "", "hand over the rigid motions, for algebraic multigrid")                                \
  X(int, iterations, "0", "", "of the last solve", .flags = DV_READ_ONLY)                                             \
  X(real, residual, "0", "",                                                                                          \
    "norm of the residual that the last solve ended with, preconditioned where the method "                           \
    "measures it so",                                                                                                 \
    .flags = DV_READ_ONLY)                                                                                            \
  X(string, reason, "", "", "why the last solve ended, in PETSc's words", .flags = DV_READ_ONLY)

typedef struct Petsc {
  dvLinearSolver solver;
  PETSC_FIELDS(DV_MEMBER)
  const dvEngine *engine;   // NULL: solved directly
  dvEngineSolver *petsc;
  dvLdl factor;   // then
  unsigned analysed;
  DV_ARRAY(double) work;
  DV_ARRAY(double) coordinates;
  bool told_limit, told_unused;
  dvStatus ended;   // of the last apply, which cannot tell
} Petsc;

enum { OTHERWISE_ERROR, OTHERWISE_DIRECT };

#define SELF Petsc
static const dvFieldDesc petsc_fields[] = {PETSC_FIELDS(DV_DESCRIBE)};
#undef SELF

// --- options -------------------------------------------------------------------------------------

// A scene may come from anybody: options choose methods and numbers, and neither name files nor load code.
static dvStatus check_option(Petsc *p, const char *name, const char *value)
{
  static const char *const begin[] = {"-ksp_", "-pc_", "-mg_", "-sub_", "-fieldsplit_"};
  dvObject *o = &p->solver.base;
  bool known = false;
  for (size_t i = 0; i < DV_COUNT(begin); i++) known = known || dv_starts_with(name, begin[i]);
  if (!known)
    return dv_field_error(o, &p->options, "options of methods begin with -ksp_, -pc_, -mg_, -sub_ or -fieldsplit_",
                          "'%s' is no option that a scene may give", name);
  const bool shows = strstr(name, "view") || strstr(name, "monitor") || strstr(name, "python") || strstr(name, "shell");
  if (strpbrk(value, "/:\\") || strpbrk(name, "/:\\") || (shows && *value) || strstr(name, "view") ||
      strstr(name, "python") || strstr(name, "file"))
    return dv_field_error(o, &p->options, "-ksp_monitor and -ksp_converged_reason, without a value, show what happens",
                          "'%s%s%s' would read or write files", name, *value ? " " : "", value);
  return DV_OK;
}

// a word with a minus and a letter behind it is an option, others are its value
static bool is_option(const char *word) { return word[0] == '-' && (word[1] == '-' || (word[1] | 32) >= 'a'); }

static dvStatus check_options(Petsc *p)
{
  const char *cursor = p->options ? p->options : "", *word;
  size_t length;
  char *name = NULL;
  dvStatus status = DV_OK;
  if (strpbrk(cursor, "#\"'\n{}"))
    return dv_field_error(&p->solver.base, &p->options, "separate options by spaces",
                          "options hold quotes, braces, # or an end of line");
  while (status == DV_OK && dv_scan_word(&cursor, &word, &length)) {
    char *text = dv_strndup(word, length);
    if (is_option(text)) {
      if (name) status = check_option(p, name, "");
      dv_free(name);
      name = text;
      continue;
    }
    if (!name)
      status = dv_field_error(&p->solver.base, &p->options, "options begin with a minus, as in -pc_type gamg",
                              "'%s' belongs to no option", text);
    else status = check_option(p, name, text);
    dv_free(name);
    dv_free(text);
    name = NULL;
  }
  if (status == DV_OK && name) status = check_option(p, name, "");
  dv_free(name);
  return status;
}

// --- life ----------------------------------------------------------------------------------------

static dvStatus petsc_failed(dvObject *o, const char *doing, const char *error)
{
  return dv_error(o, "look at options; -ksp_converged_reason and -ksp_monitor show more", "PETSc cannot %s: %s", doing,
                  *error ? error : "not enough memory");
}

static dvStatus petsc_begin(Petsc *p)
{
  dvObject *o = &p->solver.base;
  char error[DV_ENGINE_TEXT] = "";
  DV_TRY(check_options(p));
  if (p->petsc) p->engine->solver_destroy(&p->petsc);
  // Coarse matrices are summed in the order in which messages come, unless told otherwise; from one neighbour there is
  // only one order.
  const bool all = dv_parts_of(o->context) != NULL, ordered = all && p->repeatable && p->engine->size() > 2;
  char *options = dv_format("%s%s", p->options ? p->options : "", ordered ? " -matptap_via backend" : "");
  p->petsc = p->engine->solver_create(options, (dvEngineFormat)p->matrix, all, error);
  dv_free(options);
  p->solver.prepared = 0;
  p->told_limit = p->told_unused = false;
  return p->petsc ? DV_OK : petsc_failed(o, "take these options", error);
}

static dvStatus petsc_init(dvObject *o)
{
  Petsc *p = (Petsc *)o;
  dvText why = {0}, advice = {0};
  DV_TRY(check_options(p));
  if (!p->engine) p->engine = dv_engine_get(&why, &advice);
  dvStatus status = DV_OK;
  if (!p->engine && p->otherwise == OTHERWISE_DIRECT)
    dv_note(o, "%s: the system is solved directly, as otherwise=\"direct\" says", why.text);
  else if (!p->engine) status = dv_error(o, advice.text, "%s", why.text);
  dv_text_free(&why), dv_text_free(&advice);
  DV_TRY(status);
  DV_TRY(dv_linear_solver_init(o, DV_SYSTEM_MATRIX, &dv_matrix_system_class));
  return p->engine ? petsc_begin(p) : DV_OK;
}

static dvStatus petsc_reinit(dvObject *o) { return ((Petsc *)o)->engine ? petsc_begin((Petsc *)o) : DV_OK; }

static void petsc_destroy(dvObject *o)
{
  Petsc *p = (Petsc *)o;
  if (p->petsc) p->engine->solver_destroy(&p->petsc);
  dv_ldl_free(&p->factor);
  dv_array_free(&p->work);
  dv_array_free(&p->coordinates);
  dv_linear_solver_destroy(o);
}

// --- solving -------------------------------------------------------------------------------------

// where the points are, when all unknowns are those of points
static const double *coordinates_of(Petsc *p, const dvAssembly *a, const dvBlockMatrix *m)
{
  if (!p->rigidModes || m->block != 3) return NULL;
  p->coordinates.count = 0;
  for (size_t i = 0; i < a->main_count; i++) {
    const dvAssemblyState *s = &a->states.data[i];
    if (s->state->base.dof->kind != DV_VEC3) return NULL;
    const double *x = dv_state_read(s->state, dv_state_has(s->state, DV_X_REST) ? DV_X_REST : DV_X);
    dv_reserve(&p->coordinates, 3 * s->count);
    memcpy(p->coordinates.data + p->coordinates.count, x, 3 * s->count * sizeof *x);
    p->coordinates.count += 3 * s->count;
  }
  return p->coordinates.data;
}

// without PETSc
static dvStatus factorise(Petsc *p, const dvAssembly *a, const dvBlockMatrix *m)
{
  dvObject *o = &p->solver.base;
  if (!p->factor.symbolic || p->analysed != a->pattern_stamp) {
    if (!dv_ldl_analyse(&p->factor, &m->pattern, m->block, DV_ORDER_BEST))
      return dv_error(o, "use an iterative solver (CGLinearSolver)", "out of memory for the factor");
    p->analysed = a->pattern_stamp;
    dv_array_resize(&p->work, dv_ldl_work(&p->factor) + 2 * dv_ldl_rows(&p->factor));
  }
  size_t pivot;
  return dv_ldl_refactorise(&p->factor, m, o->context->pool, DV_LDL_SMALL, &pivot)
             ? DV_OK
             : dv_linear_solver_report(o, &p->factor, pivot);
}

static dvStatus petsc_prepare(dvObject *o)
{
  Petsc *p = (Petsc *)o;
  const dvParts *parts = dv_parts_of(o->context);
  const dvAssembly *a = dv_linear_system(p->solver.system)->assembly;
  const dvBlockMatrix *m;
  bool changed;
  DV_TRY(dv_linear_solver_matrix(o, &m, &changed));
  if (!p->engine) return changed || !p->factor.valid ? factorise(p, a, m) : DV_OK;
  if (!changed) return DV_OK;
  if (parts && (a->main_count != 1 || m->pattern.rows != parts->points))
    return dv_error(o, "run it without --distributed", "the unknowns are not those of the body that is distributed");
  const dvEngineMatrix matrix = {.block = m->block,
                                 .rows = parts ? parts->owned : m->pattern.rows,
                                 .starts = m->pattern.row_start,
                                 .columns = m->pattern.col,
                                 .values = m->values,
                                 .global = parts ? parts->global : NULL,
                                 .coordinates = coordinates_of(p, a, m),
                                 .pattern = a->pattern_stamp};
  char error[DV_ENGINE_TEXT] = "";
  if (!p->engine->solver_set(p->petsc, &matrix, error)) {
    p->solver.prepared = 0;
    return petsc_failed(o, "prepare the matrix", error);
  }
  return DV_OK;
}

static void tell_unused(Petsc *p)
{
  if (p->told_unused) return;
  p->told_unused = true;
  const char *unused = p->engine->solver_unused(p->petsc);
  if (*unused)
    dv_warning(&p->solver.base, "look for a slip in their names; `-help` of PETSc lists what each method takes",
               "PETSc has not asked for these options: %s", unused);
}

static void petsc_apply(dvObject *o, double *x, const double *rhs)
{
  Petsc *p = (Petsc *)o;
  dvEngineSolve how = {0};
  if (!p->engine) {
    dv_ldl_solve_with(&p->factor, o->context->pool, rhs, x, p->work.data);
    return;
  }
  char error[DV_ENGINE_TEXT] = "";
  p->ended = p->engine->solver_solve(p->petsc, x, rhs, &how, error) ? DV_OK : petsc_failed(o, "solve", error);
  if (p->ended != DV_OK) return;
  p->iterations = how.iterations;
  p->residual = how.residual;
  if (!dv_same(p->reason, how.reason)) {
    dv_free(p->reason);
    p->reason = dv_strdup(how.reason);
  }
  dv_touch(o, &p->iterations), dv_touch(o, &p->residual), dv_touch(o, &p->reason);
  tell_unused(p);
  if (how.broke_down) {
    dv_error(o, "a matrix that is not positive definite needs -ksp_type minres or gmres, or a direct solver",
             "PETSc gave up after %d iterations: %s", how.iterations, how.reason);
    p->ended = DV_ERROR_DIVERGED;
  } else if (!how.converged && !p->told_limit) {
    p->told_limit = true;
    dv_warning(o, "raise -ksp_max_it, or take a better preconditioner",
               "PETSc stopped after %d iterations with a residual of %g (%s); this is told once", how.iterations,
               how.residual, how.reason);
  }
  dvParts *parts = dv_parts_of(o->context);
  if (p->ended == DV_OK && parts) p->ended = parts->share(parts, x, 3);
}

static bool petsc_starts_warm(const dvObject *o)
{
  const char *options = ((const Petsc *)o)->options;
  return options && strstr(options, "initial_guess_nonzero");
}

static dvStatus petsc_solve(dvObject *o, dvPlan *plan, const dvMech *m, int x, int rhs)
{
  Petsc *p = (Petsc *)o;
  dvLinearSystem *system = dv_linear_system(p->solver.system);
  p->ended = DV_OK;
  DV_TRY(dv_linear_system_build(&system->base, plan, m));
  if (system->assembly->size == 0 && !dv_parts_of(o->context)) return DV_OK;
  dv_timer_begin(o->context->timers, "prepare");
  const dvStatus prepared = petsc_prepare(o);
  dv_timer_end(o->context->timers);
  DV_TRY(prepared);
  dv_array_resize(&p->solver.x, system->assembly->size);
  if (petsc_starts_warm(o)) dv_assembly_gather(system->assembly, x, p->solver.x.data);
  const dvStatus status = dv_linear_solver_back_substitute(o, x, rhs);
  return status != DV_OK ? status : p->ended;
}

static const dvLinearSolverOps petsc_ops = {
    .solve = petsc_solve, .prepare = petsc_prepare, .apply = petsc_apply, .starts_warm = petsc_starts_warm};

const dvClass dv_petsc_class = {
    .struct_size = sizeof(dvClass),
    .name = "PetscLinearSolver",
    .help = "solves linear systems by PETSc: Krylov methods, algebraic multigrid, direct solvers of others; also over "
            "several processes",
    .module = "Divan.Distributed",
    .size = sizeof(Petsc),
    .blocks = {&dv_object_block, &dv_linear_solver_block, DV_BLOCK(petsc_fields)},
    .ops = {[DV_ROLE_LINEAR_SOLVER] = &petsc_ops},
    .init = petsc_init,
    .reinit = petsc_reinit,
    .destroy = petsc_destroy,
    .remember = dv_linear_solver_remember,
    .restored = dv_linear_solver_restored,
};

// VariationalSymplecticSolver: a variational integrator (Kharevych et al. 2006) with the midpoint rule for the action.
//
// The momentum p is carried from step to step. The midpoint q = x + dq of the step solves
//
//   (4/h^2 (1 + h rM) M) dq = f(x + dq) + (2/h) p,  by Newton's iterations on dq:
//   ((4/h^2 + 4 rM/h) M - (1 + 4 rK/h) K) dq = f(q) - K (q - x) + (2/h) p
//
// Then v' = (2/h) dq, x' = x + h v', p' = M v' + (h/2) f(q). Momentum is conserved, and the energy p^2/2m + V
// oscillates about a value that does not drift. The explicit variant is a' = M^-1 (f(x) + p/h), v' = h a', x' = x + h
// v', p' = M v'.
#include "io/record/record.h"
#include "ode/integrator.h"
#include "scene/timer.h"

#include <math.h>
#include <string.h>

#define VARIATIONAL_FIELDS(X)                                                                                 \
  X(real, newtonError, "0.01", "",                                                                            \
    "stop the iterations when the midpoint moves this little, in proportion to the norm of the positions")    \
  X(int, steps, "5", "", "largest number of iterations")                                                      \
  X(real, rayleighStiffness, "0", "s", "damping in proportion to the stiffness", .least = "0")                \
  X(real, rayleighMass, "0", "1/s", "damping in proportion to the mass", .least = "0")                        \
  X(bool, saveEnergyInFile, "0", "", "write kinetic, potential and total energy of each step to the file")    \
  X(bool, explicitIntegration, "0", "", "use the explicit variant")                                           \
  X(string, file, "", "", "file to write the energies to, as comma separated values")                         \
  X(bool, computeHamiltonian, "1", "", "compute the energy of each step")                                     \
  X(real, hamiltonianEnergy, "0", "J", "the energy p^2/2m + V at the end of the step", .flags = DV_READ_ONLY) \
  X(bool, useIncrementalPotentialEnergy, "1", "",                                                             \
    "sum up the work of the forces for V; else ask the forces for their energy")                              \
  X(bool, threadSafeVisitor, "0", "", "accepted for compatibility", .flags = DV_HIDDEN)                       \
  X(link, linearSolver, "", "", "solver of the linear system; the one of the node by default",                \
    .role = DV_ROLE_LINEAR_SOLVER)

typedef struct Variational {
  dvObject base;
  VARIATIONAL_FIELDS(DV_MEMBER)
  dvPlan *plan;
  bool started;
  double potential;
  dvRecord out;
  int start_x;    // vectors: positions at the start of the step
  int momentum;   // carried from step to step
  int new_momentum, shift, shift_before, rhs, velocity;
  int warm[2];   // those that the solver starts from
} Variational;

#define SELF Variational
static const dvFieldDesc variational_fields[] = {VARIATIONAL_FIELDS(DV_DESCRIBE)};
static const dvMemoryDesc variational_memory[] = {
    DV_REMEMBER(numbers, started) DV_REMEMBER(numbers, potential) DV_REMEMBER(numbers, hamiltonianEnergy)
        DV_REMEMBER(vector, momentum) DV_REMEMBER(vector, warm[0]) DV_REMEMBER(vector, warm[1])};
#undef SELF

static dvStatus variational_parse(dvObject *o, dvAttributes *a)
{
  if (dv_attribute_take(a, "verbose")) dv_warning(o, "leave it out", "verbose means nothing here");
  return DV_OK;
}

static dvStatus variational_init(dvObject *o)
{
  Variational *s = (Variational *)o;
  s->started = false;
  if (s->steps < 0) return dv_field_error(o, &s->steps, NULL, "steps must not be negative");
  if (s->saveEnergyInFile && (!s->file || !s->file[0]))
    return dv_field_error(o, &s->saveEnergyInFile, "set file", "there is no file to write the energies to");
  dv_vec_take(o, DV_VEC_COORD, &s->start_x);
  dv_vecs_take(o, DV_VEC_DERIV, &s->momentum, &s->new_momentum, &s->shift, &s->shift_before, &s->rhs, &s->velocity);
  if (!s->explicitIntegration) return dv_ode_need_linear_solver(o, &s->linearSolver);
  dv_ode_find_linear_solver(o, &s->linearSolver);
  return DV_OK;
}

// --- energies ------------------------------------------------------------------------------------

static double potential_energy(Variational *s, const dvMech *m)
{
  double kinetic, potential;
  dv_mech_energy(s->plan, m, &kinetic, &potential);
  return potential;
}

static void write_energies(Variational *s, double kinetic, double potential)
{
  if (!dv_record_is_open(&s->out)) return;
  char *line = dv_format("%g,%g,%g,%g\n", s->base.node->time, kinetic, potential, s->hamiltonianEnergy);
  dv_record_add(&s->out, s->base.node->scene, line, strlen(line));
  dv_free(line);
}

static void open_file(Variational *s)
{
  static const char head[] = "time,kinetic energy,potential energy, hamiltonian energy\n";
  if (dv_record_open(&s->out, s->file)) dv_record_add(&s->out, s->base.node->scene, head, strlen(head));
  else dv_field_warning(&s->base, &s->file, NULL, "%s cannot be written: the energies are not saved", s->file);
}

static dvStatus variational_bwd_init(dvObject *o)
{
  Variational *s = (Variational *)o;
  if (s->saveEnergyInFile) open_file(s);
  s->warm[0] = dv_ode_warm(s->linearSolver.target, s->velocity);
  s->warm[1] = dv_ode_warm(s->linearSolver.target, DV_DX);
  return s->explicitIntegration ? dv_ode_check_explicit(o, s->linearSolver.target)
                                : dv_ode_check_masses(o, "it carries no momentum");
}

// kinetic energy p M^-1 p / 2 of the new momentum
static dvStatus compute_energy(Variational *s, dvMech *m)
{
  dvObject *o = &s->base;
  int f = m->f;
  m->f = s->new_momentum;
  dvStatus status = dv_ode_accelerate(o, s->linearSolver.target, s->plan, m, s->velocity);
  m->f = f;
  DV_TRY(status);
  double kinetic = 0.5 * dv_mech_dot(s->plan, s->new_momentum, s->velocity);
  double potential = s->useIncrementalPotentialEnergy ? s->potential : potential_energy(s, m);
  s->hamiltonianEnergy = kinetic + potential;
  dv_touch(o, &s->hamiltonianEnergy);
  write_energies(s, kinetic, potential);
  return DV_OK;
}

// --- steps ---------------------------------------------------------------------------------------

static void start(Variational *s, dvMech *m)
{
  dv_mech_clear(s->plan, s->momentum);
  dv_ode_add_product(s->plan, m, s->momentum, DV_V, (dvFactors){.m = 1});
  dv_ode_force(&s->base, s->plan, m);   // some energies are found on the way
  s->potential = potential_energy(s, m);
  s->started = true;
}

static dvStatus explicit_step(Variational *s, dvMech *m, double h, int x, int v)
{
  dvObject *o = &s->base;
  dvPlan *plan = s->plan;
  m->implicit = false;
  dv_ode_force(o, plan, m);
  dv_mech_combine(plan, DV_F, DV_F, 1 / h, s->momentum);
  DV_TRY(dv_ode_accelerate(o, s->linearSolver.target, plan, m, DV_DX));
  if (s->rayleighMass > 0) {
    dv_mech_combine(plan, DV_DX, DV_DX, -s->rayleighMass, DV_V);
    dv_mech_project_response(plan, DV_DX);
  }
  dv_mech_copy(plan, v, DV_DX);
  dv_mech_scale(plan, v, h);
  dv_mech_combine(plan, x, DV_X, h, v);
  dv_mech_clear(plan, s->new_momentum);
  dv_ode_add_product(plan, m, s->new_momentum, v, (dvFactors){.m = 1});
  return DV_OK;
}

// the midpoint of the step, in m->x; returns with the shift from the start in `shift` and the force of the last
// iteration in DV_F
static dvStatus find_midpoint(Variational *s, dvMech *m, double h)
{
  dvObject *o = &s->base;
  dvPlan *plan = s->plan;
  double size = sqrt(dv_mech_dot(plan, s->start_x, s->start_x)), error = 0;
  dvFactors factors = {4 / (h * h) + 4 * s->rayleighMass / h, 0, -1 - 4 * s->rayleighStiffness / h};
  dv_mech_clear(plan, s->shift);
  for (int i = 0; i == 0 || (i < s->steps && error > s->newtonError); i++) {
    dv_ode_force(o, plan, m);
    dv_mech_combine(plan, s->rhs, DV_F, 2 / h, s->momentum);
    dv_mech_propagate_dx(plan, s->shift);
    dv_ode_add_product(plan, m, s->rhs, s->shift, (dvFactors){.k = -1});
    dv_mech_project_response(plan, s->rhs);
    dv_mech_copy(plan, s->shift_before, s->shift);
    DV_TRY(dv_ode_solve(o, s->linearSolver.target, plan, m, s->shift, s->rhs, factors));
    dv_mech_combine(plan, m->x, s->start_x, 1, s->shift);
    dv_mech_propagate_x(plan, m->x);
    dv_mech_combine(plan, s->shift_before, s->shift, -1, s->shift_before);
    error = sqrt(dv_mech_dot(plan, s->shift_before, s->shift_before)) / size;
  }
  if (o->printLog) dv_note(o, "the midpoint moved by %g of the positions in the last iteration", error);
  return DV_OK;
}

static dvStatus implicit_step(Variational *s, dvMech *m, double h, int x, int v)
{
  dvObject *o = &s->base;
  dvPlan *plan = s->plan;
  dv_mech_copy(plan, s->start_x, DV_X);
  m->x = x;
  if (x != DV_X) {
    dv_mech_copy(plan, x, DV_X);
    dv_mech_propagate_x(plan, x);
    dv_mech_mirror_outside(plan, x, DV_V);
  }
  DV_TRY(find_midpoint(s, m, h));
  s->potential += -2 * dv_mech_dot(plan, DV_F, s->shift);
  dv_mech_copy(plan, v, s->shift);
  dv_mech_scale(plan, v, 2 / h);
  dv_mech_combine(plan, x, s->start_x, h / 2, v);
  dv_ode_force(o, plan, m);
  dv_mech_project_response(plan, DV_F);
  dv_mech_copy(plan, s->new_momentum, DV_F);
  dv_mech_scale(plan, s->new_momentum, h / 2);
  dv_mech_propagate_dx(plan, v);
  dv_ode_add_product(plan, m, s->new_momentum, v, (dvFactors){.m = 1});
  dv_mech_combine(plan, x, x, h / 2, v);
  return s->computeHamiltonian ? compute_energy(s, m) : DV_OK;
}

static dvStatus variational_solve(dvObject *o, double h, int x, int v)
{
  Variational *s = (Variational *)o;
  dv_ode_plan(&s->plan, o);
  dvMech m = dv_ode_mech(o, h, true);
  if (!s->started || o->node->time == 0) start(s, &m);
  DV_TRY(s->explicitIntegration ? explicit_step(s, &m, h, x, v) : implicit_step(s, &m, h, x, v));
  dv_mech_copy(s->plan, s->momentum, s->new_momentum);
  return DV_OK;
}

static void variational_remember(dvObject *o, dvMemoryStream *s) { dv_record_remember(&((Variational *)o)->out, s); }

static void variational_destroy(dvObject *o)
{
  Variational *s = (Variational *)o;
  dv_record_close(&s->out);
  dv_vecs_give(o, &s->start_x, &s->momentum, &s->new_momentum, &s->shift, &s->shift_before, &s->rhs, &s->velocity);
  dv_plan_destroy(&s->plan);
}

static const dvOdeOps variational_ops = {.solve = variational_solve};

const dvClass dv_variational_class = {
    .struct_size = sizeof(dvClass),
    .name = "VariationalSymplecticSolver",
    .aliases = "VariationalSolver",
    .help =
        "variational integrator: conserves momentum and, over long times, energy; implicit midpoint rule or explicit",
    .module = "Sofa.Component.ODESolver.Backward",
    .size = sizeof(Variational),
    .blocks = {&dv_object_block, DV_BLOCK(variational_fields)},
    .ops = {[DV_ROLE_ODE] = &variational_ops},
    .parse = variational_parse,
    .init = variational_init,
    .bwd_init = variational_bwd_init,
    .destroy = variational_destroy,
    DV_MEMORY(variational_memory),
    .remember = variational_remember,
};

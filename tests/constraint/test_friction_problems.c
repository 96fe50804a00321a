// A thousand contact problems as scenes pose them (slopes, stacks, pens, a soft press): every solver's multipliers obey
// Signorini's condition and Coulomb's law to 1e-6, as Siconos' do.
//
// The residual is that of De Saxce's form, one inclusion for both laws: r is its own projection onto the cone
// |r_t| <= mu r_n after a step against u + mu |u_t| n. It is written here without anything of the solvers. Where
// Siconos was found (oracle_friction), it solves the same problems: both residuals are below 1e-6, and where contacts
// are not redundant, so that there is one solution, the two are the same to 1e-6.
#include "constraint/lagrangian/solver.h"
#include "support/check.h"
#include "support/scene.h"
#include "support/siconos.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// --- the law -----------------------------------------------------------------------------------------

// onto |r_t| <= mu r_n
static void project(double mu, double r[3])
{
  double t = hypot(r[1], r[2]);
  if (t <= mu * r[0]) return;
  if (mu * t <= -r[0]) {   // in the polar cone
    r[0] = r[1] = r[2] = 0;
    return;
  }
  double n = (r[0] + mu * t) / (1 + mu * mu), shrink = mu * n / t;
  r[0] = n, r[1] *= shrink, r[2] *= shrink;
}

typedef struct Problem {
  size_t contacts, source;   // source: of `sources`
  double mu, *w, *q, *r;     // u = W r + q
} Problem;

static void violation(const Problem *p, const double *r, double *u)
{
  size_t n = 3 * p->contacts;
  for (size_t i = 0; i < n; i++) {
    u[i] = p->q[i];
    for (size_t k = 0; k < n; k++) u[i] += p->w[i * n + k] * r[k];
  }
}

// of the multipliers r, as a part of them
static double residual(const Problem *p, const double *r)
{
  size_t n = 3 * p->contacts;
  double *u = dv_alloc(n * sizeof *u), sum = 0, size = 0, scale = 0;
  violation(p, r, u);
  for (size_t i = 0; i < n; i++) scale += p->w[i * n + i] / (double)n;
  for (size_t c = 0; c < n; c += 3) {
    double *v = u + c, step[3];
    double more = p->mu * hypot(v[1], v[2]);
    for (size_t k = 0; k < 3; k++) step[k] = r[c + k] - (v[k] + (k == 0 ? more : 0)) / scale;
    project(p->mu, step);
    for (size_t k = 0; k < 3; k++) {
      sum += (r[c + k] - step[k]) * (r[c + k] - step[k]);
      size += dv_max(r[c + k] * r[c + k], p->q[c + k] * p->q[c + k] / (scale * scale));
    }
  }
  dv_free(u);
  return size > 0 ? sqrt(sum / size) : 0;
}

// --- scenes ------------------------------------------------------------------------------------------

typedef struct Source {
  const char *name;
  int variants, steps;
  void (*add)(dvText *t, int variant);
} Source;

static const char *const rigid = "<EulerImplicitSolver/><CGLinearSolver iterations='20' tolerance='1e-20' "
                                 "threshold='1e-30'/>",
                         *const mass = "<UniformMass vertexMass='1 1 [0.0067 0 0 0 0.0067 0 0 0 0.0067]'/>"
                                       "<UncoupledConstraintCorrection/>",
                         *const ground =
                             "<Node name='floor'><MechanicalObject template='Rigid3' position='0 -0.1 0 0 0 0 1  "
                             "-0.6 0.5 0 0 0 0 1  0.6 0.5 0 0 0 0 1'/><OBBCollisionModel extents='0.9 0.1 0.9  0.1 "
                             "0.5 0.9  0.1 0.5 0.9' simulated='0' moving='0'/></Node>";

static void add_boxes(dvText *t, int count, int wide, double apart, double turn)
{
  dv_text_add(t, ground);
  dv_text_printf(t, "<Node name='boxes'>%s<MechanicalObject template='Rigid3' position='", rigid);
  for (int i = 0; i < count; i++)
    dv_text_printf(t, "%g %g %g 0 %.17g 0 %.17g ", apart * (i % wide - 0.5 * (wide - 1)), 0.11 + 0.205 * (i / wide),
                   0.01 * i * turn, sin(0.5 * turn * i), cos(0.5 * turn * i));
  dv_text_printf(t, "'/>%s<OBBCollisionModel defaultExtent='0.1' selfCollision='1'/></Node>", mass);
}

static void add_slope(dvText *t, int variant)
{
  DV_UNUSED(variant);
  add_boxes(t, 1, 1, 0, 0);
}
static void add_stack(dvText *t, int variant) { add_boxes(t, 2 + variant, 1, 0, 0.2); }
static void add_pen(dvText *t, int variant) { add_boxes(t, 4 + variant, 4, 0.22, 0.3); }

static void add_press(dvText *t, int variant)
{
  dv_text_add(t, ground);
  dv_text_printf(t,
                 "<Node name='soft'><EulerImplicitSolver rayleighStiffness='0.01'/><SparseLDLSolver/>"
                 "<RegularGridTopology n='3 3 3' min='-0.2 0.005 -0.2' max='0.2 0.4 0.2'/><MechanicalObject/>"
                 "<UniformMass totalMass='2'/><HexahedronFEMForceField youngModulus='%g' poissonRatio='0.4'/>"
                 "<ConstantForceField indices='18-26' totalForce='2 -30 %d'/>"
                 "<LinearSolverConstraintCorrection/><SphereCollisionModel radius='0.004'/></Node>",
                 variant ? 2e4 : 3e3, 3 * variant);
}

static const Source sources[] = {
    {"slope", 6, 60, add_slope}, {"stack", 3, 100, add_stack}, {"pen", 3, 100, add_pen}, {"press", 2, 130, add_press}};

static dvScene *open_source(const Source *source, int variant, const char *solver)
{
  dvText t = {0};
  double angle = source->add == add_slope ? 0.15 + 0.1 * variant : 0.05 * variant;
  dv_text_printf(&t,
                 "<Node dt='0.005' gravity='%.17g %.17g 0.3'><FreeMotionAnimationLoop/><%s name='solver'/>"
                 "<CollisionPipeline/><BruteForceBroadPhase/><BVHNarrowPhase/><MinProximityIntersection "
                 "alarmDistance='0.004' contactDistance='0.002'/><CollisionResponse "
                 "response='FrictionContactConstraint' responseParams='mu=0.4'/>",
                 9.81 * sin(angle), -9.81 * cos(angle), solver);
  source->add(&t, variant);
  dv_text_add(&t, "</Node>");
  dvScene *s = check_scene(t.text, 1);
  dv_text_free(&t);
  return s;
}

// what the solver has just solved; without contacts: nothing
static Problem take(dvScene *s)
{
  dvObject *o = check_find(s, "solver");
  dvConstraintProblem *p = ((const dvConstraintSolverOps *)dv_ops(o, DV_ROLE_CONSTRAINT_SOLVER))->problem(o);
  Problem out = {.contacts = p->rows / 3, .mu = 0.4};
  if (p->rows == 0) return out;
  out.w = dv_alloc(p->rows * p->rows * sizeof *out.w);
  out.q = dv_alloc(p->rows * sizeof *out.q);
  out.r = dv_alloc(p->rows * sizeof *out.r);
  for (size_t i = 0; i < p->laws.count; i++)
    assert_true(p->laws.data[i].law.kind == DV_LAW_FRICTION && p->laws.data[i].law.rows == 3);
  dv_problem_matrix(p, out.w);
  memcpy(out.q, p->violation.data, p->rows * sizeof *out.q);
  memcpy(out.r, p->lambda.data, p->rows * sizeof *out.r);
  return out;
}

static void drop(Problem *p)
{
  dv_free(p->w);
  dv_free(p->q);
  dv_free(p->r);
}

// --- every solver ------------------------------------------------------------------------------------

typedef DV_ARRAY(Problem) Problems;

// problems of a source that are solved to the tolerance; the largest residual
static double solve_source(const Source *source, const char *solver, int steps, Problems *out, size_t *count)
{
  double most = 0;
  for (int v = 0; v < source->variants; v++) {
    dvScene *s = open_source(source, v, solver);
    for (int i = 0; i < steps; i++) {
      check_steps(s, 1);
      Problem p = take(s);
      if (p.contacts) most = fmax(most, residual(&p, p.r)), ++*count;
      p.source = (size_t)(source - sources);
      if (p.contacts && out) dv_push(out, p);
      else drop(&p);
    }
    check_close_scene(&s);
  }
  return most;
}

static const char exact[] = "tolerance='1e-13' scaleTolerance='0' maxIterations='50000'";

static void check_solver(const Source *source, const char *solver)
{
  size_t count = 0;
  double most = solve_source(source, solver, 25, NULL, &count);
  if (!(most < 1e-6)) fail_msg("%s, %s: residual %g", solver, source->name, most);
  assert_true(count > 30);
}

static void all_solvers_obey_the_law(void **state)
{
  DV_UNUSED(state);
  static const char *const solvers[] = {"UnbuiltGaussSeidelConstraintSolver", "NNCGConstraintSolver"};
  for (size_t k = 0; k < DV_COUNT(solvers); k++)
    for (size_t i = 0; i < DV_COUNT(sources); i++) {
      char *solver = dv_format("%s %s", solvers[k], exact);
      check_solver(&sources[i], solver);
      dv_free(solver);
    }
  // all at once: only small steps go somewhere where contacts of one body push each other
  static const char jacobi[] = "ImprovedJacobiConstraintSolver tolerance='1e-12' scaleTolerance='0' "
                               "maxIterations='5000' useSpectralCorrection='1' spectralCorrectionFactor='0.2'";
  check_solver(&sources[0], jacobi);
  check_solver(&sources[3], jacobi);
}

// Jacobi's iteration with full steps swings: it ends at its limit, says how far it came, and the scene goes on
static void unsolved_problems_end(void **state)
{
  DV_UNUSED(state);
  dvScene *s = open_source(&sources[0], 0, "ImprovedJacobiConstraintSolver tolerance='1e-12' maxIterations='300'");
  for (int i = 0; i < 25; i++) {
    check_steps(s, 1);
    dvObject *o = check_find(s, "solver");
    Problem p = take(s);
    double error = *(const double *)dv_object_field(o, "currentError")->value;
    int32_t iterations = *(const int32_t *)dv_object_field(o, "currentIterations")->value;
    assert_true(isfinite(error) && iterations <= 300);
    if (p.contacts && residual(&p, p.r) > 0.01) assert_true(iterations == 300 && error > 1e-12);
    drop(&p);
  }
  check_close_scene(&s);
}

static void lcp_obeys_the_law(void **state)
{
  DV_UNUSED(state);
  static const char *const options[] = {"", "build_lcp='0'", "multi_grid='1'", "initial_guess='0'"};
  for (size_t k = 0; k < DV_COUNT(options); k++)
    for (size_t i = 0; i < DV_COUNT(sources); i++) {
      char *solver = dv_format("LCPConstraintSolver mu='0.4' tolerance='1e-14' maxIt='50000' %s", options[k]);
      check_solver(&sources[i], solver);
      dv_free(solver);
    }
}

// --- beside Siconos ----------------------------------------------------------------------------------

static void write_problem(FILE *f, const Problem *p)
{
  int64_t n = (int64_t)p->contacts;
  size_t rows = 3 * p->contacts;
  fwrite(&n, sizeof n, 1, f);
  fwrite(&p->mu, sizeof p->mu, 1, f);
  fwrite(p->w, sizeof *p->w, rows * rows, f);
  fwrite(p->q, sizeof *p->q, rows, f);
}

static void swap(double *a, double *b)
{
  double c = *a;
  *a = *b, *b = c;
}

// Contacts outnumber the degrees of freedom they act on: W has no inverse, and the laws have many solutions.
static bool is_redundant(const Problem *p)
{
  size_t n = 3 * p->contacts;
  double *a = dv_alloc(n * n * sizeof *a), most = 0;
  bool singular = false;
  memcpy(a, p->w, n * n * sizeof *a);
  for (size_t i = 0; i < n; i++) most = fmax(most, a[i * n + i]);
  for (size_t k = 0; k < n && !singular; k++) {   // Cholesky with the largest pivot first
    size_t at = k;
    for (size_t i = k; i < n; i++) at = a[i * n + i] > a[at * n + at] ? i : at;
    for (size_t i = 0; i < n; i++) swap(&a[k * n + i], &a[at * n + i]);
    for (size_t i = 0; i < n; i++) swap(&a[i * n + k], &a[i * n + at]);
    singular = !(a[k * n + k] > 1e-10 * most);
    for (size_t i = k + 1; i < n && !singular; i++)
      for (size_t c = k + 1; c < n; c++) a[i * n + c] -= a[i * n + k] * a[k * n + c] / a[k * n + k];
  }
  dv_free(a);
  return singular;
}

// The largest residuals of the two. True when their violations u, which bodies feel, are the same to 1e-6.
static bool compare(const Problem *p, const double *r, double worst[2])
{
  size_t n = 3 * p->contacts;
  double *u = dv_alloc(2 * n * sizeof *u), *v = u + n, apart = 0, size = 0;
  violation(p, p->r, u);
  violation(p, r, v);
  for (size_t i = 0; i < n; i++) apart += (u[i] - v[i]) * (u[i] - v[i]), size += p->q[i] * p->q[i];
  worst[0] = fmax(worst[0], residual(p, p->r));
  worst[1] = fmax(worst[1], residual(p, r));
  dv_free(u);
  return apart <= 1e-12 * size;
}

static char *find_oracle(void)
{
  char *path = dv_format("%.*soracle_friction", (int)(strrchr(DIVAN_BINARY, '/') + 1 - DIVAN_BINARY), DIVAN_BINARY);
  if (access(path, X_OK) == 0) return path;
  printf("oracle_friction was not built: Siconos is not asked\n");
  dv_free(path);
  return NULL;
}

// What both found in the problems of a source.
typedef struct Row {
  size_t asked, contacts, solved, unique, same;
  double worst[2];   // residuals: here, Siconos'
} Row;

static void add_answer(const Problem *p, const double *r, double error, size_t number, Row *row)
{
  row->asked++, row->contacts += p->contacts;
  if (!(error < 1e-9)) return;
  bool agree = compare(p, r, row->worst), redundant = is_redundant(p);
  row->solved++, row->same += agree, row->unique += !redundant;
  if (!agree && !redundant) fail_msg("problem %zu has one solution, and Siconos finds another", number);
}

static Row print_rows(const Row *rows)
{
  Row all = {0};
  printf(
      "\n| problems of | problems | contacts | Siconos solves | largest residual here | Siconos' | same motion | one "
      "solution |\n| --- | --- | --- | --- | --- | --- | --- | --- |\n");
  for (size_t k = 0; k <= DV_COUNT(sources); k++) {
    const Row *r = k < DV_COUNT(sources) ? &rows[k] : &all;
    printf("| %s | %zu | %zu | %zu | %.2g | %.2g | %zu | %zu |\n", k < DV_COUNT(sources) ? sources[k].name : "all",
           r->asked, r->contacts, r->solved, r->worst[0], r->worst[1], r->same, r->unique);
    if (k == DV_COUNT(sources)) break;
    all.asked += r->asked, all.contacts += r->contacts, all.solved += r->solved;
    all.same += r->same, all.unique += r->unique;
    for (int side = 0; side < 2; side++) all.worst[side] = fmax(all.worst[side], r->worst[side]);
  }
  return all;
}

// Siconos takes a minute for a thousand problems: it gets one in eight, or all (DIVAN_FRICTION_PROBLEMS=all).
static void ask_siconos(const Problems *all, const char *oracle)
{
  const char *which = getenv("DIVAN_FRICTION_PROBLEMS");
  size_t every = which && dv_same(which, "all") ? 1 : 8;
  char path[] = "/tmp/divan-friction-XXXXXX", *command;
  int file = mkstemp(path);
  assert_true(file >= 0);
  FILE *f = fdopen(file, "wb");
  for (size_t i = 0; i < all->count; i += every) write_problem(f, &all->data[i]);
  fclose(f);
  command = dv_format("%s %s", oracle, path);
  f = popen(command, "r");
  assert_non_null(f);
  Row rows[DV_COUNT(sources)] = {{0}};
  for (size_t i = 0; i < all->count; i += every) {
    const Problem *p = &all->data[i];
    double error, *r = dv_alloc(3 * p->contacts * sizeof *r);
    assert_int_equal(fscanf(f, "%lf", &error), 1);
    for (size_t k = 0; k < 3 * p->contacts; k++) assert_int_equal(fscanf(f, "%lf", &r[k]), 1);
    add_answer(p, r, error, i, &rows[p->source]);
    dv_free(r);
  }
  pclose(f);
  unlink(path);
  dv_free(command);
  Row sum = print_rows(rows);
  // there is something to compare with: of the pen's problems Siconos solves nine in ten, of the others all
  assert_true((double)sum.solved >= 0.95 * (double)sum.asked && (double)sum.unique >= 0.1 * (double)sum.asked);
  assert_true(sum.worst[0] < 1e-6 && sum.worst[1] < 1e-6);
}

typedef struct Tally {
  size_t problems, solved, unique;
  double worst[2];   // residuals: Siconos', Gauss-Seidel's
} Tally;

// The component beside Gauss-Seidel: what Siconos has found in a step, then the same problem one law after the other.
static void beside_gauss_seidel(const Source *source, dvScene *s, Tally *tally)
{
  Problem p = take(s);
  dvConstraintSolver *solver = (dvConstraintSolver *)check_find(s, "solver");
  dvConstraintProblem *problem = &solver->problem;
  if (p.contacts == 0) return;
  tally->problems++;
  if (*(const double *)dv_object_field(&solver->base, "residual")->value < 1e-7) {
    const int limit = solver->maxIterations;
    bool redundant = is_redundant(&p);
    memset(problem->lambda.data, 0, problem->rows * sizeof *problem->lambda.data);
    solver->currentIterations = 0;
    solver->maxIterations = 50000;
    dv_gauss_seidel_find(solver, 1e-13);   // where contacts are redundant rounding may keep it from that
    solver->maxIterations = limit;
    if (!compare(&p, problem->lambda.data, tally->worst) && !redundant)
      fail_msg("%s: Siconos and Gauss-Seidel find different motions", source->name);
    tally->solved++, tally->unique += !redundant;
  }
  drop(&p);
}

static void siconos_component_beside_gauss_seidel(void **state)
{
  DV_UNUSED(state);
  Tally tally = {0};
  if (!check_siconos()) skip();
  for (size_t i = 0; i < DV_COUNT(sources); i++)
    for (int v = 0; v < sources[i].variants; v++) {
      dvScene *s = open_source(&sources[i], v,
                               "SiconosConstraintSolver tolerance='1e-11' scaleTolerance='0' maxIterations='20000'");
      for (int step = 0; step < 25; step++) {
        check_steps(s, 1);
        beside_gauss_seidel(&sources[i], s, &tally);
      }
      check_close_scene(&s);
    }
  printf("SiconosConstraintSolver: %zu of %zu problems solved, %zu with one solution; residuals %.2g, and %.2g by "
         "Gauss-Seidel\n",
         tally.solved, tally.problems, tally.unique, tally.worst[0], tally.worst[1]);
  assert_true(tally.problems >= 250 && tally.unique >= 50);
  assert_true(tally.worst[0] < 1e-6 && tally.worst[1] < 1e-6);
  assert_true((double)tally.solved >= 0.98 * (double)tally.problems);
}

static void a_thousand_problems(void **state)
{
  DV_UNUSED(state);
  Problems all = {0};
  size_t count = 0, contacts = 0;
  char *solver = dv_format("BlockGaussSeidelConstraintSolver %s", exact);
  for (size_t i = 0; i < DV_COUNT(sources); i++) {
    double most = solve_source(&sources[i], solver, sources[i].steps, &all, &count);
    printf("%s: %zu problems up to here, largest residual %.2g\n", sources[i].name, count, most);
    if (!(most < 1e-6)) fail_msg("%s: residual %g", sources[i].name, most);
  }
  for (size_t i = 0; i < all.count; i++) contacts += all.data[i].contacts;
  assert_true(count >= 1000 && contacts > 5000);
  char *oracle = find_oracle();
  if (oracle) ask_siconos(&all, oracle);
  dv_free(oracle);
  for (size_t i = 0; i < all.count; i++) drop(&all.data[i]);
  dv_array_free(&all);
  dv_free(solver);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(siconos_component_beside_gauss_seidel),
      cmocka_unit_test(a_thousand_problems),
      cmocka_unit_test(all_solvers_obey_the_law),
      cmocka_unit_test(lcp_obeys_the_law),
      cmocka_unit_test(unsolved_problems_end),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

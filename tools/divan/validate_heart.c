// The heart beside theory: speeds of waves, the two models of its electricity beside each other, beats of the left
// ventricle.
#include "validate.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

bool heart_run(Trial *t, int steps)
{
  for (int i = 0; i < steps; i++)
    if (dv_scene_step(t->scene, 0) != DV_OK) return false;
  return true;
}

const void *heart_value(const Trial *t, const char *object, const char *field)
{
  return dv_object_field(trial_find(t, object), field)->value;
}
static double number(const Trial *t, const char *object, const char *field)
{
  return *(const double *)heart_value(t, object, field);
}

void heart_box(dvText *text, const int n[3], const double size[3], double dt, const char *rest)
{
  Blocks b = {DV_TETRAHEDRON, {n[0], n[1], n[2]}, {size[0], size[1], size[2]}, 0};
  dv_text_printf(text, "<Node dt='%g'><DefaultAnimationLoop/><MeshTopology name='mesh'", dt);
  blocks_add(text, &b);
  dv_text_printf(text, "/><FibreField name='fibres' vectors='1 0 0'/><ElectricalState name='dofs'/>%s</Node>", rest);
}

// --- waves ---

static bool speed_in_bar(const char *cell, int cells, double length, double *speed, double *theory)
{
  dvText text = {0};
  const int n[3] = {cells, 1, 1};
  const double size[3] = {length, length / cells, length / cells};
  char *rest =
      dv_format("<CardiacStimulus center='0 0 0' radius='0.002' strength='1000'/><MonodomainSolver name='solver' "
                "fibres='@fibres.fibres' anisotropyRatio='1' diffusivity='1e-4' step='%g' %s/>",
                4e-3 / cells, cell);
  Trial t;
  heart_box(&text, n, size, 0.01, rest);
  bool good = trial_open(&t, text.text);
  dv_text_free(&text);
  dv_free(rest);
  if (!good) return false;
  good = heart_run(&t, 30);
  const dvReals *when = heart_value(&t, "solver", "activation");
  size_t i = (size_t)(0.4 * cells), j = (size_t)(0.8 * cells);
  *speed = length * (double)(j - i) / cells / (when->data[j] - when->data[i]);
  *theory = number(&t, "solver", "speed");
  trial_close(&t);
  return good;
}

bool validate_heart_waves(bool quick)
{
  static const struct {
    const char *name, *fields;
  } cells[] = {{"Mitchell and Schaeffer", ""},
               {"Aliev and Panfilov", "cell='AlievPanfilov'"},
               {"FitzHugh and Nagumo", "cell='FitzHughNagumo' parameters='260 0.13 10 1.3 1'"}};
  printf(
      "## Waves in heart muscle\n\nA plane wave in a bar of 20 mm, D = 1e-4 m2/s, lumped masses; speeds over those of "
      "the "
      "cubic with the recovery variable at rest. The order is that of the change from mesh to mesh.\n\n| cells | mesh "
      "[mm] | speed [m/s] | theory | error | order |\n| --- | --- | --- | --- | --- | --- |\n");
  bool good = true;
  for (size_t k = 0; k < DV_COUNT(cells); k++) {
    double before[2] = {NAN, NAN}, last = 0;
    for (int n = 40; n <= (quick ? 160 : 320); n *= 2) {
      double speed, theory;
      if (!speed_in_bar(cells[k].fields, n, 0.02, &speed, &theory)) return false;
      printf("| %s | %.4g | %.5f | %.5f | %+.2f %% | ", cells[k].name, 20.0 / n, speed, theory,
             100 * (speed / theory - 1));
      double order = log(fabs((before[0] - before[1]) / (before[1] - speed))) / log(2);
      if (before[0] == before[0]) printf("%.2f", order);
      printf(" |\n");
      before[0] = before[1], before[1] = speed;
      last = speed / theory;
    }
    good = good && fabs(last - 1) < 0.02;
  }
  printf("\n");
  return good;
}

// --- two models in a slab ---

// The slab of Niederer et al. (validate_slab.c) with Mitchell and Schaeffer's cells, and with fronts of their speed.
static bool models(double mesh, double *far_corner, double *front)
{
  const double size[3] = {0.02, 0.007, 0.003};
  const int n[3] = {(int)lround(size[0] / mesh), (int)lround(size[1] / mesh), (int)lround(size[2] / mesh)};
  static const char *const models[] = {"MonodomainSolver name='solver' step='5e-5'", "EikonalSolver name='solver'"};
  for (int k = 0; k < 2; k++) {
    dvText text = {0};
    dvText corner = {0};
    for (int z = 0; z * mesh <= 0.0015 + 1e-9; z++)
      for (int y = 0; y * mesh <= 0.0015 + 1e-9; y++)
        for (int x = 0; x * mesh <= 0.0015 + 1e-9; x++)
          dv_text_printf(&corner, "%d ", x + (n[0] + 1) * (y + (n[1] + 1) * z));
    char *rest =
        dv_format("<CardiacStimulus indices='%s' strength='1000' duration='0.002'/><%s fibres='@fibres.fibres' "
                  "diffusivity='9.53e-5' anisotropyRatio='0.132' parameters='0.00015 0.006 0.12 0.15 0.13'/>",
                  corner.text, models[k]);
    heart_box(&text, n, size, 0.01, rest);
    Trial t;
    bool good = trial_open(&t, text.text);
    dv_text_free(&text);
    dv_text_free(&corner);
    dv_free(rest);
    if (!good) return false;
    good = heart_run(&t, 12);
    const dvReals *when = heart_value(&t, "solver", "activation");
    *(k ? front : far_corner) = when->data[when->count - 1];
    trial_close(&t);
    if (!good) return false;
  }
  return true;
}

static bool models_in_slab(bool quick)
{
  static const double meshes[] = {0.0005, 0.00025, 0.0002};
  printf(
      "## Two models of a wave\n\nThe slab of the benchmark with Mitchell and Schaeffer's cells (MonodomainSolver) and "
      "with fronts of the same speed (EikonalSolver): when the far corner is excited.\n\n| mesh [mm] | monodomain "
      "[ms] | fronts [ms] | difference |\n| --- | --- | --- | --- |\n");
  double last = 1;
  for (size_t k = 0; k < (quick ? 1u : DV_COUNT(meshes)); k++) {
    double potential, front;
    if (!models(meshes[k], &potential, &front)) return false;
    last = front / potential - 1;
    printf("| %.3g | %.2f | %.2f | %+.1f %% |\n", 1e3 * meshes[k], 1e3 * potential, 1e3 * front, 100 * last);
    fflush(stdout);
  }
  printf("\n");
  return quick ? fabs(last) < 0.5 : fabs(last) < 0.05;
}

// --- ventricles ---

// When all points of a left ventricle of `size` times the one of a grown person are excited, from its tip; `seconds` of
// the processor that takes.
static bool excite_ventricle(double size, double spacing, const char *solver, double dt, double until, dvReals *out,
                             double *seconds)
{
  char *text = dv_format(
      "<Node dt='%g'><DefaultAnimationLoop/><GenerateVentricle name='v' innerRadii='%g %g' outerRadii='%g %g' "
      "basePlane='%g' spacing='%g' layers='%d'/><MeshTopology name='mesh' position='@v.position' "
      "tetrahedra='@v.tetrahedra'/><ElectricalState name='dofs'/><CardiacStimulus center='0 0 %g' radius='%g' "
      "strength='2000' duration='0.002'/><%s name='solver' fibres='@v.fibres' diffusivity='1e-4' "
      "anisotropyRatio='0.25' parameters='0.00015 0.006 0.12 0.15 0.13'/></Node>",
      dt, 0.023 * size, 0.065 * size, 0.034 * size, 0.075 * size, 0.02 * size, spacing,
      (int)lround(0.0108 * size / spacing), -0.07 * size, 0.012 * size, solver);
  Trial t;
  bool good = trial_open(&t, text), all = false;
  dv_free(text);
  if (!good) return false;
  const dvReals *when = heart_value(&t, "solver", "activation");
  clock_t began = clock();
  for (int i = 0; good && !all && i * dt < until; i++) {
    good = heart_run(&t, 1);
    all = true;
    for (size_t k = 0; k < when->count && all; k++) all = when->data[k] >= 0;
  }
  *seconds = (double)(clock() - began) / CLOCKS_PER_SEC;
  good = good && all && dv_reals_resize(out, when->count);
  if (good) memcpy(out->data, when->data, when->count * sizeof *when->data);
  trial_close(&t);
  return good;
}

typedef struct Agreement {
  double last[2];          // when the last point is excited, in s: cells, fronts
  double mean, farthest;   // difference of the times of points, over the last one
  double seconds[2];       // of the processor: cells, fronts
} Agreement;

static const char fronts_solver[] = "EikonalSolver";

static bool compare_in_ventricle(double size, double spacing, Agreement *a)
{
  dvReals cells = {.width = 1}, fronts = {.width = 1};
  *a = (Agreement){0};
  bool good = excite_ventricle(size, spacing, "MonodomainSolver lumping='0.5'", 0.002, 0.5, &cells, &a->seconds[0]) &&
              excite_ventricle(size, spacing, fronts_solver, 0.5, 0.5, &fronts, &a->seconds[1]) &&
              cells.count == fronts.count;
  size_t n = good ? cells.count : 0;
  for (size_t i = 0; i < n; i++) {
    double gap = fabs(cells.data[i] - fronts.data[i]);
    a->last[0] = fmax(a->last[0], cells.data[i]);
    a->last[1] = fmax(a->last[1], fronts.data[i]);
    a->mean += gap / (double)n;
    a->farthest = fmax(a->farthest, gap);
  }
  a->mean /= a->last[0], a->farthest /= a->last[0];
  printf("| %.2g | %.2g | %zu | %.2f | %.2f | %+.1f %% | %.1f %% | %.1f %% | %.3g | %.3g |\n", size, 1e3 * spacing, n,
         1e3 * a->last[0], 1e3 * a->last[1], 100 * (a->last[1] / a->last[0] - 1), 100 * a->mean, 100 * a->farthest,
         a->seconds[0], a->seconds[1]);
  fflush(stdout);
  dv_reals_free(&cells);
  dv_reals_free(&fronts);
  return good;
}

// Cells want a mesh that resolves their front, fronts any: how much sooner they know the same on one of four layers.
static bool fronts_in_coarse_ventricle(double size, const Agreement *fine)
{
  dvReals fronts = {.width = 1};
  double seconds, last = 0, spacing = 0.00216 * size;
  bool good = excite_ventricle(size, spacing, fronts_solver, 0.5, 0.5, &fronts, &seconds);
  for (size_t i = 0; i < fronts.count; i++) last = fmax(last, fronts.data[i]);
  printf("Fronts on %zu points, %.3g mm apart, reach the last one after %.2f ms (%+.1f %% of what cells on the finest "
         "mesh need), and take %.3g s of processor time: %.3g times less than these cells.\n\n",
         fronts.count, 1e3 * spacing, 1e3 * last, 100 * (last / fine->last[0] - 1), seconds,
         fine->seconds[0] / seconds);
  dv_reals_free(&fronts);
  return good && fabs(last / fine->last[0] - 1) < 0.05;
}

static bool models_in_ventricle(bool quick, bool largest)
{
  static const double rows[][2] = {{0.2, 0.0005}, {0.5, 0.001}, {0.2, 0.0003}, {0.5, 0.0004}, {1, 0.0005}};
  printf(
      "A left ventricle of GenerateVentricle, excited at its tip: size over that of a grown person (1/5 is a rat's), "
      "the same mesh for both, D = 1e-4 m2/s, cells with half of their mass at the points. Fronts of cells have a "
      "width, and are slower where they are bent: the more the smaller the heart is. Differences of points are over "
      "the time of the last one.\n\n| size | mesh [mm] | points | monodomain, last point [ms] | fronts [ms] | "
      "difference | mean of all points | farthest | cells: processor time [s] | fronts [s] |\n"
      "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
  Agreement a = {0};
  size_t end = quick ? 2 : largest ? 5 : 4;
  for (size_t k = quick ? 0 : 2; k < end; k++)
    if (!compare_in_ventricle(rows[k][0], rows[k][1], &a)) return false;
  printf("\n");
  bool sooner = quick || fronts_in_coarse_ventricle(rows[end - 1][0], &a);
  double most = quick ? 0.08 : 0.05;   // coarse meshes are slow
  return sooner && fabs(a.last[1] / a.last[0] - 1) < most && a.mean < most;
}

static bool both_models(bool quick, bool largest)
{
  bool slab_good = models_in_slab(quick);
  return models_in_ventricle(quick, largest) && slab_good;
}

bool validate_heart_models(bool quick) { return both_models(quick, false); }
bool validate_heart_models_full(void) { return both_models(false, true); }

// --- beats ---

static void beat_scene(dvText *text, double dt, double spacing, int layers, const char *mechanics, const char *damping)
{
  dv_text_printf(
      text,
      "<Node gravity='0 0 0' dt='%g'><MultiTagAnimationLoop tags='electricity mechanics'/><GenerateVentricle name='v' "
      "spacing='%g' layers='%d'/><Node name='Heart' tags='mechanics'>%s"
      "<SparseLDLSolver tags='mechanics' template='CompressedRowSparseMatrixMat3x3d'/><MeshTopology name='mesh' "
      "tags='mechanics' position='@../v.position' tetrahedra='@../v.tetrahedra'/><MechanicalObject name='x' "
      "tags='mechanics'/><MeshMatrixMass name='mass' tags='mechanics' massDensity='1070' lumping='1'/><MooneyRivlin "
      "name='passive' tags='mechanics' "
      "ParameterSet='800 200 100000' %s/><ContractionForceField name='active' tags='mechanics' fibres='@../v.fibres' "
      "stress='95000' stiffness='80000'/><PressureConstraint name='left' tags='mechanics' "
      "triangles='@../v.leftEndocardium' arterialPressure='13000'/><ProjectivePressureConstraint "
      "tags='mechanics'/><BaseConstraint name='holder' "
      "tags='mechanics' "
      "points='@../v.basePoints' stiffness='500'/><Node name='ElecNode' tags='electricity'><ElectricalState name='u' "
      "tags='electricity'/><CardiacStimulus tags='electricity' center='0 0 -0.068' radius='0.012' start='0.1' "
      "period='0.8'/><EikonalSolver tags='electricity' fibres='@../../v.fibres' speed='1' "
      "parameters='0.0003 0.006 0.12 0.125 0.13'/></Node></Node>"
      "<MechanicalObject name='dofs' template='Vec1' position='0'/></Node>",
      dt, spacing, layers, mechanics, damping);
}

typedef struct Beat {
  double filled, left, fraction, highest, held, work, fibres, loss;
  int phases;   // in their order
} Beat;

// from the end of one ejection to the end of the next
static bool one_beat(Trial *t, int most, Beat *b)
{
  double start = 0, work = number(t, "Heart/left", "work"), fibres = number(t, "Heart/active", "work"),
         loss = number(t, "Heart/active", "loss");
  int beats = *(const int32_t *)heart_value(t, "Heart/left", "beats");
  *b = (Beat){0};
  for (int i = 0; i < most; i++) {
    int before = *(const int32_t *)heart_value(t, "Heart/left", "phase");
    if (!heart_run(t, 1)) return false;
    int now = *(const int32_t *)heart_value(t, "Heart/left", "phase");
    double v = number(t, "Heart/left", "volume");
    if (now != before) {
      start = v;
      b->phases++;
    } else if (start > 0 && (now == 1 || now == 3)) b->held = fmax(b->held, fabs(v / start - 1));
    b->highest = fmax(b->highest, number(t, "Heart/left", "pressure"));
    if (*(const int32_t *)heart_value(t, "Heart/left", "beats") > beats) break;
  }
  b->filled = number(t, "Heart/left", "endDiastolicVolume");
  b->left = number(t, "Heart/left", "endSystolicVolume");
  b->fraction = number(t, "Heart/left", "ejectionFraction");
  b->work = number(t, "Heart/left", "work") - work;
  b->fibres = number(t, "Heart/active", "work") - fibres;
  b->loss = number(t, "Heart/active", "loss") - loss;
  return true;
}

bool validate_heart_beats(bool quick)
{
  int beats = quick ? 2 : 6;
  dvText text = {0};
  beat_scene(&text, 0.0025, quick ? 0.012 : 0.008, quick ? 1 : 2,
             "<EulerImplicitSolver tags='mechanics' rayleighMass='5'/>", "pronySeries='0.3 0.03'");
  Trial t;
  bool good = trial_open(&t, text.text);
  dv_text_free(&text);
  if (!good) return false;
  printf("## Beats of the left ventricle\n\nSteps of 2.5 ms, 0.8 s a beat, preload 1.3 kPa, a Windkessel of three "
         "elements. Volume "
         "held: largest change while both valves are closed.\n\n| beat | filled [ml] | left [ml] | ejected | highest "
         "pressure "
         "[kPa] | volume held to | phases |\n| --- | --- | --- | --- | --- | --- | --- |\n");
  Beat b = {0}, last = {0};
  for (int i = 0; i < beats && good; i++) {
    last = b;
    good = one_beat(&t, 400, &b);
    printf("| %d | %.2f | %.2f | %.1f %% | %.2f | %.1g | %d |\n", i + 1, 1e6 * b.filled, 1e6 * b.left, 100 * b.fraction,
           1e-3 * b.highest, b.held, b.phases);
    good = good && b.held < 1e-3 && b.phases >= 3;
    fflush(stdout);
  }
  double closes = fmax(fabs(b.filled / last.filled - 1), fabs(b.left / last.left - 1));
  trial_close(&t);
  printf("\nLast beat against the one before: %.2f %% of the volumes.\n\n", 100 * closes);
  if (!quick) good = good && closes < 0.01 && b.fraction > 0.5 && b.fraction < 0.7;
  return good;
}

// --- energy ---

// Where energy goes in a beat. Forces of components are evaluated at the end of each step, and their work is summed by
// the trapezoidal rule: of the passive law and the base what they take from the motion, stored or lost.
typedef struct Account {
  dvState *x;
  dvObject *takers[2], *mass;
  double drag;                         // rayleighMass
  double taken[2], dragged, kinetic;   // J, since the start; of now
  dvReals before, force[2], now;       // positions and forces of the step before
} Account;

static void evaluate_force(Account *a, dvObject *o, double dt, dvReals *out)
{
  dvMech m = {.x = DV_X, .v = DV_V, .f = DV_F, .dt = dt, .implicit = true, .time = a->x->base.node->scene->root->time};
  double *f = dv_state_write(a->x, DV_F);
  memset(f, 0, 3 * a->x->count * sizeof *f);
  ((const dvForceOps *)dv_ops(o, DV_ROLE_FORCE))->add_force(o, &m);
  memcpy(out->data, dv_state_read(a->x, DV_F), 3 * a->x->count * sizeof *f);
}

static bool account_open(Account *a, const Trial *t, double dt, double drag)
{
  *a = (Account){.x = dv_state(trial_find(t, "Heart/x")),
                 .takers = {trial_find(t, "Heart/passive"), trial_find(t, "Heart/holder")},
                 .mass = trial_find(t, "Heart/mass"),
                 .drag = drag};
  size_t n = 3 * a->x->count;
  if (!dv_reals_resize(&a->before, n) || !dv_reals_resize(&a->now, n) || !dv_reals_resize(&a->force[0], n) ||
      !dv_reals_resize(&a->force[1], n))
    return false;
  memcpy(a->before.data, dv_state_read(a->x, DV_X), n * sizeof(double));
  for (int k = 0; k < 2; k++) evaluate_force(a, a->takers[k], dt, &a->force[k]);
  return true;
}

static void account_step(Account *a, double dt)
{
  const double *x = dv_state_read(a->x, DV_X);
  size_t n = 3 * a->x->count;
  for (int k = 0; k < 2; k++) {
    evaluate_force(a, a->takers[k], dt, &a->now);
    for (size_t i = 0; i < n; i++) {
      a->taken[k] -= 0.5 * (a->force[k].data[i] + a->now.data[i]) * (x[i] - a->before.data[i]);
      a->force[k].data[i] = a->now.data[i];
    }
  }
  memcpy(a->before.data, x, n * sizeof(double));
  a->kinetic = ((const dvMassOps *)dv_ops(a->mass, DV_ROLE_MASS))->kinetic(a->mass, DV_V);
  a->dragged += 2 * a->drag * dt * a->kinetic;
}

static void account_close(Account *a)
{
  dv_reals_free(&a->before);
  dv_reals_free(&a->now);
  for (int k = 0; k < 2; k++) dv_reals_free(&a->force[k]);
}

// what a beat has given and taken so far
typedef struct Sums {
  double fibres, loss, stored, passive, held, dragged, kinetic, blood;
} Sums;

static Sums sums_of(const Trial *t, const Account *a)
{
  return (Sums){number(t, "Heart/active", "work"),
                number(t, "Heart/active", "loss"),
                number(t, "Heart/active", "stored"),
                a->taken[0],
                a->taken[1],
                a->dragged,
                a->kinetic,
                number(t, "Heart/left", "work")};
}

// the whole of the `beats`-th beat, from the end of an ejection to the end of the next
static bool beat_sums(Trial *t, Account *a, double dt, int beats, Sums *out)
{
  Sums start = {0};
  int done = 0;
  for (int i = 0; i < (int)((beats + 1) / dt) && done < beats; i++) {
    if (!heart_run(t, 1)) return false;
    account_step(a, dt);
    int now = *(const int32_t *)heart_value(t, "Heart/left", "beats");
    if (now > done && now == beats - 1) start = sums_of(t, a);
    done = now;
  }
  Sums end = sums_of(t, a);
  *out = (Sums){end.fibres - start.fibres,   end.loss - start.loss,  end.stored - start.stored,
                end.passive - start.passive, end.held - start.held,  end.dragged - start.dragged,
                end.kinetic - start.kinetic, end.blood - start.blood};
  return done == beats;
}

bool validate_heart_energy(bool quick)
{
  printf("## Energy of a beat\n\nThe beat of the table above on a coarser mesh, integrated with order 2. What the "
         "bridges give goes into the "
         "contractile part, the tissue (viscosity, and what it stores from beat to beat), its drag, the base, motion, "
         "and the blood. What is missing is lost by the integrator, and less with shorter steps.\n\n| step [ms] | "
         "fibres give [J] | contractile part | tissue | drag | base | motion and springs | blood | missing |\n| --- | "
         "--- | --- | --- | --- | --- | --- | --- | --- |\n");
  static const char *const second_order =
      "<BDFOdeSolver tags='mechanics' order='2' rayleighMass='5'/><NewtonRaphsonSolver tags='mechanics' "
      "maxNbIterationsNewton='6' warnWhenDiverge='0' absoluteResidualStoppingThreshold='0' "
      "relativeSuccessiveStoppingThreshold='0' relativeInitialStoppingThreshold='1e-6'/>";
  double missing = 1;
  for (double dt = 0.002; dt > (quick ? 0.0015 : 0.0007); dt /= 2) {
    dvText text = {0};
    beat_scene(&text, dt, 0.012, 1, second_order, "pronySeries='0.3 0.03'");
    Trial t;
    Account a;
    Sums s = {0};
    bool good = trial_open(&t, text.text);
    dv_text_free(&text);
    if (!good) return false;
    good = account_open(&a, &t, dt, 5) && beat_sums(&t, &a, dt, quick ? 2 : 4, &s);
    account_close(&a);
    trial_close(&t);
    if (!good) return false;
    double moved = s.kinetic + s.stored;
    missing = 1 - (s.blood + s.loss + s.passive + s.held + s.dragged + moved) / s.fibres;
    printf("| %.3g | %.4f | %.4f | %.4f | %.4f | %.4f | %.4f | %.4f | %.2f %% |\n", 1e3 * dt, s.fibres, s.loss,
           s.passive, s.dragged, s.held, moved, s.blood, 100 * missing);
    fflush(stdout);
  }
  printf("\n");
  return fabs(missing) < 0.02;
}

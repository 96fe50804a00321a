// divan validate: lattices of springs (SpringLattice) beside beam theory, beside themselves linearised, and their
// energy.
//
// Cantilevers of cubes, the experiment of Clay et al.: a small load at the tip, velocities damped by 0.01 % in each
// iteration for 500 ms, then load and damping are released, and the motion of the tip over 1000 ms tells the frequency
// by its zero crossings. By Euler and Bernoulli f = 3.516 / (2 pi) sqrt(E I / (rho A L^4)) with rho in kg/m3 (the paper
// has a weight there, and g for it). Natural frequencies of the same lattice come from K u = w^2 M u about where it
// rests: inverse iteration, with conjugate gradients for K^-1.
//
// Bounds of the energy follow from the integrators. In a mode of frequency w with z = h w an iteration without damping
// conserves exactly, of its kinetic energy T and its elastic energy U (the lattice moves so little that it is linear),
//   Euler    T + U - (z / 2) w x v   the last term is at most (z / 2) (T + U)
//   Verlet   T + U (1 - z^2 / 4)
// and Runge-Kutta loses the part z^6 / 72 - z^8 / 576. With c = h / limit no mode has z / 2 > c. So after any time,
// with the energies E_k that modes have in the beginning, their sum E and the moment W = sum of w_k^2 E_k,
//   Euler    |dE| <= sum of z_k E_k / (1 - z_k / 2) <= h sqrt(W E) + h^2 W / (2 (1 - c))    (Cauchy and Schwarz)
//   Verlet   |dE| <= h^2 W / (4 (1 - c^2))
//   RK4      |dE| <= sum of min(1, N z_k^6 / 72) E_k <= (N / 72)^(1/3) h^2 W    over N iterations, as min(1, a) <=
//   a^(1/3)
// W needs no modes: it is half of f M^-1 f + v K v, with the forces, velocities and stiffness at the release.
#include "validate.h"

#include "lattice/spring_lattice.h"

#include <stdio.h>
#include <string.h>

static const double young = 1e9, density = 1000;

typedef struct Beam {
  double length, height, width, cell;
  const char *integrator;
  double gravity;
} Beam;

typedef struct Motion {
  double frequency, crossings;
  double drift;       // of the energy after the release, over that at the release
  double bound;       // of the drift, see above
  double predicted;   // of the linearised lattice
  double down;        // how far the tip hangs down, m
} Motion;

static char *beam_text(const Beam *b, double h, int substeps)
{
  return dv_format(
      "<Node dt='%.17g' gravity='0 %.17g 0'><DefaultAnimationLoop/><VoxelLattice name='v' "
      "boxes='0 0 0 %.17g %.17g %.17g' cell='%.17g'/><MechanicalObject name='dofs' position='@v.position'/>"
      "<SpringLattice name='lattice' springs='@v.edges' weights='@v.weights' shares='@v.shares' "
      "volume='@v.volume' youngModulus='%g' massDensity='%g' integrator='%s' substeps='%d' "
      "rayleighMass='%.17g'/><BoxROI name='held' position='@v.position' box='-1 -1 -1 %.17g 9 9'/>"
      "<LatticeGuide indices='@held.indices'/><ConstantForceField name='load' forces='0 0 0'/></Node>",
      h * substeps, b->gravity, b->length, b->height, b->width, b->cell, young, density, b->integrator, substeps,
      1e-4 / h, b->cell / 4);
}

static double energy_of(const Trial *t, dvObject *lattice)
{
  dvMech m = {.x = DV_X, .v = DV_V, .f = DV_F, .dx = DV_DX, .df = DV_DF};
  memcpy(m.gravity, t->scene->root->gravity, sizeof m.gravity);
  return dv_spring_lattice_force.energy(lattice, &m) + dv_spring_lattice_mass.kinetic(lattice, DV_V) +
         dv_spring_lattice_mass.potential(lattice, &m);
}

// --- natural frequencies -------------------------------------------------------------------------

typedef struct Linear {
  dvObject *lattice;
  dvState *state;
  size_t n;
  double *mass;
  const double *rest;
  double held;   // points with x below it do not move
} Linear;

static void hold(const Linear *l, double *a)
{
  for (size_t i = 0; i < l->n; i++)
    if (l->rest[i - i % 3] < l->held) a[i] = 0;
}

// out = -K a, with geometric stiffness
static void stiffness(const Linear *l, const double *a, double *out)
{
  memcpy(dv_state_overwrite(l->state, DV_DX), a, l->n * sizeof *a);
  memset(dv_state_overwrite(l->state, DV_DF), 0, l->n * sizeof *a);
  dvMech m = {.x = DV_X, .v = DV_V, .f = DV_F, .dx = DV_DX, .df = DV_DF, .k = -1};
  dv_spring_lattice_force.add_dforce(l->lattice, &m);
  memcpy(out, dv_state_read(l->state, DV_DF), l->n * sizeof *out);
  hold(l, out);
}

static double product(const double *a, const double *b, size_t n)
{
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

static void solve(const Linear *l, const double *b, double *x, double *work)
{
  double *r = work, *p = work + l->n, *q = p + l->n;
  stiffness(l, x, q);
  for (size_t i = 0; i < l->n; i++) p[i] = r[i] = b[i] - q[i];
  double rr = product(r, r, l->n), enough = 1e-20 * product(b, b, l->n);
  for (int k = 0; k < 20000 && rr > enough; k++) {
    stiffness(l, p, q);
    double alpha = rr / product(p, q, l->n), before = rr;
    for (size_t i = 0; i < l->n; i++) x[i] += alpha * p[i], r[i] -= alpha * q[i];
    rr = product(r, r, l->n);
    for (size_t i = 0; i < l->n; i++) p[i] = r[i] + rr / before * p[i];
  }
}

// the lowest frequency of a mode that moves along y
static double natural_frequency(const Trial *t, dvObject *lattice, double held)
{
  dvSpringLattice *s = (dvSpringLattice *)lattice;
  Linear l = {.lattice = lattice,
              .state = t->dofs,
              .n = 3 * t->dofs->count,
              .mass = s->mass,
              .rest = s->rest.data,
              .held = held};
  double *u = dv_alloc(6 * l.n * sizeof *u), *b = u + l.n, *x = b + l.n, value = 0;
  for (size_t i = 0; i < l.n; i++) u[i] = i % 3 == 1 ? l.rest[i - 1] * l.rest[i - 1] : 0;
  hold(&l, u);
  for (int k = 0; k < 12; k++) {
    for (size_t i = 0; i < l.n; i++) b[i] = l.mass[i / 3] * u[i];
    double norm = sqrt(product(b, u, l.n));
    for (size_t i = 0; i < l.n; i++) b[i] /= norm, x[i] = k ? u[i] / norm / value : 0;
    solve(&l, b, x, x + l.n);
    double below = 0;   // Rayleigh's quotient
    for (size_t i = 0; i < l.n; i++) below += l.mass[i / 3] * x[i] * x[i];
    double last = value;
    value = product(x, b, l.n) / below;
    memcpy(u, x, l.n * sizeof *u);
    if (fabs(value - last) < 1e-9 * value) break;
  }
  dv_free(u);
  return sqrt(value) / (2 * acos(-1.0));
}

// --- how far the energy may go ---

// sum of w_k^2 E_k
static double moment(const Trial *t, dvObject *lattice, double held)
{
  dvSpringLattice *s = (dvSpringLattice *)lattice;
  Linear l = {.lattice = lattice,
              .state = t->dofs,
              .n = 3 * t->dofs->count,
              .mass = s->mass,
              .rest = s->rest.data,
              .held = held};
  double *f = dv_alloc(2 * l.n * sizeof *f), *v = f + l.n, sum = 0;
  dvMech m = {.x = DV_X, .v = DV_V, .f = DV_F, .dx = DV_DX, .df = DV_DF};
  memset(dv_state_overwrite(t->dofs, DV_F), 0, l.n * sizeof *f);
  dv_spring_lattice_force.add_force(lattice, &m);
  memcpy(f, dv_state_read(t->dofs, DV_F), l.n * sizeof *f);
  hold(&l, f);
  for (size_t i = 0; i < l.n; i++) sum += f[i] * f[i] / l.mass[i / 3];
  memcpy(v, dv_state_read(t->dofs, DV_V), l.n * sizeof *v);
  stiffness(&l, v, f);
  sum += product(v, f, l.n);
  dv_free(f);
  return sum / 2;
}

static double bound_of(const char *integrator, double h, double limit, double iterations, double w, double energy)
{
  double c = h / limit;
  if (dv_same(integrator, "euler")) return h * sqrt(w / energy) + h * h * w / (2 * energy * (1 - c));
  if (dv_same(integrator, "verlet")) return h * h * w / (4 * energy * (1 - c * c));
  return cbrt(iterations / 72) * h * h * w / energy;
}

// --- the experiment ------------------------------------------------------------------------------

static double theory(const Beam *b)
{
  double k = 3.5160152685, pi = acos(-1.0);
  return k / (2 * pi) * sqrt(young * b->height * b->height / (12 * density * pow(b->length, 4)));
}

static size_t tip_of(const Trial *t)
{
  const double *x = dv_state_read(t->dofs, DV_X_REST);
  size_t best = 0;
  for (size_t i = 1; i < t->dofs->count; i++)
    if (x[3 * i] >= x[3 * best]) best = i;
  return best;
}

// steps for a time; fills crossings of `level` by the tip, and the largest change of the energy
static bool follow(Trial *t, dvObject *lattice, size_t tip, int steps, double level, Motion *m)
{
  double first = -1, last = -1, count = 0, before = dv_state_read(t->dofs, DV_X)[3 * tip + 1] - level;
  double start = energy_of(t, lattice), most = 0;
  for (int i = 0; i < steps; i++) {
    if (dv_scene_step(t->scene, 0) != DV_OK) return false;
    double now = dv_state_read(t->dofs, DV_X)[3 * tip + 1] - level;
    if (now * before < 0) {
      last = i + before / (before - now);
      if (first < 0) first = last;
      else count++;
    }
    before = now;
    most = fmax(most, fabs(energy_of(t, lattice) - start));
  }
  m->crossings = count;
  m->frequency = count > 0 ? count / 2 / ((last - first) * t->scene->root->dt) : 0;
  m->drift = most;
  return true;
}

static bool vibrate(const Beam *b, double load, Motion *m)
{
  double h = 0.45 * b->cell / sqrt(young / density);   // three quarters of the limit
  int substeps = (int)ceil(1e-3 / h);
  h = 1e-3 / substeps;
  char *text = beam_text(b, h, substeps);
  Trial t;
  bool good = trial_open(&t, text);
  dv_free(text);
  if (!good) return false;
  dvObject *lattice = trial_find(&t, "lattice");
  dvSpringLattice *s = (dvSpringLattice *)lattice;
  size_t tip = tip_of(&t);
  if (dv_reals_resize(t.forces, 3 * t.dofs->count)) {
    double *f = dv_reals_edit(t.forces);
    memset(f, 0, 3 * t.dofs->count * sizeof *f);
    f[3 * tip + 1] = load;
    dv_touch(trial_find(&t, "load"), t.forces);
  }
  Motion ignored;
  double level = dv_state_read(t.dofs, DV_X_REST)[3 * tip + 1];
  good = follow(&t, lattice, tip, 500, level, &ignored);
  if (good && b->gravity != 0) {   // about where it hangs, which it has to find first
    s->rayleighMass = 60;
    good = follow(&t, lattice, tip, 1500, level, &ignored);
  }
  memset(dv_reals_edit(t.forces), 0, 3 * t.dofs->count * sizeof(double));
  dv_touch(trial_find(&t, "load"), t.forces);
  if (good && b->gravity != 0) {
    double straight = level;
    good = follow(&t, lattice, tip, 1500, level, &ignored);
    level = dv_state_read(t.dofs, DV_X)[3 * tip + 1];
    m->predicted = natural_frequency(&t, lattice, b->cell / 4);
    double *v = dv_state_write(t.dofs, DV_V);   // a push
    for (size_t i = 0; i < t.dofs->count; i++)
      v[3 * i + 1] = 0.02 * pow(dv_state_read(t.dofs, DV_X_REST)[3 * i] / b->length, 2);
    m->down = straight - level;
  } else if (good) {
    m->predicted = natural_frequency(&t, lattice, b->cell / 4);
  }
  s->rayleighMass = 0;
  double scale = energy_of(&t, lattice);
  m->bound = bound_of(b->integrator, h, s->stepLimit, 1000.0 * substeps, moment(&t, lattice, b->cell / 4), scale);
  good = good && follow(&t, lattice, tip, 1000, level, m);
  m->drift /= b->gravity != 0 ? 1 : scale;
  trial_close(&t);
  return good;
}

static bool row(const char *what, double value, const Beam *b, const Beam *first, double of_first[3])
{
  static const char *const schemes[] = {"euler", "verlet", "rk4"};
  printf("| %s | %g |", what, value);
  double expected = theory(b) / theory(first), by_verlet = 0;
  printf(" %.3f |", expected);
  bool good = true;
  for (int i = 0; i < 3; i++) {
    Beam tried = *b;
    Motion m = {0};
    tried.integrator = schemes[i];
    if (!vibrate(&tried, 1e-3, &m)) return false;
    if (b == first) of_first[i] = m.frequency;
    double ratio = m.frequency / of_first[i];
    printf(" %.3f (%+.1f %%) |", ratio, 100 * (ratio / expected - 1));
    good &= fabs(ratio / expected - 1) < 0.05;
    if (i == 1) by_verlet = m.frequency;
  }
  printf(" %.3f Hz | %.3f |\n", by_verlet, by_verlet / theory(b));
  fflush(stdout);
  return good;
}

static bool cantilevers(void)
{
  static const double lengths[] = {1.2, 1.6, 2.4}, heights[] = {0.15, 0.2}, widths[] = {0.05, 0.2};
  Beam first = {.length = 2, .height = 0.1, .width = 0.1, .cell = 0.025};
  double of_first[3];
  printf("Cantilevers of cubes of 25 mm, E = 1 GPa, 1000 kg/m3, damped by 0.01 %% in each iteration for 500 ms, then "
         "free for 1000 ms: "
         "frequency over that of the first row, and what Euler and Bernoulli say of that ratio (constant in width, "
         "linear in height, 1/L^2). Last "
         "columns: frequency by Verlet, and over that of the theory.\n\n");
  printf("| beam | [m] | theory | Euler | Verlet | Runge-Kutta 4 | f | f / theory |\n"
         "| --- | --- | --- | --- | --- | --- | --- | --- |\n");
  bool good = row("length 2, height 0.1, width", 0.1, &first, &first, of_first);
  for (int k = 0; k < 3; k++) {
    Beam b = first;
    b.length = lengths[k];
    good = row("length", lengths[k], &b, &first, of_first) && good;
  }
  for (int k = 0; k < 2; k++) {
    Beam b = first;
    b.height = heights[k];
    good = row("height", heights[k], &b, &first, of_first) && good;
  }
  for (int k = 0; k < 2; k++) {
    Beam b = first;
    b.width = widths[k];
    good = row("width", widths[k], &b, &first, of_first) && good;
  }
  return good;
}

static bool energies(bool quick)
{
  static const char *const schemes[] = {"euler", "verlet", "rk4"};
  bool good = true;
  printf(
      "\nEnergy after the release, over 1000 ms: the largest change over the energy, and how far it may go: with "
      "z = h w of each mode, c = h / limit and W = sum of w^2 E = (f M^-1 f + v K v) / 2 at the release, Euler "
      "h sqrt(W E) + h^2 W / (2 (1 - c)), Verlet h^2 W / (4 (1 - c^2)) (both conserve an energy of their own exactly), "
      "Runge-Kutta (N / 72)^(1/3) h^2 W over N iterations (it loses z^6 / 72 in each).\n\n| integrator | change | "
      "bound |\n| --- | --- | --- |\n");
  for (size_t i = 0; i < DV_COUNT(schemes) - quick; i++) {
    Beam b = {.length = 0.5, .height = 0.05, .width = 0.05, .cell = 0.025, .integrator = schemes[i]};
    Motion m = {0};
    if (!vibrate(&b, 1, &m)) return false;
    printf("| %s | %.1e | %.1e |\n", schemes[i], m.drift, m.bound);
    good &= m.drift < m.bound;
  }
  return good;
}

static bool spectra(bool quick)
{
  bool good = true;
  printf("\nFirst natural frequency of the linearised lattice (K u = w^2 M u about where it rests) and that of its "
         "motion. The paper is at 0.56 "
         "%% for the bent beam.\n\n| beam | tip hangs down by | eigenvalue [Hz] | motion [Hz] | difference |\n| --- | "
         "--- | --- | --- | --- |\n");
  for (int k = 0; k < 2 - quick; k++) {
    Beam b = {
        .length = 1, .height = 0.05, .width = 0.1, .cell = 0.025, .integrator = "verlet", .gravity = k ? -600 : 0};
    Motion m = {0};
    if (!vibrate(&b, 1e-3, &m)) return false;
    double difference = m.frequency / m.predicted - 1;
    printf("| %s | %.3f m | %.4f | %.4f | %+.3f %% |\n", k ? "bent far by its weight" : "straight", m.down, m.predicted,
           m.frequency, 100 * difference);
    good &= fabs(difference) < 0.0056;
  }
  return good;
}

bool validate_lattice(bool quick, const char *filter)
{
  bool good = true;
  printf("\n## Lattices of springs\n\n");
  if (!quick && (!filter || strstr("cantilevers", filter))) good = cantilevers();
  if (!filter || strstr("energies", filter)) good = energies(quick) && good;
  if (!filter || strstr("spectra", filter)) good = spectra(quick) && good;
  return good;
}

// The lattice itself: kernels of both layouts and precisions against plain forces, orders of the integrators, conserved
// quantities, the stiffness of a block, any number of threads.
#include "support/check.h"
#include "support/fd.h"
#include "support/scene.h"

#include "lattice/spring_lattice.h"

#include <stdlib.h>
#include <string.h>

typedef struct Block {
  size_t points, springs;
  double *x, *mass;
  int32_t *pairs;
  uint8_t *classes;
} Block;

static const double pitch = 0.1;

// a block of masses on a grid with a hole, so that lines are interrupted
static Block block_create(int nx, int ny, int nz, int classes)
{
  Block b = {0};
  int32_t *number = dv_alloc((size_t)(nx * ny * nz) * sizeof *number);
  b.x = dv_alloc((size_t)(3 * nx * ny * nz) * sizeof *b.x);
  b.mass = dv_alloc((size_t)(nx * ny * nz) * sizeof *b.mass);
  b.pairs = dv_alloc((size_t)(26 * nx * ny * nz) * sizeof *b.pairs);
  b.classes = dv_alloc((size_t)(13 * nx * ny * nz));
  for (int i = 0; i < nx * ny * nz; i++) {
    int at[3] = {i % nx, i / nx % ny, i / nx / ny};
    bool hole = at[0] > 3 && at[0] < nx - 6 && at[1] > 0 && at[1] < ny - 2;
    number[i] = hole ? -1 : (int32_t)b.points;
    if (hole) continue;
    for (int k = 0; k < 3; k++) b.x[3 * b.points + (size_t)k] = pitch * at[k];
    b.mass[b.points++] = 0.1 + 0.01 * (i % 7);
  }
  for (int i = 0; i < nx * ny * nz; i++)
    for (int m = 14; m < 27 && number[i] >= 0; m++) {
      int at[3] = {i % nx + m % 3 - 1, i / nx % ny + m / 3 % 3 - 1, i / nx / ny + m / 9 - 1};
      if (at[0] < 0 || at[1] < 0 || at[0] >= nx || at[1] >= ny || at[2] >= nz) continue;
      int32_t other = number[at[0] + nx * (at[1] + ny * at[2])];
      if (other < 0) continue;
      b.pairs[2 * b.springs] = number[i], b.pairs[2 * b.springs + 1] = other;
      b.classes[b.springs] = (uint8_t)(1 + b.springs % (size_t)classes);
      b.springs++;
    }
  dv_free(number);
  return b;
}

static void block_free(Block *b) { dv_free(b->x), dv_free(b->mass), dv_free(b->pairs), dv_free(b->classes); }

static dvLatticeDef def_of(const Block *b, bool single, bool no_grid)
{
  return (dvLatticeDef){.points = b->points,
                        .springs = b->springs,
                        .rest = b->x,
                        .pairs = b->pairs,
                        .classes = b->classes,
                        .mass = b->mass,
                        .single = single,
                        .no_grid = no_grid};
}

static dvSpringClass class_number(int i, bool plain)
{
  return (dvSpringClass){
      .force = 100 + 10 * i, .reach = 1 + 0.01 * i, .cubic = plain ? 0 : 0.5 * i, .damping = plain ? 0 : 0.3};
}

static double noise(uint64_t *seed)
{
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(*seed >> 33) / 2147483648.0 - 0.5;
}

// forces by the formula, one spring after the other
static void plain_forces(const Block *b, const double *x, const double *v, bool plain, double *f)
{
  memset(f, 0, 3 * b->points * sizeof *f);
  for (size_t i = 0; i < b->springs; i++) {
    dvSpringClass c = class_number(b->classes[i], plain);
    size_t p = 3 * (size_t)b->pairs[2 * i], q = 3 * (size_t)b->pairs[2 * i + 1];
    double d[3], l = 0, r = 0, rate = 0;
    for (int k = 0; k < 3; k++) {
      d[k] = x[q + (size_t)k] - x[p + (size_t)k];
      r += d[k] * d[k];
      l += pow(b->x[q + (size_t)k] - b->x[p + (size_t)k], 2);
    }
    r = sqrt(r), l = sqrt(l);
    for (int k = 0; k < 3; k++) rate += (v[q + (size_t)k] - v[p + (size_t)k]) * d[k] / r;
    double e = r / l - c.reach, pull = c.force * e * (1 + c.cubic * e * e) + c.damping * rate / l;
    for (int k = 0; k < 3; k++) f[p + (size_t)k] += pull * d[k] / r, f[q + (size_t)k] -= pull * d[k] / r;
  }
}

static void compare_forces(bool single, bool no_grid, bool plain, int classes)
{
  Block b = block_create(41, 5, 4, classes);
  dvLatticeDef def = def_of(&b, single, no_grid);
  dvLattice *l = dv_lattice_create(&def);
  assert_non_null(l);
  assert_int_equal(l->grid, !no_grid);
  for (int i = 1; i <= classes; i++) {
    dvSpringClass c = class_number(i, plain);
    dv_lattice_set_class(l, i, &c);
  }
  dv_lattice_set_classes_done(l);
  double *x = dv_alloc(9 * b.points * sizeof *x), *v = x + 3 * b.points, *f = v + 3 * b.points;
  double *g = dv_alloc(3 * b.points * sizeof *g), most = 0;
  uint64_t seed = 1;
  for (size_t i = 0; i < 3 * b.points; i++) x[i] = b.x[i] + 0.3 * pitch * noise(&seed), v[i] = noise(&seed);
  dv_lattice_put_x(l, x);
  dv_lattice_put_v(l, v);
  dv_lattice_forces(l, NULL, f);
  plain_forces(&b, x, v, plain, g);
  for (size_t i = 0; i < 3 * b.points; i++) most = fmax(most, fabs(g[i]));
  for (size_t i = 0; i < 3 * b.points; i++) check_close(f[i], g[i], (single ? 3e-5 : 1e-13) * most);
  dv_free(x), dv_free(g);
  dv_lattice_destroy(&l);
  block_free(&b);
}

static void forces(void **state)
{
  DV_UNUSED(state);
  for (int mask = 0; mask < 16; mask++) compare_forces(mask & 1, mask & 2, mask & 4, mask & 8 ? 40 : 3);
}

// float and double end in the same place; a float keeps what it would lose of positions
static void precisions(void **state)
{
  DV_UNUSED(state);
  Block b = block_create(12, 4, 3, 1);
  double *ends[2], speed = 0;
  for (int single = 0; single < 2; single++) {
    dvLatticeDef def = def_of(&b, single, false);
    dvLattice *l = dv_lattice_create(&def);
    dvSpringClass c = {.force = 1000, .reach = 1};
    dv_lattice_set_class(l, 1, &c);
    dv_lattice_set_classes_done(l);
    for (size_t i = 0; i < b.points; i++)
      if (b.x[3 * i] < 0.01) dv_lattice_hold(l, i, true);
    l->gravity[1] = -10;
    dvLatticeRun run = {.h = 1e-5, .iterations = 10000, .scheme = DV_LATTICE_VERLET};
    assert_true(dv_lattice_advance(l, &run));
    ends[single] = dv_alloc(3 * b.points * sizeof(double));
    dv_lattice_get_x(l, ends[single]);
    dv_lattice_destroy(&l);
  }
  for (size_t i = 0; i < 3 * b.points; i++) speed = fmax(speed, fabs(ends[0][i] - b.x[i]));
  assert_true(speed > 0.01);
  for (size_t i = 0; i < 3 * b.points; i++) check_close(ends[1][i], ends[0][i], 2e-4 * speed);
  for (int k = 0; k < 2; k++) dv_free(ends[k]);
  block_free(&b);
}

// --- integrators ---

// two masses on a spring along x: exact is a cosine
static double oscillator_error(dvLatticeScheme scheme, double h)
{
  double rest[6] = {0, 0, 0, 1, 0, 0}, mass[2] = {1, 1}, x[6] = {-0.05, 0, 0, 1.05, 0, 0}, time = 1;
  int32_t pair[2] = {0, 1};
  uint8_t one = 1;
  dvLatticeDef def = {.points = 2, .springs = 1, .rest = rest, .pairs = pair, .classes = &one, .mass = mass};
  dvLattice *l = dv_lattice_create(&def);
  dvSpringClass c = {.force = 10, .reach = 1};
  dv_lattice_set_class(l, 1, &c);
  dv_lattice_set_classes_done(l);
  dv_lattice_put_x(l, x);
  dvLatticeRun run = {.h = h, .iterations = (long)round(time / h), .scheme = scheme};
  assert_true(dv_lattice_advance(l, &run));
  dv_lattice_get_x(l, x);
  dv_lattice_destroy(&l);
  return fabs(x[3] - (1 + 0.05 * cos(sqrt(20.0) * time)));
}

static void orders(void **state)
{
  DV_UNUSED(state);
  static const struct {
    dvLatticeScheme scheme;
    double order;
  } cases[] = {{DV_LATTICE_EULER, 1}, {DV_LATTICE_FORWARD, 1}, {DV_LATTICE_VERLET, 2}, {DV_LATTICE_RK4, 4}};
  for (size_t i = 0; i < DV_COUNT(cases); i++) {
    double coarse = oscillator_error(cases[i].scheme, 0.01), fine = oscillator_error(cases[i].scheme, 0.005);
    check_close(log2(coarse / fine), cases[i].order, 0.15);
  }
}

// a free block that spins and shakes: momentum, angular momentum, energy
static void conserved(void **state)
{
  DV_UNUSED(state);
  static const double drift[] = {[DV_LATTICE_EULER] = 3e-3, [DV_LATTICE_VERLET] = 1e-4, [DV_LATTICE_RK4] = 1e-7};
  static const dvLatticeScheme schemes[] = {DV_LATTICE_EULER, DV_LATTICE_VERLET, DV_LATTICE_RK4};
  Block b = block_create(9, 4, 4, 2);
  for (size_t s = 0; s < DV_COUNT(schemes); s++) {
    dvLatticeDef def = def_of(&b, false, false);
    dvLattice *l = dv_lattice_create(&def);
    for (int i = 1; i <= 2; i++) {
      dvSpringClass c = {.force = 100 * i, .reach = 1, .cubic = 2};
      dv_lattice_set_class(l, i, &c);
    }
    dv_lattice_set_classes_done(l);
    double *x = dv_alloc(6 * b.points * sizeof *x), *v = x + 3 * b.points, before[7], after[7];
    for (size_t i = 0; i < b.points; i++) {
      const double *p = b.x + 3 * i;
      v[3 * i] = 0.2 - 3 * p[1], v[3 * i + 1] = 3 * p[0], v[3 * i + 2] = 2 * p[0] * p[1];
    }
    dv_lattice_put_v(l, v);
    for (int end = 0; end < 2; end++) {
      double *sum = end ? after : before;
      memset(sum, 0, sizeof before);
      dv_lattice_get_x(l, x);
      dv_lattice_get_v(l, v);
      for (size_t i = 0; i < b.points; i++)
        for (int k = 0; k < 3; k++) {
          size_t k1 = 3 * i + (size_t)((k + 1) % 3), k2 = 3 * i + (size_t)((k + 2) % 3);
          sum[k] += b.mass[i] * v[3 * i + (size_t)k];
          sum[3 + k] += b.mass[i] * (x[k1] * v[k2] - x[k2] * v[k1]);
          sum[6] += 0.5 * b.mass[i] * v[3 * i + (size_t)k] * v[3 * i + (size_t)k];
        }
      sum[6] += dv_lattice_energy(l, x, &def);
      dvLatticeRun run = {.h = 5e-4, .iterations = 4000, .scheme = schemes[s]};
      if (!end) assert_true(dv_lattice_advance(l, &run));
    }
    for (int k = 0; k < 3; k++) check_close(after[k], before[k], 1e-11);
    // Runge-Kutta keeps the turning to its order only
    for (int k = 3; k < 6; k++) check_close(after[k], before[k], schemes[s] == DV_LATTICE_RK4 ? 1e-9 : 1e-11);
    check_close(after[6] / before[6], 1, drift[schemes[s]]);
    dv_free(x);
    dv_lattice_destroy(&l);
  }
  block_free(&b);
}

// --- stiffness ---

// a bar of cubes under uniform strain: force of its cross-section E A e, nothing across
static void stretched_bar(void **state)
{
  DV_UNUSED(state);
  double e = 1e-6, poisson = 0.3168712, young = 1e6;
  fdScene s = fd_open("<Node><DefaultAnimationLoop/><VoxelLattice name='v' boxes='0 0 0 1 0.3 0.2' cell='0.1'/>"
                      "<MechanicalObject name='dofs' position='@v.position'/><SpringLattice name='lattice' "
                      "springs='@v.edges' weights='@v.weights' shares='@v.shares' youngModulus='1e6' massDensity='10' "
                      "volume='@v.volume' substeps='100'/></Node>");
  dvSpringLattice *lattice = (dvSpringLattice *)fd_find(&s, "lattice");
  dvState *state_ = dv_state(fd_find(&s, "dofs"));
  double *x = dv_state_write(state_, DV_X), pull = 0, mass = 0;
  double *f = dv_alloc(3 * state_->count * sizeof *f);
  for (size_t i = 0; i < state_->count; i++) {
    x[3 * i] *= 1 + e;
    for (size_t k = 1; k < 3; k++) x[3 * i + k] *= 1 - poisson * e;
    mass += lattice->mass[i];
  }
  check_close(mass, 10 * 0.06, 1e-12);
  dv_lattice_put_x(lattice->lattice, x);
  dv_lattice_forces(lattice->lattice, NULL, f);
  for (size_t i = 0; i < state_->count; i++) {
    bool end = x[3 * i] > 0.999, begin = x[3 * i] < 1e-9;
    if (end) pull -= f[3 * i];
    else if (!begin) check_close(f[3 * i], 0, 1e-6 * young * 0.06 * e);
    for (size_t k = 1; k < 3; k++)
      check_close(f[3 * i + k], 0, 1e-6 * young * 0.06 * e);   // what is left is quadratic in e
  }
  check_close(pull / (young * 0.06 * e), 1, 1e-5);
  dv_free(f);
  fd_close(&s);
}

static void derivatives(void **state)
{
  DV_UNUSED(state);
  fdScene s =
      fd_open("<Node><DefaultAnimationLoop/><MechanicalObject name='dofs' position='0 0 0 1 0 0 0 1 0 0.2 0.3 1'/>"
              "<SpringLattice name='lattice' springs='0 1 1 2 2 0 0 3 1 3 2 3' stiffness='20' cubic='1.5' "
              "damping='0.4'/></Node>");
  fdOptions o = fd_options();
  o.checks |= FD_SYMMETRY | FD_RIGID | FD_DAMPING;
  o.move_x = 0.2;
  assert_true(fd_check_force(fd_find(&s, "lattice"), &o));
  assert_true(fd_check_mass(fd_find(&s, "lattice"), &o));
  fd_close(&s);
}

// --- threads ---

static uint64_t hash_after(const char *scheme, const char *precision, int threads)
{
  char *text =
      dv_format("<Node dt='0.001'><DefaultAnimationLoop/><VoxelLattice name='v' boxes='0 0 0 1.6 0.4 0.4' cell='0.05'/>"
                "<MechanicalObject name='dofs' position='@v.position'/><SpringLattice springs='@v.edges' "
                "weights='@v.weights' totalMass='20' stiffness='500' substeps='4' integrator='%s' "
                "precision='%s' damping='%s'/><LatticeContact plane='0 1 0 -0.001' staticFriction='0.5'/></Node>",
                scheme, precision, dv_same(scheme, "verlet") ? "0.1" : "0");
  dvScene *scene = check_scene(text, threads);
  check_steps(scene, 30);
  uint64_t hash = dv_scene_hash(scene);
  check_close_scene(&scene);
  dv_free(text);
  return hash;
}

static void any_number_of_threads(void **state)
{
  DV_UNUSED(state);
  static const char *const schemes[] = {"euler", "verlet", "rk4"}, *const precisions_[] = {"double", "float"};
  setenv("DIVAN_HAND_OVER", "0", 1);
  for (int i = 0; i < 6; i++) {
    uint64_t one = hash_after(schemes[i / 2], precisions_[i % 2], 1);
    for (int threads = 2; threads <= 5; threads++)
      assert_int_equal(hash_after(schemes[i / 2], precisions_[i % 2], threads), one);
  }
  unsetenv("DIVAN_HAND_OVER");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(forces),
      cmocka_unit_test(precisions),
      cmocka_unit_test(orders),
      cmocka_unit_test(conserved),
      cmocka_unit_test(stretched_bar),
      cmocka_unit_test(derivatives),
      cmocka_unit_test(any_number_of_threads),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

// divan bench lattice: springs a second of lattices from 1,000 to 10,000,000 springs (lattice/lattice.h).
//
// Voxels: a cube of masses on a grid with all 26 neighbours. Irregular: the same points, each moved by up to 0.3 of the
// pitch and numbered at random, joined with the twelve nearest of their neighbours. Figures: time of an iteration,
// springs a second, memory of masses and springs, what an iteration carries to and from memory (everything once), and
// the part that this is of what the machine can do, by arithmetic (both ends of a spring: 2 x 20 operations, and the
// estimate of a root; floats count half) or transport.
#include "bench.h"

#include "lattice/lattice.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FLOPS = 46, NEAREST = 12 };

typedef struct Subject {
  const char *name;
  bool irregular, single;
  dvLatticeScheme scheme;
  double most;   // springs
} Subject;

typedef struct Lattice {
  dvLatticeDef def;
  double *rest, *mass;
  int32_t *pairs;
  uint8_t *classes;
} Lattice;

static uint64_t next_number(uint64_t *seed)
{
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return *seed >> 33;
}

// --- lattices ------------------------------------------------------------------------------------

static void lattice_free(Lattice *l) { dv_free(l->rest), dv_free(l->mass), dv_free(l->pairs), dv_free(l->classes); }

static bool lattice_begin(Lattice *l, size_t points)
{
  *l = (Lattice){.rest = dv_try_alloc(3 * points * sizeof(double)),
                 .mass = dv_try_alloc(points * sizeof(double)),
                 .pairs = dv_try_alloc(26 * points * sizeof(int32_t)),
                 .classes = dv_try_alloc(13 * points)};
  if (!l->rest || !l->mass || !l->pairs || !l->classes) return false;
  for (size_t i = 0; i < points; i++) l->mass[i] = 0.1;
  memset(l->classes, 1, 13 * points);
  l->def = (dvLatticeDef){.points = points, .rest = l->rest, .mass = l->mass, .pairs = l->pairs, .classes = l->classes};
  return true;
}

static bool neighbour(size_t n, size_t i, int way, size_t *other)
{
  long at[3] = {(long)(i % n) + way % 3 - 1, (long)(i / n % n) + way / 3 % 3 - 1, (long)(i / n / n) + way / 9 - 1};
  for (int k = 0; k < 3; k++)
    if (at[k] < 0 || (size_t)at[k] >= n) return false;
  *other = (size_t)at[0] + n * ((size_t)at[1] + n * (size_t)at[2]);
  return true;
}

static double distance2(const double *a, const double *b)
{
  return (a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]);
}

// whether `other` is among the nearest of the neighbours of i; equals count by number
static bool is_near(const double *x, size_t n, size_t i, size_t other)
{
  double mine = distance2(x + 3 * i, x + 3 * other);
  int nearer = 0;
  for (int way = 0; way < 27; way++) {
    size_t k;
    if (way == 13 || !neighbour(n, i, way, &k) || k == other) continue;
    double d = distance2(x + 3 * i, x + 3 * k);
    nearer += d < mine || (d == mine && k < other);
  }
  return nearer < NEAREST;
}

static bool lattice_make(Lattice *l, size_t n, bool irregular)
{
  size_t points = n * n * n, other;
  uint64_t seed = 1;
  double *x = dv_try_alloc(3 * points * sizeof *x);
  int32_t *number = dv_try_alloc(points * sizeof *number);
  bool good = lattice_begin(l, points) && x && number;
  for (size_t i = 0; good && i < points; i++) {
    size_t at[3] = {i % n, i / n % n, i / n / n};
    for (size_t k = 0; k < 3; k++)
      x[3 * i + k] = 0.01 * ((double)at[k] + (irregular ? 0.6 * ((double)next_number(&seed) / 2147483648.0 - 0.5) : 0));
    number[i] = (int32_t)i;
  }
  for (size_t i = points; good && irregular && i-- > 1;) {
    size_t k = (size_t)next_number(&seed) % (i + 1);
    int32_t t = number[i];
    number[i] = number[k], number[k] = t;
  }
  for (size_t i = 0; good && i < points; i++) {
    memcpy(l->rest + 3 * (size_t)number[i], x + 3 * i, 3 * sizeof *x);
    for (int way = 14; way < 27; way++) {
      if (!neighbour(n, i, way, &other)) continue;
      if (irregular && !is_near(x, n, i, other) && !is_near(x, n, other, i)) continue;
      l->pairs[2 * l->def.springs] = number[i];
      l->pairs[2 * l->def.springs++ + 1] = number[other];
    }
  }
  dv_free(x);
  dv_free(number);
  return good;
}

// --- measuring -----------------------------------------------------------------------------------

typedef struct Timed {
  dvLattice *l;
  dvLatticeRun run;
} Timed;

static void advance(void *user)
{
  Timed *t = user;
  if (!dv_lattice_advance(t->l, &t->run)) t->run.iterations = 0;
}

static json_t *measure(const Subject *s, Lattice *lattice, const dvMachine *limits, dvPool *pool)
{
  lattice->def.single = s->single;
  Timed t = {.l = dv_lattice_create(&lattice->def), .run = {.h = 1e-6, .scheme = s->scheme, .pool = pool}};
  if (!t.l) return NULL;
  dvSpringClass c = {.force = 100, .reach = 1};
  dv_lattice_set_class(t.l, 1, &c);
  dv_lattice_set_classes_done(t.l);
  double springs = (double)lattice->def.springs;
  t.run.iterations = (long)fmax(1, 5e5 / springs);
  double evaluations =
      (double)t.run.iterations * (s->scheme == DV_LATTICE_RK4 ? 4 : 1) + (s->scheme == DV_LATTICE_VERLET);
  double seconds = dv_best_seconds(advance, &t, 0, 0.8) / (double)t.run.iterations;
  double real = s->single ? 4 : 8, bytes = (double)t.l->bytes / springs;
  // an iteration reads all there is and writes positions, velocities and forces
  double carried = (double)t.l->bytes + 9 * real * (double)t.l->slots;
  double compute = springs * FLOPS * (s->single ? 0.5 : 1) / (1e9 * limits->gflops);
  double transport = carried / (1e9 * dv_machine_gbytes(limits, (double)t.l->bytes, false));
  json_t *j =
      json_pack("{s:s,s:i,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:s}", "name", s->name, "threads", limits->threads, "springs",
                bench_number(springs), "masses", bench_number((double)t.l->points), "ms", bench_number(1e3 * seconds),
                "gsprings", bench_number(springs * evaluations / (double)t.run.iterations / seconds / 1e9), "bytes",
                bench_number(bytes), "gbytes", bench_number(carried / seconds / 1e9), "of_limit",
                bench_number(fmax(compute, transport) * evaluations / (double)t.run.iterations / seconds), "limit",
                compute > transport ? "arithmetic" : "transport");
  dv_lattice_destroy(&t.l);
  return j;
}

json_t *bench_lattice(const Bench *b)
{
  static const Subject subjects[] = {
      {"voxels, float, euler", false, true, DV_LATTICE_EULER, 1e9},
      {"voxels, float, verlet", false, true, DV_LATTICE_VERLET, 1e9},
      {"voxels, float, rk4", false, true, DV_LATTICE_RK4, 2e6},
      {"voxels, double, verlet", false, false, DV_LATTICE_VERLET, 2e6},
      {"irregular, float, euler", true, true, DV_LATTICE_EULER, 1e9},
      {"irregular, float, verlet", true, true, DV_LATTICE_VERLET, 1e9},
      {"irregular, double, verlet", true, false, DV_LATTICE_VERLET, 2e6},
  };
  static const size_t sides[] = {5, 10, 20, 43, 92};   // of voxels; irregular ones have more masses for as many springs
  json_t *list = json_array();
  for (int t = 0; t < b->thread_counts; t++) {
    dvPool *pool = b->threads[t] > 1 ? dv_pool_create(b->threads[t]) : NULL;
    dvMachine limits;
    dv_machine_measure(&limits, pool);
    for (int irregular = 0; irregular < 2; irregular++)
      for (size_t k = 0; k < DV_COUNT(sides); k++) {
        size_t n = irregular ? (size_t)((double)sides[k] * 1.17) : sides[k];
        Lattice lattice;
        bool made = false;
        for (size_t s = 0; s < DV_COUNT(subjects); s++) {
          const Subject *subject = &subjects[s];
          if (subject->irregular != (irregular == 1) || !bench_wants(b, subject->name)) continue;
          if (!made && !lattice_make(&lattice, n, irregular)) break;
          made = true;
          if ((double)lattice.def.springs > subject->most) continue;
          bench_progress("%s, %zu springs, %d threads", subject->name, lattice.def.springs, b->threads[t]);
          json_t *j = measure(subject, &lattice, &limits, pool);
          if (j) json_array_append_new(list, j);
        }
        if (made) lattice_free(&lattice);
      }
    dv_pool_destroy(&pool);
  }
  return list;
}

void bench_print_lattice(const json_t *list)
{
  size_t i;
  const json_t *j;
  if (json_array_size(list) == 0) return;
  printf("\n%-26s %2s %9s %9s %10s %17s %9s %8s %9s  %s\n", "lattice", "t", "masses", "springs", "ms", "", "B/spring",
         "GB/s", "of limit", "limited by");
  json_array_foreach(list, i, j)
  {
    printf("%-26s %2d %9.0f %9.0f %10.4g %7.3f Gsprings/s %8.1f %8.1f %8.0f%%  %s\n",
           json_string_value(json_object_get(j, "name")), (int)json_integer_value(json_object_get(j, "threads")),
           json_number_value(json_object_get(j, "masses")), json_number_value(json_object_get(j, "springs")),
           json_number_value(json_object_get(j, "ms")), json_number_value(json_object_get(j, "gsprings")),
           json_number_value(json_object_get(j, "bytes")), json_number_value(json_object_get(j, "gbytes")),
           100 * json_number_value(json_object_get(j, "of_limit")), json_string_value(json_object_get(j, "limit")));
  }
}

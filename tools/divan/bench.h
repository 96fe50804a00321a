// The parts of `divan bench`. Results are JSON values from the start: what is printed, compared, stored and put into
// the report is one and the same.
#ifndef DIVAN_BENCH_H
#define DIVAN_BENCH_H

#include "command.h"

#include "app/machine.h"

#include <jansson.h>

enum { BENCH_THREADS = 8 };

typedef struct Bench {
  bool scenes, kernels, growth, linear, collision, constraint, topology, lattice, robot, haptics, anatomy, heart, fluid;
  const char *corpus, *list, *filter, *json, *compare, *html, *from;
  int repeats;
  int threads[BENCH_THREADS], thread_counts;
  double timeout;   // seconds a run may take
  char *own_list;   // the list of scenes, where it is
  char *scratch;    // directory for what the runs leave behind
} Bench;

// --- measuring: each gives an array ---

json_t *bench_scenes(const Bench *b);
// Where the list of scenes is: --list, or bench/scenes.tsv here, of the installation or of the source tree. NULL after
// a message. The caller frees it.
char *bench_find_list(const Bench *b);
json_t *bench_kernels(const Bench *b);
json_t *bench_growth(const Bench *b);
json_t *bench_collision(const Bench *b);
json_t *bench_constraint(const Bench *b);
json_t *bench_topology(const Bench *b);
json_t *bench_lattice(const Bench *b);
void bench_print_lattice(const json_t *list);
json_t *bench_robot(const Bench *b);
void bench_print_robot(const json_t *all);
json_t *bench_haptics(const Bench *b);
void bench_print_haptics(const json_t *all);
json_t *bench_anatomy(const Bench *b);
void bench_print_anatomy(const json_t *all);
json_t *bench_heart(const Bench *b);
void bench_print_heart(const json_t *all);
json_t *bench_fluid(const Bench *b);
json_t *bench_machine(void);

bool bench_wants(const Bench *b, const char *name);               // --filter; nothing after an interruption
void bench_progress(const char *format, ...) DV_PRINTF(1, 2);     // one line on a terminal, overwritten by the next
double bench_exponent(const double *x, const double *y, int n);   // p of y ~ x^p
// Times something at several sizes: `measure` gives ms, below 0 when it does not run, and how many contacts there were.
enum { BENCH_SIZES = 5 };
typedef double (*BenchMeasure)(const void *subject, size_t size, int threads, size_t *contacts);
json_t *bench_over_sizes(const Bench *b, const char *name, const char *per, const size_t sizes[BENCH_SIZES],
                         int threads, BenchMeasure measure, const void *subject);
// Rounds to five digits, to keep files short.
json_t *bench_number(double value);

// --- telling ---

void bench_print(const json_t *result);
void bench_print_comparison(const json_t *before, const json_t *now);
dvStatus bench_write_json(const char *path, const json_t *result);
dvStatus bench_write_html(const char *path, const json_t *result);

// --- boxes of tetrahedra, every cell cut in six ---

typedef struct Box {
  size_t points, count;
  double *position;   // cells are cubes of width 0.1
  int32_t *tetrahedra;
} Box;

Box box_create(int nx, int ny, int nz);
void box_free(Box *box);
// Writes DIRECTORY/NAME.msh and NAME.scn: a box held at one end that bends under its weight. With `points` a second
// state that the box moves: as many points as it has, between them. Returns the path of the scene; the caller frees it.
char *box_write_scene(const Box *box, const char *directory, const char *name, bool points);

#endif

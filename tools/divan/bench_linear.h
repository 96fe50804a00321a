// What the files of `divan bench linear` share.
#ifndef DIVAN_BENCH_LINEAR_H
#define DIVAN_BENCH_LINEAR_H

#include "bench.h"

#include "math/block_matrix.h"

// Matrices with their solvers, fronts, and figures with their aims.
json_t *bench_linear(const Bench *b);
void bench_print_linear(const json_t *linear);
void bench_print_figures(const json_t *figures);

// A number of a group of them; sign 1: at least `aim`, -1: at most, 0: without an aim.
void add_figure(json_t *out, const char *group, const char *name, double value, const char *unit, int sign, double aim);
// Constraints through a factor that is computed beside the steps.
void bench_async_compliance(const Bench *b, json_t *figures);
// The stiffness of a grid of that many points a side, the second half of the cells `stiff` times stiffer. False when
// memory is short.
bool elastic_matrix(dvBlockMatrix *m, const int *points, double stiff);

#endif

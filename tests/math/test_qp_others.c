// Random quadratic programs, solved here and by CLP and NLopt, where these were found when Divan was built
// (oracle_quadratic). Both are less exact than what they are compared with: CLP's simplex method for quadratic
// objectives stops early or not at all on some degenerate problems, NLopt's SLSQP too. So of each problem it is asked
// that
//
//   solved:              one of them has the same objective to 1e-9, and none has a point that is allowed and lower
//   without a solution:  CLP says so, and none has a point that is allowed
//   without an end:      CLP has points that are allowed, and it goes down from them along the direction that was found
//
// and that they fail on few. A thousand problems; DIVAN_QP_PROBLEMS=10000 for as many.
#include "math/qp_problems.h"

#include "base/base.h"
#include "base/text.h"

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { OTHERS = 2, SAYS_SOLVED = 0, SAYS_INFEASIBLE = 1, SAYINGS = 4 };

static void make_problem(dvQp *q, uint64_t *seed, int number)
{
  size_t most = number % 5 == 0 ? MOST : number % 2 ? 3 : 8, n = 1 + choose(seed, most);
  make(q, seed, n, choose(seed, 2 * most));
  for (size_t i = 0; number % 7 == 0 && i < n; i++) q->g2.data[i * n + i] += 1e-3;   // what had no end has one
  if (q->rows) memset(q->side.data, 0, q->rows);
}

static void write_problem(FILE *f, const dvQp *q)
{
  size_t n = q->variables, m = q->rows;
  fwrite((int64_t[]){(int64_t)n, (int64_t)m}, sizeof(int64_t), 2, f);
  fwrite(q->g2.data, sizeof(double), n * n, f);
  fwrite(q->g.data, sizeof(double), n, f);
  if (!m) return;
  fwrite(q->c.data, sizeof(double), m * n, f);
  fwrite(q->low.data, sizeof(double), m, f);
  fwrite(q->high.data, sizeof(double), m, f);
}

// within its rows, to 1e-9 of their lengths and the rounding of their sums; far away, rounding would allow everything
static bool is_allowed(const dvQp *q, const double *x)
{
  size_t n = q->variables;
  if (!(product(x, x, n) < 1e16)) return false;
  for (size_t r = 0; r < q->rows; r++) {
    const double *c = q->c.data + r * n;
    double value = product(c, x, n), size = sqrt(product(c, c, n)), small = 1e-9 * size;
    for (size_t i = 0; i < n; i++) small = fmax(small, 1e-14 * fabs(c[i] * x[i]));
    if (!(value >= q->low.data[r] - small && value <= q->high.data[r] + small)) return false;
  }
  return true;
}

static double processor_time(void)
{
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct Tally {
  size_t said[OTHERS][3][SAYINGS];   // of those that are solved, without a solution, without an end here
  size_t same[OTHERS], higher[OTHERS], confirmed, down;
  double worst[OTHERS], longest;
  int changes;
} Tally;

// whether the other one has the same; fails where it has a better one
static bool same_objective(const dvQp *q, Tally *t, int other, int said, const double *x, int number)
{
  double here = q->objective, scale = fmax(1, fabs(here)), apart = (objective(q, x) - here) / scale;
  if (!is_allowed(q, x)) return false;
  if (apart < -1e-9)
    fail_msg("problem %d: %.17g here, and %s has %.17g", number, here, other ? "NLopt" : "CLP", objective(q, x));
  bool same = apart <= 1e-9;
  if (said == SAYS_SOLVED) t->same[other] += same, t->higher[other] += !same;
  if (same) t->worst[other] = fmax(t->worst[other], fabs(apart));
  return same;
}

// (a point that is very far away says nothing: there the curvature that rounding leaves along the direction counts)
static void goes_down(const dvQp *q, Tally *t, int other, int said, const double *x, int number)
{
  size_t n = q->variables;
  double further[MOST], far = 0;
  bool good = product(q->g.data, q->x.data, n) < 0;
  if (other == 0 && said == SAYS_INFEASIBLE) fail_msg("problem %d: no end here, and CLP finds no solution", number);
  for (size_t i = 0; i < n; i++) {
    good = good && fabs(product(q->g2.data + i * n, q->x.data, n)) < 1e-6;
    far = fmax(far, fabs(x[i])), further[i] = x[i] + q->x.data[i];
  }
  if (far < 1000 && is_allowed(q, x)) {
    t->down++;
    good = good && is_allowed(q, further) && objective(q, further) < objective(q, x);
  }
  if (!good) fail_msg("problem %d: the direction without an end is none", number);
}

static void compare(FILE *answers, dvQp *q, Tally *t, int number)
{
  double begin = processor_time();
  dvQpAnswer answer = dv_qp_solve(q);
  t->longest = fmax(t->longest, processor_time() - begin);
  t->changes = q->changes > t->changes ? q->changes : t->changes;
  assert_true(answer == DV_QP_SOLVED || answer == DV_QP_INFEASIBLE || answer == DV_QP_UNBOUNDED);
  bool confirmed = false;
  for (int other = 0; other < OTHERS; other++) {
    int said;
    double x[MOST];
    assert_int_equal(fscanf(answers, "%d", &said), 1);
    assert_true(said >= 0 && said < SAYINGS);
    for (size_t i = 0; i < q->variables; i++) assert_int_equal(fscanf(answers, "%lf", &x[i]), 1);
    t->said[other][answer][said]++;
    if (answer == DV_QP_SOLVED) confirmed = same_objective(q, t, other, said, x, number) || confirmed;
    if (answer == DV_QP_UNBOUNDED) goes_down(q, t, other, said, x, number);
    if (answer != DV_QP_INFEASIBLE) continue;
    if (is_allowed(q, x)) fail_msg("problem %d: no solution here, and %s has one", number, other ? "NLopt" : "CLP");
    confirmed = confirmed || (other == 0 && said == SAYS_INFEASIBLE);
  }
  if (!confirmed && answer != DV_QP_UNBOUNDED) fail_msg("problem %d: nobody has the same answer", number);
  t->confirmed += confirmed;
}

static void print_table(const Tally *t, int problems)
{
  static const char *const answers[] = {"solved", "without a solution", "without an end"};
  printf("%-20s %-10s %8s %12s %12s %8s\n", "here", "by", "solved", "infeasible", "unbounded", "no end");
  for (int a = 0; a < 3; a++)
    for (int k = 0; k < OTHERS; k++)
      printf("%-20s %-10s %8zu %12zu %12zu %8zu\n", answers[a], k ? "NLopt" : "CLP", t->said[k][a][0], t->said[k][a][1],
             t->said[k][a][2], t->said[k][a][3]);
  for (int k = 0; k < OTHERS; k++)
    printf("%s: %zu the same objective, %.2g apart at most; %zu higher than here\n", k ? "NLopt" : "CLP", t->same[k],
           t->worst[k], t->higher[k]);
  printf("%d problems: %zu confirmed, %zu points from which it goes down without an end; at most %d changes of the "
         "active set and %.3g ms of processor time each\n",
         problems, t->confirmed, t->down, t->changes, 1e3 * t->longest);
}

static void beside_others(void **state)
{
  DV_UNUSED(state);
  const char *wanted = getenv("DIVAN_QP_PROBLEMS");
  int problems = wanted ? atoi(wanted) : 1000;
  char *oracle = dv_format("%.*soracle_quadratic", (int)(strrchr(DIVAN_BINARY, '/') + 1 - DIVAN_BINARY), DIVAN_BINARY);
  if (access(oracle, X_OK) != 0) {
    printf("oracle_quadratic was not built: CLP and NLopt are not asked\n");
    dv_free(oracle);
    skip();
  }
  char path[] = "/tmp/divan-quadratic-XXXXXX";
  int file = mkstemp(path);
  assert_true(file >= 0);
  FILE *f = fdopen(file, "wb");
  dvQp q = {0};
  uint64_t seed = 1983;
  for (int i = 0; i < problems; i++) make_problem(&q, &seed, i), write_problem(f, &q);
  fclose(f);
  char *command = dv_format("%s %s", oracle, path);
  f = popen(command, "r");
  assert_non_null(f);
  Tally t = {0};
  seed = 1983;
  for (int i = 0; i < problems; i++) make_problem(&q, &seed, i), compare(f, &q, &t, i);
  pclose(f);
  unlink(path);
  print_table(&t, problems);
  dv_qp_free(&q);
  dv_free(command), dv_free(oracle);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(beside_others)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

// See ordering_metis.h.
#include "linear/direct/ordering_metis.h"

#ifdef DV_HAVE_METIS

#include <metis.h>
#include <pthread.h>

_Static_assert(sizeof(idx_t) == sizeof(int32_t), "METIS must be built with 32-bit indices");

bool dv_order_has_metis(void) { return true; }

// neighbours on both sides of the diagonal, without the row itself
static bool take_graph(const dvPattern *a, idx_t *start, idx_t **list)
{
  dvPattern t = {0};
  if (!dv_pattern_transpose(&t, a, NULL)) return false;
  *list = dv_try_alloc((2 * dv_pattern_count(a) + 1) * sizeof **list);
  idx_t count = 0;
  for (size_t i = 0; *list && i < a->rows; i++) {
    start[i] = count;
    int32_t x = a->row_start[i], x_end = a->row_start[i + 1], y = t.row_start[i], y_end = t.row_start[i + 1];
    while (x < x_end || y < y_end) {   // both are ascending
      int32_t left = x < x_end ? a->col[x] : INT32_MAX, right = y < y_end ? t.col[y] : INT32_MAX,
              j = left < right ? left : right;
      x += left == j;
      y += right == j;
      if (j != (int32_t)i) (*list)[count++] = j;
    }
  }
  start[a->rows] = count;
  dv_pattern_free(&t);
  return *list != NULL;
}

// perm: nested dissection; with levels > 0 sizes (2^(levels + 1) - 1) gets how many of it are in each part, then in
// what separates pairs of parts, pairs of these, and so on
static bool dissect(const dvPattern *a, int levels, int32_t *perm, idx_t *sizes)
{
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;   // METIS draws its random numbers from rand()
  idx_t n = (idx_t)a->rows, *list = NULL, options[METIS_NOPTIONS];
  if (n < 2) return false;
  idx_t *start = dv_try_alloc((size_t)(2 * n + 1) * sizeof *start), *inverse = start ? start + n + 1 : NULL;
  bool good = start && take_graph(a, start, &list) && start[n] > 0;
  if (good) {
    METIS_SetDefaultOptions(options);
    options[METIS_OPTION_NUMBERING] = 0;
    options[METIS_OPTION_SEED] = 1;
    pthread_mutex_lock(&lock);
    good = METIS_OK == (levels > 0 ? METIS_NodeNDP(n, start, list, NULL, 1 << levels, options, perm, inverse, sizes)
                                   : METIS_NodeND(&n, start, list, NULL, options, perm, inverse));
    pthread_mutex_unlock(&lock);
  }
  dv_free(start);
  dv_free(list);
  return good;
}

bool dv_order_metis(const dvPattern *a, int32_t *perm) { return dissect(a, 0, perm, NULL); }

bool dv_order_metis_stages(const dvPattern *a, int levels, unsigned char *stage)
{
  size_t sets = ((size_t)2 << levels) - 1, at = 0;
  idx_t *sizes = dv_try_alloc(2 * sets * sizeof *sizes);
  int32_t *perm = dv_try_alloc((a->rows + 1) * sizeof *perm);
  bool good = sizes && perm && dissect(a, levels, perm, sizes);
  for (size_t k = 0, level = 0, of = (size_t)1 << levels; good && k < sets; level++, of /= 2)
    for (size_t end = k + of; k < end; k++)
      for (idx_t i = 0; i < sizes[k] && at < a->rows; i++) stage[perm[at++]] = (unsigned char)level;
  dv_free(sizes);
  dv_free(perm);
  return good && at == a->rows;
}

#else

bool dv_order_has_metis(void) { return false; }

bool dv_order_metis(const dvPattern *a, int32_t *perm)
{
  DV_UNUSED(a), DV_UNUSED(perm);
  return false;
}

bool dv_order_metis_stages(const dvPattern *a, int levels, unsigned char *stage)
{
  DV_UNUSED(a), DV_UNUSED(levels), DV_UNUSED(stage);
  return false;
}

#endif

// Memory of a grid. See cells.h.
#include "fluid/cells/cells.h"

enum { ROWS = 16 };

#define ROOM(array, n) (dv_array_free(&c->array), dv_try_reserve(&c->array, (n)) && (c->array.count = (n), true))

bool dv_cells_open(dvCells *c, const int n[3])
{
  double all = (double)n[0] * n[1] * n[2];
  if (!(all <= DV_CELLS_MOST)) return false;
  memcpy(c->n, n, sizeof c->n);
  c->axes = n[2] > 1 ? 3 : 2;
  c->count = (size_t)n[0] * (size_t)n[1] * (size_t)n[2];
  c->stride[0] = 1;
  c->stride[1] = (size_t)n[0];
  c->stride[2] = c->axes == 3 ? (size_t)n[0] * (size_t)n[1] : 0;
  size_t m = c->count, rows = (size_t)n[1] * (size_t)n[2];
  if (!(ROOM(u, 3 * m) && ROOM(phi, m) && ROOM(press, m) && ROOM(bent, m) && ROOM(solid, m) && ROOM(push, 3 * m) &&
        ROOM(open, 3 * m) && ROOM(next, 3 * m) && ROOM(spare, 3 * m) && ROOM(rhs, m) && ROOM(way, m) &&
        ROOM(image, m) && ROOM(kind, m) && ROOM(known, 3 * m) && ROOM(loose, m) && ROOM(queue, m) &&
        ROOM(parts, 2 * rows) && dv_mg_open(&c->mg, n)))
    return false;
  memset(c->u.data, 0, 3 * m * sizeof *c->u.data);
  memset(c->press.data, 0, m * sizeof *c->press.data);
  memset(c->bent.data, 0, m * sizeof *c->bent.data);
  memset(c->push.data, 0, 3 * m * sizeof *c->push.data);
  memset(c->known.data, 0, 3 * m);
  memset(c->loose.data, 0, m);
  for (size_t i = 0; i < m; i++) c->solid.data[i] = DV_CELLS_BAND, c->phi.data[i] = -DV_CELLS_BAND;
  return true;
}

void dv_cells_free(dvCells *c)
{
  dv_array_free(&c->u), dv_array_free(&c->phi), dv_array_free(&c->press), dv_array_free(&c->bent);
  dv_array_free(&c->solid), dv_array_free(&c->push), dv_array_free(&c->open);
  dv_array_free(&c->next), dv_array_free(&c->spare), dv_array_free(&c->rhs), dv_array_free(&c->way);
  dv_array_free(&c->image), dv_array_free(&c->kind), dv_array_free(&c->known), dv_array_free(&c->queue);
  dv_array_free(&c->parts), dv_array_free(&c->loose);
  dv_mg_free(&c->mg);
}

void dv_cells_rows(const dvCells *c, double ns, dvBody body, void *user)
{
  dv_parallel_for(dv_pool_for(c->pool, ns * (double)c->count), (size_t)c->n[1] * (size_t)c->n[2], ROWS, body, user);
}

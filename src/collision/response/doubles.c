// See response.h. Places are looked for in a table of cells: those of a contact and, near their borders, the cells
// beside them.
#include "collision/response/response.h"

static const double near = 1e-4, cell_width = 1e-2;
enum { FEW = 16 };   // so many are looked through one by one

static double square_apart(const double *a, const double *b)
{
  double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
  return x * x + y * y + z * z;
}

static bool is_same(const dvContact *a, const dvContact *b)
{
  double first = square_apart(a->point[0], b->point[0]);
  return first < near * near && first + square_apart(a->point[1], b->point[1]) < near * near;
}

static bool is_among(const dvDoubles *d, const dvContactList *list, const dvContact *c)
{
  for (size_t k = 0; k < d->kept.count; k++)
    if (is_same(c, &list->contacts.data[d->kept.data[k]])) return true;
  return false;
}

// Cells count from far out, so that cutting off digits rounds down. Those still farther out share a number, which costs
// time alone.
static int64_t cell_of(double x)
{
  const double far = 1e12;
  double cell = x * (1 / cell_width) + far;
  return cell > 0 && cell < 2 * far ? (int64_t)cell : 0;
}

static size_t slot_of(const dvDoubles *d, const int64_t cell[3])
{
  uint64_t hash = (uint64_t)cell[0] * 0x9e3779b97f4a7c15u;
  hash = (hash ^ (uint64_t)cell[1]) * 0xbf58476d1ce4e5b9u;
  hash = (hash ^ (uint64_t)cell[2]) * 0x94d049bb133111ebu;
  return (size_t)(hash >> 20) & (d->slots.count - 1);
}

static bool is_in_slot(const dvDoubles *d, const dvContactList *list, const dvContact *c, size_t slot)
{
  for (size_t k = d->slots.data[slot]; k; k = d->next.data[k - 1])
    if (is_same(c, &list->contacts.data[d->kept.data[k - 1]])) return true;
  return false;
}

static bool is_near(const dvDoubles *d, const dvContactList *list, const dvContact *c)
{
  int64_t low[3], high[3], cell[3];
  for (int k = 0; k < 3; k++) {
    low[k] = cell_of(c->point[0][k] - near);
    high[k] = cell_of(c->point[0][k] + near);
    if (high[k] < low[k] || high[k] > low[k] + 1 || low[k] == 0) return is_among(d, list, c);   // far out
  }
  for (cell[0] = low[0]; cell[0] <= high[0]; cell[0]++)
    for (cell[1] = low[1]; cell[1] <= high[1]; cell[1]++)
      for (cell[2] = low[2]; cell[2] <= high[2]; cell[2]++)
        if (is_in_slot(d, list, c, slot_of(d, cell))) return true;
  return false;
}

void dv_doubles_drop(dvDoubles *d, const dvContactList *list)
{
  size_t count = list->contacts.count, room = 1;
  while (room < 2 * count) room *= 2;
  d->kept.count = d->slots.count = d->next.count = 0;
  if (count > FEW) dv_array_resize(&d->slots, room);
  for (size_t i = 0; i < count; i++) {
    const dvContact *c = &list->contacts.data[i];
    if (count > FEW ? is_near(d, list, c) : is_among(d, list, c)) continue;
    dv_push(&d->kept, i);
    if (count <= FEW) continue;
    const int64_t cell[3] = {cell_of(c->point[0][0]), cell_of(c->point[0][1]), cell_of(c->point[0][2])};
    size_t *slot = &d->slots.data[slot_of(d, cell)];
    dv_push(&d->next, *slot);
    *slot = d->kept.count;
  }
}

void dv_doubles_free(dvDoubles *d)
{
  dv_array_free(&d->kept);
  dv_array_free(&d->slots);
  dv_array_free(&d->next);
  dv_array_free(&d->fate);
}

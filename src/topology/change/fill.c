// See fill.h.
#include "topology/change/fill.h"

#include "topology/change/element_data.h"
#include "topology/change/journal.h"

typedef struct dvFills {
  dvElementData data;
  DV_ARRAY(dvCellFill) cells;
} dvFills;

static void fills_remade(void *user, size_t rows)
{
  dvFills *f = user;
  f->cells.count = 0;
  for (size_t i = 0; i < rows; i++) dv_push(&f->cells, dv_cell_full);
}

static void fills_create(void *user, const dvNewElement *e)
{
  dvFills *f = user;
  if (!e->ancestor_count && e->row < f->cells.count) f->cells.data[e->row] = dv_cell_full;
}

static dvFills *fills_of(dvTopology *t)
{
  dvFills **at = dv_topology_fills(t);
  if (*at) return *at;
  dvFills *f = *at = dv_alloc(sizeof *f);
  fills_remade(f, dv_topology_count(t, DV_HEXAHEDRON));
  dv_element_data_init(&f->data, NULL, t, DV_HEXAHEDRON);
  dv_element_data_add_array(&f->data, &f->cells);
  f->data.user = f;
  f->data.create = fills_create;
  f->data.remade = fills_remade;
  return f;
}

const dvCellFill *dv_topology_fill_of(const dvTopology *t, size_t hexahedron)
{
  dvFills **at = dv_topology_fills(t), *f = at ? *at : NULL;
  return f && hexahedron < f->cells.count ? &f->cells.data[hexahedron] : &dv_cell_full;
}

double dv_topology_filled(const dvTopology *t, dvElementKind kind, size_t element)
{
  return t && kind == DV_HEXAHEDRON ? dv_topology_fill_of(t, element)->share : 1;
}

bool dv_topology_has_fills(const dvTopology *t)
{
  dvFills **at = dv_topology_fills(t);
  return at && *at;
}

dvStatus dv_topology_fill(dvTopology *t, const int32_t *hexahedra, const dvCellFill *fills, size_t count)
{
  DV_TRY(dv_topology_first_change(t));
  size_t existing = dv_topology_count(t, DV_HEXAHEDRON);
  for (size_t i = 0; i < count; i++) {
    if (hexahedra[i] >= 0 && (size_t)hexahedra[i] < existing && fills[i].share >= 0 && fills[i].share <= 1 &&
        fills[i].voxels)
      continue;
    dv_warning(&t->base, "the mesh stays as it is", "hexahedron %d of %zu cannot be filled by %g", hexahedra[i],
               existing, fills[i].share);
    return DV_ERROR_USAGE;
  }
  dvFills *f = fills_of(t);
  for (size_t i = 0; i < count; i++) f->cells.data[hexahedra[i]] = fills[i];
  dv_topology_note_fill(t, hexahedra, fills, count);
  return DV_OK;
}

void dv_fills_free(dvFills **fills)
{
  dvFills *f = *fills;
  if (!f) return;
  *fills = NULL;
  dv_element_data_fini(&f->data);
  dv_array_free(&f->cells);
  dv_free(f);
}

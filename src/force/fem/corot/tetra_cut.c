// See tetra_cut.h.
#include "force/fem/corot/tetra_cut.h"

#include "topology/change/trace.h"

#include <string.h>

void dv_tetra_cut_free(dvTetraCut *c)
{
  dv_ints_free(&c->tetrahedra);
  dv_ints_free(&c->mirrors);
  dv_array_free(&c->rows);
  dv_array_free(&c->steps);
}

static void swap_ends(int32_t c[8], const int pairs[4][2])
{
  for (int i = 0; i < 4; i++) {
    int32_t p = c[pairs[i][0]];
    c[pairs[i][0]] = c[pairs[i][1]];
    c[pairs[i][1]] = p;
  }
}

void dv_tetra_cut_cell(const int32_t cell[8], int32_t mirrors, int32_t out[24])
{
  static const int along_x[4][2] = {{0, 1}, {3, 2}, {4, 5}, {7, 6}}, along_y[4][2] = {{0, 3}, {1, 2}, {4, 7}, {5, 6}};
  static const int along_z[4][2] = {{0, 4}, {1, 5}, {2, 6}, {3, 7}};
  static const int corners[6][4] = {{0, 5, 1, 6}, {0, 1, 3, 6}, {1, 3, 6, 2}, {6, 3, 0, 7}, {6, 7, 0, 5}, {7, 5, 4, 0}};
  int32_t c[8];
  memcpy(c, cell, sizeof c);
  if (mirrors & 1) swap_ends(c, along_x);
  if (mirrors & 2) swap_ends(c, along_y);
  if (mirrors & 4) swap_ends(c, along_z);
  for (int k = 0; k < 24; k++) out[k] = c[corners[k / 4][k % 4]];
}

// Cells of a grid along x and y; SOFA takes 2 and 1 for a mesh that is no grid.
static void grid_cells(const dvTopology *t, size_t *nx, size_t *ny)
{
  *nx = 2;
  *ny = 1;
  const dvField *n = dv_object_field(&t->base, "n");
  if (!n || n->desc->type != DV_T_IVEC || n->width != 3 || !dv_object_field(&t->base, "computeHexaList")) return;
  const int32_t *points = n->value;
  *nx = (size_t)dv_max_int(points[0] - 1, 1);
  *ny = (size_t)dv_max_int(points[1] - 1, 1);
}

// cells that a grid makes anew; later ones are like their ancestors
static bool find_mirrors(dvTetraCut *c, const dvTopology *t, size_t cells)
{
  size_t nx, ny;
  if (t->kept && c->mirrors.count == cells) return true;
  grid_cells(t, &nx, &ny);
  c->mirrors.width = 1;
  if (!dv_ints_resize(&c->mirrors, cells)) return false;
  for (size_t i = 0; i < cells; i++)
    c->mirrors.data[i] = (i % nx % 2 == 0) | (i / nx % ny % 2 == 1) << 1 | (i / (nx * ny) % 2 == 1) << 2;
  return true;
}

bool dv_tetra_cut_make(dvTetraCut *c, const dvTopology *t, const dvInts *hexahedra)
{
  size_t cells = dv_ints_size(hexahedra);
  c->tetrahedra.width = 4;
  if (!dv_ints_resize(&c->tetrahedra, 24 * cells) || !find_mirrors(c, t, cells)) return false;
  int32_t *out = dv_ints_edit(&c->tetrahedra);
  for (size_t i = 0; i < cells; i++) dv_tetra_cut_cell(hexahedra->data + 8 * i, c->mirrors.data[i], out + 24 * i);
  return true;
}

// what became of a cell became of its six: the last of them first, since each takes the place of one at the end
static void add_steps(dvTetraCut *c, const dvTraceStep *s)
{
  for (int32_t k = 0; k < DV_CUT_PARTS; k++) {
    int32_t part = s->what == DV_ADDED ? k : DV_CUT_PARTS - 1 - k;
    dv_push(&c->steps, ((dvTraceStep){s->what, DV_CUT_PARTS * s->number + part,
                                      s->what == DV_ADDED ? -1 : DV_CUT_PARTS * s->last + part}));
  }
}

bool dv_tetra_cut_follow(dvTetraCut *c, dvTopology *t, dvBlocksChange *change)
{
  const dvTrace *trace = dv_topology_trace(t);
  const dvInts *hexahedra = dv_topology_list(t, DV_HEXAHEDRON);
  size_t cells = dv_ints_size(hexahedra);
  const dvNumbers *others = dv_trace_rows(t, DV_HEXAHEDRON);
  if (c->mirrors.count != cells || cells > INT32_MAX / 24 || !dv_ints_resize(&c->tetrahedra, 24 * cells)) return false;
  int32_t *out = dv_ints_edit(&c->tetrahedra);
  c->rows.count = c->steps.count = 0;
  for (size_t i = 0; i < others->count; i++) {
    size_t cell = (size_t)others->data[i];
    dv_tetra_cut_cell(hexahedra->data + 8 * cell, c->mirrors.data[cell], out + 24 * cell);
    for (int32_t k = 0; k < DV_CUT_PARTS; k++) dv_push(&c->rows, DV_CUT_PARTS * others->data[i] + k);
  }
  for (size_t i = 0; i < trace->steps[DV_HEXAHEDRON].count; i++) add_steps(c, &trace->steps[DV_HEXAHEDRON].data[i]);
  *change = (dvBlocksChange){.elements = c->steps.data,
                             .element_steps = c->steps.count,
                             .points = trace->steps[DV_POINT].data,
                             .point_steps = trace->steps[DV_POINT].count,
                             .connectivity = c->tetrahedra.data,
                             .count = DV_CUT_PARTS * cells,
                             .point_count = dv_topology_point_count(t)};
  return true;
}

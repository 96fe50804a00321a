// SpatialGridContainer: how wide the cells are in which neighbours are looked for.
//
// The cells themselves are made by whoever looks (near.h), for the positions that he has: so they are never old.
#include "fluid/grid.h"

#include "object/context.h"

#define GRID_FIELDS(X)                                                                                                \
  X(real, cellWidth, "1", "m", "width of a cell; at least the distance within which neighbours are looked for")       \
  X(bool, showGrid, "0", "", "no effect: cells are not drawn", .flags = DV_LOOKS | DV_IDLE)                           \
  X(bool, autoUpdate, "0", "", "no effect: cells are made anew whenever neighbours are looked for", .flags = DV_IDLE) \
  X(bool, sortPoints, "0", "", "no effect: points keep their numbers and are always visited cell by cell",            \
    .flags = DV_IDLE)

typedef struct Grid {
  dvObject base;
  GRID_FIELDS(DV_MEMBER)
} Grid;

#define SELF Grid
static const dvFieldDesc grid_fields[] = {GRID_FIELDS(DV_DESCRIBE)};
#undef SELF

static dvStatus grid_init(dvObject *o)
{
  Grid *g = (Grid *)o;
  if (!(g->cellWidth > 0))
    return dv_field_error(o, &g->cellWidth, "give the distance within which particles act on each other",
                          "cells of width %g hold nothing", g->cellWidth);
  return DV_OK;
}

double dv_grid_width(const dvNode *node)
{
  for (size_t i = 0; i < node->objects.count; i++)
    if (node->objects.data[i]->cls == &dv_spatial_grid_class) return ((const Grid *)node->objects.data[i])->cellWidth;
  for (size_t i = 0; i < node->parents.count; i++) {
    double width = dv_grid_width(node->parents.data[i]);
    if (width > 0) return width;
  }
  return 0;
}

const dvClass dv_spatial_grid_class = {
    .struct_size = sizeof(dvClass),
    .name = "SpatialGridContainer",
    .help = "the cells in which neighbours of particles are looked for",
    .module = "SofaSphFluid",
    .roles = DV_PLAYS(DV_ROLE_TOPOLOGY_TOOL),
    .dofs = DV_DOF_VEC3,
    .size = sizeof(Grid),
    .blocks = {&dv_object_block, DV_BLOCK(grid_fields)},
    .init = grid_init,
    .reinit = grid_init,
};

// RegularGridSpringForceField: the springs of a regular grid, between neighbours along the axes (lines), along the
// diagonals of its squares (quads) and of its cells (cubes), besides those of the field `spring`. Stiffness and damping
// are per length. The equations stand in spring.h.
#include "force/spring/spring_force.h"

#include "topology/grid/grid.h"

#include <math.h>

#define GRID_SPRING_FIELDS(X)                                                                           \
  X(real, linesStiffness, "100", "N", "stiffness along the axes, per strain", .alias = "stiffness")     \
  X(real, linesDamping, "5", "N s", "damping along the axes, per rate of strain", .alias = "damping")   \
  X(real, quadsStiffness, "100", "N", "stiffness along the diagonals of squares", .alias = "stiffness") \
  X(real, quadsDamping, "5", "N s", "damping along the diagonals of squares", .alias = "damping")       \
  X(real, cubesStiffness, "100", "N", "stiffness along the diagonals of cells", .alias = "stiffness")   \
  X(real, cubesDamping, "5", "N s", "damping along the diagonals of cells", .alias = "damping")

typedef struct GridSpring {
  dvSpringForce force;
  GRID_SPRING_FIELDS(DV_MEMBER)
} GridSpring;

#define SELF GridSpring
static const dvFieldDesc grid_spring_fields[] = {GRID_SPRING_FIELDS(DV_DESCRIBE)};
#undef SELF

extern const dvClass dv_grid_spring_class;

// Springs of one direction, cell by cell: from corner `from` of a cell to corner `to`. Where a direction has no extent
// along an axis, cells are points there.
typedef struct Direction {
  int from[3], to[3];
} Direction;

static void add_spring(GridSpring *g, const dvLattice *l, const Direction *d, const int at[3], double stiffness,
                       double damping)
{
  int32_t ends[2];
  double length = 0;
  for (int e = 0; e < 2; e++) {
    const int *corner = e ? d->to : d->from;
    ends[e] = at[0] + corner[0] + l->n[0] * (at[1] + corner[1] + l->n[1] * (at[2] + corner[2]));
  }
  for (int k = 0; k < 3; k++) length += d->from[k] != d->to[k] ? l->step[k] * l->step[k] : 0;
  length = sqrt(length);
  if (length > 0)
    dv_push(&g->force.springs.list, dv_spring(ends[0], ends[1], stiffness / length, damping / length, length));
}

// the given directions of every cell of an extent of 0 or 1 along each axis
static void add_directions(GridSpring *g, const dvLattice *l, const Direction *d, int count, double stiffness,
                           double damping)
{
  int cells[3];
  for (int k = 0; k < 3; k++) cells[k] = l->n[k] - (d->from[k] != d->to[k]);
  if (stiffness == 0 && damping == 0) return;
  for (int z = 0; z < cells[2]; z++)
    for (int y = 0; y < cells[1]; y++)
      for (int x = 0; x < cells[0]; x++)
        for (int i = 0; i < count; i++) add_spring(g, l, &d[i], (const int[3]){x, y, z}, stiffness, damping);
}

static void add_grid(GridSpring *g, const dvLattice *l)
{
  static const Direction lines[3] = {{{0, 0, 0}, {1, 0, 0}}, {{0, 0, 0}, {0, 1, 0}}, {{0, 0, 0}, {0, 0, 1}}};
  static const Direction quads[3][2] = {{{{0, 0, 0}, {1, 1, 0}}, {{1, 0, 0}, {0, 1, 0}}},
                                        {{{0, 0, 0}, {1, 0, 1}}, {{1, 0, 0}, {0, 0, 1}}},
                                        {{{0, 0, 0}, {0, 1, 1}}, {{0, 1, 0}, {0, 0, 1}}}};
  static const Direction cubes[4] = {
      {{0, 0, 0}, {1, 1, 1}}, {{1, 0, 0}, {0, 1, 1}}, {{0, 1, 0}, {1, 0, 1}}, {{0, 0, 1}, {1, 1, 0}}};
  for (int i = 0; i < 3; i++) add_directions(g, l, &lines[i], 1, g->linesStiffness, g->linesDamping);
  for (int i = 0; i < 3; i++) add_directions(g, l, quads[i], 2, g->quadsStiffness, g->quadsDamping);
  add_directions(g, l, cubes, 4, g->cubesStiffness, g->cubesDamping);
}

// After a change the fields show the springs; at the start they say what the scene has given.
static void keep_given(dvSpringForce *f)
{
  dvObject *o = &f->pair.base;
  if (!dv_pairs_list(&f->pairs)) return;
  dvReals *reals[] = {&f->stiffness, &f->damping, &f->lengths, &f->spring};
  dvInts *ints[] = {&f->springsIndices1, &f->springsIndices2, &f->elongationOnly, &f->enabled};
  for (size_t i = 0; i < DV_COUNT(reals); i++) dv_follow_keep_reals(o, reals[i]);
  for (size_t i = 0; i < DV_COUNT(ints); i++) dv_follow_keep_ints(o, ints[i]);
}

static void grid_spring_topology_changed(dvObject *o)
{
  dvSpringForce *f = (dvSpringForce *)o;
  if (!o->rewound) {
    dv_spring_force_topology_changed(o);
    return;
  }
  DV_PAIRS_GIVE(&f->pairs, &f->springs.list, a, b);
  if (dv_springs_settle(&f->springs, o, f->pair.first, f->pair.second) != DV_OK) f->springs.list.count = 0;
}

static dvStatus grid_spring_reinit(dvObject *o)
{
  GridSpring *g = (GridSpring *)o;
  dvLattice l;
  g->force.springs.list.count = 0;
  if (dv_was_set(o, &g->force.spring)) DV_TRY(dv_spring_force_add_given(&g->force));
  const dvObject *topology = dv_node_find_up(g->force.pair.first->base.node, DV_ROLE_TOPOLOGY);
  if (g->force.pair.first == g->force.pair.second && topology && dv_topology_lattice(topology, &l)) add_grid(g, &l);
  else
    dv_warning(o, "put a RegularGridTopology beside the state, or use a MeshSpringForceField",
               "the topology of %s is no regular grid: only the springs that are given act",
               g->force.pair.first->base.name);
  dv_spring_force_follow(&g->force);
  keep_given(&g->force);
  return dv_springs_settle(&g->force.springs, o, g->force.pair.first, g->force.pair.second);
}

static dvStatus grid_spring_init(dvObject *o)
{
  DV_TRY(dv_spring_force_begin(o));
  return grid_spring_reinit(o);
}

const dvClass dv_grid_spring_class = {
    .struct_size = sizeof(dvClass),
    .name = "RegularGridSpringForceField",
    .help = "springs between the neighbours of a regular grid",
    .module = "Sofa.Component.SolidMechanics.Spring",
    .dofs = DV_DOF_VECS,
    .size = sizeof(GridSpring),
    .blocks = {&dv_object_block, &dv_pair_force_block, &dv_spring_force_block, DV_BLOCK(grid_spring_fields)},
    .ops = {[DV_ROLE_FORCE] = &dv_spring_force_ops},
    .init = grid_spring_init,
    .reinit = grid_spring_reinit,
    .destroy = dv_spring_force_destroy,
    .topology_changed = grid_spring_topology_changed,
};

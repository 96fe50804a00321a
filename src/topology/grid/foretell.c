// The memory that a grid will cost. See foretell.h.
//
// The numbers are bytes for each point of a grid, measured once: a solid has about one hexahedron, five or six
// tetrahedra and thirteen springs a point, a sheet one quad, two triangles and five springs.
#include "topology/grid/foretell.h"

#include "base/file.h"
#include "object/roles.h"
#include "scene/node.h"

#include <math.h>
#include <string.h>

enum { FEW_POINTS = 50000, MUCH = 500000000 };   // of bytes

typedef struct Cost {
  double line, sheet, solid;
} Cost;

static const Cost state = {270, 270, 270};   // vectors of a state and of its solver
static const Cost mapped_state = {230, 230, 230};
static const Cost springs = {250, 950, 2900};
static const Cost elements = {150, 600, 900};   // 450 of hexahedra, 1600 of as many tetrahedra
static const Cost surfaces = {100, 300, 700};   // of collision models
static const Cost picture = {50, 130, 170};
static const Cost matrix = {300, 900, 3900};

static double of(Cost c, int dimension) { return dimension < 2 ? c.line : dimension == 2 ? c.sheet : c.solid; }

typedef struct Walk {
  dvVisitor visitor;
  const dvTopology *grid;
  int dimension;
  double points, bytes;
} Walk;

// the grid itself, or a mesh that is made of another
static bool lives_on(const dvNode *node, const dvTopology *grid)
{
  const dvObject *nearest = dv_node_find_up(node, DV_ROLE_TOPOLOGY);
  return nearest == &grid->base || (nearest && dv_node_find(nearest->node, DV_ROLE_TOPOLOGY_MAPPING));
}

// the matrix of a solver that asks for one, and its factor: nested dissection leaves n^(4/3) numbers in solids and
// n log n in sheets
static double cost_of_matrix(const Walk *w, const dvNode *node)
{
  const dvObject *solver = dv_node_find_up(node, DV_ROLE_LINEAR_SOLVER);
  if (!solver) return 0;
  const dvLinearSolverOps *ops = dv_ops(solver, DV_ROLE_LINEAR_SOLVER);
  bool asked = solver->template_text && strstr(solver->template_text, "Matrix");
  double bytes = asked || ops->compliance ? of(matrix, w->dimension) : 0;
  if (ops->compliance) bytes += w->dimension == 3 ? 1400 * cbrt(w->points) : 300 * log2(w->points);
  return bytes;
}

// a force that the scene gives points to acts on few
static bool of_few(const dvObject *o)
{
  const dvField *points = dv_object_field(o, "points"), *indices = dv_object_field(o, "indices");
  return (points && (points->was_set || points->source)) || (indices && (indices->was_set || indices->source));
}

static double cost_of(const Walk *w, dvObject *o)
{
  const dvForceOps *force = dv_ops(o, DV_ROLE_FORCE);
  if (dv_plays(o, DV_ROLE_VISUAL)) return of(picture, w->dimension);
  if (dv_plays(o, DV_ROLE_STATE))
    return dv_node_find(o->node, DV_ROLE_MAPPING) ? of(mapped_state, w->dimension)
                                                  : of(state, w->dimension) + cost_of_matrix(w, o->node);
  if (dv_plays(o, DV_ROLE_COLLISION_MODEL)) return of(surfaces, w->dimension);
  if (!force || !force->add_dforce || !dv_object_field(o, "topology") || of_few(o)) return 0;
  return of(force->pairs ? springs : elements, w->dimension);
}

static dvWalk add_node(dvVisitor *v, dvNode *node)
{
  Walk *w = (Walk *)v;
  if (!lives_on(node, w->grid)) return DV_WALK_ON;
  for (size_t i = 0; i < node->objects.count; i++) w->bytes += w->points * cost_of(w, node->objects.data[i]);
  return DV_WALK_ON;
}

double dv_grid_foresee(const dvTopology *grid, size_t points, int dimension)
{
  Walk w = {.visitor = {.top_down = add_node}, .grid = grid, .points = (double)points, .dimension = dimension};
  dv_visit(grid->base.node, &w.visitor);
  return w.bytes;
}

void dv_grid_foretell(const dvTopology *grid, size_t points, int dimension)
{
  const dvObject *o = &grid->base;
  if (points < FEW_POINTS || !o->node || o->node->scene->initialised) return;
  double bytes = dv_grid_foresee(grid, points, dimension), there = dv_memory_available();
  if (bytes < MUCH) return;
  if (bytes > there)
    dv_warning(o, "use fewer points",
               "the grid has %.2f million points: what lives on it takes about %.1f GB, and %.1f GB are free",
               1e-6 * (double)points, 1e-9 * bytes, 1e-9 * there);
  else
    dv_note(o, "the grid has %.2f million points: what lives on it takes about %.1f GB, and a while to set up",
            1e-6 * (double)points, 1e-9 * bytes);
}

// Distances: how far the cells of a mesh of hexahedra, and points in it, are from given points, along the mesh.
//
//   Geodesic             lengths of the shortest paths through the centres of cells that share an edge
//   Stiffness Diffusion  the same with steps that are longer by 1 + v / 51, v the value of the voxel left
//   Voronoi              geodesic, for cells nearer to this point than to the others; -1 elsewhere
//   Harmonic             0 at a point, harmonicMaxValue at the others, and between them the mean of each cell's
//   neighbours,
//                        cells that share a face counting twice; zones of zonesFramePair are held as the points are
//   Harmonic with Stiffness   neighbours also count by the values of their voxels
//
// At a point the value is that of its cell's centre and the slope from there. SOFA's component offers these to other
// components only; here the points are the field `sources`, and the results fields.
#include "engine/classes.h"
#include "engine/engine.h"

#include "math/vec.h"
#include "state/state.h"
#include "topology/geometry.h"
#include "topology/search/box_tree.h"

#include <string.h>

#define DISTANCES_FIELDS(X)                                                                                      \
  X(int, showMapIndex, "0", "", "source whose distances are drawn", .flags = DV_LOOKS)                           \
  X(bool, showDistancesMap, "0", "", "draw the distances of the cells", .flags = DV_LOOKS)                       \
  X(bool, showGoalDistancesMap, "0", "", "draw the distances of the points", .flags = DV_LOOKS)                  \
  X(real, showTextScaleFactor, "0.001", "", "size of drawn numbers", .flags = DV_LOOKS)                          \
  X(bool, showGradients, "0", "", "draw the gradients", .flags = DV_LOOKS)                                       \
  X(real, showGradientsScaleFactor, "0.1", "", "size of drawn gradients", .flags = DV_LOOKS)                     \
  X(vec3, offset, "0 0 0", "m", "from the mesh to the points", .flags = DV_INPUT)                                \
  X(string, distanceType, "Geodesic", "",                                                                        \
    "Geodesic, Harmonic, Stiffness Diffusion, Voronoi or Harmonic with Stiffness", .spelling = "d_distanceType", \
    .alias = "distanceType", .flags = DV_INPUT)                                                                  \
  X(bool, initTarget, "0", "", "put the points of the target at the centres of the cells")                       \
  X(int, initTargetStep, "1", "", "of each so many cells along x, y and z one")                                  \
  X(ints, zonesFramePair, "", "",                                                                                \
    "harmonic distances: pairs of a value of voxels and a source; cells with that value count as the source's",  \
    .flags = DV_INPUT)                                                                                           \
  X(real, harmonicMaxValue, "100", "m", "value of harmonic distances at the other sources", .flags = DV_INPUT)   \
  X(file, filename, "", "", "not used: distances are computed when they are read", .alias = "fileDistance",      \
    .flags = DV_HIDDEN)                                                                                          \
  X(link, targetPath, "", "", "state with the points", .role = DV_ROLE_STATE)                                    \
  X(link, hexaContainerPath, "", "", "the mesh; the topology of the node or above by default",                   \
    .role = DV_ROLE_TOPOLOGY)                                                                                    \
  X(vec3s, sources, "", "m", "points from which distances are measured", .flags = DV_INPUT)                      \
  X(reals, distanceMap, "", "m", "for each source the distance of each cell, -1 where there is no way",          \
    .flags = DV_OUTPUT)                                                                                          \
  X(reals, distances, "", "m", "for each source the distance of each point of the target", .flags = DV_OUTPUT)   \
  X(vec3s, gradients, "", "", "for each source the slope of the distance at each point of the target",           \
    .flags = DV_OUTPUT)                                                                                          \
  X(vec3s, goals, "", "m", "points of the target", .flags = DV_INPUT | DV_HIDDEN | DV_NO_SRC)                    \
  X(vec3s, meshPoints, "", "m", "points of the mesh", .flags = DV_INPUT | DV_HIDDEN | DV_NO_SRC)                 \
  X(hexahedra, meshCells, "", "", "cells of the mesh", .flags = DV_INPUT | DV_HIDDEN | DV_NO_SRC)                \
  X(reals, cellValues, "", "", "values of the voxels", .flags = DV_INPUT | DV_HIDDEN | DV_NO_SRC)

typedef struct Distances {
  dvObject base;
  DISTANCES_FIELDS(DV_MEMBER)
  dvTopology *mesh;
} Distances;

#define SELF Distances
static const dvFieldDesc distances_fields[] = {DISTANCES_FIELDS(DV_DESCRIBE)};
#undef SELF

// The cells as a graph: neighbours of cell i are to[start[i]] to to[start[i + 1] - 1].
typedef struct Graph {
  size_t n;
  dvBox *centres;
  dvBoxTree tree;
  int32_t *start;
  DV_ARRAY(struct Neighbour {
    int32_t to;
    bool face;
  })
  to;
} Graph;

static dvStatus distances_link(dvObject *o)
{
  Distances *d = (Distances *)o;
  dvObject *mesh =
      d->hexaContainerPath.target ? d->hexaContainerPath.target : dv_node_find_up(o->node, DV_ROLE_TOPOLOGY);
  if (!mesh) return dv_error(o, "give hexaContainerPath=\"@path\"", "%s finds no mesh", o->name);
  d->mesh = dv_topology(mesh);
  dv_engine_follow(o, &d->meshPoints, mesh, "position");
  dv_engine_follow(o, &d->meshCells, mesh, "hexahedra");
  dv_engine_follow(o, &d->cellValues, mesh, "valuesIndexedInTopology");
  dv_engine_follow(o, &d->goals, d->targetPath.target, "position");
  return DV_OK;
}

static dvVec3 centre_of(const Distances *d, size_t cell)
{
  return dv_element_centre(DV_HEXAHEDRON, d->meshPoints.data, d->meshCells.data + 8 * cell);
}

// the target's points at every so many voxels; voxels are counted from the origin by their size
static dvStatus distances_init(dvObject *o)
{
  Distances *d = (Distances *)o;
  if (!d->initTarget) return DV_OK;
  if (!d->targetPath.target || d->initTargetStep < 1)
    return dv_field_error(o, &d->initTarget, "give targetPath and a step of 1 or more", "there is no target to fill");
  const dvField *size = dv_object_field(&d->mesh->base, "voxelSize");
  DV_TRY(dv_object_ensure(&d->mesh->base));
  DV_TRY(dv_object_ensure(d->targetPath.target));
  DV_TRY(dv_pull(o, &d->meshPoints));
  DV_TRY(dv_pull(o, &d->meshCells));
  const double one[3] = {1, 1, 1}, *voxel = size ? size->value : one;
  dvReals list = {.width = 3};
  bool good = true;
  for (size_t i = 0; i < dv_ints_size(&d->meshCells) && good; i++) {
    double c[3];
    bool taken = true;
    dv_vec3_store(c, centre_of(d, i));
    for (int k = 0; k < 3; k++) taken = taken && fmod(trunc(c[k] / voxel[k]), d->initTargetStep) == 0;
    for (int k = 0; k < 3; k++) c[k] += d->offset[k];
    if (taken) good = dv_engine_add_reals(&list, c, 3);
  }
  dvState *s = dv_state(d->targetPath.target);
  good = good && s->base.dof->kind == DV_VEC3 && dv_state_resize(s, list.count / 3);
  if (good && list.count) {
    memcpy(dv_state_write(s, DV_X), list.data, list.count * sizeof(double));
    memcpy(dv_state_write(s, DV_X_REST), list.data, list.count * sizeof(double));
    dv_state_touch(s, DV_X);
    dv_state_touch(s, DV_X_REST);
  }
  dv_reals_free(&list);
  return good ? DV_OK : dv_error(o, "the target must be a state of points", "the target cannot be filled");
}

static bool graph_init(Graph *g, const Distances *d)
{
  *g = (Graph){.n = dv_ints_size(&d->meshCells)};
  g->centres = dv_try_alloc((g->n + 1) * sizeof *g->centres);
  g->start = dv_try_alloc((g->n + 1) * sizeof *g->start);
  const dvInts *edges = dv_topology_parts(d->mesh, DV_EDGE, DV_HEXAHEDRON);
  const dvIncidence *around = dv_topology_around(d->mesh, DV_EDGE, DV_HEXAHEDRON);
  if (!g->centres || !g->start || (g->n && (!edges || !around))) return false;
  for (size_t i = 0; i < g->n; i++) {
    dv_vec3_store(g->centres[i].low, centre_of(d, i));
    memcpy(g->centres[i].high, g->centres[i].low, sizeof g->centres[i].high);
    g->start[i] = (int32_t)g->to.count;
    for (int e = 0; e < 12; e++) {
      int32_t edge = edges->data[12 * i + (size_t)e];
      for (int32_t k = edge < 0 ? 0 : around->offsets[edge]; edge >= 0 && k < around->offsets[edge + 1]; k++) {
        size_t at = (size_t)g->start[i];
        while (at < g->to.count && g->to.data[at].to != around->items[k]) at++;
        if ((size_t)around->items[k] == i) continue;
        if (at < g->to.count) g->to.data[at].face = true;   // a second common edge
        else dv_push(&g->to, ((struct Neighbour){around->items[k], false}));
      }
    }
  }
  g->start[g->n] = (int32_t)g->to.count;
  dv_box_tree_init(&g->tree, g->centres, g->n);
  return true;
}

static void graph_fini(Graph *g)
{
  dv_box_tree_fini(&g->tree);
  dv_free(g->centres);
  dv_free(g->start);
  dv_array_free(&g->to);
}

static int32_t cell_at(const Graph *g, const Distances *d, const double *p)
{
  double at[3], distance2 = INFINITY;
  for (int k = 0; k < 3; k++) at[k] = p[k] - d->offset[k];
  return dv_box_tree_nearest(&g->tree, at, &distance2);
}

static double value_of(const Distances *d, size_t cell)
{
  return cell < d->cellValues.count ? d->cellValues.data[cell] : 255;
}

static double between(const Graph *g, size_t a, size_t b)
{
  return dv_vec3_norm(dv_vec3_sub(dv_vec3_load(g->centres[a].low), dv_vec3_load(g->centres[b].low)));
}

// shorter ways are passed on until there are none (R. Bellman 1958); `queue` is a ring of all cells
static void walk(const Graph *g, const Distances *d, int32_t from, bool stiff, int32_t *queue, uint8_t *waiting,
                 double *out)
{
  size_t head = 0, count = 1;
  for (size_t i = 0; i < g->n; i++) out[i] = -1;
  memset(waiting, 0, g->n);
  out[from] = 0;
  queue[0] = from;
  while (count) {
    size_t cell = (size_t)queue[head];
    head = (head + 1) % g->n;
    count--;
    waiting[cell] = 0;
    double longer = stiff ? 1 + value_of(d, cell) / 51 : 1;
    for (int32_t k = g->start[cell]; k < g->start[cell + 1]; k++) {
      size_t to = (size_t)g->to.data[k].to;
      double way = out[cell] + longer * between(g, cell, to);
      if (out[to] >= 0 && !(way < out[to])) continue;
      out[to] = way;
      if (waiting[to]) continue;
      waiting[to] = 1;
      queue[(head + count++) % g->n] = (int32_t)to;
    }
  }
}

// what holds a cell at a value: 0 in the zones of the source `own`, the largest in those of others; else -1
static double held_by_zone(const Distances *d, size_t cell, size_t own)
{
  const dvInts *z = &d->zonesFramePair;
  for (size_t k = 0; k + 1 < z->count && cell < d->cellValues.count; k += 2)
    if (d->cellValues.data[cell] == z->data[k]) return (size_t)z->data[k + 1] == own ? 0 : d->harmonicMaxValue;
  return -1;
}

// each cell becomes the mean of itself (4 parts) and its neighbours until nothing changes by more than a millionth
static void relax(const Graph *g, const Distances *d, const int32_t *cells, size_t sources, size_t own, bool stiff,
                  double *x, double *next)
{
  enum { MOST = 100000 };
  double largest = d->harmonicMaxValue, change = INFINITY;
  for (size_t i = 0; i < g->n; i++) {
    double zone = held_by_zone(d, i, own);
    x[i] = zone >= 0 ? zone : largest / 2;
  }
  for (size_t j = 0; j < sources; j++) x[cells[j]] = largest;
  x[cells[own]] = 0;
  for (int round = 0; round < MOST && change > largest / 1e6; round++) {
    change = 0;
    for (size_t i = 0; i < g->n; i++) {
      double sum = 4 * x[i], parts = 4;
      if (held_by_zone(d, i, own) >= 0) {
        next[i] = x[i];
        continue;
      }
      for (int32_t k = g->start[i]; k < g->start[i + 1]; k++) {
        double weight = (g->to.data[k].face ? 2 : 1) * (stiff ? value_of(d, (size_t)g->to.data[k].to) / 255 : 1);
        sum += weight * x[g->to.data[k].to];
        parts += weight;
      }
      next[i] = sum / parts;
    }
    for (size_t j = 0; j < sources; j++) next[cells[j]] = j == own ? 0 : largest;
    next[cells[own]] = 0;
    for (size_t i = 0; i < g->n; i++) change = fmax(change, fabs(next[i] - x[i]));
    memcpy(x, next, g->n * sizeof *x);
  }
}

// cells that are nearer to another source
static void keep_nearest(double *map, size_t n, size_t sources)
{
  for (size_t i = 0; i < n; i++) {
    size_t best = 0;
    for (size_t j = 1; j < sources; j++)
      if (map[j * n + i] >= 0 && (map[best * n + i] < 0 || map[j * n + i] < map[best * n + i])) best = j;
    for (size_t j = 0; j < sources; j++)
      if (j != best) map[j * n + i] = -1;
  }
}

// slope along each axis from the cells beyond the faces
static dvVec3 slope(const Graph *g, const double *map, size_t cell)
{
  double sum[3] = {0};
  int count[3] = {0};
  for (int32_t k = g->start[cell]; k < g->start[cell + 1]; k++) {
    size_t to = (size_t)g->to.data[k].to;
    if (!g->to.data[k].face || map[to] < 0) continue;
    int axis = 0;
    double step[3];
    for (int c = 0; c < 3; c++) {
      step[c] = g->centres[to].low[c] - g->centres[cell].low[c];
      if (fabs(step[c]) > fabs(step[axis])) axis = c;
    }
    if (step[axis] != 0) sum[axis] += (map[to] - map[cell]) / step[axis], count[axis]++;
  }
  return dv_vec3(count[0] ? sum[0] / count[0] : 0, count[1] ? sum[1] / count[1] : 0, count[2] ? sum[2] / count[2] : 0);
}

static void measure_goals(Distances *d, const Graph *g, size_t source)
{
  size_t goals = dv_reals_size(&d->goals);
  const double *map = d->distanceMap.data + source * g->n;
  for (size_t i = 0; i < goals; i++) {
    int32_t cell = cell_at(g, d, d->goals.data + 3 * i);
    double value = cell < 0 ? -1 : map[cell];
    dvVec3 gradient = value < 0 ? dv_vec3(0, 0, 0) : slope(g, map, (size_t)cell);
    if (value >= 0) {
      dvVec3 from = dv_vec3_add(dv_vec3_load(g->centres[cell].low), dv_vec3_load(d->offset));
      value = fmax(0, value + dv_vec3_dot(dv_vec3_sub(dv_vec3_load(d->goals.data + 3 * i), from), gradient));
    }
    d->distances.data[source * goals + i] = value;
    dv_vec3_store(d->gradients.data + 3 * (source * goals + i), gradient);
  }
}

typedef enum Way { GEODESIC, HARMONIC, STIFFNESS, VORONOI, HARMONIC_STIFFNESS, WAYS } Way;

static bool measure_all(Distances *d, const Graph *g, Way way, size_t sources)
{
  size_t n = g->n, goals = dv_reals_size(&d->goals);
  int32_t *cells = dv_try_alloc((sources + 1) * sizeof *cells), *queue = dv_try_alloc((n + 1) * sizeof *queue);
  uint8_t *waiting = dv_try_alloc(n + 1);
  double *next = dv_try_alloc((n + 1) * sizeof *next);
  bool good = cells && queue && waiting && next && dv_reals_resize(&d->distanceMap, sources * n) &&
              dv_reals_resize(&d->distances, sources * goals) && dv_reals_resize(&d->gradients, 3 * sources * goals);
  for (size_t j = 0; j < sources && good; j++) cells[j] = cell_at(g, d, d->sources.data + 3 * j);
  for (size_t j = 0; j < sources && good; j++) {
    double *map = d->distanceMap.data + j * n;
    if (way == HARMONIC || way == HARMONIC_STIFFNESS)
      relax(g, d, cells, sources, j, way == HARMONIC_STIFFNESS, map, next);
    else walk(g, d, cells[j], way == STIFFNESS, queue, waiting, map);
  }
  if (good && way == VORONOI) keep_nearest(d->distanceMap.data, n, sources);
  for (size_t j = 0; j < sources && good; j++) measure_goals(d, g, j);
  dv_free(cells);
  dv_free(queue);
  dv_free(waiting);
  dv_free(next);
  return good;
}

static dvStatus distances_update(dvObject *o)
{
  static const char *const names[WAYS] = {"Geodesic", "Harmonic", "Stiffness Diffusion", "Voronoi",
                                          "Harmonic with Stiffness"};
  Distances *d = (Distances *)o;
  int way = 0;
  while (way < WAYS && !dv_same_nocase(d->distanceType, names[way])) way++;
  if (way == WAYS && dv_starts_with(d->distanceType, "Vorono")) way = VORONOI;
  if (way == WAYS)
    return dv_field_error(o, &d->distanceType,
                          "give Geodesic, Harmonic, Stiffness Diffusion, Voronoi or Harmonic with Stiffness",
                          "'%s' is no distance", d->distanceType);
  size_t sources = dv_reals_size(&d->sources);
  if (d->zonesFramePair.count % 2)
    return dv_field_error(o, &d->zonesFramePair, "give pairs: zonesFramePair=\"128 0\"",
                          "zonesFramePair has %zu numbers, which do not make pairs", d->zonesFramePair.count);
  if (sources && d->meshCells.count == 0)
    return dv_field_error(o, &d->hexaContainerPath, "give hexaContainerPath=\"@path\" of a mesh of hexahedra",
                          "the mesh has no hexahedra");
  DV_TRY(dv_engine_check(o, &d->meshCells, dv_reals_size(&d->meshPoints), "points with a position"));
  Graph g;
  bool good = graph_init(&g, d) && measure_all(d, &g, (Way)way, sources);
  graph_fini(&g);
  return good ? DV_OK : dv_engine_no_memory(o);
}

DV_ENGINE_CLASS(dv_distances_class, "Distances", "distances along a mesh of hexahedra", DV_ANALYZE_MODULE, DV_DOF_VEC3,
                Distances, .blocks = {&dv_object_block, DV_BLOCK(distances_fields)}, .link = distances_link,
                .init = distances_init, .update = distances_update);

// BarycentricMapping: points that lie in the elements of the input's topology follow their corners.
//
//   x_out = sum of w_c x_c over the corners c of the element, w from the first positions
//
// What serves as elements depends on the topology, as in SOFA: a regular grid its cells, found from the grid's own
// corner and steps and not from the state, and so does a sparse grid (for points outside of its cells the nearest one
// at the boundary); a mesh its tetrahedra and hexahedra, else its triangles and quads, else its edges; a set container
// its hexahedra, tetrahedra, quads, triangles or edges, the first of these that there are. How an element is chosen,
// also for points outside: locate.h.
//
// A point keeps its place in its element while the mesh changes. Points whose element goes, and new ones, are looked
// for again in the shapes of the start: where an element was split that is the same place, elsewhere the nearest
// element. Who cuts the mesh may know better, since pieces of a cell lie at the same place (cut_embedded.c), and puts
// them.
//
// Frames may be mapped too, so that a beam model follows the tissue around it: they turn with the material of their
// tetrahedron or hexahedron (embedded_frames.h).
#include "mapping/linear/barycentric_inside.h"
#include "math/vec.h"
#include "object/parts.h"
#include "topology/grid/grid.h"
#include "topology/grid/sparse_grid.h"
#include "topology/search/locate.h"

#include <math.h>
#include <string.h>

#define SMALL_DISTANCE 1.0   // from an element, in its sizes

#define SELF dvBarycentric
static const dvFieldDesc barycentric_fields[] = {BARYCENTRIC_FIELDS(DV_DESCRIBE)};
#undef SELF

static const double *place_of(const dvBarycentric *b, size_t i)
{
  return b->out_x.data + i * (size_t)b->linear.base.base.dof_out->coord;
}

// How far a point lies from its element, from the nearest place inside with local coordinates between 0 and 1, as a
// part of the longest distance between corners.
static double distance_from(dvElementKind kind, const int32_t *corners, const double local[3], const double *x)
{
  double in[3], sum = 0, w[8], w_in[8], away[3] = {0, 0, 0}, size2 = 0;
  for (int k = 0; k < 3; k++) in[k] = fmin(fmax(local[k], 0), 1), sum += in[k];
  if (kind == DV_TRIANGLE) sum -= in[2];
  if (kind == DV_TETRAHEDRON || kind == DV_TRIANGLE)
    for (int k = 0; k < 3; k++) in[k] /= fmax(sum, 1);
  int n = dv_locate_weights(kind, local, w);
  dv_locate_weights(kind, in, w_in);
  for (int c = 0; c < n; c++)
    for (int k = 0; k < 3; k++) away[k] += (w[c] - w_in[c]) * x[3 * (size_t)corners[c] + (size_t)k];
  for (int c = 1; c < n; c++)
    for (int d = 0; d < c; d++)
      size2 = fmax(size2, dv_vec3_norm2(dv_vec3_sub(dv_vec3_load(x + 3 * (size_t)corners[c]),
                                                    dv_vec3_load(x + 3 * (size_t)corners[d]))));
  return size2 > 0 ? sqrt((away[0] * away[0] + away[1] * away[1] + away[2] * away[2]) / size2) : 0;
}

void dv_barycentric_add(dvBarycentric *b, size_t point, dvElementKind kind, size_t element, const double local[3])
{
  dvBarycentricPlaces *p = &b->places[kind];
  size_t n = p->element.count;
  p->element.width = p->point.width = 1;
  p->local.width = 3;
  DV_MUST(dv_ints_resize(&p->element, n + 1) && dv_ints_resize(&p->point, n + 1) &&
          dv_reals_resize(&p->local, 3 * (n + 1)));
  p->element.data[n] = (int32_t)element;
  p->point.data[n] = (int32_t)point;
  memcpy(p->local.data + 3 * n, local, 3 * sizeof *local);
  if (point < b->where.count) b->where.data[point] = (dvBarycentricEntry){(int32_t)kind, (int32_t)n};
}

int dv_barycentric_row(const dvBarycentric *b, dvElementKind kind, const int32_t *corners, const double local[3],
                       int32_t inputs[8], double weights[8])
{
  // SOFA's order, in which corners are summed: of grids and meshes row by row, of set containers around
  static const int by_rows[8] = {0, 1, 3, 2, 4, 5, 7, 6};
  double w[8];
  int n = dv_locate_weights(kind, local, w);
  for (int c = 0; c < n; c++) {
    int k = kind == DV_HEXAHEDRON && !b->mesh->dynamic ? by_rows[c] : c;
    inputs[c] = corners[k];
    weights[c] = w[k];
  }
  return n;
}

// the next output point lies at local coordinates of an element
static void add_in_element(dvBarycentric *b, dvElementKind kind, const int32_t *corners, const double local[3])
{
  int32_t inputs[8];
  double w[8];
  int n = dv_barycentric_row(b, kind, corners, local, inputs, w);
  bool inside = true;
  for (int c = 0; c < n && kind != DV_EDGE; c++) inside = inside && w[c] >= -1e-6;
  b->outside += !inside;
  if (!inside) b->farthest = fmax(b->farthest, distance_from(kind, corners, local, b->in_x.data));
  if (dv_barycentric_has_frames(b) && kind != DV_EDGE) {
    if (!dv_embedded_add(&b->frames, kind, corners, local, b->in_x.data, place_of(b, b->frames.count))) b->flat++;
    return;
  }
  for (int c = 0; c < n; c++) dv_weights_add(&b->linear.weights, inputs[c], w[c]);
  dv_weights_end_row(&b->linear.weights);
}

// as in SOFA the elements nearest to points outside carry them too; a skin around a coarse mesh is so by intention,
// what is far away seldom
static void report_outside(const dvBarycentric *b, const dvObject *topology)
{
  const dvMapping *m = &b->linear.base;
  size_t n = m->out->count;
  const char *name = m->out->base.name, *from = topology->name;
  if (b->outside == 0 || dv_parts_of(m->base.context)) return;   // another process may have their elements
  if (b->farthest <= SMALL_DISTANCE)
    dv_note(&m->base,
            "%zu of %zu points of %s lie outside of %s, by at most %.2g %% of an element's size: harmless, they follow "
            "the nearest element",
            b->outside, n, name, from, 100 * b->farthest);
  else
    dv_warning(&m->base,
               "compare position, rotation and scale of the two; a mesh that encloses the points carries them better",
               "%zu of %zu points of %s lie outside of %s, the farthest by %.2g times the size of its element, whose "
               "motion is enlarged there",
               b->outside, n, name, from, b->farthest);
}

// --- regular grids -------------------------------------------------------------------------------

static dvStatus map_grid(dvBarycentric *b, const dvObject *topology, const dvLattice *g)
{
  dvObject *o = &b->linear.base.base;
  if (g->n[0] < 2 || g->n[1] < 2 || g->n[2] < 2)
    return dv_error(o, "give the grid at least two points along x, y and z", "%s has no cells to map from",
                    topology->name);
  size_t points = (size_t)g->n[0] * (size_t)g->n[1] * (size_t)g->n[2];
  if (points != b->linear.base.in->count)
    return dv_error(o, NULL, "the grid %s has %zu points, but its state %s has %zu", topology->name, points,
                    b->linear.base.in->base.name, b->linear.base.in->count);
  for (int k = 0; k < 3; k++)
    if (g->step[k] == 0 || !isfinite(1 / (g->step[k] * g->step[k])))
      return dv_error(o, NULL, "the grid %s has cells without volume: its steps are %g %g %g", topology->name,
                      g->step[0], g->step[1], g->step[2]);
  for (size_t i = 0; i < b->linear.base.out->count; i++) {
    double at[3];
    size_t cell = dv_lattice_find(g, place_of(b, i), at);
    dv_barycentric_add(b, i, DV_HEXAHEDRON, cell, at);
  }
  return DV_OK;
}

static dvStatus map_sparse_grid(dvBarycentric *b, dvObject *topology)
{
  dvObject *o = &b->linear.base.base;
  const dvSparseLevel *l = dv_sparse_grid_level(topology, 0);
  if (!l) return dv_error(o, NULL, "%s has no cells to map from", topology->name);
  if (dv_reals_size(&l->points) != b->linear.base.in->count)
    return dv_error(o, NULL, "the grid %s has %zu points, but its state %s has %zu", topology->name,
                    dv_reals_size(&l->points), b->linear.base.in->base.name, b->linear.base.in->count);
  for (size_t i = 0; i < b->linear.base.out->count; i++) {
    double at[3];
    size_t cell = (size_t)dv_sparse_grid_find(topology, place_of(b, i), at);
    dv_barycentric_add(b, i, DV_HEXAHEDRON, cell, at);
  }
  return DV_OK;
}

// --- meshes and set containers -------------------------------------------------------------------

double dv_barycentric_edge_length(const dvInts *edges, const double *x, size_t e)
{
  const double *a = x + 3 * (size_t)edges->data[2 * e], *b = x + 3 * (size_t)edges->data[2 * e + 1];
  return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
}

// SOFA's cell size: the mean length of the edges
static double mean_edge(dvTopology *t, const double *x)
{
  const dvInts *edges = dv_topology_elements(t, DV_EDGE);
  size_t n = dv_ints_size(edges);
  double sum = 0;
  for (size_t e = 0; e < n; e++) sum += dv_barycentric_edge_length(edges, x, e);
  return n ? sum / (double)n : 0;
}

// by the rules at the top
bool dv_barycentric_elements(dvTopology *t, dvLocateDef *def)
{
  static const dvElementKind sets[] = {DV_HEXAHEDRON, DV_TETRAHEDRON, DV_QUAD, DV_TRIANGLE};
  static const dvElementKind meshes[2][2] = {{DV_TETRAHEDRON, DV_HEXAHEDRON}, {DV_TRIANGLE, DV_QUAD}};
  if (t->dynamic) {
    for (size_t i = 0; i < DV_COUNT(sets); i++) {
      const dvInts *e = dv_topology_given(t, sets[i]);
      if (e->count == 0) continue;
      def->lists[0] = (dvLocateElements){sets[i], e->data, dv_ints_size(e)};
      return true;
    }
    return false;
  }
  for (int dimension = 0; dimension < 2; dimension++) {
    for (int i = 0; i < 2; i++) {
      const dvInts *e = dv_topology_given(t, meshes[dimension][i]);
      def->lists[i] = (dvLocateElements){meshes[dimension][i], e->data, dv_ints_size(e)};
    }
    if (def->lists[0].count + def->lists[1].count) return true;
  }
  return false;
}

static dvStatus check_corners(const dvBarycentric *b, const dvTopology *t)
{
  const dvMapping *m = &b->linear.base;
  for (int kind = DV_EDGE; kind <= DV_HEXAHEDRON; kind++) {
    const dvInts *e = dv_topology_given(t, (dvElementKind)kind);
    for (size_t i = 0; i < e->count; i++)
      if (e->data[i] < 0 || (size_t)e->data[i] >= m->in->count)
        return dv_error(&m->base, NULL, "an element of %s names point %d, but the state %s has %zu points",
                        t->base.name, e->data[i], m->in->base.name, m->in->count);
  }
  return DV_OK;
}

// looks for points of the output in the elements of the mesh
static dvStatus locate(dvBarycentric *b, const dvLocateDef *def, const int32_t *points, size_t n)
{
  dvMapping *m = &b->linear.base;
  dvLocation *at = dv_alloc((n + 1) * sizeof *at);
  double *x = dv_alloc((3 * n + 1) * sizeof *x);
  for (size_t i = 0; i < n; i++) memcpy(x + 3 * i, place_of(b, (size_t)points[i]), 3 * sizeof *x);
  size_t flat = dv_locate(def, m->base.context->pool, x, n, at);
  dv_free(x);
  if (flat)
    dv_warning(&m->base, NULL, "%zu of %zu elements have no volume (or area) and take no points", flat,
               def->lists[0].count + def->lists[1].count);
  dvStatus status = DV_OK;
  for (size_t i = 0; i < n && status == DV_OK; i++) {
    if (at[i].element < 0) {
      status = dv_error(&m->base, NULL, "no element can take point %d of %s", points[i], m->out->base.name);
      break;
    }
    size_t e = (size_t)at[i].element;
    const dvLocateElements *l = &def->lists[e >= def->lists[0].count];
    if (e >= def->lists[0].count) e -= def->lists[0].count;
    dv_barycentric_add(b, (size_t)points[i], l->kind, e, at[i].local);
  }
  dv_free(at);
  return status;
}

dvStatus dv_barycentric_find(dvBarycentric *b, const int32_t *points, size_t n)
{
  dvMapping *m = &b->linear.base;
  dvTopology *t = b->mesh;
  DV_TRY(check_corners(b, t));
  dvLocateDef def = {.x = b->in_x.data};
  bool found = dv_barycentric_elements(t, &def),
       volumes = found && (def.lists[0].kind == DV_TETRAHEDRON || def.lists[0].kind == DV_HEXAHEDRON);
  if (dv_barycentric_has_frames(b) && !volumes)
    return dv_error(&m->base, "map frames from a topology with tetrahedra or hexahedra",
                    "the topology %s has no volumes that frames could turn with", t->base.name);
  if (found && t->dynamic) def.cell = mean_edge(t, def.x);
  if (found) return locate(b, &def, points, n);
  const dvInts *edges = dv_topology_given(t, DV_EDGE);
  if (edges->count == 0)
    return dv_error(&m->base, "map from a topology with tetrahedra, hexahedra, triangles, quads or edges",
                    "the topology %s has no elements to map from", t->base.name);
  for (size_t i = 0; i < n; i++) {
    double local[3];
    size_t e = (t->kept ? dv_nearest_edge : dv_edge_below)(edges, b->in_x.data, place_of(b, (size_t)points[i]), local);
    dv_barycentric_add(b, (size_t)points[i], DV_EDGE, e, local);
  }
  return DV_OK;
}

// --- the component -------------------------------------------------------------------------------

// finite positions of a state, or NULL after a message
static const double *positions(const dvBarycentric *b, dvState *s)
{
  int id = b->useRestPosition ? DV_X_REST : DV_X;
  long bad = dv_state_first_bad(s, id);
  if (bad >= 0)
    dv_error(&b->linear.base.base, NULL, "point %ld of %s is not finite", bad / s->base.dof->coord, s->base.name);
  return bad >= 0 ? NULL : dv_state_read(s, id);
}

const int32_t *dv_barycentric_corners(const dvBarycentric *b, dvElementKind kind, size_t element, int32_t buffer[8])
{
  dvLattice lattice;
  dvObject *t = &b->mesh->base;
  if (kind == DV_HEXAHEDRON && !b->mesh->kept && dv_topology_lattice(t, &lattice)) {
    dv_lattice_corners(&lattice, element, buffer);
    return buffer;
  }
  const dvInts *e = kind == DV_HEXAHEDRON && !b->mesh->kept && dv_is_sparse_grid(t)
                        ? &dv_sparse_grid_level(t, 0)->hexahedra
                        : dv_topology_elements(b->mesh, kind);
  return e->data + element * (size_t)dv_element_points(kind);
}

int32_t *dv_barycentric_index(const dvBarycentric *b, size_t points)
{
  int32_t *at = dv_alloc((points + 1) * sizeof *at), through = 0;
  for (size_t i = 0; i < points; i++) at[i] = -1;
  for (int kind = 0; kind < DV_ELEMENT_KINDS; kind++) {
    const dvInts *list = &b->places[kind].point;
    for (size_t i = 0; i < list->count; i++)
      if ((size_t)list->data[i] < points) at[list->data[i]] = through + (int32_t)i;
    through += (int32_t)list->count;
  }
  return at;
}

dvStatus dv_barycentric_make_rows(dvBarycentric *b)
{
  dvObject *o = &b->linear.base.base;
  dvMapping *m = &b->linear.base;
  size_t n = m->out->count;
  dv_weights_clear(&b->linear.weights);
  dv_embedded_clear(&b->frames);
  b->flat = b->outside = 0;
  b->farthest = 0;
  int32_t *at = dv_barycentric_index(b, n);
  for (size_t i = 0; i < n; i++) {
    int kind = 0;
    size_t entry = (size_t)at[i];
    while (entry >= b->places[kind].point.count) entry -= b->places[kind++].point.count;
    const dvBarycentricPlaces *p = &b->places[kind];
    int32_t buffer[8];
    const int32_t *corners = dv_barycentric_corners(b, (dvElementKind)kind, (size_t)p->element.data[entry], buffer);
    add_in_element(b, (dvElementKind)kind, corners, p->local.data + 3 * entry);
  }
  dv_free(at);
  dv_barycentric_take_places(b);
  if (b->flat) return dv_error(o, NULL, "%zu frames lie in elements without volume", b->flat);
  if (dv_barycentric_has_frames(b)) dv_embedded_settle(&b->frames, m->in->count);
  return dv_barycentric_has_frames(b) ? DV_OK : dv_linear_settle(o);
}

static dvStatus find_mesh(dvBarycentric *b)
{
  dvObject *o = &b->linear.base.base;
  const dvMapping *m = &b->linear.base;
  dvObject *topology =
      b->input_topology.target ? b->input_topology.target : dv_node_find_up(m->in->base.node, DV_ROLE_TOPOLOGY);
  if (!topology)
    return dv_error(o, "add a topology to the node of the input, or give input_topology=\"@path\"",
                    "BarycentricMapping finds no topology of the input %s", m->in->base.name);
  DV_TRY(dv_object_ensure(topology));
  b->mesh = dv_topology(topology);
  return DV_OK;
}

static dvStatus take_positions(dvBarycentric *b)
{
  dvMapping *m = &b->linear.base;
  const double *in = positions(b, m->in), *out = positions(b, m->out);
  b->in_x.width = 3;
  b->out_x.width = m->base.dof_out->coord;
  if (!in || !out) return DV_ERROR_INPUT;
  if (dv_reals_assign(&b->in_x, in, dv_state_scalars(m->in, DV_X)) &&
      dv_reals_assign(&b->out_x, out, dv_state_scalars(m->out, DV_X)))
    return DV_OK;
  return dv_error(&m->base, NULL, "out of memory for %zu points", m->out->count);
}

static dvStatus find_all(dvBarycentric *b)
{
  dvObject *topology = &b->mesh->base;
  size_t n = b->linear.base.out->count;
  dvLattice lattice;
  for (int kind = 0; kind < DV_ELEMENT_KINDS; kind++) {
    dvBarycentricPlaces *p = &b->places[kind];
    p->element.count = p->point.count = p->local.count = 0;
    dv_pairs_forget(&p->pairs);
  }
  if (!b->mesh->kept && dv_topology_lattice(topology, &lattice)) return map_grid(b, topology, &lattice);
  if (!b->mesh->kept && dv_is_sparse_grid(topology)) return map_sparse_grid(b, topology);
  int32_t *points = dv_alloc((n + 1) * sizeof *points);
  for (size_t i = 0; i < n; i++) points[i] = (int32_t)i;
  dvStatus status = dv_barycentric_find(b, points, n);
  dv_free(points);
  return status;
}

// places follow the elements of the mesh and the points of the output
static void follow(dvBarycentric *b)
{
  dvObject *o = &b->linear.base.base;
  const dvState *out = b->linear.base.out;
  dv_element_data_add_places(dv_follow_elements(o, b->mesh, DV_POINT), &b->in_x);
  dv_element_data_add_reals(dv_follow_rows(o, out), &b->out_x, true);
  for (int kind = DV_EDGE; kind <= DV_HEXAHEDRON; kind++) {
    dvBarycentricPlaces *p = &b->places[kind];
    p->element.width = p->point.width = 1;
    p->local.width = 3;
    dv_pairs_join(&p->pairs, dv_follow_list(o, b->mesh, (dvElementKind)kind, &p->element),
                  dv_follow_points(o, out, &p->point), &p->element, &p->point);
    dv_element_list_add_reals(dv_pairs_list(&p->pairs), &p->local, false);
  }
  dv_barycentric_watch(b);
}

// points that have lost their element, and new ones
static dvStatus find_lost(dvBarycentric *b)
{
  size_t n = b->linear.base.out->count, lost = 0;
  int32_t *at = dv_barycentric_index(b, n);
  for (size_t i = 0; i < n; i++)
    if (at[i] < 0) at[lost++] = (int32_t)i;
  dvStatus status = lost ? dv_barycentric_find(b, at, lost) : DV_OK;
  for (int kind = 0; kind < DV_ELEMENT_KINDS && lost; kind++) dv_pairs_forget(&b->places[kind].pairs);
  dv_free(at);
  return status;
}

static const dvMappingOps barycentric_ops;

static void barycentric_topology_changed(dvObject *o)
{
  dvBarycentric *b = (dvBarycentric *)o;
  const dvMapping *m = &b->linear.base;
  if (dv_barycentric_patch(b)) return;
  b->nowhere = dv_topology_largest(b->mesh) == DV_POINT;
  if (b->nowhere) return;
  bool known = dv_reals_size(&b->in_x) == m->in->count && dv_reals_size(&b->out_x) == m->out->count;
  // of a mesh that was made again nothing is known
  dvStatus status = known ? find_lost(b) : take_positions(b) == DV_OK ? find_all(b) : DV_ERROR_INPUT;
  b->nowhere = status != DV_OK || dv_barycentric_make_rows(b) != DV_OK;
  if (!b->nowhere) dv_mapping_first_apply(o, &barycentric_ops);
}

static dvStatus barycentric_init(dvObject *o)
{
  dvBarycentric *b = (dvBarycentric *)o;
  const dvMapping *m = &b->linear.base;
  DV_TRY(find_mesh(b));
  if (m->in->count > INT32_MAX) return dv_error(o, NULL, "%zu points are too many", m->in->count);
  DV_TRY(take_positions(b));
  DV_TRY(find_all(b));
  // as in SOFA the output keeps its own first positions until everything is initialised
  DV_TRY(dv_barycentric_make_rows(b));
  report_outside(b, &b->mesh->base);
  follow(b);
  return DV_OK;
}

static void barycentric_destroy(dvObject *o)
{
  dvBarycentric *b = (dvBarycentric *)o;
  dv_embedded_free(&b->frames);
  dv_reals_free(&b->in_x);
  dv_reals_free(&b->out_x);
  dv_barycentric_free_places(b);
  for (int kind = 0; kind < DV_ELEMENT_KINDS; kind++) {
    dv_ints_free(&b->places[kind].element);
    dv_ints_free(&b->places[kind].point);
    dv_reals_free(&b->places[kind].local);
  }
  dv_linear_destroy(o);
}

// --- operations: those of linear mappings, or of embedded frames ---------------------------------

static bool frames_hold(const dvBarycentric *b)
{
  return !b->nowhere && b->linear.base.out->count == b->frames.count && b->linear.base.in->count == b->frames.in_points;
}

static void barycentric_apply(dvObject *o, int out_x, int in_x)
{
  dvBarycentric *b = (dvBarycentric *)o;
  dvMapping *m = &b->linear.base;
  if (!dv_barycentric_has_frames(b)) {
    if (!b->nowhere) dv_linear_apply(o, out_x, in_x);
  } else if (dv_mapping_fits(m, frames_hold(b))) {
    dv_embedded_apply(&b->frames, dv_state_read(m->in, in_x), dv_state_write(m->out, out_x));
    dv_mapping_touch(m, out_x);
  }
}

static void barycentric_apply_j(dvObject *o, int out_v, int in_v)
{
  dvBarycentric *b = (dvBarycentric *)o;
  dvMapping *m = &b->linear.base;
  if (!dv_barycentric_has_frames(b)) {
    if (!b->nowhere) dv_linear_apply_j(o, out_v, in_v);
  } else if (frames_hold(b)) dv_embedded_apply_j(&b->frames, dv_state_read(m->in, in_v), dv_state_write(m->out, out_v));
}

static void barycentric_apply_jt(dvObject *o, int in_f, int out_f)
{
  dvBarycentric *b = (dvBarycentric *)o;
  dvMapping *m = &b->linear.base;
  if (!dv_barycentric_has_frames(b)) {
    if (!b->nowhere) dv_linear_apply_jt(o, in_f, out_f);
  } else if (m->mapForces && frames_hold(b))
    dv_embedded_apply_jt(&b->frames, dv_state_read(m->out, out_f), dv_state_write(m->in, in_f));
}

static void barycentric_row(dvObject *o, size_t i, dvMatrixSink *sink)
{
  dvBarycentric *b = (dvBarycentric *)o;
  if (b->nowhere) return;
  if (!dv_barycentric_has_frames(b)) dv_linear_row(o, i, sink);
  else if (frames_hold(b)) dv_embedded_row(&b->frames, i, &b->linear.base, sink);
}

static void barycentric_add_jdot(dvObject *o, int out_a, int in_v)
{
  dvBarycentric *b = (dvBarycentric *)o;
  dvMapping *m = &b->linear.base;
  if (dv_barycentric_has_frames(b) && frames_hold(b))
    dv_embedded_add_jdot(&b->frames, dv_state_read(m->in, in_v), dv_state_write(m->out, out_a));
}

static const dvMappingOps barycentric_ops = {
    .apply = barycentric_apply,
    .apply_j = barycentric_apply_j,
    .apply_jt = barycentric_apply_jt,
    .build_j = dv_mapping_build_rows,
    .row = barycentric_row,
    .add_jdot = barycentric_add_jdot,
    DV_MAPPING_SLOTS,
};

static const dvDofPair pairs[] = {{DV_DOF_VEC3, 0, DV_DOF_VEC3 | DV_DOF_RIGID3}, {0}};

const dvClass dv_barycentric_mapping_class = {
    .struct_size = sizeof(dvClass),
    .name = "BarycentricMapping",
    .help = "moves points with the elements of the input's topology that they lie in",
    .module = "Sofa.Component.Mapping.Linear",
    .dofs = DV_DOF_VEC3,
    .dofs_out = DV_DOF_VEC3 | DV_DOF_RIGID3,
    .pairs = pairs,
    .size = sizeof(dvBarycentric),
    .blocks = {&dv_object_block, &dv_mapping_block, DV_BLOCK(barycentric_fields)},
    .ops = {[DV_ROLE_MAPPING] = &barycentric_ops},
    .link = dv_mapping_link,
    .init = barycentric_init,
    .destroy = barycentric_destroy,
    .topology_changed = barycentric_topology_changed,
    .remember = dv_barycentric_remember,
    .restored = dv_barycentric_restored,
};

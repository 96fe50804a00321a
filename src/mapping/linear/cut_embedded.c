// See cut_embedded.h. First everything is found in the positions of now: what the blade does to the cells, then to the
// surfaces, and for every point that a cell near the blade carries, or that comes, a voxel on its own side of the
// blade. Then the cells part, and the points are put into those that have their voxels.
#include "mapping/linear/cut_embedded.h"

#include "mapping/linear/barycentric.h"
#include "state/state.h"
#include "topology/change/cut_cells.h"
#include "topology/change/cut_skin.h"
#include "topology/search/locate.h"
#include "topology/search/rays.h"
#include "topology/search/surface.h"

#include <string.h>

// points that a mapping carries
typedef struct Cargo {
  dvObject *mapping;
  dvState *points;
  dvTopology *surface;   // of triangles; NULL when there is none to cut
  size_t count;          // points before the cut
  bool met;
  double *x;                        // where they are
  DV_ARRAY(dvPlaceInCell) places;   // and in which cells: as they were, then of the new points
  DV_ARRAY(int32_t) voxels;         // of each, where it goes: -1 leaves it in its place
  dvSkinPoints born;
  dvRayMesh rays;   // of closed surfaces
  bool closed;
} Cargo;

typedef struct Body {
  dvVisitor visitor;
  dvTopology *mesh;
  const dvObject *owner;
  const double *x;
  dvBlade blade;
  DV_ARRAY(Cargo) cargo;
  dvCellCut cut;
  dvHits scratch;
  dvRayHits hits;
} Body;

// --- what is embedded ----------------------------------------------------------------------------

static const int32_t *corners_of(const Body *b, int32_t hexahedron)
{
  return dv_topology_elements(b->mesh, DV_HEXAHEDRON)->data + 8 * (size_t)hexahedron;
}

static dvVec3 mapped(const Body *b, int32_t hexahedron, const double local[3])
{
  double w[8];
  dvVec3 at = dv_vec3(0, 0, 0);
  const int32_t *e = corners_of(b, hexahedron);
  dv_locate_weights(DV_HEXAHEDRON, local, w);
  for (int c = 0; c < 8; c++) at = dv_vec3_add_scaled(at, dv_vec3_load(b->x + 3 * (size_t)e[c]), w[c]);
  return at;
}

static void take_cargo(Body *b, dvObject *o, dvState *out)
{
  Cargo c = {.mapping = o, .points = out, .count = out->count};
  dvTopology *t = out->topology;
  if (t && t != b->mesh && dv_topology_point_count(t) == c.count && dv_topology_count(t, DV_TRIANGLE) && !t->filler &&
      dv_topology_largest(t) == DV_TRIANGLE && !dv_topology_count(t, DV_QUAD))
    c.surface = t;
  dv_array_resize(&c.places, c.count);
  dv_barycentric_places(o, c.places.data, c.count);
  c.x = dv_alloc((3 * c.count + 1) * sizeof *c.x);
  const double *now = dv_state_read(out, DV_X);
  size_t width = (size_t)out->base.dof->coord;   // frames go where their origin does
  for (size_t i = 0; i < c.count; i++) {
    const dvPlaceInCell *p = &c.places.data[i];
    dv_vec3_store(c.x + 3 * i, p->hexahedron >= 0 ? mapped(b, p->hexahedron, p->local) : dv_vec3_load(now + width * i));
  }
  dv_push(&b->cargo, c);
}

static dvWalk take_node(dvVisitor *v, dvNode *node)
{
  Body *b = (Body *)v;
  for (size_t i = 0; i < node->objects.count; i++) {
    const dvMapping *m = dv_barycentric_from(node->objects.data[i], b->mesh);
    if (m && (m->out->base.dof->kind == DV_VEC3 || m->out->base.dof->kind == DV_RIGID3))
      take_cargo(b, node->objects.data[i], m->out);
  }
  return DV_WALK_ON;
}

static void free_body(Body *b)
{
  for (size_t i = 0; i < b->cargo.count; i++) {
    Cargo *c = &b->cargo.data[i];
    dv_free(c->x);
    dv_array_free(&c->places), dv_array_free(&c->voxels), dv_array_free(&c->born);
    if (c->closed) dv_ray_mesh_fini(&c->rays);
  }
  dv_array_free(&b->cargo), dv_array_free(&b->scratch), dv_array_free(&b->hits);
  dv_cell_cut_free(&b->cut);
  dv_blade_fini(&b->blade);
}

// surfaces that the blade meets must be closed; the blade comes to pass their points and edges
static dvStatus look_at_surfaces(Body *b)
{
  DV_ARRAY(dvSkin) skins = {0};
  dvStatus status = DV_OK;
  for (size_t i = 0; i < b->cargo.count && status == DV_OK; i++) {
    Cargo *c = &b->cargo.data[i];
    int32_t first[2] = {0, 0};
    if (!c->surface) continue;
    const dvInts *t = dv_topology_elements(c->surface, DV_TRIANGLE);
    size_t open = dv_surface_open_edges(t->data, dv_ints_size(t), NULL, 0, first);
    if (open == 0) {
      dv_push(&skins, ((dvSkin){c->surface, c->x}));
      c->closed = dv_ray_mesh_init(&c->rays, c->x, t->data, dv_ints_size(t));
    } else if (dv_skin_met(&(dvSkin){c->surface, c->x}, &b->blade)) {
      dv_warning(b->owner, "close it (a mesh whose points are doubled along seams: MeshOBJLoader handleSeams=\"0\")",
                 "%s cannot be cut: the embedded surface %s is open at %zu edges, first between points %d and %d",
                 b->mesh->base.node->base.name, c->surface->base.name, open, first[0], first[1]);
      status = DV_ERROR_USAGE;
    }
  }
  if (status == DV_OK && !dv_skin_settle(skins.data, skins.count, &b->blade)) {
    dv_warning(b->owner, "move the blade a little", "the blade runs along %s everywhere: nothing is cut",
               b->mesh->base.node->base.name);
    status = DV_ERROR_USAGE;
  }
  for (size_t i = 0; i < b->cargo.count && status == DV_OK; i++) {
    Cargo *c = &b->cargo.data[i];
    c->met = c->closed && dv_skin_met(&(dvSkin){c->surface, c->x}, &b->blade);
  }
  dv_array_free(&skins);
  return status;
}

// whether no triangle comes near places
static bool is_clear_of(const dvRayMesh *m, const double *places, size_t count)
{
  dvVec3 middle = dv_vec3(0, 0, 0);
  double at[3], reach2 = 0;
  for (size_t i = 0; i < count; i++)
    middle = dv_vec3_add_scaled(middle, dv_vec3_load(places + 3 * i), 1 / (double)count);
  for (size_t i = 0; i < count; i++)
    reach2 = dv_max(reach2, dv_vec3_norm2(dv_vec3_sub(dv_vec3_load(places + 3 * i), middle)));
  dv_vec3_store(at, middle);
  reach2 *= 1.01;
  return dv_box_tree_nearest(&m->tree, at, &reach2) < 0;
}

// inside of a closed surface; everything is, when there is none
static void is_filled(void *user, const double *places, size_t count, bool *out)
{
  static const double away[3] = {0.5432, 0.6419, 0.5412};
  Body *b = user;
  bool any = false;
  for (size_t i = 0; i < count; i++) out[i] = false;
  for (size_t s = 0; s < b->cargo.count; s++) {
    const Cargo *c = &b->cargo.data[s];
    if (!c->closed) continue;
    any = true;
    bool alike = is_clear_of(&c->rays, places, count);   // what holds for one of them holds for all
    for (size_t i = 0; i < count; i++) {
      if (!alike || i == 0) dv_ray_mesh_trace(&c->rays, places + 3 * i, away, &b->scratch, &b->hits);
      out[i] = out[i] || b->hits.count % 2 == 1;
    }
  }
  for (size_t i = 0; i < count && !any; i++) out[i] = true;
}

// --- where points go -----------------------------------------------------------------------------

// coordinates in a cell; false when its shape has none
static bool find_local(const Body *b, int32_t hexahedron, dvVec3 at, double local[3])
{
  double w[8];
  if (!dv_element_coordinates(DV_HEXAHEDRON, b->x, corners_of(b, hexahedron), at, w)) return false;
  local[0] = w[1] + w[2] + w[5] + w[6];
  local[1] = w[2] + w[3] + w[6] + w[7];
  local[2] = w[4] + w[5] + w[6] + w[7];
  return true;
}

// the same in the frame of the edges at its first corner, for places that are far from it; false when it is flat
static bool guess_local(const Body *b, int32_t hexahedron, dvVec3 at, double local[3])
{
  const int32_t *e = corners_of(b, hexahedron);
  dvVec3 x = dv_vec3_load(b->x + 3 * (size_t)e[0]), d = dv_vec3_sub(at, x);
  dvVec3 u = dv_vec3_sub(dv_vec3_load(b->x + 3 * (size_t)e[1]), x),
         v = dv_vec3_sub(dv_vec3_load(b->x + 3 * (size_t)e[3]), x),
         w = dv_vec3_sub(dv_vec3_load(b->x + 3 * (size_t)e[4]), x);
  double volume = dv_vec3_dot(u, dv_vec3_cross(v, w));
  if (!(fabs(volume) > 0)) return false;
  local[0] = dv_vec3_dot(d, dv_vec3_cross(v, w)) / volume;
  local[1] = dv_vec3_dot(d, dv_vec3_cross(w, u)) / volume;
  local[2] = dv_vec3_dot(d, dv_vec3_cross(u, v)) / volume;
  return true;
}

enum { MOST_STEPS = 1000 };

// walks from cell to cell until it is in that of a place, or at the nearest on the border
static dvPlaceInCell walk(const Body *b, int32_t from, dvVec3 at)
{
  dvPlaceInCell p = {.hexahedron = from};
  for (int step = 0; step < MOST_STEPS; step++) {
    if (!find_local(b, p.hexahedron, at, p.local) && !guess_local(b, p.hexahedron, at, p.local)) return p;
    int32_t next = -1;
    double beyond[6], least = 1e-9;
    for (int d = 0; d < 6; d++) beyond[d] = d % 2 ? p.local[d / 2] - 1 : -p.local[d / 2];
    while (next < 0) {   // over the face that it is farthest beyond, and that has a cell behind it
      int best = -1;
      for (int d = 0; d < 6; d++)
        if (beyond[d] > least && (best < 0 || beyond[d] > beyond[best])) best = d;
      if (best < 0) return p;
      next = dv_cell_beyond(b->mesh, p.hexahedron, best);
      beyond[best] = 0;
    }
    p.hexahedron = next;
  }
  return p;
}

// the nearest voxel of a cell's material that a place sees past the blade; -1 for none
static int find_voxel(const Body *b, const dvNearCell *cell, dvVec3 at, double *nearest)
{
  dvCells cells = {.mesh = b->mesh, .x = b->x};
  int best = -1;
  for (int i = 0; i < 64; i++) {
    if (!(cell->before.voxels >> i & 1)) continue;
    dvVec3 voxel = dv_cell_voxel(&cells, cell->hexahedron, i);
    double d = dv_vec3_norm(dv_vec3_sub(voxel, at));
    if (d < *nearest && !dv_blade_meets(&b->blade, at, voxel)) *nearest = d, best = i;
  }
  return best;
}

// A place in a cell near the blade goes with a voxel on its own side: of its cell, or of one around it.
static int32_t settle(const Body *b, dvPlaceInCell *p, dvVec3 at, dvVec3 off)
{
  const dvNearCell *own = dv_cell_cut_find(&b->cut, p->hexahedron);
  if (!own) return -1;
  double nearest = INFINITY;
  int voxel = find_voxel(b, own, off, &nearest), found;
  if (voxel >= 0) return voxel;
  const int32_t *e = corners_of(b, p->hexahedron);
  int32_t host = p->hexahedron;
  for (int c = 0; c < 8; c++)
    for (int32_t i = dv_topology_first_at(b->mesh, DV_HEXAHEDRON, e[c]); i >= 0;
         i = dv_topology_next_at(b->mesh, DV_HEXAHEDRON, i)) {
      const dvNearCell *other = dv_cell_cut_find(&b->cut, i / 8);
      if (other && (found = find_voxel(b, other, off, &nearest)) >= 0) voxel = found, host = i / 8;
    }
  if (voxel < 0) return __builtin_ctzll(own->before.voxels);   // it is enclosed by the blade
  if (find_local(b, host, at, p->local)) p->hexahedron = host;
  return voxel;
}

static void settle_points(Body *b, Cargo *c)
{
  for (size_t i = 0; i < c->count; i++) {
    dvPlaceInCell *p = &c->places.data[i];
    dvVec3 at = dv_vec3_load(c->x + 3 * i);
    dv_push(&c->voxels, p->hexahedron >= 0 ? settle(b, p, at, at) : -1);
  }
  dvSkinPoints *born = &c->born;
  for (size_t i = 0; i < born->count; i++) {
    const dvSkinPoint *s = &born->data[i];
    int32_t from = c->places.data[s->near].hexahedron;
    if (from < 0) continue;
    dvPlaceInCell p = walk(b, from, s->at);
    const int32_t *e = corners_of(b, p.hexahedron);
    double size =
        dv_vec3_norm(dv_vec3_sub(dv_vec3_load(b->x + 3 * (size_t)e[6]), dv_vec3_load(b->x + 3 * (size_t)e[0])));
    dvVec3 off = dv_vec3_add_scaled(s->at, b->blade.facets.data[s->facet].normal, 1e-6 * size * s->side);
    p.point = s->point;
    int32_t voxel = settle(b, &p, s->at, off);
    dv_push(&c->places, p);
    dv_push(&c->voxels, voxel);
  }
}

static void put_points(const Body *b, Cargo *c)
{
  DV_ARRAY(dvPlaceInCell) put = {0};
  for (size_t i = 0; i < c->places.count; i++) {
    dvPlaceInCell p = c->places.data[i];
    const dvNearCell *cell = p.hexahedron >= 0 ? dv_cell_cut_find(&b->cut, p.hexahedron) : NULL;
    if (!cell && i < c->count) continue;   // it follows its cell
    p.hexahedron = !cell ? (b->cut.now.count ? b->cut.now.data[p.hexahedron] : p.hexahedron)
                         : cell->number[cell->piece[c->voxels.data[i]]];
    dv_push(&put, p);
  }
  if (put.count) dv_barycentric_put(c->mapping, put.data, put.count);
  dv_array_free(&put);
}

// --- the cut -------------------------------------------------------------------------------------

static dvStatus cut_surface(Body *b, Cargo *c, dvBodyCut *out)
{
  if (!c->met) return DV_OK;
  size_t before = dv_topology_count(c->surface, DV_TRIANGLE);
  if (dv_skin_cut(&(dvSkin){c->surface, c->x}, &b->blade, &c->born) == DV_OK) {
    out->triangles += dv_topology_count(c->surface, DV_TRIANGLE) - before;
    return DV_OK;
  }
  dv_warning(b->owner, "move the blade a little, or look whether the surface crosses itself (divan check)",
             "the surface %s cannot be cut there", c->surface->base.name);
  return DV_ERROR_USAGE;
}

static dvStatus cut_cells(Body *b, const dvIncision *how, dvBodyCut *out)
{
  DV_TRY(dv_topology_first_change(b->mesh));
  b->x = how->positions(how->user);
  dvCells cells = {b->mesh, b->x, is_filled, b};
  dv_cells_find(&cells, &b->blade, &b->cut);
  bool met = b->cut.links > 0;
  for (size_t i = 0; i < b->cargo.count; i++) met = met || b->cargo.data[i].met;
  if (!met) return DV_OK;
  dvStatus status = DV_OK;
  for (size_t i = 0; i < b->cargo.count && status == DV_OK; i++) status = cut_surface(b, &b->cargo.data[i], out);
  if (status != DV_OK) b->cut.cells.count = 0;   // points that came all the same find their cells, and no more
  for (size_t i = 0; i < b->cargo.count; i++) settle_points(b, &b->cargo.data[i]);
  if (status == DV_OK) status = dv_cells_part(&cells, &b->cut);
  for (size_t i = 0; i < b->cargo.count; i++) put_points(b, &b->cargo.data[i]);
  for (size_t i = 0; i < b->cargo.count; i++)
    if (b->cargo.data[i].met) dv_topology_tell_end(b->cargo.data[i].surface);
  if (status != DV_OK) dv_topology_end_changes(b->mesh);
  out->split = b->cut.split, out->doubled = b->cut.doubled, out->links = b->cut.links;
  return status;
}

static dvStatus cut_hexahedra(dvTopology *t, const dvIncision *how, const dvSheet *sheet, dvBodyCut *out)
{
  Body b = {.visitor = {.top_down = take_node, .everything = true},
            .mesh = t,
            .owner = how->owner,
            .x = how->positions(how->user)};
  dvStatus status = DV_OK;
  if (!dv_blade_init(&b.blade, sheet)) {
    dv_warning(how->owner, "give at least three corners that span an area", "a blade of %zu corners cuts nothing",
               sheet->offsets[sheet->facets]);
    status = DV_ERROR_USAGE;
  } else {
    dv_visit(t->base.node->scene->root, &b.visitor);
    status = look_at_surfaces(&b);
    if (status == DV_OK) status = cut_cells(&b, how, out);
  }
  free_body(&b);
  return status;
}

dvStatus dv_body_cut(dvTopology *t, const dvIncision *how, const dvSheet *sheet, dvBodyCut *out)
{
  dvBodyCut own;
  if (!out) out = &own;
  *out = (dvBodyCut){.quality = 1};
  if (dv_topology_count(t, DV_HEXAHEDRON)) return cut_hexahedra(t, how, sheet, out);
  dvCut cut;
  dvStatus status = dv_mesh_cut_sheet(t, how, sheet, &cut);
  out->split = cut.split, out->doubled = cut.doubled, out->quality = cut.quality;
  return status;
}

dvStatus dv_body_cut_sweep(dvTopology *t, const dvIncision *how, const double *from, const double *to, size_t count,
                           dvBodyCut *out)
{
  dvSweep s;
  dv_sweep_init(&s, from, to, count);
  dvStatus status = dv_body_cut(t, how, &s.sheet, out);
  dv_sweep_fini(&s);
  return status;
}

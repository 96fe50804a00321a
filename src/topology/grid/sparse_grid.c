// SparseGridTopology, SparseGridRamificationTopology and SparseGridMultipleTopology: hexahedra of a regular grid that a
// surface touches or encloses. See sparse_cells.h.
//
// The surface is a mesh file, or `position` with triangles, quads and facets; these fields then show the grid's own
// points and cells. A file of voxels (.voxel as text, .raw as bytes) gives the cells directly. With
// nbVirtualFinerLevels the cells are found on a grid that much finer, which is then coarsened: what the surface
// encloses is known better, and finer levels are there for components that compute with them. Like in SOFA a sparse
// grid has points and hexahedra only, no edges or quads.
#include "topology/grid/sparse_grid.h"
#include "topology/container.h"
#include "topology/grid/foretell.h"

#include "base/file.h"
#include "object/compat.h"

#include <math.h>

#define SPARSE_FIELDS(X)                                                                                           \
  X(bool, fillWeighted, "1", "", "count cells at the boundary half", .flags = DV_INPUT)                            \
  X(bool, onlyInsideCells, "0", "", "leave out the cells that the surface touches", .flags = DV_INPUT)             \
  X(ivec3, n, "2 2 2", "", "number of points of the whole grid along x, y, z", .flags = DV_INPUT)                  \
  X(vec3, min, "0 0 0", "m",                                                                                       \
    "corner of the grid with the smallest coordinates; a little below the surface when min and max are 0",         \
    .flags = DV_INPUT)                                                                                             \
  X(vec3, max, "0 0 0", "m", "corner with the largest coordinates", .flags = DV_INPUT)                             \
  X(real, cellWidth, "0", "m",                                                                                     \
    "when above 0: width of a cell, which then says how many there are (without finer levels)", .flags = DV_INPUT) \
  X(int, nbVirtualFinerLevels, "0", "",                                                                            \
    "number of finer grids, each with cells half as wide, that this one is made of", .flags = DV_INPUT)            \
  X(ivec3, dataResolution, "0 0 0", "", "number of voxels of a .raw file along x, y, z", .flags = DV_INPUT)        \
  X(vec3, voxelSize, "1 1 1", "m", "size of a voxel of a .raw file", .flags = DV_INPUT)                            \
  X(int, marchingCubeStep, "1", "", "unused: surfaces of voxels are not made here", .flags = DV_HIDDEN)            \
  X(int, convolutionSize, "0", "", "unused: surfaces of voxels are not made here", .flags = DV_HIDDEN)             \
  X(ints, facets, "", "", "polygons of the surface: number of corners, then the points", .flags = DV_INPUT)        \
  X(vec3s, surfacePoints, "", "m", "points of the surface, taken over from position",                              \
    .flags = DV_INPUT | DV_HIDDEN | DV_NO_SRC)                                                                     \
  X(triangles, surfaceTriangles, "", "", "triangles of the surface, taken over from triangles",                    \
    .flags = DV_INPUT | DV_HIDDEN | DV_NO_SRC)                                                                     \
  X(quads, surfaceQuads, "", "", "quads of the surface, taken over from quads",                                    \
    .flags = DV_INPUT | DV_HIDDEN | DV_NO_SRC)                                                                     \
  X(reals, cellStiffness, "", "", "how full each cell is as to its stiffness", .flags = DV_OUTPUT | DV_NO_SRC)     \
  X(reals, cellMass, "", "", "how full each cell is as to its mass", .flags = DV_OUTPUT | DV_NO_SRC)

#define SPLIT_FIELDS(X)                                                                                  \
  X(bool, finestConnectivity, "1", "",                                                                   \
    "cells at the boundary are connected only when an edge of the surface passes from one to the other", \
    .flags = DV_INPUT)

#define MULTIPLE_FIELDS(X)                                                                                         \
  X(strings, fileTopologies, "", "", "surfaces, a file each", .flags = DV_INPUT)                                   \
  X(reals, stiffnessCoefs, "", "", "stiffness of the cells of each surface; 1 where not given", .flags = DV_INPUT) \
  X(reals, massCoefs, "", "", "mass of the cells of each surface; 1 where not given", .flags = DV_INPUT)           \
  X(bool, computeRamifications, "1", "",                                                                           \
    "connect cells as finestConnectivity says; else all neighbours are connected", .flags = DV_INPUT)              \
  X(bool, erasePreviousCoef, "0", "", "at a boundary the last surface counts alone; else it counts half",          \
    .flags = DV_INPUT)

typedef struct SparseGrid {
  dvMeshTopology mesh;
  SPARSE_FIELDS(DV_MEMBER)
  SPLIT_FIELDS(DV_MEMBER)
  MULTIPLE_FIELDS(DV_MEMBER)
  bool split, multiple;
  dvSparseLevel levels[DV_SPARSE_FINER + 1];   // the grid first, the finest last
  int level_count;
} SparseGrid;

#define SELF SparseGrid
static const dvFieldDesc sparse_fields[] = {SPARSE_FIELDS(DV_DESCRIBE)};
static const dvFieldDesc split_fields[] = {SPARSE_FIELDS(DV_DESCRIBE) SPLIT_FIELDS(DV_DESCRIBE)};
static const dvFieldDesc multiple_fields[] = {SPARSE_FIELDS(DV_DESCRIBE) SPLIT_FIELDS(DV_DESCRIBE)
                                                  MULTIPLE_FIELDS(DV_DESCRIBE)};
#undef SELF

static dvObject *object_of(SparseGrid *g) { return &g->mesh.topology.base; }

// --- the surface ---------------------------------------------------------------------------------

static dvStatus check_surface(SparseGrid *g, const dvPolygons *s, const char *from)
{
  size_t n = dv_reals_size(&s->points);
  if (n == 0) return dv_error(object_of(g), NULL, "%s has no points", from);
  for (size_t i = 0; i < s->points.count; i++)
    if (!isfinite(s->points.data[i])) return dv_error(object_of(g), NULL, "point %zu of %s is not finite", i / 3, from);
  for (size_t i = 0; i < s->corner.count; i++)
    if (s->corner.data[i] < 0 || (size_t)s->corner.data[i] >= n)
      return dv_error(object_of(g), "indices count from 0", "a face of %s names point %d, but there are %zu points",
                      from, s->corner.data[i], n);
  return DV_OK;
}

// a loader of the grid's own reads the file and is gone
static dvStatus read_file(SparseGrid *g, const char *name, dvPlace place, dvPolygons *s)
{
  dvObject *o = object_of(g);
  const dvClass *cls = dv_registry_find(&o->context->registry, "MeshLoader");
  if (!cls) return dv_error(o, "give position and triangles", "no loader for mesh files is there");
  dvObject *loader = dv_object_create(o->context, cls, o->name, NULL);
  loader->node = o->node;
  loader->place = place;
  dvField *f = dv_object_field(loader, "filename");
  dvStatus status = dv_object_set(loader, "filename", name);
  f->place = place;
  if (status == DV_OK) status = dv_object_set(loader, "createSubelements", "0");
  if (status == DV_OK) status = dv_field_pull(dv_object_field(loader, "position"));
  if (status == DV_OK) {
    dv_reals_share(&s->points, dv_object_field(loader, "position")->value);
    dv_polygons_add_list(s, dv_object_field(loader, "triangles")->value);
    dv_polygons_add_list(s, dv_object_field(loader, "quads")->value);
    dv_polygons_add_facets(s, dv_object_field(loader, "polygons")->value);
  }
  dv_object_destroy(&loader);
  return status == DV_OK ? check_surface(g, s, name) : status;
}

static dvPlace file_place(SparseGrid *g, const void *member)
{
  const dvField *f = dv_field_of(object_of(g), member);
  return f->place.file ? f->place : object_of(g)->place;
}

static dvStatus find_surface(SparseGrid *g, dvPolygons *s)
{
  dvTopology *t = &g->mesh.topology;
  s->points.width = 3;
  if (t->filename && *t->filename) return read_file(g, t->filename, file_place(g, &t->filename), s);
  if (g->surfacePoints.count == 0)
    return dv_error(&t->base, "give fileTopology=\"file\", or src=\"@loader\"",
                    "%s has no surface: neither a file nor positions are given", t->base.name);
  dv_reals_share(&s->points, &g->surfacePoints);
  dv_polygons_add_list(s, &g->surfaceTriangles);
  dv_polygons_add_list(s, &g->surfaceQuads);
  if (!dv_polygons_add_facets(s, &g->facets))
    return dv_field_error(&t->base, &g->facets, "give the number of corners of each polygon, then its points",
                          "facets ends in the middle of a polygon");
  return check_surface(g, s, t->base.name);
}

// --- size ----------------------------------------------------------------------------------------

static bool box_given(const SparseGrid *g)
{
  for (int k = 0; k < 3; k++)
    if (g->min[k] != 0 || g->max[k] != 0) return true;
  return false;
}

static dvStatus lay_out(SparseGrid *g, const double min[3], const double max[3])
{
  dvObject *o = object_of(g);
  int32_t n[3];
  for (int k = 0; k < 3; k++) {
    double points = g->n[k] < 2 ? 2 : g->n[k];
    if (g->cellWidth > 0 && g->nbVirtualFinerLevels == 0 && !g->multiple)
      points = ceil((max[k] - min[k]) / g->cellWidth) + 1;
    for (int i = 0; i < g->nbVirtualFinerLevels; i++) points = 2 * points - 1;
    if (!(points <= DV_POINT_LIMIT)) points = DV_POINT_LIMIT;   // refused below
    n[k] = (int32_t)dv_max(points, 2);
  }
  if (dv_sparse_lay_out(&g->levels[g->nbVirtualFinerLevels], n, min, max)) return DV_OK;
  for (int k = 0; k < 3; k++)
    if (!(max[k] > min[k]))
      return dv_field_error(o, g->min, "give min and max", "the grid has no extent along %c: from %g to %g", "xyz"[k],
                            min[k], max[k]);
  return dv_field_error(o, g->n, "use a coarser grid or fewer finer levels",
                        "a grid of %d x %d x %d points at its finest level is too large", n[0], n[1], n[2]);
}

static dvStatus check_numbers(SparseGrid *g)
{
  dvObject *o = object_of(g);
  if (g->nbVirtualFinerLevels < 0 || g->nbVirtualFinerLevels > DV_SPARSE_FINER)
    return dv_field_error(o, &g->nbVirtualFinerLevels, NULL, "nbVirtualFinerLevels %d is not between 0 and %d",
                          g->nbVirtualFinerLevels, DV_SPARSE_FINER);
  if (!isfinite(g->cellWidth)) return dv_field_error(o, &g->cellWidth, NULL, "cellWidth is not finite");
  if (g->n[0] < 2 || g->n[1] < 2 || g->n[2] < 2)
    dv_field_warning(o, g->n, "give at least 2 points along each axis",
                     "a sparse grid of %d x %d x %d points gets 2 where there are fewer", g->n[0], g->n[1], g->n[2]);
  for (int k = 0; k < 3; k++) g->n[k] = g->n[k] < 2 ? 2 : g->n[k];
  return DV_OK;
}

// --- cells ---------------------------------------------------------------------------------------

static dvStatus no_memory(SparseGrid *g)
{
  return dv_error(object_of(g), "use a coarser grid", "out of memory for the cells of the grid");
}

static void tell_of_points_outside(SparseGrid *g, size_t outside, const char *from)
{
  if (outside)
    dv_field_warning(object_of(g), g->min, "make the box from min to max larger, or leave both out",
                     "%zu points of %s lie outside of the grid", outside, from);
}

static bool weigh(SparseGrid *g, dvSparseLevel *l)
{
  size_t n = l->cell_of.count;
  if (!dv_try_reserve(&l->stiffness, n) || !dv_try_reserve(&l->mass, n)) return false;
  l->stiffness.count = l->mass.count = n;
  for (size_t i = 0; i < n; i++)
    l->stiffness.data[i] = l->mass.data[i] = l->type.data[i] == DV_CELL_BOUNDARY && g->fillWeighted ? 0.5f : 1.0f;
  return true;
}

// connects and splits the finest level, and makes the coarser ones
static dvStatus make_levels(SparseGrid *g, const dvPolygons *surface)
{
  int finest = g->nbVirtualFinerLevels;
  dvSparseLevel *l = &g->levels[finest];
  bool by_surface = g->finestConnectivity && (!g->multiple || g->computeRamifications);
  if (g->split && (by_surface || finest > 0)) {
    bool as_sofa = by_surface && surface && dv_compat(object_of(g), DV_COMPAT_RAMIFIED_FACES);
    if (!dv_sparse_connect(l, by_surface && surface ? surface : NULL, as_sofa)) return no_memory(g);
    if (by_surface && !dv_sparse_split(l)) return no_memory(g);
  }
  for (int i = finest - 1; i >= 0; i--) {
    bool good = g->split ? dv_sparse_coarsen_split(&g->levels[i], &g->levels[i + 1])
                         : dv_sparse_coarsen(&g->levels[i], &g->levels[i + 1]);
    if (!good) return no_memory(g);
  }
  return DV_OK;
}

static dvStatus from_surface(SparseGrid *g, const dvPolygons *s)
{
  double min[3], max[3];
  dv_polygons_box(s, 1, min, max);
  DV_TRY(lay_out(g, box_given(g) ? g->min : min, box_given(g) ? g->max : max));
  dvSparseLevel *l = &g->levels[g->nbVirtualFinerLevels];
  size_t outside;
  uint8_t *types = dv_try_alloc(dv_sparse_cells(l));
  bool good =
      types && dv_sparse_voxelise(l, s, types, &outside) && dv_sparse_fill(l, types, g->onlyInsideCells) && weigh(g, l);
  dv_free(types);
  if (!good) return no_memory(g);
  tell_of_points_outside(g, outside, "the surface");
  return make_levels(g, s);
}

// --- voxels --------------------------------------------------------------------------------------

static char *read_voxel_file(SparseGrid *g, size_t *length)
{
  dvObject *o = object_of(g);
  dvText advice = {0};
  const char *name = g->mesh.topology.filename;
  char *path = dv_context_find_file(o->context, name, file_place(g, &g->mesh.topology.filename).file, &advice);
  char *text = dv_file_read(path, length);
  if (!text)
    dv_field_error(o, &g->mesh.topology.filename, advice.text, "the file '%s' cannot be read: %s", name, dv_file_why());
  dv_free(path);
  dv_text_free(&advice);
  return text;
}

static dvStatus bad_voxels(SparseGrid *g, const char *what)
{
  return dv_field_error(object_of(g), &g->mesh.topology.filename,
                        "a .voxel file has the numbers of voxels along x, y, z, their sizes, then a number each",
                        "'%s': %s", g->mesh.topology.filename, what);
}

// numbers of voxels, sizes, and a number for each voxel, x fastest
static dvStatus from_voxel_text(SparseGrid *g, const char *text)
{
  long long count[3];
  double size[3], max[3];
  for (int k = 0; k < 3; k++)
    if (!dv_scan_int(&text, &count[k]) || count[k] < 1 || count[k] >= DV_POINT_LIMIT)
      return bad_voxels(g, "no numbers of voxels");
  for (int k = 0; k < 3; k++) {
    if (!dv_scan_real(&text, &size[k]) || !(size[k] > 0)) return bad_voxels(g, "no sizes of voxels");
    max[k] = size[k] * (double)count[k];
    double cut = trunc((double)(float)size[k] * (double)count[k]);   // SOFA keeps whole numbers
    if (cut != max[k] && dv_compat(object_of(g), DV_COMPAT_VOXEL_EXTENT)) max[k] = cut;
  }
  dvSparseLevel *l = &g->levels[g->nbVirtualFinerLevels];
  const int32_t n[3] = {(int32_t)count[0] + 1, (int32_t)count[1] + 1, (int32_t)count[2] + 1};
  if (!dv_sparse_lay_out(l, n, (double[3]){0, 0, 0}, max))
    return bad_voxels(g, "the grid is too large or has no extent");
  size_t cells = dv_sparse_cells(l);
  uint8_t *types = dv_try_alloc(cells);
  bool complete = types != NULL;
  double value;
  for (size_t i = 0; i < cells && complete; i++) {
    complete = dv_scan_real(&text, &value);
    types[i] = complete && value != 0 ? DV_CELL_INSIDE : DV_CELL_OUTSIDE;
  }
  bool good = complete && dv_sparse_fill(l, types, false) && weigh(g, l);
  dv_free(types);
  if (!complete) return bad_voxels(g, "there are fewer voxels than it says");
  return good ? make_levels(g, NULL) : no_memory(g);
}

// bytes, x fastest; a cell counts when one of its voxels does
static dvStatus from_voxel_bytes(SparseGrid *g, const char *bytes, size_t length)
{
  const int32_t *r = g->dataResolution;
  double max[3];
  for (int k = 0; k < 3; k++) {
    if (r[k] < 1)
      return dv_field_error(object_of(g), g->dataResolution, "give the numbers of voxels of the file",
                            "a .raw file needs dataResolution");
    max[k] = g->voxelSize[k] * r[k];
  }
  if ((double)r[0] * r[1] * r[2] > (double)length)
    return dv_field_error(object_of(g), g->dataResolution, NULL, "'%s' has %zu bytes, fewer than %d x %d x %d voxels",
                          g->mesh.topology.filename, length, r[0], r[1], r[2]);
  DV_TRY(lay_out(g, (double[3]){0, 0, 0}, max));
  dvSparseLevel *l = &g->levels[g->nbVirtualFinerLevels];
  uint8_t *types = dv_try_alloc(dv_sparse_cells(l));
  if (!types) return no_memory(g);
  for (int z = 0; z < r[2]; z++)
    for (int y = 0; y < r[1]; y++)
      for (int x = 0; x < r[0]; x++) {
        if (!*bytes++) continue;
        const int at[3] = {x, y, z};
        int cell[3];
        for (int k = 0; k < 3; k++) cell[k] = (int)(at[k] * ((l->n[k] - 1) / (double)r[k]));
        types[dv_sparse_cell_number(l, cell[0], cell[1], cell[2])] = DV_CELL_INSIDE;
      }
  bool good = dv_sparse_fill(l, types, false) && weigh(g, l);
  dv_free(types);
  return good ? make_levels(g, NULL) : no_memory(g);
}

static dvStatus from_voxels(SparseGrid *g, bool text)
{
  size_t length;
  char *content = read_voxel_file(g, &length);
  if (!content) return DV_ERROR_INPUT;
  dvStatus status = text ? from_voxel_text(g, content) : from_voxel_bytes(g, content, length);
  dv_free(content);
  return status;
}

// --- several surfaces ----------------------------------------------------------------------------

typedef struct Mixture {
  uint8_t *all, *one;
  float *stiffness, *mass;
  size_t cells;
} Mixture;

static float coefficient(const dvReals *list, size_t i) { return i < list->count ? (float)list->data[i] : 1; }

// inside, the last surface counts; at a boundary it is mixed with what was there
static void mix(const SparseGrid *g, Mixture *m, size_t surface)
{
  float stiffness = coefficient(&g->stiffnessCoefs, surface), mass = coefficient(&g->massCoefs, surface);
  for (size_t i = 0; i < m->cells; i++) {
    if (m->one[i] == DV_CELL_OUTSIDE) continue;
    bool whole = m->one[i] == DV_CELL_INSIDE || !g->fillWeighted;
    if (whole) m->all[i] = DV_CELL_INSIDE;
    else if (m->all[i] != DV_CELL_INSIDE) m->all[i] = DV_CELL_BOUNDARY;
    bool alone = whole || g->erasePreviousCoef;
    m->stiffness[i] = alone ? stiffness : (m->stiffness[i] + stiffness) * 0.5f;
    m->mass[i] = alone ? mass : (m->mass[i] + mass) * 0.5f;
  }
}

static bool weigh_mixture(dvSparseLevel *l, const Mixture *m)
{
  size_t n = l->cell_of.count;
  if (!dv_try_reserve(&l->stiffness, n) || !dv_try_reserve(&l->mass, n)) return false;
  l->stiffness.count = l->mass.count = n;
  for (size_t i = 0; i < n; i++) {
    l->stiffness.data[i] = m->stiffness[l->cell_of.data[i]];
    l->mass.data[i] = m->mass[l->cell_of.data[i]];
  }
  return true;
}

static bool mix_surfaces(SparseGrid *g, const dvPolygons *s, size_t count, Mixture *m)
{
  dvSparseLevel *l = &g->levels[g->nbVirtualFinerLevels];
  m->cells = dv_sparse_cells(l);
  m->all = dv_try_alloc(m->cells);
  m->one = dv_try_alloc(m->cells);
  m->stiffness = dv_try_alloc(m->cells * sizeof(float));
  m->mass = dv_try_alloc(m->cells * sizeof(float));
  if (!m->all || !m->one || !m->stiffness || !m->mass) return false;
  for (size_t i = 0; i < count; i++) {
    size_t outside;
    if (!dv_sparse_voxelise(l, &s[i], m->one, &outside)) return false;
    tell_of_points_outside(g, outside, g->fileTopologies.data[i]);
    mix(g, m, i);
  }
  return dv_sparse_fill(l, m->all, g->onlyInsideCells) && weigh_mixture(l, m);
}

static dvStatus from_surfaces(SparseGrid *g, const dvPolygons *s, size_t count)
{
  double min[3], max[3];
  dv_polygons_box(s, count, min, max);
  DV_TRY(lay_out(g, box_given(g) ? g->min : min, box_given(g) ? g->max : max));
  Mixture m = {0};
  bool good = mix_surfaces(g, s, count, &m);
  dv_free(m.all);
  dv_free(m.one);
  dv_free(m.stiffness);
  dv_free(m.mass);
  if (!good) return no_memory(g);
  // connections follow the surface of the grid itself
  const char *file = g->mesh.topology.filename;
  if (!g->finestConnectivity || !g->computeRamifications || !file || !*file) return make_levels(g, NULL);
  dvPolygons outer = {.points.width = 3};
  dvStatus status = read_file(g, file, file_place(g, &g->mesh.topology.filename), &outer);
  if (status == DV_OK) status = make_levels(g, &outer);
  dv_polygons_free(&outer);
  return status;
}

static dvStatus from_files(SparseGrid *g)
{
  size_t count = g->fileTopologies.count;
  if (count == 0)
    return dv_error(object_of(g), "give fileTopologies=\"a.obj b.obj\"", "%s has no surfaces", object_of(g)->name);
  if (g->stiffnessCoefs.count < count || g->massCoefs.count < count)
    dv_warning(object_of(g), "give one for each file",
               "there are %zu surfaces, %zu stiffnessCoefs and %zu massCoefs: 1 where there is none", count,
               g->stiffnessCoefs.count, g->massCoefs.count);
  dvPolygons *s = dv_alloc(count * sizeof *s);
  dvStatus status = DV_OK;
  for (size_t i = 0; i < count && status == DV_OK; i++) {
    s[i].points.width = 3;
    status = read_file(g, g->fileTopologies.data[i], file_place(g, &g->fileTopologies), &s[i]);
  }
  if (status == DV_OK) status = from_surfaces(g, s, count);
  for (size_t i = 0; i < count; i++) dv_polygons_free(&s[i]);
  dv_free(s);
  return status;
}

// --- hooks ---------------------------------------------------------------------------------------

static bool sparse_make_points(dvTopology *t, dvReals *out)
{
  dv_reals_share(out, &((SparseGrid *)t)->levels[0].points);
  return true;
}

static bool sparse_make_elements(dvTopology *t, dvElementKind kind, dvInts *out, bool *made)
{
  *made = true;
  if (kind == DV_HEXAHEDRON) dv_ints_share(out, &((SparseGrid *)t)->levels[0].hexahedra);
  return true;
}

static const dvTopologyMaker sparse_maker = {sparse_make_points, sparse_make_elements};

static void clear_levels(SparseGrid *g)
{
  for (int i = 0; i <= DV_SPARSE_FINER; i++) dv_sparse_free(&g->levels[i]);
  g->level_count = 0;
}

static void show(SparseGrid *g)
{
  const dvSparseLevel *l = &g->levels[0];
  memcpy(g->n, l->n, sizeof g->n);
  size_t n = l->cell_of.count;
  if (!dv_reals_resize(&g->cellStiffness, n) || !dv_reals_resize(&g->cellMass, n)) return;
  for (size_t i = 0; i < n; i++) {
    g->cellStiffness.data[i] = l->stiffness.data[i];
    g->cellMass.data[i] = l->mass.data[i];
  }
}

static dvStatus make_grid(SparseGrid *g)
{
  const char *file = g->mesh.topology.filename ? g->mesh.topology.filename : "";
  if (g->multiple) return from_files(g);
  if (dv_ends_with_nocase(file, ".voxel")) return from_voxels(g, true);
  if (dv_ends_with_nocase(file, ".raw")) return from_voxels(g, false);
  dvPolygons s = {0};
  dvStatus status = find_surface(g, &s);
  if (status == DV_OK) status = from_surface(g, &s);
  dv_polygons_free(&s);
  return status;
}

static dvStatus sparse_update(dvObject *o)
{
  SparseGrid *g = (SparseGrid *)o;
  DV_TRY(check_numbers(g));
  clear_levels(g);
  DV_TRY(make_grid(g));
  if (g->levels[0].cell_of.count == 0)
    return dv_error(o,
                    g->onlyInsideCells ? "use a finer grid, or keep the boundary"
                                       : "is the surface inside the box from min to max?",
                    "%s has no cells", o->name);
  g->level_count = g->nbVirtualFinerLevels + 1;
  show(g);
  g->mesh.topology.least_points = dv_reals_size(&g->levels[0].points);
  dv_grid_foretell(&g->mesh.topology, g->mesh.topology.least_points, 3);
  dv_topology_changed(&g->mesh.topology);
  g->mesh.topology.stamp = 0;
  return DV_OK;
}

// what stands in a field that will show the grid is the surface
static void take_over(dvObject *o, dvField *from, void *member)
{
  dvField *to = dv_field_of(o, member);
  if (from->source) dv_field_link(to, from->source, NULL);
  else if (from->was_set) dv_field_copy(to, from, NULL);
  to->place = from->place;
  dv_field_unlink(from);
  from->was_set = false;
}

static dvStatus sparse_link(dvObject *o)
{
  SparseGrid *g = (SparseGrid *)o;
  dvTopology *t = &g->mesh.topology;
  take_over(o, t->fields[DV_POINT], &g->surfacePoints);
  take_over(o, t->fields[DV_TRIANGLE], &g->surfaceTriangles);
  take_over(o, t->fields[DV_QUAD], &g->surfaceQuads);
  for (dvElementKind k = DV_EDGE; k < DV_ELEMENT_KINDS; k++) {
    dv_field_unlink(t->fields[k]);
    dv_ints_free(t->fields[k]->value);
  }
  dv_reals_free(&t->position);
  return DV_OK;
}

extern const dvClass dv_sparse_grid_class, dv_sparse_grid_multiple_class;

static void sparse_create(dvObject *o)
{
  SparseGrid *g = (SparseGrid *)o;
  dv_mesh_topology_create(o);
  dv_topology(o)->maker = &sparse_maker;
  g->multiple = o->cls == &dv_sparse_grid_multiple_class;
  g->split = o->cls != &dv_sparse_grid_class;
}

static void sparse_destroy(dvObject *o)
{
  clear_levels((SparseGrid *)o);
  dv_topology_destroy(o);
}

#define SPARSE(variable, name_, aliases_, help_, fields)                                           \
  const dvClass variable = {                                                                       \
      .struct_size = sizeof(dvClass),                                                              \
      .name = name_,                                                                               \
      .aliases = aliases_,                                                                         \
      .help = help_,                                                                               \
      .module = "Sofa.Component.Topology.Container.Grid",                                          \
      .roles = DV_PLAYS(DV_ROLE_TOPOLOGY),                                                         \
      .size = sizeof(SparseGrid),                                                                  \
      .blocks = {&dv_object_block, &dv_topology_block, &dv_mesh_topology_block, DV_BLOCK(fields)}, \
      .create = sparse_create,                                                                     \
      .link = sparse_link,                                                                         \
      .update = sparse_update,                                                                     \
      .init = dv_mesh_topology_init,                                                               \
      .reinit = dv_topology_init,                                                                  \
      .fetch = dv_topology_fetch,                                                                  \
      .destroy = sparse_destroy,                                                                   \
  };

SPARSE(dv_sparse_grid_class, "SparseGridTopology", "SparseGrid",
       "cells of a regular grid that a surface touches or encloses", sparse_fields)
SPARSE(dv_sparse_grid_split_class, "SparseGridRamificationTopology", "SparseGridRamification",
       "a sparse grid whose branches do not stick together where they share a cell", split_fields)
SPARSE(dv_sparse_grid_multiple_class, "SparseGridMultipleTopology", "SparseGridMultiple",
       "a sparse grid of several surfaces with a stiffness and a mass each", multiple_fields)

// --- for others ----------------------------------------------------------------------------------

bool dv_is_sparse_grid(const dvObject *o) { return o->cls->update == sparse_update; }

int dv_sparse_grid_levels(dvObject *grid)
{
  return dv_topology_settle(dv_topology(grid)) == DV_OK ? ((SparseGrid *)grid)->level_count : 0;
}

const dvSparseLevel *dv_sparse_grid_level(dvObject *grid, int level)
{
  return level >= 0 && level < dv_sparse_grid_levels(grid) ? &((SparseGrid *)grid)->levels[level] : NULL;
}

int32_t dv_sparse_grid_find(dvObject *grid, const double p[3], double at[3])
{
  SparseGrid *g = (SparseGrid *)grid;
  if (dv_sparse_grid_levels(grid) == 0) return -1;
  if (g->split && g->level_count > 1) return dv_sparse_piece_find(g->levels, g->level_count, p, at);
  return dv_sparse_level_find(&g->levels[0], p, at);
}

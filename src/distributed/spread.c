// Cutting a mesh into the parts of processes. See spread.h.
#include "distributed/spread.h"

#include "io/mesh/mesh.h"
#include "mechanics/component.h"
#include "state/state.h"

#include <stdlib.h>
#include <string.h>

#ifdef DV_HAVE_METIS
#include <metis.h>

bool dv_spread_partition(int32_t parts, size_t points, size_t elements, const int32_t *starts, const int32_t *corners,
                         int32_t *part)
{
  idx_t n = (idx_t)points, e = (idx_t)elements, k = parts, cut, options[METIS_NOPTIONS];
  memset(part, 0, points * sizeof *part);
  if (parts == 1) return true;
  idx_t *of_elements = dv_try_alloc((elements + 1) * sizeof *of_elements);
  if (!of_elements) return false;
  METIS_SetDefaultOptions(options);
  options[METIS_OPTION_NUMBERING] = 0;
  options[METIS_OPTION_SEED] = 1;
  bool good = METIS_PartMeshNodal(&e, &n, (idx_t *)(uintptr_t)starts, (idx_t *)(uintptr_t)corners, NULL, NULL, &k, NULL,
                                  options, &cut, of_elements, part) == METIS_OK;
  dv_free(of_elements);
  return good;
}
#else
bool dv_spread_partition(int32_t parts, size_t points, size_t elements, const int32_t *starts, const int32_t *corners,
                         int32_t *part)
{
  DV_UNUSED(elements), DV_UNUSED(starts), DV_UNUSED(corners);
  memset(part, 0, points * sizeof *part);
  return parts == 1;
}
#endif

static const dvMeshKind solids[] = {DV_MESH_TETRAHEDRON, DV_MESH_HEXAHEDRON, DV_MESH_PRISM, DV_MESH_PYRAMID};

// --- the parts -----------------------------------------------------------------------------------

// corners of all solids one after the other
size_t dv_spread_list_solids(dvMesh *mesh, dvMeshIndices *starts, dvMeshIndices *corners)
{
  for (size_t i = 0; i < DV_COUNT(solids); i++) {
    const dvMeshIndices *list = dv_mesh_elements(mesh, solids[i]);
    const size_t width = (size_t)dv_mesh_corners(solids[i]);
    for (size_t k = 0; k < list->count; k++) {
      if (k % width == 0) dv_push(starts, (int32_t)corners->count);
      dv_push(corners, list->data[k]);
    }
  }
  dv_push(starts, (int32_t)corners->count);
  return starts->count - 1;
}

// rank 0 decides, so that all have the same parts whatever their libraries do
static dvStatus find_parts(dvSpread *b, dvObject *loader, dvMesh *mesh, int32_t *part)
{
  dvMeshIndices starts = {0}, corners = {0};
  const size_t points = dv_mesh_point_count(mesh);
  b->all_elements = dv_spread_list_solids(mesh, &starts, &corners);
  int good = 1;
  if (b->rank == 0) good = dv_spread_partition(b->size, points, b->all_elements, starts.data, corners.data, part);
  dv_array_free(&starts), dv_array_free(&corners);
  b->engine->broadcast(&good, sizeof good);
  if (!good)
    return dv_error(loader, "build with METIS (libmetis-dev), or use fewer processes",
                    "METIS cannot cut the mesh into %d parts", b->size);
  b->engine->broadcast(part, points * sizeof *part);
  DV_ARRAY(size_t) counts = {0};
  dv_array_resize(&counts, (size_t)b->size);
  for (size_t i = 0; i < points; i++) counts.data[part[i]]++;
  size_t least = points;
  for (int r = 0; r < b->size; r++) least = dv_min_size(least, counts.data[r]);
  dv_array_free(&counts);
  if (!least || b->all_elements < (size_t)b->size)
    return dv_error(loader, "start fewer processes", "%zu elements cannot be cut into %d parts: one of them is empty",
                    b->all_elements, b->size);
  return DV_OK;
}

// --- cutting -------------------------------------------------------------------------------------

static bool touches(const int32_t *corners, size_t width, const int32_t *part, int32_t rank)
{
  for (size_t i = 0; i < width; i++)
    if (part[corners[i]] == rank) return true;
  return false;
}

// Own points first, then those of others that elements here have; `here` gets the number of each point, or -1.
static void number_points(dvSpread *b, dvMesh *mesh, const int32_t *part, int32_t *here)
{
  const size_t points = dv_mesh_point_count(mesh);
  for (size_t i = 0; i < points; i++) here[i] = -1;
  for (size_t i = 0; i < points; i++)
    if (part[i] == b->rank) dv_push(&b->origin, (int32_t)i);
  b->parts.owned = b->origin.count;
  for (int kind = 0; kind < DV_MESH_KINDS; kind++) {
    const dvMeshIndices *list = dv_mesh_elements(mesh, (dvMeshKind)kind);
    const size_t width = (size_t)dv_mesh_corners((dvMeshKind)kind);
    for (size_t e = 0; e + width <= list->count; e += width)
      for (size_t k = 0; touches(list->data + e, width, part, b->rank) && k < width; k++)
        if (part[list->data[e + k]] != b->rank) here[list->data[e + k]] = 0;
  }
  for (size_t i = 0; i < points; i++)
    if (here[i] == 0) dv_push(&b->origin, (int32_t)i);
  for (size_t i = 0; i < b->origin.count; i++) here[b->origin.data[i]] = (int32_t)i;
  b->parts.points = b->origin.count;
  b->parts.all = points;
  b->border = b->parts.points - b->parts.owned;
}

// all count the points of rank 0 first, each rank's in the order of the file
static void number_globally(dvSpread *b, const int32_t *part)
{
  DV_ARRAY(int64_t) next = {0};
  dv_array_resize(&next, (size_t)b->size + 1);
  for (size_t i = 0; i < b->parts.all; i++) next.data[part[i] + 1]++;
  for (int r = 0; r < b->size; r++) next.data[r + 1] += next.data[r];
  int64_t *number = dv_alloc(b->parts.all * sizeof *number);
  for (size_t i = 0; i < b->parts.all; i++) number[i] = next.data[part[i]]++;
  dv_array_resize(&b->global, b->parts.points);
  for (size_t i = 0; i < b->parts.points; i++) b->global.data[i] = number[b->origin.data[i]];
  b->parts.global = b->global.data;
  dv_free(number);
  dv_array_free(&next);
}

static dvStatus connect(dvSpread *b, dvObject *loader, const int32_t *owner, const int32_t *number)
{
  char error[DV_ENGINE_TEXT] = "";
  b->halo = b->engine->halo_create(b->parts.owned, b->border, owner, number, error);
  return b->halo ? DV_OK : dv_error(loader, NULL, "the parts cannot be connected: %s", error);
}

void dv_spread_owners(const dvSpread *b, const int32_t *part, int32_t *owner, int32_t *number)
{
  int64_t *first = dv_alloc(((size_t)b->size + 1) * sizeof *first);
  for (size_t i = 0; i < b->parts.all; i++) first[part[i] + 1]++;
  for (int r = 0; r < b->size; r++) first[r + 1] += first[r];
  for (size_t i = 0; i < b->parts.points; i++) {
    owner[i] = part[b->origin.data[i]];
    number[i] = (int32_t)(b->global.data[i] - first[owner[i]]);
  }
  dv_free(first);
}

// what cannot follow: groups, polygons, lines
static void drop_lists(dvMesh *mesh)
{
  for (size_t i = 0; i < mesh->groups.count; i++)
    dv_free(mesh->groups.data[i].name), dv_free(mesh->groups.data[i].material);
  mesh->groups.count = 0;
  mesh->polygons.offset.count = mesh->polygons.index.count = 0;
  mesh->polylines.offset.count = mesh->polylines.index.count = 0;
}

// elements that touch own points, with the numbers that `here` has for their corners; `to` may be `from`
static void take_elements(dvSpread *b, dvMesh *from, const int32_t *part, const int32_t *here, dvMesh *to)
{
  b->elements = 0;
  for (int kind = 0; kind < DV_MESH_KINDS; kind++) {
    const dvMeshIndices *list = dv_mesh_elements(from, (dvMeshKind)kind);
    dvMeshIndices *out = dv_mesh_elements(to, (dvMeshKind)kind);
    const size_t width = (size_t)dv_mesh_corners((dvMeshKind)kind), count = list->count;
    size_t kept = 0;
    for (size_t e = 0; e + width <= count; e += width) {
      if (!touches(list->data + e, width, part, b->rank)) continue;
      if (from != to) dv_array_resize(out, kept + width);
      for (size_t k = 0; k < width; k++) out->data[kept++] = here[list->data[e + k]];
    }
    out->count = kept;
    for (size_t i = 0; i < DV_COUNT(solids); i++)
      if ((int)solids[i] == kind) b->elements += kept / width;
  }
}

static dvMeshReals positions_here(const dvSpread *b, const dvMesh *mesh)
{
  dvMeshReals kept = {0};
  dv_array_resize(&kept, 3 * b->origin.count);
  for (size_t i = 0; i < b->origin.count; i++)
    memcpy(kept.data + 3 * i, mesh->positions.data + 3 * (size_t)b->origin.data[i], 3 * sizeof(double));
  return kept;
}

void dv_spread_take_part(dvSpread *b, dvMesh *mesh, const int32_t *part, dvMesh *out)
{
  int32_t *here = dv_alloc((dv_mesh_point_count(mesh) + 1) * sizeof *here);
  b->origin.count = b->global.count = 0;
  number_points(b, mesh, part, here);
  number_globally(b, part);
  take_elements(b, mesh, part, here, out);
  dvMeshReals kept = positions_here(b, mesh);
  dv_array_free(&out->positions);
  out->positions = kept;
  dv_free(here);
}

// --- parts that were cut before (pieces.c) -------------------------------------------------------

static dvStatus adopt(dvSpread *b, dvObject *loader, dvMesh *mesh)
{
  const size_t points = dv_mesh_point_count(mesh);
  int32_t *owner = dv_alloc((points + 1) * sizeof *owner), *number = dv_alloc((points + 1) * sizeof *number),
          *same = dv_alloc((points + 1) * sizeof *same);
  for (size_t i = 0; i < points; i++) same[i] = (int32_t)i;
  bool good = dv_spread_read_piece(b, mesh, owner, number);
  if (b->engine->worst(good ? 0 : 1)) good = false;
  dvStatus status = good ? DV_OK
                         : dv_error(loader, "write it again: divan convert MESH OUT.pvtu|OUT.geo --parts N",
                                    "the parts of the mesh do not fit together");
  if (good) {
    take_elements(b, mesh, owner, same, mesh);
    drop_lists(mesh);
    b->loader = loader;
    size_t home = 0;   // solids that are counted here: those whose first corner is
    for (size_t i = 0; i < DV_COUNT(solids); i++) {
      const dvMeshIndices *list = dv_mesh_elements(mesh, solids[i]);
      for (size_t e = 0; e < list->count; e += (size_t)dv_mesh_corners(solids[i]))
        home += owner[list->data[e]] == b->rank;
    }
    b->all_elements = (size_t)b->engine->sum((double)home);
    status = connect(b, loader, owner + b->parts.owned, number + b->parts.owned);
  }
  dv_free(owner), dv_free(number), dv_free(same);
  return status;
}

// --- what is the same for all --------------------------------------------------------------------

typedef struct Masses {
  dvVisitor visitor;
  dvSpread *body;
  dvStatus status;
} Masses;

// a mass of all points together is that of each, as all of them are counted
static dvWalk share_masses(dvVisitor *v, dvNode *node)
{
  Masses *m = (Masses *)v;
  for (size_t i = 0; i < node->objects.count; i++) {
    dvObject *o = node->objects.data[i];
    if (!dv_same(o->cls->name, "UniformMass")) continue;
    dvField *total = dv_object_field(o, "totalMass");
    if (!total || !total->was_set) continue;
    char *each = dv_format("%.17g", *(const double *)total->value / (double)m->body->parts.all);
    if (m->status == DV_OK) m->status = dv_object_set(o, "vertexMass", each);
    total->was_set = false;
    dv_free(each);
  }
  return DV_WALK_ON;
}

static dvStatus cut(dvParts *parts, dvObject *loader, dvMesh *mesh)
{
  dvSpread *b = (dvSpread *)parts;
  bool solid = false;
  for (size_t i = 0; i < DV_COUNT(solids); i++) solid = solid || dv_mesh_elements(mesh, solids[i])->count;
  if (!solid) return DV_OK;   // what an output looks like: all processes have it
  if (b->loader)
    return dv_error(loader, "run it without --distributed", "there are two bodies; one can be distributed");
  dvStatus status = DV_OK;
  if (dv_spread_is_piece(mesh)) {
    status = adopt(b, loader, mesh);
  } else {
    const size_t points = dv_mesh_point_count(mesh);
    int32_t *part = dv_alloc((points + 1) * sizeof *part);
    status = find_parts(b, loader, mesh, part);
    if (status == DV_OK) {
      b->loader = loader;
      dv_spread_take_part(b, mesh, part, mesh);
      drop_lists(mesh);
      int32_t *owner = dv_alloc((b->parts.points + 1) * sizeof *owner),
              *number = dv_alloc((b->parts.points + 1) * sizeof *number);
      dv_spread_owners(b, part, owner, number);
      status = connect(b, loader, owner + b->parts.owned, number + b->parts.owned);
      dv_free(owner), dv_free(number);
    }
    dv_free(part);
  }
  Masses masses = {.visitor = {.top_down = share_masses, .everything = true}, .body = b};
  if (status == DV_OK && b->scene) dv_visit(b->scene->root, &masses.visitor);
  return status != DV_OK ? status : masses.status;
}

static double sum(dvParts *parts, double value) { return ((dvSpread *)parts)->engine->sum(value); }

static dvStatus share(dvParts *parts, double *values, int width)
{
  dvSpread *b = (dvSpread *)parts;
  char error[DV_ENGINE_TEXT] = "";
  if (!b->halo || b->engine->halo_update(b->halo, values, width, error)) return DV_OK;
  dv_log_send(&b->context->log, &(dvMessage){.level = DV_ERROR, .status = DV_ERROR_INPUT, .text = error});
  return DV_ERROR_INPUT;
}

// --- life ----------------------------------------------------------------------------------------

dvSpread *dv_spread_create(dvContext *context, dvText *why, dvText *advice)
{
  const dvEngine *engine = dv_engine_get(why, advice);
  if (!engine) return NULL;
  dvSpread *b = dv_alloc(sizeof *b);
  b->parts = (dvParts){.cut = cut,
                       .piece = dv_spread_piece_path,
                       .have_pieces = dv_spread_have_pieces,
                       .sum = sum,
                       .share = share,
                       .gather = dv_spread_gather_memory,
                       .scatter = dv_spread_scatter_memory};
  b->context = context;
  b->engine = engine;
  b->rank = engine->rank(), b->size = engine->size();
  b->parts.speaks = b->rank == 0;
  dv_parts_use(context, &b->parts);
  return b;
}

void dv_spread_destroy(dvSpread **body)
{
  dvSpread *b = *body;
  if (!b) return;
  dv_parts_use(NULL, NULL);
  dv_spread_free_outputs(b);
  if (b->halo) b->engine->halo_destroy(&b->halo);
  dv_array_free(&b->origin), dv_array_free(&b->global);
  dv_free(b);
  *body = NULL;
}

dvState *dv_spread_state(const dvSpread *b)
{
  const dvPlan *plan = b->scene ? b->scene->plan : NULL;
  return plan && plan->independent.count == 1 ? dv_state(plan->independent.data[0]) : NULL;
}

// --- results -------------------------------------------------------------------------------------

size_t *dv_spread_counts(const dvSpread *b)
{
  size_t *counts = dv_alloc((size_t)b->size * sizeof *counts);
  for (int r = 0; r < b->size; r++)   // each tells its number; the sum of all others' is 0
    counts[r] = (size_t)b->engine->sum(r == b->rank ? (double)b->parts.owned : 0);
  return counts;
}

double *dv_spread_gather_rows(const dvSpread *b, const double *rows, size_t width)
{
  const bool first = b->rank == 0;
  size_t *counts = dv_spread_counts(b), *bytes = dv_alloc((size_t)b->size * sizeof *bytes);
  int32_t *numbers = first ? dv_alloc(b->parts.all * sizeof *numbers) : NULL;
  double *packed = first ? dv_alloc(width * b->parts.all * sizeof *packed) : NULL;
  double *out = first ? dv_alloc(width * b->parts.all * sizeof *out) : NULL;
  for (int r = 0; r < b->size; r++) bytes[r] = counts[r] * sizeof *numbers;
  b->engine->gather(b->origin.data, b->parts.owned * sizeof *numbers, numbers, bytes);
  for (int r = 0; r < b->size; r++) bytes[r] = width * counts[r] * sizeof *packed;
  b->engine->gather(rows, width * b->parts.owned * sizeof *packed, packed, bytes);
  for (size_t i = 0; first && i < b->parts.all; i++)
    memcpy(out + width * (size_t)numbers[i], packed + width * i, width * sizeof *out);
  dv_free(numbers), dv_free(packed), dv_free(counts), dv_free(bytes);
  return out;
}

double *dv_spread_gather(const dvSpread *b, int vector)
{
  return dv_spread_gather_rows(b, dv_state_read(dv_spread_state(b), vector), 3);
}

// See distances.h.
#include "io/mesh/distances.h"

#include "base/file.h"
#include "io/mesh/mesh.h"
#include "object/compat.h"
#include "topology/search/rays.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define MOST_POINTS 5e8     // of a grid
#define WORTH_KEEPING 4e6   // points x depth of the tree above which a file is written

// --- the surface ---------------------------------------------------------------------------------

typedef struct Surface {
  dvMesh mesh;
  DV_ARRAY(int32_t) triangles;
} Surface;

static void add_fan(Surface *s, const int32_t *corners, size_t count)
{
  for (size_t k = 2; k < count; k++) {
    dv_push(&s->triangles, corners[0]);
    dv_push(&s->triangles, corners[k - 1]);
    dv_push(&s->triangles, corners[k]);
  }
}

static void add_lists(Surface *s, const dvMeshIndices *offset, const dvMeshIndices *index)
{
  for (size_t i = 0; i + 1 < offset->count; i++)
    add_fan(s, index->data + offset->data[i], (size_t)(offset->data[i + 1] - offset->data[i]));
}

// faces of an OBJ file as they stand there, else the lists by their kinds
static void cut_faces(Surface *s)
{
  if (s->mesh.facets.position.count) {
    add_lists(s, &s->mesh.facets.offset, &s->mesh.facets.position);
    return;
  }
  for (size_t i = 0; i < s->mesh.triangles.count; i += 3) add_fan(s, s->mesh.triangles.data + i, 3);
  for (size_t i = 0; i < s->mesh.quads.count; i += 4) add_fan(s, s->mesh.quads.data + i, 4);
  add_lists(s, &s->mesh.polygons.offset, &s->mesh.polygons.index);
}

static double enclosed(const Surface *s)
{
  double six = 0;
  const double *x = s->mesh.positions.data;
  for (size_t i = 0; i < s->triangles.count; i += 3) {
    const int32_t *t = s->triangles.data + i;
    six +=
        dv_vec3_dot(dv_vec3_load(x + 3 * t[0]), dv_vec3_cross(dv_vec3_load(x + 3 * t[1]), dv_vec3_load(x + 3 * t[2])));
  }
  return six / 6;
}

// a surface that is not closed has no inside, and one that looks inwards has it outside
static void inspect(const dvObject *o, dvDistanceSource source, Surface *s, bool as_sofa)
{
  size_t open = dv_surface_open_edges(s->triangles.data, s->triangles.count / 3, NULL, 0, NULL);
  if (open && open != SIZE_MAX)
    dv_field_warning(o, source.filename, "close the surface",
                     "%s is not closed: %zu of its edges have one face only, and what is inside there is a guess",
                     *source.filename, open);
  if (as_sofa || !(enclosed(s) < 0)) return;
  dv_field_warning(o, source.filename, "turn its faces round",
                   "the faces of %s look inwards: they are taken the other way round", *source.filename);
  for (size_t i = 0; i < s->triangles.count; i += 3) {
    int32_t swap = s->triangles.data[i + 1];
    s->triangles.data[i + 1] = s->triangles.data[i + 2], s->triangles.data[i + 2] = swap;
  }
}

static dvStatus read_surface(const dvObject *o, dvDistanceSource source, Surface *s, char **path)
{
  dvText advice = {0};
  dvMeshError error = {0};
  dvStatus status = DV_OK;
  *path = dv_context_find_file(o->context, *source.filename, o->place.file, &advice);
  if (!*path) status = dv_field_error(o, source.filename, advice.text, "the file %s is not found", *source.filename);
  else if ((status = dv_mesh_read(*path, &s->mesh, &error)) != DV_OK)
    dv_field_error(o, source.filename, NULL, "%s:%d: %s", *path, error.line, error.text);
  dv_text_free(&advice);
  if (status != DV_OK) return status;
  cut_faces(s);
  if (s->triangles.count == 0)
    return dv_field_error(o, source.filename, "take a mesh with triangles or quads", "%s has no faces",
                          *source.filename);
  for (size_t i = 0; i < s->mesh.positions.count; i++) s->mesh.positions.data[i] *= source.scale;
  return DV_OK;
}

// --- bounds --------------------------------------------------------------------------------------

static void include(const double *x, size_t points, dvVec3 *low, dvVec3 *high)
{
  for (size_t i = 0; i < points; i++) {
    low->x = dv_min(low->x, x[3 * i]), high->x = dv_max(high->x, x[3 * i]);
    low->y = dv_min(low->y, x[3 * i + 1]), high->y = dv_max(high->y, x[3 * i + 1]);
    low->z = dv_min(low->z, x[3 * i + 2]), high->z = dv_max(high->z, x[3 * i + 2]);
  }
}

static dvStatus lay_out(const dvObject *o, dvDistanceSource source, const double *x, size_t points, dvDistanceGrid *g)
{
  const double *b = source.box;
  bool given = b[0] < b[3] && b[1] < b[4] && b[2] < b[5];
  dvVec3 low = dv_vec3(INFINITY, INFINITY, INFINITY), high = dv_vec3_neg(low);
  include(x, points, &low, &high);
  if (given) {
    include(b, 2, &low, &high);
  } else {
    dvVec3 margin = dv_vec3_scale(dv_vec3_sub(high, low), 0.1);
    low = dv_vec3_sub(low, margin), high = dv_vec3_add(high, margin);
  }
  if (!(low.x < high.x && low.y < high.y && low.z < high.z))
    return dv_field_error(o, source.filename, "give it a box", "the surface of %s is flat: its grid has no size",
                          *source.filename);
  if (!dv_distance_grid_lay(g, source.n, low, high)) return dv_error(o, NULL, "out of memory for its distances");
  return DV_OK;
}

// --- the file beside the mesh --------------------------------------------------------------------

static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t count)
{
  for (const unsigned char *b = bytes; count--; b++) hash = (hash ^ *b) * 0x100000001b3u;
  return hash;
}

static uint64_t hash_of(const Surface *s, const dvDistanceGrid *g)
{
  uint64_t hash = hash_bytes(0xcbf29ce484222325u, s->mesh.positions.data, s->mesh.positions.count * sizeof(double));
  hash = hash_bytes(hash, s->triangles.data, s->triangles.count * sizeof(int32_t));
  hash = hash_bytes(hash, g->n, sizeof g->n);
  hash = hash_bytes(hash, &g->low, sizeof g->low);
  return hash_bytes(hash, &g->high, sizeof g->high);
}

static char *kept_path(const char *mesh, const dvDistanceGrid *g)
{
  return dv_format("%s.%dx%dx%d.distances", mesh, g->n[0], g->n[1], g->n[2]);
}

static char *kept_head(uint64_t hash) { return dv_format("divan distances 1 %016llx\n", (unsigned long long)hash); }

static bool read_kept(const char *path, uint64_t hash, dvDistanceGrid *g)
{
  size_t length, bytes = g->values.count * sizeof(double);
  char *text = dv_file_read(path, &length), *head = kept_head(hash);
  size_t begin = strlen(head);
  bool good = text && length == begin + bytes && memcmp(text, head, begin) == 0;
  if (good) memcpy(g->values.data, text + begin, bytes);
  for (size_t i = 0; good && i < g->values.count; i++) good = isfinite(g->values.data[i]);
  dv_free(head);
  dv_free(text);
  return good;
}

// complete or not at all: it is written under another name first
static void write_kept(const char *path, uint64_t hash, const dvDistanceGrid *g)
{
  char *head = kept_head(hash), *half = dv_format("%s.%ld", path, (long)getpid());
  FILE *file = dv_file_write(half, "wb");
  if (file) {
    bool good = fwrite(head, 1, strlen(head), file) == strlen(head) &&
                fwrite(g->values.data, sizeof(double), g->values.count, file) == g->values.count;
    good = fclose(file) == 0 && good;
    if (!good || rename(half, path) != 0) remove(half);
  }
  dv_free(half);
  dv_free(head);
}

static bool measure(dvObject *o, const Surface *s, const char *path, dvDistanceGrid *g)
{
  dvDistanceMesh mesh = {s->mesh.positions.data, s->mesh.positions.count / 3, s->triangles.data,
                         s->triangles.count / 3};
  bool keeps = (double)g->values.count * log2((double)mesh.count + 1) > WORTH_KEEPING;
  char *kept = kept_path(path, g);
  uint64_t hash = keeps ? hash_of(s, g) : 0;
  bool good = true;
  if (keeps && read_kept(kept, hash, g)) {
    dv_distance_grid_take_surface(g, mesh);
  } else {
    good = dv_distance_grid_measure(g, o->context->pool, mesh);
    if (good && keeps) write_kept(kept, hash, g);
  }
  dv_free(kept);
  return good;
}

// --- all of it -----------------------------------------------------------------------------------

static dvStatus check(const dvObject *o, dvDistanceSource source)
{
  double points = 1;
  for (int k = 0; k < 3; k++) {
    if (source.n[k] < 2)
      return dv_error(o, "give nx, ny and nz", "a grid of %d points along %c has no cells", source.n[k], "xyz"[k]);
    points *= source.n[k];
  }
  if (points > MOST_POINTS)
    return dv_error(o, "take smaller nx, ny and nz", "a grid of %.3g points is too large", points);
  if (!(source.scale > 0) || !isfinite(source.scale))
    return dv_error(o, NULL, "a scale of %g is not possible", source.scale);
  if (**source.filename) return DV_OK;
  return dv_field_error(o, source.filename, "give it a file with a closed surface",
                        "it has no surface to keep away from");
}

dvStatus dv_distances_load(dvObject *o, dvDistanceSource source, dvDistanceGrid *out)
{
  DV_TRY(check(o, source));
  if (dv_same(*source.filename, "#cube")) {
    double h = source.scale, corners[6] = {-h, -h, -h, h, h, h};
    DV_TRY(lay_out(o, source, corners, 2, out));
    dv_distance_grid_cube(out, h);
    return DV_OK;
  }
  bool as_sofa = dv_compat(o, DV_COMPAT_DISTANCE_STEPS);
  Surface s = {0};
  char *path = NULL;
  dvStatus status = read_surface(o, source, &s, &path);
  if (status == DV_OK) inspect(o, source, &s, as_sofa);
  if (status == DV_OK) status = lay_out(o, source, s.mesh.positions.data, s.mesh.positions.count / 3, out);
  if (status == DV_OK) {
    dvDistanceMesh mesh = {s.mesh.positions.data, s.mesh.positions.count / 3, s.triangles.data, s.triangles.count / 3};
    if (!(as_sofa ? dv_distance_grid_march(out, mesh) : measure(o, &s, path, out)))
      status = dv_error(o, NULL, "out of memory for its distances");
  }
  dv_mesh_free(&s.mesh);
  dv_array_free(&s.triangles);
  dv_free(path);
  return status;
}

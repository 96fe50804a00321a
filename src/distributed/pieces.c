// Meshes that are cut before they are used: `divan convert MESH OUT.pvtu --parts N` writes N files and a list of them,
// and each of N processes reads its own only. See spread.h. OUT.geo gives Gmsh files and a list that Gmsh opens.
//
// A piece has what a process has (spread.h): its own points first, those of others that its elements touch, and these
// elements. Three numbers stand at each point: its number in the whole mesh, the rank of its owner, its number there.
#include "distributed/spread.h"

#include "base/file.h"
#include "io/mesh/gmsh.h"
#include "io/mesh/write_mesh.h"

#include <errno.h>
#include <string.h>

enum { ORIGIN, OWNER, NUMBER, VALUES };
static const char *const names[VALUES] = {"divan_origin", "divan_owner", "divan_number"};

// --- writing -------------------------------------------------------------------------------------

static bool is_gmsh(const char *path) { return dv_ends_with_nocase(path, ".geo"); }

static char *piece_name(const char *path, int rank)
{
  const char *name = dv_path_name(path), *extension = is_gmsh(path) ? "msh" : "vtu";
  const int stem = (int)(strlen(name) - strlen(dv_path_extension(name)) - 1);
  return dv_format("%.*s_%05d.%s", stem, name, rank, extension);
}

static bool write_piece(dvSpread *b, dvMesh *mesh, const int32_t *part, const char *path)
{
  dvMesh out = {0};
  dv_spread_take_part(b, mesh, part, &out);
  const size_t n = b->parts.points;
  double *values = dv_alloc(VALUES * (n + 1) * sizeof *values);
  int32_t *owner = dv_alloc((n + 1) * sizeof *owner), *number = dv_alloc((n + 1) * sizeof *number);
  dv_spread_owners(b, part, owner, number);
  dvVtuField fields[VALUES];
  for (int v = 0; v < VALUES; v++) fields[v] = (dvVtuField){names[v], values + (size_t)v * n, 1};
  for (size_t i = 0; i < n; i++) {
    values[ORIGIN * n + i] = b->origin.data[i];
    values[OWNER * n + i] = owner[i];
    values[NUMBER * n + i] = number[i];
  }
  char *name = piece_name(path, b->rank), *directory = dv_path_directory(path), *file = dv_path_join(directory, name);
  const bool good = (is_gmsh(path) ? dv_gmsh_write_mesh : dv_vtu_write_mesh)(file, &out, fields, VALUES) == DV_OK;
  dv_free(name), dv_free(directory), dv_free(file);
  dv_free(values), dv_free(owner), dv_free(number);
  dv_mesh_free(&out);
  return good;
}

static bool write_list(const char *path, int parts)
{
  char **pieces = dv_alloc((size_t)parts * sizeof *pieces);
  dvVtuField fields[VALUES];
  for (int r = 0; r < parts; r++) pieces[r] = piece_name(path, r);
  for (int v = 0; v < VALUES; v++) fields[v] = (dvVtuField){names[v], NULL, 1};
  dvText merged = {0};
  for (int r = 0; r < parts; r++) dv_text_printf(&merged, "Merge \"%s\";\n", pieces[r]);
  const dvStatus status = is_gmsh(path) ? dv_file_replace(path, merged.text, merged.length)
                                        : dv_pvtu_write(path, pieces, (size_t)parts, fields, VALUES);
  dv_text_free(&merged);
  for (int r = 0; r < parts; r++) dv_free(pieces[r]);
  dv_free(pieces);
  return status == DV_OK;
}

bool dv_spread_write_pieces(dvMesh *mesh, int parts, const char *path, dvText *why)
{
  dvMeshIndices starts = {0}, corners = {0};
  const size_t points = dv_mesh_point_count(mesh), solids = dv_spread_list_solids(mesh, &starts, &corners);
  int32_t *part = dv_alloc((points + 1) * sizeof *part);
  size_t *owned = dv_alloc((size_t)parts * sizeof *owned), least = points;
  bool good = solids >= (size_t)parts;
  if (!good) dv_text_printf(why, "%zu tetrahedra and hexahedra cannot be cut into %d parts", solids, parts);
  if (good && !dv_spread_partition(parts, points, solids, starts.data, corners.data, part)) {
    dv_text_printf(why, "METIS cannot cut the mesh into %d parts", parts);
    good = false;
  }
  dv_array_free(&starts), dv_array_free(&corners);
  for (size_t i = 0; good && i < points; i++) owned[part[i]]++;
  for (int r = 0; good && r < parts; r++) least = dv_min_size(least, owned[r]);
  if (good && !least) {
    dv_text_printf(why, "%zu elements cannot be cut into %d parts: one of them is empty", solids, parts);
    good = false;
  }
  for (int r = 0; good && r < parts; r++) {
    dvSpread b = {.rank = r, .size = parts};
    good = write_piece(&b, mesh, part, path);
    if (!good) dv_text_printf(why, "part %d cannot be written: %s", r, strerror(errno));
    dv_array_free(&b.origin), dv_array_free(&b.global);
  }
  if (good && !write_list(path, parts)) {
    dv_text_printf(why, "%s cannot be written: %s", path, strerror(errno));
    good = false;
  }
  dv_free(part), dv_free(owned);
  return good;
}

// --- reading -------------------------------------------------------------------------------------

char *dv_spread_piece_path(dvParts *parts, const char *path, dvText *why)
{
  const dvSpread *b = (const dvSpread *)parts;
  const char *word = is_gmsh(path) ? "Merge \"" : "<Piece Source=\"";
  char *text = dv_file_read(path, NULL), *found = NULL;
  int pieces = 0;
  for (const char *s = text; s && (s = strstr(s, word)); pieces++) {
    s += strlen(word);
    if (pieces == b->rank) found = dv_strndup(s, strcspn(s, "\""));
  }
  if (!text) dv_text_printf(why, "%s cannot be read: %s", path, strerror(errno));
  else if (pieces != b->size)
    dv_text_printf(why, "%s has %d parts, and there %s %d process%s", path, pieces, b->size == 1 ? "is" : "are",
                   b->size, b->size == 1 ? "" : "es");
  char *directory = dv_path_directory(path), *file = NULL;
  if (found && pieces == b->size) file = dv_path_join(directory, found);
  dv_free(text), dv_free(found), dv_free(directory);
  return file;
}

static const double *values_of(const dvMesh *mesh, int which)
{
  for (size_t i = 0; i < mesh->values.count; i++) {
    const dvMeshValues *v = &mesh->values.data[i];
    if (!v->of_cells && v->width == 1 && dv_same(v->name, names[which]) && v->values.count == dv_mesh_point_count(mesh))
      return v->values.data;
  }
  return NULL;
}

bool dv_spread_is_piece(const dvMesh *mesh)
{
  return values_of(mesh, ORIGIN) && values_of(mesh, OWNER) && values_of(mesh, NUMBER);
}

bool dv_spread_have_pieces(dvParts *parts, const dvMesh *mesh, bool mine)
{
  const bool good = mine && dv_spread_is_piece(mesh) && (mesh->tetrahedra.count || mesh->hexahedra.count);
  return ((const dvSpread *)parts)->engine->worst(good ? 0 : 1) == 0;
}

static bool is_index(double value, double limit)
{
  return value >= 0 && value < limit && value == (double)(int64_t)value;
}

bool dv_spread_read_piece(dvSpread *b, const dvMesh *mesh, int32_t *owner, int32_t *number)
{
  const double *given[VALUES];
  const size_t points = dv_mesh_point_count(mesh);
  bool good = true;
  for (int v = 0; v < VALUES; v++) given[v] = values_of(mesh, v);
  b->parts.owned = 0, b->parts.points = points, b->parts.all = 0;
  for (size_t i = 0; i < points; i++) {
    const bool own = given[OWNER][i] == b->rank;
    good = good && is_index(given[OWNER][i], b->size) && (!own || i == b->parts.owned);   // own ones come first
    b->parts.owned += own;
  }
  b->border = points - b->parts.owned;
  size_t *counts = dv_spread_counts(b);
  int64_t *first = dv_alloc(((size_t)b->size + 1) * sizeof *first);
  for (int r = 0; r < b->size; r++) first[r + 1] = first[r] + (int64_t)counts[r], b->parts.all += counts[r];
  good = good && b->parts.owned > 0 && b->parts.all <= INT32_MAX;
  dv_array_resize(&b->origin, points);
  dv_array_resize(&b->global, points);
  for (size_t i = 0; good && i < points; i++) {
    owner[i] = (int32_t)given[OWNER][i];
    good = is_index(given[ORIGIN][i], (double)b->parts.all) && is_index(given[NUMBER][i], (double)counts[owner[i]]) &&
           (owner[i] != b->rank || given[NUMBER][i] == (double)i);
    if (!good) break;
    number[i] = (int32_t)given[NUMBER][i];
    b->origin.data[i] = (int32_t)given[ORIGIN][i];
    b->global.data[i] = first[owner[i]] + number[i];
  }
  b->parts.global = b->global.data;
  dv_free(counts), dv_free(first);
  return good;
}

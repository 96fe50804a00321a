// The mesh loaders: MeshGmshLoader, MeshOBJLoader, MeshVTKLoader, MeshSTLLoader …, and MeshLoader, the old name for the
// loader of whatever the file is. StringMeshCreator and GridMeshCreator make their mesh instead of reading it.
//
// A loader is an engine: its outputs are made when somebody reads one of them, and again when the file name or a
// setting changes. Points are scaled, turned and moved (or transformed by one matrix), then missing faces and edges are
// added, loose points dropped and normals made, in this order as in SOFA.
#include "io/load/loader.h"

#include "object/compat.h"
#include "object/parts.h"

#include "base/file.h"
#include "math/decompose.h"

#include <math.h>
#include <stdlib.h>

#define SELF dvLoader
static const dvFieldDesc loader_fields[] = {DV_LOADER_FIELDS(DV_DESCRIBE)};
static const dvFieldDesc obj_fields[] = {DV_OBJ_FIELDS(DV_DESCRIBE)};
static const dvFieldDesc stl_fields[] = {DV_STL_FIELDS(DV_DESCRIBE)};
static const dvFieldDesc trian_fields[] = {DV_TRIAN_FIELDS(DV_DESCRIBE)};
static const dvFieldDesc sequence_fields[] = {DV_SEQUENCE_FIELDS(DV_DESCRIBE)};
static const dvFieldDesc string_fields[] = {DV_STRING_FIELDS(DV_DESCRIBE)};
static const dvFieldDesc grid_fields[] = {DV_GRID_FIELDS(DV_DESCRIBE)};
#undef SELF

// does the class have these fields beyond those of every loader?
static bool has_fields(const dvLoader *l, const dvFieldDesc *fields)
{
  return l->base.cls->blocks[2] && l->base.cls->blocks[2]->fields == fields;
}
static bool has_obj_fields(const dvLoader *l) { return has_fields(l, obj_fields); }

// --- the file ------------------------------------------------------------------------------------

char *dv_loader_find(dvObject *o, dvString *filename)
{
  const dvField *f = dv_field_of(o, filename);
  while (f->source) f = f->source;
  const char *beside = f->place.file ? f->place.file : o->place.file;
  dvText advice = {0};
  char *path = dv_context_find_file(o->context, *filename, beside, &advice);
  if (!path) {
    if (!advice.length) dv_text_add(&advice, "check the name, or give its folder with --data or DIVAN_PATH");
    dv_field_error(o, filename, advice.text, "there is no file '%s'", *filename);
  }
  dv_text_free(&advice);
  return path;
}

// --- values of cells of one kind ---

// of the elements of a kind, as values of their own: fibre_tetrahedra beside fibre
static void split_off(dvMesh *mesh, size_t number, dvMeshKind kind, const char *suffix)
{
  dvMeshValues whole = mesh->values.data[number], part = {.of_cells = true, .whole = whole.whole, .width = whole.width};
  const dvMeshIndices *cells = &mesh->cell_of[kind];
  size_t width = (size_t)whole.width;
  part.name = dv_format("%s_%s", whole.name, suffix);
  dv_array_resize(&part.values, cells->count * width);
  for (size_t i = 0; i < cells->count; i++)
    memcpy(part.values.data + i * width, whole.values.data + (size_t)cells->data[i] * width, width * sizeof(double));
  dv_push(&mesh->values, part);
}

// Files with cells of several kinds list values of all of them one after the other, which fit no list of elements.
static void split_values(dvMesh *mesh)
{
  static const char *const suffixes[DV_MESH_KINDS] = {"edges",     "triangles", "quads",   "tetrahedra",
                                                      "hexahedra", "prisms",    "pyramids"};
  size_t given = mesh->values.count, kinds = 0;
  for (int k = 0; k < DV_MESH_KINDS; k++) kinds += mesh->cell_of[k].count > 0;
  for (size_t i = 0; i < given && kinds > 1; i++)
    for (int k = 0; k < DV_MESH_KINDS && mesh->values.data[i].of_cells; k++)
      if (mesh->cell_of[k].count) split_off(mesh, i, (dvMeshKind)k, suffixes[k]);
}

// the path of a later file of a sequence: the number before the extension counts up and keeps its leading zeros
static char *numbered_path(const char *path, int shown)
{
  const char *end = path + strlen(path) - strlen(dv_path_extension(path));
  if (end > path && end[-1] == '.') end--;
  const char *digits = end;
  while (digits > path && end - digits < 9 && digits[-1] >= '0' && digits[-1] <= '9') digits--;
  long number = digits < end ? strtol(digits, NULL, 10) : 0;
  return dv_format("%.*s%0*ld%s", (int)(digits - path), path, (int)(end - digits), number + shown, end);
}

// A mesh in parts: the file of this process takes the place of the list of all. NULL after `why` was told.
static char *piece_of(const dvObject *o, char *path, dvText *why)
{
  if (!dv_parts_is_list(path)) return path;
  dvParts *parts = dv_parts_of(o->context);
  char *piece = parts ? parts->piece(parts, path, why) : NULL;
  if (!parts) dv_text_printf(why, "%s is a mesh in parts, one for each process", path);
  dv_free(path);
  return piece;
}

static dvStatus read_mesh(dvLoader *l, dvMesh *mesh)
{
  dvObject *o = &l->base;
  char *path = dv_loader_find(o, &l->filename);
  if (!path) return DV_ERROR_INPUT;
  dvText why = {0};
  dvParts *pieces = dv_parts_is_list(path) ? dv_parts_of(o->context) : NULL;
  path = piece_of(o, path, &why);
  if (!path) dv_field_error(o, &l->filename, "mpirun -n PARTS divan run SCENE --distributed", "%s", why.text);
  dv_text_free(&why);
  if (!path) return DV_ERROR_INPUT;
  if (l->shown > 0) {
    char *later = numbered_path(path, l->shown);
    dv_free(path);
    path = later;
  }
  dvMeshError error = {0};
  dvMeshOptions options = {
      .stl_binary = l->forceBinary, .stl_header = (size_t)dv_max_int(l->headerSize, 0), .trian2 = l->trian2};
  dvStatus status = DV_OK;
  if (l->ready && dv_same(l->ready_path, path)) {
    *mesh = *l->ready;
    dv_free(l->ready);
    l->ready = NULL;
  } else {
    status = dv_mesh_read_with(path, &options, mesh, &error);
    if (status == DV_OK) split_values(mesh);
  }
  if (status != DV_OK && error.line > 0)
    dv_field_error(o, &l->filename, NULL, "%s:%d: %s", path, error.line, error.text);
  else if (status != DV_OK) dv_field_error(o, &l->filename, NULL, "%s: %s", path, error.text);
  dv_free(path);
  if (pieces && !pieces->have_pieces(pieces, mesh, status == DV_OK) && status == DV_OK)
    status = dv_field_error(o, &l->filename, "write them again: divan convert MESH OUT.pvtu|OUT.geo --parts N",
                            "not all parts of '%s' are there", l->filename);
  DV_TRY(status);
  if (mesh->skipped)
    dv_field_warning(o, &l->filename, NULL,
                     "%zu elements of '%s' are of types that are not known here; they are left out", mesh->skipped,
                     l->filename);
  for (size_t i = 0; i < mesh->unread.count && l->loadMaterial && has_obj_fields(l); i++)
    dv_note(o, "material file of '%s' not read: %s", l->filename, mesh->unread.data[i]);
  for (size_t i = 0; i < mesh->unread.count && !has_obj_fields(l); i++)
    dv_field_warning(o, &l->filename, NULL, "not all of '%s' is read: %s", l->filename, mesh->unread.data[i]);
  return DV_OK;
}

// --- transformation ------------------------------------------------------------------------------

static bool is_identity(const double m[16])
{
  for (int i = 0; i < 16; i++)
    if (m[i] != (i % 5 == 0)) return false;
  return true;
}

// T R S; *moves stays false when the points do
static dvStatus find_matrix(dvLoader *l, double m[16], bool *moves)
{
  dvObject *o = &l->base;
  memcpy(m, l->transformation, 16 * sizeof *m);
  if (is_identity(m)) {
    double degree = M_PI / 180;
    dvVec3 angles = dv_vec3_scale(dv_vec3_load(l->rotation), degree);
    dvMat3 r = dv_quat_to_matrix(dv_quat_from_euler(angles));
    for (int i = 0; i < 3; i++) {
      for (int j = 0; j < 3; j++) m[4 * i + j] = r.m[i][j] * l->scale3d[j];
      m[4 * i + 3] = l->translation[i];
    }
  } else if (m[12] != 0 || m[13] != 0 || m[14] != 0 || m[15] != 1) {
    dv_field_warning(o, l->transformation, "its last row must be 0 0 0 1",
                     "the matrix is not a transformation of space; it is not used");
    return DV_OK;
  }
  for (int i = 0; i < 16; i++)
    if (!isfinite(m[i]))
      return dv_field_error(o, l->scale3d, "check scale, rotation, translation and transformation",
                            "the transformation is not finite");
  *moves = !is_identity(m);
  return DV_OK;
}

static void move_points(const double m[16], double *x, size_t count)
{
  for (size_t p = 0; p < count; p++, x += 3) {
    double moved[3];
    for (int i = 0; i < 3; i++) moved[i] = m[4 * i] * x[0] + m[4 * i + 1] * x[1] + m[4 * i + 2] * x[2] + m[4 * i + 3];
    memcpy(x, moved, sizeof moved);
  }
}

// moved-thrice: where points lie on a face of another mesh, their last digits decide what element they belong to.
static void move_again(const double m[16], double *x, size_t count)
{
  dvMat3 a = {{{m[0], m[1], m[2]}, {m[4], m[5], m[6]}, {m[8], m[9], m[10]}}}, inverse;
  double back[16] = {[15] = 1};
  if (!dv_mat3_inverse_divided(a, &inverse)) return;
  for (int i = 0; i < 3; i++) {
    memcpy(back + 4 * i, inverse.m[i], 3 * sizeof *back);
    back[4 * i + 3] = -(inverse.m[i][0] * m[3] + inverse.m[i][1] * m[7] + inverse.m[i][2] * m[11]);
  }
  move_points(back, x, count);
  move_points(m, x, count);
}

// normals go with the cofactors, so that they stay upright on stretched surfaces and follow mirrored ones
static void turn_normals(const double m[16], double *n, size_t count)
{
  dvMat3 a = {{{m[0], m[1], m[2]}, {m[4], m[5], m[6]}, {m[8], m[9], m[10]}}};
  dvMat3 cofactor = dv_mat3_cofactor(a);
  for (size_t p = 0; p < count; p++, n += 3)
    dv_vec3_store(n, dv_vec3_normalise(dv_mat3_mul_vec(cofactor, dv_vec3_load(n))));
}

// --- handing over --------------------------------------------------------------------------------

static dvStatus short_of_memory(dvLoader *l)
{
  return dv_field_error(&l->base, &l->filename, "use a coarser mesh", "out of memory for '%s'", l->filename);
}

static bool give_reals(dvReals *field, const dvMeshReals *values)
{
  return dv_reals_assign(field, values->data, values->count);
}
static bool give_ints(dvInts *field, const dvMeshIndices *values)
{
  return dv_ints_assign(field, values->data, values->count);
}

// each list as its length and its entries
static bool give_lists(dvInts *field, const dvMeshIndices *offset, const dvMeshIndices *index)
{
  size_t lists = dv_mesh_lists_count(offset);
  if (!dv_ints_resize(field, lists + index->count)) return false;
  int32_t *at = field->data;
  for (size_t i = 0; i < lists; i++) {
    int32_t begin = offset->data[i], count = offset->data[i + 1] - begin;
    *at++ = count;
    memcpy(at, index->data + begin, (size_t)count * sizeof *at);
    at += count;
  }
  return true;
}

static void give_groups(dvLoader *l, const dvMesh *mesh)
{
  dvStrings *fields[DV_MESH_FACET + 1] = {
      [DV_MESH_EDGE] = &l->edgesGroups,           [DV_MESH_TRIANGLE] = &l->trianglesGroups,
      [DV_MESH_QUAD] = &l->quadsGroups,           [DV_MESH_TETRAHEDRON] = &l->tetrahedraGroups,
      [DV_MESH_HEXAHEDRON] = &l->hexahedraGroups, [DV_MESH_PRISM] = &l->prismsGroups,
      [DV_MESH_PYRAMID] = &l->pyramidsGroups,     [DV_MESH_POLYGON] = &l->polygonsGroups};
  for (size_t i = 0; i < DV_COUNT(fields); i++)
    if (fields[i]) dv_strings_free(fields[i]);
  for (size_t i = 0; i < mesh->groups.count; i++) {
    const dvMeshGroup *g = &mesh->groups.data[i];
    if (!fields[g->kind]) continue;
    dvText text = {0};
    dv_text_printf(&text, "%s %s %d %d %d", g->name, g->material, dv_mesh_material(mesh, g->material), g->first,
                   g->count);
    dv_strings_push(fields[g->kind], text.text, text.length);
    dv_text_free(&text);
  }
}

static void give_materials(dvLoader *l, const dvMesh *mesh)
{
  dv_strings_free(&l->materials);
  dv_free(l->defaultMaterial);
  l->defaultMaterial = dv_strdup("");
  if (!l->loadMaterial) return;
  for (size_t i = 0; i < mesh->materials.count; i++) {
    dvText text = {0};
    dv_material_print(&text, &mesh->materials.data[i]);
    dv_strings_push(&l->materials, text.text, text.length);
    dv_text_free(&text);
  }
  int used = dv_mesh_first_material(mesh);
  if (used < 0) return;
  dv_free(l->defaultMaterial);
  l->defaultMaterial = dv_strdup(l->materials.data[used]);
}

// what stands in an OBJ file, before points are doubled or dropped
static bool give_definitions(dvLoader *l, const dvMesh *mesh)
{
  const dvMeshFacets *f = &mesh->facets;
  give_materials(l, mesh);
  return give_lists(&l->faceList, &f->offset, &f->position) &&
         give_lists(&l->texcoordsIndex, &f->offset, &f->texcoord) &&
         give_lists(&l->normalsIndex, &f->offset, &f->normal) &&
         give_reals(&l->positionsDefinition, &mesh->positions) &&
         give_reals(&l->texcoordsDefinition, &mesh->texcoords) && give_reals(&l->normalsDefinition, &mesh->normals);
}

static bool give_elements(dvLoader *l, dvMesh *mesh)
{
  give_groups(l, mesh);
  return give_reals(&l->position, &mesh->positions) && give_ints(&l->edges, &mesh->edges) &&
         give_ints(&l->triangles, &mesh->triangles) && give_ints(&l->quads, &mesh->quads) &&
         give_ints(&l->tetrahedra, &mesh->tetrahedra) && give_ints(&l->hexahedra, &mesh->hexahedra) &&
         give_ints(&l->prisms, &mesh->prisms) && give_ints(&l->pyramids, &mesh->pyramids) &&
         give_lists(&l->polygons, &mesh->polygons.offset, &mesh->polygons.index) &&
         give_lists(&l->polylines, &mesh->polylines.offset, &mesh->polylines.index);
}

static bool give_neighbours(dvLoader *l, const dvMesh *mesh)
{
  dvMeshIndices edges = {0}, border = {0};
  size_t n = mesh->neighbours.count / 3;
  for (size_t i = 0; i < n && 3 * i + 2 < mesh->triangles.count; i++) {
    const int32_t *t = mesh->triangles.data + 3 * i, *next = mesh->neighbours.data + 3 * i;
    for (int k = 0; k < 3; k++) {
      if (next[k] >= 0) continue;
      dv_push(&edges, t[(k + 1) % 3]);
      dv_push(&edges, t[(k + 2) % 3]);
    }
    if (next[0] < 0 || next[1] < 0 || next[2] < 0) dv_push(&border, (int32_t)i);
  }
  bool good = give_ints(&l->neighborTable, &mesh->neighbours) && give_ints(&l->edgesOnBorder, &edges) &&
              give_ints(&l->trianglesOnBorderList, &border);
  dv_array_free(&edges);
  dv_array_free(&border);
  return good;
}

// the values of the points that stay
static void keep(dvReals *values, const dvMeshIndices *kept)
{
  size_t width = (size_t)values->width;
  if (!values->count) return;
  double *x = dv_reals_edit(values);
  for (size_t i = 0; i < kept->count; i++) memmove(x + i * width, x + (size_t)kept->data[i] * width, width * sizeof *x);
  DV_MUST(dv_reals_resize(values, kept->count * width));
}

// --- values of points and cells ------------------------------------------------------------------

// Fields for the values of a VTK file, under their names in the file.
static const char values_help[] = "values that the file gives for its points or cells";

static bool are_normals(const dvMeshValues *v)
{
  return !v->of_cells && v->width == 3 && dv_same_nocase(v->name, "normals");
}

static dvField *values_field(const dvLoader *l, const dvMeshValues *v)
{
  dvField *f = dv_object_field(&l->base, v->name);
  return f && f->desc->help == values_help ? f : NULL;
}

static void add_value_fields(dvLoader *l, const dvMesh *mesh)
{
  for (size_t i = 0; i < mesh->values.count; i++) {
    const dvMeshValues *v = &mesh->values.data[i];
    if (are_normals(v) || values_field(l, v)) continue;
    if (dv_object_field(&l->base, v->name)) {
      dv_note(&l->base, "values '%s' of the file have the name of another field; they are not read", v->name);
      continue;
    }
    dvFieldDesc desc = {.type = v->whole ? DV_T_INTS : DV_T_REALS,
                        .width = v->width,
                        .initial = "",
                        .unit = "",
                        .help = values_help,
                        .flags = DV_OUTPUT};
    dv_object_add_named(&l->base, &desc, v->name);
  }
}

static bool give_whole(dvInts *field, const dvMeshReals *values)
{
  if (!dv_ints_resize(field, values->count)) return false;
  for (size_t i = 0; i < values->count; i++)
    field->data[i] = values->data[i] < INT32_MIN   ? INT32_MIN
                     : values->data[i] > INT32_MAX ? INT32_MAX
                                                   : (int32_t)values->data[i];
  return true;
}

static bool give_values(dvLoader *l, const dvMesh *mesh)
{
  for (int i = 0; i < l->base.field_count; i++) {   // a file that was read before may have had more
    dvField *f = &l->base.fields[i];
    if (f->desc->help == values_help && f->desc->type == DV_T_INTS) DV_MUST(dv_ints_resize(f->value, 0));
    if (f->desc->help == values_help && f->desc->type == DV_T_REALS) DV_MUST(dv_reals_resize(f->value, 0));
  }
  for (size_t i = 0; i < mesh->values.count; i++) {
    const dvMeshValues *v = &mesh->values.data[i];
    dvField *f = values_field(l, v);
    size_t bad = 0;
    for (size_t k = 0; k < v->values.count; k++) bad += !isfinite(v->values.data[k]);
    if (bad && f)
      dv_field_warning(&l->base, &l->filename, NULL, "%zu of the values '%s' in '%s' are not finite", bad, v->name,
                       l->filename);
    if (are_normals(v) && !bad && !give_reals(&l->normals, &v->values)) return false;
    if (!f || f->width != v->width) continue;
    if (f->desc->type == DV_T_INTS ? !give_whole(f->value, &v->values) : !give_reals(f->value, &v->values))
      return false;
  }
  return true;
}

// --- update --------------------------------------------------------------------------------------

// normals and texture coordinates of the points as the file gives them
static bool values_of_points(dvLoader *l, dvMesh *mesh)
{
  size_t points = dv_mesh_point_count(mesh);
  dv_reals_free(&l->normals);
  dv_reals_free(&l->texcoords);
  dv_ints_free(&l->vertPosIdx);
  dv_ints_free(&l->vertNormIdx);
  if (!has_obj_fields(l) || !l->handleSeams) {
    if (mesh->normals.count && !dv_reals_resize(&l->normals, 3 * points)) return false;
    if (mesh->normals.count) dv_mesh_point_normals(mesh, l->normals.data);
    bool textured = mesh->texcoords.count && has_obj_fields(l);
    if (textured && !dv_reals_resize(&l->texcoords, 2 * points)) return false;
    if (textured) dv_mesh_point_texcoords(mesh, l->texcoords.data);
    return dv_loader_faces(mesh, l->triangulate, NULL);
  }
  dvSeams seams = {0};
  bool good = dv_loader_faces(mesh, l->triangulate, &seams) && give_ints(&l->vertPosIdx, &seams.origin) &&
              give_ints(&l->vertNormIdx, &seams.normal_number);
  if (good && mesh->normals.count) good = give_reals(&l->normals, &seams.normals);
  if (good && mesh->texcoords.count) good = give_reals(&l->texcoords, &seams.texcoords);
  dv_seams_free(&seams);
  return good;
}

static dvStatus work(dvLoader *l, dvMesh *mesh)
{
  double matrix[16];
  bool moves = false;
  DV_TRY(find_matrix(l, matrix, &moves));
  if (has_obj_fields(l) && !give_definitions(l, mesh)) return short_of_memory(l);
  if (has_fields(l, trian_fields) && !give_neighbours(l, mesh)) return short_of_memory(l);
  if (mesh->facets.offset.count && !values_of_points(l, mesh)) return short_of_memory(l);
  if (!mesh->facets.offset.count) DV_MUST(dv_reals_resize(&l->normals, 0));
  if (!give_values(l, mesh)) return short_of_memory(l);
  if (l->triangulate) dv_loader_triangulate(mesh);
  if (l->flipNormals) dv_loader_flip(mesh);
  if (moves) {
    move_points(matrix, mesh->positions.data, dv_mesh_point_count(mesh));
    if (dv_compat(&l->base, DV_COMPAT_MOVED_THRICE))
      move_again(matrix, mesh->positions.data, dv_mesh_point_count(mesh));
    turn_normals(matrix, l->normals.data, dv_reals_size(&l->normals));
  }
  bool gmsh = dv_ends_with_nocase(l->filename, ".msh") || dv_ends_with_nocase(l->filename, ".gmsh");
  bool subelements = dv_was_set(&l->base, &l->createSubelements) ? l->createSubelements : l->createSubelements || gmsh;
  if (subelements && !dv_loader_subelements(mesh)) return short_of_memory(l);
  if (l->onlyAttachedPoints) {
    dvMeshIndices kept = {0};
    bool good = dv_loader_attached(mesh, &kept);
    keep(&l->normals, &kept);
    keep(&l->texcoords, &kept);
    dv_array_free(&kept);
    if (!good) return short_of_memory(l);
  }
  if (!l->normals.count) {
    if (!dv_reals_resize(&l->normals, mesh->positions.count)) return short_of_memory(l);
    dv_loader_normals(mesh, l->normals.data);
  }
  dvParts *parts = dv_parts_of(l->base.context);
  if (parts) DV_TRY(parts->cut(parts, &l->base, mesh));
  return give_elements(l, mesh) ? DV_OK : short_of_memory(l);
}

static dvStatus creator_update(dvObject *o)
{
  dvLoader *l = (dvLoader *)o;
  dvMesh mesh = {0};
  dvStatus status = has_fields(l, grid_fields) ? dv_loader_make_grid(l, &mesh) : dv_loader_make_string(l, &mesh);
  DV_MUST(dv_reals_resize(&l->normals, 0));
  if (status == DV_OK) status = work(l, &mesh);
  dv_mesh_free(&mesh);
  return status;
}

static dvStatus loader_update(dvObject *o)
{
  dvLoader *l = (dvLoader *)o;
  if (!l->filename || !*l->filename) {
    dv_warning(o, "give filename=\"…\"", "%s names no file", o->cls->name);
    return DV_OK;
  }
  if (l->computeMaterialFaces)
    dv_field_warning(o, &l->computeMaterialFaces, "take the ranges from trianglesGroups and quadsGroups",
                     "no lists of the faces of each material are made");
  dvMesh mesh = {0};
  DV_TRY(read_mesh(l, &mesh));
  if (mesh.positions.count == 0)
    dv_field_warning(o, &l->filename, "look into the file: it may be cut off", "%s has no points", l->filename);
  dvStatus status = work(l, &mesh);
  dv_mesh_free(&mesh);
  return status;
}

// The attribute scale multiplies scale3d. It is one number; anything else counts as 1, as in SOFA.
static dvStatus loader_parse(dvObject *o, dvAttributes *a)
{
  dvLoader *l = (dvLoader *)o;
  const char *text = dv_attribute_take(a, "scale"), *at = text;
  if (!text) return DV_OK;
  double scale;
  bool number = dv_scan_real(&at, &scale) && isfinite(scale);
  while (number && dv_is_space(*at)) at++;
  if (!number || *at) {
    dv_warning(o, "use scale3d=\"x y z\" for three numbers", "scale=\"%s\" is not one number; it is not used", text);
    return DV_OK;
  }
  for (int i = 0; i < 3; i++) l->scale3d[i] *= dv_compat_attribute(o, scale);
  dv_field_of(o, l->scale3d)->was_set = true;
  return DV_OK;
}

#define SELF dvLoader
static const dvMemoryDesc sequence_memory[] = {DV_REMEMBER(numbers, shown)};
#undef SELF

// A sequence of files: the next one is due when the time of those before it is over.
static void sequence_event(dvObject *o, const dvEvent *event)
{
  dvLoader *l = (dvLoader *)o;
  if (event->kind != DV_EVENT_ANIMATE_BEGIN || l->shown * l->stepDuration > o->node->time ||
      l->shown + 1 >= l->nbOfFiles)
    return;
  l->shown++;
  dv_touch(o, &l->filename);
}

static bool sequence_restored(dvObject *o)
{
  dvLoader *l = (dvLoader *)o;
  dv_touch(o, &l->filename);
  return l->shown >= 0 && (l->shown == 0 || l->shown < l->nbOfFiles);
}

// The names of values must be known before links are made, so the file is read now; what is wrong with it is told
// later.
static dvStatus vtk_loader_parse(dvObject *o, dvAttributes *a)
{
  dvLoader *l = (dvLoader *)o;
  DV_TRY(loader_parse(o, a));
  const dvAttribute *file = dv_attribute_find(a, "filename");
  char *path =
      file && file->value[0] != '@'
          ? dv_context_find_file(o->context, file->value, file->place.file ? file->place.file : o->place.file, NULL)
          : NULL;
  dvText unused = {0};   // it is told when the mesh is read
  if (path) path = piece_of(o, path, &unused);
  dv_text_free(&unused);
  if (!path) return DV_OK;
  l->ready = dv_alloc(sizeof *l->ready);
  if (dv_mesh_read(path, l->ready, NULL) == DV_OK) {
    l->ready_path = path;
    split_values(l->ready);
    add_value_fields(l, l->ready);
    return DV_OK;
  }
  dv_free(path);
  dv_free(l->ready);
  l->ready = NULL;
  return DV_OK;
}

static void vtk_loader_destroy(dvObject *o)
{
  dvLoader *l = (dvLoader *)o;
  if (l->ready) dv_mesh_free(l->ready);
  dv_free(l->ready);
  dv_free(l->ready_path);
}

#define LOADER_(variable, name_, aliases_, help_, presets_, update_, ...)   \
  const dvClass variable = {                                                \
      .struct_size = sizeof(dvClass),                                       \
      .name = name_,                                                        \
      .aliases = aliases_,                                                  \
      .help = help_,                                                        \
      .module = "Sofa.Component.IO.Mesh",                                   \
      .roles = DV_PLAYS(DV_ROLE_LOADER),                                    \
      .size = sizeof(dvLoader),                                             \
      .blocks = {&dv_object_block, DV_BLOCK(loader_fields), ##__VA_ARGS__}, \
      .presets = presets_,                                                  \
      .parse = loader_parse,                                                \
      .update = update_,                                                    \
  };
#define LOADER(variable, name_, aliases_, help_, presets_, ...) \
  LOADER_(variable, name_, aliases_, help_, presets_, loader_update, ##__VA_ARGS__)

LOADER(dv_gmsh_loader_class, "MeshGmshLoader", NULL, "loads a mesh from a Gmsh file (.msh)", "createSubelements=1")
LOADER(dv_obj_loader_class, "MeshOBJLoader", "MeshObjLoader", "loads a surface from a Wavefront file (.obj)", NULL,
       DV_BLOCK(obj_fields))
const dvClass dv_vtk_loader_class = {
    .struct_size = sizeof(dvClass),
    .name = "MeshVTKLoader",
    .help = "loads a mesh from a VTK file (.vtk, .vtu, .vtp, .vti); values of its points and cells become fields of "
            "their names",
    .module = "Sofa.Component.IO.Mesh",
    .roles = DV_PLAYS(DV_ROLE_LOADER),
    .size = sizeof(dvLoader),
    .blocks = {&dv_object_block, DV_BLOCK(loader_fields)},
    .parse = vtk_loader_parse,
    .update = loader_update,
    .destroy = vtk_loader_destroy,
};
LOADER(dv_stl_loader_class, "MeshSTLLoader", NULL, "loads a surface from an STL file, merging equal points", NULL,
       DV_BLOCK(stl_fields))
LOADER(dv_off_loader_class, "MeshOffLoader", NULL, "loads a surface from an OFF file", NULL)
const dvClass dv_off_sequence_class = {
    .struct_size = sizeof(dvClass),
    .name = "OffSequenceLoader",
    .help = "loads one OFF file after the other while the simulation runs",
    .module = "Sofa.Component.IO.Mesh",
    .roles = DV_PLAYS(DV_ROLE_LOADER),
    .size = sizeof(dvLoader),
    .blocks = {&dv_object_block, DV_BLOCK(loader_fields), DV_BLOCK(sequence_fields)},
    .parse = loader_parse,
    .update = loader_update,
    .handle_event = sequence_event,
    DV_MEMORY(sequence_memory),
    .restored = sequence_restored,
};
LOADER(dv_trian_loader_class, "MeshTrianLoader", NULL, "loads a triangulation (.trian)", NULL, DV_BLOCK(trian_fields))
LOADER(dv_gid_loader_class, "GIDMeshLoader", NULL, "loads a mesh of GiD", NULL)
LOADER(dv_xsp_loader_class, "MeshXspLoader", NULL, "loads points and springs from an Xsp file (.xs3)", NULL)
LOADER_(dv_string_creator_class, "StringMeshCreator", NULL,
        "a line of points from 0 to 1 along x, and the edges between them", NULL, creator_update,
        DV_BLOCK(string_fields))
LOADER_(dv_grid_creator_class, "GridMeshCreator", NULL, "a grid of points in the unit square, with triangles or quads",
        NULL, creator_update, DV_BLOCK(grid_fields))
LOADER(dv_mesh_loader_class, "MeshLoader", NULL, "loads a mesh from a file of any known format", NULL,
       DV_BLOCK(obj_fields))

// Legacy VTK files, ASCII and binary: unstructured grids, polygons, structured grids and structured points. Numbers of
// binary files are big-endian. Single precision numbers stay single precision. Values of points and cells follow the
// mesh; when they cannot be read, that is noted, and the mesh counts.
#include "base/text.h"
#include "io/mesh/vtk.h"

#include <math.h>
#include <strings.h>

typedef struct dvVtkLegacy {
  dvMeshScan s;
  dvMesh *mesh;
  bool binary;
  dvVtkNumbers cells;   // flat: the number of points, then the points
  dvVtkNumbers types;
  size_t cell_count;
  size_t cells_done;   // cells of the lists before this one
  int64_t dimensions[3];
  double origin[3], spacing[3];
  bool points_made;   // the points of the grid are implied
} dvVtkLegacy;

typedef struct Type {
  const char *name;
  int bytes;
  bool real, is_signed;
} Type;

static const Type types[] = {
    {"float", 4, true, true},           {"double", 8, true, true},           {"int", 4, false, true},
    {"long", 8, false, true},           {"unsigned_int", 4, false, false},   {"unsigned_long", 8, false, false},
    {"short", 2, false, true},          {"unsigned_short", 2, false, false}, {"char", 1, false, true},
    {"unsigned_char", 1, false, false}, {"vtkIdType", 8, false, true},       {"vtktypeint64", 8, false, true},
    {"vtktypeint32", 4, false, true}};

static bool find_type(dvVtkLegacy *v, const Type **type)
{
  const char *word;
  size_t n;
  if (!dv_mesh_scan_word(&v->s, &word, &n)) return dv_mesh_fail(&v->s, "the type of the numbers is missing");
  for (size_t i = 0; i < DV_COUNT(types); i++)
    if (strlen(types[i].name) == n && strncasecmp(types[i].name, word, n) == 0) {
      *type = &types[i];
      return true;
    }
  return dv_mesh_fail(&v->s, "'%.*s' is not a type of numbers", (int)dv_min_size(n, 40), word);
}

// a big-endian number
static bool raw_number(dvVtkLegacy *v, const Type *type, double *out)
{
  if (dv_mesh_scan_left(&v->s) < (size_t)type->bytes)
    return dv_mesh_fail(&v->s, "a number is missing at the end of the file");
  uint64_t bits = 0;
  for (int i = 0; i < type->bytes; i++) bits = bits << 8 | (unsigned char)v->s.at[i];
  v->s.at += type->bytes;
  if (type->real && type->bytes == 4) {
    float value;
    uint32_t half = (uint32_t)bits;
    memcpy(&value, &half, 4);
    *out = value;
  } else if (type->real) {
    memcpy(out, &bits, 8);
  } else if (type->is_signed) {
    int shift = 64 - 8 * type->bytes;
    *out = (double)((int64_t)(bits << shift) >> shift);
  } else {
    *out = (double)bits;
  }
  return true;
}

static bool number(dvVtkLegacy *v, const Type *type, const char *what, double *out)
{
  if (v->binary) {
    if (!raw_number(v, type, out)) return false;
  } else if (!dv_mesh_scan_real(&v->s, what, out)) {
    return false;
  }
  if (type->real && type->bytes == 4) *out = (float)*out;
  return isfinite(*out) || dv_mesh_fail(&v->s, "%s is not finite", what);
}

static bool integer(dvVtkLegacy *v, const Type *type, const char *what, int64_t *out)
{
  double value;
  if (!v->binary) return dv_mesh_scan_text_size(&v->s, what, out);
  if (!raw_number(v, type, &value)) return false;
  if (!(fabs(value) < 9e15)) return dv_mesh_fail(&v->s, "%s is out of range", what);
  *out = (int64_t)value;
  return true;
}

// a count in the text, and the end of its line before binary numbers
static bool count(dvVtkLegacy *v, const char *what, int64_t *out)
{
  return dv_mesh_scan_text_size(&v->s, what, out) && dv_mesh_check_count(&v->s, what, *out, 1);
}

static void begin_numbers(dvVtkLegacy *v)
{
  if (v->binary) dv_mesh_skip_line(&v->s);
}

static bool read_points(dvVtkLegacy *v)
{
  int64_t n;
  const Type *type;
  if (!count(v, "points", &n) || !find_type(v, &type)) return false;
  if (!dv_mesh_check_count(&v->s, "points", n, v->binary ? 3 * (size_t)type->bytes : 6)) return false;
  begin_numbers(v);
  v->mesh->positions.count = 0;
  if (!dv_try_reserve(&v->mesh->positions, 3 * (size_t)n))
    return dv_mesh_fail(&v->s, "out of memory for %lld points", (long long)n);
  for (int64_t i = 0; i < 3 * n; i++) {
    double x;
    if (!number(v, type, "a coordinate", &x)) return false;
    v->mesh->positions.data[v->mesh->positions.count++] = x;
  }
  return true;
}

static bool read_list(dvVtkLegacy *v, const Type *type, int64_t n, dvVtkNumbers *list)
{
  if (!dv_mesh_check_count(&v->s, "numbers of cells", n, v->binary ? (size_t)type->bytes : 2)) return false;
  if (!dv_try_reserve(list, (size_t)n)) return dv_mesh_fail(&v->s, "out of memory");
  for (int64_t i = 0; i < n; i++) {
    int64_t value;
    if (!integer(v, type, "a number of a cell", &value)) return false;
    list->data[list->count++] = value;
  }
  return true;
}

// since version 5 offsets and points of the cells stand apart
static bool read_offsets(dvVtkLegacy *v, int64_t offset_count, int64_t size)
{
  dvVtkNumbers offsets = {0}, points = {0};
  const Type *type;
  const char *word;
  size_t n;
  bool good = find_type(v, &type);
  if (good) begin_numbers(v);
  good = good && read_list(v, type, offset_count, &offsets);
  if (good && (!dv_mesh_scan_word(&v->s, &word, &n) || !dv_mesh_word_is(word, n, "CONNECTIVITY")))
    good = dv_mesh_fail(&v->s, "CONNECTIVITY expected");
  good = good && find_type(v, &type);
  if (good) begin_numbers(v);
  good = good && read_list(v, type, size, &points);
  for (size_t i = 0; i + 1 < offsets.count && good; i++) {
    int64_t begin = offsets.data[i], end = offsets.data[i + 1];
    if (begin < 0 || end < begin || (uint64_t)end > points.count) {
      good = dv_mesh_fail(&v->s, "the offsets of cell %zu are wrong", i);
      break;
    }
    dv_push(&v->cells, end - begin);
    for (int64_t k = begin; k < end; k++) dv_push(&v->cells, points.data[k]);
  }
  if (good) v->cell_count = offsets.count ? offsets.count - 1 : 0;
  dv_array_free(&offsets);
  dv_array_free(&points);
  return good;
}

static bool read_cells(dvVtkLegacy *v)
{
  int64_t n, size;
  if (!count(v, "cells", &n) || !count(v, "numbers of cells", &size)) return false;
  v->cells.count = 0;
  const char *word;
  size_t length;
  dvMeshScan before = v->s;
  if (dv_mesh_scan_word(&v->s, &word, &length) && dv_mesh_word_is(word, length, "OFFSETS"))
    return read_offsets(v, n, size);
  v->s = before;
  begin_numbers(v);
  if (size < n) return dv_mesh_fail(&v->s, "%lld cells cannot fit in %lld numbers", (long long)n, (long long)size);
  v->cell_count = (size_t)n;
  return read_list(v, &types[2], size, &v->cells);
}

static bool read_types(dvVtkLegacy *v)
{
  int64_t n;
  if (!count(v, "types of cells", &n)) return false;
  begin_numbers(v);
  v->types.count = 0;
  return read_list(v, &types[2], n, &v->types);
}

// adds the cells that were read, all of one type or each of its own
static bool add_cells(dvVtkLegacy *v, int type)
{
  size_t at = 0;
  if (type < 0 && v->types.count != v->cell_count)
    return dv_mesh_fail(&v->s, "%zu cells, but types of %zu", v->cell_count, v->types.count);
  for (size_t c = 0; c < v->cell_count; c++) {
    int64_t n = at < v->cells.count ? v->cells.data[at] : -1;
    if (n < 0 || (uint64_t)n > v->cells.count - at - 1)
      return dv_mesh_fail(&v->s, "the list of cells ends in cell %zu", c);
    int64_t own = type < 0 ? v->types.data[c] : type;
    if (type == 7 && n == 4) own = 9;
    if (type == 7 && n < 3) own = 0;
    if (type == 4 && n == 2) own = 3;
    if (!dv_vtk_add_cell(&v->s, v->mesh, own < 0 || own > 1000 ? 1000 : (int)own, v->cells.data + at + 1, (size_t)n))
      return false;
    if (!dv_vtk_note_cell(&v->s, v->mesh, v->cells_done + c)) return false;
    at += (size_t)n + 1;
  }
  v->cells_done += v->cell_count;
  v->cell_count = 0;
  v->cells.count = 0;
  return true;
}

static void skip_metadata(dvVtkLegacy *v)   // up to an empty line
{
  dv_mesh_skip_line(&v->s);
  const char *rest;
  size_t length;
  do dv_mesh_scan_rest(&v->s, &rest, &length);
  while (length && v->s.at < v->s.end);
}

static bool read_triple(dvVtkLegacy *v, const char *what, double out[3])
{
  for (int k = 0; k < 3; k++)
    if (!dv_mesh_scan_real(&v->s, what, &out[k])) return false;
  return true;
}

static bool read_dimensions(dvVtkLegacy *v)
{
  for (int k = 0; k < 3; k++)
    if (!dv_mesh_scan_text_size(&v->s, "a dimension", &v->dimensions[k])) return false;
  return true;
}

// --- values --------------------------------------------------------------------------------------

// `count` times `width` numbers of a type; a name of NULL passes over them
static bool read_values(dvVtkLegacy *v, bool of_cells, const char *name, size_t length, const int64_t size[2],
                        const Type *type)
{
  int64_t width = size[0], n = size[1];
  if (width < 1 || width > 1000 || n < 0)
    return dv_mesh_fail(&v->s, "%lld values of width %lld", (long long)n, (long long)width);
  begin_numbers(v);
  if (!dv_mesh_check_count(&v->s, "values", n, (size_t)width * (v->binary ? (size_t)type->bytes : 1))) return false;
  dvMeshValues *values = name ? dv_mesh_add_values(v->mesh, name, length, of_cells, (int)width) : NULL;
  if (name && (!values || !dv_try_reserve(&values->values, (size_t)(n * width))))
    return dv_mesh_fail(&v->s, "out of memory for values");
  if (values) values->whole = !type->real;
  for (int64_t i = 0; i < n * width; i++) {
    double x;
    const char *word;
    size_t letters;
    if (v->binary) {
      if (!raw_number(v, type, &x)) return false;
    } else {
      if (!dv_mesh_scan_word(&v->s, &word, &letters))
        return dv_mesh_fail(&v->s, "a value is missing at the end of the file");
      char copy[64];
      if (letters >= sizeof copy) return dv_mesh_fail(&v->s, "a value expected, found '%.40s'", word);
      memcpy(copy, word, letters);
      copy[letters] = 0;
      const char *cursor = copy;
      if (!dv_scan_real(&cursor, &x) || *cursor) return dv_mesh_fail(&v->s, "a value expected, found '%.40s'", copy);
    }
    if (values) values->values.data[values->values.count++] = x;
  }
  return true;
}

static bool read_name(dvVtkLegacy *v, const char **name, size_t *length)
{
  return dv_mesh_scan_word(&v->s, name, length) || dv_mesh_fail(&v->s, "the name of the values is missing");
}

// SCALARS name type [width], then maybe the name of a table of colours
static bool read_scalars(dvVtkLegacy *v, bool of_cells, int64_t n)
{
  const char *name, *word;
  size_t length, letters;
  const Type *type;
  int64_t width = 1;
  if (!read_name(v, &name, &length) || !find_type(v, &type)) return false;
  v->s.one_line = true;
  dvMeshScan before = v->s;
  bool wide = dv_mesh_scan_word(&v->s, &word, &letters);
  v->s = before;
  if (wide && !dv_mesh_scan_text_size(&v->s, "the number of components", &width)) return false;
  v->s.one_line = false;
  before = v->s;
  if (dv_mesh_scan_word(&v->s, &word, &letters) && dv_mesh_word_is(word, letters, "LOOKUP_TABLE")) {
    if (!read_name(v, &word, &letters)) return false;
  } else v->s = before;
  return read_values(v, of_cells, name, length, (const int64_t[]){width, n}, type);
}

static bool read_field(dvVtkLegacy *v, bool of_cells)
{
  const char *name;
  size_t length;
  int64_t arrays, size[2];
  const Type *type;
  if (!read_name(v, &name, &length) || !dv_mesh_scan_text_size(&v->s, "the number of arrays", &arrays)) return false;
  for (int64_t i = 0; i < arrays; i++) {
    if (!read_name(v, &name, &length)) return false;
    if (dv_mesh_word_is(name, length, "METADATA")) {
      skip_metadata(v);
      i--;
      continue;
    }
    if (!dv_mesh_scan_text_size(&v->s, "the number of components", &size[0]) ||
        !dv_mesh_scan_text_size(&v->s, "the number of values", &size[1]) || !find_type(v, &type) ||
        !read_values(v, of_cells, name, length, size, type))
      return false;
  }
  return true;
}

// one array; `word` is its kind
static bool read_attribute(dvVtkLegacy *v, const char *word, size_t n, bool of_cells, int64_t count_of)
{
  static const struct {
    const char *word;
    int64_t width;
  } fixed[] = {{"VECTORS", 3}, {"NORMALS", 3}, {"TENSORS", 9}, {"TENSORS6", 6}, {"GLOBAL_IDS", 1}, {"PEDIGREE_IDS", 1}};
  const char *name;
  size_t length;
  int64_t size[2] = {1, count_of};
  const Type *type;
  if (dv_mesh_word_is(word, n, "SCALARS")) return read_scalars(v, of_cells, count_of);
  if (dv_mesh_word_is(word, n, "FIELD")) return read_field(v, of_cells);
  if (dv_mesh_word_is(word, n, "METADATA")) {
    skip_metadata(v);
    return true;
  }
  if (!read_name(v, &name, &length)) return false;
  for (size_t i = 0; i < DV_COUNT(fixed); i++)
    if (dv_mesh_word_is(word, n, fixed[i].word)) {
      size[0] = fixed[i].width;
      return find_type(v, &type) && read_values(v, of_cells, name, length, size, type);
    }
  if (dv_mesh_word_is(word, n, "TEXTURE_COORDINATES"))
    return dv_mesh_scan_text_size(&v->s, "the number of components", &size[0]) && find_type(v, &type) &&
           read_values(v, of_cells, name, length, size, type);
  // colours are bytes in binary files, and numbers up to 1 in text
  if (dv_mesh_word_is(word, n, "COLOR_SCALARS"))
    return dv_mesh_scan_text_size(&v->s, "the number of components", &size[0]) &&
           read_values(v, of_cells, name, length, size, &types[v->binary ? 9 : 0]);
  if (dv_mesh_word_is(word, n, "LOOKUP_TABLE")) {
    size[0] = 4;
    return dv_mesh_scan_text_size(&v->s, "the size of the table", &size[1]) &&
           read_values(v, of_cells, NULL, 0, size, &types[v->binary ? 9 : 0]);
  }
  return dv_mesh_fail(&v->s, "values of kind '%.*s' are not known here", (int)dv_min_size(n, 40), word);
}

// everything from POINT_DATA or CELL_DATA to the end of the file
static bool read_data(dvVtkLegacy *v, const char *word, size_t n)
{
  bool of_cells = false;
  int64_t count_of = 0;
  do {
    bool points = dv_mesh_word_is(word, n, "POINT_DATA"), cells = dv_mesh_word_is(word, n, "CELL_DATA");
    if (points || cells) {
      of_cells = cells;
      if (!dv_mesh_scan_text_size(&v->s, "the number of values", &count_of)) return false;
    } else if (!read_attribute(v, word, n, of_cells, count_of)) return false;
  } while (dv_mesh_scan_word(&v->s, &word, &n));
  return true;
}

// values that cannot be read do no harm to the mesh
static void try_data(dvVtkLegacy *v, const char *word, size_t n)
{
  dvMeshError error = {0}, *outer = v->s.error;
  v->s.error = &error;
  if (!read_data(v, word, n)) dv_push(&v->mesh->unread, dv_format("values, line %d: %s", error.line, error.text));
  v->s.error = outer;
  v->s.one_line = false;
}

// false with an error, or with *done when the data of points and cells begins
static bool read_part(dvVtkLegacy *v, const char *word, size_t n, bool *done)
{
  static const struct {
    const char *word;
    int type;
  } lists[] = {{"POLYGONS", 7}, {"LINES", 4}, {"TRIANGLE_STRIPS", 6}, {"VERTICES", 1}};
  for (size_t i = 0; i < DV_COUNT(lists); i++)
    if (dv_mesh_word_is(word, n, lists[i].word)) return read_cells(v) && add_cells(v, lists[i].type);
  if (dv_mesh_word_is(word, n, "POINTS")) return read_points(v);
  if (dv_mesh_word_is(word, n, "CELLS")) return read_cells(v);
  if (dv_mesh_word_is(word, n, "CELL_TYPES")) return read_types(v) && add_cells(v, -1);
  if (dv_mesh_word_is(word, n, "DIMENSIONS")) return read_dimensions(v);
  if (dv_mesh_word_is(word, n, "ORIGIN")) return read_triple(v, "a coordinate of the origin", v->origin);
  if (dv_mesh_word_is(word, n, "SPACING") || dv_mesh_word_is(word, n, "ASPECT_RATIO"))
    return read_triple(v, "a spacing", v->spacing);
  if (dv_mesh_word_is(word, n, "POINT_DATA") || dv_mesh_word_is(word, n, "CELL_DATA")) {
    try_data(v, word, n);
    return *done = true;
  }
  if (dv_mesh_word_is(word, n, "METADATA")) {
    skip_metadata(v);
    return true;
  }
  return dv_mesh_fail(&v->s, "'%.*s' is not known here", (int)dv_min_size(n, 40), word);
}

static bool read_legacy(dvVtkLegacy *v)
{
  const char *word, *kind;
  size_t n, length;
  dv_mesh_scan_rest(&v->s, &word, &n);
  if (n < 14 || memcmp(word, "# vtk DataFile", 14) != 0)
    return dv_mesh_fail(&v->s, "not a VTK file: it must begin with '# vtk DataFile'");
  dv_mesh_skip_line(&v->s);
  if (!dv_mesh_scan_word(&v->s, &word, &n)) return dv_mesh_fail(&v->s, "ASCII or BINARY expected");
  v->binary = dv_mesh_word_is(word, n, "BINARY");
  if (!v->binary && !dv_mesh_word_is(word, n, "ASCII")) return dv_mesh_fail(&v->s, "ASCII or BINARY expected");
  if (!dv_mesh_scan_word(&v->s, &word, &n) || !dv_mesh_word_is(word, n, "DATASET") ||
      !dv_mesh_scan_word(&v->s, &kind, &length))
    return dv_mesh_fail(&v->s, "DATASET and its kind expected");
  bool implied = dv_mesh_word_is(kind, length, "STRUCTURED_POINTS"),
       grid = implied || dv_mesh_word_is(kind, length, "STRUCTURED_GRID");
  if (!grid && !dv_mesh_word_is(kind, length, "UNSTRUCTURED_GRID") && !dv_mesh_word_is(kind, length, "POLYDATA"))
    return dv_mesh_fail(&v->s, "a mesh of kind '%.*s' cannot be read", (int)dv_min_size(length, 40), kind);
  bool done = false;
  while (!done && dv_mesh_scan_word(&v->s, &word, &n))
    if (!read_part(v, word, n, &done)) return false;
  if (v->cell_count) return dv_mesh_fail(&v->s, "CELL_TYPES are missing");
  if (implied && !dv_vtk_add_grid_points(&v->s, v->mesh, v->dimensions, v->origin, v->spacing)) return false;
  if (grid && !dv_vtk_add_grid(&v->s, v->mesh, v->dimensions)) return false;
  if (grid) v->cells_done = dv_vtk_grid_cells(v->dimensions);
  return true;
}

dvStatus dv_mesh_read_vtk(const char *bytes, size_t length, dvMesh *out, dvMeshError *error)
{
  *out = (dvMesh){0};
  dvVtkLegacy v = {.mesh = out, .spacing = {1, 1, 1}};
  dv_mesh_scan_init(&v.s, bytes, length, error);
  bool good = read_legacy(&v);
  dv_array_free(&v.cells);
  dv_array_free(&v.types);
  dv_vtk_finish_values(out, v.cells_done);
  if (good) return DV_OK;
  dv_mesh_free(out);
  return DV_ERROR_INPUT;
}

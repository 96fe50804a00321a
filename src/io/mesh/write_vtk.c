// VTK's XML files (VTK file formats, "XML file formats"): unstructured grid and collection.
//
// An array is the number of its bytes as a little-endian 64-bit integer, followed by the values,
// both in one run of base64.
#include "io/mesh/write_vtk.h"

#include "base/file.h"
#include "base/text.h"
#include "io/mesh/write_mesh.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

typedef struct dvBase64 {
  FILE *file;
  unsigned char pending[3];
  int pending_count;
  char line[4 * 768];
  size_t line_count;
} dvBase64;

static void base64_flush(dvBase64 *b)
{
  fwrite(b->line, 1, b->line_count, b->file);
  b->line_count = 0;
}

static void base64_group(dvBase64 *b)
{
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  uint32_t bits = (uint32_t)b->pending[0] << 16 | (uint32_t)b->pending[1] << 8 | b->pending[2];
  if (b->line_count + 4 > sizeof b->line) base64_flush(b);
  for (int i = 0; i < 4; i++)
    b->line[b->line_count++] = i <= b->pending_count ? digits[bits >> (18 - 6 * i) & 63] : '=';
  b->pending_count = 0;
  memset(b->pending, 0, sizeof b->pending);
}

static void base64_byte(dvBase64 *b, unsigned char byte)
{
  b->pending[b->pending_count++] = byte;
  if (b->pending_count == 3) base64_group(b);
}

static void base64_number(dvBase64 *b, uint64_t bits, int bytes)
{
  for (int i = 0; i < bytes; i++) base64_byte(b, (unsigned char)(bits >> 8 * i));
}

static void base64_end(dvBase64 *b)
{
  if (b->pending_count) base64_group(b);
  base64_flush(b);
}

static void add_escaped(dvText *t, const char *text)
{
  for (; *text; text++) {
    switch (*text) {
    case '<':
      dv_text_add(t, "&lt;");
      break;
    case '>':
      dv_text_add(t, "&gt;");
      break;
    case '&':
      dv_text_add(t, "&amp;");
      break;
    case '"':
      dv_text_add(t, "&quot;");
      break;
    // a control character has no place in XML
    default:
      dv_text_add_n(t, (unsigned char)*text < ' ' ? " " : text, 1);
    }
  }
}

static void array_begin(dvBase64 *b, const char *type, const char *name, int components, uint64_t bytes)
{
  dvText escaped = {0};
  add_escaped(&escaped, name);
  fprintf(b->file, "<DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\" format=\"binary\">\n", type,
          escaped.text ? escaped.text : "", components);
  dv_text_free(&escaped);
  base64_number(b, bytes, 8);
}

static void array_end(dvBase64 *b)
{
  base64_end(b);
  fputs("\n</DataArray>\n", b->file);
}

static void write_reals(dvBase64 *b, const char *name, const double *values, size_t count, int components)
{
  size_t numbers = count * (size_t)components;
  array_begin(b, "Float64", name, components, numbers * 8);
  for (size_t i = 0; i < numbers; i++) {
    uint64_t bits;
    memcpy(&bits, &values[i], sizeof bits);
    base64_number(b, bits, 8);
  }
  array_end(b);
}

static int vtk_type(dvMeshKind kind)
{
  static const int types[DV_MESH_KINDS] = {3, 5, 9, 10, 12, 13, 14};
  return types[kind];
}

enum { VTK_VERTEX = 1 };

static size_t cell_count(const dvVtuGrid *grid)
{
  if (!grid->block_count) return grid->point_count;
  size_t cells = 0;
  for (size_t i = 0; i < grid->block_count; i++) cells += grid->blocks[i].count;
  return cells;
}

static void write_connectivity(dvBase64 *b, const dvVtuGrid *grid)
{
  size_t numbers = grid->block_count ? 0 : grid->point_count;
  for (size_t i = 0; i < grid->block_count; i++)
    numbers += grid->blocks[i].count * (size_t)dv_mesh_corners(grid->blocks[i].kind);
  array_begin(b, "Int32", "connectivity", 1, numbers * 4);
  if (!grid->block_count)
    for (size_t i = 0; i < grid->point_count; i++) base64_number(b, i, 4);
  for (size_t i = 0; i < grid->block_count; i++) {
    const dvVtuBlock *block = &grid->blocks[i];
    size_t indices = block->count * (size_t)dv_mesh_corners(block->kind);
    for (size_t k = 0; k < indices; k++) {
      DV_REQUIRE(block->indices[k] >= 0 && (size_t)block->indices[k] < grid->point_count);
      base64_number(b, (uint64_t)block->indices[k], 4);
    }
  }
  array_end(b);
}

static void write_cells(dvBase64 *b, const dvVtuGrid *grid)
{
  size_t cells = cell_count(grid);
  write_connectivity(b, grid);
  array_begin(b, "Int64", "offsets", 1, cells * 8);
  uint64_t end = 0;
  if (!grid->block_count)
    for (size_t i = 0; i < cells; i++) base64_number(b, ++end, 8);
  for (size_t i = 0; i < grid->block_count; i++)
    for (size_t k = 0; k < grid->blocks[i].count; k++)
      base64_number(b, end += (uint64_t)dv_mesh_corners(grid->blocks[i].kind), 8);
  array_end(b);
  array_begin(b, "UInt8", "types", 1, cells);
  if (!grid->block_count)
    for (size_t i = 0; i < cells; i++) base64_byte(b, VTK_VERTEX);
  for (size_t i = 0; i < grid->block_count; i++)
    for (size_t k = 0; k < grid->blocks[i].count; k++) base64_byte(b, (unsigned char)vtk_type(grid->blocks[i].kind));
  array_end(b);
}

static void write_grid(FILE *f, const dvVtuGrid *grid)
{
  dvBase64 b = {.file = f};
  fputs("<?xml version=\"1.0\"?>\n"
        "<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n"
        "<UnstructuredGrid>\n",
        f);
  fprintf(f, "<Piece NumberOfPoints=\"%zu\" NumberOfCells=\"%zu\">\n<PointData>\n", grid->point_count,
          cell_count(grid));
  for (size_t i = 0; i < grid->field_count; i++) {
    const dvVtuField *field = &grid->fields[i];
    write_reals(&b, field->name, field->values, grid->point_count, field->components);
  }
  fputs("</PointData>\n", f);
  if (grid->cell_field_count) fputs("<CellData>\n", f);
  for (size_t i = 0; i < grid->cell_field_count; i++)
    write_reals(&b, grid->cell_fields[i].name, grid->cell_fields[i].values, cell_count(grid),
                grid->cell_fields[i].components);
  fputs(grid->cell_field_count ? "</CellData>\n<Points>\n" : "<Points>\n", f);
  write_reals(&b, "Points", grid->points, grid->point_count, 3);
  fputs("</Points>\n<Cells>\n", f);
  write_cells(&b, grid);
  fputs("</Cells>\n</Piece>\n</UnstructuredGrid>\n</VTKFile>\n", f);
}

dvStatus dv_vtu_write(const char *path, const dvVtuGrid *grid)
{
  DV_REQUIRE(path && grid);
  char *partial = dv_format("%s.part", path);
  FILE *f = dv_file_write(partial, "wb");
  bool good = f != NULL;
  int reason = errno;
  if (f) {
    write_grid(f, grid);
    good = !ferror(f);
    reason = errno;
    if (fclose(f) != 0 && good) good = false, reason = errno;
    if (good && rename(partial, path) != 0) good = false, reason = errno;
    if (!good) remove(partial);
  }
  dv_free(partial);
  if (!good) errno = reason;
  return good ? DV_OK : DV_ERROR_INPUT;
}

// values of cells in the order in which the cells are written; NULL when memory is short
static double *reorder(const dvMesh *mesh, const dvMeshValues *v, size_t cells)
{
  double *out = dv_try_alloc((cells + 1) * (size_t)v->width * sizeof *out), *at = out;
  for (int kind = 0; kind < DV_MESH_KINDS && out; kind++)
    for (size_t e = 0; e < mesh->cell_of[kind].count; e++, at += v->width)
      memcpy(at, v->values.data + (size_t)mesh->cell_of[kind].data[e] * (size_t)v->width,
             (size_t)v->width * sizeof *at);
  return out;
}

dvStatus dv_vtu_write_mesh(const char *path, const dvMesh *mesh, const dvVtuField *fields, size_t field_count)
{
  dvVtuBlock blocks[DV_MESH_KINDS];
  DV_ARRAY(dvVtuField) point_fields = {0}, cell_fields = {0};
  dvVtuGrid grid = {.points = mesh->positions.data, .point_count = dv_mesh_point_count(mesh), .blocks = blocks};
  size_t cells = 0;
  for (int kind = 0; kind < DV_MESH_KINDS; kind++) {
    const dvMeshIndices *list = dv_mesh_elements((dvMesh *)mesh, kind);
    size_t n = list->count / (size_t)dv_mesh_corners(kind);
    if (n) blocks[grid.block_count++] = (dvVtuBlock){kind, list->data, n};
    cells += n;
  }
  for (size_t i = 0; i < field_count; i++) dv_push(&point_fields, fields[i]);
  for (size_t i = 0; i < mesh->values.count; i++) {
    const dvMeshValues *v = &mesh->values.data[i];
    double *ordered = v->of_cells && cells && dv_mesh_knows_cells(mesh) ? reorder(mesh, v, cells) : NULL;
    if (ordered) dv_push(&cell_fields, ((dvVtuField){v->name, ordered, v->width}));
    else if (!v->of_cells) dv_push(&point_fields, ((dvVtuField){v->name, v->values.data, v->width}));
  }
  grid.fields = point_fields.data, grid.field_count = point_fields.count;
  grid.cell_fields = cell_fields.data, grid.cell_field_count = cell_fields.count;
  dvStatus status = dv_vtu_write(path, &grid);
  for (size_t i = 0; i < cell_fields.count; i++) dv_free((void *)cell_fields.data[i].values);
  dv_array_free(&cell_fields);
  dv_array_free(&point_fields);
  return status;
}

dvStatus dv_pvtu_write(const char *path, char *const *pieces, size_t piece_count, const dvVtuField *fields,
                       size_t field_count)
{
  dvText t = {0};
  dv_text_add(&t, "<?xml version=\"1.0\"?>\n<VTKFile type=\"PUnstructuredGrid\" version=\"1.0\" "
                  "byte_order=\"LittleEndian\" header_type=\"UInt64\">\n<PUnstructuredGrid GhostLevel=\"0\">\n<PPoints>"
                  "<PDataArray type=\"Float64\" NumberOfComponents=\"3\"/></PPoints>\n<PPointData>");
  for (size_t i = 0; i < field_count; i++)
    dv_text_printf(&t, "<PDataArray type=\"Float64\" Name=\"%s\" NumberOfComponents=\"%d\"/>", fields[i].name,
                   fields[i].components);
  dv_text_add(&t, "</PPointData>\n");
  for (size_t i = 0; i < piece_count; i++) dv_text_printf(&t, "<Piece Source=\"%s\"/>\n", pieces[i]);
  dv_text_add(&t, "</PUnstructuredGrid>\n</VTKFile>\n");
  const dvStatus status = dv_file_replace(path, t.text, t.length);
  dv_text_free(&t);
  return status;
}

struct dvPvd {
  FILE *file;
  long end;   // where the closing tags begin
  bool failed;
};

static const char pvd_head[] = "<?xml version=\"1.0\"?>\n"
                               "<VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"LittleEndian\">\n"
                               "<Collection>\n";
static const char pvd_tail[] = "</Collection>\n</VTKFile>\n";

// Replaces the closing tags by `text` and the closing tags, in one write: what was there before is
// always shorter.
static bool pvd_append(dvPvd *pvd, const char *text)
{
  dvText whole = {0};
  dv_text_add(&whole, text);
  size_t entry = whole.length;
  dv_text_add(&whole, pvd_tail);
  bool good = fseek(pvd->file, pvd->end, SEEK_SET) == 0 &&
              fwrite(whole.text, 1, whole.length, pvd->file) == whole.length && fflush(pvd->file) == 0;
  dv_text_free(&whole);
  if (good) pvd->end += (long)entry;
  else pvd->failed = true;
  return good;
}

dvPvd *dv_pvd_create(const char *path)
{
  FILE *file = dv_file_write(path, "wb");
  if (!file) return NULL;
  setvbuf(file, NULL, _IOFBF, 1 << 16);   // an entry reaches the file whole
  dvPvd *pvd = dv_alloc(sizeof *pvd);
  pvd->file = file;
  if (!pvd_append(pvd, pvd_head)) {
    int reason = errno;
    dv_pvd_close(&pvd);
    errno = reason;
  }
  return pvd;
}

dvStatus dv_pvd_add(dvPvd *pvd, double time, const char *file)
{
  DV_REQUIRE(pvd && file && isfinite(time));
  dvText entry = {0};
  dv_text_add(&entry, "<DataSet timestep=\"");
  dv_text_add_real(&entry, time);
  dv_text_add(&entry, "\" part=\"0\" file=\"");
  add_escaped(&entry, file);
  dv_text_add(&entry, "\"/>\n");
  bool good = pvd_append(pvd, entry.text);
  dv_text_free(&entry);
  return good ? DV_OK : DV_ERROR_INPUT;
}

dvStatus dv_pvd_close(dvPvd **pvd)
{
  if (!pvd || !*pvd) return DV_OK;
  bool good = !(*pvd)->failed;
  if (fclose((*pvd)->file) != 0) good = false;
  dv_free(*pvd);
  *pvd = NULL;
  return good ? DV_OK : DV_ERROR_INPUT;
}

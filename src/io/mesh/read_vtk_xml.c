// XML files of VTK (.vtu, .vtp, .vti, .vts): numbers as text, base64 or appended (raw or base64), plain or compressed
// with zlib. Several pieces are joined. Values of points and cells that cannot be read do no harm to the mesh. Numbers
// that stand as text keep all their digits, whatever type the file gives them, as in SOFA.
//
// Raw appended data is no XML; the file is cut there before it is parsed.
#include "base/text.h"
#include "io/mesh/vtk.h"
#include "io/scene/xml_guard.h"

#include <libxml/tree.h>
#include <math.h>
#include <stdio.h>
#include <zlib.h>

typedef DV_ARRAY(double) Numbers;

typedef struct dvVtkXml {
  dvMeshScan s;
  dvMesh *mesh;
  bool swapped, compressed;
  int header;             // bytes of a size
  const char *appended;   // behind the underscore, NULL without
  bool appended_raw;
  size_t cells_done;   // of the pieces and lists before this one
} dvVtkXml;

static bool fail_at(dvVtkXml *v, xmlNode *node, const char *text)
{
  long line = xmlGetLineNo(node);
  v->s.line = line > 0 && line < 65535 ? (int)line : 1;
  return dv_mesh_fail(&v->s, "<%s>: %s", (const char *)node->name, text);
}

static bool is(const xmlNode *node, const char *name)
{
  return node->type == XML_ELEMENT_NODE && strcmp((const char *)node->name, name) == 0;
}

static xmlNode *child(xmlNode *parent, const char *name)
{
  for (xmlNode *n = parent ? parent->children : NULL; n; n = n->next)
    if (is(n, name)) return n;
  return NULL;
}

// the value of an attribute; the caller frees it with xmlFree
static char *attribute(xmlNode *node, const char *name) { return (char *)xmlGetProp(node, (const xmlChar *)name); }

static bool attribute_is(xmlNode *node, const char *name, const char *value)
{
  char *text = attribute(node, name);
  bool same = text && dv_same_nocase(text, value);
  xmlFree(text);
  return same;
}

static int64_t attribute_int(xmlNode *node, const char *name, int64_t otherwise)
{
  char *text = attribute(node, name);
  const char *cursor = text;
  long long value = otherwise;
  if (!text || !dv_scan_int(&cursor, &value)) value = otherwise;
  xmlFree(text);
  return value;
}

static xmlNode *array_named(xmlNode *parent, const char *name)
{
  for (xmlNode *n = parent ? parent->children : NULL; n; n = n->next)
    if (is(n, "DataArray") && attribute_is(n, "Name", name)) return n;
  return NULL;
}

// --- bytes ---------------------------------------------------------------------------------------

// Bytes that stand in the file as they are or as base64.
typedef struct Stream {
  const char *at, *end;
  bool base64;
  unsigned char pending[3];
  int have;
} Stream;

static int sextet(char c)
{
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  return c == '+' ? 62 : c == '/' ? 63 : -1;
}

// the next group of four letters; padding may stand inside, where one part ends and the next begins
static bool refill(Stream *s)
{
  int value[4], n = 0, padding = 0;
  while (n < 4) {
    while (s->at < s->end && dv_is_space(*s->at)) s->at++;
    if (s->at >= s->end) return false;
    char c = *s->at++;
    if (c == '=') value[n++] = 0, padding++;
    else if ((value[n++] = sextet(c)) < 0 || padding) return false;
  }
  if (padding > 2) return false;
  uint32_t bits = (uint32_t)value[0] << 18 | (uint32_t)value[1] << 12 | (uint32_t)value[2] << 6 | (uint32_t)value[3];
  s->have = 3 - padding;
  for (int i = 0; i < s->have; i++) s->pending[i] = (unsigned char)(bits >> (16 - 8 * i));
  return true;
}

static bool take(Stream *s, void *out, size_t n)
{
  unsigned char *to = out;
  if (!s->base64) {
    if ((size_t)(s->end - s->at) < n) return false;
    memcpy(out, s->at, n);
    s->at += n;
    return true;
  }
  for (size_t i = 0; i < n; i++) {
    if (!s->have && !refill(s)) return false;
    to[i] = s->pending[0];
    s->pending[0] = s->pending[1];
    s->pending[1] = s->pending[2];
    s->have--;
  }
  return true;
}

static bool take_size(const dvVtkXml *v, Stream *s, uint64_t *out)
{
  unsigned char b[8];
  if (!take(s, b, (size_t)v->header)) return false;
  *out = 0;
  for (int i = 0; i < v->header; i++) *out |= (uint64_t)b[v->swapped ? v->header - 1 - i : i] << (8 * i);
  return true;
}

typedef DV_ARRAY(unsigned char) Bytes;

static bool take_plain(const dvVtkXml *v, Stream *s, Bytes *out)
{
  uint64_t n;
  if (!take_size(v, s, &n) || n > (uint64_t)(s->end - s->at) + 8 || !dv_try_reserve(out, (size_t)n)) return false;
  out->count = (size_t)n;
  return take(s, out->data, (size_t)n);
}

// number of blocks, size of a block, size of the last one (0: as the others), compressed sizes, blocks
static bool take_compressed(const dvVtkXml *v, Stream *s, Bytes *out)
{
  uint64_t blocks, size, last, left = (uint64_t)(s->end - s->at);
  if (!take_size(v, s, &blocks) || !take_size(v, s, &size) || !take_size(v, s, &last)) return false;
  if (blocks > left || blocks == 0) return blocks == 0;
  DV_ARRAY(uint64_t) sizes = {0};
  Bytes packed = {0};
  bool good = dv_try_reserve(&sizes, (size_t)blocks);
  for (uint64_t i = 0; i < blocks && good; i++) {
    uint64_t n;
    good = take_size(v, s, &n) && n <= left;
    if (good) sizes.data[sizes.count++] = n;
  }
  for (uint64_t i = 0; i < blocks && good; i++) {
    uint64_t full = i + 1 == blocks && last ? last : size, n = sizes.data[i];
    good = full <= 1100 * n + 64 && dv_try_reserve(&packed, (size_t)n) && dv_try_reserve(out, (size_t)full) &&
           take(s, packed.data, (size_t)n);
    uLongf got = (uLongf)full;
    good = good && uncompress(out->data + out->count, &got, packed.data, (uLong)n) == Z_OK && got == full;
    if (good) out->count += (size_t)full;
  }
  dv_array_free(&sizes);
  dv_array_free(&packed);
  return good;
}

// --- arrays --------------------------------------------------------------------------------------

static const struct {
  const char *name;
  int bytes;
  bool real, is_signed;
} types[] = {{"Int8", 1, false, true},    {"UInt8", 1, false, false},  {"Int16", 2, false, true},
             {"UInt16", 2, false, false}, {"Int32", 4, false, true},   {"UInt32", 4, false, false},
             {"Int64", 8, false, true},   {"UInt64", 8, false, false}, {"Float32", 4, true, true},
             {"Float64", 8, true, true}};

static double convert(const dvVtkXml *v, const unsigned char *b, size_t type)
{
  int n = types[type].bytes;
  uint64_t bits = 0;
  for (int i = 0; i < n; i++) bits |= (uint64_t)b[v->swapped ? n - 1 - i : i] << (8 * i);
  if (types[type].real && n == 4) {
    uint32_t half = (uint32_t)bits;
    float value;
    memcpy(&value, &half, 4);
    return value;
  }
  if (types[type].real) {
    double value;
    memcpy(&value, &bits, 8);
    return value;
  }
  int shift = 64 - 8 * n;
  return types[type].is_signed ? (double)((int64_t)(bits << shift) >> shift) : (double)bits;
}

static bool read_text(dvVtkXml *v, xmlNode *node, Numbers *out)
{
  xmlChar *text = xmlNodeGetContent(node);
  const char *cursor = (const char *)text;
  double value;
  bool good = true;
  while (good && cursor && dv_scan_real(&cursor, &value)) {
    good = dv_try_reserve(out, 1);
    if (good) out->data[out->count++] = value;
  }
  while (cursor && dv_is_space(*cursor)) cursor++;
  bool rest = cursor && *cursor;
  char shown[32] = "";
  if (rest) snprintf(shown, sizeof shown, "%.20s", cursor);
  xmlFree(text);
  if (rest) {
    char message[80];
    snprintf(message, sizeof message, "a number expected, found '%s'", shown);
    return fail_at(v, node, message);
  }
  return good || fail_at(v, node, "out of memory");
}

static bool read_bytes(dvVtkXml *v, xmlNode *node, size_t type, Numbers *out)
{
  Stream s = {.base64 = true};
  xmlChar *text = NULL;
  if (attribute_is(node, "format", "appended")) {
    int64_t offset = attribute_int(node, "offset", -1);
    if (!v->appended || offset < 0 || offset > v->s.end - v->appended)
      return fail_at(v, node, "its data is not in the file");
    s = (Stream){.at = v->appended + offset, .end = v->s.end, .base64 = !v->appended_raw};
  } else {
    text = xmlNodeGetContent(node);
    s.at = (const char *)text;
    s.end = s.at ? s.at + strlen(s.at) : s.at;
  }
  Bytes bytes = {0};
  bool good = s.at && (v->compressed ? take_compressed(v, &s, &bytes) : take_plain(v, &s, &bytes));
  size_t n = bytes.count / (size_t)types[type].bytes;
  if (good) good = dv_try_reserve(out, n);
  for (size_t i = 0; i < n && good; i++)
    out->data[out->count++] = convert(v, bytes.data + i * (size_t)types[type].bytes, type);
  xmlFree(text);
  dv_array_free(&bytes);
  return good || fail_at(v, node, "its data cannot be decoded");
}

static bool read_array(dvVtkXml *v, xmlNode *node, Numbers *out)
{
  out->count = 0;
  if (!node) return dv_mesh_fail(&v->s, "a DataArray is missing");
  char *name = attribute(node, "type");
  size_t type = 0;
  while (type < DV_COUNT(types) && !(name && strcmp(types[type].name, name) == 0)) type++;
  xmlFree(name);
  if (type == DV_COUNT(types)) return fail_at(v, node, "the type of its numbers is not known");
  bool text = attribute_is(node, "format", "ascii") || !xmlHasProp(node, (const xmlChar *)"format");
  return text ? read_text(v, node, out) : read_bytes(v, node, type, out);
}

// --- pieces --------------------------------------------------------------------------------------

static bool read_points(dvVtkXml *v, xmlNode *piece)
{
  xmlNode *points = child(piece, "Points");
  int64_t n = attribute_int(piece, "NumberOfPoints", -1);
  Numbers x = {0};
  if (n == 0) return true;
  bool good = points ? read_array(v, child(points, "DataArray"), &x) : fail_at(v, piece, "the points are missing");
  if (good && (x.count % 3 || (n >= 0 && (uint64_t)n != x.count / 3)))
    good = fail_at(v, points, "the number of coordinates does not fit NumberOfPoints");
  if (good && !dv_try_reserve(&v->mesh->positions, x.count)) good = fail_at(v, points, "out of memory");
  for (size_t i = 0; i < x.count && good; i++) {
    if (!isfinite(x.data[i])) good = fail_at(v, points, "a coordinate is not finite");
    else v->mesh->positions.data[v->mesh->positions.count++] = x.data[i];
  }
  dv_array_free(&x);
  return good;
}

static int type_of(int given, size_t n)
{
  if (given == 7 && n == 4) return 9;
  if (given == 7 && n < 3) return 0;
  return given == 4 && n == 2 ? 3 : given;
}

// cells of one type, or of those that an array lists (type -1); points count from `first`
static bool read_cells(dvVtkXml *v, xmlNode *cells, int type, size_t first)
{
  Numbers points = {0}, offsets = {0}, kinds = {0};
  bool good = read_array(v, array_named(cells, "connectivity"), &points) &&
              read_array(v, array_named(cells, "offsets"), &offsets);
  if (type < 0) good = good && read_array(v, array_named(cells, "types"), &kinds);
  if (good && type < 0 && kinds.count < offsets.count) good = fail_at(v, cells, "there are fewer types than offsets");
  int64_t *cell = good ? dv_try_alloc((points.count + 1) * sizeof *cell) : NULL;
  if (good && !cell) good = fail_at(v, cells, "out of memory");
  for (size_t i = 0; i < points.count && good; i++) {
    if (!(points.data[i] >= 0 && points.data[i] < 2e9)) good = fail_at(v, cells, "an index of a point is out of range");
    else cell[i] = (int64_t)points.data[i] + (int64_t)first;
  }
  double begin = 0;
  for (size_t i = 0; i < offsets.count && good; i++) {
    double end = offsets.data[i];
    if (!(end >= begin && end <= (double)points.count)) {
      good = fail_at(v, cells, "the offsets do not fit the connectivity");
      break;
    }
    size_t n = (size_t)(end - begin);
    double kind = type < 0 ? kinds.data[i] : type;
    v->s.line = (int)dv_min_size((size_t)xmlGetLineNo(cells), 65535);
    good = dv_vtk_add_cell(&v->s, v->mesh, type_of(kind >= 0 && kind < 1000 ? (int)kind : 1000, type < 0 ? 0 : n),
                           cell + (size_t)begin, n);
    good = good && dv_vtk_note_cell(&v->s, v->mesh, v->cells_done++);
    begin = end;
  }
  dv_free(cell);
  dv_array_free(&points);
  dv_array_free(&offsets);
  dv_array_free(&kinds);
  return good;
}

// --- values --------------------------------------------------------------------------------------

// the list to which the values of an array are added: that of the piece before, or a new one
static dvMeshValues *values_named(dvMesh *mesh, const char *name, bool of_cells, int width)
{
  for (size_t i = 0; i < mesh->values.count; i++) {
    dvMeshValues *v = &mesh->values.data[i];
    if (v->of_cells == of_cells && dv_same(v->name, name)) return v->width == width ? v : NULL;
  }
  return dv_mesh_add_values(mesh, name, strlen(name), of_cells, width);
}

static void add_values(dvVtkXml *v, xmlNode *array, bool of_cells)
{
  char *name = attribute(array, "Name"), *type = attribute(array, "type");
  int64_t width = attribute_int(array, "NumberOfComponents", 1);
  Numbers x = {0};
  if (name && *name && width >= 1 && width <= 1000 && read_array(v, array, &x)) {
    dvMeshValues *values = values_named(v->mesh, name, of_cells, (int)width);
    if (values && dv_try_reserve(&values->values, x.count)) {
      if (x.count) memcpy(values->values.data + values->values.count, x.data, x.count * sizeof *x.data);
      values->values.count += x.count;
      values->whole = type && !dv_starts_with(type, "Float");
    }
  }
  dv_array_free(&x);
  xmlFree(name);
  xmlFree(type);
}

static void read_values(dvVtkXml *v, xmlNode *piece)
{
  dvMeshError *outer = v->s.error;
  static const char *const parents[2] = {"PointData", "CellData"};
  for (int k = 0; k < 2; k++) {
    xmlNode *parent = child(piece, parents[k]);
    for (xmlNode *n = parent ? parent->children : NULL; n; n = n->next) {
      if (!is(n, "DataArray")) continue;
      dvMeshError error = {0};
      v->s.error = &error;
      add_values(v, n, k == 1);
      if (error.text[0]) dv_push(&v->mesh->unread, dv_format("values, line %d: %s", error.line, error.text));
    }
  }
  v->s.error = outer;
}

static bool read_extent(dvVtkXml *v, xmlNode *node, const char *name, int64_t n[3], int64_t low[3])
{
  char *text = attribute(node, name);
  const char *cursor = text;
  bool good = text != NULL;
  for (int d = 0; d < 3 && good; d++) {
    long long a, b;
    good = dv_scan_int(&cursor, &a) && dv_scan_int(&cursor, &b) && b >= a && a > -100000000 && b < 100000000;
    if (good) n[d] = b - a + 1, low[d] = a;
  }
  xmlFree(text);
  return good || fail_at(v, node, "the extent is not six numbers in order");
}

static bool read_triple(xmlNode *node, const char *name, double out[3])
{
  char *text = attribute(node, name);
  const char *cursor = text;
  bool good = true;
  for (int d = 0; d < 3 && text && good; d++) good = dv_scan_real(&cursor, &out[d]);
  xmlFree(text);
  return good;
}

static bool read_image(dvVtkXml *v, xmlNode *grid)
{
  double origin[3] = {0}, spacing[3] = {1, 1, 1};
  int64_t n[3], low[3];
  if (!read_extent(v, grid, "WholeExtent", n, low)) return false;
  if (!read_triple(grid, "Origin", origin) || !read_triple(grid, "Spacing", spacing))
    return fail_at(v, grid, "Origin or Spacing is not three numbers");
  for (int d = 0; d < 3; d++) origin[d] += spacing[d] * (double)low[d];
  xmlNode *piece = child(grid, "Piece");
  bool single = piece != NULL;   // the order of values in several pieces is not that of the whole grid
  for (xmlNode *other = piece ? piece->next : NULL; other; other = other->next) single = single && !is(other, "Piece");
  if (single) read_values(v, piece);
  v->cells_done = dv_vtk_grid_cells(n);
  return dv_vtk_add_grid_points(&v->s, v->mesh, n, origin, spacing) && dv_vtk_add_grid(&v->s, v->mesh, n);
}

static bool read_piece(dvVtkXml *v, xmlNode *grid, xmlNode *piece)
{
  static const struct {
    const char *name;
    int type;
  } parts[] = {{"Verts", 1}, {"Lines", 4}, {"Polys", 7}, {"Strips", 6}};
  size_t first = dv_mesh_point_count(v->mesh);
  if (!read_points(v, piece)) return false;
  read_values(v, piece);
  if (is(grid, "StructuredGrid")) {
    int64_t n[3], low[3];
    if (!read_extent(v, piece, "Extent", n, low) || !dv_vtk_add_grid(&v->s, v->mesh, n)) return false;
    v->cells_done = dv_vtk_grid_cells(n);
    return true;
  }
  if (is(grid, "UnstructuredGrid")) {
    xmlNode *cells = child(piece, "Cells");
    if (!cells && attribute_int(piece, "NumberOfCells", 0) == 0) return true;
    return cells ? read_cells(v, cells, -1, first) : fail_at(v, piece, "the cells are missing");
  }
  for (size_t i = 0; i < DV_COUNT(parts); i++) {
    xmlNode *cells = child(piece, parts[i].name);
    if (cells && array_named(cells, "connectivity") && array_named(cells, "offsets") &&
        !read_cells(v, cells, parts[i].type, first))
      return false;
  }
  return true;
}

static bool read_root(dvVtkXml *v, xmlNode *root)
{
  if (!root || !is(root, "VTKFile")) return dv_mesh_fail(&v->s, "not a VTK file: its first element must be <VTKFile>");
  v->swapped = attribute_is(root, "byte_order", "BigEndian");
  v->header = attribute_is(root, "header_type", "UInt64") ? 8 : 4;
  char *compressor = attribute(root, "compressor");
  v->compressed = compressor && *compressor;
  bool known = !v->compressed || dv_same(compressor, "vtkZLibDataCompressor");
  xmlFree(compressor);
  if (!known) return fail_at(v, root, "only zlib compression can be read");
  static const char *const kinds[] = {"UnstructuredGrid", "PolyData", "StructuredGrid", "ImageData"};
  xmlNode *grid = NULL;
  for (size_t i = 0; i < DV_COUNT(kinds) && !grid; i++) grid = child(root, kinds[i]);
  if (!grid) return fail_at(v, root, "it holds no mesh of a kind that can be read");
  if (is(grid, "ImageData")) return read_image(v, grid);
  int pieces = 0;
  for (xmlNode *n = grid->children; n; n = n->next) {
    if (!is(n, "Piece")) continue;
    if (pieces++ && is(grid, "StructuredGrid"))
      return fail_at(v, n, "a structured grid in several pieces cannot be read");
    if (!read_piece(v, grid, n)) return false;
  }
  return pieces || fail_at(v, grid, "it has no <Piece>");
}

// where appended data begins, NULL without
static const char *find_appended(const char *bytes, size_t length)
{
  return memmem(bytes, length, "<AppendedData", 13);
}

static bool read_xml(dvVtkXml *v, const char *bytes, size_t length)
{
  const char *cut = find_appended(bytes, length);
  // entities could make much out of little
  if (memmem(bytes, cut ? (size_t)(cut - bytes) : length, "<!DOCTYPE", 9))
    return dv_mesh_fail(&v->s, "a document type is not allowed here");
  dvText text = {0};
  dv_text_add_n(&text, bytes, cut ? (size_t)(cut - bytes) : length);
  if (cut) {
    const char *close = memchr(cut, '>', dv_min_size(200, (size_t)(v->s.end - cut)));
    v->appended_raw = close && memmem(cut, (size_t)(close - cut), "raw", 3);
    const char *mark = close ? memchr(close, '_', dv_min_size(200, (size_t)(v->s.end - close))) : NULL;
    if (mark) v->appended = mark + 1;
    dv_text_add(&text, "</VTKFile>");
  }
  int options = XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING | XML_PARSE_HUGE;
  dvXmlGuard guard;
  dv_xml_guard_begin(&guard);
  xmlDoc *doc = text.length > INT32_MAX ? NULL : xmlReadMemory(text.text, (int)text.length, NULL, NULL, options);
  dv_text_free(&text);
  if (!doc) {
    const xmlError *e = xmlGetLastError();
    char why[120] = "";
    if (e && e->message) snprintf(why, sizeof why, "%.*s", (int)strcspn(e->message, "\n"), e->message);
    if (e && e->line > 0) v->s.line = e->line;
    dv_xml_guard_end(&guard);
    return dv_mesh_fail(&v->s, "not well-formed XML: %s", why);
  }
  bool good = read_root(v, xmlDocGetRootElement(doc));
  xmlFreeDoc(doc);
  dv_xml_guard_end(&guard);
  return good;
}

dvStatus dv_mesh_read_vtk_xml(const char *bytes, size_t length, dvMesh *out, dvMeshError *error)
{
  *out = (dvMesh){0};
  dvVtkXml v = {.mesh = out};
  dv_mesh_scan_init(&v.s, bytes, length, error);
  bool good = read_xml(&v, bytes, length);
  dv_vtk_finish_values(out, v.cells_done);
  if (good) return DV_OK;
  dv_mesh_free(out);
  return DV_ERROR_INPUT;
}

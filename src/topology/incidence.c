// What lies around what: rows of element numbers around points and parts, numbers of the parts of each element.
// See topology.h.
#include "topology/derive.h"
#include "topology/topology.h"

// one row for each of `rows` places from the places that each element touches; entries below 0 are passed over
static bool fill(dvIncidence *out, size_t rows, const dvInts *touched)
{
  dv_free(out->offsets);
  dv_free(out->items);
  *out = (dvIncidence){0};
  if (touched->count > INT32_MAX) return false;
  out->offsets = dv_try_alloc((rows + 2) * sizeof *out->offsets);
  out->items = dv_try_alloc((touched->count + 1) * sizeof *out->items);
  if (!out->offsets || !out->items) return false;
  // offsets[i + 1] first counts row i - 1, then runs through it
  for (size_t i = 0; i < touched->count; i++)
    if (touched->data[i] >= 0) out->offsets[touched->data[i] + 2]++;
  for (size_t i = 0; i < rows; i++) out->offsets[i + 2] += out->offsets[i + 1];
  for (size_t i = 0; i < touched->count; i++)
    if (touched->data[i] >= 0) out->items[out->offsets[touched->data[i] + 1]++] = (int32_t)(i / (size_t)touched->width);
  out->count = rows;
  return true;
}

const dvIncidence *dv_topology_around_point(dvTopology *t, dvElementKind kind)
{
  const dvInts *elements = dv_topology_elements(t, kind);
  dvIncidence *around = &t->around_point[kind];
  if (around->revision == t->revision) return around;
  if (!fill(around, dv_topology_point_count(t), elements)) return NULL;
  around->revision = t->revision;
  return around;
}

// the table of parts: places of part i start at table[i * width]; 0 when there are none
static int part_table(dvElementKind part, dvElementKind kind, const int **table)
{
  static const struct {
    dvElementKind part, kind;
    const int *table;
    int count;
  } tables[] = {{DV_EDGE, DV_TRIANGLE, dv_edges_of_triangle[0], 3},
                {DV_EDGE, DV_QUAD, dv_edges_of_quad[0], 4},
                {DV_EDGE, DV_TETRAHEDRON, dv_edges_of_tetrahedron[0], 6},
                {DV_EDGE, DV_HEXAHEDRON, dv_edges_of_hexahedron[0], 12},
                {DV_TRIANGLE, DV_TETRAHEDRON, dv_triangles_of_tetrahedron[0], 4},
                {DV_QUAD, DV_HEXAHEDRON, dv_quads_of_hexahedron[0], 6}};
  for (size_t i = 0; i < DV_COUNT(tables); i++) {
    if (tables[i].part != part || tables[i].kind != kind) continue;
    *table = tables[i].table;
    return tables[i].count;
  }
  return 0;
}

// parts are numbered together with the list in which they stand, which comes first
static bool number_parts(const dvInts *parts, const dvInts *elements, const int *table, int count, dvInts *out)
{
  size_t n = dv_ints_size(elements), part_count = dv_ints_size(parts);
  const dvPartList lists[2] = {dv_parts_given(parts->data, part_count, parts->width),
                               {elements->data, n, elements->width, table, count}};
  int32_t *numbers = NULL, different = dv_parts_number(lists, 2, parts->width, DV_PART_CORNERS, &numbers);
  int32_t *first = different < 0 ? NULL : dv_try_alloc(((size_t)different + 1) * sizeof *first);
  bool good = first && dv_ints_resize(out, n * (size_t)count);
  if (good) {
    for (int32_t i = 0; i < different; i++) first[i] = -1;
    for (size_t i = part_count; i-- > 0;)
      first[numbers[i]] = (int32_t)i;   // a part that is listed twice goes by its first number
    for (size_t i = 0; i < out->count; i++) out->data[i] = first[numbers[part_count + i]];
  }
  dv_free(first);
  dv_free(numbers);
  return good;
}

const dvInts *dv_topology_parts(dvTopology *t, dvElementKind part, dvElementKind kind)
{
  const int *table;
  int count = part_table(part, kind, &table);
  if (!count) return NULL;
  const dvInts *parts = dv_topology_elements(t, part), *elements = dv_topology_elements(t, kind);
  if (t->base.failed) return NULL;
  dvInts *out = &t->parts[part][kind];
  if (t->parts_revision[part][kind] == t->revision) return out;
  dv_ints_free(out);
  out->width = count;
  if (!number_parts(parts, elements, table, count, out)) return NULL;
  t->parts_revision[part][kind] = t->revision;
  return out;
}

// triangles that run along the edge first, the last of them foremost, then the others
static bool order_triangles(dvTopology *t, const dvInts *edges_of, dvIncidence *around)
{
  const dvInts *edges = dv_topology_elements(t, DV_EDGE), *triangles = dv_topology_elements(t, DV_TRIANGLE);
  int32_t longest = 0;
  for (size_t e = 0; e < around->count; e++)
    longest = (int32_t)dv_max_int(longest, around->offsets[e + 1] - around->offsets[e]);
  int32_t *others = dv_try_alloc(((size_t)longest + 1) * sizeof *others);
  if (!others) return false;
  for (size_t e = 0; e < around->count; e++) {
    int32_t *row = around->items + around->offsets[e], n = around->offsets[e + 1] - around->offsets[e];
    int32_t along = 0, rest = 0;
    for (int32_t i = 0; i < n; i++) {
      const int32_t *triangle = triangles->data + 3 * (size_t)row[i];
      int j = 0;
      while (j < 2 && edges_of->data[3 * (size_t)row[i] + (size_t)j] != (int32_t)e) j++;
      if (triangle[(j + 1) % 3] == edges->data[2 * e]) row[along++] = row[i];
      else others[rest++] = row[i];
    }
    for (int32_t i = 0; i < along / 2; i++) {
      int32_t swap = row[i];
      row[i] = row[along - 1 - i];
      row[along - 1 - i] = swap;
    }
    memcpy(row + along, others, (size_t)rest * sizeof *row);
  }
  dv_free(others);
  return true;
}

const dvIncidence *dv_topology_around(dvTopology *t, dvElementKind part, dvElementKind kind)
{
  const dvInts *parts = dv_topology_parts(t, part, kind);
  if (!parts) return NULL;
  dvIncidence *around = &t->around_part[part][kind];
  if (around->revision == t->revision) return around;
  if (!fill(around, dv_topology_count(t, part), parts)) return NULL;
  if (part == DV_EDGE && kind == DV_TRIANGLE && !order_triangles(t, parts, around)) return NULL;
  around->revision = t->revision;
  return around;
}

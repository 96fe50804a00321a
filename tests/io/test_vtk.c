// VTK files, read back with an XML parser and a base64 decoder of the test's own.
#include "support/check.h"

#include "base/file.h"
#include "io/mesh/write_vtk.h"

#include <libxml/parser.h>
#include <libxml/tree.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int digit(char c)
{
  const char *digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", *at = strchr(digits, c);
  return c && at ? (int)(at - digits) : -1;
}

static unsigned char *decode(const char *text, size_t *length)
{
  unsigned char *out = malloc(strlen(text) + 1);
  uint32_t bits = 0;
  int have = 0;
  *length = 0;
  for (; *text; text++) {
    if (digit(*text) < 0) continue;   // white space and padding
    bits = bits << 6 | (uint32_t)digit(*text);
    have += 6;
    if (have >= 8) {
      have -= 8;
      out[(*length)++] = (unsigned char)(bits >> have & 255);
    }
  }
  return out;
}

static xmlNode *find(xmlNode *node, const char *tag, const char *name)
{
  for (; node; node = node->next) {
    if (node->type != XML_ELEMENT_NODE) continue;
    xmlChar *have = xmlGetProp(node, (const xmlChar *)"Name");
    bool same =
        strcmp((const char *)node->name, tag) == 0 && (!name || (have && strcmp((const char *)have, name) == 0));
    xmlFree(have);
    if (same) return node;
    xmlNode *inside = find(node->children, tag, name);
    if (inside) return inside;
  }
  return NULL;
}

// the decoded values of a DataArray, behind their length
static unsigned char *values(xmlNode *root, const char *name, const char *type, size_t wanted)
{
  xmlNode *node = find(root, "DataArray", name);
  assert_non_null(node);
  xmlChar *have = xmlGetProp(node, (const xmlChar *)"type"), *text = xmlNodeGetContent(node);
  assert_string_equal((const char *)have, type);
  size_t length;
  unsigned char *bytes = decode((const char *)text, &length);
  uint64_t header;
  assert_int_equal(length, wanted + 8);
  memcpy(&header, bytes, 8);
  assert_int_equal(header, wanted);
  memmove(bytes, bytes + 8, wanted);
  xmlFree(have);
  xmlFree(text);
  return bytes;
}

static void check_attribute(xmlNode *node, const char *name, const char *wanted)
{
  xmlChar *have = xmlGetProp(node, (const xmlChar *)name);
  assert_non_null(have);
  assert_string_equal((const char *)have, wanted);
  xmlFree(have);
}

static void vtu_reads_back(void **state)
{
  DV_UNUSED(state);
  char *directory = check_mkdir(), *path = dv_path_join(directory, "grid.vtu");
  double points[15], speed[15], heat[5];
  for (int i = 0; i < 15; i++) points[i] = 0.1 * i - 0.3, speed[i] = 1.0 / (i + 1);
  for (int i = 0; i < 5; i++) heat[i] = i * 1e10;
  dvVtuBlock blocks[] = {{DV_MESH_TETRAHEDRON, (const int32_t[]){0, 1, 2, 3, 1, 2, 3, 4}, 2},
                         {DV_MESH_EDGE, (const int32_t[]){4, 0}, 1},
                         {DV_MESH_PYRAMID, (const int32_t[]){0, 1, 2, 3, 4}, 1}};
  dvVtuField fields[] = {{"velocity", speed, 3}, {"a<b & \"c\"", heat, 1}};
  dvVtuGrid grid = {
      .points = points, .point_count = 5, .blocks = blocks, .block_count = 3, .fields = fields, .field_count = 2};
  assert_int_equal(dv_vtu_write(path, &grid), DV_OK);

  xmlDoc *document = xmlReadFile(path, NULL, 0);
  assert_non_null(document);
  xmlNode *root = xmlDocGetRootElement(document);
  check_attribute(root, "type", "UnstructuredGrid");
  check_attribute(root, "byte_order", "LittleEndian");
  check_attribute(root, "header_type", "UInt64");
  check_attribute(find(root, "Piece", NULL), "NumberOfPoints", "5");
  check_attribute(find(root, "Piece", NULL), "NumberOfCells", "4");
  check_attribute(find(root, "DataArray", "velocity"), "NumberOfComponents", "3");

  unsigned char *bytes = values(find(root, "Points", NULL), "Points", "Float64", sizeof points);
  assert_memory_equal(bytes, points, sizeof points);
  free(bytes);
  bytes = values(find(root, "PointData", NULL), "velocity", "Float64", sizeof speed);
  assert_memory_equal(bytes, speed, sizeof speed);
  free(bytes);
  bytes = values(root, "a<b & \"c\"", "Float64", sizeof heat);
  assert_memory_equal(bytes, heat, sizeof heat);
  free(bytes);
  static const int32_t connectivity[] = {0, 1, 2, 3, 1, 2, 3, 4, 4, 0, 0, 1, 2, 3, 4};
  bytes = values(root, "connectivity", "Int32", sizeof connectivity);
  assert_memory_equal(bytes, connectivity, sizeof connectivity);
  free(bytes);
  static const int64_t offsets[] = {4, 8, 10, 15};
  bytes = values(root, "offsets", "Int64", sizeof offsets);
  assert_memory_equal(bytes, offsets, sizeof offsets);
  free(bytes);
  static const unsigned char types[] = {10, 10, 3, 14};
  bytes = values(root, "types", "UInt8", sizeof types);
  assert_memory_equal(bytes, types, sizeof types);
  free(bytes);
  xmlFreeDoc(document);
  dv_free(path);
  check_rmdir(directory);
}

static void mesh_with_every_kind(void **state)
{
  DV_UNUSED(state);
  dvMesh mesh = {0};
  for (int i = 0; i < 24; i++) dv_push(&mesh.positions, i);
  for (int kind = 0; kind < DV_MESH_KINDS; kind++)
    for (int i = 0; i < dv_mesh_corners(kind); i++) dv_push(dv_mesh_elements(&mesh, kind), i);
  char *directory = check_mkdir(), *path = dv_path_join(directory, "all.vtu");
  assert_int_equal(dv_vtu_write_mesh(path, &mesh, NULL, 0), DV_OK);
  xmlDoc *document = xmlReadFile(path, NULL, 0);
  static const unsigned char types[] = {3, 5, 9, 10, 12, 13, 14};
  unsigned char *bytes = values(xmlDocGetRootElement(document), "types", "UInt8", sizeof types);
  assert_memory_equal(bytes, types, sizeof types);
  free(bytes);
  xmlFreeDoc(document);
  dv_mesh_free(&mesh);
  dv_free(path);
  check_rmdir(directory);
}

static void points_alone_and_nothing(void **state)
{
  DV_UNUSED(state);
  char *directory = check_mkdir(), *path = dv_path_join(directory, "points.vtu");
  const double points[6] = {1, 2, 3, 4, 5, 6};
  dvVtuGrid grid = {.points = points, .point_count = 2};
  assert_int_equal(dv_vtu_write(path, &grid), DV_OK);
  xmlDoc *document = xmlReadFile(path, NULL, 0);
  unsigned char *bytes = values(xmlDocGetRootElement(document), "types", "UInt8", 2);
  assert_int_equal(bytes[0], 1);
  free(bytes);
  bytes = values(xmlDocGetRootElement(document), "connectivity", "Int32", 8);
  assert_int_equal(bytes[4], 1);
  free(bytes);
  xmlFreeDoc(document);

  assert_int_equal(dv_vtu_write(path, &(dvVtuGrid){0}), DV_OK);   // replaces the file
  document = xmlReadFile(path, NULL, 0);
  free(values(xmlDocGetRootElement(document), "types", "UInt8", 0));
  xmlFreeDoc(document);
  char *partial = dv_format("%s.part", path);
  assert_false(dv_file_exists(partial));
  dv_free(partial);
  assert_int_equal(dv_vtu_write("/no/such/folder/x.vtu", &grid), DV_ERROR_INPUT);
  dv_free(path);
  check_rmdir(directory);
}

static int count_entries(const char *path, const char *last_file, const char *last_time)
{
  xmlDoc *document = xmlReadFile(path, NULL, 0);
  assert_non_null(document);
  xmlNode *root = xmlDocGetRootElement(document), *last = NULL;
  check_attribute(root, "type", "Collection");
  int count = 0;
  for (xmlNode *n = find(root, "Collection", NULL)->children; n; n = n->next)
    if (n->type == XML_ELEMENT_NODE) count++, last = n;
  if (last) {
    check_attribute(last, "file", last_file);
    check_attribute(last, "timestep", last_time);
  }
  xmlFreeDoc(document);
  return count;
}

static void pvd_is_complete_after_every_call(void **state)
{
  DV_UNUSED(state);
  char *directory = check_mkdir(), *path = dv_path_join(directory, "run.pvd");
  dvPvd *pvd = dv_pvd_create(path);
  assert_non_null(pvd);
  assert_int_equal(count_entries(path, "", ""), 0);
  assert_int_equal(dv_pvd_add(pvd, 0, "a & \"b\".vtu"), DV_OK);
  assert_int_equal(count_entries(path, "a & \"b\".vtu", "0"), 1);
  assert_int_equal(dv_pvd_add(pvd, 0.1, "c.vtu"), DV_OK);
  assert_int_equal(count_entries(path, "c.vtu", "0.1"), 2);
  for (int i = 0; i < 1000; i++) assert_int_equal(dv_pvd_add(pvd, i, "d.vtu"), DV_OK);
  assert_int_equal(count_entries(path, "d.vtu", "999"), 1002);
  assert_int_equal(dv_pvd_close(&pvd), DV_OK);
  assert_null(pvd);
  assert_int_equal(count_entries(path, "d.vtu", "999"), 1002);
  assert_null(dv_pvd_create("/no/such/folder/x.pvd"));
  assert_int_equal(dv_pvd_close(&pvd), DV_OK);
  dv_free(path);
  check_rmdir(directory);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(vtu_reads_back),
      cmocka_unit_test(mesh_with_every_kind),
      cmocka_unit_test(points_alone_and_nothing),
      cmocka_unit_test(pvd_is_complete_after_every_call),
  };
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  xmlCleanupParser();
  return failed;
}

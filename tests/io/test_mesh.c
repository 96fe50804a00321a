// Mesh readers: exact results of small files of each format, and each kind of error with its line.
#include "support/check.h"

#include "base/text.h"
#include "io/mesh/mesh.h"

#include <stdlib.h>
#include <string.h>

typedef dvStatus (*Reader)(const char *, size_t, dvMesh *, dvMeshError *);

static dvMesh read_good(Reader read, const char *text)
{
  dvMesh mesh = {0};
  dvMeshError error;
  dvStatus status = read(text, strlen(text), &mesh, &error);
  if (status != DV_OK) print_error("line %d: %s\n", error.line, error.text);
  assert_int_equal(status, DV_OK);
  return mesh;
}

// the text is copied to a block of its exact size, so that a sanitizer sees a read behind it
static void check_bad(Reader read, const char *text, int line, const char *says)
{
  size_t length = strlen(text);
  char *exact = malloc(length ? length : 1);
  memcpy(exact, text, length);
  dvMesh mesh = {0};
  dvMeshError error = {0};
  assert_int_equal(read(exact, length, &mesh, &error), DV_ERROR_INPUT);
  if (error.line != line || !strstr(error.text, says))
    print_error("wanted line %d: ...%s...\nfound line %d: %s\n", line, says, error.line, error.text);
  assert_int_equal(error.line, line);
  assert_non_null(strstr(error.text, says));
  assert_int_equal(mesh.positions.count, 0);
  assert_null(mesh.positions.data);
  free(exact);
}

static void check_list(const dvMeshIndices *list, size_t count, const int32_t *wanted)
{
  assert_int_equal(list->count, count);
  for (size_t i = 0; i < count; i++) {
    if (list->data[i] != wanted[i]) print_error("entry %zu is %d, wanted %d\n", i, list->data[i], wanted[i]);
    assert_int_equal(list->data[i], wanted[i]);
  }
}

#define CHECK_LIST(list, ...)                                    \
  do {                                                           \
    const int32_t check_wanted_[] = {__VA_ARGS__};               \
    check_list(&(list), DV_COUNT(check_wanted_), check_wanted_); \
  } while (0)

static void check_group(const dvMesh *mesh, size_t index, dvMeshKind kind, const char *name, int tag, int first,
                        int count)
{
  assert_true(index < mesh->groups.count);
  const dvMeshGroup *group = &mesh->groups.data[index];
  assert_int_equal(group->kind, kind);
  assert_string_equal(group->name, name);
  assert_int_equal(group->tag, tag);
  assert_int_equal(group->first, first);
  assert_int_equal(group->count, count);
}

static void gmsh_1_keeps_the_order_of_sparse_nodes(void **state)
{
  DV_UNUSED(state);
  dvMesh mesh = read_good(dv_mesh_read_gmsh, "$NOD\r\n4\r\n10 0 0 0\r\n7 1 0 0\r\n-3 0 1 0\r\n900 0 0 1\r\n$ENDNOD\r\n"
                                             "$ELM\r\n4\r\n1 4 5 6 4 10 7 -3 900\r\n2 2 1 1 3 7 10 900\r\n"
                                             "3 1 1 2 2 900 7\r\n4 15 1 1 1 10\r\n$ENDELM\r\n");
  assert_int_equal(dv_mesh_point_count(&mesh), 4);
  check_close(mesh.positions.data[3], 1, 0);
  check_close(mesh.positions.data[11], 1, 0);
  CHECK_LIST(mesh.tetrahedra, 0, 1, 2, 3);
  CHECK_LIST(mesh.triangles, 1, 0, 3);
  CHECK_LIST(mesh.edges, 3, 1);
  assert_int_equal(mesh.groups.count, 3);
  check_group(&mesh, 0, DV_MESH_TETRAHEDRON, "", 6, 0, 1);
  assert_int_equal(mesh.skipped, 0);
  dv_mesh_free(&mesh);
}

static void gmsh_lets_the_last_of_equal_nodes_win(void **state)
{
  DV_UNUSED(state);
  dvMesh mesh =
      read_good(dv_mesh_read_gmsh, "$NOD\n3\n1 0 0 0\n2 1 0 0\n1 2 0 0\n$ENDNOD\n$ELM\n1\n1 1 0 0 2 1 2\n$ENDELM\n");
  CHECK_LIST(mesh.edges, 2, 1);
  dv_mesh_free(&mesh);
}

static void gmsh_2_reads_every_kind_and_names_groups(void **state)
{
  DV_UNUSED(state);
  dvMesh mesh = read_good(
      dv_mesh_read_gmsh,
      "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Comments\nno $nodes here\n$EndComments\n"
      "$PhysicalNames\n2\n3 7 \"the body\"\n2 7 \"skin\"\n$EndPhysicalNames\n"
      "$Nodes\n10\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n5 0 0 1\n6 1 0 1\n7 1 1 1\n8 0 1 1\n9 .5 0 0\n10 2 2 "
      "2\n$EndNodes\n"
      "$Elements\n13\n"
      "1 5 2 7 1 1 2 3 4 5 6 7 8\n2 6 2 7 1 1 2 3 5 6 7\n3 7 2 7 1 1 2 3 4 5\n"
      "4 4 2 7 1 1 2 3 5\n5 4 2 7 1 1 2 3 6\n6 4 2 7 2 1 2 3 7\n"
      "7 2 3 7 8 9 1 2 3\n8 3 0 1 2 3 4\n"
      "9 8 2 1 1 1 2 9\n10 9 2 1 9 4 5 6 9 9 9\n11 10 2 1 1 5 6 7 8 9 9 9 9 9\n12 11 2 1 1 1 2 4 5 9 9 9 9 9 9\n"
      "13 92 2 1 1 1 2 3 4\n"
      "$EndElements\n$NodeData\n1\n\"x\"\n$EndNodeData\n");
  CHECK_LIST(mesh.hexahedra, 0, 1, 2, 3, 4, 5, 6, 7);
  CHECK_LIST(mesh.prisms, 0, 1, 2, 4, 5, 6);
  CHECK_LIST(mesh.pyramids, 0, 1, 2, 3, 4);
  CHECK_LIST(mesh.tetrahedra, 0, 1, 2, 4, 0, 1, 2, 5, 0, 1, 2, 6, 0, 1, 3, 4);
  CHECK_LIST(mesh.triangles, 0, 1, 2, 3, 4, 5);
  CHECK_LIST(mesh.quads, 0, 1, 2, 3, 4, 5, 6, 7);
  CHECK_LIST(mesh.edges, 0, 1);
  assert_int_equal(mesh.skipped, 1);
  assert_int_equal(dv_mesh_point_count(&mesh), 10);
  check_group(&mesh, 0, DV_MESH_HEXAHEDRON, "the body", 1, 0, 1);
  check_group(&mesh, 3, DV_MESH_TETRAHEDRON, "the body", 1, 0, 2);
  check_group(&mesh, 4, DV_MESH_TETRAHEDRON, "the body", 2, 2, 1);
  check_group(&mesh, 5, DV_MESH_TRIANGLE, "skin", 9, 0, 1);
  check_group(&mesh, 6, DV_MESH_QUAD, "", -1, 0, 1);
  check_group(&mesh, 8, DV_MESH_TRIANGLE, "", 9, 1, 1);
  dv_mesh_free(&mesh);
}

static const char gmsh_4[] =
    "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n"
    "$PhysicalNames\n1\n3 7 \"body\"\n$EndPhysicalNames\n"
    "$Entities\n1 1 0 1\n1 0 0 0 0\n4 0 0 0 1 1 1 0 2 1 -1\n5 0 0 0 1 1 1 1 7 1 4\n$EndEntities\n"
    "$Nodes\n2 4 20 40\n1 4 1 1\n40\n9 8 7 0.5\n3 5 0 3\n20\n22\n21\n1 0 0\n0 1 0\n0 0 1\n$EndNodes\n"
    "$Elements\n4 5 1 9\n0 1 15 1\n9 40\n1 4 1 1\n1 40 20\n3 5 4 2\n2 40 20 21 22\n3 40 20 22 21\n"
    "2 5 16 1\n4 40 40 40 40 40 40 40 40\n$EndElements\n";

static void gmsh_keeps_values_of_nodes(void **state)
{
  DV_UNUSED(state);
  static const char mesh_of[] =
      "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n3\n5 0 0 0\n2 1 0 0\n9 0 1 0\n$EndNodes\n"
      "$Elements\n1\n1 2 0 5 2 9\n$EndElements\n$NodeData\n%s$EndNodeData\n";
  char *text = dv_format(mesh_of, "2\n\"warmth\"\n\"scheme\"\n1\n0.5\n3\n0\n2\n3\n9 1 2\n5 3 4\n77 5 6\n");
  dvMesh mesh = read_good(dv_mesh_read_gmsh, text);
  assert_int_equal(mesh.values.count, 1);
  const dvMeshValues *v = &mesh.values.data[0];
  assert_string_equal(v->name, "warmth");
  assert_int_equal(v->width, 2);
  assert_int_equal(v->values.count, 6);
  check_close(v->values.data[0], 3, 0);
  check_close(v->values.data[5], 2, 0);
  assert_true(isnan(v->values.data[2]) && isnan(v->values.data[3]));   // node 2 has none, and there is no 77
  assert_int_equal(mesh.unread.count, 0);
  dv_mesh_free(&mesh);
  dv_free(text);
  // what is wrong there leaves the mesh as it is
  static const char *const wrong[] = {"", "1\n\"a\"\n1\n0\n3\n0\n1\n99999999\n1 2\n", "1\n\"a\"\n0\n2\n0\n99\n",
                                      "1\n\"a\"\n1\n0\n3\n0\n1\n2\n5 1\n2 what\n", "99\n\"a\"\n"};
  for (size_t i = 0; i < DV_COUNT(wrong); i++) {
    text = dv_format(mesh_of, wrong[i]);
    mesh = read_good(dv_mesh_read_gmsh, text);
    assert_int_equal(mesh.triangles.count, 3);
    assert_int_equal(mesh.values.count, 0);
    assert_int_equal(mesh.unread.count, 1);
    dv_mesh_free(&mesh);
    dv_free(text);
  }
}

static void gmsh_4_reads_blocks(void **state)
{
  DV_UNUSED(state);
  dvMesh mesh = read_good(dv_mesh_read_gmsh, gmsh_4);
  assert_int_equal(dv_mesh_point_count(&mesh), 4);
  check_close(mesh.positions.data[0], 9, 0);
  check_close(mesh.positions.data[3], 1, 0);
  CHECK_LIST(mesh.edges, 0, 1);
  CHECK_LIST(mesh.tetrahedra, 0, 1, 3, 2, 0, 1, 2, 3);
  assert_int_equal(mesh.skipped, 1);
  assert_int_equal(mesh.groups.count, 2);
  check_group(&mesh, 0, DV_MESH_EDGE, "", 4, 0, 1);
  check_group(&mesh, 1, DV_MESH_TETRAHEDRON, "body", 5, 0, 2);
  dv_mesh_free(&mesh);
}

static const char gmsh_4_0[] =
    "$MeshFormat\n4.0 0 8\n$EndMeshFormat\n"
    "$PhysicalNames\n1\n3 7 \"body\"\n$EndPhysicalNames\n"
    "$Entities\n1 1 0 1\n1 0 0 0 0 0 0 0\n4 0 0 0 1 1 1 0 2 1 -1\n5 0 0 0 1 1 1 1 7 1 4\n$EndEntities\n"
    "$Nodes\n2 4\n4 1 1 1\n40 9 8 7 0.5\n5 3 0 3\n20 1 0 0\n22 0 1 0\n21 0 0 1\n$EndNodes\n"
    "$Elements\n4 5\n1 0 15 1\n9 40\n4 1 1 1\n1 40 20\n5 3 4 2\n2 40 20 21 22\n3 40 20 22 21\n"
    "5 2 16 1\n4 40 40 40 40 40 40 40 40\n$EndElements\n";

// 4.0 differs from 4.1 in the order of the numbers only
static void gmsh_4_0_reads_the_same_mesh(void **state)
{
  DV_UNUSED(state);
  dvMesh mesh = read_good(dv_mesh_read_gmsh, gmsh_4_0), wanted = read_good(dv_mesh_read_gmsh, gmsh_4);
  assert_int_equal(mesh.positions.count, wanted.positions.count);
  assert_memory_equal(mesh.positions.data, wanted.positions.data, wanted.positions.count * sizeof(double));
  check_list(&mesh.edges, wanted.edges.count, wanted.edges.data);
  check_list(&mesh.tetrahedra, wanted.tetrahedra.count, wanted.tetrahedra.data);
  assert_int_equal(mesh.skipped, 1);
  check_group(&mesh, 1, DV_MESH_TETRAHEDRON, "body", 5, 0, 2);
  dv_mesh_free(&mesh);
  dv_mesh_free(&wanted);
}

// builds binary files, in either byte order
typedef struct Bytes {
  dvText text;
  bool big;
} Bytes;

static void put(Bytes *b, uint64_t bits, int size)
{
  for (int i = 0; i < size; i++) {
    char byte = (char)(bits >> 8 * (b->big ? size - 1 - i : i));
    dv_text_add_n(&b->text, &byte, 1);
  }
}

static void put_ints(Bytes *b, int count, const int *values)
{
  for (int i = 0; i < count; i++) put(b, (uint32_t)values[i], 4);
}

static void put_sizes(Bytes *b, int count, const int *values)
{
  for (int i = 0; i < count; i++) put(b, (uint64_t)values[i], 8);
}

static void put_reals(Bytes *b, int count, const double *values)
{
  for (int i = 0; i < count; i++) {
    uint64_t bits;
    memcpy(&bits, &values[i], 8);
    put(b, bits, 8);
  }
}

#define INTS(b, ...) put_ints(b, (int)DV_COUNT(((int[]){__VA_ARGS__})), (int[]){__VA_ARGS__})
#define SIZES(b, ...) put_sizes(b, (int)DV_COUNT(((int[]){__VA_ARGS__})), (int[]){__VA_ARGS__})
#define REALS(b, ...) put_reals(b, (int)DV_COUNT(((double[]){__VA_ARGS__})), (double[]){__VA_ARGS__})

static void put_format(Bytes *b, const char *version)
{
  dv_text_printf(&b->text, "$MeshFormat\n%s 1 8\n", version);
  INTS(b, 1);
  dv_text_add(&b->text, "\n$EndMeshFormat\n");
}

static Bytes binary_2(bool big)
{
  Bytes b = {.big = big};
  put_format(&b, "2.2");
  dv_text_add(&b.text, "$Nodes\n4\n");
  for (int i = 0; i < 4; i++) {
    INTS(&b, 10 * i + 10);   // 10 is also a line feed: binary data must not be taken for text
    REALS(&b, i == 1, i == 2, i == 3);
  }
  dv_text_add(&b.text, "\n$EndNodes\n$Elements\n4\n");
  INTS(&b, 2, 2, 2, /**/ 1, 3, 4, 10, 20, 30, /**/ 2, 3, 5, 10, 20, 40);
  INTS(&b, 16, 1, 0, /**/ 3, 10, 10, 10, 10, 10, 10, 10, 10);
  INTS(&b, 4, 1, 1, /**/ 4, 3, 10, 20, 30, 40);
  dv_text_add(&b.text, "\n$EndElements\n");
  return b;
}

static Bytes binary_4(bool big)
{
  Bytes b = {.big = big};
  put_format(&b, "4.1");
  dv_text_add(&b.text, "$PhysicalNames\n1\n3 7 \"body\"\n$EndPhysicalNames\n$Entities\n");
  SIZES(&b, 1, 0, 0, 1);
  INTS(&b, 1);
  REALS(&b, 0, 0, 0);
  SIZES(&b, 0);
  INTS(&b, 5);
  REALS(&b, 0, 0, 0, 1, 1, 1);
  SIZES(&b, 1);
  INTS(&b, 7);
  SIZES(&b, 2);
  INTS(&b, 1, -1);
  dv_text_add(&b.text, "\n$EndEntities\n$Nodes\n");
  SIZES(&b, 2, 4, 10, 40);
  INTS(&b, 2, 1, 1);
  SIZES(&b, 1, 40);
  REALS(&b, 0, 0, 1, 0.25, 0.75);   // two parameters on a surface
  INTS(&b, 3, 5, 0);
  SIZES(&b, 3, 10, 20, 30);
  REALS(&b, 0, 0, 0, 1, 0, 0, 0, 1, 0);
  dv_text_add(&b.text, "\n$EndNodes\n$Elements\n");
  SIZES(&b, 2, 2, 1, 2);
  INTS(&b, 3, 5, 4);
  SIZES(&b, 1, /**/ 1, 10, 20, 30, 40);
  INTS(&b, 2, 1, 16);
  SIZES(&b, 1, /**/ 2, 10, 10, 10, 10, 10, 10, 10, 10);
  dv_text_add(&b.text, "\n$EndElements\n");
  return b;
}

static Bytes binary_4_0(bool big)
{
  Bytes b = {.big = big};
  put_format(&b, "4.0");
  dv_text_add(&b.text, "$Nodes\n");
  SIZES(&b, 2, 4);
  INTS(&b, 1, 2, 1);
  SIZES(&b, 1);
  INTS(&b, 40);
  REALS(&b, 0, 0, 1, 0.25, 0.75);
  INTS(&b, 5, 3, 0);
  SIZES(&b, 3);
  for (int i = 0; i < 3; i++) {
    INTS(&b, 10 * i + 10);
    REALS(&b, i == 1, i == 2, 0);
  }
  dv_text_add(&b.text, "\n$EndNodes\n$Elements\n");
  SIZES(&b, 2, 2);
  INTS(&b, 5, 3, 4);
  SIZES(&b, 1);
  INTS(&b, 1, 10, 20, 30, 40);
  INTS(&b, 1, 2, 16);
  SIZES(&b, 1);
  INTS(&b, 2, 10, 10, 10, 10, 10, 10, 10, 10);
  dv_text_add(&b.text, "\n$EndElements\n");
  return b;
}

static void gmsh_binary_in_both_byte_orders(void **state)
{
  DV_UNUSED(state);
  for (int big = 0; big < 2; big++) {
    dvMesh mesh = {0};
    dvMeshError error;
    Bytes b = binary_2(big);
    assert_int_equal(dv_mesh_read_gmsh(b.text.text, b.text.length, &mesh, &error), DV_OK);
    assert_int_equal(dv_mesh_point_count(&mesh), 4);
    check_close(mesh.positions.data[3], 1, 0);
    CHECK_LIST(mesh.triangles, 0, 1, 2, 0, 1, 3);
    CHECK_LIST(mesh.tetrahedra, 0, 1, 2, 3);
    assert_int_equal(mesh.skipped, 1);
    check_group(&mesh, 1, DV_MESH_TRIANGLE, "", 5, 1, 1);
    dv_mesh_free(&mesh);
    dv_text_free(&b.text);

    b = binary_4(big);
    assert_int_equal(dv_mesh_read_gmsh(b.text.text, b.text.length, &mesh, &error), DV_OK);
    assert_int_equal(dv_mesh_point_count(&mesh), 4);
    check_close(mesh.positions.data[2], 1, 0);
    CHECK_LIST(mesh.tetrahedra, 1, 2, 3, 0);
    assert_int_equal(mesh.skipped, 1);
    check_group(&mesh, 0, DV_MESH_TETRAHEDRON, "body", 5, 0, 1);
    dv_mesh_free(&mesh);
    dv_text_free(&b.text);

    b = binary_4_0(big);
    assert_int_equal(dv_mesh_read_gmsh(b.text.text, b.text.length, &mesh, &error), DV_OK);
    check_close(mesh.positions.data[2], 1, 0);
    CHECK_LIST(mesh.tetrahedra, 1, 2, 3, 0);
    assert_int_equal(mesh.skipped, 1);
    dv_mesh_free(&mesh);
    dv_text_free(&b.text);
  }
}

// every file cut short, and with single bytes changed, either reads or says why
static void damaged_files_end_with_an_error(void **state)
{
  DV_UNUSED(state);
  Bytes files[] = {binary_2(false), binary_2(true), binary_4(false), binary_4_0(true), {.text = {0}}, {.text = {0}}};
  dv_text_add(&files[4].text, gmsh_4);
  dv_text_add(&files[5].text, gmsh_4_0);
  for (size_t f = 0; f < DV_COUNT(files); f++) {
    size_t whole = files[f].text.length, failures = 0;
    for (size_t length = 0; length < whole; length++) {
      char *cut = malloc(length ? length : 1);
      memcpy(cut, files[f].text.text, length);
      if (length) cut[length / 2] ^= (char)0x81;
      for (int pass = 0; pass < 2; pass++) {
        dvMesh mesh = {0};
        dvMeshError error = {0};
        if (dv_mesh_read_gmsh(cut, length, &mesh, &error) != DV_OK) {
          assert_true(error.text[0] && error.line > 0);
          failures++;
        }
        dv_mesh_free(&mesh);
        if (length) cut[length / 2] ^= (char)0x81;
      }
      free(cut);
    }
    assert_true(failures > whole);
    dv_text_free(&files[f].text);
  }
}

#define MSH2 "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
#define NODES2 "$Nodes\n2\n1 0 0 0\n2 1 0 0\n$EndNodes\n"

static void gmsh_errors_name_the_line(void **state)
{
  DV_UNUSED(state);
  Reader r = dv_mesh_read_gmsh;
  check_bad(r, "", 1, "no nodes");
  check_bad(r, "hello\n", 1, "found 'hello'");
  check_bad(r, "$Nodes\n", 1, "'$MeshFormat' or '$NOD' expected");
  check_bad(r, "$MeshFormat\n3.0 0 8\n", 2, "format 3 is not read");
  check_bad(r, "$MeshFormat\n2.2 2 8\n", 2, "file type");
  check_bad(r, "$MeshFormat\n2.2 0 4\n", 2, "data size");
  check_bad(r, "$MeshFormat\n2.2 1 8\nabcd", 3, "byte order");
  check_bad(r, "$MeshFormat\n2.2 0 8\n$Nodes\n", 3, "'$EndMeshFormat' expected, found '$Nodes'");
  check_bad(r, MSH2 MSH2, 4, "second '$MeshFormat'");
  check_bad(r, MSH2 "$Nodes\n2\n1 0 0 0\n", 5, "nodes announced");
  check_bad(r, MSH2 "$Nodes\n2\n1 0 0 0\n2 0 0    ", 7, "a coordinate is missing at the end of the file");
  check_bad(r, MSH2 "$Nodes\n99999999999999\n1 0 0 0\n", 5, "nodes announced");
  check_bad(r, MSH2 "$Nodes\n-1\n", 5, "negative");
  check_bad(r, MSH2 "$Nodes\nmany\n", 5, "found 'many'");
  check_bad(r, MSH2 "$Nodes\n1\n1 0 x 0\n$EndNodes\n", 6, "a coordinate expected, found 'x'");
  check_bad(r, MSH2 "$Nodes\n1\n1 0 nan 0\n$EndNodes\n", 6, "not finite");
  check_bad(r, MSH2 "$Nodes\n1\n1 0 1e999 0\n$EndNodes\n", 6, "not finite");
  check_bad(r, MSH2 "$Nodes\n1\n1 0 0 0\n2 0 0 0\n$EndNodes\n", 7, "'$EndNodes' expected, found '2'");
  check_bad(r, MSH2 NODES2 NODES2, 9, "second section of nodes");
  check_bad(r, MSH2 "$Elements\n0\n", 4, "before the nodes");
  check_bad(r, MSH2 NODES2 "$Elements\n1\n1 1 0 1 3\n$EndElements\n", 11, "node 3, which does not exist");
  check_bad(r, MSH2 NODES2 "$Elements\n1\n1 1 -1 1 2\n$EndElements\n", 11, "tags of an element is negative");
  check_bad(r, MSH2 NODES2 "$Elements\n1\n1 1 0 1 2\n", 12, "'$EndElements' expected at the end of the file");
  check_bad(r, MSH2 NODES2 "$Elements\n2\n1 1 0 1 2\n$EndElements\n", 12, "an element number expected");
  check_bad(r, MSH2 "$Weird\n1 2 3\n", 4, "section '$Weird' has no end");
  check_bad(r, "$NOD\n1\n1 0 0 0\n$ENDNOD\n$ELM\n1\n1 2 0 0 2 1 1\n$ENDELM\n", 7, "type 2 cannot have 2 nodes");
  check_bad(r, "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 2 1 1\n0 1 0 1\n1\n0 0 0\n$EndNodes\n", 8,
            "2 nodes announced, 1 found");
  check_bad(r, "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 1 1 1\n4 1 0 1\n1\n0 0 0\n$EndNodes\n", 6,
            "dimension 4");
}

static const char obj[] = "# a comment\nmtllib a.mtl b.mtl\nmtllib a.mtl\no thing\n"
                          "f 1 2 3\n"   // before its points
                          "v 0 0 0\nv 1 0 0 1\nv 1 1 0\nv 0 1 0\nv 5\n"
                          "vt 0 0\nvt 1\nvt 0.5 1 7\nvn 0 0 1\nvn 1 0 0\n"
                          "g left  side\nusemtl red\ns 1\n"
                          "f 1/1/1 2/2/1 3//2\nf 4 3 2 1 # quad\n"
                          "usemtl blue\n"
                          "f -1 -2 -3 \\\n -4/-1 1/9/0\n"
                          "l 3 1\nl 4 3 1\nf 4 2\nf 1\ng\nf 1 3 4";

static void obj_sorts_faces_by_corners(void **state)
{
  DV_UNUSED(state);
  dvMesh mesh = read_good(dv_mesh_read_obj, obj);
  assert_int_equal(dv_mesh_point_count(&mesh), 5);
  assert_int_equal(mesh.texcoords.count, 6);
  check_close(mesh.texcoords.data[3], 0, 0);
  check_close(mesh.positions.data[12], 5, 0);
  check_close(mesh.positions.data[13], 0, 0);
  CHECK_LIST(mesh.triangles, 0, 1, 2, 0, 1, 2, 4, 3, 2, 4, 2, 1, 4, 1, 0, 0, 2, 3);
  CHECK_LIST(mesh.quads, 3, 2, 1, 0);
  CHECK_LIST(mesh.edges, 0, 2, 2, 3, 0, 2, 1, 3);
  CHECK_LIST(mesh.polylines.offset, 0, 3);
  CHECK_LIST(mesh.polylines.index, 3, 2, 0);
  CHECK_LIST(mesh.facets.offset, 0, 3, 6, 10, 15, 18);
  CHECK_LIST(mesh.facets.position, 0, 1, 2, 0, 1, 2, 3, 2, 1, 0, 4, 3, 2, 1, 0, 0, 2, 3);
  CHECK_LIST(mesh.facets.texcoord, -1, -1, -1, 0, 1, -1, -1, -1, -1, -1, -1, -1, -1, 2, -1, -1, -1, -1);
  CHECK_LIST(mesh.facets.normal, -1, -1, -1, 0, 0, 1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1);
  assert_int_equal(mesh.skipped, 1);
  assert_int_equal(mesh.libraries.count, 2);
  assert_string_equal(mesh.libraries.data[1], "b.mtl");
  dv_mesh_free(&mesh);
}

static void obj_groups_are_runs(void **state)
{
  DV_UNUSED(state);
  dvMesh mesh = read_good(dv_mesh_read_obj, obj);
  assert_int_equal(mesh.groups.count, 10);
  check_group(&mesh, 0, DV_MESH_TRIANGLE, "Default_Group", -1, 0, 1);
  check_group(&mesh, 1, DV_MESH_FACET, "Default_Group", -1, 0, 1);
  check_group(&mesh, 2, DV_MESH_TRIANGLE, "left side", -1, 1, 1);
  check_group(&mesh, 3, DV_MESH_QUAD, "left side", -1, 0, 1);
  check_group(&mesh, 4, DV_MESH_FACET, "left side", -1, 1, 2);
  check_group(&mesh, 5, DV_MESH_EDGE, "left side", -1, 0, 4);
  check_group(&mesh, 6, DV_MESH_TRIANGLE, "left side", -1, 2, 3);
  check_group(&mesh, 7, DV_MESH_FACET, "left side", -1, 3, 1);
  check_group(&mesh, 8, DV_MESH_TRIANGLE, "", -1, 5, 1);
  assert_string_equal(mesh.groups.data[4].material, "red");
  assert_string_equal(mesh.groups.data[7].material, "blue");
  dv_mesh_free(&mesh);
}

static void obj_values_a_point(void **state)
{
  DV_UNUSED(state);
  dvMesh mesh =
      read_good(dv_mesh_read_obj, "v 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0.2 0.3\nvt 0.2 0.6\nvt 0.9 0.1\nvn 3 0 0\nvn 0 3 0\n"
                                  "f 1/1/1 2/3/1 3/1/1\nf 1/2/2 3/3 2/1\n");
  double normals[9], texcoords[6];
  dv_mesh_point_normals(&mesh, normals);
  dv_mesh_point_texcoords(&mesh, texcoords);
  check_close(normals[0], sqrt(0.5), 1e-15);
  check_close(normals[1], sqrt(0.5), 1e-15);
  check_close(normals[3], 1, 1e-15);
  check_close(texcoords[1], 0.6, 0);   // the greater v - u
  check_close(texcoords[2], 0.2, 0);
  check_close(texcoords[4], 0.2, 0);
  dv_mesh_free(&mesh);
}

static void obj_errors_name_the_line(void **state)
{
  DV_UNUSED(state);
  Reader r = dv_mesh_read_obj;
  check_bad(r, "v\n", 1, "missing at the end of the line");
  check_bad(r, "v 0 0 0\nv 1 two 3\n", 2, "found 'two'");
  check_bad(r, "v 0 inf 0\n", 1, "not finite");
  check_bad(r, "v 0 0 0\nf 1 1 2\n", 2, "point 2 does not exist");
  check_bad(r, "v 0 0 0\n\nf 1 1 -2\n", 3, "point -2 does not exist");
  check_bad(r, "f 0 0 0\n", 1, "point 0 does not exist");
  check_bad(r, "v 0 0 0\nf 1 \\\n1 99999999999999999999\n", 3, "does not exist");
  check_bad(r, "v 0 0 0\nf 1 1 1x\n", 2, "found '1x'");
  check_bad(r, "v 0 0 0\nf 1 1 1/1/1/1\n", 2, "found '1/1/1/1'");
  check_bad(r, "v 0 0 0\nf 1 1 /1\n", 2, "found '/1'");
  check_bad(r, "v 0 0 0\nf 1 1 -\n", 2, "found '-'");
  check_bad(r, "vn 0 0\n", 1, "missing");
}

static void mtl_materials(void **state)
{
  DV_UNUSED(state);
  dvMesh mesh = read_good(dv_mesh_read_mtl,
                          "# library\nKd 9 9 9\nnewmtl red\nKa 1 0 0\n\tKd 0.5 0 0.25\nNs 12\nd 0.5\nillum 2\n"
                          "map_Kd -s 1 1 1 a.png\nbump my file.png\r\nnewmtl blue\nTr 0.25\nKs 0 0 1\nKe 1 1 0");
  assert_int_equal(mesh.materials.count, 2);
  const dvMaterial *red = &mesh.materials.data[0], *blue = &mesh.materials.data[1];
  assert_string_equal(red->name, "red");
  assert_int_equal(red->given, DV_MATERIAL_AMBIENT | DV_MATERIAL_DIFFUSE | DV_MATERIAL_SHININESS | DV_MATERIAL_ALPHA |
                                   DV_MATERIAL_TEXTURE | DV_MATERIAL_BUMP);
  check_close(red->diffuse[2], 0.25, 0);
  check_close(red->diffuse[3], 0.5, 0);
  check_close(red->specular[0], 1, 0);
  check_close(red->shininess, 12, 0);
  assert_string_equal(red->texture, "a.png");
  assert_string_equal(red->bump, "my file.png");
  check_close(blue->diffuse[3], 0.75, 0);
  check_close(blue->diffuse[0], 0.75, 0);
  check_close(blue->shininess, 45, 0);
  check_close(blue->emissive[1], 1, 0);
  assert_null(blue->texture);
  dvMeshError error;
  assert_int_equal(dv_mesh_read_mtl("newmtl x\nKa 1 0\n", 16, &mesh, &error), DV_ERROR_INPUT);
  assert_int_equal(error.line, 2);
  assert_int_equal(mesh.materials.count, 2);
  dv_mesh_free(&mesh);
}

static void sph_spheres(void **state)
{
  DV_UNUSED(state);
  dvMesh mesh = read_good(
      dv_mesh_read_sph,
      "sph 1.0\nnums 77\n#sphe 1 0 0 0 1\nsphe 1 1 2 3 0.5\n\nweird 5 6\nsphe 9 4 5 6\nsphe 3 7 8 9 0 # flat");
  assert_int_equal(dv_mesh_point_count(&mesh), 3);
  check_close(mesh.positions.data[5], 6, 0);
  check_close(mesh.radii.data[0], 0.5, 0);
  check_close(mesh.radii.data[1], 1, 0);
  check_close(mesh.radii.data[2], 0, 0);
  dv_mesh_free(&mesh);
  check_bad(dv_mesh_read_sph, "", 1, "must begin with 'sph'");
  check_bad(dv_mesh_read_sph, "sphere\n", 1, "must begin with 'sph'");
  check_bad(dv_mesh_read_sph, "sph 1.0\nsphe 1 0 0\n", 2, "missing at the end of the line");
  check_bad(dv_mesh_read_sph, "sph 1.0\nsphe x 0 0 0\n", 2, "found 'x'");
  check_bad(dv_mesh_read_sph, "sph 1.0\n\nsphe 1 0 0 0 -1\n", 3, "negative");
  check_bad(dv_mesh_read_sph, "sph 1.0\nsphe 1 0 0 nan 1\n", 2, "not finite");
}

static void read_file_as(const char *directory, const char *name, const char *content, dvMesh *mesh)
{
  char *path = check_write(directory, name, content);
  dvMeshError error;
  assert_int_equal(dv_mesh_read(path, mesh, &error), DV_OK);
  free(path);
}

static void files_are_recognised(void **state)
{
  DV_UNUSED(state);
  char *directory = check_mkdir();
  dvMesh mesh;
  read_file_as(directory, "wrong.obj", gmsh_4, &mesh);   // content goes before extension
  assert_int_equal(mesh.tetrahedra.count, 8);
  dv_mesh_free(&mesh);
  read_file_as(directory, "spheres.txt", "sph 1.0\nsphe 1 0 0 0\n", &mesh);
  assert_int_equal(mesh.radii.count, 1);
  dv_mesh_free(&mesh);
  read_file_as(directory, "plain.txt", "# comment\nv 1 2 3\n", &mesh);
  assert_int_equal(mesh.positions.count, 3);
  dv_mesh_free(&mesh);
  read_file_as(directory, "EMPTY.OBJ", "# only a comment\n", &mesh);
  dv_mesh_free(&mesh);

  free(check_write(directory, "a.mtl", "newmtl red\nKd 1 0 0\n"));
  free(check_write(directory, "bad.mtl", "newmtl red\nKd 1 zero 0\n"));
  read_file_as(directory, "with.obj", "mtllib a.mtl none.mtl bad.mtl .\nv 0 0 0\n", &mesh);
  assert_int_equal(mesh.materials.count, 1);
  assert_int_equal(mesh.unread.count, 3);
  assert_string_equal(mesh.unread.data[0], "none.mtl: No such file or directory");
  assert_string_equal(mesh.unread.data[1], "bad.mtl:2: a colour component expected, found 'zero'");
  dv_mesh_free(&mesh);

  dvMeshError error;
  char *path = check_write(directory, "notes.txt", "nothing of the kind\n");
  assert_int_equal(dv_mesh_read(path, &mesh, &error), DV_ERROR_INPUT);
  assert_non_null(strstr(error.text, "not a mesh file"));
  assert_int_equal(dv_mesh_read("/no/such/file.obj", &mesh, &error), DV_ERROR_INPUT);
  assert_string_equal(error.text, "No such file or directory");
  assert_int_equal(dv_mesh_read(directory, &mesh, NULL), DV_ERROR_INPUT);
  free(path);
  check_rmdir(directory);
}

static const double *corner(const dvMesh *mesh, const dvMeshIndices *list, size_t at)
{
  return mesh->positions.data + 3 * (size_t)list->data[at];
}

static double six_volumes(const double *a, const double *b, const double *c, const double *d)
{
  double u[3], v[3], w[3];
  for (int k = 0; k < 3; k++) u[k] = b[k] - a[k], v[k] = c[k] - a[k], w[k] = d[k] - a[k];
  return w[0] * (u[1] * v[2] - u[2] * v[1]) + w[1] * (u[2] * v[0] - u[0] * v[2]) + w[2] * (u[0] * v[1] - u[1] * v[0]);
}

// what generate_organ made: tetrahedra the right way round, a closed surface that encloses the
// same volume, spheres inside of it
static void organ_of_the_scenes(void **state)
{
  DV_UNUSED(state);
  dvMesh body, skin, spheres;
  assert_int_equal(dv_mesh_read(DIVAN_SOURCE_DIR "/scenes/mesh/organ.msh", &body, NULL), DV_OK);
  assert_int_equal(dv_mesh_read(DIVAN_SOURCE_DIR "/scenes/mesh/organ-surface.obj", &skin, NULL), DV_OK);
  assert_int_equal(dv_mesh_read(DIVAN_SOURCE_DIR "/scenes/mesh/organ.sph", &spheres, NULL), DV_OK);
  double volume = 0, enclosed = 0;
  const dvMeshIndices *t = &body.tetrahedra;
  for (size_t i = 0; i < t->count; i += 4) {
    double v =
        six_volumes(corner(&body, t, i), corner(&body, t, i + 1), corner(&body, t, i + 2), corner(&body, t, i + 3));
    assert_true(v > 0);
    volume += v / 6;
  }
  const dvMeshIndices *f = &skin.triangles;
  for (size_t i = 0; i < f->count; i += 3)
    enclosed +=
        six_volumes((const double[3]){0}, corner(&skin, f, i), corner(&skin, f, i + 1), corner(&skin, f, i + 2)) / 6;
  check_close(volume, 0.00126, 0.00002);                                // about the volume of a liver, in cubic metres
  check_close(enclosed, 0.00131, 0.00002);                              // the coarse mesh cuts corners
  assert_int_equal(2 * dv_mesh_point_count(&skin) - 4, f->count / 3);   // Euler: closed, one piece, no hole
  assert_int_equal(skin.normals.count, skin.positions.count);
  for (size_t i = 0; i < spheres.radii.count; i++)
    assert_true(spheres.radii.data[i] >= 0.01 && spheres.radii.data[i] <= 0.02);
  assert_string_equal(body.groups.data[0].name, "organ");
  dv_mesh_free(&body);
  dv_mesh_free(&skin);
  dv_mesh_free(&spheres);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gmsh_1_keeps_the_order_of_sparse_nodes),
      cmocka_unit_test(gmsh_lets_the_last_of_equal_nodes_win),
      cmocka_unit_test(gmsh_2_reads_every_kind_and_names_groups),
      cmocka_unit_test(gmsh_keeps_values_of_nodes),
      cmocka_unit_test(gmsh_4_reads_blocks),
      cmocka_unit_test(gmsh_4_0_reads_the_same_mesh),
      cmocka_unit_test(gmsh_binary_in_both_byte_orders),
      cmocka_unit_test(damaged_files_end_with_an_error),
      cmocka_unit_test(gmsh_errors_name_the_line),
      cmocka_unit_test(obj_sorts_faces_by_corners),
      cmocka_unit_test(obj_groups_are_runs),
      cmocka_unit_test(obj_values_a_point),
      cmocka_unit_test(obj_errors_name_the_line),
      cmocka_unit_test(mtl_materials),
      cmocka_unit_test(sph_spheres),
      cmocka_unit_test(files_are_recognised),
      cmocka_unit_test(organ_of_the_scenes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

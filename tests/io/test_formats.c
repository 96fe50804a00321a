// Readers of VTK, STL, OFF, trian, Xsp, GiD, TetGen, Abaqus and gzip: the same small meshes in each form, and files
// that are wrong.
#include "support/check.h"

#include "base/file.h"
#include "base/text.h"
#include "io/mesh/mesh.h"

#include <string.h>
#include <zlib.h>

typedef dvStatus Reader(const char *bytes, size_t length, dvMesh *out, dvMeshError *error);

static dvMesh read_bytes(Reader *read, const char *bytes, size_t length)
{
  dvMesh mesh;
  dvMeshError error = {0};
  dvStatus status = read(bytes, length, &mesh, &error);
  if (status != DV_OK) print_error("line %d: %s\n", error.line, error.text);
  assert_int_equal(status, DV_OK);
  return mesh;
}

static dvMesh read_good(Reader *read, const char *text) { return read_bytes(read, text, strlen(text)); }

static void read_bad(Reader *read, const char *text, int line, const char *part)
{
  dvMesh mesh;
  dvMeshError error = {0};
  assert_int_equal(read(text, strlen(text), &mesh, &error), DV_ERROR_INPUT);
  if (error.line != line || !strstr(error.text, part))
    print_error("line %d: %s; expected line %d with '%s'\n", error.line, error.text, line, part);
  assert_int_equal(error.line, line);
  assert_non_null(strstr(error.text, part));
  assert_int_equal(dv_mesh_point_count(&mesh), 0);
}

static void check_list(const dvMeshIndices *list, const char *expected)
{
  dvText text = {0};
  for (size_t i = 0; i < list->count; i++) dv_text_printf(&text, i ? " %d" : "%d", list->data[i]);
  dv_text_add(&text, "");
  if (!dv_same(text.text, expected)) print_error("found '%s', expected '%s'\n", text.text, expected);
  assert_string_equal(text.text, expected);
  dv_text_free(&text);
}

// --- VTK -----------------------------------------------------------------------------------------

static const char legacy[] =
    "# vtk DataFile Version 3.0\nmine\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 8 float\n"
    "0 0 0 1 0 0 0 1 0 1 1 0 0 0 1 1 0 1 0 1 1 1 1 0.1\n"
    "CELLS 5 27\n8 0 1 2 3 4 5 6 7\n4 0 1 2 4\n3 0 1 2\n2 0 1\n5 0 1 3 2 4\n"
    "CELL_TYPES 5\n11 10 5 3 14\nPOINT_DATA 8\nSCALARS x float\nLOOKUP_TABLE default\n1 2 3 4 5 6 7 8\n";

static void legacy_vtk_knows_every_cell(void **state)
{
  DV_UNUSED(state);
  dvMesh mesh = read_good(dv_mesh_read_vtk, legacy);
  assert_int_equal(dv_mesh_point_count(&mesh), 8);
  check_close(mesh.positions.data[23], (double)0.1f, 0);   // float stays float
  check_list(&mesh.hexahedra, "0 1 3 2 4 5 7 6");
  check_list(&mesh.tetrahedra, "0 1 2 4");
  check_list(&mesh.triangles, "0 1 2");
  check_list(&mesh.edges, "0 1");
  check_list(&mesh.pyramids, "0 1 3 2 4");
  dv_mesh_free(&mesh);
  mesh = read_good(
      dv_mesh_read_vtk,
      "# vtk DataFile Version 5.1\nx\nASCII\nDATASET POLYDATA\nPOINTS 5 double\n0 0 0 1 0 0 1 1 0 0 1 0 .5 2 0.1\n"
      "METADATA\nINFORMATION 0\n\nPOLYGONS 3 9\nOFFSETS vtktypeint64\n0 4 9\nCONNECTIVITY vtktypeint64\n"
      "0 1 2 3 0 1 2 4 3\nLINES 1 4\n3 0 1 2\n");
  check_close(mesh.positions.data[14], 0.1, 0);
  check_list(&mesh.quads, "0 1 2 3");
  check_list(&mesh.triangles, "0 1 2 0 2 4 0 4 3");
  check_list(&mesh.polylines.index, "0 1 2");
  dv_mesh_free(&mesh);
  mesh = read_good(dv_mesh_read_vtk, "# vtk DataFile Version 2.0\nx\nASCII\nDATASET STRUCTURED_POINTS\nDIMENSIONS 3 2 "
                                     "1\nORIGIN 1 0 0\nSPACING 2 1 1\n");
  check_list(&mesh.quads, "0 1 4 3 1 2 5 4");
  check_close(mesh.positions.data[6], 5, 0);
  dv_mesh_free(&mesh);
}

static void put_big(dvText *t, uint32_t bits)
{
  for (int i = 3; i >= 0; i--) {
    char c = (char)(bits >> (8 * i));
    dv_text_add_n(t, &c, 1);
  }
}

static void put_float(dvText *t, float x)
{
  uint32_t bits;
  memcpy(&bits, &x, 4);
  put_big(t, bits);
}

static void binary_vtk_is_big_endian(void **state)
{
  DV_UNUSED(state);
  dvText t = {0};
  dv_text_add(&t, "# vtk DataFile Version 3.0\nx\nBINARY\nDATASET POLYDATA\nPOINTS 3 float\n");
  const float x[9] = {0, 0, 0, 1.5f, 0, 0, 0, -2, 0};
  for (int i = 0; i < 9; i++) put_float(&t, x[i]);
  dv_text_add(&t, "\nPOLYGONS 1 4\n");
  const uint32_t cell[4] = {3, 2, 1, 0};
  for (int i = 0; i < 4; i++) put_big(&t, cell[i]);
  dvMesh mesh = read_bytes(dv_mesh_read_vtk, t.text, t.length);
  check_close(mesh.positions.data[3], 1.5, 0);
  check_close(mesh.positions.data[7], -2, 0);
  check_list(&mesh.triangles, "2 1 0");
  dv_mesh_free(&mesh);
  dvMeshError error;
  for (size_t n = 0; n < t.length; n++)   // cut anywhere: a message, no crash
    if (dv_mesh_read_vtk(t.text, n, &mesh, &error) == DV_OK) dv_mesh_free(&mesh);
  dv_text_free(&t);
}

static char *base64(const void *bytes, size_t n)
{
  static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const unsigned char *b = bytes;
  dvText t = {0};
  for (size_t i = 0; i < n; i += 3) {
    uint32_t bits = (uint32_t)b[i] << 16 | (i + 1 < n ? (uint32_t)b[i + 1] << 8 : 0) | (i + 2 < n ? b[i + 2] : 0);
    for (int k = 0; k < 4; k++) {
      char c = i + (size_t)k > n ? '=' : letters[bits >> (18 - 6 * k) & 63];
      dv_text_add_n(&t, &c, 1);
    }
  }
  dv_text_add(&t, "");
  return dv_text_take(&t);
}

// one tetrahedron with its numbers as text, base64, zlib in base64, and raw behind the XML
static void xml_vtk_in_every_encoding(void **state)
{
  DV_UNUSED(state);
  const float x[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0.25f};
  uint32_t plain[1 + 12] = {48};
  memcpy(plain + 1, x, sizeof x);
  uint32_t head[4] = {1, 48, 48, 0};
  unsigned char packed[200];
  uLongf packed_size = sizeof packed;
  assert_int_equal(compress(packed, &packed_size, (const Bytef *)x, sizeof x), Z_OK);
  head[3] = (uint32_t)packed_size;
  char *plain64 = base64(plain, sizeof plain), *head64 = base64(head, sizeof head),
       *packed64 = base64(packed, packed_size);
  const char *cells = "<Cells><DataArray type=\"Int32\" Name=\"connectivity\" format=\"ascii\">0 1 2 3</DataArray>"
                      "<DataArray type=\"Int64\" Name=\"offsets\" format=\"ascii\">4</DataArray>"
                      "<DataArray type=\"UInt8\" Name=\"types\" format=\"ascii\">10</DataArray></Cells>";
  char *forms[4] = {
      dv_format("<VTKFile type=\"UnstructuredGrid\"><UnstructuredGrid><Piece NumberOfPoints=\"4\" "
                "NumberOfCells=\"1\"><Points>"
                "<DataArray type=\"Float32\" format=\"ascii\">0 0 0 1 0 0 0 1 0 0 0 "
                "0.25</DataArray></Points>%s</Piece></UnstructuredGrid></VTKFile>",
                cells),
      dv_format("<VTKFile byte_order=\"LittleEndian\"><UnstructuredGrid><Piece NumberOfPoints=\"4\"><Points>"
                "<DataArray type=\"Float32\" "
                "format=\"binary\">%s</DataArray></Points>%s</Piece></UnstructuredGrid></VTKFile>",
                plain64, cells),
      dv_format("<VTKFile byte_order=\"LittleEndian\" compressor=\"vtkZLibDataCompressor\"><UnstructuredGrid><Piece "
                "NumberOfPoints=\"4\"><Points>"
                "<DataArray type=\"Float32\" "
                "format=\"binary\">%s%s</DataArray></Points>%s</Piece></UnstructuredGrid></VTKFile>",
                head64, packed64, cells),
      dv_format("<VTKFile byte_order=\"LittleEndian\"><UnstructuredGrid><Piece NumberOfPoints=\"4\"><Points>"
                "<DataArray type=\"Float32\" format=\"appended\" offset=\"0\"/></Points>%s</Piece></UnstructuredGrid>"
                "<AppendedData encoding=\"raw\">\n_",
                cells)};
  for (int i = 0; i < 4; i++) {
    dvText t = {0};
    dv_text_add(&t, forms[i]);
    if (i == 3) {
      dv_text_add_n(&t, (const char *)plain, sizeof plain);
      dv_text_add(&t, "</AppendedData></VTKFile>");
    }
    dvMesh mesh = read_bytes(dv_mesh_read_vtk_xml, t.text, t.length);
    check_list(&mesh.tetrahedra, "0 1 2 3");
    check_close(mesh.positions.data[11], 0.25, 0);
    dv_mesh_free(&mesh);
    dv_text_free(&t);
    dv_free(forms[i]);
  }
  dv_free(plain64);
  dv_free(head64);
  dv_free(packed64);
  dvMesh image = read_good(
      dv_mesh_read_vtk_xml,
      "<?xml version=\"1.0\"?>\n<VTKFile type=\"ImageData\"><ImageData WholeExtent=\"0 1 0 1 0 2\" Origin=\"0 0 1\" "
      "Spacing=\"1 1 0.5\"><Piece Extent=\"0 1 0 1 0 2\"/></ImageData></VTKFile>");
  check_list(&image.hexahedra, "0 1 3 2 4 5 7 6 4 5 7 6 8 9 11 10");
  check_close(image.positions.data[3 * 11 + 2], 2, 0);
  dv_mesh_free(&image);
}

// --- the others ----------------------------------------------------------------------------------

static void stl_merges_equal_points(void **state)
{
  DV_UNUSED(state);
  dvMesh mesh = read_good(
      dv_mesh_read_stl,
      "solid two\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 1 1 0\nendloop\nendfacet\n"
      "facet normal 0 0 1\nouter loop\nvertex -0 0 0\nvertex 1 1 0\nvertex 0 1 0.1\nendloop\nendfacet\nendsolid two\n");
  assert_int_equal(dv_mesh_point_count(&mesh), 4);
  check_list(&mesh.triangles, "0 1 2 0 2 3");
  check_close(mesh.positions.data[11], (double)0.1f, 0);
  dv_mesh_free(&mesh);
  char bytes[84 + 3 * 50] = "solid, but binary";
  uint32_t n = 3;
  memcpy(bytes + 80, &n, 4);
  const float x[4][3] = {{0, 0, 0}, {2, 0, 0}, {0, 2, 0}, {0, 0, 2}};
  const int t[3][3] = {{0, 1, 2}, {0, 3, 3}, {3, 1, 0}};   // the second has no area
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) memcpy(bytes + 84 + 50 * i + 12 + 12 * k, x[t[i][k]], 12);
  mesh = read_bytes(dv_mesh_read_stl, bytes, sizeof bytes);
  check_list(&mesh.triangles, "0 1 2 3 1 0");
  dv_mesh_free(&mesh);
}

static void small_text_formats(void **state)
{
  DV_UNUSED(state);
  dvMesh mesh = read_good(
      dv_mesh_read_off,
      "OFF\n# comment\n5 3 0\n0 0 0\n1 0 0\n1 1 0\n\n0 1 0\n.5 2 0\n3 0 1 2\n4 0 1 2 3 255 0 0\n5 0 1 2 4 3\n");
  check_list(&mesh.triangles, "0 1 2 0 1 2 0 2 4 0 4 3");
  check_list(&mesh.quads, "0 1 2 3");
  dv_mesh_free(&mesh);
  mesh = read_good(dv_mesh_read_trian, "4\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n2\n0 1 2 -1 1 -1\n0 2 3 -1 -1 0\n");
  check_list(&mesh.triangles, "0 1 2 0 2 3");
  check_list(&mesh.neighbours, "-1 1 -1 -1 -1 0");
  dv_mesh_free(&mesh);
  mesh = read_good(dv_mesh_read_xsp,
                   "Xsp 3.0\nnumm 2\nnums 1\ngrav 0 -9.8 0\nvisc 0\n# a comment\nmass 1 s 0 0 0 0 0 0 1 0\n"
                   "mass 2 v 1 2 3 0 0 0 -1 0\nlspg 1 2 1 100 5 1\n");
  check_list(&mesh.edges, "1 0");
  check_close(mesh.positions.data[5], 3, 0);
  dv_mesh_free(&mesh);
  mesh = read_good(dv_mesh_read_gid, "MESH dimension 3 ElemType Tetrahedra Nnode 4\nCoordinates\n 1 0 0 0\n 2 1 0 0\n "
                                     "3 0 1 0\n 4 0 0 1\nEnd Coordinates\n\n"
                                     "Elements\n1 1 2 3 4 7\nEnd Elements\n");
  check_list(&mesh.tetrahedra, "0 1 2 3");
  dv_mesh_free(&mesh);
  mesh = read_good(
      dv_mesh_read_abaqus,
      "*HEADING\nmine\n** comment\n*NODE, NSET=all\n10, 0., 0., 0.\n20, 1., 0., 0.\n5, 0, 1, 0\n7, 0, 0, 1.5D0\n"
      "*ELEMENT, TYPE=C3D4, ELSET=e\n1, 10, 20, 5, 7\n*Element, type=S3R\n2, 10, 20,\n 5\n*ELEMENT, TYPE=XYZ\n3, "
      "1\n*STEP\n1\n");
  check_list(&mesh.tetrahedra, "0 1 2 3");
  check_list(&mesh.triangles, "0 1 2");
  check_close(mesh.positions.data[11], 1.5, 0);
  assert_int_equal(mesh.skipped, 1);
  dv_mesh_free(&mesh);
}

static void tetgen_and_gzip_files(void **state)
{
  DV_UNUSED(state);
  char *directory = check_mkdir();
  char *node = check_write(directory, "m.node", "# made by hand\n4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n");
  char *ele = check_write(directory, "m.ele", "1 4 0\n1 1 2 3 4\n");
  const char *paths[2] = {node, ele};
  for (int i = 0; i < 2; i++) {
    dvMesh mesh;
    dvMeshError error = {0};
    assert_int_equal(dv_mesh_read(paths[i], &mesh, &error), DV_OK);
    check_list(&mesh.tetrahedra, "0 1 2 3");
    dv_mesh_free(&mesh);
  }
  char *gz = check_write(directory, "m.vtk.gz", "");
  gzFile f = gzopen(gz, "wb");
  assert_int_equal(gzwrite(f, legacy, (unsigned)strlen(legacy)), strlen(legacy));
  gzclose(f);
  dvMesh mesh;
  dvMeshError error = {0};
  assert_int_equal(dv_mesh_read(gz, &mesh, &error), DV_OK);
  check_list(&mesh.tetrahedra, "0 1 2 4");
  dv_mesh_free(&mesh);
  char *broken = check_write(directory, "b.vtk.gz", "\x1f\x8b not packed");
  assert_int_equal(dv_mesh_read(broken, &mesh, &error), DV_ERROR_INPUT);
  assert_non_null(strstr(error.text, "damaged"));
  dv_free(node), dv_free(ele), dv_free(gz), dv_free(broken);
  check_rmdir(directory);
}

static void wrong_files_are_told(void **state)
{
  DV_UNUSED(state);
  read_bad(dv_mesh_read_vtk, "# vtk DataFile Version 3.0\nx\nASCII\nDATASET POLYDATA\nPOINTS 999999999 float\n0 0 0\n",
           5, "announced");
  read_bad(dv_mesh_read_vtk,
           "# vtk DataFile Version 3.0\nx\nASCII\nDATASET POLYDATA\nPOINTS 1 float\n0 0 0\nPOLYGONS 1 4\n3 0 0 1\n", 8,
           "names point 1");
  read_bad(dv_mesh_read_vtk_xml,
           "<VTKFile>\n<PolyData>\n<Piece NumberOfPoints=\"1\"><Points><DataArray type=\"Float32\" format=\"ascii\">0 "
           "x 0</DataArray></Points></Piece></PolyData></VTKFile>",
           3, "found 'x 0'");
  read_bad(dv_mesh_read_vtk_xml, "<VTKFile><PolyData></VTKFile>", 1, "well-formed");
  read_bad(dv_mesh_read_vtk_xml, "<!DOCTYPE a [<!ENTITY b \"c\">]><VTKFile/>", 1, "document type");
  read_bad(dv_mesh_read_stl, "solid x\nfacet\nvertex 0 0 0\nendfacet\n", 4, "1 corners");
  read_bad(dv_mesh_read_off, "OFF\n1 1 0\n0 0 0\n3 0 0 7\n", 4, "names point 7");
  read_bad(dv_mesh_read_trian, "1\n0 0 nan\n0\n", 2, "not finite");
  read_bad(dv_mesh_read_xsp, "Xsp 5.0\n", 1, "version 5");
  read_bad(dv_mesh_read_gid, "MESH dimension 3 ElemType Sphere Nnode 1\n", 1, "Sphere");
  read_bad(dv_mesh_read_abaqus, "*NODE\n1, 0, 0, 0\n*ELEMENT, TYPE=T3D2\n1, 1, 2\n", 4, "node 2");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(legacy_vtk_knows_every_cell), cmocka_unit_test(binary_vtk_is_big_endian),
      cmocka_unit_test(xml_vtk_in_every_encoding),   cmocka_unit_test(stl_merges_equal_points),
      cmocka_unit_test(small_text_formats),          cmocka_unit_test(tetgen_and_gzip_files),
      cmocka_unit_test(wrong_files_are_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

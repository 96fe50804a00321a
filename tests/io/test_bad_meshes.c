// Bad files of every format: empty, cut short anywhere, with bytes changed, with counts beyond all measure, with
// numbers that are not finite, with indices that do not exist. Each is refused with a line and a reason, or read; none
// takes much memory.
#include "support/check.h"

#include "io/mesh/mesh.h"
#include "io/mesh/voxels.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

typedef dvStatus (*Reader)(const char *, size_t, dvMesh *, dvMeshError *);

static dvStatus read_tetgen(const char *bytes, size_t length, dvMesh *out, dvMeshError *error)
{
  const char *cut = memmem(bytes, length, "==", 2);
  size_t nodes = cut ? (size_t)(cut - bytes) : length;
  return dv_mesh_read_tetgen(bytes, nodes, cut ? cut + 2 : NULL, cut ? length - nodes - 2 : 0, out, error);
}

// a file of voxels as a mesh without elements
static dvStatus read_voxels(const char *bytes, size_t length, dvMesh *out, dvMeshError *error)
{
  dvVoxelLayout layout;
  dvVoxels voxels;
  size_t used;
  *out = (dvMesh){0};
  *error = (dvMeshError){0};
  dvStatus status = dv_voxels_read_header(bytes, length, &layout, &used, error);
  if (status == DV_OK) {
    status = dv_voxels_decode(&layout, bytes + used, length - used, &voxels, error);
    if (status != DV_OK) error->line = 1;   // not in a line
    dv_voxels_free(&voxels);
  }
  return status;
}

#define MHA(size, spacing, data)                                                                             \
  "NDims = 3\nDimSize = " size "\nElementType = MET_UCHAR\nElementSpacing = " spacing "\nElementDataFile = " \
  "LOCAL\n" data
#define VTU(points, connectivity)                                                                                      \
  "<VTKFile type=\"UnstructuredGrid\" byte_order=\"LittleEndian\">\n<UnstructuredGrid>\n<Piece "                       \
  "NumberOfPoints=\"" points "\n"                                                                                      \
  "<Cells><DataArray type=\"Int32\" Name=\"connectivity\" format=\"ascii\">" connectivity "</DataArray>"               \
  "<DataArray type=\"Int32\" Name=\"offsets\" format=\"ascii\">3</DataArray><DataArray type=\"UInt8\" Name=\"types\" " \
  "format=\"ascii\">5</DataArray></Cells>"                                                                             \
  "</Piece></UnstructuredGrid></VTKFile>\n"
#define XYZ(count, last)                                                                                              \
  count "\" NumberOfCells=\"1\"><Points><DataArray type=\"Float64\" NumberOfComponents=\"3\" format=\"ascii\">0 0 0 " \
        "1 0 0 0 " last " 0</DataArray></Points>"
#define VTK "# vtk DataFile Version 3.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\n"
#define GMSH "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n"

// what is wrong with each of the last three stands beside it
static const struct {
  const char *name;
  Reader read;
  const char *good, *huge, *huge_says, *nan, *nan_says, *wrong, *wrong_says;
} formats[] = {
    {"gmsh", dv_mesh_read_gmsh,
     GMSH "3\n1 0 0 0\n2 1 0 0\n3 0 1 0\n$EndNodes\n$Elements\n1\n1 2 2 1 1 1 2 3\n$EndElements\n",
     GMSH "2000000000\n1 0 0 0\n", "announced", GMSH "1\n1 0 nan 0\n$EndNodes\n", "not finite",
     GMSH "1\n1 0 0 0\n$EndNodes\n$Elements\n1\n1 2 2 1 1 1 2 3\n$EndElements\n", "node 2"},
    {"vtk", dv_mesh_read_vtk,
     VTK
     "POINTS 3 double\n0 0 0 1 0 0 0 1 0\nCELLS 1 4\n3 0 1 2\nCELL_TYPES 1\n5\nPOINT_DATA 3\nSCALARS a double\n1 2 3\n",
     VTK "POINTS 2000000000 double\n0 0 0\n", "announced", VTK "POINTS 1 double\n0 inf 0\n", "not finite",
     VTK "POINTS 1 double\n0 0 0\nCELLS 1 4\n3 0 1 2\nCELL_TYPES 1\n5\n", "names point 1"},
    {"vtu", dv_mesh_read_vtk_xml, VTU(XYZ("3", "1"), "0 1 2"), VTU(XYZ("2000000000", "1"), "0 1 2"), "does not fit",
     VTU(XYZ("3", "nan"), "0 1 2"), "not finite", VTU(XYZ("3", "1"), "0 1 7"), "names point 7"},
    {"stl", dv_mesh_read_stl,
     "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid "
     "a\n",
     NULL, NULL, "solid a\nfacet\nvertex 0 0 nan\nvertex 1 0 0\nvertex 0 1 0\nendfacet\n", "not finite",
     "solid a\nfacet\nvertex 0 0 0\nvertex 1 0 0\nendfacet\n", "2 corners"},
    {"obj", dv_mesh_read_obj, "v 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nvn 0 0 1\nusemtl a\nf 1/1/1 2/1/1 3/1/1\nl 1 2\n",
     NULL, NULL, "v 0 nan 0\n", "not finite", "v 0 0 0\nf 1 2 3\n", "2"},
    {"off", dv_mesh_read_off, "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n", "OFF\n2000000000 1 0\n0 0 0\n", "announced",
     "OFF\n1 0 0\n0 0 nan\n", "not finite", "OFF\n1 1 0\n0 0 0\n3 0 1 2\n", "names point 1"},
    {"trian", dv_mesh_read_trian, "3\n0 0 0\n1 0 0\n0 1 0\n1\n0 1 2 -1 -1 -1\n", "2000000000\n0 0 0\n", "announced",
     "1\n0 0 nan\n0\n", "not finite", "3\n0 0 0\n1 0 0\n0 1 0\n1\n0 1 2 5 -1 -1\n", "triangle 5"},
    {"trian2", dv_mesh_read_trian2, "\n\n\n\n\n\n\n\n\n\n\n\n\np 3\n0 0 0\n1 0 0\n0 1 0\nn 1\n0 0 1\nt 1\n0 1 2\n",
     "\n\n\n\n\n\n\n\n\n\n\n\n\np 2000000000\n0 0 0\n", "announced", "\n\n\n\n\n\n\n\n\n\n\n\n\np 1\n0 0 nan\n",
     "not finite", "\n\n\n\n\n\n\n\n\n\n\n\n\np 1\n0 0 0\nn 0\nt 1\n0 1 2\n", "names point 1"},
    {"xsp", dv_mesh_read_xsp,
     "Xsp 3.0\nnumm 2\nnums 1\nmass 1 s 0 0 0 0 0 0 1 0\nmass 2 v 1 2 3 0 0 0 -1 0\nlspg 1 2 1 100 5 1\n", NULL, NULL,
     "Xsp 3.0\nmass 1 s 0 nan 0 0 0 0 1 0\n", "not finite", "Xsp 3.0\nmass 1 s 0 0 0 0 0 0 1 0\nlspg 1 1 2 100 5 1\n",
     "names point 2"},
    {"gid", dv_mesh_read_gid,
     "MESH dimension 3 ElemType Triangle Nnode 3\nCoordinates\n1 0 0 0\n2 1 0 0\n3 0 1 0\nEnd Coordinates\nElements\n1 "
     "1 2 3\nEnd Elements\n",
     NULL, NULL, "MESH dimension 3 ElemType Triangle Nnode 3\nCoordinates\n1 0 nan 0\n", "not finite",
     "MESH dimension 3 ElemType Triangle Nnode 3\nCoordinates\n1 0 0 0\nEnd Coordinates\nElements\n1 1 2 3\nEnd "
     "Elements\n",
     "names point 2"},
    {"abaqus", dv_mesh_read_abaqus,
     "*HEADING\na\n*NODE\n1, 0, 0, 0\n2, 1, 0, 0\n3, 0, 1, 0\n*ELEMENT, TYPE=S3\n1, 1, 2, 3\n", NULL, NULL,
     "*NODE\n1, 0, nan, 0\n", "found 'nan'", "*NODE\n1, 0, 0, 0\n*ELEMENT, TYPE=S3\n1, 1, 2, 3\n", "node 2"},
    {"netgen", dv_mesh_read_netgen, "3\n0 0 0\n1 0 0\n0 1 0\n0\n1\n1 1 2 3\n", "2000000000\n0 0 0\n", "announced",
     "1\n0 0 nan\n0\n0\n", "not finite", "1\n0 0 0\n0\n1\n1 1 2 3\n", "names point 2"},
    {"tetgen", read_tetgen, "4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n==1 4 0\n1 1 2 3 4\n",
     "2000000000 3 0 0\n1 0 0 0\n", "announced", "1 3 0 0\n1 0 nan 0\n", "not finite",
     "1 3 0 0\n1 0 0 0\n==1 4 0\n1 1 2 3 4\n", "2"},
    {"sph", dv_mesh_read_sph, "sph 1.0\nnums 1\nsphe 0 1 2 3 0.5\n", NULL, NULL, "sph 1.0\nsphe 0 1 nan 3 0.5\n",
     "not finite", "sph 1.0\nsphe 0 1 2 3 -1\n", "negative"},
    {"mtl", dv_mesh_read_mtl, "newmtl a\nKd 1 0 0\nNs 12\nmap_Kd p.png\n", NULL, NULL, "newmtl a\nKd nan 0 0\n",
     "not finite", "newmtl a\nKd 1 x 0\n", "'x'"},
    {"voxels", read_voxels, MHA("2 2 2", "1 1 1", "abcdefgh"), MHA("2000000000 2000000000 2", "1 1 1", "abcdefgh"),
     "more than", MHA("2 2 2", "1 nan 1", "abcdefgh"), "not finite", MHA("2 2 3", "1 1 1", "abcdefgh"),
     "need 12 bytes"},
};

// the text in a block of its own size, so that a sanitizer sees a read behind it
static dvStatus try(Reader read, const char *text, size_t length, dvMeshError *error)
{
  char *exact = malloc(length ? length : 1);
  if (length) memcpy(exact, text, length);
  dvMesh mesh = {0};
  *error = (dvMeshError){0};
  dvStatus status = read(exact, length, &mesh, error);
  if (status != DV_OK) assert_true(error->text[0] && error->line > 0);
  dv_mesh_free(&mesh);
  free(exact);
  return status;
}

static void check_says(const char *name, Reader read, const char *text, const char *says)
{
  dvMeshError error;
  dvStatus status = text ? try(read, text, strlen(text), &error) : DV_ERROR_INPUT;
  if (!text || (status == DV_ERROR_INPUT && strstr(error.text, says))) return;
  print_error("%s: status %d, line %d: '%s', wanted '%s'\n", name, status, error.line, error.text, says);
  fail();
}

static void good_files_are_read(void **state)
{
  DV_UNUSED(state);
  for (size_t i = 0; i < DV_COUNT(formats); i++) {
    dvMeshError error;
    if (try(formats[i].read, formats[i].good, strlen(formats[i].good), &error) == DV_OK) continue;
    print_error("%s:%d: %s\n", formats[i].name, error.line, error.text);
    fail();
  }
}

static void bad_files_are_told(void **state)
{
  DV_UNUSED(state);
  for (size_t i = 0; i < DV_COUNT(formats); i++) {
    check_says(formats[i].name, formats[i].read, formats[i].huge, formats[i].huge_says);
    check_says(formats[i].name, formats[i].read, formats[i].nan, formats[i].nan_says);
    check_says(formats[i].name, formats[i].read, formats[i].wrong, formats[i].wrong_says);
  }
}

// cut anywhere, and with each byte changed in a few ways
static void damaged_files_are_read_or_told(void **state)
{
  DV_UNUSED(state);
  for (size_t i = 0; i < DV_COUNT(formats); i++) {
    size_t length = strlen(formats[i].good);
    char *copy = malloc(length);
    dvMeshError error;
    for (size_t at = 0; at < length; at++) {
      try(formats[i].read, formats[i].good, at, &error);
      static const char changes[] = {'9', '-', ' ', '\n', 'x', 0, (char)0xff};
      for (size_t c = 0; c < sizeof changes; c++) {
        memcpy(copy, formats[i].good, length);
        copy[at] = changes[c];
        try(formats[i].read, copy, length, &error);
      }
    }
    free(copy);
  }
}

// an announced count is no reason to take memory
static void little_memory_is_taken(void **state)
{
  DV_UNUSED(state);
  struct rusage before, after;
  getrusage(RUSAGE_SELF, &before);
  for (size_t i = 0; i < DV_COUNT(formats); i++) {
    dvMeshError error;
    if (formats[i].huge) try(formats[i].read, formats[i].huge, strlen(formats[i].huge), &error);
  }
  getrusage(RUSAGE_SELF, &after);
  check_close((double)(after.ru_maxrss - before.ru_maxrss) / 1024, 0, 16);   // MB
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(little_memory_is_taken), cmocka_unit_test(good_files_are_read),
                                     cmocka_unit_test(bad_files_are_told),
                                     cmocka_unit_test(damaged_files_are_read_or_told)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

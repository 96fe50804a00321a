// Loaders: what they hand over, when, in which order, and what they say about files that are not right.
#include "topology/report.h"

#include "base/file.h"
#include "base/text.h"
#include "object/compat.h"

// one tetrahedron and, apart, a quad
#define GMSH                                                                                                           \
  "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n9\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 5 0 0\n6 6 0 0\n7 6 1 0\n8 " \
  "5 1 0\n"                                                                                                            \
  "9 9 9 9\n$EndNodes\n$Elements\n2\n1 4 2 0 7 1 2 3 4\n2 3 2 0 8 5 6 7 8\n$EndElements\n"

// a quad, a triangle and a line; two faces disagree about the texture coordinate of point 2
#define OBJ                                                                                                         \
  "mtllib paint.mtl\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 2 0 0\nv 7 7 7\nvt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\nvt 0.5 " \
  "0.5\n"                                                                                                           \
  "usemtl red\nf 1/1 2/2 3/3 4/4\nusemtl blue\nf 2/5 5/1 3/3\nl 5 1\n"
#define MTL "newmtl red\nKd 1 0 0\nnewmtl blue\nKd 0 0 1\nNs 12\n"

typedef struct Files {
  char *directory, *scene;
} Files;

static Files write_files(void)
{
  Files f = {.directory = check_mkdir()};
  dv_free(check_write(f.directory, "mesh.msh", GMSH));
  dv_free(check_write(f.directory, "mesh.obj", OBJ));
  dv_free(check_write(f.directory, "paint.mtl", MTL));
  dv_free(check_write(f.directory, "balls.sph", "sph 1.0\nnums 2\nsphe 0 1 2 3 0.5\nsphe 1 4 5 6 0.25\n"));
  dv_free(check_write(f.directory, "broken.msh",
                      "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n2\n1 0 0 0\n2 1 0 x\n$EndNodes\n"));
  f.scene = dv_path_join(f.directory, "scene.scn");
  return f;
}

static void remove_files(Files *f)
{
  check_rmdir(f->directory);
  dv_free(f->scene);
}

// a scene that stands beside the meshes
static void start(Report *r, const Files *f, const char *text)
{
  report_start_as(r, f->scene, text);
  if (r->status != DV_OK) print_error("%s", r->messages.text);
  assert_int_equal(r->status, DV_OK);
}

static const void *value(const Report *r, const char *object, const char *field)
{
  dvField *f = dv_object_field(report_find(r, object), field);
  assert_non_null(f);
  assert_int_equal(dv_field_pull(f), DV_OK);
  return f->value;
}

static void check_reals(const dvReals *found, const char *expected)
{
  dvText text = {0};
  for (size_t i = 0; i < found->count; i++) {
    if (i) dv_text_add(&text, i % (size_t)found->width ? " " : ", ");
    dv_text_add_real(&text, found->data[i]);
  }
  dv_text_add(&text, "");
  if (!dv_same(text.text, expected)) {
    print_error("found    %s\nexpected %s\n", text.text, expected);
    fail();
  }
  dv_text_free(&text);
}

static void gmsh_adds_faces_and_edges(void **state)
{
  DV_UNUSED(state);
  Files f = write_files();
  Report r;
  start(&r, &f,
        "<Node><MeshGmshLoader name='l' filename='mesh.msh'/><MeshGmshLoader name='bare' filename='mesh.msh' "
        "createSubelements='0'/>"
        "<MeshLoader name='any' filename='mesh.msh'/></Node>");
  check_ints(value(&r, "l", "tetrahedra"), "0 1 2 3");
  check_ints(value(&r, "l", "quads"), "4 5 6 7");
  check_ints(value(&r, "l", "triangles"), "0 2 1, 0 1 3, 0 3 2, 1 2 3");
  check_ints(value(&r, "l", "edges"), "5 6, 6 7, 7 4, 4 5, 2 1, 1 0, 0 2, 1 3, 3 0, 3 2");
  check_ints(value(&r, "bare", "triangles"), "");
  check_ints(value(&r, "bare", "edges"), "");
  check_ints(value(&r, "any", "triangles"), "0 2 1, 0 1 3, 0 3 2, 1 2 3");
  assert_int_equal(dv_reals_size(value(&r, "l", "position")), 9);
  report_end(&r);
  remove_files(&f);
}

static void cuts_flips_and_drops(void **state)
{
  DV_UNUSED(state);
  Files f = write_files();
  Report r;
  start(&r, &f,
        "<Node><MeshGmshLoader name='cut' filename='mesh.msh' triangulate='1' createSubelements='0'/>"
        "<MeshGmshLoader name='flip' filename='mesh.msh' flipNormals='1' createSubelements='0'/>"
        "<MeshGmshLoader name='drop' filename='mesh.msh' onlyAttachedPoints='1' createSubelements='0'/></Node>");
  check_ints(value(&r, "cut", "triangles"), "4 5 6, 4 6 7");
  check_ints(value(&r, "cut", "quads"), "");
  check_ints(value(&r, "flip", "quads"), "7 6 5 4");
  assert_int_equal(dv_reals_size(value(&r, "drop", "position")), 8);
  assert_int_equal(dv_reals_size(value(&r, "drop", "normals")), 8);
  report_end(&r);
  remove_files(&f);
}

static void moves_points(void **state)
{
  DV_UNUSED(state);
  Files f = write_files();
  Report r;
  start(&r, &f,
        "<Node><MeshOBJLoader name='a' filename='mesh.obj' scale3d='1 2 3' scale='2' rotation='0 0 90' translation='10 "
        "0 0'/>"
        "<MeshOBJLoader name='b' filename='mesh.obj' scale='5' transformation='1 0 0 1  0 1 0 2  0 0 1 3  0 0 0 1'/>"
        "<MeshOBJLoader name='c' filename='mesh.obj' scale='2 2 2'/></Node>");
  const dvReals *a = value(&r, "a", "position"), *b = value(&r, "b", "position"), *c = value(&r, "c", "position");
  // the third point (1, 1, 0): scaled to (2, 4, 0), turned to (-4, 2, 0), moved
  check_close(a->data[6], 6, 1e-14);
  check_close(a->data[7], 2, 1e-14);
  check_close(a->data[8], 0, 1e-14);
  check_close(b->data[6], 2, 0);   // the matrix replaces the others
  check_close(b->data[7], 3, 0);
  check_close(b->data[8], 3, 0);
  check_close(c->data[6], 1, 0);   // three numbers are not one
  report_says(&r, "scale=\"2 2 2\" is not one number; it is not used");
  report_end(&r);
  remove_files(&f);
}

// moved-thrice: digits of a scene of its own, a point of a single-precision
// mesh turned by half a turn and a quarter
static void rounds_as_often_as_sofa(void **state)
{
  DV_UNUSED(state);
  static const double once[3] = {-119.65667957067491, -40.86214828491211, -6.531891345977783},
                      thrice[3] = {-119.65667957067491, -40.86214828491211, -6.531891345977784};
  Files f = write_files();
  dv_free(check_write(f.directory, "one.obj", "v -60.86214828491211 0.34332042932510376 6.531891345977783\n"));
  for (int sofa = 0; sofa < 2; sofa++) {
    Report r;
    char *text = dv_format("<Node compat='%s'><MeshOBJLoader name='a' filename='one.obj' rotation='180 0 90' "
                           "translation='-120 20 0'/></Node>",
                           sofa ? "sofa" : "none");
    start(&r, &f, text);
    const dvReals *a = value(&r, "a", "position");
    assert_true(dv_compat_touched(report_find(&r, "a"), DV_COMPAT_MOVED_THRICE));
    for (size_t k = 0; k < 3; k++) check_close(a->data[k], sofa ? thrice[k] : once[k], 0);
    report_end(&r);
    dv_free(text);
  }
  remove_files(&f);
}

static void hands_only_the_mesh_through_src(void **state)
{
  DV_UNUSED(state);
  Files f = write_files();
  Report r;
  start(&r, &f,
        "<Node><MeshOBJLoader name='l' filename='mesh.obj' translation='10 0 0'/><MechanicalObject name='s' "
        "src='@l'/></Node>");
  const dvReals *x = value(&r, "s", "position");
  assert_int_equal(dv_reals_size(x), 6);
  check_close(x->data[0], 10, 0);   // moved once
  report_end(&r);
  remove_files(&f);
}

static void obj_without_seams(void **state)
{
  DV_UNUSED(state);
  Files f = write_files();
  Report r;
  start(&r, &f,
        "<Node><MeshOBJLoader name='l' filename='mesh.obj'/><MeshOBJLoader name='cut' filename='mesh.obj' "
        "triangulate='1'/></Node>");
  check_ints(value(&r, "l", "quads"), "0 1 2 3");
  check_ints(value(&r, "l", "triangles"), "1 4 2");
  check_ints(value(&r, "l", "edges"), "0 4");
  assert_int_equal(dv_reals_size(value(&r, "l", "position")), 6);
  // point 1 has two texture coordinates: the one with the greater v - u stays
  check_reals(value(&r, "l", "texcoords"), "0 0, 0.5 0.5, 1 1, 0 1, 0 0, 0 0");
  check_ints(value(&r, "cut", "triangles"), "0 1 2, 0 2 3, 1 4 2");
  const dvStrings *groups = value(&r, "cut", "trianglesGroups"), *materials = value(&r, "l", "materials");
  assert_int_equal(groups->count, 2);
  assert_string_equal(groups->data[0], "Default_Group red 0 0 2");
  assert_string_equal(groups->data[1], "Default_Group blue 1 2 1");
  assert_int_equal(materials->count, 2);
  assert_string_equal(
      materials->data[1],
      "blue Diffuse 1 0 0 1 1 Ambient 0 0.2 0.2 0.2 1 Specular 0 1 1 1 1 Emissive 0 0 0 0 0 Shininess 1 12");
  assert_string_equal(*(char *const *)value(&r, "l", "defaultMaterial"), materials->data[0]);
  report_end(&r);
  remove_files(&f);
}

static void obj_with_seams(void **state)
{
  DV_UNUSED(state);
  Files f = write_files();
  Report r;
  start(&r, &f, "<Node><MeshOBJLoader name='l' filename='mesh.obj' handleSeams='1'/></Node>");
  // points in the order of the file, each with its texture coordinates in order, none first; the last one is in no face
  check_ints(value(&r, "l", "vertPosIdx"), "0, 0, 1, 1, 2, 3, 4, 4");
  check_reals(value(&r, "l", "texcoords"), "0 0, 0 0, 1 0, 0.5 0.5, 1 1, 0 1, 0 0, 0 0");
  check_ints(value(&r, "l", "quads"), "1 2 4 5");
  check_ints(value(&r, "l", "triangles"), "3 7 4");
  check_ints(value(&r, "l", "edges"), "0 6");
  assert_int_equal(dv_reals_size(value(&r, "l", "position")), 8);
  assert_int_equal(dv_reals_size(value(&r, "l", "positionsDefinition")), 6);
  check_ints(value(&r, "l", "faceList"), "4, 0, 1, 2, 3, 3, 1, 4, 2");
  check_ints(value(&r, "l", "vertNormIdx"), "0, 0, 1, 1, 2, 3, 4, 4");
  report_end(&r);
  remove_files(&f);
}

static void makes_normals(void **state)
{
  DV_UNUSED(state);
  Files f = write_files();
  dv_free(check_write(f.directory, "roof.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nvn 0 0 -1\nf 1//1 2//1 3//1\n"));
  Report r;
  start(&r, &f,
        "<Node><MeshOBJLoader name='l' filename='mesh.obj'/><MeshOBJLoader name='given' filename='roof.obj'/>"
        "<MeshOBJLoader name='turned' filename='roof.obj' rotation='90 0 0'/></Node>");
  check_reals(value(&r, "l", "normals"), "0 0 1, 0 0 1, 0 0 1, 0 0 1, 0 0 1, 0 0 0");
  check_reals(value(&r, "given", "normals"), "0 0 -1, 0 0 -1, 0 0 -1");
  const dvReals *turned = value(&r, "turned", "normals");
  check_close(turned->data[1], 1, 1e-15);   // normals turn with the mesh
  report_end(&r);
  remove_files(&f);
}

static void loads_spheres(void **state)
{
  DV_UNUSED(state);
  Files f = write_files();
  Report r;
  start(&r, &f, "<Node><SphereLoader name='s' filename='balls.sph' scale='2 2 2' translation='1 0 0'/></Node>");
  check_reals(value(&r, "s", "position"), "3 4 6, 9 10 12");
  check_reals(value(&r, "s", "listRadius"), "0.5, 0.25");
  report_end(&r);
  remove_files(&f);
}

static void topology_reads_a_file(void **state)
{
  DV_UNUSED(state);
  Files f = write_files();
  Report r;
  start(&r, &f,
        "<Node><MechanicalObject name='s' topology='@t'/><MeshTopology name='t' filename='mesh.msh'/>"
        "<MeshTopology name='kept' filename='mesh.msh' edges='0 8'/><TriangleSetTopologyContainer name='tri' "
        "fileTopology='mesh.obj'/></Node>");
  dvTopology *t = report_topology(&r, "t");
  assert_int_equal(dv_topology_point_count(t), 9);
  check_elements(t, DV_TETRAHEDRON, "0 1 2 3");
  check_elements(t, DV_EDGE, "0 1, 0 2, 0 3, 1 2, 1 3, 2 3");   // derived, not the loader's
  assert_int_equal(dv_reals_size(value(&r, "s", "position")), 9);
  check_elements(report_topology(&r, "kept"), DV_EDGE, "0 8");
  check_elements(report_topology(&r, "kept"), DV_TETRAHEDRON, "0 1 2 3");
  check_elements(report_topology(&r, "tri"), DV_TRIANGLE, "1 4 2");
  report_end(&r);
  remove_files(&f);
}

// scenes of 2011: the topology says nothing and takes the loader beside it
static void topology_takes_the_loader_of_its_node(void **state)
{
  DV_UNUSED(state);
  Files f = write_files();
  Report r;
  start(&r, &f,
        "<Node><MeshGmshLoader name='l' filename='mesh.msh'/><MechanicalObject "
        "name='s'/><TetrahedronSetTopologyContainer name='a' src='@'/>"
        "<MeshTopology name='b'/><MeshTopology name='c' edges='0 1'/></Node>");
  check_elements(report_topology(&r, "a"), DV_TETRAHEDRON, "0 1 2 3");
  check_elements(report_topology(&r, "b"), DV_QUAD, "4 5 6 7");
  check_elements(report_topology(&r, "c"), DV_QUAD, "");
  assert_int_equal(dv_reals_size(value(&r, "s", "position")), 9);
  report_end(&r);
  remove_files(&f);
}

static void follows_a_change_of_file(void **state)
{
  DV_UNUSED(state);
  Files f = write_files();
  Report r;
  start(&r, &f, "<Node><MeshLoader name='l' filename='mesh.msh'/><MeshTopology name='t' src='@l'/></Node>");
  dvTopology *t = report_topology(&r, "t");
  assert_int_equal(dv_topology_point_count(t), 9);
  assert_int_equal(dv_object_set(report_find(&r, "l"), "filename", "mesh.obj"), DV_OK);
  assert_int_equal(dv_topology_point_count(t), 6);
  check_elements(t, DV_TETRAHEDRON, "");
  check_elements(t, DV_TRIANGLE, "1 4 2");
  report_end(&r);
  remove_files(&f);
}

static void says_what_is_wrong_with_a_file(void **state)
{
  DV_UNUSED(state);
  static const struct {
    const char *scene, *message;
  } cases[] = {
      {"<Node>\n<MeshOBJLoader filename='mash.obj'/></Node>",
       "scene.scn:2 there is no file 'mash.obj' (filename) did you mean 'mesh.obj'?"},
      {"<Node>\n<MeshTopology filename='mash.obj'/></Node>",
       "scene.scn:2 there is no file 'mash.obj' (filename) did you mean 'mesh.obj'?"},
      {"<Node><SphereLoader filename='gone/away.sph'/></Node>", "there is no file 'gone/away.sph'"},
      {"<Node>\n<MeshGmshLoader filename='broken.msh'/></Node>", "broken.msh:7: "},
      {"<Node><MeshOBJLoader filename='mesh.obj' scale3d='1e308 1e308 1e308' scale='1e30'/></Node>",
       "the transformation is not finite"},
  };
  for (size_t i = 0; i < DV_COUNT(cases); i++) {
    Files f = write_files();
    Report r;
    report_start_as(&r, f.scene, cases[i].scene);
    assert_int_equal(r.status, DV_ERROR_INPUT);
    report_says(&r, cases[i].message);
    report_end(&r);
    remove_files(&f);
  }
}

#define VTK                                                                                                           \
  "# vtk DataFile Version 3.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 4 double\n0 0 0 1 0 0 0 1 0 0 0 1\nCELLS " \
  "1 5\n4 0 1 2 3\n"

// values of the points and cells are fields that others link to; what cannot be read leaves the mesh as it is
static void vtk_values_are_fields(void **state)
{
  DV_UNUSED(state);
  Files f = write_files();
  dv_free(check_write(f.directory, "v.vtk",
                      VTK
                      "CELL_TYPES 1\n10\nCELL_DATA 1\nSCALARS young float 1\nLOOKUP_TABLE default\n2.5\nPOINT_DATA 4\n"
                      "VECTORS speed double\n1 2 3 4 5 6 7 8 9 0 0 0\nSCALARS heat float\nLOOKUP_TABLE default\n1 nan "
                      "1 1\nNORMALS n float\n0 0 1 0 0 1 0 0 1 0 0 1\n"
                      "FIELD more 2\nlabel 1 4 int\n1 2 3 4\nposition 1 4 int\n0 0 0 0\n"));
  dv_free(check_write(f.directory, "bad.vtk",
                      VTK "CELL_TYPES 1\n10\nPOINT_DATA 4\nSCALARS heat float\nLOOKUP_TABLE default\n1 2 3\n"));
  dv_free(check_write(f.directory, "odd.vtk",
                      VTK "CELL_TYPES 1\n10\nPOINT_DATA 3\nSCALARS heat float\nLOOKUP_TABLE default\n1 2 3\n"));
  Report r;
  start(&r, &f,
        "<Node><MeshVTKLoader name='l' filename='v.vtk'/><MechanicalObject name='s' position='@l.position' "
        "velocity='@l.speed'/>"
        "<MeshVTKLoader name='bad' filename='bad.vtk'/><MeshVTKLoader name='odd' filename='odd.vtk'/></Node>");
  check_reals(value(&r, "l", "young"), "2.5");
  check_ints(value(&r, "l", "label"), "1, 2, 3, 4");
  check_reals(value(&r, "s", "velocity"), "1 2 3, 4 5 6, 7 8 9, 0 0 0");
  report_says(&r, "1 of the values 'heat' in 'v.vtk' are not finite");
  report_says(&r, "values 'position' of the file have the name of another field");
  check_ints(value(&r, "bad", "tetrahedra"), "0 1 2 3");
  report_says(&r, "not all of 'bad.vtk' is read: values, line 15: a value is missing at the end of the file");
  report_says(&r, "values 'heat': 3 numbers instead of 4");
  report_end(&r);
  remove_files(&f);
}

// cells of several kinds: values of each kind fit its elements
static void values_of_mixed_cells_are_split(void **state)
{
  DV_UNUSED(state);
  Files f = write_files();
  dv_free(
      check_write(f.directory, "mixed.vtk",
                  "# vtk DataFile Version 3.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 5 double\n0 0 0 1 0 0 0 1 "
                  "0 0 0 1 1 1 1\nCELLS 4 18\n3 0 1 2\n4 0 1 2 3\n3 1 2 3\n4 1 2 3 4\nCELL_TYPES 4\n5 10 5 10\n"
                  "CELL_DATA 4\nSCALARS region int 1\nLOOKUP_TABLE default\n1 7 2 8\nVECTORS fibre double\n0 0 0 1 "
                  "0 0 0 0 0 0 1 0\n"));
  Report r;
  start(&r, &f,
        "<Node><MeshVTKLoader name='l' filename='mixed.vtk'/><MechanicalObject name='s' "
        "position='@l.fibre_tetrahedra'/></Node>");
  check_ints(value(&r, "l", "region"), "1, 7, 2, 8");
  check_ints(value(&r, "l", "region_triangles"), "1, 2");
  check_ints(value(&r, "l", "region_tetrahedra"), "7, 8");
  check_reals(value(&r, "s", "position"), "1 0 0, 0 1 0");
  report_end(&r);
  remove_files(&f);
}

static void off_sequence_goes_through_its_files(void **state)
{
  DV_UNUSED(state);
  Files f = write_files();
  for (int i = 8; i <= 11; i++) {
    char *name = dv_format("s%03d.off", i), *text = dv_format("OFF\n3 1 0\n%d 0 0\n1 0 0\n0 1 0\n3 0 1 2\n", i);
    dv_free(check_write(f.directory, name, text));
    dv_free(name), dv_free(text);
  }
  Report r;
  start(&r, &f,
        "<Node dt='0.02'><OffSequenceLoader name='l' filename='s008.off' nbOfFiles='3' stepDuration='0.04'/></Node>");
  static const double wanted[] = {9, 9, 10, 10, 10};   // at the start of the step the time is 0, 0.02 …
  for (size_t i = 0; i < DV_COUNT(wanted); i++) {
    assert_int_equal(dv_scene_step(r.scene, 0), DV_OK);
    check_close(((const dvReals *)value(&r, "l", "position"))->data[0], wanted[i], 0);
  }
  dv_scene_reset(r.scene);
  check_close(((const dvReals *)value(&r, "l", "position"))->data[0], 8, 0);
  report_end(&r);
  remove_files(&f);
}

// two voxels of a layer of 2 x 2 that share an edge, and one beside them in the next layer
static void voxels_become_hexahedra(void **state)
{
  DV_UNUSED(state);
  Files f = write_files();
  dv_free(check_write(f.directory, "v.raw", "hhabbaaaca"));
  dv_free(check_write(
      f.directory, "v.mha",
      "ObjectType = Image\nNDims = 3\nDimSize = 2 2 2\nElementType = MET_UCHAR\nElementSpacing = 0.5 0.5 2\n"
      "Offset = 1 2 3\nElementDataFile = LOCAL\nabbaaaca"));
  dv_free(check_write(f.directory, "short.raw", "abc"));
  Report r;
  start(&r, &f,
        "<Node><VoxelGridLoader name='l' filename='v.raw' header='2' resolution='2 2 2' bgValue='97' voxelSize='1 1 "
        "0.5'/>"
        "<VoxelGridLoader name='m' filename='v.mha' dataValue='98 99' generateHexa='0'/>"
        "<VoxelGridLoader name='roi' filename='v.mha' bgValue='97' ROI='0 0 1 9 9 9'/></Node>");
  // voxels (1,0,0), (0,1,0), (0,1,1): points with z = 0, 0.5 and 1
  check_ints(value(&r, "l", "idxInRegularGrid"), "1, 2, 6");
  assert_int_equal(((const dvReals *)value(&r, "l", "position"))->count, 3 * (7 + 7 + 4));
  check_ints(value(&r, "l", "hexahedra"), "0 1 4 3 7 8 11 10, 2 3 6 5 9 10 13 12, 9 10 13 12 14 15 17 16");
  check_close(((const dvReals *)value(&r, "l", "position"))->data[0], 1, 0);
  check_reals(value(&r, "m", "position"), "1.5 2 3, 1 2.5 3, 1 2.5 5");
  check_ints(value(&r, "roi", "idxInRegularGrid"), "6");
  // the offset is the middle of the first voxel: of voxel (0,1,1) the first corner is half a voxel before its middle
  check_close(((const dvReals *)value(&r, "roi", "position"))->data[0], 0.75, 0);
  check_close(((const dvReals *)value(&r, "roi", "position"))->data[1], 2.25, 0);
  check_close(((const dvReals *)value(&r, "roi", "position"))->data[2], 4, 0);
  report_end(&r);
  static const struct {
    const char *scene, *message;
  } cases[] = {
      {"<Node><VoxelGridLoader filename='v.raw'/></Node>", "the size of 'v.raw' is not known"},
      {"<Node><VoxelGridLoader filename='short.raw' resolution='4 4 4'/></Node>", "need 64 bytes, but the file has 3"},
      {"<Node><VoxelGridLoader filename='short.raw' resolution='100000 100000 100000'/></Node>", "more than the"}};
  for (size_t i = 0; i < DV_COUNT(cases); i++) {
    report_start_as(&r, f.scene, cases[i].scene);
    assert_int_equal(r.status, DV_ERROR_INPUT);
    report_says(&r, cases[i].message);
    report_end(&r);
  }
  remove_files(&f);
}

static void warns_without_a_file(void **state)
{
  DV_UNUSED(state);
  Report r;
  report_good(&r, "<Node><MeshOBJLoader/></Node>");
  report_says(&r, "MeshOBJLoader names no file");
  report_end(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gmsh_adds_faces_and_edges),
      cmocka_unit_test(cuts_flips_and_drops),
      cmocka_unit_test(moves_points),
      cmocka_unit_test(rounds_as_often_as_sofa),
      cmocka_unit_test(hands_only_the_mesh_through_src),
      cmocka_unit_test(obj_without_seams),
      cmocka_unit_test(obj_with_seams),
      cmocka_unit_test(makes_normals),
      cmocka_unit_test(loads_spheres),
      cmocka_unit_test(topology_reads_a_file),
      cmocka_unit_test(topology_takes_the_loader_of_its_node),
      cmocka_unit_test(follows_a_change_of_file),
      cmocka_unit_test(says_what_is_wrong_with_a_file),
      cmocka_unit_test(vtk_values_are_fields),
      cmocka_unit_test(values_of_mixed_cells_are_split),
      cmocka_unit_test(off_sequence_goes_through_its_files),
      cmocka_unit_test(voxels_become_hexahedra),
      cmocka_unit_test(warns_without_a_file),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

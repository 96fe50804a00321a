// divan anatomy: from an image of labels, and from surfaces, to a scene that runs; what is wrong is told.
#include "support/check.h"
#include "support/command.h"

#include "anatomy/vessels.h"
#include "base/file.h"
#include "io/mesh/mesh.h"
#include "io/mesh/write_mesh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N = 60 };

// An organ (1) with a tree of vessels (2), a second one that touches it (3), which has a crumb far away; a ball (4).
static uint8_t *paint_body(const dvVoxelLayout *l)
{
  uint8_t *v = calloc(N * N, N), *at = v;
  for (int z = 0; z < N; z++)
    for (int y = 0; y < N; y++)
      for (int x = 0; x < N; x++, at++) {
        dvVec3 p = dv_vec3(x - 29.5, y - 29.5, z - 29.5);
        if (hypot(hypot(p.x / 26, p.y / 16), p.z / 16) < 1) *at = 1;
        else if (hypot(hypot(p.x / 14, (p.y + 22) / 7), p.z / 12) < 1) *at = 3;
        else if (x == 2 && y == 2 && z == 2) *at = 3;
        else if (dv_vec3_norm(dv_vec3_sub(p, dv_vec3(0, 23, 0))) < 4) *at = 4;
      }
  dvVessels tree;
  dvVoxelLayout units = *l;
  dv_vessels_grow(&tree, &(dvGrowth){.seed = 4,
                                     .root = {-20, 0, 0},
                                     .direction = {1, 0, 0},
                                     .radius = 3,
                                     .length = 18,
                                     .generations = 1,
                                     .thinnest = 1});
  dv_vessels_paint(&tree, &units, 2, v);
  assert_int_equal(tree.branches.count, 3);
  dv_vessels_free(&tree);
  return v;
}

// voxels of 1 x 1.5 x 4 mm
static void write_labels(const char *directory, const char *name, const int32_t n[3], const uint8_t *labels)
{
  dvVoxelLayout l = {.n = {n[0], n[1], n[2]}, .size = {1, 1.5, 4}, .unit = 1e-3};
  char *path = dv_path_join(directory, name);
  dvMeshError error = {0};
  assert_int_equal(dv_nifti_write(path, &l, labels, &error), DV_OK);
  dv_free(path);
}

static char *make_image(const char *directory)
{
  dvVoxelLayout l = {.n = {N, N, N}, .size = {1, 1, 1}, .origin = {-30, -30, -30}, .unit = 1e-3};
  uint8_t *bytes = paint_body(&l);
  char *path = dv_path_join(directory, "body.nii.gz");
  dvMeshError error = {0};
  assert_int_equal(dv_nifti_write(path, &l, bytes, &error), DV_OK);
  free(bytes);
  return path;
}

static double volume_of(const char *path)
{
  dvMesh m;
  dvMeshError error = {0};
  assert_int_equal(dv_mesh_read(path, &m, &error), DV_OK);
  double six = 0;
  for (size_t i = 0; i < m.tetrahedra.count; i += 4) {
    dvVec3 x[4];
    for (size_t k = 0; k < 4; k++) x[k] = dv_vec3_load(m.positions.data + 3 * m.tetrahedra.data[i + k]);
    double part = dv_vec3_dot(dv_vec3_sub(x[1], x[0]), dv_vec3_cross(dv_vec3_sub(x[2], x[0]), dv_vec3_sub(x[3], x[0])));
    assert_true(part > 0);
    six += part;
  }
  dv_mesh_free(&m);
  return six / 6;
}

static void an_image_becomes_a_scene_that_runs(void **state)
{
  DV_UNUSED(state);
  char *d = check_mkdir(), *image = make_image(d);
  char *labels = check_write(d, "labels.txt",
                             "# two organs, with vessels in one\n"
                             "1 = liver hold=+y capsule=20   # a comment, with a comma\n"
                             "2 = portal vessel=liver wall=0.2\n3 = stomach young=8000 hold=-y\n"
                             "ligament = liver/stomach stiffness=50 reach=0.02\n");
  char *out = NULL;
  assert_int_equal(check_shell(&out, "cd %s && %s anatomy body.nii.gz --labels labels.txt --cells 8 --out made 2>&1", d,
                               DIVAN_BINARY),
                   0);
  static const char *const told[] = {"60 x 60 x 60 voxels of 1 x 1 x 1 mm, 4 labels",
                                     "label 3 has 2 parts",
                                     "1 voxels are left out",
                                     "touches others at",
                                     "portal: 3 branches",
                                     "ligament liver/stomach:",
                                     "made/scene.scn"};
  for (size_t i = 0; i < DV_COUNT(told); i++) {
    if (!strstr(out, told[i])) print_error("'%s' is not told in\n%s\n", told[i], out);
    assert_non_null(strstr(out, told[i]));
  }
  dv_free(out);
  check_command(0, "no mistakes", "cd %s && %s check made/scene.scn 2>&1", d, DIVAN_BINARY);
  char *first = NULL, *second = NULL;
  assert_int_equal(check_shell(&first, "cd %s && %s run made/scene.scn -n 20 -q --hash --threads 1", d, DIVAN_BINARY),
                   0);
  assert_int_equal(check_shell(&second, "cd %s && %s run made/scene.scn -n 20 -q --hash --threads 3", d, DIVAN_BINARY),
                   0);
  assert_memory_equal(strstr(first, "hash "), strstr(second, "hash "), 21);
  dv_free(first);
  dv_free(second);
  // the tetrahedra have the volume of the ellipsoid, but for the gap and flat faces
  char *mesh = dv_format("%s/made/liver.msh", d);
  check_close(volume_of(mesh) / (4.0 / 3 * M_PI * 26 * 16 * 16 * 1e-9), 0.97, 0.04);
  dv_free(mesh);
  dv_free(labels);
  dv_free(image);
  check_rmdir(d);
}

static void what_is_wrong_is_told(void **state)
{
  DV_UNUSED(state);
  char *d = check_mkdir(), *image = make_image(d);
  char *text = check_write(d, "a.nii", "this is no image, but it is longer than nothing");
  char *said = check_write(d, "said.txt", "# one, two\n\n1 = liver young = 5000\n");
  // as an editor of Windows writes it; vessel= may stand behind what is said of vessels
  char *order = check_write(d, "order.txt",
                            "\xef\xbb\xbf"
                            "1 = liver\r\n2 = portal wall=0.2 young=2e6 vessel=liver\r\n\r\n"
                            "3 = other vessel=portal\r\n");
  // more labels than can be organs; one in the middle of another; a single voxel
  uint8_t many[1000], core[1000];
  for (int k = 0; k < 1000; k++) {
    int off[3] = {abs(2 * (k % 10) - 9), abs(2 * (k / 10 % 10) - 9), abs(2 * (k / 100) - 9)};
    int far = off[0] > off[1] ? off[0] : off[1];
    if (off[2] > far) far = off[2];
    many[k] = (uint8_t)(1 + k % 90);
    core[k] = far < 4 ? 2 : far < 9;
  }
  write_labels(d, "many.nii", (const int32_t[3]){10, 10, 10}, many);
  write_labels(d, "core.nii", (const int32_t[3]){10, 10, 10}, core);
  write_labels(d, "voxel.nii", (const int32_t[3]){1, 1, 1}, (const uint8_t[1]){1});
  static const struct {
    int status;
    const char *told, *arguments;
  } cases[] = {
      {2, "name an image", "--out x"},
      {2, "--out DIR", "body.nii.gz"},
      {2, "neither an image", "labels.csv --out x"},
      {2, "save the labels as .nii.gz", "labels.seg.nrrd --out x"},
      {4, "nowhere.mha: No such file", "nowhere.mha --out x"},
      {4, "a NIfTI header has 348 bytes", "a.nii --out x"},
      {4, "no voxel has the label 9", "body.nii.gz --labels 9=heart --out x"},
      {4, "write LABEL=NAME", "body.nii.gz --labels liver --out x"},
      {4, "there is no such file", "body.nii.gz --labels labels.txt --out x"},
      {4, "said.txt:3: error: '1 = liver young = 5000'", "body.nii.gz --labels said.txt --out x"},
      {4, "order.txt:4: error: 'other': vessels lie in an organ", "body.nii.gz --labels order.txt --out x"},
      {0, "--labels does not name 2, 3, 4: left out", "body.nii.gz --labels 1=liver --cells 5 --out x"},
      {4, "did you mean 'young'?", "body.nii.gz --labels 1=liver:yong=3 --out x"},
      {4, "poisson needs a number from 0 to 0.499", "body.nii.gz --labels 1=liver:poisson=0.6 --out x"},
      {4, "hold needs a side", "body.nii.gz --labels 1=liver:hold=up --out x"},
      {4, "is not a name", "body.nii.gz --labels '1=<b>' --out x"},
      {4, "two things called", "body.nii.gz --labels 1=a,2=a --out x"},
      {4, "label 1 is 'a' already", "body.nii.gz --labels 1=a,1=b --out x"},
      {4, "vessels lie in an organ", "body.nii.gz --labels 2=portal:vessel=liver --out x"},
      {4, "there is no organ 'spleen'", "body.nii.gz --labels 1=liver,ligament=liver/spleen --out x"},
      {4, "give a larger reach: it is 0.00", "body.nii.gz --labels 1=liver,3=b,ligament=liver/b:reach=1e-6 --out x"},
      {4, "it is a blob", "body.nii.gz --labels 1=liver,4=v:vessel=liver --out x"},
      {4, "no branch is as thick", "body.nii.gz --labels 1=liver,2=v:vessel=liver:least=0.1 --out x"},
      {4, "is the unit right?", "body.nii.gz --unit 1000 --labels 1=liver --out x"},
      {4, "no tetrahedron", "body.nii.gz --labels 1=liver:cell=0.3 --out x"},
      {0, "the scene has no gravity", "body.nii.gz --labels 1=liver --cells 5 --out x"},
      {4, "the input has 90 labels; say which", "many.nii --out x"},
      {4, "--gap 1, in m, is more than its cells", "body.nii.gz --labels 1=liver,3=stomach --gap 1 --out x"},
      {0, "it lies inside of label1", "core.nii --cells 6 --out x"},
      {0, "label1: 0.006 ml", "voxel.nii --out x"},
      {4, "would make too many points", "body.nii.gz --labels 1=liver:cell=1e-6 --out x"},
  };
  for (size_t i = 0; i < DV_COUNT(cases); i++)
    check_command(cases[i].status, cases[i].told, "cd %s && %s anatomy %s 2>&1", d, DIVAN_BINARY, cases[i].arguments);
  dv_free(text), dv_free(said), dv_free(order);
  dv_free(image);
  check_rmdir(d);
}

// 6 sqrt 2 V over the cube of the root mean square of the edges, of the worst tetrahedron; and how many there are
static double worst_of(const char *path, size_t *count)
{
  dvMesh m;
  dvMeshError error = {0};
  assert_int_equal(dv_mesh_read(path, &m, &error), DV_OK);
  double worst = 1;
  for (size_t i = 0; i < m.tetrahedra.count; i += 4) {
    dvVec3 x[4];
    double squares = 0;
    for (size_t k = 0; k < 4; k++) x[k] = dv_vec3_load(m.positions.data + 3 * m.tetrahedra.data[i + k]);
    for (int a = 0; a < 4; a++)
      for (int b = a + 1; b < 4; b++) squares += dv_vec3_norm2(dv_vec3_sub(x[a], x[b])) / 6;
    double six = dv_vec3_dot(dv_vec3_sub(x[1], x[0]), dv_vec3_cross(dv_vec3_sub(x[2], x[0]), dv_vec3_sub(x[3], x[0])));
    worst = fmin(worst, six * sqrt(2) / (squares * sqrt(squares)));
  }
  *count = m.tetrahedra.count / 4;
  dv_mesh_free(&m);
  return worst;
}

// graded tetrahedra are fewer, fill the same volume and are as good as those of one size
static void tetrahedra_are_graded(void **state)
{
  DV_UNUSED(state);
  char *d = check_mkdir(), *image = make_image(d);
  size_t count[3];
  double volume[3], worst[3];
  for (int g = 1; g <= 3; g++) {
    check_command(0, "% of the volume",
                  "cd %s && %s anatomy body.nii.gz --labels 1=liver:grade=%d --cells 16 --out g%d 2>&1", d,
                  DIVAN_BINARY, g, g);
    char *mesh = dv_format("%s/g%d/liver.msh", d, g);
    volume[g - 1] = volume_of(mesh);
    worst[g - 1] = worst_of(mesh, &count[g - 1]);
    dv_free(mesh);
  }
  print_message("%zu, %zu and %zu tetrahedra, worst %g, %g, %g\n", count[0], count[1], count[2], worst[0], worst[1],
                worst[2]);
  assert_true(count[1] < 0.85 * (double)count[0] && count[2] < count[1]);
  for (int g = 1; g < 3; g++) {
    check_close(volume[g] / volume[0], 1, 1e-5);   // files round places
    assert_true(worst[g] > fmin(worst[0], 0.3) - 1e-3);
  }
  dv_free(image);
  check_rmdir(d);
}

// a bone stands still, organs touch it and are tied to it
static void bones_stand_still(void **state)
{
  DV_UNUSED(state);
  char *d = check_mkdir(), *image = make_image(d);
  check_command(0, "stomach: bone, surface of",
                "cd %s && %s anatomy body.nii.gz --labels "
                "1=liver:hold=+y,2=v:vessel=liver,3=stomach:bone=1,ligament=liver/stomach:reach=0.02 "
                "--cells 10 --out made 2>&1",
                d, DIVAN_BINARY);
  check_command(0, "no mistakes", "cd %s && %s check made/scene.scn 2>&1", d, DIVAN_BINARY);
  check_command(0, "10 steps", "cd %s && %s run made/scene.scn -n 10 2>&1", d, DIVAN_BINARY);
  check_command(4, "is bone: name the organ first",
                "cd %s && %s anatomy body.nii.gz --labels 1=liver,3=b:bone=1,ligament=b/liver --out x 2>&1", d,
                DIVAN_BINARY);
  check_command(4, "vessels lie in an organ",
                "cd %s && %s anatomy body.nii.gz --labels 1=liver:bone=1,2=v:vessel=liver --out x 2>&1", d,
                DIVAN_BINARY);
  dv_free(image);
  check_rmdir(d);
}

// A plate one voxel thick (1), between whose faces coarse triangles would leave nothing, and a block (2) with a rod (3)
// in it that goes up by two slices' thickness for each five; all in slices of 4 mm.
static void thin_things_have_fine_surfaces(void **state)
{
  DV_UNUSED(state);
  enum { X = 110, Y = 60, Z = 18 };
  const int32_t n[3] = {X, Y, Z};
  uint8_t *labels = calloc(X * Y, Z), *at = labels;
  for (int z = 0; z < Z; z++)
    for (int y = 0; y < Y; y++)
      for (int x = 0; x < X; x++, at++) {
        double away = hypot(1.5 * (y + 0.5) - 45, (4 * (z + 0.5) - 36 - 0.2 * (x + 0.5 - 55)) / hypot(1, 0.2));
        if (z == 1 && x > 2 && x < X - 3 && y > 2 && y < Y - 3) *at = 1;
        else if (z > 4 && z < Z - 1 && x > 4 && x < X - 5 && y > 8 && y < Y - 9)
          *at = away < 4 && x > 14 && x < X - 15 ? 3 : 2;
      }
  char *d = check_mkdir();
  write_labels(d, "thin.nii", n, labels);   // voxels of 1 x 1.5 x 4 mm
  free(labels);
  check_command(
      0, "plate: bone, surface of",
      "cd %s && %s anatomy thin.nii --labels 1=plate:bone=1,2=block:hold=-x,3=rod:vessel=block --cells 8 --out "
      "made 2>&1",
      d, DIVAN_BINARY);
  // bone is of the colour of bone
  check_command(0, "color=\"0.9 0.86 0.74 1\"", "cat %s/made/scene.scn", d);
  // the rod's surface is at 4 mm from its axis, nearer than terraces would be (0.67 mm)
  char *path = dv_format("%s/made/rod.obj", d);
  dvMesh m;
  dvMeshError error = {0};
  assert_int_equal(dv_mesh_read(path, &m, &error), DV_OK);
  double squares = 0;
  size_t count = 0;
  for (size_t i = 0; i < m.positions.count; i += 3) {
    const double *p = m.positions.data + i;
    if (fabs(p[0] - 0.055) > 0.03) continue;   // without its ends
    double off = hypot(p[1] - 0.045, (p[2] - 0.036 - 0.2 * (p[0] - 0.055)) / hypot(1, 0.2)) - 0.004;
    squares += off * off, count++;
  }
  double off = sqrt(squares / (double)count);
  print_message("%zu points of a slanting rod of 4 mm in slices of 4: off by %.2g mm\n", count, 1e3 * off);
  assert_true(count > 500 && off < 0.6e-3);
  dv_mesh_free(&m);
  dv_free(path);
  check_rmdir(d);
}

// lumps that have lines of their own are no vessels: a bowl, and a ball with a hole
static void lumps_are_no_vessels(void **state)
{
  DV_UNUSED(state);
  const int32_t n[3] = {100, 60, 22};
  uint8_t *labels = calloc(100 * 60, 22), *at = labels;
  for (int z = 0; z < n[2]; z++)
    for (int y = 0; y < n[1]; y++)
      for (int x = 0; x < n[0]; x++, at++) {
        double p[3] = {x - 50, 1.5 * y - 45, 4 * z - 44}, ball = hypot(hypot(p[0] + 26, p[1]), p[2]);
        double across = hypot(p[1], p[2]), egg = hypot((p[0] - 12) / 27, across / 30);
        *at = ball < 14 && hypot(p[0] + 26, p[2] - 3) > 4 ? 3
              : egg < 1 && hypot(p[0] + 20, across) > 30  ? 2
                                                          : hypot(p[0] / 48, hypot(p[1] / 42, p[2] / 42)) < 1;
      }
  char *d = check_mkdir();
  write_labels(d, "lumps.nii", n, labels);
  free(labels);
  check_command(4, "it is a blob, no tree of tubes",
                "cd %s && %s anatomy lumps.nii --labels 1=liver,2=v:vessel=liver --cells 8 --out x 2>&1", d,
                DIVAN_BINARY);
  check_command(0, "of its volume: is all of it vessels?",
                "cd %s && %s anatomy lumps.nii --labels 1=liver,3=v:vessel=liver --cells 8 --out x 2>&1", d,
                DIVAN_BINARY);
  check_rmdir(d);
}

// what is in DIR is not lost: a scene that differs stays beside the new one
static void scenes_are_kept(void **state)
{
  DV_UNUSED(state);
  char *d = check_mkdir(), *image = make_image(d);
  static const char command[] = "cd %s && %s anatomy body.nii.gz --labels 1=liver --cells 5 --out made 2>&1; ls made";
  check_command(0, "scene.scn", command, d, DIVAN_BINARY);
  check_command(0, "<!-- mine -->", "cd %s/made && echo '<!-- mine -->' >> scene.scn && cat scene.scn", d);
  check_command(0, "made/scene.scn.old: the scene that was there is kept", command, d, DIVAN_BINARY);
  check_command(0, "<!-- mine -->", "cd %s/made && rm scene.scn && cat scene.scn.old && rm scene.scn.old", d);
  check_command(0, "scene.scn", command, d, DIVAN_BINARY);
  check_command(0, "scene.scn", command, d, DIVAN_BINARY);
  check_command(0, "", "test ! -e %s/made/scene.scn.old", d);   // it was the same
  dv_free(image);
  check_rmdir(d);
}

// Ctrl-C ends the work at once, and leaves nothing
static void an_interruption_ends_it(void **state)
{
  DV_UNUSED(state);
  char *d = check_mkdir(), *image = make_image(d), *out = NULL;
  check_shell(
      &out,
      "cd %s && (%s anatomy body.nii.gz --labels 1=liver --cells 120 --out made & p=$!; sleep 0.5; kill -TERM $p;"
      " i=0; while kill -0 $p && [ $i -lt 20 ]; do sleep 0.1; i=$((i+1)); done; kill -KILL $p || echo ended)"
      " 2>/dev/null; ls made | wc -l",
      d, DIVAN_BINARY);
  assert_non_null(strstr(out, "ended"));
  assert_non_null(strstr(out, "\n0"));
  dv_free(out);
  dv_free(image);
  check_rmdir(d);
}

// an image of floats with NaN, and headers that promise more than there is: both are told, and take no memory
static void hostile_images_are_told(void **state)
{
  DV_UNUSED(state);
  char *d = check_mkdir();
  char *nan = check_write(d, "nan.mha",
                          "ObjectType = Image\nNDims = 3\nDimSize = 2 2 2\nElementSpacing = 1 1 1\n"
                          "ElementType = MET_FLOAT\nElementByteOrderMSB = False\nElementDataFile = nan.raw\n");
  float values[8] = {1, 1, NAN, 1, 1, 1, 1, 1};
  char *raw = dv_path_join(d, "nan.raw");
  assert_int_equal(dv_file_replace(raw, (const char *)values, sizeof values), DV_OK);
  check_command(4, "1 voxels are not numbers", "cd %s && %s anatomy nan.mha --out x 2>&1", d, DIVAN_BINARY);
  // a NIfTI header of 2000 x 2000 x 2000 voxels of eight bytes, with nothing behind it
  uint8_t header[352] = {0};
  const int16_t dim[8] = {3, 2000, 2000, 2000, 1, 1, 1, 1}, type = 64, bits = 64;
  const float pixdim[8] = {1, 1, 1, 1, 0, 0, 0, 0}, offset = 352, slope = 1;
  const int32_t size = 348;
  memcpy(header, &size, 4), memcpy(header + 40, dim, 16), memcpy(header + 70, &type, 2), memcpy(header + 72, &bits, 2);
  memcpy(header + 76, pixdim, 32), memcpy(header + 108, &offset, 4), memcpy(header + 112, &slope, 4);
  memcpy(header + 344, "n+1", 4);
  char *huge = dv_path_join(d, "huge.nii");
  assert_int_equal(dv_file_replace(huge, (const char *)header, sizeof header), DV_OK);
  // within a gigabyte: nothing is taken for what is not there. Sanitizers want all addresses
#ifdef DV_CHECKING
  const char *limit = "true";
#else
  const char *limit = "ulimit -v 1048576";
#endif
  check_command(4, "huge.nii", "cd %s && %s && %s anatomy huge.nii --out x 2>&1", d, limit, DIVAN_BINARY);
  check_command(4, "huge.mha",
                "cd %s && printf 'ObjectType = Image\\nNDims = 3\\nDimSize = 4000000 4000000 4000000\\nElementType = "
                "MET_UCHAR\\nElementDataFile = LOCAL\\n12' > huge.mha && %s anatomy huge.mha --out x 2>&1",
                d, DIVAN_BINARY);
  dv_free(nan), dv_free(raw), dv_free(huge);
  check_rmdir(d);
}

static const char box[] = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n"
                          "f 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\n";

static void surfaces_become_a_scene(void **state)
{
  DV_UNUSED(state);
  char *d = check_mkdir();
  char *closed = dv_format("%sf 4 1 5 8\n", box), *far = dv_format("%sf 4 1 5 8\n", box);
  for (char *v = far; (v = strstr(v, "v 1"));) v[2] = '5';   // another box, five wide
  char *a = check_write(d, "liver.obj", closed), *b = check_write(d, "5 wide.obj", far),
       *c = check_write(d, "open.obj", box);
  check_command(4, "the surface is open", "cd %s && %s anatomy open.obj --out x 2>&1", d, DIVAN_BINARY);
  check_command(0, "liver: 1e+06 ml", "cd %s && %s anatomy liver.obj --labels 1=liver:hold=-y --cells 6 --out x 2>&1",
                d, DIVAN_BINARY);
  check_command(0, "no mistakes", "cd %s && %s check x/scene.scn 2>&1", d, DIVAN_BINARY);
  check_command(0, "it overlaps organ2", "cd %s && %s anatomy liver.obj '5 wide.obj' --cells 6 --out y 2>&1", d,
                DIVAN_BINARY);
  // a bar right through the box: no point of one lies in the other
  char *bar = check_write(d, "bar.obj",
                          "v -.5 .2 .2\nv 1.5 .2 .2\nv 1.5 .8 .2\nv -.5 .8 .2\nv -.5 .2 .8\nv 1.5 .2 .8\nv 1.5 .8 .8\n"
                          "v -.5 .8 .8\nf 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n");
  check_command(0, "of its edges go through that", "cd %s && %s anatomy liver.obj bar.obj --cells 6 --out z 2>&1", d,
                DIVAN_BINARY);
  dv_free(bar);
  // two boxes in one file are two bodies; one in the other that looks inwards is a hollow
  static const char second[] =
      "f 9 12 11 10\nf 13 14 15 16\nf 9 10 14 13\nf 10 11 15 14\nf 11 12 16 15\nf 12 9 13 16\n";
  static const char inwards[] =
      "f 10 11 12 9\nf 16 15 14 13\nf 13 14 10 9\nf 14 15 11 10\nf 15 16 12 11\nf 16 13 9 12\n";
  for (int i = 0; i < 2; i++) {
    const char *low = i ? ".3" : "2", *high = i ? ".7" : "3";
    char *both =
        dv_format("%sf 4 1 5 8\nv %s %s %s\nv %s %s %s\nv %s %s %s\nv %s %s %s\nv %s %s %s\nv %s %s %s\nv %s %s "
                  "%s\nv %s %s %s\n%s",
                  box, low, low, low, high, low, low, high, high, low, low, high, low, low, low, high, high, low, high,
                  high, high, high, low, high, high, i ? inwards : second);
    char *path = check_write(d, i ? "hollow.obj" : "two.obj", both), *out = NULL;
    assert_int_equal(check_shell(&out, "cd %s && %s anatomy %s --labels 1=liver:hold=-y --cells 20 --out x 2>&1", d,
                                 DIVAN_BINARY, path),
                     0);
    assert_true((strstr(out, "its surface has 2 pieces") != NULL) == !i);
    assert_non_null(strstr(out, i ? "9.36e+05 ml" : "2e+06 ml"));
    dv_free(out), dv_free(both), dv_free(path);
  }
  // the same box as .stl: two files of one name are two organs, and what is not named is told
  check_command(0, "", "cd %s && mkdir s && %s convert liver.obj s/liver.stl 2>&1", d, DIVAN_BINARY);
  check_command(0, "organ2: 0.001 ml", "cd %s && %s anatomy liver.obj s/liver.stl --unit 0.001 --cells 6 --out t 2>&1",
                d, DIVAN_BINARY);
  check_command(0, "does not name 1: left out",
                "cd %s && %s anatomy bar.obj s/liver.stl --labels 2=b --cells 6 --out t 2>&1", d, DIVAN_BINARY);
  check_command(0, "--unit 0.001 takes millimetres",
                "cd %s && %s anatomy s/liver.stl --unit 100 --cells 6 --out t 2>&1", d, DIVAN_BINARY);
  check_command(4, "only 1 surfaces", "cd %s && %s anatomy liver.obj --labels 2=b --out x 2>&1", d, DIVAN_BINARY);
  dv_free(closed), dv_free(far), dv_free(a), dv_free(b), dv_free(c);
  check_rmdir(d);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_image_becomes_a_scene_that_runs),
      cmocka_unit_test(what_is_wrong_is_told),
      cmocka_unit_test(tetrahedra_are_graded),
      cmocka_unit_test(bones_stand_still),
      cmocka_unit_test(thin_things_have_fine_surfaces),
      cmocka_unit_test(lumps_are_no_vessels),
      cmocka_unit_test(scenes_are_kept),
      cmocka_unit_test(an_interruption_ends_it),
      cmocka_unit_test(hostile_images_are_told),
      cmocka_unit_test(surfaces_become_a_scene),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

// divan anatomy: parts of organs with their own material. Volumes add up, tetrahedra have the modulus of where they
// lie, two materials in a row give way as springs in series, cuts keep the material of what is cut; and what is odd in
// images is told.
#include "support/check.h"
#include "support/command.h"

#include "anatomy/vessels.h"
#include "base/file.h"
#include "divan/divan.h"
#include "io/mesh/write_mesh.h"
#include "topology/search/locate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// an image of n voxels of 1 mm around the origin, whose labels a function tells
static void write_image_in(const char *directory, const char *name, const int32_t n[3], int (*label)(dvVec3 mm),
                           double unit)
{
  dvVoxelLayout l = {.n = {n[0], n[1], n[2]}, .size = {1, 1, 1}, .unit = unit};
  uint8_t *labels = malloc((size_t)n[0] * (size_t)n[1] * (size_t)n[2]), *at = labels;
  for (int k = 0; k < 3; k++) l.origin[k] = -0.5 * n[k];
  for (int z = 0; z < n[2]; z++)
    for (int y = 0; y < n[1]; y++)
      for (int x = 0; x < n[0]; x++)
        *at++ = (uint8_t)label(dv_vec3(l.origin[0] + x + 0.5, l.origin[1] + y + 0.5, l.origin[2] + z + 0.5));
  char *path = dv_path_join(directory, name);
  dvMeshError error = {0};
  assert_int_equal(dv_nifti_write(path, &l, labels, &error), DV_OK);
  dv_free(path);
  free(labels);
}

static void write_image(const char *directory, const char *name, const int32_t n[3], int (*label)(dvVec3 mm))
{
  write_image_in(directory, name, n, label, 1e-3);
}

static double from(dvVec3 x, double a, double b, double c) { return dv_vec3_norm(dv_vec3_sub(x, dv_vec3(a, b, c))); }

// An organ (1) with a vessel (2), that goes through a tumour (3) with a core (5); the tumour has a second piece that
// bulges out of the organ, and a crumb that is nowhere near (in the corner). 4 is an organ that touches the bulge.
static int label_of(dvVec3 x)
{
  if (fabs(x.x) < 24 && hypot(x.y, x.z) < 2) return 2;
  if (from(x, -6, 0, 0) < 4) return 5;
  if (from(x, -6, 0, 0) < 9 || from(x, 12, 14, 0) < 6) return 3;
  if (from(x, 12, 25, 0) < 5.5) return 4;
  if (x.x < -27 && x.y < -27 && x.z < -27) return 3;
  return hypot(hypot(x.x / 26, x.y / 16), x.z / 16) < 1;
}
// that of the same voxels without the tumour
static int healthy(dvVec3 x)
{
  int label = label_of(x);
  return x.x < -26.5 && x.y < -20 ? 0 : label == 3 || label == 5 ? 1 : label;
}

static double number_behind(const char *text, const char *words)
{
  const char *at = strstr(text, words);
  if (!at) print_error("'%s' is not told in\n%s\n", words, text);
  assert_non_null(at);
  return strtod(at + strlen(words), NULL);
}

typedef struct Body {
  dvContext *context;
  dvScene *scene;
} Body;

static Body open_scene(const char *path)
{
  Body b = {.context = divan_create(1)};
  b.scene = divan_load(b.context, path);
  assert_non_null(b.scene);
  assert_int_equal(divan_init(b.scene), DIVAN_OK);
  return b;
}

static void close_scene(Body *b)
{
  divan_close(&b->scene);
  divan_destroy(&b->context);
}

static const double *reals(const Body *b, const char *object, const char *field, size_t *count)
{
  const double *list = divan_read(b->scene, object, field, count);
  assert_non_null(list);
  return list;
}

static dvVec3 centre(const double *x, const int32_t *e)
{
  dvVec3 sum = dv_vec3(0, 0, 0);
  for (int k = 0; k < 4; k++) sum = dv_vec3_add_scaled(sum, dv_vec3_load(x + 3 * (size_t)e[k]), 0.25);
  return sum;
}

static double volume(const double *x, const int32_t *e)
{
  dvVec3 p[4];
  for (int k = 0; k < 4; k++) p[k] = dv_vec3_load(x + 3 * (size_t)e[k]);
  return dv_vec3_dot(dv_vec3_sub(p[1], p[0]), dv_vec3_cross(dv_vec3_sub(p[2], p[0]), dv_vec3_sub(p[3], p[0]))) / 6;
}

// what the scene says of each tetrahedron, beside what the image says of the middle of it
static void check_materials(const Body *b)
{
  size_t points, corners, moduli, ratios, masses, checked[4] = {0};
  const double *x = reals(b, "/Body/liver/dofs", "position", &points),
               *young = reals(b, "/Body/liver/tissue", "youngModulus", &moduli),
               *poisson = reals(b, "/Body/liver/tissue", "poissonRatio", &ratios),
               *mass = reals(b, "/Body/liver/MeshMatrixMass1", "vertexMass", &masses);
  const int32_t *e = divan_read_ints(b->scene, "/Body/liver/tetrahedra", "tetrahedra", &corners);
  double wanted = 0, total = 0;
  assert_int_equal(moduli, corners / 4);
  assert_int_equal(ratios, corners / 4);
  for (size_t i = 0; i < moduli; i++, e += 4) {
    dvVec3 at = dv_vec3_scale(centre(x, e), 1e3);
    double core = from(at, -6, 0, 0), bulge = from(at, 12, 14, 0);
    assert_true(young[i] == 4000 || young[i] == 20000 || young[i] == 300);
    check_close(poisson[i], young[i] == 20000 ? 0.4 : 0.45, 0);   // the core has that of the organ
    wanted += (young[i] == 20000 ? 1500 : young[i] == 300 ? 900 : 1050) * volume(x, e);
    int where = core < 2.5 ? 0 : core > 5.5 && core < 7.5 ? 1 : bulge < 3 ? 2 : core > 11 && bulge > 8 ? 3 : -1;
    if (where < 0) continue;
    const double there[4] = {300, 20000, 20000, 4000};
    check_close(young[i], there[where], 0);
    checked[where]++;
  }
  for (size_t i = 0; i < masses; i++) total += 2.5 * mass[i];   // lumped: that of the diagonal, times 2.5
  check_close(total / wanted, 1, 1e-4);
  for (int i = 0; i < 4; i++) assert_true(checked[i] > 0);
}

static void a_part_has_its_own_material(void **state)
{
  DV_UNUSED(state);
  char *d = check_mkdir(), *out = NULL, *plain = NULL, *again = NULL;
  write_image(d, "body.nii.gz", (const int32_t[3]){60, 64, 60}, label_of);
  write_image(d, "healthy.nii.gz", (const int32_t[3]){60, 64, 60}, healthy);
  // the part may be named before its organ
  char *labels = check_write(d, "labels.txt",
                             "3 = tumour part=liver young=20000 poisson=0.4 density=1500 color=0.9/0.8/0.3\n"
                             "1 = liver hold=+x\n2 = portal vessel=liver\n4 = stomach\n"
                             "5 = core part=liver young=300 density=900\n");
  assert_int_equal(check_shell(&out,
                               "cd %s && %s anatomy body.nii.gz --labels labels.txt --cells 20 --out made 2>&1 && %s "
                               "anatomy body.nii.gz --labels labels.txt --cells 20 --out again >again.log 2>&1 && cmp "
                               "made/scene.scn again/scene.scn && cmp made/liver.msh again/liver.msh",
                               d, DIVAN_BINARY, DIVAN_BINARY),
                   0);
  assert_int_equal(check_shell(&plain,
                               "cd %s && %s anatomy healthy.nii.gz --labels 1=liver,2=portal:vessel=liver,4=stomach "
                               "--cells 20 --out plain 2>&1",
                               d, DIVAN_BINARY),
                   0);
  double sum = number_behind(plain, "  liver: ");
  check_close(number_behind(out, "  liver: "), sum, 1e-9 * sum);
  // the vessel in the tumour is the tumour's, but for where it lies in the core
  double tumour = number_behind(out, "  tumour: "), core = number_behind(out, "  core: ");
  check_close(tumour + core, 4.024, 1e-3);   // voxels
  check_close(core, 0.280, 0.03);            // the vessel's ends in it are the tumour's
  assert_non_null(strstr(out, " tetrahedra of liver, surface of "));
  assert_non_null(strstr(out, "voxels do not hang together with liver and are left out"));
  assert_null(strstr(out, "inside of liver"));   // it is no other organ
  assert_null(strstr(out, "overlaps"));
  check_command(0, "no mistakes", "cd %s && %s check made/scene.scn 2>&1", d, DIVAN_BINARY);
  assert_int_equal(check_shell(&again, "cd %s && %s run made/scene.scn -n 10 -q --hash 2>&1", d, DIVAN_BINARY), 0);
  char *path = dv_format("%s/made/scene.scn", d);
  Body b = open_scene(path);
  check_materials(&b);
  size_t count;   // and its picture goes with the organ
  const double *x = reals(&b, "/Body/liver/tumour-look/look", "position", &count);
  double before = x[0];
  for (int i = 0; i < 10; i++) assert_int_equal(divan_step(b.scene, 0), DIVAN_OK);
  x = reals(&b, "/Body/liver/tumour-look/look", "position", &count);
  assert_true(isfinite(x[0]) && x[0] != before);
  close_scene(&b);
  dv_free(path), dv_free(out), dv_free(plain), dv_free(again), dv_free(labels);
  check_rmdir(d);
}

// --- two materials in a row ----------------------------------------------------------------------

static int bar(dvVec3 x) { return fabs(x.x) < 6 && fabs(x.z) < 6 && fabs(x.y) < 30 ? (x.y < 0 ? 2 : 1) : 0; }

static char *replace(const char *text, const char *what, const char *by)
{
  const char *at = strstr(text, what);
  assert_non_null(at);
  return dv_format("%.*s%s%s", (int)(at - text), text, by, at + strlen(what));
}

// makes a bar along y that is held above, and adds to its scene
static char *make_bar(const char *d, const char *poisson, const char *more)
{
  write_image(d, "bar.nii.gz", (const int32_t[3]){16, 64, 16}, bar);
  check_command(0, "soft: 4.32 ml",
                "cd %s && %s anatomy bar.nii.gz --labels "
                "1=bar:young=20000:poisson=%s:hold=+y:cell=0.004:density=1000,2=soft:part=bar:young=4000:density=3000 "
                "--out made 2>&1",
                d, DIVAN_BINARY, poisson);
  char *path = dv_format("%s/made/scene.scn", d), *text = dv_file_read(path, NULL);
  char *added = replace(text, "      <MeshParts ", more), *weightless = replace(added, "\"0 -9.81 0\"", "\"0 0 0\"");
  assert_int_equal(dv_file_replace(path, weightless, strlen(weightless)), DV_OK);
  dv_free(text), dv_free(added), dv_free(weightless);
  return path;
}

// the mean place at rest and the mean displacement, along y, of the points around a section
static void section(const double *rest, const double *x, size_t count, double at, double *mean, double *moved)
{
  size_t found = 0;
  *mean = *moved = 0;
  for (size_t i = 1; i < count; i += 3) {
    if (fabs(rest[i] - at) > 0.0025) continue;
    *mean += rest[i], *moved += x[i] - rest[i];
    found++;
  }
  assert_true(found > 8);
  *mean /= (double)found, *moved /= (double)found;
}

// F = k dy with 1/k = l1/(E1 A) + l2/(E2 A)
static void two_materials_are_springs_in_series(void **state)
{
  DV_UNUSED(state);
  const double force = 5.76e-3, area = 12e-3 * 12e-3, stiff = 20000, soft = 4000;
  char *d = check_mkdir();
  char *path = make_bar(d, "0",
                        "      <BoxROI name=\"end\" box=\"-1 -1 -1 1 -0.026 1\"/>\n"
                        "      <ConstantForceField indices=\"@end.indices\" totalForce=\"0 -5.76e-3 0\"/>\n"
                        "      <MeshParts ");
  Body b = open_scene(path);
  for (int i = 0; i < 150; i++) assert_int_equal(divan_step(b.scene, 0), DIVAN_OK);
  size_t count;
  const double *rest = reals(&b, "/Body/bar/dofs", "rest_position", &count),
               *x = reals(&b, "/Body/bar/dofs", "position", &count);
  double y[3], u[3];
  for (int i = 0; i < 3; i++) section(rest, x, count, 0.018 * (i - 1), &y[i], &u[i]);
  double wanted = force / area * (-y[0] / soft + y[2] / stiff), got = u[2] - u[0];
  print_message("lengthening %.5g mm, springs in series %.5g mm\n", 1e3 * got, 1e3 * wanted);
  check_close(got / wanted, 1, 0.03);
  // each half by itself
  double halves[2] = {force / area * -y[0] / soft, force / area * y[2] / stiff};
  print_message("of the soft half %.5g (%.5g), of the stiff one %.5g (%.5g)\n", u[1] - u[0], halves[0], u[2] - u[1],
                halves[1]);
  check_close((u[1] - u[0]) / halves[0], 1, 0.06);
  close_scene(&b);
  dv_free(path);
  check_rmdir(d);
}

// --- cutting -------------------------------------------------------------------------------------

// the bar before it is cut
typedef struct Before {
  double *x, *young, mass;
  int32_t *elements;
  size_t count;
} Before;

static double mass_of(const Body *b)
{
  size_t count;
  double sum = 0;
  const double *m = reals(b, "/Body/bar/MeshMatrixMass1", "vertexMass", &count);
  for (size_t i = 0; i < count; i++) sum += m[i];
  return sum;
}

static Before remember(const Body *b)
{
  size_t points, moduli, corners;
  const double *x = reals(b, "/Body/bar/dofs", "rest_position", &points),
               *young = reals(b, "/Body/bar/tissue", "youngModulus", &moduli);
  const int32_t *e = divan_read_ints(b->scene, "/Body/bar/tetrahedra", "tetrahedra", &corners);
  assert_int_equal(moduli, corners / 4);
  Before all = {malloc(points * sizeof *x), malloc(moduli * sizeof *young), mass_of(b), malloc(corners * sizeof *e),
                moduli};
  memcpy(all.x, x, points * sizeof *x);
  memcpy(all.young, young, moduli * sizeof *young);
  memcpy(all.elements, e, corners * sizeof *e);
  return all;
}

// Each tetrahedron has the material of the one in which its middle lay before; `least` of both materials are new.
static void check_children(const Body *b, Before *was, size_t least)
{
  Before now = remember(b);
  dvLocateDef def = {.x = was->x, .lists = {{DV_TETRAHEDRON, was->elements, was->count}}};
  size_t compared = 0, fresh[2] = {0};
  for (size_t i = 0; i < now.count; i++) {
    const int32_t *e = now.elements + 4 * i;
    double place[3];
    dvLocation found;
    dv_vec3_store(place, centre(now.x, e));
    dv_locate(&def, NULL, place, 1, &found);
    assert_true(found.element >= 0);
    const double *l = found.local;
    if (fmin(fmin(l[0], l[1]), fmin(l[2], 1 - l[0] - l[1] - l[2])) < 1e-3) continue;   // between two of them
    compared++;
    fresh[now.young[i] > 10000] += volume(now.x, e) < 0.999 * volume(was->x, was->elements + 4 * (size_t)found.element);
    check_close(now.young[i], was->young[found.element], 1e-10 * now.young[i]);
  }
  print_message("%zu tetrahedra from %zu, new ones of both materials: %zu and %zu\n", now.count, was->count, fresh[0],
                fresh[1]);
  assert_true(compared > 0.95 * (double)now.count && fresh[0] > least && fresh[1] > least);
  check_close(now.mass / was->mass, 1, 1e-9);
  free(now.x), free(now.young), free(now.elements);
  free(was->x), free(was->young), free(was->elements);
}

static void a_cut_keeps_materials(void **state)
{
  DV_UNUSED(state);
  char *d = check_mkdir();
  char *changes = check_write(d, "cut.txt",
                              "T= 0.04\n  CUT= 4\n-1 -0.02 -1 1 0.02 -1 1 0.02 1 -1 -0.02 1\n"
                              "  CUT= 4\n0.0013 -1 -1 0.0013 1 -1 0.0013 1 1 0.0013 -1 1\n");
  char *more = dv_format("      <TopologicalChangeProcessor filename=\"%s\"/>\n      <MeshParts ", changes);
  char *path = make_bar(d, "0.3", more);
  Body b = open_scene(path);
  Before before = remember(&b);
  for (int i = 0; i < 6; i++) assert_int_equal(divan_step(b.scene, 0), DIVAN_OK);
  check_children(&b, &before, 200);
  close_scene(&b);
  dv_free(changes), dv_free(more), dv_free(path);
  check_rmdir(d);
}

// an edge along the bar that burns its way through the middle of it
static void a_cautery_keeps_materials(void **state)
{
  DV_UNUSED(state);
  char *d = check_mkdir();
  char *path = make_bar(d, "0.3", "      <Cautery edge=\"@/Tool/edge\" active=\"1\"/>\n      <MeshParts "),
       *text = dv_file_read(path, NULL),
       *with = replace(text, "  <Node name=\"Body\">",
                       "  <Node name=\"Tool\"><MechanicalObject name=\"edge\" position=\"0.0013 -0.012 -0.009  "
                       "0.0013 0 -0.009  0.0013 0.012 -0.009\"/></Node>\n  <Node name=\"Body\">");
  assert_int_equal(dv_file_replace(path, with, strlen(with)), DV_OK);
  dv_free(text), dv_free(with);
  Body b = open_scene(path);
  Before before = remember(&b);
  for (int i = 0; i < 24; i++) {
    double z = -0.009 + 0.0008 * i, edge[9] = {0.0013, -0.012, z, 0.0013, 0, z, 0.0013, 0.012, z};
    assert_int_equal(divan_set_reals(b.scene, "/Tool/edge", "position", edge, 9), DIVAN_OK);
    assert_int_equal(divan_step(b.scene, 0), DIVAN_OK);
  }
  check_children(&b, &before, 50);
  close_scene(&b);
  dv_free(path);
  check_rmdir(d);
}

// --- surfaces, and what is told ------------------------------------------------------------------

static char *write_box(const char *d, const char *name, double low, double high)
{
  const double s[2] = {low, high};
  dvText t = {0};
  for (int k = 0; k < 8; k++) dv_text_printf(&t, "v %g %g %g\n", s[(k & 1) ^ (k >> 1 & 1)], s[k >> 1 & 1], s[k >> 2]);
  dv_text_add(&t, "f 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n");
  char *path = check_write(d, name, t.text);
  dv_text_free(&t);
  return path;
}

static void parts_are_surfaces_too(void **state)
{
  DV_UNUSED(state);
  char *d = check_mkdir();
  char *files[4] = {write_box(d, "cube.obj", 0, 1), write_box(d, "lump.obj", 0.3, 0.7), write_box(d, "out.obj", 2, 3),
                    write_box(d, "half.obj", 0.6, 1.4)};
  check_command(0, "lump: 6.4e+04 ml",
                "cd %s && %s anatomy cube.obj lump.obj --labels 1=cube:hold=-y:density=900,2=lump:part=cube:young=9e4 "
                "--cells 14 --out x 2>&1",
                d, DIVAN_BINARY);
  check_command(0, "no mistakes", "cd %s && %s check x/scene.scn 2>&1", d, DIVAN_BINARY);
  check_command(0, "5 steps", "cd %s && %s run x/scene.scn -n 5 2>&1", d, DIVAN_BINARY);
  char *path = dv_format("%s/x/scene.scn", d);
  Body b = open_scene(path);
  size_t points, corners, moduli;
  const double *x = reals(&b, "/Body/cube/dofs", "position", &points),
               *young = reals(&b, "/Body/cube/tissue", "youngModulus", &moduli);
  const int32_t *e = divan_read_ints(b.scene, "/Body/cube/tetrahedra", "tetrahedra", &corners);
  assert_int_equal(moduli, corners / 4);
  double inside = 0;
  for (size_t i = 0; i < moduli; i++, e += 4) {
    dvVec3 at = centre(x, e);
    double far = fmax(fabs(at.x - 0.5), fmax(fabs(at.y - 0.5), fabs(at.z - 0.5)));
    if (fabs(far - 0.2) > 0.04) check_close(young[i], far < 0.2 ? 9e4 : 4000, 0);
    if (young[i] > 4000) inside += volume(x, e);
  }
  check_close(inside / 0.064, 1, 0.2);
  close_scene(&b);
  check_command(0, "% of it lies outside of cube",
                "cd %s && %s anatomy cube.obj half.obj --labels 1=cube,2=half:part=cube --cells 8 --out x 2>&1", d,
                DIVAN_BINARY);
  check_command(4, "it lies outside of cube",
                "cd %s && %s anatomy cube.obj out.obj --labels 1=cube,2=out:part=cube --cells 8 --out x 2>&1", d,
                DIVAN_BINARY);
  dv_free(path);
  for (int i = 0; i < 4; i++) dv_free(files[i]);
  check_rmdir(d);
}

// a speck (2) in a large organ, a ball beside it (3), and a ball in it (4)
static int specks(dvVec3 x)
{
  if (from(x, 3.5, 0.5, 0.5) < 0.9) return 2;
  if (from(x, -7, 0, 0) < 4) return 4;
  if (from(x, 0, 0, 0) < 16) return 1;
  return from(x, 0, 24, 0) < 4 ? 3 : 0;
}

static void what_is_wrong_with_parts_is_told(void **state)
{
  DV_UNUSED(state);
  char *d = check_mkdir();
  write_image(d, "i.nii", (const int32_t[3]){40, 60, 40}, specks);
  static const struct {
    int status;
    const char *told, *labels;
  } cases[] = {
      {4, "a part is one of an organ, and 'spleen' is none", "1=liver,4=tumour:part=spleen"},
      {4, "a part is one of an organ, and 'liver' is none", "1=liver:bone=1,4=tumour:part=liver"},
      {4, "a part is one of an organ, and 'portal' is none", "1=liver,2=portal:vessel=liver,4=tumour:part=portal"},
      {4, "a part is one of an organ, and 'tumour' is none", "1=liver,4=tumour:part=tumour"},
      {4, "'tumour' is itself a part of an organ: write part=liver", "1=liver,4=tumour:part=liver,2=c:part=tumour"},
      {4, "'tumour' is itself a part of an organ: write vessel=liver", "1=liver,4=tumour:part=liver,2=v:vessel=tumour"},
      {4, "'Liver' is none; did you mean 'liver'?", "1=liver,4=tumour:part=Liver"},
      {4, "either vessels or a part", "1=liver,4=tumour:part=liver:vessel=liver"},
      {4, "'hold' is said of the organ; a part has young", "1=liver,4=tumour:part=liver:hold=+y"},
      {4, "'capsule' is said of the organ", "1=liver,4=tumour:capsule=3:part=liver"},
      {4, "did you mean 'young'?", "1=liver,4=tumour:part=liver:yuong=3"},
      {4, "there is no organ 'tumour'", "1=liver,4=tumour:part=liver,ligament=liver/tumour"},
      {4, "no voxel has the label 9", "1=liver,9=tumour:part=liver"},
      {4, "none of it hangs together with liver", "1=liver,3=tumour:part=liver"},
      {0, "it is too small for cells of 4 mm: no tetrahedron has its material", "1=liver:cell=0.004,2=t:part=liver"},
      {0, "4=cyst:part=liver", "1=liver,4=cyst"},
  };
  for (size_t i = 0; i < DV_COUNT(cases); i++)
    check_command(cases[i].status, cases[i].told, "cd %s && %s anatomy i.nii --labels %s --cells 6 --out x 2>&1", d,
                  DIVAN_BINARY, cases[i].labels);
  check_rmdir(d);
}

// two halves of an ellipsoid, a disc one voxel thick, and balls in each other
static int halves(dvVec3 x) { return hypot(hypot(x.x / 20, x.y / 11), x.z / 9) < 1 ? 1 + (x.x > 0) : 0; }
static int disc(dvVec3 x) { return x.z > 0 && x.z < 1 && hypot(x.x, x.y) < 17; }
static int onion(dvVec3 x)
{
  double r = dv_vec3_norm(x);
  return r < 5 ? 3 : r < 9 ? 2 : r < 15;
}

static void what_is_odd_in_images_is_told(void **state)
{
  DV_UNUSED(state);
  char *d = check_mkdir(), *out = NULL;
  write_image(d, "halves.nii.gz", (const int32_t[3]){48, 28, 24}, halves);
  write_image(d, "disc.nii", (const int32_t[3]){40, 40, 10}, disc);
  write_image(d, "onion.nii", (const int32_t[3]){32, 32, 32}, onion);
  write_image_in(d, "metres.nii", (const int32_t[3]){48, 28, 24}, halves, 1);
  write_image_in(d, "microns.nii", (const int32_t[3]){48, 28, 24}, halves, 1e-6);
  static const struct {
    int status;
    const char *told, *command;
  } cases[] = {
      {0, "all of it is 48 m wide; --unit 0.001 takes millimetres", "metres.nii --cells 5"},
      {4, "all of it is 4.8e-05 m wide; --unit 0.001", "microns.nii --cells 5"},
      {4, "no tetrahedron of 2.42 mm fits inside: use smaller cells (cell=0.00099,", "disc.nii"},
      {0, "% of the volume", "disc.nii --labels 1=disc:cell=0.00099"},
      {0, "with label 2, which is not named: 2=NAME:part=organ", "onion.nii --labels 1=organ --cells 5"},
      {0, "label2: it lies inside of label1, or most of it", "onion.nii --cells 5"},
      {0, "3=label3:part=label1", "onion.nii --cells 5"},
      {4, "smaller than the triangles of its surface: give a smaller --detail", "halves.nii.gz --detail 1"},
      {0, "nothing holds b, which will fall", "halves.nii.gz --labels 1=a:hold=+y,2=b --cells 5"},
      {0, "no organ is held", "halves.nii.gz --cells 5"},
      {4, "the compressed file is damaged, or cut short", "short.nii.gz"},
      {4, "the compressed file is damaged, or cut short", "changed.nii.gz"},
      {4, "the compressed file is damaged, or cut short", "none.nii.gz"},
      {0, "the size of a voxel along axis 2 is 0: 1 is taken", "zero.mha --cells 5"},
  };
  check_command(0, NULL,
                "cd %s && head -c 400 halves.nii.gz > short.nii.gz && head -c -8 halves.nii.gz > changed.nii.gz && "
                "printf 12345678 >> changed.nii.gz && head -c 2 halves.nii.gz > none.nii.gz && printf 'NDims = 3\\n"
                "DimSize = 2 2 2\\nElementSpacing = 1 0 1\\nElementType = MET_UCHAR\\nElementDataFile = LOCAL\\n"
                "11111111' > zero.mha",
                d);
  for (size_t i = 0; i < DV_COUNT(cases); i++)
    check_command(cases[i].status, cases[i].told, "cd %s && %s anatomy %s --out x 2>&1", d, DIVAN_BINARY,
                  cases[i].command);
  // organs that touch do not overlap: smoothing bends the rim of where they meet
  assert_int_equal(check_shell(&out, "cd %s && %s anatomy halves.nii.gz --out y 2>&1", d, DIVAN_BINARY), 0);
  check_command(0, NULL,
                "cd %s && %s anatomy halves.nii.gz --labels 1=a:hold=+y,2=b,ligament=a/b:reach=0.01 --cells 5 --out z "
                ">z.log 2>&1 && ! grep -q 'nothing holds' z.log",
                d, DIVAN_BINARY);
  if (strstr(out, "overlaps")) print_error("%s", out);
  assert_null(strstr(out, "overlaps"));
  assert_non_null(strstr(out, "a gap of 0.1"));
  dv_free(out);
  check_rmdir(d);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_part_has_its_own_material),   cmocka_unit_test(two_materials_are_springs_in_series),
      cmocka_unit_test(a_cut_keeps_materials),         cmocka_unit_test(a_cautery_keeps_materials),
      cmocka_unit_test(parts_are_surfaces_too),        cmocka_unit_test(what_is_wrong_with_parts_is_told),
      cmocka_unit_test(what_is_odd_in_images_is_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

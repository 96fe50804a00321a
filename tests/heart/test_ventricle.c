// Ventricles: surfaces that close, volumes beside their formula, fibres by their rule, zones; fibres from files and
// loaders; bad input.
#include "topology/report.h"

#include "base/file.h"
#include "heart/ventricle.h"
#include "math/vec.h"
#include "support/scene.h"
#include "topology/search/rays.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;
static const dvVentricleShape plain = {{0.023, 0.065}, {0.034, 0.075}, 0.02, {60, -60}, 0.006, 2, 0, 0.022};

static double volume_of(const dvVentricle *v, size_t i)
{
  const int32_t *p = v->tetrahedra.data + 4 * i;
  dvVec3 x[4];
  for (int k = 0; k < 4; k++) x[k] = dv_vec3_load(v->position.data + 3 * p[k]);
  return dv_vec3_dot(dv_vec3_sub(x[1], x[0]), dv_vec3_cross(dv_vec3_sub(x[2], x[0]), dv_vec3_sub(x[3], x[0]))) / 6;
}

static double wall_volume(const dvVentricle *v)
{
  double sum = 0;
  for (size_t i = 0; i < dv_ints_size(&v->tetrahedra); i++) sum += volume_of(v, i);
  return sum;
}

// flux of x / 3 through triangles, above a plane where they end
static double enclosed(const dvVentricle *v, const dvInts *faces, double base)
{
  double sum = 0;
  for (size_t i = 0; i < faces->count; i += 3) {
    dvVec3 x[3];
    for (int k = 0; k < 3; k++) {
      x[k] = dv_vec3_load(v->position.data + 3 * faces->data[i + (size_t)k]);
      x[k].z -= base;
    }
    sum += dv_vec3_dot(x[0], dv_vec3_cross(x[1], x[2])) / 6;
  }
  return sum;
}

static bool is_closed(const dvVentricle *v)
{
  dvInts all = {.width = 3};
  const dvInts *lists[] = {&v->left, &v->right, &v->outside, &v->bottom};
  // inner walls are seen from the wall here: turned
  for (int l = 0; l < 4; l++)
    for (size_t i = 0; i < lists[l]->count; i += 3) {
      size_t n = all.count;
      DV_MUST(dv_ints_resize(&all, n + 3));
      for (size_t k = 0; k < 3; k++) all.data[n + k] = lists[l]->data[i + (l < 2 ? 2 - k : k)];
    }
  size_t open = dv_surface_open_edges(all.data, all.count / 3, NULL, 0, NULL);
  dv_ints_free(&all);
  return open == 0;
}

static void volumes_are_those_of_ellipsoids(void **state)
{
  DV_UNUSED(state);
  double error[2][2];
  for (int fine = 0; fine < 2; fine++) {
    dvVentricleShape s = plain;
    dvVentricle v = {0};
    if (fine) s.spacing /= 2, s.layers *= 2;
    assert_true(dv_ventricle_make(&s, &v));
    double inner = dv_ventricle_cavity(s.inner[0], s.inner[1], s.base),
           outer = dv_ventricle_cavity(s.outer[0], s.outer[1], s.base);
    error[fine][0] = enclosed(&v, &v.left, s.base) / inner - 1;
    error[fine][1] = wall_volume(&v) / (outer - inner) - 1;
    for (size_t i = 0; i < dv_ints_size(&v.tetrahedra); i++) assert_true(volume_of(&v, i) > 0);
    assert_true(is_closed(&v));
    assert_true(fabs(dv_ventricle_points(&s) / (double)dv_reals_size(&v.position) - 1) < 0.01);
    dv_ventricle_free(&v);
  }
  for (int k = 0; k < 2; k++) {   // polyhedra in ellipsoids: order 2
    assert_true(fabs(error[0][k]) < 0.02);
    assert_true(fabs(error[1][k]) < 0.4 * fabs(error[0][k]));
  }
}

// e_c, e_l of a point of the wall, and the angle of the fibre in them
static double angle_in(dvVec3 x, dvVec3 f, double a, double l)
{
  double v = atan2(x.y, x.x);
  dvVec3 around = dv_vec3(-sin(v), cos(v), 0),
         n = dv_vec3_normalise(dv_vec3(x.x / (a * a), x.y / (a * a), x.z / (l * l))), up = dv_vec3_cross(n, around);
  double c = dv_vec3_dot(f, around), s = dv_vec3_dot(f, up);
  if (c < 0) c = -c, s = -s;
  check_close(dv_vec3_dot(f, n), 0, 0.12);
  return atan2(s, c) * 180 / pi;
}

static void fibres_turn_through_the_wall(void **state)
{
  DV_UNUSED(state);
  dvVentricleShape s = plain;
  dvVentricle v = {0};
  s.layers = 6;
  s.spacing = 0.004;
  assert_true(dv_ventricle_make(&s, &v));
  for (size_t i = 0; i < dv_ints_size(&v.tetrahedra); i++) {
    const int32_t *p = v.tetrahedra.data + 4 * i;
    dvVec3 x = dv_vec3(0, 0, 0), f = dv_vec3_load(v.fibres.data + 3 * i);
    double depth = 0, height = 0;
    for (int k = 0; k < 4; k++) {
      x = dv_vec3_add_scaled(x, dv_vec3_load(v.position.data + 3 * p[k]), 0.25);
      depth += 0.25 * v.depth.data[p[k]];
      height += 0.25 * v.height.data[p[k]];
    }
    check_close(dv_vec3_norm(f), 1, 1e-12);
    check_close(dv_vec3_dot(f, dv_vec3_load(v.sheets.data + 3 * i)), 0, 1e-12);
    if (height < 0.15) continue;   // directions mean little at the tip
    double a = s.inner[0] + depth * (s.outer[0] - s.inner[0]), l = s.inner[1] + depth * (s.outer[1] - s.inner[1]);
    check_close(angle_in(x, f, a, l), 60 - 120 * depth, 6);
  }
  dv_ventricle_free(&v);
}

static void both_ventricles_close(void **state)
{
  DV_UNUSED(state);
  double right[2];
  for (int fine = 0; fine < 2; fine++) {
    dvVentricleShape s = plain;
    dvVentricle v = {0};
    s.right = 0.004;
    s.spacing = fine ? 0.003 : 0.005;
    assert_true(dv_ventricle_make(&s, &v));
    assert_true(is_closed(&v));
    for (size_t i = 0; i < dv_ints_size(&v.tetrahedra); i++) assert_true(volume_of(&v, i) > 0);
    right[fine] = enclosed(&v, &v.right, s.base);
    assert_true(right[fine] > 2e-5);
    // wall, cavities and the outside make the whole
    double whole = enclosed(&v, &v.outside, s.base) + enclosed(&v, &v.bottom, s.base),
           parts = wall_volume(&v) + enclosed(&v, &v.left, s.base) + right[fine];
    check_close(parts / whole, 1, 1e-9);
    dv_ventricle_free(&v);
  }
  check_close(right[1] / right[0], 1, 0.1);
}

static dvVec3 normal_of(const dvVentricle *v, const int32_t *t)
{
  const double *x = v->position.data;
  dvVec3 a = dv_vec3_load(x + 3 * t[0]), b = dv_vec3_load(x + 3 * t[1]), c = dv_vec3_load(x + 3 * t[2]);
  return dv_vec3_normalise(dv_vec3_cross(dv_vec3_sub(b, a), dv_vec3_sub(c, a)));
}

// the right wall slopes down to the left one: no edge of the outside is as sharp as that of a step
static void right_walls_end_without_a_step(void **state)
{
  DV_UNUSED(state);
  static const double spacings[] = {0.003, 0.005, 0.007};
  for (size_t n = 0; n < DV_COUNT(spacings); n++) {
    dvVentricleShape s = plain;
    dvVentricle v = {0};
    double sharpest = 1;
    s.right = 0.004;
    s.spacing = spacings[n];
    assert_true(dv_ventricle_make(&s, &v));
    const int32_t *f = v.outside.data;
    for (size_t i = 0; i < v.outside.count; i += 3)
      for (size_t k = i + 3; k < v.outside.count; k += 3)
        for (int a = 0; a < 3; a++)
          for (int b = 0; b < 3; b++)
            if (f[i + (size_t)a] == f[k + (size_t)((b + 1) % 3)] && f[i + (size_t)((a + 1) % 3)] == f[k + (size_t)b])
              sharpest = fmin(sharpest, dv_vec3_dot(normal_of(&v, f + i), normal_of(&v, f + k)));
    print_message("%.0f mm: at most %.0f degrees\n", 1e3 * s.spacing, acos(sharpest) * 180 / pi);
    assert_true(sharpest > cos(70 * pi / 180));
    dv_ventricle_free(&v);
  }
}

// however coarse the mesh is, a right cavity has one opening, at the base
static void right_cavities_have_one_opening(void **state)
{
  DV_UNUSED(state);
  static const double spacings[] = {0.008, 0.009, 0.010, 0.012, 0.013, 0.015, 0.02};
  for (size_t i = 0; i < DV_COUNT(spacings); i++) {
    Report r;
    char *text = dv_format("<Node><DefaultAnimationLoop/><GenerateVentricle name='v' rightVentricle='1' spacing='%g' "
                           "layers='1'/><MeshTopology position='@v.position' tetrahedra='@v.tetrahedra'/>"
                           "<MechanicalObject/><PressureConstraint triangles='@v.rightEndocardium'/></Node>",
                           spacings[i]);
    report_good(&r, text);
    report_end(&r);
    dv_free(text);
  }
}

// neighbours across a face have fibres that differ little, over the septum and where the right wall is grown on too
static void fibres_are_smooth(void **state)
{
  DV_UNUSED(state);
  dvVentricleShape s = plain;
  dvVentricle v = {0};
  s.right = 0.004;
  s.spacing = 0.003;
  s.layers = 4;
  assert_true(dv_ventricle_make(&s, &v));
  size_t n = dv_ints_size(&v.tetrahedra), points = dv_reals_size(&v.position), sharp = 0, pairs = 0;
  dvVec3 *sum = calloc(points, sizeof *sum);
  for (size_t i = 0; i < n; i++) {   // the mean direction around each point, without a sense
    for (int k = 0; k < 4; k++) {
      int32_t p = v.tetrahedra.data[4 * i + (size_t)k];
      dvVec3 f = dv_vec3_load(v.fibres.data + 3 * i);
      sum[p] = dv_vec3_add_scaled(sum[p], f, dv_vec3_dot(sum[p], f) < 0 ? -1 : 1);
    }
  }
  for (size_t i = 0; i < n; i++)
    for (int k = 0; k < 4; k++) {
      int32_t p = v.tetrahedra.data[4 * i + (size_t)k];
      if (v.height.data[p] < 0.2) continue;
      double c = fabs(dv_vec3_dot(dv_vec3_normalise(sum[p]), dv_vec3_load(v.fibres.data + 3 * i)));
      pairs++;
      sharp += c < cos(pi / 4);
    }
  assert_true((double)sharp < 0.02 * (double)pairs);
  free(sum);
  dv_ventricle_free(&v);
}

static void segments_cover_the_wall(void **state)
{
  DV_UNUSED(state);
  dvVentricle v = {0};
  dvVentricleShape s = plain;
  s.spacing = 0.004;
  double share[18] = {0};
  assert_true(dv_ventricle_make(&s, &v));
  for (size_t i = 0; i < v.segments.count; i++) {
    assert_in_range(v.segments.data[i], 1, 17);
    share[v.segments.data[i]] += volume_of(&v, i);
  }
  for (int k = 1; k <= 17; k++) assert_true(share[k] > 0);
  for (int k = 2; k <= 6; k++) check_close(share[k] / share[1], 1, 0.1);
  // segment 1 is in front (y), 3 is septal and below
  for (size_t i = 0; i < v.segments.count; i++) {
    const double *x = v.position.data + 3 * v.tetrahedra.data[4 * i];
    if (v.segments.data[i] == 1) assert_true(x[1] > 0);
    if (v.segments.data[i] == 3) assert_true(x[0] < 0.01);
    if (v.segments.data[i] == 17) assert_true(x[2] < -0.04);
  }
  dv_ventricle_free(&v);
}

static void bad_shapes_are_told(void **state)
{
  DV_UNUSED(state);
  static const struct {
    const char *fields, *says;
  } bad[] = {{"innerRadii='0.04 0.065'", "the epicardium is not outside"},
             {"basePlane='0.07'", "the base plane does not cut"},
             {"spacing='0'", "the distance of points"},
             {"spacing='1e-6'", "there would be about"},
             {"layers='0'", "1 to 1000 layers"},
             {"innerRadii='nan 0.06'", ""},
             {"outerRadii='1e300 1e301'", "beyond all bounds"},
             {"fibreAngles='1e300 0'", "beyond all bounds"},
             {"rightVentricle='1' rightWall='0'", "no thickness"},
             {"rightVentricle='1' rightGap='0'", "gap above 0"}};
  for (size_t i = 0; i < DV_COUNT(bad); i++) {
    Report r;
    char *text = dv_format("<Node><DefaultAnimationLoop/><GenerateVentricle name='v' %s/><MeshTopology src='@v'/>"
                           "<MechanicalObject/></Node>",
                           bad[i].fields);
    report_start(&r, text);
    assert_int_equal(r.status, DV_ERROR_INPUT);
    report_says(&r, bad[i].says);
    report_end(&r);
    dv_free(text);
  }
}

// --- VentricleSurfaces ---

// the first of its corners that is the lowest comes first
static void turn(int32_t *t)
{
  while (t[0] > t[1] || t[0] > t[2]) {
    int32_t first = t[0];
    t[0] = t[1], t[1] = t[2], t[2] = first;
  }
}

static int by_corners(const void *a, const void *b) { return memcmp(a, b, 3 * sizeof(int32_t)); }
static int by_value(const void *a, const void *b)
{
  return (*(const int32_t *)a > *(const int32_t *)b) - (*(const int32_t *)a < *(const int32_t *)b);
}

// equal but for the order, triangles with the same side up
static void same_lists(const dvObject *a, const dvObject *b, const char *field, size_t width)
{
  dvInts *p = dv_object_field(a, field)->value, *q = dv_object_field(b, field)->value;
  assert_int_equal(dv_field_pull(dv_object_field(a, field)), DV_OK);
  assert_int_equal(dv_field_pull(dv_object_field(b, field)), DV_OK);
  assert_int_equal(p->count, q->count);
  size_t size = p->count * sizeof *p->data;
  int32_t *left = dv_alloc(size + 1), *right = dv_alloc(size + 1);
  memcpy(left, p->data, size);
  memcpy(right, q->data, size);
  for (size_t i = 0; i < p->count && width == 3; i += 3) turn(left + i), turn(right + i);
  qsort(left, p->count / width, width * sizeof *left, width == 3 ? by_corners : by_value);
  qsort(right, p->count / width, width * sizeof *right, width == 3 ? by_corners : by_value);
  assert_memory_equal(left, right, size);
  dv_free(left);
  dv_free(right);
}

// What is found in the tetrahedra of GenerateVentricle is what that says itself; with 8 mm the right wall hangs on
// edges.
static void surfaces_are_found(void **state)
{
  DV_UNUSED(state);
  static const char *const shapes[] = {"spacing='0.01'", "spacing='0.008' rightVentricle='1'",
                                       "spacing='0.006' rightVentricle='1' layers='3'"};
  static const char *const lists[] = {"leftEndocardium", "rightEndocardium", "epicardium", "base",
                                      "leftPoints",      "rightPoints",      "basePoints", "epicardiumPoints"};
  for (size_t i = 0; i < DV_COUNT(shapes); i++) {
    char *text = dv_format("<Node><DefaultAnimationLoop/><GenerateVentricle name='v' %s/><MeshTopology "
                           "position='@v.position' tetrahedra='@v.tetrahedra'/><VentricleSurfaces name='s'/></Node>",
                           shapes[i]);
    dvScene *s = check_scene(text, 1);
    for (size_t k = 0; k < DV_COUNT(lists); k++)
      same_lists(check_find(s, "v"), check_find(s, "s"), lists[k], k < 4 ? 3 : 1);
    check_close_scene(&s);
    dv_free(text);
  }
}

// labels decide, whichever way round their triangles are
static void labels_name_surfaces(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene("<Node><DefaultAnimationLoop/><GenerateVentricle name='v' spacing='0.012'/>"
                           "<MeshTopology position='@v.position' tetrahedra='@v.tetrahedra'/></Node>",
                           1);
  const dvInts *wall = dv_object_field(check_find(s, "v"), "leftEndocardium")->value;
  dvText triangles = {0}, labels = {0};
  for (size_t i = 0; i < wall->count; i += 3) {   // every second one is turned round
    const int32_t *t = wall->data + i;
    dv_text_printf(&triangles, "%d %d %d ", t[0], t[i % 2 ? 1 : 2], t[i % 2 ? 2 : 1]);
    dv_text_add(&labels, "4 ");
  }
  char *text = dv_format("<Node><DefaultAnimationLoop/><GenerateVentricle name='v' spacing='0.012'/><MeshTopology "
                         "position='@v.position' tetrahedra='@v.tetrahedra'/><VentricleSurfaces name='s' "
                         "triangles='%s' labels='%s' leftLabels='4' baseAngle='0'/></Node>",
                         triangles.text, labels.text);
  dvScene *t = check_scene(text, 1);
  same_lists(check_find(t, "v"), check_find(t, "s"), "leftEndocardium", 3);
  check_close_scene(&s);
  check_close_scene(&t);
  dv_text_free(&triangles);
  dv_text_free(&labels);
  dv_free(text);
}

static void bad_surfaces_are_told(void **state)
{
  DV_UNUSED(state);
#define SURFACES(fields)                                                                                          \
  "<Node><DefaultAnimationLoop/><GenerateVentricle name='v' spacing='0.012'/><MeshTopology "                      \
  "position='@v.position' tetrahedra='@v.tetrahedra'/><VentricleSurfaces name='s' " fields "/><MechanicalObject " \
  "name='x'/><PressureConstraint triangles='@s.leftEndocardium'/></Node>"
  static const Refusal bad[] = {
      {SURFACES("axis='0 0 0'"), "the axis has no direction"},
      {SURFACES("axis='0 0 -1'"), "no cavity is found"},
      {SURFACES("baseAngle='0'"), "the base has 0 of"},
      {SURFACES("baseAngle='400'"), "400 degrees"},
      {SURFACES("baseFrom='2'"), "begin at 2"},
      {SURFACES("leftLabels='1'"), "0 labels for 0 triangles"},
      {SURFACES("triangles='0 1 2' labels='5' leftLabels='1'"), "no face of the tissue has one of the labels"},
      {SURFACES("tetrahedra='0 1 2 100000'"), ""},
      {"<Node><DefaultAnimationLoop/><VentricleSurfaces name='s'/><MechanicalObject/><PressureConstraint "
       "triangles='@s.leftEndocardium'/></Node>",
       "there are no tetrahedra"},
  };
  report_refused(bad, DV_COUNT(bad));
}

// --- FibreField ---

#define ONE "<MeshTopology name='m' position='0 0 0 1 0 0 0 1 0 0 0 1' tetrahedra='0 1 2 3'/>"

static void fibres_come_from_files_and_points(void **state)
{
  DV_UNUSED(state);
  char *place = check_mkdir(), *file = check_write(place, "fibres.txt", "# one line each\n 0 3 4   # a fibre\n");
  char *text = dv_format("<Node><DefaultAnimationLoop/>" ONE "<FibreField name='a' filename='%s'/>"
                         "<FibreField name='b' vectors='1 0 0 -1 0.1 0 1 -0.1 0 -1 0 0'/></Node>",
                         file);
  dvScene *s = check_scene(text, 1);
  const dvReals *a = dv_object_field(check_find(s, "a"), "fibres")->value,
                *b = dv_object_field(check_find(s, "b"), "fibres")->value;
  assert_int_equal(a->count, 3);
  check_close(a->data[1], 0.6, 1e-12);
  check_close(a->data[2], 0.8, 1e-12);
  check_close(fabs(b->data[0]), 1, 0.01);   // senses do not cancel
  check_close_scene(&s);
  dv_free(text);
  dv_free(file);
  check_rmdir(place);
}

// The angles that are drawn are those of the rule, also where they pass through 90 degrees, which is -90.
static void angles_are_those_of_the_rule(void **state)
{
  DV_UNUSED(state);
  static const char *const rules[2] = {"60 -60", "100 80"};
  for (int n = 0; n < 2; n++) {
    char *text = dv_format("<Node><DefaultAnimationLoop/><GenerateVentricle name='v' layers='4' fibreAngles='%s'/>"
                           "<MeshTopology position='@v.position' tetrahedra='@v.tetrahedra'/>"
                           "<FibreField name='f' vectors='@v.fibres'/></Node>",
                           rules[n]);
    dvScene *s = check_scene(text, 1);
    dvObject *v = check_find(s, "v");
    const dvReals *angle = dv_object_field(check_find(s, "f"), "helixAngle")->value,
                  *depth = dv_object_field(v, "depth")->value, *height = dv_object_field(v, "height")->value;
    assert_int_equal(angle->count, depth->count);
    for (size_t i = 0; i < angle->count; i++) {
      if (height->data[i] < 0.3) continue;
      double off = n ? 90 - fabs(angle->data[i]) : angle->data[i] - (60 - 120 * depth->data[i]);
      assert_true(fabs(off) < 18);   // points of the surface see the inner half of their layer only
    }
    check_close_scene(&s);
    dv_free(text);
  }
}

static void fibres_of_a_vtk_file(void **state)
{
  DV_UNUSED(state);
  char *place = check_mkdir(),
       *file = check_write(
           place, "heart.vtk",
           "# vtk DataFile Version 2.0\nheart\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 4 float\n0 0 0 1 0 0 "
           "0 1 0 0 0 1\nCELLS 1 5\n4 0 1 2 3\nCELL_TYPES 1\n10\nCELL_DATA 1\nVECTORS fibre float\n0 2 0\n");
  char *text = dv_format("<Node><DefaultAnimationLoop/><MeshVTKLoader name='l' filename='%s'/><MeshTopology src='@l'/>"
                         "<FibreField name='f' vectors='@l.fibre'/></Node>",
                         file);
  dvScene *s = check_scene(text, 1);
  const dvReals *f = dv_object_field(check_find(s, "f"), "fibres")->value;
  assert_int_equal(f->count, 3);
  check_close(f->data[1], 1, 1e-12);
  check_close_scene(&s);
  dv_free(text);
  dv_free(file);
  check_rmdir(place);
}

static void bad_fibres_are_told(void **state)
{
  DV_UNUSED(state);
  char *place = check_mkdir(), *words = check_write(place, "words.txt", "1 2 three\n"),
       *odd = check_write(place, "odd.txt", "1 2 3\n4\n");
  const struct {
    const char *fields, *file, *says;
  } bad[] = {{"", NULL, "there are no fibres"},
             {"vectors='0 0 0'", NULL, "no direction"},
             {"vectors='1 0 0 1 0 0'", NULL, "2 directions for 1 tetrahedra with 4 points"},
             {"filename='nowhere.txt'", NULL, "nowhere.txt"},
             {"axis='0 0 0' vectors='1 0 0'", NULL, "the axis"},
             {"filename", words, "line 1"},
             {"filename", odd, "4 numbers"}};
  for (size_t i = 0; i < DV_COUNT(bad); i++) {
    Report r;
    char *fields = bad[i].file ? dv_format("filename='%s'", bad[i].file) : dv_strdup(bad[i].fields);
    char *text = dv_format("<Node><DefaultAnimationLoop/>" ONE "<FibreField %s/></Node>", fields);
    report_start(&r, text);
    assert_int_equal(r.status, DV_ERROR_INPUT);
    report_says(&r, bad[i].says);
    report_end(&r);
    dv_free(fields);
    dv_free(text);
  }
  dv_free(words);
  dv_free(odd);
  check_rmdir(place);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(volumes_are_those_of_ellipsoids),
                                     cmocka_unit_test(fibres_turn_through_the_wall),
                                     cmocka_unit_test(both_ventricles_close),
                                     cmocka_unit_test(right_walls_end_without_a_step),
                                     cmocka_unit_test(right_cavities_have_one_opening),
                                     cmocka_unit_test(fibres_are_smooth),
                                     cmocka_unit_test(segments_cover_the_wall),
                                     cmocka_unit_test(bad_shapes_are_told),
                                     cmocka_unit_test(surfaces_are_found),
                                     cmocka_unit_test(labels_name_surfaces),
                                     cmocka_unit_test(bad_surfaces_are_told),
                                     cmocka_unit_test(fibres_come_from_files_and_points),
                                     cmocka_unit_test(angles_are_those_of_the_rule),
                                     cmocka_unit_test(fibres_of_a_vtk_file),
                                     cmocka_unit_test(bad_fibres_are_told)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

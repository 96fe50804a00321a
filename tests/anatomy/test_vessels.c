// Centrelines of trees whose truth is known (three of them; DIVAN_TREES=30 for more): error, radii, graph; loops, blobs
// and parts; curves near their points with equal directions where they meet; beams by length and by bend.
#include "support/check.h"

#include "anatomy/vessels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 170, STEPS = 1000 };

// --- images of things --------------------------------------------------------------------------

typedef struct Picture {
  dvVoxelLayout layout;
  uint8_t *bytes;
} Picture;

static Picture picture(int n, double size, double origin)
{
  Picture p = {.layout = {.n = {n, n, n}, .size = {size, size, size}, .origin = {origin, origin, origin}, .unit = 1}};
  p.bytes = calloc((size_t)n * (size_t)n, (size_t)n);
  return p;
}

static dvMask mask_of(Picture *p)
{
  dvVoxelLayout l = p->layout;
  dvVoxels image;
  dvMeshError error = {0};
  dvMask m;
  size_t bytes = (size_t)l.n[0] * (size_t)l.n[1] * (size_t)l.n[2];
  assert_int_equal(dv_voxels_decode(&l, (const char *)p->bytes, bytes, &image, &error), DV_OK);
  assert_int_equal(dv_labels_check(&image, 1, &error), DV_OK);
  assert_int_equal(dv_mask_of_label(&m, &image, 1, 1, 1, &error), DV_OK);
  dv_voxels_free(&image);
  free(p->bytes);
  p->bytes = NULL;
  return m;
}

static void paint(Picture *p, bool (*is_in)(dvVec3))
{
  const dvVoxelLayout *l = &p->layout;
  uint8_t *v = p->bytes;
  for (int z = 0; z < l->n[2]; z++)
    for (int y = 0; y < l->n[1]; y++)
      for (int x = 0; x < l->n[0]; x++, v++)
        *v |= is_in(dv_vec3(l->origin[0] + (x + 0.5) * l->size[0], l->origin[1] + (y + 0.5) * l->size[1],
                            l->origin[2] + (z + 0.5) * l->size[2]));
}

// --- trees ---------------------------------------------------------------------------------------

// distance of a point from the curves of a tree; *radius is the tree's there
static double distance_to(const dvVessels *v, dvVec3 x, double *radius)
{
  double best = INFINITY;
  *radius = NAN;
  for (size_t i = 0; i < v->pieces.count; i++)
    for (int k = 0; k <= STEPS; k++) {
      dvVesselPoint p = dv_vessel_piece_at(&v->pieces.data[i], k / (double)STEPS);
      double d = dv_vec3_norm(dv_vec3_sub(p.x, x));
      if (d < best) best = d, *radius = p.radius;
    }
  return best;
}

// the node of the truth that each node stands for: the nearest; each has one
static void match_nodes(const dvVessels *truth, const dvVessels *found, int32_t *match)
{
  uint8_t taken[256] = {0};
  assert_true(truth->nodes.count < 256);
  assert_int_equal(found->nodes.count, truth->nodes.count);
  for (size_t i = 0; i < found->nodes.count; i++) {
    double best = INFINITY;
    for (size_t j = 0; j < truth->nodes.count; j++) {
      double d = dv_vec3_norm(dv_vec3_sub(found->nodes.data[i].x, truth->nodes.data[j].x));
      if (d < best) best = d, match[i] = (int32_t)j;
    }
    assert_false(taken[match[i]]);
    taken[match[i]] = 1;
    assert_int_equal(found->nodes.data[i].degree, truth->nodes.data[match[i]].degree);
  }
}

static void compare_graphs(const dvVessels *truth, const dvVessels *found)
{
  int32_t match[256];
  assert_int_equal(found->branches.count, truth->branches.count);
  match_nodes(truth, found, match);
  for (size_t i = 0; i < found->branches.count; i++) {
    const dvVesselBranch *b = &found->branches.data[i];
    bool known = false;   // with the same direction: from the thickest end on
    for (size_t j = 0; j < truth->branches.count; j++)
      known |= truth->branches.data[j].from == match[b->from] && truth->branches.data[j].to == match[b->to];
    assert_true(known);
    assert_true(b->parent < (int32_t)i);
    if (b->parent >= 0) assert_int_equal(found->branches.data[b->parent].to, b->from);
  }
}

// mean distance from the true centreline over all points, in radii; and of radii
static void measure(const dvVessels *truth, const dvVessels *found, double *distance, double *radius)
{
  *distance = *radius = 0;
  size_t count = 0;
  for (size_t i = 0; i < found->points.count; i += 2, count++) {
    double r, d = distance_to(truth, found->points.data[i].x, &r);
    *distance += d / r;
    *radius += fabs(found->points.data[i].radius - r) / r;
  }
  *distance /= (double)count;
  *radius /= (double)count;
}

static dvVessels grown(uint32_t seed, double bend)
{
  dvVessels truth;
  dv_vessels_grow(&truth, &(dvGrowth){.seed = seed,
                                      .root = {0, 0, -0.07},
                                      .direction = {0.1, 0.2, 1},
                                      .radius = 0.005,
                                      .length = 0.04,
                                      .generations = 3,
                                      .bend = bend,
                                      .thinnest = 0.0018,
                                      .apart = true});
  return truth;
}

static void trees_are_found_again(void **state)
{
  DV_UNUSED(state);
  size_t junctions = 0;
  const char *asked = getenv("DIVAN_TREES");
  uint32_t trees = asked ? (uint32_t)fmin(fmax(strtod(asked, NULL), 3), 1000) : 3;
  for (uint32_t seed = 1; seed <= trees; seed++) {
    dvVessels truth = grown(seed, 0.1 * (1 + (seed - 1) % 3)), found;
    Picture p = picture(SIDE, 0.001, -0.085);
    dvMeshError error = {0};
    dv_vessels_paint(&truth, &p.layout, 1, p.bytes);
    dvMask m = mask_of(&p);
    assert_int_equal(dv_vessels_trace(&found, &m, &error), DV_OK);
    compare_graphs(&truth, &found);
    // where two branches part their voxels may touch again over a corner: a loop, which is told, and no branch
    if (seed <= 3) assert_int_equal(found.loops, 0);
    assert_int_equal(found.roots, 1);
    double distance, radius;
    measure(&truth, &found, &distance, &radius);
    print_message("seed %u: %zu branches, mean distance %.3f radii, radius off by %.3f\n", seed, found.branches.count,
                  distance, radius);
    assert_true(distance < 0.1);
    assert_true(radius < 0.1);
    junctions += (found.branches.count - 1) / 2;
    dv_vessels_free(&truth);
    dv_vessels_free(&found);
    dv_mask_free(&m);
  }
  assert_true(junctions >= 12);   // the trees are trees
}

// thick slices cost exactness, not branches; slices of four voxels' width still find all of them
static void trees_are_found_in_thick_slices(void **state)
{
  DV_UNUSED(state);
  for (int thick = 3; thick <= 4; thick++) {
    dvVessels truth = grown(1, 0.1), found;
    Picture p = picture(SIDE, 0.001, -0.085);
    p.layout.n[2] = SIDE / thick, p.layout.size[2] = 0.001 * thick;
    dvMeshError error = {0};
    dv_vessels_paint(&truth, &p.layout, 1, p.bytes);
    dvMask m = mask_of(&p);
    assert_int_equal(dv_vessels_trace(&found, &m, &error), DV_OK);
    compare_graphs(&truth, &found);
    double distance, radius;
    measure(&truth, &found, &distance, &radius);
    print_message("slices of %d voxels: mean distance %.3f radii, radius off by %.3f\n", thick, distance, radius);
    assert_true(distance < (thick == 3 ? 0.1 : 0.15) && radius < 0.1);
    dv_vessels_free(&truth);
    dv_vessels_free(&found);
    dv_mask_free(&m);
  }
}

// --- other bodies --------------------------------------------------------------------------------

static double ring_distance(dvVec3 x) { return hypot(hypot(x.x, x.y) - 10, x.z); }
static bool in_ring(dvVec3 x) { return ring_distance(x) < 3; }
static bool in_ball(dvVec3 x) { return dv_vec3_norm(x) < 9; }
static bool in_rod(dvVec3 x) { return x.x > -15 && x.x < 14 && hypot(x.y - 0.3 * x.x, x.z) < 3.2; }
static bool in_rods(dvVec3 x) { return fabs(x.x) < 14 && hypot(fabs(x.y) - 8, x.z) < 3; }

static dvMask mask_from(bool (*is_in)(dvVec3))
{
  Picture p = picture(40, 1, -20);
  paint(&p, is_in);
  return mask_of(&p);
}

static void loops_and_parts_are_told(void **state)
{
  DV_UNUSED(state);
  dvVessels v;
  dvMeshError error = {0};
  dvMask m = mask_from(in_ring);
  assert_int_equal(dv_mask_loops(&m), 1);
  assert_int_equal(dv_vessels_trace(&v, &m, &error), DV_OK);
  assert_int_equal(v.loops, 1);
  for (size_t i = 0; i < v.points.count; i++) assert_true(ring_distance(v.points.data[i].x) < 1.5);
  dv_vessels_free(&v);
  dv_mask_free(&m);

  m = mask_from(in_rods);
  assert_int_equal(dv_vessels_trace(&v, &m, &error), DV_OK);
  assert_int_equal(v.roots, 2);
  assert_int_equal(v.branches.count, 2);
  dv_vessels_free(&v);
  dv_mask_free(&m);
}

static void a_blob_has_no_centreline(void **state)
{
  DV_UNUSED(state);
  dvVessels v;
  dvMeshError error = {0};
  dvMask m = mask_from(in_ball);
  assert_int_equal(dv_vessels_trace(&v, &m, &error), DV_ERROR_INPUT);
  assert_non_null(strstr(error.text, "blob"));
  assert_int_equal(v.branches.count, 0);
  dv_mask_free(&m);
}

static void a_rod_is_a_line(void **state)
{
  DV_UNUSED(state);
  dvVessels v;
  dvMeshError error = {0};
  dvMask m = mask_from(in_rod);
  assert_int_equal(dv_vessels_trace(&v, &m, &error), DV_OK);
  assert_int_equal(v.branches.count, 1);
  double sum = 0, slope = 1 / hypot(1, 0.3),
         across = sqrt(slope);   // the section is an ellipse: sqrt of both half axes
  for (size_t i = 0; i < v.points.count; i++) {
    dvVec3 x = v.points.data[i].x;
    sum += hypot((x.y - 0.3 * x.x) * slope, x.z) / (double)v.points.count;
    if (i > 4 && i + 4 < v.points.count) assert_true(fabs(v.points.data[i].radius - 3.2 * across) < 0.2);
  }
  check_close(sum, 0, 0.15);
  dv_vessels_free(&v);
  dv_mask_free(&m);
}

// --- curves --------------------------------------------------------------------------------------

// points on a helix of varying radius
static dvVessels helix(double turns)
{
  dvVessels v = {.roots = 1};
  enum { COUNT = 200 };
  for (int i = 0; i < COUNT; i++) {
    double s = i / (COUNT - 1.0), a = 2 * M_PI * turns * s;
    dv_push(&v.points, ((dvVesselPoint){dv_vec3(10 * cos(a), 10 * sin(a), 20 * s), 2 - s}));
  }
  dv_push(&v.nodes, ((dvVesselNode){v.points.data[0].x, 2, 1}));
  dv_push(&v.nodes, ((dvVesselNode){v.points.data[COUNT - 1].x, 1, 1}));
  dv_push(&v.branches, ((dvVesselBranch){.to = 1, .parent = -1, .count = COUNT, .radius = 1.5}));
  return v;
}

static void curves_are_near_and_smooth(void **state)
{
  DV_UNUSED(state);
  const double shares[] = {0.2, 0.05, 0.005};
  size_t before = 0;
  for (int n = 0; n < 3; n++) {
    dvVessels v = helix(1.5);
    assert_true(dv_vessels_fit(&v, shares[n]));
    assert_true(v.fit_error <= shares[n]);
    assert_true(v.pieces.count > before);
    before = v.pieces.count;
    for (size_t i = 0; i < v.points.count; i++) {
      double r, d = distance_to(&v, v.points.data[i].x, &r);
      assert_true(d <= shares[n] * v.points.data[i].radius + 0.02);   // the search goes in steps
      check_close(r, v.points.data[i].radius, 0.05);
    }
    for (size_t i = 0; i + 1 < v.pieces.count; i++) {
      dvVec3 a = dv_vec3_normalise(dv_vessel_piece_slope(&v.pieces.data[i], 1)),
             b = dv_vec3_normalise(dv_vessel_piece_slope(&v.pieces.data[i + 1], 0));
      check_close(dv_vec3_dot(a, b), 1, 1e-9);
      check_close(dv_vec3_norm(dv_vec3_sub(v.pieces.data[i].c[3].x, v.pieces.data[i + 1].c[0].x)), 0, 1e-12);
    }
    dv_vessels_free(&v);
  }
}

static void check_frames(const dvVesselBeams *b)
{
  for (size_t i = 0; i < b->radius.count; i++) {
    const double *far = b->frames.data + 7 * b->edges.data[2 * i],
                 *near = b->frames.data + 7 * b->edges.data[2 * i + 1];
    dvVec3 along = dv_vec3_normalise(dv_vec3_sub(dv_vec3_load(near), dv_vec3_load(far)));
    check_close(dv_vec3_dot(dv_quat_rotate(dv_quat_load(far + 3), dv_vec3(1, 0, 0)), along), 1, 1e-9);
  }
}

static void beams_follow_the_rule(void **state)
{
  DV_UNUSED(state);
  dvVessels v = helix(1.5);
  dvVesselBeams b;
  assert_true(dv_vessels_fit(&v, 0.02));
  assert_true(dv_vessels_beams(&v, &(dvBeamRule){.longest = 3}, &b));
  for (size_t i = 0; i < b.radius.count; i++) {
    const double *x = b.frames.data + 7 * b.edges.data[2 * i], *y = b.frames.data + 7 * b.edges.data[2 * i + 1];
    assert_true(dv_vec3_norm(dv_vec3_sub(dv_vec3_load(x), dv_vec3_load(y))) <= 3);
    assert_true(b.radius.data[i] > 1 && b.radius.data[i] < 2);
  }
  assert_int_equal(b.frames.count / 7, b.radius.count + 1);
  check_frames(&b);
  dv_vessel_beams_free(&b);
  // the sagitta of a chord of a circle of radius R over an angle a is R (1 - cos(a/2)): here 0.3 at most
  size_t least = (size_t)(3 * M_PI / (2 * acos(1 - 0.2 * 2 / 10.0)));
  assert_true(dv_vessels_beams(&v, &(dvBeamRule){.bend = 0.2}, &b));
  assert_true(b.radius.count >= least);
  check_frames(&b);
  dv_vessel_beams_free(&b);
  dv_vessels_free(&v);
}

static void junctions_are_shared_and_thin_ones_go(void **state)
{
  DV_UNUSED(state);
  dvVessels v = grown(2, 0.1);
  dvVesselBeams b;
  assert_true(dv_vessels_fit(&v, 0.1));
  assert_true(dv_vessels_beams(&v, &(dvBeamRule){.longest = 0.01, .bend = 0.1}, &b));
  assert_int_equal(b.frames.count / 7, b.radius.count + 1);   // a tree: one frame more than beams
  check_frames(&b);
  size_t shared = 0;
  for (size_t f = 0; f < b.frames.count / 7; f++) {
    int uses = 0;
    for (size_t e = 0; e < b.edges.count; e++) uses += b.edges.data[e] == (int32_t)f;
    shared += uses == 3;
  }
  assert_int_equal(shared, (v.branches.count - 1) / 2);
  dv_vessel_beams_free(&b);
  size_t all = v.branches.count;
  assert_true(dv_vessels_prune(&v, 0.0035));
  assert_true(v.branches.count < all && v.branches.count >= 3);
  for (size_t i = 0; i < v.branches.count; i++) assert_true(v.branches.data[i].radius >= 0.0035);
  assert_false(dv_vessels_prune(&v, 1));
  dv_vessels_free(&v);
}

static void the_same_seed_gives_the_same_tree(void **state)
{
  DV_UNUSED(state);
  dvVessels a = grown(5, 0.1), b = grown(5, 0.1), c = grown(6, 0.1);
  assert_int_equal(a.points.count, b.points.count);
  assert_memory_equal(a.points.data, b.points.data, a.points.count * sizeof *a.points.data);
  assert_true(c.points.count != a.points.count ||
              memcmp(a.points.data, c.points.data, a.points.count * sizeof *a.points.data) != 0);
  for (size_t i = 0; i < a.nodes.count; i++) assert_true(a.nodes.data[i].degree == 1 || a.nodes.data[i].degree == 3);
  dv_vessels_free(&a);
  dv_vessels_free(&b);
  dv_vessels_free(&c);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(trees_are_found_again),
      cmocka_unit_test(trees_are_found_in_thick_slices),
      cmocka_unit_test(loops_and_parts_are_told),
      cmocka_unit_test(a_blob_has_no_centreline),
      cmocka_unit_test(a_rod_is_a_line),
      cmocka_unit_test(curves_are_near_and_smooth),
      cmocka_unit_test(beams_follow_the_rule),
      cmocka_unit_test(junctions_are_shared_and_thin_ones_go),
      cmocka_unit_test(the_same_seed_gives_the_same_tree),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

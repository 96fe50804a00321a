// Bodies of voxels: distances through materials, where frames and integration points go, influences that follow the
// stiffness, and frames that deform.
#include "mapping/voxel/material_map.h"
#include "mapping/voxel/shape.h"
#include "support/check.h"
#include "support/fd.h"
#include "support/scene.h"

#include <math.h>
#include <string.h>

#define MAP(attributes) "<MaterialMap name='map' " attributes "/>"
static const char uniform[] =
    MAP("resolution='8 4 4' voxelSize='0.25 0.25 0.25' origin='0 -0.5 -0.5' youngModulus='1000' density='3'");
// the first half of a bar four times as soft as the second
static const char halves[] = MAP("resolution='16 4 4' voxelSize='0.25 0.25 0.25' origin='0 -0.5 -0.5' "
                                 "youngModulus='500 2000' boxes='2 -1 -1 4 1 1' boxMaterials='2'");
static const char line[] =
    "<MechanicalObject name='f' template='%s' position='%s'/><VoxelShapeFunction name='shape' frames='@f'/>";

static const char *identity_of(const char *type)
{
  return strcmp(type, "Rigid3") == 0    ? "0 0 0 1"
         : strcmp(type, "Affine3") == 0 ? "1 0 0 0 1 0 0 0 1"
                                        : "1 0 0 0 1 0 0 0 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0";
}

// frames of a type along x
static char *frames_along(const char *type, const double *x, size_t count)
{
  dvText t = {0};
  for (size_t i = 0; i < count; i++) dv_text_printf(&t, "%.17g 0 0 %s ", x[i], identity_of(type));
  char *text = dv_format(line, type, t.text);
  dv_text_free(&t);
  return text;
}

static dvReals *reals_of(dvScene *s, const char *path, const char *name)
{
  dvField *f = dv_object_field(check_find(s, path), name);
  assert_non_null(f);
  assert_int_equal(dv_field_pull(f), DV_OK);
  return f->value;
}

static double sum_of(const dvReals *r)
{
  double sum = 0;
  for (size_t i = 0; i < r->count; i++) sum += r->data[i];
  return sum;
}

// --- distances -----------------------------------------------------------------------------------

static const dvVoxelGrid *grid_of(dvScene *s)
{
  dvObject *map = check_find(s, "map");
  return dv_material_grid(map, &(dvLink){.target = map}, NULL);
}

static double distance_to(const dvVoxelGrid *g, dvVec3 from, dvVec3 to)
{
  double *d = dv_alloc((dv_voxel_count(g) + 1) * sizeof *d), found;
  assert_true(dv_voxel_distances(g, &from, 1, d, NULL));
  found = d[dv_voxel_nearest(g, to)];
  dv_free(d);
  return found;
}

static void distances_pass_through_materials(void **state)
{
  (void)state;
  dvScene *s =
      check_scene("<Node>" MAP("resolution='8 4 4' voxelSize='0.25 0.25 0.25' origin='0 -0.5 -0.5'") "</Node>", 1);
  const dvVoxelGrid *g = grid_of(s);
  dvVec3 from = {0.3, -0.1, 0.2};
  for (size_t v = 0; v < dv_voxel_count(g); v++) {   // one material: those in space
    dvVec3 to = dv_voxel_centre(g, v);
    check_close(distance_to(g, from, to), dv_vec3_norm(dv_vec3_sub(to, from)), 1e-12);
  }
  check_close_scene(&s);
  // compliances 2.5 and 0.625 of the mean stiffness 1250
  char *text = dv_format("<Node>%s</Node>", halves);
  s = check_scene(text, 1);
  check_close(distance_to(grid_of(s), dv_vec3(0.125, 0.125, 0.125), dv_vec3(3.875, 0.125, 0.125)),
              1.875 * 2.5 + 1.875 * 0.625, 1e-12);
  check_close_scene(&s);
  dv_free(text);
  // around a wall, and to a part that is not connected
  s = check_scene(
      "<Node>" MAP(
          "resolution='9 8 1' voxelSize='1 1 1' boxes='3 -1 -1 4 6 2  7 -1 -1 8 9 2' boxMaterials='0 0'") "</Node>",
      1);
  g = grid_of(s);
  check_close(distance_to(g, dv_vec3(2.5, 0.5, 0.5), dv_vec3(4.5, 0.5, 0.5)), 6 + 2 + 6,
              1e-12);   // turns at centres of voxels, and cuts no corner
  assert_true(distance_to(g, dv_vec3(2.5, 0.5, 0.5), dv_vec3(8.5, 0.5, 0.5)) == INFINITY);
  check_close_scene(&s);
}

// points beside the body belong to the voxel whose centre is nearest
static void the_nearest_voxel_is_found(void **state)
{
  (void)state;
  dvScene *s = check_scene(
      "<Node>" MAP(
          "resolution='9 8 3' voxelSize='1 0.5 2' boxes='3 -1 -1 6 6 4  0 0 0 2 9 9' boxMaterials='0 0'") "</Node>",
      1);
  const dvVoxelGrid *g = grid_of(s);
  for (int i = 0; i < 200; i++) {
    dvVec3 point = {-4 + 0.0937 * i, 7 - 0.0571 * i, -3 + 0.0613 * i};
    double least = INFINITY;
    for (size_t v = 0; v < dv_voxel_count(g); v++)
      least = fmin(least, dv_vec3_norm(dv_vec3_sub(dv_voxel_centre(g, v), point)));
    dvVec3 away = dv_vec3_sub(dv_voxel_centre(g, dv_voxel_nearest(g, point)), point);
    bool inside = fabs(away.x) <= 0.5 && fabs(away.y) <= 0.25 && fabs(away.z) <= 1;
    if (!inside) check_close(dv_vec3_norm(away), least, 1e-12);
  }
  check_close_scene(&s);
}

// --- placement -----------------------------------------------------------------------------------

static void frames_spread_over_the_body(void **state)
{
  (void)state;
  dvScene *s = check_scene(
      "<Node>" MAP("resolution='40 2 2' voxelSize='0.1 0.1 0.1'") "<FrameSampler name='s' template='Affine3' count='4' "
                                                                  "iterations='200'/></Node>",
      1);
  const dvReals *points = reals_of(s, "s", "points");
  const dvReals *position = reals_of(s, "s", "position");
  assert_int_equal(points->count, 12);
  assert_int_equal(position->count, 48);
  bool found[4] = {0};
  for (size_t i = 0; i < 4; i++) {
    check_close(points->data[3 * i + 1], 0.1, 1e-9);
    for (int k = 0; k < 4; k++)
      found[k] = found[k] || fabs(points->data[3 * i] - 0.5 - k) < 0.16;   // about a quarter each: in steps of voxels
    check_close(position->data[12 * i], points->data[3 * i], 0);
    check_close(position->data[12 * i + 3], 1, 0);
    check_close(position->data[12 * i + 4], 0, 0);
  }
  for (int k = 0; k < 4; k++) assert_true(found[k]);
  check_close_scene(&s);
}

static void soft_parts_get_more_frames(void **state)
{
  (void)state;
  dvScene *s =
      check_scene("<Node>" MAP("resolution='40 2 2' voxelSize='0.1 0.1 0.1' youngModulus='100 900' boxes='2 -1 -1 5 1 "
                               "1' boxMaterials='2'") "<FrameSampler name='s' template='Rigid3' count='6' fixed='0.05 "
                                                      "0.05 0.05' iterations='100'/></Node>",
                  1);
  const dvReals *points = reals_of(s, "s", "points");
  int soft = 0;
  check_close(points->data[0], 0.05, 0);
  for (size_t i = 0; i < 6; i++) soft += points->data[3 * i] < 2;
  assert_true(soft >= 4);
  check_close_scene(&s);
}

// volumes, masses, centre and moments are those of the body
static void integration_points_have_the_moments_of_the_body(void **state)
{
  (void)state;
  const double x[3] = {0.25, 1, 1.75};
  char *frames = frames_along("Affine3", x, 3);
  for (int order = 1; order <= 2; order++) {
    char *text =
        dv_format("<Node>%s%s<IntegrationPointSampler name='p' shapeFunction='@shape' count='9' order='%d'/></Node>",
                  uniform, frames, order);
    dvScene *s = check_scene(text, 1);
    const dvReals *at = reals_of(s, "p", "position"), *volume = reals_of(s, "p", "volume"),
                  *moments = reals_of(s, "p", "moments");
    assert_int_equal(volume->count, order == 1 ? 9 : 72);
    check_close(sum_of(volume), 2, 1e-12);
    check_close(sum_of(reals_of(s, "p", "mass")), 6, 1e-12);
    double first[3] = {0}, second[3] = {0}, own[3] = {0};
    for (size_t i = 0; i < volume->count; i++)
      for (size_t k = 0; k < 3; k++)
        first[k] += volume->data[i] * at->data[3 * i + k],
            second[k] += volume->data[i] * at->data[3 * i + k] * at->data[3 * i + k];
    for (size_t i = 0; i < 9; i++)
      for (size_t k = 0; k < 3; k++) own[k] += moments->data[6 * i + k];
    const double inertia[3] = {8.0 / 3, 2.0 / 12, 2.0 / 12};
    for (int k = 0; k < 3; k++) {
      check_close(first[k], k == 0 ? 2 : 0, 1e-12);
      check_close(second[k] + (order == 1 ? own[k] : 0), inertia[k], 1e-12);
    }
    check_close_scene(&s);
    dv_free(text);
  }
  dv_free(frames);
}

// --- influences ----------------------------------------------------------------------------------

static void influences_are_hats_in_one_material(void **state)
{
  (void)state;
  const double x[3] = {0.3, 1.1, 1.7};
  char *frames = frames_along("Rigid3", x, 3), *text = dv_format("<Node>%s%s</Node>", uniform, frames);
  dvScene *s = check_scene(text, 1);
  const dvObject *shape = check_find(s, "shape");
  static const double places[][4] = {{0.3, 1, 0, 0},        {1.1, 0, 1, 0},  {0.5, 0.75, 0.25, 0},
                                     {1.25, 0, 0.75, 0.25}, {0.02, 1, 0, 0}, {1.99, 0, 0, 1}};
  for (size_t i = 0; i < DV_COUNT(places); i++) {
    dvInfluence list[3];
    assert_true(dv_voxel_shape_at(shape, dv_vec3(places[i][0], 0.33, -0.47), list));
    for (int k = 0; k < 3; k++) check_close(list[k].w, places[i][1 + k], 1e-12);
    check_close(list[0].slope.x + list[1].slope.x + list[2].slope.x, 0, 1e-12);
    if (i == 2) check_close(list[0].slope.x, -1 / 0.8, 1e-12);
    check_close(list[1].slope.y, 0, 1e-12);
  }
  check_close_scene(&s);
  dv_free(frames);
  dv_free(text);
}

// between two frames the strain of each material is that of springs in series
static void stiff_material_takes_less_of_the_strain(void **state)
{
  (void)state;
  char *frames = dv_format(line, "Rigid3", "0.125 0.125 0.125 0 0 0 1 3.875 0.125 0.125 0 0 0 1"),
       *text = dv_format("<Node>%s%s</Node>", halves, frames);
  dvScene *s = check_scene(text, 1);
  dvInfluence list[2];
  dv_voxel_shape_at(check_find(s, "shape"), dv_vec3(1.1, 0.125, 0.125), list);
  check_close(list[1].slope.x, 4 / 5.0 / 1.875, 1e-9);
  check_close(list[1].w, (1.1 - 0.125) * 4 / 5.0 / 1.875, 1e-9);
  dv_voxel_shape_at(check_find(s, "shape"), dv_vec3(3.1, 0.125, 0.125), list);
  check_close(list[1].slope.x, 1 / 5.0 / 1.875, 1e-9);
  for (int i = 0; i < 8; i++) {   // beside the face between the two as well, where the weight has a kink
    double x = 1.78 + 0.06 * i, w = x < 2 ? (x - 0.125) * 4 : 1.875 * 4 + x - 2;
    dv_voxel_shape_at(check_find(s, "shape"), dv_vec3(x, 0.125, 0.125), list);
    check_close(list[1].slope.x, (x < 2 ? 4 : 1) / 5.0 / 1.875, 1e-9);
    check_close(list[1].w, w / 5 / 1.875, 1e-9);
  }
  check_close_scene(&s);
  dv_free(frames);
  dv_free(text);
}

// in two materials and with frames off the axis: weights add up to 1, and gradients are the slopes of points
static void slopes_are_those_of_the_weights(void **state)
{
  (void)state;
  char *text = dv_format("<Node>%s<MechanicalObject name='f' template='Rigid3' position='0.4 0.2 0.1 0 0 0 1 1.6 -0.3 "
                         "0 0 0 0 1 2.9 0.1 0.3 0 0 0 1 3.4 -0.2 -0.2 0 0 0 1'/>"
                         "<VoxelShapeFunction name='shape' frames='@f'/></Node>",
                         halves);
  dvScene *s = check_scene(text, 1);
  const dvObject *shape = check_find(s, "shape");
  const double h = 1e-6;
  for (int i = 0; i < 60; i++) {
    dvVec3 at = {0.051 + 0.0653 * i, -0.45 + 0.0137 * i, 0.45 - 0.0141 * i};
    dvInfluence here[4], low[4], high[4];
    assert_true(dv_voxel_shape_at(shape, at, here));
    double sum = 0;
    for (int k = 0; k < 4; k++) sum += here[k].w;
    check_close(sum, 1, 1e-12);
    dv_voxel_shape_at(shape, dv_vec3(at.x - h, at.y, at.z), low);
    dv_voxel_shape_at(shape, dv_vec3(at.x + h, at.y, at.z), high);
    for (int k = 0; k < 4; k++) check_close(here[k].slope.x, (high[k].w - low[k].w) / (2 * h), 1e-6);
  }
  check_close_scene(&s);
  dv_free(text);
}

// --- frames that deform --------------------------------------------------------------------------

static const double a[9] = {1.1, 0.2, 0, -0.1, 0.9, 0.3, 0.05, 0.1, 1.2},
                    shift[3] = {0.3, -1, 2};   // an affine field, row by row

// gives every frame the motion x -> A x + shift, in its own coordinates
static void move_frames(dvScene *s, const char *path)
{
  dvState *f = dv_state(check_find(s, path));
  size_t width = (size_t)f->base.dof->coord;
  const double *rest = dv_state_read(f, DV_X_REST);
  double *x = dv_state_write(f, DV_X);
  for (size_t i = 0; i < f->count; i++)
    for (size_t column = 0; column < width / 3; column++)
      for (size_t r = 0; r < 3; r++) {
        double sum = column == 0 ? shift[r] : 0;
        for (size_t k = 0; k < 3; k++) sum += a[3 * r + k] * rest[i * width + 3 * column + k];
        x[i * width + 3 * column + r] = sum;
      }
}

static void apply_again(dvScene *s, const char *path)
{
  dvObject *map = check_find(s, path);
  ((const dvMappingOps *)dv_ops(map, DV_ROLE_MAPPING))->apply(map, DV_X, DV_X);
}

// whatever the influences: points follow, gradients are A everywhere, and the energy is that of a uniform strain
static void an_affine_motion_is_exact(void **state)
{
  (void)state;
  static const char *const types[] = {"Affine3", "Quadratic3"}, *const shapes[] = {"shape='Shepard' power='3'",
                                                                                   "shape='Lines'",
                                                                                   "shapeFunction='@../shape'"};
  const double x[3] = {0.3, 1.1, 1.7};
  for (size_t t = 0; t < DV_COUNT(types); t++)
    for (size_t k = 0; k < DV_COUNT(shapes); k++) {
      char *frames = frames_along(types[t], x, 3);
      char *text = dv_format("<Node>%s%s<IntegrationPointSampler name='s' shapeFunction='@shape' count='7' order='2'/>"
                             "<Node name='p'><MechanicalObject name='p' position='0.2 0.1 0.3 1.3 -0.4 0.2 2.5 0.7 "
                             "0'/><FrameBlendingMapping name='m' %s/></Node>"
                             "<Node name='g'><MechanicalObject name='g'/><FrameBlendingMapping name='m' gradients='1' "
                             "integrationPoints='@../s.position' %s/>"
                             "<GreenLagrangeForceField name='ff' youngModulus='1000' poissonRatio='0.25' "
                             "volume='@../s.volume'/></Node></Node>",
                             uniform, frames, shapes[k], shapes[k]);
      dvScene *s = check_scene(text, 1);
      move_frames(s, "f");
      apply_again(s, "p/m");
      apply_again(s, "g/m");
      const double rest[9] = {0.2, 0.1, 0.3, 1.3, -0.4, 0.2, 2.5, 0.7, 0};
      for (size_t i = 0; i < 9; i++) {
        const double *r = rest + i / 3 * 3, *row = a + i % 3 * 3;
        check_close(check_value(s, "p/p", DV_X, i), shift[i % 3] + row[0] * r[0] + row[1] * r[1] + row[2] * r[2],
                    1e-12);
      }
      dvMat3 f = dv_mat3_load(a), e = dv_mat3_scale(dv_mat3_sub(dv_mat3_t_mul(f, f), dv_mat3_identity()), 0.5);
      double mu = 400, lambda = 400, trace = dv_mat3_trace(e),
             density = mu * dv_mat3_trace(dv_mat3_t_mul(e, e)) + 0.5 * lambda * trace * trace;
      size_t numbers = dv_state_scalars(dv_state(check_find(s, "g/g")), DV_X);
      for (size_t i = 0; i < numbers; i++) check_close(check_value(s, "g/g", DV_X, i), a[i % 3 * 3 + i / 3 % 3], 1e-11);
      check_close(fd_energy_of(check_find(s, "g/ff")), 2 * density, 1e-10 * density);
      check_close_scene(&s);
      dv_free(frames);
      dv_free(text);
    }
}

// a frame that is not upright at rest describes the same points
static void frames_may_be_skewed_at_rest(void **state)
{
  (void)state;
  dvScene *s = check_scene("<Node><MechanicalObject name='f' template='Affine3' position='1 2 0  2 0 0.5  0 1 0  0.3 0 "
                           "1'/><Node name='p'><MechanicalObject name='p' position='0.2 0.1 0.3 1.3 -0.4 0.2'/>"
                           "<FrameBlendingMapping/></Node></Node>",
                           1);
  const double rest[6] = {0.2, 0.1, 0.3, 1.3, -0.4, 0.2};
  for (size_t i = 0; i < 6; i++) check_close(check_value(s, "p/p", DV_X, i), rest[i], 1e-12);
  check_close_scene(&s);
}

// the closed form of a bar that is pulled: with Poisson's ratio, which rigid frames cannot follow
static void a_bar_stretches_as_its_material(void **state)
{
  (void)state;
  const double x[3] = {0.25, 1, 1.75};
  char *frames = frames_along("Affine3", x, 3);
  char *text =
      dv_format("<Node gravity='0 0 0'><DefaultAnimationLoop/>%s<Node name='bar'><StaticSolver/><NewtonRaphsonSolver "
                "maxNbIterationsNewton='10' warnWhenLineSearchFails='0'/><SparseLDLSolver/>%s"
                "<PartialFixedProjectiveConstraint indices='0' fixedDirections='1 1 1  0 1 1  1 0 1  1 1 0'/>"
                "<IntegrationPointSampler name='s' shapeFunction='@shape' count='4' order='2'/><Node "
                "name='g'><MechanicalObject name='g'/>"
                "<FrameBlendingMapping gradients='1' integrationPoints='@../s.position' shapeFunction='@../shape'/>"
                "<GreenLagrangeForceField youngModulus='@../s.youngModulus' poissonRatio='@../s.poissonRatio' "
                "volume='@../s.volume' strain='Corotational'/></Node>"
                "<Node name='end'><MechanicalObject name='end' position='2 0.5 0.5 2 -0.5 0.5 2 0.5 -0.5 2 -0.5 -0.5  "
                "0 0.5 0.5 0 -0.5 0.5 0 0.5 -0.5 0 -0.5 -0.5'/><FrameBlendingMapping shapeFunction='@../shape'/>"
                "<ConstantForceField totalForce='50 0 0' indices='0 1 2 3'/><ConstantForceField totalForce='-50 0 0' "
                "indices='4 5 6 7'/></Node></Node></Node>",
                uniform, frames);
  dvScene *s = check_scene(text, 1);
  check_steps(s, 3);
  check_close(check_value(s, "bar/end/end", DV_X, 0), 0.25 + 1.75 * 1.05, 1e-6);
  check_close(check_value(s, "bar/end/end", DV_X, 1), 0.5 * (1 - 0.3 * 0.05), 1e-6);
  check_close_scene(&s);
  dv_free(frames);
  dv_free(text);
}

static void mistakes_are_told(void **state)
{
  (void)state;
  assert_true(fd_fails("<Node>" MAP("resolution='0 1 1'") "<FrameSampler name='s'/><MechanicalObject template='Rigid3' "
                                                          "position='@s.position'/></Node>"));
  assert_true(
      fd_fails("<Node>" MAP("resolution='2 1 1' values='3'") "<FrameSampler name='s'/><MechanicalObject "
                                                             "template='Rigid3' position='@s.position'/></Node>"));
  assert_true(fd_fails("<Node>" MAP("resolution='2 1 1'") "<FrameSampler name='s' count='3'/><MechanicalObject "
                                                          "template='Rigid3' position='@s.position'/></Node>"));
  assert_true(
      fd_fails("<Node><FrameSampler name='s'/><MechanicalObject template='Rigid3' position='@s.position'/></Node>"));
  assert_true(fd_fails("<Node>" MAP(
      "resolution='3 1 1' boxes='1 0 0 2 1 1' boxMaterials='0'") "<MechanicalObject template='Rigid3' position='0 0 0 "
                                                                 "0 0 0 1'/><VoxelShapeFunction/></Node>"));
  assert_true(fd_fails("<Node><MechanicalObject template='Affine3' position='0 0 0 1 0 0 1 0 0 0 0 "
                       "1'/><Node><MechanicalObject/><FrameBlendingMapping/></Node></Node>"));
  assert_true(fd_fails("<Node><MechanicalObject template='Affine3' position='0 0 0 1 0 0 0 1 0 0 0 "
                       "1'/><Node><MechanicalObject/><FrameBlendingMapping shape='Voxels'/></Node></Node>"));
  assert_true(
      fd_fails("<Node><MechanicalObject template='Affine3' position='0 0 0 1 0 0 0 1 0 0 0 1'/><UniformMass/></Node>"));
}

// an image of two materials around a hole, by way of the loader
static void maps_come_from_images(void **state)
{
  DV_UNUSED(state);
  static const char image[] = {1, 1, 1, 2, 9, 2, 1, 9, 1, 2, 2, 2, 0};   // 3 x 2 x 2, 9 is the hole
  char *directory = check_mkdir(), *path = check_write(directory, "image.raw", image);
  char *text =
      dv_format("<Node><VoxelGridLoader name='l' filename='%s' resolution='3 2 2' voxelSize='0.5 0.5 0.5' bgValue='9'/>"
                "<MaterialMap name='map' resolution='3 2 2' voxelSize='0.5 0.5 0.5' voxels='@l.idxInRegularGrid' "
                "values='@l.voxelValues' youngModulus='10 30'/></Node>",
                path);
  dvScene *s = check_scene(text, 1);
  const dvVoxelGrid *g = grid_of(s);
  assert_int_equal(dv_voxel_count(g), 10);
  size_t v = 0;
  for (size_t i = 0; i < 12; i++) {
    if (image[i] == 9) continue;
    assert_int_equal(g->place.data[v], i);
    assert_int_equal(g->material.data[v], image[i] - 1);
    check_close(g->compliance.data[v], 20.0 / (image[i] == 1 ? 10 : 30), 1e-12);   // five of each: the mean is 20
    v++;
  }
  check_close(((const double *)dv_object_field(check_find(s, "map"), "volume")->value)[0], 10 * 0.125, 1e-12);
  check_close_scene(&s);
  check_rmdir(directory);
  dv_free(text);
  dv_free(path);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(distances_pass_through_materials),
      cmocka_unit_test(the_nearest_voxel_is_found),
      cmocka_unit_test(frames_spread_over_the_body),
      cmocka_unit_test(soft_parts_get_more_frames),
      cmocka_unit_test(integration_points_have_the_moments_of_the_body),
      cmocka_unit_test(influences_are_hats_in_one_material),
      cmocka_unit_test(stiff_material_takes_less_of_the_strain),
      cmocka_unit_test(slopes_are_those_of_the_weights),
      cmocka_unit_test(an_affine_motion_is_exact),
      cmocka_unit_test(frames_may_be_skewed_at_rest),
      cmocka_unit_test(a_bar_stretches_as_its_material),
      cmocka_unit_test(maps_come_from_images),
      cmocka_unit_test(mistakes_are_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

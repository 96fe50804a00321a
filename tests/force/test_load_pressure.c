// Loads on the elements of a mesh.
#include "support/check.h"
#include "support/fd.h"

#include "base/text.h"

#include <string.h>

static const double *force_of(const fdScene *s) { return fd_force_on(fd_find(s, "ff"), fd_find(s, "dofs")); }

static fdScene open_square(const char *force)
{
  char *text = dv_format(
      "<Node><MechanicalObject name='dofs' position='0 0 0  2 0 0  2 1 0  0 1 0'/>"
      "<MeshTopology name='mesh' edges='0 1  1 2  2 3  3 0  0 2' triangles='0 1 2  0 2 3' quads='0 1 2 3'/>%s</Node>",
      force);
  fdScene s = fd_open(text);
  dv_free(text);
  return s;
}

// pressure times area, a share for each point
static void loads_per_area(void **state)
{
  DV_UNUSED(state);
  fdScene s = open_square("<TrianglePressureForceField name='ff' triangleList='1' pressure='0 0 3'/>");
  check_close(force_of(&s)[2], 1, 1e-14);
  check_close(force_of(&s)[5], 0, 0);
  check_close(force_of(&s)[11], 1, 1e-14);
  fd_close(&s);
  s = open_square("<QuadPressureForceField name='ff' quadList='0' pressure='0 0 3'/>");
  for (int i = 0; i < 4; i++) check_close(force_of(&s)[3 * i + 2], 1.5, 1e-14);
  fd_close(&s);
  s = open_square("<QuadPressureForceField name='ff' normal='0 1 0' dmin='-1' dmax='2' pressure='0 0 3'/>");
  check_close(force_of(&s)[2], 1.5, 1e-14);
  fd_close(&s);
}

// a stress of p times the identity is a pressure along the present normals
static void stress_on_triangles(void **state)
{
  DV_UNUSED(state);
  fdScene s = open_square(
      "<TrianglePressureForceField name='ff' triangleList='0 1' useConstantForce='0' cauchyStress='3 0 3 0 0 3'/>");
  check_close(force_of(&s)[2], 2, 1e-14);   // two triangles of area 1
  check_close(force_of(&s)[5], 1, 1e-14);
  fd_close(&s);
}

static void loads_per_length(void **state)
{
  DV_UNUSED(state);
  fdScene s = open_square("<EdgePressureForceField name='ff' edges='0 1' pressure='0 0 5'/>");
  check_close(force_of(&s)[2], 5, 1e-14);
  check_close(force_of(&s)[5], 5, 1e-14);
  check_close(force_of(&s)[8], 0, 0);
  fd_close(&s);
  // border edge 0 - 1, length 2: towards the inside, which is +y
  s = open_square("<EdgePressureForceField name='ff' edgeIndices='0' p_intensity='3'/>");
  check_close(force_of(&s)[1], 3, 1e-14);
  fd_close(&s);
  // binormal times edge: z x x = y
  s = open_square("<EdgePressureForceField name='ff' edgeIndices='0' p_intensity='-3' binormal='0 0 1'/>");
  check_close(force_of(&s)[1], -3, 1e-14);
  fd_close(&s);
}

#define CLOSED                                                                  \
  "<Node><MechanicalObject name='dofs' position='0 0 0  1 0 0  0 1 0  0 0 1'/>" \
  "<MeshTopology triangles='0 2 1  0 1 3  0 3 2  1 2 3'/>"

// pressure in a closed surface: no net force, and the exact derivative
static void pressure_follows_the_surface(void **state)
{
  DV_UNUSED(state);
  fdScene s = fd_open(CLOSED "<SurfacePressureForceField name='ff' pressure='6'/></Node>");
  const double *f = force_of(&s);
  for (int k = 0; k < 3; k++) check_close(f[k] + f[3 + k] + f[6 + k] + f[9 + k], 0, 1e-13);
  check_close(f[3], 1, 1e-13);   // the volume grows by 1/6 when this corner moves along x
  fdOptions o = fd_options();
  o.checks |= FD_SYMMETRY;
  assert_true(fd_check_force(fd_find(&s, "ff"), &o));
  fd_close(&s);
}

static void pressure_in_a_box_and_quads(void **state)
{
  DV_UNUSED(state);
  fdScene s = open_square("<SurfacePressureForceField name='ff' pressure='6' min='-1 -1 -1' max='1 3 1'/>");
  for (int i = 0; i < 12; i++) check_close(force_of(&s)[i], 0, 0);   // no element is inside with all its points
  fd_close(&s);
  // two triangles and the same area as a quad: 6 x 4 in all
  s = open_square("<SurfacePressureForceField name='ff' pressure='6'/>");
  const double *f = force_of(&s);
  check_close(f[2] + f[5] + f[8] + f[11], 24, 1e-12);
  fd_close(&s);
}

static void pulse(void **state)
{
  DV_UNUSED(state);
  fdScene s = fd_open(
      "<Node dt='0.5'><MechanicalObject name='dofs' position='0 0 0  1 0 0  0 1 0'/><MeshTopology triangles='0 1 2'/>"
      "<SurfacePressureForceField name='ff' pressure='6' pulseMode='1' pressureSpeed='6' "
      "pressureLowerBound='0'/></Node>");
  static const double wanted[] = {3, 6, 3, 0, 3, 6};
  dvObject *ff = fd_find(&s, "ff");
  for (size_t i = 0; i < DV_COUNT(wanted); i++) {
    for (int k = 0; k < 2; k++) check_close(force_of(&s)[2] * 6, wanted[i], 1e-13);
    ff->cls->end_step(ff);
  }
  fd_close(&s);
}

// the fluid: pressure by Tait's law, exact derivative, energy stored in the volume
static void fluid_in_a_surface(void **state)
{
  DV_UNUSED(state);
  fdScene s = fd_open(CLOSED "<TaitSurfacePressureForceField name='ff' B='10' gamma='5' p0='2'/></Node>");
  dvObject *ff = fd_find(&s, "ff");
  force_of(&s);
  check_close(*(double *)dv_object_field(ff, "initialVolume")->value, 1.0 / 6, 1e-14);
  check_close(*(double *)dv_object_field(ff, "currentPressure")->value, 2, 1e-12);
  // one corner moved out by half: volume times 1.5
  dv_state_write(dv_state(fd_find(&s, "dofs")), DV_X)[3] = 1.5;
  force_of(&s);
  check_close(*(double *)dv_object_field(ff, "currentPressure")->value, 2 - 10 * (pow(1.5, 5) - 1), 1e-12);
  fdOptions o = fd_options();
  o.checks |= FD_SYMMETRY;
  o.move_x = 0.02;
  assert_true(fd_check_force(ff, &o));
  fd_close(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(loads_per_area),
      cmocka_unit_test(stress_on_triangles),
      cmocka_unit_test(loads_per_length),
      cmocka_unit_test(pressure_follows_the_surface),
      cmocka_unit_test(pressure_in_a_box_and_quads),
      cmocka_unit_test(pulse),
      cmocka_unit_test(fluid_in_a_surface),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

// Lattices on a device of OpenCL (PoCL runs on any processor) beside the processor's own kernels, to rounding; what
// happens where there is none. Without a device, and with sanitizers (drivers leak), only the latter.
#include "support/check.h"
#include "support/scene.h"

#include "io/record/snapshot.h"
#include "lattice/spring_lattice.h"

#include <stdlib.h>
#include <string.h>

// The scene asks for all that kernels do: regions with cubic terms, damping and actuators, a floor and a ball with
// friction, guides, drag, a load.
static dvScene *make(bool grid, const char *precision, const char *how, const char *more, const char *device)
{
  // where positions move before velocities, a mass that rests on a wall is this side of it or that side by rounding
  const char *contacts =
      strstr(how, "symplectic")
          ? ""
          : "<LatticeContact plane='0 1 0 0' staticFriction='0.6' kineticFriction='0.4'/>"
            "<LatticeContact centre='0.3 -0.45 0.1' radius='0.46' staticFriction='0.3' kineticFriction='0.2'/>";
  char *text = dv_format(
      "<Node dt='0.002' gravity='0 -9.81 0'><DefaultAnimationLoop/>"
      "<VoxelLattice name='v' cell='0.05' boxes='0 0.001 0 0.9 0.2 0.15'/>"
      "<TransformEngine name='t' input_position='@v.position' rotation='0 %d 0'/>"
      "<MechanicalObject name='dofs' position='@t.output_position'/>"
      "<SpringLattice name='lattice' springs='@v.edges' weights='@v.weights' shares='@v.shares' volume='@v.volume' "
      "youngModulus='2e4' massDensity='1000' precision='%s' substeps='4' rayleighMass='0.5' drag='0.02' %s "
      "device='%s'/>"
      "<BoxROI name='left' box='-1 -1 -1 0.31 1 1' position='@v.position'/>"
      "<BoxROI name='right' box='0.59 -1 -1 1 1 1' position='@v.position'/>"
      "<BoxROI name='end' box='0.89 -1 -1 1 1 1' position='@v.position'/>"
      "<LatticeMaterial indices='@left.indices' youngModulus='1e4' %s/>"
      "<LatticeActuator indices='@right.indices' length='1 + 0.1 * sin(40 * t)'/>"
      "%s"
      "<LatticeGuide indices='@end.indices' kind='direction' axis='1 1 0'/>"
      "<ConstantForceField indices='0 1' forces='0.5 0 0 0 0 0.5'/></Node>",
      grid ? 0 : 7, precision, how, device, more, contacts);   // a grid that is turned is none
  dvScene *s = check_scene(text, 2);
  dv_free(text);
  return s;
}

static const dvSpringLattice *lattice_of(dvScene *s) { return (const dvSpringLattice *)check_find(s, "lattice"); }

static bool has_device(void)
{
#ifdef __SANITIZE_ADDRESS__
  return false;
#else
  dvScene *s = make(true, "float", "", "", "opencl");
  bool there = lattice_of(s)->device_of != NULL;
  check_close_scene(&s);
  return there;
#endif
}

// after 15 steps of four iterations, over how far masses have come
static void compare(bool grid, const char *precision, const char *how, const char *more, double tolerance)
{
  dvScene *s[2] = {make(grid, precision, how, more, "cpu"), make(grid, precision, how, more, "opencl")};
  assert_non_null(lattice_of(s[1])->device_of);
  assert_int_equal(lattice_of(s[0])->lattice->grid, grid);
  for (int k = 0; k < 2; k++) check_steps(s[k], 15);
  dvState *a = dv_state(check_find(s[0], "dofs")), *b = dv_state(check_find(s[1], "dofs"));
  const double *rest = dv_state_read(a, DV_X_REST);
  double moved = 0, x = 0, v = 0, fastest = 0;
  for (size_t i = 0; i < 3 * a->count; i++) {
    moved = fmax(moved, fabs(dv_state_read(a, DV_X)[i] - rest[i]));
    x = fmax(x, fabs(dv_state_read(a, DV_X)[i] - dv_state_read(b, DV_X)[i]));
    v = fmax(v, fabs(dv_state_read(a, DV_V)[i] - dv_state_read(b, DV_V)[i]));
    fastest = fmax(fastest, fabs(dv_state_read(a, DV_V)[i]));
  }
  print_message("%s, %s, %s: positions differ by %.1e, velocities by %.1e\n", grid ? "grid" : "list", precision, how,
                x / moved, v / fastest);
  assert_true(moved > 1e-3 && x < tolerance * moved && v < tolerance * fastest);
  assert_int_equal(lattice_of(s[0])->brokenSprings, lattice_of(s[1])->brokenSprings);
  for (int k = 0; k < 2; k++) check_close_scene(&s[k]);
}

static void as_the_processor(void **state)
{
  DV_UNUSED(state);
  if (!has_device()) skip();
  static const char *const schemes[] = {"integrator='euler'", "integrator='euler' symplectic='0'",
                                        "integrator='verlet'", "integrator='rk4'"};
  for (int k = 0; k < 4; k++) {
    compare(true, "double", schemes[k], "", 1e-11);
    compare(true, "float", schemes[k], "", 1e-4);
  }
  compare(false, "double", schemes[2], "", 1e-11);
  compare(false, "float", schemes[2], "", 1e-4);
  compare(true, "double", schemes[2], "damping='0.02' cubic='3'", 1e-10);
  compare(false, "double", schemes[3], "damping='0.02' cubic='3'", 1e-10);
}

static void springs_break(void **state)
{
  DV_UNUSED(state);
  if (!has_device()) skip();
  dvScene *s = make(true, "double", "breakStrain='0.02'", "breakStrain='0.02'", "opencl");
  check_steps(s, 15);
  assert_true(lattice_of(s)->brokenSprings > 0);
  check_close_scene(&s);
  compare(true, "double", "breakStrain='0.02'", "breakStrain='0.02'", 1e-9);
  compare(false, "double", "breakStrain='0.02'", "breakStrain='0.02'", 1e-9);
}

// the state is where it always is: a snapshot leads to the same bits
static void goes_on_from_snapshots(void **state)
{
  DV_UNUSED(state);
  if (!has_device()) skip();
  dvScene *s = make(true, "float", "breakStrain='0.02'", "", "opencl");
  check_steps(s, 8);
  size_t length;
  void *bytes = dv_snapshot_pack(s, &length);
  assert_non_null(bytes);
  check_steps(s, 7);
  uint64_t there = dv_scene_hash(s);
  assert_int_equal(dv_snapshot_unpack(s, bytes, length, "memory"), DV_OK);
  check_steps(s, 7);
  assert_true(dv_scene_hash(s) == there);
  dv_free(bytes);
  check_close_scene(&s);
}

static void falls_back(void **state)
{
  DV_UNUSED(state);
  const char *before = getenv("DIVAN_OPENCL");
  char *kept = dv_strdup(before);
  setenv("DIVAN_OPENCL", "off", 1);
  dvScene *s[2] = {make(true, "float", "", "", "cpu"), make(true, "float", "", "", "opencl")};
  if (kept) setenv("DIVAN_OPENCL", kept, 1);
  else unsetenv("DIVAN_OPENCL");
  dv_free(kept);
  assert_null(lattice_of(s[1])->device_of);
  assert_int_equal(s[0]->context->log.counts[DV_WARNING], 0);
  assert_int_equal(s[1]->context->log.counts[DV_WARNING], 1);
  for (int k = 0; k < 2; k++) check_steps(s[k], 5);
  assert_true(dv_scene_hash(s[0]) == dv_scene_hash(s[1]));   // the processor's bits
  for (int k = 0; k < 2; k++) check_close_scene(&s[k]);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(as_the_processor), cmocka_unit_test(springs_break),
                                     cmocka_unit_test(goes_on_from_snapshots), cmocka_unit_test(falls_back)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

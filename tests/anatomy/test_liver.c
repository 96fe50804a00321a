// Vessels stiffen an organ along their axis: a bar with a fibre, in closed form, and the liver of scenes/anatomy; whose
// procedure is played with the same bits for any number of threads (DIVAN_LIVER=1: to its end), keeps volume and mass,
// and bears hostile hands (DIVAN_SOAK=600: for ten minutes of the scene's time).
#include "support/check.h"
#include "support/numbers.h"
#include "support/scene.h"

#include "base/file.h"
#include "base/random.h"
#include "divan/divan.h"
#include "io/mesh/write_mesh.h"
#include "state/state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FOLDER DIVAN_SOURCE_DIR "/scenes/anatomy/liver"

static double potential_of(dvScene *s)
{
  dvMech m = {.x = DV_X, .v = DV_V, .f = DV_F, .dx = DV_DX, .df = DV_DF, .dt = s->root->dt, .time = s->root->time};
  double kinetic, potential;
  dv_mech_energy(s->plan, &m, &kinetic, &potential);
  return potential;
}

// A bar of length 6 and section 1, Poisson's ratio 0, stretched by its end: the energy is (E A + E_f A_f) e^2 L / 2
// with a fibre of stiffness E_f and section A_f along all of it, whatever its way between the ends of the cells.
static double energy_with(const char *fibre)
{
  dvText text = {0};
  dv_text_printf(
      &text,
      "<Node dt='1' gravity='0 0 0'><DefaultAnimationLoop/><Node name='Bar'><EulerImplicitSolver/>"
      "<SparseLDLSolver/><RegularGridTopology name='grid' n='7 3 3' min='0 -0.5 -0.5' max='6 0.5 0.5'/>"
      "<MechanicalObject name='points'/><UniformMass totalMass='0.001'/>"
      "<TetrahedronFEMForceField youngModulus='1000' poissonRatio='0' method='large'/>"
      "<BoxROI name='left' box='-0.1 -1 -1 0.1 1 1'/><BoxROI name='right' box='5.9 -1 -1 6.1 1 1'/>"
      "<FixedProjectiveConstraint indices='@left.indices'/>"
      "<LinearMovementProjectiveConstraint indices='@right.indices' keyTimes='0 1 1000' movements='0 0 0  6e-5 0 0  "
      "6e-5 "
      "0 0'/>%s</Node></Node>",
      fibre);
  dvScene *scene = check_scene(text.text, 1);
  check_steps(scene, 40);
  double energy = potential_of(scene);
  check_close_scene(&scene);
  dv_text_free(&text);
  return energy;
}

static void a_vessel_stiffens_along_its_axis(void **state)
{
  DV_UNUSED(state);
  const double strain = 1e-5, length = 6;   // small: rotations of elements are of second order
  double plain = energy_with("");
  check_close(plain, 1000 * strain * strain * length / 2, 1e-5 * plain);
  // a tube a thousand times as stiff as the bar: outer radius 0.1, inner 0.08
  double area = M_PI * (0.1 * 0.1 - 0.08 * 0.08);
  double with =
      energy_with("<Node><MechanicalObject name='frames' template='Rigid3' position='0 0.1 0.2 0 0 0 1  1.3 0.1 0.2 0 "
                  "0 0 1  3 0.1 0.2 0 0 0 1  4.9 0.1 0.2 0 0 0 1  6 0.1 0.2 0 0 0 1'/><MeshTopology edges='0 1 1 2 2 "
                  "3 3 4'/><BarycentricMapping input='@../points' output='@frames'/><BeamFEMForceField "
                  "radius='0.1' radiusInner='0.08' youngModulus='1e6' poissonRatio='0.3'/></Node>");
  check_close(with, (1000 + 1e6 * area) * strain * strain * length / 2, 1e-5 * with);
}

// how deep the lowest point of the liver hangs after it has come down
static double depth_with(const char *walls)
{
  dvContext *context = divan_create(1);
  dvScene *scene = divan_load(context, DIVAN_SOURCE_DIR "/scenes/anatomy/liver/scene.scn");
  assert_non_null(scene);
  assert_int_equal(divan_set(scene, "/Body/liver/portal/walls", "youngModulus", walls), DIVAN_OK);
  assert_int_equal(divan_set(scene, "/Body/liver/veins/walls", "youngModulus", walls), DIVAN_OK);
  assert_int_equal(divan_init(scene), DIVAN_OK);
  for (int i = 0; i < 40; i++) assert_int_equal(divan_step(scene, 0), DIVAN_OK);
  size_t count;
  const double *x = divan_read(scene, "/Body/liver/dofs", "position", &count);
  double lowest = 0;
  for (size_t i = 1; i < count; i += 3) lowest = fmin(lowest, x[i]);
  divan_close(&scene);
  divan_destroy(&context);
  return lowest;
}

static void vessels_carry_the_liver(void **state)
{
  DV_UNUSED(state);
  double soft = depth_with("1"), stiff = depth_with("4e6");
  print_message("lowest point %.4f m with walls, %.4f m without\n", stiff, soft);
  assert_true(stiff > soft + 1e-3);
}

// --- the procedure -------------------------------------------------------------------------------

static double mass_of(dvScene *scene) { return sum_of(scene, "/Body/liver/mass", "vertexMass"); }

static double volume_of(dvScene *scene)
{
  return number_of(scene, "/Body/liver/parts", "remaining") + number_of(scene, "/Body/liver/parts", "resected");
}

static void the_procedure_is_played(void **state)
{
  DV_UNUSED(state);
  const char *asked = getenv("DIVAN_LIVER");
  bool whole = asked && *asked && strcmp(asked, "0") != 0;
  uint64_t hash = 0;
  for (int threads = 1; threads <= 3; threads += 2) {
    dvContext *context = divan_create(threads);
    divan_listen(context, NULL, NULL);
    dvScene *scene = divan_load(context, FOLDER "/scene.scn");
    assert_int_equal(divan_init(scene), DIVAN_OK);
    double mass = mass_of(scene), volume = volume_of(scene);
    for (int i = 0; i < (whole ? 2000 : 30) && number_of(scene, "/game", "done") == 0; i++)
      assert_int_equal(divan_step(scene, 0), DIVAN_OK);
    check_close(mass_of(scene), mass, 1e-12 * mass);
    check_close(volume_of(scene), volume, 1e-12 * volume);
    if (whole) {
      print_message("done after %g s, score %g\n", divan_time(scene), number_of(scene, "/game", "score"));
      assert_true(number_of(scene, "/game", "done") == 1 && number_of(scene, "/game", "score") == 100);
    }
    if (hash) assert_true(hash == divan_hash(scene));
    hash = divan_hash(scene);
    divan_close(&scene);
    divan_destroy(&context);
  }
}

// a hand that goes anywhere in and around the liver, at any speed, and presses its button as it likes
static void hostile_hands_do_no_harm(void **state)
{
  DV_UNUSED(state);
  const char *asked = getenv("DIVAN_SOAK");
  double seconds = asked ? fmin(fmax(strtod(asked, NULL), 0.1), 1e5) : 0.6;
  dvRandom random = dv_random_start(3);
  dvText motion = {0};
  for (double time = 0; time < seconds + 1; time += dv_random(&random, 0.1, 0.6))
    dv_text_printf(&motion, "%.3f %g %g %g 0 0 0 1 %d\n", time, dv_random(&random, -120, 130),
                   dv_random(&random, -100, 80), dv_random(&random, -80, 100), dv_random(&random, 0, 1) < 0.7);
  char *d = check_mkdir(), *path = check_write(d, "grasper.motion", motion.text);
  char *text = dv_file_read(FOLDER "/scene.scn", NULL);
  dvContext *context = divan_create(2);
  divan_listen(context, NULL, NULL);
  divan_add_data_path(context, d);   // first: its motion is taken
  divan_add_data_path(context, FOLDER);
  dvScene *scene = divan_parse(context, text, strlen(text));
  assert_int_equal(divan_init(scene), DIVAN_OK);
  double mass = mass_of(scene), volume = volume_of(scene), reach = 0;
  int held = 0;
  while (divan_time(scene) < seconds) {
    if (divan_step(scene, 0) != DIVAN_OK) fail_msg("at %g s", divan_time(scene));
    reach = fmax(reach, longest_of(scene, "/Body/liver/dofs", "position"));
    assert_true(reach < 1);   // it is 0.2 m long
    held += number_of(scene, "/Body/jaws", "held") > 0;
  }
  check_close(mass_of(scene), mass, 1e-12 * mass);
  check_close(volume_of(scene), volume, 1e-12 * volume);
  print_message("%g s of hostile hands: the liver within %g m, held for %g s, %g slips\n", divan_time(scene), reach,
                0.02 * held, number_of(scene, "/Body/jaws", "slips"));
  divan_close(&scene);
  divan_destroy(&context);
  dv_free(text), dv_free(path);
  dv_text_free(&motion);
  check_rmdir(d);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_vessel_stiffens_along_its_axis),
      cmocka_unit_test(vessels_carry_the_liver),
      cmocka_unit_test(the_procedure_is_played),
      cmocka_unit_test(hostile_hands_do_no_harm),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

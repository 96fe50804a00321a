// What components remember, over every scene of scenes/: a run that is reset repeats itself, a run that is saved and
// restored elsewhere goes on with the same bits, and evaluating forces leaves no trace.
#include "support/check.h"
#include "support/fields.h"
#include "support/scene.h"

#include "base/file.h"
#include "io/record/snapshot.h"
#include "scene/remember.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef DV_CHECKING   // numbers are compared by those who run without checks of memory
enum { STEPS = 6, HALF = 3, OTHER = 2 };
#else
enum { STEPS = 20, HALF = 10, OTHER = 7 };
#endif

// --- comparisons ---

typedef struct Result {
  uint64_t hash, motion;
  char *fields;
} Result;

static uint64_t hash_motion(dvScene *s)
{
  uint64_t hash = 0;
  for (size_t i = 0; i < s->plan->fixed.states; i++) {   // those of contacts are made anew
    dvState *state = dv_state(s->plan->states.data[i]);
    hash = dv_hash_bytes(dv_state_read(state, DV_X), dv_state_scalars(state, DV_X) * sizeof(double), hash);
    hash = dv_hash_bytes(dv_state_read(state, DV_V), dv_state_scalars(state, DV_V) * sizeof(double), hash);
  }
  return hash;
}

static Result result_of(dvScene *s)
{
  Result r = {.motion = hash_motion(s), .hash = dv_scene_hash(s)};
  r.fields = check_all_fields(s);
  return r;
}

static bool same(const char *what, const char *path, const Result *want, Result got)
{
  bool good = want->hash == got.hash && want->motion == got.motion && dv_same(want->fields, got.fields);
  if (want->motion != got.motion) print_error("%s: %s: another motion\n", path, what);
  else if (want->hash != got.hash) print_error("%s: %s: the same motion, but another memory\n", path, what);
  if (!dv_same(want->fields, got.fields)) {
    print_error("%s: %s:\n", path, what);
    check_print_difference(want->fields, got.fields);
  }
  dv_free(got.fields);
  return good;
}

// --- one scene ---

// from a file, or a text that begins with <
static dvScene *open_scene(const char *path)
{
  dvContext *c = dv_divan_create(1);
  c->log.threshold = DV_ERROR;
  dvScene *s = NULL;
  if (*path == '<') dv_scene_parse(c, "test.scn", path, strlen(path), &s);
  else dv_scene_read(c, path, &s);
  assert_non_null(s);
  assert_int_equal(dv_scene_init(s), DV_OK);
  return s;
}

// forces at the present state, twice: the same bits, and nothing is remembered
static bool forces_are_pure(dvScene *s, const char *path)
{
  dvMech m = {.x = DV_X,
              .v = DV_V,
              .f = DV_F,
              .dx = DV_DX,
              .df = DV_DF,
              .dt = s->root->dt,
              .time = s->root->time,
              .k = 1,
              .implicit = true};
  uint64_t before = dv_scene_hash(s), forces[2] = {0};
  for (int i = 0; i < 2; i++) {
    dv_mech_compute_force(s->plan, &m);
    for (size_t k = 0; k < s->plan->states.count; k++) {
      dvState *state = dv_state(s->plan->states.data[k]);
      forces[i] = dv_hash_bytes(dv_state_read(state, DV_F), dv_state_scalars(state, DV_F) * sizeof(double), forces[i]);
    }
  }
  if (forces[0] != forces[1]) print_error("%s: a second evaluation gives other forces\n", path);
  if (dv_scene_hash(s) != before) print_error("%s: evaluating forces changes what is remembered\n", path);
  return forces[0] == forces[1] && dv_scene_hash(s) == before;
}

static bool check_one(const char *path)
{
  bool good = true;
  dvScene *s = open_scene(path);
  uint64_t start = dv_scene_hash(s);
  check_steps(s, HALF);
  size_t length;
  void *bytes = dv_snapshot_pack(s, &length);
  good = forces_are_pure(s, path) && good;
  check_steps(s, STEPS - HALF);
  Result end = result_of(s);
  dv_scene_reset(s);
  if (dv_scene_hash(s) != start) print_error("%s: a reset leads elsewhere than to the start\n", path), good = false;
  check_steps(s, STEPS);
  good = same("20 steps after a reset", path, &end, result_of(s)) && good;
  check_close_scene(&s);
  s = open_scene(path);
  good = dv_snapshot_unpack(s, bytes, length, "memory") == DV_OK && good;
  check_steps(s, STEPS - HALF);
  good = same("restored in a new context", path, &end, result_of(s)) && good;
  dv_scene_reset(s);
  check_steps(s, OTHER);
  good = dv_snapshot_unpack(s, bytes, length, "memory") == DV_OK && good;
  check_steps(s, STEPS - HALF);
  good = same("restored in the middle", path, &end, result_of(s)) && good;
  check_close_scene(&s);
  dv_free(bytes);
  dv_free(end.fields);
  return good;
}

static int scenes, bad;

static void check_path(const char *path, void *user)
{
  DV_UNUSED(user);
  bad += !check_one(path);
}

// our scenes write below result/, which nobody keeps; a run from the top of the sources leaves nothing beside it
static int strays(const char *directory)
{
  struct dirent **list;
  int n = scandir(directory, &list, NULL, alphasort), found = 0;
  assert_true(n >= 2);
  for (int i = 0; i < n; i++) {
    const char *name = list[i]->d_name;
    bool stray = name[0] != '.' && strcmp(name, "result") != 0;
    if (stray) print_error("a scene writes %s: put its files below result/\n", name);
    found += stray;
    free(list[i]);
  }
  free(list);
  return found;
}

static void every_scene_goes_on_as_it_was(void **state)
{
  DV_UNUSED(state);
  char *work = check_mkdir(), *here = getcwd(NULL, 0);   // scenes may write files
  assert_int_equal(chdir(work), 0);
  scenes = check_some_scenes("scenes", check_path, NULL);
  assert_int_equal(chdir(here), 0);
  free(here);
  int left = strays(work);
  check_rmdir(work);
  assert_int_equal(left, 0);
  print_message("%d scenes, %d of them differ\n", scenes, bad);
  assert_true(scenes > 0);
  assert_int_equal(bad, 0);
}

// --- options that the scenes of scenes/ do not have ---

#define BODY                                                                                                      \
  "<Node dt='0.02' gravity='0 -9.81 0'><EulerImplicitSolver rayleighMass='0.1'/><CGLinearSolver iterations='50' " \
  "tolerance='1e-9' threshold='1e-12'/>"
#define BLOCK                                                                                              \
  BODY "<RegularGridTopology name='grid' n='3 3 3' min='0 0 0' max='1 1 1'/><MechanicalObject name='mo'/>" \
       "<UniformMass totalMass='1'/><FixedProjectiveConstraint indices='0 1 2'/>"
#define TETRA                                                                                    \
  BLOCK "<Node><TetrahedronSetTopologyContainer name='tetra'/><TetrahedronSetTopologyModifier/>" \
        "<Hexa2TetraTopologicalMapping input='@../grid' output='@tetra'/>"
#define SQUARE                                                                                             \
  BODY "<MechanicalObject name='mo' position='0 0 0 1 0 0 1 1 0 0 1 0' velocity='0 0 0 0 1 0 -1 1 0 -1 0 " \
       "0'/><MeshTopology triangles='0 1 2 0 2 3' "                                                        \
       "edges='0 1 1 2 2 3 3 0'/><UniformMass totalMass='1'/>"
#define FRAMES                                                                                                 \
  BODY "<MechanicalObject name='mo' template='Rigid3' position='0 0 0 0 0 0 1  1 0 0 0 0 0 1  2 0 0 0 0 0 1' " \
       "velocity='0 0 0 0 0 0  0 0 0 0 0 9  0 0 0 0 0 0'/><UniformMass totalMass='3'/>"                        \
       "<FixedProjectiveConstraint indices='0'/>"

#define FALL(loop)                                                                                                  \
  "<Node dt='0.02' gravity='0 -10 0'><" loop "/><CollisionPipeline/><BruteForceBroadPhase/><BVHNarrowPhase/>"       \
  "<MinProximityIntersection alarmDistance='0.3' contactDistance='0.1'/><CollisionResponse "                        \
  "response='PenalityContactForceField'/><Node name='bar'><EulerImplicitSolver/><CGLinearSolver iterations='60' "   \
  "tolerance='1e-12' threshold='1e-14'/><RegularGridTopology name='grid' n='2 2 4' min='0 0.05 0' max='1 1.05 3'/>" \
  "<MechanicalObject name='mo' velocity='0.3 -1 0.1 0 0 0'/><UniformMass totalMass='1'/><HexahedronFEMForceField "  \
  "youngModulus='300' poissonRatio='0.3'/><PointCollisionModel contactStiffness='200'/></Node><Node name='floor'>"  \
  "<MeshTopology position='-5 0 -5 5 0 -5 5 0 5 -5 0 5' triangles='0 2 1 0 3 2'/><MechanicalObject/>"               \
  "<TriangleCollisionModel simulated='0' moving='0' contactStiffness='200'/></Node></Node>"

static const char *const options[] = {
    TETRA "<TetrahedronFEMForceField youngModulus='300' poissonRatio='0.3' plasticMaxThreshold='0.3' "
          "plasticYieldThreshold='0.001' plasticCreep='0.2'/></Node></Node>",
    TETRA "<MJEDTetrahedralForceField materialName='NeoHookean' ParameterSet='150 400' pronySeries='0.3 0.05 0.2 "
          "0.4'/></Node></Node>",
    SQUARE "<EdgePressureForceField edgeIndices='0 1 2 3' p_intensity='2' binormal='0 0 1'/></Node>",
    SQUARE "<SurfacePressureForceField pressure='3' pulseMode='1' pressureSpeed='70'/></Node>",
    SQUARE "<SurfacePressureForceField pressure='3' volumeConservationMode='1'/></Node>",
    FRAMES "<GearSpringForceField filename='gears.txt' period='0.04' spring='BEGIN_SPRING 0 1 0 2 AXIS 2 2 KS_T 5000 "
           "KS_R 20 20 KD 0.1 RATIO 2 END_SPRING'/></Node>",
    FRAMES "<JointSpringForceField outfile='joints.txt' spring='BEGIN_SPRING 0 1 KS_T 5 500 KS_R 3 20 END_SPRING "
           "BEGIN_SPRING 1 2 KS_T 5 500 KS_R 3 20 END_SPRING'/></Node>",
    // contacts, which the next step finds anew, and in the second case which act before that
    FALL("DefaultAnimationLoop"),
    FALL("FreeMotionAnimationLoop"),
    // solvers that go on from the solution of the step before, and factors that serve several steps
    "<Node dt='0.02'><NewmarkImplicitSolver/><MinResLinearSolver iterations='4'/><RegularGridTopology n='2 2 6' "
    "min='0 0 0' max='1 1 5'/><MechanicalObject/><UniformMass totalMass='1'/><FixedProjectiveConstraint indices='0-3'/>"
    "<HexahedronFEMForceField youngModulus='300' poissonRatio='0.3'/></Node>",
    "<Node dt='0.02'><EulerImplicitSolver/><CGLinearSolver iterations='4' warmStart='1'/><RegularGridTopology n='2 2 "
    "6' "
    "min='0 0 0' max='1 1 5'/><MechanicalObject/><UniformMass totalMass='1'/><FixedProjectiveConstraint indices='0-3'/>"
    "<HexahedronFEMForceField youngModulus='300' poissonRatio='0.3'/></Node>",
    "<Node dt='0.02'><EulerImplicitSolver/><PreconditionedMatrixFreeSystem assemblingRate='7'/><PCGLinearSolver "
    "iterations='3' preconditioner='@p'/><SSORPreconditioner name='p'/><RegularGridTopology n='2 2 6' min='0 0 0' "
    "max='1 1 5'/><MechanicalObject/><UniformMass totalMass='1'/><FixedProjectiveConstraint indices='0-3'/>"
    "<HexahedronFEMForceField youngModulus='300' poissonRatio='0.3'/></Node>",
    "<Node dt='0.02'><EulerImplicitSolver/><PCGLinearSolver iterations='3' preconditioner='@warp'/>"
    "<RotationMatrixSystem name='r' assemblingRate='1' rotations='points'/><WarpPreconditioner name='warp' "
    "linearSystem='@r' linearSolver='@direct'/><AsyncSparseLDLSolver name='direct' adoptAfter='4'/>"
    "<RegularGridTopology n='2 2 6' min='0 0 0' max='1 1 5'/><MechanicalObject/><UniformMass totalMass='1'/>"
    "<FixedProjectiveConstraint indices='0-3'/><HexahedronFEMForceField youngModulus='300' poissonRatio='0.3'/></Node>",
    "<Node dt='0.02'><EulerImplicitSolver/><AsyncSparseLDLSolver adoptAfter='3'/><RegularGridTopology n='2 2 6' "
    "min='0 0 0' max='1 1 5'/><MechanicalObject/><UniformMass totalMass='1'/><FixedProjectiveConstraint indices='0-3'/>"
    "<HexahedronFEMForceField youngModulus='300' poissonRatio='0.3'/></Node>",
    "<Node dt='0.02'><BDFOdeSolver order='3' keepHistory='1'/><NewtonRaphsonSolver maxNbIterationsNewton='2'/>"
    "<SparseLDLSolver/><RegularGridTopology n='2 2 6' min='0 0 0' max='1 1 5'/><MechanicalObject/><UniformMass "
    "totalMass='1'/><FixedProjectiveConstraint indices='0-3'/><HexahedronFEMForceField youngModulus='300' "
    "poissonRatio='0.3'/></Node>",
};

static void options_go_on_as_they_were(void **state)
{
  DV_UNUSED(state);
  char *work = check_mkdir(), *here = getcwd(NULL, 0);
  assert_int_equal(chdir(work), 0);
  int differing = 0;
  for (size_t i = 0; i < DV_COUNT(options); i++) differing += !check_one(options[i]);
  assert_int_equal(chdir(here), 0);
  free(here);
  check_rmdir(work);
  assert_int_equal(differing, 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_scene_goes_on_as_it_was),
                                     cmocka_unit_test(options_go_on_as_they_were)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

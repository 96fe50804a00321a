// A libFuzzer target: whatever the bytes, a snapshot is refused with a reason and the scene stays as it was, or it is
// taken and the scene can be stepped, saved and reset. The checksum is made right, so that what lies behind it is
// reached. The scene has components that remember numbers, lists, vectors, matrices and places in files.
#include "app/divan.h"
#include "io/record/snapshot.h"
#include "io/scene/scene_file.h"
#include "state/state.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerInitialize(int *count, char ***arguments);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static const char text[] =
    "<Node dt='0.02' gravity='0 -9.81 0'><EulerImplicitSolver/><PreconditionedMatrixFreeSystem assemblingRate='5'/>"
    "<PCGLinearSolver iterations='4' preconditioner='@p'/><SSORPreconditioner name='p'/><RegularGridTopology n='2 2 2' "
    "min='0 0 0' max='1 1 1'/><MechanicalObject name='mo'/><UniformMass totalMass='1'/><QuadBendingFEMForceField/>"
    "<LinearVelocityProjectiveConstraint indices='0' keyTimes='0 1' velocities='0 0 0 1 0 0'/><TrailRenderer "
    "position='@mo.position' nbSteps='4'/><Node><NewmarkImplicitSolver/><CGLinearSolver/><MechanicalObject "
    "template='Rigid3' position='0 0 0 0 0 0 1 1 0 0 0 0 0 1'/><UniformMass totalMass='1'/><JointSpringForceField "
    "spring='BEGIN_SPRING 0 1 END_SPRING'/></Node></Node>";

static dvScene *scene;

static void silent(void *user, const dvMessage *m)
{
  (void)user;
  if (!m->text || !*m->text) abort();
}

// a seed for the corpus: with DIVAN_FUZZ_SEED the snapshot of three steps goes to that file
int LLVMFuzzerInitialize(int *count, char ***arguments)
{
  (void)count;
  (void)arguments;
  dvContext *c = dv_divan_create(1);
  c->log.sink = silent;
  if (dv_scene_parse(c, "fuzz.scn", text, strlen(text), &scene) != DV_OK || dv_scene_init(scene) != DV_OK) abort();
  for (int i = 0; i < 3; i++) dv_scene_step(scene, 0);
  const char *seed = getenv("DIVAN_FUZZ_SEED");
  if (seed && dv_snapshot_write(scene, seed) != DV_OK) abort();
  return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
  scene->context->log.worst = DV_OK;
  uint8_t *copy = malloc(length + 1);
  if (length) memcpy(copy, bytes, length);
  if (length > 8) {
    uint64_t sum = dv_hash_bytes(copy, length - 8, 0);
    memcpy(copy + length - 8, &sum, 8);
  }
  uint64_t before = dv_scene_hash(scene);
  dvStatus status = dv_snapshot_unpack(scene, copy, length, "fuzz");
  if (status != DV_OK && dv_scene_hash(scene) != before) abort();
  if (status == DV_OK)
    for (int i = 0; i < 2 && dv_scene_step(scene, 0) == DV_OK; i++) continue;
  dv_scene_reset(scene);
  free(copy);
  return 0;
}

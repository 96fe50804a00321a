/* A host program in forty lines: builds a hanging chain of springs, steps it, reads positions without a copy. */
#include <divan/divan.h>

#include <stdio.h>

static void say(void *user, const divanMessage *m)
{
  (void)user;
  if (m->level >= 2) fprintf(stderr, "%s: %s\n", m->path ? m->path : "scene", m->text);
}

int main(void)
{
  dvContext *divan = divan_create(1);
  divan_listen(divan, say, NULL);
  dvScene *scene = divan_new(divan);
  const double points[] = {0, 0, 0, 1, 0, 0, 2, 0, 0, 3, 0, 0};
  const int32_t edges[] = {0, 1, 1, 2, 2, 3};

  divan_set(scene, "/", "gravity", "0 -9.81 0");
  divan_set(scene, "/", "dt", "0.01");
  divan_add_node(scene, "/", "chain");
  divan_add(scene, "/chain", "EulerImplicitSolver", "ode");
  divan_add(scene, "/chain", "CGLinearSolver", "cg");
  divan_set(scene, "/chain/cg", "iterations", "50");
  divan_add(scene, "/chain", "MeshTopology", "links");
  divan_set_reals(scene, "/chain/links", "position", points, 12);
  divan_set_ints(scene, "/chain/links", "edges", edges, 6);
  divan_add(scene, "/chain", "MechanicalObject", "dofs");
  divan_add(scene, "/chain", "UniformMass", "mass");
  divan_set(scene, "/chain/mass", "totalMass", "1");
  divan_add(scene, "/chain", "MeshSpringForceField", "springs");
  divan_set(scene, "/chain/springs", "linesStiffness", "1000");
  divan_add(scene, "/chain", "FixedProjectiveConstraint", "pin");
  divan_set(scene, "/chain/pin", "indices", "0");

  int status = divan_init(scene);
  for (int i = 0; i < 200 && status == DIVAN_OK; i++) status = divan_step(scene, 0);
  size_t count = 0;
  const double *x = divan_read(scene, "/chain/dofs", "position", &count);
  if (x)
    printf("after %.2f s the free end is at %.3f %.3f %.3f\n", divan_time(scene), x[count - 3], x[count - 2],
           x[count - 1]);
  divan_close(&scene);
  divan_destroy(&divan);
  return status;
}

// A host program that loads the plugin Trial and compares its components with those of Divan. host DIRECTORY
#include <divan/divan.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#define BODY                                                                                    \
  "<MechanicalObject name='s' position='0 0 0 1 0 0 2 0 0 3 0 0'/><UniformMass totalMass='4'/>" \
  "<StiffSpringForceField spring='0 1 50 0.1 1  1 2 50 0.1 1  2 3 50 0.1 1'/>"

static int failures;

static dvScene *start(dvContext *divan, const char *text)
{
  dvScene *scene = divan_parse(divan, text, strlen(text));
  if (!scene || divan_init(scene) != 0) printf("this scene does not start: %s\n", text), failures++;
  return scene;
}

// two scenes that must end in the same place
static void compare(dvContext *divan, const char *what, const char *a, const char *b)
{
  dvScene *scenes[2] = {start(divan, a), start(divan, b)};
  if (failures) return;
  for (int i = 0; i < 20; i++) failures += divan_step(scenes[0], 0) != 0, failures += divan_step(scenes[1], 0) != 0;
  size_t n = 0, m = 0;
  const double *x = divan_read(scenes[0], "/s", "position", &n), *y = divan_read(scenes[1], "/s", "position", &m);
  double most = n == m && n > 0 ? 0 : INFINITY, moved = 0;
  for (size_t i = 0; i < n && i < m; i++) most = fmax(most, fabs(x[i] - y[i])), moved = fmax(moved, fabs(x[i]));
  printf("%s: differs by %g\n", what, most);
  failures += !(most < 1e-9) || !(moved > 3.0001);
  divan_close(&scenes[0]);
  divan_close(&scenes[1]);
}

static void expect(dvScene *scene, const char *path, const char *field, const char *wanted)
{
  char *text = divan_get(scene, path, field);
  printf("%s.%s = %s\n", path, field, text ? text : "nothing");
  failures += !text || strcmp(text, wanted) != 0;
  divan_free(text);
}

int main(int count, char **arguments)
{
  dvContext *divan = divan_create(1);
  divan_add_plugin_path(divan, count > 1 ? arguments[1] : ".");
  if (divan_load_plugin(divan, "Trial") != 0) return 1;
  compare(divan, "linear solver and constraint",
          "<Node gravity='5 -9 0'><EulerImplicitSolver/><TrialLinearSolver/>" BODY
          "<TrialConstraint indices='0'/></Node>",
          "<Node gravity='5 -9 0'><EulerImplicitSolver/><SparseLDLSolver/>" BODY
          "<FixedProjectiveConstraint indices='0'/></Node>");
  compare(divan, "integrator", "<Node gravity='5 -9 0' dt='0.001'><TrialIntegrator/>" BODY "</Node>",
          "<Node gravity='5 -9 0' dt='0.001'><EulerExplicitSolver/>" BODY "</Node>");
  dvScene *scene =
      start(divan, "<Node><MeshTopology name='t' position='0 0 0 1 0 0 0 1 0 1 1 0' triangles='0 1 2  1 3 2 "
                   " 0 1 3'/><MechanicalObject/><TrialCollisionModel name='m'/>"
                   "<TrialFollower name='f' values='5 6 7'/></Node>");
  if (!failures) {
    expect(scene, "/m", "count", "4");
    failures += divan_step(scene, 0) != 0;
    expect(scene, "/f", "values", "7 6");   // the last takes the place of the one that went
    expect(scene, "/f", "changes", "1");
  }
  divan_close(&scene);
  divan_destroy(&divan);
  return failures != 0;
}

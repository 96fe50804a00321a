// Every force, mapping and mass of the registry has been through the harness of finite differences (support/fd.h) and
// agreed: the other test programs, which run before this one, leave records of what they checked (support/fd_record.h).
// A class without one needs a reason here.
#include "app/divan.h"
#include "base/file.h"
#include "base/text.h"
#include "object/context.h"
#include "object/object.h"
#include "support/check.h"

#include <dirent.h>
#include <string.h>

static const struct {
  const char *name, *reason;
} excused[] = {
    {"VoidMapping", "has no input"},
    {"SPHFluidSurfaceMapping", "makes its points: nothing goes back"},
    {"ImplicitSurfaceMapping", "the same"},
    {"PersistentContactRigidMapping", "its points come with contacts: collision.persistent"},
    {"PersistentContactBarycentricMapping", "the same"},
    // products with SOFA's stiffness are not the derivative; they must at least be those of the matrix
    {"PolynomialRestShapeSpringsForceField", "the diagonal only"},
    {"FrameSpringForceField", "without the arms"},
    {"EllipsoidForceField", "the curvature of the surface is left out"},
    {"InteractionEllipsoidForceField", "the same, and the motion of the frame"},
    {"ConicalForceField", "the end of the cone is not differentiated"},
    {"OscillatingTorsionPressureForceField", "counts as constant"},
    {"ParticlesRepulsionForceField", "the direction between two points counts as fixed"},
    {"SPHFluidForceField", "has no stiffness: it limits the time step"},
    {"MappedInertiaForceField", "counts as constant over a step; energy and momentum: io.urdf"},
    {"IncompressibleFluidForceField", "has no stiffness: what a step does is its force"},
};

static void read_records(dvText *all)
{
  DIR *d = opendir(DIVAN_FD_RECORDS);
  if (!d) fail_msg("no records in %s: run this test with ctest, which runs the others before it", DIVAN_FD_RECORDS);
  dv_text_add(all, "\n");
  for (struct dirent *e = readdir(d); e; e = readdir(d)) {
    if (e->d_name[0] == '.') continue;
    char *path = dv_path_join(DIVAN_FD_RECORDS, e->d_name), *text = dv_file_read(path, NULL);
    assert_non_null(text);
    dv_text_add(all, text);
    dv_free(text);
    dv_free(path);
  }
  closedir(d);
}

static const char *reason_of(const char *name)
{
  for (size_t i = 0; i < DV_COUNT(excused); i++)
    if (strcmp(excused[i].name, name) == 0) return excused[i].reason;
  return NULL;
}

static bool was_recorded(const dvText *records, dvRole role, const char *name, const char *what)
{
  char *line = dv_format("\n%s %s %s\n", dv_role_name(role), name, what);
  bool found = strstr(records->text, line) != NULL;
  dv_free(line);
  return found;
}

static bool passed(const dvText *records, dvRole role, const dvClass *c)
{
  bool found = was_recorded(records, role, c->name, "derivative");
  if (found && reason_of(c->name)) fail_msg("%s is excused and needs no excuse", c->name);
  if (found || !reason_of(c->name)) return found;
  const dvForceOps *force = c->ops[DV_ROLE_FORCE];
  return !force || !force->add_stiffness || was_recorded(records, role, c->name, "matrix");
}

static void check_role(const dvContext *context, const dvText *records, dvRole role, size_t least)
{
  size_t classes = 0, missing = 0;
  for (size_t i = 0; i < context->registry.classes.count; i++) {
    const dvClass *c = context->registry.classes.data[i];
    if (!c->ops[role]) continue;
    bool good = passed(records, role, c);
    if (!good) print_error("%s: no test has put it through the harness, and no reason is listed\n", c->name);
    classes++;
    missing += !good;
  }
  print_message("%s: %zu classes, %zu without a record\n", dv_role_name(role), classes, missing);
  assert_true(classes >= least);
  assert_int_equal(missing, 0);
}

static void every_class_was_compared_with_differences(void **state)
{
  DV_UNUSED(state);
  dvText records = {0};
  read_records(&records);
  dvContext *context = dv_divan_create(1);
  check_role(context, &records, DV_ROLE_FORCE, 50);
  check_role(context, &records, DV_ROLE_MAPPING, 20);
  check_role(context, &records, DV_ROLE_MASS, 5);
  dv_divan_destroy(&context);
  dv_text_free(&records);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_class_was_compared_with_differences)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

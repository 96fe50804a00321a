// PREquivalentStiffnessForceField: forces are those of the energy and turn with the body, products those of the forces
// where it rests; a piece moves by its compliance, and a rod of pieces bends as a beam does.
#include "support/check.h"
#include "support/fd.h"
#include "support/scene.h"

#include "base/file.h"

#include <string.h>
#include <unistd.h>

static const double compliance[36] = {2, .1, 0,  0, .2, 0,  .1, 3, .1, 0, 0, .3, 0, .1, 4, .2, 0, 0,
                                      0, 0,  .2, 1, 0,  .1, .2, 0, 0,  0, 2, 0,  0, .3, 0, .1, 0, 1.5};

static char *write_compliances(const char *directory, int count, double scale)
{
  dvText text = {0};
  for (int n = 0; n < count; n++)
    for (int i = 0; i < 36; i++) dv_text_printf(&text, "%.17g%s", scale * compliance[i], i % 6 == 5 ? "\n" : " ");
  char *path = check_write(directory, "compliance.txt", text.text);
  dv_text_free(&text);
  return path;
}

static void differences(void **state)
{
  DV_UNUSED(state);
  char *directory = check_mkdir(), *path = write_compliances(directory, 2, 1);
  char *text =
      dv_format("<Node><MechanicalObject name='dofs' template='Rigid3' position='0 0 0 0 0 0 1  1 0.2 0 0 0 0.2 0.9798 "
                "2 0.3 -0.4 0.1 0.3 0 0.9487'/><PREquivalentStiffnessForceField name='ff' coefForce='1.7' "
                "complianceFile='%s' rayleighStiffness='0.1'/></Node>",
                path);
  fdScene s = fd_open(text);
  fdOptions o = fd_options();
  o.move_x = 0.3;
  o.checks = FD_ENERGY | FD_ASSEMBLY | FD_SYMMETRY | FD_RIGID;
  assert_true(fd_check_force(fd_find(&s, "ff"), &o));
  o.move_x = 0;   // at rest the products are exact
  o.checks = FD_STIFFNESS | FD_ASSEMBLY | FD_SYMMETRY;
  assert_true(fd_check_force(fd_find(&s, "ff"), &o));
  fd_close(&s);
  dv_free(text), dv_free(path);
  check_rmdir(directory);
}

// a clamped piece under a small load: u = C f
static void a_piece_moves_by_its_compliance(void **state)
{
  DV_UNUSED(state);
  const double load[6] = {1e-5, -2e-5, 3e-5, 2e-5, -1e-5, 4e-5};
  char *directory = check_mkdir(), *path = write_compliances(directory, 1, 1);
  char *text =
      dv_format("<Node dt='1000' gravity='0 0 0'><EulerImplicitSolver/><SparseLDLSolver "
                "template='CompressedRowSparseMatrixd'/><MechanicalObject name='dofs' template='Rigid3' "
                "position='0 0 0 0 0 0 1  1 0 0 0 0 0 1'/><UniformMass totalMass='1'/><FixedProjectiveConstraint "
                "indices='0'/><PREquivalentStiffnessForceField complianceFile='%s'/><ConstantForceField indices='1' "
                "forces='%g %g %g %g %g %g'/></Node>",
                path, load[0], load[1], load[2], load[3], load[4], load[5]);
  dvScene *s = check_scene(text, 1);
  check_steps(s, 30);
  for (int i = 0; i < 6; i++) {
    double expected = 0, found = check_value(s, "dofs", DV_X, 7 + (size_t)i);
    for (int k = 0; k < 6; k++) expected += compliance[6 * i + k] * load[k];
    if (i == 0) found -= 1;
    if (i >= 3) found *= 2;               // the vector of a small rotation is twice that part of the quaternion
    check_close(found, expected, 1e-8);   // of about 1e-4: terms of second order are left
  }
  check_close_scene(&s);
  dv_free(text), dv_free(path);
  check_rmdir(directory);
}

// three pieces of a cantilever under a small load at the end: w = F L^3 / (3 E I) of the whole
static void pieces_bend_as_a_beam(void **state)
{
  DV_UNUSED(state);
  char *path = dv_format("%s/scenes/robot/pieces.scn", DIVAN_SOURCE_DIR), *text = dv_file_read(path, NULL);
  const char *at = strstr(text, "<FixedProjective");
  char *file = dv_format("complianceFile=\"%s/scenes/robot/mesh/", DIVAN_SOURCE_DIR);
  char *with =
      dv_format("%.*s<ConstantForceField indices=\"3\" forces=\"0 0 -0.0001 0 0 0\"/>%s", (int)(at - text), text, at);
  const char *name = strstr(with, "complianceFile=\"mesh/"), *gravity = strstr(with, "0 0 -9.81");
  char *scene = dv_format("%.*s0 0 0%.*s%s%s", (int)(gravity - with), with, (int)(name - gravity - 9), gravity + 9,
                          file, name + strlen("complianceFile=\"mesh/"));
  dvScene *s = check_scene(scene, 1);
  check_steps(s, 600);
  const double second = M_PI * pow(0.006, 4) / 4, expected = -0.0001 * pow(0.15, 3) / (3 * 2e6 * second);
  check_close(check_value(s, "rod/frames", DV_X, 7 * 3 + 2), expected, 1e-4 * fabs(expected));
  check_close_scene(&s);
  dv_free(path), dv_free(text), dv_free(file), dv_free(with), dv_free(scene);
}

static void bad_files_are_told(void **state)
{
  DV_UNUSED(state);
  static const char *const files[] = {"", "1 2 3", "nan", "x"};
  char *directory = check_mkdir();
  for (size_t i = 0; i <= DV_COUNT(files) + 1; i++) {
    dvText zeros = {0};
    for (int k = 0; k < 36; k++) dv_text_add(&zeros, "0 ");
    char *path = check_write(directory, "bad.txt", i < DV_COUNT(files) ? files[i] : zeros.text);
    if (i > DV_COUNT(files)) unlink(path);
    char *text = dv_format("<Node><MechanicalObject template='Rigid3' position='0 0 0 0 0 0 1  1 0 0 0 0 0 1'/>"
                           "<PREquivalentStiffnessForceField complianceFile='%s'/></Node>",
                           path);
    assert_true(fd_fails(text));
    dv_free(text), dv_free(path);
    dv_text_free(&zeros);
  }
  char *path = write_compliances(directory, 1, 1);
  char *text = dv_format("<Node><MechanicalObject template='Rigid3' position='0 0 0 0 0 0 1  1 0 0 0 0 0 1'/>"
                         "<PREquivalentStiffnessForceField complianceFile='%s' startIndex='1'/></Node>",
                         path);
  assert_true(fd_fails(text));
  dv_free(text), dv_free(path);
  check_rmdir(directory);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(differences), cmocka_unit_test(a_piece_moves_by_its_compliance),
                                     cmocka_unit_test(pieces_bend_as_a_beam), cmocka_unit_test(bad_files_are_told)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

// TriangularShellForceField: rigid motions, derivative at rest, constant strain and constant curvature, a strip that
// bends, mistakes.
#include "support/check.h"
#include "support/fd.h"
#include "support/scene.h"

#include "force/fem/surface/shell_matrix.h"
#include "math/vec.h"

#include <string.h>

static const char *const patch =
    "<MeshTopology name='mesh' triangles='0 1 4  1 2 4  2 3 4  3 0 4'/><MechanicalObject name='dofs' template='Rigid3' "
    "position='0 0 0 0 0 0 1  2 0.1 0 0 0 0 1  2.2 1.5 0.3 0 0 0 1  -0.1 1.4 0.2 0 0 0 1  0.9 0.6 0.1 0 0.6 0 0.8'/>"
    "<TriangularShellForceField name='ff' youngModulus='1000' poissonRatio='0.3' thickness='0.1' "
    "rayleighStiffness='0.1'/>";

static fdScene open_patch(void)
{
  char *text = dv_format("<Node>%s</Node>", patch);
  fdScene s = fd_open(text);
  dv_free(text);
  return s;
}

static void derivative_at_rest_is_exact(void **state)
{
  DV_UNUSED(state);
  fdScene s = open_patch();
  fdOptions o = fd_options();
  o.move_x = 0;
  o.checks = (o.checks | FD_SYMMETRY) & ~(unsigned)FD_ENERGY;
  assert_true(fd_check_force(fd_find(&s, "ff"), &o));
  fd_close(&s);
}

static void rigid_motions_give_no_force(void **state)
{
  DV_UNUSED(state);
  fdScene s = open_patch();
  dvState *dofs = dv_state(fd_find(&s, "dofs"));
  dvQuat q = dv_quat_from_rotation_vector(dv_vec3(1.2, -0.7, 0.5));
  double *x = dv_state_write(dofs, DV_X);
  for (size_t p = 0; p < dofs->count; p++) {
    dv_vec3_store(x + 7 * p, dv_vec3_add(dv_quat_rotate(q, dv_vec3_load(x + 7 * p)), dv_vec3(1, 2, 3)));
    dv_quat_store(x + 7 * p + 3, dv_quat_mul(q, dv_quat_load(x + 7 * p + 3)));
  }
  const double *f = fd_force_on(fd_find(&s, "ff"), &dofs->base);
  for (size_t i = 0; i < 6 * dofs->count; i++) check_close(f[i], 0, 1e-10);
  check_close(fd_energy_of(fd_find(&s, "ff")), 0, 1e-12);
  fd_close(&s);
}

// energy of one triangle: a sheet stretched evenly, and a plate bent evenly, with the rotations that belong to it
static void constant_strain_and_curvature(void **state)
{
  DV_UNUSED(state);
  const double x[3] = {0.1, 1.3, 0.4}, y[3] = {0, 0.2, 0.9}, young = 1000, nu = 0.3, t = 0.1;
  double k[DV_SHELL_SIZE * DV_SHELL_SIZE], area = 0.5 * ((x[1] - x[0]) * (y[2] - y[0]) - (x[2] - x[0]) * (y[1] - y[0]));
  assert_true(dv_shell_matrix(x, y, young, nu, t, k));
  for (int i = 0; i < 6; i++) {
    double d[DV_SHELL_SIZE] = {0}, energy = 0,
           a[3] = {i % 3 == 0, i % 3 == 1, i % 3 == 2};   // strain or curvature xx, yy, 2 xy
    for (int c = 0; c < 3; c++) {
      double *u = d + 6 * c;
      if (i < 3) u[0] = a[0] * x[c] + 0.5 * a[2] * y[c], u[1] = a[1] * y[c] + 0.5 * a[2] * x[c];
      else {
        // w = xx x^2/2 + yy y^2/2 + xy x y / 2; rotations w,y and -w,x
        u[2] = 0.5 * a[0] * x[c] * x[c] + 0.5 * a[1] * y[c] * y[c] + 0.5 * a[2] * x[c] * y[c];
        u[3] = a[1] * y[c] + 0.5 * a[2] * x[c];
        u[4] = -a[0] * x[c] - 0.5 * a[2] * y[c];
      }
    }
    for (int r = 0; r < DV_SHELL_SIZE; r++)
      for (int c = 0; c < DV_SHELL_SIZE; c++) energy += 0.5 * d[r] * k[DV_SHELL_SIZE * r + c] * d[c];
    double modulus = young / (1 - nu * nu) * (i % 3 == 2 ? 0.5 * (1 - nu) : 1);
    check_close(energy, 0.5 * area * modulus * (i < 3 ? t : t * t * t / 12), 1e-11);
  }
}

// a clamped strip under an end moment becomes an arc: P = M L / EI turns its end, here by 90 degrees
static void a_strip_rolls_up(void **state)
{
  DV_UNUSED(state);
  dvText text = {0};
  double length = 2, width = 0.2, thickness = 0.01, young = 1e7,
         moment = 1.5707963267948966 / length * young * width * pow(thickness, 3) / 12;
  int n = 20;
  dv_text_add(
      &text, "<Node gravity='0 0 0' dt='0.05'><EulerImplicitSolver rayleighMass='1'/><SparseLDLSolver "
             "template='CompressedRowSparseMatrixMat3x3d'/><MechanicalObject name='dofs' template='Rigid3' position='");
  for (int i = 0; i <= n; i++)
    for (int j = 0; j < 2; j++) dv_text_printf(&text, "%g %g 0 0 0 0 1 ", length * i / n, width * j);
  dv_text_add(&text, "'/><MeshTopology triangles='");
  for (int i = 0; i < n; i++)
    dv_text_printf(&text, "%d %d %d %d %d %d ", 2 * i, 2 * i + 2, 2 * i + 3, 2 * i, 2 * i + 3, 2 * i + 1);
  dv_text_printf(
      &text,
      "'/><UniformMass vertexMass='0.01 0.01 0.001 0 0 0 0.001 0 0 0 0.001'/><TriangularShellForceField "
      "youngModulus='%g' poissonRatio='0' thickness='%g'/>"
      "<FixedProjectiveConstraint indices='0 1'/><ConstantForceField indices='%d %d' forces='0 0 0 0 %g 0'/></Node>",
      young, thickness, 2 * n, 2 * n + 1, -0.5 * moment);
  dvScene *scene = check_scene(text.text, 1);
  check_steps(scene, 400);
  // a quarter of a circle of length 2 has the radius 4 / pi
  double radius = 2 * length / 3.14159265358979323846;
  check_close(check_value(scene, "dofs", DV_X, 14 * (size_t)n) / radius, 1, 0.01);
  check_close(check_value(scene, "dofs", DV_X, 14 * (size_t)n + 2) / radius, 1, 0.01);
  check_close_scene(&scene);
  dv_text_free(&text);
}

static void mistakes_are_told(void **state)
{
  DV_UNUSED(state);
  const char *frames = "<MeshTopology triangles='0 1 2'/><MechanicalObject template='Rigid3' position='0 0 0 0 0 0 1  "
                       "1 0 0 0 0 0 1  0 1 0 0 0 0 1'/>";
  static const char *const bad[] = {"thickness='0'", "thickness='nan'", "poissonRatio='0.6'", "youngModulus='-1'"};
  for (size_t i = 0; i < DV_COUNT(bad); i++) {
    char *text = dv_format("<Node>%s<TriangularShellForceField %s/></Node>", frames, bad[i]);
    if (!fd_fails(text)) fail_msg("accepted: %s", bad[i]);
    dv_free(text);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(derivative_at_rest_is_exact),
      cmocka_unit_test(rigid_motions_give_no_force),
      cmocka_unit_test(constant_strain_and_curvature),
      cmocka_unit_test(a_strip_rolls_up),
      cmocka_unit_test(mistakes_are_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

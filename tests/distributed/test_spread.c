// One body over several processes: 1 to 4 of them beside a run in one, patch test across the parts, repeated runs,
// results, what is refused, and processes that die.
//
// Processes are started by mpirun, more than there are cores; without it or without PETSc there is nothing to test. Two
// and three processes are tried; DIVAN_TEST_PARTS=4 tries one to four.
#include "support/check.h"
#include "support/command.h"

#include "base/array.h"
#include "base/file.h"
#include "distributed/spread.h"
#include "io/mesh/mesh.h"

#include <stdlib.h>
#include <string.h>

#define MPIRUN "mpirun --allow-run-as-root --oversubscribe -n %d "
#define DIRECT "<PetscLinearSolver options='-ksp_type preonly -pc_type lu -pc_factor_mat_solver_type mumps'/>"
#define ALONE "<SparseLDLSolver template='CompressedRowSparseMatrixMat3x3'/>"

// looked for without being loaded: MPI in this process would hinder mpirun
static bool can_run(void)
{
  char *directory = dv_path_directory(DIVAN_BINARY), *module = dv_path_join(directory, "libdivan_petsc.so");
  const bool there = dv_file_is_regular(module) && system("command -v mpirun >/dev/null") == 0;
  dv_free(directory), dv_free(module);
  return there;
}

static int most(void)
{
  const char *asked = getenv("DIVAN_TEST_PARTS");
  return asked ? atoi(asked) : 3;
}
static int fewest(void) { return getenv("DIVAN_TEST_PARTS") ? 1 : 2; }

// a box of cells along x, y, z, as hexahedra or six tetrahedra each
static void write_box(const char *directory, const char *name, const int n[3], const double size[3], bool hexa)
{
  static const int cube[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                 {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
  static const int six[6][4] = {{0, 1, 2, 6}, {0, 2, 3, 6}, {0, 3, 7, 6}, {0, 7, 4, 6}, {0, 4, 5, 6}, {0, 5, 1, 6}};
  dvText t = {0};
  const int points = (n[0] + 1) * (n[1] + 1) * (n[2] + 1), cells = n[0] * n[1] * n[2], count = hexa ? cells : 6 * cells;
  dv_text_printf(&t, "# vtk DataFile Version 3.0\nbox\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS %d double\n", points);
  for (int k = 0; k <= n[2]; k++)
    for (int j = 0; j <= n[1]; j++)
      for (int i = 0; i <= n[0]; i++)
        dv_text_printf(&t, "%.17g %.17g %.17g\n", size[0] * i / n[0], size[1] * j / n[1], size[2] * k / n[2]);
  dv_text_printf(&t, "CELLS %d %d\n", count, count * (hexa ? 9 : 5));
  for (int c = 0; c < cells; c++) {
    const int i = c % n[0], j = c / n[0] % n[1], k = c / n[0] / n[1];
    int corner[8];
    for (int v = 0; v < 8; v++)
      corner[v] = i + cube[v][0] + (n[0] + 1) * (j + cube[v][1] + (n[1] + 1) * (k + cube[v][2]));
    for (int e = 0; e < (hexa ? 1 : 6); e++) {
      dv_text_add(&t, hexa ? "8" : "4");
      for (int v = 0; v < (hexa ? 8 : 4); v++) dv_text_printf(&t, " %d", corner[hexa ? v : six[e][v]]);
      dv_text_add(&t, "\n");
    }
  }
  dv_text_printf(&t, "CELL_TYPES %d\n", count);
  for (int c = 0; c < count; c++) dv_text_add(&t, hexa ? "12\n" : "10\n");
  dv_free(check_write(directory, name, t.text));
  dv_text_free(&t);
}

static const int cells[3] = {8, 3, 3};
static const double size[3] = {0.8, 0.3, 0.3};

// @ stands for the linear solver
static char *scene_with(const char *head, const char *solver, const char *body)
{
  return dv_format("<Node name='root' dt='0.02' gravity='0 -10 0'>%s%s<MeshVTKLoader name='mesh' filename='box.vtk' "
                   "createSubelements='1'/>"
                   "%s<BoxROI name='left' box='-0.01 -1 -1 0.01 1 1'/><BoxROI name='right' box='0.79 -1 -1 0.81 1 1'/>"
                   "</Node>",
                   head, solver, body);
}

#define TETRA "<TetrahedronSetTopologyContainer src='@mesh'/><MechanicalObject name='dofs' src='@mesh'/>"
#define HEXA "<HexahedronSetTopologyContainer src='@mesh'/><MechanicalObject name='dofs' src='@mesh'/>"
#define HELD "<FixedProjectiveConstraint indices='@left.indices'/>"

typedef struct Case {
  const char *name, *head, *body;
  bool hexa;
  int steps;
} Case;

static const Case cases[] = {
    {"corotational tetrahedra, implicit Euler", "<EulerImplicitSolver rayleighStiffness='0.02' rayleighMass='0.1'/>",
     TETRA HELD "<DiagonalMass massDensity='1000'/><TetrahedralCorotationalFEMForceField youngModulus='2e5' "
                "poissonRatio='0.3' method='large'/>",
     false, 6},
    {"a moving end and a mass that is shared", "<EulerImplicitSolver/>",
     TETRA HELD "<UniformMass totalMass='50'/><TetrahedronFEMForceField youngModulus='2e5' poissonRatio='0.3' "
                "method='large'/><LinearMovementProjectiveConstraint indices='@right.indices' keyTimes='0 0.1 1' "
                "movements='0 0 0  0.05 0.02 0  0.05 0.02 0'/>",
     false, 6},
    {"hyperelastic tetrahedra, statics",
     "<StaticSolver/><NewtonRaphsonSolver maxNbIterationsNewton='20' "
     "absoluteResidualStoppingThreshold='1e-9' maxNbIterationsLineSearch='5'/>",
     TETRA HELD
     "<MeshMatrixMass massDensity='1000'/><TetrahedronHyperelasticityFEMForceField materialName='NeoHookean' "
     "ParameterSet='80000 120000'/><ConstantForceField indices='@right.indices' force='0 0 20'/>",
     false, 1},
    {"hexahedra, Newmark", "<NewmarkImplicitSolver rayleighStiffness='0.01'/>",
     HEXA HELD "<DiagonalMass massDensity='1000'/><HexahedronFEMForceField youngModulus='2e5' poissonRatio='0.3' "
               "method='large'/>",
     true, 6},
    {"a full mass matrix, Newmark", "<NewmarkImplicitSolver/>",
     TETRA HELD "<MeshMatrixMass massDensity='1000'/><TetrahedronFEMForceField youngModulus='2e5' poissonRatio='0.4' "
                "method='polar'/><BoxROI name='face' box='0.79 -1 -1 0.81 1 1' triangles='@mesh.triangles'/>"
                "<TrianglePressureForceField triangleList='@face.triangleIndices' pressure='0 -2000 300'/>",
     false, 4},
};

// X= or V= of a dumped state; the caller frees it
static double *read_dump(const char *directory, const char *name, const char *label, size_t *count)
{
  char *path = dv_format("%s/%s/0_dofs.txt", directory, name), *text = dv_file_read(path, NULL);
  if (!text) print_error("%s is missing\n", path);
  assert_non_null(text);
  const char *s = strstr(text, label);
  assert_non_null(s);
  s += strlen(label);
  DV_ARRAY(double) out = {0};
  for (double value; *s != '\n' && dv_scan_real(&s, &value);) dv_push(&out, value);
  dv_free(path), dv_free(text);
  *count = out.count;
  return out.data;
}

static double apart(const char *directory, const char *a, const char *b, const char *label)
{
  size_t n, m;
  double *x = read_dump(directory, a, label, &n), *y = read_dump(directory, b, label, &m), most = 0, largest = 0;
  assert_int_equal(n, m);
  assert_true(n > 0);
  for (size_t i = 0; i < n; i++) most = fmax(most, fabs(x[i] - y[i])), largest = fmax(largest, fabs(x[i]));
  dv_free(x), dv_free(y);
  return largest > 0 ? most / largest : most;
}

static char *prepare(const Case *c, const char *solver)
{
  char *directory = check_mkdir(), *alone = scene_with(c->head, ALONE, c->body),
       *spread = scene_with(c->head, solver, c->body);
  write_box(directory, "box.vtk", cells, size, c->hexa);
  dv_free(check_write(directory, "alone.scn", alone));
  dv_free(check_write(directory, "spread.scn", spread));
  dv_free(alone), dv_free(spread);
  return directory;
}

// with a direct solver parts differ by rounding
static void parts_agree_with_one_process(void **state)
{
  DV_UNUSED(state);
  if (!can_run()) skip();
  for (size_t i = 0; i < DV_COUNT(cases); i++) {
    char *directory = prepare(&cases[i], DIRECT);
    check_command(0, "steps in", "cd %s && %s run alone.scn -n %d --threads 1 --dump-state one", directory,
                  DIVAN_BINARY, cases[i].steps);
    for (int p = fewest(); p <= most(); p++) {
      check_command(0, p == 1 ? "1 process;" : "processes;",
                    "cd %s && " MPIRUN "%s run spread.scn -n %d --distributed --dump-state parts", directory, p,
                    DIVAN_BINARY, cases[i].steps);
      const double x = apart(directory, "one", "parts", "X="), v = apart(directory, "one", "parts", "V=");
      if (!(x < 1e-11 && v < 1e-9)) print_error("%s, %d processes: %g and %g apart\n", cases[i].name, p, x, v);
      assert_true(x < 1e-11 && v < 1e-9);
    }
    check_rmdir(directory);
  }
}

// with multigrid by the tolerance of the solver; the same number of processes gives the same bits again
static void multigrid_agrees_and_repeats(void **state)
{
  DV_UNUSED(state);
  if (!can_run()) skip();
  const Case *c = &cases[0];
  char *directory = prepare(c, "<PetscLinearSolver options='-ksp_type cg -ksp_rtol 1e-10 -pc_type gamg'/>");
  check_command(0, NULL, "cd %s && %s run alone.scn -n %d --threads 1 --dump-state one", directory, DIVAN_BINARY,
                c->steps);
  check_command(0, "1 process;", "cd %s && %s run spread.scn -n 1 --distributed", directory, DIVAN_BINARY);
  for (int p = 2; p <= 3; p++) {
    for (int again = 0; again < 2; again++)
      check_command(0, NULL, "cd %s && " MPIRUN "%s run spread.scn -n %d --distributed --dump-state parts%d", directory,
                    p, DIVAN_BINARY, c->steps, again);
    const double x = apart(directory, "one", "parts0", "X=");
    if (!(x < 1e-7)) print_error("%d processes: %g apart\n", p, x);
    assert_true(x < 1e-7);
    check_command(0, NULL, "cd %s && cmp parts0/0_dofs.txt parts1/0_dofs.txt", directory);
    check_command(0, NULL,
                  "cd %s && " MPIRUN "%s run spread.scn -n 2 --distributed --save two.snap && " MPIRUN
                  "%s run spread.scn -n %d --distributed --restore two.snap --dump-state gone-on && cmp "
                  "parts0/0_dofs.txt gone-on/0_dofs.txt",
                  directory, p, DIVAN_BINARY, p, DIVAN_BINARY, c->steps - 2);
  }
  check_rmdir(directory);
}

// Patch test: a box is stretched along x by 5 per cent, free to become thinner: the strain is the same everywhere.
static void a_patch_is_exact_across_parts(void **state)
{
  DV_UNUSED(state);
  if (!can_run()) skip();
  char *directory = check_mkdir();
  write_box(directory, "box.vtk", cells, size, false);
  dv_free(check_write(
      directory, "patch.scn",
      "<Node name='root' dt='1' gravity='0 0 0'><StaticSolver/><NewtonRaphsonSolver maxNbIterationsNewton='2'/>" DIRECT
      "<MeshVTKLoader name='mesh' filename='box.vtk'/>" TETRA
      "<TetrahedronFEMForceField youngModulus='1e5' poissonRatio='0.25' method='small'/>"
      "<BoxROI name='x0' box='-0.01 -1 -1 0.01 1 1'/><BoxROI name='y0' box='-1 -0.01 -1 1 0.01 1'/>"
      "<BoxROI name='z0' box='-1 -1 -0.01 1 1 0.01'/><BoxROI name='x1' box='0.79 -1 -1 0.81 1 1'/>"
      "<PartialFixedProjectiveConstraint indices='@x0.indices' fixedDirections='1 0 0'/>"
      "<PartialFixedProjectiveConstraint indices='@y0.indices' fixedDirections='0 1 0'/>"
      "<PartialFixedProjectiveConstraint indices='@z0.indices' fixedDirections='0 0 1'/>"
      "<PartialLinearMovementProjectiveConstraint indices='@x1.indices' keyTimes='0 1 9' movements='0 0 0  0.04 0 0  "
      "0.04 0 0' movedDirections='1 0 0'/></Node>"));
  for (int p = fewest(); p <= most(); p++) {
    check_command(0, "steps in", "cd %s && " MPIRUN "%s run patch.scn -n 3 --distributed --dump-state parts", directory,
                  p, DIVAN_BINARY);
    size_t count;
    double *x = read_dump(directory, "parts", "X=", &count);
    assert_int_equal(count, 3 * 9 * 4 * 4);
    const double stretch[3] = {1.05, 1 - 0.25 * 0.05, 1 - 0.25 * 0.05};
    for (size_t i = 0; i < count; i++) {
      const size_t point = i / 3, at[3] = {point % 9, point / 9 % 4, point / 36};
      const size_t k = i % 3;
      check_close(x[i], stretch[k] * size[k] * (double)at[k] / cells[k], 1e-12);
    }
    dv_free(x);
  }
  check_rmdir(directory);
}

// points inside of the body are where one process has them; a surface is written whole
static void points_follow_the_body(void **state)
{
  DV_UNUSED(state);
  if (!can_run()) skip();
  static const char follower[] =
      "<Node name='Points'><MechanicalObject name='points' position='0.05 0.15 0.15  0.23 0.02 0.11  0.41 0.29 0.2  "
      "0.4 "
      "0.1 0.1  0.55 0.13 0.07  0.79 0.22 0.28'/><BarycentricMapping/></Node>"
      "<Node name='Skin'><OglModel name='skin' position='0.1 0.1 0.1  0.7 0.1 0.1  0.4 0.2 0.2' triangles='0 1 2'/>"
      "<BarycentricMapping/></Node>";
  Case c = cases[0];
  char *body = dv_format("%s%s", c.body, follower);
  c.body = body;
  char *directory = prepare(&c, DIRECT);
  check_command(0, NULL, "cd %s && %s run alone.scn -n 6 --threads 1 --dump-state one", directory, DIVAN_BINARY);
  check_command(0, NULL, "cd %s && mv one/1_points.txt one/0_dofs.txt", directory);
  for (int p = fewest(); p <= most(); p++) {
    check_command(0, NULL,
                  "cd %s && " MPIRUN "%s run spread.scn -n 6 --distributed --dump-state parts --out out && mv "
                  "parts/1_points.txt parts/0_dofs.txt",
                  directory, p, DIVAN_BINARY);
    const double x = apart(directory, "one", "parts", "X="), v = apart(directory, "one", "parts", "V=");
    if (!(x < 1e-11 && v < 1e-9)) print_error("%d processes: %g and %g apart\n", p, x, v);
    assert_true(x < 1e-11 && v < 1e-9);
  }
  dvMesh mesh = {0};
  char *path = dv_format("%s/out/visual_00006.vtu", directory);
  assert_int_equal(dv_mesh_read(path, &mesh, NULL), DV_OK);
  assert_int_equal(mesh.triangles.count, 3);
  dv_mesh_free(&mesh);
  dv_free(path), dv_free(body);
  check_rmdir(directory);
}

static void results_are_joined(void **state)
{
  DV_UNUSED(state);
  if (!can_run()) skip();
  char *directory = prepare(&cases[0], DIRECT);
  check_command(0, "open out/mechanics.pvd in ParaView",
                "cd %s && " MPIRUN "%s run spread.scn -n 2 --distributed --out out", directory, 3, DIVAN_BINARY);
  size_t tetrahedra = 0;
  for (int r = 0; r < 3; r++) {
    char *path = dv_format("%s/out/piece_00002_%05d.vtu", directory, r);
    dvMesh mesh = {0};
    dvMeshError error = {0};
    if (dv_mesh_read(path, &mesh, &error) != DV_OK) print_error("%s: %s\n", path, error.text);
    assert_true(dv_mesh_point_count(&mesh) > 0);
    tetrahedra += mesh.tetrahedra.count / 4;
    dv_mesh_free(&mesh);
    dv_free(path);
  }
  assert_int_equal(tetrahedra, 6 * 8 * 3 * 3);   // each once
  char *path = dv_format("%s/out/mechanics_00002.pvtu", directory), *text = dv_file_read(path, NULL);
  assert_non_null(text);
  assert_non_null(strstr(text, "<Piece Source=\"piece_00002_00002.vtu\"/>"));
  dv_free(text), dv_free(path);
  path = dv_format("%s/out/mechanics.pvd", directory), text = dv_file_read(path, NULL);
  assert_non_null(strstr(text, "mechanics_00000.pvtu"));
  assert_non_null(strstr(text, "mechanics_00002.pvtu"));
  dv_free(text), dv_free(path);
  check_rmdir(directory);
}

// A snapshot of two processes is one of the whole body: two, three and one go on from it with the same motion.
static void any_number_goes_on_from_a_snapshot(void **state)
{
  DV_UNUSED(state);
  if (!can_run()) skip();
  static const char outputs[] = "<Node name='Points'><MechanicalObject name='points' position='0.05 0.15 0.15'/>"
                                "<BarycentricMapping/></Node>";
  static const size_t chosen[] = {1, 3};   // a moving end; Newmark, which keeps accelerations
  for (size_t i = 0; i < DV_COUNT(chosen); i++) {
    Case c = cases[chosen[i]];
    char *body = dv_format("%s%s", c.body, outputs);
    c.body = body;
    char *directory = prepare(&c, DIRECT);
    check_command(0, NULL,
                  "cd %s && " MPIRUN "%s run spread.scn -n 6 --distributed --dump-state all && " MPIRUN
                  "%s run spread.scn -n 3 --distributed --save half.snap",
                  directory, 2, DIVAN_BINARY, 2, DIVAN_BINARY);
    check_command(0, NULL,
                  "cd %s && " MPIRUN "%s run spread.scn -n 3 --distributed --restore half.snap --dump-state two",
                  directory, 2, DIVAN_BINARY);
    assert_true(apart(directory, "all", "two", "X=") < 1e-11 && apart(directory, "all", "two", "V=") < 1e-9);
    check_command(0, NULL,
                  "cd %s && " MPIRUN "%s run spread.scn -n 3 --distributed --restore half.snap --dump-state three",
                  directory, 3, DIVAN_BINARY);
    assert_true(apart(directory, "all", "three", "X=") < 1e-11 && apart(directory, "all", "three", "V=") < 1e-9);
    // a run in one process goes on from it too, and the other way round
    check_command(0, NULL, "cd %s && %s run spread.scn -n 3 --restore half.snap --dump-state one", directory,
                  DIVAN_BINARY);
    assert_true(apart(directory, "all", "one", "X=") < 1e-11 && apart(directory, "all", "one", "V=") < 1e-9);
    check_command(0, NULL,
                  "cd %s && %s run spread.scn -n 3 --save one.snap && " MPIRUN
                  "%s run spread.scn -n 3 --distributed --restore one.snap --dump-state back",
                  directory, DIVAN_BINARY, 2, DIVAN_BINARY);
    assert_true(apart(directory, "all", "back", "X=") < 1e-11 && apart(directory, "all", "back", "V=") < 1e-9);
    dv_free(body);
    check_rmdir(directory);
  }
}

static void snapshots_that_cannot_be_are_told(void **state)
{
  DV_UNUSED(state);
  if (!can_run()) skip();
  Case c = cases[0];
  c.body = TETRA HELD "<DiagonalMass massDensity='1000'/><TetrahedronFEMForceField youngModulus='2e5' "
                      "poissonRatio='0.3' method='large' plasticMaxThreshold='1' plasticYieldThreshold='1e-4' "
                      "plasticCreep='0.5'/>";
  char *directory = prepare(&c, DIRECT);
  check_command(4, "remembers what each process has for itself: plastic strain",
                "cd %s && " MPIRUN "%s run spread.scn -n 2 --distributed --save half.snap", directory, 2, DIVAN_BINARY);
  check_command(4, "cannot be read", "cd %s && " MPIRUN "%s run spread.scn -n 2 --distributed --restore no.snap",
                directory, 2, DIVAN_BINARY);
  check_command(0, NULL, "cd %s && %s run alone.scn -n 2 --save other.snap", directory, DIVAN_BINARY);
  check_command(4, "does not fit", "cd %s && " MPIRUN "%s run spread.scn -n 2 --distributed --restore other.snap",
                directory, 2, DIVAN_BINARY);
  check_rmdir(directory);
}

// a mesh that was cut before: each process reads its part, and all is as if they had cut it themselves
static void parts_are_read_from_pieces(void **state)
{
  DV_UNUSED(state);
  if (!can_run()) skip();
  static const size_t chosen[] = {1, 4};   // with a mass of all points; with triangles that are pressed
  for (size_t i = 0; i < DV_COUNT(chosen); i++) {
    const Case *c = &cases[chosen[i]];
    char *directory = prepare(c, DIRECT);
    for (int p = 2; p <= 3; p++) {
      check_command(0, "144 points",
                    "cd %s && %s convert box.vtk box.pvtu --parts %d && sed s/box.vtk/box.pvtu/ spread.scn "
                    ">pieces.scn",
                    directory, DIVAN_BINARY, p);
      check_command(0, NULL,
                    "cd %s && " MPIRUN "%s run spread.scn -n %d --distributed --dump-state whole --save a.snap",
                    directory, p, DIVAN_BINARY, c->steps);
      check_command(0, "144 points, 432 elements",
                    "cd %s && mv box.vtk gone && " MPIRUN
                    "%s run pieces.scn -n %d --distributed --dump-state pieces --out out; mv gone box.vtk",
                    directory, p, DIVAN_BINARY, c->steps);
      assert_true(apart(directory, "whole", "pieces", "X=") < 1e-12 &&
                  apart(directory, "whole", "pieces", "V=") < 1e-10);
    }
    check_command(0, "144 points",   // the same with Gmsh's files
                  "cd %s && %s convert box.vtk box.geo --parts 3 && grep -q 'Merge \"box_00002.msh\";' box.geo && "
                  "sed 's/box.vtk/box.geo/; s/MeshVTKLoader/MeshGmshLoader/' spread.scn >gmsh.scn",
                  directory, DIVAN_BINARY);
    check_command(0, "144 points, 432 elements",
                  "cd %s && " MPIRUN "%s run gmsh.scn -n %d --distributed --dump-state gmsh", directory, 3,
                  DIVAN_BINARY, c->steps);
    assert_true(apart(directory, "whole", "gmsh", "X=") < 1e-12);
    // snapshots do not depend on who has cut the mesh
    check_command(0, NULL, "cd %s && " MPIRUN "%s run pieces.scn -n 1 --distributed --restore a.snap", directory, 3,
                  DIVAN_BINARY);
    check_command(4, "box.pvtu has 3 parts, and there are 2 processes",
                  "cd %s && " MPIRUN "%s run pieces.scn -n 1 --distributed", directory, 2, DIVAN_BINARY);
    check_command(4, "is a mesh in parts, one for each process", "cd %s && %s run pieces.scn -n 1", directory,
                  DIVAN_BINARY);
    check_command(4, "not all parts of",
                  "cd %s && head -c 400 box_00001.vtu >cut && mv cut box_00001.vtu && " MPIRUN
                  "%s run pieces.scn -n 1 --distributed",
                  directory, 3, DIVAN_BINARY);
    check_command(4, "not all parts of",
                  "cd %s && cp box_00000.vtu box_00001.vtu && sed -i s/divan_owner/other/ "
                  "box_00001.vtu && " MPIRUN "%s run pieces.scn -n 1 --distributed",
                  directory, 3, DIVAN_BINARY);
    check_command(4, "do not fit together",
                  "cd %s && cp box_00000.vtu box_00001.vtu && " MPIRUN "%s run pieces.scn -n 1 --distributed",
                  directory, 3, DIVAN_BINARY);
    check_rmdir(directory);
  }
  char *directory = check_mkdir();
  write_box(directory, "box.vtk", cells, size, false);
  check_command(2, "OUT.pvtu|OUT.geo --parts N", "cd %s && %s convert box.vtk box.vtu --parts 2", directory,
                DIVAN_BINARY);
  check_command(4, "cannot be cut into 5000 parts", "cd %s && %s convert box.vtk box.pvtu --parts 5000", directory,
                DIVAN_BINARY);
  check_rmdir(directory);
}

// --- what is refused -----------------------------------------------------------------------------

static void what_is_not_covered_is_refused_by_name(void **state)
{
  DV_UNUSED(state);
  if (!can_run()) skip();
#define FEM "<TetrahedronFEMForceField youngModulus='1e5' poissonRatio='0.3'/>"
  static const struct {
    const char *solver, *body, *says;
  } bad[] = {
      {"<CGLinearSolver/>", TETRA FEM "<DiagonalMass massDensity='1'/>", "CGLinearSolver does not work over several"},
      {DIRECT, TETRA FEM "<DiagonalMass massDensity='1'/><TriangleCollisionModel/>",
       "TriangleCollisionModel cannot be distributed"},
      {DIRECT, TETRA FEM "<DiagonalMass totalMass='1'/>", "totalMass of DiagonalMass cannot be distributed"},
      {DIRECT, TETRA FEM "<DiagonalMass massDensity='1'/><FixedProjectiveConstraint indices='0 1 2'/>",
       "indices lists points or elements by their numbers"},
      {DIRECT, TETRA FEM "<DiagonalMass massDensity='1'/><ConstantForceField totalForce='1 0 0'/>",
       "totalForce cannot be distributed"},
      {DIRECT, TETRA FEM "<UniformMass totalMass='1'/><Node name='other'><MechanicalObject/></Node>",
       "there are 2 states"},
      {DIRECT,
       TETRA FEM "<UniformMass totalMass='1'/><Node name='other'><MechanicalObject position='0.1 0.1 0.1'/>"
                 "<BarycentricMapping/><UniformMass totalMass='1'/></Node>",
       "forces or masses below a mapping cannot be distributed"},
  };
  char *directory = check_mkdir();
  write_box(directory, "box.vtk", cells, size, false);
  for (size_t i = 0; i < DV_COUNT(bad); i++) {
    char *text = scene_with("<EulerImplicitSolver/>", bad[i].solver, bad[i].body);
    dv_free(check_write(directory, "bad.scn", text));
    check_command(4, bad[i].says, "cd %s && " MPIRUN "%s run bad.scn -n 1 --distributed", directory, 2, DIVAN_BINARY);
    dv_free(text);
  }
  dv_free(check_write(directory, "grid.scn",
                      "<Node><EulerImplicitSolver/>" DIRECT "<MeshTopology position='0 0 0'/><MechanicalObject "
                      "name='dofs'/></Node>"));
  check_command(4, "no mesh was cut", "cd %s && %s run grid.scn -n 1 --distributed", directory, DIVAN_BINARY);
  check_command(2, "--csv cannot be used with --distributed", "cd %s && %s run bad.scn --distributed --csv x",
                directory, DIVAN_BINARY);
  check_rmdir(directory);
}

static void too_many_parts_are_told(void **state)
{
  DV_UNUSED(state);
  if (!can_run()) skip();
  char *directory = check_mkdir();
  const int one[3] = {1, 1, 1};
  write_box(directory, "box.vtk", one, size, true);
  char *text =
      scene_with("<EulerImplicitSolver/>", DIRECT,
                 HEXA "<UniformMass totalMass='1'/><HexahedronFEMForceField youngModulus='1' poissonRatio='0'/>");
  dv_free(check_write(directory, "one.scn", text));
  check_command(4, "cannot be cut into 3 parts", "cd %s && " MPIRUN "%s run one.scn -n 1 --distributed", directory, 3,
                DIVAN_BINARY);
  dv_free(text);
  check_rmdir(directory);
}

// --- processes that fail -------------------------------------------------------------------------

static void one_that_cannot_write_ends_all(void **state)
{
  DV_UNUSED(state);
  if (!can_run()) skip();
  char *directory = prepare(&cases[0], DIRECT);
  check_command(
      4, "cannot be written by rank 1",
      "cd %s && echo x > file && timeout 60 " MPIRUN
      "sh -c 'if [ $OMPI_COMM_WORLD_RANK = 1 ]; then out=file/x; else out=out; fi; exec %s run spread.scn -n 5 "
      "--distributed --out $out'",
      directory, 2, DIVAN_BINARY);
  check_rmdir(directory);
}

static void one_that_dies_ends_all(void **state)
{
  DV_UNUSED(state);
  if (!can_run()) skip();
  char *directory = prepare(&cases[0], DIRECT), *out;
  const int status =
      check_shell(&out,
                  "cd %s && timeout 60 " MPIRUN
                  "sh -c 'if [ $OMPI_COMM_WORLD_RANK = 1 ]; then (sleep 3; kill -9 $$) & fi; exec %s run spread.scn "
                  "-n 10000000 --distributed' 2>&1",
                  directory, 2, DIVAN_BINARY);
  if (status == 0 || status == 124) print_error("status %d: %s\n", status, out);
  assert_true(status != 0 && status != 124);   // 124: it hung
  dv_free(out);
  check_rmdir(directory);
}

// --- cutting -------------------------------------------------------------------------------------

static void parts_are_even(void **state)
{
  DV_UNUSED(state);
  enum { N = 20 };   // a chain of tetrahedra that share faces
  int32_t starts[N - 2], corners[4 * (N - 3)], part[N];
  for (int e = 0; e < N - 3; e++) {
    starts[e] = 4 * e;
    for (int k = 0; k < 4; k++) corners[4 * e + k] = e + k;
  }
  starts[N - 3] = 4 * (N - 3);
  assert_true(dv_spread_partition(1, N, N - 3, starts, corners, part));
  for (int i = 0; i < N; i++) assert_int_equal(part[i], 0);
  if (!dv_spread_partition(2, N, N - 3, starts, corners, part)) skip();   // without METIS
  int counts[2] = {0, 0};
  for (int i = 0; i < N; i++) {
    assert_in_range(part[i], 0, 1);
    counts[part[i]]++;
  }
  assert_in_range(counts[0], N / 2 - 3, N / 2 + 3);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(parts_are_even),
                                     cmocka_unit_test(parts_agree_with_one_process),
                                     cmocka_unit_test(multigrid_agrees_and_repeats),
                                     cmocka_unit_test(a_patch_is_exact_across_parts),
                                     cmocka_unit_test(points_follow_the_body),
                                     cmocka_unit_test(results_are_joined),
                                     cmocka_unit_test(any_number_goes_on_from_a_snapshot),
                                     cmocka_unit_test(snapshots_that_cannot_be_are_told),
                                     cmocka_unit_test(parts_are_read_from_pieces),
                                     cmocka_unit_test(what_is_not_covered_is_refused_by_name),
                                     cmocka_unit_test(too_many_parts_are_told),
                                     cmocka_unit_test(one_that_cannot_write_ends_all),
                                     cmocka_unit_test(one_that_dies_ends_all)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

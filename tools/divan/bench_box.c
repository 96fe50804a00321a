// Boxes of tetrahedra of any size for benchmarks. See bench.h.
#include "bench.h"

#include "base/file.h"

#include <stdio.h>

static const double width = 0.1;

// one of the six tetrahedra around the diagonal of a cell: the corners passed when walking the axes in turn
static void cut_cell(const int n[3], const int cell[3], int which, int32_t out[4])
{
  static const int walks[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
  int at[3] = {cell[0], cell[1], cell[2]};
  for (int s = 0; s < 4; s++) {
    out[s] = (at[2] * (n[1] + 1) + at[1]) * (n[0] + 1) + at[0];
    if (s < 3) at[walks[which][s]]++;
  }
  if (which < 3) return;
  int32_t last = out[3];   // these walks turn the other way round
  out[3] = out[2];
  out[2] = last;
}

Box box_create(int nx, int ny, int nz)
{
  const int n[3] = {nx, ny, nz};
  Box b = {.points = (size_t)(nx + 1) * (size_t)(ny + 1) * (size_t)(nz + 1),
           .count = 6 * (size_t)nx * (size_t)ny * (size_t)nz};
  b.position = dv_alloc(3 * b.points * sizeof(double));
  b.tetrahedra = dv_alloc(4 * b.count * sizeof(int32_t));
  size_t p = 0, e = 0;
  for (int k = 0; k <= nz; k++)
    for (int j = 0; j <= ny; j++)
      for (int i = 0; i <= nx; i++) {
        b.position[p++] = width * i;
        b.position[p++] = width * j;
        b.position[p++] = width * k;
      }
  for (int k = 0; k < nz; k++)
    for (int j = 0; j < ny; j++)
      for (int i = 0; i < nx; i++)
        for (int which = 0; which < 6; which++) cut_cell(n, (int[]){i, j, k}, which, b.tetrahedra + 4 * e++);
  return b;
}

void box_free(Box *box)
{
  dv_free(box->position);
  dv_free(box->tetrahedra);
  *box = (Box){0};
}

static bool write_mesh(const Box *b, const char *path)
{
  FILE *f = fopen(path, "w");
  if (!f) return false;
  fprintf(f, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n%zu\n", b->points);
  for (size_t i = 0; i < b->points; i++)
    fprintf(f, "%zu %.9g %.9g %.9g\n", i + 1, b->position[3 * i], b->position[3 * i + 1], b->position[3 * i + 2]);
  fprintf(f, "$EndNodes\n$Elements\n%zu\n", b->count);
  for (size_t i = 0; i < b->count; i++) {
    const int32_t *t = b->tetrahedra + 4 * i;
    fprintf(f, "%zu 4 2 1 1 %d %d %d %d\n", i + 1, t[0] + 1, t[1] + 1, t[2] + 1, t[3] + 1);
  }
  fprintf(f, "$EndElements\n");
  return fclose(f) == 0;
}

static const char scene_head[] =
    "<Node name='root' dt='0.02' gravity='0 -9.81 0'>\n"
    "  <DefaultAnimationLoop/>\n"
    "  <Node name='box'>\n"
    "    <EulerImplicitSolver rayleighStiffness='0.01' rayleighMass='0.1'/>\n"
    "    <CGLinearSolver iterations='25' tolerance='1e-15' threshold='1e-15'/>\n"
    "    <MeshGmshLoader name='mesh' filename='%s.msh'/>\n"
    "    <TetrahedronSetTopologyContainer src='@mesh'/>\n"
    "    <MechanicalObject name='dofs' src='@mesh'/>\n"
    "    <DiagonalMass massDensity='1000'/>\n"
    "    <TetrahedralCorotationalFEMForceField name='fem' youngModulus='1e6' poissonRatio='0.4' method='large'/>\n"
    "    <BoxROI name='end' box='-1 -1 -0.01 1000 1000 0.01'/>\n"
    "    <FixedProjectiveConstraint indices='@end.indices'/>\n";
static const char scene_points[] =
    "    <Node name='points'>\n"
    "      <MechanicalObject name='dofs' position='@../mesh.position' translation='0.03 0.05 0.02'/>\n"
    "      <BarycentricMapping name='mapping'/>\n"
    "    </Node>\n";

char *box_write_scene(const Box *box, const char *directory, const char *name, bool points)
{
  char *mesh = dv_format("%s/%s.msh", directory, name), *scene = dv_format("%s/%s.scn", directory, name);
  bool good = write_mesh(box, mesh);
  FILE *f = good ? fopen(scene, "w") : NULL;
  if (f) {
    fprintf(f, scene_head, name);
    fprintf(f, "%s  </Node>\n</Node>\n", points ? scene_points : "");
    fclose(f);
  }
  dv_free(mesh);
  return scene;
}

// generate_organ OUTDIR [--cell METRES]: makes an organ like a liver, of Divan's own.
//
// Writes tetrahedra (organ.msh, Gmsh 2.2), the smooth surface, which is the boundary of a finer lattice
// (organ-surface.obj), and spheres that fill it (organ.sph). The same bytes on every run.
#include "organ.h"

#include "base/file.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>

// --- files ---------------------------------------------------------------------------------------

static FILE *open_output(const char *directory, const char *name)
{
  char *path = dv_path_join(directory, name);
  FILE *f = fopen(path, "wb");
  if (!f) {
    fprintf(stderr, "generate_organ: cannot write %s\n", path);
    exit(1);
  }
  dv_free(path);
  return f;
}

static void close_output(FILE *f)
{
  bool bad = ferror(f) != 0;
  if (fclose(f) != 0 || bad) {
    fprintf(stderr, "generate_organ: writing failed\n");
    exit(1);
  }
}

// micrometres are fine enough; no minus before a zero
static void print_vec(FILE *f, Vec3 p, const char *end)
{
  for (int k = 0; k < 3; k++) fprintf(f, " %.6f", fabs(p.x[k]) < 5e-7 ? 0.0 : p.x[k]);
  fputs(end, f);
}

static void write_msh(const char *directory, const Volume *volume)
{
  FILE *f = open_output(directory, "organ.msh");
  fprintf(f, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n3 1 \"organ\"\n$EndPhysicalNames\n");
  fprintf(f, "$Nodes\n%zu\n", volume->points.count);
  for (size_t i = 0; i < volume->points.count; i++) {
    fprintf(f, "%zu", i + 1);
    print_vec(f, volume->points.data[i], "\n");
  }
  fprintf(f, "$EndNodes\n$Elements\n%zu\n", volume->tetras.count);
  for (size_t i = 0; i < volume->tetras.count; i++) {
    const int *v = volume->tetras.data[i].v;
    fprintf(f, "%zu 4 2 1 1 %d %d %d %d\n", i + 1, v[0] + 1, v[1] + 1, v[2] + 1, v[3] + 1);
  }
  fprintf(f, "$EndElements\n");
  close_output(f);
}

static void write_obj(const char *directory, const Surface *surface)
{
  FILE *f = open_output(directory, "organ-surface.obj");
  fprintf(f, "# surface of the organ, in metres, made by generate_organ\no organ\n");
  for (size_t i = 0; i < surface->points.count; i++) {
    fputc('v', f);
    print_vec(f, surface->points.data[i], "\n");
  }
  for (size_t i = 0; i < surface->points.count; i++) {
    Vec3 g = organ_gradient(surface->points.data[i]);
    fputs("vn", f);
    print_vec(f, scale(g, 1 / norm(g)), "\n");
  }
  fprintf(f, "s 1\n");
  for (size_t i = 0; i < surface->triangles.count; i++) {
    const int *v = surface->triangles.data[i].v;
    fprintf(f, "f %d//%d %d//%d %d//%d\n", v[0] + 1, v[0] + 1, v[1] + 1, v[1] + 1, v[2] + 1, v[2] + 1);
  }
  close_output(f);
}

static void write_sph(const char *directory, const Spheres *spheres)
{
  FILE *f = open_output(directory, "organ.sph");
  fprintf(f, "sph 1.0\nnums %zu\n", spheres->count);
  for (size_t i = 0; i < spheres->count; i++) {
    fprintf(f, "sphe %zu", i + 1);
    print_vec(f, spheres->data[i].centre, "");
    fprintf(f, " %.6f\n", spheres->data[i].radius);
  }
  close_output(f);
}

// --- report --------------------------------------------------------------------------------------

// every edge of a closed surface has two triangles, in opposite directions; 2 for a sphere's shape
static long euler(size_t points, size_t triangles)
{
  return (long)points - (long)(triangles * 3 / 2) + (long)triangles;
}

// false when the tetrahedra are not fit for simulation
static bool report(const Volume *volume, const Surface *surface, const Spheres *spheres)
{
  double total = 0, least = 180, greatest = 0;
  Surface skin = {0};
  surface_of(volume, &skin);
  for (size_t i = 0; i < volume->tetras.count; i++) {
    double low, high;
    dihedral_range(volume->points.data, volume->tetras.data[i], &low, &high);
    least = dv_min(least, low);
    greatest = dv_max(greatest, high);
    total += six_volumes(volume->points.data, volume->tetras.data[i]) / 6;
  }
  printf("organ.msh: %zu points, %zu tetrahedra, %.1f ml, dihedral angles %.2f to %.2f degrees, skin %zu triangles "
         "(%ld)\n",
         volume->points.count, volume->tetras.count, total * 1e6, least, greatest, skin.triangles.count,
         euler(skin.points.count, skin.triangles.count));
  printf("organ-surface.obj: %zu points, %zu triangles (%ld)\n", surface->points.count, surface->triangles.count,
         euler(surface->points.count, surface->triangles.count));
  printf("organ.sph: %zu spheres\n", spheres->count);
  surface_free(&skin);
  if (least > 10) return true;
  fprintf(stderr, "generate_organ: a dihedral angle of %.2f degrees is too small\n", least);
  return false;
}

static bool generate(const char *directory, double cell)
{
  Volume volume = {0}, fine = {0};
  Surface surface = {0};
  Spheres spheres = {0};
  volume_fill(&volume, cell);
  volume_improve(&volume, cell);
  volume_fill(&fine, 0.4 * cell);
  surface_of(&fine, &surface);
  surface_even_out(&surface, 20);
  surface_pack_spheres(&surface, 0.005, 0.010, 0.020, &spheres);
  write_msh(directory, &volume);
  write_obj(directory, &surface);
  write_sph(directory, &spheres);
  bool good = report(&volume, &surface, &spheres);
  dv_array_free(&spheres);
  surface_free(&surface);
  volume_free(&volume);
  volume_free(&fine);
  return good;
}

int main(int argc, char **argv)
{
  const char *directory = NULL;
  double cell = 0.024;
  for (int i = 1; i < argc; i++) {
    const char *value = i + 1 < argc ? argv[i + 1] : "";
    if (dv_same(argv[i], "--cell") && dv_scan_real(&value, &cell) && !*value) i++;
    else if (!directory && argv[i][0] != '-') directory = argv[i];
    else directory = "";
  }
  if (!directory || !*directory || !(cell >= 0.006 && cell <= 0.04)) {
    fprintf(stderr, "usage: generate_organ OUTDIR [--cell METRES]   (0.006 to 0.04, default 0.024)\n");
    return DV_ERROR_USAGE;
  }
  if (!dv_make_directories(directory)) {
    fprintf(stderr, "generate_organ: cannot make the folder %s\n", directory);
    return DV_ERROR_INPUT;
  }
  return generate(directory, cell) ? 0 : DV_ERROR_DIVERGED;
}

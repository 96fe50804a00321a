// divan validate DIR: the silicone cylinder of M. Marchal, J. Allard, C. Duriez, S. Cotin, Towards a framework for
// assessing deformable models in medical simulation, 2008. One end is held, the cylinder bends under its weight by more
// than half its length; the scanned result is DIR/truthCylinder-Deformed.obj (SOFA, share/mesh).
//
// Tetrahedra are those of DIR/truthcylinder1.msh; hexahedra are made here: a section of quads (a square in the middle,
// rings around it), drawn out along z; and tetrahedra from those, six each. The cylinder is let down by implicit Euler
// steps until it rests.
#include "validate.h"

#include "base/file.h"
#include "io/mesh/mesh.h"
#include "math/vec.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const double radius = 0.019, length = 0.178, mass = 0.216;   // m, m, kg: the phantom

typedef struct Section {
  DV_ARRAY(double) points;   // x y
  DV_ARRAY(int32_t) quads;
  DV_ARRAY(int32_t) border;   // around it
} Section;

// --- the mesh ---

static void make_section(Section *s, int side, int rings)
{
  int n = side + 1;
  const double pi = 3.14159265358979323846;
  for (int i = 0; i < n * n; i++) {
    double u = 2.0 * (i % n) / side - 1, v = 2.0 * (i / n) / side - 1, bulge = 0.55 * radius;
    dv_push(&s->points, bulge * u * (1 - 0.15 * v * v));
    dv_push(&s->points, bulge * v * (1 - 0.15 * u * u));
  }
  int around = 4 * side;
  DV_ARRAY(int32_t) loop = {0};
  for (int i = 0; i < around; i++) {
    int edge = i / side, k = i % side;
    int x = edge == 0   ? k
            : edge == 1 ? side
            : edge == 2 ? side - k
                        : 0,
        y = edge == 0   ? 0
            : edge == 1 ? k
            : edge == 2 ? side
                        : side - k;
    dv_push(&loop, (int32_t)(x + n * y));
  }
  for (int y = 0; y < side; y++)
    for (int x = 0; x < side; x++) {
      int32_t a = (int32_t)(x + n * y);
      const int32_t quad[4] = {a, a + 1, a + n + 1, a + n};
      for (int k = 0; k < 4; k++) dv_push(&s->quads, quad[k]);
    }
  for (int ring = 1; ring <= rings; ring++) {
    DV_ARRAY(int32_t) outer = {0};
    for (int i = 0; i < around; i++) {
      double angle = pi * (2.0 * i / around - 0.75);
      const double *from = s->points.data + 2 * loop.data[i];
      double x = from[0] + (radius * cos(angle) - from[0]) / (rings - ring + 1),
             y = from[1] + (radius * sin(angle) - from[1]) / (rings - ring + 1);
      dv_push(&outer, (int32_t)(s->points.count / 2));
      dv_push(&s->points, x);
      dv_push(&s->points, y);
    }
    for (int i = 0; i < around; i++) {
      int j = (i + 1) % around;
      const int32_t quad[4] = {outer.data[i], outer.data[j], loop.data[j], loop.data[i]};
      for (int k = 0; k < 4; k++) dv_push(&s->quads, quad[k]);
    }
    dv_array_free(&loop);
    loop.data = outer.data, loop.count = outer.count, loop.capacity = outer.capacity;
  }
  for (int i = 0; i < around; i++) dv_push(&s->border, loop.data[i]);
  dv_array_free(&loop);
}

static void free_section(Section *s)
{
  dv_array_free(&s->points);
  dv_array_free(&s->quads);
  dv_array_free(&s->border);
}

// A cylinder as attributes of a topology, and its surface.
typedef struct Model {
  dvText mesh;
  DV_ARRAY(int32_t) surface;
  DV_ARRAY(double) points;
} Model;

static void free_model(Model *m)
{
  dv_text_free(&m->mesh);
  dv_array_free(&m->surface);
  dv_array_free(&m->points);
}

static void add_elements(Model *m, const char *kind, const int32_t *elements, size_t count)
{
  dv_text_add(&m->mesh, "<MeshTopology name='mesh' position='");
  for (size_t i = 0; i < m->points.count; i++) dv_text_printf(&m->mesh, "%.12g ", m->points.data[i]);
  dv_text_printf(&m->mesh, "' %s='", kind);
  for (size_t i = 0; i < count; i++) dv_text_printf(&m->mesh, "%d ", elements[i]);
  dv_text_add(&m->mesh, "'/>");
}

static void add_quad(Model *m, int32_t a, int32_t b, int32_t c, int32_t d)
{
  const int32_t two[6] = {a, b, c, a, c, d};
  for (int k = 0; k < 6; k++) dv_push(&m->surface, two[k]);
}

// hexahedra, or six tetrahedra for each of them
static void drawn_model(Model *m, int side, int rings, int layers, bool cut)
{
  static const int six[24] = {0, 1, 2, 6, 0, 2, 3, 6, 0, 3, 7, 6, 0, 7, 4, 6, 0, 4, 5, 6, 0, 5, 1, 6};
  Section s = {0};
  DV_ARRAY(int32_t) hexahedra = {0};
  make_section(&s, side, rings);
  int32_t points = (int32_t)(s.points.count / 2);
  for (int32_t i = 0; i < points * (layers + 1); i++) {
    dv_push(&m->points, s.points.data[2 * (i % points)]);
    dv_push(&m->points, s.points.data[2 * (i % points) + 1]);
    dv_push(&m->points, length * (i / points) / layers);
  }
  for (int32_t z = 0; z < layers; z++) {
    for (size_t i = 0; i < 2 * s.quads.count; i++)
      dv_push(&hexahedra, points * (z + (int32_t)(i / 4 % 2)) + s.quads.data[i / 8 * 4 + i % 4]);
    for (size_t i = 0; i < s.border.count; i++) {
      int32_t a = points * z + s.border.data[i], b = points * z + s.border.data[(i + 1) % s.border.count];
      add_quad(m, a, b, b + points, a + points);
    }
  }
  for (size_t q = 0; q < 2 * s.quads.count; q += 4) {
    const int32_t *c = s.quads.data + q % s.quads.count, shift = q < s.quads.count ? 0 : points * layers;
    add_quad(m, shift + c[0], shift + c[1], shift + c[2], shift + c[3]);
  }
  DV_ARRAY(int32_t) tetrahedra = {0};
  for (size_t i = 0; cut && i < 3 * hexahedra.count; i++)
    dv_push(&tetrahedra, hexahedra.data[i / 24 * 8 + (size_t)six[i % 24]]);
  if (cut) add_elements(m, "tetrahedra", tetrahedra.data, tetrahedra.count);
  else add_elements(m, "hexahedra", hexahedra.data, hexahedra.count);
  dv_array_free(&tetrahedra);
  dv_array_free(&hexahedra);
  free_section(&s);
}

typedef struct Face {
  int32_t sorted[3], corner[3];
} Face;

static int compare_faces(const void *a, const void *b)
{
  return memcmp(((const Face *)a)->sorted, ((const Face *)b)->sorted, sizeof(int32_t) * 3);
}

// faces that one tetrahedron alone has
static void add_boundary(Model *m, const dvMeshIndices *tetra)
{
  static const int faces[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
  DV_ARRAY(Face) all = {0};
  for (size_t e = 0; e < 4 * (tetra->count / 4); e++) {
    Face f;
    for (int k = 0; k < 3; k++) f.corner[k] = f.sorted[k] = tetra->data[e / 4 * 4 + (size_t)faces[e % 4][k]];
    for (int i = 0; i < 3; i++)
      for (int k = 0; k < 2; k++)
        if (f.sorted[k] > f.sorted[k + 1]) {
          int32_t keep = f.sorted[k];
          f.sorted[k] = f.sorted[k + 1], f.sorted[k + 1] = keep;
        }
    dv_push(&all, f);
  }
  qsort(all.data, all.count, sizeof(Face), compare_faces);
  for (size_t i = 0; i < all.count; i++) {
    bool again = (i > 0 && compare_faces(&all.data[i - 1], &all.data[i]) == 0) ||
                 (i + 1 < all.count && compare_faces(&all.data[i + 1], &all.data[i]) == 0);
    for (int k = 0; k < 3 && !again; k++) dv_push(&m->surface, all.data[i].corner[k]);
  }
  dv_array_free(&all);
}

// the mesh of the data set: along y, in other units
static bool tetra_model(Model *m, const char *directory)
{
  char *path = dv_format("%s/truthcylinder1.msh", directory);
  dvMesh mesh = {0};
  dvMeshError error = {0};
  bool good = dv_mesh_read(path, &mesh, &error) == DV_OK;
  if (!good) fprintf(stderr, "divan validate: %s: %s\n", path, *error.text ? error.text : "cannot be read");
  for (size_t i = 0; good && i < mesh.positions.count; i += 3) {
    const double *x = mesh.positions.data + i;
    dv_push(&m->points, x[0] * radius / 3.75);
    dv_push(&m->points, -x[2] * radius / 3.75);
    dv_push(&m->points, (x[1] + 17.78) * length / 35.56);
  }
  if (good) add_elements(m, "tetrahedra", mesh.tetrahedra.data, mesh.tetrahedra.count);
  if (good) add_boundary(m, &mesh.tetrahedra);
  dv_mesh_free(&mesh);
  dv_free(path);
  return good;
}

// --- distances ---

static double point_to_triangle(dvVec3 p, dvVec3 a, dvVec3 b, dvVec3 c)
{
  dvVec3 ab = dv_vec3_sub(b, a), ac = dv_vec3_sub(c, a), n = dv_vec3_cross(ab, ac), ap = dv_vec3_sub(p, a);
  double area = dv_vec3_norm2(n), best = INFINITY;
  if (area > 0) {
    double v = dv_vec3_dot(dv_vec3_cross(ap, ac), n) / area, w = dv_vec3_dot(dv_vec3_cross(ab, ap), n) / area;
    if (v >= 0 && w >= 0 && v + w <= 1) return fabs(dv_vec3_dot(ap, n)) / sqrt(area);
  }
  const dvVec3 ends[3][2] = {{a, b}, {b, c}, {c, a}};
  for (int i = 0; i < 3; i++) {
    dvVec3 d = dv_vec3_sub(ends[i][1], ends[i][0]), q = dv_vec3_sub(p, ends[i][0]);
    double s = fmin(fmax(dv_vec3_dot(q, d) / fmax(dv_vec3_norm2(d), 1e-300), 0), 1);
    best = fmin(best, dv_vec3_norm(dv_vec3_sub(q, dv_vec3_scale(d, s))));
  }
  return best;
}

// mean distance of points to triangles
static double mean_distance(const double *from, size_t count, const double *x, const int32_t *triangles, size_t corners)
{
  double sum = 0;
  for (size_t i = 0; i < count; i++) {
    double least = INFINITY;
    for (size_t k = 0; k < corners; k += 3)
      least = fmin(least, point_to_triangle(dv_vec3_load(from + 3 * i), dv_vec3_load(x + 3 * (size_t)triangles[k]),
                                            dv_vec3_load(x + 3 * (size_t)triangles[k + 1]),
                                            dv_vec3_load(x + 3 * (size_t)triangles[k + 2])));
    sum += least;
  }
  return sum / (double)count;
}

// --- trials ---

typedef enum Shape { SCENE, DRAWN, DRAWN_FINE, CUT, CUT_FINE, SHAPES } Shape;

typedef struct Run {
  const char *name, *force;
  Shape shape;
  bool by_volume;   // mass of a point from the volume around it instead of the same for all
  bool fit;
  double poisson;
} Run;

static const char linear[] = "TetrahedronFEMForceField method='small'",
                  large[] = "TetrahedronFEMForceField method='large'",
                  polar[] = "TetrahedronFEMForceField method='polar'",
                  hexa[] = "HexahedronFEMForceField method='large'", springs[] = "SpringLattice";
static const Run runs[] = {
    {"tetrahedra, linear (TetrahedronFEMForceField, small)", linear, SCENE, false, false, 0.49},
    {"tetrahedra, corotational (TetrahedronFEMForceField, large)", large, SCENE, false, false, 0.49},
    {"tetrahedra, corotational (TetrahedronFEMForceField, polar)", polar, SCENE, false, false, 0.49},
    {"the same, masses by volume", polar, SCENE, true, false, 0.49},
    {"the same, modulus fitted", polar, SCENE, true, true, 0.45},
    {"hexahedra, corotational (HexahedronFEMForceField, large)", hexa, DRAWN, false, false, 0.49},
    {"the same, masses by volume", hexa, DRAWN, true, false, 0.49},
    {"the same, modulus fitted", hexa, DRAWN, true, true, 0.49},
    {"hexahedra, finer, masses by volume", hexa, DRAWN_FINE, true, false, 0.49},
    {"six tetrahedra for each hexahedron, polar, masses by volume", polar, CUT, true, false, 0.49},
    {"the same of the finer ones", polar, CUT_FINE, true, false, 0.49},
    {"cubes of springs (SpringLattice), modulus fitted", springs, DRAWN, true, true, 0.317},
};

static const double modulus = 60000;   // Pa, as in SOFA's scenes

typedef struct Outcome {
  double there, back, tip[3];   // mean distances and the centre of the free end
} Outcome;

static bool let_down(Trial *t)
{
  double most = 0;
  for (int step = 0; step < 400 && (step < 20 || most > 1e-6); step++) {
    if (dv_scene_step(t->scene, 0) != DV_OK) return false;
    const double *v = dv_state_read(t->dofs, DV_V);
    most = 0;
    for (size_t i = 0; i < 3 * t->dofs->count; i++) most = fmax(most, fabs(v[i]));
    if (!(most < 1e3)) return false;
  }
  return most < 1e-3;
}

static void compare(const Model *m, const double *x, const dvMesh *scan, Outcome *out)
{
  size_t points = m->points.count / 3, ends = 0;
  *out = (Outcome){
      .there = mean_distance(scan->positions.data, scan->positions.count / 3, x, m->surface.data, m->surface.count)};
  double sum = 0;
  size_t outer = 0;
  for (size_t i = 0; i < points; i++) {
    const double *rest = m->points.data + 3 * i;
    bool end = rest[2] > length - 1e-6;
    for (int a = 0; a < 3 && end; a++) out->tip[a] += x[3 * i + (size_t)a];
    ends += end;
    if (hypot(rest[0], rest[1]) < radius * 0.999) continue;
    sum += mean_distance(x + 3 * i, 1, scan->positions.data, scan->triangles.data, scan->triangles.count);
    outer++;
  }
  out->back = sum / (double)outer;
  for (int a = 0; a < 3; a++) out->tip[a] /= (double)ends;
}

// cubes of springs that step by themselves; the points of the model follow them
static char *lattice_text(double young, const Model *m)
{
  return dv_format(
      "<Node gravity='0 -9.81 0' dt='0.02'><DefaultAnimationLoop/>%s<MechanicalObject name='dofs'/><GenerateCylinder "
      "name='body' radius='%g' height='%g' resCircumferential='48' resRadial='2' resHeight='3' openSurface='0'/>"
      "<Node name='Lattice'><VoxelLattice name='v' inputPosition='@../body.output_TrianglesPosition' "
      "triangles='@../body.triangles' cell='%.17g'/><MeshTopology name='cubes' position='@v.position' "
      "hexahedra='@v.hexahedra'/><MechanicalObject name='points' position='@v.position'/><SpringLattice "
      "springs='@v.edges' weights='@v.weights' shares='@v.shares' volume='@v.volume' totalMass='%g' youngModulus='%g' "
      "rayleighMass='8' substeps='75'/><BoxROI name='end' box='-1 -1 -1 1 1 1e-4' position='@v.position'/>"
      "<LatticeGuide indices='@end.indices'/></Node><BarycentricMapping input='@Lattice/points' output='@dofs' "
      "input_topology='@Lattice/cubes'/></Node>",
      m->mesh.text, radius, length, length / 42, mass, young);
}

static bool run_once(const Run *r, double young, const Model *m, const dvMesh *scan, Outcome *out)
{
  Trial t;
  char *text =
      r->force == springs
          ? lattice_text(young, m)
          : dv_format("<Node gravity='0 -9.81 0' dt='0.1'><EulerImplicitSolver rayleighMass='2'/><SparseLDLSolver "
                      "template='CompressedRowSparseMatrixMat3x3d'/>%s"
                      "<MechanicalObject name='dofs'/><%s totalMass='%g'/><%s youngModulus='%g' poissonRatio='%g'/>"
                      "<BoxROI name='end' box='-1 -1 -1 1 1 1e-4'/><FixedProjectiveConstraint "
                      "indices='@end.indices'/></Node>",
                      m->mesh.text, r->by_volume ? "MeshMatrixMass lumping='1'" : "UniformMass", mass, r->force, young,
                      r->poisson);
  bool good = trial_open(&t, text);
  dv_free(text);
  if (!good) return false;
  good = let_down(&t);
  if (good) compare(m, dv_state_read(t.dofs, DV_X), scan, out);
  trial_close(&t);
  return good;
}

// the modulus with the smallest distance, by golden sections
static bool fit(const Run *r, const Model *m, const dvMesh *scan, double *young, Outcome *out)
{
  double low = 5e4, high = 9e4, golden = 0.6180339887;
  double at[2] = {high - golden * (high - low), low + golden * (high - low)};
  Outcome o[2];
  bool good = run_once(r, at[0], m, scan, &o[0]) && run_once(r, at[1], m, scan, &o[1]);
  for (int i = 0; i < 6 && good; i++) {
    bool left = o[0].there < o[1].there;
    if (left) high = at[1], at[1] = at[0], o[1] = o[0];
    else low = at[0], at[0] = at[1], o[0] = o[1];
    int k = left ? 0 : 1;
    at[k] = left ? high - golden * (high - low) : low + golden * (high - low);
    good = run_once(r, at[k], m, scan, &o[k]);
  }
  int best = o[0].there < o[1].there ? 0 : 1;
  *young = at[best], *out = o[best];
  return good;
}

bool validate_cylinder_is_there(const char *directory)
{
  static const char *const names[] = {"truthCylinder-Deformed.obj", "truthcylinder1.msh"};
  bool good = true;
  for (size_t i = 0; i < DV_COUNT(names); i++) {
    char *path = dv_path_join(directory, names[i]);
    bool there = access(path, R_OK) == 0;
    if (!there)
      fprintf(stderr, "%s: error: cannot be read: %s; it is one of the files of share/mesh of SOFA\n", path,
              strerror(errno));
    good = good && there;
    dv_free(path);
  }
  return good;
}

static void print_head(void)
{
  printf("## A silicone cylinder\n\nRadius %g mm, length %g mm, mass %g g, held at one end (Marchal et al., 2008). "
         "Young's modulus 60 kPa, Poisson's ratio 0.49 and the same mass for every point are those of SOFA's scenes of "
         "it; rows that "
         "differ say so. Mean distance of the points of the scanned surface to the computed one, and back. The centre "
         "of the free end of the scan is at y = -119.4 mm, z = 126.8 mm. Marchal et al. give 18.60 mm for "
         "linear tetrahedra, 0.63 mm for corotational tetrahedra, 2.87 mm for corotational hexahedra and 0.75 mm for "
         "springs; Clay et al. 1.68 mm for springs.\n\n",
         1e3 * radius, 1e3 * length, 1e3 * mass);
  printf("| model | points | modulus [kPa] | Poisson's ratio | scan to model [mm] | model to scan [mm] | end y, z [mm] "
         "|\n| --- | --- | --- | --- | --- | --- | --- |\n");
}

bool validate_cylinder(const char *directory)
{
  char *path = dv_format("%s/truthCylinder-Deformed.obj", directory);
  dvMesh scan = {0};
  dvMeshError error = {0};
  Model models[SHAPES] = {0};
  bool good = dv_mesh_read(path, &scan, &error) == DV_OK;
  if (!good) fprintf(stderr, "divan validate: %s: %s\n", path, *error.text ? error.text : "cannot be read");
  dv_free(path);
  good = good && tetra_model(&models[SCENE], directory);
  for (int i = DRAWN; i < SHAPES; i++) {
    bool fine = i == DRAWN_FINE || i == CUT_FINE;
    drawn_model(&models[i], fine ? 4 : 3, fine ? 3 : 2, fine ? 48 : 32, i >= CUT);
  }
  if (good) print_head();
  for (size_t i = 0; i < DV_COUNT(runs) && good; i++) {
    const Run *r = &runs[i];
    const Model *m = &models[r->shape];
    double young = modulus;
    Outcome o;
    good = r->fit ? fit(r, m, &scan, &young, &o) : run_once(r, young, m, &scan, &o);
    if (good)
      printf("| %s | %zu | %.1f | %g | %.2f | %.2f | %.1f, %.1f |\n", r->name, m->points.count / 3, 1e-3 * young,
             r->poisson, 1e3 * o.there, 1e3 * o.back, 1e3 * o.tip[1], 1e3 * o.tip[2]);
    fflush(stdout);
  }
  printf("\n");
  for (int i = 0; i < SHAPES; i++) free_model(&models[i]);
  dv_mesh_free(&scan);
  return good;
}

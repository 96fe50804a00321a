// generate_robot KIND OUT: bodies of soft robots, out of the cells of a bent and tapered grid.
//
// Writes OUT.vtk (tetrahedra), OUT-surface.obj (what is seen and touched) and for each chamber OUT-chamberN.obj (its
// wall, faces turned away from what is inside). Every cell is cut into six tetrahedra along the same diagonal, so that
// neighbours fit; walls have the points of the body. Metres.
//
//   finger     a bar with notches on its upper side, which a cable below closes
//   bellows    a bar with one long chamber above its middle: it bends down when it is blown up
//   tentacle   a tapered column
//   cross      four thin legs that rise to a platform in the middle, for a parallel robot
//   worm       a bar with four chambers in a row near its underside
#include "base/array.h"
#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { HOLE = -1, SOLID = 0 };   // chambers count from 1

typedef struct Kind {
  const char *name;
  int cells[3], chambers;
  int (*cell)(const int at[3]);                  // HOLE, SOLID or the number of a chamber
  void (*place)(const int at[3], double *out);   // of a corner
} Kind;

// --- kinds -------------------------------------------------------------------------------------------

static void box(const int at[3], const int cells[3], const double size[3], double *out)
{
  for (int k = 0; k < 3; k++) out[k] = size[k] * ((double)at[k] / cells[k] - (k ? 0.5 : 0));
}

static int finger_cell(const int at[3]) { return at[2] >= 2 && at[0] % 4 == 3 ? HOLE : SOLID; }
static void finger_place(const int at[3], double *out)
{
  box(at, (int[]){24, 4, 4}, (double[]){0.12, 0.02, 0.02}, out);
}

static int bellows_cell(const int at[3])
{
  return at[0] >= 1 && at[0] < 19 && at[1] >= 1 && at[1] < 3 && at[2] >= 2 && at[2] < 4 ? 1 : SOLID;
}
static void bellows_place(const int at[3], double *out)
{
  box(at, (int[]){20, 4, 5}, (double[]){0.1, 0.024, 0.02}, out);
}

static int whole_cell(const int at[3]) { return (void)at, SOLID; }
static void tentacle_place(const int at[3], double *out)
{
  double width = 0.03 - 0.016 * at[0] / 40;
  box(at, (int[]){40, 4, 4}, (double[]){0.24, width, width}, out);
}

enum { SPAN = 92 };
static int cross_cell(const int at[3])
{
  return abs(at[0] - SPAN / 2 + (at[0] < SPAN / 2)) < 1 || abs(at[1] - SPAN / 2 + (at[1] < SPAN / 2)) < 1 ? SOLID
                                                                                                          : HOLE;
}
static void cross_place(const int at[3], double *out)
{
  double far = 0;
  for (int k = 0; k < 2; k++) {
    double t = at[k] - SPAN / 2;   // legs are two cells wide, 5 mm each; along them cells have 2 mm
    out[k] = fabs(t) <= 1 ? 0.005 * t : copysign(0.005 + 0.002 * (fabs(t) - 1), t);
    far = fmax(far, fabs(out[k]));
  }
  out[2] = 0.004 * (at[2] - 1) + 0.05 * (1 + cos(M_PI * far / 0.095)) / 2;
}

static int worm_cell(const int at[3])
{
  bool inside = at[1] >= 1 && at[1] < 5 && at[2] >= 1 && at[2] < 3;
  return inside && at[0] % 6 >= 1 && at[0] % 6 < 5 ? 1 + at[0] / 6 : SOLID;
}
static void worm_place(const int at[3], double *out) { box(at, (int[]){24, 6, 5}, (double[]){0.12, 0.03, 0.02}, out); }

static const Kind kinds[] = {
    {"finger", {24, 4, 4}, 0, finger_cell, finger_place},    {"bellows", {20, 4, 5}, 1, bellows_cell, bellows_place},
    {"tentacle", {40, 4, 4}, 0, whole_cell, tentacle_place}, {"cross", {SPAN, SPAN, 2}, 0, cross_cell, cross_place},
    {"worm", {24, 6, 5}, 4, worm_cell, worm_place},
};

// --- points and cells --------------------------------------------------------------------------------

typedef struct Mesh {
  const Kind *kind;
  int32_t *number;   // of each corner, -1 where no solid cell is
  DV_ARRAY(double) points;
} Mesh;

static int cell(const Mesh *m, int i, int j, int k)
{
  const int at[3] = {i, j, k};
  for (int a = 0; a < 3; a++)
    if (at[a] < 0 || at[a] >= m->kind->cells[a]) return HOLE;
  return m->kind->cell(at);
}

static size_t corner(const Mesh *m, const int at[3])
{
  const int *n = m->kind->cells;
  return (size_t)at[0] + (size_t)(n[0] + 1) * ((size_t)at[1] + (size_t)(n[1] + 1) * (size_t)at[2]);
}

static int32_t point(Mesh *m, const int at[3])
{
  int32_t *number = &m->number[corner(m, at)];
  if (*number >= 0) return *number;
  double x[3];
  m->kind->place(at, x);
  for (int k = 0; k < 3; k++) dv_push(&m->points, x[k]);
  return *number = (int32_t)(m->points.count / 3) - 1;
}

static void cut(Mesh *m, const int at[3], dvText *out, size_t *count)
{
  static const int paths[6][2] = {{0, 1}, {1, 2}, {2, 0}, {1, 0}, {2, 1}, {0, 2}};
  for (int p = 0; p < 6; p++) {
    int corners[4][3];
    for (int c = 0; c < 4; c++)
      for (int k = 0; k < 3; k++)
        corners[c][k] = at[k] + (c == 3 || (c >= 1 && k == paths[p][0]) || (c == 2 && k == paths[p][1]));
    int32_t v[4];
    for (int c = 0; c < 4; c++) v[c] = point(m, corners[c]);
    bool turned = p >= 3;
    dv_text_printf(out, "4 %d %d %d %d\n", v[0], v[turned ? 2 : 1], v[turned ? 1 : 2], v[3]);
    ++*count;
  }
}

static bool write_file(const char *out, const char *suffix, const dvText *content)
{
  char *path = dv_format("%s%s", out, suffix);
  FILE *f = fopen(path, "wb");
  bool good = f && fwrite(content->text, 1, content->length, f) == content->length;
  if (f) good = fclose(f) == 0 && good;
  if (!good) fprintf(stderr, "cannot write %s\n", path);
  dv_free(path);
  return good;
}

static bool write_body(Mesh *m, const char *out)
{
  const int *n = m->kind->cells;
  dvText tetrahedra = {0}, text = {0};
  size_t count = 0;
  for (int k = 0; k < n[2]; k++)
    for (int j = 0; j < n[1]; j++)
      for (int i = 0; i < n[0]; i++)
        if (cell(m, i, j, k) == SOLID) cut(m, (int[]){i, j, k}, &tetrahedra, &count);
  size_t points = m->points.count / 3;
  dv_text_printf(&text, "# vtk DataFile Version 2.0\n%s\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS %zu double\n",
                 m->kind->name, points);
  for (size_t i = 0; i < points; i++)
    dv_text_printf(&text, "%.9g %.9g %.9g\n", m->points.data[3 * i], m->points.data[3 * i + 1],
                   m->points.data[3 * i + 2]);
  dv_text_printf(&text, "CELLS %zu %zu\n%s", count, 5 * count, tetrahedra.text);
  dv_text_printf(&text, "CELL_TYPES %zu\n", count);
  for (size_t i = 0; i < count; i++) dv_text_add(&text, "10\n");
  bool good = write_file(out, ".vtk", &text);
  printf("%s: %zu points, %zu tetrahedra\n", m->kind->name, points, count);
  dv_text_free(&text);
  dv_text_free(&tetrahedra);
  return good;
}

// --- faces between a cell of one sort and one of another ---------------------------------------------

// the two triangles of the face behind `at` along an axis, turned along it, or against it
static void add_face(Mesh *m, const int at[3], int axis, bool along, int32_t *own, size_t *used, dvText *points,
                     dvText *faces)
{
  int b = (axis + 1) % 3, c = (axis + 2) % 3, ends[4][3];
  for (int e = 0; e < 4; e++)
    for (int k = 0; k < 3; k++) ends[e][k] = at[k] + (k == b && (e == 1 || e == 2)) + (k == c && e >= 2);
  int32_t v[4];
  for (int e = 0; e < 4; e++) {
    int32_t p = point(m, ends[e]);
    if (own[p] < 0) {
      own[p] = (int32_t)(*used)++;
      dv_text_printf(points, "v %.9g %.9g %.9g\n", m->points.data[3 * p], m->points.data[3 * p + 1],
                     m->points.data[3 * p + 2]);
    }
    v[e] = own[p] + 1;
  }
  dv_text_printf(faces, "f %d %d %d\nf %d %d %d\n", v[0], v[along ? 1 : 2], v[along ? 2 : 1], v[0], v[along ? 2 : 3],
                 v[along ? 3 : 2]);
}

// faces between solid cells and those of `other` (HOLE: the outside), turned away from the solid for the outside and
// into it for a chamber
static bool write_faces(Mesh *m, int other, const char *out, const char *suffix)
{
  const int *n = m->kind->cells;
  dvText points = {0}, faces = {0};
  size_t used = 0;
  int32_t *own = dv_alloc((m->points.count / 3 + 1) * sizeof *own);
  for (size_t i = 0; i < m->points.count / 3; i++) own[i] = -1;
  for (int k = 0; k <= n[2]; k++)
    for (int j = 0; j <= n[1]; j++)
      for (int i = 0; i <= n[0]; i++)
        for (int axis = 0; axis < 3; axis++) {
          int before = cell(m, i - (axis == 0), j - (axis == 1), k - (axis == 2)), behind = cell(m, i, j, k);
          bool solid_before = before == SOLID && behind == other, solid_behind = behind == SOLID && before == other;
          if (solid_before || solid_behind)
            add_face(m, (int[]){i, j, k}, axis, other == HOLE ? solid_before : solid_behind, own, &used, &points,
                     &faces);
        }
  if (faces.length) dv_text_add(&points, faces.text);
  bool good = write_file(out, suffix, &points);
  dv_free(own);
  dv_text_free(&points);
  dv_text_free(&faces);
  return good;
}

int main(int count, char **arguments)
{
  const Kind *kind = NULL;
  for (size_t i = 0; count == 3 && i < DV_COUNT(kinds); i++)
    if (dv_same(kinds[i].name, arguments[1])) kind = &kinds[i];
  if (!kind) {
    fprintf(stderr, "usage: generate_robot finger|bellows|tentacle|cross|worm OUT\n");
    return 2;
  }
  Mesh m = {.kind = kind};
  size_t corners = (size_t)(kind->cells[0] + 1) * (size_t)(kind->cells[1] + 1) * (size_t)(kind->cells[2] + 1);
  m.number = dv_alloc(corners * sizeof *m.number);
  for (size_t i = 0; i < corners; i++) m.number[i] = -1;
  bool good = write_body(&m, arguments[2]) && write_faces(&m, HOLE, arguments[2], "-surface.obj");
  for (int c = 1; good && c <= kind->chambers; c++) {
    char suffix[32];
    snprintf(suffix, sizeof suffix, "-chamber%d.obj", c);
    good = write_faces(&m, c, arguments[2], suffix);
  }
  dv_free(m.number);
  dv_array_free(&m.points);
  return good ? 0 : 1;
}

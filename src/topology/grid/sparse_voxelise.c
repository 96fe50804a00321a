// Which cells of a grid a surface touches or encloses. See sparse_cells.h.
//
// Whether a triangle touches a cell is decided by separating axes: of the cell's faces, of the triangle's plane and of
// each pair of edges (Gottschalk, Lin and Manocha 1996). As in SOFA the corners are scaled to a cell of width 1 and
// rounded to single precision first, so that points on a face between two cells belong to both.
#include "topology/grid/sparse_cells.h"

#include <math.h>
#include <string.h>

// extent of the triangle along a direction against that of the cell
static bool separates(const float p[3][3], const double a[3])
{
  double low = INFINITY, high = -INFINITY, reach = 0.5 * (fabs(a[0]) + fabs(a[1]) + fabs(a[2]));
  for (int i = 0; i < 3; i++) {
    double d = a[0] * p[i][0] + a[1] * p[i][1] + a[2] * p[i][2];
    low = fmin(low, d);
    high = fmax(high, d);
  }
  return low > reach || high < -reach;
}

// does a triangle touch the cell of width 1 around the origin?
static bool touches(const float p[3][3])
{
  double e[3][3];
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) e[i][k] = (double)p[(i + 1) % 3][k] - p[i][k];
  for (int k = 0; k < 3; k++)
    if (separates(p, (double[3]){k == 0, k == 1, k == 2})) return false;
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) {   // edge x axis k
      double a[3] = {0};
      a[(k + 1) % 3] = e[i][(k + 2) % 3];
      a[(k + 2) % 3] = -e[i][(k + 1) % 3];
      if (separates(p, a)) return false;
    }
  double normal[3];
  for (int k = 0; k < 3; k++) normal[k] = e[0][(k + 1) % 3] * e[1][(k + 2) % 3] - e[0][(k + 2) % 3] * e[1][(k + 1) % 3];
  return !separates(p, normal);
}

static bool triangle_touches(const dvSparseLevel *l, const double *const x[3], int i, int j, int k)
{
  const int at[3] = {i, j, k};
  float p[3][3];
  for (int axis = 0; axis < 3; axis++) {
    double low = l->min[axis] + l->step[axis] * at[axis], width = l->min[axis] + l->step[axis] * (at[axis] + 1) - low;
    for (int c = 0; c < 3; c++) p[c][axis] = (float)((x[c][axis] - (low + width * 0.5)) / width);
  }
  return touches(p);
}

// marks the cells that a triangle touches, among those between the cells of its corners
static void mark_triangle(const dvSparseLevel *l, const double *const x[3], const int32_t (*cell)[3], uint8_t *types)
{
  int low[3], high[3];
  for (int k = 0; k < 3; k++) {
    low[k] = dv_min_int(cell[0][k], dv_min_int(cell[1][k], cell[2][k]));
    high[k] = dv_max_int(cell[0][k], dv_max_int(cell[1][k], cell[2][k]));
  }
  for (int k = low[2]; k <= high[2]; k++)
    for (int j = low[1]; j <= high[1]; j++)
      for (int i = low[0]; i <= high[0]; i++) {
        uint8_t *type = &types[dv_sparse_cell_number(l, i, j, k)];
        if (*type != DV_CELL_BOUNDARY && triangle_touches(l, x, i, j, k)) *type = DV_CELL_BOUNDARY;
      }
}

// everything that can be reached from the border of the grid without crossing the boundary is outside
static bool flood(const dvSparseLevel *l, uint8_t *types)
{
  DV_ARRAY(int32_t) stack = {0};
  const int m[3] = {l->n[0] - 1, l->n[1] - 1, l->n[2] - 1};
  bool good = true;
  for (int k = 0; k < m[2] && good; k++)
    for (int j = 0; j < m[1] && good; j++)
      for (int i = 0; i < m[0] && good; i++) {
        size_t number = dv_sparse_cell_number(l, i, j, k);
        bool border = i == 0 || j == 0 || k == 0 || i == m[0] - 1 || j == m[1] - 1 || k == m[2] - 1;
        if (!border || types[number] != DV_CELL_INSIDE) continue;
        types[number] = DV_CELL_OUTSIDE;
        good = dv_try_reserve(&stack, 1);
        if (good) stack.data[stack.count++] = (int32_t)number;
        while (stack.count && good) {
          int32_t at = stack.data[--stack.count];
          const int32_t stride[3] = {1, m[0], m[0] * m[1]},
                        place[3] = {at % m[0], at / m[0] % m[1], at / (m[0] * m[1])};
          good = dv_try_reserve(&stack, 6);
          for (int side = 0; side < 6 && good; side++) {
            int axis = side / 2, forward = side % 2;
            if (place[axis] == (forward ? m[axis] - 1 : 0)) continue;
            int32_t next = at + (forward ? stride[axis] : -stride[axis]);
            if (types[next] != DV_CELL_INSIDE) continue;
            types[next] = DV_CELL_OUTSIDE;
            stack.data[stack.count++] = next;
          }
        }
      }
  dv_array_free(&stack);
  return good;
}

bool dv_sparse_voxelise(const dvSparseLevel *l, const dvPolygons *s, uint8_t *types, size_t *outside)
{
  size_t points = dv_reals_size(&s->points);
  const double *x = s->points.data;
  int32_t(*cell)[3] = dv_try_alloc((points + 1) * sizeof *cell);
  if (!cell) return false;
  memset(types, DV_CELL_INSIDE, dv_sparse_cells(l));
  *outside = 0;
  for (size_t i = 0; i < points; i++) {
    double at[3];
    if (dv_sparse_place(l, x + 3 * i, cell[i], at))
      types[dv_sparse_cell_number(l, cell[i][0], cell[i][1], cell[i][2])] = DV_CELL_BOUNDARY;
    else ++*outside;
  }
  for (size_t f = 0; f < dv_polygons_count(s); f++) {
    const int32_t *corner = s->corner.data + s->offset.data[f];
    for (int32_t c = 2; c < s->offset.data[f + 1] - s->offset.data[f]; c++) {   // a fan
      const int32_t v[3] = {corner[0], corner[c - 1], corner[c]};
      const double *const p[3] = {x + 3 * (size_t)v[0], x + 3 * (size_t)v[1], x + 3 * (size_t)v[2]};
      int32_t at[3][3];
      for (int i = 0; i < 3; i++) memcpy(at[i], cell[v[i]], sizeof at[i]);
      mark_triangle(l, p, at, types);
    }
  }
  dv_free(cell);
  return flood(l, types);
}

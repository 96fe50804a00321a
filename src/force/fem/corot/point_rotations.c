// See point_rotations.h.
#include "force/fem/corot/point_rotations.h"

#include "math/decompose.h"

enum { POINTS = 256, POINT_NS = 200 };   // of a piece of work; time of one

static void finish_points(void *user, size_t begin, size_t end)
{
  double *sums = user;
  for (size_t i = begin; i < end; i++) {
    dvMat3 sum = dv_mat3_load(sums + 9 * i), rotation = dv_mat3_identity();
    double size = 0;
    for (int k = 0; k < 9; k++) size += fabs(sum.m[k / 3][k % 3]);
    if (size > 0) dv_polar(&sum, &rotation, NULL);
    dv_mat3_store(sums + 9 * i, rotation);
  }
}

void dv_point_rotations_finish(double *sums, size_t points, dvPool *pool)
{
  dv_parallel_for(dv_pool_for(pool, POINT_NS * (double)points), points, POINTS, finish_points, sums);
}

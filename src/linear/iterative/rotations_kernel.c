// Rotations of points from those of their neighbours, four points at a time (rotations.h).
#include "linear/iterative/rotations.h"

#include "element/pack_math.h"

// rows of F of one point: three packs whose fourth lane is not used
DV_INLINE void sum_neighbours(const dvTurning *t, size_t i, dvPack row[3])
{
  const double *x = t->x + 3 * i;
  dvPack own = dv_pack_load3(t->rest + 3 * i);
  row[0] = row[1] = row[2] = dv_pack(0);
  for (int32_t e = t->start[i]; e < t->start[i + 1]; e++) {
    size_t j = 3 * (size_t)t->neighbour[e];
    dvPack edge = (dv_pack_load3(t->rest + j) - own) * dv_pack(t->weight[e]);
    for (size_t r = 0; r < 3; r++) row[r] += dv_pack(t->x[j + r] - x[r]) * edge;
  }
}

// Four points at a time; those behind the last one are the last one again.
static void measure(const dvTurning *t, size_t begin, size_t end)
{
  for (size_t i = begin; i < end; i += DV_LANES) {
    dvPack row[DV_LANES][3], part[3][4], most = dv_pack(0);
    for (size_t lane = 0; lane < DV_LANES; lane++) sum_neighbours(t, i + lane < end ? i + lane : end - 1, row[lane]);
    for (int r = 0; r < 3; r++) {
      for (int lane = 0; lane < DV_LANES; lane++) part[r][lane] = row[lane][r];
      dv_pack_transpose(&part[r][0], &part[r][1], &part[r][2], &part[r][3]);
      for (int c = 0; c < 3; c++) {
        dvPack size = size_of(part[r][c]);
        most = dv_pack_select(size > most, size, most);
      }
    }
    dvPack unit = dv_pack(1) / unless_zero(most);
    Edges f = {scale((Vec){part[0][0], part[0][1], part[0][2]}, unit),
               scale((Vec){part[1][0], part[1][1], part[1][2]}, unit),
               scale((Vec){part[2][0], part[2][1], part[2][2]}, unit)};
    dvPackMask sound = dot(f.b, cross(f.c, f.d)) > dv_pack(1e-2);
    Edges q = orthogonal_factor((Edges){select_vec(sound, f.b, (Vec){dv_pack(1), dv_pack(0), dv_pack(0)}),
                                        select_vec(sound, f.c, (Vec){dv_pack(0), dv_pack(1), dv_pack(0)}),
                                        select_vec(sound, f.d, (Vec){dv_pack(0), dv_pack(0), dv_pack(1)})});
    q = (Edges){select_vec(sound, q.b, f.b), select_vec(sound, q.c, f.c), select_vec(sound, q.d, f.d)};
    const dvPack *number = (const dvPack *)&q;
    for (size_t lane = 0; lane < DV_LANES && i + lane < end; lane++) {
      t->open[i + lane] = sound[lane] == 0;
      for (size_t k = 0; k < 9; k++) t->out[9 * (i + lane) + k] = number[k][lane];
    }
  }
}

const dvRotationKernels DV_KERNEL_NAME(dv_rotation_kernels) = {.measure = measure};

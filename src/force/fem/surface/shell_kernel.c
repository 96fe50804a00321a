// Thin shells, four triangles at a time: f = -R K d and df = -R K R^T dx with K in two halves, membrane and bending
// (shell.h).
#include "force/fem/surface/shell.h"

#include "element/pack_math.h"

typedef const dvShellData Data;
typedef struct {
  Vec u[3], turn[3];
} Corners;   // displacements and rotations

// a symmetric matrix times a vector; both loops unroll
DV_INLINE void half_product(const double *k, const dvPack in[9], dvPack out[9])
{
  for (int i = 0; i < 9; i++) out[i] = dv_pack(0);
#pragma GCC unroll 9
  for (int i = 0; i < 9; i++) {
    out[i] += dv_pack_load(k) * in[i];
    k += DV_LANES;
#pragma GCC unroll 9
    for (int j = i + 1; j < 9; j++, k += DV_LANES) {
      dvPack entry = dv_pack_load(k);
      out[i] += entry * in[j];
      out[j] += entry * in[i];
    }
  }
}

DV_INLINE Corners product(Data *s, size_t pack, Corners d)
{
  const double *k = s->stiffness + DV_LANES * DV_SHELL_STIFFNESS * pack;
  dvPack in[9], out[9];
  Corners f;
  for (int i = 0; i < 3; i++) in[3 * i] = d.u[i].x, in[3 * i + 1] = d.u[i].y, in[3 * i + 2] = d.turn[i].z;
  half_product(k, in, out);
  for (int i = 0; i < 3; i++) f.u[i].x = out[3 * i], f.u[i].y = out[3 * i + 1], f.turn[i].z = out[3 * i + 2];
  for (int i = 0; i < 3; i++) in[3 * i] = d.u[i].z, in[3 * i + 1] = d.turn[i].x, in[3 * i + 2] = d.turn[i].y;
  half_product(k + DV_LANES * DV_SHELL_HALF, in, out);
  for (int i = 0; i < 3; i++) f.u[i].z = out[3 * i], f.turn[i].x = out[3 * i + 1], f.turn[i].y = out[3 * i + 2];
  return f;
}

DV_INLINE void scatter(double *out, const uint16_t *corner, Edges axes, Corners f, dvPack factor)
{
  for (int i = 0; i < 6; i++) {
    dvPack row[DV_LANES];
    dv_blocks_rows(to_world(axes, scale(i % 2 ? f.turn[i / 2] : f.u[i / 2], factor)), row);
    for (int lane = 0; lane < DV_LANES; lane++) dv_blocks_add_row(out, corner[DV_LANES * i + lane], row[lane]);
  }
}

DV_INLINE Corners load_moved(Data *s, size_t pack)
{
  const double *moved = s->moved + DV_LANES * 18 * pack;
  Corners d;
  for (int i = 0; i < 3; i++) {
    d.u[i] = load_vec(moved + DV_LANES * 6 * i);
    d.turn[i] = load_vec(moved + DV_LANES * (6 * i + 3));
  }
  return d;
}

static void shell_force(Data *s, size_t b)
{
  const dvElementBlock *block = &s->blocks->blocks[b];
  double *out = dv_blocks_clear(s->blocks, b, s->slots);
  for (size_t i = block->first_pack; i < block->first_pack + block->packs; i++)
    scatter(out, dv_blocks_corners(s->blocks, i), load_edges(s->axes + DV_LANES * 9 * i),
            product(s, i, load_moved(s, i)), dv_pack(-1));
}

static void shell_dforce(Data *s, size_t b, const double *dx, double k)
{
  double local[DV_BLOCK_DOUBLES] __attribute__((aligned(64)));
  const dvElementBlock *block = &s->blocks->blocks[b];
  dv_blocks_gather(s->blocks, b, dx, local);
  double *out = dv_blocks_clear(s->blocks, b, s->slots);
  for (size_t i = block->first_pack; i < block->first_pack + block->packs; i++) {
    const uint16_t *corner = dv_blocks_corners(s->blocks, i);
    Edges axes = load_edges(s->axes + DV_LANES * 9 * i);
    Corners d;
    for (int n = 0; n < 3; n++) {
      d.u[n] = to_local(axes, dv_blocks_load(local, corner + DV_LANES * 2 * n));
      d.turn[n] = to_local(axes, dv_blocks_load(local, corner + DV_LANES * (2 * n + 1)));
    }
    scatter(out, corner, axes, product(s, i, d), dv_pack(-k));
  }
}

static void shell_measure(Data *s, size_t b, double *energy)
{
  const dvElementBlock *block = &s->blocks->blocks[b];
  for (size_t i = block->first_pack; i < block->first_pack + block->packs; i++) {
    Corners d = load_moved(s, i), f = product(s, i, d);
    dvPack sum = dv_pack(0);
    for (int n = 0; n < 3; n++) sum += dot(d.u[n], f.u[n]) + dot(d.turn[n], f.turn[n]);
    dv_pack_store(energy + DV_LANES * i, dv_pack(0.5) * sum);
  }
}

const dvShellKernels DV_KERNEL_NAME(dv_shell_kernels) = {
    .force = shell_force, .dforce = shell_dforce, .measure = shell_measure};

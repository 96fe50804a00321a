// See unbuilt.h. Rows of a contact are packs over the numbers of a degree of freedom: 12 products for two frames, and
// as many to move them.
#include "constraint/lagrangian/unbuilt_kernel.h"

#include "base/simd.h"
#include "constraint/lagrangian/friction_step.h"

// h . u of three rows
DV_INLINE dvPack three_products(const dvUnbuiltPlace *place, int32_t places, const double *numbers,
                                const double *motion)
{
  dvPack n = dv_pack(0), t = n, s = n, none = n;
  for (int32_t i = 0; i < places; i++) {
    int32_t width = place[i].width;
    const double *u = motion + place[i].at, *h = numbers + place[i].numbers;
    for (int32_t k = 0; k < width; k += DV_LANES) {
      dvPack v = dv_pack_load(u + k);
      n += dv_pack_load(h + k) * v;
      t += dv_pack_load(h + width + k) * v;
      s += dv_pack_load(h + 2 * width + k) * v;
    }
  }
  dv_pack_transpose(&n, &t, &s, &none);
  return (n + t) + (s + none);
}

static void own_of(const dvUnbuilt *u, const dvUnbuiltLaw *l, double own[9])
{
  dvPack sum[6] = {{0}, {0}, {0}, {0}, {0}, {0}}, none[2] = {{0}, {0}};
  for (int32_t i = l->place; i < l->place + l->places; i++) {
    int32_t width = u->places.data[i].width;
    const double *h = u->numbers.data + u->places.data[i].numbers, *c = h + 3 * width;
    for (int32_t k = 0; k < width; k += DV_LANES) {
      dvPack c0 = dv_pack_load(c + k), c1 = dv_pack_load(c + width + k), c2 = dv_pack_load(c + 2 * width + k);
      dvPack h1 = dv_pack_load(h + width + k), h2 = dv_pack_load(h + 2 * width + k);
      sum[0] += dv_pack_load(h + k) * c0;
      sum[1] += h1 * c0;
      sum[2] += h2 * c0;
      sum[3] += h1 * c1;
      sum[4] += h2 * c1;
      sum[5] += h2 * c2;
    }
  }
  dv_pack_transpose(&sum[0], &sum[1], &sum[2], &sum[3]);
  dv_pack_transpose(&sum[4], &sum[5], &none[0], &none[1]);
  dvPack a = (sum[0] + sum[1]) + (sum[2] + sum[3]), b = (sum[4] + sum[5]) + (none[0] + none[1]);
  const double w[9] = {a[0], a[1], a[2], a[1], a[3], b[0], a[2], b[0], b[1]};
  memcpy(own, w, sizeof w);
}

// u += c change
DV_INLINE void move(const dvUnbuiltPlace *place, int32_t places, const double *numbers, const double change[3],
                    double *motion)
{
  dvPack n = dv_pack(change[0]), t = dv_pack(change[1]), s = dv_pack(change[2]);
  for (int32_t i = 0; i < places; i++) {
    int32_t width = place[i].width;
    double *u = motion + place[i].at;
    const double *c = numbers + place[i].numbers + 3 * width;
    for (int32_t k = 0; k < width; k += DV_LANES)
      dv_pack_store(u + k, dv_pack_load(u + k) + dv_pack_load(c + k) * n + dv_pack_load(c + width + k) * t +
                               dv_pack_load(c + 2 * width + k) * s);
  }
}

static void move_law(dvUnbuilt *u, const dvUnbuiltLaw *l, const double lambda[3])
{
  move(u->places.data + l->place, l->places, u->numbers.data, lambda, u->motion.data);
}

DV_INLINE double largest3(dvPack a)
{
  double m = a[0] > a[1] ? a[0] : a[1];
  return m > a[2] ? m : a[2];
}

static void sweep(dvUnbuilt *u, size_t begin, size_t end, const double *free, double *lambda, bool together,
                  double *errors, double *most)
{
  const double *numbers = u->numbers.data, *owns = u->own.data;
  double *motion = u->motion.data, *followed = u->lambda.data, more = u->more;
  for (size_t i = begin; i < end; i++) {
    const dvUnbuiltLaw *l = &u->laws.data[i];
    const dvUnbuiltPlace *place = u->places.data + l->place;
    const double *own = owns + l->own;
    double *now = lambda + l->first, *before = followed + l->first, fresh[3] = {now[0], now[1], now[2]}, d[4];
    dvPack violation = three_products(place, l->places, numbers, motion) + dv_pack_load3(free + l->first);
    dv_pack_store(d, violation);
    for (int k = 0; k < 3; k++) d[k] += more * fresh[k];
    dv_friction_step(own[3], own[6], l->inverse, l->mu, l->compliance, d, fresh);
    double change[3] = {fresh[0] - now[0], fresh[1] - now[1], fresh[2] - now[2]};
    errors[i] = 0;
    if (most) most[i] = 0;
    if (change[0] == 0 && change[1] == 0 && change[2] == 0) continue;
    for (int k = 0; k < 3; k++) before[k] = now[k] = fresh[k];
    move(place, l->places, numbers, change, motion);
    dvPack moved[3];
    for (int k = 0; k < 3; k++) moved[k] = dv_pack_load3(own + 3 * k) * dv_pack(change[k]);
    if (together) {
      dvPack sum = moved[0] + moved[1] + moved[2];
      errors[i] = sqrt(dv_pack_sum(sum * sum));
      continue;
    }
    dvPack square = moved[0] * moved[0] + moved[1] * moved[1] + moved[2] * moved[2];
    dvPack root = {sqrt(square[0]), sqrt(square[1]), sqrt(square[2]), 0};
    errors[i] = dv_pack_sum(root);
    if (most) most[i] = largest3(root);
  }
}

const dvUnbuiltKernels DV_KERNEL_NAME(dv_unbuilt_kernels) = {.move = move_law, .own = own_of, .friction = sweep};

// Inner loops over slices of a lattice, for one type of numbers: lattice_kernel.c includes this for float and double.
//
// REAL, LANES and NAME(x) are defined there, and V, a pack of LANES numbers, with I, one of as many 32-bit integers.

typedef REAL NAME(V) __attribute__((vector_size(LANES * sizeof(REAL))));
typedef REAL NAME(Loose) __attribute__((vector_size(LANES * sizeof(REAL)), aligned(sizeof(REAL)), may_alias));
typedef int32_t NAME(I) __attribute__((vector_size(LANES * 4)));
#define V NAME(V)
#define I NAME(I)

DV_INLINE V NAME(load)(const REAL *p) { return *(const NAME(Loose) *)p; }
DV_INLINE void NAME(store)(REAL *p, V a) { *(NAME(Loose) *)p = a; }
DV_INLINE V NAME(all)(REAL a) { return a - (V){0}; }

// 1 / sqrt(a), good to a unit in the last place, with the same bits on every processor that has the instruction set:
// the estimates of a root that processors have differ from maker to maker, and what is left of that after a step of
// Newton's method shows in the last bit. So the estimate x comes from the bits of the number, and from e = 1 - a x^2,
// which is below 0.07, a polynomial for (1 - e)^(-1/2) that is never off by more than 2.4e-8; doubles take a step of
// third order more. That takes a third longer than the estimates, and roots with divisions three quarters
// (docs/performance.md).
DV_INLINE V NAME(inverse_root)(V a)
{
#ifdef __AVX2__
  typedef BITS Pack __attribute__((vector_size(LANES * sizeof(REAL))));
  V x = (V)(ROOT_BITS - ((Pack)a >> 1)), e = 1 - a * x * x;
  V p = (REAL)0.31393548087833145 + (REAL)0.2741089268550433 * e;
  p = (REAL)0.3750002642094496 + p * e;
  p = (REAL)0.4999983352919715 + p * e;
  x += x * e * p;
#if !FLOATS
  e = 1 - a * x * x;
  x += x * e * (0.5 + 0.375 * e);
#endif
  return x;
#else
  V r = {0};
  for (int i = 0; i < LANES; i++) r[i] = 1 / (REAL)sqrt((double)a[i]);
  return r;
#endif
}

// LANES numbers at base + index
DV_INLINE V NAME(gather)(const REAL *base, I index)
{
#if defined(__AVX512F__) && FLOATS
  return (V)_mm512_i32gather_ps((__m512i)index, base, 4);
#elif defined(__AVX2__) && FLOATS
  return (V)_mm256_i32gather_ps(base, (__m256i)index, 4);
#elif defined(__AVX512F__)
  return (V)_mm512_i32gather_pd((__m256i)index, base, 8);
#elif defined(__AVX2__)
  return (V)_mm256_i32gather_pd(base, (__m128i)index, 8);
#else
  V r = {0};
  for (int i = 0; i < LANES; i++) r[i] = base[index[i]];
  return r;
#endif
}

DV_INLINE I NAME(bytes)(const uint8_t *p)
{
#if defined(__AVX512F__) && FLOATS
  return (I)_mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)p));
#elif defined(__AVX2__) && (FLOATS || defined(__AVX512F__))
  return (I)_mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)p));
#else
  I r = {0};
  for (int i = 0; i < LANES; i++) r[i] = p[i];
  return r;
#endif
}

DV_INLINE I NAME(shorts)(const int16_t *p)
{
#if defined(__AVX512F__) && FLOATS
  return (I)_mm512_cvtepi16_epi32(_mm256_loadu_si256((const __m256i *)p));
#elif defined(__AVX2__) && (FLOATS || defined(__AVX512F__))
  return (I)_mm256_cvtepi16_epi32(_mm_loadu_si128((const __m128i *)p));
#else
  I r = {0};
  for (int i = 0; i < LANES; i++) r[i] = p[i];
  return r;
#endif
}

// values of a table of classes: one register where there are few of them
DV_INLINE V NAME(look)(const REAL *table, I c, bool few)
{
#if defined(__AVX512F__) && FLOATS
  if (few) return (V)_mm512_permutexvar_ps((__m512i)c, _mm512_load_ps(table));
#endif
  (void)few;
  return NAME(gather)(table, c);
}

typedef struct NAME(Sum) {
  V x, y, z;
} NAME(Sum);

typedef struct NAME(Ends) {
  V dx, dy, dz;   // from this end to the other
  V vx, vy, vz;   // difference of velocities; only where springs damp
} NAME(Ends);

// a spring of a plain class: T / r = k - kr / r with k = K / l, kr = K reach
DV_INLINE void NAME(pull)(NAME(Sum) * f, const NAME(Ends) * e, V k, V kr)
{
  V r2 = e->dx * e->dx + e->dy * e->dy + e->dz * e->dz + (REAL)TINY;
  V s = k - kr * NAME(inverse_root)(r2);
  f->x += s * e->dx;
  f->y += s * e->dy;
  f->z += s * e->dz;
}

// any spring; `inverse` is 1 / l, c the lanes' classes. Those beyond their limit become class 0 in `own`.
DV_INLINE void NAME(pull_any)(dvLattice *l, NAME(Sum) * f, const NAME(Ends) * e, V inverse, I c, uint8_t *own,
                              uint8_t *same)
{
  bool few = l->class_count <= 15;
  V r2 = e->dx * e->dx + e->dy * e->dy + e->dz * e->dz + (REAL)TINY;
  V ri = NAME(inverse_root)(r2);
  V strain = r2 * ri * inverse - NAME(look)(l->TABLE(e), c, few);
  V pull = NAME(look)(l->TABLE3(k), c, few) * strain * (1 + NAME(look)(l->TABLE(c), c, few) * strain * strain);
  if (l->damped)
    pull += NAME(look)(l->TABLE(d), c, few) * inverse * ri * (e->vx * e->dx + e->vy * e->dy + e->vz * e->dz);
  V s = pull * ri;
  if (l->brittle) {
    V limit = NAME(look)(l->TABLE(l), c, few);
    for (int i = 0; i < LANES; i++)
      if (strain[i] > limit[i]) {   // the other end finds the same
        if (own[i]) atomic_fetch_add_explicit(&l->broken, 1, memory_order_relaxed);
        own[i] = 0;
        *same = DV_LATTICE_MIXED;
        s[i] = 0;
      }
  }
  f->x += s * e->dx;
  f->y += s * e->dy;
  f->z += s * e->dz;
}

typedef struct NAME(Here) {
  const REAL *x[3], *v[3];
  V px, py, pz, vx, vy, vz;
} NAME(Here);

DV_INLINE NAME(Ends) NAME(ends_at)(const NAME(Here) * h, size_t slot, bool velocities)
{
  NAME(Ends)
  e = {.dx = NAME(load)(h->x[0] + slot) - h->px,
       .dy = NAME(load)(h->x[1] + slot) - h->py,
       .dz = NAME(load)(h->x[2] + slot) - h->pz};
  if (velocities) {
    e.vx = NAME(load)(h->v[0] + slot) - h->vx;
    e.vy = NAME(load)(h->v[1] + slot) - h->vy;
    e.vz = NAME(load)(h->v[2] + slot) - h->vz;
  }
  return e;
}

DV_INLINE NAME(Ends) NAME(ends_of)(const NAME(Here) * h, I slot, bool velocities)
{
  NAME(Ends)
  e = {.dx = NAME(gather)(h->x[0], slot) - h->px,
       .dy = NAME(gather)(h->x[1], slot) - h->py,
       .dz = NAME(gather)(h->x[2], slot) - h->pz};
  if (velocities) {
    e.vx = NAME(gather)(h->v[0], slot) - h->vx;
    e.vy = NAME(gather)(h->v[1], slot) - h->vy;
    e.vz = NAME(gather)(h->v[2], slot) - h->vz;
  }
  return e;
}

DV_INLINE NAME(Here) NAME(here)(const void *const x[3], const void *const v[3], size_t slot, bool velocities)
{
  NAME(Here) h = {.x = {x[0], x[1], x[2]}, .v = {v[0], v[1], v[2]}};
  h.px = NAME(load)(h.x[0] + slot), h.py = NAME(load)(h.x[1] + slot), h.pz = NAME(load)(h.x[2] + slot);
  if (velocities) h.vx = NAME(load)(h.v[0] + slot), h.vy = NAME(load)(h.v[1] + slot), h.vz = NAME(load)(h.v[2] + slot);
  return h;
}

DV_INLINE void NAME(keep)(dvLattice *l, size_t slot, const NAME(Sum) * f)
{
  NAME(store)((REAL *)l->f[0] + slot, f->x);
  NAME(store)((REAL *)l->f[1] + slot, f->y);
  NAME(store)((REAL *)l->f[2] + slot, f->z);
}

// --- a grid: the nine lines around a slice, three neighbours in each ---

DV_INLINE void NAME(grid_slice)(dvLattice *l, const void *const x[3], const void *const v[3], size_t slice, bool plain)
{
  bool few = l->class_count <= 15, velocities = !plain && l->damped;
  const int32_t *rows = l->rows + 9 * slice;
  for (size_t part = 0; part < DV_LATTICE_LANES; part += LANES) {
    size_t slot = DV_LATTICE_LANES * slice + part;
    NAME(Here) h = NAME(here)(x, v, slot, velocities);
    NAME(Sum) f = {0};
    uint8_t *same = l->same + DV_LATTICE_WAYS * slice;
    uint8_t *cls = l->cls + DV_LATTICE_WAYS * DV_LATTICE_LANES * slice + part;
    for (int r = 0, way = 0; r < 9; r++) {
      int steps = r == 4 ? 0 : (r & 1) ? 1 : 2;   // away from the middle line
      for (int a = -1; a <= 1; a++) {
        if (r == 4 && a == 0) continue;
        int c = same[way], type = steps + (a != 0);
        if (c) {
          NAME(Ends) e = NAME(ends_at)(&h, (size_t)((int64_t)rows[r] + (int64_t)part + a), velocities);
          if (!plain) {
            V inverse = NAME(all)((REAL)(1 / (l->pitch * way_length[type])));
            NAME(pull_any)(l, &f, &e, inverse, NAME(bytes)(cls + 16 * way), cls + 16 * way, same + way);
          } else if (c != DV_LATTICE_MIXED) {
            NAME(pull)(&f, &e, NAME(all)(l->TABLE2(k, type - 1)[c]), NAME(all)(l->TABLE(r)[c]));
          } else {
            I lanes = NAME(bytes)(cls + 16 * way);
            NAME(pull)(&f, &e, NAME(look)(l->TABLE2(k, type - 1), lanes, few), NAME(look)(l->TABLE(r), lanes, few));
          }
        }
        way++;
      }
    }
    NAME(keep)(l, slot, &f);
  }
}

// --- a list ---

DV_INLINE void NAME(list_slice)(dvLattice *l, const void *const x[3], const void *const v[3], size_t slice, bool plain)
{
  bool few = l->class_count <= 15, velocities = !plain && l->damped;
  for (size_t part = 0; part < DV_LATTICE_LANES; part += LANES) {
    size_t slot = DV_LATTICE_LANES * slice + part;
    NAME(Here) h = NAME(here)(x, v, slot, velocities);
    NAME(Sum) f = {0};
    I own;
    for (int i = 0; i < LANES; i++) own[i] = (int32_t)slot + i;
    for (size_t row = l->first[slice]; row < l->first[slice + 1]; row++) {
      size_t at = DV_LATTICE_LANES * row + part;
      I other;
      if (l->near) other = own + NAME(shorts)(l->near + at);
      else memcpy(&other, l->far + at, sizeof other), other += own;
      NAME(Ends) e = NAME(ends_of)(&h, other, velocities);
      V inverse = NAME(load)((const REAL *)l->inverse + at);
      int c = l->same[row];
      if (!plain) {
        NAME(pull_any)(l, &f, &e, inverse, NAME(bytes)(l->cls + at), l->cls + at, l->same + row);
      } else if (c != DV_LATTICE_MIXED) {
        NAME(pull)(&f, &e, l->TABLE3(k)[c] * inverse, NAME(all)(l->TABLE(r)[c]));
      } else {
        I lanes = NAME(bytes)(l->cls + at);
        NAME(pull)(&f, &e, NAME(look)(l->TABLE3(k), lanes, few) * inverse, NAME(look)(l->TABLE(r), lanes, few));
      }
    }
    NAME(keep)(l, slot, &f);
  }
}

static void NAME(force)(dvLattice *l, const void *const x[3], const void *const v[3], size_t begin, size_t end)
{
  if (l->grid && l->plain)
    for (size_t s = begin; s < end; s++) NAME(grid_slice)(l, x, v, s, true);
  else if (l->grid)
    for (size_t s = begin; s < end; s++) NAME(grid_slice)(l, x, v, s, false);
  else if (l->plain)
    for (size_t s = begin; s < end; s++) NAME(list_slice)(l, x, v, s, true);
  else
    for (size_t s = begin; s < end; s++) NAME(list_slice)(l, x, v, s, false);
}

// --- moving ---

// the way h u of a coordinate; floats keep what they lose of it
DV_INLINE void NAME(drift)(REAL *to, const REAL *from, REAL *low, REAL u, REAL h, size_t i)
{
#if FLOATS
  REAL y = h * u + low[i], t = from[i] + y;
  low[i] = y - (t - from[i]);
  to[i] = t;
#else
  (void)low;
  to[i] = from[i] + h * u;
#endif
}

// guides and walls of one slot; positions before stand in the buffer `now`
static void NAME(meet)(dvLattice *l, size_t i, double h)
{
  double from[3], x[3], v[3];
  for (int k = 0; k < 3; k++) {
    from[k] = ((REAL *)l->x[l->now][k])[i];
    x[k] = ((REAL *)l->x[1 - l->now][k])[i];
    v[k] = ((REAL *)l->v[k])[i];
    if (FLOATS) x[k] += ((REAL *)l->low[k])[i];
  }
  if (!dv_lattice_meet(l, i, h, from, x, v)) return;
  for (int k = 0; k < 3; k++) {
    REAL at = (REAL)x[k];
    ((REAL *)l->x[1 - l->now][k])[i] = at;
    ((REAL *)l->v[k])[i] = (REAL)v[k];
    if (FLOATS) ((REAL *)l->low[k])[i] = (REAL)(x[k] - (double)at);
  }
}

static void NAME(meet_all)(dvLattice *l, double h, size_t begin, size_t end)
{
  const REAL *x = l->x[1 - l->now][0], *y = l->x[1 - l->now][1], *z = l->x[1 - l->now][2];
  for (size_t s = begin; s < end; s++) {
    bool any = l->guided && l->guided[s];
    for (size_t p = 0; p < l->walls.count && !any; p++) {
      const dvLatticeWall *w = &l->walls.data[p];
      REAL a = (REAL)w->at[0], b = (REAL)w->at[1], c = (REAL)w->at[2], d = (REAL)w->distance;
      // rounding of a dot product of floats, so that nothing is missed
      REAL slack = FLOATS ? (REAL)1e-6 * (1 + (REAL)fabs(w->distance)) : 0;
      int found = 0;
      for (size_t i = DV_LATTICE_LANES * s; i < DV_LATTICE_LANES * (s + 1); i++)
        if (w->ball) {
          REAL ux = x[i] - a, uy = y[i] - b, uz = z[i] - c;
          found |= ux * ux + uy * uy + uz * uz < d * d + slack;
        } else {
          found |= a * x[i] + b * y[i] + c * z[i] < d + slack;
        }
      any = found;
    }
    if (any)
      for (size_t i = DV_LATTICE_LANES * s; i < DV_LATTICE_LANES * (s + 1); i++)
        if (((const REAL *)l->w)[i] > 0) NAME(meet)(l, i, h);
  }
}

// How much air leaves of the velocities of a slice: 1 / (1 + h c |v| / m) with the speed before, which never turns them
// round and ends at the speed where weight and drag are equal.
static void NAME(resist)(const dvLattice *l, REAL h, size_t first, REAL left[DV_LATTICE_LANES])
{
  const REAL *x = l->v[0], *y = l->v[1], *z = l->v[2], *w = l->w, c = h * (REAL)l->drag_value;
  for (size_t i = 0; i < DV_LATTICE_LANES; i++) left[i] = 1;
  for (size_t i = 0, k = first; c > 0 && i < DV_LATTICE_LANES; i++, k++)
    left[i] = 1 / (1 + c * w[k] * (REAL)sqrt((double)(x[k] * x[k] + y[k] * y[k] + z[k] * z[k])));
}

static void NAME(move)(dvLattice *l, const dvLatticeKick *k, size_t begin, size_t end)
{
  size_t first = DV_LATTICE_LANES * begin, last = DV_LATTICE_LANES * end;
  REAL h = (REAL)k->h, damp = (REAL)(l->decay * k->kick / 2);
  REAL keep = (1 - damp) / (1 + damp), kick = (REAL)k->kick / (1 + damp);
  const REAL *w = l->w;
  for (size_t slice = first; slice < last; slice += DV_LATTICE_LANES) {
    REAL left[DV_LATTICE_LANES];
    NAME(resist)(l, (REAL)k->kick, slice, left);
    for (int a = 0; a < 3; a++) {
      REAL *v = l->v[a], *low = l->low[a], g = (REAL)l->gravity[a], *to = l->x[1 - l->now][a];
      const REAL *f = l->f[a], *e = l->extra[a], *from = l->x[l->now][a];
      for (size_t i = slice; i < slice + DV_LATTICE_LANES; i++) {
        REAL next = w[i] == 0 ? 0 : left[i - slice] * (keep * v[i] + kick * (w[i] * (f[i] + (e ? e[i] : 0)) + g));
        if (k->drift_first) NAME(drift)(to, from, low, v[i], h, i);
        v[i] = next;
      }
    }
  }
  if (!k->drift_first && k->drift)
    for (int a = 0; a < 3; a++) {
      const REAL *from = l->x[l->now][a], *v = l->v[a];
      REAL *to = l->x[1 - l->now][a], *low = l->low[a];
      for (size_t i = first; i < last; i++) NAME(drift)(to, from, low, v[i], h, i);
    }
  if (k->drift && (l->walls.count || l->guided)) NAME(meet_all)(l, k->h, begin, end);
}

// --- Runge-Kutta: stage 0 to 3 with the forces at hand ---

static void NAME(stage)(dvLattice *l, int stage, double step, size_t begin, size_t end)
{
  size_t first = DV_LATTICE_LANES * begin, last = DV_LATTICE_LANES * end;
  REAL h = (REAL)step, reach = stage == 2 ? h : h / 2, weight = stage == 0 || stage == 3 ? 1 : 2;
  const REAL *w = l->w, decay = (REAL)l->decay;
  for (int a = 0; a < 3; a++) {
    REAL *v = l->v[a], *vs = l->stage[a], *sx = l->stage[3 + a], *sv = l->stage[6 + a], *low = l->low[a];
    REAL *to = l->x[1 - l->now][a], g = (REAL)l->gravity[a];
    const REAL *f = l->f[a], *e = l->extra[a], *from = l->x[l->now][a];
    for (size_t i = first; i < last; i++) {
      REAL speed = stage == 0 ? v[i] : vs[i];
      REAL acceleration = w[i] == 0 ? 0 : w[i] * (f[i] + (e ? e[i] : 0)) + g - decay * speed;
      sx[i] = (stage == 0 ? 0 : sx[i]) + weight * speed;
      sv[i] = (stage == 0 ? 0 : sv[i]) + weight * acceleration;
      if (stage < 3) {
        to[i] = from[i] + reach * speed;
        vs[i] = v[i] + reach * acceleration;
      } else {
        v[i] += h / 6 * sv[i];
        NAME(drift)(to, from, low, sx[i] / 6, h, i);
      }
    }
  }
  for (size_t slice = first; stage == 3 && l->drag_value > 0 && slice < last; slice += DV_LATTICE_LANES) {
    REAL left[DV_LATTICE_LANES];
    NAME(resist)(l, h, slice, left);
    for (int a = 0; a < 3; a++)
      for (size_t i = 0; i < DV_LATTICE_LANES; i++) ((REAL *)l->v[a])[slice + i] *= left[i];
  }
  if (stage == 3 && (l->walls.count || l->guided)) NAME(meet_all)(l, step, begin, end);
}

#undef V
#undef I

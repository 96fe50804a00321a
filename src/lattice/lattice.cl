// The kernels of lattices in OpenCL: the same sums in the same order as slice.h, a work item for each slot.
//
// The host (opencl.c) says REAL (float or double), FLOATS, WIDE (double where the device has it: for walls and guides),
// TINY, GRID, LANES, WAYS and PAD. Vectors have three runs of `slots` numbers.
// Tables of 256 classes: 0 to 2 stiffness by length on a grid, 3 force, 4 force x reach, 5 reach, 6 cubic, 7 damping,
// 8 limit.

#if WIDE_DOUBLE
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#define N(t, c) tables[256 * (t) + (c)]
typedef struct {
  REAL x, y, z;
} Sum;
typedef struct {
  REAL dx, dy, dz, vx, vy, vz;
} Ends;
enum { PLAIN = 1, DAMPED = 2, BRITTLE = 4 };
static void pull(Sum *f, const Ends *e, REAL k, REAL kr)
{
  REAL r2 = e->dx * e->dx + e->dy * e->dy + e->dz * e->dz + (REAL)TINY;
  REAL s = k - kr * (1 / sqrt(r2));
  f->x += s * e->dx;
  f->y += s * e->dy;
  f->z += s * e->dz;
}
static void pull_any(Sum *f, const Ends *e, REAL inverse, int c, int kind, global const REAL *tables, global uchar *own)
{
  REAL r2 = e->dx * e->dx + e->dy * e->dy + e->dz * e->dz + (REAL)TINY;
  REAL ri = 1 / sqrt(r2), strain = r2 * ri * inverse - N(5, c);
  REAL force = N(3, c) * strain * (1 + N(6, c) * strain * strain);
  if (kind & DAMPED) force += N(7, c) * inverse * ri * (e->vx * e->dx + e->vy * e->dy + e->vz * e->dz);
  if ((kind & BRITTLE) && strain > N(8, c)) {
    *own = 0;
    return;
  }   // the other end finds the same
  REAL s = force * ri;
  f->x += s * e->dx;
  f->y += s * e->dy;
  f->z += s * e->dz;
}
static Ends ends(global const REAL *x, global const REAL *v, size_t slots, size_t a, size_t b, int kind)
{
  Ends e = {x[b] - x[a], x[slots + b] - x[slots + a], x[2 * slots + b] - x[2 * slots + a], 0, 0, 0};
  if (kind & DAMPED) {
    e.vx = v[b] - v[a];
    e.vy = v[slots + b] - v[slots + a];
    e.vz = v[2 * slots + b] - v[2 * slots + a];
  }
  return e;
}
// grid: `rows` are the nine lines of each slice; list: its first row, `steps` and `inverses` of each spring
kernel void force(global const REAL *x, global const REAL *v, global REAL *f, global const REAL *tables,
                  global uchar *cls, global const int *rows, global const int *steps, global const REAL *inverses,
                  ulong slots, int kind, REAL pitch)
{
  size_t slot = get_global_id(0) + PAD, slice = slot / LANES, lane = slot % LANES;
  Sum sum = {0, 0, 0};
#if GRID
  const REAL lengths[4] = {1, 1, (REAL)1.4142135623730951, (REAL)1.7320508075688772};
  for (int r = 0, way = 0; r < 9; r++) {
    int away = r == 4 ? 0 : (r & 1) ? 1 : 2;
    for (int a = -1; a <= 1; a++) {
      if (r == 4 && a == 0) continue;
      global uchar *own = cls + (WAYS * slice + way++) * LANES + lane;
      int c = *own, type = away + (a != 0);
      if (!c) continue;
      Ends e = ends(x, v, slots, slot, (size_t)(rows[9 * slice + r] + (int)lane + a), kind);
      if (kind & PLAIN) pull(&sum, &e, N(type - 1, c), N(4, c));
      else pull_any(&sum, &e, 1 / (pitch * lengths[type]), c, kind, tables, own);
    }
  }
#else
  for (int row = rows[slice]; row < rows[slice + 1]; row++) {
    size_t at = (size_t)row * LANES + lane;
    int c = cls[at];
    if (!c) continue;
    Ends e = ends(x, v, slots, slot, (size_t)((int)slot + steps[at]), kind);
    if (kind & PLAIN) pull(&sum, &e, N(3, c) * inverses[at], N(4, c));
    else pull_any(&sum, &e, inverses[at], c, kind, tables, cls + at);
  }
#endif
  f[slot] = sum.x;
  f[slots + slot] = sum.y;
  f[2 * slots + slot] = sum.z;
}
// --- moving ---
static void drift(global REAL *to, global const REAL *from, global REAL *low, REAL u, REAL h, size_t i)
{
#if FLOATS
  REAL y = h * u + low[i], t = from[i] + y;
  low[i] = y - (t - from[i]);
  to[i] = t;
#else
  to[i] = from[i] + h * u;
#endif
}
// a wall is eight numbers: normal or centre, distance or radius, friction static and kinetic, 1 for a ball
static bool meet_wall(global const WIDE *w, WIDE h, const WIDE *from, WIDE *x, WIDE *v)
{
  WIDE n[3], gap, before;
  if (w[6] != 0) {
    WIDE u[3], size = 0, start = 0;
    for (int k = 0; k < 3; k++) {
      u[k] = x[k] - w[k];
      size += u[k] * u[k];
      start += (from[k] - w[k]) * (from[k] - w[k]);
    }
    size = sqrt(size);
    gap = size - w[3];
    if (gap >= 0) return false;
    for (int k = 0; k < 3; k++) n[k] = size > 0 ? u[k] / size : k == 1;
    before = sqrt(start) - w[3];
  } else {
    for (int k = 0; k < 3; k++) n[k] = w[k];
    gap = n[0] * x[0] + n[1] * x[1] + n[2] * x[2] - w[3];
    if (gap >= 0) return false;
    before = n[0] * from[0] + n[1] * from[1] + n[2] * from[2] - w[3];
  }
  WIDE vn = n[0] * v[0] + n[1] * v[1] + n[2] * v[2], along[3], speed = 0;
  WIDE wanted = before > 0 ? -before / h : 0, push = fmax(wanted - vn, (WIDE)0);
  for (int k = 0; k < 3; k++) {
    along[k] = v[k] - vn * n[k];
    speed += along[k] * along[k];
  }
  speed = sqrt(speed);
  WIDE left = speed <= w[4] * push ? 0 : fmax((WIDE)0, 1 - w[5] * push / speed), way = 0;
  vn = fmax(vn, wanted);
  for (int k = 0; k < 3; k++) way += n[k] * (x[k] - from[k]);
  for (int k = 0; k < 3; k++) {
    v[k] = left * along[k] + vn * n[k];
    x[k] = from[k] + left * (x[k] - from[k] - way * n[k]) + way * n[k];
  }
  if (w[6] != 0) {
    WIDE size = 0;
    for (int k = 0; k < 3; k++) size += (x[k] - w[k]) * (x[k] - w[k]);
    size = sqrt(size);
    for (int k = 0; size > 0 && k < 3; k++) x[k] = w[k] + (x[k] - w[k]) * (w[3] / size);
  } else {
    gap = n[0] * x[0] + n[1] * x[1] + n[2] * x[2] - w[3];
    for (int k = 0; k < 3; k++) x[k] -= gap * n[k];
  }
  return true;
}
static void meet(global REAL *to, global const REAL *from, global REAL *low, global REAL *speed,
                 global const WIDE *walls, int count, global const WIDE *guide, int guided, ulong slots, size_t i,
                 WIDE h)
{
  WIDE start[3], x[3], v[3];
  bool changed = false;
  for (int k = 0; k < 3; k++) {
    start[k] = from[k * slots + i];
    x[k] = to[k * slots + i];
    v[k] = speed[k * slots + i];
    if (FLOATS) x[k] += low[k * slots + i];
  }
  for (int p = 0; p < count; p++) changed |= meet_wall(walls + 8 * p, h, start, x, v);
  if (guided && guide[4 * i + 3] > 0) {
    global const WIDE *g = guide + 4 * i;
    WIDE s = g[0] * v[0] + g[1] * v[1] + g[2] * v[2];
    for (int k = 0; k < 3; k++) {
      v[k] = g[3] == 1 ? s * g[k] : v[k] - s * g[k];
      x[k] = start[k] + h * v[k];
    }
    changed = true;
  }
  for (int k = 0; changed && k < 3; k++) {
    REAL at = (REAL)x[k];
    to[k * slots + i] = at;
    speed[k * slots + i] = (REAL)v[k];
    if (FLOATS) low[k * slots + i] = (REAL)(x[k] - (WIDE)at);
  }
}
static REAL resist(global const REAL *v, REAL w, REAL c, ulong slots, size_t i)
{
  REAL x = v[i], y = v[slots + i], z = v[2 * slots + i];
  return c > 0 ? 1 / (1 + c * w * sqrt(x * x + y * y + z * z)) : 1;
}
// numbers: h, kick, keep, drag x kick, gravity; how: 1 positions first, 2 positions move
kernel void move(global const REAL *from, global REAL *to, global REAL *v, global REAL *low, global const REAL *w,
                 global const REAL *f, global const REAL *extra, global const WIDE *walls, global const WIDE *guide,
                 global const WIDE *numbers, ulong slots, int how, int pushed, int count, int guided)
{
  size_t i = get_global_id(0) + PAD;
  REAL h = (REAL)numbers[0], kick = (REAL)numbers[1], keep = (REAL)numbers[2];
  REAL left = resist(v, w[i], (REAL)numbers[3], slots, i);
  for (int k = 0; k < 3; k++) {
    size_t at = k * slots + i;
    REAL next = w[i] == 0
                    ? 0
                    : left * (keep * v[at] + kick * (w[i] * (f[at] + (pushed ? extra[at] : 0)) + (REAL)numbers[4 + k]));
    if (how & 1) drift(to, from, low, v[at], h, at);
    v[at] = next;
    if (how == 2) drift(to, from, low, next, h, at);
  }
  if ((how & 2) && (count || guided) && w[i] > 0)
    meet(to, from, low, v, walls, count, guide, guided, slots, i, numbers[0]);
}
// Runge-Kutta; numbers: h, -, decay, drag x h, gravity
kernel void stage(global const REAL *from, global REAL *to, global REAL *v, global REAL *low, global const REAL *w,
                  global const REAL *f, global const REAL *extra, global const WIDE *walls, global const WIDE *guide,
                  global const WIDE *numbers, ulong slots, int number, int pushed, int count, int guided,
                  global REAL *vs, global REAL *sx, global REAL *sv)
{
  size_t i = get_global_id(0) + PAD;
  REAL h = (REAL)numbers[0], reach = number == 2 ? h : h / 2, weight = number == 0 || number == 3 ? 1 : 2;
  for (int k = 0; k < 3; k++) {
    size_t at = k * slots + i;
    REAL speed = number == 0 ? v[at] : vs[at];
    REAL a =
        w[i] == 0 ? 0 : w[i] * (f[at] + (pushed ? extra[at] : 0)) + (REAL)numbers[4 + k] - (REAL)numbers[2] * speed;
    sx[at] = (number == 0 ? 0 : sx[at]) + weight * speed;
    sv[at] = (number == 0 ? 0 : sv[at]) + weight * a;
    if (number < 3) {
      to[at] = from[at] + reach * speed;
      vs[at] = v[at] + reach * a;
    } else {
      v[at] += h / 6 * sv[at];
      drift(to, from, low, sx[at] / 6, h, at);
    }
  }
  if (number < 3) return;
  REAL left = resist(v, w[i], (REAL)numbers[3], slots, i);
  for (int k = 0; k < 3; k++) v[k * slots + i] *= left;
  if ((count || guided) && w[i] > 0) meet(to, from, low, v, walls, count, guide, guided, slots, i, numbers[0]);
}

// Spheres, arrows, frames and boxes: one body each, drawn many times. See inside.h.
#include "render/inside.h"
#include "render/stage.h"

#include <math.h>

enum { MOST_COPIES = 100000, MOST_FRAMES = 1500 };
static const float white[4] = {1, 1, 1, 1};

static dvInstance placed(const float p[3], const double turn[3][3], const float size[3], const float tint[4])
{
  dvInstance c;
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 3; k++) c.row[i][k] = (float)turn[i][k] * size[k];
    c.row[i][3] = isfinite(p[i]) ? p[i] : 0;
  }
  memcpy(c.tint, tint, sizeof c.tint);
  return c;
}

static const double upright[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

static void of_quaternion(const float q[4], double m[3][3])
{
  double x = q[0], y = q[1], z = q[2], w = q[3];
  const double r[3][3] = {{1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)},
                          {2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)},
                          {2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)}};
  memcpy(m, r, sizeof r);
}

static uint32_t put(dvShapes *s, double x, double y, double z, double nx, double ny, double nz)
{
  dvVertex v = {.place = {(float)x, (float)y, (float)z}, .normal = {(float)nx, (float)ny, (float)nz}};
  dv_push(&s->vertices, v);
  return (uint32_t)s->vertices.count - 1;
}

static void face(dvShapes *s, uint32_t a, uint32_t b, uint32_t c)
{
  const uint32_t f[3] = {a, b, c};
  for (int k = 0; k < 3; k++) dv_push(&s->indices, f[k]);
}

static void unit_sphere(dvShapes *s, size_t count)
{
  const int around = count < 50 ? 64 : count < 500 ? 32 : count < 5000 ? 16 : 10, rings = around / 2;
  const uint32_t base = (uint32_t)s->vertices.count;
  for (int j = 0; j <= rings; j++)
    for (int i = 0; i <= around; i++) {
      double a = 2 * M_PI * i / around, b = M_PI * j / rings;
      double x = cos(a) * sin(b), y = cos(b), z = sin(a) * sin(b);
      put(s, x, y, z, x, y, z);
    }
  const uint32_t row = (uint32_t)around + 1;
  for (int j = 0; j < rings; j++)
    for (int i = 0; i < around; i++) {
      uint32_t a = base + (uint32_t)j * row + (uint32_t)i, c = a + row;
      face(s, a, a + 1, c);
      face(s, a + 1, c + 1, c);
    }
}

static void put_spheres(dvShapes *s, const dvDraw *d, const dvDrawable *a, const float *x, size_t count)
{
  size_t radii;
  const float *r = dv_shape_numbers(d, a->radii, &radii);
  dvBatch *b = dv_shape_batch(s, a, DV_BATCH_SURFACE);
  if (!a->has_material) b->colour[3] = a->group == DV_DRAW_VISUAL ? 1 : 0.55f;
  b->specular[0] = b->specular[1] = b->specular[2] = 0.3f;
  b->shininess = 40;
  count = dv_min_size(count, MOST_COPIES);
  unit_sphere(s, count);
  b->count = s->indices.count - b->first;
  for (size_t i = 0; i < count; i++) {
    float radius = radii ? r[dv_min_size(i, radii - 1)] : (float)a->radius;
    if (!isfinite(radius)) radius = 0;
    dv_push(&s->copies, placed(x + 3 * i, upright, (const float[]){radius, radius, radius}, white));
  }
  b->copies = count;
}

// --- arrows: a shaft and a head along y, both round --------------------------------------------

static void lathe(dvShapes *s, const double (*profile)[2], int points, int sides)   // along y, radius x
{
  for (int j = 0; j + 1 < points; j++) {
    double dy = profile[j + 1][1] - profile[j][1], dr = profile[j + 1][0] - profile[j][0];
    const uint32_t base = (uint32_t)s->vertices.count;
    for (int i = 0; i <= sides; i++) {
      double a = 2 * M_PI * i / sides, c = cos(a), z = sin(a), length = hypot(dy, dr);
      for (int end = 0; end < 2; end++) {
        const double *p = profile[j + end];
        put(s, p[0] * c, p[1], p[0] * z, dy / length * c, -dr / length, dy / length * z);
      }
    }
    for (uint32_t i = 0; i < (uint32_t)sides; i++) {
      uint32_t a = base + 2 * i;
      face(s, a, a + 1, a + 2);
      face(s, a + 1, a + 3, a + 2);
    }
  }
}

// a matrix whose columns are orthonormal, with the given direction as column `axis`
static void towards(const double way[3], int axis, double m[3][3])
{
  int least =
      fabs(way[0]) < fabs(way[1]) ? (fabs(way[0]) < fabs(way[2]) ? 0 : 2) : (fabs(way[1]) < fabs(way[2]) ? 1 : 2);
  double e[3] = {0}, u[3], v[3], length;
  e[least] = 1;
  u[0] = way[1] * e[2] - way[2] * e[1], u[1] = way[2] * e[0] - way[0] * e[2], u[2] = way[0] * e[1] - way[1] * e[0];
  length = sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
  for (int k = 0; k < 3; k++) u[k] /= length > 0 ? length : 1;
  v[0] = way[1] * u[2] - way[2] * u[1], v[1] = way[2] * u[0] - way[0] * u[2], v[2] = way[0] * u[1] - way[1] * u[0];
  for (int k = 0; k < 3; k++) m[k][axis] = way[k], m[k][(axis + 1) % 3] = u[k], m[k][(axis + 2) % 3] = v[k];
}

// red along x, green along y, blue along z
static void tint_by(const double way[3], const float base[4], float tint[4])
{
  for (int k = 0; k < 3; k++) tint[k] = (float)(dv_linear(fabs(way[k])) / fmax(1e-6, dv_linear(base[k])));
}

static void put_arrows(dvShapes *s, const dvDraw *d, size_t which, const float *x, size_t count)
{
  const dvDrawable *a = &d->list.data[which];
  size_t numbers;
  const float *v = dv_shape_numbers(d, a->second, &numbers);
  count = dv_min_size(dv_min_size(count, numbers / 3), MOST_COPIES);
  double *longest = &s->longest.data[which];
  for (size_t i = 0; i < count; i++) {
    double l =
        sqrt((double)v[3 * i] * v[3 * i] + (double)v[3 * i + 1] * v[3 * i + 1] + (double)v[3 * i + 2] * v[3 * i + 2]);
    if (isfinite(l)) *longest = fmax(*longest, l);
  }
  const double part = a->group == DV_DRAW_CONTACTS ? 0.04 : 0.14;
  const double scale = a->scale > 0 ? a->scale : *longest > 0 ? part * s->diagonal / *longest : 0;
  static const double shaft[2][2] = {{0.5, 0}, {0.5, 1}}, head[3][2] = {{0, 0}, {1, 0}, {0, 1}};
  for (int pass = 0; pass < 2; pass++) {
    dvBatch *b = dv_shape_batch(s, a, DV_BATCH_SURFACE);
    if (pass == 0) lathe(s, shaft, 2, 10);
    else lathe(s, head, 3, 14);
    b->count = s->indices.count - b->first;
    for (size_t i = 0; i < count; i++) {
      double way[3] = {scale * v[3 * i], scale * v[3 * i + 1], scale * v[3 * i + 2]}, m[3][3];
      double length = sqrt(way[0] * way[0] + way[1] * way[1] + way[2] * way[2]);
      if (!isfinite(length) || length <= 0) continue;
      double tip = fmin(0.35 * length, 0.03 * s->diagonal), thick = fmin(0.05 * length, 0.004 * s->diagonal);
      for (int k = 0; k < 3; k++) way[k] /= length;
      towards(way, 1, m);
      float tint[4] = {1, 1, 1, 1};
      if (a->directed) tint_by(way, b->colour, tint);
      float at[3], size[3] = {(float)thick, (float)(length - tip), (float)thick};
      if (pass) size[0] = size[2] = (float)(0.3 * tip), size[1] = (float)tip;
      for (int k = 0; k < 3; k++) at[k] = x[3 * i + (size_t)k] + (pass ? (float)(way[k] * (length - tip)) : 0);
      dv_push(&s->copies, placed(at, m, size, tint));
    }
    b->copies = s->copies.count - b->first_copy;
    if (!b->copies) b->count = 0;
  }
}

// --- frames --------------------------------------------------------------------------------------

static void put_frames(dvShapes *s, const dvDraw *d, const dvDrawable *a, const float *x, size_t count)
{
  static const float axes[3][4] = {
      {0.839f, 0.271f, 0.314f, 1}, {0.247f, 0.604f, 0.306f, 1}, {0.247f, 0.455f, 0.839f, 1}};
  static const double profile[4][2] = {{0.03, 0}, {0.03, 0.78}, {0.085, 0.78}, {0, 1}};
  size_t numbers;
  const float *q = dv_shape_numbers(d, a->frames, &numbers);
  count = dv_min_size(dv_min_size(count, numbers / 4), MOST_COPIES / 3);
  const float length = (float)((count > 20 ? 0.04 : 0.07) * s->diagonal), thin = count > MOST_FRAMES ? 0.3f : 1;
  dvBatch *b = dv_shape_batch(s, a, DV_BATCH_SURFACE);
  for (int k = 0; k < 4; k++) b->colour[k] = 1;
  b->over = true;
  lathe(s, profile, 4, count > MOST_FRAMES ? 4 : 10);
  b->count = s->indices.count - b->first;
  for (size_t i = 0; i < count; i++)
    for (int axis = 0; axis < 3; axis++) {
      double r[3][3], m[3][3], way[3];
      of_quaternion(q + 4 * i, r);
      for (int k = 0; k < 3; k++) way[k] = r[k][axis];
      towards(way, 1, m);
      dv_push(&s->copies, placed(x + 3 * i, m, (const float[]){thin * length, length, thin * length}, axes[axis]));
    }
  b->copies = s->copies.count - b->first_copy;
}

// --- boxes ---------------------------------------------------------------------------------------

// An inertia that nobody chose (1 kg m2 in a scene of millimetres) must not fill the picture, nor that of a point
// vanish.
void dv_shape_box_size(const float size[3], double diagonal, float out[3])
{
  double longest = fmax(size[0], fmax(size[1], size[2])), least = 0.04 * diagonal;
  for (int k = 0; k < 3; k++)
    out[k] =
        (float)(!(longest > 1e-6 * diagonal) ? least : fmax(0.2 * least, size[k] * fmin(1, 0.3 * diagonal / longest)));
}

static void unit_box(dvShapes *s)
{
  for (int axis = 0; axis < 3; axis++)
    for (int side = 0; side < 2; side++) {
      static const double u[2][4] = {{-0.5, -0.5, 0.5, 0.5}, {-0.5, 0.5, 0.5, -0.5}};
      double n[3] = {0}, p[4][3];
      n[axis] = side ? 1 : -1;
      for (int i = 0; i < 4; i++)
        p[i][axis] = 0.5 * n[axis], p[i][(axis + 1) % 3] = u[side][i], p[i][(axis + 2) % 3] = u[!side][i];
      uint32_t base = 0;
      for (int i = 0; i < 4; i++) {
        uint32_t at = put(s, p[i][0], p[i][1], p[i][2], n[0], n[1], n[2]);
        if (i == 0) base = at;
      }
      face(s, base, base + 1, base + 2);
      face(s, base, base + 2, base + 3);
    }
}

static void put_boxes(dvShapes *s, const dvDraw *d, const dvDrawable *a, const float *x, size_t count)
{
  size_t numbers, sizes;
  const float *q = dv_shape_numbers(d, a->frames, &numbers), *size = dv_shape_numbers(d, a->sizes, &sizes);
  count = dv_min_size(dv_min_size(count, numbers / 4), dv_min_size(sizes / 3, MOST_COPIES));
  dvBatch *b = dv_shape_batch(s, a, DV_BATCH_SURFACE);
  unit_box(s);
  b->count = s->indices.count - b->first;
  for (size_t i = 0; i < count; i++) {
    double r[3][3];
    float sides[3];
    of_quaternion(q + 4 * i, r);
    dv_shape_box_size(size + 3 * i, s->diagonal, sides);
    float tint[4] = {1, 1, 1, 1};
    if (count > 1) {   // bodies of one state are told apart
      const double *own = dv_draw_palette(i);
      for (int k = 0; k < 3; k++) tint[k] = (float)(dv_linear(own[k]) / dv_linear(b->colour[k]));
    }
    dv_push(&s->copies, placed(x + 3 * i, r, sides, tint));
  }
  b->copies = count;
}

void dv_shape_copies(dvShapes *s, const dvDraw *d, size_t which)
{
  const dvDrawable *a = &d->list.data[which];
  size_t numbers;
  const float *x = dv_shape_numbers(d, a->positions, &numbers);
  if (!x || numbers < 3) return;
  size_t before = s->batches.count;
  if (a->kind == DV_DRAW_SPHERES) put_spheres(s, d, a, x, numbers / 3);
  else if (a->kind == DV_DRAW_VECTORS) put_arrows(s, d, which, x, numbers / 3);
  else if (a->kind == DV_DRAW_FRAMES) put_frames(s, d, a, x, numbers / 3);
  else if (a->kind == DV_DRAW_BOXES) put_boxes(s, d, a, x, numbers / 3);
  for (size_t i = before; i < s->batches.count; i++)
    if (!s->batches.data[i].copies) s->batches.data[i].count = 0;   // none, rather than one where it stands
}

// A small renderer: the draw list of the viewer, a buffer of depths, two lights. See picture.h.
//
// Everything is drawn at twice the size and brought down, so that edges are smooth. The camera looks at the middle of
// the scene from a direction, upright as gravity pulls; with a zoom of 1 the box around the scene just fits.
#include "picture.h"

#include "math/vec.h"
#include "view/draw.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FINE = 2, LARGEST = 4096 };

typedef struct Canvas {
  int width, height;
  float *depth;
  float *colour;                             // red green blue
  double eye[3], right[3], up[3], back[3];   // camera
  double scale;                              // pixels at distance 1
  double size;                               // of the scene, m
} Canvas;

typedef struct Vertex {
  double x, y, z;   // pixels, distance
  double normal[3];
  float colour[3];
} Vertex;

static double dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static void cross(const double a[3], const double b[3], double out[3])
{
  const double c[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
  memcpy(out, c, sizeof c);
}

static void normalise(double a[3])
{
  const double length = sqrt(dot(a, a));
  for (int k = 0; k < 3 && length > 0; k++) a[k] /= length;
}

static bool project(const Canvas *c, const double p[3], Vertex *v)
{
  const double d[3] = {p[0] - c->eye[0], p[1] - c->eye[1], p[2] - c->eye[2]};
  v->z = -dot(d, c->back);
  if (!(v->z > 1e-3 * c->size) || !isfinite(v->z)) return false;
  v->x = c->width * 0.5 + c->scale * dot(d, c->right) / v->z;
  v->y = c->height * 0.5 - c->scale * dot(d, c->up) / v->z;
  return fabs(v->x) < 1e6 && fabs(v->y) < 1e6;
}

// two lights that go with the camera, and a little from everywhere; both sides of a surface are lit
static float shade(const Canvas *c, const double n[3])
{
  double key[3], fill[3];
  for (int k = 0; k < 3; k++) {
    key[k] = 0.45 * c->right[k] + 0.65 * c->up[k] + 0.6 * c->back[k];
    fill[k] = -0.8 * c->right[k] + 0.1 * c->up[k] + 0.6 * c->back[k];
  }
  normalise(key);
  normalise(fill);
  const double side = dot(n, c->back) < 0 ? -1 : 1;
  return (float)(0.34 + 0.78 * fmax(0, side * dot(n, key)) + 0.24 * fmax(0, side * dot(n, fill)));
}

static void put(Canvas *c, int x, int y, double z, const float colour[3], float light)
{
  if (x < 0 || y < 0 || x >= c->width || y >= c->height) return;
  const size_t at = (size_t)y * (size_t)c->width + (size_t)x;
  if (z >= c->depth[at]) return;
  c->depth[at] = (float)z;
  for (int k = 0; k < 3; k++) c->colour[3 * at + (size_t)k] = fminf(1, colour[k] * light);
}

static void fill_triangle(Canvas *c, const Vertex *a, const Vertex *b, const Vertex *d)
{
  const double area = (b->x - a->x) * (d->y - a->y) - (d->x - a->x) * (b->y - a->y);
  if (!(fabs(area) > 1e-9)) return;
  const int x0 = (int)fmax(0, floor(fmin(a->x, fmin(b->x, d->x)))),
            y0 = (int)fmax(0, floor(fmin(a->y, fmin(b->y, d->y))));
  const int x1 = (int)fmin(c->width - 1, ceil(fmax(a->x, fmax(b->x, d->x))));
  const int y1 = (int)fmin(c->height - 1, ceil(fmax(a->y, fmax(b->y, d->y))));
  for (int y = y0; y <= y1; y++)
    for (int x = x0; x <= x1; x++) {
      const double px = x + 0.5, py = y + 0.5;
      const double u = ((b->x - px) * (d->y - py) - (d->x - px) * (b->y - py)) / area;
      const double v = ((d->x - px) * (a->y - py) - (a->x - px) * (d->y - py)) / area, w = 1 - u - v;
      if (u < 0 || v < 0 || w < 0) continue;
      double n[3];
      for (int k = 0; k < 3; k++) n[k] = u * a->normal[k] + v * b->normal[k] + w * d->normal[k];
      normalise(n);
      put(c, x, y, u * a->z + v * b->z + w * d->z, a->colour, shade(c, n));
    }
}

static void draw_line(Canvas *c, const Vertex *a, const Vertex *b)
{
  const double length = fmax(fabs(a->x - b->x), fabs(a->y - b->y));
  const int steps = (int)fmin(4 * LARGEST, ceil(length)) + 1;
  for (int i = 0; i <= steps; i++) {
    const double t = (double)i / steps, x = a->x + t * (b->x - a->x), y = a->y + t * (b->y - a->y);
    const double z = (a->z + t * (b->z - a->z)) * 0.9995;   // in front of what it lies on
    for (int k = 0; k < FINE * FINE; k++) put(c, (int)x + k % FINE, (int)y + k / FINE, z, a->colour, 1);
  }
}

static void draw_ball(Canvas *c, const Vertex *v, double radius, double world)
{
  const double r = fmin(radius, LARGEST);
  for (int y = (int)floor(v->y - r); y <= (int)ceil(v->y + r); y++)
    for (int x = (int)floor(v->x - r); x <= (int)ceil(v->x + r); x++) {
      const double dx = (x + 0.5 - v->x) / r, dy = (v->y - y - 0.5) / r, s = 1 - dx * dx - dy * dy;
      if (s < 0) continue;
      double n[3];
      for (int k = 0; k < 3; k++) n[k] = dx * c->right[k] + dy * c->up[k] + sqrt(s) * c->back[k];
      put(c, x, y, v->z - world * sqrt(s), v->colour, shade(c, n));
    }
}

// --- drawables -----------------------------------------------------------------------------------

static float number_at(const dvDrawArray *a, size_t i)
{
  float f;
  memcpy(&f, &a->data[i], sizeof f);
  return f;
}

static void colour_of(const dvDrawable *d, float out[3])
{
  static const float usual[DV_DRAW_GROUPS][3] = {
      {0.86f, 0.52f, 0.42f}, {0.36f, 0.55f, 0.85f}, {0.3f, 0.7f, 0.4f}, {0.9f, 0.3f, 0.3f}, {0.55f, 0.6f, 0.68f},
      {0.6f, 0.6f, 0.6f},    {0.6f, 0.6f, 0.6f},    {0.6f, 0.6f, 0.6f}, {0.9f, 0.7f, 0.2f}, {0.9f, 0.7f, 0.2f}};
  for (int k = 0; k < 3; k++) out[k] = d->has_material ? (float)d->material.diffuse[k] : usual[d->group][k];
  const float most = fmaxf(out[0], fmaxf(out[1], out[2]));
  for (int k = 0; k < 3 && most < 0.12f; k++) out[k] = 0.6f;   // nothing is seen of what is black
}

// normals of points from the faces around them
static void add_normals(Vertex *v, size_t count, const dvDrawArray *x, const dvDrawArray *faces)
{
  for (size_t t = 0; t + 2 < faces->count; t += 3) {
    const uint32_t *f = &faces->data[t];
    if (f[0] >= count || f[1] >= count || f[2] >= count) continue;
    double p[3][3], e1[3], e2[3], n[3];
    for (int i = 0; i < 3; i++)
      for (int k = 0; k < 3; k++) p[i][k] = number_at(x, 3 * (size_t)f[i] + (size_t)k);
    for (int k = 0; k < 3; k++) e1[k] = p[1][k] - p[0][k], e2[k] = p[2][k] - p[0][k];
    cross(e1, e2, n);
    for (int i = 0; i < 3; i++)
      for (int k = 0; k < 3; k++) v[f[i]].normal[k] += n[k];
  }
}

static void draw_one(Canvas *c, const dvDraw *draw, const dvDrawable *d)
{
  if (d->positions < 0) return;
  const dvDrawArray *x = &draw->arrays.data[d->positions],
                    *indices = d->indices < 0 ? NULL : &draw->arrays.data[d->indices];
  if (x->width != 3 || !x->data) return;
  const size_t count = x->count / 3;
  Vertex *v = dv_try_alloc((count + 1) * sizeof *v);
  bool *seen = dv_try_alloc(count + 1);
  for (size_t i = 0; v && seen && i < count; i++) {
    const double p[3] = {number_at(x, 3 * i), number_at(x, 3 * i + 1), number_at(x, 3 * i + 2)};
    seen[i] = project(c, p, &v[i]);
    colour_of(d, v[i].colour);
  }
  if (!v || !seen) {
    dv_free(v);
    dv_free(seen);
    return;
  }
  if (d->kind == DV_DRAW_TRIANGLES && indices) {
    add_normals(v, count, x, indices);
    for (size_t t = 0; t + 2 < indices->count; t += 3) {
      const uint32_t *f = &indices->data[t];
      if (f[0] < count && f[1] < count && f[2] < count && seen[f[0]] && seen[f[1]] && seen[f[2]])
        fill_triangle(c, &v[f[0]], &v[f[1]], &v[f[2]]);
    }
  } else if (d->kind == DV_DRAW_LINES && indices) {
    for (size_t t = 0; t + 1 < indices->count; t += 2) {
      const uint32_t a = indices->data[t], b = indices->data[t + 1];
      if (a < count && b < count && seen[a] && seen[b]) draw_line(c, &v[a], &v[b]);
    }
  } else if (d->kind == DV_DRAW_SPHERES || d->kind == DV_DRAW_POINTS || d->kind == DV_DRAW_FRAMES) {
    const dvDrawArray *radii = d->radii < 0 ? NULL : &draw->arrays.data[d->radii];
    for (size_t i = 0; i < count; i++) {
      double r = d->kind == DV_DRAW_SPHERES ? d->radius : 0;
      if (radii && i < radii->count) r = number_at(radii, i);
      const double pixels = r > 0 ? c->scale * r / v[i].z : 2.5 * FINE;
      if (seen[i] && isfinite(pixels)) draw_ball(c, &v[i], fmax(1, pixels), r > 0 ? r : 0);
    }
  }
  dv_free(v);
  dv_free(seen);
}

// --- the picture ---------------------------------------------------------------------------------

// visual models, or all else that has a shape where there are none; collision models too where the scene asks for them
static unsigned usual_groups(const dvDraw *draw)
{
  unsigned there = 0;
  for (size_t i = 0; i < draw->list.count; i++) there |= 1u << draw->list.data[i].group;
  const unsigned visual = 1u << DV_DRAW_VISUAL;
  return there & visual ? visual
                        : (1u << DV_DRAW_BEHAVIOR) | (1u << DV_DRAW_COLLISION) | (1u << DV_DRAW_INTERACTIONS) |
                              (1u << DV_DRAW_FORCE_FIELDS);
}

static bool is_shown(const dvDrawable *d, unsigned usual)
{
  return usual & (1u << d->group) || (d->group == DV_DRAW_COLLISION && d->say > 0);
}

// the axis along which gravity pulls, as in the viewer; y where it pulls along none
static int up_axis(const double g[3])
{
  const double size = sqrt(dot(g, g));
  for (int k = 0; k < 3; k++)
    if (size > 0 && fabs(g[k]) > 0.9 * size) return k;
  return 1;
}

// pixels at distance 1 with which the corners of the box stay on the picture, with a little air
static double fitting_scale(const Canvas *c, const double low[3], const double high[3])
{
  double across = 0, along = 0;
  for (int i = 0; i < 8; i++) {
    double d[3];
    for (int k = 0; k < 3; k++) d[k] = (i >> k & 1 ? high[k] : low[k]) - c->eye[k];
    const double z = -dot(d, c->back);
    across = fmax(across, fabs(dot(d, c->right)) / z);
    along = fmax(along, fabs(dot(d, c->up)) / z);
  }
  const double least = 1e-3;   // a thread seen from its end
  return 0.475 * fmin(c->width / fmax(across, least), c->height / fmax(along, least));
}

static void aim(Canvas *c, const double low[3], const double high[3], const double from[3], int up, double zoom)
{
  double middle[3], radius = 0;
  for (int k = 0; k < 3; k++)
    middle[k] = 0.5 * (low[k] + high[k]), radius += 0.25 * (high[k] - low[k]) * (high[k] - low[k]);
  radius = sqrt(radius);
  if (!(radius > 0)) radius = 1;
  memcpy(c->back, from, sizeof c->back);
  normalise(c->back);
  double upright[3] = {0};
  if (fabs(c->back[up]) > 0.999) upright[up == 2 ? 1 : 2] = up == 2 ? 1 : -1;
  else upright[up] = 1;
  cross(upright, c->back, c->right);
  normalise(c->right);
  cross(c->back, c->right, c->up);
  const double distance = radius / sin(0.3);
  for (int k = 0; k < 3; k++) c->eye[k] = middle[k] + distance * c->back[k];
  c->scale = zoom * fitting_scale(c, low, high);
  c->size = radius;
}

static void background(Canvas *c)
{
  for (int y = 0; y < c->height; y++)
    for (int x = 0; x < c->width; x++) {
      const size_t at = (size_t)y * (size_t)c->width + (size_t)x;
      const float t = (float)y / (float)c->height;
      c->colour[3 * at] = 0.97f - 0.09f * t;
      c->colour[3 * at + 1] = 0.98f - 0.08f * t;
      c->colour[3 * at + 2] = 0.99f - 0.06f * t;
      c->depth[at] = HUGE_VALF;
    }
}

static void bring_down(const Canvas *c, unsigned char *out)
{
  const int w = c->width / FINE, h = c->height / FINE;
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++)
      for (int k = 0; k < 3; k++) {
        float sum = 0;
        for (int j = 0; j < FINE * FINE; j++)
          sum += c->colour[3 * ((size_t)(y * FINE + j / FINE) * (size_t)c->width + (size_t)(x * FINE + j % FINE)) +
                           (size_t)k];
        out[3 * (y * w + x) + k] = (unsigned char)lroundf(255 * fminf(1, fmaxf(0, sum / (FINE * FINE))));
      }
}

// from the right, a little from above, and from the front
static const double usual_views[3][3] = {{0.45, 1, 0.6}, {0.6, 0.45, 1}, {0.6, -1, 0.45}};

static bool render(dvScene *scene, Canvas *c, const double *from, double zoom, unsigned char *out)
{
  dvDraw draw = {0};
  dv_draw_build(&draw, scene);
  const unsigned usual = usual_groups(&draw);
  dv_draw_refresh(&draw, usual | (1u << DV_DRAW_COLLISION));
  double low[3] = {-1, -1, -1}, high[3] = {1, 1, 1};
  dv_draw_box(&draw, low, high);
  const int up = up_axis(scene->root->gravity);
  aim(c, low, high, from ? from : usual_views[up], up, zoom);
  background(c);
  for (size_t i = 0; i < draw.list.count; i++)
    if (is_shown(&draw.list.data[i], usual)) draw_one(c, &draw, &draw.list.data[i]);
  bring_down(c, out);
  dv_draw_free(&draw);
  return true;
}

// _picture(scene, width, height, (x, y, z) or None, zoom): red, green and blue of each pixel as bytes
PyObject *picture_draw(PyObject *module, PyObject *args)
{
  DV_UNUSED(module);
  PyObject *self, *view;
  int width, height;
  double from[3] = {1, 1, 1}, zoom;
  if (!PyArg_ParseTuple(args, "O!iiOd", (PyTypeObject *)type_scene, &self, &width, &height, &view, &zoom)) return NULL;
  if (view != Py_None &&
      (!PyTuple_Check(view) || PyTuple_Size(view) != 3 || !PyArg_ParseTuple(view, "ddd", &from[0], &from[1], &from[2])))
    return PyErr_Format(PyExc_TypeError, "view_from is a direction of three numbers, (x, y, z), or None");
  Scene *s = (Scene *)self;
  dvScene *scene = scene_use(s);
  if (!scene) return NULL;
  if (!scene->initialised)
    return PyErr_Format(PyExc_RuntimeError, "the scene is not initialised: call scene.init() first");
  if (width < 1 || height < 1 || width > LARGEST || height > LARGEST || !(dot(from, from) > 0) || !(zoom > 0))
    return PyErr_Format(PyExc_ValueError, "a picture has 1 to %d pixels each way, and is seen from somewhere", LARGEST);
  Canvas c = {.width = FINE * width, .height = FINE * height};
  const size_t pixels = (size_t)c.width * (size_t)c.height;
  c.depth = dv_try_alloc(pixels * sizeof *c.depth);
  c.colour = dv_try_alloc(3 * pixels * sizeof *c.colour);
  unsigned char *out = dv_try_alloc(3 * (size_t)width * (size_t)height);
  PyObject *bytes = NULL;
  if (!c.depth || !c.colour || !out) {
    PyErr_NoMemory();
  } else if (context_enter(s->context)) {
    Py_BEGIN_ALLOW_THREADS render(scene, &c, view == Py_None ? NULL : from, zoom, out);
    Py_END_ALLOW_THREADS context_leave(s->context);
    bytes = PyBytes_FromStringAndSize((char *)out, (Py_ssize_t)3 * width * height);
  }
  dv_free(c.depth);
  dv_free(c.colour);
  dv_free(out);
  return bytes;
}

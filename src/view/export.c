// See export.h. Rotations by Horn's method (B. Horn, Closed-form solution of absolute orientation using unit
// quaternions, 1987): the quaternion is the eigenvector of the largest eigenvalue of a symmetric 4x4 matrix.
#include "view/export.h"

#include "view/inside.h"

#include <math.h>
#include <stdlib.h>

enum { MORPHS = 250, INSTANCES = 256, NONE = -1 };

// --- fitting -------------------------------------------------------------------------------------

// the eigenvector of the largest eigenvalue, by rotations of Jacobi
static void largest_eigenvector(double a[4][4], double out[4])
{
  double v[4][4] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}};
  for (int sweep = 0; sweep < 30; sweep++) {
    double off = 0, on = 0;
    for (int i = 0; i < 4; i++)
      for (int j = 0; j < 4; j++) *(i == j ? &on : &off) += a[i][j] * a[i][j];
    if (off <= 1e-30 * on) break;
    for (int p = 0; p < 3; p++)
      for (int q = p + 1; q < 4; q++) {
        if (a[p][q] == 0) continue;
        double theta = (a[q][q] - a[p][p]) / (2 * a[p][q]),
               t = (theta >= 0 ? 1 : -1) / (fabs(theta) + sqrt(theta * theta + 1)), c = 1 / sqrt(t * t + 1), s = t * c;
        for (int k = 0; k < 4; k++) {
          double x = a[k][p], y = a[k][q];
          a[k][p] = c * x - s * y, a[k][q] = s * x + c * y;
        }
        for (int k = 0; k < 4; k++) {
          double x = a[p][k], y = a[q][k];
          a[p][k] = c * x - s * y, a[q][k] = s * x + c * y;
          x = v[k][p], y = v[k][q];
          v[k][p] = c * x - s * y, v[k][q] = s * x + c * y;
        }
      }
  }
  int best = 0;
  for (int i = 1; i < 4; i++)
    if (a[i][i] > a[best][best]) best = i;
  for (int k = 0; k < 4; k++) out[k] = v[k][best];
}

static void rotate(const double q[4], const double x[3], double out[3])
{
  const double u[3] = {2 * (q[1] * x[2] - q[2] * x[1]), 2 * (q[2] * x[0] - q[0] * x[2]),
                       2 * (q[0] * x[1] - q[1] * x[0])};
  out[0] = x[0] + q[3] * u[0] + q[1] * u[2] - q[2] * u[1];
  out[1] = x[1] + q[3] * u[1] + q[2] * u[0] - q[0] * u[2];
  out[2] = x[2] + q[3] * u[2] + q[0] * u[1] - q[1] * u[0];
}

static void centre_of(const float *x, size_t n, double out[3])
{
  out[0] = out[1] = out[2] = 0;
  for (size_t i = 0; i < n; i++)
    for (int k = 0; k < 3; k++) out[k] += (double)x[3 * i + (size_t)k];
  for (int k = 0; k < 3; k++) out[k] /= (double)n;
}

double dv_export_fit(const float *from, const float *to, size_t n, dvExportPose *pose)
{
  double a[3], b[3], s[3][3] = {{0}}, worst = 0;
  centre_of(from, n, a);
  centre_of(to, n, b);
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < 3; k++)
      for (size_t l = 0; l < 3; l++) s[k][l] += ((double)from[3 * i + k] - a[k]) * ((double)to[3 * i + l] - b[l]);
  double m[4][4] = {{s[0][0] + s[1][1] + s[2][2], s[1][2] - s[2][1], s[2][0] - s[0][2], s[0][1] - s[1][0]},
                    {s[1][2] - s[2][1], s[0][0] - s[1][1] - s[2][2], s[0][1] + s[1][0], s[2][0] + s[0][2]},
                    {s[2][0] - s[0][2], s[0][1] + s[1][0], s[1][1] - s[0][0] - s[2][2], s[1][2] + s[2][1]},
                    {s[0][1] - s[1][0], s[2][0] + s[0][2], s[1][2] + s[2][1], s[2][2] - s[0][0] - s[1][1]}};
  double e[4], turned[3];
  largest_eigenvector(m, e);
  const double q[4] = {e[1], e[2], e[3], e[0]};
  rotate(q, a, turned);
  memcpy(pose->q, q, sizeof q);
  for (int k = 0; k < 3; k++) pose->t[k] = b[k] - turned[k];
  for (size_t i = 0; i < n; i++) {
    const double x[3] = {(double)from[3 * i], (double)from[3 * i + 1], (double)from[3 * i + 2]};
    double y[3], distance = 0;
    rotate(q, x, y);
    for (size_t k = 0; k < 3; k++) {
      double d = y[k] + pose->t[k] - (double)to[3 * i + k];
      distance += d * d;
    }
    worst = dv_max(worst, distance);
  }
  return sqrt(worst);
}

// how far apart points may be and still count as the same: what single precision leaves
static double slack(const float *x, size_t n)
{
  double most = 0, centre[3], size = 0;
  centre_of(x, n, centre);
  for (size_t i = 0; i < 3 * n; i++) {
    most = dv_max(most, fabs((double)x[i]));
    size = dv_max(size, fabs((double)x[i] - centre[i % 3]));
  }
  return 1e-6 * most + 1e-5 * size;
}

static void find_motion(dvExportObject *o)
{
  const float *x = o->positions.data;
  size_t width = 3 * o->points;
  o->motion = DV_EXPORT_STILL;
  if (!o->points) return;
  double near = slack(x, o->points);
  for (size_t f = 1; f < o->frames && o->motion == DV_EXPORT_STILL; f++)
    if (memcmp(x, x + f * width, width * sizeof *x) != 0) o->motion = DV_EXPORT_RIGID;
  for (size_t f = 0; f < o->frames && o->motion == DV_EXPORT_RIGID; f++) {
    dvExportPose p;
    if (!(dv_export_fit(x, x + f * width, o->points, &p) <= near)) o->motion = DV_EXPORT_DEFORMING;
    const dvExportPose *before = f ? &o->poses.data[f - 1] : NULL;
    double along = 0;
    for (int k = 0; k < 4 && before; k++) along += p.q[k] * before->q[k];
    for (int k = 0; k < 4 && along < 0; k++) p.q[k] = -p.q[k];   // the short way between two
    dv_push(&o->poses, p);
  }
}

// --- objects of a layout -------------------------------------------------------------------------

static uint32_t reference(const json_t *drawable, const char *name)
{
  const json_t *id = json_object_get(drawable, name);
  return json_is_integer(id) ? (uint32_t)json_integer_value(id) : UINT32_MAX;
}

static void colour_of(const json_t *material, dvExportPart *p)
{
  const json_t *diffuse = json_object_get(material, "diffuse");
  for (size_t k = 0; k < 4; k++) {
    double c = json_is_array(diffuse) ? json_number_value(json_array_get(diffuse, k)) : k < 3 ? 0.7 : 1;
    p->colour[k] = c >= 0 && c <= 1 ? c : k < 3 ? 0.7 : 1;
  }
  double s = json_number_value(json_object_get(material, "shininess"));
  p->shininess = s >= 0 && s <= 1000 ? s : 0;
}

// "file/3": the third of the pictures that the recording names
static char *picture_of(const json_t *material, const json_t *layout)
{
  long number = dv_view_picture_number(json_object_get(material, "texture"));
  if (number < 0) return NULL;
  return dv_strdup(json_string_value(json_array_get(json_object_get(layout, "textures"), (size_t)number)));
}

static void fetch_coordinates(dvExportObject *o, const dvRecording *r, uint32_t id)
{
  const dvRecordedArray *a = id == UINT32_MAX ? NULL : dv_recording_array(r, id, false);
  if (!a || a->kind != DV_RECORDED_FLOATS || a->count != 2 * o->points) return;
  for (size_t i = 0; i < a->count; i++) {
    float v = ((const float *)a->data)[i];
    dv_push(&o->coordinates, isfinite(v) ? v : 0);
  }
}

static bool fetch_indices(dvExportObject *o, const dvRecording *r, size_t corners)
{
  const dvRecordedArray *a = o->indices_id == UINT32_MAX ? NULL : dv_recording_array(r, o->indices_id, false);
  if (!a || a->kind != DV_RECORDED_INDICES) return false;
  const uint32_t *i = a->data;
  for (size_t k = 0; k + corners <= a->count; k += corners) {
    bool good = true;
    for (size_t c = 0; c < corners; c++) good &= i[k + c] < o->points;
    for (size_t c = 0; c < corners; c++) dv_push(&o->indices, good ? i[k + c] : 0);   // ranges of parts stay
  }
  return o->indices.count > 0;
}

static void take_parts(dvExportObject *o, const json_t *drawable, const json_t *layout)
{
  json_t *row, *parts = json_object_get(drawable, "parts");
  size_t i;
  json_array_foreach(parts, i, row)
  {
    json_int_t first = json_integer_value(json_object_get(row, "first")),
               count = json_integer_value(json_object_get(row, "count"));
    if (first < 0 || count <= 0 || (uint64_t)first + (uint64_t)count > o->indices.count || first % 3 || count % 3)
      continue;
    dvExportPart p = {.first = (size_t)first, .count = (size_t)count};
    colour_of(json_object_get(row, "material"), &p);
    if (o->coordinates.count) p.texture = picture_of(json_object_get(row, "material"), layout);
    dv_push(&o->parts, p);
  }
  if (o->parts.count) return;
  dvExportPart all = {.count = o->indices.count};
  colour_of(json_object_get(drawable, "material"), &all);
  if (o->coordinates.count) all.texture = picture_of(json_object_get(drawable, "material"), layout);
  dv_push(&o->parts, all);
}

// a ball of 8 x 12 faces, a box of six faces with corners of their own
enum { BALL_RINGS = 7, BALL_SIDES = 12, BALL_POINTS = BALL_RINGS * BALL_SIDES + 2, BOX_POINTS = 24 };

static void ball_point(size_t i, double out[3])
{
  if (i >= BALL_RINGS * BALL_SIDES) {
    out[0] = out[2] = 0, out[1] = i == BALL_RINGS * BALL_SIDES ? 1 : -1;
    return;
  }
  double theta = M_PI * (double)(i / BALL_SIDES + 1) / (BALL_RINGS + 1),
         phi = 2 * M_PI * (double)(i % BALL_SIDES) / BALL_SIDES;
  out[0] = sin(theta) * cos(phi), out[1] = cos(theta), out[2] = sin(theta) * sin(phi);
}

static void ball_faces(dvExportObject *o)
{
  const uint32_t n = BALL_SIDES, top = BALL_RINGS * BALL_SIDES, bottom = top + 1, last = (BALL_RINGS - 1) * BALL_SIDES;
  for (uint32_t s = 0; s < n; s++) {
    uint32_t next = (s + 1) % n;
    const uint32_t caps[6] = {top, next, s, bottom, last + s, last + next};
    for (int k = 0; k < 6; k++) dv_push(&o->indices, caps[k]);
    for (uint32_t ring = 0; ring + 1 < BALL_RINGS; ring++) {
      uint32_t a = ring * n + s, b = ring * n + next, c = a + n, d = b + n;
      const uint32_t two[6] = {a, b, c, b, d, c};
      for (int k = 0; k < 6; k++) dv_push(&o->indices, two[k]);
    }
  }
}

// corner c of face f: the face looks along axis f / 2, backwards for odd ones
static void box_point(size_t i, double out[3])
{
  size_t face = i / 4, corner = i % 4, axis = face / 2;
  double sign = face % 2 ? -0.5 : 0.5, u = corner == 0 || corner == 3 ? -0.5 : 0.5, v = corner < 2 ? -0.5 : 0.5;
  out[axis] = sign;
  out[(axis + 1) % 3] = sign > 0 ? u : -u;
  out[(axis + 2) % 3] = v;
}

static void box_faces(dvExportObject *o)
{
  for (uint32_t f = 0; f < 6; f++) {
    const uint32_t two[6] = {4 * f, 4 * f + 1, 4 * f + 2, 4 * f, 4 * f + 2, 4 * f + 3};
    for (int k = 0; k < 6; k++) dv_push(&o->indices, two[k]);
  }
}

static void push_object(dvExport *e, const dvRecording *r, dvExportObject o, const json_t *drawable, size_t number)
{
  const char *path = json_string_value(json_object_get(drawable, "path"));
  o.name =
      number == (size_t)NONE ? dv_strdup(path ? path : "object") : dv_format("%s %zu", path ? path : "object", number);
  take_parts(&o, drawable, dv_recording_layout(r));
  dv_push(&e->objects, o);
}

static void add_instances(dvExport *e, const dvRecording *r, dvExportObject o, const json_t *drawable)
{
  const dvRecordedArray *x = dv_recording_array(r, o.id, false);
  size_t n = x->count / 3;
  if (n > INSTANCES) {   // a cloud
    o.kind = DV_EXPORT_POINTS, o.shape = 0, o.points = n;
    push_object(e, r, o, drawable, (size_t)NONE);
    return;
  }
  for (size_t i = 0; i < n; i++) {
    dvExportObject one = o;
    one.instance = i;
    one.points = o.shape == 1 ? BALL_POINTS : BOX_POINTS;
    if (o.shape == 1) ball_faces(&one);
    else box_faces(&one);
    push_object(e, r, one, drawable, n > 1 ? i : (size_t)NONE);
  }
}

static void add_drawable(dvExport *e, const dvRecording *r, const json_t *drawable, size_t frame)
{
  const char *kind = json_string_value(json_object_get(drawable, "kind"));
  dvExportObject o = {.layout = dv_recording_layout_number(r),
                      .first = frame,
                      .id = reference(drawable, "positions"),
                      .indices_id = reference(drawable, "indices"),
                      .radii_id = reference(drawable, "radii"),
                      .frames_id = reference(drawable, "frames"),
                      .sizes_id = reference(drawable, "sizes"),
                      .radius = json_number_value(json_object_get(drawable, "radius"))};
  const dvRecordedArray *x = o.id == UINT32_MAX ? NULL : dv_recording_array(r, o.id, false);
  if (!x || x->kind != DV_RECORDED_FLOATS || !x->count) return;
  o.points = x->count / 3;
  if (dv_same(kind, "spheres") || dv_same(kind, "boxes")) {
    o.shape = dv_same(kind, "spheres") ? 1 : 2;
    add_instances(e, r, o, drawable);
  } else if (dv_same(kind, "triangles") && fetch_indices(&o, r, 3)) {
    fetch_coordinates(&o, r, reference(drawable, "texcoords"));
    push_object(e, r, o, drawable, (size_t)NONE);
  } else if (dv_same(kind, "lines") && reference(drawable, "second") == UINT32_MAX && fetch_indices(&o, r, 2)) {
    o.kind = DV_EXPORT_LINES;
    push_object(e, r, o, drawable, (size_t)NONE);
  } else if (dv_same(kind, "points")) {
    o.kind = DV_EXPORT_POINTS;
    push_object(e, r, o, drawable, (size_t)NONE);
  } else {
    dv_array_free(&o.indices);
    e->left_out++;
  }
}

static bool is_body(const json_t *drawable)
{
  const char *kind = json_string_value(json_object_get(drawable, "kind"));
  return dv_same(kind, "triangles") || dv_same(kind, "spheres") || dv_same(kind, "boxes");
}

// visual models; where there are none the elements, or the points
static void add_layout(dvExport *e, const dvRecording *r, size_t frame)
{
  static const char *const groups[] = {"visual", "forceFields", "collision", "behavior"};
  json_t *row, *list = json_object_get(dv_recording_layout(r), "drawables");
  size_t before = e->objects.count, i;
  for (size_t g = 0; g < DV_COUNT(groups); g++) {
    bool body = false;
    json_array_foreach(list, i, row)
    {
      if (!dv_same(json_string_value(json_object_get(row, "group")), groups[g]) ||
          json_is_true(json_object_get(row, "hidden")))
        continue;
      body |= is_body(row);
      add_drawable(e, r, row, frame);
    }
    if (e->objects.count > before && (body || g > 0)) return;
  }
}

// --- frames --------------------------------------------------------------------------------------

static void shaped_point(const dvExportObject *o, size_t i, const float *at, const float *turn, const float *size,
                         float *out)
{
  double x[3], y[3];
  if (o->shape == 1) ball_point(i, x);
  else box_point(i, x);
  for (size_t k = 0; k < 3; k++) x[k] *= (double)size[k];
  const double q[4] = {(double)turn[0], (double)turn[1], (double)turn[2], (double)turn[3]};
  rotate(q, x, y);
  for (size_t k = 0; k < 3; k++) out[k] = (float)(y[k] + (double)at[k]);
}

static const float *row_of(const dvRecording *r, uint32_t id, size_t row, size_t width)
{
  const dvRecordedArray *a = id == UINT32_MAX ? NULL : dv_recording_array(r, id, false);
  return a && a->kind == DV_RECORDED_FLOATS && (row + 1) * width <= a->count ? (const float *)a->data + row * width
                                                                             : NULL;
}

// the points as they are in the frame that was read; false when their number has changed
static bool fetch_points(dvExportObject *o, const dvRecording *r)
{
  const dvRecordedArray *a = dv_recording_array(r, o->id, false);
  size_t at = o->positions.count;
  if (!a || a->kind != DV_RECORDED_FLOATS) return false;
  if (o->shape == 0) {
    if (a->count != 3 * o->points) return false;
    dv_array_resize(&o->positions, at + a->count);
    memcpy(o->positions.data + at, a->data, a->count * sizeof(float));
  } else {
    static const float no_turn[4] = {0, 0, 0, 1};
    const float *x = row_of(r, o->id, o->instance, 3), *radius = row_of(r, o->radii_id, o->instance, 1),
                *turn = row_of(r, o->frames_id, o->instance, 4), *size = row_of(r, o->sizes_id, o->instance, 3);
    const float same = radius ? *radius : (float)o->radius, ball[3] = {same, same, same};
    if (!x || (o->shape == 2 && !size)) return false;
    dv_array_resize(&o->positions, at + 3 * o->points);
    for (size_t i = 0; i < o->points; i++)
      shaped_point(o, i, x, turn && o->shape == 2 ? turn : no_turn, o->shape == 1 ? ball : size,
                   o->positions.data + at + 3 * i);
  }
  for (size_t i = at; i < o->positions.count; i++)
    if (!isfinite(o->positions.data[i])) return false;
  o->frames++;
  return true;
}

static void free_object(dvExportObject *o)
{
  dv_free(o->name);
  dv_array_free(&o->positions);
  dv_array_free(&o->indices);
  dv_array_free(&o->coordinates);
  for (size_t i = 0; i < o->parts.count; i++) dv_free(o->parts.data[i].texture);
  dv_array_free(&o->parts);
  dv_array_free(&o->poses);
}

void dv_export_free(dvExport *e)
{
  for (size_t i = 0; i < e->objects.count; i++) free_object(&e->objects.data[i]);
  dv_array_free(&e->objects);
  dv_array_free(&e->times);
}

bool dv_export_read(dvExport *e, dvRecording *r, size_t most, dvText *why)
{
  size_t frames = dv_recording_frames(r), n = 0;
  *e = (dvExport){.every = (frames + most - 1) / most};
  for (size_t f = 0; f < frames; f += e->every) {
    if (!dv_recording_go(r, f, why)) return false;
    uint32_t layout = dv_recording_layout_number(r);
    const json_t *looks = json_object_get(dv_recording_layout(r), "looks");
    if (n == 0) e->z_up = json_integer_value(json_object_get(looks, "up")) == 2;
    bool known = false;
    for (size_t i = 0; i < e->objects.count && !known; i++)
      known = e->objects.data[i].layout == layout && !e->objects.data[i].lost;
    if (!known) add_layout(e, r, n);
    for (size_t i = 0; i < e->objects.count; i++) {
      dvExportObject *o = &e->objects.data[i];
      if (o->layout == layout && !o->lost && !fetch_points(o, r)) o->lost = true;
    }
    double time = dv_recording_time(r, f);
    if (n == 0 || time > e->times.data[n - 1]) dv_push(&e->times, time);
    else dv_push(&e->times, e->times.data[n - 1] + 1e-6);   // two frames of one moment
    n++;
  }
  for (size_t i = e->objects.count; i > 0; i--) {
    dvExportObject *o = &e->objects.data[i - 1];
    if (o->frames) {
      find_motion(o);
      continue;
    }
    free_object(o);
    dv_array_remove(&e->objects, i - 1);
  }
  if (e->objects.count) return true;
  dv_text_add(why, "nothing that could be exported is drawn in it");
  return false;
}

float *dv_export_normals(const dvExportObject *o, size_t frame)
{
  const float *x = o->positions.data + frame * 3 * o->points;
  float *out = dv_alloc((3 * o->points + 1) * sizeof *out);
  double *sum = dv_alloc((3 * o->points + 1) * sizeof *sum);
  for (size_t t = 0; t + 3 <= o->indices.count; t += 3) {
    const uint32_t *v = o->indices.data + t;
    double a[3], b[3];
    for (size_t k = 0; k < 3; k++) {
      a[k] = (double)x[3 * v[1] + k] - (double)x[3 * v[0] + k];
      b[k] = (double)x[3 * v[2] + k] - (double)x[3 * v[0] + k];
    }
    const double n[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
    for (size_t c = 0; c < 3; c++)
      for (size_t k = 0; k < 3; k++) sum[3 * v[c] + k] += n[k];
  }
  for (size_t i = 0; i < o->points; i++) {
    const double *s = sum + 3 * i, length = sqrt(s[0] * s[0] + s[1] * s[1] + s[2] * s[2]);
    for (size_t k = 0; k < 3; k++) out[3 * i + k] = length > 0 ? (float)(s[k] / length) : k == 1 ? 1.0f : 0.0f;
  }
  dv_free(sum);
  return out;
}

// --- the door ------------------------------------------------------------------------------------

bool dv_recording_can_export(const char *path)
{
  return dv_ends_with_nocase(path, ".glb") || dv_ends_with_nocase(path, ".usda");
}

bool dv_recording_export(dvRecording *r, const char *path, dvExportReport *report, dvText *why)
{
  bool gltf = dv_ends_with_nocase(path, ".glb"), deforms = false;
  dvExport e;
  bool good = dv_export_read(&e, r, SIZE_MAX / 2, why);
  for (size_t i = 0; i < e.objects.count; i++) deforms |= e.objects.data[i].motion == DV_EXPORT_DEFORMING;
  if (good && gltf && deforms && e.times.count > MORPHS) {   // each of its frames is a shape
    dv_export_free(&e);
    good = dv_export_read(&e, r, MORPHS, why);
  }
  *report = (dvExportReport){.frames = e.times.count, .every = e.every, .left_out = e.left_out};
  for (size_t i = 0; i < e.objects.count; i++) {
    dvExportMotion m = e.objects.data[i].motion;
    *(m == DV_EXPORT_STILL ? &report->still : m == DV_EXPORT_RIGID ? &report->rigid : &report->moving) += 1;
  }
  if (good) good = gltf ? dv_export_gltf(&e, path, why) : dv_export_usd(&e, path, why);
  dv_export_free(&e);
  return good;
}

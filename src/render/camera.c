// See camera.h.
#include "render/camera.h"

#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double half_field = 0.32491969623290634;   // tangent of 18 degrees: the field is 36 degrees high
static const double pole = 1e-3;

const dvCamera dv_usual_camera = {.azimuth = 0.6, .elevation = 0.35, .distance = 3, .reach = 1, .zoom = 1, .up = 1};

static double dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static void cross(const double a[3], const double b[3], double out[3])
{
  out[0] = a[1] * b[2] - a[2] * b[1];
  out[1] = a[2] * b[0] - a[0] * b[2];
  out[2] = a[0] * b[1] - a[1] * b[0];
}

static void normalise(double a[3])
{
  double length = sqrt(dot(a, a));
  for (int k = 0; k < 3 && length > 0; k++) a[k] /= length;
}

// The frame of a scene that stands on another axis than y: turned so that y becomes it.
static void stand(int up, const double in[3], double out[3], bool back)
{
  // z up: (x, y, z) -> (x, -z, y); x up: (x, y, z) -> (y, -x, z)
  const double a[3] = {in[0], in[1], in[2]};
  if (up == 2) {
    out[0] = a[0], out[1] = back ? a[2] : -a[2], out[2] = back ? -a[1] : a[1];
  } else if (up == 0) {
    out[0] = back ? -a[1] : a[1], out[1] = back ? a[0] : -a[0], out[2] = a[2];
  } else {
    memcpy(out, a, sizeof a);
  }
}

void dv_camera_update(dvCamera *c, double aspect)
{
  c->elevation = fmin(M_PI / 2 - pole, fmax(-M_PI / 2 + pole, c->elevation));
  double flat = cos(c->elevation);
  stand(c->up, (const double[]){flat * sin(c->azimuth), sin(c->elevation), flat * cos(c->azimuth)}, c->back, false);
  double upright[3] = {0};
  upright[c->up] = 1;
  cross(upright, c->back, c->right);
  normalise(c->right);
  cross(c->back, c->right, c->above);
  for (int k = 0; k < 3; k++) c->eye[k] = c->target[k] + c->distance * c->back[k];
  dv_matrix_look(c->eye, c->right, c->above, c->back, c->view);
  c->far = c->distance + 12 * c->reach;
  c->near = c->ortho ? -c->far : fmax(c->distance * 0.01, c->distance - 12 * c->reach);
  double h = c->distance * half_field;
  if (c->ortho) dv_matrix_box(h * aspect, h, c->near, c->far, c->projection);
  else dv_matrix_frustum(half_field, aspect, c->near, c->far, c->projection);
}

void dv_camera_fit(dvCamera *c, const double low[3], const double high[3], double aspect)
{
  double square = 0, distance = 0;
  for (int k = 0; k < 3; k++) {
    c->target[k] = 0.5 * (low[k] + high[k]);
    square += (high[k] - low[k]) * (high[k] - low[k]);
  }
  c->reach = fmax(1e-6, 0.5 * sqrt(square));
  dv_camera_update(c, aspect);
  for (int i = 0; i < 8; i++) {
    double p[3];
    for (int k = 0; k < 3; k++) p[k] = (i >> k & 1 ? high[k] : low[k]) - c->target[k];
    double depth = c->ortho ? 0 : dot(p, c->back);
    distance = fmax(distance, fabs(dot(p, c->above)) / half_field + depth);
    distance = fmax(distance, fabs(dot(p, c->right)) / (half_field * aspect) + depth);
  }
  c->distance = fmax(distance * 1.12 / c->zoom, 1e-6);
  dv_camera_update(c, aspect);
}

void dv_camera_place(dvCamera *c, const double position[3], const double target[3])
{
  double out[3];
  for (int k = 0; k < 3; k++) out[k] = position[k] - target[k], c->target[k] = target[k];
  c->distance = fmax(sqrt(dot(out, out)), 1e-9);
  for (int k = 0; k < 3; k++) out[k] /= c->distance;
  stand(c->up, out, out, true);
  c->elevation = asin(fmin(1, fmax(-1, out[1])));
  c->azimuth = atan2(out[0], out[2]);
}

// --- wishes --------------------------------------------------------------------------------------

static bool read_numbers(const char **at, double *out, int most, int *count)
{
  for (*count = 0; *count < most;) {
    const char *before = *at;
    if (!dv_scan_real(at, &out[*count]) || !isfinite(out[*count]) || *at == before) return false;
    ++*count;
    if (**at != ',') return true;
    ++*at;
  }
  return false;
}

// dv_scan_real reads words; commas and the stroke end them here
static bool split_numbers(const char *text, double *out, int *first, int *second)
{
  char *copy = dv_strdup(text);
  char *stroke = strchr(copy, '/');
  if (stroke) *stroke = 0;
  const char *parts[2] = {copy, stroke ? stroke + 1 : NULL};
  int *counts[2] = {first, second}, at = 0;
  bool good = true;
  *second = 0;
  for (int i = 0; i < 2 && parts[i] && good; i++) {
    const char *cursor = parts[i];
    good = read_numbers(&cursor, out + at, 3, counts[i]) && *cursor == 0;
    at += *counts[i];
  }
  dv_free(copy);
  return good;
}

bool dv_camera_parse(const char *text, dvCameraWish *out, char *why)
{
  static const struct {
    const char *name;
    double azimuth, elevation;
  } sides[] = {{"front", 0, 0},  {"back", 180, 0}, {"left", -90, 0},
               {"right", 90, 0}, {"top", 0, 90},   {"bottom", 0, -90}};
  *out = (dvCameraWish){.zoom = 1};
  for (size_t i = 0; i < DV_COUNT(sides); i++)
    if (dv_same_nocase(text, sides[i].name)) {
      out->turned = true;
      out->azimuth = sides[i].azimuth * M_PI / 180, out->elevation = sides[i].elevation * M_PI / 180;
      return true;
    }
  double n[6];
  int first = 0, second = 0;
  bool good = split_numbers(text, n, &first, &second);
  if (good && second == 0 && (first == 2 || (first == 3 && n[2] > 0))) {
    out->turned = true;
    out->azimuth = n[0] * M_PI / 180, out->elevation = n[1] * M_PI / 180, out->zoom = first == 3 ? n[2] : 1;
    return true;
  }
  if (good && first == 3 && second == 3 && memcmp(n, n + 3, 3 * sizeof *n) != 0) {
    out->placed = true;
    memcpy(out->position, n, sizeof out->position), memcpy(out->target, n + 3, sizeof out->target);
    return true;
  }
  snprintf(why, 100, "it is a side (front, top ...), AZIMUTH,ELEVATION[,ZOOM] or X,Y,Z/X,Y,Z");
  return false;
}

// --- matrices ------------------------------------------------------------------------------------

void dv_matrix_multiply(const double a[16], const double b[16], double out[16])
{
  double m[16];
  for (int j = 0; j < 4; j++)
    for (int i = 0; i < 4; i++) {
      m[4 * j + i] = 0;
      for (int k = 0; k < 4; k++) m[4 * j + i] += a[4 * k + i] * b[4 * j + k];
    }
  memcpy(out, m, sizeof m);
}

bool dv_matrix_invert(const double m[16], double out[16])
{
  double a[4][8];
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 8; j++) a[i][j] = j < 4 ? m[4 * j + i] : j - 4 == i;
  for (int c = 0; c < 4; c++) {
    int best = c;
    for (int i = c + 1; i < 4; i++)
      if (fabs(a[i][c]) > fabs(a[best][c])) best = i;
    if (!(fabs(a[best][c]) > 0)) return false;
    for (int j = 0; j < 8; j++) {
      double swap = a[c][j];
      a[c][j] = a[best][j], a[best][j] = swap;
    }
    for (int i = 0; i < 4; i++) {
      double f = i == c ? 0 : a[i][c] / a[c][c];
      for (int j = 0; j < 8; j++) a[i][j] -= f * a[c][j];
    }
  }
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++) out[4 * j + i] = a[i][j + 4] / a[i][i];
  return true;
}

void dv_matrix_look(const double eye[3], const double right[3], const double above[3], const double back[3],
                    double out[16])
{
  const double *rows[3] = {right, above, back};
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) out[4 * j + i] = rows[i][j];
    out[12 + i] = -dot(rows[i], eye);
    out[4 * i + 3] = 0;
  }
  out[15] = 1;
}

void dv_matrix_frustum(double half, double aspect, double near, double far, double out[16])
{
  memset(out, 0, 16 * sizeof *out);
  out[0] = 1 / (half * aspect), out[5] = 1 / half;
  out[10] = -(far + near) / (far - near), out[11] = -1, out[14] = -2 * far * near / (far - near);
}

void dv_matrix_box(double half_width, double half_height, double near, double far, double out[16])
{
  memset(out, 0, 16 * sizeof *out);
  out[0] = 1 / half_width, out[5] = 1 / half_height;
  out[10] = -2 / (far - near), out[14] = -(far + near) / (far - near), out[15] = 1;
}

// See stage.h. What the scene says of lights, background, planes and labels comes as the page gets it (view/looks.h).
#include "render/stage.h"

#include "view/looks.h"

#include <math.h>

double dv_linear(double c) { return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4); }
double dv_encoded(double c) { return c <= 0.0031308 ? 12.92 * c : 1.055 * pow(c, 1 / 2.4) - 0.055; }

// --- what the scene says -------------------------------------------------------------------------

static bool read_numbers(const json_t *list, double *out, size_t count)
{
  if (json_array_size(list) < count) return false;
  for (size_t i = 0; i < count; i++) out[i] = json_number_value(json_array_get(list, i));
  return true;
}

static void unit(double v[3])
{
  double length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
  for (int k = 0; k < 3 && length > 0; k++) v[k] /= length;
}

// from the camera's own frame into the scene
static void carried(const dvCamera *c, double p[4])
{
  double q[3];
  for (int k = 0; k < 3; k++) q[k] = c->eye[k] + p[0] * c->right[k] + p[1] * c->above[k] + p[2] * c->back[k];
  memcpy(p, q, sizeof q);
}

static void add_light(dvStage *s, const json_t *l)
{
  if (s->light_count == DV_MOST_LIGHTS) return;
  dvLight *light = &s->lights[s->light_count++];
  *light = (dvLight){.way = {0, 0, -1, -2}, .place = {0, 0, 1, 0}, .colour = {1, 1, 1}};
  const char *kind = json_string_value(json_object_get(l, "kind"));
  bool far = kind && dv_same(kind, "directional"), spot = kind && dv_same(kind, "spot");
  read_numbers(json_object_get(l, "color"), light->colour, 3);
  for (int k = 0; k < 3; k++) light->colour[k] = dv_linear(fmax(0, light->colour[k]));
  read_numbers(json_object_get(l, "direction"), light->way, 3);
  light->shadow = json_is_true(json_object_get(l, "shadow"));
  if (far) {
    unit(light->way);
    for (int k = 0; k < 3; k++) light->place[k] = -light->way[k];
    return;
  }
  read_numbers(json_object_get(l, "position"), light->place, 3);
  light->place[3] = 1;
  if (json_is_true(json_object_get(l, "fixed"))) carried(&s->camera, light->place);
  if (!spot) return;
  if (json_is_true(json_object_get(l, "lookat")))
    for (int k = 0; k < 3; k++) light->way[k] -= light->place[k];
  unit(light->way);
  double cutoff = json_number_value(json_object_get(l, "cutoff"));
  light->way[3] = cos(fmin(86, fmax(1, cutoff)) * M_PI / 180);
}

static void add_planes(dvStage *s, const json_t *planes)
{
  size_t i;
  json_t *p;
  json_array_foreach(planes, i, p)
  {
    double at[3], n[3];
    if (s->plane_count == DV_MOST_PLANES || !read_numbers(json_object_get(p, "position"), at, 3) ||
        !read_numbers(json_object_get(p, "normal"), n, 3))
      continue;
    unit(n);
    double *out = s->planes[s->plane_count++];
    for (int k = 0; k < 3; k++) out[k] = n[k];
    out[3] = n[0] * at[0] + n[1] * at[1] + n[2] * at[2];
  }
}

static void add_labels(dvStage *s, dvScene *scene, const json_t *labels)
{
  json_t *texts = dv_looks_labels(scene), *l;
  size_t i;
  double back = 0.3 * s->background[0][0] + 0.6 * s->background[0][1] + 0.1 * s->background[0][2];
  json_array_foreach(labels, i, l)
  {
    const char *text = json_string_value(json_array_get(texts, i));
    dvLabel label = {.x = json_number_value(json_object_get(l, "x")),
                     .y = json_number_value(json_object_get(l, "y")),
                     .size = json_number_value(json_object_get(l, "size")),
                     .text = dv_strdup(text ? text : "")};
    read_numbers(json_object_get(l, "color"), label.colour, 3);
    if (json_is_true(json_object_get(l, "contrast")))
      for (int k = 0; k < 3; k++) label.colour[k] = back > 0.45 ? 0.13 : 0.92;
    dv_push(&s->labels, label);
  }
  json_decref(texts);
}

// texts of the scene become labels at the places where they are seen; the height of a line is 1.4 times the scale
static void add_texts(dvStage *s, const json_t *texts, int width, int height)
{
  size_t i;
  json_t *t;
  double m[16], h[4];
  dv_matrix_multiply(s->camera.projection, s->camera.view, m);
  json_array_foreach(texts, i, t)
  {
    double p[3] = {0}, scale = json_number_value(json_object_get(t, "scale"));
    const char *text = json_string_value(json_object_get(t, "text"));
    read_numbers(json_object_get(t, "position"), p, 3);
    for (int k = 0; k < 4; k++) h[k] = m[k] * p[0] + m[4 + k] * p[1] + m[8 + k] * p[2] + m[12 + k];
    if (!(h[3] > 0) || !text || !*text) continue;
    dvLabel label = {.x = (0.5 + 0.5 * h[0] / h[3]) * width, .y = (0.5 - 0.5 * h[1] / h[3]) * height};
    label.size = 1.4 * scale * 0.5 * s->camera.projection[5] / h[3] * height;
    label.y -= 0.85 * label.size;   // the base line is there
    read_numbers(json_object_get(t, "color"), label.colour, 3);
    label.text = dv_strdup(text);
    dv_push(&s->labels, label);
  }
}

static void clear_labels(dvStage *s)
{
  for (size_t i = 0; i < s->labels.count; i++) dv_free(s->labels.data[i].text);
  s->labels.count = 0;
}

static void take_background(dvStage *s, const json_t *looks, bool dark)
{
  static const double light[2][3] = {{0.969, 0.976, 0.984}, {0.867, 0.890, 0.918}},
                      shade[2][3] = {{0.114, 0.133, 0.169}, {0.067, 0.078, 0.102}};
  memcpy(s->background, dark ? shade : light, sizeof s->background);
  if (read_numbers(json_object_get(looks, "background"), s->background[0], 3))
    memcpy(s->background[1], s->background[0], sizeof s->background[1]);
}

static void take_looks(dvStage *s, dvScene *scene, const json_t *looks, const dvStageOptions *o)
{
  size_t i;
  json_t *l;
  s->light_count = s->plane_count = 0;
  clear_labels(s);
  take_background(s, looks, o->dark);
  memset(s->ambient, 0, sizeof s->ambient);
  read_numbers(json_object_get(looks, "ambient"), s->ambient, 3);
  for (int k = 0; k < 3; k++) s->ambient[k] = dv_linear(fmax(0, s->ambient[k]));
  json_array_foreach(json_object_get(looks, "lights"), i, l) add_light(s, l);
  add_planes(s, json_object_get(looks, "planes"));
  add_labels(s, scene, json_object_get(looks, "labels"));
  add_texts(s, json_object_get(looks, "texts"), o->width, o->height);
}

// --- the camera ----------------------------------------------------------------------------------

// the one that the scene asks for
static bool scene_camera(dvStage *s, const json_t *looks)
{
  const json_t *c = json_object_get(looks, "camera");
  double position[3], target[3], q[4];
  if (!c || !read_numbers(json_object_get(c, "position"), position, 3)) return false;
  for (int k = 0; k < 3; k++) target[k] = 0.5 * (s->first_low[k] + s->first_high[k]);
  double away = 0;
  for (int k = 0; k < 3; k++) away += (position[k] - target[k]) * (position[k] - target[k]);
  if (!read_numbers(json_object_get(c, "lookAt"), target, 3) && read_numbers(json_object_get(c, "orientation"), q, 4)) {
    double distance = json_number_value(json_object_get(c, "distance"));
    if (!(distance > 0)) distance = sqrt(away);
    const double z[3] = {2 * (q[0] * q[2] + q[1] * q[3]), 2 * (q[1] * q[2] - q[0] * q[3]),
                         1 - 2 * (q[0] * q[0] + q[1] * q[1])};
    for (int k = 0; k < 3; k++) target[k] = position[k] - distance * z[k];
  }
  away = 0;
  for (int k = 0; k < 3; k++) away += (position[k] - target[k]) * (position[k] - target[k]);
  if (!(away > 1e-18)) return false;
  dv_camera_place(&s->camera, position, target);
  s->camera.ortho = json_is_true(json_object_get(c, "ortho"));
  return true;
}

static void aim(dvStage *s, const json_t *looks, const dvStageOptions *o)
{
  const dvCameraWish *w = o->camera;
  double reach = 0;
  for (int k = 0; k < 3; k++)
    reach += 0.25 * (s->first_high[k] - s->first_low[k]) * (s->first_high[k] - s->first_low[k]);
  s->camera.reach = fmax(1e-6, sqrt(reach));
  s->stays = w && w->placed;
  if (s->stays) {
    dv_camera_place(&s->camera, w->position, w->target);
  } else if (w && (w->turned || w->directed)) {
    s->camera.azimuth = w->azimuth, s->camera.elevation = w->elevation, s->camera.zoom = w->zoom;
    if (w->directed) dv_camera_place(&s->camera, w->position, (const double[3]){0});
    dv_camera_fit(&s->camera, s->first_low, s->first_high, s->aspect);
  } else if (scene_camera(s, looks)) {
    s->stays = true;
  } else {
    dv_camera_fit(&s->camera, s->first_low, s->first_high, s->aspect);
  }
  double off = 0;
  for (int k = 0; k < 3; k++) {
    double d = s->camera.target[k] - 0.5 * (s->first_low[k] + s->first_high[k]);
    off += d * d;
  }
  s->camera.reach = fmax(s->camera.reach, sqrt(off));
  dv_camera_update(&s->camera, s->aspect);
}

static void box_now(const dvStage *s, double low[3], double high[3])
{
  bool any = s->shapes.low[0] <= s->shapes.high[0];
  for (int k = 0; k < 3; k++) {
    low[k] = any ? s->shapes.low[k] : -0.5, high[k] = any ? s->shapes.high[k] : 0.5;
  }
  double square = 0;
  for (int k = 0; k < 3; k++) square += (high[k] - low[k]) * (high[k] - low[k]);
  for (int k = 0; k < 3 && !(square > 0); k++) low[k] -= 0.5, high[k] += 0.5;
}

static double grid_step(double size)
{
  double raw = size / 8, power = pow(10, floor(log10(raw))), part = raw / power;
  return power * (part < 1.5 ? 1 : part < 3.5 ? 2 : part < 7.5 ? 5 : 10);
}

static void begin(dvStage *s, const json_t *looks, const dvStageOptions *o)
{
  s->begun = true;
  s->camera = dv_usual_camera;
  const json_t *up = json_object_get(looks, "up");
  if (up) s->camera.up = (int)json_integer_value(up);
  box_now(s, s->first_low, s->first_high);
  double square = 0;
  for (int k = 0; k < 3; k++) square += (s->first_high[k] - s->first_low[k]) * (s->first_high[k] - s->first_low[k]);
  s->shapes.diagonal = sqrt(square);
  s->step = grid_step(s->shapes.diagonal);
  s->floor = s->first_low[s->camera.up] - 0.002 * s->shapes.diagonal;
  for (int k = 0; k < 3; k++) s->anchor[k] = 0.5 * (s->first_low[k] + s->first_high[k]), s->offset[k] = 0;
  aim(s, looks, o);
}

// Bodies fall, and are followed: when the middle has left its place by a third of the picture. The ground stays below.
// A camera that was given its place stays there.
static void follow(dvStage *s)
{
  double low[3], high[3], away = 0, left = 0, height = 2 * s->camera.distance * 0.325;
  box_now(s, low, high);
  int up = s->camera.up;
  double lowest = low[up] - 0.002 * s->shapes.diagonal;
  if (lowest < s->floor) s->floor -= s->step * ceil((s->floor - lowest) / s->step - 1e-9);
  if (s->stays) return;
  for (int k = 0; k < 3; k++) {
    double d = 0.5 * (low[k] + high[k]) - s->anchor[k];
    away += d * d, left += s->offset[k] * s->offset[k];
  }
  if (sqrt(away) > (left > 0 ? 0.05 : 0.3) * height)
    for (int k = 0; k < 3; k++) {
      double middle = 0.5 * (low[k] + high[k]);
      s->offset[k] += middle - s->anchor[k], s->anchor[k] = middle;
    }
  const double part = sqrt(left) < 0.005 * height ? 1 : 0.38;   // of a picture each 25th of a second
  for (int k = 0; k < 3; k++) s->camera.target[k] += part * s->offset[k], s->offset[k] *= 1 - part;
  dv_camera_update(&s->camera, s->aspect);
}

// from above, on the left of who looks and a little from behind: so every side that is seen has light and shadow
static void place_key(dvStage *s)
{
  double up[3] = {0}, back[3], right[3];
  up[s->camera.up] = 1;
  memcpy(back, s->camera.back, sizeof back), memcpy(right, s->camera.right, sizeof right);
  back[s->camera.up] = 0;
  unit(back);
  for (int k = 0; k < 3; k++) s->key[k] = 1.05 * up[k] - 0.62 * right[k] + 0.48 * back[k];
  unit(s->key);
}

void dv_stage_set(dvStage *s, dvScene *scene, const dvStageOptions *o)
{
  dv_draw_follow(&s->draw, scene);
  s->groups = o->groups ? o->groups : dv_shapes_groups(&s->draw);
  dv_draw_refresh(&s->draw, s->groups);
  dv_draw_follow(&s->draw, scene);   // sizes may have changed
  dv_draw_refresh(&s->draw, s->groups);
  dv_shapes_fill(&s->shapes, &s->draw, s->groups);
  s->aspect = (double)o->width / o->height;
  json_t *looks = dv_looks(scene);
  if (!s->begun || o->still) {
    begin(s, looks, o);
    dv_shapes_fill(&s->shapes, &s->draw, s->groups);   // sizes follow what is shown
  } else {
    json_t *moved = dv_looks_camera(scene);
    if (moved && !o->camera) scene_camera(s, looks), dv_camera_update(&s->camera, s->aspect);
    else follow(s);
    json_decref(moved);
  }
  take_looks(s, scene, looks, o);
  place_key(s);
  dv_stage_insets(s, scene, o->width, o->height);
  s->xray = o->xray;
  s->ground = !o->no_ground && s->camera.eye[s->camera.up] > s->floor;
  json_decref(looks);
}

void dv_stage_free(dvStage *s)
{
  clear_labels(s);
  dv_array_free(&s->labels);
  dv_shapes_free(&s->shapes);
  dv_draw_free(&s->draw);
}

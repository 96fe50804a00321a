// BleedingDecal: blood that comes out of a cut or of open vessels, spreads over a surface and runs down it, as a film
// of thickness h on its points, and what a cautery has burnt. Only a look: nothing feels it.
//
//   V_i' = rate / n (where it bleeds) - sum over edges (flow h_i max(0, g.e) + spread (h_i - h_j) / l) w     h = V / A
//
// with e the direction of an edge from i to j, l its length, g that of gravity, A_i the area around a point and w the
// mean of both areas over l. What leaves a point is at most what is there, so no volume is lost or made: sum V is what
// came out, less what dried. The surface is painted as far as the film covers it, 1 - exp(-h / full). Below that it has
// the colour of what is burnt: points within burnWidth of the line `burn` for a time of burnTime. A source whose point
// is burnt all through bleeds no more. When the surface is cut the film follows it: its volume stays.
#include "visual/bleeding.h"

#include "topology/change/follow.h"
#include "visual/register.h"
#include "visual/visual_model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BLEEDING_FIELDS(X)                                                                                        \
  X(bool, enable, "1", "", "draw it", .flags = DV_LOOKS)                                                          \
  X(link, surface, "", "", "the OglModel that it runs over; that of the node by default", .role = DV_ROLE_VISUAL) \
  X(vec3s, cut, "", "m", "the line of the cut: points of the surface near it bleed")                              \
  X(real, width, "0.01", "m", "how near they are", .least = "0")                                                  \
  X(indices, indices, "", "", "points that bleed besides")                                                        \
  X(vec3s, sources, "", "m",                                                                                      \
    "places that bleed, as the stumps of a VesselCutter: the nearest point within width does")                    \
  X(vec3s, moreSources, "", "m", "others, as of a second tree of vessels")                                        \
  X(real, sourceRate, "1e-6", "m3/s", "how much comes out of each of them", .least = "0")                         \
  X(vec3s, burn, "", "m", "a line that burns the surface now, as the line of a Cautery")                          \
  X(real, burnWidth, "0.004", "m", "how near it must be", .least = "0")                                           \
  X(real, burnTime, "0.15", "s", "and how long, until a point is burnt all through", .least = "0")                \
  X(color, burnColor, "0.13 0.07 0.05 1", "", "of what is burnt", .flags = DV_LOOKS)                              \
  X(real, rate, "1e-6", "m3/s", "how much comes out in all", .least = "0")                                        \
  X(real, start, "0", "s", "when it begins")                                                                      \
  X(real, end, "1e30", "s", "when it stops")                                                                      \
  X(real, flow, "0.05", "m/s", "how fast it runs down where the surface is upright", .least = "0")                \
  X(real, spread, "1e-5", "m2/s", "how fast it spreads in all directions", .least = "0")                          \
  X(real, drying, "0", "1/s", "part of it that dries in a second", .least = "0")                                  \
  X(real, full, "0.0005", "m", "thickness of a film that covers what is below it, but for 37 %")                  \
  X(color, color, "0.42 0.02 0.03 1", "", "of blood", .flags = DV_LOOKS)                                          \
  X(reals, volume, "", "m3", "of the film around each point", .flags = DV_OUTPUT)                                 \
  X(reals, burnt, "", "", "how far each point is burnt, 1 for all through", .flags = DV_OUTPUT)                   \
  X(int, bleeding, "0", "", "sources that bleed", .flags = DV_READ_ONLY)                                          \
  X(vec4s, paint, "", "", "red, green, blue and how much of them, for each corner that is drawn", .flags = DV_OUTPUT)

typedef struct Bleeding {
  dvObject base;
  BLEEDING_FIELDS(DV_MEMBER)
  dvVisualModel *model;
  dvInts edges, wounds;   // pairs of points; points that bleed
  dvReals area, out, change;
  double total;   // of the film
  dvElementList *followed;
} Bleeding;

#define SELF Bleeding
static const dvFieldDesc bleeding_fields[] = {BLEEDING_FIELDS(DV_DESCRIBE)};
static const dvMemoryDesc bleeding_memory[] = {DV_REMEMBER(reals, volume) DV_REMEMBER(reals, burnt)
                                                   DV_REMEMBER(numbers, total) DV_REMEMBER(numbers, bleeding)};
#undef SELF

static dvVisualModel *model_of(const dvObject *o)
{
  static const char *const names[] = {"OglModel", "VisualModelImpl", "OglShaderVisualModel"};
  for (size_t i = 0; o && i < DV_COUNT(names); i++)
    if (dv_same(o->cls->name, names[i])) return (dvVisualModel *)o;
  return NULL;
}

static size_t point_of(const dvVisualModel *m, int32_t corner)
{
  return m->vertPosIdx.count ? (size_t)m->vertPosIdx.data[corner] : (size_t)corner;
}

static size_t corners_of(const dvVisualModel *m)
{
  return m->vertPosIdx.count ? m->vertPosIdx.count : dv_reals_size(&m->base.position);
}

// --- the mesh ------------------------------------------------------------------------------------

static int by_points(const void *a, const void *b)
{
  const int32_t *x = a, *y = b;
  return x[0] != y[0] ? (x[0] > y[0]) - (x[0] < y[0]) : (x[1] > y[1]) - (x[1] < y[1]);
}

static void add_face(Bleeding *b, const int32_t *corners, size_t n, size_t *at)
{
  const dvVisualModel *m = b->model;
  const double *x = m->base.position.data;
  size_t p[4];
  for (size_t k = 0; k < n; k++) p[k] = point_of(m, corners[k]);
  for (size_t k = 0; k < n; k++) {
    int32_t i = (int32_t)p[k], j = (int32_t)p[(k + 1) % n];
    if (i == j) continue;
    b->edges.data[2 * *at] = i < j ? i : j, b->edges.data[2 * *at + 1] = i < j ? j : i;
    ++*at;
  }
  for (size_t t = 0; t + 2 < n; t++) {   // a quad as two triangles
    const double *a = x + 3 * p[0], *c = x + 3 * p[t + 1], *d = x + 3 * p[t + 2];
    double u[3], v[3];
    for (int k = 0; k < 3; k++) u[k] = c[k] - a[k], v[k] = d[k] - a[k];
    double z[3] = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
    double third = sqrt(z[0] * z[0] + z[1] * z[1] + z[2] * z[2]) / 6;
    b->area.data[p[0]] += third, b->area.data[p[t + 1]] += third, b->area.data[p[t + 2]] += third;
  }
}

static bool read_mesh(Bleeding *b)
{
  const dvVisualModel *m = b->model;
  size_t points = dv_reals_size(&m->base.position), triangles = m->triangles.count / 3, quads = m->quads.count / 4,
         n = 0;
  if (!dv_ints_resize(&b->edges, 2 * (3 * triangles + 4 * quads)) || !dv_reals_resize(&b->area, points) ||
      !dv_reals_resize(&b->out, points) || !dv_reals_resize(&b->change, points))
    return false;
  for (size_t i = 0; i < points; i++) b->area.data[i] = 0;
  for (size_t t = 0; t < triangles; t++) add_face(b, m->triangles.data + 3 * t, 3, &n);
  for (size_t q = 0; q < quads; q++) add_face(b, m->quads.data + 4 * q, 4, &n);
  qsort(b->edges.data, n, 2 * sizeof(int32_t), by_points);
  size_t kept = 0;
  for (size_t e = 0; e < n; e++)
    if (e == 0 || by_points(b->edges.data + 2 * e, b->edges.data + 2 * (e - 1)))
      memmove(b->edges.data + 2 * kept++, b->edges.data + 2 * e, 2 * sizeof(int32_t));
  return dv_ints_resize(&b->edges, 2 * kept);
}

static double away_from(const dvReals *line, const double *x)
{
  double best = INFINITY;
  size_t n = line->count / 3;
  for (size_t s = 0; s < n; s++) {
    const double *a = line->data + 3 * s, *c = s + 1 < n ? a + 3 : a;
    double along = 0, length = 0, d = 0;
    for (int k = 0; k < 3; k++) along += (x[k] - a[k]) * (c[k] - a[k]), length += (c[k] - a[k]) * (c[k] - a[k]);
    double t = length > 0 ? fmin(1, fmax(0, along / length)) : 0;
    for (int k = 0; k < 3; k++) d += pow(x[k] - a[k] - t * (c[k] - a[k]), 2);
    best = fmin(best, d);
  }
  return sqrt(best);
}

static bool find_wounds(Bleeding *b)
{
  const dvReals *x = &b->model->base.position;
  size_t points = dv_reals_size(x), count = 0;
  if (!dv_ints_resize(&b->wounds, points + b->indices.count)) return false;
  for (size_t i = 0; i < points; i++)
    if (b->cut.count >= 3 && away_from(&b->cut, x->data + 3 * i) <= b->width) b->wounds.data[count++] = (int32_t)i;
  for (size_t i = 0; i < b->indices.count; i++)
    if (b->indices.data[i] >= 0 && (size_t)b->indices.data[i] < points) b->wounds.data[count++] = b->indices.data[i];
  return dv_ints_resize(&b->wounds, count);
}

// --- what is drawn -------------------------------------------------------------------------------

static void paint(Bleeding *b)
{
  const dvVisualModel *m = b->model;
  size_t corners = corners_of(m);
  if (b->paint.count != 4 * corners) return;
  double *p = dv_reals_edit(&b->paint);
  for (size_t i = 0; i < corners; i++) {
    size_t at = point_of(m, (int32_t)i);
    double h = at < b->area.count && b->area.data[at] > 0 ? b->volume.data[at] / b->area.data[at] : 0;
    double blood = b->color[3] * (1 - exp(-h / fmax(b->full, 1e-12)));
    double burnt = (1 - blood) * b->burnColor[3] * (at < b->burnt.count ? b->burnt.data[at] : 0), all = blood + burnt;
    for (int k = 0; k < 3; k++)
      p[4 * i + (size_t)k] = all > 0 ? (blood * b->color[k] + burnt * b->burnColor[k]) / all : b->color[k];
    p[4 * i + 3] = b->enable ? all : 0;
  }
  dv_touch(&b->base, &b->paint);
}

static bool is_given(const Bleeding *b, const dvReals *member)
{
  const dvField *f = dv_field_of(&b->base, member);
  return f->was_set || f->source || member->count;
}

// the film goes with the points of a surface that is cut
static dvStatus follow(Bleeding *b)
{
  dvElementData *rows = dv_follow_rows(&b->base, &b->model->base.state);
  b->wounds.width = 1;
  b->followed = dv_follow_points(&b->base, &b->model->base.state, &b->wounds);
  dv_element_list_forget(b->followed);
  if (b->model->base.state.topology) dv_follow(&b->base, b->model->base.state.topology);
  DV_TRY(dv_element_data_add_reals(rows, &b->volume, false));
  return dv_element_data_add_reals(rows, &b->burnt, false);
}

static dvStatus bleeding_start(dvObject *o)
{
  Bleeding *b = (Bleeding *)o;
  b->model = model_of(b->surface.target);
  for (size_t i = 0; i < o->node->objects.count && !b->model; i++) b->model = model_of(o->node->objects.data[i]);
  if (!b->model || b->model->base.state.base.failed)
    return dv_error(o, "add an OglModel to the node, or name one: surface=\"@...\"", "there is no surface to bleed on");
  if (!read_mesh(b) || !find_wounds(b) || !dv_reals_resize(&b->volume, b->area.count) ||
      !dv_reals_resize(&b->burnt, b->area.count) || !dv_reals_resize(&b->paint, 4 * corners_of(b->model)))
    return dv_error(o, NULL, "out of memory for %zu points", b->area.count);
  if (!b->wounds.count && !is_given(b, &b->sources) && !is_given(b, &b->moreSources) && !is_given(b, &b->burn))
    dv_warning(o, "name points with indices, or make width larger",
               "no point of the surface lies on the cut: nothing bleeds");
  double *v = dv_reals_edit(&b->volume), *burnt = dv_reals_edit(&b->burnt);
  for (size_t i = 0; i < b->volume.count; i++) v[i] = burnt[i] = 0;
  b->total = 0;
  dv_touch(o, &b->volume), dv_touch(o, &b->burnt);
  paint(b);
  return follow(b);
}

static double total_of(const Bleeding *b)
{
  double sum = 0;
  for (size_t i = 0; i < b->volume.count; i++) sum += b->volume.data[i];
  return sum;
}

// rows of new points are those of where they came from: all of it together is what it was
static void bleeding_changed(dvObject *o)
{
  Bleeding *b = (Bleeding *)o;
  if (o->failed || !b->model || !read_mesh(b) || !dv_reals_resize(&b->paint, 4 * corners_of(b->model))) return;
  if (b->volume.count != b->area.count || b->burnt.count != b->area.count) return;
  double *v = dv_reals_edit(&b->volume), *burnt = dv_reals_edit(&b->burnt), now;
  for (size_t i = 0; i < b->volume.count; i++) {
    if (!(b->area.data[i] > 0)) v[i] = 0;   // it is on the surface no more
    burnt[i] = fmin(1, burnt[i]);
  }
  now = total_of(b);
  for (size_t i = 0; i < b->volume.count && now > 0; i++) v[i] *= b->total / now;
  dv_touch(o, &b->volume), dv_touch(o, &b->burnt);
  paint(b);
}

// --- a step --------------------------------------------------------------------------------------

// what goes from i to j in dt; negative: back
static double flux(const Bleeding *b, size_t e, const double down[3], double dt)
{
  size_t i = (size_t)b->edges.data[2 * e], j = (size_t)b->edges.data[2 * e + 1];
  const double *x = b->model->base.position.data, *a = b->area.data, *v = b->volume.data;
  double d[3], length = 0, slope = 0;
  for (size_t k = 0; k < 3; k++) d[k] = x[3 * j + k] - x[3 * i + k], length += d[k] * d[k], slope += d[k] * down[k];
  length = sqrt(length);
  if (!(length > 0) || !(a[i] > 0) || !(a[j] > 0)) return 0;
  slope /= length;
  double w = 0.5 * (a[i] + a[j]) / length, h = v[i] / a[i], g = v[j] / a[j];
  return dt * w * (b->flow * slope * (slope > 0 ? h : g) + b->spread * (h - g) / length);
}

static void run(Bleeding *b, double dt)
{
  const double *g = b->base.node->gravity;
  double size = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]), down[3];
  for (int k = 0; k < 3; k++) down[k] = size > 0 ? g[k] / size : 0;
  double *v = dv_reals_edit(&b->volume), *out = b->out.data, *change = b->change.data;
  size_t points = b->volume.count, edges = b->edges.count / 2;
  memset(out, 0, points * sizeof *out), memset(change, 0, points * sizeof *change);
  for (size_t e = 0; e < edges; e++) {
    double f = flux(b, e, down, dt);
    out[b->edges.data[2 * e + (f < 0)]] += fabs(f);
  }
  for (size_t e = 0; e < edges; e++) {
    double f = flux(b, e, down, dt);
    size_t from = (size_t)b->edges.data[2 * e + (f < 0)], to = (size_t)b->edges.data[2 * e + !(f < 0)];
    double part = fabs(f) * (out[from] > v[from] ? v[from] / out[from] : 1);
    change[from] -= part, change[to] += part;
  }
  for (size_t i = 0; i < points; i++) v[i] = fmax(0, v[i] + change[i]) * exp(-b->drying * dt);
}

// points near the line are burnt
static void burn(Bleeding *b, double dt)
{
  const double *x = b->model->base.position.data;
  if (b->burn.count < 3) return;
  double *burnt = dv_reals_edit(&b->burnt);
  for (size_t i = 0; i < b->burnt.count; i++)
    if (b->area.data[i] > 0 && away_from(&b->burn, x + 3 * i) <= b->burnWidth)
      burnt[i] = b->burnTime > 0 ? fmin(1, burnt[i] + dt / b->burnTime) : 1;
  dv_touch(&b->base, &b->burnt);
}

// the point of the surface nearest to a place, no farther than width; -1 for none
static int32_t nearest_point(const Bleeding *b, const double *place)
{
  const double *x = b->model->base.position.data;
  double best = b->width * b->width;
  int32_t found = -1;
  for (size_t i = 0; i < b->area.count; i++) {
    double d = 0;
    for (size_t k = 0; k < 3; k++) d += (x[3 * i + k] - place[k]) * (x[3 * i + k] - place[k]);
    if (d <= best && b->area.data[i] > 0) best = d, found = (int32_t)i;
  }
  return found;
}

static void well_up(Bleeding *b, const dvReals *sources, double dt)
{
  for (size_t i = 0; i + 3 <= sources->count; i += 3) {
    int32_t at = nearest_point(b, sources->data + i);
    if (at < 0 || b->burnt.data[at] >= 1) continue;
    dv_reals_edit(&b->volume)[at] += b->sourceRate * dt;
    b->bleeding++;
  }
}

static void bleeding_event(dvObject *o, const dvEvent *event)
{
  Bleeding *b = (Bleeding *)o;
  if (event->kind != DV_EVENT_ANIMATE_END || o->failed || !b->model) return;
  if (b->area.count != dv_reals_size(&b->model->base.position) || b->volume.count != b->area.count ||
      b->burnt.count != b->area.count)
    return;   // another surface: it starts anew with the scene
  dv_pull(&b->model->base.state.base, &b->model->base.position);
  dv_pull(o, &b->sources), dv_pull(o, &b->moreSources), dv_pull(o, &b->burn);
  double dt = o->node->dt, time = o->node->scene->root->time;
  if (time >= b->start && time <= b->end && b->wounds.count) {
    double *v = dv_reals_edit(&b->volume), part = b->rate * dt / (double)b->wounds.count;
    for (size_t i = 0; i < b->wounds.count; i++) v[b->wounds.data[i]] += part;
  }
  burn(b, dt);
  b->bleeding = 0;
  well_up(b, &b->sources, dt), well_up(b, &b->moreSources, dt);
  dv_touch(o, &b->bleeding);
  run(b, dt);
  b->total = total_of(b);
  dv_touch(o, &b->volume);
  paint(b);
}

static bool bleeding_restored(dvObject *o)
{
  Bleeding *b = (Bleeding *)o;
  if (b->volume.count != b->area.count || b->burnt.count != b->area.count) return false;
  dv_touch(o, &b->burnt);
  dv_touch(o, &b->volume);
  if (b->model) paint(b);
  return true;
}

static void bleeding_destroy(dvObject *o)
{
  Bleeding *b = (Bleeding *)o;
  dv_ints_free(&b->edges), dv_ints_free(&b->wounds);
  dv_reals_free(&b->area), dv_reals_free(&b->out), dv_reals_free(&b->change);
}

dvField *dv_bleeding_paint(const dvObject *surface)
{
  const dvNode *node = surface->node;
  for (size_t i = 0; node && i < node->objects.count; i++) {
    dvObject *o = node->objects.data[i];
    if (o->cls == &dv_bleeding_class && !o->failed && (dvObject *)((Bleeding *)o)->model == surface)
      return dv_field_of(o, &((Bleeding *)o)->paint);
  }
  return NULL;
}

const dvClass dv_bleeding_class = {
    .struct_size = sizeof(dvClass),
    .name = "BleedingDecal",
    .help = "blood that comes out of cuts and vessels and runs down a surface, and what is burnt of it",
    .module = "Divan.Visual",
    .roles = DV_PLAYS(DV_ROLE_SETTING),
    .size = sizeof(Bleeding),
    .blocks = {&dv_object_block, DV_BLOCK(bleeding_fields)},
    .bwd_init = bleeding_start,
    .handle_event = bleeding_event,
    .topology_changed = bleeding_changed,
    .destroy = bleeding_destroy,
    DV_MEMORY(bleeding_memory),
    .restored = bleeding_restored};

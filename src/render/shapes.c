// See shapes.h: surfaces, lines and points. Bodies that are there many times are in copies.c.
#include "render/inside.h"
#include "render/stage.h"
#include "view/flags.h"

#include <math.h>

// of the groups, as in the page
static const float group_colours[DV_DRAW_GROUPS][3] = {
    [DV_DRAW_VISUAL] = {0.722f, 0.745f, 0.788f},       [DV_DRAW_BEHAVIOR] = {0.290f, 0.490f, 0.839f},
    [DV_DRAW_VELOCITIES] = {0.165f, 0.651f, 0.627f},   [DV_DRAW_FORCES] = {0.878f, 0.388f, 0.235f},
    [DV_DRAW_COLLISION] = {0.910f, 0.639f, 0.239f},    [DV_DRAW_BOUNDS] = {0.651f, 0.471f, 0.847f},
    [DV_DRAW_MAPPINGS] = {0.353f, 0.663f, 0.902f},     [DV_DRAW_MECHANICAL_MAPPINGS] = {0.486f, 0.549f, 0.878f},
    [DV_DRAW_FORCE_FIELDS] = {0.247f, 0.682f, 0.471f}, [DV_DRAW_INTERACTIONS] = {0.878f, 0.282f, 0.416f},
    [DV_DRAW_CONTACTS] = {0.839f, 0.200f, 0.424f}};

// --- what is shown -------------------------------------------------------------------------------

static bool any_of(const dvDraw *d, unsigned groups, bool given)
{
  for (size_t i = 0; i < d->list.count; i++) {
    const dvDrawable *a = &d->list.data[i];
    bool body = given || a->group != DV_DRAW_VISUAL || a->kind == DV_DRAW_TRIANGLES || a->kind == DV_DRAW_SPHERES ||
                a->kind == DV_DRAW_BOXES;
    if (groups & 1u << a->group && !(given && a->say < 0) && body) return true;
  }
  return false;
}

unsigned dv_shapes_groups(const dvDraw *d)
{
  bool given = d->scene && dv_flags_given(d->scene);
  unsigned groups = given ? dv_flags_groups(d) : 1u << DV_DRAW_VISUAL | 1u << DV_DRAW_INTERACTIONS;
  if (any_of(d, groups, given)) return groups;
  static const dvDrawGroup others[] = {DV_DRAW_FORCE_FIELDS, DV_DRAW_COLLISION, DV_DRAW_BEHAVIOR};
  for (size_t i = 0; i < DV_COUNT(others); i++)   // an empty picture helps nobody
    if (any_of(d, 1u << others[i], given)) groups |= 1u << others[i];
  return groups;
}

// --- arrays --------------------------------------------------------------------------------------

const float *dv_shape_numbers(const dvDraw *d, int array, size_t *count)
{
  *count = 0;
  if (array < 0) return NULL;
  const dvDrawArray *a = &d->arrays.data[array];
  if (a->integers || !a->data) return NULL;
  *count = a->count;
  return (const float *)(const void *)a->data;   // the bits of floats
}

static const uint32_t *integers(const dvDraw *d, int array, size_t *count)
{
  *count = 0;
  if (array < 0 || !d->arrays.data[array].integers) return NULL;
  *count = d->arrays.data[array].count;
  return d->arrays.data[array].data;
}

dvBatch *dv_shape_batch(dvShapes *s, const dvDrawable *a, dvBatchKind kind)
{
  dv_push(&s->batches, ((dvBatch){.kind = kind,
                                  .group = a->group,
                                  .first = s->indices.count,
                                  .first_copy = s->copies.count,
                                  .texture = DV_NO_TEXTURE,
                                  .shader = -1,
                                  .attenuation = (float)a->attenuation,
                                  .liquid = {(float)a->liquid[0], (float)a->liquid[1]},
                                  .shininess = 30,
                                  .object = a->object}));
  dvBatch *b = &s->batches.data[s->batches.count - 1];
  for (int k = 0; k < 3; k++)
    b->colour[k] = a->has_material ? (float)a->material.diffuse[k] : group_colours[a->group][k];
  b->colour[3] = a->has_material ? (float)a->material.diffuse[3] : 1;
  return b;
}

static void put_vertex(dvShapes *s, const float x[3], const float n[3], float u, float v)
{
  dvVertex p = {.at = {u, v}};
  for (int k = 0; k < 3; k++) p.place[k] = isfinite(x[k]) ? x[k] : 0, p.normal[k] = n ? n[k] : 0;
  dv_push(&s->vertices, p);
}

// --- surfaces ------------------------------------------------------------------------------------

// a surface of elements that stands in for a visual model where there is none
static bool is_body(const dvDrawable *a)
{
  return a->group == DV_DRAW_FORCE_FIELDS && a->kind == DV_DRAW_TRIANGLES && a->values < 0;
}

static void take_material(dvBatch *b, const dvDrawable *a, const dvShading *m)
{
  if (!a->has_material) {
    if (a->group != DV_DRAW_VISUAL && a->values < 0 && !is_body(a)) b->colour[3] = 0.35f;
    return;
  }
  for (int k = 0; k < 4; k++) b->colour[k] = (float)m->diffuse[k];
  for (int k = 0; k < 3; k++) b->specular[k] = (float)m->specular[k], b->emissive[k] = (float)m->emissive[k];
  for (int k = 0; k < 3; k++) b->ambient[k] = (float)m->ambient[k];
  b->shininess = isfinite(m->shininess) ? (float)m->shininess : 0;
}

static size_t map_row(dvShapes *s, const dvObject *map)
{
  for (size_t i = 0; i < s->map_count; i++)
    if (s->maps[i] == map) return i;
  if (s->map_count == DV_MAP_ROWS) return 0;
  s->maps[s->map_count] = map;
  return s->map_count++;
}

static dvRange *range_of(dvShapes *s, const dvDrawable *a)
{
  const char *label = a->label ? a->label : "";
  size_t map = map_row(s, a->map);
  bool fixed = a->range[0] < a->range[1];
  for (size_t i = 0; i < s->ranges.count; i++)
    if (dv_same(s->ranges.data[i].label, label) && s->ranges.data[i].map == map && s->ranges.data[i].fixed == fixed &&
        (!fixed || (s->ranges.data[i].low == a->range[0] && s->ranges.data[i].high == a->range[1])))
      return &s->ranges.data[i];
  dv_push(&s->ranges, ((dvRange){.label = label,
                                 .low = fixed ? a->range[0] : INFINITY,
                                 .high = fixed ? a->range[1] : -INFINITY,
                                 .fixed = fixed,
                                 .map = map}));
  return &s->ranges.data[s->ranges.count - 1];
}

static void widen_range(dvShapes *s, const dvDraw *d, const dvDrawable *a)
{
  size_t n;
  const float *v = dv_shape_numbers(d, a->values, &n);
  dvRange *r = range_of(s, a);
  for (size_t i = 0; i < n && !r->fixed; i++)
    if (isfinite(v[i])) r->low = fmin(r->low, v[i]), r->high = fmax(r->high, v[i]);
}

static dvCreases *creases_of(dvShapes *s, const dvDraw *d, size_t which, const float *x, size_t points)
{
  const dvDrawable *a = &d->list.data[which];
  const dvDrawArray *indices = &d->arrays.data[a->indices];
  dvCreases *c = &s->creases.data[which];
  if (s->creased.data[which] != indices->changed) {
    dv_creases_find(c, x, points, indices->data, indices->count, a->texcoords >= 0);
    s->creased.data[which] = indices->changed;
  }
  return c;
}

static void put_points(dvShapes *s, const dvDraw *d, const dvDrawable *a, const dvCreases *c, const float *x)
{
  size_t places, values, painted;
  const float *colours = dv_shape_numbers(d, a->paint, &painted);
  const float *at = dv_shape_numbers(d, a->texcoords, &places), *value = dv_shape_numbers(d, a->values, &values);
  dvRange range = value ? *range_of(s, a) : (dvRange){0};
  double wide = range.high - range.low;
  float *normals = dv_alloc((3 * c->source.count + 1) * sizeof *normals);
  dv_creases_normals(c, x, normals);
  for (size_t i = 0; i < c->source.count; i++) {
    size_t p = c->source.data[i];
    float u = 0, v = 0;
    if (value && p < values)
      u = (float)((value[p] - range.low) / fmax(wide, 1e-30)), v = ((float)range.map + 0.5f) / DV_MAP_ROWS;
    else if (at && 2 * p + 1 < places) u = at[2 * p], v = at[2 * p + 1];
    put_vertex(s, x + 3 * p, normals + 3 * i, value ? fminf(fmaxf(u, 0.002f), 0.998f) : u, v);
    if (!colours || 4 * p + 3 >= painted) continue;
    float *to = s->vertices.data[s->vertices.count - 1].paint;
    for (size_t k = 0; k < 4; k++) to[k] = k < 3 ? (float)dv_linear(colours[4 * p + k]) : colours[4 * p + k];
  }
  dv_free(normals);
}

// the edges of all triangles, where only those are wanted
static void put_wires(dvShapes *s, const uint32_t *index, size_t count, uint32_t base)
{
  for (size_t t = 0; t + 2 < count; t += 3)
    for (int k = 0; k < 3; k++) {
      uint32_t a = index[t + (size_t)k], b = index[t + (size_t)(k + 1) % 3];
      dv_push(&s->indices, base + a);
      dv_push(&s->indices, base + b);
    }
}

static void put_part(dvShapes *s, const dvDrawable *a, const dvCreases *c, const dvDrawPart *part, uint32_t base)
{
  size_t first = dv_min_size(part->first, c->index.count), end = dv_min_size(first + part->count, c->index.count);
  if (end - first < 3) return;
  dvBatch *b = dv_shape_batch(s, a, a->wireframe ? DV_BATCH_LINES : DV_BATCH_SURFACE);
  take_material(b, a, &part->material);
  b->shader = a->wireframe ? -1 : a->shader;
  b->drawable = (size_t)(c - s->creases.data), b->base = base;
  b->texture = a->values >= 0 ? DV_COLOUR_MAP : a->texcoords >= 0 ? part->texture : DV_NO_TEXTURE;
  if (a->values >= 0) {
    b->map = range_of(s, a)->map;
    for (int k = 0; k < 3; k++) b->colour[k] = 1;
  }
  if (a->absorption > 0 && a->values >= 0) {
    const dvRange *r = range_of(s, a);
    if (isfinite(r->high - r->low))
      b->contrast[0] = (float)r->low, b->contrast[1] = (float)(r->high - r->low), b->contrast[2] = (float)a->absorption;
  }
  if (a->wireframe) put_wires(s, c->index.data + first, end - first, base);
  else
    for (size_t i = first; i < end; i++) dv_push(&s->indices, base + c->index.data[i]);
  b->count = s->indices.count - b->first;
}

static void put_surface(dvShapes *s, const dvDraw *d, size_t which)
{
  const dvDrawable *a = &d->list.data[which];
  size_t numbers, corners;
  const float *x = dv_shape_numbers(d, a->positions, &numbers);
  if (!x || !integers(d, a->indices, &corners) || corners < 3) return;
  uint32_t base = (uint32_t)s->vertices.count;
  dvCreases *c = creases_of(s, d, which, x, numbers / 3);
  put_points(s, d, a, c, x);
  if (a->parts && c->index.count == corners) {
    for (size_t i = 0; i < a->parts; i++) put_part(s, a, c, &d->parts.data[a->first_part + i], base);
  } else {
    dvDrawPart all = {.count = c->index.count, .material = a->material, .texture = a->texture};
    put_part(s, a, c, &all, base);
  }
}

// --- lines and points ----------------------------------------------------------------------------

static void put_lines(dvShapes *s, const dvDraw *d, const dvDrawable *a)
{
  size_t numbers, others, ends;
  const float *x = dv_shape_numbers(d, a->positions, &numbers), *y = dv_shape_numbers(d, a->second, &others);
  const uint32_t *pair = integers(d, a->indices, &ends);
  if (!x || (a->second >= 0 && !y)) return;
  size_t points = numbers / 3, more = others / 3, base = s->vertices.count;
  dvBatch *b = dv_shape_batch(s, a, DV_BATCH_LINES);
  bool many = a->group == DV_DRAW_MAPPINGS || a->group == DV_DRAW_MECHANICAL_MAPPINGS;
  if (many) b->colour[3] = 0.35f;
  b->through = (a->group == DV_DRAW_FORCE_FIELDS && !a->faced) || a->group == DV_DRAW_INTERACTIONS ||
               a->group == DV_DRAW_CONTACTS;
  for (size_t i = 0; i < points; i++) put_vertex(s, x + 3 * i, NULL, 0, 0);
  for (size_t i = 0; i < more; i++) put_vertex(s, y + 3 * i, NULL, 0, 0);
  size_t pairs = pair ? ends / 2 : y ? dv_min_size(points, more) : points / 2;
  for (size_t i = 0; i < pairs; i++) {
    size_t p = pair ? pair[2 * i] : y ? i : 2 * i, q = pair ? pair[2 * i + 1] : y ? i : 2 * i + 1;
    if (p >= points || q >= (y ? more : points)) continue;
    dv_push(&s->indices, (uint32_t)(base + p));
    dv_push(&s->indices, (uint32_t)(base + (y ? points + q : q)));
  }
  b->count = s->indices.count - b->first;
}

static void put_cloud(dvShapes *s, const dvDraw *d, const dvDrawable *a)
{
  size_t numbers;
  const float *x = dv_shape_numbers(d, a->positions, &numbers);
  if (!x) return;
  dvBatch *b = dv_shape_batch(s, a, DV_BATCH_POINTS);
  for (size_t i = 0; i < numbers / 3; i++) {
    dv_push(&s->indices, (uint32_t)s->vertices.count);
    put_vertex(s, x + 3 * i, NULL, 0, 0);
  }
  b->count = s->indices.count - b->first;
}

// --- all -----------------------------------------------------------------------------------------

static void widen(dvShapes *s, const dvDraw *d, const dvDrawable *a)
{
  size_t numbers, radii, sizes;
  const float *x = dv_shape_numbers(d, a->positions, &numbers), *r = dv_shape_numbers(d, a->radii, &radii);
  const float *size = dv_shape_numbers(d, a->sizes, &sizes);
  for (size_t i = 0; x && i < numbers / 3; i++) {
    double around = a->kind == DV_DRAW_SPHERES ? (i < radii ? r[i] : a->radius) : 0;
    if (a->kind == DV_DRAW_BOXES && 3 * i + 2 < sizes) {
      float box[3];
      dv_shape_box_size(size + 3 * i, s->diagonal, box);
      around = 0.5 * sqrt((double)box[0] * box[0] + (double)box[1] * box[1] + (double)box[2] * box[2]);
    }
    if (!isfinite(x[3 * i] + x[3 * i + 1] + x[3 * i + 2] + around)) continue;
    for (int k = 0; k < 3; k++) {
      s->low[k] = fmin(s->low[k], x[3 * i + (size_t)k] - around);
      s->high[k] = fmax(s->high[k], x[3 * i + (size_t)k] + around);
    }
  }
}

static void measure(dvShapes *s, const dvDraw *d, const bool *shown)
{
  if (!(s->diagonal > 0)) {
    double low[3], high[3], square = 0;
    bool any = dv_draw_box(d, low, high);
    for (int k = 0; any && k < 3; k++) square += (high[k] - low[k]) * (high[k] - low[k]);
    s->diagonal = square > 0 ? sqrt(square) : sqrt(3);
  }
  for (int k = 0; k < 3; k++) s->low[k] = INFINITY, s->high[k] = -INFINITY;
  for (size_t i = 0; i < d->list.count; i++)
    if (shown[i] && !d->list.data[i].aside) widen(s, d, &d->list.data[i]);
}

static void forget(dvShapes *s, const dvDraw *d)
{
  if (s->revision == d->revision && s->creases.count == d->list.count) return;
  for (size_t i = 0; i < s->creases.count; i++) dv_creases_free(&s->creases.data[i]);
  s->creases.count = s->creased.count = s->longest.count = 0;
  dv_array_resize(&s->creases, d->list.count);
  dv_array_resize(&s->creased, d->list.count);
  dv_array_resize(&s->longest, d->list.count);
  s->revision = d->revision;
  s->ranges.count = s->map_count = 0;   // components may be gone
}

static bool *find_shown(const dvDraw *d, unsigned groups)
{
  bool *shown = dv_alloc(d->list.count + 1), given = d->scene && dv_flags_given(d->scene), dressed = false;
  for (size_t i = 0; i < d->list.count; i++) {
    const dvDrawable *a = &d->list.data[i];
    shown[i] = groups & 1u << a->group && !(given && a->say < 0) && a->positions >= 0;
    dressed = dressed || (shown[i] && a->group == DV_DRAW_VISUAL && a->kind == DV_DRAW_TRIANGLES);
  }
  for (size_t i = 0; i < d->list.count; i++) shown[i] = shown[i] && !(dressed && is_body(&d->list.data[i]));
  return shown;
}

void dv_shapes_fill(dvShapes *s, const dvDraw *d, unsigned groups)
{
  forget(s, d);
  s->vertices.count = s->indices.count = s->copies.count = s->batches.count = 0;
  bool *shown = find_shown(d, groups);
  measure(s, d, shown);
  if (!s->map_count) s->maps[s->map_count++] = NULL;
  for (size_t i = 0; i < d->list.count; i++)
    if (shown[i] && d->list.data[i].values >= 0) widen_range(s, d, &d->list.data[i]);
  for (size_t i = 0; i < s->map_count; i++) dv_map_read(s->maps[i], &s->colours[i]);
  for (size_t i = 0; i < d->list.count; i++) {
    const dvDrawable *a = &d->list.data[i];
    if (!shown[i]) continue;
    if (a->kind == DV_DRAW_TRIANGLES) put_surface(s, d, i);
    else if (a->kind == DV_DRAW_LINES) put_lines(s, d, a);
    else if (a->kind == DV_DRAW_POINTS) put_cloud(s, d, a);
    else dv_shape_copies(s, d, i);
  }
  dv_free(shown);
}

void dv_shapes_free(dvShapes *s)
{
  for (size_t i = 0; i < s->creases.count; i++) dv_creases_free(&s->creases.data[i]);
  dv_array_free(&s->creases);
  dv_array_free(&s->creased);
  dv_array_free(&s->longest);
  dv_array_free(&s->vertices);
  dv_array_free(&s->indices);
  dv_array_free(&s->copies);
  dv_array_free(&s->batches);
  dv_array_free(&s->ranges);
}

// The numbers of the draw list: fills the arrays that are shown and tells which have changed. See draw.h.
#include "view/draw_inside.h"

#include "collision/collision.h"
#include "mass/diagonal.h"
#include "mechanics/component.h"
#include "view/ornaments.h"
#include "view/outline.h"

#include <math.h>
#include <string.h>

// room for `count` numbers; when there is none nothing of the array is drawn
static bool make_room(dvDrawArray *a, size_t count)
{
  if (count != a->count) a->changed = 0;
  if (count > a->capacity) {
    dv_free(a->data);
    a->data = dv_try_alloc(count * sizeof *a->data);
    a->capacity = a->data ? count : 0;
  }
  a->count = a->data ? count : 0;
  return a->count == count;
}

static inline uint32_t bits_of(double value)
{
  float f = (float)value;
  uint32_t bits;
  memcpy(&bits, &f, sizeof bits);
  return bits;
}

// copies `n` tuples that stand `stride` apart; returns whether a bit is new. Columns that are not there are 0.
static bool copy_tuples(dvDrawArray *a, size_t n, const double *from, size_t stride, int there)
{
  size_t width = (size_t)a->width;
  if (!make_room(a, n * width)) return true;
  uint32_t differ = 0, *to = a->data;
  if (stride == width && (size_t)there == width) {   // one run of numbers: the compiler makes packs of it
    for (size_t i = 0; i < n * width; i++) {
      uint32_t bits = bits_of(from[i]);
      differ |= bits ^ to[i];
      to[i] = bits;
    }
    return differ != 0;
  }
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < width; k++) {
      uint32_t bits = k < (size_t)there ? bits_of(from[i * stride + k]) : 0;
      differ |= bits ^ a->data[i * width + k];
      a->data[i * width + k] = bits;
    }
  return differ != 0;
}

static bool fill_some(dvDrawArray *a, const dvState *s, const double *x)
{
  size_t width = (size_t)s->base.dof->coord, space = (size_t)s->base.dof->space;
  if (!make_room(a, 3 * a->pairs->count)) return true;
  uint32_t differ = 0;
  for (size_t i = 0; i < a->pairs->count; i++) {
    size_t p = (size_t)a->pairs->data[i];
    for (size_t k = 0; k < 3; k++) {
      uint32_t bits = p < s->count && k < space ? bits_of(x[width * p + k]) : 0;
      differ |= bits ^ a->data[3 * i + k];
      a->data[3 * i + k] = bits;
    }
  }
  return differ != 0;
}

static bool fill_vertices(dvDrawArray *a)
{
  const dvVisualModel *v = (const dvVisualModel *)a->object;
  const dvReals *x = &v->base.position;
  size_t n = v->vertPosIdx.count, points = dv_reals_size(x);
  if (n == 0) return copy_tuples(a, points, x->data, 3, 3);
  if (!make_room(a, 3 * n)) return true;
  uint32_t differ = 0;
  for (size_t i = 0; i < n; i++) {
    size_t p = (size_t)v->vertPosIdx.data[i];
    for (size_t k = 0; k < 3; k++) {
      uint32_t bits = p < points ? bits_of(x->data[3 * p + k]) : 0;
      differ |= bits ^ a->data[3 * i + k];
      a->data[3 * i + k] = bits;
    }
  }
  return differ != 0;
}

static void widen(double low[3], double high[3], const double *x)
{
  for (int k = 0; k < 3; k++) {
    if (x[k] < low[k]) low[k] = x[k];
    if (x[k] > high[k]) high[k] = x[k];
  }
}

static void start_box(double low[3], double high[3])
{
  for (int k = 0; k < 3; k++) low[k] = INFINITY, high[k] = -INFINITY;
}

static bool box_of(dvState *s, double low[3], double high[3])
{
  start_box(low, high);
  const double *x = dv_state_read(s, DV_X);
  for (size_t i = 0; i < s->count; i++) {
    double p[3];
    dv_dof_point(s->base.dof, x + i * (size_t)s->base.dof->coord, p);
    widen(low, high, p);
  }
  return s->count > 0;
}

static bool fill_box(dvDrawArray *a)
{
  double low[3], high[3], corners[24];
  if (!box_of(dv_state(a->object), low, high)) return copy_tuples(a, 0, corners, 3, 3);
  for (int c = 0; c < 8; c++)
    for (int k = 0; k < 3; k++) corners[3 * c + k] = c >> k & 1 ? high[k] : low[k];
  return copy_tuples(a, 8, corners, 3, 3);
}

// --- indices, which are made once ---

static bool copy_indices(dvDrawArray *a, const int32_t *from, size_t count)
{
  if (!make_room(a, count)) return true;
  for (size_t i = 0; i < count; i++) a->data[i] = (uint32_t)from[i];
  return true;
}

static void triangles_of_quads(uint32_t *to, const int32_t *quads, size_t count)
{
  static const int corners[6] = {0, 1, 2, 0, 2, 3};
  for (size_t q = 0; q < count; q++)
    for (size_t k = 0; k < 6; k++) to[6 * q + k] = (uint32_t)quads[4 * q + (size_t)corners[k]];
}

// part by part, triangles before quads
static void fill_parts(uint32_t *data, const dvVisualModel *v, const dvVisualParts *parts)
{
  size_t triangles = dv_ints_size(&v->triangles), *next = dv_visual_part_corners(v, parts), sum = 0;
  for (size_t k = 0; k <= parts->list.count; k++) {
    size_t corners = next[k];
    next[k] = sum;
    sum += corners;
  }
  for (size_t i = 0; i < parts->of_face.count; i++) {
    size_t *at = &next[parts->of_face.data[i] + 1];
    if (i >= triangles) triangles_of_quads(data + *at, v->quads.data + 4 * (i - triangles), 1);
    for (size_t k = 0; i < triangles && k < 3; k++) data[*at + k] = (uint32_t)v->triangles.data[3 * i + k];
    *at += i < triangles ? 3 : 6;
  }
  dv_free(next);
}

static bool fill_triangles(dvDrawArray *a)
{
  const dvVisualModel *v = (const dvVisualModel *)a->object;
  const dvVisualParts *parts = dv_visual_parts(v);
  size_t quads = dv_ints_size(&v->quads);
  if (parts->of_face.count) {
    if (make_room(a, v->triangles.count + 6 * quads)) fill_parts(a->data, v, parts);
    return true;
  }
  dvInts skin = {.width =
                     3};   // a model of all faces of a grid: those between two volumes would shine through as seams
  if (dv_outline_skin(v->base.state.base.node, dv_reals_size(dv_visual_vertices(v)), &v->triangles, &v->quads, &skin)) {
    copy_indices(a, skin.data, skin.count);
    dv_ints_free(&skin);
    return true;
  }
  dv_ints_free(&skin);
  if (!make_room(a, v->triangles.count + 6 * quads)) return true;
  for (size_t i = 0; i < v->triangles.count; i++) a->data[i] = (uint32_t)v->triangles.data[i];
  triangles_of_quads(a->data + v->triangles.count, v->quads.data, quads);
  return true;
}

static bool fill_boundary(dvDrawArray *a)
{
  dvTopology *t = dv_topology(a->object);
  dvInts triangles = {.width = 3}, quads = {.width = 4};
  if (dv_outline_faces(t, 3, &triangles) && dv_outline_faces(t, 4, &quads) &&
      make_room(a, triangles.count + 6 * dv_ints_size(&quads))) {
    for (size_t i = 0; i < triangles.count; i++) a->data[i] = (uint32_t)triangles.data[i];
    triangles_of_quads(a->data + triangles.count, quads.data, dv_ints_size(&quads));
  }
  dv_ints_free(&triangles);
  dv_ints_free(&quads);
  return true;
}

static bool fill_edges(dvDrawArray *a)
{
  dvInts edges = {.width = 2};
  if (dv_outline_edges(dv_topology(a->object), &edges)) copy_indices(a, edges.data, edges.count);
  dv_ints_free(&edges);
  return true;
}

static bool fill_springs(dvDrawArray *a)
{
  dvInts pairs = {.width = 2};
  ((const dvForceOps *)dv_ops(a->object, DV_ROLE_FORCE))->pairs(a->object, &pairs);
  copy_indices(a, pairs.data, pairs.count);
  dv_ints_free(&pairs);
  return true;
}

typedef struct PairSink {
  dvMatrixSink sink;
  DV_ARRAY(int32_t) pairs;
} PairSink;

static void keep_pair(dvMatrixSink *sink, const dvState *row_state, size_t row, const dvState *col_state, size_t col,
                      int rows, int cols, const double *values)
{
  DV_UNUSED(row_state), DV_UNUSED(col_state), DV_UNUSED(rows), DV_UNUSED(cols), DV_UNUSED(values);
  PairSink *p = (PairSink *)sink;
  dv_push(&p->pairs, (int32_t)row);
  dv_push(&p->pairs, (int32_t)col);
}

static bool fill_mapping(dvDrawArray *a)
{
  PairSink p = {.sink = {.add = keep_pair}};
  ((const dvMappingOps *)dv_ops(a->object, DV_ROLE_MAPPING))->build_j(a->object, &p.sink);
  copy_indices(a, p.pairs.data, p.pairs.count);
  dv_array_free(&p.pairs);
  return true;
}

static bool fill_collision(dvDrawArray *a)
{
  const dvInts *elements = &((const dvCollisionModel *)a->object)->elements;
  return copy_indices(a, elements->data, elements->count);
}

static bool fill_inertia(dvDrawArray *a)
{
  const dvDiagonal *d = (const dvDiagonal *)a->object;
  size_t n = d->base.state->count;
  if (!make_room(a, 3 * n)) return true;
  for (size_t i = 0; i < n; i++) {
    size_t k = d->uniform || i >= d->inertia.count / 9 ? 0 : i;
    const double *inertia = d->inertia.data + 9 * k;
    double mass = k < d->mass.count ? d->mass.data[k] : 0, sum = inertia[0] + inertia[4] + inertia[8];
    for (size_t c = 0; c < 3; c++) {
      double square = mass > 0 ? 6 * (sum - 2 * inertia[4 * c]) / mass : 0;
      a->data[3 * i + c] = bits_of(square > 0 && isfinite(square) ? sqrt(square) : 0);
    }
  }
  return true;
}

// --- contacts and trees, whose number changes ---

enum { MOST_CONTACTS = 50000, MOST_CUBES = 255 };   // that are drawn

static uint32_t put(dvDrawArray *a, size_t at, double value)
{
  uint32_t bits = bits_of(value), differs = bits ^ a->data[at];
  a->data[at] = bits;
  return differs;
}

static bool fill_contacts(dvDrawArray *a)
{
  const dvScene *scene = a->object->node->scene;
  size_t count = dv_min_size(dv_scene_contacts(scene), MOST_CONTACTS), at = 0;
  uint32_t differ = 0;
  dvTouch touch;
  if (!make_room(a, 3 * count)) return true;
  for (size_t i = 0; at < 3 * count && dv_scene_touch(scene, i, &touch); i++)
    for (size_t k = 0; at < 3 * count && k < touch.count; k++) {
      const dvContact *c = &touch.contacts[k];
      const double *from = a->vector < 2 ? c->point[a->vector] : c->normal;
      for (int n = 0; n < 3; n++) differ |= put(a, at++, from[n]);
    }
  return differ != 0;
}

static const int32_t box_edges[24] = {0, 1, 2, 3, 4, 5, 6, 7, 0, 2, 1, 3, 4, 6, 5, 7, 0, 4, 1, 5, 2, 6, 3, 7};

// The upper part of a model's tree; the box around all where nobody is near, since the tree does not follow then.
static bool fill_tree(dvDrawArray *a)
{
  const dvCollisionModel *m = (const dvCollisionModel *)a->object;
  size_t cubes = m->stale ? 0 : dv_min_size(m->tree.cubes.count, MOST_CUBES);
  size_t boxes = !m->x || !dv_collision_model_count(a->object) ? 0 : dv_max_size(cubes, 1), at = 0;
  uint32_t differ = 0;
  if (!make_room(a, boxes * 3 * DV_COUNT(box_edges))) return true;
  for (size_t i = 0; i < boxes; i++) {
    const dvBox *b = cubes ? &m->tree.cubes.data[i].box : &m->box;
    for (size_t e = 0; e < DV_COUNT(box_edges); e++)
      for (int k = 0; k < 3; k++) differ |= put(a, at++, box_edges[e] >> k & 1 ? b->high[k] : b->low[k]);
  }
  return differ != 0;
}

// --- cells ---

static const dvElementKind cell_kinds[] = {DV_TETRAHEDRON, DV_HEXAHEDRON};
static const size_t cell_corners[] = {4, 8};
static const uint32_t tetrahedron_faces[] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2};
static const uint32_t hexahedron_faces[] = {0, 3, 2, 0, 2, 1, 4, 5, 6, 4, 6, 7, 0, 1, 5, 0, 5, 4,
                                            1, 2, 6, 1, 6, 5, 2, 3, 7, 2, 7, 6, 3, 0, 4, 3, 4, 7};

static const dvInts *cells_of(const dvDrawArray *a, int kind)
{
  return a->cells[0] ? a->cells[kind] : dv_topology_elements(dv_topology(a->topology), cell_kinds[kind]);
}

static const double *corner_of(const dvState *s, const double *x, int32_t index)
{
  static const double nowhere[3];
  return index >= 0 && (size_t)index < s->count ? x + 3 * (size_t)index : nowhere;
}

static bool fill_cells(dvDrawArray *a)
{
  dvState *s = dv_state(a->object);
  const double *x = dv_state_read(s, DV_X);
  size_t points = 0, at = 0;
  uint32_t differ = 0;
  for (int k = 0; k < 2; k++) points += cells_of(a, k)->count;
  if (!make_room(a, 3 * points)) return true;
  for (int k = 0; k < 2; k++)
    for (size_t e = 0, n = cell_corners[k]; e < cells_of(a, k)->count / n; e++) {
      const int32_t *corners = cells_of(a, k)->data + n * e;
      double middle[3] = {0};
      for (size_t c = 0; c < n; c++)
        for (int i = 0; i < 3; i++) middle[i] += corner_of(s, x, corners[c])[i] / (double)n;
      for (size_t c = 0; c < n; c++)
        for (int i = 0; i < 3; i++)
          differ |= put(a, at++, middle[i] + a->part * (corner_of(s, x, corners[c])[i] - middle[i]));
    }
  return differ != 0;
}

static bool fill_cell_faces(dvDrawArray *a)
{
  const uint32_t *faces[] = {tetrahedron_faces, hexahedron_faces};
  const size_t corners[] = {DV_COUNT(tetrahedron_faces), DV_COUNT(hexahedron_faces)};
  size_t all = 0, at = 0, first = 0;
  for (int k = 0; k < 2; k++) all += cells_of(a, k)->count / cell_corners[k] * corners[k];
  if (!make_room(a, all)) return true;
  for (int k = 0; k < 2; k++)
    for (size_t e = 0; e < cells_of(a, k)->count / cell_corners[k]; e++, first += cell_corners[k])
      for (size_t c = 0; c < corners[k]; c++) a->data[at++] = (uint32_t)first + faces[k][c];
  return true;
}

static bool fill_ornament(dvDrawArray *a)
{
  dvOrnamentPoints points = {0};
  dv_ornament_points(a->object, a->vector, &points);
  static const double nowhere[3];
  bool differs = copy_tuples(a, points.count / 3, points.count ? points.data : nowhere, 3, 3);
  dv_array_free(&points);
  return differs;
}

static bool fill(dvDrawArray *a)
{
  dvObject *o = a->object;
  dvState *s = o && dv_plays(o, DV_ROLE_STATE) ? dv_state(o) : NULL;
  switch (a->source) {
  case DV_FROM_POINTS:
    return copy_tuples(a, s->count, dv_state_read(s, DV_X), (size_t)o->dof->coord, o->dof->space);
  case DV_FROM_SOME:
    return fill_some(a, s, dv_state_read(s, DV_X));
  case DV_FROM_TURNS:
    return copy_tuples(a, s->count, dv_state_read(s, DV_X) + 3, (size_t)o->dof->coord, 4);
  case DV_FROM_VECTOR:
    return copy_tuples(a, s->count, dv_state_read(s, a->vector), (size_t)o->dof->deriv, o->dof->space);
  case DV_FROM_VERTICES:
    return fill_vertices(a);
  case DV_FROM_FIELD:
  case DV_FROM_REALS:
    if (a->field) dv_field_pull(a->field);
    return copy_tuples(a, a->reals->count / (size_t)a->width, a->reals->data, (size_t)a->width, a->width);
  case DV_FROM_BOX:
    return fill_box(a);
  case DV_FROM_TRIANGLES:
    return fill_triangles(a);
  case DV_FROM_BOUNDARY:
    return fill_boundary(a);
  case DV_FROM_EDGES:
    return fill_edges(a);
  case DV_FROM_PAIRS:
    return copy_indices(a, a->pairs->data, a->pairs->count);
  case DV_FROM_COLLISION:
    return fill_collision(a);
  case DV_FROM_SPRINGS:
    return fill_springs(a);
  case DV_FROM_MAPPING:
    return fill_mapping(a);
  case DV_FROM_INERTIA:
    return fill_inertia(a);
  case DV_FROM_CONTACTS:
    return fill_contacts(a);
  case DV_FROM_TREE:
    return fill_tree(a);
  case DV_FROM_CELLS:
    return fill_cells(a);
  case DV_FROM_CELL_FACES:
    return fill_cell_faces(a);
  case DV_FROM_ORNAMENT:
    return fill_ornament(a);
  case DV_FROM_BOX_EDGES:
    return copy_indices(a, box_edges, DV_COUNT(box_edges));
  }
  return false;
}

// one that is moved is compared as it was moved before
static bool fill_moved(dvDrawArray *a)
{
  size_t bytes = a->count * sizeof *a->data;
  uint32_t *before = dv_try_alloc(bytes + 1);
  if (before && bytes) memcpy(before, a->data, bytes);
  fill(a);
  dv_draw_moved(a);
  bool differs = !before || a->count * sizeof *a->data != bytes || (bytes && memcmp(before, a->data, bytes) != 0);
  dv_free(before);
  return differs;
}

// moves with the faces of a visual model: what makes a surface anew may leave the number of its points as it was
static uint64_t stamp_of(const dvDrawArray *a)
{
  if (a->source != DV_FROM_TRIANGLES) return 0;
  const dvVisualModel *v = (const dvVisualModel *)a->object;
  return (uint64_t)dv_field_of(a->object, &v->triangles)->counter + dv_field_of(a->object, &v->quads)->counter;
}

uint64_t dv_draw_refresh(dvDraw *d, unsigned groups)
{
  d->refreshes++;
  for (size_t i = 0; i < d->arrays.count; i++) {
    dvDrawArray *a = &d->arrays.data[i];
    const uint64_t stamp = stamp_of(a);
    if (!(a->groups & groups) || (a->changed && !a->dynamic && a->stamp == stamp)) continue;
    a->stamp = stamp;
    size_t before = a->count;
    bool first = a->changed == 0;
    if ((a->moved ? fill_moved(a) : fill(a)) || first || a->changed == 0) a->changed = d->refreshes;
    if (!first && !a->varies && a->count != before) d->again = true;
  }
  return d->refreshes;
}

// a box that is turned has a box around it
static void move_box(const dvDrawArray *a, double low[3], double high[3])
{
  double l[3], h[3];
  start_box(l, h);
  for (int c = 0; c < 8; c++) {
    double x[3];
    for (int k = 0; k < 3; k++) x[k] = c >> k & 1 ? high[k] : low[k];
    dv_draw_move_place(a, x);
    widen(l, h, x);
  }
  memcpy(low, l, sizeof l), memcpy(high, h, sizeof h);
}

// of an array of positions
static bool box_of_array(const dvDrawArray *a, double low[3], double high[3])
{
  if (!a->reals) return box_of(dv_state(a->object), low, high);
  start_box(low, high);
  for (size_t i = 0; i + 3 <= a->reals->count; i += 3) widen(low, high, a->reals->data + i);
  return a->reals->count >= 3;
}

bool dv_draw_box(const dvDraw *d, double low[3], double high[3])
{
  start_box(low, high);
  bool any = false;
  for (int pass = 0; pass < 2 && !any; pass++)   // visual models, else everything
    for (size_t i = 0; i < d->list.count; i++) {
      const dvDrawable *a = &d->list.data[i];
      if (a->group != (pass ? DV_DRAW_BEHAVIOR : DV_DRAW_VISUAL) || a->aside) continue;
      double l[3], h[3];
      if (!box_of_array(&d->arrays.data[a->positions], l, h) || !isfinite(l[0] + l[1] + l[2] + h[0] + h[1] + h[2]))
        continue;
      if (d->arrays.data[a->positions].moved) move_box(&d->arrays.data[a->positions], l, h);
      widen(low, high, l);
      widen(low, high, h);
      any = true;
    }
  return any;
}

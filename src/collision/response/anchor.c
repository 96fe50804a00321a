// Points of contacts on a model: a live state, and a live mapping that holds its points.
//
//   on a line, triangle, quad, tetrahedron  x = sum of w_i x_i, with the weights of the point in its element
//   on a capsule of two points              x = w_1 x_1 + w_2 x_2 + r, r the way to its surface
//   on a frame                              x = c + R p, p the point in the frame
//   on what stands still                    x = p
//
// Where the primitives are points of the state themselves there is nothing to map.
#include "collision/response/response.h"
#include "math/vec.h"
#include "mechanics/component.h"
#include "topology/search/surface.h"
#include "topology/topology.h"

#include <math.h>
#include <string.h>

static const dvClass points_class = {
    .struct_size = sizeof(dvClass),
    .name = "ContactPoints",
    .help = "points of contacts on a model",
    .dofs = DV_DOF_VEC3,
    .roles = DV_PLAYS(DV_ROLE_STATE),
    .size = sizeof(dvState),
    .blocks = {&dv_object_block},
    .destroy = (void (*)(dvObject *))dv_state_free,
};

enum { CORNERS = DV_HELD - 3 };

typedef struct Held {
  int count;   // points that hold it; 0: the frame point[0]
  int32_t point[CORNERS];
  double weight[CORNERS];
  dvVec3 local;   // in the frame; of points what is added, from the line inside a capsule to its surface
  dvVec3 arm;     // turned as the frame was when positions were mapped last
} Held;

typedef struct ContactMapping {
  dvObject base;
  dvState *in, *out;
  DV_ARRAY(Held) held;
} ContactMapping;

// --- mapping -------------------------------------------------------------------------------------

static dvVec3 place_of(Held *h, const double *x)
{
  dvVec3 p = h->local;
  for (int k = 0; k < h->count; k++) p = dv_vec3_add_scaled(p, dv_vec3_load(x + 3 * h->point[k]), h->weight[k]);
  if (h->count) return p;
  const double *frame = x + 7 * h->point[0];
  h->arm = dv_quat_rotate(dv_quat_load(frame + 3), h->local);
  return dv_vec3_add(dv_vec3_load(frame), h->arm);
}

static void contact_apply(dvObject *o, int out_x, int in_x)
{
  ContactMapping *m = (ContactMapping *)o;
  const double *x = dv_state_read(m->in, in_x);
  double *out = dv_state_overwrite(m->out, out_x);
  for (size_t i = 0; i < m->held.count; i++) dv_vec3_store(out + 3 * i, place_of(&m->held.data[i], x));
}

static void contact_apply_j(dvObject *o, int out_v, int in_v)
{
  ContactMapping *m = (ContactMapping *)o;
  const double *v = dv_state_read(m->in, in_v);
  double *out = dv_state_overwrite(m->out, out_v);
  for (size_t i = 0; i < m->held.count; i++) {
    const Held *h = &m->held.data[i];
    dvVec3 p = dv_vec3(0, 0, 0);
    for (int k = 0; k < h->count; k++) p = dv_vec3_add_scaled(p, dv_vec3_load(v + 3 * h->point[k]), h->weight[k]);
    if (h->count == 0) {
      const double *frame = v + 6 * h->point[0];
      p = dv_vec3_add(dv_vec3_load(frame), dv_vec3_cross(dv_vec3_load(frame + 3), h->arm));
    }
    dv_vec3_store(out + 3 * i, p);
  }
}

static void contact_apply_jt(dvObject *o, int in_f, int out_f)
{
  ContactMapping *m = (ContactMapping *)o;
  const double *f = dv_state_read(m->out, out_f);
  double *in = dv_state_write(m->in, in_f);
  for (size_t i = 0; i < m->held.count; i++) {
    const Held *h = &m->held.data[i];
    dvVec3 force = dv_vec3_load(f + 3 * i);
    for (int k = 0; k < h->count; k++) dv_vec3_accumulate(in + 3 * h->point[k], dv_vec3_scale(force, h->weight[k]));
    if (h->count == 0) {
      dv_vec3_accumulate(in + 6 * h->point[0], force);
      dv_vec3_accumulate(in + 6 * h->point[0] + 3, dv_vec3_cross(h->arm, force));
    }
  }
}

static void contact_row(dvObject *o, size_t out, dvMatrixSink *sink)
{
  const ContactMapping *m = (const ContactMapping *)o;
  const Held *h = &m->held.data[out];
  for (int k = 0; k < h->count; k++) {
    double w = h->weight[k];
    const double block[9] = {w, 0, 0, 0, w, 0, 0, 0, w};
    sink->add(sink, m->out, out, m->in, (size_t)h->point[k], 3, 3, block);
  }
  if (h->count) return;
  dvVec3 r = h->arm;   // v + w x r
  const double block[18] = {1, 0, 0, 0, r.z, -r.y, 0, 1, 0, -r.z, 0, r.x, 0, 0, 1, r.y, -r.x, 0};
  sink->add(sink, m->out, out, m->in, (size_t)h->point[0], 3, 6, block);
}

static void contact_build_j(dvObject *o, dvMatrixSink *sink)
{
  for (size_t i = 0; i < ((ContactMapping *)o)->held.count; i++) contact_row(o, i, sink);
}

static dvObject *contact_input(const dvObject *o, size_t index)
{
  return index ? NULL : &((const ContactMapping *)o)->in->base;
}
static dvObject *contact_output(const dvObject *o, size_t index)
{
  return index ? NULL : &((const ContactMapping *)o)->out->base;
}
static void contact_destroy(dvObject *o) { dv_array_free(&((ContactMapping *)o)->held); }

static const dvMappingOps contact_ops = {.apply = contact_apply,
                                         .apply_j = contact_apply_j,
                                         .apply_jt = contact_apply_jt,
                                         .build_j = contact_build_j,
                                         .row = contact_row,
                                         .input = contact_input,
                                         .output = contact_output};

static const dvClass mapping_class = {
    .struct_size = sizeof(dvClass),
    .name = "ContactMapping",
    .help = "holds points of contacts on a model",
    .size = sizeof(ContactMapping),
    .blocks = {&dv_object_block},
    .ops = {[DV_ROLE_MAPPING] = &contact_ops},
    .destroy = contact_destroy,
};

// --- where points lie ----------------------------------------------------------------------------

static dvVec3 at(const dvCollisionModel *m, int32_t point) { return dv_vec3_load(dv_collision_point(m, point)); }

static Held on_line(const dvCollisionModel *m, const int32_t *e, dvVec3 p)
{
  dvVec3 a = at(m, e[0]), ab = dv_vec3_sub(at(m, e[1]), a);
  double square = dv_vec3_norm2(ab), s = square > 0 ? dv_vec3_dot(dv_vec3_sub(p, a), ab) / square : 0;
  return (Held){.count = 2, .point = {e[0], e[1]}, .weight = {1 - s, s}};
}

// p = a + s (b - a) + t (c - a), projected to the plane; false when there is none
static bool in_plane(dvVec3 a, dvVec3 b, dvVec3 c, dvVec3 p, double *s, double *t)
{
  dvVec3 ab = dv_vec3_sub(b, a), ac = dv_vec3_sub(c, a), ap = dv_vec3_sub(p, a), n = dv_vec3_cross(ab, ac);
  double square = dv_vec3_norm2(n);
  *s = dv_vec3_dot(dv_vec3_cross(ap, ac), n) / square;
  *t = dv_vec3_dot(dv_vec3_cross(ab, ap), n) / square;
  return square > 0;
}

static Held on_triangle(const dvCollisionModel *m, const int32_t *e, dvVec3 p)
{
  double s, t;
  if (!in_plane(at(m, e[0]), at(m, e[1]), at(m, e[2]), p, &s, &t)) return on_line(m, e, p);
  return (Held){.count = 3, .point = {e[0], e[1], e[2]}, .weight = {1 - s - t, s, t}};
}

// bilinear, with the coordinates that its first corner and the two beside it give
static Held on_quad(const dvCollisionModel *m, const int32_t *e, dvVec3 p)
{
  double s, t;
  if (!in_plane(at(m, e[0]), at(m, e[1]), at(m, e[3]), p, &s, &t)) return on_line(m, e, p);
  return (Held){
      .count = 4, .point = {e[0], e[1], e[2], e[3]}, .weight = {(1 - s) * (1 - t), s * (1 - t), s * t, (1 - s) * t}};
}

static Held on_capsule(const dvCollisionModel *m, const int32_t *e, dvVec3 p)
{
  Held h = on_line(m, e, p);
  double s = h.weight[1] < 0 ? 0 : h.weight[1] > 1 ? 1 : h.weight[1];   // round at its ends
  h.weight[0] = 1 - s, h.weight[1] = s;
  dvVec3 a = at(m, e[0]), inside = dv_vec3_add_scaled(a, dv_vec3_sub(at(m, e[1]), a), s);
  h.local = dv_vec3_sub(p, inside);
  return h;
}

static Held in_tetrahedron(const dvCollisionModel *m, const int32_t *e, dvVec3 p)
{
  dvVec3 a = at(m, e[0]);
  dvMat3 inverse;
  if (!dv_mat3_inverse(
          dv_mat3_from_columns(dv_vec3_sub(at(m, e[1]), a), dv_vec3_sub(at(m, e[2]), a), dv_vec3_sub(at(m, e[3]), a)),
          &inverse))
    return on_triangle(m, e, p);
  dvVec3 w = dv_mat3_mul_vec(inverse, dv_vec3_sub(p, a));
  return (Held){.count = 4, .point = {e[0], e[1], e[2], e[3]}, .weight = {1 - w.x - w.y - w.z, w.x, w.y, w.z}};
}

static Held in_hexahedron(const dvCollisionModel *m, const int32_t *e, dvVec3 p)
{
  Held h = {.count = 8};
  for (int k = 0; k < 8; k++) h.point[k] = e[k];
  if (!dv_element_coordinates(DV_HEXAHEDRON, m->x, e, p, h.weight)) return on_quad(m, e, p);
  return h;
}

// weights are left as they are: nobody reads them
static void hold_on_frame(const dvCollisionModel *m, int32_t frame, dvVec3 p, Held *h)
{
  const double *x = dv_collision_point(m, frame);
  h->count = 0;
  h->point[0] = frame;
  h->local = dv_quat_inverse_rotate(dv_quat_load(x + 3), dv_vec3_sub(p, dv_vec3_load(x)));
}

// a field of distances without a frame
static bool stands(const dvCollisionModel *m)
{
  return m->shape == DV_SHAPE_DISTANCE && m->elements.width < 2 && m->state->base.dof->kind == DV_VEC3;
}

static Held hold(const dvCollisionModel *m, int32_t element, dvVec3 p)
{
  if (stands(m)) return (Held){.count = 1, .local = p};   // nothing of the state moves it
  const int32_t *e = m->elements.data + element * m->elements.width;
  if (m->elements.width == 2) return m->radii ? on_capsule(m, e, p) : on_line(m, e, p);
  if (m->elements.width == 8) return in_hexahedron(m, e, p);
  if (m->elements.width == 4) return in_tetrahedron(m, e, p);
  if ((size_t)element < m->from_quads) return on_triangle(m, e, p);
  return on_quad(m, dv_topology_elements(m->mesh, DV_QUAD)->data + 4 * (((size_t)element - m->from_quads) / 2), p);
}

bool dv_contact_anchor_place(dvContactAnchor *a, dvLiveGroup *live, dvCollisionModel *model, const int32_t *elements,
                             const double *points, size_t count)
{
  if (model->state->base.dof->kind == DV_VEC3 && model->elements.width < 2 && !stands(model)) {
    a->state = model->state;
    return true;
  }
  if (!a->mapping) {
    a->state = dv_state(dv_live_take(live, &points_class, dv_dof(DV_VEC3), model->base.node));
    a->mapping = dv_live_take(live, &mapping_class, NULL, model->base.node);
  }
  ContactMapping *m = (ContactMapping *)a->mapping;
  m->in = model->state, m->out = a->state;
  dv_array_resize(&m->held, count);
  if (!dv_state_resize(a->state, count)) return false;
  bool frames = model->state->base.dof->kind == DV_RIGID3 && !stands(model);
  for (size_t i = 0; i < count; i++) {
    dvVec3 p = dv_vec3_load(points + 3 * i);
    if (frames) hold_on_frame(model, elements[i], p, &m->held.data[i]);
    else m->held.data[i] = hold(model, elements[i], p);
  }
  return true;
}

// --- points that stay ----------------------------------------------------------------------------

void dv_contact_anchor_where(const dvContactAnchor *a, size_t i, double at[DV_HELD])
{
  memset(at, 0, DV_HELD * sizeof *at);
  if (!a->mapping) return;
  const Held *h = &((const ContactMapping *)a->mapping)->held.data[i];
  for (int k = 0; k < h->count; k++) at[k] = h->weight[k];
  dv_vec3_store(at + CORNERS, h->local);
}

dvVec3 dv_contact_anchor_stay(dvContactAnchor *a, size_t i, const double at[DV_HELD])
{
  ContactMapping *m = (ContactMapping *)a->mapping;
  Held *h = &m->held.data[i];
  double sum = 0;
  for (int k = 0; k < h->count; k++) sum += at[k];
  bool fits = h->count == 0 || fabs(sum - 1) < 1e-6;   // the element may have become flat, and have fewer points
  if (!fits) return place_of(h, dv_state_read(m->in, DV_X));
  for (int k = 0; k < h->count; k++) h->weight[k] = at[k];
  h->local = dv_vec3_load(at + CORNERS);
  return place_of(h, dv_state_read(m->in, DV_X));
}

void dv_contact_anchor_attach(const dvContactAnchor *a, dvLiveGroup *live)
{
  if (!a->mapping) return;
  dv_live_add(live, &a->state->base);
  dv_live_add(live, a->mapping);
}

void dv_contact_anchor_end(dvContactAnchor *a, dvLiveGroup *live)
{
  if (a->mapping) {
    dv_live_give(live, a->mapping);
    dv_live_give(live, &a->state->base);
  }
  *a = (dvContactAnchor){0};
}

// --- rows of constraints -----------------------------------------------------------------------

dvState *dv_contact_anchor_holder(const dvContactAnchor *a)
{
  return a->mapping ? ((const ContactMapping *)a->mapping)->in : a->state;
}

int32_t dv_contact_anchor_first(const dvContactAnchor *a, size_t i)
{
  return a->mapping ? ((const ContactMapping *)a->mapping)->held.data[i].point[0] : (int32_t)i;
}

void dv_contact_anchor_add_row(const dvContactAnchor *a, size_t i, int32_t row, const double axis[3], double factor,
                               dvSparseRows *out)
{
  if (!a->mapping) {
    dv_sparse_rows_add_many(out, row, 3 * (int32_t)i, axis, 3, factor);
    return;
  }
  const Held *h = &((const ContactMapping *)a->mapping)->held.data[i];
  for (int k = 0; k < h->count; k++) dv_sparse_rows_add_many(out, row, 3 * h->point[k], axis, 3, factor * h->weight[k]);
  if (h->count) return;
  double both[6] = {axis[0], axis[1], axis[2]};   // axis . (v + w x r) = axis . v + (r x axis) . w
  dv_vec3_store(both + 3, dv_vec3_cross(h->arm, dv_vec3_load(axis)));
  dv_sparse_rows_add_many(out, row, 6 * h->point[0], both, 6, factor);
}

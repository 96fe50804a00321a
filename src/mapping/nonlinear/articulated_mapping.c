// ArticulatedSystemMapping: frames of a skeleton from the coordinates of its articulations.
//
// From a parent frame (c_p, R_p) to its child, the centre being A = c_p + R_p a_p:
//
//   in turn     for each articulation, with the axis n turned by the child as it is: turn the child by theta about n
//   through
//               A, or shift child and A by theta n
//   on parent   R = R_p Q, A += R_p sum of theta n,   Q <- exp(sum of n dtheta) Q for coordinates that have changed by
//   dtheta on child    R = R_p Q, c = A - R a_c + R sum of theta n,   Q <- Q exp(sum of n dtheta)
//
//   w_child = w_parent + sum of n theta',   v_child = v_parent + w_parent x (c - c_p) + sum of (n x (c - A) or n)
//   theta'
//
// `input2` holds the frame that frame 0 follows. J^T goes from the leaves to the root; there is no geometric stiffness,
// as in SOFA. Unlike there, Q is kept relative to the parent, so that it turns with it.
#include "mapping/linear/linear.h"
#include "mapping/nonlinear/articulated.h"
#include "mapping/register.h"

#include <string.h>

#define ARTICULATED_FIELDS(X)                                                                         \
  X(links, input1, "", "", "coordinates of the articulations", .role = DV_ROLE_STATE)                 \
  X(links, input2, "", "", "frames, one of which carries frame 0", .role = DV_ROLE_STATE)             \
  X(link, container, "", "", "the skeleton; the first one in the node of input1 or below by default") \
  X(int, indexInput2, "0", "", "frame of input2 that carries frame 0; the last one when not given")

typedef struct Moving {   // an articulation in motion
  double now;             // coordinate at the last apply
  dvVec3 axis, at;        // in the world
} Moving;

typedef struct Articulated {
  dvMapping base;
  ARTICULATED_FIELDS(DV_MEMBER)
  dvState *root;
  size_t root_index, coordinates, frames;
  const dvSkeleton *skeleton;
  DV_ARRAY(int32_t) order;    // centres, parents first
  DV_ARRAY(int32_t) center;   // of each frame as child, -1 for none
  DV_ARRAY(Moving) moving;    // of each articulation
  DV_ARRAY(dvQuat) turn;      // Q of each centre, as of the last apply
  DV_ARRAY(dvQuat) from;      // Q and the coordinates of articulations at the beginning of the step: turns add up from
  DV_ARRAY(double) before;    // there
  DV_ARRAY(double) place;     // c of each frame, as of the last apply
} Articulated;

#define SELF Articulated
static const dvFieldDesc articulated_fields[] = {ARTICULATED_FIELDS(DV_DESCRIBE)};
static const dvMemoryDesc articulated_memory[] = {DV_REMEMBER(list, from) DV_REMEMBER(list, before)};
#undef SELF

// --- set-up --------------------------------------------------------------------------------------

static dvStatus articulated_link(dvObject *o)
{
  Articulated *m = (Articulated *)o;
  if (o->failed) return DV_OK;
  DV_TRY(dv_mapping_init_two(o, &m->input1, &m->input2, true));
  if (m->input1.count > 1 || m->input2.count > 1)
    return dv_error(o, "name one state each", "ArticulatedSystemMapping takes one input1 and at most one input2");
  m->root = m->base.input_count > 1 ? dv_mapping_in(&m->base, 1) : NULL;
  return DV_OK;
}

static dvStatus check_center(Articulated *m, size_t c)
{
  const dvArticulationCenter *center = &m->skeleton->centers.data[c];
  const dvObject *o = center->object ? center->object : &m->base.base;
  if (center->parent < 0 || (size_t)center->parent >= m->frames || center->child < 0 ||
      (size_t)center->child >= m->frames)
    return dv_error(o, NULL, "an articulation centre connects frames %d and %d, but %s has %zu (0 to %zd)",
                    center->parent, center->child, m->base.out->base.name, m->frames, (ptrdiff_t)m->frames - 1);
  if (center->parent == center->child)
    return dv_error(o, NULL, "an articulation centre connects frame %d with itself", center->child);
  if (m->center.data[center->child] >= 0)
    return dv_error(o, "a frame has one parent", "frame %d is the child of two articulation centres", center->child);
  for (size_t a = center->first; a < center->first + center->count; a++) {
    int32_t index = m->skeleton->articulations.data[a].index;
    if (index < 0 || (size_t)index >= m->coordinates)
      return dv_error(o, NULL, "an articulation has index %d, but %s has %zu coordinates (0 to %zd)", index,
                      m->base.in->base.name, m->coordinates, (ptrdiff_t)m->coordinates - 1);
  }
  m->center.data[center->child] = (int32_t)c;
  return DV_OK;
}

// parents before children; what is left over stands in a circle
static dvStatus sort_centers(Articulated *m)
{
  size_t n = m->skeleton->centers.count;
  unsigned char *done = dv_alloc(n + 1);
  m->order.count = 0;
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t c = 0; c < n; c++) {
      int32_t above = m->center.data[m->skeleton->centers.data[c].parent];
      if (done[c] || (above >= 0 && !done[above])) continue;
      done[c] = 1;
      changed = true;
      dv_push(&m->order, (int32_t)c);
    }
  }
  dv_free(done);
  return m->order.count == n ? DV_OK
                             : dv_error(&m->base.base, "every chain of frames starts at one that is nobody's child",
                                        "articulation centres connect frames in a circle");
}

// positions have been accepted: the next turns count from here
static void articulated_end_step(dvObject *o)
{
  Articulated *m = (Articulated *)o;
  for (size_t i = 0; i < m->moving.count; i++) m->before.data[i] = m->moving.data[i].now;
  for (size_t i = 0; i < m->turn.count; i++) m->from.data[i] = m->turn.data[i];
}

// controllers may have moved it before the step
static void articulated_handle_event(dvObject *o, const dvEvent *event)
{
  if (event->kind == DV_EVENT_INTEGRATE_BEGIN) articulated_end_step(o);
}

static dvStatus find_root(Articulated *m)
{
  dvObject *o = &m->base.base;
  if (!m->root) return DV_OK;
  if (m->root->count == 0) return dv_error(o, NULL, "the input %s has no frames", m->root->base.name);
  m->root_index = dv_was_set(o, &m->indexInput2) ? (size_t)m->indexInput2 : m->root->count - 1;
  if (m->root_index >= m->root->count)
    return dv_field_error(o, &m->indexInput2, NULL, "indexInput2 is %d, but there are %zu frames (0 to %zu)",
                          m->indexInput2, m->root->count, m->root->count - 1);
  return DV_OK;
}

static dvStatus articulated_init(dvObject *o)
{
  Articulated *m = (Articulated *)o;
  dvObject *container = m->container.target ? m->container.target : dv_skeleton_find(m->base.in->base.node);
  if (!container || container->cls != &dv_articulated_hierarchy_container_class)
    return dv_error(o, "add one to the node of input1, or give container=\"@path\"",
                    "ArticulatedSystemMapping needs an ArticulatedHierarchyContainer and finds none");
  DV_TRY(dv_object_ensure(container));
  m->skeleton = dv_skeleton_of(container);
  m->coordinates = m->base.in->count;
  m->frames = m->base.out->count;
  if (m->frames == 0) return dv_error(o, NULL, "the output %s has no frames", m->base.out->base.name);
  DV_TRY(find_root(m));
  m->center.count = m->moving.count = m->turn.count = 0;
  for (size_t i = 0; i < m->frames; i++) dv_push(&m->center, -1);
  for (size_t c = 0; c < m->skeleton->centers.count; c++) DV_TRY(check_center(m, c));
  if (m->root && m->center.data[0] >= 0)
    return dv_error(o, NULL, "frame 0 follows input2 and is the child of an articulation centre");
  DV_TRY(sort_centers(m));
  for (size_t i = 0; i < m->skeleton->articulations.count; i++) dv_push(&m->moving, (Moving){0});
  for (size_t i = 0; i < m->skeleton->centers.count; i++) dv_push(&m->turn, dv_quat_identity());
  dv_array_resize(&m->from, m->turn.count);
  dv_array_resize(&m->before, m->moving.count);
  articulated_end_step(o);
  dv_array_resize(&m->place, 3 * m->frames);
  dv_mapping_first_apply(o, dv_ops(o, DV_ROLE_MAPPING));
  return DV_OK;
}

static void articulated_destroy(dvObject *o)
{
  Articulated *m = (Articulated *)o;
  dv_array_free(&m->order);
  dv_array_free(&m->center);
  dv_array_free(&m->moving);
  dv_array_free(&m->turn);
  dv_array_free(&m->from);
  dv_array_free(&m->before);
  dv_array_free(&m->place);
}

static bool sizes_hold(const Articulated *m)
{
  return m->base.in->count == m->coordinates && m->base.out->count == m->frames &&
         m->skeleton->articulations.count == m->moving.count && (!m->root || m->root->count > m->root_index);
}

// --- positions -----------------------------------------------------------------------------------

typedef struct Pose {
  dvVec3 c;
  dvQuat q;
} Pose;

// one after the other; `at` is where the articulation centre stands
static Pose move_in_turn(Articulated *m, const dvArticulationCenter *center, dvQuat parent, dvVec3 at,
                         const double *theta)
{
  Pose p = {dv_vec3_sub(at, dv_quat_rotate(parent, center->on_child)), parent};
  for (size_t i = center->first; i < center->first + center->count; i++) {
    const dvArticulation *a = &m->skeleton->articulations.data[i];
    dvVec3 axis = dv_quat_rotate(p.q, a->axis);
    if (a->rotation) {
      dvQuat dq = dv_quat_from_axis(axis, theta[a->index]);
      p.c = dv_vec3_add(at, dv_quat_rotate(dq, dv_vec3_sub(p.c, at)));
      p.q = dv_quat_normalise(dv_quat_mul(dq, p.q));
    }
    if (a->translation) {
      p.c = dv_vec3_add_scaled(p.c, axis, theta[a->index]);
      at = dv_vec3_add_scaled(at, axis, theta[a->index]);
    }
    m->moving.data[i] = (Moving){theta[a->index], axis, at};
  }
  return p;
}

static Pose move_at_once(Articulated *m, size_t c, dvQuat parent, dvVec3 at, const double *theta)
{
  const dvArticulationCenter *center = &m->skeleton->centers.data[c];
  bool on_child = center->process == DV_ARTICULATION_ON_CHILD;
  dvVec3 shift = {0, 0, 0}, turn = {0, 0, 0};
  for (size_t i = center->first; i < center->first + center->count; i++) {
    const dvArticulation *a = &m->skeleton->articulations.data[i];
    if (a->rotation) turn = dv_vec3_add_scaled(turn, a->axis, theta[a->index] - m->before.data[i]);
    if (a->translation) shift = dv_vec3_add_scaled(shift, a->axis, theta[a->index]);
  }
  double angle = dv_vec3_norm(turn);
  m->turn.data[c] = m->from.data[c];
  if (angle > 0) {
    dvQuat dq = dv_quat_from_axis(dv_vec3_scale(turn, 1 / angle), angle);
    m->turn.data[c] = dv_quat_normalise(on_child ? dv_quat_mul(m->turn.data[c], dq) : dv_quat_mul(dq, m->turn.data[c]));
  }
  Pose p = {.q = dv_quat_normalise(dv_quat_mul(parent, m->turn.data[c]))};
  dvQuat holder = on_child ? p.q : parent;
  shift = dv_quat_rotate(holder, shift);
  if (!on_child) at = dv_vec3_add(at, shift);
  p.c = dv_vec3_sub(at, dv_quat_rotate(p.q, center->on_child));
  if (on_child) p.c = dv_vec3_add(p.c, shift);
  for (size_t i = center->first; i < center->first + center->count; i++) {
    const dvArticulation *a = &m->skeleton->articulations.data[i];
    m->moving.data[i] = (Moving){theta[a->index], dv_quat_rotate(holder, a->axis), at};
  }
  return p;
}

static void articulated_apply(dvObject *o, int out_x, int in_x)
{
  Articulated *m = (Articulated *)o;
  if (!dv_mapping_fits(&m->base, sizes_hold(m))) return;
  const double *theta = dv_state_read(m->base.in, in_x), *now = dv_state_read(m->base.out, DV_X);
  double *x = dv_state_write(m->base.out, out_x);
  for (size_t f = 0; f < m->frames; f++)   // frames that nobody drives stay
    if (m->center.data[f] < 0 && x != now) memmove(x + 7 * f, now + 7 * f, 7 * sizeof *x);
  if (m->root) memcpy(x, dv_state_read(m->root, in_x) + 7 * m->root_index, 7 * sizeof *x);
  for (size_t k = 0; k < m->order.count; k++) {
    size_t c = (size_t)m->order.data[k];
    const dvArticulationCenter *center = &m->skeleton->centers.data[c];
    const double *parent = x + 7 * (size_t)center->parent;
    dvQuat q = dv_quat_load(parent + 3);
    dvVec3 at = dv_vec3_add(dv_vec3_load(parent), dv_quat_rotate(q, center->on_parent));
    Pose p = center->process == DV_ARTICULATION_IN_TURN ? move_in_turn(m, center, q, at, theta)
                                                        : move_at_once(m, c, q, at, theta);
    dv_vec3_store(x + 7 * (size_t)center->child, p.c);
    dv_quat_store(x + 7 * (size_t)center->child + 3, p.q);
    if (center->object) dv_articulation_center_moved(center->object, at);
  }
  for (size_t f = 0; f < m->frames; f++) memcpy(m->place.data + 3 * f, x + 7 * f, 3 * sizeof *x);
  dv_mapping_touch(&m->base, out_x);
}

// --- velocities and forces -----------------------------------------------------------------------

// what a unit of an articulation's coordinate gives a frame at c: linear and angular velocity
static void unit_velocity(const Articulated *m, size_t i, dvVec3 c, dvVec3 *linear, dvVec3 *angular)
{
  const dvArticulation *a = &m->skeleton->articulations.data[i];
  const Moving *k = &m->moving.data[i];
  *angular = a->rotation ? k->axis : dv_vec3(0, 0, 0);
  *linear = dv_vec3_cross(*angular, dv_vec3_sub(c, k->at));
  if (a->translation) *linear = dv_vec3_add(*linear, k->axis);
}

static void articulated_apply_j(dvObject *o, int out_v, int in_v)
{
  Articulated *m = (Articulated *)o;
  if (!sizes_hold(m)) return;
  const double *rate = dv_state_read(m->base.in, in_v);
  double *v = dv_state_write(m->base.out, out_v);
  memset(v, 0, 6 * m->frames * sizeof *v);
  if (m->root) memcpy(v, dv_state_read(m->root, in_v) + 6 * m->root_index, 6 * sizeof *v);
  for (size_t k = 0; k < m->order.count; k++) {
    const dvArticulationCenter *center = &m->skeleton->centers.data[m->order.data[k]];
    const double *parent = v + 6 * (size_t)center->parent;
    dvVec3 c = dv_vec3_load(m->place.data + 3 * (size_t)center->child), w = dv_vec3_load(parent + 3);
    dvVec3 sum =
        dv_vec3_add(dv_vec3_load(parent),
                    dv_vec3_cross(w, dv_vec3_sub(c, dv_vec3_load(m->place.data + 3 * (size_t)center->parent))));
    for (size_t i = center->first; i < center->first + center->count; i++) {
      dvVec3 linear, angular;
      unit_velocity(m, i, c, &linear, &angular);
      sum = dv_vec3_add_scaled(sum, linear, rate[m->skeleton->articulations.data[i].index]);
      w = dv_vec3_add_scaled(w, angular, rate[m->skeleton->articulations.data[i].index]);
    }
    dv_vec3_store(v + 6 * (size_t)center->child, sum);
    dv_vec3_store(v + 6 * (size_t)center->child + 3, w);
  }
}

static void articulated_apply_jt(dvObject *o, int in_f, int out_f)
{
  Articulated *m = (Articulated *)o;
  if (!m->base.mapForces || !sizes_hold(m)) return;
  dvArena *scratch = dv_scratch(o->context->pool);
  dvMark mark = dv_arena_mark(scratch);
  double *f = dv_arena_take(scratch, 6 * m->frames * sizeof *f), *force = dv_state_write(m->base.in, in_f);
  memcpy(f, dv_state_read(m->base.out, out_f), 6 * m->frames * sizeof *f);
  for (size_t k = m->order.count; k > 0; k--) {
    const dvArticulationCenter *center = &m->skeleton->centers.data[m->order.data[k - 1]];
    double *parent = f + 6 * (size_t)center->parent;
    dvVec3 c = dv_vec3_load(m->place.data + 3 * (size_t)center->child),
           arm = dv_vec3_sub(c, dv_vec3_load(m->place.data + 3 * (size_t)center->parent));
    dvVec3 push = dv_vec3_load(f + 6 * (size_t)center->child), torque = dv_vec3_load(f + 6 * (size_t)center->child + 3);
    for (size_t i = center->first; i < center->first + center->count; i++) {
      dvVec3 linear, angular;
      unit_velocity(m, i, c, &linear, &angular);
      force[m->skeleton->articulations.data[i].index] += dv_vec3_dot(linear, push) + dv_vec3_dot(angular, torque);
    }
    dv_vec3_accumulate(parent, push);
    dv_vec3_accumulate(parent + 3, dv_vec3_add(torque, dv_vec3_cross(arm, push)));
  }
  double *root = m->root ? dv_state_write(m->root, in_f) + 6 * m->root_index : NULL;
  for (int k = 0; k < 6 && root; k++) root[k] += f[k];
  dv_arena_release(scratch, mark);
}

// the articulations between a frame and the start of its chain
static void articulated_row(dvObject *o, size_t frame, dvMatrixSink *sink)
{
  const Articulated *m = (const Articulated *)o;
  if (!sizes_hold(m)) return;
  dvVec3 c = dv_vec3_load(m->place.data + 3 * frame);
  size_t at = frame;
  for (; m->center.data[at] >= 0; at = (size_t)m->skeleton->centers.data[m->center.data[at]].parent) {
    const dvArticulationCenter *center = &m->skeleton->centers.data[m->center.data[at]];
    for (size_t i = center->first; i < center->first + center->count; i++) {
      dvVec3 linear, angular;
      double block[6];
      unit_velocity(m, i, c, &linear, &angular);
      dv_vec3_store(block, linear);
      dv_vec3_store(block + 3, angular);
      sink->add(sink, m->base.out, frame, m->base.in, (size_t)m->skeleton->articulations.data[i].index, 6, 1, block);
    }
  }
  if (!m->root || at != 0) return;
  double block[36] = {0};
  dvMat3 turn = dv_mat3_skew(dv_vec3_sub(dv_vec3_load(m->place.data), c));   // w x (c - c_0)
  for (int k = 0; k < 6; k++) block[7 * k] = 1;
  for (int k = 0; k < 9; k++) block[6 * (k / 3) + 3 + k % 3] = turn.m[k / 3][k % 3];
  sink->add(sink, m->base.out, frame, m->root, m->root_index, 6, 6, block);
}

// --- accelerations -------------------------------------------------------------------------------

// A body: angular velocity and acceleration, and the acceleration of its point r.
typedef struct Body {
  dvVec3 w, alpha, a, r;
} Body;

static void carry_to(Body *b, dvVec3 p)
{
  dvVec3 arm = dv_vec3_sub(p, b->r);
  b->a = dv_vec3_add(b->a, dv_vec3_add(dv_vec3_cross(b->alpha, arm), dv_vec3_cross(b->w, dv_vec3_cross(b->w, arm))));
  b->r = p;
}

static void turn_body(Body *b, const Moving *k, dvVec3 carrier, double rate)
{
  b->alpha = dv_vec3_add_scaled(b->alpha, dv_vec3_cross(carrier, k->axis), rate);
  b->w = dv_vec3_add_scaled(b->w, k->axis, rate);
}

static void slide_body(Body *b, const Moving *k, double rate)
{
  b->a = dv_vec3_add_scaled(b->a, dv_vec3_cross(b->w, k->axis), 2 * rate);
}

static Body child_body(const Articulated *m, const dvArticulationCenter *center, Body b, const double *rate)
{
  bool in_turn = center->process == DV_ARTICULATION_IN_TURN, on_child = center->process == DV_ARTICULATION_ON_CHILD;
  dvVec3 carrier = b.w;
  for (int pass = 0; pass < (in_turn ? 1 : 2); pass++)
    for (size_t i = center->first; i < center->first + center->count; i++) {
      const dvArticulation *a = &m->skeleton->articulations.data[i];
      const Moving *k = &m->moving.data[i];
      carry_to(&b, k->at);
      // at once: what slides with the parent comes first, what slides with the child last
      if (a->rotation && (in_turn || pass == !on_child)) turn_body(&b, k, in_turn ? b.w : carrier, rate[a->index]);
      if (a->translation && (in_turn || pass == on_child)) slide_body(&b, k, rate[a->index]);
    }
  carry_to(&b, dv_vec3_load(m->place.data + 3 * (size_t)center->child));
  return b;
}

static void articulated_add_jdot(dvObject *o, int out_a, int in_v)
{
  Articulated *m = (Articulated *)o;
  if (!sizes_hold(m)) return;
  const double *rate = dv_state_read(m->base.in, in_v);
  double *a = dv_state_write(m->base.out, out_a);
  dvArena *scratch = dv_scratch(o->context->pool);
  dvMark mark = dv_arena_mark(scratch);
  Body *bodies = dv_arena_take(scratch, m->frames * sizeof *bodies);
  memset(bodies, 0, m->frames * sizeof *bodies);
  for (size_t f = 0; f < m->frames; f++) bodies[f].r = dv_vec3_load(m->place.data + 3 * f);
  if (m->root) bodies[0].w = dv_vec3_load(dv_state_read(m->root, in_v) + 6 * m->root_index + 3);
  for (size_t k = 0; k < m->order.count; k++) {
    const dvArticulationCenter *center = &m->skeleton->centers.data[m->order.data[k]];
    Body b = child_body(m, center, bodies[center->parent], rate);
    bodies[center->child] = b;
    dv_vec3_accumulate(a + 6 * (size_t)center->child, b.a);
    dv_vec3_accumulate(a + 6 * (size_t)center->child + 3, b.alpha);
  }
  dv_arena_release(scratch, mark);
}

static const dvMappingOps articulated_ops = {
    .apply = articulated_apply,
    .apply_j = articulated_apply_j,
    .apply_jt = articulated_apply_jt,
    .build_j = dv_mapping_build_rows,
    .row = articulated_row,
    .add_jdot = articulated_add_jdot,
    DV_MAPPING_SLOTS,
};

static const dvDofPair pairs[] = {{DV_DOF_VEC1, DV_DOF_RIGID3, DV_DOF_RIGID3}, {0}};

const dvClass dv_articulated_system_mapping_class = {
    .struct_size = sizeof(dvClass),
    .name = "ArticulatedSystemMapping",
    .help = "the frames of a skeleton from the angles and lengths of its articulations",
    .module = "ArticulatedSystemPlugin",
    .dofs = DV_DOF_VEC1,
    .dofs_out = DV_DOF_RIGID3,
    .pairs = pairs,
    .size = sizeof(Articulated),
    .blocks = {&dv_object_block, &dv_mapping_block, DV_BLOCK(articulated_fields)},
    .ops = {[DV_ROLE_MAPPING] = &articulated_ops},
    .link = articulated_link,
    .init = articulated_init,
    .destroy = articulated_destroy,
    .handle_event = articulated_handle_event,
    DV_MEMORY(articulated_memory),
    .end_step = articulated_end_step,
};

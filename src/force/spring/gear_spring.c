// GearSpringForceField: two gears. Each is a frame (the wheel) that turns about one axis of its parent frame; the
// angles of the two, summed up over the steps, keep the ratio: with e = ratio angle1 + angle2 the torques are -k e
// about the first axis and -k e / ratio about the second. Springs hold the wheels at their parents and their axes
// parallel. A wheel that is its own parent is held where it was at the start.
//
// Products: d = dx_parent - dx_wheel, kt d and R diag(kr, 0 about the axis) R^T d on the wheel, and the coupling -k
// (ratio a1 a1^T, a1 a2^T; a2 a1^T, a2 a2^T / ratio) with the axes a of the parents; damping and the turning of axes
// are not differentiated, as in SOFA.
#include "force/spring/frame_text.h"
#include "io/record/record.h"
#include "mechanics/component.h"
#include "mechanics/pairs.h"

#include "math/vec.h"

#include <math.h>

#define GEAR_SPRING_FIELDS(X)                                                                                        \
  X(string, spring, "", "",                                                                                          \
    "gears: BEGIN_SPRING parent1 wheel1 parent2 wheel2 [AXIS a b] [KS_T held] [KS_R gear held] [KD damping] [RATIO " \
    "r] END_SPRING")                                                                                                 \
  X(file, filename, "", "", "file to write angles and torques to")                                                   \
  X(real, period, "0", "s", "time between outputs")                                                                  \
  X(bool, reinit, "0", "", "write each output over the one before")                                                  \
  X(real, showFactorSize, "1", "", "size of what is drawn", .flags = DV_LOOKS)

typedef struct Wheel {
  int32_t parent, frame, axis;
  double angle, last;            // turned since the start; as measured at the end of the last step
  double next_angle, measured;   // the same at the last evaluation
  dvVec3 place;                  // of the parent in the last force
  dvQuat turn;
} Wheel;

typedef struct Gear {
  Wheel wheels[2];
  double kt, gear, kr, kd, ratio;
  double torque;   // of the last evaluation
} Gear;

typedef struct GearSpring {
  dvPairForce pair;
  GEAR_SPRING_FIELDS(DV_MEMBER)
  DV_ARRAY(Gear) gears;
  dvRecord out;
  double last_output;
  double time;   // of the last evaluation
  bool waiting;
  dvInts frames[2];   // parents and wheels on either side: they follow the frames of the states
  dvPairs pairs;
} GearSpring;

#define SELF GearSpring
static const dvFieldDesc gear_spring_fields[] = {GEAR_SPRING_FIELDS(DV_DESCRIBE)};
static const dvMemoryDesc gear_spring_memory[] = {DV_REMEMBER(numbers, last_output)};
#undef SELF

extern const dvClass dv_gear_spring_class;

static dvState *state_of(const GearSpring *s, int side) { return side ? s->pair.second : s->pair.first; }

// rotation vector that takes unit vector u to v
static dvVec3 turn_between(dvVec3 u, dvVec3 v)
{
  dvVec3 w = dv_vec3_cross(u, v);
  double sine = dv_vec3_norm(w);
  return sine > 0 ? dv_vec3_scale(w, atan2(sine, dv_vec3_dot(u, v)) / sine) : w;
}

// angle of the wheel about an axis of the parent: the mean over the two other axes
static double angle_about(dvQuat parent, dvQuat wheel, int axis)
{
  dvMat3 p = dv_quat_to_matrix(parent), w = dv_quat_to_matrix(wheel);
  double sum = 0;
  for (int k = 1; k < 3; k++) {
    int other = (axis + k) % 3;
    dvVec3 turn = turn_between(dv_mat3_column(p, other), dv_mat3_column(w, other));
    sum += copysign(dv_vec3_norm(turn), dv_vec3_dot(turn, dv_mat3_column(p, axis)));
  }
  return sum / 2;
}

// --- reading -------------------------------------------------------------------------------------

static bool read_gear(void *user, dvFrameText *t)
{
  GearSpring *s = user;
  Gear g = {.kt = 10000, .gear = 10000, .kr = 10000, .kd = 10000, .ratio = 1};
  int32_t axes[2] = {0, 0};
  for (int i = 0; i < 2; i++)
    if (!dv_frame_text_indices(t, &g.wheels[i].parent, 1) || !dv_frame_text_indices(t, &g.wheels[i].frame, 1))
      return false;
  while (!dv_frame_text_end(t)) {
    bool good = true;
    if (dv_frame_text_word(t, "AXIS")) good = dv_frame_text_indices(t, axes, 2) && axes[0] < 3 && axes[1] < 3;
    else if (dv_frame_text_word(t, "KS_T")) good = dv_frame_text_coefficient(t, &g.kt);
    else if (dv_frame_text_word(t, "KS_R"))
      good = dv_frame_text_coefficient(t, &g.gear) && dv_frame_text_coefficient(t, &g.kr);
    else if (dv_frame_text_word(t, "KD")) good = dv_frame_text_coefficient(t, &g.kd);
    else if (dv_frame_text_word(t, "RATIO")) good = dv_frame_text_numbers(t, &g.ratio, 1) && g.ratio != 0;
    else good = false;
    if (!good) return false;
  }
  g.wheels[0].axis = axes[0];
  g.wheels[1].axis = axes[1];
  dv_push(&s->gears, g);
  return true;
}

static bool wheel_is_there(const Wheel *w, const dvState *s)
{
  return (size_t)w->parent < s->count && (size_t)w->frame < s->count;
}
static bool gear_is_there(const GearSpring *s, const Gear *g)
{
  return wheel_is_there(&g->wheels[0], s->pair.first) && wheel_is_there(&g->wheels[1], s->pair.second);
}

static dvStatus follow(GearSpring *s)
{
  dvObject *o = &s->pair.base;
  for (int k = 0; k < 2; k++) {
    s->frames[k].width = 2;
    if (!dv_ints_resize(&s->frames[k], 2 * s->gears.count))
      return dv_error(o, NULL, "out of memory for %zu gears", s->gears.count);
    for (size_t i = 0; i < s->gears.count; i++) {
      s->frames[k].data[2 * i] = s->gears.data[i].wheels[k].parent;
      s->frames[k].data[2 * i + 1] = s->gears.data[i].wheels[k].frame;
    }
  }
  dv_pairs_forget(&s->pairs);
  if (!s->pairs.ends[0]) dv_pairs_follow(&s->pairs, o, s->pair.first, s->pair.second, &s->frames[0], &s->frames[1]);
  return dv_element_list_add_array(dv_pairs_list(&s->pairs), &s->gears);
}

static dvStatus gear_spring_reinit(dvObject *o)
{
  GearSpring *s = (GearSpring *)o;
  s->gears.count = 0;
  DV_TRY(dv_frame_text_read(o, &s->spring, read_gear, s));
  for (size_t i = 0; i < s->gears.count; i++) {
    Gear *g = &s->gears.data[i];
    if (!gear_is_there(s, g)) {
      s->gears.count = 0;
      return dv_field_error(o, &s->spring, NULL, "gear %zu names a frame that does not exist: %s has %zu, %s %zu", i,
                            s->pair.first->base.name, s->pair.first->count, s->pair.second->base.name,
                            s->pair.second->count);
    }
    for (int k = 0; k < 2; k++) {
      Wheel *w = &g->wheels[k];
      const double *x = dv_state_read(state_of(s, k), DV_X);
      w->place = dv_vec3_load(x + 7 * (size_t)w->parent);
      w->turn = dv_quat_load(x + 7 * (size_t)w->parent + 3);
      w->angle = w->last = w->next_angle = w->measured =
          angle_about(w->turn, dv_quat_load(x + 7 * (size_t)w->frame + 3), w->axis);
    }
  }
  return follow(s);
}

static void gear_spring_topology_changed(dvObject *o)
{
  GearSpring *s = (GearSpring *)o;
  for (size_t i = 0; i < 2 * s->gears.count; i++) {
    Wheel *w = &s->gears.data[i / 2].wheels[i % 2];
    w->parent = s->frames[i % 2].data[i / 2 * 2];
    w->frame = s->frames[i % 2].data[i / 2 * 2 + 1];
  }
}

static dvStatus gear_spring_init(dvObject *o)
{
  GearSpring *s = (GearSpring *)o;
  DV_TRY(dv_pair_force_init(o));
  if (*s->filename && !dv_record_open(&s->out, s->filename))
    return dv_field_error(o, &s->filename, "give the name of a file in a directory that exists", "cannot write %s",
                          s->filename);
  s->waiting = !s->pair.first->base.initialised || !s->pair.second->base.initialised;
  return s->waiting ? DV_OK : gear_spring_reinit(o);
}

static void gear_spring_store_reset(dvObject *o)
{
  GearSpring *s = (GearSpring *)o;
  if (s->waiting) gear_spring_reinit(o);
  s->waiting = false;
}

// --- forces --------------------------------------------------------------------------------------

// holds a wheel at its parent and follows its angle; the axis of the wheel in the world
static dvVec3 wheel_force(GearSpring *s, const Gear *g, Wheel *w, int side, const dvMech *m)
{
  dvState *state = state_of(s, side);
  const double *x = dv_state_read(state, m->x), *v = dv_state_read(state, m->v);
  double *f = dv_state_write(state, m->f), pi = acos(-1.0);
  size_t p = (size_t)w->parent, c = (size_t)w->frame;
  bool own = p == c;
  dvVec3 speed = dv_vec3_neg(dv_vec3_load(v + 6 * c)), spin = dv_vec3_neg(dv_vec3_load(v + 6 * c + 3));
  if (!own) {
    w->place = dv_vec3_load(x + 7 * p);
    w->turn = dv_quat_load(x + 7 * p + 3);
    speed = dv_vec3_add(speed, dv_vec3_load(v + 6 * p));
    spin = dv_vec3_add(spin, dv_vec3_load(v + 6 * p + 3));
  }
  dvQuat q = dv_quat_load(x + 7 * c + 3);
  dvVec3 axis = dv_mat3_column(dv_quat_to_matrix(q), w->axis),
         parent_axis = dv_mat3_column(dv_quat_to_matrix(w->turn), w->axis);
  dvVec3 force = dv_vec3_add_scaled(dv_vec3_scale(dv_vec3_sub(w->place, dv_vec3_load(x + 7 * c)), g->kt), speed, g->kd);
  dvVec3 torque = dv_vec3_add_scaled(dv_vec3_scale(turn_between(axis, parent_axis), g->kr), spin, g->kd);
  dv_vec3_accumulate(f + 6 * c, force);
  dv_vec3_accumulate(f + 6 * c + 3, torque);
  if (!own) dv_vec3_accumulate(f + 6 * p, dv_vec3_neg(force));
  if (!own) dv_vec3_accumulate(f + 6 * p + 3, dv_vec3_neg(torque));
  double now = angle_about(w->turn, q, w->axis);
  now -= 2 * pi * round((now - w->last) / (2 * pi));   // the turn nearest to the last one
  w->next_angle = w->angle + (now - w->last);
  w->measured = now;
  return axis;
}

static void gear_force(GearSpring *s, Gear *g, const dvMech *m)
{
  dvVec3 axis[2];
  for (int k = 0; k < 2; k++) axis[k] = wheel_force(s, g, &g->wheels[k], k, m);
  double f = -g->gear * (g->ratio * g->wheels[0].next_angle + g->wheels[1].next_angle);
  dv_vec3_accumulate(dv_state_write(s->pair.first, m->f) + 6 * (size_t)g->wheels[0].frame + 3,
                     dv_vec3_scale(axis[0], f));
  dv_vec3_accumulate(dv_state_write(s->pair.second, m->f) + 6 * (size_t)g->wheels[1].frame + 3,
                     dv_vec3_scale(axis[1], f / g->ratio));
  g->torque = f;
}

static void gear_output(GearSpring *s, const Gear *g)
{
  if (!dv_record_is_open(&s->out) || s->time < s->last_output + s->period) return;
  if (s->reinit) dv_record_rewind(&s->out);
  s->last_output += s->period;
  char *text = dv_format("T= %.12g\n  Angles= %.12g , %.12g\n  F= %.12g\n%s", s->time, g->wheels[0].angle,
                         g->wheels[1].angle, g->torque, s->reinit ? "\n\n\n\n\n" : "");
  dv_record_add(&s->out, s->pair.base.node->scene, text, strlen(text));
  dv_free(text);
}

static void gear_spring_end_step(dvObject *o)
{
  GearSpring *s = (GearSpring *)o;
  for (size_t i = 0; i < s->gears.count; i++) {
    Gear *g = &s->gears.data[i];
    for (int k = 0; k < 2; k++) g->wheels[k].angle = g->wheels[k].next_angle, g->wheels[k].last = g->wheels[k].measured;
    if (gear_is_there(s, g)) gear_output(s, g);
  }
}

static void gear_spring_remember(dvObject *o, dvMemoryStream *stream)
{
  GearSpring *s = (GearSpring *)o;
  for (size_t i = 0; i < s->gears.count; i++)
    for (int k = 0; k < 2; k++) {
      Wheel *w = &s->gears.data[i].wheels[k];
      dv_remember_numbers(stream, "angle", &w->angle, sizeof w->angle);
      dv_remember_numbers(stream, "last angle", &w->last, sizeof w->last);
      if (dv_memory_restores(stream)) w->next_angle = w->angle, w->measured = w->last;
    }
  dv_record_remember(&s->out, stream);
}

static void gear_spring_add_force(dvObject *o, const dvMech *m)
{
  GearSpring *s = (GearSpring *)o;
  s->time = o->node->time;
  for (size_t i = 0; i < s->gears.count; i++)
    if (gear_is_there(s, &s->gears.data[i])) gear_force(s, &s->gears.data[i], m);
}

// stiffness that holds a wheel, and its axis, in the world
static dvVec3 wheel_stiffness(const Gear *g, const Wheel *w, dvMat3 *kr)
{
  dvMat3 r = dv_quat_to_matrix(w->turn);
  dvVec3 a = dv_mat3_column(r, w->axis);
  *kr = dv_mat3_scale(dv_mat3_sub(dv_mat3_identity(), dv_mat3_outer(a, a)), g->kr);
  return a;
}

static void gear_spring_add_dforce(dvObject *o, const dvMech *m)
{
  GearSpring *s = (GearSpring *)o;
  double factor = dv_mech_k(m, s->pair.rayleighStiffness);
  for (size_t i = 0; i < s->gears.count; i++) {
    const Gear *g = &s->gears.data[i];
    dvVec3 axis[2];
    double turned[2];
    if (!gear_is_there(s, g)) continue;
    for (int k = 0; k < 2; k++) {
      const Wheel *w = &g->wheels[k];
      size_t p = (size_t)w->parent, c = (size_t)w->frame;
      const double *dx = dv_state_read(state_of(s, k), m->dx);
      double *df = dv_state_write(state_of(s, k), m->df);
      dvMat3 kr;
      axis[k] = wheel_stiffness(g, w, &kr);
      turned[k] = dv_vec3_dot(axis[k], dv_vec3_load(dx + 6 * c + 3));
      dvVec3 t = dv_vec3_neg(dv_vec3_load(dx + 6 * c)), r = dv_vec3_neg(dv_vec3_load(dx + 6 * c + 3));
      if (p != c) t = dv_vec3_add(t, dv_vec3_load(dx + 6 * p));
      if (p != c) r = dv_vec3_add(r, dv_vec3_load(dx + 6 * p + 3));
      t = dv_vec3_scale(t, factor * g->kt);
      r = dv_vec3_scale(dv_mat3_mul_vec(kr, r), factor);
      dv_vec3_accumulate(df + 6 * c, t);
      dv_vec3_accumulate(df + 6 * c + 3, r);
      if (p != c) dv_vec3_accumulate(df + 6 * p, dv_vec3_neg(t));
      if (p != c) dv_vec3_accumulate(df + 6 * p + 3, dv_vec3_neg(r));
    }
    double e = -factor * g->gear * (g->ratio * turned[0] + turned[1]);
    dv_vec3_accumulate(dv_state_write(s->pair.first, m->df) + 6 * (size_t)g->wheels[0].frame + 3,
                       dv_vec3_scale(axis[0], e));
    dv_vec3_accumulate(dv_state_write(s->pair.second, m->df) + 6 * (size_t)g->wheels[1].frame + 3,
                       dv_vec3_scale(axis[1], e / g->ratio));
  }
}

static void put_blocks(dvMatrixSink *sink, const dvState *rows, size_t row, const dvState *cols, size_t col, dvMat3 t,
                       dvMat3 r)
{
  double block[36] = {0};
  for (int e = 0; e < 9; e++) {
    block[e / 3 * 6 + e % 3] = t.m[e / 3][e % 3];
    block[(3 + e / 3) * 6 + 3 + e % 3] = r.m[e / 3][e % 3];
  }
  sink->add(sink, rows, row, cols, col, 6, 6, block);
}

static void gear_spring_add_stiffness(dvObject *o, const dvMech *m, dvMatrixSink *sink)
{
  GearSpring *s = (GearSpring *)o;
  double factor = dv_mech_k(m, s->pair.rayleighStiffness);
  for (size_t i = 0; i < s->gears.count; i++) {
    const Gear *g = &s->gears.data[i];
    dvVec3 axis[2];
    if (!gear_is_there(s, g)) continue;
    for (int k = 0; k < 2; k++) {
      const dvState *state = state_of(s, k);
      size_t p = (size_t)g->wheels[k].parent, c = (size_t)g->wheels[k].frame;
      dvMat3 kr, t = dv_mat3_scale(dv_mat3_identity(), factor * g->kt);
      axis[k] = wheel_stiffness(g, &g->wheels[k], &kr);
      kr = dv_mat3_scale(kr, factor);
      dvMat3 minus_t = dv_mat3_scale(t, -1), minus_r = dv_mat3_scale(kr, -1);
      put_blocks(sink, state, c, state, c, minus_t, minus_r);
      if (p == c) continue;
      put_blocks(sink, state, p, state, p, minus_t, minus_r);
      put_blocks(sink, state, c, state, p, t, kr);
      put_blocks(sink, state, p, state, c, t, kr);
    }
    const double share[2][2] = {{g->ratio, 1}, {1, 1 / g->ratio}};
    for (int r = 0; r < 2; r++)
      for (int c = 0; c < 2; c++)
        put_blocks(sink, state_of(s, r), (size_t)g->wheels[r].frame, state_of(s, c), (size_t)g->wheels[c].frame,
                   (dvMat3){0}, dv_mat3_scale(dv_mat3_outer(axis[r], axis[c]), -factor * g->gear * share[r][c]));
  }
}

static void gear_spring_destroy(dvObject *o)
{
  GearSpring *s = (GearSpring *)o;
  dv_array_free(&s->gears);
  dv_ints_free(&s->frames[0]);
  dv_ints_free(&s->frames[1]);
  dv_record_close(&s->out);
}

static const dvForceOps gear_spring_ops = {
    .add_force = gear_spring_add_force,
    .add_dforce = gear_spring_add_dforce,
    .add_stiffness = gear_spring_add_stiffness,
    DV_PAIR_FORCE_SLOTS,
};

const dvClass dv_gear_spring_class = {
    .struct_size = sizeof(dvClass),
    .name = "GearSpringForceField",
    .help = "gears: two frames whose angles keep a ratio",
    .module = "Sofa.Component.SolidMechanics.Spring",
    .dofs = DV_DOF_RIGID3,
    .size = sizeof(GearSpring),
    .blocks = {&dv_object_block, &dv_pair_force_block, DV_BLOCK(gear_spring_fields)},
    .ops = {[DV_ROLE_FORCE] = &gear_spring_ops},
    .init = gear_spring_init,
    .reinit = gear_spring_reinit,
    .store_reset = gear_spring_store_reset,
    .destroy = gear_spring_destroy,
    DV_MEMORY(gear_spring_memory),
    .remember = gear_spring_remember,
    .end_step = gear_spring_end_step,
    .topology_changed = gear_spring_topology_changed,
};

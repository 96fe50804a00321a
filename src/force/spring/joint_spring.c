// Springs between frames.
//
// JointSpringForceField: a joint that holds the second frame in the axes of the first, stiff along the axes that are
// not free and soft along the others; beyond the limits of a free rotation a third stiffness acts.
// FrameSpringForceField: a spring between an arm of each frame and one that turns the frames parallel.
//
// Products use K = diag(R kt R^T, R kr R^T) on the difference of the frames' motions, R the axes of the first frame;
// neither damping nor the turning of the axes is differentiated, as in SOFA. (SOFA leaves the factors of the integrator
// out of FrameSpringForceField's products; here they are in.) Springs are written as BEGIN_SPRING 0 1 KEYWORD numbers …
// END_SPRING.
#include "force/spring/frame_text.h"
#include "io/record/record.h"
#include "mechanics/component.h"
#include "mechanics/pairs.h"

#include "math/vec.h"
#include "object/compat.h"

#include <math.h>

extern const dvClass dv_joint_spring_class, dv_frame_spring_class;

// What both have: the pair of frames, and what products need.
typedef struct Link {
  int32_t a, b;
  double kd;
  dvMat3 kt, kr;   // in world axes, of the last add_force
} Link;

// for pictures
static void link_pair(const Link *l, size_t i, dvInts *out) { out->data[2 * i] = l->a, out->data[2 * i + 1] = l->b; }

static void link_add_dforce(const Link *l, const dvPairForce *p, const dvMech *m)
{
  double factor = dv_mech_k(m, p->rayleighStiffness);
  const double *dx1 = dv_state_read(p->first, m->dx) + 6 * (size_t)l->a,
               *dx2 = dv_state_read(p->second, m->dx) + 6 * (size_t)l->b;
  double *df1 = dv_state_write(p->first, m->df) + 6 * (size_t)l->a,
         *df2 = dv_state_write(p->second, m->df) + 6 * (size_t)l->b;
  dvVec3 t = dv_mat3_mul_vec(l->kt, dv_vec3_sub(dv_vec3_load(dx2), dv_vec3_load(dx1)));
  dvVec3 r = dv_mat3_mul_vec(l->kr, dv_vec3_sub(dv_vec3_load(dx2 + 3), dv_vec3_load(dx1 + 3)));
  dv_vec3_accumulate(df1, dv_vec3_scale(t, factor));
  dv_vec3_accumulate(df1 + 3, dv_vec3_scale(r, factor));
  dv_vec3_accumulate(df2, dv_vec3_scale(t, -factor));
  dv_vec3_accumulate(df2 + 3, dv_vec3_scale(r, -factor));
}

static void link_add_stiffness(const Link *l, const dvPairForce *p, const dvMech *m, dvMatrixSink *sink)
{
  double factor = dv_mech_k(m, p->rayleighStiffness), plus[36] = {0}, minus[36] = {0};
  for (int e = 0; e < 9; e++) {
    plus[e / 3 * 6 + e % 3] = factor * l->kt.m[e / 3][e % 3];
    plus[(3 + e / 3) * 6 + 3 + e % 3] = factor * l->kr.m[e / 3][e % 3];
  }
  for (int e = 0; e < 36; e++) minus[e] = -plus[e];
  sink->add(sink, p->first, (size_t)l->a, p->first, (size_t)l->a, 6, 6, minus);
  sink->add(sink, p->first, (size_t)l->a, p->second, (size_t)l->b, 6, 6, plus);
  sink->add(sink, p->second, (size_t)l->b, p->first, (size_t)l->a, 6, 6, plus);
  sink->add(sink, p->second, (size_t)l->b, p->second, (size_t)l->b, 6, 6, minus);
}

static bool link_is_there(const Link *l, const dvPairForce *p)
{
  return (size_t)l->a < p->first->count && (size_t)l->b < p->second->count;
}

static dvStatus link_check(const Link *l, const dvPairForce *p, size_t i)
{
  if (l->a >= 0 && l->b >= 0 && link_is_there(l, p)) return DV_OK;
  return dv_error(&p->base, NULL, "spring %zu joins frames %d and %d, but %s has %zu and %s %zu", i, l->a, l->b,
                  p->first->base.name, p->first->count, p->second->base.name, p->second->count);
}

// R diag(k) R^T
static dvMat3 turned(dvMat3 r, const double k[3])
{
  return dv_mat3_mul_t(dv_mat3_mul(r, dv_mat3_diagonal(dv_vec3_load(k))), r);
}

static void push_pair(const dvPairForce *p, const dvMech *m, const Link *l, dvVec3 force, dvVec3 torque1,
                      dvVec3 torque2)
{
  double *f1 = dv_state_write(p->first, m->f) + 6 * (size_t)l->a,
         *f2 = dv_state_write(p->second, m->f) + 6 * (size_t)l->b;
  dv_vec3_accumulate(f1, force);
  dv_vec3_accumulate(f1 + 3, torque1);
  dv_vec3_accumulate(f2, dv_vec3_neg(force));
  dv_vec3_accumulate(f2 + 3, dv_vec3_neg(torque2));
}

// --- JointSpringForceField -----------------------------------------------------------------------

#define JOINT_SPRING_FIELDS(X)                                                                                        \
  X(string, spring, "", "",                                                                                           \
    "joints: BEGIN_SPRING a b [FREE_AXIS x y z rx ry rz] [KS_T soft hard] [KS_R soft hard] [KS_B beyond limits] [KD " \
    "damping] "                                                                                                       \
    "[R_LIM_X min max] [R_LIM_Y min max] [R_LIM_Z min max] [REST_T x y z] [REST_R q] END_SPRING")                     \
  X(file, outfile, "", "", "file to write positions and forces of the joints to")                                     \
  X(file, infile, "", "",                                                                                             \
    "file with forces to add: six numbers for each joint and each force in turn, and from the start again")           \
  X(real, period, "0", "s", "time between outputs")                                                                   \
  X(bool, reinit, "0", "", "write each output over the one before")                                                   \
  X(bool, showLawfulTorsion, "0", "", "draw the allowed part of the rotations", .flags = DV_LOOKS)                    \
  X(bool, showExtraTorsion, "0", "", "draw the other part of the rotations", .flags = DV_LOOKS)                       \
  X(real, showFactorSize, "1", "", "size of what is drawn", .flags = DV_LOOKS)

typedef struct Joint {
  Link link;
  double soft_t, hard_t, soft_r, hard_r, block_r;
  double limits[6];   // least and largest angle about x, y, z
  double free[6];     // along x, y, z, then about x, y, z
  dvVec3 rest_t;
  dvQuat rest_r;
  bool rest_from_start;
  double place[7], speed[6], force[6];   // of the last evaluation
} Joint;

typedef struct JointSpring {
  dvPairForce pair;
  JOINT_SPRING_FIELDS(DV_MEMBER)
  DV_ARRAY(Joint) joints;
  DV_ARRAY(double) pushes;   // of infile, six numbers each
  size_t next_push;          // of the first joint in this step
  dvRecord out;
  double last_output;
  double time;   // of the last evaluation
  bool waiting;
  dvPairs pairs;
} JointSpring;

#define SELF JointSpring
static const dvFieldDesc joint_spring_fields[] = {JOINT_SPRING_FIELDS(DV_DESCRIBE)};
static const dvMemoryDesc joint_spring_memory[] = {DV_REMEMBER(numbers, next_push) DV_REMEMBER(numbers, last_output)};
#undef SELF

static bool read_joint(void *user, dvFrameText *t)
{
  JointSpring *s = user;
  Joint j = {.hard_t = 10000,
             .hard_r = 10000,
             .limits = {-1e5, 1e5, -1e5, 1e5, -1e5, 1e5},
             .free = {0, 0, 0, 1, 1, 1},
             .rest_r = {0, 0, 0, 1}};
  double v[4];
  if (!dv_frame_text_indices(t, &j.link.a, 1) || !dv_frame_text_indices(t, &j.link.b, 1)) return false;
  while (!dv_frame_text_end(t)) {
    bool good = true;
    if (dv_frame_text_word(t, "FREE_AXIS")) good = dv_frame_text_numbers(t, j.free, 6);
    else if (dv_frame_text_word(t, "KS_T"))
      good = dv_frame_text_coefficient(t, &j.soft_t) && dv_frame_text_coefficient(t, &j.hard_t);
    else if (dv_frame_text_word(t, "KS_R"))
      good = dv_frame_text_coefficient(t, &j.soft_r) && dv_frame_text_coefficient(t, &j.hard_r);
    else if (dv_frame_text_word(t, "KS_B")) good = dv_frame_text_coefficient(t, &j.block_r);
    else if (dv_frame_text_word(t, "KD")) good = dv_frame_text_coefficient(t, &j.link.kd);
    else if (dv_frame_text_word(t, "R_LIM_X")) good = dv_frame_text_numbers(t, j.limits, 2);
    else if (dv_frame_text_word(t, "R_LIM_Y")) good = dv_frame_text_numbers(t, j.limits + 2, 2);
    else if (dv_frame_text_word(t, "R_LIM_Z")) good = dv_frame_text_numbers(t, j.limits + 4, 2);
    else if (dv_frame_text_word(t, "REST_T")) {
      good = j.rest_from_start = dv_frame_text_numbers(t, v, 3);
      if (good) j.rest_t = dv_vec3_load(v);
    } else if (dv_frame_text_word(t, "REST_R")) {
      good = dv_frame_text_numbers(t, v, 4);
      if (good) j.rest_r = dv_quat_load(v);
    } else good = false;
    if (!good) return false;
  }
  if (j.block_r == 0) j.block_r = j.hard_r / 100;
  for (int i = 0; i < 3; i++)
    if (j.limits[2 * i] == j.limits[2 * i + 1]) j.free[3 + i] = 0;
  dv_push(&s->joints, j);
  return true;
}

// In SOFA joints with REST_T rest where they start, whatever the text says.
static dvStatus joint_spring_settle(JointSpring *s)
{
  for (size_t i = 0; i < s->joints.count; i++) {
    Joint *j = &s->joints.data[i];
    dvStatus status = link_check(&j->link, &s->pair, i);
    if (status != DV_OK) {
      s->joints.count = 0;
      return status;
    }
    const double *x1 = dv_state_read(s->pair.first, DV_X) + 7 * (size_t)j->link.a,
                 *x2 = dv_state_read(s->pair.second, DV_X) + 7 * (size_t)j->link.b;
    if (!j->rest_from_start || !dv_compat(&s->pair.base, DV_COMPAT_JOINT_REST)) continue;
    j->rest_t = dv_vec3_sub(dv_vec3_load(x2), dv_vec3_load(x1));
    j->rest_r = dv_quat_mul(dv_quat_load(x2 + 3), dv_quat_inverse(dv_quat_load(x1 + 3)));
  }
  DV_PAIRS_FOLLOW(&s->pairs, &s->pair.base, s->pair.first, s->pair.second, &s->joints, link.a, link.b);
  return DV_OK;
}

static void joint_spring_topology_changed(dvObject *o)
{
  JointSpring *s = (JointSpring *)o;
  DV_PAIRS_GIVE(&s->pairs, &s->joints, link.a, link.b);
}

static dvStatus joint_spring_reinit(dvObject *o)
{
  JointSpring *s = (JointSpring *)o;
  s->joints.count = 0;
  DV_TRY(dv_frame_text_read(o, &s->spring, read_joint, s));
  return joint_spring_settle(s);
}

static dvStatus joint_spring_init(dvObject *o)
{
  JointSpring *s = (JointSpring *)o;
  DV_TRY(dv_pair_force_init(o));
  if (*s->infile) {
    dvReals list = {.width = 1};
    dvStatus status = dv_frame_text_file(o, &s->infile, &list);
    for (size_t i = 0; i < list.count - list.count % 6; i++) dv_push(&s->pushes, list.data[i]);
    dv_reals_free(&list);
    DV_TRY(status);
  }
  if (*s->outfile && !dv_record_open(&s->out, s->outfile))
    return dv_field_error(o, &s->outfile, "give the name of a file in a directory that exists", "cannot write %s",
                          s->outfile);
  s->waiting = !s->pair.first->base.initialised || !s->pair.second->base.initialised;
  return s->waiting ? DV_OK : joint_spring_reinit(o);
}

static void joint_spring_store_reset(dvObject *o)
{
  JointSpring *s = (JointSpring *)o;
  if (s->waiting) joint_spring_reinit(o);
  s->waiting = false;
}

// the nearest allowed angle to one that lies outside the limits
static double allowed_angle(double angle, double low, double high)
{
  double full = 2 * acos(-1.0);
  double above = angle > 0 ? angle - high : angle - high + full, below = angle > 0 ? low + full - angle : low - angle;
  return above < below ? high : low;
}

// Only rotation `axis` is free and within its limits: the other two turn the axis back as a whole.
static int pivot_axis(const Joint *j, const double *torsion)
{
  for (int a = 0; a < 3; a++)
    if (j->free[3 + a] != 0 && j->free[3 + (a + 1) % 3] == 0 && j->free[3 + (a + 2) % 3] == 0 &&
        torsion[a] > j->limits[2 * a] && torsion[a] < j->limits[2 * a + 1])
      return a;
  return -1;
}

static void pivot_torque(int a, dvMat3 r, const double *torsion, const double *k, double *out)
{
  int b = (a + 1) % 3, c = (a + 2) % 3;
  double tilt = atan2(sqrt(r.m[b][a] * r.m[b][a] + r.m[c][a] * r.m[c][a]), r.m[a][a]);
  out[a] = torsion[a] * k[a];
  out[b] = -r.m[c][a] * tilt * k[b];
  out[c] = r.m[b][a] * tilt * k[c];
}

static void limited_torque(const Joint *j, const double *torsion, double *k, double *out)
{
  double lawful[3], extra[3], size = 0, pi = acos(-1.0);
  for (int a = 0; a < 3; a++) {
    bool inside = torsion[a] > j->limits[2 * a] && torsion[a] < j->limits[2 * a + 1];
    lawful[a] = j->free[3 + a] == 0 ? 0
                : inside            ? torsion[a]
                                    : allowed_angle(torsion[a], j->limits[2 * a], j->limits[2 * a + 1]);
    extra[a] = torsion[a] - lawful[a];
    size += extra[a] * extra[a];
  }
  size = sqrt(size);
  double wrapped = size > pi ? size - 2 * pi * ceil((size - pi) / (2 * pi)) : size;
  for (int a = 0; a < 3; a++) {
    bool outside = j->free[3 + a] != 0 && torsion[a] != lawful[a];
    if (outside) k[a] = j->block_r;
    out[a] = k[a] * (outside ? extra[a] * wrapped / size : torsion[a]);
  }
}

// torque in the first frame's axes, and the stiffness that goes with it
static void joint_torque(const Joint *j, dvQuat turn, double *k, double *out)
{
  double torsion[3];
  dv_vec3_store(torsion, dv_quat_to_rotation_vector(turn));
  for (int a = 0; a < 3; a++) k[a] = j->free[3 + a] == 0 ? j->hard_r : j->soft_r;
  int pivot = pivot_axis(j, torsion);
  if (j->free[3] == 0 && j->free[4] == 0 && j->free[5] == 0)
    for (int a = 0; a < 3; a++) out[a] = torsion[a] * k[a];
  else if (pivot >= 0) pivot_torque(pivot, dv_quat_to_matrix(turn), torsion, k, out);
  else limited_torque(j, torsion, k, out);
}

static void add_vector(dvText *t, const char *name, const double *v, int n)
{
  dv_text_printf(t, "  %s=", name);
  for (int i = 0; i < n; i++) dv_text_printf(t, " %.12g", v[i]);
  dv_text_add(t, "\n");
}

static void joint_output(JointSpring *s, const Joint *j)
{
  if (!dv_record_is_open(&s->out) || s->time < s->last_output + s->period) return;
  if (s->reinit) dv_record_rewind(&s->out);
  s->last_output += s->period;
  dvText text = {0};
  dv_text_printf(&text, "T= %.12g\n", s->time);
  add_vector(&text, "Xrel", j->place, 7);
  add_vector(&text, "Vrel", j->speed, 6);
  add_vector(&text, "F", j->force, 6);
  if (s->reinit) dv_text_add(&text, "\n\n\n\n\n");
  dv_record_add(&s->out, s->pair.base.node->scene, text.text, text.length);
  dv_text_free(&text);
}

static void joint_force(JointSpring *s, Joint *j, const double *constant, const dvMech *m)
{
  const double *x1 = dv_state_read(s->pair.first, m->x) + 7 * (size_t)j->link.a,
               *x2 = dv_state_read(s->pair.second, m->x) + 7 * (size_t)j->link.b;
  const double *v1 = dv_state_read(s->pair.first, m->v) + 6 * (size_t)j->link.a,
               *v2 = dv_state_read(s->pair.second, m->v) + 6 * (size_t)j->link.b;
  dvQuat q1 = dv_quat_load(x1 + 3), turn = dv_quat_mul(dv_quat_inverse(q1), dv_quat_load(x2 + 3));
  turn = dv_quat_normalise(dv_quat_mul(turn, j->rest_r));
  dvMat3 axes = dv_quat_to_matrix(q1);
  double kt[3], kr[3], local[3], *place = j->place, *speed = j->speed, *force = j->force;
  for (int a = 0; a < 3; a++) kt[a] = j->free[a] == 0 ? j->hard_t : j->soft_t;
  for (int a = 0; a < 6; a++) speed[a] = v2[a] - v1[a];
  dv_vec3_store(place,
                dv_quat_inverse_rotate(q1, dv_vec3_sub(dv_vec3_sub(dv_vec3_load(x2), dv_vec3_load(x1)), j->rest_t)));
  dv_quat_store(place + 3, turn);
  for (int a = 0; a < 3; a++) local[a] = constant[a] + kt[a] * place[a];
  dv_vec3_store(force, dv_vec3_add_scaled(dv_mat3_mul_vec(axes, dv_vec3_load(local)), dv_vec3_load(speed), j->link.kd));
  joint_torque(j, turn, kr, local);
  for (int a = 0; a < 3; a++) local[a] += constant[3 + a];
  dv_vec3_store(force + 3,
                dv_vec3_add_scaled(dv_mat3_mul_vec(axes, dv_vec3_load(local)), dv_vec3_load(speed + 3), j->link.kd));
  j->link.kt = turned(axes, kt);
  j->link.kr = turned(axes, kr);
  push_pair(&s->pair, m, &j->link, dv_vec3_load(force), dv_vec3_load(force + 3), dv_vec3_load(force + 3));
}

static void joint_spring_add_force(dvObject *o, const dvMech *m)
{
  JointSpring *s = (JointSpring *)o;
  static const double none[6];
  size_t push = s->next_push;
  s->time = o->node->time;
  for (size_t i = 0; i < s->joints.count; i++) {
    if (!link_is_there(&s->joints.data[i].link, &s->pair)) continue;
    joint_force(s, &s->joints.data[i], s->pushes.count ? s->pushes.data + push : none, m);
    if (s->pushes.count) push = (push + 6) % s->pushes.count;
  }
}

static void joint_spring_end_step(dvObject *o)
{
  JointSpring *s = (JointSpring *)o;
  for (size_t i = 0; i < s->joints.count; i++) {
    if (!link_is_there(&s->joints.data[i].link, &s->pair)) continue;
    if (s->pushes.count) s->next_push = (s->next_push + 6) % s->pushes.count;
    joint_output(s, &s->joints.data[i]);
  }
}

static void joint_spring_remember(dvObject *o, dvMemoryStream *s) { dv_record_remember(&((JointSpring *)o)->out, s); }

static bool joint_spring_restored(dvObject *o)
{
  const JointSpring *s = (const JointSpring *)o;
  return s->next_push % 6 == 0 && (s->next_push == 0 || s->next_push < s->pushes.count);
}

static void joint_spring_add_dforce(dvObject *o, const dvMech *m)
{
  JointSpring *s = (JointSpring *)o;
  for (size_t i = 0; i < s->joints.count; i++)
    if (link_is_there(&s->joints.data[i].link, &s->pair)) link_add_dforce(&s->joints.data[i].link, &s->pair, m);
}

static void joint_spring_add_stiffness(dvObject *o, const dvMech *m, dvMatrixSink *sink)
{
  JointSpring *s = (JointSpring *)o;
  for (size_t i = 0; i < s->joints.count; i++)
    if (link_is_there(&s->joints.data[i].link, &s->pair))
      link_add_stiffness(&s->joints.data[i].link, &s->pair, m, sink);
}

static void joint_spring_destroy(dvObject *o)
{
  JointSpring *s = (JointSpring *)o;
  dv_array_free(&s->joints);
  dv_array_free(&s->pushes);
  dv_pairs_free(&s->pairs);
  dv_record_close(&s->out);
}

static void joint_spring_pairs(dvObject *o, dvInts *out)
{
  const JointSpring *s = (const JointSpring *)o;
  if (!dv_ints_resize(out, 2 * s->joints.count)) return;
  for (size_t i = 0; i < s->joints.count; i++) link_pair(&s->joints.data[i].link, i, out);
}

static const dvForceOps joint_spring_ops = {
    .add_force = joint_spring_add_force,
    .add_dforce = joint_spring_add_dforce,
    .add_stiffness = joint_spring_add_stiffness,
    DV_PAIR_FORCE_SLOTS,
    .pairs = joint_spring_pairs,
};

const dvClass dv_joint_spring_class = {
    .struct_size = sizeof(dvClass),
    .name = "JointSpringForceField",
    .help = "joints between frames, with free axes and limits of rotation",
    .module = "Sofa.Component.SolidMechanics.Spring",
    .dofs = DV_DOF_RIGID3,
    .size = sizeof(JointSpring),
    .blocks = {&dv_object_block, &dv_pair_force_block, DV_BLOCK(joint_spring_fields)},
    .ops = {[DV_ROLE_FORCE] = &joint_spring_ops},
    .init = joint_spring_init,
    .reinit = joint_spring_reinit,
    .store_reset = joint_spring_store_reset,
    .destroy = joint_spring_destroy,
    DV_MEMORY(joint_spring_memory),
    .remember = joint_spring_remember,
    .restored = joint_spring_restored,
    .end_step = joint_spring_end_step,
    .topology_changed = joint_spring_topology_changed,
};

// --- FrameSpringForceField -----------------------------------------------------------------------

#define FRAME_SPRING_FIELDS(X)                                                                                       \
  X(string, spring, "", "",                                                                                          \
    "springs: BEGIN_SPRING a b [KS_T stiffness] [KS_R stiffness] [KD damping] [VEC1 x y z] [VEC2 x y z] END_SPRING") \
  X(bool, showLawfulTorsion, "0", "", "draw the allowed part of the rotations", .flags = DV_LOOKS)                   \
  X(bool, showExtraTorsion, "0", "", "draw the other part of the rotations", .flags = DV_LOOKS)

typedef struct Frames {
  Link link;
  double kt, kr;
  dvVec3 arm1, arm2;   // in the axes of each frame
} Frames;

typedef struct FrameSpring {
  dvPairForce pair;
  FRAME_SPRING_FIELDS(DV_MEMBER)
  DV_ARRAY(Frames) springs;
  bool waiting;
  bool as_sofa;   // the damping of rotations drives the second frame; torques stand in the axes of the first
  dvPairs pairs;
} FrameSpring;

#define SELF FrameSpring
static const dvFieldDesc frame_spring_fields[] = {FRAME_SPRING_FIELDS(DV_DESCRIBE)};
#undef SELF

static bool read_frames(void *user, dvFrameText *t)
{
  FrameSpring *s = user;
  Frames f = {.kt = 0};
  double v[3];
  if (!dv_frame_text_indices(t, &f.link.a, 1) || !dv_frame_text_indices(t, &f.link.b, 1)) return false;
  while (!dv_frame_text_end(t)) {
    bool good = true;
    if (dv_frame_text_word(t, "KS_T")) good = dv_frame_text_coefficient(t, &f.kt);
    else if (dv_frame_text_word(t, "KS_R")) good = dv_frame_text_coefficient(t, &f.kr);
    else if (dv_frame_text_word(t, "KD")) good = dv_frame_text_coefficient(t, &f.link.kd);
    else if (dv_frame_text_word(t, "VEC1")) {
      good = dv_frame_text_numbers(t, v, 3);
      f.arm1 = good ? dv_vec3_load(v) : f.arm1;
    } else if (dv_frame_text_word(t, "VEC2")) {
      good = dv_frame_text_numbers(t, v, 3);
      f.arm2 = good ? dv_vec3_load(v) : f.arm2;
    } else good = false;
    if (!good) return false;
  }
  f.link.kt = dv_mat3_scale(dv_mat3_identity(), f.kt);
  f.link.kr = dv_mat3_scale(dv_mat3_identity(), f.kr);
  dv_push(&s->springs, f);
  return true;
}

static dvStatus frame_spring_reinit(dvObject *o)
{
  FrameSpring *s = (FrameSpring *)o;
  s->springs.count = 0;
  DV_TRY(dv_frame_text_read(o, &s->spring, read_frames, s));
  for (size_t i = 0; i < s->springs.count; i++) {
    dvStatus status = link_check(&s->springs.data[i].link, &s->pair, i);
    if (status == DV_OK) continue;
    s->springs.count = 0;
    return status;
  }
  DV_PAIRS_FOLLOW(&s->pairs, o, s->pair.first, s->pair.second, &s->springs, link.a, link.b);
  return DV_OK;
}

static void frame_spring_topology_changed(dvObject *o)
{
  FrameSpring *s = (FrameSpring *)o;
  DV_PAIRS_GIVE(&s->pairs, &s->springs, link.a, link.b);
}

static dvStatus frame_spring_init(dvObject *o)
{
  FrameSpring *s = (FrameSpring *)o;
  DV_TRY(dv_pair_force_init(o));
  s->as_sofa = dv_compat(o, DV_COMPAT_FRAME_SPRING);
  s->waiting = !s->pair.first->base.initialised || !s->pair.second->base.initialised;
  return s->waiting ? DV_OK : frame_spring_reinit(o);
}

static void frame_spring_store_reset(dvObject *o)
{
  FrameSpring *s = (FrameSpring *)o;
  if (s->waiting) frame_spring_reinit(o);
  s->waiting = false;
}

static void frame_spring_add_force(dvObject *o, const dvMech *m)
{
  FrameSpring *s = (FrameSpring *)o;
  for (size_t i = 0; i < s->springs.count; i++) {
    const Frames *f = &s->springs.data[i];
    const Link *l = &f->link;
    if (!link_is_there(l, &s->pair)) continue;
    const double *x1 = dv_state_read(s->pair.first, m->x) + 7 * (size_t)l->a,
                 *x2 = dv_state_read(s->pair.second, m->x) + 7 * (size_t)l->b;
    const double *v1 = dv_state_read(s->pair.first, m->v) + 6 * (size_t)l->a,
                 *v2 = dv_state_read(s->pair.second, m->v) + 6 * (size_t)l->b;
    dvQuat q1 = dv_quat_load(x1 + 3), q2 = dv_quat_load(x2 + 3);
    dvVec3 arm1 = dv_quat_rotate(q1, f->arm1), arm2 = dv_quat_rotate(q2, f->arm2);
    dvVec3 gap = dv_vec3_sub(dv_vec3_add(dv_vec3_load(x2), arm2), dv_vec3_add(dv_vec3_load(x1), arm1));
    dvVec3 force =
        dv_vec3_add_scaled(dv_vec3_scale(gap, f->kt), dv_vec3_sub(dv_vec3_load(v2), dv_vec3_load(v1)), l->kd);
    dvVec3 spin = dv_vec3_scale(dv_vec3_sub(dv_vec3_load(v2 + 3), dv_vec3_load(v1 + 3)), l->kd);
    dvQuat relative = s->as_sofa ? dv_quat_mul(dv_quat_inverse(q1), q2) : dv_quat_mul(q2, dv_quat_inverse(q1));
    dvVec3 turn = dv_vec3_scale(dv_quat_to_rotation_vector(relative), f->kr);
    push_pair(&s->pair, m, l, force, dv_vec3_add(dv_vec3_add(turn, dv_vec3_cross(arm1, force)), spin),
              dv_vec3_add_scaled(dv_vec3_add(turn, dv_vec3_cross(arm2, force)), spin, s->as_sofa ? -1 : 1));
  }
}

static void frame_spring_add_dforce(dvObject *o, const dvMech *m)
{
  FrameSpring *s = (FrameSpring *)o;
  for (size_t i = 0; i < s->springs.count; i++)
    if (link_is_there(&s->springs.data[i].link, &s->pair)) link_add_dforce(&s->springs.data[i].link, &s->pair, m);
}

static void frame_spring_add_stiffness(dvObject *o, const dvMech *m, dvMatrixSink *sink)
{
  FrameSpring *s = (FrameSpring *)o;
  for (size_t i = 0; i < s->springs.count; i++)
    if (link_is_there(&s->springs.data[i].link, &s->pair))
      link_add_stiffness(&s->springs.data[i].link, &s->pair, m, sink);
}

static void frame_spring_destroy(dvObject *o)
{
  dv_array_free(&((FrameSpring *)o)->springs);
  dv_pairs_free(&((FrameSpring *)o)->pairs);
}

static void frame_spring_pairs(dvObject *o, dvInts *out)
{
  const FrameSpring *s = (const FrameSpring *)o;
  if (!dv_ints_resize(out, 2 * s->springs.count)) return;
  for (size_t i = 0; i < s->springs.count; i++) link_pair(&s->springs.data[i].link, i, out);
}

static const dvForceOps frame_spring_ops = {
    .add_force = frame_spring_add_force,
    .add_dforce = frame_spring_add_dforce,
    .add_stiffness = frame_spring_add_stiffness,
    DV_PAIR_FORCE_SLOTS,
    .pairs = frame_spring_pairs,
};

const dvClass dv_frame_spring_class = {
    .struct_size = sizeof(dvClass),
    .name = "FrameSpringForceField",
    .help = "springs between arms of frames that also turn the frames parallel",
    .module = "Sofa.Component.SolidMechanics.Spring",
    .dofs = DV_DOF_RIGID3,
    .size = sizeof(FrameSpring),
    .blocks = {&dv_object_block, &dv_pair_force_block, DV_BLOCK(frame_spring_fields)},
    .ops = {[DV_ROLE_FORCE] = &frame_spring_ops},
    .init = frame_spring_init,
    .reinit = frame_spring_reinit,
    .store_reset = frame_spring_store_reset,
    .destroy = frame_spring_destroy,
    .topology_changed = frame_spring_topology_changed,
};

// BeamLengthMapping: the length of each beam, along its curve.
//
// With Gauss' points t_g and weights, control points P_k and the derivatives b_k of Bernstein's polynomials,
//
//   T_g = sum of b_k(t_g) P_k,   L = sum of w_g |T_g|,   F_k = dL/dP_k = sum of w_g b_k(t_g) T_g/|T_g|.
//
// A control point goes with one of the two frames: V = v + w x r, so that its force has the torque r x F. Geometric
// stiffness: dF_k = sum of w_g b_k (1 - n n^T)/|T_g| sum of b_j V_j, and the turning of the arms r.
#include "instrument/beams.h"
#include "instrument/spline.h"
#include "mapping/linear/linear.h"

#include <string.h>

extern const dvClass dv_beam_length_class;

#define LENGTH_FIELDS(X)                                                                                     \
  X(int, geometricStiffness, "2", "", "0 none, 1 exact, 2 only where beams pull", .least = "0", .most = "2") \
  X(link, interpolation, "", "", "the beams; those of the node or above by default")

// Of one beam: arms and forces of its control points for a unit force along it.
typedef struct Line {
  size_t ends[2];
  dvVec3 arm[4], force[4];
  dvSpline curve;
} Line;

typedef struct LengthMapping {
  dvMapping base;
  LENGTH_FIELDS(DV_MEMBER)
  dvBeams *beams;
  DV_ARRAY(Line) lines;   // as of the last apply
} LengthMapping;

#define SELF LengthMapping
static const dvFieldDesc length_fields[] = {LENGTH_FIELDS(DV_DESCRIBE)};
#undef SELF

static Line line_at(const LengthMapping *m, size_t beam, const double *x)
{
  Line l;
  dvPose poses[2];
  dv_beams_ends(m->beams, beam, l.ends);
  dv_beams_poses(m->beams, beam, x, poses);
  l.curve = dv_spline(poses, m->beams->lengthList.data[beam]);
  for (int k = 0; k < 4; k++) l.arm[k] = dv_vec3_sub(l.curve.p[k], dv_vec3_load(x + 7 * l.ends[k / 2]));
  dv_spline_length_slopes(&l.curve, l.force);
  return l;
}

static bool holds(const LengthMapping *m)
{
  return m->lines.count == dv_beams_count(m->beams) && m->base.out->count == m->lines.count;
}

// --- operations ---

static void length_apply(dvObject *o, int out_x, int in_x)
{
  LengthMapping *m = (LengthMapping *)o;
  size_t count = dv_beams_count(m->beams);
  if (m->base.out->count != count && !dv_state_resize(m->base.out, count)) return;
  const double *x = dv_state_read(m->base.in, in_x);
  double *out = dv_state_overwrite(m->base.out, out_x);
  m->lines.count = 0;
  for (size_t i = 0; i < count; i++) {
    Line l = line_at(m, i, x);
    out[i] = dv_spline_length(&l.curve);
    dv_push(&m->lines, l);
  }
  dv_mapping_touch(&m->base, out_x);
}

static dvVec3 motion(const Line *l, int k, const double *v)
{
  const double *p = v + 6 * l->ends[k / 2];
  return dv_vec3_add(dv_vec3_load(p), dv_vec3_cross(dv_vec3_load(p + 3), l->arm[k]));
}

static void length_apply_j(dvObject *o, int out_v, int in_v)
{
  LengthMapping *m = (LengthMapping *)o;
  if (!holds(m)) return;
  const double *v = dv_state_read(m->base.in, in_v);
  double *out = dv_state_overwrite(m->base.out, out_v);
  for (size_t i = 0; i < m->lines.count; i++) {
    const Line *l = &m->lines.data[i];
    out[i] = 0;
    for (int k = 0; k < 4; k++) out[i] += dv_vec3_dot(l->force[k], motion(l, k, v));
  }
}

static void length_apply_jt(dvObject *o, int in_f, int out_f)
{
  LengthMapping *m = (LengthMapping *)o;
  if (!m->base.mapForces || !holds(m)) return;
  const double *f = dv_state_read(m->base.out, out_f);
  double *in = dv_state_write(m->base.in, in_f);
  for (size_t i = 0; i < m->lines.count; i++) {
    const Line *l = &m->lines.data[i];
    for (int k = 0; k < 4; k++) {
      double *at = in + 6 * l->ends[k / 2];
      dvVec3 force = dv_vec3_scale(l->force[k], f[i]);
      dv_vec3_accumulate(at, force);
      dv_vec3_accumulate(at + 3, dv_vec3_cross(l->arm[k], force));
    }
  }
}

static void length_row(dvObject *o, size_t i, dvMatrixSink *sink)
{
  const LengthMapping *m = (const LengthMapping *)o;
  if (!holds(m)) return;
  const Line *l = &m->lines.data[i];
  for (int e = 0; e < 2; e++) {
    double block[6] = {0};
    for (int k = 2 * e; k < 2 * e + 2; k++) {
      dv_vec3_accumulate(block, l->force[k]);
      dv_vec3_accumulate(block + 3, dv_vec3_cross(l->arm[k], l->force[k]));
    }
    sink->add(sink, m->base.out, i, m->base.in, l->ends[e], 1, 6, block);
  }
}

// --- geometric stiffness ---

static bool stiffens(const LengthMapping *m, double force)
{
  return m->geometricStiffness == 1 || (m->geometricStiffness == 2 && force < 0);
}

// how force and torque of the two frames change, for a force f along the beam and motions dx of the frames
static void change(const Line *l, double f, const double dx[12], double out[12])
{
  dvVec3 moved[4], forces[4];
  memset(out, 0, 12 * sizeof *out);
  for (int k = 0; k < 4; k++) {
    const double *d = dx + 6 * (k / 2);
    moved[k] = dv_vec3_add(dv_vec3_load(d), dv_vec3_cross(dv_vec3_load(d + 3), l->arm[k]));
  }
  dv_spline_length_bend(&l->curve, moved, forces);
  for (int k = 0; k < 4; k++) {
    double *at = out + 6 * (k / 2);
    dvVec3 turned = dv_vec3_cross(dv_vec3_load(dx + 6 * (k / 2) + 3), l->arm[k]);
    dv_vec3_accumulate(at, dv_vec3_scale(forces[k], f));
    dv_vec3_accumulate(
        at + 3, dv_vec3_scale(dv_vec3_add(dv_vec3_cross(l->arm[k], forces[k]), dv_vec3_cross(turned, l->force[k])), f));
  }
}

static void length_apply_djt(dvObject *o, const dvMech *mech, int in_df, int in_dx, int out_f)
{
  LengthMapping *m = (LengthMapping *)o;
  if (!holds(m) || !m->base.mapForces) return;
  const double *f = dv_state_read(m->base.out, out_f), *dx = dv_state_read(m->base.in, in_dx);
  double *df = dv_state_write(m->base.in, in_df), d[12], out[12];
  for (size_t i = 0; i < m->lines.count; i++) {
    const Line *l = &m->lines.data[i];
    if (!stiffens(m, f[i])) continue;
    for (int e = 0; e < 2; e++) memcpy(d + 6 * e, dx + 6 * l->ends[e], 6 * sizeof *d);
    change(l, f[i], d, out);
    for (int e = 0; e < 12; e++) df[6 * l->ends[e / 6] + (size_t)e % 6] += mech->k * out[e];
  }
}

static void length_add_geometric(dvObject *o, const dvMech *mech, int out_f, dvMatrixSink *sink)
{
  LengthMapping *m = (LengthMapping *)o;
  if (!holds(m) || !m->base.mapForces) return;
  const double *f = dv_state_read(m->base.out, out_f);
  for (size_t i = 0; i < m->lines.count; i++) {
    const Line *l = &m->lines.data[i];
    double columns[12][12];
    if (!stiffens(m, f[i])) continue;
    for (int c = 0; c < 12; c++) {
      double unit[12] = {0};
      unit[c] = mech->k;
      change(l, f[i], unit, columns[c]);
    }
    for (int ij = 0; ij < 4; ij++) {
      double block[36];
      for (int e = 0; e < 36; e++) block[e] = columns[6 * (ij % 2) + e % 6][6 * (ij / 2) + e / 6];
      sink->add(sink, m->base.in, l->ends[ij / 2], m->base.in, l->ends[ij % 2], 6, 6, block);
    }
  }
}

static void length_add_jdot(dvObject *o, int out_a, int in_v)
{
  LengthMapping *m = (LengthMapping *)o;
  if (!holds(m)) return;
  const double *v = dv_state_read(m->base.in, in_v);
  double *a = dv_state_write(m->base.out, out_a);
  for (size_t i = 0; i < m->lines.count; i++) {
    const Line *l = &m->lines.data[i];
    dvVec3 moved[4], forces[4];
    for (int k = 0; k < 4; k++) moved[k] = motion(l, k, v);
    dv_spline_length_bend(&l->curve, moved, forces);
    for (int k = 0; k < 4; k++) {
      dvVec3 w = dv_vec3_load(v + 6 * l->ends[k / 2] + 3);
      a[i] +=
          dv_vec3_dot(forces[k], moved[k]) + dv_vec3_dot(l->force[k], dv_vec3_cross(w, dv_vec3_cross(w, l->arm[k])));
    }
  }
}

static const dvMappingOps length_ops = {
    .apply = length_apply,
    .apply_j = length_apply_j,
    .apply_jt = length_apply_jt,
    .apply_djt = length_apply_djt,
    .build_j = dv_mapping_build_rows,
    .row = length_row,
    .add_geometric = length_add_geometric,
    .add_jdot = length_add_jdot,
    DV_MAPPING_SLOTS,
};

// --- set-up ---

static dvStatus length_init(dvObject *o)
{
  LengthMapping *m = (LengthMapping *)o;
  if (m->geometricStiffness < 0 || m->geometricStiffness > 2)
    return dv_field_error(o, &m->geometricStiffness, "0 none, 1 exact, 2 only where beams pull",
                          "geometricStiffness is %d", m->geometricStiffness);
  m->beams = dv_beams_find(o, &m->interpolation, true);
  if (!m->beams) return DV_ERROR_INPUT;
  if (m->beams->state != m->base.in)
    return dv_error(o, "link the state of the beams as input", "the beams of %s join frames of another state",
                    m->beams->base.name);
  dv_mapping_follow(o);
  dv_mapping_first_apply(o, &length_ops);
  return DV_OK;
}

static void length_destroy(dvObject *o) { dv_array_free(&((LengthMapping *)o)->lines); }

static const dvDofPair pairs[] = {{DV_DOF_RIGID3, 0, DV_DOF_VEC1}, {0}};

const dvClass dv_beam_length_class = {
    .struct_size = sizeof(dvClass),
    .name = "BeamLengthMapping",
    .help = "lengths of curved beams",
    .module = "BeamAdapter",
    .dofs = DV_DOF_RIGID3,
    .dofs_out = DV_DOF_VEC1,
    .pairs = pairs,
    .size = sizeof(LengthMapping),
    .blocks = {&dv_object_block, &dv_mapping_block, DV_BLOCK(length_fields)},
    .ops = {[DV_ROLE_MAPPING] = &length_ops},
    .link = dv_mapping_link,
    .init = length_init,
    .destroy = length_destroy,
    .topology_changed = dv_mapping_remake,
};

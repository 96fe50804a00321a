// AdaptiveBeamForceFieldAndMass: elasticity and mass of the beams of an interpolation.
// AdaptiveInflatableBeamForceField: the same for beams that are tubes under pressure.
//
// A beam has a frame in its middle, from the curve between its ends. Seen from there its ends are displaced by
// u = pose - pose at rest (places, and rotation vectors subtracted); with the matrices k and m of beam.h, and A that
// takes velocities of the degrees of freedom to those of the ends in the frame,
//
//   f = -A^T k u + A^T m A g,   df = -A^T k A dx,   M = A^T m A.
#include "instrument/beams.h"
#include "instrument/spline.h"
#include "object/compat.h"

#include <math.h>

extern const dvClass dv_adaptive_beam_class, dv_inflatable_beam_class;

#define BEAM_FIELDS(X)                                                                                               \
  X(bool, computeMass, "1", "", "beams have mass and weight")                                                        \
  X(reals, massDensity, "1", "kg/m^3", "mass of a volume, one for all or one each beam; instruments tell their own") \
  X(bool, shearStressComputation, "1", "",                                                                           \
    "stretch and twist are differences of poses; else they are measured along the curve")                            \
  X(bool, reinforceLength, "0", "", "stretch is measured along the curve")                                           \
  X(real, rayleighMass, "0", "1/s", "damping in proportion to this mass", .least = "0")                              \
  X(bool, separateGravity, "0", "", "no effect: gravity is a force", .flags = DV_IDLE | DV_HIDDEN)                   \
  X(link, interpolation, "", "", "the beams; those of the node by default")

#define INFLATABLE_FIELDS(X)                                                                                         \
  X(bool, computeMass, "1", "", "beams have mass and weight")                                                        \
  X(reals, massDensity, "1", "kg/m^3", "mass of a volume, one for all or one each beam; instruments tell their own") \
  X(bool, reinforceLength, "0", "", "stretch is measured along the curve")                                           \
  X(vec6s, dataG, "", "m/s^2", "no effect: gravity is that of the node", .flags = DV_IDLE | DV_HIDDEN)               \
  X(real, rayleighMass, "0", "1/s", "damping in proportion to this mass", .least = "0")                              \
  X(bool, separateGravity, "0", "", "no effect: gravity is a force", .flags = DV_IDLE | DV_HIDDEN)                   \
  X(link, interpolation, "", "", "the beams; those of the node by default")
#define INFLATABLE_OWN_FIELDS(X) X(real, pressure, "0", "Pa", "pressure in the tubes: it stiffens them against bending")

typedef struct Beam {
  size_t ends[2];
  dvQuat frame;    // of its middle
  dvVec3 arm[2];   // from the degrees of freedom to the ends, in the world
  dvBeamStiffness k;
  dvBeamMass m;
  bool rigid;   // both ends are one degree of freedom
} Beam;

typedef struct BeamForce {
  dvForce force;
  BEAM_FIELDS(DV_MEMBER)
  INFLATABLE_OWN_FIELDS(DV_MEMBER)
  dvReals dataG;
  dvBeams *beams;
  DV_ARRAY(Beam) list;   // as of the last force
  bool silent;           // as SOFA: another mass of the node stands for it in products
} BeamForce;

#define SELF BeamForce
static const dvFieldDesc beam_fields[] = {BEAM_FIELDS(DV_DESCRIBE)};
static const dvFieldDesc inflatable_fields[] = {INFLATABLE_FIELDS(DV_DESCRIBE) INFLATABLE_OWN_FIELDS(DV_DESCRIBE)};
#undef SELF

static bool inflates(const BeamForce *f) { return f->force.base.cls == &dv_inflatable_beam_class; }

static dvStatus beam_reinit(dvObject *o)
{
  BeamForce *f = (BeamForce *)o;
  for (size_t i = 0; i < f->massDensity.count; i++)
    if (!(f->massDensity.data[i] >= 0))
      return dv_field_error(o, &f->massDensity, NULL, "massDensity %g is negative", f->massDensity.data[i]);
  if (f->massDensity.count == 0) return dv_field_error(o, &f->massDensity, NULL, "massDensity has no value");
  if (inflates(f) && !(f->pressure >= 0 && f->pressure < 1e100))
    return dv_field_error(o, &f->pressure, NULL, "pressure %g is negative", f->pressure);
  return DV_OK;
}

static bool comes_last(const dvObject *o)
{
  const dvObject *last = NULL;
  for (size_t i = 0; i < o->node->objects.count; i++)
    if (dv_plays(o->node->objects.data[i], DV_ROLE_MASS)) last = o->node->objects.data[i];
  return last == o;
}

static dvStatus beam_init(dvObject *o)
{
  BeamForce *f = (BeamForce *)o;
  DV_TRY(dv_force_init(o));
  f->beams = dv_beams_find(o, &f->interpolation, false);
  if (!f->beams) return DV_ERROR_INPUT;
  if (f->beams->state != f->force.state)
    return dv_error(o, "put both into one node", "the beams of %s join frames of another state", f->beams->base.name);
  f->silent = f->computeMass && !comes_last(o) && dv_compat(o, DV_COMPAT_LAST_MASS);
  return beam_reinit(o);
}

// --- one beam ------------------------------------------------------------------------------------

// A: velocities of the degrees of freedom to those of the ends, in the frame
static void to_frame(const Beam *b, const double *dx, double out[12])
{
  for (int i = 0; i < 2; i++) {
    const double *d = dx + 6 * b->ends[i];
    dvVec3 turn = dv_vec3_load(d + 3), move = dv_vec3_add(dv_vec3_load(d), dv_vec3_cross(turn, b->arm[i]));
    dv_vec3_store(out + 6 * i, dv_quat_inverse_rotate(b->frame, move));
    dv_vec3_store(out + 6 * i + 3, dv_quat_inverse_rotate(b->frame, turn));
  }
}

// f += k A^T force
static void add_from_frame(const Beam *b, double k, const double force[12], double *f)
{
  for (int i = 0; i < 2; i++) {
    dvVec3 push = dv_vec3_scale(dv_quat_rotate(b->frame, dv_vec3_load(force + 6 * i)), k),
           turn = dv_vec3_scale(dv_quat_rotate(b->frame, dv_vec3_load(force + 6 * i + 3)), k);
    dv_vec3_accumulate(f + 6 * b->ends[i], push);
    dv_vec3_accumulate(f + 6 * b->ends[i] + 3, dv_vec3_add(turn, dv_vec3_cross(b->arm[i], push)));
  }
}

// u: how far the ends are from rest, in the frame
static void displacement(const BeamForce *f, size_t beam, const double *x, dvPose middle, double u[12])
{
  dvPose now[2], rest[2];
  dv_beams_seen_from(f->beams, middle, beam, x, now);
  dv_beams_rest(f->beams, beam, rest);
  for (int i = 0; i < 2; i++) {
    dv_vec3_store(u + 6 * i, dv_vec3_sub(now[i].at, rest[i].at));
    dv_vec3_store(u + 6 * i + 3,
                  dv_vec3_sub(dv_quat_to_rotation_vector(now[i].turn), dv_quat_to_rotation_vector(rest[i].turn)));
  }
}

// half of the curve on each side of the middle, in 25 pieces, and how far the end is twisted against a frame that is
// carried along the curve without twist (K. Sloan's method)
static void along_curve(const dvPose ends[2], double length, double half[2], double *twist)
{
  dvSpline s = dv_spline(ends, length);
  dvVec3 at = s.p[0], y = dv_quat_rotate(ends[0].turn, dv_vec3(0, 1, 0)), z = {0, 0, 0};
  half[0] = half[1] = 0;
  for (int i = 1; i <= 50; i++) {
    dvVec3 next = dv_spline_point(&s, i / 50.0), x = dv_spline_tangent(&s, i / 50.0);
    half[i > 25] += dv_vec3_norm(dv_vec3_sub(next, at));
    z = dv_vec3_normalise(dv_vec3_cross(x, y));
    y = dv_vec3_normalise(dv_vec3_cross(z, x));
    at = next;
  }
  dvVec3 end = dv_quat_rotate(ends[1].turn, dv_vec3(0, 1, 0));
  double c = fmax(-1, fmin(1, dv_vec3_dot(end, y)));
  *twist = dv_vec3_dot(end, z) < 0 ? -acos(c) : acos(c);
}

// other measures of stretch and twist, where they are asked for
static void measure(const BeamForce *f, const dvPose ends[2], double length, double u[12])
{
  if (f->reinforceLength) {
    dvSpline s = dv_spline(ends, length);
    u[6] = (dv_spline_length(&s) - length) / 2;
    u[0] = -u[6];
  }
  if (f->shearStressComputation || inflates(f)) return;
  double half[2], twist;
  along_curve(ends, length, half, &twist);
  u[0] = length / 2 - half[0];
  u[6] = half[1] - length / 2;
  u[3] = -twist / 2;
  u[9] = twist / 2;
}

// everything of a beam at these positions; u is its displacement from rest
static Beam beam_at(const BeamForce *f, size_t i, const double *x, double u[12])
{
  Beam b;
  dvPose ends[2], local[2];
  double length = f->beams->lengthList.data[i];
  dvBeamMaterial material = dv_beams_material(f->beams, i);
  double density = material.density >= 0 ? material.density : f->massDensity.data[i < f->massDensity.count ? i : 0];
  dv_beams_ends(f->beams, i, b.ends);
  dv_beams_local(f->beams, i, local);
  dv_beams_poses(f->beams, i, x, ends);
  dvPose middle = dv_spline_pose(ends, length, 0.5);
  b.frame = dv_quat_normalise(middle.turn);
  for (int k = 0; k < 2; k++) b.arm[k] = dv_quat_rotate(dv_quat_load(x + 7 * b.ends[k] + 3), local[k].at);
  b.k = inflates(f)
            ? dv_beam_stiffness_inflated(&material.section, length, material.young, material.poisson, f->pressure)
            : dv_beam_stiffness(&material.section, length, material.young, material.poisson);
  b.m = dv_beam_mass(&material.section, length, f->computeMass ? density : 0);
  b.rigid = b.ends[0] == b.ends[1];
  displacement(f, i, x, middle, u);
  measure(f, ends, length, u);
  return b;
}

// out += factor A^T m A (what stands in dx)
static void add_mass(const Beam *b, const double *dx, double factor, double *out)
{
  double d[12], force[12];
  to_frame(b, dx, d);
  dv_beam_mass_product(&b->m, d, force);
  add_from_frame(b, factor, force, out);
}

// the same with gravity in place of dx
static void add_weight(const Beam *b, const double g[3], double factor, double *out)
{
  double d[12] = {0}, force[12];
  for (int i = 0; i < 2; i++) dv_vec3_store(d + 6 * i, dv_quat_inverse_rotate(b->frame, dv_vec3_load(g)));
  dv_beam_mass_product(&b->m, d, force);
  add_from_frame(b, factor, force, out);
}

// --- force ---------------------------------------------------------------------------------------

static void beam_add_force(dvObject *o, const dvMech *m)
{
  BeamForce *f = (BeamForce *)o;
  dvState *s = f->force.state;
  const double *x = dv_state_read(s, m->x);
  double *out = dv_state_write(s, m->f), u[12], force[12];
  size_t count = dv_beams_count(f->beams);
  f->list.count = 0;
  for (size_t i = 0; i < count; i++) {
    Beam b = beam_at(f, i, x, u);
    if (!b.rigid) {
      dv_beam_stiffness_product(&b.k, u, force);
      add_from_frame(&b, -1, force, out);
    }
    dv_push(&f->list, b);
  }
  for (size_t i = 0; i < count && f->computeMass; i++) add_weight(&f->list.data[i], m->gravity, 1, out);
}

static void beam_add_dforce(dvObject *o, const dvMech *m)
{
  BeamForce *f = (BeamForce *)o;
  dvState *s = f->force.state;
  double k = dv_mech_k(m, f->force.rayleighStiffness), d[12], force[12];
  const double *dx = dv_state_read(s, m->dx);
  double *df = dv_state_write(s, m->df);
  for (size_t i = 0; i < f->list.count; i++) {
    const Beam *b = &f->list.data[i];
    if (b->rigid) continue;
    to_frame(b, dx, d);
    dv_beam_stiffness_product(&b->k, d, force);
    add_from_frame(b, -k, force, df);
  }
}

// A^T p A for the product p with a local matrix, as blocks
typedef void (*Product)(const void *matrix, const double d[12], double out[12]);

static void add_blocks(const Beam *b, Product product, const void *matrix, double factor, const dvState *s,
                       dvMatrixSink *sink)
{
  double columns[12][12] = {{0}};
  Beam alone = *b;   // with its ends side by side
  alone.ends[0] = 0;
  alone.ends[1] = 1;
  for (int c = 0; c < 12; c++) {
    double unit[12] = {0}, d[12], force[12];
    unit[c] = 1;
    to_frame(&alone, unit, d);
    product(matrix, d, force);
    add_from_frame(&alone, factor, force, columns[c]);
  }
  for (int ij = 0; ij < 4; ij++) {
    double block[36];
    for (int e = 0; e < 36; e++) block[e] = columns[6 * (ij % 2) + e % 6][6 * (ij / 2) + e / 6];
    sink->add(sink, s, b->ends[ij / 2], s, b->ends[ij % 2], 6, 6, block);
  }
}

static void stiffness_product(const void *k, const double d[12], double out[12])
{
  dv_beam_stiffness_product(k, d, out);
}
static void mass_product(const void *m, const double d[12], double out[12]) { dv_beam_mass_product(m, d, out); }

static void beam_add_stiffness(dvObject *o, const dvMech *m, dvMatrixSink *sink)
{
  BeamForce *f = (BeamForce *)o;
  double k = dv_mech_k(m, f->force.rayleighStiffness);
  for (size_t i = 0; i < f->list.count; i++)
    if (!f->list.data[i].rigid)
      add_blocks(&f->list.data[i], stiffness_product, &f->list.data[i].k, -k, f->force.state, sink);
}

static double beam_energy(dvObject *o, const dvMech *m)
{
  BeamForce *f = (BeamForce *)o;
  const double *x = dv_state_read(f->force.state, m->x);
  double sum = 0, u[12], force[12];
  for (size_t i = 0; i < dv_beams_count(f->beams); i++) {
    Beam b = beam_at(f, i, x, u);
    if (b.rigid) continue;
    dv_beam_stiffness_product(&b.k, u, force);
    for (int j = 0; j < 12; j++) sum += 0.5 * u[j] * force[j];
  }
  return sum;
}

// --- mass ----------------------------------------------------------------------------------------

static void beam_add_mdx(dvObject *o, const dvMech *m, double factor)
{
  BeamForce *f = (BeamForce *)o;
  const double *dx = dv_state_read(f->force.state, m->dx);
  double *df = dv_state_write(f->force.state, m->df);
  for (size_t i = 0; i < f->list.count && !f->silent; i++) add_mass(&f->list.data[i], dx, factor, df);
}

// weight is part of the force, because both need the frames of the beams
static void beam_add_gravity(dvObject *o, const dvMech *m)
{
  DV_UNUSED(o);
  DV_UNUSED(m);
}

static void beam_add_matrix(dvObject *o, double factor, dvMatrixSink *sink)
{
  BeamForce *f = (BeamForce *)o;
  for (size_t i = 0; i < f->list.count && f->computeMass; i++)
    add_blocks(&f->list.data[i], mass_product, &f->list.data[i].m, factor, f->force.state, sink);
}

static double beam_kinetic(dvObject *o, int v)
{
  BeamForce *f = (BeamForce *)o;
  const double *velocity = dv_state_read(f->force.state, v);
  double sum = 0, d[12], momentum[12];
  for (size_t i = 0; i < f->list.count; i++) {
    to_frame(&f->list.data[i], velocity, d);
    dv_beam_mass_product(&f->list.data[i].m, d, momentum);
    for (int j = 0; j < 12; j++) sum += 0.5 * d[j] * momentum[j];
  }
  return sum;
}

static double beam_potential(dvObject *o, const dvMech *m)
{
  BeamForce *f = (BeamForce *)o;
  const double *x = dv_state_read(f->force.state, m->x);
  double sum = 0, u[12];
  for (size_t i = 0; i < dv_beams_count(f->beams) && f->computeMass; i++) {
    Beam b = beam_at(f, i, x, u);
    dvPose ends[2];
    dv_beams_poses(f->beams, i, x, ends);
    dvVec3 centre = dv_spline_pose(ends, f->beams->lengthList.data[i], 0.5).at;
    sum -= b.m.mass * dv_vec3_dot(dv_vec3_load(m->gravity), centre);
  }
  return sum;
}

static double beam_of_element(dvObject *o, size_t index)
{
  BeamForce *f = (BeamForce *)o;
  double sum = 0;
  for (size_t i = 0; i < f->list.count; i++)
    for (int k = 0; k < 2; k++)
      if (f->list.data[i].ends[k] == index) sum += 0.5 * f->list.data[i].m.mass;
  return sum;
}

static const double *beam_rayleigh_mass(const dvObject *o) { return &((const BeamForce *)o)->rayleighMass; }

static void beam_destroy(dvObject *o) { dv_array_free(&((BeamForce *)o)->list); }

static const dvForceOps force_ops = {
    .add_force = beam_add_force,
    .add_dforce = beam_add_dforce,
    .add_stiffness = beam_add_stiffness,
    .energy = beam_energy,
    DV_FORCE_SLOTS,
};

static const dvMassOps mass_ops = {
    .add_mdx = beam_add_mdx,
    .add_gravity = beam_add_gravity,
    .add_matrix = beam_add_matrix,
    .kinetic = beam_kinetic,
    .potential = beam_potential,
    .of_element = beam_of_element,
    .rayleigh_mass = beam_rayleigh_mass,
};

const dvClass dv_adaptive_beam_class = {
    .struct_size = sizeof(dvClass),
    .name = "AdaptiveBeamForceFieldAndMass",
    .help = "elasticity and mass of curved beams between frames",
    .module = "BeamAdapter",
    .dofs = DV_DOF_RIGID3,
    .size = sizeof(BeamForce),
    .blocks = {&dv_object_block, &dv_force_block, DV_BLOCK(beam_fields)},
    .ops = {[DV_ROLE_FORCE] = &force_ops, [DV_ROLE_MASS] = &mass_ops},
    .init = beam_init,
    .reinit = beam_reinit,
    .destroy = beam_destroy,
};

const dvClass dv_inflatable_beam_class = {
    .struct_size = sizeof(dvClass),
    .name = "AdaptiveInflatableBeamForceField",
    .help = "elasticity and mass of curved beams that are tubes under pressure",
    .module = "BeamAdapter",
    .dofs = DV_DOF_RIGID3,
    .size = sizeof(BeamForce),
    .blocks = {&dv_object_block, &dv_force_block, DV_BLOCK(inflatable_fields)},
    .ops = {[DV_ROLE_FORCE] = &force_ops, [DV_ROLE_MASS] = &mass_ops},
    .init = beam_init,
    .reinit = beam_reinit,
    .destroy = beam_destroy,
};

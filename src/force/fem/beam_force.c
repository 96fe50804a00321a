// BeamFEMForceField: straight elastic beams between frames (J. S. Przemieniecki, Theory of matrix structural analysis,
// 1968).
//
// A beam joins frames a and b and lies along the x axis of a at rest. In the frame of a, u is how far b's centre and r
// how far b's rotation (as a rotation vector) are from where they are at rest; with the 12 x 12 matrix k of Euler and
// Bernoulli
//
//   f = -R_a k (0, 0, u, r),   df = -R_a k R_a^T d.
//
// k is that of beam.h. Needs edges and a state of frames.
#include "force/fem/beam.h"
#include "force/fem/elastic.h"
#include "math/vec.h"

#include <math.h>

extern const dvClass dv_beam_class;

#define BEAM_FIELDS(X)                                                                                                 \
  X(reals, radius, "0.1", "m", "radius of the section, one for all or one each beam")                                  \
  X(reals, radiusInner, "0", "m", "radius of the bore of a pipe, one for all or one each beam")                        \
  X(vec4s, section, "", "m^2 m^4",                                                                                     \
    "other sections than circles: area, second moments about y and z, torsion constant; one for all or one each beam") \
  X(indices, listSegment, "", "", "edges that are beams; all by default")                                              \
  X(bool, useSymmetricAssembly, "0", "", "not used: the assembled matrix is always symmetric", .flags = DV_HIDDEN)     \
  X(string, beamsData, "", "", "kept by the component", .flags = DV_HIDDEN | DV_READ_ONLY)

typedef struct Beam {
  int32_t a, b;
  dvBeamStiffness k;
  dvVec3 offset;   // of b at rest, in the frame of a
  dvQuat turn;     // of b at rest, in the frame of a
  dvQuat frame;    // of a at the last force
} Beam;

typedef struct BeamForce {
  dvElastic elastic;
  BEAM_FIELDS(DV_MEMBER)
  DV_ARRAY(Beam) beams;
  dvElementList *listed;   // keeps listSegment in step
} BeamForce;

#define SELF BeamForce
static const dvFieldDesc beam_fields[] = {BEAM_FIELDS(DV_DESCRIBE)};
#undef SELF

// --- set-up ---

static bool is_size(double a) { return a > 0 && a < DV_EXPLODED; }

static dvStatus check_sections(const BeamForce *f)
{
  const dvObject *o = &f->elastic.force.base;
  for (size_t i = 0; i < f->section.count; i++)
    if (!is_size(f->section.data[i]))
      return dv_field_error(o, &f->section, "give four positive numbers: area, Iy, Iz, J", "section has %g",
                            f->section.data[i]);
  if (f->section.count) return DV_OK;
  if (f->radius.count == 0) return dv_field_error(o, &f->radius, "the default is 0.1", "radius has no value");
  for (size_t i = 0; i < f->radius.count || i < f->radiusInner.count; i++) {
    double outer = dv_elastic_pick(&f->radius, i),
           inner = f->radiusInner.count ? dv_elastic_pick(&f->radiusInner, i) : 0;
    if (!is_size(outer)) return dv_field_error(o, &f->radius, NULL, "radius %g is not a positive number", outer);
    if (!(inner >= 0 && inner < outer))
      return dv_field_error(o, &f->radiusInner, NULL, "radiusInner %g is not between 0 and the radius, %g", inner,
                            outer);
  }
  return DV_OK;
}

static dvBeamSection section_of(const BeamForce *f, size_t i)
{
  if (f->section.count) {
    const double *p = f->section.data + (4 * i + 4 <= f->section.count ? 4 * i : 0);
    return (dvBeamSection){p[0], p[1], p[2], p[3]};
  }
  return dv_beam_circle(dv_elastic_pick(&f->radius, i), f->radiusInner.count ? dv_elastic_pick(&f->radiusInner, i) : 0);
}

// the rotation that takes b to a in the frame of b, along the shorter way
static dvQuat turn_between(const double *a, const double *b)
{
  dvQuat p = dv_quat_load(a + 3), q = dv_quat_load(b + 3);
  if (dv_quat_dot(p, q) < 0) q = dv_quat_scale(q, -1);
  return dv_quat_normalise(dv_quat_mul(dv_quat_inverse(p), q));
}

static dvVec3 offset_between(const double *a, const double *b)
{
  return dv_quat_inverse_rotate(dv_quat_load(a + 3), dv_vec3_sub(dv_vec3_load(b), dv_vec3_load(a)));
}

static Beam beam_of(const BeamForce *f, size_t i, const int32_t *edge, const double *x0)
{
  const double *a = x0 + 7 * (size_t)edge[0], *b = x0 + 7 * (size_t)edge[1];
  Beam beam = {.a = edge[0], .b = edge[1]};
  double length = dv_vec3_norm(dv_vec3_sub(dv_vec3_load(b), dv_vec3_load(a)));
  if (!is_size(length)) return beam;
  dvBeamSection s = section_of(f, i);
  beam.k = dv_beam_stiffness(&s, length, dv_elastic_young(&f->elastic, i), dv_elastic_poisson(&f->elastic, i));
  beam.offset = offset_between(a, b);
  beam.turn = turn_between(a, b);
  beam.frame = dv_quat_normalise(dv_quat_load(a + 3));
  return beam;
}

// edges that are beams: those listed or, when there is none or a number that does not exist, all (as in SOFA)
static const dvInts *chosen(const BeamForce *f, size_t edges)
{
  for (size_t i = 0; i < f->listSegment.count; i++)
    if (f->listSegment.data[i] < 0 || (size_t)f->listSegment.data[i] >= edges) {
      dv_field_warning(&f->elastic.force.base, &f->listSegment, NULL,
                       "there is no edge %d, only %zu: all edges are beams", f->listSegment.data[i], edges);
      return NULL;
    }
  return dv_names_all(&f->listSegment, f->listed) ? NULL : &f->listSegment;
}

static void warn_of_shapes(const BeamForce *f, size_t points, size_t slanted)
{
  const dvObject *o = &f->elastic.force.base;
  if (points) dv_warning(o, "move its ends apart", "%zu beams have no length and give no force", points);
  if (slanted)
    dv_warning(o, "turn the frames so that their x axes lie along the beams",
               "%zu beams do not lie along the x axis of their first frame: they bend as if they did", slanted);
}

static dvStatus beam_reinit(dvObject *o)
{
  BeamForce *f = (BeamForce *)o;
  dvState *s = f->elastic.force.state;
  f->beams.count = 0;
  const dvInts *edges = dv_force_elements(o, dv_elastic_topology(&f->elastic), DV_EDGE, s);
  if (!edges) return DV_ERROR_INPUT;
  size_t count = dv_ints_size(edges), points = 0, slanted = 0;
  DV_TRY(dv_elastic_check(&f->elastic, count, 0.5));
  DV_TRY(check_sections(f));
  const dvInts *list = chosen(f, count);
  const double *x0 = dv_state_read(s, DV_X_REST);
  for (size_t i = 0; i < (list ? list->count : count); i++) {
    size_t edge = list ? (size_t)list->data[i] : i;
    Beam beam = beam_of(f, edge, edges->data + 2 * edge, x0);
    if (!is_size(beam.k.length)) points++;
    else {
      if (!(beam.offset.x > 0.99 * beam.k.length)) slanted++;
      dv_push(&f->beams, beam);
    }
  }
  warn_of_shapes(f, points, slanted);
  return DV_OK;
}

static bool fits(const dvReals *list, size_t count) { return list->count <= 1 || dv_reals_size(list) == count; }

// beams whose number, ends or length are others; of those that are listed all, which are few
static bool patch(dvObject *o)
{
  BeamForce *f = (BeamForce *)o;
  dvTopology *mesh = dv_elastic_topology(&f->elastic);
  const dvInts *edges = dv_topology_elements(mesh, DV_EDGE);
  size_t count = dv_ints_size(edges);
  const double *x0 = dv_state_read(f->elastic.force.state, DV_X_REST);
  bool all = dv_names_all(&f->listSegment, f->listed), good = true;
  if (!dv_elastic_follows(&f->elastic, count) || !fits(&f->radius, count) || !fits(&f->radiusInner, count) ||
      (dv_reals_size(&f->section) > 1 && dv_reals_size(&f->section) != count) ||
      (all && f->beams.count != dv_trace_before(dv_topology_trace(mesh), DV_EDGE, count)))
    return false;
  dvNumbers some = {0};
  dv_array_resize(&f->beams, all ? count : f->listSegment.count);
  if (all) dv_trace_shapes(mesh, DV_EDGE, &some);
  for (size_t i = 0; i < (all ? some.count : f->listSegment.count) && good; i++) {
    size_t edge = (size_t)(all ? some.data[i] : f->listSegment.data[i]);
    Beam *beam = &f->beams.data[all ? edge : i];
    *beam = edge < count ? beam_of(f, edge, edges->data + 2 * edge, x0) : (Beam){0};
    good = is_size(beam->k.length);
  }
  dv_array_free(&some);
  return good;
}

static void beam_topology_changed(dvObject *o)
{
  dv_force_patch_or_remake(o, dv_elastic_topology(&((BeamForce *)o)->elastic), patch);
}

static dvStatus beam_init(dvObject *o)
{
  BeamForce *f = (BeamForce *)o;
  DV_TRY(dv_elastic_init(o));
  DV_TRY(beam_reinit(o));
  dvElementData *d = dv_elastic_follow(&f->elastic, DV_EDGE, 1);
  dv_element_data_add_reals(d, &f->radius, true);
  dv_element_data_add_reals(d, &f->radiusInner, true);
  dv_element_data_add_reals(d, &f->section, true);
  f->listed = dv_follow_list(o, dv_elastic_topology(&f->elastic), DV_EDGE, &f->listSegment);
  f->listed->heirs = true;
  if (f->beams.count == 0)
    dv_warning(o, "give the topology edges", "the topology %s has no edges: there are no beams",
               f->elastic.topology.target->name);
  return DV_OK;
}

// --- the matrix of one beam ---

// f += k R force, twelve numbers at frames a and b
static void add_turned(const Beam *p, dvQuat frame, double k, const double force[12], double *f)
{
  for (int i = 0; i < 4; i++)
    dv_vec3_accumulate(f + 6 * (size_t)(i < 2 ? p->a : p->b) + 3 * (i % 2),
                       dv_vec3_scale(dv_quat_rotate(frame, dv_vec3_load(force + 3 * i)), k));
}

// how far b is from rest, in the frame of a
static void displacement_of(const Beam *p, const double *a, const double *b, double d[12])
{
  dvQuat now = turn_between(a, b), rest = p->turn;
  if (dv_quat_dot(now, rest) < 0) now = dv_quat_scale(now, -1);
  dvVec3 turn = dv_quat_to_rotation_vector(dv_quat_normalise(dv_quat_mul(dv_quat_inverse(rest), now)));
  for (int i = 0; i < 6; i++) d[i] = 0;
  dv_vec3_store(d + 6, dv_vec3_sub(offset_between(a, b), p->offset));
  dv_vec3_store(d + 9, turn);
}

// --- operations ---

static void beam_add_force(dvObject *o, const dvMech *m)
{
  BeamForce *f = (BeamForce *)o;
  dvState *s = f->elastic.force.state;
  const double *x = dv_state_read(s, m->x);
  double *out = dv_state_write(s, m->f), d[12], force[12];
  for (size_t i = 0; i < f->beams.count; i++) {
    Beam *p = &f->beams.data[i];
    const double *a = x + 7 * (size_t)p->a;
    displacement_of(p, a, x + 7 * (size_t)p->b, d);
    dv_beam_stiffness_product(&p->k, d, force);
    add_turned(p, dv_quat_load(a + 3), -1, force, out);
    p->frame = dv_quat_normalise(dv_quat_load(a + 3));
  }
}

static void beam_add_dforce(dvObject *o, const dvMech *m)
{
  BeamForce *f = (BeamForce *)o;
  dvState *s = f->elastic.force.state;
  double k = dv_mech_k(m, f->elastic.force.rayleighStiffness), d[12], force[12];
  const double *dx = dv_state_read(s, m->dx);
  double *df = dv_state_write(s, m->df);
  for (size_t i = 0; i < f->beams.count; i++) {
    const Beam *p = &f->beams.data[i];
    for (int j = 0; j < 4; j++)
      dv_vec3_store(d + 3 * j, dv_quat_inverse_rotate(
                                   p->frame, dv_vec3_load(dx + 6 * (size_t)(j < 2 ? p->a : p->b) + 3 * (j % 2))));
    dv_beam_stiffness_product(&p->k, d, force);
    add_turned(p, p->frame, -k, force, df);
  }
}

// -k R K R^T, 12 x 12: column by column, turned from both sides
static void beam_matrix(const Beam *p, double k, double out[12][12])
{
  dvMat3 r = dv_quat_to_matrix(p->frame);
  for (int c = 0; c < 12; c++) {
    double d[12] = {0}, force[12];
    dv_vec3_store(d + c / 3 * 3, dv_mat3_row(r, c % 3));   // R^T e_c
    dv_beam_stiffness_product(&p->k, d, force);
    for (int i = 0; i < 4; i++) {
      dvVec3 v = dv_vec3_scale(dv_mat3_mul_vec(r, dv_vec3_load(force + 3 * i)), -k);
      out[3 * i][c] = v.x;
      out[3 * i + 1][c] = v.y;
      out[3 * i + 2][c] = v.z;
    }
  }
}

static void beam_add_stiffness(dvObject *o, const dvMech *m, dvMatrixSink *sink)
{
  BeamForce *f = (BeamForce *)o;
  const dvState *s = f->elastic.force.state;
  double k = dv_mech_k(m, f->elastic.force.rayleighStiffness), matrix[12][12], block[36];
  for (size_t i = 0; i < f->beams.count; i++) {
    const Beam *p = &f->beams.data[i];
    const size_t ends[2] = {(size_t)p->a, (size_t)p->b};
    beam_matrix(p, k, matrix);
    for (int ij = 0; ij < 4; ij++) {
      for (int e = 0; e < 36; e++) block[e] = matrix[6 * (ij / 2) + e / 6][6 * (ij % 2) + e % 6];
      sink->add(sink, s, ends[ij / 2], s, ends[ij % 2], 6, 6, block);
    }
  }
}

static double beam_energy(dvObject *o, const dvMech *m)
{
  BeamForce *f = (BeamForce *)o;
  const double *x = dv_state_read(f->elastic.force.state, m->x);
  double sum = 0, d[12], force[12];
  for (size_t i = 0; i < f->beams.count; i++) {
    const Beam *p = &f->beams.data[i];
    displacement_of(p, x + 7 * (size_t)p->a, x + 7 * (size_t)p->b, d);
    dv_beam_stiffness_product(&p->k, d, force);
    for (int j = 6; j < 12; j++) sum += 0.5 * d[j] * force[j];
  }
  return sum;
}

static void beam_destroy(dvObject *o) { dv_array_free(&((BeamForce *)o)->beams); }

static const dvForceOps beam_ops = {
    .add_force = beam_add_force,
    .add_dforce = beam_add_dforce,
    .add_stiffness = beam_add_stiffness,
    .energy = beam_energy,
    DV_FORCE_SLOTS,
};

const dvClass dv_beam_class = {
    .struct_size = sizeof(dvClass),
    .name = "BeamFEMForceField",
    .help = "elastic beams along edges between frames",
    .module = "Sofa.Component.SolidMechanics.FEM.Elastic",
    .dofs = DV_DOF_RIGID3,
    .size = sizeof(BeamForce),
    .blocks = {&dv_object_block, &dv_force_block, &dv_elastic_block, DV_BLOCK(beam_fields)},
    .ops = {[DV_ROLE_FORCE] = &beam_ops},
    .init = beam_init,
    .reinit = beam_reinit,
    .destroy = beam_destroy,
    .topology_changed = beam_topology_changed,
};

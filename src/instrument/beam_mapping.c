// AdaptiveBeamMapping: points that the beams of an interpolation carry; MultiAdaptiveBeamMapping: points along what is
// outside of all instruments of a controller, from the tip to the sheath.
//
// A point of the centre line is the point of a Bézier curve, a sum of its four control points; each of these is carried
// by one of the two frames of the beam. So with Bernstein's weights w and e = (L/3, 0, 0)
//
//   x = (w0 + w1) c0 + R0 (w1 e) + (w2 + w3) c1 + R1 (-w2 e),
//
// which is what points on several frames do (mapping/nonlinear/frames.h). A point beside the centre line is carried by
// the frame of the curve there; its velocity is taken from the two frames of the beam in proportion w0 + w1 to w2 + w3,
// which is not quite the derivative, as in SOFA. Beams change while an instrument moves, so the points are distributed
// over them anew whenever positions are mapped.
#include "instrument/deploy.h"
#include "instrument/spline.h"
#include "mapping/linear/linear.h"
#include "mapping/nonlinear/frames.h"

#include <math.h>

extern const dvClass dv_beam_mapping_class, dv_multi_beam_mapping_class;

#define MAPPING_FIELDS(X)                                                                                          \
  X(bool, useCurvAbs, "1", "",                                                                                     \
    "the first number of a point is its place along the instrument; else the number of a beam plus a part of it")  \
  X(vec3s, points, "", "m", "points: place along the instrument, y and z; those of the output by default")         \
  X(real, proximity, "0", "m", "no effect: contacts have their own distance", .flags = DV_IDLE)                    \
  X(bool, contactDuplicate, "0", "", "no effect: contacts have points of their own", .flags = DV_IDLE | DV_HIDDEN) \
  X(string, nameOfInputMap, "", "", "no effect: contacts have points of their own", .flags = DV_IDLE | DV_HIDDEN)  \
  X(real, nbPointsPerBeam, "0", "", "so many points on each beam instead of `points`; 0: those")                   \
  X(reals, segmentsCurvAbs, "", "m", "where the points are along the instrument, with nbPointsPerBeam",            \
    .flags = DV_READ_ONLY)                                                                                         \
  X(bool, parallelMapping, "0", "", "no effect: threads are used where they pay", .flags = DV_IDLE)                \
  X(link, interpolation, "", "", "the beams; those of the node or above by default")

#define MULTI_FIELDS(X)                                                                                     \
  X(link, controller, "", "", "InterventionalRadiologyController; the one of the node or above by default", \
    .alias = "ircontroller")
#define MULTI_SHARED_FIELDS(X)                                                                         \
  X(bool, useCurvAbs, "1", "", "no effect: points are places along the instruments", .flags = DV_IDLE) \
  X(bool, parallelMapping, "0", "", "no effect: threads are used where they pay", .flags = DV_IDLE)

typedef struct Place {
  const dvBeams *beams;
  size_t beam;
  double t, y, z;
} Place;

typedef struct BeamMapping {
  dvFramesMapping frames;
  MAPPING_FIELDS(DV_MEMBER)
  MULTI_FIELDS(DV_MEMBER)
  dvBeams *beams;   // NULL: those of `hand`
  dvObject *hand;   // the controller
  size_t samples;   // points along its instruments
  DV_ARRAY(Place) places;
} BeamMapping;

#define SELF BeamMapping
static const dvFieldDesc mapping_fields[] = {MAPPING_FIELDS(DV_DESCRIBE)};
static const dvFieldDesc multi_fields[] = {MULTI_FIELDS(DV_DESCRIBE) MULTI_SHARED_FIELDS(DV_DESCRIBE)};
#undef SELF

// --- which beam carries which point ---

static void push_place(BeamMapping *m, double along, size_t beam, double t)
{
  size_t at = m->segmentsCurvAbs.count;
  if (dv_reals_resize(&m->segmentsCurvAbs, at + 1)) dv_reals_edit(&m->segmentsCurvAbs)[at] = along;
  dv_push(&m->places, ((Place){.beams = m->beams, .beam = beam, .t = t}));
}

// equal steps along each beam, carried over from beam to beam, and the tip
static void sample_beams(BeamMapping *m)
{
  const dvBeams *b = m->beams;
  double step = 1 / m->nbPointsPerBeam, t = 0, end = 0;
  m->segmentsCurvAbs.count = 0;
  for (size_t i = 0; i < dv_beams_count(b); i++, t -= 1) {
    double begin = i < b->curvAbsList.count / 2 ? b->curvAbsList.data[2 * i] : end;
    end = begin + b->lengthList.data[i];
    for (; t <= 1; t += step) push_place(m, begin + b->lengthList.data[i] * t, i, t);
  }
  if (fabs(t - step) > 0.01) push_place(m, end, dv_beams_count(b) - 1, 1);
  dv_touch(&m->frames.base.base, &m->segmentsCurvAbs);
}

static void place_points(BeamMapping *m)
{
  size_t beams = dv_beams_count(m->beams);
  for (size_t i = 0; i < dv_reals_size(&m->points); i++) {
    const double *p = m->points.data + 3 * i;
    Place place = {.beams = m->beams, .y = p[1], .z = p[2]};
    if (m->useCurvAbs) place.beam = dv_beams_at(m->beams, p[0], &place.t);
    else {
      double beam = fmin(fmax(floor(p[0]), 0), (double)(beams - 1));
      place.beam = (size_t)beam;
      place.t = fmin(fmax(p[0] - beam, 0), 1);
    }
    dv_push(&m->places, place);
  }
}

static bool beside(const Place *p)
{
  return sqrt(p->y * p->y + p->z * p->z) > 1e-10 * p->beams->lengthList.data[p->beam];
}

static void enter_point(BeamMapping *m, const Place *p)
{
  dvObject *o = &m->frames.base.base;
  size_t ends[2];
  dvPose local[2];
  double w[4], third = p->beams->lengthList.data[p->beam] / 3;
  dvVec3 side = beside(p) ? dv_vec3(0, p->y, p->z) : dv_vec3(0, 0, 0);
  dv_spline_weights(p->t, w);
  dv_beams_ends(p->beams, p->beam, ends);
  dv_beams_local(p->beams, p->beam, local);
  for (int i = 0; i < 2; i++) {
    double weight = i ? w[2] + w[3] : w[0] + w[1];
    dvVec3 arm = dv_vec3_add(dv_vec3(i ? -w[2] * third : w[1] * third, 0, 0), dv_vec3_scale(side, weight));
    dv_frames_add_arm(o, ends[i], weight,
                      dv_vec3_add(dv_vec3_scale(local[i].at, weight), dv_quat_rotate(local[i].turn, arm)));
  }
  dv_frames_end_point(o);
}

// from the tip to the sheath, each on the outermost instrument; those that are not out are at its end
static void sample_instruments(BeamMapping *m)
{
  dv_array_resize(&m->places, m->samples);
  dvDeployWalk walk = dv_deploy_walk(m->hand);
  for (size_t i = m->samples; i-- > 0;) {
    double along;
    Place p = {.beams = dv_deploy_next(&walk, &along)};
    p.beam = dv_beams_at(p.beams, along, &p.t);
    m->places.data[i] = p;
  }
}

static void wait_in_sheath(BeamMapping *m, size_t points)
{
  for (size_t i = 0; i < points; i++) {
    dv_frames_add(&m->frames.base.base, 0, 1, dv_vec3(0, 0, 0));
    dv_frames_end_point(&m->frames.base.base);
  }
}

// false when memory is short
static bool distribute(BeamMapping *m)
{
  dvObject *o = &m->frames.base.base;
  m->places.count = 0;
  dv_frames_clear(o);
  if (m->hand && !dv_deploy_is_out(m->hand)) wait_in_sheath(m, m->samples);
  else if (m->hand) sample_instruments(m);
  else if (dv_beams_count(m->beams) == 0) wait_in_sheath(m, dv_reals_size(&m->points));
  else if (m->useCurvAbs && m->nbPointsPerBeam > 0) sample_beams(m);
  else place_points(m);
  for (size_t i = 0; i < m->places.count; i++) enter_point(m, &m->places.data[i]);
  return dv_frames_settle(o, false) == DV_OK;
}

// --- operations ---

// points beside the centre line go with the frame of the curve
static dvVec3 place_now(const Place *p, const double *x)
{
  dvPose ends[2];
  dv_beams_poses(p->beams, p->beam, x, ends);
  return dv_pose_point(dv_spline_pose(ends, p->beams->lengthList.data[p->beam], p->t), dv_vec3(0, p->y, p->z));
}

static void beam_mapping_apply(dvObject *o, int out_x, int in_x)
{
  BeamMapping *m = (BeamMapping *)o;
  if (o->failed || !distribute(m)) return;
  dv_frames_ops.apply(o, out_x, in_x);
  const double *x = dv_state_read(m->frames.base.in, in_x);
  double *out = NULL;
  for (size_t i = 0; i < m->places.count; i++)
    if (beside(&m->places.data[i])) {
      if (!out) out = dv_state_write(m->frames.base.out, out_x);
      dv_vec3_store(out + 3 * i, place_now(&m->places.data[i], x));
    }
}

static void beam_mapping_apply_j(dvObject *o, int out_v, int in_v) { dv_frames_ops.apply_j(o, out_v, in_v); }
static void beam_mapping_apply_jt(dvObject *o, int in_f, int out_f) { dv_frames_ops.apply_jt(o, in_f, out_f); }
static void beam_mapping_row(dvObject *o, size_t i, dvMatrixSink *sink) { dv_frames_ops.row(o, i, sink); }

static void beam_mapping_add_jdot(dvObject *o, int out_a, int in_v) { dv_frames_ops.add_jdot(o, out_a, in_v); }

static const dvMappingOps beam_mapping_ops = {
    .apply = beam_mapping_apply,
    .apply_j = beam_mapping_apply_j,
    .apply_jt = beam_mapping_apply_jt,
    .build_j = dv_mapping_build_rows,
    .row = beam_mapping_row,
    .add_jdot = beam_mapping_add_jdot,
    DV_MAPPING_SLOTS,
};

// --- set-up ---

static dvStatus check_points(const BeamMapping *m)
{
  const dvObject *o = &m->frames.base.base;
  for (size_t i = 0; i < m->points.count; i++)
    if (!(fabs(m->points.data[i]) < 1e100))
      return dv_field_error(o, &m->points, NULL, "points has %g", m->points.data[i]);
  if (!(m->nbPointsPerBeam >= 0 && m->nbPointsPerBeam <= 1000))
    return dv_field_error(o, &m->nbPointsPerBeam, NULL, "nbPointsPerBeam %g is not between 0 and 1000",
                          m->nbPointsPerBeam);
  size_t outside = 0;
  for (size_t i = 0; i < dv_reals_size(&m->points) && !m->useCurvAbs; i++)
    outside += !(m->points.data[3 * i] >= 0 && m->points.data[3 * i] <= (double)dv_beams_count(m->beams));
  if (outside)
    dv_field_warning(o, &m->points, "the first number of a point is that of a beam, plus a part of it",
                     "%zu points are beyond the %zu beams: they are at their ends", outside, dv_beams_count(m->beams));
  return DV_OK;
}

static dvStatus beam_mapping_init(dvObject *o)
{
  BeamMapping *m = (BeamMapping *)o;
  m->beams = dv_beams_find(o, &m->interpolation, true);
  if (!m->beams) return DV_ERROR_INPUT;
  if (m->beams->state != m->frames.base.in)
    return dv_error(o, "link the state of the beams as input", "the beams of %s join frames of another state",
                    m->beams->base.name);
  dvState *out = m->frames.base.out;
  if (m->points.count == 0 && out->count) {
    if (!dv_reals_assign(&m->points, dv_state_read(out, DV_X), 3 * out->count))
      return dv_error(o, NULL, "out of memory for %zu points", out->count);
  }
  DV_TRY(check_points(m));
  if (m->points.count == 0 && m->nbPointsPerBeam == 0)
    dv_warning(o, "give points=\"…\", or positions of the output", "%s maps no points", o->name);
  return distribute(m) ? DV_OK : DV_ERROR_INPUT;
}

static void beam_mapping_destroy(dvObject *o)
{
  dv_array_free(&((BeamMapping *)o)->places);
  dv_frames_destroy(o);
}

// the line of the points, for collision models, as long as the instrument with most edges
static dvStatus fill_line(BeamMapping *m, double step)
{
  dvObject *o = &m->frames.base.base, *found = dv_node_find(o->node, DV_ROLE_TOPOLOGY);
  if (!found || dv_topology(found)->maker)
    return dv_error(o, "add an EdgeSetTopologyContainer to the node", "%s finds no topology for its line", o->name);
  dvTopology *t = dv_topology(found);
  if (!dv_topology_make_line(t, m->samples)) return dv_error(o, NULL, "out of memory for %zu points", m->samples);
  double *x = dv_reals_edit(&t->position);
  for (size_t i = 0; i < m->samples; i++) x[3 * i] = step * (double)i;
  return dv_topology_settle(t);
}

static dvStatus multi_init(dvObject *o)
{
  BeamMapping *m = (BeamMapping *)o;
  m->hand = m->controller.target;
  for (const dvNode *n = o->node; !m->hand && n; n = n->parents.count ? n->parents.data[0] : NULL)
    for (size_t i = 0; i < n->objects.count; i++)
      if (n->objects.data[i]->cls == &dv_deploy_class) m->hand = n->objects.data[i];
  if (!m->hand || m->hand->cls != &dv_deploy_class)
    return dv_field_error(o, &m->controller, "link an InterventionalRadiologyController: controller=\"@…\"",
                          "%s finds no controller of instruments", o->name);
  DV_TRY(dv_object_ensure(m->hand));
  if (dv_deploy_state(m->hand) != m->frames.base.in)
    return dv_error(o, "link the state of the instruments as input",
                    "the instruments of %s join frames of another state", m->hand->name);
  double step;
  m->samples = dv_deploy_collision_edges(m->hand, &step) + 1;
  DV_TRY(fill_line(m, step));
  if (!distribute(m)) return DV_ERROR_INPUT;
  double *rest = dv_state_write(m->frames.base.out, DV_X_REST);
  for (size_t i = 0; i < m->samples; i++) rest[3 * i] = step * (double)i;
  return DV_OK;
}

static const dvDofPair pairs[] = {{DV_DOF_RIGID3, 0, DV_DOF_VEC3}, {0}};

const dvClass dv_beam_mapping_class = {
    .struct_size = sizeof(dvClass),
    .name = "AdaptiveBeamMapping",
    .help = "points that curved beams carry",
    .module = "BeamAdapter",
    .dofs = DV_DOF_RIGID3,
    .dofs_out = DV_DOF_VEC3,
    .pairs = pairs,
    .size = sizeof(BeamMapping),
    .blocks = {&dv_object_block, &dv_mapping_block, DV_BLOCK(mapping_fields)},
    .ops = {[DV_ROLE_MAPPING] = &beam_mapping_ops},
    .link = dv_mapping_link,
    .init = beam_mapping_init,
    .destroy = beam_mapping_destroy,
    .topology_changed = dv_mapping_cannot_follow,
};

const dvClass dv_multi_beam_mapping_class = {
    .struct_size = sizeof(dvClass),
    .name = "MultiAdaptiveBeamMapping",
    .help = "points along the outermost of several coaxial instruments, for collision models",
    .module = "BeamAdapter",
    .dofs = DV_DOF_RIGID3,
    .dofs_out = DV_DOF_VEC3,
    .pairs = pairs,
    .size = sizeof(BeamMapping),
    .blocks = {&dv_object_block, &dv_mapping_block, DV_BLOCK(multi_fields)},
    .ops = {[DV_ROLE_MAPPING] = &beam_mapping_ops},
    .link = dv_mapping_link,
    .init = multi_init,
    .destroy = beam_mapping_destroy,
    .topology_changed = dv_mapping_cannot_follow,
};

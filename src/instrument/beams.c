// BeamInterpolation and WireBeamInterpolation: see beams.h.
#include "instrument/beams.h"

#include "instrument/spline.h"
#include "object/compat.h"

#include <math.h>

#define MODULE "BeamAdapter"

#define PLAIN_FIELDS(X)                                                                                             \
  X(choice, crossSectionShape, "circular", "", "shape of the sections", .options = "circular|elliptic|rectangular") \
  X(reals, radius, "1", "m", "radius of circular sections, one for all or one each edge")                           \
  X(reals, innerRadius, "0", "m", "radius of their bores")                                                          \
  X(real, sideLength, "1", "m", "no effect: give lengthY and lengthZ", .flags = DV_IDLE)                            \
  X(real, smallRadius, "1", "m", "half of the width of elliptic sections along y")                                  \
  X(real, largeRadius, "1", "m", "half of the width of elliptic sections along z")                                  \
  X(reals, lengthY, "1", "m", "width of rectangular sections along y")                                              \
  X(reals, lengthZ, "1", "m", "width of rectangular sections along z")                                              \
  X(reals, defaultYoungModulus, "100000", "Pa", "Young's modulus, one for all or one each edge")                    \
  X(reals, defaultPoissonRatio, "0.4", "", "Poisson's ratio, one for all or one each edge")                         \
  X(bool, straight, "1", "", "beams are straight at rest; else as the rest positions have them")                    \
  X(choice, vecID, "current", "", "positions that InterpolatedPos is made of", .options = "current|free|rest")      \
  X(vec2s, InterpolationInputs, "", "", "places to follow: a beam and a number from 0 to 1 along it")               \
  X(frames, InterpolatedPos, "", "m", "where these places are", .flags = DV_OUTPUT)                                 \
  X(vec6s, InterpolatedVel, "", "m/s", "how they move", .flags = DV_OUTPUT)

#define WIRE_FIELDS(X) X(link, WireRestShape, "", "", "shape of the instrument at rest", .flags = DV_REQUIRED)

typedef struct Plain {
  dvBeams beams;
  PLAIN_FIELDS(DV_MEMBER)
} Plain;

typedef struct Wire {
  dvBeams beams;
  WIRE_FIELDS(DV_MEMBER)
} Wire;

#define SELF dvBeams
static const dvFieldDesc beams_fields[] = {DV_BEAMS_FIELDS(DV_DESCRIBE)};
// a controller changes them while it runs
static const dvMemoryDesc wire_memory[] = {
    DV_REMEMBER(ints, edgeList) DV_REMEMBER(reals, lengthList) DV_REMEMBER(reals, DOF0TransformNode0)
        DV_REMEMBER(reals, DOF1TransformNode1) DV_REMEMBER(reals, curvAbsList) DV_REMEMBER(ints, beamCollision)
            DV_REMEMBER(numbers, dofsAndBeamsAligned) DV_REMEMBER(array, ends)};
#undef SELF
#define SELF Plain
static const dvFieldDesc plain_fields[] = {PLAIN_FIELDS(DV_DESCRIBE)};
#undef SELF
#define SELF Wire
static const dvFieldDesc wire_fields[] = {WIRE_FIELDS(DV_DESCRIBE)};
#undef SELF

// --- what others ask -----------------------------------------------------------------------------

dvBeams *dv_beams(dvObject *o)
{
  return o && (o->cls == &dv_beam_interpolation_class || o->cls == &dv_wire_interpolation_class) ? (dvBeams *)o : NULL;
}

static dvBeams *beams_of_node(const dvNode *node)
{
  for (size_t i = 0; i < node->objects.count; i++)
    if (dv_beams(node->objects.data[i])) return dv_beams(node->objects.data[i]);
  return NULL;
}

dvBeams *dv_beams_find(dvObject *o, dvLink *link, bool up)
{
  dvBeams *b = dv_beams(link->target);
  if (link->target && !b) {
    dv_field_error(o, link, "link a BeamInterpolation or WireBeamInterpolation", "%s interpolates no beams",
                   link->target->name);
    return NULL;
  }
  for (const dvNode *n = o->node; !b && n; n = up && n->parents.count ? n->parents.data[0] : NULL) b = beams_of_node(n);
  if (!b) dv_error(o, "add a BeamInterpolation, or link it: interpolation=\"@…\"", "%s finds no beams", o->name);
  else if (dv_object_ensure(&b->base) != DV_OK) return NULL;
  return b;
}

void dv_beams_ends(const dvBeams *b, size_t beam, size_t out[2])
{
  out[0] = (size_t)b->ends.data[2 * beam];
  out[1] = (size_t)b->ends.data[2 * beam + 1];
}

void dv_beams_local(const dvBeams *b, size_t beam, dvPose out[2])
{
  for (int i = 0; i < 2; i++) {
    const dvReals *poses = i ? &b->DOF1TransformNode1 : &b->DOF0TransformNode0;
    out[i] = b->dofsAndBeamsAligned ? dv_pose_identity() : dv_pose_load(poses->data + 7 * beam);
  }
}

// SOFA keeps of a pose its rotation q and the place of the world's origin in it, -q* t, and turns that to get the place
// back: q q* t, which is t where q has unit length. This is q* t of an end; *turn gets its q.
static dvVec3 place_inside(const dvBeams *b, size_t beam, int end, const double *x, dvQuat *turn)
{
  dvPose local[2], frame = dv_pose_load(x + 7 * (size_t)b->ends.data[2 * beam + (size_t)end]);
  dv_beams_local(b, beam, local);
  *turn = dv_quat_mul(frame.turn, local[end].turn);
  dvVec3 inside = dv_vec3_add(local[end].at, dv_quat_inverse_rotate(frame.turn, frame.at));
  return dv_quat_inverse_rotate(local[end].turn, inside);
}

void dv_beams_poses(const dvBeams *b, size_t beam, const double *x, dvPose out[2])
{
  size_t ends[2];
  dv_beams_ends(b, beam, ends);
  dv_beams_local(b, beam, out);
  for (int i = 0; i < 2; i++) {
    dvPose frame = dv_pose_load(x + 7 * ends[i]);
    if (b->skewed) {
      dvVec3 inside = place_inside(b, beam, i, x, &out[i].turn);
      out[i].at = dv_quat_rotate(out[i].turn, inside);
    } else {
      frame.turn = dv_quat_normalise(frame.turn);
      out[i] = dv_pose_mul(frame, out[i]);
    }
  }
}

void dv_beams_seen_from(const dvBeams *b, dvPose frame, size_t beam, const double *x, dvPose out[2])
{
  if (!b->skewed) dv_beams_poses(b, beam, x, out);
  for (int i = 0; i < 2; i++) {
    if (b->skewed) {
      dvQuat turn;
      dvVec3 inside = place_inside(b, beam, i, x, &turn);
      out[i].turn = dv_quat_mul(dv_quat_inverse(frame.turn), turn);
      out[i].at = dv_quat_rotate(out[i].turn, dv_vec3_sub(inside, dv_quat_inverse_rotate(turn, frame.at)));
    } else out[i] = dv_pose_from(frame, out[i]);
  }
}

static void rest_of_wire(const dvBeams *b, size_t beam, dvPose out[2])
{
  const double *x = b->curvAbsList.data + 2 * beam;
  dvPose middle = dv_wire_shape_pose(b->shape, (x[0] + x[1]) / 2);
  for (int i = 0; i < 2; i++) out[i] = dv_pose_from(middle, dv_wire_shape_pose(b->shape, x[i]));
}

void dv_beams_rest(const dvBeams *b, size_t beam, dvPose out[2])
{
  double length = b->lengthList.data[beam];
  if (b->shape) rest_of_wire(b, beam, out);
  else if (((const Plain *)b)->straight) {
    out[0] = (dvPose){{-length / 2, 0, 0}, {0, 0, 0, 1}};
    out[1] = (dvPose){{length / 2, 0, 0}, {0, 0, 0, 1}};
  } else {
    const double *x = dv_state_read(b->state, DV_X_REST);
    dv_beams_poses(b, beam, x, out);
    dv_beams_seen_from(b, dv_spline_pose(out, length, 0.5), beam, x, out);
  }
}

static double pick(const dvReals *list, size_t i) { return list->data[i < list->count ? i : 0]; }

static dvBeamSection section_of(const Plain *p, size_t edge)
{
  double pi = acos(-1.0), a = p->smallRadius, c = p->largeRadius;
  switch (p->crossSectionShape) {
  case 1:
    return (dvBeamSection){pi * a * c, pi * a * c * c * c / 4, pi * a * a * a * c / 4,
                           pi * a * a * a * c * c * c / (a * a + c * c)};
  case 2:
    return dv_beam_rectangle(pick(&p->lengthY, edge), pick(&p->lengthZ, edge));
  default:
    return dv_beam_circle(pick(&p->radius, edge), pick(&p->innerRadius, edge));
  }
}

dvBeamMaterial dv_beams_material(const dvBeams *b, size_t beam)
{
  if (b->shape) {
    const dvRodSection *s = dv_wire_shape_part(b->shape, b->curvAbsList.data[2 * beam + 1]);
    return (dvBeamMaterial){s->section, s->youngModulus, s->poissonRatio, s->massDensity};
  }
  const Plain *p = (const Plain *)b;
  return (dvBeamMaterial){section_of(p, beam), pick(&p->defaultYoungModulus, beam), pick(&p->defaultPoissonRatio, beam),
                          -1};
}

static double length_out(const dvBeams *b) { return b->reach.count ? b->reach.data[b->reach.count - 1] : 0; }

double dv_beams_total_length(const dvBeams *b) { return b->shape ? dv_wire_shape_length(b->shape) : length_out(b); }

size_t dv_beams_at(const dvBeams *b, double along, double *t)
{
  double at = along + length_out(b) - dv_beams_total_length(b);
  size_t low = 0, high = b->reach.count;   // the first beam that ends behind
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (b->reach.data[middle] > at) high = middle;
    else low = middle + 1;
  }
  if (low == b->reach.count) {
    *t = 1;
    return low - 1;
  }
  double length = b->lengthList.data[low];
  *t = at < 0 ? 0 : (at - (b->reach.data[low] - length)) / length;
  return at < 0 ? 0 : low;
}

static void sum_lengths(dvBeams *b)
{
  double sum = 0;
  b->reach.count = 0;
  for (size_t i = 0; i < b->edgeList.count; i++) {
    sum += b->lengthList.data[i];
    dv_push(&b->reach, sum);
  }
}

static void lay_out(dvBeams *b)
{
  const dvInts *edges = dv_topology_elements(b->topology, DV_EDGE);
  sum_lengths(b);
  b->ends.count = 0;
  for (size_t i = 0; i < b->edgeList.count; i++) {
    const int32_t *edge = edges->data + 2 * (size_t)b->edgeList.data[i];
    dv_push(&b->ends, edge[0]);
    dv_push(&b->ends, edge[1]);
  }
}

// --- for controllers ---

void dv_beams_clear(dvBeams *b)
{
  b->edgeList.count = b->lengthList.count = b->curvAbsList.count = 0;
  b->DOF0TransformNode0.count = b->DOF1TransformNode1.count = b->beamCollision.count = 0;
}

static void append(dvReals *list, const double *values, size_t count)
{
  size_t at = list->count;
  if (!dv_reals_resize(list, at + count)) return;
  for (size_t i = 0; i < count; i++) dv_reals_edit(list)[at + i] = values[i];
}

void dv_beams_add(dvBeams *b, size_t edge, double length, double begin, double end, dvQuat turn)
{
  double pose[7], along[2] = {begin, end};
  dv_pose_store(pose, (dvPose){{0, 0, 0}, turn});
  b->dofsAndBeamsAligned = false;
  append(&b->lengthList, &length, 1);
  append(&b->curvAbsList, along, 2);
  append(&b->DOF0TransformNode0, pose, 7);
  append(&b->DOF1TransformNode1, pose, 7);
  size_t at = b->edgeList.count;
  if (dv_ints_resize(&b->edgeList, at + 1)) dv_ints_edit(&b->edgeList)[at] = (int32_t)edge;
}

void dv_beams_changed(dvBeams *b)
{
  lay_out(b);
  dv_touch(&b->base, &b->edgeList);
  dv_touch(&b->base, &b->lengthList);
  dv_touch(&b->base, &b->curvAbsList);
  dv_touch(&b->base, &b->DOF0TransformNode0);
  dv_touch(&b->base, &b->DOF1TransformNode1);
  dv_touch(&b->base, &b->beamCollision);
}

void dv_beams_join(dvBeams *b, size_t beam, int end, size_t dof, dvPose local)
{
  dvReals *poses = end ? &b->DOF1TransformNode1 : &b->DOF0TransformNode0;
  b->ends.data[2 * beam + (size_t)end] = (int32_t)dof;
  dv_pose_store(dv_reals_edit(poses) + 7 * beam, local);
}

// --- set-up --------------------------------------------------------------------------------------

static dvStatus find_companions(dvBeams *b)
{
  dvObject *o = &b->base, *state = dv_node_state_up(o->node), *t = dv_node_find_up(o->node, DV_ROLE_TOPOLOGY);
  if (!state) return dv_error(o, "add a MechanicalObject of frames", "%s finds no state", o->name);
  if (!t) return dv_error(o, "add a topology with edges", "%s finds no topology", o->name);
  DV_TRY(dv_object_ensure(state));
  DV_TRY(dv_object_ensure(t));
  if (state->dof->kind != DV_RIGID3)
    return dv_error(o, "use template=\"Rigid3\"", "the state %s has no frames", state->name);
  b->state = dv_state(state);
  b->topology = dv_topology(t);
  const dvInts *edges = dv_topology_elements(b->topology, DV_EDGE);
  if (edges->count == 0) return dv_error(o, "give the topology edges", "the topology %s has no edges", t->name);
  for (size_t i = 0; i < edges->count; i++)
    if (edges->data[i] < 0 || (size_t)edges->data[i] >= b->state->count)
      return dv_error(o, NULL, "an edge of %s names frame %d, but the state %s has %zu", t->name, edges->data[i],
                      state->name, b->state->count);
  return DV_OK;
}

static dvStatus check_list(const dvObject *o, const dvReals *list, double least, double most)
{
  const char *name = dv_field_name(dv_field_of(o, list)->desc);
  if (list->count == 0) return dv_field_error(o, list, NULL, "%s has no value", name);
  for (size_t i = 0; i < list->count; i++)
    if (!(list->data[i] >= least && list->data[i] <= most))
      return dv_field_error(o, list, NULL, "%s %g is not between %g and %g", name, list->data[i], least, most);
  return DV_OK;
}

static dvStatus check_material(Plain *p)
{
  const dvObject *o = &p->beams.base;
  const double tiny = DBL_MIN, huge = 1e100;
  DV_TRY(check_list(o, &p->radius, tiny, huge));
  DV_TRY(check_list(o, &p->innerRadius, 0, huge));
  DV_TRY(check_list(o, &p->lengthY, tiny, huge));
  DV_TRY(check_list(o, &p->lengthZ, tiny, huge));
  DV_TRY(check_list(o, &p->defaultYoungModulus, 0, huge));
  DV_TRY(check_list(o, &p->defaultPoissonRatio, -0.999999, 0.5));
  for (size_t i = 0; i < p->radius.count || i < p->innerRadius.count; i++)
    if (pick(&p->innerRadius, i) >= pick(&p->radius, i))
      return dv_field_error(o, &p->innerRadius, NULL, "innerRadius %g is not below the radius, %g",
                            pick(&p->innerRadius, i), pick(&p->radius, i));
  if (!(p->smallRadius > 0 && p->largeRadius > 0))
    return dv_field_error(o, &p->smallRadius, NULL, "radii of ellipses are %g and %g: give positive numbers",
                          p->smallRadius, p->largeRadius);
  return DV_OK;
}

// where the scene gives no lengths: those of the curves, from which they are made, so by iteration
static dvStatus measure_beams(Plain *p)
{
  dvBeams *b = &p->beams;
  size_t count = dv_topology_count(b->topology, DV_EDGE);
  if (!dv_ints_resize(&b->edgeList, count) || !dv_reals_resize(&b->lengthList, count))
    return dv_error(&b->base, NULL, "out of memory for %zu beams", count);
  for (size_t i = 0; i < count; i++) dv_ints_edit(&b->edgeList)[i] = (int32_t)i;
  lay_out(b);
  const double *x = dv_state_read(b->state, DV_X);
  for (size_t i = 0; i < count; i++) {
    dvPose ends[2];
    dv_beams_poses(b, i, x, ends);
    double length = dv_vec3_norm(dv_vec3_sub(ends[1].at, ends[0].at));
    for (int k = 0; k < 3; k++) {
      dvSpline s = dv_spline(ends, length);
      length = dv_spline_length(&s);
    }
    if (!(length > 0)) return dv_error(&b->base, "move its ends apart", "beam %zu has no length", i);
    dv_reals_edit(&b->lengthList)[i] = length;
  }
  return DV_OK;
}

static bool has_poses(const dvBeams *b, size_t count)
{
  return dv_reals_size(&b->DOF0TransformNode0) == count && dv_reals_size(&b->DOF1TransformNode1) == count;
}

// frames that somebody wrote down with few digits: integration keeps the length
static bool has_long_frames(const dvState *s)
{
  const double *x = dv_state_read(s, DV_X);
  for (size_t i = 0; i < s->count; i++) {
    dvQuat q = dv_quat_load(x + 7 * i);
    if (fabs(dv_quat_dot(q, q) - 1) > 1e-10) return true;
  }
  return false;
}

static dvStatus plain_init(dvObject *o)
{
  Plain *p = (Plain *)o;
  dvBeams *b = &p->beams;
  DV_TRY(find_companions(b));
  b->skewed = has_long_frames(b->state) && dv_compat(o, DV_COMPAT_FRAME_LENGTH);
  DV_TRY(check_material(p));
  size_t edges = dv_topology_count(b->topology, DV_EDGE), count = b->edgeList.count ? b->edgeList.count : edges;
  if (!b->dofsAndBeamsAligned && !has_poses(b, count))
    return dv_field_error(o, &b->dofsAndBeamsAligned,
                          "give DOF0TransformNode0 and DOF1TransformNode1, seven numbers a beam",
                          "the beams are not aligned with their frames, and their poses are not given");
  for (size_t i = 0; i < b->edgeList.count; i++)
    if (b->edgeList.data[i] < 0 || (size_t)b->edgeList.data[i] >= edges)
      return dv_field_error(o, &b->edgeList, NULL, "there is no edge %d, only %zu", b->edgeList.data[i], edges);
  if (b->edgeList.count == 0 || b->lengthList.count != b->edgeList.count) DV_TRY(measure_beams(p));
  DV_TRY(check_list(o, &b->lengthList, DBL_MIN, 1e100));
  lay_out(b);
  dvElementList *l = dv_follow_list(o, b->topology, DV_EDGE, &b->edgeList);
  l->heirs = true;
  dv_element_list_add_reals(l, &b->lengthList, false);
  dv_element_list_add_reals(l, &b->DOF0TransformNode0, true);
  dv_element_list_add_reals(l, &b->DOF1TransformNode1, true);
  return DV_OK;
}

static void plain_topology_changed(dvObject *o) { lay_out((dvBeams *)o); }

// beams of an instrument are numbers of edges along a line that does not change
static void wire_topology_changed(dvObject *o)
{
  dv_error(o, "change another topology", "the line of the frames of %s has changed: its beams are lost", o->name);
  dv_beams_clear((dvBeams *)o);
  lay_out((dvBeams *)o);
}

static dvStatus wire_init(dvObject *o)
{
  Wire *w = (Wire *)o;
  dvObject *shape = w->WireRestShape.target;
  if (!shape || shape->cls != &dv_wire_shape_class)
    return dv_field_error(o, &w->WireRestShape, "link it: WireRestShape=\"@…\"", "%s finds no WireRestShape", o->name);
  DV_TRY(dv_object_ensure(shape));
  w->beams.shape = (dvWireShape *)shape;
  dv_beams_clear(&w->beams);
  DV_TRY(find_companions(&w->beams));
  dv_follow(o, w->beams.topology);
  return DV_OK;
}

static dvStatus wire_bwd_init(dvObject *o)
{
  if (!((dvBeams *)o)->controller)
    dv_warning(o, "add an InterventionalRadiologyController that names it in `instruments`, or a SutureController",
               "no controller lays out the beams of %s: there are none", o->name);
  return DV_OK;
}

static bool wire_restored(dvObject *o)
{
  dvBeams *b = (dvBeams *)o;
  size_t count = b->edgeList.count, edges = dv_topology_count(b->topology, DV_EDGE);
  bool fits = b->lengthList.count == count && b->curvAbsList.count == 2 * count && (count == 0 || has_poses(b, count));
  for (size_t i = 0; i < count && fits; i++)
    fits = b->edgeList.data[i] >= 0 && (size_t)b->edgeList.data[i] < edges && b->lengthList.data[i] > 0;
  fits = fits && b->ends.count == 2 * count;
  for (size_t i = 0; i < b->ends.count && fits; i++)
    fits = b->ends.data[i] >= 0 && (size_t)b->ends.data[i] < b->state->count;
  if (fits) sum_lengths(b);
  return fits;
}

// --- places that are followed ---

static dvStatus plain_update(dvObject *o)
{
  Plain *p = (Plain *)o;
  const dvBeams *b = &p->beams;
  size_t count = dv_reals_size(&p->InterpolationInputs);
  if (!b->state || !o->initialised) return DV_OK;
  if (!dv_reals_resize(&p->InterpolatedPos, 7 * count) || !dv_reals_resize(&p->InterpolatedVel, 6 * count))
    return dv_error(o, NULL, "out of memory for %zu places", count);
  const int vectors[3] = {DV_X, DV_X_FREE, DV_X_REST};
  const double *x = dv_state_read(b->state, vectors[p->vecID]),
               *v = dv_state_read(b->state, p->vecID == 1 ? DV_V_FREE : DV_V);
  double *pos = dv_reals_edit(&p->InterpolatedPos), *vel = dv_reals_edit(&p->InterpolatedVel);
  for (size_t i = 0; i < count; i++) {
    double beam = p->InterpolationInputs.data[2 * i], t = p->InterpolationInputs.data[2 * i + 1];
    if (!(beam >= 0 && beam < (double)dv_beams_count(b)))
      return dv_field_error(o, &p->InterpolationInputs, NULL, "there is no beam %g, only %zu", beam, dv_beams_count(b));
    size_t ends[2], at = (size_t)beam;
    dvPose poses[2];
    dv_beams_ends(b, at, ends);
    dv_beams_poses(b, at, x, poses);
    dv_pose_store(pos + 7 * i, dv_spline_pose(poses, b->lengthList.data[at], t));
    for (int k = 0; k < 6; k++)
      vel[6 * i + k] = p->vecID == 2 ? 0 : (1 - t) * v[6 * ends[0] + k] + t * v[6 * ends[1] + k];
  }
  return DV_OK;
}

static dvStatus plain_fetch(dvObject *o, dvField *f)
{
  Plain *p = (Plain *)o;
  return f->value == &p->InterpolatedPos || f->value == &p->InterpolatedVel ? plain_update(o) : DV_OK;
}

static void beams_destroy(dvObject *o)
{
  dv_array_free(&((dvBeams *)o)->ends);
  dv_array_free(&((dvBeams *)o)->reach);
}

const dvClass dv_beam_interpolation_class = {
    .struct_size = sizeof(dvClass),
    .name = "BeamInterpolation",
    .help = "curved beams along the edges of a topology, for AdaptiveBeamForceFieldAndMass and AdaptiveBeamMapping",
    .module = MODULE,
    .dofs = DV_DOF_RIGID3,
    .roles = DV_PLAYS(DV_ROLE_SETTING),
    .size = sizeof(Plain),
    .blocks = {&dv_object_block, DV_BLOCK(beams_fields), DV_BLOCK(plain_fields)},
    .init = plain_init,
    .reinit = plain_init,
    .fetch = plain_fetch,
    .destroy = beams_destroy,
    .topology_changed = plain_topology_changed,
};

const dvClass dv_wire_interpolation_class = {
    .struct_size = sizeof(dvClass),
    .name = "WireBeamInterpolation",
    .help = "beams along an instrument, laid out as it comes out of its sheath",
    .module = MODULE,
    .dofs = DV_DOF_RIGID3,
    .roles = DV_PLAYS(DV_ROLE_SETTING),
    .size = sizeof(Wire),
    .blocks = {&dv_object_block, DV_BLOCK(beams_fields), DV_BLOCK(wire_fields)},
    .init = wire_init,
    .bwd_init = wire_bwd_init,
    .destroy = beams_destroy,
    .topology_changed = wire_topology_changed,
    DV_MEMORY(wire_memory),
    .restored = wire_restored,
};

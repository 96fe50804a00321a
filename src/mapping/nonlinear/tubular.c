// TubularMapping: a circle of points around each frame of a line, in its y z plane.
//
//   p_j = rho (0, cos 2 pi j / n, sin 2 pi j / n)
//
// `peak` n > 0 lets the radius grow from zero over the first n frames, n < 0 shrink to zero over the last -n.
// BeamLinearMapping: points between the frames of a line of beams.
//
//   x = (1 - s) (c_i + L R_i p) + s (c_(i+1) + L R_(i+1) (p - e_x)),   s = 3 p_x^2 - 2 p_x^3
//
// with p in units of the beam's length L, p_x counted from its first frame.
#include "mapping/linear/linear.h"
#include "mapping/nonlinear/frames.h"
#include "mapping/register.h"

#include <math.h>

static const dvDofPair pairs[] = {{DV_DOF_RIGID3, 0, DV_DOF_VEC3}, {0}};

// --- circles -------------------------------------------------------------------------------------

#define TUBULAR_FIELDS(X)                                                              \
  X(int, nbPointsOnEachCircle, "0", "", "points of each circle", .flags = DV_REQUIRED) \
  X(real, radius, "0", "m", "radius of the circles", .flags = DV_REQUIRED)             \
  X(int, peak, "0", "", "frames over which the radius grows from zero; over the last ones, when negative")

typedef struct Tubular {
  dvFramesMapping frames;
  TUBULAR_FIELDS(DV_MEMBER)
} Tubular;

#define SELF Tubular
static const dvFieldDesc tubular_fields[] = {TUBULAR_FIELDS(DV_DESCRIBE)};
#undef SELF

static double radius_at(const Tubular *t, long frame, long frames)
{
  long peak = t->peak, last = frames - 1 - frame;
  if (peak > 0 && frame < peak) return t->radius * (double)frame / (double)peak;
  if (peak < 0 && last < -peak) return t->radius * (double)last / (double)-peak;
  return t->radius;
}

static dvStatus tubular_init(dvObject *o)
{
  Tubular *t = (Tubular *)o;
  size_t frames = t->frames.base.in->count;
  if (!dv_was_set(o, &t->radius) || !isfinite(t->radius))
    return dv_error(o, "give radius=\"…\"", "TubularMapping needs the radius of its circles");
  if (t->nbPointsOnEachCircle < 1 || t->nbPointsOnEachCircle > 100000)
    return dv_field_error(o, &t->nbPointsOnEachCircle, NULL,
                          "nbPointsOnEachCircle is %d: a circle has 1 to 100000 points", t->nbPointsOnEachCircle);
  if (frames * (size_t)t->nbPointsOnEachCircle > INT32_MAX / 3)
    return dv_error(o, NULL, "%zu circles are too many", frames);
  dv_frames_clear(o);
  for (size_t i = 0; i < frames; i++)
    for (int j = 0; j < t->nbPointsOnEachCircle; j++) {
      double angle = 2.0 * j * 3.14159265358979323846 / t->nbPointsOnEachCircle,
             rho = radius_at(t, (long)i, (long)frames);
      dv_frames_add(o, i, 1, dv_vec3(0, rho * cos(angle), rho * sin(angle)));
      dv_frames_end_point(o);
    }
  return dv_frames_settle(o, true);
}

const dvClass dv_tubular_mapping_class = {
    .struct_size = sizeof(dvClass),
    .name = "TubularMapping",
    .help = "a circle of points around each frame of a line: the surface of a tube",
    .module = "Sofa.Component.Mapping.Linear",
    .dofs = DV_DOF_RIGID3,
    .dofs_out = DV_DOF_VEC3,
    .pairs = pairs,
    .size = sizeof(Tubular),
    .blocks = {&dv_object_block, &dv_mapping_block, DV_BLOCK(tubular_fields)},
    .ops = {[DV_ROLE_MAPPING] = &dv_frames_ops},
    .link = dv_mapping_link,
    .init = tubular_init,
    .destroy = dv_frames_destroy,
    .topology_changed = dv_mapping_cannot_follow,
};

// --- beams ---------------------------------------------------------------------------------------

#define BEAM_FIELDS(X)                                                                                             \
  X(bool, localCoord, "1", "",                                                                                     \
    "the first positions are along the line of beams: number of the beam and lengths of it; else they are in the " \
    "world")
#define THREAD_FIELDS(X) \
  X(int, granularity, "32", "", "accepted: threads share the work by themselves", .flags = DV_HIDDEN)

typedef struct Beams {
  dvFramesMapping frames;
  BEAM_FIELDS(DV_MEMBER)
  THREAD_FIELDS(DV_MEMBER)
} Beams;

#define SELF Beams
static const dvFieldDesc beam_fields[] = {BEAM_FIELDS(DV_DESCRIBE)};
static const dvFieldDesc thread_fields[] = {THREAD_FIELDS(DV_DESCRIBE)};
#undef SELF

// from the world to lengths along the line, which is taken as straight from its first frame on
static dvVec3 along_line(const double *x, size_t beams, const double *length, dvVec3 world)
{
  dvVec3 p = dv_frame_local(x, world);
  size_t j = 0;
  while (j < beams && p.x >= length[j]) p.x -= length[j++];
  p = dv_vec3_scale(p, 1 / length[j < beams ? j : beams - 1]);
  p.x += (double)j;
  return p;
}

static dvStatus beam_init(dvObject *o)
{
  Beams *b = (Beams *)o;
  dvState *in = b->frames.base.in, *out = b->frames.base.out;
  size_t beams = in->count - 1, n = out->count;
  if (in->count < 2)
    return dv_error(o, NULL, "the input %s has %zu frames; a beam needs two", in->base.name, in->count);
  const double *x = dv_state_read(in, DV_X), *y = dv_state_read(out, DV_X);
  double *length = dv_alloc((beams + 1) * sizeof *length);
  dvStatus status = DV_OK;
  for (size_t i = 0; i < beams; i++) {
    length[i] = dv_vec3_norm(dv_vec3_sub(dv_vec3_load(x + 7 * i), dv_vec3_load(x + 7 * i + 7)));
    if (!(length[i] > 0) && status == DV_OK)
      status = dv_error(o, NULL, "beam %zu of %s has no length", i, in->base.name);
  }
  dv_frames_clear(o);
  for (size_t i = 0; i < n && status == DV_OK; i++) {
    dvVec3 p = dv_vec3_load(y + 3 * i);
    if (!b->localCoord) p = along_line(x, beams, length, p);
    size_t beam = (size_t)fmin(fmax(floor(p.x), 0), (double)(beams - 1));
    p.x -= (double)beam;
    double s = 3 * p.x * p.x - 2 * p.x * p.x * p.x;
    dv_frames_add(o, beam, 1 - s, dv_vec3_scale(p, length[beam]));
    p.x -= 1;
    dv_frames_add(o, beam + 1, s, dv_vec3_scale(p, length[beam]));
    dv_frames_end_point(o);
  }
  dv_free(length);
  DV_TRY(status);
  return dv_frames_settle(o, true);
}

#define BEAM_CLASS(symbol, name_, module_, ...)                                   \
  const dvClass symbol = {.struct_size = sizeof(dvClass),                         \
                          .name = name_,                                          \
                          .help = "points between the frames of a line of beams", \
                          .module = module_,                                      \
                          .dofs = DV_DOF_RIGID3,                                  \
                          .dofs_out = DV_DOF_VEC3,                                \
                          .pairs = pairs,                                         \
                          .size = sizeof(Beams),                                  \
                          .ops = {[DV_ROLE_MAPPING] = &dv_frames_ops},            \
                          .link = dv_mapping_link,                                \
                          .init = beam_init,                                      \
                          .destroy = dv_frames_destroy,                           \
                          .topology_changed = dv_mapping_cannot_follow,           \
                          __VA_ARGS__}

BEAM_CLASS(dv_beam_linear_mapping_class, "BeamLinearMapping", "Sofa.Component.Mapping.Linear",
           .blocks = {&dv_object_block, &dv_mapping_block, DV_BLOCK(beam_fields)});
BEAM_CLASS(dv_beam_linear_mapping_mt_class, "BeamLinearMapping_mt", "MultiThreading",
           .blocks = {&dv_object_block, &dv_mapping_block, DV_BLOCK(beam_fields), DV_BLOCK(thread_fields)});

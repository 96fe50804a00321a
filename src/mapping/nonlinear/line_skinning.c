// LineSetSkinningMapping: points carried by the lines of a skeleton.
//
// The weight of a line on a point is the integral of 1/d^n along it (n = weightCoef), as a sum over 1001 places. The
// line with the largest weight and the next ones among its neighbours, up to numberInfluencedLines, carry the point
// with the frames of their first ends; the weights are made to add up to one.
#include "mapping/linear/linear.h"
#include "mapping/nonlinear/frames.h"
#include "mapping/register.h"
#include "topology/topology.h"

#include <math.h>
#include <string.h>

#define LINE_FIELDS(X)                                                                         \
  X(int, neighborhoodLevel, "3", "", "how many steps away a line still counts as a neighbour") \
  X(int, numberInfluencedLines, "4", "", "lines that carry a point, at most")                  \
  X(int, weightCoef, "4", "", "power of the distance in the weights")

typedef struct LineSkinning {
  dvFramesMapping frames;
  LINE_FIELDS(DV_MEMBER)
} LineSkinning;

#define SELF LineSkinning
static const dvFieldDesc line_fields[] = {LINE_FIELDS(DV_DESCRIBE)};
#undef SELF

typedef struct Skeleton {
  const LineSkinning *m;
  const int32_t *lines;   // pairs of frames
  size_t count;
  const double *x, *points;
  double *weight;   // points x lines
} Skeleton;

enum { PLACES = 1000 };

static double line_weight(const Skeleton *s, size_t line, dvVec3 point)
{
  dvVec3 a = dv_vec3_load(s->x + 7 * (size_t)s->lines[2 * line]),
         b = dv_vec3_load(s->x + 7 * (size_t)s->lines[2 * line + 1]), along = dv_vec3_sub(b, a);
  double sum = 0;
  for (int i = 0; i <= PLACES; i++) {
    double d = dv_vec3_norm(dv_vec3_sub(dv_vec3_add(dv_vec3_scale(along, (double)i / PLACES), a), point));
    sum += pow(1 / fmax(d, 1e-12), s->m->weightCoef);
  }
  return sum * dv_vec3_norm(along) / PLACES;
}

static void weigh_body(void *user, size_t begin, size_t end)
{
  const Skeleton *s = user;
  for (size_t i = begin; i < end; i++)
    for (size_t l = 0; l < s->count; l++)
      s->weight[i * s->count + l] = line_weight(s, l, dv_vec3_load(s->points + 3 * i));
}

// SOFA's rule for lines that touch: two that meet with their second ends do not
static bool touch(const int32_t *a, const int32_t *b) { return a[0] == b[0] || a[0] == b[1] || a[1] == b[0]; }

// marks the lines within so many steps of one
static void mark_near(const Skeleton *s, size_t line, int steps, unsigned char *near)
{
  memset(near, 0, s->count);
  near[line] = 1;
  for (int step = 1; step <= steps; step++)
    for (size_t a = 0; a < s->count; a++)
      for (size_t b = 0; near[a] && near[a] <= step && b < s->count; b++)
        if (!near[b] && touch(s->lines + 2 * a, s->lines + 2 * b)) near[b] = (unsigned char)(step + 1);
}

// the largest weight that is left, the later line of equals; -1 when none is
static ptrdiff_t take_largest(const Skeleton *s, const double *weight, unsigned char *taken)
{
  ptrdiff_t best = -1;
  for (size_t l = 0; l < s->count; l++)
    if (!taken[l] && (best < 0 || weight[l] >= weight[best])) best = (ptrdiff_t)l;
  if (best >= 0) taken[best] = 1;
  return best;
}

static void add_point(dvObject *o, const Skeleton *s, size_t i, unsigned char *near, unsigned char *taken)
{
  const double *weight = s->weight + i * s->count;
  DV_ARRAY(ptrdiff_t) chosen = {0};
  double sum = 0;
  memset(taken, 0, s->count);
  for (ptrdiff_t l; chosen.count < (size_t)s->m->numberInfluencedLines && (l = take_largest(s, weight, taken)) >= 0;) {
    if (chosen.count == 0) mark_near(s, (size_t)l, dv_max_int(s->m->neighborhoodLevel, 1), near);
    if (!near[l]) continue;
    dv_push(&chosen, l);
    sum += weight[l];
  }
  for (size_t k = 0; k < chosen.count; k++) {
    size_t frame = (size_t)s->lines[2 * chosen.data[k]];
    double w = sum > 0 ? weight[chosen.data[k]] / sum : 1.0 / (double)chosen.count;
    dv_frames_add(o, frame, w, dv_frame_local(s->x + 7 * frame, dv_vec3_load(s->points + 3 * i)));
  }
  dv_frames_end_point(o);
  dv_array_free(&chosen);
}

static dvStatus line_skinning_init(dvObject *o)
{
  LineSkinning *m = (LineSkinning *)o;
  dvState *in = m->frames.base.in, *out = m->frames.base.out;
  dvObject *t = dv_node_find_up(in->base.node, DV_ROLE_TOPOLOGY);
  if (!t)
    return dv_error(o, "add a topology with the lines of the skeleton to the node of the input",
                    "LineSetSkinningMapping finds no topology of the input %s", in->base.name);
  DV_TRY(dv_object_ensure(t));
  const dvInts *lines = dv_topology_elements(dv_topology(t), DV_EDGE);
  if (lines->count == 0) return dv_error(o, NULL, "the topology %s has no edges", t->name);
  for (size_t i = 0; i < lines->count; i++)
    if (lines->data[i] < 0 || (size_t)lines->data[i] >= in->count)
      return dv_error(o, NULL, "an edge of %s names frame %d, but the state %s has %zu", t->name, lines->data[i],
                      in->base.name, in->count);
  if (m->numberInfluencedLines < 1)
    return dv_field_error(o, &m->numberInfluencedLines, NULL,
                          "numberInfluencedLines is %d: at least one line carries a point", m->numberInfluencedLines);
  if (m->neighborhoodLevel > 250) m->neighborhoodLevel = 250;
  Skeleton s = {.m = m,
                .lines = lines->data,
                .count = dv_ints_size(lines),
                .x = dv_state_read(in, DV_X),
                .points = dv_state_read(out, DV_X)};
  if ((double)out->count * (double)s.count > 1e8)
    return dv_error(o, NULL, "%zu points and %zu lines are too many", out->count, s.count);
  s.weight = dv_alloc((out->count * s.count + 1) * sizeof *s.weight);
  unsigned char *near = dv_alloc(s.count), *taken = dv_alloc(s.count);
  dv_parallel_for(o->context->pool, out->count, 16, weigh_body, &s);
  dv_frames_clear(o);
  for (size_t i = 0; i < out->count; i++) add_point(o, &s, i, near, taken);
  dv_free(near);
  dv_free(taken);
  dv_free(s.weight);
  return dv_frames_settle(o, false);
}

static const dvDofPair pairs[] = {{DV_DOF_RIGID3, 0, DV_DOF_VEC3}, {0}};

const dvClass dv_line_set_skinning_mapping_class = {
    .struct_size = sizeof(dvClass),
    .name = "LineSetSkinningMapping",
    .help = "moves points with the nearest lines of a skeleton of frames",
    .module = "Sofa.Component.Mapping.Linear",
    .dofs = DV_DOF_RIGID3,
    .dofs_out = DV_DOF_VEC3,
    .pairs = pairs,
    .size = sizeof(LineSkinning),
    .blocks = {&dv_object_block, &dv_mapping_block, DV_BLOCK(line_fields)},
    .ops = {[DV_ROLE_MAPPING] = &dv_frames_ops},
    .link = dv_mapping_link,
    .init = line_skinning_init,
    .destroy = dv_frames_destroy,
    .topology_changed = dv_mapping_cannot_follow,
};

// InterventionalRadiologyController: coaxial instruments that come out of a sheath.
//
// Each instrument has a tip, so far out of the sheath. What is out is cut into beams: at the borders of the sections of
// every instrument, and between them as densely as they ask for; where several instruments lie in each other they share
// nodes, and each has its own beams between them. Nodes are the last degrees of freedom of the state, the others wait
// in the sheath, held by a FixedProjectiveConstraint. When tips move the nodes are laid out anew: their positions come
// from the curve that was there before, less the way the tip has moved, so that elasticity pushes the instrument out.
#include "instrument/deploy.h"

#include "instrument/spline.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DEPLOY_FIELDS(X)                                                                                             \
  X(strings, instruments, "", "",                                                                                    \
    "names or paths of WireBeamInterpolation, the outer one first; all of the node by "                              \
    "default")                                                                                                       \
  X(int, controlledInstrument, "0", "", "which one moves; keys 0, 1, 2 change it")                                   \
  X(reals, xtip, "", "m", "how far the tip of each instrument is out")                                               \
  X(reals, rotationInstrument, "", "rad", "how far each instrument is turned")                                       \
  X(real, step, "0.1", "m", "way of one press of the keys up and down")                                              \
  X(real, angularStep, "0.15708", "rad", "turn of one press of the keys left and right")                             \
  X(real, speed, "0", "m/s", "the instrument moves by itself; keys * and / start, stop and turn it")                 \
  X(frames, startingPos, "0 0 0 0 0 0 1", "m", "where the sheath ends: its frame, x pointing out")                   \
  X(real, threshold, "0.01", "m", "nodes closer than this are one", .least = "0")                                    \
  X(reals, rigidCurvAbs, "", "m", "pairs of places between which the instruments are held")                          \
  X(vec3, mainDirection, "0 0 -1", "", "no effect: instruments come out along x of startingPos", .flags = DV_IDLE)   \
  X(int, indexFirstNode, "0", "", "the degree of freedom at the end of the sheath", .flags = DV_OUTPUT)              \
  X(link, fixedConstraint, "", "",                                                                                   \
    "holds what is in the sheath; the FixedProjectiveConstraint of the node by default", .role = DV_ROLE_PROJECTIVE) \
  X(link, topology, "", "", "no effect: that of the beams is used", .role = DV_ROLE_TOPOLOGY, .flags = DV_IDLE)

typedef struct Deploy {
  dvObject base;
  DEPLOY_FIELDS(DV_MEMBER)
  DV_ARRAY(dvBeams *) tools;
  dvState *state;
  dvField *fixed;   // indices of the constraint
  bool forward, backward;
  bool commanded;                         // an action controller tells when to act
  bool told;                              // of too few frames
  DV_ARRAY(double) node;                  // the nodes that are out: where they are along the instruments
  DV_ARRAY(double) next, moved, before;   // scratch
} Deploy;

#define SELF Deploy
static const dvFieldDesc deploy_fields[] = {DEPLOY_FIELDS(DV_DESCRIBE)};
static const dvMemoryDesc deploy_memory[] = {DV_REMEMBER(reals, xtip) DV_REMEMBER(reals, rotationInstrument)
                                                 DV_REMEMBER(numbers, controlledInstrument)
                                                     DV_REMEMBER(numbers, forward) DV_REMEMBER(numbers, backward)
                                                         DV_REMEMBER(numbers, indexFirstNode) DV_REMEMBER(array, node)};
#undef SELF

static double tip(const Deploy *d, size_t tool) { return d->xtip.data[tool]; }
static double handle(const Deploy *d, size_t tool) { return tip(d, tool) - dv_beams_total_length(d->tools.data[tool]); }
// a place out of the sheath that the tool reaches
static bool reaches(const Deploy *d, size_t tool, double x)
{
  return x > handle(d, tool) - d->threshold && x < tip(d, tool) + d->threshold;
}

// --- where nodes are -----------------------------------------------------------------------------

static void sample_tool(Deploy *d, size_t tool, double *sampled)
{
  const dvWireShape *shape = d->tools.data[tool]->shape;
  double begin = handle(d, tool);
  for (size_t part = 0; part < shape->parts.count; part++) {
    double from = begin + shape->keyPoints.data[part], to = begin + shape->keyPoints.data[part + 1];
    if (from > 0) dv_push(&d->next, from);
    if (to - *sampled <= 0) continue;
    double density = shape->densityOfBeams.data[part] / (to - from);
    for (int k = (int)floor((to - *sampled) * density); k > 0; k--) dv_push(&d->next, to - k / density);
    *sampled = to;
  }
  double end = begin + dv_wire_shape_length(shape);
  if (end > 0) dv_push(&d->next, end);
}

static int compare(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void sort_nodes(Deploy *d)
{
  qsort(d->next.data, d->next.count, sizeof *d->next.data, compare);
  size_t kept = 0;
  for (size_t i = 0; i < d->next.count; i++)
    if (kept == 0 || !(fabs(d->next.data[kept - 1] - d->next.data[i]) < d->threshold))
      d->next.data[kept++] = d->next.data[i];
  d->next.count = kept;
}

static bool has_rigid_parts(const Deploy *d) { return d->rigidCurvAbs.count > 0 && d->rigidCurvAbs.count % 2 == 0; }

// borders of parts that are held, and a node beside each on the side that bends
static void add_rigid_borders(Deploy *d, double out)
{
  bool begins = true;
  for (size_t i = 0; i < d->rigidCurvAbs.count && has_rigid_parts(d); i++) {
    double x = d->rigidCurvAbs.data[i];
    if (!(x < out)) continue;
    if (begins) dv_push(&d->next, x - d->step);
    else if (x + d->step < out) dv_push(&d->next, x + d->step);
    begins = !begins;
    dv_push(&d->next, x);
  }
}

// the tools at a node: their number, and the outermost
static size_t tools_at(const Deploy *d, double x, int32_t *outer)
{
  size_t count = 0;
  *outer = 0;
  for (size_t i = 0; i < d->tools.count; i++) {
    if (x < handle(d, i) - d->threshold || x > tip(d, i) + d->threshold) continue;
    if (count++ == 0) *outer = (int32_t)i;
  }
  return count;
}

// where the new nodes were before the tip moved: those of one tool alone move with it
static void move_back(Deploy *d)
{
  double way = d->next.data[d->next.count - 1] - d->node.data[d->node.count - 1];
  d->moved.count = 0;
  for (size_t i = 0; i < d->next.count; i++) {
    int32_t outer;
    double x = d->next.data[i];
    if (fabs(way) > d->threshold && tools_at(d, x, &outer) == 1) {
      x -= way;
      if (i > 1 && x < d->moved.data[i - 1]) x = d->moved.data[i - 1];
    }
    dv_push(&d->moved, x);
  }
}

// --- positions -----------------------------------------------------------------------------------

// a place along the former curve; `waiting` is the number of degrees of freedom that were in the sheath
static void place_node(const Deploy *d, double x, size_t waiting, double *out)
{
  size_t at = 0;
  while (at < d->node.count && !(d->node.data[at] + d->threshold > x)) at++;
  if (at == d->node.count) at--;   // beyond the former tip
  const double *before = d->before.data + 7 * (waiting + at);
  if (fabs(d->node.data[at] - x) < d->threshold) memcpy(out, before, 7 * sizeof *out);
  else if (at == 0) memcpy(out, d->startingPos.data, 7 * sizeof *out);
  else {
    double length = d->node.data[at] - d->node.data[at - 1];
    double t = length < FLT_EPSILON ? 1 : (x - d->node.data[at - 1]) / length;
    dvPose ends[2] = {dv_pose_load(before - 7), dv_pose_load(before)};
    dv_pose_store(out, dv_spline_pose(ends, length, t));
  }
}

static void place_nodes(Deploy *d)
{
  size_t all = d->state->count, now = dv_min_size(d->next.count, all), then = dv_min_size(d->node.count, all);
  double *x = dv_state_write(d->state, DV_X);
  d->before.count = 0;
  dv_array_resize(&d->before, 7 * all);
  memcpy(d->before.data, x, 7 * all * sizeof *x);
  for (size_t i = 0; i < now; i++) place_node(d, d->moved.data[i], all - then, x + 7 * (all - now + i));
}

// --- beams ---------------------------------------------------------------------------------------

static void lay_beams(Deploy *d, size_t beams)
{
  size_t edges = d->state->count - 1;
  for (size_t b = 0; b < beams; b++) {
    double x0 = d->next.data[b], x1 = d->next.data[b + 1];
    for (size_t i = 0; i < d->tools.count; i++)
      if (reaches(d, i, x0) && reaches(d, i, x1))
        dv_beams_add(d->tools.data[i], edges - beams + b, x1 - x0, x0 - handle(d, i), x1 - handle(d, i),
                     dv_quat_from_axis(dv_vec3(1, 0, 0), d->rotationInstrument.data[i]));
  }
}

// the beam between two nodes belongs to the outermost tool at its end, unless it is held
static void choose_collision(Deploy *d)
{
  for (size_t b = 0; b + 1 < d->next.count; b++) {
    int32_t outer;
    bool held = false;
    for (size_t i = 0; i < d->rigidCurvAbs.count && d->next.data[b + 1] > d->rigidCurvAbs.data[i]; i++) held = !held;
    if (held || tools_at(d, d->next.data[b + 1], &outer) == 0) continue;
    dvInts *list = &d->tools.data[outer]->beamCollision;
    size_t at = list->count;
    if (dv_ints_resize(list, at + 1)) dv_ints_edit(list)[at] = (int32_t)b;
  }
}

static void push_fixed(dvInts *list, size_t i)
{
  size_t at = list->count;
  if (dv_ints_resize(list, at + 1)) dv_ints_edit(list)[at] = (int32_t)i;
}

// degrees of freedom that wait in the sheath, and those of parts that are held
static void fix_nodes(Deploy *d)
{
  dvInts *list = d->fixed->value;
  list->count = 0;
  for (size_t i = 0; i < (size_t)d->indexFirstNode; i++) push_fixed(list, i);
  bool held = false;
  size_t border = 0;
  for (size_t i = 0; i < d->node.count && border < d->rigidCurvAbs.count && has_rigid_parts(d); i++) {
    bool at_border = fabs(d->node.data[i] - d->rigidCurvAbs.data[border]) < fmax(FLT_EPSILON, d->threshold);
    if (held || at_border) push_fixed(list, (size_t)d->indexFirstNode + i);
    if (at_border) held = !held, border++;
  }
  dv_field_touch(d->fixed);
}

static void rest_in_sheath(Deploy *d)
{
  double *x = dv_state_write(d->state, DV_X), *v = dv_state_write(d->state, DV_V);
  for (size_t i = 0; i < (size_t)d->indexFirstNode; i++) {
    memcpy(x + 7 * i, d->startingPos.data, 7 * sizeof *x);
    memset(v + 6 * i, 0, 6 * sizeof *v);
  }
  dv_state_touch(d->state, DV_X);
  dv_state_touch(d->state, DV_V);
}

// --- what happens in a step ----------------------------------------------------------------------

static double farthest(const Deploy *d)
{
  double most = 0;
  for (size_t i = 0; i < d->tools.count; i++) most = fmax(most, tip(d, i));
  return most;
}

void dv_deploy_apply(dvObject *o)
{
  Deploy *d = (Deploy *)o;
  if (o->failed) return;
  if (farthest(d) < FLT_EPSILON) dv_reals_edit(&d->xtip)[0] = FLT_EPSILON;   // something is always out
  for (size_t i = 0; i < d->tools.count; i++) dv_beams_clear(d->tools.data[i]);
  double sampled = 0;
  d->next.count = 0;
  dv_push(&d->next, 0.0);
  for (size_t i = 0; i < d->tools.count; i++) sample_tool(d, i, &sampled);
  add_rigid_borders(d, farthest(d));
  sort_nodes(d);
  size_t all = d->state->count;
  if (d->next.count > all) {
    if (!d->told)
      dv_warning(o, "give the state more frames, or the sections fewer beams",
                 "%zu nodes are out, but there are only %zu frames: the tip is cut off", d->next.count, all);
    d->told = true;
    d->next.count = all;
  }
  move_back(d);
  place_nodes(d);
  size_t beams = d->next.count - 1;
  lay_beams(d, beams);
  choose_collision(d);
  d->indexFirstNode = (int32_t)(all - beams - 1);
  d->node.count = 0;
  for (size_t i = 0; i < d->next.count; i++) dv_push(&d->node, d->next.data[i]);
  fix_nodes(d);
  rest_in_sheath(d);
  dv_touch(o, &d->indexFirstNode);
  dv_touch(o, &d->xtip);
  for (size_t i = 0; i < d->tools.count; i++) dv_beams_changed(d->tools.data[i]);
}

void dv_deploy_command(dvObject *o) { ((Deploy *)o)->commanded = true; }

static void use_tool(Deploy *d, int tool)
{
  if (tool >= 0 && (size_t)tool < d->tools.count) d->controlledInstrument = tool;
  else dv_warning(&d->base, NULL, "there is no instrument %d, only %zu", tool, d->tools.count);
}

void dv_deploy_act(dvObject *o, dvInstrumentAction action)
{
  Deploy *d = (Deploy *)o;
  size_t tool = (size_t)d->controlledInstrument;
  if (o->failed) return;
  switch (action) {
  case DV_INSTRUMENT_FORWARD:
  case DV_INSTRUMENT_BACKWARD:
    dv_reals_edit(&d->xtip)[tool] += action == DV_INSTRUMENT_FORWARD ? d->step : -d->step;
    break;
  case DV_INSTRUMENT_RIGHT:
  case DV_INSTRUMENT_LEFT:
    dv_reals_edit(&d->rotationInstrument)[tool] += action == DV_INSTRUMENT_RIGHT ? d->angularStep : -d->angularStep;
    dv_touch(o, &d->rotationInstrument);
    break;
  case DV_INSTRUMENT_NEXT:
    use_tool(d, d->controlledInstrument + 1);
    break;
  case DV_INSTRUMENT_PREVIOUS:
    use_tool(d, d->controlledInstrument - 1);
    break;
  case DV_INSTRUMENT_USE_0:
  case DV_INSTRUMENT_USE_1:
  case DV_INSTRUMENT_USE_2:
    use_tool(d, (int)action - DV_INSTRUMENT_USE_0);
    break;
  case DV_INSTRUMENT_DROP:
    dv_warning(o, NULL, "instruments cannot be dropped");
    break;
  default:
    break;
  }
}

dvInstrumentAction dv_instrument_key(int key)
{
  static const struct {
    int key;
    dvInstrumentAction action;
  } keys[] = {{18, DV_INSTRUMENT_LEFT},     {19, DV_INSTRUMENT_FORWARD}, {20, DV_INSTRUMENT_RIGHT},
              {21, DV_INSTRUMENT_BACKWARD}, {'D', DV_INSTRUMENT_DROP},   {'0', DV_INSTRUMENT_USE_0},
              {'1', DV_INSTRUMENT_USE_1},   {'2', DV_INSTRUMENT_USE_2}};
  for (size_t i = 0; i < DV_COUNT(keys); i++)
    if (keys[i].key == key) return keys[i].action;
  return DV_INSTRUMENT_REST;
}

static void press(Deploy *d, int key)
{
  if (key == '*') {
    if (d->backward) d->backward = false;
    else d->forward = true;
  } else if (key == '/') {
    if (d->forward) d->forward = false;
    else d->backward = true;
  } else dv_deploy_act(&d->base, dv_instrument_key(key));
}

static void advance(Deploy *d)
{
  double *x = dv_reals_edit(&d->xtip), way = d->speed * d->base.node->dt;
  size_t tool = (size_t)d->controlledInstrument;
  if (d->forward) x[tool] += way;
  if (d->backward) x[tool] -= way;
  if (d->backward && x[tool] < 0) x[tool] = 0, d->backward = false;
  for (size_t i = 0; i < d->tools.count; i++) x[i] = fmin(x[i], dv_beams_total_length(d->tools.data[i]));
}

static void deploy_event(dvObject *o, const dvEvent *event)
{
  Deploy *d = (Deploy *)o;
  if (!o->listening || o->failed || d->commanded) return;
  if (event->kind == DV_EVENT_KEY && !event->released) press(d, event->key);
  if (event->kind != DV_EVENT_ANIMATE_BEGIN) return;
  advance(d);
  dv_deploy_apply(o);
}

// --- for those who map points ----------------------------------------------------------------------

bool dv_deploy_is_out(const dvObject *o) { return ((const Deploy *)o)->node.count > 1; }
dvState *dv_deploy_state(const dvObject *o) { return ((const Deploy *)o)->state; }

static size_t outermost(const Deploy *d, double x)
{
  int32_t tool;
  tools_at(d, x, &tool);
  return (size_t)tool;
}

dvDeployWalk dv_deploy_walk(const dvObject *o)
{
  const Deploy *d = (const Deploy *)o;
  return (dvDeployWalk){.controller = o, .x = d->node.data[d->node.count - 1], .node = d->node.count - 1};
}

const dvBeams *dv_deploy_next(dvDeployWalk *w, double *along)
{
  const Deploy *d = (const Deploy *)w->controller;
  size_t tool = outermost(d, d->node.data[w->node]);
  const dvBeams *b = d->tools.data[tool];
  *along = w->x - handle(d, tool);
  const dvRodSection *part = dv_wire_shape_part(b->shape, *along);
  w->x = fmax(0, w->x - part->length / part->nbEdgesCollis);
  while (w->node > 0 && w->x < d->node.data[w->node - 1]) {
    w->node--;
    if (outermost(d, d->node.data[w->node]) == tool) continue;
    w->x = d->node.data[w->node];   // the end of the next instrument is a point
    break;
  }
  return b;
}

size_t dv_deploy_collision_edges(const dvObject *o, double *length)
{
  const Deploy *d = (const Deploy *)o;
  size_t most = 0;
  *length = 0;
  for (size_t i = 0; i < d->tools.count; i++) {
    const dvWireShape *shape = d->tools.data[i]->shape;
    size_t edges = 0;
    for (size_t k = 0; k < shape->parts.count; k++) edges += (size_t)shape->parts.data[k]->nbEdgesCollis;
    if (edges <= most) continue;
    most = edges;
    *length = dv_wire_shape_length(shape) / (double)edges;
  }
  return most;
}

// --- set-up --------------------------------------------------------------------------------------

static dvStatus add_tool(Deploy *d, dvObject *found, const char *name)
{
  dvObject *o = &d->base;
  if (!found || found->cls != &dv_wire_interpolation_class)
    return dv_field_error(o, &d->instruments, "name WireBeamInterpolation components",
                          "the instrument %s is not a WireBeamInterpolation", name);
  DV_TRY(dv_object_ensure(found));
  dvBeams *b = dv_beams(found);
  if (b->controller && b->controller != o)
    return dv_field_error(o, &d->instruments, "one controller moves an instrument", "%s already moves %s",
                          b->controller->name, found->name);
  if (d->tools.count && b->state != d->tools.data[0]->state)
    return dv_field_error(o, &d->instruments, "put all of them into one node", "%s and %s have different states",
                          found->name, d->tools.data[0]->base.name);
  b->controller = o;
  dv_push(&d->tools, b);
  return DV_OK;
}

static dvStatus find_tools(Deploy *d)
{
  dvObject *o = &d->base;
  d->tools.count = 0;
  for (size_t i = 0; i < d->instruments.count; i++)
    DV_TRY(add_tool(d, dv_link_find(o, d->instruments.data[i], DV_ROLE_ANY), d->instruments.data[i]));
  for (size_t i = 0; i < o->node->objects.count && d->instruments.count == 0; i++)
    if (o->node->objects.data[i]->cls == &dv_wire_interpolation_class)
      DV_TRY(add_tool(d, o->node->objects.data[i], o->node->objects.data[i]->name));
  if (d->tools.count == 0)
    return dv_error(o, "add a WireBeamInterpolation to the node", "%s finds no instrument", o->name);
  d->state = d->tools.data[0]->state;
  return DV_OK;
}

static dvStatus check_fields(Deploy *d)
{
  dvObject *o = &d->base;
  if (!(d->threshold > 0)) return dv_field_error(o, &d->threshold, NULL, "threshold %g is not positive", d->threshold);
  if (!(fabs(d->speed) < DBL_MAX && fabs(d->step) < DBL_MAX && fabs(d->angularStep) < DBL_MAX))
    return dv_error(o, NULL, "speed, step and angularStep must be numbers");
  if (d->xtip.count > d->tools.count)
    dv_field_warning(o, &d->xtip, NULL, "xtip has %zu numbers for %zu instruments", d->xtip.count, d->tools.count);
  if (!dv_reals_resize(&d->xtip, d->tools.count) || !dv_reals_resize(&d->rotationInstrument, d->tools.count))
    return dv_error(o, NULL, "out of memory");
  for (size_t i = 0; i < d->tools.count; i++)
    if (!(fabs(d->xtip.data[i]) < 1e100 && fabs(d->rotationInstrument.data[i]) < 1e100))
      return dv_field_error(o, &d->xtip, NULL, "xtip and rotationInstrument must be numbers");
  if (d->controlledInstrument < 0 || (size_t)d->controlledInstrument >= d->tools.count) {
    dv_field_warning(o, &d->controlledInstrument, NULL, "there is no instrument %d, only %zu: the first one moves",
                     d->controlledInstrument, d->tools.count);
    d->controlledInstrument = 0;
  }
  if (d->rigidCurvAbs.count % 2)
    dv_field_warning(o, &d->rigidCurvAbs, "give pairs: where each held part begins and ends",
                     "rigidCurvAbs has %zu numbers: nothing is held", d->rigidCurvAbs.count);
  if (d->startingPos.count != 7)
    return dv_field_error(o, &d->startingPos, "give x y z and a quaternion", "startingPos has %zu numbers",
                          d->startingPos.count);
  double *turn = dv_reals_edit(&d->startingPos) + 3;
  dv_quat_store(turn, dv_quat_normalise(dv_quat_load(turn)));
  return DV_OK;
}

dvField *dv_waiting_indices(dvObject *o, const dvLink *link, const char *what)
{
  dvObject *fixed = link->target;
  for (size_t i = 0; !fixed && i < o->node->objects.count; i++)
    if (dv_same(o->node->objects.data[i]->cls->name, "FixedProjectiveConstraint")) fixed = o->node->objects.data[i];
  dvField *f = fixed ? dv_object_field(fixed, "indices") : NULL;
  if (!f || f->desc->type != DV_T_INTS) {
    dv_error(o, "add <FixedProjectiveConstraint indices=\"0\"/> to the node",
             "%s finds no FixedProjectiveConstraint to hold %s", o->name, what);
    return NULL;
  }
  return dv_object_ensure(fixed) == DV_OK ? f : NULL;
}

static dvStatus deploy_init(dvObject *o)
{
  Deploy *d = (Deploy *)o;
  DV_TRY(find_tools(d));
  DV_TRY(check_fields(d));
  d->fixed = dv_waiting_indices(o, &d->fixedConstraint, "what is in the sheath");
  if (!d->fixed) return DV_ERROR_INPUT;
  size_t edges = dv_topology_count(d->tools.data[0]->topology, DV_EDGE), wanted = 0;
  if (d->state->count < 2 || edges + 1 < d->state->count)
    return dv_error(o, "use a RegularGridTopology with nx=\"…\" ny=\"1\" nz=\"1\"",
                    "%zu frames and %zu edges are no line", d->state->count, edges);
  for (size_t i = 0; i < d->tools.count; i++)
    for (size_t k = 0; k < d->tools.data[i]->shape->densityOfBeams.count; k++)
      wanted += (size_t)d->tools.data[i]->shape->densityOfBeams.data[k];
  if (wanted > d->state->count)
    dv_warning(o, "give the state as many frames", "the instruments have %zu beams, the state %s only %zu frames",
               wanted, d->state->base.name, d->state->count);
  d->forward = d->speed > 0;
  return DV_OK;
}

static dvStatus deploy_bwd_init(dvObject *o)
{
  Deploy *d = (Deploy *)o;
  double *x = dv_state_write(d->state, DV_X);
  for (size_t i = 0; i < d->state->count; i++) memcpy(x + 7 * i, d->startingPos.data, 7 * sizeof *x);
  dv_state_share(d->state, DV_X_REST, DV_X);
  d->node.count = 0;
  dv_push(&d->node, 0.0);
  dv_deploy_apply(o);
  return DV_OK;
}

static bool deploy_restored(dvObject *o)
{
  Deploy *d = (Deploy *)o;
  bool fits = d->node.count > 0 && d->node.count <= d->state->count && d->xtip.count == d->tools.count &&
              d->rotationInstrument.count == d->tools.count && d->controlledInstrument >= 0 &&
              (size_t)d->controlledInstrument < d->tools.count && d->indexFirstNode >= 0 &&
              (size_t)d->indexFirstNode + d->node.count == d->state->count;
  if (!fits) return false;
  fix_nodes(d);
  dv_touch(o, &d->indexFirstNode);
  return true;
}

static void deploy_destroy(dvObject *o)
{
  Deploy *d = (Deploy *)o;
  dv_array_free(&d->tools);
  dv_array_free(&d->node);
  dv_array_free(&d->next);
  dv_array_free(&d->moved);
  dv_array_free(&d->before);
}

const dvClass dv_deploy_class = {
    .struct_size = sizeof(dvClass),
    .name = "InterventionalRadiologyController",
    .help = "pushes, pulls and turns coaxial instruments such as catheters and guide wires",
    .module = "BeamAdapter",
    .dofs = DV_DOF_RIGID3,
    .roles = DV_PLAYS(DV_ROLE_CONTROLLER),
    .presets = "listening=1",
    .size = sizeof(Deploy),
    .blocks = {&dv_object_block, DV_BLOCK(deploy_fields)},
    .init = deploy_init,
    .bwd_init = deploy_bwd_init,
    .handle_event = deploy_event,
    .destroy = deploy_destroy,
    DV_MEMORY(deploy_memory),
    .restored = deploy_restored,
};

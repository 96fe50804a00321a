// Articulation, ArticulationCenter, ArticulatedHierarchyContainer: the description of a skeleton, from components or
// from a .bvh file. ArticulatedSystemMapping moves it.
//
// A container collects the centres of its node and of all nodes below, in the order of the graph; a centre the
// articulations of the nodes below its own. A file gives one centre for each joint that has children, with frame number
// i + 1 for the i-th joint of the file (end sites counted, and left alone), and one coordinate for each channel.
#include "mapping/nonlinear/articulated.h"

#include "base/file.h"
#include "io/mesh/read_bvh.h"
#include "mapping/register.h"
#include "object/compat.h"
#include "state/state.h"

// --- articulations -------------------------------------------------------------------------------

#define ARTICULATION_FIELDS(X)                                                   \
  X(vec3, axis, "1 0 0", "", "direction of the motion", .alias = "rotationAxis") \
  X(bool, rotation, "0", "", "turns about the axis")                             \
  X(bool, translation, "0", "", "slides along the axis")                         \
  X(int, articulationIndex, "0", "", "coordinate that moves it")

typedef struct Articulation {
  dvObject base;
  ARTICULATION_FIELDS(DV_MEMBER)
} Articulation;

#define SELF Articulation
static const dvFieldDesc articulation_fields[] = {ARTICULATION_FIELDS(DV_DESCRIBE)};
#undef SELF

const dvClass dv_articulation_class = {
    .struct_size = sizeof(dvClass),
    .name = "Articulation",
    .help = "one motion of an articulation centre: a rotation about an axis or a translation along it",
    .module = "ArticulatedSystemPlugin",
    .roles = DV_PLAYS(DV_ROLE_SETTING),
    .size = sizeof(Articulation),
    .blocks = {&dv_object_block, DV_BLOCK(articulation_fields)},
};

#define CENTER_FIELDS(X)                                                                                    \
  X(int, parentIndex, "0", "", "frame that drives")                                                         \
  X(int, childIndex, "0", "", "frame that is driven")                                                       \
  X(vec3, globalPosition, "0 0 0", "m", "where the centre is, computed by the mapping", .flags = DV_OUTPUT) \
  X(vec3, posOnParent, "0 0 0", "m", "the centre in the parent's frame")                                    \
  X(vec3, posOnChild, "0 0 0", "m", "the centre in the child's frame")                                      \
  X(int, articulationProcess, "0", "",                                                                      \
    "0: articulations in turn, as Euler angles; 1: about axes fixed to the parent; 2: to the child")

typedef struct Center {
  dvObject base;
  CENTER_FIELDS(DV_MEMBER)
} Center;

#define SELF Center
static const dvFieldDesc center_fields[] = {CENTER_FIELDS(DV_DESCRIBE)};
#undef SELF

const dvClass dv_articulation_center_class = {
    .struct_size = sizeof(dvClass),
    .name = "ArticulationCenter",
    .help = "where two frames of a skeleton are connected; its articulations stand in nodes below it",
    .module = "ArticulatedSystemPlugin",
    .roles = DV_PLAYS(DV_ROLE_SETTING),
    .size = sizeof(Center),
    .blocks = {&dv_object_block, DV_BLOCK(center_fields)},
};

void dv_articulation_center_moved(dvObject *center, dvVec3 position)
{
  dv_vec3_store(((Center *)center)->globalPosition, position);
}

// --- the container -------------------------------------------------------------------------------

#define CONTAINER_FIELDS(X) X(file, filename, "", "", "skeleton to read (.bvh); from the components below when empty")

typedef struct Container {
  dvObject base;
  CONTAINER_FIELDS(DV_MEMBER)
  dvSkeleton skeleton;
} Container;

#define SELF Container
static const dvFieldDesc container_fields[] = {CONTAINER_FIELDS(DV_DESCRIBE)};
#undef SELF

const dvSkeleton *dv_skeleton_of(const dvObject *container) { return &((const Container *)container)->skeleton; }

typedef struct Finder {
  dvVisitor visitor;
  const dvClass *cls;
  DV_ARRAY(dvObject *) found;
} Finder;

static dvWalk find_in_node(dvVisitor *v, dvNode *node)
{
  Finder *f = (Finder *)v;
  for (size_t i = 0; i < node->objects.count; i++)
    if (node->objects.data[i]->cls == f->cls && !node->objects.data[i]->failed)
      dv_push(&f->found, node->objects.data[i]);
  return DV_WALK_ON;
}

dvObject *dv_skeleton_find(dvNode *node)
{
  Finder f = {.visitor = {.top_down = find_in_node}, .cls = &dv_articulated_hierarchy_container_class};
  dv_visit(node, &f.visitor);
  dvObject *first = f.found.count ? f.found.data[0] : NULL;
  dv_array_free(&f.found);
  return first;
}

static dvStatus take_articulations(dvSkeleton *s, dvArticulationCenter *c, dvNode *node)
{
  Finder f = {.visitor = {.top_down = find_in_node}, .cls = &dv_articulation_class};
  for (size_t i = 0; i < node->children.count; i++) dv_visit(node->children.data[i], &f.visitor);
  c->first = s->articulations.count;
  dvStatus status = DV_OK;
  for (size_t i = 0; i < f.found.count && status == DV_OK; i++) {
    const Articulation *a = (const Articulation *)f.found.data[i];
    double length = dv_vec3_norm(dv_vec3_load(a->axis));
    if (!(length > 0) || !isfinite(length))
      status = dv_field_error(&a->base, a->axis, NULL, "the axis of an articulation has no length");
    else if (!a->rotation && !a->translation)
      dv_warning(&a->base, "set rotation=\"1\" or translation=\"1\"", "the articulation neither turns nor slides");
    dv_push(&s->articulations, ((dvArticulation){a->articulationIndex, a->rotation, a->translation,
                                                 dv_vec3_scale(dv_vec3_load(a->axis), 1 / length)}));
  }
  c->count = s->articulations.count - c->first;
  dv_array_free(&f.found);
  return status;
}

static dvStatus take_centers(Container *m)
{
  Finder f = {.visitor = {.top_down = find_in_node}, .cls = &dv_articulation_center_class};
  dv_visit(m->base.node, &f.visitor);
  dvStatus status = DV_OK;
  for (size_t i = 0; i < f.found.count && status == DV_OK; i++) {
    const Center *c = (const Center *)f.found.data[i];
    if (c->articulationProcess < 0 || c->articulationProcess > 2) {
      status = dv_field_error(&c->base, &c->articulationProcess, NULL,
                              "articulationProcess is %d, but there are 0, 1 and 2", c->articulationProcess);
      break;
    }
    dvArticulationCenter center = {.parent = c->parentIndex,
                                   .child = c->childIndex,
                                   .on_parent = dv_vec3_load(c->posOnParent),
                                   .on_child = dv_vec3_load(c->posOnChild),
                                   .process = (dvArticulationProcess)c->articulationProcess,
                                   .object = f.found.data[i]};
    status = take_articulations(&m->skeleton, &center, c->base.node);
    dv_push(&m->skeleton.centers, center);
  }
  dv_array_free(&f.found);
  return status;
}

// --- from files ----------------------------------------------------------------------------------

static void take_joint(dvSkeleton *s, const dvBvh *b, size_t i, double half_turn)
{
  const dvBvhJoint *j = &b->joints.data[i];
  bool driven = false;
  for (size_t k = i + 1; k < b->joints.count; k++) driven = driven || b->joints.data[k].parent == (int32_t)i;
  if (!driven) return;   // only joints with something below them move
  dvArticulationCenter c = {.parent = j->parent + 1,
                            .child = (int32_t)i + 1,
                            .on_parent = dv_vec3_load(j->offset),
                            .first = s->articulations.count};
  for (int32_t k = j->first; k < j->first + j->channels; k++) {
    int kind = b->channel.data[k];
    if (kind == DV_BVH_NONE) continue;
    dvVec3 axis = {kind % 3 == 0, kind % 3 == 1, kind % 3 == 2};
    int32_t index = (int32_t)s->articulations.count;
    dv_push(&s->articulations, ((dvArticulation){index, kind >= DV_BVH_TURN_X, kind < DV_BVH_TURN_X, axis}));
    for (size_t f = 0; f < b->frames; f++) {
      double value = b->motion.data[f * b->channel.count + (size_t)k];
      dv_push(&s->motion, kind >= DV_BVH_TURN_X ? value / 180 * half_turn : value);
    }
  }
  c.count = s->articulations.count - c.first;
  dv_push(&s->centers, c);
}

// columns were pushed one after the other: turn them into rows
static void transpose_motion(dvSkeleton *s)
{
  size_t rows = s->frames, cols = s->coordinates;
  double *t = dv_alloc((rows * cols + 1) * sizeof *t);
  for (size_t c = 0; c < cols; c++)
    for (size_t r = 0; r < rows; r++) t[r * cols + c] = s->motion.data[c * rows + r];
  for (size_t i = 0; i < rows * cols; i++) s->motion.data[i] = t[i];
  dv_free(t);
}

static dvStatus resize_state(const Container *m, dvObject *state, dvDofKind kind, size_t count)
{
  if (!state || state->dof->kind != kind) return DV_OK;   // the mapping tells what is missing
  DV_TRY(dv_object_ensure(state));
  return dv_state_resize(dv_state(state), count)
             ? DV_OK
             : dv_error(&m->base, NULL, "out of memory for %zu degrees of freedom", count);
}

static dvStatus read_skeleton(Container *m)
{
  dvObject *o = &m->base;
  dvText advice = {0};
  char *path = dv_context_find_file(o->context, m->filename, o->place.file, &advice);
  if (!path) {
    dv_field_error(o, &m->filename, advice.text, "the file %s is not found", m->filename);
    dv_text_free(&advice);
    return DV_ERROR_INPUT;
  }
  dv_text_free(&advice);
  size_t length;
  char *bytes = dv_file_read(path, &length);
  dvBvh b = {0};
  dvMeshError error = {0};
  dvStatus status = bytes ? dv_bvh_read(bytes, length, &b, &error) : DV_ERROR_INPUT;
  if (status != DV_OK)
    dv_field_error(o, &m->filename, NULL, "%s:%d: %s", path, error.line, bytes ? error.text : dv_file_why());
  dv_free(bytes);
  dv_free(path);
  DV_TRY(status);
  dvSkeleton *s = &m->skeleton;
  double half_turn = dv_compat(o, DV_COMPAT_BVH_DEGREES) ? 3.14 : acos(-1.0);
  for (size_t i = 0; i < b.joints.count; i++) take_joint(s, &b, i, half_turn);
  size_t frames = b.joints.count + 1;
  s->frames = b.frames;
  s->frame_time = b.frame_time;
  s->coordinates = s->articulations.count;
  transpose_motion(s);
  dv_bvh_free(&b);
  DV_TRY(resize_state(m, dv_node_state(o->node), DV_VEC1, s->coordinates));
  return o->node->children.count ? resize_state(m, dv_node_state(o->node->children.data[0]), DV_RIGID3, frames) : DV_OK;
}

static dvStatus container_init(dvObject *o)
{
  Container *m = (Container *)o;
  m->skeleton.centers.count = m->skeleton.articulations.count = m->skeleton.motion.count = 0;
  return m->filename && *m->filename ? read_skeleton(m) : take_centers(m);
}

static void container_destroy(dvObject *o)
{
  dvSkeleton *s = &((Container *)o)->skeleton;
  dv_array_free(&s->centers);
  dv_array_free(&s->articulations);
  dv_array_free(&s->motion);
}

const dvClass dv_articulated_hierarchy_container_class = {
    .struct_size = sizeof(dvClass),
    .name = "ArticulatedHierarchyContainer",
    .help = "the articulation centres of a skeleton, from the components below it or from a .bvh file",
    .module = "ArticulatedSystemPlugin",
    .roles = DV_PLAYS(DV_ROLE_SETTING),
    .size = sizeof(Container),
    .blocks = {&dv_object_block, DV_BLOCK(container_fields)},
    .init = container_init,
    .destroy = container_destroy,
};

// The draw list of a scene. See draw.h.
#include "view/draw.h"

#include "collision/model.h"
#include "scene/plan.h"
#include "state/component.h"
#include "topology/topology.h"
#include "view/flags.h"

#include <math.h>
#include <string.h>

const char *const dv_draw_group_names[DV_DRAW_GROUPS] = {"visual",   "behavior",           "velocities",  "forces", "collision", "bounds",
                                                         "mappings", "mechanicalMappings", "forceFields", "interactions"};
const char *const dv_draw_kind_names[] = {"triangles", "lines", "points", "vectors", "spheres", "frames"};

// --- the list ------------------------------------------------------------------------------------------

static int array_of(dvDraw *d, dvDrawGroup group, dvDrawArray want)
{
  for (size_t i = 0; i < d->arrays.count; i++) {
    dvDrawArray *a = &d->arrays.data[i];
    if (a->source != want.source || a->object != want.object || a->vector != want.vector || a->reals != want.reals) continue;
    a->groups |= 1u << group;
    return (int)i;
  }
  want.groups = 1u << group;
  dv_push(&d->arrays, want);
  return (int)d->arrays.count - 1;
}

static int dynamic_of(dvDraw *d, dvDrawGroup group, dvDrawSource source, dvObject *o, int vector)
{
  int width = source == DV_FROM_TURNS ? 4 : 3;
  return array_of(d, group, (dvDrawArray){.source = source, .object = o, .vector = vector, .dynamic = true, .width = width});
}

static int indices_of(dvDraw *d, dvDrawGroup group, dvDrawSource source, dvObject *o, int width)
{
  return array_of(d, group, (dvDrawArray){.source = source, .object = o, .integers = true, .width = width});
}

static dvDrawable *add(dvDraw *d, dvDrawGroup group, dvDrawKind kind, dvObject *o, int positions)
{
  dv_push(&d->list, ((dvDrawable){.group = group, .kind = kind, .object = o, .positions = positions, .indices = -1, .second = -1, .values = -1,
                                  .texcoords = -1, .radii = -1, .frames = -1, .texture = -1}));
  return &d->list.data[d->list.count - 1];
}

static int texture_of(dvDraw *d, const dvVisualModel *v)
{
  const dvObject *o = &v->base.state.base;
  if (!*v->texturename) return -1;
  char *path = dv_context_find_file(o->context, v->texturename, o->place.file, NULL);
  if (!path) return -1;
  for (size_t i = 0; i < d->textures.count; i++)
    if (dv_same(d->textures.data[i], path)) {
      dv_free(path);
      return (int)i;
    }
  dv_push(&d->textures, path);
  return (int)d->textures.count - 1;
}

static bool is_visual_model(const dvObject *o) { return o->cls->blocks[2] == &dv_visual_model_block; }

static void add_box(dvDraw *d, dvObject *state)
{
  dvDrawable *box = add(d, DV_DRAW_BOUNDS, DV_DRAW_LINES, state, dynamic_of(d, DV_DRAW_BOUNDS, DV_FROM_BOX, state, 0));
  box->indices = indices_of(d, DV_DRAW_BOUNDS, DV_FROM_BOX_EDGES, NULL, 2);
}

static void add_visual(dvDraw *d, dvObject *o)
{
  add_box(d, o);
  if (!is_visual_model(o)) {   // points, cylinders: no faces
    add(d, DV_DRAW_VISUAL, DV_DRAW_POINTS, o, dynamic_of(d, DV_DRAW_VISUAL, DV_FROM_POINTS, o, 0));
    return;
  }
  dvVisualModel *v = (dvVisualModel *)o;
  if (!v->triangles.count && !v->quads.count) return;
  dvDrawable *s = add(d, DV_DRAW_VISUAL, DV_DRAW_TRIANGLES, o, dynamic_of(d, DV_DRAW_VISUAL, DV_FROM_VERTICES, o, 0));
  s->indices = indices_of(d, DV_DRAW_VISUAL, DV_FROM_TRIANGLES, o, 3);
  s->has_material = true;
  s->material = dv_visual_material(v);
  s->texture = texture_of(d, v);
  if (dv_reals_size(&v->texcoords) == dv_reals_size(dv_visual_vertices(v)))
    s->texcoords = array_of(d, DV_DRAW_VISUAL, (dvDrawArray){.source = DV_FROM_REALS, .object = o, .reals = &v->texcoords, .width = 2});
}

static bool is_rigid(const dvObject *state) { return state->dof->kind == DV_RIGID3; }

static void add_state(dvDraw *d, dvObject *o)
{
  add_box(d, o);
  if (is_rigid(o)) {
    dvDrawable *f = add(d, DV_DRAW_BEHAVIOR, DV_DRAW_FRAMES, o, dynamic_of(d, DV_DRAW_BEHAVIOR, DV_FROM_POINTS, o, 0));
    f->frames = dynamic_of(d, DV_DRAW_BEHAVIOR, DV_FROM_TURNS, o, 0);
  } else {
    add(d, DV_DRAW_BEHAVIOR, DV_DRAW_POINTS, o, dynamic_of(d, DV_DRAW_BEHAVIOR, DV_FROM_POINTS, o, 0));
  }
  static const struct {
    dvDrawGroup group;
    int vector;
  } arrows[] = {{DV_DRAW_VELOCITIES, DV_V}, {DV_DRAW_FORCES, DV_F}};
  for (size_t i = 0; i < DV_COUNT(arrows); i++) {
    dvDrawable *a = add(d, arrows[i].group, DV_DRAW_VECTORS, o, dynamic_of(d, arrows[i].group, DV_FROM_POINTS, o, 0));
    a->second = dynamic_of(d, arrows[i].group, DV_FROM_VECTOR, o, arrows[i].vector);
  }
}

static dvTopology *topology_of(dvObject *force)
{
  dvField *f = dv_object_field(force, "topology");
  if (!f || f->desc->type != DV_T_LINK) return NULL;
  dvObject *t = ((dvLink *)f->value)->target;
  return t ? dv_topology(t) : NULL;
}

static bool has_faces(dvTopology *t)
{
  for (int kind = DV_ELEMENT_KINDS - 1; kind >= DV_TRIANGLE; kind--)   // volumes first: their faces are only made when asked for
    if (dv_topology_count(t, (dvElementKind)kind)) return true;
  return false;
}

static void add_force(dvDraw *d, dvObject *o)
{
  const dvForceOps *ops = dv_ops(o, DV_ROLE_FORCE);
  dvObject *states[2] = {NULL, NULL};
  int n = dv_force_states(o, states);
  if (n == 0) return;
  if (ops->pairs) {
    bool between = n == 2 && states[1] != states[0];
    dvDrawGroup group = between ? DV_DRAW_INTERACTIONS : DV_DRAW_FORCE_FIELDS;
    dvDrawable *s = add(d, group, DV_DRAW_LINES, o, dynamic_of(d, group, DV_FROM_POINTS, states[0], 0));
    s->indices = indices_of(d, group, DV_FROM_SPRINGS, o, 2);
    if (between) s->second = dynamic_of(d, group, DV_FROM_POINTS, states[1], 0);
    return;
  }
  dvTopology *t = topology_of(o);
  if (!t || dv_topology_point_count(t) > dv_state(states[0])->count) return;
  int positions = dynamic_of(d, DV_DRAW_FORCE_FIELDS, DV_FROM_POINTS, states[0], 0);
  add(d, DV_DRAW_FORCE_FIELDS, DV_DRAW_LINES, o, positions)->indices = indices_of(d, DV_DRAW_FORCE_FIELDS, DV_FROM_EDGES, &t->base, 2);
  if (!has_faces(t)) return;
  dvField *stress = dv_object_field(o, "vonMisesPerNode");
  dvDrawable *s = add(d, DV_DRAW_FORCE_FIELDS, DV_DRAW_TRIANGLES, o, positions);
  s->indices = indices_of(d, DV_DRAW_FORCE_FIELDS, DV_FROM_BOUNDARY, &t->base, 3);
  if (!stress || ((dvReals *)stress->value)->count != dv_state(states[0])->count) return;
  s->values = array_of(d, DV_DRAW_FORCE_FIELDS, (dvDrawArray){.source = DV_FROM_REALS, .object = o, .reals = stress->value, .dynamic = true, .width = 1});
  s->label = "von Mises stress (Pa)";
}

// --- things that are only there to be looked at ---

static int field_array(dvDraw *d, dvObject *o, const char *name, int width)
{
  dvField *f = dv_object_field(o, name);
  if (!f) return -1;
  dv_field_pull(f);
  const dvReals *reals = f->value;
  if (reals->count == 0 || reals->count % (size_t)width != 0) return -1;
  return array_of(d, DV_DRAW_VISUAL, (dvDrawArray){.source = DV_FROM_FIELD, .object = o, .reals = reals, .field = f, .dynamic = true, .width = width});
}

static size_t points_of(const dvDraw *d, int array) { return d->arrays.data[array].reals->count / (size_t)d->arrays.data[array].width; }

static dvDrawable *add_coloured(dvDraw *d, dvDrawKind kind, dvObject *o, int positions)
{
  static const dvShading plain = {.ambient = {0.2, 0.2, 0.2, 1}, .diffuse = {0.75, 0.75, 0.75, 1}, .specular = {0, 0, 0, 1}, .emissive = {0, 0, 0, 1}, .shininess = 45};
  dvDrawable *a = add(d, DV_DRAW_VISUAL, kind, o, positions);
  dvField *colour = dv_object_field(o, "color");
  a->has_material = true;
  a->material = plain;
  if (colour && colour->was_set && colour->desc->type == DV_T_COLOUR) memcpy(a->material.diffuse, colour->value, sizeof a->material.diffuse);
  return a;
}

static void add_visual_mesh(dvDraw *d, dvObject *o)
{
  dvTopology *t = topology_of(o);
  int positions = field_array(d, o, "position", 3);
  if (!t || positions < 0 || dv_topology_point_count(t) > points_of(d, positions)) return;
  bool surface = has_faces(t);
  dvDrawable *m = add_coloured(d, surface ? DV_DRAW_TRIANGLES : DV_DRAW_LINES, o, positions);
  m->indices = surface ? indices_of(d, DV_DRAW_VISUAL, DV_FROM_BOUNDARY, &t->base, 3) : indices_of(d, DV_DRAW_VISUAL, DV_FROM_EDGES, &t->base, 2);
  int values = field_array(d, o, "vertexValues", 1);
  if (!surface || values < 0 || points_of(d, values) != points_of(d, positions)) return;
  m->values = values;
  m->label = "vertex values";
}

static void add_point_cloud(dvDraw *d, dvObject *o)
{
  const char *mode = *(char **)dv_object_field(o, "drawMode")->value;
  const dvReals *radius = dv_object_field(o, "sphereRadius")->value;
  int positions = field_array(d, o, "position", 3);
  if (positions < 0) return;
  dvDrawable *p = add_coloured(d, dv_same_nocase(mode, "Sphere") ? DV_DRAW_SPHERES : DV_DRAW_POINTS, o, positions);
  p->radius = radius->count ? radius->data[0] : 1;
}

static void add_vector_field(dvDraw *d, dvObject *o)
{
  int positions = field_array(d, o, "position", 3), vectors = field_array(d, o, "vector", 3);
  if (positions < 0 || vectors < 0) return;
  add_coloured(d, DV_DRAW_VECTORS, o, positions)->second = vectors;
}

static void add_decoration(dvDraw *d, dvObject *o)
{
  static const struct {
    const char *name;
    void (*add)(dvDraw *d, dvObject *o);
  } known[] = {{"VisualMesh", add_visual_mesh}, {"VisualPointCloud", add_point_cloud}, {"VisualVectorField", add_vector_field}};
  dvField *enable = dv_object_field(o, "enable");
  if (enable && enable->desc->type == DV_T_BOOL && !*(bool *)enable->value) return;
  for (size_t i = 0; i < DV_COUNT(known); i++)
    if (dv_same(o->cls->name, known[i].name)) known[i].add(d, o);
}

static void add_mapping(dvDraw *d, dvObject *o, dvDrawGroup group)
{
  dvObject *in[16], *out[16];
  if (!((const dvMappingOps *)dv_ops(o, DV_ROLE_MAPPING))->build_j || dv_mapping_inputs(o, in) != 1 || dv_mapping_outputs(o, out) != 1) return;
  dvDrawable *m = add(d, group, DV_DRAW_LINES, o, dynamic_of(d, group, DV_FROM_POINTS, out[0], 0));
  m->second = dynamic_of(d, group, DV_FROM_POINTS, in[0], 0);
  m->indices = indices_of(d, group, DV_FROM_MAPPING, o, 2);
}

typedef struct NodePass {
  dvVisitor visitor;
  dvDraw *draw;
} NodePass;

// what the plan of a step does not list
static dvWalk add_of_node(dvVisitor *v, dvNode *node)
{
  dvDraw *d = ((NodePass *)v)->draw;
  for (size_t i = 0; i < node->objects.count; i++) {
    dvObject *o = node->objects.data[i];
    if (o->failed) continue;
    add_decoration(d, o);
    if (!dv_plays(o, DV_ROLE_COLLISION_MODEL)) continue;
    dvState *state = ((dvCollisionModel *)o)->state;
    dvField *radii = dv_object_field(o, "listRadius"), *radius = dv_object_field(o, "radius");
    if (!state || !radii || !radius) continue;
    dvDrawable *s = add(d, DV_DRAW_COLLISION, DV_DRAW_SPHERES, o, dynamic_of(d, DV_DRAW_COLLISION, DV_FROM_POINTS, &state->base, 0));
    s->radius = *(double *)radius->value;
    if (((dvReals *)radii->value)->count == state->count)
      s->radii = array_of(d, DV_DRAW_COLLISION, (dvDrawArray){.source = DV_FROM_REALS, .object = o, .reals = radii->value, .dynamic = true, .width = 1});
  }
  return DV_WALK_ON;
}

static void clear(dvDraw *d)
{
  for (size_t i = 0; i < d->arrays.count; i++) dv_free(d->arrays.data[i].data);
  for (size_t i = 0; i < d->textures.count; i++) dv_free(d->textures.data[i]);
  d->arrays.count = d->list.count = d->textures.count = 0;
}

static void collect(dvDraw *d, dvScene *scene)
{
  d->scene = scene;
  d->again = false;
  if (!scene) return;
  d->version = scene->version;
  if (!scene->initialised) return;
  dv_scene_refresh(scene);
  const dvPlan *p = scene->plan;
  for (size_t i = 0; i < p->visuals.count; i++) {
    dvObject *o = p->visuals.data[i];
    if (dv_plays(o, DV_ROLE_STATE)) add_visual(d, o);
  }
  for (size_t i = 0; i < p->states.count; i++) add_state(d, p->states.data[i]);
  for (size_t i = 0; i < p->forces.count; i++) add_force(d, p->forces.data[i].object);
  for (size_t i = 0; i < p->mappings.count; i++) add_mapping(d, p->mappings.data[i].object, DV_DRAW_MECHANICAL_MAPPINGS);
  for (size_t i = 0; i < p->visual_mappings.count; i++) add_mapping(d, p->visual_mappings.data[i], DV_DRAW_MAPPINGS);
  NodePass pass = {.visitor = {.top_down = add_of_node}, .draw = d};
  dv_visit(scene->root, &pass.visitor);
  dvFlags root = dv_flags_of(scene->root);
  for (size_t i = 0; i < d->list.count; i++) {
    dvDrawable *a = &d->list.data[i];
    dvFlags flags = dv_flags_of(a->object->node);
    a->say = flags.say[a->group];
    a->wireframe = flags.say[DV_FLAG_WIREFRAME] > 0 && root.say[DV_FLAG_WIREFRAME] <= 0;
  }
}

void dv_draw_build(dvDraw *d, dvScene *scene)
{
  clear(d);
  d->revision++;
  collect(d, scene);
}

static bool same_list(const dvDraw *a, const dvDraw *b)
{
  if (a->arrays.count != b->arrays.count || a->list.count != b->list.count) return false;
  for (size_t i = 0; i < a->arrays.count; i++) {
    const dvDrawArray *x = &a->arrays.data[i], *y = &b->arrays.data[i];
    if (x->source != y->source || x->object != y->object || x->vector != y->vector || x->reals != y->reals || x->groups != y->groups) return false;
  }
  for (size_t i = 0; i < a->list.count; i++) {
    const dvDrawable *x = &a->list.data[i], *y = &b->list.data[i];
    if (x->group != y->group || x->kind != y->kind || x->object != y->object || x->positions != y->positions || x->say != y->say ||
        x->wireframe != y->wireframe)
      return false;
  }
  return true;
}

void dv_draw_follow(dvDraw *d, dvScene *scene)
{
  if (d->again || d->scene != scene) {
    dv_draw_build(d, scene);
  } else if (scene && d->version != scene->version) {
    dvDraw fresh = {0};
    collect(&fresh, scene);
    if (same_list(d, &fresh)) d->version = scene->version;
    else dv_draw_build(d, scene);
    dv_draw_free(&fresh);
  }
}

void dv_draw_free(dvDraw *d)
{
  clear(d);
  dv_array_free(&d->arrays);
  dv_array_free(&d->list);
  dv_array_free(&d->textures);
}

// --- filling ---------------------------------------------------------------------------------------------

// room for `count` numbers; when there is none nothing of the array is drawn
static bool make_room(dvDrawArray *a, size_t count)
{
  if (count != a->count) a->changed = 0;
  if (count > a->capacity) {
    dv_free(a->data);
    a->data = dv_try_alloc(count * sizeof *a->data);
    a->capacity = a->data ? count : 0;
  }
  a->count = a->data ? count : 0;
  return a->count == count;
}

static inline uint32_t bits_of(double value)
{
  float f = (float)value;
  uint32_t bits;
  memcpy(&bits, &f, sizeof bits);
  return bits;
}

// copies `n` tuples that stand `stride` apart; returns whether a bit is new. Columns that are not there are 0.
static bool copy_tuples(dvDrawArray *a, size_t n, const double *from, size_t stride, int there)
{
  size_t width = (size_t)a->width;
  if (!make_room(a, n * width)) return true;
  uint32_t differ = 0, *to = a->data;
  if (stride == width && (size_t)there == width) {   // one run of numbers: the compiler makes packs of it
    for (size_t i = 0; i < n * width; i++) {
      uint32_t bits = bits_of(from[i]);
      differ |= bits ^ to[i];
      to[i] = bits;
    }
    return differ != 0;
  }
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < width; k++) {
      uint32_t bits = k < (size_t)there ? bits_of(from[i * stride + k]) : 0;
      differ |= bits ^ a->data[i * width + k];
      a->data[i * width + k] = bits;
    }
  return differ != 0;
}

static bool fill_vertices(dvDrawArray *a)
{
  const dvVisualModel *v = (const dvVisualModel *)a->object;
  const dvReals *x = &v->base.position;
  size_t n = v->vertPosIdx.count, points = dv_reals_size(x);
  if (n == 0) return copy_tuples(a, points, x->data, 3, 3);
  if (!make_room(a, 3 * n)) return true;
  uint32_t differ = 0;
  for (size_t i = 0; i < n; i++) {
    size_t p = (size_t)v->vertPosIdx.data[i];
    for (size_t k = 0; k < 3; k++) {
      uint32_t bits = p < points ? bits_of(x->data[3 * p + k]) : 0;
      differ |= bits ^ a->data[3 * i + k];
      a->data[3 * i + k] = bits;
    }
  }
  return differ != 0;
}

static void widen(double low[3], double high[3], const double *x)
{
  for (int k = 0; k < 3; k++) {
    if (x[k] < low[k]) low[k] = x[k];
    if (x[k] > high[k]) high[k] = x[k];
  }
}

static bool box_of(dvState *s, double low[3], double high[3])
{
  for (int k = 0; k < 3; k++) low[k] = INFINITY, high[k] = -INFINITY;
  const double *x = dv_state_read(s, DV_X);
  for (size_t i = 0; i < s->count; i++) {
    double p[3];
    dv_dof_point(s->base.dof, x + i * (size_t)s->base.dof->coord, p);
    widen(low, high, p);
  }
  return s->count > 0;
}

static bool fill_box(dvDrawArray *a)
{
  double low[3], high[3], corners[24];
  if (!box_of(dv_state(a->object), low, high)) return copy_tuples(a, 0, corners, 3, 3);
  for (int c = 0; c < 8; c++)
    for (int k = 0; k < 3; k++) corners[3 * c + k] = c >> k & 1 ? high[k] : low[k];
  return copy_tuples(a, 8, corners, 3, 3);
}

// --- indices, which are made once ---

static bool copy_indices(dvDrawArray *a, const int32_t *from, size_t count)
{
  if (!make_room(a, count)) return true;
  for (size_t i = 0; i < count; i++) a->data[i] = (uint32_t)from[i];
  return true;
}

static void triangles_of_quads(uint32_t *to, const int32_t *quads, size_t count)
{
  static const int corners[6] = {0, 1, 2, 0, 2, 3};
  for (size_t q = 0; q < count; q++)
    for (size_t k = 0; k < 6; k++) to[6 * q + k] = (uint32_t)quads[4 * q + (size_t)corners[k]];
}

static bool fill_triangles(dvDrawArray *a)
{
  const dvVisualModel *v = (const dvVisualModel *)a->object;
  size_t quads = dv_ints_size(&v->quads);
  if (!make_room(a, v->triangles.count + 6 * quads)) return true;
  for (size_t i = 0; i < v->triangles.count; i++) a->data[i] = (uint32_t)v->triangles.data[i];
  triangles_of_quads(a->data + v->triangles.count, v->quads.data, quads);
  return true;
}

// Grids of hexahedra also list triangles, halves of their quads, and the diagonals between them: those are not drawn.
static bool only_hexahedra(dvTopology *t)
{
  return dv_topology_count(t, DV_HEXAHEDRON) && !dv_topology_count(t, DV_TETRAHEDRON) && !dv_topology_count(t, DV_PRISM) && !dv_topology_count(t, DV_PYRAMID);
}

// faces with at most one element behind them
static bool fill_boundary(dvDrawArray *a)
{
  dvTopology *t = dv_topology(a->object);
  DV_ARRAY(int32_t) triangles = {0}, quads = {0};
  const struct {
    dvElementKind face, volume[3];
  } sides[] = {{DV_TRIANGLE, {DV_TETRAHEDRON, DV_PRISM, DV_PYRAMID}}, {DV_QUAD, {DV_HEXAHEDRON, DV_PRISM, DV_PYRAMID}}};
  for (size_t s = only_hexahedra(t); s < DV_COUNT(sides); s++) {
    const dvInts *faces = dv_topology_elements(t, sides[s].face);
    size_t width = (size_t)dv_element_points(sides[s].face);
    for (size_t f = 0; faces && f < faces->count / width; f++) {
      int32_t behind = 0;
      for (int k = 0; k < 3; k++) {
        const dvIncidence *around = dv_topology_count(t, sides[s].volume[k]) ? dv_topology_around(t, sides[s].face, sides[s].volume[k]) : NULL;
        if (around && f < around->count) behind += around->offsets[f + 1] - around->offsets[f];
      }
      for (size_t k = 0; behind < 2 && k < width; k++) {
        if (s == 0) dv_push(&triangles, faces->data[width * f + k]);
        else dv_push(&quads, faces->data[width * f + k]);
      }
    }
  }
  if (make_room(a, triangles.count + quads.count / 4 * 6)) {
    for (size_t i = 0; i < triangles.count; i++) a->data[i] = (uint32_t)triangles.data[i];
    triangles_of_quads(a->data + triangles.count, quads.data, quads.count / 4);
  }
  dv_array_free(&triangles);
  dv_array_free(&quads);
  return true;
}

static bool fill_springs(dvDrawArray *a)
{
  dvInts pairs = {.width = 2};
  ((const dvForceOps *)dv_ops(a->object, DV_ROLE_FORCE))->pairs(a->object, &pairs);
  copy_indices(a, pairs.data, pairs.count);
  dv_ints_free(&pairs);
  return true;
}

typedef struct PairSink {
  dvMatrixSink sink;
  DV_ARRAY(int32_t) pairs;
} PairSink;

static void keep_pair(dvMatrixSink *sink, const dvState *row_state, size_t row, const dvState *col_state, size_t col, int rows, int cols, const double *values)
{
  DV_UNUSED(row_state), DV_UNUSED(col_state), DV_UNUSED(rows), DV_UNUSED(cols), DV_UNUSED(values);
  PairSink *p = (PairSink *)sink;
  dv_push(&p->pairs, (int32_t)row);
  dv_push(&p->pairs, (int32_t)col);
}

static bool fill_mapping(dvDrawArray *a)
{
  PairSink p = {.sink = {.add = keep_pair}};
  ((const dvMappingOps *)dv_ops(a->object, DV_ROLE_MAPPING))->build_j(a->object, &p.sink);
  copy_indices(a, p.pairs.data, p.pairs.count);
  dv_array_free(&p.pairs);
  return true;
}

static bool fill_edges(dvDrawArray *a)
{
  dvTopology *t = dv_topology(a->object);
  const dvInts *edges = dv_topology_elements(t, DV_EDGE);
  copy_indices(a, edges ? edges->data : NULL, edges ? edges->count : 0);
  const dvIncidence *around = edges && only_hexahedra(t) ? dv_topology_around(t, DV_EDGE, DV_HEXAHEDRON) : NULL;
  if (!around || around->count != dv_ints_size(edges) || a->count != edges->count) return true;
  size_t kept = 0;
  for (size_t i = 0; i < around->count; i++) {
    if (around->offsets[i + 1] == around->offsets[i]) continue;
    a->data[kept++] = (uint32_t)edges->data[2 * i];
    a->data[kept++] = (uint32_t)edges->data[2 * i + 1];
  }
  return make_room(a, kept);
}

static bool fill(dvDrawArray *a)
{
  static const int32_t box_edges[24] = {0, 1, 2, 3, 4, 5, 6, 7, 0, 2, 1, 3, 4, 6, 5, 7, 0, 4, 1, 5, 2, 6, 3, 7};
  dvObject *o = a->object;
  dvState *s = o && dv_plays(o, DV_ROLE_STATE) ? dv_state(o) : NULL;
  switch (a->source) {
  case DV_FROM_POINTS: return copy_tuples(a, s->count, dv_state_read(s, DV_X), (size_t)o->dof->coord, o->dof->space);
  case DV_FROM_TURNS: return copy_tuples(a, s->count, dv_state_read(s, DV_X) + 3, (size_t)o->dof->coord, 4);
  case DV_FROM_VECTOR: return copy_tuples(a, s->count, dv_state_read(s, a->vector), (size_t)o->dof->deriv, o->dof->space);
  case DV_FROM_VERTICES: return fill_vertices(a);
  case DV_FROM_FIELD:
  case DV_FROM_REALS:
    if (a->field) dv_field_pull(a->field);
    return copy_tuples(a, a->reals->count / (size_t)a->width, a->reals->data, (size_t)a->width, a->width);
  case DV_FROM_BOX: return fill_box(a);
  case DV_FROM_TRIANGLES: return fill_triangles(a);
  case DV_FROM_BOUNDARY: return fill_boundary(a);
  case DV_FROM_EDGES: return fill_edges(a);
  case DV_FROM_SPRINGS: return fill_springs(a);
  case DV_FROM_MAPPING: return fill_mapping(a);
  case DV_FROM_BOX_EDGES: return copy_indices(a, box_edges, DV_COUNT(box_edges));
  }
  return false;
}

uint64_t dv_draw_refresh(dvDraw *d, unsigned groups)
{
  d->refreshes++;
  for (size_t i = 0; i < d->arrays.count; i++) {
    dvDrawArray *a = &d->arrays.data[i];
    if (!(a->groups & groups) || (a->changed && !a->dynamic)) continue;
    size_t before = a->count;
    bool first = a->changed == 0;
    if (fill(a) || first || a->changed == 0) a->changed = d->refreshes;
    if (!first && a->count != before) d->again = true;
  }
  return d->refreshes;
}

bool dv_draw_box(const dvDraw *d, double low[3], double high[3])
{
  for (int k = 0; k < 3; k++) low[k] = INFINITY, high[k] = -INFINITY;
  bool any = false;
  for (int pass = 0; pass < 2 && !any; pass++)   // visual models, else everything
    for (size_t i = 0; i < d->list.count; i++) {
      const dvDrawable *a = &d->list.data[i];
      if (a->group != (pass ? DV_DRAW_BEHAVIOR : DV_DRAW_VISUAL)) continue;
      double l[3], h[3];
      if (!dv_plays(a->object, DV_ROLE_STATE)) continue;
      if (!box_of(dv_state(a->object), l, h) || !isfinite(l[0] + l[1] + l[2] + h[0] + h[1] + h[2])) continue;
      widen(low, high, l);
      widen(low, high, h);
      any = true;
    }
  return any;
}

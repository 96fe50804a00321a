// The draw list of a scene. See draw.h.
#include "view/draw_inside.h"

#include "collision/model.h"
#include "haptic/driver.h"
#include "mass/diagonal.h"
#include "mechanics/component.h"
#include "scene/plan.h"
#include "topology/change/journal.h"
#include "view/flags.h"
#include "view/ornaments.h"
#include "visual/bleeding.h"

#include <string.h>

const char *const dv_draw_group_names[DV_DRAW_GROUPS] = {
    "visual",   "behavior",           "velocities",  "forces",       "collision", "bounds",
    "mappings", "mechanicalMappings", "forceFields", "interactions", "contacts"};
const char *const dv_draw_kind_names[] = {"triangles", "lines", "points", "vectors", "spheres", "frames", "boxes"};

// --- the list ------------------------------------------------------------------------------------

static int array_of(dvDraw *d, dvDrawGroup group, dvDrawArray want)
{
  for (size_t i = 0; i < d->arrays.count; i++) {
    dvDrawArray *a = &d->arrays.data[i];
    if (a->source != want.source || a->object != want.object || a->vector != want.vector || a->reals != want.reals ||
        a->pairs != want.pairs || a->topology != want.topology || a->cells[0] != want.cells[0] ||
        a->part != want.part || a->moved)
      continue;
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
  return array_of(d, group,
                  (dvDrawArray){.source = source, .object = o, .vector = vector, .dynamic = true, .width = width});
}

static int varying_of(dvDraw *d, dvDrawGroup group, dvDrawSource source, dvObject *o, int which)
{
  return array_of(
      d, group,
      (dvDrawArray){.source = source, .object = o, .vector = which, .dynamic = true, .varies = true, .width = 3});
}

static int indices_of(dvDraw *d, dvDrawGroup group, dvDrawSource source, dvObject *o, int width)
{
  return array_of(d, group, (dvDrawArray){.source = source, .object = o, .integers = true, .width = width});
}

static dvDrawable *add(dvDraw *d, dvDrawGroup group, dvDrawKind kind, dvObject *o, int positions)
{
  dv_push(&d->list, ((dvDrawable){.group = group,
                                  .kind = kind,
                                  .object = o,
                                  .positions = positions,
                                  .indices = -1,
                                  .second = -1,
                                  .values = -1,
                                  .texcoords = -1,
                                  .radii = -1,
                                  .frames = -1,
                                  .sizes = -1,
                                  .paint = -1,
                                  .texture = -1,
                                  .shader = -1}));
  return &d->list.data[d->list.count - 1];
}

int dv_draw_texture(dvDraw *d, const dvObject *o, const char *name)
{
  if (!name || !*name) return -1;
  char *path = dv_context_find_file(o->context, name, o->place.file, NULL);
  if (!path) return -1;
  for (size_t i = 0; i < d->textures.count; i++)
    if (dv_same(d->textures.data[i], path)) {
      dv_free(path);
      return (int)i;
    }
  dv_push(&d->textures, path);
  return (int)d->textures.count - 1;
}

static void add_box(dvDraw *d, dvObject *state)
{
  dvDrawable *box = add(d, DV_DRAW_BOUNDS, DV_DRAW_LINES, state, dynamic_of(d, DV_DRAW_BOUNDS, DV_FROM_BOX, state, 0));
  box->indices = indices_of(d, DV_DRAW_BOUNDS, DV_FROM_BOX_EDGES, NULL, 2);
}

// the parts of a surface in the order in which its indices are filled
static void add_parts(dvDraw *d, dvDrawable *s, const dvVisualModel *v)
{
  const dvObject *o = &v->base.state.base;
  const dvVisualParts *parts = dv_visual_parts(v);
  size_t first = 0, *corners = dv_visual_part_corners(v, parts);
  s->first_part = d->parts.count;
  for (size_t k = 0; k <= parts->list.count; k++) {
    dvDrawPart part = {.first = first, .count = corners[k], .material = s->material, .texture = s->texture};
    const dvVisualPart *own = k ? &parts->list.data[k - 1] : NULL;
    if (part.count == 0) continue;
    if (own) part.material = dv_plain_shading, dv_material_parse(&part.material, own->material);
    if (own && !dv_was_set(o, &v->texturename)) part.texture = dv_draw_texture(d, o, own->texture);
    dv_push(&d->parts, part);
    first += part.count;
  }
  s->parts = d->parts.count - s->first_part;
  dv_free(corners);
}

static size_t points_of(const dvDraw *d, int array);

// The state under a surface with a mesh of its own that is spanned over volumes which have been cut or carved: the
// surface knows nothing of that. NULL for all others.
static dvState *cut_under(const dvPlan *p, const dvObject *visual)
{
  dvObject *out;
  if (!p || dv_state((dvObject *)visual)->topology) return NULL;
  for (size_t k = 0; k < p->visual_mappings.count; k++) {
    dvObject *m = p->visual_mappings.data[k], *in = dv_mapping_input(m, 0);
    for (size_t i = 0; in && (out = dv_mapping_output(m, i)); i++) {
      dvState *state = out == visual && dv_is_mechanical_state(in) ? dv_state(in) : NULL;
      if (state && state->base.dof->coord == 3 && state->topology && dv_topology_journal(state->topology) &&
          dv_topology_largest(state->topology) >= DV_TETRAHEDRON)
        return state;
    }
  }
  return NULL;
}

static void add_surface(dvDraw *d, dvVisualModel *v)
{
  dvObject *o = &v->base.state.base;
  dvState *body = cut_under(d->scene->plan, o);
  if (body) {   // its outer faces stand in for the surface
    dvDrawable *s =
        add(d, DV_DRAW_VISUAL, DV_DRAW_TRIANGLES, o, dynamic_of(d, DV_DRAW_VISUAL, DV_FROM_POINTS, &body->base, 0));
    s->indices = indices_of(d, DV_DRAW_VISUAL, DV_FROM_BOUNDARY, &body->topology->base, 3);
    s->has_material = true;
    s->material = dv_visual_material(v);
    return;
  }
  if (!v->triangles.count && !v->quads.count) return;
  dvDrawable *s = add(d, DV_DRAW_VISUAL, DV_DRAW_TRIANGLES, o, dynamic_of(d, DV_DRAW_VISUAL, DV_FROM_VERTICES, o, 0));
  s->indices = indices_of(d, DV_DRAW_VISUAL, DV_FROM_TRIANGLES, o, 3);
  s->has_material = true;
  s->material = dv_visual_material(v);
  s->texture = dv_draw_texture(d, o, v->texturename);
  add_parts(d, s, v);
  int paint = dv_draw_field_array(d, dv_bleeding_paint(o), 4);
  if (paint >= 0 && points_of(d, paint) == dv_reals_size(dv_visual_vertices(v))) s->paint = paint;
  if (dv_reals_size(&v->texcoords) == dv_reals_size(dv_visual_vertices(v)))
    s->texcoords = array_of(d, DV_DRAW_VISUAL,
                            (dvDrawArray){.source = DV_FROM_REALS, .object = o, .reals = &v->texcoords, .width = 2});
}

// the points or frames of a state
static void add_freedoms(dvDraw *d, dvDrawGroup group, dvObject *o)
{
  bool rigid = o->dof->kind == DV_RIGID3;
  dvDrawable *a = add(d, group, rigid ? DV_DRAW_FRAMES : DV_DRAW_POINTS, o, dynamic_of(d, group, DV_FROM_POINTS, o, 0));
  if (rigid) a->frames = dynamic_of(d, group, DV_FROM_TURNS, o, 0);
}

static bool leads_to_visual(const dvPlan *p, const dvObject *state, int depth)
{
  for (size_t k = 0; k < p->mappings.count + p->visual_mappings.count; k++) {
    dvObject *m = k < p->mappings.count ? p->mappings.data[k].object : p->visual_mappings.data[k - p->mappings.count];
    dvObject *in, *out;
    for (size_t i = 0; (in = dv_mapping_input(m, i)); i++)
      for (size_t j = 0; in == state && (out = dv_mapping_output(m, j)); j++)
        if (dv_plays(out, DV_ROLE_VISUAL) || (depth < 8 && leads_to_visual(p, out, depth + 1))) return true;
  }
  return false;
}

// A rigid body that nothing else shows is a box with its mass and inertia: of sides l, I_xx = m (l_y2 + l_z2) / 12.
// Frames on a line or a mesh are those of a beam or a shell.
static void add_inertia(dvDraw *d, const dvPlan *p, dvObject *o)
{
  if (o->dof->kind != DV_RIGID3 || dv_node_find(o->node, DV_ROLE_TOPOLOGY) || leads_to_visual(p, o, 0)) return;
  for (size_t i = 0; i < o->node->objects.count; i++) {
    dvObject *mass = o->node->objects.data[i];
    if (mass->failed || dv_ops(mass, DV_ROLE_MASS) != &dv_diagonal_ops || ((dvDiagonal *)mass)->inertia.count < 9)
      continue;
    dvDrawable *a = add(d, DV_DRAW_VISUAL, DV_DRAW_BOXES, o, dynamic_of(d, DV_DRAW_VISUAL, DV_FROM_POINTS, o, 0));
    int turns = dynamic_of(d, DV_DRAW_VISUAL, DV_FROM_TURNS, o, 0);
    a->frames = turns;
    a->sizes = array_of(d, DV_DRAW_VISUAL, (dvDrawArray){.source = DV_FROM_INERTIA, .object = mass, .width = 3});
    return;
  }
}

static void add_state(dvDraw *d, dvObject *o)
{
  const bool *shown = dv_state(o)->shown;
  if (o->dof->space < 2) return;   // numbers along no axis
  add_box(d, o);
  add_freedoms(d, DV_DRAW_BEHAVIOR, o);
  if (shown && *shown) add_freedoms(d, DV_DRAW_VISUAL, o);   // as in SOFA
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
  dvObject *t = dv_object_linked(force, DV_ROLE_TOPOLOGY);
  return t ? dv_topology(t) : NULL;
}

static bool has_faces(dvTopology *t)
{
  for (int kind = DV_ELEMENT_KINDS - 1; kind >= DV_TRIANGLE;
       kind--)   // volumes first: their faces are only made when asked for
    if (dv_topology_count(t, (dvElementKind)kind)) return true;
  return false;
}

static void add_sketch(dvDraw *d, dvObject *o, const dvSketch *s);

static void add_force(dvDraw *d, dvObject *o)
{
  const dvForceOps *ops = dv_ops(o, DV_ROLE_FORCE);
  dvObject *states[DV_FORCE_STATES];
  if (ops->sketch) {
    dvSketch sketch = {0};
    ops->sketch(o, &sketch);
    add_sketch(d, o, &sketch);
  }
  int n = dv_force_states(o, states);
  if (n == 0) return;
  if (ops->pairs) {
    bool between = n == 2 && states[1] != states[0], joint = states[0]->dof->kind == DV_RIGID3;
    if (states[0]->dof->space < 2 || (between && states[1]->dof->space < 2)) return;
    dvDrawGroup group = between || joint ? DV_DRAW_INTERACTIONS : DV_DRAW_FORCE_FIELDS;
    dvDrawable *s = add(d, group, DV_DRAW_LINES, o, dynamic_of(d, group, DV_FROM_POINTS, states[0], 0));
    s->indices = indices_of(d, group, DV_FROM_SPRINGS, o, 2);
    if (between) s->second = dynamic_of(d, group, DV_FROM_POINTS, states[1], 0);
    return;
  }
  dvTopology *t = topology_of(o);
  if (!t || dv_topology_point_count(t) > dv_state(states[0])->count) return;
  int positions = dynamic_of(d, DV_DRAW_FORCE_FIELDS, DV_FROM_POINTS, states[0], 0);
  int edges = indices_of(d, DV_DRAW_FORCE_FIELDS, DV_FROM_EDGES, &t->base, 2);
  dvDrawable *lines = add(d, DV_DRAW_FORCE_FIELDS, DV_DRAW_LINES, o, positions);
  lines->indices = edges;
  lines->faced = has_faces(t) && ops->stress;
  if (!has_faces(t)) return;
  const dvReals *stress = ops->stress ? ops->stress(o) : NULL;
  dvDrawable *s = add(d, DV_DRAW_FORCE_FIELDS, DV_DRAW_TRIANGLES, o, positions);
  s->indices = indices_of(d, DV_DRAW_FORCE_FIELDS, DV_FROM_BOUNDARY, &t->base, 3);
  if (!stress || stress->count != dv_state(states[0])->count) return;
  s->values =
      array_of(d, DV_DRAW_FORCE_FIELDS,
               (dvDrawArray){.source = DV_FROM_REALS, .object = o, .reals = stress, .dynamic = true, .width = 1});
  s->label = "von Mises stress (Pa)";
}

// --- visual models and what else is only there to be looked at ---

int dv_draw_field_array(dvDraw *d, dvField *f, int width)
{
  if (!f) return -1;
  dv_field_pull(f);
  const dvReals *reals = f->value;
  if (reals->count == 0 || reals->count % (size_t)width != 0) return -1;
  return array_of(
      d, DV_DRAW_VISUAL,
      (dvDrawArray){
          .source = DV_FROM_FIELD, .object = f->owner, .reals = reals, .field = f, .dynamic = true, .width = width});
}

static size_t points_of(const dvDraw *d, int array)
{
  const dvDrawArray *a = &d->arrays.data[array];
  return a->reals ? a->reals->count / (size_t)a->width : dv_state(a->object)->count;
}

static dvDrawable *add_coloured(dvDraw *d, dvDrawKind kind, dvObject *o, int positions, const dvSketch *s)
{
  dvDrawable *a = add(d, DV_DRAW_VISUAL, kind, o, positions);
  a->has_material = true;
  a->material = dv_plain_shading;
  if (s->coloured) memcpy(a->material.diffuse, s->colour, sizeof a->material.diffuse);
  return a;
}

// cells of a mesh of volumes, apart from each other
static bool add_cells(dvDraw *d, dvObject *o, const dvSketch *s)
{
  dvObject *state = s->state ? s->state : o;
  bool own = s->points && s->triangles;
  if (!(s->radius > 0 && s->radius <= 1) || !dv_plays(state, DV_ROLE_STATE) || state->dof->coord != 3) return false;
  if (!own &&
      ((s->radius == 1 && !(s->attenuation > 0)) || dv_topology_largest(dv_topology(s->topology)) < DV_TETRAHEDRON))
    return false;
  dvDrawArray places = {.source = DV_FROM_CELLS,
                        .object = state,
                        .topology = s->topology,
                        .cells = {s->points, s->triangles},
                        .part = s->radius,
                        .dynamic = true,
                        .varies = true,
                        .width = 3},
              faces = {.source = DV_FROM_CELL_FACES,
                       .object = o,
                       .topology = s->topology,
                       .cells = {s->points, s->triangles},
                       .integers = true,
                       .width = 3};
  int first = array_of(d, DV_DRAW_VISUAL, places), second = array_of(d, DV_DRAW_VISUAL, faces);
  dvDrawable *a = add_coloured(d, DV_DRAW_TRIANGLES, o, first, s);
  a->indices = second;
  a->attenuation = s->attenuation;
  return true;
}

static void add_elements(dvDraw *d, dvObject *o, const dvSketch *s, int positions)
{
  if (add_cells(d, o, s)) return;
  dvTopology *t = dv_topology(s->topology);
  if (dv_topology_point_count(t) > points_of(d, positions)) return;
  bool faces = has_faces(t);
  int indices = indices_of(d, DV_DRAW_VISUAL, faces ? DV_FROM_BOUNDARY : DV_FROM_EDGES, &t->base, faces ? 3 : 2),
      values = dv_draw_field_array(d, s->values, 1);
  dvDrawable *a = add_coloured(d, faces ? DV_DRAW_TRIANGLES : DV_DRAW_LINES, o, positions, s);
  a->indices = indices;
  if (!faces || values < 0 || points_of(d, values) != points_of(d, positions)) return;
  a->values = values;
  a->label = dv_field_name(s->values->desc);
  memcpy(a->range, s->range, sizeof a->range);
}

static void add_faces(dvDraw *d, dvObject *o, const dvSketch *s)
{
  if (!s->triangles->count) return;
  int positions = array_of(d, DV_DRAW_VISUAL,
                           (dvDrawArray){.source = DV_FROM_SOME,
                                         .object = s->state ? s->state : o,
                                         .pairs = s->points,
                                         .dynamic = true,
                                         .width = 3}),
      indices = array_of(
          d, DV_DRAW_VISUAL,
          (dvDrawArray){.source = DV_FROM_PAIRS, .object = o, .pairs = s->triangles, .integers = true, .width = 3});
  dvDrawable *a = add_coloured(d, DV_DRAW_TRIANGLES, o, positions, s);
  a->indices = indices;
  a->first_part = d->parts.count;
  for (size_t k = 0, first = 0; k < s->part_count; first += s->parts[k++].count) {
    dvDrawPart part = {.first = first, .count = s->parts[k].count, .material = dv_plain_shading, .texture = -1};
    memcpy(part.material.diffuse, s->parts[k].colour, sizeof part.material.diffuse);
    if (part.count) dv_push(&d->parts, part);
  }
  a->parts = d->parts.count - a->first_part;
}

static void add_sketch(dvDraw *d, dvObject *o, const dvSketch *s)
{
  if (s->kind == DV_SKETCH_FACES) {
    add_faces(d, o, s);
    return;
  }
  dvObject *state = s->state ? s->state : o;
  if (s->kind == DV_SKETCH_NOTHING || (!s->positions && !dv_plays(state, DV_ROLE_STATE))) return;
  int positions = s->positions ? dv_draw_field_array(d, s->positions, 3)
                               : dynamic_of(d, DV_DRAW_VISUAL, DV_FROM_POINTS, state, 0),
      second;
  if (positions < 0) return;
  switch (s->kind) {
  case DV_SKETCH_ELEMENTS:
    add_elements(d, o, s, positions);
    return;
  case DV_SKETCH_LINES:
    second =
        array_of(d, DV_DRAW_VISUAL,
                 (dvDrawArray){.source = DV_FROM_PAIRS, .object = o, .pairs = s->pairs, .integers = true, .width = 2});
    add_coloured(d, DV_DRAW_LINES, o, positions, s)->indices = second;
    return;
  case DV_SKETCH_SKIN:
    second = array_of(
        d, DV_DRAW_VISUAL,
        (dvDrawArray){.source = DV_FROM_PAIRS, .object = o, .pairs = s->triangles, .integers = true, .width = 3});
    int values = dv_draw_field_array(d, s->values, 1);
    dvDrawable *skin = add_coloured(d, DV_DRAW_TRIANGLES, o, positions, s);
    skin->indices = second;
    skin->values = values;
    skin->label = s->values ? dv_field_name(s->values->desc) : NULL;
    skin->absorption = s->absorption;
    return;
  case DV_SKETCH_ARROWS:
    second = dv_draw_field_array(d, s->vectors, 3);
    if (second >= 0) {
      dvDrawable *arrows = add_coloured(d, DV_DRAW_VECTORS, o, positions, s);
      arrows->second = second;
      arrows->scale = s->radius;
      arrows->directed = s->directed;
    }
    return;
  case DV_SKETCH_SPHERES:;
    second = dv_draw_field_array(d, s->values, 1);   // their radii
    dvDrawable *balls = add_coloured(d, DV_DRAW_SPHERES, o, positions, s);
    balls->radius = s->radius;
    balls->radii = second;
    balls->attenuation = s->attenuation;
    memcpy(balls->liquid, s->liquid, sizeof balls->liquid);
    return;
  case DV_SKETCH_POINTS:
    add_coloured(d, DV_DRAW_POINTS, o, positions, s);
    return;
  default:
    return;
  }
}

static void add_ornaments(dvDraw *d, dvObject *o)
{
  int parts = dv_ornament_parts(o);
  for (int i = 0; i < parts; i++) {
    dvDrawable *a = add(d, DV_DRAW_VISUAL, DV_DRAW_LINES, o, varying_of(d, DV_DRAW_VISUAL, DV_FROM_ORNAMENT, o, i));
    a->has_material = a->aside = true;
    a->material = dv_plain_shading;
    dv_ornament_colour(o, i, a->material.diffuse);
  }
}

static void add_visual(dvDraw *d, dvObject *o)
{
  dvSketch s = {0};
  if (dv_plays(o, DV_ROLE_STATE)) add_box(d, o);
  ((const dvVisualOps *)dv_ops(o, DV_ROLE_VISUAL))->sketch(o, &s);
  if (s.kind == DV_SKETCH_SURFACE) add_surface(d, (dvVisualModel *)o);
  else add_sketch(d, o, &s);
}

// a haptic device: handle, tool, force
static void add_hand(dvDraw *d, dvObject *o)
{
  dvSketch s = {0};
  for (int part = 0; dv_driver_sketch(dv_driver(o), part, &s); part++, s = (dvSketch){0}) add_sketch(d, o, &s);
}

static void add_mapping(dvDraw *d, dvObject *o, dvDrawGroup group)
{
  dvObject *in = dv_mapping_input(o, 0), *out = dv_mapping_output(o, 0);
  bool one_to_one = in && out && !dv_mapping_input(o, 1) && !dv_mapping_output(o, 1);
  if (!((const dvMappingOps *)dv_ops(o, DV_ROLE_MAPPING))->build_j || !one_to_one) return;
  if (in->dof->space < 2 || out->dof->space < 2) return;
  dvDrawable *m = add(d, group, DV_DRAW_LINES, o, dynamic_of(d, group, DV_FROM_POINTS, out, 0));
  m->second = dynamic_of(d, group, DV_FROM_POINTS, in, 0);
  m->indices = indices_of(d, group, DV_FROM_MAPPING, o, 2);
}

// triangles, edges, points or spheres of a collision model
static void add_collision(dvDraw *d, dvObject *o)
{
  static const dvDrawKind kinds[] = {DV_DRAW_POINTS, DV_DRAW_POINTS, DV_DRAW_LINES, DV_DRAW_TRIANGLES, DV_DRAW_POINTS};
  dvCollisionModel *m = (dvCollisionModel *)o;
  bool spheres = m->radii && !m->elements.width;
  dvDrawKind kind = (size_t)m->elements.width < DV_COUNT(kinds) ? kinds[m->elements.width] : DV_DRAW_POINTS;
  int positions = dynamic_of(d, DV_DRAW_COLLISION, DV_FROM_POINTS, &m->state->base, 0);
  dvDrawable *a = add(d, DV_DRAW_COLLISION, spheres ? DV_DRAW_SPHERES : kind, o, positions);
  if (m->elements.width > 1 && m->elements.width < 4)
    a->indices = indices_of(d, DV_DRAW_COLLISION, DV_FROM_COLLISION, o, m->elements.width);
  if (spheres)
    a->radii =
        array_of(d, DV_DRAW_COLLISION,
                 (dvDrawArray){.source = DV_FROM_REALS, .object = o, .reals = m->radii, .dynamic = true, .width = 1});
  add(d, DV_DRAW_BOUNDS, DV_DRAW_LINES, o, varying_of(d, DV_DRAW_BOUNDS, DV_FROM_TREE, o, 0));
}

// contacts of all pipelines: both points joined, and the normal
static void add_contacts(dvDraw *d, dvObject *pipeline)
{
  dvDrawGroup group = DV_DRAW_CONTACTS;
  int first = varying_of(d, group, DV_FROM_CONTACTS, pipeline, 0),
      second = varying_of(d, group, DV_FROM_CONTACTS, pipeline, 1),
      normal = varying_of(d, group, DV_FROM_CONTACTS, pipeline, 2);
  add(d, group, DV_DRAW_LINES, pipeline, first)->second = second;
  add(d, group, DV_DRAW_POINTS, pipeline, second);
  add(d, group, DV_DRAW_VECTORS, pipeline, second)->second = normal;
}

typedef struct NodePass {
  dvVisitor visitor;
  dvDraw *draw;
} NodePass;

// what the plan of a step does not list
static dvWalk add_of_node(dvVisitor *v, dvNode *node)
{
  for (size_t i = 0; i < node->objects.count; i++) {
    dvObject *o = node->objects.data[i];
    if (!o->failed && dv_plays(o, DV_ROLE_COLLISION_MODEL) && ((dvCollisionModel *)o)->state)
      add_collision(((NodePass *)v)->draw, o);
    if (!o->failed && dv_is_driver(o)) add_hand(((NodePass *)v)->draw, o);
    if (!o->failed && o->initialised) add_ornaments(((NodePass *)v)->draw, o);
  }
  return DV_WALK_ON;
}

static void clear(dvDraw *d)
{
  dv_shaders_clear(d);
  for (size_t i = 0; i < d->arrays.count; i++) dv_free(d->arrays.data[i].data);
  for (size_t i = 0; i < d->textures.count; i++) dv_free(d->textures.data[i]);
  d->own_arrays = 0;
  d->post = d->backdrop = -1;
  d->arrays.count = d->list.count = d->textures.count = d->parts.count = 0;
}

static void collect(dvDraw *d, dvScene *scene, bool read)
{
  d->scene = scene;
  d->again = false;
  if (!scene) return;
  d->version = scene->version;
  if (!scene->initialised) return;
  dv_scene_refresh(scene);
  const dvPlan *p = scene->plan;
  for (size_t i = 0; i < p->visuals.count; i++) add_visual(d, p->visuals.data[i]);
  for (size_t i = 0; i < p->fixed.states; i++) {   // what is live comes and goes
    add_state(d, p->states.data[i]);
    add_inertia(d, p, p->states.data[i]);
  }
  for (size_t i = 0; i < p->fixed.forces; i++) add_force(d, p->forces.data[i].object);
  for (size_t i = 0; i < p->fixed.mappings; i++)
    add_mapping(d, p->mappings.data[i].object, DV_DRAW_MECHANICAL_MAPPINGS);
  for (size_t i = 0; i < p->visual_mappings.count; i++) add_mapping(d, p->visual_mappings.data[i], DV_DRAW_MAPPINGS);
  NodePass pass = {.visitor = {.top_down = add_of_node}, .draw = d};
  dv_visit(scene->root, &pass.visitor);
  if (p->pipelines.count) add_contacts(d, p->pipelines.data[0]);
  dvFlags root = dv_flags_of(scene->root);
  for (size_t i = 0; i < d->list.count; i++) {
    dvDrawable *a = &d->list.data[i];
    dvFlags flags = dv_flags_of(a->object->node);
    a->say = flags.say[a->group];
    a->wireframe = flags.say[DV_FLAG_WIREFRAME] > 0 && root.say[DV_FLAG_WIREFRAME] <= 0;
  }
  dv_draw_choose_maps(d, read);
  dv_draw_choose_colours(d);
  dv_draw_move(d);
  d->own_arrays = d->arrays.count;
  dv_backdrop_add(d, read);
  dv_shaders_add(d, read);
}

void dv_draw_build(dvDraw *d, dvScene *scene)
{
  if (scene != d->scene) d->told.count = 0;
  clear(d);
  d->revision++;
  collect(d, scene, true);
}

static bool same_list(const dvDraw *a, const dvDraw *b)
{
  // `b` was made without what shaders are given, which comes last
  if (a->own_arrays != b->own_arrays || a->list.count != b->list.count || a->shaders.count != b->shaders.count ||
      a->post != b->post || a->post_near != b->post_near || a->post_far != b->post_far || a->backdrop != b->backdrop)
    return false;
  if (a->backdrop >= 0 && !dv_same(a->textures.data[a->backdrop], b->textures.data[b->backdrop])) return false;
  for (size_t i = 0; i < a->own_arrays; i++) {
    const dvDrawArray *x = &a->arrays.data[i], *y = &b->arrays.data[i];
    if (x->source != y->source || x->object != y->object || x->vector != y->vector || x->reals != y->reals ||
        x->pairs != y->pairs || x->groups != y->groups || x->moved != y->moved)
      return false;
  }
  for (size_t i = 0; i < a->shaders.count && i < b->shaders.count; i++)
    if (a->shaders.data[i].object != b->shaders.data[i].object) return false;
  for (size_t i = 0; i < a->list.count; i++) {
    const dvDrawable *x = &a->list.data[i], *y = &b->list.data[i];
    if (x->group != y->group || x->kind != y->kind || x->object != y->object || x->positions != y->positions ||
        x->say != y->say || x->parts != y->parts || x->wireframe != y->wireframe || x->shader != y->shader ||
        x->map != y->map)
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
    collect(&fresh, scene, false);
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
  dv_array_free(&d->parts);
  dv_array_free(&d->textures);
  dv_array_free(&d->shaders);
  dv_array_free(&d->told);
}

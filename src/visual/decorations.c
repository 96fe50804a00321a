// VisualMesh, VisualPointCloud, VisualVectorField, TrailRenderer, OglFluidModel: things that are only there to be
// looked at. Their points are fields, often linked to those of other components; nothing moves them and they move
// nothing.
#include "visual/register.h"
#include "visual/visual_model.h"

#include <math.h>
#include <string.h>

#define ENABLE_FIELDS(X) X(bool, enable, "1", "", "draw it", .flags = DV_LOOKS)

#define MESH_FIELDS(X)                                                                                       \
  X(vec3s, position, "", "m", "positions of the points", .flags = DV_LOOKS)                                  \
  X(real, elementSpace, "0.15", "", "gap between the elements, as a part of their size", .flags = DV_LOOKS)  \
  X(bool, lighting, "1", "", "shade the surfaces", .flags = DV_LOOKS)                                        \
  X(reals, vertexValues, "", "", "a number a point, shown as colour", .flags = DV_LOOKS)                     \
  X(string, colorMap, "", "", "colours of the numbers, from the smallest to the largest", .flags = DV_LOOKS) \
  X(link, topology, "", "", "the elements; those of the node or above by default", .role = DV_ROLE_TOPOLOGY, \
    .flags = DV_LOOKS)

#define CLOUD_FIELDS(X)                                                                   \
  X(vec3s, position, "", "m", "positions", .flags = DV_LOOKS)                             \
  X(string, drawMode, "Point", "", "Point, Sphere or Frame", .flags = DV_LOOKS)           \
  X(real, pointSize, "1", "pixels", "size of a point", .flags = DV_LOOKS)                 \
  X(reals, sphereRadius, "1", "m", "radius of the spheres", .flags = DV_LOOKS)            \
  X(color, color, "1 1 1 1", "", "colour of the points", .flags = DV_LOOKS)               \
  X(bool, showIndices, "0", "", "write the indices beside the points", .flags = DV_LOOKS) \
  X(real, indicesScale, "1", "", "size of the indices", .flags = DV_LOOKS)                \
  X(color, indicesColor, "1 1 1 1", "", "colour of the indices", .flags = DV_LOOKS)

#define FLUID_FIELDS(X)                                                                                         \
  X(vec3s, position, "", "m", "positions of the particles", .flags = DV_LOOKS)                                  \
  X(int, debugFBO, "9", "", "9: the surface of the fluid; any other number: its particles as balls",            \
    .flags = DV_LOOKS | DV_HIDDEN)                                                                              \
  X(real, spriteRadius, "1", "m", "radius of a particle", .flags = DV_LOOKS)                                    \
  X(real, spriteThickness, "0.01", "", "how much of the light a particle swallows: 0.01 is 45 % in its radius", \
    .flags = DV_LOOKS)                                                                                          \
  X(real, spriteBlurRadius, "10", "",                                                                           \
    "how far the surface is smoothed: 10 is one and a half radii; 0: particles are balls", .flags = DV_LOOKS)   \
  X(real, spriteBlurScale, "0.1", "", "no effect: weights fall off within the blur radius",                     \
    .flags = DV_LOOKS | DV_IDLE | DV_HIDDEN)                                                                    \
  X(real, spriteBlurDepthFalloff, "1", "",                                                                      \
    "what is farther behind than half a radius over this is not smoothed together with what is before",         \
    .flags = DV_LOOKS)                                                                                          \
  X(color, spriteDiffuseColor, "0 0 1 1", "", "colour of the fluid", .flags = DV_LOOKS)

#define ARROW_FIELDS(X)                                                         \
  X(vec3s, position, "", "m", "where the arrows start", .flags = DV_LOOKS)      \
  X(vec3s, vector, "", "", "the arrows", .flags = DV_LOOKS)                     \
  X(real, vectorScale, "1", "", "factor of their length", .flags = DV_LOOKS)    \
  X(string, drawMode, "Line", "", "Line, Cylinder or Arrow", .flags = DV_LOOKS) \
  X(color, color, "1 1 1 1", "", "colour", .flags = DV_LOOKS)

#define TRAIL_FIELDS(X)                                                                                        \
  X(vec3s, position, "", "m", "the points", .flags = DV_LOOKS)                                                 \
  X(int, nbSteps, "100", "", "steps that are kept", .flags = DV_LOOKS)                                         \
  X(string, color, "#00ff00ff #00ff00ff", "", "colours from the oldest to the newest step", .flags = DV_LOOKS) \
  X(real, thickness, "1", "pixels", "width of the lines", .flags = DV_LOOKS)                                   \
  X(vec3s, trail, "", "m", "where the points were, the oldest step first", .flags = DV_LOOKS | DV_READ_ONLY | DV_HIDDEN)

#define DECORATION(type, FIELDS) \
  typedef struct type {          \
    dvObject base;               \
    ENABLE_FIELDS(DV_MEMBER)     \
    FIELDS(DV_MEMBER)            \
  } type;
DECORATION(Mesh, MESH_FIELDS)
DECORATION(Cloud, CLOUD_FIELDS)
DECORATION(Arrows, ARROW_FIELDS)
DECORATION(Fluid, FLUID_FIELDS)

typedef struct Trail {
  dvObject base;
  ENABLE_FIELDS(DV_MEMBER)
  TRAIL_FIELDS(DV_MEMBER)
  dvInts pairs;   // lines from each step to the next
} Trail;

#define SELF Mesh
static const dvFieldDesc mesh_fields[] = {ENABLE_FIELDS(DV_DESCRIBE) MESH_FIELDS(DV_DESCRIBE)};
#undef SELF
#define SELF Cloud
static const dvFieldDesc cloud_fields[] = {ENABLE_FIELDS(DV_DESCRIBE) CLOUD_FIELDS(DV_DESCRIBE)};
#undef SELF
#define SELF Arrows
static const dvFieldDesc arrow_fields[] = {ENABLE_FIELDS(DV_DESCRIBE) ARROW_FIELDS(DV_DESCRIBE)};
#undef SELF

#define SELF Fluid
static const dvFieldDesc fluid_fields[] = {ENABLE_FIELDS(DV_DESCRIBE) FLUID_FIELDS(DV_DESCRIBE)};
#undef SELF

#define SELF Trail
static const dvFieldDesc trail_fields[] = {ENABLE_FIELDS(DV_DESCRIBE) TRAIL_FIELDS(DV_DESCRIBE)};
static const dvMemoryDesc trail_memory[] = {DV_REMEMBER(reals, trail)};
#undef SELF

static void mesh_sketch(dvObject *o, dvSketch *out)
{
  Mesh *m = (Mesh *)o;
  dvObject *topology = m->topology.target ? m->topology.target : dv_node_find_up(o->node, DV_ROLE_TOPOLOGY);
  if (!m->enable || !topology) return;
  *out = (dvSketch){.kind = DV_SKETCH_ELEMENTS,
                    .positions = dv_field_of(o, &m->position),
                    .values = dv_field_of(o, &m->vertexValues),
                    .topology = topology};
}

static void cloud_sketch(dvObject *o, dvSketch *out)
{
  Cloud *c = (Cloud *)o;
  if (!c->enable) return;
  *out = (dvSketch){.kind = dv_same_nocase(c->drawMode, "Sphere") ? DV_SKETCH_SPHERES : DV_SKETCH_POINTS,
                    .positions = dv_field_of(o, &c->position),
                    .radius = c->sphereRadius.count ? c->sphereRadius.data[0] : 1};
  dv_sketch_colour(out, c->color, dv_was_set(o, &c->color));
}

static void fluid_sketch(dvObject *o, dvSketch *out)
{
  Fluid *f = (Fluid *)o;
  if (!f->enable) return;
  *out = (dvSketch){.kind = DV_SKETCH_SPHERES, .positions = dv_field_of(o, &f->position), .radius = f->spriteRadius};
  dv_sketch_colour(out, f->spriteDiffuseColor, true);
  double wide = 0.15 * f->spriteBlurRadius * f->spriteRadius, deep = 0.5 * f->spriteRadius / f->spriteBlurDepthFalloff,
         swallows = 60 * f->spriteThickness / f->spriteRadius;
  if (f->debugFBO != 9 || !(wide > 0) || !(deep > 0) || !(swallows > 0) || !isfinite(wide + deep + swallows)) return;
  out->liquid[0] = wide, out->liquid[1] = deep, out->attenuation = swallows;
}

static void arrows_sketch(dvObject *o, dvSketch *out)
{
  Arrows *a = (Arrows *)o;
  if (!a->enable) return;
  *out = (dvSketch){.kind = DV_SKETCH_ARROWS,
                    .positions = dv_field_of(o, &a->position),
                    .vectors = dv_field_of(o, &a->vector),
                    .radius = a->vectorScale > 0 ? a->vectorScale : 0};   // of arrows: how long a unit is
  dv_sketch_colour(out, a->color, dv_was_set(o, &a->color));
}

// --- trails: all steps are there from the beginning, at the first place, so that sizes stay ------

enum { TRAIL_POINTS = 100000 };   // of all steps together; with more points fewer steps are kept

static dvStatus trail_start(dvObject *o)
{
  Trail *t = (Trail *)o;
  dv_pull(o, &t->position);
  size_t n = dv_reals_size(&t->position), most = n ? dv_max_size(TRAIL_POINTS / n, 2) : 0;
  size_t steps = dv_min_size((size_t)(t->nbSteps > 1 ? t->nbSteps : 2), most);
  if (!dv_reals_resize(&t->trail, 3 * n * steps) || !dv_ints_resize(&t->pairs, n ? 2 * n * (steps - 1) : 0))
    return dv_error(o, NULL, "out of memory for %zu steps", steps);
  double *x = dv_reals_edit(&t->trail);
  for (size_t i = 0; i < n * steps; i++) memcpy(x + 3 * i, t->position.data + 3 * (i % n), 3 * sizeof *x);
  for (size_t i = 0; i < t->pairs.count / 2; i++)
    t->pairs.data[2 * i] = (int32_t)i, t->pairs.data[2 * i + 1] = (int32_t)(i + n);
  dv_touch(o, &t->trail);
  return DV_OK;
}

static bool trail_restored(dvObject *o)
{
  const Trail *t = (const Trail *)o;
  dv_touch(o, &t->trail);
  return t->pairs.count == 0 || t->trail.count == 3 * (t->pairs.count / 2) + t->position.count;
}

static void trail_event(dvObject *o, const dvEvent *event)
{
  Trail *t = (Trail *)o;
  if (event->kind != DV_EVENT_ANIMATE_END || o->failed) return;
  dv_pull(o, &t->position);
  size_t n = t->position.count, all = t->trail.count;
  if (n == 0 || all < n || all % n != 0) return;
  double *x = dv_reals_edit(&t->trail);
  memmove(x, x + n, (all - n) * sizeof *x);
  memcpy(x + all - n, t->position.data, n * sizeof *x);
  dv_touch(o, &t->trail);
}

static void trail_sketch(dvObject *o, dvSketch *out)
{
  Trail *t = (Trail *)o;
  if (!t->enable) return;
  *out = (dvSketch){.kind = DV_SKETCH_LINES, .positions = dv_field_of(o, &t->trail), .pairs = &t->pairs};
  dv_sketch_colour(out, (const double[]){0, 0.8, 0, 1}, true);
  const char *at = t->color, *word;
  size_t length;
  while (dv_scan_word(&at, &word, &length)) {   // the newest step's
    char *name = dv_strndup(word, length);
    double colour[4];
    if (dv_colour_parse(name, colour)) dv_sketch_colour(out, colour, true);
    dv_free(name);
  }
}

static void trail_destroy(dvObject *o) { dv_ints_free(&((Trail *)o)->pairs); }

#define CLASS(name_, type, fields, sketch_, help_, ...)                                              \
  {                                                                                                  \
    .struct_size = sizeof(dvClass), .name = name_, .help = help_, .module = "Sofa.Component.Visual", \
    .size = sizeof(type), .blocks = {&dv_object_block, DV_BLOCK(fields)},                            \
    .ops = {[DV_ROLE_VISUAL] = &(const dvVisualOps){.sketch = sketch_}}, __VA_ARGS__                 \
  }

const dvClass dv_decoration_classes[] = {
    CLASS("VisualMesh", Mesh, mesh_fields, mesh_sketch, "the elements of a topology"),
    CLASS("VisualPointCloud", Cloud, cloud_fields, cloud_sketch, "points"),
    CLASS("VisualVectorField", Arrows, arrow_fields, arrows_sketch, "arrows at points"),
    CLASS("OglFluidModel", Fluid, fluid_fields, fluid_sketch,
          "the particles of a fluid as one surface, which bends and swallows light"),
    CLASS("TrailRenderer", Trail, trail_fields, trail_sketch, "the paths of moving points", .bwd_init = trail_start,
          .handle_event = trail_event, .destroy = trail_destroy, DV_MEMORY(trail_memory), .restored = trail_restored),
};
const size_t dv_decoration_class_count = DV_COUNT(dv_decoration_classes);

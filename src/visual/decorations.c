// VisualMesh, VisualPointCloud, VisualVectorField: things that are only there to be looked at. Their points are fields, often linked to
// those of other components; nothing moves them and they move nothing.
#include "visual/register.h"

#include "object/object.h"
#include "scene/node.h"

#define ENABLE_FIELDS(X) X(bool, enable, "1", "", "draw it", .flags = DV_LOOKS)

#define MESH_FIELDS(X)                                                                                                \
  X(vec3s, position, "", "m", "positions of the points", .flags = DV_LOOKS)                                           \
  X(real, elementSpace, "0.15", "", "gap between the elements, as a part of their size", .flags = DV_LOOKS)           \
  X(bool, lighting, "1", "", "shade the surfaces", .flags = DV_LOOKS)                                                 \
  X(reals, vertexValues, "", "", "a number a point, shown as colour", .flags = DV_LOOKS)                              \
  X(string, colorMap, "", "", "colours of the numbers, from the smallest to the largest", .flags = DV_LOOKS)          \
  X(link, topology, "", "", "the elements; those of the node or above by default", .role = DV_ROLE_TOPOLOGY, .flags = DV_LOOKS)

#define CLOUD_FIELDS(X)                                                                                               \
  X(vec3s, position, "", "m", "positions", .flags = DV_LOOKS)                                                         \
  X(string, drawMode, "Point", "", "Point, Sphere or Frame", .flags = DV_LOOKS)                                       \
  X(real, pointSize, "1", "pixels", "size of a point", .flags = DV_LOOKS)                                             \
  X(reals, sphereRadius, "1", "m", "radius of the spheres", .flags = DV_LOOKS)                                        \
  X(color, color, "1 1 1 1", "", "colour of the points", .flags = DV_LOOKS)                                           \
  X(bool, showIndices, "0", "", "write the indices beside the points", .flags = DV_LOOKS)                             \
  X(real, indicesScale, "1", "", "size of the indices", .flags = DV_LOOKS)                                            \
  X(color, indicesColor, "1 1 1 1", "", "colour of the indices", .flags = DV_LOOKS)

#define ARROW_FIELDS(X)                                                                                               \
  X(vec3s, position, "", "m", "where the arrows start", .flags = DV_LOOKS)                                            \
  X(vec3s, vector, "", "", "the arrows", .flags = DV_LOOKS)                                                           \
  X(real, vectorScale, "1", "", "factor of their length", .flags = DV_LOOKS)                                          \
  X(string, drawMode, "Line", "", "Line, Cylinder or Arrow", .flags = DV_LOOKS)                                       \
  X(color, color, "1 1 1 1", "", "colour", .flags = DV_LOOKS)

#define DECORATION(type, FIELDS)                                                                                      \
  typedef struct type {                                                                                               \
    dvObject base;                                                                                                    \
    ENABLE_FIELDS(DV_MEMBER)                                                                                          \
    FIELDS(DV_MEMBER)                                                                                                 \
  } type;
DECORATION(Mesh, MESH_FIELDS)
DECORATION(Cloud, CLOUD_FIELDS)
DECORATION(Arrows, ARROW_FIELDS)

#define SELF Mesh
static const dvFieldDesc mesh_fields[] = {ENABLE_FIELDS(DV_DESCRIBE) MESH_FIELDS(DV_DESCRIBE)};
#undef SELF
#define SELF Cloud
static const dvFieldDesc cloud_fields[] = {ENABLE_FIELDS(DV_DESCRIBE) CLOUD_FIELDS(DV_DESCRIBE)};
#undef SELF
#define SELF Arrows
static const dvFieldDesc arrow_fields[] = {ENABLE_FIELDS(DV_DESCRIBE) ARROW_FIELDS(DV_DESCRIBE)};
#undef SELF

static void mesh_sketch(dvObject *o, dvSketch *out)
{
  Mesh *m = (Mesh *)o;
  dvObject *topology = m->topology.target ? m->topology.target : dv_node_find_up(o->node, DV_ROLE_TOPOLOGY);
  if (!m->enable || !topology) return;
  *out = (dvSketch){.kind = DV_SKETCH_ELEMENTS, .positions = dv_field_of(o, &m->position), .values = dv_field_of(o, &m->vertexValues), .topology = topology};
}

static void cloud_sketch(dvObject *o, dvSketch *out)
{
  Cloud *c = (Cloud *)o;
  if (!c->enable) return;
  *out = (dvSketch){.kind = dv_same_nocase(c->drawMode, "Sphere") ? DV_SKETCH_SPHERES : DV_SKETCH_POINTS, .positions = dv_field_of(o, &c->position),
                    .radius = c->sphereRadius.count ? c->sphereRadius.data[0] : 1, .colour = dv_was_set(o, &c->color) ? c->color : NULL};
}

static void arrows_sketch(dvObject *o, dvSketch *out)
{
  Arrows *a = (Arrows *)o;
  if (!a->enable) return;
  *out = (dvSketch){.kind = DV_SKETCH_ARROWS, .positions = dv_field_of(o, &a->position), .vectors = dv_field_of(o, &a->vector),
                    .colour = dv_was_set(o, &a->color) ? a->color : NULL};
}

#define CLASS(name_, type, fields, sketch_, help_)                                                                    \
  {.struct_size = sizeof(dvClass), .name = name_, .help = help_, .module = "Sofa.Component.Visual", .size = sizeof(type), \
   .blocks = {&dv_object_block, DV_BLOCK(fields)}, .ops = {[DV_ROLE_VISUAL] = &(const dvVisualOps){.sketch = sketch_}}}

const dvClass dv_decoration_classes[] = {
    CLASS("VisualMesh", Mesh, mesh_fields, mesh_sketch, "the elements of a topology"),
    CLASS("VisualPointCloud", Cloud, cloud_fields, cloud_sketch, "points"),
    CLASS("VisualVectorField", Arrows, arrow_fields, arrows_sketch, "arrows at points"),
};
const size_t dv_decoration_class_count = DV_COUNT(dv_decoration_classes);

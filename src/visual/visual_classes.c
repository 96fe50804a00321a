// The classes of visual models: surfaces, edges as cylinders, points, numbers as colours, and volumes as cells or fog.
#include "visual/visual_inside.h"

#include "io/mesh/image.h"
#include "io/mesh/mesh.h"
#include "object/compat.h"
#include "scene/plan.h"
#include "topology/change/follow.h"
#include "visual/normals.h"
#include "visual/register.h"
#include "visual/split.h"
#include <math.h>
#include <string.h>

static void surface_sketch(dvObject *o, dvSketch *out)
{
  out->kind = ((dvVisualState *)o)->enable ? DV_SKETCH_SURFACE : DV_SKETCH_NOTHING;
}

#define CYLINDER_FIELDS(X)                                                     \
  X(real, radius, "1", "m", "radius of the cylinders", .flags = DV_LOOKS)      \
  X(color, color, "1 1 1 1", "", "colour of the cylinders", .flags = DV_LOOKS) \
  X(edges, edges, "", "", "axes of the cylinders, pairs of points", .flags = DV_LOOKS)

typedef struct CylinderModel {
  dvVisualState base;
  CYLINDER_FIELDS(DV_MEMBER)
} CylinderModel;

static void cylinder_sketch(dvObject *o, dvSketch *out)
{
  CylinderModel *c = (CylinderModel *)o;
  if (!c->base.enable || dv_visual_first_outside(&c->edges, c->base.state.count) != c->edges.count) return;
  *out = (dvSketch){.kind = DV_SKETCH_LINES, .pairs = &c->edges};
  dv_sketch_colour(out, c->color, true);
}

#define SPLAT_FIELDS(X)                                                                    \
  X(real, radius, "1", "m", "radius of the points", .flags = DV_LOOKS)                     \
  X(int, textureSize, "32", "pixels", "size of the picture of a point", .flags = DV_LOOKS) \
  X(real, alpha, "1", "", "opacity", .flags = DV_LOOKS)                                    \
  X(color, color, "1 1 1 1", "", "colour of the points", .flags = DV_LOOKS)                \
  X(reals, pointData, "", "", "a number a point, shown as colour", .flags = DV_LOOKS)

typedef struct SplatModel {
  dvVisualState base;
  SPLAT_FIELDS(DV_MEMBER)
} SplatModel;

// the points of the state beside it, as in SOFA, unless it has some of its own
static void splat_sketch(dvObject *o, dvSketch *out)
{
  SplatModel *s = (SplatModel *)o;
  if (!s->base.enable) return;
  *out = (dvSketch){
      .kind = DV_SKETCH_SPHERES, .state = s->base.state.count ? NULL : dv_node_state_up(o->node), .radius = s->radius};
  dv_sketch_colour(out, s->color, true);
  out->colour[3] *= s->alpha;
}

#define DATA_DISPLAY_FIELDS(X)                                                                               \
  X(bool, maximalRange, "1", "", "keep the largest range of numbers so far", .flags = DV_LOOKS)              \
  X(reals, pointData, "", "", "a number a point, shown as colour", .flags = DV_LOOKS)                        \
  X(reals, triangleData, "", "", "a number a triangle", .flags = DV_LOOKS)                                   \
  X(reals, quadData, "", "", "a number a quad", .flags = DV_LOOKS)                                           \
  X(reals, pointTriangleData, "", "", "a number a corner of each triangle", .flags = DV_LOOKS)               \
  X(reals, pointQuadData, "", "", "a number a corner of each quad", .flags = DV_LOOKS)                       \
  X(color, colorNaN, "0 0 0 1", "", "colour of what is not a number", .flags = DV_LOOKS)                     \
  X(vec2, userRange, "1 -1", "", "range of the colours; from the numbers when the first exceeds the second", \
    .flags = DV_LOOKS)                                                                                       \
  X(real, currentMin, "0", "", "smallest number shown", .flags = DV_LOOKS)                                   \
  X(real, currentMax, "0", "", "largest number shown", .flags = DV_LOOKS)                                    \
  X(real, shininess, "-1", "", "shininess of the surface; none when negative", .flags = DV_LOOKS)            \
  X(real, transparency, "1", "", "opacity", .flags = DV_LOOKS)                                               \
  X(link, colorMap, "", "", "colours of the numbers")                                                        \
  X(link, topology, "", "", "elements to draw", .role = DV_ROLE_TOPOLOGY)

typedef struct DataDisplay {
  dvVisualState base;
  DATA_DISPLAY_FIELDS(DV_MEMBER)
} DataDisplay;

static void data_display_sketch(dvObject *o, dvSketch *out)
{
  DataDisplay *d = (DataDisplay *)o;
  dvObject *topology = d->topology.target ? d->topology.target : dv_node_find_up(o->node, DV_ROLE_TOPOLOGY);
  if (!d->base.enable || !topology) return;
  const double colour[4] = {1, 1, 1, fmin(1, fmax(0, d->transparency))};
  *out = (dvSketch){.kind = DV_SKETCH_ELEMENTS, .values = dv_field_of(o, &d->pointData), .topology = topology};
  dv_sketch_colour(out, colour, d->transparency < 1);
}

#define VOLUME_FIELDS(X)                                                                                             \
  X(real, volumeScale, "1", "",                                                                                      \
    "size of a cell, as a part of its own; an OglFloatVariable volumeScale or tetraScale "                           \
    "of the node has the last word",                                                                                 \
    .flags = DV_LOOKS)                                                                                               \
  X(tetrahedra, tetrahedra, "", "", "tetrahedra instead of those of a topology", .flags = DV_LOOKS)                  \
  X(hexahedra, hexahedra, "", "", "hexahedra instead of those of a topology", .flags = DV_LOOKS)                     \
  X(real, attenuation, "0", "1/m",                                                                                   \
    "how much of the light behind a metre of it swallows, exp(-attenuation way); 0: cells that hide what is behind", \
    .flags = DV_LOOKS)                                                                                               \
  X(bool, depthTest, "0", "", "no effect: nearer cells always hide farther ones", .flags = DV_LOOKS | DV_IDLE)       \
  X(bool, blending, "0", "", "no effect: the opacity of the colour counts", .flags = DV_LOOKS | DV_IDLE)             \
  X(color, defaultColor, "0.75 0.75 0.75 1", "", "colour of the cells", .alias = "color", .flags = DV_LOOKS)         \
  X(link, topology, "", "", "the cells; those of the node or above by default", .role = DV_ROLE_TOPOLOGY)

typedef struct VolumeModel {
  dvVisualState base;
  VOLUME_FIELDS(DV_MEMBER)
} VolumeModel;

// what a variable of a shader in the node says, as programs for volumes read it
static double shader_scale(const dvNode *node, double otherwise)
{
  for (size_t i = 0; i < node->objects.count; i++) {
    dvObject *o = node->objects.data[i];
    dvField *id = dv_object_field(o, "id"), *value = dv_object_field(o, "value");
    if (!dv_same(o->cls->name, "OglFloatVariable") || !id || !value) continue;
    dvText name = {0}, number = {0};
    dv_field_pull(id), dv_field_print(id, &name);
    dv_field_pull(value), dv_field_print(value, &number);
    const char *at = number.text ? number.text : "";
    double scale;
    bool ours = name.text && (dv_same(name.text, "volumeScale") || dv_same(name.text, "tetraScale"));
    if (ours && dv_scan_real(&at, &scale) && scale > 0 && scale <= 1) otherwise = scale;
    dv_text_free(&name), dv_text_free(&number);
  }
  return otherwise;
}

// The cells of a mesh, each a little smaller than it is: `radius` is how much of it is left; `points` and `triangles`
// are tetrahedra and hexahedra of its own.
static void volume_sketch(dvObject *o, dvSketch *out)
{
  VolumeModel *v = (VolumeModel *)o;
  dvObject *topology = v->topology.target ? v->topology.target : dv_node_find_up(o->node, DV_ROLE_TOPOLOGY);
  dv_pull(o, &v->tetrahedra), dv_pull(o, &v->hexahedra);
  bool own = v->tetrahedra.count || v->hexahedra.count;
  size_t points = v->base.state.count;
  if (!v->base.enable || (!topology && !own)) return;
  if (own && (dv_visual_first_outside(&v->tetrahedra, points) != v->tetrahedra.count ||
              dv_visual_first_outside(&v->hexahedra, points) != v->hexahedra.count)) {
    dv_warning(o, "the cells count points from 0 up to the last of `position`",
               "a cell has a point that is not there; it is not drawn");
    return;
  }
  *out = (dvSketch){.kind = DV_SKETCH_ELEMENTS,
                    .state = points ? NULL : dv_node_state_up(o->node),
                    .points = own ? &v->tetrahedra : NULL,
                    .triangles = own ? &v->hexahedra : NULL,
                    .topology = topology,
                    .attenuation = v->attenuation > 0 ? v->attenuation : 0,
                    .radius = shader_scale(o->node, v->volumeScale > 0 && v->volumeScale <= 1 ? v->volumeScale : 1)};
  dv_sketch_colour(out, v->defaultColor, dv_was_set(o, &v->defaultColor));
}

#define SELF VolumeModel
static const dvFieldDesc volume_fields[] = {VOLUME_FIELDS(DV_DESCRIBE)};
#undef SELF
#define SELF CylinderModel
static const dvFieldDesc cylinder_fields[] = {CYLINDER_FIELDS(DV_DESCRIBE)};
#undef SELF
#define SELF DataDisplay
static const dvFieldDesc data_display_fields[] = {DATA_DISPLAY_FIELDS(DV_DESCRIBE)};
#undef SELF
#define SELF SplatModel
static const dvFieldDesc splat_fields[] = {SPLAT_FIELDS(DV_DESCRIBE)};
#undef SELF

#define FULL                                                                                       \
  .parse = dv_visual_model_parse, .init = dv_visual_model_init, .update = dv_visual_model_compute, \
  .destroy = dv_visual_model_destroy, .topology_changed = dv_visual_model_topology_changed
#define PLAIN .init = dv_visual_state_init, .destroy = dv_visual_state_destroy

#define VISUAL_CLASS(hooks, sketch_, name_, module_, type, help_, ...)                                    \
  {                                                                                                       \
    .struct_size = sizeof(dvClass), .name = name_, .help = help_, .module = module_, .dofs = DV_DOF_VEC3, \
    .roles = DV_PLAYS(DV_ROLE_STATE), .size = sizeof(type),                                               \
    .blocks = {&dv_object_block, &dv_visual_state_block, __VA_ARGS__},                                    \
    .ops = {[DV_ROLE_VISUAL] = &(const dvVisualOps){dv_visual_state_update, sketch_}},                    \
    .create = dv_visual_state_create, hooks                                                               \
  }

static const char rendering[] = "Sofa.GL.Component.Rendering3D", shader[] = "Sofa.GL.Component.Shader",
                  visual[] = "Sofa.Component.Visual", volumetric[] = "VolumetricRendering";

const dvClass dv_visual_classes[] = {
    VISUAL_CLASS(FULL, surface_sketch, "OglModel", rendering, dvOglModel, "a surface to draw, moved by a mapping",
                 &dv_visual_model_block, &dv_ogl_model_block),
    VISUAL_CLASS(FULL, surface_sketch, "VisualModelImpl", visual, dvVisualModel,
                 "a surface to draw, moved by a mapping", &dv_visual_model_block),
    VISUAL_CLASS(FULL, surface_sketch, "OglShaderVisualModel", shader, dvOglModel, "a surface to draw with shaders",
                 &dv_visual_model_block, &dv_ogl_model_block),
    VISUAL_CLASS(PLAIN, cylinder_sketch, "CylinderVisualModel", visual, CylinderModel, "edges drawn as cylinders",
                 DV_BLOCK(cylinder_fields)),
    VISUAL_CLASS(PLAIN, splat_sketch, "PointSplatModel", rendering, SplatModel, "points drawn as soft discs",
                 DV_BLOCK(splat_fields)),
    VISUAL_CLASS(PLAIN, data_display_sketch, "DataDisplay", rendering, DataDisplay, "a surface coloured by numbers",
                 DV_BLOCK(data_display_fields)),
    VISUAL_CLASS(PLAIN, volume_sketch, "OglVolumetricModel", volumetric, VolumeModel,
                 "the tetrahedra and hexahedra of a mesh, drawn as cells", DV_BLOCK(volume_fields)),
    VISUAL_CLASS(PLAIN, volume_sketch, "OglTetrahedralModel", volumetric, VolumeModel,
                 "the tetrahedra of a mesh, drawn as cells", DV_BLOCK(volume_fields)),
};
const size_t dv_visual_class_count = DV_COUNT(dv_visual_classes);

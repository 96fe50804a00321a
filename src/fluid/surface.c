// SPHFluidSurfaceMapping: the surface of a fluid, to be drawn. ImplicitSurfaceMapping: the surface around particles as
// soft objects, each with the value 1 in its middle.
//
// For the first: with the volume m/rho of each particle the field of iso.h is 1 deep inside of the fluid and 0 outside;
// the surface is where it has isoValue. Positions and triangles of the visual model are made anew each time; nothing
// goes back.
#include "fluid/iso.h"
#include "fluid/sph.h"

#include "mechanics/component.h"
#include "visual/visual_model.h"

#include <math.h>
#include <string.h>

#define SURFACE_FIELDS(X)                                                                    \
  X(real, step, "0.5", "m", "distance of the lattice on which the surface is looked for")    \
  X(real, radius, "2", "m", "distance to which a particle is smeared")                       \
  X(real, isoValue, "0.5", "", "value at the surface: of a fluid between 0 and 1")           \
  X(int, blocks, "0", "", "blocks of 8 x 8 x 8 cells at the surface", .flags = DV_READ_ONLY) \
  X(int, changed, "0", "", "of these, how many were looked at again the last time", .flags = DV_READ_ONLY)
#define SOFT_FIELDS(X)                                                                       \
  X(vec3, min, "-100 -100 -100", "m", "particles outside of the box from here do not count") \
  X(vec3, max, "100 100 100", "m", "last corner of that box")

typedef struct Surface {
  dvMapping mapping;
  SURFACE_FIELDS(DV_MEMBER)
  SOFT_FIELDS(DV_MEMBER)
  dvObject *fluid;   // NULL: every particle counts as a ball of half the radius
  dvIso iso;
  DV_ARRAY(double) shares;
  DV_ARRAY(double) inside;   // places of the particles that count, where not all do
  bool soft, told;
} Surface;

#define SELF Surface
static const dvFieldDesc surface_fields[] = {SURFACE_FIELDS(DV_DESCRIBE)};
static const dvFieldDesc soft_fields[] = {SURFACE_FIELDS(DV_DESCRIBE) SOFT_FIELDS(DV_DESCRIBE)};
#undef SELF

extern const dvClass dv_fluid_surface_class, dv_implicit_surface_class;
enum { MOST_STEPS = 40 };

static void surface_destroy(dvObject *o)
{
  dv_iso_free(&((Surface *)o)->iso);
  dv_array_free(&((Surface *)o)->shares);
  dv_array_free(&((Surface *)o)->inside);
}

static dvStatus surface_reinit(dvObject *o)
{
  Surface *s = (Surface *)o;
  if (!(s->step > 0) || !(s->radius > 0) || !(s->radius <= MOST_STEPS * s->step))
    return dv_field_error(o, &s->step, "take a third of the radius",
                          "a step of %g does not go with a radius of %g: it is "
                          "above 0 and at least 1/%d of the radius",
                          s->step, s->radius, MOST_STEPS);
  if (!(s->isoValue > 0))
    return dv_field_error(o, &s->isoValue, "take 0.5", "an isoValue of %g has no surface around the particles",
                          s->isoValue);
  if (s->fluid && s->isoValue >= 1)
    dv_field_warning(o, &s->isoValue, "take 0.5", "an isoValue of %g is hardly reached: deep inside of a fluid it is 1",
                     s->isoValue);
  return DV_OK;
}

static bool is_visual(const dvState *s) { return s->base.cls->ops[DV_ROLE_VISUAL] != NULL; }

static dvStatus surface_link(dvObject *o)
{
  DV_TRY(dv_mapping_init(o));
  dvState *out = ((Surface *)o)->mapping.out;
  if (is_visual(out)) ((dvVisualModel *)out)->filled = true;
  return DV_OK;
}

static dvStatus surface_init(dvObject *o)
{
  Surface *s = (Surface *)o;
  const dvNode *node = s->mapping.in->base.node;
  s->soft = o->cls == &dv_implicit_surface_class;
  for (size_t i = 0; i < node->objects.count && !s->fluid && !s->soft; i++)
    if (node->objects.data[i]->cls == &dv_sph_force_class) s->fluid = node->objects.data[i];
  if (!is_visual(s->mapping.out))
    return dv_error(o, "give output=\"@path\" of an OglModel",
                    "%s is no visual model: a surface has as many points as it "
                    "needs",
                    s->mapping.out->base.name);
  dv_iso_init(&s->iso);
  return surface_reinit(o);
}

// Soft particles in their box: how many there are.
static size_t take_soft(Surface *s, const double *x, size_t count)
{
  size_t n = 0;
  s->inside.count = 0;
  if (!dv_try_reserve(&s->inside, 3 * count)) return 0;
  for (size_t i = 0; i < count; i++) {
    bool in = true;
    for (size_t k = 0; k < 3; k++) in = in && x[3 * i + k] >= s->min[k] && x[3 * i + k] <= s->max[k];
    for (size_t k = 0; k < 3 && in; k++) s->inside.data[3 * n + k] = x[3 * i + k];
    n += in;
  }
  return n;
}

static void surface_apply(dvObject *o, int out_x, int in_x)
{
  Surface *s = (Surface *)o;
  const dvState *in = s->mapping.in;
  dvState *out = s->mapping.out;
  dvVisualModel *model = (dvVisualModel *)out;
  if (out_x != DV_X) return;
  s->shares.count = 0;
  bool good = dv_try_reserve(&s->shares, in->count);
  double ball = M_PI / 6 * s->radius * s->radius * s->radius;
  for (size_t i = 0; i < in->count && good; i++) s->shares.data[i] = ball;
  if (good && s->fluid) dv_sph_volumes(s->fluid, dv_state_read(in, in_x), s->shares.data, in->count);
  dvIsoField f = {.x = dv_state_read(in, in_x),
                  .share = s->shares.data,
                  .count = in->count,
                  .radius = s->radius,
                  .step = s->step,
                  .value = s->isoValue,
                  .soft = s->soft};
  if (s->soft) f.count = take_soft(s, f.x, in->count), f.x = s->inside.data;
  good = good && dv_iso_make(&s->iso, o->context->pool, &f);
  if (!good && !s->told)
    dv_warning(o, "make the step larger", "the surface needs more than %d blocks of cells: it is not drawn",
               DV_ISO_MOST);
  s->told = !good;
  s->blocks = (int32_t)s->iso.blocks.count, s->changed = (int32_t)s->iso.changed;
  dv_touch(o, &s->blocks), dv_touch(o, &s->changed);
  size_t points = good ? s->iso.points.count / 3 : 0, corners = good ? s->iso.triangles.count : 0;
  model->triangles.width = 3;
  if (!dv_state_resize(out, points) || !dv_ints_resize(&model->triangles, corners)) {
    dv_error(o, NULL, "out of memory for a surface of %zu points", points);
    return;
  }
  if (points) memcpy(dv_state_overwrite(out, out_x), s->iso.points.data, 3 * points * sizeof(double));
  if (corners) memcpy(dv_ints_edit(&model->triangles), s->iso.triangles.data, corners * sizeof(int32_t));
  dv_touch(&out->base, &model->triangles);
}

static void surface_nothing(dvObject *o, int to, int from) { DV_UNUSED(o), DV_UNUSED(to), DV_UNUSED(from); }

static const dvMappingOps surface_ops = {
    .apply = surface_apply, .apply_j = surface_nothing, .apply_jt = surface_nothing, DV_MAPPING_SLOTS};

#define SURFACE_CLASS(name_, help_, module_, fields_)                                                                \
  {                                                                                                                  \
    .struct_size = sizeof(dvClass), .name = name_, .help = help_, .module = module_, .dofs = DV_DOF_VEC3,            \
    .size = sizeof(Surface), .blocks = {&dv_object_block, &dv_mapping_block, DV_BLOCK(fields_)},                     \
    .ops = {[DV_ROLE_MAPPING] = &surface_ops}, .link = surface_link, .init = surface_init, .reinit = surface_reinit, \
    .destroy = surface_destroy                                                                                       \
  }

const dvClass dv_fluid_surface_class =
    SURFACE_CLASS("SPHFluidSurfaceMapping", "the surface of a fluid of particles, as triangles of a visual model",
                  "SofaSphFluid", surface_fields);
const dvClass dv_implicit_surface_class = SURFACE_CLASS(
    "ImplicitSurfaceMapping", "the surface around particles as soft objects, as triangles of a visual model",
    "SofaImplicitField", soft_fields);

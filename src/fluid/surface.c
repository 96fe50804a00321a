// SPHFluidSurfaceMapping: the surface of a fluid, to be drawn.
//
// With the volume m/rho of each particle the field of iso.h is 1 deep inside of the fluid and 0 outside; the surface is
// where it has isoValue. Positions and triangles of the visual model are made anew each time; nothing goes back.
#include "fluid/iso.h"
#include "fluid/sph.h"

#include "mechanics/component.h"
#include "visual/visual_model.h"

#include <math.h>
#include <string.h>

#define SURFACE_FIELDS(X)                                                                 \
  X(real, step, "0.5", "m", "distance of the lattice on which the surface is looked for") \
  X(real, radius, "2", "m", "distance to which a particle is smeared")                    \
  X(real, isoValue, "0.5", "", "share of fluid at the surface, between 0 and 1")

typedef struct Surface {
  dvMapping mapping;
  SURFACE_FIELDS(DV_MEMBER)
  dvObject *fluid;   // NULL: every particle counts as a ball of half the radius
  dvIso iso;
  DV_ARRAY(double) shares;
  bool told;
} Surface;

#define SELF Surface
static const dvFieldDesc surface_fields[] = {SURFACE_FIELDS(DV_DESCRIBE)};
#undef SELF

enum { MOST_STEPS = 40 };

static void surface_destroy(dvObject *o)
{
  dv_iso_free(&((Surface *)o)->iso);
  dv_array_free(&((Surface *)o)->shares);
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
  for (size_t i = 0; i < node->objects.count && !s->fluid; i++)
    if (node->objects.data[i]->cls == &dv_sph_force_class) s->fluid = node->objects.data[i];
  if (!is_visual(s->mapping.out))
    return dv_error(o, "give output=\"@path\" of an OglModel",
                    "%s is no visual model: a surface has as many points as it "
                    "needs",
                    s->mapping.out->base.name);
  dv_iso_init(&s->iso);
  return surface_reinit(o);
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
  dvIsoField f = {dv_state_read(in, in_x), s->shares.data, in->count, s->radius, s->step, s->isoValue};
  good = good && dv_iso_make(&s->iso, o->context->pool, &f);
  if (!good && !s->told)
    dv_warning(o, "make the step larger", "the surface needs more than %d blocks of cells: it is not drawn",
               DV_ISO_MOST);
  s->told = !good;
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

const dvClass dv_fluid_surface_class = {
    .struct_size = sizeof(dvClass),
    .name = "SPHFluidSurfaceMapping",
    .help = "the surface of a fluid of particles, as triangles of a visual model",
    .module = "SofaSphFluid",
    .dofs = DV_DOF_VEC3,
    .size = sizeof(Surface),
    .blocks = {&dv_object_block, &dv_mapping_block, DV_BLOCK(surface_fields)},
    .ops = {[DV_ROLE_MAPPING] = &surface_ops},
    .link = surface_link,
    .init = surface_init,
    .reinit = surface_reinit,
    .destroy = surface_destroy,
};

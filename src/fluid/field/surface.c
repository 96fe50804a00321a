// FieldToSurfaceMesh: the surface of a scalar field as closed triangles, points on the surface itself.
#include "fluid/field/field.h"
#include "fluid/iso.h"

#include "engine/engine.h"

#include <math.h>

#define MESH_FIELDS(X)                                                                                         \
  X(link, field, "", "", "the scalar field", .flags = DV_REQUIRED)                                             \
  X(real, step, "0.1", "m", "distance of the lattice on which the surface is looked for", .flags = DV_INPUT)   \
  X(real, isoValue, "0", "", "value of the field at the surface; smaller is inside", .flags = DV_INPUT)        \
  X(vec3, min, "-1 -1 -1", "m", "first corner of the box that is looked through", .flags = DV_INPUT)           \
  X(vec3, max, "1 1 1", "m", "last corner", .flags = DV_INPUT)                                                 \
  X(vec3s, outputPoints, "", "m", "points of the surface", .flags = DV_OUTPUT)                                 \
  X(triangles, outputTriangles, "", "", "its triangles", .flags = DV_OUTPUT)                                   \
  X(bool, debugDraw, "1", "", "no effect: link a visual model to it", .flags = DV_IDLE | DV_LOOKS | DV_HIDDEN) \
  X(bool, doAsync, "0", "", "no effect: it is made when it is asked for", .flags = DV_IDLE | DV_HIDDEN)

typedef struct Mesh {
  dvObject base;
  MESH_FIELDS(DV_MEMBER)
  dvIso iso;
  uint64_t stamp;   // of the field, when the surface was made
  bool made;
} Mesh;

#define SELF Mesh
static const dvFieldDesc mesh_fields[] = {MESH_FIELDS(DV_DESCRIBE)};
#undef SELF

enum { MOST_STEPS = 1024 };

static double mesh_between(const void *user, const double x[3])
{
  return -dv_scalar_field_at(((const Mesh *)user)->field.target, x);
}

static double mesh_at(const void *user, const int32_t p[3])
{
  const Mesh *m = user;
  const double x[3] = {m->min[0] + m->step * p[0], m->min[1] + m->step * p[1], m->min[2] + m->step * p[2]};
  return mesh_between(user, x);
}

static dvStatus mesh_update(dvObject *o)
{
  Mesh *m = (Mesh *)o;
  if (!m->field.target || !dv_is_scalar_field(m->field.target))
    return dv_field_error(o, &m->field, "give field=\"@path\" of a SphericalField or another",
                          "there is no field to make a surface of");
  DV_TRY(dv_object_ensure(m->field.target));
  dvIsoLattice l = {.step = m->step, .value = -m->isoValue, .at = mesh_at, .between = mesh_between, .user = m};
  for (int k = 0; k < 3; k++) {
    double steps = floor((m->max[k] - m->min[k]) / m->step + 1e-9);
    if (!(m->step > 0) || !(steps >= 1) || !(steps <= MOST_STEPS))
      return dv_field_error(o, &m->step, "take a hundredth of the box",
                            "a step of %g m does not go with a box from %g to %g m: 1 to %d steps along a side are",
                            m->step, m->min[k], m->max[k], MOST_STEPS);
    l.origin[k] = m->min[k], l.low[k] = 0, l.high[k] = (int32_t)steps;
  }
  m->stamp = dv_scalar_field_stamp(m->field.target);
  if (!dv_iso_lattice(&m->iso, o->context->pool, &l))
    return dv_field_error(o, &m->step, "make it larger", "the surface needs more than %d blocks of cells, or memory",
                          DV_ISO_MOST);
  if (!dv_reals_resize(&m->outputPoints, m->iso.points.count) ||
      !dv_ints_resize(&m->outputTriangles, m->iso.triangles.count))
    return dv_engine_no_memory(o);
  if (m->iso.points.count)
    memcpy(dv_reals_edit(&m->outputPoints), m->iso.points.data, m->iso.points.count * sizeof(double));
  if (m->iso.triangles.count)
    memcpy(dv_ints_edit(&m->outputTriangles), m->iso.triangles.data, m->iso.triangles.count * sizeof(int32_t));
  if (m->iso.points.count == 0) dv_warning(o, "look at isoValue, min and max", "the field has no surface in the box");
  return DV_OK;
}

static dvStatus mesh_init(dvObject *o)
{
  Mesh *m = (Mesh *)o;
  m->outputPoints.width = m->outputTriangles.width = 3;
  if (!m->made) dv_iso_init(&m->iso);
  m->made = true;
  return mesh_update(o);
}

static void mesh_event(dvObject *o, const dvEvent *event)
{
  Mesh *m = (Mesh *)o;
  if (event->kind != DV_EVENT_ANIMATE_BEGIN || o->failed || dv_scalar_field_stamp(m->field.target) == m->stamp) return;
  if (mesh_update(o) == DV_OK) dv_touch(o, &m->outputPoints), dv_touch(o, &m->outputTriangles);
}

static void mesh_destroy(dvObject *o) { dv_iso_free(&((Mesh *)o)->iso); }

DV_ENGINE_CLASS(dv_field_surface_class, "FieldToSurfaceMesh", "the surface of a scalar field, as closed triangles",
                "SofaImplicitField", 0, Mesh, .blocks = {&dv_object_block, DV_BLOCK(mesh_fields)}, .init = mesh_init,
                .reinit = mesh_update, .update = mesh_update, .handle_event = mesh_event, .destroy = mesh_destroy);

// SphereCollisionModel: a sphere at every point of the state in its node.
//
// A sphere file (the attribute fileSphere of 2011) gives both: the centres become the positions of the state, the radii
// those of the spheres. Without radii every sphere has `radius`.
#include "collision/model.h"
#include "collision/register.h"
#include "io/mesh/mesh.h"

#include <math.h>
#include <string.h>

#define SPHERE_FIELDS(X)                                                                  \
  X(reals, listRadius, "", "m", "radius of each sphere")                                  \
  X(real, radius, "1", "m", "radius of the spheres that listRadius gives none")           \
  X(bool, showImpostors, "1", "", "draw the spheres as flat pictures", .flags = DV_LOOKS) \
  X(file, fileSphere, "", "", "file with centres and radii", .alias = "filename", .flags = DV_NO_SRC)

typedef struct SphereModel {
  dvCollisionModel base;
  SPHERE_FIELDS(DV_MEMBER)
} SphereModel;

#define SELF SphereModel
static const dvFieldDesc sphere_fields[] = {SPHERE_FIELDS(DV_DESCRIBE)};
#undef SELF

static dvStatus sphere_take_mesh(SphereModel *s, const dvMesh *mesh)
{
  dvObject *o = &s->base.base;
  dvState *state = s->base.state;
  size_t n = mesh->positions.count / 3, width = (size_t)state->base.dof->coord;
  if (!dv_state_resize(state, n)) return dv_error(o, NULL, "out of memory for %zu spheres", n);
  double *x = dv_state_write(state, DV_X);
  for (size_t i = 0; i < n; i++) {
    dv_dof_identity(state->base.dof, x + i * width);
    memcpy(x + i * width, mesh->positions.data + 3 * i, 3 * sizeof *x);
  }
  if (n) memcpy(dv_state_write(state, DV_X_REST), x, dv_state_scalars(state, DV_X) * sizeof *x);
  dv_state_touch(state, DV_X);
  if (s->listRadius.count == 0 && mesh->radii.count &&
      !dv_reals_assign(&s->listRadius, mesh->radii.data, mesh->radii.count))
    return dv_error(o, NULL, "out of memory for %zu spheres", n);
  return DV_OK;
}

static dvStatus sphere_load(SphereModel *s)
{
  dvObject *o = &s->base.base;
  dvText advice = {0};
  char *path = dv_context_find_file(o->context, s->fileSphere, o->place.file, &advice);
  dvMesh mesh = {0};
  dvMeshError error = {0};
  dvStatus status;
  if (!path) {
    status = dv_field_error(o, &s->fileSphere, advice.text, "the file %s is not found", s->fileSphere);
  } else if ((status = dv_mesh_read(path, &mesh, &error)) != DV_OK) {
    dv_field_error(o, &s->fileSphere, NULL, "%s:%d: %s", path, error.line, error.text);
  } else {
    status = sphere_take_mesh(s, &mesh);
    dv_mesh_free(&mesh);
  }
  dv_text_free(&advice);
  dv_free(path);
  return status;
}

// the state may have got more points since
static void sphere_follow(SphereModel *s)
{
  size_t given = s->listRadius.count, n = s->base.state->count;
  if (given >= n) return;
  DV_MUST(dv_reals_resize(&s->listRadius, n));
  for (size_t i = given; i < n; i++) s->listRadius.data[i] = s->radius;
}

static dvStatus sphere_init(dvObject *o)
{
  SphereModel *s = (SphereModel *)o;
  DV_TRY(dv_collision_model_init(o));
  if (*s->fileSphere) DV_TRY(sphere_load(s));
  if (!isfinite(s->radius) || s->radius < 0)
    return dv_field_error(o, &s->radius, NULL, "a radius of %g is not possible", s->radius);
  for (size_t i = 0; i < s->listRadius.count; i++)
    if (s->listRadius.data[i] < 0)
      return dv_field_error(o, &s->listRadius, NULL, "sphere %zu has a radius of %g", i, s->listRadius.data[i]);
  if (!dv_reals_resize(&s->listRadius, dv_min_size(s->listRadius.count, s->base.state->count)))
    return dv_error(o, NULL, "out of memory for its spheres");
  sphere_follow(s);
  s->base.primitives = "spheres";
  s->base.radii = &s->listRadius;
  return DV_OK;
}

// spheres that descend from none have the radius of those without one
static void sphere_created(void *user, const dvNewElement *e)
{
  SphereModel *s = user;
  if (!e->ancestor_count && e->row < s->listRadius.count) dv_reals_edit(&s->listRadius)[e->row] = s->radius;
}

static dvStatus sphere_bwd_init(dvObject *o)
{
  SphereModel *s = (SphereModel *)o;
  dvElementData *d = dv_follow_rows(o, s->base.state);
  sphere_follow(s);
  if (!d) return DV_OK;
  d->create = sphere_created;
  return dv_element_data_add_reals(d, &s->listRadius, true);
}

// radii have moved with their points
static void sphere_topology_changed(dvObject *o)
{
  SphereModel *s = (SphereModel *)o;
  dv_cube_tree_clear(&s->base.tree);
  s->base.boxes.count = 0;
  sphere_follow(s);
}

static void sphere_handle_event(dvObject *o, const dvEvent *event)
{
  if (event->kind == DV_EVENT_COLLISION_BEGIN) sphere_follow((SphereModel *)o);
}

static void sphere_boxes(const dvCollisionModel *m, double margin, dvBox *out)
{
  size_t count = dv_collision_model_count(&m->base);
  for (size_t i = 0; i < count; i++) {
    const double *c = m->x + i * m->stride;
    double r = m->radii->data[i] + margin;
    for (int k = 0; k < 3; k++) out[i].low[k] = c[k] - r, out[i].high[k] = c[k] + r;
  }
}

// each pair of spheres of one model once
static bool sphere_may_touch(const dvCollisionModel *m, int32_t i, const dvCollisionModel *other, int32_t j)
{
  return m != other || i < j;
}

static const dvCollisionModelOps sphere_ops = {DV_SHAPE_SPHERE, sphere_boxes, sphere_may_touch};

const dvClass dv_sphere_collision_model_class = {
    .struct_size = sizeof(dvClass),
    .name = "SphereCollisionModel",
    .aliases = "CudaSphereModel CudaSphereCollisionModel",
    .help = "spheres at the points of a state, for collisions",
    .module = "Sofa.Component.Collision.Geometry",
    .dofs = DV_DOF_VEC3 | DV_DOF_RIGID3,
    .size = sizeof(SphereModel),
    .blocks = {&dv_object_block, &dv_collision_model_block, DV_BLOCK(sphere_fields)},
    .ops = {[DV_ROLE_COLLISION_MODEL] = &sphere_ops},
    .init = sphere_init,
    .bwd_init = sphere_bwd_init,
    .topology_changed = sphere_topology_changed,
    .handle_event = sphere_handle_event,
    .destroy = dv_collision_model_destroy,
    .remember = dv_collision_model_remember,
    .restored = dv_collision_model_restored,
};

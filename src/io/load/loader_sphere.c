// SphereLoader: centres and radii of spheres from a .sph file. Scale, rotation and translation (in this order) go for
// the centres; the radii stay as the file has them, as in SOFA.
#include "base/file.h"
#include "io/load/loader.h"
#include "math/vec.h"

#include <math.h>

#define SPHERE_LOADER_FIELDS(X)                                                                                     \
  X(file, filename, "", "", "sphere file to read", .flags = DV_INPUT)                                               \
  X(vec3s, position, "", "m", "centres of the spheres", .alias = "sphere_centers", .flags = DV_OUTPUT)              \
  X(reals, listRadius, "", "m", "radii of the spheres", .flags = DV_OUTPUT)                                         \
  X(vec3, scale, "1 1 1", "", "scales the centres, first", .alias = "scale3d", .flags = DV_INPUT | DV_NO_SRC)       \
  X(vec3, rotation, "0 0 0", "degrees", "turns the centres about x, then y, then z", .flags = DV_INPUT | DV_NO_SRC) \
  X(vec3, translation, "0 0 0", "m", "moves the centres, last", .flags = DV_INPUT | DV_NO_SRC)

typedef struct SphereLoader {
  dvObject base;
  SPHERE_LOADER_FIELDS(DV_MEMBER)
} SphereLoader;

#define SELF SphereLoader
static const dvFieldDesc sphere_loader_fields[] = {SPHERE_LOADER_FIELDS(DV_DESCRIBE)};
#undef SELF

static dvStatus move_centres(SphereLoader *s)
{
  dvQuat q = dv_quat_from_euler(dv_vec3_scale(dv_vec3_load(s->rotation), M_PI / 180));
  dvMat3 m = dv_mat3_mul(dv_quat_to_matrix(q), dv_mat3_diagonal(dv_vec3_load(s->scale)));
  dvVec3 t = dv_vec3_load(s->translation);
  for (size_t i = 0; i < s->position.count; i += 3) {
    dvVec3 p = dv_vec3_add(dv_mat3_mul_vec(m, dv_vec3_load(s->position.data + i)), t);
    if (!isfinite(p.x) || !isfinite(p.y) || !isfinite(p.z))
      return dv_field_error(&s->base, s->scale, "check scale, rotation and translation",
                            "the centre of sphere %zu is not finite", i / 3);
    dv_vec3_store(s->position.data + i, p);
  }
  return DV_OK;
}

static dvStatus sphere_loader_update(dvObject *o)
{
  SphereLoader *s = (SphereLoader *)o;
  if (!s->filename || !*s->filename) {
    dv_warning(o, "give filename=\"…\"", "SphereLoader names no file");
    return DV_OK;
  }
  char *path = dv_loader_find(o, &s->filename);
  if (!path) return DV_ERROR_INPUT;
  dvMesh mesh = {0};
  dvMeshError error = {0};
  dvStatus status = dv_mesh_read(path, &mesh, &error);
  if (status != DV_OK) dv_field_error(o, &s->filename, NULL, "%s:%d: %s", path, error.line, error.text);
  dv_free(path);
  DV_TRY(status);
  bool good = dv_reals_assign(&s->position, mesh.positions.data, mesh.positions.count) &&
              dv_reals_assign(&s->listRadius, mesh.radii.data, mesh.radii.count);
  dv_mesh_free(&mesh);
  if (!good) return dv_field_error(o, &s->filename, NULL, "out of memory for '%s'", s->filename);
  return move_centres(s);
}

const dvClass dv_sphere_loader_class = {
    .struct_size = sizeof(dvClass),
    .name = "SphereLoader",
    .help = "loads centres and radii of spheres from a file (.sph)",
    .module = "Sofa.Component.IO.Mesh",
    .roles = DV_PLAYS(DV_ROLE_LOADER),
    .size = sizeof(SphereLoader),
    .blocks = {&dv_object_block, DV_BLOCK(sphere_loader_fields)},
    .update = sphere_loader_update,
};

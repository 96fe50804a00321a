// VoxelGridLoader: the voxels of an image as hexahedra, or their places as points.
//
// All voxels count, or those with one of the values `dataValue`, or those without one of the values `bgValue`, inside
// of a region. Points and hexahedra are numbered with x fastest, then y, then z, as in SOFA. Besides .raw files of
// bytes it reads MetaImage (.mhd, .mha) and NIfTI (.nii, .nii.gz), whose header tells resolution, size and place; the
// directions of their axes are not used here.
#include "io/load/loader.h"
#include "io/mesh/voxels.h"

#include <math.h>

#define VOXEL_FIELDS(X)                                                                                               \
  X(file, filename, "", "", "file of voxels to read: .raw, .mhd, .mha, .nii or .nii.gz", .alias = "segmentationFile", \
    .flags = DV_INPUT)                                                                                                \
  X(vec3s, position, "", "m", "corners of the voxels, or one point for each", .flags = DV_OUTPUT)                     \
  X(hexahedra, hexahedra, "", "", "the voxels, eight points each", .flags = DV_OUTPUT)                                \
  X(vec3, voxelSize, "1 1 1", "m", "size of a voxel; that of the file when it tells", .flags = DV_INPUT | DV_NO_SRC)  \
  X(ivec3, resolution, "0 0 0", "", "voxels along x, y and z; those of the file when it tells", .flags = DV_INPUT)    \
  X(ivec6, ROI, "0 0 0 65535 65535 65535", "", "first and last voxel of the region to take, along x y z",             \
    .flags = DV_INPUT)                                                                                                \
  X(int, header, "0", "bytes", "length of the header of a .raw file", .flags = DV_INPUT)                              \
  X(int, segmentationHeader, "0", "bytes", "not used, as in SOFA", .flags = DV_HIDDEN)                                \
  X(ints, idxInRegularGrid, "", "", "number of each voxel in the whole grid", .flags = DV_OUTPUT)                     \
  X(reals, voxelValues, "", "", "value of each voxel that is taken", .flags = DV_OUTPUT)                              \
  X(ints, bgValue, "", "", "voxels with these values are left out", .flags = DV_INPUT)                                \
  X(ints, dataValue, "", "", "only voxels with these values are taken; goes before bgValue", .flags = DV_INPUT)       \
  X(bool, generateHexa, "1", "", "make hexahedra; otherwise one point for each voxel", .flags = DV_INPUT)

typedef struct VoxelLoader {
  dvObject base;
  VOXEL_FIELDS(DV_MEMBER)
} VoxelLoader;

#define SELF VoxelLoader
static const dvFieldDesc voxel_fields[] = {VOXEL_FIELDS(DV_DESCRIBE)};
#undef SELF

static bool has(const dvInts *list, float value)
{
  for (size_t i = 0; i < list->count; i++)
    if ((float)list->data[i] == value) return true;
  return false;
}

static bool is_active(const VoxelLoader *l, float value)
{
  if (l->dataValue.count) return has(&l->dataValue, value);
  return !has(&l->bgValue, value);
}

static dvStatus read_voxels(VoxelLoader *l, dvVoxels *out)
{
  dvObject *o = &l->base;
  char *path = dv_loader_find(o, &l->filename);
  if (!path) return DV_ERROR_INPUT;
  dvVoxelLayout raw = {.header = l->header, .type = DV_VOXEL_UINT8, .size = {1, 1, 1}};
  memcpy(raw.n, l->resolution, sizeof raw.n);
  bool meta = dv_voxels_has_header(path);
  dvStatus status = DV_OK;
  if (!meta && (raw.n[0] < 1 || raw.n[1] < 1 || raw.n[2] < 1))
    status = dv_field_error(o, l->resolution, "give resolution=\"x y z\", three numbers above 0",
                            "the size of '%s' is not known", l->filename);
  else if (l->header < 0) status = dv_field_error(o, &l->header, NULL, "a header of %d bytes", l->header);
  dvMeshError error = {0};
  if (status == DV_OK && dv_voxels_read(path, &raw, out, &error) != DV_OK) {
    status = error.line ? dv_field_error(o, &l->filename, NULL, "%s:%d: %s", path, error.line, error.text)
                        : dv_field_error(o, &l->filename, NULL, "%s: %s", path, error.text);
  }
  if (status == DV_OK && out->told[0] && !dv_was_set(o, l->voxelSize))
    dv_field_warning(o, &l->filename, NULL, "%s: %s", path, out->told);
  dv_free(path);
  DV_TRY(status);
  if (!meta || dv_was_set(o, l->voxelSize)) memcpy(out->size, l->voxelSize, sizeof out->size);
  for (int k = 0; k < 3; k++)
    if (!isfinite(out->size[k])) return dv_field_error(o, l->voxelSize, NULL, "the size of a voxel is not finite");
  memcpy(l->resolution, out->n, sizeof out->n);
  memcpy(l->voxelSize, out->size, sizeof out->size);
  for (int k = 0; k < 3 && meta && !l->generateHexa; k++) out->origin[k] += out->size[k] / 2;   // points: their middles
  return DV_OK;
}

typedef struct Region {
  int32_t low[3], high[3];   // both inside
} Region;

static Region find_region(const VoxelLoader *l, const dvVoxels *v)
{
  Region r;
  for (int k = 0; k < 3; k++) {
    r.low[k] = dv_min_int(dv_max_int(l->ROI[k], 0), v->n[k] - 1);
    r.high[k] = dv_max_int(dv_min_int(l->ROI[3 + k], v->n[k] - 1), r.low[k]);
  }
  return r;
}

static size_t voxel_number(const dvVoxels *v, const int32_t at[3])
{
  return (size_t)at[0] + (size_t)v->n[0] * ((size_t)at[1] + (size_t)v->n[1] * (size_t)at[2]);
}

static size_t corner_number(const dvVoxels *v, const int32_t at[3])
{
  return (size_t)at[0] + (size_t)(v->n[0] + 1) * ((size_t)at[1] + (size_t)(v->n[1] + 1) * (size_t)at[2]);
}

typedef struct Lists {
  dvMeshReals position;
  dvMeshIndices hexahedra, voxel;
} Lists;

static bool push_point(Lists *lists, const dvVoxels *v, const int32_t at[3])
{
  if (!dv_try_reserve(&lists->position, 3)) return false;
  for (int k = 0; k < 3; k++) lists->position.data[lists->position.count++] = v->origin[k] + at[k] * v->size[k];
  return true;
}

static bool push_voxel(Lists *lists, const dvVoxels *v, const int32_t at[3])
{
  if (!dv_try_reserve(&lists->voxel, 1)) return false;
  lists->voxel.data[lists->voxel.count++] = (int32_t)voxel_number(v, at);
  return true;
}

// calls `each` for all voxels (or, with `more` 1, corners) of the region, x fastest; stops when it returns false
static bool walk(const Region *r, int more, bool (*each)(void *user, const int32_t at[3]), void *user)
{
  int32_t at[3];
  for (at[2] = r->low[2]; at[2] <= r->high[2] + more; at[2]++)
    for (at[1] = r->low[1]; at[1] <= r->high[1] + more; at[1]++)
      for (at[0] = r->low[0]; at[0] <= r->high[0] + more; at[0]++)
        if (!each(user, at)) return false;
  return true;
}

typedef struct Work {
  const VoxelLoader *loader;
  const dvVoxels *voxels;
  Lists lists;
  int32_t *corner;   // 0: not used, then new number + 1
} Work;

static const int32_t corners[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                      {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};

static bool is_taken(const Work *w, const int32_t at[3])
{
  return is_active(w->loader, w->voxels->values.data[voxel_number(w->voxels, at)]);
}

static int32_t *corner_of(const Work *w, const int32_t at[3], int k)
{
  const int32_t place[3] = {at[0] + corners[k][0], at[1] + corners[k][1], at[2] + corners[k][2]};
  return &w->corner[corner_number(w->voxels, place)];
}

static bool mark_corners(void *user, const int32_t at[3])
{
  Work *w = user;
  for (int k = 0; k < 8 && is_taken(w, at); k++) *corner_of(w, at, k) = 1;
  return true;
}

static bool number_corner(void *user, const int32_t at[3])
{
  Work *w = user;
  int32_t *corner = &w->corner[corner_number(w->voxels, at)];
  if (!*corner) return true;
  *corner = (int32_t)(w->lists.position.count / 3) + 1;
  return push_point(&w->lists, w->voxels, at);
}

static bool make_hexahedron(void *user, const int32_t at[3])
{
  Work *w = user;
  dvMeshIndices *list = &w->lists.hexahedra;
  if (!is_taken(w, at)) return true;
  if (!dv_try_reserve(list, 8)) return false;
  for (int k = 0; k < 8; k++) list->data[list->count++] = *corner_of(w, at, k) - 1;
  return push_voxel(&w->lists, w->voxels, at);
}

static bool make_point(void *user, const int32_t at[3])
{
  Work *w = user;
  return !is_taken(w, at) || (push_point(&w->lists, w->voxels, at) && push_voxel(&w->lists, w->voxels, at));
}

static bool make_hexahedra(Work *w, const Region *r)
{
  const int32_t *n = w->voxels->n;
  w->corner = dv_try_alloc((size_t)(n[0] + 1) * (size_t)(n[1] + 1) * (size_t)(n[2] + 1) * sizeof *w->corner);
  bool good =
      w->corner && walk(r, 0, mark_corners, w) && walk(r, 1, number_corner, w) && walk(r, 0, make_hexahedron, w);
  dv_free(w->corner);
  return good;
}

static dvStatus voxel_loader_update(dvObject *o)
{
  VoxelLoader *l = (VoxelLoader *)o;
  if (!l->filename || !*l->filename) {
    dv_warning(o, "give filename=\"…\"", "VoxelGridLoader names no file");
    return DV_OK;
  }
  dvVoxels voxels = {0};
  DV_TRY(read_voxels(l, &voxels));
  Region region = find_region(l, &voxels);
  Work w = {.loader = l, .voxels = &voxels};
  bool good = l->generateHexa ? make_hexahedra(&w, &region) : walk(&region, 0, make_point, &w);
  good = good && dv_reals_assign(&l->position, w.lists.position.data, w.lists.position.count) &&
         dv_ints_assign(&l->hexahedra, w.lists.hexahedra.data, w.lists.hexahedra.count) &&
         dv_ints_assign(&l->idxInRegularGrid, w.lists.voxel.data, w.lists.voxel.count) &&
         dv_reals_resize(&l->voxelValues, w.lists.voxel.count);
  for (size_t i = 0; i < w.lists.voxel.count && good; i++)
    l->voxelValues.data[i] = voxels.values.data[w.lists.voxel.data[i]];
  if (good && !w.lists.voxel.count)
    dv_warning(o, "check bgValue, dataValue and ROI", "no voxel of '%s' is taken", l->filename);
  dv_array_free(&w.lists.position);
  dv_array_free(&w.lists.hexahedra);
  dv_array_free(&w.lists.voxel);
  dv_voxels_free(&voxels);
  return good ? DV_OK
              : dv_field_error(o, &l->filename, "give a smaller ROI", "out of memory for the voxels of '%s'",
                               l->filename);
}

const dvClass dv_voxel_loader_class = {
    .struct_size = sizeof(dvClass),
    .name = "VoxelGridLoader",
    .help = "loads the voxels of an image (.raw, .mhd) as hexahedra or points",
    .module = "Sofa.Component.IO.Mesh",
    .roles = DV_PLAYS(DV_ROLE_LOADER),
    .size = sizeof(VoxelLoader),
    .blocks = {&dv_object_block, DV_BLOCK(voxel_fields)},
    .update = voxel_loader_update,
};

// A libFuzzer target: whatever the bytes, a reader returns, leaks nothing, and hands out only
// indices that exist and coordinates that are finite.
//
// DIVAN_FUZZ_READER=name in the environment chooses one reader of the list below; `list` prints their names.
#include "io/mesh/image.h"
#include "io/mesh/mesh.h"
#include "io/mesh/voxels.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static void check(bool condition)
{
  if (!condition) abort();
}

static void check_indices(const dvMeshIndices *list, int32_t low, size_t count)
{
  for (size_t i = 0; i < list->count; i++)
    check(list->data[i] >= low && (list->data[i] < 0 || (size_t)list->data[i] < count));
}

static void check_offsets(const dvMeshIndices *offset, const dvMeshIndices *index)
{
  if (!offset->count) {
    check(index->count == 0);
    return;
  }
  check(offset->data[0] == 0 && (size_t)offset->data[offset->count - 1] == index->count);
  for (size_t i = 1; i < offset->count; i++) check(offset->data[i] >= offset->data[i - 1]);
}

static void check_reals(const dvMeshReals *list, size_t components)
{
  check(list->count % components == 0);
  for (size_t i = 0; i < list->count; i++) check(isfinite(list->data[i]));
}

static void check_groups(dvMesh *mesh)
{
  for (size_t i = 0; i < mesh->groups.count; i++) {
    const dvMeshGroup *group = &mesh->groups.data[i];
    size_t elements = group->kind == DV_MESH_FACET
                          ? dv_mesh_lists_count(&mesh->facets.offset)
                          : dv_mesh_elements(mesh, group->kind)->count / (size_t)dv_mesh_corners(group->kind);
    check(group->first >= 0 && group->count > 0 && (size_t)group->first + (size_t)group->count <= elements);
    check(group->name && group->material);
  }
}

// as many as there are points; elements know a cell that exists
static void check_values(dvMesh *mesh)
{
  size_t points = dv_mesh_point_count(mesh), cells = SIZE_MAX;
  for (size_t i = 0; i < mesh->values.count; i++) {
    const dvMeshValues *v = &mesh->values.data[i];
    check(v->name && v->width > 0 && v->values.count % (size_t)v->width == 0);
    if (!v->of_cells) check(v->values.count == points * (size_t)v->width);
    else cells = v->values.count / (size_t)v->width;
  }
  for (int kind = 0; kind < DV_MESH_KINDS; kind++) {
    size_t elements = dv_mesh_elements(mesh, kind)->count / (size_t)dv_mesh_corners(kind);
    check(cells == SIZE_MAX ? mesh->cell_of[kind].count == 0 : mesh->cell_of[kind].count == elements);
    check_indices(&mesh->cell_of[kind], 0, cells);
  }
}

static void check_mesh(dvMesh *mesh)
{
  size_t points = dv_mesh_point_count(mesh);
  check_reals(&mesh->positions, 3);
  check_reals(&mesh->normals, 3);
  check_reals(&mesh->texcoords, 2);
  check_reals(&mesh->radii, 1);
  for (int kind = 0; kind < DV_MESH_KINDS; kind++) {
    check_indices(dv_mesh_elements(mesh, kind), 0, points);
    check(dv_mesh_elements(mesh, kind)->count % (size_t)dv_mesh_corners(kind) == 0);
  }
  check_indices(&mesh->neighbours, -1, mesh->triangles.count / 3);
  check_indices(&mesh->polylines.index, 0, points);
  check_offsets(&mesh->polylines.offset, &mesh->polylines.index);
  check_indices(&mesh->facets.position, 0, points);
  check_indices(&mesh->facets.texcoord, -1, mesh->texcoords.count / 2);
  check_indices(&mesh->facets.normal, -1, mesh->normals.count / 3);
  check_offsets(&mesh->facets.offset, &mesh->facets.position);
  check_groups(mesh);
  check_values(mesh);
  double *values = dv_alloc(points * 3 * sizeof *values);
  dv_mesh_point_normals(mesh, values);
  dv_mesh_point_texcoords(mesh, values);
  dv_free(values);
}

// the two files of TetGen, one behind the other
static dvStatus read_tetgen(const char *bytes, size_t length, dvMesh *out, dvMeshError *error)
{
  const char *cut = memmem(bytes, length, "==", 2);
  size_t nodes = cut ? (size_t)(cut - bytes) : length;
  return dv_mesh_read_tetgen(bytes, nodes, cut ? cut + 2 : NULL, cut ? length - nodes - 2 : 0, out, error);
}

static dvStatus read_packed(const char *bytes, size_t length, dvMesh *out, dvMeshError *error)
{
  size_t n = 0;
  char *text = length >= 2 && memcmp(bytes, "\x1f\x8b", 2) == 0 ? dv_mesh_unpack(bytes, length, &n) : NULL;
  *out = (dvMesh){0};
  *error = (dvMeshError){0};
  dvStatus status = text ? dv_mesh_read_off(text, n, out, error) : DV_OK;
  dv_free(text);
  return status;
}

// a header, and what follows it as the data of any layout
static dvStatus read_voxels(const char *bytes, size_t length, dvMesh *out, dvMeshError *error)
{
  dvVoxelLayout layout;
  dvVoxels voxels = {0};
  size_t used = 0;
  *out = (dvMesh){0};
  dvStatus status = dv_voxels_read_header(bytes, length, &layout, &used, error);
  if (status != DV_OK) return status;
  check(used <= length);
  if (dv_voxels_decode(&layout, bytes + used, length - used, &voxels, NULL) == DV_OK)
    check(voxels.values.count == (size_t)voxels.n[0] * (size_t)voxels.n[1] * (size_t)voxels.n[2]);
  dv_voxels_free(&voxels);
  return DV_OK;
}

static dvStatus read_nifti(const char *bytes, size_t length, dvMesh *out, dvMeshError *error)
{
  dvVoxels voxels;
  *out = (dvMesh){0};
  *error = (dvMeshError){0};
  dvMeshError why = {0};
  if (dv_nifti_decode(bytes, length, &voxels, &why) != DV_OK) {
    check(why.text[0] != 0 && voxels.values.count == 0);
  } else {
    check(voxels.values.count == (size_t)voxels.n[0] * (size_t)voxels.n[1] * (size_t)voxels.n[2]);
    for (int k = 0; k < 9; k++) check(isfinite(voxels.turn[k]) && isfinite(voxels.size[k / 3]));
  }
  dv_voxels_free(&voxels);
  return DV_OK;
}

static dvStatus read_image(const char *bytes, size_t length, dvMesh *out, dvMeshError *error)
{
  dvImage image;
  *out = (dvMesh){0};
  *error = (dvMeshError){0};
  char why[100] = "";
  if (dv_image_decode(bytes, length, &image, why) == DV_OK) check(image.pixels && image.width > 0 && image.height > 0);
  else check(why[0] && !image.pixels);
  dv_image_free(&image);
  return DV_OK;
}

static const struct {
  const char *name;
  dvStatus (*read)(const char *, size_t, dvMesh *, dvMeshError *);
} readers[] = {{"gmsh", dv_mesh_read_gmsh},
               {"obj", dv_mesh_read_obj},
               {"sph", dv_mesh_read_sph},
               {"mtl", dv_mesh_read_mtl},
               {"vtk", dv_mesh_read_vtk},
               {"vtkxml", dv_mesh_read_vtk_xml},
               {"stl", dv_mesh_read_stl},
               {"off", dv_mesh_read_off},
               {"trian", dv_mesh_read_trian},
               {"trian2", dv_mesh_read_trian2},
               {"xsp", dv_mesh_read_xsp},
               {"gid", dv_mesh_read_gid},
               {"abaqus", dv_mesh_read_abaqus},
               {"netgen", dv_mesh_read_netgen},
               {"tetgen", read_tetgen},
               {"gz", read_packed},
               {"voxels", read_voxels},
               {"image", read_image},
               {"nifti", read_nifti}};

static int chosen = -1;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
  DV_UNUSED(argc);
  DV_UNUSED(argv);
  const char *name = getenv("DIVAN_FUZZ_READER");
  if (!name || !*name) return 0;
  for (size_t i = 0; i < DV_COUNT(readers); i++) {
    if (strcmp(name, "list") == 0) puts(readers[i].name);
    if (strcmp(name, readers[i].name) == 0) chosen = (int)i;
  }
  if (chosen < 0) exit(strcmp(name, "list") != 0);
  return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
  for (size_t i = 0; i < DV_COUNT(readers); i++) {
    if (chosen >= 0 && i != (size_t)chosen) continue;
    dvMesh mesh = {0};
    dvMeshError error;
    dvStatus status = readers[i].read((const char *)bytes, length, &mesh, &error);
    check(status == DV_OK ? error.text[0] == 0 : error.text[0] != 0 && error.line > 0);
    check_mesh(&mesh);
    dv_mesh_free(&mesh);
  }
  return 0;
}

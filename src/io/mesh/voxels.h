// Grids of voxels: numbers in boxes of equal size, x fastest. From .raw files, whose layout the caller knows, and from
// MetaImage
// (.mhd with a file of data beside it, .mha with both in one), as text header and raw or zlib-compressed numbers.
#ifndef DV_IO_MESH_VOXELS_H
#define DV_IO_MESH_VOXELS_H

#include "io/mesh/mesh.h"

typedef enum dvVoxelType {
  DV_VOXEL_UINT8,
  DV_VOXEL_INT8,
  DV_VOXEL_UINT16,
  DV_VOXEL_INT16,
  DV_VOXEL_UINT32,
  DV_VOXEL_INT32,
  DV_VOXEL_FLOAT,
  DV_VOXEL_DOUBLE,
} dvVoxelType;

// What a file holds, and where.
typedef struct dvVoxelLayout {
  int32_t n[3];                // voxels along each axis
  double size[3], origin[3];   // of a voxel, and of the corner of the first one; m
  dvVoxelType type;
  bool big_endian, compressed;
  int64_t header;   // bytes before the numbers; -1: they stand at the end of the file
  char data[256];   // the file with the numbers; "" when they follow the header
} dvVoxelLayout;

typedef struct dvVoxels {
  int32_t n[3];
  double size[3], origin[3];
  DV_ARRAY(float) values;
} dvVoxels;

void dv_voxels_free(dvVoxels *v);
// Reads a header; *used (may be NULL) gets its length.
dvStatus dv_voxels_read_header(const char *bytes, size_t length, dvVoxelLayout *out, size_t *used, dvMeshError *error);
// The numbers of a file, as the layout says. On failure `out` is empty.
dvStatus dv_voxels_decode(const dvVoxelLayout *layout, const char *bytes, size_t length, dvVoxels *out,
                          dvMeshError *error);
// A file by its name. `raw` says what a file without a header holds.
dvStatus dv_voxels_read(const char *path, const dvVoxelLayout *raw, dvVoxels *out, dvMeshError *error);

#endif

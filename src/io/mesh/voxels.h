// Grids of voxels: numbers in boxes of equal size, x fastest. From .raw files, whose layout the caller knows, from
// MetaImage (.mhd with a file of data beside it, .mha with both in one), as text header and raw or zlib-compressed
// numbers, and from NIfTI (.nii, .nii.gz; versions 1 and 2).
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
  DV_VOXEL_UINT64,
  DV_VOXEL_INT64,
} dvVoxelType;
int dv_voxel_bytes(dvVoxelType type);   // of a number

// What a file holds, and where.
typedef struct dvVoxelLayout {
  int32_t n[3];                // voxels along each axis
  double size[3], origin[3];   // of a voxel, and of the corner of the first one
  double turn[9];              // its columns are the directions of the three axes; all zeros: not told
  double unit;                 // of sizes and origin, in m; 0 when the file does not tell
  double slope, base;          // what is meant is base + slope x number; slope 0: the number itself
  dvVoxelType type;
  bool big_endian, compressed;
  int64_t header;   // bytes before the numbers; -1: they stand at the end of the file
  char data[256];   // the file with the numbers; "" when they follow the header
  char told[256];   // what of the header was not taken as it stands, for a warning; "" for nothing
} dvVoxelLayout;

typedef struct dvVoxels {
  int32_t n[3];
  double size[3], origin[3], turn[9], unit;   // as above; the turn is that of no rotation where it is not told
  DV_ARRAY(float) values;
  char told[256];   // as above
} dvVoxels;

void dv_voxels_free(dvVoxels *v);
// Reads a header; *used (may be NULL) gets its length.
dvStatus dv_voxels_read_header(const char *bytes, size_t length, dvVoxelLayout *out, size_t *used, dvMeshError *error);
// The numbers of a file, as the layout says. On failure `out` is empty.
dvStatus dv_voxels_decode(const dvVoxelLayout *layout, const char *bytes, size_t length, dvVoxels *out,
                          dvMeshError *error);
// Does the name of a file say that it has a header (.mhd, .mha, .nii, .nii.gz)?
bool dv_voxels_has_header(const char *path);
// The header of a NIfTI file; the numbers stand at layout->header. 0 or more bytes, as the file begins.
dvStatus dv_nifti_read_header(const char *bytes, size_t length, dvVoxelLayout *out, dvMeshError *error);
// A whole NIfTI file in memory, packed by gzip or not.
dvStatus dv_nifti_decode(const char *bytes, size_t length, dvVoxels *out, dvMeshError *error);
// Writes one of bytes, for generators and tests: numbers as the layout places them. Packed when the name ends in .gz.
dvStatus dv_nifti_write(const char *path, const dvVoxelLayout *layout, const uint8_t *values, dvMeshError *error);
dvStatus dv_voxels_fail(dvMeshError *error, const char *format, ...) DV_PRINTF(2, 3);   // notes it: DV_ERROR_INPUT
void dv_voxels_tell(dvVoxelLayout *l, const char *format, ...) DV_PRINTF(2, 3);         // adds to what is told
// A size that is 0 is taken as 1, one below as its opposite; both are told. False for what is no number.
bool dv_voxels_mend_size(dvVoxelLayout *l, int axis);
// A file by its name. `raw` says what a file without a header holds, and may be NULL when it has one.
dvStatus dv_voxels_read(const char *path, const dvVoxelLayout *raw, dvVoxels *out, dvMeshError *error);

#endif

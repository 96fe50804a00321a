// See voxels.h. MetaImage: lines `Key = value`, the last of them ElementDataFile. Row k of TransformMatrix is the
// direction of axis k; Offset is the middle of the first voxel, as ITK, VTK and SOFA have it, while dvVoxels wants its
// corner.
#include "io/mesh/voxels.h"

#include "base/file.h"
#include "base/text.h"
#include "io/mesh/mesh_scan.h"

#include <math.h>
#include <stdio.h>
#include <zlib.h>

enum { VOXEL_LIMIT = 400000000 };

static const struct {
  const char *name;
  int bytes;
} types[] = {{"MET_UCHAR", 1}, {"MET_CHAR", 1},  {"MET_USHORT", 2}, {"MET_SHORT", 2},      {"MET_UINT", 4},
             {"MET_INT", 4},   {"MET_FLOAT", 4}, {"MET_DOUBLE", 8}, {"MET_ULONG_LONG", 8}, {"MET_LONG_LONG", 8}};

int dv_voxel_bytes(dvVoxelType type) { return types[type].bytes; }

void dv_voxels_free(dvVoxels *v)
{
  dv_array_free(&v->values);
  *v = (dvVoxels){0};
}

void dv_voxels_tell(dvVoxelLayout *l, const char *format, ...)
{
  size_t used = strlen(l->told);
  if (used) used += (size_t)dv_snprintf(l->told + used, sizeof l->told - used, "; ");
  if (used >= sizeof l->told) return;
  va_list args;
  va_start(args, format);
  dv_vsnprintf(l->told + used, sizeof l->told - used, format, args);
  va_end(args);
}

bool dv_voxels_mend_size(dvVoxelLayout *l, int axis)
{
  double size = l->size[axis];
  if (!isfinite(size)) return false;
  if (size > 0) return true;
  l->size[axis] = size < 0 ? -size : 1;
  dv_voxels_tell(l, "the size of a voxel along axis %d is %g: %g is taken", axis + 1, size, l->size[axis]);
  return true;
}

// --- header --------------------------------------------------------------------------------------

// What a MetaImage has said so far.
typedef struct Said {
  bool spacing, size, place, turn;
  double element_size[3];
} Said;

static bool read_reals(dvMeshScan *s, const char *what, double out[3])
{
  for (int k = 0; k < 3; k++)
    if (!dv_mesh_scan_real(s, what, &out[k])) return false;
  return true;
}

static bool read_truth(const char *text, size_t length)
{
  return length > 0 && (text[0] == 'T' || text[0] == 't' || text[0] == '1');
}

static bool read_type(dvMeshScan *s, const char *text, size_t length, dvVoxelType *out)
{
  for (size_t i = 0; i < DV_COUNT(types); i++)
    if (dv_mesh_word_is(text, length, types[i].name)) {
      *out = (dvVoxelType)i;
      return true;
    }
  if (dv_mesh_word_is(text, length, "MET_LONG") || dv_mesh_word_is(text, length, "MET_ULONG")) {   // four bytes, too
    *out = text[4] == 'U' ? DV_VOXEL_UINT32 : DV_VOXEL_INT32;
    return true;
  }
  return dv_mesh_fail(s, "'%.*s' is not a type of numbers that is read", (int)dv_min_size(length, 40), text);
}

static bool read_whole(dvMeshScan *s, const char *what, const char *key, int wanted)
{
  int value;
  if (!dv_mesh_scan_int(s, what, &value)) return false;
  return value == wanted || dv_mesh_fail(s, "%s is %d; only %d is read", key, value, wanted);
}

// the value of one line; *done behind the last one
static bool read_key(dvMeshScan *s, const char *key, size_t n, dvVoxelLayout *out, Said *said, bool *done)
{
  const char *rest;
  size_t length;
  int header;
  if (dv_mesh_word_is(key, n, "NDims")) return read_whole(s, "the number of dimensions", "NDims", 3);
  if (dv_mesh_word_is(key, n, "ElementNumberOfChannels"))
    return read_whole(s, "the number of channels", "ElementNumberOfChannels", 1);
  if (dv_mesh_word_is(key, n, "DimSize")) {
    for (int k = 0; k < 3; k++)
      if (!dv_mesh_scan_int(s, "a number of voxels", &out->n[k])) return false;
    return true;
  }
  if (dv_mesh_word_is(key, n, "ElementSpacing")) {
    said->spacing = true;
    return read_reals(s, "a size of voxels", out->size);
  }
  if (dv_mesh_word_is(key, n, "ElementSize")) {
    said->size = true;
    return read_reals(s, "a size of voxels", said->element_size);
  }
  if (dv_mesh_word_is(key, n, "Offset") || dv_mesh_word_is(key, n, "Position") || dv_mesh_word_is(key, n, "Origin")) {
    double before[3];
    memcpy(before, out->origin, sizeof before);
    if (!read_reals(s, "a coordinate of the corner", out->origin)) return false;
    if (said->place && memcmp(before, out->origin, sizeof before) != 0)
      dv_voxels_tell(out, "its place is told twice, differently: that of %.*s is taken", (int)n, key);
    said->place = true;
    return true;
  }
  if (dv_mesh_word_is(key, n, "TransformMatrix") || dv_mesh_word_is(key, n, "Rotation") ||
      dv_mesh_word_is(key, n, "Orientation")) {
    double rows[9], before[9];
    memcpy(before, out->turn, sizeof before);
    for (int k = 0; k < 9; k++) {
      if (!dv_mesh_scan_real(s, "a direction of an axis", &rows[k])) return false;
      out->turn[3 * (k % 3) + k / 3] = rows[k];
    }
    if (said->turn && memcmp(before, out->turn, sizeof before) != 0)
      dv_voxels_tell(out, "its directions are told twice, differently: those of %.*s are taken", (int)n, key);
    said->turn = true;
    return true;
  }
  if (dv_mesh_word_is(key, n, "HeaderSize")) {
    if (!dv_mesh_scan_int(s, "the size of the header", &header)) return false;
    out->header = header;
    return header >= -1 || dv_mesh_fail(s, "a header of %d bytes", header);
  }
  dv_mesh_scan_rest(s, &rest, &length);   // steps behind the line
  if (dv_mesh_word_is(key, n, "ElementType")) return read_type(s, rest, length, &out->type);
  if (dv_mesh_word_is(key, n, "BinaryData") && !read_truth(rest, length))
    return dv_mesh_fail(s, "numbers that are written as text are not read; write them as binary ones");
  if (dv_mesh_word_is(key, n, "CompressedData")) out->compressed = read_truth(rest, length);
  if (dv_mesh_word_is(key, n, "BinaryDataByteOrderMSB") || dv_mesh_word_is(key, n, "ElementByteOrderMSB"))
    out->big_endian = read_truth(rest, length);
  if (!dv_mesh_word_is(key, n, "ElementDataFile")) return true;
  *done = true;
  bool local = dv_mesh_word_is(rest, length, "LOCAL") || dv_mesh_word_is(rest, length, "local");
  if (dv_mesh_word_is(rest, length, "LIST")) return dv_mesh_fail(s, "a list of data files is not read");
  if (length >= sizeof out->data || length == 0)
    return dv_mesh_fail(s, "the name of the data file is missing or too long");
  snprintf(out->data, sizeof out->data, "%.*s", local ? 0 : (int)length, rest);
  return true;
}

// sizes above 0, directions of length 1, the corner in place of the middle
static bool check_header(dvMeshScan *s, const Said *said, dvVoxelLayout *out)
{
  if (!said->spacing && said->size) memcpy(out->size, said->element_size, sizeof out->size);
  if (!said->spacing && !said->size) dv_voxels_tell(out, "ElementSpacing is missing: voxels of 1 are taken");
  for (int k = 0; k < 3; k++) dv_voxels_mend_size(out, k);
  for (int k = 0; k < 3 && said->turn; k++) {
    double length =
        sqrt(out->turn[k] * out->turn[k] + out->turn[3 + k] * out->turn[3 + k] + out->turn[6 + k] * out->turn[6 + k]);
    if (!(length > 0) || !isfinite(length)) return dv_mesh_fail(s, "axis %d has no direction", k + 1);
    if (fabs(length - 1) > 1e-3)
      dv_voxels_tell(out, "the direction of axis %d has the length %g: 1 is taken", k + 1, length);
    for (int i = 0; i < 3; i++) out->turn[3 * i + k] /= length;
  }
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) out->origin[i] -= (said->turn ? out->turn[3 * i + k] : i == k) * out->size[k] / 2;
  return true;
}

dvStatus dv_voxels_read_header(const char *bytes, size_t length, dvVoxelLayout *out, size_t *used, dvMeshError *error)
{
  *out = (dvVoxelLayout){.size = {1, 1, 1}};
  dvMeshScan s;
  dv_mesh_scan_init(&s, bytes, length, error);
  s.one_line = true;
  bool done = false, good = true;
  Said said = {0};
  const char *key, *equals;
  size_t n, m;
  while (good && !done && s.at < s.end) {
    int line = s.line;
    if (dv_mesh_scan_word(&s, &key, &n)) {
      good = dv_mesh_scan_word(&s, &equals, &m) && dv_mesh_word_is(equals, m, "=");
      if (!good) dv_mesh_fail(&s, "'Key = value' expected, found '%.*s'", (int)dv_min_size(n, 40), key);
      good = good && read_key(&s, key, n, out, &said, &done);
    }
    if (good && s.line == line) dv_mesh_skip_line(&s);
  }
  if (good && !done) good = dv_mesh_fail(&s, "ElementDataFile is missing");
  good = good && check_header(&s, &said, out);
  if (used) *used = (size_t)(s.at - bytes);
  return good ? DV_OK : DV_ERROR_INPUT;
}

// --- numbers -------------------------------------------------------------------------------------

dvStatus dv_voxels_fail(dvMeshError *error, const char *format, ...)
{
  if (!error) return DV_ERROR_INPUT;
  error->line = 0;
  va_list args;
  va_start(args, format);
  dv_vsnprintf(error->text, sizeof error->text, format, args);
  va_end(args);
  return DV_ERROR_INPUT;
}

static float number_at(const unsigned char *at, dvVoxelType type, bool big)
{
  uint64_t bits = 0;
  int n = types[type].bytes;
  for (int i = 0; i < n; i++) bits |= (uint64_t)at[big ? n - 1 - i : i] << (8 * i);
  uint32_t half = (uint32_t)bits;
  float single;
  double twice;
  switch (type) {
  case DV_VOXEL_INT8:
    return (float)(int8_t)bits;
  case DV_VOXEL_INT16:
    return (float)(int16_t)bits;
  case DV_VOXEL_INT32:
    return (float)(int32_t)bits;
  case DV_VOXEL_INT64:
    return (float)(int64_t)bits;
  case DV_VOXEL_FLOAT:
    memcpy(&single, &half, sizeof single);
    return single;
  case DV_VOXEL_DOUBLE:
    memcpy(&twice, &bits, sizeof twice);
    return (float)twice;
  default:
    return (float)bits;
  }
}

// numbers packed by zlib: exactly `size` bytes; NULL when there are fewer
static char *inflate_all(const char *bytes, size_t length, size_t size)
{
  if (size / 1100 > length) return NULL;   // zlib packs at most so well
  char *out = dv_try_alloc(size + 1);
  uLongf room = size;
  if (out && uncompress((Bytef *)out, &room, (const Bytef *)bytes, length) == Z_OK && room == size) return out;
  dv_free(out);
  return NULL;
}

dvStatus dv_voxels_decode(const dvVoxelLayout *l, const char *bytes, size_t length, dvVoxels *out, dvMeshError *error)
{
  *out = (dvVoxels){0};
  double count = 1;
  for (int k = 0; k < 3; k++) {
    if (l->n[k] < 1)
      return dv_voxels_fail(error, "a grid of %d x %d x %d voxels cannot be read", l->n[0], l->n[1], l->n[2]);
    if (!isfinite(l->size[k]) || !isfinite(l->origin[k]))
      return dv_voxels_fail(error, "the size or place of the voxels is not finite");
    count *= l->n[k];
  }
  for (int k = 0; k < 9; k++)
    if (!isfinite(l->turn[k])) return dv_voxels_fail(error, "the directions of the axes are not finite");
  size_t bytes_each = (size_t)types[l->type].bytes;
  if (count > VOXEL_LIMIT)
    return dv_voxels_fail(error, "%.0f voxels are more than the %d that are read", count, VOXEL_LIMIT);
  size_t voxels = (size_t)count, size = voxels * bytes_each,
         header = l->header < 0 ? (length < size ? 0 : length - size) : (size_t)l->header;
  if (!l->compressed && (length < header || length - header < size))
    return dv_voxels_fail(
        error, "%d x %d x %d voxels of %zu bytes behind a header of %zu need %zu bytes, but the file has %zu", l->n[0],
        l->n[1], l->n[2], bytes_each, header, header + size, length);
  if (l->compressed && length < header) return dv_voxels_fail(error, "the file ends in its header");
  char *unpacked = l->compressed ? inflate_all(bytes + header, length - header, size) : NULL;
  if (l->compressed && !unpacked)
    return dv_voxels_fail(error, "the compressed numbers are damaged or not %zu bytes", size);
  const unsigned char *at = (const unsigned char *)(unpacked ? unpacked : bytes + header);
  if (!dv_try_reserve(&out->values, voxels)) {
    dv_free(unpacked);
    return dv_voxels_fail(error, "out of memory for %zu voxels", voxels);
  }
  for (size_t i = 0; i < voxels; i++) out->values.data[i] = number_at(at + i * bytes_each, l->type, l->big_endian);
  for (size_t i = 0; i < voxels && l->slope != 0; i++)
    out->values.data[i] = (float)(l->base + l->slope * (double)out->values.data[i]);
  out->values.count = voxels;
  dv_free(unpacked);
  memcpy(out->n, l->n, sizeof out->n);
  memcpy(out->size, l->size, sizeof out->size);
  memcpy(out->origin, l->origin, sizeof out->origin);
  out->unit = l->unit;
  memcpy(out->told, l->told, sizeof out->told);
  bool told = false;
  for (int k = 0; k < 9; k++) told |= l->turn[k] != 0;
  for (int k = 0; k < 9; k++) out->turn[k] = told ? l->turn[k] : k % 4 == 0;
  return DV_OK;
}

// --- files ---------------------------------------------------------------------------------------

static dvStatus read_meta(const char *path, const char *bytes, size_t length, dvVoxels *out, dvMeshError *error)
{
  dvVoxelLayout layout;
  size_t used;
  DV_TRY(dv_voxels_read_header(bytes, length, &layout, &used, error));
  if (!layout.data[0]) {
    layout.header = layout.header < 0 ? 0 : layout.header;
    return dv_voxels_decode(&layout, bytes + used, length - used, out, error);
  }
  if (strchr(layout.data, '/') || strchr(layout.data, '\\'))
    return dv_voxels_fail(error, "the data file '%.100s' is not beside the header", layout.data);
  char *directory = dv_path_directory(path), *data_path = dv_path_join(directory, layout.data);
  size_t data_length = 0;
  char *data = dv_file_read(data_path, &data_length);
  dvStatus status =
      data ? dv_voxels_decode(&layout, data, data_length, out, error)
           : dv_voxels_fail(error, "its data file '%.100s' cannot be read: %s", layout.data, dv_file_why());
  dv_free(data);
  dv_free(data_path);
  dv_free(directory);
  return status;
}

static bool is_nifti(const char *path)
{
  return dv_ends_with_nocase(path, ".nii") || dv_ends_with_nocase(path, ".nii.gz");
}

static bool is_meta(const char *path) { return dv_ends_with_nocase(path, ".mhd") || dv_ends_with_nocase(path, ".mha"); }

bool dv_voxels_has_header(const char *path) { return is_nifti(path) || is_meta(path); }

dvStatus dv_voxels_read(const char *path, const dvVoxelLayout *raw, dvVoxels *out, dvMeshError *error)
{
  *out = (dvVoxels){0};
  size_t length = 0;
  char *bytes = dv_file_read(path, &length);
  if (!bytes) return dv_voxels_fail(error, "%s", dv_file_why());
  dvStatus status = is_meta(path)    ? read_meta(path, bytes, length, out, error)
                    : is_nifti(path) ? dv_nifti_decode(bytes, length, out, error)
                    : raw            ? dv_voxels_decode(raw, bytes, length, out, error)
                                     : dv_voxels_fail(error, "images end in .nii, .nii.gz, .mhd or .mha");
  dv_free(bytes);
  return status;
}

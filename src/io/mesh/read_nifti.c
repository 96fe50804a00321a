// NIfTI: the images of medical research (NIfTI-1 Data Format, R. W. Cox and others, 2004; NIfTI-2, 2011). A header of
// 348 or 540 bytes at fixed places, in the byte order of who wrote it; numbers, x fastest, at vox_offset; where a voxel
// stands in the patient by a matrix (sform) or by a quaternion and three sizes (qform). Places are those of centres of
// voxels, while dvVoxels wants the corner of the first. Only one image in a file is read.
#include "base/file.h"
#include "io/mesh/voxels.h"
#include "io/mesh/write_mesh.h"

#include <math.h>
#include <string.h>
#include <zlib.h>

enum { SHORT_HEADER = 348, LONG_HEADER = 540, MOST_BEYOND = 1 << 24 };

typedef struct Header {
  const unsigned char *at;
  bool big, second;   // byte order; version 2
} Header;

// --- numbers of the header -----------------------------------------------------------------------

static uint64_t bits_at(const Header *h, int offset, int bytes)
{
  uint64_t bits = 0;
  for (int i = 0; i < bytes; i++) bits |= (uint64_t)h->at[offset + (h->big ? bytes - 1 - i : i)] << (8 * i);
  return bits;
}

static int64_t whole_at(const Header *h, int offset, int bytes)
{
  uint64_t bits = bits_at(h, offset, bytes);
  return bytes == 2 ? (int16_t)bits : bytes == 4 ? (int32_t)bits : (int64_t)bits;
}

static double real_at(const Header *h, int offset, int bytes)
{
  uint64_t bits = bits_at(h, offset, bytes);
  uint32_t half = (uint32_t)bits;
  float single;
  double twice;
  memcpy(&single, &half, sizeof single);
  memcpy(&twice, &bits, sizeof twice);
  return bytes == 4 ? (double)single : twice;
}

// one of the two places, by version
static int64_t whole(const Header *h, int first, int bytes, int second, int second_bytes)
{
  return h->second ? whole_at(h, second, second_bytes) : whole_at(h, first, bytes);
}

static double real(const Header *h, int first, int second)
{
  return h->second ? real_at(h, second, 8) : real_at(h, first, 4);
}

// --- what it says --------------------------------------------------------------------------------

static dvStatus find_version(const char *bytes, size_t length, Header *out, dvMeshError *error)
{
  *out = (Header){.at = (const unsigned char *)bytes};
  if (length < SHORT_HEADER) return dv_voxels_fail(error, "a NIfTI header has 348 bytes, the file only %zu", length);
  for (int big = 0; big < 2; big++) {
    out->big = big;
    int64_t size = whole_at(out, 0, 4);
    if (size != SHORT_HEADER && size != LONG_HEADER) continue;
    out->second = size == LONG_HEADER;
    if (out->second && length < LONG_HEADER) return dv_voxels_fail(error, "the file ends in its header");
    const char *magic = bytes + (out->second ? 4 : 344);
    if (memcmp(magic, "n+", 2) == 0) return DV_OK;
    if (memcmp(magic, "ni", 2) == 0)
      return dv_voxels_fail(error, "header and numbers in two files (.hdr, .img) are not read; write it as .nii");
    return dv_voxels_fail(error, "the mark of NIfTI ('n+1' or 'n+2') is missing");
  }
  return dv_voxels_fail(error, "it does not begin like a NIfTI file");
}

static dvStatus read_type(const Header *h, dvVoxelLayout *out, dvMeshError *error)
{
  static const struct {
    int code;
    dvVoxelType type;
  } types[] = {{2, DV_VOXEL_UINT8},    {4, DV_VOXEL_INT16},    {8, DV_VOXEL_INT32},    {16, DV_VOXEL_FLOAT},
               {64, DV_VOXEL_DOUBLE},  {256, DV_VOXEL_INT8},   {512, DV_VOXEL_UINT16}, {768, DV_VOXEL_UINT32},
               {1024, DV_VOXEL_INT64}, {1280, DV_VOXEL_UINT64}};
  int code = (int)whole(h, 70, 2, 12, 2);
  for (size_t i = 0; i < DV_COUNT(types); i++)
    if (types[i].code == code) {
      out->type = types[i].type;
      return DV_OK;
    }
  return dv_voxels_fail(error, "numbers of type %d are not read; whole numbers and reals of one channel are", code);
}

static dvStatus read_sizes(const Header *h, dvVoxelLayout *out, dvMeshError *error)
{
  int64_t dimensions = whole(h, 40, 2, 16, 8);
  if (dimensions < 1 || dimensions > 7)
    return dv_voxels_fail(error, "an image of %lld dimensions cannot be read", (long long)dimensions);
  for (int k = 1; k <= 7; k++) {
    int64_t n = k <= dimensions ? whole(h, 40 + 2 * k, 2, 16 + 8 * k, 8) : 1;
    if (n < 1 || n > INT32_MAX)
      return dv_voxels_fail(error, "%lld voxels along axis %d cannot be read", (long long)n, k);
    if (k <= 3) out->n[k - 1] = (int32_t)n;
    else if (n > 1)
      return dv_voxels_fail(error, "the file holds %lld images (times or channels); save one of them", (long long)n);
  }
  for (int k = 0; k < 3; k++) out->size[k] = real(h, 80 + 4 * k, 112 + 8 * k);
  return DV_OK;
}

// columns of the rotation of a quaternion whose real part is not stored; the third turned around where asked
static void read_quaternion(const Header *h, double turn[9])
{
  double b = real(h, 256, 352), c = real(h, 260, 360), d = real(h, 264, 368);
  double rest = 1 - (b * b + c * c + d * d), a = rest > 0 ? sqrt(rest) : 0;
  if (rest < 0) {
    double scale = 1 / sqrt(b * b + c * c + d * d);
    b *= scale, c *= scale, d *= scale;
  }
  double side = real(h, 76, 104) < 0 ? -1 : 1;
  double m[9] = {a * a + b * b - c * c - d * d, 2 * (b * c - a * d),           2 * (b * d + a * c) * side,
                 2 * (b * c + a * d),           a * a + c * c - b * b - d * d, 2 * (c * d - a * b) * side,
                 2 * (b * d - a * c),           2 * (c * d + a * b),           (a * a + d * d - c * c - b * b) * side};
  memcpy(turn, m, sizeof m);
}

// the middle of the first voxel, and the directions of the axes, from the quaternion
static void place_by_quaternion(const Header *h, dvVoxelLayout *out)
{
  read_quaternion(h, out->turn);
  for (int i = 0; i < 3; i++) out->origin[i] = real(h, 268 + 4 * i, 376 + 8 * i);
}

static dvStatus place_by_matrix(const Header *h, dvVoxelLayout *out, dvMeshError *error)
{
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 3; k++) out->turn[3 * i + k] = real(h, 280 + 16 * i + 4 * k, 400 + 32 * i + 8 * k);
    out->origin[i] = real(h, 292 + 16 * i, 424 + 32 * i);
  }
  for (int k = 0; k < 3; k++) {
    double length =
        sqrt(out->turn[k] * out->turn[k] + out->turn[3 + k] * out->turn[3 + k] + out->turn[6 + k] * out->turn[6 + k]);
    if (!(length > 0) || !isfinite(length)) return dv_voxels_fail(error, "axis %d has no direction", k + 1);
    out->size[k] = length;
    for (int i = 0; i < 3; i++) out->turn[3 * i + k] /= length;
  }
  return DV_OK;
}

// how far apart two layouts place a voxel, at most: at one of the corners
static double apart(const dvVoxelLayout *a, const dvVoxelLayout *b)
{
  double most = 0;
  for (int c = 0; c < 8; c++) {
    double squares = 0;
    for (int i = 0; i < 3; i++) {
      double d = a->origin[i] - b->origin[i];
      for (int k = 0; k < 3; k++)
        if (c >> k & 1) d += (a->n[k] - 1) * (a->turn[3 * i + k] * a->size[k] - b->turn[3 * i + k] * b->size[k]);
      squares += d * d;
    }
    most = fmax(most, isfinite(squares) ? sqrt(squares) : INFINITY);
  }
  return most;
}

// a matrix stands before the quaternion and the sizes; what these say else is told
static void compare_places(const Header *h, bool quaternion, const dvVoxelLayout *sizes, dvVoxelLayout *out)
{
  double smallest = fmin(out->size[0], fmin(out->size[1], out->size[2])), way = INFINITY;
  bool same = true;
  dvVoxelLayout other = *sizes;
  for (int k = 0; k < 3; k++) same &= fabs(fabs(sizes->size[k]) - out->size[k]) <= 1e-3 * out->size[k];
  if (quaternion) {
    for (int k = 0; k < 3; k++) other.size[k] = fabs(other.size[k]);
    place_by_quaternion(h, &other);
    way = apart(&other, out);
    if (!isfinite(way)) dv_voxels_tell(out, "its quaternion (qform) is not finite: the matrix (sform) is used");
    else if (way > 0.1 * smallest)
      dv_voxels_tell(
          out, "its matrix (sform) and its quaternion (qform) place voxels up to %.3g apart: the matrix is used", way);
  }
  if (!same)
    dv_voxels_tell(out,
                   "its voxels are %g x %g x %g by their sizes (pixdim), %g x %g x %g by the matrix (sform): the "
                   "matrix is used",
                   sizes->size[0], sizes->size[1], sizes->size[2], out->size[0], out->size[1], out->size[2]);
}

// directions, sizes and the place of the first voxel's corner
static dvStatus read_place(const Header *h, dvVoxelLayout *out, dvMeshError *error)
{
  bool matrix = whole(h, 254, 2, 348, 4) > 0, quaternion = whole(h, 252, 2, 344, 4) > 0;
  const dvVoxelLayout sizes = *out;
  for (int k = 0; k < 9; k++) out->turn[k] = k % 4 == 0;
  if (matrix) {
    DV_TRY(place_by_matrix(h, out, error));
    compare_places(h, quaternion, &sizes, out);
  }
  for (int k = 0; k < 3; k++)
    if (!dv_voxels_mend_size(out, k))
      return dv_voxels_fail(error, "the size of a voxel along axis %d is not finite", k + 1);
  if (!matrix && quaternion) place_by_quaternion(h, out);
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) out->origin[i] -= out->turn[3 * i + k] * out->size[k] / 2;
  for (int k = 0; k < 9; k++)
    if (!isfinite(out->turn[k]) || !isfinite(out->origin[k / 3]))
      return dv_voxels_fail(error, "the place of the image is not finite");
  return DV_OK;
}

dvStatus dv_nifti_read_header(const char *bytes, size_t length, dvVoxelLayout *out, dvMeshError *error)
{
  *out = (dvVoxelLayout){0};
  Header h;
  DV_TRY(find_version(bytes, length, &h, error));
  DV_TRY(read_type(&h, out, error));
  DV_TRY(read_sizes(&h, out, error));
  DV_TRY(read_place(&h, out, error));
  static const double units[] = {0, 1, 1e-3, 1e-6};
  int unit = (int)(h.second ? whole_at(&h, 500, 4) : h.at[123]) & 7;
  out->unit = unit < 4 ? units[unit] : 0;
  out->slope = real(&h, 112, 176), out->base = real(&h, 116, 184);
  if (!isfinite(out->slope) || !isfinite(out->base)) out->slope = out->base = 0;
  double begin = h.second ? (double)whole_at(&h, 168, 8) : real_at(&h, 108, 4);
  int size = h.second ? LONG_HEADER : SHORT_HEADER;
  if (begin == 0) begin = size + 4;   // not told: behind the header, and four bytes that say what else follows it
  if (!(begin >= size && begin < (double)dv_file_limit()))
    return dv_voxels_fail(error, "a header of %g bytes cannot be read", begin);
  out->header = (int64_t)begin;
  out->big_endian = h.big;
  return DV_OK;
}

// --- files ---------------------------------------------------------------------------------------

// Unpacks what gzip has packed, in one piece or several: at most `room` bytes. *got is how many there are, *whole says
// that nothing is damaged or missing: with `to_the_end` also behind these bytes, up to the check sum.
static char *unpack(const char *bytes, size_t length, size_t room, bool to_the_end, size_t *got, bool *whole)
{
  char *out = room / 1100 > length ? NULL : dv_try_alloc(room + 1), rest[256];   // it packs at most so well
  z_stream z = {.next_in = (Bytef *)bytes, .avail_in = (uInt)dv_min_size(length, UINT32_MAX)};
  *got = 0;
  *whole = false;
  if (!out || inflateInit2(&z, 16 + MAX_WBITS) != Z_OK) {
    dv_free(out);
    return NULL;
  }
  int status = Z_OK;
  size_t behind = 0;
  while (status == Z_OK && (*got < room || to_the_end)) {
    bool beyond = *got == room;
    z.next_out = beyond ? (Bytef *)rest : (Bytef *)out + *got;
    z.avail_out = beyond ? sizeof rest : (uInt)dv_min_size(room - *got, 1u << 30);
    uInt before = z.avail_out, left = z.avail_in;
    status = inflate(&z, Z_NO_FLUSH);
    *(beyond ? &behind : got) += before - z.avail_out;
    to_the_end &= behind < MOST_BEYOND;   // what else is in the file may be endless
    if (status == Z_STREAM_END && z.avail_in > 1 && z.next_in[0] == 0x1f && z.next_in[1] == 0x8b)
      status = inflateReset(&z);
    if (before == z.avail_out && left == z.avail_in && status == Z_OK) break;
  }
  *whole = status == Z_STREAM_END || (status == Z_OK && *got == room && !to_the_end);
  inflateEnd(&z);
  return out;
}

static dvStatus damaged(dvMeshError *error)
{
  return dv_voxels_fail(error, "the compressed file is damaged, or cut short: copy it again");
}

dvStatus dv_nifti_decode(const char *bytes, size_t length, dvVoxels *out, dvMeshError *error)
{
  *out = (dvVoxels){0};
  dvVoxelLayout layout;
  bool packed = length >= 2 && memcmp(bytes, "\x1f\x8b", 2) == 0;
  if (!packed) {
    DV_TRY(dv_nifti_read_header(bytes, length, &layout, error));
    return dv_voxels_decode(&layout, bytes, length, out, error);
  }
  size_t got;
  bool whole;
  char *head = unpack(bytes, length, LONG_HEADER, false, &got, &whole);
  dvStatus status =
      head && (whole || got >= SHORT_HEADER) ? dv_nifti_read_header(head, got, &layout, error) : damaged(error);
  dv_free(head);
  DV_TRY(status);
  double wanted = (double)layout.n[0] * layout.n[1] * layout.n[2] * dv_voxel_bytes(layout.type) + (double)layout.header;
  if (!(wanted < 8 * (double)dv_file_limit()))
    return dv_voxels_fail(error, "%d x %d x %d voxels are too many", layout.n[0], layout.n[1], layout.n[2]);
  char *all = unpack(bytes, length, (size_t)wanted, true, &got, &whole);
  if (!all) return dv_voxels_fail(error, "the compressed file is damaged, or shorter than its header says");
  status = whole ? dv_voxels_decode(&layout, all, got, out, error) : damaged(error);
  dv_free(all);
  return status;
}

// --- writing -------------------------------------------------------------------------------------

static void put(char *at, const void *value, size_t bytes) { memcpy(at, value, bytes); }
static void put_short(char *at, int value) { put(at, &(int16_t){(int16_t)value}, 2); }
static void put_float(char *at, double value) { put(at, &(float){(float)value}, 4); }

static void fill_header(char *h, const dvVoxelLayout *l)
{
  put(h, &(int32_t){SHORT_HEADER}, 4);
  put_short(h + 40, 3);
  for (int k = 0; k < 7; k++) put_short(h + 42 + 2 * k, k < 3 ? l->n[k] : 1);
  put_short(h + 70, 2);
  put_short(h + 72, 8);
  for (int k = 0; k < 8; k++) put_float(h + 76 + 4 * k, k >= 1 && k <= 3 ? l->size[k - 1] : 1);
  put_float(h + 108, SHORT_HEADER + 4);
  h[123] = l->unit == 1 ? 1 : l->unit == 1e-6 ? 3 : l->unit == 1e-3 ? 2 : 0;
  put_short(h + 254, 1);
  bool told = false;
  for (int k = 0; k < 9; k++) told |= l->turn[k] != 0;
  for (int i = 0; i < 3; i++) {
    double centre = l->origin[i];
    for (int k = 0; k < 3; k++) {
      double column = (told ? l->turn[3 * i + k] : i == k) * l->size[k];
      put_float(h + 280 + 16 * i + 4 * k, column);
      centre += column / 2;
    }
    put_float(h + 292 + 16 * i, centre);
  }
  memcpy(h + 344, "n+1", 4);
}

// in one piece, as gzip packs; without a time, so that the same image gives the same bytes
static char *pack(const char *bytes, size_t length, size_t *packed)
{
  z_stream z = {.next_in = (Bytef *)bytes, .avail_in = (uInt)length};
  if (length > UINT32_MAX || deflateInit2(&z, 9, Z_DEFLATED, 16 + MAX_WBITS, 9, Z_DEFAULT_STRATEGY) != Z_OK)
    return NULL;
  size_t room = deflateBound(&z, length) + 64;
  char *out = dv_try_alloc(room);
  z.next_out = (Bytef *)out;
  z.avail_out = (uInt)room;
  bool good = out && deflate(&z, Z_FINISH) == Z_STREAM_END;
  *packed = room - z.avail_out;
  deflateEnd(&z);
  if (good) return out;
  dv_free(out);
  return NULL;
}

dvStatus dv_nifti_write(const char *path, const dvVoxelLayout *layout, const uint8_t *values, dvMeshError *error)
{
  const int32_t *n = layout->n;
  for (int k = 0; k < 3; k++)
    if (n[k] < 1 || n[k] > INT16_MAX) return dv_voxels_fail(error, "%d voxels along an axis cannot be written", n[k]);
  size_t voxels = (size_t)n[0] * (size_t)n[1] * (size_t)n[2], length = SHORT_HEADER + 4 + voxels;
  char *bytes = dv_try_alloc(length);
  if (!bytes) return dv_voxels_fail(error, "out of memory for %zu voxels", voxels);
  fill_header(bytes, layout);
  memcpy(bytes + SHORT_HEADER + 4, values, voxels);
  if (dv_ends_with_nocase(path, ".gz")) {
    char *packed = pack(bytes, length, &length);
    dv_free(bytes);
    bytes = packed;
  }
  dvStatus status = bytes ? dv_file_replace(path, bytes, length) : DV_ERROR_INPUT;
  dv_free(bytes);
  return status == DV_OK ? DV_OK : dv_voxels_fail(error, "it cannot be written");
}

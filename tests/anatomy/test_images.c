// Images of labels: NIfTI in both versions, both byte orders, packed and not, with matrix and quaternion; what is
// damaged is refused; surfaces are closed, look outwards, are near the truth and have the volume of their voxels.
#include "support/check.h"

#include "anatomy/surface.h"
#include "base/file.h"
#include "topology/search/rays.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

// --- NIfTI ---------------------------------------------------------------------------------------

typedef struct Bytes {
  unsigned char b[2048];
  bool big;
} Bytes;

static void put(Bytes *f, int at, const void *value, int bytes)
{
  const unsigned char *v = value;
  for (int i = 0; i < bytes; i++) f->b[at + i] = v[f->big ? bytes - 1 - i : i];
}
static void put_short(Bytes *f, int at, int v) { put(f, at, &(int16_t){(int16_t)v}, 2); }
static void put_int(Bytes *f, int at, int v) { put(f, at, &(int32_t){v}, 4); }
static void put_long(Bytes *f, int at, int64_t v) { put(f, at, &v, 8); }
static void put_float(Bytes *f, int at, double v) { put(f, at, &(float){(float)v}, 4); }
static void put_double(Bytes *f, int at, double v) { put(f, at, &v, 8); }

// 2 x 3 x 4 numbers of two bytes, 0 to 23, by hand
static size_t make_first(Bytes *f, bool big)
{
  *f = (Bytes){.big = big};
  put_int(f, 0, 348);
  const int dim[8] = {3, 2, 3, 4, 1, 1, 1, 1};
  for (int k = 0; k < 8; k++) put_short(f, 40 + 2 * k, dim[k]);
  put_short(f, 70, 4);
  for (int k = 0; k < 4; k++) put_float(f, 76 + 4 * k, k ? 0.5 * k : 1);
  put_float(f, 108, 352);
  f->b[123] = 2;
  memcpy(f->b + 344, "n+1", 4);
  for (int i = 0; i < 24; i++) put_short(f, 352 + 2 * i, i);
  return 352 + 48;
}

static dvStatus decode(const Bytes *f, size_t length, dvVoxels *v, dvMeshError *error)
{
  // exactly as long, so that a sanitizer sees what is read behind it
  char *copy = malloc(length + 1);
  memcpy(copy, f->b, length);
  dvStatus status = dv_nifti_decode(copy, length, v, error);
  free(copy);
  return status;
}

static void both_byte_orders(void **state)
{
  DV_UNUSED(state);
  for (int big = 0; big < 2; big++) {
    Bytes f;
    dvVoxels v;
    dvMeshError error = {0};
    size_t length = make_first(&f, big);
    assert_int_equal(decode(&f, length, &v, &error), DV_OK);
    assert_int_equal(v.n[0] * 100 + v.n[1] * 10 + v.n[2], 234);
    for (int i = 0; i < 24; i++) assert_true(v.values.data[i] == (float)i);
    for (int k = 0; k < 3; k++) {
      check_close(v.size[k], 0.5 * (k + 1), 0);
      check_close(v.origin[k], -0.25 * (k + 1), 1e-12);   // the middle of the first voxel is at 0
    }
    check_close(v.unit, 1e-3, 0);
    dv_voxels_free(&v);
  }
}

// some writers leave 0 where the numbers begin
static void numbers_begin_behind_the_header(void **state)
{
  DV_UNUSED(state);
  Bytes f;
  dvVoxels v;
  dvMeshError error = {0};
  size_t length = make_first(&f, false);
  put_float(&f, 108, 0);
  assert_int_equal(decode(&f, length, &v, &error), DV_OK);
  for (int i = 0; i < 24; i++) assert_true(v.values.data[i] == (float)i);
  dv_voxels_free(&v);
}

static void numbers_have_a_scale(void **state)
{
  DV_UNUSED(state);
  Bytes f;
  dvVoxels v;
  dvMeshError error = {0};
  size_t length = make_first(&f, false);
  put_float(&f, 112, 2);
  put_float(&f, 116, -3);
  assert_int_equal(decode(&f, length, &v, &error), DV_OK);
  for (int i = 0; i < 24; i++) assert_true(v.values.data[i] == 2.0f * (float)i - 3);
  dv_voxels_free(&v);
}

// the matrix, and the quaternion of the same rotation by 90 degrees about z with the third axis turned around
static void places_by_matrix_and_quaternion(void **state)
{
  DV_UNUSED(state);
  for (int way = 0; way < 2; way++) {
    Bytes f;
    dvVoxels v;
    dvMeshError error = {0};
    size_t length = make_first(&f, false);
    const double column[3][3] = {{0, 0.5, 0}, {-1, 0, 0}, {0, 0, -1.5}}, at[3] = {10, 20, 30};
    if (way == 0) {
      put_short(&f, 254, 1);
      for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) put_float(&f, 280 + 16 * i + 4 * k, column[k][i]);
        put_float(&f, 292 + 16 * i, at[i]);
      }
    } else {
      put_short(&f, 252, 1);
      put_float(&f, 76, -1);
      put_float(&f, 264, sqrt(0.5));
      for (int i = 0; i < 3; i++) put_float(&f, 268 + 4 * i, at[i]);
    }
    assert_int_equal(decode(&f, length, &v, &error), DV_OK);
    for (int i = 0; i < 3; i++) {
      double corner = at[i];
      for (int k = 0; k < 3; k++) {
        check_close(v.turn[3 * i + k] * v.size[k], column[k][i], 1e-6);
        corner -= column[k][i] / 2;
      }
      check_close(v.origin[i], corner, 1e-5);
    }
    dv_voxels_free(&v);
  }
}

static void the_second_version(void **state)
{
  DV_UNUSED(state);
  Bytes f = {.big = false};
  dvVoxels v;
  dvMeshError error = {0};
  put_int(&f, 0, 540);
  memcpy(f.b + 4, "n+2\0\r\n\032\n", 8);
  put_short(&f, 12, 1024);   // whole numbers of eight bytes
  for (int k = 0; k < 8; k++) put_long(&f, 16 + 8 * k, k == 0 ? 3 : k <= 3 ? 2 : 1);
  for (int k = 1; k < 4; k++) put_double(&f, 104 + 8 * k, 2);
  put_long(&f, 168, 544);
  put_int(&f, 348, 1);
  for (int i = 0; i < 3; i++) {
    put_double(&f, 400 + 40 * i, 2);
    put_double(&f, 424 + 32 * i, 7);
  }
  put_int(&f, 500, 1);
  for (int i = 0; i < 8; i++) put_long(&f, 544 + 8 * i, 3 - i);
  assert_int_equal(decode(&f, 544 + 64, &v, &error), DV_OK);
  for (int i = 0; i < 8; i++) assert_true(v.values.data[i] == (float)(3 - i));
  for (int k = 0; k < 3; k++) check_close(v.origin[k], 6, 1e-12);
  check_close(v.unit, 1, 0);
  dv_voxels_free(&v);
}

static void expect_told(const char *told, const char *words)
{
  if (*words ? !strstr(told, words) : *told) print_error("'%s' is told instead of '%s'\n", told, words);
  assert_true(*words ? strstr(told, words) != NULL : !*told);
}

// what a header leaves open or says twice is told, and the rest of it is used
static void odd_sizes_are_told(void **state)
{
  DV_UNUSED(state);
  static const struct {
    double second;       // size of a voxel along the second axis, 1 where it is right
    double matrix[2];    // of the matrix: its size along the first axis (0.5 is right), place along z; 0: there is none
    double quaternion;   // place along z; 0: there is none
    double size;         // that is taken along the second axis
    const char *told;
  } cases[] = {
      {1, {0, 0}, 0, 1, ""},
      {0, {0, 0}, 0, 1, "the size of a voxel along axis 2 is 0: 1 is taken"},
      {-3, {0, 0}, 0, 3, "the size of a voxel along axis 2 is -3: 3 is taken"},
      {0,
       {0.5, 7},
       0,
       1,
       "0.5 x 0 x 1.5 by their sizes (pixdim), 0.5 x 1 x 1.5 by the matrix (sform): the matrix is used"},
      {NAN, {0.5, 7}, 0, 1, "by the matrix (sform): the matrix is used"},
      {1, {0.25, 7}, 0, 1, "0.25 x 1 x 1.5 by the matrix (sform): the matrix is used"},
      {1, {0.5, 7}, 7, 1, ""},
      {1, {0.5, 7}, 7.01, 1, ""},   // less than a tenth of a voxel
      {1, {0.5, 7}, 12, 1, "(sform) and its quaternion (qform) place voxels up to 5 apart: the matrix is used"},
      {1, {0.5, 7}, NAN, 1, "its quaternion (qform) is not finite"},
  };
  for (size_t i = 0; i < DV_COUNT(cases); i++) {
    Bytes f;
    dvVoxels v;
    dvMeshError error = {0};
    size_t length = make_first(&f, false);
    put_float(&f, 84, cases[i].second);
    if (cases[i].matrix[0] > 0) {
      put_short(&f, 254, 1);
      for (int k = 0; k < 3; k++) put_float(&f, 280 + 20 * k, k ? 0.5 * (k + 1) : cases[i].matrix[0]);
      put_float(&f, 292 + 32, cases[i].matrix[1]);
    }
    if (cases[i].quaternion != 0) put_short(&f, 252, 1), put_float(&f, 276, cases[i].quaternion);
    assert_int_equal(decode(&f, length, &v, &error), DV_OK);
    expect_told(v.told, cases[i].told);
    check_close(v.size[1], cases[i].size, 0);
    if (cases[i].matrix[0] > 0) check_close(v.origin[2], 7 - 0.75, 1e-6);
    dv_voxels_free(&v);
  }
}

static void refuse(const Bytes *f, size_t length, const char *why)
{
  dvVoxels v;
  dvMeshError error = {0};
  assert_int_equal(decode(f, length, &v, &error), DV_ERROR_INPUT);
  if (!strstr(error.text, why)) print_error("'%s' does not tell of '%s'\n", error.text, why);
  assert_non_null(strstr(error.text, why));
  assert_int_equal(v.values.count, 0);
}

static void damaged_ones_are_refused(void **state)
{
  DV_UNUSED(state);
  Bytes f;
  size_t length = make_first(&f, false);
  for (size_t n = 0; n < length; n++) refuse(&f, n, "");
  put_short(&f, 42, 30000), put_short(&f, 44, 30000), put_short(&f, 46, 30000);
  refuse(&f, length, "more than");
  make_first(&f, false), put_float(&f, 108, 4.2e9);
  refuse(&f, length, "a header of");
  make_first(&f, false), put_float(&f, 108, NAN);
  refuse(&f, length, "a header of");
  make_first(&f, false), put_float(&f, 80, NAN);
  refuse(&f, length, "the size of a voxel along axis 1 is not finite");
  make_first(&f, false), put_short(&f, 42, 0);
  refuse(&f, length, "0 voxels along axis 1");
  make_first(&f, false), put_short(&f, 40, 9);
  refuse(&f, length, "9 dimensions");
  make_first(&f, false), put_short(&f, 40, 4), put_short(&f, 48, 5);
  refuse(&f, length, "5 images");
  make_first(&f, false), put_short(&f, 70, 128);
  refuse(&f, length, "type 128");
  make_first(&f, false), memcpy(f.b + 344, "ni1", 4);
  refuse(&f, length, "two files");
  make_first(&f, false), put_short(&f, 254, 1);
  refuse(&f, length, "axis 1 has no direction");
}

static void what_is_written_is_read(void **state)
{
  DV_UNUSED(state);
  char *directory = check_mkdir();
  const dvVoxelLayout l = {
      .n = {5, 4, 3}, .size = {1, 2, 3}, .origin = {-4, 5, 6}, .unit = 1e-3, .turn = {0, -1, 0, 1, 0, 0, 0, 0, 1}};
  uint8_t bytes[60];
  for (int i = 0; i < 60; i++) bytes[i] = (uint8_t)(i * 7 % 250);
  static const char *const names[] = {"a.nii", "a.nii.gz"};
  for (int i = 0; i < 2; i++) {
    char *path = dv_path_join(directory, names[i]);
    dvVoxels v;
    dvMeshError error = {0};
    assert_int_equal(dv_nifti_write(path, &l, bytes, &error), DV_OK);
    assert_int_equal(dv_voxels_read(path, NULL, &v, &error), DV_OK);
    for (int k = 0; k < 60; k++) assert_true(v.values.data[k] == bytes[k]);
    for (int k = 0; k < 9; k++) check_close(v.turn[k], l.turn[k], 1e-6);
    for (int k = 0; k < 3; k++) check_close(v.origin[k], l.origin[k], 1e-5);
    for (int k = 0; k < 3; k++) check_close(v.size[k], l.size[k], 1e-6);
    dv_voxels_free(&v);
    // packed files that are cut short are told, wherever they end
    size_t length;
    char *content = dv_file_read(path, &length);
    for (size_t n = 0; n < length - 1; n += 3) {
      char *part = malloc(n + 1);
      memcpy(part, content, n);
      assert_int_equal(dv_nifti_decode(part, n, &v, &error), DV_ERROR_INPUT);
      free(part);
    }
    dv_free(content);
    dv_free(path);
  }
  check_rmdir(directory);
}

static void meta_images_have_directions(void **state)
{
  DV_UNUSED(state);
  static const char text[] =
      "NDims = 3\nDimSize = 2 1 1\nElementSpacing = 1 2 3\nOffset = 1 2 3\n"
      "TransformMatrix = 0 1 0 -1 0 0 0 0 1\nElementType = MET_UCHAR\nElementDataFile = LOCAL\nab";
  dvVoxelLayout l;
  dvVoxels v;
  size_t used;
  dvMeshError error = {0};
  assert_int_equal(dv_voxels_read_header(text, sizeof text - 1, &l, &used, &error), DV_OK);
  assert_int_equal(dv_voxels_decode(&l, text + used, sizeof text - 1 - used, &v, &error), DV_OK);
  const double turn[9] = {0, -1, 0, 1, 0, 0, 0, 0, 1};   // the first axis points along y
  for (int k = 0; k < 9; k++) check_close(v.turn[k], turn[k], 0);
  const double corner[3] = {1 + 1, 2 - 0.5, 3 - 1.5};   // the offset is the middle of the first voxel
  for (int k = 0; k < 3; k++) check_close(v.origin[k], corner[k], 1e-15);
  dv_voxels_free(&v);
}

// 100 and a number that is large or negative, of all types, in both byte orders, packed and not
static void meta_images_of_all_types(void **state)
{
  DV_UNUSED(state);
  static const struct {
    const char *name;
    int bytes;
    uint64_t bits[2];
  } types[] = {{"MET_UCHAR", 1, {100, 200}},
               {"MET_CHAR", 1, {100, 256 - 5}},
               {"MET_USHORT", 2, {100, 300}},
               {"MET_SHORT", 2, {100, 65536 - 5}},
               {"MET_UINT", 4, {100, 300}},
               {"MET_INT", 4, {100, 0xfffffffb}},
               {"MET_ULONG", 4, {100, 300}},
               {"MET_LONG", 4, {100, 0xfffffffb}},
               {"MET_ULONG_LONG", 8, {100, 300}},
               {"MET_LONG_LONG", 8, {100, 0xfffffffffffffffb}},
               {"MET_FLOAT", 4, {0x42c80000, 0xc0a00000}},
               {"MET_DOUBLE", 8, {0x4059000000000000, 0xc014000000000000}}};
  for (size_t i = 0; i < 4 * DV_COUNT(types); i++) {
    size_t t = i / 4;
    bool big = i & 1, packed = i & 2;
    uint8_t raw[16], file[600];
    for (int n = 0; n < 2; n++)
      for (int b = 0; b < types[t].bytes; b++)
        raw[n * types[t].bytes + (big ? types[t].bytes - 1 - b : b)] = (uint8_t)(types[t].bits[n] >> 8 * b);
    int head = snprintf((char *)file, sizeof file,
                        "NDims = 3\nDimSize = 2 1 1\nElementSpacing = 1 1 1\nBinaryDataByteOrderMSB = %s\n"
                        "CompressedData = %s\nElementType = %s\nElementDataFile = LOCAL\n",
                        big ? "True" : "False", packed ? "True" : "False", types[t].name);
    uLongf room = sizeof file - (size_t)head;
    if (packed) assert_int_equal(compress(file + head, &room, raw, 2 * (uLong)types[t].bytes), Z_OK);
    else memcpy(file + head, raw, room = 2 * (uLong)types[t].bytes);
    dvVoxelLayout l;
    dvVoxels v;
    size_t used;
    dvMeshError error = {0};
    assert_int_equal(dv_voxels_read_header((char *)file, (size_t)head + room, &l, &used, &error), DV_OK);
    assert_int_equal(dv_voxels_decode(&l, (char *)file + used, room, &v, &error), DV_OK);
    float second = strchr(types[t].name, 'U') == types[t].name + 4 ? (float)types[t].bits[1] : -5;
    assert_true(v.values.data[0] == 100 && v.values.data[1] == second);
    dv_voxels_free(&v);
  }
}

static void odd_meta_images_are_told(void **state)
{
  DV_UNUSED(state);
  static const struct {
    const char *lines, *told;
    double size, turn;   // along the second axis
  } cases[] = {
      {"ElementSpacing = 1 2 3", "", 2, 1},
      {"ElementSpacing = 1 0 3", "along axis 2 is 0: 1 is taken", 1, 1},
      {"ElementSpacing = 1 -2 3", "along axis 2 is -2: 2 is taken", 2, 1},
      {"ElementSize = 1 4 3", "", 4, 1},
      {"ElementSize = 1 4 3\nElementSpacing = 1 2 3", "", 2, 1},
      {"Comment = none", "ElementSpacing is missing: voxels of 1 are taken", 1, 1},
      {"ElementSpacing = 1 2 3\nOffset = 1 2 3\nPosition = 1 2 3", "", 2, 1},
      {"ElementSpacing = 1 2 3\nOffset = 0 0 0\nPosition = 1 2 3", "that of Position is taken", 2, 1},
      {"ElementSpacing = 1 2 3\nRotation = 1 0 0 0 1 0 0 0 1\nTransformMatrix = 1 0 0 0 -1 0 0 0 1",
       "those of TransformMatrix are taken", 2, -1},
      {"ElementSpacing = 1 2 3\nRotation = 1 0 0 0 -4 0 0 0 1", "axis 2 has the length 4: 1 is taken", 2, -1},
      {"ElementSpacing = 1 nan 3", NULL, 0, 0},
      {"ElementSpacing = 1 2 3\nRotation = 1 0 0 0 0 0 0 0 1", NULL, 0, 0},
      {"ElementSpacing = 1 2 3\nBinaryData = False", NULL, 0, 0},
  };
  for (size_t i = 0; i < DV_COUNT(cases); i++) {
    char *text = dv_format("NDims = 3\nDimSize = 2 1 1\n%s\nElementType = MET_UCHAR\nElementDataFile = LOCAL\nab",
                           cases[i].lines);
    dvVoxelLayout l;
    dvVoxels v;
    size_t used;
    dvMeshError error = {0};
    dvStatus status = dv_voxels_read_header(text, strlen(text), &l, &used, &error);
    assert_int_equal(status, cases[i].told ? DV_OK : DV_ERROR_INPUT);
    if (status == DV_OK) {
      assert_int_equal(dv_voxels_decode(&l, text + used, strlen(text) - used, &v, &error), DV_OK);
      expect_told(v.told, cases[i].told);
      check_close(v.size[1], cases[i].size, 0);
      check_close(v.turn[4], cases[i].turn, 0);
      dv_voxels_free(&v);
    } else assert_true(error.text[0]);
    dv_free(text);
  }
}

// --- labels --------------------------------------------------------------------------------------

// an image of bytes with voxels of 1 x 1 x 2 mm; the caller frees it
static dvVoxels image_of(int n, int (*label)(dvVec3))
{
  dvVoxels v = {.n = {n, n, n / 2}, .size = {1, 1, 2}, .turn = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .unit = 1e-3};
  for (int z = 0; z < v.n[2]; z++)
    for (int y = 0; y < n; y++)
      for (int x = 0; x < n; x++)
        dv_push(&v.values, (float)label(dv_vec3(x + 0.5 - n / 2.0, y + 0.5 - n / 2.0, 2 * z + 1 - n / 2.0)));
  return v;
}

static int ball_and_bits(dvVec3 x)
{
  if (dv_vec3_norm(x) < 14) return 1;
  return fabs(x.x - 18) < 1.1 && fabs(x.y) < 1.1 && fabs(x.z) < 2.1 ? 1 : 0;
}
static int shell(dvVec3 x) { return dv_vec3_norm(x) < 14 && dv_vec3_norm(x) > 6 ? 7 : 0; }

static void bits_and_hollows(void **state)
{
  DV_UNUSED(state);
  dvVoxels v = image_of(40, ball_and_bits);
  dvMask m;
  dvMeshError error = {0};
  size_t parts, dropped, filled;
  assert_int_equal(dv_mask_of_label(&m, &v, 1e-3, 1, 1, &error), DV_OK);
  size_t all = m.count;
  assert_true(dv_mask_keep_parts(&m, false, 1, &parts, &dropped));
  assert_int_equal(parts, 2);
  assert_int_equal(dropped + m.count, all);
  assert_int_equal(dropped, 8);
  size_t labelled = 0;
  for (size_t i = 0; i < v.values.count; i++) labelled += v.values.data[i] == 1;
  check_close(dv_mask_volume(&m), (double)(labelled - 8) * 2e-9, 1e-15);
  assert_int_equal(dv_mask_loops(&m), 0);
  dv_mask_free(&m);
  assert_int_equal(dv_mask_of_label(&m, &v, 1e-3, 3, 1, &error), DV_ERROR_INPUT);
  assert_non_null(strstr(error.text, "no voxel has the label 3"));
  dv_voxels_free(&v);

  v = image_of(40, shell);
  int32_t labels[4];
  assert_int_equal(dv_labels_list(&v, labels, 4), 1);
  assert_int_equal(labels[0], 7);
  assert_int_equal(dv_mask_of_label(&m, &v, 1e-3, 7, 1, &error), DV_OK);
  assert_int_equal(dv_mask_loops(&m), 0);
  all = m.count;
  assert_true(dv_mask_fill_hollows(&m, &filled));
  assert_true(filled > 300);
  assert_int_equal(m.count, all + filled);
  dv_mask_free(&m);
  dv_voxels_free(&v);
}

static void images_without_labels_are_refused(void **state)
{
  DV_UNUSED(state);
  dvVoxels v = image_of(10, shell);
  dvMeshError error = {0};
  assert_int_equal(dv_labels_check(&v, 1e-3, &error), DV_OK);
  v.values.data[17] = NAN;
  assert_int_equal(dv_labels_check(&v, 1e-3, &error), DV_ERROR_INPUT);
  assert_non_null(strstr(error.text, "1 voxels are not numbers"));
  v.values.data[17] = 0.5f;
  assert_int_equal(dv_labels_check(&v, 1e-3, &error), DV_ERROR_INPUT);
  assert_non_null(strstr(error.text, "whole numbers"));
  v.values.data[17] = 0;
  v.turn[1] = 0.5;
  assert_int_equal(dv_labels_check(&v, 1e-3, &error), DV_ERROR_INPUT);
  assert_non_null(strstr(error.text, "right angles"));
  v.turn[1] = 0;
  v.origin[2] = -1e20;
  assert_int_equal(dv_labels_check(&v, 1e-3, &error), DV_ERROR_INPUT);
  assert_non_null(strstr(error.text, "its place is wrong"));
  v.origin[2] = 0;
  assert_int_equal(dv_labels_check(&v, 0, &error), DV_ERROR_INPUT);
  v.size[1] = 1e9;
  assert_int_equal(dv_labels_check(&v, 1e-3, &error), DV_ERROR_INPUT);
  dv_voxels_free(&v);
}

// --- surfaces ------------------------------------------------------------------------------------

static void check_skin(const dvSkin *s, double volume)
{
  assert_int_equal(dv_surface_open_edges(s->triangles.data, s->triangles.count / 3, NULL, 0, NULL), 0);
  check_close(dv_skin_volume(s) / volume, 1, 1e-10);
  assert_int_equal((long)s->x.count / 3 - (long)s->triangles.count / 6, 2);   // the shape of a ball
}

// voxels of 1 x 1 x 2 mm, alone and two or three of them in a cell; mirrored too
static void a_ball_stays_round_and_keeps_its_volume(void **state)
{
  DV_UNUSED(state);
  const int cells[3][3] = {{1, 1, 1}, {2, 2, 1}, {3, 3, 2}};
  for (int n = 0; n < 6; n++) {
    dvVoxels v = image_of(40, ball_and_bits);
    if (n >= 3) v.turn[0] = -1;
    dvMask m;
    dvSkin s;
    dvMeshError error = {0};
    size_t parts, dropped;
    assert_int_equal(dv_mask_of_label(&m, &v, 1e-3, 1, 1, &error), DV_OK);
    assert_true(dv_mask_keep_parts(&m, false, 1, &parts, &dropped));
    assert_true(dv_skin_of_mask(&s, &m, cells[n % 3], 20));
    check_skin(&s, dv_mask_volume(&m));
    dvVec3 middle = dv_vec3(n >= 3 ? -0.02 : 0.02, 0.02, 0.02);
    double worst = 0, mean = 0, rough = 0, radius = cbrt(dv_mask_volume(&m) * 3 / (4 * M_PI));
    for (size_t i = 0; i < s.x.count; i += 3) {
      double off = fabs(dv_vec3_norm(dv_vec3_sub(dv_vec3_load(s.x.data + i), middle)) - radius);
      worst = fmax(worst, off);
      mean += off / ((double)s.x.count / 3);
    }
    dvSkin raw;
    assert_true(dv_skin_of_mask(&raw, &m, cells[n % 3], 0));
    for (size_t i = 0; i < raw.x.count; i += 3)
      rough +=
          fabs(dv_vec3_norm(dv_vec3_sub(dv_vec3_load(raw.x.data + i), middle)) - radius) / ((double)raw.x.count / 3);
    print_message("%d x %d x %d voxels: mean %.2f of 2 mm, worst %.2f, not smoothed %.2f\n", cells[n % 3][0],
                  cells[n % 3][1], cells[n % 3][2], mean / 2e-3, worst / 2e-3, rough / 2e-3);
    assert_true(mean < 0.25 * 2e-3 && worst < 2e-3);   // the largest side of a voxel is 2 mm
    if (n % 3 == 0) assert_true(mean < rough);         // larger cells have no steps: they are filled in parts
    dv_skin_free(&raw);
    dv_skin_free(&s);
    dv_mask_free(&m);
    dv_voxels_free(&v);
  }
}

// the surface of voxels becomes voxels again
static void surfaces_become_voxels(void **state)
{
  DV_UNUSED(state);
  dvVoxels v = image_of(40, ball_and_bits);
  dvMask m, again;
  dvSkin s;
  dvMeshError error = {0};
  size_t parts, dropped;
  assert_int_equal(dv_mask_of_label(&m, &v, 1e-3, 1, 1, &error), DV_OK);
  assert_true(dv_mask_keep_parts(&m, false, 1, &parts, &dropped));
  assert_true(dv_skin_of_mask(&s, &m, (const int[3]){1, 1, 1}, 20));
  dvMesh mesh = {.positions = {s.x.data, s.x.count, s.x.count},
                 .triangles = {s.triangles.data, s.triangles.count, s.triangles.count}};
  assert_int_equal(dv_mask_of_surface(&again, &mesh, 1e-3, 1, &error), DV_OK);
  check_close(dv_mask_volume(&again) / dv_mask_volume(&m), 1, 0.005);
  assert_int_equal(dv_mask_loops(&again), 0);
  dv_mask_free(&again);
  assert_int_equal(dv_mask_of_surface(&again, &mesh, 1e-9, 1, &error), DV_ERROR_INPUT);
  dv_skin_free(&s);
  dv_mask_free(&m);
  dv_voxels_free(&v);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(both_byte_orders),
      cmocka_unit_test(numbers_begin_behind_the_header),
      cmocka_unit_test(numbers_have_a_scale),
      cmocka_unit_test(places_by_matrix_and_quaternion),
      cmocka_unit_test(the_second_version),
      cmocka_unit_test(odd_sizes_are_told),
      cmocka_unit_test(damaged_ones_are_refused),
      cmocka_unit_test(what_is_written_is_read),
      cmocka_unit_test(meta_images_have_directions),
      cmocka_unit_test(meta_images_of_all_types),
      cmocka_unit_test(odd_meta_images_are_told),
      cmocka_unit_test(bits_and_hollows),
      cmocka_unit_test(images_without_labels_are_refused),
      cmocka_unit_test(a_ball_stays_round_and_keeps_its_volume),
      cmocka_unit_test(surfaces_become_voxels),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

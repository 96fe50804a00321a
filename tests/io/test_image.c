// Pictures of each format, small enough to write down: the same two by two pixels.
#include "support/check.h"

#include "base/file.h"
#include "io/mesh/image.h"

#include <stdlib.h>
#include <string.h>

// red green / blue white, made with any other program
static const unsigned char bmp[] = {'B', 'M', 70, 0,   0,   0,   0, 0, 0, 0, 54,  0, 0,   0, 40, 0, 0,  0,
                                    2,   0,   0,  0,   2,   0,   0, 0, 1, 0, 24,  0, 0,   0, 0,  0, 16, 0,
                                    0,   0,   0,  0,   0,   0,   0, 0, 0, 0, 0,   0, 0,   0, 0,  0, 0,  0,
                                    255, 0,   0,  255, 255, 255, 0, 0, 0, 0, 255, 0, 255, 0, 0,  0};
static const unsigned char tga[] = {0, 0,  2,    0, 0, 0,   0, 0,   0, 0,   0, 0, 2,   0,   2,
                                    0, 24, 0x20, 0, 0, 255, 0, 255, 0, 255, 0, 0, 255, 255, 255};
static const unsigned char png[] = {0x89, 'P',  'N',  'G', 0x0d, 0x0a, 0x1a, 0x0a, 0,  0,  0,  0x0d, 'I', 'H', 'D',
                                    'R',  0,    0,    0,   2,    0,    0,    0,    2,  8,  2,  0,    0,   0,   0xfd,
                                    0xd4, 0x9a, 0x73, 0,   0,    0,    18,   73,   68, 65, 84, 120,  218, 99,  248,
                                    207,  192,  192,  0,   194,  12,   255,  129,  0,  0,  31, 238,  5,   251, 241,
                                    171,  186,  119,  0,   0,    0,    0,    73,   69, 78, 68, 174,  66,  96,  130};
static const unsigned char jpeg[] = {
    255, 216, 255, 224, 0,   16,  74,  70,  73,  70,  0,   1,   1,   0,   0,   1,   0,   1,   0,   0,   255, 219,
    0,   67,  0,   2,   1,   1,   1,   1,   1,   2,   1,   1,   1,   2,   2,   2,   2,   2,   4,   3,   2,   2,
    2,   2,   5,   4,   4,   3,   4,   6,   5,   6,   6,   6,   5,   6,   6,   6,   7,   9,   8,   6,   7,   9,
    7,   6,   6,   8,   11,  8,   9,   10,  10,  10,  10,  10,  6,   8,   11,  12,  11,  10,  12,  9,   10,  10,
    10,  255, 219, 0,   67,  1,   2,   2,   2,   2,   2,   2,   5,   3,   3,   5,   10,  7,   6,   7,   10,  10,
    10,  10,  10,  10,  10,  10,  10,  10,  10,  10,  10,  10,  10,  10,  10,  10,  10,  10,  10,  10,  10,  10,
    10,  10,  10,  10,  10,  10,  10,  10,  10,  10,  10,  10,  10,  10,  10,  10,  10,  10,  10,  10,  10,  10,
    10,  10,  10,  10,  255, 192, 0,   17,  8,   0,   2,   0,   2,   3,   1,   17,  0,   2,   17,  1,   3,   17,
    1,   255, 196, 0,   20,  0,   1,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,
    9,   255, 196, 0,   28,  16,  0,   2,   2,   3,   1,   1,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,
    1,   2,   4,   6,   3,   5,   7,   9,   0,   255, 196, 0,   21,  1,   1,   1,   0,   0,   0,   0,   0,   0,
    0,   0,   0,   0,   0,   0,   0,   0,   5,   6,   255, 196, 0,   30,  17,  0,   3,   0,   2,   2,   3,   1,
    0,   0,   0,   0,   0,   0,   0,   0,   0,   1,   2,   3,   4,   5,   6,   7,   0,   17,  33,  18,  255, 218,
    0,   12,  3,   1,   0,   2,   17,  3,   17,  0,   63,  0,   88,  60,  224, 225, 28,  62,  203, 231, 143, 5,
    177, 88,  184, 213, 83,  97,  176, 216, 113, 122, 180, 153, 243, 230, 215, 99,  101, 205, 39,  51,  234, 98,
    179, 228, 200, 236, 133, 157, 217, 137, 98,  196, 146, 73,  36,  252, 135, 104, 245, 239, 1,   197, 236, 205,
    220, 33,  169, 198, 68,  76,  204, 144, 170, 33,  32,  0,   22,  112, 0,   1,   61,  0,   7,   192, 7,   192,
    60,  143, 200, 225, 124, 59,  127, 119, 217, 236, 245, 184, 247, 201, 185, 52,  173, 105, 25,  189, 41,  71,
    63,  167, 165, 29,  148, 179, 187, 177, 44,  238, 196, 179, 49,  36,  146, 79,  159, 255, 217};

static const unsigned char pixels[12] = {255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 255, 255};

static void check_picture(const char *name, const unsigned char *bytes, size_t length, int tolerance)
{
  dvImage image;
  char why[100] = "";
  if (dv_image_decode(bytes, length, &image, why) != DV_OK) {
    print_error("%s: %s\n", name, why);
    fail();
  }
  assert_int_equal(image.width, 2);
  assert_int_equal(image.height, 2);
  assert_int_equal(image.channels, 3);
  for (int i = 0; i < 12; i++) check_close(image.pixels[i], pixels[i], tolerance);
  dv_image_free(&image);
  assert_null(image.pixels);
}

static void reads_each_format(void **state)
{
  DV_UNUSED(state);
  check_picture("bmp", bmp, sizeof bmp, 0);
  check_picture("tga", tga, sizeof tga, 0);
  check_picture("png", png, sizeof png, 0);
  check_picture("jpeg", jpeg, sizeof jpeg, 30);
}

// cut short or with one byte changed: read or refused, never more
static void damaged_pictures(void **state)
{
  DV_UNUSED(state);
  const struct {
    const unsigned char *bytes;
    size_t length;
  } files[] = {{bmp, sizeof bmp}, {tga, sizeof tga}, {png, sizeof png}, {jpeg, sizeof jpeg}};
  dvImage image;
  char why[100];
  for (size_t f = 0; f < DV_COUNT(files); f++)
    for (size_t i = 0; i <= files[f].length; i++) {
      unsigned char *copy = malloc(files[f].length);
      memcpy(copy, files[f].bytes, files[f].length);
      if (dv_image_decode(copy, i, &image, why) == DV_OK) dv_image_free(&image);
      else assert_true(why[0] && !image.pixels);
      if (i < files[f].length) copy[i] ^= 0x55;
      if (dv_image_decode(copy, files[f].length, &image, why) == DV_OK) dv_image_free(&image);
      free(copy);
    }
  assert_int_equal(dv_image_decode("hello", 5, &image, why), DV_ERROR_INPUT);
  assert_non_null(strstr(why, "not a PNG"));
  assert_int_equal(dv_image_read("/no/such/file.png", &image, why), DV_ERROR_INPUT);
}

// 18 bytes of header that promise 16 million pixels
static void a_short_file_holds_no_large_picture(void **state)
{
  DV_UNUSED(state);
  static const unsigned char promise[] = {9,  1,  9,  16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16,
                                          16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16};
  dvImage image;
  char why[100];
  assert_int_equal(dv_image_decode(promise, sizeof promise, &image, why), DV_ERROR_INPUT);
  assert_non_null(strstr(why, "too short"));
}

static void measures_a_file(void **state)
{
  DV_UNUSED(state);
  char *directory = check_mkdir(), *path = dv_path_join(directory, "p.png");
  FILE *f = fopen(path, "wb");
  fwrite(png, 1, sizeof png, f);
  fclose(f);
  dvImage image;
  assert_int_equal(dv_image_measure(path, &image, NULL), DV_OK);
  assert_int_equal(image.width * image.height, 4);
  assert_null(image.pixels);
  assert_int_equal(dv_image_read(path, &image, NULL), DV_OK);
  dv_image_free(&image);
  dv_free(path);
  check_rmdir(directory);
}

int main(void)
{
  dvImage image;
  char why[100];
  dv_image_decode("", 0, &image, why);
  if (strstr(why, "reads no pictures")) {
    print_message("%s\n", why);
    return 0;
  }
  const struct CMUnitTest tests[] = {cmocka_unit_test(reads_each_format), cmocka_unit_test(damaged_pictures),
                                     cmocka_unit_test(a_short_file_holds_no_large_picture),
                                     cmocka_unit_test(measures_a_file)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

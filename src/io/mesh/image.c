// See image.h.
#include "io/mesh/image.h"

#include "base/file.h"

#include <stdio.h>
#include <string.h>

enum { WHY = 100 };

static dvStatus failed(char *why, const char *text)
{
  if (why) snprintf(why, WHY, "%s", text);
  return DV_ERROR_INPUT;
}

#ifdef DV_HAVE_STB

#define STB_IMAGE_IMPLEMENTATION
#define STB_IMAGE_STATIC
#define STBI_ONLY_PNG
#define STBI_ONLY_JPEG
#define STBI_ONLY_BMP
#define STBI_ONLY_TGA
#define STBI_NO_STDIO
#define STBI_NO_HDR
#define STBI_NO_LINEAR
#define STBI_MAX_DIMENSIONS 16384
// zeroed memory: what a damaged file leaves out is black, not what stood there before
#define STBI_MALLOC(size) dv_try_alloc(size)
#define STBI_REALLOC_SIZED(block, old, size) dv_try_realloc(block, old, size)
#define STBI_REALLOC(block, size) dv_try_realloc(block, size, size)
#define STBI_FREE(block) dv_free(block)
#include <stb/stb_image.h>

#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STB_IMAGE_WRITE_STATIC
#define STBI_WRITE_NO_STDIO
#include <stb/stb_image_write.h>

bool dv_image_known(const char *path)
{
  static const char *const endings[] = {".png", ".jpg", ".jpeg", ".bmp", ".tga"};
  for (size_t i = 0; i < DV_COUNT(endings); i++)
    if (dv_ends_with_nocase(path, endings[i])) return true;
  return false;
}

enum {
  DENSEST = 8300
};   // pixels in a byte: deflate packs 1,032 bytes into one, a byte may be eight pixels of one bit

// the size that the file tells; more than it could hold is refused before memory is taken
static dvStatus measure(const void *bytes, size_t length, dvImage *out, char *why)
{
  *out = (dvImage){0};
  if (length > INT32_MAX) return failed(why, "the file is too large");
  if (!stbi_info_from_memory(bytes, (int)length, &out->width, &out->height, &out->channels))
    return failed(why, "not a PNG, JPEG, BMP or TGA picture");
  if (out->width < 1 || out->height < 1 || out->width > DV_IMAGE_LIMIT || out->height > DV_IMAGE_LIMIT)
    return failed(why, "the picture is too large");
  if ((double)out->width * out->height > (double)DENSEST * (double)length)
    return failed(why, "the file is too short for its picture");
  return DV_OK;
}

dvStatus dv_image_decode(const void *bytes, size_t length, dvImage *out, char *why)
{
  DV_TRY(measure(bytes, length, out, why));
  int width, height, channels;
  uint8_t *pixels = stbi_load_from_memory(bytes, (int)length, &width, &height, &channels, 0);
  if (!pixels) {
    *out = (dvImage){0};
    const char *reason = stbi_failure_reason();
    return failed(why, reason && *reason ? reason : "the picture is damaged");
  }
  *out = (dvImage){width, height, channels, pixels};
  return DV_OK;
}

static void put_bytes(void *file, void *bytes, int count) { fwrite(bytes, 1, (size_t)count, file); }

dvStatus dv_image_write_jpeg(const char *path, const dvImage *image, char *why)
{
  enum { QUALITY = 90 };
  FILE *f = dv_file_write(path, "wb");
  if (!f) return failed(why, dv_file_why());
  bool good =
      stbi_write_jpg_to_func(put_bytes, f, image->width, image->height, image->channels, image->pixels, QUALITY);
  good = !ferror(f) && good;
  return fclose(f) == 0 && good ? DV_OK : failed(why, "the disk may be full");
}

void dv_image_free(dvImage *image)
{
  stbi_image_free(image->pixels);
  *image = (dvImage){0};
}

#else

bool dv_image_known(const char *path)
{
  DV_UNUSED(path);
  return false;
}

static dvStatus measure(const void *bytes, size_t length, dvImage *out, char *why)
{
  DV_UNUSED(bytes);
  DV_UNUSED(length);
  *out = (dvImage){0};
  return failed(why, "this build reads no pictures: stb_image was not there (package libstb-dev)");
}

dvStatus dv_image_decode(const void *bytes, size_t length, dvImage *out, char *why)
{
  return measure(bytes, length, out, why);
}
dvStatus dv_image_write_jpeg(const char *path, const dvImage *image, char *why)
{
  DV_UNUSED(path);
  DV_UNUSED(image);
  return failed(why, "this build writes no pictures: stb_image_write was not there (package libstb-dev)");
}
void dv_image_free(dvImage *image) { *image = (dvImage){0}; }

#endif

static dvStatus with_file(const char *path, dvStatus (*use)(const void *, size_t, dvImage *, char *), dvImage *out,
                          char *why)
{
  *out = (dvImage){0};
  size_t length = 0;
  char *bytes = dv_file_read(path, &length);
  if (!bytes) return failed(why, dv_file_why());
  dvStatus status = use(bytes, length, out, why);
  dv_free(bytes);
  return status;
}

dvStatus dv_image_read(const char *path, dvImage *out, char *why) { return with_file(path, dv_image_decode, out, why); }
dvStatus dv_image_measure(const char *path, dvImage *out, char *why) { return with_file(path, measure, out, why); }

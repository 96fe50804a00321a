// PNG (ISO/IEC 15948): each row is written as differences from its neighbours, by the filter whose sum of differences
// is least, and all of them are compressed together. See png.h.
#include "render/png.h"

#include "base/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static void put_number(unsigned char out[4], size_t n)
{
  for (int i = 0; i < 4; i++) out[i] = (unsigned char)(n >> (24 - 8 * i));
}

static void put_chunk(dvText *out, const char kind[5], const unsigned char *data, size_t length)
{
  unsigned char number[4];
  put_number(number, length);
  dv_text_add_n(out, (const char *)number, 4);
  dv_text_add_n(out, kind, 4);
  if (length) dv_text_add_n(out, (const char *)data, length);
  uLong sum = crc32(crc32(0, NULL, 0), (const Bytef *)kind, 4);
  put_number(number, length ? crc32(sum, data, (uInt)length) : sum);
  dv_text_add_n(out, (const char *)number, 4);
}

static int predicted(int filter, int left, int above, int corner)
{
  if (filter == 1) return left;
  if (filter == 2) return above;
  if (filter == 3) return (left + above) / 2;
  if (filter < 4) return 0;
  int p = left + above - corner, a = abs(p - left), b = abs(p - above), c = abs(p - corner);
  return a <= b && a <= c ? left : b <= c ? above : corner;
}

static size_t filter_row(int filter, const unsigned char *row, const unsigned char *before, size_t bytes,
                         unsigned char *out)
{
  size_t sum = 0;
  out[0] = (unsigned char)filter;
  for (size_t i = 0; i < bytes; i++) {
    int left = i < 3 ? 0 : row[i - 3], above = before ? before[i] : 0, corner = before && i >= 3 ? before[i - 3] : 0;
    unsigned char d = (unsigned char)(row[i] - predicted(filter, left, above, corner));
    out[i + 1] = d;
    sum += d < 128 ? d : 256u - d;
  }
  return sum;
}

bool dv_png_encode(dvText *out, const unsigned char *rgb, int width, int height)
{
  size_t bytes = 3 * (size_t)width, row = bytes + 1, all = row * (size_t)height;
  uLongf packed = compressBound((uLong)all);
  unsigned char *rows = dv_try_alloc(all), *trial = dv_try_alloc(row), *data = dv_try_alloc(packed);
  bool good = rows && trial && data;
  for (size_t y = 0; good && y < (size_t)height; y++) {
    const unsigned char *from = rgb + y * bytes, *before = y ? from - bytes : NULL;
    size_t best = SIZE_MAX;
    for (int filter = 0; filter < 5; filter++) {
      size_t sum = filter_row(filter, from, before, bytes, trial);
      if (sum < best) best = sum, memcpy(rows + y * row, trial, row);
    }
  }
  good = good && compress2(data, &packed, rows, (uLong)all, 9) == Z_OK;
  if (good) {
    unsigned char head[13] = {[8] = 8, [9] = 2};
    put_number(head, (size_t)width), put_number(head + 4, (size_t)height);
    dv_text_add_n(out, "\x89PNG\r\n\x1a\n", 8);
    put_chunk(out, "IHDR", head, sizeof head);
    put_chunk(out, "IDAT", data, packed);
    put_chunk(out, "IEND", NULL, 0);
  }
  dv_free(rows);
  dv_free(trial);
  dv_free(data);
  return good;
}

dvStatus dv_png_write(const char *path, const unsigned char *rgb, int width, int height)
{
  dvText text = {0};
  errno = ENOMEM;
  bool good = dv_png_encode(&text, rgb, width, height);
  FILE *f = good ? dv_file_write(path, "wb") : NULL;
  good = f && fwrite(text.text, 1, text.length, f) == text.length;
  if (f) good = fclose(f) == 0 && good;
  dv_text_free(&text);
  return good ? DV_OK : DV_ERROR_INPUT;
}

// See divr.h.
#include "io/record/divr.h"

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#ifdef DV_HAVE_ZSTD
#include <zstd.h>
#endif

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "recordings are little-endian: swap the bytes here"
#endif

static const char magic[8] = {'D', 'I', 'V', 'A', 'N', 'R', 'E', 'C'},
                  ending[8] = {'D', 'I', 'V', 'A', 'N', 'E', 'N', 'D'};
enum {
  START = 16,    // bytes before the first chunk
  HEADER = 64,   // of a chunk
  ENTRY = 40,    // of the index
  MARK = 0x43525644,
  STORED = 0,
  ZLIB = 1,
  ZSTD = 2,
  WORDS = 1,       // filter
  RATIO = 40000,   // no packer makes more than this out of a byte
};
#define LARGEST ((uint64_t)1 << 30)   // bytes of a chunk

typedef struct Header {
  uint32_t mark;
  uint8_t kind, codec, filter, none;
  uint64_t length, packed;
  int64_t step;
  double time;
  uint64_t base, checksum, own;
} Header;
_Static_assert(sizeof(Header) == HEADER, "no padding");

static uint64_t own_checksum(const Header *h) { return dv_hash_bytes(h, HEADER - 8, 0); }

// FNV goes byte by byte: for long blocks eight of them in turn, each over its own words
static uint64_t checksum(const void *bytes, size_t length)
{
  const unsigned char *b = bytes;
  uint64_t lanes[8], result = 0;
  for (int k = 0; k < 8; k++) lanes[k] = 0xcbf29ce484222325u + (uint64_t)k;
  size_t i = 0;
  for (; i + 64 <= length; i += 64)
    for (int k = 0; k < 8; k++) {
      uint64_t word;
      memcpy(&word, b + i + 8 * (size_t)k, 8);
      lanes[k] = (lanes[k] ^ word) * 0x100000001b3u;
      lanes[k] ^= lanes[k] >> 29;
    }
  for (int k = 0; k < 8; k++) result = dv_hash_bytes(&lanes[k], 8, result);
  return dv_hash_bytes(b + i, length - i, result);
}

// --- packing -------------------------------------------------------------------------------------

// words of 8 bytes become 8 rows of bytes; what is left over stands behind them
static void spread(const unsigned char *from, unsigned char *to, size_t length)
{
  size_t n = length / 8;
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < 8; k++) to[k * n + i] = from[8 * i + k];
  memcpy(to + 8 * n, from + 8 * n, length - 8 * n);
}

static void gather(const unsigned char *from, unsigned char *to, size_t length)
{
  size_t n = length / 8;
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < 8; k++) to[8 * i + k] = from[k * n + i];
  memcpy(to + 8 * n, from + 8 * n, length - 8 * n);
}

const char *dv_divr_codec(void)
{
#ifdef DV_HAVE_ZSTD
  return "zstd";
#else
  return "zlib";
#endif
}

static unsigned char *store(const unsigned char *bytes, size_t length, Header *h)
{
  unsigned char *out = dv_alloc(length + 1);
  h->codec = STORED, h->filter = 0, h->packed = length;
  if (length) memcpy(out, bytes, length);
  return out;
}

// the packed bytes, which the caller frees; stored as they are where packing gains nothing
static unsigned char *pack(const unsigned char *bytes, size_t length, Header *h)
{
  unsigned char *rows = dv_alloc(length + 1), *out;
  if (length) spread(bytes, rows, length);
#ifdef DV_HAVE_ZSTD
  size_t room = ZSTD_compressBound(length);
  out = dv_alloc(room + 1);
  size_t n = ZSTD_compress(out, room, rows, length, 3);
  bool good = !ZSTD_isError(n);
  h->codec = ZSTD;
#else
  uLongf n = compressBound(length);
  out = dv_alloc(n + 1);
  bool good = compress2(out, &n, rows, length, 3) == Z_OK;
  h->codec = ZLIB;
#endif
  h->packed = n;
  h->filter = WORDS;
  dv_free(rows);
  if (good && n < length) return out;
  dv_free(out);
  return store(bytes, length, h);
}

static bool unpack(const Header *h, const unsigned char *packed, unsigned char *out)
{
  if (h->codec == STORED) {
    memcpy(out, packed, h->length);
    return true;
  }
  if (h->codec == ZLIB) {
    uLongf n = h->length;
    return uncompress(out, &n, packed, h->packed) == Z_OK && n == h->length;
  }
#ifdef DV_HAVE_ZSTD
  return ZSTD_decompress(out, h->length, packed, h->packed) == h->length;
#else
  return false;
#endif
}

// --- writing -------------------------------------------------------------------------------------

typedef DV_ARRAY(dvChunk) Chunks;

struct dvDivrWriter {
  FILE *file;
  uint64_t at;
  Chunks chunks;
  bool loose;
};

void dv_divr_loose(dvDivrWriter *w) { w->loose = true; }

static bool put(dvDivrWriter *w, const void *bytes, size_t length)
{
  if (fwrite(bytes, 1, length, w->file) != length) return false;
  w->at += length;
  return true;
}

dvDivrWriter *dv_divr_create(const char *path)
{
  FILE *file = path ? dv_file_write(path, "w+b") : tmpfile();
  if (!file) return NULL;
  dvDivrWriter *w = dv_alloc(sizeof *w);
  w->file = file;
  const uint32_t format[2] = {DV_DIVR_FORMAT, 0};
  if (put(w, magic, sizeof magic) && put(w, format, sizeof format) && fflush(file) == 0) return w;
  int reason = errno;
  fclose(file);
  dv_free(w);
  errno = reason;
  return NULL;
}

static bool add(dvDivrWriter *w, dvChunk *chunk, const void *bytes, size_t length)
{
  if (length > LARGEST) {
    errno = EFBIG;
    return false;
  }
  Header h = {.mark = MARK,
              .kind = (uint8_t)chunk->kind,
              .length = length,
              .step = chunk->step,
              .time = chunk->time,
              .base = chunk->base};
  unsigned char *packed = w->loose ? store(bytes, length, &h) : pack(bytes, length, &h);
  h.checksum = checksum(packed, h.packed);
  h.own = own_checksum(&h);
  chunk->at = w->at;
  bool good = put(w, &h, sizeof h) && put(w, packed, h.packed) && fflush(w->file) == 0;
  dv_free(packed);
  return good;
}

bool dv_divr_add(dvDivrWriter *w, dvChunk *chunk, const void *bytes, size_t length)
{
  if (!add(w, chunk, bytes, length)) return false;
  dv_push(&w->chunks, *chunk);
  return true;
}

uint64_t dv_divr_bytes(const dvDivrWriter *w) { return w->at; }

static bool finish(dvDivrWriter *w)
{
  _Static_assert(sizeof(dvChunk) == ENTRY, "as it stands in the file");
  dvChunk index = {.kind = DV_CHUNK_INDEX};
  return add(w, &index, w->chunks.data, w->chunks.count * sizeof *w->chunks.data) && put(w, &index.at, 8) &&
         put(w, ending, sizeof ending) && fflush(w->file) == 0;
}

bool dv_divr_close(dvDivrWriter **writer)
{
  dvDivrWriter *w = *writer;
  if (!w) return true;
  bool good = finish(w);
  int reason = errno;
  good = fclose(w->file) == 0 && good;
  dv_array_free(&w->chunks);
  dv_free(w);
  *writer = NULL;
  errno = reason;
  return good;
}

// --- reading -------------------------------------------------------------------------------------

struct dvDivr {
  int file;
  uint64_t length;
  Chunks chunks;
};

static bool get(const dvDivr *r, uint64_t at, void *out, size_t length)
{
  for (size_t done = 0; done < length;) {
    ssize_t n = pread(r->file, (char *)out + done, length - done, (off_t)(at + done));
    if (n <= 0) return false;
    done += (size_t)n;
  }
  return true;
}

// the header of the chunk at a place, when there is one and all of it is there
static bool header_at(const dvDivr *r, uint64_t at, Header *h)
{
  if (at < START || at > r->length || r->length - at < HEADER || !get(r, at, h, sizeof *h)) return false;
  return h->mark == MARK && h->own == own_checksum(h) && h->kind > 0 && h->kind < DV_CHUNK_KINDS &&
         h->packed <= r->length - at - HEADER && h->length <= LARGEST && h->length <= h->packed * RATIO + 65536 &&
         (h->codec != STORED || h->length == h->packed) && h->base < at;
}

static char *read_chunk(const dvDivr *r, const Header *h, uint64_t at, dvText *why)
{
  unsigned char *packed = dv_try_alloc(h->packed + 1), *out = dv_try_alloc(h->length + 1), *rows = NULL;
  bool good = packed && out && get(r, at + HEADER, packed, h->packed);
  if (!packed || !out)
    dv_text_printf(why, "there is not enough memory for a chunk of %.0f MB", (double)h->length / 1e6);
  else if (!good || checksum(packed, h->packed) != h->checksum)
    good = false, dv_text_printf(why, "the chunk at byte %llu is damaged", (unsigned long long)at);
  else if (!unpack(h, packed, out)) {
    good = false;
    if (h->codec == ZSTD && !dv_same(dv_divr_codec(), "zstd"))
      dv_text_add(why, "it was packed with zstd, which this program was built without");
    else dv_text_printf(why, "the chunk at byte %llu cannot be unpacked", (unsigned long long)at);
  }
  if (good && h->filter == WORDS && (rows = out, out = dv_try_alloc(h->length + 1))) gather(rows, out, h->length);
  dv_free(packed), dv_free(rows);
  if (good && out) return (char *)out;
  dv_free(out);
  return NULL;
}

// the index at the end, when the file was closed in order and it tells the truth
static bool read_index(dvDivr *r)
{
  char tail[16];
  uint64_t at;
  Header h, first;
  dvText unused = {0};
  if (r->length < START + HEADER + sizeof tail || !get(r, r->length - sizeof tail, tail, sizeof tail)) return false;
  memcpy(&at, tail, 8);
  if (memcmp(tail + 8, ending, sizeof ending) != 0 || !header_at(r, at, &h) || h.kind != DV_CHUNK_INDEX ||
      h.length % ENTRY)
    return false;
  char *bytes = read_chunk(r, &h, at, &unused);
  size_t n = h.length / ENTRY;
  bool good = bytes != NULL;
  for (size_t i = 0; i < n && good; i++) {
    dvChunk c;
    memcpy(&c, bytes + i * ENTRY, ENTRY);
    const uint64_t after = r->chunks.count ? r->chunks.data[r->chunks.count - 1].at : 0;
    good = c.at >= START && c.at > after && c.at < at && c.base < c.at && c.kind > 0 && c.kind < DV_CHUNK_INDEX;
    if (good) dv_push(&r->chunks, c);
  }
  if (good && n) good = header_at(r, r->chunks.data[n - 1].at, &first) && first.kind == r->chunks.data[n - 1].kind;
  if (!good) r->chunks.count = 0;
  dv_text_free(&unused);
  dv_free(bytes);
  return good;
}

// from chunk to chunk, as far as they are whole; returns where that ends
static uint64_t scan(dvDivr *r)
{
  uint64_t at = START;
  Header h;
  while (header_at(r, at, &h)) {
    if (h.kind != DV_CHUNK_INDEX)
      dv_push(&r->chunks, ((dvChunk){.kind = h.kind, .step = h.step, .time = h.time, .at = at, .base = h.base}));
    at += HEADER + h.packed;
  }
  return at;
}

static size_t count_frames(const dvDivr *r)
{
  size_t n = 0;
  for (size_t i = 0; i < r->chunks.count; i++) n += r->chunks.data[i].kind == DV_CHUNK_FRAME;
  return n;
}

static dvDivr *refuse(dvDivr *r, dvText *why, const char *text)
{
  dv_text_add(why, text);
  dv_divr_free(&r);
  return NULL;
}

static dvDivr *open_file(int file, dvText *why)
{
  struct stat about;
  dvDivr *r = dv_alloc(sizeof *r);
  r->file = file;
  char head[START];
  uint32_t format;
  if (fstat(file, &about) != 0) return refuse(r, why, strerror(errno));
  r->length = (uint64_t)about.st_size;
  if (r->length < START || !get(r, 0, head, sizeof head) || memcmp(head, magic, sizeof magic) != 0)
    return refuse(r, why, "this is no recording (divan run SCENE --record FILE writes one)");
  memcpy(&format, head + sizeof magic, 4);
  if (format != DV_DIVR_FORMAT) {
    dv_text_printf(why, "the recording has format %u; this version (%s) reads %d", format, DIVAN_VERSION,
                   DV_DIVR_FORMAT);
    dv_divr_free(&r);
    return NULL;
  }
  if (read_index(r)) return r;
  uint64_t end = scan(r);
  if (!r->chunks.count) return refuse(r, why, "nothing of the recording is whole");
  dv_text_printf(why, "the recording was not ended in order, or is damaged: %zu frame%s", count_frames(r),
                 count_frames(r) == 1 ? " is there" : "s are there");
  if (end < r->length) dv_text_printf(why, ", and %.1f kB behind them are lost", (double)(r->length - end) / 1e3);
  return r;
}

dvDivr *dv_divr_open(const char *path, dvText *why)
{
  int file = dv_file_permitted(path, false) && dv_file_is_regular(path) ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  if (file >= 0) return open_file(file, why);
  dv_text_printf(why, "it cannot be read: %s", errno ? strerror(errno) : "it is no plain file");
  return NULL;
}

dvDivr *dv_divr_turn(dvDivrWriter **writer, dvText *why)
{
  dvDivrWriter *w = *writer;
  int file = finish(w) ? dup(fileno(w->file)) : -1;
  if (file < 0) dv_text_add(why, strerror(errno));
  fclose(w->file);
  dv_array_free(&w->chunks);
  dv_free(w);
  *writer = NULL;
  return file < 0 ? NULL : open_file(file, why);
}

void dv_divr_free(dvDivr **r)
{
  if (!*r) return;
  close((*r)->file);
  dv_array_free(&(*r)->chunks);
  dv_free(*r);
  *r = NULL;
}

size_t dv_divr_count(const dvDivr *r) { return r->chunks.count; }
const dvChunk *dv_divr_chunk(const dvDivr *r, size_t i) { return &r->chunks.data[i]; }

static int compare_place(const void *a, const void *b)
{
  uint64_t x = ((const dvChunk *)a)->at, y = ((const dvChunk *)b)->at;
  return (x > y) - (x < y);
}

const dvChunk *dv_divr_at(const dvDivr *r, uint64_t place)
{
  dvChunk key = {.at = place};
  return r->chunks.count ? bsearch(&key, r->chunks.data, r->chunks.count, sizeof key, compare_place) : NULL;
}

char *dv_divr_read(const dvDivr *r, const dvChunk *chunk, size_t *length, dvText *why)
{
  Header h;
  *length = 0;
  if (!header_at(r, chunk->at, &h) || h.kind != chunk->kind) {
    dv_text_printf(why, "there is no whole chunk at byte %llu", (unsigned long long)chunk->at);
    return NULL;
  }
  char *bytes = read_chunk(r, &h, chunk->at, why);
  if (bytes) *length = h.length;
  return bytes;
}

bool dv_divr_save(const dvDivr *r, const char *path)
{
  enum { BLOCK = 1 << 16 };
  FILE *f = dv_file_write(path, "wb");
  if (!f) return false;
  char *block = dv_alloc(BLOCK);
  bool good = true;
  for (uint64_t at = 0; at < r->length && good; at += BLOCK) {
    size_t n = r->length - at < BLOCK ? (size_t)(r->length - at) : BLOCK;
    good = get(r, at, block, n) && fwrite(block, 1, n, f) == n;
  }
  dv_free(block);
  return fclose(f) == 0 && good;
}

void dv_divr_mend(void *bytes, size_t length)
{
  unsigned char *b = bytes;
  Header h;
  for (uint64_t at = START; at <= length && length - at >= HEADER; at += HEADER + h.packed) {
    memcpy(&h, b + at, HEADER);
    if (h.packed > length - at - HEADER) h.packed = length - at - HEADER;
    h.mark = MARK;
    h.checksum = checksum(b + at + HEADER, h.packed);
    h.own = own_checksum(&h);
    memcpy(b + at, &h, HEADER);
  }
}

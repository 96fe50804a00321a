// Recordings: a file of chunks, each packed and with a checksum, one after the other, and an index at its end.
//
// A chunk is complete or not there: a program that was killed leaves a file that can be read up to its last complete
// chunk, and which chunks there are is then found by going from one to the next. What the chunks mean stands in
// view/recording.h. All numbers are little-endian:
//
//   file    "DIVANREC", format (4 bytes), 0 (4 bytes), chunks; at the end, when it was closed in order, an index chunk,
//           the place of that chunk (8 bytes) and "DIVANEND"
//   chunk   mark (4 bytes), kind, codec, filter, 0 (1 byte each), bytes unpacked (8), bytes packed (8), step (8),
//           time (8, double), place of the chunk that it builds on or 0 (8), checksum of the packed bytes (8), checksum
//           of the header before this (8), the packed bytes
//   index   for each chunk: kind (8), step (8), time (8), place (8), place of the chunk that it builds on (8)
//
// Codecs: 0 stored, 1 zlib, 2 zstd. Filter 1: the bytes of 8-byte words stand together by their place in the word, so
// that signs and exponents of numbers pack well.
#ifndef DV_IO_RECORD_DIVR_H
#define DV_IO_RECORD_DIVR_H

#include "base/array.h"
#include "base/text.h"

typedef enum dvChunkKind {
  DV_CHUNK_HEAD = 1,   // what was recorded
  DV_CHUNK_LAYOUT,     // what frames consist of
  DV_CHUNK_FRAME,
  DV_CHUNK_SNAPSHOT,
  DV_CHUNK_INDEX,
  DV_CHUNK_KINDS
} dvChunkKind;

enum { DV_DIVR_FORMAT = 1 };

typedef struct dvChunk {
  uint64_t kind;
  int64_t step;
  double time;
  uint64_t at;     // place in the file
  uint64_t base;   // of the chunk that it builds on, 0 for none
} dvChunk;

// --- writing ---

typedef struct dvDivrWriter dvDivrWriter;

// Begins a file; a temporary one, which nobody else sees, when `path` is NULL. NULL when that is not possible (errno).
dvDivrWriter *dv_divr_create(const char *path);
// Adds a chunk and hands it to the system; `chunk` has kind, step, time and base, and gets its place. False when it
// cannot be written (errno).
bool dv_divr_add(dvDivrWriter *w, dvChunk *chunk, const void *bytes, size_t length);
void dv_divr_loose(dvDivrWriter *w);             // chunks are not packed from here on
uint64_t dv_divr_bytes(const dvDivrWriter *w);   // that the file has
// Writes the index and closes; false when that fails (errno).
bool dv_divr_close(dvDivrWriter **w);

// --- reading ---

typedef struct dvDivr dvDivr;

// Opens a file. NULL with the reason in `why`; with a file that was not closed in order or is damaged `why` tells what
// is there.
dvDivr *dv_divr_open(const char *path, dvText *why);
// Ends a recording and reads it.
dvDivr *dv_divr_turn(dvDivrWriter **w, dvText *why);
void dv_divr_free(dvDivr **r);
size_t dv_divr_count(const dvDivr *r);                     // chunks, without the index
const dvChunk *dv_divr_chunk(const dvDivr *r, size_t i);   // in the order of the file
// The chunk at a place, NULL when none begins there.
const dvChunk *dv_divr_at(const dvDivr *r, uint64_t place);
// The bytes of a chunk with a 0 behind them; the caller frees them. NULL with the reason.
char *dv_divr_read(const dvDivr *r, const dvChunk *chunk, size_t *length, dvText *why);
// Writes the recording to another file, whole.
bool dv_divr_save(const dvDivr *r, const char *path);
const char *dv_divr_codec(void);   // that this program writes
// Makes the checksums of a file right that somebody has written over, so that what lies behind them is tried.
void dv_divr_mend(void *bytes, size_t length);

#endif

// Files of frames: text, gzipped when the name ends in .gz.
//
//   T= 0.1
//     WORD= …
//     WORD= …
//
// A frame is what stands between a moment and the next one. Relative names of files to write count from the working
// directory.
#ifndef DV_IO_RECORD_FRAMES_H
#define DV_IO_RECORD_FRAMES_H

#include "base/text.h"
#include "object/object.h"

#include <stdio.h>
#include <zlib.h>

// --- writing ---

typedef struct dvFrameWriter {
  FILE *file;
  gzFile packed;
} dvFrameWriter;

// Opens the file that `filename`, a field of the object, names; mistakes are reported.
dvStatus dv_frame_writer_open(dvFrameWriter *w, const dvObject *o, const dvString *filename);
void dv_frame_writer_close(dvFrameWriter *w);
void dv_frame_begin(dvText *text, double time);
// Adds a frame to the file; false after a warning when that is not possible.
bool dv_frame_write(dvFrameWriter *w, const dvObject *o, const dvString *filename, const dvText *text);

// --- reading ---

typedef struct dvFrameReader {
  char *text;   // of the file, lines end in 0
  size_t length, at;
  double next_time;   // of the frame that begins where it stands
  double loop_time;   // at which the file began, the last time
} dvFrameReader;

enum { DV_FRAME_WORDS = 5 };   // most words that are looked for

// Behind each word what stands on its line, NULL without the word.
typedef struct dvFrame {
  const char *line[DV_FRAME_WORDS];
} dvFrame;

// Reads the whole file that `filename` names; mistakes are reported.
dvStatus dv_frame_reader_open(dvFrameReader *r, dvObject *o, dvString *filename);
void dv_frame_reader_close(dvFrameReader *r);
void dv_frame_reader_rewind(dvFrameReader *r);
// Reads on to the last frame that is not later than `time`, and from the beginning with `loop`. `words` ends with NULL.
// False when there is no frame that was not read before.
bool dv_frame_reader_seek(dvFrameReader *r, double time, bool loop, const char *const *words, dvFrame *frame);
// The line below one of a frame; empty at the end of the file.
const char *dv_frame_reader_below(const dvFrameReader *r, const char *line);

#endif

// Files of frames: text, gzipped when the name ends in .gz.
//
//   T= 0.1
//     WORD= …
//     WORD= …
//
// A frame is what stands between a moment and the next one. Written frames go to a record (record.h).
#ifndef DV_IO_RECORD_FRAMES_H
#define DV_IO_RECORD_FRAMES_H

#include "io/record/record.h"

// --- writing ---

// Opens the file that `filename`, a field of the object, names; mistakes are reported.
dvStatus dv_frame_record_open(dvRecord *r, const dvObject *o, const dvString *filename);
void dv_frame_begin(dvText *text, double time);
// Adds a frame to the file; false after a warning when that is not possible.
bool dv_frame_write(dvRecord *r, const dvObject *o, const dvString *filename, const dvText *text);

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
  const char *first, *end;   // the line with the first of the words, and the end of the frame
} dvFrame;

// Reads the whole file that `filename` names; mistakes are reported.
dvStatus dv_frame_reader_open(dvFrameReader *r, dvObject *o, dvString *filename);
// The same of what was read, which it takes over; false when it is packed and cannot be unpacked.
bool dv_frame_reader_take(dvFrameReader *r, char *bytes, size_t length);
void dv_frame_reader_close(dvFrameReader *r);
// For the hook `remember` of who reads.
void dv_frame_reader_remember(dvFrameReader *r, dvMemoryStream *s);
// Reads on to the last frame that is not later than `time`, and from the beginning with `loop`. `words` ends with NULL.
// False when there is no frame that was not read before.
bool dv_frame_reader_seek(dvFrameReader *r, double time, bool loop, const char *const *words, dvFrame *frame);
// The line below one of a frame; empty at the end of the file.
const char *dv_frame_reader_below(const dvFrameReader *r, const char *line);

#endif

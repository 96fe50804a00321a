// See frames.h.
#include "io/record/frames.h"

#include "base/file.h"
#include "io/load/loader.h"
#include "io/mesh/mesh.h"

#include <errno.h>
#include <math.h>
#include <string.h>

// --- writing -------------------------------------------------------------------------------------

static dvStatus no_name(const dvObject *o)
{
  return dv_error(o, "give filename=\"…\"", "%s names no file", o->cls->name);
}

dvStatus dv_frame_record_open(dvRecord *r, const dvObject *o, const dvString *filename)
{
  const char *name = *filename;
  if (!name || !*name) return no_name(o);
  return dv_record_open(r, name) ? DV_OK
                                 : dv_field_error(o, filename, NULL, "'%s' cannot be written: %s", name, dv_file_why());
}

void dv_frame_begin(dvText *text, double time)
{
  dv_text_add(text, "T= ");
  dv_text_add_real(text, time);
  dv_text_add(text, "\n");
}

bool dv_frame_write(dvRecord *r, const dvObject *o, const dvString *filename, const dvText *text)
{
  bool good = dv_record_add(r, o->node->scene, text->text, text->length);
  if (!good) dv_warning(o, "is the disk full?", "'%s' cannot be written any more", *filename);
  return good;
}

// --- reading -------------------------------------------------------------------------------------

dvStatus dv_frame_reader_open(dvFrameReader *r, dvObject *o, dvString *filename)
{
  dv_frame_reader_close(r);
  if (!*filename || !**filename) return no_name(o);
  char *path = dv_loader_find(o, filename);
  if (!path) return DV_ERROR_INPUT;
  size_t length = 0;
  char *bytes = dv_file_read(path, &length);
  dv_free(path);
  if (!bytes) return dv_field_error(o, filename, NULL, "'%s' cannot be read: %s", *filename, dv_file_why());
  return dv_frame_reader_take(r, bytes, length) ? DV_OK
                                                : dv_field_error(o, filename, NULL, "'%s' is damaged", *filename);
}

bool dv_frame_reader_take(dvFrameReader *r, char *bytes, size_t length)
{
  dv_frame_reader_close(r);
  r->text = bytes;
  if (length >= 2 && memcmp(bytes, "\x1f\x8b", 2) == 0) {
    r->text = dv_mesh_unpack(bytes, length, &length);
    dv_free(bytes);
    if (!r->text) return false;
  }
  r->length = length;
  for (size_t i = 0; i < length; i++) {
    if (r->text[i] == '\r') r->text[i] = i + 1 < length && r->text[i + 1] == '\n' ? ' ' : 0;
    if (r->text[i] == '\n') r->text[i] = 0;
  }
  return true;
}

void dv_frame_reader_close(dvFrameReader *r)
{
  dv_free(r->text);
  *r = (dvFrameReader){0};
}

void dv_frame_reader_remember(dvFrameReader *r, dvMemoryStream *s)
{
  dv_remember_numbers(s, "place in the file", &r->at, sizeof r->at);
  dv_remember_numbers(s, "next time", &r->next_time, sizeof r->next_time);
  dv_remember_numbers(s, "loop time", &r->loop_time, sizeof r->loop_time);
  // a place in the middle of a line is a line; one beyond the file is its end
  if (dv_memory_restores(s)) r->at = dv_min_size(r->at, r->length);
}

static const char *next_line(dvFrameReader *r)
{
  const char *line = r->text + r->at;
  r->at += strlen(line) + 1;
  while (dv_is_space(*line)) line++;
  return line;
}

bool dv_frame_reader_seek(dvFrameReader *r, double time, bool loop, const char *const *words, dvFrame *frame)
{
  bool found = false, rewound = false;
  *frame = (dvFrame){0};
  while (r->next_time <= time) {
    if (r->at >= r->length) {
      if (!loop || rewound || !r->length) break;
      r->at = 0;
      r->loop_time = r->next_time;
      rewound = true;
    }
    const char *line = next_line(r);
    if (dv_starts_with(line, "T=")) {
      const char *cursor = line + 2;
      double t;
      if (!dv_scan_real(&cursor, &t) || !isfinite(t)) continue;
      if (t > 0) rewound = false;   // time has gone on
      r->next_time = t + r->loop_time;
      if (r->next_time > time) break;
      *frame = (dvFrame){0};
    }
    for (int k = 0; words[k]; k++) {
      if (!dv_starts_with(line, words[k])) continue;
      found = true;
      frame->line[k] = line + strlen(words[k]);
      if (!frame->first) frame->first = line;
    }
    frame->end = r->text + dv_min_size(r->at, r->length);
  }
  return found;
}

const char *dv_frame_reader_below(const dvFrameReader *r, const char *line)
{
  const char *below = line + strlen(line) + 1;
  return below < r->text + r->length ? below : "";
}

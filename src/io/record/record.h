// Files that grow while a scene runs: text, gzipped when the name ends in .gz.
//
// Nothing is opened, made or emptied before the first step: who only looks at a scene loses nothing. What is added
// before is kept until then, since the scene may also be put back to a later moment: the file then goes on where it was
// at that moment, and what stands behind is cut off. After a reset it begins anew. Relative names count from the
// working directory.
#ifndef DV_IO_RECORD_RECORD_H
#define DV_IO_RECORD_RECORD_H

#include "base/text.h"
#include "object/memory.h"
#include "scene/node.h"

#include <stdio.h>
#include <zlib.h>

typedef struct dvRecord {
  char *path;   // NULL: not open
  FILE *file;
  gzFile packed;
  dvText pending;    // added before the first step
  uint64_t length;   // bytes that it has, unpacked
  bool placed;       // the open file has so many
  bool begun;        // it was opened and is this scene's own
} dvRecord;

// Names a file to write to; false (errno tells why) when that will not be possible. With the first text its folders are
// made and it is opened.
bool dv_record_open(dvRecord *r, const char *path);
void dv_record_close(dvRecord *r);
static inline bool dv_record_is_open(const dvRecord *r) { return r->path != NULL; }
// Adds text at the end; false when it cannot be written.
bool dv_record_add(dvRecord *r, const dvScene *scene, const char *text, size_t length);
// Begins anew: the next text is the first.
void dv_record_rewind(dvRecord *r);
// For the hook `remember` of who owns it.
void dv_record_remember(dvRecord *r, dvMemoryStream *s);

#endif

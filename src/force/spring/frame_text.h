// The text in which springs between frames are written: BEGIN_SPRING numbers KEYWORD numbers … END_SPRING, any number
// of times.
#ifndef DV_FORCE_SPRING_FRAME_TEXT_H
#define DV_FORCE_SPRING_FRAME_TEXT_H

#include "object/object.h"

typedef struct dvFrameText {
  const char *at;
  size_t spring;   // number of the spring that is read
  bool negative;   // a stiffness or damping of this spring is
} dvFrameText;

// True, and moves on, when the next word is `word`.
bool dv_frame_text_word(dvFrameText *t, const char *word);
// True, and moves on, at END_SPRING; also at the end of the text.
bool dv_frame_text_end(dvFrameText *t);
bool dv_frame_text_numbers(dvFrameText *t, double *out, int count);
bool dv_frame_text_coefficient(dvFrameText *t, double *out);   // a stiffness or damping; negative ones are warned of
bool dv_frame_text_indices(dvFrameText *t, int32_t *out, int count);   // whole numbers from 0

// Calls `read` behind each BEGIN_SPRING; it returns false at a word it does not know. Reports the place.
typedef bool (*dvFrameTextRead)(void *user, dvFrameText *t);
dvStatus dv_frame_text_read(const dvObject *o, char *const *member, dvFrameTextRead read, void *user);

// All numbers of the file that a field names.
dvStatus dv_frame_text_file(const dvObject *o, char *const *member, dvReals *out);

#endif

// What the files that translate programs share: the words of a text, and what is put in their place. See glsl.h.
#ifndef DV_VIEW_GLSL_INSIDE_H
#define DV_VIEW_GLSL_INSIDE_H

#include "view/glsl.h"

typedef enum dvGlslWordKind { DV_GLSL_NAME, DV_GLSL_NUMBER, DV_GLSL_SIGN } dvGlslWordKind;

typedef struct dvGlslWord {
  dvGlslWordKind kind;
  bool directive;         // on a line that begins with #
  size_t start, length;   // in the source
  const char *instead;    // NULL: as it is; never freed
  dvText before, after;   // put around it
} dvGlslWord;

typedef struct dvGlslText {
  const char *source;
  size_t length;
  int version;   // 110 where the text names none
  bool es;
  DV_ARRAY(dvGlslWord) words;
} dvGlslText;

bool dv_glsl_is(const dvGlslText *t, size_t word, const char *text);   // false behind the end, too
// Makes the conversions from whole numbers to others that ES does not make by itself.
void dv_glsl_convert(dvGlslText *t);

#endif

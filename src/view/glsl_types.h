// What the two files that read types share: glsl_types.c expressions, glsl_read.c declarations and statements.
#ifndef DV_VIEW_GLSL_TYPES_H
#define DV_VIEW_GLSL_TYPES_H

#include "view/glsl_inside.h"

typedef enum dvGlslBase {
  DV_GLSL_NOTHING,
  DV_GLSL_BOOL,
  DV_GLSL_INT,
  DV_GLSL_UINT,
  DV_GLSL_FLOAT,
  DV_GLSL_STRUCT
} dvGlslBase;
typedef struct dvGlslType {
  dvGlslBase base;
  int rows, columns;   // 1 1: a number; columns > 1: a matrix
  int structure;       // DV_GLSL_STRUCT: its number
  bool array;
} dvGlslType;

typedef struct dvGlslVariable {
  size_t name;   // word
  dvGlslType type;
  int depth;   // of braces
} dvGlslVariable;

enum {
  DV_GLSL_PARAMETERS = 12,
  DV_GLSL_DEEPEST = 60,
  DV_GLSL_NAMES = 4096
};   // more names than that are not looked for
typedef struct dvGlslFunction {
  size_t name;
  dvGlslType result, parameters[DV_GLSL_PARAMETERS];
  int count;
} dvGlslFunction;

typedef struct dvGlslReader {
  dvGlslText *text;
  size_t at;
  int depth, nested;                    // braces, calls of the reader
  DV_ARRAY(dvGlslVariable) variables;   // and macros, at depth -1
  DV_ARRAY(dvGlslFunction) functions;
  DV_ARRAY(dvGlslVariable) members;   // depth: number of the structure
  DV_ARRAY(size_t) structures;        // names
  dvGlslType result;                  // of the function that is read
  bool lost;
} dvGlslReader;

typedef struct dvGlslValue {
  dvGlslType type;
  size_t first, last;   // words
} dvGlslValue;

// words: where the reader stands, and steps over them; those of directives are no part of what is read
bool dv_glsl_here(const dvGlslReader *r, const char *text);
void dv_glsl_next(dvGlslReader *r);
bool dv_glsl_take(dvGlslReader *r, const char *text);
void dv_glsl_skip_directives(dvGlslReader *r);
bool dv_glsl_same(const dvGlslText *t, size_t a, size_t b);
bool dv_glsl_is_name(const dvGlslReader *r, size_t word);

// types
dvGlslType dv_glsl_number_of(dvGlslBase base);
bool dv_glsl_is_whole(dvGlslType t);
bool dv_glsl_is_real(dvGlslType t);
dvGlslType dv_glsl_type_at(const dvGlslReader *r, size_t word);
bool dv_glsl_is_sampler(const dvGlslReader *r, size_t word);

// One expression without commas; `lost` is set where it cannot be read.
dvGlslValue dv_glsl_read(dvGlslReader *r);
// A whole number becomes another in the text.
dvGlslValue dv_glsl_converted(dvGlslReader *r, dvGlslValue v);

#endif

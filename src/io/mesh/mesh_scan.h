// What the mesh readers share: a cursor over bytes that never leaves them, counts lines, and turns
// the first thing that is wrong into an error with its line. Scanning functions return false after
// they have set the error, so that a reader can write
//
//   if (!dv_mesh_scan_int(s, "a node number", &id)) return false;
#ifndef DV_IO_MESH_MESH_SCAN_H
#define DV_IO_MESH_MESH_SCAN_H

#include "io/mesh/mesh.h"

typedef struct dvMeshScan {
  const char *at, *end;
  int line;
  bool binary;     // numbers are raw bytes, not text (Gmsh)
  bool swapped;    // ... in the other byte order
  bool one_line;   // numbers and words do not continue on the next line (OBJ, MTL)
  dvMeshError *error;
} dvMeshScan;

void dv_mesh_scan_init(dvMeshScan *s, const char *bytes, size_t length, dvMeshError *error);
static inline size_t dv_mesh_scan_left(const dvMeshScan *s) { return (size_t)(s->end - s->at); }

// Notes the error with the current line and returns false.
bool dv_mesh_fail(dvMeshScan *s, const char *format, ...) DV_PRINTF(2, 3);

// Next word of text, without the white space before it. False at the end (of the line with
// one_line); that is not an error.
bool dv_mesh_scan_word(dvMeshScan *s, const char **word, size_t *length);
bool dv_mesh_word_is(const char *word, size_t length, const char *wanted);
// Rest of the current line, trimmed, and steps behind the line.
void dv_mesh_scan_rest(dvMeshScan *s, const char **rest, size_t *length);
void dv_mesh_skip_line(dvMeshScan *s);

// Numbers. In binary mode an int has 4 bytes, a size 8, a real 8. `what` names the number in errors.
bool dv_mesh_scan_int(dvMeshScan *s, const char *what, int *out);
bool dv_mesh_scan_size(dvMeshScan *s, const char *what, int64_t *out);
bool dv_mesh_scan_real(dvMeshScan *s, const char *what, double *out);         // finite
bool dv_mesh_scan_text_size(dvMeshScan *s, const char *what, int64_t *out);   // text in binary files too

// A count that is not negative, and whose elements of at least `bytes` each fit in what is left.
bool dv_mesh_check_count(dvMeshScan *s, const char *what, int64_t count, size_t bytes);

// Ends a list of a CSR layout at position `end` of its index array.
void dv_mesh_close_list(dvMeshIndices *offset, size_t end);

#endif

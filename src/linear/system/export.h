// What writers of matrices share: when and how a matrix goes to a file.
//
// Formats: txt (rows of numbers), csv, mtx (MatrixMarket), pgm and jpg (pictures). A file a step, numbered, when
// exportEveryNumberOfSteps is given.
#ifndef DV_LINEAR_SYSTEM_EXPORT_H
#define DV_LINEAR_SYSTEM_EXPORT_H

#include "math/block_matrix.h"
#include "object/object.h"

enum { DV_MATRIX_TXT, DV_MATRIX_CSV, DV_MATRIX_MTX, DV_MATRIX_PGM, DV_MATRIX_JPG };

#define DV_MATRIX_EXPORT_FIELDS(X)                                                                 \
  X(string, filename, "", "", "file to write, without extension; the component's name by default") \
  X(int, exportEveryNumberOfSteps, "0", "", "write after every so many steps; 0 for never")        \
  X(bool, exportAtBegin, "0", "", "write after the first step")                                    \
  X(bool, exportAtEnd, "0", "", "write when the scene is closed")                                  \
  X(bool, enable, "1", "", "write at all")
#define DV_MATRIX_EXPORTER_FIELDS(X)                                             \
  X(choice, format, "txt", "", "kind of file", .options = "txt|csv|mtx|pgm|jpg") \
  X(int, precision, "6", "", "significant digits of txt and csv")
#define DV_MATRIX_IMAGE_FIELDS(X) X(string, bitmap, "", "", "accepted for compatibility", .flags = DV_HIDDEN)

typedef struct dvMatrixExport {
  dvObject base;
  DV_MATRIX_EXPORT_FIELDS(DV_MEMBER)
  DV_MATRIX_EXPORTER_FIELDS(DV_MEMBER)
  DV_MATRIX_IMAGE_FIELDS(DV_MEMBER)
  const dvBlockMatrix *(*matrix)(struct dvMatrixExport *e);   // as it is now; NULL when there is none, which it tells
  long steps;
  bool warned;
} dvMatrixExport;
extern const dvFieldBlock dv_matrix_export_block, dv_matrix_exporter_block, dv_matrix_image_block;

extern const dvMemoryDesc dv_matrix_export_memory[1];

dvStatus dv_matrix_export_init(dvObject *o, const dvBlockMatrix *(*matrix)(dvMatrixExport *e), bool picture);
void dv_matrix_export_handle_event(dvObject *o, const dvEvent *event);
void dv_matrix_export_cleanup(dvObject *o);

// A class of them: its struct, which begins with dvMatrixExport, its own fields, and the block of its kind of file.
#define DV_MATRIX_EXPORT_CLASS(name_, help_, struct_, fields, kind)                                                  \
  .struct_size = sizeof(dvClass), .name = name_, .help = help_, .module = "SofaMatrix",                              \
  .roles = DV_PLAYS(DV_ROLE_EXPORTER), .size = sizeof(struct_),                                                      \
  .blocks = {&dv_object_block, &dv_matrix_export_block, DV_BLOCK(fields), kind}, DV_MEMORY(dv_matrix_export_memory), \
  .cleanup = dv_matrix_export_cleanup, .handle_event = dv_matrix_export_handle_event

#endif

// Looking at matrices: GlobalSystemMatrixExporter writes the matrix of a linear system as numbers,
// GlobalSystemMatrixImage as a picture of its entries. See export.h.
#include "linear/system/export.h"

#include "base/file.h"
#include "io/mesh/image.h"
#include "linear/classes.h"
#include "linear/solver.h"
#include "linear/system/system.h"

#include <stdio.h>

enum { LARGEST_TEXT = 5000, PIXELS = 1000 };   // rows of a full table of numbers; side of a picture

#define SYSTEM_FIELDS(X)                                                                       \
  X(link, linearSystem, "", "",                                                                \
    "system whose matrix is written; by default the one of the node, or of its linear solver", \
    .role = DV_ROLE_LINEAR_SYSTEM)

typedef struct Export {
  dvMatrixExport base;
  SYSTEM_FIELDS(DV_MEMBER)
} Export;

#define SELF dvMatrixExport
static const dvFieldDesc export_fields[] = {DV_MATRIX_EXPORT_FIELDS(DV_DESCRIBE)};
static const dvFieldDesc exporter_fields[] = {DV_MATRIX_EXPORTER_FIELDS(DV_DESCRIBE)};
static const dvFieldDesc image_fields[] = {DV_MATRIX_IMAGE_FIELDS(DV_DESCRIBE)};
const dvMemoryDesc dv_matrix_export_memory[1] = {DV_REMEMBER(numbers, steps)};
#undef SELF
#define SELF Export
static const dvFieldDesc system_fields[] = {SYSTEM_FIELDS(DV_DESCRIBE)};
#undef SELF
const dvFieldBlock dv_matrix_export_block = {export_fields, (int)DV_COUNT(export_fields)};
const dvFieldBlock dv_matrix_exporter_block = {exporter_fields, (int)DV_COUNT(exporter_fields)};
const dvFieldBlock dv_matrix_image_block = {image_fields, (int)DV_COUNT(image_fields)};

// --- files ---------------------------------------------------------------------------------------

dvStatus dv_matrix_export_init(dvObject *o, const dvBlockMatrix *(*matrix)(dvMatrixExport *e), bool picture)
{
  dvMatrixExport *e = (dvMatrixExport *)o;
  e->matrix = matrix;
  if (picture) e->format = DV_MATRIX_PGM;
  if (e->exportEveryNumberOfSteps < 0)
    return dv_field_error(o, &e->exportEveryNumberOfSteps, NULL, "the number of steps is negative");
  return DV_OK;
}

static bool write_table(const dvBlockMatrix *a, const char *path, char separator, int digits)
{
  FILE *f = dv_file_write(path, "w");
  if (!f) return false;
  size_t rows = dv_block_matrix_rows(a), cols = dv_block_matrix_cols(a);
  for (size_t i = 0; i < rows; i++)
    for (size_t j = 0; j < cols; j++)
      dv_print(f, "%.*g%c", digits, dv_block_matrix_entry(a, i, j), j + 1 < cols ? separator : '\n');
  bool good = !ferror(f);
  return fclose(f) == 0 && good;
}

static bool write_jpeg(const dvBlockMatrix *a, const char *path)
{
  size_t side;
  unsigned char *grey = dv_block_matrix_draw(a, PIXELS, &side);
  const dvImage image = {(int)side, (int)side, 1, grey};
  const bool good = grey && dv_image_write_jpeg(path, &image, NULL) == DV_OK;
  dv_free(grey);
  return good;
}

static bool write_matrix(const dvMatrixExport *e, const dvBlockMatrix *a, const char *path)
{
  const int digits = dv_max_int(1, dv_min_int(e->precision, 17));
  switch (e->format) {
  case DV_MATRIX_PGM:
    return dv_block_matrix_write_picture(a, path, PIXELS);
  case DV_MATRIX_JPG:
    return write_jpeg(a, path);
  case DV_MATRIX_MTX:
    return dv_block_matrix_write_mtx(a, path);
  default:
    return write_table(a, path, e->format == DV_MATRIX_CSV ? ',' : ' ', digits);
  }
}

static void export_write(dvMatrixExport *e)
{
  static const char *const extensions[] = {"txt", "csv", "mtx", "pgm", "jpg"};
  dvObject *o = &e->base;
  const dvBlockMatrix *a = e->matrix(e);
  if (!a || ((e->format == DV_MATRIX_TXT || e->format == DV_MATRIX_CSV) && dv_block_matrix_rows(a) > LARGEST_TEXT)) {
    if (!e->warned && a)
      dv_warning(o, "use format=\"mtx\"", "a table of %zu rows is not written", dv_block_matrix_rows(a));
    e->warned = e->warned || a;
    return;
  }
  const char *name = e->filename && *e->filename ? e->filename : o->name;
  char *path = e->exportEveryNumberOfSteps ? dv_format("%s%05ld.%s", name, e->steps, extensions[e->format])
                                           : dv_format("%s.%s", name, extensions[e->format]);
  if (!write_matrix(e, a, path) && !e->warned) {
    dv_warning(o, NULL, "the file %s cannot be written", path);
    e->warned = true;
  }
  dv_free(path);
}

void dv_matrix_export_handle_event(dvObject *o, const dvEvent *event)
{
  dvMatrixExport *e = (dvMatrixExport *)o;
  if (event->kind != DV_EVENT_ANIMATE_END || !e->enable) return;
  e->steps++;
  bool turn = e->exportEveryNumberOfSteps > 0 && e->steps % e->exportEveryNumberOfSteps == 0;
  if (turn || (e->exportAtBegin && e->steps == 1)) export_write(e);
}

void dv_matrix_export_cleanup(dvObject *o)
{
  dvMatrixExport *e = (dvMatrixExport *)o;
  if (e->exportAtEnd && e->enable && e->steps > 0) export_write(e);
}

// --- linear systems ------------------------------------------------------------------------------

static const dvBlockMatrix *system_matrix(dvMatrixExport *e)
{
  // a solver makes a system of its own where there is none; it may have none as yet, or one without a matrix
  dvObject *system = ((Export *)e)->linearSystem.target,
           *solver = system ? NULL : dv_node_find_up(e->base.node, DV_ROLE_LINEAR_SOLVER);
  if (solver) system = dv_linear_solver(solver)->system;
  const dvBlockMatrix *a = system ? dv_linear_system_matrix(system) : NULL;
  if (!a && !e->warned)
    dv_warning(&e->base, "solve with an assembled system", "%s has no matrix to write",
               (solver ? solver : system)->name);
  e->warned = e->warned || !a;
  return a;
}

static dvStatus export_init(dvObject *o)
{
  Export *e = (Export *)o;
  if (!e->linearSystem.target) e->linearSystem.target = dv_node_find_up(o->node, DV_ROLE_LINEAR_SYSTEM);
  if (!e->linearSystem.target && !dv_node_find_up(o->node, DV_ROLE_LINEAR_SOLVER))
    return dv_error(o, "add a MatrixLinearSystem and give linearSystem=\"@name\"",
                    "%s finds no linear system and no linear solver in its node or above", o->cls->name);
  return dv_matrix_export_init(o, system_matrix, o->cls == &dv_matrix_image_class);
}

const dvClass dv_matrix_exporter_class = {
    DV_MATRIX_EXPORT_CLASS("GlobalSystemMatrixExporter", "writes the matrix of a linear system to a file", Export,
                           system_fields, &dv_matrix_exporter_block),
    .init = export_init,
};
const dvClass dv_matrix_image_class = {
    DV_MATRIX_EXPORT_CLASS("GlobalSystemMatrixImage",
                           "writes a picture of the entries of the matrix of a linear system", Export, system_fields,
                           &dv_matrix_image_block),
    .init = export_init,
};

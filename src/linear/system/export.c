// Looking at matrices: GlobalSystemMatrixExporter writes the matrix of a linear system as numbers,
// GlobalSystemMatrixImage as a picture of its entries.
//
// Formats: txt (rows of numbers), csv, mtx (MatrixMarket), jpg and pgm (pictures). A file a step, numbered, when
// exportEveryNumberOfSteps is given.
#include "linear/classes.h"
#include "linear/solver.h"
#include "linear/system/system.h"

#include "io/mesh/image.h"

#include <stdio.h>

enum { FORMAT_TXT, FORMAT_CSV, FORMAT_MTX, FORMAT_PGM, FORMAT_JPG };
enum { LARGEST_TEXT = 5000, PIXELS = 1000 };   // rows of a full table of numbers; side of a picture

#define EXPORT_FIELDS(X)                                                                           \
  X(string, filename, "", "", "file to write, without extension; the component's name by default") \
  X(int, exportEveryNumberOfSteps, "0", "", "write after every so many steps; 0 for never")        \
  X(bool, exportAtBegin, "0", "", "write after the first step")                                    \
  X(bool, exportAtEnd, "0", "", "write when the scene is closed")                                  \
  X(bool, enable, "1", "", "write at all")                                                         \
  X(link, linearSystem, "", "",                                                                    \
    "system whose matrix is written; by default the one of the node, or of its linear solver",     \
    .role = DV_ROLE_LINEAR_SYSTEM)
#define EXPORTER_FIELDS(X)                                                       \
  X(choice, format, "txt", "", "kind of file", .options = "txt|csv|mtx|pgm|jpg") \
  X(int, precision, "6", "", "significant digits of txt and csv")
#define IMAGE_FIELDS(X) X(string, bitmap, "", "", "accepted for compatibility", .flags = DV_HIDDEN)

typedef struct Export {
  dvObject base;
  EXPORT_FIELDS(DV_MEMBER)
  EXPORTER_FIELDS(DV_MEMBER)
  IMAGE_FIELDS(DV_MEMBER)
  long steps;
  bool warned;
} Export;

#define SELF Export
static const dvFieldDesc export_fields[] = {EXPORT_FIELDS(DV_DESCRIBE)};
static const dvFieldDesc exporter_fields[] = {EXPORTER_FIELDS(DV_DESCRIBE)};
static const dvFieldDesc image_fields[] = {IMAGE_FIELDS(DV_DESCRIBE)};
static const dvMemoryDesc export_memory[] = {DV_REMEMBER(numbers, steps)};
#undef SELF

static dvStatus export_init(dvObject *o)
{
  Export *e = (Export *)o;
  if (o->cls == &dv_matrix_image_class) e->format = FORMAT_PGM;
  if (!e->linearSystem.target) e->linearSystem.target = dv_node_find_up(o->node, DV_ROLE_LINEAR_SYSTEM);
  if (!e->linearSystem.target && !dv_node_find_up(o->node, DV_ROLE_LINEAR_SOLVER))
    return dv_error(o, "add a MatrixLinearSystem and give linearSystem=\"@name\"",
                    "%s finds no linear system and no linear solver in its node or above", o->cls->name);
  if (e->exportEveryNumberOfSteps < 0)
    return dv_field_error(o, &e->exportEveryNumberOfSteps, NULL, "the number of steps is negative");
  return DV_OK;
}

static bool write_table(const dvBlockMatrix *a, const char *path, char separator, int digits)
{
  FILE *f = fopen(path, "w");
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

static bool write_matrix(const Export *e, const dvBlockMatrix *a, const char *path)
{
  const int digits = dv_max_int(1, dv_min_int(e->precision, 17));
  switch (e->format) {
  case FORMAT_PGM:
    return dv_block_matrix_write_picture(a, path, PIXELS);
  case FORMAT_JPG:
    return write_jpeg(a, path);
  case FORMAT_MTX:
    return dv_block_matrix_write_mtx(a, path);
  default:
    return write_table(a, path, e->format == FORMAT_CSV ? ',' : ' ', digits);
  }
}

static void export_write(Export *e)
{
  static const char *const extensions[] = {"txt", "csv", "mtx", "pgm", "jpg"};
  dvObject *o = &e->base;
  // a solver makes a system of its own where there is none; it may have none as yet, or one without a matrix
  dvObject *solver = e->linearSystem.target ? NULL : dv_node_find_up(o->node, DV_ROLE_LINEAR_SOLVER);
  dvObject *system = solver ? dv_linear_solver(solver)->system : e->linearSystem.target;
  const dvBlockMatrix *a = system ? dv_linear_system_matrix(system) : NULL;
  if (!a || ((e->format == FORMAT_TXT || e->format == FORMAT_CSV) && dv_block_matrix_rows(a) > LARGEST_TEXT)) {
    if (!e->warned && !a)
      dv_warning(o, "solve with an assembled system", "%s has no matrix to write",
                 system && solver ? solver->name
                 : system         ? system->name
                                  : "the solver");
    if (!e->warned && a)
      dv_warning(o, "use format=\"mtx\"", "a table of %zu rows is not written", dv_block_matrix_rows(a));
    e->warned = true;
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

static void export_handle_event(dvObject *o, const dvEvent *event)
{
  Export *e = (Export *)o;
  if (event->kind != DV_EVENT_ANIMATE_END || !e->enable) return;
  e->steps++;
  bool turn = e->exportEveryNumberOfSteps > 0 && e->steps % e->exportEveryNumberOfSteps == 0;
  if (turn || (e->exportAtBegin && e->steps == 1)) export_write(e);
}

static void export_cleanup(dvObject *o)
{
  Export *e = (Export *)o;
  if (e->exportAtEnd && e->enable && e->steps > 0) export_write(e);
}

#define EXPORT_CLASS(variable, name_, help_, more)                           \
  const dvClass variable = {                                                 \
      .struct_size = sizeof(dvClass),                                        \
      .name = name_,                                                         \
      .help = help_,                                                         \
      .module = "SofaMatrix",                                                \
      .roles = DV_PLAYS(DV_ROLE_EXPORTER),                                   \
      .size = sizeof(Export),                                                \
      .blocks = {&dv_object_block, DV_BLOCK(export_fields), DV_BLOCK(more)}, \
      .init = export_init,                                                   \
      DV_MEMORY(export_memory),                                              \
      .cleanup = export_cleanup,                                             \
      .handle_event = export_handle_event,                                   \
  }

EXPORT_CLASS(dv_matrix_exporter_class, "GlobalSystemMatrixExporter", "writes the matrix of a linear system to a file",
             exporter_fields);
EXPORT_CLASS(dv_matrix_image_class, "GlobalSystemMatrixImage",
             "writes a picture of the entries of the matrix of a linear system", image_fields);

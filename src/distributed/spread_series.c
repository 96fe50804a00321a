// Series for ParaView of a body over several processes: each writes a piece, a .vtu file of the elements whose first
// corner it owns; rank 0 writes the .pvtu that joins them and the .pvd that lists those. See spread.h.
#include "distributed/spread.h"

#include "base/file.h"
#include "io/mesh/write_vtk.h"
#include "state/state.h"

#include <errno.h>
#include <string.h>

struct dvSpreadSeries {
  dvSpread *body;
  char *directory;
  dvPvd *pvd, *outputs;   // of rank 0; outputs: NULL where nothing follows the body
  int frames;
  dvMeshIndices cells[2];     // tetrahedra, hexahedra, with the numbers of the piece
  DV_ARRAY(int32_t) points;   // of the piece: their numbers here
  DV_ARRAY(double) position, displacement, velocity, part;
};

static const struct {
  const char *field;
  dvMeshKind kind;
} kinds[2] = {{"tetrahedra", DV_MESH_TETRAHEDRON}, {"hexahedra", DV_MESH_HEXAHEDRON}};

static void choose_cells(dvSpreadSeries *s)
{
  const dvSpread *b = s->body;
  int32_t *number = dv_alloc((b->parts.points + 1) * sizeof *number);
  for (size_t k = 0; k < DV_COUNT(kinds); k++) {
    const dvField *f = dv_object_field(b->loader, kinds[k].field);
    const dvInts *list = f->value;
    const size_t width = (size_t)dv_mesh_corners(kinds[k].kind);
    for (size_t e = 0; e + width <= list->count; e += width) {
      if ((size_t)list->data[e] >= b->parts.owned) continue;
      for (size_t i = 0; i < width; i++) {
        const int32_t p = list->data[e + i];
        if (!number[p]) {
          dv_push(&s->points, p);
          number[p] = (int32_t)s->points.count;
        }
        dv_push(&s->cells[k], number[p] - 1);
      }
    }
  }
  dv_free(number);
}

static void lost(const dvSpread *b, const char *path)
{
  char *text = dv_format("cannot be written by rank %d: %s", b->rank, strerror(errno));
  dv_log_send(&b->context->log,
              &(dvMessage){.level = DV_ERROR, .status = DV_ERROR_INPUT, .place = {path, 0}, .text = text});
  dv_free(text);
}

dvSpreadSeries *dv_spread_series_create(dvSpread *b, const char *directory)
{
  dvSpreadSeries *s = dv_alloc(sizeof *s);
  s->body = b;
  s->directory = dv_strdup(directory);
  bool good = dv_make_directories(directory);
  char *path = dv_path_join(directory, "mechanics.pvd");
  if (good && b->rank == 0) good = (s->pvd = dv_pvd_create(path)) != NULL;
  dv_free(path);
  path = dv_path_join(directory, "visual.pvd");
  if (good && b->rank == 0 && b->outputs.count) good = (s->outputs = dv_pvd_create(path)) != NULL;
  dv_free(path);
  if (!good) lost(b, directory);
  if (b->engine->worst(good ? DV_OK : DV_ERROR_INPUT) != DV_OK) {
    dv_spread_series_close(&s);
    return NULL;
  }
  choose_cells(s);
  return s;
}

static void fill(dvSpreadSeries *s)
{
  dvState *state = dv_spread_state(s->body);
  const double *x = dv_state_read(state, DV_X), *v = dv_state_read(state, DV_V);
  const double *x0 = dv_state_has(state, DV_X_REST) ? dv_state_read(state, DV_X_REST) : x;
  s->position.count = s->displacement.count = s->velocity.count = s->part.count = 0;
  for (size_t i = 0; i < s->points.count; i++) {
    const size_t p = 3 * (size_t)s->points.data[i];
    for (size_t k = 0; k < 3; k++) {
      dv_push(&s->position, x[p + k]);
      dv_push(&s->displacement, x[p + k] - x0[p + k]);
      dv_push(&s->velocity, v[p + k]);
    }
    dv_push(&s->part, (double)s->body->rank);
  }
}

static char *piece_name(int frame, int rank) { return dv_format("piece_%05d_%05d.vtu", frame, rank); }

static dvStatus write_piece(dvSpreadSeries *s)
{
  fill(s);
  dvVtuBlock blocks[2];
  size_t count = 0;
  for (size_t k = 0; k < DV_COUNT(kinds); k++)
    if (s->cells[k].count)
      blocks[count++] =
          (dvVtuBlock){kinds[k].kind, s->cells[k].data, s->cells[k].count / (size_t)dv_mesh_corners(kinds[k].kind)};
  const dvVtuField fields[] = {
      {"displacement", s->displacement.data, 3}, {"velocity", s->velocity.data, 3}, {"part", s->part.data, 1}};
  const dvVtuGrid grid = {.points = s->position.data,
                          .point_count = s->points.count,
                          .blocks = blocks,
                          .block_count = count,
                          .fields = fields,
                          .field_count = DV_COUNT(fields)};
  char *name = piece_name(s->frames, s->body->rank), *path = dv_path_join(s->directory, name);
  const dvStatus status = dv_vtu_write(path, &grid);
  if (status != DV_OK) lost(s->body, path);
  dv_free(name), dv_free(path);
  return status;
}

static dvStatus write_join(dvSpreadSeries *s)
{
  static const dvVtuField fields[] = {{"displacement", NULL, 3}, {"velocity", NULL, 3}, {"part", NULL, 1}};
  const size_t count = (size_t)s->body->size;
  char *name = dv_format("mechanics_%05d.pvtu", s->frames), *path = dv_path_join(s->directory, name);
  char **pieces = dv_alloc(count * sizeof *pieces);
  for (size_t r = 0; r < count; r++) pieces[r] = piece_name(s->frames, (int)r);
  dvStatus status = dv_pvtu_write(path, pieces, count, fields, DV_COUNT(fields));
  if (status == DV_OK) status = dv_pvd_add(s->pvd, s->body->scene->root->time, name);
  if (status != DV_OK) lost(s->body, path);
  for (size_t r = 0; r < count; r++) dv_free(pieces[r]);
  dv_free(pieces), dv_free(name), dv_free(path);
  return status;
}

// --- what follows the body -----------------------------------------------------------------------

// cells of a visual model, or of the topology beside a state
static void add_cells(const dvState *state, size_t base, dvMeshIndices cells[2])
{
  static const char *const names[2] = {"triangles", "quads"};
  const dvObject *o = &state->base,
                 *owner = dv_object_field(o, "triangles") ? o : dv_node_find(o->node, DV_ROLE_TOPOLOGY);
  for (int k = 0; owner && k < 2; k++) {
    const dvField *f = dv_object_field(owner, names[k]);
    const dvInts *list = f && f->desc->type == DV_T_INTS ? f->value : NULL;
    for (size_t i = 0; list && i < list->count; i++)
      if (list->data[i] < 0 || (size_t)list->data[i] >= state->count) list = NULL;
    for (size_t i = 0; list && i < list->count; i++) dv_push(&cells[k], list->data[i] + (int32_t)base);
  }
}

static dvStatus write_outputs(dvSpreadSeries *s)
{
  const dvSpread *b = s->body;
  DV_ARRAY(double) points = {0};
  dvMeshIndices cells[2] = {0};
  for (size_t i = 0; i < b->outputs.count; i++) {
    const dvState *state = b->outputs.data[i].state;
    double *x = dv_spread_gather_output(b, i, DV_X);
    if (x) add_cells(state, points.count / 3, cells);
    for (size_t k = 0; x && k < 3 * state->count; k++) dv_push(&points, x[k]);
    dv_free(x);
  }
  dvStatus status = DV_OK;
  if (b->rank == 0) {
    const dvVtuBlock blocks[2] = {{DV_MESH_TRIANGLE, cells[0].data, cells[0].count / 3},
                                  {DV_MESH_QUAD, cells[1].data, cells[1].count / 4}};
    const dvVtuGrid grid = {.points = points.data,
                            .point_count = points.count / 3,
                            .blocks = blocks,
                            .block_count = cells[0].count + cells[1].count ? 2 : 0};
    char *name = dv_format("visual_%05d.vtu", s->frames), *path = dv_path_join(s->directory, name);
    status = dv_vtu_write(path, &grid);
    if (status == DV_OK) status = dv_pvd_add(s->outputs, b->scene->root->time, name);
    if (status != DV_OK) lost(b, path);
    dv_free(name), dv_free(path);
  }
  dv_array_free(&points), dv_array_free(&cells[0]), dv_array_free(&cells[1]);
  return status;
}

dvStatus dv_spread_series_add(dvSpreadSeries *s)
{
  dvStatus status = write_piece(s);
  if (status == DV_OK && s->body->rank == 0) status = write_join(s);
  if (s->body->outputs.count) {
    const dvStatus outputs = write_outputs(s);
    if (status == DV_OK) status = outputs;
  }
  s->frames++;
  return (dvStatus)s->body->engine->worst((int)status);
}

dvStatus dv_spread_series_close(dvSpreadSeries **series)
{
  dvSpreadSeries *s = *series;
  if (!s) return DV_OK;
  dvStatus status = s->pvd ? dv_pvd_close(&s->pvd) : DV_OK;
  const dvStatus other = s->outputs ? dv_pvd_close(&s->outputs) : DV_OK;
  if (status == DV_OK) status = other;
  for (size_t k = 0; k < DV_COUNT(kinds); k++) dv_array_free(&s->cells[k]);
  dv_array_free(&s->points), dv_array_free(&s->position), dv_array_free(&s->displacement);
  dv_array_free(&s->velocity), dv_array_free(&s->part);
  dv_free(s->directory);
  dv_free(s);
  *series = NULL;
  return status;
}

int dv_spread_series_frames(const dvSpreadSeries *s) { return s->frames; }

// Series for ParaView: `mechanics.pvd` shows the states with their elements, `visual.pvd` the visual models. See
// dump.h.
#include "app/dump.h"

#include "base/file.h"
#include "io/mesh/write_vtk.h"
#include "mechanics/mechanics.h"
#include "topology/topology.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

// Everything that goes into one file: points of several objects behind each other.
typedef struct Merged {
  DV_ARRAY(double) points;
  DV_ARRAY(double) displacement;
  DV_ARRAY(double) velocity;
  DV_ARRAY(double) object;
  dvMeshIndices cells[DV_MESH_KINDS];
} Merged;

struct dvSeries {
  dvScene *scene;
  char *directory;
  dvPvd *mechanics, *visual;
  int frames;
  Merged merged;
};

static void merged_clear(Merged *m)
{
  m->points.count = m->displacement.count = m->velocity.count = m->object.count = 0;
  for (int k = 0; k < DV_MESH_KINDS; k++) m->cells[k].count = 0;
}

static void merged_free(Merged *m)
{
  dv_array_free(&m->points);
  dv_array_free(&m->displacement);
  dv_array_free(&m->velocity);
  dv_array_free(&m->object);
  for (int k = 0; k < DV_MESH_KINDS; k++) dv_array_free(&m->cells[k]);
}

static const struct {
  const char *field;
  dvMeshKind kind;
} fields_of_kind[] = {{"hexahedra", DV_MESH_HEXAHEDRON},
                      {"tetrahedra", DV_MESH_TETRAHEDRON},
                      {"prisms", DV_MESH_PRISM},
                      {"pyramids", DV_MESH_PYRAMID},
                      {"quads", DV_MESH_QUAD},
                      {"triangles", DV_MESH_TRIANGLE},
                      {"edges", DV_MESH_EDGE}};

// the cells of the highest dimension that `owner` has; solids go before surfaces before lines
static void add_cells(Merged *m, const dvObject *owner, size_t base, size_t count)
{
  int dimension = 0;
  for (size_t i = 0; i < DV_COUNT(fields_of_kind); i++) {
    const dvField *f = dv_object_field(owner, fields_of_kind[i].field);
    if (!f || f->desc->type != DV_T_INTS) continue;
    const dvInts *list = f->value;
    int own = i < 4 ? 3 : i < 6 ? 2 : 1;
    if (list->count == 0 || own < dimension) continue;
    dimension = own;
    dvMeshIndices *cells = &m->cells[fields_of_kind[i].kind];
    size_t first = cells->count;
    for (size_t k = 0; k < list->count; k++) {
      if (list->data[k] < 0 || (size_t)list->data[k] >= count) {
        cells->count = first;
        return;
      }
      dv_push(cells, list->data[k] + (int32_t)base);
    }
  }
}

static void add_state(Merged *m, dvState *s, const dvObject *elements, int number)
{
  size_t base = m->points.count / 3;
  const dvDof *dof = s->base.dof;
  const double *x = dv_state_read(s, DV_X), *x0 = dv_state_has(s, DV_X_REST) ? dv_state_read(s, DV_X_REST) : x;
  const double *v = dv_state_has(s, DV_V) ? dv_state_read(s, DV_V) : NULL;
  for (size_t i = 0; i < s->count; i++) {
    double p[3], p0[3];
    dv_dof_point(dof, x + i * (size_t)dof->coord, p);
    dv_dof_point(dof, x0 + i * (size_t)dof->coord, p0);
    for (int k = 0; k < 3; k++) {
      dv_push(&m->points, p[k]);
      dv_push(&m->displacement, p[k] - p0[k]);
      dv_push(&m->velocity, v && k < dof->space ? v[i * (size_t)dof->deriv + (size_t)k] : 0);
    }
    dv_push(&m->object, number);
  }
  if (elements) add_cells(m, elements, base, s->count);
}

static dvStatus write_frame(dvSeries *s, dvPvd *pvd, const char *stem)
{
  Merged *m = &s->merged;
  dvVtuBlock blocks[DV_MESH_KINDS];
  size_t block_count = 0;
  for (int k = 0; k < DV_MESH_KINDS; k++)
    if (m->cells[k].count)
      blocks[block_count++] =
          (dvVtuBlock){(dvMeshKind)k, m->cells[k].data, m->cells[k].count / (size_t)dv_mesh_corners((dvMeshKind)k)};
  const dvVtuField fields[] = {
      {"displacement", m->displacement.data, 3}, {"velocity", m->velocity.data, 3}, {"object", m->object.data, 1}};
  dvVtuGrid grid = {.points = m->points.data,
                    .point_count = m->points.count / 3,
                    .blocks = blocks,
                    .block_count = block_count,
                    .fields = fields,
                    .field_count = DV_COUNT(fields)};
  char *name = dv_format("%s_%05d.vtu", stem, s->frames), *path = dv_path_join(s->directory, name);
  dvStatus status = dv_vtu_write(path, &grid);
  if (status == DV_OK) status = dv_pvd_add(pvd, s->scene->root->time, name);
  dv_free(path);
  dv_free(name);
  return status;
}

dvStatus dv_series_add(dvSeries *s)
{
  const dvPlan *plan = s->scene->plan;
  merged_clear(&s->merged);
  for (size_t i = 0; i < plan->states.count; i++) {
    dvObject *o = plan->states.data[i];
    add_state(&s->merged, dv_state(o), dv_node_find(o->node, DV_ROLE_TOPOLOGY), (int)i);
  }
  DV_TRY(write_frame(s, s->mechanics, "mechanics"));
  if (s->visual) {
    merged_clear(&s->merged);
    for (size_t i = 0; i < plan->visuals.count; i++)
      if (dv_plays(plan->visuals.data[i], DV_ROLE_STATE))
        add_state(&s->merged, dv_state(plan->visuals.data[i]), plan->visuals.data[i], (int)i);
    DV_TRY(write_frame(s, s->visual, "visual"));
  }
  s->frames++;
  return DV_OK;
}

// Removes the frames that a list of an earlier run in this directory names, and only those; returns how many.
static size_t remove_frames(const char *directory, const char *stem)
{
  char *name = dv_format("%s.pvd", stem), *list = dv_path_join(directory, name), *text = dv_file_read(list, NULL),
       *entry = dv_format("file=\"%s_", stem);
  size_t removed = 0;
  for (char *at = text; at && (at = strstr(at, entry));) {
    at += strlen("file=\"");
    size_t length = strcspn(at, "\""), digits = strspn(at + strlen(stem) + 1, "0123456789");
    if (digits < 5 || length != strlen(stem) + 1 + digits + strlen(".vtu") ||
        strncmp(at + length - strlen(".vtu"), ".vtu", strlen(".vtu")) != 0)
      continue;
    char *frame = dv_strndup(at, length), *path = dv_path_join(directory, frame);
    removed += remove(path) == 0;
    dv_free(path);
    dv_free(frame);
  }
  if (removed) remove(list);
  dv_free(text), dv_free(list), dv_free(name), dv_free(entry);
  return removed;
}

// frames of a longer run would stand behind those of this one
static void make_room(dvScene *scene, const char *directory)
{
  size_t frames = remove_frames(directory, "mechanics");
  frames += remove_frames(directory, "visual");
  if (!frames) return;
  char *text = dv_format("removed %zu file%s of an earlier series", frames, frames == 1 ? "" : "s");
  dv_log_send(&scene->context->log, &(dvMessage){.level = DV_NOTE, .place = {directory, 0}, .text = text});
  dv_free(text);
}

dvSeries *dv_series_create(dvScene *scene, const char *directory)
{
  dvSeries *s = dv_alloc(sizeof *s);
  s->scene = scene;
  s->directory = dv_strdup(directory);
  bool good = dv_make_directories(directory);
  if (good) make_room(scene, directory);
  char *mechanics = dv_path_join(directory, "mechanics.pvd"), *visual = dv_path_join(directory, "visual.pvd");
  if (good) s->mechanics = dv_pvd_create(mechanics);
  if (good && scene->plan->visuals.count) s->visual = dv_pvd_create(visual);
  dv_free(mechanics);
  dv_free(visual);
  if (s->mechanics && (s->visual || !scene->plan->visuals.count)) return s;
  char *text = dv_format("cannot be written: %s", strerror(errno));
  dv_log_send(&scene->context->log,
              &(dvMessage){.level = DV_ERROR, .status = DV_ERROR_INPUT, .place = {directory, 0}, .text = text});
  dv_free(text);
  dv_series_close(&s);
  return NULL;
}

dvStatus dv_series_close(dvSeries **series)
{
  dvSeries *s = *series;
  if (!s) return DV_OK;
  dvStatus status = s->mechanics ? dv_pvd_close(&s->mechanics) : DV_OK,
           other = s->visual ? dv_pvd_close(&s->visual) : DV_OK;
  merged_free(&s->merged);
  dv_free(s->directory);
  dv_free(s);
  *series = NULL;
  return status != DV_OK ? status : other;
}

int dv_series_frames(const dvSeries *s) { return s->frames; }

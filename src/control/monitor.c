// Monitor: positions, velocities and forces of chosen points, and any fields, written over time: a line for each step
// with the time first, ready for gnuplot.
#include "control/controllers.h"

#include "io/record/record.h"
#include "state/state.h"

#include <string.h>

#define MONITOR_FIELDS(X)                                                                                          \
  X(indices, indices, "0", "", "points to watch")                                                                  \
  X(string, fileName, "", "", "beginning of the names of the files; the component's name by default")              \
  X(bool, ExportPositions, "0", "", "write positions to fileName_x.txt")                                           \
  X(bool, ExportVelocities, "0", "", "write velocities to fileName_v.txt")                                         \
  X(bool, ExportForces, "0", "", "write forces to fileName_f.txt")                                                 \
  X(strings, fields, "", "",                                                                                       \
    "fields of other components, as path.field such as roi.nbIndices (without @), written to fileName_fields.txt") \
  X(bool, showPositions, "0", "", "draw the points", .flags = DV_LOOKS)                                            \
  X(color, PositionsColor, "1 1 0 1", "", "colour of the points", .flags = DV_LOOKS)                               \
  X(bool, showVelocities, "0", "", "draw the velocities", .flags = DV_LOOKS)                                       \
  X(color, VelocitiesColor, "1 1 0 1", "", "colour of the velocities", .flags = DV_LOOKS)                          \
  X(bool, showForces, "0", "", "draw the forces", .flags = DV_LOOKS)                                               \
  X(color, ForcesColor, "1 1 0 1", "", "colour of the forces", .flags = DV_LOOKS)                                  \
  X(real, showMinThreshold, "0.01", "", "smaller vectors are not drawn", .flags = DV_LOOKS)                        \
  X(bool, showTrajectories, "0", "", "draw the paths of the points", .flags = DV_LOOKS)                            \
  X(real, TrajectoriesPrecision, "0.1", "s", "time between drawn points of a path", .flags = DV_LOOKS)             \
  X(color, TrajectoriesColor, "1 1 0 1", "", "colour of the paths", .flags = DV_LOOKS)                             \
  X(real, sizeFactor, "1", "", "size of what is drawn", .flags = DV_LOOKS)

enum { MONITORED = 3 };
static const struct {
  const char *ending, *what;
  int id;
} kinds[MONITORED] = {{"x", "positions", DV_X}, {"v", "velocities", DV_V}, {"f", "forces", DV_F}};

typedef struct Monitor {
  dvObject base;
  MONITOR_FIELDS(DV_MEMBER)
  dvState *state;
  dvRecord files[MONITORED + 1];
  DV_ARRAY(dvField *) watched;
} Monitor;

#define SELF Monitor
static const dvFieldDesc monitor_fields[] = {MONITOR_FIELDS(DV_DESCRIBE)};
#undef SELF

static void start_file(Monitor *m, int which, const char *ending, const char *head)
{
  char *name = dv_format("%s_%s.txt", *m->fileName ? m->fileName : m->base.name, ending);
  if (dv_record_open(&m->files[which], name)) dv_record_add(&m->files[which], m->base.node->scene, head, strlen(head));
  else dv_field_warning(&m->base, &m->fileName, NULL, "%s cannot be written", name);
  dv_free(name);
}

static dvStatus find_fields(Monitor *m)
{
  dvObject *o = &m->base;
  for (size_t i = 0; i < m->fields.count; i++) {
    char *name = NULL;
    dvObject *owner = dv_link_split(o, m->fields.data[i], &name);
    dvField *f = owner && name ? dv_object_field(owner, name) : NULL;
    dv_free(name);
    if (!f) return dv_field_error(o, &m->fields, "write path.field, without @", "%s is no field", m->fields.data[i]);
    dv_push(&m->watched, f);
  }
  return DV_OK;
}

static dvStatus monitor_init(dvObject *o)
{
  Monitor *m = (Monitor *)o;
  const bool wanted[MONITORED] = {m->ExportPositions, m->ExportVelocities, m->ExportForces};
  dvObject *state = dv_node_state_up(o->node);
  DV_TRY(find_fields(m));
  if (state) DV_TRY(dv_object_ensure(state));
  m->state = state ? dv_state(state) : NULL;
  for (int k = 0; k < MONITORED; k++) {
    if (!wanted[k]) continue;
    if (!state) return dv_error(o, "put it into the node of a MechanicalObject", "%s finds no state to watch", o->name);
    for (size_t i = 0; i < m->indices.count; i++)
      if (m->indices.data[i] < 0 || (size_t)m->indices.data[i] >= m->state->count)
        return dv_field_error(o, &m->indices, "indices count from 0", "entry %zu is %d, but there are %zu points", i,
                              m->indices.data[i], m->state->count);
    dvText head = {0};
    dv_text_printf(&head, "# time, then %s of points", kinds[k].what);
    for (size_t i = 0; i < m->indices.count; i++) dv_text_printf(&head, " %d", m->indices.data[i]);
    dv_text_add(&head, "\n");
    start_file(m, k, kinds[k].ending, head.text);
    dv_text_free(&head);
  }
  if (m->watched.count) {
    dvText head = {0};
    dv_text_add(&head, "# time");
    for (size_t i = 0; i < m->fields.count; i++) dv_text_printf(&head, "\t%s", m->fields.data[i]);
    dv_text_add(&head, "\n");
    start_file(m, MONITORED, "fields", head.text);
    dv_text_free(&head);
  }
  return DV_OK;
}

static void write_vectors(const Monitor *m, dvText *line, int id)
{
  size_t width = (size_t)dv_state_width(m->state, id);
  const double *v = dv_state_read(m->state, id);
  for (size_t i = 0; i < m->indices.count; i++)
    for (size_t k = 0; k < width; k++) {
      dv_text_add(line, k ? " " : "\t");
      dv_text_add_real(line, v[(size_t)m->indices.data[i] * width + k]);
    }
}

static void monitor_event(dvObject *o, const dvEvent *event)
{
  Monitor *m = (Monitor *)o;
  if ((event->kind != DV_EVENT_ANIMATE_END && event->kind != DV_EVENT_INIT_DONE) || o->failed) return;
  for (int k = 0; k <= MONITORED; k++) {
    if (!dv_record_is_open(&m->files[k])) continue;
    dvText line = {0};
    dv_text_add_real(&line, o->node->time);
    if (k < MONITORED) write_vectors(m, &line, kinds[k].id);
    for (size_t i = 0; k == MONITORED && i < m->watched.count; i++) {
      dv_text_add(&line, "\t");
      if (dv_field_pull(m->watched.data[i]) == DV_OK) dv_field_print(m->watched.data[i], &line);
    }
    dv_text_add(&line, "\n");
    if (!dv_record_add(&m->files[k], o->node->scene, line.text, line.length)) {
      dv_warning(o, "is the disk full?", "%s cannot write any more", o->name);
      dv_record_close(&m->files[k]);
    }
    dv_text_free(&line);
  }
}

static void monitor_destroy(dvObject *o)
{
  Monitor *m = (Monitor *)o;
  for (int k = 0; k <= MONITORED; k++) dv_record_close(&m->files[k]);
  dv_array_free(&m->watched);
}

static void monitor_remember(dvObject *o, dvMemoryStream *s)
{
  for (int k = 0; k <= MONITORED; k++) dv_record_remember(&((Monitor *)o)->files[k], s);
}

const dvClass dv_monitor_class = {
    .struct_size = sizeof(dvClass),
    .name = "Monitor",
    .help = "writes positions, velocities, forces and fields over time",
    .module = "SofaValidation",
    .dofs = DV_DOF_ALL,
    .roles = DV_PLAYS(DV_ROLE_EXPORTER),
    .size = sizeof(Monitor),
    .blocks = {&dv_object_block, DV_BLOCK(monitor_fields)},
    .init = monitor_init,
    .handle_event = monitor_event,
    .destroy = monitor_destroy,
    .remember = monitor_remember,
};

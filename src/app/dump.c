// Dumps of states and topologies. See dump.h.
#include "app/dump.h"

#include "base/file.h"
#include "state/state.h"
#include "topology/topology.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static dvStatus cannot_write(dvContext *context, const char *path)
{
  char *text = dv_format("cannot be written: %s", strerror(errno));
  dv_log_send(&context->log,
              &(dvMessage){.level = DV_ERROR, .status = DV_ERROR_INPUT, .place = {path, 0}, .text = text});
  dv_free(text);
  return DV_ERROR_INPUT;
}

static dvStatus write_text(dvContext *context, const char *path, const dvText *text)
{
  FILE *f = dv_file_write(path, "wb");
  bool good = f && fwrite(text->text, 1, text->length, f) == text->length;
  if (f && fclose(f) != 0) good = false;
  return good ? DV_OK : cannot_write(context, path);
}

// a name that can be part of a file name
static char *file_part(const char *name)
{
  char *copy = dv_strdup(name);
  for (char *c = copy; *c; c++)
    if (*c == '/' || *c == ' ' || (unsigned char)*c < 32) *c = '_';
  return copy;
}

// --- collecting ----------------------------------------------------------------------------------

typedef struct Collector {
  dvVisitor visitor;
  dvRole role;
  DV_ARRAY(dvObject *) found;
  DV_ARRAY(size_t) listed;   // numbers in found, in the order of the list
} Collector;

static dvWalk collect(dvVisitor *v, dvNode *node)
{
  Collector *c = (Collector *)v;
  size_t before = c->found.count;
  for (size_t i = 0; i < node->objects.count; i++) {
    dvObject *o = node->objects.data[i];
    if (o->failed || (!o->initialised && (c->role != DV_ROLE_STATE || !o->dof))) continue;
    if (c->role == DV_ROLE_STATE ? !dv_is_mechanical_state(o) : !dv_plays(o, c->role)) continue;
    dv_push(&c->listed, c->found.count);
    dv_push(&c->found, o);
  }
  if (c->role != DV_ROLE_TOPOLOGY || c->found.count > before) return DV_WALK_ON;
  // SOFA's recorder asks each node for its topology, and a node without one answers with that above
  const dvObject *above = dv_node_find_up(node, c->role);
  for (size_t i = 0; i < before; i++)
    if (c->found.data[i] == above) dv_push(&c->listed, i);
  return DV_WALK_ON;
}

static Collector collect_role(dvScene *scene, dvRole role)
{
  Collector c = {.visitor = {.top_down = collect, .everything = true}, .role = role};
  dv_visit(scene->root, &c.visitor);
  return c;
}

static bool is_simulated(const dvNode *node)
{
  if (dv_node_find(node, DV_ROLE_ODE)) return true;
  for (size_t i = 0; i < node->parents.count; i++)
    if (is_simulated(node->parents.data[i])) return true;
  return false;
}

// --- states --------------------------------------------------------------------------------------

static void add_vector(dvText *out, const char *label, const double *values, size_t count)
{
  dv_text_printf(out, "  %s=", label);
  for (size_t i = 0; i < count; i++) dv_text_printf(out, " %.17g", values[i]);
  dv_text_add(out, "\n");
}

// A state of a node that is left out (activated="0") was never initialised: as in SOFA it has one point, the first of
// what the scene gives it.
static void add_first(dvText *out, const char *label, dvState *s, const char *name, size_t width)
{
  double none[DV_MAX_COORD] = {0};
  if (width == 7) none[6] = 1;   // a frame that is not turned
  dvField *f = dv_object_field(&s->base, name);
  bool there = f && dv_holds_reals(f->desc->type) && dv_field_pull(f) == DV_OK;
  const dvReals *given = there ? f->value : NULL;
  add_vector(out, label, given && given->count >= width ? given->data : none, width);
}

static dvStatus dump_state(dvState *s, const char *path)
{
  dvText text = {0};
  dv_text_printf(&text, "T= %.17g\n", s->base.node->scene->root->time);
  if (s->base.initialised) {
    add_vector(&text, "X", dv_state_read(s, DV_X), dv_state_scalars(s, DV_X));
    add_vector(&text, "V", dv_state_read(s, DV_V), dv_state_scalars(s, DV_V));
  } else {
    add_first(&text, "X", s, "position", (size_t)s->base.dof->coord);
    add_first(&text, "V", s, "velocity", (size_t)s->base.dof->deriv);
  }
  dvStatus status = write_text(s->base.context, path, &text);
  dv_text_free(&text);
  return status;
}

dvStatus dv_dump_states(dvScene *scene, const char *directory)
{
  if (!dv_make_directories(directory)) return cannot_write(scene->context, directory);
  Collector c = collect_role(scene, DV_ROLE_STATE);
  dvText list = {0};
  dvStatus status = DV_OK;
  dv_text_add(&list, "[");
  for (size_t i = 0; i < c.found.count && status == DV_OK; i++) {
    dvState *s = dv_state(c.found.data[i]);
    char *part = file_part(s->base.name), *file = dv_format("%zu_%s.txt", i, part), *path = dv_object_path(&s->base);
    dv_text_printf(&list, "%s\n {\"index\":%zu,\"path\":", i ? "," : "", i);
    dv_text_add_json(&list, path);
    dv_text_add(&list, ",\"name\":");
    dv_text_add_json(&list, s->base.name);
    dv_text_printf(&list,
                   ",\"template\":\"%s\",\"mapped\":%s,\"simulated\":%s,\"size\":%zu,\"file\":", s->base.dof->name,
                   dv_node_is_mapped(s->base.node) ? "true" : "false", is_simulated(s->base.node) ? "true" : "false",
                   s->base.initialised ? s->count : 1);
    dv_text_add_json(&list, file);
    dv_text_add(&list, "}");
    char *where = dv_path_join(directory, file);
    status = dump_state(s, where);
    dv_free(where);
    dv_free(path);
    dv_free(file);
    dv_free(part);
  }
  dv_text_add(&list, "\n]\n");
  char *json = dv_path_join(directory, "states.json");
  if (status == DV_OK) status = write_text(scene->context, json, &list);
  dv_free(json);
  dv_text_free(&list);
  dv_array_free(&c.found);
  dv_array_free(&c.listed);
  return status;
}

// --- topologies ----------------------------------------------------------------------------------

struct dvTopologyDump {
  dvScene *scene;
  char *directory;
  Collector topologies;
  DV_ARRAY(FILE *) files;
  long step;
};

static const dvElementKind dumped[] = {DV_EDGE, DV_TRIANGLE, DV_QUAD, DV_TETRAHEDRON, DV_HEXAHEDRON};

void dv_topology_dump_step(dvTopologyDump *d)
{
  for (size_t i = 0; i < d->files.count; i++) {
    fprintf(d->files.data[i], "%ld", d->step);
    for (size_t k = 0; k < DV_COUNT(dumped); k++)
      fprintf(d->files.data[i], " %zu", dv_topology_count(dv_topology(d->topologies.found.data[i]), dumped[k]));
    fputc('\n', d->files.data[i]);
  }
  d->step++;
}

dvTopologyDump *dv_topology_dump_create(dvScene *scene, const char *directory)
{
  if (!dv_make_directories(directory)) {
    cannot_write(scene->context, directory);
    return NULL;
  }
  dvTopologyDump *d = dv_alloc(sizeof *d);
  d->scene = scene;
  d->directory = dv_strdup(directory);
  d->topologies = collect_role(scene, DV_ROLE_TOPOLOGY);
  for (size_t i = 0; i < d->topologies.found.count; i++) {
    char *part = file_part(d->topologies.found.data[i]->name), *file = dv_format("%s/%zu_%s.txt", directory, i, part);
    FILE *f = dv_file_write(file, "wb");
    if (f) dv_push(&d->files, f);
    else cannot_write(scene->context, file);
    dv_free(file);
    dv_free(part);
    if (!f) {
      dv_topology_dump_close(&d);
      return NULL;
    }
  }
  dv_topology_dump_step(d);
  return d;
}

static dvStatus dump_elements(dvTopologyDump *d, dvTopology *t, const char *path)
{
  dvText text = {0};
  dv_text_add(&text, "{");
  for (size_t k = 0; k < DV_COUNT(dumped); k++) {
    const dvInts *elements = dv_topology_elements(t, dumped[k]);
    dv_text_printf(&text, "%s\"%s\":[", k ? ",\n" : "", dv_element_name(dumped[k]));
    for (size_t i = 0; i < elements->count; i++) dv_text_printf(&text, "%s%d", i ? "," : "", elements->data[i]);
    dv_text_add(&text, "]");
  }
  dv_text_add(&text, "}\n");
  dvStatus status = write_text(d->scene->context, path, &text);
  dv_text_free(&text);
  return status;
}

// an entry of the list; those of one topology name the same files
static void add_topology(dvText *list, const dvTopologyDump *d, size_t index)
{
  size_t at = d->topologies.listed.data[index];
  const dvObject *o = d->topologies.found.data[at];
  char *part = file_part(o->name), *path = dv_object_path(o);
  dv_text_printf(list, "%s\n {\"index\":%zu,\"path\":", index ? "," : "", index);
  dv_text_add_json(list, path);
  dv_text_add(list, ",\"name\":");
  dv_text_add_json(list, o->name);
  dv_text_printf(list, ",\"file\":\"%zu_%s.txt\",\"elements\":\"%zu_%s.json\"}", at, part, at, part);
  dv_free(path);
  dv_free(part);
}

dvStatus dv_topology_dump_close(dvTopologyDump **dump)
{
  dvTopologyDump *d = *dump;
  if (!d) return DV_OK;
  dvStatus status = DV_OK;
  dvText list = {0};
  for (size_t i = 0; i < d->files.count; i++) {
    dvObject *o = d->topologies.found.data[i];
    char *part = file_part(o->name), *where = dv_format("%s/%zu_%s.json", d->directory, i, part);
    bool whole = !ferror(d->files.data[i]);
    if ((fclose(d->files.data[i]) != 0 || !whole) && status == DV_OK)
      status = cannot_write(d->scene->context, d->directory);
    if (status == DV_OK) status = dump_elements(d, dv_topology(o), where);
    dv_free(where);
    dv_free(part);
  }
  dv_text_add(&list, "[");
  for (size_t i = 0; i < d->topologies.listed.count; i++) add_topology(&list, d, i);
  dv_text_add(&list, "\n]\n");
  char *json = dv_path_join(d->directory, "topologies.json");
  if (status == DV_OK) status = write_text(d->scene->context, json, &list);
  dv_free(json);
  dv_text_free(&list);
  dv_array_free(&d->files);
  dv_array_free(&d->topologies.found);
  dv_array_free(&d->topologies.listed);
  dv_free(d->directory);
  dv_free(d);
  *dump = NULL;
  return status;
}

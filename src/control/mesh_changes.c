// TopologicalChangeProcessor: changes of a mesh at given times, from a file of frames or from fields.
//
//   T= 0.2
//     ADD= Triangles 2
//   0 1 4 1 2 4
//   T= 0.4
//     REMOVE= 3
//   0 5 7
//   T= 1.0
//     INCISE= 2
//   5 6 0 6 6 0
//   T= 1.2
//     CUT= 4
//   0 -1 -1 0 1 -1 0 1 1 0 -1 1
//   T= 1.4
//     SWEEP= 3
//   0 -1 -1 0.2 -1 0 0 -1 1  0 1 -1 0.2 1 0 0 1 1
//
// INCISE= cuts a surface of triangles along a path. Not in SOFA: CUT= cuts tetrahedra, or hexahedra with the surfaces
// that are embedded in them, along a flat convex polygon, SWEEP= along what a blade sweeps whose edge is a polyline,
// given where it begins and where it ends.
// Changes are made when a step begins. Of frames that were passed over in one step only the last one counts. REMOVE=
// takes elements of the kind that the modifier of the topology is for. TopologyBoundingTrasher removes elements whose
// middle has left a box.
#include "io/record/frames.h"
#include "mapping/linear/cut_embedded.h"
#include "state/state.h"
#include "topology/change/modifier.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define PROCESSOR_FIELDS(X)                                                                                        \
  X(file, filename, "", "", "file that tells the changes")                                                         \
  X(string, listChanges, "", "", "no effect: use filename, or useDataInputs", .flags = DV_IDLE)                    \
  X(real, interval, "0", "s", "with useDataInputs: time after which the lists are removed again; 0: never")        \
  X(real, shift, "0", "s", "added to the time of the scene to find the frame")                                     \
  X(bool, loop, "0", "", "begin again at the end of the file")                                                     \
  X(bool, useDataInputs, "0", "", "remove the elements of the lists below instead of reading a file")              \
  X(real, timeToRemove, "0", "s", "with useDataInputs: the lists are removed in the first step after this moment") \
  X(indices, pointsToRemove, "", "", "points to remove")                                                           \
  X(indices, edgesToRemove, "", "", "edges to remove")                                                             \
  X(indices, trianglesToRemove, "", "", "triangles to remove")                                                     \
  X(indices, quadsToRemove, "", "", "quads to remove")                                                             \
  X(indices, tetrahedraToRemove, "", "", "tetrahedra to remove")                                                   \
  X(indices, hexahedraToRemove, "", "", "hexahedra to remove")                                                     \
  X(bool, saveIndicesAtInit, "0", "",                                                                              \
    "places of incisions are those of the material when the scene starts, wherever it is then")                    \
  X(real, epsilonSnapPath, "0.1", "", "share of an edge within which an incision takes its end instead")           \
  X(real, epsilonSnapBorder, "0.25", "", "the same at the border")                                                 \
  X(bool, draw, "0", "", "draw the incisions to come", .flags = DV_LOOKS)                                          \
  X(link, topology, "", "", "topology to change; the one of the node or above by default", .role = DV_ROLE_TOPOLOGY)

typedef struct Processor {
  dvObject base;
  PROCESSOR_FIELDS(DV_MEMBER)
  dvTopology *container;
  dvFrameReader file;
  double next;   // with useDataInputs: the moment after which the lists are removed
} Processor;

#define SELF Processor
static const dvFieldDesc processor_fields[] = {PROCESSOR_FIELDS(DV_DESCRIBE)};
static const dvMemoryDesc processor_memory[] = {DV_REMEMBER(numbers, next)};
#undef SELF

static dvTopology *find_topology(dvObject *o, const dvLink *link)
{
  dvObject *found = link->target ? link->target : link->path ? NULL : dv_node_find_up(o->node, DV_ROLE_TOPOLOGY);
  if (!found && !link->path)
    dv_error(o, "add a topology to the node, or give topology=\"@path\"", "%s finds no topology", o->cls->name);
  return found ? dv_topology(found) : NULL;
}

// --- numbers of a line ---------------------------------------------------------------------------

// the line below with as many numbers as were promised; missing ones are 0, as in SOFA
static double *read_numbers(const Processor *p, const char *line, size_t count)
{
  double *out = dv_try_alloc((count + 1) * sizeof *out);
  size_t found = 0;
  const char *cursor = dv_frame_reader_below(&p->file, line);
  while (out && found < count && dv_scan_real(&cursor, &out[found])) found++;
  if (!out) dv_warning(&p->base, "check the file", "out of memory for the %zu numbers of '%s'", count, line);
  else if (found < count)
    dv_warning(&p->base, "missing ones are taken as 0, as in SOFA", "%s: '%s' is followed by %zu of %zu numbers",
               p->filename, line, found, count);
  return out;
}

// the same as indices
static int32_t *read_indices(const Processor *p, const char *line, size_t count)
{
  double *numbers = read_numbers(p, line, count);
  int32_t *out = numbers ? dv_try_alloc((count + 1) * sizeof *out) : NULL;
  for (size_t i = 0; i < count && out; i++)
    out[i] = numbers[i] >= -1 && numbers[i] < 2e9 ? (int32_t)numbers[i] : -1;   // -1 exists nowhere
  dv_free(numbers);
  return out;
}

enum { MOST_NUMBERS = 50000000 };

static bool scan_count(const char **cursor, size_t each, size_t *count)
{
  long long n;
  if (!dv_scan_int(cursor, &n) || n < 0 || n > MOST_NUMBERS / (long long)each) return false;
  *count = (size_t)n;
  return true;
}

// --- commands ------------------------------------------------------------------------------------

static dvStatus add_points(const Processor *p, const char *line, size_t count)
{
  dvTopology *t = p->container;
  double *numbers = read_numbers(p, line, 3 * count), *shares = dv_alloc((3 * count + 1) * sizeof *shares);
  int32_t *offsets = dv_alloc((count + 2) * sizeof *offsets), *corners = dv_alloc((3 * count + 1) * sizeof *corners);
  dvStatus status = numbers ? dv_topology_first_change(t) : DV_ERROR_INPUT;
  const dvInts *triangles = dv_topology_elements(t, DV_TRIANGLE);
  for (size_t i = 0; i < count && status == DV_OK; i++) {
    const double *n = numbers + 3 * i;
    if (!(n[0] >= 0) || n[0] >= (double)dv_ints_size(triangles)) {
      dv_warning(&p->base, "nothing is added", "a new point is to lie in triangle %g, but there are %zu triangles",
                 n[0], dv_ints_size(triangles));
      status = DV_ERROR_USAGE;
      break;
    }
    memcpy(corners + 3 * i, triangles->data + 3 * (size_t)n[0], 3 * sizeof *corners);
    shares[3 * i] = n[1], shares[3 * i + 1] = n[2], shares[3 * i + 2] = 1 - n[1] - n[2];
    offsets[i + 1] = (int32_t)(3 * (i + 1));
  }
  if (status == DV_OK) status = dv_topology_add_points(t, count, NULL, (dvOrigin){offsets, corners, shares});
  dv_free(numbers), dv_free(shares), dv_free(offsets), dv_free(corners);
  return status;
}

// "Ancestors a b c" behind the number of triangles: one for each
static dvOrigin read_ancestors(const char *cursor, size_t count)
{
  const char *word;
  size_t length;
  if (!dv_scan_word(&cursor, &word, &length) || !dv_starts_with(word, "Ancestor")) return (dvOrigin){0};
  int32_t *offsets = dv_alloc((count + 2) * sizeof *offsets), *ancestors = dv_alloc((count + 1) * sizeof *ancestors);
  for (size_t i = 0; i < count; i++) {
    long long number = -1;
    dv_scan_int(&cursor, &number);
    ancestors[i] = number >= 0 && number < INT32_MAX ? (int32_t)number : -1;
    offsets[i + 1] = (int32_t)i + 1;
  }
  return (dvOrigin){offsets, ancestors, NULL};
}

static dvStatus add_elements(const Processor *p, const char *line, const char *cursor, dvElementKind kind, size_t count)
{
  int32_t *points = read_indices(p, line, count * (size_t)dv_element_points(kind));
  if (!points) return DV_ERROR_INPUT;
  dvOrigin origin = kind == DV_TRIANGLE ? read_ancestors(cursor, count) : (dvOrigin){0};
  dvStatus status = dv_mesh_add(p->container, kind, points, count, origin);
  dv_free((void *)origin.offsets), dv_free((void *)origin.ancestors), dv_free(points);
  return status;
}

static dvStatus not_understood(const Processor *p, const char *line)
{
  dv_warning(&p->base,
             "ADD= kind number, where the kind is PointsInTriangle, Edges, Triangles, Quads, Tetrahedra or Hexahedra; "
             "REMOVE= number; INCISE= number; CUT= number; SWEEP= number",
             "%s: '%s' is not understood", p->filename, line);
  return DV_ERROR_INPUT;
}

static dvStatus command_add(const Processor *p, const char *line, const char *cursor)
{
  static const struct {
    const char *name, *names;
    dvElementKind kind;
  } kinds[] = {{"PointInTriangle", "PointsInTriangle", DV_POINT},
               {"Edge", "Edges", DV_EDGE},
               {"Triangle", "Triangles", DV_TRIANGLE},
               {"Quad", "Quads", DV_QUAD},
               {"Tetrahedron", "Tetrahedra", DV_TETRAHEDRON},
               {"Hexahedron", "Hexahedra", DV_HEXAHEDRON}};
  const char *word;
  size_t length, count;
  if (!dv_scan_word(&cursor, &word, &length) || !scan_count(&cursor, 8, &count)) return not_understood(p, line);
  for (size_t k = 0; k < DV_COUNT(kinds); k++) {
    bool one = strlen(kinds[k].name) == length && strncmp(word, kinds[k].name, length) == 0;
    if (!one && (strlen(kinds[k].names) != length || strncmp(word, kinds[k].names, length) != 0)) continue;
    return kinds[k].kind == DV_POINT ? add_points(p, line, count) : add_elements(p, line, cursor, kinds[k].kind, count);
  }
  return not_understood(p, line);
}

// what REMOVE= is about
static dvElementKind changed_kind(const Processor *p)
{
  const dvModifier *m = dv_modifier_of(p->container);
  return m ? dv_modifier_kind(m) : dv_topology_largest(p->container);
}

static dvStatus command_remove(const Processor *p, const char *line, const char *cursor)
{
  size_t count;
  if (!scan_count(&cursor, 1, &count)) return not_understood(p, line);
  int32_t *indices = read_indices(p, line, count);
  if (!indices) return DV_ERROR_INPUT;
  dvStatus status = dv_modifier_remove(p->container, &p->base, changed_kind(p), indices, count);
  dv_free(indices);
  return status;
}

// Positions that an incision goes by: of the state, now or at rest, or those of the topology. The state follows.
typedef struct Ground {
  const dvState *state;
  dvTopology *topology;
  int id;
} Ground;

static const double *positions(void *user)
{
  const Ground *g = user;
  return g->state ? dv_state_read(g->state, g->id) : dv_topology_positions(g->topology)->data;
}

// the numbers of a line, however many there are
static size_t count_numbers(const char *cursor)
{
  size_t count = 0;
  double number;
  while (dv_scan_real(&cursor, &number)) count++;
  return count;
}

// by what an incision or a cut goes; false, with a warning, when there are no positions
static bool find_ground(const Processor *p, Ground *g)
{
  dvTopology *t = p->container;
  dvObject *found = dv_node_find_up(t->base.node, DV_ROLE_STATE);
  bool fits = found && found->dof->coord == 3 && dv_state(found)->topology == t;
  *g = (Ground){fits ? dv_state(found) : NULL, t, p->saveIndicesAtInit ? DV_X_REST : DV_X};
  if (fits || dv_reals_size(dv_topology_positions(t)) >= dv_topology_point_count(t)) return true;
  dv_warning(&p->base, "add a MechanicalObject to the node of the topology", "%s has no positions to cut by",
             t->base.name);
  return false;
}

// INCISE= n, and below x y z or a triangle and x y z for each corner of the path
static dvStatus command_incise(const Processor *p, const char *line, const char *cursor)
{
  size_t count;
  Ground ground;
  if (!scan_count(&cursor, 4, &count)) return not_understood(p, line);
  if (!find_ground(p, &ground)) return DV_ERROR_USAGE;
  bool told = count_numbers(dv_frame_reader_below(&p->file, line)) >= 4 * count;
  double *numbers = read_numbers(p, line, (told ? 4 : 3) * count);
  if (!numbers) return DV_ERROR_INPUT;
  double *corners = dv_alloc((3 * count + 1) * sizeof *corners);
  int32_t *triangles = dv_alloc((count + 1) * sizeof *triangles);
  for (size_t i = 0; i < count; i++) {
    triangles[i] = told && numbers[4 * i] >= 0 && numbers[4 * i] < 2e9 ? (int32_t)numbers[4 * i] : -1;
    memcpy(corners + 3 * i, numbers + (told ? 4 * i + 1 : 3 * i), 3 * sizeof *corners);
  }
  dvIncision how = {&p->base, positions, &ground, p->epsilonSnapPath, p->epsilonSnapBorder, 0, 0};
  dvStatus status = dv_mesh_incise(p->container, &how, corners, triangles, count, NULL);
  dv_free(numbers), dv_free(corners), dv_free(triangles);
  return status;
}

// CUT= n, and below x y z for each corner of the blade; SWEEP= n, and below x y z for each point of its edge, first
// where it begins, then where it ends
static dvStatus command_cut(const Processor *p, const char *line, const char *cursor, bool sweep)
{
  size_t count;
  Ground ground;
  dvBodyCut cut;
  if (!scan_count(&cursor, 6, &count)) return not_understood(p, line);
  if (!find_ground(p, &ground)) return DV_ERROR_USAGE;
  double *corners = read_numbers(p, line, (sweep ? 6 : 3) * count);
  if (!corners) return DV_ERROR_INPUT;
  dvIncision how = {&p->base, positions, &ground, p->epsilonSnapPath, p->epsilonSnapBorder, 0, 0};
  dvSheet sheet = {corners, (const size_t[]){0, count}, 1};
  dvStatus status = sweep ? dv_body_cut_sweep(p->container, &how, corners, corners + 3 * count, count, &cut)
                          : dv_body_cut(p->container, &how, &sheet, &cut);
  if (status == DV_OK && !cut.split && !cut.doubled && !cut.links && !cut.triangles)
    dv_warning(&p->base, "check where it is", "%s: the blade of '%s' misses %s", p->filename, line,
               p->container->base.name);
  else if (status == DV_OK && p->base.printLog && cut.links)
    dv_note(&p->base, "%zu hexahedra split, %zu points doubled, %zu more triangles on embedded surfaces", cut.split,
            cut.doubled, cut.triangles);
  else if (status == DV_OK && p->base.printLog)
    dv_note(&p->base, "%zu edges split, %zu points doubled, smallest quality %.3g", cut.split, cut.doubled,
            cut.quality);
  dv_free(corners);
  return status;
}

static void run_frame(Processor *p, const dvFrame *frame)
{
  const char *cursor = frame->first;
  while (cursor && cursor < frame->end) {
    const char *line = cursor;
    while (dv_is_space(*line)) line++;
    if (dv_starts_with(line, "ADD=")) command_add(p, line, line + 4);
    else if (dv_starts_with(line, "REMOVE=")) command_remove(p, line, line + 7);
    else if (dv_starts_with(line, "INCISE=")) command_incise(p, line, line + 7);
    else if (dv_starts_with(line, "CUT=")) command_cut(p, line, line + 4, false);
    else if (dv_starts_with(line, "SWEEP=")) command_cut(p, line, line + 6, true);
    cursor += strlen(cursor) + 1;
  }
}

// --- when ----------------------------------------------------------------------------------------

static void remove_lists(Processor *p, double time)
{
  const struct {
    dvElementKind kind;
    dvInts *list;
  } lists[] = {{DV_HEXAHEDRON, &p->hexahedraToRemove}, {DV_TETRAHEDRON, &p->tetrahedraToRemove},
               {DV_QUAD, &p->quadsToRemove},           {DV_TRIANGLE, &p->trianglesToRemove},
               {DV_EDGE, &p->edgesToRemove},           {DV_POINT, &p->pointsToRemove}};
  if (p->next >= time) return;
  for (size_t k = 0; k < DV_COUNT(lists); k++) {
    dvField *f = dv_field_of(&p->base, lists[k].list);
    if (dv_field_pull(f) != DV_OK || lists[k].list->count == 0) continue;
    // a list that follows an engine may change while its elements go
    dvInts copy = {.width = 1};
    if (dv_ints_assign(&copy, lists[k].list->data, lists[k].list->count))
      dv_modifier_remove(p->container, &p->base, lists[k].kind, copy.data, copy.count);
    dv_ints_free(&copy);
  }
  p->next = p->interval != 0 ? p->next + p->interval : (double)INFINITY;
  dv_topology_end_changes(p->container);
}

// Moments that are as good as now: sums of steps miss what the file says by a rounding, and SOFA lets DBL_EPSILON pass.
static double reach(double time)
{
  double end = time + DBL_EPSILON;
  while (end - time >= DBL_EPSILON) end = nextafter(end, -INFINITY);
  return end;
}

static const char *const words[] = {"ADD=", "REMOVE=", "INCISE=", "CUT=", "SWEEP=", NULL};

// lines that say nothing: neither a moment nor one of the words, nor the numbers below one
static void tell_unknown_lines(Processor *p)
{
  size_t number = 1;
  for (const char *line = p->file.text, *end = line + p->file.length; line && line < end; number++) {
    const char *at = line;
    while (dv_is_space(*at)) at++;
    bool known = *at == 0 || *at == '#' || *at == '-' || *at == '+' || *at == '.' || (*at >= '0' && *at <= '9') ||
                 dv_starts_with(at, "T=");
    for (size_t i = 0; words[i] && !known; i++) known = dv_starts_with(at, words[i]);
    if (!known) {
      dv_field_warning(&p->base, &p->filename, "T=, ADD=, REMOVE=, INCISE=, CUT= and SWEEP= are known",
                       "line %zu of %s is ignored: '%.40s'", number, p->filename, at);
      return;   // the first one tells enough
    }
    line += strlen(line) + 1;
  }
}

static void processor_event(dvObject *o, const dvEvent *event)
{
  Processor *p = (Processor *)o;
  dvFrame frame;
  if (event->kind != DV_EVENT_ANIMATE_BEGIN || !o->listening || !p->container || p->container->base.failed) return;
  if (p->useDataInputs) {
    remove_lists(p, o->node->time);
    return;
  }
  if (!p->file.text || !dv_frame_reader_seek(&p->file, reach(o->node->time + p->shift), p->loop, words, &frame)) return;
  if (!frame.first || !dv_mesh_may_change(p->container, o)) return;
  run_frame(p, &frame);
  dv_topology_end_changes(p->container);
}

static dvStatus processor_init(dvObject *o)
{
  Processor *p = (Processor *)o;
  p->container = find_topology(o, &p->topology);
  if (!p->container) return DV_ERROR_INPUT;
  DV_TRY(dv_object_ensure(&p->container->base));
  p->next = p->timeToRemove;
  if (p->useDataInputs) return DV_OK;
  DV_TRY(dv_frame_reader_open(&p->file, o, &p->filename));
  tell_unknown_lines(p);
  return DV_OK;
}

static void processor_remember(dvObject *o, dvMemoryStream *s) { dv_frame_reader_remember(&((Processor *)o)->file, s); }

static void processor_destroy(dvObject *o) { dv_frame_reader_close(&((Processor *)o)->file); }

const dvClass dv_change_processor_class = {
    .struct_size = sizeof(dvClass),
    .name = "TopologicalChangeProcessor",
    .help = "changes a mesh at given times: adds and removes elements, cuts surfaces",
    .module = "Sofa.Component.Topology.Utility",
    .roles = DV_PLAYS(DV_ROLE_TOPOLOGY_TOOL),
    .size = sizeof(Processor),
    .blocks = {&dv_object_block, DV_BLOCK(processor_fields)},
    .presets = "listening=1",
    .init = processor_init,
    .handle_event = processor_event,
    .destroy = processor_destroy,
    DV_MEMORY(processor_memory),
    .remember = processor_remember,
};

// --- TopologyBoundingTrasher ---------------------------------------------------------------------

#define TRASHER_FIELDS(X)                                                                           \
  X(vec3s, position, "", "m", "positions of the points; those of the state of the node by default") \
  X(reals, box, "-1000 -1000 -1000 1000 1000 1000", "m",                                            \
    "xmin ymin zmin xmax ymax zmax: elements whose middle "                                         \
    "is outside are removed")                                                                       \
  X(bool, drawBox, "0", "", "draw the box", .flags = DV_LOOKS)                                      \
  X(link, topology, "", "", "topology to change; the one of the node or above by default", .role = DV_ROLE_TOPOLOGY)

typedef struct Trasher {
  dvObject base;
  TRASHER_FIELDS(DV_MEMBER)
  dvTopology *container;
} Trasher;

#define SELF Trasher
static const dvFieldDesc trasher_fields[] = {TRASHER_FIELDS(DV_DESCRIBE)};
#undef SELF

static dvStatus trasher_init(dvObject *o)
{
  Trasher *t = (Trasher *)o;
  t->container = find_topology(o, &t->topology);
  if (!t->container) return DV_ERROR_INPUT;
  if (t->box.count != 6) return dv_field_error(o, &t->box, "give xmin ymin zmin xmax ymax zmax", "box is no box");
  return DV_OK;
}

static bool is_outside(const double *box, const double x[3])
{
  for (int k = 0; k < 3; k++)
    if (x[k] < box[k] || x[k] > box[3 + k]) return true;
  return false;
}

static void trasher_event(dvObject *o, const dvEvent *event)
{
  Trasher *t = (Trasher *)o;
  if (event->kind != DV_EVENT_ANIMATE_END || !o->listening || !t->container || t->container->base.failed) return;
  if (dv_field_pull(dv_field_of(o, &t->position)) != DV_OK) return;
  const double *x = t->position.data;
  size_t points = dv_reals_size(&t->position);
  dvObject *state = dv_node_find_up(o->node, DV_ROLE_STATE);
  if (!points && state && state->dof->coord == 3) {
    x = dv_state_read(dv_state(state), DV_X);
    points = dv_state(state)->count;
  }
  dvElementKind kind = dv_topology_largest(t->container);
  const dvInts *elements = dv_topology_elements(t->container, kind);
  size_t width = (size_t)dv_element_points(kind);
  if (kind == DV_POINT || points < dv_topology_point_count(t->container)) return;
  DV_ARRAY(int32_t) gone = {0};
  for (size_t i = 0; i < dv_ints_size(elements); i++) {
    double middle[3] = {0};
    for (size_t k = 0; k < width; k++)
      for (size_t j = 0; j < 3; j++) middle[j] += x[3 * (size_t)elements->data[i * width + k] + j] / (double)width;
    if (is_outside(t->box.data, middle)) dv_push(&gone, (int32_t)i);
  }
  if (gone.count && dv_modifier_remove(t->container, o, kind, gone.data, gone.count) == DV_OK)
    dv_topology_end_changes(t->container);
  dv_array_free(&gone);
}

const dvClass dv_bounding_trasher_class = {
    .struct_size = sizeof(dvClass),
    .name = "TopologyBoundingTrasher",
    .help = "removes elements that have left a box",
    .module = "Sofa.Component.Topology.Utility",
    .roles = DV_PLAYS(DV_ROLE_TOPOLOGY_TOOL),
    .size = sizeof(Trasher),
    .blocks = {&dv_object_block, DV_BLOCK(trasher_fields)},
    .presets = "listening=1",
    .init = trasher_init,
    .handle_event = trasher_event,
};

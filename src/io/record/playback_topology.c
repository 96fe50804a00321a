// WriteTopology, ReadTopology and CompareTopology: the elements of a topology over time as a file of frames (frames.h).
//
//   T= 0.1
//     Edges= 2
//   0 1 1 2
//     Triangles= …
//
// The moment is that of the beginning of a step. Reading gives the lists of the last frame that is not later than now
// as fields. Comparing counts, frame by frame, the elements that differ, or by how many the numbers differ.
#include "io/record/frames.h"
#include "topology/topology.h"

#include <string.h>

enum { KINDS = 5 };
static const dvElementKind kinds[KINDS] = {DV_EDGE, DV_TRIANGLE, DV_QUAD, DV_TETRAHEDRON, DV_HEXAHEDRON};
static const char *const words[KINDS + 1] = {"Edges=", "Triangles=", "Quads=", "Tetrahedra=", "Hexahedra="};
static const double slack = 1e-8;   // of moments

static dvTopology *find_topology(dvObject *o, const dvLink *link)
{
  dvObject *found = link && link->target ? link->target : dv_node_find_up(o->node, DV_ROLE_TOPOLOGY);
  if (!found) dv_error(o, "add a topology to the node", "%s finds no topology", o->cls->name);
  return found ? dv_topology(found) : NULL;
}

// --- writing -------------------------------------------------------------------------------------

#define WRITE_FIELDS(X)                                                                                 \
  X(string, filename, "", "", "file to write")                                                          \
  X(bool, writeContainers, "1", "", "write the elements")                                               \
  X(bool, writeShellContainers, "0", "", "lists of neighbours are not written, as in SOFA")             \
  X(real, interval, "0", "s", "not used, as in SOFA", .flags = DV_HIDDEN)                               \
  X(reals, time, "", "s", "moments to write")                                                           \
  X(real, period, "0", "s", "time between two frames, after the moments that are given; 0: every step") \
  X(link, topology, "", "", "topology to write; the one of the node or above by default", .role = DV_ROLE_TOPOLOGY)

typedef struct Write {
  dvObject base;
  WRITE_FIELDS(DV_MEMBER)
  dvTopology *container;
  dvRecord file;
  size_t next;
  double last;
  bool stopped;
} Write;

#define SELF Write
static const dvFieldDesc write_fields[] = {WRITE_FIELDS(DV_DESCRIBE)};
static const dvMemoryDesc write_memory[] = {DV_REMEMBER(numbers, next) DV_REMEMBER(numbers, last)
                                                DV_REMEMBER(numbers, stopped)};
#undef SELF

static dvStatus write_topology_init(dvObject *o)
{
  Write *w = (Write *)o;
  w->container = find_topology(o, &w->topology);
  if (!w->container) return DV_ERROR_INPUT;
  if (!(w->period >= 0)) return dv_field_error(o, &w->period, NULL, "the period must not be negative");
  if (w->writeShellContainers)
    dv_field_warning(o, &w->writeShellContainers, NULL, "lists of neighbours are not written");
  return dv_frame_record_open(&w->file, o, &w->filename);
}

static void write_topology_remember(dvObject *o, dvMemoryStream *s) { dv_record_remember(&((Write *)o)->file, s); }

static bool is_due(Write *w, double time)
{
  if (w->next < w->time.count) {
    if (time + slack < w->time.data[w->next]) return false;
    w->last = w->time.data[w->next++];
    return true;
  }
  if (time + slack < w->last + w->period) return false;
  w->last += w->period;
  return true;
}

static void write_topology_event(dvObject *o, const dvEvent *event)
{
  Write *w = (Write *)o;
  if (event->kind != DV_EVENT_ANIMATE_BEGIN || w->stopped || !is_due(w, o->node->time)) return;
  dvText text = {0};
  dv_frame_begin(&text, o->node->time);
  for (int k = 0; k < KINDS && w->writeContainers; k++) {
    const dvInts *list = dv_topology_elements(w->container, kinds[k]);
    dv_text_printf(&text, "  %s %zu\n", words[k], dv_ints_size(list));
    for (size_t i = 0; i < list->count; i++) dv_text_printf(&text, "%s%d", i ? " " : "", list->data[i]);
    dv_text_add(&text, "\n");
  }
  w->stopped = !dv_frame_write(&w->file, o, &w->filename, &text);
  dv_text_free(&text);
}

static void write_topology_destroy(dvObject *o) { dv_record_close(&((Write *)o)->file); }

const dvClass dv_write_topology_class = {
    .struct_size = sizeof(dvClass),
    .name = "WriteTopology",
    .help = "writes the elements of a topology over time to a file",
    .module = "Sofa.Component.Playback",
    .roles = DV_PLAYS(DV_ROLE_EXPORTER),
    .size = sizeof(Write),
    .blocks = {&dv_object_block, DV_BLOCK(write_fields)},
    .init = write_topology_init,
    .handle_event = write_topology_event,
    .destroy = write_topology_destroy,
    DV_MEMORY(write_memory),
    .remember = write_topology_remember,
};

// --- reading -------------------------------------------------------------------------------------

#define READ_FIELDS(X)                                                                     \
  X(file, filename, "", "", "file to read")                                                \
  X(real, interval, "0", "s", "not used, as in SOFA", .flags = DV_HIDDEN)                  \
  X(real, shift, "0", "s", "added to the time of the scene to find the frame")             \
  X(bool, loop, "0", "", "begin again at the end of the file")                             \
  X(edges, edges, "", "", "edges of the current frame", .flags = DV_OUTPUT)                \
  X(triangles, triangles, "", "", "triangles of the current frame", .flags = DV_OUTPUT)    \
  X(quads, quads, "", "", "quads of the current frame", .flags = DV_OUTPUT)                \
  X(tetrahedra, tetrahedra, "", "", "tetrahedra of the current frame", .flags = DV_OUTPUT) \
  X(hexahedra, hexahedra, "", "", "hexahedra of the current frame", .flags = DV_OUTPUT)
#define COMPARE_FIELDS(X)                                                                                \
  X(int, EdgesError, "0", "", "edges that differ so far, summed over the frames", .flags = DV_READ_ONLY) \
  X(int, TrianglesError, "0", "", "triangles that differ so far", .flags = DV_READ_ONLY)                 \
  X(int, QuadsError, "0", "", "quads that differ so far", .flags = DV_READ_ONLY)                         \
  X(int, TetrahedraError, "0", "", "tetrahedra that differ so far", .flags = DV_READ_ONLY)               \
  X(int, HexahedraError, "0", "", "hexahedra that differ so far", .flags = DV_READ_ONLY)                 \
  X(int, TotalError, "0", "", "elements that differ so far", .flags = DV_READ_ONLY)

typedef struct Read {
  dvObject base;
  READ_FIELDS(DV_MEMBER)
  COMPARE_FIELDS(DV_MEMBER)
  dvTopology *container;
  dvFrameReader file;
  bool told;
} Read;

#define SELF Read
static const dvFieldDesc read_fields[] = {READ_FIELDS(DV_DESCRIBE)};
static const dvFieldDesc compare_fields[] = {READ_FIELDS(DV_DESCRIBE) COMPARE_FIELDS(DV_DESCRIBE)};
static const dvMemoryDesc read_memory[] = {
    DV_REMEMBER(ints, edges) DV_REMEMBER(ints, triangles) DV_REMEMBER(ints, quads) DV_REMEMBER(ints, tetrahedra)
        DV_REMEMBER(ints, hexahedra) DV_REMEMBER(numbers, EdgesError) DV_REMEMBER(numbers, TrianglesError)
            DV_REMEMBER(numbers, QuadsError) DV_REMEMBER(numbers, TetrahedraError) DV_REMEMBER(numbers, HexahedraError)
                DV_REMEMBER(numbers, TotalError)};
#undef SELF

static dvInts *list_of(Read *r, int k)
{
  dvInts *const lists[KINDS] = {&r->edges, &r->triangles, &r->quads, &r->tetrahedra, &r->hexahedra};
  return lists[k];
}

static dvStatus read_topology_init(dvObject *o)
{
  Read *r = (Read *)o;
  r->container = find_topology(o, NULL);
  if (!r->container) return DV_ERROR_INPUT;
  return dv_frame_reader_open(&r->file, o, &r->filename);
}

// the numbers of a line; as far as there are so many elements, and none is negative
static bool scan_list(const char *count_text, const char *numbers, dvInts *out)
{
  long long count, value;
  size_t width = (size_t)out->width, room = strlen(numbers) + 1;
  if (!dv_scan_int(&count_text, &count) || count < 0 || (size_t)count > room / (2 * width) + 1 ||
      !dv_ints_resize(out, (size_t)count * width))
    return false;
  int32_t *data = dv_ints_edit(out);
  for (size_t i = 0; i < out->count; i++) {
    if (!dv_scan_int(&numbers, &value) || value < 0 || value > INT32_MAX) return false;
    data[i] = (int32_t)value;
  }
  return true;
}

static bool read_frame(Read *r)
{
  dvFrame frame;
  if (!dv_frame_reader_seek(&r->file, r->base.node->time + r->shift + slack, r->loop, words, &frame)) return false;
  for (int k = 0; k < KINDS; k++) {
    dvInts *list = list_of(r, k);
    const char *count = frame.line[k];
    if (count && scan_list(count, dv_frame_reader_below(&r->file, count), list)) continue;
    if (count && !r->told)
      dv_field_warning(&r->base, &r->filename, "is it a file of WriteTopology?",
                       "a frame of '%s' has a list that is not complete", r->filename);
    r->told = r->told || count;
    DV_MUST(dv_ints_resize(list, 0));
  }
  return true;
}

static void read_topology_event(dvObject *o, const dvEvent *event)
{
  Read *r = (Read *)o;
  if ((event->kind != DV_EVENT_ANIMATE_BEGIN && event->kind != DV_EVENT_INIT_DONE) || !read_frame(r)) return;
  for (int k = 0; k < KINDS; k++) dv_touch(o, list_of(r, k));
}

static void compare_topology_event(dvObject *o, const dvEvent *event)
{
  Read *r = (Read *)o;
  if (event->kind != DV_EVENT_ANIMATE_BEGIN || !read_frame(r)) return;
  int32_t *const errors[KINDS] = {&r->EdgesError, &r->TrianglesError, &r->QuadsError, &r->TetrahedraError,
                                  &r->HexahedraError};
  r->TotalError = 0;
  for (int k = 0; k < KINDS; k++) {
    const dvInts *wanted = list_of(r, k), *found = dv_topology_elements(r->container, kinds[k]);
    size_t a = dv_ints_size(wanted), b = dv_ints_size(found), width = (size_t)wanted->width;
    if (a && a != b) *errors[k] += (int32_t)(a > b ? a - b : b - a);
    for (size_t i = 0; i < a && a == b; i++)
      *errors[k] += memcmp(wanted->data + i * width, found->data + i * width, width * sizeof(int32_t)) != 0;
    r->TotalError += *errors[k];
    dv_touch(o, errors[k]);
  }
  dv_touch(o, &r->TotalError);
  if (o->printLog) dv_note(o, "elements that differ so far: %d", r->TotalError);
}

static void read_topology_remember(dvObject *o, dvMemoryStream *s) { dv_frame_reader_remember(&((Read *)o)->file, s); }

static bool read_topology_restored(dvObject *o)
{
  Read *r = (Read *)o;
  for (int k = 0; k < KINDS; k++) {
    const dvInts *list = list_of(r, k);
    if (list->count % (size_t)list->width) return false;
    dv_touch(o, list);
  }
  return true;
}

static void read_topology_destroy(dvObject *o) { dv_frame_reader_close(&((Read *)o)->file); }

#define READER(variable, name_, help_, fields, event) \
  const dvClass variable = {                          \
      .struct_size = sizeof(dvClass),                 \
      .name = name_,                                  \
      .help = help_,                                  \
      .module = "Sofa.Component.Playback",            \
      .roles = DV_PLAYS(DV_ROLE_CONTROLLER),          \
      .size = sizeof(Read),                           \
      .blocks = {&dv_object_block, DV_BLOCK(fields)}, \
      .init = read_topology_init,                     \
      .handle_event = event,                          \
      .destroy = read_topology_destroy,               \
      DV_MEMORY(read_memory),                         \
      .remember = read_topology_remember,             \
      .restored = read_topology_restored,             \
  };

READER(dv_read_topology_class, "ReadTopology", "gives the elements that a file of WriteTopology has for this time",
       read_fields, read_topology_event)
READER(dv_compare_topology_class, "CompareTopology",
       "counts how far the elements of the node's topology differ from a file of WriteTopology", compare_fields,
       compare_topology_event)

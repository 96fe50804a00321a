// BlenderExporter: the motion of a state as Blender's cache of points.
//
// A file a frame, NAME_000001_00.bphys, with a header (kind, number of points, what is stored) and single precision
// positions and velocities, last point first. Hair also has rest positions, and a point more at the root of each
// strand, one unit along it; its frame 0 tells that it is hair.
#include "base/file.h"
#include "io/mesh/write_mesh.h"
#include "io/record/exporter.h"
#include "scene/node.h"
#include "state/state.h"

#include <math.h>

#define BLENDER_FIELDS(X)                                                                                            \
  X(string, path, "", "", "folder to write to; the working directory by default")                                    \
  X(string, baseName, "", "", "beginning of the names of the files; filename or the component's name by default")    \
  X(choice, simulationType, "0", "", "what Blender shall take the points for",                                       \
    .options = "SoftBody|Particles|Cloth|Hair")                                                                      \
  X(int, step, "2", "steps", "write after every so many steps; the fields for that of other exporters do not count") \
  X(int, nbPtsByHair, "20", "", "points of a strand of hair")

typedef struct Blender {
  dvObject base;
  DV_EXPORTER_FIELDS(DV_MEMBER)
  BLENDER_FIELDS(DV_MEMBER)
  long steps;   // seen so far
  int files;    // written so far
} Blender;

#define SELF Blender
static const dvFieldDesc blender_fields[] = {DV_EXPORTER_FIELDS(DV_DESCRIBE) BLENDER_FIELDS(DV_DESCRIBE)};
static const dvMemoryDesc blender_memory[] = {DV_REMEMBER(numbers, steps) DV_REMEMBER(numbers, files)};
#undef SELF

enum { BLENDER_SOFT, BLENDER_PARTICLES, BLENDER_CLOTH, BLENDER_HAIR };

static void blender_put(Blender *e, int frame, const dvText *data)
{
  const char *base = e->baseName && *e->baseName   ? e->baseName
                     : e->filename && *e->filename ? e->filename
                                                   : e->base.name;
  char *name = dv_format("%s_%06d_00.bphys", base, frame),
       *path = e->path && *e->path ? dv_path_join(e->path, name) : dv_strdup(name);
  char *folder = dv_path_directory(path);
  if (*folder) dv_make_directories(folder);
  if (dv_file_replace(path, data->text, data->length) != DV_OK)
    dv_warning(&e->base, "check the folder and its permissions", "%s: cannot be written", path);
  else if (e->base.printLog) dv_note(&e->base, "wrote %s", path);
  dv_free(folder);
  dv_free(name);
  dv_free(path);
}

static void blender_add_head(dvText *out, uint32_t kind, uint32_t points, uint32_t what)
{
  const uint32_t numbers[3] = {kind, points, what};
  dv_text_add_n(out, "BPHYSICS", 8);
  dv_text_add_n(out, (const char *)numbers, sizeof numbers);
}

static void blender_add(dvText *out, const double *x, int width)
{
  float values[3] = {0, 0, 0};
  for (int k = 0; k < 3 && k < width; k++) values[k] = (float)x[k];
  dv_text_add_n(out, (const char *)values, sizeof values);
}

// the end of a line one unit long from the root of a strand towards its second point
static void blender_add_root(dvText *out, dvState *s, size_t root)
{
  size_t width = (size_t)s->base.dof->coord;
  const double *x = dv_state_read(s, DV_X), zero[3] = {0, 0, 0};
  const double *from = x + root * width, *to = x + dv_min_size(root + 1, s->count - 1) * width;
  double tip[3] = {0, 0, 0}, length = 0;
  for (size_t k = 0; k < 3 && k < width; k++) length += (to[k] - from[k]) * (to[k] - from[k]);
  for (size_t k = 0; k < 3 && k < width; k++) tip[k] = from[k] + (length > 0 ? (to[k] - from[k]) / sqrt(length) : 0);
  blender_add(out, tip, 3);
  blender_add(out, zero, 3);
  blender_add(out, tip, 3);
}

static void write_frame(Blender *e)
{
  dvState *s = dv_state(dv_node_state(e->base.node));
  bool hair = e->simulationType == BLENDER_HAIR;
  size_t strand = (size_t)e->nbPtsByHair, width = (size_t)s->base.dof->coord, speeds = (size_t)s->base.dof->deriv;
  dvText out = {0};
  blender_add_head(&out, hair ? BLENDER_CLOTH : (uint32_t)e->simulationType,
                   (uint32_t)(s->count + (hair ? s->count / strand : 0)), hair ? 22 : 6);
  const double *x = dv_state_read(s, DV_X), *v = dv_state_read(s, DV_V), *rest = dv_state_read(s, DV_X_REST);
  for (size_t i = s->count; i-- > 0;) {
    if (hair && i % strand == 0 && i / strand < s->count / strand) blender_add_root(&out, s, i);
    blender_add(&out, x + i * width, (int)dv_min_size(width, 3));
    blender_add(&out, v + i * speeds, (int)dv_min_size(speeds, 3));
    if (hair) blender_add(&out, rest + i * width, (int)dv_min_size(width, 3));
  }
  blender_put(e, e->files + 1, &out);
  e->files++;
  dv_text_free(&out);
}

static dvStatus blender_init(dvObject *o)
{
  Blender *e = (Blender *)o;
  dvObject *state = dv_node_state(o->node);
  if (!state) return dv_error(o, "add a MechanicalObject to the node", "BlenderExporter finds no points to write");
  if (e->step < 1)
    return dv_field_error(o, &e->step, "1 writes every step", "the number of steps between two files must be positive");
  if (e->nbPtsByHair < 1) return dv_field_error(o, &e->nbPtsByHair, NULL, "a strand of %d points", e->nbPtsByHair);
  return DV_OK;
}

// frame 0 of hair
static void write_range(Blender *e)
{
  const float range[3] = {0, 100, 100};
  dvText out = {0};
  blender_add_head(&out, 1, 1, 64);
  dv_text_add_n(&out, (const char *)range, sizeof range);
  blender_put(e, 0, &out);
  dv_text_free(&out);
}

static void blender_event(dvObject *o, const dvEvent *event)
{
  Blender *e = (Blender *)o;
  if (event->kind != DV_EVENT_ANIMATE_BEGIN || !e->enable) return;
  if (e->steps == 0 && e->simulationType == BLENDER_HAIR) write_range(e);
  if (e->steps++ % e->step == 0) write_frame(e);
}

const dvClass dv_blender_exporter_class = {
    .struct_size = sizeof(dvClass),
    .name = "BlenderExporter",
    .help = "writes positions and velocities of the node's points as a cache for Blender",
    .module = "Sofa.Component.IO.Mesh",
    .dofs = DV_DOF_ALL,
    .roles = DV_PLAYS(DV_ROLE_EXPORTER),
    .size = sizeof(Blender),
    .blocks = {&dv_object_block, DV_BLOCK(blender_fields)},
    .init = blender_init,
    .handle_event = blender_event,
    DV_MEMORY(blender_memory),
};

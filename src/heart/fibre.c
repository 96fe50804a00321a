// FibreField: directions of muscle fibres, one for each tetrahedron, from a text file, from vectors of points or of
// cells (those of a VTK file through its loader), or from a rule.
//
// Vectors get the length 1. Those of points are added up over the corners of a tetrahedron after turning them into one
// half space, since a fibre has no sense: f and -f are the same. A text file has three numbers a line; what stands
// behind a # does not count. Directions of length 0 are refused: nothing could conduct or contract along them.
#include "heart/fibre.h"
#include "base/file.h"
#include "engine/engine.h"
#include "heart/classes.h"
#include "heart/muscle.h"
#include "math/vec.h"
#include "object/context.h"

#include <math.h>
#include <string.h>

enum { DRAW_NOTHING, DRAW_ARROWS, DRAW_ANGLES };

#define FIBRE_FIELDS(X)                                                                                              \
  X(file, filename, "", "", "text file with three numbers for each tetrahedron, or each point", .flags = DV_INPUT)   \
  X(vec3s, vectors, "", "",                                                                                          \
    "directions of tetrahedra or of points, such as those of a loader, or one for all; instead of a file",           \
    .flags = DV_INPUT)                                                                                               \
  X(vec3s, position, "", "m", "points; those of the topology of the node by default", .flags = DV_INPUT)             \
  X(tetrahedra, tetrahedra, "", "", "tetrahedra; those of the topology of the node by default", .flags = DV_INPUT)   \
  X(vec3, axis, "0 0 1", "", "long axis of the ventricle, for helixAngle", .flags = DV_INPUT)                        \
  X(choice, draw, "angles", "",                                                                                      \
    "what the viewer shows: nothing, an arrow each in the colours of its direction (red along x, green along y, "    \
    "blue along z), or the surface in colours of the angle against the horizontal; nothing where the potential of "  \
    "the tissue is shown, unless this is given",                                                                     \
    .options = "none|arrows|angles", .flags = DV_LOOKS)                                                              \
  X(vec3s, fibres, "", "", "direction of each tetrahedron, of length 1", .flags = DV_OUTPUT)                         \
  X(vec3s, centres, "", "m", "middle of each tetrahedron", .flags = DV_OUTPUT)                                       \
  X(vec3s, arrows, "", "m", "fibres as long as half an edge", .flags = DV_OUTPUT | DV_HIDDEN)                        \
  X(reals, helixAngle, "", "deg",                                                                                    \
    "of each point: mean angle of the fibres around it against the plane across the axis, -90 to 90; positive when " \
    "they rise counter-clockwise seen from the axis' tip",                                                           \
    .flags = DV_OUTPUT)

typedef struct Fibre {
  dvObject base;
  FIBRE_FIELDS(DV_MEMBER)
  dvObject *topology;
} Fibre;

#define SELF Fibre
static const dvFieldDesc fibre_fields[] = {FIBRE_FIELDS(DV_DESCRIBE)};
#undef SELF

static dvStatus fibre_link(dvObject *o)
{
  Fibre *f = (Fibre *)o;
  f->topology = dv_node_find_up(o->node, DV_ROLE_TOPOLOGY);
  dv_engine_follow(o, &f->position, f->topology, "position");
  dv_engine_follow(o, &f->tetrahedra, f->topology, "tetrahedra");
  return DV_OK;
}

// --- reading ---

bool dv_fibres_scan(const char *text, dvReals *out, int *line)
{
  size_t count = 0;
  *line = 1;
  for (const char *at = text; *at;) {
    while (*at == ' ' || *at == '\t' || *at == '\r' || *at == ',' || *at == '\n') *line += *at++ == '\n';
    if (*at == '#')
      while (*at && *at != '\n') at++;
    if (!*at || *at == '\n') continue;
    double x;
    if (!dv_scan_real(&at, &x) || !isfinite(x) || !dv_reals_resize(out, count + 1)) return false;
    out->data[count++] = x;
  }
  return true;
}

static dvStatus read_file(Fibre *f, dvReals *out)
{
  dvObject *o = &f->base;
  dvText advice = {0};
  char *path = dv_context_find_file(o->context, f->filename, o->place.file, &advice);
  if (!path) {
    dvStatus status = dv_field_error(o, &f->filename, advice.text, "there is no file %s", f->filename);
    dv_text_free(&advice);
    return status;
  }
  dv_text_free(&advice);
  size_t length = 0;
  char *text = dv_file_read(path, &length);
  int line = 1;
  dvStatus status = DV_OK;
  if (!text) status = dv_field_error(o, &f->filename, NULL, "cannot read %s: %s", path, dv_file_why());
  else if (strlen(text) != length)
    status = dv_field_error(o, &f->filename, "give a text file with three numbers a line", "%s is not a text", path);
  else if (!dv_fibres_scan(text, out, &line))
    status = dv_field_error(o, &f->filename, "give three numbers a line",
                            "line %d of %s has something else than numbers", line, path);
  else if (out->count % 3)
    status = dv_field_error(o, &f->filename,
                            "give three numbers a line, and put a # before lines that are none of them, such as a "
                            "count at the start",
                            "%s has %zu numbers, which do not make vectors", path, out->count);
  dv_free(text);
  dv_free(path);
  return status;
}

// --- directions ---

static dvVec3 of_points(const dvReals *v, const int32_t *p)
{
  dvVec3 first = dv_vec3_normalise(dv_vec3_load(v->data + 3 * p[0])), sum = first;
  for (int k = 1; k < 4; k++) {
    dvVec3 d = dv_vec3_normalise(dv_vec3_load(v->data + 3 * p[k]));
    sum = dv_vec3_add_scaled(sum, d, dv_vec3_dot(first, d) < 0 ? -1 : 1);
  }
  return sum;
}

static dvStatus make_fibres(Fibre *f, const dvReals *given)
{
  dvObject *o = &f->base;
  size_t n = dv_ints_size(&f->tetrahedra), points = dv_reals_size(&f->position), have = given->count / 3, zeros = 0,
         first = 0;
  const void *member = *f->filename ? (const void *)&f->filename : &f->vectors;
  if (have == 0)
    return dv_field_error(o, member, "link vectors to those of a loader or of GenerateVentricle, or give a filename",
                          "there are no fibres");
  if (have != 1 && have != n && have != points)
    return dv_field_error(
        o, member,
        "give one for each tetrahedron, one for each point, or one for all; of a file with triangles, "
        "too, a loader has those of the tetrahedra as NAME_tetrahedra",
        "there are %zu directions for %zu tetrahedra with %zu points", have, n, points);
  if (!dv_reals_resize(&f->fibres, 3 * n)) return dv_engine_no_memory(o);
  double *out = dv_reals_edit(&f->fibres);
  for (size_t i = 0; i < n; i++) {
    dvVec3 d = have == 1   ? dv_vec3_load(given->data)
               : have == n ? dv_vec3_load(given->data + 3 * i)
                           : of_points(given, f->tetrahedra.data + 4 * i);
    double length = dv_vec3_norm(d);
    if (!(length > 1e-12 && length < 1e100) && zeros++ == 0) first = i;
    dv_vec3_store(out + 3 * i, dv_vec3_scale(d, length > 0 ? 1 / length : 0));
  }
  if (zeros)
    return dv_field_error(o, member, "every tetrahedron needs a direction, of any length but 0",
                          "%zu fibres have no direction, the first is that of tetrahedron %zu", zeros, first);
  return DV_OK;
}

static const double PI = 3.14159265358979323846;

static double helix(const Fibre *f, dvVec3 fibre, dvVec3 radial)
{
  dvVec3 axis = dv_vec3_normalise(dv_vec3_load(f->axis)), around = dv_vec3_cross(axis, radial);
  double up = dv_vec3_dot(fibre, axis), along = dv_vec3_dot(fibre, around);
  if (along < 0) up = -up, along = -along;
  return atan2(up, along);
}

static bool make_pictures(Fibre *f)
{
  size_t n = dv_ints_size(&f->tetrahedra), points = dv_reals_size(&f->position);
  if (!dv_reals_resize(&f->centres, 3 * n) || !dv_reals_resize(&f->arrows, 3 * n) ||
      !dv_reals_resize(&f->helixAngle, points))
    return false;
  double *centre = dv_reals_edit(&f->centres), *arrow = dv_reals_edit(&f->arrows),
         *angle = dv_reals_edit(&f->helixAngle);
  dvVec3 axis = dv_vec3_normalise(dv_vec3_load(f->axis)), middle = dv_vec3(0, 0, 0);
  for (size_t i = 0; i < points; i++)
    middle = dv_vec3_add_scaled(middle, dv_vec3_load(f->position.data + 3 * i), 1.0 / (double)points);
  memset(angle, 0, points * sizeof *angle);
  // angles are those of lines: 89 and -89 degrees have a mean of 90, which twice the angle gives
  double *along = dv_alloc((points + 1) * sizeof *along);
  memset(along, 0, points * sizeof *along);
  for (size_t i = 0; i < n; i++) {
    const int32_t *p = f->tetrahedra.data + 4 * i;
    dvVec3 c = dv_vec3(0, 0, 0), fibre = dv_vec3_load(f->fibres.data + 3 * i);
    for (int k = 0; k < 4; k++) c = dv_vec3_add_scaled(c, dv_vec3_load(f->position.data + 3 * p[k]), 0.25);
    dvVec3 edge = dv_vec3_sub(dv_vec3_load(f->position.data + 3 * p[1]), dv_vec3_load(f->position.data + 3 * p[0])),
           out = dv_vec3_sub(c, middle);
    dv_vec3_store(centre + 3 * i, c);
    dv_vec3_store(arrow + 3 * i, dv_vec3_scale(fibre, 0.5 * dv_vec3_norm(edge)));
    double a = helix(f, fibre, dv_vec3_normalise(dv_vec3_add_scaled(out, axis, -dv_vec3_dot(out, axis))));
    for (int k = 0; k < 4; k++) angle[p[k]] += sin(2 * a), along[p[k]] += cos(2 * a);
  }
  for (size_t i = 0; i < points; i++) angle[i] = 90 / PI * atan2(angle[i], along[i]);
  dv_free(along);
  return true;
}

static dvStatus fibre_update(dvObject *o)
{
  Fibre *f = (Fibre *)o;
  dvReals read = {.width = 3};
  size_t points = dv_reals_size(&f->position);
  if (!(dv_vec3_norm(dv_vec3_load(f->axis)) > 0))
    return dv_field_error(o, &f->axis, "0 0 1 is the default", "the axis has no direction");
  DV_TRY(dv_engine_check(o, &f->tetrahedra, points, "points"));
  dvStatus status = *f->filename ? read_file(f, &read) : DV_OK;
  if (status == DV_OK) status = make_fibres(f, *f->filename ? &read : &f->vectors);
  dv_reals_free(&read);
  if (status == DV_OK && !make_pictures(f)) status = dv_engine_no_memory(o);
  return status;
}

// told before the first step, whether or not somebody reads the result
static dvStatus fibre_init(dvObject *o) { return dv_pull(o, &((Fibre *)o)->fibres); }

typedef struct Shown {
  dvVisitor visitor;
  const dvObject *topology;
  bool found;
} Shown;

static dvWalk find_shown(dvVisitor *v, dvNode *node)
{
  Shown *s = (Shown *)v;
  for (size_t i = 0; i < node->objects.count; i++) {
    const dvMuscle *t = dv_muscle_of(node->objects.data[i]);
    s->found = s->found || (t && t->mesh && &t->mesh->base == s->topology);
  }
  return s->found ? DV_WALK_PRUNE : DV_WALK_ON;
}

// the surface is seen already, in the colours of its potential, and nobody has asked for another one at the same place
static bool is_shown(const Fibre *f)
{
  Shown s = {.visitor = {.top_down = find_shown}, .topology = f->topology};
  if (f->draw != DRAW_ANGLES || dv_was_set(&f->base, &f->draw)) return false;
  dv_visit(f->base.node->scene->root, &s.visitor);
  return s.found;
}

static void fibre_sketch(dvObject *o, dvSketch *out)
{
  Fibre *f = (Fibre *)o;
  if (is_shown(f)) return;
  if (f->draw == DRAW_NOTHING || dv_pull(o, &f->fibres) != DV_OK) return;
  if (f->draw == DRAW_ARROWS) {
    *out = (dvSketch){.kind = DV_SKETCH_ARROWS,
                      .positions = dv_field_of(o, &f->centres),
                      .vectors = dv_field_of(o, &f->arrows),
                      .radius = 1,
                      .directed = true,
                      .coloured = true,
                      .colour = {1, 1, 1, 1}};
    return;
  }
  dvObject *state = dv_muscle_shape(o);   // not that of a potential
  if (!f->topology) return;
  *out = (dvSketch){.kind = DV_SKETCH_ELEMENTS,
                    .positions = state ? NULL : dv_field_of(o, &f->position),
                    .state = state,
                    .topology = f->topology,
                    .values = dv_field_of(o, &f->helixAngle)};
}

static const dvVisualOps fibre_ops = {.sketch = fibre_sketch};

const dvClass dv_fibre_field_class = {
    .struct_size = sizeof(dvClass),
    .name = "FibreField",
    .help = "directions of muscle fibres from a file or from vectors, one for each tetrahedron",
    .module = DV_HEART_MODULE,
    .roles = DV_PLAYS(DV_ROLE_ENGINE),
    .size = sizeof(Fibre),
    .blocks = {&dv_object_block, DV_BLOCK(fibre_fields)},
    .ops = {[DV_ROLE_VISUAL] = &fibre_ops},
    .link = fibre_link,
    .init = fibre_init,
    .update = fibre_update,
};

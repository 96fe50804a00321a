// UniformMass: the same mass for every point or frame.
//
// Either vertexMass (of each point) or totalMass (shared equally) is given; totalMass wins. A frame's vertexMass is
// "mass volume inertia": the inertia matrix is per unit of mass, J = mass x inertia, so a mass that comes from
// totalMass scales it. A .rigid file can give the same numbers for frames in space.
#include "mass/classes.h"
#include "mass/diagonal.h"

#include "base/file.h"
#include "math/vec.h"
#include "object/compat.h"

#include <string.h>

#define UNIFORM_MASS_FIELDS(X)                                                                                         \
  X(reals, vertexMass, "1", "kg", "mass of each point; for frames: mass, volume, inertia matrix per unit of mass",     \
    .alias = "mass")                                                                                                   \
  X(real, totalMass, "1", "kg", "mass of all points together; goes before vertexMass", .alias = "totalmass",           \
    .least = "0")                                                                                                      \
  X(file, filename, "", "", "a .rigid file with mass and inertia of the frames")                                       \
  X(bool, showGravityCenter, "0", "", "draw the centre of gravity", .flags = DV_LOOKS)                                 \
  X(real, showAxisSizeFactor, "1", "", "length of drawn axes", .flags = DV_LOOKS)                                      \
  X(bool, compute_mapping_inertia, "0", "", "read by no part of the program; kept for old scenes", .flags = DV_HIDDEN) \
  X(bool, showInitialCenterOfGravity, "0", "", "draw the first centre of gravity", .flags = DV_LOOKS)                  \
  X(bool, showX0, "0", "", "draw the rest positions", .flags = DV_LOOKS)                                               \
  X(ivec2, localRange, "-1 -1", "", "first and last point that have a mass; all when negative")                        \
  X(indices, indices, "", "", "points that have a mass; all when empty")                                               \
  X(bool, preserveTotalMass, "0", "", "keep the total mass when points are removed or added")                          \
  X(link, topology, "", "", "topology whose changes the points follow", .role = DV_ROLE_TOPOLOGY)                      \
  DV_GYROSCOPIC_FIELDS(X)

enum { MOST_NUMBERS = 11 };

typedef struct UniformMass {
  dvDiagonal diagonal;
  UNIFORM_MASS_FIELDS(DV_MEMBER)
  bool from_total;
  dvElementList *listed;          // keeps indices in step
  double numbers[MOST_NUMBERS];   // of one degree of freedom
} UniformMass;

#define SELF UniformMass
static const dvFieldDesc uniform_mass_fields[] = {UNIFORM_MASS_FIELDS(DV_DESCRIBE)};
#undef SELF

static void uniform_mass_destroy(dvObject *o) { dv_diagonal_free((dvDiagonal *)o); }

// --- .rigid files --------------------------------------------------------------------------------

static bool scan_numbers(const char **cursor, double *out, int count)
{
  for (int i = 0; i < count; i++)
    if (!dv_scan_real(cursor, &out[i])) return false;
  return true;
}

static const char *next_line(const char *s)
{
  while (*s && *s != '\n') s++;
  return *s ? s + 1 : s;
}

// one keyword and its numbers; returns what is wrong, or NULL
static const char *read_entry(UniformMass *u, const char *word, size_t length, const char **cursor, bool *has_mass)
{
  static const struct {
    const char *name;
    int numbers;
  } ignored[] = {{"cntr", 3}, {"center", 3}, {"frme", 4}, {"grav", 3},
                 {"visc", 1}, {"stck", 1},   {"step", 1}, {"prec", 1}};
  char name[16];
  double skipped[4];
  if (length >= sizeof name) return "unknown keyword";
  memcpy(name, word, length);
  name[length] = 0;
  if (dv_same(name, "inrt")) return scan_numbers(cursor, u->numbers + 2, 9) ? NULL : "nine numbers expected";
  if (dv_same(name, "volm")) return scan_numbers(cursor, u->numbers + 1, 1) ? NULL : "a number expected";
  if (dv_same(name, "mass") || dv_same(name, "vertexMass")) {
    *has_mass = true;
    return scan_numbers(cursor, u->numbers, 1) ? NULL : "a number expected";
  }
  for (size_t i = 0; i < DV_COUNT(ignored); i++)
    if (dv_same(name, ignored[i].name))
      return scan_numbers(cursor, skipped, ignored[i].numbers) ? NULL : "too few numbers";
  return "unknown keyword";
}

static void read_rigid(UniformMass *u, const char *text, const char *path, bool *has_mass)
{
  dvObject *o = &u->diagonal.base.base;
  const char *s = next_line(text), *word;   // the first line is a title
  size_t length;
  while (dv_scan_word(&s, &word, &length)) {
    if (*word == '#') {
      s = next_line(word);
      continue;
    }
    const char *wrong = read_entry(u, word, length, &s, has_mass);
    if (!wrong) continue;
    dv_field_warning(o, &u->filename, NULL, "%s: %s at '%.*s'; the line is skipped", path, wrong,
                     (int)dv_min_size(length, 20), word);
    s = next_line(s);
  }
}

// true when the file gave a mass
static bool load_rigid(UniformMass *u)
{
  dvObject *o = &u->diagonal.base.base;
  if (!*u->filename || dv_same(u->filename, "unused")) return false;
  if (o->dof->kind != DV_RIGID3) {
    dv_field_warning(o, &u->filename, "remove it, or use frames (template Rigid3)",
                     "a .rigid file is only for frames in space; %s is not read", u->filename);
    return false;
  }
  dvText advice = {0};
  char *path = dv_context_find_file(o->context, u->filename, dv_field_of(o, &u->filename)->place.file, &advice);
  size_t length;
  char *text = dv_file_read(path, &length);
  bool has_mass = false;
  if (text) read_rigid(u, text, path, &has_mass);
  else
    dv_field_warning(o, &u->filename, advice.text, "cannot read %s: %s; the frame gets mass 1 and a unit inertia",
                     u->filename, dv_file_why());
  dv_free(text);
  dv_free(path);
  dv_text_free(&advice);
  return has_mass;
}

// --- set-up --------------------------------------------------------------------------------------

static dvStatus take_points(UniformMass *u)
{
  dvDiagonal *d = &u->diagonal;
  size_t n = d->base.state->count;
  int32_t first = u->localRange[0], last = u->localRange[1];
  d->points.width = 1;
  bool ranged = first >= 0 && last > 0 && (size_t)last < n;
  if (ranged && (size_t)last + 1 == n && dv_compat(&d->base.base, DV_COMPAT_UNIFORM_RANGE)) ranged = false;
  if (ranged) {
    size_t count = last >= first ? (size_t)(last - first) + 1 : 0;
    if (!dv_ints_resize(&d->points, count))
      return dv_error(&d->base.base, NULL, "out of memory for %zu indices", count);
    for (size_t i = 0; i < count; i++) d->points.data[i] = first + (int32_t)i;
    d->count = count;
    return DV_OK;
  }
  DV_TRY(dv_check_indices(&d->base.base, &u->indices, n, "points"));
  dv_ints_share(&d->points, &u->indices);
  d->count = dv_names_all(&u->indices, u->listed) ? n : u->indices.count;
  return DV_OK;
}

static void take_values(UniformMass *u)
{
  dvDiagonal *d = &u->diagonal;
  dvObject *o = &d->base.base;
  double given = u->from_total ? u->totalMass : u->numbers[0];
  d->absent = given < 0;
  if (d->absent)
    dv_field_warning(o, u->from_total ? (void *)&u->totalMass : &u->vertexMass, "give a positive mass",
                     "%s %g is negative: there is no mass", u->from_total ? "totalMass" : "vertexMass", given);
  else if (u->from_total && d->count > 0) u->numbers[0] = u->totalMass / (double)d->count;
  else if (!u->from_total) u->totalMass = u->numbers[0] * (double)d->count;
}

static void write_values(UniformMass *u)
{
  dvDiagonal *d = &u->diagonal;
  dvObject *o = &d->base.base;
  long singular;
  d->uniform = true;
  if (!dv_diagonal_set(d, o->dof, u->numbers, 1, &singular)) return;
  if (singular >= 0 && !d->absent)
    dv_warning(o, "give three positive moments of inertia",
               "the inertia matrix cannot be inverted: the frames do not turn in explicit steps");
  else if (!d->absent) dv_diagonal_check_inertia(d);
  DV_MUST(dv_reals_assign(&u->vertexMass, u->numbers, (size_t)dv_diagonal_numbers(o->dof)));
  dv_touch(o, &u->vertexMass);
  dv_touch(o, &u->totalMass);
}

// the state has another number of points: each keeps its mass, or all share the same total
static void uniform_mass_set_up(dvObject *o)
{
  UniformMass *u = (UniformMass *)o;
  dvDiagonal *d = &u->diagonal;
  if (take_points(u) != DV_OK) d->count = 0;
  if (o->rewound) d->uniform = true;   // the numbers are those of the start
  else if (u->preserveTotalMass && d->count > 0) u->numbers[0] = u->totalMass / (double)d->count;
  else u->totalMass = u->numbers[0] * (double)d->count;
  write_values(u);
  dv_follow_patched(o);   // a number for all, or those of its list
}

// a mass may be given twice, or not at all
static void choose_source(UniformMass *u, bool file_mass)
{
  dvObject *o = &u->diagonal.base.base;
  bool vertex = dv_was_set(o, &u->vertexMass), total = dv_was_set(o, &u->totalMass);
  bool file = *u->filename && !dv_same(u->filename, "unused") && o->dof->kind == DV_RIGID3;
  u->from_total = total && (vertex || !file_mass);   // a mass in a file goes before totalMass
  if (vertex && total)
    dv_field_warning(o, &u->totalMass, "give only one of them", "totalMass goes before vertexMass, which is not used");
  u->diagonal.absent = !vertex && !total && !file;
  if (u->diagonal.absent)
    dv_warning(o, "give totalMass or vertexMass",
               "no mass is given: the points have weight (1 kg each), but no inertia");
}

static void take_numbers(UniformMass *u)
{
  static const double unit[MOST_NUMBERS] = {1, 1, 1, 0, 0, 0, 1, 0, 0, 0, 1};   // in the plane the third is the inertia
  memcpy(u->numbers, unit, sizeof unit);
  if (u->vertexMass.count)
    memcpy(u->numbers, u->vertexMass.data, dv_min_size(u->vertexMass.count, MOST_NUMBERS) * sizeof(double));
}

static dvStatus uniform_mass_init(dvObject *o)
{
  UniformMass *u = (UniformMass *)o;
  dvDiagonal *d = &u->diagonal;
  DV_TRY(dv_mass_init(o));
  o->dof = d->base.state->base.dof;
  take_numbers(u);
  choose_source(u, load_rigid(u));
  DV_TRY(take_points(u));
  if (!d->absent) take_values(u);
  write_values(u);
  dv_diagonal_choose_gyroscopic(d, &u->gyroscopic);
  dv_diagonal_watch(d, uniform_mass_set_up, dv_field_of(o, &u->indices));
  u->listed = dv_follow_points(o, d->base.state, &u->indices);
  if (u->listed) {
    dv_follow_keep_number(o, &u->numbers);
    dv_follow_keep_number(o, &u->totalMass);
  }
  return DV_OK;
}

// what was used at first goes on being used
static dvStatus uniform_mass_reinit(dvObject *o)
{
  UniformMass *u = (UniformMass *)o;
  take_numbers(u);
  DV_TRY(take_points(u));
  take_values(u);
  write_values(u);
  dv_diagonal_choose_gyroscopic(&u->diagonal, &u->gyroscopic);
  return DV_OK;
}

const dvClass dv_uniform_mass_class = {
    .struct_size = sizeof(dvClass),
    .name = "UniformMass",
    .help = "the same mass for every point or frame",
    .module = "Sofa.Component.Mass",
    .dofs = DV_DOF_ALL & ~DV_DOF_BENDING,
    .size = sizeof(UniformMass),
    .blocks = {&dv_object_block, &dv_mass_block, DV_BLOCK(uniform_mass_fields)},
    .ops = {[DV_ROLE_MASS] = &dv_diagonal_ops},
    .init = uniform_mass_init,
    .reinit = uniform_mass_reinit,
    .destroy = uniform_mass_destroy,
    .topology_changed = dv_diagonal_topology_changed,
};

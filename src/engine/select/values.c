// Engines that pick, look up, join and rename entries of lists. A list holds tuples of numbers; their width comes from
// the field that is linked, or from the template (dv_engine_width).
//
//   ValuesFromIndices, PointsFromIndices   out[i] = in[indices[i]]
//   IndicesFromValues                      global[indices[i]] = values[i]
//   MergeVectors                           out = input1, input2 …
//   MergeSets                              union, intersection, difference of sets
//   MapIndices                             indices[out] = in, or with transpose the other way
#include "engine/classes.h"
#include "engine/engine.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define PICK_FIELDS(X)                                             \
  X(reals, in, "", "", "values to choose from", .flags = DV_INPUT) \
  X(indices, indices, "", "", "which of them", .flags = DV_INPUT)  \
  X(reals, out, "", "", "the chosen values", .flags = DV_OUTPUT)   \
  X(string, outStr, "", "", "the same as text", .flags = DV_OUTPUT)
#define POINTS_FIELDS(X)                                                                               \
  X(coords, position, "", "m", "points to choose from; those of the state of the node when not given", \
    .flags = DV_INPUT)                                                                                 \
  X(indices, indices, "", "", "which of them", .flags = DV_INPUT)                                      \
  X(coords, indices_position, "", "m", "the chosen points", .flags = DV_OUTPUT)

typedef struct Pick {
  dvObject base;
  PICK_FIELDS(DV_MEMBER)
} Pick;
typedef struct Points {
  dvObject base;
  POINTS_FIELDS(DV_MEMBER)
} Points;

#define SELF Pick
static const dvFieldDesc pick_fields[] = {PICK_FIELDS(DV_DESCRIBE)};
#undef SELF
#define SELF Points
static const dvFieldDesc points_fields[] = {POINTS_FIELDS(DV_DESCRIBE)};
#undef SELF

static bool pick(const dvReals *in, size_t width, const dvInts *indices, dvReals *out)
{
  if (!dv_reals_resize(out, indices->count * width)) return false;
  for (size_t i = 0; i < indices->count; i++)
    memcpy(out->data + i * width, in->data + (size_t)indices->data[i] * width, width * sizeof(double));
  return true;
}

static void print_to(const dvObject *o, const void *member, char **text)
{
  dvText t = {0};
  dv_field_print(dv_field_of(o, member), &t);
  dv_free(*text);
  *text = dv_strdup(t.text ? t.text : "");
  dv_text_free(&t);
}

static dvStatus pick_update(dvObject *o)
{
  Pick *p = (Pick *)o;
  size_t width = (size_t)dv_engine_width(o, &p->in);
  DV_TRY(dv_engine_check(o, &p->indices, p->in.count / width, "values"));
  dv_engine_set_width(o, &p->out, (int)width);
  if (!pick(&p->in, width, &p->indices, &p->out)) return dv_engine_no_memory(o);
  print_to(o, &p->out, &p->outStr);
  return DV_OK;
}

static dvStatus points_link(dvObject *o)
{
  dv_engine_follow(o, &((Points *)o)->position, dv_node_state_up(o->node), "position");
  return DV_OK;
}

static dvStatus points_update(dvObject *o)
{
  Points *p = (Points *)o;
  DV_TRY(dv_engine_check(o, &p->indices, dv_reals_size(&p->position), "points"));
  return pick(&p->position, (size_t)o->dof->coord, &p->indices, &p->indices_position) ? DV_OK : dv_engine_no_memory(o);
}

DV_ENGINE_CLASS(dv_values_from_indices_class, "ValuesFromIndices", "chooses values of a list by their indices",
                DV_SELECT_MODULE, 0, Pick, .blocks = {&dv_object_block, DV_BLOCK(pick_fields)}, .update = pick_update);
DV_ENGINE_CLASS(dv_points_from_indices_class, "PointsFromIndices", "chooses points by their indices", DV_SELECT_MODULE,
                DV_DOF_VEC3, Points, .blocks = {&dv_object_block, DV_BLOCK(points_fields)}, .link = points_link,
                .update = points_update);

// --- looking up ----------------------------------------------------------------------------------

#define FIND_FIELDS(X)                                                                                  \
  X(reals, values, "", "", "values to look for", .flags = DV_INPUT)                                     \
  X(reals, global, "", "", "list in which they are", .flags = DV_INPUT)                                 \
  X(indices, indices, "", "", "where they are", .flags = DV_OUTPUT)                                     \
  X(indices, otherIndices, "", "", "with recursiveSearch: where each value is not", .flags = DV_OUTPUT) \
  X(bool, recursiveSearch, "0", "", "give every place of a value instead of the first", .flags = DV_INPUT)

typedef struct Find {
  dvObject base;
  FIND_FIELDS(DV_MEMBER)
} Find;

#define SELF Find
static const dvFieldDesc find_fields[] = {FIND_FIELDS(DV_DESCRIBE)};
#undef SELF

static dvStatus find_update(dvObject *o)
{
  Find *f = (Find *)o;
  size_t width = (size_t)dv_engine_width(o, f->global.count ? &f->global : &f->values), missing = 0, first = 0;
  bool good = dv_ints_resize(&f->indices, 0) && dv_ints_resize(&f->otherIndices, 0);
  for (size_t i = 0; (i + 1) * width <= f->values.count && good; i++) {
    bool found = false;
    for (size_t j = 0; (j + 1) * width <= f->global.count && good && (f->recursiveSearch || !found); j++) {
      bool same = true;
      for (size_t k = 0; k < width && same; k++) same = f->values.data[i * width + k] == f->global.data[j * width + k];
      int32_t index = (int32_t)j;
      found = found || same;
      if (same) good = dv_engine_add_ints(&f->indices, &index, 1);
      else if (f->recursiveSearch) good = dv_engine_add_ints(&f->otherIndices, &index, 1);
    }
    if (!found && missing++ == 0) first = i;
  }
  if (!good) return dv_engine_no_memory(o);
  if (missing && !f->recursiveSearch)
    dv_field_warning(o, &f->values, NULL, "%zu of %zu values are not in the list; the first is number %zu", missing,
                     f->values.count / width, first);
  return DV_OK;
}

DV_ENGINE_CLASS(dv_indices_from_values_class, "IndicesFromValues", "finds values in a list", DV_SELECT_MODULE, 0, Find,
                .blocks = {&dv_object_block, DV_BLOCK(find_fields)}, .update = find_update);

// --- joining -------------------------------------------------------------------------------------

#define JOIN_FIELDS(X)                                                              \
  X(int, nbInputs, "2", "", "number of lists: input1, input2 …", .flags = DV_INPUT) \
  X(reals, output, "", "", "all of them, one behind the other", .flags = DV_OUTPUT)
#define JOIN_INPUTS(X) X(reals, input, "", "", "a list", .flags = DV_INPUT)

typedef struct Join {
  dvObject base;
  JOIN_FIELDS(DV_MEMBER)
} Join;
typedef struct JoinInput {
  JOIN_INPUTS(DV_MEMBER)
} JoinInput;

#define SELF Join
static const dvFieldDesc join_fields[] = {JOIN_FIELDS(DV_DESCRIBE)};
#undef SELF
#define SELF JoinInput
static const dvFieldDesc join_inputs[] = {JOIN_INPUTS(DV_DESCRIBE)};
#undef SELF

static dvStatus join_parse(dvObject *o, dvAttributes *a)
{
  return dv_engine_add_inputs(o, a, DV_BLOCK(join_inputs), &((Join *)o)->nbInputs);
}

static dvStatus join_update(dvObject *o)
{
  Join *j = (Join *)o;
  bool good = dv_reals_resize(&j->output, 0);
  for (int i = 1; i <= j->nbInputs && good; i++) {
    const dvReals *in = dv_engine_numbered(o, "input", i);
    if (!in) continue;
    if (in->count) dv_engine_set_width(o, &j->output, dv_engine_width(o, in));
    good = dv_engine_add_reals(&j->output, in->data, in->count);
  }
  return good ? DV_OK : dv_engine_no_memory(o);
}

DV_ENGINE_CLASS(dv_merge_vectors_class, "MergeVectors", "puts lists one behind the other", DV_GENERATE_MODULE, 0, Join,
                .blocks = {&dv_object_block, DV_BLOCK(join_fields)}, .parse = join_parse, .update = join_update);

// --- sets ----------------------------------------------------------------------------------------

#define SETS_FIELDS(X)                                              \
  X(ints, in1, "", "", "first set", .flags = DV_INPUT)              \
  X(ints, in2, "", "", "second set", .flags = DV_INPUT)             \
  X(ints, out, "", "", "the result, ascending", .flags = DV_OUTPUT) \
  X(string, op, "union", "", "union, intersection, difference or symmetric_difference", .flags = DV_INPUT)

typedef struct Sets {
  dvObject base;
  SETS_FIELDS(DV_MEMBER)
} Sets;

#define SELF Sets
static const dvFieldDesc sets_fields[] = {SETS_FIELDS(DV_DESCRIBE)};
#undef SELF

static int compare_ints(const void *a, const void *b)
{
  int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
  return x < y ? -1 : x > y;
}

// ascending, each once
static bool sorted(const dvInts *in, dvInts *out)
{
  out->width = 1;
  if (!dv_ints_assign(out, in->data, in->count)) return false;
  if (out->count) qsort(out->data, out->count, sizeof *out->data, compare_ints);
  size_t kept = 0;
  for (size_t i = 0; i < out->count; i++)
    if (kept == 0 || out->data[kept - 1] != out->data[i]) out->data[kept++] = out->data[i];
  out->count = kept;
  return true;
}

// walks both ascending lists; `keep` says which entries stay: in the first only, the second only, both
static bool combine(const dvInts *a, const dvInts *b, const bool keep[3], dvInts *out)
{
  size_t i = 0, j = 0;
  bool good = dv_ints_resize(out, 0);
  while ((i < a->count || j < b->count) && good) {
    int where = i == a->count ? 1 : j == b->count ? 0 : a->data[i] < b->data[j] ? 0 : a->data[i] > b->data[j] ? 1 : 2;
    int32_t value = where == 1 ? b->data[j] : a->data[i];
    i += where != 1;
    j += where != 0;
    if (keep[where]) good = dv_engine_add_ints(out, &value, 1);
  }
  return good;
}

static dvStatus sets_update(dvObject *o)
{
  Sets *s = (Sets *)o;
  static const struct {
    char letter;
    bool keep[3];
  } kinds[] = {{'u', {1, 1, 1}}, {'i', {0, 0, 1}}, {'d', {1, 0, 0}}, {'s', {1, 1, 0}}};
  const bool *keep = NULL;
  char letter = s->op && *s->op ? (char)tolower((unsigned char)*s->op) : 'u';
  for (size_t i = 0; i < DV_COUNT(kinds); i++)
    if (kinds[i].letter == letter) keep = kinds[i].keep;
  if (!keep)
    return dv_field_error(o, &s->op, "give union, intersection, difference or symmetric_difference",
                          "MergeSets does not know the operation '%s'", s->op);
  dvInts a = {0}, b = {0};
  bool good = sorted(&s->in1, &a) && sorted(&s->in2, &b) && combine(&a, &b, keep, &s->out);
  dv_ints_free(&a);
  dv_ints_free(&b);
  return good ? DV_OK : dv_engine_no_memory(o);
}

DV_ENGINE_CLASS(dv_merge_sets_class, "MergeSets", "union, intersection or difference of two sets of numbers",
                DV_GENERATE_MODULE, 0, Sets, .blocks = {&dv_object_block, DV_BLOCK(sets_fields)},
                .update = sets_update);

// --- renaming ------------------------------------------------------------------------------------

#define MAP_FIELDS(X)                                                                               \
  X(reals, in, "", "", "indices, alone or as elements", .flags = DV_INPUT)                          \
  X(indices, indices, "", "", "what is numbered: entry i was called indices[i]", .flags = DV_INPUT) \
  X(reals, out, "", "", "the new numbers; what has none stays", .flags = DV_OUTPUT)                 \
  X(string, outStr, "", "", "the same as text", .flags = DV_OUTPUT)                                 \
  X(bool, transpose, "0", "", "go from the new numbers to the old ones", .flags = DV_INPUT)

typedef struct Map {
  dvObject base;
  MAP_FIELDS(DV_MEMBER)
} Map;

#define SELF Map
static const dvFieldDesc map_fields[] = {MAP_FIELDS(DV_DESCRIBE)};
#undef SELF

static double renamed(const Map *m, double index)
{
  if (m->transpose) return index >= 0 && index < (double)m->indices.count ? m->indices.data[(size_t)index] : index;
  for (size_t i = 0; i < m->indices.count; i++)
    if (m->indices.data[i] == index) return (double)i;
  return index;
}

static dvStatus map_update(dvObject *o)
{
  Map *m = (Map *)o;
  dv_engine_set_width(o, &m->out, dv_engine_width(o, &m->in));
  if (!dv_reals_resize(&m->out, m->in.count)) return dv_engine_no_memory(o);
  for (size_t i = 0; i < m->in.count; i++) m->out.data[i] = renamed(m, m->in.data[i]);
  print_to(o, &m->out, &m->outStr);
  return DV_OK;
}

DV_ENGINE_CLASS(dv_map_indices_class, "MapIndices", "renames indices after a selection", DV_TRANSFORM_MODULE, 0, Map,
                .blocks = {&dv_object_block, DV_BLOCK(map_fields)}, .update = map_update);

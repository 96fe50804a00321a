// Engines on regions given as lists of indices, and on labels of points or cells: MergeROIs, ROIValueMapper,
// SelectLabelROI, SelectConnectedLabelsROI, GroupFilterYoungModulus.
#include "engine/classes.h"
#include "engine/engine.h"

#include "topology/search/tuple_set.h"

#include <string.h>

// --- regions -------------------------------------------------------------------------------------

#define REGION_FIELDS(X) X(int, nbROIs, "0", "", "number of regions: indices1, indices2 …", .flags = DV_INPUT)
#define MERGE_FIELDS(X) X(lists, roiIndices, "", "", "the regions, a list each", .flags = DV_OUTPUT)
#define VALUE_FIELDS(X)                                                                                      \
  X(reals, outputValues, "", "", "a value for each index up to the largest in a region", .flags = DV_OUTPUT) \
  X(real, defaultValue, "0", "", "value of indices that are in no region", .flags = DV_INPUT)
#define REGION_INPUTS(X) X(indices, indices, "", "", "a region", .flags = DV_INPUT)
#define VALUE_INPUTS(X) X(real, value, "0", "", "value of a region", .flags = DV_INPUT)

typedef struct Regions {
  dvObject base;
  REGION_FIELDS(DV_MEMBER)
  MERGE_FIELDS(DV_MEMBER)
  VALUE_FIELDS(DV_MEMBER)
} Regions;
typedef struct RegionInput {
  REGION_INPUTS(DV_MEMBER)
  VALUE_INPUTS(DV_MEMBER)
} RegionInput;

#define SELF Regions
static const dvFieldDesc merge_fields[] = {REGION_FIELDS(DV_DESCRIBE) MERGE_FIELDS(DV_DESCRIBE)};
static const dvFieldDesc value_fields[] = {REGION_FIELDS(DV_DESCRIBE) VALUE_FIELDS(DV_DESCRIBE)};
#undef SELF
#define SELF RegionInput
static const dvFieldDesc merge_inputs[] = {REGION_INPUTS(DV_DESCRIBE)};
static const dvFieldDesc value_inputs[] = {REGION_INPUTS(DV_DESCRIBE) VALUE_INPUTS(DV_DESCRIBE)};
#undef SELF

static dvStatus merge_parse(dvObject *o, dvAttributes *a)
{
  return dv_engine_add_inputs(o, a, DV_BLOCK(merge_inputs), &((Regions *)o)->nbROIs);
}
static dvStatus value_parse(dvObject *o, dvAttributes *a)
{
  return dv_engine_add_inputs(o, a, DV_BLOCK(value_inputs), &((Regions *)o)->nbROIs);
}

static dvStatus merge_update(dvObject *o)
{
  Regions *r = (Regions *)o;
  bool good = dv_lists_clear(&r->roiIndices);
  for (int i = 1; i <= r->nbROIs && good; i++) {
    const dvInts *in = dv_engine_numbered(o, "indices", i);
    good = dv_lists_push(&r->roiIndices, in ? in->data : NULL, in ? in->count : 0);
  }
  return good ? DV_OK : dv_engine_no_memory(o);
}

static dvStatus value_update(dvObject *o)
{
  Regions *r = (Regions *)o;
  if (!dv_reals_resize(&r->outputValues, 0)) return dv_engine_no_memory(o);
  for (int i = 1; i <= r->nbROIs; i++) {
    const dvInts *in = dv_engine_numbered(o, "indices", i);
    const double *value = dv_engine_numbered(o, "value", i);
    if (!in || !value) continue;
    DV_TRY(dv_engine_check_field(o, dv_field_of(o, in), DV_POINT_LIMIT, "entries at most"));
    for (size_t k = 0; k < in->count; k++) {
      size_t at = (size_t)in->data[k], before = r->outputValues.count;
      if (at >= before && !dv_reals_resize(&r->outputValues, at + 1)) return dv_engine_no_memory(o);
      for (size_t j = before; j < at; j++) r->outputValues.data[j] = r->defaultValue;
      r->outputValues.data[at] = *value;
    }
  }
  return DV_OK;
}

DV_ENGINE_CLASS(dv_merge_rois_class, "MergeROIs", "puts regions together as a list of lists", DV_SELECT_MODULE, 0,
                Regions, .blocks = {&dv_object_block, DV_BLOCK(merge_fields)}, .parse = merge_parse,
                .update = merge_update);
DV_ENGINE_CLASS(dv_roi_value_mapper_class, "ROIValueMapper", "gives the indices of each region a value",
                DV_TRANSFORM_MODULE, 0, Regions, .blocks = {&dv_object_block, DV_BLOCK(value_fields)},
                .parse = value_parse, .update = value_update);

// --- labels --------------------------------------------------------------------------------------

#define LABEL_FIELDS(X)                                                                                 \
  X(lists, labels, "", "", "labels of each point or cell, a list each: [1] [1,2] …", .flags = DV_INPUT) \
  X(ints, selectLabels, "", "", "labels to look for", .flags = DV_INPUT)
#define CONNECT_FIELDS(X)                                                                                    \
  X(int, nbLabels, "0", "", "number of sources of labels: labels1, labels2 …", .flags = DV_INPUT)            \
  X(ints, connectLabels, "", "", "pairs of labels that are connected when they come from different sources", \
    .flags = DV_INPUT)
#define CHOSEN_FIELDS(X) X(indices, indices, "", "", "the points or cells", .flags = DV_OUTPUT)
#define CONNECT_INPUTS(X) X(lists, labels, "", "", "labels of each point or cell from one source", .flags = DV_INPUT)

typedef struct Labels {
  dvObject base;
  LABEL_FIELDS(DV_MEMBER)
  CONNECT_FIELDS(DV_MEMBER)
  CHOSEN_FIELDS(DV_MEMBER)
} Labels;
typedef struct LabelInput {
  CONNECT_INPUTS(DV_MEMBER)
} LabelInput;

#define SELF Labels
static const dvFieldDesc label_fields[] = {LABEL_FIELDS(DV_DESCRIBE) CHOSEN_FIELDS(DV_DESCRIBE)};
static const dvFieldDesc connect_fields[] = {CONNECT_FIELDS(DV_DESCRIBE) CHOSEN_FIELDS(DV_DESCRIBE)};
#undef SELF
#define SELF LabelInput
static const dvFieldDesc connect_inputs[] = {CONNECT_INPUTS(DV_DESCRIBE)};
#undef SELF

static dvStatus label_update(dvObject *o)
{
  Labels *l = (Labels *)o;
  dvTupleSet wanted;
  dv_tuple_set_init(&wanted, 1);
  bool good = dv_ints_resize(&l->indices, 0);
  for (size_t i = 0; i < l->selectLabels.count && good; i++)
    good = dv_tuple_set_add(&wanted, &l->selectLabels.data[i], NULL) >= 0;
  for (size_t i = 0; i < dv_lists_size(&l->labels) && good; i++) {
    bool found = false;
    for (size_t k = 0; k < dv_lists_length(&l->labels, i) && !found; k++)
      found = dv_tuple_set_find(&wanted, dv_lists_at(&l->labels, i) + k) >= 0;
    int32_t index = (int32_t)i;
    if (found) good = dv_engine_add_ints(&l->indices, &index, 1);
  }
  dv_tuple_set_free(&wanted);
  return good ? DV_OK : dv_engine_no_memory(o);
}

static dvStatus connect_parse(dvObject *o, dvAttributes *a)
{
  return dv_engine_add_inputs(o, a, DV_BLOCK(connect_inputs), &((Labels *)o)->nbLabels);
}

// does cell i have connected labels from the two sources?
static bool connects(const dvTupleSet *pairs, const dvLists *a, const dvLists *b, size_t i)
{
  for (size_t j = 0; j < dv_lists_length(a, i); j++)
    for (size_t k = 0; k < dv_lists_length(b, i); k++) {
      int32_t x = dv_lists_at(a, i)[j], y = dv_lists_at(b, i)[k];
      if (dv_tuple_set_find(pairs, (int32_t[]){x < y ? x : y, x < y ? y : x}) >= 0) return true;
    }
  return false;
}

static dvStatus connect_update(dvObject *o)
{
  Labels *l = (Labels *)o;
  if (!dv_ints_resize(&l->indices, 0)) return dv_engine_no_memory(o);
  if (l->nbLabels < 2)
    return dv_field_error(o, &l->nbLabels, "give labels1 and labels2", "labels of one source cannot be connected");
  const dvLists *first = dv_engine_numbered(o, "labels", 1);
  size_t cells = dv_lists_size(first);
  for (int s = 2; s <= l->nbLabels; s++) {
    const dvLists *more = dv_engine_numbered(o, "labels", s);
    if (dv_lists_size(more) != cells)
      return dv_field_error(o, more, "give a list for each point or cell, an empty one is []",
                            "labels%d has %zu lists, labels1 has %zu", s, dv_lists_size(more), cells);
  }
  const dvLists **sources = dv_alloc((size_t)l->nbLabels * sizeof *sources);
  for (int s = 0; s < l->nbLabels; s++) sources[s] = dv_engine_numbered(o, "labels", s + 1);
  dvTupleSet pairs;
  dv_tuple_set_init(&pairs, 2);
  bool good = true;
  for (size_t i = 0; i + 2 <= l->connectLabels.count && good; i += 2) {
    int32_t x = l->connectLabels.data[i], y = l->connectLabels.data[i + 1];
    good = dv_tuple_set_add(&pairs, (int32_t[]){x < y ? x : y, x < y ? y : x}, NULL) >= 0;
  }
  for (size_t i = 0; i < cells && good; i++) {
    bool found = false;
    for (int a = 0; a < l->nbLabels && !found; a++)
      for (int b = a + 1; b < l->nbLabels && !found; b++) found = connects(&pairs, sources[a], sources[b], i);
    int32_t index = (int32_t)i;
    if (found) good = dv_engine_add_ints(&l->indices, &index, 1);
  }
  dv_free(sources);
  dv_tuple_set_free(&pairs);
  return good ? DV_OK : dv_engine_no_memory(o);
}

DV_ENGINE_CLASS(dv_select_label_class, "SelectLabelROI", "selects points or cells that have one of some labels",
                DV_SELECT_MODULE, 0, Labels, .blocks = {&dv_object_block, DV_BLOCK(label_fields)},
                .update = label_update);
DV_ENGINE_CLASS(dv_connected_labels_class, "SelectConnectedLabelsROI",
                "selects points or cells where labels from different sources meet", DV_SELECT_MODULE, 0, Labels,
                .blocks = {&dv_object_block, DV_BLOCK(connect_fields)}, .parse = connect_parse,
                .update = connect_update);

// --- stiffness of groups -------------------------------------------------------------------------

#define GROUP_FIELDS(X)                                                                                                \
  X(strings, groups, "", "", "groups of elements as a loader gives them: name, material, its number, first, how many", \
    .flags = DV_INPUT)                                                                                                 \
  X(indices, primitives, "", "", "the elements; only how many there are counts", .flags = DV_INPUT)                    \
  X(ints, elementsGroup, "", "", "instead of groups: the number of each element's group", .flags = DV_INPUT)           \
  X(reals, youngModulus, "", "Pa", "Young's modulus of each element", .flags = DV_OUTPUT)                              \
  X(string, mapGroupModulus, "", "", "modulus of each group: name modulus; name modulus; …", .flags = DV_INPUT)        \
  X(real, defaultYoungModulus, "10000", "Pa", "modulus of elements in no group", .flags = DV_INPUT)                    \
  X(reals, groupModulus, "", "Pa", "instead of mapGroupModulus: modulus of each group in turn", .flags = DV_INPUT)

typedef struct Groups {
  dvObject base;
  GROUP_FIELDS(DV_MEMBER)
} Groups;

#define SELF Groups
static const dvFieldDesc group_fields[] = {GROUP_FIELDS(DV_DESCRIBE)};
#undef SELF

// One group: its name is borrowed from the field.
typedef struct Group {
  const char *name;
  size_t length;
  long long first, count;
} Group;

typedef DV_ARRAY(Group) GroupList;

static bool is_number(const char *s, long long *out)
{
  const char *end = s;
  return dv_scan_int(&end, out) && (*end == 0 || dv_is_space(*end));
}

// a loader gives one text for each group, a scene five words
static dvStatus read_groups(const Groups *g, GroupList *out)
{
  bool whole = g->groups.count && strchr(g->groups.data[0], ' ') != NULL;
  for (size_t i = 0; i < g->groups.count; i += whole ? 1 : 5) {
    const char *text = g->groups.data[i], *count = text, *first = text;
    Group group = {.name = text, .length = strcspn(text, " ")};
    for (const char *s = text; whole && *s; s++)
      if (*s == ' ' && s[1]) first = count, count = s + 1;
    if (!whole && i + 5 <= g->groups.count) first = g->groups.data[i + 3], count = g->groups.data[i + 4];
    if (!is_number(first, &group.first) || !is_number(count, &group.count) || group.first < 0 || group.count < 0 ||
        group.first + group.count > DV_POINT_LIMIT)
      return dv_field_error(&g->base, &g->groups, "link it to a field such as tetrahedraGroups of a loader",
                            "'%s' is no group: name, material, number, first, how many", text);
    dv_push(out, group);
  }
  return DV_OK;
}

// the next "name modulus" of the map; false at its end
static bool next_entry(const char **cursor, const char **name, size_t *length, double *modulus)
{
  const char *s = *cursor;
  while (*s == ';' || dv_is_space(*s)) s++;
  *name = s;
  *length = strcspn(s, "; \t\r\n");
  s += *length;
  if (*length == 0 || !dv_scan_real(&s, modulus)) return false;
  while (dv_is_space(*s)) s++;
  *cursor = s;
  return *s == 0 || *s == ';';
}

static dvStatus bad_map(const Groups *g, const char *at)
{
  return dv_field_error(&g->base, &g->mapGroupModulus, "write name modulus; name modulus; …",
                        "'%.20s' in mapGroupModulus is no group with a modulus", at);
}

static bool is_empty(const char *s)
{
  while (*s == ';' || dv_is_space(*s)) s++;
  return *s == 0;
}

static bool set_range(Groups *g, size_t first, size_t count, double modulus)
{
  size_t before = g->youngModulus.count;
  if (first + count > before && !dv_reals_resize(&g->youngModulus, first + count)) return false;
  for (size_t i = before; i < g->youngModulus.count; i++) g->youngModulus.data[i] = g->defaultYoungModulus;
  for (size_t i = first; i < first + count; i++) g->youngModulus.data[i] = modulus;
  return true;
}

static dvStatus apply_map(Groups *g, const GroupList *groups)
{
  const char *cursor = g->mapGroupModulus, *name;
  size_t length;
  double modulus;
  while (!is_empty(cursor)) {
    const char *entry = cursor;
    if (!next_entry(&cursor, &name, &length, &modulus) || !(modulus > 0)) return bad_map(g, entry);
    bool found = false;
    for (size_t i = 0; i < groups->count && !found; i++) {
      const Group *group = &groups->data[i];
      found = group->length == length && strncmp(group->name, name, length) == 0;
      if (found && !set_range(g, (size_t)group->first, (size_t)group->count, modulus))
        return dv_engine_no_memory(&g->base);
    }
    if (!found)
      return dv_field_error(&g->base, &g->mapGroupModulus, NULL, "there is no group '%.*s'", (int)length, name);
  }
  return DV_OK;
}

// each element gives its group's number, the map the modulus of each number
static dvStatus apply_numbers(Groups *g)
{
  if (!set_range(g, 0, g->elementsGroup.count, g->defaultYoungModulus)) return dv_engine_no_memory(&g->base);
  const char *cursor = g->mapGroupModulus, *name;
  size_t length;
  double modulus;
  while (!is_empty(cursor)) {
    const char *entry = cursor;
    long long number;
    if (!next_entry(&cursor, &name, &length, &modulus) || !dv_scan_int(&name, &number)) return bad_map(g, entry);
    for (size_t i = 0; i < g->elementsGroup.count; i++)
      if (g->elementsGroup.data[i] == number) g->youngModulus.data[i] = modulus;
  }
  return DV_OK;
}

static dvStatus groups_update(dvObject *o)
{
  Groups *g = (Groups *)o;
  if (!dv_reals_resize(&g->youngModulus, 0)) return dv_engine_no_memory(o);
  if (g->groups.count == 0) return apply_numbers(g);
  GroupList groups = {0};
  dvStatus status = read_groups(g, &groups);
  if (status == DV_OK && g->groupModulus.count == 0) {
    bool good = set_range(g, 0, g->primitives.count, g->defaultYoungModulus);
    status = good ? apply_map(g, &groups) : dv_engine_no_memory(o);
  }
  for (size_t i = 0; i < groups.count && status == DV_OK && g->groupModulus.count; i++) {
    double modulus = i < g->groupModulus.count ? g->groupModulus.data[i] : g->defaultYoungModulus;
    if (!set_range(g, g->youngModulus.count, (size_t)groups.data[i].count, modulus)) status = dv_engine_no_memory(o);
  }
  dv_array_free(&groups);
  return status;
}

DV_ENGINE_CLASS(dv_group_young_class, "GroupFilterYoungModulus",
                "Young's modulus of elements from the groups they are in", DV_GENERATE_MODULE, DV_DOF_VEC3, Groups,
                .blocks = {&dv_object_block, DV_BLOCK(group_fields)}, .update = groups_update);

// The kernel of the selectors. See roi.h.
#include "engine/select/roi.h"

#include "object/parts.h"
#include "state/state.h"

#include <string.h>

#define SELF dvRoi
static const dvFieldDesc point_fields[] = {DV_ROI_POINT_FIELDS(DV_DESCRIBE)};
static const dvFieldDesc element_fields[] = {DV_ROI_ELEMENT_FIELDS(DV_DESCRIBE)};
static const dvFieldDesc more_fields[] = {DV_ROI_MORE_FIELDS(DV_DESCRIBE)};
#undef SELF
const dvFieldBlock dv_roi_point_block = {point_fields, (int)DV_COUNT(point_fields)};
const dvFieldBlock dv_roi_element_block = {element_fields, (int)DV_COUNT(element_fields)};
const dvFieldBlock dv_roi_more_block = {more_fields, (int)DV_COUNT(more_fields)};

void dv_roi_create(dvObject *o, const dvRoiShape *shape)
{
  dvRoi *r = (dvRoi *)o;
  r->shape = shape;
  // selectors without the field
  r->strict = r->doUpdate = true;
}

// --- what it selects from ------------------------------------------------------------------------

static bool has_field(const dvObject *o, const void *member)
{
  for (int i = 0; i < o->field_count; i++)
    if (o->fields[i].value == member) return true;
  return false;
}

static void follow(dvObject *o, void *member, dvObject *source, const char *name)
{
  dvField *from = source ? dv_object_field(source, name) : NULL, *to = dv_field_of(o, member);
  if (!from || to->was_set || to->source) return;
  if (dv_field_link(to, from, NULL) == DV_OK) to->was_set = false;
}

static void follow_positions(dvRoi *r)
{
  dvObject *o = &r->base, *state = dv_node_state(o->node),
           *loader = state ? NULL : dv_node_find(o->node, DV_ROLE_LOADER);
  if (!state && !loader) state = dv_node_state_up(o->node);
  if (state) follow(o, &r->position, state, "rest_position");
  else follow(o, &r->position, loader, "position");
}

dvStatus dv_roi_link(dvObject *o)
{
  dvRoi *r = (dvRoi *)o;
  follow_positions(r);
  if (!has_field(o, &r->edges)) return DV_OK;
  dvObject *topology =
      r->shape->search_up ? dv_node_find_up(o->node, DV_ROLE_TOPOLOGY) : dv_node_find(o->node, DV_ROLE_TOPOLOGY);
  if (!topology) return DV_OK;
  if (r->computeEdges) follow(o, &r->edges, topology, "edges");
  if (r->computeTriangles) follow(o, &r->triangles, topology, "triangles");
  if (r->computeTetrahedra) follow(o, &r->tetrahedra, topology, "tetrahedra");
  if (!has_field(o, &r->quads)) return DV_OK;
  if (r->computeQuads) follow(o, &r->quads, topology, "quads");
  if (r->computeHexahedra) follow(o, &r->hexahedra, topology, "hexahedra");
  return DV_OK;
}

void dv_roi_describe(const dvRoi *r, const char *what, const void *member, dvText *out)
{
  enum { LONGEST = 120 };
  dvText value = {0};
  dv_field_print(dv_field_of(&r->base, member), &value);
  dv_text_printf(out, "%s %.*s%s", what, LONGEST, value.text, value.length > LONGEST ? " …" : "");
  dv_text_free(&value);
}

// the region and how far the points reach
static void warn_empty(const dvRoi *r)
{
  const dvObject *o = &r->base;
  if (dv_parts_of(o->context)) return;   // the points may be those of another process
  double low[3], high[3];
  for (size_t i = 0; i < dv_reals_size(&r->position); i++) {
    double p[3];
    dv_dof_point(o->dof, r->position.data + i * (size_t)o->dof->coord, p);
    for (int k = 0; k < 3; k++) low[k] = i ? dv_min(low[k], p[k]) : p[k], high[k] = i ? dv_max(high[k], p[k]) : p[k];
  }
  dvText region = {0};
  r->shape->describe(r, low, high, &region);
  char *advice = dv_format("the points reach from (%g %g %g) to (%g %g %g), %s", low[0], low[1], low[2], high[0],
                           high[1], high[2], region.text);
  dv_warning(o, advice, "the selection is empty");
  dv_free(advice);
  dv_text_free(&region);
}

dvStatus dv_roi_bwd_init(dvObject *o)
{
  dvRoi *r = (dvRoi *)o;
  DV_TRY(dv_object_update(o));
  if (r->position.count == 0)
    dv_warning(o, "put it beside a MechanicalObject or a loader, or give position",
               "%s has no positions to select from", o->name);
  else if (r->indices.count == 0) warn_empty(r);
  return DV_OK;
}

// --- selection -----------------------------------------------------------------------------------

enum { GRAIN = 16384 };   // points a chunk

static void point_at(const dvRoi *r, size_t i, double out[3])
{
  dv_dof_point(r->base.dof, r->position.data + i * (size_t)r->base.dof->coord, out);
}

static void mark_points(void *user, size_t begin, size_t end)
{
  dvRoi *r = user;
  if (r->shape->mark && !r->shape->mark(r, begin, end, r->inside + begin)) return;
  for (size_t i = begin; i < end; i++) {
    double p[3];
    if (r->inside[i]) continue;
    point_at(r, i, p);
    r->inside[i] = r->shape->contains(r, p);
  }
}

static bool list_points(const dvRoi *r, uint8_t wanted, dvInts *out)
{
  size_t n = r->inside_count;
  if (!dv_ints_reserve(out, n)) return false;
  size_t count = 0;
  if (wanted) count = DV_KERNEL_CHOOSE(dv_roi_kernels)->list_marked(r->inside, n, out->data, 0);
  else
    for (size_t i = 0; i < n; i++) {
      out->data[count] = (int32_t)i;
      count += !r->inside[i];
    }
  out->count = count;
  return true;
}

static bool copy_points(const dvRoi *r, uint8_t wanted, dvReals *out)
{
  size_t width = (size_t)r->base.dof->coord, count = (size_t)r->nbIndices;
  if (!dv_reals_resize(out, width * (wanted ? count : r->inside_count - count))) return false;
  double *at = out->data;
  for (size_t i = 0; i < r->inside_count; i++) {
    if (r->inside[i] != wanted) continue;
    memcpy(at, r->position.data + i * width, width * sizeof *at);
    at += width;
  }
  return true;
}

// One kind of element: where it comes from and where what is inside (0) and outside (1) goes.
typedef struct Kind {
  const dvInts *from;
  bool wanted;
  int width;
  dvInts *indices[2], *elements[2];   // NULL where nobody asks
} Kind;

enum { KINDS = 5 };

static Kind kind_at(dvRoi *r, int k)
{
  switch (k) {
  case 0:
    return (Kind){
        &r->edges, r->computeEdges, 2, {&r->edgeIndices, &r->edgeOutIndices}, {&r->edgesInROI, &r->edgesOutROI}};
  case 1:
    return (Kind){&r->triangles,
                  r->computeTriangles,
                  3,
                  {&r->triangleIndices, &r->triangleOutIndices},
                  {&r->trianglesInROI, &r->trianglesOutROI}};
  case 2:
    return (Kind){&r->quads, r->computeQuads, 4, {&r->quadIndices, NULL}, {&r->quadsInROI, NULL}};
  case 3:
    return (Kind){&r->tetrahedra,
                  r->computeTetrahedra,
                  4,
                  {&r->tetrahedronIndices, &r->tetrahedronOutIndices},
                  {&r->tetrahedraInROI, &r->tetrahedraOutROI}};
  default:
    return (Kind){&r->hexahedra, r->computeHexahedra, 8, {&r->hexahedronIndices, NULL}, {&r->hexahedraInROI, NULL}};
  }
}

static bool is_inside(const dvRoi *r, const int32_t *element, int width)
{
  double x[24], centre[3] = {0};
  bool all = true;
  for (int i = 0; i < width; i++) {
    if (element[i] < 0 || (size_t)element[i] >= r->inside_count) return false;
    all = all && r->inside[element[i]];
  }
  bool by_points = !(r->shape->contains_element && width <= 4);
  if (by_points && (r->strict || (all && r->shape->all_or_centre))) return all;
  for (int i = 0; i < width; i++) {
    point_at(r, (size_t)element[i], x + 3 * i);
    for (int k = 0; k < 3; k++) centre[k] += x[3 * i + k] / width;
  }
  return by_points ? r->shape->contains(r, centre) : r->shape->contains_element(r, x, width);
}

static bool select_elements(dvRoi *r, const Kind *kind)
{
  size_t width = (size_t)kind->width, n = kind->wanted ? kind->from->count / width : 0, counts[2] = {0};
  uint8_t *out = dv_try_alloc(n + 1);
  if (!out) return false;
  for (size_t i = 0; i < n; i++) {
    out[i] = !is_inside(r, kind->from->data + i * width, kind->width);
    counts[out[i]]++;
  }
  bool good = true;
  for (int side = 0; side < 2 && good; side++) {
    dvInts *indices = kind->indices[side], *elements = kind->elements[side];
    good = (!indices || dv_ints_resize(indices, counts[side])) &&
           (!elements || dv_ints_resize(elements, width * counts[side]));
    for (size_t i = 0, at = 0; i < n && good; i++) {
      if (out[i] != side) continue;
      if (indices) indices->data[at] = (int32_t)i;
      if (elements) memcpy(elements->data + at * width, kind->from->data + i * width, width * sizeof(int32_t));
      at++;
    }
  }
  dv_free(out);
  return good;
}

// lists beside `indices`: the other points, their positions, then each kind of element
enum { OTHERS, POINTS_IN, POINTS_OUT, ELEMENTS, LISTS = ELEMENTS + KINDS };

static bool make_list(dvRoi *r, int list)
{
  if (r->made & 1u << list) return true;
  r->made |= 1u << list;
  if (list == OTHERS) return list_points(r, 0, &r->indicesOut);
  if (list < ELEMENTS) return copy_points(r, list == POINTS_IN, list == POINTS_IN ? &r->pointsInROI : &r->pointsOutROI);
  Kind kind = kind_at(r, list - ELEMENTS);
  return select_elements(r, &kind);
}

static int list_of(dvRoi *r, const void *value)
{
  if (value == &r->indicesOut) return OTHERS;
  if (value == &r->pointsInROI) return POINTS_IN;
  if (value == &r->pointsOutROI) return POINTS_OUT;
  for (int k = 0; k < KINDS; k++) {
    Kind kind = kind_at(r, k);
    for (int side = 0; side < 2; side++)
      if (value == kind.indices[side] || value == kind.elements[side]) return ELEMENTS + k;
  }
  return -1;
}

static dvStatus no_memory(const dvRoi *r)
{
  return dv_error(&r->base, NULL, "out of memory while selecting from %zu points", r->inside_count);
}

dvStatus dv_roi_fetch(dvObject *o, dvField *f)
{
  dvRoi *r = (dvRoi *)o;
  int list = r->inside ? list_of(r, f->value) : -1;
  return list < 0 || make_list(r, list) ? DV_OK : no_memory(r);
}

// false when memory is short
static bool clear(dvRoi *r)
{
  bool good = true;
  dvInts *lists[] = {
      &r->indices,        &r->edgeIndices,        &r->triangleIndices,      &r->tetrahedronIndices, &r->edgesInROI,
      &r->trianglesInROI, &r->tetrahedraInROI,    &r->quadIndices,          &r->hexahedronIndices,  &r->quadsInROI,
      &r->hexahedraInROI, &r->edgesOutROI,        &r->trianglesOutROI,      &r->tetrahedraOutROI,   &r->indicesOut,
      &r->edgeOutIndices, &r->triangleOutIndices, &r->tetrahedronOutIndices};
  for (size_t i = 0; i < DV_COUNT(lists); i++) good = dv_ints_resize(lists[i], 0) && good;
  r->nbIndices = 0;
  r->made = 0;
  return dv_reals_resize(&r->pointsInROI, 0) && dv_reals_resize(&r->pointsOutROI, 0) && good;
}

// also lists that are no fields of the class
void dv_roi_destroy(dvObject *o)
{
  dvRoi *r = (dvRoi *)o;
  dvInts *lists[2 * 2 * KINDS + 2] = {&r->indices, &r->indicesOut};
  for (int k = 0; k < KINDS; k++) {
    Kind kind = kind_at(r, k);
    for (int side = 0; side < 2; side++)
      lists[2 + 4 * k + 2 * side] = kind.indices[side], lists[3 + 4 * k + 2 * side] = kind.elements[side];
  }
  for (size_t i = 0; i < DV_COUNT(lists); i++)
    if (lists[i]) dv_ints_free(lists[i]);
  dv_reals_free(&r->pointsInROI);
  dv_reals_free(&r->pointsOutROI);
  dv_free(r->inside);
  r->inside = NULL;
}

static bool make_room(dvRoi *r, size_t n)
{
  if (n != r->inside_count || !r->inside) {
    dv_free(r->inside);
    r->inside_count = n;
    r->inside = dv_try_alloc(n);
    return r->inside != NULL;
  }
  memset(r->inside, 0, n);
  return true;
}

dvStatus dv_roi_update(dvObject *o)
{
  dvRoi *r = (dvRoi *)o;
  if (!r->doUpdate && r->selected) return DV_OK;
  if (!clear(r)) return no_memory(r);
  size_t n = dv_reals_size(&r->position);
  r->selections++;
  if (n == 0 || !make_room(r, n)) return n ? no_memory(r) : DV_OK;
  bool anything = r->shape->prepare(r);
  if (o->failed) return DV_ERROR_INPUT;
  r->selected = r->selected || anything;
  if (anything && r->shape->serial) mark_points(r, 0, n);
  else if (anything) dv_parallel_for(o->context->pool, n, GRAIN, mark_points, r);
  bool good = list_points(r, 1, &r->indices);
  r->nbIndices = (int32_t)r->indices.count;
  // a selection that stays takes everything down as it is now
  for (int list = 0; list < LISTS && !r->doUpdate && good; list++) good = make_list(r, list);
  return good ? DV_OK : no_memory(r);
}

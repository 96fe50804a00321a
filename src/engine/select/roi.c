// The kernel of the selectors. See roi.h.
#include "engine/select/roi.h"

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

// --- what it selects from ------------------------------------------------------------------------------

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
  dvObject *o = &r->base, *state = dv_node_state(o->node), *loader = state ? NULL : dv_node_find(o->node, DV_ROLE_LOADER);
  if (!state && !loader) state = dv_node_state_up(o->node);
  if (state) follow(o, &r->position, state, "rest_position");
  else follow(o, &r->position, loader, "position");
}

dvStatus dv_roi_link(dvObject *o)
{
  dvRoi *r = (dvRoi *)o;
  follow_positions(r);
  if (!has_field(o, &r->edges)) return DV_OK;
  dvObject *topology = r->shape->search_up ? dv_node_find_up(o->node, DV_ROLE_TOPOLOGY) : dv_node_find(o->node, DV_ROLE_TOPOLOGY);
  if (!topology) return DV_OK;
  if (r->computeEdges) follow(o, &r->edges, topology, "edges");
  if (r->computeTriangles) follow(o, &r->triangles, topology, "triangles");
  if (r->computeTetrahedra) follow(o, &r->tetrahedra, topology, "tetrahedra");
  if (!has_field(o, &r->quads)) return DV_OK;
  if (r->computeQuads) follow(o, &r->quads, topology, "quads");
  if (r->computeHexahedra) follow(o, &r->hexahedra, topology, "hexahedra");
  return DV_OK;
}

dvStatus dv_roi_bwd_init(dvObject *o)
{
  dvRoi *r = (dvRoi *)o;
  DV_TRY(dv_object_update(o));
  if (r->position.count == 0)
    dv_warning(o, "put it beside a MechanicalObject or a loader, or give position", "%s has no positions to select from", o->name);
  return DV_OK;
}

// --- selection -----------------------------------------------------------------------------------------

static void point_at(const dvRoi *r, size_t i, double out[3])
{
  dv_dof_point(r->base.dof, r->position.data + i * (size_t)r->base.dof->coord, out);
}

static bool push_int(dvInts *list, const int32_t *values, int width)
{
  if (!dv_ints_resize(list, list->count + (size_t)width)) return false;
  memcpy(list->data + list->count - (size_t)width, values, (size_t)width * sizeof *values);
  return true;
}

static bool push_point(dvRoi *r, dvReals *list, size_t i)
{
  size_t width = (size_t)r->base.dof->coord;
  if (!dv_reals_resize(list, list->count + width)) return false;
  memcpy(list->data + list->count - width, r->position.data + i * width, width * sizeof(double));
  return true;
}

static bool select_points(dvRoi *r, bool *inside, size_t n)
{
  bool good = true;
  for (size_t i = 0; i < n && good; i++) {
    double p[3];
    point_at(r, i, p);
    inside[i] = r->shape->contains(r, p);
    int32_t index = (int32_t)i;
    good = push_int(inside[i] ? &r->indices : &r->indicesOut, &index, 1) && push_point(r, inside[i] ? &r->pointsInROI : &r->pointsOutROI, i);
  }
  r->nbIndices = (int32_t)r->indices.count;
  return good;
}

// One kind of element: where it comes from and where what is inside (0) and outside (1) goes.
typedef struct Kind {
  const dvInts *from;
  bool wanted;
  int width;
  dvInts *indices[2], *elements[2];   // NULL where nobody asks
} Kind;

static bool is_inside(const dvRoi *r, const bool *inside, size_t n, const int32_t *element, int width)
{
  double x[24], centre[3] = {0};
  bool all = true;
  for (int i = 0; i < width; i++) {
    if (element[i] < 0 || (size_t)element[i] >= n) return false;
    all = all && inside[element[i]];
    point_at(r, (size_t)element[i], x + 3 * i);
    for (int k = 0; k < 3; k++) centre[k] += x[3 * i + k] / width;
  }
  if (r->shape->contains_element && width <= 4) return r->shape->contains_element(r, x, width);
  if (r->strict || (all && r->shape->all_or_centre)) return all;
  return r->shape->contains(r, centre);
}

static bool select_elements(dvRoi *r, const Kind *kind, const bool *inside, size_t n)
{
  if (!kind->wanted) return true;
  bool good = true;
  size_t width = (size_t)kind->width;
  for (size_t i = 0; (i + 1) * width <= kind->from->count && good; i++) {
    const int32_t *element = kind->from->data + i * width;
    int side = is_inside(r, inside, n, element, kind->width) ? 0 : 1;
    int32_t index = (int32_t)i;
    if (kind->indices[side]) good = push_int(kind->indices[side], &index, 1);
    if (kind->elements[side]) good = good && push_int(kind->elements[side], element, kind->width);
  }
  return good;
}

static void clear(dvRoi *r)
{
  dvInts *lists[] = {&r->indices, &r->edgeIndices, &r->triangleIndices, &r->tetrahedronIndices, &r->edgesInROI, &r->trianglesInROI,
                     &r->tetrahedraInROI, &r->quadIndices, &r->hexahedronIndices, &r->quadsInROI, &r->hexahedraInROI, &r->edgesOutROI,
                     &r->trianglesOutROI, &r->tetrahedraOutROI, &r->indicesOut, &r->edgeOutIndices, &r->triangleOutIndices,
                     &r->tetrahedronOutIndices};
  for (size_t i = 0; i < DV_COUNT(lists); i++) dv_ints_free(lists[i]);
  dv_reals_free(&r->pointsInROI);
  dv_reals_free(&r->pointsOutROI);
  r->nbIndices = 0;
}

// also lists that are no fields of the class
void dv_roi_destroy(dvObject *o) { clear((dvRoi *)o); }

dvStatus dv_roi_update(dvObject *o)
{
  dvRoi *r = (dvRoi *)o;
  if (!r->doUpdate && r->selected) return DV_OK;
  clear(r);
  size_t n = dv_reals_size(&r->position);
  r->selections++;
  if (n == 0 || !r->shape->prepare(r)) return DV_OK;
  r->selected = true;
  const Kind kinds[] = {
      {&r->edges, r->computeEdges, 2, {&r->edgeIndices, &r->edgeOutIndices}, {&r->edgesInROI, &r->edgesOutROI}},
      {&r->triangles, r->computeTriangles, 3, {&r->triangleIndices, &r->triangleOutIndices}, {&r->trianglesInROI, &r->trianglesOutROI}},
      {&r->quads, r->computeQuads, 4, {&r->quadIndices, NULL}, {&r->quadsInROI, NULL}},
      {&r->tetrahedra, r->computeTetrahedra, 4, {&r->tetrahedronIndices, &r->tetrahedronOutIndices}, {&r->tetrahedraInROI, &r->tetrahedraOutROI}},
      {&r->hexahedra, r->computeHexahedra, 8, {&r->hexahedronIndices, NULL}, {&r->hexahedraInROI, NULL}},
  };
  bool *inside = dv_try_alloc(n * sizeof *inside);
  bool good = inside && select_points(r, inside, n);
  for (size_t i = 0; i < DV_COUNT(kinds) && good; i++) good = select_elements(r, &kinds[i], inside, n);
  dv_free(inside);
  return good ? DV_OK : dv_error(o, NULL, "out of memory while selecting from %zu points", n);
}

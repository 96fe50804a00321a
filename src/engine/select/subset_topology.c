// SubsetTopology: cuts a mesh in two along boxes or spheres, what is inside and what is outside.
//
// An element is inside when all its points lie in the same box (sphere). With localIndices both parts are numbered on
// their own: first the points on the border (those inside of an element that is cut by the first box), the same in both
// parts, then the others. A list of tetrahedra instead of a region makes two parts that share nothing but points.
#include "engine/classes.h"
#include "engine/engine.h"

#include "math/vec.h"

#include <string.h>

#define PART_FIELDS(X)                                                                                             \
  X(vec6s, box, "", "m", "boxes, two opposite corners each; 0 0 0 1 1 1 when nothing is given", .flags = DV_INPUT) \
  X(vec3s, centers, "", "m", "centres of spheres, instead of boxes", .flags = DV_INPUT)                            \
  X(reals, radii, "", "m", "their radii", .flags = DV_INPUT)                                                       \
  X(vec3, direction, "0 0 0", "", "unused, as in SOFA", .flags = DV_HIDDEN)                                        \
  X(vec3, normal, "0 0 0", "", "unused, as in SOFA", .flags = DV_HIDDEN)                                           \
  X(real, edgeAngle, "0", "degrees", "unused, as in SOFA", .flags = DV_HIDDEN)                                     \
  X(real, triAngle, "0", "degrees", "unused, as in SOFA", .flags = DV_HIDDEN)                                      \
  X(coords, rest_position, "", "m", "points; those of the state in the node or above when not given",              \
    .flags = DV_INPUT)                                                                                             \
  X(edges, edges, "", "", "edges; those of the topology in the node or above when not given", .flags = DV_INPUT)   \
  X(triangles, triangles, "", "", "triangles; likewise", .flags = DV_INPUT)                                        \
  X(quads, quads, "", "", "quads", .flags = DV_INPUT)                                                              \
  X(tetrahedra, tetrahedra, "", "", "tetrahedra; likewise", .flags = DV_INPUT)                                     \
  X(hexahedra, hexahedra, "", "", "hexahedra", .flags = DV_INPUT)                                                  \
  X(indices, tetrahedraInput, "", "", "tetrahedra of the inner part, instead of a region", .flags = DV_INPUT)      \
  X(indices, indices, "", "", "points inside", .flags = DV_OUTPUT)                                                 \
  X(indices, edgeIndices, "", "", "edges inside", .flags = DV_OUTPUT)                                              \
  X(indices, triangleIndices, "", "", "triangles inside", .flags = DV_OUTPUT)                                      \
  X(indices, quadIndices, "", "", "quads inside", .flags = DV_OUTPUT)                                              \
  X(indices, tetrahedronIndices, "", "", "tetrahedra inside", .flags = DV_OUTPUT)                                  \
  X(indices, hexahedronIndices, "", "", "hexahedra inside", .flags = DV_OUTPUT)                                    \
  X(coords, pointsInROI, "", "m", "points of the inner part", .flags = DV_OUTPUT)                                  \
  X(coords, pointsOutROI, "", "m", "points of the outer part", .flags = DV_OUTPUT)                                 \
  X(edges, edgesInROI, "", "", "edges of the inner part", .flags = DV_OUTPUT)                                      \
  X(edges, edgesOutROI, "", "", "edges of the outer part", .flags = DV_OUTPUT)                                     \
  X(triangles, trianglesInROI, "", "", "triangles of the inner part", .flags = DV_OUTPUT)                          \
  X(triangles, trianglesOutROI, "", "", "triangles of the outer part", .flags = DV_OUTPUT)                         \
  X(quads, quadsInROI, "", "", "quads of the inner part", .flags = DV_OUTPUT)                                      \
  X(quads, quadsOutROI, "", "", "quads of the outer part", .flags = DV_OUTPUT)                                     \
  X(tetrahedra, tetrahedraInROI, "", "", "tetrahedra of the inner part", .flags = DV_OUTPUT)                       \
  X(tetrahedra, tetrahedraOutROI, "", "", "tetrahedra of the outer part", .flags = DV_OUTPUT)                      \
  X(hexahedra, hexahedraInROI, "", "", "hexahedra of the inner part", .flags = DV_OUTPUT)                          \
  X(hexahedra, hexahedraOutROI, "", "", "hexahedra of the outer part", .flags = DV_OUTPUT)                         \
  X(int, nbrborder, "0", "", "with localIndices: number of points on the border, the first of both parts",         \
    .flags = DV_OUTPUT)                                                                                            \
  X(bool, localIndices, "0", "", "number the points of each part on their own", .flags = DV_INPUT)                 \
  X(bool, drawROI, "0", "", "draw the boxes", .flags = DV_LOOKS)                                                   \
  X(bool, drawPoints, "0", "", "draw the points", .flags = DV_LOOKS)                                               \
  X(bool, drawEdges, "0", "", "draw the edges", .flags = DV_LOOKS)                                                 \
  X(bool, drawTriangle, "0", "", "draw the triangles", .flags = DV_LOOKS)                                          \
  X(bool, drawTetrahedra, "0", "", "draw the tetrahedra", .flags = DV_LOOKS)                                       \
  X(real, drawSize, "1", "", "size of what is drawn", .flags = DV_LOOKS)

typedef struct Part {
  dvObject base;
  PART_FIELDS(DV_MEMBER)
} Part;

#define SELF Part
static const dvFieldDesc part_fields[] = {PART_FIELDS(DV_DESCRIBE)};
#undef SELF

// --- regions -------------------------------------------------------------------------------------

static size_t region_count(const Part *p) { return p->centers.count ? p->centers.count / 3 : p->box.count / 6; }

static bool in_region(const Part *p, size_t region, int32_t point)
{
  const double *x = p->rest_position.data + (size_t)point * (size_t)p->base.dof->coord;
  if (p->centers.count) {
    dvVec3 d = dv_vec3_sub(dv_vec3_load(x), dv_vec3_load(p->centers.data + 3 * region));
    return dv_vec3_norm(d) <= p->radii.data[region];
  }
  const double *b = p->box.data + 6 * region;
  for (int k = 0; k < 3; k++)
    if (x[k] < dv_min(b[k], b[k + 3]) || x[k] > dv_max(b[k], b[k + 3])) return false;
  return true;
}

static bool is_inside(const Part *p, const int32_t *points, size_t count)
{
  for (size_t r = 0; r < region_count(p); r++) {
    bool all = true;
    for (size_t i = 0; i < count && all; i++) all = in_region(p, r, points[i]);
    if (all) return true;
  }
  return false;
}

// --- points --------------------------------------------------------------------------------------

static void mark_border(const Part *p, uint8_t *border)
{
  const dvInts *cells = p->tetrahedra.count ? &p->tetrahedra : &p->triangles;
  size_t width = (size_t)cells->width;
  for (size_t i = 0; i + width <= cells->count && region_count(p); i += width) {
    size_t inside = 0;
    for (size_t k = 0; k < width; k++) inside += in_region(p, 0, cells->data[i + k]);
    for (size_t k = 0; k < width && inside > 0 && inside < width; k++)
      if (in_region(p, 0, cells->data[i + k])) border[cells->data[i + k]] = 1;
  }
}

static bool add_point(Part *p, dvReals *list, size_t i)
{
  size_t width = (size_t)p->base.dof->coord;
  return dv_engine_add_reals(list, p->rest_position.data + i * width, width);
}

// `number` gets the place of each point in its part
static bool sort_points(Part *p, const uint8_t *border, int32_t *number)
{
  size_t n = dv_reals_size(&p->rest_position);
  bool good = true;
  p->nbrborder = 0;
  for (size_t i = 0; i < n && good; i++) {
    int32_t index = (int32_t)i;
    if (!border || !border[i]) continue;
    number[i] = p->nbrborder++;
    good = dv_engine_add_ints(&p->indices, &index, 1) && add_point(p, &p->pointsInROI, i) &&
           add_point(p, &p->pointsOutROI, i);
  }
  int32_t in = p->nbrborder, out = p->nbrborder;
  for (size_t i = 0; i < n && good; i++) {
    int32_t index = (int32_t)i;
    if (border && border[i]) continue;
    bool inside = is_inside(p, &index, 1);
    number[i] = inside ? in++ : out++;
    if (inside) good = dv_engine_add_ints(&p->indices, &index, 1);
    good = good && add_point(p, inside ? &p->pointsInROI : &p->pointsOutROI, i);
  }
  return good;
}

// --- elements ------------------------------------------------------------------------------------

typedef struct Kind {
  const dvInts *from;
  dvInts *indices, *in, *out;
} Kind;

static bool sort_elements(const Part *p, const Kind *kind, const int32_t *number)
{
  size_t width = (size_t)kind->from->width;
  bool good = dv_ints_resize(kind->indices, 0) && dv_ints_resize(kind->in, 0) && dv_ints_resize(kind->out, 0);
  for (size_t i = 0; (i + 1) * width <= kind->from->count && good; i++) {
    int32_t element[8], index = (int32_t)i;
    memcpy(element, kind->from->data + i * width, width * sizeof *element);
    bool inside = is_inside(p, element, width);
    for (size_t k = 0; k < width && p->localIndices; k++) element[k] = number[element[k]];
    if (inside) good = dv_engine_add_ints(kind->indices, &index, 1);
    good = good && dv_engine_add_ints(inside ? kind->in : kind->out, element, width);
  }
  return good;
}

// the points of each tetrahedron go to its part, once
static bool deal_tetrahedron(Part *p, size_t t, bool inside, int32_t *number)
{
  int32_t element[4];
  bool good = true;
  for (size_t k = 0; k < 4 && good; k++) {
    int32_t point = p->tetrahedra.data[4 * t + k];
    if (number[point] < 0) {
      number[point] = (int32_t)dv_reals_size(inside ? &p->pointsInROI : &p->pointsOutROI);
      good = add_point(p, inside ? &p->pointsInROI : &p->pointsOutROI, (size_t)point);
      if (inside) good = good && dv_engine_add_ints(&p->indices, &point, 1);
    }
    element[k] = p->localIndices ? number[point] : point;
  }
  return good && dv_engine_add_ints(inside ? &p->tetrahedraInROI : &p->tetrahedraOutROI, element, 4);
}

static bool deal_tetrahedra(Part *p)
{
  size_t n = dv_reals_size(&p->rest_position), count = dv_ints_size(&p->tetrahedra);
  uint8_t *chosen = dv_try_alloc(count + 1);
  int32_t *in = dv_try_alloc((n + 1) * sizeof *in), *out = dv_try_alloc((n + 1) * sizeof *out);
  bool good = chosen && in && out && dv_reals_resize(&p->pointsInROI, 0) && dv_reals_resize(&p->pointsOutROI, 0) &&
              dv_ints_resize(&p->tetrahedronIndices, 0) && dv_ints_resize(&p->tetrahedraInROI, 0) &&
              dv_ints_resize(&p->tetrahedraOutROI, 0);
  if (good) {
    memset(in, -1, n * sizeof *in);
    memset(out, -1, n * sizeof *out);
  }
  for (size_t i = 0; i < p->tetrahedraInput.count && good; i++) chosen[p->tetrahedraInput.data[i]] = 1;
  for (size_t t = 0; t < count && good; t++) {
    int32_t index = (int32_t)t;
    if (chosen[t]) good = dv_engine_add_ints(&p->tetrahedronIndices, &index, 1);
    good = good && deal_tetrahedron(p, t, chosen[t], chosen[t] ? in : out);
  }
  dv_free(chosen);
  dv_free(in);
  dv_free(out);
  return good;
}

// --- hooks ---------------------------------------------------------------------------------------

static dvStatus part_link(dvObject *o)
{
  Part *p = (Part *)o;
  dvObject *state = dv_node_state_up(o->node), *topology = dv_node_find_up(o->node, DV_ROLE_TOPOLOGY);
  if (state) dv_engine_follow(o, &p->rest_position, state, "position");
  else dv_engine_follow(o, &p->rest_position, dv_node_find(o->node, DV_ROLE_LOADER), "position");
  dv_engine_follow(o, &p->edges, topology, "edges");
  dv_engine_follow(o, &p->triangles, topology, "triangles");
  dv_engine_follow(o, &p->tetrahedra, topology, "tetrahedra");
  return DV_OK;
}

static dvStatus check_input(Part *p)
{
  const dvObject *o = &p->base;
  const dvInts *lists[] = {&p->edges, &p->triangles, &p->quads, &p->tetrahedra, &p->hexahedra};
  for (size_t i = 0; i < DV_COUNT(lists); i++)
    DV_TRY(dv_engine_check(o, lists[i], dv_reals_size(&p->rest_position), "points"));
  DV_TRY(dv_engine_check(o, &p->tetrahedraInput, dv_ints_size(&p->tetrahedra), "tetrahedra"));
  if (p->centers.count && p->radii.count != p->centers.count / 3)
    return dv_field_error(o, &p->radii, "give one for each sphere", "there are %zu spheres and %zu radii",
                          p->centers.count / 3, p->radii.count);
  if (!dv_was_set(o, &p->box) && p->box.count == 0 && !dv_reals_assign(&p->box, (const double[]){0, 0, 0, 1, 1, 1}, 6))
    return dv_engine_no_memory(o);
  return DV_OK;
}

static dvStatus part_update(dvObject *o)
{
  Part *p = (Part *)o;
  DV_TRY(check_input(p));
  size_t n = dv_reals_size(&p->rest_position);
  const Kind kinds[] = {{&p->edges, &p->edgeIndices, &p->edgesInROI, &p->edgesOutROI},
                        {&p->triangles, &p->triangleIndices, &p->trianglesInROI, &p->trianglesOutROI},
                        {&p->quads, &p->quadIndices, &p->quadsInROI, &p->quadsOutROI},
                        {&p->tetrahedra, &p->tetrahedronIndices, &p->tetrahedraInROI, &p->tetrahedraOutROI},
                        {&p->hexahedra, &p->hexahedronIndices, &p->hexahedraInROI, &p->hexahedraOutROI}};
  int32_t *number = dv_try_alloc((n + 1) * sizeof *number);
  uint8_t *border = p->localIndices ? dv_try_alloc(n + 1) : NULL;
  bool good = number && (border || !p->localIndices) && dv_ints_resize(&p->indices, 0) &&
              dv_reals_resize(&p->pointsInROI, 0) && dv_reals_resize(&p->pointsOutROI, 0);
  if (good && border) mark_border(p, border);
  good = good && sort_points(p, border, number);
  for (size_t i = 0; i < DV_COUNT(kinds) && good; i++) good = sort_elements(p, &kinds[i], number);
  if (good && dv_was_set(o, &p->tetrahedraInput)) good = deal_tetrahedra(p);
  dv_free(number);
  dv_free(border);
  return good ? DV_OK : dv_engine_no_memory(o);
}

DV_ENGINE_CLASS(dv_mesh_part_class, "SubsetTopology", "cuts a mesh into what lies in boxes or spheres and the rest",
                DV_SELECT_MODULE, DV_DOF_VEC3 | DV_DOF_RIGID3, Part,
                .blocks = {&dv_object_block, DV_BLOCK(part_fields)}, .link = part_link, .update = part_update);

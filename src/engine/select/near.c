// Points that are near others: NearestPointROI, ProximityROI, HausdorffDistance.
//
// The distance of frames is that of their centres. The nearest of several points at the same distance is the first.
#include "engine/classes.h"
#include "engine/engine.h"

#include "topology/search/box_tree.h"

#include <math.h>
#include <stdlib.h>

// Points to look for the nearest in: a tree in up to three dimensions, else one after the other.
typedef struct Cloud {
  const double *x;
  size_t count, stride, dimensions;
  const int32_t *chosen;   // only these, NULL for all
  dvBox *boxes;
  dvBoxTree tree;
} Cloud;

static size_t cloud_item(const Cloud *c, size_t i) { return c->chosen ? (size_t)c->chosen[i] : i; }

static bool cloud_init(Cloud *c, const dvDof *dof, const dvReals *points, const dvInts *chosen)
{
  bool all = !chosen || chosen->count == 0;
  *c = (Cloud){.x = points->data,
               .count = all ? dv_reals_size(points) : chosen->count,
               .stride = (size_t)dof->coord,
               .chosen = all ? NULL : chosen->data};
  c->dimensions = dof->kind == DV_VEC6 ? 6 : (size_t)dof->space;
  if (c->dimensions > 3) return true;
  c->boxes = dv_try_alloc((c->count + 1) * sizeof *c->boxes);
  if (!c->boxes) return false;
  for (size_t i = 0; i < c->count; i++)
    for (size_t k = 0; k < c->dimensions; k++)
      c->boxes[i].low[k] = c->boxes[i].high[k] = c->x[cloud_item(c, i) * c->stride + k];
  dv_box_tree_init(&c->tree, c->boxes, c->count);
  return true;
}

static void cloud_fini(Cloud *c)
{
  dv_box_tree_fini(&c->tree);
  dv_free(c->boxes);
}

static double distance2(const double *a, const double *b, size_t dimensions)
{
  double sum = 0;
  for (size_t k = 0; k < dimensions; k++) sum += (b[k] - a[k]) * (b[k] - a[k]);
  return sum;
}

// the number of the nearest point, and the squared distance; SIZE_MAX when there is none
static size_t cloud_nearest(const Cloud *c, const double *p, double *d2)
{
  *d2 = INFINITY;
  if (c->dimensions <= 3) {
    double at[3] = {0};
    for (size_t k = 0; k < c->dimensions; k++) at[k] = p[k];
    int32_t found = dv_box_tree_nearest(&c->tree, at, d2);
    return found < 0 ? SIZE_MAX : cloud_item(c, (size_t)found);
  }
  size_t nearest = SIZE_MAX;
  for (size_t i = 0; i < c->count; i++) {
    double d = distance2(c->x + cloud_item(c, i) * c->stride, p, c->dimensions);
    if (d < *d2) nearest = cloud_item(c, i), *d2 = d;
  }
  return nearest;
}

// --- NearestPointROI -----------------------------------------------------------------------------

#define NEAREST_FIELDS(X)                                                                                       \
  X(indices, inputIndices1, "", "", "points of the first state that count; all when empty", .flags = DV_INPUT)  \
  X(indices, inputIndices2, "", "", "points of the second state that count; all when empty", .flags = DV_INPUT) \
  X(real, radius, "1", "m", "points that are this far apart or more make no pair", .flags = DV_INPUT)           \
  X(bool, useRestPosition, "1", "", "compare rest positions, which do not move; else the positions")            \
  X(indices, indices1, "", "", "first point of each pair", .flags = DV_OUTPUT)                                  \
  X(indices, indices2, "", "", "second point of each pair", .flags = DV_OUTPUT)                                 \
  X(edges, edges, "", "", "an edge for each pair, in a list where the two points of a pair follow each other",  \
    .flags = DV_OUTPUT)                                                                                         \
  X(ints, indexPairs, "", "", "0, first point, 1, second point, for each pair: for SubsetMultiMapping",         \
    .flags = DV_OUTPUT)                                                                                         \
  X(reals, distances, "", "m", "distance of each pair", .flags = DV_OUTPUT)                                     \
  X(bool, drawPairs, "0", "", "draw a line between the points of each pair", .flags = DV_LOOKS)                 \
  X(link, object1, "", "", "first state; the one of the node by default", .role = DV_ROLE_STATE)                \
  X(link, object2, "", "", "second state; the one of the node by default", .role = DV_ROLE_STATE)               \
  X(coords, points1, "", "m", "points of the first state", .flags = DV_INPUT | DV_HIDDEN | DV_NO_SRC)           \
  X(coords, points2, "", "m", "points of the second state", .flags = DV_INPUT | DV_HIDDEN | DV_NO_SRC)

typedef struct Nearest {
  dvObject base;
  NEAREST_FIELDS(DV_MEMBER)
} Nearest;

#define SELF Nearest
static const dvFieldDesc nearest_fields[] = {NEAREST_FIELDS(DV_DESCRIBE)};
#undef SELF

static dvStatus nearest_link(dvObject *o)
{
  Nearest *n = (Nearest *)o;
  dvObject *own = dv_node_state(o->node), *first = n->object1.target ? n->object1.target : own,
           *second = n->object2.target ? n->object2.target : own;
  if (!first || !second)
    return dv_error(o, "give object1=\"@path\" and object2=\"@path\"", "%s needs two states", o->name);
  const char *name = n->useRestPosition ? "rest_position" : "position";
  dv_engine_follow(o, &n->points1, first, name);
  dv_engine_follow(o, &n->points2, second, name);
  return DV_OK;
}

static bool add_pair(Nearest *n, int32_t first, int32_t second, double distance)
{
  int32_t at = 2 * (int32_t)n->indices1.count;
  return dv_engine_add_ints(&n->indices1, &first, 1) && dv_engine_add_ints(&n->indices2, &second, 1) &&
         dv_engine_add_ints(&n->edges, (int32_t[]){at, at + 1}, 2) &&
         dv_engine_add_ints(&n->indexPairs, (int32_t[]){0, first, 1, second}, 4) &&
         dv_engine_add_reals(&n->distances, &distance, 1);
}

static dvStatus nearest_update(dvObject *o)
{
  Nearest *n = (Nearest *)o;
  if (!(n->radius > 0))
    return dv_field_error(o, &n->radius, NULL, "a radius of %g finds nothing; give a positive one", n->radius);
  DV_TRY(dv_engine_check(o, &n->inputIndices1, dv_reals_size(&n->points1), "points in the first state"));
  DV_TRY(dv_engine_check(o, &n->inputIndices2, dv_reals_size(&n->points2), "points in the second state"));
  dvInts *lists[] = {&n->indices1, &n->indices2, &n->edges, &n->indexPairs};
  for (size_t i = 0; i < DV_COUNT(lists); i++) DV_MUST(dv_ints_resize(lists[i], 0));
  DV_MUST(dv_reals_resize(&n->distances, 0));
  Cloud cloud;
  bool good = cloud_init(&cloud, o->dof, &n->points1, &n->inputIndices1), all = n->inputIndices2.count == 0;
  size_t count = all ? dv_reals_size(&n->points2) : n->inputIndices2.count;
  for (size_t i = 0; i < count && good; i++) {
    size_t second = all ? i : (size_t)n->inputIndices2.data[i];
    double d2;
    size_t first = cloud_nearest(&cloud, n->points2.data + second * cloud.stride, &d2);
    if (first != SIZE_MAX && d2 < n->radius * n->radius) good = add_pair(n, (int32_t)first, (int32_t)second, sqrt(d2));
  }
  cloud_fini(&cloud);
  return good ? DV_OK : dv_engine_no_memory(o);
}

DV_ENGINE_CLASS(dv_nearest_point_roi_class, "NearestPointROI",
                "pairs each point of a state with the nearest one of another", DV_SELECT_MODULE, DV_DOF_ALL, Nearest,
                .blocks = {&dv_object_block, DV_BLOCK(nearest_fields)}, .link = nearest_link, .update = nearest_update);

// --- ProximityROI --------------------------------------------------------------------------------

#define PROXIMITY_FIELDS(X)                                                                                            \
  X(vec3s, centers, "", "m", "centres of spheres", .flags = DV_INPUT)                                                  \
  X(reals, radii, "", "m", "their radii; the last one also holds for those without", .flags = DV_INPUT)                \
  X(int, N, "0", "", "so many points at most, the nearest to a centre", .flags = DV_INPUT)                             \
  X(coords, position, "", "m",                                                                                         \
    "points; without, the rest positions of a state in the node or above, else of a loader", .alias = "rest_position", \
    .flags = DV_INPUT)                                                                                                 \
  X(indices, indices, "", "", "points in the region, nearest first", .alias = "pointIndices", .flags = DV_OUTPUT)      \
  X(coords, pointsInROI, "", "m", "their positions", .flags = DV_OUTPUT)                                               \
  X(reals, distance, "", "m", "their distances to the nearest centre", .flags = DV_OUTPUT)                             \
  X(indices, indicesOut, "", "", "the other points", .flags = DV_OUTPUT)                                               \
  X(bool, drawSphere, "0", "", "draw the spheres", .alias = "isVisible", .flags = DV_LOOKS)                            \
  X(bool, drawPoints, "0", "", "draw the points", .flags = DV_LOOKS)                                                   \
  X(real, drawSize, "1", "", "size of what is drawn", .flags = DV_LOOKS)

typedef struct Proximity {
  dvObject base;
  PROXIMITY_FIELDS(DV_MEMBER)
} Proximity;

#define SELF Proximity
static const dvFieldDesc proximity_fields[] = {PROXIMITY_FIELDS(DV_DESCRIBE)};
#undef SELF

static dvStatus proximity_link(dvObject *o)
{
  dvObject *state = dv_node_state_up(o->node), *loader = dv_node_find_up(o->node, DV_ROLE_LOADER);
  dv_engine_follow(o, &((Proximity *)o)->position, state ? state : loader, state ? "rest_position" : "position");
  return DV_OK;
}

typedef struct Near {
  double distance;
  int32_t point;
} Near;

static int by_distance(const void *a, const void *b)
{
  const Near *x = a, *y = b;
  return x->distance != y->distance ? (x->distance < y->distance ? -1 : 1) : x->point - y->point;
}

// distance to the nearest centre whose sphere contains the point, infinite when there is none
static double proximity_of(const Proximity *p, const double *x)
{
  double least = INFINITY;
  for (size_t j = 0; j < dv_reals_size(&p->centers); j++) {
    double d = sqrt(distance2(p->centers.data + 3 * j, x, 3));
    if (d < p->radii.data[dv_min_size(j, p->radii.count - 1)]) least = fmin(least, d);
  }
  return least;
}

static bool proximity_sort(Proximity *p, Near *found)
{
  size_t n = dv_reals_size(&p->position), inside = 0;
  bool good = dv_ints_resize(&p->indices, 0) && dv_ints_resize(&p->indicesOut, 0) &&
              dv_reals_resize(&p->pointsInROI, 0) && dv_reals_resize(&p->distance, 0);
  for (size_t i = 0; i < n; i++) {
    Near near = {proximity_of(p, p->position.data + 3 * i), (int32_t)i};
    if (near.distance < INFINITY) found[inside++] = near;
  }
  qsort(found, inside, sizeof *found, by_distance);
  inside = dv_min_size(inside, (size_t)p->N);
  uint8_t *taken = dv_try_alloc(n + 1);
  for (size_t i = 0; i < inside && good && taken; i++) {
    taken[found[i].point] = 1;
    good = dv_engine_add_ints(&p->indices, &found[i].point, 1) &&
           dv_engine_add_reals(&p->distance, &found[i].distance, 1) &&
           dv_engine_add_reals(&p->pointsInROI, p->position.data + 3 * (size_t)found[i].point, 3);
  }
  for (size_t i = 0; i < n && good && taken; i++) {
    int32_t index = (int32_t)i;
    if (!taken[i]) good = dv_engine_add_ints(&p->indicesOut, &index, 1);
  }
  good = good && taken;
  dv_free(taken);
  return good;
}

static dvStatus proximity_update(dvObject *o)
{
  Proximity *p = (Proximity *)o;
  if (p->N < 1)
    return dv_field_error(o, &p->N, "give the largest number of points to select", "N is %d: nothing can be selected",
                          p->N);
  if (p->centers.count && p->radii.count == 0)
    return dv_field_error(o, &p->radii, "give at least one", "there are centres but no radii");
  if (p->radii.count > dv_reals_size(&p->centers))
    dv_field_warning(o, &p->radii, NULL, "there are %zu radii for %zu centres; the last ones are not used",
                     p->radii.count, dv_reals_size(&p->centers));
  Near *found = dv_try_alloc((dv_reals_size(&p->position) + 1) * sizeof *found);
  bool good = found && proximity_sort(p, found);
  dv_free(found);
  return good ? DV_OK : dv_engine_no_memory(o);
}

DV_ENGINE_CLASS(dv_proximity_roi_class, "ProximityROI", "selects the points nearest to given ones", DV_SELECT_MODULE,
                DV_DOF_VEC3, Proximity, .blocks = {&dv_object_block, DV_BLOCK(proximity_fields)},
                .link = proximity_link, .update = proximity_update);

// --- HausdorffDistance ---------------------------------------------------------------------------

#define HAUSDORFF_FIELDS(X)                                                                                    \
  X(coords, points1, "", "m", "first set of points", .flags = DV_INPUT)                                        \
  X(coords, points2, "", "m", "second set of points", .flags = DV_INPUT)                                       \
  X(real, d12, "0", "m", "largest distance of a point of the first set to the second set", .flags = DV_OUTPUT) \
  X(real, d21, "0", "m", "largest distance of a point of the second set to the first set", .flags = DV_OUTPUT) \
  X(real, max, "0", "m", "the larger of the two", .flags = DV_OUTPUT)                                          \
  X(bool, update, "0", "", "measure again when the points move; else the first result stays", .flags = DV_INPUT)

typedef struct Hausdorff {
  dvObject base;
  HAUSDORFF_FIELDS(DV_MEMBER)
  bool done;
} Hausdorff;

#define SELF Hausdorff
static const dvFieldDesc hausdorff_fields[] = {HAUSDORFF_FIELDS(DV_DESCRIBE)};
static const dvMemoryDesc hausdorff_memory[] = {DV_REMEMBER(numbers, done) DV_REMEMBER(numbers, d12)
                                                    DV_REMEMBER(numbers, d21) DV_REMEMBER(numbers, max)};
#undef SELF

static bool farthest(const dvDof *dof, const dvReals *from, const dvReals *to, double *out)
{
  Cloud cloud;
  bool good = cloud_init(&cloud, dof, to, NULL);
  *out = 0;
  for (size_t i = 0; i < dv_reals_size(from) && good; i++) {
    double d2;
    cloud_nearest(&cloud, from->data + i * cloud.stride, &d2);
    *out = fmax(*out, sqrt(d2));
  }
  cloud_fini(&cloud);
  return good;
}

static dvStatus hausdorff_update(dvObject *o)
{
  Hausdorff *h = (Hausdorff *)o;
  if (h->done && !h->update) return DV_OK;
  if (h->points1.count == 0 || h->points2.count == 0)
    return dv_error(o, "give points1 and points2", "there is no distance between %zu and %zu points",
                    dv_reals_size(&h->points1), dv_reals_size(&h->points2));
  if (!farthest(o->dof, &h->points1, &h->points2, &h->d12) || !farthest(o->dof, &h->points2, &h->points1, &h->d21))
    return dv_engine_no_memory(o);
  h->max = fmax(h->d12, h->d21);
  h->done = true;
  return DV_OK;
}

DV_ENGINE_CLASS(dv_hausdorff_class, "HausdorffDistance", "how far two sets of points are from being the same",
                DV_ANALYZE_MODULE, DV_DOF_VEC1 | DV_DOF_VEC2 | DV_DOF_VEC3 | DV_DOF_RIGID2 | DV_DOF_RIGID3, Hausdorff,
                .blocks = {&dv_object_block, DV_BLOCK(hausdorff_fields)}, .update = hausdorff_update,
                DV_MEMORY(hausdorff_memory));

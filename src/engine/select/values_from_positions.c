// ValuesFromPositions: values that change along a direction, for points and elements.
//
// With d the direction and s = (d.p - min) / (max - min), min and max over all points, the value is that of the polygon
// through the input values at s = 0, 1 / (n - 1) … 1. Elements take the value at their centres. A field of vectors is
// the direction itself everywhere.
#include "engine/classes.h"
#include "engine/engine.h"

#include "state/state.h"

#include <math.h>

#define VALUES_FIELDS(X)                                                                                               \
  X(reals, inputValues, "", "", "values from one end to the other, at equal distances", .flags = DV_INPUT)             \
  X(vec3, direction, "0 1 0", "", "direction along which values change, or what vectors are", .flags = DV_INPUT)       \
  X(coords, position, "", "m",                                                                                         \
    "points; without, the rest positions of a state in the node or above, else of a loader", .alias = "rest_position", \
    .flags = DV_INPUT)                                                                                                 \
  X(edges, edges, "", "", "edges; those of the topology in the node or above when not given", .flags = DV_INPUT)       \
  X(triangles, triangles, "", "", "triangles; likewise", .flags = DV_INPUT)                                            \
  X(tetrahedra, tetrahedra, "", "", "tetrahedra; likewise", .flags = DV_INPUT)                                         \
  X(reals, values, "", "", "value of each point", .flags = DV_OUTPUT)                                                  \
  X(reals, edgeValues, "", "", "value of each edge", .flags = DV_OUTPUT)                                               \
  X(reals, triangleValues, "", "", "value of each triangle", .flags = DV_OUTPUT)                                       \
  X(reals, tetrahedronValues, "", "", "value of each tetrahedron", .flags = DV_OUTPUT)                                 \
  X(vec3s, pointVectors, "", "", "vector of each point", .flags = DV_OUTPUT)                                           \
  X(vec3s, edgeVectors, "", "", "vector of each edge", .flags = DV_OUTPUT)                                             \
  X(vec3s, triangleVectors, "", "", "vector of each triangle", .flags = DV_OUTPUT)                                     \
  X(vec3s, tetrahedronVectors, "", "", "vector of each tetrahedron", .flags = DV_OUTPUT)                               \
  X(choice, fieldType, "Scalar", "", "make values or vectors", .options = "Scalar|Vector", .flags = DV_INPUT)          \
  X(bool, drawVectors, "0", "", "draw the vectors", .flags = DV_LOOKS)                                                 \
  X(real, drawVectorLength, "10", "", "how long they are drawn", .flags = DV_LOOKS)

typedef struct Values {
  dvObject base;
  VALUES_FIELDS(DV_MEMBER)
  double low, high;   // extent of the points along the direction
} Values;

#define SELF Values
static const dvFieldDesc values_fields[] = {VALUES_FIELDS(DV_DESCRIBE)};
#undef SELF

static dvStatus values_link(dvObject *o)
{
  Values *v = (Values *)o;
  dvObject *state = dv_node_state_up(o->node), *loader = dv_node_find_up(o->node, DV_ROLE_LOADER),
           *topology = dv_node_find_up(o->node, DV_ROLE_TOPOLOGY);
  dv_engine_follow(o, &v->position, state ? state : loader, state ? "rest_position" : "position");
  dv_engine_follow(o, &v->edges, topology, "edges");
  dv_engine_follow(o, &v->triangles, topology, "triangles");
  dv_engine_follow(o, &v->tetrahedra, topology, "tetrahedra");
  return DV_OK;
}

// mean of d.p over the points of an element; of one point without a list
static double along(const Values *v, const int32_t *element, size_t corners, size_t index)
{
  double sum = 0;
  for (size_t i = 0; i < corners; i++) {
    double p[3];
    dv_dof_point(v->base.dof, v->position.data + (element ? (size_t)element[i] : index) * (size_t)v->base.dof->coord,
                 p);
    sum += v->direction[0] * p[0] + v->direction[1] * p[1] + v->direction[2] * p[2];
  }
  return sum / (double)corners;
}

static double value_at(const Values *v, double place)
{
  size_t n = v->inputValues.count;
  const double *in = v->inputValues.data;
  if (n < 2 || !(v->high > v->low)) return n ? in[0] : 0;
  double s = (place - v->low) / (v->high - v->low) * (double)(n - 1), cell = floor(s);
  if (cell < 0) return in[0];
  if (cell >= (double)(n - 1)) return in[n - 1];
  s -= cell;
  return in[(size_t)cell] * (1 - s) + in[(size_t)cell + 1] * s;
}

static bool fill(const Values *v, const dvInts *elements, dvReals *values, dvReals *vectors)
{
  size_t corners = elements ? (size_t)elements->width : 1,
         n = elements ? dv_ints_size(elements) : dv_reals_size(&v->position);
  bool scalar = v->fieldType == 0;
  if (!dv_reals_resize(values, scalar ? n : 0) || !dv_reals_resize(vectors, scalar ? 0 : 3 * n)) return false;
  for (size_t i = 0; i < n; i++) {
    if (scalar) values->data[i] = value_at(v, along(v, elements ? elements->data + i * corners : NULL, corners, i));
    for (size_t k = 0; k < 3 && !scalar; k++) vectors->data[3 * i + k] = v->direction[k];
  }
  return true;
}

static dvStatus values_update(dvObject *o)
{
  Values *v = (Values *)o;
  size_t n = dv_reals_size(&v->position);
  DV_TRY(dv_engine_check(o, &v->edges, n, "points"));
  DV_TRY(dv_engine_check(o, &v->triangles, n, "points"));
  DV_TRY(dv_engine_check(o, &v->tetrahedra, n, "points"));
  for (size_t i = 0; i < n; i++) {
    double place = along(v, NULL, 1, i);
    v->low = i ? fmin(v->low, place) : place;
    v->high = i ? fmax(v->high, place) : place;
  }
  bool good = fill(v, NULL, &v->values, &v->pointVectors) && fill(v, &v->edges, &v->edgeValues, &v->edgeVectors) &&
              fill(v, &v->triangles, &v->triangleValues, &v->triangleVectors) &&
              fill(v, &v->tetrahedra, &v->tetrahedronValues, &v->tetrahedronVectors);
  return good ? DV_OK : dv_engine_no_memory(o);
}

DV_ENGINE_CLASS(dv_values_from_positions_class, "ValuesFromPositions", "values that change along a direction",
                DV_SELECT_MODULE, DV_DOF_VEC3 | DV_DOF_RIGID3, Values,
                .blocks = {&dv_object_block, DV_BLOCK(values_fields)}, .link = values_link, .update = values_update);

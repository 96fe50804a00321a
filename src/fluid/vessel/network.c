// VesselNetwork: blood in the edges of a mesh (vessels.h), with contrast agent.
//
// Edges are cut into pieces of about `cellLength`. Points with one edge are ends: one of them is the inlet, the others
// are outlets. The network takes its own short steps at the beginning of each step of the scene. Where its points are a
// state (mapped to tissue, say) the vessels are where that is, with the lengths that they have at rest.
#include "fluid/vessel/parts.h"

#include "fluid/vessel/skin.h"
#include "math/expression.h"
#include "scene/node.h"
#include "state/state.h"
#include "topology/topology.h"

#include <math.h>

#define NETWORK_FIELDS(X)                                                                                          \
  X(link, topology, "", "", "mesh of edges; that of the node by default", .role = DV_ROLE_TOPOLOGY)                \
  X(link, state, "", "", "points that move, one for each of the mesh; a state of points in the node by default",   \
    .role = DV_ROLE_STATE)                                                                                         \
  X(reals, radius, "0.002", "m", "radius of the vessels at rest: one, or one for each point")                      \
  X(reals, thickness, "0.0003", "m", "thickness of their walls: one, or one for each point")                       \
  X(real, youngModulus, "400000", "Pa", "stiffness of the walls")                                                  \
  X(real, cellLength, "0.005", "m", "length of the pieces that edges are cut into")                                \
  X(real, density, "1060", "kg/m3", "density of blood")                                                            \
  X(real, viscosity, "0.0035", "Pa s", "viscosity of blood", .least = "0")                                         \
  X(real, profile, "2", "", "power of the profile of velocities: 2 is Poiseuille's, 9 a flat one", .least = "0")   \
  X(real, restPressure, "10000", "Pa", "pressure at which the vessels have their radius")                          \
  X(int, inlet, "0", "", "point where blood comes in")                                                             \
  X(string, inflow, "0", "m3/s", "what comes in: an expression of the time t in seconds")                          \
  X(string, inletPressure, "", "Pa", "pressure at the inlet, instead of inflow: an expression of the time t")      \
  X(string, contrastInflow, "0", "", "contrast agent in what comes in, a part of 1: an expression of the time t")  \
  X(reals, resistance, "1e9", "Pa s/m3",                                                                           \
    "resistance of what follows an outlet: one, or one for each outlet; at least "                                 \
    "that which waves find in its vessel")                                                                         \
  X(reals, compliance, "0", "m3/Pa", "how much what follows an outlet takes up: one, or one for each outlet")      \
  X(real, venousPressure, "0", "Pa", "pressure beyond that")                                                       \
  X(choice, shown, "0", "", "what is drawn as colour", .options = "contrast|pressure|velocity", .flags = DV_LOOKS) \
  X(int, sides, "0", "", "vessels are drawn as tubes with so many sides; 0: as lines", .flags = DV_LOOKS)          \
  X(real, absorption, "0", "1/m",                                                                                  \
    "how much more of X-rays pure contrast agent swallows: tubes show it in X-ray pictures", .least = "0",         \
    .flags = DV_LOOKS)                                                                                             \
  X(vec3s, skin, "", "m", "points of the tubes", .flags = DV_READ_ONLY | DV_HIDDEN)                                \
  X(reals, shownValues, "", "", "what is shown as colour at them", .flags = DV_READ_ONLY | DV_HIDDEN)              \
  X(indices, outlets, "", "", "points where blood goes out", .flags = DV_READ_ONLY)                                \
  X(reals, pressures, "", "Pa", "pressure at each point", .flags = DV_READ_ONLY | DV_HIDDEN)                       \
  X(reals, velocities, "", "m/s", "speed of blood at each point", .flags = DV_READ_ONLY | DV_HIDDEN)               \
  X(reals, contrast, "", "", "contrast agent at each point", .flags = DV_READ_ONLY | DV_HIDDEN)                    \
  X(reals, radii, "", "m", "radius at each point", .flags = DV_READ_ONLY | DV_HIDDEN)                              \
  X(reals, flows, "", "m3/s", "flow along each edge, from its first to its second point",                          \
    .flags = DV_READ_ONLY | DV_HIDDEN)                                                                             \
  X(real, volume, "0", "m3", "blood in all vessels", .flags = DV_READ_ONLY)                                        \
  X(real, totalIn, "0", "m3", "blood that has come in so far", .flags = DV_READ_ONLY)                              \
  X(real, totalOut, "0", "m3", "blood that has gone out of the outlets so far", .flags = DV_READ_ONLY)             \
  X(int, parts, "0", "", "parts of the last step", .flags = DV_READ_ONLY)

typedef struct Network {
  dvObject base;
  NETWORK_FIELDS(DV_MEMBER)
  dvBloodFlow vessels;
  dvTopology *mesh;
  dvState *points;           // NULL: the mesh stands where it is
  DV_ARRAY(int32_t) first;   // of each edge of the mesh: its first piece
  dvInts faces;              // of the tubes
  dvExpression inflow_of, pressure_of, dye_of;
  DV_ARRAY(dvObject *) leaks;
  DV_ARRAY(dvVesselHole) holes;
  size_t version;
  int entrance;   // the inlet for which ends were made
  bool sought, told;
} Network;

#define SELF Network
static const dvFieldDesc network_fields[] = {NETWORK_FIELDS(DV_DESCRIBE)};
static const dvMemoryDesc network_memory[] = {DV_REMEMBER(list, vessels.volume) DV_REMEMBER(list, vessels.dye)
                                                  DV_REMEMBER(list, vessels.flow) DV_REMEMBER(list, vessels.behind)
                                                      DV_REMEMBER(numbers, totalIn) DV_REMEMBER(numbers, totalOut)};
#undef SELF

dvBloodFlow *dv_network_vessels(dvObject *o) { return &((Network *)o)->vessels; }

bool dv_network_place(const dvObject *o, int point, double out[3])
{
  const Network *n = (const Network *)o;
  if (n->points && point >= 0 && (size_t)point < n->points->count) {
    memcpy(out, dv_state_read(n->points, DV_X) + 3 * point, 3 * sizeof *out);
    return true;
  }
  const dvReals *x = n->mesh ? dv_topology_positions(n->mesh) : NULL;
  if (!x || point < 0 || 3 * (size_t)point + 2 >= x->count) return false;
  memcpy(out, x->data + 3 * point, 3 * sizeof *out);
  return true;
}

void dv_network_speed(const dvObject *o, int point, double out[3])
{
  const Network *n = (const Network *)o;
  bool moves = n->points && point >= 0 && (size_t)point < n->points->count;
  for (int k = 0; k < 3; k++) out[k] = moves ? dv_state_read(n->points, DV_V)[3 * point + k] : 0;
}

static void network_destroy(dvObject *o)
{
  Network *n = (Network *)o;
  dv_blood_free(&n->vessels);
  dv_ints_free(&n->faces);
  dv_array_free(&n->first), dv_array_free(&n->leaks), dv_array_free(&n->holes);
  dv_expression_free(&n->inflow_of), dv_expression_free(&n->pressure_of), dv_expression_free(&n->dye_of);
}

// --- building -------------------------------------------------------------------------------------

static double of_list(const dvReals *r, size_t i) { return r->count == 1 ? r->data[0] : i < r->count ? r->data[i] : 0; }

static dvStatus check_list(const Network *n, const dvReals *r, const void *member, size_t count, bool zero)
{
  if (r->count != 1 && r->count != count)
    return dv_field_error(&n->base, member, "give one number, or one for each", "there are %zu numbers for %zu places",
                          r->count, count);
  for (size_t i = 0; i < r->count; i++)
    if (!(r->data[i] > 0 || (zero && r->data[i] == 0)) || !isfinite(r->data[i]))
      return dv_field_error(&n->base, member, NULL, "%g is not above 0", r->data[i]);
  return DV_OK;
}

static dvStatus read_expression(Network *n, dvExpression *e, char *const *text)
{
  dvText why = {0};
  dvStatus status = DV_OK;
  dv_expression_free(e);
  *e = (dvExpression){0};
  if (**text && !dv_expression_read(e, *text, "t", &why))
    status = dv_field_error(&n->base, text, "write an expression of the time t, such as 1e-5 * (1 + sin(6 * t))", "%s",
                            why.text);
  dv_text_free(&why);
  return status;
}

// --- tubes ----------------------------------------------------------------------------------------

static void dress(Network *n);

// Room for a tube around each piece.
static dvStatus wrap(Network *n)
{
  dvObject *o = &n->base;
  size_t tubes = n->sides ? n->vessels.edges.count : 0, points = tubes * dv_skin_points(n->sides);
  if (points > DV_SKIN_MOST)
    return dv_field_error(o, &n->sides, "take fewer, or longer pieces", "%zu tubes of %d sides are too many", tubes,
                          n->sides);
  n->skin.width = 3, n->shownValues.width = 1;
  if (!dv_reals_resize(&n->skin, 3 * points) || !dv_reals_resize(&n->shownValues, points) ||
      !dv_ints_resize(&n->faces, 3 * tubes * dv_skin_triangles(n->sides)))
    return dv_error(o, NULL, "out of memory for %zu tubes", tubes);
  if (tubes) dv_skin_faces(dv_ints_edit(&n->faces), tubes, n->sides);
  dress(n);
  return DV_OK;
}

static double shown_at(const Network *n, const dvBloodFlow *v, size_t piece, size_t point)
{
  double area = v->volume.data[point] / v->points.data[point].length;
  if (n->shown == 1) return dv_blood_pressure(v, point);
  if (n->shown == 2) return fabs(v->flow.data[piece]) / area;
  return v->dye.data[point] / v->volume.data[point];
}

// Tubes where the vessels are, as wide as they are; each has one value, the mean of its ends.
static void dress(Network *n)
{
  const dvBloodFlow *v = &n->vessels;
  const dvInts *edges = dv_topology_elements(n->mesh, DV_EDGE);
  size_t each = dv_skin_points(n->sides), pieces = v->edges.count;
  if (!n->skin.count || n->skin.count != 3 * each * pieces) return;
  double *x = dv_reals_edit(&n->skin), *value = dv_reals_edit(&n->shownValues), ends[2][3], at[2][3], radius[2];
  for (size_t e = 0; e < n->first.count; e++) {
    size_t begin = (size_t)n->first.data[e], end = e + 1 < n->first.count ? (size_t)n->first.data[e + 1] : pieces;
    for (int k = 0; k < 2; k++)
      if (!dv_network_place(&n->base, edges->data[2 * e + (size_t)k], ends[k])) return;
    for (size_t p = begin; p < end; p++) {
      double sum = 0;
      for (int side = 0; side < 2; side++) {
        size_t point = (size_t)(side ? v->edges.data[p].b : v->edges.data[p].a);
        double share = (double)(p - begin + (size_t)side) / (double)(end - begin);
        for (int k = 0; k < 3; k++) at[side][k] = ends[0][k] + share * (ends[1][k] - ends[0][k]);
        radius[side] = sqrt(v->volume.data[point] / v->points.data[point].length / M_PI);
        sum += 0.5 * shown_at(n, v, p, point);
      }
      dv_skin_tube(x + 3 * each * p, n->sides, at[0], at[1], radius[0], radius[1]);
      for (size_t k = 0; k < each; k++) value[each * p + k] = sum;
    }
  }
  dv_touch(&n->base, &n->skin), dv_touch(&n->base, &n->shownValues);
}

static dvStatus network_reinit(dvObject *o)
{
  Network *n = (Network *)o;
  DV_TRY(read_expression(n, &n->inflow_of, &n->inflow));
  DV_TRY(read_expression(n, &n->pressure_of, &n->inletPressure));
  DV_TRY(read_expression(n, &n->dye_of, &n->contrastInflow));
  if (!(n->density > 0) || !isfinite(n->density) || !(n->viscosity >= 0) || !isfinite(n->viscosity) ||
      !(n->profile >= 0) || !isfinite(n->profile))
    return dv_field_error(o, &n->density, NULL, "a density of %g, a viscosity of %g and a profile of %g make no sense",
                          n->density, n->viscosity, n->profile);
  n->vessels.density = n->density, n->vessels.viscosity = n->viscosity, n->vessels.profile = n->profile;
  if (!(n->absorption >= 0) || !isfinite(n->absorption))
    return dv_field_error(o, &n->absorption, NULL, "an absorption of %g makes no sense", n->absorption);
  if (n->sides != 0 && (n->sides < 3 || n->sides > DV_SKIN_MOST_SIDES))
    return dv_field_error(o, &n->sides, "take 12, or 0 for lines", "tubes have 3 to %d sides, not %d",
                          DV_SKIN_MOST_SIDES, n->sides);
  if (!n->vessels.volume.count) return DV_OK;   // they are not there yet
  if (n->inlet != n->entrance)
    return dv_field_error(o, &n->inlet, "set it before the start", "blood comes in at point %d while it flows, not %d",
                          n->entrance, n->inlet);
  return wrap(n);
}

static void add_point(Network *n, double radius, double thickness)
{
  double area = M_PI * radius * radius;
  dvVesselPoint p = {.area = area, .beta = 4.0 / 3 * sqrt(M_PI) * n->youngModulus * thickness / area, .end = -1};
  n->vessels.points.data[n->vessels.points.count++] = p;
}

// how many pieces an edge is cut into; 0 when it has no length
static double pieces_of(const Network *n, const double *x, const int32_t *edge, double *length)
{
  double sum = 0;
  for (int k = 0; k < 3; k++)
    sum += (x[3 * edge[1] + k] - x[3 * edge[0] + k]) * (x[3 * edge[1] + k] - x[3 * edge[0] + k]);
  *length = sqrt(sum);
  return *length > 0 && isfinite(*length) ? fmax(1, ceil(*length / n->cellLength)) : 0;
}

static dvStatus cut_edges(Network *n, const dvReals *x, const dvInts *edges)
{
  dvObject *o = &n->base;
  dvBloodFlow *v = &n->vessels;
  size_t points = x->count / 3;
  double all = (double)points, length;
  for (size_t e = 0; e + 1 < edges->count; e += 2) {
    const int32_t *g = edges->data + e;
    if (g[0] < 0 || g[1] < 0 || (size_t)g[0] >= points || (size_t)g[1] >= points)
      return dv_error(o, NULL, "edge %zu names points %d and %d of %zu", e / 2, g[0], g[1], points);
    double pieces = pieces_of(n, x->data, g, &length);
    if (!(pieces > 0)) return dv_error(o, "move its points apart", "edge %zu has no length", e / 2);
    all += pieces;
  }
  if (!(all <= DV_VESSELS_MOST))
    return dv_field_error(o, &n->cellLength, "make them longer", "pieces of %g m would be more than %d", n->cellLength,
                          DV_VESSELS_MOST);
  v->points.count = v->edges.count = n->first.count = 0;
  if (!dv_try_reserve(&v->points, (size_t)all) || !dv_try_reserve(&v->edges, (size_t)all + edges->count) ||
      !dv_try_reserve(&n->first, edges->count))
    return dv_error(o, NULL, "out of memory for %g pieces", all);
  for (size_t i = 0; i < points; i++) add_point(n, of_list(&n->radius, i), of_list(&n->thickness, i));
  for (size_t e = 0; e + 1 < edges->count; e += 2) {
    const int32_t *g = edges->data + e;
    int pieces = (int)pieces_of(n, x->data, g, &length), last = g[0];
    n->first.data[n->first.count++] = (int32_t)v->edges.count;
    for (int k = 1; k <= pieces; k++) {
      double s = (double)k / pieces;
      int next = k == pieces ? g[1] : (int)v->points.count;
      if (k < pieces)
        add_point(n, (1 - s) * of_list(&n->radius, (size_t)g[0]) + s * of_list(&n->radius, (size_t)g[1]),
                  (1 - s) * of_list(&n->thickness, (size_t)g[0]) + s * of_list(&n->thickness, (size_t)g[1]));
      v->edges.data[v->edges.count++] = (dvVesselEdge){.a = last, .b = next, .length = length / pieces};
      last = next;
    }
  }
  return DV_OK;
}

static dvStatus find_ends(Network *n, size_t points, const dvInts *edges)
{
  dvObject *o = &n->base;
  dvBloodFlow *v = &n->vessels;
  int *many = dv_try_alloc((points + 1) * sizeof *many);
  if (!many || !dv_ints_resize(&n->outlets, 0)) return dv_error(o, NULL, "out of memory");
  memset(many, 0, points * sizeof *many);
  for (size_t e = 0; e < edges->count; e++) many[edges->data[e]]++;
  size_t found = 0, alone = 0;
  for (size_t i = 0; i < points; i++) found += many[i] == 1 && (int)i != n->inlet, alone += many[i] == 0;
  bool room = dv_ints_resize(&n->outlets, found) && dv_try_reserve(&v->ends, found);
  dvStatus status = room ? DV_OK : dv_error(o, NULL, "out of memory");
  if (room && alone) status = dv_error(o, "take the points away", "%zu points of the mesh have no edges", alone);
  if (status == DV_OK) status = check_list(n, &n->resistance, &n->resistance, found ? found : 1, true);
  if (status == DV_OK) status = check_list(n, &n->compliance, &n->compliance, found ? found : 1, true);
  v->ends.count = 0;
  for (size_t i = 0; i < points && status == DV_OK; i++) {
    if (many[i] != 1 || (int)i == n->inlet) continue;
    const dvVesselPoint *p = &v->points.data[i];
    size_t k = v->ends.count;
    double wave = n->density * sqrt(p->beta * sqrt(p->area) / (2 * n->density)) / p->area;
    double all = of_list(&n->resistance, k);
    dv_ints_edit(&n->outlets)[k] = (int32_t)i;
    v->ends.data[v->ends.count++] = (dvVesselEnd){.point = (int)i,
                                                  .first = fmin(wave, all > 0 ? all : wave),
                                                  .rest = fmax(all - wave, 1e-9 * wave),
                                                  .compliance = of_list(&n->compliance, k),
                                                  .beyond = n->venousPressure};
  }
  dv_free(many);
  return status;
}

// The state of the points: one that is named, or a fitting one beside the mesh.
static dvStatus find_points(Network *n, size_t points)
{
  dvObject *o = &n->base, *state = n->state.target ? n->state.target : dv_node_state(o->node);
  n->points = NULL;
  if (!state || (!n->state.target && state->node != o->node)) return DV_OK;
  DV_TRY(dv_object_ensure(state));
  bool fits = state->dof->kind == DV_VEC3 && dv_state(state)->count == points;
  if (fits) n->points = dv_state(state);
  else if (n->state.target)
    return dv_field_error(o, &n->state, "map a point to it for each point of the mesh",
                          "%s has %zu %s coordinates, the vessels have %zu points", state->name, dv_state(state)->count,
                          state->dof->name, points);
  return DV_OK;
}

static void publish(Network *n);

static dvStatus network_init(dvObject *o)
{
  Network *n = (Network *)o;
  dvObject *mesh = n->topology.target ? n->topology.target : dv_node_find(o->node, DV_ROLE_TOPOLOGY);
  if (!mesh) return dv_error(o, "put it into the node of a mesh of edges", "there is no mesh of vessels");
  DV_TRY(dv_object_ensure(mesh));
  n->mesh = dv_topology(mesh);
  const dvReals *x = dv_topology_positions(n->mesh);
  const dvInts *edges = dv_topology_elements(n->mesh, DV_EDGE);
  size_t points = x->count / 3;
  if (edges->count < 2) return dv_error(o, "give the mesh edges", "the mesh has no edges: there are no vessels");
  if (n->inlet < 0 || (size_t)n->inlet >= points)
    return dv_field_error(o, &n->inlet, NULL, "there is no point %d: the mesh has %zu", n->inlet, points);
  if (!(n->cellLength > 0) || !(n->youngModulus > 0) || !isfinite(n->youngModulus) || !isfinite(n->restPressure))
    return dv_field_error(o, &n->cellLength, NULL, "a length of %g and a stiffness of %g are not above 0",
                          n->cellLength, n->youngModulus);
  DV_TRY(check_list(n, &n->radius, &n->radius, points, false));
  DV_TRY(check_list(n, &n->thickness, &n->thickness, points, false));
  DV_TRY(find_points(n, points));
  DV_TRY(network_reinit(o));
  n->vessels.rest = n->restPressure, n->entrance = n->inlet;
  DV_TRY(cut_edges(n, x, edges));
  DV_TRY(find_ends(n, points, edges));
  if (!dv_blood_open(&n->vessels)) return dv_error(o, NULL, "out of memory for %zu pieces", n->vessels.edges.count);
  n->pressures.width = n->velocities.width = n->contrast.width = n->radii.width = n->flows.width = 1;
  if (!dv_reals_resize(&n->pressures, points) || !dv_reals_resize(&n->velocities, points) ||
      !dv_reals_resize(&n->contrast, points) || !dv_reals_resize(&n->radii, points) ||
      !dv_reals_resize(&n->flows, edges->count / 2))
    return dv_error(o, NULL, "out of memory");
  DV_TRY(wrap(n));
  publish(n);
  return DV_OK;
}

// --- steps ----------------------------------------------------------------------------------------

static void publish(Network *n)
{
  dvObject *o = &n->base;
  const dvBloodFlow *v = &n->vessels;
  double *p = dv_reals_edit(&n->pressures), *u = dv_reals_edit(&n->velocities), *c = dv_reals_edit(&n->contrast),
         *r = dv_reals_edit(&n->radii), *q = dv_reals_edit(&n->flows);
  for (size_t i = 0; i < n->pressures.count; i++) {
    double area = v->volume.data[i] / v->points.data[i].length;
    p[i] = dv_blood_pressure(v, i), r[i] = sqrt(area / M_PI), c[i] = v->dye.data[i] / v->volume.data[i], u[i] = 0;
  }
  for (size_t e = 0; e < v->edges.count; e++)   // the fastest of the vessels that meet
    for (int side = 0; side < 2; side++) {
      size_t at = (size_t)(side ? v->edges.data[e].b : v->edges.data[e].a);
      if (at < n->velocities.count) u[at] = fmax(u[at], fabs(v->flow.data[e]) / (M_PI * r[at] * r[at]));
    }
  for (size_t e = 0; e < n->first.count; e++) q[e] = v->flow.data[n->first.data[e]];
  n->volume = 0;
  for (size_t i = 0; i < v->volume.count; i++) n->volume += v->volume.data[i];
  dv_touch(o, &n->pressures), dv_touch(o, &n->velocities), dv_touch(o, &n->contrast), dv_touch(o, &n->radii);
  dv_touch(o, &n->flows), dv_touch(o, &n->volume), dv_touch(o, &n->totalIn), dv_touch(o, &n->totalOut);
  dress(n);
}

typedef struct Seeker {
  dvVisitor visitor;
  Network *network;
} Seeker;

static dvWalk seek_leaks(dvVisitor *s, dvNode *node)
{
  Network *n = ((Seeker *)s)->network;
  for (size_t i = 0; i < node->objects.count; i++) {
    dvObject *o = node->objects.data[i];
    if (o->cls == &dv_vessel_leak_class && !o->failed && dv_leak_network(o) == &n->base) dv_push(&n->leaks, o);
  }
  return DV_WALK_ON;
}

static void take_holes(Network *n)
{
  dvScene *scene = n->base.node->scene;
  if (!n->sought || n->version != scene->version) {
    n->leaks.count = 0;
    Seeker s = {.visitor = {.top_down = seek_leaks}, .network = n};
    dv_visit(scene->root, &s.visitor);
    n->sought = true, n->version = scene->version;
  }
  n->holes.count = 0;
  for (size_t i = 0; i < n->leaks.count; i++) dv_push(&n->holes, *dv_leak_hole(n->leaks.data[i]));
}

static void network_step(Network *n, double time, double dt)
{
  dvObject *o = &n->base;
  dvBloodFlow *v = &n->vessels;
  double limit = dv_blood_limit(v), parts = ceil(dt / limit);
  int where = 0;
  if (!(parts <= DV_VESSELS_PARTS)) {
    dv_error(o, "make dt shorter or cellLength longer",
             "a step of %g s is more than %d times what waves need for a piece of a vessel, %.3g s", dt,
             DV_VESSELS_PARTS, limit);
    return;
  }
  take_holes(n);
  n->parts = (int32_t)fmax(1, parts);
  double h = dt / n->parts;
  for (int k = 0; k < n->parts; k++) {
    double t = time + (k + 1) * h;
    dvVesselInlet in = {.point = n->entrance, .by_pressure = n->pressure_of.count > 0};
    in.value = dv_expression_value(in.by_pressure ? &n->pressure_of : &n->inflow_of, &t);
    if (n->dye_of.count) in.dye = fmin(fmax(dv_expression_value(&n->dye_of, &t), 0), 1);
    if (!isfinite(in.value)) {
      dv_error(o, "look at inflow or inletPressure", "what comes in at %g s is not finite", t);
      return;
    }
    bool good = dv_blood_step(v, h, &in, n->holes.data, n->holes.count, &where);
    n->totalIn += in.in, n->totalOut += in.out;
    if (!good) {
      dv_error(o, "let more in, or make the vessels stiffer",
               "the vessel at point %d has collapsed at %g s: more goes out than comes in", where, t);
      return;
    }
  }
  for (size_t i = 0; i < n->leaks.count; i++) dv_leak_hole(n->leaks.data[i])->lost = n->holes.data[i].lost;
  dv_touch(o, &n->parts);
  publish(n);
}

static void network_event(dvObject *o, const dvEvent *event)
{
  Network *n = (Network *)o;
  if (event->kind == DV_EVENT_ANIMATE_BEGIN && !o->failed && event->dt > 0) network_step(n, o->node->time, event->dt);
}

static bool network_restored(dvObject *o)
{
  Network *n = (Network *)o;
  for (size_t i = 0; i < n->vessels.volume.count; i++)
    if (!(n->vessels.volume.data[i] > 0)) return false;
  publish(n);
  return true;
}

static void network_sketch(dvObject *o, dvSketch *out)
{
  Network *n = (Network *)o;
  if (!n->mesh) return;
  if (n->skin.count) {
    *out = (dvSketch){.kind = DV_SKETCH_SKIN,
                      .positions = dv_field_of(o, &n->skin),
                      .values = dv_field_of(o, &n->shownValues),
                      .triangles = &n->faces,
                      .absorption = n->shown == 0 ? n->absorption : 0};
    return;
  }
  const void *values = n->shown == 1 ? &n->pressures : n->shown == 2 ? &n->velocities : &n->contrast;
  *out = (dvSketch){.kind = DV_SKETCH_ELEMENTS,
                    .positions = dv_object_field(n->points ? &n->points->base : &n->mesh->base, "position"),
                    .values = dv_field_of(o, values),
                    .topology = &n->mesh->base};
}

const dvClass dv_vessel_network_class = {
    .struct_size = sizeof(dvClass),
    .name = "VesselNetwork",
    .help = "blood that flows in the edges of a mesh, with pulse waves and contrast agent",
    .module = "Divan",
    .size = sizeof(Network),
    .blocks = {&dv_object_block, DV_BLOCK(network_fields)},
    .ops = {[DV_ROLE_VISUAL] = &(const dvVisualOps){.sketch = network_sketch}},
    .init = network_init,
    .reinit = network_reinit,
    .handle_event = network_event,
    .restored = network_restored,
    .destroy = network_destroy,
    DV_MEMORY(network_memory),
};

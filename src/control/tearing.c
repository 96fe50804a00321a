// TearingEngine: membranes and nets that tear where they are stretched too far.
//
// Of a triangle, F maps its rest shape to the present one. With the eigenvalues l1 >= l2 of U = (F^T F)^1/2, strains
// e = l - 1 and plane stress
//
//   s1 = E / (1 - nu^2) (e1 + nu e2)
//
// is the larger principal stress: E e for a strip that is pulled. After a step the triangle that is worst above the
// threshold is looked for; through its worst corner the mesh is incised across the direction of s1, one triangle far on
// each side, and the corner parts. The ends of the tear are on the border now, stresses gather there, and it goes on in
// later steps. Without triangles, edges that are too long go, and with them the springs of a MeshSpringForceField;
// points stay, so that no mass is lost. Equal ones go by their numbers: a run repeats.
#include "math/vec.h"
#include "mechanics/component.h"
#include "state/state.h"
#include "topology/change/incise.h"

#include <math.h>

#define TEARING_FIELDS(X)                                                                                          \
  X(real, stressThreshold, "0", "Pa", "principal stress above which triangles tear; 0: whatever the stress",       \
    .least = "0")                                                                                                  \
  X(real, elongationThreshold, "0", "", "length over length at rest above which edges and triangles tear; 0: any", \
    .least = "0")                                                                                                  \
  X(int, maxPerStep, "1", "", "tears in one step", .least = "1", .most = "10000")                                  \
  X(int, nbFractureMax, "0", "", "tears in all; 0: no limit", .least = "0")                                        \
  X(real, snap, "0.2", "", "share of an edge within which a tear takes its end", .least = "0", .most = "0.49")     \
  X(link, topology, "", "", "mesh that tears; the one of the node or above by default", .role = DV_ROLE_TOPOLOGY)  \
  X(link, forceField, "", "",                                                                                      \
    "force with youngModulus and poissonRatio, for stresses; the first one of the node that has them by default",  \
    .role = DV_ROLE_FORCE)                                                                                         \
  X(int, tears, "0", "", "tears so far", .flags = DV_READ_ONLY)                                                    \
  X(real, maxStress, "0", "Pa", "largest principal stress of the last step", .flags = DV_READ_ONLY)

typedef struct Tearing {
  dvObject base;
  TEARING_FIELDS(DV_MEMBER)
  dvTopology *mesh;
  dvState *state;
  double young, poisson;
} Tearing;

#define SELF Tearing
static const dvFieldDesc tearing_fields[] = {TEARING_FIELDS(DV_DESCRIBE)};
static const dvMemoryDesc tearing_memory[] = {DV_REMEMBER(numbers, tears) DV_REMEMBER(numbers, maxStress)};
#undef SELF

static dvVec3 now(const Tearing *t, int32_t point)
{
  return dv_vec3_load(dv_state_read(t->state, DV_X) + 3 * (size_t)point);
}

static dvVec3 at_rest(const Tearing *t, int32_t point)
{
  return dv_vec3_load(dv_state_read(t->state, DV_X_REST) + 3 * (size_t)point);
}

// --- how bad it is -------------------------------------------------------------------------------

typedef struct Load {
  double stress, stretch;
  dvVec3 along;   // direction of the larger stress, now
} Load;

static Load load_of(const Tearing *t, const int32_t *c)
{
  dvVec3 a = dv_vec3_sub(at_rest(t, c[1]), at_rest(t, c[0])), b = dv_vec3_sub(at_rest(t, c[2]), at_rest(t, c[0]));
  dvVec3 x = dv_vec3_sub(now(t, c[1]), now(t, c[0])), y = dv_vec3_sub(now(t, c[2]), now(t, c[0]));
  double length = dv_vec3_norm(a), shear = length > 0 ? dv_vec3_dot(a, b) / length : 0;
  double height = length > 0 ? dv_vec3_norm(dv_vec3_cross(a, b)) / length : 0;
  Load none = {0, 1, dv_vec3(0, 0, 0)};
  if (!(length > 0) || !(height > 0)) return none;
  // columns of F in the frame of the rest shape, and C = F^T F
  dvVec3 f = dv_vec3_scale(x, 1 / length), g = dv_vec3_scale(dv_vec3_add_scaled(y, f, -shear), 1 / height);
  double p = dv_vec3_norm2(f), q = dv_vec3_dot(f, g), r = dv_vec3_norm2(g);
  double middle = 0.5 * (p + r), radius = hypot(0.5 * (p - r), q);
  double larger = sqrt(middle + radius), smaller = sqrt(dv_max(middle - radius, 0)), angle = 0.5 * atan2(2 * q, p - r);
  double e1 = larger - 1, e2 = smaller - 1;
  dvVec3 along = dv_vec3_add(dv_vec3_scale(f, cos(angle)), dv_vec3_scale(g, sin(angle)));
  return (Load){t->young / (1 - t->poisson * t->poisson) * (e1 + t->poisson * e2), larger, dv_vec3_normalise(along)};
}

static double stretch_of(const Tearing *t, const int32_t *edge)
{
  double rest = dv_vec3_norm(dv_vec3_sub(at_rest(t, edge[0]), at_rest(t, edge[1])));
  return rest > 0 ? dv_vec3_norm(dv_vec3_sub(now(t, edge[0]), now(t, edge[1]))) / rest : 1;
}

// above 1 it tears
static double severity(const Tearing *t, double stress, double stretch)
{
  double by_stress = t->stressThreshold > 0 ? stress / t->stressThreshold : 0;
  return dv_max(by_stress, t->elongationThreshold > 0 ? stretch / t->elongationThreshold : 0);
}

typedef struct Rank {
  double severity;
  int32_t element;   // -1 for none
} Rank;

static bool is_before(Rank a, Rank b)
{
  return a.severity != b.severity ? a.severity > b.severity : a.element < b.element;
}

// the worst element that comes after another one
static Rank worst_after(Tearing *t, dvElementKind kind, Rank last)
{
  const dvInts *list = dv_topology_elements(t->mesh, kind);
  Rank worst = {1, -1};
  for (size_t i = 0; i < dv_ints_size(list); i++) {
    const int32_t *c = list->data + i * (size_t)dv_element_points(kind);
    Load l = kind == DV_TRIANGLE ? load_of(t, c) : (Load){.stretch = stretch_of(t, c)};
    Rank r = {severity(t, l.stress, l.stretch), (int32_t)i};
    t->maxStress = dv_max(t->maxStress, l.stress);
    if (r.severity > worst.severity && is_before(last, r)) worst = r;
  }
  return worst;
}

// Of a point on the border: how near a direction is to an edge of the border, as a cosine. -2 for a point inside.
static double nearness_to_border(const Tearing *t, int32_t point, dvVec3 way)
{
  double nearest = -2;
  for (int32_t at = dv_topology_first_at(t->mesh, DV_EDGE, point); at >= 0;
       at = dv_topology_next_at(t->mesh, DV_EDGE, at)) {
    const int32_t *e = dv_topology_list(t->mesh, DV_EDGE)->data + at / 2 * 2;
    int32_t around[2];
    if (dv_mesh_around(t->mesh, DV_TRIANGLE, e, 2, around, 2) != 1) continue;
    dvVec3 to = dv_vec3_sub(now(t, e[0] == point ? e[1] : e[0]), now(t, point));
    nearest = dv_max(nearest, dv_vec3_dot(way, to) / dv_vec3_norm(to));
  }
  return nearest;
}

// --- where a tear goes ---------------------------------------------------------------------------

// the triangle at a point through whose far edge a direction leads, and where it meets that edge; -1 for none
static int32_t ahead(const Tearing *t, int32_t point, dvVec3 way, dvVec3 *meets)
{
  dvVec3 x = now(t, point);
  int32_t best = -1;
  double straightest = 0.5;
  for (int32_t at = dv_topology_first_at(t->mesh, DV_TRIANGLE, point); at >= 0;
       at = dv_topology_next_at(t->mesh, DV_TRIANGLE, at)) {
    const int32_t *c = dv_topology_list(t->mesh, DV_TRIANGLE)->data + at / 3 * 3;
    dvVec3 u = dv_vec3_sub(now(t, c[(at + 1) % 3]), x), v = dv_vec3_sub(now(t, c[(at + 2) % 3]), x);
    dvVec3 side = dv_vec3_cross(way, dv_vec3_cross(u, v));
    double p = dv_vec3_dot(u, side), q = dv_vec3_dot(v, side);
    if (p * q > 0 || p == q) continue;
    dvVec3 to = dv_vec3_add_scaled(u, dv_vec3_sub(v, u), p / (p - q));
    double straight = dv_vec3_dot(to, way) / dv_vec3_norm(to);
    if (!(straight > straightest)) continue;
    straightest = straight, best = at / 3;
    *meets = dv_vec3_add(x, to);
  }
  return best;
}

static const double *positions(void *user) { return dv_state_read(((const Tearing *)user)->state, DV_X); }

// A tear through a point: where it leads on both sides, or on one from the border inwards.
typedef struct Tear {
  int32_t point, on[2];   // triangles through which it leads, -1 for none
  dvVec3 meets[2];
  double load;   // of the triangles around the point, in the mean; far more on the border, since tears go on
} Tear;

#define ALONG 0.94   // cosine above which a direction runs along the border

static Tear tear_through(const Tearing *t, int32_t point, dvVec3 way)
{
  Tear out = {.point = point};
  double border[2], sum = 0, count = 0;
  for (int k = 0; k < 2; k++) {
    dvVec3 to = k ? dv_vec3_neg(way) : way;
    out.on[k] = ahead(t, point, to, &out.meets[k]);
    border[k] = nearness_to_border(t, point, to);
    if (border[k] > ALONG) out.on[k] = -1;
  }
  if (border[0] > -2 && out.on[0] >= 0 && out.on[1] >= 0) out.on[border[0] <= border[1]] = -1;
  if (border[0] == -2 && (out.on[0] < 0 || out.on[1] < 0)) out.on[0] = out.on[1] = -1;   // inside it needs both
  for (int32_t at = dv_topology_first_at(t->mesh, DV_TRIANGLE, point); at >= 0;
       at = dv_topology_next_at(t->mesh, DV_TRIANGLE, at)) {
    Load l = load_of(t, dv_topology_list(t->mesh, DV_TRIANGLE)->data + at / 3 * 3);
    sum += severity(t, l.stress, l.stretch), count++;
  }
  out.load = sum / count + (border[0] > -2 ? 1e6 : 0);
  return out;
}

// across the larger stress, through the worst corner where that can be; false when nothing came of it
static bool tear_triangle(Tearing *t, int32_t triangle)
{
  int32_t c[3], told[3];
  memcpy(c, dv_topology_elements(t->mesh, DV_TRIANGLE)->data + 3 * (size_t)triangle, sizeof c);
  dvVec3 normal = dv_vec3_cross(dv_vec3_sub(now(t, c[1]), now(t, c[0])), dv_vec3_sub(now(t, c[2]), now(t, c[0])));
  dvVec3 way = dv_vec3_normalise(dv_vec3_cross(normal, load_of(t, c).along));
  Tear best = {.on = {-1, -1}};
  for (int k = 0; k < 3; k++) {
    Tear one = tear_through(t, c[k], way);
    if (one.on[0] < 0 && one.on[1] < 0) continue;
    bool none = best.on[0] < 0 && best.on[1] < 0;
    if (none || one.load > best.load || (one.load == best.load && one.point < best.point)) best = one;
  }
  if (best.on[0] < 0 && best.on[1] < 0) return false;
  double corners[9];
  size_t count = 0, doubled = 0;
  if (best.on[0] >= 0) told[count] = best.on[0], dv_vec3_store(corners + 3 * count++, best.meets[0]);
  told[count] = best.on[0] >= 0 ? best.on[0] : best.on[1], dv_vec3_store(corners + 3 * count++, now(t, best.point));
  if (best.on[1] >= 0) told[count] = best.on[1], dv_vec3_store(corners + 3 * count++, best.meets[1]);
  dvIncision how = {&t->base, positions, t, t->snap, t->snap};
  return dv_mesh_incise(t->mesh, &how, corners, told, count, &doubled) == DV_OK && doubled > 0;
}

// --- when ----------------------------------------------------------------------------------------

enum { MOST_TRIES = 32 };

// the worst element that can tear; a triangle in a corner of the border cannot
static bool tear_once(Tearing *t, dvElementKind kind)
{
  Rank last = {INFINITY, -1};
  for (int i = 0; i < MOST_TRIES; i++) {
    last = worst_after(t, kind, last);
    if (last.element < 0 || dv_topology_first_change(t->mesh) != DV_OK) return false;
    if (kind == DV_EDGE) return dv_mesh_remove(t->mesh, DV_EDGE, &last.element, 1, DV_KEEP_ISOLATED) == DV_OK;
    if (tear_triangle(t, last.element)) return true;
  }
  return false;
}

static void tearing_event(dvObject *o, const dvEvent *event)
{
  Tearing *t = (Tearing *)o;
  if (event->kind != DV_EVENT_ANIMATE_END || !o->listening || t->mesh->base.failed) return;
  dvElementKind kind = dv_topology_count(t->mesh, DV_TRIANGLE) ? DV_TRIANGLE : DV_EDGE;
  unsigned before = t->mesh->revision;
  t->maxStress = 0;
  for (int i = 0; i < t->maxPerStep && (!t->nbFractureMax || t->tears < t->nbFractureMax); i++) {
    if (!tear_once(t, kind)) break;
    t->tears++;
  }
  if (t->mesh->revision != before) dv_topology_end_changes(t->mesh);
  dv_touch(o, &t->tears), dv_touch(o, &t->maxStress);
}

// the first number of a field; false when there is none
static bool first_number(dvObject *o, const char *name, double *out)
{
  dvField *f = dv_object_field(o, name);
  dvText text = {0};
  if (!f || dv_field_pull(f) != DV_OK) return false;
  dv_field_print(f, &text);
  const char *cursor = text.text ? text.text : "";
  bool found = dv_scan_real(&cursor, out);
  dv_text_free(&text);
  return found;
}

static dvStatus find_material(Tearing *t)
{
  dvObject *force = t->forceField.target;
  const dvNode *node = t->base.node;
  for (size_t i = 0; i < node->objects.count && !force; i++) {
    dvObject *o = node->objects.data[i];
    if (dv_plays(o, DV_ROLE_FORCE) && dv_object_field(o, "youngModulus") && dv_object_field(o, "poissonRatio"))
      force = o;
  }
  if (!force || !first_number(force, "youngModulus", &t->young) || !first_number(force, "poissonRatio", &t->poisson))
    return dv_error(
        &t->base, "put a TriangularFEMForceField into the node, give forceField=\"@path\", or use elongationThreshold",
        "stressThreshold needs a force with youngModulus and poissonRatio");
  return DV_OK;
}

static dvStatus tearing_init(dvObject *o)
{
  Tearing *t = (Tearing *)o;
  dvObject *mesh = t->topology.target ? t->topology.target : dv_node_find_up(o->node, DV_ROLE_TOPOLOGY);
  if (!mesh)
    return dv_error(o, "add a topology to the node, or give topology=\"@path\"", "TearingEngine finds no topology");
  t->mesh = dv_topology(mesh);
  dvObject *state = dv_node_find_up(mesh->node, DV_ROLE_STATE);
  t->state = state ? dv_state(state) : NULL;
  if (!t->state || state->dof->coord != 3 || t->state->topology != t->mesh)
    return dv_error(o, "add a MechanicalObject of Vec3 to the node of the topology", "%s has no points that move",
                    mesh->name);
  if (dv_topology_count(t->mesh, DV_TETRAHEDRON) || dv_topology_count(t->mesh, DV_HEXAHEDRON))
    return dv_error(o, "name a mesh of triangles or edges", "TearingEngine tears surfaces and nets, and %s has volumes",
                    mesh->name);
  if (!dv_mesh_may_change(t->mesh, o)) return DV_ERROR_INPUT;
  if (t->maxPerStep < 1 || t->nbFractureMax < 0 || !(t->snap >= 0 && t->snap < 0.5))
    return dv_error(o, "maxPerStep is at least 1, nbFractureMax at least 0, snap from 0 to 0.49",
                    "TearingEngine cannot tear %d a step, %d in all, with snap %g", t->maxPerStep, t->nbFractureMax,
                    t->snap);
  if (!(t->stressThreshold > 0) && !(t->elongationThreshold > 0))
    dv_warning(o, "give stressThreshold or elongationThreshold", "nothing tears: there is no threshold");
  return t->stressThreshold > 0 ? find_material(t) : DV_OK;
}

const dvClass dv_tearing_class = {
    .struct_size = sizeof(dvClass),
    .name = "TearingEngine",
    .help = "tears membranes above a stress or an elongation, and springs of a net above an elongation",
    .module = "Tearing",
    .roles = DV_PLAYS(DV_ROLE_TOPOLOGY_TOOL),
    .size = sizeof(Tearing),
    .blocks = {&dv_object_block, DV_BLOCK(tearing_fields)},
    .presets = "listening=1",
    .bwd_init = tearing_init,
    .handle_event = tearing_event,
    DV_MEMORY(tearing_memory),
};

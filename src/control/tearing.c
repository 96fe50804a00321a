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
#include "control/membrane.h"
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
  dvMembrane m;
} Tearing;

#define SELF Tearing
static const dvFieldDesc tearing_fields[] = {TEARING_FIELDS(DV_DESCRIBE)};
static const dvMemoryDesc tearing_memory[] = {DV_REMEMBER(numbers, tears) DV_REMEMBER(numbers, maxStress)};
#undef SELF

static dvVec3 now(const Tearing *t, int32_t point)
{
  return dv_vec3_load(dv_state_read(t->m.state, DV_X) + 3 * (size_t)point);
}

// --- how bad it is -------------------------------------------------------------------------------

typedef struct Load {
  double stress, stretch;
  dvVec3 along;   // direction of the larger stress, now
} Load;

static Load load_of(const Tearing *t, const int32_t *c)
{
  dvStretch s;
  if (!dv_membrane_stretch(&t->m, c, &s)) return (Load){0, 1, dv_vec3(0, 0, 0)};
  dvVec3 along = dv_vec3_add(dv_vec3_scale(s.f, cos(s.angle)), dv_vec3_scale(s.g, sin(s.angle)));
  return (Load){dv_membrane_stress(&t->m, &s, 0), s.length[0], dv_vec3_normalise(along)};
}

static double stretch_of(const Tearing *t, const int32_t *edge)
{
  const double *x = dv_state_read(t->m.state, DV_X_REST);
  double rest = dv_vec3_norm(dv_vec3_sub(dv_vec3_load(x + 3 * (size_t)edge[0]), dv_vec3_load(x + 3 * (size_t)edge[1])));
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
  const dvInts *list = dv_topology_elements(t->m.mesh, kind);
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
  for (int32_t at = dv_topology_first_at(t->m.mesh, DV_EDGE, point); at >= 0;
       at = dv_topology_next_at(t->m.mesh, DV_EDGE, at)) {
    const int32_t *e = dv_topology_list(t->m.mesh, DV_EDGE)->data + at / 2 * 2;
    int32_t around[2];
    if (dv_mesh_around(t->m.mesh, DV_TRIANGLE, e, 2, around, 2) != 1) continue;
    dvVec3 to = dv_vec3_sub(now(t, e[0] == point ? e[1] : e[0]), now(t, point));
    nearest = dv_max(nearest, dv_vec3_dot(way, to) / dv_vec3_norm(to));
  }
  return nearest;
}

// --- where a tear goes ---------------------------------------------------------------------------

static const double *positions(void *user) { return dv_state_read(((const Tearing *)user)->m.state, DV_X); }

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
    dvAheadOnMembrane a = dv_membrane_ahead(&t->m, DV_X, point, to);
    out.on[k] = a.triangle, out.meets[k] = a.meets;
    border[k] = nearness_to_border(t, point, to);
    if (border[k] > ALONG) out.on[k] = -1;
  }
  if (border[0] > -2 && out.on[0] >= 0 && out.on[1] >= 0) out.on[border[0] <= border[1]] = -1;
  if (border[0] == -2 && (out.on[0] < 0 || out.on[1] < 0)) out.on[0] = out.on[1] = -1;   // inside it needs both
  for (int32_t at = dv_topology_first_at(t->m.mesh, DV_TRIANGLE, point); at >= 0;
       at = dv_topology_next_at(t->m.mesh, DV_TRIANGLE, at)) {
    Load l = load_of(t, dv_topology_list(t->m.mesh, DV_TRIANGLE)->data + at / 3 * 3);
    sum += severity(t, l.stress, l.stretch), count++;
  }
  out.load = sum / count + (border[0] > -2 ? 1e6 : 0);
  return out;
}

// across the larger stress, through the worst corner where that can be; false when nothing came of it
static bool tear_triangle(Tearing *t, int32_t triangle)
{
  int32_t c[3], told[3];
  memcpy(c, dv_topology_elements(t->m.mesh, DV_TRIANGLE)->data + 3 * (size_t)triangle, sizeof c);
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
  dvIncision how = {&t->base, positions, t, t->snap, t->snap, 0, 0};
  return dv_mesh_incise(t->m.mesh, &how, corners, told, count, &doubled) == DV_OK && doubled > 0;
}

// --- when ----------------------------------------------------------------------------------------

enum { MOST_TRIES = 32 };

// the worst element that can tear; a triangle in a corner of the border cannot
static bool tear_once(Tearing *t, dvElementKind kind)
{
  Rank last = {INFINITY, -1};
  for (int i = 0; i < MOST_TRIES; i++) {
    last = worst_after(t, kind, last);
    if (last.element < 0 || dv_topology_first_change(t->m.mesh) != DV_OK) return false;
    if (kind == DV_EDGE) return dv_mesh_remove(t->m.mesh, DV_EDGE, &last.element, 1, DV_KEEP_ISOLATED) == DV_OK;
    if (tear_triangle(t, last.element)) return true;
  }
  return false;
}

static void tearing_event(dvObject *o, const dvEvent *event)
{
  Tearing *t = (Tearing *)o;
  if (event->kind != DV_EVENT_ANIMATE_END || !o->listening || t->m.mesh->base.failed) return;
  dvElementKind kind = dv_topology_count(t->m.mesh, DV_TRIANGLE) ? DV_TRIANGLE : DV_EDGE;
  unsigned before = t->m.mesh->revision;
  t->maxStress = 0;
  for (int i = 0; i < t->maxPerStep && (!t->nbFractureMax || t->tears < t->nbFractureMax); i++) {
    if (!tear_once(t, kind)) break;
    t->tears++;
  }
  if (t->m.mesh->revision != before) dv_topology_end_changes(t->m.mesh);
  dv_touch(o, &t->tears), dv_touch(o, &t->maxStress);
}

static dvStatus tearing_init(dvObject *o)
{
  Tearing *t = (Tearing *)o;
  DV_TRY(dv_state_of_mesh(o, &t->topology, &t->m.mesh, &t->m.state));
  if (dv_topology_count(t->m.mesh, DV_TETRAHEDRON) || dv_topology_count(t->m.mesh, DV_HEXAHEDRON))
    return dv_error(o, "name a mesh of triangles or edges", "TearingEngine tears surfaces and nets, and %s has volumes",
                    t->m.mesh->base.name);
  if (!dv_mesh_may_change(t->m.mesh, o)) return DV_ERROR_INPUT;
  if (t->maxPerStep < 1 || t->nbFractureMax < 0 || !(t->snap >= 0 && t->snap < 0.5))
    return dv_error(o, "maxPerStep is at least 1, nbFractureMax at least 0, snap from 0 to 0.49",
                    "TearingEngine cannot tear %d a step, %d in all, with snap %g", t->maxPerStep, t->nbFractureMax,
                    t->snap);
  if (!(t->stressThreshold > 0) && !(t->elongationThreshold > 0))
    dv_warning(o, "give stressThreshold or elongationThreshold", "nothing tears: there is no threshold");
  return t->stressThreshold > 0 ? dv_membrane_material(&t->m, o, t->forceField.target, "stressThreshold needs a force",
                                                       ", or use elongationThreshold")
                                : DV_OK;
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

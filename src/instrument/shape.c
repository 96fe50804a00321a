// RodStraightSection, RodSpireSection, RodMeshSection and WireRestShape: see shape.h.
//
// A spire of diameter d and height h per turn is a helix about an axis along y: with the length l = sqrt((pi d)^2 +
// h^2) of a turn, theta = 2 pi x/l and the slope phi = atan(h/(pi d)),
//
//   at = (d/2 sin theta, h x/l, d/2 (cos theta - 1)),   turn = about y by theta, then about its z by phi.
#include "instrument/shape.h"

#include "instrument/spline.h"
#include "scene/node.h"

#include <math.h>
#include <string.h>

#define MODULE "BeamAdapter"

enum { MOST_BEAMS = 100000 };

// --- sections ------------------------------------------------------------------------------------

#define SPIRE_FIELDS(X)                                       \
  X(real, spireDiameter, "0.1", "m", "diameter of the helix") \
  X(real, spireHeight, "0.01", "m", "rise of one turn")

#define MESH_FIELDS(X) \
  X(link, loader, "", "", "loader of a line of edges; the one of the node by default", .role = DV_ROLE_LOADER)

typedef struct Spire {
  dvRodSection rod;
  SPIRE_FIELDS(DV_MEMBER)
} Spire;

typedef struct Curve {
  dvRodSection rod;
  MESH_FIELDS(DV_MEMBER)
  DV_ARRAY(dvPose) poses;
  DV_ARRAY(double) along;
} Curve;

#define SELF dvRodSection
static const dvFieldDesc rod_fields[] = {DV_ROD_FIELDS(DV_DESCRIBE)};
#undef SELF
#define SELF Spire
static const dvFieldDesc spire_fields[] = {SPIRE_FIELDS(DV_DESCRIBE)};
#undef SELF
#define SELF Curve
static const dvFieldDesc mesh_fields[] = {MESH_FIELDS(DV_DESCRIBE)};
#undef SELF

dvRodSection *dv_rod_section(dvObject *o)
{
  bool is = o && (o->cls == &dv_rod_straight_class || o->cls == &dv_rod_spire_class || o->cls == &dv_rod_mesh_class);
  return is ? (dvRodSection *)o : NULL;
}

static bool is_size(double a) { return a > 0 && a < DBL_MAX; }

static dvStatus check_count(const dvRodSection *s, const int32_t *member, int least)
{
  if (*member >= least && *member <= MOST_BEAMS) return DV_OK;
  return dv_field_error(&s->base, member, NULL, "%s is %d: a number from %d to %d is needed",
                        dv_field_name(dv_field_of(&s->base, member)->desc), *member, least, MOST_BEAMS);
}

static dvStatus rod_init(dvObject *o)
{
  dvRodSection *s = (dvRodSection *)o;
  if (!is_size(s->radius)) return dv_field_error(o, &s->radius, NULL, "radius %g is not a positive number", s->radius);
  if (!(s->innerRadius >= 0 && s->innerRadius < s->radius))
    return dv_field_error(o, &s->innerRadius, NULL, "innerRadius %g is not between 0 and the radius, %g",
                          s->innerRadius, s->radius);
  if (!is_size(s->length)) return dv_field_error(o, &s->length, NULL, "length %g is not a positive number", s->length);
  if (!(s->youngModulus >= 0 && s->youngModulus < DBL_MAX))
    return dv_field_error(o, &s->youngModulus, NULL, "youngModulus %g is negative or infinite", s->youngModulus);
  if (!(s->massDensity >= 0 && s->massDensity < DBL_MAX))
    return dv_field_error(o, &s->massDensity, NULL, "massDensity %g is negative or infinite", s->massDensity);
  if (!(s->poissonRatio > -1 && s->poissonRatio <= 0.5))
    return dv_field_error(o, &s->poissonRatio, NULL, "poissonRatio %g is not above -1 and at most 0.5",
                          s->poissonRatio);
  if (!dv_was_set(o, &s->nbBeams)) s->nbBeams = s->nbEdgesCollis;
  DV_TRY(check_count(s, &s->nbBeams, 1));
  DV_TRY(check_count(s, &s->nbEdgesVisu, 1));
  DV_TRY(check_count(s, &s->nbEdgesCollis, 1));
  s->section = dv_beam_circle(s->radius, s->innerRadius);
  return DV_OK;
}

static dvPose straight_pose(const dvRodSection *s, double along)
{
  DV_UNUSED(s);
  return (dvPose){{along, 0, 0}, {0, 0, 0, 1}};
}

static dvPose spire_pose(const dvRodSection *s, double along)
{
  const Spire *p = (const Spire *)s;
  double pi = acos(-1.0), turn = pi * p->spireDiameter, radius = p->spireDiameter / 2;
  double turns = along / sqrt(p->spireHeight * p->spireHeight + turn * turn), theta = 2 * pi * turns;
  return (dvPose){{radius * sin(theta), turns * p->spireHeight, radius * (cos(theta) - 1)},
                  dv_quat_mul(dv_quat_from_axis(dv_vec3(0, 1, 0), theta),
                              dv_quat_from_axis(dv_vec3(0, 0, 1), atan(p->spireHeight / turn)))};
}

static dvPose mesh_pose(const dvRodSection *s, double along)
{
  const Curve *c = (const Curve *)s;
  size_t i = 1;
  while (i + 1 < c->along.count && c->along.data[i] < along) i++;
  const dvPose *a = &c->poses.data[i - 1], *b = a + 1;
  double t = (along - c->along.data[i - 1]) / (c->along.data[i] - c->along.data[i - 1]);
  return (dvPose){dv_vec3_add_scaled(a->at, dv_vec3_sub(b->at, a->at), t),
                  dv_quat_normalise(dv_quat_between(a->turn, b->turn, t))};
}

static void straight_create(dvObject *o) { ((dvRodSection *)o)->pose = straight_pose; }
static void spire_create(dvObject *o) { ((dvRodSection *)o)->pose = spire_pose; }
static void mesh_create(dvObject *o) { ((dvRodSection *)o)->pose = mesh_pose; }

static dvStatus spire_init(dvObject *o)
{
  Spire *s = (Spire *)o;
  if (!is_size(s->spireDiameter))
    return dv_field_error(o, &s->spireDiameter, "use a RodStraightSection for a straight part",
                          "spireDiameter %g is not a positive number", s->spireDiameter);
  if (!(fabs(s->spireHeight) < DBL_MAX))
    return dv_field_error(o, &s->spireHeight, NULL, "spireHeight %g is not a number", s->spireHeight);
  return rod_init(o);
}

// --- a section along the edges of a file ---

// the points of the line in order, from the first that has one edge; false when it is not one line
static bool order_points(const dvInts *edges, size_t points, int32_t *order)
{
  size_t count = dv_ints_size(edges);
  int32_t *next = dv_alloc((2 * points + 1) * sizeof *next), *degree = dv_alloc((points + 1) * sizeof *degree);
  bool line = count > 0;
  for (size_t e = 0; e < 2 * count && line; e++) {
    int32_t p = edges->data[e], other = edges->data[e ^ 1];
    line = p >= 0 && (size_t)p < points && p != other && degree[p] < 2;
    if (line) next[2 * p + degree[p]++] = other;
  }
  size_t first = 0;
  while (line && first < points && degree[first] != 1) first++;
  line = line && first < points;
  int32_t here = (int32_t)first, before = -1;
  for (size_t i = 0; i <= count && line; i++) {
    order[i] = here;
    int32_t step = degree[here] == 2 && next[2 * here] == before ? next[2 * here + 1] : next[2 * here];
    if (i < count && i > 0 && degree[here] == 1) line = false;   // ends too early: there are several lines
    before = here;
    here = step;
  }
  dv_free(next);
  dv_free(degree);
  return line;
}

static dvStatus lay_curve(Curve *c, const dvReals *points, const dvInts *edges)
{
  dvObject *o = &c->rod.base;
  size_t count = dv_ints_size(edges);
  int32_t *order = dv_alloc((count + 1) * sizeof *order);
  bool line = order_points(edges, dv_reals_size(points), order);
  c->poses.count = c->along.count = 0;
  dv_push(&c->poses, dv_pose_identity());
  dv_push(&c->along, 0.0);
  for (size_t i = 0; i < count && line; i++) {
    dvVec3 a = dv_vec3_load(points->data + 3 * (size_t)order[i]),
           b = dv_vec3_load(points->data + 3 * (size_t)order[i + 1]), step = dv_vec3_sub(b, a);
    double length = dv_vec3_norm(step);
    if (!(length > 0)) continue;   // a point named twice
    dvPose p = c->poses.data[c->poses.count - 1];
    p.at = dv_vec3_add(p.at, step);
    dvVec3 x = dv_vec3_scale(step, 1 / length);
    // bends below 0.8 degrees are not followed by the frame, as in SOFA
    if (dv_quat_inverse_rotate(p.turn, x).x <= 1 - 1e-4) p.turn = dv_align_x(p.turn, x);
    double end = c->along.data[c->along.count - 1] + length;
    dv_push(&c->poses, p);
    dv_push(&c->along, end);
  }
  dv_free(order);
  if (!line || c->poses.count < 2)
    return dv_field_error(o, &c->loader, "give a file with one open line of edges",
                          "the edges of the mesh do not form one open line");
  return DV_OK;
}

static dvStatus mesh_init(dvObject *o)
{
  Curve *c = (Curve *)o;
  dvObject *loader = c->loader.target ? c->loader.target : dv_node_find(o->node, DV_ROLE_LOADER);
  if (!loader)
    return dv_error(o, "add a MeshOBJLoader to the node, or link it: loader=\"@…\"", "%s finds no loader", o->name);
  DV_TRY(dv_object_ensure(loader));
  dvField *position = dv_object_field(loader, "position"), *edges = dv_object_field(loader, "edges");
  if (!position || !edges || !dv_holds_reals(position->desc->type) || edges->desc->type != DV_T_INTS)
    return dv_field_error(o, &c->loader, "link a mesh loader", "%s has no points and edges", loader->name);
  DV_TRY(dv_field_pull(position));
  DV_TRY(dv_field_pull(edges));
  DV_TRY(lay_curve(c, position->value, edges->value));
  c->rod.length = c->along.data[c->along.count - 1];
  return rod_init(o);
}

static void mesh_destroy(dvObject *o)
{
  dv_array_free(&((Curve *)o)->poses);
  dv_array_free(&((Curve *)o)->along);
}

#define ROD_CLASS(type, name_, help_)                                                                    \
  .struct_size = sizeof(dvClass), .name = name_, .help = help_, .module = MODULE, .dofs = DV_DOF_RIGID3, \
  .roles = DV_PLAYS(DV_ROLE_SETTING), .size = sizeof(type)

const dvClass dv_rod_straight_class = {
    ROD_CLASS(dvRodSection, "RodStraightSection", "a straight part of an instrument"),
    .blocks = {&dv_object_block, DV_BLOCK(rod_fields)},
    .create = straight_create,
    .init = rod_init,
    .reinit = rod_init,
};
const dvClass dv_rod_spire_class = {
    ROD_CLASS(Spire, "RodSpireSection", "a part of an instrument that is coiled at rest"),
    .blocks = {&dv_object_block, DV_BLOCK(rod_fields), DV_BLOCK(spire_fields)},
    .create = spire_create,
    .init = spire_init,
    .reinit = spire_init,
};
const dvClass dv_rod_mesh_class = {
    ROD_CLASS(Curve, "RodMeshSection", "a part of an instrument with the shape of a line of a mesh file at rest"),
    .blocks = {&dv_object_block, DV_BLOCK(rod_fields), DV_BLOCK(mesh_fields)},
    .create = mesh_create,
    .init = mesh_init,
    .reinit = mesh_init,
    .destroy = mesh_destroy,
};

// --- the whole -----------------------------------------------------------------------------------

#define SELF dvWireShape
static const dvFieldDesc shape_fields[] = {DV_REST_SHAPE_FIELDS(DV_DESCRIBE)};
#undef SELF

double dv_wire_shape_length(const dvWireShape *s) { return s->keyPoints.data[s->keyPoints.count - 1]; }

// what SOFA takes off, so that borders belong to the part before
static double used(const dvWireShape *s, double x) { return fmin(fmax(x - 1e-10, 0), dv_wire_shape_length(s)); }

static size_t part_at(const dvWireShape *s, double x)
{
  size_t i = 0;
  while (i + 1 < s->parts.count && x > s->keyPoints.data[i + 1]) i++;
  return i;
}

const dvRodSection *dv_wire_shape_part(const dvWireShape *s, double x) { return s->parts.data[part_at(s, used(s, x))]; }

dvPose dv_wire_shape_pose(const dvWireShape *s, double x)
{
  double at = used(s, x);
  size_t i = part_at(s, at);
  const dvRodSection *part = s->parts.data[i];
  dvPose p = part->pose(part, at - s->keyPoints.data[i]);
  p.at.x += s->keyPoints.data[i];
  return p;
}

bool dv_topology_make_line(dvTopology *t, size_t points)
{
  for (int kind = 0; kind < DV_ELEMENT_KINDS; kind++)   // not those of a loader in the node
    if (t->fields[kind]) dv_field_unlink(t->fields[kind]);
  if (!dv_reals_resize(&t->position, 3 * points) || !dv_ints_resize(&t->edges, 2 * (points - 1))) return false;
  memset(dv_reals_edit(&t->position), 0, 3 * points * sizeof(double));
  int32_t *e = dv_ints_edit(&t->edges);
  for (size_t i = 0; i < 2 * (points - 1); i++) e[i] = (int32_t)((i + 1) / 2);
  dv_touch(&t->base, &t->position);
  dv_touch(&t->base, &t->edges);
  return true;
}

// a line along x, part after part, for those who draw the instrument
static dvStatus fill_topology(dvWireShape *s, dvTopology *t)
{
  size_t points = 1, p = 0;
  for (size_t i = 0; i < s->parts.count; i++) points += (size_t)s->parts.data[i]->nbEdgesVisu;
  if (!dv_topology_make_line(t, points)) return dv_error(&s->base, NULL, "out of memory for %zu points", points);
  double *x = dv_reals_edit(&t->position);
  for (size_t i = 0; i < s->parts.count; i++) {
    double begin = s->keyPoints.data[i], count = s->parts.data[i]->nbEdgesVisu,
           step = (s->keyPoints.data[i + 1] - begin) / count;
    for (int32_t k = i > 0; k <= s->parts.data[i]->nbEdgesVisu; k++, p++) x[3 * p] = begin + k * step;
  }
  return dv_topology_settle(t);
}

static dvStatus shape_init(dvObject *o)
{
  dvWireShape *s = (dvWireShape *)o;
  s->parts.count = 0;
  for (size_t i = 0; i < s->wireMaterials.count; i++) {
    dvObject *target = s->wireMaterials.data[i].target;
    dvRodSection *part = dv_rod_section(target);
    if (!part)
      return dv_field_error(o, &s->wireMaterials, "link RodStraightSection, RodSpireSection or RodMeshSection",
                            "%s is no section of a rod", target ? target->name : s->wireMaterials.data[i].path);
    DV_TRY(dv_object_ensure(target));
    dv_push(&s->parts, part);
  }
  if (s->parts.count == 0)
    return dv_field_error(o, &s->wireMaterials, "link the sections of the instrument: wireMaterials=\"@section …\"",
                          "%s has no sections", o->name);
  if (!dv_reals_resize(&s->keyPoints, s->parts.count + 1) || !dv_ints_resize(&s->densityOfBeams, s->parts.count))
    return dv_error(o, NULL, "out of memory for %zu sections", s->parts.count);
  double *key = dv_reals_edit(&s->keyPoints);
  int32_t *density = dv_ints_edit(&s->densityOfBeams);
  key[0] = 0;
  for (size_t i = 0; i < s->parts.count; i++) {
    key[i + 1] = key[i] + s->parts.data[i]->length;
    density[i] = s->parts.data[i]->nbBeams;
  }
  dvObject *t = s->topology.target ? s->topology.target : dv_node_find(o->node, DV_ROLE_TOPOLOGY);
  if (!t)
    return dv_error(o, "add an EdgeSetTopologyContainer to the node", "%s finds no topology for its line", o->name);
  if (dv_topology(t)->maker)
    return dv_error(o, "use an EdgeSetTopologyContainer", "the topology %s makes its own points", t->name);
  return fill_topology(s, dv_topology(t));
}

static void shape_destroy(dvObject *o) { dv_array_free(&((dvWireShape *)o)->parts); }

const dvClass dv_wire_shape_class = {
    .struct_size = sizeof(dvClass),
    .name = "WireRestShape",
    .help = "the shape of an instrument at rest, from its sections",
    .module = MODULE,
    .dofs = DV_DOF_RIGID3,
    .roles = DV_PLAYS(DV_ROLE_SETTING),
    .size = sizeof(dvWireShape),
    .blocks = {&dv_object_block, DV_BLOCK(shape_fields)},
    .init = shape_init,
    .destroy = shape_destroy,
};

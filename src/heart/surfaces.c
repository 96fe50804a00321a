// VentricleSurfaces: endocardium, epicardium and base of a mesh of tetrahedra, with the names that GenerateVentricle
// has.
//
// The surface of the tissue is what only one tetrahedron has. Its base are the faces that look along the axis in the
// upper part of the height; what is left falls into parts that hang together by edges. With normals out of the tissue,
// the volume behind a part, closed by a lid around the middle of its rim,
//   V = sum of (a - m) . ((b - m) x (c - m)) / 6
// is above 0 for the epicardium and below 0 for a cavity. Faces with labels, of triangles that a file lists, need no
// such rule. Walls of cavities are given with normals away from the blood, as PressureConstraint wants them.
#include "engine/engine.h"
#include "heart/classes.h"
#include "heart/sizes.h"
#include "math/vec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SURFACE_FIELDS(X)                                                                                          \
  X(vec3s, position, "", "m", "points; those of the topology of the node by default", .flags = DV_INPUT)           \
  X(tetrahedra, tetrahedra, "", "", "tetrahedra; those of the topology of the node by default", .flags = DV_INPUT) \
  X(vec3, axis, "0 0 1", "", "from the apex to the base", .flags = DV_INPUT)                                       \
  X(real, baseFrom, "0.9", "", "share of the height, from the apex, from which on faces may belong to the base",   \
    .least = "0", .most = "1", .flags = DV_INPUT)                                                                  \
  X(real, baseAngle, "45", "deg", "how far normals of the base may be from the axis", .least = "0", .most = "90",  \
    .flags = DV_INPUT)                                                                                             \
  X(vec3, toRight, "-1 0 0", "", "of two cavities the one that lies farther in this direction is the right one",   \
    .flags = DV_INPUT)                                                                                             \
  X(triangles, triangles, "", "", "triangles with labels, where a file has them, instead of the rule",             \
    .flags = DV_INPUT)                                                                                             \
  X(ints, labels, "", "", "of each of these triangles", .flags = DV_INPUT)                                         \
  X(ints, baseLabels, "", "", "labels of the base", .flags = DV_INPUT)                                             \
  X(ints, leftLabels, "", "", "labels of the left endocardium", .flags = DV_INPUT)                                 \
  X(ints, rightLabels, "", "", "labels of the right endocardium", .flags = DV_INPUT)                               \
  X(ints, epicardiumLabels, "", "", "labels of the outside", .flags = DV_INPUT)                                    \
  X(triangles, leftEndocardium, "", "", "wall of the left cavity; normals point away from the blood",              \
    .flags = DV_OUTPUT)                                                                                            \
  X(triangles, rightEndocardium, "", "", "wall of the right cavity, if there is one", .flags = DV_OUTPUT)          \
  X(triangles, epicardium, "", "", "the outside", .flags = DV_OUTPUT)                                              \
  X(triangles, base, "", "", "where it is cut off", .flags = DV_OUTPUT)                                            \
  X(indices, basePoints, "", "", "points of the base", .flags = DV_OUTPUT)                                         \
  X(indices, leftPoints, "", "", "points of the left endocardium", .flags = DV_OUTPUT)                             \
  X(indices, rightPoints, "", "", "points of the right endocardium", .flags = DV_OUTPUT)                           \
  X(indices, epicardiumPoints, "", "", "points of the outside", .flags = DV_OUTPUT)

typedef struct Surfaces {
  dvObject base_object;
  SURFACE_FIELDS(DV_MEMBER)
} Surfaces;

#define SELF Surfaces
static const dvFieldDesc surface_fields[] = {SURFACE_FIELDS(DV_DESCRIBE)};
#undef SELF

typedef enum Zone { NOWHERE, BASE, LEFT, RIGHT, OUTSIDE, ZONES } Zone;

typedef struct Face {
  int32_t key[3];     // points in ascending order
  int32_t point[3];   // the same, normal out of the tissue
  int32_t part;       // a face of the part that it belongs to, itself at the root
  int32_t number;     // at the root: of the part, from 1 on
  Zone zone;
} Face;

typedef struct Border {
  const double *x;
  Face *faces;
  size_t count;
} Border;

static int by_key(const void *a, const void *b) { return memcmp(a, b, 3 * sizeof(int32_t)); }

static void set_key(Face *f)
{
  memcpy(f->key, f->point, sizeof f->key);
  for (int k = 0; k < 3; k++) {   // three exchanges sort three numbers
    int32_t *p = f->key + k % 2, low = p[0] < p[1] ? p[0] : p[1], high = p[0] < p[1] ? p[1] : p[0];
    p[0] = low, p[1] = high;
  }
}

static dvVec3 at(const Border *b, int32_t point) { return dv_vec3_load(b->x + 3 * (size_t)point); }

static dvVec3 normal_of(const Border *b, const Face *f)
{
  dvVec3 a = at(b, f->point[0]);
  return dv_vec3_cross(dv_vec3_sub(at(b, f->point[1]), a), dv_vec3_sub(at(b, f->point[2]), a));
}

// --- the surface of the tissue ---

static void find_border(Border *b, const dvInts *tetra)
{
  static const int corner[4][4] = {{1, 2, 3, 0}, {0, 3, 2, 1}, {0, 1, 3, 2}, {0, 2, 1, 3}};
  size_t n = 0, kept = 0;
  b->faces = dv_alloc((tetra->count + 1) * sizeof *b->faces);
  for (size_t i = 0; i + 4 <= tetra->count; i += 4)
    for (int k = 0; k < 4; k++) {
      const int32_t *p = tetra->data + i;
      Face f = {.point = {p[corner[k][0]], p[corner[k][1]], p[corner[k][2]]}};
      dvVec3 in = dv_vec3_sub(at(b, p[corner[k][3]]), at(b, f.point[0]));
      if (dv_vec3_dot(normal_of(b, &f), in) > 0) f.point[1] = p[corner[k][2]], f.point[2] = p[corner[k][1]];
      set_key(&f);
      b->faces[n++] = f;
    }
  qsort(b->faces, n, sizeof *b->faces, by_key);
  for (size_t i = 0, same; i < n; i += same) {
    for (same = 1; i + same < n && by_key(&b->faces[i], &b->faces[i + same]) == 0;) same++;
    if (same == 1) b->faces[kept++] = b->faces[i];
  }
  b->count = kept;
}

// --- zones that are told, and the base ---

static bool has(const dvInts *list, int32_t label)
{
  for (size_t i = 0; i < list->count; i++)
    if (list->data[i] == label) return true;
  return false;
}

static dvStatus take_labels(const Surfaces *s, Border *b)
{
  const dvInts *lists[ZONES] = {
      [BASE] = &s->baseLabels, [LEFT] = &s->leftLabels, [RIGHT] = &s->rightLabels, [OUTSIDE] = &s->epicardiumLabels};
  size_t n = dv_ints_size(&s->triangles), found = 0, wanted = 0;
  for (int z = BASE; z < ZONES; z++) wanted += lists[z]->count;
  if (wanted == 0) return DV_OK;
  const dvInts *asked = NULL;   // the first that is given
  for (int z = BASE; z < ZONES && !asked; z++)
    if (lists[z]->count) asked = lists[z];
  if (n == 0 || s->labels.count != n)
    return dv_field_error(&s->base_object, asked, "link triangles and labels to those of a loader",
                          "labels of triangles are asked for, and there are %zu labels for %zu triangles",
                          s->labels.count, n);
  for (size_t i = 0; i < n; i++) {
    Face f = {0};
    memcpy(f.point, s->triangles.data + 3 * i, sizeof f.point);
    set_key(&f);
    Face *face = bsearch(&f, b->faces, b->count, sizeof *b->faces, by_key);
    for (int z = BASE; z < ZONES && face; z++)
      if (has(lists[z], s->labels.data[i])) face->zone = (Zone)z, found++;
  }
  if (found == 0)
    return dv_field_error(&s->base_object, &s->labels, "check the labels, and that the triangles are faces of the mesh",
                          "no face of the tissue has one of the labels");
  return DV_OK;
}

static void find_base(const Surfaces *s, Border *b)
{
  dvVec3 axis = dv_vec3_normalise(dv_vec3_load(s->axis));
  double low = INFINITY, high = -INFINITY, most = cos(s->baseAngle * 3.14159265358979323846 / 180);
  for (size_t i = 0; i < 3 * b->count; i++) {
    double height = dv_vec3_dot(at(b, b->faces[i / 3].point[i % 3]), axis);
    low = dv_min(low, height);
    high = dv_max(high, height);
  }
  for (size_t i = 0; i < b->count && s->baseLabels.count == 0; i++) {
    Face *f = &b->faces[i];
    dvVec3 n = normal_of(b, f);
    bool up = dv_vec3_dot(n, axis) > most * dv_vec3_norm(n);
    for (int k = 0; k < 3; k++) up = up && dv_vec3_dot(at(b, f->point[k]), axis) >= low + s->baseFrom * (high - low);
    if (up && f->zone == NOWHERE) f->zone = BASE;
  }
}

// --- parts of the rest ---

typedef struct Edge {
  int32_t low, high, face;
} Edge;

static int by_points(const void *a, const void *b) { return memcmp(a, b, 2 * sizeof(int32_t)); }

static int32_t root_of(const Border *b, int32_t face)
{
  while (b->faces[face].part != face) face = b->faces[face].part = b->faces[b->faces[face].part].part;
  return face;
}

// how many edges from i on are the same
static size_t run_of(const Edge *edges, size_t n, size_t i)
{
  size_t same = 1;
  while (i + same < n && by_points(&edges[i], &edges[i + same]) == 0) same++;
  return same;
}

// all edges of faces that are in no zone, sorted
static size_t list_edges(const Border *b, Edge *edges)
{
  size_t n = 0;
  for (size_t i = 0; i < b->count; i++)
    for (int k = 0; k < 3 && b->faces[i].zone == NOWHERE; k++) {
      int32_t p = b->faces[i].point[k], q = b->faces[i].point[(k + 1) % 3];
      edges[n++] = (Edge){p < q ? p : q, p < q ? q : p, (int32_t)i};
    }
  qsort(edges, n, sizeof *edges, by_points);
  return n;
}

// A part of the surface that hangs together.
typedef struct Part {
  int32_t first;     // its face with the root
  dvVec3 rim, sum;   // middle of the rim, sum of middles of faces
  double edges;      // of the rim
  double volume, faces;
} Part;
typedef DV_ARRAY(Part) Parts;

static Part *part_of(const Border *b, Parts *parts, int32_t face)
{
  Face *root = &b->faces[root_of(b, face)];
  if (root->number == 0) {
    dv_push(parts, ((Part){.first = root_of(b, face)}));
    root->number = (int32_t)parts->count;
  }
  return &parts->data[root->number - 1];
}

static void measure_parts(const Border *b, Parts *parts)
{
  for (size_t i = 0; i < parts->count; i++)
    parts->data[i].rim = dv_vec3_scale(parts->data[i].rim, 1 / parts->data[i].edges);
  for (size_t i = 0; i < b->count; i++) {
    const Face *f = &b->faces[i];
    if (f->zone != NOWHERE) continue;
    Part *p = part_of(b, parts, (int32_t)i);
    dvVec3 c[3];
    for (int k = 0; k < 3; k++) c[k] = dv_vec3_sub(at(b, f->point[k]), p->rim);
    p->volume += dv_vec3_dot(c[0], dv_vec3_cross(c[1], c[2])) / 6;
    p->sum = dv_vec3_add(p->sum, dv_vec3_scale(dv_vec3_add(c[0], dv_vec3_add(c[1], c[2])), 1.0 / 3));
    p->faces++;
  }
}

static void find_parts(Border *b, Parts *parts)
{
  Edge *edges = dv_alloc((3 * b->count + 1) * sizeof *edges);
  size_t n = list_edges(b, edges);
  for (size_t i = 0; i < b->count; i++) b->faces[i].part = (int32_t)i;
  for (size_t i = 0, same; i < n; i += same) {
    same = run_of(edges, n, i);
    if (same == 2)   // where four faces meet, tissue hangs on an edge, and inside and outside touch each other
      b->faces[root_of(b, edges[i].face)].part = root_of(b, edges[i + 1].face);
  }
  for (size_t i = 0, same; i < n; i += same) {
    same = run_of(edges, n, i);
    if (same > 1) continue;
    Part *p = part_of(b, parts, edges[i].face);
    p->rim = dv_vec3_add(p->rim, dv_vec3_scale(dv_vec3_add(at(b, edges[i].low), at(b, edges[i].high)), 0.5));
    p->edges++;
  }
  dv_free(edges);
  measure_parts(b, parts);
}

static void enter(Border *b, const Part *p, Zone zone)
{
  for (size_t i = 0; i < b->count && p; i++)
    if (b->faces[i].zone == NOWHERE && root_of(b, (int32_t)i) == p->first) b->faces[i].zone = zone;
}

static double right_of(const Surfaces *s, const Part *p)
{
  return dv_vec3_dot(dv_vec3_add(p->rim, dv_vec3_scale(p->sum, 1 / p->faces)), dv_vec3_load(s->toRight));
}

// the largest volume behind parts is outside, the two largest ones before them are cavities
static dvStatus sort_parts(const Surfaces *s, Border *b, const Parts *parts)
{
  const Part *outside = NULL, *first = NULL, *second = NULL;
  for (size_t i = 0; i < parts->count; i++) {
    const Part *p = &parts->data[i];
    if (p->volume > 0 && (!outside || p->volume > outside->volume)) outside = p;
    if (!(p->volume < 0)) continue;
    if (!first || p->volume < first->volume) second = first, first = p;
    else if (!second || p->volume < second->volume) second = p;
  }
  bool left = s->leftLabels.count, right = s->rightLabels.count;
  if (!s->epicardiumLabels.count) enter(b, outside, OUTSIDE);
  if (!left && !right && first && second) {
    bool turned = right_of(s, first) > right_of(s, second);
    enter(b, first, turned ? RIGHT : LEFT);
    enter(b, second, turned ? LEFT : RIGHT);
  } else if (!left) {
    enter(b, first, LEFT);
  }
  if (left || first) return DV_OK;
  size_t cut = 0;
  for (size_t i = 0; i < b->count; i++) cut += b->faces[i].zone == BASE;
  return dv_error(
      &s->base_object, "set axis, baseFrom and baseAngle so that the base lies between them, or give labels",
      "no cavity is found: the base has %zu of %zu faces, and the others do not fall into inside and outside", cut,
      b->count);
}

// --- handing over ---

static bool give(const Border *b, Zone zone, size_t points, dvInts *triangles, dvInts *indices)
{
  bool turned = zone == LEFT || zone == RIGHT, good = dv_ints_resize(triangles, 0) && dv_ints_resize(indices, 0),
       *mark = dv_alloc(points + 1);
  for (size_t i = 0; i < b->count && good; i++) {
    const int32_t *p = b->faces[i].point, back[3] = {p[0], p[2], p[1]};
    if (b->faces[i].zone != zone) continue;
    good = dv_engine_add_ints(triangles, turned ? back : p, 3);
    for (int k = 0; k < 3; k++) mark[p[k]] = true;
  }
  for (size_t i = 0; i < points && good; i++) {
    int32_t number = (int32_t)i;
    if (mark[i]) good = dv_engine_add_ints(indices, &number, 1);
  }
  dv_free(mark);
  return good;
}

static dvStatus surfaces_update(dvObject *o)
{
  Surfaces *s = (Surfaces *)o;
  size_t points = dv_reals_size(&s->position);
  if (!(dv_vec3_norm(dv_vec3_load(s->axis)) > 0))
    return dv_field_error(o, &s->axis, "0 0 1 is the default", "the axis has no direction");
  if (!(s->baseFrom >= 0 && s->baseFrom <= 1))
    return dv_field_error(o, &s->baseFrom, "give a share from 0 to 1", "the base cannot begin at %g of the height",
                          s->baseFrom);
  dv_size_warn(o, &s->baseFrom, s->baseFrom, 0.3, 1, "faces near the apex may count as base, too");
  if (!(s->baseAngle >= 0 && s->baseAngle <= 90))
    return dv_field_error(o, &s->baseAngle, "give 0 to 90 degrees", "normals cannot be %g degrees from the axis",
                          s->baseAngle);
  if (s->tetrahedra.count == 0)
    return dv_error(o, "link position and tetrahedra to a loader, or put it beside a topology",
                    "there are no tetrahedra whose surface could be found");
  DV_TRY(dv_engine_check(o, &s->tetrahedra, points, "points"));
  Border b = {.x = s->position.data};
  Parts parts = {0};
  find_border(&b, &s->tetrahedra);
  dvStatus status = take_labels(s, &b);
  if (status == DV_OK) {
    find_base(s, &b);
    find_parts(&b, &parts);
    status = sort_parts(s, &b, &parts);
  }
  if (status == DV_OK && !(give(&b, BASE, points, &s->base, &s->basePoints) &&
                           give(&b, LEFT, points, &s->leftEndocardium, &s->leftPoints) &&
                           give(&b, RIGHT, points, &s->rightEndocardium, &s->rightPoints) &&
                           give(&b, OUTSIDE, points, &s->epicardium, &s->epicardiumPoints)))
    status = dv_engine_no_memory(o);
  dv_array_free(&parts);
  dv_free(b.faces);
  return status;
}

static dvStatus surfaces_link(dvObject *o)
{
  Surfaces *s = (Surfaces *)o;
  dvObject *topology = dv_node_find_up(o->node, DV_ROLE_TOPOLOGY);
  dv_engine_follow(o, &s->position, topology, "position");
  dv_engine_follow(o, &s->tetrahedra, topology, "tetrahedra");
  return DV_OK;
}

DV_ENGINE_CLASS(dv_ventricle_surfaces_class, "VentricleSurfaces",
                "finds endocardium, epicardium and base of a mesh of your own", DV_HEART_MODULE, 0, Surfaces,
                .blocks = {&dv_object_block, DV_BLOCK(surface_fields)}, .link = surfaces_link,
                .update = surfaces_update);

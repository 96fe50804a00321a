// See chamber.h.
#include "heart/chamber.h"

#include "heart/beside.h"
#include "heart/classes.h"
#include "heart/sizes.h"
#include "topology/topology.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double LARGE = 0.1;   // m3: no heart has such a chamber

// --- rims ---

static double six(dvVec3 a, dvVec3 b, dvVec3 c) { return dv_vec3_dot(a, dv_vec3_cross(b, c)); }

static dvVec3 mean_of(const double *x, const int32_t *rim, size_t n)
{
  dvVec3 m = dv_vec3(0, 0, 0);
  for (size_t i = 0; i < n; i++) m = dv_vec3_add(m, dv_vec3_load(x + 3 * (size_t)rim[i]));
  return dv_vec3_scale(m, 1 / (double)n);
}

static dvVec3 middle_of(const dvChamber *c, const double *x) { return mean_of(x, c->points.data, c->points.count); }

typedef struct Edge {
  int32_t from, to;
} Edge;

static int by_ends(const void *a, const void *b)
{
  const Edge *p = a, *q = b;
  int32_t p0 = p->from < p->to ? p->from : p->to, p1 = p->from < p->to ? p->to : p->from,
          q0 = q->from < q->to ? q->from : q->to, q1 = q->from < q->to ? q->to : q->from;
  return p0 != q0 ? (p0 > q0) - (p0 < q0) : (p1 > q1) - (p1 < q1);
}

static int by_start(const void *a, const void *b)
{
  const Edge *p = a, *q = b;
  return (p->from > q->from) - (p->from < q->from);
}

// edges that one triangle has, turned round, so that a lid along them closes the wall; SIZE_MAX when an edge has more
// than two
static size_t find_border(const dvInts *triangles, Edge *edges)
{
  size_t n = 0, kept = 0;
  for (size_t i = 0; i + 3 <= triangles->count; i += 3)
    for (size_t k = 0; k < 3; k++) edges[n++] = (Edge){triangles->data[i + k], triangles->data[i + (k + 1) % 3]};
  qsort(edges, n, sizeof *edges, by_ends);
  for (size_t i = 0; i < n;) {
    size_t same = 1;
    while (i + same < n && by_ends(&edges[i], &edges[i + same]) == 0) same++;
    if (same > 2 || (same == 2 && edges[i].from == edges[i + 1].from)) return SIZE_MAX;
    if (same == 1) edges[kept++] = (Edge){edges[i].to, edges[i].from};
    i += same;
  }
  return kept;
}

// false when an opening is not a simple ring
static bool trace_rims(dvChamber *c, Edge *border, size_t count)
{
  qsort(border, count, sizeof *border, by_start);
  for (size_t i = 0; i + 1 < count; i++)
    if (border[i].from == border[i + 1].from) return false;
  bool *done = dv_alloc((count + 1) * sizeof *done);
  bool good = true;
  for (size_t i = 0; i < count && good; i++) {
    if (done[i]) continue;
    dv_push(&c->rim_first, (int32_t)c->rims.count);
    for (size_t at = i; !done[at];) {
      done[at] = true;
      dv_push(&c->rims, border[at].from);
      Edge wanted = {border[at].to, 0}, *next = bsearch(&wanted, border, count, sizeof *border, by_start);
      good = next != NULL;
      if (!good) break;
      at = (size_t)(next - border);
    }
  }
  dv_push(&c->rim_first, (int32_t)c->rims.count);
  dv_free(done);
  return good;
}

static void describe_rims(const dvChamber *c, const double *x, dvText *out)
{
  for (size_t l = 0; l + 1 < c->rim_first.count && l < 4; l++) {
    const int32_t *rim = c->rims.data + c->rim_first.data[l];
    size_t n = (size_t)(c->rim_first.data[l + 1] - c->rim_first.data[l]);
    dvVec3 m = mean_of(x, rim, n);
    dv_text_printf(out, "%s %zu edges around %.3g %.3g %.3g", l ? "," : ":", n, m.x, m.y, m.z);
  }
}

static dvStatus find_rims(dvChamber *c, dvObject *o, const double *x)
{
  Edge *edges = dv_alloc((c->triangles.count + 1) * sizeof *edges);
  size_t border = find_border(&c->triangles, edges);
  c->rims.count = c->rim_first.count = 0;
  dvStatus status = DV_OK;
  if (border == SIZE_MAX)
    status = dv_field_error(o, &c->triangles, "give the triangles of one surface, all turned the same way",
                            "the wall is no surface: three of its triangles meet in an edge, or two that run along it");
  else if (!trace_rims(c, edges, border))
    status = dv_field_error(o, &c->triangles, "join points that stand at the same place",
                            "the chamber is open: its border is not made of simple rings");
  dv_free(edges);
  int openings = (int)c->rim_first.count - 1;
  if (status == DV_OK && openings != c->lids) {
    dvText where = {0};
    describe_rims(c, x, &where);
    status = dv_field_error(o, &c->triangles, "set lids to the number of openings, or close the others",
                            "the chamber is open: its wall has %d openings, and there are %d lids%s", openings, c->lids,
                            where.text ? where.text : "");
    dv_text_free(&where);
  }
  return status;
}

static void list_points(dvChamber *c, size_t count)
{
  c->points.count = c->place.count = 0;
  dv_array_resize(&c->place, count);
  for (size_t i = 0; i < count; i++) c->place.data[i] = -1;
  for (size_t i = 0; i < c->triangles.count; i++) c->place.data[c->triangles.data[i]] = 0;
  for (size_t i = 0; i < count; i++)
    if (c->place.data[i] == 0) {
      c->place.data[i] = (int32_t)c->points.count;
      dv_push(&c->points, (int32_t)i);
    }
  dv_array_resize(&c->g, 3 * c->points.count);
}

static int32_t root_of(int32_t *up, int32_t i)
{
  while (up[i] != i) i = up[i] = up[up[i]];
  return i;
}

// parts of the wall that do not touch each other
static size_t count_pieces(const dvChamber *c)
{
  size_t pieces = c->points.count;
  int32_t *up = dv_alloc((pieces + 1) * sizeof *up);
  for (size_t i = 0; i < c->points.count; i++) up[i] = (int32_t)i;
  for (size_t i = 0; i + 3 <= c->triangles.count; i += 3)
    for (size_t k = 1; k < 3; k++) {
      int32_t a = root_of(up, c->place.data[c->triangles.data[i]]),
              b = root_of(up, c->place.data[c->triangles.data[i + k]]);
      pieces -= a != b;
      up[a] = b;
    }
  dv_free(up);
  return pieces;
}

// --- setting up ---

// Numbers with which a beat is none, compared by what they mean for this chamber, in whatever units they are.
static void warn_of_sizes(const dvChamber *c, const dvObject *o, double volume)
{
  double in = dv_max(fabs(c->atrialPressure), 1e-2 * c->arterialPressure),
         out = c->arterialPressure - c->venousPressure, fill = c->inflowResistance * volume / in,
         empty = c->outflowResistance * volume / out, drain = c->peripheralResistance * volume / out,
         store = c->arterialCompliance * out / volume,
         lift = c->bloodStiffness * volume / (c->arterialPressure - c->atrialPressure);
  dv_size_warn(o, &c->inflowResistance, fill, 1e-6, 60, "the atrium would fill the chamber in %g s", fill);
  dv_size_warn(o, &c->outflowResistance, empty, 1e-6, 60, "the pressure of the artery would press it through in %g s",
               empty);
  dv_size_warn(o, &c->peripheralResistance, drain, 1e-3, 1e4,
               "as much as the chamber holds would leave the artery in %g s", drain);
  dv_size_warn(o, &c->arterialCompliance, store, 1e-4, 1e4, "the artery would take %g times what the chamber holds",
               store);
  dv_size_warn(o, &c->bloodStiffness, lift, 1, 1e10,
               lift < 1 ? "the chamber would lose its volume %g times over before its pressure opens the artery's valve"
                        : "closed valves would answer what rounding changes of the volume; that is %g times too stiff",
               lift < 1 ? 1 / lift : lift / 1e10);
  dv_size_warn(o, &c->arterialPressure, c->arterialPressure, 300, 1e5,
               c->arterialPressure < 300 ? "that is low for Pa; 1 mmHg has 133.3 Pa" : "no heart ejects against that");
}

dvStatus dv_chamber_check(dvChamber *c, dvObject *o)
{
  const double *positive[] = {&c->inflowResistance, &c->outflowResistance, &c->peripheralResistance,
                              &c->arterialCompliance, &c->bloodStiffness};
  for (size_t i = 0; i < DV_COUNT(positive); i++) DV_TRY(dv_size_above_zero(o, positive[i]));
  const double *pressures[] = {&c->atrialPressure, &c->arterialPressure, &c->venousPressure};
  for (size_t i = 0; i < DV_COUNT(pressures); i++)
    if (!(fabs(*pressures[i]) < 1e9))
      return dv_field_error(o, pressures[i], "pressures of blood are some thousand Pa", "%s is %g Pa",
                            dv_field_name(dv_field_of(o, pressures[i])->desc), *pressures[i]);
  if (!(c->atrialPressure < c->arterialPressure))
    return dv_field_error(o, &c->arterialPressure, "the pressure of the artery is above that of the atrium",
                          "the valves contradict each other: %g Pa in the atrium would open both at once, the artery "
                          "has %g Pa",
                          c->atrialPressure, c->arterialPressure);
  if (!(c->venousPressure < c->arterialPressure))
    return dv_field_error(o, &c->venousPressure, "the pressure of the veins is below that of the artery",
                          "blood would flow backwards, from the veins at %g Pa into the artery at %g Pa",
                          c->venousPressure, c->arterialPressure);
  if (c->volume > 0 && c->volume <= LARGE) warn_of_sizes(c, o, c->volume);   // while it runs
  if (c->wall.count && (c->wall.count != c->triangles.count ||
                        memcmp(c->wall.data, c->triangles.data, c->wall.count * sizeof *c->wall.data) != 0))
    dv_field_warning(o, &c->triangles, "save the scene and start it again", "the wall stays as it was at the start");
  return DV_OK;
}

dvStatus dv_chamber_init(dvChamber *c, dvObject *o, const dvState *s)
{
  DV_TRY(dv_chamber_check(c, o));
  DV_TRY(dv_pull(o, &c->triangles));
  if (c->triangles.count == 0)
    return dv_field_error(o, &c->triangles, "link it to leftEndocardium of GenerateVentricle or of VentricleSurfaces",
                          "the chamber has no wall");
  DV_TRY(dv_check_indices(o, &c->triangles, s->count, "points"));
  for (size_t i = 0; i < c->triangles.count; i++)
    if (c->triangles.data[i] < 0 || (size_t)c->triangles.data[i] >= s->count) return DV_ERROR_INPUT;
  DV_TRY(find_rims(c, o, dv_state_read(s, DV_X)));
  dv_array_resize(&c->wall, c->triangles.count);
  memcpy(c->wall.data, c->triangles.data, c->triangles.count * sizeof *c->wall.data);
  list_points(c, s->count);
  size_t pieces = count_pieces(c);
  if (pieces > 1)
    return dv_field_error(o, &c->triangles, "give each chamber a wall and a component of its own",
                          "the wall is in %zu pieces that do not touch", pieces);
  double volume = dv_chamber_volume(c, dv_state_read(s, DV_X));
  if (!(volume > 0))
    return dv_field_error(o, &c->triangles,
                          "turn its triangles round: flipNormals of a loader does, and VentricleSurfaces gives them so",
                          "the chamber has a volume of %g m3", volume);
  if (volume > LARGE)
    dv_field_warning(o, &c->triangles, "lengths are in metres: scale3d=\"0.001 0.001 0.001\" of a loader",
                     "the chamber has a volume of %g m3; those of hearts have some 1e-4", volume);
  else warn_of_sizes(c, o, volume);
  return DV_OK;
}

// --- beside others ---

// A triangle by its points in ascending order.
typedef struct Face {
  int32_t point[3];
  int32_t number;
} Face;

static int by_points(const void *a, const void *b) { return memcmp(a, b, 3 * sizeof(int32_t)); }

static Face face_of(const int32_t *t, size_t number)
{
  int32_t low = t[0] < t[1] ? t[0] : t[1], high = t[0] < t[1] ? t[1] : t[0];
  if (t[2] < low) return (Face){{t[2], low, high}, (int32_t)number};
  return t[2] < high ? (Face){{low, t[2], high}, (int32_t)number} : (Face){{low, high, t[2]}, (int32_t)number};
}

static Face *sorted_faces(const dvChamber *c)
{
  size_t n = c->wall.count / 3;
  Face *faces = dv_alloc((n + 1) * sizeof *faces);
  for (size_t i = 0; i < n; i++) faces[i] = face_of(c->wall.data + 3 * i, i);
  qsort(faces, n, sizeof *faces, by_points);
  return faces;
}

static const Face *find_face(const dvChamber *c, const Face *faces, const int32_t *t)
{
  Face wanted = face_of(t, 0);
  return bsearch(&wanted, faces, c->wall.count / 3, sizeof *faces, by_points);
}

typedef struct Neighbours {
  dvVisitor visitor;
  const dvChamber *chamber;
  dvObject *owner;
  const Face *faces;
  bool reached;   // the chamber itself: those after it tell of it
  dvStatus status;
} Neighbours;

static void compare(Neighbours *n, const dvObject *other)
{
  const dvInts *t = dv_object_field(other, "triangles")->value;
  size_t shared = 0;
  for (size_t i = 0; i + 3 <= t->count; i += 3) shared += find_face(n->chamber, n->faces, t->data + i) != NULL;
  if (shared)
    n->status =
        dv_field_error(n->owner, &n->chamber->triangles, "give each chamber its own wall",
                       "%zu triangles are the wall of %s, too: two pressures would act on them", shared, other->name);
}

static dvWalk compare_in(dvVisitor *v, dvNode *node)
{
  Neighbours *n = (Neighbours *)v;
  for (size_t i = 0; i < node->objects.count && !n->reached; i++) {
    dvObject *o = node->objects.data[i];
    n->reached = o == n->owner;
    bool chamber = o->cls == &dv_heart_pressure_class || o->cls == &dv_lagrangian_pressure_class;
    if (chamber && !n->reached && !o->failed && dv_node_state_up(o->node) == dv_node_state_up(n->owner->node))
      compare(n, o);
  }
  return n->reached ? DV_WALK_PRUNE : DV_WALK_ON;
}

// tissue lies on the side of the wall to which its normals point
static void check_side(const dvChamber *c, const dvObject *o, const Face *faces, const double *x)
{
  static const int opposite[4][4] = {{1, 2, 3, 0}, {0, 2, 3, 1}, {0, 1, 3, 2}, {0, 1, 2, 3}};
  dvObject *mesh = dv_node_find_up(o->node, DV_ROLE_TOPOLOGY);
  const dvInts *tetra = mesh ? dv_topology_elements(dv_topology(mesh), DV_TETRAHEDRON) : NULL;
  size_t right = 0, wrong = 0;
  for (size_t i = 0; tetra && i + 4 <= tetra->count; i += 4)
    for (int k = 0; k < 4; k++) {
      int32_t p[4];
      for (int m = 0; m < 4; m++) p[m] = tetra->data[i + (size_t)opposite[k][m]];
      const Face *found = find_face(c, faces, p);
      if (!found || p[3] < 0 || (size_t)p[3] >= c->place.count) continue;
      const int32_t *t = c->wall.data + 3 * found->number;
      dvVec3 a = dv_vec3_load(x + 3 * (size_t)t[0]), b = dv_vec3_sub(dv_vec3_load(x + 3 * (size_t)t[1]), a),
             d = dv_vec3_sub(dv_vec3_load(x + 3 * (size_t)t[2]), a);
      bool outside = six(dv_vec3_sub(dv_vec3_load(x + 3 * (size_t)p[3]), a), b, d) > 0;
      right += outside;
      wrong += !outside;
    }
  if (wrong > right)
    dv_field_warning(o, &c->triangles, "give the endocardium, such as leftEndocardium of VentricleSurfaces",
                     "the tissue lies inside of the chamber: its wall is the outside of the body");
}

dvStatus dv_chamber_compare(const dvChamber *c, dvObject *o, const double *x)
{
  Face *faces = sorted_faces(c);
  Neighbours n = {.visitor = {.top_down = compare_in}, .chamber = c, .owner = o, .faces = faces};
  dv_visit(o->node->scene->root, &n.visitor);
  check_side(c, o, faces, x);
  dv_free(faces);
  dv_beside_chamber(o, c->arterialPressure);
  return n.status;
}

void dv_chamber_start(dvChamber *c, const double *x)
{
  c->volume = c->before = c->first_volume = dv_chamber_volume(c, x);
  c->first_middle = middle_of(c, x);
  c->stepped = false;
  c->pressure = c->atrialPressure;
  c->phase = DV_FILLING;
}

void dv_chamber_free(dvChamber *c)
{
  dv_array_free(&c->wall);
  dv_array_free(&c->rims);
  dv_array_free(&c->rim_first);
  dv_array_free(&c->points);
  dv_array_free(&c->g);
  dv_array_free(&c->place);
  dv_array_free(&c->matrix);
}

// --- volume ---

double dv_chamber_volume(const dvChamber *c, const double *x)
{
  double sum = 0;
  for (size_t i = 0; i + 3 <= c->wall.count; i += 3) {
    const int32_t *t = c->wall.data + i;
    sum +=
        six(dv_vec3_load(x + 3 * (size_t)t[0]), dv_vec3_load(x + 3 * (size_t)t[1]), dv_vec3_load(x + 3 * (size_t)t[2]));
  }
  for (size_t l = 0; l + 1 < c->rim_first.count; l++) {
    const int32_t *rim = c->rims.data + c->rim_first.data[l];
    size_t n = (size_t)(c->rim_first.data[l + 1] - c->rim_first.data[l]);
    dvVec3 m = mean_of(x, rim, n);
    for (size_t i = 0; i < n; i++)
      sum += six(dv_vec3_load(x + 3 * (size_t)rim[i]), dv_vec3_load(x + 3 * (size_t)rim[(i + 1) % n]), m);
  }
  return sum / 6;
}

static void add_g(dvChamber *c, int32_t point, dvVec3 v)
{
  dv_vec3_accumulate(c->g.data + 3 * (size_t)c->place.data[point], dv_vec3_scale(v, 1.0 / 6));
}

double dv_chamber_gradient(dvChamber *c, const double *x)
{
  memset(c->g.data, 0, c->g.count * sizeof *c->g.data);
  for (size_t i = 0; i + 3 <= c->wall.count; i += 3) {
    const int32_t *t = c->wall.data + i;
    dvVec3 p[3];
    for (int k = 0; k < 3; k++) p[k] = dv_vec3_load(x + 3 * (size_t)t[k]);
    for (int k = 0; k < 3; k++) add_g(c, t[k], dv_vec3_cross(p[(k + 1) % 3], p[(k + 2) % 3]));
  }
  for (size_t l = 0; l + 1 < c->rim_first.count; l++) {
    const int32_t *rim = c->rims.data + c->rim_first.data[l];
    size_t n = (size_t)(c->rim_first.data[l + 1] - c->rim_first.data[l]);
    dvVec3 m = mean_of(x, rim, n), share = dv_vec3(0, 0, 0);
    for (size_t i = 0; i < n; i++) {
      dvVec3 a = dv_vec3_load(x + 3 * (size_t)rim[i]), b = dv_vec3_load(x + 3 * (size_t)rim[(i + 1) % n]);
      add_g(c, rim[i], dv_vec3_cross(b, m));
      add_g(c, rim[(i + 1) % n], dv_vec3_cross(m, a));
      share = dv_vec3_add(share, dv_vec3_cross(a, b));
    }
    for (size_t i = 0; i < n; i++) add_g(c, rim[i], dv_vec3_scale(share, 1 / (double)n));
  }
  return dv_chamber_volume(c, x);
}

void dv_chamber_curvature(const dvChamber *c, const double *x, const double *dx, double factor, double *out)
{
  double k6 = factor / 6;
  for (size_t i = 0; i + 3 <= c->wall.count; i += 3) {
    const int32_t *t = c->wall.data + i;
    dvVec3 p[3], d[3];
    for (int k = 0; k < 3; k++) p[k] = dv_vec3_load(x + 3 * (size_t)t[k]), d[k] = dv_vec3_load(dx + 3 * (size_t)t[k]);
    for (int k = 0; k < 3; k++) {
      int a = (k + 1) % 3, b = (k + 2) % 3;
      dvVec3 v = dv_vec3_add(dv_vec3_cross(d[a], p[b]), dv_vec3_cross(p[a], d[b]));
      dv_vec3_accumulate(out + 3 * (size_t)t[k], dv_vec3_scale(v, k6));
    }
  }
  for (size_t l = 0; l + 1 < c->rim_first.count; l++) {
    const int32_t *rim = c->rims.data + c->rim_first.data[l];
    size_t n = (size_t)(c->rim_first.data[l + 1] - c->rim_first.data[l]);
    dvVec3 m = mean_of(x, rim, n), dm = mean_of(dx, rim, n), share = dv_vec3(0, 0, 0);
    for (size_t i = 0; i < n; i++) {
      int32_t p = rim[i], q = rim[(i + 1) % n];
      dvVec3 a = dv_vec3_load(x + 3 * (size_t)p), b = dv_vec3_load(x + 3 * (size_t)q),
             da = dv_vec3_load(dx + 3 * (size_t)p), db = dv_vec3_load(dx + 3 * (size_t)q);
      dvVec3 at_p = dv_vec3_add(dv_vec3_cross(db, m), dv_vec3_cross(b, dm)),
             at_q = dv_vec3_add(dv_vec3_cross(dm, a), dv_vec3_cross(m, da));
      dv_vec3_accumulate(out + 3 * (size_t)p, dv_vec3_scale(at_p, k6));
      dv_vec3_accumulate(out + 3 * (size_t)q, dv_vec3_scale(at_q, k6));
      share = dv_vec3_add(share, dv_vec3_add(dv_vec3_cross(da, b), dv_vec3_cross(a, db)));
    }
    for (size_t i = 0; i < n; i++) dv_vec3_accumulate(out + 3 * (size_t)rim[i], dv_vec3_scale(share, k6 / (double)n));
  }
}

// d(b x c)/db = -[c]x, d(b x c)/dc = [b]x, entered at a block of a matrix of n points
static void enter(double *matrix, size_t n, size_t row, size_t col, dvVec3 turn, double k)
{
  dvMat3 s = dv_mat3_skew(turn);
  for (size_t i = 0; i < 9; i++) matrix[(3 * row + i / 3) * 3 * n + 3 * col + i % 3] += k * s.m[i / 3][i % 3];
}

static void add_rim(dvChamber *c, size_t l, const double *x, double k6, dvMatrixSink *sink, const dvState *s)
{
  const int32_t *rim = c->rims.data + c->rim_first.data[l];
  size_t n = (size_t)(c->rim_first.data[l + 1] - c->rim_first.data[l]);
  double part = 1 / (double)n;
  dv_array_resize(&c->matrix, 9 * n * n);
  double *matrix = c->matrix.data;
  memset(matrix, 0, 9 * n * n * sizeof *matrix);
  dvVec3 m = mean_of(x, rim, n);
  for (size_t i = 0; i < n; i++) {
    size_t j = (i + 1) % n;
    dvVec3 a = dv_vec3_load(x + 3 * (size_t)rim[i]), b = dv_vec3_load(x + 3 * (size_t)rim[j]);
    enter(matrix, n, i, j, m, -k6);    // at i: b x m
    enter(matrix, n, j, i, m, k6);     // at j: m x a
    for (size_t q = 0; q < n; q++) {   // the mean is all of them
      enter(matrix, n, i, q, b, k6 * part);
      enter(matrix, n, j, q, a, -k6 * part);
      enter(matrix, n, q, i, b, -k6 * part);   // at the mean: a x b
      enter(matrix, n, q, j, a, k6 * part);
    }
  }
  dv_sink_add_element(sink, s, rim, (int)n, matrix);
}

void dv_chamber_add_curvature(dvChamber *c, const double *x, double factor, dvMatrixSink *sink, const dvState *s)
{
  double k6 = factor / 6;
  for (size_t i = 0; i + 3 <= c->wall.count; i += 3) {
    const int32_t *t = c->wall.data + i;
    double matrix[81] = {0};
    for (size_t k = 0; k < 3; k++) {
      size_t a = (k + 1) % 3, b = (k + 2) % 3;
      enter(matrix, 3, k, a, dv_vec3_load(x + 3 * (size_t)t[b]), -k6);
      enter(matrix, 3, k, b, dv_vec3_load(x + 3 * (size_t)t[a]), k6);
    }
    dv_sink_add_element(sink, s, t, 3, matrix);
  }
  for (size_t l = 0; l + 1 < c->rim_first.count; l++) add_rim(c, l, x, k6, sink, s);
}

// --- circulation ---

// p_d = a + b q at the end of a step
static void windkessel(const dvChamber *c, double h, double *a, double *b)
{
  double tau = c->peripheralResistance * c->arterialCompliance, decay = 1 + h / tau;
  *a = (c->arterialPressure + h / tau * c->venousPressure) / decay;
  *b = h / c->arterialCompliance / decay;
}

dvChamberLaw dv_chamber_law(const dvChamber *c, double h, bool turned)
{
  double a, b, slope;
  switch (c->phase) {
  case DV_FILLING:
    slope = c->inflowResistance / h;
    return (dvChamberLaw){c->atrialPressure, c->before, turned ? dv_max(slope, c->bloodStiffness) : slope};
  case DV_EJECTION:
    windkessel(c, h, &a, &b);
    slope = (c->outflowResistance + b) / h;
    return (dvChamberLaw){a, c->before, turned ? dv_max(slope, c->bloodStiffness) : slope};
  default:
    return (dvChamberLaw){c->closed_pressure, c->closed_volume, c->bloodStiffness};
  }
}

bool dv_chamber_turns(const dvChamber *c, double h, double pressure)
{
  double a, b;
  windkessel(c, h, &a, &b);
  return (c->phase == DV_FILLING && pressure > c->atrialPressure) || (c->phase == DV_EJECTION && pressure < a);
}

static void change_phase(dvChamber *c, dvPhase to)
{
  if (to == DV_CONTRACTION) c->endDiastolicVolume = c->volume;
  if (to == DV_RELAXATION) {
    c->endSystolicVolume = c->volume;
    c->ejectionFraction = c->endDiastolicVolume > 0 ? 1 - c->endSystolicVolume / c->endDiastolicVolume : 0;
    c->beats++;
  }
  if (to == DV_CONTRACTION || to == DV_RELAXATION) {
    c->closed_volume = c->volume;
    c->closed_pressure = c->pressure;
  }
  c->phase = (int32_t)to;
}

void dv_chamber_end(dvChamber *c, double h, double v, double p)
{
  double a, b;
  c->step = h;
  c->flow = c->phase == DV_FILLING || c->phase == DV_EJECTION ? (c->before - v) / h : 0;
  c->work -= 0.5 * (c->pressure + p) * (v - c->before);   // the trapezoidal rule: order 2
  windkessel(c, h, &a, &b);
  c->arterialPressure = a + b * (c->phase == DV_EJECTION ? c->flow : 0);
  c->volume = c->before = v;
  c->pressure = p;
  if (c->phase == DV_FILLING && p > c->atrialPressure) change_phase(c, DV_CONTRACTION);
  else if (c->phase == DV_EJECTION && c->flow < 0) change_phase(c, DV_RELAXATION);
  else if (c->phase == DV_CONTRACTION || c->phase == DV_RELAXATION) {
    if (p > c->arterialPressure) change_phase(c, DV_EJECTION);
    else if (p < c->atrialPressure) change_phase(c, DV_FILLING);
  }
}

static const double SAFE_STEP = 0.0025;   // s, that is linearised once

void dv_chamber_warn(dvChamber *c, const dvObject *o, const double *x, bool searched)
{
  const dvVec3 now = middle_of(c, x), before = c->stepped ? c->middle : now;
  double size = cbrt(c->first_volume), away = dv_vec3_norm(dv_vec3_sub(before, c->first_middle)),
         moved = dv_vec3_norm(dv_vec3_sub(now, before));
  c->middle = now;
  c->stepped = true;
  if (c->told || !(size > 0) || (c->volume > 0 && away < size && moved < 0.5 * size)) return;
  c->told = true;
  bool safe = searched || c->step < 1.5 * SAFE_STEP;
  if (away > 0.5 * size)
    dv_warning(o,
               safe ? "hold its base: BaseConstraint with basePoints and 500 N/m each, or FixedProjectiveConstraint"
                    : "make dt smaller: steps that are linearised once are safe up to about 0.0025 s, "
                      "NewtonRaphsonSolver bears longer ones; if it goes on, hold the base (BaseConstraint)",
               safe ? "the chamber as a whole has moved away by %.3g m, %.2g of its size: nothing holds the tissue, or "
                      "too little"
                    : "the chamber as a whole has moved away by %.3g m, %.2g of its size, in steps of %g s",
               away, away / size, c->step);
  else
    dv_warning(o,
               searched ? "let NewtonRaphsonSolver tell which steps find no solution (warnWhenDiverge); make soft "
                          "parts stiffer; hold the base (BaseConstraint)"
                        : "make dt smaller: steps that are linearised once are safe up to about 0.0025 s, "
                          "NewtonRaphsonSolver bears longer ones; damp the muscle (pronySeries, rayleighMass); hold "
                          "the base (BaseConstraint)",
               c->volume > 0 ? "a step of %g s has thrown the chamber: it moved by %.2g of its size; its volume is %g "
                               "m3"
                             : "the wall has turned inside out in a step of %g s, in which the chamber moved by %.2g "
                               "of its size: its volume is %g m3",
               c->step, moved / size, c->volume);
}

void dv_chamber_remember(dvChamber *c, dvMemoryStream *s)
{
  double *numbers[] = {&c->arterialPressure,
                       &c->volume,
                       &c->pressure,
                       &c->flow,
                       &c->work,
                       &c->endDiastolicVolume,
                       &c->endSystolicVolume,
                       &c->ejectionFraction,
                       &c->before,
                       &c->closed_volume,
                       &c->closed_pressure};
  double all[DV_COUNT(numbers)];
  int32_t counts[2] = {c->phase, c->beats};
  for (size_t i = 0; i < DV_COUNT(numbers); i++) all[i] = *numbers[i];
  dv_remember_numbers(s, "circulation", all, sizeof all);
  dv_remember_numbers(s, "phase", counts, sizeof counts);
  if (!dv_memory_restores(s)) return;
  c->stepped = false;   // the wall is elsewhere
  for (size_t i = 0; i < DV_COUNT(numbers); i++) *numbers[i] = all[i];
  if (counts[0] < DV_FILLING || counts[0] > DV_RELAXATION) dv_memory_refuse(s, "there is no phase %d", counts[0]);
  else c->phase = counts[0];
  c->beats = counts[1];
}

void dv_chamber_touch(dvChamber *c, dvObject *o)
{
  const void *members[] = {&c->arterialPressure,
                           &c->volume,
                           &c->pressure,
                           &c->flow,
                           &c->phase,
                           &c->work,
                           &c->beats,
                           &c->endDiastolicVolume,
                           &c->endSystolicVolume,
                           &c->ejectionFraction};
  for (size_t i = 0; i < DV_COUNT(members); i++) dv_touch(o, members[i]);
}

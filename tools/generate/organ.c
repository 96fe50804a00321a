// generate_organ OUTDIR [--cell METRES]: makes an organ like a liver, of Divan's own.
//
// The shape is an implicit function in metres: a large right lobe (at -x) blended with a thin left
// one, cut by an inclined underside, hollowed where stomach and kidney would lie, with a furrow
// between the lobes. Up is +y, the front is +z.
//
// The volume is filled by isosurface stuffing (Labelle and Shewchuk, SIGGRAPH 2007): a
// body-centred cubic lattice of tetrahedra, whose points are pulled onto the surface where it
// passes close to them, and whose remaining cut tetrahedra are replaced by what is inside. Then
// points move, on the surface along it, wherever that improves the worst dihedral angle around
// them. The smooth surface is the boundary of a finer lattice; the spheres are the largest that
// fit up to a limit, one after the other.
//
// Writes organ.msh (Gmsh 2.2), organ-surface.obj and organ.sph. The same bytes on every run.
#include "base/array.h"
#include "base/file.h"
#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct Vec3 {
  double x[3];
} Vec3;

typedef struct Tetra {
  int v[4];
} Tetra;

typedef struct Triangle {
  int v[3];
} Triangle;

typedef DV_ARRAY(Vec3) Points;
typedef DV_ARRAY(Tetra) Tetras;
typedef DV_ARRAY(Triangle) Triangles;
typedef DV_ARRAY(int) Ints;

static Vec3 vec(double x, double y, double z) { return (Vec3){{x, y, z}}; }
static Vec3 add(Vec3 a, Vec3 b) { return vec(a.x[0] + b.x[0], a.x[1] + b.x[1], a.x[2] + b.x[2]); }
static Vec3 sub(Vec3 a, Vec3 b) { return vec(a.x[0] - b.x[0], a.x[1] - b.x[1], a.x[2] - b.x[2]); }
static Vec3 scale(Vec3 a, double s) { return vec(a.x[0] * s, a.x[1] * s, a.x[2] * s); }
static double dot(Vec3 a, Vec3 b) { return a.x[0] * b.x[0] + a.x[1] * b.x[1] + a.x[2] * b.x[2]; }
static double norm(Vec3 a) { return sqrt(dot(a, a)); }
static Vec3 cross(Vec3 a, Vec3 b)
{
  return vec(a.x[1] * b.x[2] - a.x[2] * b.x[1], a.x[2] * b.x[0] - a.x[0] * b.x[2], a.x[0] * b.x[1] - a.x[1] * b.x[0]);
}

// --- the shape: negative inside, about a distance near the surface ------------------------------

// (|p / r| - 1) times the local radius, first order exact at the surface
static double ellipsoid(Vec3 p, Vec3 centre, Vec3 radius)
{
  Vec3 d = sub(p, centre), q, w;
  for (int k = 0; k < 3; k++) q.x[k] = d.x[k] / radius.x[k], w.x[k] = q.x[k] / radius.x[k];
  double k0 = norm(q), k1 = norm(w);
  return k1 > 0 ? k0 * (k0 - 1) / k1 : -dv_min(radius.x[0], dv_min(radius.x[1], radius.x[2]));
}

static double capsule(Vec3 p, Vec3 a, Vec3 b, double radius)
{
  Vec3 ab = sub(b, a);
  double t = dv_max(0, dv_min(1, dot(sub(p, a), ab) / dot(ab, ab)));
  return norm(sub(p, add(a, scale(ab, t)))) - radius;
}

// the lesser of two, rounded over the width k
static double blend_min(double a, double b, double k)
{
  double h = dv_max(k - fabs(a - b), 0) / k;
  return dv_min(a, b) - 0.25 * h * h * k;
}

static double blend_max(double a, double b, double k) { return -blend_min(-a, -b, k); }

static double organ(Vec3 p)
{
  double right = ellipsoid(p, vec(-0.036, -0.004, 0), vec(0.070, 0.066, 0.054));
  double left = ellipsoid(p, vec(0.052, 0.022, 0.010), vec(0.066, 0.034, 0.036));
  double body = blend_min(right, left, 0.050);
  Vec3 down = vec(0.36, -1, 0.10); // the underside rises towards the left
  double underside = (dot(p, down) - 0.040) / norm(down);
  body = blend_max(body, underside, 0.013);
  double hollow = 0.085 - norm(sub(p, vec(0.045, -0.098, -0.045)));
  body = blend_max(body, hollow, 0.018);
  double furrow = -capsule(p, vec(0.024, -0.045, 0.052), vec(0.014, 0.075, 0.060), 0.012);
  return blend_max(body, furrow, 0.018);
}

static Vec3 gradient(Vec3 p)
{
  const double h = 1e-6;
  Vec3 g;
  for (int k = 0; k < 3; k++) {
    Vec3 a = p, b = p;
    a.x[k] -= h, b.x[k] += h;
    g.x[k] = (organ(b) - organ(a)) / (2 * h);
  }
  return g;
}

// nearest point of the surface, by Newton steps along the gradient
static Vec3 project(Vec3 p)
{
  for (int i = 0; i < 8; i++) {
    Vec3 g = gradient(p);
    p = sub(p, scale(g, organ(p) / dv_max(dot(g, g), 1e-6)));
  }
  return p;
}

static const double box_low[3] = {-0.125, -0.085, -0.070}, box_high[3] = {0.135, 0.085, 0.070};

// --- the lattice -------------------------------------------------------------------------------

typedef struct Lattice {
  double cell;
  int n[3];      // cells
  Points points; // corners of the cells, then their centres
  DV_ARRAY(double) values;
  Points nearest; // cut point to which a lattice point moves
  DV_ARRAY(double) nearest_distance;
  Tetras tetras;
  DV_ARRAY(uint64_t) cut_keys; // hash table from pairs of lattice points to cut points
  Ints cut_points;
} Lattice;

static int corner_index(const Lattice *l, int i, int j, int k) { return (k * (l->n[1] + 1) + j) * (l->n[0] + 1) + i; }

static int centre_index(const Lattice *l, int i, int j, int k)
{
  return (l->n[0] + 1) * (l->n[1] + 1) * (l->n[2] + 1) + (k * l->n[1] + j) * l->n[0] + i;
}

static void add_lattice_points(Lattice *l, bool centres)
{
  int extra = centres ? 0 : 1;
  double shift = centres ? 0.5 : 0;
  for (int k = 0; k < l->n[2] + extra; k++)
    for (int j = 0; j < l->n[1] + extra; j++)
      for (int i = 0; i < l->n[0] + extra; i++) {
        Vec3 p = vec(box_low[0] + (i + shift) * l->cell, box_low[1] + (j + shift) * l->cell,
                     box_low[2] + (k + shift) * l->cell);
        dv_push(&l->points, p);
        dv_push(&l->values, organ(p));
      }
}

// four tetrahedra around the line between two centres: each has an edge of the face between them
static void add_lattice_tetras(Lattice *l, int axis)
{
  int u = (axis + 1) % 3, v = (axis + 2) % 3, c[3];
  for (c[2] = 0; c[2] < l->n[2]; c[2]++)
    for (c[1] = 0; c[1] < l->n[1]; c[1]++)
      for (c[0] = 0; c[0] < l->n[0]; c[0]++) {
        if (c[axis] == 0) continue;
        int before[3] = {c[0], c[1], c[2]}, ring[4];
        before[axis]--;
        for (int m = 0; m < 4; m++) {
          int at[3] = {c[0], c[1], c[2]};
          at[u] += m == 1 || m == 2;
          at[v] += m >= 2;
          ring[m] = corner_index(l, at[0], at[1], at[2]);
        }
        for (int m = 0; m < 4; m++) {
          Tetra t = {{centre_index(l, before[0], before[1], before[2]), centre_index(l, c[0], c[1], c[2]), ring[m],
                      ring[(m + 1) % 4]}};
          dv_push(&l->tetras, t);
        }
      }
}

static void lattice_init(Lattice *l, double cell)
{
  *l = (Lattice){.cell = cell};
  for (int k = 0; k < 3; k++) l->n[k] = (int)ceil((box_high[k] - box_low[k]) / cell);
  add_lattice_points(l, false);
  add_lattice_points(l, true);
  for (int axis = 0; axis < 3; axis++) add_lattice_tetras(l, axis);
}

static void lattice_fini(Lattice *l)
{
  dv_array_free(&l->points);
  dv_array_free(&l->values);
  dv_array_free(&l->nearest);
  dv_array_free(&l->nearest_distance);
  dv_array_free(&l->tetras);
  dv_array_free(&l->cut_keys);
  dv_array_free(&l->cut_points);
}

static Vec3 find_cut(const Lattice *l, int a, int b)
{
  Vec3 p = l->points.data[a], q = l->points.data[b];
  if (l->values.data[a] > 0) {
    Vec3 swap = p;
    p = q, q = swap;
  }
  for (int i = 0; i < 50; i++) { // p inside, q outside
    Vec3 middle = scale(add(p, q), 0.5);
    if (organ(middle) < 0)
      p = middle;
    else
      q = middle;
  }
  return scale(add(p, q), 0.5);
}

// the parts of an edge within which a cut pulls its end onto the surface (section 3 of the paper)
static double pull_range(double length, double cell)
{
  return length > 0.95 * cell ? 0.24999 * length : 0.41189 * length;
}

static void consider_pull(Lattice *l, int end, Vec3 cut, double range)
{
  double distance = norm(sub(cut, l->points.data[end]));
  if (distance < range && distance < l->nearest_distance.data[end]) {
    l->nearest_distance.data[end] = distance;
    l->nearest.data[end] = cut;
  }
}

static void pull_points(Lattice *l)
{
  dv_array_resize(&l->nearest, l->points.count);
  dv_array_resize(&l->nearest_distance, l->points.count);
  for (size_t i = 0; i < l->points.count; i++) l->nearest_distance.data[i] = INFINITY;
  for (size_t i = 0; i < l->tetras.count; i++)
    for (int a = 0; a < 4; a++)
      for (int b = a + 1; b < 4; b++) {
        int p = l->tetras.data[i].v[a], q = l->tetras.data[i].v[b];
        if ((l->values.data[p] < 0) == (l->values.data[q] < 0)) continue;
        Vec3 cut = find_cut(l, dv_min_int(p, q), dv_max_int(p, q));
        double range = pull_range(norm(sub(l->points.data[p], l->points.data[q])), l->cell);
        consider_pull(l, p, cut, range);
        consider_pull(l, q, cut, range);
      }
  for (size_t i = 0; i < l->points.count; i++)
    if (isfinite(l->nearest_distance.data[i])) {
      l->points.data[i] = l->nearest.data[i];
      l->values.data[i] = 0;
    }
}

// --- stuffing ----------------------------------------------------------------------------------

typedef struct Volume {
  Points points;
  Tetras tetras;
} Volume;

typedef struct Stuffing {
  Lattice lattice;
  Volume *out;
  Ints rank; // of every point: a quad face is split at the corner of highest rank, so that
             // both of its sides agree and a prism can always be split
} Stuffing;

static double six_volumes(const Vec3 *p, Tetra t)
{
  Vec3 o = p[t.v[0]];
  return dot(cross(sub(p[t.v[1]], o), sub(p[t.v[2]], o)), sub(p[t.v[3]], o));
}

static void emit(Stuffing *s, int a, int b, int c, int d)
{
  Tetra t = {{a, b, c, d}};
  if (six_volumes(s->lattice.points.data, t) < 0) t.v[2] = d, t.v[3] = c;
  dv_push(&s->out->tetras, t);
}

static int sign(const Stuffing *s, int point)
{
  double value = s->lattice.values.data[point];
  return (value < 0) - (value > 0); // 1 inside
}

static bool ranks_higher(const Stuffing *s, int a, int b)
{
  int ra = s->rank.data[a], rb = s->rank.data[b];
  return ra != rb ? ra > rb : a > b;
}

// the point where the surface cuts a lattice edge; the same for all tetrahedra around the edge
static int cut_point(Stuffing *s, int a, int b)
{
  Lattice *l = &s->lattice;
  int low = dv_min_int(a, b), high = dv_max_int(a, b);
  uint64_t key = ((uint64_t)low << 32 | (uint32_t)high) + 1;
  size_t mask = l->cut_keys.count - 1, at = dv_hash_bytes(&key, sizeof key, 0) & mask;
  for (; l->cut_keys.data[at]; at = (at + 1) & mask)
    if (l->cut_keys.data[at] == key) return l->cut_points.data[at];
  double length = norm(sub(l->points.data[a], l->points.data[b]));
  l->cut_keys.data[at] = key;
  l->cut_points.data[at] = (int)l->points.count;
  Vec3 cut = find_cut(l, low, high);
  dv_push(&l->points, cut);
  dv_push(&l->values, 0);
  dv_push(&s->rank, length > 0.9 * l->cell ? 1 : 2);
  return l->cut_points.data[at];
}

// a pyramid over the quad a b c d
static void emit_pyramid(Stuffing *s, int a, int b, int c, int d, int apex)
{
  int ac = ranks_higher(s, a, c) ? a : c, bd = ranks_higher(s, b, d) ? b : d;
  if (ranks_higher(s, ac, bd)) {
    emit(s, a, b, c, apex);
    emit(s, a, c, d, apex);
  } else {
    emit(s, a, b, d, apex);
    emit(s, b, c, d, apex);
  }
}

// a prism between the triangles p[0..2] and p[3..5]
static void emit_prism(Stuffing *s, const int p[6])
{
  int best = 0;
  for (int i = 1; i < 6; i++)
    if (ranks_higher(s, p[i], p[best])) best = i;
  int near = best < 3 ? 0 : 3, far = 3 - near, i = best % 3, j = (i + 1) % 3, k = (i + 2) % 3;
  emit(s, p[best], p[far], p[far + 1], p[far + 2]);
  emit_pyramid(s, p[near + j], p[near + k], p[far + k], p[far + j], p[best]);
}

static void stuff_tetra(Stuffing *s, Tetra t)
{
  int in[4], zero[4], out[4], ins = 0, zeros = 0, outs = 0;
  for (int i = 0; i < 4; i++) {
    int side = sign(s, t.v[i]);
    if (side > 0)
      in[ins++] = t.v[i];
    else if (side < 0)
      out[outs++] = t.v[i];
    else
      zero[zeros++] = t.v[i];
  }
  if (!ins) return;
  if (!outs) {
    emit(s, t.v[0], t.v[1], t.v[2], t.v[3]);
  } else if (ins == 1) {
    int v[4] = {in[0]}, n = 1;
    for (int i = 0; i < zeros; i++) v[n++] = zero[i];
    for (int i = 0; i < outs; i++) v[n++] = cut_point(s, in[0], out[i]);
    emit(s, v[0], v[1], v[2], v[3]);
  } else if (ins == 2 && outs == 1) {
    emit_pyramid(s, in[0], in[1], cut_point(s, in[1], out[0]), cut_point(s, in[0], out[0]), zero[0]);
  } else if (ins == 2) {
    int p[6] = {in[0], cut_point(s, in[0], out[0]), cut_point(s, in[0], out[1]),
                in[1], cut_point(s, in[1], out[0]), cut_point(s, in[1], out[1])};
    emit_prism(s, p);
  } else {
    int p[6] = {
        in[0], in[1], in[2], cut_point(s, in[0], out[0]), cut_point(s, in[1], out[0]), cut_point(s, in[2], out[0])};
    emit_prism(s, p);
  }
}

// keeps the points that tetrahedra use, in the order of the lattice
static void take_used_points(Volume *volume, const Points *all)
{
  Ints renumbered = {0};
  dv_array_resize(&renumbered, all->count);
  for (size_t i = 0; i < volume->tetras.count; i++)
    for (int k = 0; k < 4; k++) renumbered.data[volume->tetras.data[i].v[k]] = 1;
  for (size_t i = 0; i < all->count; i++) {
    if (!renumbered.data[i]) continue;
    renumbered.data[i] = (int)volume->points.count;
    dv_push(&volume->points, all->data[i]);
  }
  for (size_t i = 0; i < volume->tetras.count; i++)
    for (int k = 0; k < 4; k++) volume->tetras.data[i].v[k] = renumbered.data[volume->tetras.data[i].v[k]];
  dv_array_free(&renumbered);
}

static void fill_organ(Volume *volume, double cell)
{
  Stuffing s = {.out = volume};
  Lattice *l = &s.lattice;
  lattice_init(l, cell);
  pull_points(l);
  size_t slots = 1;
  while (slots < 4 * l->points.count) slots *= 2;
  dv_array_resize(&l->cut_keys, slots);
  dv_array_resize(&l->cut_points, slots);
  dv_array_resize(&s.rank, l->points.count);
  for (size_t i = 0; i < l->tetras.count; i++) stuff_tetra(&s, l->tetras.data[i]);
  take_used_points(volume, &l->points);
  dv_array_free(&s.rank);
  lattice_fini(l);
}

static void volume_free(Volume *volume)
{
  dv_array_free(&volume->points);
  dv_array_free(&volume->tetras);
}

// --- quality -----------------------------------------------------------------------------------

// least and greatest dihedral angle in degrees; (0, 180) for an inverted tetrahedron
static void dihedral_range(const Vec3 *p, Tetra t, double *least, double *greatest)
{
  *least = 180, *greatest = 0;
  if (six_volumes(p, t) <= 0) {
    *least = 0, *greatest = 180;
    return;
  }
  static const int edges[6][4] = {{0, 1, 2, 3}, {0, 2, 1, 3}, {0, 3, 1, 2}, {1, 2, 0, 3}, {1, 3, 0, 2}, {2, 3, 0, 1}};
  for (int e = 0; e < 6; e++) {
    Vec3 a = p[t.v[edges[e][0]]], axis = sub(p[t.v[edges[e][1]]], a);
    Vec3 n1 = cross(axis, sub(p[t.v[edges[e][2]]], a)), n2 = cross(axis, sub(p[t.v[edges[e][3]]], a));
    double angle = atan2(norm(cross(n1, n2)), dot(n1, n2)) * (180 / 3.14159265358979323846);
    *least = dv_min(*least, angle);
    *greatest = dv_max(*greatest, angle);
  }
}

// a flat angle is as bad as a sharp one
static double quality(const Vec3 *p, Tetra t)
{
  double least, greatest;
  dihedral_range(p, t, &least, &greatest);
  return dv_min(least, 180 - greatest);
}

// --- boundary ----------------------------------------------------------------------------------

typedef struct Face {
  int sorted[3];
  Triangle triangle;
} Face;

static int compare_faces(const void *a, const void *b)
{
  const Face *x = a, *y = b;
  for (int k = 0; k < 3; k++)
    if (x->sorted[k] != y->sorted[k]) return x->sorted[k] < y->sorted[k] ? -1 : 1;
  return 0;
}

static Face make_face(int a, int b, int c)
{
  int low = dv_min_int(a, dv_min_int(b, c)), high = dv_max_int(a, dv_max_int(b, c));
  return (Face){{low, a + b + c - low - high, high}, {{a, b, c}}};
}

// faces of one tetrahedron only, outward
static void find_boundary(const Volume *volume, Triangles *out)
{
  DV_ARRAY(Face) faces = {0};
  for (size_t i = 0; i < volume->tetras.count; i++) {
    const int *v = volume->tetras.data[i].v;
    const Face four[4] = {make_face(v[0], v[2], v[1]), make_face(v[0], v[1], v[3]), make_face(v[0], v[3], v[2]),
                          make_face(v[1], v[2], v[3])};
    for (int k = 0; k < 4; k++) dv_push(&faces, four[k]);
  }
  qsort(faces.data, faces.count, sizeof *faces.data, compare_faces);
  for (size_t i = 0, next; i < faces.count; i = next) {
    for (next = i + 1; next < faces.count && compare_faces(&faces.data[i], &faces.data[next]) == 0;) next++;
    if (next == i + 1) dv_push(out, faces.data[i].triangle);
  }
  dv_array_free(&faces);
}

// --- improvement -------------------------------------------------------------------------------

typedef struct Star {
  Ints first, member; // of point i: member[first[i]] .. member[first[i + 1] - 1]
} Star;

static void star_add(Star *star, size_t points, const int *corners, size_t elements, int width)
{
  dv_array_resize(&star->first, points + 1);
  dv_array_resize(&star->member, elements * (size_t)width);
  for (size_t i = 0; i < elements * (size_t)width; i++) star->first.data[corners[i] + 1]++;
  for (size_t i = 0; i < points; i++) star->first.data[i + 1] += star->first.data[i];
  Ints filled = {0};
  dv_array_resize(&filled, points);
  for (size_t i = 0; i < elements * (size_t)width; i++) {
    int point = corners[i];
    star->member.data[star->first.data[point] + filled.data[point]++] = (int)(i / (size_t)width);
  }
  dv_array_free(&filled);
}

static void star_free(Star *star)
{
  dv_array_free(&star->first);
  dv_array_free(&star->member);
}

static double worst_around(const Volume *volume, const Star *star, int point)
{
  double worst = 180;
  for (int i = star->first.data[point]; i < star->first.data[point + 1]; i++)
    worst = dv_min(worst, quality(volume->points.data, volume->tetras.data[star->member.data[i]]));
  return worst;
}

// tries steps in fixed directions and keeps those that lift the worst angle around the point
static bool improve_point(Volume *volume, const Star *star, int point, bool on_surface, double step)
{
  static const double directions[14][3] = {{1, 0, 0},  {-1, 0, 0},  {0, 1, 0},   {0, -1, 0},  {0, 0, 1},
                                           {0, 0, -1}, {1, 1, 1},   {1, 1, -1},  {1, -1, 1},  {1, -1, -1},
                                           {-1, 1, 1}, {-1, 1, -1}, {-1, -1, 1}, {-1, -1, -1}};
  Vec3 *place = &volume->points.data[point];
  double best = worst_around(volume, star, point);
  bool moved = false;
  for (int d = 0; d < 14; d++) {
    Vec3 old = *place;
    *place = add(old, scale(vec(directions[d][0], directions[d][1], directions[d][2]), step));
    if (on_surface) *place = project(*place);
    double now = worst_around(volume, star, point);
    if (now > best + 1e-9)
      best = now, moved = true;
    else
      *place = old;
  }
  return moved;
}

static void improve(Volume *volume, double cell)
{
  Triangles boundary = {0};
  Ints on_surface = {0};
  Star star = {0};
  find_boundary(volume, &boundary);
  dv_array_resize(&on_surface, volume->points.count);
  for (size_t i = 0; i < boundary.count; i++)
    for (int k = 0; k < 3; k++) on_surface.data[boundary.data[i].v[k]] = 1;
  star_add(&star, volume->points.count, volume->tetras.data[0].v, volume->tetras.count, 4);
  double step = 0.1 * cell;
  for (int pass = 0; pass < 60 && step > 1e-4 * cell; pass++) {
    bool moved = false;
    for (int i = 0; i < (int)volume->points.count; i++)
      if (improve_point(volume, &star, i, on_surface.data[i], step)) moved = true;
    if (!moved || pass % 6 == 5) step *= 0.5;
  }
  star_free(&star);
  dv_array_free(&on_surface);
  dv_array_free(&boundary);
}

// --- the smooth surface ------------------------------------------------------------------------

typedef struct Surface {
  Points points;
  Triangles triangles;
} Surface;

static void surface_of(const Volume *volume, Surface *out)
{
  Ints renumbered = {0};
  find_boundary(volume, &out->triangles);
  dv_array_resize(&renumbered, volume->points.count);
  for (size_t i = 0; i < out->triangles.count; i++)
    for (int k = 0; k < 3; k++) {
      int *v = &out->triangles.data[i].v[k];
      if (!renumbered.data[*v]) {
        dv_push(&out->points, volume->points.data[*v]);
        renumbered.data[*v] = (int)out->points.count;
      }
      *v = renumbered.data[*v] - 1;
    }
  dv_array_free(&renumbered);
}

// points move towards the middle of their neighbours and back onto the surface
static void even_out(Surface *surface, int passes)
{
  size_t n = surface->points.count;
  Points sum = {0};
  Ints count = {0};
  for (int pass = 0; pass < passes; pass++) {
    dv_array_resize(&sum, 0);
    dv_array_resize(&count, 0);
    dv_array_resize(&sum, n);
    dv_array_resize(&count, n);
    for (size_t i = 0; i < surface->triangles.count; i++)
      for (int k = 0; k < 3; k++) {
        const int *v = surface->triangles.data[i].v;
        int p = v[k], q = v[(k + 1) % 3];
        sum.data[p] = add(sum.data[p], surface->points.data[q]);
        count.data[p]++;
      }
    for (size_t i = 0; i < n; i++) {
      Vec3 middle = scale(sum.data[i], 1.0 / count.data[i]);
      surface->points.data[i] = project(scale(add(surface->points.data[i], middle), 0.5));
    }
  }
  dv_array_free(&sum);
  dv_array_free(&count);
}

static void surface_free(Surface *surface)
{
  dv_array_free(&surface->points);
  dv_array_free(&surface->triangles);
}

// --- spheres -----------------------------------------------------------------------------------

typedef struct Sphere {
  Vec3 centre;
  double radius;
} Sphere;

typedef DV_ARRAY(Sphere) Spheres;

static double distance_to(const Surface *surface, Vec3 p)
{
  double best = INFINITY;
  for (size_t i = 0; i < surface->points.count; i++) {
    Vec3 d = sub(surface->points.data[i], p);
    best = dv_min(best, dot(d, d));
  }
  return sqrt(best);
}

// spheres that touch the surface from inside, none greater than `greatest`: large ones could not
// follow a deformation
static void find_candidates(const Surface *surface, double spacing, double greatest, Spheres *out)
{
  for (double z = box_low[2]; z < box_high[2]; z += spacing)
    for (double y = box_low[1]; y < box_high[1]; y += spacing)
      for (double x = box_low[0]; x < box_high[0]; x += spacing) {
        Sphere s = {vec(x, y, z), 0};
        if (organ(s.centre) >= 0) continue;
        s.radius = dv_min(distance_to(surface, s.centre), greatest);
        dv_push(out, s);
      }
}

// the largest sphere first; centres that lie well inside a chosen sphere are out of the running
static void pack_spheres(Spheres *candidates, double smallest, Spheres *out)
{
  for (;;) {
    size_t best = 0;
    for (size_t i = 1; i < candidates->count; i++)
      if (candidates->data[i].radius > candidates->data[best].radius) best = i;
    if (!candidates->count || candidates->data[best].radius < smallest) return;
    Sphere chosen = candidates->data[best];
    dv_push(out, chosen);
    size_t kept = 0;
    for (size_t i = 0; i < candidates->count; i++)
      if (norm(sub(candidates->data[i].centre, chosen.centre)) > chosen.radius)
        candidates->data[kept++] = candidates->data[i];
    candidates->count = kept;
  }
}

// --- files -------------------------------------------------------------------------------------

static FILE *open_output(const char *directory, const char *name)
{
  char *path = dv_path_join(directory, name);
  FILE *f = fopen(path, "wb");
  if (!f) {
    fprintf(stderr, "generate_organ: cannot write %s\n", path);
    exit(1);
  }
  dv_free(path);
  return f;
}

static void close_output(FILE *f)
{
  bool bad = ferror(f) != 0;
  if (fclose(f) != 0 || bad) {
    fprintf(stderr, "generate_organ: writing failed\n");
    exit(1);
  }
}

// micrometres are fine enough; no minus before a zero
static void print_vec(FILE *f, Vec3 p, const char *end)
{
  for (int k = 0; k < 3; k++) fprintf(f, " %.6f", fabs(p.x[k]) < 5e-7 ? 0.0 : p.x[k]);
  fputs(end, f);
}

static void write_msh(const char *directory, const Volume *volume)
{
  FILE *f = open_output(directory, "organ.msh");
  fprintf(f, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n3 1 \"organ\"\n$EndPhysicalNames\n");
  fprintf(f, "$Nodes\n%zu\n", volume->points.count);
  for (size_t i = 0; i < volume->points.count; i++) {
    fprintf(f, "%zu", i + 1);
    print_vec(f, volume->points.data[i], "\n");
  }
  fprintf(f, "$EndNodes\n$Elements\n%zu\n", volume->tetras.count);
  for (size_t i = 0; i < volume->tetras.count; i++) {
    const int *v = volume->tetras.data[i].v;
    fprintf(f, "%zu 4 2 1 1 %d %d %d %d\n", i + 1, v[0] + 1, v[1] + 1, v[2] + 1, v[3] + 1);
  }
  fprintf(f, "$EndElements\n");
  close_output(f);
}

static void write_obj(const char *directory, const Surface *surface)
{
  FILE *f = open_output(directory, "organ-surface.obj");
  fprintf(f, "# surface of the organ, in metres, made by generate_organ\no organ\n");
  for (size_t i = 0; i < surface->points.count; i++) {
    fputc('v', f);
    print_vec(f, surface->points.data[i], "\n");
  }
  for (size_t i = 0; i < surface->points.count; i++) {
    Vec3 g = gradient(surface->points.data[i]);
    fputs("vn", f);
    print_vec(f, scale(g, 1 / norm(g)), "\n");
  }
  fprintf(f, "s 1\n");
  for (size_t i = 0; i < surface->triangles.count; i++) {
    const int *v = surface->triangles.data[i].v;
    fprintf(f, "f %d//%d %d//%d %d//%d\n", v[0] + 1, v[0] + 1, v[1] + 1, v[1] + 1, v[2] + 1, v[2] + 1);
  }
  close_output(f);
}

static void write_sph(const char *directory, const Spheres *spheres)
{
  FILE *f = open_output(directory, "organ.sph");
  fprintf(f, "sph 1.0\nnums %zu\n", spheres->count);
  for (size_t i = 0; i < spheres->count; i++) {
    fprintf(f, "sphe %zu", i + 1);
    print_vec(f, spheres->data[i].centre, "");
    fprintf(f, " %.6f\n", spheres->data[i].radius);
  }
  close_output(f);
}

// --- report ------------------------------------------------------------------------------------

// every edge of a closed surface has two triangles, in opposite directions; 2 for a sphere's shape
static long euler(size_t points, size_t triangles)
{
  return (long)points - (long)(triangles * 3 / 2) + (long)triangles;
}

// false when the tetrahedra are not fit for simulation
static bool report(const Volume *volume, const Surface *surface, const Spheres *spheres)
{
  double total = 0, least = 180, greatest = 0;
  Surface skin = {0};
  surface_of(volume, &skin);
  for (size_t i = 0; i < volume->tetras.count; i++) {
    double low, high;
    dihedral_range(volume->points.data, volume->tetras.data[i], &low, &high);
    least = dv_min(least, low);
    greatest = dv_max(greatest, high);
    total += six_volumes(volume->points.data, volume->tetras.data[i]) / 6;
  }
  printf("organ.msh: %zu points, %zu tetrahedra, %.1f ml, dihedral angles %.2f to %.2f degrees, skin %zu triangles "
         "(%ld)\n",
         volume->points.count, volume->tetras.count, total * 1e6, least, greatest, skin.triangles.count,
         euler(skin.points.count, skin.triangles.count));
  printf("organ-surface.obj: %zu points, %zu triangles (%ld)\n", surface->points.count, surface->triangles.count,
         euler(surface->points.count, surface->triangles.count));
  printf("organ.sph: %zu spheres\n", spheres->count);
  surface_free(&skin);
  if (least > 10) return true;
  fprintf(stderr, "generate_organ: a dihedral angle of %.2f degrees is too small\n", least);
  return false;
}

static bool generate(const char *directory, double cell)
{
  Volume volume = {0}, fine = {0};
  Surface surface = {0};
  Spheres candidates = {0}, spheres = {0};
  fill_organ(&volume, cell);
  improve(&volume, cell);
  fill_organ(&fine, 0.4 * cell);
  surface_of(&fine, &surface);
  even_out(&surface, 20);
  find_candidates(&surface, 0.005, 0.020, &candidates);
  pack_spheres(&candidates, 0.010, &spheres);
  write_msh(directory, &volume);
  write_obj(directory, &surface);
  write_sph(directory, &spheres);
  bool good = report(&volume, &surface, &spheres);
  dv_array_free(&candidates);
  dv_array_free(&spheres);
  surface_free(&surface);
  volume_free(&volume);
  volume_free(&fine);
  return good;
}

int main(int argc, char **argv)
{
  const char *directory = NULL;
  double cell = 0.024;
  for (int i = 1; i < argc; i++) {
    const char *value = i + 1 < argc ? argv[i + 1] : "";
    if (dv_same(argv[i], "--cell") && dv_scan_real(&value, &cell) && !*value)
      i++;
    else if (!directory && argv[i][0] != '-')
      directory = argv[i];
    else
      directory = "";
  }
  if (!directory || !*directory || !(cell >= 0.006 && cell <= 0.04)) {
    fprintf(stderr, "usage: generate_organ OUTDIR [--cell METRES]   (0.006 to 0.04, default 0.024)\n");
    return DV_ERROR_USAGE;
  }
  if (!dv_make_directories(directory)) {
    fprintf(stderr, "generate_organ: cannot make the folder %s\n", directory);
    return DV_ERROR_INPUT;
  }
  return generate(directory, cell) ? 0 : DV_ERROR_DIVERGED;
}

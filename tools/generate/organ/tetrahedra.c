// The organ's volume is filled by isosurface stuffing (Labelle and Shewchuk, SIGGRAPH 2007): a body-centred cubic
// lattice of tetrahedra, whose points are pulled onto the surface where it passes close to them, and whose remaining
// cut tetrahedra are replaced by what is inside. Then points move, on the surface along it, wherever that improves the
// worst dihedral angle around them.
#include "organ.h"

#include "base/text.h"

// --- the lattice ---------------------------------------------------------------------------------

typedef struct Lattice {
  double cell;
  int n[3];        // cells
  Points points;   // corners of the cells, then their centres
  DV_ARRAY(double) values;
  Points nearest;   // cut point to which a lattice point moves
  DV_ARRAY(double) nearest_distance;
  Tetras tetras;
  DV_ARRAY(uint64_t) cut_keys;   // hash table from pairs of lattice points to cut points
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
        Vec3 p = vec(organ_low[0] + (i + shift) * l->cell, organ_low[1] + (j + shift) * l->cell,
                     organ_low[2] + (k + shift) * l->cell);
        dv_push(&l->points, p);
        dv_push(&l->values, organ_field(p));
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
  for (int k = 0; k < 3; k++) l->n[k] = (int)ceil((organ_high[k] - organ_low[k]) / cell);
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
  for (int i = 0; i < 50; i++) {   // p inside, q outside
    Vec3 middle = scale(add(p, q), 0.5);
    if (organ_field(middle) < 0) p = middle;
    else q = middle;
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

// --- stuffing ------------------------------------------------------------------------------------

typedef struct Stuffing {
  Lattice lattice;
  Volume *out;
  Ints rank;   // of every point: a quad face is split at the corner of highest rank, so that
               // both of its sides agree and a prism can always be split
} Stuffing;

double six_volumes(const Vec3 *p, Tetra t)
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
  return (value < 0) - (value > 0);   // 1 inside
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
    if (side > 0) in[ins++] = t.v[i];
    else if (side < 0) out[outs++] = t.v[i];
    else zero[zeros++] = t.v[i];
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

void volume_fill(Volume *volume, double cell)
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

void volume_free(Volume *volume)
{
  dv_array_free(&volume->points);
  dv_array_free(&volume->tetras);
}

// --- quality -------------------------------------------------------------------------------------

void dihedral_range(const Vec3 *p, Tetra t, double *least, double *greatest)
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

// --- improvement ---------------------------------------------------------------------------------

typedef struct Star {
  Ints first, member;   // of point i: member[first[i]] .. member[first[i + 1] - 1]
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
    if (on_surface) *place = organ_project(*place);
    double now = worst_around(volume, star, point);
    if (now > best + 1e-9) best = now, moved = true;
    else *place = old;
  }
  return moved;
}

void volume_improve(Volume *volume, double cell)
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

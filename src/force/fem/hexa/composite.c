// Composite condensation, see condense.h.
//
// A coarse cell is a tree: its branches are the finer cells it is made of. Going up, each cell is condensed from its
// children, which leaves each child the weights (24 x 24) by which its corners follow those of the cell. Going down,
// the product of these weights tells how the points of the finest level follow the corners of the coarse cell.
#include "force/fem/hexa/condense.h"

#include "base/array.h"
#include "element/shape.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_POINTS = 1000 };           // in one condensation: a dense matrix of three times as many rows
static const double RIGID = 1.02e12;   // Young's modulus of void, on a unit cube without lateral contraction

typedef struct Branch {
  int32_t element, parent;   // hexahedron of its level, and the branch it belongs to
  int level;
  int place[3];          // of its origin in the parent, in cells of its own size
  double weights[576];   // by which its corners follow the parent's; later: the coarse cell's
} Branch;

typedef DV_ARRAY(Branch) Tree;

// A point of a patch: where it is on the lattice, and which point of the finer level (-1 in void).
typedef struct Spot {
  int32_t position, point;
} Spot;

// The finer cells of one coarse cell while it is condensed.
typedef struct Patch {
  int side;                // cells along an edge
  DV_ARRAY(Spot) spots;    // sorted, each once
  double *k, *with_void;   // [3 n][3 n]
  double *m;               // [3][n][n]
  double *w, *masked;      // [3 n][24]
  int32_t *row;            // [n] among the inner points, or minus the corner minus 1
  size_t inner;
} Patch;

typedef struct Composer {
  const dvCondenseDef *def;
  Tree tree;
  double rigid[576];
} Composer;

// --- the patch ---

static int compare_spots(const void *a, const void *b)
{
  const Spot *x = a, *y = b;
  if (x->position != y->position) return x->position < y->position ? -1 : 1;
  return (x->point > y->point) - (x->point < y->point);
}

static int32_t position_of(const Patch *p, const int origin[3], int corner)
{
  int place[3], n = p->side + 1;
  dv_corner_place(corner, place);
  return (int32_t)(origin[0] + place[0] + n * (origin[1] + place[1] + n * (origin[2] + place[2])));
}

static void place_of(const Patch *p, int32_t position, double at[3])
{
  int n = p->side + 1;
  at[0] = (double)(position % n) / p->side;
  at[1] = (double)(position / n % n) / p->side;
  at[2] = (double)(position / n / n) / p->side;
}

static size_t find_spot(const Patch *p, Spot wanted)
{
  size_t low = 0, high = p->spots.count;
  while (low + 1 < high) {
    size_t middle = (low + high) / 2;
    if (compare_spots(&p->spots.data[middle], &wanted) <= 0) low = middle;
    else high = middle;
  }
  return low;
}

// the first point at a position: with any point of the mesh after it
static size_t first_spot(const Patch *p, int32_t position)
{
  size_t i = find_spot(p, (Spot){position, -2});
  while (p->spots.data[i].position < position) i++;
  return i;
}

static Spot spot_of(const Composer *c, const Patch *p, const Branch *b, int corner)
{
  const dvSparseLevel *l = c->def->level[b->level];
  return (Spot){position_of(p, b->place, corner), c->def->merged ? 0 : l->hexahedra.data[8 * b->element + corner]};
}

static bool cell_is_there(const Composer *c, size_t first, size_t end, const int origin[3])
{
  for (size_t i = first; i < end; i++)
    if (memcmp(c->tree.data[i].place, origin, sizeof c->tree.data[i].place) == 0) return true;
  return false;
}

// sorted spots; positions that no cell touches get a point of void
static void collect_spots(const Composer *c, Patch *p, size_t first, size_t end)
{
  for (size_t i = first; i < end; i++)
    for (int w = 0; w < 8; w++) dv_push(&p->spots, spot_of(c, p, &c->tree.data[i], w));
  qsort(p->spots.data, p->spots.count, sizeof *p->spots.data, compare_spots);
  size_t kept = 0;
  for (size_t i = 0; i < p->spots.count; i++)
    if (kept == 0 || compare_spots(&p->spots.data[kept - 1], &p->spots.data[i]) != 0)
      p->spots.data[kept++] = p->spots.data[i];
  p->spots.count = kept;
  int32_t positions = (int32_t)((p->side + 1) * (p->side + 1) * (p->side + 1));
  for (int32_t position = 0, i = 0; position < positions; position++) {
    bool found = false;
    for (; (size_t)i < kept && p->spots.data[i].position <= position; i++)
      found = found || p->spots.data[i].position == position;
    if (!found) dv_push(&p->spots, ((Spot){position, -1}));
  }
  qsort(p->spots.data, p->spots.count, sizeof *p->spots.data, compare_spots);
}

// corners of the coarse cell, and numbers of the other points
static void number_rows(Patch *p)
{
  for (size_t i = 0; i < p->spots.count; i++) {
    p->row[i] = -100;
    for (int w = 0; w < 8; w++) {
      int place[3], n = p->side + 1;
      dv_corner_place(w, place);
      if (p->spots.data[i].position == p->side * (place[0] + n * (place[1] + n * place[2]))) p->row[i] = -1 - w;
    }
    if (p->row[i] == -100) p->row[i] = (int32_t)p->inner++;
  }
}

static void add_matrix(size_t n, const size_t at[8], const double *k, double *out)
{
  for (size_t i = 0; i < 24; i++)
    for (size_t j = 0; j < 24; j++) out[3 * n * (3 * at[i / 3] + i % 3) + 3 * at[j / 3] + j % 3] += k[24 * i + j];
}

static void add_void(const Composer *c, Patch *p, size_t first, size_t end)
{
  for (int cell = 0; cell < p->side * p->side * p->side; cell++) {
    int origin[3] = {cell % p->side, cell / p->side % p->side, cell / p->side / p->side};
    size_t at[8];
    if (cell_is_there(c, first, end, origin)) continue;
    for (int w = 0; w < 8; w++) at[w] = first_spot(p, position_of(p, origin, w));
    add_matrix(p->spots.count, at, c->rigid, p->with_void);
  }
}

static void free_patch(Patch *p)
{
  dv_array_free(&p->spots);
  dv_free(p->k);
  dv_free(p->with_void);
  dv_free(p->m);
  dv_free(p->w);
  dv_free(p->masked);
  dv_free(p->row);
}

static dvStatus make_patch(const Composer *c, Patch *p, size_t first, size_t end, const double *k, const double *m)
{
  collect_spots(c, p, first, end);
  size_t n = p->spots.count;
  if (n > MOST_POINTS) return DV_ERROR_USAGE;
  p->k = dv_alloc(9 * n * n * sizeof *p->k);
  p->with_void = dv_alloc(9 * n * n * sizeof *p->k);
  p->m = dv_alloc(3 * n * n * sizeof *p->m);
  p->w = dv_alloc(72 * n * sizeof *p->w);
  p->masked = dv_alloc(72 * n * sizeof *p->w);
  p->row = dv_alloc(n * sizeof *p->row);
  number_rows(p);
  for (size_t i = first; i < end; i++, k += DV_CONDENSE_K, m += DV_CONDENSE_M) {
    size_t at[8];
    for (int w = 0; w < 8; w++) at[w] = find_spot(p, spot_of(c, p, &c->tree.data[i], w));
    add_matrix(n, at, k, p->k);
    for (size_t a = 0; a < 3; a++)
      for (size_t j = 0; j < 64; j++) p->m[n * n * a + n * at[j / 8] + at[j % 8]] += m[64 * a + j];
  }
  memcpy(p->with_void, p->k, 9 * n * n * sizeof *p->k);
  add_void(c, p, first, end);
  return DV_OK;
}

// --- weights of a patch ---

// Cholesky factor in the lower triangle, row by row. False when the matrix is not positive.
static bool factorise(double *a, size_t n)
{
  for (size_t i = 0; i < n; i++) {
    double before = a[n * i + i];
    for (size_t j = 0; j <= i; j++) {
      double sum = a[n * i + j];
      for (size_t k = 0; k < j; k++) sum -= a[n * i + k] * a[n * j + k];
      if (j < i) a[n * i + j] = sum / a[n * j + j];
      else if (!(sum > 1e-14 * before)) return false;
      else a[n * i + i] = sqrt(sum);
    }
  }
  return true;
}

// x = A^-1 x for 24 columns, row by row
static void solve(const double *a, size_t n, double *x)
{
  for (size_t i = 0; i < n; i++) {
    for (size_t k = 0; k < i; k++)
      for (size_t c = 0; c < 24; c++) x[24 * i + c] -= a[n * i + k] * x[24 * k + c];
    for (size_t c = 0; c < 24; c++) x[24 * i + c] /= a[n * i + i];
  }
  for (size_t i = n; i-- > 0;) {
    for (size_t c = 0; c < 24; c++) x[24 * i + c] /= a[n * i + i];
    for (size_t k = 0; k < i; k++)
      for (size_t c = 0; c < 24; c++) x[24 * k + c] -= a[n * i + k] * x[24 * i + c];
  }
}

// w = -K_ff^-1 K_fc, and the corners themselves
static dvStatus find_weights(Patch *p)
{
  size_t n = p->spots.count, inner = 3 * p->inner;
  double *a = dv_alloc((inner * inner + 1) * sizeof *a), *x = dv_alloc((24 * inner + 1) * sizeof *x);
  for (size_t i = 0; i < 3 * n; i++) {
    if (p->row[i / 3] < 0) continue;
    size_t r = 3 * (size_t)p->row[i / 3] + i % 3;
    for (size_t j = 0; j < 3 * n; j++) {
      double k = p->with_void[3 * n * i + j];
      int32_t to = p->row[j / 3];
      if (to >= 0) a[inner * r + 3 * (size_t)to + j % 3] = k;
      else x[24 * r + 3 * (size_t)(-1 - to) + j % 3] -= k;
    }
  }
  bool good = factorise(a, inner);
  if (good) solve(a, inner, x);
  for (size_t i = 0; i < 3 * n && good; i++) {
    if (p->row[i / 3] >= 0) memcpy(p->w + 24 * i, x + 24 * (3 * (size_t)p->row[i / 3] + i % 3), 24 * sizeof *x);
    else p->w[24 * i + 3 * (size_t)(-1 - p->row[i / 3]) + i % 3] = 1;
  }
  dv_free(a);
  dv_free(x);
  return good ? DV_OK : DV_ERROR_INPUT;
}

// an edge stays an edge, a face a face, and rows have the sum 1
static void mask_weights(Patch *p)
{
  for (size_t i = 0; i < 3 * p->spots.count; i++) {
    double at[3], trilinear[8], sum = 0, *row = p->masked + 24 * i;
    place_of(p, p->spots.data[i / 3].position, at);
    dv_corner_weights(at, trilinear);
    for (size_t w = 0; w < 8; w++)
      if (trilinear[w] > 1e-5) sum += row[3 * w + i % 3] = p->w[24 * i + 3 * w + i % 3];
    for (size_t w = 0; w < 8; w++) row[3 * w + i % 3] = fabs(sum) > 1e-12 ? row[3 * w + i % 3] / sum : trilinear[w];
  }
}

// Weights of mapped points across the axes, in grids without branches: SOFA puts a fixed share of Poisson's ratio where
// points in the middle of an edge or a face would bulge.
static void cross_weights(Patch *p, double poisson)
{
  for (size_t i = 0; i < 3 * p->spots.count; i++) {
    double at[3], trilinear[8];
    int axis = (int)(i % 3), inside = 0;
    place_of(p, p->spots.data[i / 3].position, at);
    dv_corner_weights(at, trilinear);
    for (int a = 0; a < 3; a++) inside += at[a] == 0.5;
    bool across = at[axis] != 0.5 && (inside == 1 || inside == 2);
    for (int j = 0; j < 24; j++) {
      double *w = &p->w[24 * i + (size_t)j];
      if (across && trilinear[j / 3] > 1e-5 && j % 3 != axis && at[j % 3] == 0.5)
        *w = copysign(inside == 1 ? 0.6 : 0.3, -*w) * poisson;
      else *w = p->masked[24 * i + (size_t)j];
    }
  }
}

// out = W^T A W for a square A of `width` scalars a point, along one axis (width 1) or all (width 3)
static void project(const Patch *p, const double *a, size_t width, size_t axis, double *out)
{
  size_t n = width * p->spots.count, columns = 8 * width;
  double *product = dv_alloc(n * columns * sizeof *product);
  const double *w = p->masked;
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < n; k++) {
      double value = a[n * i + k];
      if (value == 0) continue;
      const double *row = w + 24 * (width == 3 ? k : 3 * k + axis);
      for (size_t j = 0; j < columns; j++) product[columns * i + j] += value * row[width == 3 ? j : 3 * j + axis];
    }
  memset(out, 0, columns * columns * sizeof *out);
  for (size_t k = 0; k < n; k++) {
    const double *row = w + 24 * (width == 3 ? k : 3 * k + axis);
    for (size_t i = 0; i < columns; i++)
      for (size_t j = 0; j < columns; j++)
        out[columns * i + j] += row[width == 3 ? i : 3 * i + axis] * product[columns * k + j];
  }
  dv_free(product);
}

// --- the tree ---

static void add_finest(Composer *c, int level, int32_t element, const int origin[3], int32_t parent)
{
  if (level == c->def->depth) {
    Branch b = {.element = element, .parent = parent, .level = level, .place = {origin[0], origin[1], origin[2]}};
    dv_push(&c->tree, b);
    return;
  }
  const dvSparseLevel *l = c->def->level[level];
  for (int32_t i = l->child_offset.data[element]; i < l->child_offset.data[element + 1]; i++) {
    int place[3];
    for (int a = 0; a < 3; a++) place[a] = 2 * origin[a] + (l->child_place.data[i] >> a & 1);
    add_finest(c, level + 1, l->child.data[i], place, parent);
  }
}

static void add_children(Composer *c, const Branch *b, int32_t parent)
{
  if (c->def->direct) {
    add_finest(c, b->level, b->element, (const int[3]){0, 0, 0}, parent);
    return;
  }
  const dvSparseLevel *l = c->def->level[b->level];
  for (int32_t i = l->child_offset.data[b->element]; i < l->child_offset.data[b->element + 1]; i++) {
    int place = l->child_place.data[i];
    Branch child = {.element = l->child.data[i],
                    .parent = parent,
                    .level = b->level + 1,
                    .place = {place & 1, place >> 1 & 1, place >> 2}};
    dv_push(&c->tree, child);
  }
}

static void finest_cell(const Composer *c, const Branch *b, double *k, double *m)
{
  double stiff = dv_condense_stiffness(c->def, b->level, b->element),
         heavy = dv_condense_mass(c->def, b->level, b->element);
  for (int i = 0; i < DV_CONDENSE_K; i++) k[i] = stiff * c->def->stiffness[i];
  for (int i = 0; i < DV_CONDENSE_M; i++) m[i] = heavy * c->def->mass[i % 64];
}

static dvStatus condense(Composer *c, size_t branch, double *k, double *m)
{
  Branch b = c->tree.data[branch];
  if (b.level == c->def->depth) {
    finest_cell(c, &b, k, m);
    return DV_OK;
  }
  size_t first = c->tree.count;
  add_children(c, &b, (int32_t)branch);
  size_t end = c->tree.count, children = end - first;
  double *ks = dv_alloc(DV_CONDENSE_K * (children + 1) * sizeof *ks),
         *ms = dv_alloc(DV_CONDENSE_M * (children + 1) * sizeof *ms);
  Patch p = {.side = c->def->direct ? 1 << (c->def->depth - b.level) : 2};
  dvStatus status = DV_OK;
  for (size_t i = 0; i < children && status == DV_OK; i++)
    status = condense(c, first + i, ks + DV_CONDENSE_K * i, ms + DV_CONDENSE_M * i);
  if (status == DV_OK) status = make_patch(c, &p, first, end, ks, ms);
  if (status == DV_OK) status = find_weights(&p);
  if (status == DV_OK) {
    mask_weights(&p);
    project(&p, p.k, 3, 0, k);
    for (size_t a = 0; a < 3; a++) project(&p, p.m + p.spots.count * p.spots.count * a, 1, a, m + 64 * a);
    bool crossed =
        c->def->complete && !c->def->direct && (c->def->merged || c->def->level[c->def->depth]->links.count == 0);
    if (crossed) cross_weights(&p, c->def->poisson);
    const double *w = c->def->complete ? p.w : p.masked;
    for (size_t i = first; i < end; i++)
      for (int corner = 0; corner < 8; corner++)
        memcpy(c->tree.data[i].weights + 72 * corner, w + 72 * find_spot(&p, spot_of(c, &p, &c->tree.data[i], corner)),
               72 * sizeof *w);
  }
  free_patch(&p);
  dv_free(ks);
  dv_free(ms);
  return status;
}

// weights of every branch become those of the coarse cell: parents stand before their children
static void multiply_down(Composer *c)
{
  for (size_t i = 1; i < c->tree.count; i++) {
    Branch *b = &c->tree.data[i];
    const Branch *parent = &c->tree.data[b->parent];
    double own[576];
    memcpy(own, b->weights, sizeof own);
    memset(b->weights, 0, sizeof b->weights);
    for (int r = 0; r < 24; r++)
      for (int k = 0; k < 24; k++)
        for (int j = 0; j < 24 && own[24 * r + k] != 0; j++)
          b->weights[24 * r + j] += own[24 * r + k] * parent->weights[24 * k + j];
  }
}

// --- all cells ---

typedef struct Entry {
  int32_t point, element, branch, corner;
} Entry;

static int compare_entries(const void *a, const void *b)
{
  const Entry *x = a, *y = b;
  if (x->point != y->point) return x->point < y->point ? -1 : 1;
  return (x->element > y->element) - (x->element < y->element);
}

typedef struct Lists {
  DV_ARRAY(uint32_t) start;
  DV_ARRAY(int32_t) point;
  DV_ARRAY(double) weight;
} Lists;

// each point of the finest level once, with the weights of its last cell
static void list_points(const Composer *c, Lists *lists)
{
  const dvSparseLevel *l = c->def->level[c->def->depth];
  DV_ARRAY(Entry) entries = {0};
  for (size_t i = 0; i < c->tree.count; i++) {
    const Branch *b = &c->tree.data[i];
    for (int w = 0; w < 8 && b->level == c->def->depth; w++)
      dv_push(&entries, ((Entry){l->hexahedra.data[8 * b->element + w], b->element, (int32_t)i, w}));
  }
  qsort(entries.data, entries.count, sizeof *entries.data, compare_entries);
  for (size_t i = 0; i < entries.count; i++) {
    const Entry *e = &entries.data[i];
    if (i + 1 < entries.count && e[1].point == e->point) continue;
    dv_push(&lists->point, e->point);
    for (int k = 0; k < 72; k++) dv_push(&lists->weight, c->tree.data[e->branch].weights[72 * e->corner + k]);
  }
  dv_push(&lists->start, (uint32_t)lists->point.count);
  dv_array_free(&entries);
}

// The entries have six digits in single precision, as in SOFA: what is then missing in the sums of rows is still more
// than the stiffness of what surrounds a void cell, and keeps it from turning about the one corner it hangs on.
static void rigid_cell(double *k)
{
  static const double cube[24] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0, 0, 1, 1, 0, 1, 1, 1, 1, 0, 1, 1};
  dv_element_stiffness(DV_HEXAHEDRON, cube, 0, RIGID / 2, k);
  for (int i = 0; i < 576; i++) {
    double digit = pow(10, floor(log10(fmax(fabs(k[i]), 1))) - 5);
    k[i] = (float)(digit * round(k[i] / digit));
  }
}

dvStatus dv_condense_composite(const dvCondenseDef *def, double *k, double *m, dvComposite **out)
{
  *out = NULL;
  Composer c = {.def = def};
  Lists lists = {0};
  dvStatus status = DV_OK;
  size_t count = def->level[0]->cell_of.count;
  rigid_cell(c.rigid);
  dv_push(&lists.start, 0);
  for (size_t e = 0; e < count && status == DV_OK; e++) {
    Branch top = {.element = (int32_t)e, .parent = -1};
    for (int i = 0; i < 24; i++) top.weights[25 * i] = 1;
    c.tree.count = 0;
    dv_push(&c.tree, top);
    status = condense(&c, 0, k + DV_CONDENSE_K * e, m + DV_CONDENSE_M * e);
    if (status != DV_OK) break;
    multiply_down(&c);
    list_points(&c, &lists);
  }
  dv_array_free(&c.tree);
  if (status == DV_OK) {
    *out = dv_alloc(sizeof **out);
    **out = (dvComposite){.elements = count,
                          .points = dv_reals_size(&def->level[def->depth]->points),
                          .level = def->depth,
                          .start = lists.start.data,
                          .point = lists.point.data,
                          .weight = lists.weight.data};
    return DV_OK;
  }
  dv_array_free(&lists.start);
  dv_array_free(&lists.point);
  dv_array_free(&lists.weight);
  return status;
}

void dv_composite_destroy(dvComposite **composite)
{
  dvComposite *c = *composite;
  if (!c) return;
  dv_free(c->start);
  dv_free(c->point);
  dv_free(c->weight);
  dv_free(c);
  *composite = NULL;
}

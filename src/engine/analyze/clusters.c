// Regions around chosen points, and the shapes they had: MeshSampler, ClusteringEngine, ShapeMatching.
//
// Points are chosen one after the other, each the farthest from those before, by the distance in space or along the
// edges of a mesh (Dijkstra); MeshSampler then moves each to the middle of its region until nothing changes (Lloyd).
//
// ShapeMatching (M. Müller, B. Heidelberger, M. Teschner, M. Gross, "Meshless deformations based on shape matching",
// 2005): with the sums over a cluster A = sum w (x - c)(X - C)^T and Q = sum w (X - C)(X - C)^T, the target of a point
// is the mean over its clusters of c + T (X - C), T = a A Q^-1 + (1 - a) R, R the rotation in A and a the affine ratio.
#include "engine/classes.h"
#include "engine/engine.h"

#include "base/file.h"
#include "base/heap.h"
#include "math/decompose.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// --- distances and regions -----------------------------------------------------------------------

typedef struct Region {
  const double *x;
  size_t n;
  const dvInts *edges;    // distances along these when there are any
  int32_t *start, *end;   // neighbours of each point: end[start[i]] to end[start[i + 1] - 1]
  double *distance;       // of each point to the nearest seed
  int32_t *owner;         // which seed that is
  DV_ARRAY(int32_t) seeds;
  dvHeap heap;   // points by their distance
} Region;

static dvVec3 at(const double *x, size_t i) { return dv_vec3_load(x + 3 * i); }

static bool region_init(Region *r, const dvReals *points, const dvInts *edges)
{
  *r = (Region){.x = points->data, .n = points->count / 3, .edges = edges};
  size_t links = edges ? edges->count : 0;
  r->start = dv_try_alloc((r->n + 2) * sizeof *r->start);
  r->end = dv_try_alloc((links + 1) * sizeof *r->end);
  r->distance = dv_try_alloc((r->n + 1) * sizeof *r->distance);
  r->owner = dv_try_alloc((r->n + 1) * sizeof *r->owner);
  if (!r->start || !r->end || !r->distance || !r->owner) return false;
  for (size_t i = 0; i < links; i++) r->start[edges->data[i] + 2]++;
  for (size_t i = 1; i <= r->n; i++) r->start[i + 1] += r->start[i];
  for (size_t i = 0; i < links; i++) r->end[r->start[edges->data[i] + 1]++] = edges->data[i ^ 1];
  return true;
}

static void region_fini(Region *r)
{
  dv_free(r->start);
  dv_free(r->end);
  dv_free(r->distance);
  dv_free(r->owner);
  dv_array_free(&r->seeds);
  dv_array_free(&r->heap);
}

// along edges, outwards from all seeds at once
static void spread(Region *r)
{
  for (size_t j = 0; j < r->seeds.count; j++) {
    int32_t seed = r->seeds.data[j];
    r->distance[seed] = 0;
    r->owner[seed] = (int32_t)j;
    dv_heap_push(&r->heap, 0, seed);
  }
  while (r->heap.count) {
    dvHeapEntry v = dv_heap_pop(&r->heap);
    int32_t from = v.item;
    if (v.key > r->distance[from]) continue;   // a shorter way was found since
    for (int32_t e = r->start[from]; e < r->start[from + 1]; e++) {
      int32_t to = r->end[e];
      double d = v.key + dv_vec3_norm(dv_vec3_sub(at(r->x, (size_t)from), at(r->x, (size_t)to)));
      if (!(r->distance[to] > d)) continue;
      r->owner[to] = r->owner[from];
      r->distance[to] = d;
      dv_heap_push(&r->heap, d, to);
    }
  }
}

// distances to the seeds from `first` on; 0 measures anew
static void measure(Region *r, size_t first)
{
  bool along = r->edges && r->edges->count;
  for (size_t i = 0; i < r->n && (along || first == 0); i++) r->distance[i] = DBL_MAX;
  if (along) spread(r);
  for (size_t i = 0; i < r->n && !along; i++)
    for (size_t j = first; j < r->seeds.count; j++) {
      double d = dv_vec3_norm2(dv_vec3_sub(at(r->x, i), at(r->x, (size_t)r->seeds.data[j])));
      if (d < r->distance[i]) r->distance[i] = d, r->owner[i] = (int32_t)j;
    }
}

// seeds 0 and then always the farthest point, up to `count` or until all points are seeds
static void choose_farthest(Region *r, size_t count)
{
  dv_push(&r->seeds, 0);
  measure(r, 0);
  while (r->seeds.count < dv_min_size(count, r->n)) {
    size_t farthest = 0;
    for (size_t i = 1; i < r->n; i++)
      if (r->distance[i] > r->distance[farthest]) farthest = i;
    if (!(r->distance[farthest] > 0)) break;
    dv_push(&r->seeds, (int32_t)farthest);
    measure(r, r->seeds.count - 1);
  }
}

// moves each seed to the point nearest to the mean of its region; false when none moves
static bool move_seeds(Region *r, double *sums, double *least)
{
  size_t n = r->seeds.count;
  memset(sums, 0, 4 * n * sizeof *sums);
  for (size_t i = 0; i < r->n; i++) {
    dv_vec3_accumulate(sums + 4 * r->owner[i], at(r->x, i));
    sums[4 * r->owner[i] + 3]++;
  }
  for (size_t j = 0; j < n; j++) {
    for (int k = 0; k < 3 && sums[4 * j + 3] > 0; k++) sums[4 * j + (size_t)k] /= sums[4 * j + 3];
    least[j] = dv_vec3_norm2(
        dv_vec3_sub(at(r->x, (size_t)r->seeds.data[j]), dv_vec3_load(sums + 4 * r->owner[r->seeds.data[j]])));
  }
  bool moved = false;
  for (size_t i = 0; i < r->n; i++) {
    int32_t j = r->owner[i];
    double d = dv_vec3_norm2(dv_vec3_sub(at(r->x, i), dv_vec3_load(sums + 4 * j)));
    if (d < least[j]) least[j] = d, r->seeds.data[j] = (int32_t)i, moved = true;
  }
  measure(r, 0);
  return moved;
}

// --- MeshSampler ---------------------------------------------------------------------------------

#define SAMPLER_FIELDS(X)                                                                                            \
  X(int, number, "1", "", "number of points to choose", .flags = DV_INPUT)                                           \
  X(coords, position, "", "m", "points to choose from", .flags = DV_INPUT)                                           \
  X(edges, edges, "", "", "edges along which distances are measured; in a straight line without", .flags = DV_INPUT) \
  X(int, maxIter, "100", "", "how often the chosen points are moved at most", .flags = DV_INPUT)                     \
  X(indices, outputIndices, "", "", "the chosen points", .flags = DV_OUTPUT)                                         \
  X(coords, outputPosition, "", "m", "their positions", .flags = DV_OUTPUT)

typedef struct Sampler {
  dvObject base;
  SAMPLER_FIELDS(DV_MEMBER)
} Sampler;

#define SELF Sampler
static const dvFieldDesc sampler_fields[] = {SAMPLER_FIELDS(DV_DESCRIBE)};
#undef SELF

static dvStatus sampler_update(dvObject *o)
{
  Sampler *s = (Sampler *)o;
  DV_TRY(dv_engine_check(o, &s->edges, dv_reals_size(&s->position), "points"));
  if (s->number < 1) return dv_field_error(o, &s->number, NULL, "number is %d; choose at least one point", s->number);
  bool good = dv_ints_resize(&s->outputIndices, 0) && dv_reals_resize(&s->outputPosition, 0);
  if (good && s->position.count == 0) return DV_OK;
  Region r;
  double *sums = NULL;
  good = region_init(&r, &s->position, &s->edges) && good;
  if (good) {
    choose_farthest(&r, (size_t)s->number);
    sums = dv_try_alloc(5 * r.seeds.count * sizeof *sums);
    for (int i = 0; i < s->maxIter && sums; i++)
      if (!move_seeds(&r, sums, sums + 4 * r.seeds.count)) break;
  }
  good = good && sums && dv_ints_assign(&s->outputIndices, r.seeds.data, r.seeds.count);
  for (size_t j = 0; j < r.seeds.count && good; j++)
    good = dv_engine_add_reals(&s->outputPosition, r.x + 3 * (size_t)r.seeds.data[j], 3);
  dv_free(sums);
  region_fini(&r);
  return good ? DV_OK : dv_engine_no_memory(o);
}

DV_ENGINE_CLASS(dv_mesh_sampler_class, "MeshSampler", "chooses points that are spread evenly over a mesh",
                DV_SELECT_MODULE, DV_DOF_VEC3, Sampler, .blocks = {&dv_object_block, DV_BLOCK(sampler_fields)},
                .update = sampler_update);

// --- ClusteringEngine ----------------------------------------------------------------------------

#define CLUSTERING_FIELDS(X)                                                                                          \
  X(bool, useTopo, "1", "", "neighbours are those of the topology of the node or above; else all points count",       \
    .flags = DV_INPUT)                                                                                                \
  X(real, radius, "1", "m", "points nearer than this to the centre belong to a cluster", .flags = DV_INPUT)           \
  X(real, fixedRadius, "1", "m", "the same for fixed points", .flags = DV_INPUT)                                      \
  X(int, number, "-1", "", "number of clusters; -1 makes one around each point", .flags = DV_INPUT)                   \
  X(coords, fixedPosition, "", "m",                                                                                   \
    "points that belong to clusters without being simulated; they are numbered behind the others", .flags = DV_INPUT) \
  X(coords, position, "", "m", "points at rest", .flags = DV_INPUT)                                                   \
  X(lists, cluster, "", "", "points of each cluster, its centre first", .flags = DV_OUTPUT)                           \
  X(file, inFile, "", "", "file to read the clusters from instead", .flags = DV_INPUT)                                \
  X(file, outFile, "", "", "file to write the clusters to")                                                           \
  X(edges, topologyEdges, "", "", "edges of the topology", .flags = DV_INPUT | DV_HIDDEN | DV_NO_SRC)

typedef struct Clustering {
  dvObject base;
  CLUSTERING_FIELDS(DV_MEMBER)
  bool unwritten;   // outFile waits for the next step
} Clustering;

#define SELF Clustering
static const dvFieldDesc clustering_fields[] = {CLUSTERING_FIELDS(DV_DESCRIBE)};
#undef SELF

static dvStatus clustering_link(dvObject *o)
{
  dv_engine_follow(o, &((Clustering *)o)->topologyEdges, dv_node_find_up(o->node, DV_ROLE_TOPOLOGY), "edges");
  return DV_OK;
}

// neighbours of neighbours: those of the seed's own region, and whatever is near enough
static bool grow(const Clustering *c, const Region *r, size_t cluster, int32_t *mark, dvInts *list)
{
  int32_t centre = r->seeds.data[cluster], stamp = (int32_t)cluster + 1;
  if (!dv_ints_assign(list, &centre, 1)) return false;
  mark[centre] = stamp;
  for (size_t done = 0; done < list->count; done++) {
    int32_t point = list->data[done];
    for (int32_t e = r->start[point]; e < r->start[point + 1]; e++) {
      int32_t to = r->end[e];
      bool belongs = (size_t)r->owner[point] == cluster ||
                     dv_vec3_norm(dv_vec3_sub(at(r->x, (size_t)centre), at(r->x, (size_t)to))) < c->radius;
      if (!belongs || mark[to] == stamp) continue;
      mark[to] = stamp;
      if (!dv_engine_add_ints(list, &to, 1)) return false;
    }
  }
  return true;
}

// the cluster of a point that is near no centre: the nearest one of another point
static size_t nearest_seed(const Region *r, size_t point)
{
  double least = DBL_MAX;
  size_t found = SIZE_MAX;
  for (size_t j = 0; j < r->seeds.count; j++) {
    double d = dv_vec3_norm(dv_vec3_sub(at(r->x, point), at(r->x, (size_t)r->seeds.data[j])));
    if ((size_t)r->seeds.data[j] != point && d < least) least = d, found = j;
  }
  return found;
}

static bool is_near(const Region *r, size_t seed, const double *p, double radius)
{
  return dv_vec3_norm(dv_vec3_sub(dv_vec3_load(p), at(r->x, (size_t)r->seeds.data[seed]))) < radius;
}

// `lonely` has the cluster of each point that is near no centre, else -1
static bool gather(const Clustering *c, const Region *r, size_t cluster, const int32_t *lonely, dvInts *list)
{
  int32_t centre = r->seeds.data[cluster];
  bool good = dv_ints_assign(list, &centre, 1);
  for (size_t i = 0; i < r->n && good; i++) {
    int32_t index = (int32_t)i;
    if (index != centre && (lonely[i] == (int32_t)cluster || is_near(r, cluster, r->x + 3 * i, c->radius)))
      good = dv_engine_add_ints(list, &index, 1);
  }
  for (size_t i = 0; i < dv_reals_size(&c->fixedPosition) && good; i++) {
    int32_t index = (int32_t)(i + r->n);
    if (is_near(r, cluster, c->fixedPosition.data + 3 * i, c->fixedRadius)) good = dv_engine_add_ints(list, &index, 1);
  }
  return good;
}

static void find_lonely(const Clustering *c, const Region *r, int32_t *lonely)
{
  for (size_t i = 0; i < r->n; i++) {
    bool near = false;
    for (size_t j = 0; j < r->seeds.count && !near; j++)
      near = (size_t)r->seeds.data[j] != i && is_near(r, j, r->x + 3 * i, c->radius);
    size_t seed = near ? SIZE_MAX : nearest_seed(r, i);
    lonely[i] = seed == SIZE_MAX ? -1 : (int32_t)seed;
  }
}

static bool make_clusters(Clustering *c, Region *r)
{
  bool along = r->edges && r->edges->count;
  if (c->number == -1)
    for (size_t i = 0; i < r->n; i++) {
      dv_push(&r->seeds, (int32_t)i);
      r->owner[i] = (int32_t)i;
    }
  else choose_farthest(r, (size_t)c->number);
  int32_t *scratch = dv_try_alloc((r->n + 1) * sizeof *scratch);
  dvInts list = {.width = 1};
  bool good = scratch != NULL;
  if (good && !along) find_lonely(c, r, scratch);
  for (size_t j = 0; j < r->seeds.count && good; j++)
    good = (along ? grow(c, r, j, scratch, &list) : gather(c, r, j, scratch, &list)) &&
           dv_lists_push(&c->cluster, list.data, list.count);
  dv_ints_free(&list);
  dv_free(scratch);
  return good;
}

// "useTopo radius fixedRadius clusters number", then for each cluster how many points and which
static dvStatus read_clusters(Clustering *c)
{
  dvObject *o = &c->base;
  char *path = dv_context_find_file(o->context, c->inFile, o->place.file, NULL);
  char *text = dv_file_read(path, NULL);
  dv_free(path);
  if (!text)
    return dv_field_error(o, &c->inFile, NULL, "the clusters in %s cannot be read: %s", c->inFile, dv_file_why());
  const char *s = text;
  double head[5];
  int got = 0;
  while (got < 5 && dv_scan_real(&s, &head[got])) got++;
  size_t limit = dv_reals_size(&c->position) + dv_reals_size(&c->fixedPosition);
  bool good = got == 5 && head[3] >= 0 && head[3] <= DV_POINT_LIMIT;
  dvInts list = {.width = 1};
  for (size_t i = 0; good && i < (size_t)head[3]; i++) {
    long long count, index;
    good = dv_scan_int(&s, &count) && count >= 0 && (size_t)count <= limit && dv_ints_resize(&list, (size_t)count);
    for (long long k = 0; k < count && good; k++) {
      good = dv_scan_int(&s, &index) && index >= 0 && (size_t)index < limit;
      if (good) list.data[k] = (int32_t)index;
    }
    good = good && dv_lists_push(&c->cluster, list.data, list.count);
  }
  dv_ints_free(&list);
  dv_free(text);
  return good ? DV_OK
              : dv_field_error(o, &c->inFile, "let outFile write it again", "%s does not hold clusters of %zu points",
                               c->inFile, limit);
}

static void write_clusters(const Clustering *c)
{
  FILE *f = dv_file_write(c->outFile, "w");
  if (!f) {
    dv_field_warning(&c->base, &c->outFile, NULL, "%s cannot be written", c->outFile);
    return;
  }
  dv_print(f, "%d %.17g %.17g %zu %d\n", c->useTopo, c->radius, c->fixedRadius, dv_lists_size(&c->cluster), c->number);
  for (size_t i = 0; i < dv_lists_size(&c->cluster); i++) {
    fprintf(f, "%zu", dv_lists_length(&c->cluster, i));
    for (size_t k = 0; k < dv_lists_length(&c->cluster, i); k++) fprintf(f, " %d", dv_lists_at(&c->cluster, i)[k]);
    fputc('\n', f);
  }
  bool whole = !ferror(f);
  if (fclose(f) != 0 || !whole) dv_field_warning(&c->base, &c->outFile, NULL, "%s could not be written", c->outFile);
}

static dvStatus clustering_update(dvObject *o)
{
  Clustering *c = (Clustering *)o;
  if (!dv_lists_clear(&c->cluster)) return dv_engine_no_memory(o);
  if (*c->inFile) return read_clusters(c);
  if (c->number < -1 || c->number == 0)
    return dv_field_error(o, &c->number, "give -1 for one cluster around each point", "%d is no number of clusters",
                          c->number);
  if (c->position.count == 0) return DV_OK;
  if (c->useTopo) DV_TRY(dv_engine_check(o, &c->topologyEdges, dv_reals_size(&c->position), "points"));
  Region r;
  bool good = region_init(&r, &c->position, c->useTopo ? &c->topologyEdges : NULL) && make_clusters(c, &r);
  region_fini(&r);
  if (!good) return dv_engine_no_memory(o);
  c->unwritten = *c->outFile != 0;
  return DV_OK;
}

// not before the scene runs: who only looks at it keeps the file
static void clustering_event(dvObject *o, const dvEvent *event)
{
  Clustering *c = (Clustering *)o;
  if (event->kind != DV_EVENT_ANIMATE_BEGIN || dv_object_update(o) != DV_OK || !c->unwritten) return;
  write_clusters(c);
  c->unwritten = false;
}

DV_ENGINE_CLASS(dv_clustering_class, "ClusteringEngine", "divides points into overlapping clusters", DV_ANALYZE_MODULE,
                DV_DOF_VEC3, Clustering, .blocks = {&dv_object_block, DV_BLOCK(clustering_fields)},
                .link = clustering_link, .update = clustering_update, .handle_event = clustering_event);

// --- ShapeMatching -------------------------------------------------------------------------------

#define SHAPE_FIELDS(X)                                                                                              \
  X(int, iterations, "1", "", "how often targets are made, each time from those before", .flags = DV_INPUT)          \
  X(real, affineRatio, "0", "", "1: clusters also stretch and shear; 0: they only move and turn", .flags = DV_INPUT) \
  X(real, fixedweight, "1", "", "weight of fixed points", .flags = DV_INPUT)                                         \
  X(coords, fixedPosition0, "", "m", "points that are not simulated, at rest; numbered behind the others",           \
    .flags = DV_INPUT)                                                                                               \
  X(coords, fixedPosition, "", "m", "where they are", .flags = DV_INPUT)                                             \
  X(coords, position, "", "m", "where the points are", .flags = DV_INPUT)                                            \
  X(lists, cluster, "", "", "points of each cluster", .flags = DV_INPUT)                                             \
  X(coords, targetPosition, "", "m", "where the points should be", .flags = DV_OUTPUT)                               \
  X(link, mstate, "", "", "state with the points at rest; the one of the node by default", .role = DV_ROLE_STATE)    \
  X(coords, restPosition, "", "m", "points at rest", .flags = DV_INPUT | DV_HIDDEN | DV_NO_SRC)

typedef struct Shape {
  dvObject base;
  SHAPE_FIELDS(DV_MEMBER)
  dvReals sums;   // scratch
  dvInts counts;
} Shape;

#define SELF Shape
static const dvFieldDesc shape_fields[] = {SHAPE_FIELDS(DV_DESCRIBE)};
#undef SELF

static dvStatus shape_link(dvObject *o)
{
  Shape *s = (Shape *)o;
  dvObject *state = s->mstate.target ? s->mstate.target : dv_node_state_up(o->node);
  if (!state)
    return dv_error(o, "put it beside a MechanicalObject, or give mstate=\"@path\"",
                    "%s finds no state with points at rest", o->name);
  dv_engine_follow(o, &s->restPosition, state, "rest_position");
  return DV_OK;
}

// a point of a cluster: at rest, now, and its weight
typedef struct Member {
  dvVec3 rest, now;
  double weight;
} Member;

static Member member(const Shape *s, int32_t i)
{
  size_t n = s->restPosition.count / 3, k = (size_t)i;
  if (k < n) return (Member){at(s->restPosition.data, k), at(s->targetPosition.data, k), 1};
  return (Member){at(s->fixedPosition0.data, k - n), at(s->fixedPosition.data, k - n), s->fixedweight};
}

// centres at rest and now, and the matrix T of the cluster; false when its points at rest have no volume to be affine
// in
static bool match(const Shape *s, size_t cluster, dvVec3 *rest, dvVec3 *now, dvMat3 *t)
{
  dvMat3 a = {0}, q = {0}, rotation = dv_mat3_identity(), inverse;
  double weight = 0;
  *rest = *now = dv_vec3(0, 0, 0);
  for (size_t k = 0; k < dv_lists_length(&s->cluster, cluster); k++) {
    Member m = member(s, dv_lists_at(&s->cluster, cluster)[k]);
    *rest = dv_vec3_add_scaled(*rest, m.rest, m.weight);
    *now = dv_vec3_add_scaled(*now, m.now, m.weight);
    a = dv_mat3_add(a, dv_mat3_scale(dv_mat3_outer(m.now, m.rest), m.weight));
    q = dv_mat3_add(q, dv_mat3_scale(dv_mat3_outer(m.rest, m.rest), m.weight));
    weight += m.weight;
  }
  if (!(weight > 0)) return false;
  *rest = dv_vec3_scale(*rest, 1 / weight);
  a = dv_mat3_sub(a, dv_mat3_outer(*now, *rest));
  q = dv_mat3_sub(q, dv_mat3_scale(dv_mat3_outer(*rest, *rest), weight));
  *now = dv_vec3_scale(*now, 1 / weight);
  if (s->affineRatio != 1 && dv_polar(&a, &rotation, NULL) == 0) dv_polar_stable(&a, &rotation, NULL);
  *t = rotation;
  if (s->affineRatio == 0) return true;
  if (!dv_mat3_inverse(q, &inverse)) return false;
  *t = dv_mat3_scale(dv_mat3_mul(a, inverse), s->affineRatio);
  if (s->affineRatio != 1) *t = dv_mat3_add(*t, dv_mat3_scale(rotation, 1 - s->affineRatio));
  return true;
}

static void shape_iterate(Shape *s)
{
  double *sums = s->sums.data;
  int32_t *counts = s->counts.data;
  size_t n = s->restPosition.count / 3;
  memset(sums, 0, 3 * n * sizeof *sums);
  memset(counts, 0, n * sizeof *counts);
  for (size_t j = 0; j < dv_lists_size(&s->cluster); j++) {
    dvVec3 rest, now;
    dvMat3 t;
    if (!match(s, j, &rest, &now, &t)) continue;
    for (size_t k = 0; k < dv_lists_length(&s->cluster, j); k++) {
      size_t i = (size_t)dv_lists_at(&s->cluster, j)[k];
      if (i >= n) continue;
      dv_vec3_accumulate(sums + 3 * i,
                         dv_vec3_add(now, dv_mat3_mul_vec(t, dv_vec3_sub(at(s->restPosition.data, i), rest))));
      counts[i]++;
    }
  }
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < 3; k++)
      s->targetPosition.data[3 * i + k] = counts[i] ? sums[3 * i + k] / counts[i] : s->position.data[3 * i + k];
}

static dvStatus shape_update(dvObject *o)
{
  Shape *s = (Shape *)o;
  size_t n = dv_reals_size(&s->restPosition);
  if (dv_reals_size(&s->position) != n)
    return dv_field_error(o, &s->position, "link it to the positions of the state",
                          "there are %zu points and %zu at rest", dv_reals_size(&s->position), n);
  if (s->fixedPosition.count != s->fixedPosition0.count)
    return dv_field_error(o, &s->fixedPosition, NULL, "there are %zu fixed points and %zu at rest",
                          dv_reals_size(&s->fixedPosition), dv_reals_size(&s->fixedPosition0));
  for (size_t i = 0; i < s->cluster.items.count; i++)
    if (s->cluster.items.data[i] < 0 || (size_t)s->cluster.items.data[i] >= n + dv_reals_size(&s->fixedPosition))
      return dv_field_error(o, &s->cluster, NULL, "a cluster has the point %d, but there are %zu",
                            s->cluster.items.data[i], n + dv_reals_size(&s->fixedPosition));
  bool good = dv_reals_resize(&s->sums, 3 * n + 1) && dv_ints_resize(&s->counts, n + 1) &&
              dv_reals_assign(&s->targetPosition, s->position.data, s->position.count);
  for (int i = 0; i < s->iterations && good; i++) shape_iterate(s);
  return good ? DV_OK : dv_engine_no_memory(o);
}

static void shape_destroy(dvObject *o)
{
  dv_reals_free(&((Shape *)o)->sums);
  dv_ints_free(&((Shape *)o)->counts);
}

DV_ENGINE_CLASS(dv_shape_matching_class, "ShapeMatching", "where points should be so that clusters keep their shapes",
                DV_ANALYZE_MODULE, DV_DOF_VEC3, Shape, .blocks = {&dv_object_block, DV_BLOCK(shape_fields)},
                .link = shape_link, .update = shape_update, .destroy = shape_destroy);

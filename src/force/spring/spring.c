// Springs between pairs of points: the list, the loop for any two states, and the order of work of the packs.
// The equations stand in spring.h.
#include "force/spring/spring.h"

#include <math.h>
#include <string.h>

enum {
  PACKED_FROM = 32,   // springs; fewer are done sooner one by one
  REDUCE_GRAIN = 1024,
  SPRING_NS = 4,   // about what a spring takes
};

static const double shortest = DV_SPRING_SHORTEST;

dvSpring dv_spring(int32_t a, int32_t b, double ks, double kd, double rest)
{
  return (dvSpring){.a = a, .b = b, .ks = ks, .kd = kd, .rest = rest, .low = shortest, .high = INFINITY};
}

void dv_spring_only_stretch(dvSpring *s) { s->low = fmax(shortest, s->rest); }

void dv_spring_only_push(dvSpring *s)
{
  s->low = 0;
  s->high = s->rest;
}

void dv_spring_switch_off(dvSpring *s) { s->low = INFINITY; }

// --- preparation ---------------------------------------------------------------------------------

static void packs_destroy(dvSpringPacks **packs)
{
  dvSpringPacks *p = *packs;
  if (!p) return;
  dv_blocks_destroy(&p->blocks);
  dv_free(p->constant);
  dv_free(p->moving);
  dv_free(p->slots);
  dv_array_free(&p->patched);
  dv_free(p);
  *packs = NULL;
}

static bool is_limited(const dvSpring *s) { return s->low != shortest || s->high != INFINITY; }

// which numbers the springs of the list need
static void packs_choose(dvSpringPacks *p, const dvSprings *s)
{
  for (size_t i = 0; i < s->list.count; i++) {
    const dvSpring *q = &s->list.data[i];
    p->damped = p->damped || q->kd != 0;
    p->limited = p->limited || is_limited(q);
  }
  p->constants = p->limited ? DV_SPRING_CONSTANTS : p->damped ? DV_SPRING_LOW : DV_SPRING_KD;
}

// a lane that fills up keeps zeros: both of its ends are the dummy, so that it has no length and does not act
static void packs_fill(dvSpringPacks *p, const dvSprings *s, size_t begin, size_t end)
{
  for (size_t lane = DV_LANES * begin; lane < DV_LANES * end; lane++) {
    double *c = p->constant + DV_LANES * p->constants * (lane / DV_LANES) + lane % DV_LANES;
    if (p->blocks->element[lane] < 0) continue;
    const dvSpring *q = &s->list.data[p->blocks->element[lane]];
    const double numbers[DV_SPRING_CONSTANTS] = {q->rest, q->ks, q->kd, q->low, q->high};
    for (size_t k = 0; k < p->constants; k++) c[DV_LANES * k] = numbers[k];
  }
}

// NULL when memory is short: the plain loop then does the work
static dvSpringPacks *packs_create(const dvSprings *s, dvState *state)
{
  int32_t *ends = dv_try_alloc(2 * s->list.count * sizeof *ends);
  if (!ends) return NULL;
  for (size_t i = 0; i < s->list.count; i++) {
    ends[2 * i] = s->list.data[i].a;
    ends[2 * i + 1] = s->list.data[i].b;
  }
  dvElementBlocks *blocks = NULL;
  dvStatus status = dv_blocks_create(ends, 2, s->list.count, state->count, dv_state_read(state, DV_X_REST), 0, &blocks);
  dv_free(ends);
  if (status != DV_OK) return NULL;
  dvSpringPacks *p = dv_alloc(sizeof *p);
  size_t lanes = DV_LANES * blocks->packs;
  p->blocks = blocks;
  packs_choose(p, s);
  p->constant = dv_alloc_aligned(lanes * p->constants * sizeof(double));
  p->moving = dv_alloc_aligned(lanes * DV_SPRING_PACKED * sizeof(double));
  p->slots = dv_alloc_aligned((DV_BLOCK_STRIDE * blocks->slots + 1) * sizeof(double));
  p->room = dv_blocks_room(blocks);
  if (p->constant && p->moving && p->slots) packs_fill(p, s, 0, blocks->packs);
  else packs_destroy(&p);
  return p;
}

static dvStatus check_end(const dvObject *o, size_t spring, int32_t index, const dvState *state)
{
  if (index >= 0 && (size_t)index < state->count) return DV_OK;
  return dv_error(o, NULL, "spring %zu names point %d of %s, which has %zu (0 to %zd)", spring, index, state->base.name,
                  state->count, (ptrdiff_t)state->count - 1);
}

// What is legal and hardly ever meant, each once with the first spring that has it.
static void tell_oddities(const dvSprings *s, const dvObject *o, dvState *first, dvState *second)
{
  const double *x1 = dv_state_read(first, DV_X), *x2 = dv_state_read(second, DV_X);
  size_t c = (size_t)first->base.dof->coord, loops = 0, coincident = 0, at[2] = {0};
  for (size_t i = 0; i < s->list.count; i++) {
    const dvSpring *q = &s->list.data[i];
    bool loop = first == second && q->a == q->b;
    double d2 = 0;
    for (int k = 0; k < dv_spring_dimensions(first->base.dof); k++) {
      double d = x2[(size_t)q->b * c + (size_t)k] - x1[(size_t)q->a * c + (size_t)k];
      d2 += d * d;
    }
    if (loop && loops++ == 0) at[0] = i;
    // between two objects a spring of length 0 holds points together
    if (!loop && (q->rest > shortest || first == second) && d2 <= shortest * shortest && coincident++ == 0) at[1] = i;
  }
  const dvSpring *q = s->list.data;
  if (loops > 0)
    dv_warning(o, "name two different points",
               "%zu springs join a point with itself and never act; the first is number %zu (point %d)", loops, at[0],
               q[at[0]].a);
  if (coincident > 0)
    dv_warning(o, "move the points apart",
               "the ends of %zu springs coincide: they have no direction and do not act until they part; the first is "
               "number %zu (%d %d)",
               coincident, at[1], q[at[1]].a, q[at[1]].b);
}

// new springs must find their numbers in the records
static bool packs_patch(dvSpringPacks *p, const dvSprings *s, const dvBlocksChange *change)
{
  for (size_t i = 0; i < change->element_steps; i++) {
    size_t number = (size_t)change->elements[i].number;
    const dvSpring *q = number < s->list.count ? &s->list.data[number] : NULL;
    if (q && ((q->kd != 0 && !p->damped) || (is_limited(q) && !p->limited))) return false;
  }
  const dvBlocksArray arrays[] = {{&p->constant, p->constants, DV_PER_LANE},
                                  {&p->moving, DV_SPRING_PACKED, DV_PER_LANE},
                                  {&p->slots, 1, DV_PER_SLOT}};
  if (!dv_blocks_follow(p->blocks, change, &p->patched) ||
      !dv_blocks_make_room(p->blocks, &p->room, arrays, DV_COUNT(arrays)))
    return false;
  for (size_t i = 0; i < p->patched.count; i++) {
    size_t pack = (size_t)p->patched.data[i];
    dv_blocks_clear_pack(arrays, DV_COUNT(arrays), pack);
    packs_fill(p, s, pack, pack + 1);
  }
  return true;
}

static bool make_moving(dvSprings *s)
{
  if (s->moving_count >= s->list.count) return true;
  dv_free(s->moving);
  s->moving_count = s->list.count + s->list.count / 2;
  s->moving = dv_try_alloc(s->moving_count * DV_SPRING_MOVING * sizeof(double));
  if (!s->moving) s->moving_count = 0;
  return s->moving;
}

static bool pays_to_pack(const dvSprings *s, const dvState *first, const dvState *second)
{
  return first == second && first->base.dof->kind == DV_VEC3 && s->list.count >= PACKED_FROM;
}

bool dv_springs_patch(dvSprings *s, dvState *state, const dvTrace *trace, const dvTraceStep *steps, size_t count)
{
  dvBlocksChange change = {.elements = steps,
                           .element_steps = count,
                           .points = trace->steps[DV_POINT].data,
                           .point_steps = trace->steps[DV_POINT].count,
                           .connectivity = s->list.count ? &s->list.data->a : NULL,
                           .stride = sizeof(dvSpring),
                           .count = s->list.count,
                           .point_count = state->count};
  s->points[0] = s->points[1] = state->count;
  if (s->packs) return packs_patch(s->packs, s, &change);
  return !pays_to_pack(s, state, state) && make_moving(s);
}

bool dv_springs_patch_bonds(dvSprings *s, dvState *state, dvTopology *mesh, dvBonds *b)
{
  for (size_t i = 0; i < b->changed.count; i++) {
    const int32_t *ends = b->points.data + b->width * (b->changed.data[i] + 1) - 2;
    s->list.data[b->changed.data[i]].a = ends[0];
    s->list.data[b->changed.data[i]].b = ends[1];
  }
  bool good = dv_topology_point_count(mesh) == state->count &&
              dv_springs_patch(s, state, dv_topology_trace(mesh), b->steps.data, b->steps.count);
  dv_bonds_done(b);
  return good;
}

dvStatus dv_springs_settle(dvSprings *s, const dvObject *o, dvState *first, dvState *second)
{
  for (size_t i = 0; i < s->list.count; i++) {
    const dvSpring *q = &s->list.data[i];
    DV_TRY(check_end(o, i, q->a, first));
    DV_TRY(check_end(o, i, q->b, second));
    if (!isfinite(q->ks) || !isfinite(q->kd) || !isfinite(q->rest))
      return dv_error(o, NULL, "spring %zu (%d %d): stiffness %g, damping %g and length %g must be finite numbers", i,
                      q->a, q->b, q->ks, q->kd, q->rest);
  }
  if (!s->told) tell_oddities(s, o, first, second);
  s->told = s->told || s->list.count > 0;
  s->points[0] = first->count;
  s->points[1] = second->count;
  packs_destroy(&s->packs);
  if (pays_to_pack(s, first, second)) s->packs = packs_create(s, first);
  return s->packs || make_moving(s) ? DV_OK : dv_error(o, NULL, "out of memory for %zu springs", s->list.count);
}

void dv_springs_free(dvSprings *s)
{
  packs_destroy(&s->packs);
  dv_array_free(&s->list);
  dv_free(s->moving);
  s->moving = NULL;
  s->moving_count = 0;
}

// A state has changed its size: springs to points that are gone are dropped.
static void follow_sizes(dvSprings *s, dvState *first, dvState *second)
{
  size_t kept = 0;
  for (size_t i = 0; i < s->list.count; i++) {
    const dvSpring *q = &s->list.data[i];
    if ((size_t)q->a < first->count && (size_t)q->b < second->count) s->list.data[kept++] = *q;
  }
  s->list.count = kept;
  if (dv_springs_settle(s, &first->base, first, second) != DV_OK) s->list.count = 0;
}

// --- packs ---------------------------------------------------------------------------------------

typedef struct Job {
  const dvSpringKernels *kernels;
  dvSpringPacks *packs;
  const double *x, *v;
  double k;
  double *f;
} Job;

static void force_blocks(void *user, size_t begin, size_t end)
{
  const Job *j = user;
  for (size_t b = begin; b < end; b++) j->kernels->force(j->packs, b, j->x, j->v);
}

static void dforce_blocks(void *user, size_t begin, size_t end)
{
  const Job *j = user;
  for (size_t b = begin; b < end; b++) j->kernels->dforce(j->packs, b, j->x, j->k);
}

static void reduce_points(void *user, size_t begin, size_t end)
{
  const Job *j = user;
  j->kernels->reduce(j->packs, begin, end, j->f);
}

static void run(dvPool *pool, dvBody body, Job *job)
{
  const dvElementBlocks *blocks = job->packs->blocks;
  job->kernels = DV_KERNEL_CHOOSE(dv_spring_kernels);
  pool = dv_pool_for(pool, SPRING_NS * (double)blocks->elements);
  dv_parallel_for(pool, blocks->count, 1, body, job);
  if (blocks->count == 1) job->kernels->add(job->packs, job->f);
  else if (blocks->count > 1) dv_parallel_for(pool, blocks->points, REDUCE_GRAIN, reduce_points, job);
}

// --- any two states: one by one, in order --------------------------------------------------------

// The dimension is a constant where this is inlined, so its loops unroll.
static inline __attribute__((always_inline)) void force_loop(dvSprings *s, dvState *first, dvState *second,
                                                             const dvMech *m, int n)
{
  const double *x1 = dv_state_read(first, m->x), *x2 = dv_state_read(second, m->x);
  const double *v1 = dv_state_read(first, m->v), *v2 = dv_state_read(second, m->v);
  double *f1 = dv_state_write(first, m->f), *f2 = dv_state_write(second, m->f);
  size_t c = (size_t)first->base.dof->coord, w = (size_t)first->base.dof->deriv;
  for (size_t i = 0; i < s->list.count; i++) {
    const dvSpring *q = &s->list.data[i];
    size_t a = (size_t)q->a, b = (size_t)q->b;
    double unkept[DV_SPRING_MOVING], *moving = m->implicit ? s->moving + DV_SPRING_MOVING * i : unkept;
    double u[6], d2 = 0, speed = 0;
    for (int k = 0; k < n; k++) {
      u[k] = x2[b * c + (size_t)k] - x1[a * c + (size_t)k];
      d2 += u[k] * u[k];
    }
    double d = sqrt(d2);
    moving[0] = moving[1] = 0;
    if (!(d > q->low && d < q->high)) continue;
    double inverse = 1.0 / d;
    for (int k = 0; k < n; k++) {
      moving[2 + k] = u[k] *= inverse;
      speed += u[k] * (v2[b * w + (size_t)k] - v1[a * w + (size_t)k]);
    }
    double tension = q->ks * (d - q->rest) + q->kd * speed;
    moving[1] = tension * inverse;
    moving[0] = q->ks - moving[1];
    for (int k = 0; k < n; k++) {
      f1[a * w + (size_t)k] += tension * u[k];
      f2[b * w + (size_t)k] -= tension * u[k];
    }
  }
}

static inline __attribute__((always_inline)) void dforce_loop(const dvSprings *s, dvState *first, dvState *second,
                                                              const dvMech *m, double factor, int n)
{
  const double *dx1 = dv_state_read(first, m->dx), *dx2 = dv_state_read(second, m->dx);
  double *df1 = dv_state_write(first, m->df), *df2 = dv_state_write(second, m->df);
  size_t w = (size_t)first->base.dof->deriv;
  for (size_t i = 0; i < s->list.count; i++) {
    const double *moving = s->moving + DV_SPRING_MOVING * i, *u = moving + 2;
    size_t a = w * (size_t)s->list.data[i].a, b = w * (size_t)s->list.data[i].b;
    double d[6], along = 0;
    if (moving[0] == 0 && moving[1] == 0) continue;
    for (int k = 0; k < n; k++) {
      d[k] = dx2[b + (size_t)k] - dx1[a + (size_t)k];
      along += u[k] * d[k];
    }
    for (int k = 0; k < n; k++) {
      double df = factor * (moving[0] * along * u[k] + moving[1] * d[k]);
      df1[a + (size_t)k] += df;
      df2[b + (size_t)k] -= df;
    }
  }
}

// --- what components call ------------------------------------------------------------------------

void dv_springs_add_force(dvSprings *s, dvState *first, dvState *second, const dvMech *m)
{
  if (s->points[0] != first->count || s->points[1] != second->count) follow_sizes(s, first, second);
  if (s->packs) {
    const double *x = dv_state_read(first, m->x), *v = s->packs->damped ? dv_state_read(first, m->v) : NULL;
    s->packs->no_tangents = !m->implicit;
    run(first->base.context->pool, force_blocks,
        &(Job){.packs = s->packs, .x = x, .v = v, .f = dv_state_write(first, m->f)});
    return;
  }
  switch (dv_spring_dimensions(first->base.dof)) {
  case 1:
    force_loop(s, first, second, m, 1);
    break;
  case 2:
    force_loop(s, first, second, m, 2);
    break;
  case 3:
    force_loop(s, first, second, m, 3);
    break;
  default:
    force_loop(s, first, second, m, 6);
    break;
  }
}

void dv_springs_add_dforce(const dvSprings *s, dvState *first, dvState *second, const dvMech *m, double k)
{
  if (s->packs) {
    DV_ASSERT(!s->packs->no_tangents);   // the forces were evaluated for an implicit step
    const double *dx = dv_state_read(first, m->dx);
    run(first->base.context->pool, dforce_blocks,
        &(Job){.packs = s->packs, .x = dx, .k = k, .f = dv_state_write(first, m->df)});
    return;
  }
  switch (dv_spring_dimensions(first->base.dof)) {
  case 1:
    dforce_loop(s, first, second, m, k, 1);
    break;
  case 2:
    dforce_loop(s, first, second, m, k, 2);
    break;
  case 3:
    dforce_loop(s, first, second, m, k, 3);
    break;
  default:
    dforce_loop(s, first, second, m, k, 6);
    break;
  }
}

// normal and tangential part and direction of one spring
static void read_moving(const dvSprings *s, size_t i, int n, double out[DV_SPRING_MOVING])
{
  if (!s->packs) {
    memcpy(out, s->moving + DV_SPRING_MOVING * i, DV_SPRING_MOVING * sizeof *out);
    return;
  }
  size_t lane = (size_t)s->packs->blocks->lane[i];
  const double *p = s->packs->moving + DV_LANES * DV_SPRING_PACKED * (lane / DV_LANES) + lane % DV_LANES;
  for (int k = 0; k < n; k++) out[2 + k] = p[DV_LANES * (DV_SPRING_U + k)];
  out[1] = p[DV_LANES * DV_SPRING_TANGENT];
  out[0] = s->list.data[i].ks - out[1];   // does not count where the direction is zero
}

void dv_springs_add_stiffness(const dvSprings *s, const dvState *first, const dvState *second, double k,
                              dvMatrixSink *sink)
{
  int n = dv_spring_dimensions(first->base.dof), w = first->base.dof->deriv;
  for (size_t i = 0; i < s->list.count; i++) {
    double moving[DV_SPRING_MOVING], *u = moving + 2, plus[36] = {0}, minus[36] = {0};
    size_t a = (size_t)s->list.data[i].a, b = (size_t)s->list.data[i].b;
    read_moving(s, i, n, moving);
    for (int r = 0; r < n; r++)
      for (int c = 0; c < n; c++) {
        plus[r * w + c] = k * (moving[0] * u[r] * u[c] + (r == c ? moving[1] : 0));
        minus[r * w + c] = -plus[r * w + c];
      }
    sink->add(sink, first, a, first, a, w, w, minus);
    sink->add(sink, first, a, second, b, w, w, plus);
    sink->add(sink, second, b, first, a, w, w, plus);
    sink->add(sink, second, b, second, b, w, w, minus);
  }
}

double dv_springs_energy(const dvSprings *s, dvState *first, dvState *second, int x)
{
  const double *x1 = dv_state_read(first, x), *x2 = dv_state_read(second, x);
  size_t c = (size_t)first->base.dof->coord;
  int n = dv_spring_dimensions(first->base.dof);
  double sum = 0;
  for (size_t i = 0; i < s->list.count; i++) {
    const dvSpring *q = &s->list.data[i];
    double d2 = 0;
    for (int k = 0; k < n; k++) {
      double e = x2[(size_t)q->b * c + (size_t)k] - x1[(size_t)q->a * c + (size_t)k];
      d2 += e * e;
    }
    double d = sqrt(d2);
    if (d > q->low && d < q->high) sum += 0.5 * q->ks * (d - q->rest) * (d - q->rest);
  }
  return sum;
}

void dv_springs_pairs(const dvSprings *s, dvInts *out)
{
  if (!dv_ints_resize(out, 2 * s->list.count)) return;
  for (size_t i = 0; i < s->list.count; i++) {
    out->data[2 * i] = s->list.data[i].a;
    out->data[2 * i + 1] = s->list.data[i].b;
  }
}

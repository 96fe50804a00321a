// What diagonal masses have in common. See diagonal.h.
#include "mass/diagonal.h"

#include "math/kernels.h"
#include "math/vec.h"
#include "object/compat.h"

#include <math.h>
#include <string.h>

enum { GRAIN = 2048, POINT_NS = 3 };   // points a chunk; about what a point takes

int dv_diagonal_numbers(const dvDof *dof) { return dof->kind == DV_RIGID3 ? 11 : dof->kind == DV_RIGID2 ? 3 : 1; }

void dv_diagonal_free(dvDiagonal *d)
{
  dv_ints_free(&d->points);
  dv_reals_free(&d->mass);
  dv_reals_free(&d->inertia);
  dv_reals_free(&d->inverse);
  dv_reals_free(&d->turned);
  dv_reals_free(&d->turned_inverse);
}

static bool is_frame(const dvDof *dof) { return dof->kind == DV_RIGID3 || dof->kind == DV_RIGID2; }

static bool set_inertia(dvDiagonal *d, size_t i, int size, const double *unit, double mass)
{
  double *inertia = d->inertia.data + i * (size_t)size, *inverse = d->inverse.data + i * (size_t)size;
  for (int k = 0; k < size; k++) inertia[k] = unit[k] * mass;
  if (size == 1) {
    *inverse = *inertia != 0 ? 1 / *inertia : 0;
    return *inertia != 0;
  }
  dvMat3 result = {0};
  bool good = dv_mat3_inverse(dv_mat3_load(inertia), &result);
  dv_mat3_store(inverse, result);
  return good;
}

bool dv_diagonal_set(dvDiagonal *d, const dvDof *dof, const double *numbers, size_t count, long *singular)
{
  int group = dv_diagonal_numbers(dof), size = group - 2;
  *singular = -1;
  if (!dv_reals_resize(&d->mass, count)) return false;
  if (is_frame(dof) &&
      (!dv_reals_resize(&d->inertia, count * (size_t)size) || !dv_reals_resize(&d->inverse, count * (size_t)size)))
    return false;
  for (size_t i = 0; i < count; i++, numbers += group) {
    d->mass.data[i] = numbers[0];
    if (is_frame(dof) && !set_inertia(d, i, size, numbers + 2, numbers[0]) && *singular < 0) *singular = (long)i;
  }
  return true;
}

// positive when all leading minors are
static bool is_inertia(const double *j, int size)
{
  if (size == 1) return *j > 0;
  dvMat3 a = dv_mat3_load(j);
  double scale = fabs(a.m[0][0]) + fabs(a.m[1][1]) + fabs(a.m[2][2]);
  for (int i = 0; i < 3; i++)
    if (fabs(a.m[i][(i + 1) % 3] - a.m[(i + 1) % 3][i]) > 1e-9 * scale) return false;
  return a.m[0][0] > 0 && a.m[0][0] * a.m[1][1] - a.m[0][1] * a.m[1][0] > 0 && dv_mat3_det(a) > 0;
}

void dv_diagonal_check_inertia(const dvDiagonal *d)
{
  const dvObject *o = &d->base.base;
  int size = dv_diagonal_numbers(d->base.state->base.dof) - 2;
  for (size_t i = 0; size > 0 && i * (size_t)size < d->inertia.count; i++) {
    if (d->mass.data[i] <= 0 || is_inertia(d->inertia.data + i * (size_t)size, size)) continue;
    dv_warning(o, "give a symmetric matrix with positive moments",
               "the inertia of frame %zu is not symmetric and positive: no body has it", i);
    return;
  }
}

// --- frames that turn their inertia --------------------------------------------------------------

static size_t point_of(const dvDiagonal *d, size_t i) { return d->points.count ? (size_t)d->points.data[i] : i; }

// the same moment about all axes
static bool is_round(const double *j)
{
  for (int k = 0; k < 9; k++)
    if (j[k] != (k % 4 ? 0 : j[0])) return false;
  return true;
}

void dv_diagonal_choose_gyroscopic(dvDiagonal *d, bool *field)
{
  bool turns = false;
  for (size_t i = 0; d->base.state->base.dof->kind == DV_RIGID3 && i + 9 <= d->inertia.count; i += 9)
    turns = turns || !is_round(d->inertia.data + i);
  if (turns) dv_compat_field(&d->base.base, field, DV_COMPAT_GYROSCOPIC);
  d->gyroscopic = turns && *field;
}

static bool is_gyroscopic(const dvDiagonal *d) { return d->gyroscopic && d->base.state->base.dof->kind == DV_RIGID3; }

// R J R^T and R J^-1 R^T of every frame at position x
static void turn_inertia(dvDiagonal *d, int x_id)
{
  const double *x = dv_state_read(d->base.state, x_id);
  if (!dv_reals_resize(&d->turned, 9 * d->count) || !dv_reals_resize(&d->turned_inverse, 9 * d->count)) {
    d->gyroscopic = false;   // memory is short
    return;
  }
  for (size_t i = 0; i < d->count; i++) {
    size_t at = d->uniform ? 0 : i;
    dvMat3 r = dv_quat_to_matrix(dv_quat_load(x + 7 * point_of(d, i) + 3));
    dv_mat3_store(d->turned.data + 9 * i, dv_mat3_mul_t(dv_mat3_mul(r, dv_mat3_load(d->inertia.data + 9 * at)), r));
    dv_mat3_store(d->turned_inverse.data + 9 * i,
                  dv_mat3_mul_t(dv_mat3_mul(r, dv_mat3_load(d->inverse.data + 9 * at)), r));
  }
}

// f -= w x (J w)
static void add_gyroscopic_torque(dvDiagonal *d, const dvMech *m)
{
  const double *v = dv_state_read(d->base.state, m->v);
  double *f = dv_state_write(d->base.state, m->f);
  for (size_t i = 0; i < d->count; i++) {
    size_t at = 6 * point_of(d, i) + 3;
    dvVec3 w = dv_vec3_load(v + at), momentum = dv_mat3_mul_vec(dv_mat3_load(d->turned.data + 9 * i), w);
    dv_vec3_accumulate(f + at, dv_vec3_cross(momentum, w));
  }
}

// nine numbers of frame i, in world axes
static const double *inertia_of(const dvDiagonal *d, size_t i)
{
  return is_gyroscopic(d) ? d->turned.data + 9 * i : d->inertia.data + 9 * (d->uniform ? 0 : i);
}

static const double *inverse_of(const dvDiagonal *d, size_t i)
{
  return is_gyroscopic(d) ? d->turned_inverse.data + 9 * i : d->inverse.data + 9 * (d->uniform ? 0 : i);
}

// --- following changes ---------------------------------------------------------------------------

static void note_what_was_seen(dvDiagonal *d)
{
  d->seen = d->base.state->count;
  if (d->field) d->field_seen = d->field->counter;
}

void dv_diagonal_watch(dvDiagonal *d, void (*set_up)(dvObject *o), const dvField *field)
{
  d->set_up = set_up;
  d->field = field;
  note_what_was_seen(d);
}

void dv_diagonal_topology_changed(dvObject *o)
{
  dvDiagonal *d = (dvDiagonal *)o;
  if (!d->set_up) return;
  d->set_up(o);
  note_what_was_seen(d);
}

void dv_diagonal_refresh(dvDiagonal *d)
{
  bool changed = d->seen != d->base.state->count || (d->field && d->field->counter != d->field_seen);
  if (changed && d->set_up) {
    d->set_up(&d->base.base);
    note_what_was_seen(d);
  }
  if (is_gyroscopic(d) && d->turned.count != 9 * d->count) turn_inertia(d, DV_X);
}

// --- loops over the points -----------------------------------------------------------------------

// What a body needs to treat the points of a range; `in` may be NULL.
typedef struct Task {
  const dvDiagonal *d;
  const dvDof *dof;
  const dvDiagonalKernels *kernels;   // set for points in space without gaps
  const double *in;
  double *out;
  double factor;
  double g[6];   // what every point feels
} Task;

static double mass_of(const dvDiagonal *d, size_t i) { return d->mass.data[d->uniform ? 0 : i]; }

static void prepare(Task *t, dvObject *o)
{
  t->d = (const dvDiagonal *)o;
  t->dof = t->d->base.state->base.dof;
  bool plain = t->dof->kind == DV_VEC3 && !t->d->uniform && t->d->points.count == 0;
  t->kernels = plain ? DV_KERNEL_CHOOSE(dv_diagonal_kernels) : NULL;
}

static void run(dvObject *o, Task *t, dvBody body)
{
  size_t n = t->d->count;
  dv_parallel_for(dv_pool_for(o->context->pool, POINT_NS * (double)n), n, GRAIN, body, t);
}

// out += factor M in, for the frame or point that stands at `at`
static void add_product(const Task *t, size_t i, const double *in, double *out)
{
  double m = t->factor * mass_of(t->d, i);
  if (!is_frame(t->dof)) {
    for (int k = 0; k < t->dof->deriv; k++) out[k] += m * in[k];
    return;
  }
  int space = t->dof->space;
  for (int k = 0; k < space; k++) out[k] += m * in[k];
  if (space == 2) {
    out[2] += t->factor * t->d->inertia.data[t->d->uniform ? 0 : i] * in[2];
  } else {
    dvVec3 turn = dv_mat3_mul_vec(dv_mat3_load(inertia_of(t->d, i)), dv_vec3_load(in + 3));
    dv_vec3_accumulate(out + 3, dv_vec3_scale(turn, t->factor));
  }
}

static void run_product(void *user, size_t begin, size_t end)
{
  const Task *t = user;
  if (t->kernels) {
    t->kernels->add(t->factor, t->d->mass.data + begin, t->in + 3 * begin, t->out + 3 * begin, end - begin);
    return;
  }
  size_t width = (size_t)t->dof->deriv;
  for (size_t i = begin; i < end; i++) {
    size_t at = point_of(t->d, i) * width;
    add_product(t, i, t->in + at, t->out + at);
  }
}

void dv_diagonal_add_mdx(dvObject *o, const dvMech *m, double factor)
{
  dvDiagonal *d = (dvDiagonal *)o;
  dv_diagonal_refresh(d);
  if (d->absent) return;
  dvState *s = d->base.state;
  Task t = {.factor = factor, .in = dv_state_read(s, m->dx), .out = dv_state_write(s, m->df)};
  prepare(&t, o);
  if (d->uniform && d->points.count == 0 && !is_frame(t.dof) && d->count > 0)
    dv_axpy(o->context->pool, factor * d->mass.data[0], t.in, t.out, d->count * (size_t)t.dof->deriv);
  else run(o, &t, run_product);
}

static void divide_frame(const Task *t, size_t i, const double *in, double *out)
{
  int space = t->dof->space;
  double m = mass_of(t->d, i);
  for (int k = 0; k < space; k++) out[k] = m != 0 ? in[k] / m : 0;
  if (space == 2) out[2] = t->d->inverse.data[t->d->uniform ? 0 : i] * in[2];
  else dv_vec3_store(out + 3, dv_mat3_mul_vec(dv_mat3_load(inverse_of(t->d, i)), dv_vec3_load(in + 3)));
}

static void run_divide(void *user, size_t begin, size_t end)
{
  const Task *t = user;
  if (t->kernels) {
    t->kernels->divide(t->d->mass.data + begin, t->in + 3 * begin, t->out + 3 * begin, end - begin);
    return;
  }
  size_t width = (size_t)t->dof->deriv;
  for (size_t i = begin; i < end; i++) {
    size_t at = point_of(t->d, i) * width;
    if (is_frame(t->dof)) {
      divide_frame(t, i, t->in + at, t->out + at);
      continue;
    }
    double m = mass_of(t->d, i);
    for (size_t k = at; k < at + width; k++) t->out[k] = m != 0 ? t->in[k] / m : 0;
  }
}

void dv_diagonal_acc_from_f(dvObject *o, int a, int f)
{
  dvDiagonal *d = (dvDiagonal *)o;
  dv_diagonal_refresh(d);
  if (d->absent) return;
  Task t = {.in = dv_state_read(d->base.state, f), .out = dv_state_write(d->base.state, a)};
  prepare(&t, o);
  run(o, &t, run_divide);
}

// gravity as far as the DOF type has directions for it
static void take_gravity(Task *t, const double gravity[3], double scale)
{
  for (int k = 0; k < t->dof->space && k < 3; k++) t->g[k] = gravity[k] * scale;
}

static void run_weight(void *user, size_t begin, size_t end)
{
  const Task *t = user;
  if (t->kernels) {
    t->kernels->add_same(t->d->mass.data + begin, t->g, t->out + 3 * begin, end - begin);
    return;
  }
  size_t width = (size_t)t->dof->deriv, space = (size_t)t->dof->space;
  for (size_t i = begin; i < end; i++) {
    double *out = t->out + point_of(t->d, i) * width, m = mass_of(t->d, i);
    for (size_t k = 0; k < space; k++) out[k] += t->g[k] * m;
  }
}

void dv_diagonal_add_gravity(dvObject *o, const dvMech *m)
{
  dvDiagonal *d = (dvDiagonal *)o;
  if (is_gyroscopic(d)) {
    dv_diagonal_refresh(d);
    turn_inertia(d, m->x);
    if (!d->absent) add_gyroscopic_torque(d, m);
  }
  if (d->base.separateGravity) return;
  dv_diagonal_refresh(d);
  Task t = {.out = dv_state_write(d->base.state, m->f)};
  prepare(&t, o);
  take_gravity(&t, m->gravity, 1);
  run(o, &t, run_weight);
}

// all degrees of freedom, whether they have a mass or not
void dv_diagonal_add_gravity_to_v(dvObject *o, const dvMech *m)
{
  dvDiagonal *d = (dvDiagonal *)o;
  if (!d->base.separateGravity) return;
  dvState *s = d->base.state;
  Task t = {.dof = s->base.dof, .out = dv_state_write(s, m->v)};
  take_gravity(&t, m->gravity, m->dt);
  size_t width = (size_t)t.dof->deriv, space = (size_t)t.dof->space;
  for (size_t i = 0; i < s->count; i++)
    for (size_t k = 0; k < space; k++) t.out[i * width + k] += t.g[k];
}

// --- matrix and energies -------------------------------------------------------------------------

void dv_diagonal_add_matrix(dvObject *o, double factor, dvMatrixSink *sink)
{
  dvDiagonal *d = (dvDiagonal *)o;
  dv_diagonal_refresh(d);
  if (d->absent) return;
  dvState *s = d->base.state;
  int n = s->base.dof->deriv, linear = is_frame(s->base.dof) ? s->base.dof->space : n, turn = n - linear;
  double block[36] = {0};   // at most those of a frame in space; the same ones are set for every point
  for (size_t i = 0; i < d->count; i++) {
    for (int k = 0; k < linear; k++) block[k * n + k] = factor * mass_of(d, i);
    const double *inertia = turn == 3 ? inertia_of(d, i) : turn ? &d->inertia.data[d->uniform ? 0 : i] : NULL;
    for (int k = 0; k < turn * turn; k++) block[(linear + k / turn) * n + linear + k % turn] = factor * inertia[k];
    sink->add(sink, s, point_of(d, i), s, point_of(d, i), n, n, block);
  }
}

double dv_diagonal_kinetic(dvObject *o, int v)
{
  dvDiagonal *d = (dvDiagonal *)o;
  dv_diagonal_refresh(d);
  if (d->absent) return 0;
  if (is_gyroscopic(d)) turn_inertia(d, DV_X);
  Task t = {.factor = 1, .in = dv_state_read(d->base.state, v)};
  prepare(&t, o);
  size_t width = (size_t)t.dof->deriv;
  double sum = 0;
  for (size_t i = 0; i < d->count; i++) {
    const double *velocity = t.in + point_of(d, i) * width;
    double momentum[DV_MAX_COORD] = {0};
    add_product(&t, i, velocity, momentum);
    for (size_t k = 0; k < width; k++) sum += velocity[k] * momentum[k];
  }
  return 0.5 * sum;
}

double dv_diagonal_potential(dvObject *o, const dvMech *m)
{
  dvDiagonal *d = (dvDiagonal *)o;
  dv_diagonal_refresh(d);
  dvState *s = d->base.state;
  const double *x = dv_state_read(s, m->x);
  double sum = 0;
  for (size_t i = 0; i < d->count; i++) {
    const double *point = x + point_of(d, i) * (size_t)s->base.dof->coord;
    for (int k = 0; k < s->base.dof->space; k++) sum -= mass_of(d, i) * m->gravity[k] * point[k];
  }
  return sum;
}

double dv_diagonal_of_element(dvObject *o, size_t index)
{
  dvDiagonal *d = (dvDiagonal *)o;
  dv_diagonal_refresh(d);
  if (d->count == 0) return 0;
  if (d->uniform) return d->mass.data[0];
  return index < d->count ? d->mass.data[index] : 0;
}

const dvMassOps dv_diagonal_ops = {
    .add_mdx = dv_diagonal_add_mdx,
    .add_gravity = dv_diagonal_add_gravity,
    .add_gravity_to_v = dv_diagonal_add_gravity_to_v,
    .acc_from_f = dv_diagonal_acc_from_f,
    .add_matrix = dv_diagonal_add_matrix,
    .kinetic = dv_diagonal_kinetic,
    .potential = dv_diagonal_potential,
    .of_element = dv_diagonal_of_element,
    .rayleigh_mass = dv_mass_rayleigh,
};

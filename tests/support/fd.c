// See fd.h. States are laid out one after the other in one long vector of derivatives ("space"); a column of a matrix is
// what one unit entry of that vector gives.
#include "support/fd.h"

#include "app/divan.h"
#include "io/scene_file.h"
#include "linear/assembly.h"
#include "state/rows.h"
#include "support/check.h"

#include "math/vec.h"

#include <float.h>
#include <string.h>

enum { FD_STATES = 16 };

fdOptions fd_options(void)
{
  return (fdOptions){.checks = FD_DEFAULT, .move_x = 0.1, .step = 1e-5, .tolerance = 1e-6, .energy_tolerance = 1e-6, .samples = 3, .seed = 1};
}

// --- scenes ------------------------------------------------------------------------------------------

fdScene fd_open_in(dvContext *context, const char *text)
{
  fdScene s = {.context = context};
  dvStatus status = dv_scene_parse(context, "test", text, strlen(text), &s.scene);
  if (status == DV_OK) status = dv_scene_init(s.scene);
  if (status != DV_OK) {
    print_error("the scene does not load (%d):\n%s\n", (int)status, text);
    fd_close(&s);
    fail();
  }
  return s;
}

fdScene fd_open(const char *text) { return fd_open_in(dv_divan_create(1), text); }

void fd_close(fdScene *s)
{
  if (s->scene) dv_scene_destroy(&s->scene);
  if (s->context) dv_divan_destroy(&s->context);
}

bool fd_fails(const char *text)
{
  fdScene s = {.context = dv_divan_create(1)};
  s.context->log.sink = NULL;
  dvStatus status = dv_scene_parse(s.context, "test", text, strlen(text), &s.scene);
  if (status == DV_OK) status = dv_scene_init(s.scene);
  fd_close(&s);
  return status != DV_OK;
}

static void find_named(const dvNode *node, const char *name, dvObject **found, int *count)
{
  dvObject *o = dv_node_object(node, name);
  if (o && o != *found) {
    *found = o;
    (*count)++;
  }
  for (size_t i = 0; i < node->children.count; i++) find_named(node->children.data[i], name, found, count);
}

dvObject *fd_find(const fdScene *s, const char *path)
{
  dvObject *o = strchr(path, '/') ? dv_link_find(&s->scene->root->base, path, DV_ROLE_ANY) : NULL;
  int count = o ? 1 : 0;
  if (!o) find_named(s->scene->root, path, &o, &count);
  if (count != 1) {
    print_error("%d components are called %s\n", count, path);
    fail();
  }
  return o;
}

// --- random numbers: splitmix64 ------------------------------------------------------------------------

static double random_in(uint64_t *state, double size)
{
  uint64_t z = (*state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  z ^= z >> 31;
  return size * (2.0 * (double)(z >> 11) / 9007199254740992.0 - 1.0);
}

static void fill_random(uint64_t *state, double *v, size_t n)
{
  for (size_t i = 0; i < n; i++) v[i] = random_in(state, 1);
}

// --- several states as one vector of derivatives ----------------------------------------------------------

typedef struct Space {
  int count;
  dvState *states[FD_STATES];
  size_t offset[FD_STATES + 1];      // first scalar of each state
  double *x[FD_STATES], *v[FD_STATES];   // kept positions and velocities
  double *start_x[FD_STATES], *start_v[FD_STATES];   // to go back to
} Space;

static double *keep(dvState *s, int id)
{
  size_t n = dv_state_scalars(s, id);
  double *copy = dv_alloc((n + 1) * sizeof *copy);
  memcpy(copy, dv_state_read(s, id), n * sizeof *copy);
  return copy;
}

static void space_init(Space *p, dvObject **states, int count)
{
  memset(p, 0, sizeof *p);
  p->count = count;
  for (int i = 0; i < count; i++) {
    p->states[i] = dv_state(states[i]);
    p->offset[i + 1] = p->offset[i] + dv_state_scalars(p->states[i], DV_V);
    p->x[i] = keep(p->states[i], DV_X);
    p->v[i] = keep(p->states[i], DV_V);
    p->start_x[i] = keep(p->states[i], DV_X);
    p->start_v[i] = keep(p->states[i], DV_V);
  }
}

static size_t space_size(const Space *p) { return p->offset[p->count]; }

static void space_restore(Space *p)
{
  for (int i = 0; i < p->count; i++) {
    dvState *s = p->states[i];
    memcpy(dv_state_write(s, DV_X), p->x[i], dv_state_scalars(s, DV_X) * sizeof(double));
    memcpy(dv_state_write(s, DV_V), p->v[i], dv_state_scalars(s, DV_V) * sizeof(double));
    dv_state_touch(s, DV_X);
    dv_state_touch(s, DV_V);
  }
}

// new kept positions and velocities: the first ones with random changes
static void space_shake(Space *p, const fdOptions *o, uint64_t *random)
{
  for (int i = 0; i < p->count; i++) {
    dvState *s = p->states[i];
    size_t n = dv_state_scalars(s, DV_V);
    double *d = dv_alloc((n + 1) * sizeof *d);
    fill_random(random, d, n);
    dv_dof_integrate(s->base.dof, s->count, p->x[i], p->start_x[i], d, o->move_x);
    for (size_t k = 0; k < n; k++) p->v[i][k] = p->start_v[i][k] + random_in(random, o->move_v);
    dv_free(d);
  }
  space_restore(p);
}

static void space_fini(Space *p)
{
  for (int i = 0; i < p->count; i++) {
    memcpy(p->x[i], p->start_x[i], dv_state_scalars(p->states[i], DV_X) * sizeof(double));
    memcpy(p->v[i], p->start_v[i], dv_state_scalars(p->states[i], DV_V) * sizeof(double));
  }
  space_restore(p);
  for (int i = 0; i < p->count; i++) {
    dv_free(p->x[i]);
    dv_free(p->v[i]);
    dv_free(p->start_x[i]);
    dv_free(p->start_v[i]);
  }
}

static int space_find(const Space *p, size_t scalar)
{
  int i = 0;
  while (scalar >= p->offset[i + 1]) i++;
  return i;
}

static void space_fill(const Space *p, int id, double value)
{
  for (int i = 0; i < p->count; i++) {
    double *d = dv_state_write(p->states[i], id);
    for (size_t k = 0; k < dv_state_scalars(p->states[i], id); k++) d[k] = value;
  }
}

static void space_get(const Space *p, int id, double *out)
{
  for (int i = 0; i < p->count; i++)
    memcpy(out + p->offset[i], dv_state_read(p->states[i], id), dv_state_scalars(p->states[i], id) * sizeof(double));
}

static void space_set(const Space *p, int id, const double *values)
{
  for (int i = 0; i < p->count; i++)
    memcpy(dv_state_write(p->states[i], id), values + p->offset[i], dv_state_scalars(p->states[i], id) * sizeof(double));
}

static void space_set_unit(const Space *p, int id, size_t scalar)
{
  space_fill(p, id, 0);
  int i = space_find(p, scalar);
  dv_state_write(p->states[i], id)[scalar - p->offset[i]] = 1;
}

// moves one position by h along one derivative
static void space_move_x(const Space *p, size_t scalar, double h)
{
  int i = space_find(p, scalar);
  dvState *s = p->states[i];
  size_t w = (size_t)s->base.dof->deriv, c = (size_t)s->base.dof->coord, dof = (scalar - p->offset[i]) / w;
  double unit[DV_MAX_COORD] = {0};
  unit[(scalar - p->offset[i]) % w] = 1;
  dv_dof_integrate(s->base.dof, 1, dv_state_write(s, DV_X) + dof * c, p->x[i] + dof * c, unit, h);
  dv_state_touch(s, DV_X);
}

static void space_move_v(const Space *p, size_t scalar, double h)
{
  int i = space_find(p, scalar);
  size_t k = scalar - p->offset[i];
  dv_state_write(p->states[i], DV_V)[k] = p->v[i][k] + h;
  dv_state_touch(p->states[i], DV_V);
}

// --- comparison ---------------------------------------------------------------------------------------

static double *matrix(size_t rows, size_t cols) { return dv_alloc((rows * cols + 1) * sizeof(double)); }

static void name_scalar(const Space *p, size_t scalar, char *out, size_t room)
{
  if (!p) {
    snprintf(out, room, "%zu", scalar);
    return;
  }
  int i = space_find(p, scalar);
  size_t w = (size_t)p->states[i]->base.dof->deriv, k = scalar - p->offset[i];
  snprintf(out, room, "%s[%zu].%zu", p->states[i]->base.name, k / w, k % w);
}

typedef struct Compared {
  const char *what, *a_name, *b_name;
  const double *a, *b;        // rows x cols
  const Space *rows, *cols;   // cols NULL: one column
  double tolerance;
} Compared;

static bool compare(const dvObject *o, const fdOptions *options, const Compared *c)
{
  size_t rows = space_size(c->rows), cols = c->cols ? space_size(c->cols) : 1, worst = 0;
  double scale = DBL_MIN, error = -1;
  for (size_t i = 0; i < rows * cols; i++) {
    double e = fabs(c->a[i] - c->b[i]);
    scale = fmax(scale, fmax(fabs(c->a[i]), fabs(c->b[i])));
    if (e > error || !(e == e)) {
      error = e == e ? e : INFINITY;
      worst = i;
    }
  }
  if (error <= c->tolerance * scale) return true;
  if (options->quiet) return false;
  char row[96], col[96];
  name_scalar(c->rows, worst / cols, row, sizeof row);
  print_error("%s (%s), %s: at %s", o->name, o->cls->name, c->what, row);
  if (c->cols) {
    name_scalar(c->cols, worst % cols, col, sizeof col);
    print_error(", %s", col);
  }
  print_error(" %s gives %.12g and %s %.12g: they differ by %.3g, %.3g of the largest entry, allowed %.3g\n", c->a_name, c->a[worst],
              c->b_name, c->b[worst], error, error / scale, c->tolerance);
  return false;
}

// --- a dense sink -----------------------------------------------------------------------------------

typedef struct DenseSink {
  dvMatrixSink sink;
  const Space *rows, *cols;
  double *values;
  bool bad;       // a block lies outside
} DenseSink;

static bool place_block(const Space *p, const dvState *state, size_t index, int width, size_t *first)
{
  for (int i = 0; i < p->count; i++) {
    if (p->states[i] != state) continue;
    *first = p->offset[i] + index * (size_t)state->base.dof->deriv;
    return index < state->count && width == state->base.dof->deriv;
  }
  return false;
}

static void dense_add(dvMatrixSink *sink, const dvState *row_state, size_t row, const dvState *col_state, size_t col, int rows, int cols,
                      const double *values)
{
  DenseSink *d = (DenseSink *)sink;
  size_t r, c, n = space_size(d->cols);
  if (!place_block(d->rows, row_state, row, rows, &r) || !place_block(d->cols, col_state, col, cols, &c)) {
    if (!d->bad)
      print_error("a %d x %d block at %s[%zu], %s[%zu] does not fit the states\n", rows, cols, row_state->base.name, row,
                  col_state->base.name, col);
    d->bad = true;
    return;
  }
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < cols; j++) d->values[(r + (size_t)i) * n + c + (size_t)j] += values[i * cols + j];
}

static DenseSink dense_sink(const Space *rows, const Space *cols)
{
  return (DenseSink){.sink = {.add = dense_add}, .rows = rows, .cols = cols, .values = matrix(space_size(rows), space_size(cols))};
}

// --- forces -----------------------------------------------------------------------------------------

static dvMech mech_of(const dvObject *o)
{
  dvMech m = {.x = DV_X, .v = DV_V, .f = DV_F, .dx = DV_DX, .df = DV_DF, .k = 1, .dt = o->node->dt, .time = o->node->time};
  memcpy(m.gravity, o->node->gravity, sizeof m.gravity);
  return m;
}

static void force_at(dvObject *o, const Space *p, double *f)
{
  dvMech m = mech_of(o);
  space_fill(p, DV_F, 0);
  ((const dvForceOps *)dv_ops(o, DV_ROLE_FORCE))->add_force(o, &m);
  if (f) space_get(p, DV_F, f);
}

const double *fd_force_on(dvObject *force, dvObject *state)
{
  dvObject *states[FD_STATES];
  Space p = {.count = dv_force_states(force, states)};
  for (int i = 0; i < p.count; i++) p.states[i] = dv_state(states[i]);
  force_at(force, &p, NULL);
  return dv_state_read(dv_state(state), DV_F);
}

double fd_energy_of(dvObject *force)
{
  dvMech m = mech_of(force);
  return ((const dvForceOps *)dv_ops(force, DV_ROLE_FORCE))->energy(force, &m);
}

static double energy_at(dvObject *o, const Space *p)
{
  dvMech m = mech_of(o);
  force_at(o, p, NULL);
  return ((const dvForceOps *)dv_ops(o, DV_ROLE_FORCE))->energy(o, &m);
}

// df/dx or df/dv by central differences; column by column
static void difference_forces(dvObject *o, Space *p, double h, bool velocity, double *k)
{
  size_t n = space_size(p);
  double *plus = matrix(n, 1), *minus = matrix(n, 1);
  for (size_t j = 0; j < n; j++) {
    for (int side = 0; side < 2; side++) {
      if (velocity) space_move_v(p, j, side ? -h : h);
      else space_move_x(p, j, side ? -h : h);
      force_at(o, p, side ? minus : plus);
      space_restore(p);
    }
    for (size_t i = 0; i < n; i++) k[i * n + j] = (plus[i] - minus[i]) / (2 * h);
  }
  force_at(o, p, NULL);
  dv_free(plus);
  dv_free(minus);
}

static void dforce_matrix(dvObject *o, const Space *p, double k, double b, double *out)
{
  const dvForceOps *ops = dv_ops(o, DV_ROLE_FORCE);
  size_t n = space_size(p);
  double *column = matrix(n, 1);
  dvMech m = mech_of(o);
  m.k = k;
  m.b = b;
  for (size_t j = 0; j < n && ops->add_dforce; j++) {
    space_set_unit(p, DV_DX, j);
    space_fill(p, DV_DF, 1);   // it must add
    ops->add_dforce(o, &m);
    space_get(p, DV_DF, column);
    for (size_t i = 0; i < n; i++) out[i * n + j] = column[i] - 1;
  }
  dv_free(column);
}

double *fd_dense_stiffness(dvObject *force, double k, double b, size_t *n)
{
  dvObject *states[FD_STATES];
  Space p;
  space_init(&p, states, dv_force_states(force, states));
  force_at(force, &p, NULL);
  *n = space_size(&p);
  double *out = matrix(*n, *n);
  dforce_matrix(force, &p, k, b, out);
  space_fini(&p);
  return out;
}

static bool check_energy(dvObject *o, Space *p, const fdOptions *options)
{
  size_t n = space_size(p);
  double *f = matrix(n, 1), *slope = matrix(n, 1);
  for (size_t j = 0; j < n; j++) {
    space_move_x(p, j, options->step);
    double plus = energy_at(o, p);
    space_restore(p);
    space_move_x(p, j, -options->step);
    double minus = energy_at(o, p);
    space_restore(p);
    slope[j] = (minus - plus) / (2 * options->step);
  }
  space_fill(p, DV_V, 0);   // without what dissipates
  force_at(o, p, f);
  space_restore(p);
  force_at(o, p, NULL);
  bool good = compare(o, options, &(Compared){"force against energy", "add_force", "-dE/dx", f, slope, p, NULL, options->energy_tolerance});
  dv_free(f);
  dv_free(slope);
  return good;
}

static bool check_derivative(dvObject *o, Space *p, const fdOptions *options, bool velocity)
{
  size_t n = space_size(p);
  double *k = matrix(n, n), *fd = matrix(n, n);
  difference_forces(o, p, options->step, velocity, fd);
  dforce_matrix(o, p, velocity ? 0 : 1, velocity ? 1 : 0, k);
  bool good = compare(
      o, options, &(Compared){velocity ? "df/dv" : "df/dx", "add_dforce", "the difference of add_force", k, fd, p, p, options->tolerance});
  dv_free(k);
  dv_free(fd);
  return good;
}

static bool check_assembly(dvObject *o, const Space *p, const fdOptions *options)
{
  static const double factors[][2] = {{1, 0}, {0.7, -1.3}};
  const dvForceOps *ops = dv_ops(o, DV_ROLE_FORCE);
  size_t n = space_size(p);
  bool good = true;
  for (size_t i = 0; i < DV_COUNT(factors); i++) {
    DenseSink sink = dense_sink(p, p);
    double *k = matrix(n, n);
    dvMech m = mech_of(o);
    m.k = factors[i][0];
    m.b = factors[i][1];
    ops->add_stiffness(o, &m, &sink.sink);
    dforce_matrix(o, p, m.k, m.b, k);
    Compared c = {i ? "assembled 0.7 K - 1.3 B" : "assembled K", "add_stiffness", "add_dforce", sink.values, k, p, p, 1e-10};
    good = compare(o, options, &c) && !sink.bad && good;
    dv_free(sink.values);
    dv_free(k);
  }
  return good;
}

static bool check_symmetry(const dvObject *o, const Space *p, const fdOptions *options, const double *k, const char *what)
{
  size_t n = space_size(p);
  double *t = matrix(n, n);
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) t[i * n + j] = k[j * n + i];
  bool good = compare(o, options, &(Compared){what, "the matrix", "its transpose", k, t, p, p, 1e-10});
  dv_free(t);
  return good;
}

// turns every state about the origin and moves it
static void space_turn(Space *p, dvQuat turn, dvVec3 move)
{
  for (int i = 0; i < p->count; i++) {
    dvState *s = p->states[i];
    size_t c = (size_t)s->base.dof->coord;
    double *x = dv_state_write(s, DV_X);
    for (size_t k = 0; k < s->count; k++) {
      dv_vec3_store(x + c * k, dv_vec3_add(dv_quat_rotate(turn, dv_vec3_load(x + c * k)), move));
      if (c == 7) dv_quat_store(x + c * k + 3, dv_quat_mul(turn, dv_quat_load(x + c * k + 3)));
    }
    dv_state_touch(s, DV_X);
  }
}

// force and torque about the origin that remain, as six numbers; also the sum of the amounts, for the scale
static double resultant(const Space *p, const double *f, double out[6])
{
  double amount = 0;
  memset(out, 0, 6 * sizeof *out);
  for (int i = 0; i < p->count; i++) {
    const dvState *s = p->states[i];
    size_t c = (size_t)s->base.dof->coord, w = (size_t)s->base.dof->deriv;
    const double *x = dv_state_read(p->states[i], DV_X);
    for (size_t k = 0; k < s->count; k++) {
      dvVec3 force = dv_vec3_load(f + p->offset[i] + w * k), place = dv_vec3_load(x + c * k);
      dv_vec3_accumulate(out, force);
      dv_vec3_accumulate(out + 3, dv_vec3_cross(place, force));
      if (w == 6) dv_vec3_accumulate(out + 3, dv_vec3_load(f + p->offset[i] + w * k + 3));
      amount += dv_vec3_norm(force) * (1 + dv_vec3_norm(place));
    }
  }
  return amount;
}

static bool check_rigid(dvObject *o, Space *p, const fdOptions *options, uint64_t *random)
{
  size_t n = space_size(p);
  double *here = matrix(n, 1), *there = matrix(n, 1), rest[6], r[4];
  force_at(o, p, here);
  double amount = resultant(p, here, rest);
  bool good = true;
  for (int k = 0; k < 6; k++)
    if (!(fabs(rest[k]) <= options->tolerance * amount)) {
      good = false;
      if (!options->quiet) print_error("%s (%s): component %d of the resultant is %.12g of %.12g\n", o->name, o->cls->name, k, rest[k], amount);
    }
  for (int k = 0; k < 4; k++) r[k] = random_in(random, 1);
  dvQuat turn = dv_quat_normalise(dv_quat_load(r));
  space_turn(p, turn, dv_vec3(0.3, -0.7, 0.2));
  force_at(o, p, there);
  for (size_t k = 0; k < n; k += 3) dv_vec3_store(here + k, dv_quat_rotate(turn, dv_vec3_load(here + k)));
  good = compare(o, options, &(Compared){"rigid motion", "turning the force", "the turned body", here, there, p, NULL, options->tolerance}) && good;
  space_restore(p);
  dv_free(here);
  dv_free(there);
  return good;
}

bool fd_check_force(dvObject *force, const fdOptions *options)
{
  const dvForceOps *ops = dv_ops(force, DV_ROLE_FORCE);
  dvObject *states[FD_STATES];
  uint64_t random = options->seed;
  bool good = true;
  DV_REQUIRE(ops);
  Space p;
  space_init(&p, states, dv_force_states(force, states));
  for (int i = 0; i < options->samples; i++) {
    space_shake(&p, options, &random);
    force_at(force, &p, NULL);
    if ((options->checks & FD_ENERGY) && ops->energy) good = check_energy(force, &p, options) && good;
    if (options->checks & FD_STIFFNESS) good = check_derivative(force, &p, options, false) && good;
    if (options->checks & FD_DAMPING) good = check_derivative(force, &p, options, true) && good;
    if ((options->checks & FD_ASSEMBLY) && ops->add_stiffness) good = check_assembly(force, &p, options) && good;
    if (options->checks & FD_RIGID) good = check_rigid(force, &p, options, &random) && good;
    if (options->checks & FD_SYMMETRY) {
      double *k = matrix(space_size(&p), space_size(&p));
      dforce_matrix(force, &p, 1, 0, k);
      good = check_symmetry(force, &p, options, k, "symmetry of K") && good;
      dv_free(k);
    }
  }
  space_fini(&p);
  force_at(force, &p, NULL);
  return good;
}

fdScene fd_open_force(const char *mesh, const char *state, const char *force)
{
  char *text = dv_format("<Node>%s<MechanicalObject name='dofs' %s/>%s</Node>", mesh, state, force);
  fdScene s = fd_open(text);
  dv_free(text);
  return s;
}

bool fd_check_turned(const char *mesh, const char *const *forces, size_t count)
{
  bool good = true;
  for (size_t i = 0; i < count; i++) {
    char *force = dv_format("<%s youngModulus='100' poissonRatio='0.3'/>", forces[i]);
    fdScene s = fd_open_force(mesh, "rotation2='20 -70 35' translation2='1 2 3'", force);
    fdOptions o = fd_options();
    o.checks = (o.checks | FD_SYMMETRY) & ~(unsigned)FD_ENERGY;
    o.move_x = 0;
    good = fd_check_force(fd_find(&s, "ff"), &o) && good;
    double energy = fd_energy_of(fd_find(&s, "ff"));
    if (!(fabs(energy) <= 1e-20)) {
      print_error("%s: energy %.3g of a body that was only turned\n", forces[i], energy);
      good = false;
    }
    fd_close(&s);
    dv_free(force);
  }
  return good;
}

// --- mappings ---------------------------------------------------------------------------------------

typedef struct MappingCheck {
  dvObject *object;
  const dvMappingOps *ops;
  const fdOptions *options;
  Space in, out;
  double *j;       // out x in, by apply_j
} MappingCheck;

static bool check_jacobian(MappingCheck *c)
{
  size_t rows = space_size(&c->out), cols = space_size(&c->in);
  double *fd = matrix(rows, cols), h = c->options->step;
  for (size_t j = 0; j < cols; j++) {
    double *ends[2][FD_STATES];
    for (int side = 0; side < 2; side++) {
      space_move_x(&c->in, j, side ? -h : h);
      c->ops->apply(c->object, DV_X, DV_X);
      for (int i = 0; i < c->out.count; i++) ends[side][i] = keep(c->out.states[i], DV_X);
      space_restore(&c->in);
    }
    for (int i = 0; i < c->out.count; i++) {
      const dvState *s = c->out.states[i];
      size_t n = s->count * (size_t)s->base.dof->deriv;
      double *d = matrix(n, 1);
      dv_dof_difference(s->base.dof, s->count, d, ends[0][i], ends[1][i]);
      for (size_t k = 0; k < n; k++) fd[(c->out.offset[i] + k) * cols + j] = d[k] / (2 * h);
      dv_free(d);
      dv_free(ends[0][i]);
      dv_free(ends[1][i]);
    }
  }
  c->ops->apply(c->object, DV_X, DV_X);
  bool good = compare(c->object, c->options,
                      &(Compared){"J", "apply_j", "the difference of apply", c->j, fd, &c->out, &c->in, c->options->tolerance});
  dv_free(fd);
  return good;
}

static void jacobian_matrix(MappingCheck *c)
{
  size_t rows = space_size(&c->out), cols = space_size(&c->in);
  double *column = matrix(rows, 1);
  for (size_t j = 0; j < cols; j++) {
    space_set_unit(&c->in, DV_V, j);
    space_fill(&c->out, DV_V, 7);   // it must overwrite
    c->ops->apply_j(c->object, DV_V, DV_V);
    space_get(&c->out, DV_V, column);
    for (size_t i = 0; i < rows; i++) c->j[i * cols + j] = column[i];
  }
  space_restore(&c->in);
  dv_free(column);
}

// the dot product identity for all pairs of unit vectors is J against the transpose of J^T, entry by entry
static bool check_transpose(MappingCheck *c)
{
  size_t rows = space_size(&c->out), cols = space_size(&c->in);
  double *t = matrix(rows, cols);
  for (size_t i = 0; i < rows; i++) {
    space_set_unit(&c->out, DV_F, i);
    space_fill(&c->in, DV_F, 1);   // it must add
    c->ops->apply_jt(c->object, DV_F, DV_F);
    space_get(&c->in, DV_F, t + i * cols);
    for (size_t j = 0; j < cols; j++) t[i * cols + j] -= 1;
  }
  bool good = compare(c->object, c->options, &(Compared){"J^T", "apply_jt", "apply_j", t, c->j, &c->out, &c->in, 1e-10});
  dv_free(t);
  return good;
}

static bool check_build(MappingCheck *c)
{
  DenseSink sink = dense_sink(&c->out, &c->in);
  c->ops->build_j(c->object, &sink.sink);
  bool good =
      compare(c->object, c->options, &(Compared){"built J", "build_j", "apply_j", sink.values, c->j, &c->out, &c->in, 1e-10}) && !sink.bad;
  dv_free(sink.values);
  return good;
}

static void pull_forces(MappingCheck *c, const double *out_force, double *in_force)
{
  c->ops->apply(c->object, DV_X, DV_X);
  space_set(&c->out, DV_F, out_force);
  space_fill(&c->in, DV_F, 0);
  c->ops->apply_jt(c->object, DV_F, DV_F);
  space_get(&c->in, DV_F, in_force);
}

// k d(J^T f)/dx for a fixed f
static bool check_geometric(MappingCheck *c, uint64_t *random)
{
  size_t rows = space_size(&c->out), n = space_size(&c->in);
  double *force = matrix(rows, 1), *column = matrix(n, 1), *minus = matrix(n, 1), *k = matrix(n, n), *fd = matrix(n, n), h = c->options->step;
  fill_random(random, force, rows);
  dvMech m = mech_of(c->object);
  m.k = 0.7;
  for (size_t j = 0; j < n; j++) {
    space_move_x(&c->in, j, h);
    pull_forces(c, force, column);
    space_restore(&c->in);
    space_move_x(&c->in, j, -h);
    pull_forces(c, force, minus);
    space_restore(&c->in);
    for (size_t i = 0; i < n; i++) fd[i * n + j] = m.k * (column[i] - minus[i]) / (2 * h);
  }
  pull_forces(c, force, column);
  for (size_t j = 0; j < n; j++) {
    space_set_unit(&c->in, DV_DX, j);
    space_fill(&c->in, DV_DF, 1);
    c->ops->apply_djt(c->object, &m, DV_DF, DV_DX, DV_F);
    space_get(&c->in, DV_DF, column);
    for (size_t i = 0; i < n; i++) k[i * n + j] = column[i] - 1;
  }
  Compared compared = {"geometric stiffness, k = 0.7", "apply_djt", "the difference of J^T f", k, fd, &c->in, &c->in, c->options->tolerance};
  bool good = compare(c->object, c->options, &compared);
  if (c->ops->add_geometric) {
    DenseSink sink = dense_sink(&c->in, &c->in);
    c->ops->add_geometric(c->object, &m, DV_F, &sink.sink);
    good = compare(c->object, c->options, &(Compared){"assembled geometric stiffness", "add_geometric", "apply_djt", sink.values, k, &c->in, &c->in, 1e-10}) &&
           !sink.bad && good;
    dv_free(sink.values);
  }
  dv_free(force);
  dv_free(column);
  dv_free(minus);
  dv_free(k);
  dv_free(fd);
  return good;
}

// three rows with random numbers on every second degree of freedom of the outputs: H J, row by row
static bool check_rows(MappingCheck *c, uint64_t *random)
{
  enum { ROWS = 3 };
  size_t cols = space_size(&c->in), rows = space_size(&c->out);
  dvRowSet set = {0};
  double *wanted = matrix(ROWS, cols), *got = matrix(ROWS, cols);
  bool good = true;
  for (int k = 0; k < c->out.count; k++) {
    dvState *s = c->out.states[k];
    size_t w = (size_t)s->base.dof->deriv;
    for (size_t i = 0; i < s->count; i++)
      for (int32_t r = 0; r < ROWS; r++) {
        double h[DV_MAX_COORD];
        if ((i + (size_t)r) % 2 && s->count > 1) continue;
        fill_random(random, h, w);
        dv_rows_add(dv_rows_on(&set, s), r, i, h, 1);
        for (size_t a = 0; a < w; a++)
          for (size_t j = 0; j < cols; j++) wanted[(size_t)r * cols + j] += h[a] * c->j[(c->out.offset[k] + i * w + a) * cols + j];
      }
  }
  dv_mapping_rows_up(c->object, &set);
  for (int k = 0; k < c->in.count; k++) {
    dvStateRows *on = dv_rows_on(&set, c->in.states[k]);
    size_t w = (size_t)on->state->base.dof->deriv;
    dv_rows_settle(on);
    for (size_t e = 0; e < on->entries.count; e++)
      for (size_t a = 0; a < w; a++)
        got[(size_t)on->entries.data[e].row * cols + c->in.offset[k] + (size_t)on->entries.data[e].dof * w + a] = on->values.data[e * w + a];
  }
  for (int r = 0; r < ROWS && rows; r++)
    good = compare(c->object, c->options,
                   &(Compared){"rows of constraints", "dv_mapping_rows_up", "H J", got + (size_t)r * cols, wanted + (size_t)r * cols, &c->in, NULL, 1e-10}) &&
           good;
  dv_rows_free(&set);
  dv_free(wanted);
  dv_free(got);
  return good;
}

// J v at x + t v, for a fixed v
static void velocity_along(MappingCheck *c, const double *v, double t, double *out)
{
  for (int i = 0; i < c->in.count; i++) {
    dvState *s = c->in.states[i];
    dv_dof_integrate(s->base.dof, s->count, dv_state_write(s, DV_X), c->in.x[i], v + c->in.offset[i], t);
  }
  c->ops->apply(c->object, DV_X, DV_X);
  space_set(&c->in, DV_V, v);
  c->ops->apply_j(c->object, DV_V, DV_V);
  space_get(&c->out, DV_V, out);
  space_restore(&c->in);
}

static bool check_acceleration(MappingCheck *c, uint64_t *random)
{
  size_t rows = space_size(&c->out), cols = space_size(&c->in);
  double *v = matrix(cols, 1), *plus = matrix(rows, 1), *minus = matrix(rows, 1), *a = matrix(rows, 1), h = c->options->step, speed = 1e-300;
  fill_random(random, v, cols);
  velocity_along(c, v, h, plus);
  velocity_along(c, v, -h, minus);
  velocity_along(c, v, 0, a);
  for (size_t i = 0; i < rows; i++) plus[i] = (plus[i] - minus[i]) / (2 * h), speed = fmax(speed, fabs(a[i]));
  space_set(&c->in, DV_V, v);
  space_fill(&c->out, DV_DX, 1);   // it must add
  if (c->ops->add_jdot) c->ops->add_jdot(c->object, DV_DX, DV_V);
  space_get(&c->out, DV_DX, a);
  for (size_t i = 0; i < rows; i++) a[i] -= 1;
  space_restore(&c->in);
  // where it is zero, rounding in the velocities is what is left
  double largest = 1e-300;
  for (size_t i = 0; i < rows; i++) largest = fmax(largest, fmax(fabs(plus[i]), fabs(a[i])));
  bool good = largest <= 1e-9 * speed ||
              compare(c->object, c->options, &(Compared){"dJ/dt v", "add_jdot", "the difference of J v", a, plus, &c->out, NULL, 10 * c->options->tolerance});
  dv_free(v);
  dv_free(plus);
  dv_free(minus);
  dv_free(a);
  return good;
}

bool fd_check_mapping(dvObject *mapping, const fdOptions *options)
{
  MappingCheck c = {.object = mapping, .ops = dv_ops(mapping, DV_ROLE_MAPPING), .options = options};
  dvObject *states[FD_STATES];
  uint64_t random = options->seed;
  bool good = true;
  DV_REQUIRE(c.ops);
  space_init(&c.in, states, dv_mapping_inputs(mapping, states));
  space_init(&c.out, states, dv_mapping_outputs(mapping, states));
  for (int i = 0; i < options->samples; i++) {
    space_shake(&c.in, options, &random);
    c.ops->apply(mapping, DV_X, DV_X);
    c.j = matrix(space_size(&c.out), space_size(&c.in));
    jacobian_matrix(&c);
    if (options->checks & FD_JACOBIAN) good = check_jacobian(&c) && good;
    if ((options->checks & FD_TRANSPOSE) && c.ops->apply_jt) good = check_transpose(&c) && good;
    if ((options->checks & FD_BUILD) && c.ops->build_j) good = check_build(&c) && good;
    if ((options->checks & FD_GEOMETRIC) && c.ops->apply_djt) good = check_geometric(&c, &random) && good;
    if ((options->checks & FD_ROWS) && (c.ops->row || c.ops->build_j)) good = check_rows(&c, &random) && good;
    if (options->checks & FD_ACCELERATION) good = check_acceleration(&c, &random) && good;
    dv_free(c.j);
  }
  space_fini(&c.in);
  space_fini(&c.out);
  c.ops->apply(mapping, DV_X, DV_X);
  return good;
}

// --- whole scenes ------------------------------------------------------------------------------------

typedef struct SystemCheck {
  dvPlan *plan;
  dvObject *root;
  const fdOptions *options;
  Space p;         // independent states
} SystemCheck;

static void system_force(SystemCheck *c, double *f)
{
  dvMech m = mech_of(c->root);
  dv_mech_propagate_x(c->plan, DV_X);
  dv_mech_propagate_v(c->plan, DV_V);
  dv_mech_compute_force(c->plan, &m);
  if (f) space_get(&c->p, DV_F, f);
}

static double system_energy(SystemCheck *c)
{
  dvMech m = mech_of(c->root);
  double kinetic, potential;
  system_force(c, NULL);
  dv_mech_energy(c->plan, &m, &kinetic, &potential);
  return potential;
}

static bool check_system_energy(SystemCheck *c)
{
  size_t n = space_size(&c->p);
  double *f = matrix(n, 1), *slope = matrix(n, 1), h = c->options->step;
  for (size_t j = 0; j < n; j++) {
    space_move_x(&c->p, j, h);
    double plus = system_energy(c);
    space_restore(&c->p);
    space_move_x(&c->p, j, -h);
    slope[j] = (system_energy(c) - plus) / (2 * h);
    space_restore(&c->p);
  }
  system_force(c, f);
  bool good = compare(c->root, c->options, &(Compared){"forces of the scene", "compute_force", "-dE/dx", f, slope, &c->p, NULL, c->options->energy_tolerance});
  dv_free(f);
  dv_free(slope);
  return good;
}

static bool check_system_stiffness(SystemCheck *c)
{
  size_t n = space_size(&c->p);
  double *k = matrix(n, n), *fd = matrix(n, n), *plus = matrix(n, 1), *minus = matrix(n, 1), h = c->options->step;
  for (size_t j = 0; j < n; j++) {
    space_move_x(&c->p, j, h);
    system_force(c, plus);
    space_restore(&c->p);
    space_move_x(&c->p, j, -h);
    system_force(c, minus);
    space_restore(&c->p);
    for (size_t i = 0; i < n; i++) fd[i * n + j] = (plus[i] - minus[i]) / (2 * h);
  }
  system_force(c, NULL);
  dvMech m = mech_of(c->root);
  for (size_t j = 0; j < n; j++) {
    space_set_unit(&c->p, DV_DX, j);
    dv_mech_product(c->plan, &m, DV_DF, DV_DX);
    space_get(&c->p, DV_DF, plus);
    for (size_t i = 0; i < n; i++) k[i * n + j] = plus[i];
  }
  bool good = !(c->options->checks & FD_STIFFNESS) ||
              compare(c->root, c->options, &(Compared){"stiffness of the scene", "product", "the difference of forces", k, fd, &c->p, &c->p, c->options->tolerance});
  dvAssembly a = {0};
  if ((c->options->checks & FD_ASSEMBLY) && dv_assembly_build(&a, c->root, c->plan, &m, DV_ASSEMBLE_ALL) == DV_OK && a.size == n) {
    memset(fd, 0, n * n * sizeof *fd);
    for (size_t j = 0; j < n; j++) {
      space_set_unit(&c->p, DV_DX, j);
      dv_assembly_product(&a, c->root->context->pool, DV_DF, DV_DX);
      space_get(&c->p, DV_DF, plus);
      for (size_t i = 0; i < n; i++) fd[i * n + j] = plus[i];
    }
    good = compare(c->root, c->options, &(Compared){"assembled stiffness of the scene", "assembly", "product", fd, k, &c->p, &c->p, 1e-10}) && good;
  }
  dv_assembly_free(&a);
  dv_free(k);
  dv_free(fd);
  dv_free(plus);
  dv_free(minus);
  return good;
}

// the power of forces on every state, before they are collected, is the power at the independent states afterwards
static bool check_system_power(SystemCheck *c, uint64_t *random)
{
  double below = 0, above = 0;
  size_t n = space_size(&c->p);
  double *v = matrix(n, 1), *f = matrix(n, 1);
  fill_random(random, v, n);
  space_set(&c->p, DV_V, v);
  system_force(c, f);
  for (size_t i = 0; i < n; i++) above += f[i] * v[i];
  dvMech m = mech_of(c->root);
  for (size_t i = 0; i < c->plan->states.count; i++) {
    dvState *s = dv_state(c->plan->states.data[i]);
    memset(dv_state_write(s, DV_F), 0, dv_state_scalars(s, DV_F) * sizeof(double));
  }
  for (size_t i = 0; i < c->plan->masses.count; i++) {
    memcpy(m.gravity, c->plan->masses.data[i].node->gravity, sizeof m.gravity);
    ((const dvMassOps *)dv_ops(c->plan->masses.data[i].object, DV_ROLE_MASS))->add_gravity(c->plan->masses.data[i].object, &m);
  }
  for (size_t i = 0; i < c->plan->forces.count; i++)
    ((const dvForceOps *)dv_ops(c->plan->forces.data[i].object, DV_ROLE_FORCE))->add_force(c->plan->forces.data[i].object, &m);
  for (size_t i = 0; i < c->plan->states.count; i++) {
    dvState *s = dv_state(c->plan->states.data[i]);
    const double *force = dv_state_read(s, DV_F), *velocity = dv_state_read(s, DV_V);
    for (size_t k = 0; k < dv_state_scalars(s, DV_F); k++) below += force[k] * velocity[k];
  }
  space_restore(&c->p);
  bool good = fabs(below - above) <= 1e-10 * (fabs(below) + fabs(above) + 1e-300);
  if (!good) print_error("power of the forces where they act %.12g, at the independent states %.12g\n", below, above);
  dv_free(v);
  dv_free(f);
  return good;
}

bool fd_check_system(const fdScene *s, const fdOptions *options)
{
  SystemCheck c = {.root = &s->scene->root->base, .options = options};
  uint64_t random = options->seed;
  bool good = true;
  dv_plan_get(&c.plan, s->scene->root);
  space_init(&c.p, c.plan->independent.data, (int)c.plan->independent.count);
  for (int i = 0; i < options->samples; i++) {
    space_shake(&c.p, options, &random);
    system_force(&c, NULL);
    if (options->checks & FD_ENERGY) good = check_system_energy(&c) && good;
    if (options->checks & (FD_STIFFNESS | FD_ASSEMBLY)) good = check_system_stiffness(&c) && good;
    good = check_system_power(&c, &random) && good;
  }
  space_fini(&c.p);
  system_force(&c, NULL);
  dv_plan_destroy(&c.plan);
  return good;
}

// --- masses -----------------------------------------------------------------------------------------

typedef struct MassCheck {
  dvObject *object;
  const dvMassOps *ops;
  const fdOptions *options;
  Space p;
  double *m;       // n x n, by add_mdx
} MassCheck;

static void mass_matrix(MassCheck *c, double factor)
{
  size_t n = space_size(&c->p);
  dvMech mech = mech_of(c->object);
  double *column = matrix(n, 1);
  for (size_t j = 0; j < n; j++) {
    space_set_unit(&c->p, DV_DX, j);
    space_fill(&c->p, DV_DF, 1);
    c->ops->add_mdx(c->object, &mech, factor);
    space_get(&c->p, DV_DF, column);
    for (size_t i = 0; i < n; i++) c->m[i * n + j] = (column[i] - 1) / factor;
  }
  dv_free(column);
}

static void multiply(const double *a, const double *x, double *y, size_t n)
{
  for (size_t i = 0; i < n; i++) {
    y[i] = 0;
    for (size_t j = 0; j < n; j++) y[i] += a[i * n + j] * x[j];
  }
}

static bool check_mass_matrix(MassCheck *c)
{
  size_t n = space_size(&c->p);
  bool good = check_symmetry(c->object, &c->p, c->options, c->m, "symmetry of M");
  if (!c->ops->add_matrix) return good;
  DenseSink sink = dense_sink(&c->p, &c->p);
  c->ops->add_matrix(c->object, 0.7, &sink.sink);
  for (size_t i = 0; i < n * n; i++) sink.values[i] /= 0.7;
  good = compare(c->object, c->options, &(Compared){"assembled M", "add_matrix", "add_mdx", sink.values, c->m, &c->p, &c->p, 1e-10}) &&
         !sink.bad && good;
  dv_free(sink.values);
  return good;
}

// 1/2 v M v, and M^-1 M v = v
static bool check_mass_vectors(MassCheck *c, uint64_t *random)
{
  size_t n = space_size(&c->p);
  double *v = matrix(n, 1), *mv = matrix(n, 1), *back = matrix(n, 1);
  bool good = true;
  fill_random(random, v, n);
  multiply(c->m, v, mv, n);
  if (c->ops->kinetic) {
    double wanted = 0;
    for (size_t i = 0; i < n; i++) wanted += 0.5 * v[i] * mv[i];
    space_set(&c->p, DV_V, v);
    double energy = c->ops->kinetic(c->object, DV_V);
    space_restore(&c->p);
    good = fabs(energy - wanted) <= c->options->energy_tolerance * fabs(wanted);
    if (!good && !c->options->quiet) print_error("%s: kinetic energy %.12g, 1/2 v M v %.12g\n", c->object->name, energy, wanted);
  }
  if (c->ops->acc_from_f) {
    space_set(&c->p, DV_F, mv);
    c->ops->acc_from_f(c->object, DV_DX, DV_F);
    space_get(&c->p, DV_DX, back);
    good = compare(c->object, c->options, &(Compared){"M^-1 M v", "acc_from_f", "v", back, v, &c->p, NULL, c->options->tolerance}) && good;
  }
  dv_free(v);
  dv_free(mv);
  dv_free(back);
  return good;
}

static bool check_mass_gravity(MassCheck *c)
{
  size_t n = space_size(&c->p);
  dvMech mech = mech_of(c->object);
  const dvDof *dof = c->p.states[0]->base.dof;
  double *g = matrix(n, 1), *wanted = matrix(n, 1), *f = matrix(n, 1);
  bool good = true;
  if (mech.gravity[0] == 0 && mech.gravity[1] == 0 && mech.gravity[2] == 0) mech.gravity[1] = -9.81;
  for (size_t i = 0; i < n; i++)
    if ((int)i % dof->deriv < dof->space) g[i] = mech.gravity[(int)i % dof->deriv];
  multiply(c->m, g, wanted, n);
  const dvField *separate = dv_object_field(c->object, "separateGravity");
  if (c->ops->add_gravity && !(separate && *(const bool *)separate->value)) {
    space_fill(&c->p, DV_F, 0);
    c->ops->add_gravity(c->object, &mech);
    space_get(&c->p, DV_F, f);
    good = compare(c->object, c->options, &(Compared){"gravity", "add_gravity", "M g", f, wanted, &c->p, NULL, c->options->tolerance});
  }
  if (c->ops->potential) {
    for (size_t j = 0; j < n; j++) {
      space_move_x(&c->p, j, c->options->step);
      double plus = c->ops->potential(c->object, &mech);
      space_restore(&c->p);
      space_move_x(&c->p, j, -c->options->step);
      f[j] = (c->ops->potential(c->object, &mech) - plus) / (2 * c->options->step);
      space_restore(&c->p);
    }
    good = compare(c->object, c->options,
                   &(Compared){"potential energy", "-dE/dx", "M g", f, wanted, &c->p, NULL, c->options->energy_tolerance}) &&
           good;
  }
  dv_free(g);
  dv_free(wanted);
  dv_free(f);
  return good;
}

bool fd_check_mass(dvObject *mass, const fdOptions *options)
{
  MassCheck c = {.object = mass, .ops = dv_ops(mass, DV_ROLE_MASS), .options = options};
  uint64_t random = options->seed;
  bool good = true;
  DV_REQUIRE(c.ops);
  dvObject *state = NULL;   // a force that is a mass too begins with the force
  if (dv_ops(mass, DV_ROLE_FORCE)) dv_force_states(mass, &state);
  else state = &((dvMass *)mass)->state->base;
  space_init(&c.p, &state, 1);
  for (int i = 0; i < options->samples; i++) {
    space_shake(&c.p, options, &random);
    c.m = matrix(space_size(&c.p), space_size(&c.p));
    mass_matrix(&c, 0.3);
    good = check_mass_matrix(&c) && good;
    good = check_mass_vectors(&c, &random) && good;
    if (options->checks & FD_WEIGHT) good = check_mass_gravity(&c) && good;
    dv_free(c.m);
  }
  space_fini(&c.p);
  return good;
}

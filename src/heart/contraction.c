// ContractionForceField: fibres of heart muscle that contract when they are excited (J. Bestel, F. Clement, M. Sorine,
// 2001; D. Chapelle et al., 2012).
//
// An element is a string along its fibre f of rest. With the fibre's vector l = F f and e = (|l|^2 - 1) / 2, the string
// has a contractile part of strain e_c and a spring E_s in series:
//
//   energy of the spring   W = E_s (e - e_c)^2 / (2 (1 + 2 e_c)^2),    S = dW/de = E_s (e - e_c) / (1 + 2 e_c)^2
//   contractile part       t_c + m e_c' = -dW/de_c = E_s (e - e_c) (1 + 2 e) / (1 + 2 e_c)^3
//   stiffness of bridges   k_c' = -(|u| + a |e_c'|) k_c + k_0 |u|+
//   stress of bridges      t_c' = k_c e_c' - (|u| + a |e_c'|) t_c + s_0 |u|+
//
// u is a rate: k_ATP while the cells are excited, -k_RS while they are at rest, in between in between. Backward Euler
// in every element: k_c and t_c follow from e_c, and e_c is the root of one equation, found by Newton's method between
// bounds; the derivative of S by e goes through all of them, so that products and matrices are exact:
//
//   f_k = -V S g_k l,   df_k = -V g_k (S dl + dS/de (l . dl) l),   g_k = gradient of corner k along the fibre
//
// The potential is that of an ElectricalState; u is taken at the end of the step, since that system is solved first.
// What is remembered (e_c, k_c, t_c) moves at the end of the step.
#include "force/mesh.h"
#include "heart/classes.h"
#include "heart/muscle.h"

#include <math.h>
#include <string.h>

#define CONTRACTION_FIELDS(X)                                                                                     \
  X(vec3s, fibres, "", "", "direction of the fibres of each tetrahedron")                                         \
  X(link, potential, "", "", "state with the potential; an ElectricalState at or below the node by default",      \
    .role = DV_ROLE_STATE)                                                                                        \
  X(real, stress, "1e5", "Pa", "s_0: stress of the bridges when all of them pull", .least = "0")                  \
  X(real, stiffness, "1e5", "Pa", "k_0: their stiffness", .least = "0")                                           \
  X(real, seriesStiffness, "3e7", "Pa", "E_s: of the spring in series", .least = "0")                             \
  X(real, viscosity, "70", "Pa s", "m: of the contractile part", .least = "0")                                    \
  X(real, contractionRate, "20", "1/s", "k_ATP: how fast bridges bind", .least = "0")                             \
  X(real, relaxationRate, "30", "1/s", "k_RS: how fast they let go", .least = "0")                                \
  X(real, destruction, "0.3", "", "a: how much they are torn off by motion", .least = "0")                        \
  X(vec2, thresholds, "0.2 0.8", "", "potentials below and above which cells are at rest and excited")            \
  X(link, topology, "", "", "topology with the tetrahedra; the one of the node or above by default",              \
    .role = DV_ROLE_TOPOLOGY)                                                                                     \
  X(reals, tension, "", "Pa", "S of each tetrahedron, at the end of the step", .flags = DV_READ_ONLY)             \
  X(reals, contraction, "", "", "e_c of each tetrahedron", .flags = DV_READ_ONLY)                                 \
  X(real, work, "0", "J", "done by the bridges on the string since the start: -t_c e_c'", .flags = DV_READ_ONLY)  \
  X(real, loss, "0", "J", "lost in the viscosity of the contractile part since the start", .flags = DV_READ_ONLY) \
  X(real, stored, "0", "J", "energy of the springs in series", .flags = DV_READ_ONLY)

typedef struct Element {
  double volume, g[4];
} Element;

// what a step begins with: strain, stiffness and stress of the contractile part
typedef struct Bridges {
  double e, k, t;
} Bridges;

typedef struct Contraction {
  dvForce force;
  CONTRACTION_FIELDS(DV_MEMBER)
  dvMuscle tissue;
  DV_ARRAY(Element) elements;
  DV_ARRAY(double) bridges;   // three numbers each
  DV_ARRAY(double) record;    // of the last force: S, dS/de, l
  double dt;
} Contraction;

#define SELF Contraction
static const dvFieldDesc contraction_fields[] = {CONTRACTION_FIELDS(DV_DESCRIBE)};
static const dvMemoryDesc contraction_memory[] = {DV_REMEMBER(list, bridges) DV_REMEMBER(reals, tension) DV_REMEMBER(
    reals, contraction) DV_REMEMBER(numbers, work) DV_REMEMBER(numbers, loss) DV_REMEMBER(numbers, stored)};
#undef SELF

// --- setting up ---

static dvStatus contraction_reinit(dvObject *o)
{
  Contraction *c = (Contraction *)o;
  const double *numbers[] = {&c->stress,          &c->stiffness,      &c->seriesStiffness, &c->viscosity,
                             &c->contractionRate, &c->relaxationRate, &c->destruction};
  for (size_t i = 0; i < DV_COUNT(numbers); i++)
    if (!(*numbers[i] >= 0 && *numbers[i] < DV_EXPLODED))
      return dv_field_error(o, numbers[i], "give a number from 0 on", "%s is %g",
                            dv_field_name(dv_field_of(o, numbers[i])->desc), *numbers[i]);
  if (!(c->seriesStiffness > 0))
    return dv_field_error(o, &c->seriesStiffness, "3e7 is the default", "the spring in series has no stiffness");
  if (!(c->thresholds[0] < c->thresholds[1]))
    return dv_field_error(o, &c->thresholds, "give two potentials, the lower one first", "thresholds are %g and %g",
                          c->thresholds[0], c->thresholds[1]);
  return DV_OK;
}

static bool is_potential(const dvObject *o) { return dv_is_mechanical_state(o) && o->dof && o->dof->kind == DV_VEC1; }

typedef struct Finder {
  dvVisitor visitor;
  dvObject *found;
} Finder;

static dvWalk find_potential(dvVisitor *v, dvNode *node)
{
  Finder *f = (Finder *)v;
  for (size_t i = 0; i < node->objects.count && !f->found; i++)
    if (is_potential(node->objects.data[i])) f->found = node->objects.data[i];
  return f->found ? DV_WALK_PRUNE : DV_WALK_ON;
}

static dvStatus take_potential(Contraction *c)
{
  dvObject *o = &c->force.base;
  Finder f = {.visitor = {.top_down = find_potential}};
  if (!c->potential.target) dv_visit(o->node, &f.visitor);
  if (!c->potential.target) c->potential.target = f.found;
  if (!c->potential.target)
    return dv_field_error(o, &c->potential, "add a node with an ElectricalState and an EikonalSolver",
                          "there is no potential that could make the muscle contract");
  DV_TRY(dv_object_ensure(c->potential.target));
  if (!is_potential(c->potential.target) || dv_state(c->potential.target)->count != c->tissue.points)
    return dv_field_error(o, &c->potential, "name an ElectricalState of the same mesh",
                          "%s does not have one number for each of %zu points", c->potential.target->name,
                          c->tissue.points);
  return DV_OK;
}

static dvStatus contraction_init(dvObject *o)
{
  Contraction *c = (Contraction *)o;
  DV_TRY(dv_force_init(o));
  DV_TRY(contraction_reinit(o));
  DV_TRY(dv_pull(o, &c->fibres));
  DV_TRY(dv_muscle_init(&c->tissue, o, &c->topology, &c->fibres, true));
  if (c->force.state->count < c->tissue.points)
    return dv_error(o, NULL, "%s has %zu points, the mesh %zu", c->force.state->base.name, c->force.state->count,
                    c->tissue.points);
  DV_TRY(take_potential(c));
  size_t n = c->tissue.count;
  dv_array_resize(&c->elements, n);
  dv_array_resize(&c->bridges, 3 * n);
  dv_array_resize(&c->record, 5 * n);
  if (!dv_reals_resize(&c->tension, n) || !dv_reals_resize(&c->contraction, n))
    return dv_error(o, NULL, "out of memory for %zu tetrahedra", n);
  for (size_t i = 0; i < n; i++) {
    dvVec3 g[4], f = dv_vec3_load(c->tissue.fibre.data + 3 * i);
    Element *e = &c->elements.data[i];
    if (!dv_muscle_gradients(&c->tissue, i, g, &e->volume)) continue;   // no volume: no force
    for (int k = 0; k < 4; k++) e->g[k] = dv_vec3_dot(g[k], f);
  }
  return DV_OK;
}

// --- one element ---

typedef struct Rates {
  double bind, all;   // |u|+ and |u|
  double contractility;
} Rates;

static Rates rates_of(const Contraction *c, const double *u, size_t i)
{
  const int32_t *p = c->tissue.tetra + 4 * i;
  double mean = 0.25 * (u[p[0]] + u[p[1]] + u[p[2]] + u[p[3]]),
         part = (mean - c->thresholds[0]) / (c->thresholds[1] - c->thresholds[0]), s = dv_max(0, dv_min(1, part)),
         rate = s * c->contractionRate - (1 - s) * c->relaxationRate;
  return (Rates){dv_max(rate, 0), fabs(rate), c->tissue.contractility.data[i]};
}

typedef struct Answer {
  Bridges now;
  double s, slope;   // S, dS/de
} Answer;

// k_c, t_c and the derivative of t_c by e_c, for a strain at the end of a step
static Bridges bridges_at(const Contraction *c, const Bridges *old, Rates r, double e, double *slope)
{
  double h = c->dt, move = e - old->e, sign = move < 0 ? -1 : 1, lost = 1 + h * r.all + c->destruction * fabs(move),
         k0 = c->stiffness * r.contractility, s0 = c->stress * r.contractility;
  double k = (old->k + h * k0 * r.bind) / lost, dlost = c->destruction * sign, dk = -k * dlost / lost,
         t = (old->t + k * move + h * s0 * r.bind) / lost;
  *slope = (dk * move + k - t * dlost) / lost;
  return (Bridges){e, k, t};
}

// residual of the contractile part, and its derivative by e_c
static double residual(const Contraction *c, const Bridges *old, Rates r, double e1, double ec, double *slope)
{
  double dt, h = c->dt, b = 1 + 2 * ec, b3 = b * b * b, es = c->seriesStiffness;
  Bridges now = bridges_at(c, old, r, ec, &dt);
  double pull = es * (e1 - ec) * (1 + 2 * e1) / b3;
  *slope = dt + c->viscosity / h + es * (1 + 2 * e1) * (1 / b3 + 6 * (e1 - ec) / (b3 * b));
  return now.t + c->viscosity * (ec - old->e) / h - pull;
}

static Answer solve_element(const Contraction *c, const Bridges *old, Rates r, double e1)
{
  double low = -0.495, high = dv_max(2 * e1 + 1, 1), ec = dv_max(low, dv_min(high, old->e)), slope = 1;
  for (int i = 0; i < 60; i++) {
    double f = residual(c, old, r, e1, ec, &slope), change = slope > 0 ? -f / slope : high - low;
    if (fabs(change) <= 1e-15 * (1 + fabs(ec))) break;
    if (f > 0) high = ec;
    else low = ec;
    double next = ec + change;
    ec = next > low && next < high ? next : 0.5 * (low + high);
  }
  residual(c, old, r, e1, ec, &slope);
  double dt, b = 1 + 2 * ec, b2 = b * b, es = c->seriesStiffness;
  Answer a = {.now = bridges_at(c, old, r, ec, &dt), .s = es * (e1 - ec) / b2};
  // d residual / de = -es ((1 + 2 e) + 2 (e - ec)) / b^3
  double dec = slope != 0 ? es * (1 + 2 * e1 + 2 * (e1 - ec)) / (b2 * b) / slope : 0;
  a.slope = es / b2 - es * (1 / b2 + 4 * (e1 - ec) / (b2 * b)) * dec;
  return a;
}

static dvVec3 fibre_of(const Contraction *c, const double *x, size_t i)
{
  const int32_t *p = c->tissue.tetra + 4 * i;
  const Element *e = &c->elements.data[i];
  dvVec3 l = dv_vec3(0, 0, 0);
  for (int k = 0; k < 4; k++) l = dv_vec3_add_scaled(l, dv_vec3_load(x + 3 * (size_t)p[k]), e->g[k]);
  return l;
}

// --- operations ---

typedef struct Job {
  Contraction *c;
  const double *x, *u;
} Job;

static void evaluate(void *user, size_t begin, size_t end)
{
  const Job *job = user;
  Contraction *c = job->c;
  for (size_t i = begin; i < end; i++) {
    const double *b = c->bridges.data + 3 * i;
    double *out = c->record.data + 5 * i;
    dvVec3 l = fibre_of(c, job->x, i);
    if (!(c->elements.data[i].volume > 0)) {
      memset(out, 0, 5 * sizeof *out);
      continue;
    }
    Answer a = solve_element(c, &(Bridges){b[0], b[1], b[2]}, rates_of(c, job->u, i), 0.5 * (dv_vec3_norm2(l) - 1));
    out[0] = a.s, out[1] = a.slope;
    dv_vec3_store(out + 2, l);
  }
}

static bool holds(Contraction *c)
{
  return dv_muscle_holds(&c->tissue, c->force.state) && dv_state(c->potential.target)->count >= c->tissue.points;
}

static void contraction_add_force(dvObject *o, const dvMech *m)
{
  Contraction *c = (Contraction *)o;
  if (!holds(c)) return;
  double *f = dv_state_write(c->force.state, m->f);
  c->dt = m->dt > 0 ? m->dt : o->node->scene->root->dt;
  if (dv_muscle_zones(&c->tissue, m->time, NULL) != DV_OK) return;
  Job job = {c, dv_state_read(c->force.state, m->x), dv_state_read(dv_state(c->potential.target), DV_X)};
  dv_parallel_for(dv_pool_for(o->context->pool, 300.0 * (double)c->tissue.count), c->tissue.count, 512, evaluate, &job);
  for (size_t i = 0; i < c->tissue.count; i++) {
    const double *r = c->record.data + 5 * i;
    const Element *e = &c->elements.data[i];
    const int32_t *p = c->tissue.tetra + 4 * i;
    for (int k = 0; k < 4; k++)
      for (int a = 0; a < 3; a++) f[3 * p[k] + a] -= e->volume * r[0] * e->g[k] * r[2 + a];
  }
}

static void contraction_add_dforce(dvObject *o, const dvMech *m)
{
  Contraction *c = (Contraction *)o;
  if (!holds(c)) return;
  const double *dx = dv_state_read(c->force.state, m->dx);
  double *df = dv_state_write(c->force.state, m->df), factor = dv_mech_k(m, c->force.rayleighStiffness);
  for (size_t i = 0; i < c->tissue.count; i++) {
    const double *r = c->record.data + 5 * i;
    const Element *e = &c->elements.data[i];
    const int32_t *p = c->tissue.tetra + 4 * i;
    dvVec3 l = dv_vec3_load(r + 2), dl = fibre_of(c, dx, i);
    dvVec3 d = dv_vec3_add(dv_vec3_scale(dl, r[0]), dv_vec3_scale(l, r[1] * dv_vec3_dot(l, dl)));
    for (int k = 0; k < 4; k++) dv_vec3_accumulate(df + 3 * p[k], dv_vec3_scale(d, -factor * e->volume * e->g[k]));
  }
}

static void contraction_add_stiffness(dvObject *o, const dvMech *m, dvMatrixSink *sink)
{
  Contraction *c = (Contraction *)o;
  if (!holds(c)) return;
  double factor = dv_mech_k(m, c->force.rayleighStiffness);
  for (size_t i = 0; i < c->tissue.count; i++) {
    const double *r = c->record.data + 5 * i;
    const Element *e = &c->elements.data[i];
    dvVec3 l = dv_vec3_load(r + 2);
    dvMat3 d = dv_mat3_add(dv_mat3_scale(dv_mat3_identity(), r[0]), dv_mat3_scale(dv_mat3_outer(l, l), r[1]));
    double matrix[144];
    for (int row = 0; row < 12; row++)
      for (int col = 0; col < 12; col++)
        matrix[12 * row + col] = -factor * e->volume * e->g[row / 3] * e->g[col / 3] * d.m[row % 3][col % 3];
    dv_sink_add_element(sink, c->force.state, c->tissue.tetra + 4 * i, 4, matrix);
  }
}

static void contraction_end_step(dvObject *o)
{
  Contraction *c = (Contraction *)o;
  if (!holds(c)) return;
  const double *x = dv_state_read(c->force.state, DV_X), *u = dv_state_read(dv_state(c->potential.target), DV_X);
  double *tension = dv_reals_edit(&c->tension), *shown = dv_reals_edit(&c->contraction);
  if (!(c->dt > 0)) return;
  c->stored = 0;
  for (size_t i = 0; i < c->tissue.count; i++) {
    double *b = c->bridges.data + 3 * i, volume = c->elements.data[i].volume;
    if (!(volume > 0)) continue;
    double e = 0.5 * (dv_vec3_norm2(fibre_of(c, x, i)) - 1);
    Answer a = solve_element(c, &(Bridges){b[0], b[1], b[2]}, rates_of(c, u, i), e);
    double move = a.now.e - b[0];
    c->work -= 0.5 * volume * (b[2] + a.now.t) * move;   // the trapezoidal rule: order 2
    c->loss += volume * c->viscosity * move * move / c->dt;
    double gap = (e - a.now.e) / (1 + 2 * a.now.e);
    c->stored += 0.5 * c->seriesStiffness * gap * gap * volume;
    b[0] = a.now.e, b[1] = a.now.k, b[2] = a.now.t;
    tension[i] = a.s;
    shown[i] = a.now.e;
  }
  dv_touch(o, &c->tension);
  dv_touch(o, &c->contraction);
  dv_touch(o, &c->work);
  dv_touch(o, &c->loss);
  dv_touch(o, &c->stored);
}

static void contraction_destroy(dvObject *o)
{
  Contraction *c = (Contraction *)o;
  dv_muscle_free(&c->tissue);
  dv_array_free(&c->elements);
  dv_array_free(&c->bridges);
  dv_array_free(&c->record);
}

static const dvForceOps contraction_ops = {
    .add_force = contraction_add_force,
    .add_dforce = contraction_add_dforce,
    .add_stiffness = contraction_add_stiffness,
    DV_FORCE_SLOTS,
};

const dvClass dv_contraction_class = {
    .struct_size = sizeof(dvClass),
    .name = "ContractionForceField",
    .help = "contraction of heart muscle along its fibres, driven by the electric potential",
    .module = DV_HEART_MODULE,
    .dofs = DV_DOF_VEC3,
    .size = sizeof(Contraction),
    .blocks = {&dv_object_block, &dv_force_block, DV_BLOCK(contraction_fields)},
    .ops = {[DV_ROLE_FORCE] = &contraction_ops},
    .init = contraction_init,
    .reinit = contraction_reinit,
    .end_step = contraction_end_step,
    .destroy = contraction_destroy,
    DV_MEMORY(contraction_memory),
};

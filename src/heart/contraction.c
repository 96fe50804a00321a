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
#include "force/fem/matrices.h"
#include "force/mesh.h"
#include "heart/beside.h"
#include "heart/bridges.h"
#include "heart/classes.h"
#include "heart/muscle.h"
#include "heart/sizes.h"

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

// What a step adds, of some elements.
typedef struct Sums {
  double work, loss, stored;
} Sums;

typedef struct Contraction {
  dvForce force;
  CONTRACTION_FIELDS(DV_MEMBER)
  dvMuscle tissue;
  dvElementBlocks *blocks;
  const dvBridgeKernels *kernels;
  dvBridges data;
  DV_ARRAY(double) rest, rates, record, now, slots;   // see bridges.h
  DV_ARRAY(double) bridges;                           // what a step begins with
  DV_ARRAY(double) seen;                              // the potential and the fields that the rates are of, if any
  uint64_t zones;                                     // and what zones do
  DV_ARRAY(Sums) sums;                                // of each block
} Contraction;

#define SELF Contraction
static const dvFieldDesc contraction_fields[] = {CONTRACTION_FIELDS(DV_DESCRIBE)};
static const dvMemoryDesc contraction_memory[] = {DV_REMEMBER(list, bridges) DV_REMEMBER(reals, tension) DV_REMEMBER(
    reals, contraction) DV_REMEMBER(numbers, work) DV_REMEMBER(numbers, loss) DV_REMEMBER(numbers, stored)};
#undef SELF

// --- setting up ---

// a muscle that pulls so, or not at all, is none; 0 is meant where something is switched off
static void warn_of_sizes(const Contraction *c)
{
  const dvObject *o = &c->force.base;
  double pull = dv_max(c->stress, 1e-3), series = c->seriesStiffness / pull,
         drag = c->viscosity * c->contractionRate / pull;
  dv_size_warn(o, &c->stress, c->stress, 1e-3, 1e9, c->stress < 1 ? "the muscle does not pull" : "no muscle pulls so");
  dv_size_warn(o, &c->stiffness, c->stiffness, 0, 1e12, "bridges would hold the muscle as it is");
  dv_size_warn(o, &c->seriesStiffness, series, 1, 1e12,
               series < 1 ? "the spring in series would be stretched to %g times its length"
                          : "the spring in series is %g times as stiff as the muscle pulls: rounding would be felt",
               series < 1 ? 1 + 1 / series : series);
  dv_size_warn(o, &c->viscosity, drag, 0, 100, "the muscle would pull %g times less than its own drag", drag);
  dv_size_warn(o, &c->contractionRate, c->contractionRate, 1e-2, 1e6,
               c->contractionRate < 1 ? "bridges do not bind" : "bridges would bind at once");
  dv_size_warn(o, &c->relaxationRate, c->relaxationRate, 1e-2, 1e6,
               c->relaxationRate < 1 ? "the muscle does not relax" : "bridges would let go at once");
  dv_size_warn(o, &c->destruction, c->destruction, 0, 1e3, "bridges would be torn off by any motion");
}

static dvStatus contraction_reinit(dvObject *o)
{
  Contraction *c = (Contraction *)o;
  const double *numbers[] = {&c->stress,          &c->stiffness,      &c->seriesStiffness, &c->viscosity,
                             &c->contractionRate, &c->relaxationRate, &c->destruction};
  for (size_t i = 0; i < DV_COUNT(numbers); i++) DV_TRY(dv_size_from_zero(o, numbers[i]));
  if (!(c->seriesStiffness > 0))
    return dv_field_error(o, &c->seriesStiffness, "3e7 is the default", "the spring in series has no stiffness");
  warn_of_sizes(c);
  if (!(c->thresholds[0] < c->thresholds[1]))
    return dv_field_error(o, &c->thresholds, "give two potentials, the lower one first", "thresholds are %g and %g",
                          c->thresholds[0], c->thresholds[1]);
  if (!(c->thresholds[0] < 1))
    dv_field_warning(o, &c->thresholds, "potentials are 0 at rest and 1 when excited: 0.2 and 0.8 are the defaults",
                     "thresholds are %g and %g: the muscle will never pull", c->thresholds[0], c->thresholds[1]);
  if (!(c->thresholds[1] > 0))
    dv_field_warning(o, &c->thresholds, "potentials are 0 at rest and 1 when excited: 0.2 and 0.8 are the defaults",
                     "thresholds are %g and %g: the muscle pulls all the time", c->thresholds[0], c->thresholds[1]);
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

static dvStatus make_strings(Contraction *c)
{
  dvObject *o = &c->force.base;
  const dvMuscle *t = &c->tissue;
  dv_blocks_destroy(&c->blocks);
  if (dv_blocks_create(t->tetra, 4, t->count, t->points, t->rest, 0, &c->blocks) != DV_OK)
    return dv_error(o, NULL, "out of memory for %zu tetrahedra", t->count);
  size_t lanes = DV_LANES * c->blocks->packs;
  dv_array_resize(&c->rest, DV_BRIDGE_REST * lanes);
  dv_array_resize(&c->rates, DV_BRIDGE_RATES * lanes);
  dv_array_resize(&c->record, DV_BRIDGE_RECORD * lanes);
  dv_array_resize(&c->now, DV_BRIDGE_STATE * lanes);
  dv_array_resize(&c->bridges, DV_BRIDGE_STATE * lanes);
  dv_array_resize(&c->slots, DV_BLOCK_STRIDE * c->blocks->slots);
  dv_array_resize(&c->sums, c->blocks->count);
  c->seen.count = 0;
  if (!dv_reals_resize(&c->tension, t->count) || !dv_reals_resize(&c->contraction, t->count))
    return dv_error(o, NULL, "out of memory for %zu tetrahedra", t->count);
  for (size_t i = 0; i < t->count; i++) {
    dvVec3 g[4], f = dv_vec3_load(t->fibre.data + 3 * i);
    size_t lane = (size_t)c->blocks->lane[i];
    double volume, *rest = c->rest.data + DV_LANES * DV_BRIDGE_REST * (lane / DV_LANES) + lane % DV_LANES;
    if (!dv_muscle_gradients(t, i, g, &volume)) continue;   // no volume: no force
    rest[0] = volume;
    for (int k = 0; k < 4; k++) rest[DV_LANES * (1 + k)] = dv_vec3_dot(g[k], f);
  }
  c->kernels = DV_KERNEL_CHOOSE_WIDE(dv_bridge_kernels);
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
  return make_strings(c);
}

static dvStatus contraction_bwd_init(dvObject *o)
{
  dv_beside_muscle(o);
  return DV_OK;
}

// --- operations ---

typedef struct Job {
  Contraction *c;
  const double *x, *u;
  bool rates;   // take them first
  double k;
  double *tension, *contraction;   // at the end of a step
} Job;

// the lanes of a block
static size_t first_lane(const dvElementBlock *b) { return DV_LANES * (size_t)b->first_pack; }
static size_t end_lane(const dvElementBlock *b) { return DV_LANES * (size_t)(b->first_pack + b->packs); }

// |u|+, |u| and contractility of the elements of a block
static void take_rates(const Job *job, size_t b)
{
  const Contraction *c = job->c;
  const dvElementBlock *block = &c->blocks->blocks[b];
  for (size_t lane = first_lane(block); lane < end_lane(block); lane++) {
    int32_t element = c->blocks->element[lane];
    double *out = c->rates.data + DV_LANES * DV_BRIDGE_RATES * (lane / DV_LANES) + lane % DV_LANES;
    if (element < 0) continue;
    const int32_t *p = c->tissue.tetra + 4 * (size_t)element;
    double sum = 0, count = 0;
    for (int k = 0; k < 4; k++) {   // muscle beside a scar is as excited as what lives of it
      double alive = c->tissue.alive.data[p[k]];
      sum += alive * job->u[p[k]];
      count += alive;
    }
    double mean = count > 0 ? sum / count : 0, part = (mean - c->thresholds[0]) / (c->thresholds[1] - c->thresholds[0]),
           s = dv_max(0, dv_min(1, part)), rate = s * c->contractionRate - (1 - s) * c->relaxationRate;
    out[0] = dv_max(rate, 0);
    out[DV_LANES] = fabs(rate);
    out[2 * DV_LANES] = c->tissue.contractility.data[element];
  }
}

static void force_blocks(void *user, size_t begin, size_t end)
{
  const Job *job = user;
  for (size_t b = begin; b < end; b++) {
    if (job->rates) take_rates(job, b);
    job->c->kernels->force(&job->c->data, b, job->x);
  }
}

static void dforce_blocks(void *user, size_t begin, size_t end)
{
  const Job *job = user;
  for (size_t b = begin; b < end; b++) job->c->kernels->dforce(&job->c->data, b, job->x, job->k);
}

// what is remembered moves
static void end_block(const Job *job, size_t b)
{
  Contraction *c = job->c;
  const dvElementBlock *block = &c->blocks->blocks[b];
  Sums sums = {0};
  for (size_t lane = first_lane(block); lane < end_lane(block); lane++) {
    size_t pack = lane / DV_LANES, in = lane % DV_LANES;
    int32_t element = c->blocks->element[lane];
    const double *record = c->record.data + DV_LANES * DV_BRIDGE_RECORD * pack + in,
                 *now = c->now.data + DV_LANES * DV_BRIDGE_STATE * pack + in;
    double *old = c->bridges.data + DV_LANES * DV_BRIDGE_STATE * pack + in,
           volume = c->rest.data[DV_LANES * DV_BRIDGE_REST * pack + in], move = now[0] - old[0];
    if (element < 0 || !(volume > 0)) continue;
    sums.work -= 0.5 * volume * (old[2 * DV_LANES] + now[2 * DV_LANES]) * move;   // the trapezoidal rule: order 2
    sums.loss += volume * c->viscosity * move * move / c->data.dt;
    double stretch = 1 + 2 * now[0], gap = record[0] * stretch / c->seriesStiffness;   // (e - e_c) / (1 + 2 e_c)
    sums.stored += 0.5 * c->seriesStiffness * gap * gap * volume;
    for (size_t k = 0; k < DV_BRIDGE_STATE; k++) old[DV_LANES * k] = now[DV_LANES * k];
    job->tension[element] = record[0];
    job->contraction[element] = now[0];
  }
  c->sums.data[b] = sums;
}

static void end_blocks(void *user, size_t begin, size_t end)
{
  const Job *job = user;
  for (size_t b = begin; b < end; b++) {
    if (job->rates) take_rates(job, b);
    job->c->kernels->end(&job->c->data, b, job->x);
    end_block(job, b);
  }
}

static bool holds(Contraction *c)
{
  return dv_muscle_holds(&c->tissue, c->force.state) && dv_state(c->potential.target)->count >= c->tissue.points;
}

// Rates are taken anew when the potential, what zones do or a field is another one.
static Job job_at(Contraction *c, int x)
{
  const double *u = dv_state_read(dv_state(c->potential.target), DV_X),
               fields[] = {c->contractionRate, c->relaxationRate, c->thresholds[0], c->thresholds[1]};
  Job job = {.c = c, .x = dv_state_read(c->force.state, x), .u = u};
  size_t points = c->tissue.points, all = points + DV_COUNT(fields);
  job.rates = c->seen.count != all || c->zones != c->tissue.zone_stamp ||
              memcmp(c->seen.data, u, points * sizeof *u) != 0 ||
              memcmp(c->seen.data + points, fields, sizeof fields) != 0;
  if (!job.rates) return job;
  dv_array_resize(&c->seen, all);
  memcpy(c->seen.data, u, points * sizeof *u);
  memcpy(c->seen.data + points, fields, sizeof fields);
  c->zones = c->tissue.zone_stamp;
  return job;
}

static void contraction_add_force(dvObject *o, const dvMech *m)
{
  Contraction *c = (Contraction *)o;
  if (!holds(c)) return;
  if (dv_muscle_zones(&c->tissue, m->time, NULL) != DV_OK) return;
  c->data = (dvBridges){.blocks = c->blocks,
                        .dt = m->dt > 0 ? m->dt : o->node->scene->root->dt,
                        .stiffness = c->stiffness,
                        .stress = c->stress,
                        .series = c->seriesStiffness,
                        .viscosity = c->viscosity,
                        .destruction = c->destruction,
                        .rest = c->rest.data,
                        .old = c->bridges.data,
                        .rates = c->rates.data,
                        .record = c->record.data,
                        .now = c->now.data,
                        .slots = c->slots.data};
  Job job = job_at(c, m->x);
  dv_blocks_run(c->blocks, &(dvBlocksJob){o->context->pool, force_blocks, &job, 60}, c->slots.data, 3,
                dv_state_write(c->force.state, m->f));
}

static void contraction_add_dforce(dvObject *o, const dvMech *m)
{
  Contraction *c = (Contraction *)o;
  if (!holds(c) || !c->data.blocks) return;
  Job job = {.c = c, .x = dv_state_read(c->force.state, m->dx), .k = dv_mech_k(m, c->force.rayleighStiffness)};
  dv_blocks_run(c->blocks, &(dvBlocksJob){o->context->pool, dforce_blocks, &job, 10}, c->slots.data, 3,
                dv_state_write(c->force.state, m->df));
}

static void pack_matrices(const void *elements, size_t pack, double k, double *out)
{
  const Contraction *c = elements;
  c->kernels->matrix(&c->data, pack, k, out);
}

static void contraction_add_stiffness(dvObject *o, const dvMech *m, dvMatrixSink *sink)
{
  Contraction *c = (Contraction *)o;
  if (!holds(c) || !c->data.blocks) return;
  dvElementMatrices matrices = {.blocks = c->blocks,
                                .width = 3,
                                .elements = c,
                                .k = dv_mech_k(m, c->force.rayleighStiffness),
                                .pack = pack_matrices};
  dv_element_matrices_add(&matrices, sink, c->force.state);
}

static void contraction_end_step(dvObject *o)
{
  Contraction *c = (Contraction *)o;
  if (!holds(c)) return;
  if (!c->data.blocks) return;
  Job job = job_at(c, DV_X);
  job.tension = dv_reals_edit(&c->tension);
  job.contraction = dv_reals_edit(&c->contraction);
  dv_blocks_each(c->blocks, &(dvBlocksJob){o->context->pool, end_blocks, &job, 60});
  c->stored = 0;
  for (size_t b = 0; b < c->blocks->count; b++) {
    c->work += c->sums.data[b].work;
    c->loss += c->sums.data[b].loss;
    c->stored += c->sums.data[b].stored;
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
  dv_blocks_destroy(&c->blocks);
  dv_array_free(&c->rest);
  dv_array_free(&c->rates);
  dv_array_free(&c->record);
  dv_array_free(&c->now);
  dv_array_free(&c->slots);
  dv_array_free(&c->bridges);
  dv_array_free(&c->seen);
  dv_array_free(&c->sums);
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
    .bwd_init = contraction_bwd_init,
    .reinit = contraction_reinit,
    .end_step = contraction_end_step,
    .destroy = contraction_destroy,
    DV_MEMORY(contraction_memory),
};

// LCPForceFeedback: constraints that a tool takes part in, felt at the rate of the haptic loop.
//
// At the end of a step, those laws whose rows act on the tool's frame become a mechanism
// (sensation.h): their part of W, their violations with all other multipliers as they are, directions on the frame, and
// how violations follow the hand. With a control spring K from hand to frame that is W_cu K h, W_cu = H A^-1 U^T for
// the unit directions U of the frame, from the same corrections; else the directions themselves, as SOFA has it.
// Equalities of many rows are taken row by row; laws of plugins are not felt at the loop's rate, their multipliers stay
// those of the step.
//
// What a step says is felt during the next one. Until then a hand that moves on would seem to move two or three times
// as fast, and be pushed by that much more damping and inertia of the bodies. So the step gets the hand where it will
// be (`prediction` steps ahead, at its present speed); what the hand does differently is made good for in each tick.
// Only along the push of contacts, and of a needle's tip on the surface, which bodies give back: a hand that stops has
// been expected too far, and where things rub and needles cut that would not be undone.
//
// SOFA counts the hand's way from the tool's free position instead of from where the hand was when the step began;
// where the control spring is stiff the two are the same.
#include "haptic/feedback.h"

#include "haptic/register.h"
#include "instrument/needle.h"
#include "scene/plan.h"

#include <math.h>
#include <string.h>

#define LCP_FEEDBACK_FIELDS(X)                                                                                \
  DV_FEEDBACK_FIELDS(X)                                                                                       \
  X(real, forceCoef, "0.03", "",                                                                              \
    "force for a multiplier (an impulse, N s): 1/dt gives N; with newtons it is a plain "                     \
    "factor")                                                                                                 \
  X(bool, newtons, "0", "", "multipliers are divided by the time step first: forceCoef 1 is the true force")  \
  X(real, solverTimeout, "0.0008", "s", "most time of the haptic loop's search for multipliers, in a thread", \
    .least = "0")                                                                                             \
  X(int, solverMaxIt, "100", "", "most iterations of that search", .least = "0", .most = "100000")            \
  X(bool, derivRotations, "0", "", "turns of the hand count between steps, too")                              \
  X(real, prediction, "2", "steps",                                                                           \
    "along the push of contacts the scene gets the hand where it will be when forces are felt; 0: where it "  \
    "is",                                                                                                     \
    .least = "0", .most = "4")                                                                                \
  X(bool, localHapticConstraintAllFrames, "0", "",                                                            \
    "what acts on any frame of the state is felt, as if all moved with the tool's")                           \
  X(int, rows, "0", "", "rows of the constraints that were felt in the last step", .flags = DV_READ_ONLY)

typedef struct LcpFeedback {
  dvObject base;
  LCP_FEEDBACK_FIELDS(DV_MEMBER)
  dvFeedback feedback;
  dvState *state;
  dvObject *solver;
  DV_ARRAY(int32_t) chosen;   // laws
  DV_ARRAY(int32_t) place;    // of a row of the problem among those that are felt, -1 for the others
  DV_ARRAY(double) column;    // of W; violations
  DV_ARRAY(double) unit;
  DV_ARRAY(double) answer;   // W of the felt rows and the frame's six
  dvRowSet set;
  bool told_many;
  double push[3];   // unit vector along which contacts push the tool; 0: they do not
} LcpFeedback;

#define SELF LcpFeedback
static const dvFieldDesc lcp_feedback_fields[] = {LCP_FEEDBACK_FIELDS(DV_DESCRIBE)};
#undef SELF

static dvFeedback *lcp_feedback(dvObject *o) { return &((LcpFeedback *)o)->feedback; }
static int lcp_tool(const dvObject *o) { return ((const LcpFeedback *)o)->indice; }
static bool lcp_active(const dvObject *o) { return ((const LcpFeedback *)o)->activate; }

static double lcp_ahead(const dvObject *o, double along[3])
{
  const LcpFeedback *l = (const LcpFeedback *)o;
  memcpy(along, l->push, sizeof l->push);
  return l->prediction;
}

static dvStatus lcp_feedback_init(dvObject *o)
{
  LcpFeedback *l = (LcpFeedback *)o;
  if (!(l->prediction >= 0 && l->prediction <= 4))
    return dv_field_error(o, &l->prediction, "2 is the default, 0 is none",
                          "nobody knows where a hand is %g steps ahead", l->prediction);
  dvObject *state = dv_node_state_up(o->node);
  if (!state) return dv_error(o, "put it into the node of the tool", "%s finds no state of a tool", o->name);
  DV_TRY(dv_object_ensure(state));
  if (state->dof->kind != DV_RIGID3)
    return dv_error(o, "use a MechanicalObject of frames (Rigid3)", "what is felt acts on a frame, not on %s",
                    state->dof->name);
  l->state = dv_state(state);
  if (l->indice < 0 || (l->state->count && (size_t)l->indice >= l->state->count))
    return dv_field_error(o, &l->indice, "indices count from 0", "there is no frame %d: the tool has %zu", l->indice,
                          l->state->count);
  l->solver = dv_node_find_below(o->node->scene->root, DV_ROLE_CONSTRAINT_SOLVER);
  const dvConstraintSolverOps *ops = l->solver ? dv_ops(l->solver, DV_ROLE_CONSTRAINT_SOLVER) : NULL;
  if (ops && ops->problem) return DV_OK;
  return dv_error(o, "add a FreeMotionAnimationLoop and a constraint solver such as LCPConstraintSolver",
                  "there are no constraints to feel: the scene has no constraint solver");
}

// --- which rows are felt -------------------------------------------------------------------------

static bool acts_on_tool(const LcpFeedback *l, const dvSparseRows *r, size_t row)
{
  if (row >= r->count) return false;
  for (size_t k = r->start.data[row]; k < r->start.data[row + 1]; k++)
    if (l->localHapticConstraintAllFrames || r->col.data[k] / 6 == l->indice) return true;
  return false;
}

static bool is_felt(const LcpFeedback *l, const dvProblemLaw *law, const dvSparseRows *r)
{
  if (law->law.kind == DV_LAW_OWN && dv_needle_law_number(&law->law) < 0) return false;
  for (int i = 0; i < law->law.rows; i++)
    if (acts_on_tool(l, r, (size_t)(law->first + i))) return true;
  return false;
}

// how many laws a message needs: long equalities are taken row by row
static size_t laws_of(const dvLaw *law) { return law->rows <= DV_LAW_ROWS ? 1 : (size_t)law->rows; }

static void choose(LcpFeedback *l, const dvConstraintProblem *p, size_t *laws, size_t *rows)
{
  const dvStateRows *on = dv_rows_find(&p->set, l->state);
  *laws = *rows = 0;
  l->chosen.count = 0;
  dv_array_resize(&l->place, p->rows);
  for (size_t i = 0; i < p->rows; i++) l->place.data[i] = -1;
  for (size_t i = 0; on && i < p->laws.count; i++) {
    const dvProblemLaw *law = &p->laws.data[i];
    if (!is_felt(l, law, &on->rows)) continue;
    if (*rows + (size_t)law->law.rows > DV_MECHANISM_ROWS) {
      if (!l->told_many)
        dv_warning(&l->base, "coarsen the collision model of the tool",
                   "more than %d rows of constraints act on the tool: the rest is not felt (told once)",
                   DV_MECHANISM_ROWS);
      l->told_many = true;
      break;
    }
    dv_push(&l->chosen, (int32_t)i);
    for (int k = 0; k < law->law.rows; k++) l->place.data[law->first + k] = (int32_t)(*rows)++;
    *laws += laws_of(&law->law);
  }
}

// --- the mechanism -------------------------------------------------------------------------------

static void write_laws(const LcpFeedback *l, const dvConstraintProblem *p, dvSensationLaw *out)
{
  for (size_t i = 0; i < l->chosen.count; i++) {
    const dvLaw *law = &p->laws.data[l->chosen.data[i]].law;
    size_t count = laws_of(law);
    for (size_t k = 0; k < count; k++, out++)
      *out = (dvSensationLaw){.kind = law->kind == DV_LAW_OWN ? law->kind + dv_needle_law_number(law) : law->kind,
                              .rows = count > 1 ? 1 : law->rows,
                              .mu = law->mu,
                              .low = law->low,
                              .high = law->high,
                              .compliance = law->compliance};
  }
}

// W of the felt rows; where it is not built, column by column
static void write_compliance(LcpFeedback *l, dvConstraintProblem *p, size_t rows, double *w)
{
  size_t n = p->rows;
  dv_array_resize(&l->unit, n);
  dv_array_resize(&l->column, n);
  for (size_t j = 0; j < n; j++) {
    int32_t to = l->place.data[j];
    if (to < 0) continue;
    if (p->w.count == 0) {
      memset(l->unit.data, 0, n * sizeof *l->unit.data);
      l->unit.data[j] = 1;
      dv_problem_product(p, l->unit.data, l->column.data);
    }
    for (size_t i = 0; i < n; i++)
      if (l->place.data[i] >= 0)
        w[(size_t)l->place.data[i] * rows + (size_t)to] = p->w.count ? p->w.data[i * n + j] : l->column.data[i];
  }
}

// violations as the other multipliers leave them: those of all, less what the felt ones do
static void write_violations(LcpFeedback *l, dvConstraintProblem *p, size_t rows, const dvMechanism *c)
{
  dv_array_resize(&l->column, p->rows);
  dv_problem_product(p, p->lambda.data, l->column.data);
  for (size_t i = 0; i < p->rows; i++) {
    if (l->place.data[i] < 0) continue;
    size_t at = (size_t)l->place.data[i];
    c->lambda[at] = p->lambda.data[i];
    c->free[at] = p->violation.data[i] + l->column.data[i];
  }
  for (size_t i = 0; i < rows; i++)
    for (size_t k = 0; k < rows; k++) c->free[i] -= c->w[i * rows + k] * c->lambda[k];
}

static void write_directions(const LcpFeedback *l, const dvConstraintProblem *p, double *h)
{
  const dvSparseRows *r = &dv_rows_find(&p->set, l->state)->rows;
  for (size_t i = 0; i < p->rows && i < r->count; i++)
    for (size_t k = r->start.data[i]; l->place.data[i] >= 0 && k < r->start.data[i + 1]; k++)
      if (l->localHapticConstraintAllFrames || r->col.data[k] / 6 == l->indice)
        h[6 * (size_t)l->place.data[i] + (size_t)(r->col.data[k] % 6)] += r->value.data[k];
}

// the felt rows, on all states that a correction covers, and the unit directions of the tool's frame behind them
static void pose_answer(LcpFeedback *l, const dvConstraintProblem *p, const dvObject *correction, size_t rows)
{
  const dvCorrectionOps *ops = dv_ops(correction, DV_ROLE_CORRECTION);
  dv_rows_clear(&l->set);
  for (size_t s = 0; s < p->set.used; s++) {
    const dvStateRows *on = &p->set.states.data[s];
    if (!ops->covers(correction, &on->state->base)) continue;
    dvSparseRows *mine = &dv_rows_on(&l->set, on->state)->rows;
    for (size_t i = 0; i < p->rows && i < on->rows.count; i++)
      for (size_t k = on->rows.start.data[i]; l->place.data[i] >= 0 && k < on->rows.start.data[i + 1]; k++)
        dv_sparse_rows_add(mine, l->place.data[i], on->rows.col.data[k], on->rows.value.data[k]);
  }
  dvSparseRows *tool = &dv_rows_on(&l->set, l->state)->rows;
  for (int k = 0; k < 6; k++) dv_sparse_rows_add(tool, (int32_t)rows + k, 6 * l->indice + k, 1);
  for (size_t s = 0; s < l->set.used; s++) dv_sparse_rows_settle(&l->set.states.data[s].rows, rows + 6);
}

// G = W_cu K h
static bool write_response(LcpFeedback *l, const dvConstraintProblem *p, size_t rows, const dvControlSpring *spring,
                           double *g)
{
  const dvConstraintStep *step = &p->step;
  const dvPlan *plan = l->base.node->scene->plan;
  size_t n = rows + 6;
  for (size_t i = 0; i < plan->corrections.count; i++) {
    dvObject *c = plan->corrections.data[i];
    const dvCorrectionOps *ops = dv_ops(c, DV_ROLE_CORRECTION);
    if (!ops->covers(c, &l->state->base)) continue;
    pose_answer(l, p, c, rows);
    dv_array_resize(&l->answer, n * n);
    memset(l->answer.data, 0, n * n * sizeof *l->answer.data);
    if (ops->add_compliance(c, step, &l->set, n, l->answer.data) != DV_OK) return false;
    for (size_t r = 0; r < rows; r++)
      for (size_t k = 0; k < 6; k++)
        g[6 * r + k] = l->answer.data[r * n + rows + k] * spring->stiffness[k / 3] * step->dt;
    return true;
  }
  return false;
}

// bodies give back what contacts and a needle's tip on the surface push
static bool gives_back(const dvLaw *law)
{
  return law->kind == DV_LAW_UNEQUAL || law->kind == DV_LAW_FRICTION || dv_needle_law_number(law) == DV_NEEDLE_TOUCH;
}

// the sum of what contacts push along their normals; before they do, the normal of the nearest
static void find_push(LcpFeedback *l, const dvConstraintProblem *p, const dvMechanism *c)
{
  dvVec3 sum = {0, 0, 0}, next = {0, 0, 0};
  double nearest = INFINITY;
  for (size_t i = 0; i < l->chosen.count; i++) {
    const dvProblemLaw *law = &p->laws.data[l->chosen.data[i]];
    if (!gives_back(&law->law)) continue;
    size_t at = (size_t)l->place.data[law->first];
    sum = dv_vec3_add_scaled(sum, dv_vec3_load(c->directions + 6 * at), c->lambda[at]);
    if (c->free[at] >= nearest) continue;
    nearest = c->free[at];
    next = dv_vec3_load(c->directions + 6 * at);
  }
  dvVec3 push = dv_vec3_norm(sum) > 0 ? sum : next;
  double size = dv_vec3_norm(push);
  dv_vec3_store(l->push, size > 0 ? dv_vec3_scale(push, 1 / size) : push);
}

static double tolerance_of(const dvObject *solver)
{
  const dvField *f = dv_object_field(solver, "tolerance");
  return f && f->desc->type == DV_T_REAL ? *(const double *)f->value : 1e-3;
}

static void lcp_draft(dvObject *o, double dt)
{
  LcpFeedback *l = (LcpFeedback *)o;
  dvConstraintProblem *p =
      ((const dvConstraintSolverOps *)dv_ops(l->solver, DV_ROLE_CONSTRAINT_SOLVER))->problem(l->solver);
  size_t laws, rows;
  choose(l, p, &laws, &rows);
  l->rows = (int32_t)rows;
  dv_touch(&l->base, &l->rows);
  dvSensation *m = dv_feedback_begin(&l->feedback, DV_RENDER_MECHANISM, dt, laws, rows);
  m->coefficient = l->newtons ? l->forceCoef / dt : l->forceCoef;
  m->rotations = l->derivRotations;
  m->iterations = l->solverMaxIt;
  m->tolerance = 1e-3 * tolerance_of(l->solver);
  m->timeout = l->solverTimeout;
  memset(l->push, 0, sizeof l->push);
  if (rows == 0) return;
  dvMechanism c = dv_sensation_mechanism(l->feedback.draft.data);
  write_laws(l, p, c.laws);
  write_compliance(l, p, rows, c.w);
  write_violations(l, p, rows, &c);
  write_directions(l, p, c.directions);
  find_push(l, p, &c);
  dvControlSpring spring;
  if (dv_control_spring(l->state->base.node, l->state, &spring) && write_response(l, p, rows, &spring, c.response)) {
    for (int i = 0; i < 2; i++) m->lag[i] = spring.stiffness[i] > 0 ? spring.damping[i] / spring.stiffness[i] : 0;
    return;
  }
  memcpy(c.response, c.directions, 6 * rows * sizeof(double));
}

static void lcp_feedback_create(dvObject *o) { dv_feedback_init(lcp_feedback(o)); }
static void lcp_feedback_remember(dvObject *o, dvMemoryStream *s)
{
  dv_feedback_remember(lcp_feedback(o), s);
  dv_remember_numbers(s, "push", ((LcpFeedback *)o)->push, sizeof((LcpFeedback *)o)->push);
}
static void lcp_feedback_destroy(dvObject *o)
{
  LcpFeedback *l = (LcpFeedback *)o;
  dv_feedback_free(&l->feedback);
  dv_array_free(&l->chosen);
  dv_array_free(&l->place);
  dv_array_free(&l->column);
  dv_array_free(&l->unit);
  dv_array_free(&l->answer);
  dv_rows_free(&l->set);
}

static const dvFeedbackOps lcp_feedback_ops = {
    .feedback = lcp_feedback, .tool = lcp_tool, .active = lcp_active, .draft = lcp_draft, .ahead = lcp_ahead};

const dvClass dv_lcp_feedback_class = {
    .struct_size = sizeof(dvClass),
    .name = "LCPForceFeedback",
    .help = "lets a hand feel the constraints of its tool, solved anew for every motion of the hand",
    .module = "Sofa.Component.Haptics",
    .dofs = DV_DOF_RIGID3,
    .size = sizeof(LcpFeedback),
    .blocks = {&dv_object_block, DV_BLOCK(lcp_feedback_fields)},
    .ops = {[DV_ROLE_CONTROLLER] = &lcp_feedback_ops},
    .create = lcp_feedback_create,
    .init = lcp_feedback_init,
    .destroy = lcp_feedback_destroy,
    .remember = lcp_feedback_remember,
};

// See problem.h.
#include "constraint/lagrangian/problem.h"

#include <string.h>

static const dvConstraintOps *ops_of(const dvObject *o) { return dv_ops(o, DV_ROLE_CONSTRAINT); }

// --- collecting --------------------------------------------------------------------------------------

static void add_laws(dvConstraintProblem *p, dvObject *o, uint64_t owner, const dvConstraintStep *step)
{
  size_t count = ops_of(o)->laws(o, step, NULL);
  p->asked.count = 0;
  dv_array_resize(&p->asked, count);
  if (count) ops_of(o)->laws(o, step, p->asked.data);
  for (size_t i = 0; i < count; i++) {
    dvLaw law = p->asked.data[i];
    DV_REQUIRE(law.rows > 0 && (law.rows <= DV_LAW_ROWS || law.kind == DV_LAW_EQUAL));
    int parts = law.rows > DV_LAW_ROWS && !p->takes_blocks ? law.rows : 1;
    law.rows /= parts;
    if (law.fresh && p->late) law.id = ~law.id;
    for (int k = 0; k < parts; k++, p->rows += (size_t)law.rows)
      dv_push(&p->laws, ((dvProblemLaw){law, o, owner, (int32_t)p->rows, -1}));
  }
}

// under which multipliers are kept: the number in the plan, or what a live one says; no address, since it is hashed
static uint64_t owner_of(const dvPlan *plan, size_t index)
{
  const dvObject *o = plan->constraints.data[index];
  if (index < plan->fixed.constraints) return 2 * (uint64_t)index + 2;
  return (ops_of(o)->identity ? ops_of(o)->identity(o) : 2 * (uint64_t)index) | 1;
}

static bool is_live(const dvProblemLaw *l) { return l->owner & 1; }

static int32_t node_number(const dvPlan *plan, int32_t index)
{
  return dv_address_map_find(&plan->nodes, plan->constraints.data[index]->node, 0);
}

// fixed ones are in order; each live one goes behind those of its node
static void put_in_order(dvConstraintProblem *p, const dvPlan *plan)
{
  size_t count = plan->constraints.count, fixed = plan->fixed.constraints;
  dv_array_resize(&p->order, count);
  for (size_t i = 0; i < count; i++) {
    size_t at = i;
    for (; i >= fixed && at > 0 && node_number(plan, p->order.data[at - 1]) > node_number(plan, (int32_t)i); at--)
      p->order.data[at] = p->order.data[at - 1];
    p->order.data[at] = (int32_t)i;
  }
}

static const void *key_of(uint64_t owner) { return (const void *)(uintptr_t)owner; }

static void start_from_last(dvConstraintProblem *p, const dvPlan *plan)
{
  if (p->version != plan->version) dv_problem_forget(p);   // a number may belong to another component now
  p->version = plan->version;
  for (size_t i = 0; i < p->laws.count; i++) {
    const dvProblemLaw *l = &p->laws.data[i];
    bool kept = !l->law.restarts || p->keep_all;
    int32_t at = kept ? dv_address_map_find(&p->kept, key_of(l->owner), l->law.id) : -1;
    if (at >= 0 && (size_t)at + (size_t)l->law.rows > p->old.count) at = -1;   // it had fewer rows
    for (int k = 0; k < l->law.rows; k++) p->lambda.data[l->first + k] = at >= 0 ? p->old.data[at + k] : 0;
  }
}

dvStatus dv_problem_collect(dvConstraintProblem *p, dvPlan *plan, const dvConstraintStep *step)
{
  p->rows = p->laws.count = 0;
  dv_rows_clear(&p->set);
  put_in_order(p, plan);
  for (size_t i = 0; i < plan->constraints.count; i++) {
    size_t index = (size_t)p->order.data[i];
    dvObject *o = plan->constraints.data[index];
    if (ops_of(o)->begin) ops_of(o)->begin(o, step);
    int32_t first = (int32_t)p->rows;
    add_laws(p, o, owner_of(plan, index), step);
    if (p->rows > INT32_MAX / 2) return dv_error(o, NULL, "too many constraints");
    if (p->rows > (size_t)first) ops_of(o)->rows(o, step, &p->set, first);
  }
  dv_array_resize(&p->violation, p->rows);
  dv_array_resize(&p->lambda, p->rows);
  dv_mech_rows_up(plan, &p->set, p->rows);
  for (size_t i = 0; i < p->laws.count; i++) {
    dvObject *o = p->laws.data[i].object;
    if (i == 0 || p->laws.data[i - 1].object != o)
      ops_of(o)->violation(o, step, p->violation.data + p->laws.data[i].first);
  }
  start_from_last(p, plan);
  return DV_OK;
}

// --- compliance and motion ---------------------------------------------------------------------------

static bool is_moved(const dvPlan *plan, const dvObject *state)
{
  for (size_t i = 0; i < plan->corrections.count; i++) {
    const dvObject *c = plan->corrections.data[i];
    if (((const dvCorrectionOps *)dv_ops(c, DV_ROLE_CORRECTION))->covers(c, state)) return true;
  }
  return false;
}

static double own_compliance(const dvConstraintProblem *p, size_t law, size_t row)
{
  if (!p->unbuilt.used) return p->w.data[row * p->rows + row];
  size_t n = (size_t)p->laws.data[law].law.rows, k = row - (size_t)p->laws.data[law].first;
  return dv_unbuilt_own(&p->unbuilt, law)[k * n + k];
}

void dv_problem_diagonal(const dvConstraintProblem *p, double *out)
{
  for (size_t i = 0; i < p->laws.count; i++) {
    size_t first = (size_t)p->laws.data[i].first, end = first + (size_t)p->laws.data[i].law.rows;
    for (size_t r = first; r < end; r++) out[r] = own_compliance(p, i, r);
  }
}

static void set_own_compliance(dvConstraintProblem *p, size_t law, size_t row, double value)
{
  size_t n = (size_t)p->laws.data[law].law.rows, k = row - (size_t)p->laws.data[law].first;
  if (p->unbuilt.used) p->unbuilt.own.data[p->unbuilt.laws.data[law].own + k * n + k] = value;
  else p->w.data[row * p->rows + row] = value;
}

#define AGAINST "a push along it moves the body against the push (compliance %g)"
static const char yielding[] =
    "take a smaller time step, or keep springs and elements there from being pressed that far";

// Where both bodies are held a contact changes nothing: it has no multipliers, and 1 stands for its compliance. So it
// is where the matrix of the motion is not positive definite.
static bool rests(dvConstraintProblem *p, size_t law)
{
  dvProblemLaw *l = &p->laws.data[law];
  double w = own_compliance(p, law, (size_t)l->first);
  if (!is_live(l) || l->law.kind == DV_LAW_OWN || w > 0) return false;
  if (w != 0 && !p->told_against) {
    p->told_against = true;
    dv_warning(l->object, yielding, "a contact is left alone, as all such ones from now on: " AGAINST, w);
  }
  l->law.kind = DV_LAW_BOUNDED;
  l->law.low = l->law.high = 0;
  for (size_t r = (size_t)l->first; r < (size_t)(l->first + l->law.rows); r++)
    if (!(own_compliance(p, law, r) > 0)) set_own_compliance(p, law, r, 1);
  return true;
}

// a main state that row r acts on and no correction moves
static const dvObject *find_still(const dvConstraintProblem *p, const dvPlan *plan, size_t r)
{
  for (size_t k = 0; k < plan->independent.count; k++) {
    const dvStateRows *on = dv_rows_find(&p->set, dv_state(plan->independent.data[k]));
    if (on && on->rows.start.data[r + 1] > on->rows.start.data[r] && !is_moved(plan, &on->state->base))
      return &on->state->base;
  }
  return NULL;
}

// why a row of compliance w cannot be solved
static dvStatus refuse_row(const dvConstraintProblem *p, const dvPlan *plan, const dvProblemLaw *l, size_t r, double w)
{
  const dvObject *still = find_still(p, plan, r);
  if (w < 0) return dv_error(l->object, yielding, "this constraint cannot be solved: " AGAINST, w);
  if (w != 0)
    return dv_error(l->object, "take a smaller time step",
                    "this constraint cannot be solved: its compliance is no number (%g)", w);
  if (still)
    return dv_error(l->object,
                    "add a constraint correction (LinearSolverConstraintCorrection) to the node of the object",
                    "nothing that this constraint acts on can move: %s has no constraint correction", still->name);
  return dv_error(l->object, "take the constraint away, or what holds its points (FixedProjectiveConstraint)",
                  "nothing that this constraint acts on can move: all of it is held");
}

// a row whose compliance is zero cannot be solved, unless its law knows what to do
static dvStatus check_rows(dvConstraintProblem *p, const dvPlan *plan)
{
  for (size_t i = 0; i < p->laws.count; i++) {
    const dvProblemLaw *l = &p->laws.data[i];
    if (rests(p, i)) continue;
    for (size_t r = (size_t)l->first; r < (size_t)(l->first + l->law.rows); r++) {
      double w = own_compliance(p, i, r) + l->law.compliance;
      if (l->law.kind != DV_LAW_OWN && !(w > 0)) return refuse_row(p, plan, l, r, w);
    }
  }
  return DV_OK;
}

static const dvCorrectionOps *correction_ops(const dvObject *c) { return dv_ops(c, DV_ROLE_CORRECTION); }

static bool can_stay_unbuilt(const dvConstraintProblem *p, const dvPlan *plan)
{
  for (size_t i = 0; i < plan->corrections.count; i++)
    if (!correction_ops(plan->corrections.data[i])->add_unbuilt) return false;
  return p->takes_unbuilt && plan->corrections.count > 0;
}

enum { MOST_ROWS = 20000 };   // their compliance takes 3.2 GB

static dvStatus build(dvConstraintProblem *p, dvPlan *plan, const dvConstraintStep *step)
{
  size_t n = p->rows * p->rows;
  if (p->rows > MOST_ROWS || (n > p->w.count && !dv_try_reserve(&p->w, n - p->w.count)))
    return dv_error(p->laws.data[0].object,
                    "give collision models fewer elements, or answer contacts by penalties; "
                    "UncoupledConstraintCorrection needs less, where bodies are rigid",
                    "%zu rows of %zu constraints are too many: their compliance would take %.3g GB", p->rows,
                    p->laws.count, 8e-9 * (double)p->rows * (double)p->rows);
  dv_array_resize(&p->w, n);   // zeros: it is empty
  bool symmetric = true;
  for (size_t i = 0; i < plan->corrections.count; i++) {
    dvObject *c = plan->corrections.data[i];
    const dvCorrectionOps *ops = correction_ops(c);
    DV_TRY(ops->add_compliance(c, step, &p->set, p->rows, p->w.data));
    symmetric = symmetric && ops->symmetric && ops->symmetric(c);
  }
  dv_residual_reset(&p->residual, symmetric);
  return DV_OK;
}

dvStatus dv_problem_compliance(dvConstraintProblem *p, dvPlan *plan, const dvConstraintStep *step)
{
  p->step = *step;
  dv_residual_reset(&p->residual, false);
  dv_unbuilt_clear(&p->unbuilt);
  p->w.count = 0;
  if (p->rows == 0) return DV_OK;
  if (!can_stay_unbuilt(p, plan)) {
    DV_TRY(build(p, plan, step));
    return check_rows(p, plan);
  }
  dv_unbuilt_begin(&p->unbuilt, p->laws.data, p->laws.count);
  for (size_t i = 0; i < plan->corrections.count; i++) {
    dvObject *c = plan->corrections.data[i];
    DV_TRY(correction_ops(c)->add_unbuilt(c, step, &p->set, &p->unbuilt));
  }
  dv_unbuilt_lay_out(&p->unbuilt, p->laws.data);
  return check_rows(p, plan);
}

void dv_problem_regularise(dvConstraintProblem *p, double term)
{
  if (p->unbuilt.used) dv_unbuilt_regularise(&p->unbuilt, term);
  for (size_t i = 0; !p->unbuilt.used && i < p->rows; i++) p->w.data[i * p->rows + i] += term;
}

dvStatus dv_problem_apply(dvConstraintProblem *p, dvPlan *plan, const dvConstraintStep *step)
{
  if (!step->velocities) dv_mech_copy(plan, DV_X, step->x);
  dv_mech_copy(plan, DV_V, step->v);
  for (size_t i = 0; p->rows && i < plan->corrections.count; i++) {
    dvObject *c = plan->corrections.data[i];
    DV_TRY(correction_ops(c)->apply(c, step, &p->set, p->lambda.data, DV_X, DV_V));
  }
  return DV_OK;
}

// --- multipliers of the last step --------------------------------------------------------------------

void dv_problem_forget(dvConstraintProblem *p)
{
  dv_address_map_clear(&p->kept);
  p->old.count = 0;
  p->names.count = 0;
}

void dv_problem_store(dvConstraintProblem *p, const dvConstraintStep *step)
{
  dv_problem_forget(p);
  dv_array_resize(&p->old, p->rows);
  if (p->rows) memcpy(p->old.data, p->lambda.data, p->rows * sizeof *p->old.data);
  for (size_t i = 0; i < p->laws.count; i++) {
    const dvProblemLaw *l = &p->laws.data[i];
    *dv_address_map_at(&p->kept, key_of(l->owner), l->law.id) = l->first;
    dv_push(&p->names, ((dvKeptLaw){l->owner, l->law.id, l->first, l->law.rows}));
    if ((i == 0 || p->laws.data[i - 1].object != l->object) && ops_of(l->object)->store)
      ops_of(l->object)->store(l->object, step, p->lambda.data + l->first);
  }
}

void dv_problem_remember(dvConstraintProblem *p, const dvPlan *plan, dvMemoryStream *s)
{
  dv_remember_array(s, "multipliers", &p->old);
  dv_remember_array(s, "laws", &p->names);
  if (!dv_memory_restores(s)) return;
  dv_address_map_clear(&p->kept);
  for (size_t i = 0; i < p->names.count; i++) {
    const dvKeptLaw *l = &p->names.data[i];
    if (l->owner && l->first >= 0 && (size_t)l->first < p->old.count)
      *dv_address_map_at(&p->kept, key_of(l->owner), l->id) = l->first;
  }
  p->version = plan->version;
}

void dv_problem_free(dvConstraintProblem *p)
{
  dv_array_free(&p->laws);
  dv_array_free(&p->order);
  dv_array_free(&p->history);
  dv_rows_free(&p->set);
  dv_array_free(&p->violation);
  dv_array_free(&p->lambda);
  dv_array_free(&p->w);
  dv_residual_free(&p->residual);
  dv_unbuilt_free(&p->unbuilt);
  dv_array_free(&p->inverses);
  dv_array_free(&p->work);
  dv_array_free(&p->diagonal);
  dv_address_map_free(&p->kept);
  dv_array_free(&p->old);
  dv_array_free(&p->names);
  dv_array_free(&p->asked);
}

// ComplianceMatrixExporter, ComplianceMatrixImage: the compliance W of the constraints of the last step as numbers or
// as a picture; also their rows H on the main states, one state behind the other, and their multipliers lambda.
#include "linear/system/export.h"
#include "constraint/lagrangian/classes.h"
#include "scene/plan.h"

enum { WHAT_W, WHAT_H, WHAT_LAMBDA };

#define COMPLIANCE_FIELDS(X)                                                                                    \
  X(choice, matrix, "W", "", "compliance, rows or multipliers of the constraints", .options = "W|H|lambda")     \
  X(link, constraintSolver, "", "", "solver whose problem is written; the one of the node or above by default", \
    .role = DV_ROLE_CONSTRAINT_SOLVER)

typedef struct Compliance {
  dvMatrixExport base;
  COMPLIANCE_FIELDS(DV_MEMBER)
  dvBlockMatrix copy;
  DV_ARRAY(uint64_t) pairs;
  DV_ARRAY(double) values;
  DV_ARRAY(int32_t) place;
  DV_ARRAY(double) w;
} Compliance;

#define SELF Compliance
static const dvFieldDesc compliance_fields[] = {COMPLIANCE_FIELDS(DV_DESCRIBE)};
#undef SELF

static dvStatus compliance_init(dvObject *o)
{
  Compliance *c = (Compliance *)o;
  if (!c->constraintSolver.target) c->constraintSolver.target = dv_node_find_up(o->node, DV_ROLE_CONSTRAINT_SOLVER);
  if (!c->constraintSolver.target)
    return dv_error(o, "add BlockGaussSeidelConstraintSolver above it, or give constraintSolver=\"@name\"",
                    "%s finds no constraint solver in its node or above", o->cls->name);
  if (!((const dvConstraintSolverOps *)dv_ops(c->constraintSolver.target, DV_ROLE_CONSTRAINT_SOLVER))->problem)
    return dv_error(o, NULL, "%s does not show its problem", c->constraintSolver.target->name);
  return DV_OK;
}

static void add(Compliance *c, size_t row, size_t col, double value)
{
  if (value == 0) return;
  dv_push(&c->pairs, dv_pair(row, col));
  dv_push(&c->values, value);
}

// rows on the main states, behind each other; how many columns
static size_t add_rows(Compliance *c, const dvConstraintProblem *p)
{
  const dvPlan *plan = c->base.base.node->scene->plan;
  size_t offset = 0;
  for (size_t i = 0; i < plan->independent.count; i++) {
    const dvState *s = dv_state(plan->independent.data[i]);
    const dvStateRows *on = dv_rows_find(&p->set, s);
    for (size_t r = 0; on && r < p->rows; r++)
      for (size_t e = on->rows.start.data[r]; e < on->rows.start.data[r + 1]; e++)
        add(c, r, offset + (size_t)on->rows.col.data[e], on->rows.value.data[e]);
    offset += s->count * (size_t)s->base.dof->deriv;
  }
  return offset;
}

static const dvBlockMatrix *compliance_matrix(dvMatrixExport *e)
{
  Compliance *c = (Compliance *)e;
  dvObject *solver = c->constraintSolver.target;
  dvConstraintProblem *p = ((const dvConstraintSolverOps *)dv_ops(solver, DV_ROLE_CONSTRAINT_SOLVER))->problem(solver);
  size_t cols = c->matrix == WHAT_W ? p->rows : 1;
  c->pairs.count = c->values.count = 0;
  if (c->matrix == WHAT_H) cols = add_rows(c, p);
  if (c->matrix == WHAT_W) {
    dv_array_resize(&c->w, p->rows * p->rows);
    dv_problem_matrix(p, c->w.data);
  }
  for (size_t i = 0; c->matrix != WHAT_H && i < p->rows; i++)
    for (size_t k = 0; k < cols; k++)
      add(c, i, k, c->matrix == WHAT_LAMBDA ? p->lambda.data[i] : c->w.data[i * p->rows + k]);
  dvPattern pattern = {0};
  dv_array_resize(&c->place, c->pairs.count);
  dv_block_matrix_free(&c->copy);
  bool good = dv_pattern_build(&pattern, p->rows, cols, c->pairs.data, c->pairs.count, c->place.data) &&
              dv_block_matrix_init(&c->copy, 1, &pattern);
  if (!good) {
    if (!e->warned) dv_warning(&e->base, NULL, "out of memory for %zu rows", p->rows);
    e->warned = true;
    return NULL;
  }
  for (size_t i = 0; i < c->pairs.count; i++) *dv_block_matrix_at(&c->copy, c->place.data[i]) += c->values.data[i];
  return &c->copy;
}

static dvStatus compliance_exporter_init(dvObject *o)
{
  DV_TRY(compliance_init(o));
  return dv_matrix_export_init(o, compliance_matrix, o->cls == &dv_compliance_image_class);
}

static void compliance_destroy(dvObject *o)
{
  Compliance *c = (Compliance *)o;
  dv_block_matrix_free(&c->copy);
  dv_array_free(&c->pairs);
  dv_array_free(&c->values);
  dv_array_free(&c->place);
  dv_array_free(&c->w);
}

const dvClass dv_compliance_exporter_class = {
    DV_MATRIX_EXPORT_CLASS("ComplianceMatrixExporter",
                           "writes compliance, rows or multipliers of the constraints to a file", Compliance,
                           compliance_fields, &dv_matrix_exporter_block),
    .init = compliance_exporter_init,
    .destroy = compliance_destroy,
};
const dvClass dv_compliance_image_class = {
    DV_MATRIX_EXPORT_CLASS("ComplianceMatrixImage", "writes a picture of the compliance of the constraints", Compliance,
                           compliance_fields, &dv_matrix_image_block),
    .init = compliance_exporter_init,
    .destroy = compliance_destroy,
};

// See iterative.h.
#include "linear/iterative/iterative.h"

#define SELF dvIterative
static const dvFieldDesc iterative_fields[] = {DV_ITERATIVE_FIELDS(DV_DESCRIBE)};
#undef SELF
const dvFieldBlock dv_iterative_block = {iterative_fields, (int)DV_COUNT(iterative_fields)};

enum { LONGEST = 100000 };   // history

static dvSystemKind wanted_kind(const dvObject *o)
{
  const dvObject *given = ((const dvLinearSolver *)o)->linearSystem.target;
  if (given) return dv_linear_system_kind(given);
  return dv_linear_solver_is_graph(o) ? DV_SYSTEM_FREE : DV_SYSTEM_MATRIX;
}

dvStatus dv_iterative_init(dvObject *o, const dvClass *without_matrix)
{
  dvIterative *i = (dvIterative *)o;
  if (i->iterations < 0) return dv_field_error(o, &i->iterations, NULL, "iterations must not be negative");
  if (i->tolerance < 0) {
    dv_field_warning(o, &i->tolerance, NULL, "tolerance must not be negative; 1e-5 is used");
    i->tolerance = 1e-5;
  }
  if (!dv_reals_resize(&i->graph, (size_t)dv_min_int(i->iterations, LONGEST) + 2))
    return dv_error(o, NULL, "out of memory");
  i->graph.count = 0;
  dvSystemKind kind = wanted_kind(o);
  return dv_linear_solver_init(o, kind == DV_SYSTEM_FREE ? kind : DV_SYSTEM_MATRIX,
                               kind == DV_SYSTEM_FREE ? without_matrix : &dv_matrix_system_class);
}

void dv_iterative_clear(dvIterative *i) { i->graph.count = 0; }

const dvReals *dv_iterative_residuals(const dvObject *o) { return &((const dvIterative *)o)->graph; }

void dv_iterative_record(dvIterative *i, double error)
{
  if (i->graph.count < dv_reals_room(&i->graph)) i->graph.data[i->graph.count++] = error;
}

// Points that follow a body over several processes: states below a BarycentricMapping. See spread.h.
//
// Each process maps all points from the elements that it has. A point belongs to the process in whose element it lies
// deepest: the one with the largest of the smallest weights. Points inside of the body are then where they are in one
// process; those outside follow the element for which they are least outside.
#include "distributed/spread.h"

#include "mapping/linear/linear.h"
#include "mechanics/component.h"
#include "state/state.h"

#include <math.h>
#include <string.h>

// how far outside a row lies: minus its smallest weight
static double depth_of(dvRowView rows, size_t i)
{
  double least = INFINITY;
  for (int32_t k = rows.begin[i]; k < rows.end[i]; k++) least = fmin(least, rows.value[k]);
  return -least;
}

static dvStatus add_output(dvSpread *b, dvObject *mapping)
{
  const dvLinearMapping *l = (const dvLinearMapping *)mapping;
  const dvMapping *m = &l->base;
  if (m->in != dv_spread_state(b))
    return dv_error(mapping, "map it from the body itself",
                    "only points that the body moves directly can be distributed");
  if (m->out->base.dof->kind != DV_VEC3)
    return dv_error(mapping, "map points (template Vec3)", "only points can follow a distributed body");
  const size_t n = m->out->count;
  double *depth = dv_alloc((n + 1) * sizeof *depth);
  int32_t *rank = dv_alloc((n + 1) * sizeof *rank);
  for (size_t i = 0; i < n; i++)
    depth[i] = i < l->weights.out_points ? depth_of(dv_rows_view(&l->weights.rows), i) : INFINITY;
  b->engine->best(depth, rank, n);
  dv_free(depth);
  dv_push(&b->outputs, ((dvSpreadOutput){m->out, rank}));
  return DV_OK;
}

dvStatus dv_spread_find_outputs(dvSpread *b)
{
  const dvPlan *plan = b->scene->plan;
  for (size_t i = 0; i < plan->mappings.count; i++) {
    dvObject *mapping = plan->mappings.data[i].object;
    if (plan->mappings.data[i].carries)
      return dv_error(mapping, "let forces and masses act on the body itself",
                      "forces or masses below a mapping cannot be distributed");
    DV_TRY(add_output(b, mapping));
  }
  for (size_t i = 0; i < plan->visual_mappings.count; i++) DV_TRY(add_output(b, plan->visual_mappings.data[i]));
  return DV_OK;
}

double *dv_spread_gather_output(const dvSpread *b, size_t output, int vector)
{
  const dvSpreadOutput *out = &b->outputs.data[output];
  const size_t n = out->state->count;
  double *values = dv_alloc((3 * n + 1) * sizeof *values);
  const double *from = dv_state_has(out->state, vector) ? dv_state_read(out->state, vector) : NULL;
  for (size_t i = 0; from && i < n; i++)
    if (out->rank[i] == b->rank) memcpy(values + 3 * i, from + 3 * i, 3 * sizeof *values);
  b->engine->collect(values, 3 * n);
  if (b->rank == 0) return values;
  dv_free(values);
  return NULL;
}

void dv_spread_free_outputs(dvSpread *b)
{
  for (size_t i = 0; i < b->outputs.count; i++) dv_free(b->outputs.data[i].rank);
  dv_array_free(&b->outputs);
}

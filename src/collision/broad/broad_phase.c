// BruteForceBroadPhase and its kin: each model against all before it, by their boxes.
//
// Scenes have tens of models, hence sweeps along an axis gain nothing: DirectSAP and IncrSAP are names of the same.
#include "collision/phases.h"

#define SELF dvBroadPhase
static const dvFieldDesc broad_phase_fields[] = {DV_BROAD_PHASE_FIELDS(DV_DESCRIBE)};
#undef SELF
const dvFieldBlock dv_broad_phase_block = {broad_phase_fields, (int)DV_COUNT(broad_phase_fields)};

static bool in_region(const dvBroadPhase *b, const dvObject *intersection, const dvCollisionModel *m)
{
  const double *r = b->box;
  if (r[0] >= r[3]) return true;   // none was given
  dvBox box;
  for (int k = 0; k < 3; k++) box.low[k] = r[k], box.high[k] = r[k + 3];
  double alarm, contact;
  ((const dvIntersectionOps *)dv_ops(intersection, DV_ROLE_INTERSECTION))
      ->distances(intersection, m, m, &alarm, &contact);
  return dv_boxes_near(&m->box, &box, alarm);
}

static bool near(const dvObject *intersection, const dvCollisionModel *a, const dvCollisionModel *b)
{
  dvProximity p = dv_proximity(intersection, a, b);
  return dv_boxes_near(&a->box, &b->box, p.alarm);
}

static dvStatus broad_phase_pairs(dvObject *o, const dvObject *intersection, const dvModelList *models,
                                  dvModelPairs *out)
{
  const dvBroadPhase *b = (const dvBroadPhase *)o;
  for (size_t i = 0; i < models->count; i++) {
    dvCollisionModel *m = models->data[i];
    if (m->boxes.count == 0 || !in_region(b, intersection, m)) continue;
    if (dv_models_may_touch(m, m)) dv_push(out, ((dvModelPair){{m, m}}));
    for (size_t k = 0; k < i; k++) {
      dvCollisionModel *other = models->data[k];
      if (other->boxes.count == 0 || !dv_models_may_touch(m, other) || !in_region(b, intersection, other)) continue;
      if (near(intersection, m, other)) dv_push(out, ((dvModelPair){{m, other}}));
    }
  }
  return DV_OK;
}

const dvBroadPhaseOps dv_broad_phase_ops = {.pairs = broad_phase_pairs};

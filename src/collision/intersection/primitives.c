// See primitives.h.
#include "collision/intersection/primitives.h"

#define SELF dvProximityMethod
static const dvFieldDesc proximity_fields[] = {DV_PROXIMITY_FIELDS(DV_DESCRIBE)};
#undef SELF
const dvFieldBlock dv_proximity_block = {proximity_fields, (int)DV_COUNT(proximity_fields)};

void dv_proximity_distances(const dvObject *o, const dvCollisionModel *a, const dvCollisionModel *b, double *alarm,
                            double *contact)
{
  const dvProximityMethod *m = (const dvProximityMethod *)o;
  *alarm = m->alarmDistance + a->contactDistance + b->contactDistance;
  *contact = m->contactDistance + a->contactDistance + b->contactDistance;
}

void dv_add_contact_along(dvContactList *out, int32_t first, int32_t second, dvVec3 a, dvVec3 b, dvVec3 normal,
                          double distance, uint64_t id)
{
  dvContact c = {.element = {first, second}, .distance = distance, .id = id};
  dv_vec3_store(c.point[0], a);
  dv_vec3_store(c.point[1], b);
  dv_vec3_store(c.normal, normal);
  dv_push(&out->contacts, c);
}

void dv_add_contact(dvContactList *out, int32_t first, int32_t second, dvVec3 a, dvVec3 b, double contact, uint64_t id)
{
  double length;
  dvVec3 n = dv_direction(dv_vec3_sub(b, a), &length);
  dv_add_contact_along(out, first, second, a, b, n, length - contact, id);
}

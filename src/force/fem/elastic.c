// See elastic.h.
#include "force/fem/elastic.h"

#define SELF dvElastic
static const dvFieldDesc elastic_fields[] = {DV_ELASTIC_FIELDS(DV_DESCRIBE)};
#undef SELF
const dvFieldBlock dv_elastic_block = {elastic_fields, (int)DV_COUNT(elastic_fields)};

dvStatus dv_elastic_init(dvObject *o)
{
  dvElastic *e = (dvElastic *)o;
  DV_TRY(dv_force_init(o));
  return dv_force_topology(o, &e->topology) ? DV_OK : DV_ERROR_INPUT;
}

static dvStatus check_count(const dvObject *o, const dvReals *list, size_t count)
{
  const char *name = dv_field_name(dv_field_of(o, list)->desc);
  if (list->count == 0) return dv_field_error(o, list, "leave the field away for its default", "%s has no value", name);
  if (list->count != 1 && list->count < count)
    dv_field_warning(o, list, NULL, "%s has %zu values for %zu elements; the first one is used where one is missing",
                     name, list->count, count);
  return DV_OK;
}

dvStatus dv_elastic_check(dvElastic *e, size_t count, double most)
{
  dvObject *o = &e->force.base;
  DV_TRY(check_count(o, &e->youngModulus, count));
  DV_TRY(check_count(o, &e->poissonRatio, count));
  for (size_t i = 0; i < e->youngModulus.count; i++)
    if (!(e->youngModulus.data[i] >= 0 && e->youngModulus.data[i] < DV_EXPLODED))
      return dv_field_error(o, &e->youngModulus, "the default is youngModulus=\"5000\"",
                            "youngModulus %g is not a number from 0 on", e->youngModulus.data[i]);
  for (size_t i = 0; i < e->poissonRatio.count; i++)
    if (!(e->poissonRatio.data[i] > -1 && e->poissonRatio.data[i] < most))
      return dv_field_error(o, &e->poissonRatio, "for a nearly incompressible material take poissonRatio=\"0.49\"",
                            "poissonRatio %g is not between -1 and %g", e->poissonRatio.data[i], most);
  return DV_OK;
}

dvElementData *dv_elastic_follow(dvElastic *e, dvElementKind kind, size_t parts)
{
  dvElementData *d = dv_follow_elements(&e->force.base, dv_elastic_topology(e), kind);
  dv_element_data_add_groups(d, &e->youngModulus, parts, true);
  dv_element_data_add_groups(d, &e->poissonRatio, parts, true);
  return d;
}

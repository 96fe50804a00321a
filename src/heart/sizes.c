// See sizes.h.
#include "heart/sizes.h"

#include "base/text.h"

static const double SMALLEST = 1e-50, LARGEST = 1e50;   // products of some of them stay finite

static char *default_of(const dvFieldDesc *d)
{
  return dv_format("the default is %s%s%s", d->initial, *d->unit ? " " : "", d->unit);
}

static dvStatus refuse(const dvObject *o, const double *member, const char *wanted)
{
  const dvFieldDesc *d = dv_field_of(o, member)->desc;
  char *usual = default_of(d), *advice = dv_format("give a number %s, below all bounds; %s", wanted, usual);
  dvStatus status = dv_field_error(o, member, advice, "%s is %g", dv_field_name(d), *member);
  dv_free(advice);
  dv_free(usual);
  return status;
}

dvStatus dv_size_above_zero(const dvObject *o, const double *member)
{
  return *member > SMALLEST && *member < LARGEST ? DV_OK : refuse(o, member, "above 0");
}

dvStatus dv_size_from_zero(const dvObject *o, const double *member)
{
  return *member == 0 ? DV_OK : *member > SMALLEST && *member < LARGEST ? DV_OK : refuse(o, member, "from 0 on");
}

void dv_size_warn(const dvObject *o, const double *member, double measure, double low, double high, const char *format,
                  ...)
{
  if (measure >= low && measure <= high) return;
  const dvFieldDesc *d = dv_field_of(o, member)->desc;
  dvText what = {0};
  va_list args;
  va_start(args, format);
  dv_text_vprintf(&what, format, args);
  va_end(args);
  char *advice = default_of(d);
  dv_field_warning(o, member, advice, "%s is %g%s%s: %s", dv_field_name(d), *member, *d->unit ? " " : "", d->unit,
                   what.text);
  dv_free(advice);
  dv_text_free(&what);
}

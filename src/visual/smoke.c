// CauterySmoke: puffs that rise from where tissue is burnt, grow and vanish. Only a look: nothing feels them.
//
//   x' = rise up + wander n        radius = size (0.35 + 1.3 s) sqrt(min(1, (1 - s) / 0.4))        s = age / life
//
// n: a direction of its own for each puff, from its number, the same in every run. As many puffs as can be alive at
// once are there from the beginning; those that wait have no size. They swallow light as volumes do (density, 1/m).
#include "visual/register.h"
#include "visual/visual_model.h"

#include <math.h>
#include <string.h>

#define SMOKE_FIELDS(X)                                                                                \
  X(bool, enable, "1", "", "draw it", .flags = DV_LOOKS)                                               \
  X(bool, burning, "1", "", "smoke comes out")                                                         \
  X(vec3s, source, "", "m", "where it comes from, one place or several: link it to the tip of a tool") \
  X(real, rate, "20", "1/s", "puffs in a second", .least = "0")                                        \
  X(real, life, "2", "s", "how long one is seen", .least = "0")                                        \
  X(real, rise, "0.05", "m/s", "how fast they rise")                                                   \
  X(real, wander, "0.015", "m/s", "how fast they leave each other", .least = "0")                      \
  X(real, size, "0.01", "m", "radius of a puff in the middle of its life", .least = "0")               \
  X(real, density, "60", "1/m", "how much of the light behind a metre of it swallows", .least = "0")   \
  X(color, color, "0.78 0.78 0.8 1", "", "of smoke", .flags = DV_LOOKS)                                \
  X(vec3s, position, "", "m", "the puffs", .flags = DV_OUTPUT)                                         \
  X(reals, radius, "", "m", "their radii; 0 for those that wait", .flags = DV_OUTPUT)                  \
  X(reals, age, "", "s", "how old they are; negative for those that wait", .flags = DV_OUTPUT)         \
  X(reals, due, "", "", "puffs that have come out so far, with the part of the next one", .flags = DV_OUTPUT)

enum { MOST_PUFFS = 4000 };

typedef struct Smoke {
  dvObject base;
  SMOKE_FIELDS(DV_MEMBER)
} Smoke;

#define SELF Smoke
static const dvFieldDesc smoke_fields[] = {SMOKE_FIELDS(DV_DESCRIBE)};
static const dvMemoryDesc smoke_memory[] = {DV_REMEMBER(reals, position) DV_REMEMBER(reals, radius)
                                                DV_REMEMBER(reals, age) DV_REMEMBER(reals, due)};
#undef SELF

static void touch_all(Smoke *s)
{
  dv_touch(&s->base, &s->position), dv_touch(&s->base, &s->radius);
  dv_touch(&s->base, &s->age), dv_touch(&s->base, &s->due);
}

static dvStatus smoke_start(dvObject *o)
{
  Smoke *s = (Smoke *)o;
  dv_pull(o, &s->source);
  double wanted = ceil(s->rate * s->life) + 1;
  size_t n = wanted < MOST_PUFFS ? (size_t)wanted : MOST_PUFFS;
  if (wanted > MOST_PUFFS) dv_note(o, "%.0f puffs at once are too many: %d are drawn", wanted, MOST_PUFFS);
  if (!dv_reals_resize(&s->position, 3 * n) || !dv_reals_resize(&s->radius, n) || !dv_reals_resize(&s->age, n) ||
      !dv_reals_resize(&s->due, 1))
    return dv_error(o, NULL, "out of memory for %zu puffs", n);
  double *x = dv_reals_edit(&s->position), *r = dv_reals_edit(&s->radius), *a = dv_reals_edit(&s->age);
  for (size_t i = 0; i < n; i++) {
    for (size_t k = 0; k < 3; k++) x[3 * i + k] = s->source.count >= 3 ? s->source.data[k] : 0;
    r[i] = 0, a[i] = -1;
  }
  dv_reals_edit(&s->due)[0] = 0;
  touch_all(s);
  return DV_OK;
}

// a direction of its own, in the cube of -1 to 1
static void direction_of(size_t number, double out[3])
{
  for (uint64_t k = 0; k < 3; k++) {
    uint64_t h = (number + 1) * 0x9E3779B97F4A7C15u + k * 0xBF58476D1CE4E5B9u;
    h = (h ^ (h >> 31)) * 0x94D049BB133111EBu;
    out[k] = (double)((h ^ (h >> 29)) >> 11) / 4503599627370496.0 - 1;
  }
}

static void smoke_event(dvObject *o, const dvEvent *event)
{
  Smoke *s = (Smoke *)o;
  size_t n = s->age.count;
  if (event->kind != DV_EVENT_ANIMATE_END || o->failed || !n || s->position.count != 3 * n || s->radius.count != n)
    return;
  dv_pull(o, &s->source);
  double dt = o->node->dt, up[3], size = 0, *due = dv_reals_edit(&s->due);
  const double *g = o->node->gravity;
  for (int k = 0; k < 3; k++) size += g[k] * g[k];
  for (int k = 0; k < 3; k++) up[k] = size > 0 ? -g[k] / sqrt(size) : k == 1;
  double *x = dv_reals_edit(&s->position), *r = dv_reals_edit(&s->radius), *a = dv_reals_edit(&s->age);
  size_t before = (size_t)due[0], places = s->source.count / 3;
  if (s->burning && places) due[0] += s->rate * dt;
  for (size_t i = 0; i < n; i++) {
    if (a[i] < 0) continue;
    // the puff in place i is the youngest one whose number leaves that remainder
    size_t number = before > 0 ? before - 1 - (before - 1 + n - i) % n : 0;
    double way[3];
    direction_of(number, way);
    for (size_t k = 0; k < 3; k++) x[3 * i + k] += dt * (s->rise * up[k] + s->wander * way[k]);
    a[i] += dt;
    if (a[i] >= s->life) a[i] = -1;
  }
  for (size_t number = before; number < (size_t)due[0] && number < before + n; number++) {
    size_t i = number % n;
    memcpy(x + 3 * i, s->source.data + 3 * (number % places), 3 * sizeof *x);
    a[i] = 0;
  }
  for (size_t i = 0; i < n; i++) {
    double part = s->life > 0 ? a[i] / s->life : 1;
    r[i] = a[i] < 0 || part >= 1 ? 0 : s->size * (0.35 + 1.3 * part) * sqrt(fmin(1, (1 - part) / 0.4));
  }
  touch_all(s);
}

static bool smoke_restored(dvObject *o)
{
  Smoke *s = (Smoke *)o;
  if (s->due.count != 1 || s->radius.count != s->age.count || s->position.count != 3 * s->age.count) return false;
  touch_all(s);
  return true;
}

static void smoke_sketch(dvObject *o, dvSketch *out)
{
  Smoke *s = (Smoke *)o;
  if (!s->enable) return;
  *out = (dvSketch){.kind = DV_SKETCH_SPHERES,
                    .positions = dv_field_of(o, &s->position),
                    .values = dv_field_of(o, &s->radius),
                    .radius = s->size,
                    .attenuation = s->density};
  dv_sketch_colour(out, s->color, true);
}

const dvClass dv_smoke_class = {.struct_size = sizeof(dvClass),
                                .name = "CauterySmoke",
                                .help = "smoke that rises from where tissue is burnt",
                                .module = "Divan.Visual",
                                .size = sizeof(Smoke),
                                .blocks = {&dv_object_block, DV_BLOCK(smoke_fields)},
                                .ops = {[DV_ROLE_VISUAL] = &(const dvVisualOps){.sketch = smoke_sketch}},
                                .bwd_init = smoke_start,
                                .handle_event = smoke_event,
                                DV_MEMORY(smoke_memory),
                                .restored = smoke_restored};

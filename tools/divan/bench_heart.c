// divan bench heart: how long a beat takes.
//
// Fronts of excitation in a ventricle of 14,000 points, one beat of ten, and the whole beat, electricity and mechanics,
// of 0.8 s in steps of 10 ms: with 14,000 points, and with 3,000 as it is shown in the viewer. Wall clock and time of
// the processor, two threads. A beat counts when its four phases follow each other, 50 to 70 % are ejected, and the
// volume is held to 0.1 % while both valves are closed.
#include "bench.h"
#include "heart_beat.h"

#include "app/divan.h"
#include "base/clock.h"
#include "io/scene/scene_file.h"
#include "scene/node.h"
#include "state/state.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static char *front_scene(double spacing, int layers)
{
  return dv_format("<Node dt='0.4'><DefaultAnimationLoop/><GenerateVentricle name='v' spacing='%g' layers='%d'/>"
                   "<MeshTopology name='m' position='@v.position' tetrahedra='@v.tetrahedra'/><CardiacStimulus "
                   "center='0 0 -0.07' radius='0.012' period='0.8'/><ElectricalState name='u'/><EikonalSolver name='s' "
                   "fibres='@v.fibres' speed='1'/></Node>",
                   spacing, layers);
}

static char *beat_scene(double spacing, int layers)
{
  return heart_beat_scene(&(HeartBeat)HEART_BEAT(spacing, layers));
}

static double processor_ms(void) { return 1e3 * (double)clock() / CLOCKS_PER_SEC; }

static double number(dvScene *s, const char *path, const char *field)
{
  dvObject *o = dv_link_find(&s->root->base, path, DV_ROLE_ANY);
  return o ? *(const double *)dv_object_field(o, field)->value : 0;
}

// What a run goes through: changes of phase, whether each led to the next one, and how far closed valves let the volume
// go. Of a closed phase the last step is not looked at: a valve may have opened at its end.
typedef struct Phases {
  int32_t now;
  int changes;
  bool astray;
  double volume, gone;   // at the beginning of the phase, largest change
} Phases;

static void follow(Phases *p, dvScene *s)
{
  dvObject *o = dv_link_find(&s->root->base, "Heart/left", DV_ROLE_ANY);
  if (!o) return;
  int32_t phase = *(const int32_t *)dv_object_field(o, "phase")->value;
  double volume = number(s, "Heart/left", "volume");
  if (phase != p->now) {
    p->changes++;
    p->astray = p->astray || phase != (p->now + 1) % 4;
    p->volume = volume;
  } else if (phase % 2 == 1) p->gone = fmax(p->gone, fabs(volume / p->volume - 1));
  p->now = phase;
}

static json_t *measure(const char *name, char *text, int steps, int beats, double aim)
{
  dvContext *context = dv_divan_create(2);
  dvScene *scene = NULL;
  context->log.threshold = DV_ERROR;
  bool good = dv_scene_parse(context, "bench", text, strlen(text), &scene) == DV_OK && dv_scene_init(scene) == DV_OK;
  double began = dv_now(), used = processor_ms();
  Phases phases = {0};
  for (int i = 0; i < steps && good; i++) {
    good = dv_scene_step(scene, 0) == DV_OK;
    follow(&phases, scene);
  }
  double ms = 1e3 * (dv_now() - began) / beats;
  used = (processor_ms() - used) / beats;
  json_t *row = json_null();
  if (good) {
    dvObject *u = dv_link_find(&scene->root->base, "u", DV_ROLE_ANY);
    if (!u) u = dv_link_find(&scene->root->base, "Heart/u", DV_ROLE_ANY);
    row = json_pack("{s:s,s:i,s:i,s:o,s:o,s:o,s:o,s:o,s:b}", "name", name, "points", u ? (int)dv_state(u)->count : 0,
                    "steps", steps, "ms", bench_number(ms), "processor", bench_number(used), "aim", bench_number(aim),
                    "ejected", bench_number(number(scene, "Heart/left", "ejectionFraction")), "held",
                    bench_number(phases.gone), "phases", phases.changes == 4 && !phases.astray);
  }
  dv_free(text);
  dv_scene_destroy(&scene);
  dv_divan_destroy(&context);
  return row;
}

json_t *bench_heart(const Bench *b)
{
  json_t *all = json_array();
  static const char *const names[] = {"fronts of a beat", "beat of 3,000 points", "beat of 14,000 points"};
  for (int k = 0; k < 3; k++) {
    if (!bench_wants(b, names[k])) continue;
    bench_progress("%s", names[k]);
    char *text = k == 0 ? front_scene(0.00216, 4) : k == 1 ? beat_scene(0.0042, 3) : beat_scene(0.00216, 4);
    json_array_append_new(all, k == 0 ? measure(names[k], text, 20, 10, 20)   // ten beats, two steps each
                                      : measure(names[k], text, 80, 1, k == 1 ? 800 : 10000));
  }
  return all;
}

void bench_print_heart(const json_t *all)
{
  size_t i;
  json_t *row;
  printf("hearts\n");
  json_array_foreach(all, i, row)
  {
    if (json_is_null(row)) {
      printf("  it does not run\n");
      continue;
    }
    double ejected = json_number_value(json_object_get(row, "ejected"));
    bool beat = ejected != 0 || strstr(json_string_value(json_object_get(row, "name")), "beat of");
    printf("  %-24s %6lld points: %.4g ms (aim %.4g), %.4g ms of processor time",
           json_string_value(json_object_get(row, "name")),
           (long long)json_integer_value(json_object_get(row, "points")), json_number_value(json_object_get(row, "ms")),
           json_number_value(json_object_get(row, "aim")), json_number_value(json_object_get(row, "processor")));
    double held = json_number_value(json_object_get(row, "held"));
    bool good = ejected > 0.5 && ejected < 0.7 && held < 1e-3 && json_is_true(json_object_get(row, "phases"));
    if (beat)
      printf(", %.1f %% ejected, volume held to %.2g %%%s", 100 * ejected, 100 * held, good ? "" : ": that is no beat");
    printf("\n");
  }
}

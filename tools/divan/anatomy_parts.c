// divan anatomy: parts of organs with their own material (tumours, cysts, segments): which tetrahedra are theirs.
//
// A tetrahedron is of the part, or the organ, in which most of its samples lie: 35 points with barycentric coordinates
// (i + 1/2) / 6, i from 0 to 4, whose sum is one. Samples outside of the organ's voxels count nowhere. Where parts
// overlap, the smaller one has the sample. What is cut between two parts stays small (anatomy_grade.c).
#include "anatomy.h"

#include <math.h>
#include <stdio.h>

enum { SAMPLE_STEPS = 4, SAMPLES = 35 };

typedef struct Parts {
  const Plan *p;
  const Thing *organ;
  int32_t list[MOST_THINGS];   // the organ's, smallest first
  size_t count;
} Parts;

static Parts list_parts(const Plan *p, const Thing *organ)
{
  Parts s = {.p = p, .organ = organ};
  for (size_t i = 0; i < p->count; i++) {
    const Thing *t = &p->things[i];
    if (!is_part_of(t, organ)) continue;
    size_t at = s.count++;
    double volume = dv_mask_volume(&t->mask);
    for (; at > 0 && dv_mask_volume(&p->things[s.list[at - 1]].mask) > volume; at--) s.list[at] = s.list[at - 1];
    s.list[at] = (int32_t)i;
  }
  return s;
}

// how many samples of a tetrahedron lie in each part of the list; returns those in the rest of the organ
static int count_samples(const Parts *s, const int32_t *corners, int *in)
{
  dvVec3 x[4];
  int rest = 0;
  for (int k = 0; k < 4; k++) x[k] = dv_vec3_load(s->organ->x.data + 3 * (size_t)corners[k]);
  for (size_t n = 0; n < s->count; n++) in[n] = 0;
  for (int a = 0; a <= SAMPLE_STEPS; a++)
    for (int b = 0; a + b <= SAMPLE_STEPS; b++)
      for (int c = 0; a + b + c <= SAMPLE_STEPS; c++) {
        const double w[4] = {a + 0.5, b + 0.5, c + 0.5, SAMPLE_STEPS - a - b - c + 0.5};
        dvVec3 at = dv_vec3(0, 0, 0);
        size_t n = 0;
        for (int k = 0; k < 4; k++) at = dv_vec3_add_scaled(at, x[k], w[k] / (SAMPLE_STEPS + 2));
        while (n < s->count && !dv_mask_has(&s->p->things[s->list[n]].mask, at)) n++;
        if (n < s->count) in[n]++;
        else rest += !s->organ->mask.inside || dv_mask_has(&s->organ->mask, at);
      }
  return rest;
}

bool parts_mark(const Plan *p, Thing *organ)
{
  const Parts s = list_parts(p, organ);
  if (!dv_try_reserve(&organ->fine, organ->border.count)) return false;
  dv_array_resize(&organ->fine, organ->border.count);
  for (size_t i = 0; i + 4 <= organ->tetrahedra.count && s.count; i += 4) {
    const int32_t *e = organ->tetrahedra.data + i;
    int in[MOST_THINGS], kinds = count_samples(&s, e, in) > 0;
    for (size_t n = 0; n < s.count; n++) kinds += in[n] > 0;
    for (int k = 0; k < 4 && kinds > 1; k++) organ->fine.data[e[k]] = 1;
  }
  return true;
}

static double volume_of(const Thing *t, const int32_t *e)
{
  dvVec3 o = dv_vec3_load(t->x.data + 3 * e[0]), a = dv_vec3_sub(dv_vec3_load(t->x.data + 3 * e[1]), o),
         b = dv_vec3_sub(dv_vec3_load(t->x.data + 3 * e[2]), o), c = dv_vec3_sub(dv_vec3_load(t->x.data + 3 * e[3]), o);
  return dv_vec3_dot(a, dv_vec3_cross(b, c)) / 6;
}

// What became of a part.
typedef struct Outcome {
  size_t tetrahedra;
  double volume;   // of these
  double inside;   // of what of the part lies inside of tetrahedra
} Outcome;

static int tell(const Thing *t, const Thing *organ, const Outcome *u, bool image)
{
  double volume = image ? dv_mask_volume(&t->mask) : dv_skin_volume(&t->skin);
  if (!image && !(u->inside > 0)) {
    char text[160];
    dv_snprintf(text, sizeof text, "it lies outside of %s: leave part= out, and it is an organ of its own",
                organ->name);
    return thing_failed(t, text);
  }
  printf("  %s: %.4g ml, %zu tetrahedra of %s, surface of %zu triangles\n", t->name, volume * 1e6, u->tetrahedra,
         organ->name, t->skin.triangles.count / 3);
  fflush(stdout);
  if (!image && u->inside < 0.9 * volume)
    thing_warn(t, "%.0f %% of it lies outside of %s, which is not made larger: join both in a mesh program",
               100 * (1 - u->inside / volume), organ->name);
  if (!u->tetrahedra)
    thing_warn(t,
               "it is too small for cells of %.3g mm: no tetrahedron has its material. Use smaller cells for %s "
               "(cell=%.2g, or --cells)",
               1e3 * organ->cell, organ->name, 0.5 * cbrt(volume));
  else if (fabs(u->volume - u->inside) > 0.3 * u->inside)
    thing_warn(t,
               "its tetrahedra have %.0f %% of its volume: smaller cells for %s follow it better (cell=%.2g, or "
               "--cells)",
               100 * u->volume / u->inside, organ->name, 0.5 * organ->cell);
  return 0;
}

int parts_assign(Maker *w, Thing *organ)
{
  const Parts s = list_parts(w->p, organ);
  Outcome outcomes[MOST_THINGS] = {0};
  if (!s.count) return 0;
  if (!dv_try_reserve(&organ->part, organ->tetrahedra.count / 4)) return thing_failed(organ, "out of memory");
  for (size_t i = 0; i + 4 <= organ->tetrahedra.count; i += 4) {
    const int32_t *e = organ->tetrahedra.data + i;
    double volume = volume_of(organ, e);
    int in[MOST_THINGS], most = count_samples(&s, e, in);
    int32_t best = -1;
    for (size_t n = 0; n < s.count; n++) {
      outcomes[n].inside += volume * in[n] / SAMPLES;
      if (in[n] > most) most = in[n], best = (int32_t)n;
    }
    if (best >= 0) outcomes[best].tetrahedra++, outcomes[best].volume += volume;
    dv_push(&organ->part, best < 0 ? -1 : s.list[best]);
  }
  int status = 0;
  for (size_t i = 0; i < w->p->count && !status; i++)   // in the order in which they are named
    for (size_t n = 0; n < s.count && !status; n++)
      if (s.list[n] == (int32_t)i) status = tell(&w->p->things[i], organ, &outcomes[n], w->image);
  return status;
}

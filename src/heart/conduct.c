// See conduct.h.
#include "heart/conduct.h"

#include "math/kernels.h"

#include <math.h>
#include <string.h>

bool dv_conduct_init(dvConduct *c, const dvMuscle *t)
{
  size_t pairs = 16 * t->count + t->points;
  uint64_t *list = dv_alloc(pairs * sizeof *list);
  dv_array_resize(&c->place, pairs);
  for (size_t i = 0; i < t->count; i++)
    for (size_t k = 0; k < 16; k++)
      list[16 * i + k] = dv_pair((size_t)t->tetra[4 * i + k / 4], (size_t)t->tetra[4 * i + k % 4]);
  for (size_t i = 0; i < t->points; i++) list[16 * t->count + i] = dv_pair(i, i);   // points of no tetrahedron too
  dvPattern pattern = {0}, copy = {0};
  c->n = t->points;
  bool good = dv_pattern_build(&pattern, c->n, c->n, list, pairs, c->place.data) && dv_pattern_copy(&copy, &pattern) &&
              dv_block_matrix_init(&c->k, 1, &pattern) && dv_block_matrix_init(&c->a, 1, &copy);
  dv_pattern_free(&pattern);
  dv_pattern_free(&copy);
  dv_free(list);
  dv_array_resize(&c->mass, c->n);
  dv_array_resize(&c->inverse, c->n);
  dv_array_resize(&c->r, c->n);
  dv_array_resize(&c->z, c->n);
  dv_array_resize(&c->p, c->n);
  dv_array_resize(&c->q, c->n);
  dv_array_resize(&c->d, c->n);
  return good;
}

void dv_conduct_fill(dvConduct *c, const dvMuscle *t, const dvConductDef *def)
{
  size_t entries = dv_pattern_count(&c->k.pattern);
  memset(c->k.values, 0, entries * sizeof(double));
  bool full = def->lumped < 1;
  dv_array_resize(&c->full, full ? entries : 0);
  if (full) memset(c->full.data, 0, entries * sizeof(double));
  memset(c->mass.data, 0, c->n * sizeof(double));
  c->h = -1;
  c->theta = def->theta;
  c->total = 0;
  for (size_t i = 0; i < t->count; i++) {
    dvVec3 g[4];
    double volume;
    if (!dv_muscle_gradients(t, i, g, &volume)) continue;
    double d = def->diffusivity * volume * t->conduction.data[i];
    dvVec3 f = t->fibre.count ? dv_vec3_load(t->fibre.data + 3 * i) : dv_vec3(0, 0, 0);
    double across = t->fibre.count ? d * def->ratio : d, extra = t->fibre.count ? d - across : 0;
    const int32_t *place = c->place.data + 16 * i;
    c->total += volume;
    for (int k = 0; k < 4; k++) {
      c->mass.data[t->tetra[4 * i + (size_t)k]] += volume / 4;
      for (int l = 0; l < 4; l++) {
        c->k.values[place[4 * k + l]] +=
            across * dv_vec3_dot(g[k], g[l]) + extra * dv_vec3_dot(f, g[k]) * dv_vec3_dot(f, g[l]);
        if (full)
          c->full.data[place[4 * k + l]] +=
              volume * ((1 - def->lumped) / (k == l ? 10 : 20) + (k == l ? def->lumped / 4 : 0));
      }
    }
  }
  for (size_t i = 0; i < c->n; i++)   // points of no tetrahedron stay as they are
    if (c->mass.data[i] == 0) c->mass.data[i] = c->n ? c->total / (double)c->n : 1;
}

static void set_step(dvConduct *c, double h)
{
  if (h == c->h) return;
  c->h = h;
  bool lumped = c->full.count == 0;
  size_t entries = dv_pattern_count(&c->k.pattern);
  const int32_t *diagonal = c->place.data + c->place.count - c->n;
  for (size_t i = 0; i < entries; i++) c->a.values[i] = (lumped ? 0 : c->full.data[i]) + c->theta * h * c->k.values[i];
  for (size_t i = 0; i < c->n; i++) {
    if (lumped || c->a.values[diagonal[i]] == 0) c->a.values[diagonal[i]] += c->mass.data[i];
    c->inverse.data[i] = 1 / c->a.values[diagonal[i]];
  }
}

static void precondition(const dvConduct *c, const double *r, double *z)
{
  for (size_t i = 0; i < c->n; i++) z[i] = c->inverse.data[i] * r[i];
}

bool dv_conduct_step(dvConduct *c, dvPool *pool, double h, double tolerance, int most, double *u)
{
  size_t n = c->n;
  double *r = c->r.data, *z = c->z.data, *p = c->p.data, *q = c->q.data, *d = c->d.data;
  set_step(c, h);
  dv_block_matrix_product(&c->k, pool, u, q);
  for (size_t i = 0; i < n; i++) r[i] = -h * q[i];
  memset(d, 0, n * sizeof *d);
  precondition(c, r, z);
  memcpy(p, z, n * sizeof *p);
  // r . z is about the mass times the square of the error
  double rz = dv_dot(pool, r, z, n), aim = tolerance * tolerance * c->total;
  for (c->iterations = 0; rz > aim; c->iterations++) {
    if (c->iterations == most) return false;
    dv_block_matrix_product(&c->a, pool, p, q);
    double pq = dv_dot(pool, p, q, n);
    if (!(pq > 0)) return false;
    double alpha = rz / pq;
    for (size_t i = 0; i < n; i++) d[i] += alpha * p[i], r[i] -= alpha * q[i];
    precondition(c, r, z);
    double next = dv_dot(pool, r, z, n), beta = next / rz;
    for (size_t i = 0; i < n; i++) p[i] = z[i] + beta * p[i];
    rz = next;
  }
  for (size_t i = 0; i < n; i++) u[i] += d[i];
  return true;
}

void dv_conduct_free(dvConduct *c)
{
  dv_block_matrix_free(&c->k);
  dv_block_matrix_free(&c->a);
  dv_array_free(&c->mass);
  dv_array_free(&c->full);
  dv_array_free(&c->inverse);
  dv_array_free(&c->r);
  dv_array_free(&c->z);
  dv_array_free(&c->p);
  dv_array_free(&c->q);
  dv_array_free(&c->d);
  dv_array_free(&c->place);
}

// SPHFluidForceField: a fluid of particles (smoothed particle hydrodynamics).
//
// Particles of mass m within a radius h of each other, with a kernel W (smooth.h):
//
//   rho_i = sum_j m W(r_ij)                                          density, the particle itself included
//   p_i   = k (rho_i - rho_0)                                        pressure
//   f_i   = -sum_j m^2 (p_i/rho_i^2 + p_j/rho_j^2 + P_ij) grad W     P_ij: artificial viscosity (Monaghan 1992)
//           +sum_j m^2 mu (v_j - v_i) / (rho_i rho_j) lap W          or viscosity by the Laplacian (Mueller et al.
//           2003) -m/rho_i sigma lap c  grad c / |grad c|                  surface tension, c = sum_j m/rho_j W -sigma
//           m^2 sum_j W (x_i - x_j)                           or cohesion (Becker and Teschner 2007)
//
// P_ij = -alpha h (v_ij . x_ij) / ((r^2 + h^2/100) (rho_i + rho_j)/2) where particles approach, alpha being `viscosity`
// in m/s. Each particle sums over its neighbours for itself: pairs are opposite to the last bit, so momentum is kept,
// and any thread may do any chunk. The force has no stiffness in matrices: it limits the time step, which is told.
#include "fluid/sph.h"
#include "fluid/grid.h"
#include "fluid/near.h"
#include "fluid/smooth.h"
#include "fluid/strays.h"

#include "mechanics/component.h"
#include "object/compat.h"

#define SPH_FIELDS(X)                                                                                                 \
  X(real, radius, "1", "m", "distance within which particles act on each other")                                      \
  X(real, mass, "1", "kg", "mass of a particle, as the density counts it")                                            \
  X(real, pressure, "100", "Pa m3/kg", "pressure for an excess of density of 1", .flags = DV_SIGNED)                  \
  X(real, density, "1", "kg/m3", "density at rest", .flags = DV_SIGNED)                                               \
  X(real, viscosity, "0.001", "Pa s",                                                                                 \
    "viscosity; with viscosityType 2 the speed alpha c of artificial viscosity, m/s")                                 \
  X(real, surfaceTension, "0", "N/m", "surface tension; none when it is not above 0", .flags = DV_SIGNED)             \
  X(int, kernelType, "0", "", "0: a kernel for each of density, pressure and viscosity; 1: the cubic spline for all") \
  X(int, pressureType, "1", "", "0: no pressure; 1: pressure in proportion to the excess of density")                 \
  X(int, viscosityType, "1", "",                                                                                      \
    "0: none; 1: by the Laplacian of the kernel; 2: artificial, where particles approach")                            \
  X(int, surfaceTensionType, "1", "", "0: none; 1: by the curvature of the surface; 2: particles attract each other") \
  X(bool, debugGrid, "0", "", "no effect: neighbours are complete", .flags = DV_IDLE | DV_HIDDEN)

typedef struct Sph {
  dvForce force;
  SPH_FIELDS(DV_MEMBER)
  dvNear near;
  // by rank
  DV_ARRAY(double) rho;      // density
  DV_ARRAY(double) push;     // p/rho^2
  DV_ARRAY(double) v;        // velocities
  DV_ARRAY(double) normal;   // grad c, lap c: four numbers
  dvSmooth to_density, to_pressure, to_viscosity, to_surface;
  double width;   // of the cells
  bool sofa;      // as SOFA does it
  dvStrays strays;
  bool told;
} Sph;

#define SELF Sph
static const dvFieldDesc sph_fields[] = {SPH_FIELDS(DV_DESCRIBE)};
#undef SELF

static void sph_destroy(dvObject *o)
{
  Sph *s = (Sph *)o;
  dv_near_free(&s->near);
  dv_array_free(&s->rho);
  dv_array_free(&s->push);
  dv_array_free(&s->v);
  dv_array_free(&s->normal);
}

// --- passes over the particles of a chunk ---------------------------------------------------------

typedef struct Pass {
  Sph *s;
  double *f;
  int viscosity, tension;
} Pass;

// r/h and the way from j to i
static inline double apart(const Sph *s, size_t i, size_t j, double d[3])
{
  const double *a = s->near.x.data + 3 * i, *b = s->near.x.data + 3 * j;
  for (int k = 0; k < 3; k++) d[k] = a[k] - b[k];
  return sqrt((d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) / (s->radius * s->radius));
}

static void density_body(void *user, size_t begin, size_t end)
{
  Sph *s = ((Pass *)user)->s;
  double m = s->mass;
  for (size_t i = begin * DV_NEAR_CHUNK; i < dv_min_size(end * DV_NEAR_CHUNK, s->near.count); i++) {
    const int32_t *list;
    size_t count = dv_near_of(&s->near, i, &list);
    double rho = m * dv_smooth_w(s->to_density, 0), d[3];
    for (size_t n = 0; n < count; n++) rho += m * dv_smooth_w(s->to_density, apart(s, i, (size_t)list[n], d));
    s->rho.data[i] = rho;
    bool pressed = s->pressureType != 0 || s->sofa;
    s->push.data[i] = pressed ? s->pressure * (rho - s->density) / (rho * rho) : 0;
  }
}

// the gradient of the field that is 1 inside, and its Laplacian
static void normal_body(void *user, size_t begin, size_t end)
{
  Sph *s = ((Pass *)user)->s;
  for (size_t i = begin * DV_NEAR_CHUNK; i < dv_min_size(end * DV_NEAR_CHUNK, s->near.count); i++) {
    const int32_t *list;
    size_t count = dv_near_of(&s->near, i, &list);
    double *out = s->normal.data + 4 * i, d[3];
    out[0] = out[1] = out[2] = 0;
    out[3] = s->sofa ? 0 : s->mass / s->rho.data[i] * dv_smooth_laplacian(s->to_surface, 0);
    for (size_t n = 0; n < count; n++) {
      size_t j = (size_t)list[n];
      double q = apart(s, i, j, d), share = s->mass / s->rho.data[j];
      // SOFA takes differences of volumes, and gives the second of a pair the opposite normal
      if (s->sofa) share -= s->mass / s->rho.data[i];
      bool second = s->near.point.data[j] < s->near.point.data[i];
      double along = dv_smooth_gradient(s->to_surface, q) * (s->sofa && second ? -share : share);
      for (int k = 0; k < 3; k++) out[k] += along * d[k];
      out[3] += share * dv_smooth_laplacian(s->to_surface, q);
    }
  }
}

// artificial viscosity of a pair, as a pressure term that is added to p_i/rho_i^2 + p_j/rho_j^2
static inline double approach(const Sph *s, size_t i, size_t j, double q, const double d[3])
{
  const double *v = s->v.data + 3 * i, *w = s->v.data + 3 * j;
  double speed = (v[0] - w[0]) * d[0] + (v[1] - w[1]) * d[1] + (v[2] - w[2]) * d[2], h = s->radius;
  if (!(speed < 0)) return 0;
  double rho = 0.5 * (s->rho.data[i] + s->rho.data[j]), far = 0.01 * h * h;
  if (s->sofa) return -speed * s->viscosity * h / ((q * q + (double)0.01f * h * h) * rho * s->mass);
  return -speed * s->viscosity * h / ((q * q * h * h + far) * rho);
}

static void force_body(void *user, size_t begin, size_t end)
{
  const Pass *p = user;
  Sph *s = p->s;
  double m2 = s->mass * s->mass;
  for (size_t i = begin * DV_NEAR_CHUNK; i < dv_min_size(end * DV_NEAR_CHUNK, s->near.count); i++) {
    const int32_t *list;
    size_t count = dv_near_of(&s->near, i, &list);
    double sum[3] = {0}, d[3];
    for (size_t n = 0; n < count; n++) {
      size_t j = (size_t)list[n];
      double q = apart(s, i, j, d), along = s->push.data[i] + s->push.data[j], drag = 0;
      if (!(q > 0)) continue;   // two at one place have no direction
      if (p->viscosity == 2) along += approach(s, i, j, q, d);
      along *= -m2 * dv_smooth_gradient(s->to_pressure, q);
      if (p->tension == 2) along -= s->surfaceTension * m2 * dv_smooth_w(s->to_density, q);
      if (p->viscosity == 1)
        drag = m2 * s->viscosity / (s->rho.data[i] * s->rho.data[j]) * dv_smooth_laplacian(s->to_viscosity, q);
      for (size_t k = 0; k < 3; k++) sum[k] += along * d[k] + drag * (s->v.data[3 * j + k] - s->v.data[3 * i + k]);
    }
    if (p->tension == 1) {
      const double *n = s->normal.data + 4 * i;
      double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
      // inside of the fluid the normal is noise
      double least = s->sofa ? (double)0.000001f : 0.1 / s->radius;
      double along = -s->mass * s->surfaceTension * n[3] / length / (s->sofa ? 1 : s->rho.data[i]);
      for (int k = 0; k < 3 && length > least; k++) sum[k] += along * n[k];
    }
    double *f = p->f + 3 * (size_t)s->near.point.data[i];
    for (int k = 0; k < 3; k++) f[k] += sum[k];
  }
}

// --- the component --------------------------------------------------------------------------------

// Room for all particles; false, with a message, when it is short or a particle has too many neighbours.
static bool look_around(Sph *s, const double *x, size_t n)
{
  dvObject *o = &s->force.base;
  s->rho.count = s->push.count = s->v.count = s->normal.count = 0;
  if (!dv_near_find(&s->near, o->context->pool, x, n, s->width, s->radius) || !dv_try_reserve(&s->rho, n) ||
      !dv_try_reserve(&s->push, n) || !dv_try_reserve(&s->v, 3 * n) || !dv_try_reserve(&s->normal, 4 * n)) {
    dv_error(o, NULL, "out of memory for %zu particles", n);
    return false;
  }
  if (!dv_near_crowded(&s->near)) return true;
  dv_field_error(o, &s->radius, "take a radius of about two distances between particles",
                 "a particle has more than %d others within the radius of %g", DV_NEAR_MOST, s->radius);
  return false;
}

static void sph_add_force(dvObject *o, const dvMech *m)
{
  Sph *s = (Sph *)o;
  dvState *state = s->force.state;
  dvPool *pool = dv_pool_for(o->context->pool, 2000.0 * (double)state->count);
  size_t n = state->count;
  if (n == 0 || !look_around(s, dv_state_read(state, m->x), n)) return;
  const double *v = dv_state_read(state, m->v);
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < 3; k++) s->v.data[3 * i + k] = v[3 * (size_t)s->near.point.data[i] + k];
  Pass pass = {s, dv_state_write(state, m->f), s->viscosity == 0 ? 0 : s->viscosityType,
               s->surfaceTension > 0 ? s->surfaceTensionType : 0};
  if (s->sofa && pass.tension == 2) pass.tension = 0;
  dv_parallel_for(pool, dv_near_chunks(&s->near), 1, density_body, &pass);
  if (pass.tension == 1) dv_parallel_for(pool, dv_near_chunks(&s->near), 1, normal_body, &pass);
  dv_parallel_for(pool, dv_near_chunks(&s->near), 1, force_body, &pass);
}

void dv_sph_volumes(dvObject *o, const double *x, double *out, size_t count)
{
  Sph *s = (Sph *)o;
  Pass pass = {.s = s};
  if (count == 0 || !look_around(s, x, count)) return;
  dv_parallel_for(dv_pool_for(o->context->pool, 1000.0 * (double)count), dv_near_chunks(&s->near), 1, density_body,
                  &pass);
  for (size_t i = 0; i < count; i++) out[s->near.point.data[i]] = s->mass / s->rho.data[i];
}

static dvStatus check_choice(const dvObject *o, const int32_t *member, int most)
{
  if (*member >= 0 && *member <= most) return DV_OK;
  const char *name = dv_field_name(dv_field_of(o, member)->desc);
  return dv_field_error(o, member, NULL, "%s is %d; it is one of 0 to %d", name, *member, most);
}

// Sound runs h/c with c^2 = dp/drho: a step must not be longer.
static void check_step(Sph *s)
{
  dvObject *o = &s->force.base;
  double dt = o->node->dt, limit = s->pressure > 0 ? s->radius / sqrt(s->pressure) : INFINITY;
  if (!(dt > limit) || s->told) return;
  s->told = true;
  dv_warning(o, "make dt smaller, or the pressure",
             "the time step of %g s is longer than the %g s in which sound runs "
             "through a radius: the fluid will not stay calm",
             dt, limit);
}

static dvStatus sph_reinit(dvObject *o)
{
  Sph *s = (Sph *)o;
  if (!(s->radius > 0) || !isfinite(s->radius))
    return dv_field_error(o, &s->radius, "give about two distances between particles", "a radius of %g is none",
                          s->radius);
  if (!(s->mass > 0) || !isfinite(s->mass))
    return dv_field_error(o, &s->mass, "give the mass of a particle", "a mass of %g is none", s->mass);
  if (!(s->density >= 0))
    return dv_field_error(o, &s->density, "give that of the fluid at rest, in the units of mass and radius",
                          "a density of %g is none", s->density);
  if (!(s->viscosity >= 0))
    return dv_field_error(o, &s->viscosity, "give 0 for none", "a viscosity of %g would drive the fluid", s->viscosity);
  if (!(s->density > 0) && s->pressureType == 1)
    dv_field_warning(o, &s->density, "give that of the fluid at rest",
                     "a density of 0 at rest is that of a gas: the particles press each other apart for ever");
  if (s->pressure < 0)
    dv_field_warning(o, &s->pressure, "make it positive",
                     "a pressure of %g pulls particles together the closer they are", s->pressure);
  DV_TRY(check_choice(o, &s->kernelType, 1));
  DV_TRY(check_choice(o, &s->pressureType, 1));
  DV_TRY(check_choice(o, &s->viscosityType, 2));
  DV_TRY(check_choice(o, &s->surfaceTensionType, 2));
  bool cubic = s->kernelType == 1;
  s->to_density = dv_smooth(cubic ? DV_SMOOTH_CUBIC : DV_SMOOTH_DENSITY, s->radius);
  s->to_pressure = dv_smooth(cubic ? DV_SMOOTH_CUBIC : DV_SMOOTH_PRESSURE, s->radius);
  s->to_viscosity = dv_smooth(cubic ? DV_SMOOTH_CUBIC : DV_SMOOTH_VISCOSITY, s->radius);
  s->to_surface = s->to_density;
  double width = dv_grid_width(o->node);
  if (width > 0 && width < s->radius)
    dv_warning(o, "make cellWidth at least as large as the radius",
               "cells of width %g are narrower than the radius %g: "
               "they are widened",
               width, s->radius);
  s->width = fmax(width, s->radius);
  bool differs = (s->viscosityType == 2 && s->viscosity != 0) || s->surfaceTension > 0 || s->pressureType == 0;
  s->sofa = differs && dv_compat(o, DV_COMPAT_SPH_FLUID);
  check_step(s);
  return DV_OK;
}

static dvStatus sph_init(dvObject *o)
{
  DV_TRY(dv_force_init(o));
  return sph_reinit(o);
}

static void sph_end_step(dvObject *o)
{
  Sph *s = (Sph *)o;
  if (s->force.state) dv_strays_tell(&s->strays, o, s->force.state, s->radius);
}

static const dvForceOps sph_ops = {.add_force = sph_add_force, DV_FORCE_SLOTS};

const dvClass dv_sph_force_class = {
    .struct_size = sizeof(dvClass),
    .name = "SPHFluidForceField",
    .help = "a fluid of particles: pressure, viscosity and surface tension between those that are near",
    .module = "SofaSphFluid",
    .dofs = DV_DOF_VEC3,
    .size = sizeof(Sph),
    .blocks = {&dv_object_block, &dv_force_block, DV_BLOCK(sph_fields)},
    .ops = {[DV_ROLE_FORCE] = &sph_ops},
    .init = sph_init,
    .reinit = sph_reinit,
    .end_step = sph_end_step,
    .destroy = sph_destroy,
};

// See cavity.h. SurfacePressureConstraint: the pressure of a cavity or how much its volume grows is imposed, or it is
// filled with a gas and closed.
#include "robot/cavity.h"

#include "robot/classes.h"
#include "topology/search/rays.h"
#include "topology/topology.h"

#include <math.h>

#define SELF dvCavity
static const dvFieldDesc cavity_fields[] = {DV_CAVITY_FIELDS(DV_DESCRIBE)};
#undef SELF
const dvFieldBlock dv_cavity_block = {cavity_fields, (int)DV_COUNT(cavity_fields)};

// --- geometry ----------------------------------------------------------------------------------------

size_t dv_cavity_rows(const dvPart *p) { return DV_UNUSED(p), 1; }

static double add_triangle(dvPart *p, const double *x, const int32_t *at, double turn, bool slopes)
{
  dvVec3 a = dv_vec3_load(x + 3 * at[0]), b = dv_vec3_load(x + 3 * at[1]), c = dv_vec3_load(x + 3 * at[2]);
  dvVec3 sixth = dv_vec3_scale(dv_vec3_cross(dv_vec3_sub(b, a), dv_vec3_sub(c, a)), turn / 6);
  for (int k = 0; slopes && k < 3; k++) dv_part_slope3(p, 0, (size_t)at[k], sixth);
  return turn * dv_vec3_dot(a, dv_vec3_cross(b, c)) / 6;
}

static double volume(dvCavity *c, const double *x, bool slopes)
{
  double sum = 0;
  for (size_t i = 0; i + 3 <= c->triangles.count; i += 3)
    sum += add_triangle(&c->part, x, c->triangles.data + i, c->turn, slopes);
  for (size_t i = 0; i + 4 <= c->quads.count; i += 4) {
    const int32_t *q = c->quads.data + i;
    sum += add_triangle(&c->part, x, (int32_t[]){q[0], q[1], q[2]}, c->turn, slopes);
    sum += add_triangle(&c->part, x, (int32_t[]){q[0], q[2], q[3]}, c->turn, slopes);
  }
  return sum;
}

void dv_cavity_measure(dvPart *p, const double *x, double *q, bool slopes)
{
  dvCavity *c = (dvCavity *)p;
  *q = volume(c, x, slopes) - c->initialCavityVolume;
}

// --- setting up --------------------------------------------------------------------------------------

dvStatus dv_cavity_init(dvObject *o, const dvGauge *gauge, dvPartRole role) { return dv_part_init(o, gauge, role); }

dvStatus dv_cavity_check(dvObject *o)
{
  dvCavity *c = (dvCavity *)o;
  dvState *s = dv_part_state(&c->part);
  DV_TRY(dv_check_indices(o, &c->triangles, s->count, "points"));
  DV_TRY(dv_check_indices(o, &c->quads, s->count, "points"));
  DV_TRY(dv_part_check_limits(o, &c->minPressure, &c->maxPressure, "pressure"));
  DV_TRY(dv_part_check_limits(o, &c->minVolumeGrowth, &c->maxVolumeGrowth, "growth"));
  c->turn = c->flipNormal ? -1 : 1;
  return DV_OK;
}

static dvStatus take_faces(dvObject *o)
{
  dvCavity *c = (dvCavity *)o;
  if (c->triangles.count || c->quads.count) return DV_OK;
  dvObject *t = dv_node_find_up(o->node, DV_ROLE_TOPOLOGY);
  if (t) dv_ints_share(&c->triangles, dv_topology_elements(dv_topology(t), DV_TRIANGLE));
  if (t) dv_ints_share(&c->quads, dv_topology_elements(dv_topology(t), DV_QUAD));
  if (c->triangles.count || c->quads.count) return DV_OK;
  return dv_error(o, "add a MeshTopology with the surface of the cavity, or give triangles",
                  "%s finds no triangles and quads: the cavity has no wall", o->cls->name);
}

dvStatus dv_cavity_needs_volume(dvObject *o, const void *field)
{
  if (!((dvCavity *)o)->open) return DV_OK;
  return dv_field_error(o, field, "close the holes (MeshClosingEngine), or impose a pressure",
                        "the cavity is open, it has no volume that could be set");
}

static void tell_open(dvObject *o)
{
  dvCavity *c = (dvCavity *)o;
  int32_t first[2];
  size_t open =
      dv_surface_open_edges(c->triangles.data, c->triangles.count / 3, c->quads.data, c->quads.count / 4, first);
  c->open = open > 0;
  if (open > 0 && open != SIZE_MAX)
    dv_warning(o, "join points that stand at the same place, or close the holes with MeshClosingEngine",
               "the cavity is open: %zu of its edges border on one face only, the first between points %d and %d; the "
               "pressure acts on the faces that there are, and cavityVolume means nothing",
               open, first[0], first[1]);
}

dvStatus dv_cavity_bwd_init(dvObject *o)
{
  dvCavity *c = (dvCavity *)o;
  DV_TRY(take_faces(o));
  DV_TRY(dv_cavity_check(o));
  tell_open(o);
  c->initialCavityVolume = volume(c, dv_state_read(dv_part_state(&c->part), DV_X), false);
  if (!c->open && c->initialCavityVolume < 0)
    dv_warning(o, c->flipNormal ? "leave flipNormal out" : "set flipNormal=\"1\"",
               "the faces of the cavity point inwards: a positive pressure draws its wall in");
  dv_part_end_step(o);
  return DV_OK;
}

void dv_cavity_limits(dvPart *p)
{
  const dvCavity *c = (const dvCavity *)p;
  const dvObject *o = &p->model.base;
  dvPartAim *a = &p->aims.data[0];
  a->low = dv_part_limit(o, &c->minPressure, -INFINITY);
  a->high = dv_part_limit(o, &c->maxPressure, INFINITY);
  a->least = dv_part_limit(o, &c->minVolumeGrowth, -INFINITY);
  a->most = dv_part_limit(o, &c->maxVolumeGrowth, INFINITY);
  dv_part_slow(o, &c->maxVolumeGrowthVariation, 1, a->reached, &a->least, &a->most);
  dv_part_slow(o, &c->maxPressureVariation, 1, p->forces.data[0], &a->low, &a->high);
}

void dv_cavity_show(dvPart *p)
{
  dvCavity *c = (dvCavity *)p;
  c->pressure = p->forces.data[0];
  c->volumeGrowth = p->aims.data[0].reached;
  c->cavityVolume = c->initialCavityVolume + c->volumeGrowth;
  dv_touch(&p->model.base, &c->pressure);
  dv_touch(&p->model.base, &c->volumeGrowth);
  dv_touch(&p->model.base, &c->cavityVolume);
}

void dv_cavity_remember(dvObject *o, dvMemoryStream *s)
{
  dvCavity *c = (dvCavity *)o;
  dv_part_remember(o, s);
  dv_remember_numbers(s, "initialCavityVolume", &c->initialCavityVolume, sizeof c->initialCavityVolume);
  dv_remember_numbers(s, "pressure", &c->pressure, sizeof c->pressure);
  dv_remember_numbers(s, "volumeGrowth", &c->volumeGrowth, sizeof c->volumeGrowth);
  dv_remember_numbers(s, "cavityVolume", &c->cavityVolume, sizeof c->cavityVolume);
}

// --- SurfacePressureConstraint -----------------------------------------------------------------------

enum { PRESSURE, GROWTH, GAS };

#define CONSTRAINT_FIELDS(X)                                                                                       \
  X(reals, value, "", "", "pressures (Pa) or growths (m3) to choose from")                                         \
  X(int, valueIndex, "0", "", "which of them is imposed", .least = "0")                                            \
  X(choice, valueType, "pressure", "",                                                                             \
    "what the value is; gas: the pressure above ambientPressure that the gas would have at the first volume. The " \
    "cavity is closed then, and its pressure falls as its volume grows",                                           \
    .options = "pressure|volumeGrowth|gas")                                                                        \
  X(real, ambientPressure, "101325", "Pa", "pressure around the body, for gas", .least = "0")                      \
  X(real, gasExponent, "1", "", "p V^n is constant: 1 at constant temperature, 1.4 for fast changes of air",       \
    .least = "0")

typedef struct PressureConstraint {
  dvCavity cavity;
  CONSTRAINT_FIELDS(DV_MEMBER)
} PressureConstraint;

#define SELF PressureConstraint
static const dvFieldDesc constraint_fields[] = {CONSTRAINT_FIELDS(DV_DESCRIBE)};
#undef SELF

static void imposed_aim(dvPart *p, double h)
{
  DV_UNUSED(h);
  PressureConstraint *c = (PressureConstraint *)p;
  dvPartAim *a = &p->aims.data[0];
  dv_cavity_limits(p);
  double value = dv_part_value(&p->model.base, &c->value, c->valueIndex);
  a->by_force = c->valueType == PRESSURE;
  a->value = a->by_force ? dv_max(a->low, dv_min(a->high, value)) : dv_max(a->least, dv_min(a->most, value));
  if (c->valueType != GAS) return;
  double v0 = c->cavity.initialCavityVolume;
  a->value = v0;
  a->gas[0] = (c->ambientPressure + value) * pow(v0, c->gasExponent);
  a->gas[1] = c->gasExponent;
  a->gas[2] = c->ambientPressure;
}

static const dvGauge imposed = {
    .rows = dv_cavity_rows, .measure = dv_cavity_measure, .aim = imposed_aim, .show = dv_cavity_show};

static dvStatus imposed_init(dvObject *o) { return dv_cavity_init(o, &imposed, DV_PART_IMPOSED); }

static dvStatus imposed_check(dvObject *o)
{
  PressureConstraint *c = (PressureConstraint *)o;
  DV_TRY(dv_part_check_value(o, &c->value, &c->valueIndex));
  if (c->valueType != PRESSURE) DV_TRY(dv_cavity_needs_volume(o, &c->valueType));
  if (c->valueType != GAS) return DV_OK;
  if (!(c->gasExponent > 0 && c->ambientPressure >= 0))
    return dv_field_error(o, &c->gasExponent, "1 is right where temperature stays", "there is no gas with exponent %g",
                          c->gasExponent);
  if (!(c->cavity.initialCavityVolume > 0))
    return dv_field_error(o, &c->valueType, "turn the faces with flipNormal",
                          "a gas needs a cavity with a volume above 0");
  return DV_OK;
}
static dvStatus imposed_bwd_init(dvObject *o)
{
  DV_TRY(dv_cavity_bwd_init(o));
  return imposed_check(o);
}
static dvStatus imposed_reinit(dvObject *o)
{
  DV_TRY(dv_cavity_check(o));
  return imposed_check(o);
}

const dvClass dv_pressure_constraint_class = {
    .struct_size = sizeof(dvClass),
    .name = "SurfacePressureConstraint",
    .help = "a cavity whose pressure or growth of volume is imposed, or that is filled with gas",
    .module = "SoftRobots",
    .dofs = DV_DOF_VEC3,
    .size = sizeof(PressureConstraint),
    .blocks = {&dv_object_block, &dv_constraint_model_block, &dv_cavity_block, DV_BLOCK(constraint_fields)},
    .ops = {[DV_ROLE_CONSTRAINT] = &dv_part_ops},
    .init = imposed_init,
    .bwd_init = imposed_bwd_init,
    .reinit = imposed_reinit,
    .end_step = dv_part_end_step,
    .remember = dv_cavity_remember,
    .destroy = dv_part_destroy,
};

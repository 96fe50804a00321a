// See sensation.h.
#include "haptic/sensation.h"

#include "base/clock.h"
#include "instrument/needle.h"
#include "math/pose.h"

#include <math.h>
#include <string.h>

enum { HEAD = sizeof(dvSensation) / sizeof(double), LAW = sizeof(dvSensationLaw) / sizeof(double) };

size_t dv_sensation_size(size_t laws, size_t rows) { return HEAD + laws * LAW + rows * (6 + 6 + 1 + 1 + 1 + rows); }

dvMechanism dv_sensation_mechanism(double *message)
{
  const dvSensation *m = (const dvSensation *)message;
  size_t laws = (size_t)m->laws, rows = (size_t)m->rows;
  dvMechanism out;
  out.laws = (dvSensationLaw *)(message + HEAD);
  out.response = message + HEAD + laws * LAW;
  out.directions = out.response + 6 * rows;
  out.free = out.directions + 6 * rows;
  out.lambda = out.free + rows;
  out.slip = out.lambda + rows;
  out.w = out.slip + rows;
  return out;
}

bool dv_sensation_is_sound(const double *message, size_t count)
{
  if (count == 0) return true;
  if (count < HEAD) return false;
  const dvSensation *m = (const dvSensation *)message;
  if (!(m->kind >= DV_RENDER_NOTHING && m->kind <= DV_RENDER_MECHANISM) || !(m->iterations <= 1e6)) return false;
  if (!(m->rows >= 0 && m->rows <= DV_MECHANISM_ROWS && m->laws >= 0 && m->laws <= m->rows)) return false;
  if (count != dv_sensation_size((size_t)m->laws, (size_t)m->rows)) return false;
  const dvSensationLaw *laws = (const dvSensationLaw *)(message + HEAD);
  double rows = 0;
  for (size_t i = 0; i < (size_t)m->laws; rows += laws[i++].rows)
    if (!(laws[i].rows >= 1 && laws[i].rows <= DV_LAW_ROWS && laws[i].kind >= DV_LAW_EQUAL &&
          laws[i].kind < DV_LAW_OWN + DV_NEEDLE_LAWS) ||
        laws[i].rows != floor(laws[i].rows) || laws[i].kind != floor(laws[i].kind) ||
        ((laws[i].kind == DV_LAW_FRICTION || laws[i].kind >= DV_LAW_OWN) && laws[i].rows != 3))
      return false;
  return rows == m->rows;
}

// how far the hand has gone since the step began
static void displacement(const dvSensation *m, const dvHapticTool *tool, double out[6])
{
  dvPose before = dv_pose_load(m->reference), now = dv_pose_load(tool->pose);
  dv_vec3_store(out, dv_vec3_sub(now.at, before.at));
  dvVec3 turn = {0, 0, 0};
  if (m->rotations != 0) turn = dv_quat_to_rotation_vector(dv_quat_mul(now.turn, dv_quat_inverse(before.turn)));
  dv_vec3_store(out + 3, turn);
  for (int i = 0; i < (m->rotations != 0 ? 6 : 3); i++) out[i] += m->lag[i / 3] * (tool->velocity[i] - m->speed[i]);
}

static void couple(const dvSensation *m, const dvHapticTool *tool, double wrench[6])
{
  if (m->quiet != 0 && m->touches == 0) return;
  dvPose x = dv_pose_load(m->pose), p = dv_pose_load(tool->pose);
  double apart[6];
  dv_vec3_store(apart, dv_vec3_sub(x.at, p.at));
  dv_vec3_store(apart + 3, dv_quat_to_rotation_vector(dv_quat_mul(x.turn, dv_quat_inverse(p.turn))));
  for (int i = 0; i < 6; i++)
    wrench[i] = m->stiffness[i / 3] * apart[i] + m->damping[i / 3] * (m->velocity[i] - tool->velocity[i]);
}

// d = d_free + W lambda follows a change of one multiplier; W is symmetric
static void change(const dvSensation *m, const dvMechanism *c, size_t row, double by, double *d)
{
  size_t rows = (size_t)m->rows;
  const double *w = c->w + row * rows;
  for (size_t k = 0; by != 0 && k < rows; k++) d[k] += w[k] * by;
}

// How laws of needles differ from those of the step.
typedef struct Manner {
  double since;     // s, since ways along needles were counted last
  bool tip_is_in;   // the surface has given way
} Manner;

static double size_of(const double *row) { return dv_vec3_norm(dv_vec3_load(row)); }

// as much of the hand's way as the frame makes in the step
static double follows(const dvMechanism *c, size_t row)
{
  double whole = size_of(c->directions + 6 * row), part = size_of(c->response + 6 * row);
  return whole > 0 ? dv_max(0.05, dv_min(1, part / whole)) : 1;
}

static void adapt(const dvSensation *m, const dvMechanism *c, size_t first, int kind, const Manner *how, dvLaw *law)
{
  if (kind == DV_LAW_OWN + DV_NEEDLE_PLACE)   // viscous friction, along the third row
    law->low *= m->step / (how->since * follows(c, first + 2));
  if (kind == DV_LAW_OWN + DV_NEEDLE_TOUCH && how->tip_is_in) law->high = dv_min(law->high, law->low);
}

// One law after the other, each with the newest multipliers of the others. How far the violations moved at most.
static double sweep(const dvSensation *m, const dvMechanism *c, double *d, const Manner *how)
{
  size_t rows = (size_t)m->rows, first = 0;
  double moved = 0;
  for (size_t l = 0; l < (size_t)m->laws; l++) {
    const dvSensationLaw *given = &c->laws[l];
    size_t n = (size_t)given->rows;
    int kind = (int)given->kind;
    dvLaw law = {.kind = (dvLawKind)dv_min_int(kind, DV_LAW_OWN),
                 .solve = kind >= DV_LAW_OWN ? dv_needle_law(kind - DV_LAW_OWN) : NULL,
                 .rows = (int)n,
                 .mu = given->mu,
                 .low = given->low,
                 .high = given->high,
                 .compliance = given->compliance};
    adapt(m, c, first, kind, how, &law);
    double own[DV_LAW_ROWS * DV_LAW_ROWS], before[DV_LAW_ROWS];
    for (size_t i = 0; i < n; i++) {
      for (size_t k = 0; k < n; k++) own[i * n + k] = c->w[(first + i) * rows + first + k];
      before[i] = c->lambda[first + i];
    }
    dv_law_solve(NULL, &law, own, d + first, c->lambda + first);
    for (size_t i = 0; i < n; i++) {
      double by = c->lambda[first + i] - before[i];
      moved = dv_max(moved, fabs(own[i * n + i] * by));
      change(m, c, first + i, by, d);
    }
    first += n;
  }
  return moved;
}

// whether a tip is on the surface, and pushes as hard as it allows
static void find_tip(const dvSensation *m, const dvMechanism *c, bool *touches, bool *yields)
{
  size_t first = 0;
  *touches = *yields = false;
  for (size_t l = 0; l < (size_t)m->laws; first += (size_t)c->laws[l++].rows) {
    if (c->laws[l].kind != DV_LAW_OWN + DV_NEEDLE_TOUCH) continue;
    *touches = c->lambda[first] > 0;
    *yields = c->laws[l].high > 0 && c->lambda[first] >= c->laws[l].high * (1 - 1e-9);
  }
}

// true when the multipliers are found
static bool solve_laws(const dvSensation *m, const dvMechanism *c, const dvHapticTool *tool, double since, double *d)
{
  double began = tool->timed ? dv_now() : 0;
  Manner how = {.since = since, .tip_is_in = tool->pierced != 0};
  for (int i = 0; i < (int)m->iterations; i++) {
    if (sweep(m, c, d, &how) <= m->tolerance) return true;
    if (tool->timed && dv_now() - began > m->timeout) break;
  }
  return false;
}

// violations of a hand that has gone `far`, with the multipliers as they are
static void violate(const dvSensation *m, const dvMechanism *c, const double far[6], double *d)
{
  size_t rows = (size_t)m->rows;
  for (size_t i = 0; i < rows; i++) {
    d[i] = c->free[i] - c->slip[i];
    for (int k = 0; k < 6; k++) d[i] += c->response[6 * i + (size_t)k] * far[k];
  }
  for (size_t i = 0; i < rows; i++) change(m, c, i, c->lambda[i], d);
}

// ways of this law are not undone: along a place that holds a needle, and before its tip
static bool goes_on(const dvSensationLaw *law)
{
  return law->kind == DV_LAW_OWN + DV_NEEDLE_PLACE || law->kind == DV_LAW_OWN + DV_NEEDLE_TIP;
}

static bool has_needle(const dvSensation *m, const dvMechanism *c)
{
  for (size_t l = 0; l < (size_t)m->laws; l++)
    if (goes_on(&c->laws[l])) return true;
  return false;
}

static void settle(dvSensation *m, const dvMechanism *c, const double *d, double ticks)
{
  size_t first = 0;
  m->settled = ticks;
  for (size_t l = 0; l < (size_t)m->laws; first += (size_t)c->laws[l++].rows)
    if (goes_on(&c->laws[l])) c->slip[first + 2] += d[first + 2];
}

static double since(const dvSensation *m, const dvHapticTool *tool, double ticks)
{
  return dv_max(1, ticks - m->settled) * tool->period;
}

// The first tick with a message: the way in the step, then that of the hand from its beginning to the tick before.
static void catch_up(dvSensation *m, const dvMechanism *c, const dvHapticTool *tool, const double far[6], double *d)
{
  double before[6], still[6] = {0};
  m->begun = 1;
  if (!has_needle(m, c)) return;
  violate(m, c, still, d);
  settle(m, c, d, m->ticks);
  for (int i = 0; i < 6; i++) before[i] = far[i] - (i < 3 || m->rotations != 0 ? tool->velocity[i] * tool->period : 0);
  violate(m, c, before, d);
  solve_laws(m, c, tool, since(m, tool, tool->ticks - 1), d);
  settle(m, c, d, tool->ticks - 1);
}

static void solve(dvSensation *m, double *message, dvHapticTool *tool, double wrench[6])
{
  dvMechanism c = dv_sensation_mechanism(message);
  size_t rows = (size_t)m->rows;
  double far[6], d[DV_MECHANISM_ROWS];
  displacement(m, tool, far);
  if (m->begun == 0) catch_up(m, &c, tool, far, d);
  violate(m, &c, far, d);
  bool found = solve_laws(m, &c, tool, since(m, tool, tool->ticks), d), touches, yields;
  find_tip(m, &c, &touches, &yields);
  if (yields && tool->pierced == 0) {
    tool->pierced = 1;
    found = solve_laws(m, &c, tool, since(m, tool, tool->ticks), d);
  }
  if (!touches) tool->pierced = 0;   // messages know of it, or the needle was taken back
  if (found) settle(m, &c, d, tool->ticks);
  for (size_t i = 0; i < rows; i++)
    for (int k = 0; k < 6; k++) wrench[k] += m->coefficient * c.directions[6 * i + (size_t)k] * c.lambda[i];
}

void dv_sensation_force(double *message, dvHapticTool *tool, double wrench[6])
{
  dvSensation *m = (dvSensation *)message;
  memset(wrench, 0, 6 * sizeof *wrench);
  switch ((dvRendering)(int)m->kind) {
  case DV_RENDER_NOTHING:
    break;
  case DV_RENDER_HELD:
    memcpy(wrench, m->wrench, sizeof m->wrench);
    break;
  case DV_RENDER_COUPLING:
    couple(m, tool, wrench);
    break;
  case DV_RENDER_MECHANISM:
    solve(m, message, tool, wrench);
    break;
  }
}

// A motor turns two groups of masses against each other about an axis that two masses mark.
//
//   torque  t = gain (speed - (w_b - w_a) . a),  at most `most`
//
// w is the angular velocity of a group, J^-1 L about its centre. The torque t a reaches group b, and -t a group a, as
//
//   f_i = m_i (J^-1 t a) x (x_i - c)
//
// Its sum is zero and its moment exactly t a: momentum and angular momentum of the lattice are kept.
#include "lattice/motor.h"

#include "math/vec.h"

#include <math.h>

typedef struct Body {
  dvVec3 centre, spin;
  dvMat3 inverse;   // of J
} Body;

static dvVec3 at(const dvLattice *l, const void *const x[3], size_t slot)
{
  if (l->single) return dv_vec3(((const float *)x[0])[slot], ((const float *)x[1])[slot], ((const float *)x[2])[slot]);
  return dv_vec3(((const double *)x[0])[slot], ((const double *)x[1])[slot], ((const double *)x[2])[slot]);
}

static Body body_of(const dvLattice *l, const dvLatticeMotor *m, int group, const void *const x[3],
                    const void *const v[3])
{
  Body b = {.centre = {0, 0, 0}};
  double mass = 0;
  dvVec3 momentum = {0, 0, 0}, turning = {0, 0, 0};
  for (size_t i = 0; i < m->counts[group]; i++) {
    int32_t p = m->groups[group][i];
    size_t slot = l->slot_of[p];
    mass += l->mass[p];
    b.centre = dv_vec3_add(b.centre, dv_vec3_scale(at(l, x, slot), l->mass[p]));
    momentum = dv_vec3_add(momentum, dv_vec3_scale(at(l, v, slot), l->mass[p]));
  }
  b.centre = dv_vec3_scale(b.centre, 1 / mass);
  dvVec3 mean = dv_vec3_scale(momentum, 1 / mass);
  dvMat3 j = {{{0}}};
  for (size_t i = 0; i < m->counts[group]; i++) {
    int32_t p = m->groups[group][i];
    size_t slot = l->slot_of[p];
    dvVec3 r = dv_vec3_sub(at(l, x, slot), b.centre), u = dv_vec3_sub(at(l, v, slot), mean);
    turning = dv_vec3_add(turning, dv_vec3_scale(dv_vec3_cross(r, u), l->mass[p]));
    double rr[3] = {r.x, r.y, r.z}, size = dv_vec3_norm2(r);
    for (int a = 0; a < 3; a++)
      for (int c = 0; c < 3; c++) j.m[a][c] += l->mass[p] * ((a == c ? size : 0) - rr[a] * rr[c]);
  }
  if (!dv_mat3_inverse(j, &b.inverse)) b.inverse = dv_mat3_scale(j, 0);   // all in a line: nothing to turn
  b.spin = dv_mat3_mul_vec(b.inverse, turning);
  return b;
}

static void push(dvLattice *l, const dvLatticeMotor *m, int group, const Body *b, dvVec3 torque, const void *const x[3])
{
  dvVec3 turn = dv_mat3_mul_vec(b->inverse, torque);
  for (size_t i = 0; i < m->counts[group]; i++) {
    int32_t p = m->groups[group][i];
    size_t slot = l->slot_of[p];
    dvVec3 f = dv_vec3_scale(dv_vec3_cross(turn, dv_vec3_sub(at(l, x, slot), b->centre)), l->mass[p]);
    double ff[3] = {f.x, f.y, f.z};
    for (int k = 0; k < 3; k++) {
      if (l->single) ((float *)l->extra[k])[slot] += (float)ff[k];
      else ((double *)l->extra[k])[slot] += ff[k];
    }
  }
}

void dv_motors_push(dvLattice *l, const void *const x[3], const void *const v[3], double h)
{
  for (size_t n = 0; n < l->motors.count; n++)   // what the moment before has added goes
    for (int g = 0; g < 2; g++)
      for (size_t i = 0; i < l->motors.data[n].counts[g]; i++) {
        int32_t p = l->motors.data[n].groups[g][i];
        for (int k = 0; k < 3; k++) {
          double outer = l->outer ? l->outer[3 * p + k] : 0;
          if (l->single) ((float *)l->extra[k])[l->slot_of[p]] = (float)outer;
          else ((double *)l->extra[k])[l->slot_of[p]] = outer;
        }
      }
  for (size_t n = 0; n < l->motors.count; n++) {
    dvLatticeMotor *m = &l->motors.data[n];
    Body a = body_of(l, m, 0, x, v), b = body_of(l, m, 1, x, v);
    dvVec3 axis = dv_vec3_normalise(dv_vec3_sub(at(l, x, l->slot_of[m->axis[1]]), at(l, x, l->slot_of[m->axis[0]])));
    double rate = dv_vec3_dot(dv_vec3_sub(b.spin, a.spin), axis);
    m->torque = fmin(fmax(m->gain * (m->speed - rate), -m->most), m->most);
    m->turned += h * rate;
    push(l, m, 0, &a, dv_vec3_scale(axis, -m->torque), x);
    push(l, m, 1, &b, dv_vec3_scale(axis, m->torque), x);
  }
}

void dv_motors_free(dvLattice *l)
{
  for (size_t i = 0; i < l->motors.count; i++)
    for (int k = 0; k < 2; k++) dv_free(l->motors.data[i].groups[k]);
  dv_array_free(&l->motors);
}

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
#include <string.h>

static dvVec3 at(const dvLattice *l, const void *const x[3], size_t slot)
{
  if (l->single) return dv_vec3(((const float *)x[0])[slot], ((const float *)x[1])[slot], ((const float *)x[2])[slot]);
  return dv_vec3(((const double *)x[0])[slot], ((const double *)x[1])[slot], ((const double *)x[2])[slot]);
}

// One pass: sums about the first mass, which are then moved to the centre.
static dvLatticeBody body_of(const dvLattice *l, const dvLatticeMotor *m, int group, const void *const x[3],
                             const void *const v[3])
{
  dvVec3 origin = at(l, x, l->slot_of[m->groups[group][0]]), first = {0, 0, 0}, momentum = {0, 0, 0},
         turning = {0, 0, 0};
  double mass = 0, xx = 0, yy = 0, zz = 0, xy = 0, yz = 0, zx = 0;
  for (size_t i = 0; i < m->counts[group]; i++) {
    int32_t p = m->groups[group][i];
    size_t slot = l->slot_of[p];
    double w = l->mass[p];
    dvVec3 r = dv_vec3_sub(at(l, x, slot), origin), wr = dv_vec3_scale(r, w), u = at(l, v, slot);
    mass += w;
    first = dv_vec3_add(first, wr);
    momentum = dv_vec3_add_scaled(momentum, u, w);
    turning = dv_vec3_add(turning, dv_vec3_cross(wr, u));
    xx += wr.x * r.x, yy += wr.y * r.y, zz += wr.z * r.z;
    xy += wr.x * r.y, yz += wr.y * r.z, zx += wr.z * r.x;
  }
  dvVec3 c = dv_vec3_scale(first, 1 / mass);
  xx -= first.x * c.x, yy -= first.y * c.y, zz -= first.z * c.z;
  xy -= first.x * c.y, yz -= first.y * c.z, zx -= first.z * c.x;
  dvMat3 j = {{{yy + zz, -xy, -zx}, {-xy, xx + zz, -yz}, {-zx, -yz, xx + yy}}};
  dvLatticeBody b = {.centre = dv_vec3_add(origin, c)};
  if (!dv_mat3_inverse(j, &b.inverse)) b.inverse = dv_mat3_scale(j, 0);   // all in a line: nothing to turn
  b.spin = dv_mat3_mul_vec(b.inverse, dv_vec3_sub(turning, dv_vec3_cross(c, momentum)));
  return b;
}

static void push(dvLattice *l, const dvLatticeMotor *m, int group, const void *const x[3])
{
  const dvLatticeBody *b = &m->bodies[group];
  dvVec3 turn = dv_mat3_mul_vec(b->inverse, b->torque);
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

// what the moment before has added goes
static void clear(dvLattice *l, const dvLatticeMotor *m, int group)
{
  for (size_t i = 0; i < m->counts[group]; i++) {
    size_t p = (size_t)m->groups[group][i], slot = l->slot_of[p];
    for (size_t k = 0; k < 3; k++) {
      double outer = l->outer ? l->outer[3 * p + k] : 0;
      if (l->single) ((float *)l->extra[k])[slot] = (float)outer;
      else ((double *)l->extra[k])[slot] = outer;
    }
  }
}

static dvLatticeBody *body(dvLattice *l, size_t place) { return &l->motors.data[place / 2].bodies[place % 2]; }

void dv_motors_push(dvLattice *l, const void *const x[3], const void *const v[3], double h)
{
  for (size_t g = 0; g < 2 * l->motors.count; g++) {
    const dvLatticeMotor *m = &l->motors.data[g / 2];
    if (m->same[g % 2] != g) continue;
    clear(l, m, (int)(g % 2));
    *body(l, g) = body_of(l, m, (int)(g % 2), x, v);
  }
  for (size_t n = 0; n < l->motors.count; n++) {
    dvLatticeMotor *m = &l->motors.data[n];
    dvLatticeBody *a = body(l, m->same[0]), *b = body(l, m->same[1]);
    dvVec3 axis = dv_vec3_normalise(dv_vec3_sub(at(l, x, l->slot_of[m->axis[1]]), at(l, x, l->slot_of[m->axis[0]])));
    double rate = dv_vec3_dot(dv_vec3_sub(b->spin, a->spin), axis);
    m->torque = fmin(fmax(m->gain * (m->speed - rate), -m->most), m->most);
    m->turned += h * rate;
    a->torque = dv_vec3_add_scaled(a->torque, axis, -m->torque);
    b->torque = dv_vec3_add_scaled(b->torque, axis, m->torque);
  }
  for (size_t g = 0; g < 2 * l->motors.count; g++)
    if (l->motors.data[g / 2].same[g % 2] == g) push(l, &l->motors.data[g / 2], (int)(g % 2), x);
}

void dv_motors_add(dvLattice *l, const dvLatticeMotor *motor)
{
  dvLatticeMotor m = *motor;
  size_t n = l->motors.count;
  for (size_t k = 0; k < 2; k++) {
    m.same[k] = 2 * n + k;
    for (size_t g = 0; g < 2 * n && m.same[k] == 2 * n + k; g++) {
      const dvLatticeMotor *other = &l->motors.data[g / 2];
      if (other->counts[g % 2] == m.counts[k] &&
          memcmp(other->groups[g % 2], m.groups[k], m.counts[k] * sizeof(int32_t)) == 0)
        m.same[k] = other->same[g % 2];
    }
  }
  dv_push(&l->motors, m);
}

void dv_motors_free(dvLattice *l)
{
  for (size_t i = 0; i < l->motors.count; i++)
    for (int k = 0; k < 2; k++) dv_free(l->motors.data[i].groups[k]);
  dv_array_free(&l->motors);
}

// See beam.h. For bending about z, with c = E Iz/L, deflections v and angles t:
//
//   F_a = 12 c/L^2 (v_a - v_b) + 6 c/L (t_a + t_b) = -F_b,   M_a = 6 c/L (v_a - v_b) + 4 c t_a + 2 c t_b,   M_b
//   likewise
//
// With shear s, c/(1 + s) takes the place of c, and (4 + s) and (2 - s) those of 4 and 2.
//
// about y the same with the sign of the angles turned; E A/L along x and G J/L about x.
#include "force/fem/beam.h"

#include <math.h>

dvBeamSection dv_beam_circle(double outer, double inner)
{
  double pi = acos(-1.0), moment = 0.25 * pi * (pow(outer, 4) - pow(inner, 4));
  return (dvBeamSection){pi * (outer * outer - inner * inner), moment, moment, 2 * moment};
}

dvBeamSection dv_beam_rectangle(double y, double z)
{
  double about_y = y * z * z * z / 12, about_z = z * y * y * y / 12;
  return (dvBeamSection){y * z, about_y, about_z, about_y + about_z};
}

dvBeamStiffness dv_beam_stiffness(const dvBeamSection *s, double length, double young, double poisson)
{
  return (dvBeamStiffness){.length = length,
                           .stretch = young * s->area / length,
                           .twist = young / (2 * (1 + poisson)) * s->torsion / length,
                           .bend_y = young * s->y / length,
                           .bend_z = young * s->z / length};
}

dvBeamStiffness dv_beam_stiffness_inflated(const dvBeamSection *s, double length, double young, double poisson,
                                           double pressure)
{
  dvBeamStiffness k = dv_beam_stiffness(s, length, young, poisson);
  double shear = (pressure + young / (4 * (1 + poisson))) * s->area * length;
  k.bend_y = (young + pressure) * s->y / length;
  k.bend_z = (young + pressure) * s->z / length;
  k.shear_y = 12 * k.bend_y / shear;
  k.shear_z = 12 * k.bend_z / shear;
  return k;
}

void dv_beam_stiffness_product(const dvBeamStiffness *k, const double d[12], double out[12])
{
  double l = k->length, y = k->bend_y / (1 + k->shear_y), z = k->bend_z / (1 + k->shear_z), v = d[1] - d[7],
         w = d[2] - d[8];
  double near_y = (4 + k->shear_y) * y, far_y = (2 - k->shear_y) * y, near_z = (4 + k->shear_z) * z,
         far_z = (2 - k->shear_z) * z;
  out[0] = k->stretch * (d[0] - d[6]);
  out[1] = 12 * z / (l * l) * v + 6 * z / l * (d[5] + d[11]);
  out[2] = 12 * y / (l * l) * w - 6 * y / l * (d[4] + d[10]);
  out[3] = k->twist * (d[3] - d[9]);
  out[4] = -6 * y / l * w + near_y * d[4] + far_y * d[10];
  out[5] = 6 * z / l * v + near_z * d[5] + far_z * d[11];
  for (int i = 0; i < 4; i++) out[6 + i] = -out[i];
  out[10] = -6 * y / l * w + far_y * d[4] + near_y * d[10];
  out[11] = 6 * z / l * v + far_z * d[5] + near_z * d[11];
}

// `moment` is I/(A L^2)
static dvBeamInertia inertia(double mass, double length, double moment)
{
  double l2 = length * length;
  return (dvBeamInertia){.near = mass * (13.0 / 35 + 6.0 / 5 * moment),
                         .far = mass * (9.0 / 70 - 6.0 / 5 * moment),
                         .lever_near = mass * length * (11.0 / 210 + moment / 10),
                         .lever_far = mass * length * (13.0 / 420 - moment / 10),
                         .turn_near = mass * l2 * (1.0 / 105 + 2.0 / 15 * moment),
                         .turn_far = mass * l2 * (1.0 / 140 + moment / 30)};
}

dvBeamMass dv_beam_mass(const dvBeamSection *s, double length, double density)
{
  double mass = density * s->area * length, scale = 1 / (s->area * length * length);
  return (dvBeamMass){.mass = mass,
                      .torsion = mass * s->torsion / s->area,
                      .y = inertia(mass, length, s->z * scale),
                      .z = inertia(mass, length, s->y * scale)};
}

// one bending direction: displacements d[at] and d[at + 6], angles d[turn] and d[turn + 6] with their sign
static void bend(const dvBeamInertia *m, const double *d, int at, int turn, double sign, double *out)
{
  double v0 = d[at], v1 = d[at + 6], t0 = sign * d[turn], t1 = sign * d[turn + 6];
  out[at] = m->near * v0 + m->lever_near * t0 + m->far * v1 - m->lever_far * t1;
  out[at + 6] = m->far * v0 + m->lever_far * t0 + m->near * v1 - m->lever_near * t1;
  out[turn] = sign * (m->lever_near * v0 + m->turn_near * t0 + m->lever_far * v1 - m->turn_far * t1);
  out[turn + 6] = sign * (-m->lever_far * v0 - m->turn_far * t0 - m->lever_near * v1 + m->turn_near * t1);
}

void dv_beam_mass_product(const dvBeamMass *m, const double d[12], double out[12])
{
  for (int k = 0; k < 4; k += 3) {   // along x and about x
    double mass = k ? m->torsion : m->mass;
    out[k] = mass * (d[k] / 3 + d[k + 6] / 6);
    out[k + 6] = mass * (d[k] / 6 + d[k + 6] / 3);
  }
  bend(&m->y, d, 1, 5, 1, out);
  bend(&m->z, d, 2, 4, -1, out);
}

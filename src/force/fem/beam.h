// A straight beam in its own frame, along x: section, stiffness and mass (J. S. Przemieniecki, Theory of matrix
// structural analysis, 1968). Displacements and forces are twelve numbers: centre and angles of its first end, then of
// its second.
#ifndef DV_FORCE_FEM_BEAM_H
#define DV_FORCE_FEM_BEAM_H

// Of a section: area, second moments about y and z, torsion constant.
typedef struct dvBeamSection {
  double area, y, z, torsion;
} dvBeamSection;

// A circle, or a pipe.
dvBeamSection dv_beam_circle(double outer, double inner);
// As wide as `y` along y and `z` along z. The torsion constant is the polar moment, as in SOFA.
dvBeamSection dv_beam_rectangle(double y, double z);

typedef struct dvBeamStiffness {
  double length;
  double stretch, twist;     // E A/L, G J/L
  double bend_y, bend_z;     // E I/L about y and z
  double shear_y, shear_z;   // 12 E I/(G A_s L^2) of bending about y and z; 0: sections stay normal to the axis
} dvBeamStiffness;

dvBeamStiffness dv_beam_stiffness(const dvBeamSection *s, double length, double young, double poisson);
// The same for a tube of thin walls under pressure (C. Wielgosz, J.-C. Thomas, A. Le Van, Mechanics of inflatable
// fabric beams, 2008): E + p resists bending, p + G/2 shear.
dvBeamStiffness dv_beam_stiffness_inflated(const dvBeamSection *s, double length, double young, double poisson,
                                           double pressure);
void dv_beam_stiffness_product(const dvBeamStiffness *k, const double d[12], double out[12]);

// Of a bending direction: mass between displacements of one end, of both ends; displacement and angle of one end, of
// both; angles of one end, of both.
typedef struct dvBeamInertia {
  double near, far, lever_near, lever_far, turn_near, turn_far;
} dvBeamInertia;

typedef struct dvBeamMass {
  double mass, torsion;   // kg, kg m^2
  dvBeamInertia y, z;     // displacement along y (bending about z), along z
} dvBeamMass;

// The consistent mass matrix, with the inertia of turning sections.
dvBeamMass dv_beam_mass(const dvBeamSection *s, double length, double density);
void dv_beam_mass_product(const dvBeamMass *m, const double d[12], double out[12]);

#endif

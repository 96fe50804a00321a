// What cables, cavities, positions and joints of a robot have in common: quantities q(x) of a state, one for each row,
// that a multiplier acts on, and what is asked of them.
//
//   d = q(x) + H (x_free - x),   H = dq/dx   at the positions x before the step
//
// so that d + W lambda is what q will be, to first order of the step, and exactly what it is where the body rests. The
// force of a row is H^T lambda / h: lambda is the pull of a cable or the pressure of a cavity, as an impulse.
//
// A kind of quantity (cable, cavity, position, joint) is a dvGauge; a component adds a role. Imposed: a law sets the
// quantity or the force, with limits on the other. Actuators, equalities, effectors and sensors are left to
// QPInverseProblemSolver (inverse.c), which knows them by the function of their law, dv_part_waits.
#ifndef DV_ROBOT_PART_H
#define DV_ROBOT_PART_H

#include "constraint/lagrangian/model.h"
#include "math/vec.h"

typedef enum dvPartRole {
  DV_PART_IMPOSED,
  DV_PART_UNILATERAL,   // q >= 0, lambda >= 0, one of them 0
  DV_PART_ACTUATOR,
  DV_PART_EQUALITY,
  DV_PART_EFFECTOR,
  DV_PART_SENSOR,   // measured, without a force
} dvPartRole;

// What is asked of a row. Forces in N, pressures in Pa (not impulses); infinite where nothing is.
typedef struct dvPartAim {
  double value;         // imposed, or goal
  bool by_force;        // the value is a force; else one of the quantity
  double low, high;     // of the force
  double least, most;   // of the quantity
  double reached;       // q at the positions before the step
  double gas[3];        // amount of gas p V^n, its exponent n, pressure around: exponent 0 for none
} dvPartAim;

// How a degree of freedom moves the quantity of a row.
typedef struct dvPartSlope {
  int32_t row, dof;
  double h[6];
} dvPartSlope;

typedef struct dvPart dvPart;
typedef struct dvGauge {
  size_t (*rows)(const dvPart *p);
  // The quantities for positions x; with `slopes`, also what moves them (dv_part_slope).
  void (*measure)(dvPart *p, const double *x, double *q, bool slopes);
  // What is asked of the rows in a step of h; `reached` is set before.
  void (*aim)(dvPart *p, double h);
  void (*show)(dvPart *p);   // forces and quantities into the output fields; optional
} dvGauge;

struct dvPart {
  dvConstraintModel model;
  const dvGauge *gauge;
  dvPartRole role;
  bool impulses;    // as SOFA: fields hold impulses instead of forces
  double energy;    // actuators: weight of their energy, below 0 for that of the solver
  bool momentary;   // actuators: the multiplier is a change that is made for good, and begins with 0 in each step
  double h;         // of the last step, s
  double scale;     // from the quantity to what the step corrects: 1, or 1/h for velocities
  DV_ARRAY(dvPartAim) aims;
  DV_ARRAY(dvPartSlope) slopes;
  DV_ARRAY(double) quantities;
  DV_ARRAY(double) forces;   // of the last step
};

void dv_part_slope(dvPart *p, size_t row, size_t dof, const double *h);
void dv_part_slope3(dvPart *p, size_t row, size_t dof, dvVec3 h);
dvState *dv_part_state(const dvPart *p);

// For the hook `init`: finds the state of the node and sets kind and role. Parts that a QPInverseProblemSolver has to
// find forces for are told when there is none.
dvStatus dv_part_init(dvObject *o, const dvGauge *gauge, dvPartRole role);
// The value that is asked for: value[valueIndex], or 0 when there is none; told when the index is out of the list.
double dv_part_value(const dvObject *o, const dvReals *value, int32_t index);
// Where no value is given there is one, 0, as in SOFA: scripts read it before they change it.
dvStatus dv_part_check_value(dvObject *o, dvReals *value, const int32_t *index);
dvStatus dv_part_check_limits(dvObject *o, const double *low, const double *high, const char *what);
// A limit that counts when the scene has set it.
static inline double dv_part_limit(const dvObject *o, const double *member, double otherwise)
{
  return dv_was_set(o, member) ? *member : otherwise;
}

// Between `low` and `high`, but no further from `now` than `most` (times `scale`) lets it in a step, where that was
// set.
static inline void dv_part_slow(const dvObject *o, const double *most, double scale, double now, double *low,
                                double *high)
{
  if (!dv_was_set(o, most)) return;
  *low = dv_min(*high, dv_max(*low, now - scale * *most));
  *high = dv_max(*low, dv_min(*high, now + scale * *most));
}

// Law of rows whose multipliers QPInverseProblemSolver finds: it leaves those of actuators as they are, others have
// none. An impulse from a force or pressure, for the step at hand.
static inline double dv_part_impulse(const dvPart *p, double force) { return p->impulses ? force : force * p->h; }
void dv_part_waits(dvObject *o, const dvLaw *law, const double *w, const double *d, double *lambda);

extern const dvConstraintOps dv_part_ops;
#define DV_PART_PLAIN .ops = {[DV_ROLE_CONSTRAINT] = &dv_part_ops}
// What SoftRobots.Inverse has: actuators, equalities, effectors, sensors.
#define DV_INVERSE_CLASS(variable, name_, help_, dofs_, type, ...) \
  const dvClass variable = {.struct_size = sizeof(dvClass),        \
                            .name = name_,                         \
                            .help = help_,                         \
                            .module = "SoftRobots.Inverse",        \
                            .dofs = dofs_,                         \
                            .size = sizeof(type),                  \
                            .end_step = dv_part_end_step,          \
                            __VA_ARGS__}
void dv_part_remember(dvObject *o, dvMemoryStream *s);
void dv_part_destroy(dvObject *o);
void dv_part_end_step(dvObject *o);   // measures where the step has led

#endif

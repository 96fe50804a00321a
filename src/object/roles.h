// What components can do for each other: one small table of operations per role. A class fills the
// tables of the roles it plays; a slot marked optional may be NULL.
#ifndef DV_OBJECT_ROLES_H
#define DV_OBJECT_ROLES_H

#include "base/base.h"

DV_PUBLIC_BEGIN

typedef struct dvObject dvObject;
typedef struct dvPlan dvPlan;
typedef struct dvMatrixSink dvMatrixSink;
struct dvInts;

typedef enum dvRole {
  DV_ROLE_ANY,
  DV_ROLE_NODE,
  DV_ROLE_STATE,      // positions and velocities (dvState)
  DV_ROLE_TOPOLOGY,   // points and elements (dvTopology)
  DV_ROLE_LOADER,
  DV_ROLE_ENGINE,
  DV_ROLE_MASS,
  DV_ROLE_FORCE,
  DV_ROLE_MAPPING,
  DV_ROLE_PROJECTIVE,   // boundary conditions that project vectors
  DV_ROLE_ODE,
  DV_ROLE_LINEAR_SOLVER,
  DV_ROLE_LINEAR_SYSTEM,
  DV_ROLE_LOOP,
  DV_ROLE_CONSTRAINT,   // Lagrangian
  DV_ROLE_CONSTRAINT_SOLVER,
  DV_ROLE_CORRECTION,
  DV_ROLE_COLLISION_MODEL,
  DV_ROLE_COLLISION,       // pipeline, phases, intersection, response
  DV_ROLE_TOPOLOGY_TOOL,   // modifiers, geometry algorithms
  DV_ROLE_TOPOLOGY_MAPPING,
  DV_ROLE_VISUAL,
  DV_ROLE_CONTROLLER,
  DV_ROLE_EXPORTER,
  DV_ROLE_SETTING,   // looks and settings
  DV_ROLE_CONTEXT,   // sets what holds in a node and below: gravity, time step
  DV_ROLE_COUNT
} dvRole;

const char *dv_role_name(dvRole role);

// Vectors of a state, by number. Integrators and linear solvers have ten each for their own use: solvers rule disjoint
// subgraphs, so they can share the numbers.
typedef enum dvVecId {
  DV_X,   // position
  DV_X_REST,
  DV_X_FREE,
  DV_X_RESET,
  DV_X_GOOD,   // after the last step that ended well
  DV_X_ODE,    // for integrators: positions of a stage or a trial
  DV_V,        // velocity
  DV_V_FREE,
  DV_V_RESET,
  DV_V_GOOD,
  DV_F,   // force
  DV_F_EXTERNAL,
  DV_DX,
  DV_DF,
  DV_VEC_ODE,
  DV_VEC_SOLVER = DV_VEC_ODE + 10,
  DV_VEC_LIMIT = DV_VEC_SOLVER + 10
} dvVecId;

static inline bool dv_vec_is_coord(int id) { return id <= DV_X_ODE; }

// What a mechanical operation works on, and with which factors. The system matrix of an implicit
// step is m M + b B + k K, with K = df/dx and B = df/dv.
typedef struct dvMech {
  int x, v, f, dx, df;   // vector numbers
  double m, b, k;        // factors of mass, damping, stiffness
  double dt, time;
  double gravity[3];   // in effect for the component's node, set by the plan before each call
  bool implicit;
} dvMech;

// Factors that include the Rayleigh damping of one component.
static inline double dv_mech_k(const dvMech *m, double rayleigh_stiffness) { return m->k + m->b * rayleigh_stiffness; }
static inline double dv_mech_m(const dvMech *m, double rayleigh_mass) { return m->m - m->b * rayleigh_mass; }

typedef struct dvForceOps {
  void (*add_force)(dvObject *o, const dvMech *m);    // f += f(x, v)
  void (*add_dforce)(dvObject *o, const dvMech *m);   // df += (k K + b B) dx; optional when K = 0
  void (*add_stiffness)(dvObject *o, const dvMech *m, dvMatrixSink *sink);   // same, as blocks; optional
  double (*energy)(dvObject *o, const dvMech *m);                            // optional
  // states the force acts on, at most two; NULL means the one state of dvForce. Optional.
  int (*states)(dvObject *o, dvObject **out);
  // what a picture shows of it: pairs of a point of the first and one of the last state. Optional.
  void (*pairs)(dvObject *o, struct dvInts *out);
  // what SOFA's force of this name answers as rotation finder: nine numbers a point of its state, for the positions of
  // the last add_force. Optional.
  void (*rotations)(dvObject *o, double *out);
} dvForceOps;

typedef struct dvMassOps {
  void (*add_mdx)(dvObject *o, const dvMech *m, double factor);         // df += factor M dx
  void (*add_gravity)(dvObject *o, const dvMech *m);                    // f += M g
  void (*add_gravity_to_v)(dvObject *o, const dvMech *m);               // v += dt g, when gravity is separate
  void (*acc_from_f)(dvObject *o, int a, int f);                        // a = M^-1 f; optional for full matrices
  void (*add_matrix)(dvObject *o, double factor, dvMatrixSink *sink);   // optional
  double (*kinetic)(dvObject *o, int v);
  double (*potential)(dvObject *o, const dvMech *m);
  double (*of_element)(dvObject *o, size_t index);   // mass of one point
} dvMassOps;

typedef struct dvMappingOps {
  void (*apply)(dvObject *o, int out_x, int in_x);                                    // positions down
  void (*apply_j)(dvObject *o, int out_v, int in_v);                                  // velocities down
  void (*apply_jt)(dvObject *o, int in_f, int out_f);                                 // forces up: in += J^T out
  void (*apply_djt)(dvObject *o, const dvMech *m, int in_df, int in_dx, int out_f);   // geometric stiffness; optional
  void (*build_j)(dvObject *o, dvMatrixSink *sink);                                   // J as blocks; optional
  void (*row)(dvObject *o, size_t out, dvMatrixSink *sink);   // blocks of J of one output degree of freedom; optional
  void (*add_geometric)(dvObject *o, const dvMech *m, int out_f,
                        dvMatrixSink *sink);            // k d(J^T f)/dx as blocks; optional
  void (*add_jdot)(dvObject *o, int out_a, int in_v);   // accelerations: a += dJ/dt v; optional where J is constant
  int (*inputs)(dvObject *o, dvObject **out);           // optional: other inputs than the field `input` names
  int (*outputs)(dvObject *o, dvObject **out);          // optional: other outputs than the field `output` names
} dvMappingOps;

typedef struct dvProjectiveOps {
  void (*project_response)(dvObject *o, int id);   // forces and accelerations
  void (*project_velocity)(dvObject *o, int id, double time);
  void (*project_position)(dvObject *o, int id, double time);
  void (*project_matrix)(dvObject *o,
                         int id);   // optional: what assembled matrices hold becomes 0, where that is another set
} dvProjectiveOps;

// A collision pipeline: finds contacts where things stand now and keeps what answers them (forces, constraints) in the
// graph.
typedef struct dvCollisionOps {
  dvStatus (*collide)(dvObject *o, double dt, size_t *contacts);   // *contacts: pairs of elements that touch
} dvCollisionOps;

typedef enum dvOdeKind {
  DV_ODE_IMPLICIT,
  DV_ODE_EXPLICIT,   // has a longest stable step
  DV_ODE_BESIDE,     // moves nothing: stands beside another
} dvOdeKind;

typedef struct dvOdeOps {
  dvStatus (*solve)(dvObject *o, double dt, int x_result, int v_result);
  dvOdeKind kind;
} dvOdeOps;

typedef struct dvLinearSolverOps {
  // solves (m M + b B + k K) x = rhs over the plan's independent states. What stands in x is where iterative solvers
  // start.
  dvStatus (*solve)(dvObject *o, dvPlan *plan, const dvMech *m, int x, int rhs);
  // For use by other components, as preconditioner and in corrections. Both are optional.
  dvStatus (*prepare)(dvObject *o);                           // factorises what its system holds, when that has changed
  void (*apply)(dvObject *o, double *x, const double *rhs);   // x = A^-1 rhs, flat vectors of the system
  void (*settle)(
      dvObject *o);   // after `solve`: returns when nothing beside the step reads forces any more; may be NULL
  bool (*starts_warm)(const dvObject *o);   // its result depends on what stood in x; may be NULL: never
} dvLinearSolverOps;

// What a solver works on: an assembled matrix, products only, or the rotations that warp another solver.
typedef enum dvSystemKind { DV_SYSTEM_MATRIX, DV_SYSTEM_FREE, DV_SYSTEM_ROTATION } dvSystemKind;

typedef struct dvLinearSystemOps {
  dvStatus (*build)(dvObject *o, dvPlan *plan, const dvMech *m);   // takes over m M + b B + k K as it is now
  void (*product)(dvObject *o, dvPlan *plan, int q, int p);        // q = A p on the plan's independent states
  dvSystemKind kind;
} dvLinearSystemOps;

typedef struct dvConstraintSolverOps {
  // turns the free motion (DV_X_FREE, DV_V_FREE) into the new DV_X and DV_V; velocities first: x' = x + dt v'
  dvStatus (*solve)(dvObject *o, double dt, bool velocities_first);
} dvConstraintSolverOps;

typedef struct dvLoopOps {
  dvStatus (*step)(dvObject *o, double dt);
  dvStatus (*start)(dvObject *o);    // projects and propagates the first positions
  dvStatus (*resume)(dvObject *o);   // positions were put back: mapped states and visual models follow
  bool by_tags;                      // solves the systems of its tags one by one
} dvLoopOps;

typedef struct dvContextOps {
  void (*apply)(dvObject *o);   // changes its node, which has just taken over the values of its parent
} dvContextOps;

typedef enum dvSketchKind {
  DV_SKETCH_NOTHING,
  DV_SKETCH_SURFACE,    // the faces and materials of a dvVisualModel
  DV_SKETCH_ELEMENTS,   // of `topology`: its outer faces, or its edges where it has none
  DV_SKETCH_LINES,      // `pairs` of points
  DV_SKETCH_POINTS,
  DV_SKETCH_SPHERES,   // of one `radius`
  DV_SKETCH_ARROWS,    // along `vectors`
} dvSketchKind;

// What a picture shows of a component. The pointers belong to it.
typedef struct dvSketch {
  dvSketchKind kind;
  struct dvField *positions;   // three numbers a point; NULL: those of `state`
  dvObject *state;             // NULL: the component is one
  struct dvField *vectors;     // as many
  struct dvField *values;      // a number a point, shown as colour; may be NULL
  dvObject *topology;
  const struct dvInts *pairs;   // below the number of points
  double radius;
  bool coloured;
  double colour[4];   // red green blue alpha
} dvSketch;

typedef struct dvVisualOps {
  void (*update)(dvObject *o);                  // after its positions moved: normals and such; optional
  void (*sketch)(dvObject *o, dvSketch *out);   // fills `out`, which is zero before
} dvVisualOps;

DV_PUBLIC_END

#endif

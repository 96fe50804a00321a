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
struct dvSparseRows;
struct dvReals;

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
  DV_ROLE_COLLISION,         // pipeline (tables of collision: collision/collision.h)
  DV_ROLE_BROAD_PHASE,       // pairs of models that may touch
  DV_ROLE_NARROW_PHASE,      // contacts of such pairs
  DV_ROLE_INTERSECTION,      // which primitives touch, and where
  DV_ROLE_CONTACT_MANAGER,   // turns contacts into responses
  DV_ROLE_RESPONSE,          // what acts between two models that touch
  DV_ROLE_GROUP_MANAGER,     // puts bodies that touch under one solver
  DV_ROLE_TOPOLOGY_TOOL,     // modifiers, geometry algorithms
  DV_ROLE_TOPOLOGY_MAPPING,
  DV_ROLE_VISUAL,
  DV_ROLE_CONTROLLER,
  DV_ROLE_EXPORTER,
  DV_ROLE_SETTING,   // looks and settings
  DV_ROLE_CONTEXT,   // sets what holds in a node and below: gravity, time step
  DV_ROLE_COUNT
} dvRole;

#define DV_PLAYS(role) ((uint64_t)1 << (role))   // for dvClass.roles

const char *dv_role_name(dvRole role);

// Vectors of a state, by number: those of the scene. All others are taken (object/vectors.h). Even numbers are
// coordinates, odd ones derivatives.
typedef enum dvVecId {
  DV_X = 0,   // position
  DV_V = 1,   // velocity
  DV_X_REST = 2,
  DV_F = 3,   // force
  DV_X_FREE = 4,
  DV_V_FREE = 5,
  DV_X_RESET = 6,
  DV_V_RESET = 7,
  DV_X_GOOD = 8,   // after the last step that ended well
  DV_V_GOOD = 9,
  DV_DX = 11,
  DV_F_EXTERNAL = 13,
  DV_DF = 15,
  DV_VEC_SCENE = 16   // taken numbers begin here
} dvVecId;

static inline bool dv_vec_is_coord(int id) { return !(id & 1); }

// What a mechanical operation works on, and with which factors. The system matrix of an implicit
// step is m M + b B + k K, with K = df/dx and B = df/dv.
typedef struct dvMech {
  int x, v, f, dx, df;   // vector numbers
  double m, b, k;        // factors of mass, damping, stiffness
  double dt, time;
  double gravity[3];   // in effect for the component's node, set by the plan before each call
  bool implicit;       // products or matrices follow: add_force keeps what they need, else it need not
} dvMech;

// Factors that include the Rayleigh damping of one component.
static inline double dv_mech_k(const dvMech *m, double rayleigh_stiffness) { return m->k + m->b * rayleigh_stiffness; }
static inline double dv_mech_m(const dvMech *m, double rayleigh_mass) { return m->m - m->b * rayleigh_mass; }

enum { DV_FORCE_STATES = 2 };   // the most that one force acts on

struct dvSketch;

typedef struct dvForceOps {
  void (*add_force)(dvObject *o, const dvMech *m);    // f += f(x, v)
  void (*add_dforce)(dvObject *o, const dvMech *m);   // df += (k K + b B) dx; optional when K = 0
  void (*add_stiffness)(dvObject *o, const dvMech *m, dvMatrixSink *sink);   // same, as blocks; optional
  double (*energy)(dvObject *o, const dvMech *m);                            // optional
  int (*states)(dvObject *o, dvObject **out);               // states it acts on, at most DV_FORCE_STATES; their number
  const double *(*rayleigh_stiffness)(const dvObject *o);   // where its damping by stiffness stands, in s; optional
  bool between;   // acts between objects: where no solver rules it, it pulls on them as an external force
  // what a picture shows of it: pairs of a point of the first and one of the last state. Optional.
  void (*pairs)(dvObject *o, struct dvInts *out);
  void (*sketch)(dvObject *o, struct dvSketch *out);   // beside that, among the visual models. Optional.
  // what SOFA's force of this name answers as rotation finder: nine numbers a point of its state, for the positions of
  // the last add_force. Optional.
  void (*rotations)(dvObject *o, double *out);
  // von Mises stress of each point of its state, Pa, as of the end of the last step. Optional.
  const struct dvReals *(*stress)(const dvObject *o);
  // From so many products a step on an assembled matrix is sooner done than add_dforce; 0: it is not, below
  // 0: and no other force of the scene may have it so
  int matrix_pays;
} dvForceOps;

typedef struct dvMassOps {
  void (*add_mdx)(dvObject *o, const dvMech *m, double factor);         // df += factor M dx
  void (*add_gravity)(dvObject *o, const dvMech *m);                    // f += M g
  void (*add_gravity_to_v)(dvObject *o, const dvMech *m);               // v += dt g, when gravity is separate
  void (*acc_from_f)(dvObject *o, int a, int f);                        // a = M^-1 f; optional for full matrices
  void (*add_matrix)(dvObject *o, double factor, dvMatrixSink *sink);   // optional
  double (*kinetic)(dvObject *o, int v);
  double (*potential)(dvObject *o, const dvMech *m);
  double (*of_element)(dvObject *o, size_t index);     // mass of one point
  const double *(*rayleigh_mass)(const dvObject *o);   // where its damping by mass stands, in 1/s; optional
} dvMassOps;

// What a mapping hands up to its inputs.
typedef enum dvUpward { DV_UP_FORCES, DV_UP_MASSES, DV_UP_CONSTRAINTS } dvUpward;

typedef struct dvMappingOps {
  void (*apply)(dvObject *o, int out_x, int in_x);                                    // positions down
  void (*apply_j)(dvObject *o, int out_v, int in_v);                                  // velocities down
  void (*apply_jt)(dvObject *o, int in_f, int out_f);                                 // forces up: in += J^T out
  void (*apply_djt)(dvObject *o, const dvMech *m, int in_df, int in_dx, int out_f);   // geometric stiffness; optional
  void (*build_j)(dvObject *o, dvMatrixSink *sink);                                   // J as blocks; optional
  void (*row)(dvObject *o, size_t out, dvMatrixSink *sink);   // blocks of J of one output degree of freedom; optional
  void (*add_geometric)(dvObject *o, const dvMech *m, int out_f,
                        dvMatrixSink *sink);              // k d(J^T f)/dx as blocks; optional
  void (*add_jdot)(dvObject *o, int out_a, int in_v);     // accelerations: a += dJ/dt v; optional where J is constant
  dvObject *(*input)(const dvObject *o, size_t index);    // the states that drive, one by one; NULL behind the last
  dvObject *(*output)(const dvObject *o, size_t index);   // those that are driven
  bool (*hands_up)(const dvObject *o, dvUpward what);     // NULL: everything
} dvMappingOps;

typedef struct dvProjectiveOps {
  void (*project_response)(dvObject *o, int id);   // forces and accelerations
  void (*project_velocity)(dvObject *o, int id, double time);
  void (*project_position)(dvObject *o, int id, double time);
  void (*project_matrix)(dvObject *o,
                         int id);   // optional: what assembled matrices hold becomes 0, where that is another set
  bool moves;                       // project_velocity sets the velocity of a motion that the scene prescribes
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
  // what a solution of the integrator's linear system means for positions and velocities; NULL: dt and 1
  void (*factors)(const dvObject *o, double dt, double *position, double *velocity);
  int order;   // of accuracy, of explicit ones; 0: not known
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
  // w = H A^-1 H^T for settled rows over the unknowns; optional: `apply` column by column otherwise
  dvStatus (*compliance)(dvObject *o, const struct dvSparseRows *rows, double *w);
  const struct dvReals *(*residuals)(const dvObject *o);   // of each iteration of the last solve; optional
  bool (*starts_warm)(const dvObject *o);                  // its result depends on what stood in x; may be NULL: never
} dvLinearSolverOps;

// What a solver works on: an assembled matrix, products only, or the rotations that warp another solver.
typedef enum dvSystemKind { DV_SYSTEM_MATRIX, DV_SYSTEM_FREE, DV_SYSTEM_ROTATION } dvSystemKind;

typedef struct dvLinearSystemOps {
  dvStatus (*build)(dvObject *o, dvPlan *plan, const dvMech *m);   // takes over m M + b B + k K as it is now
  void (*product)(dvObject *o, dvPlan *plan, int q, int p);        // q = A p on the plan's independent states
  dvSystemKind kind;
} dvLinearSystemOps;

// --- Lagrangian constraints ---

// How rows of constraints are solved together. Violations d and multipliers are related by d = d_free + W lambda.
typedef enum dvLawKind {
  DV_LAW_EQUAL,      // d = 0
  DV_LAW_UNEQUAL,    // d >= 0, lambda >= 0, d lambda = 0
  DV_LAW_FRICTION,   // three rows, the first along the normal: the second law, and Coulomb's cone with `mu`
  DV_LAW_BOUNDED,    // low <= lambda <= high, d = 0 in between
  DV_LAW_OWN,        // `solve` of the law
} dvLawKind;

enum { DV_LAW_ROWS = 6 };   // the most rows of a law; an equality may have more

typedef struct dvLaw {
  dvLawKind kind;
  int rows;            // that it rules, solved as one block
  double mu;           // friction
  double low, high;    // bounds
  double compliance;   // added to the diagonal of W: d = -compliance lambda instead of 0
  double held_back;    // part of each change of the multipliers of an equality that is not made
  double tolerance;    // of its violation where it has one of its own; 0: the solver's
  bool restarts;       // its multipliers begin at 0 in every step, unless the solver keeps them (LCP)
  uint64_t id;         // of the same contact or joint in the next step, among those of its component
  bool fresh;          // its component has come in this step
  // own: sets the multipliers of its rows; w (rows x rows) is their own compliance, d their violation with the
  // multipliers they have. Called in every iteration.
  void (*solve)(dvObject *o, const struct dvLaw *law, const double *w, const double *d, double *lambda);
} dvLaw;

// What constraints are asked about: numbers of the free positions and velocities, and what is to be corrected.
typedef struct dvConstraintStep {
  int x, v;          // vector numbers
  double dt;         // s
  bool velocities;   // violations are velocities; else positions
  bool again;        // not the first time in this step: positions DV_X have moved already
  bool unscaled;     // as SOFA: compliances of single points lack the integrator's factor
  bool unheld;       // as SOFA: rows keep what projective constraints hold, so that multipliers move it
} dvConstraintStep;

struct dvRowSet;
struct dvConstraintProblem;
struct dvUnbuilt;

typedef struct dvConstraintOps {
  // The laws that hold now, written to `out` when it is not NULL, in the order of their rows; how many there are.
  size_t (*laws)(dvObject *o, const dvConstraintStep *step, dvLaw *out);
  // Adds its directions, rows `first` and on, for the states as they stand (dv_rows_add).
  void (*rows)(dvObject *o, const dvConstraintStep *step, struct dvRowSet *set, int32_t first);
  void (*violation)(dvObject *o, const dvConstraintStep *step, double *out);   // of each row, without corrections
  // The multipliers it ended with (impulses, N s); optional.
  void (*store)(dvObject *o, const dvConstraintStep *step, const double *lambda);
  // Before `laws`: once a step, with free positions everywhere; optional.
  void (*begin)(dvObject *o, const dvConstraintStep *step);
  // A number that only this one has, the same whenever it acts between the same bodies, in every launch. For live
  // constraints, whose multipliers are kept under it; those without one lose them when a scene is restored.
  uint64_t (*identity)(const dvObject *o);
} dvConstraintOps;

typedef struct dvCorrectionOps {
  // w += factor H A^-1 H^T for `count` rows, w of count x count numbers. The factor turns impulses into what the step
  // corrects: positions or velocities.
  dvStatus (*add_compliance)(dvObject *o, const dvConstraintStep *step, const struct dvRowSet *rows, size_t count,
                             double *w);
  // The motion that multipliers cause: x = x_free + position factor A^-1 H^T lambda, v likewise. Writes positions and
  // velocities x and v of its states; the other one is left where velocities alone are corrected.
  dvStatus (*apply)(dvObject *o, const dvConstraintStep *step, const struct dvRowSet *rows, const double *lambda, int x,
                    int v);
  bool (*covers)(const dvObject *o, const dvObject *state);   // a main state that it moves
  // Optional: instead of add_compliance, what stands for W where it is not built (constraint/lagrangian/unbuilt.h).
  dvStatus (*add_unbuilt)(dvObject *o, const dvConstraintStep *step, const struct dvRowSet *rows,
                          struct dvUnbuilt *out);
  // Optional: what it has added to w is symmetric but for rounding, so that nobody need look.
  bool (*symmetric)(const dvObject *o);
} dvCorrectionOps;

typedef struct dvConstraintSolverOps {
  // turns the free motion (DV_X_FREE, DV_V_FREE) into the new DV_X and DV_V; velocities first: x' = x + dt v'
  dvStatus (*solve)(dvObject *o, double dt, bool velocities_first);
  // what it solved last: rows, compliance, multipliers; optional
  struct dvConstraintProblem *(*problem)(dvObject *o);
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
  DV_SKETCH_SKIN,      // `triangles` between the points
  DV_SKETCH_FACES,     // `triangles` between some points of `state`, part by part
} dvSketchKind;

typedef struct dvSketchPart {
  size_t count;   // of the numbers in `triangles`
  double colour[4];
} dvSketchPart;

// What a picture shows of a component. The pointers belong to it.
typedef struct dvSketch {
  dvSketchKind kind;
  struct dvField *positions;   // three numbers a point; NULL: those of `state`
  dvObject *state;             // NULL: the component is one
  struct dvField *vectors;     // as many
  struct dvField *values;      // a number a point, shown as colour; may be NULL
  double range[2];             // of elements: what the colours span, the first below the second; else what there is
  dvObject *topology;
  const struct dvInts *pairs;   // below the number of points
  double radius;                // of arrows: how many metres a unit is long; 0: whoever draws chooses
  bool directed;                // arrows in the colours of their directions: red along x, green along y, blue along z
  bool coloured;
  double colour[4];     // red green blue alpha
  double attenuation;   // 1/m: cells that swallow light instead of hiding what is behind; 0: these
  double liquid[2];     // spheres of a liquid: metres over which its surface is smoothed, and in depth; 0: spheres
  double absorption;    // 1/m: X-rays that go through it lose so much for a value of 1; 0: what bodies swallow
  // DV_SKETCH_FACES
  const struct dvInts *points;      // of the state that are drawn; they are sent alone
  const struct dvInts *triangles;   // three places in `points` each
  const dvSketchPart *parts;        // with their colours, together all of the triangles
  size_t part_count;
} dvSketch;

typedef struct dvVisualOps {
  void (*update)(dvObject *o);                  // after its positions moved: normals and such; optional
  void (*sketch)(dvObject *o, dvSketch *out);   // fills `out`, which is zero before
} dvVisualOps;

DV_PUBLIC_END

#endif

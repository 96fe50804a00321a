// What SOFA does wrong and Divan does right, unless a scene is to run as SOFA does: one table of all such cases.
//
// A mistake is what no user can have wanted: motion that runs slow, a mass matrix that is indefinite, a list that is
// not read. Conventions (order of operations, stopping rules, where a force is integrated) are no mistakes and are the
// same in both modes. Each case has a heading of its name in docs/differences.md, with its derivation.
#ifndef DV_OBJECT_COMPAT_H
#define DV_OBJECT_COMPAT_H

#include "object/context.h"
#include "object/object.h"

DV_PUBLIC_BEGIN

typedef enum dvCompatId {
  DV_COMPAT_ATTRIBUTE_ORDER,
  DV_COMPAT_WHOLE_EXPONENT,
  DV_COMPAT_SINGLE_ATTRIBUTES,
  DV_COMPAT_REST_ONLY,
  DV_COMPAT_VELOCITY_ONLY,
  DV_COMPAT_MOVED_THRICE,
  DV_COMPAT_BDF_HISTORY,
  DV_COMPAT_TRAPEZOID_POSITION,
  DV_COMPAT_MULTI_STEP_CLOCK,
  DV_COMPAT_MESH_MATRIX_MASS,
  DV_COMPAT_HEXA_INERTIA,
  DV_COMPAT_NONUNIFORM_MASS,
  DV_COMPAT_POINTS_MASS,
  DV_COMPAT_GYROSCOPIC,
  DV_COMPAT_UNIFORM_RANGE,
  DV_COMPAT_ATTACH_ROWS,
  DV_COMPAT_LINEAR_VELOCITY,
  DV_COMPAT_NEAR_ROTATIONS,
  DV_COMPAT_HERMITE_VELOCITY,
  DV_COMPAT_WARP_ROTATIONS,
  DV_COMPAT_HEXAHEDRAL_SINGLE,
  DV_COMPAT_TARGET_SINGLE,
  DV_COMPAT_PLASTIC_VOLUME,
  DV_COMPAT_ANISOTROPIC_AREA,
  DV_COMPAT_HALF_STRESS,
  DV_COMPAT_ANGULAR_REACTION,
  DV_COMPAT_FRAME_SPRING,
  DV_COMPAT_JOINT_REST,
  DV_COMPAT_FORCE_AFTER_END,
  DV_COMPAT_CONE_DAMPING,
  DV_COMPAT_ELLIPSOID_TORQUE,
  DV_COMPAT_EDGE_LENGTH,
  DV_COMPAT_OSCILLATION_PERIOD,
  DV_COMPAT_BVH_DEGREES,
  DV_COMPAT_BVH_CLOCK,
  DV_COMPAT_QUAD_POINTS,
  DV_COMPAT_VOXEL_EXTENT,
  DV_COMPAT_RAMIFIED_FACES,
  DV_COMPAT_LINE_SPHERE,
  DV_COMPAT_FIRST_CORNER,
  DV_COMPAT_PAIR_ORDER,
  DV_COMPAT_DISTANCE_STEPS,
  DV_COMPAT_DISTANCE_STIFFNESS,
  DV_COMPAT_LATE_NORMALS,
  DV_COMPAT_AUGMENTED_SLIDING,
  DV_COMPAT_PRECOMPUTED_COMPLIANCE,
  DV_COMPAT_UNBUILT_STEP,
  DV_COMPAT_UNBUILT_GUESS,
  DV_COMPAT_LATE_GUESS,
  DV_COMPAT_LCP_HELD,
  DV_COMPAT_EXPLICIT_FACTORS,
  DV_COMPAT_RESIDUAL_ROW,
  DV_COMPAT_MEAN_ADDS,
  DV_COMPAT_LAST_MASS,
  DV_COMPAT_FRAME_LENGTH,
  DV_COMPAT_OUTSIDE_ROWS,
  DV_COMPAT_FAR_BLOCKS,
  DV_COMPAT_SPHERE_EDGES,
  DV_COMPAT_SPH_FLUID,
  DV_COMPAT_ROBOT_IMPULSES,
  DV_COMPAT_HELD_MOTION,
  DV_COMPAT_CABLE_AREAS,
  DV_COMPAT_COUNT
} dvCompatId;

typedef struct dvCompatCase {
  const char *name;         // short, and the heading of its derivation in docs/differences.md
  const char *components;   // concerned, separated by spaces; "" for all
  const char *field;        // of theirs that goes before the mode when a scene sets it; NULL when there is none
  const char *sofa;         // its value with compat sofa; the default of the field is what is right
  const char *since;        // version of SOFA in which it is known
  const char *wrong;        // what SOFA does
  const char *right;        // what Divan does without compat
} dvCompatCase;

extern const dvCompatCase dv_compat_cases[DV_COMPAT_COUNT];

#define DV_COMPAT_MODES "none, sofa"

// The mode of a name, in upper or lower case; false when there is no such mode.
bool dv_compat_parse(const char *text, dvCompatMode *mode);
const char *dv_compat_name(dvCompatMode mode);
// Chooses for all scenes to come: goes before what they and the environment say.
void dv_compat_choose(dvContext *context, dvCompatMode mode);
// A scene begins: its objects get the mode that was chosen, else that of the root's attribute (may be NULL), else that
// of the environment variable DIVAN_COMPAT. An unknown name is an error in the log.
dvStatus dv_compat_begin(dvContext *context, const char *attribute, dvPlace place);

// True when this object does it as SOFA does. The object remembers that the case concerns it, so that a run and `divan
// check` can tell.
bool dv_compat(dvObject *o, dvCompatId id);
// The same for a switch: when the scene has set it, it stays and nothing is told, else the mode decides.
void dv_compat_field(dvObject *o, bool *member, dvCompatId id);
// A number of an attribute that SOFA reads in single precision (DV_COMPAT_SINGLE_ATTRIBUTES).
double dv_compat_attribute(dvObject *o, double value);
static inline bool dv_compat_touched(const dvObject *o, dvCompatId id) { return o->compat_cases >> id & 1; }
// The case that decides the default of a field, or NULL.
const dvCompatCase *dv_compat_of_field(const dvClass *cls, const char *field);

DV_PUBLIC_END

#endif

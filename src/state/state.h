// States: positions, velocities, forces and the other vectors of a set of degrees of freedom.
//
// A state holds its vectors by number (dvVecId); those of the scene (position, velocity, …) are fields of the
// component, the others are kept here and appear when they are first used.
#ifndef DV_STATE_STATE_H
#define DV_STATE_STATE_H

#include "object/context.h"
#include "scene/node.h"
#include "topology/change/follow.h"

DV_PUBLIC_BEGIN

// First member of every component that is a state.
typedef struct dvState {
  dvObject base;
  size_t count;                 // degrees of freedom
  dvTopology *topology;         // whose points they are and whose changes they follow; NULL when there is none
  dvReals *vec[DV_VEC_LIMIT];   // field or own storage; NULL when the vector has none
  dvReals own[DV_VEC_LIMIT];
} dvState;

static inline dvState *dv_state(dvObject *o) { return (dvState *)o; }
static inline int dv_state_width(const dvState *s, int id)
{
  return dv_vec_is_coord(id) ? s->base.dof->coord : s->base.dof->deriv;
}
// Number of scalars in a vector.
static inline size_t dv_state_scalars(const dvState *s, int id) { return s->count * (size_t)dv_state_width(s, id); }

// Vectors. Reading a vector that does not exist yet gives zeros; the pointers live until the next resize.
const double *dv_state_read(dvState *s, int id);
double *dv_state_write(dvState *s, int id);
bool dv_state_has(const dvState *s, int id);
// Ties a vector to a field of the component.
void dv_state_bind(dvState *s, int id, dvReals *field);
// Changes the number of degrees of freedom of all vectors that exist; new frames are the identity. False when
// memory is short.
DV_CHECK_RESULT bool dv_state_resize(dvState *s, size_t count);
void dv_state_free(dvState *s);
// Tells linked fields that a vector has changed.
void dv_state_touch(dvState *s, int id);

// --- changes of the mesh ---

// From here on every vector has a row for each point of the topology, which has as many points as there are degrees of
// freedom: new rows are the weighted sums of their ancestors' (frames turn the shortest way), forces zero; without
// ancestors they are where the topology has them. Does nothing when the numbers differ.
void dv_state_follow(dvState *s, dvTopology *t);
// For components that name points of a state: the list follows the points of the state's topology. NULL, and nothing
// happens, when the state follows none; the functions of element_data.h take that.
dvElementList *dv_follow_points(dvObject *o, const dvState *s, dvInts *list);
// For components that have a row for each point of a state; NULL as above.
dvElementData *dv_follow_rows(dvObject *o, const dvState *s);
// Takes one degree of freedom out of every vector; the last takes its place. For mappings to states without a mesh.
void dv_state_erase(dvState *s, size_t row);
// Calls `use` for every vector that exists.
void dv_state_each(dvState *s, void (*use)(void *user, dvState *s, int id, dvReals *vector), void *user);

// --- DOF types ---

// out = x + h v; out may be x. Frames turn by the small rotation h w.
void dv_dof_integrate(const dvDof *dof, size_t n, double *out, const double *x, const double *v, double h);
// out = a - b as a derivative; for frames the rotation vector that takes b to a.
void dv_dof_difference(const dvDof *dof, size_t n, double *out, const double *a, const double *b);
void dv_dof_identity(const dvDof *dof, double *coord);
void dv_dof_scale(const dvDof *dof, size_t n, double *x, const double s[3]);
void dv_dof_rotate(const dvDof *dof, size_t n, double *x, const double euler_degrees[3]);
void dv_dof_translate(const dvDof *dof, size_t n, double *x, const double t[3]);
// Position in space of one coordinate.
static inline void dv_dof_point(const dvDof *dof, const double *x, double out[3])
{
  for (int i = 0; i < 3; i++) out[i] = i < dof->space ? x[i] : 0;
}

// Index of the first number of a vector that is not finite, or so large that squares of it are not, or -1.
#define DV_EXPLODED 1e100
long dv_state_first_bad(dvState *s, int id);
// A hash of all positions and velocities.
uint64_t dv_scene_hash(dvScene *scene);

DV_PUBLIC_END

#endif

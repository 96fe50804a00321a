// States: positions, velocities, forces and the other vectors of a set of degrees of freedom.
//
// A state holds its vectors by number (dvVecId); those of the scene (position, velocity, …) are fields of the
// component, the others are kept here and appear when they are first used.
#ifndef DV_STATE_STATE_H
#define DV_STATE_STATE_H

#include "object/context.h"
#include "scene/node.h"

DV_PUBLIC_BEGIN

// First member of every component that is a state.
typedef struct dvState {
  dvObject base;
  size_t count;                 // degrees of freedom
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
// A hash of all positions and velocities, and of what else the next step depends on.
uint64_t dv_scene_hash(dvScene *scene);

DV_PUBLIC_END

#endif

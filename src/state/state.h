// States: positions, velocities, forces and the other vectors of a set of degrees of freedom.
//
// A state holds its vectors by number; those of the scene (dvVecId: position, velocity, …) may be fields of the
// component, the others were taken by somebody (object/vectors.h). A vector has storage when it is first written.
//
// dv_state_read and its kin are the only way to the numbers. A state may have its home elsewhere, packed or on a
// device: then they bring a vector here when somebody reads it, and those who compute there say so (dvStateHome).
#ifndef DV_STATE_STATE_H
#define DV_STATE_STATE_H

#include "object/context.h"
#include "scene/node.h"
#include "topology/change/follow.h"

DV_PUBLIC_BEGIN

typedef struct dvState dvState;

// Where the numbers of a vector are up to date.
typedef enum dvWhere { DV_BOTH, DV_HERE, DV_THERE } dvWhere;

typedef struct dvStateVector {
  dvReals *field;   // of the component; NULL: the numbers are in `own`
  dvReals own;
  int id;
  uint32_t stamp;   // of the number when it was written; 0 for those of the scene
  dvWhere where;    // of a state that lives elsewhere
} dvStateVector;

// How a state that lives elsewhere is kept in step. Both are called by the accessors only, in the thread that steps.
typedef struct dvStateHome {
  void (*fetch)(const dvState *s, int id, double *here);           // the vector comes here
  void (*publish)(const dvState *s, int id, const double *here);   // it goes there
} dvStateHome;

// First member of every component that is a state.
struct dvState {
  dvObject base;
  size_t count;           // degrees of freedom
  dvTopology *topology;   // whose points they are and whose changes they follow; NULL when there is none
  dvStateVector scene[DV_VEC_SCENE];
  DV_ARRAY(dvStateVector) taken;   // those that somebody has written here
  const dvStateHome *home;         // NULL: it lives here
  void *home_data;
  const bool *shown;   // whether its points are drawn whatever the flags say; NULL: they are not
  bool grows;          // points come and go by themselves: whoever makes them says so before the state is initialised,
                       // and it gets a topology to follow where it has none
};

static inline dvState *dv_state(dvObject *o) { return (dvState *)o; }
static inline int dv_state_width(const dvState *s, int id)
{
  return dv_vec_is_coord(id) ? s->base.dof->coord : s->base.dof->deriv;
}
// Number of scalars in a vector.
static inline size_t dv_state_scalars(const dvState *s, int id) { return s->count * (size_t)dv_state_width(s, id); }

// Vectors; the pointers live until the next resize or the next call of overwrite for the same vector. Reading allocates
// and changes nothing: a vector that nobody has written gives zeros.
const double *dv_state_read(const dvState *s, int id);
// To change some of the numbers. The first write finds zeros (frames: the identity).
double *dv_state_write(dvState *s, int id);
// To write all of them: what stands there need not be kept. Where the storage is shared another block is taken instead
// of a copy, so read what the new numbers are made of first; those pointers stay valid, and may be the same block.
double *dv_state_overwrite(dvState *s, int id);
bool dv_state_has(const dvState *s, int id);
// Makes `to` show the numbers of `from`, which has been written; the first write of either takes another block.
void dv_state_share(dvState *s, int to, int from);
// The vector as the value of a field, to share it with another; NULL when it has no storage.
const dvReals *dv_state_values(const dvState *s, int id);
// The same for a field: it shows the numbers of the vector, none when it has no storage.
void dv_state_show(const dvState *s, int id, dvReals *field);
// Ties a vector of the scene to a field of the component.
void dv_state_bind(dvState *s, int id, dvReals *field);
// Changes the number of degrees of freedom of all vectors that exist; new frames are the identity. False when
// memory is short.
DV_CHECK_RESULT bool dv_state_resize(dvState *s, size_t count);
// The number of degrees of freedom becomes that of the positions, which somebody else has set.
void dv_state_count_positions(dvState *s);
// Calls `each` for every vector that has storage and an owner, in the order of their numbers' first use.
void dv_state_each_vector(dvState *s, void (*each)(void *user, dvState *s, int id, dvReals *values), void *user);
void dv_state_free(dvState *s);
// Tells linked fields that a vector has changed.
void dv_state_touch(dvState *s, int id);

// For a state that lives elsewhere: from here on its vectors are kept there too. Whoever computes there asks for a
// vector before: it is brought there when it was written here last. `write`: the numbers there are the new ones.
void dv_state_move(dvState *s, const dvStateHome *home, void *data);
void dv_state_there(dvState *s, int id, bool write);

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
long dv_state_first_bad(const dvState *s, int id);
// A hash of all positions and velocities, and of what else the next step depends on.
uint64_t dv_scene_hash(dvScene *scene);

DV_PUBLIC_END

#endif

// Components that follow a mesh, against the same components on the mesh that comes out.
//
// A scene with a mesh and one component is deformed at random. Then batches of changes are made: elements go with the
// points, faces and edges that only they had, others are split, points and elements are renumbered. At the end a second
// scene is made from the edited mesh, with the rest positions of the first, its state, and the fields of the component
// as they stand. What the two components compute must agree.
#ifndef DV_TESTS_FOLLOW_H
#define DV_TESTS_FOLLOW_H

#include "support/fd.h"
#include "topology/change/follow.h"
#include "topology/change/modify.h"

typedef struct followCase {
  const char *name;     // of the class
  dvElementKind kind;   // of the mesh: edges, triangles, quads, tetrahedra or hexahedra
  const char
      *attributes;   // of the component; {e} is a number from 1 to 2 for each element, {p} for each point, {3p} three
  const char *dof;   // template of the state; NULL: Vec3
  // where the component stands: below the node of the mesh with a mapped state of its own, whose attributes these are
  const char *below;
  // the mesh stands below, with the mapped state; the input has these attributes
  const char *above;
  const char *beside;   // other components of the node
  bool only_remove;     // elements are not split
  bool stays;           // points are not moved: what it remembers of them stays as it was
  bool once;            // it remembers what it has computed: compared once
  const char *remade;   // why it makes everything again after a batch; NULL: it patches what it has
  double tolerance;     // over the largest number; 0: 1e-12
} followCase;

// A mesh of a kind as attributes position and its elements: about 100 elements, points moved at random.
void follow_add_mesh(dvText *out, dvElementKind kind);
// The text of the scene of a case: mesh `mesh`, state `dofs`, component `it`, mapped state `mapped`.
char *follow_scene(const followCase *c);

// Random numbers, the same in every run.
void follow_seed(uint64_t seed);
double follow_random(void);   // -1 to 1
size_t follow_below(size_t n);

// Changes; what only removed elements had goes too.
void follow_remove(dvTopology *t, dvElementKind kind, size_t count);
void follow_split(dvTopology *t, dvElementKind kind);   // edges, triangles and tetrahedra, by a point in the middle
void follow_shuffle(dvTopology *t, dvElementKind kind);
void follow_batch(dvTopology *t, dvElementKind kind, bool only_remove);

// Makes the second scene of `s`: the mesh, rest positions, states and fields of `it`, `it2`, `it3` and `it4` are those
// of the first.
fdScene follow_rebuild(const fdScene *s, const char *text);
// How many times larger than usual the meshes of tetrahedra are, along each axis.
void follow_scale(int scale);
// Runs a case; false, with the numbers printed, when the two disagree.
bool follow_check(const followCase *c, uint64_t seed);
// The same for hexahedra that blades split, and how far they are filled.
bool follow_check_cut(const followCase *c, uint64_t seed);
// The same on a large mesh, batch by batch, without renumbering: *remade is how often the component made everything
// again instead of what had changed.
bool follow_check_patches(const followCase *c, uint64_t seed, int batches, size_t *remade);
// For components that remember more than a new one knows: what they compute before and after points and elements are
// renumbered, point by point. Positions are projected, forces evaluated, `warm` times before.
bool follow_check_renumbering(const followCase *c, int warm);

#endif

// Masses that are full matrices: the same entry for every component of two points, stored by rows.
//
// MeshMatrixMass and FEMMass differ in how they find the entries; products, assembly and energies are here. The
// diagonal that comes first holds the sums of the rows: the weight of a point is that sum times gravity.
#ifndef DV_MASS_MATRIX_H
#define DV_MASS_MATRIX_H

#include "mass/diagonal.h"
#include "topology/change/trace.h"

typedef struct dvMassMatrix {
  dvDiagonal diagonal;
  dvInts row, end;   // entries of point i: row[i] .. end[i] - 1
  dvInts column;     // ascending in each row; the point itself is always there
  dvReals entry;     // kg
  size_t used;       // of the entries: rows that have moved leave theirs
} dvMassMatrix;

extern const dvMassOps dv_mass_matrix_ops;   // without acc_from_f: that is how integrators know that they have to solve

void dv_mass_matrix_free(dvMassMatrix *m);
// Makes room for the entries between the points of each element, all zero. False when memory is short.
bool dv_mass_matrix_shape(dvMassMatrix *m, const dvInts *elements);
// The entry of two points, or NULL when the shape has none.
double *dv_mass_matrix_at(dvMassMatrix *m, int32_t row, int32_t column);
// Adds the matrix of an element, corners x corners; its points must be points of the state.
void dv_mass_matrix_add(dvMassMatrix *m, const int32_t *points, int corners, const double *entries);
// For a mesh that changes: there are so many points, and the row of one of them has other columns (ascending); its
// entries are zero. False when memory is short, or when everything is better made again.
bool dv_mass_matrix_resize(dvMassMatrix *m, size_t points);
bool dv_mass_matrix_renew(dvMassMatrix *m, int32_t point, const int32_t *columns, size_t count);
// What a matrix is integrated over: the entries of one element (corners x corners); false when it has none.
typedef struct dvMassIntegral {
  dvTopology *mesh;   // whose points are those of the state
  dvElementKind kind;
  bool (*entries)(void *user, size_t element, double *entries);
  void *user;
} dvMassIntegral;
// For such a matrix, when these points of the mesh were touched (trace.h): rows of points and of those beside them are
// made again and summed up, to the bits of a matrix that is made anew. `rows` gets these points, in ascending order.
// False when everything is to be made again.
bool dv_mass_matrix_patch(dvMassMatrix *m, const dvMassIntegral *of, const dvNumbers *touched, dvNumbers *rows);
// Sums up the rows into the diagonal. False when memory is short.
bool dv_mass_matrix_sum(dvMassMatrix *m);

#endif

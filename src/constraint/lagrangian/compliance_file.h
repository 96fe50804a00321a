// The file in which a precomputed compliance is kept from run to run.
//
// Ours begins with a line that holds a hash of what the matrix was computed from, so that a scene that has changed
// computes it anew; n x n numbers follow. A file of SOFA's has the numbers only and is taken as it stands.
#ifndef DV_CONSTRAINT_LAGRANGIAN_COMPLIANCE_FILE_H
#define DV_CONSTRAINT_LAGRANGIAN_COMPLIANCE_FILE_H

#include "linear/system/assembly.h"

typedef enum dvComplianceFound { DV_COMPLIANCE_NONE, DV_COMPLIANCE_OTHER, DV_COMPLIANCE_READ } dvComplianceFound;

// Of all that the compliance of a state depends on: the matrix, what is held, and the factor that makes positions.
uint64_t dv_compliance_hash(const dvAssembly *a, const dvState *state, double position);
// Where it is kept: `named` or, as in SOFA, NODE-ROWS-STEP.comp; in `directory`, else beside the scene. The caller
// frees it.
char *dv_compliance_path(const dvObject *o, const char *named, const char *directory, size_t rows);
// Reads rows x rows numbers. DV_COMPLIANCE_OTHER: there is a file, of another scene or damaged.
dvComplianceFound dv_compliance_read(const char *path, uint64_t hash, size_t rows, double *out);
// Complete or not at all; false where it cannot be written.
bool dv_compliance_write(const char *path, uint64_t hash, size_t rows, const double *values);

#endif

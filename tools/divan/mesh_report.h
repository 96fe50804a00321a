// What verbs say about mesh files.
#ifndef DIVAN_MESH_REPORT_H
#define DIVAN_MESH_REPORT_H

#include "io/mesh/mesh.h"

void print_counts(const char *path, const dvMesh *mesh);
int complain_of_mesh(const char *path, const dvMeshError *error);   // the exit status

#endif

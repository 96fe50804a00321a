// Who went through the finite differences (fd.h), for tests/force/test_every_force.c: one file for each test program in
// the directory of the build, with a line "role name what" for each component that agreed, what being "derivative" or,
// for products against matrices only, "matrix".
#ifndef DV_TESTS_FD_RECORD_H
#define DV_TESTS_FD_RECORD_H

#include "object/object.h"

void fd_record(const dvObject *o, dvRole role, const char *what);

#endif

// Every value of every field of a scene, so that nothing hides outside of the states.
#ifndef DV_TESTS_FIELDS_H
#define DV_TESTS_FIELDS_H

#include "scene/node.h"

// As text, a line each; all but what the last step has left and the next one makes anew. The caller frees it.
char *check_all_fields(dvScene *s);
// Prints the first line in which two of them differ.
void check_print_difference(const char *a, const char *b);

#endif

// Text files of fibres: three numbers a line.
#ifndef DV_HEART_FIBRE_H
#define DV_HEART_FIBRE_H

#include "object/values.h"

// The numbers of a text; what stands behind a # does not count. False, and the line, at the first thing that is no
// finite number, or when memory is short.
bool dv_fibres_scan(const char *text, dvReals *out, int *line);

#endif

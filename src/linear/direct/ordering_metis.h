// Nested dissection by METIS (Karypis and Kumar 1998), where the library is there when the program is built.
#ifndef DV_LINEAR_DIRECT_ORDERING_METIS_H
#define DV_LINEAR_DIRECT_ORDERING_METIS_H

#include "linear/direct/ordering.h"

// See dv_order; false also when METIS gives up.
bool dv_order_metis(const dvPattern *a, int32_t *perm);
// Cuts the graph in two, the parts again, until there are 2^levels parts. stage[] gets 0 for rows of the parts, 1 for
// what separates two of them, and so on up to `levels` for the first cut.
bool dv_order_metis_stages(const dvPattern *a, int levels, unsigned char *stage);

#endif

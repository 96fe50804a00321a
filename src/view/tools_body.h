// Bodies whose meshes tools of the viewer change, and where rays meet their elements. For tools.c.
#ifndef DV_VIEW_TOOLS_BODY_H
#define DV_VIEW_TOOLS_BODY_H

#include "topology/change/modify.h"
#include "view/inside.h"

typedef struct dvMeshBody {
  dvState *state;
  dvTopology *mesh;
  dvElementKind kind;   // of its largest elements
} dvMeshBody;

// A state with points of a mesh that may be changed; else false, with the reason, which the caller owns. `why` may be
// NULL.
bool dv_view_body(dvState *state, dvMeshBody *out, json_t **why);
dvVec3 dv_body_point(const dvMeshBody *b, int32_t point);
void dv_body_box(const dvMeshBody *b, dvVec3 *low, dvVec3 *high);
// The first element on a ray, and where it is met (may be NULL); of lines the nearest to the ray. -1 for none.
int32_t dv_body_pick(const dvMeshBody *b, dvRay ray, dvVec3 *where);
// The element whose middle is nearest to a place.
int32_t dv_body_nearest(const dvMeshBody *b, dvVec3 x);
dvVec3 dv_body_middle(const dvMeshBody *b, int32_t element);
// How many parts of a mesh hang together by points; those without an element count not.
size_t dv_body_pieces(const dvMeshBody *b);

#endif

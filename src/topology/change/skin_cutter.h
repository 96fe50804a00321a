// A cut of a surface while it goes on. Between cut_skin.c and skin_sheets.c.
#ifndef DV_TOPOLOGY_CHANGE_SKIN_CUTTER_H
#define DV_TOPOLOGY_CHANGE_SKIN_CUTTER_H

#include "topology/change/cut_skin.h"

typedef DV_ARRAY(int32_t) dvSkinNumbers;

// where a new point lies
typedef struct dvSkinMark {
  int32_t facets[2];   // -1 for none
  int32_t edge;        // of the blade, or -1
  double along;        // that edge
  bool single;         // of points of sheets: the blade ends here
} dvSkinMark;

// an edge of the surface on a facet, with the facet's inside on its left
typedef struct dvSkinEdge {
  int32_t from, to, facet;
} dvSkinEdge;

typedef struct dvSkinCutter {
  dvTopology *mesh;
  const dvBlade *blade;
  DV_ARRAY(double) x;           // of the points, also of those of the sheets
  int32_t old;                  // points that there were before
  DV_ARRAY(dvSkinMark) marks;   // of the points from there on
  DV_ARRAY(int32_t) near;       // an old point beside each of them
  DV_ARRAY(dvSkinEdge) edges;
  DV_ARRAY(int32_t) upper;   // of each point of the surface, the one of the upper side; itself where it is not doubled
  dvSkinNumbers caps;   // of the sheets: three points each, turning left around the normal of the facet, lower ones
  dvSkinNumbers cap_facets;   // of each of them
  dvSkinPoints *born;
} dvSkinCutter;

static inline dvVec3 dv_skin_place(const dvSkinCutter *c, int32_t p) { return dv_vec3_load(c->x.data + 3 * (size_t)p); }

static inline bool dv_skin_is_on(const dvSkinCutter *c, int32_t point, int32_t facet)
{
  if (point < c->old) return false;
  const dvSkinMark *m = &c->marks.data[point - c->old];
  return m->facets[0] == facet || m->facets[1] == facet;
}

// the facet that has both, or -1
static inline int32_t dv_skin_common_facet(const dvSkinCutter *c, int32_t p, int32_t q)
{
  if (p < c->old || q < c->old) return -1;
  for (int k = 0; k < 2; k++) {
    int32_t f = c->marks.data[p - c->old].facets[k];
    if (f >= 0 && dv_skin_is_on(c, q, f)) return f;
  }
  return -1;
}

static inline int32_t dv_skin_old_near(const dvSkinCutter *c, int32_t point)
{
  return point < c->old ? point : c->near.data[point - c->old];
}

// the next new point
static inline void dv_skin_mark(dvSkinCutter *c, dvSkinMark m, dvVec3 at, int32_t beside)
{
  dv_push(&c->x, at.x), dv_push(&c->x, at.y), dv_push(&c->x, at.z);
  dv_push(&c->marks, m);
  dv_push(&c->near, dv_skin_old_near(c, beside));
}

// a place where the blade ends: points there are not doubled
static inline bool dv_skin_is_single(const dvSkinCutter *c, int32_t point)
{
  const dvSkinMark *m = &c->marks.data[point - c->old];
  if (m->edge >= 0) return c->blade->edges.data[m->edge].facets[1] < 0;
  return m->single;
}

// Fills what of the facets lies inside of the surface with triangles (`caps`), from the edges of the cut. False when
// their rings do not close.
bool dv_skin_fill_facets(dvSkinCutter *c);

#endif

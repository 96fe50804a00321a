// What responses share.
#ifndef DV_COLLISION_RESPONSE_RESPONSE_H
#define DV_COLLISION_RESPONSE_RESPONSE_H

#include "collision/collision.h"
#include "math/vec.h"
#include "mechanics/rows.h"

// Of the contacts with one number the deepest, the first of equals; in the order of the list.
typedef struct dvDeepest {
  DV_ARRAY(size_t) kept;
  DV_ARRAY(size_t) slots;   // 1 + place in the list by number, open addressing; 0: free
  DV_ARRAY(uint8_t) dropped;
} dvDeepest;

void dv_deepest_find(dvDeepest *d, const dvContactList *list);
void dv_deepest_free(dvDeepest *d);

// Of the contacts at one place (their two points together within 1e-4) the first; in the order of the list.
typedef struct dvDoubles {
  DV_ARRAY(size_t) kept;
  DV_ARRAY(size_t) slots;   // by cell: 1 + the newest of `kept` there, 0: none
  DV_ARRAY(size_t) next;    // of each of `kept` the one before it in its slot
  DV_ARRAY(uint8_t) fate;   // of each of `kept`, while they are thinned out
} dvDoubles;

void dv_doubles_drop(dvDoubles *d, const dvContactList *list);
// Of the contacts of one ball whose normals lie within `apart` (rad) of a deeper one's only that one stays; in the
// order of the list. Nothing is dropped where there are no balls.
void dv_doubles_thin(dvDoubles *d, const dvContactList *list, double apart);
void dv_doubles_free(dvDoubles *d);

// The points of a response's contacts on its two models.
typedef struct dvContactSides {
  dvContactAnchor anchor[2];
  DV_ARRAY(int32_t) elements[2];
  DV_ARRAY(double) points[2];
} dvContactSides;

// Holds the points of `count` contacts of the list: which[i] is the i-th.
dvStatus dv_contact_sides_place(dvContactSides *s, dvLiveGroup *live, const dvContactList *list, const size_t *which,
                                size_t count);
// The point of the anchor's state that is the i-th contact's.
int32_t dv_contact_sides_point(const dvContactSides *s, int side, size_t i);
// What lies between that point and the surface: contacts on frames lie on the surface, spheres of points around it.
double dv_contact_sides_radius(const dvContactSides *s, const dvContactList *list, int side, size_t i);
void dv_contact_sides_attach(const dvContactSides *s, dvLiveGroup *live);
void dv_contact_sides_end(dvContactSides *s, dvLiveGroup *live);
void dv_contact_sides_free(dvContactSides *s);

// Where point i lies on the element that holds it: weights of the element's points, and what is added, or the place in
// a frame. All 0 where the point is one of the state.
enum { DV_HELD = 11 };
void dv_contact_anchor_where(const dvContactAnchor *a, size_t i, double at[DV_HELD]);
// Puts point i, which was placed on the same element, there; tells where that is now. Only for anchors with a mapping.
dvVec3 dv_contact_anchor_stay(dvContactAnchor *a, size_t i, const double at[DV_HELD]);

// The state that holds the points of an anchor: what rows of constraints at these points are about.
dvState *dv_contact_anchor_holder(const dvContactAnchor *a);
// Adds factor x axis at point i to a row over the holder's degrees of freedom. The points stand as positions were
// mapped last.
void dv_contact_anchor_add_row(const dvContactAnchor *a, size_t i, int32_t row, const double axis[3], double factor,
                               dvSparseRows *out);
// The first degree of freedom that holds point i.
int32_t dv_contact_anchor_first(const dvContactAnchor *a, size_t i);

// Tells bodies that contacts by Lagrange multipliers cannot move, and a scene that solves for none.
void dv_contact_check_corrections(const dvObject *manager);

// A number of a response's parameters, "name=value&name=value"; `otherwise` where it is not among them.
double dv_response_number(const dvResponse *r, const char *name, double otherwise);

#endif

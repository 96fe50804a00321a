// Per-element data of components that stays in step with a topology (change.h).
//
// A component says once, in init, what its arrays belong to:
//
//   dv_element_data_init(&self->per_edge, &self->base, topology, DV_EDGE);          // one entry for every edge
//   dv_element_data_add_reals(&self->per_edge, &self->stiffness, true);             // a field; one value may stand for
//   all dv_element_data_add_array(&self->per_edge, &self->springs);                     // a DV_ARRAY of structs
//   self->per_edge.create = spring_create;                                          // optional
//
//   dv_element_list_init(&self->pressed, &self->base, topology, DV_TRIANGLE, &self->triangles);   // some triangles, by
//   number dv_element_list_add_reals(&self->pressed, &self->pressure, true);               // and a value for each of
//   them
//
// and in destroy: dv_element_data_fini(&self->per_edge).
//
// Rows move with their elements: the last row takes the place of a removed one, new rows come at the end. A new row
// gets the weighted sum of its ancestors' numbers, and of structs and integers the values of the ancestor with the
// largest coefficient; without ancestors zeros. Then `create` may set it as it likes. `destroy` sees a row before it
// goes. A list of one value that stands for all is left alone. A field that followed another one does so no more after
// the first change.
#ifndef DV_TOPOLOGY_CHANGE_ELEMENT_DATA_H
#define DV_TOPOLOGY_CHANGE_ELEMENT_DATA_H

#include "base/array.h"
#include "topology/change/change.h"

DV_PUBLIC_BEGIN

typedef struct dvNewElement {
  size_t index;            // of the element
  size_t row;              // of the component's arrays
  const int32_t *points;   // NULL for points
  const int32_t *ancestors;
  const double *coefficients;
  size_t ancestor_count;
} dvNewElement;

typedef enum dvColumnType { DV_COLUMN_ARRAY, DV_COLUMN_REALS, DV_COLUMN_INTS } dvColumnType;

// One array, whose rows move together with those of the others.
typedef struct dvColumn {
  dvColumnType type;
  void *values;                     // dvReals or dvInts; for a DV_ARRAY the address of its data
  size_t size, *count, *capacity;   // of a DV_ARRAY: bytes of an entry, and its members
  bool shared;                      // one entry stands for all, or there is none: left alone
} dvColumn;

typedef DV_ARRAY(dvColumn) dvColumns;

#define DV_COLUMN_OF(array)                  \
  ((dvColumn){.type = DV_COLUMN_ARRAY,       \
              .values = &(array)->data,      \
              .size = sizeof *(array)->data, \
              .count = &(array)->count,      \
              .capacity = &(array)->capacity})

// --- one entry for every element of a kind ---

typedef struct dvElementData {
  dvWatcher watcher;
  dvObject *owner;   // may be NULL; fields among the columns are told of changes
  dvElementKind kind;
  dvColumns columns;
  void *user;   // for the callbacks; the owner by default
  void (*create)(void *user, const dvNewElement *e);
  void (*destroy)(void *user, size_t row);
  void (*end)(void *user);   // of a sequence of changes
} dvElementData;

// Begins to watch. The struct must not move until dv_element_data_fini.
void dv_element_data_init(dvElementData *d, dvObject *owner, dvTopology *t, dvElementKind kind);
void dv_element_data_fini(dvElementData *d);
// Adds an array. It must have an entry for each element now, or, with `one_for_all`, a single one or none; else
// DV_ERROR_INPUT with a message at the field.
dvStatus dv_element_data_add_reals(dvElementData *d, dvReals *values, bool one_for_all);
dvStatus dv_element_data_add_ints(dvElementData *d, dvInts *values, bool one_for_all);
#define dv_element_data_add_array(d, array) dv_element_data_add_column_(d, DV_COLUMN_OF(array))
dvStatus dv_element_data_add_column_(dvElementData *d, dvColumn column);

// --- entries for some elements, each naming one or several of them ---

typedef struct dvElementList {
  dvWatcher watcher;
  dvObject *owner;
  dvElementKind kind;
  dvInts *list;   // numbers of elements of the kind; an entry has `width` of them
  dvColumns columns;
  void *user;
  // new elements are put into the list when they descend from one in it, or when this returns true. Only for lists of
  // width 1
  bool heirs;
  bool (*accept)(void *user, const dvNewElement *e);
  void (*create)(void *user, const dvNewElement *e);   // it has been put there, at the row that `e` tells
  void (*destroy)(void *user, size_t row);   // the entry is about to go, because an element that it names does
  void (*end)(void *user);
  // places of the list, entry * width + slot, that name an element: chains from `first`, 0 ends; numbers are places + 1
  DV_ARRAY(int32_t) first, next;
} dvElementList;

// Begins to watch. DV_ERROR_INPUT with a message when an entry names an element that does not exist.
dvStatus dv_element_list_init(dvElementList *l, dvObject *owner, dvTopology *t, dvElementKind kind, dvInts *list);
void dv_element_list_fini(dvElementList *l);
dvStatus dv_element_list_add_reals(dvElementList *l, dvReals *values, bool one_for_all);
dvStatus dv_element_list_add_ints(dvElementList *l, dvInts *values, bool one_for_all);
#define dv_element_list_add_array(l, array) dv_element_list_add_column_(l, DV_COLUMN_OF(array))
dvStatus dv_element_list_add_column_(dvElementList *l, dvColumn column);

// Adds an entry (false when memory is short), or removes one by putting the last in its place. `destroy` is not called.
bool dv_element_list_push(dvElementList *l, const int32_t *entry);
void dv_element_list_erase(dvElementList *l, size_t row);

DV_PUBLIC_END

#endif

// Per-element data of components that stays in step with a topology (change.h). Components reach it through follow.h,
// which owns the structs:
//
//   dvElementData *d = dv_follow_elements(o, topology, DV_EDGE);        // one entry for every edge
//   dv_element_data_add_reals(d, &self->stiffness, true);               // a field; one value may stand for all
//   dv_element_data_add_array(d, &self->springs);                       // a DV_ARRAY of structs
//   d->create = spring_create;                                          // optional
//
//   dvElementList *l = dv_follow_list(o, topology, DV_TRIANGLE, &self->triangles);   // some triangles, by number
//   dv_element_list_add_reals(l, &self->pressure, true);                             // and a value for each of them
//
// Rows move with their elements: the last row takes the place of a removed one, new rows come at the end. A new row
// gets the weighted sum of its ancestors' numbers, and of structs and integers the values of the ancestor with the
// largest coefficient; without ancestors zeros. Where one value may stand for all, numbers do not depend on the size of
// an element: a new row gets the weighted mean, or without ancestors the first value. Then `create` may set it as it
// likes. `destroy` sees a row before it goes. A list that has another number of entries than there are rows is left
// alone. A field that followed another one does so no more after the first change.
//
// When the lists of a topology were edited as a whole (DV_REMADE), arrays begin anew with a row for each element,
// fields are left to those who wrote them, and entries that name an element that is no more go.
#ifndef DV_TOPOLOGY_CHANGE_ELEMENT_DATA_H
#define DV_TOPOLOGY_CHANGE_ELEMENT_DATA_H

#include "base/array.h"
#include "topology/change/change.h"

DV_PUBLIC_BEGIN

struct dvKept;

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
  bool one_for_all;                 // one entry may stand for all
  size_t group;                     // numbers of a field that make a row; 0: its width
  bool places;                      // positions of points: they move when these are moved
} dvColumn;

typedef DV_ARRAY(dvColumn) dvDataColumns;

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
  size_t rows;     // elements that it knows
  bool gathered;   // in this batch
  dvDataColumns columns;
  struct dvKept *keeper;   // of what they were before the first change; may be NULL (keep.h)
  bool kept;
  void *user;                                            // for the callbacks, all optional; the owner by default
  void (*gather)(void *user, struct dvElementData *d);   // before the first change of a batch: rows come home
  void (*create)(void *user, const dvNewElement *e);
  void (*destroy)(void *user, size_t row);
  void (*resized)(void *user, size_t rows);   // rows of the columns have moved; there are so many from here on
  void (*remade)(void *user, size_t rows);    // instead of what DV_REMADE does
} dvElementData;

// Begins to watch. The struct must not move until dv_element_data_fini.
void dv_element_data_init(dvElementData *d, dvObject *owner, dvTopology *t, dvElementKind kind);
void dv_element_data_fini(dvElementData *d);
// Adds an array, once. It must have an entry for each element now; else DV_ERROR_INPUT with a message at the field.
// With `one_for_all` it may have none, one, or more: the first change then gives it one for each, the first value where
// one is missing. Nothing happens when `d` is NULL: for components that may have nothing to follow.
dvStatus dv_element_data_add_reals(dvElementData *d, dvReals *values, bool one_for_all);
dvStatus dv_element_data_add_ints(dvElementData *d, dvInts *values, bool one_for_all);
// The same for a list with `group` numbers for each element, whatever its width.
dvStatus dv_element_data_add_groups(dvElementData *d, dvReals *values, size_t group, bool one_for_all);
// The same for positions of points, which move when these are moved (DV_MOVED).
dvStatus dv_element_data_add_places(dvElementData *d, dvReals *values);
#define dv_element_data_add_array(d, array) dv_element_data_add_column_(d, DV_COLUMN_OF(array))
dvStatus dv_element_data_add_column_(dvElementData *d, dvColumn column);

// For a reset: the topology is as before its first change, and so are the columns that were kept; others begin anew.
void dv_element_data_put_back(dvElementData *d);

// --- entries for some elements, each naming one or several of them ---

typedef struct dvElementList {
  dvWatcher watcher;
  dvObject *owner;
  dvElementKind kind;
  dvInts *list;   // numbers of elements of the kind; an entry has `width` of them
  dvDataColumns columns;
  struct dvKept *keeper;   // as above
  bool kept;
  void *user;
  bool emptied;     // it had entries, and the last of them went with its element
  bool ready;       // the chains are made
  dvField *field;   // of the owner that holds the list; NULL when it has none
  uint32_t seen;    // its counter when the chains were made
  // new elements are put into the list when they descend from one in it, or when this returns true. Only for lists of
  // width 1
  bool heirs;
  bool (*accept)(void *user, const dvNewElement *e);
  void (*create)(void *user, const dvNewElement *e);   // it has been put there, at the row that `e` tells
  void (*destroy)(void *user, size_t row);   // the entry is about to go, because an element that it names does
  // places of the list, entry * width + slot, that name an element: chains from `first`, 0 ends; numbers are places + 1
  DV_ARRAY(int32_t) first, next;
} dvElementList;

// Begins to watch. Entries that name an element that does not exist are left alone.
void dv_element_list_init(dvElementList *l, dvObject *owner, dvTopology *t, dvElementKind kind, dvInts *list);
void dv_element_list_fini(dvElementList *l);
dvStatus dv_element_list_add_reals(dvElementList *l, dvReals *values, bool one_for_all);
dvStatus dv_element_list_add_groups(dvElementList *l, dvReals *values, size_t group, bool one_for_all);
dvStatus dv_element_list_add_ints(dvElementList *l, dvInts *values, bool one_for_all);
#define dv_element_list_add_array(l, array) dv_element_list_add_column_(l, DV_COLUMN_OF(array))
dvStatus dv_element_list_add_column_(dvElementList *l, dvColumn column);

// For lists that name all elements when they are empty: whether this one does, now. `l` may be NULL.
static inline bool dv_names_all(const dvInts *list, const dvElementList *l)
{
  return list->count == 0 && !(l && l->emptied);
}
// The list was written anew, not through these functions: chains are made again when they are needed. May be NULL.
static inline void dv_element_list_forget(dvElementList *l)
{
  if (l) l->ready = l->emptied = false;
}
// Makes the chains, unless they are there and the list is still the one that they were made for. False when memory is
// short. For those who read them: everything here does so by itself.
bool dv_element_list_chain(dvElementList *l);
// Adds entries (false when memory is short), or removes one by putting the last in its place. `destroy` is not called.
bool dv_element_list_push(dvElementList *l, const int32_t *entries, size_t count);
void dv_element_list_erase(dvElementList *l, size_t row);
// Keeps list and columns for a reset; everything here does so by itself.
void dv_element_list_keep(dvElementList *l);
// For a reset, as above.
void dv_element_list_put_back(dvElementList *l);

DV_PUBLIC_END

#endif

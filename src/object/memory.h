/* What a component remembers: everything besides its fields that its next step depends on.

   A component lists it once, beside its fields:

     #define PULSE_MEMORY(X) X(numbers, level) X(numbers, rising) X(array, peaks)
     #define SELF Pulse
     static const dvMemoryDesc pulse_memory[] = {PULSE_MEMORY(DV_REMEMBER)};

   and names the list in its class (DV_MEMORY(pulse_memory)). That yields saving, restoring, reset and the hash. What is
   none of these kinds goes through the hook `remember`, one function for all of it, so that what is read is what was
   written. Fields that the component itself changes while it runs belong into the list too. Caches that follow from
   fields and from what is remembered do not: the hook `restored` brings them up to date. */
#ifndef DV_OBJECT_MEMORY_H
#define DV_OBJECT_MEMORY_H

#include "base/array.h"
#include "base/text.h"
#include "object/values.h"

DV_PUBLIC_BEGIN

typedef struct dvObject dvObject;
typedef struct dvMemoryStream dvMemoryStream;

typedef enum dvMemoryKind {
  DV_MEMORY_NUMBERS,   // a member that is a number or an array of numbers (bool, int, long, double); no struct with
                       // gaps
  DV_MEMORY_ARRAY,     // DV_ARRAY of numbers, not of bools; it takes the length that was remembered
  DV_MEMORY_LIST,      // numbers or bools, whose length the scene sets: another one does not fit
  DV_MEMORY_REALS,     // dvReals
  DV_MEMORY_INTS,      // dvInts
  DV_MEMORY_VECTOR,    // an int: the number of a vector that it keeps in the states at and below its node; 0 for none
} dvMemoryKind;

typedef struct dvMemoryDesc {
  const char *name;
  dvMemoryKind kind;
  size_t offset, size;   // of the member; of an element for arrays
  bool flags;            // bools, which are 0 or 1 whatever a file says
} dvMemoryDesc;

#define DV_REMEMBER(kind, member, ...) DV_REMEMBER_##kind(member)
#define DV_REMEMBER_(kind_, member, size_, flags_) {#member, kind_, offsetof(SELF, member), size_, flags_},
#define DV_IS_FLAG(value) _Generic((value), bool : true, default : false)
#define DV_REMEMBER_numbers(m) DV_REMEMBER_(DV_MEMORY_NUMBERS, m, sizeof(((SELF *)0)->m), DV_IS_FLAG(((SELF *)0)->m))
#define DV_REMEMBER_array(m) DV_REMEMBER_(DV_MEMORY_ARRAY, m, sizeof(*((SELF *)0)->m.data), false)
#define DV_REMEMBER_list(m) \
  DV_REMEMBER_(DV_MEMORY_LIST, m, sizeof(*((SELF *)0)->m.data), DV_IS_FLAG(*((SELF *)0)->m.data))
#define DV_REMEMBER_reals(m) DV_REMEMBER_(DV_MEMORY_REALS, m, sizeof(double), false)
#define DV_REMEMBER_ints(m) DV_REMEMBER_(DV_MEMORY_INTS, m, sizeof(int32_t), false)
#define DV_REMEMBER_vector(m) DV_REMEMBER_(DV_MEMORY_VECTOR, m, sizeof(int), false)
// for the class: .memory and .memory_count
#define DV_MEMORY(list) .memory = (list), .memory_count = (int)DV_COUNT(list)

// --- for the hook `remember`: each saves, restores or hashes, as the stream does ---

bool dv_memory_restores(const dvMemoryStream *s);
// A number of bytes that the scene sets. NULL data counts as nothing.
#define dv_remember_numbers(s, name, data, bytes) \
  dv_remember_numbers_((s), (name), (data), (bytes), _Generic((data), bool * : true, default : false))
void dv_remember_numbers_(dvMemoryStream *s, const char *name, void *data, size_t bytes, bool flags);
void dv_remember_reals(dvMemoryStream *s, const char *name, dvReals *r);
void dv_remember_ints(dvMemoryStream *s, const char *name, dvInts *r);
// The same for lists that are only ever written through dv_reals_edit: memories that stay with the scene share them.
void dv_remember_shared(dvMemoryStream *s, const char *name, dvReals *r);
#define dv_remember_array(s, name, a) \
  dv_remember_array_((s), (name), (void **)&(a)->data, &(a)->count, &(a)->capacity, sizeof *(a)->data)
void dv_remember_array_(dvMemoryStream *s, const char *name, void **data, size_t *count, size_t *capacity,
                        size_t element);
// Another object that this one owns and that stands in no node.
void dv_remember_object(dvMemoryStream *s, dvObject *o);
// Restoring: what was read cannot be. The first reason is told; nothing of the rest is read.
void dv_memory_refuse(dvMemoryStream *s, const char *format, ...) DV_PRINTF(2, 3);

// --- a memory of a whole scene: objects in their order, with their entries ---

typedef struct dvMemoryEntry {
  char *name;   // NULL in memories without names
  dvMemoryKind kind;
  uint32_t size;        // bytes of an element
  uint64_t count;       // elements
  size_t at;            // of its bytes, or number of its shared list
  const dvObject *of;   // a vector in a memory that stays with its scene: the state
} dvMemoryEntry;

typedef struct dvMemoryObject {
  char *path, *cls;     // NULL in memories without names
  const dvObject *of;   // in those: by it they are found again, since others may have come or gone meanwhile
  size_t first, count;
} dvMemoryObject;

typedef struct dvSnapshot {
  DV_ARRAY(dvMemoryObject) objects;
  DV_ARRAY(dvMemoryEntry) entries;
  DV_ARRAY(unsigned char) bytes;
  DV_ARRAY(dvReals) shares;
  bool shared;    // dv_remember_shared does share
  bool unnamed;   // no names: for a memory that stays with its scene
  bool hollow;    // names and sizes only
} dvSnapshot;

void dv_snapshot_free(dvSnapshot *m);
// Writes what differs between a memory that was read and the layout of a scene, at most `most` differences, a line
// each; returns how many there are.
size_t dv_snapshot_compare(const dvSnapshot *read, const dvSnapshot *scene, int most, dvText *out);

typedef enum dvMemoryMode { DV_MEMORY_SAVES, DV_MEMORY_RESTORES, DV_MEMORY_HASHES } dvMemoryMode;

struct dvMemoryStream {
  dvMemoryMode mode;
  dvSnapshot *memory;   // written, or read; NULL when it hashes
  size_t object, entry;
  uint64_t hash;
  // saves, restores or hashes a vector that `o` keeps in the states below its node
  void (*vector)(dvMemoryStream *s, dvObject *o, const char *name, int number);
  bool lenient;   // reset: what does not fit any more, because a mesh was edited by its user, stays as it is
  dvText why;     // it was refused, and why
  bool refused;
  bool absent;             // a memory that stays with its scene does not know the object
  const dvObject *state;   // whose vector comes next
};

// Everything an object remembers: its list, then its hook.
void dv_object_remember(dvObject *o, dvMemoryStream *s);

DV_PUBLIC_END

#endif

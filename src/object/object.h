// Components: a class is a constant, an object is an instance in a node.
#ifndef DV_OBJECT_OBJECT_H
#define DV_OBJECT_OBJECT_H

#include "base/array.h"
#include "base/log.h"
#include "object/field.h"
#include "object/memory.h"
#include "object/roles.h"

DV_PUBLIC_BEGIN

typedef struct dvNode dvNode;
typedef struct dvContext dvContext;
typedef struct dvEvent dvEvent;

// Whether a scene runs as SOFA does, its mistakes included: see compat.h.
typedef enum dvCompatMode { DV_COMPAT_NONE, DV_COMPAT_SOFA } dvCompatMode;

// Attributes of a component as they stand in the scene file, in order.
typedef struct dvAttribute {
  char *name, *value;
  dvPlace place;
  bool used;   // some field or hook took it
} dvAttribute;

typedef struct dvAttributes {
  dvAttribute *data;
  size_t count, capacity;
} dvAttributes;

// The value of an attribute, or NULL; marks it as used.
const char *dv_attribute_take(dvAttributes *a, const char *name);
const dvAttribute *dv_attribute_find(const dvAttributes *a, const char *name);
void dv_attribute_add(dvAttributes *a, const char *name, const char *value, dvPlace place);
void dv_attributes_free(dvAttributes *a);

// Comments of the scene file around and inside the element of an object, so that the scene is written back with them.
typedef enum dvCommentPlace {
  DV_COMMENT_BEFORE,   // on lines of its own
  DV_COMMENT_BESIDE,   // behind the start tag, on its line
  DV_COMMENT_LAST,     // inside, behind everything else
  DV_COMMENT_AFTER,    // behind the element, on its line
  DV_COMMENT_BELOW,    // behind the element, on lines of its own: of the root
} dvCommentPlace;

typedef struct dvComment {
  char *text;   // without <!-- and -->; further lines are indented from the first one, where it begins a line
  dvCommentPlace where;
} dvComment;

// What a mapping maps: types of its input, of its second kind of input (0 when there is none) and of its output. A list
// ends with {0}.
typedef struct dvDofPair {
  unsigned in, in2, out;   // DV_DOF_...
} dvDofPair;

typedef struct dvClass {
  size_t struct_size;   // sizeof(dvClass), first, for plugins
  const char *name;
  const char *aliases;              // other names, separated by spaces
  const char *help;                 // one sentence
  const char *module;               // the SOFA module that RequiredPlugin names for it
  unsigned dofs;                    // DOF types it works on; 0 when it has no template
  unsigned dofs_out;                // for mappings: DOF types of the output
  uint64_t roles;                   // bits (DV_PLAYS) of roles without a table
  size_t size;                      // of the instance
  const dvFieldBlock *blocks[5];    // own and inherited fields, most general first
  const char *presets;              // "field=value; field=value": other defaults than the block's
  const void *ops[DV_ROLE_COUNT];   // table per role

  // hooks, all optional
  void (*create)(dvObject *o);       // after defaults were set
  dvStatus (*arrive)(dvObject *o);   // its element was met: before the next one is created
  dvStatus (*link)(dvObject *o);     // links of the scene are made: find companions in the node
  dvStatus (*parse)(dvObject *o, dvAttributes *attributes);   // attributes without a field
  dvStatus (*init)(dvObject *o);
  dvStatus (*bwd_init)(dvObject *o);
  dvStatus (*reinit)(dvObject *o);              // a field was changed by the user
  dvStatus (*update)(dvObject *o);              // engines: outputs from inputs
  dvStatus (*fetch)(dvObject *o, dvField *f);   // an output is about to be read: fill it if that was put off
  void (*store_reset)(dvObject *o);   // the scene is complete: its first positions are those that reset returns to
  void (*cleanup)(dvObject *o);       // the scene is about to be destroyed, everything is still there
  void (*destroy)(dvObject *o);
  void (*handle_event)(dvObject *o, const dvEvent *event);

  const dvDofPair *pairs;   // mappings: the pairs of types that fit, ending with {0}
  // A topology that it follows (topology/change/follow.h) has changed: called once at the end of a batch of changes,
  // when its rows have moved with their elements. The moment to make again what is made of many elements.
  void (*topology_changed)(dvObject *o);

  // what it remembers from step to step (memory.h): the list, and what is not in it
  const dvMemoryDesc *memory;
  int memory_count;
  void (*remember)(dvObject *o, dvMemoryStream *s);
  // the memory was put back: bring up to date what follows from it. False when what was read cannot be
  bool (*restored)(dvObject *o);
  void (*end_step)(dvObject *o);   // a step is complete: what is remembered advances
  struct dvReals *(*vector)(dvObject *o, int id,
                            bool make);   // states: a vector by its number, NULL when there is none
} dvClass;

// Something that belongs to an object and goes with it: first member of what others attach to objects.
typedef struct dvBelonging {
  void (*release)(struct dvBelonging *b);
  struct dvBelonging *next;
} dvBelonging;

#define DV_BLOCK(list) \
  &(const dvFieldBlock) { list, (int)DV_COUNT(list) }

#define DV_OBJECT_FIELDS(X)                                                                              \
  X(bool, printLog, "0", "", "print details of what the component does")                                 \
  X(bool, listening, "0", "", "receive events", .flags = DV_NO_SRC)                                      \
  X(strings, tags, "", "", "labels by which solvers and searches select components", .flags = DV_NO_SRC) \
  X(vec6, bbox, "1e300 1e300 1e300 -1e300 -1e300 -1e300", "m", "bounding box: minimum, maximum",         \
    .flags = DV_NO_SRC | DV_HIDDEN)                                                                      \
  X(string, componentState, "Undefined", "", "Undefined, Valid or Invalid", .flags = DV_NO_SRC | DV_HIDDEN)

struct dvObject {
  const dvClass *cls;
  dvContext *context;
  dvNode *node;   // where it stands
  char *name;
  const dvDof *dof;       // template, NULL for classes without one
  const dvDof *dof_out;   // mappings
  char *template_text;    // as written, NULL when deduced
  dvField *fields;
  int field_count, field_room;
  DV_ARRAY(struct dvExtraField *) extras;   // fields that are no members: dv_object_add_numbered
  dvAttributes attributes;                  // from the scene file
  DV_ARRAY(dvComment) comments;
  dvPlace place;
  bool failed;            // an error was reported: left out of the simulation
  bool rests_on_failed;   // a component it needs has failed: its complaints would only be consequences
  bool initialised;
  bool as_sofa;            // its scene runs with compat sofa
  uint64_t compat_cases;   // bits of dvCompatId: those that concern it
  bool updating;           // its engine runs
  bool updated;
  uint64_t update_stamp;   // engines: sum of input counters at the last update
  dvBelonging *belongings;
  bool following;   // a change of a topology: what was told at the start is not told again
  bool patched;     // ... of which it has brought up to date only what it concerns
  bool rewound;   // ... which was put back: what the object keeps (topology/change/follow.h) is as it was at the start
  DV_OBJECT_FIELDS(DV_MEMBER)
};

extern const dvFieldBlock dv_object_block;

// The name of a slot that a role of the class needs and its table leaves empty; NULL when there is none.
const char *dv_class_lacks(const dvClass *cls);
static inline const void *dv_ops(const dvObject *o, dvRole role) { return o->cls->ops[role]; }
static inline bool dv_plays(const dvObject *o, dvRole role)
{
  return role == DV_ROLE_ANY || o->cls->ops[role] != NULL || (o->cls->roles & DV_PLAYS(role)) != 0;
}

// Creates an instance with its defaults. It belongs to the caller until it is added to a node.
dvObject *dv_object_create(dvContext *context, const dvClass *cls, const char *name, const dvDof *dof);
void dv_object_destroy(dvObject **o);
// Sets the template after creation (the width of fields follows it; values of template fields are cleared).
void dv_object_set_dof(dvObject *o, const dvDof *dof);

// A field by its name, spelling or alias; NULL when there is none. A name may stand for several: `nth` counts.
dvField *dv_object_field(const dvObject *o, const char *name);
dvField *dv_object_field_nth(const dvObject *o, const char *name, int nth);
// The name of a field that is spelled like this, for a message; NULL when there is no idea.
const char *dv_object_nearest_field(const dvObject *o, const char *name);
// What the first link of this role names; NULL when there is no such link or it names nothing.
dvObject *dv_object_linked(const dvObject *o, dvRole role);
// The field of a member: dv_field_of(o, &self->stiffness).
dvField *dv_field_of(const dvObject *o, const void *member);
static inline bool dv_was_set(const dvObject *o, const void *member) { return dv_field_of(o, member)->was_set; }
static inline void dv_touch(const dvObject *o, const void *member) { dv_field_touch(dv_field_of(o, member)); }
static inline dvStatus dv_pull(const dvObject *o, const void *member) { return dv_field_pull(dv_field_of(o, member)); }
// Adds a field like `like` (whose offset does not count) named with a number behind, for components whose number of
// inputs the scene decides: `input3`. For the hook `parse`: attributes are read into such fields afterwards. Pointers
// to other fields of the object are no longer valid. Returns the field that is there when it has been added before.
dvField *dv_object_add_numbered(dvObject *o, const dvFieldDesc *like, int number);
// The same with a name of its own, for components whose outputs a file decides.
dvField *dv_object_add_named(dvObject *o, const dvFieldDesc *like, const char *name);
// Whether one more can be added while others point to fields of the object (context->spare_fields).
static inline bool dv_object_has_room(const dvObject *o) { return o->field_count < o->field_room; }
// Brings all linked fields up to date.
dvStatus dv_object_pull(dvObject *o);
// Runs the engine of the component when an input changed.
dvStatus dv_object_update(dvObject *o);
// Sets a field from text, as the scene file would.
dvStatus dv_object_set(dvObject *o, const char *name, const char *text);
void dv_object_add_comment(dvObject *o, dvCommentPlace where, const char *text);
bool dv_object_has_tag(const dvObject *o, const char *tag);
// True when the object fits a set of tags: it has all of them, none of those written with a leading `!`; `0` asks for
// an object without tags. Everything fits an empty set (NULL counts as one).
bool dv_object_has_tags(const dvObject *o, const dvStrings *tags);
// "/Liver/dofs"; the caller frees it.
char *dv_object_path(const dvObject *o);

// Messages about an object. dv_error returns DV_ERROR_INPUT and marks the object as failed.
// `advice` may be NULL.
dvStatus dv_error(const dvObject *o, const char *advice, const char *format, ...) DV_PRINTF(3, 4);
void dv_warning(const dvObject *o, const char *advice, const char *format, ...) DV_PRINTF(3, 4);
void dv_note(const dvObject *o, const char *format, ...) DV_PRINTF(2, 3);
// The same, pointing at the line where the member's field was set.
dvStatus dv_field_error(const dvObject *o, const void *member, const char *advice, const char *format, ...)
    DV_PRINTF(4, 5);
void dv_field_warning(const dvObject *o, const void *member, const char *advice, const char *format, ...)
    DV_PRINTF(4, 5);

// Events that loops send through the graph.
typedef enum dvEventKind {
  DV_EVENT_ANIMATE_BEGIN,
  DV_EVENT_ANIMATE_END,
  DV_EVENT_COLLISION_BEGIN,
  DV_EVENT_COLLISION_END,
  DV_EVENT_INTEGRATE_BEGIN,
  DV_EVENT_INTEGRATE_END,
  DV_EVENT_KEY,
  DV_EVENT_MOUSE,
  DV_EVENT_PAUSE,   // somebody wants the animation to stop
  DV_EVENT_USER,
  DV_EVENT_INIT_DONE,            // the scene is ready, before the first step
  DV_EVENT_CONSTRAINTS_BUILT,    // a constraint solver has its rows and its compliance; nothing may come or go here
  DV_EVENT_CONSTRAINTS_SOLVED,   // and its multipliers
} dvEventKind;

typedef enum dvMouse {
  DV_MOUSE_MOVE,
  DV_MOUSE_LEFT,
  DV_MOUSE_RIGHT,
  DV_MOUSE_MIDDLE,
  DV_MOUSE_WHEEL,
} dvMouse;

struct dvEvent {
  dvEventKind kind;
  double dt;
  int key;            // DV_EVENT_KEY
  bool released;      // DV_EVENT_KEY, and the buttons of DV_EVENT_MOUSE
  dvMouse mouse;      // DV_EVENT_MOUSE
  int x, y;           // where the pointer is
  int wheel;          // DV_MOUSE_WHEEL: how far it was turned
  const void *data;   // DV_EVENT_USER
  double way;         // DV_EVENT_KEY that leads a hand: how far at most, m; 0 until it is released
};

DV_PUBLIC_END

#endif

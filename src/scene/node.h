// Nodes: the graph of a scene. A node holds components and has children; it may have several parents.
#ifndef DV_SCENE_NODE_H
#define DV_SCENE_NODE_H

#include "object/context.h"
#include "object/object.h"

DV_PUBLIC_BEGIN

typedef struct dvScene dvScene;

#define DV_NODE_FIELDS(X)                                                                                 \
  X(vec3, gravity, "0 -9.81 0", "m/s2", "gravity; a node takes it over from its parent")                  \
  X(real, dt, "0.01", "s", "time step; a node takes it over from its parent")                             \
  X(real, time, "0", "s", "current time")                                                                 \
  X(bool, activated, "1", "", "take part in the simulation; else the node and all below it are left out") \
  X(bool, animate, "0", "", "start the animation when the scene is opened")                               \
  X(bool, sleeping, "0", "", "the node rests: visitors pass it over")                                     \
  X(bool, canChangeSleepingState, "0", "", "accepted: nodes do not fall asleep", .flags = DV_HIDDEN)      \
  X(string, compat, "", "",                                                                               \
    "sofa: run as SOFA does, its mistakes included (docs/differences.md); none: not; of the root only",   \
    .flags = DV_READ_ONLY | DV_NO_SRC)                                                                    \
  X(string, displayFlags, "", "", "what to draw, collected from the old show… attributes", .flags = DV_LOOKS)

typedef struct dvClassCount {
  const dvClass *cls;
  int count;
} dvClassCount;

// More components in one node, or a deeper graph, are refused: searches in nodes go through all of them.
enum { DV_NODE_LIMIT = 20000, DV_DEPTH_LIMIT = 256 };

// Objects by their names (scene/names.h).
typedef struct dvNames {
  dvObject **slots;
  size_t capacity, count;
} dvNames;

struct dvNode {
  dvObject base;
  DV_NODE_FIELDS(DV_MEMBER)
  dvScene *scene;
  DV_ARRAY(dvNode *) children;
  DV_ARRAY(dvNode *) parents;
  DV_ARRAY(dvObject *) objects;    // owned
  DV_ARRAY(dvClassCount) counts;   // how many of each class there are: names of those that have none
  dvNames child_names, object_names;
  dvObject *state;   // the first mechanical state among the objects, or NULL
  bool reached;      // scratch of the search for cycles
  bool stateless;    // it was told that its components find no state
  // bodies that are solved together for a while (collision/response/group_manager.c): the solver of the leader's node
  // rules the nodes that have joined it as if they stood below it; their own rest
  dvNode *leader;
  DV_ARRAY(dvNode *) joined;
};

extern const dvClass dv_node_class;

// A scene: a graph of nodes, and what is compiled from it.
typedef struct dvInheritance {
  dvNode *node;
  dvObject *setter;   // changes the node's values, or NULL: the node takes them over
} dvInheritance;

// A component that follows topologies (topology/change/follow.h), as far as the scene knows it.
typedef struct dvFollower {
  dvBelonging belonging;
  dvObject *owner;
  dvScene *scene;
} dvFollower;

// Somebody who gets the state at the end of each step that ended well, and after a reset.
typedef struct dvSubscriber {
  void (*post)(void *user, dvScene *scene, long step);
  void (*gone)(void *user);   // the scene is about to be destroyed
  void *user;
} dvSubscriber;

// Components of one type that a scene names and that are not in the graph.
typedef struct dvLeftOut {
  char *type, *path;   // path of the node of the first one
  dvPlace place;       // of the first one
  int count;
} dvLeftOut;

struct dvScene {
  dvContext *context;
  dvNode *root;
  unsigned version;        // moves when nodes or components come, go or are switched
  unsigned live_version;   // moves when what is live changes (live.h)
  int multipliers;         // vector: what constraints did to mapped states in the last step, N; 0: nobody keeps it
  DV_ARRAY(struct dvLiveGroup *) live;
  bool dag;   // some node has several parents
  bool initialised;
  long step;      // steps done
  bool running;   // a step has begun since it was initialised: what it writes is its own from here on
  bool pause;     // a component asks to stop the animation; whoever runs it clears this
  dvObject *loop;
  struct dvPlan *plan;              // of the root: all states and mappings
  DV_ARRAY(dvObject *) handlers;    // components that receive events
  DV_ARRAY(dvObject *) engines;     // components whose links are refreshed each step
  DV_ARRAY(dvObject *) advancing;   // components that remember something that moves with each step
  unsigned lists_version;
  DV_ARRAY(dvObject *) buried;           // taken out while it ran: others may still point to them
  DV_ARRAY(dvInheritance) inheritance;   // who takes gravity, time step and time over from whom
  unsigned inheritance_version;
  double good_time;        // of the last step that ended well
  dvSnapshot start;        // what reset returns to
  DV_ARRAY(void *) lent;   // to a host program, in checking builds (app/embed.c)
  DV_ARRAY(dvSubscriber) subscribers;
  DV_ARRAY(dvLeftOut) left_out;   // types that do not exist and, with context->skip_missing, what cannot do without
  dvStrings missing;              // names of such components: links to them were told of already
  // who follows topologies, in the order in which they began, and what tells them (topology/change/follow.h)
  DV_ARRAY(dvFollower *) followers;
  void (*follow)(dvScene *scene);
  size_t remade;   // times that one of them made everything again, instead of what had changed
  // puts meshes back, NULL as long as none has changed; `states` is called when the states have their sizes
  void (*rewind)(dvScene *scene, void (*states)(dvScene *scene));
  bool rewound;    // they are back, and memory is about to follow
  uint32_t turn;   // changes of meshes since they were read (topology/change/journal.h)
};

dvScene *dv_scene_create(dvContext *context);
void dv_scene_destroy(dvScene **scene);

dvNode *dv_node_create(dvScene *scene, const char *name);
// Adds a child; refuses (false) when that would close a cycle.
bool dv_node_add_child(dvNode *parent, dvNode *child);
// Adds a component; the node owns it from here on. An empty name becomes class name and counter.
void dv_node_add(dvNode *node, dvObject *object);
void dv_node_remove(dvNode *node, dvObject *object);   // does not destroy it

static inline dvNode *dv_node_of(dvObject *o) { return dv_plays(o, DV_ROLE_NODE) ? (dvNode *)o : NULL; }

// First component of a role in the node, in order; the last one for topologies. NULL when there is none.
dvObject *dv_node_find(const dvNode *node, dvRole role);
// The same in the node or the nearest ancestor that has one.
dvObject *dv_node_find_up(const dvNode *node, dvRole role);
// In the node or below it, depth first.
dvObject *dv_node_find_below(dvNode *node, dvRole role);
// The mechanical state of the node or the nearest ancestor (visual models are states too, but not mechanical).
dvObject *dv_node_state(const dvNode *node);
dvObject *dv_node_state_up(const dvNode *node);
bool dv_is_mechanical_state(const dvObject *o);
// True when the node's mechanical state is driven by a mapping that stands in the node.
bool dv_node_is_mapped(const dvNode *node);
dvNode *dv_node_child(const dvNode *node, const char *name);
int dv_node_depth(const dvNode *node);   // 0 for the root
dvObject *dv_node_object(const dvNode *node, const char *name);
bool dv_node_active(const dvNode *node);   // it and all above it
// Visitors do not come to a node that rests, nor to what is below it.
static inline bool dv_node_rests(const dvNode *node) { return !node->activated || node->sleeping; }
bool dv_node_left_out(const dvNode *node);   // it, or all above it, rests

// --- links ---

// Finds what a path means, seen from `from` (a component or a node): name, ../a/b, /root/path, ./x, [-1]. A
// leading @ is skipped. With a role, a path to a node means its only component of that role. NULL when it leads
// nowhere.
dvObject *dv_link_find(dvObject *from, const char *path, dvRole role);
// Splits "@path.field": the object, and the field name (owned by the caller) or NULL when the path has none.
dvObject *dv_link_split(dvObject *from, const char *text, char **field);
// A path that leads to something like `path`, for a message; the caller frees it. NULL when there is no idea.
char *dv_link_propose(dvObject *from, const char *path, dvRole role);
// What src="@source" does: a live link for every field of the same name that was not set.
void dv_object_link_src(dvObject *o, dvObject *source, dvPlace place);
// Links every attribute that is a link, in all the scene, and resolves DV_T_LINK fields. Reports every dead one.
dvStatus dv_scene_link(dvScene *scene);
dvStatus dv_node_link(dvNode *node);    // the same for a node and what is below it
dvStatus dv_object_link(dvObject *o);   // the same for one component

// --- walking ---

typedef enum dvWalk { DV_WALK_ON, DV_WALK_PRUNE } dvWalk;

typedef struct dvVisitor {
  dvWalk (*top_down)(struct dvVisitor *self, dvNode *node);   // may be NULL
  void (*bottom_up)(struct dvVisitor *self, dvNode *node);    // may be NULL; in the reverse order
  bool everything;                                            // also nodes that are switched off or sleep
} dvVisitor;

// Visits `node` and what lies below it, depth first, children in order; a node with several parents once all of
// those that are reached were visited. A visitor may start other visitors.
void dv_visit(dvNode *node, dvVisitor *visitor);

// --- life of a scene ---

// Links, initialises (init top-down, bwd_init bottom-up), projects and propagates the first positions, stores the
// state to reset to. All mistakes are reported; the worst of them is returned.
dvStatus dv_scene_init(dvScene *scene);
// Initialises a component now if that has not been done: for init hooks that need another one further down the file.
dvStatus dv_object_ensure(dvObject *o);
// One step of the animation loop. dt 0 takes the root's.
dvStatus dv_scene_step(dvScene *scene, double dt);
void dv_scene_reset(dvScene *scene);

// --- changes from outside, between steps ---

// A program or a user has written a field: its component is told, and what depends on it follows.
dvStatus dv_field_changed(dvField *f);
// Sets a field of an initialised component from a text. What it does not work with is refused, and everything is as
// before: `why` then has a sentence where the text cannot be read, else the log was told.
dvStatus dv_field_set_live(dvField *f, const char *text, dvText *why);
// Whether a list of an initialised component may have got another size, `before` being the one it had: one that is not
// told of changes has made room for what it found.
dvStatus dv_field_check_size(const dvField *f, size_t before);
size_t dv_field_size(const dvField *f);   // numbers in a list; 1 for anything else
// Takes a component or node (not the root) out of the graph. It is destroyed with the scene, since others may point to
// it.
void dv_scene_bury(dvScene *scene, dvObject *o);
// Puts the nodes of another scene below `parent`; both were read, neither is initialised. The other scene is gone
// afterwards.
void dv_scene_adopt(dvNode *parent, dvScene **other);

void dv_scene_send(dvScene *scene, const dvEvent *event);
// For loops, at the end of a step: what components remember moves on.
void dv_scene_advance(dvScene *scene);
// Copies gravity, dt and time down from the root.
void dv_scene_update_context(dvScene *scene);
// Refreshes the lists that depend on the graph. Called by loops at the start of a step.
void dv_scene_refresh(dvScene *scene);
// Subscribing and its end, between steps; and what loops do at the end of theirs: `step` counts those that are done.
void dv_scene_subscribe(dvScene *scene, dvSubscriber subscriber);
void dv_scene_unsubscribe(dvScene *scene, const void *user);
void dv_scene_post(dvScene *scene, long step);
// Pulls links and runs engines whose outputs somebody reads in every step.
dvStatus dv_scene_pull(dvScene *scene);

DV_PUBLIC_END

#endif

// A scene that somebody looks at: loads it, runs it, answers requests (docs/viewer.md) and packs frames.
//
// A session knows nothing of sockets. One thread owns it and calls everything here; transport (view/server.h) hands
// over the text of requests and takes replies, news and frames away. Clients are told apart by dvViewer.
#ifndef DV_VIEW_SESSION_H
#define DV_VIEW_SESSION_H

#include "app/divan.h"
#include "base/text.h"
#include "view/draw.h"

enum {
  DV_VIEW_MESSAGE_LIMIT = 4 << 20,   // bytes of a request
  DV_VIEW_DEPTH_LIMIT = 16,
  DV_VIEW_VIEWERS = 8,
};

typedef struct dvSession dvSession;

// One client.
typedef struct dvViewer {
  char key[33];   // proves who it was when a connection is lost
  bool greeted;
  unsigned groups;           // what it shows
  unsigned revision;         // of the draw list that it knows
  DV_ARRAY(uint64_t) seen;   // refresh of each array that it has got
  uint32_t frame, acked;     // last one sent, last one drawn
  double time;               // of the last frame
  bool stats, fine;
  double status_at, stats_at, heard_at;   // clock
  char *status;                           // the last one sent
  void *transport;                        // for whoever sends
} dvViewer;

// A scene that a program runs by itself (an interpreter of Python): the session looks at it and never reads or frees
// it. Whoever calls the session has the scene at that moment; that may be one thread now and another one later.
typedef struct dvSessionHost {
  dvScene *scene;             // initialised; NULL for a session that has its own
  bool (*step)(void *user);   // one step as the program makes it; false when it failed
  void *user;
} dvSessionHost;

// News for one client, or for all when `to` is NULL. Called by the session's own thread.
typedef void (*dvSessionSend)(void *user, dvViewer *to, const char *text, size_t length);

typedef struct dvSessionOptions {
  const char *scene;         // or a recording (.divr), which names its scene; NULL: an empty one, to build in
  const char *second;        // a recording to compare with, or states to play; NULL for none
  const char *const *data;   // directories
  size_t data_count;
  const char *const *plugins, *const *plugin_paths;   // to load, and directories to look for them in
  size_t plugin_count, plugin_path_count;
  int threads;
  const char *compat;     // mode for every scene, or NULL: the scene decides
  bool emulate_devices;   // what hands hold is emulated
  bool skip_missing;      // scenes without the components that do not exist
  bool print;             // messages also go to stderr
  bool animate;           // from the start
  dvProgress *progress;   // of loading; may be NULL
  const char *examples;   // directory with scenes that come with the program, or NULL
  // Runs an example in a page of its own and gives its address; false, with the reason, when that cannot be.
  bool (*open_example)(void *user, const char *scene, dvText *address, dvText *why);
  void *example_user;
  double fill_seconds;          // that gmsh may take for a mesh; 0: a minute
  dvSessionHost host;           // `scene` is only its title then
  dvScriptReader read_script;   // for the scene that was named, if it is a program; what the page asks for never runs
  dvSessionSend send;
  void *user;
} dvSessionOptions;

// Always gives a session: a scene that cannot be read is told to whoever looks, with its mistakes.
dvSession *dv_session_create(const dvSessionOptions *options);
void dv_session_destroy(dvSession **session);
// True when the scene was read and initialised.
bool dv_session_ready(const dvSession *session);

bool dv_session_join(dvSession *session, dvViewer *viewer);   // false when there are too many
void dv_session_leave(dvSession *session, dvViewer *viewer);
// Answers one request; `reply` stays empty when there is nothing to say.
void dv_session_handle(dvSession *session, dvViewer *viewer, const char *request, size_t length, dvText *reply);
// Does what is due: a step, news. Returns how many seconds it has nothing to do (at most 1).
double dv_session_advance(dvSession *session);
// No steps of the page until it is let go: the program that has the scene is stepping it.
void dv_session_hold(dvSession *session, bool hold);
// A message of the program's own log, for the page.
void dv_session_note(dvSession *session, const dvMessage *message);
// Packs the next frame for a client that is ready for one and for which there is something new. False when there is
// not.
bool dv_session_frame(dvSession *session, dvViewer *viewer, dvText *out);

// Picture number `index` of a material as an absolute path below the directories of the session, or NULL. The caller
// frees it.
char *dv_session_texture(dvSession *session, size_t index);
size_t dv_session_texture_count(const dvSession *session);
unsigned dv_session_pictures(dvSession *session);         // number of their list, from 1; another list has another one
unsigned dv_session_revision(const dvSession *session);   // of what can be drawn

#endif

// Recordings in a session: the scene is recorded, recordings are played in place of the scene, and the simulation goes
// on from a moment of one. See recording.h.
//
// While a recording is shown (`on`) the draw list of the session holds its arrays; the scene rests behind it.
#ifndef DV_VIEW_PLAY_H
#define DV_VIEW_PLAY_H

#include "view/inside.h"
#include "view/recording.h"

typedef enum dvPlayTogether { DV_PLAY_BESIDE, DV_PLAY_OVER } dvPlayTogether;

typedef struct dvPlaySource {   // of an array of the draw list
  int file;                     // 2: distances of two arrays of positions
  uint32_t id, other;
  bool moved;   // positions that are shifted aside
} dvPlaySource;

typedef struct dvPlayer {
  dvRecording *file[2];   // the second one is compared with the first
  char *name[2];
  bool on, playing, loop;
  size_t frame;
  double speed;   // seconds of the recording in a second; negative: backward
  double pace_wall, pace_time;
  dvPlayTogether together;
  double aside;         // how far the second one stands along x
  bool again;           // the draw list is to be made again
  uint32_t layout[2];   // that it was made from
  size_t second;        // frame of the second one
  json_t *scene;        // what is drawn, of both
  DV_ARRAY(dvPlaySource) sources;
} dvPlayer;

// --- play.c ---
// Takes recordings over; the first one replaces what was there.
void dv_play_take(dvSession *s, dvRecording *first, const char *name);
void dv_play_take_second(dvSession *s, dvRecording *second, const char *name);
void dv_play_close(dvSession *s);
void dv_play_show(dvSession *s, double frame);   // rounded, and brought into the range
void dv_play_leave(dvSession *s);                // back to the scene
void dv_play_run(dvSession *s, bool on, double speed);
double dv_play_advance(dvSession *s, double now);   // seconds until there is something to do
json_t *dv_play_status(const dvSession *s);
static inline bool dv_play_on(const dvSession *s) { return s->player && s->player->on; }
double dv_play_time(const dvSession *s);
json_t *dv_play_resume(dvSession *s, size_t frame);   // the simulation goes on from there

// --- play_draw.c: the draw list of what is shown ---
void dv_play_refresh(dvSession *s);
json_t *dv_play_scene(dvSession *s);

// --- play_open.c: files ---
// For a session that was named a recording: opens it and says which scene to read. The caller frees the name; NULL when
// there is none.
char *dv_play_begin(dvSession *s, const char *path);
// A second file: a recording to compare with, or states of SOFA's WriteState.
json_t *dv_play_add(dvSession *s, const char *path);

// --- recording ---
json_t *dv_play_record(dvSession *s, bool on);
void dv_play_recorded_step(dvSession *s);   // after each step
void dv_play_end_recording(dvSession *s);   // what was recorded can be played

#endif

// What a recording (io/record/divr.h) holds: the picture and the numbers of a scene, moment for moment.
//
//   head      JSON: program, version, instruction set, scene file and checksum of it, time step asked for, mode
//   layout    JSON: arrays, drawables, looks as the page gets them (docs/viewer.md); pictures of textures; tracks,
//   which
//             are fields of components: path, field, width. A new one when what is drawn changes.
//   frame     number of the layout (4 bytes), number of arrays (4), each: number (4), kind (4: 0 float, 1 index, 2 a
//             track of doubles), numbers (4), 1 when it stands as exclusive or with that of the frame it builds on (4);
//             then the numbers of all, each array padded to 8 bytes
//   snapshot  io/record/snapshot.h, behind a frame that builds on no other
//
// A key frame has all arrays and a snapshot; those behind it have what moves. So any frame is read with two chunks, and
// the simulation goes on from any of them: the snapshot before it is restored, and the steps to it are made again.
#ifndef DV_VIEW_RECORDING_H
#define DV_VIEW_RECORDING_H

#include "io/record/divr.h"
#include "scene/node.h"

#include <jansson.h>

// --- writing ---

typedef struct dvRecorderOptions {
  const char *path;            // NULL: a temporary file
  const char *scene;           // file of the scene, or NULL
  double dt;                   // that steps are made with; 0: the scene's own
  const char *const *fields;   // "/path.field": tracks beside positions, velocities and energies
  size_t field_count;
  bool plain;   // no snapshots: what is shown was not computed by the scene
  bool loose;   // nothing is packed
} dvRecorderOptions;

typedef struct dvRecorder dvRecorder;

// NULL with the reason in `why`. The scene is initialised and outlives the recorder.
dvRecorder *dv_recorder_create(dvScene *scene, const dvRecorderOptions *options, dvText *why);
// Adds the scene as it is; false when it cannot be written (errno).
bool dv_recorder_add(dvRecorder *r);
// Somebody touches the scene: the next frame is a key frame.
void dv_recorder_touch(dvRecorder *r);
size_t dv_recorder_frames(const dvRecorder *r);
uint64_t dv_recorder_bytes(const dvRecorder *r);
bool dv_recorder_close(dvRecorder **r);
struct dvRecording *dv_recorder_turn(dvRecorder **r, dvText *why);   // ends it and reads it

// --- reading ---

typedef enum dvRecordedKind { DV_RECORDED_FLOATS, DV_RECORDED_INDICES, DV_RECORDED_TRACK } dvRecordedKind;

typedef struct dvRecordedArray {
  uint32_t id, kind, count, delta;
  const void *data;
} dvRecordedArray;

typedef struct dvRecording dvRecording;

// NULL with the reason in `why`; else `why` may tell what is lost.
dvRecording *dv_recording_open(const char *path, dvText *why);
dvRecording *dv_recording_of(dvDivrWriter **file, dvText *why);   // one that is being written, and ends
void dv_recording_free(dvRecording **r);
bool dv_recording_save(const dvRecording *r, const char *path);
const json_t *dv_recording_head(const dvRecording *r);
size_t dv_recording_frames(const dvRecording *r);
double dv_recording_time(const dvRecording *r, size_t frame);
int64_t dv_recording_step(const dvRecording *r, size_t frame);
// The last frame that is not later than `time`, the first when all are.
size_t dv_recording_frame_at(const dvRecording *r, double time);
// Reads a frame; false with the reason. What is asked for below is that of this frame.
bool dv_recording_go(dvRecording *r, size_t frame, dvText *why);
uint32_t dv_recording_layout_number(const dvRecording *r);
const json_t *dv_recording_layout(const dvRecording *r);
const dvRecordedArray *dv_recording_array(const dvRecording *r, uint32_t id, bool track);   // NULL: not there
// The number of the track of a field, -1 for none.
int dv_recording_track(const dvRecording *r, const char *path, const char *field);
// The last snapshot that is not later than a frame, which the caller frees; `step` gets its step. NULL with the reason.
char *dv_recording_snapshot(const dvRecording *r, size_t frame, size_t *length, int64_t *step, dvText *why);

// Whether positions and velocities of a scene are those of the frame that was read, bit for bit; else tells the largest
// difference.
bool dv_recording_agrees(const dvRecording *r, dvScene *scene, double *difference);

// --- exporting, what is drawn of visual models, or of the rest where there are none ---

typedef struct dvExportReport {
  size_t frames, moving, rigid, still, left_out;   // drawables by how they move
  size_t every;                                    // each so many frames were taken
} dvExportReport;

bool dv_recording_can_export(const char *path);   // by its ending
// Writes a .glb or a .usda; false with the reason.
bool dv_recording_export(dvRecording *r, const char *path, dvExportReport *report, dvText *why);

#endif

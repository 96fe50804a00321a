// What a run leaves behind: states and topologies as text for comparison, series for ParaView, figures.
#ifndef DV_APP_DUMP_H
#define DV_APP_DUMP_H

#include "base/text.h"
#include "scene/node.h"

// Writes states.json and one file a state (T=, X=, V= with 17 digits) into `directory`, which is made.
// States of nodes that are left out are listed with their first point.
dvStatus dv_dump_states(dvScene *scene, const char *directory);

// Element counts of every topology, one line a step, and the elements at the end. The list names, node by node, the
// topologies of the node, or the one it finds above.
typedef struct dvTopologyDump dvTopologyDump;
dvTopologyDump *dv_topology_dump_create(dvScene *scene, const char *directory);   // NULL when it cannot be written
void dv_topology_dump_step(dvTopologyDump *dump);
dvStatus dv_topology_dump_close(dvTopologyDump **dump);

// A series of .vtu files with a .pvd: mechanical states with their elements, and visual models. The frames of an
// earlier series in the directory, as its .pvd names them, are removed, with a note.
typedef struct dvSeries dvSeries;
dvSeries *dv_series_create(dvScene *scene, const char *directory);
dvStatus dv_series_add(dvSeries *series);
dvStatus dv_series_close(dvSeries **series);
int dv_series_frames(const dvSeries *series);

// Curves over time, as SOFA's documentation of 2011 describes them (12.5.3): for each state NAME_x.txt and NAME_v.txt
// with a line a step, the time and then the positions or velocities of all points, and NAME_Energy.txt with the
// kinetic, potential and mechanical energy of what stands in its node. With `csv` the same as .csv files with names of
// columns and commas. A name that is there twice is preceded by those of its nodes. `points` (may be NULL: all) names
// the points whose positions and velocities are written, as 272 or 0,5,10-20; states that have none of them are left
// out.
typedef struct dvCurves dvCurves;
// NULL, after a message, when they cannot be written.
dvCurves *dv_curves_create(dvScene *scene, const char *directory, bool csv, const char *points);
dvStatus dv_curves_add(dvCurves *curves);
dvStatus dv_curves_close(dvCurves **curves);

typedef struct dvFigures {
  const char *scene;
  long steps;
  double wall, init, writing;            // seconds; wall: of the steps, writing: of files while the scene runs
  double ms_per_step, cpu_ms_per_step;   // without the set-up and the first step; cpu: of all threads together
  int threads;
} dvFigures;
dvStatus dv_write_stats(const char *path, const dvFigures *figures, const struct dvTimers *timers, long timed_steps);
// One line a step: its time in ms.
dvStatus dv_write_step_times(const char *path, const double *seconds, size_t count);
// The events that the timers kept, as JSON for Perfetto (ui.perfetto.dev) or chrome://tracing.
dvStatus dv_write_trace(const char *path, const char *title, const struct dvTimers *timers);
double dv_peak_memory_mb(void);
void dv_text_add_json(dvText *out, const char *s);   // a JSON string with its quotes

#endif

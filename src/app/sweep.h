// What `divan sweep` is about: the values that a field takes, the numbers that are read at the end of a run, and the
// journal of variants that have ended.
//
//   PATH.FIELD=A:B:linN    N values from A to B in equal steps; logN: with equal ratios
//   PATH.FIELD=A,B,C       these values, whatever the field takes
//   [NAME=]PATH.FIELD[I].y                          one number
//   [NAME=]max|min|mean|sum|norm(PATH.FIELD[I].y)   one number out of many; norm: the longest of the tuples
//   [NAME=]moved(PATH[I])                           the farthest that a point of a state is from its place at rest
#ifndef DV_APP_SWEEP_H
#define DV_APP_SWEEP_H

#include "base/array.h"
#include "base/text.h"
#include "scene/node.h"

enum { DV_SWEEP_LIMIT = 1000000 };   // variants

typedef DV_ARRAY(char *) dvTexts;
void dv_texts_free(dvTexts *t);

typedef struct dvSweepVariation {
  char *name, *path, *field;   // PATH.FIELD and its parts; the path of the root is "/"
  dvTexts values;
  bool logarithmic, numeric;   // how plots show it
} dvSweepVariation;

typedef enum dvSweepReduction {
  DV_SWEEP_VALUE,
  DV_SWEEP_MAX,
  DV_SWEEP_MIN,
  DV_SWEEP_MEAN,
  DV_SWEEP_SUM,
  DV_SWEEP_NORM,
  DV_SWEEP_MOVED
} dvSweepReduction;

typedef struct dvSweepMeasure {
  char *name, *path, *field;
  dvSweepReduction reduction;
  long index;      // of a tuple; below 0: all of them
  int component;   // of a tuple; below 0: all of them
} dvSweepMeasure;

// False after `why` was told what is wrong; free the result either way.
bool dv_sweep_variation_parse(dvSweepVariation *v, const char *text, dvText *why);
void dv_sweep_variation_free(dvSweepVariation *v);
bool dv_sweep_measure_parse(dvSweepMeasure *m, const char *text, dvText *why);
void dv_sweep_measure_free(dvSweepMeasure *m);
// The number, of a scene that is initialised. False: `why` tells.
bool dv_sweep_measure_take(const dvSweepMeasure *m, dvScene *scene, double *out, dvText *why);
// moved(PATH) of every state that moves by itself.
void dv_sweep_measure_usual(const dvScene *scene, dvTexts *out);
// Adds that there is nothing at that path, and what may have been meant.
void dv_sweep_tell_missing(dvScene *scene, const char *path, const char *field, dvText *why);

// --- the journal: a line a variant, tab-separated; a line that was cut off by a kill does not count ---

typedef struct dvSweepRow {
  uint64_t key;   // of the variant: its values
  char *status;   // ok, diverged, failed, crashed, timeout
  long steps;
  double seconds;
  DV_ARRAY(double) results;   // none, or as many as there are measures
  char *message;              // may be empty
} dvSweepRow;

typedef struct dvSweepRows {
  dvSweepRow *data;
  size_t count, capacity;
  DV_ARRAY(uint32_t) places;   // rows by key, counted from 1; a power of two of them
} dvSweepRows;

uint64_t dv_sweep_key(const dvSweepVariation *variations, const size_t *chosen, size_t count);
// The first line of a journal: what all of its rows have in common.
char *dv_sweep_heading(uint64_t description);
void dv_sweep_row_print(const dvSweepRow *row, dvText *out);   // with the end of the line
// Reads a journal; the last row of a key counts. False when it is of another sweep or no journal. `lost` counts lines
// that could not be read.
bool dv_sweep_read(const char *text, size_t length, uint64_t description, size_t measures, dvSweepRows *rows,
                   size_t *lost);
const dvSweepRow *dv_sweep_find(const dvSweepRows *rows, uint64_t key);
void dv_sweep_add(dvSweepRows *rows, dvSweepRow *row);   // takes the row over; one with that key is replaced
void dv_sweep_row_free(dvSweepRow *row);
void dv_sweep_rows_free(dvSweepRows *rows);

#endif

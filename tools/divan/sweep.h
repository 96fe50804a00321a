// What the files of `divan sweep` share.
#ifndef DIVAN_SWEEP_H
#define DIVAN_SWEEP_H

#include "command.h"

#include "app/sweep.h"

#include <sys/types.h>

enum { SWEEP_FIELDS = 16 };   // that vary

typedef struct Sweep {
  const Options *options;
  DV_ARRAY(dvSweepVariation) variations;
  DV_ARRAY(dvSweepMeasure) measures;
  size_t variants;
  uint64_t description;
  dvSweepRows rows;              // those that have ended
  pid_t parent;                  // the process that starts the variants
  size_t share, shares;          // this process does the variants i with i % shares == share
  bool among_ranks;              // started by mpirun or srun
  char *journal;                 // path
  int file;                      // the same, open
  size_t ended, due, bad, old;   // of this process: done now, to do; not ok, from before
} Sweep;

// The value of each variation in a variant.
void sweep_choose(const Sweep *s, size_t variant, size_t *chosen);
uint64_t sweep_key(const Sweep *s, size_t variant);

// In a process of its own (sweep_variant.c): tries the scene with the first variant, tells mistakes and returns the
// exit status; `usual` gets what is measured where nothing was asked for.
int sweep_try(Sweep *s, dvTexts *usual);
// Computes one variant and writes its row, without key and seconds, to a file; never returns.
_Noreturn void sweep_compute(const Sweep *s, size_t variant, int out);
bool sweep_row_of(const char *text, size_t measures, dvSweepRow *row);   // the row back

bool sweep_write_table(const Sweep *s, const char *path);   // false after a message
bool sweep_write_html(const Sweep *s, const char *path);
bool sweep_write_slurm(const Sweep *s, const char *path);

#endif

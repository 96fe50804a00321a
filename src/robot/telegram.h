// Messages between simulations and robots: lists of numbers, with the step they belong to.
//
//   {"template": "double", "step": 12, "time": 0.24, "data": [[0.018], [1, 2, 3]]}
//
// and, as SOFA's component writes them, "double 0.018 0.02" (one number in each list) or "Vec3d 1 1 2 3" (each list
// begins with the number of its points). Both are read. Whoever sends is a stranger: what is not a message, too long,
// or not finite is refused as a whole.
#ifndef DV_ROBOT_TELEGRAM_H
#define DV_ROBOT_TELEGRAM_H

#include "base/array.h"
#include "base/text.h"

enum {
  DV_TELEGRAM_BYTES = 1 << 20,   // of a message at most
  DV_TELEGRAM_LISTS = 64,
  DV_TELEGRAM_KIND = 32,
};

typedef struct dvTelegram {
  char kind[DV_TELEGRAM_KIND];   // template of the numbers: double, Vec3d …
  double step, time;             // of the sender, 0 when it does not tell
  DV_ARRAY(double) numbers;
  DV_ARRAY(size_t) ends;   // list i ends before numbers[ends[i]]
} dvTelegram;

void dv_telegram_begin(dvTelegram *t, const char *kind, double step, double time);
void dv_telegram_end_list(dvTelegram *t);   // what was pushed to `numbers` since the last call is one list
static inline size_t dv_telegram_start(const dvTelegram *t, size_t list) { return list ? t->ends.data[list - 1] : 0; }
// Writes it; `plain` as SOFA does. False, with nothing written, when that cannot be: `why` says so.
bool dv_telegram_write(const dvTelegram *t, bool plain, dvText *out, const char **why);
// Reads a text that ends with a 0 at `length`. False with a reason when it is no message; `t` is then empty.
bool dv_telegram_read(const char *text, size_t length, dvTelegram *t, const char **why);
// Numbers of one entry of a template: 1 for double, 3 for Vec3d, 7 for Rigid3d …; 0 for what is none.
int dv_telegram_width(const char *kind);
bool dv_telegram_is_single(const char *kind);   // double, float, int: a list is one number
void dv_telegram_free(dvTelegram *t);

#endif

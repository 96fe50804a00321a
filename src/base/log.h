// Messages with a place. Every message says what, where (file:line and component path) and,
// when there is one, what to do about it.
#ifndef DV_BASE_LOG_H
#define DV_BASE_LOG_H

#include "base/base.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>

DV_PUBLIC_BEGIN

typedef enum dvLevel { DV_INFO, DV_NOTE, DV_WARNING, DV_ERROR } dvLevel;

// Where something stands in a file. The file name is borrowed and lives as long as the context.
typedef struct dvPlace {
  const char *file;
  int line;
} dvPlace;

typedef struct dvMessage {
  dvLevel level;
  dvStatus status;   // for errors: what the run will return
  dvPlace place;
  const char *path;   // component path, may be NULL
  const char *text;
  const char *advice;   // what to do, may be NULL
} dvMessage;

typedef void (*dvLogSink)(void *user, const dvMessage *message);

// Somebody who gets what the sink gets, too. It belongs to who adds it.
typedef struct dvLogTap {
  dvLogSink sink;
  void *user;
  struct dvLogTap *next;
} dvLogTap;

// A log counts what passes through it; a sink prints or stores it. Any thread may send messages: the sink gets them one
// after the other, in the thread that sends. What it is and which it gets is set before others do.
typedef struct dvLog {
  dvLogSink sink;
  void *user;
  bool strict;         // a warning counts as an error of the input, and is handed on as one
  dvLevel threshold;   // messages below this level are counted but not handed to the sink
  atomic_int counts[4];
  _Atomic(dvStatus) worst;    // DV_ERROR_UNKNOWN goes before DV_ERROR_INPUT
  _Atomic(dvStatus) recent;   // of the first error since somebody, such as a step, has set it to DV_OK
  pthread_mutex_t lock;       // recursive: a sink may send messages too
  dvLogTap *taps;
} dvLog;

void dv_log_init(dvLog *log);
void dv_log_fini(dvLog *log);
// Hands over a message; text and advice are only read during the call.
void dv_log_send(dvLog *log, const dvMessage *message);
// Listening, and its end: untap does nothing when the tap is not in use. A tap may send messages, and gets them too.
void dv_log_tap(dvLog *log, dvLogTap *tap);
void dv_log_untap(dvLog *log, dvLogTap *tap);
// Prints `message` as one or two lines to a FILE* given as user; colours on a terminal.
void dv_log_print(void *user, const dvMessage *message);

DV_PUBLIC_END

#endif

// See log.h.
#include "base/log.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void dv_log_init(dvLog *log)
{
  pthread_mutexattr_t recursive;
  *log = (dvLog){.sink = dv_log_print, .threshold = DV_NOTE};
  pthread_mutexattr_init(&recursive);
  pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&log->lock, &recursive);
  pthread_mutexattr_destroy(&recursive);
}

void dv_log_fini(dvLog *log) { pthread_mutex_destroy(&log->lock); }

void dv_log_tap(dvLog *log, dvLogTap *tap)
{
  pthread_mutex_lock(&log->lock);
  tap->next = log->taps;
  log->taps = tap;
  pthread_mutex_unlock(&log->lock);
}

void dv_log_untap(dvLog *log, dvLogTap *tap)
{
  pthread_mutex_lock(&log->lock);
  for (dvLogTap **t = &log->taps; *t; t = &(*t)->next)
    if (*t == tap) {
      *t = tap->next;
      break;
    }
  pthread_mutex_unlock(&log->lock);
}

void dv_log_send(dvLog *log, const dvMessage *message)
{
  dvMessage strict;
  pthread_mutex_lock(&log->lock);
  if (log->strict && message->level == DV_WARNING) {
    strict = *message;
    strict.level = DV_ERROR, strict.status = DV_ERROR_INPUT;
    message = &strict;
  }
  log->counts[message->level]++;
  if (message->level == DV_ERROR && log->worst != DV_ERROR_UNKNOWN) {
    if (log->worst == DV_OK || message->status == DV_ERROR_UNKNOWN) log->worst = message->status;
  }
  if (message->level == DV_ERROR && log->recent == DV_OK) log->recent = message->status;
  if (message->level >= log->threshold && log->sink) log->sink(log->user, message);
  for (dvLogTap *t = log->taps; t && message->level >= log->threshold; t = t->next) t->sink(t->user, message);
  pthread_mutex_unlock(&log->lock);
}

void dv_log_print(void *user, const dvMessage *message)
{
  static const char *const names[] = {"info", "note", "warning", "error"};
  static const char *const colours[] = {"\033[2m", "\033[36m", "\033[33m", "\033[31m"};
  FILE *out = user ? user : stderr;
  const char *plain = getenv("NO_COLOR");
  bool colour = isatty(fileno(out)) && !(plain && *plain);
  if (isatty(fileno(out))) fprintf(out, "\r\033[K");   // a line of progress may stand there
  if (message->place.file) {
    fprintf(out, "%s:", message->place.file);
    if (message->place.line > 0) fprintf(out, "%d:", message->place.line);
    fputc(' ', out);
  }
  fprintf(out, "%s%s:%s ", colour ? colours[message->level] : "", names[message->level], colour ? "\033[0m" : "");
  if (message->path) fprintf(out, "%s: ", message->path);
  fprintf(out, "%s\n", message->text);
  if (message->advice) fprintf(out, "    %s\n", message->advice);
}

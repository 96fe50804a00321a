// A line on the terminal while a scene is read and set up, for those that take long. Ctrl-C works all the while.
#include "command.h"

#include "base/clock.h"

#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static const double patience = 0.7, pause_between = 0.2;   // seconds

static struct {
  dvProgress progress;
  pthread_t thread;
  pthread_mutex_t lock;
  pthread_cond_t over;
  bool running, ended;
} watch = {.lock = PTHREAD_MUTEX_INITIALIZER, .over = PTHREAD_COND_INITIALIZER};

static double gigabytes(void)
{
  long pages = 0;
  FILE *f = fopen("/proc/self/statm", "re");
  if (f && fscanf(f, "%*d %ld", &pages) != 1) pages = 0;
  if (f) fclose(f);
  return 1e-9 * (double)pages * (double)sysconf(_SC_PAGESIZE);
}

static void show(double seconds)
{
  const char *doing = atomic_load(&watch.progress.doing);
  size_t total = atomic_load(&watch.progress.total), done = atomic_load(&watch.progress.done);
  if (total == 0) fprintf(stderr, "\r\033[Kreading, %.0f s, %.1f GB ", seconds, gigabytes());
  else
    fprintf(stderr, "\r\033[Ksetting up: component %zu of %zu%s%s, %.0f s, %.1f GB ", done < total ? done + 1 : total,
            total, doing ? ", " : "", doing ? doing : "", seconds, gigabytes());
  fflush(stderr);
}

static void *look(void *unused)
{
  DV_UNUSED(unused);
  double began = dv_now(), wait = patience;
  bool shown = false;
  pthread_mutex_lock(&watch.lock);
  while (!watch.ended) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    long ns = until.tv_nsec + (long)(1e9 * wait);
    until.tv_sec += ns / 1000000000, until.tv_nsec = ns % 1000000000;
    pthread_cond_timedwait(&watch.over, &watch.lock, &until);
    if (watch.ended || dv_now() - began < patience) continue;
    show(dv_now() - began);
    shown = true;
    wait = pause_between;
  }
  pthread_mutex_unlock(&watch.lock);
  if (shown) fprintf(stderr, "\r\033[K");
  return NULL;
}

dvProgress *progress_begin(bool quiet)
{
  if (quiet || !isatty(STDERR_FILENO)) return NULL;
  watch.ended = false;
  watch.running = pthread_create(&watch.thread, NULL, look, NULL) == 0;
  return watch.running ? &watch.progress : NULL;
}

void progress_end(void)
{
  if (!watch.running) return;
  pthread_mutex_lock(&watch.lock);
  watch.ended = true;
  pthread_cond_signal(&watch.over);
  pthread_mutex_unlock(&watch.lock);
  pthread_join(watch.thread, NULL);
  watch.running = false;
}

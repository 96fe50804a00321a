// Wall clock in seconds, monotonic.
#ifndef DV_BASE_CLOCK_H
#define DV_BASE_CLOCK_H

#include <time.h>

static inline double dv_now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// Time that all threads of the program have spent on processors, in seconds.
static inline double dv_cpu_now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// The same of the calling thread alone.
static inline double dv_thread_now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#endif

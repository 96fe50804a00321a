// A library with the names of OpenHaptics that a test loads in its place: a device 10 mm above its origin, turned by a
// quarter about z, with the second button held. The scheduler is a thread that calls back every millisecond.
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>

typedef struct HDErrorInfo {
  unsigned errorCode;
  int internalErrorCode;
  unsigned hHD;
} HDErrorInfo;

static unsigned (*callback)(void *user);
static void *user_data;
static pthread_t thread;
static atomic_bool running, lost;
static bool in_frame;
static unsigned error;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static double last_force[3];
static int frames, mistakes;

#pragma GCC visibility push(default)
unsigned hdInitDevice(const char *name);
void hdDisableDevice(unsigned d);
void hdMakeCurrentDevice(unsigned d);
void hdBeginFrame(unsigned d);
void hdEndFrame(unsigned d);
void hdEnable(unsigned what);
void hdGetDoublev(unsigned what, double *out);
void hdGetIntegerv(unsigned what, int *out);
void hdSetDoublev(unsigned what, const double *values);
HDErrorInfo hdGetError(void);
const char *hdGetErrorString(unsigned code);
void hdStartScheduler(void);
void hdStopScheduler(void);
unsigned long hdScheduleAsynchronous(unsigned (*f)(void *), void *user, unsigned short priority);
void hdUnschedule(unsigned long handle);
int fake_hd_report(double force[3], int *wrong);
void fake_hd_lose(bool gone);
#pragma GCC visibility pop

unsigned hdInitDevice(const char *name)
{
  error = name && strcmp(name, "absent") == 0 ? 0x0302 : 0;
  return 7;
}
void hdDisableDevice(unsigned d) { mistakes += d != 7; }
void hdMakeCurrentDevice(unsigned d) { mistakes += d != 7; }
void hdBeginFrame(unsigned d)
{
  mistakes += d != 7 || in_frame;
  in_frame = true;
}
void hdEndFrame(unsigned d)
{
  mistakes += d != 7 || !in_frame;
  in_frame = false;
  pthread_mutex_lock(&lock);
  frames++;
  pthread_mutex_unlock(&lock);
}
void hdEnable(unsigned what) { mistakes += what < 0x4000 || what > 0x4003; }

void hdGetDoublev(unsigned what, double *out)
{
  static const double transform[16] = {0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 1, 0, 0, 10, 0, 1};
  mistakes += !in_frame;
  if (atomic_load(&lost)) error = 0x0302;
  if (what == 0x2052) memcpy(out, transform, sizeof transform);
  else if (what == 0x2100 || what == 0x2150) out[0] = 0.1, out[1] = 0.2, out[2] = 0.3;
  else mistakes++;
}
void hdGetIntegerv(unsigned what, int *out)
{
  mistakes += what != 0x2000;
  *out = 2;
}
void hdSetDoublev(unsigned what, const double *values)
{
  mistakes += what != 0x2700 || !in_frame;
  pthread_mutex_lock(&lock);
  memcpy(last_force, values, sizeof last_force);
  pthread_mutex_unlock(&lock);
}
HDErrorInfo hdGetError(void)
{
  HDErrorInfo e = {error, 0, 7};
  error = 0;
  return e;
}
const char *hdGetErrorString(unsigned code) { return code ? "communication error" : "none"; }

static void *serve(void *unused)
{
  while (atomic_load(&running)) {
    callback(user_data);
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
  }
  return unused;
}
void hdStartScheduler(void)
{
  atomic_store(&running, true);
  pthread_create(&thread, NULL, serve, NULL);
}
void hdStopScheduler(void)
{
  atomic_store(&running, false);
  pthread_join(thread, NULL);
}
unsigned long hdScheduleAsynchronous(unsigned (*f)(void *), void *user, unsigned short priority)
{
  mistakes += priority != 0xffff;
  callback = f;
  user_data = user;
  return 3;
}
void hdUnschedule(unsigned long handle) { mistakes += handle != 3; }

// for the test: frames so far
int fake_hd_report(double force[3], int *wrong)
{
  pthread_mutex_lock(&lock);
  memcpy(force, last_force, sizeof last_force);
  int n = frames;
  pthread_mutex_unlock(&lock);
  *wrong = mistakes;
  return n;
}
void fake_hd_lose(bool gone) { atomic_store(&lost, gone); }

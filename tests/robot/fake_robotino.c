// A library with the names of rec_robotino_api2 that a test loads in its place: a robot whose bellows have the
// pressures that were asked for, whose wires are those of its rest, and which can be lost and pushed.
#include <pthread.h>
#include <stdbool.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool connected, lost, pushed, compressors;
static float bellows[8];
static int mistakes, commands;

#pragma GCC visibility push(default)
int Com_construct(void);
int Com_destroy(int com);
int Com_setAddress(int com, const char *address);
int Com_connect(int com);
int Com_disconnect(int com);
int Com_isConnected(int com);
int Bumper_construct(void);
int Bumper_destroy(int bumper);
int Bumper_setComId(int bumper, int com);
int Bumper_value(int bumper);
int CompactBHA_construct(void);
int CompactBHA_destroy(int arm);
int CompactBHA_setComId(int arm, int com);
int CompactBHA_setPressures(int arm, const float *bar);
int CompactBHA_setCompressorsEnabled(int arm, int on);
int CompactBHA_pressures(int arm, float *bar);
int CompactBHA_stringPots(int arm, float *volt);
void fake_robotino_set(bool is_lost, bool is_pushed);
int fake_robotino_report(float bar[8], bool *on, int *wrong);
#pragma GCC visibility pop

static int locked(bool good, int answer)
{
  mistakes += !good;
  pthread_mutex_unlock(&lock);
  return answer;
}
static void hold(void) { pthread_mutex_lock(&lock); }

int Com_construct(void) { return 3; }
int Com_destroy(int com) { return hold(), locked(com == 3 && !connected, 1); }
int Com_setAddress(int com, const char *address)
{
  hold();
  return locked(com == 3 && strcmp(address, "10.0.0.7") == 0, 1);
}
int Com_connect(int com)
{
  hold();
  connected = !lost;
  return locked(com == 3, connected);
}
int Com_disconnect(int com)
{
  hold();
  connected = false;
  return locked(com == 3, 1);
}
int Com_isConnected(int com)
{
  hold();
  connected = connected && !lost;
  return locked(com == 3, connected);
}
int Bumper_construct(void) { return 4; }
int Bumper_destroy(int bumper) { return hold(), locked(bumper == 4, 1); }
int Bumper_setComId(int bumper, int com) { return hold(), locked(bumper == 4 && com == 3, 1); }
int Bumper_value(int bumper) { return hold(), locked(bumper == 4 && connected, pushed); }
int CompactBHA_construct(void) { return 5; }
int CompactBHA_destroy(int arm) { return hold(), locked(arm == 5, 1); }
int CompactBHA_setComId(int arm, int com) { return hold(), locked(arm == 5 && com == 3, 1); }
int CompactBHA_setPressures(int arm, const float *bar)
{
  hold();
  memcpy(bellows, bar, sizeof bellows);
  commands++;
  return locked(arm == 5 && compressors, 1);   // they run before anything is asked for
}
int CompactBHA_setCompressorsEnabled(int arm, int on)
{
  hold();
  compressors = on != 0;
  return locked(arm == 5, 1);
}
int CompactBHA_pressures(int arm, float *bar)
{
  hold();
  memcpy(bar, bellows, sizeof bellows);
  return locked(arm == 5, 1);
}
int CompactBHA_stringPots(int arm, float *volt)
{
  static const float rest[6] = {0.625611F, 0.630723F, 0.537634F, 0.806452F, 0.835777F, 1.884653F};
  hold();
  memcpy(volt, rest, sizeof rest);   // the last one is a volt longer than at rest
  return locked(arm == 5, 1);
}

// for the test
void fake_robotino_set(bool is_lost, bool is_pushed)
{
  hold();
  lost = is_lost, pushed = is_pushed;
  locked(true, 0);
}
int fake_robotino_report(float bar[8], bool *on, int *wrong)
{
  hold();
  memcpy(bar, bellows, sizeof bellows);
  *on = compressors;
  *wrong = mistakes;
  return locked(true, commands);
}

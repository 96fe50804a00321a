// Words of devices that only tell where a hand is: reports of 3D mice and messages of VRPN servers, as bytes. Pure
// functions on memory of their own, so that any bytes can be tried on them.
#ifndef DV_HAPTIC_TRACKER_H
#define DV_HAPTIC_TRACKER_H

#include "base/base.h"

// --- 3D mice -------------------------------------------------------------------------------------

// What a 3D mouse has said last: how far its cap is moved and turned (1: as far as it goes), and its buttons. Axes are
// those of a screen: x right, y up, z to the user.
typedef struct dvCap {
  double shift[3], turn[3];
  uint32_t buttons;
} dvCap;

// A report of the device as the system hands it out, its number first:
//
//   1    shift, three int16 (x right, y to the user, z down); on newer devices three more, the turn
//   2    turn, three int16
//   3    buttons, a bit each
//
// 350 is as far as a cap goes. False for anything else.
bool dv_cap_report(dvCap *c, const unsigned char *bytes, size_t size);

// The first 3D mouse of the system by the lists below `system` (/sys/class/hidraw): its name (hidraw3), which the
// caller frees; NULL for none.
char *dv_cap_find(const char *system);

// --- VRPN ----------------------------------------------------------------------------------------

enum { DV_VRPN_COOKIE = 24, DV_VRPN_MOST = 1024 };

// The answers of a VRPN server (R. M. Taylor et al., VRST 2001), as they come over TCP: a cookie of 24 bytes, then
// messages in network byte order,
//
//   int32 length (of this head and of the words behind it), seconds, microseconds, sender, type, sequence; words,
//   padded to 8 bytes
//
// Types -1 and -2 name senders and types, whose numbers differ from server to server. What counts here are
// "vrpn_Tracker Pos_Quat" (int32 sensor, gap, seven doubles), "vrpn_Button Change" (int32 button, int32 state) and
// "vrpn_Button States" (int32 count, int32 state each) of one sender.
typedef struct dvVrpn {
  char name[64];    // of the sender
  int32_t sensor;   // of the tracker
  // what came
  double pose[7];   // m, quaternion
  uint32_t buttons;
  unsigned poses;   // so far
  bool foreign;     // it does not speak VRPN
  // numbers of the server; -1 before it names them
  int32_t sender, pos_quat, button_change, button_states;
  // bytes of a message that is not whole yet; how many of a long one are still to be passed over
  unsigned char bytes[DV_VRPN_MOST];
  size_t count, skip;
  bool greeted;
} dvVrpn;

void dv_vrpn_begin(dvVrpn *v, const char *name, int32_t sensor);   // a new connection
void dv_vrpn_take(dvVrpn *v, const unsigned char *bytes, size_t size);
// What a client says first.
extern const char dv_vrpn_cookie[DV_VRPN_COOKIE];

#endif

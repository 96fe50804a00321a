// A libFuzzer target: whatever bytes a device or a server sends, in whatever pieces, reports and messages are read or
// passed over, and what counts stays within its bounds.
#include "haptic/tracker.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static void check(bool condition)
{
  if (!condition) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
  if (length < 1) return 0;
  size_t piece = 1 + bytes[0];
  dvCap cap = {0};
  dvVrpn *v = dv_alloc(sizeof *v);
  dv_vrpn_begin(v, "Tracker0", 0);
  // most inputs would not get past the greeting
  dv_vrpn_take(v, (const unsigned char *)dv_vrpn_cookie, DV_VRPN_COOKIE);
  check(v->greeted);
  for (size_t at = 1; at < length; at += piece) {
    size_t size = dv_min_size(piece, length - at);
    dv_cap_report(&cap, bytes + at, size);
    dv_vrpn_take(v, bytes + at, size);
    check(v->count <= DV_VRPN_MOST);
    for (int i = 0; i < 3; i++) check(fabs(cap.shift[i]) <= 1 && fabs(cap.turn[i]) <= 1);
  }
  dv_free(v);
  return 0;
}

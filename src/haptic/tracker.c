// See tracker.h.
#include "haptic/tracker.h"

#include "base/file.h"
#include "base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// --- 3D mice -------------------------------------------------------------------------------------

#define FULL 350.0   // as far as a cap goes

// three numbers of the device in the axes of a screen
static void take_axes(const unsigned char *bytes, double out[3])
{
  double v[3];
  for (int i = 0; i < 3; i++) {
    int16_t n = (int16_t)(uint16_t)(bytes[2 * i] | bytes[2 * i + 1] << 8);
    v[i] = dv_max(-1, dv_min(1, n / FULL));
  }
  out[0] = v[0], out[1] = -v[2], out[2] = v[1];
}

bool dv_cap_report(dvCap *c, const unsigned char *bytes, size_t size)
{
  if (size >= 7 && bytes[0] == 1) {
    take_axes(bytes + 1, c->shift);
    if (size >= 13) take_axes(bytes + 7, c->turn);
    return true;
  }
  if (size >= 7 && bytes[0] == 2) {
    take_axes(bytes + 1, c->turn);
    return true;
  }
  if (size < 2 || bytes[0] != 3) return false;
  c->buttons = 0;
  for (size_t i = 1; i < size && i <= 4; i++) c->buttons |= (uint32_t)bytes[i] << 8 * (i - 1);
  return true;
}

// HID_ID=bus:vendor:product; 3D mice have a vendor of their own, or are among those of Logitech
static bool is_cap(const char *text)
{
  static const unsigned older[] = {0xc603, 0xc605, 0xc606, 0xc621, 0xc623, 0xc625,
                                   0xc626, 0xc627, 0xc628, 0xc629, 0xc62b};
  const char *at = text ? strstr(text, "HID_ID=") : NULL;
  const char *vendor = at ? strchr(at, ':') : NULL, *product = vendor ? strchr(vendor + 1, ':') : NULL;
  if (!product) return false;
  unsigned long who = strtoul(vendor + 1, NULL, 16), what = strtoul(product + 1, NULL, 16);
  for (size_t i = 0; who == 0x046d && i < DV_COUNT(older); i++)
    if (what == older[i]) return true;
  return who == 0x256f;
}

char *dv_cap_find(const char *system)
{
  for (int i = 0; i < 64; i++) {
    size_t length;
    char *path = dv_format("%s/hidraw%d/device/uevent", system, i), *text = dv_file_read(path, &length);
    bool found = is_cap(text);
    dv_free(path);
    dv_free(text);
    if (found) return dv_format("hidraw%d", i);
  }
  return NULL;
}

// --- VRPN ----------------------------------------------------------------------------------------

enum { HEAD = 24, SENDER_NAME = -1, TYPE_NAME = -2 };

const char dv_vrpn_cookie[DV_VRPN_COOKIE] = "vrpn: ver. 07.35  0";

static uint32_t word_at(const unsigned char *b)
{
  return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

static double real_at(const unsigned char *b)
{
  uint64_t bits = (uint64_t)word_at(b) << 32 | word_at(b + 4);
  double out;
  memcpy(&out, &bits, sizeof out);
  return out;
}

void dv_vrpn_begin(dvVrpn *v, const char *name, int32_t sensor)
{
  memset(v, 0, sizeof *v);
  dv_snprintf(v->name, sizeof v->name, "%s", name);
  v->sensor = sensor;
  v->pose[6] = 1;
  v->sender = v->pos_quat = v->button_change = v->button_states = -1;
}

static bool names(const unsigned char *body, size_t size, const char *name)
{
  size_t length = strlen(name);
  return size >= 4 + length && memcmp(body + 4, name, length) == 0 && (size == 4 + length || body[4 + length] == 0);
}

static void learn_type(dvVrpn *v, int32_t number, const unsigned char *body, size_t size)
{
  const struct {
    const char *name;
    int32_t *number;
  } known[] = {{"vrpn_Tracker Pos_Quat", &v->pos_quat},
               {"vrpn_Button Change", &v->button_change},
               {"vrpn_Button States", &v->button_states}};
  for (size_t i = 0; i < DV_COUNT(known); i++)
    if (names(body, size, known[i].name)) *known[i].number = number;
}

static void set_button(dvVrpn *v, uint32_t number, bool down)
{
  if (number >= 32) return;
  v->buttons = down ? v->buttons | 1u << number : v->buttons & ~(1u << number);
}

static void take_message(dvVrpn *v, const unsigned char *m, size_t size)
{
  int32_t sender = (int32_t)word_at(m + 12), type = (int32_t)word_at(m + 16);
  const unsigned char *body = m + HEAD;
  size -= HEAD;
  if (type == SENDER_NAME && names(body, size, v->name)) v->sender = sender;
  if (type == TYPE_NAME) learn_type(v, sender, body, size);
  if (type < 0 || sender != v->sender) return;
  if (type == v->pos_quat && size >= 64 && (int32_t)word_at(body) == v->sensor) {
    for (size_t i = 0; i < 7; i++) v->pose[i] = real_at(body + 8 + 8 * i);
    v->poses++;
  }
  if (type == v->button_change && size >= 8) set_button(v, word_at(body), word_at(body + 4) != 0);
  if (type != v->button_states || size < 4) return;
  size_t count = dv_min_size(word_at(body), dv_min_size(32, size / 4 - 1));
  for (size_t i = 0; i < count; i++) set_button(v, (uint32_t)i, word_at(body + 4 + 4 * i) != 0);
}

// the cookie names the version: only its first number must be ours
static bool greet(dvVrpn *v)
{
  if (v->count < DV_VRPN_COOKIE) return false;
  v->foreign = memcmp(v->bytes, dv_vrpn_cookie, strlen("vrpn: ver. 07")) != 0;
  v->greeted = !v->foreign;
  return v->greeted;
}

// how many of the bytes that wait were used; 0: more must come
static size_t next_message(dvVrpn *v)
{
  if (!v->greeted) return greet(v) ? DV_VRPN_COOKIE : 0;
  if (v->count < HEAD) return 0;
  size_t size = word_at(v->bytes), whole = (size + 7) / 8 * 8;
  if (size < HEAD || size > 1u << 24) {   // it would be passed over for ever
    v->foreign = true;
    return 0;
  }
  if (whole > DV_VRPN_MOST) {   // none of those that count
    v->skip = whole - v->count;
    return v->count;
  }
  if (v->count < whole) return 0;
  take_message(v, v->bytes, size);
  return whole;
}

void dv_vrpn_take(dvVrpn *v, const unsigned char *bytes, size_t size)
{
  while (size > 0 && !v->foreign) {
    size_t over = dv_min_size(v->skip, size);
    v->skip -= over, bytes += over, size -= over;
    size_t room = dv_min_size(DV_VRPN_MOST - v->count, size), used;
    memcpy(v->bytes + v->count, bytes, room);
    v->count += room, bytes += room, size -= room;
    while (!v->foreign && v->skip == 0 && (used = next_message(v)) > 0) {
      v->count -= used;
      memmove(v->bytes, v->bytes + used, v->count);
    }
  }
}

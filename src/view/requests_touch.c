// Requests: the hand, keys and mouse. See request.h.
#include "view/request.h"

#include <math.h>

json_t *dv_do_grab(dvRequest *r)
{
  double origin[3], direction[3], stiffness = -1;
  if (!r->session->ready) return dv_view_not_ready();
  if (!dv_request_point(r, "origin", origin) || !dv_request_point(r, "direction", direction))
    return dv_view_error(NULL, "a ray has an origin and a direction");
  if (dv_request_number(r, "stiffness", &stiffness) && !(stiffness >= 0 && stiffness <= 1e12))
    return dv_view_error(NULL, "a stiffness is between 0 and 1e12");
  return dv_view_grab(r->session, origin, direction, stiffness);
}

json_t *dv_do_pull(dvRequest *r)
{
  double to[3];
  if (r->session->ready && dv_request_point(r, "to", to)) dv_view_pull(r->session, to);
  return NULL;
}

json_t *dv_do_release(dvRequest *r)
{
  dv_view_release(r->session);
  return dv_view_ok();
}

json_t *dv_do_probe(dvRequest *r)
{
  double origin[3], direction[3];
  if (!r->session->ready) return dv_view_not_ready();
  if (!dv_request_point(r, "origin", origin) || !dv_request_point(r, "direction", direction))
    return dv_view_error(NULL, "a ray has an origin and a direction");
  return dv_view_probe(r->session, origin, direction);
}

json_t *dv_do_fix(dvRequest *r)
{
  double origin[3], direction[3];
  if (!r->session->ready) return dv_view_not_ready();
  if (!dv_request_point(r, "origin", origin) || !dv_request_point(r, "direction", direction))
    return dv_view_error(NULL, "a ray has an origin and a direction");
  return dv_view_fix(r->session, origin, direction);
}

json_t *dv_do_key(dvRequest *r)
{
  double key;
  if (!r->session->ready || !dv_request_number(r, "key", &key) || key < 0 || key > 0x10FFFF) return NULL;
  bool down = !json_is_false(json_object_get(r->body, "down"));
  r->session->moved = true;   // a controller may act at once
  dv_scene_send(r->session->scene, &(dvEvent){.kind = DV_EVENT_KEY, .key = (int)key, .released = !down});
  return NULL;
}

// the mouse in pixels of the picture, for controllers
json_t *dv_do_mouse(dvRequest *r)
{
  static const char *const buttons[] = {[DV_MOUSE_MOVE] = "move",
                                        [DV_MOUSE_LEFT] = "left",
                                        [DV_MOUSE_RIGHT] = "right",
                                        [DV_MOUSE_MIDDLE] = "middle",
                                        [DV_MOUSE_WHEEL] = "wheel"};
  double x, y, wheel = 0;
  if (!r->session->ready || !dv_request_number(r, "x", &x) || !dv_request_number(r, "y", &y) || fabs(x) > 1e6 ||
      fabs(y) > 1e6)
    return NULL;
  r->session->moved = true;
  if (dv_request_number(r, "wheel", &wheel) && fabs(wheel) > 1e6) return NULL;
  dvEvent event = {.kind = DV_EVENT_MOUSE,
                   .x = (int)x,
                   .y = (int)y,
                   .wheel = (int)wheel,
                   .released = json_is_false(json_object_get(r->body, "down"))};
  for (size_t i = 0; i < DV_COUNT(buttons); i++) {
    if (!dv_same(dv_request_text(r, "button"), buttons[i])) continue;
    event.mouse = (dvMouse)i;
    dv_scene_send(r->session->scene, &event);
  }
  return NULL;
}

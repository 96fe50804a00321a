// Requests: the hand, keys and mouse. See request.h.
#include "view/edit.h"
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

// --- tools: rays are six numbers each, origin and direction ---

enum { MOST_RAYS = 200 };

static size_t read_rays(const dvRequest *r, dvRay *out)
{
  json_t *list = json_object_get(r->body, "rays"), *row;
  size_t count = json_array_size(list), i, k;
  if (count > MOST_RAYS) return 0;
  json_array_foreach(list, i, row)
  {
    double numbers[6];
    json_t *n;
    if (json_array_size(row) != 6) return 0;
    json_array_foreach(row, k, n)
    {
      numbers[k] = json_is_number(n) ? json_number_value(n) : NAN;
      if (!isfinite(numbers[k]) || fabs(numbers[k]) > 1e30) return 0;
    }
    out[i] = dv_view_ray(numbers, numbers + 3);
    if (!(dv_vec3_norm(out[i].direction) > 0.5)) return 0;
  }
  return count;
}

json_t *dv_do_tool(dvRequest *r)
{
  static const char *const names[] = {
      [DV_TOOL_REMOVE] = "remove", [DV_TOOL_CARVE] = "carve", [DV_TOOL_REFINE] = "refine", [DV_TOOL_PACE] = "pace",
      [DV_TOOL_ABLATE] = "ablate", [DV_TOOL_CUT] = "cut",     [DV_TOOL_INCISE] = "incise"};
  dvRay rays[MOST_RAYS];
  dvStroke stroke = {.rays = rays, .size = -1, .goes_on = json_is_true(json_object_get(r->body, "goesOn"))};
  size_t tool = 0;
  if (!r->session->ready) return dv_view_not_ready();
  while (tool < DV_COUNT(names) && !dv_same(names[tool], dv_request_text(r, "tool"))) tool++;
  if (tool == DV_COUNT(names))
    return dv_view_error("there are remove, carve, refine, pace, ablate, cut and incise", "'%.40s' is no tool",
                         dv_request_text(r, "tool"));
  stroke.tool = (dvTool)tool;
  stroke.count = read_rays(r, rays);
  size_t least = stroke.tool >= DV_TOOL_CUT ? 2 : 1;
  if (stroke.count < least)
    return dv_view_error("a ray is six numbers: origin and direction", "this tool takes %zu to %d rays", least,
                         MOST_RAYS);
  if (dv_request_number(r, "size", &stroke.size) && !(stroke.size >= 0 && stroke.size <= 1e30))
    return dv_view_error(NULL, "a size is positive");
  if (dv_request_number(r, "spread", &stroke.spread) && !(stroke.spread >= 0 && stroke.spread <= 1e6))
    return dv_view_error(NULL, "a spread is positive");
  return dv_view_use_tool(r->session, &stroke);
}

json_t *dv_do_undo(dvRequest *r)
{
  return r->session->undo.count ? dv_view_undo(r->session) : dv_edit_undo(r->session);
}

// what is held, so that it can be let go when whoever holds it is gone; of very many the first
static void note_key(dvSession *s, int32_t key, bool down)
{
  size_t i = 0;
  while (i < s->key_count && s->keys[i] != key) i++;
  if (down && i == s->key_count && i < DV_COUNT(s->keys)) s->keys[s->key_count++] = key;
  else if (!down && i < s->key_count) s->keys[i] = s->keys[--s->key_count];
}

void dv_view_release_keys(dvSession *s)
{
  while (s->key_count) {
    int32_t key = s->keys[--s->key_count];
    if (s->ready) dv_scene_send(s->scene, &(dvEvent){.kind = DV_EVENT_KEY, .key = key, .released = true});
  }
}

json_t *dv_do_key(dvRequest *r)
{
  double key, way = 0;
  if (!r->session->ready || !dv_request_number(r, "key", &key) || key < 0 || key > 0x10FFFF) return NULL;
  bool down = !json_is_false(json_object_get(r->body, "down"));
  dv_request_number(r, "way", &way);
  r->session->moved = true;   // a controller may act at once
  note_key(r->session, (int32_t)key, down);
  dv_scene_send(r->session->scene, &(dvEvent){.kind = DV_EVENT_KEY, .key = (int)key, .released = !down, .way = way});
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

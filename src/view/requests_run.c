// Requests: the simulation and its figures. See request.h.
#include "view/request.h"

#include "scene/timer.h"

json_t *dv_do_animate(dvRequest *r)
{
  dvSession *s = r->session;
  if (!s->ready) return dv_view_not_ready();
  s->animating = json_is_true(json_object_get(r->body, "on"));
  s->rate_wall = 0;
  dv_session_start_pace(s);
  return dv_view_ok();
}

json_t *dv_do_step(dvRequest *r)
{
  double count = 1;
  dv_request_number(r, "count", &count);
  if (!r->session->ready) return dv_view_not_ready();
  if (!(count >= 1 && count <= 1e6)) return dv_view_error(NULL, "a number of steps is between 1 and 1,000,000");
  r->session->steps_wanted += (long)count;
  return dv_view_ok();
}

json_t *dv_do_reset(dvRequest *r)
{
  dvSession *s = r->session;
  if (!s->ready) return dv_view_not_ready();
  dv_view_release(s);
  bool animating = s->animating;
  if (s->options.host.scene || !dv_view_meshes_changed(s)) dv_scene_reset(s->scene);
  else if (!dv_session_load(s)) return dv_session_first_error(s);   // as whole as it was read
  s->animating = animating;
  s->steps_wanted = 0;
  s->moved = true;
  dv_view_clear_stats(s);
  dv_session_start_pace(s);
  return dv_view_ok();
}

json_t *dv_do_dt(dvRequest *r)
{
  double dt;
  if (!dv_request_number(r, "value", &dt) || !(dt >= 1e-9 && dt <= 1e3))
    return dv_view_error(NULL, "a time step is between 1e-9 and 1000 s");
  if (!r->session->ready) return dv_view_not_ready();
  r->session->scene->root->dt = dt;
  dv_scene_update_context(r->session->scene);
  dv_session_start_pace(r->session);
  return dv_view_ok();
}

json_t *dv_do_realtime(dvRequest *r)
{
  double factor = 1;
  dv_request_number(r, "factor", &factor);
  if (!(factor >= 1e-3 && factor <= 1e3))
    return dv_view_error(NULL, "the factor of real time is between 0.001 and 1000");
  r->session->realtime = json_is_true(json_object_get(r->body, "on"));
  r->session->factor = factor;
  dv_session_start_pace(r->session);
  return dv_view_ok();
}

json_t *dv_do_stats(dvRequest *r)
{
  r->viewer->stats = json_is_true(json_object_get(r->body, "on"));
  r->viewer->fine = json_is_true(json_object_get(r->body, "fine"));
  if (r->viewer->fine && !r->session->context->timers->fine) dv_timers_refine(r->session->context->timers);
  return dv_view_ok();
}

json_t *dv_do_watch(dvRequest *r) { return dv_view_watch(r->session, json_object_get(r->body, "items")); }

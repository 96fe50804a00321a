// The session of a scene that a program runs by itself: the program steps it, the page shows it as it is and may touch
// it.
//
// Nothing is read again here: a number that a component can take over is changed where it stands, as everywhere, and
// what would need another reading is refused. What the program has done is seen when the session has its turn.
#include "view/play.h"

#include "base/clock.h"

void dv_view_host_begin(dvSession *s)
{
  s->scene = s->options.host.scene;
  s->context = s->scene->context;
  s->ready = true;
  s->realtime = true;
  s->host_step = s->scene->step;
  s->host_wall = dv_now();
  dv_draw_build(&s->draw, s->scene);
  s->graph_version = s->scene->version;
  s->moved = true;
  dv_session_start_pace(s);
}

json_t *dv_view_host_refuses(void)
{
  return dv_view_error("do it in the program: its scene is shown here as it is",
                       "this scene belongs to a running program");
}

void dv_view_host_follow(dvSession *s, double now)
{
  const long done = s->scene->step - s->host_step;
  if (done > 0 && !s->animating) {
    const double each = (now - s->host_wall) / (double)done;
    s->rate_steps += done;
    s->rate_time += (double)done * s->scene->root->dt;
    s->busy += (double)done * each;
    dv_view_record_step(s, each);
    if (s->recorder) dv_recorder_touch(s->recorder);   // a program may have done anything meanwhile
    dv_play_recorded_step(s);
  }
  // between steps the program may set positions: it is looked at now and then
  if (done != 0 || now - s->host_looked > 0.1) s->moved = true, s->host_looked = now;
  if (done != 0 || s->animating) s->host_wall = now;
  s->host_step = s->scene->step;
  if (s->graph_version != s->scene->version) s->graph_version = s->scene->version, s->graph++;
}

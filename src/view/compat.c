// The mode of the session's scene: as SOFA does it or not. See session.h.
#include "view/edit.h"

#include "io/scene/scene_file.h"
#include "object/compat.h"

// in the mode of the present scene, whatever its own root says
dvScene *dv_view_read_more(dvSession *s, const char *file)
{
  dvContext *c = s->context;
  dvCompatMode choice = c->compat_choice;
  bool chosen = c->compat_chosen;
  dvScene *scene = NULL;
  dv_compat_choose(c, c->compat);
  dv_scene_read(c, file, &scene);
  c->compat_choice = choice;
  c->compat_chosen = chosen;
  return scene;
}

json_t *dv_view_compat(dvSession *s, const char *mode)
{
  dvCompatMode wanted, before = s->context->compat_choice;
  bool chosen = s->context->compat_chosen, worked = s->ready;
  if (!dv_compat_parse(mode, &wanted)) return dv_view_error("there are " DV_COMPAT_MODES, "'%.40s' is no mode", mode);
  dv_compat_choose(s->context, wanted);
  dv_edit_read_again(s);
  if (dv_session_load(s) || !worked) return s->ready ? dv_view_ok() : dv_session_first_error(s);
  json_t *refusal = dv_session_first_error(s);
  s->context->compat_choice = before;
  s->context->compat_chosen = chosen;
  dv_edit_read_again(s);
  dv_session_load(s);
  return refusal;
}

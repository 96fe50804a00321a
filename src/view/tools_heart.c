// Tools of the heart: a lead of a pacemaker, or a lesion, where tissue is touched while the scene runs. See therapy.h.
#include "heart/therapy.h"
#include "view/inside.h"

static json_t *answer_of(const dvObject *o, dvTool tool, const dvTissuePoint *at)
{
  json_t *answer = dv_view_ok();
  char *path = dv_object_path(o);
  double period = 0;
  dvText text = {0};
  dv_text_printf(&text, "%s: ", o->name);
  if (tool == DV_TOOL_ABLATE) {
    dv_text_add(&text, "nothing is conducted there any more");
  } else {
    period = *(const double *)dv_object_field(o, "period")->value;
    if (period > 0) dv_text_printf(&text, "it beats with the heart, every %g s", period);
    else dv_text_add(&text, "one pulse");
  }
  dv_view_put_text(answer, "text", text.text);
  dv_view_put_text(answer, "path", path);
  json_object_set_new(answer, "point", json_integer((json_int_t)at->point));
  json_object_set_new(answer, "changed", json_integer(1));
  dv_text_free(&text);
  dv_free(path);
  return answer;
}

// the lesion that a drag goes on with; NULL for none
static dvObject *drawn(dvSession *s, const dvStroke *stroke)
{
  if (!stroke->goes_on || stroke->tool != DV_TOOL_ABLATE || !s->undo.count) return NULL;
  const dvUndo *last = &s->undo.data[s->undo.count - 1];
  dvObject *o = last->path ? dv_view_find(s, last->path) : NULL;
  return o && dv_same(o->cls->name, "TissueZone") ? o : NULL;
}

json_t *dv_view_treat(dvSession *s, const dvStroke *stroke)
{
  dvVec3 where;
  bool goes_on = stroke->goes_on;
  if (!dv_view_meets(s, stroke->rays[0], &where)) {
    if (!goes_on) return dv_view_error("touch the heart", "there is nothing under the tool");
    json_t *beside = dv_view_ok();   // a drag went past it
    json_object_set_new(beside, "changed", json_integer(0));
    return beside;
  }
  dvTissuePoint at = dv_tissue_near(s->scene, where);
  if (!at.solver)
    return dv_view_error("touch a body with an EikonalSolver or a MonodomainSolver",
                         "there is no tissue that could be excited");
  dvObject *lesion = drawn(s, stroke);
  if (lesion) {
    json_t *more = dv_view_ok();
    json_object_set_new(more, "changed", json_integer(dv_therapy_extend(lesion, &at)));
    s->draw.again = s->moved = true;
    return more;
  }
  bool lead = stroke->tool == DV_TOOL_PACE;
  dvObject *o = dv_therapy_add(&at, lead ? DV_LEAD : DV_LESION, dv_max(0, dv_stroke_radius(stroke, where)));
  if (!o) return dv_session_first_error(s);
  dv_view_undo_added(s, o, lead ? "lead" : "lesion");
  s->draw.again = s->moved = true;
  return answer_of(o, stroke->tool, &at);
}

// A body that is shifted, turned or scaled: what its geometry comes from gets another translation, rotation and scale.
//
// Loaders, states and visual models place their points by x = T + R S x0. Shifted by t, turned by q and scaled by s
// about a pivot c, they have
//   R' = q R,  S' = s S (along the axes of x0),  T' = c + t + q (T - c) - q (R S' - R S) c0,  R S c0 = c - T,
// so that the point at c goes to c + t. Below a RigidMapping points are those of the body's own frame: there only the
// scale counts. States whose points a loader of the body brings move with it, copies (IdentityMapping) by themselves.
#include "view/edit.h"

#include "mechanics/mechanics.h"

#include <math.h>
#include <string.h>

typedef struct Placer {
  dvVisitor visitor;
  dvSession *session;
  const dvPlacing *by;
  dvNode *top;
  int changed;
  dvText left;   // what stays where it is
} Placer;

static bool scales(const dvPlacing *p) { return p->scale.x != 1 || p->scale.y != 1 || p->scale.z != 1; }
static bool turns(const dvPlacing *p) { return fabs(p->turn.w) < 1; }

static bool is_below(const dvNode *node, const dvNode *top)
{
  for (; node; node = node->parents.count ? node->parents.data[0] : NULL)
    if (node == top) return true;
  return false;
}

static bool can_be_placed(const dvObject *o)
{
  return dv_object_field(o, "translation") && dv_object_field(o, "rotation") && dv_object_field(o, "scale3d");
}

// a loader below the same node brings its points
static bool comes_from_loader(const Placer *p, const dvObject *o, int depth)
{
  if (!o || depth > 8 || !is_below(o->node, p->top)) return false;
  if (dv_plays(o, DV_ROLE_LOADER) && can_be_placed(o)) return true;
  for (int i = 0; i < o->field_count; i++)
    if (o->fields[i].source && comes_from_loader(p, o->fields[i].source->owner, depth + 1)) return true;
  if (!dv_plays(o, DV_ROLE_STATE) || dv_was_set(o, dv_object_field(o, "position")->value)) return false;
  return comes_from_loader(p, dv_node_find_up(o->node, DV_ROLE_TOPOLOGY), depth + 1);
}

static bool follows_frame(const dvNode *node, const dvNode *top)
{
  for (; node && is_below(node, top); node = node->parents.count ? node->parents.data[0] : NULL) {
    const dvObject *mapping = dv_node_find(node, DV_ROLE_MAPPING);
    const dvObject *in = mapping ? dv_mapping_input((dvObject *)mapping, 0) : NULL;
    if (in && in->dof && (in->dof->kind == DV_RIGID3 || in->dof->kind == DV_RIGID2)) return true;
  }
  return false;
}

static dvVec3 vec_of(const dvObject *o, const char *field) { return dv_vec3_load(dv_object_field(o, field)->value); }

static void write_vec(Placer *p, int tag, const char *name, dvVec3 v, dvVec3 usual)
{
  dvText text = {0};
  dvSpan place;
  char *by;
  bool plain = v.x == usual.x && v.y == usual.y && v.z == usual.z;
  const double numbers[3] = {v.x, v.y, v.z};
  for (int k = 0; k < 3; k++) {
    dv_text_add(&text, k ? " " : "");
    double x = fabs(numbers[k]) < 1e-12 ? 0 : numbers[k], rounded = round(x * 1e9) / 1e9;   // what a hand means
    dv_text_add_real(&text, fabs(rounded - x) < 1e-9 && fabs(x) > 1e-6 ? rounded : x);
  }
  if (dv_document_setting(&p->session->editing->document, tag, name, plain ? NULL : text.text, &place, &by))
    dv_edit_replace(p->session, place, by);
  dv_free(by);
  dv_text_free(&text);
}

static dvVec3 times(dvVec3 a, dvVec3 b) { return (dvVec3){a.x * b.x, a.y * b.y, a.z * b.z}; }

static void place(Placer *p, dvObject *o, bool frame)
{
  json_t *error = NULL;
  int tag = dv_edit_tag(p->session, o, &error);
  json_decref(error);
  if (tag < 0) {
    dv_text_printf(&p->left, "%s%s", p->left.length ? ", " : "", o->name);
    return;
  }
  const double degree = M_PI / 180;
  const dvPlacing *by = p->by;
  dvVec3 t = vec_of(o, "translation"), s = vec_of(o, "scale3d"), zero = {0, 0, 0}, one = {1, 1, 1};
  dvQuat r = dv_quat_from_euler(dv_vec3_scale(vec_of(o, "rotation"), degree));
  dvVec3 s2 = times(s, by->scale);
  if (frame) {
    if (!scales(by)) return;
    write_vec(p, tag, "scale3d", s2, one);
    write_vec(p, tag, "translation", times(t, by->scale), zero);
    p->changed++;
    return;
  }
  dvVec3 local = dv_quat_inverse_rotate(r, dv_vec3_sub(by->pivot, t));   // S c0
  dvVec3 stretched = dv_quat_rotate(r, times(local, by->scale));         // R S' c0
  dvVec3 corner = dv_vec3_sub(by->pivot, stretched);                     // T of the scaled body
  dvVec3 turned = dv_quat_rotate(by->turn, dv_vec3_sub(corner, by->pivot));
  write_vec(p, tag, "translation", dv_vec3_add(dv_vec3_add(by->pivot, turned), by->translate), zero);
  if (turns(by))
    write_vec(p, tag, "rotation", dv_vec3_scale(dv_quat_to_euler(dv_quat_mul(by->turn, r)), 1 / degree), zero);
  if (scales(by)) write_vec(p, tag, "scale3d", s2, one);
  p->changed++;
}

// a box that selects points goes with them; it cannot be turned
static void place_box(Placer *p, dvObject *o)
{
  const dvField *f = dv_object_field(o, "box");
  if (!f || f->desc->type != DV_T_REALS || f->source || !f->was_set) return;
  json_t *error = NULL;
  int tag = dv_edit_tag(p->session, o, &error);
  json_decref(error);
  const dvReals *box = f->value;
  if (tag < 0 || turns(p->by)) {
    dv_text_printf(&p->left, "%s%s", p->left.length ? ", " : "", o->name);
    return;
  }
  dvText text = {0};
  for (size_t i = 0; i + 2 < box->count; i += 3) {
    dvVec3 x = dv_vec3_sub(dv_vec3_load(box->data + i), p->by->pivot);
    x = dv_vec3_add(dv_vec3_add(times(x, p->by->scale), p->by->pivot), p->by->translate);
    const double numbers[3] = {x.x, x.y, x.z};
    for (int k = 0; k < 3; k++) dv_text_add(&text, i + (size_t)k ? " " : ""), dv_text_add_real(&text, numbers[k]);
  }
  dvSpan at;
  char *by = NULL;
  if (dv_document_setting(&p->session->editing->document, tag, "box", text.text, &at, &by))
    dv_edit_replace(p->session, at, by);
  dv_free(by);
  dv_text_free(&text);
}

// where a cable begins, in the scene
static void place_point(Placer *p, dvObject *o, const char *name)
{
  const dvField *f = dv_object_field(o, name);
  json_t *error = NULL;
  int tag = f && f->was_set && !f->source && f->width == 3 ? dv_edit_tag(p->session, o, &error) : -1;
  json_decref(error);
  if (tag < 0) return;
  dvVec3 x = times(dv_vec3_sub(dv_vec3_load(f->value), p->by->pivot), p->by->scale);
  x = dv_vec3_add(dv_vec3_add(dv_quat_rotate(p->by->turn, x), p->by->pivot), p->by->translate);
  write_vec(p, tag, name, x, (dvVec3){INFINITY, INFINITY, INFINITY});
}

// A mapping that copies positions, or takes those of what it maps to in the frame of a grid: they have no place of
// their own.
static bool is_copied(const dvNode *node)
{
  dvObject *mapping = dv_node_find(node, DV_ROLE_MAPPING), *in = mapping ? dv_mapping_input(mapping, 0) : NULL;
  if (!in) return false;
  const dvObject *mesh = dv_node_find_up(in->node, DV_ROLE_TOPOLOGY);
  return dv_starts_with(mapping->cls->name, "Identity") || dv_starts_with(mapping->cls->name, "Subset") ||
         (mesh && strstr(mesh->cls->name, "Grid") && dv_starts_with(mapping->cls->name, "Barycentric"));
}

static dvWalk place_node(dvVisitor *v, dvNode *node)
{
  Placer *p = (Placer *)v;
  const bool frame = follows_frame(node, p->top), copied = is_copied(node);
  for (size_t i = 0; i < node->objects.count; i++) {
    dvObject *o = node->objects.data[i];
    if (dv_object_field(o, "box") && dv_plays(o, DV_ROLE_ENGINE) && !frame) place_box(p, o);
    if (!frame) place_point(p, o, "pullPoint");
    if (!can_be_placed(o)) continue;
    bool points = dv_plays(o, DV_ROLE_VISUAL) || dv_is_mechanical_state(o);
    if (dv_plays(o, DV_ROLE_LOADER) || (points && !copied && !comes_from_loader(p, o, 0))) place(p, o, frame);
  }
  return DV_WALK_ON;
}

json_t *dv_edit_place(dvSession *s, const char *path, const dvPlacing *placing)
{
  json_t *error = dv_edit_refusal(s);
  dvObject *o = error ? NULL : dv_view_find(s, path);
  if (error) return error;
  if (!o) return dv_view_error(NULL, "there is no %.200s", path);
  dvNode *node = dv_node_of(o) ? dv_node_of(o) : o->node;
  if (node == s->scene->root) return dv_view_error("select a body", "the whole scene is not moved");
  // a skin or a collision model moves with the body it belongs to
  while (node->parents.count && node->parents.data[0] != s->scene->root && dv_node_find(node, DV_ROLE_MAPPING))
    node = node->parents.data[0];
  Placer p = {{.top_down = place_node, .everything = true}, s, placing, node, 0, {0}};
  const char *verb = turns(placing) ? "turn" : scales(placing) ? "scale" : "shift";
  dv_edit_begin(s, "%s %s", verb, node->base.name);
  s->editing->now.fresh = true;
  s->editing->now.path = dv_object_path(&node->base);
  dv_visit(node, &p.visitor);
  if (!p.changed) {
    dv_text_free(&p.left);
    dv_edit_commit(s, DV_EDIT_ONLY_TEXT);   // nothing
    return dv_view_error("it takes a loader, a MechanicalObject or a visual model with a place of its own",
                         "nothing in %s can be moved", node->base.name);
  }
  error = dv_edit_commit(s, DV_EDIT_WORKING);
  json_t *answer = error ? error : dv_view_ok();
  if (!error && p.left.length) dv_view_put_text(answer, "left", p.left.text);
  dv_text_free(&p.left);
  return answer;
}

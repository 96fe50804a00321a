// From elements to components. See scene_file.h.
//
// First all components are created, then templates are deduced and attributes read, so that the order in the file
// does not matter for a component that takes its DOF type from the state beside it.
#include "io/scene/scene_file.h"

#include "io/scene/attribute_order.h"
#include "io/scene/element.h"
#include "io/scene/scene_build.h"
#include "io/scene/scene_trace.h"
#include "io/scene/urdf.h"
#include "object/compat.h"
#include "scene/leave_out.h"

#include <ctype.h>
#include <string.h>

// After so many errors the rest of a file is not looked at, after so many warnings they are no longer shown: proposals
// take time.
enum { MOST_COMPLAINTS = 1000 };

typedef struct Builder {
  dvContext *context;
  dvScene *scene;
  int unnamed;           // nodes without a name
  dvFromTags *origins;   // what came from which start tag of `file`, or NULL
  const char *file;
  int errors, warnings;
  dvStatus worst;
} Builder;

// not more than are of use
static void send(Builder *b, dvStatus status, dvPlace place, const char *path, const char *text, const char *advice)
{
  if (status != DV_OK && b->worst != DV_ERROR_UNKNOWN) b->worst = status;
  int *count = status == DV_OK ? &b->warnings : &b->errors;
  if (++*count > MOST_COMPLAINTS + 1) return;
  if (*count == MOST_COMPLAINTS + 1) {
    advice = NULL;
    text = status == DV_OK ? "there are more warnings like these"
                           : "too many mistakes: the rest of the scene is not looked at";
  }
  dv_log_send(&b->context->log, &(dvMessage){.level = status == DV_OK ? DV_WARNING : DV_ERROR,
                                             .status = status,
                                             .place = place,
                                             .path = path,
                                             .text = text,
                                             .advice = advice});
}

static void complain(Builder *b, dvStatus status, dvPlace place, const dvNode *node, const char *advice,
                     const char *format, ...) DV_PRINTF(6, 7);
static void complain(Builder *b, dvStatus status, dvPlace place, const dvNode *node, const char *advice,
                     const char *format, ...)
{
  dvText text = {0};
  va_list args;
  va_start(args, format);
  dv_text_vprintf(&text, format, args);
  va_end(args);
  char *path = node ? dv_object_path(&node->base) : NULL;
  send(b, status, place, path, text.text, advice);
  dv_free(path);
  dv_text_free(&text);
}

static bool is_hopeless(const Builder *b)
{
  return b->errors > MOST_COMPLAINTS || b->scene->left_out.count > MOST_COMPLAINTS;
}

// --- creation ------------------------------------------------------------------------------------

static void move_attributes(Builder *b, dvObject *o, const dvElement *e)
{
  o->place = e->place;
  if (b->origins && e->number && e->from == b->file) dv_push(b->origins, ((dvFromTag){o, e->number - 1}));
  for (size_t i = 0; i < e->attributes.count; i++)
    dv_attribute_add(&o->attributes, e->attributes.data[i].name, e->attributes.data[i].value,
                     e->attributes.data[i].place);
}

static const dvClass *find_class(Builder *b, const dvElement *e, dvNode *node, const char *type,
                                 const dvRename **rename)
{
  const dvRegistry *r = &b->context->registry;
  const dvClass *cls = dv_registry_find(r, type);
  *rename = NULL;
  if (cls) return cls;
  *rename = dv_registry_find_rename(r, type);
  cls = *rename ? dv_registry_find(r, (*rename)->name) : NULL;
  if (!cls) {
    dv_scene_note_left_out(b->scene, type, dv_element_get(e, "name"), node, e->place);
  } else if ((*rename)->note) complain(b, DV_OK, e->place, node, NULL, "%s: %s", type, (*rename)->note);
  return cls;
}

static dvObject *create_object(Builder *b, const dvElement *e, dvNode *node, const char *type)
{
  if (node->objects.count >= DV_NODE_LIMIT) {
    complain(b, DV_ERROR_INPUT, e->place, node, "put them into several nodes",
             "a node cannot hold more than %d components", DV_NODE_LIMIT);
    b->errors = MOST_COMPLAINTS + 1;   // nothing more is built
    return NULL;
  }
  const dvRename *rename;
  const dvClass *cls = find_class(b, e, node, type, &rename);
  if (!cls) return NULL;
  const char *name = dv_element_get(e, "name");
  dvObject *o = dv_object_create(b->context, cls, name ? name : "", cls->dofs ? dv_dof(DV_VEC3) : NULL);
  move_attributes(b, o, e);
  dv_node_add(node, o);
  if (cls->arrive && cls->arrive(o) != DV_OK) o->failed = true;
  if (rename && rename->companion) {   // what the old component contained
    const dvClass *companion = dv_registry_find(&b->context->registry, rename->companion);
    bool present = false;
    for (size_t i = 0; companion && i < node->objects.count; i++)
      present = present || node->objects.data[i]->cls == companion;
    if (companion && !present) {
      dvObject *other = dv_object_create(b->context, companion, "", NULL);
      other->place = e->place;
      for (size_t i = 0; i < e->attributes.count; i++)
        if (dv_object_field(other, e->attributes.data[i].name) && !dv_object_field(o, e->attributes.data[i].name)) {
          dv_attribute_add(&other->attributes, e->attributes.data[i].name, e->attributes.data[i].value,
                           e->attributes.data[i].place);
          dv_attribute_take(&o->attributes, e->attributes.data[i].name);
        }
      dv_node_add(node, other);
    }
  }
  return o;
}

static dvObject *build(Builder *b, const dvElement *e, dvNode *node);

// Comments on lines of their own, children of `e` from `first` up to `end`, go to an object.
static void move_comments(dvObject *o, dvCommentPlace where, const dvElement *e, size_t first, size_t end)
{
  for (size_t i = first; i < end; i++)
    if (!e->children.data[i]->tag && !e->children.data[i]->beside)
      dv_object_add_comment(o, where, e->children.data[i]->comment);
}

// what stands in a node, with the comments between it
static void build_children(Builder *b, const dvElement *e, dvNode *node)
{
  dvObject *last = NULL;
  size_t waiting = 0;   // the first child whose comments belong to what comes next
  for (size_t i = 0; i < e->children.count && !dv_memory_is_short() && !is_hopeless(b); i++) {
    const dvElement *child = e->children.data[i];
    if (!child->tag) {
      if (child->beside)
        dv_object_add_comment(last ? last : &node->base, last ? DV_COMMENT_AFTER : DV_COMMENT_BESIDE, child->comment);
      continue;
    }
    dvObject *o = build(b, child, node);
    if (!o) continue;
    move_comments(o, DV_COMMENT_BEFORE, e, waiting, i);
    waiting = i;
    last = o;
  }
  move_comments(&node->base, DV_COMMENT_LAST, e, waiting, e->children.count);
}

static dvObject *build_node(Builder *b, const dvElement *e, dvNode *parent)
{
  const char *name = dv_element_get(e, "name");
  char *made = name && *name ? NULL : dv_format("default%d", ++b->unnamed);
  dvNode *node = parent ? dv_node_create(b->scene, made ? made : name) : b->scene->root;
  if (!parent) {
    dv_free(node->base.name);
    node->base.name = dv_strdup(name && *name ? name : "root");
  }
  dv_free(made);
  move_attributes(b, &node->base, e);
  if (parent) dv_node_add_child(parent, node);
  build_children(b, e, node);
  return &node->base;
}

// the node or component that an element stands for; NULL when it cannot be made
static dvObject *build(Builder *b, const dvElement *e, dvNode *node)
{
  if (dv_same(e->tag, "Node")) return build_node(b, e, node);
  const char *type = e->tag;
  if (dv_same(e->tag, "Object")) {
    type = dv_element_get(e, "type");
    if (!type || !*type) {
      complain(b, DV_ERROR_INPUT, e->place, node, "write <Object type=\"MechanicalObject\"/> or <MechanicalObject/>",
               "an Object needs the attribute type");
      return NULL;
    }
  }
  dvObject *o = create_object(b, e, node, type);
  for (size_t i = 0; o && i < e->children.count; i++) {
    const dvElement *child = e->children.data[i];
    if (!child->tag) dv_object_add_comment(o, child->beside ? DV_COMMENT_BESIDE : DV_COMMENT_LAST, child->comment);
    else complain(b, DV_OK, child->place, node, NULL, "<%s> inside the component %s is not used", child->tag, o->name);
  }
  return o;
}

// the outermost node and the comments around it
static void build_root(Builder *b, const dvElement *document, const dvElement *root)
{
  dvObject *o = build_node(b, root, NULL);
  size_t at = 0;
  while (document->children.data[at] != root) at++;
  move_comments(o, DV_COMMENT_BEFORE, document, 0, at);
  move_comments(o, DV_COMMENT_BELOW, document, at, document->children.count);
}

// --- what does not exist -------------------------------------------------------------------------

static void unknown_component(Builder *b, const dvLeftOut *left, const char *module)
{
  dvText text = {0}, advice = {0};
  if (left->count > 1) dv_text_printf(&advice, "and %d more like it\n    ", left->count - 1);
  const char *near = module ? NULL : dv_registry_nearest(&b->context->registry, left->type);
  if (module)
    dv_text_printf(&advice, "Divan does not have this component of %s yet; --skip-missing runs the rest", module);
  else if (near) dv_text_printf(&advice, "did you mean %s? `divan list` shows all components", near);
  else
    dv_text_add(&advice, "`divan list` shows all components; one of a plugin needs <RequiredPlugin name=\"...\"/> or "
                         "--plugin (`divan new-plugin` writes one)");
  dv_text_printf(&text, "unknown component: %s", left->type);
  send(b, DV_ERROR_UNKNOWN, left->place, left->path, text.text, advice.text);
  dv_text_free(&text);
  dv_text_free(&advice);
}

// each type once, with how often it stands there
static void tell_unknown(Builder *b)
{
  const dvRegistry *r = &b->context->registry;
  dvScene *s = b->scene;
  for (size_t i = 0; i < s->left_out.count; i++) {
    const dvLeftOut *left = &s->left_out.data[i];
    const dvRename *rename = dv_registry_find_rename(r, left->type);
    const char *module = dv_registry_absent_from(r, rename ? rename->name : left->type);
    bool skip = b->context->skip_missing && i < MOST_COMPLAINTS;
    if (skip) dv_scene_tell_left_out(s, left, module ? module : "unknown");
    else unknown_component(b, left, module);
  }
}

// --- fields --------------------------------------------------------------------------------------

static void unknown_template(Builder *b, const dvObject *o, const char *text)
{
  dvText advice = {0};
  dv_text_add(&advice, "write");
  for (int k = 0; k < DV_DOF_COUNT; k++)
    if (o->cls->dofs & (1u << k))
      dv_text_printf(&advice, "%s template=\"%s\"", advice.length > 5 ? " or" : "", dv_dof((dvDofKind)k)->name);
  complain(b, DV_OK, o->place, o->node, advice.text, "%s (%s): the template '%s' is not known", o->name, o->cls->name,
           text);
  dv_text_free(&advice);
}

static void set_template(Builder *b, dvObject *o)
{
  const char *text = dv_attribute_take(&o->attributes, "template");
  if (text && *text) o->template_text = dv_strdup(text);
  if (!o->cls->dofs) return;
  const dvDof *dof = NULL;
  const char *note = NULL;
  if (text && *text) {
    dof = dv_dof_parse(text, &note);
    if (note) complain(b, DV_OK, o->place, o->node, NULL, "template %s: %s", text, note);
    if (!dof) unknown_template(b, o, text);
  }
  if (!dof && !dv_plays(o, DV_ROLE_STATE)) {
    dvObject *state = dv_node_state_up(o->node);
    if (state) dof = state->dof;
  }
  if (!dof) dof = dv_dof(DV_VEC3);
  if (!(o->cls->dofs & (1u << dof->kind))) {
    for (int k = DV_DOF_COUNT - 1; k >= 0; k--)
      if ((o->cls->dofs & (1u << k)) && (k == DV_VEC3 || !(o->cls->dofs & DV_DOF_VEC3))) dof = dv_dof((dvDofKind)k);
  }
  dv_object_set_dof(o, dof);
}

static dvWalk template_states(dvVisitor *v, dvNode *node);
static dvWalk template_others(dvVisitor *v, dvNode *node);

typedef struct FieldPass {
  dvVisitor visitor;
  Builder *builder;
} FieldPass;

static dvWalk template_states(dvVisitor *v, dvNode *node)
{
  Builder *b = ((FieldPass *)v)->builder;
  for (size_t i = 0; i < node->objects.count; i++)
    if (dv_plays(node->objects.data[i], DV_ROLE_STATE)) set_template(b, node->objects.data[i]);
  return DV_WALK_ON;
}

static dvWalk template_others(dvVisitor *v, dvNode *node)
{
  Builder *b = ((FieldPass *)v)->builder;
  for (size_t i = 0; i < node->objects.count; i++)
    if (!dv_plays(node->objects.data[i], DV_ROLE_STATE)) set_template(b, node->objects.data[i]);
  return DV_WALK_ON;
}

// What to write instead: "0,01" has a comma of other countries, "1kg" a unit; else the default. The caller frees it.
static char *better_value(const dvField *f, const char *text)
{
  const char *name = dv_field_name(f->desc), *end = text, *unit = f->desc->unit;
  double whole, part;
  if (f->desc->type == DV_T_REAL && dv_scan_real(&end, &whole)) {
    int length = (int)(end - text);
    const char *digits = end + 1;
    if (*end == ',' && *digits >= '0' && *digits <= '9' && dv_scan_real(&digits, &part) && !*digits)
      return dv_format("write a point: %s=\"%.*s.%s\"", name, length, text, end + 1);
    if ((*end >= 'a' && *end <= 'z') || (*end >= 'A' && *end <= 'Z'))
      return dv_format("write the number alone: %s=\"%.*s\"%s%s", name, length, text,
                       unit && *unit ? "; its unit is " : "", unit ? unit : "");
  }
  if (!f->desc->initial || !*f->desc->initial) return NULL;
  return dv_format("the default is %s=\"%s\"", name, f->desc->initial);
}

// Commas part numbers: "0 -9,81 0" is four of them. What was meant, when it has as many as the field; the caller frees.
static char *with_points(const dvField *f, const char *text)
{
  if (f->desc->type != DV_T_VEC || !strchr(text, ',')) return NULL;
  char *points = dv_strdup(text);
  int count = 0;
  bool commas = true;
  for (char *c = points; (c = strchr(c, ','));) {
    commas = commas && c > points && isdigit((unsigned char)c[-1]) && isdigit((unsigned char)c[1]);
    *c = '.';
  }
  const char *s = points;
  for (double number; commas && dv_scan_real(&s, &number); count++)
    while (dv_is_space(*s)) s++;
  char *advice = NULL;
  if (commas && !*s && count == f->width)
    advice = dv_format("commas part numbers; with points it is %s=\"%s\"", dv_field_name(f->desc), points);
  dv_free(points);
  return advice;
}

// sets every field the attribute stands for; false when there is none
static bool set_fields(Builder *b, dvObject *o, dvAttribute *a)
{
  bool found = false;
  dvField *f;
  for (int nth = 0; (f = dv_object_field_nth(o, a->name, nth)); nth++) {
    found = true;
    f->place = a->place;
    const char *text = a->value;
    while (dv_is_space(*text)) text++;
    bool link = f->desc->type == DV_T_LINK || f->desc->type == DV_T_LINKS;
    if (*text == '@' && !link) {
      dv_free(f->link);
      f->link = dv_strdup(text);
      f->was_set = true;
      continue;
    }
    dvText why = {0};
    if (dv_field_parse(f, a->value, &why) != DV_OK) {
      bool looks = f->desc->flags & DV_LOOKS;   // they never stop a run: the default stays
      char *advice = better_value(f, text);
      complain(b, looks ? DV_OK : DV_ERROR_INPUT, a->place, o->node, advice, "%s (%s): %s: %s", o->name, o->cls->name,
               a->name, why.text ? why.text : "cannot be read");
      dv_free(advice);
      o->failed = o->failed || !looks;
    } else if (why.length) {
      char *advice = with_points(f, text);
      complain(b, DV_OK, a->place, o->node, advice, "%s (%s): %s: %s", o->name, o->cls->name, a->name, why.text);
      dv_free(advice);
    }
    dv_text_free(&why);
  }
  return found;
}

static void unknown_attribute(Builder *b, const dvObject *o, const dvAttribute *a)
{
  if (b->warnings > MOST_COMPLAINTS) return;
  static const char *const every[] = {"name", "template", "src", "type"};   // attributes that are no fields
  const char *proposal = dv_object_nearest_field(o, a->name);
  for (size_t i = 0; i < DV_COUNT(every); i++)
    if (dv_distance(a->name, every[i]) <= (proposal ? dv_min_int(1, dv_distance(a->name, proposal) - 1) : 1))
      proposal = every[i];
  char *advice = proposal ? dv_format("did you mean '%s'? `divan info %s` shows all fields", proposal, o->cls->name)
                          : dv_format("`divan info %s` shows its fields", o->cls->name);
  complain(b, DV_OK, a->place, o->node, advice, "%s (%s) has no field '%s'; it is ignored", o->name, o->cls->name,
           a->name);
  dv_free(advice);
}

static void read_attributes(Builder *b, dvObject *o)
{
  static const char *const structural[] = {"name", "type", "template", "src"};
  size_t *order = dv_alloc((o->attributes.count + 1) * sizeof *order), first = 0;
  dv_attribute_order(o, order);
  for (size_t i = 0; i < o->attributes.count; i++) {
    dvAttribute *a = &o->attributes.data[order[i]];
    for (size_t k = 0; k < DV_COUNT(structural); k++) a->used = a->used || dv_same(a->name, structural[k]);
    if (!a->used && set_fields(b, o, a)) a->used = true;
  }
  dv_free(order);
  for (dvAttributeConflict c; dv_attribute_conflict(o, &first, &c);)
    if (c.differs) dv_compat(o, DV_COMPAT_ATTRIBUTE_ORDER);
  if (o->cls->parse && o->cls->parse(o, &o->attributes) != DV_OK) o->failed = true;
  for (size_t i = 0; i < o->attributes.count && o->extras.count; i++)   // fields that the component has added
    if (!o->attributes.data[i].used && set_fields(b, o, &o->attributes.data[i])) o->attributes.data[i].used = true;
  for (size_t i = 0; i < o->attributes.count; i++)
    if (!o->attributes.data[i].used) unknown_attribute(b, o, &o->attributes.data[i]);
}

static dvWalk read_node(dvVisitor *v, dvNode *node)
{
  Builder *b = ((FieldPass *)v)->builder;
  if (!is_hopeless(b)) read_attributes(b, &node->base);
  for (size_t i = 0; i < node->objects.count && !is_hopeless(b); i++) read_attributes(b, node->objects.data[i]);
  return DV_WALK_ON;
}

// a robot becomes the scene that it stands for; NULL after an error
static dvElement *scene_of_robot(dvContext *context, dvElement *robot)
{
  const dvElement *root = dv_element_root(robot);
  dvText text = {0};
  char *file = dv_strdup(root->place.file ? root->place.file : "");
  bool good = dv_urdf_to_scene(context, root, file, &text);
  dv_element_free(robot);
  dvElement *document = good ? dv_element_parse(context, file, text.text, text.length) : NULL;
  dv_text_free(&text);
  dv_free(file);
  return document;
}

static dvStatus from_document(dvContext *context, dvElement *document, dvScene **out, dvFromTags *origins)
{
  *out = NULL;
  if (dv_context_check_memory(context) != DV_OK) {
    dv_element_free(document);
    return DV_ERROR_INPUT;
  }
  if (!document) return context->log.worst != DV_OK ? context->log.worst : DV_ERROR_INPUT;
  if (dv_urdf_is(dv_element_root(document)) && !(document = scene_of_robot(context, document)))
    return context->log.worst != DV_OK ? context->log.worst : DV_ERROR_INPUT;
  const dvElement *root = dv_element_root(document);
  dv_compat_begin(context, dv_element_get(root, "compat"), root->place);
  Builder b = {.context = context, .scene = dv_scene_create(context), .origins = origins, .file = document->place.file};
  if (!dv_same(root->tag, "Node")) {
    complain(&b, DV_ERROR_INPUT, root->place, NULL, "the outermost element of a scene is <Node>",
             "a scene cannot begin with <%s>", root->tag);
  } else {
    build_root(&b, document, root);
    tell_unknown(&b);
    FieldPass pass = {.visitor = {.top_down = template_states, .everything = true}, .builder = &b};
    dv_visit(b.scene->root, &pass.visitor);
    pass.visitor.top_down = template_others;
    dv_visit(b.scene->root, &pass.visitor);
    pass.visitor.top_down = read_node;
    dv_visit(b.scene->root, &pass.visitor);
  }
  dv_element_free(document);
  *out = b.scene;
  dv_context_check_memory(context);
  return context->log.worst;
}

bool dv_scene_is_script(const char *path)
{
  return dv_ends_with_nocase(path, ".py") || dv_ends_with_nocase(path, ".pyscn");
}

static dvStatus refuse_script(dvContext *context, const char *path, dvScene **out)
{
  *out = NULL;
  dv_log_send(&context->log,
              &(dvMessage){.level = DV_ERROR,
                           .status = DV_ERROR_INPUT,
                           .place = {path, 0},
                           .text = "a scene in Python is a program, which is not run here",
                           .advice = "name it on the command line (divan run scene.py), or use Python's module divan"});
  return DV_ERROR_INPUT;
}

dvStatus dv_scene_read(dvContext *context, const char *path, dvScene **out)
{
  dvMemory *before = dv_memory_enter(&context->memory);
  dv_memory_refill();
  if (dv_scene_is_script(path)) {
    dvStatus status =
        context->read_script ? context->read_script(context, path, out) : refuse_script(context, path, out);
    dv_memory_enter(before);
    return status;
  }
  dvStatus status = from_document(context, dv_element_read(context, path), out, NULL);
  dv_memory_enter(before);
  return status;
}

dvStatus dv_scene_parse(dvContext *context, const char *name, const char *text, size_t length, dvScene **out)
{
  return dv_scene_parse_traced(context, name, text, length, out, NULL);
}

dvStatus dv_scene_parse_traced(dvContext *context, const char *name, const char *text, size_t length, dvScene **out,
                               dvFromTags *origins)
{
  dvMemory *before = dv_memory_enter(&context->memory);
  dv_memory_refill();
  dvStatus status = from_document(context, dv_element_parse(context, name, text, length), out, origins);
  dv_memory_enter(before);
  return status;
}

// --- piece by piece ------------------------------------------------------------------------------

static Builder builder_of(dvNode *node) { return (Builder){.context = node->scene->context, .scene = node->scene}; }

// with skip_missing it is left out like one of a file, else an error says what is meant
static void lacks(Builder *b, dvNode *node, const char *type, const char *name, dvPlace place)
{
  const dvRegistry *r = &b->context->registry;
  const dvRename *rename = dv_registry_find_rename(r, type);
  const char *module = dv_registry_absent_from(r, rename ? rename->name : type);
  char *path = dv_object_path(&node->base);
  dvLeftOut left = {.type = (char *)type, .path = path, .place = place, .count = 1};
  if (b->context->skip_missing) {
    dv_scene_note_left_out(b->scene, type, name, node, place);
    dv_scene_tell_left_out(b->scene, &left, module ? module : "unknown");
  } else {
    unknown_component(b, &left, module);
  }
  dv_free(path);
}

dvObject *dv_build_create(dvNode *node, const char *type, dvAttributes *attributes, dvPlace place)
{
  Builder b = builder_of(node);
  const dvAttribute *name = dv_attribute_find(attributes, "name");
  dvElement e = {.tag = (char *)type, .attributes = *attributes, .place = place};
  const dvRename *rename = dv_registry_find_rename(&b.context->registry, type);
  const bool known = dv_registry_find(&b.context->registry, rename ? rename->name : type) ||
                     dv_registry_find(&b.context->registry, type);
  dvObject *o = NULL;
  if (known) o = create_object(&b, &e, node, type);
  else lacks(&b, node, type, name ? name->value : NULL, place);
  dv_attributes_free(attributes);
  return o;
}

dvStatus dv_build_read(dvObject *o)
{
  Builder b = builder_of(o->node);
  if (!dv_node_of(o)) set_template(&b, o);
  read_attributes(&b, o);
  return b.worst;
}

dvNode *dv_build_node(dvNode *parent, const char *name, dvPlace place)
{
  if (dv_node_depth(parent) >= DV_DEPTH_LIMIT) {
    Builder b = builder_of(parent);
    complain(&b, DV_ERROR_INPUT, place, parent, NULL, "a graph cannot be deeper than %d nodes", DV_DEPTH_LIMIT);
    return NULL;
  }
  dvNode *node = dv_node_create(parent->scene, name);
  node->base.place = place;
  dv_node_add_child(parent, node);
  return node;
}

// another template for a component that came before the state it takes it from: values that depend on it are kept
static void set_template_again(Builder *b, dvObject *o)
{
  const dvDof *before = o->dof;
  dvObject *state = dv_node_state_up(o->node);
  if (!state || state->dof == before || !(o->cls->dofs & (1u << state->dof->kind))) return;
  DV_ARRAY(char *) texts = {0};
  for (int i = 0; i < o->field_count; i++) {
    dvText text = {0};
    if (o->fields[i].was_set && !o->fields[i].link) dv_field_print(&o->fields[i], &text);
    dv_push(&texts, dv_text_take(&text));
  }
  dv_object_set_dof(o, state->dof);
  for (int i = 0; i < o->field_count; i++) {
    dvField *f = &o->fields[i];
    dvText why = {0};
    const dvFieldType t = f->desc->type;
    bool depends = t == DV_T_COORD || t == DV_T_DERIV || t == DV_T_COORDS || t == DV_T_DERIVS;
    if (depends && texts.data[i] && *texts.data[i] && dv_field_parse(f, texts.data[i], &why) != DV_OK)
      complain(b, DV_ERROR_INPUT, f->place, o->node, NULL, "%s (%s): %s: %s", o->name, o->cls->name,
               dv_field_name(f->desc), why.text);
    dv_text_free(&why);
    dv_free(texts.data[i]);
  }
  dv_array_free(&texts);
}

static dvWalk settle_node(dvVisitor *v, dvNode *node)
{
  Builder *b = ((FieldPass *)v)->builder;
  for (size_t i = 0; i < node->objects.count; i++) {
    dvObject *o = node->objects.data[i];
    if (o->cls->dofs && !o->template_text && !o->initialised && !dv_plays(o, DV_ROLE_STATE)) set_template_again(b, o);
  }
  return DV_WALK_ON;
}

dvStatus dv_build_settle(dvScene *scene)
{
  Builder b = builder_of(scene->root);
  FieldPass pass = {.visitor = {.top_down = settle_node, .everything = true}, .builder = &b};
  dv_visit(scene->root, &pass.visitor);
  return b.worst;
}

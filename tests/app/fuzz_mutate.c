// libFuzzer target: scenes that are changed by one who knows the registry. Components are added, removed, doubled,
// moved, turned into others of their role or given another template; fields get values of their type, links lead
// elsewhere. Whatever comes out is read, initialised, stepped, reset and stepped again, or refused with a message.
//   tools/fuzz 600 fuzz_mutate
#include "app/divan.h"
#include "base/text.h"
#include "io/scene/scene_file.h"

#include <libxml/parser.h>
#include <libxml/tree.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t length, size_t most, unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t a_length, const uint8_t *b, size_t b_length, uint8_t *out,
                                 size_t most, unsigned seed);

enum { ELEMENTS = 4000, TRIES = 20, STEPS = 3 };

// a scene as elements, and where chance stands
typedef struct Work {
  xmlDoc *document;
  xmlNode *all[ELEMENTS], *nodes[ELEMENTS], *components[ELEMENTS];
  size_t all_count, node_count, component_count;
  uint64_t chance;
  const dvRegistry *registry;
} Work;

static const dvContext *known(void)
{
  static dvContext *context;
  if (!context) context = dv_divan_create(1);
  return context;
}

static size_t pick(Work *w, size_t count)
{
  w->chance = w->chance * 6364136223846793005u + 1442695040888963407u;
  return count ? (size_t)(w->chance >> 33) % count : 0;
}

static const char *one_of(Work *w, const char *const *list, size_t count) { return list[pick(w, count)]; }
#define ONE_OF(w, list) one_of(w, list, sizeof(list) / sizeof *(list))

static bool is_node(const xmlNode *e) { return !strcmp((const char *)e->name, "Node"); }

static void collect(Work *w, xmlNode *e)
{
  if (e->type != XML_ELEMENT_NODE || w->all_count == ELEMENTS) return;
  w->all[w->all_count++] = e;
  if (is_node(e)) w->nodes[w->node_count++] = e;
  else w->components[w->component_count++] = e;
  for (xmlNode *c = e->children; c; c = c->next) collect(w, c);
}

static void collect_all(Work *w)
{
  w->all_count = w->node_count = w->component_count = 0;
  xmlNode *root = xmlDocGetRootElement(w->document);
  if (root) collect(w, root);
}

static xmlNode *any_node(Work *w) { return w->nodes[pick(w, w->node_count)]; }
static xmlNode *any_component(Work *w)
{
  return w->component_count ? w->components[pick(w, w->component_count)] : NULL;
}

static const dvClass *class_of(const Work *w, const xmlNode *e)
{
  return dv_registry_find(w->registry, (const char *)e->name);
}

static const dvClass *any_class(Work *w) { return w->registry->classes.data[pick(w, w->registry->classes.count)]; }

// a class that can do what this one does
static const dvClass *any_like(Work *w, const dvClass *cls)
{
  for (int i = 0; i < 50 * TRIES; i++) {
    const dvClass *other = any_class(w);
    for (int r = DV_ROLE_STATE; r < DV_ROLE_COUNT; r++)
      if ((cls->ops[r] || cls->roles & DV_PLAYS(r)) && (other->ops[r] || other->roles & DV_PLAYS(r))) return other;
  }
  return any_class(w);
}

static void set(xmlNode *e, const char *name, const char *value)
{
  xmlSetProp(e, (const xmlChar *)name, (const xmlChar *)value);
}

// "@name" or "@../node/name.field": something of this scene, seen from somewhere
static void any_link(Work *w, dvText *out)
{
  static const char *const odd[] = {"@/nowhere", "@[0]",     "@[-1]", "@.",          "@..",
                                    "@../..",    "@[99999]", "@",     "@dofs.speed", "@/.position"};
  xmlNode *e = w->all[pick(w, w->all_count)];
  if (pick(w, 6) == 0) {
    dv_text_add(out, ONE_OF(w, odd));
    return;
  }
  // from the root downwards, so that it is right wherever it stands
  const char *names[64];
  xmlChar *owned[64];
  size_t depth = 0, own = 0;
  const dvClass *cls = is_node(e) ? NULL : class_of(w, e);
  for (xmlNode *up = e; up && up->parent && up->parent->type == XML_ELEMENT_NODE && depth < 64; up = up->parent) {
    xmlChar *name = xmlGetProp(up, (const xmlChar *)"name");
    if (name) owned[own++] = name;
    names[depth++] = name ? (const char *)name : (const char *)up->name;
  }
  dv_text_add(out, "@");
  for (size_t i = depth; i-- > 0;) {
    dv_text_add(out, "/");
    dv_text_add(out, names[i]);
  }
  if (cls && pick(w, 2)) {
    const dvFieldBlock *block = cls->blocks[0];
    for (size_t b = pick(w, 5) + 1; b-- > 0;)
      if (cls->blocks[b]) {
        block = cls->blocks[b];
        break;
      }
    if (block && block->count) dv_text_printf(out, ".%s", block->fields[pick(w, (size_t)block->count)].name);
  }
  while (own > 0) xmlFree(owned[--own]);
}

static void numbers(Work *w, dvText *out, size_t count, bool whole)
{
  static const char *const reals[] = {"0", "1", "-1", "0.5", "0.25", "2", "1e-9", "1e9", "-0.3", "100", "0.01", "3"};
  static const char *const ints[] = {"0", "1", "2", "3", "4", "5", "7", "-1", "99999"};
  for (size_t i = 0; i < count; i++) {
    if (i) dv_text_add(out, " ");
    dv_text_add(out, whole ? ONE_OF(w, ints) : ONE_OF(w, reals));
  }
}

static void any_choice(Work *w, const char *options, dvText *out)
{
  size_t count = 1, wanted;
  for (const char *c = options; *c; c++) count += *c == '|';
  wanted = pick(w, count);
  for (; wanted > 0; wanted--) options = strchr(options, '|') + 1;
  dv_text_printf(out, "%.*s", (int)strcspn(options, "|"), options);
}

// a value that the field can hold, or nearly
static void any_value(Work *w, const dvFieldDesc *f, dvText *out)
{
  static const char *const odd[] = {"", "word", "nan", "inf", "-1", "1e300", "0 0", "-2147483648", "1 2 3 4 5"};
  static const char *const files[] = {"mesh/bar.vtk", "mesh/organ-surface.obj", "nowhere.obj", "mesh", ""};
  const size_t width = f->width > 0 ? (size_t)f->width : 3, few = pick(w, 6) * (pick(w, 8) ? width : 1);
  if (pick(w, 12) == 0) {
    dv_text_add(out, ONE_OF(w, odd));
    return;
  }
  if (pick(w, 8) == 0) {
    any_link(w, out);
    return;
  }
  switch (f->type) {
  case DV_T_BOOL:
    dv_text_add(out, pick(w, 2) ? "1" : "0");
    break;
  case DV_T_INT:
    numbers(w, out, 1, true);
    break;
  case DV_T_REAL:
    numbers(w, out, 1, false);
    break;
  case DV_T_FILE:
    dv_text_add(out, ONE_OF(w, files));
    break;
  case DV_T_CHOICE:
    any_choice(w, f->options, out);
    break;
  case DV_T_VEC:
  case DV_T_COLOUR:
    numbers(w, out, width, false);
    break;
  case DV_T_IVEC:
    numbers(w, out, width, true);
    break;
  case DV_T_REALS:
  case DV_T_COORDS:
  case DV_T_DERIVS:
    numbers(w, out, few, false);
    break;
  case DV_T_COORD:
  case DV_T_DERIV:
    numbers(w, out, pick(w, 4) ? 3 : 7, false);
    break;
  case DV_T_INTS:
    numbers(w, out, few, true);
    break;
  case DV_T_LISTS:
    dv_text_add(out, pick(w, 2) ? "[0,1,2] [3]" : "[] 1");
    break;
  case DV_T_LINK:
  case DV_T_LINKS:
    any_link(w, out);
    break;
  case DV_T_STRING:
  case DV_T_STRINGS:
    dv_text_add(out, pick(w, 2) ? "a" : "points b");
    break;
  }
}

static const dvFieldDesc *any_field(Work *w, const dvClass *cls)
{
  size_t count = 0;
  for (int b = 0; b < 5; b++) count += cls->blocks[b] ? (size_t)cls->blocks[b]->count : 0;
  if (!count) return NULL;
  size_t n = pick(w, count);
  for (int b = 0; b < 5; b++) {
    if (!cls->blocks[b]) continue;
    if (n < (size_t)cls->blocks[b]->count) return &cls->blocks[b]->fields[n];
    n -= (size_t)cls->blocks[b]->count;
  }
  return NULL;
}

static void set_any(Work *w, xmlNode *e, const dvClass *cls)
{
  const dvFieldDesc *f = any_field(w, cls);
  // where a file is written is no part of what is tried
  if (!f || (f->type == DV_T_FILE && cls->ops[DV_ROLE_EXPORTER])) return;
  dvText value = {0};
  any_value(w, f, &value);
  set(e, f->spelling ? f->spelling : f->name, value.text ? value.text : "");
  dv_text_free(&value);
}

static void change_template(Work *w, xmlNode *e)
{
  static const char *const templates[] = {"Vec1",    "Vec2",       "Vec3",       "Vec6",
                                          "Rigid2",  "Rigid3",     "",           "Affine",
                                          "Vec3d,1", "Vec3,Rigid", "Rigid,Vec3", "CompressedRowSparseMatrixMat3x3"};
  set(e, "template", ONE_OF(w, templates));
}

static void put_in(Work *w, xmlNode *node, xmlNode *e)
{
  size_t place = pick(w, 12);
  xmlNode *before = node->children;
  while (before && place-- > 0) before = before->next;
  if (before) xmlAddPrevSibling(before, e);
  else xmlAddChild(node, e);
}

static void add_component(Work *w, const dvClass *cls)
{
  xmlNode *e = xmlNewDocNode(w->document, NULL, (const xmlChar *)cls->name, NULL);
  for (size_t n = pick(w, 5); n > 0; n--) set_any(w, e, cls);
  if (pick(w, 4) == 0) change_template(w, e);
  put_in(w, any_node(w), e);
}

static bool within(const xmlNode *e, const xmlNode *above)
{
  for (; e; e = e->parent)
    if (e == above) return true;
  return false;
}

static void move_or_copy(Work *w, xmlNode *e, bool copy)
{
  xmlNode *node = any_node(w);
  if (within(node, e)) return;
  if (copy) e = xmlDocCopyNode(e, w->document, 1);
  else xmlUnlinkNode(e);
  if (e) put_in(w, node, e);
}

static void break_link(Work *w)
{
  for (int i = 0; i < TRIES; i++) {
    xmlNode *e = w->all[pick(w, w->all_count)];
    for (xmlAttr *a = e->properties; a; a = a->next) {
      xmlChar *value = xmlNodeListGetString(w->document, a->children, 1);
      const bool link = value && value[0] == '@';
      xmlFree(value);
      if (!link || pick(w, 3) == 0) continue;
      dvText other = {0};
      any_link(w, &other);
      if (pick(w, 4)) set(e, (const char *)a->name, other.text);
      else xmlRemoveProp(a);
      dv_text_free(&other);
      return;
    }
  }
}

static void drop_attribute(Work *w, xmlNode *e)
{
  size_t count = 0;
  for (const xmlAttr *a = e->properties; a; a = a->next) count++;
  if (!count) return;
  xmlAttr *a = e->properties;
  for (size_t n = pick(w, count); n > 0; n--) a = a->next;
  xmlRemoveProp(a);
}

// a topology beside another, or one more of what is there
static void double_something(Work *w)
{
  for (int i = 0; i < TRIES; i++) {
    xmlNode *e = w->all[pick(w, w->all_count)];
    if (!e->parent || e->parent->type != XML_ELEMENT_NODE) continue;
    const dvClass *cls = class_of(w, e);
    if (cls && !cls->ops[DV_ROLE_TOPOLOGY] && !(cls->roles & DV_PLAYS(DV_ROLE_TOPOLOGY)) && i < TRIES / 2) continue;
    move_or_copy(w, e, true);
    return;
  }
}

static void change(Work *w)
{
  xmlNode *e = any_component(w);
  const dvClass *cls = e ? class_of(w, e) : NULL;
  const size_t what = pick(w, 13);
  if (what < 2 || !e) {
    add_component(w, any_class(w));
  } else if (what == 2) {
    xmlNode *gone = w->all[pick(w, w->all_count)];
    if (gone->parent && gone->parent->type == XML_ELEMENT_NODE) {
      xmlUnlinkNode(gone);
      xmlFreeNode(gone);
    }
  } else if (what == 3) {
    change_template(w, e);
  } else if (what == 4) {
    break_link(w);
  } else if (what == 5) {
    double_something(w);
  } else if (what == 6) {
    move_or_copy(w, e, false);
  } else if (what == 7 && cls) {
    xmlNodeSetName(e, (const xmlChar *)any_like(w, cls)->name);
  } else if (what == 8) {
    drop_attribute(w, e);
  } else if (what == 9 && cls) {
    add_component(w, any_like(w, cls));
  } else if (what == 10) {
    set_any(w, any_node(w), &dv_node_class);
  } else if (cls) {
    set_any(w, e, cls);
  }
  collect_all(w);
}

static xmlDoc *read_xml(const uint8_t *bytes, size_t length)
{
  return length && length < 1 << 20 ? xmlReadMemory((const char *)bytes, (int)length, "fuzz.scn", NULL,
                                                    XML_PARSE_NOERROR | XML_PARSE_NOWARNING | XML_PARSE_NONET)
                                    : NULL;
}

// Nothing that is too long, 0 then.
static size_t write_xml(const Work *w, uint8_t *out, size_t most)
{
  xmlChar *text = NULL;
  int length = 0;
  xmlDocDumpMemory(w->document, &text, &length);
  const size_t size = text && length > 0 && (size_t)length <= most ? (size_t)length : 0;
  if (size) memcpy(out, text, size);
  xmlFree(text);
  return size;
}

static bool begin(Work *w, const uint8_t *bytes, size_t length, unsigned seed)
{
  memset(w, 0, sizeof *w);
  w->chance = seed;
  w->registry = &known()->registry;
  w->document = read_xml(bytes, length);
  if (w->document) collect_all(w);
  if (w->node_count) return true;
  static const char least[] = "<Node><DefaultAnimationLoop/><EulerImplicitSolver/><CGLinearSolver/><MechanicalObject "
                              "position='0 0 0 1 0 0 0 1 0 0 0 1'/><UniformMass/></Node>";
  xmlFreeDoc(w->document);
  w->document = read_xml((const uint8_t *)least, strlen(least));
  collect_all(w);
  return w->node_count > 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t length, size_t most, unsigned seed)
{
  Work w;
  if (!begin(&w, bytes, length, seed)) return length;
  for (size_t n = 1 + pick(&w, 4); n > 0; n--) change(&w);
  const size_t size = write_xml(&w, bytes, most);
  xmlFreeDoc(w.document);
  return size ? size : length;
}

// a part of the second scene comes into the first
size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t a_length, const uint8_t *b, size_t b_length, uint8_t *out,
                                 size_t most, unsigned seed)
{
  Work first, second;
  size_t size = 0;
  if (begin(&first, a, a_length, seed) && begin(&second, b, b_length, seed + 1)) {
    xmlNode *part = xmlDocCopyNode(second.all[pick(&second, second.all_count)], first.document, 1);
    if (part) put_in(&first, any_node(&first), part);
    size = write_xml(&first, out, most);
  }
  xmlFreeDoc(first.document);
  xmlFreeDoc(second.document);
  return size;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
  dvContext *context = dv_divan_create(1);
  context->log.sink = NULL;
  dv_context_add_data_path(context, "../scenes");
  dvScene *scene = NULL;
  dv_scene_parse(context, "fuzz.scn", (const char *)bytes, length, &scene);
  if (scene && dv_scene_init(scene) == DV_OK) {
    bool well = true;
    for (int i = 0; i < STEPS && well; i++) well = dv_scene_step(scene, 0) == DV_OK;
    dv_scene_reset(scene);
    dv_scene_step(scene, 0);
  }
  dv_scene_destroy(&scene);
  dv_divan_destroy(&context);
  return 0;
}

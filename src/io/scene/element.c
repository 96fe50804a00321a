// Scene files as elements: libxml2 does the parsing, includes are put in place here. See element.h.
//
// An include brings the root node of another file: under the name the include gives, or its own. A root named
// Group brings its content without the node; one named _Merge_ is merged with what is there. Attributes of the
// include replace those of the same name wherever they stand in the file; component__attribute only in that
// component. A component that does not exist but for which a file Objects/NAME.xml is found is included from there;
// BoxConstraint and BoxConstantForceField, which were components in 2011, become two without such a file.
#include "io/scene/element.h"

#include "base/file.h"
#include "io/scene/xml_guard.h"
#include "io/scene/xml_repair.h"
#include "scene/node.h"

#include <libxml/parser.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_INCLUDES = 10000 };

typedef struct Reader {
  dvContext *context;
  DV_ARRAY(char *) stack;   // files being read, to find cycles
  int includes;
} Reader;

static dvElement *read_file(Reader *r, const char *path);

static void report(Reader *r, dvLevel level, dvPlace place, const char *advice, const char *format, ...)
    DV_PRINTF(5, 6);
static void report(Reader *r, dvLevel level, dvPlace place, const char *advice, const char *format, ...)
{
  dvText text = {0};
  va_list args;
  va_start(args, format);
  dv_text_vprintf(&text, format, args);
  va_end(args);
  dv_log_send(&r->context->log, &(dvMessage){.level = level,
                                             .status = level == DV_ERROR ? DV_ERROR_INPUT : DV_OK,
                                             .place = place,
                                             .text = text.text,
                                             .advice = advice});
  dv_text_free(&text);
}

void dv_element_free(dvElement *e)
{
  if (!e) return;
  for (size_t i = 0; i < e->children.count; i++) dv_element_free(e->children.data[i]);
  dv_array_free(&e->children);
  dv_attributes_free(&e->attributes);
  dv_free(e->tag);
  dv_free(e->comment);
  dv_free(e);
}

dvElement *dv_element_root(const dvElement *document)
{
  for (size_t i = 0; i < document->children.count; i++)
    if (document->children.data[i]->tag) return document->children.data[i];
  return NULL;
}

static dvElement *new_element(const char *tag, dvPlace place)
{
  dvElement *e = dv_alloc(sizeof *e);
  e->tag = tag ? dv_strdup(tag) : NULL;
  e->place = place;
  return e;
}

const char *dv_element_get(const dvElement *e, const char *attribute)
{
  const dvAttribute *a = dv_attribute_find(&e->attributes, attribute);
  return a ? a->value : NULL;
}

static void set_attribute(dvElement *e, const char *name, const char *value, dvPlace place)
{
  for (size_t i = 0; i < e->attributes.count; i++) {
    dvAttribute *a = &e->attributes.data[i];
    if (!dv_same(a->name, name)) continue;
    dv_free(a->value);
    a->value = dv_strdup(value);
    a->place = place;
    return;
  }
  dv_attribute_add(&e->attributes, name, value, place);
}

// --- includes ------------------------------------------------------------------------------------

static void replace_everywhere(dvElement *e, const char *name, const char *value, dvPlace place)
{
  if (dv_attribute_find(&e->attributes, name)) set_attribute(e, name, value, place);
  for (size_t i = 0; i < e->children.count; i++) replace_everywhere(e->children.data[i], name, value, place);
}

static bool replace_in(dvElement *e, const char *component, const char *name, const char *value, dvPlace place)
{
  bool found = false;
  for (size_t i = 0; i < e->children.count; i++)
    found |= replace_in(e->children.data[i], component, name, value, place);
  const char *own = dv_element_get(e, "name");
  if (own && dv_same(own, component)) {
    set_attribute(e, name, value, place);
    found = true;
  }
  return found;
}

static void apply_parameters(Reader *r, dvElement *root, const dvElement *include)
{
  for (size_t i = 0; i < include->attributes.count; i++) {
    const dvAttribute *a = &include->attributes.data[i];
    if (dv_same(a->name, "href") || dv_same(a->name, "type")) continue;
    if (dv_same(a->name, "name")) {
      set_attribute(root, "name", a->value, a->place);
      continue;
    }
    const char *separator = strstr(a->name, "__");
    if (!separator) {
      replace_everywhere(root, a->name, a->value, a->place);
      continue;
    }
    char *component = dv_strndup(a->name, (size_t)(separator - a->name));
    if (!replace_in(root, component, separator + 2, a->value, a->place))
      report(r, DV_WARNING, a->place, NULL, "the included file has no component named '%s', so %s changes nothing",
             component, a->name);
    dv_free(component);
  }
}

// `from` is used up
static void merge(dvElement *into, dvElement *from)
{
  for (size_t i = 0; i < from->attributes.count; i++)
    if (!dv_same(from->attributes.data[i].name, "name"))
      set_attribute(into, from->attributes.data[i].name, from->attributes.data[i].value,
                    from->attributes.data[i].place);
  for (size_t i = 0; i < from->children.count; i++) {
    dvElement *child = from->children.data[i], *match = NULL;
    const char *name = dv_element_get(child, "name");
    for (size_t k = 0; name && k < into->children.count && !match; k++) {
      dvElement *other = into->children.data[k];
      if (dv_same(other->tag, child->tag) && dv_same(dv_element_get(other, "name"), name) &&
          dv_same(dv_element_get(other, "type"), dv_element_get(child, "type")))
        match = other;
    }
    if (match) merge(match, child);
    else dv_push(&into->children, child);
  }
  from->children.count = 0;
  dv_element_free(from);
}

// comments beside the start tag of a node whose content goes into another one have that line no more
static void leave_start_tag(dvElement *e)
{
  for (size_t i = 0; i < e->children.count && !e->children.data[i]->tag; i++) e->children.data[i]->beside = false;
}

// what another tag stands for
static void comes_from(dvElement *e, const dvElement *other) { e->from = other->from, e->number = other->number; }

// the outermost element of a file that is included, as its name says; `root` is used up
static void add_root(dvElement *parent, dvElement *root, const dvElement *include)
{
  comes_from(root, include);
  const char *name = dv_element_get(root, "name");
  bool group = dv_same(name, "Group") || dv_same(name, "_Group_"), merged = dv_same(name, "_Merge_");
  if (group || merged) leave_start_tag(root);
  if (group) {
    for (size_t i = 0; i < root->children.count; i++) {
      comes_from(root->children.data[i], include);
      dv_push(&parent->children, root->children.data[i]);
    }
    root->children.count = 0;
    dv_element_free(root);
  } else if (merged) {
    merge(parent, root);
  } else {
    dv_push(&parent->children, root);
  }
}

// puts the content of the file that `include` names into `parent`
static void include_into(Reader *r, dvElement *parent, dvElement *include, const char *href)
{
  dvText advice = {0};
  char *path = dv_context_find_file(r->context, href, include->place.file, &advice);
  dvElement *document = NULL;
  if (!path)
    report(r, DV_ERROR, include->place, advice.length ? advice.text : NULL, "the included file '%s' was not found",
           href);
  else if (++r->includes > MOST_INCLUDES)
    report(r, DV_ERROR, include->place, NULL, "more than %d files are included", MOST_INCLUDES);
  else document = read_file(r, path);
  dv_free(path);
  dv_text_free(&advice);
  if (!document) return;
  apply_parameters(r, dv_element_root(document), include);
  for (size_t i = 0; i < document->children.count; i++) {
    dvElement *child = document->children.data[i];
    if (child->tag) add_root(parent, child, include);
    else dv_push(&parent->children, child);
  }
  document->children.count = 0;
  dv_element_free(document);
}

// a component that is not known but has a file of its own among the data
static char *replacement_file(Reader *r, const dvElement *e, const char *type)
{
  if (dv_registry_find(&r->context->registry, type) || dv_registry_find_rename(&r->context->registry, type))
    return NULL;
  char *name = dv_format("Objects/%s.xml", type), *found = dv_context_find_file(r->context, name, e->place.file, NULL);
  if (!found) {
    dv_free(name);
    return NULL;
  }
  dv_free(found);
  return name;
}

// --- components that stand for a selection and what acts on it -----------------------------------

static const struct Compound {
  const char *name, *component;
} compounds[] = {{"BoxConstraint", "FixedProjectiveConstraint"}, {"BoxConstantForceField", "ConstantForceField"}};

static bool class_has(const dvClass *cls, const char *attribute)
{
  for (size_t b = 0; cls && b < DV_COUNT(cls->blocks) && cls->blocks[b]; b++)
    for (int i = 0; i < cls->blocks[b]->count; i++) {
      const dvFieldDesc *d = &cls->blocks[b]->fields[i];
      if (dv_same(dv_field_name(d), attribute) || dv_list_has(d->alias, attribute)) return true;
    }
  return false;
}

// A BoxROI and a component on its indices; attributes go to the box where it has them. False when `type` is no such
// name.
static bool add_compound(Reader *r, dvElement *parent, const dvElement *e, const char *type)
{
  const struct Compound *c = NULL;
  for (size_t i = 0; i < DV_COUNT(compounds); i++)
    if (dv_same(type, compounds[i].name)) c = &compounds[i];
  if (!c) return false;
  const dvClass *box_class = dv_registry_find(&r->context->registry, "BoxROI");
  dvElement *box = new_element("BoxROI", e->place), *other = new_element(c->component, e->place);
  comes_from(box, e);
  comes_from(other, e);
  const char *name = dv_element_get(e, "name");
  char *box_name = name && *name ? dv_format("%s_box", name) : NULL;
  if (box_name) set_attribute(box, "name", box_name, e->place);
  if (name && *name) set_attribute(other, "name", name, e->place);
  set_attribute(other, "indices", "@[-1].indices", e->place);
  for (size_t i = 0; i < e->attributes.count; i++) {
    const dvAttribute *a = &e->attributes.data[i];
    if (dv_same(a->name, "name") || dv_same(a->name, "type")) continue;
    bool of_box = dv_same(a->name, "template") || class_has(box_class, a->name);
    set_attribute(of_box ? box : other, a->name, a->value, a->place);
    if (dv_same(a->name, "template")) set_attribute(other, a->name, a->value, a->place);
  }
  dv_push(&parent->children, box);
  dv_push(&parent->children, other);
  dv_free(box_name);
  return true;
}

static void add_child(Reader *r, dvElement *parent, dvElement *child)
{
  if (dv_same(child->tag, "include")) {
    const char *href = dv_element_get(child, "href");
    if (!href || !*href)
      report(r, DV_ERROR, child->place, "write <include href=\"file.xml\"/>", "an include needs the attribute href");
    else include_into(r, parent, child, href);
    dv_element_free(child);
    return;
  }
  const char *type = dv_same(child->tag, "Object") ? dv_element_get(child, "type")
                     : dv_same(child->tag, "Node") ? NULL
                                                   : child->tag;
  char *file = type && strlen(type) < 200 && !strchr(type, '/') ? replacement_file(r, child, type) : NULL;
  if (file) {
    include_into(r, parent, child, file);
    dv_element_free(child);
    dv_free(file);
    return;
  }
  if (type && add_compound(r, parent, child, type)) {
    dv_element_free(child);
    return;
  }
  dv_push(&parent->children, child);
}

// --- comments ------------------------------------------------------------------------------------

// Whether a comment, the next child of `parent`, stands on the line of what is before it; else *indent is the white
// space before it.
static bool is_beside(const dvElement *parent, const xmlNode *x, const char **indent)
{
  const xmlNode *before = x->prev;
  if (!x->parent || x->parent->type != XML_ELEMENT_NODE)
    return false;   // around the outermost element libxml2 keeps no white space
  for (; before && before->type == XML_TEXT_NODE; before = before->prev) {
    const char *line = before->content ? strrchr((const char *)before->content, '\n') : NULL;
    if (!line) continue;
    *indent = line + 1;
    return false;
  }
  if (!before) return true;
  if (before->type != XML_COMMENT_NODE || !parent->children.count) return before->type == XML_ELEMENT_NODE;
  const dvElement *last = parent->children.data[parent->children.count - 1];
  return !last->tag && last->beside;
}

// further lines lose the indentation that they share with the first one
static char *unindented(const char *text, const char *indent)
{
  dvText out = {0};
  dv_text_add(&out, "");
  while (*text) {
    size_t length = strcspn(text, "\n") + 1;
    if (!text[length - 1]) length--;
    dv_text_add_n(&out, text, length);
    text += length;
    for (const char *c = indent; dv_is_space(*c) && *text == *c && *text != '\n'; c++) text++;
  }
  return dv_text_take(&out);
}

static void add_comment(dvElement *parent, const xmlNode *x, dvPlace place)
{
  const char *indent = "";
  dvElement *e = new_element(NULL, place);
  e->beside = is_beside(parent, x, &indent);
  e->comment = unindented(x->content ? (const char *)x->content : "", indent);
  dv_push(&parent->children, e);
}

// <Attribute type="position"><Data value="0 0 0"/></Attribute> inside a component is one of its attributes
static bool take_attribute_element(dvElement *owner, const xmlNode *x, dvPlace place)
{
  if (strcmp((const char *)x->name, "Attribute") != 0) return false;
  xmlChar *type = xmlGetProp(x, (const xmlChar *)"type");
  for (const xmlNode *d = x->children; d && type; d = d->next) {
    if (d->type == XML_COMMENT_NODE) add_comment(owner, d, place);
    if (d->type != XML_ELEMENT_NODE) continue;
    xmlChar *value = xmlGetProp(d, (const xmlChar *)"value");
    if (value) set_attribute(owner, (const char *)type, (const char *)value, place);
    xmlFree(value);
  }
  xmlFree(type);
  return true;
}

// --- libxml2 -------------------------------------------------------------------------------------

typedef struct Tree {
  Reader *reader;
  const dvXmlRepair *repair;
  const char *file;
  size_t element;   // counts start tags, to find their lines
} Tree;

static dvElement *convert(Tree *t, const xmlNode *x, int depth)
{
  size_t index = t->element++;
  int line = index < t->repair->lines.count ? t->repair->lines.data[index] : (int)xmlGetLineNo(x);
  dvElement *e = new_element((const char *)x->name, (dvPlace){t->file, line});
  e->from = t->file;
  e->number = index + 1;
  if (depth > DV_DEPTH_LIMIT) {
    report(t->reader, DV_ERROR, e->place, NULL, "nodes are nested more than %d deep", DV_DEPTH_LIMIT);
    return e;
  }
  for (const xmlAttr *a = x->properties; a; a = a->next) {
    xmlChar *value = xmlNodeListGetString(x->doc, a->children, 1);
    dv_attribute_add(&e->attributes, (const char *)a->name, value ? (const char *)value : "", e->place);
    xmlFree(value);
  }
  for (const xmlNode *c = x->children; c && !dv_memory_is_short(); c = c->next) {
    if (c->type == XML_COMMENT_NODE) add_comment(e, c, e->place);
    if (c->type != XML_ELEMENT_NODE) continue;
    if (take_attribute_element(e, c, e->place)) {
      t->element++;
      for (const xmlNode *d = c->children; d; d = d->next) t->element += d->type == XML_ELEMENT_NODE;
      continue;
    }
    add_child(t->reader, e, convert(t, c, depth + 1));
  }
  return e;
}

// the outermost element and the comments around it
static dvElement *convert_document(Tree *t, const xmlDoc *doc, const xmlNode *top)
{
  dvElement *document = new_element(NULL, (dvPlace){t->file, 1});
  for (const xmlNode *x = doc->children; x && !dv_memory_is_short(); x = x->next) {
    if (x == top) dv_push(&document->children, convert(t, top, 0));
    else if (x->type == XML_COMMENT_NODE) add_comment(document, x, document->place);
  }
  if (dv_element_root(document)) return document;
  dv_element_free(document);
  return NULL;
}

// What the first bytes say against a scene: an explanation, or NULL. Other encodings than UTF-8 pass by their mark.
static const char *no_scene(const char *name, const char *bytes, size_t length, const char **advice)
{
  const unsigned char *b = (const unsigned char *)bytes;
  size_t i = length >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0 ? 3 : 0, look = dv_min_size(length, 512);
  if (length >= 2 && ((b[0] == 0xff && b[1] == 0xfe) || (b[0] == 0xfe && b[1] == 0xff) || (b[0] == 0 && b[1] == '<') ||
                      (b[0] == '<' && b[1] == 0)))
    return NULL;
  while (i < length && dv_is_space(bytes[i])) i++;
  *advice = "a scene begins with <Node>";
  if (i == length) return "the file is empty";
  for (size_t k = 0; k < look; k++)
    if (b[k] < 32 && !dv_is_space(bytes[k])) return "it is a binary file, not text";
  if (bytes[i] == '<') return NULL;
  *advice = "write the scene as XML: a scene begins with <Node>";
  if (dv_ends_with_nocase(name, ".py") || dv_ends_with_nocase(name, ".pyscn")) return "scenes in Python are not read";
  *advice = "a scene begins with <Node>; a mesh is named in a scene, by a loader such as MeshGmshLoader";
  return "it does not begin with '<'";
}

static dvElement *parse(Reader *r, const char *name, const char *bytes, size_t length)
{
  const char *file = dv_context_intern(r->context, name), *advice_before = NULL,
             *fault = no_scene(name, bytes, length, &advice_before);
  if (fault) {
    report(r, DV_ERROR, (dvPlace){file, 1}, advice_before, "not a scene file: %s", fault);
    return NULL;
  }
  dvXmlRepair repair = {0};
  dv_xml_repair(&repair, bytes, length);
  for (size_t i = 0; i < repair.slips.count; i++)
    report(r, DV_WARNING, (dvPlace){file, repair.slip_lines.data[i]}, NULL, "%s", repair.slips.data[i]);
  if (repair.crowded_line) {
    report(r, DV_ERROR, (dvPlace){file, repair.crowded_line}, NULL, "the element has too many attributes");
    dv_xml_repair_free(&repair);
    return NULL;
  }
  dvElement *document = NULL;
  dvXmlGuard guard;
  dv_xml_guard_begin(&guard);
  xmlParserCtxt *parser = xmlNewParserCtxt();
  int options = XML_PARSE_HUGE | XML_PARSE_NONET | XML_PARSE_BIG_LINES | XML_PARSE_NOERROR | XML_PARSE_NOWARNING;
  // the text is UTF-8 by now, whatever its declaration says
  xmlDoc *doc = repair.text.length < INT32_MAX
                    ? xmlCtxtReadMemory(parser, repair.text.text, (int)repair.text.length, file, "UTF-8", options)
                    : NULL;
  const xmlNode *top = doc ? xmlDocGetRootElement(doc) : NULL;
  if (!parser) guard.ran_short = true;
  if (!top && !guard.ran_short) {
    const xmlError *e = xmlCtxtGetLastError(parser);
    char *why = dv_strdup(e && e->message ? e->message : "the file is empty or too large");
    why[strcspn(why, "\n")] = 0;
    const char *advice =
        strstr(why, "Premature end") ? "each <Node> needs a </Node>; the one named here has none"
        : strstr(why, "Start tag")
            ? "a scene begins with <Node>; a mesh is named in a scene, by a loader such as MeshGmshLoader"
            : NULL;
    report(r, DV_ERROR, (dvPlace){file, e ? e->line : 0}, advice, "not a scene file: %s", why);
    dv_free(why);
  } else if (top) {
    Tree t = {.reader = r, .repair = &repair, .file = file};
    document = convert_document(&t, doc, top);
  }
  xmlFreeDoc(doc);
  xmlFreeParserCtxt(parser);
  dv_xml_guard_end(&guard);
  dv_xml_repair_free(&repair);
  return document;
}

static dvElement *read_file(Reader *r, const char *path)
{
  char *real = realpath(path, NULL);
  for (size_t i = 0; real && i < r->stack.count; i++) {
    if (!dv_same(r->stack.data[i], real)) continue;
    report(r, DV_ERROR, (dvPlace){dv_context_intern(r->context, path), 0}, NULL, "the file includes itself%s",
           i + 1 < r->stack.count ? " through other files" : "");
    free(real);
    return NULL;
  }
  size_t length;
  char *bytes = dv_file_read(path, &length);
  if (!bytes) {
    const char *why = dv_file_why();
    char *folder = dv_path_directory(path), *similar = dv_file_similar(*folder ? folder : ".", dv_path_name(path));
    bool there = dv_file_exists(path);   // and is refused
    char *advice = similar && !there ? dv_format("did you mean %s%s%s?", folder, *folder ? "/" : "", similar) : NULL;
    bool directory = dv_path_is_directory(path);
    report(r, DV_ERROR, (dvPlace){dv_context_intern(r->context, path), 0},
           directory ? "name a scene inside of it" : advice, "cannot be read: %s", why);
    dv_free(advice), dv_free(similar), dv_free(folder);
    free(real);
    return NULL;
  }
  dv_push(&r->stack, real);
  dvElement *e = parse(r, path, bytes, length);
  free(real);
  r->stack.count--;
  dv_free(bytes);
  return e;
}

dvElement *dv_element_read(dvContext *context, const char *path)
{
  Reader r = {.context = context};
  dvElement *document = read_file(&r, path);
  dv_array_free(&r.stack);
  return document;
}

dvElement *dv_element_parse(dvContext *context, const char *name, const char *bytes, size_t length)
{
  Reader r = {.context = context};
  char *real = realpath(name, NULL);
  if (real) dv_push(&r.stack, real);   // a file that is there does not include itself
  dvElement *document = parse(&r, name, bytes, length);
  free(real);
  dv_array_free(&r.stack);
  return document;
}

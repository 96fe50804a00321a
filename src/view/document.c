// See document.h. The scanner knows what xml_repair.c knows: comments, instructions, CDATA, declarations and tags.
#include "view/document.h"

#include "io/scene/xml_repair.h"
#include "scene/node.h"

#include <string.h>

enum { MOST_DEPTH = DV_DEPTH_LIMIT + 4 };

// --- scanning ------------------------------------------------------------------------------------

static bool looking_at(const dvText *t, size_t at, const char *word)
{
  size_t n = strlen(word);
  return t->length - at >= n && memcmp(t->text + at, word, n) == 0;
}

// behind the next `word`
static size_t behind(const dvText *t, size_t at, const char *word)
{
  const char *found = strstr(t->text + at, word);
  return found ? (size_t)(found - t->text) + strlen(word) : t->length;
}

// behind the > of a tag, whose values may contain one
static size_t tag_end(const dvText *t, size_t at)
{
  for (char quote = 0; at < t->length; at++) {
    char c = t->text[at];
    if (quote) quote = c == quote ? 0 : quote;
    else if (c == '"' || c == '\'') quote = c;
    else if (c == '>') return at + 1;
  }
  return t->length;
}

static size_t name_length(const dvDocument *d, size_t at)
{
  size_t n = 0;
  while (at + n < d->text.length && !dv_is_space(d->text.text[at + n]) && !strchr("/>", d->text.text[at + n])) n++;
  return n;
}

static bool closes(const dvDocument *d, const dvTag *open, size_t at)
{
  size_t n = name_length(d, open->start + 1);
  return n == name_length(d, at + 2) && memcmp(d->text.text + open->start + 1, d->text.text + at + 2, n) == 0;
}

static bool scan_tag(dvDocument *d, size_t at, size_t end, int stack[], int *depth)
{
  const bool ends = d->text.text[at + 1] == '/', empty = end >= 2 && d->text.text[end - 2] == '/';
  if (ends) {
    if (*depth == 0) return false;
    dvTag *open = &d->tags.data[stack[--*depth]];
    if (!closes(d, open, at)) return false;
    open->close = at, open->after = end, open->last = (int)d->tags.count;
    return true;
  }
  if (*depth == MOST_DEPTH || name_length(d, at + 1) == 0) return false;
  const int number = (int)d->tags.count;
  dv_push(&d->tags, ((dvTag){at, end, end, end, *depth ? stack[*depth - 1] : -1, number + 1}));
  if (!empty) stack[(*depth)++] = number;
  return true;
}

static bool scan(dvDocument *d)
{
  int stack[MOST_DEPTH], depth = 0;
  const dvText *t = &d->text;
  d->tags.count = 0;
  for (size_t at = 0; at < t->length;) {
    if (t->text[at] != '<') at++;
    else if (looking_at(t, at, "<!--")) at = behind(t, at + 4, "-->");
    else if (looking_at(t, at, "<![CDATA[")) at = behind(t, at, "]]>");
    else if (looking_at(t, at, "<?")) at = behind(t, at, "?>");
    else if (looking_at(t, at, "<!")) at = behind(t, at, ">");
    else {
      size_t end = tag_end(t, at);
      if (end < at + 3 || t->text[end - 1] != '>' || !scan_tag(d, at, end, stack, &depth)) return false;
      at = end;
    }
  }
  return depth == 0 && d->tags.count > 0 && d->tags.data[0].last == (int)d->tags.count;
}

// --- the text ------------------------------------------------------------------------------------

// the text is UTF-8 now, whatever it says of itself
static void declare_utf8(dvText *t)
{
  if (!dv_starts_with(t->text, "<?xml")) return;
  char *end = strstr(t->text, "?>"), *at = strstr(t->text, "encoding=");
  if (!end || !at || at > end) return;
  char *from = at + strlen("encoding=") + 1, *to = strchr(from, from[-1]);
  if (!to || to > end || ((size_t)(to - from) == 5 && strncmp(from, "UTF-8", 5) == 0)) return;
  dvText out = {0};
  dv_text_add_n(&out, t->text, (size_t)(from - t->text));
  dv_text_add(&out, "UTF-8");
  dv_text_add(&out, to);
  dv_text_free(t);
  *t = out;
}

bool dv_document_take(dvDocument *d, const char *bytes, size_t length)
{
  dv_document_free(d);
  dvXmlRepair repair = {0};
  dv_xml_repair(&repair, bytes, length);
  bool good = !repair.crowded_line;
  d->text = repair.text;
  repair.text = (dvText){0};
  dv_xml_repair_free(&repair);
  declare_utf8(&d->text);
  good = good && scan(d);
  if (!good) dv_document_free(d);
  return good;
}

void dv_document_free(dvDocument *d)
{
  dv_text_free(&d->text);
  dv_array_free(&d->tags);
}

void dv_document_copy(dvDocument *to, const dvDocument *from)
{
  dv_text_clear(&to->text);
  dv_text_add_n(&to->text, from->text.text ? from->text.text : "", from->text.length);
  to->tags.count = 0;
  for (size_t i = 0; i < from->tags.count; i++) dv_push(&to->tags, from->tags.data[i]);
}

bool dv_document_replace(dvDocument *d, dvSpan piece, const char *by)
{
  dvText out = {0};
  dv_text_add_n(&out, d->text.text, piece.at);
  dv_text_add(&out, by);
  dv_text_add(&out, d->text.text + piece.at + piece.length);
  dv_text_free(&d->text);
  d->text = out;
  return scan(d);
}

// --- tags ----------------------------------------------------------------------------------------

int dv_document_root(const dvDocument *d) { return d->tags.count ? 0 : -1; }

bool dv_document_is(const dvDocument *d, int tag, const char *name)
{
  size_t at = d->tags.data[tag].start + 1, n = name_length(d, at);
  return n == strlen(name) && memcmp(d->text.text + at, name, n) == 0;
}

char *dv_document_name(const dvDocument *d, int tag)
{
  size_t at = d->tags.data[tag].start + 1;
  return dv_strndup(d->text.text + at, name_length(d, at));
}

dvSpan dv_document_whole(const dvDocument *d, int tag)
{
  const dvTag *t = &d->tags.data[tag];
  return (dvSpan){t->start, t->after - t->start};
}

int dv_document_child(const dvDocument *d, int parent, int before)
{
  int next = before < 0 ? parent + 1 : d->tags.data[before].last;
  return next < d->tags.data[parent].last ? next : -1;
}

bool dv_document_attribute(const dvDocument *d, int tag, const char *name, dvSpan *value, dvSpan *all)
{
  const char *s = d->text.text;
  size_t at = d->tags.data[tag].start + 1, end = d->tags.data[tag].end;
  at += name_length(d, at);
  while (at < end) {
    size_t begin = at;
    while (at < end && dv_is_space(s[at])) at++;
    size_t word = at;
    while (at < end && !dv_is_space(s[at]) && s[at] != '=' && s[at] != '>' && s[at] != '/') at++;
    size_t length = at - word;
    while (at < end && dv_is_space(s[at])) at++;
    if (at >= end || s[at] != '=' || !length) return false;
    at++;
    while (at < end && dv_is_space(s[at])) at++;
    char quote = at < end ? s[at] : 0;
    if (quote != '"' && quote != '\'') return false;
    size_t from = ++at;
    while (at < end && s[at] != quote) at++;
    if (length == strlen(name) && memcmp(s + word, name, length) == 0) {
      *value = (dvSpan){from, at - from};
      *all = (dvSpan){begin, at + 1 - begin};
      return true;
    }
    at++;
  }
  return false;
}

static const struct Entity {
  const char *text, *name;
} entities[] = {{"<", "&lt;"},   {">", "&gt;"},   {"&", "&amp;"}, {"\"", "&quot;"},
                {"'", "&apos;"}, {"\n", "&#10;"}, {"\t", "&#9;"}};

char *dv_document_value(const dvDocument *d, int tag, const char *name)
{
  dvSpan value, all;
  if (!dv_document_attribute(d, tag, name, &value, &all)) return NULL;
  dvText out = {0};
  dv_text_add(&out, "");
  const char *s = d->text.text + value.at, *end = s + value.length;
  while (s < end) {
    const struct Entity *known = NULL;
    for (size_t i = 0; i < DV_COUNT(entities) && *s == '&' && !known; i++)
      if (strncmp(s, entities[i].name, strlen(entities[i].name)) == 0) known = &entities[i];
    dv_text_add_n(&out, known ? known->text : s, 1);
    s += known ? strlen(known->name) : 1;
  }
  return dv_text_take(&out);
}

void dv_document_escape(dvText *out, const char *value)
{
  dv_text_add(out, "");
  for (; *value; value++) {
    const struct Entity *known = NULL;
    for (size_t i = 0; i < DV_COUNT(entities) && !known; i++)
      if (*value == *entities[i].text && *value != '\'') known = &entities[i];
    if (known) dv_text_add(out, known->name);
    else dv_text_add_n(out, value, 1);
  }
}

// --- places and pieces ---------------------------------------------------------------------------

// where the line of `at` begins
static size_t line_start(const dvDocument *d, size_t at)
{
  while (at > 0 && d->text.text[at - 1] != '\n') at--;
  return at;
}

static bool is_blank(const dvDocument *d, size_t from, size_t to)
{
  while (from < to && dv_is_space(d->text.text[from])) from++;
  return from >= to;
}

// behind what follows an element on its line: white space and comments that end on that line
static size_t line_rest(const dvDocument *d, size_t at)
{
  const char *s = d->text.text;
  for (;;) {
    while (s[at] == ' ' || s[at] == '\t' || s[at] == '\r') at++;
    if (!looking_at(&d->text, at, "<!--")) return at;
    size_t end = behind(&d->text, at + 4, "-->");
    if (memchr(s + at, '\n', end - at)) return at;
    at = end;
  }
}

// where the comments begin that stand on lines of their own right before the line that begins at `at`
static size_t comments_before(const dvDocument *d, size_t at)
{
  const char *s = d->text.text;
  for (;;) {
    if (at < 4 || s[at - 1] != '\n') return at;
    size_t end = at - 1;   // of the line before
    while (end > 0 && (s[end - 1] == ' ' || s[end - 1] == '\r' || s[end - 1] == '\t')) end--;
    if (end < 7 || strncmp(s + end - 3, "-->", 3) != 0) return at;
    size_t open = end - 3;
    while (open > 0 && strncmp(s + open, "<!--", 4) != 0) open--;
    size_t line = line_start(d, open);
    if (strncmp(s + open, "<!--", 4) != 0 || !is_blank(d, line, open)) return at;
    at = line;
  }
}

dvSpan dv_document_lines(const dvDocument *d, int tag, bool comments)
{
  dvSpan whole = dv_document_whole(d, tag);
  size_t line = line_start(d, whole.at), end = whole.at + whole.length, rest = line_rest(d, end);
  if (!is_blank(d, line, whole.at)) return whole;
  if (d->text.text[rest] != '\n' && d->text.text[rest] != 0) return whole;
  if (comments) line = comments_before(d, line);
  end = d->text.text[rest] ? rest + 1 : rest;
  return (dvSpan){line, end - line};
}

static size_t indentation(const dvDocument *d, int tag)
{
  size_t start = d->tags.data[tag].start, line = line_start(d, start);
  return is_blank(d, line, start) ? start - line : 0;
}

static void add_indented(dvText *out, const char *lines, const char *indent, size_t width)
{
  while (*lines) {
    size_t n = strcspn(lines, "\n");
    if (n) dv_text_add_n(out, indent, width);
    dv_text_add_n(out, lines, n);
    dv_text_add(out, "\n");
    lines += n + (lines[n] == '\n');
  }
}

char *dv_document_insertion(const dvDocument *d, int parent, int before, const char *element, dvSpan *place)
{
  const dvTag *p = &d->tags.data[parent];
  const char *s = d->text.text;
  dvText out = {0};
  dv_text_add(&out, "");
  // as deep as the children that are there, else two deeper than the parent
  int sibling = before >= 0 ? before : dv_document_child(d, parent, -1);
  size_t width = sibling >= 0 && indentation(d, sibling) ? indentation(d, sibling) : indentation(d, parent) + 2;
  char *indent = dv_alloc(width + 1);
  memset(indent, ' ', width);
  if (sibling >= 0 && indentation(d, sibling)) memcpy(indent, s + line_start(d, d->tags.data[sibling].start), width);
  if (before >= 0) {
    size_t start = d->tags.data[before].start, line = line_start(d, start);
    bool own = is_blank(d, line, start);
    *place = (dvSpan){own ? comments_before(d, line) : start, 0};
    add_indented(&out, element, indent, own ? width : 0);
  } else if (p->close == p->after) {   // <Node/> opens
    size_t slash = p->end - 2;
    while (slash > p->start && dv_is_space(s[slash - 1])) slash--;
    char *name = dv_document_name(d, parent);
    *place = (dvSpan){slash, p->end - slash};
    dv_text_add(&out, ">\n");
    add_indented(&out, element, indent, width);
    dv_text_add_n(&out, s + line_start(d, p->start), indentation(d, parent));
    dv_text_printf(&out, "</%s>", name);
    dv_free(name);
  } else {
    size_t line = line_start(d, p->close);
    bool own = is_blank(d, line, p->close);
    *place = (dvSpan){own ? line : p->close, 0};
    if (!own) dv_text_add(&out, "\n");
    add_indented(&out, element, indent, width);
    if (!own) dv_text_add_n(&out, s + line_start(d, p->start), indentation(d, parent));
  }
  dv_free(indent);
  return dv_text_take(&out);
}

bool dv_document_setting(const dvDocument *d, int tag, const char *name, const char *value, dvSpan *place, char **text)
{
  dvSpan old, all;
  bool there = dv_document_attribute(d, tag, name, &old, &all);
  dvText out = {0};
  dv_text_add(&out, "");
  *text = NULL;
  if (!value) {
    if (there) *place = all, *text = dv_text_take(&out);
    dv_text_free(&out);
    return there;
  }
  if (there && d->text.text[old.at - 1] == '"') {
    *place = old;
    dv_document_escape(&out, value);
  } else {
    size_t end = d->tags.data[tag].end - 1;   // before > or />
    if (d->text.text[end - 1] == '/') end--;
    while (!there && dv_is_space(d->text.text[end - 1])) end--;
    *place = there ? all : (dvSpan){end, 0};
    dv_text_printf(&out, " %s=\"", name);
    dv_document_escape(&out, value);
    dv_text_add(&out, "\"");
  }
  *text = dv_text_take(&out);
  bool same = strlen(*text) == place->length && memcmp(*text, d->text.text + place->at, place->length) == 0;
  if (same) dv_free(*text), *text = NULL;
  return !same;
}

char *dv_document_margin(const dvDocument *d, dvSpan piece)
{
  char *text = dv_strndup(d->text.text + piece.at, piece.length);
  size_t line = line_start(d, piece.at), width = 0;
  while (dv_is_space(d->text.text[line + width]) && d->text.text[line + width] != '\n') width++;
  dvText out = {0};
  dv_text_add(&out, "");
  for (const char *s = text; *s;) {
    for (size_t k = 0; k < width && (*s == ' ' || *s == '\t'); k++) s++;
    size_t n = strcspn(s, "\n");
    dv_text_add_n(&out, s, n);
    s += n;
    if (*s == '\n') dv_text_add(&out, "\n"), s++;
  }
  dv_free(text);
  while (out.length && out.text[out.length - 1] == '\n') out.text[--out.length] = 0;
  return dv_text_take(&out);
}

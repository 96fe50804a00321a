// See xml_repair.h. A small scanner that only knows comments, processing instructions, CDATA and tags.
#include "io/scene/xml_repair.h"

#include <string.h>

typedef struct Scanner {
  const char *at, *end;
  int line;
  dvXmlRepair *out;
} Scanner;

enum {
  MOST_SLIPS = 1000,
  MOST_ATTRIBUTES = 10000
};   // the time that libxml2 takes grows with the square of the attributes

static void slip(Scanner *s, const char *what)
{
  if (s->out->slips.count >= MOST_SLIPS) return;
  dv_push(&s->out->slip_lines, s->line);
  dv_push(&s->out->slips, what);
}

// length of a valid UTF-8 sequence at p, 0 when it is none
static size_t utf8_length(const unsigned char *p, const unsigned char *end)
{
  size_t n = *p < 0x80                 ? 1
             : *p >= 0xC2 && *p < 0xE0 ? 2
             : *p >= 0xE0 && *p < 0xF0 ? 3
             : *p >= 0xF0 && *p < 0xF5 ? 4
                                       : 0;
  if (n == 0 || (size_t)(end - p) < n) return 0;
  for (size_t i = 1; i < n; i++)
    if ((p[i] & 0xC0) != 0x80) return 0;
  return n;
}

static void copy_one(Scanner *s)
{
  const unsigned char *p = (const unsigned char *)s->at;
  size_t n = utf8_length(p, (const unsigned char *)s->end);
  if (*s->at == '\n') s->line++;
  if (n == 0) {   // Latin-1
    char two[2] = {(char)(0xC0 | *p >> 6), (char)(0x80 | (*p & 0x3F))};
    dv_text_add_n(&s->out->text, two, 2);
    s->at++;
  } else if (*p == 0) {   // a NUL has no place in XML
    dv_text_add(&s->out->text, " ");
    s->at++;
  } else {
    dv_text_add_n(&s->out->text, s->at, n);
    s->at += n;
  }
}

static bool looking_at(const Scanner *s, const char *word)
{
  size_t n = strlen(word);
  return (size_t)(s->end - s->at) >= n && memcmp(s->at, word, n) == 0;
}

static void copy_until(Scanner *s, const char *word)
{
  while (s->at < s->end && !looking_at(s, word)) copy_one(s);
  for (size_t i = strlen(word); i > 0 && s->at < s->end; i--) copy_one(s);
}

// Two hyphens have no place inside a comment: a space comes between.
static void copy_comment(Scanner *s)
{
  bool told = false;
  for (int i = 0; i < 4; i++) copy_one(s);   // <!--
  while (s->at < s->end && !looking_at(s, "-->")) {
    bool hyphen = *s->at == '-';
    copy_one(s);
    if (!hyphen || s->at >= s->end || *s->at != '-') continue;
    dv_text_add(&s->out->text, " ");
    if (!told) slip(s, "'--' inside a comment; write '- -'");
    told = true;
  }
  copy_until(s, "-->");
}

// &name; or &#number;
static bool is_entity(const Scanner *s)
{
  const char *p = s->at + 1;
  if (p < s->end && *p == '#') p++;
  const char *start = p;
  while (p < s->end && p - start < 12 &&
         ((*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || (*p >= '0' && *p <= '9')))
    p++;
  if (p >= s->end || *p != ';' || p == start) return false;
  static const char *const known[] = {"amp", "lt", "gt", "quot", "apos"};
  if (start[-1] == '#') return true;
  for (size_t i = 0; i < DV_COUNT(known); i++)
    if (strlen(known[i]) == (size_t)(p - start) && memcmp(known[i], start, (size_t)(p - start)) == 0) return true;
  return false;
}

static void copy_value(Scanner *s)
{
  char quote = *s->at;
  copy_one(s);
  while (s->at < s->end && *s->at != quote) {
    if (*s->at == '<') {
      slip(s, "an unescaped '<' in an attribute value; write &lt;");
      dv_text_add(&s->out->text, "&lt;");
      s->at++;
    } else if (*s->at == '&' && !is_entity(s)) {
      slip(s, "an unescaped '&' in an attribute value; write &amp;");
      dv_text_add(&s->out->text, "&amp;");
      s->at++;
    } else {
      copy_one(s);
    }
  }
  if (s->at < s->end) copy_one(s);
  bool ends = s->at >= s->end || dv_is_space(*s->at) || *s->at == '>' || *s->at == '/' || *s->at == '?';
  if (!ends) {
    slip(s, "no space between two attributes");
    dv_text_add(&s->out->text, " ");
  }
}

static void copy_tag(Scanner *s)
{
  int line = s->line, attributes = 0;
  if (s->at + 1 < s->end && s->at[1] != '/') dv_push(&s->out->lines, s->line);
  while (s->at < s->end && *s->at != '>') {
    bool value = *s->at == '"' || *s->at == '\'';
    attributes += value;
    if (value) copy_value(s);
    else copy_one(s);
  }
  if (attributes > MOST_ATTRIBUTES && !s->out->crowded_line) s->out->crowded_line = line;
  if (s->at < s->end) copy_one(s);
}

void dv_xml_repair(dvXmlRepair *out, const char *bytes, size_t length)
{
  Scanner s = {.at = bytes, .end = bytes + length, .line = 1, .out = out};
  if (length >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0) s.at += 3;
  dv_text_add(&out->text, "");
  while (s.at < s.end) {
    if (looking_at(&s, "<!--")) copy_comment(&s);
    else if (looking_at(&s, "<![CDATA[")) copy_until(&s, "]]>");
    else if (looking_at(&s, "<?")) copy_until(&s, "?>");
    else if (looking_at(&s, "<!")) copy_until(&s, ">");
    else if (*s.at == '<') copy_tag(&s);
    else copy_one(&s);
  }
}

void dv_xml_repair_free(dvXmlRepair *r)
{
  dv_text_free(&r->text);
  dv_array_free(&r->lines);
  dv_array_free(&r->slip_lines);
  dv_array_free(&r->slips);
}

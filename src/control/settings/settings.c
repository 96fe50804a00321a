// Classes from table rows. See settings.h.
#include "control/settings/settings.h"

#include <string.h>

typedef struct TypeName {
  const char *name;
  dvFieldType type;
  int width;
  size_t size;
} TypeName;

#define TYPE(name)                          \
  {                                         \
#name, DV_F_##name, sizeof(DV_C_##name) \
  }
static const TypeName types[] = {TYPE(bool),  TYPE(int),   TYPE(real), TYPE(string),  TYPE(file),
                                 TYPE(vec2),  TYPE(vec3),  TYPE(vec4), TYPE(vec6),    TYPE(color),
                                 TYPE(ivec2), TYPE(reals), TYPE(ints), TYPE(strings), TYPE(vec3s),
                                 TYPE(vec4s), TYPE(edges), TYPE(link), TYPE(links)};

// a copy that lives as long as the registry
static char *keep(dvRegistry *r, const char *text, size_t length)
{
  char *copy = dv_strndup(text, length);
  dv_push(&r->owned, (void *)copy);
  return copy;
}

static size_t trimmed(const char **text, size_t n)
{
  while (n && dv_is_space(**text)) (*text)++, n--;
  while (n && dv_is_space((*text)[n - 1])) n--;
  return n;
}

static char *keep_trimmed(dvRegistry *r, const char *text, size_t n)
{
  n = trimmed(&text, n);
  return keep(r, text, n);
}

static const TypeName *find_type(const char *word, size_t n)
{
  for (size_t i = 0; i < DV_COUNT(types); i++)
    if (strlen(types[i].name) == n && strncmp(types[i].name, word, n) == 0) return &types[i];
  return NULL;
}

// "name/alias type = default | help [unit]"; returns the size of the member
static size_t read_line(dvRegistry *r, const char *line, size_t n, dvFieldDesc *out)
{
  const char *bar = memchr(line, '|', n), *cursor = line, *word;
  size_t length;
  DV_REQUIRE(bar && dv_scan_word(&cursor, &word, &length));
  const char *slash = memchr(word, '/', length);
  out->name = keep(r, word, slash ? (size_t)(slash - word) : length);
  if (slash) {
    char *alias = keep(r, slash + 1, (size_t)(word + length - slash - 1));
    for (char *c = alias; *c; c++) *c = *c == '/' ? ' ' : *c;
    out->alias = alias;
  }
  DV_REQUIRE(dv_scan_word(&cursor, &word, &length));
  const TypeName *type = find_type(word, length);
  DV_REQUIRE(type);
  out->type = type->type;
  out->width = type->width;
  const char *equal = memchr(cursor, '=', (size_t)(bar - cursor)), *end = line + n;
  out->initial = equal ? keep_trimmed(r, equal + 1, (size_t)(bar - equal - 1)) : "";
  const char *unit = memchr(bar, '[', (size_t)(end - bar)),
             *close = unit ? memchr(unit, ']', (size_t)(end - unit)) : NULL;
  out->help = keep_trimmed(r, bar + 1, (size_t)((close ? unit : end) - bar - 1));
  out->unit = close ? keep(r, unit + 1, (size_t)(close - unit - 1)) : "";
  return type->size;
}

static int count_lines(const char *text)
{
  int n = 0;
  for (; text && *text; text++) n += *text == '\n';
  return n;
}

static void read_lines(dvRegistry *r, const dvSettingRow *row, const char *text, dvFieldDesc *fields, int *count,
                       size_t *size)
{
  for (; text && *text; text = strchr(text, '\n') + 1) {
    dvFieldDesc *f = &fields[(*count)++];
    size_t bytes = read_line(r, text, strcspn(text, "\n"), f);
    f->offset = *size;
    f->flags = row->role == DV_ROLE_COLLISION ? 0 : DV_LOOKS;
    *size += (bytes + 7) / 8 * 8;
  }
}

const dvClass *dv_setting_class(dvRegistry *r, const dvSettingRow *row)
{
  int lines = count_lines(row->fields) + count_lines(row->more), count = 0;
  struct Made {
    dvClass cls;
    dvFieldBlock block;
    dvFieldDesc fields[];
  } *made = dv_alloc(sizeof *made + (size_t)lines * sizeof(dvFieldDesc));
  dv_push(&r->owned, (void *)made);
  size_t size = sizeof(dvObject);
  read_lines(r, row, row->fields, made->fields, &count, &size);
  read_lines(r, row, row->more, made->fields, &count, &size);
  made->block = (dvFieldBlock){made->fields, count};
  made->cls = (dvClass){
      .struct_size = sizeof(dvClass),
      .name = row->name,
      .aliases = row->aliases,
      .help = row->help,
      .module = row->module,
      .roles = 1u << row->role,
      .size = size,
      .blocks = {&dv_object_block, &made->block},
      .parse = row->parse,
      .init = row->init,
  };
  return &made->cls;
}

// divan anatomy: what the labels are. Entries are separated by commas, semicolons or lines:
//
//   1 = liver  young=4000 poisson=0.45 density=1060 hold=+y capsule=50 cell=0.012 grade=2 color=0.6/0.2/0.15
//   2 = portal vessel=liver  young=1e6 wall=0.15 least=0.0015 longest=0.02
//   4 = tumour part=liver  young=20000 density=1100
//   6 = ribs   bone=1
//   ligament = liver/stomach  stiffness=200 reach=0.01
//
// What follows a name is separated by spaces or colons. Behind # is a comment.
#include "anatomy.h"

#include "base/file.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double palette[][3] = {{0.62, 0.22, 0.18}, {0.85, 0.6, 0.5}, {0.35, 0.5, 0.3},  {0.85, 0.75, 0.5},
                                    {0.55, 0.35, 0.5},  {0.75, 0.4, 0.3}, {0.45, 0.45, 0.6}, {0.8, 0.55, 0.25}};
static const double part_colours[][3] = {{0.93, 0.83, 0.42}, {0.5, 0.7, 0.4}, {0.9, 0.5, 0.65}, {0.5, 0.7, 0.85}};
static const double bone_colour[] = {0.9, 0.86, 0.74};
static const double vessel_colours[][3] = {{0.25, 0.35, 0.75}, {0.8, 0.15, 0.15}, {0.45, 0.25, 0.6}};

// What is being read, for messages.
typedef struct Entry {
  const char *text;   // NULL: there is none
  const char *file;   // NULL: the command line
  int line;
} Entry;

static int bad(const Entry *entry, const char *format, ...) DV_PRINTF(2, 3);
static int bad(const Entry *entry, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  if (entry->file) fprintf(stderr, "%s:%d: error: '%s': ", entry->file, entry->line, entry->text);
  else if (entry->text) fprintf(stderr, "divan anatomy: error: --labels '%s': ", entry->text);
  else fprintf(stderr, "divan anatomy: error: ");
  vfprintf(stderr, format, args);
  fprintf(stderr, "\n");
  va_end(args);
  return DV_ERROR_INPUT;
}

Thing *plan_find(Plan *p, const char *name)
{
  for (size_t i = 0; i < p->count; i++)
    if (dv_same(p->things[i].name, name)) return &p->things[i];
  return NULL;
}

static bool is_name(const char *text)
{
  if (!isalpha((unsigned char)text[0]) || strlen(text) >= NAME_LENGTH) return false;
  for (const char *c = text; *c; c++)
    if (!isalnum((unsigned char)*c) && *c != '_' && *c != '-') return false;
  return true;
}

static Thing *add_thing(Plan *p, const char *name, int32_t label)
{
  Thing *t = &p->things[p->count];
  *t = (Thing){.label = label, .young = 4000, .poisson = 0.45, .density = 1050, .wall = 0.15, .grade = 2};
  dv_snprintf(t->name, sizeof t->name, "%s", name);
  dv_snprintf(t->hold, sizeof t->hold, "none");
  memcpy(t->colour, palette[p->count++ % DV_COUNT(palette)], sizeof t->colour);
  return t;
}

// --- options of an entry -------------------------------------------------------------------------

typedef struct Number {
  const char *name;
  size_t member;
  double low, high;
} Number;

static const Number organ_numbers[] = {{"young", offsetof(Thing, young), 1, 1e12},
                                       {"poisson", offsetof(Thing, poisson), 0, 0.499},
                                       {"density", offsetof(Thing, density), 1e-3, 1e5},
                                       {"capsule", offsetof(Thing, capsule), 0, 1e9},
                                       {"cell", offsetof(Thing, cell), 1e-6, 1e3},
                                       {"grade", offsetof(Thing, grade), 1, 4},
                                       {"bone", offsetof(Thing, bone), 0, 1}};
static const Number part_numbers[] = {{"young", offsetof(Thing, young), 1, 1e12},
                                      {"poisson", offsetof(Thing, poisson), 0, 0.499},
                                      {"density", offsetof(Thing, density), 1e-3, 1e5}};
static const Number vessel_numbers[] = {{"young", offsetof(Thing, young), 1, 1e12},
                                        {"poisson", offsetof(Thing, poisson), 0, 0.499},
                                        {"wall", offsetof(Thing, wall), 1e-3, 1},
                                        {"least", offsetof(Thing, least), 0, 1},
                                        {"longest", offsetof(Thing, longest), 1e-6, 1e3}};
static const Number ligament_numbers[] = {{"stiffness", offsetof(Ligament, stiffness), 0, 1e9},
                                          {"reach", offsetof(Ligament, reach), 1e-6, 1e3}};

static int set_number(const Entry *entry, void *into, const Number *list, size_t count, const char *key,
                      const char *value)
{
  const char *names[12];
  for (size_t i = 0; i < count; i++) {
    const char *s = value;
    double number;
    names[i] = list[i].name;
    if (!dv_same(list[i].name, key)) continue;
    if (!dv_scan_real(&s, &number) || *s || !(number >= list[i].low && number <= list[i].high))
      return bad(entry, "%s needs a number from %g to %g, not '%s'", key, list[i].low, list[i].high, value);
    *(double *)((char *)into + list[i].member) = number;
    return 0;
  }
  int near = dv_nearest(key, names, (int)count);
  return near >= 0 ? bad(entry, "'%s' is not known here; did you mean '%s'?", key, names[near])
                   : bad(entry, "'%s' is not known here", key);
}

static bool has_number(const Number *list, size_t count, const char *key)
{
  for (size_t i = 0; i < count; i++)
    if (dv_same(list[i].name, key)) return true;
  return false;
}

static int set_colour(const Entry *entry, Thing *t, const char *value)
{
  const char *s = value;
  for (int k = 0; k < 3; k++) {
    if (!dv_scan_real(&s, &t->colour[k]) || !(t->colour[k] >= 0 && t->colour[k] <= 1))
      return bad(entry, "color needs three numbers from 0 to 1 like 0.6/0.2/0.1, not '%s'", value);
    if (*s == '/') s++;
  }
  return *s ? bad(entry, "color needs three numbers, not '%s'", value) : 0;
}

static int set_thing(const Entry *entry, Thing *t, const char *key, const char *value)
{
  static const char *const sides[] = {"+x", "-x", "+y", "-y", "+z", "-z", "all", "none"};
  if (dv_same(key, "color")) return set_colour(entry, t, value);
  if (t->is_part) {
    if (!has_number(part_numbers, DV_COUNT(part_numbers), key) &&
        (dv_same(key, "hold") || has_number(organ_numbers, DV_COUNT(organ_numbers), key)))
      return bad(entry, "'%s' is said of the organ; a part has young, poisson, density and color", key);
    return set_number(entry, t, part_numbers, DV_COUNT(part_numbers), key, value);
  }
  if (dv_same(key, "hold") && !t->is_vessel) {
    for (size_t i = 0; i < DV_COUNT(sides); i++)
      if (dv_same(value, sides[i])) {
        dv_snprintf(t->hold, sizeof t->hold, "%s", value);
        return 0;
      }
    return bad(entry, "hold needs a side: +x -x +y -y +z -z, all or none, not '%s'", value);
  }
  return t->is_vessel ? set_number(entry, t, vessel_numbers, DV_COUNT(vessel_numbers), key, value)
                      : set_number(entry, t, organ_numbers, DV_COUNT(organ_numbers), key, value);
}

// --- entries -------------------------------------------------------------------------------------

// the next word up to a space or colon, cut out; NULL at the end
static char *next_word(char **at)
{
  char *s = *at + strspn(*at, " \t:\r");
  if (!*s) return NULL;
  char *end = s + strcspn(s, " \t:\r");
  *at = *end ? end + 1 : end;
  *end = 0;
  return s;
}

// NAME=VALUE: the value, with the name cut off; NULL after a message
static const char *value_of(const Entry *entry, char *word)
{
  char *equals = strchr(word, '=');
  if (!equals || equals == word || !equals[1]) {
    bad(entry, "'%s' is no option; write its name, = and its value without blanks, as in young=4000", word);
    return NULL;
  }
  *equals = 0;
  return equals + 1;
}

static int read_ligament(Plan *p, const Entry *entry, char *name, char *rest)
{
  if (p->ligament_count == MOST_THINGS) return bad(entry, "more than %d ligaments", MOST_THINGS);
  Ligament *l = &p->ligaments[p->ligament_count++];
  *l = (Ligament){.stiffness = 200, .line = entry->line};
  char *slash = strchr(name, '/');
  if (!slash) return bad(entry, "a ligament joins two organs: ligament=liver/stomach");
  *slash = 0;
  dv_snprintf(l->from, sizeof l->from, "%s", name);
  dv_snprintf(l->to, sizeof l->to, "%s", slash + 1);
  for (char *word; (word = next_word(&rest));) {
    const char *value = value_of(entry, word);
    if (!value) return DV_ERROR_INPUT;
    int status = set_number(entry, l, ligament_numbers, DV_COUNT(ligament_numbers), word, value);
    if (status) return status;
  }
  return 0;
}

// is there NAME=... among the words?
static bool has_option(const char *words, const char *name)
{
  size_t length = strlen(name);
  for (const char *at = words; *(at += strspn(at, " \t:\r")); at += strcspn(at, " \t:\r"))
    if (strncmp(at, name, length) == 0 && at[length] == '=') return true;
  return false;
}

// what it is made of when nothing else is said, which may stand before `vessel` and behind it
static void make_vessel(Thing *t, size_t number)
{
  t->is_vessel = true;
  t->young = 1e6;
  memcpy(t->colour, vessel_colours[number % DV_COUNT(vessel_colours)], sizeof t->colour);
}

// what is not said of it is that of its organ
static void make_part(Thing *t, size_t number)
{
  t->is_part = true;
  t->young = t->poisson = t->density = NAN;
  memcpy(t->colour, part_colours[number % DV_COUNT(part_colours)], sizeof t->colour);
}

static int read_thing(Plan *p, const Entry *entry, int32_t label, const char *name, char *rest)
{
  if (!is_name(name)) return bad(entry, "'%s' is not a name: letters, digits, - and _, a letter first", name);
  if (plan_find(p, name)) return bad(entry, "there are two things called '%s'", name);
  if (p->count == MOST_THINGS) return bad(entry, "more than %d things", MOST_THINGS);
  for (size_t i = 0; i < p->count; i++)
    if (p->things[i].label == label) return bad(entry, "label %d is '%s' already", label, p->things[i].name);
  Thing *t = add_thing(p, name, label);
  t->line = entry->line;
  bool vessel = has_option(rest, "vessel"), part = has_option(rest, "part"), coloured = has_option(rest, "color");
  if (vessel && part) return bad(entry, "'%s' is either vessels or a part of an organ", name);
  size_t parts = 0;
  for (size_t i = 0; i < p->count; i++) parts += p->things[i].is_part;
  if (vessel) make_vessel(t, p->count);
  if (part) make_part(t, parts);
  for (char *word; (word = next_word(&rest));) {
    const char *value = value_of(entry, word);
    if (!value) return DV_ERROR_INPUT;
    int status = 0;
    if (dv_same(word, "vessel") || dv_same(word, "part")) dv_snprintf(t->inside, sizeof t->inside, "%s", value);
    else status = set_thing(entry, t, word, value);
    if (status) return status;
  }
  if (t->bone > 0 && !coloured) memcpy(t->colour, bone_colour, sizeof t->colour);
  return 0;
}

static int read_entry(Plan *p, char *text, int line)
{
  char *hash = strchr(text, '#');
  if (hash) *hash = 0;
  char *start = text + strspn(text, " \t\r");
  if (!*start) return 0;
  char *copy = dv_strdup(start), *equals = strchr(start, '=');
  for (size_t n = strlen(copy); n && dv_is_space(copy[n - 1]);) copy[--n] = 0;
  const Entry whole = {copy, p->file, line}, *entry = &whole;
  int status;
  if (!equals && !p->file && strpbrk(start, "./\\")) {
    status = bad(entry, "there is no such file; an entry is LABEL=NAME, as in 1=liver");
  } else if (!equals) {
    status = bad(entry, "write LABEL=NAME, as in 1=liver");
  } else {
    *equals = 0;
    char *rest = equals + 1, *key = start, *name;
    key[strcspn(key, " \t")] = 0;
    name = next_word(&rest);
    const char *s = key;
    long long label;
    if (!name) status = bad(entry, "the name is missing behind '='");
    else if (dv_same(key, "ligament")) status = read_ligament(p, entry, name, rest);
    else if (!dv_scan_int(&s, &label) || *s || label < 1 || label > 1000000)
      status = bad(entry, "'%s' is not a label: a whole number from 1 to 1000000, or 'ligament'", key);
    else status = read_thing(p, entry, (int32_t)label, name, rest);
  }
  dv_free(copy);
  return status;
}

// vessels and parts lie in an organ, which may be named after them
static int check_inside(Plan *p, Thing *t)
{
  const Thing *organ = plan_find(p, t->inside);
  const Entry entry = {t->name, p->file, t->line};
  const char *what = t->is_part ? "part" : "vessel";
  if (organ && organ->is_part && organ != t)
    return bad(&entry, "'%s' is itself a part of an organ: write %s=%s", organ->name, what, organ->inside);
  if (!organ || !is_organ(organ) || organ->bone > 0) {
    const char *names[MOST_THINGS] = {0};
    int count = 0;
    for (size_t i = 0; i < p->count && !organ; i++)
      if (is_organ(&p->things[i])) names[count++] = p->things[i].name;
    int near = dv_nearest(t->inside, names, count);
    return bad(&entry, "%s, and '%s' is none%s%s%s",
               t->is_part ? "a part is one of an organ" : "vessels lie in an organ", t->inside,
               near >= 0 ? "; did you mean '" : "", near >= 0 ? names[near] : "", near >= 0 ? "'?" : "");
  }
  if (!t->is_part) return 0;
  if (isnan(t->young)) t->young = organ->young;
  if (isnan(t->poisson)) t->poisson = organ->poisson;
  if (isnan(t->density)) t->density = organ->density;
  return 0;
}

static int check_names(Plan *p)
{
  for (size_t i = 0; i < p->count; i++) {
    int status = is_organ(&p->things[i]) ? 0 : check_inside(p, &p->things[i]);
    if (status) return status;
  }
  for (size_t i = 0; i < p->ligament_count; i++) {
    const Ligament *l = &p->ligaments[i];
    const char *const ends[2] = {l->from, l->to};
    const Entry entry = {"ligament", p->file, l->line};
    for (int e = 0; e < 2; e++) {
      const Thing *t = plan_find(p, ends[e]);
      if (!t || !is_organ(t)) return bad(&entry, "there is no organ '%s'", ends[e]);
    }
    if (plan_find(p, l->from)->bone > 0)
      return bad(&entry, "'%s' is bone: name the organ first, as in ligament=liver/%s", l->from, l->from);
    if (dv_same(l->from, l->to)) return bad(&entry, "'%s' cannot be tied to itself", l->from);
  }
  return 0;
}

int plan_read(Plan *p, const char *text, const int32_t *labels, char (*names)[NAME_LENGTH], size_t count)
{
  if (!text) {
    if (count > MOST_THINGS)
      return bad(&(Entry){0},
                 "the input has %zu labels; say which are organs with --labels. A scan must be segmented first", count);
    for (size_t i = 0; i < count; i++) {
      if (plan_find(p, names[i])) return bad(&(Entry){0}, "two files are called '%s'; name them", names[i]);
      add_thing(p, names[i], labels[i]);
    }
    return 0;
  }
  char *file = dv_file_is_regular(text) ? dv_file_read(text, NULL) : NULL, *all = file ? file : dv_strdup(text);
  int status = 0, line = 1;
  if (file) p->file = text;
  for (char *at = all + (strncmp(all, "\xef\xbb\xbf", 3) == 0 ? 3 : 0); *at && !status;) {
    // a comma inside of a file's comment ends no entry
    size_t length = *at == '#' ? strcspn(at, "\n") : strcspn(at, ",;\n#");
    bool comment = at[length] == '#';
    if (comment) length += strcspn(at + length, "\n");
    char *next = at[length] ? at + length + 1 : at + length;
    bool ends = at[length] == '\n';
    at[length] = 0;
    status = read_entry(p, at, line);
    line += ends;
    at = next;
  }
  dv_free(all);
  if (!status && !p->count)
    status = bad(&(Entry){.text = text}, "it names nothing; write 1=liver,2=portal:vessel=liver or a file");
  return status ? status : check_names(p);
}

void plan_free(Plan *p)
{
  for (size_t i = 0; i < p->count; i++) {
    Thing *t = &p->things[i];
    dv_skin_free(&t->skin);
    dv_mask_free(&t->mask);
    dv_array_free(&t->x);
    dv_array_free(&t->tetrahedra);
    dv_array_free(&t->border);
    dv_array_free(&t->fine);
    dv_array_free(&t->part);
    dv_vessels_free(&t->vessels);
    dv_vessel_beams_free(&t->beams);
  }
  for (size_t i = 0; i < p->ligament_count; i++) {
    dv_array_free(&p->ligaments[i].pairs);
    dv_array_free(&p->ligaments[i].lengths);
  }
}

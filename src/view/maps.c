// See maps.h. Schemes are SOFA's: hues of full colours, mixtures of two colours, and one colour from dark to pale.
#include "view/maps.h"

#include "base/text.h"

#include <math.h>
#include <string.h>

typedef enum Kind { HUES, MIXED, SHADES } Kind;

static const struct {
  const char *name;
  Kind kind;
  double from[3], to[3];   // HUES: of a turn, in [0]; SHADES: the colour, and 1 for pale to dark
} schemes[] = {{"HSV", HUES, {0}, {1}},
               {"Red to Blue", HUES, {0}, {2.0 / 3}},
               {"Blue to Red", HUES, {2.0 / 3}, {0}},
               {"Yellow to Cyan", HUES, {1.0 / 6}, {0.5}},
               {"Cyan to Yellow", HUES, {0.5}, {1.0 / 6}},
               {"Red to Yellow", MIXED, {1, 0, 0}, {1, 1, 0}},
               {"Yellow to Red", MIXED, {1, 1, 0}, {1, 0, 0}},
               {"Yellow to Green", MIXED, {1, 1, 0}, {0, 1, 0}},
               {"Green to Yellow", MIXED, {0, 1, 0}, {1, 1, 0}},
               {"Green to Cyan", MIXED, {0, 1, 0}, {0, 1, 1}},
               {"Cyan to Green", MIXED, {0, 1, 1}, {0, 1, 0}},
               {"Cyan to Blue", MIXED, {0, 1, 1}, {0, 0, 1}},
               {"Blue to Cyan", MIXED, {0, 0, 1}, {0, 1, 1}},
               {"Red", SHADES, {1, 0, 0}, {0}},
               {"RedInv", SHADES, {1, 0, 0}, {1}},
               {"Green", SHADES, {0, 1, 0}, {0}},
               {"GreenInv", SHADES, {0, 1, 0}, {1}},
               {"Blue", SHADES, {0, 0, 1}, {0}},
               {"BlueInv", SHADES, {0, 0, 1}, {1}}};

static const char names_of_schemes[] =
    "HSV, Red to Blue, Blue to Red, Yellow to Cyan, Cyan to Yellow, Red to Yellow, Yellow to Red, Yellow to Green, "
    "Green to Yellow, Green to Cyan, Cyan to Green, Cyan to Blue, Blue to Cyan, Red, RedInv, Green, GreenInv, Blue, "
    "BlueInv";

static const void *value_of(const dvObject *map, const char *name, dvFieldType type)
{
  dvField *f = dv_object_field((dvObject *)map, name);
  if (!f || f->desc->type != type) return NULL;
  dv_field_pull(f);
  return f->value;
}

static double number_of(const dvObject *map, const char *name, double fallback)
{
  const double *v = value_of(map, name, DV_T_REAL);
  return v && isfinite(*v) ? *v : fallback;
}

static const char *word_of(const dvObject *map, const char *name)
{
  char *const *v = value_of(map, name, DV_T_STRING);
  return v && *v ? *v : "";
}

static bool flag_of(const dvObject *map, const char *name)
{
  const bool *v = value_of(map, name, DV_T_BOOL);
  return v && *v;
}

static bool was_set(const dvObject *map, const char *name)
{
  const dvField *f = dv_object_field((dvObject *)map, name);
  return f && f->was_set;
}

static bool is_map(const dvObject *o)
{
  return dv_same(o->cls->name, "OglColorMap") && !o->failed && o->initialised && flag_of(o, "enable");
}

bool dv_map_range(const dvObject *o, double range[2])
{
  const double *v = value_of(o, "userRange", DV_T_VEC);
  if (!v || !isfinite(v[0]) || !isfinite(v[1]) || !(v[0] < v[1])) return false;
  range[0] = v[0], range[1] = v[1];
  return true;
}

const dvObject *dv_map_of(const dvObject *o)
{
  const dvLink *link = value_of(o, "colorMap", DV_T_LINK);
  if (link && link->target && is_map(link->target)) return link->target;
  for (const dvNode *n = o->node; n; n = n->parents.count ? n->parents.data[0] : NULL)
    for (size_t i = n->objects.count; i-- > 0;) {
      const dvObject *map = n->objects.data[i];
      if (is_map(map)) return map;
    }
  return NULL;
}

static int scheme_of(const dvObject *map)
{
  const char *name = word_of(map, "colorScheme");
  for (size_t i = 0; i < DV_COUNT(schemes); i++)
    if (dv_same(schemes[i].name, name)) return (int)i;
  return -1;
}

bool dv_map_known(const dvObject *map, const char **names)
{
  *names = names_of_schemes;
  return scheme_of(map) >= 0;
}

// a full colour: red, yellow, green, cyan, blue, magenta at sixths of a turn
static double hue(double turn, int k)
{
  static const double shift[3] = {0, 4, 2};
  double x = fmod(6 * turn + shift[k], 6);
  return fmin(1, fmax(0, fabs(x - 3) - 1));
}

static double part_of(int scheme, double t, int k)
{
  const double *from = schemes[scheme].from, *to = schemes[scheme].to;
  if (schemes[scheme].kind == HUES) return hue(from[0] + t * (to[0] - from[0]), k);
  if (schemes[scheme].kind == MIXED) return from[k] + t * (to[k] - from[k]);
  double along = to[0] > 0 ? 1 - t : t;   // 0.3 of it, all of it in the middle, then towards white
  return along < 0.5 ? from[k] * (0.3 + 1.4 * along) : from[k] + (1 - from[k]) * 1.4 * (along - 0.5);
}

void dv_map_read(const dvObject *map, dvColourMap *out)
{
  static const unsigned viridis[] = {0x440154, 0x482878, 0x3e4a89, 0x31688e, 0x26828e,
                                     0x1f9e89, 0x35b779, 0x6dcd59, 0xb4de2c, 0xfde725};
  memset(out, 0, sizeof *out);
  if (!map) {
    out->count = DV_COUNT(viridis);
    for (int i = 0; i < out->count; i++)
      for (int k = 0; k < 3; k++) out->rgb[i][k] = (unsigned char)(viridis[i] >> (16 - 8 * k) & 255);
    return;
  }
  const int *size = value_of(map, "paletteSize", DV_T_INT);
  int scheme = scheme_of(map);
  if (scheme < 0) scheme = 0;
  out->count = size && *size >= 2 && *size <= DV_MAP_MOST ? *size : DV_MAP_MOST;
  for (int i = 0; i < out->count; i++)
    for (int k = 0; k < 3; k++)
      out->rgb[i][k] = (unsigned char)lround(255 * part_of(scheme, (double)i / (out->count - 1), k));
}

void dv_map_at(const dvColourMap *map, double t, unsigned char rgb[3])
{
  double x = fmin(1, fmax(0, t)) * (map->count - 1);
  int at = (int)fmin(x, map->count - 2);
  for (int k = 0; k < 3; k++) {
    double a = map->rgb[at][k], b = map->rgb[at + 1][k];
    rgb[k] = (unsigned char)lround(a + (x - at) * (b - a));
  }
}

dvMapLegend dv_map_legend(const dvObject *map)
{
  return (dvMapLegend){.title = word_of(map, "legendTitle"),
                       .scale = number_of(map, "legendRangeScale", 1),
                       .low = number_of(map, "min", 0),
                       .high = number_of(map, "max", 0),
                       .shown = flag_of(map, "showLegend"),
                       .hidden = was_set(map, "showLegend") && !flag_of(map, "showLegend")};
}

typedef struct Lone {
  dvVisitor visitor;
  const dvDraw *draw;
  const dvObject **list;
  size_t count, most;
} Lone;

static dvWalk look_for_lone(dvVisitor *v, dvNode *node)
{
  Lone *lone = (Lone *)v;
  for (size_t i = 0; i < node->objects.count && lone->count < lone->most; i++) {
    const dvObject *o = node->objects.data[i];
    if (!is_map(o)) continue;
    dvMapLegend says = dv_map_legend(o);
    bool used = false;
    for (size_t k = 0; k < lone->draw->list.count && !used; k++) used = lone->draw->list.data[k].map == o;
    if (says.shown && says.low < says.high && !used) lone->list[lone->count++] = o;
  }
  return DV_WALK_ON;
}

size_t dv_map_lone(const dvDraw *draw, const dvObject **list, size_t most)
{
  Lone lone = {.visitor = {.top_down = look_for_lone}, .draw = draw, .list = list, .most = most};
  if (draw->scene) dv_visit(draw->scene->root, &lone.visitor);
  return lone.count;
}

json_t *dv_map_row(const dvObject *map)
{
  dvColourMap colours;
  dvMapLegend legend = dv_map_legend(map);
  json_t *list = json_array(), *title = json_string(legend.title);
  dv_map_read(map, &colours);
  for (int i = 0; i < colours.count; i++) {
    char hex[8];
    dv_snprintf(hex, sizeof hex, "%02x%02x%02x", colours.rgb[i][0], colours.rgb[i][1], colours.rgb[i][2]);
    json_array_append_new(list, json_string(hex));
  }
  return json_pack("{s:o, s:o, s:f, s:b}", "colours", list, "title", title ? title : json_string(""), "scale",
                   legend.scale, "hidden", (int)legend.hidden);
}

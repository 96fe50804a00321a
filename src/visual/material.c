// Materials. See material.h.
#include "visual/material.h"

#include <string.h>

const dvShading dv_plain_shading = {.ambient = {0.2, 0.2, 0.2, 1},
                                    .diffuse = {0.75, 0.75, 0.75, 1},
                                    .specular = {0, 0, 0, 1},
                                    .emissive = {0, 0, 0, 1},
                                    .shininess = 45};

static bool read_colour(const char **cursor, double out[4])
{
  double values[4];
  for (int i = 0; i < 4; i++)
    if (!dv_scan_real(cursor, &values[i])) return false;
  memcpy(out, values, sizeof values);
  return true;
}

static bool is_word(const char *word, size_t length, const char *name)
{
  return strlen(name) == length && strncmp(word, name, length) == 0;
}

void dv_material_parse(dvShading *m, const char *text)
{
  const struct {
    const char *name;
    double *colour;
    bool off;   // black when switched off
  } parts[] = {{"Diffuse", m->diffuse, false},
               {"Ambient", m->ambient, false},
               {"Specular", m->specular, true},
               {"Emissive", m->emissive, true}};
  const char *word;
  size_t length;
  while (dv_scan_word(&text, &word, &length)) {
    double on, value;
    if (is_word(word, length, "Shininess")) {
      if (dv_scan_real(&text, &on) && dv_scan_real(&text, &value) && on != 0) m->shininess = value;
      continue;
    }
    for (size_t i = 0; i < DV_COUNT(parts); i++) {
      if (!is_word(word, length, parts[i].name)) continue;
      if (!dv_scan_real(&text, &on) || !read_colour(&text, parts[i].colour)) return;
      if (on == 0 && parts[i].off) memset(parts[i].colour, 0, 3 * sizeof(double));
    }
  }
}

dvShading dv_visual_material(const dvVisualModel *v)
{
  dvShading m = dv_plain_shading;
  const dvObject *o = &v->base.state.base;
  bool coloured = dv_was_set(o, &v->color);
  if (*v->material && (dv_was_set(o, &v->material) || !coloured)) {   // one of a file gives way to a colour
    dv_material_parse(&m, v->material);
  } else if (coloured) {
    for (int i = 0; i < 4; i++) m.diffuse[i] = v->color[i];
    for (int i = 0; i < 3; i++) m.ambient[i] = 0.2 * v->color[i];
  }
  return m;
}

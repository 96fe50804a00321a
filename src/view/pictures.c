// Names of the pictures that a scene wants drawn: `file/SERIAL/N`, the N-th of the list that had that number. A list
// that names other files, or in another order, gets the next number, so that an address never stands for another
// picture: who still asks for one of a scene that is gone gets nothing. In recordings they are `file/N`, of the list
// that the layout has.
#include "view/inside.h"

#include <stdio.h>

static bool same_names(const dvSession *s)
{
  if (s->pictures.count != s->draw.textures.count) return false;
  for (size_t i = 0; i < s->pictures.count; i++)
    if (!dv_same(s->pictures.data[i], s->draw.textures.data[i])) return false;
  return true;
}

unsigned dv_session_pictures(dvSession *s)
{
  if (s->pictures_serial && same_names(s)) return s->pictures_serial;
  dv_view_free_pictures(s);
  for (size_t i = 0; i < s->draw.textures.count; i++) dv_push(&s->pictures, dv_strdup(s->draw.textures.data[i]));
  return ++s->pictures_serial;
}

void dv_view_free_pictures(dvSession *s)
{
  for (size_t i = 0; i < s->pictures.count; i++) dv_free(s->pictures.data[i]);
  dv_array_free(&s->pictures);
}

char *dv_session_texture(dvSession *s, size_t index)
{
  return index < s->draw.textures.count ? dv_view_allowed(s, s->draw.textures.data[index]) : NULL;
}

size_t dv_session_texture_count(const dvSession *s) { return s->draw.textures.count; }

// --- the addresses in a description --------------------------------------------------------------

long dv_view_picture_number(const json_t *address)
{
  const char *at = json_string_value(address);
  long long number = -1;
  if (!at || !dv_starts_with(at, "file/")) return -1;
  at += 5;
  return *at >= '0' && *at <= '9' && dv_scan_int(&at, &number) && !*at && number <= INT32_MAX ? (long)number : -1;
}

// a recording may say anything there: what is no number of a picture becomes none
static json_t *address_of(const json_t *given, unsigned serial)
{
  char name[48];
  long number = dv_view_picture_number(given);
  if (number < 0) return json_null();
  snprintf(name, sizeof name, "file/%u/%ld", serial, number);
  return json_string(name);
}

static void rename_in(json_t *object, const char *key, unsigned serial)
{
  const json_t *given = json_object_get(object, key);
  if (given && !json_is_null(given)) json_object_set_new(object, key, address_of(given, serial));
}

void dv_view_name_pictures(dvSession *s, json_t *scene)
{
  unsigned serial = dv_session_pictures(s);
  json_t *row, *part, *sampler;
  size_t i, k, n;
  json_array_foreach(json_object_get(scene, "drawables"), i, row)
  {
    rename_in(json_object_get(row, "material"), "texture", serial);
    json_array_foreach(json_object_get(row, "parts"), k, part)
        rename_in(json_object_get(part, "material"), "texture", serial);
  }
  json_array_foreach(json_object_get(scene, "shaders"), i, row)
      json_array_foreach(json_object_get(row, "samplers"), k, sampler)
  {
    json_t *sides = json_object_get(sampler, "cube");
    rename_in(sampler, "file", serial);
    for (n = 0; n < json_array_size(sides); n++)
      json_array_set_new(sides, n, address_of(json_array_get(sides, n), serial));
  }
  rename_in(json_object_get(scene, "looks"), "picture", serial);
}

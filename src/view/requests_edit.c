// Requests: building a scene. See request.h and edit.h.
#include "view/edit.h"
#include "view/request.h"

#include "base/file.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

json_t *dv_do_library(dvRequest *r) { return dv_view_library(r->session); }
json_t *dv_do_class(dvRequest *r) { return dv_view_class(r->session, dv_request_text(r, "class")); }

json_t *dv_do_example(dvRequest *r)
{
  return dv_view_example(r->session, dv_request_text(r, "file"), json_is_true(json_object_get(r->body, "open")));
}

json_t *dv_do_text(dvRequest *r)
{
  json_t *error = dv_edit_refusal(r->session), *answer = dv_view_ok();
  if (error && !r->session->editing) {
    json_decref(answer);
    return error;
  }
  json_decref(error);
  dv_view_put_text(answer, "text", r->session->editing->document.text.text);
  return answer;
}

// --- adding --------------------------------------------------------------------------------------

// <Class name="..." field="..."/>
static char *element_text(const dvRequest *r, const char *type, const char *name)
{
  dvText xml = {0};
  const char *key;
  json_t *value;
  dv_text_printf(&xml, "<%s", type);
  if (name && *name) {
    dv_text_add(&xml, " name=\"");
    dv_document_escape(&xml, name);
    dv_text_add(&xml, "\"");
  }
  json_object_foreach(json_object_get(r->body, "attributes"), key, value)
  {
    if (!json_is_string(value) ||
        strspn(key, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") != strlen(key))
      continue;
    dv_text_printf(&xml, " %s=\"", key);
    dv_document_escape(&xml, json_string_value(value));
    dv_text_add(&xml, "\"");
    r->session->editing->by_page = true;
  }
  dv_text_add(&xml, "/>");
  return dv_text_take(&xml);
}

static json_t *add_component(dvRequest *r)
{
  dvSession *s = r->session;
  const char *type = dv_request_text(r, "class"), *path = dv_request_text(r, "path");
  const dvClass *cls = dv_registry_find(&s->context->registry, type);
  if (!cls) return dv_view_error("`library` lists them", "there is no component '%.100s'", type);
  const char *wanted = dv_request_text(r, "name");
  json_t *error = *wanted ? dv_edit_bad_name(wanted) : NULL;
  if (error) return error;
  char *name = *wanted ? dv_edit_free_name(s, path, wanted) : NULL;
  char *xml = element_text(r, cls->name, name), *what = dv_format("add %s", cls->name);
  json_t *answer = dv_edit_insert(s, path, dv_request_text(r, "before"), xml, what);
  dv_free(xml), dv_free(what), dv_free(name);
  return answer;
}

static json_t *add_node(dvRequest *r)
{
  const char *path = dv_request_text(r, "path"), *wanted = dv_request_text(r, "name");
  json_t *error = *wanted ? dv_edit_bad_name(wanted) : NULL;
  if (error) return error;
  char *name = dv_edit_free_name(r->session, path, *wanted ? wanted : "Node"), *xml = element_text(r, "Node", name);
  char *what = dv_format("add node %s", name);
  json_t *answer = dv_edit_insert(r->session, path, dv_request_text(r, "before"), xml, what);
  dv_free(name), dv_free(xml), dv_free(what);
  return answer;
}

// a piece of a scene as text: what was copied elsewhere
static json_t *add_text(dvRequest *r)
{
  const char *text = dv_request_text(r, "text");
  r->session->editing->by_page = true;
  return dv_edit_insert(r->session, dv_request_text(r, "path"), dv_request_text(r, "before"), text, "paste");
}

json_t *dv_do_add(dvRequest *r)
{
  json_t *error = dv_edit_refusal(r->session);
  if (error) return error;
  if (*dv_request_text(r, "preset")) return dv_view_add_preset(r->session, dv_request_text(r, "preset"));
  if (*dv_request_text(r, "mesh"))
    return dv_view_add_mesh(r->session, dv_request_text(r, "mesh"), dv_request_text(r, "as"),
                            dv_request_text(r, "inside"));
  if (*dv_request_text(r, "text")) return add_text(r);
  return *dv_request_text(r, "class") ? add_component(r) : add_node(r);
}

json_t *dv_do_copy(dvRequest *r)
{
  dvSession *s = r->session;
  json_t *error = dv_edit_refusal(s);
  dvObject *o = error ? NULL : dv_view_find(s, dv_request_text(r, "path"));
  if (!error && !o) error = dv_view_error(NULL, "there is no %.200s", dv_request_text(r, "path"));
  int tag = error ? -1 : dv_edit_tag(s, o, &error);
  if (tag < 0) return error;
  char *text = dv_document_margin(&s->editing->document, dv_document_whole(&s->editing->document, tag));
  json_t *answer = dv_view_ok();
  dv_view_put_text(answer, "text", text);
  dv_free(text);
  return answer;
}

// --- changing ------------------------------------------------------------------------------------

json_t *dv_do_take_out(dvRequest *r) { return dv_edit_remove(r->session, dv_request_text(r, "path"), DV_EDIT_ANY); }

json_t *dv_do_move(dvRequest *r)
{
  return dv_edit_move(r->session, dv_request_text(r, "path"), dv_request_text(r, "to"), dv_request_text(r, "before"));
}

json_t *dv_do_rename(dvRequest *r)
{
  return dv_edit_rename(r->session, dv_request_text(r, "path"), dv_request_text(r, "name"));
}

// an attribute of the text, whatever becomes of it; without a text it is taken away
json_t *dv_do_attribute(dvRequest *r)
{
  dvSession *s = r->session;
  json_t *error = dv_edit_refusal(s);
  if (error) return error;
  const char *value = json_string_value(json_object_get(r->body, "text"));
  s->editing->by_page = s->editing->by_page || value;
  error = dv_edit_attribute(s, dv_request_text(r, "path"), dv_request_text(r, "field"), value, DV_EDIT_ANY);
  return error ? error : dv_view_ok();
}

json_t *dv_do_place(dvRequest *r)
{
  dvPlacing p = {.scale = {1, 1, 1}, .turn = {0, 0, 0, 1}};
  double by[3], scale[3], pivot[3], turn[4] = {0, 0, 0, 1};
  json_t *list = json_object_get(r->body, "turn");
  if (dv_request_point(r, "translate", by)) p.translate = dv_vec3_load(by);
  if (dv_request_point(r, "pivot", pivot)) p.pivot = dv_vec3_load(pivot);
  if (dv_request_point(r, "scale", scale)) p.scale = dv_vec3_load(scale);
  for (size_t i = 0; json_array_size(list) == 4 && i < 4; i++) turn[i] = json_number_value(json_array_get(list, i));
  p.turn = dv_quat_load(turn);
  double length = sqrt(dv_quat_dot(p.turn, p.turn));
  if (!(length > 0.5 && length < 2)) return dv_view_error(NULL, "a rotation is a quaternion of length 1");
  p.turn = dv_quat_scale(p.turn, 1 / length);
  if (!(fabs(p.scale.x) >= 1e-6 && fabs(p.scale.y) >= 1e-6 && fabs(p.scale.z) >= 1e-6))
    return dv_view_error(NULL, "a body cannot be scaled to nothing");
  return dv_edit_place(r->session, dv_request_text(r, "path"), &p);
}

json_t *dv_do_redo(dvRequest *r) { return dv_edit_redo(r->session); }

json_t *dv_do_check(dvRequest *r)
{
  dv_edit_check(r->session);
  return dv_view_ok();
}

json_t *dv_do_mesh_part(dvRequest *r)
{
  double at = -1, total = -1;
  dv_request_number(r, "at", &at);
  dv_request_number(r, "total", &total);
  return dv_upload_part(r->session, dv_request_text(r, "name"), at, total, dv_request_text(r, "data"));
}

json_t *dv_do_fill(dvRequest *r)
{
  return dv_view_fill_mesh(r->session, dv_request_text(r, "mesh"), json_is_true(json_object_get(r->body, "stop")));
}

// --- selecting -----------------------------------------------------------------------------------

enum { MOST_CORNERS = 2000 };

static bool read_numbers(const dvRequest *r, const char *key, double *out, size_t count)
{
  json_t *list = json_object_get(r->body, key), *n;
  size_t i;
  if (json_array_size(list) != count) return false;
  json_array_foreach(list, i, n)
  {
    out[i] = json_is_number(n) ? json_number_value(n) : NAN;
    if (!isfinite(out[i]) || fabs(out[i]) > 1e30) return false;
  }
  return true;
}

json_t *dv_do_select(dvRequest *r)
{
  dvSelecting a = {.through = json_is_true(json_object_get(r->body, "through")),
                   .elements = json_is_true(json_object_get(r->body, "elements")),
                   .parallel = json_is_true(json_object_get(r->body, "parallel"))};
  double polygon[2 * MOST_CORNERS], eye[3] = {0, 0, 0};
  size_t numbers = json_array_size(json_object_get(r->body, "polygon"));
  if (!r->session->ready) return dv_view_not_ready();
  if (numbers < 6 || numbers % 2 || numbers > 2 * MOST_CORNERS || !read_numbers(r, "polygon", polygon, numbers) ||
      !read_numbers(r, "matrix", a.matrix, 16))
    return dv_view_error(NULL, "an area is a polygon of 3 to %d corners, with the matrix of the picture", MOST_CORNERS);
  if (!dv_request_point(r, "eye", eye)) a.through = true;
  a.eye = dv_vec3_load(eye);
  a.polygon = polygon;
  a.count = numbers / 2;
  return dv_select_area(r->session, dv_request_text(r, "path"), &a);
}

static int32_t *read_points(const dvRequest *r, size_t *count)
{
  json_t *list = json_object_get(r->body, "points"), *n;
  size_t i;
  *count = json_array_size(list);
  int32_t *points = dv_alloc((*count + 1) * sizeof *points);
  json_array_foreach(list, i, n) points[i] =
      json_is_integer(n) && json_integer_value(n) >= 0 && json_integer_value(n) < INT32_MAX
          ? (int32_t)json_integer_value(n)
          : -1;
  return points;
}

json_t *dv_do_where(dvRequest *r)
{
  size_t count;
  if (!r->session->ready) return dv_view_not_ready();
  int32_t *points = read_points(r, &count);
  json_t *answer = dv_select_where(r->session, dv_request_text(r, "path"), points, count);
  dv_free(points);
  return answer;
}

json_t *dv_do_use(dvRequest *r)
{
  size_t count;
  if (!r->session->ready) return dv_view_not_ready();
  int32_t *points = read_points(r, &count);
  json_t *answer = dv_select_use(r->session, dv_request_text(r, "path"), dv_request_text(r, "as"), points, count);
  dv_free(points);
  return answer;
}

// --- saving --------------------------------------------------------------------------------------

static bool write_whole(const char *path, const dvText *text)
{
  FILE *f = dv_file_write(path, "wb");
  bool good = f && fwrite(text->text, 1, text->length, f) == text->length;
  if (f) good = fclose(f) == 0 && good;
  return good;
}

// a plain name next to the scene; an existing file only when that is wanted
static char *place_to_save(dvSession *s, const char *name, bool replace, json_t **error)
{
  size_t n = strlen(name);
  if (!n || n > 200 || strchr(name, '/') || name[0] == '.') {
    *error =
        dv_view_error("give a plain name; it is written next to the scene", "'%.100s' is not a name for a file", name);
    return NULL;
  }
  char *folder = dv_path_directory(s->file ? s->file : s->name);
  bool ends = dv_ends_with_nocase(name, ".scn") || dv_ends_with_nocase(name, ".xml");
  char *with = ends ? dv_strdup(name) : dv_format("%s.scn", name), *path = dv_path_join(folder, with);
  dv_free(folder), dv_free(with);
  struct stat info;
  bool there = lstat(path, &info) == 0;
  if (there && !S_ISREG(info.st_mode)) *error = dv_view_error(NULL, "%.300s is there and is not a file", path);
  else if (there && !replace && !dv_same(path, s->file)) {
    *error = dv_view_error("save again to replace it, or choose another name", "there is a file %.200s already",
                           dv_path_name(path));
    json_object_set_new(*error, "exists", json_true());
  }
  if (*error) dv_free(path), path = NULL;
  return path;
}

json_t *dv_do_save(dvRequest *r)
{
  dvSession *s = r->session;
  json_t *error = dv_edit_refusal(s);
  if (error && !s->editing) return error;
  json_decref(error), error = NULL;
  if (s->edits.count)
    return dv_view_error("edit those files themselves, or reload the scene to forget these changes",
                         "components of included files were changed: the scene's text does not have that");
  const char *name = dv_request_text(r, "file");
  if (!*name && !s->file) return dv_view_error("give it a name", "this scene has no file yet");
  char *path =
      *name ? place_to_save(s, name, json_is_true(json_object_get(r->body, "replace")), &error) : dv_strdup(s->file);
  if (!path) return error;
  if (!write_whole(path, &s->editing->document.text)) {
    error = dv_view_error(strerror(errno), "%.300s cannot be written", path);
    dv_free(path);
    return error;
  }
  s->editing->saved = s->editing->done.count;
  if (dv_same(path, s->first)) s->editing->written = s->editing->by_page;
  dv_free(s->dropped), s->dropped = NULL;
  char *real = realpath(path, NULL);
  dv_free(s->file), dv_free(s->name);
  s->file = dv_strdup(real ? real : path);
  s->name = dv_strdup(s->file);
  free(real);
  json_t *answer = dv_view_ok();
  dv_view_put_text(answer, "file", path);
  dv_free(path);
  return answer;
}

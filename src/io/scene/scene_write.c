// Scenes back to text. See scene_file.h.
#include "io/scene/scene_file.h"

#include "base/file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static void add_escaped(dvText *out, const char *s)
{
  for (; *s; s++) {
    switch (*s) {
    case '<':
      dv_text_add(out, "&lt;");
      break;
    case '>':
      dv_text_add(out, "&gt;");
      break;
    case '&':
      dv_text_add(out, "&amp;");
      break;
    case '"':
      dv_text_add(out, "&quot;");
      break;
    case '\n':
      dv_text_add(out, "&#10;");
      break;
    case '\t':
      dv_text_add(out, "&#9;");
      break;
    default:
      dv_text_add_n(out, s, 1);
    }
  }
}

static void add_attribute(dvText *out, const char *name, const char *value)
{
  dv_text_printf(out, " %s=\"", name);
  add_escaped(out, value);
  dv_text_add(out, "\"");
}

static void print_fields(const dvObject *o, dvText *out)
{
  for (int i = 0; i < o->field_count; i++) {
    const dvField *f = &o->fields[i];
    if (!f->was_set || (f->desc->flags & DV_BY_PROGRAM)) continue;
    if (f->link) {
      add_attribute(out, dv_field_name(f->desc), f->link);
      continue;
    }
    dvText value = {0};
    dv_field_print(f, &value);
    add_attribute(out, dv_field_name(f->desc), value.text);
    dv_text_free(&value);
  }
}

// --- comments ------------------------------------------------------------------------------------

static bool has_comment(const dvObject *o, dvCommentPlace where)
{
  for (size_t i = 0; i < o->comments.count; i++)
    if (o->comments.data[i].where == where) return true;
  return false;
}

// at the end of the line
static void print_beside(const dvObject *o, dvCommentPlace where, dvText *out)
{
  for (size_t i = 0; i < o->comments.count; i++)
    if (o->comments.data[i].where == where) dv_text_printf(out, " <!--%s-->", o->comments.data[i].text);
}

static void print_indented(const char *text, dvText *out, int depth)
{
  dv_text_printf(out, "%*s<!--", 2 * depth, "");
  for (size_t length; *text; text += length) {
    length = strcspn(text, "\n");
    dv_text_add_n(out, text, length);
    if (!text[length]) break;
    dv_text_add(out, "\n");
    length++;
    if (text[length] != '\n') dv_text_printf(out, "%*s", 2 * depth, "");
  }
  dv_text_add(out, "-->\n");
}

// on lines of their own
static void print_lines(const dvObject *o, dvCommentPlace where, dvText *out, int depth)
{
  for (size_t i = 0; i < o->comments.count; i++)
    if (o->comments.data[i].where == where) print_indented(o->comments.data[i].text, out, depth);
}

// --- elements ------------------------------------------------------------------------------------

// ends a start tag; true when an end tag has to follow
static bool print_tag_end(const dvObject *o, bool content, dvText *out)
{
  content = content || has_comment(o, DV_COMMENT_BESIDE) || has_comment(o, DV_COMMENT_LAST);
  dv_text_add(out, content ? ">" : "/>");
  print_beside(o, content ? DV_COMMENT_BESIDE : DV_COMMENT_AFTER, out);
  dv_text_add(out, "\n");
  return content;
}

static void print_end_tag(const dvObject *o, const char *tag, dvText *out, int depth)
{
  print_lines(o, DV_COMMENT_LAST, out, depth + 1);
  dv_text_printf(out, "%*s</%s>", 2 * depth, "", tag);
  print_beside(o, DV_COMMENT_AFTER, out);
  dv_text_add(out, "\n");
}

static void print_object(const dvObject *o, dvText *out, int depth)
{
  print_lines(o, DV_COMMENT_BEFORE, out, depth);
  if (dv_same(o->cls->module, "Python")) {   // its class is part of a program
    dv_text_printf(out, "%*s<!-- %s (%s) is written in Python -->\n", 2 * depth, "", o->name, o->cls->name);
    return;
  }
  dv_text_printf(out, "%*s<%s", 2 * depth, "", o->cls->name);
  const dvAttribute *name = dv_attribute_find(&o->attributes, "name");
  if (name) add_attribute(out, "name", name->value);
  if (o->template_text) add_attribute(out, "template", o->template_text);
  const dvAttribute *src = dv_attribute_find(&o->attributes, "src");
  if (src) add_attribute(out, "src", src->value);
  print_fields(o, out);
  if (print_tag_end(o, false, out)) print_end_tag(o, o->cls->name, out, depth);
}

static void print_node(const dvNode *n, dvText *out, int depth)
{
  print_lines(&n->base, DV_COMMENT_BEFORE, out, depth);
  dv_text_printf(out, "%*s<Node", 2 * depth, "");
  add_attribute(out, "name", n->base.name);
  print_fields(&n->base, out);
  if (!print_tag_end(&n->base, n->objects.count || n->children.count, out)) return;
  for (size_t i = 0; i < n->objects.count; i++) print_object(n->objects.data[i], out, depth + 1);
  for (size_t i = 0; i < n->children.count; i++) print_node(n->children.data[i], out, depth + 1);
  print_end_tag(&n->base, "Node", out, depth);
}

void dv_node_print(const dvNode *node, dvText *out)
{
  dv_text_add(out, "<?xml version=\"1.0\"?>\n");
  print_node(node, out, 0);
  print_lines(&node->base, DV_COMMENT_BELOW, out, 0);
}

void dv_scene_print(dvScene *scene, dvText *out) { dv_node_print(scene->root, out); }

dvStatus dv_scene_write(dvScene *scene, const char *path)
{
  dvText text = {0};
  dv_scene_print(scene, &text);
  FILE *f = dv_file_write(path, "wb");
  bool good = f && fwrite(text.text, 1, text.length, f) == text.length;
  if (f) good = fclose(f) == 0 && good;
  dv_text_free(&text);
  if (good) return DV_OK;
  dv_log_send(&scene->context->log,
              &(dvMessage){.level = DV_ERROR, .status = DV_ERROR_INPUT, .place = {path, 0}, .text = strerror(errno)});
  return DV_ERROR_INPUT;
}

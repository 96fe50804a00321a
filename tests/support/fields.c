// See fields.h.
#include "support/fields.h"

#include "support/check.h"
#include "support/scene.h"

#include <string.h>

typedef struct Printer {
  dvVisitor visitor;
  dvText text;
} Printer;

// all but what the last step has left and the next one makes anew, if there was any
static bool counts(const dvField *f)
{
  static const char *const others[] = {"graph",  "residualGraph", "status",       "force",
                                       "derivX", "free_position", "free_velocity"};
  for (size_t i = 0; i < DV_COUNT(others); i++)
    if (dv_same(dv_field_name(f->desc), others[i])) return false;
  return f->desc->type != DV_T_LINK && f->desc->type != DV_T_LINKS;
}

static dvWalk print_node(dvVisitor *v, dvNode *node)
{
  Printer *p = (Printer *)v;
  for (size_t i = 0; i < node->objects.count; i++) {
    const dvObject *o = node->objects.data[i];
    for (int k = 0; k < o->field_count; k++) {
      if (!counts(&o->fields[k])) continue;
      dv_text_printf(&p->text, "%s/%s.%s ", node->base.name, o->name, dv_field_name(o->fields[k].desc));
      dv_field_pull(&o->fields[k]);
      dv_field_print(&o->fields[k], &p->text);
      dv_text_add(&p->text, "\n");
    }
  }
  return DV_WALK_ON;
}

char *check_all_fields(dvScene *s)
{
  Printer p = {.visitor = {.top_down = print_node}};
  dv_visit(s->root, &p.visitor);
  dv_text_add(&p.text, "");
  return dv_text_take(&p.text);
}

void check_print_difference(const char *a, const char *b)
{
  while (*a && *b) {
    size_t na = strcspn(a, "\n"), nb = strcspn(b, "\n");
    if (na != nb || memcmp(a, b, na) != 0) break;
    a += na + (a[na] == '\n');
    b += nb + (b[nb] == '\n');
  }
  print_error("fields differ:\n  %.*s\n  %.*s\n", (int)dv_min_size(strcspn(a, "\n"), 200), a,
              (int)dv_min_size(strcspn(b, "\n"), 200), b);
}

// divan info and divan list: what components there are.
#include "command.h"

#include "base/text.h"
#include "object/compat.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print_roles(const dvClass *c)
{
  const char *separator = "";
  for (int r = DV_ROLE_NODE; r < DV_ROLE_COUNT; r++)
    if (c->ops[r] || (c->roles & (1u << r))) {
      printf("%s%s", separator, dv_role_name((dvRole)r));
      separator = ", ";
    }
}

static void print_dofs(const char *label, unsigned dofs)
{
  if (!dofs) return;
  printf("%s", label);
  for (int k = 0; k < DV_DOF_COUNT; k++)
    if (dofs & (1u << k)) printf(" %s", dv_dof((dvDofKind)k)->name);
  printf("\n");
}

// what a mapping maps to what
static void print_pairs(const dvDofPair *pairs)
{
  for (const dvDofPair *p = pairs; p && p->in; p++) {
    print_dofs("from", p->in);
    if (p->in2) print_dofs("  and from", p->in2);
    print_dofs("  to", p->out);
  }
}

static void print_field(const dvObject *sample, const dvField *f)
{
  const dvCompatCase *compat = dv_compat_of_field(sample->cls, dv_field_name(f->desc));
  const dvFieldDesc *d = f->desc;
  dvText value = {0};
  dv_field_print(f, &value);
  printf("  %s (%s%s%s)", dv_field_name(d), dv_field_type_name(d), d->unit && *d->unit ? ", " : "",
         d->unit ? d->unit : "");
  if (*value.text) printf(" = %s", value.text);
  if (compat) printf(", %s with compat sofa (%s)", compat->sofa, compat->name);
  printf("\n      %s", d->help);
  if (d->options) printf("; one of %s", d->options);
  if (d->least) printf("; from %s", d->least);
  if (d->most) printf("%s to %s", d->least ? "" : ";", d->most);
  if (d->alias) printf("; also written %s", d->alias);
  if (d->flags & DV_OUTPUT) printf("; computed");
  if (d->flags & DV_READ_ONLY) printf("; read only");
  printf("\n");
  dv_text_free(&value);
}

// what SOFA does wrong in this component
static void print_compat(const dvClass *c)
{
  bool headed = false;
  for (int i = 0; i < DV_COMPAT_COUNT; i++) {
    const dvCompatCase *k = &dv_compat_cases[i];
    if (!dv_list_has(k->components, c->name)) continue;
    if (!headed) printf("with compat sofa (docs/differences.md):\n");
    headed = true;
    printf("  %s: %s; without: %s\n", k->name, k->wrong, k->right);
  }
}

static int print_component(dvContext *context, const char *name)
{
  const dvClass *c = dv_registry_find(&context->registry, name);
  if (!c) {
    const dvRename *rename = dv_registry_find_rename(&context->registry, name);
    if (rename) c = dv_registry_find(&context->registry, rename->name);
    if (c) printf("%s is the old name of %s\n\n", name, c->name);
  }
  if (!c) {
    const char *near = dv_registry_nearest(&context->registry, name);
    fprintf(stderr, "unknown component: %s\n", name);
    if (near)
      fprintf(stderr, "    did you mean %s? `divan list %s` shows those whose name, role or help contains the word\n",
              near, name);
    else
      fprintf(stderr, "    `divan list` shows all components; one of a plugin needs --plugin NAME (`divan new-plugin` "
                      "writes one)\n");
    return DV_ERROR_UNKNOWN;
  }
  printf("%s: %s\nrole: ", c->name, c->help ? c->help : "");
  print_roles(c);
  printf("\n");
  print_pairs(c->pairs);
  if (!c->pairs) print_dofs("DOF types:", c->dofs);
  if (!c->pairs) print_dofs("DOF types of the output:", c->dofs_out);
  if (c->aliases) printf("also called: %s\n", c->aliases);
  if (c->module) printf("SOFA module: %s\n", c->module);
  printf("fields:\n");
  dvObject *sample = dv_object_create(context, c, "", c->dofs ? dv_dof(DV_VEC3) : NULL);
  for (int pass = 0; pass < 2; pass++)   // what matters first, looks after it
    for (int i = 0; i < sample->field_count; i++) {
      const dvFieldDesc *d = sample->fields[i].desc;
      if (d->flags & DV_HIDDEN) continue;
      if (((d->flags & DV_LOOKS) != 0) == (pass == 1)) print_field(sample, &sample->fields[i]);
    }
  dv_object_destroy(&sample);
  print_compat(c);
  return 0;
}

static int info(const Options *o)
{
  dvContext *context = context_for(o);
  int status = context->log.worst;
  if (status != 0) {
    print_summary_of_messages(&context->log);
  } else if (o->scene) {
    status = print_component(context, o->scene);
  } else {
    printf("divan %s\n%zu components (`divan list`)\n%d threads\n", DIVAN_VERSION, context->registry.classes.count,
           dv_pool_threads(context->pool));
  }
  dv_divan_destroy(&context);
  return status;
}

static int by_name(const void *a, const void *b)
{
  return strcmp((*(const dvClass *const *)a)->name, (*(const dvClass *const *)b)->name);
}

static dvRole main_role(const dvClass *c)
{
  for (int r = DV_ROLE_NODE; r < DV_ROLE_COUNT; r++)
    if (c->ops[r] || (c->roles & (1u << r))) return (dvRole)r;
  return DV_ROLE_ANY;
}

static bool mentions(const dvClass *c, dvRole role, const char *word)
{
  return strcasestr(c->name, word) || strcasestr(dv_role_name(role), word) ||
         (c->aliases && strcasestr(c->aliases, word)) || (c->help && strcasestr(c->help, word)) ||
         topic_has(word, c->name);
}

static int tell_of_nothing(const dvRegistry *r, const char *word)
{
  const char *near = dv_registry_nearest(r, word);
  fprintf(stderr, "no component has '%s' in its name, role or help", word);
  if (near) fprintf(stderr, "; did you mean %s?", near);
  fprintf(stderr, "\n");
  return DV_ERROR_UNKNOWN;
}

static int list(const Options *o)
{
  dvContext *context = context_for(o);
  const char *word = o->scene;
  dvRegistry *r = &context->registry;
  bool found = false;
  qsort(r->classes.data, r->classes.count, sizeof *r->classes.data, by_name);
  for (int role = 0; role < DV_ROLE_COUNT; role++) {
    bool headed = false;
    for (size_t i = 0; i < r->classes.count; i++) {
      const dvClass *c = r->classes.data[i];
      if (main_role(c) != (dvRole)role) continue;
      if (word && !mentions(c, (dvRole)role, word)) continue;
      found = true;
      if (!headed) printf("%s\n", dv_role_name((dvRole)role));
      headed = true;
      printf("  %-44s %s\n", c->name, c->help ? c->help : "");
    }
  }
  int status = context->log.worst;
  if (!found && word && !status) status = tell_of_nothing(r, word);
  dv_divan_destroy(&context);
  return status;
}

const Command command_info = {
    .verb = VERB_INFO,
    .name = "info",
    .summary = "explain a component",
    .usage = "divan info [COMPONENT] [options]\n",
    .about = "Prints what a component does, its DOF types and its fields with type, unit, default and help.\n"
             "Without a name: version, number of components and threads.\n",
    .examples = "  divan info TetrahedralCorotationalFEMForceField\n",
    .most_names = 1,
    .run = info,
};

const Command command_list = {
    .verb = VERB_LIST,
    .name = "list",
    .summary = "list all components",
    .usage = "divan list [WORD] [options]\n",
    .about = "Lists all components by role, or those whose name, role or help contains the word or that are about it\n"
             "(cloth, rope, muscle, contact, gravity, stiffness ...).\n",
    .examples = "  divan list\n"
                "  divan list mass\n"
                "  divan list cloth\n",
    .most_names = 1,
    .run = list,
};

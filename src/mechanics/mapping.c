// What mappings share: their states. See component.h.
#include "mechanics/component.h"

#include <stdlib.h>
#include <string.h>

// the state of a node that is not the one of its parents: where a mapping writes to
static dvObject *own_state(const dvNode *node)
{
  dvObject *state = dv_node_state(node);
  return state ? state : dv_node_find(node, DV_ROLE_STATE);
}

// the state of the nearest parent, as a link that the scene has not written
static void take_default_input(dvMapping *m)
{
  const dvNode *node = m->base.node;
  for (size_t i = 0; i < node->parents.count && m->input.count == 0; i++) {
    dvObject *state = dv_node_state_up(node->parents.data[i]);
    if (!state) continue;
    m->input.data = dv_alloc(sizeof *m->input.data);
    m->input.data[0] = (dvLink){.target = state};
    m->input.count = 1;
  }
}

static void add_dof_names(dvText *t, unsigned dofs)
{
  const char *separator = "";
  for (int k = 0; k < DV_DOF_COUNT; k++)
    if (dofs & (1u << k)) {
      const char *name = dv_dof((dvDofKind)k)->name;
      dv_text_printf(t, "%s%.*s", separator, (int)strlen(name) - 1, name);   // without the letter of the precision
      separator = " or ";
    }
}

// "it maps Vec3 to Vec3, Rigid3 to Vec3"
static void describe_pairs(const dvClass *cls, dvText *t)
{
  dv_text_add(t, "it maps ");
  for (const dvDofPair *p = cls->pairs; p->in; p++) {
    if (p != cls->pairs) dv_text_add(t, ", ");
    add_dof_names(t, p->in);
    if (p->in2) dv_text_add(t, " and "), add_dof_names(t, p->in2);
    dv_text_add(t, " to ");
    add_dof_names(t, p->out);
  }
}

static unsigned bit_of(const dvState *s) { return s ? 1u << s->base.dof->kind : 0; }

static dvStatus check_pair(const dvObject *o, const dvState *in, const dvState *in2, const dvState *out)
{
  if (!o->cls->pairs) return DV_OK;
  for (const dvDofPair *p = o->cls->pairs; p->in; p++)
    if ((p->in & bit_of(in)) && (!in2 || (p->in2 & bit_of(in2))) && (p->out & bit_of(out))) return DV_OK;
  dvText fit = {0};
  describe_pairs(o->cls, &fit);
  const dvDof *a = in->base.dof, *b = out->base.dof;
  if (in2)
    dv_error(o, fit.text, "%s cannot map %s (%s) and %s (%s) to %s (%s)", o->cls->name, a->name, in->base.name,
             in2->base.dof->name, in2->base.name, b->name, out->base.name);
  else
    dv_error(o, fit.text, "%s cannot map %s (%s) to %s (%s)", o->cls->name, a->name, in->base.name, b->name,
             out->base.name);
  dv_text_free(&fit);
  return DV_ERROR_INPUT;
}

static int by_address(const void *a, const void *b)
{
  uintptr_t x = (uintptr_t) * (dvObject *const *)a, y = (uintptr_t) * (dvObject *const *)b;
  return (x > y) - (x < y);
}

static dvStatus check_twice(const dvMapping *m)
{
  size_t n = (size_t)m->input_count;
  const dvObject *twice = NULL, **sorted = dv_alloc((n + 1) * sizeof *sorted);
  for (size_t i = 0; i < n; i++) sorted[i] = &dv_mapping_in(m, i)->base;
  qsort(sorted, n, sizeof *sorted, by_address);
  for (size_t i = 1; i < n && !twice; i++) twice = sorted[i] == sorted[i - 1] ? sorted[i] : NULL;
  dv_free(sorted);
  return twice ? dv_error(&m->base, "name each input once", "the state %s is named twice as input", twice->name)
               : DV_OK;
}

static dvStatus add_inputs(dvMapping *m, const dvLinks *links)
{
  m->named[m->named[0] ? 1 : 0] = links;
  for (size_t i = 0; i < links->count; i++) {
    const dvObject *s = links->data[i].target;
    if (!s) return DV_ERROR_INPUT;   // the dead link was reported
    if (s == m->output.target) return dv_error(&m->base, NULL, "input and output are the same state, %s", s->name);
    m->input_count++;
  }
  return check_twice(m);
}

static dvStatus find_output(dvMapping *m)
{
  dvObject *o = &m->base;
  m->input_count = 0;
  m->named[0] = m->named[1] = NULL;
  if (!m->output.target) m->output.target = own_state(o->node);
  if (!m->output.target)
    return dv_error(o, "add a MechanicalObject or a visual model to the node, or give output=\"@path\"",
                    "%s finds no state to map to", o->cls->name);
  m->out = dv_state(m->output.target);
  o->dof_out = m->out->base.dof;
  return DV_OK;
}

static dvStatus no_input(const dvObject *o, const char *field)
{
  char *advice = dv_format("give %s=\"@path\" or put the mapping in a child of the node with the input", field);
  dvStatus status = dv_error(o, advice, "%s finds no state to map from", o->cls->name);
  dv_free(advice);
  return status;
}

dvStatus dv_mapping_init_multi(dvObject *o)
{
  dvMapping *m = (dvMapping *)o;
  DV_TRY(find_output(m));
  take_default_input(m);
  DV_TRY(add_inputs(m, &m->input));
  if (m->input_count == 0) return no_input(o, "input");
  m->in = dv_mapping_in(m, 0);
  o->dof = m->in->base.dof;
  for (int i = 0; i < m->input_count; i++) {
    DV_TRY(check_pair(o, dv_mapping_in(m, i), NULL, m->out));
    if (dv_mapping_in(m, i)->base.dof != o->dof)
      return dv_error(o, "give it inputs of one type", "the inputs %s and %s have different types, %s and %s",
                      m->in->base.name, dv_mapping_in(m, i)->base.name, o->dof->name,
                      dv_mapping_in(m, i)->base.dof->name);
  }
  return DV_OK;
}

dvStatus dv_mapping_init(dvObject *o)
{
  dvMapping *m = (dvMapping *)o;
  DV_TRY(dv_mapping_init_multi(o));
  if (m->input_count > 1)
    return dv_error(o, "name one state", "%s takes one input, not %d", o->cls->name, m->input_count);
  if (o->cls->dofs && !(o->cls->dofs & (1u << o->dof->kind)))
    return dv_error(o, NULL, "%s cannot map from %s, the type of %s", o->cls->name, o->dof->name, m->in->base.name);
  if (o->cls->dofs_out && !(o->cls->dofs_out & (1u << o->dof_out->kind)))
    return dv_error(o, NULL, "%s cannot map to %s, the type of %s", o->cls->name, o->dof_out->name, m->out->base.name);
  return DV_OK;
}

dvStatus dv_mapping_init_two(dvObject *o, const dvLinks *input1, const dvLinks *input2, bool optional)
{
  dvMapping *m = (dvMapping *)o;
  DV_TRY(find_output(m));
  DV_TRY(add_inputs(m, input1));
  int first = m->input_count;
  if (first == 0) return no_input(o, "input1");
  DV_TRY(add_inputs(m, input2));
  if (m->input_count == first && !optional) return no_input(o, "input2");
  m->in = dv_mapping_in(m, 0);
  o->dof = m->in->base.dof;
  for (int i = 0; i < first; i++)
    for (int k = first; k < m->input_count || (k == first && k == m->input_count); k++)
      DV_TRY(check_pair(o, dv_mapping_in(m, i), k < m->input_count ? dv_mapping_in(m, k) : NULL, m->out));
  return DV_OK;
}

dvObject *dv_mapping_nth_input(const dvObject *o, size_t index)
{
  const dvMapping *m = (const dvMapping *)o;
  return index < (size_t)m->input_count ? &dv_mapping_in(m, index)->base : NULL;
}

dvObject *dv_mapping_nth_output(const dvObject *o, size_t index)
{
  return index == 0 ? ((const dvMapping *)o)->output.target : NULL;
}

bool dv_mapping_maps(const dvObject *o, dvUpward what)
{
  const dvMapping *m = (const dvMapping *)o;
  return what == DV_UP_FORCES ? m->mapForces : what == DV_UP_MASSES ? m->mapMasses : m->mapConstraints;
}

bool dv_mapping_fits(const dvMapping *m, bool fits)
{
  if (fits || m->told) return fits;
  ((dvMapping *)m)->told = true;
  dvText t = {0};
  for (int i = 0; i < m->input_count; i++)
    dv_text_printf(&t, "%s%s has %zu", i ? ", " : "", dv_mapping_in(m, i)->base.name, dv_mapping_in(m, i)->count);
  dv_warning(&m->base, "change both together and initialise the mapping again, or leave their sizes as they were",
             "%s and %s %zu degrees of freedom, which are not those that the mapping was made for: it rests", t.text,
             m->out->base.name, m->out->count);
  dv_text_free(&t);
  return false;
}

void dv_mapping_build_rows(dvObject *o, dvMatrixSink *sink)
{
  const dvMapping *m = (const dvMapping *)o;
  const dvMappingOps *ops = dv_ops(o, DV_ROLE_MAPPING);
  for (size_t i = 0; i < m->out->count; i++) ops->row(o, i, sink);
}

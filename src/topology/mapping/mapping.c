// What all topological mappings share: finding input and output, making the output follow. See mapping.h.
#include "topology/mapping/live.h"

#define SELF dvTopologyMapping
static const dvFieldDesc mapping_fields[] = {DV_TOPOLOGY_MAPPING_FIELDS(DV_DESCRIBE)};
#undef SELF
const dvFieldBlock dv_topology_mapping_block = {mapping_fields, (int)DV_COUNT(mapping_fields)};

static const dvTopologyMappingOps *ops_of(const dvObject *o) { return dv_ops(o, DV_ROLE_TOPOLOGY_MAPPING); }

dvInts *dv_topology_mapping_list(dvTopologyMapping *m, dvElementKind kind)
{
  switch (kind) {
  case DV_EDGE:
    return &m->edges;
  case DV_TRIANGLE:
    return &m->triangles;
  case DV_QUAD:
    return &m->quads;
  case DV_TETRAHEDRON:
    return &m->tetrahedra;
  case DV_HEXAHEDRON:
    return &m->hexahedra;
  case DV_PRISM:
    return &m->prisms;
  default:
    return NULL;
  }
}

dvStatus dv_topology_mapping_memory(dvTopologyMapping *m)
{
  return dv_error(&m->base, "use a coarser mesh", "out of memory for the elements of the output");
}

// --- links ---------------------------------------------------------------------------------------

static dvObject *find_output(dvTopologyMapping *m)
{
  dvObject *o = &m->base;
  if (m->output.target) return m->output.target;
  return m->output.path ? dv_link_find(o, m->output.path, DV_ROLE_TOPOLOGY) : dv_node_find(o->node, DV_ROLE_TOPOLOGY);
}

dvObject *dv_topology_mapping_fills(dvObject *o)
{
  const dvTopologyMappingOps *ops = ops_of(o);
  return ops && (ops->makes || ops->makes_points) ? find_output((dvTopologyMapping *)o) : NULL;
}

static dvObject *find_input(dvTopologyMapping *m)
{
  if (m->input.target || m->input.path) return m->input.target;   // a dead link was reported
  dvNode *node = m->base.node;
  dvObject *found = NULL;
  for (size_t i = 0; i < node->parents.count && !found; i++)
    found = dv_node_find_up(node->parents.data[i], DV_ROLE_TOPOLOGY);
  return found;
}

// The output holds what the mapping makes and nothing else: other elements that the scene gives it are dropped, as in
// SOFA.
static dvStatus take_over(dvTopologyMapping *m, const dvTopologyMappingOps *ops)
{
  dvObject *o = &m->base;
  for (dvElementKind kind = DV_EDGE; kind < DV_ELEMENT_KINDS; kind++) {
    dvField *f = m->to->fields[kind];
    bool makes = ops->makes & (1u << kind);
    if (!f && makes && ops->makes == 1u << kind)
      return dv_field_error(o, &m->output, "let output name a container that has them", "%s has no %s",
                            m->to->base.cls->name, dv_element_name(kind));
    if (!f) continue;
    dv_field_unlink(f);
    DV_MUST(dv_ints_resize(f->value, 0));
    if (makes) DV_TRY(dv_field_link(f, dv_field_of(o, dv_topology_mapping_list(m, kind)), NULL));
    dv_field_touch(f);
  }
  if (!ops->makes_points) return DV_OK;
  dv_field_unlink(m->to->fields[DV_POINT]);
  return dv_field_link(m->to->fields[DV_POINT], dv_field_of(o, &m->position), NULL);
}

// points and elements of a topology come from one place: its own class, its fields, or one mapping
static dvStatus claim(dvTopologyMapping *m, dvTopology *to)
{
  dvObject *o = &m->base;
  if (to->maker)
    return dv_error(o, "let output name a MeshTopology or another container",
                    "%s makes its own points and elements: %s "
                    "cannot fill it",
                    to->base.name, o->cls->name);
  if (to->filler && to->filler != o)
    return dv_error(o, "give each of them a container of its own", "%s is already filled by %s", to->base.name,
                    to->filler->name);
  to->filler = o;
  return DV_OK;
}

dvStatus dv_topology_mapping_link(dvObject *o)
{
  dvTopologyMapping *m = (dvTopologyMapping *)o;
  const dvTopologyMappingOps *ops = ops_of(o);
  dvObject *from = find_input(m), *to = find_output(m);
  if (!from && m->input.path) return DV_ERROR_INPUT;
  if (!from) return dv_error(o, "give input=\"@path\"", "%s finds no topology to take elements from", o->cls->name);
  if (!to && m->output.path) return DV_ERROR_INPUT;
  if (!to) return dv_error(o, "give output=\"@path\"", "%s finds no topology to fill", o->cls->name);
  if (from == to)
    return dv_error(o, "add a container of its own to the node", "input and output of %s are the same topology",
                    o->cls->name);
  bool fills = ops->makes || ops->makes_points;
  if (fills) DV_TRY(claim(m, dv_topology(to)));
  m->from = dv_topology(from);
  m->to = dv_topology(to);
  m->input.target = from;
  m->output.target = to;
  return fills ? take_over(m, ops) : DV_OK;
}

// --- making --------------------------------------------------------------------------------------

static dvStatus make(dvTopologyMapping *m)
{
  const dvTopologyMappingOps *ops = ops_of(&m->base);
  for (dvElementKind kind = DV_EDGE; kind <= DV_PRISM; kind++)
    DV_MUST(dv_ints_resize(dv_topology_mapping_list(m, kind), 0));
  DV_MUST(dv_ints_resize(&m->sources, 0));
  m->points = dv_topology_point_count(m->from);
  m->made.count = 0;
  if (ops->input != DV_POINT && !dv_topology_count(m->from, ops->input))
    dv_warning(&m->base, "check what the input is made of", "the input of %s has no %s", m->base.cls->name,
               dv_element_name(ops->input));
  DV_TRY(ops->make(m, m->from));
  for (int i = 0; i < m->base.field_count; i++)
    if (m->base.fields[i].desc->flags & DV_OUTPUT) dv_field_touch(&m->base.fields[i]);
  if (!ops->makes && !ops->makes_points) return DV_OK;
  m->to->least_points = m->points;
  m->to->stamp = 0;   // the number of points counts as a change too
  return DV_OK;
}

dvStatus dv_topology_mapping_refresh(dvTopologyMapping *m)
{
  if (m->busy || m->live) return DV_OK;
  if (m->base.failed || !m->from || !m->to) return DV_ERROR_INPUT;
  m->busy = true;
  dvStatus status = dv_topology_settle(m->from);
  if (status != DV_OK) {
    m->base.failed = true;   // the input has said why
  } else {
    uint64_t stamp = ((uint64_t)m->from->revision << 32) + m->from->fields[DV_POINT]->counter + 1;
    if (stamp != m->seen) {
      m->seen = stamp;
      status = make(m);
      if (status != DV_OK) m->base.failed = true;
    }
  }
  m->busy = false;
  return status;
}

dvStatus dv_topology_mapping_fetch(dvObject *o, dvField *f)
{
  DV_UNUSED(f);
  return dv_topology_mapping_refresh((dvTopologyMapping *)o);
}

dvStatus dv_topology_mapping_init(dvObject *o)
{
  DV_TRY(dv_topology_mapping_refresh((dvTopologyMapping *)o));
  dv_topology_mapping_follow((dvTopologyMapping *)o);
  return DV_OK;
}

// --- the way back --------------------------------------------------------------------------------

const dvIncidence *dv_topology_mapping_made(dvTopologyMapping *m)
{
  if (dv_topology_mapping_refresh(m) != DV_OK) return NULL;
  dvIncidence *made = &m->made;
  if (made->count) return made;
  size_t rows = 0;
  for (size_t i = 0; i < m->sources.count; i++) rows = dv_max_size(rows, (size_t)m->sources.data[i] + 1);
  dv_free(made->offsets);
  dv_free(made->items);
  made->offsets = dv_try_alloc((rows + 2) * sizeof(int32_t));
  made->items = dv_try_alloc((m->sources.count + 1) * sizeof(int32_t));
  if (!made->offsets || !made->items) return NULL;
  for (size_t i = 0; i < m->sources.count; i++) made->offsets[m->sources.data[i] + 2]++;
  for (size_t r = 0; r < rows; r++) made->offsets[r + 2] += made->offsets[r + 1];
  for (size_t i = 0; i < m->sources.count; i++) made->items[made->offsets[m->sources.data[i] + 1]++] = (int32_t)i;
  made->count = rows;
  return made;
}

void dv_topology_mapping_destroy(dvObject *o)
{
  dvTopologyMapping *m = (dvTopologyMapping *)o;
  dv_free(m->made.offsets);
  dv_free(m->made.items);
  dv_topology_mapping_unfollow(m);
}

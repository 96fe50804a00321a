// The container behind every topology: what was given, what follows from it, when both change. See topology.h.
//
// A list in a field counts as given unless it is the derived one itself, which the field shares so that links see it.
// Links are followed and files read when a value is needed, so a state that stands before the topology finds the
// points.
#include "topology/topology.h"

#include "topology/change/change.h"
#include "topology/derive.h"
#include "topology/mapping/mapping.h"

#define SELF dvTopology
static const dvFieldDesc topology_fields[] = {DV_TOPOLOGY_FIELDS(DV_DESCRIBE)};
#undef SELF
const dvFieldBlock dv_topology_block = {topology_fields, (int)DV_COUNT(topology_fields)};

static const struct {
  const char *name;
  int points;
  size_t member;
} kinds[DV_ELEMENT_KINDS] = {
    [DV_POINT] = {"position", 1, offsetof(dvTopology, position)},
    [DV_EDGE] = {"edges", 2, offsetof(dvTopology, edges)},
    [DV_TRIANGLE] = {"triangles", 3, offsetof(dvTopology, triangles)},
    [DV_QUAD] = {"quads", 4, offsetof(dvTopology, quads)},
    [DV_TETRAHEDRON] = {"tetrahedra", 4, offsetof(dvTopology, tetrahedra)},
    [DV_HEXAHEDRON] = {"hexahedra", 8, offsetof(dvTopology, hexahedra)},
    [DV_PRISM] = {"prisms", 6, offsetof(dvTopology, prisms)},
    [DV_PYRAMID] = {"pyramids", 5, offsetof(dvTopology, pyramids)},
};

static const dvInts nothing[DV_ELEMENT_KINDS] = {
    [DV_POINT] = {.width = 1}, [DV_EDGE] = {.width = 2},        [DV_TRIANGLE] = {.width = 3},
    [DV_QUAD] = {.width = 4},  [DV_TETRAHEDRON] = {.width = 4}, [DV_HEXAHEDRON] = {.width = 8},
    [DV_PRISM] = {.width = 6}, [DV_PYRAMID] = {.width = 5}};

int dv_element_points(dvElementKind kind) { return kinds[kind].points; }
const char *dv_element_name(dvElementKind kind) { return kind == DV_POINT ? "points" : kinds[kind].name; }

static dvInts *member(const dvTopology *t, dvElementKind kind) { return (dvInts *)((char *)t + kinds[kind].member); }

static bool is_given(const dvTopology *t, dvElementKind kind)
{
  const dvInts *m = member(t, kind);
  return m->count > 0 && m->buffer != t->derived[kind].buffer;
}

// --- life ----------------------------------------------------------------------------------------

void dv_topology_create(dvObject *o)
{
  dvTopology *t = dv_topology(o);
  t->revision = 1;
  t->position.width = t->made_points.width = 3;
  t->uv.width = 2;
  for (dvElementKind k = DV_EDGE; k < DV_ELEMENT_KINDS; k++)
    member(t, k)->width = t->derived[k].width = kinds[k].points;
  for (int i = 0; i < o->field_count; i++)
    for (dvElementKind k = DV_POINT; k < DV_ELEMENT_KINDS; k++)
      if (o->fields[i].value == (char *)t + kinds[k].member) t->fields[k] = &o->fields[i];
}

static void incidence_free(dvIncidence *i)
{
  dv_free(i->offsets);
  dv_free(i->items);
  *i = (dvIncidence){0};
}

void dv_topology_free(dvTopology *t)
{
  for (int k = 0; k < DV_ELEMENT_KINDS; k++) {
    dv_ints_free(&t->derived[k]);
    if (k != DV_POINT && !t->fields[k]) dv_ints_free(member(t, (dvElementKind)k));   // fields free their own
    incidence_free(&t->around_point[k]);
    for (int j = 0; j < DV_ELEMENT_KINDS; j++) {
      dv_ints_free(&t->parts[k][j]);
      incidence_free(&t->around_part[k][j]);
    }
  }
  dv_reals_free(&t->made_points);
  dv_topology_free_changes(t);
}

void dv_topology_destroy(dvObject *o)
{
  dv_topology_free(dv_topology(o));
  dv_object_destroy(&dv_topology(o)->reader);
}

// --- where the values come from ------------------------------------------------------------------

static bool follows_or_set(const dvField *f) { return f && (f->source || f->was_set); }

static bool nothing_given(const dvTopology *t)
{
  for (dvElementKind k = DV_POINT; k < DV_ELEMENT_KINDS; k++)
    if (follows_or_set(t->fields[k])) return false;
  const dvAttribute *src = dv_attribute_find(&t->base.attributes, "src");
  return !src || !*src->value || dv_same(src->value, "@");
}

// a file is read by a loader of the topology's own, which nobody else sees
static dvStatus read_file(dvTopology *t)
{
  dvObject *o = &t->base;
  const dvClass *cls = dv_registry_find(&o->context->registry, "MeshLoader");
  if (!cls) return dv_field_error(o, &t->filename, "give src=\"@loader\"", "no loader for mesh files is there");
  dv_object_destroy(&t->reader);
  t->reader = dv_object_create(o->context, cls, o->name, NULL);
  t->reader->node = o->node;
  dvField *from = dv_field_of(o, &t->filename);
  t->reader->place = from->place.file ? from->place : o->place;
  dvField *to = dv_object_field(t->reader, "filename");
  DV_TRY(dv_field_link(to, from, NULL));
  to->place = t->reader->place;
  // only what stands in the file: the rest is derived here
  DV_TRY(dv_object_set(t->reader, "createSubelements", "0"));
  dv_object_link_src(o, t->reader, t->reader->place);
  return DV_OK;
}

static bool is_filled_by_mapping(dvObject *o)
{
  for (size_t i = 0; i < o->node->objects.count; i++)
    if (dv_topology_mapping_fills(o->node->objects.data[i]) == o) return true;
  return false;
}

dvStatus dv_topology_link(dvObject *o)
{
  dvTopology *t = dv_topology(o);
  const dvField *file = dv_field_of(o, &t->filename);
  if (file->source || (t->filename && *t->filename)) return read_file(t);
  if (!nothing_given(t) || is_filled_by_mapping(o)) return DV_OK;
  // scenes of old leave out src="@loader"
  dvObject *loader = dv_node_find(o->node, DV_ROLE_LOADER);
  if (loader) dv_object_link_src(o, loader, o->place);
  return DV_OK;
}

// --- what was given ------------------------------------------------------------------------------

static dvStatus check_elements(dvTopology *t, dvElementKind kind, size_t limit, size_t *needed)
{
  const dvInts *m = member(t, kind);
  const void *where = t->fields[kind] ? (const void *)m : &t->position;   // a program may give what has no field
  for (size_t i = 0; i < m->count; i++) {
    int32_t index = m->data[i];
    if (index >= 0 && (size_t)index < limit) {
      *needed = dv_max_size(*needed, (size_t)index + 1);
      continue;
    }
    size_t element = i / (size_t)m->width;
    const char *advice =
        index < 0 ? "indices count from 0" : "indices count from 0; give the missing points or correct the element";
    if (index >= 0 && limit == DV_POINT_LIMIT)
      return dv_field_error(&t->base, where, "is the index right?",
                            "%s: element %zu names point %d, more than can be simulated", kinds[kind].name, element,
                            index);
    return dv_field_error(&t->base, where, advice, "%s: element %zu names point %d, but there are %zu points",
                          kinds[kind].name, element, index, limit);
  }
  return DV_OK;
}

static dvStatus take_stock(dvTopology *t)
{
  size_t points = dv_max_size(dv_reals_size(&t->position), t->least_points), needed = points;
  if (points > DV_POINT_LIMIT)
    return dv_error(&t->base, "use a coarser mesh", "%zu points are more than the %d that can be simulated", points,
                    DV_POINT_LIMIT);
  bool bounded = t->maker || t->position.count;   // without positions the elements say how many points there are
  for (dvElementKind k = DV_EDGE; k < DV_ELEMENT_KINDS; k++)
    if (is_given(t, k)) DV_TRY(check_elements(t, k, bounded ? points : DV_POINT_LIMIT, &needed));
  t->point_count = needed;
  return DV_OK;
}

void dv_topology_changed(dvTopology *t)
{
  t->revision++;
  t->remade = true;
  for (dvElementKind k = DV_EDGE; k < DV_ELEMENT_KINDS; k++) {
    if (!is_given(t, k) && member(t, k)->count) {   // the field shows what was derived: no more
      dv_ints_free(member(t, k));
      if (t->fields[k]) dv_field_touch(t->fields[k]);
    }
    dv_ints_free(&t->derived[k]);
  }
  if (t->position.buffer == t->made_points.buffer) dv_reals_free(&t->position);
  dv_reals_free(&t->made_points);
}

static uint64_t stamp_of(const dvTopology *t)
{
  uint64_t stamp = 1 + (t->position.buffer == t->made_points.buffer ? 0 : dv_reals_size(&t->position));
  for (dvElementKind k = DV_EDGE; k < DV_ELEMENT_KINDS; k++)
    if (is_given(t, k))
      stamp = stamp * 1099511628211u + ((uint64_t)k << 40) + (t->fields[k] ? t->fields[k]->counter : 0);
  return stamp;
}

static dvStatus make_points(dvTopology *t)
{
  if (!t->maker || !t->maker->points || t->position.count) return DV_OK;
  if (!t->maker->points(t, &t->made_points))
    return dv_error(&t->base, "use a coarser mesh", "out of memory for the points");
  dv_reals_share(&t->position, &t->made_points);
  dv_touch(&t->base, &t->position);
  return DV_OK;
}

static dvStatus refresh(dvTopology *t)
{
  dvStatus status = dv_object_update(&t->base);
  for (dvElementKind k = DV_POINT; k < DV_ELEMENT_KINDS && status == DV_OK; k++)
    if (t->fields[k]) status = dv_field_pull(t->fields[k]);
  if (status != DV_OK) {   // whoever could not give the value has said so
    t->base.failed = true;
    return status;
  }
  uint64_t stamp = stamp_of(t);
  if (stamp != t->stamp) {
    t->stamp = stamp;
    dv_topology_changed(t);
    DV_TRY(take_stock(t));
  }
  return make_points(t);
}

dvStatus dv_topology_settle(dvTopology *t)
{
  if (t->refreshing) return DV_OK;
  if (t->base.failed) return DV_ERROR_INPUT;
  t->refreshing = true;
  dvStatus status = refresh(t);
  t->refreshing = false;
  return status;
}

dvStatus dv_topology_init(dvObject *o) { return dv_topology_settle(dv_topology(o)); }

// --- elements ------------------------------------------------------------------------------------

static bool derive(dvTopology *t, dvElementKind kind, dvInts *out)
{
  bool made = false;
  if (t->maker && t->maker->elements && !t->maker->elements(t, kind, out, &made)) return false;
  if (made) return true;
  const dvInts *tetrahedra = dv_topology_elements(t, DV_TETRAHEDRON),
               *hexahedra = dv_topology_elements(t, DV_HEXAHEDRON);
  if (kind == DV_TRIANGLE) return dv_derive_triangles(tetrahedra, t->repeat_faces, out);
  if (kind == DV_QUAD) return dv_derive_quads(hexahedra, out);
  if (kind != DV_EDGE) return true;
  if (tetrahedra->count || hexahedra->count) return dv_derive_volume_edges(tetrahedra, hexahedra, out);
  return dv_derive_surface_edges(dv_topology_elements(t, DV_TRIANGLE), dv_topology_elements(t, DV_QUAD), out);
}

const dvInts *dv_topology_elements(dvTopology *t, dvElementKind kind)
{
  if (kind == DV_POINT || dv_topology_settle(t) != DV_OK) return &nothing[kind];
  dvInts *m = member(t, kind), *d = &t->derived[kind];
  if (is_given(t, kind)) return m;
  if (t->kept) return m;
  if (t->derived_revision[kind] == t->revision) return d;
  t->derived_revision[kind] = t->revision;
  if (!derive(t, kind, d)) {
    dv_error(&t->base, "use a coarser mesh", "out of memory for the %s", kinds[kind].name);
    return &nothing[kind];
  }
  if (t->fields[kind] && d->count) {
    dv_ints_share(m, d);
    dv_field_renew(t->fields[kind]);
  }
  return d;
}

const dvInts *dv_topology_given(const dvTopology *t, dvElementKind kind)
{
  return kind != DV_POINT && !t->base.failed && is_given(t, kind) ? member(t, kind) : &nothing[kind];
}

size_t dv_topology_count(dvTopology *t, dvElementKind kind)
{
  return kind == DV_POINT ? dv_topology_point_count(t) : dv_ints_size(dv_topology_elements(t, kind));
}

size_t dv_topology_point_count(dvTopology *t) { return dv_topology_settle(t) == DV_OK ? t->point_count : 0; }

const dvReals *dv_topology_positions(dvTopology *t)
{
  dv_topology_settle(t);
  return &t->position;
}

dvElementKind dv_topology_largest(dvTopology *t)
{
  static const dvElementKind order[] = {DV_HEXAHEDRON, DV_TETRAHEDRON, DV_PRISM, DV_PYRAMID,
                                        DV_QUAD,       DV_TRIANGLE,    DV_EDGE};
  for (size_t i = 0; i < DV_COUNT(order); i++)
    if (dv_topology_elements(t, order[i])->count) return order[i];
  return DV_POINT;
}

dvStatus dv_topology_fetch(dvObject *o, dvField *f)
{
  dvTopology *t = dv_topology(o);
  if (t->refreshing) f->fresh = UINT64_MAX;   // not looked at now: the next one who pulls asks again
  if (t->refreshing || o->failed) return DV_OK;
  if (f == t->fields[DV_POINT]) return dv_topology_settle(t);
  for (dvElementKind k = DV_EDGE; k < DV_ELEMENT_KINDS; k++)
    if (f == t->fields[k]) dv_topology_elements(t, k);
  return o->failed ? DV_ERROR_INPUT : DV_OK;
}

// --- changes -------------------------------------------------------------------------------------

dvInts *dv_topology_list(dvTopology *t, dvElementKind kind) { return member(t, kind); }

void dv_topology_keep(dvTopology *t, dvElementKind kind)
{
  if (t->fields[kind]) dv_field_unlink(t->fields[kind]);
  t->kept = true;
  t->maker = NULL;
  if (kind == DV_POINT) {
    dv_reals_free(&t->made_points);
    dv_reals_edit(&t->position);
    return;
  }
  dvInts *m = member(t, kind), *d = &t->derived[kind];
  if (!t->fields[kind] && !m->count) dv_ints_share(m, d);   // a kind without a field had it only there
  dv_ints_free(d);
  dv_ints_edit(m);
}

void dv_topology_settled(dvTopology *t, dvElementKind kind, size_t point_count)
{
  t->revision++;
  t->point_count = point_count;
  if (t->fields[kind]) dv_field_touch(t->fields[kind]);
  t->stamp = stamp_of(t);
}

// OglModel, VisualModelImpl, OglShaderVisualModel, CylinderVisualModel, PointSplatModel, DataDisplay: what is drawn of
// a body.
//
// Positions come from the scene (position, src), from a file, or from the topology in the node; scale, rotation and
// translation act on them once. Mappings move `position`; `vertices` and normals follow when they are asked for. What
// concerns looks only never stops a run: a missing file is a warning.
#include "visual/visual_inside.h"

#include "io/mesh/image.h"
#include "io/mesh/mesh.h"
#include "object/compat.h"
#include "scene/plan.h"
#include "topology/change/follow.h"
#include "visual/normals.h"
#include "visual/register.h"
#include "visual/split.h"

#include <math.h>
#include <string.h>

#define SELF dvVisualState
static const dvFieldDesc visual_state_fields[] = {DV_VISUAL_STATE_FIELDS(DV_DESCRIBE)};
#undef SELF
#define SELF dvVisualModel
static const dvFieldDesc visual_model_fields[] = {DV_VISUAL_MODEL_FIELDS(DV_DESCRIBE)};
#undef SELF
#define SELF dvOglModel
static const dvFieldDesc ogl_model_fields[] = {DV_OGL_MODEL_FIELDS(DV_DESCRIBE)};
#undef SELF
const dvFieldBlock dv_visual_state_block = {visual_state_fields, (int)DV_COUNT(visual_state_fields)};
const dvFieldBlock dv_visual_model_block = {visual_model_fields, (int)DV_COUNT(visual_model_fields)};
const dvFieldBlock dv_ogl_model_block = {ogl_model_fields, (int)DV_COUNT(ogl_model_fields)};

// --- what every visual state does ----------------------------------------------------------------

void dv_visual_state_create(dvObject *o)
{
  dvVisualState *v = (dvVisualState *)o;
  dv_state_bind(&v->state, DV_X, &v->position);
  dv_state_bind(&v->state, DV_X_REST, &v->restPosition);
}

void dv_visual_state_destroy(dvObject *o) { dv_state_free(dv_state(o)); }

// positions may come through a link instead of a mapping
void dv_visual_state_update(dvObject *o)
{
  dvVisualState *v = (dvVisualState *)o;
  dv_object_pull(o);
  dv_state_count_positions(&v->state);
}

dvStatus dv_visual_state_init(dvObject *o)
{
  dvVisualState *v = (dvVisualState *)o;
  dv_state_count_positions(&v->state);
  if (v->restPosition.count != v->position.count) dv_reals_share(&v->restPosition, &v->position);
  return DV_OK;
}

// --- attributes ----------------------------------------------------------------------------------

static void take_numbers(dvObject *o, dvAttributes *a, const char *const *names, int count, double otherwise,
                         double *member)
{
  bool any = false;
  for (int i = 0; i < count; i++) any = any || dv_attribute_find(a, names[i]);
  if (!any) return;
  for (int i = 0; i < count; i++) {
    const char *text = dv_attribute_take(a, names[i]);
    double value;
    member[i] = text && dv_scan_real(&text, &value) && isfinite(value) ? dv_compat_attribute(o, value) : otherwise;
  }
  dv_field_of(o, member)->was_set = true;
}

dvStatus dv_visual_model_parse(dvObject *o, dvAttributes *a)
{
  dvVisualModel *v = (dvVisualModel *)o;
  take_numbers(o, a, (const char *const[]){"rx", "ry", "rz"}, 3, 0, v->rotation);
  take_numbers(o, a, (const char *const[]){"dx", "dy", "dz"}, 3, 0, v->translation);
  take_numbers(o, a, (const char *const[]){"sx", "sy", "sz"}, 3, 1, v->scale3d);
  take_numbers(o, a, (const char *const[]){"su", "sv"}, 2, 1, v->scaleTex);
  take_numbers(o, a, (const char *const[]){"du", "dv"}, 2, 0, v->translationTex);
  take_numbers(o, a, (const char *const[]){"scale", "scale", "scale"}, 3, 1, v->scale3d);
  const char *normals = dv_attribute_take(a, "normals");
  if (normals) v->useNormals = *normals != '0';
  dv_attribute_take(a, "castshadow");
  dv_attribute_take(a, "flip");
  return DV_OK;
}

// --- sources of the mesh -------------------------------------------------------------------------

// the material that the file's first group uses, unless the scene names one or a colour
static void visual_model_take_material(dvVisualModel *v, const dvMesh *mesh, const char *path)
{
  const dvObject *o = &v->base.state.base;
  int used = dv_mesh_first_material(mesh);
  if (used < 0 || *v->material || dv_was_set(o, &v->color)) return;
  const dvMaterial *m = &mesh->materials.data[used];
  dvText text = {0};
  dv_material_print(&text, m);
  dv_free(v->material);
  v->material = dv_strdup(text.text);
  dv_text_free(&text);
  char *picture = *v->texturename ? NULL : dv_material_picture(m, path);
  if (!picture) return;
  dv_free(v->texturename);
  v->texturename = picture;
}

// a loader that gives the faces may tell their groups
static void visual_model_take_groups(dvVisualModel *v)
{
  const dvObject *o = &v->base.state.base;
  const dvField *faces = dv_field_of(o, v->triangles.count ? &v->triangles : &v->quads);
  if (faces->source && dv_plays(faces->source->owner, DV_ROLE_LOADER))
    dv_visual_parts_of_loader(&v->parts, faces->source->owner, dv_ints_size(&v->triangles), dv_ints_size(&v->quads));
}

const dvVisualParts *dv_visual_parts(const dvVisualModel *v)
{
  static const dvVisualParts none = {0};
  const dvObject *o = &v->base.state.base;
  bool same = v->parts.of_face.count == dv_ints_size(&v->triangles) + dv_ints_size(&v->quads);
  return same && !dv_was_set(o, &v->material) && !dv_was_set(o, &v->color) ? &v->parts : &none;
}

static void visual_model_load(dvVisualModel *v)
{
  dvObject *o = &v->base.state.base;
  dvText advice = {0};
  char *path = dv_context_find_file(o->context, v->filename, o->place.file, &advice);
  dvMesh mesh = {0};
  dvMeshError error = {0};
  if (!path) {
    dv_field_warning(o, &v->filename, advice.text, "the mesh %s is not found; nothing is drawn of it", v->filename);
  } else if (dv_mesh_read(path, &mesh, &error) != DV_OK) {
    dv_field_warning(o, &v->filename, NULL, "the mesh cannot be read, nothing is drawn of it: %s:%d: %s", path,
                     error.line, error.text);
  } else {
    dvSplit s;
    dv_split_mesh(&mesh, v->useNormals, &s);
    DV_MUST(dv_reals_assign(&v->base.position, mesh.positions.data, mesh.positions.count));
    dv_ints_share(&v->vertPosIdx, &s.position);
    dv_ints_share(&v->vertNormIdx, &s.normal);
    dv_ints_share(&v->triangles, &s.triangles);
    dv_ints_share(&v->quads, &s.quads);
    dv_reals_share(&v->texcoords, &s.texcoords);
    dv_reals_share(&v->base.normal, &s.normals);
    if (s.split) DV_MUST(dv_reals_resize(&v->vertices, 3 * s.position.count));
    visual_model_take_material(v, &mesh, path);
    dv_visual_parts_of_mesh(&v->parts, &mesh, &s, path);
    dv_split_free(&s);
    dv_mesh_free(&mesh);
  }
  dv_text_free(&advice);
  dv_free(path);
}

size_t *dv_visual_part_corners(const dvVisualModel *v, const dvVisualParts *parts)
{
  size_t triangles = dv_ints_size(&v->triangles), *corners = dv_alloc((parts->list.count + 1) * sizeof *corners);
  for (size_t i = 0; i < parts->of_face.count; i++) corners[parts->of_face.data[i] + 1] += i < triangles ? 3 : 6;
  return corners;
}

// a loader that keeps texture seams gives vertices as positions, and the position of each
static void visual_model_unsplit(dvVisualModel *v)
{
  const dvInts *index = &v->vertPosIdx;
  int32_t largest = -1;
  for (size_t i = 0; i < index->count; i++) largest = index->data[i] > largest ? index->data[i] : largest;
  for (size_t i = 0; i < index->count; i++)
    if (index->data[i] < 0) largest = -1;
  if (largest < 0 || (size_t)largest >= index->count || index->count != dv_reals_size(&v->base.position)) {
    dv_field_warning(&v->base.state.base, &v->vertPosIdx, NULL,
                     "vertPosIdx does not fit the %zu vertices and is not used", dv_reals_size(&v->base.position));
    dv_ints_free(&v->vertPosIdx);
    return;
  }
  dv_reals_share(&v->vertices, &v->base.position);
  dv_field_unlink(dv_field_of(&v->base.state.base, &v->base.position));
  dv_reals_free(&v->base.position);
  DV_MUST(dv_reals_resize(&v->base.position, 3 * ((size_t)largest + 1)));
  for (size_t i = 0; i < index->count; i++)
    memcpy(v->base.position.data + 3 * (size_t)index->data[i], v->vertices.data + 3 * i, 3 * sizeof(double));
}

static void points_of_state(dvVisualModel *v, dvState *s)
{
  DV_MUST(dv_reals_resize(&v->base.position, 3 * s->count));
  const double *x = dv_state_read(s, DV_X);
  for (size_t i = 0; i < s->count; i++)
    dv_dof_point(s->base.dof, x + i * (size_t)s->base.dof->coord, v->base.position.data + 3 * i);
}

static void visual_model_take_faces(dvVisualModel *v)
{
  dvTopology *t = dv_topology(v->topology.target);
  dv_ints_share(&v->triangles, dv_topology_elements(t, DV_TRIANGLE));
  dv_ints_share(&v->quads, dv_topology_elements(t, DV_QUAD));
}

static void visual_model_from_topology(dvVisualModel *v)
{
  dvObject *o = &v->base.state.base;
  if (!v->topology.target) v->topology.target = dv_node_find_up(o->node, DV_ROLE_TOPOLOGY);
  if (!v->topology.target || dv_object_ensure(v->topology.target) != DV_OK) return;
  dvTopology *t = dv_topology(v->topology.target);
  dvField *points = dv_object_field(&t->base, "position");
  if (v->base.position.count == 0 && points && dv_field_pull(points) == DV_OK &&
      ((const dvReals *)points->value)->count) {
    dv_reals_share(&v->base.position, points->value);
  } else if (v->base.position.count == 0) {
    dvObject *state = dv_node_state_up(t->base.node);
    if (state && dv_object_ensure(state) == DV_OK) points_of_state(v, dv_state(state));
  }
  visual_model_take_faces(v);
  v->follows_mesh = true;
}

// takes again the faces that a batch of changes concerns; a list of its own, so that the next one copies nothing
static bool visual_model_patch_faces(dvVisualModel *v, dvInts *faces, dvElementKind kind)
{
  const dvObject *o = &v->base.state.base;
  dvTopology *t = dv_topology(v->topology.target);
  const dvInts *list = dv_topology_elements(t, kind);
  const dvTrace *trace = dv_follow_trace(o, t);
  size_t width = (size_t)list->width;
  if (o->rewound) {
    dv_ints_share(faces, list);
    return false;
  }
  if (!trace || faces->count != width * dv_trace_before(trace, kind, dv_ints_size(list)) ||
      !dv_ints_resize(faces, list->count)) {
    DV_MUST(dv_ints_assign(faces, list->data, list->count));
    return false;
  }
  const dvNumbers *rows = dv_trace_rows(t, kind);
  int32_t *to = dv_ints_edit(faces);
  for (size_t i = 0; i < rows->count; i++)
    memcpy(to + width * (size_t)rows->data[i], list->data + width * (size_t)rows->data[i], width * sizeof *to);
  return true;
}

void dv_visual_model_topology_changed(dvObject *o)
{
  dvVisualModel *v = (dvVisualModel *)o;
  if (v->follows_mesh) {
    bool triangles = visual_model_patch_faces(v, &v->triangles, DV_TRIANGLE),
         quads = visual_model_patch_faces(v, &v->quads, DV_QUAD);
    if (triangles && quads) dv_follow_patched(o);
  }
  dv_touch(o, &v->triangles);
  dv_touch(o, &v->quads);
  dv_touch(o, &v->base.position);
}

// points move with those of the mesh where they are the same; faces are its faces
static void visual_model_follow(dvVisualModel *v)
{
  dvObject *o = &v->base.state.base;
  if (!v->follows_mesh) return;
  dvTopology *t = dv_topology(v->topology.target);
  dv_follow(o, t);
  dv_state_follow(&v->base.state, t);
  if (v->base.state.topology) dv_element_data_add_reals(dv_follow_rows(o, &v->base.state), &v->texcoords, true);
}

static bool is_given(const dvObject *o, const dvInts *member)
{
  const dvField *f = dv_field_of(o, member);
  return f->was_set || f->source || member->count;
}

// --- checks, so that drawing cannot read outside -------------------------------------------------

size_t dv_visual_first_outside(const dvInts *list, size_t count)
{
  for (size_t i = 0; i < list->count; i++)
    if (list->data[i] < 0 || (size_t)list->data[i] >= count) return i;
  return list->count;
}

static void drop_bad(dvVisualModel *v, dvInts *list, size_t count)
{
  dvObject *o = &v->base.state.base;
  size_t bad = dv_visual_first_outside(list, count);
  if (bad == list->count) return;
  dv_field_warning(o, list, NULL, "%s: entry %zu is %d, but there are %zu vertices; they are not drawn",
                   dv_field_name(dv_field_of(o, list)->desc), bad, list->data[bad], count);
  dv_ints_free(list);
}

static void visual_model_check(dvVisualModel *v)
{
  size_t vertices = dv_reals_size(dv_visual_vertices(v));
  if (v->vertPosIdx.count != dv_reals_size(&v->vertices)) dv_ints_free(&v->vertPosIdx);
  drop_bad(v, &v->vertPosIdx, dv_reals_size(&v->base.position));
  drop_bad(v, &v->triangles, vertices);
  drop_bad(v, &v->quads, vertices);
  drop_bad(v, &v->edges, vertices);
  v->normal_count = 0;
  if (v->vertNormIdx.count != vertices || dv_visual_first_outside(&v->vertNormIdx, vertices) != vertices)
    dv_ints_free(&v->vertNormIdx);
  for (size_t i = 0; i < v->vertNormIdx.count; i++)
    v->normal_count = dv_max_size(v->normal_count, (size_t)v->vertNormIdx.data[i] + 1);
}

// --- init and update -----------------------------------------------------------------------------

static void visual_model_transform(dvVisualModel *v)
{
  dvState *s = &v->base.state;
  const double *sc = v->scale3d, *t = v->translation, *r = v->rotation;
  if (sc[0] != 1 || sc[1] != 1 || sc[2] != 1 || t[0] != 0 || t[1] != 0 || t[2] != 0 || r[0] != 0 || r[1] != 0 ||
      r[2] != 0) {
    double *x = dv_state_write(s, DV_X);
    dv_dof_scale(s->base.dof, s->count, x, sc);
    dv_dof_rotate(s->base.dof, s->count, x, r);
    dv_dof_translate(s->base.dof, s->count, x, t);
    dv_field_unlink(dv_field_of(&s->base, &v->base.position));   // the link would undo it
  }
  if (v->scaleTex[0] == 1 && v->scaleTex[1] == 1 && v->translationTex[0] == 0 && v->translationTex[1] == 0) return;
  double *uv = dv_reals_edit(&v->texcoords);
  for (size_t i = 0; i < v->texcoords.count; i++) uv[i] = uv[i] * v->scaleTex[i % 2] + v->translationTex[i % 2];
}

// moves with every change of what visual_model_check looks at
static uint64_t shape_stamp(const dvVisualModel *v)
{
  const dvObject *o = &v->base.state.base;
  const void *members[] = {&v->triangles, &v->quads, &v->edges, &v->vertPosIdx, &v->vertNormIdx};
  uint64_t stamp = v->base.position.count + 31 * v->vertices.count;
  for (size_t i = 0; i < DV_COUNT(members); i++) stamp = 31 * stamp + dv_field_of(o, members[i])->counter;
  return stamp;
}

// vertices and normals from the positions
dvStatus dv_visual_model_compute(dvObject *o)
{
  dvVisualModel *v = (dvVisualModel *)o;
  if (!v->ready) return DV_OK;
  if (shape_stamp(v) != v->shape) visual_model_check(v);
  v->shape = shape_stamp(v);
  if (v->vertPosIdx.count) {
    double *to = dv_reals_edit(&v->vertices);
    for (size_t i = 0; i < v->vertPosIdx.count; i++)
      memcpy(to + 3 * i, v->base.position.data + 3 * (size_t)v->vertPosIdx.data[i], 3 * sizeof *to);
  }
  const dvReals *vertices = dv_visual_vertices(v);
  bool have = v->base.normal.count == vertices->count;
  if (vertices->count == 0 || (have && !v->updateNormals)) return DV_OK;
  if (!have && !dv_reals_resize(&v->base.normal, vertices->count))
    return dv_error(o, NULL, "out of memory for %zu normals", vertices->count / 3);
  dvSurface s = {vertices->data, dv_reals_size(vertices), &v->triangles, &v->quads, &v->vertNormIdx, v->normal_count};
  dvArena *scratch = dv_scratch(o->context->pool);
  dvMark mark = dv_arena_mark(scratch);
  double *work = dv_arena_take(scratch, dv_surface_scratch(&s) * sizeof *work);
  dv_surface_normals(&s, dv_reals_edit(&v->base.normal), work);
  dv_arena_release(scratch, mark);
  return DV_OK;
}

// looks never stop a run: a picture that is missing or damaged is told
static void warn_missing_texture(const dvVisualModel *v)
{
  const dvObject *o = &v->base.state.base;
  if (!*v->texturename) return;
  dvText advice = {0};
  char *path = dv_context_find_file(o->context, v->texturename, o->place.file, &advice);
  if (!path)
    dv_field_warning(o, &v->texturename, advice.text, "the texture %s is not found; the surface is drawn without it",
                     v->texturename);
  dvImage image;
  char why[100];
  if (path && dv_image_known(path) && dv_image_measure(path, &image, why) != DV_OK)
    dv_field_warning(o, &v->texturename, NULL, "the texture %s is not used: %s", v->texturename, why);
  dv_text_free(&advice);
  dv_free(path);
}

static bool is_moved_by_mapping(const dvObject *o)
{
  const dvObject *out;
  for (size_t i = 0; i < o->node->objects.count; i++) {
    dvObject *mapping = o->node->objects.data[i];
    if (!dv_plays(mapping, DV_ROLE_MAPPING)) continue;
    for (size_t k = 0; (out = dv_mapping_output(mapping, k)); k++)
      if (out == o) return true;
  }
  return false;
}

dvStatus dv_visual_model_init(dvObject *o)
{
  dvVisualModel *v = (dvVisualModel *)o;
  if (v->filled) {
    v->ready = true;
    return DV_OK;
  }
  if (*v->filename && v->base.position.count == 0 && v->vertices.count == 0) visual_model_load(v);
  else if (v->vertPosIdx.count && v->vertices.count == 0) visual_model_unsplit(v);
  if (!*v->filename && (v->base.position.count == 0 || (!is_given(o, &v->triangles) && !is_given(o, &v->quads))))
    visual_model_from_topology(v);
  if (v->base.position.count == 0 && !*v->filename)
    dv_warning(o, "give src=\"@loader\", a filename, or a topology in the node", "%s has nothing to draw",
               o->cls->name);
  if (!v->parts.list.count) visual_model_take_groups(v);
  dv_state_count_positions(&v->base.state);
  visual_model_transform(v);
  DV_TRY(dv_visual_state_init(o));
  visual_model_check(v);
  v->shape = shape_stamp(v);
  visual_model_follow(v);
  warn_missing_texture(v);
  if (is_moved_by_mapping(o)) dv_field_unlink(dv_field_of(o, &v->base.position));
  dv_touch(o, &v->base.position);
  v->ready = true;
  return DV_OK;
}

void dv_visual_model_destroy(dvObject *o)
{
  dv_visual_parts_free(&((dvVisualModel *)o)->parts);
  dv_visual_state_destroy(o);
}

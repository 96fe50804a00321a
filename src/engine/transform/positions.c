// Engines that move points: TransformPosition, ProjectiveTransformEngine, DilateEngine.
#include "engine/classes.h"
#include "engine/engine.h"

#include "base/file.h"
#include "base/random.h"
#include "math/vec.h"
#include "topology/search/rays.h"

#include <string.h>

// --- TransformPosition ---------------------------------------------------------------------------

typedef enum Method {
  PROJECT,
  TRANSLATE,
  ROTATE,
  RANDOM,
  SCALE,
  SCALE_TRANSLATE,
  SCALE_ROTATE_TRANSLATE,
  AFFINE,
  FROM_FILE
} Method;

#define IDENTITY4 "1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1"
#define MOVE_FIELDS(X)                                                                                                 \
  X(vec3, origin, "0 0 0", "m", "a point of the plane, or the centre of scaling", .flags = DV_INPUT)                   \
  X(coords, input_position, "", "m", "points to move", .alias = "inputPosition", .flags = DV_INPUT)                    \
  X(coords, output_position, "", "m", "the moved points", .alias = "outputPosition", .flags = DV_OUTPUT)               \
  X(vec3, normal, "0 0 0", "", "normal of the plane", .flags = DV_INPUT)                                               \
  X(vec3, translation, "0 0 0", "m", "translation", .flags = DV_INPUT)                                                 \
  X(vec3, rotation, "0 0 0", "degrees", "rotation about x, then y, then z", .flags = DV_INPUT)                         \
  X(vec3, scale, "1 1 1", "", "factors along x, y, z", .flags = DV_INPUT)                                              \
  X(mat4, matrix, IDENTITY4, "", "transformation of homogeneous coordinates, row by row", .flags = DV_INPUT)           \
  X(choice, method, "projectOnPlane", "", "what to do",                                                                \
    .options = "projectOnPlane|translation|rotation|random|scale|scaleTranslation|"                                    \
               "scaleRotationTranslation|affine|fromFile",                                                             \
    .flags = DV_INPUT)                                                                                                 \
  X(int, seedValue, "0", "", "start of the random numbers; 0 takes the usual one", .flags = DV_INPUT)                  \
  X(real, maxRandomDisplacement, "1", "m", "random displacements are at most this along each axis", .flags = DV_INPUT) \
  X(indices, fixedIndices, "", "", "points that stay", .flags = DV_INPUT)                                              \
  X(file, filename, "", "", "file with a matrix: .trm, .tfm, .xfm or .txt", .flags = DV_INPUT)                         \
  X(bool, drawInput, "0", "", "draw the points", .flags = DV_LOOKS)                                                    \
  X(bool, drawOutput, "0", "", "draw the moved points", .flags = DV_LOOKS)                                             \
  X(real, pointSize, "1", "", "size of drawn points", .flags = DV_LOOKS)

typedef struct Move {
  dvObject base;
  MOVE_FIELDS(DV_MEMBER)
} Move;

#define SELF Move
static const dvFieldDesc move_fields[] = {MOVE_FIELDS(DV_DESCRIBE)};
#undef SELF

// numbers of a text, of one line only when `line` is set; words that are no numbers are passed over
static size_t scan_numbers(const char *s, bool line, double *out, size_t most)
{
  size_t n = 0;
  while (*s && !(line && *s == '\n')) {
    const char *word = s;
    while (*word == ' ' || *word == '\t' || *word == '\r' || (!line && *word == '\n')) word++;
    if (!*word || (line && *word == '\n')) break;
    size_t length = strcspn(word, " \t\r\n");
    const char *end = word;
    double value;
    if (dv_scan_real(&end, &value) && end == word + length) {
      if (n < most) out[n] = value;
      n++;
    }
    s = word + length;
  }
  return n;
}

// .trm: a translation, then three rows of a rotation; .tfm: the twelve numbers behind "Parameters", the translation
// last and from z to x; others: four rows of four
static bool matrix_from_text(const char *name, const char *text, double m[16])
{
  double v[17];
  for (int i = 0; i < 16; i++) m[i] = i % 5 == 0;
  if (dv_ends_with_nocase(name, ".tfm")) {
    const char *at = strstr(text, "Parameters");
    if (!at || scan_numbers(at, true, v, 12) != 12) return false;
    for (int i = 0; i < 12; i++) m[i < 9 ? 4 * (i / 3) + i % 3 : 4 * (11 - i) + 3] = v[i];
    return true;
  }
  if (dv_ends_with_nocase(name, ".trm")) {
    if (scan_numbers(text, false, v, 12) != 12) return false;
    for (int i = 0; i < 12; i++) m[i < 3 ? 4 * i + 3 : 4 * ((i - 3) / 3) + i % 3] = v[i];
    return true;
  }
  return scan_numbers(text, false, m, 16) == 16;
}

static dvStatus read_matrix(const Move *m, double out[16])
{
  const dvObject *o = &m->base;
  static const char *const endings[] = {".trm", ".tfm", ".xfm", ".txt"};
  bool known = false;
  for (size_t i = 0; i < DV_COUNT(endings); i++) known = known || dv_ends_with_nocase(m->filename, endings[i]);
  if (!known)
    return dv_field_error(o, &m->filename, "give a .trm, .tfm, .xfm or .txt file", "'%s' is no file of a matrix",
                          m->filename);
  dvText advice = {0};
  char *path = dv_context_find_file(o->context, m->filename, o->place.file, &advice);
  char *text = dv_file_read(path, NULL);
  dvStatus status = DV_OK;
  if (!text) status = dv_field_error(o, &m->filename, advice.text, "%s cannot be read: %s", m->filename, dv_file_why());
  else if (!matrix_from_text(path, text, out))
    status = dv_field_error(o, &m->filename, NULL, "%s does not hold a matrix", m->filename);
  dv_free(text);
  dv_free(path);
  dv_text_free(&advice);
  return status;
}

static dvVec3 times(dvVec3 p, const double s[3]) { return dv_vec3(p.x * s[0], p.y * s[1], p.z * s[2]); }

// points that go to infinity stay
static dvVec3 affine(const double m[16], dvVec3 p)
{
  double v[4];
  for (int i = 0; i < 4; i++) v[i] = m[4 * i] * p.x + m[4 * i + 1] * p.y + m[4 * i + 2] * p.z + m[4 * i + 3];
  return fabs(v[3]) > 1e-10 ? dv_vec3(v[0] / v[3], v[1] / v[3], v[2] / v[3]) : p;
}

static dvVec3 moved(const Move *m, const double matrix[16], dvQuat q, dvVec3 normal, dvRandom *random, dvVec3 p)
{
  dvVec3 origin = dv_vec3_load(m->origin), shift = dv_vec3_load(m->translation);
  double most = m->maxRandomDisplacement;
  switch ((Method)m->method) {
  case PROJECT:
    return dv_vec3_add_scaled(p, normal, dv_vec3_dot(dv_vec3_sub(origin, p), normal));
  case TRANSLATE:
    return dv_vec3_add(p, shift);
  case ROTATE:
    return dv_quat_rotate(q, p);
  case RANDOM: {
    double x = dv_random(random, -most, most), y = dv_random(random, -most, most), z = dv_random(random, -most, most);
    return dv_vec3_add(p, dv_vec3(x, y, z));
  }
  case SCALE:
    return dv_vec3_add(origin, times(dv_vec3_sub(p, origin), m->scale));
  case SCALE_TRANSLATE:
    return dv_vec3_add(times(p, m->scale), shift);
  case SCALE_ROTATE_TRANSLATE:
    return dv_vec3_add(dv_quat_rotate(q, times(p, m->scale)), shift);
  default:
    return affine(matrix, p);
  }
}

static dvStatus move_update(dvObject *o)
{
  Move *m = (Move *)o;
  double matrix[16];
  memcpy(matrix, m->matrix, sizeof matrix);
  dvVec3 normal = dv_vec3_load(m->normal);
  if (m->method == PROJECT && !(dv_vec3_norm(normal) > 0))
    return dv_field_error(o, m->normal, "give a normal", "a plane needs a normal other than 0 0 0");
  if (m->method == FROM_FILE) DV_TRY(read_matrix(m, matrix));
  DV_TRY(dv_engine_check(o, &m->fixedIndices, dv_reals_size(&m->input_position), "points"));
  if (!dv_reals_resize(&m->output_position, m->input_position.count)) return dv_engine_no_memory(o);
  dvQuat q = dv_quat_from_euler(dv_vec3_scale(dv_vec3_load(m->rotation), acos(-1.0) / 180));
  dvRandom random = dv_random_start(m->seedValue ? (uint32_t)m->seedValue : DV_RANDOM_SEED);
  normal = dv_vec3_normalise(normal);
  const double *in = m->input_position.data;
  for (size_t i = 0; i + 3 <= m->input_position.count; i += 3)
    dv_vec3_store(m->output_position.data + i, moved(m, matrix, q, normal, &random, dv_vec3_load(in + i)));
  for (size_t i = 0; i < m->fixedIndices.count; i++) {
    size_t at = 3 * (size_t)m->fixedIndices.data[i];
    memcpy(m->output_position.data + at, in + at, 3 * sizeof *in);
  }
  return DV_OK;
}

DV_ENGINE_CLASS(dv_transform_position_class, "TransformPosition", "moves points in one of several ways",
                DV_TRANSFORM_MODULE, DV_DOF_VEC3, Move, .blocks = {&dv_object_block, DV_BLOCK(move_fields)},
                .update = move_update);

// --- ProjectiveTransformEngine -------------------------------------------------------------------

#define PROJECTIVE_FIELDS(X)                                                                                       \
  X(coords, input_position, "", "m", "points in space", .flags = DV_INPUT)                                         \
  X(coords, output_position, "", "m", "their pictures in the plane z = focal_distance", .flags = DV_OUTPUT)        \
  X(mat34, proj_mat, "0 0 0 0 0 0 0 0 0 0 0 0", "", "matrix of the camera, three rows of four", .flags = DV_INPUT) \
  X(real, focal_distance, "1", "m", "distance of the picture", .flags = DV_INPUT)

typedef struct Projective {
  dvObject base;
  PROJECTIVE_FIELDS(DV_MEMBER)
} Projective;

#define SELF Projective
static const dvFieldDesc projective_fields[] = {PROJECTIVE_FIELDS(DV_DESCRIBE)};
#undef SELF

static dvStatus projective_update(dvObject *o)
{
  Projective *p = (Projective *)o;
  if (p->input_position.count && !dv_was_set(o, p->proj_mat))
    return dv_field_error(o, p->proj_mat, "1 0 0 0 0 1 0 0 0 0 1 0 looks along z from the origin",
                          "proj_mat is missing: without it nothing can be projected");
  if (!dv_reals_resize(&p->output_position, p->input_position.count)) return dv_engine_no_memory(o);
  for (size_t i = 0; i + 3 <= p->input_position.count; i += 3) {
    const double *x = p->input_position.data + i, *m = p->proj_mat;
    double v[3];
    for (int k = 0; k < 3; k++) v[k] = m[4 * k] * x[0] + m[4 * k + 1] * x[1] + m[4 * k + 2] * x[2] + m[4 * k + 3];
    // a point in the plane of the camera goes very far away instead of to infinity
    double depth = fabs(v[2]) < 1e-10 ? (v[2] < 0 ? -1e-10 : 1e-10) : v[2];
    for (int k = 0; k < 3; k++) p->output_position.data[i + (size_t)k] = v[k] * p->focal_distance / depth;
  }
  return DV_OK;
}

DV_ENGINE_CLASS(dv_projective_transform_class, "ProjectiveTransformEngine", "pictures of points as a camera sees them",
                DV_TRANSFORM_MODULE, DV_DOF_VEC3, Projective, .blocks = {&dv_object_block, DV_BLOCK(projective_fields)},
                .update = projective_update);

// --- DilateEngine --------------------------------------------------------------------------------

#define DILATE_FIELDS(X)                                                                                            \
  X(coords, input_position, "", "m", "points of a surface", .alias = "position", .flags = DV_INPUT)                 \
  X(coords, output_position, "", "m", "points moved along their normals", .flags = DV_OUTPUT)                       \
  X(triangles, triangles, "", "", "triangles of the surface", .flags = DV_INPUT)                                    \
  X(quads, quads, "", "", "quads of the surface", .flags = DV_INPUT)                                                \
  X(coords, normal, "", "", "normal at each point; large faces count more", .flags = DV_OUTPUT)                     \
  X(reals, thickness, "", "m", "with minThickness: distance from each point to the other side", .flags = DV_OUTPUT) \
  X(real, distance, "0", "m", "how far points are moved outwards; inwards when negative", .flags = DV_INPUT)        \
  X(real, minThickness, "0", "m", "where the body is thinner, each side is moved by half of what is missing",       \
    .flags = DV_INPUT)

typedef struct Dilate {
  dvObject base;
  DILATE_FIELDS(DV_MEMBER)
} Dilate;

#define SELF Dilate
static const dvFieldDesc dilate_fields[] = {DILATE_FIELDS(DV_DESCRIBE)};
#undef SELF

// the cross product of the edges at each corner: the same at all corners of a triangle
static void add_normals(Dilate *d, const dvInts *faces)
{
  size_t n = (size_t)faces->width;
  for (size_t i = 0; i + n <= faces->count; i += n)
    for (size_t k = 0; k < n; k++) {
      size_t at = 3 * (size_t)faces->data[i + k], next = 3 * (size_t)faces->data[i + (k + 1) % n],
             last = 3 * (size_t)faces->data[i + (k + n - 1) % n];
      dvVec3 p = dv_vec3_load(d->input_position.data + at),
             to = dv_vec3_sub(dv_vec3_load(d->input_position.data + next), p);
      dv_vec3_accumulate(d->normal.data + at,
                         dv_vec3_cross(to, dv_vec3_sub(dv_vec3_load(d->input_position.data + last), p)));
    }
}

// from each point inwards to the next triangle that is not its own; 0 where there is none
static bool measure_thickness(Dilate *d)
{
  dvInts all = {.width = 3};
  size_t n = dv_reals_size(&d->input_position);
  bool good = dv_ints_assign(&all, d->triangles.data, d->triangles.count);
  for (size_t i = 0; i + 4 <= d->quads.count && good; i += 4) {
    const int32_t *q = d->quads.data + i;
    good = dv_engine_add_ints(&all, (int32_t[]){q[0], q[1], q[2], q[0], q[2], q[3]}, 6);
  }
  dvRayMesh mesh = {0};
  dvHits scratch = {0};
  dvRayHits hits = {0};
  good = good && dv_reals_resize(&d->thickness, n) &&
         dv_ray_mesh_init(&mesh, d->input_position.data, all.data, all.count / 3);
  for (size_t i = 0; i < n && good; i++) {
    double inwards[3];
    for (size_t k = 0; k < 3; k++) inwards[k] = -d->normal.data[3 * i + k];
    dv_ray_mesh_trace(&mesh, d->input_position.data + 3 * i, inwards, &scratch, &hits);
    d->thickness.data[i] = 0;
    for (size_t h = 0; h < hits.count && d->thickness.data[i] == 0; h++) {
      const int32_t *t = all.data + 3 * (size_t)hits.data[h].triangle;
      if ((size_t)t[0] != i && (size_t)t[1] != i && (size_t)t[2] != i) d->thickness.data[i] = hits.data[h].t;
    }
  }
  dv_array_free(&hits);
  dv_array_free(&scratch);
  dv_ray_mesh_fini(&mesh);
  dv_ints_free(&all);
  return good;
}

static dvStatus dilate_update(dvObject *o)
{
  Dilate *d = (Dilate *)o;
  size_t n = dv_reals_size(&d->input_position);
  DV_TRY(dv_engine_check(o, &d->triangles, n, "points"));
  DV_TRY(dv_engine_check(o, &d->quads, n, "points"));
  if (n && d->triangles.count + d->quads.count == 0)
    dv_warning(o, "give triangles or quads", "%s has no surface: points stay where they are", o->name);
  if (!dv_reals_resize(&d->normal, 0) || !dv_reals_resize(&d->normal, 3 * n) ||
      !dv_reals_resize(&d->output_position, 3 * n) || !dv_reals_resize(&d->thickness, 0))
    return dv_engine_no_memory(o);
  add_normals(d, &d->triangles);
  add_normals(d, &d->quads);
  for (size_t i = 0; i < n; i++)
    dv_vec3_store(d->normal.data + 3 * i, dv_vec3_normalise(dv_vec3_load(d->normal.data + 3 * i)));
  if (d->minThickness > 0 && !measure_thickness(d)) return dv_engine_no_memory(o);
  for (size_t i = 0; i < n; i++) {
    double by = d->distance;
    if (d->minThickness > 0) by += fmax(0, d->minThickness - d->thickness.data[i]) * 0.5;
    dv_vec3_store(d->output_position.data + 3 * i, dv_vec3_add_scaled(dv_vec3_load(d->input_position.data + 3 * i),
                                                                      dv_vec3_load(d->normal.data + 3 * i), by));
  }
  return DV_OK;
}

DV_ENGINE_CLASS(dv_dilate_class, "DilateEngine", "makes a body thicker or thinner", DV_TRANSFORM_MODULE, DV_DOF_VEC3,
                Dilate, .blocks = {&dv_object_block, DV_BLOCK(dilate_fields)}, .update = dilate_update);

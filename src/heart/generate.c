// GenerateVentricle: a left ventricle, or both, as tetrahedra with fibres by rule and zones. See ventricle.h for the
// shape and the rule.
//
// The default is about the left ventricle of a grown person, filled: 120 ml in a wall of 11 mm.
#include "engine/engine.h"
#include "heart/classes.h"
#include "heart/ventricle.h"
#include "math/vec.h"

#include <math.h>

#define GENERATE_FIELDS(X)                                                                                           \
  X(vec2, innerRadii, "0.023 0.065", "m", "short and long radius of the endocardium", .flags = DV_INPUT)             \
  X(vec2, outerRadii, "0.034 0.075", "m", "short and long radius of the epicardium", .flags = DV_INPUT)              \
  X(real, basePlane, "0.02", "m", "height of the base above the widest place; the apex is below", .flags = DV_INPUT) \
  X(vec2, fibreAngles, "60 -60", "deg", "angle of fibres against the horizontal at the endocardium and outside",     \
    .flags = DV_INPUT)                                                                                               \
  X(real, spacing, "0.006", "m", "distance of points along the wall", .flags = DV_INPUT)                             \
  X(int, layers, "2", "", "layers of cells through the left wall", .least = "1", .flags = DV_INPUT)                  \
  X(bool, rightVentricle, "0", "", "make the right ventricle too, around the direction -x", .flags = DV_INPUT)       \
  X(real, rightWall, "0.004", "m", "thickness of the right wall", .flags = DV_INPUT)                                 \
  X(real, rightGap, "0.022", "m", "largest distance of the right wall from the septum", .flags = DV_INPUT)           \
  X(vec3s, position, "", "m", "points", .flags = DV_OUTPUT)                                                          \
  X(tetrahedra, tetrahedra, "", "", "tetrahedra", .flags = DV_OUTPUT)                                                \
  X(vec3s, fibres, "", "", "direction of the fibres of each tetrahedron, of length 1", .flags = DV_OUTPUT)           \
  X(vec3s, sheets, "", "", "direction through the wall of each tetrahedron, of length 1", .flags = DV_OUTPUT)        \
  X(triangles, leftEndocardium, "", "", "wall of the left cavity; normals point away from the blood",                \
    .flags = DV_OUTPUT)                                                                                              \
  X(triangles, rightEndocardium, "", "", "wall of the right cavity", .flags = DV_OUTPUT)                             \
  X(triangles, epicardium, "", "", "the outside", .flags = DV_OUTPUT)                                                \
  X(triangles, base, "", "", "where it is cut off", .flags = DV_OUTPUT)                                              \
  X(indices, basePoints, "", "", "points of the base", .flags = DV_OUTPUT)                                           \
  X(indices, leftPoints, "", "", "points of the left endocardium", .flags = DV_OUTPUT)                               \
  X(indices, rightPoints, "", "", "points of the right endocardium", .flags = DV_OUTPUT)                             \
  X(indices, epicardiumPoints, "", "", "points of the outside", .flags = DV_OUTPUT)                                  \
  X(indices, apexPoints, "", "", "points at the tip, from inside to outside", .flags = DV_OUTPUT)                    \
  X(ints, segments, "", "", "of each tetrahedron: 1 to 17 of the American Heart Association, 0 in the right wall",   \
    .flags = DV_OUTPUT)                                                                                              \
  X(reals, depth, "", "", "of each point: 0 at the endocardium to 1 outside", .flags = DV_OUTPUT)                    \
  X(reals, height, "", "", "of each point: 0 at the apex to 1 at the base", .flags = DV_OUTPUT)

typedef struct Generate {
  dvObject base_object;
  GENERATE_FIELDS(DV_MEMBER)
} Generate;

#define SELF Generate
static const dvFieldDesc generate_fields[] = {GENERATE_FIELDS(DV_DESCRIBE)};
#undef SELF

static bool select_points(const dvVentricle *v, int zone, dvInts *out)
{
  size_t count = 0;
  for (size_t i = 0; i < v->zones.count; i++) count += (v->zones.data[i] & zone) != 0;
  if (!dv_ints_resize(out, count)) return false;
  count = 0;
  for (size_t i = 0; i < v->zones.count; i++)
    if (v->zones.data[i] & zone) out->data[count++] = (int32_t)i;
  return true;
}

static bool select_apex(const dvVentricle *v, int layers, dvInts *out)
{
  size_t columns = 0, count = 0;
  if (!dv_ints_resize(out, (size_t)layers + 1)) return false;
  while (columns < v->depth.count && v->depth.data[columns] == 0) columns++;
  for (size_t k = 0; k <= (size_t)layers && k * columns < v->height.count; k++)
    out->data[count++] = (int32_t)(k * columns);
  return dv_ints_resize(out, count);
}

// shares the lists that were made, without a copy
static void take(Generate *g, dvVentricle *v)
{
  dv_reals_share(&g->position, &v->position);
  dv_reals_share(&g->fibres, &v->fibres);
  dv_reals_share(&g->sheets, &v->sheets);
  dv_reals_share(&g->depth, &v->depth);
  dv_reals_share(&g->height, &v->height);
  dv_ints_share(&g->tetrahedra, &v->tetrahedra);
  dv_ints_share(&g->leftEndocardium, &v->left);
  dv_ints_share(&g->rightEndocardium, &v->right);
  dv_ints_share(&g->epicardium, &v->outside);
  dv_ints_share(&g->base, &v->bottom);
  dv_ints_share(&g->segments, &v->segments);
}

static dvStatus check_shape(const Generate *g, const dvVentricleShape *s)
{
  const void *const members[][2] = {{&s->inner, &g->innerRadii}, {&s->outer, &g->outerRadii},
                                    {&s->base, &g->basePlane},   {&s->angles, &g->fibreAngles},
                                    {&s->spacing, &g->spacing},  {&s->layers, &g->layers},
                                    {&s->right, &g->rightWall},  {&s->gap, &g->rightGap}};
  const dvObject *o = &g->base_object;
  const void *wrong = NULL;
  const char *problem = dv_ventricle_problem(s, &wrong);
  if (!problem && g->rightVentricle && !(g->rightWall > 0)) {
    wrong = &s->right;
    problem = "the right wall has no thickness";
  }
  for (size_t i = 0; i < DV_COUNT(members) && problem; i++) {
    if (members[i][0] != wrong) continue;
    dvText now = {0};
    const dvField *f = dv_field_of(o, members[i][1]);
    dv_field_print(f, &now);
    char *advice = dv_format("%s=\"%s\" is the default; divan info GenerateVentricle shows all of them",
                             dv_field_name(f->desc), f->desc->initial);
    dv_field_error(o, members[i][1], advice, "no ventricle has this shape: %s; %s is %s", problem,
                   dv_field_name(f->desc), now.text ? now.text : "");
    dv_free(advice);
    dv_text_free(&now);
    return DV_ERROR_INPUT;
  }
  return DV_OK;
}

static dvStatus generate_update(dvObject *o)
{
  Generate *g = (Generate *)o;
  dvVentricleShape s = {.inner = {g->innerRadii[0], g->innerRadii[1]},
                        .outer = {g->outerRadii[0], g->outerRadii[1]},
                        .base = g->basePlane,
                        .angles = {g->fibreAngles[0], g->fibreAngles[1]},
                        .spacing = g->spacing,
                        .layers = g->layers,
                        .right = g->rightVentricle ? g->rightWall : 0,
                        .gap = g->rightGap};
  DV_TRY(check_shape(g, &s));
  if (dv_ventricle_points(&s) > 5e6)
    return dv_field_error(o, &g->spacing, "give a larger distance", "there would be about %.0f points",
                          dv_ventricle_points(&s));
  dvVentricle v = {0};
  bool good = dv_ventricle_make(&s, &v);
  if (good) {
    take(g, &v);
    good = select_points(&v, DV_ZONE_BASE, &g->basePoints) && select_points(&v, DV_ZONE_LEFT, &g->leftPoints) &&
           select_points(&v, DV_ZONE_RIGHT, &g->rightPoints) &&
           select_points(&v, DV_ZONE_OUTSIDE, &g->epicardiumPoints) && select_apex(&v, s.layers, &g->apexPoints);
  }
  dv_ventricle_free(&v);
  return good ? DV_OK : dv_engine_no_memory(o);
}

DV_ENGINE_CLASS(dv_generate_ventricle_class, "GenerateVentricle",
                "makes a left ventricle, or both, of tetrahedra with fibres and zones", DV_HEART_MODULE, 0, Generate,
                .blocks = {&dv_object_block, DV_BLOCK(generate_fields)}, .update = generate_update);

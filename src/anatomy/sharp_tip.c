// SharpTip: the tip of a needle on a membrane: it presses it in, pierces it, and cuts where it goes then.
//
// Before each step the triangle nearest to the tip is looked for, with its normal n and the point p of it that is
// nearest. While the tip, at x, has not pierced,
//
//   f on the tip = k max(0, n . (p - x)) n
//
// and the corners of the triangle get the reaction by their weights. Pressed harder than `pierceForce` the membrane
// opens over `slit` along the needle, in the shape at rest; its MembraneTear follows the ends. As long as the tip stays
// below the surface it leads the nearest of these ends: it cuts. Once it has been drawn out it can pierce again.
#include "anatomy/membrane_tear.h"
#include "anatomy/register.h"
#include "topology/search/surface.h"

#include <math.h>
#include <string.h>

#define SHARP_TIP_FIELDS(X)                                                                              \
  X(link, tear, "", "", "MembraneTear of the membrane; the first one of the membrane's node by default", \
    .role = DV_ROLE_TOPOLOGY_TOOL)                                                                       \
  X(int, tip, "0", "", "point of the tool that is its tip", .least = "0")                                \
  X(int, shaft, "1", "", "point behind it: the slit lies along the way between both", .least = "0")      \
  X(real, stiffness, "50", "N/m", "how stiff the tip is against the membrane", .least = "0")             \
  X(real, pierceForce, "0.005", "N", "pressed harder the membrane is pierced", .least = "0")             \
  X(real, slit, "0.0005", "m", "length of the first opening", .least = "0")                              \
  X(real, reach, "0.001", "m", "the tip deals with what is no farther from it", .least = "0")            \
  X(bool, through, "0", "", "the tip has pierced the membrane and is below it", .flags = DV_READ_ONLY)   \
  X(int, punctures, "0", "", "how often it has pierced it", .flags = DV_READ_ONLY)                       \
  X(int, cuts, "0", "", "triangles that it cut through since", .flags = DV_READ_ONLY)                    \
  X(real, force, "0", "N", "how hard it presses", .flags = DV_READ_ONLY)

typedef struct SharpTip {
  dvPairForce pair;
  SHARP_TIP_FIELDS(DV_MEMBER)
  dvObject *tearing;
  // what it touches in this step
  int32_t corners[3];   // of the nearest triangle; the first is -1 when there is none
  double weights[3], normal[3];
  bool presses;
} SharpTip;

#define SELF SharpTip
static const dvFieldDesc sharp_tip_fields[] = {SHARP_TIP_FIELDS(DV_DESCRIBE)};
static const dvMemoryDesc sharp_tip_memory[] = {DV_REMEMBER(numbers, through) DV_REMEMBER(numbers, punctures)
                                                    DV_REMEMBER(numbers, cuts) DV_REMEMBER(numbers, force)
                                                        DV_REMEMBER(numbers, corners) DV_REMEMBER(numbers, weights)
                                                            DV_REMEMBER(numbers, normal) DV_REMEMBER(numbers, presses)};
#undef SELF

// --- the spring ----------------------------------------------------------------------------------

static dvVec3 on_membrane(const SharpTip *s, const double *x)
{
  dvVec3 sum = {0};
  for (int k = 0; k < 3; k++) sum = dv_vec3_add_scaled(sum, dv_vec3_load(x + 3 * (size_t)s->corners[k]), s->weights[k]);
  return sum;
}

// n . (p - x)
static double depth(const SharpTip *s, const double *tool, const double *membrane)
{
  dvVec3 d = dv_vec3_sub(on_membrane(s, membrane), dv_vec3_load(tool + 3 * (size_t)s->tip));
  return dv_vec3_dot(d, dv_vec3_load(s->normal));
}

static void push(const SharpTip *s, double force, double *on_tool, double *on_skin)
{
  dvVec3 f = dv_vec3_scale(dv_vec3_load(s->normal), force);
  dv_vec3_accumulate(on_tool + 3 * (size_t)s->tip, f);
  for (int k = 0; k < 3; k++) dv_vec3_accumulate(on_skin + 3 * (size_t)s->corners[k], dv_vec3_scale(f, -s->weights[k]));
}

static void sharp_tip_add_force(dvObject *o, const dvMech *m)
{
  const SharpTip *s = (const SharpTip *)o;
  dvState *tool = s->pair.first, *skin = s->pair.second;
  if (!s->presses) return;
  push(s, s->stiffness * dv_max(0, depth(s, dv_state_read(tool, m->x), dv_state_read(skin, m->x))),
       dv_state_write(tool, m->f), dv_state_write(skin, m->f));
}

static void sharp_tip_add_dforce(dvObject *o, const dvMech *m)
{
  const SharpTip *s = (const SharpTip *)o;
  dvState *tool = s->pair.first, *skin = s->pair.second;
  if (!s->presses) return;
  push(s,
       s->stiffness * dv_mech_k(m, s->pair.rayleighStiffness) *
           depth(s, dv_state_read(tool, m->dx), dv_state_read(skin, m->dx)),
       dv_state_write(tool, m->df), dv_state_write(skin, m->df));
}

static void sharp_tip_add_stiffness(dvObject *o, const dvMech *m, dvMatrixSink *sink)
{
  const SharpTip *s = (const SharpTip *)o;
  if (!s->presses) return;
  double k = -s->stiffness * dv_mech_k(m, s->pair.rayleighStiffness);
  for (int a = 0; a < 4; a++)
    for (int b = 0; b < 4; b++) {
      double w = (a < 3 ? -s->weights[a] : 1) * (b < 3 ? -s->weights[b] : 1) * k, block[9];
      for (int i = 0; i < 9; i++) block[i] = w * s->normal[i / 3] * s->normal[i % 3];
      sink->add(sink, a < 3 ? s->pair.second : s->pair.first, (size_t)(a < 3 ? s->corners[a] : s->tip),
                b < 3 ? s->pair.second : s->pair.first, (size_t)(b < 3 ? s->corners[b] : s->tip), 3, 3, block);
    }
}

static double sharp_tip_energy(dvObject *o, const dvMech *m)
{
  const SharpTip *s = (const SharpTip *)o;
  if (!s->presses) return 0;
  double d = dv_max(0, depth(s, dv_state_read(s->pair.first, m->x), dv_state_read(s->pair.second, m->x)));
  return 0.5 * s->stiffness * d * d;
}

// --- what it touches -----------------------------------------------------------------------------

static void look(SharpTip *s)
{
  dvMembrane *m = dv_membrane_tear_membrane(s->tearing);
  const dvInts *list = dv_topology_elements(m->mesh, DV_TRIANGLE);
  const double *x = dv_state_read(s->pair.second, DV_X);
  dvVec3 tip = dv_vec3_load(dv_state_read(s->pair.first, DV_X) + 3 * (size_t)s->tip);
  double nearest = s->reach * s->reach, weights[3];
  s->corners[0] = -1;
  for (size_t i = 0; i + 2 < list->count; i += 3) {
    double d = dv_vec3_norm2(dv_vec3_sub(dv_nearest_on_triangle(x, list->data + i, tip, weights), tip));
    if (!(d < nearest)) continue;
    nearest = d;
    memcpy(s->corners, list->data + i, sizeof s->corners);
    memcpy(s->weights, weights, sizeof weights);
  }
  s->presses = false;
  if (s->corners[0] < 0) {
    s->through = false;
    return;
  }
  dv_vec3_store(s->normal, dv_element_normal(DV_TRIANGLE, x, s->corners));
  double below = depth(s, dv_state_read(s->pair.first, DV_X), x);
  if (s->through && below < 0) s->through = false;
  s->presses = !s->through;
}

// a direction now, as it lies in the shape at rest of the triangle
static dvVec3 back_to_rest(const SharpTip *s, dvVec3 way)
{
  dvStretch at;
  if (!dv_membrane_stretch(dv_membrane_tear_membrane(s->tearing), s->corners, &at)) return dv_vec3(0, 0, 0);
  double ff = dv_vec3_norm2(at.f), fg = dv_vec3_dot(at.f, at.g), gg = dv_vec3_norm2(at.g), p = dv_vec3_dot(at.f, way),
         q = dv_vec3_dot(at.g, way), det = ff * gg - fg * fg;
  if (!(det > 0)) return dv_vec3(0, 0, 0);
  return dv_vec3_normalise(
      dv_vec3_add(dv_vec3_scale(at.u, (gg * p - fg * q) / det), dv_vec3_scale(at.v, (ff * q - fg * p) / det)));
}

static void pierce(SharpTip *s)
{
  const double *tool = dv_state_read(s->pair.first, DV_X);
  dvVec3 along = dv_vec3_sub(dv_vec3_load(tool + 3 * (size_t)s->tip), dv_vec3_load(tool + 3 * (size_t)s->shaft));
  along = back_to_rest(s, along);
  if (!(dv_vec3_norm(along) > 0.5)) return;
  dvVec3 place = on_membrane(s, dv_state_read(s->pair.second, DV_X_REST));
  if (!dv_membrane_tear_open(s->tearing, place, along, s->slit)) return;
  s->through = true, s->presses = false;
  s->corners[0] = -1;
  s->punctures++;
}

static void sharp_tip_event(dvObject *o, const dvEvent *event)
{
  SharpTip *s = (SharpTip *)o;
  if (event->kind == DV_EVENT_ANIMATE_BEGIN) {
    look(s);
    if (s->through && s->corners[0] >= 0) {
      dvVec3 place = on_membrane(s, dv_state_read(s->pair.second, DV_X_REST));
      if (dv_membrane_tear_lead(s->tearing, place, 6 * dv_membrane_tear_edge(s->tearing))) s->cuts++;
      s->corners[0] = -1;   // their numbers may be others now
    }
  } else if (event->kind == DV_EVENT_ANIMATE_END) {
    s->force = s->presses
                   ? s->stiffness *
                         dv_max(0, depth(s, dv_state_read(s->pair.first, DV_X), dv_state_read(s->pair.second, DV_X)))
                   : 0;
    if (s->presses && s->force > s->pierceForce) pierce(s);
  } else {
    return;
  }
  dv_touch(o, &s->through), dv_touch(o, &s->punctures), dv_touch(o, &s->cuts), dv_touch(o, &s->force);
}

// --- set-up --------------------------------------------------------------------------------------

static dvStatus sharp_tip_check(dvObject *o)
{
  SharpTip *s = (SharpTip *)o;
  const dvNode *node = s->pair.second->base.node;
  s->tearing = s->tear.target;
  for (size_t i = 0; i < node->objects.count && !s->tearing; i++)
    if (node->objects.data[i]->cls == &dv_membrane_tear_class) s->tearing = node->objects.data[i];
  if (!s->tearing || s->tearing->cls != &dv_membrane_tear_class)
    return dv_field_error(o, &s->tear, "add a MembraneTear to the node of the membrane", "%s finds no MembraneTear",
                          o->name);
  DV_TRY(dv_object_ensure(s->tearing));
  if (dv_membrane_tear_membrane(s->tearing)->state != s->pair.second)
    return dv_field_error(o, &s->tear, NULL, "%s tears another mesh than that of %s", s->tearing->name,
                          s->pair.second->base.name);
  size_t points = s->pair.first->count;
  if (s->tip < 0 || s->shaft < 0 || (size_t)s->tip >= points || (size_t)s->shaft >= points || s->tip == s->shaft)
    return dv_field_error(o, &s->tip, "name two points of the tool",
                          "tip %d and shaft %d are not two of the %zu points", s->tip, s->shaft, points);
  if (!(s->stiffness >= 0) || !(s->slit > 0) || !(s->reach > 0))
    return dv_error(o, "slit and reach are above 0, stiffness at least 0",
                    "a tip cannot have stiffness %g, slit %g, reach %g", s->stiffness, s->slit, s->reach);
  s->corners[0] = -1;
  return DV_OK;
}

static bool sharp_tip_restored(dvObject *o)
{
  SharpTip *s = (SharpTip *)o;
  for (int k = 0; k < 3 && s->presses; k++)
    if (s->corners[k] < 0 || (size_t)s->corners[k] >= s->pair.second->count) return false;
  return true;
}

static void sharp_tip_changed(dvObject *o)
{
  SharpTip *s = (SharpTip *)o;
  s->corners[0] = -1, s->presses = false;
}

static dvStatus sharp_tip_init(dvObject *o)
{
  SharpTip *s = (SharpTip *)o;
  DV_TRY(dv_pair_force_init(o));
  if (s->pair.second->topology) dv_follow(o, s->pair.second->topology);
  return DV_OK;
}

static const dvForceOps sharp_tip_ops = {
    .add_force = sharp_tip_add_force,
    .add_dforce = sharp_tip_add_dforce,
    .add_stiffness = sharp_tip_add_stiffness,
    .energy = sharp_tip_energy,
    DV_PAIR_FORCE_SLOTS,
};

const dvClass dv_sharp_tip_class = {
    .struct_size = sizeof(dvClass),
    .name = "SharpTip",
    .help = "the tip of a needle that presses on a membrane, pierces it and cuts on from there",
    .module = "Anatomy",
    .dofs = DV_DOF_VEC3,
    .size = sizeof(SharpTip),
    .blocks = {&dv_object_block, &dv_pair_force_block, DV_BLOCK(sharp_tip_fields)},
    .presets = "listening=1",
    .ops = {[DV_ROLE_FORCE] = &sharp_tip_ops},
    .init = sharp_tip_init,
    .bwd_init = sharp_tip_check,
    .handle_event = sharp_tip_event,
    .restored = sharp_tip_restored,
    .topology_changed = sharp_tip_changed,
    DV_MEMORY(sharp_tip_memory),
};

// See membrane.h.
#include "control/membrane.h"

#include <math.h>

static dvVec3 place(const dvMembrane *m, int vector, int32_t point)
{
  return dv_vec3_load(dv_state_read(m->state, vector) + 3 * (size_t)point);
}

bool dv_membrane_stretch(const dvMembrane *m, const int32_t *c, dvStretch *out)
{
  dvVec3 o = place(m, DV_X_REST, c[0]), p = place(m, DV_X, c[0]);
  dvVec3 a = dv_vec3_sub(place(m, DV_X_REST, c[1]), o), b = dv_vec3_sub(place(m, DV_X_REST, c[2]), o);
  dvVec3 x = dv_vec3_sub(place(m, DV_X, c[1]), p), y = dv_vec3_sub(place(m, DV_X, c[2]), p);
  double length = dv_vec3_norm(a), shear = length > 0 ? dv_vec3_dot(a, b) / length : 0;
  double height = length > 0 ? dv_vec3_norm(dv_vec3_cross(a, b)) / length : 0;
  if (!(length > 0) || !(height > 0)) return false;
  out->u = dv_vec3_scale(a, 1 / length);
  out->v = dv_vec3_scale(dv_vec3_add_scaled(b, out->u, -shear), 1 / height);
  // columns of F in the frame of the rest shape, and C = F^T F
  out->f = dv_vec3_scale(x, 1 / length);
  out->g = dv_vec3_scale(dv_vec3_add_scaled(y, out->f, -shear), 1 / height);
  double xx = dv_vec3_norm2(out->f), xy = dv_vec3_dot(out->f, out->g), yy = dv_vec3_norm2(out->g);
  double middle = 0.5 * (xx + yy), radius = hypot(0.5 * (xx - yy), xy);
  out->length[0] = sqrt(middle + radius), out->length[1] = sqrt(dv_max(middle - radius, 0));
  out->angle = 0.5 * atan2(2 * xy, xx - yy);
  return true;
}

double dv_membrane_stress(const dvMembrane *m, const dvStretch *s, int direction)
{
  double e = s->length[direction] - 1, other = s->length[!direction] - 1;
  return m->young / (1 - m->poisson * m->poisson) * (e + m->poisson * other);
}

dvAheadOnMembrane dv_membrane_ahead(const dvMembrane *m, int vector, int32_t point, dvVec3 way)
{
  dvVec3 x = place(m, vector, point);
  dvAheadOnMembrane best = {.triangle = -1};
  double straightest = 0.5;
  for (int32_t at = dv_topology_first_at(m->mesh, DV_TRIANGLE, point); at >= 0;
       at = dv_topology_next_at(m->mesh, DV_TRIANGLE, at)) {
    const int32_t *c = dv_topology_list(m->mesh, DV_TRIANGLE)->data + at / 3 * 3;
    int32_t p = c[(at + 1) % 3], q = c[(at + 2) % 3];
    dvVec3 u = dv_vec3_sub(place(m, vector, p), x), v = dv_vec3_sub(place(m, vector, q), x);
    dvVec3 side = dv_vec3_cross(way, dv_vec3_cross(u, v));
    double dp = dv_vec3_dot(u, side), dq = dv_vec3_dot(v, side);
    if (dp * dq > 0 || dp == dq) continue;
    dvVec3 to = dv_vec3_add_scaled(u, dv_vec3_sub(v, u), dp / (dp - dq));
    double straight = dv_vec3_dot(to, way) / dv_vec3_norm(to);
    if (!(straight > straightest)) continue;
    straightest = straight;
    best = (dvAheadOnMembrane){at / 3, p, q, dp / (dp - dq), dv_vec3_add(x, to)};
  }
  return best;
}

bool dv_membrane_is_border(const dvMembrane *m, int32_t a, int32_t b)
{
  return dv_mesh_count_around(m->mesh, DV_TRIANGLE, (int32_t[]){a, b}, 2, 2) == 1;
}

// the first number of a field; false when there is none
static bool first_number(dvObject *o, const char *name, double *out)
{
  dvField *f = dv_object_field(o, name);
  dvText text = {0};
  if (!f || dv_field_pull(f) != DV_OK) return false;
  dv_field_print(f, &text);
  const char *cursor = text.text ? text.text : "";
  bool found = dv_scan_real(&cursor, out);
  dv_text_free(&text);
  return found;
}

dvStatus dv_membrane_material(dvMembrane *m, dvObject *o, dvObject *force, const char *who, const char *or_else)
{
  const dvNode *node = m->state->base.node;
  for (size_t i = 0; i < node->objects.count && !force; i++) {
    dvObject *one = node->objects.data[i];
    if (dv_plays(one, DV_ROLE_FORCE) && dv_object_field(one, "youngModulus") && dv_object_field(one, "poissonRatio"))
      force = one;
  }
  if (force && first_number(force, "youngModulus", &m->young) && first_number(force, "poissonRatio", &m->poisson))
    return DV_OK;
  char *advice = dv_format("put a TriangularFEMForceField into the node, give forceField=\"@path\"%s", or_else);
  dvStatus status = dv_error(o, advice, "%s with youngModulus and poissonRatio", who);
  dv_free(advice);
  return status;
}

// The finite-difference harness itself: right components pass, and each wrong derivative is caught.
#include "support/check.h"
#include "support/fd.h"

#include "app/divan.h"
#include "math/vec.h"

#include <stdlib.h>
#include <string.h>

// which part is falsified
enum {
  RIGHT,
  WRONG_ENERGY,
  WRONG_K,
  WRONG_B,
  WRONG_ASSEMBLY,
  WRONG_SYMMETRY,
  WRONG_J,
  WRONG_JT,
  WRONG_BUILD,
  WRONG_DJT,
  WRONG_JDOT,
  WRONG_MATRIX,
  WRONG_INVERSE
};

#define WRONG_FIELDS(X) X(int, wrong, "0", "", "what to falsify")

// --- a force between one point and one frame: E = 1/4 |d|^4, d = p - (t + R a), and f = -c v on the point ---

typedef struct Pull {
  dvPairForce force;
  WRONG_FIELDS(DV_MEMBER)
  dvVec3 d, arm;
} Pull;
#define SELF Pull
static const dvFieldDesc pull_fields[] = {WRONG_FIELDS(DV_DESCRIBE)};
#undef SELF

static dvVec3 pull_d(Pull *p, int x, dvVec3 *arm)
{
  const double *point = dv_state_read(p->force.first, x), *frame = dv_state_read(p->force.second, x);
  *arm = dv_quat_rotate(dv_quat_load(frame + 3), dv_vec3(0.5, 0.2, -0.3));
  return dv_vec3_sub(dv_vec3_load(point), dv_vec3_add(dv_vec3_load(frame), *arm));
}

static void pull_add_force(dvObject *o, const dvMech *m)
{
  Pull *p = (Pull *)o;
  p->d = pull_d(p, m->x, &p->arm);
  dvVec3 f = dv_vec3_scale(p->d, -dv_vec3_norm2(p->d));
  double *f1 = dv_state_write(p->force.first, m->f), *f2 = dv_state_write(p->force.second, m->f);
  dv_vec3_accumulate(f1, dv_vec3_add_scaled(f, dv_vec3_load(dv_state_read(p->force.first, m->v)), -2));
  dv_vec3_accumulate(f2, dv_vec3_neg(f));
  dv_vec3_accumulate(f2 + 3, dv_vec3_neg(dv_vec3_cross(p->arm, f)));
}

static double pull_energy(dvObject *o, const dvMech *m)
{
  Pull *p = (Pull *)o;
  dvVec3 arm, d = pull_d(p, m->x, &arm);
  return (p->wrong == WRONG_ENERGY ? 0.26 : 0.25) * dv_vec3_norm2(d) * dv_vec3_norm2(d);
}

// 9 x 9: the point's three rows, then the frame's six
static void pull_matrix(const Pull *p, double k, double b, double out[81])
{
  dvMat3 kd = dv_mat3_scale(dv_mat3_identity(), -dv_vec3_norm2(p->d));   // df/dd
  kd = dv_mat3_add(kd, dv_mat3_scale(dv_mat3_outer(p->d, p->d), p->wrong == WRONG_K ? -2.001 : -2));
  // d moves with the point as I, with the frame as -I and [arm]x
  dvMat3 s = dv_mat3_skew(p->arm), i = dv_mat3_identity();
  dvMat3 j[3] = {i, dv_mat3_scale(i, -1), s};
  dvMat3 rows[3] = {i, dv_mat3_scale(i, -1), dv_mat3_scale(s, -1)};   // J^T
  dvVec3 f = dv_vec3_scale(p->d, -dv_vec3_norm2(p->d));
  for (int r = 0; r < 3; r++)
    for (int c = 0; c < 3; c++) {
      dvMat3 block = dv_mat3_mul(rows[r], dv_mat3_mul(kd, j[c]));
      // the arm turns while the force stays: d(-arm x f) = -(w x arm) x f
      if (r == 2 && c == 2) block = dv_mat3_sub(block, dv_mat3_mul(dv_mat3_skew(f), s));
      for (int e = 0; e < 9; e++) out[(3 * r + e / 3) * 9 + 3 * c + e % 3] = k * block.m[e / 3][e % 3];
    }
  for (int e = 0; e < 3; e++) out[e * 9 + e] += b * (p->wrong == WRONG_B ? -1.99 : -2);
  if (p->wrong == WRONG_SYMMETRY) out[1] += 0.01;
}

static void pull_add_dforce(dvObject *o, const dvMech *m)
{
  Pull *p = (Pull *)o;
  double k[81], dx[9];
  pull_matrix(p, dv_mech_k(m, p->force.rayleighStiffness), m->b, k);
  memcpy(dx, dv_state_read(p->force.first, m->dx), 3 * sizeof *dx);
  memcpy(dx + 3, dv_state_read(p->force.second, m->dx), 6 * sizeof *dx);
  double *df1 = dv_state_write(p->force.first, m->df), *df2 = dv_state_write(p->force.second, m->df);
  for (int i = 0; i < 9; i++)
    for (int j = 0; j < 9; j++) *(i < 3 ? df1 + i : df2 + i - 3) += k[9 * i + j] * dx[j];
}

static void pull_add_stiffness(dvObject *o, const dvMech *m, dvMatrixSink *sink)
{
  Pull *p = (Pull *)o;
  double k[81], block[36];
  pull_matrix(p, dv_mech_k(m, p->force.rayleighStiffness), m->b, k);
  if (p->wrong == WRONG_ASSEMBLY) k[80] *= 1.001;
  for (int r = 0; r < 2; r++)
    for (int c = 0; c < 2; c++) {
      int rows = r ? 6 : 3, cols = c ? 6 : 3;
      for (int i = 0; i < rows * cols; i++) block[i] = k[(3 * r + i / cols) * 9 + 3 * c + i % cols];
      sink->add(sink, r ? p->force.second : p->force.first, 0, c ? p->force.second : p->force.first, 0, rows, cols,
                block);
    }
}

static const dvForceOps pull_ops = {.add_force = pull_add_force,
                                    .add_dforce = pull_add_dforce,
                                    .add_stiffness = pull_add_stiffness,
                                    .energy = pull_energy,
                                    DV_PAIR_FORCE_SLOTS};
static const dvClass pull_class = {
    .struct_size = sizeof(dvClass),
    .name = "TestPull",
    .size = sizeof(Pull),
    .blocks = {&dv_object_block, &dv_pair_force_block, DV_BLOCK(pull_fields)},
    .ops = {[DV_ROLE_FORCE] = &pull_ops},
    .init = dv_pair_force_init,
};

// --- a mapping from two numbers to three: y = (x0^2, x0 x1, sin x1) ------------------------------

typedef struct Bend {
  dvMapping mapping;
  WRONG_FIELDS(DV_MEMBER)
  double j[6], x[2];
} Bend;
#define SELF Bend
static const dvFieldDesc bend_fields[] = {WRONG_FIELDS(DV_DESCRIBE)};
#undef SELF

static void bend_apply(dvObject *o, int out_x, int in_x)
{
  Bend *b = (Bend *)o;
  const double *x = dv_state_read(b->mapping.in, in_x);
  double *y = dv_state_write(b->mapping.out, out_x);
  memcpy(b->x, x, sizeof b->x);
  y[0] = x[0] * x[0];
  y[1] = x[0] * x[1];
  y[2] = sin(x[1]);
  double j[6] = {2 * x[0], 0, x[1], x[0], 0, cos(x[1])};
  memcpy(b->j, j, sizeof j);
}

static void bend_apply_j(dvObject *o, int out_v, int in_v)
{
  Bend *b = (Bend *)o;
  const double *v = dv_state_read(b->mapping.in, in_v);
  double *w = dv_state_write(b->mapping.out, out_v), error = b->wrong == WRONG_J ? 1.001 : 1;
  for (int i = 0; i < 3; i++) w[i] = b->j[2 * i] * v[0] + error * b->j[2 * i + 1] * v[1];
}

static void bend_apply_jt(dvObject *o, int in_f, int out_f)
{
  Bend *b = (Bend *)o;
  const double *f = dv_state_read(b->mapping.out, out_f);
  double *g = dv_state_write(b->mapping.in, in_f);
  for (int i = 0; i < 3; i++) {
    g[0] += b->j[2 * i] * f[i];
    g[1] += b->j[2 * i + 1] * f[i] * (b->wrong == WRONG_JT ? 1.001 : 1);
  }
}

static void bend_apply_djt(dvObject *o, const dvMech *m, int in_df, int in_dx, int out_f)
{
  Bend *b = (Bend *)o;
  const double *f = dv_state_read(b->mapping.out, out_f), *dx = dv_state_read(b->mapping.in, in_dx);
  double *df = dv_state_write(b->mapping.in, in_df), k = b->wrong == WRONG_DJT ? 1 : m->k;
  df[0] += k * (2 * f[0] * dx[0] + f[1] * dx[1]);
  df[1] += k * (f[1] * dx[0] - sin(b->x[1]) * f[2] * dx[1]);
}

static void bend_build_j(dvObject *o, dvMatrixSink *sink)
{
  Bend *b = (Bend *)o;
  double j[6];
  memcpy(j, b->j, sizeof j);
  if (b->wrong == WRONG_BUILD) j[1] = 0.1;
  sink->add(sink, b->mapping.out, 0, b->mapping.in, 0, 3, 2, j);
}

static void bend_add_jdot(dvObject *o, int out_a, int in_v)
{
  Bend *b = (Bend *)o;
  const double *v = dv_state_read(b->mapping.in, in_v);
  double *a = dv_state_write(b->mapping.out, out_a);
  a[0] += 2 * v[0] * v[0];
  a[1] += (b->wrong == WRONG_JDOT ? 1 : 2) * v[0] * v[1];
  a[2] -= sin(b->x[1]) * v[1] * v[1];
}

static const dvMappingOps bend_ops = {.apply = bend_apply,
                                      .apply_j = bend_apply_j,
                                      .apply_jt = bend_apply_jt,
                                      .apply_djt = bend_apply_djt,
                                      .build_j = bend_build_j,
                                      .add_jdot = bend_add_jdot,
                                      DV_MAPPING_SLOTS};
static const dvClass bend_class = {
    .struct_size = sizeof(dvClass),
    .name = "TestBend",
    .dofs = DV_DOF_VEC2,
    .dofs_out = DV_DOF_VEC3,
    .size = sizeof(Bend),
    .blocks = {&dv_object_block, &dv_mapping_block, DV_BLOCK(bend_fields)},
    .ops = {[DV_ROLE_MAPPING] = &bend_ops},
    .init = dv_mapping_init,
};

// --- a mass of two on every point ----------------------------------------------------------------

typedef struct Weight {
  dvMass mass;
  WRONG_FIELDS(DV_MEMBER)
} Weight;
#define SELF Weight
static const dvFieldDesc weight_fields[] = {WRONG_FIELDS(DV_DESCRIBE)};
#undef SELF

static void weight_add_mdx(dvObject *o, const dvMech *m, double factor)
{
  dvState *s = ((dvMass *)o)->state;
  const double *dx = dv_state_read(s, m->dx);
  double *df = dv_state_write(s, m->df);
  for (size_t i = 0; i < dv_state_scalars(s, DV_V); i++) df[i] += 2 * factor * dx[i];
}

static void weight_add_gravity(dvObject *o, const dvMech *m)
{
  dvState *s = ((dvMass *)o)->state;
  double *f = dv_state_write(s, m->f);
  for (size_t i = 0; i < 3 * s->count; i++) f[i] += 2 * m->gravity[i % 3];
}

static void weight_acc_from_f(dvObject *o, int a, int f)
{
  dvState *s = ((dvMass *)o)->state;
  for (size_t i = 0; i < 3 * s->count; i++)
    dv_state_write(s, a)[i] = dv_state_read(s, f)[i] * (((Weight *)o)->wrong == WRONG_INVERSE ? 0.51 : 0.5);
}

static void weight_add_matrix(dvObject *o, double factor, dvMatrixSink *sink)
{
  dvState *s = ((dvMass *)o)->state;
  double m = 2 * factor, off = ((Weight *)o)->wrong == WRONG_MATRIX ? 0.001 : 0,
         block[9] = {m, off, 0, 0, m, 0, 0, 0, m};
  for (size_t i = 0; i < s->count; i++) sink->add(sink, s, i, s, i, 3, 3, block);
}

static double weight_kinetic(dvObject *o, int v)
{
  dvState *s = ((dvMass *)o)->state;
  double sum = 0, factor = ((Weight *)o)->wrong == WRONG_ENERGY ? 2 : 1;
  for (size_t i = 0; i < 3 * s->count; i++) sum += factor * dv_state_read(s, v)[i] * dv_state_read(s, v)[i];
  return sum;
}

static double weight_potential(dvObject *o, const dvMech *m)
{
  dvState *s = ((dvMass *)o)->state;
  double sum = 0;
  for (size_t i = 0; i < 3 * s->count; i++) sum -= 2 * m->gravity[i % 3] * dv_state_read(s, m->x)[i];
  return sum;
}

static const dvMassOps weight_ops = {
    .add_mdx = weight_add_mdx,
    .add_gravity = weight_add_gravity,
    .acc_from_f = weight_acc_from_f,
    .add_matrix = weight_add_matrix,
    .kinetic = weight_kinetic,
    .potential = weight_potential,
    .rayleigh_mass = dv_mass_rayleigh,
};
static const dvClass weight_class = {
    .struct_size = sizeof(dvClass),
    .name = "TestWeight",
    .dofs = DV_DOF_VEC3,
    .size = sizeof(Weight),
    .blocks = {&dv_object_block, &dv_mass_block, DV_BLOCK(weight_fields)},
    .ops = {[DV_ROLE_MASS] = &weight_ops},
    .init = dv_mass_init,
};

// --- tests ---------------------------------------------------------------------------------------

static fdScene open_scene(const char *text)
{
  dvContext *c = dv_divan_create(1);
  dv_registry_add(&c->registry, &pull_class);
  dv_registry_add(&c->registry, &bend_class);
  dv_registry_add(&c->registry, &weight_class);
  return fd_open_in(c, text);
}

static bool force_passes(int wrong, unsigned checks)
{
  fdScene s = open_scene(
      "<Node>"
      "<Node name='A'><MechanicalObject name='point' template='Vec3' position='1 2 0.5'/></Node>"
      "<Node name='B'><MechanicalObject name='frame' template='Rigid3' position='0.1 0.2 0.3 0 0 0 1'/></Node>"
      "<TestPull name='ff' object1='@A/point' object2='@B/frame'/></Node>");
  dvObject *ff = fd_find(&s, "ff");
  ((Pull *)ff)->wrong = wrong;
  fdOptions o = fd_options();
  o.checks = checks;
  o.move_v = 1;
  o.quiet = wrong != RIGHT;
  o.move_x = 0.3;
  bool good = fd_check_force(ff, &o);
  fd_close(&s);
  return good;
}

static void right_force_passes(void **state)
{
  DV_UNUSED(state);
  assert_true(force_passes(RIGHT, FD_ENERGY | FD_STIFFNESS | FD_DAMPING | FD_ASSEMBLY));
}

static void wrong_forces_are_caught(void **state)
{
  DV_UNUSED(state);
  assert_false(force_passes(WRONG_ENERGY, FD_ENERGY));
  assert_false(force_passes(WRONG_K, FD_STIFFNESS));
  assert_false(force_passes(WRONG_B, FD_DAMPING));
  assert_false(force_passes(WRONG_ASSEMBLY, FD_ASSEMBLY));
  assert_false(force_passes(WRONG_SYMMETRY, FD_SYMMETRY));
}

static bool mapping_passes(int wrong)
{
  fdScene s =
      open_scene("<Node><MechanicalObject template='Vec2' position='0.7 -0.4'/>"
                 "<Node><MechanicalObject template='Vec3' position='0 0 0'/><TestBend name='map'/></Node></Node>");
  dvObject *map = fd_find(&s, "map");
  ((Bend *)map)->wrong = wrong;
  fdOptions o = fd_options();
  o.quiet = wrong != RIGHT;
  bool good = fd_check_mapping(map, &o);
  fd_close(&s);
  return good;
}

static void mappings(void **state)
{
  DV_UNUSED(state);
  assert_true(mapping_passes(RIGHT));
  assert_false(mapping_passes(WRONG_J));
  assert_false(mapping_passes(WRONG_JT));
  assert_false(mapping_passes(WRONG_BUILD));
  assert_false(mapping_passes(WRONG_DJT));
  assert_false(mapping_passes(WRONG_JDOT));
}

static bool mass_passes(int wrong)
{
  fdScene s = open_scene("<Node gravity='1 2 3'><MechanicalObject template='Vec3' position='0 0 0  1 2 3'/><TestWeight "
                         "name='mass'/></Node>");
  dvObject *mass = fd_find(&s, "mass");
  ((Weight *)mass)->wrong = wrong;
  fdOptions o = fd_options();
  o.quiet = wrong != RIGHT;
  bool good = fd_check_mass(mass, &o);
  fd_close(&s);
  return good;
}

static void masses(void **state)
{
  DV_UNUSED(state);
  assert_true(mass_passes(RIGHT));
  assert_false(mass_passes(WRONG_ENERGY));
  assert_false(mass_passes(WRONG_MATRIX));
  assert_false(mass_passes(WRONG_INVERSE));
}

// a check leaves the states as they were
static void states_are_put_back(void **state)
{
  DV_UNUSED(state);
  fdScene s =
      open_scene("<Node><MechanicalObject name='dofs' template='Vec2' position='0.7 -0.4' velocity='3 4'/>"
                 "<Node><MechanicalObject template='Vec3' position='0 0 0'/><TestBend name='map'/></Node></Node>");
  fdOptions o = fd_options();
  assert_true(fd_check_mapping(fd_find(&s, "map"), &o));
  dvState *dofs = dv_state(fd_find(&s, "dofs"));
  check_close(dv_state_read(dofs, DV_X)[0], 0.7, 0);
  check_close(dv_state_read(dofs, DV_V)[1], 4, 0);
  fd_close(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(right_force_passes),
      cmocka_unit_test(wrong_forces_are_caught),
      cmocka_unit_test(mappings),
      cmocka_unit_test(masses),
      cmocka_unit_test(states_are_put_back),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

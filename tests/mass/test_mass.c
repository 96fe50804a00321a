// Masses against closed forms and against themselves: matrix, product, inverse, weight and energies must agree.
#include "support/check.h"
#include "support/fd.h"
#include "support/scene.h"

#include "mass/diagonal.h"

#include <stdlib.h>
#include <string.h>

#define GRID "<RegularGridTopology n='4 3 2' min='0 0 0' max='3 2 1'/>"
#define TETRAHEDRON "<MeshTopology position='0 0 0 1 0 0 0 2 0 0 0 3' tetrahedra='0 1 2 3'/>"
#define TRIANGLES "<MeshTopology position='0 0 0 2 0 0 2 2 0 0 2 0 5 5 5' triangles='0 1 2 0 2 3'/>"
#define QUADS "<MeshTopology position='0 0 0 2 0 0 2 2 0 0 2 0 4 0 0 4 2 0' quads='0 1 2 3 1 4 5 2'/>"
#define EDGES "<MeshTopology position='0 0 0 3 0 0 3 4 0' edges='0 1 1 2'/>"
#define PRISM "<MeshTopology position='0 0 0 1 0 0 0 1 0 0 0 2 1 0 2 0 1 2' prisms='0 1 2 3 4 5'/>"
#define PYRAMID "<MeshTopology position='-1 -1 0 1 -1 0 1 1 0 -1 1 0 0 0 3' pyramids='0 1 2 3 4'/>"
#define SCENE(content) "<Node gravity='1 -9.81 2' dt='0.1'>" content "</Node>"

static dvScene *open_quietly(const char *text, int *warnings)
{
  dvContext *context = dv_divan_create(1);
  context->log.sink = NULL;
  dvScene *scene = NULL;
  assert_int_equal(dv_scene_parse(context, "test.scn", text, strlen(text), &scene), DV_OK);
  assert_int_equal(dv_scene_init(scene), DV_OK);
  *warnings = context->log.counts[DV_WARNING];
  return scene;
}

static double of_point(dvScene *s, const char *path, size_t point)
{
  dvObject *o = check_find(s, path);
  return ((const dvMassOps *)dv_ops(o, DV_ROLE_MASS))->of_element(o, point);
}

static double real_of(dvScene *s, const char *path, const char *name)
{
  return *(double *)dv_object_field(check_find(s, path), name)->value;
}
static const dvReals *reals_of(dvScene *s, const char *path, const char *name)
{
  return dv_object_field(check_find(s, path), name)->value;
}

// --- one matrix in all its forms -----------------------------------------------------------------

static void products_matrices_and_energies_agree(void **state)
{
  DV_UNUSED(state);
  static const char *const scenes[] = {
      SCENE("<MechanicalObject template='Vec1' position='1 2 3'/><UniformMass name='m' totalMass='6'/>"),
      SCENE("<MechanicalObject template='Vec2' position='1 2 3 4'/><UniformMass name='m' vertexMass='2'/>"),
      SCENE("<MechanicalObject position='1 2 3 4 5 6 7 8 9'/><UniformMass name='m' vertexMass='0.5'/>"),
      SCENE("<MechanicalObject position='1 2 3 4 5 6 7 8 9'/><DiagonalMass name='m' vertexMass='1 2 3'/>" EDGES),
      SCENE("<MechanicalObject template='Vec6' position='1 2 3 4 5 6'/><UniformMass name='m' vertexMass='3'/>"),
      SCENE("<MechanicalObject template='Rigid2' position='1 2 0.3'/><UniformMass name='m' vertexMass='3 1 0.5'/>"),
      SCENE("<MechanicalObject template='Rigid3' position='1 2 3 0 0 0 1 3 1 2 0 0 0.6 0.8'/>"
            "<UniformMass name='m' gyroscopic='0' vertexMass='2 1 [3 0.1 0.2,0.1 4 0.3,0.2 0.3 5]'/>"),
      SCENE("<MechanicalObject template='Rigid3' position='1 2 3 0 0 0 1'/><DiagonalMass name='m' gyroscopic='0' "
            "vertexMass='2 1 [3 0 0,0 4 0,0 0 5]'/>"),
      SCENE(GRID "<MechanicalObject/><DiagonalMass name='m' massDensity='3'/>"),
      SCENE(QUADS "<MechanicalObject/><MeshMatrixMass name='m' massDensity='3' lumping='1'/>"),
      SCENE(TETRAHEDRON "<MechanicalObject/><MeshMatrixMass name='m' massDensity='3'/>"),
      SCENE(QUADS "<MechanicalObject/><MeshMatrixMass name='m' totalMass='3'/>"),
      SCENE(GRID "<MechanicalObject/><MeshMatrixMass name='m' totalMass='3'/>"),
      SCENE(GRID "<MechanicalObject/><MeshMatrixMass name='m' totalMass='3' exact='1'/>"),
      SCENE(GRID "<MechanicalObject/><MeshMatrixMass name='m' totalMass='3' exact='1' lumping='1'/>"),
      SCENE(EDGES "<MechanicalObject/><MeshMatrixMass name='m' totalMass='3'/>"),
      SCENE(PRISM "<MechanicalObject/><MeshMatrixMass name='m' massDensity='3'/>"),
      SCENE(PYRAMID "<MechanicalObject/><MeshMatrixMass name='m' totalMass='3'/>"),
      SCENE(PYRAMID "<MechanicalObject/><MeshMatrixMass name='m' massDensity='3' lumping='1'/>"),
      SCENE(QUADS "<MechanicalObject template='Vec2'/><MeshMatrixMass name='m' massDensity='1 2'/>"),
      SCENE(GRID
            "<MechanicalObject/><NodalMassDensity property='1 2 3'/><FEMMass name='m' template='Vec3,Hexahedron'/>"),
      SCENE(TRIANGLES "<MechanicalObject template='Vec2'/><NodalMassDensity property='3'/><FEMMass name='m' "
                      "template='Vec2,Triangle'/>"),
  };
  for (size_t i = 0; i < DV_COUNT(scenes); i++) {
    fdScene s = fd_open(scenes[i]);
    fdOptions options = fd_options();
    if (!fd_check_mass(fd_find(&s, "m"), &options)) {
      print_error("in scene %zu: %s\n", i, scenes[i]);
      fail();
    }
    fd_close(&s);
  }
}

// --- from meshes ---------------------------------------------------------------------------------

static void masses_of_meshes_are_density_times_measure(void **state)
{
  DV_UNUSED(state);
  const struct {
    const char *mesh;
    double measure, first;   // of the mesh; share of point 0
  } cases[] = {
      {GRID, 6, 1.0 / 8},                                          // a corner belongs to one of six cells
      {TETRAHEDRON, 1, 0.25}, {TRIANGLES, 4, 2.0 / 3 + 2.0 / 3},   // point 0 is in both triangles of area 2
      {QUADS, 8, 1},          {EDGES, 7, 1.5},
      {PRISM, 1, 1.0 / 6},    {PYRAMID, 4, 3.0 / 4},   // three sixteenths; the top has a quarter
  };
  for (size_t i = 0; i < DV_COUNT(cases); i++) {
    char *text = dv_format("<Node>%s<MechanicalObject name='mo'/><DiagonalMass name='a' massDensity='3'/><DiagonalMass "
                           "name='b' totalMass='10'/></Node>",
                           cases[i].mesh);
    dvScene *s = check_scene(text, 1);
    check_close(real_of(s, "a", "totalMass"), 3 * cases[i].measure, 1e-12);
    check_close(of_point(s, "a", 0), 3 * cases[i].first, 1e-12);
    check_close(real_of(s, "b", "massDensity"), 10 / cases[i].measure, 1e-12);
    check_close(of_point(s, "b", 0), 10 * cases[i].first / cases[i].measure, 1e-12);
    double sum = 0;
    const dvReals *masses = reals_of(s, "b", "vertexMass");
    for (size_t k = 0; k < masses->count; k++) sum += masses->data[k];
    check_close(sum, 10, 1e-12);
    check_close_scene(&s);
    dv_free(text);
  }
}

static void the_largest_elements_count(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene(
      "<Node><MeshTopology position='0 0 0 1 0 0 0 2 0 0 0 3' tetrahedra='0 1 2 3' triangles='0 1 2' edges='0 3'/>"
      "<MechanicalObject/><DiagonalMass name='m' massDensity='4'/></Node>",
      1);
  check_close(real_of(s, "m", "totalMass"), 4, 1e-12);
  check_close_scene(&s);
}

static void rest_or_present_positions_are_measured(void **state)
{
  DV_UNUSED(state);
  dvScene *s =
      check_scene("<Node>" EDGES "<MechanicalObject position='0 0 0 6 0 0 6 8 0' rest_position='0 0 0 3 0 0 3 4 0'/>"
                  "<DiagonalMass name='rest' massDensity='1'/><DiagonalMass name='now' massDensity='1' "
                  "computeMassOnRest='0'/></Node>",
                  1);
  check_close(real_of(s, "rest", "totalMass"), 7, 1e-12);
  check_close(real_of(s, "now", "totalMass"), 14, 1e-12);
  check_close_scene(&s);
}

static void given_masses_are_taken_and_the_last_repeated(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene("<Node>" EDGES "<MechanicalObject/><DiagonalMass name='m' vertexMass='2 5'/></Node>", 1);
  check_close(of_point(s, "m", 0), 2, 0);
  check_close(of_point(s, "m", 2), 5, 0);
  check_close(real_of(s, "m", "totalMass"), 12, 1e-12);
  check_close(real_of(s, "m", "massDensity"), 12.0 / 7, 1e-12);
  check_close_scene(&s);
}

static void consistent_matrices_have_the_lumped_row_sums(void **state)
{
  DV_UNUSED(state);
  static const char *const meshes[] = {GRID, TETRAHEDRON, TRIANGLES, QUADS, EDGES, PRISM, PYRAMID};
  for (size_t i = 0; i < DV_COUNT(meshes); i++) {
    char *text = dv_format("<Node>%s<MechanicalObject name='mo'/><MeshMatrixMass name='full' massDensity='3'/>"
                           "<DiagonalMass name='lumped' massDensity='3'/></Node>",
                           meshes[i]);
    dvScene *s = check_scene(text, 1);
    dvState *mo = dv_state(check_find(s, "mo"));
    dvObject *full = check_find(s, "full");
    double *one = dv_state_write(mo, DV_DX), *product = dv_state_write(mo, DV_DF);
    for (size_t k = 0; k < dv_state_scalars(mo, DV_DX); k++) one[k] = 1, product[k] = 0;
    dvMech m = {.dx = DV_DX, .df = DV_DF};
    ((const dvMassOps *)dv_ops(full, DV_ROLE_MASS))->add_mdx(full, &m, 1);
    for (size_t k = 0; k < mo->count; k++) {
      check_close(product[3 * k], of_point(s, "lumped", k), 1e-12);
      check_close(of_point(s, "full", k), of_point(s, "lumped", k), 1e-12);
    }
    check_close_scene(&s);
    dv_free(text);
  }
}

// Integrals of x_a x_b over the body from the nodes alone: exact for the consistent matrix of shape functions that
// reproduce linear fields, whatever the element.
static double second_moment(dvScene *s, const char *mass, int a, int b)
{
  dvState *mo = dv_state(check_find(s, "mo"));
  dvObject *o = check_find(s, mass);
  const double *x = dv_state_read(mo, DV_X);
  double *in = dv_state_write(mo, DV_DX), *out = dv_state_write(mo, DV_DF), sum = 0;
  for (size_t k = 0; k < dv_state_scalars(mo, DV_DX); k++) in[k] = out[k] = 0;
  for (size_t k = 0; k < mo->count; k++) in[3 * k] = x[3 * k + (size_t)a];
  dvMech m = {.dx = DV_DX, .df = DV_DF};
  ((const dvMassOps *)dv_ops(o, DV_ROLE_MASS))->add_mdx(o, &m, 1);
  for (size_t k = 0; k < mo->count; k++) sum += out[3 * k] * x[3 * k + (size_t)b];
  return sum;
}

static void exact_matrices_give_the_moments_of_the_body(void **state)
{
  DV_UNUSED(state);
  const struct {
    const char *mesh;
    double xx, xy, zz;
  } cases[] = {
      {GRID, 18, 9, 2},               // a box of 3 x 2 x 1: m L^2 / 3 and m L M / 4
      {TETRAHEDRON, 0.1, 0.1, 0.9},   // m a^2 / 10, m a b / 20
      {TRIANGLES, 16.0 / 3, 4, 0},
      {QUADS, 128.0 / 3, 16, 0},
      {EDGES, 9 + 36, 0 + 3 * 8.0, 0},
      {"<MeshTopology position='0 0 0 1 0 0 0 1 0 0 0 2 1 0 2 0 1 2' prisms='0 1 2 3 4 5'/>", 1.0 / 6, 1.0 / 12,
       4.0 / 3},
      {"<MeshTopology position='-1 -1 0 1 -1 0 1 1 0 -1 1 0 0 0 3' pyramids='0 1 2 3 4'/>", 4.0 / 5, 0, 36.0 / 10},
  };
  for (size_t i = 0; i < DV_COUNT(cases); i++) {
    char *text =
        dv_format("<Node>%s<MechanicalObject name='mo'/><MeshMatrixMass name='m' massDensity='1' exact='1'/></Node>",
                  cases[i].mesh);
    dvScene *s = check_scene(text, 1);
    check_close(second_moment(s, "m", 0, 0), cases[i].xx, 1e-12);
    check_close(second_moment(s, "m", 0, 1), cases[i].xy, 1e-12);
    check_close(second_moment(s, "m", 2, 2), cases[i].zz, 1e-12);
    check_close_scene(&s);
    dv_free(text);
  }
}

// a wave from corner to corner has negative energy with SOFA's weights of a hexahedron: V/20 - 3 V/40
static void the_exact_matrix_of_a_cube_is_positive(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene(
      "<Node><MeshTopology hexahedra='0 1 2 3 4 5 6 7' position='0 0 0 1 0 0 1 1 0 0 1 0 0 0 1 1 0 1 1 1 1 0 1 1'/>"
      "<MechanicalObject name='mo' position='0 0 0 1 0 0 1 1 0 0 1 0 0 0 1 1 0 1 1 1 1 0 1 1'"
      " velocity='1 0 0 -1 0 0 1 0 0 -1 0 0 -1 0 0 1 0 0 -1 0 0 1 0 0'/>"
      "<MeshMatrixMass name='edges' totalMass='1' exact='0'/><MeshMatrixMass name='exact' totalMass='1' "
      "exact='1'/></Node>",
      1);
  dvObject *edges = check_find(s, "edges"), *exact = check_find(s, "exact");
  check_close(((const dvMassOps *)dv_ops(edges, DV_ROLE_MASS))->kinetic(edges, DV_V), 0.5 * 8 * (1.0 / 20 - 3.0 / 40),
              1e-12);
  check_close(((const dvMassOps *)dv_ops(exact, DV_ROLE_MASS))->kinetic(exact, DV_V), 0.5 / 27, 1e-12);
  check_close_scene(&s);
}

// the consistent matrix of one linear tetrahedron: rho V (1 + delta_ij) / 20
static void a_tetrahedron_has_its_textbook_matrix(void **state)
{
  DV_UNUSED(state);
  dvScene *s =
      check_scene("<Node>" TETRAHEDRON "<MechanicalObject/><MeshMatrixMass name='m' massDensity='20'/></Node>", 1);
  const dvReals *vertex = reals_of(s, "m", "vertexMass"), *edge = reals_of(s, "m", "edgeMass");
  assert_int_equal(vertex->count, 4);
  assert_int_equal(edge->count, 6);
  for (size_t i = 0; i < 4; i++) check_close(vertex->data[i], 2, 1e-12);
  for (size_t i = 0; i < 6; i++) check_close(edge->data[i], 1, 1e-12);
  check_close_scene(&s);
}

static double sum_of_rows(dvScene *s, const char *path, size_t points)
{
  double sum = 0;
  for (size_t i = 0; i < points; i++) sum += of_point(s, path, i);
  return sum;
}

// a constant density is integrated exactly, and one that grows linearly over a cube too
static void integrated_masses_sum_to_density_times_measure(void **state)
{
  DV_UNUSED(state);
  const struct {
    const char *mesh, *kind;
    size_t points;
    double measure;
  } cases[] = {{GRID, "Hexahedron", 24, 6},   {TETRAHEDRON, "Tetrahedron", 4, 1},
               {TRIANGLES, "Triangle", 5, 4}, {QUADS, "Quad", 6, 8},
               {EDGES, "Edge", 3, 7},         {PRISM, "Prism", 6, 1},
               {PYRAMID, "Pyramid", 5, 4}};
  for (size_t i = 0; i < DV_COUNT(cases); i++) {
    char *text = dv_format(
        "<Node>%s<MechanicalObject/><NodalMassDensity property='3'/><FEMMass name='m' template='Vec3,%s'/></Node>",
        cases[i].mesh, cases[i].kind);
    dvScene *s = check_scene(text, 1);
    check_close(sum_of_rows(s, "m", cases[i].points), 3 * cases[i].measure, 1e-12);
    check_close_scene(&s);
    dv_free(text);
  }
  dvScene *s =
      check_scene("<Node><RegularGridTopology n='2 2 2' min='0 0 0' max='1 1 1'/><MechanicalObject/>"
                  "<NodalMassDensity property='2 4 2 4 2 4 2 4'/><FEMMass name='m' template='Vec3,Hexahedron'/></Node>",
                  1);
  check_close(sum_of_rows(s, "m", 8), 3, 1e-12);
  // integral of (2 + 2x)(1 - x)(1 - y)(1 - z) over the cube
  check_close(of_point(s, "m", 0), (2.0 - 2.0 / 3) / 4, 1e-12);
  check_close_scene(&s);
}

// --- uniform mass --------------------------------------------------------------------------------

static void a_total_is_shared(void **state)
{
  DV_UNUSED(state);
  int warnings;
  dvScene *s =
      open_quietly("<Node><MechanicalObject position='0 0 0 1 0 0 2 0 0 3 0 0'/><UniformMass name='a' totalMass='8'/>"
                   "<UniformMass name='b' vertexMass='3'/><UniformMass name='c' totalMass='8' vertexMass='3'/>"
                   "<UniformMass name='d' totalMass='6' indices='1 3'/><UniformMass name='e' totalmass='8'/></Node>",
                   &warnings);
  assert_int_equal(warnings, 1);   // c gives both
  check_close(of_point(s, "a", 0), 2, 0);
  check_close(real_of(s, "b", "totalMass"), 12, 0);
  check_close(of_point(s, "c", 0), 2, 0);
  check_close(of_point(s, "d", 1), 3, 0);
  check_close(of_point(s, "e", 1), 2, 0);
  dvState *mo = dv_state(dv_node_state(s->root));
  dvObject *d = check_find(s, "d");
  double *f = dv_state_write(mo, DV_F);
  memset(f, 0, dv_state_scalars(mo, DV_F) * sizeof *f);
  ((const dvMassOps *)dv_ops(d, DV_ROLE_MASS))->add_gravity(d, &(dvMech){.f = DV_F, .gravity = {0, -10, 0}});
  for (size_t i = 0; i < 4; i++) check_close(f[3 * i + 1], i % 2 ? -30 : 0, 0);
  check_close_scene(&s);
}

static void without_a_mass_there_is_weight_but_no_inertia(void **state)
{
  DV_UNUSED(state);
  static const char *const masses[] = {"<UniformMass name='m'/>", "<UniformMass name='m' vertexMass='-2'/>",
                                       "<UniformMass name='m' totalMass='-1'/>"};
  const double weight[] = {1, -2, 1};   // SOFA's: the mass that stays in the field
  for (size_t i = 0; i < DV_COUNT(masses); i++) {
    char *text = dv_format("<Node><MechanicalObject name='mo'/>%s</Node>", masses[i]);
    int warnings;
    dvScene *s = open_quietly(text, &warnings);
    assert_int_equal(warnings, 1);
    dvState *mo = dv_state(check_find(s, "mo"));
    dvObject *m = check_find(s, "m");
    const dvMassOps *ops = dv_ops(m, DV_ROLE_MASS);
    dvMech mech = {.f = DV_F, .dx = DV_DX, .df = DV_DF, .gravity = {0, -10, 0}};
    dv_state_write(mo, DV_F)[1] = 0;
    dv_state_write(mo, DV_DX)[1] = 1;
    dv_state_write(mo, DV_DF)[1] = 0;
    ops->add_gravity(m, &mech);
    ops->add_mdx(m, &mech, 1);
    check_close(dv_state_read(mo, DV_F)[1], -10 * weight[i], 0);
    check_close(dv_state_read(mo, DV_DF)[1], 0, 0);
    check_close_scene(&s);
    dv_free(text);
  }
}

static void the_mass_of_a_frame_scales_its_inertia(void **state)
{
  DV_UNUSED(state);
  char *directory = check_mkdir();
  char *file = check_write(directory, "body.rigid",
                           "Xsp 3.0\nvertexMass 5\nvolm 2\n# a comment\ninrt 1 0 0 0 2 0 0 0 3\ncntr 0 0 0\n");
  char *text = dv_format(
      "<Node><MechanicalObject name='mo' template='Rigid3' position='0 0 0 0 0 0 1 1 0 0 0 0 0 1'/>"
      "<UniformMass name='a' vertexMass='4 1 [1 0 0,0 2 0,0 0 3]'/><UniformMass name='b' totalMass='20' filename='%s'/>"
      "<UniformMass name='c' totalMass='20' vertexMass='1 1 1 0 0 0 2 0 0 0 3'/><UniformMass name='d' "
      "totalMass='6'/></Node>",
      file);
  int warnings;
  dvScene *s = open_quietly(text, &warnings);
  const double mass[] = {4, 5, 10, 3}, third[] = {3, 3, 3, 1};
  static const char *const names[] = {"a", "b", "c", "d"};
  for (int i = 0; i < 4; i++) {
    const dvDiagonal *d = (const dvDiagonal *)check_find(s, names[i]);
    check_close(d->mass.data[0], mass[i], 1e-15);
    check_close(d->inertia.data[8], mass[i] * third[i], 1e-14);
    check_close(d->inverse.data[8], 1 / (mass[i] * third[i]), 1e-15);
  }
  check_close_scene(&s);
  dv_free(text);
  dv_free(file);
  check_rmdir(directory);
}

static void masses_come_from_an_xsp_file(void **state)
{
  DV_UNUSED(state);
  char *directory = check_mkdir();
  char *file = check_write(
      directory, "net.xs3",
      "Xsp 3.0\nnumm 2\nnums 1\nmass 1 v 0 0 0 0 0 0 1.5 0\nmass 2 v 1 0 0 0 0 0 -2.5 0\nlspg 1 1 2 10 0 1\n");
  char *text =
      dv_format("<Node><MechanicalObject position='0 0 0 1 0 0'/><DiagonalMass name='m' filename='%s'/></Node>", file);
  int warnings;
  dvScene *s = open_quietly(text, &warnings);
  check_close(of_point(s, "m", 0), 1.5, 0);
  check_close(of_point(s, "m", 1), 2.5, 0);   // a negative one marks a fixed point
  check_close_scene(&s);
  dv_free(text);
  dv_free(file);
  check_rmdir(directory);
}

// --- in use --------------------------------------------------------------------------------------

static void separate_gravity_goes_to_the_velocity(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene("<Node gravity='0 -10 0'><MechanicalObject name='mo'/><UniformMass name='m' vertexMass='2' "
                           "separateGravity='1'/></Node>",
                           1);
  dvState *mo = dv_state(check_find(s, "mo"));
  dvObject *m = check_find(s, "m");
  const dvMassOps *ops = dv_ops(m, DV_ROLE_MASS);
  dvMech mech = {.f = DV_F, .v = DV_V, .dt = 0.1, .gravity = {0, -10, 0}};
  memset(dv_state_write(mo, DV_F), 0, 3 * sizeof(double));
  ops->add_gravity(m, &mech);
  ops->add_gravity_to_v(m, &mech);
  check_close(dv_state_read(mo, DV_F)[1], 0, 0);
  check_close(dv_state_read(mo, DV_V)[1], -1, 1e-15);
  check_close_scene(&s);
}

// velocity first: v_n = n h g and x_n = h^2 g n (n + 1) / 2, so that the energy falls by m g^2 h^2 / 2 in each step
static void the_energy_of_free_fall_follows_its_formula(void **state)
{
  DV_UNUSED(state);
  dvScene *s =
      check_scene("<Node gravity='0 -10 0' dt='0.01'><EulerExplicitSolver/>" EDGES "<MechanicalObject name='mo'/>"
                  "<DiagonalMass name='m' vertexMass='2'/></Node>",
                  1);
  dvObject *m = check_find(s, "m");
  const dvMassOps *ops = dv_ops(m, DV_ROLE_MASS);
  dvMech mech = {.x = DV_X, .gravity = {0, -10, 0}};
  double first = ops->kinetic(m, DV_V) + ops->potential(m, &mech), total = real_of(s, "m", "totalMass");
  check_steps(s, 50);
  check_close(ops->kinetic(m, DV_V) + ops->potential(m, &mech), first - total * 100 * 1e-4 / 2 * 50, 1e-9);
  check_close_scene(&s);
}

static void a_mass_follows_a_state_that_grows(void **state)
{
  DV_UNUSED(state);
  dvScene *s =
      check_scene("<Node><MechanicalObject name='mo' position='0 0 0 1 0 0'/><UniformMass name='a' totalMass='4'/>"
                  "<UniformMass name='b' totalMass='4' preserveTotalMass='1'/></Node>",
                  1);
  assert_true(dv_state_resize(dv_state(check_find(s, "mo")), 8));
  check_close(of_point(s, "a", 7), 2, 0);
  check_close(real_of(s, "a", "totalMass"), 16, 0);
  check_close(of_point(s, "b", 7), 0.5, 0);
  check_close(real_of(s, "b", "totalMass"), 4, 0);
  check_close_scene(&s);
}

static void wrong_masses_are_explained(void **state)
{
  DV_UNUSED(state);
  const struct {
    const char *scene;
    double mass;   // of point 0
  } cases[] = {
      {"<Node>" EDGES "<MechanicalObject/><DiagonalMass name='m' massDensity='-1'/></Node>", 1.5 / 7},
      {"<Node>" EDGES "<MechanicalObject/><DiagonalMass name='m' totalMass='-1'/></Node>", 1.5 / 7},
      {"<Node>" EDGES "<MechanicalObject/><DiagonalMass name='m' vertexMass='1 2 3 4 5'/></Node>", 1.5 / 7},
      {"<Node>" EDGES "<MechanicalObject/><DiagonalMass name='m' vertexMass='1 -2 3'/></Node>", 1.5 / 7},
      {"<Node><MechanicalObject position='0 0 0 1 0 0'/><DiagonalMass name='m' vertexMass='7'/></Node>",
       7},   // no mesh: as given
      {"<Node><MechanicalObject template='Rigid3'/><UniformMass name='m' filename='missing.rigid'/></Node>", 1},
      {"<Node>" TETRAHEDRON "<MechanicalObject/><MeshMatrixMass name='m' massDensity='1 2 3'/></Node>", 0.25},
      {"<Node>" TETRAHEDRON "<MechanicalObject/><MeshMatrixMass name='m' vertexMass='1 2 3 4'/></Node>", 0.25},
      {"<Node>" EDGES "<MechanicalObject/><MeshMatrixMass name='m' massDensity='-1'/></Node>", 1.5 / 7},
      {"<Node><MeshTopology position='0 0 0 1 0 0 0 2 0 0 0 3 5 0 0 6 0 0 5 1 0 5 0 1 6 0 1 5 1 1' tetrahedra='0 1 2 "
       "3' prisms='4 5 6 7 8 9'/>"
       "<MechanicalObject/><DiagonalMass name='m' massDensity='1'/></Node>",
       0.25},   // the prism has none
  };
  for (size_t i = 0; i < DV_COUNT(cases); i++) {
    int warnings;
    dvScene *s = open_quietly(cases[i].scene, &warnings);
    if (warnings == 0) print_error("no warning for %s\n", cases[i].scene);
    assert_true(warnings > 0);
    check_close(of_point(s, "m", 0), cases[i].mass, 1e-15);
    check_close_scene(&s);
  }
}

// long vectors go through packs and threads: the same numbers in the same order
static void many_points_agree_with_few(void **state)
{
  DV_UNUSED(state);
  enum { SIDE = 21 };
  double results[2][3];
  for (int threads = 1; threads <= 2; threads++) {
    dvScene *s =
        check_scene("<Node><RegularGridTopology n='21 21 21' min='0 0 0' max='1 1 1'/><MechanicalObject name='mo'/>"
                    "<DiagonalMass name='m' totalMass='100'/></Node>",
                    threads);
    dvState *mo = dv_state(check_find(s, "mo"));
    dvObject *m = check_find(s, "m");
    const dvMassOps *ops = dv_ops(m, DV_ROLE_MASS);
    size_t n = dv_state_scalars(mo, DV_V);
    assert_int_equal(n, 3 * SIDE * SIDE * SIDE);
    double *dx = dv_state_write(mo, DV_DX), *df = dv_state_write(mo, DV_DF);
    for (size_t i = 0; i < n; i++) dx[i] = sin((double)i), df[i] = 1;
    ops->add_mdx(m, &(dvMech){.dx = DV_DX, .df = DV_DF}, 0.5);
    for (size_t i = 0; i < n; i++) check_close(df[i], 1 + 0.5 * ops->of_element(m, i / 3) * dx[i], 1e-15);
    ops->acc_from_f(m, DV_DF, DV_DX);
    for (size_t i = 0; i < n; i++) check_close(df[i] * ops->of_element(m, i / 3), dx[i], 1e-12);
    for (size_t i = 0; i < n; i++) df[i] = 0;
    ops->add_gravity(m, &(dvMech){.f = DV_DF, .gravity = {1, 2, 3}});
    for (size_t i = 0; i < n; i++) check_close(df[i], (double)(i % 3 + 1) * ops->of_element(m, i / 3), 1e-15);
    results[threads - 1][0] = ops->kinetic(m, DV_DX);
    results[threads - 1][1] = df[n / 2];
    results[threads - 1][2] = ops->of_element(m, 100);
    check_close_scene(&s);
  }
  assert_memory_equal(results[0], results[1], sizeof results[0]);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(products_matrices_and_energies_agree),
      cmocka_unit_test(masses_of_meshes_are_density_times_measure),
      cmocka_unit_test(the_largest_elements_count),
      cmocka_unit_test(rest_or_present_positions_are_measured),
      cmocka_unit_test(given_masses_are_taken_and_the_last_repeated),
      cmocka_unit_test(consistent_matrices_have_the_lumped_row_sums),
      cmocka_unit_test(exact_matrices_give_the_moments_of_the_body),
      cmocka_unit_test(the_exact_matrix_of_a_cube_is_positive),
      cmocka_unit_test(a_tetrahedron_has_its_textbook_matrix),
      cmocka_unit_test(integrated_masses_sum_to_density_times_measure),
      cmocka_unit_test(a_total_is_shared),
      cmocka_unit_test(without_a_mass_there_is_weight_but_no_inertia),
      cmocka_unit_test(the_mass_of_a_frame_scales_its_inertia),
      cmocka_unit_test(masses_come_from_an_xsp_file),
      cmocka_unit_test(separate_gravity_goes_to_the_velocity),
      cmocka_unit_test(the_energy_of_free_fall_follows_its_formula),
      cmocka_unit_test(a_mass_follows_a_state_that_grows),
      cmocka_unit_test(wrong_masses_are_explained),
      cmocka_unit_test(many_points_agree_with_few),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

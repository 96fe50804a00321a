// A cube of every kind of volume element is crushed flat and turned inside out, and let go: nothing becomes NaN, and
// all come back but those whose method takes a mirror image for a shape at rest. Hyperelastic elements have no tangent
// there that conjugate gradients could use: they are crushed to less than half and take small explicit steps (inside
// out: test_hyper_fem.c).
#include "support/check.h"
#include "support/fd.h"
#include "support/scene.h"

#include "math/vec.h"

#include <string.h>

typedef struct Case {
  const char *force;
  const char *elements;    // topology of cells cut from the grid, or NULL for the cells
  bool flat, inside_out;   // comes back from there
  bool small;              // explicit steps
} Case;

#define ELASTIC " youngModulus='200' poissonRatio='0.3'"
#define HYPER(law, numbers)                                                                                            \
  {                                                                                                                    \
    "TetrahedronHyperelasticityFEMForceField materialName='" law "' ParameterSet='" numbers "'", "Tetra", true, false, \
        true                                                                                                           \
  }

static const Case cases[] = {
    {"HexahedronFEMForceField method='large'" ELASTIC, NULL, true, true, false},
    {"HexahedronFEMForceField method='polar'" ELASTIC, NULL, true, false,
     false},   // the factor of a mirrored cell is a mirror, as in SOFA
    {"CorotationalFEMForceField template='Vec3,Hexahedron'" ELASTIC, NULL, true, true, false},
    {"CorotationalFEMForceField template='Vec3,Hexahedron' rotationMethod='stable_polar'" ELASTIC, NULL, true, true,
     false},
    {"CorotationalFEMForceField template='Vec3,Tetrahedron' rotationMethod='stable_polar'" ELASTIC, "Tetra", true, true,
     false},
    {"CorotationalFEMForceField template='Vec3,Prism'" ELASTIC, "Prism", true, true, false},
    {"TetrahedralCorotationalFEMForceField method='large'" ELASTIC, "Tetra", true, true, false},
    {"FastTetrahedralCorotationalForceField" ELASTIC, "Tetra", true, false, false},
    {"TetrahedronFEMForceField method='svd'" ELASTIC, "Tetra", true, true, false},
    {"HexahedronTLEDForceField" ELASTIC, NULL, true, false, true},
    {"TetrahedronTLEDForceField" ELASTIC, "Tetra", true, false, true},
    HYPER("StVenantKirchhoff", "80 100"),
    HYPER("NeoHookean", "80 100"),
    HYPER("MooneyRivlin", "30 10 100"),
    HYPER("VerondaWestman", "60 0.7 100"),
    HYPER("ArrudaBoyce", "80 100"),
    HYPER("Ogden", "80 3 100"),
    HYPER("StableNeoHookean", "80 100"),
};

static dvScene *open_cube(const Case *c)
{
  char *cut = c->elements ? dv_format("<Node name='cut'><MeshTopology name='cells'/><Hexa2%sTopologicalMapping "
                                      "input='@../grid' output='@cells'/></Node>",
                                      c->elements)
                          : dv_format("%s", "");
  const char *solver = c->small ? "dt='5e-5'><EulerExplicitSolver/>"
                                : "dt='0.01'><EulerImplicitSolver rayleighMass='3'/><CGLinearSolver iterations='100' "
                                  "tolerance='1e-12' threshold='1e-20'/>";
  char *text = dv_format("<Node gravity='0 0 0' %s"
                         "<RegularGridTopology name='grid' n='3 3 3'/><MechanicalObject name='dofs'/><UniformMass "
                         "totalMass='1'/><UniformVelocityDampingForceField dampingCoefficient='%g'/>%s<%s name='ff' "
                         "topology='@%s'/></Node>",
                         solver, c->small ? 0.6 : 0.0, cut, c->force, c->elements ? "cut/cells" : "grid");
  dvScene *scene = check_scene(text, 1);
  dv_free(cut);
  dv_free(text);
  return scene;
}

static double signed_volume(const double *x)
{
  dvVec3 a = dv_vec3_load(x), e[3];
  const size_t ends[3] = {2, 6, 18};
  for (int i = 0; i < 3; i++) e[i] = dv_vec3_sub(dv_vec3_load(x + 3 * ends[i]), a);
  return dv_vec3_dot(e[0], dv_vec3_cross(e[1], e[2]));
}

static void crushed_cubes_stay_finite_and_come_back(void **state)
{
  DV_UNUSED(state);
  for (size_t i = 0; i < DV_COUNT(cases); i++)
    for (int inside_out = 0; inside_out < (cases[i].small ? 1 : 2); inside_out++) {
      dvScene *scene = open_cube(&cases[i]);
      dvState *dofs = dv_state(check_find(scene, "dofs"));
      double *x = dv_state_write(dofs, DV_X);
      for (size_t p = 0; p < dofs->count; p++) x[3 * p + 1] *= inside_out ? -0.3 : cases[i].small ? 0.4 : 1e-3;
      bool returns = inside_out ? cases[i].inside_out : cases[i].flat, finite = true;
      for (int step = 0; step < (cases[i].small ? 20000 : 600) && finite; step++) {
        finite = dv_scene_step(scene, 0) == DV_OK;
        for (size_t k = 0; k < 3 * dofs->count; k++) finite = finite && isfinite(dv_state_read(dofs, DV_X)[k]);
      }
      if (!finite) fail_msg("%s, %s: no longer finite", cases[i].force, inside_out ? "inside out" : "flat");
      double volume = signed_volume(dv_state_read(dofs, DV_X)), energy = fd_energy_of(check_find(scene, "ff"));
      if (returns && !(fabs(volume - 1) < 0.1 && energy < 0.3))
        fail_msg("%s, %s: volume %g, energy %g", cases[i].force, inside_out ? "inside out" : "flat", volume, energy);
      check_close_scene(&scene);
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(crushed_cubes_stay_finite_and_come_back)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

// NonUniformHexahedronFEMForceFieldAndMass, NonUniformHexahedralFEMForceFieldAndMass and
// HexahedronCompositeFEMForceFieldAndMass: coarse corotational hexahedra whose matrices are condensed from the finer
// levels of a sparse grid (condense.h).
//
// Needs a sparse grid with virtual finer levels. As in SOFA all but the Hexahedral one count the cells of the finest
// level as far as they are filled (with compat sofa by the coefficient of their stiffness in the mass as well), that
// one has full cells. Matrices of the finest cells are those of HexahedronFEMForceField and its mass.
#include "force/fem/hexa/hexa_force.h"
#include "object/compat.h"

#define SELF dvHexaForce
static const dvFieldDesc hexa_fields[] = {HEXA_METHOD_FIELDS(DV_DESCRIBE) HEXA_FIELDS(DV_DESCRIBE)};
static const dvFieldDesc hexahedral_fields[] = {HEXA_METHOD_FIELDS(DV_DESCRIBE) HEXAHEDRAL_FIELDS(DV_DESCRIBE)};
static const dvFieldDesc mass_fields[] = {HEXA_MASS_FIELDS(DV_DESCRIBE) HEXA_CONDENSED_FIELDS(DV_DESCRIBE)
                                              HEXA_TOTAL_FIELDS(DV_DESCRIBE)};
static const dvFieldDesc composite_fields[] = {HEXA_MASS_FIELDS(DV_DESCRIBE) HEXA_CONDENSED_FIELDS(DV_DESCRIBE)
                                                   HEXA_TOTAL_FIELDS(DV_DESCRIBE) HEXA_COMPOSITE_FIELDS(DV_DESCRIBE)};
static const dvFieldDesc voxel_fields[] = {HEXA_MASS_FIELDS(DV_DESCRIBE) HEXAHEDRAL_MASS_FIELDS(DV_DESCRIBE)
                                               HEXA_VOXEL_FIELDS(DV_DESCRIBE)};
#undef SELF

// whether the cells of a level have other coefficients of mass than of stiffness
static bool masses_differ(const dvSparseLevel *l)
{
  for (size_t i = 0; i < l->stiffness.count && i < l->mass.count; i++)
    if (l->stiffness.data[i] != l->mass.data[i]) return true;
  return false;
}

// how many levels there are to condense; 0 with a warning when it cannot be done
static dvStatus find_depth(dvHexaForce *h, int *depth)
{
  dvObject *o = &h->elastic.force.base, *grid = h->elastic.topology.target;
  if (!dv_is_sparse_grid(grid))
    return dv_error(o, "use a SparseGridTopology with nbVirtualFinerLevels",
                    "%s needs a sparse grid to condense; %s is none", o->cls->name, grid->name);
  int levels = dv_sparse_grid_levels(grid) - 1;
  *depth = dv_hexa_is(h, &dv_nonuniform_hexahedral_class) ? levels : h->nbVirtualFinerLevels;
  if (*depth < 0)
    return dv_field_error(o, &h->nbVirtualFinerLevels, NULL, "nbVirtualFinerLevels %d is negative", *depth);
  if (*depth == 0)
    dv_warning(o, "give nbVirtualFinerLevels to the grid and to the force",
               "no finer levels are condensed: all of a cell has the same stiffness");
  if (*depth > levels) {
    dv_field_warning(o, &h->nbVirtualFinerLevels, "give the grid the same number",
                     "the grid %s has %d finer levels, not %d: none are condensed", grid->name, levels, *depth);
    *depth = 0;
  }
  return DV_OK;
}

static dvStatus condense_cells(dvHexaForce *h, dvCondenseDef *def, double voxel)
{
  dvObject *o = &h->elastic.force.base;
  if (!dv_hexa_is(h, &dv_composite_hexa_class)) {
    dv_condense_trilinear(def, h->condensed, h->matrices, h->mass);
    for (size_t e = 0; e < h->count; e++) h->mass[e] *= voxel;
    return DV_OK;
  }
  def->direct = h->finestToCoarse;
  def->merged = !h->useRamification;
  def->complete = h->completeInterpolation;
  def->poisson = dv_elastic_poisson(&h->elastic, 0);
  dvStatus status = dv_condense_composite(def, h->condensed, h->matrices, &h->composite);
  if (status == DV_ERROR_USAGE)
    return dv_field_error(o, &h->finestToCoarse, "leave finestToCoarse away, or take fewer levels",
                          "%d levels in one go have too many points", def->depth);
  if (status != DV_OK)
    return dv_error(o, "take fewer levels, or useRamification=\"0\"",
                    "a part of a cell of the grid hangs on none of its corners");
  return DV_OK;
}

dvStatus dv_hexa_condense(dvHexaForce *h)
{
  dvObject *o = &h->elastic.force.base;
  dv_composite_destroy(&h->composite);
  h->condensations++;
  dv_free(h->matrices);
  dv_free(h->mass);
  h->condensed = dv_alloc_aligned((DV_CONDENSE_K * h->count + 1) * sizeof(double));
  h->matrices = dv_alloc_aligned((DV_CONDENSE_M * h->count + 1) * sizeof(double));
  h->mass = dv_alloc((h->count + 1) * sizeof *h->mass);
  if (!h->condensed || !h->matrices)
    return dv_error(o, "use a coarser grid", "out of memory for %zu condensed hexahedra", h->count);
  if (h->count == 0) return DV_OK;
  if (h->updateStiffnessMatrix)
    dv_field_warning(o, &h->updateStiffnessMatrix, NULL, "condensed matrices are not updated");
  int depth = 0;
  DV_TRY(find_depth(h, &depth));
  if (dv_sparse_grid_level(h->elastic.topology.target, 0)->cell_of.count != h->count ||
      dv_topology_has_fills(dv_elastic_topology(&h->elastic)))
    return dv_error(o, "use a HexahedronFEMForceFieldAndMass on meshes that change",
                    "the grid has changed: its finer levels no longer tell how to condense the cells");
  double edges[3], k[DV_CONDENSE_K], m[64];
  dv_hexa_edges(dv_state_read(h->elastic.force.state, DV_X_REST), h->hexa, edges);
  for (int a = 0; a < 3; a++) edges[a] /= 1 << depth;
  double mass = h->density * edges[0] * edges[1] * edges[2];
  bool voxels = dv_hexa_is(h, &dv_nonuniform_hexahedral_class);
  dv_hexa_box_stiffness(h, edges, k);
  bool uniform = !voxels && dv_compat(o, DV_COMPAT_HEXA_INERTIA);
  for (int i = 0; i < 64; i++) m[i] = mass * (uniform ? 8.0 / 27 : dv_hexa_mass_share(i / 8, i % 8));
  dvCondenseDef def = {.depth = depth, .stiffness = k, .mass = m, .filled = !voxels};
  for (int i = 0; i <= depth; i++) def.level[i] = dv_sparse_grid_level(h->elastic.topology.target, i);
  def.stiff_mass = !voxels && masses_differ(def.level[depth]) && dv_compat(o, DV_COMPAT_NONUNIFORM_MASS);
  return condense_cells(h, &def, mass);
}

const dvClass dv_nonuniform_hexa_class = {
    DV_HEXA_CLASS,
    .name = "NonUniformHexahedronFEMForceFieldAndMass",
    .help = "coarse corotational hexahedra of a sparse grid that have the stiffness and mass of its finer levels",
    .module = "Sofa.Component.SolidMechanics.FEM.NonUniform",
    .blocks = {&dv_object_block, &dv_force_block, &dv_elastic_block, DV_BLOCK(hexa_fields), DV_BLOCK(mass_fields)},
    .ops = {[DV_ROLE_FORCE] = &dv_hexa_force_ops, [DV_ROLE_MASS] = &dv_hexa_mass_ops},
};

const dvClass dv_nonuniform_hexahedral_class = {
    DV_HEXA_CLASS,
    .name = "NonUniformHexahedralFEMForceFieldAndMass",
    .help = "coarse corotational boxes of a sparse grid that have the stiffness and mass of the full cells of its "
            "finest level",
    .module = "Sofa.Component.SolidMechanics.FEM.NonUniform",
    .blocks = {&dv_object_block, &dv_force_block, &dv_elastic_block, DV_BLOCK(hexahedral_fields),
               DV_BLOCK(voxel_fields)},
    .ops = {[DV_ROLE_FORCE] = &dv_hexahedral_force_ops, [DV_ROLE_MASS] = &dv_hexa_mass_ops},
};

const dvClass dv_composite_hexa_class = {
    DV_HEXA_CLASS,
    .name = "HexahedronCompositeFEMForceFieldAndMass",
    .help = "coarse corotational hexahedra that deform inside as the finer levels of a sparse grid do in balance",
    .module = "Sofa.Component.SolidMechanics.FEM.NonUniform",
    .blocks = {&dv_object_block, &dv_force_block, &dv_elastic_block, DV_BLOCK(hexa_fields), DV_BLOCK(composite_fields)},
    .ops = {[DV_ROLE_FORCE] = &dv_hexa_force_ops, [DV_ROLE_MASS] = &dv_hexa_mass_ops},
};

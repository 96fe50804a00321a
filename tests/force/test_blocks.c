// Blocks of elements: every element once, corners at their points, sums complete.
#include "support/check.h"

#include "element/blocks.h"
#include "force/tetra_mesh.h"

#include <string.h>

// corners of all lanes lead back to the connectivity, and lanes that fill up to the dummy
static void check_structure(const dvElementBlocks *m, const int32_t *connectivity, size_t limit)
{
  size_t found = 0;
  for (size_t b = 0; b < m->count; b++) {
    const dvElementBlock *block = &m->blocks[b];
    assert_true(block->points <= DV_BLOCK_POINTS && DV_LANES * block->packs <= limit);
    for (size_t lane = DV_LANES * block->first_pack; lane < DV_LANES * (block->first_pack + block->packs); lane++) {
      int32_t e = m->element[lane];
      found += e >= 0;
      if (e >= 0) assert_int_equal(m->lane[e], lane);
      for (size_t k = 0; k < m->nodes; k++) {
        size_t place = dv_blocks_corners(m, lane / DV_LANES)[DV_LANES * k + lane % DV_LANES] / DV_BLOCK_STRIDE;
        int32_t point = m->point[block->first_slot + place];
        assert_int_equal(point, e >= 0 ? connectivity[m->nodes * (size_t)e + k] : -1);
      }
    }
  }
  assert_int_equal(found, m->elements);
}

// the sum over elements of a number a corner, through blocks, equals the plain sum
static void check_sums(const dvElementBlocks *m, const int32_t *connectivity)
{
  double *f = dv_alloc(3 * m->points * sizeof *f), *plain = dv_alloc(3 * m->points * sizeof *f);
  double *slots = dv_alloc_aligned(DV_BLOCK_STRIDE * m->slots * sizeof *slots);
  for (size_t b = 0; b < m->count; b++) {
    const dvElementBlock *block = &m->blocks[b];
    double *out = dv_blocks_clear(m, b, slots);
    for (size_t pack = block->first_pack; pack < block->first_pack + block->packs; pack++)
      for (size_t i = 0; i < DV_LANES * m->nodes; i++) {
        double value = 1 + (double)m->element[DV_LANES * pack + i % DV_LANES];
        dv_blocks_add_row(out, dv_blocks_corners(m, pack)[i], (dvPack){value, 2 * value, -value, 0});
      }
  }
  if (m->count == 1) dv_blocks_add(m, 0, slots, f);
  else dv_blocks_reduce(m, slots, 0, m->points, f);
  for (size_t i = 0; i < m->nodes * m->elements; i++) {
    double value = 1 + (double)(i / m->nodes), *p = plain + 3 * connectivity[i];
    p[0] += value, p[1] += 2 * value, p[2] -= value;
  }
  // whole numbers: the sums are exact
  assert_memory_equal(f, plain, 3 * m->points * sizeof *f);
  dv_free(f);
  dv_free(plain);
  dv_free(slots);
}

static void blocks_cover_the_mesh(void **state)
{
  DV_UNUSED(state);
  static const size_t limits[] = {4, 12, 512, 4096};
  TetraMesh mesh = mesh_box(7, 6, 5);
  for (size_t i = 0; i < 2 * DV_COUNT(limits); i++) {
    dvElementBlocks *m = NULL;
    size_t limit = limits[i / 2];
    assert_int_equal(dv_blocks_create(mesh.tetrahedra, 4, mesh.count, mesh.points, i % 2 ? mesh.rest : NULL, limit, &m),
                     DV_OK);
    check_structure(m, mesh.tetrahedra, limit);
    check_sums(m, mesh.tetrahedra);
    dv_blocks_destroy(&m);
    assert_null(m);
  }
  mesh_free(&mesh);
}

// elements of eight that share no point: the limit on points cuts the blocks
static void blocks_never_have_too_many_points(void **state)
{
  DV_UNUSED(state);
  enum { COUNT = 700 };
  int32_t *connectivity = dv_alloc(8 * COUNT * sizeof *connectivity);
  for (int32_t i = 0; i < 8 * COUNT; i++) connectivity[i] = 8 * COUNT - 1 - i;
  dvElementBlocks *m = NULL;
  assert_int_equal(dv_blocks_create(connectivity, 8, COUNT, 8 * COUNT, NULL, 0, &m), DV_OK);
  assert_int_equal(m->count, 6);
  check_structure(m, connectivity, DV_BLOCK_ELEMENTS);
  check_sums(m, connectivity);
  dv_blocks_destroy(&m);
  dv_free(connectivity);
}

static void gather_and_load_bring_corners_into_lanes(void **state)
{
  DV_UNUSED(state);
  TetraMesh mesh = mesh_box(3, 3, 3);
  dvElementBlocks *m = NULL;
  double local[DV_BLOCK_DOUBLES];
  assert_int_equal(dv_blocks_create(mesh.tetrahedra, 4, mesh.count, mesh.points, mesh.rest, 48, &m), DV_OK);
  for (size_t b = 0; b < m->count; b++) {
    dv_blocks_gather(m, b, mesh.rest, local);
    for (size_t pack = m->blocks[b].first_pack; pack < m->blocks[b].first_pack + m->blocks[b].packs; pack++)
      for (size_t k = 0; k < 4; k++) {
        dvPackVec v = dv_blocks_load(local, dv_blocks_corners(m, pack) + DV_LANES * k);
        dvPack rows[DV_LANES];
        dv_blocks_rows(v, rows);
        for (size_t lane = 0; lane < DV_LANES; lane++) {
          int32_t e = m->element[DV_LANES * pack + lane];
          const double zero[3] = {0}, *x = e < 0 ? zero : mesh.rest + 3 * mesh.tetrahedra[4 * (size_t)e + k];
          double got[6] = {v.x[lane], v.y[lane], v.z[lane], rows[lane][0], rows[lane][1], rows[lane][2]};
          for (int c = 0; c < 6; c++) check_close(got[c], x[c % 3], 0);
        }
      }
  }
  dv_blocks_destroy(&m);
  mesh_free(&mesh);
}

static void sorting_by_position_makes_compact_blocks(void **state)
{
  DV_UNUSED(state);
  TetraMesh mesh = mesh_box(16, 16, 16);
  dvElementBlocks *m = NULL;
  assert_int_equal(dv_blocks_create(mesh.tetrahedra, 4, mesh.count, mesh.points, mesh.rest, 0, &m), DV_OK);
  // 512 tetrahedra in a cube have (85^(1/3) + 1)^3 = 158 points; in a row of cubes they have 344
  assert_true((double)m->slots / (double)m->count < 230);
  dv_blocks_destroy(&m);
  mesh_free(&mesh);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(blocks_cover_the_mesh),
      cmocka_unit_test(blocks_never_have_too_many_points),
      cmocka_unit_test(gather_and_load_bring_corners_into_lanes),
      cmocka_unit_test(sorting_by_position_makes_compact_blocks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

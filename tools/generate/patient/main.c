// generate_patient OUT.nii.gz [--seed N] [--voxel METRES] [--ribs] [--tumour]: an image of labels, of Divan's own, to
// be made a scene of by `divan anatomy`.
//
// 1 the organ of generate_organ, 2 and 3 two trees of vessels in it that do not touch each other (portal and hepatic
// veins), 4 a stomach in the hollow below it, 5 a gall bladder; with --ribs, in a larger image, 6 four pairs of ribs,
// open towards the front; with --tumour, 7 a tumour in the organ and a smaller one that bulges out of it. The same seed
// gives the same bytes.
#include "../organ/organ.h"

#include "anatomy/vessels.h"
#include "base/file.h"
#include "base/text.h"

#include <stdio.h>

enum { TRIES = 12 };

static double inside(void *user, dvVec3 x)
{
  DV_UNUSED(user);
  return -organ_field(vec(x.x, x.y, x.z));
}

static double ellipsoid(Vec3 p, Vec3 centre, Vec3 radius)
{
  Vec3 d = sub(p, centre);
  for (int k = 0; k < 3; k++) d.x[k] /= radius.x[k];
  return norm(d) - 1;
}

// Ribs run around the back on ellipses that sink towards the front: how far a place is from the middle of the nearest,
// less half their thickness; they are twice as high as thick.
static double ribs_field(Vec3 p)
{
  const double wide = 0.158, deep = 0.115, thick = 0.007;
  double angle = atan2((p.x[2] + 0.01) / deep, p.x[0] / wide), best = 1;
  if (sin(angle) > 0.35) return 1;   // open in front
  for (int k = 0; k < 4; k++) {
    double high = 0.075 - 0.034 * k - 0.025 * (1 + sin(angle));
    double off = norm(vec(p.x[0] - wide * cos(angle), 0, p.x[2] + 0.01 - deep * sin(angle)));
    best = fmin(best, hypot(off, 0.5 * (p.x[1] - high)) - thick);
  }
  return best;
}

static double tumour_field(Vec3 p)
{
  return fmin(ellipsoid(p, vec(-0.066, 0.014, 0.012), vec(0.020, 0.017, 0.016)),
              ellipsoid(p, vec(-0.022, -0.022, 0.052), vec(0.011, 0.011, 0.012)));
}

static uint8_t label_of(Vec3 p, bool ribs, bool tumour)
{
  if (ribs && ribs_field(p) < 0) return 6;
  if (tumour && tumour_field(p) < 0) return 7;
  if (organ_field(p) < 0) return 1;
  // a bag that follows the hollow, wider to the left
  double stomach = fmin(ellipsoid(p, vec(0.050, -0.075, -0.040), vec(0.060, 0.036, 0.040)),
                        ellipsoid(p, vec(0.090, -0.050, -0.035), vec(0.034, 0.034, 0.034)));
  if (stomach < 0) return 4;
  return ellipsoid(p, vec(-0.018, -0.064, 0.034), vec(0.014, 0.022, 0.014)) < 0 ? 5 : 0;
}

// the tree with the most branches among some
static void grow(dvVessels *out, dvGrowth g)
{
  g.radius = 0.0045, g.generations = 6, g.bend = 0.15, g.thinnest = 0.0014, g.inside = inside;
  *out = (dvVessels){0};
  for (int i = 0; i < TRIES; i++) {
    dvVessels v;
    dv_vessels_grow(&v, &g);
    bool better = v.branches.count > out->branches.count;
    dv_vessels_free(better ? out : &v);
    if (better) *out = v;
    g.seed++;
  }
}

static bool make(const char *path, uint32_t seed, double voxel, bool ribs, bool tumour)
{
  double low[3] = {-0.13, -0.13, -0.095}, high[3] = {0.14, 0.09, 0.075};
  for (int k = 0; k < 3 && ribs; k++) low[k] -= 30 * 0.0015, high[k] += 30 * 0.0015;
  dvVoxelLayout l = {.unit = 1e-3};
  size_t voxels = 1;
  for (int k = 0; k < 3; k++) {
    l.n[k] = (int32_t)ceil((high[k] - low[k]) / voxel);
    l.size[k] = voxel, l.origin[k] = low[k];
    voxels *= (size_t)l.n[k];
  }
  uint8_t *bytes = dv_alloc(voxels);
  size_t i = 0;
  for (int z = 0; z < l.n[2]; z++)
    for (int y = 0; y < l.n[1]; y++)
      for (int x = 0; x < l.n[0]; x++)
        bytes[i++] = label_of(vec(low[0] + (x + 0.5) * voxel, low[1] + (y + 0.5) * voxel, low[2] + (z + 0.5) * voxel),
                              ribs, tumour);
  dvVessels portal, veins;
  grow(&portal,
       (dvGrowth){.seed = seed, .root = {0.018, -0.012, -0.004}, .direction = {-1, 0.15, 0.1}, .length = 0.028});
  grow(&veins, (dvGrowth){.seed = seed + TRIES,
                          .root = {-0.02, 0.046, -0.012},
                          .direction = {-0.25, -1, 0.1},
                          .length = 0.022,
                          .others = &portal});
  dv_vessels_paint(&portal, &l, 2, bytes);
  dv_vessels_paint(&veins, &l, 3, bytes);
  printf("%s: %d x %d x %d voxels, %zu and %zu branches of vessels\n", path, l.n[0], l.n[1], l.n[2],
         portal.branches.count, veins.branches.count);
  for (int k = 0; k < 3; k++) l.size[k] *= 1e3, l.origin[k] *= 1e3;
  dvMeshError error = {0};
  bool good = dv_nifti_write(path, &l, bytes, &error) == DV_OK;
  if (!good) fprintf(stderr, "generate_patient: %s: %s\n", path, error.text);
  dv_vessels_free(&portal);
  dv_vessels_free(&veins);
  dv_free(bytes);
  return good;
}

int main(int argc, char **argv)
{
  const char *path = NULL;
  double voxel = 0.001, seed = 1;
  bool ribs = false, tumour = false;
  for (int i = 1; i < argc; i++) {
    const char *value = i + 1 < argc ? argv[i + 1] : "";
    if (dv_same(argv[i], "--voxel") && dv_scan_real(&value, &voxel) && !*value) i++;
    else if (dv_same(argv[i], "--seed") && dv_scan_real(&value, &seed) && !*value) i++;
    else if (dv_same(argv[i], "--ribs")) ribs = true;
    else if (dv_same(argv[i], "--tumour")) tumour = true;
    else if (!path && argv[i][0] != '-') path = argv[i];
    else path = "";
  }
  if (!path || !*path || !(voxel >= 0.0005 && voxel <= 0.01) || !(seed >= 0 && seed < 4e9)) {
    fprintf(stderr, "usage: generate_patient OUT.nii.gz [--seed N] [--voxel METRES] [--ribs] [--tumour]   (0.0005 to "
                    "0.01, default 0.001)\n");
    return DV_ERROR_USAGE;
  }
  return make(path, (uint32_t)seed, voxel, ribs, tumour) ? 0 : DV_ERROR_INPUT;
}

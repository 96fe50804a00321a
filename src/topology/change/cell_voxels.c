// See cell_voxels.h.
#include "topology/change/cell_voxels.h"

#include "topology/change/modify.h"

static const int8_t place_of[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                      {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};

static int corner_at(const int at[3])
{
  for (int k = 0; k < 8; k++)
    if (place_of[k][0] == at[0] && place_of[k][1] == at[1] && place_of[k][2] == at[2]) return k;
  return 0;
}

static int voxel_at(const int at[3]) { return at[0] + SIDE * at[1] + SIDE * SIDE * at[2]; }
static void voxel_place(int voxel, int at[3])
{
  at[0] = voxel % SIDE, at[1] = voxel / SIDE % SIDE, at[2] = voxel / (SIDE * SIDE);
}

int dv_voxel_beside(int voxel, int direction)
{
  int at[3];
  voxel_place(voxel, at);
  at[direction / 2] += direction % 2 ? 1 : -1;
  return at[direction / 2] < 0 || at[direction / 2] >= SIDE ? -1 : voxel_at(at);
}

dvVec3 dv_cell_voxel(const dvCells *c, int32_t hexahedron, int voxel)
{
  const int32_t *e = dv_cell_corners(c->mesh, hexahedron);
  int at[3];
  dvVec3 sum = dv_vec3(0, 0, 0);
  voxel_place(voxel, at);
  for (int k = 0; k < 8; k++) {
    double w = 1;
    for (int a = 0; a < 3; a++) {
      double u = (at[a] + 0.5) / SIDE;
      w *= place_of[k][a] ? u : 1 - u;
    }
    sum = dv_vec3_add_scaled(sum, dv_vec3_load(c->x + 3 * (size_t)e[k]), w);
  }
  return sum;
}

// --- faces ---------------------------------------------------------------------------------------

// The axes of a face in a direction of a cell.
static void face_axes(int direction, int *normal, int *first, int *second)
{
  *normal = direction / 2;
  *first = (*normal + 1) % 3;
  *second = (*normal + 2) % 3;
}

int dv_face_voxel(int direction, int p, int q)
{
  int at[3], n, u, v;
  face_axes(direction, &n, &u, &v);
  at[n] = direction % 2 ? SIDE - 1 : 0, at[u] = p, at[v] = q;
  return voxel_at(at);
}

static int sign_of(const int a[3], const int b[3], const int c[3])
{
  return a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) + a[2] * (b[0] * c[1] - b[1] * c[0]);
}

enum { MOST_AROUND = 64 };

// how a cell meets the face that another has in a direction; false when it does not, or lies on the same side of it
static bool match_face(const int32_t *own, int direction, const int32_t *other, dvCellFace *out)
{
  int n, u, v, at[3] = {0, 0, 0}, found[3], inward[3] = {0, 0, 0};
  face_axes(direction, &n, &u, &v);
  for (int k = 0; k < 3; k++) {   // corners (0, 0), (1, 0) and (0, 1) of the face
    at[n] = direction % 2, at[u] = k == 1, at[v] = k == 2;
    int32_t point = own[corner_at(at)];
    found[k] = -1;
    for (int c = 0; c < 8; c++)
      if (other[c] == point) found[k] = c;
    if (found[k] < 0) return false;
  }
  for (int a = 0; a < 3; a++) {
    out->base[a] = (SIDE - 1) * place_of[found[0]][a];
    out->first[a] = place_of[found[1]][a] - place_of[found[0]][a];
    out->second[a] = place_of[found[2]][a] - place_of[found[0]][a];
  }
  for (int a = 0; a < 3; a++)
    if (!out->first[a] && !out->second[a]) {
      inward[a] = place_of[found[0]][a] ? -1 : 1;
      out->direction = 2 * a + place_of[found[0]][a];
    }
  // u, v and the way inwards turn the other way round than in the cell itself
  int own_sign = direction % 2 ? -1 : 1;
  return sign_of(out->first, out->second, inward) == -own_sign;
}

int dv_face_voxel_beyond(const dvCellFace *f, int p, int q)
{
  int at[3];
  for (int a = 0; a < 3; a++) at[a] = f->base[a] + p * f->first[a] + q * f->second[a];
  return voxel_at(at);
}

int dv_cells_beyond(const dvTopology *t, int32_t hexahedron, int direction, int32_t *out, dvCellFace *faces)
{
  const int32_t *own = dv_cell_corners(t, hexahedron);
  int32_t face[4], around[MOST_AROUND];
  int n, u, v, at[3], found = 0;
  face_axes(direction, &n, &u, &v);
  for (int k = 0; k < 4; k++) {
    at[n] = direction % 2, at[u] = k % 2, at[v] = k / 2;
    face[k] = own[corner_at(at)];
  }
  size_t count = dv_mesh_around((dvTopology *)t, DV_HEXAHEDRON, face, 4, around, MOST_AROUND);
  for (size_t i = 0; i < count && i < MOST_AROUND; i++) {
    if (around[i] == hexahedron || found == MOST_PIECES) continue;
    if (match_face(own, direction, dv_cell_corners(t, around[i]), &faces[found])) out[found++] = around[i];
  }
  return found;
}

int32_t dv_cell_beyond(dvTopology *t, int32_t hexahedron, int direction)
{
  int32_t others[MOST_PIECES];
  dvCellFace faces[MOST_PIECES];
  return dv_cells_beyond(t, hexahedron, direction, others, faces) ? others[0] : -1;
}

// --- pieces of a cell ----------------------------------------------------------------------------

// parts of some voxels that hang together; `cut` may be NULL. Returns how many there are.
static int find_parts(uint64_t voxels, const uint64_t *cut, int8_t *part)
{
  int parts = 0, queue[VOXELS];
  for (int i = 0; i < VOXELS; i++) part[i] = -1;
  for (int seed = 0; seed < VOXELS; seed++) {
    if (part[seed] >= 0 || !dv_has_voxel(voxels, seed)) continue;
    int count = 0;
    part[seed] = (int8_t)parts;
    queue[count++] = seed;
    for (int head = 0; head < count; head++)
      for (int d = 0; d < 6; d++) {
        int other = dv_voxel_beside(queue[head], d);
        if (other < 0 || part[other] >= 0 || !dv_has_voxel(voxels, other) || (cut && dv_has_voxel(cut[d], queue[head])))
          continue;
        part[other] = (int8_t)parts;
        queue[count++] = other;
      }
    parts++;
  }
  return parts;
}

// Voxels without material go with what they hang together with, then with any neighbour. Returns the former.
static uint64_t spread(const uint64_t *cut, int8_t *part)
{
  uint64_t reached = 0;
  for (int strict = 1; strict >= 0; strict--) {
    for (bool changed = true; changed;) {
      int8_t before[VOXELS];
      memcpy(before, part, sizeof before);
      changed = false;
      for (int i = 0; i < VOXELS; i++)
        for (int d = 0; d < 6 && part[i] < 0; d++) {
          int other = dv_voxel_beside(i, d);
          if (other < 0 || before[other] < 0 || (strict && dv_has_voxel(cut[d], i))) continue;
          part[i] = before[other];
          changed = true;
        }
    }
    for (int i = 0; i < VOXELS && strict; i++) reached |= (uint64_t)(part[i] >= 0) << i;
  }
  return reached;
}

// Parts of the material that no blade has parted, as where a thin layer has no voxel, stay together: they join where
// links between the voxels around are whole, unless that would join what a blade has parted.
static int join_lobes(const uint64_t *cut, const int8_t *whole, const int8_t *material, int8_t *part, int parts)
{
  int root[VOXELS], lobe[VOXELS];
  bool lobes[VOXELS][VOXELS] = {{false}};   // of each part: the lobes that it has
  for (int i = 0; i < VOXELS; i++) root[i] = i, lobe[i] = -1;
  for (int i = 0; i < VOXELS; i++)
    if (material[i] >= 0) lobe[material[i]] = whole[i];
  for (int p = 0; p < parts; p++) lobes[p][lobe[p]] = true;
  for (int i = 0; i < VOXELS; i++)
    for (int d = 1; d < 6; d += 2) {
      int other = dv_voxel_beside(i, d);
      if (other < 0 || dv_has_voxel(cut[d], i)) continue;
      int a = root[part[i]], b = root[part[other]];
      bool clash = a == b;
      for (int l = 0; l < VOXELS; l++) clash = clash || (lobes[a][l] && lobes[b][l]);
      if (clash) continue;
      int keep = a < b ? a : b, go = a < b ? b : a;
      for (int l = 0; l < VOXELS; l++) lobes[keep][l] = lobes[keep][l] || lobes[go][l];
      for (int p = 0; p < parts; p++)
        if (root[p] == go) root[p] = keep;
    }
  int number[VOXELS], count = 0;
  for (int p = 0; p < parts; p++) number[p] = root[p] == p ? count++ : 0;
  for (int i = 0; i < VOXELS; i++) part[i] = (int8_t)number[root[part[i]]];
  return count;
}

void dv_cell_find_pieces(dvNearCell *cell)
{
  int8_t whole[VOXELS], part[VOXELS], material[VOXELS];
  int lobes = find_parts(cell->before.voxels, NULL, whole),
      parts = find_parts(cell->before.voxels, cell->before.cut, part);
  memcpy(material, part, sizeof material);
  cell->reached = spread(cell->before.cut, part);
  if (lobes > 1) parts = join_lobes(cell->before.cut, whole, material, part, parts);
  cell->pieces = dv_min_int(parts, MOST_PIECES);
  for (int i = 0; i < VOXELS; i++) cell->piece[i] = (uint8_t)dv_min_int(part[i], cell->pieces - 1);
}

void dv_cell_keep_whole(dvNearCell *cell)
{
  int8_t part[VOXELS];
  find_parts(cell->before.voxels, cell->before.cut, part);
  cell->reached = spread(cell->before.cut, part);
  cell->pieces = 1;
}

bool dv_parts_hang_together(const dvTopology *t, const dvCellPart *a, const dvCellPart *b, bool before)
{
  const int32_t *own = dv_cell_corners(t, a->hexahedron), *other = dv_cell_corners(t, b->hexahedron);
  const dvCellFill *fa = before ? a->before : a->now, *fb = before ? b->before : b->now;
  for (int d = 0; d < 6; d++) {
    dvCellFace f;
    if (place_of[a->corner][d / 2] != d % 2 || !match_face(own, d, other, &f)) continue;
    bool any_a = false, any_b = false, loose = false;
    for (int i = 0; i < SIDE * SIDE; i++) {
      int va = dv_face_voxel(d, i % SIDE, i / SIDE), vb = dv_face_voxel_beyond(&f, i % SIDE, i / SIDE);
      bool material = dv_has_voxel(fa->voxels, va) && dv_has_voxel(fb->voxels, vb);
      bool cut = dv_has_voxel(fa->cut[d], va) || dv_has_voxel(fb->cut[f.direction], vb);
      bool these = before || (a->near->piece[va] == a->piece && b->near->piece[vb] == b->piece);
      if (material && !cut && these) return true;
      bool reached = before || (dv_has_voxel(a->near->reached, va) && dv_has_voxel(b->near->reached, vb));
      any_a = any_a || (material && (before || a->near->piece[va] == a->piece));
      any_b = any_b || (material && (before || b->near->piece[vb] == b->piece));
      loose = loose || (these && !cut && reached);
    }
    return loose && !(any_a && any_b);
  }
  return false;
}

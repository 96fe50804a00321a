// See cell_patterns.h.
#include "topology/search/cell_patterns.h"

static int edge_between(int a, int b)
{
  int axis = (a ^ b) == 1 ? 0 : (a ^ b) == 2 ? 1 : 2, low = a < b ? a : b;
  int u = low >> (axis + 1) % 3 & 1, v = low >> (axis + 2) % 3 & 1;
  return 4 * axis + u + 2 * v;
}

void dv_cell_edge_corner(int edge, int corner[3])
{
  int axis = edge / 4;
  corner[axis] = 0;
  corner[(axis + 1) % 3] = edge & 1;
  corner[(axis + 2) % 3] = edge >> 1 & 1;
}

// Two edges of a cell on one of its faces: the line between them may be in the cell behind that face as well.
static bool share_face(int a, int b)
{
  int faces[2][2];
  for (int n = 0; n < 2; n++) {
    int edge = n ? b : a, axis = edge / 4;
    faces[n][0] = 2 * ((axis + 1) % 3) + (edge & 1);
    faces[n][1] = 2 * ((axis + 2) % 3) + (edge >> 1 & 1);
  }
  return faces[0][0] == faces[1][0] || faces[0][0] == faces[1][1] || faces[0][1] == faces[1][0] ||
         faces[0][1] == faces[1][1];
}

// Triangles of the part of a ring from `first` to `last`, without lines inside of a face, so that no other cell has
// them. False when there are none.
static bool cut_ring(const int *ring, int first, int last, uint8_t *out, int *count)
{
  int before = *count;
  if (last - first < 2) return true;
  for (int k = first + 1; k < last; k++) {
    *count = before;
    bool left = k - first == 1 || !share_face(ring[first], ring[k]);
    bool right = last - k == 1 || !share_face(ring[k], ring[last]);
    if (!left || !right) continue;
    uint8_t *t = out + 1 + 3 * (*count)++;
    t[0] = (uint8_t)ring[first], t[1] = (uint8_t)ring[last], t[2] = (uint8_t)ring[k];
    if (cut_ring(ring, first, k, out, count) && cut_ring(ring, k, last, out, count)) return true;
  }
  *count = before;
  return false;
}

// Around a face, seen from outside of the cell, a crossing where the inside ends leads to the one where it began. Each
// edge is such an end for one of its two faces and a beginning for the other, so that crossings form rings.
static void make_pattern(int inside, uint8_t *out)
{
  int next[12];
  for (int e = 0; e < 12; e++) next[e] = -1;
  for (int face = 0; face < 6; face++) {
    int axis = face / 2, side = face % 2, u = 1 << (axis + 1) % 3, v = 1 << (axis + 2) % 3, ring[4];
    int base = side << axis, order[4] = {0, u, u | v, v};
    for (int k = 0; k < 4; k++) ring[k] = base | order[side ? k : 3 - k];
    for (int k = 0; k < 4; k++) {
      if (!(inside >> ring[k] & 1) || inside >> ring[(k + 1) % 4] & 1) continue;
      int begin = k;
      while (inside >> ring[(begin + 3) % 4] & 1) begin = (begin + 3) % 4;
      next[edge_between(ring[k], ring[(k + 1) % 4])] = edge_between(ring[(begin + 3) % 4], ring[begin]);
    }
  }
  int count = 0;
  bool done[12] = {false};
  for (int e = 0; e < 12; e++) {
    if (next[e] < 0 || done[e]) continue;
    int ring[12], length = 0;
    for (int at = e; !done[at]; at = next[at]) {
      done[at] = true;
      ring[length++] = at;
    }
    bool cut = cut_ring(ring, 0, length - 1, out, &count);
    DV_REQUIRE(cut);
  }
  out[0] = (uint8_t)count;
}

void dv_cell_patterns(uint8_t edges[256][DV_CELL_PATTERN])
{
  for (int inside = 0; inside < 256; inside++) make_pattern(inside, edges[inside]);
}

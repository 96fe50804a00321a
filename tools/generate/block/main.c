// generate_block CELLS OUT.msh [--binary]: a unit cube of CELLS x CELLS x CELLS cells, each cut into six tetrahedra.
//
// For measuring how fast large meshes are read: 55 cells make about a million tetrahedra. Points are numbered from 1 in
// the order x, y, z; all cells are cut along the same diagonal, so that neighbours fit. Writes Gmsh 2.2, as text or
// binary.
#include "base/array.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>

static void write_nodes(FILE *f, int n, bool binary)
{
  int id = 0;
  for (int k = 0; k <= n; k++)
    for (int j = 0; j <= n; j++)
      for (int i = 0; i <= n; i++) {
        const double x[3] = {(double)i / n, (double)j / n, (double)k / n};
        id++;
        if (binary) {
          fwrite(&id, sizeof id, 1, f);
          fwrite(x, sizeof x, 1, f);
        } else {
          fprintf(f, "%d %.17g %.17g %.17g\n", id, x[0], x[1], x[2]);
        }
      }
}

// the six paths from corner 0 to corner 7 along the axes
static void write_cell(FILE *f, int n, const int at[3], int *number, bool binary)
{
  static const int paths[6][2] = {{0, 1}, {1, 2}, {2, 0}, {1, 0}, {2, 1}, {0, 2}};
  const int step[3] = {1, n + 1, (n + 1) * (n + 1)};
  int first = 1 + at[0] + step[1] * at[1] + step[2] * at[2], last = first + step[0] + step[1] + step[2];
  for (int p = 0; p < 6; p++) {
    int a = first + step[paths[p][0]], b = a + step[paths[p][1]];
    bool turned = p >= 3;   // so that all have the same orientation
    const int element[7] = {++*number, 1, 1, first, turned ? b : a, turned ? a : b, last};
    if (binary) fwrite(element, sizeof element, 1, f);
    else fprintf(f, "%d 4 2 1 1 %d %d %d %d\n", element[0], element[3], element[4], element[5], element[6]);
  }
}

int main(int count, char **arguments)
{
  long n = count > 2 ? strtol(arguments[1], NULL, 10) : 0;
  bool binary = count == 4 && dv_same(arguments[3], "--binary");
  FILE *f = n > 0 && n <= 200 && (count == 3 || binary) ? fopen(arguments[2], "wb") : NULL;
  if (!f) {
    fprintf(
        stderr,
        "generate_block CELLS OUT.msh [--binary]: a cube of at most 200 x 200 x 200 cells of six tetrahedra each\n");
    return 2;
  }
  int elements = (int)(6 * n * n * n), header[3] = {4, elements, 2}, one = 1, number = 0;
  fprintf(f, "$MeshFormat\n2.2 %d 8\n", binary);
  if (binary) fwrite(&one, sizeof one, 1, f), fputc('\n', f);
  fprintf(f, "$EndMeshFormat\n$Nodes\n%ld\n", (n + 1) * (n + 1) * (n + 1));
  write_nodes(f, (int)n, binary);
  fprintf(f, "%s$EndNodes\n$Elements\n%d\n", binary ? "\n" : "", elements);
  if (binary) fwrite(header, sizeof header, 1, f);
  for (int k = 0; k < n; k++)
    for (int j = 0; j < n; j++)
      for (int i = 0; i < n; i++) write_cell(f, (int)n, (const int[]){i, j, k}, &number, binary);
  fprintf(f, "%s$EndElements\n", binary ? "\n" : "");
  if (fclose(f) == 0) return 0;
  fprintf(stderr, "%s cannot be written\n", arguments[2]);
  return 1;
}

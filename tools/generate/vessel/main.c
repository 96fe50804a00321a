// generate_vessel FILE.obj: a vessel that ends in an aneurysm, its wall seen from inside, in mm. The same bytes on
// every run.
//
// A surface of revolution about x: a pipe of radius 2 from x = -5 to 30, and a sphere of radius 6 that begins where it
// is as wide as the pipe.
#include <math.h>
#include <stdio.h>

enum { PIPE = 24, BULB = 14, SIDES = 18 };

static const double pipe_radius = 2, pipe_begin = -5, pipe_end = 30, bulb_radius = 6;

// ring i: its place along x and its radius
static void ring(int i, double *x, double *r)
{
  if (i <= PIPE) {
    *x = pipe_begin + (pipe_end - pipe_begin) * i / PIPE;
    *r = pipe_radius;
    return;
  }
  double first = acos(-1.0) - asin(pipe_radius / bulb_radius), angle = first * (1 - (double)(i - PIPE) / BULB);
  *x = pipe_end - bulb_radius * cos(first) + bulb_radius * cos(angle);
  *r = bulb_radius * sin(angle);
}

int main(int argc, char **argv)
{
  FILE *f = argc == 2 ? fopen(argv[1], "wb") : NULL;
  if (!f) {
    fprintf(stderr, "use: generate_vessel FILE.obj\n");
    return 1;
  }
  const int last = PIPE + BULB;   // a point
  double x, r;
  fprintf(f, "# a vessel that ends in an aneurysm: its wall, seen from inside\n");
  for (int i = 0; i < last; i++) {
    ring(i, &x, &r);
    for (int k = 0; k < SIDES; k++) {
      double angle = 2 * acos(-1.0) * k / SIDES;
      fprintf(f, "v %.4f %.4f %.4f\n", x, r * cos(angle) + 0.0, r * sin(angle) + 0.0);
    }
  }
  ring(last, &x, &r);
  fprintf(f, "v %.4f 0.0000 0.0000\n", x);
  for (int i = 0; i < last; i++)
    for (int k = 0; k < SIDES; k++) {
      int a = i * SIDES + k + 1, b = i * SIDES + (k + 1) % SIDES + 1, top = last * SIDES + 1;
      if (i + 1 == last) fprintf(f, "f %d %d %d\n", a, top, b);
      else fprintf(f, "f %d %d %d\nf %d %d %d\n", a, a + SIDES, b, b, a + SIDES, b + SIDES);
    }
  int failed = ferror(f);
  if (fclose(f) != 0 || failed) {
    fprintf(stderr, "generate_vessel: writing %s failed\n", argv[1]);
    return 1;
  }
  return 0;
}

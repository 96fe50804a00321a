// GenerateCylinder and GenerateSphere: meshes of tetrahedra and triangles.
#include "engine/classes.h"
#include "engine/engine.h"
#include "engine/generate/bezier.h"

#include "math/vec.h"

#define BODY_FIELDS(X)                                                                                                 \
  X(coords, output_TetrahedraPosition, "", "m", "points of the tetrahedra", .alias = "position output_position",       \
    .flags = DV_OUTPUT)                                                                                                \
  X(coords, output_TrianglesPosition, "", "m", "points of the triangles", .flags = DV_OUTPUT)                          \
  X(tetrahedra, tetrahedra, "", "", "tetrahedra", .flags = DV_OUTPUT)                                                  \
  X(triangles, triangles, "", "", "triangles of the surface", .flags = DV_OUTPUT)                                      \
  X(reals, BezierTriangleWeights, "", "", "with a degree: weights of the points of the triangles", .flags = DV_OUTPUT) \
  X(bools, isBezierTriangleRational, "", "", "with a degree: triangles that are curved", .flags = DV_OUTPUT)           \
  X(int, BezierTriangleDegree, "0", "", "from 2 on: also make control points of Bézier triangles of this degree",      \
    .flags = DV_INPUT)                                                                                                 \
  X(reals, BezierTetrahedronWeights, "", "", "with a degree: weights of the points of the tetrahedra",                 \
    .flags = DV_OUTPUT)                                                                                                \
  X(bools, isBezierTetrahedronRational, "", "", "with a degree: tetrahedra that are curved", .flags = DV_OUTPUT)       \
  X(int, BezierTetrahedronDegree, "0", "", "from 2 on: also make control points of Bézier tetrahedra of this degree",  \
    .flags = DV_INPUT)                                                                                                 \
  X(real, radius, "0.2", "m", "radius", .flags = DV_INPUT)                                                             \
  X(vec3, origin, "0 0 0", "m", "centre of the sphere, or of the cylinder's bottom", .flags = DV_INPUT)
#define CYLINDER_FIELDS(X)                                                                              \
  X(real, height, "1", "m", "height along z", .flags = DV_INPUT)                                        \
  X(bool, openSurface, "1", "", "leave the bottom and the top out of the triangles", .flags = DV_INPUT) \
  X(int, resCircumferential, "6", "", "points around", .flags = DV_INPUT)                               \
  X(int, resRadial, "3", "", "rings between the axis and the surface", .flags = DV_INPUT)               \
  X(int, resHeight, "5", "", "layers of points from bottom to top", .flags = DV_INPUT)
#define SPHERE_FIELDS(X)                                                                                      \
  X(int, tessellationDegree, "1", "", "parts that each edge of the solid is divided into", .flags = DV_INPUT) \
  X(string, platonicSolid, "icosahedron", "", "tetrahedron, octahedron or icosahedron", .flags = DV_INPUT)

typedef struct Body {
  dvObject base;
  BODY_FIELDS(DV_MEMBER)
  CYLINDER_FIELDS(DV_MEMBER)
  SPHERE_FIELDS(DV_MEMBER)
} Body;

#define SELF Body
static const dvFieldDesc cylinder_fields[] = {BODY_FIELDS(DV_DESCRIBE) CYLINDER_FIELDS(DV_DESCRIBE)};
static const dvFieldDesc sphere_fields[] = {BODY_FIELDS(DV_DESCRIBE) SPHERE_FIELDS(DV_DESCRIBE)};
#undef SELF

static void body_clear(Body *b)
{
  dvReals *reals[] = {&b->output_TetrahedraPosition, &b->output_TrianglesPosition, &b->BezierTriangleWeights,
                      &b->BezierTetrahedronWeights};
  dvInts *ints[] = {&b->tetrahedra, &b->triangles, &b->isBezierTriangleRational, &b->isBezierTetrahedronRational};
  for (size_t i = 0; i < 4; i++) {
    DV_MUST(dv_reals_resize(reals[i], 0));
    DV_MUST(dv_ints_resize(ints[i], 0));
  }
}

static dvStatus body_check(const Body *b)
{
  const dvObject *o = &b->base;
  if (!(b->radius > 0)) return dv_field_error(o, &b->radius, NULL, "the radius is %g; give a positive one", b->radius);
  const int32_t *degrees[] = {&b->BezierTriangleDegree, &b->BezierTetrahedronDegree};
  for (int i = 0; i < 2; i++)
    if (*degrees[i] < 0 || *degrees[i] > DV_BEZIER_LIMIT)
      return dv_field_error(o, degrees[i], NULL, "a degree of %d is not between 0 and %d", *degrees[i],
                            DV_BEZIER_LIMIT);
  return DV_OK;
}

static bool add_vec(dvReals *list, dvVec3 p)
{
  double x[3];
  dv_vec3_store(x, p);
  return dv_engine_add_reals(list, x, 3);
}

static bool add_tetrahedron(Body *b, const int32_t *c, const int8_t pick[4])
{
  return dv_engine_add_ints(&b->tetrahedra, (int32_t[]){c[pick[0]], c[pick[1]], c[pick[2]], c[pick[3]]}, 4);
}

static bool add_triangle(Body *b, int32_t i, int32_t j, int32_t k)
{
  return dv_engine_add_ints(&b->triangles, (int32_t[]){i, j, k}, 3);
}

// control points, and which elements have an edge that is not straight
static bool add_control_points(int degree, const dvInts *elements, dvBezierEdge edge, const void *user, dvReals *x,
                               dvReals *weights, dvInts *curved)
{
  if (degree < 2) return true;
  size_t width = (size_t)elements->width, n = dv_ints_size(elements);
  if (!dv_ints_resize(curved, n)) return false;
  for (size_t i = 0; i < n; i++)
    for (size_t a = 0; a < width; a++)
      for (size_t c = a + 1; c < width; c++) {
        double polygon[4][4];
        if (edge(user, x->data, elements->data[i * width + a], elements->data[i * width + c], polygon) > 1)
          curved->data[i] = 1;
      }
  return dv_bezier_points(&(dvBezier){degree, elements, edge, user}, x, weights);
}

static void set_point(double h[4], dvVec3 p, double weight)
{
  dv_vec3_store(h, dv_vec3_scale(p, weight));
  h[3] = weight;
}

// --- cylinder ------------------------------------------------------------------------------------

static dvVec3 cylinder_point(const Body *b, double r, int around, double z)
{
  double angle = around * 2 * acos(-1.0) / b->resCircumferential;
  return dv_vec3_add(dv_vec3(r * cos(angle), r * sin(angle), z), dv_vec3_load(b->origin));
}

static double layer_height(const Body *b, int layer) { return layer * b->height / (b->resHeight - 1); }

// layer by layer, in each the axis first, then the rings from the inside
static bool cylinder_points(Body *b)
{
  bool good = true;
  for (int i = 0; i < b->resHeight && good; i++) {
    good = add_vec(&b->output_TetrahedraPosition, cylinder_point(b, 0, 0, layer_height(b, i)));
    for (int j = 1; j <= b->resRadial && good; j++)
      for (int k = 0; k < b->resCircumferential && good; k++)
        good = add_vec(&b->output_TetrahedraPosition,
                       cylinder_point(b, j * b->radius / b->resRadial, k, layer_height(b, i)));
  }
  return good;
}

// prisms around the axis in three, the other cells in six
static bool cylinder_tetrahedra(Body *b)
{
  static const int8_t three[3][4] = {{1, 0, 2, 3}, {1, 2, 4, 3}, {3, 4, 5, 2}};
  static const int8_t six[6][4] = {{0, 5, 4, 7}, {0, 1, 5, 3}, {5, 0, 3, 7}, {0, 3, 7, 2}, {7, 0, 2, 4}, {6, 7, 2, 4}};
  int32_t n = b->resCircumferential, layer = n * b->resRadial + 1;
  bool good = true;
  for (int32_t i = 1; i < b->resHeight && good; i++) {
    int32_t centre = i * layer;
    for (int32_t k = 1; k <= n && good; k++) {
      int32_t before = k == 1 ? n : k - 1,
              c[6] = {centre, centre + before, centre + k, centre - layer, centre + before - layer, centre + k - layer};
      for (int t = 0; t < 3 && good; t++) good = add_tetrahedron(b, c, three[t]);
    }
    for (int32_t j = 1; j < b->resRadial; j++, centre += n)
      for (int32_t k = 1; k <= n && good; k++) {
        int32_t before = k == 1 ? n : k - 1, c[8] = {centre + k, centre + before, centre + k + n, centre + before + n};
        for (int m = 0; m < 4; m++) c[m + 4] = c[m] - layer;
        for (int t = 0; t < 6 && good; t++) good = add_tetrahedron(b, c, six[t]);
      }
  }
  return good;
}

// two triangles between points k and k + 1 of an inner and an outer ring; `up`: seen from above
static bool add_ring(Body *b, int32_t inner, int32_t outer, bool up)
{
  int32_t n = b->resCircumferential;
  bool good = true;
  for (int32_t k = 0; k < n && good; k++) {
    int32_t a = inner + k, c = outer + k, d = outer + (k + 1) % n, e = inner + (k + 1) % n;
    good = up ? add_triangle(b, a, c, d) && add_triangle(b, a, d, e)
              : add_triangle(b, a, d, c) && add_triangle(b, a, e, d);
  }
  return good;
}

static bool cylinder_ends(Body *b)
{
  int32_t n = b->resCircumferential;
  bool good = true;
  for (int end = 0; end < 2 && good; end++) {
    int32_t centre = (int32_t)(b->output_TrianglesPosition.count / 3), border = end * (b->resHeight - 1) * n;
    good = add_vec(&b->output_TrianglesPosition, cylinder_point(b, 0, 0, end * b->height));
    for (int j = 1; j < b->resRadial && good; j++)
      for (int k = 0; k < n && good; k++)
        good =
            add_vec(&b->output_TrianglesPosition, cylinder_point(b, j * b->radius / b->resRadial, k, end * b->height));
    int32_t ring = b->resRadial > 1 ? centre + 1 : border;
    for (int32_t k = 0; k < n && good; k++)
      good = end ? add_triangle(b, centre, ring + k, ring + (k + 1) % n)
                 : add_triangle(b, centre, ring + (k + 1) % n, ring + k);
    for (int32_t j = 1; j < b->resRadial && good; j++, ring += n)
      good = add_ring(b, ring, j == b->resRadial - 1 ? border : ring + n, end == 1);
  }
  return good;
}

static bool cylinder_surface(Body *b)
{
  int32_t n = b->resCircumferential;
  bool good = true;
  for (int i = 0; i < b->resHeight && good; i++)
    for (int k = 0; k < n && good; k++)
      good = add_vec(&b->output_TrianglesPosition, cylinder_point(b, b->radius, k, layer_height(b, i)));
  for (int32_t i = 1; i < b->resHeight && good; i++)
    for (int32_t k = 0; k < n && good; k++) {
      int32_t next = (k + 1) % n;
      good = add_triangle(b, i * n + k, (i - 1) * n + k, (i - 1) * n + next) &&
             add_triangle(b, i * n + k, (i - 1) * n + next, i * n + next);
    }
  return good && (b->openSurface || cylinder_ends(b));
}

// around the cylinder an arc of a circle; on a diagonal of a cell a cubic, the diagonal of the patch circle x height
static int cylinder_edge(const void *user, const double *x, int32_t i, int32_t j, double h[4][4])
{
  const Body *c = user;
  dvVec3 o = dv_vec3_load(c->origin), a = dv_vec3_sub(dv_vec3_load(x + 3 * i), o),
         b = dv_vec3_sub(dv_vec3_load(x + 3 * j), o);
  double limit = c->radius * 1e-9, w = cos(acos(-1.0) / c->resCircumferential);
  bool curved = fabs(hypot(a.x, a.y) - c->radius) < limit && fabs(hypot(b.x, b.y) - c->radius) < limit &&
                hypot(a.x - b.x, a.y - b.y) > limit;
  dvVec3 middle = dv_vec3(0.5 * (a.x + b.x), 0.5 * (a.y + b.y), 0);
  double length = dv_vec3_norm(middle);
  set_point(h[0], dv_vec3_add(a, o), 1);
  set_point(h[1], dv_vec3_add(b, o), 1);
  if (!curved || !(length > limit)) return 1;
  middle = dv_vec3_scale(middle, c->radius / (length * w));
  if (fabs(a.z - b.z) < limit || dv_max_int(c->BezierTriangleDegree, c->BezierTetrahedronDegree) == 2) {
    middle.z = 0.5 * (a.z + b.z);
    set_point(h[1], dv_vec3_add(middle, o), w);
    set_point(h[2], dv_vec3_add(b, o), 1);
    return 2;
  }
  for (int end = 0; end < 2; end++) {
    dvVec3 corner = end ? b : a, near = middle;
    near.z = corner.z;
    corner.z = end ? a.z : b.z;
    dvVec3 sum = dv_vec3_add(dv_vec3_scale(dv_vec3_add(near, o), 2 * w), dv_vec3_add(corner, o));
    dv_vec3_store(h[1 + end], dv_vec3_scale(sum, 1.0 / 3));
    h[1 + end][3] = (1 + 2 * w) / 3;
  }
  set_point(h[3], dv_vec3_add(b, o), 1);
  return 3;
}

static dvStatus cylinder_update(dvObject *o)
{
  Body *b = (Body *)o;
  DV_TRY(body_check(b));
  double points = ((double)b->resCircumferential * b->resRadial + 1) * b->resHeight;
  if (b->resCircumferential < 3 || b->resRadial < 1 || b->resHeight < 2)
    return dv_field_error(o, &b->resCircumferential, "give at least 3 around, 1 along the radius and 2 layers",
                          "a cylinder of %d x %d x %d points cannot be made", b->resCircumferential, b->resRadial,
                          b->resHeight);
  if (points > DV_POINT_LIMIT)
    return dv_field_error(o, &b->resCircumferential, "use fewer", "%.0f points are too many", points);
  if (b->BezierTriangleDegree > 1 && b->BezierTetrahedronDegree > 1 &&
      (b->BezierTriangleDegree == 2) != (b->BezierTetrahedronDegree == 2))
    return dv_field_error(o, &b->BezierTriangleDegree, "give both the same degree",
                          "triangles of degree %d do not fit tetrahedra of degree %d", b->BezierTriangleDegree,
                          b->BezierTetrahedronDegree);
  body_clear(b);
  bool good =
      cylinder_points(b) && cylinder_tetrahedra(b) && cylinder_surface(b) &&
      add_control_points(b->BezierTetrahedronDegree, &b->tetrahedra, cylinder_edge, b, &b->output_TetrahedraPosition,
                         &b->BezierTetrahedronWeights, &b->isBezierTetrahedronRational) &&
      add_control_points(b->BezierTriangleDegree, &b->triangles, cylinder_edge, b, &b->output_TrianglesPosition,
                         &b->BezierTriangleWeights, &b->isBezierTriangleRational);
  return good ? DV_OK : dv_engine_no_memory(o);
}

DV_ENGINE_CLASS(dv_generate_cylinder_class, "GenerateCylinder",
                "makes a cylinder of tetrahedra and its surface of triangles", DV_GENERATE_MODULE, DV_DOF_VEC3, Body,
                .blocks = {&dv_object_block, DV_BLOCK(cylinder_fields)}, .update = cylinder_update);

// --- sphere --------------------------------------------------------------------------------------

// A solid: corners (made of length 1), edges and faces.
typedef struct Solid {
  const char *name;
  int corners, edges, faces;
  const double (*x)[3];
  const int8_t (*edge)[2], (*face)[3];
} Solid;

static const double tetrahedron_x[4][3] = {{0, 0, 3},
                                           {0, 2.8284271247461903, -1},
                                           {-2.4494897427831779, -1.4142135623730951, -1},
                                           {2.4494897427831779, -1.4142135623730951, -1}};
static const int8_t tetrahedron_edge[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
static const int8_t tetrahedron_face[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
static const double octahedron_x[6][3] = {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}, {0, 0, -1}, {-1, 0, 0}, {0, -1, 0}};
static const int8_t octahedron_edge[12][2] = {{0, 1}, {0, 2}, {0, 4}, {0, 5}, {1, 2}, {1, 3},
                                              {1, 5}, {2, 3}, {2, 4}, {3, 4}, {3, 5}, {4, 5}};
static const int8_t octahedron_face[8][3] = {{0, 1, 2}, {0, 2, 4}, {0, 4, 5}, {0, 5, 1},
                                             {1, 5, 3}, {1, 3, 2}, {3, 5, 4}, {2, 3, 4}};
// twelve corners in SOFA's orientation and numbering
static const double icosahedron_x[12][3] = {{0.4249358858193742, -0.6234212590752522, -0.901521749427252},
                                            {-0.5999406907417391, 0.05914133178387721, -1.009227188986324},
                                            {0.4980672603913731, 0.6101449500603583, -0.872707378430782},
                                            {1.170388006823068, -0.06734654200022822, -0.0873067158600265},
                                            {0.4878971283264427, -1.037062929459035, 0.2615777778398508},
                                            {-0.606226178027942, -0.958889124295748, -0.3082004094765843},
                                            {-0.4249358858193759, 0.6234212590752533, 0.90152174942725},
                                            {0.5999406907417364, -0.05914133178387813, 1.009227188986327},
                                            {-0.4980672603913764, -0.6101449500603557, 0.87270737843078},
                                            {-1.170388006823072, 0.0673465420002311, 0.0873067158600247},
                                            {-0.4878971283264417, 1.037062929459036, -0.2615777778398516},
                                            {0.606226178027942, 0.958889124295747, 0.3082004094765856}};
static const int8_t icosahedron_edge[30][2] = {{0, 1},  {0, 2}, {0, 3},  {0, 4},  {0, 5},  {1, 2},  {1, 5},  {1, 9},
                                               {1, 10}, {2, 3}, {2, 10}, {2, 11}, {3, 4},  {3, 7},  {3, 11}, {4, 5},
                                               {4, 7},  {4, 8}, {5, 8},  {5, 9},  {6, 7},  {6, 8},  {6, 9},  {6, 10},
                                               {6, 11}, {7, 8}, {7, 11}, {8, 9},  {9, 10}, {10, 11}};
static const int8_t icosahedron_face[20][3] = {
    {0, 1, 5}, {0, 2, 1},  {0, 3, 2}, {0, 4, 3}, {0, 5, 4}, {1, 2, 10}, {1, 9, 5}, {1, 10, 9}, {2, 3, 11},  {2, 11, 10},
    {3, 4, 7}, {3, 7, 11}, {4, 5, 8}, {4, 8, 7}, {5, 9, 8}, {6, 7, 8},  {6, 8, 9}, {6, 9, 10}, {6, 10, 11}, {6, 11, 7}};
static const Solid solids[] = {
    {"tetrahedron", 4, 6, 4, tetrahedron_x, tetrahedron_edge, tetrahedron_face},
    {"octahedron", 6, 12, 8, octahedron_x, octahedron_edge, octahedron_face},
    {"icosahedron", 12, 30, 20, icosahedron_x, icosahedron_edge, icosahedron_face},
};

static dvVec3 sphere_point(const Body *b, int32_t i)
{
  return dv_vec3_load(b->output_TrianglesPosition.data + 3 * (size_t)i);
}

// corners, then points at equal angles along each edge
static bool sphere_frame(Body *b, const Solid *s)
{
  bool good = true;
  for (int i = 0; i < s->corners && good; i++)
    good = add_vec(&b->output_TrianglesPosition, dv_vec3_normalise(dv_vec3_load(s->x[i])));
  for (int e = 0; e < s->edges && good; e++) {
    dvVec3 a = sphere_point(b, s->edge[e][0]), c = sphere_point(b, s->edge[e][1]);
    dvVec3 side = dv_vec3_normalise(dv_vec3_cross(dv_vec3_cross(a, c), a));
    double angle = acos(dv_vec3_dot(a, c));
    for (int j = 1; j < b->tessellationDegree && good; j++) {
      double part = (double)j / b->tessellationDegree * angle;
      good = add_vec(&b->output_TrianglesPosition,
                     dv_vec3_add(dv_vec3_scale(a, cos(part)), dv_vec3_scale(side, sin(part))));
    }
  }
  return good;
}

// number of the point with parts i, j, k of the corners of a face; points inside of it begin at `inside`
static int32_t sphere_number(const Body *b, const Solid *s, const int8_t *face, int32_t inside, const int part[3])
{
  int n = b->tessellationDegree;
  for (int c = 0; c < 3; c++) {
    if (part[c] == n) return face[c];
    if (part[c] != 0) continue;
    int from = face[(c + 1) % 3], to = face[(c + 2) % 3],
        k = part[(c + 2) % 3];   // k steps from the first to the second
    if (k == 0 || k == n) continue;
    for (int e = 0; e < s->edges; e++) {
      if (s->edge[e][0] == from && s->edge[e][1] == to) return s->corners + e * (n - 1) + k - 1;
      if (s->edge[e][0] == to && s->edge[e][1] == from) return s->corners + e * (n - 1) + n - k - 1;
    }
  }
  // inside: the first part rises slowest, and there are n - j - 1 points where it is j
  return inside + (part[0] - 1) * (n - 1) - part[0] * (part[0] - 1) / 2 + part[1] - 1;
}

static bool sphere_face(Body *b, const Solid *s, const int8_t *face)
{
  int n = b->tessellationDegree;
  int32_t inside = (int32_t)(b->output_TrianglesPosition.count / 3);
  bool good = true;
  for (int j = 1; j < n && good; j++)
    for (int k = 1; k < n - j && good; k++) {
      dvVec3 p = dv_vec3_add(dv_vec3_scale(sphere_point(b, face[0]), j), dv_vec3_scale(sphere_point(b, face[1]), k));
      good = add_vec(&b->output_TrianglesPosition,
                     dv_vec3_normalise(dv_vec3_add(p, dv_vec3_scale(sphere_point(b, face[2]), n - j - k))));
    }
  for (int i = 1; i <= n && good; i++)
    for (int j = 0; j <= n - i && good; j++) {
      int k = n - i - j;
      int32_t a = sphere_number(b, s, face, inside, (int[]){i, j, k}),
              c = sphere_number(b, s, face, inside, (int[]){i - 1, j + 1, k}),
              d = sphere_number(b, s, face, inside, (int[]){i - 1, j, k + 1});
      good = add_triangle(b, a, c, d);
      if (good && k > 0) good = add_triangle(b, a, sphere_number(b, s, face, inside, (int[]){i, j + 1, k - 1}), c);
    }
  return good;
}

static bool sphere_tetrahedra(Body *b, const Solid *s)
{
  if (s->corners == 4 && b->tessellationDegree == 1)
    return dv_reals_assign(&b->output_TetrahedraPosition, b->output_TrianglesPosition.data, 12) &&
           dv_ints_assign(&b->tetrahedra, (int32_t[]){0, 1, 2, 3}, 4);
  bool good = add_vec(&b->output_TetrahedraPosition, dv_vec3(0, 0, 0)) &&
              dv_engine_add_reals(&b->output_TetrahedraPosition, b->output_TrianglesPosition.data,
                                  b->output_TrianglesPosition.count);
  for (size_t i = 0; i + 3 <= b->triangles.count && good; i += 3) {
    const int32_t *t = b->triangles.data + i;
    good = dv_engine_add_ints(&b->tetrahedra, (int32_t[]){0, t[0] + 1, t[1] + 1, t[2] + 1}, 4);
  }
  return good;
}

// arcs of great circles between points of the unit sphere
static int sphere_edge(const void *user, const double *x, int32_t i, int32_t j, double h[4][4])
{
  DV_UNUSED(user);
  dvVec3 a = dv_vec3_load(x + 3 * i), b = dv_vec3_load(x + 3 * j);
  set_point(h[0], a, 1);
  set_point(h[1], b, 1);
  if (fabs(dv_vec3_norm2(a) - 1) > 1e-4 || fabs(dv_vec3_norm2(b) - 1) > 1e-4) return 1;
  double w = dv_vec3_norm(dv_vec3_scale(dv_vec3_add(a, b), 0.5));   // the cosine of half the angle
  set_point(h[1], dv_vec3_scale(dv_vec3_add(a, b), 0.5 / (w * w)), w);
  set_point(h[2], b, 1);
  return 2;
}

static dvStatus sphere_update(dvObject *o)
{
  Body *b = (Body *)o;
  const Solid *s = NULL;
  DV_TRY(body_check(b));
  for (size_t i = 0; i < DV_COUNT(solids); i++)
    if (dv_same_nocase(b->platonicSolid, solids[i].name)) s = &solids[i];
  if (!s)
    return dv_field_error(o, &b->platonicSolid, "give tetrahedron, octahedron or icosahedron",
                          "no sphere can be made from a '%s'", b->platonicSolid);
  double n = b->tessellationDegree;
  if (n < 1 || s->faces * n * n > DV_POINT_LIMIT)
    return dv_field_error(o, &b->tessellationDegree, "give 1 or more", "edges cannot be divided into %d parts",
                          b->tessellationDegree);
  body_clear(b);
  bool good = sphere_frame(b, s);
  for (int f = 0; f < s->faces && good; f++) good = sphere_face(b, s, s->face[f]);
  good = good && sphere_tetrahedra(b, s) &&
         add_control_points(b->BezierTetrahedronDegree, &b->tetrahedra, sphere_edge, b, &b->output_TetrahedraPosition,
                            &b->BezierTetrahedronWeights, &b->isBezierTetrahedronRational) &&
         add_control_points(b->BezierTriangleDegree, &b->triangles, sphere_edge, b, &b->output_TrianglesPosition,
                            &b->BezierTriangleWeights, &b->isBezierTriangleRational);
  dvReals *lists[] = {&b->output_TrianglesPosition, &b->output_TetrahedraPosition};
  for (int k = 0; k < 2 && good; k++)
    for (size_t i = 0; i < lists[k]->count; i++) lists[k]->data[i] = lists[k]->data[i] * b->radius + b->origin[i % 3];
  return good ? DV_OK : dv_engine_no_memory(o);
}

DV_ENGINE_CLASS(dv_generate_sphere_class, "GenerateSphere", "makes a ball of tetrahedra and its surface of triangles",
                DV_GENERATE_MODULE, DV_DOF_VEC3, Body, .blocks = {&dv_object_block, DV_BLOCK(sphere_fields)},
                .update = sphere_update);

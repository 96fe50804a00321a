// Springs against bending, between the points that face each other across an edge of a surface.
//
//   TriangularBendingSprings, QuadularBendingSprings  an edge of exactly two faces; lengths at rest from the rest
//   positions TriangleBendingSprings, QuadBendingSprings        every face after the first at an edge; lengths from the
//   first positions, which springs keep when the surface changes
//
// An edge of two triangles gets one spring, between the points opposite to it; an edge of two quads gets two, each
// between the neighbours of one of its ends. The equations stand in spring.h.
#include "force/spring/spring_force.h"

extern const dvClass dv_triangular_bending_class, dv_quadular_bending_class, dv_triangle_bending_class,
    dv_quad_bending_class;

static const double shortest_bending = 1e-4;   // below this length the first two give no force

// --- TriangularBendingSprings, QuadularBendingSprings --------------------------------------------

#define BENDING_FIELDS(X)                                                                                       \
  X(real, stiffness, "100000", "N/m", "stiffness of every spring", .least = "0")                                \
  X(real, damping, "1", "N s/m", "damping of every spring")                                                     \
  X(bool, showSprings, "1", "", "draw the springs", .flags = DV_LOOKS)                                          \
  X(string, edgeInfo, "", "", "springs of the edges, kept by the component", .flags = DV_HIDDEN | DV_READ_ONLY) \
  X(link, topology, "", "", "topology with the surface; the one of the node or above by default",               \
    .role = DV_ROLE_TOPOLOGY)

typedef struct Bending {
  dvForce force;
  BENDING_FIELDS(DV_MEMBER)
  dvSprings springs;
  dvBonds bonds;
} Bending;

#define SELF Bending
static const dvFieldDesc bending_fields[] = {BENDING_FIELDS(DV_DESCRIBE)};
#undef SELF

typedef struct Side {
  int32_t face, corner;   // the edge runs from point `corner` + 1 of the face to `corner` + 2
} Side;

typedef struct Crease {   // an edge and the faces around it, up to two
  int32_t ends[2];
  int count;
  Side sides[2];
} Crease;

typedef DV_ARRAY(Crease) Creases;

// edges in the order in which the faces name them: those that are wanted, of some faces or, with NULL, of all
static void find_creases(const dvBonds *bonds, const dvInts *faces, const dvNumbers *some, Creases *out)
{
  dvPairMap edges = {0};
  int points = faces->width;
  for (size_t i = 0; i < (some ? some->count : dv_ints_size(faces)); i++)
    for (int k = 0; k < points; k++) {
      size_t f = some ? (size_t)some->data[i] : i;
      const int32_t *p = faces->data + f * (size_t)points, from = p[(k + 1) % points], to = p[(k + 2) % points];
      bool fresh;
      if (!dv_bonds_want(bonds, from, to)) continue;
      int32_t *index = dv_pair_map_get(&edges, from, to, &fresh);
      if (fresh) {
        index[0] = (int32_t)out->count;
        dv_push(out, ((Crease){.ends = {from, to}}));
      }
      Crease *c = &out->data[index[0]];
      if (c->count < 2) c->sides[c->count] = (Side){(int32_t)f, k};
      c->count++;
    }
  dv_pair_map_free(&edges);
}

static void add_bending(Bending *b, const Crease *c, int32_t p, int32_t q)
{
  dvState *state = b->force.state;
  double rest = dv_spring_distance(state->base.dof, dv_state_read(state, DV_X_REST), p, q);
  dvSpring s = dv_spring(p, q, b->stiffness, b->damping, rest);
  s.low = shortest_bending;
  const int32_t own[4] = {c->ends[0], c->ends[1], p, q};
  DV_BONDS_PUSH(&b->bonds, &b->springs.list, own, s);
}

static void make_springs(Bending *b, const dvInts *faces, const dvNumbers *some)
{
  bool quads = faces->width == 4;
  Creases creases = {0};
  find_creases(&b->bonds, faces, some, &creases);
  for (size_t i = 0; i < creases.count; i++) {
    const Crease *c = &creases.data[i];
    if (c->count != 2) continue;
    // the second face is the one SOFA meets first
    const int32_t *t2 = faces->data + c->sides[0].face * faces->width,
                  *t1 = faces->data + c->sides[1].face * faces->width;
    int i2 = c->sides[0].corner, i1 = c->sides[1].corner;
    if (quads) {
      add_bending(b, c, t1[i1], t2[(i2 + 3) % 4]);
      add_bending(b, c, t1[(i1 + 3) % 4], t2[i2]);
    } else add_bending(b, c, t1[i1], t2[i2]);
  }
  dv_array_free(&creases);
}

static dvElementKind kind_of(const dvObject *o) { return o->cls == &dv_quadular_bending_class ? DV_QUAD : DV_TRIANGLE; }

static dvStatus bending_reinit(dvObject *o)
{
  Bending *b = (Bending *)o;
  dvTopology *mesh = dv_topology(b->topology.target);
  const dvInts *faces = dv_force_elements(o, mesh, kind_of(o), b->force.state);
  b->bonds.width = 4;
  dv_bonds_clear(&b->bonds, &b->springs.list);
  if (!faces) return DV_ERROR_INPUT;
  make_springs(b, faces, NULL);
  DV_TRY(dv_bonds_follow(&b->bonds, o, mesh, DV_COLUMN_OF(&b->springs.list)));
  return dv_springs_settle(&b->springs, o, b->force.state, b->force.state);
}

static bool patch(dvObject *o)
{
  Bending *b = (Bending *)o;
  dvTopology *mesh = dv_topology(b->topology.target);
  if (!dv_bonds_begin(&b->bonds, mesh, kind_of(o), 0)) return false;
  make_springs(b, dv_topology_elements(mesh, kind_of(o)), dv_bonds_elements(&b->bonds, mesh, kind_of(o)));
  dv_bonds_end(&b->bonds, mesh);
  return dv_springs_patch_bonds(&b->springs, b->force.state, mesh, &b->bonds);
}

static void bending_topology_changed(dvObject *o)
{
  dv_force_patch_or_remake(o, dv_topology(((Bending *)o)->topology.target), patch);
}

static dvStatus bending_init(dvObject *o)
{
  Bending *b = (Bending *)o;
  DV_TRY(dv_force_init(o));
  if (!dv_force_topology(o, &b->topology)) return DV_ERROR_INPUT;
  DV_TRY(bending_reinit(o));
  if (b->springs.list.count == 0)
    dv_warning(o, NULL, "%s has no edge between two faces: there are no springs", b->topology.target->name);
  return DV_OK;
}

static void bending_add_force(dvObject *o, const dvMech *m)
{
  Bending *b = (Bending *)o;
  dv_springs_add_force(&b->springs, b->force.state, b->force.state, m);
}

static void bending_add_dforce(dvObject *o, const dvMech *m)
{
  Bending *b = (Bending *)o;
  dv_springs_add_dforce(&b->springs, b->force.state, b->force.state, m, dv_mech_k(m, b->force.rayleighStiffness));
}

static void bending_add_stiffness(dvObject *o, const dvMech *m, dvMatrixSink *sink)
{
  Bending *b = (Bending *)o;
  dv_springs_add_stiffness(&b->springs, b->force.state, b->force.state, dv_mech_k(m, b->force.rayleighStiffness), sink);
}

static double bending_energy(dvObject *o, const dvMech *m)
{
  Bending *b = (Bending *)o;
  return dv_springs_energy(&b->springs, b->force.state, b->force.state, m->x);
}

static void bending_pairs(dvObject *o, dvInts *out) { dv_springs_pairs(&((Bending *)o)->springs, out); }

static void bending_destroy(dvObject *o)
{
  dv_springs_free(&((Bending *)o)->springs);
  dv_bonds_free(&((Bending *)o)->bonds);
}

static const dvForceOps bending_ops = {
    .add_force = bending_add_force,
    .add_dforce = bending_add_dforce,
    .add_stiffness = bending_add_stiffness,
    .energy = bending_energy,
    DV_FORCE_SLOTS,
    .pairs = bending_pairs,
};

#define BENDING(variable, name_, help_)                                        \
  const dvClass variable = {                                                   \
      .struct_size = sizeof(dvClass),                                          \
      .name = name_,                                                           \
      .help = help_,                                                           \
      .module = "Sofa.Component.SolidMechanics.Spring",                        \
      .dofs = DV_DOF_VEC3,                                                     \
      .size = sizeof(Bending),                                                 \
      .blocks = {&dv_object_block, &dv_force_block, DV_BLOCK(bending_fields)}, \
      .ops = {[DV_ROLE_FORCE] = &bending_ops},                                 \
      .init = bending_init,                                                    \
      .reinit = bending_reinit,                                                \
      .destroy = bending_destroy,                                              \
      .topology_changed = bending_topology_changed,                            \
  };

BENDING(dv_triangular_bending_class, "TriangularBendingSprings",
        "springs against bending across the edges between triangles")
BENDING(dv_quadular_bending_class, "QuadularBendingSprings", "springs against bending across the edges between quads")

// --- TriangleBendingSprings, QuadBendingSprings: SpringForceField filled from the faces ----------

#define FACE_BENDING_FIELDS(X)                                                                    \
  X(link, topology, "", "", "topology with the surface; the one of the node or above by default", \
    .role = DV_ROLE_TOPOLOGY)
#define QUAD_BENDING_FIELDS(X)      \
  X(ivec2, localRange, "-1 -1", "", \
    "first and last point: springs with both ends before or both behind are left out; -1: no limit")

typedef struct FaceBending {
  dvSpringForce force;
  FACE_BENDING_FIELDS(DV_MEMBER)
  QUAD_BENDING_FIELDS(DV_MEMBER)
  dvPairMap edges, pairs;   // while springs are made
  size_t given;             // springs that are not of the surface
  double ks, kd;
  dvReals first;   // positions at the start
} FaceBending;

#define SELF FaceBending
static const dvFieldDesc face_bending_fields[] = {FACE_BENDING_FIELDS(DV_DESCRIBE)};
static const dvFieldDesc quad_bending_fields[] = {QUAD_BENDING_FIELDS(DV_DESCRIBE)};
#undef SELF

static void add_face_spring(FaceBending *b, const int32_t home[2], int32_t p, int32_t q)
{
  dvSpringForce *f = &b->force;
  if (p == q) return;   // SOFA lists it, but it never acts
  const int32_t own[4] = {home[0], home[1], p, q};
  DV_BONDS_PUSH(&f->bonds, &f->springs.list, own,
                dv_spring(p, q, b->ks, b->kd, dv_spring_distance(f->pair.first->base.dof, b->first.data, p, q)));
}

// at home at its own ends: which edge it comes from does not matter
static void add_distinct_spring(FaceBending *b, int32_t p, int32_t q)
{
  const int32_t *r = b->localRange, ends[2] = {p < q ? p : q, p < q ? q : p};
  bool fresh;
  if ((r[0] >= 0 && p < r[0] && q < r[0]) || (r[1] >= 0 && p > r[1] && q > r[1])) return;
  if (!dv_bonds_want(&b->force.bonds, p, q)) return;
  dv_pair_map_get(&b->pairs, p, q, &fresh);
  if (fresh) add_face_spring(b, ends, p, q);
}

static void add_triangle(FaceBending *b, int32_t p0, int32_t p1, int32_t p2)
{
  const int32_t p[3] = {p0, p1, p2};
  for (int k = 0; k < 3; k++) {
    const int32_t edge[2] = {p[k], p[(k + 1) % 3]};
    bool fresh;
    if (!dv_bonds_want(&b->force.bonds, edge[0], edge[1])) continue;
    int32_t *opposite = dv_pair_map_get(&b->edges, edge[0], edge[1], &fresh);
    if (fresh) opposite[0] = p[(k + 2) % 3];
    else add_face_spring(b, edge, p[(k + 2) % 3], opposite[0]);
  }
}

static void add_quad(FaceBending *b, const int32_t *p)
{
  for (int k = 0; k < 4; k++) {
    // the edge (from, to), and the neighbours of its ends
    int32_t from = p[k], to = p[(k + 1) % 4], beside_from = p[(k + 3) % 4], beside_to = p[(k + 2) % 4];
    int32_t low = from < to ? beside_from : beside_to, high = from < to ? beside_to : beside_from;
    bool fresh;
    int32_t *other = dv_pair_map_get(&b->edges, from, to, &fresh);
    if (fresh) {
      other[0] = low;
      other[1] = high;
    } else {
      add_distinct_spring(b, low, other[0]);
      add_distinct_spring(b, high, other[1]);
    }
  }
}

static void add_face(FaceBending *b, const int32_t *p, dvElementKind kind)
{
  if (kind == DV_TRIANGLE) add_triangle(b, p[0], p[1], p[2]);
  else if (b->force.pair.base.cls == &dv_quad_bending_class) add_quad(b, p);
  else {
    add_triangle(b, p[0], p[1], p[2]);
    add_triangle(b, p[0], p[2], p[3]);
  }
}

// of all faces, or those that a batch of changes concerns
static void make_face_springs(FaceBending *b, dvTopology *t)
{
  dvBonds *bonds = &b->force.bonds;
  bool only_quads = b->force.pair.base.cls == &dv_quad_bending_class;
  for (dvElementKind kind = only_quads ? DV_QUAD : DV_TRIANGLE; kind <= DV_QUAD; kind++) {
    const dvInts *faces = dv_topology_elements(t, kind);
    const dvNumbers *some = bonds->patching ? dv_bonds_elements(bonds, t, kind) : NULL;
    for (size_t i = 0; i < (some ? some->count : dv_ints_size(faces)); i++)
      add_face(b, faces->data + (size_t)faces->width * (some ? (size_t)some->data[i] : i), kind);
  }
  dv_pair_map_free(&b->edges);
  dv_pair_map_free(&b->pairs);
}

static dvStatus face_bending_reinit(dvObject *o)
{
  FaceBending *b = (FaceBending *)o;
  dvSpringForce *f = &b->force;
  dvTopology *t = dv_topology(b->topology.target);
  f->bonds.width = 4;
  dv_bonds_clear(&f->bonds, &f->springs.list);
  if (o->cls == &dv_quad_bending_class && dv_was_set(o, &f->spring)) DV_TRY(dv_spring_force_add_given(f));
  b->given = f->springs.list.count;
  if (!dv_force_elements(o, t, DV_TRIANGLE, f->pair.first) || !dv_force_elements(o, t, DV_QUAD, f->pair.first))
    return DV_ERROR_INPUT;
  make_face_springs(b, t);
  if (!b->given) DV_TRY(dv_bonds_follow(&f->bonds, o, t, DV_COLUMN_OF(&f->springs.list)));
  return dv_spring_force_end(o);
}

// a range goes by the numbers of points, and springs that are given beside those of the surface are made with them
static bool patch_faces(dvObject *o)
{
  FaceBending *b = (FaceBending *)o;
  dvTopology *t = dv_topology(b->topology.target);
  bool only_quads = o->cls == &dv_quad_bending_class;
  if (b->given || (only_quads && (b->localRange[0] >= 0 || b->localRange[1] >= 0)) ||
      dv_reals_size(&b->first) != dv_topology_point_count(t) ||
      !dv_bonds_begin(&b->force.bonds, t, DV_QUAD, only_quads))
    return false;
  make_face_springs(b, t);
  dv_bonds_end(&b->force.bonds, t);
  return dv_spring_force_patch_bonds(&b->force, t);
}

static dvStatus take_first(FaceBending *b)
{
  dvState *s = b->force.pair.first;
  b->first.width = s->base.dof->coord;
  if (dv_reals_assign(&b->first, dv_state_read(s, DV_X), dv_state_scalars(s, DV_X))) return DV_OK;
  return dv_error(&b->force.pair.base, NULL, "out of memory for %zu points", s->count);
}

// of a mesh that was made again nothing is known
static void face_bending_topology_changed(dvObject *o)
{
  FaceBending *b = (FaceBending *)o;
  if (dv_reals_size(&b->first) != b->force.pair.first->count && take_first(b) != DV_OK) return;
  dv_force_patch_or_remake(o, dv_topology(b->topology.target), patch_faces);
}

static void face_bending_destroy(dvObject *o)
{
  dv_reals_free(&((FaceBending *)o)->first);
  dv_spring_force_destroy(o);
}

static dvStatus face_bending_init(dvObject *o)
{
  FaceBending *b = (FaceBending *)o;
  dvSpringForce *f = &b->force;
  DV_TRY(dv_spring_force_begin(o));
  if (!dv_force_topology(o, &b->topology)) return DV_ERROR_INPUT;
  if (!f->stiffness.count || !f->damping.count) return dv_error(o, NULL, "stiffness and damping need a value");
  if (f->pair.first != f->pair.second) return dv_error(o, NULL, "the springs of a surface lie within one state");
  b->ks = f->stiffness.data[0];
  b->kd = f->damping.data[0];
  DV_TRY(take_first(b));
  DV_TRY(face_bending_reinit(o));
  dv_element_data_add_places(dv_follow_rows(o, f->pair.first), &b->first);
  if (f->springs.list.count == 0)
    dv_warning(o, NULL, "%s has no edge between two faces: there are no springs", b->topology.target->name);
  return DV_OK;
}

const dvClass dv_triangle_bending_class = {
    .struct_size = sizeof(dvClass),
    .name = "TriangleBendingSprings",
    .help = "springs between the points opposite to the edges of triangles and of halved quads",
    .module = "Sofa.Component.SolidMechanics.Spring",
    .dofs = DV_DOF_VEC2 | DV_DOF_VEC3,
    .size = sizeof(FaceBending),
    .blocks = {&dv_object_block, &dv_pair_force_block, &dv_spring_force_block, DV_BLOCK(face_bending_fields)},
    .ops = {[DV_ROLE_FORCE] = &dv_spring_force_ops},
    .init = face_bending_init,
    .reinit = face_bending_reinit,
    .destroy = face_bending_destroy,
    .topology_changed = face_bending_topology_changed,
};

const dvClass dv_quad_bending_class = {
    .struct_size = sizeof(dvClass),
    .name = "QuadBendingSprings",
    .help = "springs across the edges between quads, lengths from the first positions",
    .module = "Sofa.Component.SolidMechanics.Spring",
    .dofs = DV_DOF_VEC2 | DV_DOF_VEC3,
    .size = sizeof(FaceBending),
    .blocks = {&dv_object_block, &dv_pair_force_block, &dv_spring_force_block, DV_BLOCK(face_bending_fields),
               DV_BLOCK(quad_bending_fields)},
    .ops = {[DV_ROLE_FORCE] = &dv_spring_force_ops},
    .init = face_bending_init,
    .reinit = face_bending_reinit,
    .destroy = face_bending_destroy,
    .topology_changed = face_bending_topology_changed,
};

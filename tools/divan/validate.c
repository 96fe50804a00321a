// divan validate: what the finite elements give beside theory and experiment, as tables in Markdown
// (docs/validation.md). Cantilevers are here; see validate_order.c, validate_contact.c and validate_cylinder.c for the
// rest.
//
// A bar of 10 x 1 x 1 with Poisson's ratio 0, so that the held end does not hinder contraction, is loaded at its end:
// by Euler and Bernoulli P L^3 / 3EI, by Timoshenko P L / (k G A) more, k = 5/6. The first frequency comes from inverse
// iteration K u' = M u with masses at the points; by Timoshenko from Huang's equation (1961).
#include "validate.h"

#include "base/clock.h"
#include "io/scene/scene_file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// --- trials ---

bool trial_open(Trial *t, const char *text) { return trial_open_with(t, text, 2); }

bool trial_open_with(Trial *t, const char *text, int threads)
{
  *t = (Trial){.context = dv_divan_create(threads)};
  t->context->log.threshold = DV_ERROR;
  if (dv_scene_parse(t->context, "validation", text, strlen(text), &t->scene) != DV_OK ||
      dv_scene_init(t->scene) != DV_OK) {
    trial_close(t);
    return false;
  }
  t->dofs = dv_state(trial_find(t, "dofs"));
  dvObject *load = trial_find(t, "load");
  if (load) t->forces = dv_object_field(load, "forces")->value;
  return t->dofs != NULL;
}

void trial_close(Trial *t)
{
  dv_scene_destroy(&t->scene);
  dv_divan_destroy(&t->context);
}

dvObject *trial_find(const Trial *t, const char *path)
{
  return dv_link_find(&t->scene->root->base, path, DV_ROLE_ANY);
}

bool trial_solve(Trial *t)
{
  memcpy(dv_state_write(t->dofs, DV_X), dv_state_read(t->dofs, DV_X_REST),
         dv_state_scalars(t->dofs, DV_X) * sizeof(double));
  if (t->forces) dv_touch(trial_find(t, "load"), t->forces);
  return dv_scene_step(t->scene, 0) == DV_OK;
}

double trial_moved(const Trial *t, size_t scalar)
{
  return dv_state_read(t->dofs, DV_X)[scalar] - dv_state_read(t->dofs, DV_X_REST)[scalar];
}

// --- boxes ---

static int32_t point_at(const Blocks *b, int x, int y, int z)
{
  return (int32_t)(x + (b->n[0] + 1) * (y + (b->n[1] + 1) * z));
}

bool blocks_outside(const Blocks *b, const double *x)
{
  for (int a = 0; a < (b->n[2] ? 3 : 2); a++)
    if (x[a] < 1e-9 || x[a] > b->size[a] - 1e-9) return true;
  return false;
}

static void add_points(dvText *out, const Blocks *b)
{
  int axes = b->n[2] ? 3 : 2;
  unsigned seed = 1;
  dv_text_add(out, " position='");
  for (int z = 0; z <= b->n[2]; z++)
    for (int y = 0; y <= b->n[1]; y++)
      for (int x = 0; x <= b->n[0]; x++) {
        const int at[3] = {x, y, z};
        bool inner = true;
        for (int a = 0; a < axes; a++) inner = inner && at[a] > 0 && at[a] < b->n[a];
        for (int a = 0; a < axes; a++) {
          seed = seed * 1103515245u + 12345u;
          double shift = inner ? b->wobble * ((seed >> 16 & 1023) / 511.5 - 1) : 0;
          dv_text_add_real(out, b->size[a] * (at[a] + shift) / b->n[a]);
          dv_text_add(out, " ");
        }
        if (axes == 2) dv_text_add(out, "0 ");
      }
  for (int z = 0; z < b->n[2] && b->kind == DV_PYRAMID; z++)
    for (int y = 0; y < b->n[1]; y++)
      for (int x = 0; x < b->n[0]; x++)
        dv_text_printf(out, "%.17g %.17g %.17g ", b->size[0] * (x + 0.5) / b->n[0], b->size[1] * (y + 0.5) / b->n[1],
                       b->size[2] * (z + 0.5) / b->n[2]);
  dv_text_add(out, "'");
}

static void add_cell(dvText *out, const Blocks *b, const int at[3], int32_t centre)
{
  static const char *const cuts[DV_ELEMENT_KINDS] = {
      [DV_TRIANGLE] = "013 032",    [DV_QUAD] = "0132",           [DV_TETRAHEDRON] = "0137 0327 0267 0647 0457 0517",
      [DV_HEXAHEDRON] = "01324576", [DV_PRISM] = "013457 032476", [DV_PYRAMID] = "0231c 4576c 0154c 2673c 0462c 1375c"};
  for (const char *c = cuts[b->kind]; *c; c++) {
    if (*c == ' ') continue;
    int k = *c - '0';
    int32_t p = *c == 'c' ? centre : point_at(b, at[0] + (k & 1), at[1] + (k >> 1 & 1), at[2] + (k >> 2));
    dv_text_printf(out, "%d ", p);
  }
}

void blocks_add(dvText *out, const Blocks *b)
{
  static const char *const names[DV_ELEMENT_KINDS] = {
      [DV_TRIANGLE] = "triangles",   [DV_QUAD] = "quads",   [DV_TETRAHEDRON] = "tetrahedra",
      [DV_HEXAHEDRON] = "hexahedra", [DV_PRISM] = "prisms", [DV_PYRAMID] = "pyramids"};
  add_points(out, b);
  dv_text_printf(out, " %s='", names[b->kind]);
  int32_t centre = (int32_t)((b->n[0] + 1) * (b->n[1] + 1) * (b->n[2] + 1));
  for (int z = 0; z < (b->n[2] ? b->n[2] : 1); z++)
    for (int y = 0; y < b->n[1]; y++)
      for (int x = 0; x < b->n[0]; x++) add_cell(out, b, (const int[3]){x, y, z}, centre++);
  dv_text_add(out, "'");
}

// --- cantilevers ---

enum { LENGTH = 10 };
static const double young = 1e6, density = 1;

typedef struct Bar {
  const char *name, *force;   // of the table, and the component
  dvElementKind kind;
  int first, last;   // cells in the height, doubled from the first to the last
} Bar;

static const Bar bars[] = {
    {"tetrahedra", "TetrahedronFEMForceField method='small'", DV_TETRAHEDRON, 1, 8},
    {"prisms", "LinearSmallStrainFEMForceField template='Vec3,Prism'", DV_PRISM, 1, 8},
    {"hexahedra", "HexahedronFEMForceField method='small'", DV_HEXAHEDRON, 1, 8},
    {"beams (Euler and Bernoulli)", "BeamFEMForceField section='1 0.083333333333333333 0.083333333333333333 0.1406'",
     DV_EDGE, 1, 4},
};

static void open_text(dvText *t)
{
  dv_text_add(t, "<Node gravity='0 0 0' dt='1'><StaticSolver/><NewtonRaphsonSolver maxNbIterationsNewton='1'/>"
                 "<SparseLDLSolver template='CompressedRowSparseMatrixMat3x3d'/>");
}

static void bar_scene(dvText *t, const Bar *bar, int cells)
{
  open_text(t);
  if (bar->kind == DV_EDGE) {
    dv_text_add(t, "<MechanicalObject name='dofs' template='Rigid3' position='");
    for (int i = 0; i <= 5 * cells; i++) dv_text_printf(t, "%.17g 0 0 0 0 0 1 ", (double)LENGTH * i / (5 * cells));
    dv_text_add(t, "'/><MeshTopology edges='");
    for (int i = 0; i < 5 * cells; i++) dv_text_printf(t, "%d %d ", i, i + 1);
    dv_text_printf(t, "'/><%s youngModulus='%g' poissonRatio='0'/><FixedProjectiveConstraint indices='0'/>", bar->force,
                   young);
  } else {
    Blocks b = {bar->kind, {LENGTH * cells, cells, cells}, {LENGTH, 1, 1}, 0};
    dv_text_add(t, "<MeshTopology name='mesh'");
    blocks_add(t, &b);
    dv_text_printf(t,
                   "/><MechanicalObject name='dofs'/><%s youngModulus='%g' poissonRatio='0'/><BoxROI name='end' "
                   "box='-0.1 -0.1 -0.1 0.01 1.1 1.1'/>"
                   "<FixedProjectiveConstraint indices='@end.indices'/>",
                   bar->force, young);
  }
  dv_text_add(t, "<ConstantForceField name='load' forces='0'/></Node>");
}

// shares of the points in the bar: trapezoids along each axis; their sum is 1
static double share(const double *x, size_t width, int cells)
{
  if (width == 7) return (x[0] < 1e-9 || x[0] > LENGTH - 1e-9 ? 0.5 : 1) / (5.0 * cells);
  double s = 1;
  for (int a = 0; a < 3; a++) {
    double length = a ? 1 : LENGTH;
    s *= (x[a] < 1e-9 || x[a] > length - 1e-9 ? 0.5 : 1) / (cells * length);
  }
  return s;
}

static double end_deflection(Trial *t, int cells)
{
  size_t coord = (size_t)t->dofs->base.dof->coord, deriv = (size_t)t->dofs->base.dof->deriv;
  const double *rest = dv_state_read(t->dofs, DV_X_REST);
  double across = coord == 7 ? 1 : 1.0 / (LENGTH * cells), sum = 0;
  DV_MUST(dv_reals_resize(t->forces, deriv * t->dofs->count));
  double *f = dv_reals_edit(t->forces);
  memset(f, 0, deriv * t->dofs->count * sizeof *f);
  for (size_t p = 0; p < t->dofs->count; p++)
    if (rest[coord * p] > LENGTH - 1e-9)
      f[deriv * p + 1] = coord == 7 ? 1 : 2 * share(rest + coord * p, coord, cells) / across;
  if (!trial_solve(t)) return NAN;
  for (size_t p = 0; p < t->dofs->count; p++) sum += f[deriv * p + 1] * trial_moved(t, coord * p + 1);
  return sum;
}

static double first_frequency(Trial *t, int cells)
{
  size_t coord = (size_t)t->dofs->base.dof->coord, deriv = (size_t)t->dofs->base.dof->deriv;
  const double *rest = dv_state_read(t->dofs, DV_X_REST);
  double *f = dv_reals_edit(t->forces), squared = NAN;
  for (int round = 0; round < 6; round++) {
    double work = 0, inertia = 0, most = 0;
    for (size_t i = 0; i < 3 * t->dofs->count; i++) most = fmax(most, fabs(trial_moved(t, coord * (i / 3) + i % 3)));
    memset(f, 0, deriv * t->dofs->count * sizeof *f);
    for (size_t p = 0; p < t->dofs->count; p++)
      for (size_t a = 0; a < 3; a++)
        f[deriv * p + a] =
            density * LENGTH * share(rest + coord * p, coord, cells) * trial_moved(t, coord * p + a) / most;
    if (!trial_solve(t)) return NAN;
    for (size_t p = 0; p < t->dofs->count; p++)
      for (size_t a = 0; a < 3; a++) {
        double u = trial_moved(t, coord * p + a);
        work += f[deriv * p + a] * u;
        inertia += density * LENGTH * share(rest + coord * p, coord, cells) * u * u;
      }
    squared = work / inertia;   // u K u / u M u
  }
  return sqrt(squared) / (2 * 3.14159265358979323846);
}

// Huang's frequency equation of a clamped and free bar; r2 and s2 stand for rotary inertia and shear
static double huang(double b, double r2, double s2)
{
  double root = sqrt((r2 - s2) * (r2 - s2) + 4 / (b * b)), alpha = sqrt((root - r2 - s2) / 2),
         beta = sqrt((root + r2 + s2) / 2);
  return 2 + (b * b * (r2 - s2) * (r2 - s2) + 2) * cosh(b * alpha) * cos(b * beta) -
         b * (r2 + s2) / sqrt(1 - b * b * r2 * s2) * sinh(b * alpha) * sin(b * beta);
}

static double timoshenko_frequency(void)
{
  double inertia = 1.0 / 12, r2 = inertia / (LENGTH * LENGTH), s2 = inertia * 2 / (5.0 / 6 * LENGTH * LENGTH), low = 3,
         high = 3.6;
  for (int i = 0; i < 100; i++) {
    double middle = 0.5 * (low + high);
    if (huang(low, r2, s2) * huang(middle, r2, s2) <= 0) high = middle;
    else low = middle;
  }
  return low * sqrt(young * inertia / (density * pow(LENGTH, 4))) / (2 * 3.14159265358979323846);
}

bool validate_cantilevers(bool quick)
{
  double inertia = 1.0 / 12, euler = pow(LENGTH, 3) / (3 * young * inertia),
         timoshenko = euler + LENGTH / (5.0 / 6 * young / 2);
  double euler_f = 1.8751040687 * 1.8751040687 * sqrt(young * inertia / (density * pow(LENGTH, 4))) /
                   (2 * 3.14159265358979323846),
         timoshenko_f = timoshenko_frequency();
  printf("## Cantilevers\n\nA bar of 10 x 1 x 1, Poisson's ratio 0, one end held, the other pulled across. Errors "
         "against Timoshenko (beams: Euler and Bernoulli, as they have no shear): deflection %.6g m "
         "(Euler and Bernoulli: %.6g m), first frequency %.6g Hz (%.6g Hz). The order is that of the error between two "
         "lines.\n\n",
         timoshenko, euler, timoshenko_f, euler_f);
  printf("| elements | cells in the height | points | deflection [m] | error | order | frequency [Hz] | error | order "
         "|\n| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
  bool good = true;
  for (size_t i = 0; i < DV_COUNT(bars); i++) {
    double before[2] = {NAN, NAN};
    bool beam = bars[i].kind == DV_EDGE;   // without shear
    for (int cells = bars[i].first; cells <= (quick ? dv_min(bars[i].last, 2) : bars[i].last); cells *= 2) {
      dvText text = {0};
      Trial t;
      bar_scene(&text, &bars[i], cells);
      bool open = trial_open(&t, text.text);
      dv_text_free(&text);
      good = good && open;
      if (!open) continue;
      double d = end_deflection(&t, cells), f = first_frequency(&t, cells),
             error[2] = {d / (beam ? euler : timoshenko) - 1, f / (beam ? euler_f : timoshenko_f) - 1};
      printf("| %s | %d | %zu | %.6g | %+.2f %% | ", bars[i].name, cells, t.dofs->count, d, 100 * error[0]);
      if (fabs(before[0]) > 1e-6) printf("%.2f", order_of(before[0], error[0], 2));
      printf(" | %.6g | %+.2f %% | ", f, 100 * error[1]);
      if (before[1] == before[1]) printf("%.2f", order_of(before[1], error[1], 2));
      printf(" |\n");
      fflush(stdout);
      memcpy(before, error, sizeof before);
      trial_close(&t);
    }
  }
  printf("\n");
  return good;
}

// --- the command ---

static bool patches(bool quick) { return (void)quick, validate_patches(); }
static bool laws(bool quick) { return (void)quick, validate_laws(); }
static bool lattice(bool quick) { return validate_lattice(quick, NULL); }

static const struct {
  const char *name;
  bool (*run)(bool quick);
} parts[] = {{"cantilevers", validate_cantilevers},
             {"patches", patches},
             {"order", validate_order},
             {"laws", laws},
             {"shells", validate_shells},
             {"frames", validate_frames},
             {"contact", validate_contact},
             {"instruments", validate_instruments},
             {"needle", validate_needle},
             {"lattice", lattice},
             {"fluid-standing", validate_fluid_standing},
             {"fluid-channel", validate_fluid_channel},
             {"fluid-vortices", validate_fluid_vortices},
             {"fluid-block", validate_fluid_block},
             {"fluid-dam", validate_fluid_dam},
             {"heart-waves", validate_heart_waves},
             {"heart-slab", validate_heart_slab},
             {"heart-models", validate_heart_models},
             {"heart-beats", validate_heart_beats},
             {"heart-energy", validate_heart_energy},
             {"heart-steps", validate_heart_steps},
             {"heart-beam", validate_heart_beam},
             {"heart-inflation", validate_heart_inflation},
             {"heart-contraction", validate_heart_contraction},
             {"fluid-grid-cavity", validate_grid_cavity},
             {"fluid-grid-vortices", validate_grid_vortices},
             {"fluid-grid-dam", validate_grid_dam},
             {"fluid-grid-pressure", validate_grid_pressure},
             {"fluid-grid-drop", validate_grid_drop},
             {"fluid-vessels", validate_vessels}};

// those with meshes that take long, for --full
static const struct {
  const char *name;
  bool (*run)(void);
} whole_parts[] = {{"heart-slab", validate_heart_slab_full}, {"heart-models", validate_heart_models_full}};

static bool run_part(size_t part, const Options *o)
{
  for (size_t i = 0; o->full && i < DV_COUNT(whole_parts); i++)
    if (dv_same(whole_parts[i].name, parts[part].name)) return whole_parts[i].run();
  return parts[part].run(o->quick);
}

static bool names_a_part(const char *word)
{
  for (size_t i = 0; i < DV_COUNT(parts); i++)
    if (strstr(parts[i].name, word)) return true;
  return false;
}

static int validate(const Options *o)
{
  // a word that names parts is a filter, unless a directory is called so
  bool word = o->scene && !o->filter && !strchr(o->scene, '/') && names_a_part(o->scene);
  const char *directory = word ? NULL : o->scene, *filter = word ? o->scene : o->filter;
  if (directory && !validate_cylinder_is_there(directory)) return DV_ERROR_INPUT;   // a minute earlier than by its turn
  if (o->quick && o->full) {
    fprintf(stderr, "error: --quick leaves out what --full adds: give one of them\n");
    return DV_ERROR_USAGE;
  }
  bool good = true, any = false;
  for (size_t i = 0; i < DV_COUNT(parts); i++) {
    if (filter && !strstr(parts[i].name, filter)) continue;
    any = true;
    if (run_part(i, o)) continue;
    good = false;
    fflush(stdout);
    fprintf(stderr, "divan validate: error: %s is not within its limits\n", parts[i].name);
  }
  if (!any) {
    dvText names = {0};
    for (size_t i = 0; i < DV_COUNT(parts); i++) dv_text_printf(&names, " %s", parts[i].name);
    fprintf(stderr, "error: no part of the validation has '%s' in its name; there are%s\n", filter, names.text);
    dv_text_free(&names);
    return DV_ERROR_USAGE;
  }
  if (directory && !filter) good = validate_cylinder(directory) && good;
  return good ? 0 : DV_ERROR_INPUT;
}

const Command command_validate = {
    .verb = VERB_VALIDATE,
    .name = "validate",
    .summary = "compare the finite elements with theory and experiment",
    .usage = "divan validate [--quick|--full] [--filter TEXT] [PART|DIR]\n",
    .about = "Compares the finite elements with theory and prints tables in Markdown: cantilevers, patch tests, order\n"
             "of convergence, curves of hyperelastic laws, shells, bars of frames beside finite elements, contacts,\n"
             "curved beams, needles, lattices of springs, hearts (divan validate heart). With a directory that holds "
             "truthcylinder1.msh and\n"
             "truthCylinder-Deformed.obj (share/mesh of SOFA) also with the scanned silicone cylinder of Marchal et\n"
             "al. (2008). Takes some minutes. Tells what is not within its limits; the exit status is 0 when all is.\n",
    .examples = "  divan validate ../shared/sofa/share/mesh > validation.md\n"
                "  divan validate heart --full\n",
    .most_names = 1,
    .run = validate,
};

// Memory runs short: the n-th allocation of loading and initialising a scene fails, for every n. Nothing crashes,
// nothing leaks, and the scene either comes out as it should or ends with an error that says why.
//
// In the plain build the allocator of the C library is wrapped, so that those of libxml2 and the C library fail too,
// and blocks are counted; in checking builds Divan's own fail, and the sanitizer looks for leaks.
#include "support/check.h"
#include "support/scene.h"

#include "base/checking.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *current = "";
static size_t current_n;

#if defined(DV_CHECKING) || !defined(__GLIBC__)
#ifdef DV_CHECKING
static size_t arm(size_t n) { return dv_memory_fail_at(n); }
#else
static size_t arm(size_t n) { return DV_UNUSED(n), 0; }
#endif
static long live_blocks(void) { return 0; }
static void arm_for_good(size_t n) { arm(n); }
#else
static size_t calls, failing, dry_after;
static long live, budget;
void *__libc_malloc(size_t n);
void *__libc_calloc(size_t n, size_t m);
void *__libc_realloc(void *p, size_t n);
void *__libc_memalign(size_t a, size_t n);
void __libc_free(void *p);

enum { RESERVE = 16 << 20 };
static void *reserve;   // of the library: what it gives up can be allocated

// `failing` fails once; from `dry_after` on only what was freed as reserve is left
static bool is_refused(size_t bytes)
{
  size_t call = __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED);
  if (call == failing) return true;
  if (!dry_after || call < dry_after) return false;
  if ((long)bytes > budget) return true;
  budget -= (long)bytes;
  return false;
}

static bool refuse(size_t bytes)
{
  bool refused = is_refused(bytes);
  if (refused) errno = ENOMEM;
  return refused;
}

static void *counted(void *block, size_t bytes)
{
  if (block) __atomic_add_fetch(&live, 1, __ATOMIC_RELAXED);
  if (bytes == RESERVE) reserve = block;
  return block;
}

#pragma GCC visibility push(default)   // for libraries too
void *malloc(size_t n) { return refuse(n) ? NULL : counted(__libc_malloc(n), n); }
void *calloc(size_t n, size_t m) { return refuse(n * m) ? NULL : counted(__libc_calloc(n, m), 0); }
void *aligned_alloc(size_t a, size_t n) { return refuse(n) ? NULL : counted(__libc_memalign(a, n), 0); }
void *realloc(void *p, size_t n)
{
  if (refuse(n)) return NULL;
  if (!p) return counted(__libc_realloc(NULL, n), 0);
  return __libc_realloc(p, n);
}
void free(void *p)
{
  if (p) __atomic_sub_fetch(&live, 1, __ATOMIC_RELAXED);
  if (p && p == reserve) reserve = NULL, budget += RESERVE;
  __libc_free(p);
}
#pragma GCC visibility pop

static size_t arm(size_t n)
{
  size_t was = calls;
  failing = n;
  dry_after = calls = 0;
  return was;
}

// from the n-th allocation on there is only the reserve
static void arm_for_good(size_t n)
{
  arm(0);
  budget = 0;
  dry_after = n;
}
static long live_blocks(void) { return live; }
#endif

static void on_crash(int signal_number)
{
  char text[200];
  int n = snprintf(text, sizeof text, "crashed (signal %d) when allocation %zu of %s failed\n", signal_number,
                   current_n, current);
  if (n > 0 && write(STDERR_FILENO, text, (size_t)n) < 0) _exit(1);
  signal(signal_number, SIG_DFL);
  raise(signal_number);
}

static void on_exit_early(void)
{
  if (current_n) fprintf(stderr, "ended when allocation %zu of %s failed\n", current_n, current);
}

typedef struct Heard {
  bool memory;
  char last[300];
} Heard;

static void hear(void *user, const dvMessage *m)
{
  Heard *h = user;
  if (m->level != DV_ERROR) return;
  snprintf(h->last, sizeof h->last, "%s", m->text);
  h->memory = h->memory || strstr(m->text, "memory");
}

typedef struct Result {
  dvStatus status;
  uint64_t hash;
  Heard heard;
} Result;

// loads, initialises and makes a step in a context that is there already; the status
static Result load(dvContext *c, const char *text)
{
  Result r = {0};
  c->log.worst = DV_OK;
  c->log.sink = hear;
  c->log.user = &r.heard;
  dvScene *s = NULL;
  r.status = dv_scene_parse(c, "test", text, strlen(text), &s);
  if (r.status == DV_OK) r.status = dv_scene_init(s);
  if (r.status == DV_OK) r.status = dv_scene_step(s, 0);
  size_t n = arm(0);
  if (r.status == DV_OK) r.hash = dv_scene_hash(s);
  dv_scene_destroy(&s);
  arm(0);
  c->log.sink = NULL;
  r.heard.last[sizeof r.heard.last - 1] = 0;
  current_n = n;
  return r;
}

static void sweep(const char *name, const char *text)
{
  current = name;
  dvContext *c = dv_divan_create(1);
  load(c, text);   // libraries set up what they keep
  arm(0);
  Result good = load(c, text);
  if (good.status != DV_OK) print_error("%s: %s\n", name, good.heard.last);
  assert_int_equal(good.status, DV_OK);
  size_t all = current_n, bad = 0, survived = 0;
  long before = live_blocks();
  assert_true(all > 50 || !arm(0));
  for (size_t n = 1; n <= all; n++) {
    current_n = n;
    dv_memory_refill();
    arm(n);
    Result r = load(c, text);
    dv_memory_refill();
    bool fine = r.status == DV_OK ? r.hash == good.hash : r.heard.memory;
    survived += r.status == DV_OK;
    if (!fine) print_error("%s, allocation %zu of %zu: status %d, '%s'\n", name, n, all, r.status, r.heard.last);
    if (live_blocks() != before)
      print_error("%s, allocation %zu of %zu: %ld blocks leak\n", name, n, all, live_blocks() - before);
    bad += !fine || live_blocks() != before;
    before = live_blocks();
  }
  for (size_t n = 1; n <= all; n += 5) {
    current_n = n;
    dv_memory_refill();
    arm_for_good(n);
    Result r = load(c, text);
    dv_memory_refill();
    bool fine = r.status != DV_OK && r.heard.memory && live_blocks() == before;
    if (!fine) print_error("%s, allocations from %zu of %zu: status %d, '%s'\n", name, n, all, r.status, r.heard.last);
    bad += !fine;
  }
  print_message("%s: %zu allocations, each failed once; %zu did no harm\n", name, all, survived);
  current_n = 0;
  dv_divan_destroy(&c);
  assert_int_equal(bad, 0);
}

#define SOLVERS                                                                                           \
  "<DefaultAnimationLoop/><EulerImplicitSolver rayleighStiffness='0.1'/><CGLinearSolver iterations='10' " \
  "tolerance='1e-9' threshold='1e-12'/>"

static void a_mass_spring_scene(void **state)
{
  DV_UNUSED(state);
  sweep("springs",
        "<Node dt='0.01'><RequiredPlugin name='Sofa.Component.Mass'/>" SOLVERS
        "<MeshTopology name='mesh' position='0 0 0 1 0 0 2 0 0' edges='0 1 1 2'/><MechanicalObject name='dofs' "
        "src='@mesh'/>"
        "<BoxROI name='box' box='-0.1 -1 -1 0.1 1 1' position='@dofs.rest_position'/><UniformMass totalMass='1'/>"
        "<MeshSpringForceField linesStiffness='100'/><FixedProjectiveConstraint indices='@box.indices'/></Node>");
}

static void an_elastic_block_with_a_skin(void **state)
{
  DV_UNUSED(state);
  sweep("block",
        "<Node dt='0.01'>" SOLVERS "<RegularGridTopology name='grid' n='3 3 3' min='0 0 0' max='1 1 "
        "1'/><MechanicalObject name='dofs'/><DiagonalMass massDensity='10'/>"
        "<HexahedronFEMForceField youngModulus='1e4' poissonRatio='0.3'/><FixedProjectiveConstraint indices='0 1 2'/>"
        "<Node name='skin'><MechanicalObject position='0.5 0.5 0.5 0.2 0.2 "
        "0.2'/><BarycentricMapping/><ConstantForceField forces='0 1 0' indices='0'/></Node></Node>");
}

static void tetrahedra_with_a_matrix(void **state)
{
  DV_UNUSED(state);
  dvText text = {0};
  dv_text_add(&text, "<Node dt='0.01'><EulerImplicitSolver/><SparseLDLSolver "
                     "template='CompressedRowSparseMatrixMat3x3d'/><TetrahedronSetTopologyContainer name='mesh'");
  check_add_tetra_box(&text, (const int[3]){2, 2, 2}, 0.5);
  dv_text_add(&text, "/><MechanicalObject template='Vec3d' name='dofs'/><MeshMatrixMass massDensity='10'/>"
                     "<TetrahedralCorotationalFEMForceField youngModulus='1e4' "
                     "poissonRatio='0.3'/><FixedProjectiveConstraint indices='0 1 2 3'/></Node>");
  sweep("tetrahedra", text.text);
  dv_text_free(&text);
}

static void rigid_frames(void **state)
{
  DV_UNUSED(state);
  sweep("rigid", "<Node dt='0.01'>" SOLVERS
                 "<MechanicalObject template='Rigid3d' position='0 0 0 0 0 0 1'/><UniformMass totalMass='1'/>"
                 "<Node><MechanicalObject template='Vec3d' position='1 0 0 0 1 0'/><RigidMapping/><SpringForceField "
                 "spring='0 1 10 0.1 1'/></Node></Node>");
}

static void a_mesh_from_a_file(void **state)
{
  DV_UNUSED(state);
  char *directory = check_mkdir();
  char *file = check_write(directory, "one.obj",
                           "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nvt 0 0\nvt 1 1\nf 1/1 2/2 3/1\nf 2/1 4/1 3/2\n");
  char *vtu =
      check_write(directory, "two.vtu",
                  "<VTKFile type='UnstructuredGrid' version='0.1'><UnstructuredGrid><Piece NumberOfPoints='3' "
                  "NumberOfCells='1'><Points><DataArray type='Float64' "
                  "NumberOfComponents='3' format='ascii'>0 0 0 1 0 0 0 1 0</DataArray></Points><Cells><DataArray "
                  "type='Int32' Name='connectivity' format='ascii'>0 1 2"
                  "</DataArray><DataArray type='Int32' Name='offsets' format='ascii'>3</DataArray><DataArray "
                  "type='UInt8' Name='types' format='ascii'>5</DataArray></Cells>"
                  "</Piece></UnstructuredGrid></VTKFile>");
  char *text =
      dv_format("<Node dt='0.01'><MeshVTKLoader name='other' filename='%s'/><MeshTopology src='@other'/><MeshOBJLoader "
                "name='loader' filename='%s' scale='2' handleSeams='1'/><OglModel name='looks' src='@loader'/>"
                "<EulerExplicitSolver/><MechanicalObject src='@loader'/><UniformMass totalMass='1'/></Node>",
                vtu, file);
  sweep("mesh", text);
  dv_free(text);
  dv_free(file);
  dv_free(vtu);
  check_rmdir(directory);
}

static void the_context_itself(void **state)
{
  DV_UNUSED(state);
  current = "the context";
  dvContext *c = dv_divan_create(2);
  dv_divan_destroy(&c);
  arm(0);
  c = dv_divan_create(2);
  size_t all = arm(0);
  dv_divan_destroy(&c);
  long before = live_blocks();
  for (size_t n = 1; n <= all; n += n < 30 ? 1 : 37) {   // all the same: classes that are registered
    current_n = n;
    arm(n);
    c = dv_divan_create(2);
    arm(0);
    dv_memory_refill();
    dv_divan_destroy(&c);
    if (live_blocks() != before)
      print_error("allocation %zu of %zu: %ld blocks leak\n", n, all, live_blocks() - before);
    assert_int_equal(live_blocks(), before);
  }
  current_n = 0;
}

int main(void)
{
  signal(SIGSEGV, on_crash);
  signal(SIGABRT, on_crash);
  atexit(on_exit_early);
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_context_itself),
                                     cmocka_unit_test(a_mass_spring_scene),
                                     cmocka_unit_test(an_elastic_block_with_a_skin),
                                     cmocka_unit_test(tetrahedra_with_a_matrix),
                                     cmocka_unit_test(rigid_frames),
                                     cmocka_unit_test(a_mesh_from_a_file)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

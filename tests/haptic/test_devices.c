// Devices that are there, that are not, that vanish, jump and talk nonsense; and the packets of UDP.
#include "listening.h"
#include "wall.h"

#include "base/clock.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

// --- a device that the test holds ----------------------------------------------------------------

typedef struct Puppet {
  dvDevice device;
  bool there;
  double pose[7], pushed[6];
} Puppet;

static bool puppet_read(dvDevice *d, double time, dvDeviceSample *out)
{
  DV_UNUSED(time);
  const Puppet *p = (const Puppet *)d;
  memset(out, 0, sizeof *out);
  memcpy(out->pose, p->pose, sizeof p->pose);
  return p->there;
}
static void puppet_write(dvDevice *d, double dt, const double wrench[6])
{
  DV_UNUSED(dt);
  memcpy(((Puppet *)d)->pushed, wrench, 6 * sizeof *wrench);
}
static void puppet_close(dvDevice **d) { *d = NULL; }
static const dvDeviceOps puppet_ops = {
    .name = "puppet", .read = puppet_read, .write = puppet_write, .close = puppet_close};

static dvHapticSettings plain(void)
{
  return (dvHapticSettings){.period = 0.001,
                            .base = dv_pose_identity(),
                            .tool = dv_pose_identity(),
                            .scale = 1,
                            .force_scale = 1,
                            .max_force = 3,
                            .max_torque = 0.3,
                            .max_speed = 2,
                            .stall = 0.25,
                            .decay = 0.1,
                            .permanent = true};
}

// a spring of 1000 N/m that holds the hand at the origin
static dvSensation spring(void)
{
  return (dvSensation){
      .kind = DV_RENDER_COUPLING, .step = 0.02, .blend = 0.02, .pose = {[6] = 1}, .stiffness = {1000, 0}, .touches = 1};
}

static void troubles(void **state)
{
  DV_UNUSED(state);
  Puppet p = {.device = {.ops = &puppet_ops, .forces = 3}, .there = true, .pose = {0.001, [6] = 1}};
  dvHapticLoop *l = dv_alloc(sizeof *l);
  dvHapticSettings set = plain();
  dvSensation m = spring();
  double *message = (double *)&m;
  dv_haptic_loop_init(l, &set, &p.device);
  dv_haptic_tick(l, 0, message, true);
  for (int i = 1; i < 40; i++) dv_haptic_tick(l, 0.001 * i, message, false);
  check_close(p.pushed[0], -1, 1e-9);
  // a jump of 1 m: the tool goes 2 mm a tick, and the force stays within its limit
  p.pose[0] = 1;
  dv_haptic_tick(l, 0.04, message, false);
  check_close(l->state.place[0], 0.003, 1e-12);
  for (int i = 41; i < 60; i++) {
    dv_haptic_tick(l, 0.001 * i, message, false);
    assert_true(fabs(p.pushed[0]) <= 3 + 1e-12);
  }
  assert_true(atomic_load(&l->trouble.jumps) == 20);
  // no number: the force is off at once, the place stays
  double before = l->state.place[0];
  p.pose[1] = NAN;
  dv_haptic_tick(l, 0.06, message, false);
  check_close(p.pushed[0], 0, 0);
  check_close(l->state.place[0], before, 0);
  p.pose[1] = 0, p.pose[6] = 0;   // no rotation either
  dv_haptic_tick(l, 0.061, message, false);
  assert_true(atomic_load(&l->trouble.bad_poses) == 2);
  p.pose[6] = 1;
  // gone, and back at another place, which is no jump
  p.there = false;
  unsigned jumps = atomic_load(&l->trouble.jumps);
  for (int i = 0; i < 5; i++) dv_haptic_tick(l, 0.07, message, false);
  assert_true(atomic_load(&l->trouble.gone) && atomic_load(&l->trouble.losses) == 1);
  p.there = true, p.pose[0] = -0.002;
  dv_haptic_tick(l, 0.08, message, false);
  assert_true(!atomic_load(&l->trouble.gone) && atomic_load(&l->trouble.jumps) == jumps);
  check_close(l->state.place[0], -0.002, 0);
  // a force that is no number
  m.stiffness[0] = INFINITY, m.pose[0] = NAN;
  dv_haptic_tick(l, 0.081, message, false);
  check_close(p.pushed[0], 0, 0);
  assert_true(atomic_load(&l->trouble.bad_forces) == 1);
  dv_haptic_loop_free(l);
  dv_free(l);
}

// 2 s without news: the force is bounded all the time and fades
static void stall(void **state)
{
  DV_UNUSED(state);
  Puppet p = {.device = {.ops = &puppet_ops, .forces = 3}, .there = true, .pose = {0.002, [6] = 1}};
  dvHapticLoop *l = dv_alloc(sizeof *l);
  dvHapticSettings set = plain();
  dvSensation m = spring();
  dv_haptic_loop_init(l, &set, &p.device);
  double last = INFINITY;
  for (int i = 0; i < 2000; i++) {
    dv_haptic_tick(l, 0.001 * i, (double *)&m, i == 0);
    double force = fabs(p.pushed[0]);
    assert_true(force <= 3 + 1e-12);
    if (i == 240) check_close(force, 2, 1e-9);
    if (i > 260) assert_true(force < last);
    if (i == 350) check_close(force, 2 * exp(-1), 0.02);
    last = force;
  }
  assert_true(last < 1e-6);
  assert_true(atomic_load(&l->trouble.stalls) == 1);
  dv_haptic_loop_free(l);
  dv_free(l);
}

// the force of a new message takes over from the old one without a jump
static void takes_over(void **state)
{
  DV_UNUSED(state);
  Puppet p = {.device = {.ops = &puppet_ops, .forces = 6}, .there = true, .pose = {0.001, [6] = 1}};
  dvHapticLoop *l = dv_alloc(sizeof *l);
  dvHapticSettings set = plain();
  dvSensation m = spring();
  dv_haptic_loop_init(l, &set, &p.device);
  double last = 0;
  for (int i = 0; i < 100; i++) {
    if (i == 50) m.stiffness[0] = 2000;
    dv_haptic_tick(l, 0.001 * i, (double *)&m, i % 50 == 0);
    assert_true(fabs(p.pushed[0] - last) <= 1.0 / 20 + 1e-9);   // 1 N in 20 ms
    last = p.pushed[0];
  }
  check_close(last, -2, 1e-9);
  dv_haptic_loop_free(l);
  dv_free(l);
}

// a field that is changed while the scene runs counts from the next tick on
static void changes(void **state)
{
  DV_UNUSED(state);
  static const char *const loops[] = {"steps", "thread"};
  for (size_t i = 0; i < DV_COUNT(loops); i++) {
    char *text = dv_format("<Node dt='0.01'><GeomagicEmulator name='device' loop='%s' maxInputForceFeedback='5' "
                           "inputForceFeedback='0 2 0' start='0 1 0'/></Node>",
                           loops[i]);
    dvScene *s = check_scene(text, 1);
    check_steps(s, 5);
    dvObject *device = check_find(s, "device");
    assert_int_equal(dv_object_set(device, "maxForce", "0.5"), DV_OK);
    assert_int_equal(dv_object_set(device, "scale", "3"), DV_OK);
    assert_int_equal(device->cls->reinit(device), DV_OK);
    for (int k = 0; k < 200 && dv_driver(device)->handed.pose[1] < 0.25; k++) {
      check_steps(s, 1);
      if (i) usleep(1000);
    }
    check_close(dv_driver(device)->handed.pose[1], 0.3, 1e-9);
    for (int k = 0; k < 60 && (k < 5 || dv_driver(device)->force[1] < 0.5); k++) {
      check_steps(s, 1);
      if (i) usleep(1000);
    }
    check_close(dv_driver(device)->force[1], 0.5, 1e-9);
    check_close_scene(&s);
    dv_free(text);
  }
}

// as in SOFA's Geomagic-DeformableCubes: a place is too little for a frame, which is then one at the origin
static void too_few_numbers(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene("<Node><GeomagicEmulator name='device'/><MechanicalObject name='dofs' template='Rigid3' "
                           "position='@device.positionBase'/></Node>",
                           1);
  assert_int_equal(dv_state(check_find(s, "dofs"))->count, 1);
  check_close(check_value(s, "dofs", DV_X, 6), 1, 0);
  check_close_scene(&s);
}

// --- the vendor's library ------------------------------------------------------------------------

static void wait_for(int (*report)(double *, int *), int frames)
{
  double f[3];
  int wrong;
  for (int begin = report(f, &wrong), i = 0; report(f, &wrong) < begin + frames && i < 5000; i++) usleep(1000);
}

static void vendor(void **state)
{
  DV_UNUSED(state);
  dvStatus status;
  setenv("DIVAN_HD", "/nowhere/libHD.so", 1);
  dvScene *s = open_scene("<Node name='root'><GeomagicDriver name='device'/></Node>", &status);
  assert_int_equal(status, DV_OK);
  assert_non_null(strstr(messages, "there is no device"));
  check_steps(s, 3);
  close_scene(s);

  setenv("DIVAN_HD", DIVAN_FAKE_HD, 1);
  void *library = dlopen(DIVAN_FAKE_HD, RTLD_NOW);
  assert_non_null(library);
  int (*report)(double *, int *);
  void (*lose)(bool);
  *(void **)&report = dlsym(library, "fake_hd_report");
  *(void **)&lose = dlsym(library, "fake_hd_lose");
  s = open_scene("<Node name='root'><GeomagicDriver name='device' deviceName='absent'/></Node>", &status);
  assert_non_null(strstr(messages, "does not answer: communication error"));
  close_scene(s);

  // 10 mm are one centimetre of SOFA's Geomagic; the base is turned, the tool too
  s = open_scene("<Node name='root' dt='0.01'><GeomagicDriver name='device' scale='2' positionBase='1 0 0' "
                 "orientationBase='0 0 0.70710678 0.70710678' inputForceFeedback='0 0.5 0'/>"
                 "<GeomagicDriver name='second' /></Node>",
                 &status);
  assert_int_equal(status, DV_ERROR_INPUT);
  assert_non_null(strstr(messages, "two instruments cannot share a hand"));
  close_scene(s);
  s = open_scene("<Node name='root' dt='0.01'><GeomagicDriver name='device' scale='2' positionBase='1 0 0' "
                 "orientationBase='0 0 0.70710678 0.70710678' inputForceFeedback='0 0.5 0'/></Node>",
                 &status);
  assert_int_equal(status, DV_OK);
  wait_for(report, 5);
  check_steps(s, 2);
  wait_for(report, 30);
  check_steps(s, 1);
  const dvReals *at = dv_object_field(check_find(s, "device"), "positionDevice")->value;
  check_close(at->data[0], -1, 1e-6);   // 1 - 2 x 1
  check_close(at->data[1], 0, 1e-6);
  check_close(fabs(at->data[5]), 1, 1e-6);   // two quarters about z
  assert_true(*(const bool *)dv_object_field(check_find(s, "device"), "button2")->value);
  assert_false(*(const bool *)dv_object_field(check_find(s, "device"), "button1")->value);
  double force[3];
  int wrong;
  report(force, &wrong);
  check_close(force[0], 0.5, 1e-6);   // y of the scene is x of the device
  lose(true);
  wait_for(report, 5);
  check_steps(s, 1);
  assert_non_null(strstr(messages, "is gone"));
  lose(false);
  wait_for(report, 5);
  check_steps(s, 1);
  assert_non_null(strstr(messages, "is back"));
  close_scene(s);
  report(force, &wrong);
  assert_int_equal(wrong, 0);
  dlclose(library);
}

// --- UDP -----------------------------------------------------------------------------------------

static void send_pose(int from, int port, uint32_t sequence, double y, const char *word, size_t size)
{
  unsigned char packet[80] = {0};
  const double pose[7] = {0, y, 0, 0, 0, 0, 1};
  const uint32_t buttons = 1;
  struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
  inet_pton(AF_INET, "127.0.0.1", &to.sin_addr);
  memcpy(packet, word, 4);
  memcpy(packet + 4, &sequence, 4);
  memcpy(packet + 8, pose, sizeof pose);
  memcpy(packet + 64, &buttons, 4);
  assert_int_equal(sendto(from, packet, size, 0, (const struct sockaddr *)&to, sizeof to), (ssize_t)size);
}

static void udp(void **state)
{
  DV_UNUSED(state);
  const int port = 8000 + (int)(getpid() % 1000) + 200;
  dvStatus status;
  char *text = dv_format("<Node name='root' dt='0.01'><UDPHapticDriver name='device' port='%d' loop='steps' "
                         "inputForceFeedback='0 -0.25 0'/></Node>",
                         port);
  dvScene *s = open_scene(text, &status);
  assert_int_equal(status, DV_OK);
  int from = socket(AF_INET, SOCK_DGRAM, 0);
  assert_true(from >= 0);
  send_pose(from, port, 5, 0.05, "DVH1", 68);
  send_pose(from, port, 4, 0.90, "DVH1", 68);   // late
  send_pose(from, port, 6, 0.90, "DVH0", 68);
  send_pose(from, port, 7, 0.90, "DVH1", 60);
  check_steps(s, 3);
  const dvReals *at = dv_object_field(check_find(s, "device"), "positionDevice")->value;
  check_close(at->data[1], 0.05, 0);
  assert_true(*(const bool *)dv_object_field(check_find(s, "device"), "button1")->value);
  unsigned char answer[100];
  double last = 0;
  ssize_t size, count = 0;
  while ((size = recv(from, answer, sizeof answer, MSG_DONTWAIT)) > 0) {
    assert_int_equal(size, 56);
    assert_memory_equal(answer, "DVF1", 4);
    memcpy(&last, answer + 16, sizeof last);
    count++;
  }
  assert_int_equal(count, 30);
  check_close(last, -0.25, 1e-9);
  check_steps(s, 30);   // silent for longer than a quarter of a second
  assert_non_null(strstr(messages, "is gone"));
  send_pose(from, port, 1, 0.01, "DVH1", 68);   // begins anew
  check_steps(s, 2);
  check_close(at->data[1], 0.01, 0);
  dvStatus again;
  char *before = messages;
  messages = NULL;
  dvScene *other = open_scene(text, &again);   // the port is taken
  assert_int_equal(again, DV_ERROR_INPUT);
  assert_non_null(strstr(messages, "cannot be listened to"));
  close_scene(other);
  messages = before;
  close(from);
  close_scene(s);
  dv_free(text);
}

// --- mistakes in scenes --------------------------------------------------------------------------

static void mistakes(void **state)
{
  DV_UNUSED(state);
  static const struct {
    const char *text, *says;
  } cases[] = {
      {"<GeomagicEmulator rate='1'/>", "a haptic loop at 1 Hz is none"},
      {"<GeomagicEmulator rate='nan'/>", "rate"},
      {"<GeomagicEmulator maxSpeed='-1'/>", "cannot move"},
      {"<GeomagicEmulator orientationBase='0 0 0 0'/>", "no quaternion"},
      {"<GeomagicEmulator handMass='-1'/>", "handMass cannot be -1"},
      {"<GeomagicEmulator motion='nowhere.txt'/>", "nowhere.txt cannot be read"},
      {"<GeomagicEmulator maxInputForceFeedback='0'/>", "lets nothing through"},
      {"<GeomagicEmulator/><LCPForceFeedback/>", "finds no state of a tool"},
      {"<GeomagicEmulator/><MechanicalObject template='Rigid3'/><LCPForceFeedback/>", "no constraint solver"},
      {"<GeomagicEmulator/><MechanicalObject position='0 0 0'/><LCPForceFeedback/>", "Vec3"},
      {"<MechanicalObject template='Rigid3'/><VirtualCoupling/>", "holds the tool of no device"},
      {"<GeomagicEmulator/><MechanicalObject template='Rigid3'/><VirtualCoupling stiffness='-2'/>", "gain energy"},
      {"<GeomagicEmulator/><MechanicalObject template='Rigid3'/><VirtualCoupling indice='3'/>", "no frame 3"},
      {"<GeomagicEmulator forceFeedBack='@m'/><MechanicalObject name='m'/>", "leads to no controller"},
      {"<GeomagicEmulator name='a' forceFeedBack='@a'/>", "is no force feedback"},
      {"<GeomagicEmulator name='a' forceFeedBack='@n'/><GeomagicEmulator name='b' forceFeedBack='@n'/>"
       "<NullForceFeedback name='n'/>",
       "already belongs to a"},
      {"<UDPHapticDriver address='here'/>", "is no address"},
      {"<EnslavementForceFeedback/>", "finds no collision model"},
  };
  for (size_t i = 0; i < DV_COUNT(cases); i++) {
    dvStatus status;
    char *text = dv_format("<Node name='root'>%s</Node>", cases[i].text);
    dvScene *s = open_scene(text, &status);
    if (status == DV_OK || !messages || !strstr(messages, cases[i].says))
      fail_msg("%s: status %d, said: %s", cases[i].text, (int)status, messages ? messages : "nothing");
    close_scene(s);
    dv_free(text);
  }
}

static void bad_motion(void **state)
{
  DV_UNUSED(state);
  static const char *const texts[] = {
      "0 0 0\n",     "0 1 2 3\n0 1 2 3\n",   "0 1 2 x\n", "# nothing\n", "0 1 2 3 0 0 0 0\n",
      "0 nan 2 3\n", "0 1 2 3 1e200 0 0 0\n"};
  char *directory = check_mkdir();
  for (size_t i = 0; i < DV_COUNT(texts); i++) {
    dvStatus status;
    char *file = check_write(directory, "motion.txt", texts[i]);
    char *text = dv_format("<Node name='root'><GeomagicEmulator motion='%s'/></Node>", file);
    dvScene *s = open_scene(text, &status);
    assert_int_equal(status, DV_ERROR_INPUT);
    assert_non_null(strstr(messages, "the motion"));
    close_scene(s);
    dv_free(text);
    dv_free(file);
  }
  check_rmdir(directory);
}

// a hand with a recorded motion is led by a key, and the other one waits with its button as it was
static void keys(void **state)
{
  DV_UNUSED(state);
  static const char *const bad[] = {"keys='LJI'", "keys='LJIKOU' keySpeed='-1'", "keySpeed='nan'"};
  dvStatus status;
  for (size_t i = 0; i < DV_COUNT(bad); i++) {
    char *text = dv_format("<Node><GeomagicEmulator %s/></Node>", bad[i]);
    close_scene(open_scene(text, &status));
    assert_int_equal(status, DV_ERROR_INPUT);
    dv_free(text);
  }
  char *d = check_mkdir(),
       *file = check_write(d, "m.txt", "0 0 0 0 0 0 0 1 0\n1 100 0 0 0 0 0 1 1\n9 900 0 0 0 0 0 1 0\n");
  char *text =
      dv_format("<Node name='root' dt='0.02'><GeomagicEmulator name='a' scale='0.01' motion='%s' keys='LJIKOU' "
                "keySpeed='0.1' loop='steps'/><GeomagicEmulator name='b' scale='0.01' motion='%s' "
                "deviceName='other' loop='steps'/></Node>",
                file, file);
  dvScene *s = open_scene(text, &status);
  assert_int_equal(status, DV_OK);
  dvObject *first = s->root->objects.data[0], *second = s->root->objects.data[1];
  const dvReals *a = dv_object_field(first, "positionDevice")->value,
                *b = dv_object_field(second, "positionDevice")->value;
  const bool *held = dv_object_field(second, "button1")->value;
  for (int i = 0; i < 100; i++) dv_scene_step(s, 0);
  double x = a->data[0], other = b->data[0];
  assert_true(x > 0.15 && other == x && *held);
  dv_scene_send(s, &(dvEvent){.kind = DV_EVENT_KEY, .key = 'I'});
  for (int i = 0; i < 100; i++) dv_scene_step(s, 0);
  check_close(a->data[1], 0.2, 0.02);   // two seconds with 0.1 m/s
  check_close(a->data[0], x, 0.005);    // and its recording no longer moves it
  check_close(b->data[0], other, 0.005);
  dv_scene_send(s, &(dvEvent){.kind = DV_EVENT_KEY, .key = 'I', .released = true});
  for (int i = 0; i < 20; i++) dv_scene_step(s, 0);
  double y = a->data[1];
  for (int i = 0; i < 400; i++) dv_scene_step(s, 0);
  check_close(a->data[1], y, 1e-6);
  assert_true(*held);   // the recording would have let go by now
  dv_scene_send(s, &(dvEvent){.kind = DV_EVENT_KEY, .key = 'K', .way = 0.03});
  for (int i = 0; i < 100; i++) dv_scene_step(s, 0);
  check_close(a->data[1], y - 0.03, 1e-5);   // as far as it may, however long it is held
  dv_scene_reset(s);
  dv_scene_step(s, 0);
  assert_true(fabs(a->data[1]) < 1e-9 && !*held);
  close_scene(s);
  dv_free(text), dv_free(file);
  check_rmdir(d);
}

int main(void)
{
  unsetenv("DIVAN_OFFLINE");   // devices of other programs are what it is about
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(troubles), cmocka_unit_test(stall),           cmocka_unit_test(takes_over),
      cmocka_unit_test(changes),  cmocka_unit_test(too_few_numbers), cmocka_unit_test(vendor),
      cmocka_unit_test(udp),      cmocka_unit_test(mistakes),        cmocka_unit_test(bad_motion),
      cmocka_unit_test(keys),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

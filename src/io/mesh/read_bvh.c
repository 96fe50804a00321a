// See read_bvh.h.
#include "io/mesh/read_bvh.h"

#include "io/mesh/mesh_scan.h"

enum { DEEPEST = 256, MOST_CHANNELS = 64 };

void dv_bvh_free(dvBvh *b)
{
  dv_array_free(&b->joints);
  dv_array_free(&b->channel);
  dv_array_free(&b->motion);
  *b = (dvBvh){0};
}

static bool expect_word(dvMeshScan *s, const char *wanted)
{
  const char *word;
  size_t length;
  if (dv_mesh_scan_word(s, &word, &length) && dv_mesh_word_is(word, length, wanted)) return true;
  return dv_mesh_fail(s, "'%s' is missing here", wanted);
}

static bool read_channels(dvMeshScan *s, dvBvh *b, dvBvhJoint *j)
{
  static const char *const names[] = {"Xposition", "Yposition", "Zposition", "Xrotation", "Yrotation", "Zrotation"};
  int count;
  if (!dv_mesh_scan_int(s, "a number of channels", &count)) return false;
  if (count < 0 || count > MOST_CHANNELS) return dv_mesh_fail(s, "a joint has %d channels", count);
  if (j->channels) return dv_mesh_fail(s, "a joint lists its channels twice");
  j->first = (int32_t)b->channel.count;
  j->channels = count;
  for (int i = 0; i < count; i++) {
    const char *word;
    size_t length;
    unsigned char kind = DV_BVH_NONE;
    if (!dv_mesh_scan_word(s, &word, &length)) return dv_mesh_fail(s, "the names of the channels end too soon");
    for (unsigned char k = 0; k < DV_COUNT(names); k++)
      if (dv_mesh_word_is(word, length, names[k])) kind = k;
    dv_push(&b->channel, kind);
  }
  return true;
}

// the part between the braces of one joint up to the next joint or closing brace; a stack of open joints replaces
// recursion
static bool read_hierarchy(dvMeshScan *s, dvBvh *b)
{
  int32_t open[DEEPEST];
  int depth = 0;
  const char *word;
  size_t length;
  if (!expect_word(s, "HIERARCHY")) return false;
  while (dv_mesh_scan_word(s, &word, &length)) {
    bool root = dv_mesh_word_is(word, length, "ROOT"), joint = dv_mesh_word_is(word, length, "JOINT"),
         end = dv_mesh_word_is(word, length, "End");
    if (root || joint || end) {
      if (root == (depth > 0) || (root && b->joints.count))
        return dv_mesh_fail(s, root ? "a second ROOT" : "a joint outside of ROOT");
      if (depth == DEEPEST) return dv_mesh_fail(s, "joints stand more than %d deep", DEEPEST);
      if (depth && b->joints.data[open[depth - 1]].end) return dv_mesh_fail(s, "an end site has a joint");
      if (!dv_mesh_scan_word(s, &word, &length)) return dv_mesh_fail(s, "a joint without a name");   // 'Site' for ends
      if (!expect_word(s, "{")) return false;
      dvBvhJoint j = {.parent = depth ? open[depth - 1] : -1, .end = end, .first = (int32_t)b->channel.count};
      open[depth++] = (int32_t)b->joints.count;
      dv_push(&b->joints, j);
    } else if (depth == 0) {
      return dv_mesh_fail(s, "'%.*s' stands before ROOT", (int)dv_min_int((int)length, 40), word);
    } else if (dv_mesh_word_is(word, length, "OFFSET")) {
      for (int k = 0; k < 3; k++)
        if (!dv_mesh_scan_real(s, "an offset", &b->joints.data[open[depth - 1]].offset[k])) return false;
    } else if (dv_mesh_word_is(word, length, "CHANNELS")) {
      if (!read_channels(s, b, &b->joints.data[open[depth - 1]])) return false;
    } else if (dv_mesh_word_is(word, length, "}")) {
      if (--depth == 0) return true;
    }
  }
  return dv_mesh_fail(s, b->joints.count ? "a joint is not closed" : "there is no ROOT");
}

static bool read_motion(dvMeshScan *s, dvBvh *b)
{
  const char *word;
  size_t length;
  int frames;
  if (!dv_mesh_scan_word(s, &word, &length)) return true;   // a skeleton without motion
  if (!dv_mesh_word_is(word, length, "MOTION")) return dv_mesh_fail(s, "'MOTION' is missing here");
  if (!expect_word(s, "Frames:") || !dv_mesh_scan_int(s, "a number of frames", &frames)) return false;
  if (!expect_word(s, "Frame") || !expect_word(s, "Time:") || !dv_mesh_scan_real(s, "a frame time", &b->frame_time))
    return false;
  if (b->frame_time <= 0) return dv_mesh_fail(s, "the frame time is %g", b->frame_time);
  if (frames < 0) return dv_mesh_fail(s, "there are %d frames", frames);
  if (!dv_mesh_check_count(s, "numbers of the motion", (int64_t)frames * (int64_t)b->channel.count, 2)) return false;
  for (size_t i = 0; i < (size_t)frames * b->channel.count; i++) {
    double value;
    if (!dv_mesh_scan_real(s, "a number of the motion", &value)) return false;
    dv_push(&b->motion, value);
  }
  b->frames = (size_t)frames;
  return true;
}

dvStatus dv_bvh_read(const char *bytes, size_t length, dvBvh *out, dvMeshError *error)
{
  *out = (dvBvh){0};
  dvMeshScan s;
  dv_mesh_scan_init(&s, bytes, length, error);
  if (read_hierarchy(&s, out) && read_motion(&s, out)) return DV_OK;
  dv_bvh_free(out);
  return DV_ERROR_INPUT;
}

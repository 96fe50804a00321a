// A libFuzzer target: whatever the bytes, the reader of skeletons returns, leaks nothing, and hands out only joints
// whose parents come before them and numbers that are finite.
#include "io/mesh/read_bvh.h"

#include <math.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static void check(bool condition)
{
  if (!condition) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
  dvBvh b;
  dvMeshError error;
  dvStatus status = dv_bvh_read((const char *)bytes, length, &b, &error);
  check(status == DV_OK ? b.joints.count > 0 : error.text[0] != 0 && error.line > 0);
  for (size_t i = 0; i < b.joints.count; i++) {
    const dvBvhJoint *j = &b.joints.data[i];
    check(j->parent < (int32_t)i && (j->parent >= 0) == (i > 0));
    check(j->first >= 0 && j->channels >= 0 && (size_t)(j->first + j->channels) <= b.channel.count);
    for (int k = 0; k < 3; k++) check(isfinite(j->offset[k]));
  }
  check(b.motion.count == b.frames * b.channel.count);
  for (size_t i = 0; i < b.motion.count; i++) check(isfinite(b.motion.data[i]));
  dv_bvh_free(&b);
  return 0;
}

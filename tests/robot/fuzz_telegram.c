// A libFuzzer target: whatever bytes a stranger sends, a message is read or refused with a reason, its lists lie in its
// numbers, those are finite, and what was read is read again after it was written.
#include "robot/telegram.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static void check(bool condition)
{
  if (!condition) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
  dvTelegram t = {0}, again = {0};
  dvText out = {0};
  const char *why = NULL;
  char *text = dv_alloc(length + 1);
  memcpy(text, bytes, length);
  bool good = dv_telegram_read(text, length, &t, &why);
  check(good == (why == NULL) && (good || t.numbers.count == 0));
  check(t.ends.count <= DV_TELEGRAM_LISTS && memchr(t.kind, 0, sizeof t.kind));
  for (size_t i = 0; i < t.ends.count; i++)
    check(dv_telegram_start(&t, i) <= t.ends.data[i] && t.ends.data[i] <= t.numbers.count);
  for (size_t i = 0; i < t.numbers.count; i++) check(isfinite(t.numbers.data[i]));
  if (good && dv_telegram_width(t.kind) && dv_telegram_write(&t, false, &out, &why)) {
    check(dv_telegram_read(out.text, out.length, &again, &why));
    check(again.numbers.count == t.numbers.count && again.ends.count == t.ends.count);
    for (size_t i = 0; i < t.numbers.count; i++) check(again.numbers.data[i] == t.numbers.data[i]);
  }
  dv_text_free(&out);
  dv_free(text);
  dv_telegram_free(&t), dv_telegram_free(&again);
  return 0;
}
